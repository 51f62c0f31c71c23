//! A page from several index ranges at once, as a group has one for each of its accounts.
//!
//! Each range gives its newest few rows. Where a range gave as many as it was asked for, more may
//! follow behind its last one; so the rows of all ranges together are complete down to the newest
//! of these last rows. Mostly that is a page already. Where it is not, because a few ranges hold
//! most of it, each is asked for a whole page.

use std::collections::{BTreeMap, BTreeSet};

use daybook_domain::book::Book;
use diesel::QueryableByName;
use diesel::sql_types::{BigInt, Integer};

use super::{IndexRange, SearchPlan, Source};
use crate::page::PageKey;
use crate::planner::Lookup;
use crate::sql::{Sql, Value};

/// Rows a range is asked for beyond twice its even share.
const SPARE: i64 = 8;

/// A row of a range: which range, and the page key.
#[derive(QueryableByName)]
pub(in crate::transaction) struct RangeRow {
    #[diesel(sql_type = Integer)]
    index_range: i32,
    #[diesel(sql_type = Integer)]
    day: i32,
    #[diesel(sql_type = BigInt)]
    id: i64,
}

/// How many rows each of so many ranges is asked for at first.
pub(in crate::transaction) fn share(ranges: usize, limit: i64) -> i64 {
    let ranges = i64::try_from(ranges).unwrap_or(i64::MAX).max(1);
    limit.saturating_mul(2).saturating_div(ranges).saturating_add(SPARE).min(limit)
}

/// The newest `limit` rows of all, newest first, of ranges that were each asked for `share`; none
/// when more must be asked for.
pub(in crate::transaction) fn page(
    rows: &[RangeRow],
    share: i64,
    limit: i64,
) -> Option<Vec<PageKey>> {
    let mut last: BTreeMap<i32, (i64, (i32, i64))> = BTreeMap::new();
    let mut places = BTreeSet::new();
    for RangeRow { index_range, day, id } in rows {
        let (count, oldest) = last.entry(*index_range).or_insert((0, (*day, *id)));
        *count = count.saturating_add(1);
        *oldest = (*oldest).min((*day, *id));
        places.insert((*day, *id));
    }
    let complete_from =
        last.into_values().filter(|(count, _)| *count >= share).map(|(_, oldest)| oldest).max();
    let limit = usize::try_from(limit).unwrap_or(usize::MAX);
    let complete = places
        .into_iter()
        .rev()
        .take_while(|place| complete_from.is_none_or(|from| *place >= from));
    let page: Vec<PageKey> = complete.take(limit).map(|(day, id)| PageKey { day, id }).collect();
    (page.len() == limit || complete_from.is_none()).then_some(page)
}

impl<'a> SearchPlan<'_, 'a> {
    /// The newest `share` rows of each range behind `after`.
    pub(in crate::transaction) fn rows(
        &self,
        ranges: &[IndexRange],
        book: &Book,
        after: Option<PageKey>,
        share: i64,
    ) -> Sql<'a> {
        let key = |source: &Source<'a>| {
            let day = Sql::new("SELECT ").push(source.day).push(" AS day, ");
            day.push(source.id).push(" AS id")
        };
        // PostgreSQL plans the look into an account once for all of them.
        let accounts = ranges.iter().map(IndexRange::account).collect::<Option<Vec<_>>>();
        let accounts = accounts.filter(|accounts| !accounts.is_empty());
        if let Some(accounts) = accounts.filter(|_| self.lookup == Lookup::Lateral) {
            let sides = self.both_sides(book, &Sql::new("n.column1"));
            let numbered = (0..).zip(accounts);
            let numbered = numbered.map(|(number, id)| [Value::Int(id.get()), Value::Int(number)]);
            let (accounts, _) = Sql::new("(VALUES ").rows(numbered);
            return Sql::new("SELECT CAST(n.column2 AS INTEGER) AS index_range, l.day, l.id FROM ")
                .append(accounts)
                .push(") n CROSS JOIN LATERAL (")
                .append(self.newest(key, &sides, (book, after, share)))
                .push(") l");
        }
        let mut rows = Sql::new("SELECT 0 AS index_range, 0 AS day, 0 AS id WHERE 1 = 0");
        for (number, range) in ranges.iter().enumerate() {
            let newest = self.newest(key, &self.sources(book, Some(range)), (book, after, share));
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
        let all = ranges.iter().zip(0..).flat_map(|(days, range)| {
            days.iter().map(move |day| RangeRow {
                index_range: range,
                day: *day,
                id: i64::from(*day),
            })
        });
        Some(
            page(&all.collect::<Vec<_>>(), share, limit)?
                .into_iter()
                .map(|place| place.day)
                .collect(),
        )
    }

    #[test]
    fn rows_are_complete_down_to_the_newest_end() {
        // The first range may go on behind 7, so 5 and 4 are not known to be next.
        assert_eq!(page_of(&[&[9, 8, 7], &[5, 4]], 3, 3), Some(vec![9, 8, 7]));
        assert_eq!(page_of(&[&[9, 8, 7], &[5, 4]], 3, 4), None);
        assert_eq!(page_of(&[&[9, 8, 7], &[6, 4, 3]], 3, 3), Some(vec![9, 8, 7]));
        assert_eq!(page_of(&[&[9, 8, 4], &[7, 6, 5]], 3, 5), Some(vec![9, 8, 7, 6, 5]));
    }

    #[test]
    fn ranges_that_ended_hide_nothing() {
        assert_eq!(page_of(&[&[9, 7], &[8]], 3, 5), Some(vec![9, 8, 7]));
        assert_eq!(page_of(&[&[], &[]], 3, 5), Some(vec![]));
    }

    #[test]
    fn a_row_in_two_ranges_is_one() {
        assert_eq!(page_of(&[&[9, 8], &[9, 7]], 3, 5), Some(vec![9, 8, 7]));
    }

    #[test]
    fn ranges_asked_for_a_page_give_a_page() {
        assert_eq!(page_of(&[&[9, 8], &[7, 6]], 2, 2), Some(vec![9, 8]));
        assert_eq!(page_of(&[&[9, 6], &[8, 7]], 2, 2), Some(vec![9, 8]));
        assert_eq!((share(50, 100), share(2, 100), share(64, 1)), (12, 100, 1));
    }
}
