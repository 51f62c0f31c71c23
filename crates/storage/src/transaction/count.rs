//! How many transactions there are: of a search, and by their dates.

use daybook_domain::access::Access;
use daybook_domain::calendar::from_day_number;
use daybook_domain::transaction::Span;
use diesel::QueryableByName;
use diesel::prelude::*;
use diesel::sql_types::{BigInt, Integer};
use time::Date;

use super::search::PathSelector;
use super::{Search, Transactions};
use crate::column::day_to_column;
use crate::conn::on_engine;
use crate::error::{Error, Result};
use crate::sql::Sql;

/// How many transactions are dated on a day.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Counted {
    /// The day, or the first one of the month.
    pub day: Date,
    /// The posted ones.
    pub posted: i64,
    /// The trashed ones, whatever they were before.
    pub trashed: i64,
}

#[derive(QueryableByName)]
pub(super) struct Total {
    #[diesel(sql_type = BigInt)]
    pub(super) total: i64,
}

#[derive(QueryableByName)]
struct Row {
    #[diesel(sql_type = Integer)]
    day: i32,
    #[diesel(sql_type = BigInt)]
    posted: i64,
    #[diesel(sql_type = BigInt)]
    trashed: i64,
}

impl Transactions<'_, '_> {
    /// How many transactions a search finds.
    pub fn count(self, access: &Access, search: &Search<'_>) -> Result<i64> {
        let book = access.book();
        let sql = PathSelector { tx: &mut *self.tx, book, search, wanted: None }
            .plan()?
            .count(book)
            .uncached();
        let rows: Vec<Total> = on_engine!(self.tx.flushed()?, c => (&sql).load(c))?;
        Ok(rows.first().map_or(0, |row| row.total))
    }

    /// How many posted and how many trashed transactions are dated on the days of a span, in no
    /// order; days without any are left out (behaviour 9.8). Where the slices are longer than days,
    /// whole months are counted as one, from what is kept of them.
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
            let rows: Vec<Row> = on_engine!(self.tx.flushed()?, c => (&sql).load(c))?;
            for Row { day, posted, trashed } in rows {
                let day = from_day_number(day).ok_or(Error::Corrupt("day"))?;
                counted.push(Counted { day, posted, trashed });
            }
        }
        Ok(counted)
    }
}

/// Reads what is kept of whole months.
pub(crate) fn counts_by_month<'a>(access: &Access, months: &Span) -> Sql<'a> {
    let month_of = |date| i64::from(day_to_column(date).div_euclid(100));
    let sql = "SELECT m.month * 100 + 1 AS day, m.posted, m.trashed \
         FROM month_counts m \
         WHERE m.book_id = ";
    Sql::new(sql)
        .int(access.book().id.get())
        .push(" AND m.month >= ")
        .int(month_of(months.from))
        .push(" AND m.month < ")
        .int(month_of(months.until))
}

/// Reads what is dated in the span, whatever else the book holds. By day, which is how the index
/// has them: for months an engine would sort a million rows.
pub(crate) fn counts_by_day<'a>(access: &Access, span: &Span) -> Sql<'a> {
    Sql::new(
        "SELECT t.day, \
           COUNT(CASE WHEN NOT t.trashed AND t.standing > 0 THEN 1 END) AS posted, \
           COUNT(CASE WHEN t.trashed THEN 1 END) AS trashed \
         FROM transactions t \
         WHERE t.book_id = ",
    )
    .int(access.book().id.get())
    .push(" AND t.day >= ")
    .int(i64::from(day_to_column(span.from)))
    .push(" AND t.day < ")
    .int(i64::from(day_to_column(span.until)))
    .push(" AND t.dated = ")
    .flag(true)
    .push(" GROUP BY t.day")
}
