//! Counts of postings by month (behaviour 6.10).

use std::collections::HashMap;

use daybook_domain::id::{BookId, UserId};
use daybook_domain::instant::Instant;
use daybook_domain::purpose::UpdateBook;

use super::Books;
use crate::access::AccessTo;
use crate::conn::sql::Sql;
use crate::error::{Error, Result};
use crate::posted_months::{MONTHS, PostedMonths};
use crate::rows::book_state::BookCounters;

/// The current month in a book zone, and the starts of the last twelve months there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CurrentMonths {
    /// The current month, as yyyymm.
    pub month: i32,
    /// The starts of the twelve months, oldest first.
    pub starts: [Instant; MONTHS],
}

impl Books<'_, '_> {
    /// Recounts the postings of the last twelve months, after a change of the book zone.
    ///
    /// The zone defines the months (behaviour 6.10). This scans the whole book, which is acceptable
    /// because a zone rarely changes. The next event saves the counts.
    pub fn recount(
        self,
        access: &AccessTo<UpdateBook>,
        current: &CurrentMonths,
    ) -> Result<BookCounters> {
        let book = access.book().id;
        let months = self.tx.books().count_posted(book, current)?;
        let state = self.tx.book_state_mut(book)?;
        state.month = current.month;
        state.month_posted = months.count_in(current.month);
        let year = current.month.div_euclid(100);
        let of_year = PostedMonths::months(current.month).into_iter().zip(months.counts);
        state.year_posted = of_year
            .filter(|(month, _)| month.div_euclid(100) == year)
            .map(|(_, count)| count)
            .sum();
        state.posted_months = months.to_column();
        Ok(state.counters())
    }

    /// Counts the postings of the last twelve months. It scans the whole book.
    fn count_posted(self, book: BookId, current: &CurrentMonths) -> Result<PostedMonths> {
        let [first, ..] = current.starts;
        let mut query = Sql::new("SELECT CASE");
        for (index, start) in current.starts.iter().enumerate().skip(1).rev() {
            let index = i64::try_from(index).unwrap_or_default();
            query = query.push(" WHEN t.posted_at >= {}").bind(*start);
            query = query.push(" THEN {}").bind(index);
        }
        let query = query
            .push(
                " ELSE 0 END AS month_index, COUNT(*) AS posted FROM transactions t \
                 WHERE t.book_id = {} AND t.standing > 0 AND t.trashed = {} \
                 AND t.posted_at >= {} GROUP BY 1",
            )
            .bind((book, false, first));
        let rows: Vec<(i64, i64)> = self.tx.flushed()?.rows(&query)?;
        let mut counts = [0; MONTHS];
        for (month_index, posted) in rows {
            let count = usize::try_from(month_index).ok().and_then(|index| counts.get_mut(index));
            *count.ok_or(Error::Corrupt("month_index"))? = posted;
        }
        Ok(PostedMonths { last: current.month, counts })
    }

    /// Returns the postings of the twelve months up to the last posting, of each book of an owner.
    pub fn posted_months(self, owner: UserId) -> Result<HashMap<BookId, PostedMonths>> {
        let query = Sql::new(
            "SELECT s.book_id, s.month, s.posted_months FROM books b \
             JOIN book_state s ON s.book_id = b.id WHERE b.owner_id = {}",
        )
        .bind(owner);
        let rows: Vec<(i64, i32, String)> = self.tx.flushed()?.rows(&query)?;
        let read = |(book_id, month, posted_months): (i64, i32, String)| {
            Ok((BookId::new(book_id), PostedMonths::from_column(month, &posted_months)?))
        };
        rows.into_iter().map(read).collect()
    }
}
