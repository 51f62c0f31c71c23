//! Writing totals: what is queued is added to the rows of months. The days in them are read, added
//! to and written back, which only whoever holds the book's lock may do; a flush does, because
//! whoever queues has entered the book to write.

use std::collections::{BTreeMap, HashMap};

use daybook_domain::balance::Sums;
use daybook_domain::book::Book;
use daybook_domain::transaction::Transaction;
use diesel::QueryableByName;
use diesel::sql_types::BigInt;

use super::day_sums::DaySums;
use super::days_row::DaysRow;
use super::limbs::Limbs;
use crate::bulk::Bulk;
use crate::bulk_lookup::KeyedTable;
use crate::column::day_to_column;
use crate::conn::Conn;
use crate::error::{Error, Result};
use crate::sql::Value;

const INSERT: &str = "INSERT INTO month_totals \
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
    first_columns: "c.book_id = n.column1 AND c.account_id = n.column2",
    last_column: "c.month",
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
    #[diesel(embed)]
    row: DaysRow,
}

impl KeptDays {
    fn key(&self) -> MonthKey {
        [self.book_id, self.row.account_id, i64::from(self.row.month)]
    }
}

/// Book, account and month.
type MonthKey = [i64; 3];

/// How a month of an account moves, in all and by day.
#[derive(Debug)]
struct MovedMonth {
    total: Limbs,
    days: Vec<(u8, Sums)>,
}

/// The months that deltas move, in the order of their keys.
pub(crate) fn moved_months(deltas: &TotalDeltas) -> Result<MovedMonths> {
    let mut months: Vec<(MonthKey, MovedMonth)> = Vec::new();
    for ((book, account, day), limbs) in deltas {
        if *limbs != Limbs::default() {
            let month = [*book, *account, i64::from(day.div_euclid(100))];
            let day = u8::try_from(day.rem_euclid(100)).ok().filter(|day| (1..=31).contains(day));
            let day = day.ok_or(Error::Corrupt("day"))?;
            let moved = (day, limbs.sums());
            match months.last_mut().filter(|(last, _)| *last == month) {
                Some((_, MovedMonth { total, days })) => {
                    total.merge(*limbs);
                    days.push(moved);
                }
                None => months.push((month, MovedMonth { total: *limbs, days: vec![moved] })),
            }
        }
    }
    Ok(MovedMonths(months))
}

/// Months that have moved.
#[derive(Debug)]
pub(crate) struct MovedMonths(Vec<(MonthKey, MovedMonth)>);

impl MovedMonths {
    /// So many of them as are read and written at once: their days take some megabytes.
    pub(crate) fn portions(&self) -> impl Iterator<Item = MonthPortion<'_>> {
        self.0.chunks(MAX_MONTHS).map(MonthPortion)
    }
}

const MAX_MONTHS: usize = 5_000;

/// Some of the months that have moved.
pub(crate) struct MonthPortion<'m>(&'m [(MonthKey, MovedMonth)]);

impl MonthPortion<'_> {
    /// Reads the days of these months and adds to them. Days that cannot be read stay as they are,
    /// for the audit to find: they hold up nobody who records.
    pub(crate) fn rows(&self, conn: &mut Conn) -> Result<MonthRows> {
        let keys: Vec<MonthKey> = self.0.iter().map(|(month, _)| *month).collect();
        let kept = conn.load_by_keys(DAYS, &keys)?.into_iter();
        let mut kept: HashMap<MonthKey, Vec<u8>> =
            kept.map(|kept: KeptDays| (kept.key(), kept.row.days)).collect();
        let row = |(month, MovedMonth { total, days }): &(MonthKey, MovedMonth)| {
            let stored = kept.remove(month);
            let read = stored.as_deref().map_or_else(|| Ok(DaySums::default()), DaySums::of_column);
            let days = match (read, stored) {
                (Ok(mut sums), _) => {
                    days.iter().for_each(|(day, delta)| sums.add(*day, *delta));
                    sums.to_column()
                }
                (Err(error), stored) => {
                    tracing::error!(?month, %error, "days are left as they are: audit this book");
                    stored.unwrap_or_default()
                }
            };
            (*month, *total, days)
        };
        Ok(MonthRows(self.0.iter().map(row).collect()))
    }
}

/// The rows of some months.
#[derive(Debug)]
pub(crate) struct MonthRows(Vec<(MonthKey, Limbs, Vec<u8>)>);

impl MonthRows {
    /// For a bulk statement.
    pub(crate) fn bulk(&self) -> Bulk<'_> {
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
