//! Styles of date literals (behaviour 5.9).

use time::Date;

use super::slash_dates::SlashStyle;
use super::unit::Periodicity;
use super::variable::Variable;
use crate::calendar::format_iso;

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

/// Formats a day, or its month or year, in ISO form.
pub(super) fn iso(day: Date, granularity: Periodicity) -> String {
    match granularity {
        Periodicity::Daily => format_iso(day),
        Periodicity::Monthly => format!("{:04}-{:02}", day.year(), u8::from(day.month())),
        Periodicity::Yearly => format!("{:04}", day.year()),
    }
}

/// Formats a day, or its month or year, in ISO form without leading zeros of months and days.
pub(super) fn unpadded(day: Date, granularity: Periodicity) -> String {
    let (year, month) = (day.year(), u8::from(day.month()));
    match granularity {
        Periodicity::Daily => format!("{year:04}-{month}-{}", day.day()),
        Periodicity::Monthly => format!("{year:04}-{month}"),
        Periodicity::Yearly => format!("{year:04}"),
    }
}
