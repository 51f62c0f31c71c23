//! Days as banks and people write them.
//!
//! Whether `03/04/2026` is in March or in April depends on the other days of a file, so a file is
//! read twice: [`Evidence`] collects what its days say, and [`Day::value`] reads each one in the
//! order that was decided on. A time behind the day is ignored, and the day is never shifted to
//! another time zone.

use daybook_domain::calendar;
use time::Date;

/// The order of day and month in numeric dates.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DayOrder {
    /// `31/12/2026`.
    DayFirst,
    /// `12/31/2026`.
    MonthFirst,
}

/// A day whose order may be undecided.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Day {
    Certain(Date),
    /// Two numbers of which one is the day and the other the month, and the year.
    Numeric(u8, u8, i32),
}

impl Day {
    /// Parses a text; `None` if it is not an existing day in any order.
    pub(crate) fn scan(text: &str) -> Option<Self> {
        let text = text.trim();
        if let Some(day) = scan_compact(text) {
            return Some(Self::Certain(day));
        }
        let (first, rest) = part(text)?;
        let (second, rest) = part(skip_separators(rest))?;
        // An apostrophe stands for the century: `6/4'18`.
        let is_short = rest.trim_start().starts_with('\'');
        let (third, rest) = part(skip_separators(rest))?;
        if rest.starts_with(|c: char| c.is_alphanumeric() && c != 'T') {
            return None;
        }
        let day = match (first, second, third) {
            (Part::Number(year, 4), Part::Number(month, _), Part::Number(day, _)) => {
                Self::Certain(date(i32::from(year), month, day)?)
            }
            (Part::Number(day, _), Part::Month(month), Part::Number(year, digits))
            | (Part::Month(month), Part::Number(day, _), Part::Number(year, digits)) => {
                Self::Certain(date(full_year(year, digits, is_short)?, u16::from(month), day)?)
            }
            (
                Part::Number(first, 1..=2),
                Part::Number(second, 1..=2),
                Part::Number(year, digits),
            ) => {
                let year = full_year(year, digits, is_short)?;
                Self::Numeric(u8::try_from(first).ok()?, u8::try_from(second).ok()?, year)
            }
            _ => return None,
        };
        let exists = match day {
            Self::Certain(_) => true,
            Self::Numeric(..) => [DayOrder::DayFirst, DayOrder::MonthFirst]
                .into_iter()
                .any(|order| day.value(order).is_some()),
        };
        exists.then_some(day)
    }

    /// Returns the day in this order, if it exists.
    pub(crate) fn value(self, order: DayOrder) -> Option<Date> {
        match (self, order) {
            (Self::Certain(date), _) => Some(date),
            (Self::Numeric(day, month, year), DayOrder::DayFirst)
            | (Self::Numeric(month, day, year), DayOrder::MonthFirst) => {
                calendar::from_parts(year, month, day)
            }
        }
    }
}

/// A number with the count of its digits, or a month.
#[derive(Clone, Copy)]
enum Part {
    Number(u16, usize),
    Month(u8),
}

/// Splits a number of at most four digits or the name of a month off.
fn part(text: &str) -> Option<(Part, &str)> {
    let text = text.trim_start();
    let after = text.trim_start_matches(|c: char| c.is_ascii_digit());
    if let Some(digits) = text.strip_suffix(after).filter(|digits| !digits.is_empty()) {
        let number = digits.parse().ok().filter(|_| digits.len() <= 4)?;
        return Some((Part::Number(number, digits.len()), after));
    }
    let after = text.trim_start_matches(|c: char| c.is_alphabetic());
    let name = text.strip_suffix(after)?;
    Some((Part::Month(month(name)?), after))
}

fn skip_separators(text: &str) -> &str {
    let is_separator =
        |c: char| c.is_whitespace() || matches!(c, '/' | '-' | '.' | ',' | '\'' | '\u{2019}');
    text.trim_start_matches(is_separator)
}

/// Beginnings of the names of the months in English, German, French, Spanish, Italian, Dutch,
/// Portuguese, Polish and the Nordic languages.
const MONTHS: [&str; 12] = [
    "jan ene gen sty",
    "feb fév fev lut",
    "mar mär mrz maa mrt",
    "apr avr abr kwi",
    "may mai mag mei maj",
    "jun juin giu cze",
    "jul juil lug lip",
    "aug aoû aou ago sie",
    "sep set wrz",
    "oct okt ott out paź",
    "nov lis",
    "dec dez déc dic des gru",
];

fn month(name: &str) -> Option<u8> {
    let name = name.to_lowercase();
    if name.chars().count() > 12 {
        return None;
    }
    let begins = |starts: &str| starts.split(' ').any(|start| name.starts_with(start));
    let index = MONTHS.iter().position(|starts| begins(starts))?;
    u8::try_from(index + 1).ok()
}

