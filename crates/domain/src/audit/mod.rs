//! Audits: compare all derived data of a book with its transactions (behaviour 6.7).
//!
//! An audit reads the rows as they are stored ([`AuditedTransaction`], [`AuditedTotal`],
//! [`AuditedEvent`]), so that an invalid row is a [`Finding`] and not an error. [`Recount`] sums
//! the transactions up and compares the sums, [`ChainCheck`] checks the chain of events, and
//! [`Report`] is the result of both. An audit changes nothing except `balanceVerified` of accounts.

mod chain;
mod contradiction;
mod finding;
mod months;
mod recount;
mod report;
mod row;
#[cfg(test)]
mod tests;

pub use chain::{AuditedEvent, ChainCheck};
pub use finding::{Finding, FindingKind, Findings, MAX_PER_KIND};
pub use recount::{Recount, RecountResult};
pub use report::Report;
pub use row::{AuditedRow, LastEvent};

use std::collections::BTreeMap;

use crate::balance::Sums;
use crate::id::{AccountId, TransactionId};
use crate::storage_quota::StorageUsage;
use crate::transaction::Standing;

/// The columns of an account that are derived from its transactions or from an earlier audit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AccountFlags {
    /// The account.
    pub account: AccountId,
    /// Whether its balance was correct in the last audit (`balanceVerified`).
    pub verified: bool,
    /// Whether a transaction was ever posted on it (`hasTransactionPosted`).
    pub posted: bool,
}

/// A transaction as stored in its row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AuditedTransaction {
    /// The id.
    pub id: TransactionId,
    /// The day it is listed under, as yyyymmdd.
    pub day: i32,
    /// Whether this day is its date, not the day it was created.
    pub dated: bool,
    /// Draft, unchecked or checked; `None` if the column is invalid.
    pub standing: Option<Standing>,
    /// Whether it is trashed.
    pub trashed: bool,
    /// The amount at the storage scale.
    pub amount: Option<i64>,
    /// The credit account.
    pub credit: Option<AccountId>,
    /// The debit account.
    pub debit: Option<AccountId>,
    /// Whether the search indexes have exactly the text, hashtags, properties and remote ids of the
    /// row, and its number of comments is correct.
    pub indexed: bool,
    /// The number of index terms of the transaction.
    pub index_terms_found: i64,
}

/// The stored counts that the recount is compared with.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct AuditedCounts {
    /// The number of posted transactions that are not trashed, in the book state.
    pub posted: i64,
    /// The number of index terms of the book.
    pub index_terms: i64,
    /// The storage usage in the book state.
    pub stored: StorageUsage,
    /// The stored counts of each month (yyyymm).
    pub months: BTreeMap<i32, DatedCounts>,
}

/// The number of transactions that are dated in a month.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct DatedCounts {
    /// Posted transactions.
    pub posted: i64,
    /// Trashed transactions, posted or not.
    pub trashed: i64,
}

/// The debits and credits of an account in one day (yyyymmdd) or month (yyyymm).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AuditedTotal {
    /// The account.
    pub account: AccountId,
    /// The day or month.
    pub period: i32,
    /// The sums.
    pub sums: Sums,
}
