//! Styles of date literals (behaviour 5.9).

use time::Date;

use super::slash_dates::SlashStyle;
use super::unit::Periodicity;
use super::variable::Variable;

/// The style of a date literal, to format others like it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum DateStyle {
    /// `2025-03-31`, `2025-03` or `2025`.
    Iso {
        /// Whether months and days have two digits.
        padded: bool,
    },
    /// A day, month or short day with slashes.
    Slashes(SlashStyle),
    /// A variable, or a word that means one.
    Variable(Variable),
    /// A composed date, which is never formatted.
    Composed,
}

/// Formats a day, or its month or year, in ISO form, with or without leading zeros of months and
/// days.
pub(super) fn iso(day: Date, granularity: Periodicity, padded: bool) -> String {
    let (year, month, day) = (day.year(), u8::from(day.month()), day.day());
    match (granularity, padded) {
        (Periodicity::Daily, true) => format!("{year:04}-{month:02}-{day:02}"),
        (Periodicity::Daily, false) => format!("{year:04}-{month}-{day}"),
        (Periodicity::Monthly, true) => format!("{year:04}-{month:02}"),
        (Periodicity::Monthly, false) => format!("{year:04}-{month}"),
        (Periodicity::Yearly, _) => format!("{year:04}"),
    }
}
