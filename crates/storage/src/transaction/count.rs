//! How many transactions there are: of a search, and by their dates.

use daybook_domain::calendar::from_day_number;
use daybook_domain::collaborator::Member;
use daybook_domain::query::Periodicity;
use daybook_domain::transaction::Span;
use diesel::QueryableByName;
use diesel::prelude::*;
use diesel::sql_types::{BigInt, Bool, Integer};
use time::Date;

use super::search::Planner;
use super::{Search, Transactions};
use crate::column::day_to_column;
use crate::conn::on_each;
use crate::error::{Error, Result};
use crate::sql::Sql;

/// Transactions on the days of a slice, of which one is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Counted {
    /// In the trash, or else posted.
    pub trashed: bool,
    /// A day of the slice within the range.
    pub day: Date,
    /// How many.
    pub total: i64,
}

#[derive(QueryableByName)]
pub(super) struct Total {
    #[diesel(sql_type = BigInt)]
    pub(super) total: i64,
}

#[derive(QueryableByName)]
struct Row {
    #[diesel(sql_type = Bool)]
    trashed: bool,
    #[diesel(sql_type = Integer)]
    day: i32,
    #[diesel(sql_type = BigInt)]
    total: i64,
}

impl Transactions<'_, '_> {
    /// How many transactions a search finds.
    ///
    /// # Errors
    /// When the database cannot be asked.
    pub fn count(self, member: &Member, search: &Search<'_>) -> Result<i64> {
        let book = member.book();
        let sql = Planner { tx: &mut *self.tx, book, search, wanted: None }.walk()?.count(book).uncached();
        let rows: Vec<Total> = on_each!(self.tx.conn()?, c => (&sql).load(c))?;
        Ok(rows.first().map_or(0, |row| row.total))
    }

    /// How many posted and how many trashed transactions are dated in each slice of a span; slices without any are left
    /// out (behaviour 9.8).
    ///
    /// # Errors
    /// When the database cannot be asked.
    pub fn counts(self, member: &Member, span: &Span) -> Result<Vec<Counted>> {
        let sql = dated(member, span);
        let rows: Vec<Row> = on_each!(self.tx.conn()?, c => (&sql).load(c))?;
        let counted = |row: Row| {
            let Row { trashed, day, total } = row;
            Ok(Counted { trashed, day: from_day_number(day).ok_or(Error::Broken("day"))?, total })
        };
        rows.into_iter().map(counted).collect()
    }

    /// What the database would do for [`Transactions::counts`].
    ///
    /// # Errors
    /// When the database cannot be asked.
    #[doc(hidden)]
    pub fn explain_counts(self, member: &Member, span: &Span) -> Result<Vec<String>> {
        Ok(self.tx.conn()?.explain(dated(member, span))?)
    }
}

/// It passes what is dated in the span, whatever else the book holds.
fn dated<'a>(member: &Member, span: &Span) -> Sql<'a> {
    let slice = match span.periodicity {
        Periodicity::Daily => "t.day",
        Periodicity::Monthly => "t.day / 100",
        Periodicity::Yearly => "t.day / 10000",
    };
    let select = Sql::new("SELECT t.trashed, MIN(t.day) AS day, COUNT(*) AS total FROM transactions t WHERE t.book_id = ");
    let inside = select.int(member.book().id.get()).push(" AND t.day >= ").int(i64::from(day_to_column(span.from)));
    let inside = inside.push(" AND t.day < ").int(i64::from(day_to_column(span.until)));
    let counted = inside.push(" AND t.dated = ").flag(true).push(" AND (t.trashed = ").flag(true).push(" OR t.standing > 0)");
    counted.push(" GROUP BY t.trashed, ").push(slice)
}
