//! The values of cells as Excel stores them.

use daybook_domain::amount::write_units;
use daybook_domain::report::{Cell, Heading};
use rust_xlsxwriter::ExcelDateTime;
use time::Date;

/// The largest text of a cell, in UTF-16 code units.
const MAX_TEXT: usize = 32_767;

/// The largest amount, without its trailing zeros, that Excel calculates with exactly.
const MAX_DIGITS: u128 = 999_999_999_999_999;

/// An amount as text and as a number.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Figure {
    /// The exact decimal.
    pub(super) text: String,
    /// The decimal places of the text.
    pub(super) decimals: usize,
    /// The number, unless it has more than 15 significant digits.
    pub(super) number: Option<f64>,
}

impl Figure {
    pub(super) fn new(units: i128, scale: u32, fraction_digits: u32) -> Self {
        let text = write_units(units, scale, fraction_digits);
        let decimals = text.split_once('.').map_or(0, |(_, decimals)| decimals.len());
        // A decimal of 15 digits is read as the nearest number, which Excel shows as that decimal.
        let number = if is_exact(units) { text.parse().ok() } else { None };
        Self { text, decimals, number }
    }

    pub(super) fn amount(units: i128, heading: &Heading) -> Self {
        Self::new(units, heading.scale, heading.fraction_digits)
    }
}

/// Returns whether Excel represents an amount exactly.
fn is_exact(units: i128) -> bool {
    let mut digits = units.unsigned_abs();
    while digits > MAX_DIGITS && digits.is_multiple_of(10) {
        digits /= 10;
    }
    digits <= MAX_DIGITS
}

/// Returns the units that a cell adds to a `SUBTOTAL`; `None` if Excel cannot add them.
pub(super) fn addend(cell: Option<&Cell>) -> Option<i128> {
    match cell {
        Some(Cell::Amount(units)) => is_exact(*units).then_some(*units),
        Some(
            Cell::Empty
            | Cell::Text(_)
            | Cell::Date(_)
            | Cell::Instant(_)
            | Cell::Percent(_)
            | Cell::Number(_),
        )
        | None => Some(0),
    }
}

/// Converts a whole number, which has at most 15 digits.
pub(super) fn whole(number: i64) -> f64 {
    number.to_string().parse().unwrap_or_default()
}

/// Converts a day; `None` before 1900, where the calendar of Excel begins.
pub(super) fn day(date: Date) -> Option<ExcelDateTime> {
    let year = u16::try_from(date.year()).ok()?;
    ExcelDateTime::from_ymd(year, u8::from(date.month()), date.day()).ok()
}

/// Shortens a text to what a cell can contain.
pub(super) fn fitting(text: &str) -> &str {
    let mut units = 0;
    let end = text.char_indices().find(|(_, character)| {
        units += character.len_utf16();
        units > MAX_TEXT
    });
    end.and_then(|(index, _)| text.get(..index)).unwrap_or(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_of_15_digits_are_numbers() {
        let number = |units, scale, digits| Figure::new(units, scale, digits).number;
        assert_eq!(number(999_999_999_999_999, 2, 2), Some(9_999_999_999_999.99));
        assert_eq!(number(1_000_000_000_000_001, 2, 2), None);
        assert_eq!(number(-1_000_000_000_000_010, 2, 2), Some(-10_000_000_000_000.1));
        assert_eq!(number(1_234_567_800_000_000, 8, 2), Some(12_345_678.0));
        assert_eq!(Figure::new(5, 3, 2).decimals, 3);
        assert_eq!(Figure::new(5000, 3, 0).decimals, 0);
    }

    #[test]
    fn texts_are_shortened_between_characters() {
        let long = format!("{}𝕏𝕏", "a".repeat(MAX_TEXT - 3));
        assert_eq!(fitting(&long).len(), MAX_TEXT - 3 + 4);
        assert_eq!(fitting("short"), "short");
        let exact = "a".repeat(MAX_TEXT);
        assert_eq!(fitting(&exact), exact);
    }
}
