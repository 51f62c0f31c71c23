//! Transactions: drafts and postings, their states and changes (behaviour 3).
//!
//! A [`Transaction`] moves an amount from a credit account to a debit account on a date. It is a
//! draft while one of these is missing, or until its user posts it; a draft counts in no balance. A
//! posted transaction has two entries ([`Entry`]) that sum to zero. It is unchecked, or checked and
//! then read-only ([`Standing`]). A transaction in the trash counts in no balance and keeps its
//! standing.
//!
//! - [`TransactionRules`] creates a transaction from the fields of a request body ([`Changes`]),
//!   and posts it at once if it is complete and the caller may post.
//! - The same rules apply a [`Verb`] to an existing transaction: post, update, check, uncheck,
//!   trash or untrash. [`transition`] is the table of states and verbs.
//! - `merge` replaces two transactions by a new one. `quick_entry` parses a transaction that was
//!   typed as one line of text.
//! - `events` makes the event of each change for the log of the book.
//!
//! A function returns the changed transaction or a [`Refusal`], and changes nothing itself. Callers
//! load what [`TransactionRules`] needs, and save the result.

mod changes;
mod count;
mod descriptions;
mod duplicates;
mod edit;
mod events;
mod file_reference;
mod funds;
mod import_rows;
mod lifecycle;
mod limits;
mod merge;
pub mod quick_entry;
mod refusal;
mod rules;
pub mod tags;

use time::Date;

pub use changes::{Changes, ResolvedSides, check_index_terms, check_texts, remote_ids};
pub use count::{Span, TransactionCount};
pub use duplicates::MAX_DUPLICATES;
pub use edit::ChangedTransaction;
pub use file_reference::FileReference;
pub use funds::LoweredAccounts;
pub use import_rows::check_rows;
pub use lifecycle::{Transition, Verb, transition};
pub use limits::{
    FILE_TEXT_BYTES, MAX_CHANGED, MAX_CREATED, MAX_DESCRIPTION, MAX_INDEXED, MAX_LISTED, MAX_READ,
    MAX_REMOTE_ID, MAX_URL, MAX_URLS, MAX_WRITTEN,
};
pub use merge::{MergePair, Merged, SubmittedFields, merge_transition};
pub use refusal::Refusal;
pub use rules::{Intent, TransactionRules};

use crate::amount::Amount;
use crate::calendar::day_number;
use crate::id::{AccountId, FileId, TransactionId, UserId};
use crate::instant::{Instant, Stamp};
use crate::permission::Action;
use crate::property::Properties;
use crate::version::Tag;

impl crate::Refusal {
    /// Returns whether a batch of this verb leaves an item unchanged for this reason and continues,
    /// instead of failing as a whole (behaviour 3.6.3, 3.6.4). An archived account skips the item
    /// of a post; in an update it is an error of the body.
    pub const fn skips_item(&self, verb: Verb) -> bool {
        let archived = matches!(self, Self::Account(crate::account::Refusal::Archived(_)));
        let ineligible = matches!(
            self,
            Self::Transaction(
                Refusal::Checked
                    | Refusal::NotPosted
                    | Refusal::Trashed
                    | Refusal::Locked(_)
                    | Refusal::Incomplete(_)
            )
        );
        ineligible || (archived && matches!(verb, Verb::Post))
    }
}

/// The state of a transaction apart from the trash.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Standing {
    /// Not on any balance.
    Draft,
    /// Posted and editable.
    Unchecked,
    /// Posted and read-only.
    Checked,
}

/// The four states of the transition table (behaviour 3.1.1).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum LifecycleState {
    /// Not posted.
    Draft,
    /// Posted, not checked.
    Unchecked,
    /// Posted and checked.
    Checked,
    /// Trashed, whatever its standing.
    Trashed,
}

impl LifecycleState {
    /// Returns the state of a transaction with this standing.
    pub const fn of(standing: Standing, trashed: bool) -> Self {
        match (trashed, standing) {
            (true, _) => Self::Trashed,
            (false, Standing::Draft) => Self::Draft,
            (false, Standing::Unchecked) => Self::Unchecked,
            (false, Standing::Checked) => Self::Checked,
        }
    }
}

