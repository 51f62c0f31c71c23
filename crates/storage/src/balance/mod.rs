//! Balance totals: the sums of debits and credits per account and month, and per day.
//!
//! A row of `month_totals` has the debits and credits of an account in a month, in two limbs each
//! because they may exceed 64 bits (`limbs.rs`), and those of each day in it (`day_sums.rs`). A
//! posting queues its changes in the write buffer, and the flush adds them to the rows
//! (`month_rows.rs`).
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
use diesel::Queryable;
use diesel::sql_types::{BigInt, Binary, Integer, Nullable};

use crate::access::AccessTo;
use crate::commit::tx::Tx;
use crate::conn::sql::{Columns, MAX_NAMED, Sql, by_position};
use crate::error::{Error, Result};
use crate::transaction::Change;

pub(crate) use counterparts::counterparts;
pub(crate) use day_sums::each_day;
pub(crate) use limbs::{ENTRY_SUMS, Limbs, RUNNING_SUM, from_limbs};
pub(crate) use month_rows::{TotalDeltas, changed_months, merge};
pub use totals_query::{AccountScope, TotalsQuery};
pub(crate) use totals_query::{bounded, day_value, has_tags};

use days_row::{DayTotals, DaysRow};
use totals_query::Part;

#[derive(Queryable)]
struct Row {
    account_id: i64,
    period: i32,
    limbs: Limbs,
}

impl Columns for Row {
    type Sql = (BigInt, Integer, <Limbs as Columns>::Sql);
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

/// A total, and the stored days of the month after it, if it is an opening sum.
#[derive(Queryable)]
struct OpenedRow {
    total: Row,
    days: Option<Vec<u8>>,
}

impl Columns for OpenedRow {
    type Sql = (<Row as Columns>::Sql, Nullable<Binary>);
}

impl OpenedRow {
    /// Calls `visit` with the total, and with those of the days of a month.
    fn visit(
        self,
        month: i32,
        of_days: &mut DayTotals,
        visit: &mut impl FnMut(PeriodTotal),
    ) -> Result<()> {
        let account_id = self.total.account_id;
        visit(self.total.into_total(Level::Month)?);
        match self.days {
            Some(days) => of_days.each_of(&DaysRow { account_id, month, days }, visit),
            None => Ok(()),
        }
    }
}

/// An [`OpenedRow`] of a single read. A statement without totals has one row of NULL.
#[derive(Queryable)]
struct SingleRow {
    account_id: Option<i64>,
    period: Option<i32>,
    debit_high: Option<i64>,
    debit_low: Option<i64>,
    credit_high: Option<i64>,
    credit_low: Option<i64>,
    days: Option<Vec<u8>>,
}

impl Columns for SingleRow {
    type Sql = (
        Nullable<BigInt>,
        Nullable<Integer>,
        Nullable<BigInt>,
        Nullable<BigInt>,
        Nullable<BigInt>,
        Nullable<BigInt>,
        Nullable<Binary>,
    );
}

/// The columns of a [`SingleRow`] with and without days.
const OPENED_COLUMNS: &str = "t.account_id, t.period, t.debit_high, t.debit_low, t.credit_high, \
     t.credit_low, t.days";
const TOTAL_COLUMNS: &str = "t.account_id, t.period, t.debit_high, t.debit_low, t.credit_high, \
     t.credit_low, CAST(NULL AS BYTEA) AS days";

impl SingleRow {
    fn opened(self) -> Option<OpenedRow> {
        let limbs = Limbs {
            debit_high: self.debit_high?,
            debit_low: self.debit_low?,
            credit_high: self.credit_high?,
            credit_low: self.credit_low?,
        };
        let total = Row { account_id: self.account_id?, period: self.period?, limbs };
        Some(OpenedRow { total, days: self.days })
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
        let days = by_position::<Row>(&days);
        self.tx.each_row(days, |Row { account_id, period, limbs }| {
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
        Ok(totals_query::statement(self.totals_context(access, row), segment, query))
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
        let parts = totals_query::parts(segments, query);
        if self.single.is_some() {
            return self.read_totals_with_one_statement(access, &parts, query, &mut visit_non_zero);
        }
        for part in &parts {
            let sql = self.part_statement(access, part, query)?;
            match part {
                Part::Totals(run) => self.each_row(by_position::<Row>(&sql), |row: Row| {
                    visit_non_zero(row.into_total(run.joined.level)?);
                    Ok(())
                })?,
                Part::Days(run) => {
                    let mut days = DayTotals::new(run.segments, query.by_month);
                    let rows = by_position::<DaysRow>(&sql);
                    self.each_row(rows, |row: DaysRow| days.each_of(&row, &mut visit_non_zero))?;
                }
                // One row for each account.
                Part::Opened(run, month) => {
                    let mut days = DayTotals::new(run.segments, query.by_month);
                    self.each_of_short_rows(by_position::<OpenedRow>(&sql), |row: OpenedRow| {
                        row.visit(*month, &mut days, &mut visit_non_zero)
                    })?;
                }
            }
        }
        Ok(())
    }

    /// Reads totals by the only statement of a single read, if one is enough.
    fn read_totals_with_one_statement(
        &mut self,
        access: &Access,
        parts: &[Part<'_>],
        query: &TotalsQuery<'_>,
        visit: &mut impl FnMut(PeriodTotal),
    ) -> Result<()> {
        let (part, columns, run, month) = match parts {
            [part @ Part::Totals(run)] if query.tags.is_empty() => (part, TOTAL_COLUMNS, run, 0),
            [part @ Part::Opened(run, month)] => (part, OPENED_COLUMNS, run, *month),
            _ => return Err(Error::Behind),
        };
        let one_per_account = run.joined.fold || matches!(part, Part::Opened(..));
        let sql = self.part_statement(access, part, query)?;
        let mut days = DayTotals::new(run.segments, query.by_month);
        self.each_row_of_only_statement(columns, sql, one_per_account, |row: SingleRow| {
            row.opened().map_or(Ok(()), |row| row.visit(month, &mut days, visit))
        })
    }

    /// Returns the statement of a part of [`Balances::read`].
    fn part_statement<'q>(
        &mut self,
        access: &Access,
        part: &Part<'_>,
        query: &TotalsQuery<'q>,
    ) -> Result<Sql<'q>> {
        match part {
            Part::Totals(run) | Part::Days(run) => {
                self.totals_statement(access, &run.joined, query)
            }
            Part::Opened(_, month) => {
                let days = self.days_of_one_row();
                let context = self.totals_context(access, "c.account_id");
                Ok(totals_query::month_with_opening(context, *month, query.scope, days))
            }
        }
    }

    /// Returns the context of a statement. `row` is a column that differs from row to row.
    fn totals_context(&self, access: &Access, row: &'static str) -> totals_query::Context {
        totals_query::Context {
            lookup: self.lookup(),
            stop_check: self.stop_check(row),
            book: access.book().id.get(),
        }
    }
}
