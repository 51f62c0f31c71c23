//! Balance totals: per account and month, and in the same row per day of the month, kept in the
//! unit of work that posts.
//!
//! A query is answered from the segments that the domain plans ([`Segment`]), with one row for each
//! account and period. With hashtags in it, the same segments are summed from the entries of the
//! transactions that have these index terms.

mod day_sums;
mod days_row;
mod limbs;
mod month_rows;
mod totals_query;

use daybook_domain::access::Access;
use daybook_domain::balance::{Level, PeriodTotal, Segment};
use daybook_domain::calendar::from_day_number;
use daybook_domain::id::{AccountId, BookId};
use daybook_domain::purpose::{Record, UpdateBook};
use diesel::QueryableByName;
use diesel::prelude::*;
use diesel::sql_types::{BigInt, Integer};

use crate::access::AccessTo;
use crate::conn::on_engine;
use crate::error::{Error, Result};
use crate::sql::{MAX_NAMED, Sql};
use crate::transaction::Change;
use crate::tx::Tx;

pub(crate) use day_sums::each_day;
pub(crate) use limbs::{ENTRY_SUMS, Limbs, RUNNING_SUM, from_limbs};
pub(crate) use month_rows::{TotalDeltas, merge, moved_months};
pub use totals_query::{AccountScope, TotalsQuery};

use days_row::{DayTotals, DaysRow};

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
            month_rows::fold(&mut deltas, before.as_ref(), access.book(), -1)?;
            month_rows::fold(&mut deltas, Some(after), access.book(), 1)?;
        }
        self.tx.buffer().queue_totals(deltas);
        Ok(())
    }

    /// The totals of segments of time. The segments are disjoint. With tags, the sums of the
    /// transactions that carry all of them, computed from the entries (behaviour 1.2, segment
    /// reporting).
    pub fn read(
        self,
        access: &Access,
        segments: &[Segment],
        query: &TotalsQuery<'_>,
    ) -> Result<Vec<PeriodTotal>> {
        let mut totals = Vec::new();
        self.read_each(access, segments, query, |total| totals.push(total))?;
        Ok(totals)
    }

    /// As [`Self::read`], one after another: a book may have millions of them.
    pub fn read_each(
        self,
        access: &Access,
        segments: &[Segment],
        query: &TotalsQuery<'_>,
        mut take: impl FnMut(PeriodTotal),
    ) -> Result<()> {
        match query.scope {
            AccountScope::Book => self.tx.read_totals(access, segments, query, &mut take),
            AccountScope::Accounts(accounts) => {
                for chunk in accounts.chunks(MAX_NAMED) {
                    let scope = AccountScope::Accounts(chunk);
                    let query = TotalsQuery { scope, ..*query };
                    self.tx.read_totals(access, segments, &query, &mut take)?;
                }
                Ok(())
            }
        }
    }

    /// Rewrites every stored amount at the book's new, finer scale (behaviour 3.12.7), and queues
    /// the totals anew. Answers whether all of them stay within the range; when not, nothing was
    /// changed.
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
    fn sum_up(self, book: BookId) -> Result<()> {
        let number = book.get();
        let gone = Sql::new("DELETE FROM month_totals WHERE book_id = ").int(number);
        self.tx.flushed()?.execute(&gone)?;
        let days = Sql::new("SELECT e.account_id, e.day AS period, ")
            .push(ENTRY_SUMS)
            .push(" FROM entries e WHERE e.amount <> 0 AND e.book_id = ")
            .int(number)
            .push(" GROUP BY 1, 2");
        let mut sums = TotalDeltas::new();
        self.tx.each_row(&days, |Row { account_id, period, limbs }| {
            sums.insert((number, account_id, period), limbs);
            Ok(())
        })?;
        self.tx.buffer().queue_totals(sums);
        Ok(())
    }
}

impl Tx<'_> {
    /// A statement of [`Balances::read`].
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
        segments: &[Segment],
        query: &TotalsQuery<'_>,
        take: &mut impl FnMut(PeriodTotal),
    ) -> Result<()> {
        // A total emptied again by trashing is no movement (behaviour 5.7).
        let mut take_moved = |total: PeriodTotal| {
            if total.debit != 0 || total.credit != 0 {
                take(total);
            }
        };
        for run in totals_query::runs(segments, query) {
            let sql = self.totals_statement(access, &run.joined, query)?;
            if totals_query::reads_days(&run.joined, query) {
                let mut days = DayTotals::new(run.segments, query.by_month);
                self.each_row(&sql, |row: DaysRow| days.each_of(&row, &mut take_moved))?;
            } else {
                self.each_row(&sql, |row: Row| {
                    take_moved(row.into_total(run.joined.level)?);
                    Ok(())
                })?;
            }
        }
        Ok(())
    }
}

#[derive(QueryableByName)]
struct Found {
    #[diesel(sql_type = BigInt)]
    found: i64,
}
