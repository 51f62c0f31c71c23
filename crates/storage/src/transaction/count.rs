//! Counts of transactions: of a search, and by date.

use daybook_domain::access::Access;
use daybook_domain::book::Book;
use daybook_domain::calendar::{from_day_number, month_number};
use daybook_domain::query::CountPlan;
use daybook_domain::transaction::Span;
use time::Date;

use super::search::PathSelector;
use super::{Search, Transactions};
use crate::commit::tx::Tx;
use crate::conn::sql::Sql;
use crate::error::{Error, Result};
use crate::index_term;
use crate::rows::column::day_to_column;

/// The number of transactions that are dated on a day.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Counted {
    /// The day, or the first day of the month.
    pub day: Date,
    /// Posted transactions.
    pub posted: i64,
    /// Trashed transactions, whatever their standing.
    pub trashed: i64,
}

impl Transactions<'_, '_> {
    /// Counts the matches of a search.
    ///
    /// If it depends only on days and on the standing, whole months are summed from `month_counts`
    /// (behaviour 1.7.2).
    pub fn count(self, access: &Access, search: &Search<'_>) -> Result<i64> {
        let plan = count_plan(search);
        let mut count: i64 = 0;
        for sql in count_statements(self.tx, access, search, plan.as_ref())? {
            let rows: Vec<i64> = self.tx.flushed()?.rows(&sql)?;
            count = rows.iter().fold(count, |sum, total| sum.saturating_add(*total));
        }
        Ok(count)
    }

    /// Counts the posted and the trashed transactions that are dated on the days of a span.
    ///
    /// The result has no order and omits days without transactions (behaviour 9.8). If the slices
    /// are longer than days, whole months are one entry, from `month_counts`.
    pub fn counts(self, access: &Access, span: &Span) -> Result<Vec<Counted>> {
        let mut statements = Vec::new();
        match span.whole_months() {
            Some(months) => {
                statements.push(counts_by_month(access, &months));
                let ends = [(span.from, months.from), (months.until, span.until)];
                let ends = ends.into_iter().filter(|(from, until)| from < until);
                statements.extend(ends.map(|(from, until)| {
                    counts_by_day(access, &Span { from, until, periodicity: span.periodicity })
                }));
            }
            None => statements.push(counts_by_day(access, span)),
        }
        let mut counted = Vec::new();
        for sql in statements {
            let rows: Vec<(i32, i64, i64)> = self.tx.flushed()?.rows(&sql)?;
            for (day, posted, trashed) in rows {
                let day = from_day_number(day).ok_or(Error::Corrupt("day"))?;
                counted.push(Counted { day, posted, trashed });
            }
        }
        Ok(counted)
    }
}

/// Returns which part of a search `month_counts` answers, if any.
pub(crate) fn count_plan(search: &Search<'_>) -> Option<CountPlan> {
    let is_unrestricted = search.drafts_of.is_none() && search.similar.is_none();
    if is_unrestricted { CountPlan::new(search.filter) } else { None }
}

/// Returns the statements whose `total`s add up to the number of matches.
pub(crate) fn count_statements<'a>(
    tx: &mut Tx<'_>,
    access: &Access,
    search: &Search<'a>,
    plan: Option<&'a CountPlan>,
) -> Result<Vec<Sql<'a>>> {
    let book = access.book();
    let Some(plan) = plan else { return Ok(vec![count_by_scan(tx, book, search)?]) };
    let posted = "SELECT CAST(COALESCE(SUM(m.posted), 0) AS BIGINT) AS total";
    let mut statements = vec![months(posted, book, plan.from, plan.until)];
    if plan.all_drafts {
        let drafts = Sql::new(
            "SELECT COUNT(*) AS total FROM index_terms d WHERE d.book_id = {} AND d.term = {}",
        )
        .bind((book.id, index_term::DRAFT));
        statements.push(drafts);
    }
    for filter in &plan.rest {
        statements.push(count_by_scan(tx, book, &Search { filter, ..*search })?);
    }
    Ok(statements)
}

/// Counts the matches of a search by scanning them.
fn count_by_scan<'a>(tx: &mut Tx<'_>, book: &Book, search: &Search<'a>) -> Result<Sql<'a>> {
    let plan = PathSelector { tx, book, search, limit: None }.plan()?;
    Ok(plan.count(book).uncached())
}

/// Reads the stored counts of whole months.
pub(crate) fn counts_by_month<'a>(access: &Access, span: &Span) -> Sql<'a> {
    let select = "SELECT m.month * 100 + 1 AS day, m.posted, m.trashed";
    months(select, access.book(), Some(span.from), Some(span.until))
}

/// Selects the stored counts of the months in `from..until`, which are first days of months.
fn months<'a>(
    select: &'static str,
    book: &Book,
    from: Option<Date>,
    until: Option<Date>,
) -> Sql<'a> {
    let sql = Sql::new(select).push(" FROM month_counts m WHERE m.book_id = {}").bind(book.id);
    let bounds = [(" AND m.month >= {}", from), (" AND m.month < {}", until)];
    bounds.into_iter().fold(sql, |sql, (comparison, day)| match day {
        Some(day) => sql.push(comparison).bind(i64::from(month_number(day))),
        None => sql,
    })
}

/// Counts the transactions of a span by day, in the order of the index. Grouping by month would
/// sort a million rows.
pub(crate) fn counts_by_day<'a>(access: &Access, span: &Span) -> Sql<'a> {
    Sql::new(
        "SELECT t.day, COUNT(CASE WHEN NOT t.trashed \
         AND t.standing > 0 THEN 1 END) AS posted, COUNT(CASE WHEN t.trashed THEN 1 END) AS \
         trashed FROM transactions t WHERE t.book_id = {} AND t.day >= {} AND t.day < {} \
         AND t.dated = {} GROUP BY t.day",
    )
    .bind((
        access.book().id,
        i64::from(day_to_column(span.from)),
        i64::from(day_to_column(span.until)),
        true,
    ))
}