/// Returns the year of two or four digits; one of `'2` after an apostrophe is 2002.
fn full_year(year: u16, digits: usize, is_short: bool) -> Option<i32> {
    match digits {
        4 => Some(i32::from(year)),
        1 | 2 if is_short => Some(2000 + i32::from(year)),
        2 if year >= 70 => Some(1900 + i32::from(year)),
        2 => Some(2000 + i32::from(year)),
        _ => None,
    }
}

fn date(year: i32, month: u16, day: u16) -> Option<Date> {
    calendar::from_parts(year, u8::try_from(month).ok()?, u8::try_from(day).ok()?)
}

/// Parses `20260131`, also with a time in digits behind it.
fn scan_compact(text: &str) -> Option<Date> {
    let after = text.trim_start_matches(|c: char| c.is_ascii_digit());
    let digits = text.strip_suffix(after)?;
    let is_whole = after.is_empty() || after.starts_with(['T', ' ', '.', '[']);
    if !matches!(digits.len(), 8 | 12 | 14) || !is_whole {
        return None;
    }
    calendar::from_day_number(digits.get(..8)?.parse().ok()?)
}

/// Evidence of the order of day and month, from the days of a file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Evidence {
    day_first: bool,
    month_first: bool,
    ambiguous: Option<String>,
}

impl Evidence {
    pub(crate) fn add(&mut self, text: &str) {
        let Some(day) = Day::scan(text) else { return };
        let days = (day.value(DayOrder::DayFirst), day.value(DayOrder::MonthFirst));
        match days {
            (Some(first), Some(second)) if first != second => {
                self.ambiguous.get_or_insert_with(|| text.trim().to_owned());
            }
            (Some(_), None) => self.day_first = true,
            (None, Some(_)) => self.month_first = true,
            (Some(_), Some(_)) | (None, None) => {}
        }
    }

    /// Returns the order, or an example of an ambiguous day.
    ///
    /// Days that contradict one another are read day first, and those that do not exist then are
    /// refused one by one.
    pub(crate) fn decide(&self) -> Result<DayOrder, &str> {
        match (self.day_first, self.month_first, &self.ambiguous) {
            (false, true, _) => Ok(DayOrder::MonthFirst),
            (false, false, Some(example)) => Err(example),
            (true, _, _) | (false, false, None) => Ok(DayOrder::DayFirst),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, order: DayOrder, expected: &str) {
        let day = Day::scan(text).and_then(|day| day.value(order));
        assert_eq!(day.map(calendar::format_iso).unwrap_or_default(), expected, "{text:?}");
    }

    #[test]
    fn days_are_read_in_many_notations() {
        for (text, expected) in [
            ("2026-01-10", "2026-01-10"),
            ("2026-01-10T23:59:59Z", "2026-01-10"),
            ("2026/1/9 10:00", "2026-01-09"),
            ("2026.01.10", "2026-01-10"),
            ("20260110", "2026-01-10"),
            ("20260110120000", "2026-01-10"),
            ("03/04/2026", "2026-04-03"),
            ("3.4.26", "2026-04-03"),
            ("3.4.99", "1999-04-03"),
            ("6/ 4'18", "2018-04-06"),
            ("3/11' 2", "2002-11-03"),
            ("28.02'2009", "2009-02-28"),
            ("26 Jan 2026", "2026-01-26"),
            ("26-JAN-26", "2026-01-26"),
            ("Jan 26, 2026", "2026-01-26"),
            ("1. M\u{e4}rz 2026", "2026-03-01"),
            ("5 juin 2026", "2026-06-05"),
            ("5 juillet 2026", "2026-07-05"),
            ("31 dic. 2026", "2026-12-31"),
            ("2026-02-30", ""),
            ("31/31/2026", ""),
            ("10/2026", ""),
            ("2026-01-10x", ""),
            ("1/2/345", ""),
            ("1 foo 2026", ""),
            ("00000000000000", ""),
            ("12.50", ""),
            ("", ""),
        ] {
            check(text, DayOrder::DayFirst, expected);
        }
        check("03/04/2026", DayOrder::MonthFirst, "2026-03-04");
        check("13/04/2026", DayOrder::MonthFirst, "");
    }

    #[test]
    fn files_decide_the_order() {
        let decide = |texts: &[&str]| {
            let mut evidence = Evidence::default();
            texts.iter().for_each(|text| evidence.add(text));
            evidence.decide().map_err(str::to_owned)
        };
        assert_eq!(decide(&["6/ 4'18", "6/27'18"]), Ok(DayOrder::MonthFirst));
        assert_eq!(decide(&["6/4/18", "27/6/18"]), Ok(DayOrder::DayFirst));
        assert_eq!(decide(&["6/4/18", "5/5/18"]), Err("6/4/18".to_owned()));
        assert_eq!(decide(&["5/5/18", "2026-01-02"]), Ok(DayOrder::DayFirst));
    }
}
