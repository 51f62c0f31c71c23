//! The ledger of an account, for running balances.
//!
//! A window over the entries of a day computes the sum up to each row of that day.

use daybook_domain::access::Access;
use daybook_domain::balance::RunningRow;
use daybook_domain::calendar::from_day_number;
use daybook_domain::id::{AccountId, TransactionId};
use daybook_domain::transaction::Transaction;

use super::Transactions;
use crate::balance::{RUNNING_SUM, from_limbs};
use crate::conn::sql::{Sql, Value, list};
use crate::error::{Error, Result};
use crate::rows::column::day_to_column;

impl Transactions<'_, '_> {
    /// Returns the sum of an account on the day of each transaction, up to and including it.
    pub fn sums_within_day(
        self,
        access: &Access,
        account: AccountId,
        rows: &[&Transaction],
    ) -> Result<Vec<RunningRow>> {
        let sql = running_sums(access, account, rows).uncached();
        let found: Vec<(i32, i64, i64, i64)> = self.tx.flushed()?.rows(&sql)?;
        let convert = |row: (i32, i64, i64, i64)| {
            let (day, transaction_id, high, low) = row;
            let day = from_day_number(day).ok_or(Error::Corrupt("day"))?;
            Ok(RunningRow {
                transaction: TransactionId::new(transaction_id),
                day,
                day_sum: from_limbs(high, low),
            })
        };
        found.into_iter().map(convert).collect()
    }
}

/// Selects the running sums of an account on the days of these rows.
///
/// The window reads the days in key order, and only the requested rows are returned.
pub(crate) fn running_sums<'a>(
    access: &Access,
    account: AccountId,
    rows: &[&Transaction],
) -> Sql<'a> {
    let mut days: Vec<i32> = rows.iter().map(|row| day_to_column(row.list_day)).collect();
    days.sort_unstable();
    days.dedup();
    Sql::new(
        "SELECT r.day, r.transaction_id, r.high, r.low FROM (SELECT e.day, e.transaction_id, {} \
         FROM entries e WHERE e.book_id = {} AND e.account_id = {} \
         AND e.day IN {} WINDOW w AS (PARTITION BY e.day \
         ORDER BY e.transaction_id ROWS UNBOUNDED PRECEDING)) r WHERE r.transaction_id IN {}",
    )
    .bind((
        Sql::new(RUNNING_SUM),
        access.book().id,
        account,
        list(days.into_iter().map(|day| Value::Int(i64::from(day)))),
        list(rows.iter().map(|row| Value::Int(row.id.get()))),
    ))
}
