//! Amounts: exact positive decimals, and how they are parsed, rounded, limited and formatted
//! (behaviour 3.12).

use rust_decimal::Decimal;

use crate::digits::push_number;
pub use crate::numeral::DecimalSeparator;
use crate::numeral::{Notation, Numeral};
use crate::reason::Reason;

/// Maximum number of decimal places of a book.
pub const MAX_FRACTION_DIGITS: u32 = 8;

/// The precision with which a book reads and stores amounts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Precision {
    /// The decimal places that new amounts are rounded to (`fractionDigits`, 0 to 8).
    pub fraction_digits: u32,
    /// The storage scale in decimal places. It is at least `fraction_digits` and never decreases
    /// (behaviour 3.12.7).
    pub scale: u32,
    /// The decimal separator of amounts in text.
    pub separator: DecimalSeparator,
}

/// Why an amount was refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[expect(missing_docs, reason = "each variant has its message")]
pub enum Refusal {
    #[error("amount {0} is negative: swap creditAccount and debitAccount instead")]
    Negative(String),
    #[error("amount \"{0}\" is not a number")]
    NotANumber(String),
    #[error("amount {0} rounds to zero at {1} decimal places")]
    RoundsToZero(String, u32),
    #[error("amount {0} exceeds the limit of {1}")]
    BeyondLimit(String, Decimal),
}

impl Refusal {
    pub(crate) const fn reason(&self) -> Reason {
        Reason::BadRequest
    }
}

/// An exact positive amount.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Amount(Decimal);

impl Amount {
    /// Creates the amount of `units` at `scale` decimal places; `None` for zero or less.
    pub fn from_units(units: i64, scale: u32) -> Option<Self> {
        (units > 0).then(|| Self(Decimal::from_i128_with_scale(i128::from(units), scale)))
    }

    /// Returns the amount as an integer at `scale` decimal places; `None` when it does not fit.
    pub fn units(self, scale: u32) -> Option<i64> {
        let mut scaled = self.0;
        scaled.rescale(scale);
        if scaled != self.0 || scaled.scale() != scale {
            return None;
        }
        i64::try_from(scaled.mantissa()).ok()
    }

    /// Returns the value.
    pub const fn value(self) -> Decimal {
        self.0
    }

    /// Returns the absolute difference of two amounts; `None` when they are equal.
    #[must_use]
    pub fn difference(self, other: Self) -> Option<Self> {
        // Both are positive and below 2^63 units, so the difference neither overflows nor rounds.
        let difference = (self.0 - other.0).abs();
        (!difference.is_zero()).then_some(Self(difference))
    }
}

/// An amount from a request body, before rounding.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ParsedAmount {
    text: String,
    numeral: Numeral,
}

impl ParsedAmount {
    /// Returns whether it equals the stored amount, which is not rounded again then (behaviour
    /// 3.10.5).
    pub fn equals(&self, stored: Amount) -> bool {
        self.numeral.equals(stored.0)
    }

    /// Rounds half-up to the fraction digits of the book and checks the limit.
    ///
    /// # Errors
    /// [`Refusal::RoundsToZero`] and [`Refusal::BeyondLimit`].
    pub fn round(&self, precision: Precision) -> Result<Amount, Refusal> {
        let limit = limit(precision.scale);
        let too_large = || Refusal::BeyondLimit(self.text.clone(), limit);
        let units = self.numeral.round(precision.fraction_digits).ok_or_else(too_large)?;
        if units == 0 {
            return Err(Refusal::RoundsToZero(self.text.clone(), precision.fraction_digits));
        }
        let value = Decimal::try_from_i128_with_scale(units, precision.fraction_digits)
            .map_err(|_| too_large())?;
        if value > limit { Err(too_large()) } else { Ok(Amount(value)) }
    }
}

/// Parses an amount of a request body. Zero and blank text are `None` (behaviour 3.12.1).
///
/// ```
/// use daybook_domain::amount::{DecimalSeparator, Precision, read};
/// let comma = Precision { fraction_digits: 2, scale: 2, separator: DecimalSeparator::Comma };
/// let amount = read("1.234,56", comma.separator).unwrap().unwrap();
/// assert_eq!(amount.round(comma).unwrap().value().to_string(), "1234.56");
/// assert!(read("-0.00", comma.separator).unwrap().is_none());
/// ```
///
/// # Errors
/// [`Refusal::Negative`] and [`Refusal::NotANumber`].
pub fn read(text: &str, separator: DecimalSeparator) -> Result<Option<ParsedAmount>, Refusal> {
    let text = text.trim();
    if text.is_empty() {
        return Ok(None);
    }
    // Messages contain at most 60 characters of the input.
    let excerpt = || text.chars().take(60).collect::<String>();
    let numeral = Numeral::read(text, separator).ok_or_else(|| Refusal::NotANumber(excerpt()))?;
    if numeral.is_zero() {
        return Ok(None);
    }
    if numeral.is_negative() {
        return Err(Refusal::Negative(excerpt()));
    }
    Ok(Some(ParsedAmount { text: excerpt(), numeral }))
}

