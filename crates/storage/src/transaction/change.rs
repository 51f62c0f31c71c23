//! A change of a transaction.

use daybook_domain::transaction::Transaction;

/// A new or changed transaction of a unit of work.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    /// The transaction before the change, or nothing if it is new.
    pub before: Option<Transaction>,
    /// The transaction after the change.
    pub after: Transaction,
}

impl Change {
    /// Creates the change of a new transaction.
    #[must_use]
    pub const fn new(after: Transaction) -> Self {
        Self { before: None, after }
    }

    /// Returns whether the transaction was checked before, and is not any more.
    #[must_use]
    pub fn unchecks(&self) -> bool {
        self.before.as_ref().is_some_and(Transaction::is_checked) && !self.after.is_checked()
    }
}
