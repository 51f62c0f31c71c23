//! Exact decimals with a sign.

use std::fmt;

use daybook_domain::amount::{Amount, MAX_FRACTION_DIGITS, write_units};
use serde::{Deserialize, Serialize};

/// The most decimal places of a number in a file.
pub const MAX_DECIMALS: u32 = 18;

/// The most digits of a number in a file, so that a million of them can be summed.
pub const MAX_DIGITS: usize = 30;

/// An exact decimal with a sign.
///
/// Positive amounts go into the account, negative ones out of it. It is a scaled integer without
/// trailing zeros, so equal numbers are equal values.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
pub struct SignedAmount {
    units: i128,
    decimals: u32,
}

impl SignedAmount {
    /// Zero.
    pub const ZERO: Self = Self { units: 0, decimals: 0 };

    /// Creates the number `units` / 10^`decimals`.
    #[must_use]
    pub const fn new(mut units: i128, mut decimals: u32) -> Self {
        while decimals > 0 && units % 10 == 0 {
            units /= 10;
            decimals -= 1;
        }
        Self { units, decimals }
    }

    /// Creates the number with these digits before and after the decimal mark.
    ///
    /// Returns `None` if one is not a digit, or if they exceed [`MAX_DIGITS`] or [`MAX_DECIMALS`].
    #[must_use]
    pub fn from_digits(is_negative: bool, whole: &str, fraction: &str) -> Option<Self> {
        let whole = whole.trim_start_matches('0');
        let fraction = fraction.trim_end_matches('0');
        let decimals = u32::try_from(fraction.len()).ok().filter(|count| *count <= MAX_DECIMALS)?;
        if whole.len().saturating_add(fraction.len()) > MAX_DIGITS {
            return None;
        }
        let mut units = 0_i128;
        for digit in whole.chars().chain(fraction.chars()) {
            units = units.checked_mul(10)?.checked_add(i128::from(digit.to_digit(10)?))?;
        }
        Some(Self::new(if is_negative { -units } else { units }, decimals))
    }

    /// Returns the least number of decimal places that the number needs.
    #[must_use]
    pub const fn decimals(self) -> u32 {
        self.decimals
    }

    /// Returns whether the number is zero.
    #[must_use]
    pub const fn is_zero(self) -> bool {
        self.units == 0
    }

    /// Returns whether the number is below zero.
    #[must_use]
    pub const fn is_negative(self) -> bool {
        self.units < 0
    }

    /// Returns the number with the other sign.
    #[must_use]
    pub const fn negated(self) -> Self {
        Self { units: self.units.saturating_neg(), decimals: self.decimals }
    }

    /// Returns the number without its sign.
    #[must_use]
    pub const fn absolute(self) -> Self {
        if self.is_negative() { self.negated() } else { self }
    }

    /// Returns the number as an integer at `decimals` places.
    ///
    /// Returns `None` when it has more decimal places or is too large.
    #[must_use]
    pub fn units(self, decimals: u32) -> Option<i128> {
        let places = decimals.checked_sub(self.decimals)?;
        self.units.checked_mul(10_i128.checked_pow(places)?)
    }

    /// Returns the exact sum; `None` when it is too large.
    #[must_use]
    pub fn checked_add(self, other: Self) -> Option<Self> {
        let decimals = self.decimals.max(other.decimals);
        let sum = self.units(decimals)?.checked_add(other.units(decimals)?)?;
        Some(Self::new(sum, decimals))
    }

    /// Returns the exact difference; `None` when it is too large.
    #[must_use]
    pub fn checked_sub(self, other: Self) -> Option<Self> {
        self.checked_add(other.negated())
    }

    /// Returns the exact product; `None` when it is too large.
    #[must_use]
    pub fn checked_mul(self, other: Self) -> Option<Self> {
        let units = self.units.checked_mul(other.units)?;
        Some(Self::new(units, self.decimals.checked_add(other.decimals)?))
    }

    /// Returns the quotient, rounded half to even at `decimals` places.
    ///
    /// Returns `None` for a division by zero, and when the numbers are too large.
    #[must_use]
    pub fn checked_div(self, other: Self, decimals: u32) -> Option<Self> {
        let places = decimals.checked_add(other.decimals)?;
        let scale = places.max(self.decimals);
        let divisor = other.units.checked_mul(10_i128.checked_pow(scale - places)?)?;
        Some(Self::new(divide(self.units(scale)?, divisor)?, decimals))
    }

