//! Balance totals: per account and day, per account and month, kept in the unit of work that posts.

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
use time::Date;

use crate::access::AccessTo;
use crate::bulk::Bulk;
use crate::column::day_to_column;
use crate::conn::{Conn, on_each};
use crate::error::{Error, Result};
use crate::index_term;
use crate::lookup::Lookup;
use crate::sql::{MAX_NAMED, Sql, Value};
use crate::transaction::{Change, transaction_of_term};
use crate::tx::Tx;

/// The lower limb of a sum: 32 bits, so that four billion of them fit 64 bits (migration 0002).
const LIMB: i64 = 1 << 32;

/// The sums of a cell in two limbs each.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Limbs {
    debit_high: i64,
    debit_low: i64,
    credit_high: i64,
    credit_low: i64,
}

impl Limbs {
    /// Adds an amount to one side, or takes it away again.
    fn add(&mut self, credit: bool, units: i64, sign: i64) {
        let (high, low) = (sign * units.div_euclid(LIMB), sign * units.rem_euclid(LIMB));
        let (at_high, at_low) = if credit {
            (&mut self.credit_high, &mut self.credit_low)
        } else {
            (&mut self.debit_high, &mut self.debit_low)
        };
        *at_high = at_high.saturating_add(high);
        *at_low = at_low.saturating_add(low);
    }

    fn merge(&mut self, other: Self) {
        let Self { debit_high, debit_low, credit_high, credit_low } = other;
        self.debit_high = self.debit_high.saturating_add(debit_high);
        self.debit_low = self.debit_low.saturating_add(debit_low);
        self.credit_high = self.credit_high.saturating_add(credit_high);
        self.credit_low = self.credit_low.saturating_add(credit_low);
    }
}

/// A sum from its two limbs.
pub(crate) fn whole(high: i64, low: i64) -> i128 {
    i128::from(high) * i128::from(LIMB) + i128::from(low)
}

#[derive(QueryableByName)]
struct Row {
    #[diesel(sql_type = BigInt)]
    account_id: i64,
    #[diesel(sql_type = Integer)]
    period: i32,
    #[diesel(sql_type = BigInt)]
    debit_high: i64,
    #[diesel(sql_type = BigInt)]
    debit_low: i64,
    #[diesel(sql_type = BigInt)]
    credit_high: i64,
    #[diesel(sql_type = BigInt)]
    credit_low: i64,
}

impl Row {
    fn into_cell(self, level: Level) -> Result<PeriodTotal> {
        let Self { account_id, period, debit_high, debit_low, credit_high, credit_low } = self;
        // A month is its first day, an opening has none.
        let period = match (period, level) {
            (0, _) => None,
            (month, Level::Month) => {
                Some(from_day_number(month * 100 + 1).ok_or(Error::Broken("month"))?)
            }
            (day, Level::Day) => Some(from_day_number(day).ok_or(Error::Broken("day"))?),
        };
        Ok(PeriodTotal {
            account: AccountId::new(account_id),
            period,
            debit: whole(debit_high, debit_low),
            credit: whole(credit_high, credit_low),
        })
    }
}

/// Which accounts' totals to read.
#[derive(Debug, Clone, Copy)]
pub enum Of<'a> {
    /// Every account of the book.
    Book,
    /// These accounts.
    Accounts(&'a [AccountId]),
}

/// What is asked of the totals.
#[derive(Debug, Clone, Copy)]
pub struct Question<'a> {
    /// Whose.
    pub of: Of<'a>,
    /// Only of the transactions that carry all of these tags; all transactions when there are none.
    pub tags: &'a [String],
    /// The answer may sum the days of a month: no slice of it is finer.
    pub by_month: bool,
}

/// The balance totals of a book.
pub struct Balances<'t, 'a> {
    pub(crate) tx: &'t mut Tx<'a>,
}

impl Balances<'_, '_> {
    /// Adds what transactions do to the totals, and takes away what they did before.
    ///
    /// # Errors
    /// When an amount does not fit the book's scale.
    pub fn apply(self, access: &AccessTo<Record>, changes: &[Change]) -> Result<()> {
        let cells = &mut self.tx.pending().cells;
        for Change { before, after } in changes {
            fold(cells, before.as_ref(), access.book(), -1)?;
            fold(cells, Some(after), access.book(), 1)?;
        }
        Ok(())
    }