/// Parses an amount that may be zero or negative, and rounds it like [`ParsedAmount::round`].
///
/// A text that equals `stored` is not rounded again (behaviour 3.10.5).
///
/// # Errors
/// [`Refusal::NotANumber`], also for a blank text, and those of [`ParsedAmount::round`].
pub(crate) fn read_signed(
    text: &str,
    stored: Option<Decimal>,
    precision: Precision,
) -> Result<Decimal, Refusal> {
    let excerpt: String = text.trim().chars().take(60).collect();
    let Some(numeral) = Numeral::read(text.trim(), precision.separator) else {
        return Err(Refusal::NotANumber(excerpt));
    };
    if let Some(stored) = stored.filter(|stored| numeral.equals(*stored)) {
        return Ok(stored);
    }
    if numeral.is_zero() {
        return Ok(Decimal::from_i128_with_scale(0, precision.fraction_digits));
    }
    let is_negative = numeral.is_negative();
    let magnitude = ParsedAmount { text: excerpt, numeral }.round(precision)?.value();
    Ok(if is_negative { -magnitude } else { magnitude })
}

/// Parses a number in free text, in the book's or the other convention (behaviour 3.8.2.1).
///
/// Zero is `None`.
pub(crate) fn read_in_text(
    text: &str,
    separator: DecimalSeparator,
) -> Option<(ParsedAmount, Notation)> {
    let (numeral, notation) = Numeral::read_in_text(text, separator)?;
    (!numeral.is_zero()).then(|| (ParsedAmount { text: text.to_owned(), numeral }, notation))
}

/// Returns the largest amount at a storage scale: 9223372036854775807 / 10^scale (behaviour
/// 3.12.5).
pub fn limit(scale: u32) -> Decimal {
    Decimal::from_i128_with_scale(i128::from(i64::MAX), scale)
}

/// Formats a number with at least `fraction_digits` decimals (behaviour 3.12.6).
///
/// The result is never a negative zero and has no exponent.
///
/// ```
/// use daybook_domain::amount::write;
/// use rust_decimal::Decimal;
/// assert_eq!(write(Decimal::new(1005, 1), 2), "100.50");
/// assert_eq!(write(Decimal::new(10, 4), 2), "0.001");
/// assert_eq!(write(-Decimal::ZERO, 2), "0.00");
/// ```
pub fn write(value: Decimal, fraction_digits: u32) -> String {
    write_units(value.mantissa(), value.scale(), fraction_digits)
}

/// Formats an integer at a storage scale like [`write`].
pub fn write_units(units: i128, scale: u32, fraction_digits: u32) -> String {
    let mut text = String::with_capacity(USUAL_LENGTH);
    push_units(&mut text, units, scale, fraction_digits);
    text
}

/// Appends an integer at a storage scale to a text, formatted like [`write`].
pub fn push_units(text: &mut String, units: i128, scale: u32, fraction_digits: u32) {
    let (mut magnitude, mut places) = (units.unsigned_abs(), scale);
    while places > fraction_digits && magnitude.is_multiple_of(10) {
        magnitude /= 10;
        places -= 1;
    }
    let width = usize::try_from(places).unwrap_or_default();
    let missing = usize::try_from(fraction_digits.saturating_sub(places)).unwrap_or_default();
    if units < 0 {
        text.push('-');
    }
    let begin = text.len();
    push_number(text, magnitude, width + 1);
    while text.len() <= begin + width {
        text.insert(begin, '0');
    }
    if width + missing > 0 {
        text.insert(text.len() - width, '.');
    }
    text.extend(std::iter::repeat_n('0', missing));
}

