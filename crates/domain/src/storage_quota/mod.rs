//! Storage quotas of a book, and of all books of an owner together (behaviour 10.14).
//!
//! Data counts for the owner of its book, no matter which user sent it. It counts until its row is
//! removed, so the trash and deleted books count too.

mod refusal;
#[cfg(test)]
mod tests;

use std::iter::Sum;
use std::ops::{Add, Sub};

pub use refusal::{Overrun, QuotaUnit, Refusal};

/// The bytes for which a stored row counts in addition to its texts, index entries included.
pub const ROW_BYTES: i64 = 100;

/// The storage that one or more books use, or the change of it by a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct StorageUsage {
    /// Number of transactions, including drafts and the trash.
    pub transactions: i64,
    /// Bytes of rows and file contents.
    pub bytes: i64,
}

impl Add for StorageUsage {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            transactions: self.transactions.saturating_add(other.transactions),
            bytes: self.bytes.saturating_add(other.bytes),
        }
    }
}

impl Sub for StorageUsage {
    type Output = Self;

    fn sub(self, other: Self) -> Self {
        Self {
            transactions: self.transactions.saturating_sub(other.transactions),
            bytes: self.bytes.saturating_sub(other.bytes),
        }
    }
}

impl Sum for StorageUsage {
    fn sum<I: Iterator<Item = Self>>(all: I) -> Self {
        all.fold(Self::default(), Add::add)
    }
}

impl StorageUsage {
    /// Returns whether it adds transactions or bytes.
    pub const fn grows(self) -> bool {
        self.transactions > 0 || self.bytes > 0
    }
}

/// Limits of stored transactions and bytes. `None` means no limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct StorageQuota {
    /// Transactions.
    pub transactions: Option<i64>,
    /// Bytes.
    pub bytes: Option<i64>,
}

impl StorageQuota {
    /// Creates a quota from numbers, of which 0 means no limit.
    pub fn new(transactions: i64, bytes: i64) -> Self {
        let limit = |number: i64| Some(number).filter(|number| *number > 0);
        Self { transactions: limit(transactions), bytes: limit(bytes) }
    }

    /// Returns whether anything is limited.
    pub const fn is_limited(self) -> bool {
        self.transactions.is_some() || self.bytes.is_some()
    }

    /// Returns the first limit that would be exceeded by adding `added` to `used`.
    ///
    /// A request that adds nothing in a unit is always allowed in that unit, even beyond its limit.
    fn overrun(self, used: StorageUsage, added: StorageUsage) -> Option<Overrun> {
        let units = [
            (QuotaUnit::Transactions, self.transactions, used.transactions, added.transactions),
            (QuotaUnit::Bytes, self.bytes, used.bytes, added.bytes),
        ];
        units.into_iter().find_map(|(unit, limit, used, added)| {
            let limit = limit?;
            let is_exceeded = added > 0 && used.saturating_add(added) > limit;
            is_exceeded.then_some(Overrun { unit, limit, used, added })
        })
    }

    /// Replaces the limits that are given, of which 0 means no limit.
    fn with(self, transactions: Option<i64>, bytes: Option<i64>) -> Self {
        let transactions = transactions.or(self.transactions).unwrap_or_default();
        Self::new(transactions, bytes.or(self.bytes).unwrap_or_default())
    }
}

/// The quotas that apply to a book: its own, and that of all books of its owner.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct StorageQuotas {
    /// The quota of each book.
    pub book: StorageQuota,
    /// The quota of all books of an owner.
    pub user: StorageQuota,
}

/// Quotas that the operator sets for a user instead of the configured ones.
///
/// 0 means no limit, and `None` keeps the configured quota.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Allowance {
    /// Transactions of all books.
    pub transactions: Option<i64>,
    /// Bytes of all books.
    pub bytes: Option<i64>,
    /// Transactions of each book.
    pub book_transactions: Option<i64>,
    /// Bytes of each book.
    pub book_bytes: Option<i64>,
}

impl StorageQuotas {
    /// Applies the allowance of a user.
    #[must_use]
    pub fn with_allowance(self, allowance: &Allowance) -> Self {
        let Allowance { transactions, bytes, book_transactions, book_bytes } = *allowance;
        Self {
            book: self.book.with(book_transactions, book_bytes),
            user: self.user.with(transactions, bytes),
        }
    }

    /// Checks the quota of a book that uses `used`.
    ///
    /// # Errors
    /// [`Refusal::Book`].
    pub fn check_book(&self, used: StorageUsage, added: StorageUsage) -> Result<(), Refusal> {
        self.book.overrun(used, added).map_or(Ok(()), |overrun| Err(Refusal::Book(overrun)))
    }

    /// Checks the quota of an owner whose books use `used`.
    ///
    /// The numbers are shown only if the caller is the owner.
    ///
    /// # Errors
    /// [`Refusal::Own`], [`Refusal::OfOwner`].
    pub fn check_owner(
        &self,
        used: StorageUsage,
        added: StorageUsage,
        is_caller: bool,
    ) -> Result<(), Refusal> {
        match self.user.overrun(used, added) {
            None => Ok(()),
            Some(overrun) if is_caller => Err(Refusal::Own(overrun)),
            Some(overrun) => Err(Refusal::OfOwner(overrun.unit)),
        }
    }

    /// Checks the quota of a new owner whose books use `used`.
    ///
    /// # Errors
    /// [`Refusal::OfNewOwner`].
    pub fn check_transfer(&self, used: StorageUsage, book: StorageUsage) -> Result<(), Refusal> {
        let overrun = self.user.overrun(used, book);
        overrun.map_or(Ok(()), |overrun| Err(Refusal::OfNewOwner(overrun.unit)))
    }
}
