//! The statements that read totals: from the tables of totals, or with hashtags from the entries.

use std::borrow::Cow;

use daybook_domain::balance::{Level, Segment};
use daybook_domain::id::AccountId;
use daybook_domain::transaction::Standing;
use time::Date;

use super::limbs::{ENTRY_SUMS, TOTAL_SUMS};
use crate::column::day_to_column;
use crate::index_term;
use crate::planner::{Lookup, as_filter};
use crate::sql::{Sql, Value};
use crate::transaction::{standing_to_column, transaction_of_term};

/// Which accounts' totals to read.
#[derive(Debug, Clone, Copy)]
pub enum AccountScope<'a> {
    /// Every account of the book.
    Book,
    /// These accounts.
    Accounts(&'a [AccountId]),
}

/// What is asked of the totals.
#[derive(Debug, Clone, Copy)]
pub struct TotalsQuery<'a> {
    /// Whose.
    pub scope: AccountScope<'a>,
    /// Only of the transactions that carry all of these tags; all transactions when there are none.
    pub tags: &'a [String],
    /// The answer may sum the days of a month: no slice of it is finer.
    pub by_month: bool,
}

/// What a query asks of a segment of time in a book. Many rows may be passed for each sum, so the
/// condition begins with what stops a read.
pub(super) fn statement<'a>(
    (lookup, stoppable): (Lookup, Cow<'static, str>),
    book: i64,
    segment: &Segment,
    query: &TotalsQuery<'a>,
) -> Sql<'a> {
    let sql = match query.tags.split_first() {
        None => totals((lookup, stoppable), book, segment, query),
        Some((first, others)) => {
            let carrying = carrying(stoppable, book, first);
            tagged(lookup, (book, carrying), segment, (query.scope, others))
        }
    };
    sql.uncached()
}

/// Segments that one statement reads.
pub(super) struct Run<'a> {
    pub(super) segments: &'a [Segment],
    /// From the beginning of the first to the end of the last; folded as the first is, which a
    /// statement of days does not look at.
    pub(super) joined: Segment,
}

/// The statements of a query. Where a range begins within a month, the days before it and the
/// first days in it stand in the same rows. One statement reads both, and each row is read once.
pub(super) fn runs<'a>(
    segments: &'a [Segment],
    query: &TotalsQuery<'_>,
) -> impl Iterator<Item = Run<'a>> {
    let together = |one: &Segment, next: &Segment| {
        reads_days(one, query)
            && reads_days(next, query)
            && one.until.is_some()
            && one.until == next.from
    };
    segments.chunk_by(together).filter_map(|segments| {
        let (first, last) = segments.first().zip(segments.last())?;
        Some(Run { segments, joined: Segment { until: last.until, ..*first } })
    })
}

/// Whether the rows of the statement are those of months, with the days in them.
pub(super) fn reads_days(segment: &Segment, query: &TotalsQuery<'_>) -> bool {
    query.tags.is_empty() && segment.level == Level::Day
}

fn totals<'a>(
    (lookup, stoppable): (Lookup, Cow<'static, str>),
    book: i64,
    segment: &Segment,
    query: &TotalsQuery<'_>,
) -> Sql<'a> {
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
    let of_book = Sql::new("").push(stoppable).push("c.book_id = ").int(book);
    let rows = bounded(of_book, "c.month", from, until);
    // With the accounts in hand, one index range per account; what reads days of a book must not
    // scan its other months.
    let sql = match query.scope {
        AccountScope::Book if by_day => select.append(
            lookup
                .rows(Sql::new("accounts a"), Sql::new("a.book_id = ").int(book))
                .look_up("month_totals", "c", rows.push(" AND c.account_id = a.id"))
                .sql(),
        ),
        AccountScope::Book => select.push(" FROM month_totals c WHERE ").append(rows),
        AccountScope::Accounts(accounts) => {
            let ids = accounts.iter().map(|id| Value::Int(id.get()));
            let rows = select.push(" FROM month_totals c WHERE ").append(rows);
            rows.push(" AND c.account_id IN ").list(ids)
        }
    };
    if segment.fold && !by_day { sql.push(" GROUP BY c.account_id") } else { sql }
}

/// The month of a day, and so many more, as a column has it.
fn month_to_column(day: Date, more: i64) -> i64 {
    i64::from(day_to_column(day).div_euclid(100)).saturating_add(more)
}

