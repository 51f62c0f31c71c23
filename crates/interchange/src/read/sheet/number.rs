//! Numbers and days of workbooks as text.

use daybook_domain::calendar::format_iso;
use time::{Date, Duration, Month};

/// The digits that a spreadsheet shows of a number.
///
/// Files have 17, so that 1234.6 is `1234.5999999999999`.
const SHOWN_DIGITS: usize = 15;

/// The largest exponent of a floating point number, and a little more.
const MAX_EXPONENT: i32 = 400;

/// The day from which a workbook counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Epoch {
    /// Day 1 is 1 January 1900, and there is a day 60, 29 February 1900, which did not exist.
    #[default]
    From1900,
    /// Day 0 is 1 January 1904.
    From1904,
}

/// The meaning that the format of a cell gives to a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Display {
    #[default]
    Number,
    /// A day, perhaps with a time.
    Date,
    Time,
}

/// Returns the text of a number of a cell.
///
/// `shift` moves the decimal mark to the right. A text that is not a number stays.
pub(crate) fn cell_text(number: &str, shift: i32, display: Display, epoch: Epoch) -> String {
    let Some(decimal) = decimal(number, shift) else { return number.trim().to_owned() };
    let shown = match display {
        Display::Number => None,
        Display::Date => day(&decimal, epoch),
        Display::Time => time(&decimal),
    };
    shown.unwrap_or_else(|| unambiguous(decimal))
}

/// Returns a number without an exponent, and without digits that only come from its storage.
///
/// An integer without an exponent keeps all of its digits.
fn decimal(number: &str, shift: i32) -> Option<String> {
    let number = number.trim();
    let (mantissa, exponent) = number.split_once(['e', 'E']).unwrap_or((number, "0"));
    let exponent: i32 = exponent.parse().ok()?;
    let exponent = exponent.checked_add(shift)?;
    let (sign, mantissa) = match mantissa.strip_prefix('-') {
        Some(rest) => ("-", rest),
        None => ("", mantissa.strip_prefix('+').unwrap_or(mantissa)),
    };
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let is_digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    let is_empty = whole.is_empty() && fraction.is_empty();
    let is_valid = is_digits(whole) && is_digits(fraction) && !is_empty;
    if !is_valid || number.len() > 100 || !(-MAX_EXPONENT..=MAX_EXPONENT).contains(&exponent) {
        return None;
    }
    if exponent == 0 && fraction.is_empty() {
        let whole = whole.trim_start_matches('0');
        return Some(if whole.is_empty() { "0".to_owned() } else { format!("{sign}{whole}") });
    }
    let all = [whole, fraction].concat();
    let digits = all.trim_start_matches('0');
    // How many digits stand before the decimal mark, also below zero.
    let leading = all.len() - digits.len();
    let mut point = i32::try_from(whole.len()).ok()?.checked_add(exponent)?;
    point = point.checked_sub(i32::try_from(leading).ok()?)?;
    let (digits, carry) = round(digits);
    point = point.saturating_add(i32::from(carry));
    if digits.is_empty() {
        return Some("0".to_owned());
    }
    let (whole, fraction) = match usize::try_from(point) {
        Ok(point) if point >= digits.len() => {
            let zeros = "0".repeat(point - digits.len());
            (format!("{digits}{zeros}"), String::new())
        }
        Ok(point) if point > 0 => {
            let (whole, fraction) = digits.split_at_checked(point)?;
            (whole.to_owned(), fraction.to_owned())
        }
        Ok(_) | Err(_) => {
            let zeros = usize::try_from(point.unsigned_abs()).ok()?;
            ("0".to_owned(), "0".repeat(zeros) + &digits)
        }
    };
    let mark = if fraction.is_empty() { "" } else { "." };
    Some(format!("{sign}{whole}{mark}{fraction}"))
}

/// Rounds to the digits that are shown, and returns whether there is one more before the mark.
fn round(digits: &str) -> (String, bool) {
    let Some((kept, rest)) = digits.split_at_checked(SHOWN_DIGITS) else {
        return (digits.trim_end_matches('0').to_owned(), false);
    };
    if !rest.starts_with(['5', '6', '7', '8', '9']) {
        return (kept.trim_end_matches('0').to_owned(), false);
    }
    let kept = kept.trim_end_matches('9');
    let Some(last) = kept.chars().next_back() else { return ("1".to_owned(), true) };
    let next = last.to_digit(10).and_then(|digit| char::from_digit(digit + 1, 10));
    let before = kept.strip_suffix(last).unwrap_or(kept);
    (next.map_or_else(|| kept.to_owned(), |next| format!("{before}{next}")), false)
}

