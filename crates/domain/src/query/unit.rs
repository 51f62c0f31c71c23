//! Units of time: the slices of balances, and the spans and shifts of date literals.

use time::Date;

use super::days::{days_between, last_of_months, month_index, plus_days, plus_months};

/// The length of a slice of a series (behaviour 5.8). Shorter ones are less.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Periodicity {
    /// One slice a day.
    Daily,
    /// One slice a month.
    Monthly,
    /// One slice a year.
    Yearly,
}

impl Periodicity {
    /// The periodicity as the API names it.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Daily => "DAILY",
            Self::Monthly => "MONTHLY",
            Self::Yearly => "YEARLY",
        }
    }

    /// Finds the periodicity with that name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        [Self::Daily, Self::Monthly, Self::Yearly]
            .into_iter()
            .find(|periodicity| periodicity.as_str() == name)
    }

    /// Reads the value of `by:`; `None` for `w` and everything else.
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
    /// The granularity (behaviour 1.3.3, 1.3.5): weeks count as days and quarters as months.
    pub(super) const fn granularity(self) -> Periodicity {
        match self {
            Self::Day | Self::Week => Periodicity::Daily,
            Self::Month | Self::Quarter => Periodicity::Monthly,
            Self::Year => Periodicity::Yearly,
        }
    }

    /// The unit that is as long as the granularity.
    pub(super) const fn of(granularity: Periodicity) -> Self {
        match granularity {
            Periodicity::Daily => Self::Day,
            Periodicity::Monthly => Self::Month,
            Periodicity::Yearly => Self::Year,
        }
    }

    /// The day `count` units later. Months, quarters and years are counted from first days of
    /// months.
    pub(super) fn plus(self, day: Date, count: i64) -> Option<Date> {
        match self {
            Self::Day => plus_days(day, count),
            Self::Week => plus_days(day, count.checked_mul(7)?),
            Self::Month => plus_months(day, count),
            Self::Quarter => plus_months(day, count.checked_mul(3)?),
            Self::Year => plus_months(day, count.checked_mul(12)?),
        }
    }

    /// The last day of the unit that begins on a day.
    pub(super) fn last(self, first: Date) -> Option<Date> {
        match self {
            Self::Day => Some(first),
            Self::Week => plus_days(first, 6),
            Self::Month => last_of_months(first, 1),
            Self::Quarter => last_of_months(first, 3),
            Self::Year => last_of_months(first, 12),
        }
    }

    /// How many units lie between two days.
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
    /// What is counted.
    pub(super) unit: Unit,
    /// How many, earlier when negative.
    pub(super) count: i64,
}

impl Shift {
    /// The day after the move.
    pub(super) fn apply(self, day: Date) -> Option<Date> {
        self.unit.plus(day, self.count)
    }
}
