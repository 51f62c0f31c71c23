//! Amounts, from behaviour 3.12: integers in units of 10^-8, parsed in units of 10^-12.

use crate::decimal;
use crate::sim::facts::{Refusal, Settings};

/// Decimals of a parsed value. No text of a trace has more.
const FINE: u32 = 12;

/// A parsed amount, before any precision is applied.
#[derive(Clone, Copy, Debug)]
pub enum Reading {
    /// In units of 10^-12.
    Value(i128),
    /// Beyond every limit.
    Huge,
}

/// Parses a text; `None` for a missing or zero amount (3.12.1).
pub fn read(text: &str, separator: &str) -> Result<Option<Reading>, Refusal> {
    let text = text.trim();
    if text.is_empty() {
        return Ok(None);
    }
    let (negative, body) = match text.strip_prefix('-') {
        Some(body) => (true, body),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    let plain =
        plain(body).or_else(|| plain(&unpunctuated(body, separator)?)).ok_or_else(Refusal::bad)?;
    match plain {
        Reading::Value(0) => Ok(None),
        _ if negative => Err(Refusal::bad()),
        reading => Ok(Some(reading)),
    }
}

/// Rounds an amount half-up to the book's digits and checks the range of its scale.
pub fn record(reading: Reading, settings: &Settings, scale: u32) -> Result<i128, Refusal> {
    let Reading::Value(fine) = reading else { return Err(Refusal::bad()) };
    let unit = 10_i128.pow(FINE - settings.digits);
    let units = (fine + unit / 2) / unit * 10_i128.pow(8 - settings.digits);
    if units == 0 || !fits(units, scale) { Err(Refusal::bad()) } else { Ok(units) }
}

/// Whether a scale can store an amount (3.12.5).
pub fn fits(units: i128, scale: u32) -> bool {
    units <= i128::from(i64::MAX) * 10_i128.pow(8 - scale)
}

/// Whether a text means the stored amount (3.10.5).
pub fn is_stored(reading: Reading, stored: i128) -> bool {
    matches!(reading, Reading::Value(fine) if fine == stored * 10_000)
}

/// Formats an amount as the API does (3.12.6).
pub fn show(units: i128, digits: u32) -> String {
    decimal::show(units, usize::try_from(digits).expect("few digits"))
}

/// Parses `digits[.digits][e[+-]digits]`.
fn plain(text: &str) -> Option<Reading> {
    let (mantissa, exponent) = match text.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, exponent.parse::<i32>().ok()?),
        None => (text, 0),
    };
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits = format!("{whole}{fraction}");
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let value: i128 = digits.parse().ok()?;
    let shift = i32::try_from(FINE).ok()? + exponent - i32::try_from(fraction.len()).ok()?;
    if value == 0 {
        return Some(Reading::Value(0));
    }
    match u32::try_from(shift) {
        Ok(shift) => Some(
            10_i128
                .checked_pow(shift)
                .and_then(|power| value.checked_mul(power))
                .map_or(Reading::Huge, Reading::Value),
        ),
        // A remainder, however small, rounds to zero but is not zero.
        Err(_) => Some(Reading::Value(
            (value / 10_i128.checked_pow(shift.unsigned_abs()).unwrap_or(i128::MAX)).max(1),
        )),
    }
}

/// Converts an amount in the book's punctuation to a plain number (3.12.3).
fn unpunctuated(text: &str, separator: &str) -> Option<String> {
    let (decimal, thousand) = if separator == "COMMA" { (',', '.') } else { ('.', ',') };
    let (whole, fraction) = text.split_once(decimal).unwrap_or((text, "0"));
    let groups = groups(whole, thousand);
    let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    if !digits(fraction)
        || !groups.iter().all(|group| digits(group))
        || fraction.is_empty() && whole.is_empty()
    {
        return None;
    }
    let grouped = groups.len() > 1;
    if grouped
        && (!(1..=3).contains(&groups[0].len())
            || groups[0].starts_with('0')
                && !groups.iter().all(|group| group.trim_matches('0').is_empty())
            || groups[1..].iter().any(|group| group.len() != 3))
    {
        return None;
    }
    Some(format!("{}.{}", groups.concat(), if fraction.is_empty() { "0" } else { fraction }))
}

/// Splits a whole number into its groups, which all have the same separator.
pub fn groups(whole: &str, thousand: char) -> Vec<&str> {
    let between = whole.chars().find(|c| *c == thousand || " '\u{a0}\u{202f}\u{2019}".contains(*c));
    whole.split(|c| Some(c) == between).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_of_3_12() {
        let settings = |digits| Settings {
            name: String::new(),
            auto_post: true,
            closing: None,
            lock: None,
            pattern: String::new(),
            separator: "DOT".to_owned(),
            digits,
            page_size: 100,
            period: String::new(),
            start_month: String::new(),
            zone: String::new(),
            visibility: String::new(),
            properties: Default::default(),
        };
        let shown =
            |text: &str, separator: &str, digits: u32, scale: u32| match read(text, separator) {
                Err(_) => "refused".to_owned(),
                Ok(None) => "none".to_owned(),
                Ok(Some(reading)) => record(reading, &settings(digits), scale)
                    .map_or("refused".to_owned(), |units| show(units, digits)),
            };
        for (text, separator, expected) in [
            ("100.5", "DOT", "100.50"),
            ("1e2", "DOT", "100.00"),
            ("1,234.56", "DOT", "1234.56"),
            ("1.234,56", "COMMA", "1234.56"),
            ("1.234", "COMMA", "1.23"),
            ("12,34", "DOT", "refused"),
            ("1.005", "DOT", "1.01"),
            ("0.004", "DOT", "refused"),
            ("0.0000000001", "DOT", "refused"),
            ("0.00", "DOT", "none"),
            ("-0", "DOT", "none"),
            ("-1", "DOT", "refused"),
            ("1e30", "DOT", "refused"),
            ("92233720368547758.07", "DOT", "92233720368547758.07"),
            ("92233720368547758.08", "DOT", "refused"),
        ] {
            assert_eq!(shown(text, separator, 2, 2), expected, "{text}");
        }
        assert_eq!(shown("92233720369", "DOT", 2, 8), "refused");
    }
}