/// Adds a zero to three decimal places, which could be a group of thousands.
fn unambiguous(mut decimal: String) -> String {
    if decimal.split_once('.').is_some_and(|(_, fraction)| fraction.len() == 3) {
        decimal.push('0');
    }
    decimal
}

const DAY_SECONDS: u64 = 86_400;

/// Returns an ISO date, with a time unless it is midnight.
fn day(decimal: &str, epoch: Epoch) -> Option<String> {
    let (whole, fraction) = decimal.split_once('.').unwrap_or((decimal, ""));
    let mut number: i64 = whole.parse().ok()?;
    let mut seconds = seconds(fraction)?;
    if seconds == DAY_SECONDS {
        (number, seconds) = (number + 1, 0);
    }
    let (year, month, day) = match epoch {
        Epoch::From1904 => (1904, Month::January, 1),
        Epoch::From1900 if number > 60 => (1899, Month::December, 30),
        Epoch::From1900 if (1..60).contains(&number) => (1899, Month::December, 31),
        Epoch::From1900 => return None,
    };
    if whole.starts_with('-') || number > 3_000_000 {
        return None;
    }
    let first = Date::from_calendar_date(year, month, day).ok()?;
    let date = format_iso(first.checked_add(Duration::days(number))?);
    Some(if seconds == 0 { date.to_string() } else { format!("{date} {}", clock(seconds)) })
}

fn time(decimal: &str) -> Option<String> {
    let (whole, fraction) = decimal.split_once('.').unwrap_or((decimal, ""));
    let seconds = seconds(fraction).filter(|_| whole == "0")?;
    (seconds < DAY_SECONDS).then(|| clock(seconds))
}

/// Returns the seconds that the digits of a fraction of a day are, to the nearest second.
fn seconds(fraction: &str) -> Option<u64> {
    let digits: String = fraction.chars().chain("000000000".chars()).take(9).collect();
    let billionths: u64 = digits.parse().ok()?;
    Some((billionths * DAY_SECONDS + 500_000_000) / 1_000_000_000)
}

fn clock(seconds: u64) -> String {
    format!("{:02}:{:02}:{:02}", seconds / 3_600, seconds / 60 % 60, seconds % 60)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_exact() {
        for (number, shift, expected) in [
            ("0.1", 0, "0.1"),
            ("-900", 0, "-900"),
            ("1234.5999999999999", 0, "1234.6"),
            ("0.30000000000000004", 0, "0.3"),
            ("999999999999999.96", 0, "1000000000000000"),
            ("0.99999999999999989", 0, "1"),
            ("12345678901234567890", 0, "12345678901234567890"),
            ("1E-3", 0, "0.0010"),
            ("1.5e2", 0, "150"),
            ("1.25E+16", 0, "12500000000000000"),
            ("1.234", 0, "1.2340"),
            ("-1234", -2, "-12.34"),
            ("5", -2, "0.05"),
            ("00.50", 0, "0.5"),
            ("-0.0", 0, "0"),
            ("000", 0, "0"),
            (".5", 0, "0.5"),
            (" 7 ", 0, "7"),
            ("x", 0, "x"),
            ("1e999", 0, "1e999"),
            (".", 0, "."),
            ("1.2.3", 0, "1.2.3"),
            ("", 0, ""),
        ] {
            let found = cell_text(number, shift, Display::Number, Epoch::From1900);
            assert_eq!(found, expected, "{number} {shift}");
        }
    }

    #[test]
    fn serials_are_days() {
        for (number, display, epoch, expected) in [
            ("46024", Display::Date, Epoch::From1900, "2026-01-02"),
            ("44562", Display::Date, Epoch::From1904, "2026-01-02"),
            ("46024.75", Display::Date, Epoch::From1900, "2026-01-02 18:00:00"),
            ("46023.99999999999", Display::Date, Epoch::From1900, "2026-01-02"),
            ("46024.99998", Display::Date, Epoch::From1900, "2026-01-02 23:59:58"),
            ("1", Display::Date, Epoch::From1900, "1900-01-01"),
            ("61", Display::Date, Epoch::From1900, "1900-03-01"),
            ("60", Display::Date, Epoch::From1900, "60"),
            ("-5", Display::Date, Epoch::From1900, "-5"),
            ("99999999", Display::Date, Epoch::From1900, "99999999"),
            ("0.5", Display::Time, Epoch::From1900, "12:00:00"),
            ("1.5", Display::Time, Epoch::From1900, "1.5"),
        ] {
            assert_eq!(cell_text(number, 0, display, epoch), expected, "{number}");
        }
    }
}
