//! Writing totals: what is queued is added to the rows of months. The days in them are read, added
//! to and written back, which only whoever holds the book's lock may do; a flush does.

use std::collections::BTreeMap;

use daybook_domain::balance::Sums;
use daybook_domain::book::Book;
use daybook_domain::transaction::Transaction;
use diesel::QueryableByName;
use diesel::sql_types::{BigInt, Binary, Integer};

use super::day_sums::DaySums;
use super::limbs::Limbs;
use crate::bulk::Bulk;
use crate::bulk_lookup::KeyedTable;
use crate::column::day_to_column;
use crate::conn::Conn;
use crate::error::{Error, Result};
use crate::sql::Value;

pub(super) const INSERT: &str = "INSERT INTO month_totals \
     (book_id, account_id, month, debit_high, debit_low, credit_high, credit_low, days)";
const OR_ADD: &str = " ON CONFLICT (book_id, account_id, month) DO UPDATE SET \
     debit_high = month_totals.debit_high + excluded.debit_high, \
     debit_low = month_totals.debit_low + excluded.debit_low, \
     credit_high = month_totals.credit_high + excluded.credit_high, \
     credit_low = month_totals.credit_low + excluded.credit_low, \
     days = excluded.days";

const DAYS: KeyedTable = KeyedTable {
    columns: "c.book_id, c.account_id, c.month, c.days",
    table: "month_totals",
    key: "c.book_id = n.column1 AND c.account_id = n.column2 AND c.month = n.column3",
};

/// How totals move, by book, account and day.
pub(crate) type TotalDeltas = BTreeMap<(i64, i64, i32), Limbs>;

/// Adds deltas to deltas.
pub(crate) fn merge(into: &mut TotalDeltas, deltas: TotalDeltas) {
    if into.is_empty() {
        *into = deltas;
        return;
    }
    for (place, limbs) in deltas {
        into.entry(place).or_default().merge(limbs);
    }
}

/// Adds what a transaction does to the totals of its accounts, or with the sign -1 takes it away
/// again.
pub(super) fn fold(
    days: &mut TotalDeltas,
    transaction: Option<&Transaction>,
    book: &Book,
    sign: i64,
) -> Result<()> {
    for entry in transaction.map(Transaction::entries).unwrap_or_default() {
        let units = entry.amount.units(book.scale).ok_or(Error::Corrupt("amount"))?;
        let place = (book.id.get(), entry.account.get(), day_to_column(entry.day));
        days.entry(place).or_default().add(entry.credit, units, sign);
    }
    Ok(())
}

#[derive(QueryableByName)]
struct KeptDays {
    #[diesel(sql_type = BigInt)]
    book_id: i64,
    #[diesel(sql_type = BigInt)]
    account_id: i64,
    #[diesel(sql_type = Integer)]
    month: i32,
    #[diesel(sql_type = Binary)]
    days: Vec<u8>,
}

/// The rows of months that have moved, by book, account and month, in the order of their keys, so
/// that writers of all processes lock them in the same order.
#[derive(Debug)]
pub(crate) struct MonthRows(Vec<([i64; 3], Limbs, Vec<u8>)>);

impl MonthRows {
    /// Reads the days of the months that these deltas move, and adds to them.
    ///
    /// # Errors
    /// When the engine fails, or a row has no days that can be read.
    pub(crate) fn moved(conn: &mut Conn, deltas: &TotalDeltas) -> Result<Self> {
        let mut months: BTreeMap<[i64; 3], (Limbs, DaySums)> = BTreeMap::new();
        let moved = || deltas.iter().filter(|(_, limbs)| **limbs != Limbs::default());
        for ((book, account, day), limbs) in moved() {
            let month = [*book, *account, i64::from(day.div_euclid(100))];
            months.entry(month).or_default().0.merge(*limbs);
        }
        if months.is_empty() {
            return Ok(Self(Vec::new()));
        }
        let keys: Vec<[i64; 3]> = months.keys().copied().collect();
        for KeptDays { book_id, account_id, month, days } in conn.load_by_keys(DAYS, &keys)? {
            if let Some((_, kept)) = months.get_mut(&[book_id, account_id, i64::from(month)]) {
                *kept = DaySums::of_column(&days)?;
            }
        }
        for ((book, account, day), limbs) in moved() {
            let month = [*book, *account, i64::from(day.div_euclid(100))];
            let day = u8::try_from(day.rem_euclid(100)).map_err(|_| Error::Corrupt("day"))?;
            months.entry(month).or_default().1.add(day, Sums::from(limbs));
        }
        let rows =
            months.into_iter().map(|(month, (limbs, days))| (month, limbs, days.to_column()));
        Ok(Self(rows.collect()))
    }

    /// The rows of a bulk statement.
    pub(crate) fn rows(&self) -> Bulk<'_> {
        let mut rows = Bulk::new(INSERT, 8, OR_ADD);
        for (month, limbs, days) in &self.0 {
            let Limbs { debit_high, debit_low, credit_high, credit_low } = *limbs;
            let [book, account, month] = month.map(Value::Int);
            let [a, b, c, d] = [debit_high, debit_low, credit_high, credit_low].map(Value::Int);
            rows.row([book, account, month, a, b, c, d, Value::Bytes(days)]);
        }
        rows
    }
}
