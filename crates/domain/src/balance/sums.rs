//! Sums of debits and credits (behaviour 5.4, 5.5).

use std::iter::Sum;
use std::ops::Add;

/// Sums of debits and credits (behaviour 5.5), as integers at the storage scale of the book.
///
/// ```
/// use daybook_domain::balance::Sums;
/// let asset = Sums { debit: 1_077_600, credit: 63_069 };
/// assert_eq!(asset.balance(), -1_014_531);
/// assert_eq!(
///     asset + Sums { debit: 0, credit: 1_014_531 },
///     Sums { debit: 1_077_600, credit: 1_077_600 }
/// );
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Sums {
    /// The debits.
    pub debit: i128,
    /// The credits.
    pub credit: i128,
}

impl Sums {
    /// Returns the raw balance: credit minus debit. Clients invert the sign for display (behaviour
    /// 5.4).
    pub const fn balance(self) -> i128 {
        self.credit.saturating_sub(self.debit)
    }

    /// Returns whether both sums are zero.
    pub const fn is_zero(self) -> bool {
        self.debit == 0 && self.credit == 0
    }

    pub(crate) const fn minus(self, other: Self) -> Self {
        Self {
            debit: self.debit.saturating_sub(other.debit),
            credit: self.credit.saturating_sub(other.credit),
        }
    }
}

impl Add for Sums {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            debit: self.debit.saturating_add(other.debit),
            credit: self.credit.saturating_add(other.credit),
        }
    }
}

impl Sum for Sums {
    fn sum<I: Iterator<Item = Self>>(sums: I) -> Self {
        sums.fold(Self::default(), Add::add)
    }
}

/// The amounts of a container or a slice: cumulative and of the period (behaviour 5.5).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Amounts {
    /// Sums to the end of the range or slice: of permanent accounts from the beginning, of others
    /// from the start of the range.
    pub cumulative: Sums,
    /// Sums of the movements inside the range or slice.
    pub period: Sums,
}
