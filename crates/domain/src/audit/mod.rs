//! Audits: recounts a book and compares everything kept beside the transactions with the
//! transactions (behaviour 6.7).
//!
//! An audit trusts nothing it reads. It takes rows as they are stored ([`AuditedTransaction`],
//! [`AuditedTotal`], [`AuditedEvent`]), so that a row that no program could have written becomes a
//! [`Finding`] and not an error. [`Recount`] adds the transactions up again and compares, [`Trail`]
//! checks the chain of events, and [`Report`] is the result of both. An audit never repairs.
//!
//! ```
//! use daybook_domain::audit::{
//!     AccountFlags, AuditedCounts, AuditedTotal, AuditedTransaction, DatedCounts, Recount,
//! };
//! use daybook_domain::balance::Sums;
//! use daybook_domain::id::{AccountId, TransactionId};
//! use daybook_domain::transaction::Standing;
//!
//! let [cash, food] = [1, 2].map(AccountId::new);
//! let stored = |account| AccountFlags { account, verified: true, posted: true };
//! let mut recount = Recount::new("book", (2, 2), [stored(cash), stored(food)]);
//! recount.add_transaction(&AuditedTransaction {
//!     id: TransactionId::new(7),
//!     day: 20_250_131,
//!     dated: true,
//!     standing: Some(Standing::Unchecked),
//!     trashed: false,
//!     amount: Some(500),
//!     credit: Some(cash),
//!     debit: Some(food),
//!     indexed: true,
//!     index_terms_found: 0,
//! });
//! let [credit, debit] = [Sums { debit: 0, credit: 500 }, Sums { debit: 500, credit: 0 }];
//! let sums = |period| {
//!     vec![
//!         AuditedTotal { account: cash, period, sums: credit },
//!         AuditedTotal { account: food, period, sums: debit },
//!     ]
//! };
//! let mut days = sums(20_250_131);
//! days[1].sums.debit = 400; // somebody was here
//! recount.compare(&[cash, food], &sums(20_250_131), &days, &sums(202_501));
//! let result = recount.finish(AuditedCounts {
//!     posted: 1,
//!     months: [(202_501, DatedCounts { posted: 1, trashed: 0 })].into(),
//!     ..AuditedCounts::default()
//! });
//! assert!(!result.balances_match && result.zero_sum);
//! assert_eq!(result.changed, [(food, false)]);
//! assert_eq!(
//!     result.findings.all().map(|found| found.kind.as_str()).collect::<Vec<_>>(),
//!     ["dayTotal"]
//! );
//! ```

mod contradiction;
mod finding;
mod months;
mod recount;
mod report;
mod row;
#[cfg(test)]
mod tests;
mod trail;

pub use finding::{Finding, FindingKind, Findings, MAX_OF_A_KIND};
pub use recount::{Recount, RecountResult};
pub use report::Report;
pub use row::{AuditedRow, LastEvent};
pub use trail::{AuditedEvent, Trail};

use std::collections::BTreeMap;

use crate::balance::Sums;
use crate::id::{AccountId, TransactionId};
use crate::storage_quota::StorageUsage;
use crate::transaction::Standing;

/// The columns of an account that follow from its transactions or from an earlier audit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AccountFlags {
    /// The account.
    pub account: AccountId,
    /// Whether the last audit found its balance right (`balanceVerified`).
    pub verified: bool,
    /// Whether anything was ever posted on it (`hasTransactionPosted`).
    pub posted: bool,
}

/// A transaction as its row has it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AuditedTransaction {
    /// Which.
    pub id: TransactionId,
    /// The day it is listed under, as yyyymmdd.
    pub day: i32,
    /// Whether that day is its own date, not the day it was created.
    pub dated: bool,
    /// Draft, unchecked or checked; `None` for an unknown number.
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
    /// row.
    pub indexed: bool,
    /// How many rows of the index terms lead to it.
    pub index_terms_found: i64,
}

/// The counts that the recount is compared with.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct AuditedCounts {
    /// How many transactions are posted and not trashed, as the book state says.
    pub posted: i64,
    /// Rows of index terms that the book has.
    pub index_terms: i64,
    /// What is stored of the book, as the book state says.
    pub stored: StorageUsage,
    /// How many posted and how many trashed transactions each month (yyyymm) is said to have.
    pub months: BTreeMap<i32, DatedCounts>,
}

/// How many transactions are dated in a month.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct DatedCounts {
    /// The posted ones.
    pub posted: i64,
    /// The trashed ones, whatever they were before.
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
