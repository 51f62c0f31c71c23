//! Units of time: slices of balances, and spans and shifts of date literals.

use time::Date;

use super::days::{days_between, last_of_months, plus_days, plus_months};
use crate::calendar::month_index;
use crate::named::named;

named! {
    /// The length of a slice of a series, in ascending order (behaviour 5.8).
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum Periodicity {
        /// One slice a day.
        Daily = "DAILY",
        /// One slice a month.
        Monthly = "MONTHLY",
        /// One slice a year.
        Yearly = "YEARLY",
    }
}

impl Periodicity {
    /// Parses the value of `by:`.
    pub(super) fn from_letter(value: &str) -> Option<Self> {
        match value {
            "d" | "D" => Some(Self::Daily),
            "m" | "M" => Some(Self::Monthly),
            "y" | "Y" => Some(Self::Yearly),
            _ => None,
        }
    }
}

/// The span of a date literal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Unit {
    Day,
    Week,
    Month,
    Quarter,
    Year,
}

impl Unit {
    /// Returns the granularity. Weeks count as days and quarters as months (behaviour 1.3.3,
    /// 1.3.5).
    pub(super) const fn granularity(self) -> Periodicity {
        match self {
            Self::Day | Self::Week => Periodicity::Daily,
            Self::Month | Self::Quarter => Periodicity::Monthly,
            Self::Year => Periodicity::Yearly,
        }
    }

    /// Returns the unit of a granularity.
    pub(super) const fn of(granularity: Periodicity) -> Self {
        match granularity {
            Periodicity::Daily => Self::Day,
            Periodicity::Monthly => Self::Month,
            Periodicity::Yearly => Self::Year,
        }
    }

    /// Adds units. For months, quarters and years the result is the first day of a month.
    pub(super) fn plus(self, day: Date, count: i64) -> Option<Date> {
        match self {
            Self::Day => plus_days(day, count),
            Self::Week => plus_days(day, count.checked_mul(7)?),
            Self::Month => plus_months(day, count),
            Self::Quarter => plus_months(day, count.checked_mul(3)?),
            Self::Year => plus_months(day, count.checked_mul(12)?),
        }
    }

    /// Returns the last day of the unit that starts on a day.
    pub(super) fn last(self, first: Date) -> Option<Date> {
        match self {
            Self::Day => Some(first),
            Self::Week => plus_days(first, 6),
            Self::Month => last_of_months(first, 1),
            Self::Quarter => last_of_months(first, 3),
            Self::Year => last_of_months(first, 12),
        }
    }

    /// Returns the number of units between two days.
    pub(super) fn between(self, from: Date, until: Date) -> i64 {
        let months = || month_index(until) - month_index(from);
        match self {
            Self::Day => days_between(from, until),
            Self::Week => days_between(from, until) / 7,
            Self::Month => months(),
            Self::Quarter => months() / 3,
            Self::Year => months() / 12,
        }
    }
}

/// A shift by a number of units.
#[derive(Debug, Clone, Copy)]
pub(super) struct Shift {
    pub(super) unit: Unit,
    /// The number of units; negative for an earlier day.
    pub(super) count: i64,
}

impl Shift {
    /// Shifts a day.
    pub(super) fn apply(self, day: Date) -> Option<Date> {
        self.unit.plus(day, self.count)
    }
}
