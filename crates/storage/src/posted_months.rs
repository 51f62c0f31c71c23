//! How much was posted in each of the last months, as the state of a book keeps it.

use crate::error::{Error, Result};

/// Months that are counted apart (behaviour 9.8).
pub const MONTHS: usize = 12;

/// Postings in twelve months of a book zone, oldest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PostedMonths {
    /// The last of them, as yyyymm.
    pub last: i32,
    /// How much was posted in each, the last one included.
    pub counts: [i64; MONTHS],
}

impl PostedMonths {
    /// Nothing was ever posted.
    pub(crate) const NOTHING: Self = Self { last: 0, counts: [0; MONTHS] };

    /// What was posted in a month; nothing outside of the twelve.
    ///
    /// ```
    /// use daybook_storage::posted_months::PostedMonths;
    /// let months = PostedMonths { last: 202_601, counts: [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 5, 7] };
    /// assert_eq!((months.posted(202_601), months.posted(202_512)), (7, 5));
    /// assert_eq!((months.posted(202_602), months.posted(202_501)), (0, 0));
    /// ```
    #[must_use]
    pub fn posted(&self, month: i32) -> i64 {
        self.place(month).and_then(|place| self.counts.get(place)).copied().unwrap_or(0)
    }

    /// With more posted in a month, or less. A month behind the last one becomes the last; what is
    /// older than the twelve is forgotten.
    #[must_use]
    pub fn with(mut self, month: i32, change: i64) -> Self {
        let later = number(month).saturating_sub(number(self.last));
        if later > 0 {
            let moved = usize::try_from(later).unwrap_or(MONTHS).min(MONTHS);
            self.counts.rotate_left(moved % MONTHS);
            self.counts.iter_mut().rev().take(moved).for_each(|count| *count = 0);
            self.last = month;
        }
        let place = self.place(month);
        if let Some(count) = place.and_then(|place| self.counts.get_mut(place)) {
            *count = count.saturating_add(change).max(0);
        }
        self
    }

    /// The months of the twelve as yyyymm, oldest first.
    #[must_use]
    pub fn months(last: i32) -> [i32; MONTHS] {
        let mut months = [last; MONTHS];
        for (month, before) in months.iter_mut().rev().zip(0..) {
            let number = number(last).saturating_sub(before);
            *month = number.div_euclid(12) * 100 + number.rem_euclid(12) + 1;
        }
        months
    }

    fn place(&self, month: i32) -> Option<usize> {
        let before = usize::try_from(number(self.last).checked_sub(number(month))?).ok()?;
        MONTHS.checked_sub(before.checked_add(1)?)
    }

    pub(crate) fn to_column(self) -> String {
        self.counts.map(|count| count.to_string()).join(",")
    }

    pub(crate) fn from_column(last: i32, text: &str) -> Result<Self> {
        let counts: Option<Vec<i64>> = text.split(',').map(|count| count.parse().ok()).collect();
        let counts = counts.and_then(|counts| counts.try_into().ok());
        Ok(Self { last, counts: counts.ok_or(Error::Corrupt("posted_months"))? })
    }
}

/// Months since the year 0.
const fn number(month: i32) -> i32 {
    month.div_euclid(100) * 12 + month.rem_euclid(100) - 1
}

#[cfg(test)]
mod tests {
    use super::*;

    const NONE: PostedMonths = PostedMonths::NOTHING;

    #[test]
    fn months_move_on_and_are_forgotten() {
        let year = NONE.with(202_511, 3).with(202_512, 4).with(202_601, 5).with(202_512, 1);
        let posted = [202_511, 202_512, 202_601, 202_602].map(|month| year.posted(month));
        assert_eq!((year.last, posted), (202_601, [3, 5, 5, 0]));
        let later = year.with(202_610, 1);
        assert_eq!([202_511, 202_601, 202_610].map(|month| later.posted(month)), [3, 5, 1]);
        let later = later.with(202_611, 0);
        assert_eq!([202_511, 202_512].map(|month| later.posted(month)), [0, 5]);
        assert_eq!(later.with(202_511, 9), later, "too old to be counted");
        assert_eq!(later.with(202_601, -9).posted(202_601), 0);
        assert_eq!(later.with(203_001, 2), NONE.with(203_001, 2));
    }

    #[test]
    fn what_is_kept_is_read() {
        let year = NONE.with(202_511, 3).with(202_601, 5);
        assert_eq!(PostedMonths::from_column(year.last, &year.to_column()).unwrap(), year);
        assert_eq!(PostedMonths::from_column(0, &NONE.to_column()).unwrap(), NONE);
        for text in ["", "1,2", "x", "1,2,3,4,5,6,7,8,9,10,11,12,13", "1,2,3,4,5,6,7,8,9,10,11,"] {
            assert!(PostedMonths::from_column(202_601, text).is_err(), "{text}");
        }
    }

    #[test]
    fn twelve_months_end_with_the_last() {
        let months = PostedMonths::months(202_603);
        let ends = [0, 8, 9, 11].map(|place: usize| months[place]);
        assert_eq!(ends, [202_504, 202_512, 202_601, 202_603]);
    }
}
