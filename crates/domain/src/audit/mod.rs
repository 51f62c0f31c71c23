//! Audits: whether what is kept beside the transactions still says what the transactions say
//! (behaviour 6.7).
//!
//! An audit trusts nothing it reads: it takes rows as they are stored ([`AuditedTransaction`], [`AuditedTotal`],
//! [`AuditedEvent`]), so that a row no program could have written becomes a [`Finding`] and not a
//! failure. [`Recount`] adds the transactions up anew and compares, [`Trail`] walks the chain of
//! events, [`Report`] is what the two found. It never repairs.
//!
//! ```
//! use daybook_domain::audit::{AuditedTotal, AuditedCounts, AccountFlags, EntryTotals, AuditedEntry, AuditedTransaction, Recount};
//! use daybook_domain::balance::Sums;
//! use daybook_domain::id::{AccountId, TransactionId};
//! use daybook_domain::transaction::Standing;
//!
//! let [cash, food] = [1, 2].map(AccountId::new);
//! let kept = |account| AccountFlags { account, verified: true, posted: true };
//! let mut recount = Recount::new("book", (2, 2), [kept(cash), kept(food)]);
//! recount.add_transaction(&AuditedTransaction {
//!     id: TransactionId::new(7), day: 20_250_131, dated: true, standing: Some(Standing::Unchecked), trashed: false,
//!     amount: Some(500), credit: Some(cash), debit: Some(food),
//!     credit_entry: Some(AuditedEntry { credit: true, amount: 500 }),
//!     debit_entry: Some(AuditedEntry { credit: false, amount: -400 }), // somebody was here
//!     indexed: true, index_terms_found: 0,
//! });
//! let [credit, debit] = [Sums { debit: 0, credit: 500 }, Sums { debit: 500, credit: 0 }];
//! let ledger = |account, sums| EntryTotals { account, rows: 1, sums };
//! recount.compare_sums(&[ledger(cash, credit), ledger(food, Sums { debit: 400, credit: 0 })]);
//! let cells = |period| vec![AuditedTotal { account: cash, period, sums: credit }, AuditedTotal { account: food, period, sums: debit }];
//! let mut entries = cells(20_250_131);
//! entries[1].sums.debit = 400;
//! recount.compare(&[cash, food], &entries, &cells(20_250_131), &cells(202_501));
//! let result = recount.finish(AuditedCounts { posted: 1, index_terms: 0 });
//! assert!(!result.balances_match && !result.zero_sum);
//! assert_eq!(result.changed, [(food, false)]);
//! assert_eq!(result.findings.all().map(|found| found.kind.as_str()).collect::<Vec<_>>(), ["zeroSum", "entry"]);
//! ```

mod finding;
mod recount;
mod report;
#[cfg(test)]
mod tests;
mod trail;

pub use finding::{Finding, FindingKind, Findings, MAX_OF_A_KIND};
pub use recount::{Recount, RecountResult};
pub use report::Report;
pub use trail::{AuditedEvent, Trail};

use crate::balance::Sums;
use crate::id::{AccountId, TransactionId};
use crate::transaction::Standing;

/// What an account's own row says that follows from transactions or from an earlier audit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AccountFlags {
    /// The account.
    pub account: AccountId,
    /// What the last audit set.
    pub verified: bool,
    /// Whether anything was ever posted on it.
    pub posted: bool,
}

/// A row of the entries: its side, and what it does to the account, credit positive and debit
/// negative.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AuditedEntry {
    /// Credit (true) or debit.
    pub credit: bool,
    /// Zero while the transaction is a draft or trashed.
    pub amount: i64,
}

impl AuditedEntry {
    /// What it adds to the account's sums.
    #[must_use]
    pub fn sums(self) -> Sums {
        let amount = i128::from(self.amount);
        if amount < 0 {
            Sums { debit: -amount, credit: 0 }
        } else {
            Sums { debit: 0, credit: amount }
        }
    }
}

/// A transaction as its row has it, with the entries found where its own should be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AuditedTransaction {
    /// Which.
    pub id: TransactionId,
    /// The day it stands under, as yyyymmdd.
    pub day: i32,
    /// Whether that day is its date.
    pub dated: bool,
    /// Draft, unchecked or checked; none for a number that means nothing.
    pub standing: Option<Standing>,
    /// In the trash.
    pub trashed: bool,
    /// In units of the book's storage scale.
    pub amount: Option<i64>,
    /// The side money comes from.
    pub credit: Option<AccountId>,
    /// The side money goes to.
    pub debit: Option<AccountId>,
    /// The entry of the credit side.
    pub credit_entry: Option<AuditedEntry>,
    /// The entry of the debit side.
    pub debit_entry: Option<AuditedEntry>,
    /// Whether it is found by its text, hashtags, properties and remote ids as they stand in the
    /// row.
    pub indexed: bool,
    /// How many index_terms of these lead to it.
    pub index_terms_found: i64,
}

/// What the book counts, to be compared with what there is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct AuditedCounts {
    /// Transactions that are posted and not trashed, as the book says.
    pub posted: i64,
    /// Marks by which transactions are found, as there are.
    pub index_terms: i64,
}

/// All entries of an account.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EntryTotals {
    /// Which.
    pub account: AccountId,
    /// How many there are.
    pub rows: i64,
    /// What they sum to.
    pub sums: Sums,
}

/// An entry that no transaction accounts for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StrayEntry {
    /// On which account.
    pub account: AccountId,
    /// Under which day.
    pub day: i32,
    /// Whose it says it is.
    pub transaction: TransactionId,
    /// What it does.
    pub entry: AuditedEntry,
}

/// The sums of an account over a day (yyyymmdd) or a month (yyyymm).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AuditedTotal {
    /// Whose.
    pub account: AccountId,
    /// Of when.
    pub period: i32,
    /// How much.
    pub sums: Sums,
}
