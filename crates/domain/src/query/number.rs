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

    #[test]
    fn amounts_are_parsed_in_both_conventions() {
        for (text, with_dot, with_comma) in [
            ("100", "100", "100"),
            ("100.50", "100.5", "100.5"),
            ("100,50", "none", "100.5"),
            ("1,234.56", "1234.56", "none"),
            ("1.234,56", "none", "1234.56"),
            ("1,234", "1234", "1.234"),
            ("1.234", "1.234", "1234"),
            ("-1.234", "-1.234", "-1234"),
            ("1.2345", "1.2345", "1.2345"),
            ("1.234.567", "none", "1234567"),
            ("1'234,5", "none", "1234.5"),
            (".5", "0.5", "0.5"),
            ("-0.00", "0", "0"),
            ("1e3", "1000", "1000"),
            ("0.123456789", "0.123456789", "0.123456789"),
            ("0,500", "none", "0.5"),
            ("0.500", "0.5", "0.5"),
            ("0,000.5", "0.5", "none"),
            ("0.500,25", "none", "none"),
            ("00,001", "none", "0.001"),
            ("12,34", "none", "12.34"),
            ("", "none", "none"),
            ("abc", "none", "none"),
            ("10:30", "none", "none"),
        ] {
            let found = [DecimalSeparator::Dot, DecimalSeparator::Comma].map(|separator| {
                read(text, separator).map_or("none".to_owned(), |n| n.normalize().to_string())
            });
            assert_eq!(found, [with_dot, with_comma], "{text}");
        }
    }

    #[test]
    fn numbers_beyond_the_range_are_clamped() {
        let long = "9".repeat(10_000);
        for text in ["1e999999999999999999999", "1e29", long.as_str()] {
            assert_eq!(read(text, DecimalSeparator::Dot), Some(Decimal::MAX), "{text}");
            let negative = read(&format!("-{text}"), DecimalSeparator::Dot);
            assert_eq!(negative, Some(Decimal::MIN), "{text}");
        }
        assert_eq!(read("1e-999999999999", DecimalSeparator::Dot), Some(Decimal::ZERO));
    }
}
