//! Numerals: parsed numbers of any length, before rounding.

use crate::named::named;
use rust_decimal::Decimal;

named! {
    /// The character between units and decimals.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
    pub enum DecimalSeparator {
        /// `1,234.56`, the default.
        #[default]
        Dot = "DOT",
        /// `1.234,56`.
        Comma = "COMMA",
    }
}

impl DecimalSeparator {
    pub(crate) const fn character(self) -> char {
        match self {
            Self::Dot => '.',
            Self::Comma => ',',
        }
    }

    /// Returns the separator of the other convention, which separates thousands in this one.
    pub(crate) const fn other(self) -> Self {
        match self {
            Self::Dot => Self::Comma,
            Self::Comma => Self::Dot,
        }
    }
}

/// The notation of a number in free text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Notation {
    /// Whether it uses the separators of the book, not those of the other convention.
    pub(crate) is_own: bool,
    pub(crate) decimals: usize,
}

/// A number `digits` x 10^`exponent`. Digits have no leading or trailing zeros; none means zero.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Numeral {
    negative: bool,
    digits: String,
    exponent: i64,
}

/// Limit of digits of a rounded integer. Larger numbers exceed every other limit.
const MAX_DIGITS: i64 = 30;

impl Numeral {
    /// Parses a plain number, or else one with the separators of the book (behaviour 3.12.3).
    ///
    /// A plain number has a dot and an optional exponent. Thousand separators must precede groups
    /// of three and follow a significant digit, so `12,34` and `0,500` are refused.
    pub(crate) fn read(text: &str, separator: DecimalSeparator) -> Option<Self> {
        let (negative, body) = split_sign(text);
        let parts = parse_plain(body).or_else(|| parse_punctuated(body, separator))?;
        Self::from_parts(&parts, negative)
    }

    /// Parses a number like [`Numeral::read`], but prefers the separators of the book.
    ///
    /// So `1.234` is 1234 in a COMMA book (behaviour 1.2.8).
    pub(crate) fn read_literal(text: &str, separator: DecimalSeparator) -> Option<Self> {
        let (negative, body) = split_sign(text);
        let parts = parse_punctuated(body, separator).or_else(|| parse_plain(body))?;
        Self::from_parts(&parts, negative)
    }

    /// Parses a number without sign or exponent in free text, in the book's or else in the other
    /// convention (behaviour 3.8.2.1).
    pub(crate) fn read_in_text(
        text: &str,
        separator: DecimalSeparator,
    ) -> Option<(Self, Notation)> {
        let own = parse_punctuated(text, separator);
        let is_own = own.is_some();
        let parts = own.or_else(|| parse_punctuated(text, separator.other()))?;
        let notation = Notation { is_own, decimals: parts.fraction.len() };
        Some((Self::from_parts(&parts, false)?, notation))
    }

    fn from_parts(parts: &Parts, negative: bool) -> Option<Self> {
        let Parts { whole, fraction, exponent } = parts;
        if whole.is_empty() && fraction.is_empty() {
            return None;
        }
        let digits = format!("{whole}{fraction}");
        let without_trailing = digits.trim_end_matches('0');
        let significant = without_trailing.trim_start_matches('0');
        let trailing = i64::try_from(digits.len() - without_trailing.len()).ok()?;
        let shift = trailing.saturating_sub(i64::try_from(fraction.len()).ok()?);
        Some(Self {
            negative,
            digits: significant.to_owned(),
            exponent: exponent.saturating_add(shift),
        })
    }

    pub(crate) fn is_zero(&self) -> bool {
        self.digits.is_empty()
    }

    pub(crate) const fn is_negative(&self) -> bool {
        self.negative
    }

    pub(crate) fn equals(&self, value: Decimal) -> bool {
        let value = value.normalize();
        let exponent = -i64::from(value.scale());
        let mantissa = value.mantissa().unsigned_abs().to_string();
        let trimmed = mantissa.trim_end_matches('0');
        let trailing = i64::try_from(mantissa.len() - trimmed.len()).unwrap_or(i64::MAX);
        self.digits == trimmed
            && (trimmed.is_empty() || self.exponent == exponent.saturating_add(trailing))
            && self.negative == value.is_sign_negative()
    }

    /// Rounds the absolute value half-up to an integer at `places` decimal places.
    ///
    /// Returns `None` beyond [`MAX_DIGITS`].
    pub(crate) fn round(&self, places: u32) -> Option<i128> {
        let exponent = self.exponent.saturating_add(i64::from(places));
        let length = i64::try_from(self.digits.len()).ok()?;
        let whole_digits = length.saturating_add(exponent);
        if whole_digits > MAX_DIGITS {
            return None;
        }
        if exponent >= 0 {
            let zeros = usize::try_from(exponent).ok()?;
            return format!("{}{}", self.digits, "0".repeat(zeros)).parse().ok();
        }
        if whole_digits < 0 {
            return Some(0);
        }
        let (head, tail) = self.digits.split_at(usize::try_from(whole_digits).ok()?);
        let units: i128 = if head.is_empty() { 0 } else { head.parse().ok()? };
        Some(if tail >= "5" { units + 1 } else { units })
    }
}

