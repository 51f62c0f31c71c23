//! Digits of numbers, appended to a text without the machinery of `format!`.
//!
//! A response has tens of thousands of amounts and days.

use std::fmt::Write as _;

/// The digits of the largest 64-bit number.
const MAX_DIGITS: usize = 20;

/// Appends a number with leading zeros up to `width` digits, but at most 20.
pub(crate) fn push_number(text: &mut String, number: u128, width: usize) {
    let Ok(mut rest) = u64::try_from(number) else {
        // Writing to a String cannot fail.
        let _ = write!(text, "{number}");
        return;
    };
    let mut digits = [0_u8; MAX_DIGITS];
    let mut count = 0_usize;
    for digit in digits.iter_mut().rev() {
        *digit = b'0' + (rest % 10).to_le_bytes()[0];
        rest /= 10;
        count += 1;
        if rest == 0 && count >= width {
            break;
        }
    }
    let written = digits.get(MAX_DIGITS - count..).unwrap_or_default();
    text.push_str(std::str::from_utf8(written).unwrap_or_default());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_at_least_their_width() {
        for (number, width, expected) in [
            (0, 0, "0"),
            (0, 3, "000"),
            (7, 2, "07"),
            (2026, 4, "2026"),
            (12_345, 2, "12345"),
            (1, 30, "00000000000000000001"),
            (u128::from(u64::MAX), 1, "18446744073709551615"),
            (u128::from(u64::MAX) + 1, 1, "18446744073709551616"),
        ] {
            let mut text = "<".to_owned();
            push_number(&mut text, number, width);
            assert_eq!(text, format!("<{expected}"));
        }
    }
}