/// A transaction. Its two entries are its effect on balances.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Transaction {
    /// The id; later transactions have greater ids.
    pub id: TransactionId,
    /// The date; a draft may have none.
    pub date: Option<Date>,
    /// The day it is listed under: its date, or the day it was created in the time zone of the book
    /// if it has no date (behaviour 2.6).
    pub list_day: Date,
    /// The amount; a draft may have none.
    pub amount: Option<Amount>,
    /// The description.
    pub description: String,
    /// The credit account: where the money comes from.
    pub credit: Option<AccountId>,
    /// The debit account: where the money goes.
    pub debit: Option<AccountId>,
    /// Draft, unchecked or checked.
    pub standing: Standing,
    /// Whether it is trashed; the standing is kept (behaviour 3.1.1).
    pub trashed: bool,
    /// When it was posted; `None` for a draft.
    pub posted_at: Option<Instant>,
    /// Custom properties.
    pub properties: Properties,
    /// URLs, unchanged.
    pub urls: Vec<String>,
    /// The ids that it has in other systems. They prevent duplicates.
    pub remote_ids: Vec<String>,
    /// The files attached to it.
    pub files: Vec<FileId>,
    /// The number of comments on it (behaviour 3.14). It does not change the version.
    pub comment_count: u32,
    /// The user who recorded it.
    pub created_by: UserId,
    /// The app it was recorded with, when it was created and changed, and its version.
    pub stamp: Stamp,
}

/// The effect of a posted transaction on one of its accounts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Entry {
    /// The account.
    pub account: AccountId,
    /// The day.
    pub day: Date,
    /// Credit (true) or debit (false).
    pub credit: bool,
    /// The amount.
    pub amount: Amount,
}

impl Transaction {
    /// Returns the state in the transition table.
    pub const fn state(&self) -> LifecycleState {
        LifecycleState::of(self.standing, self.trashed)
    }

    /// Returns the size of its texts in bytes. Each file counts as [`FILE_TEXT_BYTES`], for its
    /// name.
    pub fn text_bytes(&self) -> usize {
        let lists = self.urls.iter().chain(&self.remote_ids).map(String::len);
        let files = self.files.len().saturating_mul(FILE_TEXT_BYTES);
        let others = [self.description.len(), self.properties.bytes(), files];
        lists.chain(others).fold(0, usize::saturating_add)
    }

    /// Returns whether it is posted, trashed or not.
    pub const fn is_posted(&self) -> bool {
        matches!(self.standing, Standing::Unchecked | Standing::Checked)
    }

    /// Returns whether it is checked, trashed or not.
    pub const fn is_checked(&self) -> bool {
        matches!(self.standing, Standing::Checked)
    }

    /// Returns whether it counts in balances: posted and not trashed (behaviour 5.12).
    pub const fn counts(&self) -> bool {
        self.is_posted() && !self.trashed
    }

    /// Returns the names of the fields that a posting still needs (behaviour 3.1.2).
    pub fn missing(&self) -> Vec<&'static str> {
        let parts = [
            ("date", self.date.is_some()),
            ("amount", self.amount.is_some()),
            ("creditAccount", self.credit.is_some()),
            ("debitAccount", self.debit.is_some()),
        ];
        parts.into_iter().filter(|(_, present)| !present).map(|(name, _)| name).collect()
    }

    /// Returns its two entries if it counts in balances; they sum to zero. Otherwise none.
    pub fn entries(&self) -> Vec<Entry> {
        let (true, Some(day), Some(amount), Some(credit), Some(debit)) =
            (self.counts(), self.date, self.amount, self.credit, self.debit)
        else {
            return Vec::new();
        };
        vec![
            Entry { account: credit, day, credit: true, amount },
            Entry { account: debit, day, credit: false, amount },
        ]
    }

    /// Returns the hashtags of the description (behaviour 3.9.1).
    pub fn tags(&self) -> Vec<String> {
        tags::of(&self.description)
    }

    /// Returns `dateValue`, the date as yyyymmdd.
    pub fn date_value(&self) -> Option<i32> {
        self.date.map(day_number)
    }

    /// Returns the accounts of its two sides, credit first.
    pub fn account_ids(&self) -> impl Iterator<Item = AccountId> + use<> {
        self.credit.into_iter().chain(self.debit)
    }

    /// Returns the action of the permission matrix that is required to edit or trash it.
    pub const fn edit_action(&self) -> Action {
        match self.standing {
            Standing::Draft => Action::EditDraft,
            Standing::Unchecked | Standing::Checked => Action::Post,
        }
    }
}

/// Checks that the two sides differ (behaviour 3.2.8).
fn check_sides(credit: Option<AccountId>, debit: Option<AccountId>) -> Result<(), Refusal> {
    match (credit, debit) {
        (Some(credit), Some(debit)) if credit == debit => Err(Refusal::SameAccount),
        _ => Ok(()),
    }
}

impl From<&Transaction> for Tag {
    fn from(transaction: &Transaction) -> Self {
        Self::new("transaction", transaction.id, transaction.stamp.version)
    }
}
