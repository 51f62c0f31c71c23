//! Sums beyond 64 bits as two columns each: `high * 2^32 + low`.
//!
//! Four billion 64-bit amounts fit in, and neither engine needs a wider type.

use daybook_domain::balance::Sums;
use diesel::prelude::*;
use diesel::sql_types::BigInt;

use crate::conn::sql::Columns;

/// 2^32 as SQL text.
macro_rules! limb {
    () => {
        "4294967296"
    };
}

/// The unit of a high limb, 2^32.
const LIMB: i64 = 1 << 32;

/// Debit and credit of an account in a period, in two limbs each.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Queryable, QueryableByName)]
pub(crate) struct Limbs {
    #[diesel(sql_type = BigInt)]
    pub(super) debit_high: i64,
    #[diesel(sql_type = BigInt)]
    pub(super) debit_low: i64,
    #[diesel(sql_type = BigInt)]
    pub(super) credit_high: i64,
    #[diesel(sql_type = BigInt)]
    pub(super) credit_low: i64,
}

impl Columns for Limbs {
    type Sql = (BigInt, BigInt, BigInt, BigInt);
}

impl Limbs {
    /// Adds an amount to one side, or with the sign -1 subtracts it.
    pub(super) fn add(&mut self, credit: bool, units: i64, sign: i64) {
        let high = sign * units.div_euclid(LIMB);
        let low = sign * units.rem_euclid(LIMB);
        let (sum_high, sum_low) = if credit {
            (&mut self.credit_high, &mut self.credit_low)
        } else {
            (&mut self.debit_high, &mut self.debit_low)
        };
        *sum_high = sum_high.saturating_add(high);
        *sum_low = sum_low.saturating_add(low);
    }

    /// Adds other sums.
    pub(super) fn merge(&mut self, other: Self) {
        let Self { debit_high, debit_low, credit_high, credit_low } = other;
        self.debit_high = self.debit_high.saturating_add(debit_high);
        self.debit_low = self.debit_low.saturating_add(debit_low);
        self.credit_high = self.credit_high.saturating_add(credit_high);
        self.credit_low = self.credit_low.saturating_add(credit_low);
    }

    /// Returns both sums.
    pub(crate) fn sums(&self) -> Sums {
        Sums { debit: self.debit(), credit: self.credit() }
    }

    /// Returns the sum of debits.
    pub(crate) fn debit(&self) -> i128 {
        from_limbs(self.debit_high, self.debit_low)
    }

    /// Returns the sum of credits.
    pub(crate) fn credit(&self) -> i128 {
        from_limbs(self.credit_high, self.credit_low)
    }
}

/// Combines two limbs to a sum.
pub(crate) fn from_limbs(high: i64, low: i64) -> i128 {
    i128::from(high) * i128::from(LIMB) + i128::from(low)
}

/// The columns of [`Limbs`] as sums over entries `e`.
///
/// It negates no single amount, because the smallest integer, which only tampering could store, has
/// no opposite.
pub(crate) const ENTRY_SUMS: &str = concat!(
    "CAST(SUM(CASE WHEN e.credit THEN 0 ELSE e.amount / ",
    limb!(),
    " END) AS BIGINT) AS debit_high, \
     CAST(SUM(CASE WHEN e.credit THEN 0 ELSE e.amount % ",
    limb!(),
    " END) AS BIGINT) AS debit_low, \
     CAST(SUM(CASE WHEN e.credit THEN e.amount / ",
    limb!(),
    " ELSE 0 END) AS BIGINT) AS credit_high, \
     CAST(SUM(CASE WHEN e.credit THEN e.amount % ",
    limb!(),
    " ELSE 0 END) AS BIGINT) AS credit_low",
);

/// The limbs `high` and `low` of the running sum of entries `e` in the window `w`, credits minus
/// debits.
pub(crate) const RUNNING_SUM: &str = concat!(
    "CAST(SUM(CASE WHEN e.credit THEN 1 ELSE -1 END * (e.amount / ",
    limb!(),
    ")) OVER w AS BIGINT) AS high, \
     CAST(SUM(CASE WHEN e.credit THEN 1 ELSE -1 END * (e.amount % ",
    limb!(),
    ")) OVER w AS BIGINT) AS low",
);

/// The columns of [`Limbs`] as sums over totals `c`.
pub(super) const TOTAL_SUMS: &str = "CAST(SUM(c.debit_high) AS BIGINT) AS debit_high, \
     CAST(SUM(c.debit_low) AS BIGINT) AS debit_low, \
     CAST(SUM(c.credit_high) AS BIGINT) AS credit_high, \
     CAST(SUM(c.credit_low) AS BIGINT) AS credit_low";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sql_and_rust_use_the_same_limb() {
        assert_eq!(limb!(), LIMB.to_string());
    }
}
