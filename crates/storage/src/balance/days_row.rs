//! Reading the daily sums in the rows of months.

use std::ops::Range;

use daybook_domain::balance::{PeriodTotal, Segment, Sums};
use daybook_domain::calendar::from_day_number;
use daybook_domain::id::AccountId;
use diesel::Queryable;
use diesel::sql_types::{BigInt, Binary, Integer};
use time::Date;

use super::day_sums::each_day;
use crate::conn::sql::Columns;
use crate::error::{Error, Result};
use crate::rows::column::day_to_column;

/// The stored days of a month of an account.
#[derive(Queryable)]
pub(super) struct DaysRow {
    pub(super) account_id: i64,
    pub(super) month: i32,
    pub(super) days: Vec<u8>,
}

impl Columns for DaysRow {
    type Sql = (BigInt, Integer, Binary);
}

/// Converts rows of months to totals. Each day counts in its segment.
pub(super) struct DayTotals(Vec<SegmentDays>);

/// The days of a segment, as column values.
struct SegmentDays {
    days: Range<i32>,
    /// Whether the segment is before the range of the query, so all its days are one opening sum.
    fold: bool,
    /// Whether a row gives one total: if the segment is folded, or the result is by month.
    by_row: bool,
    /// The first day of the segment in the current row, and the sum of its days there.
    of_row: Option<(i32, Sums)>,
}

impl DayTotals {
    /// Creates the conversion for disjoint segments.
    pub(super) fn new(segments: &[Segment], by_month: bool) -> Self {
        let column = |day: Option<Date>, open| day.map_or(open, day_to_column);
        let of_segment = |segment: &Segment| SegmentDays {
            days: column(segment.from, i32::MIN)..column(segment.until, i32::MAX),
            fold: segment.fold,
            by_row: segment.fold || by_month,
            of_row: None,
        };
        Self(segments.iter().map(of_segment).collect())
    }

    /// Calls `visit` with the totals of a row.
    pub(super) fn each_of(
        &mut self,
        row: &DaysRow,
        visit: &mut impl FnMut(PeriodTotal),
    ) -> Result<()> {
        let account = AccountId::new(row.account_id);
        let total = |period, Sums { debit, credit }| PeriodTotal { account, period, debit, credit };
        for day in each_day(&row.days) {
            let (day, sums) = day?;
            let day = row.month.saturating_mul(100).saturating_add(i32::from(day));
            let Some(segment) = self.0.iter_mut().find(|one| one.days.contains(&day)) else {
                continue;
            };
            if segment.by_row {
                segment.add(day, sums);
            } else {
                visit(total(Some(day_of(day)?), sums));
            }
        }
        for segment in &mut self.0 {
            if let Some((first, sums)) = segment.of_row.take() {
                let period = if segment.fold { None } else { Some(day_of(first)?) };
                visit(total(period, sums));
            }
        }
        Ok(())
    }
}

impl SegmentDays {
    fn add(&mut self, day: i32, sums: Sums) {
        let (first, before) = self.of_row.unwrap_or((day, Sums::default()));
        self.of_row = Some((first.min(day), before + sums));
    }
}

fn day_of(number: i32) -> Result<Date> {
    from_day_number(number).ok_or(Error::Corrupt("days"))
}

#[cfg(test)]
mod tests {
    use daybook_domain::balance::{Level, segments};
    use daybook_domain::calendar::parse_iso;
    use daybook_domain::query::Periodicity::{Daily, Monthly};
    use proptest::prelude::*;

    use super::super::day_sums::DaySums;
    use super::*;

    fn row(account_id: i64, month: i32, days: &[(u8, i128)]) -> DaysRow {
        let mut sums = DaySums::default();
        let debit = |debit| Sums { debit, credit: 0 };
        days.iter().for_each(|(day, units)| sums.add(*day, debit(*units)));
        DaysRow { account_id, month, days: sums.to_column() }
    }

    /// Returns the account, day and debit of each total, sorted.
    fn totals(
        segments: &[Segment],
        by_month: bool,
        rows: &[DaysRow],
    ) -> Vec<(i64, Option<Date>, i128)> {
        let mut totals = Vec::new();
        let mut take =
            |total: PeriodTotal| totals.push((total.account.get(), total.period, total.debit));
        let mut days = DayTotals::new(segments, by_month);
        rows.iter().for_each(|row| days.each_of(row, &mut take).unwrap());
        totals.sort_unstable();
        totals
    }

    fn day_segments(from: Option<Date>, until: Option<Date>, by_month: bool) -> Vec<Segment> {
        let mut plan = segments(from, until, if by_month { Monthly } else { Daily });
        plan.retain(|segment| segment.level == Level::Day);
        plan
    }

    proptest! {
        #[test]
        fn joint_segments_give_the_totals_of_single_ones(
            accounts in prop::collection::vec(
                prop::collection::vec((1..=30_u8, 1..9_i128), 0..40), 0..3
            ),
            from in 1..=31_u8,
            until in 1..=31_u8,
            by_month: bool,
        ) {
            let date = |day| parse_iso("2025-01-01").unwrap().replace_day(day).ok();
            let plan = day_segments(date(from), date(until), by_month);
            let rows: Vec<DaysRow> =
                (1..).zip(&accounts).map(|(account, days)| row(account, 202_501, days)).collect();
            let mut alone: Vec<_> =
                plan.iter().flat_map(|one| totals(&[*one], by_month, &rows)).collect();
            alone.sort_unstable();
            prop_assert_eq!(totals(&plan, by_month, &rows), alone);
        }
    }

    #[test]
    fn days_before_the_range_are_one_total() {
        let (from, until) = (parse_iso("2025-01-10"), parse_iso("2025-01-20"));
        let rows = [
            row(1, 202_501, &[(1, 1), (9, 2), (10, 4), (19, 8), (20, 16)]),
            row(2, 202_501, &[(20, 32)]),
            row(3, 202_501, &[(9, 64)]),
            row(4, 202_502, &[(9, 128), (10, 256)]),
        ];
        let plan = day_segments(from, until, false);
        let last = (1, parse_iso("2025-01-19"), 8);
        assert_eq!(totals(&plan, false, &rows), [(1, None, 3), (1, from, 4), last, (3, None, 64)]);
        assert_eq!(totals(&plan, true, &rows), [(1, None, 3), (1, from, 12), (3, None, 64)]);
    }
}
