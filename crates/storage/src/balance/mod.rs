//! Balance totals: per account and day, per account and month, kept in the unit of work that posts.
//!
//! A query is answered from the segments that the domain plans ([`Segment`]), with one row for each
//! account and period. With hashtags in it, the same segments are summed from the entries of the
//! transactions that have these index terms.

mod limbs;
mod totals_query;

use std::collections::BTreeMap;

use daybook_domain::access::Access;
use daybook_domain::balance::{Level, PeriodTotal, Segment};
use daybook_domain::book::Book;
use daybook_domain::calendar::from_day_number;
use daybook_domain::id::{AccountId, BookId};
use daybook_domain::purpose::{Record, UpdateBook};
use daybook_domain::transaction::Transaction;
use diesel::QueryableByName;
use diesel::prelude::*;
use diesel::sql_types::{BigInt, Integer};

use crate::access::AccessTo;
use crate::bulk::Bulk;
use crate::column::day_to_column;
use crate::conn::on_engine;
use crate::error::{Error, Result};
use crate::sql::{MAX_NAMED, Sql, Value};
use crate::transaction::Change;
use crate::tx::Tx;

pub(crate) use limbs::{ENTRY_SUMS, Limbs, RUNNING_SUM, from_limbs};
pub use totals_query::{AccountScope, TotalsQuery};

#[derive(QueryableByName)]
struct Row {
    #[diesel(sql_type = BigInt)]
    account_id: i64,
    #[diesel(sql_type = Integer)]
    period: i32,
    #[diesel(embed)]
    limbs: Limbs,
}

impl Row {
    fn into_total(self, level: Level) -> Result<PeriodTotal> {
        let Self { account_id, period, limbs } = self;
        // A month is its first day, an opening has none.
        let period = match (period, level) {
            (0, _) => None,
            (month, Level::Month) => {
                Some(from_day_number(month * 100 + 1).ok_or(Error::Corrupt("month"))?)
            }
            (day, Level::Day) => Some(from_day_number(day).ok_or(Error::Corrupt("day"))?),
        };
        Ok(PeriodTotal {
            account: AccountId::new(account_id),
            period,
            debit: limbs.debit(),
            credit: limbs.credit(),
        })
    }
}

/// The balance totals of a book.
pub struct Balances<'t, 'a> {
    pub(crate) tx: &'t mut Tx<'a>,
}

impl Balances<'_, '_> {
    /// Queues what transactions do to the totals, without what they did before.
    ///
    /// # Errors
    /// When an amount does not fit the book's scale.
    pub fn queue(self, access: &AccessTo<Record>, changes: &[Change]) -> Result<()> {
        let mut deltas = TotalDeltas::new();
        for Change { before, after } in changes {
            fold(&mut deltas, before.as_ref(), access.book(), -1)?;
            fold(&mut deltas, Some(after), access.book(), 1)?;
        }
        self.tx.buffer().queue_totals(deltas);
        Ok(())
    }

    /// The totals of a stretch of time. With tags, the sums of the transactions that carry all of
    /// them, computed from the entries (behaviour 1.2, segment reporting).
    pub fn read(
        self,
        access: &Access,
        segment: &Segment,
        query: &TotalsQuery<'_>,
    ) -> Result<Vec<PeriodTotal>> {
        let mut totals = Vec::new();
        self.read_each(access, segment, query, |total| totals.push(total))?;
        Ok(totals)
    }

    /// As [`Self::read`], one after another: a book may have millions of them.
    pub fn read_each(
        self,
        access: &Access,
        segment: &Segment,
        query: &TotalsQuery<'_>,
        mut take: impl FnMut(PeriodTotal),
    ) -> Result<()> {
        match query.scope {
            AccountScope::Book => self.tx.read_totals(access, segment, query, &mut take),
            AccountScope::Accounts(accounts) => {
                for chunk in accounts.chunks(MAX_NAMED) {
                    let scope = AccountScope::Accounts(chunk);
                    let query = TotalsQuery { scope, ..*query };
                    self.tx.read_totals(access, segment, &query, &mut take)?;
                }
                Ok(())
            }
        }
    }

    /// Rewrites every stored amount at the book's new, finer scale, totals included (behaviour
    /// 3.12.7). Answers whether all of them stay within the range; when not, nothing was changed.
    pub fn rescale(self, access: &AccessTo<UpdateBook>, from: u32) -> Result<bool> {
        let book = access.book();
        let factor =
            10_i64.checked_pow(book.scale.saturating_sub(from)).ok_or(Error::Corrupt("scale"))?;
        let number = book.id.get();
        let most = i64::MAX.checked_div(factor).unwrap_or(i64::MAX);
        let beyond = Sql::new("SELECT t.id AS found FROM transactions t WHERE t.book_id = ")
            .int(number)
            .push(" AND t.amount > ")
            .int(most)
            .push(" LIMIT 1");
        let found: Vec<Found> = on_engine!(self.tx.flushed()?, c => (&beyond).load(c))?;
        if found.iter().any(|row| row.found != 0) {
            return Ok(false);
        }
        let rescaled = Sql::new("UPDATE transactions SET amount = amount * ")
            .int(factor)
            .push(" WHERE amount IS NOT NULL AND book_id = ")
            .int(number);
        self.tx.flushed()?.execute(&rescaled)?;
        self.sum_up(book.id)?;
        Ok(true)
    }