    /// The totals of a stretch of time. With tags, the sums of the transactions that carry all of
    /// them, computed from the entries (behaviour 1.2, segment reporting).
    pub fn read(
        self,
        access: &Access,
        segment: &Segment,
        question: &Question<'_>,
    ) -> Result<Vec<PeriodTotal>> {
        match question.of {
            Of::Book => self.tx.read_cells(access, segment, question),
            Of::Accounts(accounts) => {
                let mut cells = Vec::new();
                for chunk in accounts.chunks(MAX_NAMED) {
                    cells.extend(self.tx.read_cells(
                        access,
                        segment,
                        &Question { of: Of::Accounts(chunk), ..*question },
                    )?);
                }
                Ok(cells)
            }
        }
    }

    /// What the database would do for [`Balances::read`]: the very statement, so that tests can see
    /// which index it walks.
    #[doc(hidden)]
    pub fn explain(
        self,
        access: &Access,
        segment: &Segment,
        question: &Question<'_>,
    ) -> Result<Vec<String>> {
        let cells = self.tx.cells_asked(access, segment, question)?;
        Ok(self.tx.flushed_conn()?.explain(cells)?)
    }

    /// Rewrites every stored amount at the book's new, finer scale, totals included (behaviour
    /// 3.12.7). Answers whether all of them stay within the range; when not, nothing was changed.
    pub fn rescale(self, access: &AccessTo<UpdateBook>, from: u32) -> Result<bool> {
        let book = access.book();
        let factor =
            10_i64.checked_pow(book.scale.saturating_sub(from)).ok_or(Error::Broken("scale"))?;
        let number = book.id.get();
        let most = i64::MAX.checked_div(factor).unwrap_or(i64::MAX);
        let beyond = Sql::new("SELECT t.id AS found FROM transactions t WHERE t.book_id = ")
            .int(number)
            .push(" AND t.amount > ")
            .int(most)
            .push(" LIMIT 1");
        let found: Vec<Found> = on_each!(self.tx.flushed_conn()?, c => (&beyond).load(c))?;
        if found.iter().any(|row| row.found != 0) {
            return Ok(false);
        }
        for (table, condition) in [
            (
                "UPDATE transactions SET amount = amount * ",
                " WHERE amount IS NOT NULL AND book_id = ",
            ),
            ("UPDATE entries SET amount = amount * ", " WHERE book_id = "),
        ] {
            self.tx
                .flushed_conn()?
                .execute(&Sql::new(table).int(factor).push(condition).int(number))?;
        }
        self.sum_up(book.id)?;
        Ok(true)
    }

    /// Builds the totals of a book anew from its entries.
    pub(crate) fn sum_up(self, book: BookId) -> Result<()> {
        let number = book.get();
        for (delete, insert) in [
            (
                "DELETE FROM day_totals WHERE book_id = ",
                "INSERT INTO day_totals (book_id, account_id, day, debit_high, debit_low, \
                    credit_high, credit_low) SELECT e.book_id, e.account_id, e.day, ",
            ),
            (
                "DELETE FROM month_totals WHERE book_id = ",
                "INSERT INTO month_totals (book_id, account_id, month, debit_high, debit_low, \
                    credit_high, credit_low) SELECT e.book_id, e.account_id, e.day / 100, ",
            ),
        ] {
            self.tx.flushed_conn()?.execute(&Sql::new(delete).int(number))?;
            let sums = Sql::new(insert)
                .push(ENTRY_SUMS)
                .push(" FROM entries e WHERE e.amount <> 0 AND e.book_id = ")
                .int(number);
            self.tx.flushed_conn()?.execute(&sums.push(" GROUP BY 1, 2, 3"))?;
        }
        Ok(())
    }
}

impl Tx<'_> {
    fn cells_asked<'q>(
        &mut self,
        access: &Access,
        segment: &Segment,
        question: &Question<'q>,
    ) -> Result<Sql<'q>> {
        let book = access.book().id.get();
        let asked = match question.tags.split_first() {
            None => totals(book, segment, question),
            Some((first, others)) => {
                tagged(self.flushed_conn()?.lookup(), book, segment, (question.of, first, others))
            }
        };
        Ok(asked.uncached())
    }

    fn read_cells(
        &mut self,
        access: &Access,
        segment: &Segment,
        question: &Question<'_>,
    ) -> Result<Vec<PeriodTotal>> {
        let sql = self.cells_asked(access, segment, question)?;
        let rows: Vec<Row> = on_each!(self.flushed_conn()?, c => (&sql).load(c))?;
        let mut cells = rows
            .into_iter()
            .map(|row| row.into_cell(segment.level))
            .collect::<Result<Vec<PeriodTotal>>>()?;
        // A cell emptied again by trashing is no movement (behaviour 5.7).
        cells.retain(|cell| cell.debit != 0 || cell.credit != 0);
        Ok(cells)
    }
}