    /// Returns the number rounded half to even at `decimals` places.
    #[must_use]
    pub fn rounded(self, decimals: u32) -> Self {
        let power =
            self.decimals.checked_sub(decimals).and_then(|places| 10_i128.checked_pow(places));
        let units = power.and_then(|power| divide(self.units, power));
        units.map_or(self, |units| Self::new(units, decimals))
    }

    /// Returns the amount of a transaction, without the sign.
    ///
    /// Returns `None` for zero, and for what no book can store: more than 8 decimal places, or more
    /// units than 64 bits have.
    #[must_use]
    pub fn magnitude(self) -> Option<Amount> {
        let fits = self.decimals <= MAX_FRACTION_DIGITS;
        let units = i64::try_from(self.units.checked_abs()?).ok().filter(|_| fits)?;
        Amount::from_units(units, self.decimals)
    }
}

/// Divides and rounds half to even.
fn divide(dividend: i128, divisor: i128) -> Option<i128> {
    let (quotient, rest) = (dividend.checked_div(divisor)?, dividend.checked_rem(divisor)?);
    let doubled = rest.checked_abs()?.checked_mul(2)?;
    let divisor_size = divisor.checked_abs()?;
    let is_away = doubled > divisor_size || (doubled == divisor_size && quotient % 2 != 0);
    let away = if (dividend < 0) == (divisor < 0) { 1 } else { -1 };
    if is_away { quotient.checked_add(away) } else { Some(quotient) }
}

impl fmt::Display for SignedAmount {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.pad(&write_units(self.units, self.decimals, self.decimals))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn amount(text: &str) -> SignedAmount {
        let (is_negative, digits) =
            text.strip_prefix('-').map_or((false, text), |digits| (true, digits));
        let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
        SignedAmount::from_digits(is_negative, whole, fraction).unwrap()
    }

    #[test]
    fn sums_are_exact() {
        for (left, right, sum) in [
            ("0.1", "0.2", "0.3"),
            ("-12.50", "12.5", "0"),
            ("99999999999999999999.99", "0.00000001", "99999999999999999999.99000001"),
            ("-0.005", "1", "0.995"),
        ] {
            let total = amount(left).checked_add(amount(right)).unwrap();
            assert_eq!(total.to_string(), sum);
            assert_eq!(total.checked_sub(amount(right)), Some(amount(left)));
        }
    }

    #[test]
    fn products_are_exact() {
        assert_eq!(amount("-2.5").checked_mul(amount("1.335")), Some(amount("-3.3375")));
        let large = amount(&"9".repeat(MAX_DIGITS));
        assert_eq!(large.checked_mul(large), None);
    }

    #[test]
    fn quotients_are_rounded_half_to_even() {
        for (left, right, decimals, expected) in [
            ("100", "3", 4, "33.3333"),
            ("-100", "6", 2, "-16.67"),
            ("1", "8", 2, "0.12"),
            ("3", "8", 2, "0.38"),
            ("-3", "-8", 2, "0.38"),
            ("0.5", "0.25", 0, "2"),
        ] {
            let quotient = amount(left).checked_div(amount(right), decimals).unwrap();
            assert_eq!(quotient.to_string(), expected);
        }
        assert_eq!(amount("1").checked_div(SignedAmount::ZERO, 2), None);
        assert_eq!(amount("-0.125").rounded(2).to_string(), "-0.12");
        assert_eq!(amount("1.995").rounded(2).to_string(), "2");
        assert_eq!(amount("1.5").rounded(2).to_string(), "1.5");
    }

    #[test]
    fn equal_numbers_are_equal_values() {
        assert_eq!(amount("1.50"), amount("001.5"));
        assert_eq!(amount("-0.00"), SignedAmount::ZERO);
        assert_eq!(amount("100").decimals(), 0);
    }

    #[test]
    fn numbers_beyond_the_limits_are_none() {
        assert_eq!(SignedAmount::from_digits(false, &"9".repeat(MAX_DIGITS + 1), ""), None);
        assert_eq!(SignedAmount::from_digits(false, "", "0000000000000000001"), None);
        assert_eq!(SignedAmount::from_digits(false, "1a", ""), None);
        assert_eq!(amount("0.000000001").magnitude(), None, "more decimals than a book");
        assert_eq!(amount("99999999999999999999").magnitude(), None, "more than 64 bits");
        assert_eq!(SignedAmount::ZERO.magnitude(), None);
        let magnitude = amount("-12.5").magnitude().unwrap();
        assert_eq!(magnitude.units(2), Some(1250));
    }
}
