//! The postings of a book in each of the last twelve months, a column of the book's state.

use crate::error::{Error, Result};

/// Number of months that are counted separately (behaviour 9.8).
pub const MONTHS: usize = 12;

/// Numbers of postings in twelve months of the book's time zone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PostedMonths {
    /// The last month, as yyyymm.
    pub last: i32,
    /// The number of postings in each month, oldest first, with the last month.
    pub counts: [i64; MONTHS],
}

impl PostedMonths {
    /// No postings.
    pub(crate) const EMPTY: Self = Self { last: 0, counts: [0; MONTHS] };

    /// Returns the number of postings in a month, zero outside of the twelve.
    ///
    /// ```
    /// use daybook_storage::posted_months::PostedMonths;
    /// let months = PostedMonths { last: 202_601, counts: [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 5, 7] };
    /// assert_eq!((months.count_in(202_601), months.count_in(202_512)), (7, 5));
    /// assert_eq!((months.count_in(202_602), months.count_in(202_501)), (0, 0));
    /// ```
    #[must_use]
    pub fn count_in(&self, month: i32) -> i64 {
        self.index(month).and_then(|index| self.counts.get(index)).copied().unwrap_or(0)
    }

    /// Returns the counts with a change to a month.
    ///
    /// A month after the last one becomes the last, and older months are dropped. A change to a
    /// month before the twelve has no effect.
    #[must_use]
    pub fn with(mut self, month: i32, change: i64) -> Self {
        let months_later = number(month).saturating_sub(number(self.last));
        if months_later > 0 {
            let dropped = usize::try_from(months_later).unwrap_or(MONTHS).min(MONTHS);
            self.counts.rotate_left(dropped % MONTHS);
            self.counts.iter_mut().rev().take(dropped).for_each(|count| *count = 0);
            self.last = month;
        }
        let index = self.index(month);
        if let Some(count) = index.and_then(|index| self.counts.get_mut(index)) {
            *count = count.saturating_add(change).max(0);
        }
        self
    }

    /// Returns the twelve months up to `last` as yyyymm, oldest first.
    #[must_use]
    pub fn months(last: i32) -> [i32; MONTHS] {
        let mut months = [last; MONTHS];
        for (month, before) in months.iter_mut().rev().zip(0..) {
            let number = number(last).saturating_sub(before);
            *month = number.div_euclid(12) * 100 + number.rem_euclid(12) + 1;
        }
        months
    }

    /// Returns the index of a month in `counts`.
    fn index(&self, month: i32) -> Option<usize> {
        let before = usize::try_from(number(self.last).checked_sub(number(month))?).ok()?;
        MONTHS.checked_sub(before.checked_add(1)?)
    }

    /// Formats the counts, separated by commas.
    pub(crate) fn to_column(self) -> String {
        self.counts.map(|count| count.to_string()).join(",")
    }

    /// Parses the counts.
    pub(crate) fn from_column(last: i32, text: &str) -> Result<Self> {
        let counts: Option<Vec<i64>> = text.split(',').map(|count| count.parse().ok()).collect();
        let counts = counts.and_then(|counts| counts.try_into().ok());
        Ok(Self { last, counts: counts.ok_or(Error::Corrupt("posted_months"))? })
    }
}

/// Returns the number of months since the year 0.
const fn number(month: i32) -> i32 {
    month.div_euclid(100) * 12 + month.rem_euclid(100) - 1
}

#[cfg(test)]
mod tests {
    use super::*;

    const EMPTY: PostedMonths = PostedMonths::EMPTY;

    #[test]
    fn later_month_drops_old_months() {
        let year = EMPTY.with(202_511, 3).with(202_512, 4).with(202_601, 5).with(202_512, 1);
        let posted = [202_511, 202_512, 202_601, 202_602].map(|month| year.count_in(month));
        assert_eq!((year.last, posted), (202_601, [3, 5, 5, 0]));
        let later = year.with(202_610, 1);
        assert_eq!([202_511, 202_601, 202_610].map(|month| later.count_in(month)), [3, 5, 1]);
        let later = later.with(202_611, 0);
        assert_eq!([202_511, 202_512].map(|month| later.count_in(month)), [0, 5]);
        assert_eq!(later.with(202_511, 9), later, "too old to be counted");
        assert_eq!(later.with(202_601, -9).count_in(202_601), 0);
        assert_eq!(later.with(203_001, 2), EMPTY.with(203_001, 2));
    }

    #[test]
    fn column_round_trips_and_rejects_invalid_text() {
        let year = EMPTY.with(202_511, 3).with(202_601, 5);
        assert_eq!(PostedMonths::from_column(year.last, &year.to_column()).unwrap(), year);
        assert_eq!(PostedMonths::from_column(0, &EMPTY.to_column()).unwrap(), EMPTY);
        for text in ["", "1,2", "x", "1,2,3,4,5,6,7,8,9,10,11,12,13", "1,2,3,4,5,6,7,8,9,10,11,"] {
            assert!(PostedMonths::from_column(202_601, text).is_err(), "{text}");
        }
    }

    #[test]
    fn months_ends_with_last() {
        let months = PostedMonths::months(202_603);
        let ends = [0, 8, 9, 11].map(|place: usize| months[place]);
        assert_eq!(ends, [202_504, 202_512, 202_601, 202_603]);
    }
}
