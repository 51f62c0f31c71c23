//! Formats of days: `yyyy-MM-dd`, integers yyyymmdd, and the date pattern of a book.

use crate::digits::push_number;
use crate::named::named;
use time::{Date, Month};

named! {
    /// The date pattern of a book (behaviour 6.1).
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
    pub enum DatePattern {
        /// `dd/MM/yyyy`, the default.
        #[default]
        DayFirst = "dd/MM/yyyy",
        /// `MM/dd/yyyy`.
        MonthFirst = "MM/dd/yyyy",
        /// `yyyy/MM/dd`.
        YearFirst = "yyyy/MM/dd",
    }
}

impl DatePattern {
    /// Formats a day in this pattern (`dateFormatted`, behaviour 3.2.11).
    ///
    /// ```
    /// use daybook_domain::calendar::{DatePattern, parse_iso};
    /// let day = parse_iso("2025-03-31").unwrap();
    /// assert_eq!(DatePattern::DayFirst.format(day), "31/03/2025");
    /// ```
    pub fn format(self, day: Date) -> String {
        let [year, month, day] = parts(day);
        match self {
            Self::DayFirst => join([day, month, year], '/'),
            Self::MonthFirst => join([month, day, year], '/'),
            Self::YearFirst => join([year, month, day], '/'),
        }
    }
}

/// Parses `yyyy-MM-dd` strictly: an existing day with four, two and two digits, years 0001 to 9999.
pub fn parse_iso(text: &str) -> Option<Date> {
    let mut parts = text.split('-');
    let (year, month, day) = (parts.next()?, parts.next()?, parts.next()?);
    if parts.next().is_some() || year.len() != 4 || month.len() != 2 || day.len() != 2 {
        return None;
    }
    from_parts(parse_digits(year)?, parse_digits(month)?, parse_digits(day)?)
}

/// Formats a day as `yyyy-MM-dd`.
pub fn format_iso(day: Date) -> String {
    join(parts(day), '-')
}

/// Returns the year, month and day as numbers with their widths.
fn parts(day: Date) -> [(u32, usize); 3] {
    let (month, of_month) = (u32::from(u8::from(day.month())), u32::from(day.day()));
    [(day.year().unsigned_abs(), 4), (month, 2), (of_month, 2)]
}

/// Joins numbers with leading zeros.
fn join(parts: [(u32, usize); 3], separator: char) -> String {
    let mut text = String::with_capacity("yyyy-mm-dd".len());
    for (number, width) in parts {
        if !text.is_empty() {
            text.push(separator);
        }
        push_number(&mut text, number.into(), width);
    }
    text
}

/// Returns the day as the integer yyyymmdd (`dateValue`).
pub fn day_number(day: Date) -> i32 {
    month_number(day) * 100 + i32::from(day.day())
}

/// Returns the month of the day as the integer yyyymm.
pub fn month_number(day: Date) -> i32 {
    day.year() * 100 + i32::from(u8::from(day.month()))
}

/// Returns the day with that yyyymmdd number, if it exists.
pub fn from_day_number(number: i32) -> Option<Date> {
    let (month, day) = (number / 100 % 100, number % 100);
    from_parts(number / 10_000, u8::try_from(month).ok()?, u8::try_from(day).ok()?)
}

/// Returns the day with these parts, if it exists in the years 1 to 9999.
pub fn from_parts(year: i32, month: u8, day: u8) -> Option<Date> {
    if !(1..=9999).contains(&year) {
        return None;
    }
    Date::from_calendar_date(year, Month::try_from(month).ok()?, day).ok()
}

/// Returns whether the range contains no day (behaviour 5.7).
pub(crate) fn is_void(from: Option<Date>, until: Option<Date>) -> bool {
    until.is_some_and(|until| until <= from.unwrap_or(Date::MIN))
}

/// Returns the bounds of the whole months in the range, open where it is open.
///
/// Returns `None` when the range contains no whole month.
pub(crate) fn whole_months(
    from: Option<Date>,
    until: Option<Date>,
) -> Option<(Option<Date>, Option<Date>)> {
    let first = match from {
        Some(from) if from.day() == 1 => Some(from),
        Some(from) => Some(month_start(month_index(from) + 1)?),
        None => None,
    };
    let last = until.map(first_of_month);
    (!is_void(first, last)).then_some((first, last))
}

pub(crate) fn first_of_month(day: Date) -> Date {
    day.replace_day(1).unwrap_or(day)
}

/// Returns the number of months since January of the year 0.
pub(crate) fn month_index(day: Date) -> i64 {
    i64::from(day.year()) * 12 + i64::from(u8::from(day.month())) - 1
}

/// Returns the first day of the month with that index.
pub(crate) fn month_start(index: i64) -> Option<Date> {
    let year = i32::try_from(index.div_euclid(12)).ok()?;
    let month = u8::try_from(index.rem_euclid(12) + 1).ok()?;
    from_parts(year, month, 1)
}

/// Parses a text of ASCII digits.
pub(crate) fn parse_digits<T: std::str::FromStr>(text: &str) -> Option<T> {
    if text.bytes().all(|b| b.is_ascii_digit()) { text.parse().ok() } else { None }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::{items, shared_cases, text_in};

    #[test]
    fn iso_parsing_is_strict() {
        let invalid = ",2025,2025-01,2025-1-01,25-01-01,2025-13-01,2025-00-00,2025-02-30,\
                       0000-01-01,2025-01-01-,+025-01-01,2025-01-01T";
        for text in invalid.split(',') {
            assert_eq!(parse_iso(text), None, "{text}");
        }
        assert_eq!(parse_iso("0001-01-01").map(day_number), Some(10101));
        assert_eq!(parse_iso("9999-12-31").map(format_iso).as_deref(), Some("9999-12-31"));
    }

    #[test]
    fn day_numbers_round_trip() {
        let mut day = parse_iso("1999-12-25").unwrap();
        for _ in 0..800 {
            assert_eq!(from_day_number(day_number(day)), Some(day));
            assert_eq!(parse_iso(&format_iso(day)), Some(day));
            day = day.next_day().unwrap();
        }
        assert_eq!(from_day_number(20250230), None);
    }

    #[test]
    fn days_exist_and_are_shown_like_in_the_console() {
        let cases = shared_cases(include_str!("../../../tests/cases/days.json"));
        for (key, exists) in [("exist", true), ("doNotExist", false)] {
            for day in items(&cases[key]) {
                assert_eq!(parse_iso(day.as_str().unwrap()).is_some(), exists, "{day}");
            }
        }
        for case in items(&cases["shown"]) {
            let pattern = DatePattern::from_name(text_in(case, "pattern")).unwrap();
            let day = parse_iso(text_in(case, "day")).unwrap();
            assert_eq!(pattern.format(day), text_in(case, "text"), "{case}");
        }
    }
}
