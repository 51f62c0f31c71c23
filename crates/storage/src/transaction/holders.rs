//! How many transactions are in the way of a deletion, and whether one refuses: asked before any is
//! loaded.

use std::collections::BTreeSet;

use daybook_domain::access::Access;
use daybook_domain::id::{AccountId, FileId};
use daybook_domain::transaction::{FileHold, Standing, Transaction};
use diesel::prelude::*;

use super::count::Total;
use super::row::standing_to_column;
use super::{Transactions, holding};
use crate::column::day_to_column;
use crate::conn::on_each;
use crate::error::Result;
use crate::mark;
use crate::sql::{Sql, Value};

impl Transactions<'_, '_> {
    /// How many sides of drafts name any of these accounts, on which nothing was ever posted;
    /// counted up to `most`.
    ///
    /// # Errors
    /// When the database cannot be asked.
    pub fn count_drafts_of_accounts(
        self,
        access: &Access,
        accounts: &BTreeSet<AccountId>,
        most: usize,
    ) -> Result<usize> {
        let named = accounts.iter().map(|id| Value::Int(id.get()));
        let sides =
            Sql::new("SELECT 1 AS side FROM entries WHERE book_id = ").int(access.book().id.get());
        self.up_to(sides.push(" AND account_id IN ").list(named), most)
    }

    /// How many transactions hold a file, trashed ones included; counted up to `most`.
    ///
    /// # Errors
    /// When the database cannot be asked.
    pub fn count_holders_of(self, access: &Access, file: FileId, most: usize) -> Result<usize> {
        let marked =
            Sql::new("SELECT 1 AS side FROM marks WHERE book_id = ").int(access.book().id.get());
        self.up_to(marked.push(" AND mark = ").text(mark::file(file)), most)
    }

    /// The first holder of a file, by id, that keeps it.
    ///
    /// # Errors
    /// When the database cannot be asked.
    pub fn first_keeper_of(
        self,
        access: &Access,
        file: FileId,
        keeping: FileHold,
    ) -> Result<Option<Transaction>> {
        let held = holding(self.tx.flushed_conn()?.lookup(), access.book().id.get(), file)
            .push(" AND (t.standing ");
        let draft = standing_to_column(Standing::Draft);
        let checked =
            |held: Sql<'static>| held.push("= ").int(standing_to_column(Standing::Checked));
        let kept = match keeping {
            FileHold::AllButDraftsOf(user) => {
                held.push("<> ").int(draft).push(" OR t.created_by <> ").int(user.get())
            }
            FileHold::Checked => checked(held),
            FileHold::CheckedOrPostedUntil(last) => {
                let posted = checked(held).push(" OR t.standing <> ").int(draft);
                posted.push(" AND t.day <= ").int(i64::from(day_to_column(last)))
            }
        };
        Ok(self.rows(access, kept.push(") ORDER BY t.id LIMIT 1"))?.pop())
    }

    fn up_to(self, found: Sql<'_>, most: usize) -> Result<usize> {
        let most = i64::try_from(most).unwrap_or(i64::MAX);
        let sql = Sql::new("SELECT count(*) AS total FROM (")
            .append(found)
            .push(" LIMIT ")
            .int(most)
            .push(") AS found")
            .uncached();
        let rows: Vec<Total> = on_each!(self.tx.flushed_conn()?, c => (&sql).load(c))?;
        Ok(rows.first().map_or(0, |row| usize::try_from(row.total).unwrap_or_default()))
    }
}
