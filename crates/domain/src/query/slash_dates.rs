//! Dates with slashes: days in the book's pattern, months, short days, and composed dates
//! (behaviour 1.3.1, 1.3.6).

use time::Date;

use super::ParseContext;
use super::days::plus_days;
use super::unit::Unit;
use super::variable::Variable;
use crate::calendar::{DatePattern, from_parts, month_start};

/// A part of a date.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum DateField {
    Day,
    Month,
    Year,
}

use DateField::{Day, Month, Year};

/// The style of a month.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum MonthStyle {
    Digits,
    /// `jan` or `january`, in one of three letter cases.
    Name {
        short: bool,
        case: Case,
    },
}

/// The letter case of a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Case {
    Lower,
    Title,
    Upper,
}

/// The style of a date with slashes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct SlashStyle {
    fields: &'static [DateField],
    padded: bool,
    month: MonthStyle,
}

/// A parsed date with slashes.
pub(super) struct SlashDate {
    /// The first day.
    pub(super) first: Date,
    /// A day, or a month without a day.
    pub(super) unit: Unit,
    /// The style; `None` for composed dates, which contain variables.
    pub(super) style: Option<SlashStyle>,
}

/// Parses a date with slashes, in the first order of fields that yields an existing day or month.
pub(super) fn read(text: &str, context: &ParseContext) -> Option<SlashDate> {
    let parts = text.splitn(4, '/').map(Part::read).collect::<Option<Vec<_>>>()?;
    let orders = field_orders(parts.len(), context.pattern);
    let (fields, first) = orders
        .iter()
        .find_map(|fields| Some((*fields, resolve(&parts, fields, context.today)?)))?;
    let unit = if fields.contains(&Day) { Unit::Day } else { Unit::Month };
    let is_composed = parts.iter().any(|part| matches!(part, Part::Variable(_)));
    let month = parts
        .iter()
        .find_map(|part| if let Part::Name(_, style) = part { Some(*style) } else { None });
    let padded = !parts.iter().any(|part| matches!(part, Part::Number { padded: false, .. }));
    let style = SlashStyle { fields, padded, month: month.unwrap_or(MonthStyle::Digits) };
    Some(SlashDate { first, unit, style: (!is_composed).then_some(style) })
}

impl SlashStyle {
    /// Formats a day in this style.
    pub(super) fn format(self, day: Date) -> String {
        let number = |n: u8| if self.padded { format!("{n:02}") } else { n.to_string() };
        let part = |field: &DateField| match field {
            Day => number(day.day()),
            Month => self.month.format_name(day).unwrap_or_else(|| number(day.month().into())),
            Year => format!("{:04}", day.year()),
        };
        self.fields.iter().map(part).collect::<Vec<_>>().join("/")
    }
}

impl MonthStyle {
    fn format_name(self, day: Date) -> Option<String> {
        let Self::Name { short, case } = self else { return None };
        let full = day.month().to_string();
        let name = if short { full.get(..3)? } else { &full };
        Some(match case {
            Case::Lower => name.to_ascii_lowercase(),
            Case::Upper => name.to_ascii_uppercase(),
            Case::Title => name.to_owned(),
        })
    }
}

/// Returns the orders of fields to try (behaviour 1.3.1, 1.3.2).
///
/// The order of the book is first. A day that does not fit it is parsed in another order. The year
/// may be at either end.
const fn field_orders(parts: usize, pattern: DatePattern) -> &'static [&'static [DateField]] {
    match (parts, pattern) {
        (2, DatePattern::DayFirst) => {
            &[&[Month, Year], &[Year, Month], &[Day, Month], &[Month, Day]]
        }
        (2, DatePattern::MonthFirst | DatePattern::YearFirst) => {
            &[&[Month, Year], &[Year, Month], &[Month, Day], &[Day, Month]]
        }
        (3, DatePattern::DayFirst) => {
            &[&[Day, Month, Year], &[Month, Day, Year], &[Year, Month, Day], &[Year, Day, Month]]
        }
        (3, DatePattern::MonthFirst) => {
            &[&[Month, Day, Year], &[Day, Month, Year], &[Year, Month, Day], &[Year, Day, Month]]
        }
        (3, DatePattern::YearFirst) => {
            &[&[Year, Month, Day], &[Year, Day, Month], &[Day, Month, Year], &[Month, Day, Year]]
        }
        _ => &[],
    }
}

