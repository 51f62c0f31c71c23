//! Reads numbers in a text, and ranks them by the format of the book (behaviour 3.8.2.1).

use crate::amount::{self, Amount, Precision};
use crate::numeral::Notation;

/// How well a number matches the format of the book, the best first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum FormatMatch {
    /// It has the separator and the number of decimals of the book; without decimals it is a whole
    /// number.
    Exact,
    /// It has the separator of the book and another number of decimals.
    OtherCount,
    /// It has the other decimal separator.
    OtherSeparator,
    Whole,
}

/// Reads a number such as `1.234,56`, `1,234.56`, `1 234,56`, `12,34` or `25`. `None` for a text
/// that is not a number, rounds to zero or is above the limit.
pub(super) fn read(text: &str, precision: Precision) -> Option<(FormatMatch, Amount)> {
    let (amount, Notation { is_own, decimals }) = amount::read_in_text(text, precision.separator)?;
    let rank = match (is_own, u32::try_from(decimals).ok()?) {
        (true, decimals) if decimals == precision.fraction_digits => FormatMatch::Exact,
        (true, 0) => FormatMatch::Whole,
        (true, _) => FormatMatch::OtherCount,
        (false, _) => FormatMatch::OtherSeparator,
    };
    Some((rank, amount.round(precision).ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::amount::DecimalSeparator;
    use FormatMatch::{Exact, OtherCount, OtherSeparator, Whole};

    #[track_caller]
    fn check(
        separator: DecimalSeparator,
        fraction_digits: u32,
        rows: &[(&str, Option<(FormatMatch, &str)>)],
    ) {
        let precision = Precision { fraction_digits, scale: fraction_digits, separator };
        for (text, expected) in rows {
            let found = read(text, precision);
            let found =
                found.map(|(rank, amount)| (rank, amount::write(amount.value(), fraction_digits)));
            let found = found.as_ref().map(|(rank, amount)| (*rank, amount.as_str()));
            assert_eq!(found, *expected, "{text} {precision:?}");
        }
    }

    #[test]
    fn numbers_are_ranked_by_format() {
        let with_dot = [
            ("12.34", Some((Exact, "12.34"))),
            ("1,234.56", Some((Exact, "1234.56"))),
            (".50", Some((Exact, "0.50"))),
            ("12.3", Some((OtherCount, "12.30"))),
            ("12.345", Some((OtherCount, "12.35"))),
            ("12,34", Some((OtherSeparator, "12.34"))),
            ("1.234,56", Some((OtherSeparator, "1234.56"))),
            ("1.234.567", Some((OtherSeparator, "1234567.00"))),
            ("25", Some((Whole, "25.00"))),
            ("1,234", Some((Whole, "1234.00"))),
            ("0,500", Some((OtherSeparator, "0.50"))),
            (",50", Some((OtherSeparator, "0.50"))),
            ("1 234,56", Some((OtherSeparator, "1234.56"))),
            ("1'234.56", Some((Exact, "1234.56"))),
            ("1 234", Some((Whole, "1234.00"))),
            ("1 234'567", None),
            ("0.004", None),
            ("192.168.0.1", None),
            ("1,23,456", None),
            ("92233720368547758.08", None),
        ];
        check(DecimalSeparator::Dot, 2, &with_dot);
        let with_comma = [
            ("12,34", Some((Exact, "12.34"))),
            ("1.234", Some((Whole, "1234.00"))),
            ("12.34", Some((OtherSeparator, "12.34"))),
            ("1,234.56", Some((OtherSeparator, "1234.56"))),
            (".99", Some((OtherSeparator, "0.99"))),
            ("1\u{202f}234,56", Some((Exact, "1234.56"))),
        ];
        check(DecimalSeparator::Comma, 2, &with_comma);
        let whole =
            [("25", Some((Exact, "25"))), ("25.4", Some((OtherCount, "25"))), ("0.4", None)];
        check(DecimalSeparator::Dot, 0, &whole);
        check(DecimalSeparator::Dot, 3, &[("1.5", Some((OtherCount, "1.500")))]);
    }
}
