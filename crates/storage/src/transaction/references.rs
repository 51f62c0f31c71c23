//! Counts of the transactions that block a deletion or a rewrite, before any is loaded.

use std::collections::BTreeSet;

use daybook_domain::access::Access;
use daybook_domain::id::{AccountId, FileId};
use daybook_domain::transaction::{FileReference, Standing, Transaction};

use super::{Transactions, referring_to};
use crate::conn::sql::{Sql, list};
use crate::error::Result;
use crate::index_term;
use crate::rows::column::day_to_column;
use crate::rows::transaction::standing_to_column;

impl Transactions<'_, '_> {
    /// Counts the transactions of a book, including drafts and trashed ones, up to `limit`.
    pub fn count_up_to(self, access: &Access, limit: usize) -> Result<usize> {
        let all = Sql::new("SELECT 1 AS side FROM transactions WHERE book_id = {}");
        self.up_to(all.bind(access.book().id), limit)
    }

    /// Counts the sides of drafts that refer to these accounts, which have no postings, up to
    /// `limit`.
    pub fn count_drafts_of_accounts(
        self,
        access: &Access,
        accounts: &BTreeSet<AccountId>,
        limit: usize,
    ) -> Result<usize> {
        self.up_to(sides_of_accounts(access.book().id.get(), accounts), limit)
    }

    /// Counts the transactions that refer to a file, including trashed ones, up to `limit`.
    pub fn count_referring_to(self, access: &Access, file: FileId, limit: usize) -> Result<usize> {
        let marked = Sql::new("SELECT 1 AS side FROM index_terms WHERE book_id = {} AND term = {}");
        self.up_to(marked.bind((access.book().id, index_term::file(file))), limit)
    }

    /// Finds the first transaction, by id, whose reference protects a file.
    pub fn first_protecting(
        self,
        access: &Access,
        file: FileId,
        reference: FileReference,
    ) -> Result<Option<Transaction>> {
        let referring = referring_to(self.tx.lookup(), access.book().id.get(), file);
        let protecting = push_keeps(referring.push(" AND ("), reference);
        let first = protecting.push(") ORDER BY t.id LIMIT 1");
        Ok(self.part(access, &first, usize::MAX)?.rows.pop())
    }

    fn up_to(self, found: Sql<'_>, limit: usize) -> Result<usize> {
        let sql = counted_up_to(found, limit).uncached();
        let count = self.tx.flushed()?.row::<i64>(&sql)?.unwrap_or_default();
        Ok(usize::try_from(count).unwrap_or_default())
    }
}

/// Selects the transaction of each side that refers to any of these accounts.
pub(crate) fn sides_of_accounts<'a>(book: i64, accounts: &BTreeSet<AccountId>) -> Sql<'a> {
    Sql::new("SELECT e.transaction_id FROM entries e WHERE e.book_id = {} AND e.account_id IN {}")
        .bind((book, list(accounts)))
}

/// Counts the rows of a statement, up to `limit`.
pub(crate) fn counted_up_to(found: Sql<'_>, limit: usize) -> Sql<'_> {
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    Sql::new("SELECT count(*) AS total FROM ({} LIMIT {}) AS found").bind((found, limit))
}

/// Adds [`FileReference::keeps`] as a condition on the transaction `t`.
fn push_keeps(sql: Sql<'_>, reference: FileReference) -> Sql<'_> {
    let (draft, checked) =
        (standing_to_column(Standing::Draft), standing_to_column(Standing::Checked));
    match reference {
        FileReference::AllButDraftsOf(user) => {
            sql.push("t.standing <> {} OR t.created_by <> {}").bind((draft, user))
        }
        FileReference::Checked => sql.push("t.standing = {}").bind(checked),
        FileReference::CheckedOrPostedUntil(last) => sql
            .push("t.standing = {} OR t.standing <> {} AND t.day <= {}")
            .bind((checked, draft, i64::from(day_to_column(last)))),
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

    /// Returns whether the condition matches a row like this transaction.
    fn is_found(conn: &mut Conn, reference: FileReference, holder: &Transaction) -> bool {
        let row = Sql::new(
            "SELECT count(*) AS total FROM (SELECT {} AS standing, {} AS day, {} AS created_by) \
             t WHERE ",
        )
        .bind((
            standing_to_column(holder.standing),
            i64::from(day_to_column(holder.list_day)),
            holder.created_by,
        ));
        let sql = push_keeps(row, reference);
        conn.row::<i64>(&sql).unwrap() == Some(1)
    }

    #[test]
    fn condition_agrees_with_the_domain() {
        let users = [UserId::new(1), UserId::new(2)];
        let days = [day(9), day(10), day(11)];
        let references = [
            FileReference::AllButDraftsOf(UserId::new(1)),
            FileReference::Checked,
            FileReference::CheckedOrPostedUntil(day(10)),
        ];
        let mut conn = Conn::in_memory();
        let mut kept = 0;
        for standing in [Standing::Draft, Standing::Unchecked, Standing::Checked] {
            for (day, user) in days.iter().flat_map(|day| users.map(|user| (*day, user))) {
                let holder = holder(standing, day, user);
                for reference in references {
                    let expected = reference.protects(&holder);
                    let actual = is_found(&mut conn, reference, &holder);
                    assert_eq!(actual, expected, "{reference:?} {holder:?}");
                    kept += u8::from(expected);
                }
            }
        }
        assert_eq!(kept, 15 + 6 + 10, "of 18 transactions each");
    }
}