/// Splits off the sign. Returns whether it is a minus, and the rest.
fn split_sign(text: &str) -> (bool, &str) {
    match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    }
}

/// The digits of a number before and after its decimal separator, and its exponent.
#[derive(Debug, Clone)]
struct Parts {
    whole: String,
    fraction: String,
    exponent: i64,
}

/// Parses `digits[.digits][e[+-]digits]`.
fn parse_plain(body: &str) -> Option<Parts> {
    let (mantissa, exponent) = match body.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, parse_exponent(exponent)?),
        None => (body, 0),
    };
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    (all_digits(whole) && all_digits(fraction)).then(|| Parts {
        whole: whole.to_owned(),
        fraction: fraction.to_owned(),
        exponent,
    })
}

fn parse_exponent(text: &str) -> Option<i64> {
    let (negative, digits) = split_sign(text);
    if digits.is_empty() || !all_digits(digits) {
        return None;
    }
    // A very long exponent is clamped to a value beyond every limit.
    let exponent = digits.parse::<i64>().unwrap_or(i64::MAX).min(i64::MAX / 4);
    Some(if negative { -exponent } else { exponent })
}

/// Parses a number with the decimal separator and thousand separators of a convention.
fn parse_punctuated(body: &str, separator: DecimalSeparator) -> Option<Parts> {
    let (decimal, thousand) = (separator.character(), separator.other().character());
    let (whole, fraction) = body.split_once(decimal).unwrap_or((body, ""));
    // All groups must use the same separator.
    let group_separator = whole.chars().find(|c| *c == thousand || is_group_separator(*c));
    let mut groups = whole.split(|c| Some(c) == group_separator);
    let first = groups.next()?;
    // Zero may have any grouping (behaviour 3.12.1).
    let is_significant =
        !first.starts_with('0') || !whole.contains(|c: char| ('1'..='9').contains(&c));
    let is_well_formed = all_digits(first)
        && (group_separator.is_none() || (1..=3).contains(&first.len()) && is_significant)
        && groups.all(|group| group.len() == 3 && all_digits(group))
        && all_digits(fraction);
    is_well_formed.then(|| Parts {
        whole: whole.chars().filter(char::is_ascii_digit).collect(),
        fraction: fraction.to_owned(),
        exponent: 0,
    })
}

/// Returns whether the character separates thousands in every book (behaviour 3.12.3): a space or
/// an apostrophe.
pub(crate) const fn is_group_separator(c: char) -> bool {
    c == ' ' || is_fixed_space(c) || is_apostrophe(c)
}

/// Returns whether the character is a non-breaking or thin space.
pub(crate) const fn is_fixed_space(c: char) -> bool {
    matches!(c, '\u{a0}' | '\u{2007}' | '\u{2009}' | '\u{202f}')
}

/// Returns whether the character is used as an apostrophe.
pub(crate) const fn is_apostrophe(c: char) -> bool {
    matches!(c, '\'' | '\u{2019}' | '\u{b4}' | '`')
}

fn all_digits(text: &str) -> bool {
    text.bytes().all(|b| b.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::{items, shared_cases, text_in};

    #[test]
    fn numbers_are_read_like_in_the_console() {
        let cases = shared_cases(include_str!("../../../tests/cases/numbers.json"));
        for case in items(&cases) {
            let separator = DecimalSeparator::from_name(text_in(case, "separator")).unwrap();
            let read = Numeral::read_in_text(text_in(case, "text"), separator);
            match case["value"].as_str() {
                None => assert_eq!(read, None, "{case}"),
                Some(value) => {
                    let (numeral, _) = read.unwrap_or_else(|| panic!("{case}"));
                    assert!(numeral.equals(value.parse().unwrap()), "{case}");
                }
            }
        }
    }

    #[test]
    fn numbers_are_rounded_like_in_the_console() {
        let cases = shared_cases(include_str!("../../../tests/cases/amounts.json"));
        for case in items(&cases["rounded"]) {
            let numeral = Numeral::read(text_in(case, "value"), DecimalSeparator::Dot).unwrap();
            let places = u32::try_from(case["digits"].as_u64().unwrap()).unwrap();
            let result: Decimal = text_in(case, "result").parse().unwrap();
            let units = numeral.round(places).unwrap();
            assert_eq!((units, places), (result.mantissa().abs(), result.scale()), "{case}");
        }
    }
}
