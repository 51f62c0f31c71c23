//! A page merged from several index ranges, for example from the accounts of a group.
//!
//! The newest few rows of each range are read first. If a range returns as many rows as requested,
//! more may follow after its last one. The merged rows are therefore complete down to the newest of
//! these last rows. Mostly that is a page; otherwise, because a few ranges have most of the rows, a
//! whole page is read from each range.

use std::collections::{BTreeMap, BTreeSet};

use daybook_domain::book::Book;

use super::plan::SearchPlan;
use super::range::{IndexRange, Source};
use super::statement::PageBounds;
use crate::conn::planner::Lookup;
use crate::conn::sql::{self, Sql, Value};
use crate::page::PageKey;

/// Rows that are requested from a range in addition to twice its even share.
const SPARE: i64 = 8;

/// A row of a range: the index of the range, the day and the id.
pub(crate) type RangeRow = (i32, i32, i64);

/// Returns how many rows to request from each range at first.
pub(crate) fn share(ranges: usize, limit: i64) -> i64 {
    let ranges = i64::try_from(ranges).unwrap_or(i64::MAX).max(1);
    limit.saturating_mul(2).saturating_div(ranges).saturating_add(SPARE).min(limit)
}

/// Merges the newest `limit` rows of ranges, of which `share` rows each were requested.
///
/// Returns nothing if more rows must be requested.
pub(crate) fn page(rows: &[RangeRow], share: i64, limit: i64) -> Option<Vec<PageKey>> {
    /// The rows of one range.
    struct OfRange {
        count: i64,
        oldest: (i32, i64),
    }
    let mut ranges: BTreeMap<i32, OfRange> = BTreeMap::new();
    let mut keys = BTreeSet::new();
    for (index_range, day, id) in rows {
        let key = (*day, *id);
        let range = ranges.entry(*index_range).or_insert(OfRange { count: 0, oldest: key });
        range.count = range.count.saturating_add(1);
        range.oldest = range.oldest.min(key);
        keys.insert(key);
    }
    let continuing = ranges.into_values().filter(|range| range.count >= share);
    let complete_from = continuing.map(|range| range.oldest).max();
    let limit = usize::try_from(limit).unwrap_or(usize::MAX);
    let complete =
        keys.into_iter().rev().take_while(|key| complete_from.is_none_or(|from| *key >= from));
    let page: Vec<PageKey> = complete.take(limit).map(|(day, id)| PageKey { day, id }).collect();
    (page.len() == limit || complete_from.is_none()).then_some(page)
}

impl<'a> SearchPlan<'_, 'a> {
    /// Returns the statement for the newest `share` rows of each range after a page key.
    pub(crate) fn rows(
        &self,
        ranges: &[IndexRange],
        book: &Book,
        after: Option<PageKey>,
        share: i64,
    ) -> Sql<'a> {
        let bounds = PageBounds { book, after, limit: share };
        let key = |source: &Source<'a>| {
            Sql::new("SELECT {} AS day, {} AS id").bind((Sql::new(source.day), Sql::new(source.id)))
        };
        // PostgreSQL plans the look-up of an account once for all of them.
        let accounts = ranges.iter().map(IndexRange::account).collect::<Option<Vec<_>>>();
        let accounts = accounts.filter(|accounts| !accounts.is_empty());
        if let Some(accounts) = accounts.filter(|_| self.lookup == Lookup::Lateral) {
            let sides = self.both_sides(book, &Sql::new("n.column1"));
            let numbered = (0..).zip(accounts);
            let numbered = numbered.map(|(number, id)| [Value::Int(id.get()), Value::Int(number)]);
            return Sql::new(
                "SELECT CAST(n.column2 AS INTEGER) AS index_range, l.day, l.id FROM (VALUES {}) n \
                 CROSS JOIN LATERAL ({}) l",
            )
            .bind((sql::rows(numbered), self.newest(key, &sides, bounds)));
        }
        let mut rows = Sql::new("SELECT 0 AS index_range, 0 AS day, 0 AS id WHERE 1 = 0");
        for (number, range) in ranges.iter().enumerate() {
            let newest = self.newest(key, &self.sources(book, Some(range)), bounds);
            rows = rows
                .push(format!(" UNION ALL SELECT {number} AS index_range, day, id FROM ("))
                .append(newest)
                .push(") l");
        }
        rows
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page_of(ranges: &[&[i32]], share: i64, limit: i64) -> Option<Vec<i32>> {
        let all = ranges
            .iter()
            .zip(0..)
            .flat_map(|(days, range)| days.iter().map(move |day| (range, *day, i64::from(*day))));
        Some(page(&all.collect::<Vec<_>>(), share, limit)?.into_iter().map(|key| key.day).collect())
    }

    #[test]
    fn page_is_complete_down_to_the_newest_end() {
        // The first range may continue after 7, so 5 and 4 may not be next.
        assert_eq!(page_of(&[&[9, 8, 7], &[5, 4]], 3, 3), Some(vec![9, 8, 7]));
        assert_eq!(page_of(&[&[9, 8, 7], &[5, 4]], 3, 4), None);
        assert_eq!(page_of(&[&[9, 8, 7], &[6, 4, 3]], 3, 3), Some(vec![9, 8, 7]));
        assert_eq!(page_of(&[&[9, 8, 4], &[7, 6, 5]], 3, 5), Some(vec![9, 8, 7, 6, 5]));
    }

    #[test]
    fn exhausted_ranges_are_complete() {
        assert_eq!(page_of(&[&[9, 7], &[8]], 3, 5), Some(vec![9, 8, 7]));
        assert_eq!(page_of(&[&[], &[]], 3, 5), Some(vec![]));
    }

    #[test]
    fn row_of_two_ranges_appears_once() {
        assert_eq!(page_of(&[&[9, 8], &[9, 7]], 3, 5), Some(vec![9, 8, 7]));
    }

    #[test]
    fn whole_pages_of_ranges_make_a_page() {
        assert_eq!(page_of(&[&[9, 8], &[7, 6]], 2, 2), Some(vec![9, 8]));
        assert_eq!(page_of(&[&[9, 6], &[8, 7]], 2, 2), Some(vec![9, 8]));
        assert_eq!((share(50, 100), share(2, 100), share(64, 1)), (12, 100, 1));
    }
}
