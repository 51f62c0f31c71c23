//! Days and zones, and the date terms of queries, from behaviour 1.3.

use jiff::Timestamp;
use jiff::ToSpan as _;
use jiff::civil::Date;
use jiff::tz::TimeZone;

/// The local date at an instant (in milliseconds) in a zone.
pub fn day(at: i64, zone: &str) -> Date {
    let zone = TimeZone::get(zone).expect("a trace names zones that exist");
    Timestamp::from_millisecond(at).expect("within the centuries of a trace").to_zoned(zone).date()
}

/// Formats a date as the number `yyyyMMdd`.
pub fn number(day: Date) -> i32 {
    i32::from(day.year()) * 10_000 + i32::from(day.month()) * 100 + i32::from(day.day())
}

pub fn from_number(number: i32) -> Date {
    let part = |value: i32| i8::try_from(value).expect("a month or a day");
    Date::new(
        i16::try_from(number / 10_000).expect("a year"),
        part(number / 100 % 100),
        part(number % 100),
    )
    .expect("a day")
}

/// Parses `yyyy-MM-dd` and nothing else (3.2.4).
pub fn parse(text: &str) -> Option<Date> {
    let shape: String = text.chars().map(|c| if c.is_ascii_digit() { '9' } else { c }).collect();
    if shape == "9999-99-99" { text.parse().ok() } else { None }
}

/// A date literal of a query.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Literal {
    Day(Date),
    /// Year and month.
    Month(i16, i8),
    Year(i16),
    /// `$d`, `$m` or `$y` with an offset.
    Variable(char, i32),
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum DateOperator {
    On,
    After,
    Before,
}

/// The length of a slice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Unit {
    /// A day.
    Day,
    /// A month.
    Month,
    /// A calendar year.
    Year,
}

impl Unit {
    /// The first day of a day's slice.
    pub fn begin(self, day: Date) -> Date {
        match self {
            Unit::Day => day,
            Unit::Month => day.first_of_month(),
            Unit::Year => day.first_of_year(),
        }
    }

    /// The slice after a slice.
    pub fn next(self, slice: Date) -> Date {
        match self {
            Unit::Day => slice + 1.day(),
            Unit::Month => slice + 1.month(),
            Unit::Year => slice + 1.year(),
        }
    }

    /// The fuzzy date of a slice (5.6).
    pub fn fuzzy(self, slice: Date) -> i32 {
        match self {
            Unit::Day => number(slice),
            Unit::Month => number(slice) - 1,
            Unit::Year => number(slice) - 101,
        }
    }
}

/// The first day, and the day after the last; open if absent.
pub type Range = (Option<Date>, Option<Date>);

impl Literal {
    pub fn text(self) -> String {
        match self {
            Literal::Day(day) => day.to_string(),
            Literal::Month(year, month) => format!("{year:04}-{month:02}"),
            Literal::Year(year) => format!("{year:04}"),
            Literal::Variable(letter, 0) => format!("${letter}"),
            Literal::Variable(letter, offset) => format!("${letter}{offset:+}"),
        }
    }

    /// The unit of a literal (1.3.3).
    pub fn unit(self) -> Unit {
        match self {
            Literal::Day(_) | Literal::Variable('d', _) => Unit::Day,
            Literal::Month(..) | Literal::Variable('m', _) => Unit::Month,
            Literal::Year(_) | Literal::Variable(..) => Unit::Year,
        }
    }

    /// The range that an operator and a literal mean (1.3.4, 1.3.5).
    pub fn range(self, operator: DateOperator, today: Date) -> Range {
        // The last day of the calendar has no next day.
        match (self, operator) {
            (Literal::Day(day), DateOperator::After) => return (Some(day), None),
            (Literal::Day(day), DateOperator::Before) => return (None, Some(day)),
            _ => {}
        }
        let (first, next) = self.span(today);
        // As a bound, a month or year variable means its end.
        let bound = if matches!(self, Literal::Variable('m' | 'y', _)) { next } else { first };
        match operator {
            DateOperator::On => (Some(first), Some(next)),
            DateOperator::After => (Some(bound), None),
            DateOperator::Before => (None, Some(bound)),
        }
    }

    fn span(self, today: Date) -> (Date, Date) {
        let start = |year, month, day| Date::new(year, month, day).expect("a day");
        match self {
            Literal::Day(day) => (day, day + 1.day()),
            Literal::Month(year, month) => {
                (start(year, month, 1), start(year, month, 1) + 1.month())
            }
            Literal::Year(year) => (start(year, 1, 1), start(year + 1, 1, 1)),
            Literal::Variable('d', offset) => (today + offset.days(), today + (offset + 1).days()),
            Literal::Variable('m', offset) => {
                let month = today.first_of_month() + offset.months();
                (month, month + 1.month())
            }
            Literal::Variable(_, offset) => {
                let year = start(today.year(), 1, 1) + offset.years();
                (year, year + 1.year())
            }
        }
    }
}

impl DateOperator {
    pub fn text(self) -> &'static str {
        match self {
            DateOperator::On => "on:",
            DateOperator::After => "after:",
            DateOperator::Before => "before:",
        }
    }
}

/// Whether a day lies in a range.
pub fn within(day: Date, range: Range) -> bool {
    range.0.is_none_or(|from| day >= from) && range.1.is_none_or(|until| day < until)
}

/// The tightest of several ranges (1.3.4).
pub fn tightest(ranges: impl IntoIterator<Item = Range>) -> Range {
    let mut tightest: Range = (None, None);
    for (from, until) in ranges {
        tightest.0 = tightest.0.max(from);
        tightest.1 = match (tightest.1, until) {
            (Some(a), Some(b)) => Some(a.min(b)),
            (a, b) => a.or(b),
        };
    }
    tightest
}
