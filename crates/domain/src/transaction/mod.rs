//! Transactions: drafts, postings and their life (behaviour 3).

mod changes;
mod count;
mod edit;
mod events;
mod file_hold;
mod joined;
mod lifecycle;
mod limits;
mod merge;
mod posting_rules;
pub mod quick_entry;
mod refusal;
pub mod tags;

use time::Date;

pub use changes::{Changes, ResolvedSides, check_indexed, remote_ids};
pub use count::{Span, TransactionCount};
pub use edit::Edited;
pub use file_hold::FileHold;
pub use lifecycle::{Transition, Verb, transition};
pub use limits::{MAX_DESCRIPTION, MAX_INDEXED, MAX_LISTED, MAX_REMOTE_ID};
pub use merge::{MergePair, Merged, merge_transition};
pub use posting_rules::{Intent, PostingRules};
pub use refusal::Refusal;

use crate::account::AccountRef;
use crate::amount::Amount;
use crate::calendar::day_number;
use crate::id::{AccountId, FileId, TransactionId, UserId};
use crate::instant::{Instant, Stamp};
use crate::permission::Action;
use crate::property::Properties;
use crate::version::Tag;

impl crate::Refusal {
    /// Whether a batch of this verb leaves the item as it is for this reason and goes on, instead
    /// of failing as a whole (behaviour 3.6.3, 3.6.4). To name an archived account is the fault of
    /// an update's body, and of no post's.
    #[must_use]
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

/// What a transaction is underneath, whether trashed or not.
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
pub enum State {
    /// Not posted.
    Draft,
    /// Posted, not checked.
    Unchecked,
    /// Posted and checked.
    Checked,
    /// In the trash, whatever it is underneath.
    Trashed,
}

impl State {
    /// The state of one with this standing underneath.
    #[must_use]
    pub const fn of(standing: Standing, trashed: bool) -> Self {
        match (trashed, standing) {
            (true, _) => Self::Trashed,
            (false, Standing::Draft) => Self::Draft,
            (false, Standing::Unchecked) => Self::Unchecked,
            (false, Standing::Checked) => Self::Checked,
        }
    }
}

/// A transaction: the document. Its two entries are its effect on balances.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Transaction {
    /// Grows with creation time.
    pub id: TransactionId,
    /// The day; a draft may have none.
    pub date: Option<Date>,
    /// The day it stands under in lists: its date, else the day it was created in the book zone
    /// (behaviour 2.6).
    pub list_day: Date,
    /// How much; a draft may have none.
    pub amount: Option<Amount>,
    /// Free text.
    pub description: String,
    /// Where the money comes from.
    pub credit: Option<AccountId>,
    /// Where the money goes to.
    pub debit: Option<AccountId>,
    /// Draft, unchecked or checked.
    pub standing: Standing,
    /// In the trash; the standing stays underneath (behaviour 3.1.1).
    pub trashed: bool,
    /// When it was posted.
    pub posted_at: Option<Instant>,
    /// Custom properties.
    pub properties: Properties,
    /// URLs as given.
    pub urls: Vec<String>,
    /// Ids in other systems, to avoid duplicates.
    pub remote_ids: Vec<String>,
    /// The files attached to it.
    pub files: Vec<FileId>,
    /// Who recorded it.
    pub created_by: UserId,
    /// Through which app, and when.
    pub stamp: Stamp,
}

/// One leg of a posted transaction: what it does to one account.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Entry {
    /// The account.
    pub account: AccountId,
    /// The day.
    pub day: Date,
    /// Credit (true) or debit.
    pub credit: bool,
    /// How much.
    pub amount: Amount,
}

impl Transaction {
    /// The state in the transition table.
    #[must_use]
    pub const fn state(&self) -> State {
        State::of(self.standing, self.trashed)
    }

    /// Whether it is posted, trashed or not.
    #[must_use]
    pub const fn is_posted(&self) -> bool {
        matches!(self.standing, Standing::Unchecked | Standing::Checked)
    }

    /// Whether it is checked, trashed or not.
    #[must_use]
    pub const fn is_checked(&self) -> bool {
        matches!(self.standing, Standing::Checked)
    }

    /// Whether it counts in balances: posted and not trashed (behaviour 5.12).
    #[must_use]
    pub const fn counts(&self) -> bool {
        self.is_posted() && !self.trashed
    }

    /// What a posting still needs, by field name (behaviour 3.1.2).
    #[must_use]
    pub fn missing(&self) -> Vec<&'static str> {
        let parts = [
            ("date", self.date.is_some()),
            ("amount", self.amount.is_some()),
            ("creditAccount", self.credit.is_some()),
            ("debitAccount", self.debit.is_some()),
        ];
        parts.into_iter().filter(|(_, there)| !there).map(|(name, _)| name).collect()
    }

    /// Its two entries while it counts in balances, else none. They always sum to zero.
    #[must_use]
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

    /// The hashtags of the description (behaviour 3.9.1).
    #[must_use]
    pub fn tags(&self) -> Vec<String> {
        tags::of(&self.description)
    }

    /// `dateValue`: the date as yyyymmdd.
    #[must_use]
    pub fn date_value(&self) -> Option<i32> {
        self.date.map(day_number)
    }

    /// The two sides as references, credit first.
    pub fn account_ids(&self) -> impl Iterator<Item = AccountId> + use<> {
        self.credit.into_iter().chain(self.debit)
    }

    /// The row of the permission matrix that editing or trashing it falls under.
    #[must_use]
    pub const fn edit_action(&self) -> Action {
        match self.standing {
            Standing::Draft => Action::EditDraft,
            Standing::Unchecked | Standing::Checked => Action::Post,
        }
    }
}

/// Checks the two sides against each other (behaviour 3.2.8).
fn check_sides(credit: Option<AccountId>, debit: Option<AccountId>) -> Result<(), Refusal> {
    match (credit, debit) {
        (Some(credit), Some(debit)) if credit == debit => Err(Refusal::SameAccount),
        _ => Ok(()),
    }
}

/// A reference that must resolve (behaviour 3.2.6).
fn unknown_account(reference: &AccountRef) -> crate::account::Refusal {
    crate::account::Refusal::UnknownReference(reference.shown().to_owned())
}

impl From<&Transaction> for Tag {
    fn from(transaction: &Transaction) -> Self {
        Self::new("transaction", transaction.id, transaction.stamp.version)
    }
}
