//! Exact decimal amounts.

use std::cmp::Ordering;
use std::fmt;
use std::ops::Neg;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// The most decimal places of an amount. A book has at most 8.
const MAX_DECIMALS: u32 = 18;

/// An exact decimal amount, such as `12.50`.
///
/// It keeps the decimal places that it was read with, and compares by value. There is no conversion
/// to or from binary fractions.
///
/// ```
/// use daybook_client::Amount;
///
/// let lunch: Amount = "12.50".parse()?;
/// let coffee = Amount::new(34, 1);
/// assert_eq!(lunch.checked_add(coffee), Some("15.90".parse()?));
/// assert_eq!(coffee.to_string(), "3.4");
/// assert!("12,50".parse::<Amount>().is_err());
/// # Ok::<(), daybook_client::AmountError>(())
/// ```
#[derive(Debug, Clone, Copy, Default)]
pub struct Amount {
    units: i128,
    decimals: u32,
}

impl Amount {
    /// Zero, without decimal places.
    ///
    /// ```
    /// assert!(daybook_client::Amount::ZERO.is_zero());
    /// ```
    pub const ZERO: Self = Self { units: 0, decimals: 0 };

    /// Returns `units / 10^decimals`. More than 18 decimals count as 18.
    ///
    /// ```
    /// # use daybook_client::Amount;
    /// assert_eq!(Amount::new(1250, 2).to_string(), "12.50");
    /// ```
    #[must_use]
    pub const fn new(units: i128, decimals: u32) -> Self {
        let decimals = if decimals > MAX_DECIMALS { MAX_DECIMALS } else { decimals };
        Self { units, decimals }
    }

    /// Returns the amount in units of its last decimal place: 1250 for `12.50`.
    ///
    /// ```
    /// # use daybook_client::Amount;
    /// assert_eq!("12.50".parse::<Amount>()?.units(), 1250);
    /// # Ok::<(), daybook_client::AmountError>(())
    /// ```
    #[must_use]
    pub const fn units(self) -> i128 {
        self.units
    }

    /// Returns the number of decimal places: 2 for `12.50`.
    ///
    /// ```
    /// # use daybook_client::Amount;
    /// assert_eq!("12.50".parse::<Amount>()?.decimals(), 2);
    /// # Ok::<(), daybook_client::AmountError>(())
    /// ```
    #[must_use]
    pub const fn decimals(self) -> u32 {
        self.decimals
    }

    /// Returns whether the amount is zero.
    ///
    /// ```
    /// # use daybook_client::Amount;
    /// assert!(Amount::new(0, 2).is_zero());
    /// ```
    #[must_use]
    pub const fn is_zero(self) -> bool {
        self.units == 0
    }

    /// Returns whether the amount is below zero.
    ///
    /// ```
    /// # use daybook_client::Amount;
    /// assert!(Amount::new(-1, 2).is_negative());
    /// ```
    #[must_use]
    pub const fn is_negative(self) -> bool {
        self.units < 0
    }

    /// Returns the amount without its sign.
    ///
    /// ```
    /// # use daybook_client::Amount;
    /// assert_eq!(Amount::new(-125, 1).abs().to_string(), "12.5");
    /// ```
    #[must_use]
    pub const fn abs(self) -> Self {
        Self { units: self.units.saturating_abs(), decimals: self.decimals }
    }

    /// Returns the same value with more decimal places, for columns that align.
    ///
    /// Returns `None` if the value has fewer places only by rounding, or is too large.
    ///
    /// ```
    /// # use daybook_client::Amount;
    /// let amount = Amount::new(5, 0);
    /// assert_eq!(amount.with_decimals(2).map(|amount| amount.to_string()), Some("5.00".into()));
    /// assert_eq!(Amount::new(125, 2).with_decimals(1), None);
    /// ```
    #[must_use]
    pub fn with_decimals(self, decimals: u32) -> Option<Self> {
        if decimals > MAX_DECIMALS {
            return None;
        }
        let units = match decimals.cmp(&self.decimals) {
            Ordering::Less => {
                let divisor = 10_i128.checked_pow(self.decimals.saturating_sub(decimals))?;
                if self.units.checked_rem(divisor)? != 0 {
                    return None;
                }
                self.units.checked_div(divisor)?
            }
            Ordering::Equal => self.units,
            Ordering::Greater => {
                let factor = 10_i128.checked_pow(decimals.saturating_sub(self.decimals))?;
                self.units.checked_mul(factor)?
            }
        };
        Some(Self { units, decimals })
    }

    /// Returns the sum, or `None` if it exceeds 38 digits.
    ///
    /// ```
    /// # use daybook_client::Amount;
    /// let sum = Amount::new(1, 0).checked_add(Amount::new(25, 2));
    /// assert_eq!(sum, Some(Amount::new(125, 2)));
    /// ```
    #[must_use]
    pub fn checked_add(self, other: Self) -> Option<Self> {
        let decimals = self.decimals.max(other.decimals);
        let (left, right) = (self.with_decimals(decimals)?, other.with_decimals(decimals)?);
        Some(Self { units: left.units.checked_add(right.units)?, decimals })
    }

    /// Returns the difference, or `None` if it exceeds 38 digits.
    ///
    /// ```
    /// # use daybook_client::Amount;
    /// let rest = Amount::new(1, 0).checked_sub(Amount::new(25, 2));
    /// assert_eq!(rest, Some(Amount::new(75, 2)));
    /// ```
    #[must_use]
    pub fn checked_sub(self, other: Self) -> Option<Self> {
        self.checked_add(other.checked_neg()?)
    }

