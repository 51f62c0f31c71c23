//! The balances of a reconciliation. They are raw, credits minus debits, so a change of the type of
//! the account changes the sign of all of them.

use std::fmt;

use rust_decimal::Decimal;

use crate::account::AccountType;
use crate::amount::{self, Precision, write_units};

/// The balance at the end of a statement, raw.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ClosingBalance(Decimal);

impl ClosingBalance {
    /// Reads a balance in the sign of an account of this type. A value equal to `stored` keeps its
    /// decimals.
    ///
    /// # Errors
    /// The refusals of [`amount::read_signed`].
    pub(super) fn read(
        text: &str,
        kind: AccountType,
        stored: Option<Self>,
        precision: Precision,
    ) -> Result<Self, amount::Refusal> {
        let stored = stored.map(|stored| in_sign_of(kind, stored.0));
        amount::read_signed(text, stored, precision).map(|value| Self(in_sign_of(kind, value)))
    }

    /// Parses a stored text; `None` if it is not a decimal.
    pub fn stored(text: &str) -> Option<Self> {
        text.parse().ok().map(Self)
    }

    /// Returns the balance in units at a storage scale, which is at least its own.
    pub fn units(self, scale: u32) -> i128 {
        let missing = scale.saturating_sub(self.0.scale());
        self.0.mantissa().saturating_mul(10_i128.saturating_pow(missing))
    }

    /// Formats the balance in the sign of an account of this type.
    pub fn write(self, kind: AccountType, precision: Precision) -> String {
        let Precision { fraction_digits, scale, separator: _ } = precision;
        write_units(kind.normal_balance(self.units(scale)), scale, fraction_digits)
    }
}

impl fmt::Display for ClosingBalance {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

fn in_sign_of(kind: AccountType, value: Decimal) -> Decimal {
    if kind.is_credit() || value.is_zero() { value } else { -value }
}

/// The sums of a reconciliation, raw, in units at the storage scale of its book.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct EntrySums {
    /// The closing balance of the reconciliation before it.
    pub opening: i128,
    /// The sum of its transactions on the account, with their present amounts.
    pub movement: i128,
    /// The number of its transactions.
    pub count: i64,
}

impl EntrySums {
    /// Returns what its transactions lack to reach the closing balance, in units.
    pub fn difference(&self, closing: i128) -> i128 {
        closing.saturating_sub(self.opening).saturating_sub(self.movement)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::amount::DecimalSeparator;

    #[test]
    fn balance_has_the_sign_of_the_account() {
        use AccountType::{Asset, Liability};
        let precision =
            Precision { fraction_digits: 2, scale: 3, separator: DecimalSeparator::Dot };
        for (kind, text, raw, written) in [
            (Asset, "12.345", -12_350, "12.35"),
            (Asset, "-0.01", 10, "-0.01"),
            (Liability, "12.345", 12_350, "12.35"),
            (Asset, "-0", 0, "0.00"),
        ] {
            let read = ClosingBalance::read(text, kind, None, precision).unwrap();
            assert_eq!((read.units(3), read.write(kind, precision)), (raw, written.to_owned()));
            assert_eq!(ClosingBalance::stored(&read.to_string()), Some(read));
            let other = if kind == Asset { Liability } else { Asset };
            let flipped = read.write(other, precision);
            assert_eq!(flipped.trim_start_matches('-'), written.trim_start_matches('-'));
            assert_eq!(flipped.starts_with('-'), raw != 0 && !written.starts_with('-'));
        }
    }

    #[test]
    fn equal_balance_keeps_its_decimals() {
        let precision =
            Precision { fraction_digits: 0, scale: 3, separator: DecimalSeparator::Dot };
        let stored = ClosingBalance::stored("-1.005").unwrap();
        let read =
            |text| ClosingBalance::read(text, AccountType::Asset, Some(stored), precision).unwrap();
        assert_eq!(read("1.0050"), stored);
        assert_eq!(read("1.006").units(3), -1_000);
    }

    #[test]
    fn difference_completes_the_closing_balance() {
        let sums = EntrySums { opening: -100, movement: -23, count: 1 };
        assert_eq!(sums.difference(-123), 0);
        assert_eq!(sums.difference(-125), -2);
    }
}