/// The text between slashes.
#[derive(Debug, Clone, Copy)]
enum Part {
    /// One or two digits: a day or a month.
    Number { value: u8, padded: bool },
    /// Four digits.
    Year(i32),
    /// A month by name.
    Name(u8, MonthStyle),
    /// A variable of a composed date.
    Variable(Variable),
}

impl Part {
    fn read(text: &str) -> Option<Self> {
        if let Some(variable) = Variable::read(text) {
            return Some(Self::Variable(variable));
        }
        if !text.bytes().all(|b| b.is_ascii_digit()) {
            return Self::read_name(text);
        }
        match text.len() {
            1 | 2 => Some(Self::Number { value: text.parse().ok()?, padded: text.len() == 2 }),
            4 => text.parse().ok().map(Self::Year),
            _ => None,
        }
    }

    fn read_name(text: &str) -> Option<Self> {
        let is_month = |number: &u8| {
            time::Month::try_from(*number).is_ok_and(|month| {
                let name = month.to_string();
                let is_short = name.get(..3).is_some_and(|name| name.eq_ignore_ascii_case(text));
                is_short || name.eq_ignore_ascii_case(text)
            })
        };
        let month = (1..=12).find(is_month)?;
        let case = match text.bytes().filter(u8::is_ascii_uppercase).count() {
            0 => Case::Lower,
            1 => Case::Title,
            _ => Case::Upper,
        };
        Some(Self::Name(month, MonthStyle::Name { short: text.len() == 3, case }))
    }
}

