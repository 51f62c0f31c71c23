//! The statements that read totals: from `month_totals`, or with hashtags from the entries.

use std::borrow::Cow;

use daybook_domain::balance::{Level, Segment};
use daybook_domain::id::AccountId;
use daybook_domain::transaction::Standing;
use time::Date;

use super::limbs::{ENTRY_SUMS, TOTAL_SUMS};
use crate::conn::planner::{Lookup, as_filter};
use crate::conn::sql::{Sql, Value, list, numbers};
use crate::index_term;
use crate::rows::column::day_to_column;
use crate::rows::transaction::standing_to_column;
use crate::transaction::transaction_of_term;

/// The accounts whose totals are read.
#[derive(Debug, Clone, Copy)]
pub enum AccountScope<'a> {
    /// Every account of the book.
    Book,
    /// These accounts.
    Accounts(&'a [AccountId]),
}

/// A query for totals.
#[derive(Debug, Clone, Copy)]
pub struct TotalsQuery<'a> {
    /// The accounts.
    pub scope: AccountScope<'a>,
    /// Only transactions with all of these tags. Without tags, all transactions.
    pub tags: &'a [String],
    /// Whether the days of a month may be summed, because no slice of the result is finer.
    pub by_month: bool,
}

/// The book of a statement, and the properties of the engine.
pub(super) struct Context {
    pub(super) lookup: Lookup,
    /// The first part of the condition. A statement may scan many rows for each sum.
    pub(super) stop_check: Cow<'static, str>,
    pub(super) book: i64,
}

/// Returns the statement for a segment of time.
pub(super) fn statement<'a>(
    context: Context,
    segment: &Segment,
    query: &TotalsQuery<'a>,
) -> Sql<'a> {
    match query.tags.split_first() {
        None => totals(context, segment, query),
        Some((first, others)) => tagged(context, segment, query.scope, first, others).uncached(),
    }
}

/// Adjacent segments that one statement reads.
pub(super) struct Run<'a> {
    pub(super) segments: &'a [Segment],
    /// From the start of the first segment to the end of the last. `fold` is that of the first,
    /// which a statement of days ignores.
    pub(super) joined: Segment,
}

/// Groups the segments of a query by statement.
///
/// If a range begins within a month, the days before it and its first days are in the same rows.
/// One statement reads both, and each row once.
pub(super) fn runs<'a>(
    segments: &'a [Segment],
    query: &TotalsQuery<'_>,
) -> impl Iterator<Item = Run<'a>> {
    let is_joinable = |one: &Segment, next: &Segment| {
        reads_days(one, query)
            && reads_days(next, query)
            && one.until.is_some()
            && one.until == next.from
    };
    segments.chunk_by(is_joinable).filter_map(|segments| {
        let (first, last) = segments.first().zip(segments.last())?;
        Some(Run { segments, joined: Segment { until: last.until, ..*first } })
    })
}

/// The segments that one statement reads.
pub(super) enum Part<'a> {
    /// Totals of months, or of entries with hashtags.
    Totals(Run<'a>),
    /// Days in the rows of months.
    Days(Run<'a>),
    /// Days of one month (`yyyymm`), and the sums of all months before it.
    Opened(Run<'a>, i32),
}

/// Returns the statements of a query.
pub(super) fn parts<'a>(segments: &'a [Segment], query: &TotalsQuery<'_>) -> Vec<Part<'a>> {
    let mut parts: Vec<Part<'a>> = Vec::new();
    for run in runs(segments, query) {
        if !reads_days(&run.joined, query) {
            parts.push(Part::Totals(run));
            continue;
        }
        let opened = match parts.last() {
            Some(Part::Totals(before)) => opened_month(&before.joined, &run.joined),
            Some(Part::Days(_) | Part::Opened(..)) | None => None,
        };
        match opened {
            Some(month) => {
                parts.pop();
                parts.push(Part::Opened(run, month));
            }
            None => parts.push(Part::Days(run)),
        }
    }
    parts
}

/// Returns the month of some days, if the segment before is the sum of all earlier months.
fn opened_month(before: &Segment, days: &Segment) -> Option<i32> {
    let is_opening = before.level == Level::Month && before.fold && before.from.is_none();
    let (month, last) = (month_of(days.from?), days.until?.previous_day()?);
    (is_opening && before.until == days.from && month_of(last) == month).then_some(month)
}

/// Returns the column value of the month of a day.
fn month_of(day: Date) -> i32 {
    day_to_column(day).div_euclid(100)
}

/// Returns the statement for the sums of all months before a month, and the days of the month.
///
/// It scans the totals once. The statement for days would look up each account of a book.
pub(super) fn month_with_opening<'a>(
    context: Context,
    month: i32,
    scope: AccountScope<'_>,
    days: &'static str,
) -> Sql<'a> {
    let Context { lookup, stop_check, book } = context;
    let sum =
        |column: &'static str| {
            Sql::new("CAST(COALESCE(SUM({}) FILTER (WHERE c.month < {}), 0) AS BIGINT) AS {}")
                .bind((Sql::new(format!("c.{column}")), month, Sql::new(column)))
        };
    let from = match (scope, lookup) {
        // PostgreSQL expects few accounts and would group them in a table that does not fit.
        (AccountScope::Book, Lookup::Lateral) => Sql::new(
            "(SELECT m.* FROM month_totals m WHERE m.book_id = {} AND m.month <= {} \
             ORDER BY m.account_id OFFSET 0) c",
        )
        .bind((book, month)),
        (AccountScope::Book, Lookup::InOrder) | (AccountScope::Accounts(_), _) => {
            Sql::new("month_totals c")
        }
    };
    let sql = Sql::new(
        "SELECT c.account_id, 0 AS period, {}, {}, {}, {}, \
         {} FILTER (WHERE c.month = {}) AS days FROM {}",
    )
    .bind((
        sum("debit_high"),
        sum("debit_low"),
        sum("credit_high"),
        sum("credit_low"),
        Sql::new(days),
        month,
        from,
    ))
    .push(" WHERE c.book_id = {} AND c.month <= {}")
    .bind((book, month));
    // An account has few rows, and they are adjacent. So one check for each account is enough.
    of_accounts(sql, scope).push(" GROUP BY c.account_id HAVING {}1 = 1").bind(Sql::new(stop_check))
}

