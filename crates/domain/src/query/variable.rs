//! Variables: `$d`, `$w`, `$m`, `$q`, `$y` with an offset, `today` and `yesterday` (behaviour
//! 1.3.5).

use time::Date;

use super::days::plus_days;
use super::unit::Unit;
use crate::calendar::{month_index, month_start};

/// A variable with its offset.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Variable {
    pub(super) unit: Unit,
    /// The number of units from now.
    pub(super) offset: i64,
}

impl Variable {
    /// Parses `$`, a letter, and an optional sign with digits. The offset must fit 64 bits.
    pub(super) fn read(text: &str) -> Option<Self> {
        let mut chars = text.strip_prefix('$')?.chars();
        let unit = match chars.next()?.to_ascii_lowercase() {
            'd' => Unit::Day,
            'w' => Unit::Week,
            'm' => Unit::Month,
            'q' => Unit::Quarter,
            'y' => Unit::Year,
            _ => return None,
        };
        Some(Self { unit, offset: parse_offset(chars.as_str())? })
    }

    /// Parses `today` and `yesterday`.
    pub(super) fn read_word(text: &str) -> Option<Self> {
        let offset = match text.to_ascii_lowercase().as_str() {
            "today" => 0,
            "yesterday" => -1,
            _ => return None,
        };
        Some(Self { unit: Unit::Day, offset })
    }

    /// Formats the variable without an offset of 0 (behaviour 5.9).
    pub(super) fn format(self) -> String {
        let letter = match self.unit {
            Unit::Day => 'd',
            Unit::Week => 'w',
            Unit::Month => 'm',
            Unit::Quarter => 'q',
            Unit::Year => 'y',
        };
        if self.offset == 0 { format!("${letter}") } else { format!("${letter}{:+}", self.offset) }
    }

    /// Returns the first and the last day of the span.
    pub(super) fn days(self, today: Date) -> Option<(Date, Date)> {
        let first = self.first(today, self.offset)?;
        Some((first, self.unit.last(first)?))
    }

    /// Returns the bound of `after:` and `before:`: the day itself, or the first day after a longer
    /// span.
    pub(super) fn bound(self, today: Date) -> Option<Date> {
        let shift = i64::from(self.unit != Unit::Day);
        self.first(today, self.offset.checked_add(shift)?)
    }

    fn first(self, today: Date, offset: i64) -> Option<Date> {
        let month = month_index(today);
        let start = match self.unit {
            Unit::Day => today,
            Unit::Week => {
                return plus_days(
                    today,
                    offset.checked_mul(7)?.checked_sub(days_since_monday(today))?,
                );
            }
            Unit::Month => month_start(month)?,
            Unit::Quarter => month_start(month - month % 3)?,
            Unit::Year => month_start(month - month % 12)?,
        };
        self.unit.plus(start, offset)
    }
}

fn days_since_monday(day: Date) -> i64 {
    i64::from(day.weekday().number_days_from_monday())
}

fn parse_offset(text: &str) -> Option<i64> {
    let digits = match text.strip_prefix(['+', '-']) {
        Some(digits) => digits,
        None if text.is_empty() => return Some(0),
        None => return None,
    };
    let is_number = !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit());
    if is_number { text.parse().ok() } else { None }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::calendar::{format_iso, parse_iso};

    #[test]
    fn variables_are_resolved() {
        // Today is a Tuesday.
        let today = parse_iso("2025-05-20").unwrap();
        for (text, first, last, bound) in [
            ("$d", "2025-05-20", "2025-05-20", "2025-05-20"),
            ("$d-30", "2025-04-20", "2025-04-20", "2025-04-20"),
            ("$D+12", "2025-06-01", "2025-06-01", "2025-06-01"),
            ("$m", "2025-05-01", "2025-05-31", "2025-06-01"),
            ("$m-12", "2024-05-01", "2024-05-31", "2024-06-01"),
            ("$m+8", "2026-01-01", "2026-01-31", "2026-02-01"),
            ("$m-15", "2024-02-01", "2024-02-29", "2024-03-01"),
            ("$y", "2025-01-01", "2025-12-31", "2026-01-01"),
            ("$y-1", "2024-01-01", "2024-12-31", "2025-01-01"),
            ("$w", "2025-05-19", "2025-05-25", "2025-05-26"),
            ("$w-1", "2025-05-12", "2025-05-18", "2025-05-19"),
            ("$q", "2025-04-01", "2025-06-30", "2025-07-01"),
            ("$q-2", "2024-10-01", "2024-12-31", "2025-01-01"),
            ("$q+003", "2026-01-01", "2026-03-31", "2026-04-01"),
        ] {
            let variable = Variable::read(text).unwrap();
            let days = variable.days(today).unwrap();
            let found = [days.0, days.1, variable.bound(today).unwrap()].map(format_iso);
            assert_eq!(found, [first, last, bound], "{text}");
        }
        let invalid = "$ m $x $m+ $m- $m1 $m+-1 $m+1.5 $mm $m+99999999999999999999 $ç $m+\u{661}";
        for text in invalid.split(' ').chain([""]) {
            assert_eq!(Variable::read(text), None, "{text}");
        }
    }

    #[test]
    fn offsets_beyond_the_calendar_have_no_days() {
        let today = parse_iso("2025-05-20").unwrap();
        for letter in ["d", "w", "m", "q", "y"] {
            for offset in ["+9223372036854775807", "-9223372036854775808", "+99999999", "-99999999"]
            {
                let variable = Variable::read(&format!("${letter}{offset}")).unwrap();
                let found = (variable.days(today), variable.bound(today));
                assert_eq!(found, (None, None), "{letter}{offset}");
            }
        }
        let last_year = Variable::read("$y+7974").unwrap();
        assert!(last_year.days(today).is_some());
        assert_eq!(last_year.bound(today), None);
    }

    #[test]
    fn zero_offset_is_not_formatted() {
        for (text, written) in [
            ("$m", "$m"),
            ("$m+0", "$m"),
            ("$w-01", "$w-1"),
            ("$y+2", "$y+2"),
            ("$q", "$q"),
            ("$d-5", "$d-5"),
        ] {
            assert_eq!(Variable::read(text).unwrap().format(), written);
        }
        assert_eq!(Variable::read_word("Yesterday").unwrap().format(), "$d-1");
    }
}