    /// Returns the amount with the opposite sign, or `None` if it exceeds 38 digits.
    ///
    /// ```
    /// # use daybook_client::Amount;
    /// assert_eq!(Amount::new(1, 0).checked_neg(), Some(Amount::new(-1, 0)));
    /// ```
    #[must_use]
    pub fn checked_neg(self) -> Option<Self> {
        Some(Self { units: self.units.checked_neg()?, decimals: self.decimals })
    }

    /// Adds up amounts. Returns `None` if the sum exceeds 38 digits.
    ///
    /// ```
    /// # use daybook_client::Amount;
    /// let sum = Amount::sum([Amount::new(1, 0), Amount::new(5, 1)]);
    /// assert_eq!(sum, Some(Amount::new(15, 1)));
    /// ```
    #[must_use]
    pub fn sum(amounts: impl IntoIterator<Item = Self>) -> Option<Self> {
        amounts.into_iter().try_fold(Self::ZERO, Self::checked_add)
    }

    /// Returns the value without trailing zeros after the decimal point.
    fn reduced(self) -> (i128, u32) {
        let (mut units, mut decimals) = (self.units, self.decimals);
        while decimals > 0 && units.checked_rem(10) == Some(0) {
            units = units.checked_div(10).unwrap_or_default();
            decimals = decimals.saturating_sub(1);
        }
        (units, decimals)
    }
}

/// The negation; the lowest amount of 38 digits becomes the highest.
impl Neg for Amount {
    type Output = Self;

    fn neg(self) -> Self {
        Self { units: self.units.saturating_neg(), decimals: self.decimals }
    }
}

impl PartialEq for Amount {
    fn eq(&self, other: &Self) -> bool {
        self.reduced() == other.reduced()
    }
}

impl Eq for Amount {}

impl std::hash::Hash for Amount {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        self.reduced().hash(state);
    }
}

impl PartialOrd for Amount {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Amount {
    fn cmp(&self, other: &Self) -> Ordering {
        let ((left, left_decimals), (right, right_decimals)) = (self.reduced(), other.reduced());
        let split = |units: i128, decimals: u32| {
            let divisor = 10_i128.checked_pow(decimals).unwrap_or(i128::MAX);
            let whole = units.div_euclid(divisor);
            let rest = units.rem_euclid(divisor);
            let padding = MAX_DECIMALS.saturating_sub(decimals);
            (whole, rest.saturating_mul(10_i128.checked_pow(padding).unwrap_or(1)))
        };
        split(left, left_decimals).cmp(&split(right, right_decimals))
    }
}

impl fmt::Display for Amount {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let divisor = 10_u128.checked_pow(self.decimals).unwrap_or(1);
        let units = self.units.unsigned_abs();
        let whole = units.checked_div(divisor).unwrap_or_default();
        let mut text = whole.to_string();
        if self.decimals > 0 {
            let rest = units.checked_rem(divisor).unwrap_or_default();
            let width = usize::try_from(self.decimals).unwrap_or_default();
            text.push_str(&format!(".{rest:0width$}"));
        }
        out.pad_integral(self.units >= 0, "", &text)
    }
}

/// A text that is not an amount.
///
/// ```
/// let error = "12,50".parse::<daybook_client::Amount>().unwrap_err();
/// assert_eq!(error.to_string(), "invalid amount \"12,50\": expected a decimal such as 12.50");
/// ```
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("invalid amount {0:?}: expected a decimal such as 12.50")]
pub struct AmountError(String);

impl FromStr for Amount {
    type Err = AmountError;

    fn from_str(text: &str) -> Result<Self, AmountError> {
        let error = || AmountError(text.to_owned());
        let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
        let digits = whole.strip_prefix('-').unwrap_or(whole);
        let decimals = u32::try_from(fraction.len()).map_err(|_| error())?;
        let is_decimal = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
        if digits.is_empty()
            || !is_decimal(digits)
            || !is_decimal(fraction)
            || (fraction.is_empty() && text.contains('.'))
            || decimals > MAX_DECIMALS
        {
            return Err(error());
        }
        let units = format!("{whole}{fraction}").parse().map_err(|_| error())?;
        Ok(Self { units, decimals })
    }
}

impl Serialize for Amount {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Amount {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn amount(text: &str) -> Amount {
        text.parse().unwrap()
    }

    #[test]
    fn text_is_kept() {
        for text in ["0", "0.00", "-0.01", "12.50", "-9223372036854775807.12345678"] {
            assert_eq!(amount(text).to_string(), text);
        }
        for text in ["", ".5", "5.", "1e3", "+1", "1 000", "--1", "1.2.3", "9".repeat(40).as_str()]
        {
            assert!(text.parse::<Amount>().is_err(), "{text}");
        }
    }

    #[test]
    fn order_is_that_of_values() {
        let mut sorted = ["-1.5", "-1.25", "-1", "0.000", "0.1", "1", "1.01", "99999999999999"];
        let expected = sorted;
        sorted.reverse();
        sorted.sort_by_key(|text| amount(text));
        assert_eq!(sorted, expected);
        assert_eq!(amount("1.50"), amount("1.5"));
        assert_eq!(format!("[{:>8}]", amount("-1.50")), "[   -1.50]");
    }
}