#[derive(QueryableByName)]
struct Found {
    #[diesel(sql_type = BigInt)]
    found: i64,
}

const DAYS: [&str; 2] = [
    "INSERT INTO day_totals (book_id, account_id, day, debit_high, debit_low, credit_high, \
        credit_low)",
    " ON CONFLICT (book_id, account_id, day) DO UPDATE SET debit_high = day_totals.debit_high + \
        excluded.debit_high, \
      debit_low = day_totals.debit_low + excluded.debit_low, credit_high = day_totals.credit_high \
      + excluded.credit_high, \
      credit_low = day_totals.credit_low + excluded.credit_low",
];
const MONTHS: [&str; 2] = [
    "INSERT INTO month_totals (book_id, account_id, month, debit_high, debit_low, credit_high, \
        credit_low)",
    " ON CONFLICT (book_id, account_id, month) DO UPDATE SET debit_high = month_totals.debit_high \
        + excluded.debit_high, \
      debit_low = month_totals.debit_low + excluded.debit_low, credit_high = \
      month_totals.credit_high + excluded.credit_high, \
      credit_low = month_totals.credit_low + excluded.credit_low",
];

/// The four limbs summed over entries, whose amounts are credit positive and debit negative.
const ENTRY_SUMS: &str = "CAST(SUM(CASE WHEN e.amount < 0 THEN -e.amount ELSE 0 END / 4294967296) \
    AS BIGINT) AS debit_high, \
    CAST(SUM(CASE WHEN e.amount < 0 THEN -e.amount ELSE 0 END % 4294967296) AS BIGINT) AS \
    debit_low, \
    CAST(SUM(CASE WHEN e.amount > 0 THEN e.amount ELSE 0 END / 4294967296) AS BIGINT) AS \
    credit_high, \
    CAST(SUM(CASE WHEN e.amount > 0 THEN e.amount ELSE 0 END % 4294967296) AS BIGINT) AS \
    credit_low";

/// How totals move, by book, account and period.
pub(crate) type Cells = BTreeMap<(i64, i64, i32), Limbs>;

/// Adds cells to cells.
pub(crate) fn merge(into: &mut Cells, cells: Cells) {
    for (place, limbs) in cells {
        into.entry(place).or_default().merge(limbs);
    }
}

/// Adds cells by day to the totals by day and by month, each cell once.
pub(crate) fn write_cells(conn: &mut Conn, days: &Cells) -> Result<()> {
    let mut months = Cells::new();
    for ((book, account, day), limbs) in days {
        months.entry((*book, *account, day.div_euclid(100))).or_default().merge(*limbs);
    }
    upsert(DAYS, days).execute(conn)?;
    Ok(upsert(MONTHS, &months).execute(conn)?)
}

fn fold(days: &mut Cells, transaction: Option<&Transaction>, book: &Book, sign: i64) -> Result<()> {
    for entry in transaction.map(Transaction::entries).unwrap_or_default() {
        let units = entry.amount.units(book.scale).ok_or(Error::Broken("amount"))?;
        let place = (book.id.get(), entry.account.get(), day_to_column(entry.day));
        days.entry(place).or_default().add(entry.credit, units, sign);
    }
    Ok(())
}

/// Cells in key order, so that writers of other processes meet them in the same order.
fn upsert<'a>([head, tail]: [&'static str; 2], cells: &Cells) -> Bulk<'a> {
    let mut rows = Bulk::new(head, 7, tail);
    for ((book, account, period), limbs) in
        cells.iter().filter(|(_, limbs)| **limbs != Limbs::default())
    {
        let Limbs { debit_high, debit_low, credit_high, credit_low } = *limbs;
        let place = [*book, *account, i64::from(*period)];
        let [book, account, period] = place.map(Value::Int);
        let [a, b, c, d] = [debit_high, debit_low, credit_high, credit_low].map(Value::Int);
        rows.row([book, account, period, a, b, c, d]);
    }
    rows
}

const TOTAL_SUMS: &str = "CAST(SUM(c.debit_high) AS BIGINT) AS debit_high, CAST(SUM(c.debit_low) \
    AS BIGINT) AS debit_low, \
    CAST(SUM(c.credit_high) AS BIGINT) AS credit_high, CAST(SUM(c.credit_low) AS BIGINT) AS \
    credit_low";
const TOTALS: &str = "c.debit_high, c.debit_low, c.credit_high, c.credit_low";