    /// Builds the totals of a book anew from its entries.
    pub(crate) fn sum_up(self, book: BookId) -> Result<()> {
        let number = book.get();
        for (delete, insert, period) in [
            ("DELETE FROM day_totals WHERE book_id = ", INSERT_DAYS, "e.day, "),
            ("DELETE FROM month_totals WHERE book_id = ", INSERT_MONTHS, "e.day / 100, "),
        ] {
            self.tx.flushed()?.execute(&Sql::new(delete).int(number))?;
            let sums = Sql::new(insert)
                .push(" SELECT e.book_id, e.account_id, ")
                .push(period)
                .push(ENTRY_SUMS)
                .push(" FROM entries e WHERE e.amount <> 0 AND e.book_id = ")
                .int(number)
                .push(" GROUP BY 1, 2, 3");
            self.tx.flushed()?.execute(&sums)?;
        }
        Ok(())
    }
}

impl Tx<'_> {
    /// The statement of [`Balances::read`].
    pub(crate) fn totals_statement<'q>(
        &mut self,
        access: &Access,
        segment: &Segment,
        query: &TotalsQuery<'q>,
    ) -> Result<Sql<'q>> {
        let row = if query.tags.is_empty() { "c.account_id" } else { "m.transaction_id" };
        let engine = (self.lookup(), self.stoppable(row));
        Ok(totals_query::statement(engine, access.book().id.get(), segment, query))
    }

    fn read_totals(
        &mut self,
        access: &Access,
        segment: &Segment,
        query: &TotalsQuery<'_>,
        take: &mut impl FnMut(PeriodTotal),
    ) -> Result<()> {
        let sql = self.totals_statement(access, segment, query)?;
        self.each_row(&sql, |row: Row| {
            let total = row.into_total(segment.level)?;
            // A total emptied again by trashing is no movement (behaviour 5.7).
            if total.debit != 0 || total.credit != 0 {
                take(total);
            }
            Ok(())
        })
    }
}

#[derive(QueryableByName)]
struct Found {
    #[diesel(sql_type = BigInt)]
    found: i64,
}

const INSERT_DAYS: &str = "INSERT INTO day_totals \
     (book_id, account_id, day, debit_high, debit_low, credit_high, credit_low)";
const INSERT_MONTHS: &str = "INSERT INTO month_totals \
     (book_id, account_id, month, debit_high, debit_low, credit_high, credit_low)";
const ADD_TO_DAY: &str = " ON CONFLICT (book_id, account_id, day) DO UPDATE SET \
     debit_high = day_totals.debit_high + excluded.debit_high, \
     debit_low = day_totals.debit_low + excluded.debit_low, \
     credit_high = day_totals.credit_high + excluded.credit_high, \
     credit_low = day_totals.credit_low + excluded.credit_low";
const ADD_TO_MONTH: &str = " ON CONFLICT (book_id, account_id, month) DO UPDATE SET \
     debit_high = month_totals.debit_high + excluded.debit_high, \
     debit_low = month_totals.debit_low + excluded.debit_low, \
     credit_high = month_totals.credit_high + excluded.credit_high, \
     credit_low = month_totals.credit_low + excluded.credit_low";

/// How totals move, by book, account and period.
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

/// The rows that add deltas by day to the totals by day and by month.
pub(crate) fn total_rows<'a>(days: &TotalDeltas) -> [Bulk<'a>; 2] {
    let mut months = TotalDeltas::new();
    for ((book, account, day), limbs) in days {
        months.entry((*book, *account, day.div_euclid(100))).or_default().merge(*limbs);
    }
    [upsert(INSERT_DAYS, ADD_TO_DAY, days), upsert(INSERT_MONTHS, ADD_TO_MONTH, &months)]
}

fn fold(
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

/// The rows of deltas in the order of their keys, so that writers of all processes lock them in the
/// same order.
fn upsert<'a>(head: &'static str, tail: &'static str, deltas: &TotalDeltas) -> Bulk<'a> {
    let mut rows = Bulk::new(head, 7, tail);
    let moved = deltas.iter().filter(|(_, limbs)| **limbs != Limbs::default());
    for ((book, account, period), limbs) in moved {
        let Limbs { debit_high, debit_low, credit_high, credit_low } = *limbs;
        let place = [*book, *account, i64::from(*period)];
        let [book, account, period] = place.map(Value::Int);
        let [a, b, c, d] = [debit_high, debit_low, credit_high, credit_low].map(Value::Int);
        rows.row([book, account, period, a, b, c, d]);
    }
    rows
}
