//! The notation of amounts, percentages and instants.

use daybook_domain::amount::{DecimalSeparator, write_units};
use daybook_domain::book::Book;
use daybook_domain::instant::Instant;
use daybook_domain::report::{Control, Heading};
use time::{Date, Duration, OffsetDateTime};

/// How the numbers of a report are written.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Notation {
    scale: u32,
    fraction_digits: u32,
    separator: DecimalSeparator,
}

impl Notation {
    pub(crate) const fn new(heading: &Heading, separator: DecimalSeparator) -> Self {
        let Heading { scale, fraction_digits, .. } = *heading;
        Self { scale, fraction_digits, separator }
    }

    /// Returns the notation of the amounts of a book.
    pub(crate) const fn of_book(book: &Book, separator: DecimalSeparator) -> Self {
        let (scale, fraction_digits) = (book.scale, book.settings.fraction_digits);
        Self { scale, fraction_digits, separator }
    }

    /// Returns the notation of tenths of a percent.
    pub(crate) const fn percent(self) -> Self {
        Self { scale: 1, fraction_digits: 1, ..self }
    }

    /// Returns the notation of whole numbers.
    const fn whole(self) -> Self {
        Self { scale: 0, fraction_digits: 0, ..self }
    }

    /// Writes an amount without thousands separators, such as `-1234.50`.
    pub(crate) fn plain(self, units: i128) -> String {
        let text = write_units(units, self.scale, self.fraction_digits);
        match self.separator {
            DecimalSeparator::Dot => text,
            DecimalSeparator::Comma => text.replace('.', ","),
        }
    }

    /// Writes an amount with thousands separators, such as `-1,234.50`.
    pub(crate) fn grouped(self, units: i128) -> String {
        let (decimal, thousands) = match self.separator {
            DecimalSeparator::Dot => ('.', ','),
            DecimalSeparator::Comma => (',', '.'),
        };
        let text = write_units(units, self.scale, self.fraction_digits);
        let whole = text.split('.').next().unwrap_or_default();
        let digits = whole.trim_start_matches('-').len();
        let mut grouped = String::with_capacity(text.len() + digits / 3);
        let mut left = digits;
        for character in text.chars() {
            match character {
                '.' => grouped.push(decimal),
                '0'..='9' if left > 0 => {
                    if left < digits && left.is_multiple_of(3) {
                        grouped.push(thousands);
                    }
                    left -= 1;
                    grouped.push(character);
                }
                _ => grouped.push(character),
            }
        }
        grouped
    }

    /// Writes both sides of a control, such as `5.00 = 5.00`.
    pub(crate) fn comparison(self, control: &Control) -> String {
        let notation = if control.is_count { self.whole() } else { self };
        let (left, right) = (notation.grouped(control.left), notation.grouped(control.right));
        if control.holds() {
            return format!("{left} = {right}");
        }
        let difference = notation.grouped(control.left.saturating_sub(control.right));
        format!("{left} \u{2260} {right} (difference {difference})")
    }
}

/// Formats an instant as RFC 3339 in UTC with milliseconds.
pub(crate) fn rfc3339(at: Instant) -> String {
    let (date, time) = (utc(at).date(), utc(at).time());
    let day = daybook_domain::calendar::format_iso(date);
    let (hour, minute, second, millisecond) = time.as_hms_milli();
    format!("{day}T{hour:02}:{minute:02}:{second:02}.{millisecond:03}Z")
}

/// Formats an instant for people, such as `2026-10-31 17:05:09`, in UTC.
pub(crate) fn clock(at: Instant) -> String {
    let (hour, minute, second) = utc(at).time().as_hms();
    let day = daybook_domain::calendar::format_iso(utc(at).date());
    format!("{day} {hour:02}:{minute:02}:{second:02}")
}

/// Returns the day of an instant in UTC.
pub(crate) fn day_of(at: Instant) -> Date {
    utc(at).date()
}

/// Returns the time and the day in UTC as MS-DOS has them: in steps of two seconds, from 1980.
pub(crate) fn dos_time(at: Instant) -> (u16, u16) {
    let (hour, minute, second) = utc(at).time().as_hms();
    let time = u16::from(hour) << 11 | u16::from(minute) << 5 | u16::from(second / 2);
    let (year, month, day) = utc(at).date().to_calendar_date();
    let years = year.checked_sub(1980).and_then(|years| u16::try_from(years).ok());
    let date = years
        .filter(|years| *years < 128)
        .map_or(1 << 5 | 1, |years| years << 9 | u16::from(u8::from(month)) << 5 | u16::from(day));
    (time, date)
}

/// Converts an instant; one outside of the calendar, which the API never makes, becomes the epoch.
fn utc(at: Instant) -> OffsetDateTime {
    let epoch = OffsetDateTime::UNIX_EPOCH;
    epoch.checked_add(Duration::milliseconds(at.milliseconds())).unwrap_or(epoch)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_have_separators() {
        let dot = Notation { scale: 2, fraction_digits: 2, separator: DecimalSeparator::Dot };
        let comma = Notation { separator: DecimalSeparator::Comma, ..dot };
        let whole = Notation { scale: 0, fraction_digits: 0, ..dot };
        let fine = Notation { scale: 8, ..dot };
        for (notation, units, plain, grouped) in [
            (dot, 0, "0.00", "0.00"),
            (dot, -123, "-1.23", "-1.23"),
            (dot, 99_999, "999.99", "999.99"),
            (dot, 100_000, "1000.00", "1,000.00"),
            (comma, -123_456_789, "-1234567,89", "-1.234.567,89"),
            (whole, -123_456, "-123456", "-123,456"),
            (fine, 123_456_789_012, "1234.56789012", "1,234.56789012"),
            (dot.percent(), -1255, "-125.5", "-125.5"),
        ] {
            assert_eq!(notation.plain(units), plain);
            assert_eq!(notation.grouped(units), grouped);
        }
    }

    #[test]
    fn instants_are_written_in_utc() {
        let at = Instant::new(1_793_466_309_007);
        assert_eq!(rfc3339(at), "2026-10-31T17:05:09.007Z");
        assert_eq!(clock(at), "2026-10-31 17:05:09");
        assert_eq!(rfc3339(Instant::new(-1)), "1969-12-31T23:59:59.999Z");
        assert_eq!(rfc3339(Instant::new(i64::MAX)), "1970-01-01T00:00:00.000Z");
    }
}