/// Adds the condition on the accounts of totals `c`.
fn of_accounts<'a>(sql: Sql<'a>, scope: AccountScope<'_>) -> Sql<'a> {
    match scope {
        AccountScope::Book => sql,
        AccountScope::Accounts(accounts) => {
            let ids = accounts.iter().map(|id| Value::Int(id.get()));
            sql.push(" AND c.account_id IN {}").bind(list(ids)).cached_up_to(accounts.len())
        }
    }
}

/// Returns whether the statement reads the days in rows of months.
pub(super) fn reads_days(segment: &Segment, query: &TotalsQuery<'_>) -> bool {
    query.tags.is_empty() && segment.level == Level::Day
}

fn totals<'a>(context: Context, segment: &Segment, query: &TotalsQuery<'_>) -> Sql<'a> {
    let Context { lookup, stop_check, book } = context;
    let by_day = segment.level == Level::Day;
    let select = Sql::new("SELECT c.account_id, ");
    let select = match (by_day, segment.fold) {
        (true, _) => select.push("c.month, c.days"),
        (false, true) => select.push("0 AS period, ").push(TOTAL_SUMS),
        (false, false) => {
            select.push("c.month AS period, c.debit_high, c.debit_low, c.credit_high, c.credit_low")
        }
    };
    let from = segment.from.map(|day| month_to_column(day, 0));
    let until = segment.until.map(|day| month_to_column(day, i64::from(by_day && day.day() > 1)));
    let of_book = Sql::new("{}c.book_id = {}").bind((Sql::new(stop_check), book));
    let rows = bounded(of_book, "c.month", from, until);
    // For days, one index range per account: a scan of the book would read its other months.
    let sql = match query.scope {
        AccountScope::Book if by_day => select.append(
            lookup
                .rows(Sql::new("accounts a"), Sql::new("a.book_id = {}").bind(book))
                .look_up("month_totals", "c", rows.push(" AND c.account_id = a.id"))
                .sql(),
        ),
        AccountScope::Book | AccountScope::Accounts(_) => {
            of_accounts(select.push(" FROM month_totals c WHERE {}").bind(rows), query.scope)
        }
    };
    if segment.fold && !by_day { sql.push(" GROUP BY c.account_id") } else { sql }
}

/// Returns the column value of the month of a day, plus `more`.
fn month_to_column(day: Date, more: i64) -> i64 {
    i64::from(month_of(day)).saturating_add(more)
}

