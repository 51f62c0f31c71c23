//! The minimum balance of an account (behaviour 4.24).

use std::fmt;

use rust_decimal::Decimal;

use crate::amount::{self, Precision};
use crate::field::Field;

/// The minimum balance of an account, in the sign of its nature (behaviour 4.24).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MinBalance(Decimal);

impl MinBalance {
    /// Reads the field of a body. Blank text clears it, and a value equal to `stored` keeps its
    /// decimals.
    ///
    /// # Errors
    /// The refusals of [`amount::read_signed`].
    pub(super) fn read(
        field: Field<String>,
        stored: Option<Self>,
        precision: Precision,
    ) -> Result<Field<Self>, amount::Refusal> {
        match field {
            Field::Set(text) if text.trim().is_empty() => Ok(Field::Clear),
            other @ (Field::Keep | Field::Clear | Field::Set(_)) => other.try_map(|text| {
                amount::read_signed(&text, stored.map(|stored| stored.0), precision).map(Self)
            }),
        }
    }

    /// Parses a stored text; `None` if it is not a decimal.
    pub fn stored(text: &str) -> Option<Self> {
        text.parse().ok().map(Self)
    }

    /// Returns whether it is above a balance of `units` at `scale` decimal places.
    ///
    /// ```
    /// use daybook_domain::account::MinBalance;
    /// let minimum = MinBalance::stored("-0.50").unwrap();
    /// assert!(minimum.is_above(-51, 2) && !minimum.is_above(-50, 2));
    /// // A copy of the book may have fewer decimal places (behaviour 6.24).
    /// assert!(minimum.is_above(-1, 0) && !minimum.is_above(0, 0));
    /// ```
    pub fn is_above(self, units: i128, scale: u32) -> bool {
        let common = self.0.scale().max(scale);
        let at_common = |units: i128, scale: u32| {
            units.saturating_mul(10_i128.saturating_pow(common.saturating_sub(scale)))
        };
        at_common(units, scale) < at_common(self.0.mantissa(), self.0.scale())
    }
}

impl fmt::Display for MinBalance {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}
