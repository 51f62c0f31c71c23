//! The row of an account's month, read for the days in it.

use std::ops::Range;

use daybook_domain::balance::{PeriodTotal, Segment, Sums};
use daybook_domain::calendar::from_day_number;
use daybook_domain::id::AccountId;
use diesel::QueryableByName;
use diesel::sql_types::{BigInt, Binary, Integer};
use time::Date;

use super::day_sums::each_day;
use crate::column::day_to_column;
use crate::error::{Error, Result};

#[derive(QueryableByName)]
pub(super) struct DaysRow {
    #[diesel(sql_type = BigInt)]
    pub(super) account_id: i64,
    #[diesel(sql_type = Integer)]
    pub(super) month: i32,
    #[diesel(sql_type = Binary)]
    pub(super) days: Vec<u8>,
}

impl DaysRow {
    /// Hands out the totals of the days that lie in the segment; one for all of them where it is
    /// folded, or where months are as fine as the answer gets.
    pub(super) fn each_total(
        &self,
        segment: &Segment,
        by_month: bool,
        take: &mut impl FnMut(PeriodTotal),
    ) -> Result<()> {
        let account = AccountId::new(self.account_id);
        let total = |period, Sums { debit, credit }| PeriodTotal { account, period, debit, credit };
        let (range, mut first, mut all) = (days_of(segment), None, Sums::default());
        for day in each_day(&self.days) {
            let (day, sums) = day?;
            let number = self.month.saturating_mul(100).saturating_add(i32::from(day));
            if !range.contains(&number) {
                continue;
            }
            if segment.fold || by_month {
                first = Some(first.map_or(number, |first: i32| first.min(number)));
                all = all + sums;
            } else {
                take(total(Some(day_of(number)?), sums));
            }
        }
        if let Some(first) = first {
            let period = if segment.fold { None } else { Some(day_of(first)?) };
            take(total(period, all));
        }
        Ok(())
    }
}

/// The days of a segment, as columns have them.
fn days_of(segment: &Segment) -> Range<i32> {
    let column = |day: Option<Date>, open| day.map_or(open, day_to_column);
    column(segment.from, i32::MIN)..column(segment.until, i32::MAX)
}

fn day_of(number: i32) -> Result<Date> {
    from_day_number(number).ok_or(Error::Corrupt("days"))
}
