//! Periods of reports: their grammar, their words and their division into columns.

use time::{Date, Month};

use crate::book::StartMonth;
use crate::calendar::{
    first_of_month, format_iso, from_parts, month_index, month_start, parse_digits, parse_iso,
};
use crate::named::named;

/// A range of days, of which both ends are inclusive.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Period {
    /// The first day.
    pub first: Date,
    /// The last day, not before the first.
    pub last: Date,
}

named! {
    /// The length of the periods into which columns divide a period.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum Interval {
        /// A month.
        Month = "month",
        /// A quarter of the calendar year.
        Quarter = "quarter",
        /// A fiscal year.
        Year = "year",
    }
}

impl Period {
    /// Parses a period.
    ///
    /// The forms are `2026` (a calendar year), `2026-03`, `2026-Q2` (a quarter of the calendar
    /// year), `2026-03-15` (one day), `2026-01-15..2026-03-31` and `FY2026` (the fiscal year that
    /// begins in 2026). Returns `None` for other text and for days outside the years 1 to 9999.
    ///
    /// ```
    /// use daybook_domain::book::StartMonth;
    /// use daybook_domain::report::Period;
    /// let period = |text| Period::parse(text, StartMonth::July).map(|period| period.words());
    /// assert_eq!(period("2026-Q2").unwrap(), "1 April to 30 June 2026");
    /// assert_eq!(period("FY2026").unwrap(), "1 July 2026 to 30 June 2027");
    /// assert_eq!(period("2026-02-30"), None);
    /// ```
    pub fn parse(text: &str, start: StartMonth) -> Option<Self> {
        if let Some((first, last)) = text.split_once("..") {
            let (first, last) = (parse_iso(first)?, parse_iso(last)?);
            return (first <= last).then_some(Self { first, last });
        }
        if let Some(year) = text.strip_prefix("FY") {
            return Self::months(first_of(parse_year(year)?, start.month())?, 12);
        }
        if let Some((year, quarter)) = text.split_once("-Q") {
            let month = match quarter {
                "1" => Month::January,
                "2" => Month::April,
                "3" => Month::July,
                "4" => Month::October,
                _ => return None,
            };
            return Self::months(first_of(parse_year(year)?, month)?, 3);
        }
        match text.split_once('-') {
            None => Self::months(first_of(parse_year(text)?, Month::January)?, 12),
            Some((_, month)) if month.len() == 2 => {
                Self::months(parse_iso(&format!("{text}-01"))?, 1)
            }
            Some(_) => parse_iso(text).map(Self::day),
        }
    }

    /// Returns the period of one day.
    pub const fn day(day: Date) -> Self {
        Self { first: day, last: day }
    }

    /// Returns the calendar month that contains the day.
    pub(super) fn month_of(day: Date) -> Self {
        Self { first: first_of_month(day), last: last_of_months(day, 1) }
    }

    /// Returns the fiscal year that contains the day. It ends at the latest with the year 9999.
    pub fn fiscal_year(day: Date, start: StartMonth) -> Self {
        let passed = (12 + u8::from(day.month()) - u8::from(start.month())) % 12;
        let months = |count: i64| {
            let index = month_index(day).saturating_sub(i64::from(passed)).saturating_add(count);
            month_start(index)
        };
        let last = months(12).and_then(Date::previous_day).unwrap_or(Date::MAX);
        // The first fiscal year of the calendar is shorter.
        Self { first: months(0).unwrap_or(FIRST_DAY), last }
    }

    /// Returns the period in words, such as `1 January to 31 October 2026`.
    pub fn words(self) -> String {
        let Self { first, last } = self;
        if first == last {
            day_words(first)
        } else if first_of_month(first) == first_of_month(last) {
            format!("{} to {}", first.day(), day_words(last))
        } else if first.year() == last.year() {
            format!("{} {} to {}", first.day(), first.month(), day_words(last))
        } else {
            format!("{} to {}", day_words(first), day_words(last))
        }
    }

