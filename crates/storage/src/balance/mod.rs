//! Balance totals: the sums of debits and credits per account and month, and per day.
//!
//! A row of `month_totals` has the sums of an account in a month (`limbs.rs`) and of each day in it
//! (`day_sums.rs`). A posting queues its changes in the write buffer, and the flush adds them to
//! the rows (`month_rows.rs`).
//!
//! A query reads the segments that the domain plans ([`Segment`]), with one total for each account
//! and period. A query with hashtags sums the same segments from the entries of the transactions
//! with these index terms (`totals_query.rs`).

mod counterparts;
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
use diesel::sql_types::{BigInt, Binary, Integer, Nullable};

use crate::access::AccessTo;
use crate::commit::tx::Tx;
use crate::conn::sql::{MAX_NAMED, Sql};
use crate::error::{Error, Result};
use crate::rows::column::day_to_column;
use crate::transaction::Change;

pub(crate) use counterparts::counterparts;
pub(crate) use day_sums::each_day;
pub(crate) use limbs::{ENTRY_SUMS, Limbs, RUNNING_SUM, from_limbs};
pub(crate) use month_rows::{TotalDeltas, changed_months, merge};
pub use totals_query::{AccountScope, TotalsQuery};
pub(crate) use totals_query::{bounded, day_value, has_tags};

use days_row::{DayTotals, DaysRow};
use totals_query::Run;

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
        // A month is represented by its first day; an opening sum has no period.
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

/// The sums of an account before a month, and the stored days of that month.
#[derive(QueryableByName)]
struct OpenedRow {
    #[diesel(sql_type = BigInt)]
    account_id: i64,
    #[diesel(embed)]
    limbs: Limbs,
    #[diesel(sql_type = Nullable<Binary>)]
    days: Option<Vec<u8>>,
}

/// A row of a single read. All columns are absent if there are no totals.
#[derive(QueryableByName)]
struct SingleRow {
    #[diesel(sql_type = Nullable<BigInt>)]
    account_id: Option<i64>,
    #[diesel(sql_type = Nullable<Integer>)]
    period: Option<i32>,
    #[diesel(sql_type = Nullable<BigInt>)]
    debit_high: Option<i64>,
    #[diesel(sql_type = Nullable<BigInt>)]
    debit_low: Option<i64>,
    #[diesel(sql_type = Nullable<BigInt>)]
    credit_high: Option<i64>,
    #[diesel(sql_type = Nullable<BigInt>)]
    credit_low: Option<i64>,
    #[diesel(sql_type = Nullable<Binary>)]
    days: Option<Vec<u8>>,
}

/// The columns of a [`SingleRow`] from rows of months, and from an [`OpenedRow`].
const MONTH_COLUMNS: &str = "t.account_id, t.debit_high, t.debit_low, t.credit_high, \
     t.credit_low, t.period, CAST(NULL AS BYTEA) AS days";
const OPENED_COLUMNS: &str = "t.account_id, t.debit_high, t.debit_low, t.credit_high, \
     t.credit_low, 0 AS period, t.days";

impl SingleRow {
    /// Returns the account, the period and the sums.
    fn total(&self) -> Option<(i64, i32, Limbs)> {
        let limbs = Limbs {
            debit_high: self.debit_high?,
            debit_low: self.debit_low?,
            credit_high: self.credit_high?,
            credit_low: self.credit_low?,
        };
        Some((self.account_id?, self.period?, limbs))
    }
}

/// The balance totals of a book.
pub struct Balances<'t, 'a> {
    pub(crate) tx: &'t mut Tx<'a>,
}

