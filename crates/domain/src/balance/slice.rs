//! Slices: days, months or years of a series (behaviour 5.6, 5.7).

use time::Date;

use crate::query::Periodicity;

use super::Amounts;

/// Limit of slices of a series that includes slices without movements (behaviour 5.7).
pub const MAX_FILLED_SLICES: i32 = 5_000;

/// One slice of a series.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Slice {
    /// The year.
    pub year: i32,
    /// The month, 1 to 12; 0 in yearly slices.
    pub month: u8,
    /// The day of the month; 0 in monthly and yearly slices.
    pub day: u8,
    /// The movements in the slice, and the sums at its end.
    pub amounts: Amounts,
}

impl Slice {
    /// Returns the slice as one number: year * 10000 + month * 100 + day (behaviour 5.6).
    pub fn fuzzy_date(&self) -> i32 {
        fuzzy_date((self.year, self.month, self.day))
    }
}

/// Year, month and day of a slice. Parts that it does not have are 0.
pub(crate) type SliceDate = (i32, u8, u8);

/// Returns the date of a slice as one number (behaviour 5.6).
pub(crate) fn fuzzy_date((year, month, day): SliceDate) -> i32 {
    year.saturating_mul(10_000).saturating_add(i32::from(month) * 100 + i32::from(day))
}

/// Returns the number of the slice that contains a day. Successive slices have successive numbers.
pub(crate) fn step(periodicity: Periodicity, day: Date) -> i32 {
    match periodicity {
        Periodicity::Daily => day.to_julian_day(),
        Periodicity::Monthly => day.year() * 12 + i32::from(u8::from(day.month())) - 1,
        Periodicity::Yearly => day.year(),
    }
}

/// Returns the date of the slice with that number, or `None` beyond the calendar.
pub(crate) fn slice_date(periodicity: Periodicity, step: i32) -> Option<SliceDate> {
    match periodicity {
        Periodicity::Daily => {
            let day = Date::from_julian_day(step).ok()?;
            Some((day.year(), u8::from(day.month()), day.day()))
        }
        Periodicity::Monthly => {
            Some((step.div_euclid(12), u8::try_from(step.rem_euclid(12)).ok()?.checked_add(1)?, 0))
        }
        Periodicity::Yearly => Some((step, 0, 0)),
    }
}

/// The detail of a series in a result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SeriesDetail {
    /// All slices, including zeros, up to [`MAX_FILLED_SLICES`].
    Filled,
    /// The slices with movements.
    Moved,
    /// Only the last slice, with the totals of the range.
    Last,
}

/// The part of a series that a result contains.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Series {
    pub(super) slices: Vec<Slice>,
    /// Whether slices are omitted (behaviour 5.18).
    pub(super) truncated: bool,
}

/// The slices that the series of a query may have.
#[derive(Debug, Clone, Copy)]
pub(super) struct PeriodAxis {
    pub(super) periodicity: Periodicity,
    /// The number of the last slice; `None` when the range ends before it starts.
    pub(super) last: Option<i32>,
}

impl PeriodAxis {
    /// Creates the slice with that number, or returns `None` beyond the calendar.
    pub(super) fn slice(self, step: i32, amounts: Amounts) -> Option<Slice> {
        let (year, month, day) = slice_date(self.periodicity, step)?;
        Some(Slice { year, month, day, amounts })
    }
}