    /// Returns a short label: `March 2026`, `Q2 2026`, `2026`, `2026/27` or else the words.
    pub fn label(self, start: StartMonth) -> String {
        let year = self.first.year();
        match self.shape(start) {
            Shape::Month => month_words(self.first),
            Shape::Quarter(quarter) => format!("Q{quarter} {year:04}"),
            Shape::CalendarYear => format!("{year:04}"),
            Shape::FiscalYear => format!("{year:04}/{:02}", (year + 1) % 100),
            Shape::Day | Shape::Other => self.words(),
        }
    }

    /// Returns the shortest text that [`Period::parse`] reads as this period.
    pub fn key(self, start: StartMonth) -> String {
        let year = self.first.year();
        match self.shape(start) {
            Shape::Day => format_iso(self.first),
            Shape::Month => format!("{year:04}-{:02}", u8::from(self.first.month())),
            Shape::Quarter(quarter) => format!("{year:04}-Q{quarter}"),
            Shape::CalendarYear => format!("{year:04}"),
            Shape::FiscalYear => format!("FY{year:04}"),
            Shape::Other => format!("{}..{}", format_iso(self.first), format_iso(self.last)),
        }
    }

    /// Divides the period. The first and the last part may be shorter than the others.
    pub fn divide(self, interval: Interval, start: StartMonth) -> impl Iterator<Item = Self> {
        let part = move |first: Date| {
            let last = match interval {
                Interval::Month => last_of_months(first, 1),
                Interval::Quarter => last_of_months(first, 3 - (month_index(first) % 3)),
                Interval::Year => Self::fiscal_year(first, start).last,
            };
            Self { first, last: last.min(self.last) }
        };
        std::iter::successors(Some(part(self.first)), move |before| {
            before.last.next_day().filter(|first| *first <= self.last).map(part)
        })
    }

    /// Returns the whole months from a first day of a month.
    fn months(first: Date, count: i64) -> Option<Self> {
        let last_month = month_start(month_index(first).checked_add(count)?.checked_sub(1)?)?;
        Some(Self { first, last: last_of_months(last_month, 1) })
    }

    fn shape(self, start: StartMonth) -> Shape {
        let Self { first, last } = self;
        let is_whole = first.day() == 1 && last == last_of_months(last, 1);
        let months = month_index(last) - month_index(first) + 1;
        match months {
            _ if first == last => Shape::Day,
            _ if !is_whole => Shape::Other,
            1 => Shape::Month,
            3 if month_index(first) % 3 == 0 => Shape::Quarter(u8::from(first.month()).div_ceil(3)),
            12 if first.month() == Month::January => Shape::CalendarYear,
            12 if first.month() == start.month() => Shape::FiscalYear,
            _ => Shape::Other,
        }
    }
}

/// The form of a period, of which the first that applies is used.
enum Shape {
    Day,
    Month,
    Quarter(u8),
    CalendarYear,
    FiscalYear,
    Other,
}

/// The first day of the calendar.
const FIRST_DAY: Date = match Date::from_ordinal_date(1, 1) {
    Ok(day) => day,
    Err(_) => Date::MIN,
};

/// Returns the day in words, such as `31 October 2026`.
pub(super) fn day_words(day: Date) -> String {
    format!("{} {} {:04}", day.day(), day.month(), day.year())
}

/// Returns the month of a day in words, such as `March 2026`.
pub(super) fn month_words(day: Date) -> String {
    format!("{} {:04}", day.month(), day.year())
}

/// Returns the last day of the months that begin with that of the day, at the latest in 9999.
fn last_of_months(day: Date, count: i64) -> Date {
    let next = month_start(month_index(first_of_month(day)).saturating_add(count));
    next.and_then(Date::previous_day).unwrap_or(Date::MAX)
}

fn first_of(year: i32, month: Month) -> Option<Date> {
    from_parts(year, u8::from(month), 1)
}

