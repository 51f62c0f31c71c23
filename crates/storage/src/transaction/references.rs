//! How many transactions are in the way of a deletion, or of a rewrite, and whether one refuses:
//! asked before any is loaded.

use std::collections::BTreeSet;

use daybook_domain::access::Access;
use daybook_domain::id::{AccountId, FileId};
use daybook_domain::transaction::{FileReference, Standing, Transaction};
use diesel::prelude::*;

use super::count::Total;
use super::row::standing_to_column;
use super::{Transactions, holding};
use crate::column::day_to_column;
use crate::conn::on_engine;
use crate::error::Result;
use crate::index_term;
use crate::sql::{Sql, Value};

impl Transactions<'_, '_> {
    /// How many transactions the book has, drafts and trashed ones included; counted up to `most`.
    pub fn count_up_to(self, access: &Access, most: usize) -> Result<usize> {
        let all = Sql::new("SELECT 1 AS side FROM transactions WHERE book_id = ");
        self.up_to(all.int(access.book().id.get()), most)
    }

    /// How many sides of drafts name any of these accounts, on which nothing was ever posted;
    /// counted up to `most`.
    pub fn count_drafts_of_accounts(
        self,
        access: &Access,
        accounts: &BTreeSet<AccountId>,
        most: usize,
    ) -> Result<usize> {
        self.up_to(sides_of_accounts(access.book().id.get(), accounts), most)
    }

    /// How many transactions hold a file, trashed ones included; counted up to `most`.
    pub fn count_holders_of(self, access: &Access, file: FileId, most: usize) -> Result<usize> {
        let marked = Sql::new("SELECT 1 AS side FROM index_terms WHERE book_id = ")
            .int(access.book().id.get());
        self.up_to(marked.push(" AND term = ").text(index_term::file(file)), most)
    }

    /// The first holder of a file, by id, that keeps it.
    pub fn first_keeper_of(
        self,
        access: &Access,
        file: FileId,
        hold: FileReference,
    ) -> Result<Option<Transaction>> {
        let holding = holding(self.tx.lookup(), access.book().id.get(), file);
        let kept = keeps(holding.push(" AND ("), hold);
        let kept = kept.push(") ORDER BY t.id LIMIT 1");
        Ok(self.part(access, &kept, usize::MAX)?.rows.pop())
    }

    fn up_to(self, found: Sql<'_>, most: usize) -> Result<usize> {
        let sql = counted_up_to(found, most).uncached();
        let rows: Vec<Total> = on_engine!(self.tx.flushed()?, c => (&sql).load(c))?;
        Ok(rows.first().map_or(0, |row| usize::try_from(row.total).unwrap_or_default()))
    }
}

/// The transaction of each side that names any of these accounts.
pub(crate) fn sides_of_accounts<'a>(book: i64, accounts: &BTreeSet<AccountId>) -> Sql<'a> {
    let sides = Sql::new("SELECT e.transaction_id FROM entries e WHERE e.book_id = ").int(book);
    sides.push(" AND e.account_id IN ").list(accounts.iter().map(|id| Value::Int(id.get())))
}

/// How many rows are found, counted up to `most`.
pub(crate) fn counted_up_to(found: Sql<'_>, most: usize) -> Sql<'_> {
    let most = i64::try_from(most).unwrap_or(i64::MAX);
    let counted = Sql::new("SELECT count(*) AS total FROM (").append(found);
    counted.push(" LIMIT ").int(most).push(") AS found")
}

/// Adds [`FileReference::keeps`] as a condition on the transaction `t`.
fn keeps(sql: Sql<'_>, hold: FileReference) -> Sql<'_> {
    let (draft, checked) =
        (standing_to_column(Standing::Draft), standing_to_column(Standing::Checked));
    match hold {
        FileReference::AllButDraftsOf(user) => {
            sql.push("t.standing <> ").int(draft).push(" OR t.created_by <> ").int(user.get())
        }
        FileReference::Checked => sql.push("t.standing = ").int(checked),
        FileReference::CheckedOrPostedUntil(last) => sql
            .push("t.standing = ")
            .int(checked)
            .push(" OR t.standing <> ")
            .int(draft)
            .push(" AND t.day <= ")
            .int(i64::from(day_to_column(last))),
    }
}

#[cfg(test)]
mod tests {
    use daybook_domain::id::UserId;
    use time::{Date, Month};

    use super::super::fixture::draft;
    use super::*;
    use crate::conn::Conn;

    fn day(day: u8) -> Date {
        Date::from_calendar_date(2025, Month::May, day).unwrap()
    }

    fn holder(standing: Standing, list_day: Date, created_by: UserId) -> Transaction {
        Transaction { standing, list_day, created_by, ..draft() }
    }

    /// Whether the condition finds a row like this transaction.
    fn found(conn: &mut Conn, hold: FileReference, holder: &Transaction) -> bool {
        let row = Sql::new("SELECT count(*) AS total FROM (SELECT ")
            .int(standing_to_column(holder.standing))
            .push(" AS standing, ")
            .int(i64::from(day_to_column(holder.list_day)))
            .push(" AS day, ")
            .int(holder.created_by.get())
            .push(" AS created_by) t WHERE ");
        let sql = keeps(row, hold);
        let rows: Vec<Total> = on_engine!(conn, c => (&sql).load(c)).unwrap();
        rows.iter().all(|row| row.total == 1)
    }

    #[test]
    fn the_condition_finds_what_the_rule_says() {
        let users = [UserId::new(1), UserId::new(2)];
        let days = [day(9), day(10), day(11)];
        let holds = [
            FileReference::AllButDraftsOf(UserId::new(1)),
            FileReference::Checked,
            FileReference::CheckedOrPostedUntil(day(10)),
        ];
        let mut conn = Conn::in_memory();
        let mut kept = 0;
        for standing in [Standing::Draft, Standing::Unchecked, Standing::Checked] {
            for (day, user) in days.iter().flat_map(|day| users.map(|user| (*day, user))) {
                let holder = holder(standing, day, user);
                for hold in holds {
                    let expected = hold.keeps(&holder);
                    assert_eq!(found(&mut conn, hold, &holder), expected, "{hold:?} {holder:?}");
                    kept += u8::from(expected);
                }
            }
        }
        assert_eq!(kept, 15 + 6 + 10, "of 18 holders each");
    }
}