fn totals<'a>(book: i64, segment: &Segment, question: &Question<'_>) -> Sql<'a> {
    let (table, column) = match segment.level {
        Level::Day => (" FROM day_totals c", "c.day"),
        Level::Month => (" FROM month_totals c", "c.month"),
    };
    // The days of a broken month are summed where they are: there are up to thirty for each
    // account.
    let by_month = question.by_month && segment.level == Level::Day;
    let select = match (segment.fold, by_month) {
        (true, _) => Sql::new("SELECT c.account_id, 0 AS period, ").push(TOTAL_SUMS),
        (false, true) => Sql::new("SELECT c.account_id, MIN(c.day) AS period, ").push(TOTAL_SUMS),
        (false, false) => {
            Sql::new("SELECT c.account_id, ").push(column).push(" AS period, ").push(TOTALS)
        }
    };
    let select = select.push(table);
    // With the accounts in hand, one index range per account; a book's partial month must not scan
    // its other days.
    let from = match (question.of, segment.level) {
        (Of::Accounts(accounts), _) => {
            let ids = accounts.iter().map(|id| Value::Int(id.get()));
            select.push(" WHERE c.book_id = ").int(book).push(" AND c.account_id IN ").list(ids)
        }
        (Of::Book, Level::Day) => {
            let ids = Sql::new(" WHERE c.book_id = ")
                .int(book)
                .push(" AND c.account_id IN (SELECT a.id FROM accounts a WHERE a.book_id = ")
                .int(book);
            select.append(ids).push(")")
        }
        (Of::Book, Level::Month) => select.push(" WHERE c.book_id = ").int(book),
    };
    let sql = within(from, column, segment);
    match (segment.fold, by_month) {
        (true, _) => sql.push(" GROUP BY c.account_id"),
        (false, true) => sql.push(" GROUP BY c.account_id, c.day / 100"),
        (false, false) => sql,
    }
}

/// The sums of the entries of the transactions that carry all of the tags. Those of the first tag
/// are passed, within the days, and of each the two entries are looked up: what carries no tag is
/// not read, however much of it there is.
fn tagged<'a>(
    lookup: Lookup,
    book: i64,
    segment: &Segment,
    (of, first, others): (Of<'_>, &String, &[String]),
) -> Sql<'a> {
    let period = match (segment.fold, segment.level) {
        (true, _) => "0",
        (false, Level::Day) => "e.day",
        (false, Level::Month) => "e.day / 100",
    };
    let number = |day: Date| i64::from(day_to_column(day));
    let marked =
        Sql::new("m.book_id = ").int(book).push(" AND m.term = ").text(index_term::tag(first));
    let mut marked = bounded(marked, "m.day", segment.from.map(number), segment.until.map(number));
    for tag in others {
        let also = Sql::new(" AND EXISTS (SELECT 1 FROM index_terms o WHERE o.book_id = ")
            .int(book)
            .push(" AND o.term = ")
            .text(index_term::tag(tag));
        marked =
            marked.append(also).push(" AND o.day = m.day AND o.transaction_id = m.transaction_id)");
    }
    let entry = Sql::new("e.book_id = ")
        .int(book)
        .push(" AND e.account_id IN (t.credit_account_id, t.debit_account_id)");
    let entry = entry.push(" AND e.day = m.day AND e.transaction_id = m.transaction_id");
    let joined = lookup
        .rows(Sql::new("index_terms m"), marked)
        .look_up("transactions", "t", transaction_of_term(book))
        .look_up("entries", "e", entry);
    let sums = Sql::new("SELECT e.account_id, ")
        .push(period)
        .push(" AS period, ")
        .push(ENTRY_SUMS)
        .append(joined.sql());
    let sums = sums.push(" AND e.amount <> 0");
    let sums = match of {
        Of::Book => sums,
        Of::Accounts(accounts) => {
            sums.push(" AND e.account_id IN ").numbers(accounts.iter().map(|id| id.get()))
        }
    };
    sums.push(" GROUP BY 1, 2")
}

fn within<'a>(sql: Sql<'a>, column: &'static str, segment: &Segment) -> Sql<'a> {
    let number = |day: Date| match segment.level {
        Level::Day => i64::from(day_to_column(day)),
        Level::Month => i64::from(day_to_column(day).div_euclid(100)),
    };
    bounded(sql, column, segment.from.map(number), segment.until.map(number))
}

fn bounded<'a>(
    sql: Sql<'a>,
    column: &'static str,
    from: Option<i64>,
    until: Option<i64>,
) -> Sql<'a> {
    let sql = match from {
        Some(from) => sql.push(" AND ").push(column).push(" >= ").int(from),
        None => sql,
    };
    match until {
        Some(until) => sql.push(" AND ").push(column).push(" < ").int(until),
        None => sql,
    }
}