impl Balances<'_, '_> {
    /// Queues the changes of totals by changed transactions.
    ///
    /// # Errors
    /// If an amount does not fit the scale of the book.
    pub fn queue(self, access: &AccessTo<Record>, changes: &[Change]) -> Result<()> {
        let mut deltas = TotalDeltas::new();
        for Change { before, after } in changes {
            month_rows::fold(&mut deltas, before.as_ref(), access.book(), -1)?;
            month_rows::fold(&mut deltas, Some(after), access.book(), 1)?;
        }
        self.tx.buffer().queue_totals(deltas);
        Ok(())
    }

    /// Reads the totals of disjoint segments of time.
    ///
    /// With tags, it sums the entries of the transactions with all of these tags (behaviour 1.2,
    /// segment reporting).
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

    /// Calls `visit` with each total of [`Self::read`]. A book may have millions of them.
    pub fn read_each(
        self,
        access: &Access,
        segments: &[Segment],
        query: &TotalsQuery<'_>,
        mut visit: impl FnMut(PeriodTotal),
    ) -> Result<()> {
        match query.scope {
            AccountScope::Book => self.tx.read_totals(access, segments, query, &mut visit),
            AccountScope::Accounts(accounts) => {
                for chunk in accounts.chunks(MAX_NAMED) {
                    let scope = AccountScope::Accounts(chunk);
                    let query = TotalsQuery { scope, ..*query };
                    self.tx.read_totals(access, segments, &query, &mut visit)?;
                }
                Ok(())
            }
        }
    }

    /// Rewrites all amounts at the new, finer scale of the book (behaviour 3.12.7), and rebuilds
    /// the totals.
    ///
    /// Returns false, without changes, if an amount would exceed the range.
    pub fn rescale(self, access: &AccessTo<UpdateBook>, from: u32) -> Result<bool> {
        let book = access.book();
        let factor =
            10_i64.checked_pow(book.scale.saturating_sub(from)).ok_or(Error::Corrupt("scale"))?;
        let number = book.id.get();
        let max_amount = i64::MAX.checked_div(factor).unwrap_or(i64::MAX);
        let too_large = Sql::new(
            "SELECT t.id AS found FROM transactions t WHERE t.book_id = {} AND t.amount > {} \
             LIMIT 1",
        )
        .bind((number, max_amount));
        if self.tx.flushed()?.row::<i64>(&too_large)?.is_some() {
            return Ok(false);
        }
        let rescale = Sql::new(
            "UPDATE transactions SET amount = amount * {} WHERE amount IS NOT NULL \
             AND book_id = {}",
        )
        .bind((factor, number));
        self.tx.flushed()?.run(&rescale)?;
        self.rebuild(book.id)?;
        Ok(true)
    }

