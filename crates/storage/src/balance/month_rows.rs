//! Writing totals: queued changes are added to the rows of months.
//!
//! The sums of the days in a row are read, changed and written back, which requires the lock of the
//! book. A flush has it, because a unit of work that queues changes has entered the book to write.

use std::collections::{BTreeMap, HashMap};

use daybook_domain::balance::Sums;
use daybook_domain::book::Book;
use daybook_domain::transaction::Transaction;
use diesel::QueryableByName;
use diesel::sql_types::{BigInt, Binary, Integer};

use super::day_sums::DaySums;
use super::limbs::Limbs;
use crate::conn::Conn;
use crate::conn::bulk::Bulk;
use crate::conn::bulk_lookup::KeyedTable;
use crate::conn::sql::Value;
use crate::error::{Error, Result};
use crate::rows::column::day_to_column;

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

/// Changes of totals, by book, account and day.
pub(crate) type TotalDeltas = BTreeMap<(i64, i64, i32), Limbs>;

/// Adds changes to changes.
pub(crate) fn merge(into: &mut TotalDeltas, deltas: TotalDeltas) {
    if into.is_empty() {
        *into = deltas;
        return;
    }
    for (key, limbs) in deltas {
        into.entry(key).or_default().merge(limbs);
    }
}

/// Adds the entries of a transaction to the changes, or with the sign -1 subtracts them.
pub(super) fn fold(
    days: &mut TotalDeltas,
    transaction: Option<&Transaction>,
    book: &Book,
    sign: i64,
) -> Result<()> {
    for entry in transaction.map(Transaction::entries).unwrap_or_default() {
        let units = entry.amount.units(book.scale).ok_or(Error::Corrupt("amount"))?;
        let key = (book.id.get(), entry.account.get(), day_to_column(entry.day));
        days.entry(key).or_default().add(entry.credit, units, sign);
    }
    Ok(())
}

#[derive(QueryableByName)]
struct StoredDays {
    #[diesel(sql_type = BigInt)]
    book_id: i64,
    #[diesel(sql_type = BigInt)]
    account_id: i64,
    #[diesel(sql_type = Integer)]
    month: i32,
    #[diesel(sql_type = Binary)]
    days: Vec<u8>,
}

impl StoredDays {
    fn key(&self) -> MonthKey {
        [self.book_id, self.account_id, i64::from(self.month)]
    }
}

/// Book, account and month.
type MonthKey = [i64; 3];

/// The change of a month of an account, in total and by day.
#[derive(Debug)]
struct ChangedMonth {
    total: Limbs,
    days: Vec<(u8, Sums)>,
}

/// Groups changes by month, in key order.
pub(crate) fn changed_months(deltas: &TotalDeltas) -> Result<ChangedMonths> {
    let mut months: Vec<(MonthKey, ChangedMonth)> = Vec::new();
    for ((book, account, day), limbs) in deltas {
        if *limbs != Limbs::default() {
            let month = [*book, *account, i64::from(day.div_euclid(100))];
            let day = u8::try_from(day.rem_euclid(100)).ok().filter(|day| (1..=31).contains(day));
            let day = day.ok_or(Error::Corrupt("day"))?;
            let change = (day, limbs.sums());
            match months.last_mut().filter(|(last, _)| *last == month) {
                Some((_, ChangedMonth { total, days })) => {
                    total.merge(*limbs);
                    days.push(change);
                }
                None => months.push((month, ChangedMonth { total: *limbs, days: vec![change] })),
            }
        }
    }
    Ok(ChangedMonths(months))
}

#[derive(Debug)]
pub(crate) struct ChangedMonths(Vec<(MonthKey, ChangedMonth)>);

impl ChangedMonths {
    /// Splits the months into portions that are read and written at once.
    pub(crate) fn portions(&self) -> impl Iterator<Item = MonthPortion<'_>> {
        self.0.chunks(MAX_MONTHS).map(MonthPortion)
    }
}

/// Maximum number of months of a portion. Their days take a few megabytes.
const MAX_MONTHS: usize = 5_000;

pub(crate) struct MonthPortion<'m>(&'m [(MonthKey, ChangedMonth)]);

impl MonthPortion<'_> {
    /// Reads the days of the months and adds the changes.
    ///
    /// Unreadable days stay unchanged, for an audit to find. They must not block writes.
    pub(crate) fn rows(&self, conn: &mut Conn) -> Result<MonthRows> {
        let keys: Vec<MonthKey> = self.0.iter().map(|(month, _)| *month).collect();
        let rows: Vec<StoredDays> = conn.load_by_keys(DAYS, &keys)?;
        let mut stored_days: HashMap<MonthKey, Vec<u8>> =
            rows.into_iter().map(|row| (row.key(), row.days)).collect();
        let row = |(month, ChangedMonth { total, days }): &(MonthKey, ChangedMonth)| {
            let stored = stored_days.remove(month);
            let read =
                stored.as_deref().map_or_else(|| Ok(DaySums::default()), DaySums::from_column);
            let days = match (read, stored) {
                (Ok(mut sums), _) => {
                    days.iter().for_each(|(day, delta)| sums.add(*day, *delta));
                    sums.to_column()
                }
                (Err(error), stored) => {
                    tracing::error!(
                        ?month,
                        %error,
                        "unreadable month totals left unchanged, audit the book"
                    );
                    stored.unwrap_or_default()
                }
            };
            (*month, *total, days)
        };
        Ok(MonthRows(self.0.iter().map(row).collect()))
    }
}

#[derive(Debug)]
pub(crate) struct MonthRows(Vec<(MonthKey, Limbs, Vec<u8>)>);

impl MonthRows {
    /// Returns the rows as a bulk insert.
    pub(crate) fn bulk(&self) -> Bulk<'_> {
        let mut rows = Bulk::new(INSERT, 8, OR_ADD);
        for (month, limbs, days) in &self.0 {
            let Limbs { debit_high, debit_low, credit_high, credit_low } = *limbs;
            let [book, account, month] = month.map(Value::Int);
            rows.row([
                book,
                account,
                month,
                Value::Int(debit_high),
                Value::Int(debit_low),
                Value::Int(credit_high),
                Value::Int(credit_low),
                Value::Bytes(days),
            ]);
        }
        rows
    }
}