/// The sums of the entries of the transactions that carry all of the tags. Those of the first tag
/// are passed, within the days, and each has two entries: what carries no tag is not read, however
/// much of it there is.
fn tagged<'a>(
    lookup: Lookup,
    (book, carrying): (i64, Sql<'a>),
    segment: &Segment,
    (scope, others): (AccountScope<'_>, &[String]),
) -> Sql<'a> {
    let period = match (segment.fold, segment.level) {
        (true, _) => "0",
        (false, Level::Day) => "e.day",
        (false, Level::Month) => "e.day / 100",
    };
    let number = |day: Date| i64::from(day_to_column(day));
    let mut carrying =
        bounded(carrying, "m.day", segment.from.map(number), segment.until.map(number));
    if let Some(others) = carry(book, others) {
        carrying = carrying.push(" AND ").append(others);
    }
    let transactions = lookup
        .rows(Sql::new("index_terms m"), carrying)
        .look_up("transactions", "t", transaction_of_term(book))
        .each_with("(VALUES (TRUE), (FALSE)) side");
    let sums = Sql::new("SELECT e.account_id, ")
        .push(period)
        .push(" AS period, ")
        .push(ENTRY_SUMS)
        .push(
            " FROM (SELECT \
               CASE WHEN side.column1 THEN t.credit_account_id ELSE t.debit_account_id END \
                 AS account_id, \
               t.day, side.column1 AS credit, t.amount",
        )
        .append(transactions.sql())
        .push(" AND t.standing IN ")
        .numbers([Standing::Unchecked, Standing::Checked].map(standing_to_column))
        .push(" AND t.trashed = ")
        .flag(false)
        .push(") e WHERE e.amount <> 0 AND e.account_id IS NOT NULL");
    let sums = match scope {
        AccountScope::Book => sums,
        AccountScope::Accounts(accounts) => {
            sums.push(" AND e.account_id IN ").numbers(accounts.iter().map(|id| id.get()))
        }
    };
    sums.push(" GROUP BY 1, 2")
}

/// The rows `m` of the index that carry a tag.
fn carrying<'a>(stoppable: Cow<'static, str>, book: i64, tag: &str) -> Sql<'a> {
    let rows = Sql::new("").push(stoppable).push("m.book_id = ").int(book);
    rows.push(" AND m.term = ").text(index_term::tag(tag))
}

/// Whether a row of `m` carries all of these tags. They are no joins: PostgreSQL plans two hundred
/// of them for half a minute.
fn carry<'a>(book: i64, tags: &[String]) -> Option<Sql<'a>> {
    let carries = |tag: &String| {
        Sql::new("EXISTS (SELECT 1 FROM index_terms o WHERE o.book_id = ")
            .int(book)
            .push(" AND o.term = ")
            .text(index_term::tag(tag))
            .push(" AND o.day = m.day AND o.transaction_id = m.transaction_id)")
    };
    let all = tags.iter().map(carries).reduce(|all, one| all.push(" AND ").append(one))?;
    Some(as_filter(all))
}

/// Adds bounds of a column; the upper one is not included.
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

#[cfg(test)]
mod tests {
    use daybook_domain::balance::segments;
    use daybook_domain::calendar::parse_iso;
    use daybook_domain::query::Periodicity::{Daily, Monthly};

    use super::*;

    type Bounds = (Option<Date>, Option<Date>);

    /// How many segments each statement reads, and the bounds of what it reads.
    fn statements(segments: &[Segment], tags: &[String]) -> Vec<(usize, Bounds)> {
        let query = TotalsQuery { scope: AccountScope::Book, tags, by_month: false };
        runs(segments, &query)
            .map(|run| (run.segments.len(), (run.joined.from, run.joined.until)))
            .collect()
    }

    #[test]
    fn days_of_one_month_are_read_together() {
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
    fn what_does_not_follow_is_read_alone() {
        let days = |from, until| Segment { level: Level::Day, from, until, fold: false };
        let [first, second, third] = ["2025-01-10", "2025-02-10", "2025-03-10"].map(parse_iso);
        let plan = [days(None, first), days(second, third), days(third, None), days(None, None)];
        let expected = [(1, (None, first)), (2, (second, None)), (1, (None, None))];
        assert_eq!(statements(&plan, &[]), expected);
    }
}
