//! Rows of an account's ledger, for running balances.

use daybook_domain::access::Access;
use daybook_domain::balance::RunningRow;
use daybook_domain::calendar::from_day_number;
use daybook_domain::id::{AccountId, TransactionId};
use daybook_domain::transaction::Transaction;
use diesel::QueryableByName;
use diesel::prelude::*;
use diesel::sql_types::{BigInt, Integer};

use super::Transactions;
use crate::balance::whole;
use crate::column::day_to_column;
use crate::conn::on_each;
use crate::error::{Error, Result};
use crate::sql::{Sql, Value};

#[derive(QueryableByName)]
struct Row {
    #[diesel(sql_type = Integer)]
    day: i32,
    #[diesel(sql_type = BigInt)]
    transaction_id: i64,
    #[diesel(sql_type = BigInt)]
    high: i64,
    #[diesel(sql_type = BigInt)]
    low: i64,
}

/// The window runs through the days of the rows in key order, and only the rows asked for leave the
/// database.
const SO_FAR: &str = "SELECT r.day, r.transaction_id, r.high, r.low FROM (SELECT e.day, \
    e.transaction_id, \
    CAST(SUM(e.amount / 4294967296) OVER w AS BIGINT) AS high, CAST(SUM(e.amount % 4294967296) \
    OVER w AS BIGINT) AS low \
    FROM entries e WHERE e.book_id = ";
const WINDOW: &str = " WINDOW w AS (PARTITION BY e.day ORDER BY e.transaction_id ROWS UNBOUNDED \
    PRECEDING)) r WHERE r.transaction_id IN ";

impl Transactions<'_, '_> {
    /// What an account had moved on the day of each of these transactions, up to and including it.
    pub fn moved(
        self,
        access: &Access,
        account: AccountId,
        rows: &[&Transaction],
    ) -> Result<Vec<RunningRow>> {
        let sql = so_far(access, account, rows).uncached();
        let found: Vec<Row> = on_each!(self.tx.flushed_conn()?, c => (&sql).load(c))?;
        let moved = |row: Row| {
            let Row { day, transaction_id, high, low } = row;
            let day = from_day_number(day).ok_or(Error::Broken("day"))?;
            Ok(RunningRow {
                transaction: TransactionId::new(transaction_id),
                day,
                so_far: whole(high, low),
            })
        };
        found.into_iter().map(moved).collect()
    }

    /// What the database would do for [`Transactions::moved`].
    #[doc(hidden)]
    pub fn explain_moved(
        self,
        access: &Access,
        account: AccountId,
        rows: &[&Transaction],
    ) -> Result<Vec<String>> {
        Ok(self.tx.flushed_conn()?.explain(so_far(access, account, rows))?)
    }
}

fn so_far<'a>(access: &Access, account: AccountId, rows: &[&Transaction]) -> Sql<'a> {
    let mut days: Vec<i32> = rows.iter().map(|row| day_to_column(row.list_day)).collect();
    days.sort_unstable();
    days.dedup();
    let sql = Sql::new(SO_FAR)
        .int(access.book().id.get())
        .push(" AND e.account_id = ")
        .int(account.get())
        .push(" AND e.day IN ");
    let sql = sql.list(days.into_iter().map(|day| Value::Int(i64::from(day)))).push(WINDOW);
    sql.list(rows.iter().map(|row| Value::Int(row.id.get())))
}