    /// Rebuilds the totals of a book from its entries.
    fn rebuild(self, book: BookId) -> Result<()> {
        let number = book.get();
        let delete = Sql::new("DELETE FROM month_totals WHERE book_id = {}").bind(number);
        self.tx.flushed()?.run(&delete)?;
        let days = Sql::new(
            "SELECT e.account_id, e.day AS period, {} FROM entries e WHERE e.amount <> 0 \
             AND e.book_id = {} GROUP BY 1, 2",
        )
        .bind((Sql::new(ENTRY_SUMS), number));
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
    /// Returns a statement of [`Balances::read`].
    pub(crate) fn totals_statement<'q>(
        &mut self,
        access: &Access,
        segment: &Segment,
        query: &TotalsQuery<'q>,
    ) -> Result<Sql<'q>> {
        let row = if query.tags.is_empty() { "c.account_id" } else { "m.transaction_id" };
        let context = totals_query::Context {
            lookup: self.lookup(),
            stop_check: self.stop_check(row),
            book: access.book().id.get(),
        };
        Ok(totals_query::statement(context, segment, query))
    }

    fn read_totals(
        &mut self,
        access: &Access,
        segments: &[Segment],
        query: &TotalsQuery<'_>,
        visit: &mut impl FnMut(PeriodTotal),
    ) -> Result<()> {
        // A total that trashing has reduced to zero is not a movement (behaviour 5.7).
        let mut visit_non_zero = |total: PeriodTotal| {
            if total.debit != 0 || total.credit != 0 {
                visit(total);
            }
        };
        let runs: Vec<Run<'_>> = totals_query::runs(segments, query).collect();
        if self.single.is_some() {
            return self.read_totals_singly(access, &runs, query, &mut visit_non_zero);
        }
        let mut rest = runs.as_slice();
        while let [run, others @ ..] = rest {
            rest = others;
            if let [days, after @ ..] = others
                && totals_query::opens_month(run, days, query)
            {
                rest = after;
                self.read_month_with_opening(access, days, query, &mut visit_non_zero)?;
                continue;
            }
            let sql = self.totals_statement(access, &run.joined, query)?;
            if totals_query::reads_days(&run.joined, query) {
                let mut days = DayTotals::new(run.segments, query.by_month);
                self.each_row(&sql, |row: DaysRow| days.each_of(&row, &mut visit_non_zero))?;
            } else {
                self.each_row(&sql, |row: Row| {
                    visit_non_zero(row.into_total(run.joined.level)?);
                    Ok(())
                })?;
            }
        }
        Ok(())
    }
    /// Reads the days of a month, and the sums of all months before it.
    fn read_month_with_opening(
        &mut self,
        access: &Access,
        run: &Run<'_>,
        query: &TotalsQuery<'_>,
        visit: &mut impl FnMut(PeriodTotal),
    ) -> Result<()> {
        let (sql, month) = self.month_with_opening(access, run, query)?;
        let mut days = DayTotals::new(run.segments, query.by_month);
        self.each_row(&sql, |OpenedRow { account_id, limbs, days: stored }| {
            visit(Row { account_id, period: 0, limbs }.into_total(Level::Month)?);
            stored.map_or(Ok(()), |stored| {
                days.each_of(&DaysRow { account_id, month, days: stored }, visit)
            })
        })
    }

    /// Returns the statement of [`totals_query::month_with_opening`], and the month.
    fn month_with_opening<'q>(
        &mut self,
        access: &Access,
        run: &Run<'_>,
        query: &TotalsQuery<'_>,
    ) -> Result<(Sql<'q>, i32)> {
        let from = run.joined.from.ok_or(Error::Corrupt("month"))?;
        let context = totals_query::Context {
            lookup: self.lookup(),
            stop_check: self.stop_check("c.account_id"),
            book: access.book().id.get(),
        };
        let days = self.days_of_one_row();
        let sql = totals_query::month_with_opening(context, from, query.scope, days);
        Ok((sql, day_to_column(from).div_euclid(100)))
    }

    /// Reads totals by the only statement of a single read, if one is enough.
    fn read_totals_singly(
        &mut self,
        access: &Access,
        runs: &[Run<'_>],
        query: &TotalsQuery<'_>,
        visit: &mut impl FnMut(PeriodTotal),
    ) -> Result<()> {
        let (sql, columns, last, month) = match runs {
            [run] if query.tags.is_empty() && !totals_query::reads_days(&run.joined, query) => {
                let sql = self.totals_statement(access, &run.joined, query)?;
                (sql, MONTH_COLUMNS, run, None)
            }
            [opening, days] if totals_query::opens_month(opening, days, query) => {
                let (sql, month) = self.month_with_opening(access, days, query)?;
                (sql, OPENED_COLUMNS, days, Some(month))
            }
            _ => return Err(Error::Behind),
        };
        let mut of_days = DayTotals::new(last.segments, query.by_month);
        self.each_row_singly(columns, sql, |row: SingleRow| {
            let Some((account_id, period, limbs)) = row.total() else { return Ok(()) };
            visit(Row { account_id, period, limbs }.into_total(Level::Month)?);
            match month.zip(row.days) {
                Some((month, days)) => of_days.each_of(&DaysRow { account_id, month, days }, visit),
                None => Ok(()),
            }
        })
    }
}
