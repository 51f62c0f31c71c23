//! The sums of accounts between the days that a report needs.

use std::collections::HashMap;

use time::Date;

use crate::balance::{Level, PeriodTotal, Segment, Sums};
use crate::calendar::{first_of_month, is_void, whole_months};
use crate::id::AccountId;

/// The last days of consecutive intervals. The first interval has no first day.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Cuts(Vec<Date>);

impl Cuts {
    pub(super) fn new(mut last_days: Vec<Date>) -> Self {
        last_days.sort_unstable();
        last_days.dedup();
        Self(last_days)
    }

    /// Returns the segments whose totals each lie in one interval.
    ///
    /// The first interval is folded to one row for each account. The others are read by month, with
    /// the days of months that a cut divides. Adjacent segments of months are joined, because a
    /// month tells its interval.
    pub(super) fn segments(&self) -> Vec<Segment> {
        let Some(opening) = self.0.first() else { return Vec::new() };
        let segment = |level, from, until, fold| Segment { level, from, until, fold };
        let mut plan: Vec<Segment> = Vec::new();
        let until = opening.next_day();
        match until {
            Some(day) => {
                let month = Some(first_of_month(day));
                plan.push(segment(Level::Month, None, month, true));
                plan.push(segment(Level::Day, month, until, true));
            }
            None => plan.push(segment(Level::Month, None, None, true)),
        }
        let bounds = self.0.iter().zip(self.0.iter().skip(1));
        for (before, last) in bounds {
            let (from, until) = (before.next_day(), last.next_day());
            match whole_months(from, until) {
                Some((first, end)) => {
                    plan.push(segment(Level::Day, from, first, false));
                    plan.push(segment(Level::Month, first, end, false));
                    plan.extend(until.map(|_| segment(Level::Day, end, until, false)));
                }
                None => plan.push(segment(Level::Day, from, until, false)),
            }
        }
        plan.retain(|segment| !is_void(segment.from, segment.until));
        plan.dedup_by(|next, before| {
            let is_joined = next.level == Level::Month
                && before.level == Level::Month
                && !before.fold
                && before.until == next.from;
            if is_joined {
                before.until = next.until;
            }
            is_joined
        });
        plan
    }

    /// Returns the first and the last day of each interval but the first.
    pub(super) fn intervals(&self) -> Vec<(Date, Date)> {
        let bounds = self.0.iter().zip(self.0.iter().skip(1));
        bounds.filter_map(|(before, last)| Some((before.next_day()?, *last))).collect()
    }

    /// Returns the number of the interval that contains a day; the first one without a day.
    fn interval(&self, day: Option<Date>) -> usize {
        day.map_or(0, |day| self.0.partition_point(|last| *last < day))
    }

    /// Returns the number of intervals that end by this day.
    fn count_until(&self, day: Date) -> usize {
        self.0.partition_point(|last| *last <= day)
    }
}

/// The sums of each account in each interval, for each read of a plan.
///
/// The memory depends on the numbers of reads, of accounts with totals, and of intervals.
#[derive(Debug, Clone)]
pub struct PeriodSums {
    cuts: Cuts,
    reads: Vec<HashMap<AccountId, Vec<Sums>>>,
}

impl PeriodSums {
    pub(super) fn new(cuts: Cuts, reads: usize) -> Self {
        Self { cuts, reads: vec![HashMap::new(); reads] }
    }

    /// Adds a total of the read with that index. Totals may come in any order.
    pub fn add(&mut self, read: usize, total: &PeriodTotal) {
        let interval = self.cuts.interval(total.period);
        let Some(accounts) = self.reads.get_mut(read) else { return };
        let intervals = accounts
            .entry(total.account)
            .or_insert_with(|| vec![Sums::default(); self.cuts.0.len()]);
        // Days after the last cut are in no interval.
        if let Some(sums) = intervals.get_mut(interval) {
            *sums = *sums + Sums { debit: total.debit, credit: total.credit };
        }
    }

    /// Returns the sums of an account after a day, or from the beginning, through a day.
    ///
    /// Both days must be among the cuts.
    pub(super) fn between(
        &self,
        read: usize,
        account: AccountId,
        after: Option<Date>,
        through: Date,
    ) -> Sums {
        let intervals = self.reads.get(read).and_then(|accounts| accounts.get(&account));
        let start = after.map_or(0, |day| self.cuts.count_until(day));
        let end = self.cuts.count_until(through);
        let range = intervals.and_then(|intervals| intervals.get(start..end));
        range.map(|range| range.iter().copied().sum()).unwrap_or_default()
    }

    /// Returns the sums of all accounts after a day through another day.
    pub(super) fn of_all(&self, read: usize, after: Option<Date>, through: Date) -> Sums {
        let accounts = self.reads.get(read).into_iter().flat_map(|accounts| accounts.keys());
        accounts.map(|account| self.between(read, *account, after, through)).sum()
    }
}