/// Capacity for most amounts, in bytes.
const USUAL_LENGTH: usize = 24;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::{items, shared_cases, text_in};

    #[test]
    fn units_are_formatted_exactly() {
        for (units, scale, digits, expected) in [
            (0, 2, 2, "0.00"),
            (0, 0, 0, "0"),
            (7, 0, 2, "7.00"),
            (-5, 2, 2, "-0.05"),
            (100, 2, 0, "1"),
            (150, 2, 0, "1.5"),
            (i128::from(i64::MAX) * 4, 2, 2, "368934881474191032.28"),
            (12_345, 4, 2, "1.2345"),
            (12_300, 4, 2, "1.23"),
            (1, 8, 2, "0.00000001"),
            (-1, 0, 8, "-1.00000000"),
            (i128::MIN, 0, 0, "-170141183460469231731687303715884105728"),
            (i128::from(u64::MAX), 8, 8, "184467440737.09551615"),
            (i128::from(u64::MAX) + 1, 8, 8, "184467440737.09551616"),
        ] {
            assert_eq!(write_units(units, scale, digits), expected, "{units} at {scale}");
        }
    }

    const DOT: Precision =
        Precision { fraction_digits: 2, scale: 2, separator: DecimalSeparator::Dot };
    const COMMA: Precision = Precision { separator: DecimalSeparator::Comma, ..DOT };

    #[track_caller]
    fn check(text: &str, precision: Precision, expected: &str) {
        let rounded = read(text, precision.separator)
            .and_then(|amount| amount.map(|amount| amount.round(precision)).transpose());
        let outcome = match rounded {
            Ok(Some(amount)) => write(amount.value(), precision.fraction_digits),
            Ok(None) => "none".to_owned(),
            Err(Refusal::Negative(_)) => "negative".to_owned(),
            Err(Refusal::NotANumber(_)) => "nan".to_owned(),
            Err(Refusal::RoundsToZero(..)) => "rounds".to_owned(),
            Err(Refusal::BeyondLimit(..)) => "limit".to_owned(),
        };
        assert_eq!(outcome, expected, "{text} with {precision:?}");
    }

    #[test]
    fn amounts_are_parsed_in_both_conventions() {
        for (text, expected) in [
            ("100.50", "100.50"),
            ("100.5", "100.50"),
            ("0100", "100.00"),
            ("1e2", "100.00"),
            ("1.5E+1", "15.00"),
            ("12345e-2", "123.45"),
            (" 7 ", "7.00"),
            (".5", "0.50"),
            ("5.", "5.00"),
            ("+5", "5.00"),
            ("1,234.56", "1234.56"),
            ("1,234,567", "1234567.00"),
            ("1,23", "nan"),
            ("1,2345", "nan"),
            ("1.234,56", "nan"),
            ("", "none"),
            ("0", "none"),
            ("-0", "none"),
            ("0.000", "none"),
            ("0e9", "none"),
            ("-1", "negative"),
            ("-0.001", "negative"),
            ("abc", "nan"),
            ("1 000", "1000.00"),
            ("1\u{202f}234.56", "1234.56"),
            ("1'234'567.8", "1234567.80"),
            ("1'234,567", "nan"),
            ("1 00", "nan"),
            ("1  000", "nan"),
            ("0 500", "nan"),
            ("12..50", "nan"),
            ("12.50-", "nan"),
            ("NaN", "nan"),
            ("1e", "nan"),
            ("--1", "nan"),
            (".", "nan"),
            ("1.005", "1.01"),
            ("1.004", "1.00"),
            ("2.675", "2.68"),
            ("0.004", "rounds"),
            ("0.005", "0.01"),
            ("1e-30", "rounds"),
            ("92233720368547758.07", "92233720368547758.07"),
            ("92233720368547758.08", "limit"),
            ("92233720368547758.074", "92233720368547758.07"),
            ("1e30", "limit"),
            ("1e999999999999", "limit"),
            ("9999999999999999999999999999999999999999999999", "limit"),
        ] {
            check(text, DOT, expected);
        }
        for (text, expected) in [
            ("1.234,56", "1234.56"),
            ("1.234", "1.23"),
            ("1.234.567", "1234567.00"),
            ("1 234,56", "1234.56"),
            ("1\u{a0}234,56", "1234.56"),
            ("1\u{2019}234", "1234.00"),
            (",5", "0.50"),
            (".5", "0.50"),
            ("12,34", "12.34"),
            ("1,234.56", "nan"),
            ("0,00", "none"),
        ] {
            check(text, COMMA, expected);
        }
    }

    #[test]
    fn amounts_are_rounded_to_the_precision_of_the_book() {
        check("1.5", Precision { fraction_digits: 0, scale: 0, ..DOT }, "2");
        check("0.123456785", Precision { fraction_digits: 8, scale: 8, ..DOT }, "0.12345679");
        check("92233720369", Precision { fraction_digits: 8, scale: 8, ..DOT }, "limit");
        check("92233720369", Precision { fraction_digits: 2, scale: 8, ..DOT }, "limit");
    }

    #[test]
    fn amount_equals_the_stored_one_exactly() {
        let stored = Amount::from_units(1001, 3).unwrap();
        assert!(read("1.001", DOT.separator).unwrap().unwrap().equals(stored));
        assert!(read("1.0010", DOT.separator).unwrap().unwrap().equals(stored));
        assert!(!read("1.00", DOT.separator).unwrap().unwrap().equals(stored));
    }

    #[test]
    fn units_round_trip() {
        let amount = Amount::from_units(i64::MAX, 2).unwrap();
        assert_eq!(amount.units(2), Some(i64::MAX));
        assert_eq!(amount.units(8), None);
        assert_eq!(Amount::from_units(0, 2), None);
    }

    #[test]
    fn decimals_are_shown_like_in_the_console() {
        let cases = shared_cases(include_str!("../../../tests/cases/amounts.json"));
        for case in items(&cases["shown"]) {
            let digits = u32::try_from(case["digits"].as_u64().unwrap()).unwrap();
            let value: Decimal = text_in(case, "value").parse().unwrap();
            assert_eq!(write(value, digits), text_in(case, "input"), "{case}");
        }
    }
}