/// Resolves parts in an order of fields.
///
/// The default year is the current one, and the default day the first. A variable is the current
/// number of its own field, and an offset may carry over into the next field. A literal must be in
/// range.
fn resolve(parts: &[Part], fields: &[DateField], today: Date) -> Option<Date> {
    let mut year = i64::from(today.year());
    let mut month = None;
    let mut day = None;
    for (part, field) in parts.iter().zip(fields) {
        match (field, part) {
            (Day, Part::Number { value, .. }) => day = Some((i64::from(*value), true)),
            (Month, Part::Number { value, .. } | Part::Name(value, _))
                if (1..=12).contains(value) =>
            {
                month = Some(i64::from(*value))
            }
            (Year, Part::Year(value)) => year = i64::from(*value),
            (Day, Part::Variable(Variable { unit: Unit::Day, offset })) => {
                day = Some((i64::from(today.day()).checked_add(*offset)?, false))
            }
            (Month, Part::Variable(Variable { unit: Unit::Month, offset })) => {
                month = Some(i64::from(u8::from(today.month())).checked_add(*offset)?);
            }
            (Year, Part::Variable(Variable { unit: Unit::Year, offset })) => {
                year = year.checked_add(*offset)?
            }
            _ => return None,
        }
    }
    let first = month_start(year.checked_mul(12)?.checked_add(month?)?.checked_sub(1)?)?;
    match day {
        None => Some(first),
        Some((number, true)) => {
            from_parts(first.year(), first.month().into(), u8::try_from(number).ok()?)
        }
        Some((number, false)) => plus_days(first, number.checked_sub(1)?),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::amount::DecimalSeparator;
    use crate::calendar::{format_iso, parse_iso};

    /// Parses on a day in the pattern `dd/MM`, `MM/dd` or `yyyy/MM/dd`.
    fn iso(text: &str, pattern: DatePattern, today: &str) -> String {
        let today = parse_iso(today).unwrap();
        let context = ParseContext { today, pattern, separator: DecimalSeparator::Dot };
        let Some(date) = read(text, &context) else { return "none".to_owned() };
        let iso = format_iso(date.first);
        if date.unit == Unit::Day { iso } else { iso[..7].to_owned() }
    }

    #[track_caller]
    fn check(text: &str, expected: [&str; 3]) {
        let found = DatePattern::ALL.map(|pattern| iso(text, pattern, "2025-05-20"));
        assert_eq!(found, expected, "{text}");
    }

    #[test]
    fn order_of_fields_follows_the_pattern() {
        for (text, expected) in [
            ("03/04/2025", ["2025-04-03", "2025-03-04", "2025-04-03"]),
            ("3/4/2025", ["2025-04-03", "2025-03-04", "2025-04-03"]),
            ("03/04/$y", ["2025-04-03", "2025-03-04", "2025-04-03"]),
            // The year is the current one.
            ("03/04", ["2025-04-03", "2025-03-04", "2025-03-04"]),
        ] {
            check(text, expected);
        }
    }

    #[test]
    fn unambiguous_dates_are_equal_in_all_patterns() {
        for (text, expected) in [
            ("28/01/2013", "2013-01-28"),
            ("01/28/2013", "2013-01-28"),
            ("2025/03/04", "2025-03-04"),
            ("2025/28/01", "2025-01-28"),
            ("29/02/2024", "2024-02-29"),
            ("15/jan/2024", "2024-01-15"),
            ("28/1", "2025-01-28"),
            ("12/31", "2025-12-31"),
            ("7/2018", "2018-07"),
            ("2018/07", "2018-07"),
            ("jan/2013", "2013-01"),
            ("MAR/2013", "2013-03"),
            ("May/2013", "2013-05"),
            ("september/2013", "2013-09"),
            // Composed dates.
            ("$d-15/$m", "2025-05-05"),
            ("15/$m", "2025-05-15"),
            ("$m/15", "2025-05-15"),
            ("01/$m-1/$y", "2025-04-01"),
            ("$m/$y", "2025-05"),
            ("$y/$m", "2025-05"),
            ("$m-1/2024", "2024-04"),
            ("01/$y-1", "2024-01"),
            ("jan/$y", "2025-01"),
            ("$y/03/04", "2025-03-04"),
            // Offsets carry over: day 20 - 30 of May, month 5 + 10 of 2025, day 20 + 20.
            ("$d-30/$m", "2025-04-20"),
            ("15/$m+10", "2026-03-15"),
            ("$d+20/$m/$y", "2025-06-09"),
            ("$m-5/$y", "2024-12"),
        ] {
            check(text, [expected; 3]);
        }
        // The day comes from a variable, so it carries over into the next month.
        assert_eq!(iso("$d/$m-1", DatePattern::DayFirst, "2025-03-31"), "2025-03-03");
    }

    #[test]
    fn invalid_dates_are_rejected() {
        let literals = "30/02/2025 29/02/2025 29/02 32/01/2025 13/13/2025 00/01/2025 01/00/2025 \
                        01/01/0000 01/01/25 1/1/20255 1/2/3/4 1/2/2025/4 // 1/ /2025 1//2025 \
                        01/2025/01 x/2025 1/x -1/2/2025 +1/02/2025 001/02/2025 00/2025 13/2025 \
                        \u{661}/2/2025 sept/2025 ja/2025 j/2025 /";
        let composed = "$d/$d $m/$m $d/$y 31/$m+1 $w/$m $q/$y 15/$w $d/$m/$x today/$m 13/$y $m \
                        1/$m/$y-2025 15/$m+9223372036854775807 $d+9223372036854775807/$m \
                        $m/$y+9223372036854775807 \
                        $d-9223372036854775808/$m/$y-9223372036854775808";
        for text in literals.split(' ').chain(composed.split(' ')) {
            check(text, ["none"; 3]);
        }
    }
}
