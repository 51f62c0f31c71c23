//! Amount literals (behaviour 1.2.8).

use rust_decimal::Decimal;

use crate::amount::DecimalSeparator;
use crate::numeral::Numeral;

/// Parses an amount literal with the separators of the book, or else like amounts in bodies
/// (behaviour 3.12.3).
///
/// A number beyond the range of [`Decimal`] is clamped. No stored amount is there, so all
/// comparisons have the same result.
pub(super) fn read(text: &str, separator: DecimalSeparator) -> Option<Decimal> {
    let numeral = Numeral::read_literal(text, separator)?;
    if numeral.is_zero() {
        return Some(Decimal::ZERO);
    }
    let at = |places: u32| {
        let magnitude = Decimal::try_from_i128_with_scale(numeral.round(places)?, places).ok()?;
        Some(if numeral.is_negative() { -magnitude } else { magnitude })
    };
    // An exact value is preferred, because a rounded literal could equal a different amount.
    let exact = (0..=Decimal::MAX_SCALE).map_while(at).find(|value| numeral.equals(*value));
    let nearest = || (0..=Decimal::MAX_SCALE).map_while(at).last();
    let end = if numeral.is_negative() { Decimal::MIN } else { Decimal::MAX };
    Some(exact.or_else(nearest).unwrap_or(end))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, separator: DecimalSeparator, expected: Option<&str>) {
        assert_eq!(
            read(text, separator),
            expected.map(|n| n.parse().unwrap()),
            "{text} {separator:?}"
        );
    }

    #[test]
    fn amounts_are_parsed_in_both_conventions() {
        for (text, expected) in [
            ("100", Some("100")),
            ("100.50", Some("100.5")),
            ("1,234.56", Some("1234.56")),
            ("1,234", Some("1234")),
            (".5", Some("0.5")),
            ("-5", Some("-5")),
            ("0", Some("0")),
            ("-0.00", Some("0")),
            ("1e3", Some("1000")),
            ("0.123456789", Some("0.123456789")),
            ("abc", None),
            ("", None),
            ("10:30", None),
            ("1.234,56", None),
            ("12,34", None),
            ("0,500", None),
            ("00,001", None),
            ("0,000.5", Some("0.5")),
            ("1,000", Some("1000")),
        ] {
            check(text, DecimalSeparator::Dot, expected);
        }
        for (text, expected) in [
            ("1.234,56", Some("1234.56")),
            ("100,50", Some("100.5")),
            ("100.50", Some("100.5")),
            ("1.234", Some("1234")),
            ("-1.234", Some("-1234")),
            ("1.23", Some("1.23")),
            ("1.2345", Some("1.2345")),
            ("0.500", Some("0.5")),
            ("1e3", Some("1000")),
            ("1'234,5", Some("1234.5")),
            ("1.234.567", Some("1234567")),
            ("1,234.56", None),
            ("0,500", Some("0.5")),
            ("0.500,25", None),
        ] {
            check(text, DecimalSeparator::Comma, expected);
        }
    }

    #[test]
    fn numbers_beyond_the_range_are_clamped() {
        let long = "9".repeat(10_000);
        for text in ["1e999999999999999999999", "1e29", long.as_str()] {
            assert_eq!(read(text, DecimalSeparator::Dot), Some(Decimal::MAX), "{text}");
            assert_eq!(
                read(&format!("-{text}"), DecimalSeparator::Dot),
                Some(Decimal::MIN),
                "{text}"
            );
        }
        assert_eq!(read("1e-999999999999", DecimalSeparator::Dot), Some(Decimal::ZERO));
    }
}
