//! Transactions: drafts, postings and their life (behaviour 3).

mod changes;
mod count;
mod edit;
mod file_hold;
mod joined;
mod lifecycle;
mod merge;
mod posting_rules;
pub mod quick_entry;
pub mod tags;

use time::Date;

pub use changes::{Changes, Sides, check_indexed, remote_ids};
pub use count::{Count, Span};
pub use edit::Edited;
pub use file_hold::FileHold;
pub use lifecycle::{Transition, Verb, transition};
pub use merge::{Merged, Pair, merge_transition};
pub use posting_rules::{Intent, PostingRules};

use crate::account::AccountRef;
use crate::amount::Amount;
use crate::calendar::day_number;
use crate::id::{AccountId, FileId, TransactionId, UserId};
use crate::instant::{Instant, Stamp};
use crate::permission::Action;
use crate::property::Properties;
use crate::refusal::Reason;

/// Longest remote id in characters (behaviour 3.7.5).
pub const MAX_REMOTE_ID: usize = 256;

/// Longest description in bytes: what is in it is indexed in the unit of work that records it.
pub const MAX_DESCRIPTION: usize = 64 * 1024;
/// Most remote ids, most URLs, and most files, of one transaction.
pub const MAX_LISTED: usize = 1_000;

/// Most transactions that the deletion of accounts or of a file may change (behaviour 10.11).
pub const MAX_RELEASED: usize = 100_000;
/// Most index entries the bodies of one request may ask for (behaviour 10.10).
pub const MAX_INDEXED: usize = 100_000;

/// Why something about a transaction was refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// Unknown, or another user's draft for a recorder.
    #[error("transaction not found: {0}")]
    Unknown(String),
    /// Several unknown ids at once (behaviour 3.6.5, 12.4).
    #[error("transactions not found. Ids: [{}]", .0.join(", "))]
    UnknownIds(Vec<String>),
    /// A body without id where one is needed.
    #[error("id is required")]
    IdRequired,
    /// `date` is not `yyyy-MM-dd`.
    #[error("date {0:?} is not a date of the form yyyy-MM-dd")]
    Date(String),
    /// Not everything a posting needs is there.
    #[error("an incomplete transaction cannot be posted; missing: {}", .0.join(", "))]
    Incomplete(Vec<&'static str>),
    /// A posted transaction must stay complete.
    #[error("a posted transaction must keep its {}", .0.join(", "))]
    MustStayComplete(Vec<&'static str>),
    /// The same account on both sides.
    #[error("creditAccount and debitAccount are the same account")]
    SameAccount,
    /// A checked transaction is read-only.
    #[error("the transaction is checked; uncheck it first")]
    Checked,
    /// A merge of more or fewer than two.
    #[error("a merge takes exactly two items; there are {0}")]
    NotTwo(usize),
    /// A merge of a transaction with itself.
    #[error("a transaction cannot be merged with itself")]
    SameTransaction,
    /// A draft cannot be checked.
    #[error("the transaction is not posted")]
    NotPosted,
    /// A trashed transaction takes no verb but untrash.
    #[error("the transaction is trashed; restore it first")]
    Trashed,
    /// The date is locked or closed.
    #[error("the date {0} is locked or closed in this book")]
    Locked(String),
    /// A remote id longer than allowed.
    #[error("remote id {0:?} has more than {MAX_REMOTE_ID} characters")]
    RemoteIdTooLong(String),
    /// A longer description than allowed.
    #[error("description has {0} bytes; at most {MAX_DESCRIPTION} are allowed")]
    DescriptionTooLong(usize),
    /// More remote ids, URLs or files than allowed.
    #[error("{0} has {1} entries; at most {MAX_LISTED} are allowed")]
    TooMany(&'static str, usize),
    /// Bodies that are within their limits each, and together not.
    #[error(
        "the items have {0} remote ids, hashtags, files and properties (which count twice) in all; \
         at most {MAX_INDEXED} are allowed: send fewer items at once"
    )]
    TooMuchIndexed(usize),
    /// A parameter that is missing or cannot be read.
    #[error("{0} is required and must be {1}")]
    Parameter(&'static str, &'static str),
    /// The permission does not reach as far as the transaction's state asks.
    #[error("permission {0} is not enough for this")]
    NotEnough(&'static str),
}

impl Refusal {
    pub(crate) const fn reason(&self) -> Reason {
        match self {
            Self::Unknown(_) | Self::UnknownIds(_) => Reason::NotFound,
            Self::NotEnough(_) => Reason::Forbidden,
            Self::Checked => Reason::CheckedTransaction,
            Self::Locked(_) => Reason::LockedDate,
            Self::IdRequired
            | Self::Date(_)
            | Self::Incomplete(_)
            | Self::MustStayComplete(_)
            | Self::SameAccount
            | Self::NotTwo(_)
            | Self::SameTransaction
            | Self::NotPosted
            | Self::Trashed
            | Self::RemoteIdTooLong(_)
            | Self::DescriptionTooLong(_)
            | Self::TooMany(..)
            | Self::TooMuchIndexed(_)
            | Self::Parameter(..) => Reason::BadRequest,
        }
    }
}

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
