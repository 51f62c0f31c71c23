//! Storage quotas: how much may be stored of a book, and of all books of an owner together
//! (behaviour 10.14). What is stored counts for the owner of its book, whoever sent it, and until
//! it is gone: in the trash and in deleted books too.
//!
//! ```
//! use daybook_domain::storage_quota::{Allowance, StorageQuota, StorageQuotas, Stored};
//!
//! let book = StorageQuota { transactions: Some(1_000), bytes: None };
//! let usual = StorageQuotas { book, user: StorageQuota::default() };
//! let held = Stored { transactions: 999, bytes: 700_000 };
//! let one = Stored { transactions: 1, bytes: 800 };
//! usual.check_book(held, one).unwrap();
//! let refused = usual.check_book(held + one, one).unwrap_err();
//! assert!(refused.to_string().contains("may hold 1000 transactions and holds 1000"), "{refused}");
//! // What adds none of them is not about that quota.
//! usual.check_book(held + one, Stored { transactions: 0, bytes: 500 }).unwrap();
//! // The operator allows this user more.
//! let allowance = Allowance { book_transactions: Some(0), ..Allowance::default() };
//! usual.with(&allowance).check_book(held + one, one).unwrap();
//! ```

mod refusal;
#[cfg(test)]
mod tests;

use std::iter::Sum;
use std::ops::{Add, Sub};

pub use refusal::{Figure, Overrun, Refusal};

/// What is stored of a book, or of several; or by how much a request changes that.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct StorageUsage {
    /// Transactions, drafts and trashed ones included.
    pub transactions: i64,
    /// Bytes of rows and of contents of files.
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
    /// Whether it is more of anything.
    #[must_use]
    pub const fn grows(self) -> bool {
        self.transactions > 0 || self.bytes > 0
    }
}

/// The most that may be stored; without a number there is no limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct StorageQuota {
    /// Transactions.
    pub transactions: Option<i64>,
    /// Bytes.
    pub bytes: Option<i64>,
}

impl StorageQuota {
    /// With these numbers, of which 0 means that there is no limit.
    #[must_use]
    pub fn of(transactions: i64, bytes: i64) -> Self {
        let limit = |number: i64| Some(number).filter(|number| *number > 0);
        Self { transactions: limit(transactions), bytes: limit(bytes) }
    }

    /// Whether anything is limited.
    #[must_use]
    pub const fn is_on(self) -> bool {
        self.transactions.is_some() || self.bytes.is_some()
    }

    /// The first figure that would go beyond its limit when something is added to what is held.
    /// What adds nothing to a figure may always be done, also beyond its limit.
    fn overrun(self, held: StorageUsage, added: StorageUsage) -> Option<Overrun> {
        let figures = [
            (Figure::Transactions, self.transactions, held.transactions, added.transactions),
            (Figure::Bytes, self.bytes, held.bytes, added.bytes),
        ];
        figures.into_iter().find_map(|(figure, limit, held, added)| {
            let limit = limit?;
            let beyond = added > 0 && held.saturating_add(added) > limit;
            beyond.then_some(Overrun { figure, limit, held, added })
        })
    }

    fn changed(self, transactions: Option<i64>, bytes: Option<i64>) -> Self {
        let usual = [self.transactions, self.bytes].map(Option::unwrap_or_default);
        let [usual_transactions, usual_bytes] = usual;
        Self::of(transactions.unwrap_or(usual_transactions), bytes.unwrap_or(usual_bytes))
    }
}

/// The storage quotas that hold for a book: its own, and that of all books of its owner.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct StorageQuotas {
    /// Of each book.
    pub book: StorageQuota,
    /// Of the books of an owner together.
    pub user: StorageQuota,
}

/// What the operator allows a user in place of what holds for everybody: 0 is no limit, nothing is
/// the usual number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Allowance {
    /// Transactions of all their books.
    pub transactions: Option<i64>,
    /// Bytes of all their books.
    pub bytes: Option<i64>,
    /// Transactions of each of their books.
    pub book_transactions: Option<i64>,
    /// Bytes of each of their books.
    pub book_bytes: Option<i64>,
}

impl StorageQuotas {
    /// The quotas of the books of a user who has an allowance.
    #[must_use]
    pub fn with(self, allowance: &Allowance) -> Self {
        let Allowance { transactions, bytes, book_transactions, book_bytes } = *allowance;
        Self {
            book: self.book.changed(book_transactions, book_bytes),
            user: self.user.changed(transactions, bytes),
        }
    }

    /// Lets something be added to what a book holds.
    ///
    /// # Errors
    /// [`Refusal::Book`].
    pub fn check_book(&self, held: StorageUsage, added: StorageUsage) -> Result<(), Refusal> {
        self.book.overrun(held, added).map_or(Ok(()), |overrun| Err(Refusal::Book(overrun)))
    }

    /// Lets something be added to what the books of an owner hold together. Only the owner is told
    /// how much that is.
    ///
    /// # Errors
    /// [`Refusal::Own`], [`Refusal::OfOwner`].
    pub fn check_owner(
        &self,
        held: StorageUsage,
        added: StorageUsage,
        is_caller: bool,
    ) -> Result<(), Refusal> {
        match self.user.overrun(held, added) {
            None => Ok(()),
            Some(overrun) if is_caller => Err(Refusal::Own(overrun)),
            Some(overrun) => Err(Refusal::OfOwner(overrun.figure)),
        }
    }

    /// Lets a book become one of those of a user who holds so much already.
    ///
    /// # Errors
    /// [`Refusal::OfNewOwner`].
    pub fn check_transfer(&self, held: StorageUsage, book: StorageUsage) -> Result<(), Refusal> {
        let overrun = self.user.overrun(held, book);
        overrun.map_or(Ok(()), |overrun| Err(Refusal::OfNewOwner(overrun.figure)))
    }
}