fn parse_year(text: &str) -> Option<i32> {
    if text.len() == 4 { parse_digits(text) } else { None }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::fixture::{day, items, shared_cases, text_in};

    fn days(first: &str, last: &str) -> Period {
        Period { first: day(first), last: day(last) }
    }

    #[test]
    fn periods_are_read_in_every_form() {
        for (text, first, last) in [
            ("2026", "2026-01-01", "2026-12-31"),
            ("0001", "0001-01-01", "0001-12-31"),
            ("9999", "9999-01-01", "9999-12-31"),
            ("2026-03", "2026-03-01", "2026-03-31"),
            ("2026-02", "2026-02-01", "2026-02-28"),
            ("2024-02", "2024-02-01", "2024-02-29"),
            ("2000-02", "2000-02-01", "2000-02-29"),
            ("1900-02", "1900-02-01", "1900-02-28"),
            ("9999-12", "9999-12-01", "9999-12-31"),
            ("2026-Q1", "2026-01-01", "2026-03-31"),
            ("2026-Q2", "2026-04-01", "2026-06-30"),
            ("2026-Q3", "2026-07-01", "2026-09-30"),
            ("2026-Q4", "2026-10-01", "2026-12-31"),
            ("2026-03-15", "2026-03-15", "2026-03-15"),
            ("2024-02-29", "2024-02-29", "2024-02-29"),
            ("2026-01-15..2026-03-31", "2026-01-15", "2026-03-31"),
            ("2026-01-15..2026-01-15", "2026-01-15", "2026-01-15"),
            ("FY2026", "2026-03-01", "2027-02-28"),
            ("FY2027", "2027-03-01", "2028-02-29"),
        ] {
            let found = Period::parse(text, StartMonth::March);
            assert_eq!(found, Some(days(first, last)), "{text}");
        }
    }

    #[test]
    fn other_texts_are_not_periods() {
        let invalid = ",x,26,02026,+026,-2026,2026-,2026-3,2026-13,2026-00,2026-Q0,2026-Q5,2026-Q,\
                       2026-q1,2026Q1,2026-Q11,2026-02-29,2026-02-30,2026-1-01,2026-01-01-,\
                       2026-01-01..,..2026-01-01,2026-01-02..2026-01-01,2026-01..2026-03,\
                       2026-01-01..2026-02-01..2026-03-01,2026-01-01...2026-02-01,FY,FY26,fy2026,\
                       FY2026-01,FY 2026,0000,0000-01,FY0000,10000,2026 ,٢٠٢٦,FY9999,today";
        for text in invalid.split(',') {
            assert_eq!(Period::parse(text, StartMonth::March), None, "{text}");
        }
    }

    #[test]
    fn fiscal_years_begin_in_each_month() {
        for start in StartMonth::ALL {
            let month = u8::from(start.month());
            let year = Period::parse("FY2027", start).unwrap();
            assert_eq!(year.first, from_parts(2027, month, 1).unwrap());
            let next = Period::parse("FY2028", start).unwrap();
            assert_eq!(year.last.next_day(), Some(next.first));
            for inside in [year.first, day("2027-12-31"), year.last] {
                assert_eq!(Period::fiscal_year(inside, start), year, "{inside} {start:?}");
            }
            assert_eq!(Period::fiscal_year(next.first, start), next);
        }
    }

    #[test]
    fn fiscal_years_end_with_the_calendar() {
        let first = Period::fiscal_year(day("0001-01-01"), StartMonth::July);
        assert_eq!(first, days("0001-01-01", "0001-06-30"));
        let last = Period::fiscal_year(day("9999-12-31"), StartMonth::July);
        assert_eq!(last, days("9999-07-01", "9999-12-31"));
    }

    #[test]
    fn periods_have_words_labels_and_keys() {
        for (text, words, label, key) in [
            ("2026", "1 January to 31 December 2026", "2026", "2026"),
            ("2026-03", "1 to 31 March 2026", "March 2026", "2026-03"),
            ("2026-Q2", "1 April to 30 June 2026", "Q2 2026", "2026-Q2"),
            ("2026-03-15", "15 March 2026", "15 March 2026", "2026-03-15"),
            ("FY2026", "1 July 2026 to 30 June 2027", "2026/27", "FY2026"),
            ("FY2099", "1 July 2099 to 30 June 2100", "2099/00", "FY2099"),
            (
                "2025-11-01..2026-10-31",
                "1 November 2025 to 31 October 2026",
                "1 November 2025 to 31 October 2026",
                "2025-11-01..2026-10-31",
            ),
            (
                "2026-01-01..2026-10-31",
                "1 January to 31 October 2026",
                "1 January to 31 October 2026",
                "2026-01-01..2026-10-31",
            ),
            ("2026-03-01..2026-03-31", "1 to 31 March 2026", "March 2026", "2026-03"),
            (
                "2026-02-01..2026-04-30",
                "1 February to 30 April 2026",
                "1 February to 30 April 2026",
                "2026-02-01..2026-04-30",
            ),
        ] {
            let period = Period::parse(text, StartMonth::July).unwrap();
            let label_and_key = (period.label(StartMonth::July), period.key(StartMonth::July));
            assert_eq!(period.words(), words, "{text}");
            assert_eq!(label_and_key, (label.to_owned(), key.to_owned()), "{text}");
        }
    }

    #[test]
    fn periods_are_divided_and_clipped() {
        let keys = |interval, text: &str| {
            let period = Period::parse(text, StartMonth::July).unwrap();
            let parts = period.divide(interval, StartMonth::July);
            parts.map(|part| part.key(StartMonth::July)).collect::<Vec<_>>().join(" ")
        };
        let whole = "2026-01-15..2026-08-10";
        assert_eq!(
            keys(Interval::Month, "2026-01-15..2026-04-01"),
            "2026-01-15..2026-01-31 2026-02 2026-03 2026-04-01"
        );
        assert_eq!(
            keys(Interval::Quarter, whole),
            "2026-01-15..2026-03-31 2026-Q2 2026-07-01..2026-08-10"
        );
        assert_eq!(keys(Interval::Year, whole), "2026-01-15..2026-06-30 2026-07-01..2026-08-10");
        assert_eq!(keys(Interval::Year, "FY2026"), "FY2026");
        assert_eq!(keys(Interval::Month, "9999-12"), "9999-12");
        assert_eq!(keys(Interval::Quarter, "2026-05-05"), "2026-05-05");
    }

    proptest! {
        #[test]
        fn parts_are_adjacent_and_their_keys_are_read_back(
            first in 1_i32..3_652_059, length in 0_i32..2_000, start in 0_usize..12,
            interval in prop::sample::select(Interval::ALL.to_vec()),
        ) {
            let day = |offset: i32| {
                Date::from_julian_day(FIRST_DAY.to_julian_day() + offset.min(3_652_058)).unwrap()
            };
            let start = StartMonth::ALL[start];
            let period = Period { first: day(first), last: day(first + length) };
            let parts: Vec<Period> = period.divide(interval, start).collect();
            prop_assert_eq!(parts[0].first, period.first);
            prop_assert_eq!(parts.last().unwrap().last, period.last);
            for pair in parts.windows(2) {
                prop_assert_eq!(pair[0].last.next_day(), Some(pair[1].first));
            }
            for part in parts {
                prop_assert_eq!(Period::parse(&part.key(start), start), Some(part));
            }
        }
    }

    #[test]
    fn periods_are_read_like_in_the_console() {
        let cases = shared_cases(include_str!("../../../../tests/cases/periods.json"));
        for case in items(&cases) {
            let start = usize::try_from(case["fiscalStart"].as_u64().unwrap()).unwrap();
            let start = StartMonth::ALL[start - 1];
            let period = Period::parse(text_in(case, "text"), start);
            let first = period.map(|period| format_iso(period.first));
            let last = period.map(|period| format_iso(period.last));
            assert_eq!(
                (first.as_deref(), last.as_deref()),
                (case["first"].as_str(), case["last"].as_str()),
                "{case}"
            );
        }
    }
}