/// Sums the entries of the transactions with all tags.
///
/// It scans the transactions with the first tag in the segment, each of which has two entries.
/// Transactions without the tag are not read.
fn tagged<'a>(
    context: Context,
    segment: &Segment,
    scope: AccountScope<'_>,
    first_tag: &str,
    other_tags: &[String],
) -> Sql<'a> {
    let Context { lookup, stop_check, book } = context;
    let period = period_of(segment);
    let with_first = Sql::new("{}m.book_id = {} AND m.term = {}").bind((
        Sql::new(stop_check),
        book,
        index_term::tag(first_tag),
    ));
    let mut condition =
        bounded(with_first, "m.day", segment.from.map(day_value), segment.until.map(day_value));
    if let Some(others) = has_tags(book, other_tags, "m.day", "m.transaction_id") {
        condition = condition.push(" AND {}").bind(others);
    }
    let transactions = lookup
        .rows(Sql::new("index_terms m"), condition)
        .look_up("transactions", "t", transaction_of_term(book))
        .each_with("(VALUES (TRUE), (FALSE)) side");
    let sums = Sql::new(
        "SELECT e.account_id, {} AS period, {} FROM (SELECT CASE WHEN side.column1 THEN \
         t.credit_account_id ELSE t.debit_account_id END AS account_id, t.day, side.column1 AS \
         credit, t.amount{} AND t.standing IN {} AND t.trashed = {}) e WHERE e.amount <> 0 \
         AND e.account_id IS NOT NULL",
    )
    .bind((
        Sql::new(period),
        Sql::new(ENTRY_SUMS),
        transactions.sql(),
        numbers([Standing::Unchecked, Standing::Checked].map(standing_to_column)),
        false,
    ));
    let sums = match scope {
        AccountScope::Book => sums,
        AccountScope::Accounts(accounts) => {
            sums.push(" AND e.account_id IN {}").bind(numbers(accounts.iter().map(|id| id.get())))
        }
    };
    sums.push(" GROUP BY 1, 2")
}

/// Returns the period of an entry `e` in a segment, as SQL.
pub(super) const fn period_of(segment: &Segment) -> &'static str {
    match (segment.fold, segment.level) {
        (true, _) => "0",
        (false, Level::Day) => "e.day",
        (false, Level::Month) => "e.day / 100",
    }
}

/// Returns the column value of a day.
pub(crate) fn day_value(day: Date) -> i64 {
    i64::from(day_to_column(day))
}

/// Returns the condition that the transaction with this day and id has all of these tags. `day` and
/// `id` are columns.
///
/// It uses subqueries, because PostgreSQL takes half a minute to plan two hundred joins.
pub(crate) fn has_tags<'a>(
    book: i64,
    tags: &[String],
    day: &'static str,
    id: &'static str,
) -> Option<Sql<'a>> {
    let has_tag = |tag: &String| {
        Sql::new(
            "EXISTS (SELECT 1 FROM index_terms o WHERE o.book_id = {} AND o.term = {} \
             AND o.day = {} AND o.transaction_id = {})",
        )
        .bind((book, index_term::tag(tag), Sql::new(day), Sql::new(id)))
    };
    let all = tags.iter().map(has_tag).reduce(|all, one| all.push(" AND {}").bind(one))?;
    Some(as_filter(all))
}

/// Adds half-open bounds of a column.
pub(crate) fn bounded<'a>(
    sql: Sql<'a>,
    column: &'static str,
    from: Option<i64>,
    until: Option<i64>,
) -> Sql<'a> {
    let sql = match from {
        Some(from) => sql.push(" AND {} >= {}").bind((Sql::new(column), from)),
        None => sql,
    };
    match until {
        Some(until) => sql.push(" AND {} < {}").bind((Sql::new(column), until)),
        None => sql,
    }
}

#[cfg(test)]
mod tests {
    use daybook_domain::balance::segments;
    use daybook_domain::calendar::parse_iso;
    use daybook_domain::query::Periodicity::{Daily, Monthly};

    use super::*;

    type Bounds = (Option<Date>, Option<Date>);

    fn statements(segments: &[Segment], tags: &[String]) -> Vec<(usize, Bounds)> {
        let query = TotalsQuery { scope: AccountScope::Book, tags, by_month: false };
        runs(segments, &query)
            .map(|run| (run.segments.len(), (run.joined.from, run.joined.until)))
            .collect()
    }

    #[test]
    fn adjacent_days_share_a_statement() {
        let [start, from, next, last, until] =
            ["2025-01-01", "2025-01-10", "2025-02-01", "2025-03-01", "2025-03-05"].map(parse_iso);
        let plan = segments(from, until, Monthly);
        let expected =
            [(1, (None, start)), (2, (start, next)), (1, (next, last)), (1, (last, until))];
        assert_eq!(statements(&plan, &[]), expected);
        let each: Vec<_> = plan.iter().map(|one| (1, (one.from, one.until))).collect();
        assert_eq!(each.len(), 5);
        assert_eq!(statements(&plan, &["tag".to_owned()]), each);
        let plan = segments(from, None, Daily);
        assert_eq!(statements(&plan, &[]), [(1, (None, start)), (2, (start, None))]);
    }

    #[test]
    fn separate_segments_have_their_own_statements() {
        let days = |from, until| Segment { level: Level::Day, from, until, fold: false };
        let [first, second, third] = ["2025-01-10", "2025-02-10", "2025-03-10"].map(parse_iso);
        let plan = [days(None, first), days(second, third), days(third, None), days(None, None)];
        let expected = [(1, (None, first)), (2, (second, None)), (1, (None, None))];
        assert_eq!(statements(&plan, &[]), expected);
    }
}
