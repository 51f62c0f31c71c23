//! Outcomes of records and their reasons.

use std::fmt;

use time::Date;

use crate::calendar::format_iso;
use crate::id::{AccountId, TransactionId};
use crate::named::named;

named! {
    /// The kind of an outcome. Each record has exactly one.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum OutcomeKind {
        /// It is recorded.
        New = "NEW",
        /// The book has it already.
        Existing = "EXISTING",
        /// It belongs to a transaction that another source or a person recorded.
        Matched = "MATCHED",
        /// It is left out.
        Skipped = "SKIPPED",
        /// It cannot be recorded.
        Refused = "REFUSED",
    }
}

/// The outcome of a record, with its reason.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// It is recorded.
    New(NewReason),
    /// The book has it already.
    Existing(ExistingReason),
    /// It belongs to a transaction that another source or a person recorded.
    Matched(Match),
    /// It is left out.
    Skipped(SkipReason),
    /// It cannot be recorded.
    Refused(RefuseReason),
}

impl Outcome {
    /// Returns the kind.
    pub const fn kind(&self) -> OutcomeKind {
        match self {
            Self::New(_) => OutcomeKind::New,
            Self::Existing(_) => OutcomeKind::Existing,
            Self::Matched(_) => OutcomeKind::Matched,
            Self::Skipped(_) => OutcomeKind::Skipped,
            Self::Refused(_) => OutcomeKind::Refused,
        }
    }

    /// Returns the transaction of the book that the record already has.
    pub const fn transaction(&self) -> Option<TransactionId> {
        match self {
            Self::Existing(
                ExistingReason::RemoteId(id) | ExistingReason::Changed { transaction: id, .. },
            )
            | Self::Matched(Match { target: MatchTarget::Transaction(id), .. })
            | Self::Skipped(SkipReason::Trashed(id)) => Some(*id),
            Self::New(_)
            | Self::Existing(ExistingReason::Repetition(_))
            | Self::Matched(Match { target: MatchTarget::Record { .. }, .. })
            | Self::Skipped(
                SkipReason::Rule(_)
                | SkipReason::NotAMovement
                | SkipReason::Zero
                | SkipReason::Decision,
            )
            | Self::Refused(_) => None,
        }
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::New(reason) => reason.fmt(out),
            Self::Existing(reason) => reason.fmt(out),
            Self::Matched(matched) => matched.reason.fmt(out),
            Self::Skipped(reason) => reason.fmt(out),
            Self::Refused(reason) => reason.fmt(out),
        }
    }
}

/// Why a record is new.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NewReason {
    /// The book has no transaction of it.
    Unknown,
    /// The book has its id on a transaction with another amount and text: the bank used the id
    /// again.
    ReusedId(TransactionId),
    /// A person trashed it, and the import brings it back.
    Restored(TransactionId),
}

impl fmt::Display for NewReason {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unknown => out.write_str("not in the book"),
            Self::ReusedId(id) => {
                write!(out, "transaction {id} has its id but another amount and text")
            }
            Self::Restored(id) => write!(out, "transaction {id} is in the trash"),
        }
    }
}

/// Why a record is already in the book.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExistingReason {
    /// A transaction has its remote id.
    RemoteId(TransactionId),
    /// A transaction has its remote id, and another amount or day.
    Changed {
        /// The transaction.
        transaction: TransactionId,
        /// Whether the amounts differ.
        amount: bool,
        /// Whether the days differ.
        date: bool,
    },
    /// It repeats this record of the file: same id of the source and same content.
    Repetition(u32),
}

impl fmt::Display for ExistingReason {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::RemoteId(_) => out.write_str("already in the book"),
            Self::Changed { amount, date, .. } => {
                let difference = match (amount, date) {
                    (true, true) => "amount and date",
                    (true, false) => "amount",
                    (false, _) => "date",
                };
                write!(out, "already in the book with another {difference}")
            }
            Self::Repetition(record) => write!(out, "repeats record {record}"),
        }
    }
}

/// The transaction that a record belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Match {
    /// The transaction, or the record that becomes one.
    pub target: MatchTarget,
    /// Why they belong together.
    pub reason: MatchReason,
    /// The effect of the confirmation on the transaction.
    pub effect: MatchEffect,
}

/// The counterpart of a matched record.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum MatchTarget {
    /// A transaction of the book; of an entry of several legs the first one.
    Transaction(TransactionId),
    /// Another record of the file, the other side of the same transfer.
    Record {
        /// The number of the record. It is recorded as new.
        number: u32,
        /// Its account.
        account: AccountId,
    },
}

/// Why a record and a transaction belong together, the best first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum MatchReason {
    /// The draft of the same record when it was pending.
    PendingForm,
    /// Same amount, same day and a common word.
    SameDayAndText,
    /// Same amount and same day.
    SameDay,
    /// Same amount, a common word, at most five days apart.
    NearDayAndText,
    /// Both sides of a transfer between two accounts of the book.
    Transfer,
    /// A decision of the user.
    Decision,
    /// Opposite amounts on two accounts of the book, at most five days apart.
    PossibleTransfer,
    /// Same amount, at most five days apart.
    NearDay,
    /// A draft of a pending record with a common word and a similar amount.
    PendingText,
}

impl MatchReason {
    /// Returns whether a match for this reason is taken without a decision.
    pub const fn is_certain(self) -> bool {
        match self {
            Self::PendingForm
            | Self::SameDayAndText
            | Self::SameDay
            | Self::NearDayAndText
            | Self::Transfer
            | Self::Decision => true,
            Self::PossibleTransfer | Self::NearDay | Self::PendingText => false,
        }
    }
}

impl fmt::Display for MatchReason {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            Self::PendingForm => "the draft of this record when it was pending",
            Self::SameDayAndText => "same amount, day and text",
            Self::SameDay => "same amount and day",
            Self::NearDayAndText => "same amount and text within five days",
            Self::Transfer => "the other side of a transfer",
            Self::Decision => "matched by a decision",
            Self::PossibleTransfer => "opposite amounts on two accounts within five days",
            Self::NearDay => "same amount within five days",
            Self::PendingText => "a draft of a pending record with similar text and amount",
        })
    }
}

/// The effect of a confirmed match on the transaction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum MatchEffect {
    /// Adds the remote id, and the record's date as a property if it differs.
    AddRemoteId,
    /// Adds the remote id, sets the unknown side to the account of the record, and posts a draft.
    SetOtherSide,
    /// Gives the draft the values of the record and posts it.
    PostDraft,
    /// Changes nothing: the run stores the pair of the remote id and the transaction.
    StorePair(LockReason),
    /// Nothing: the other record is recorded with both remote ids.
    JoinRecord,
}

/// Why a matched transaction is not changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum LockReason {
    /// It is checked.
    Checked,
    /// Its date is locked.
    Locked,
    /// The user may not edit it.
    NotEditable,
}

/// Why a record is left out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SkipReason {
    /// A rule on this line says so.
    Rule(u32),
    /// The line is not a movement: a header, a total, a balance, or the other side of a transfer.
    NotAMovement,
    /// Its amount is zero.
    Zero,
    /// A person trashed it earlier.
    Trashed(TransactionId),
    /// A decision of the user.
    Decision,
}

impl fmt::Display for SkipReason {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Rule(line) => write!(out, "skipped by the rule on line {line}"),
            Self::NotAMovement => out.write_str("not a movement"),
            Self::Zero => out.write_str("the amount is zero"),
            Self::Trashed(_) => out.write_str("in the trash"),
            Self::Decision => out.write_str("skipped by a decision"),
        }
    }
}

/// Why a record cannot be recorded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RefuseReason {
    /// It cannot be read, for this reason.
    Unreadable(String),
    /// It has more decimals than the book.
    Decimals(u32),
    /// Its amount is too large for the book.
    TooLarge,
    /// It is in another currency.
    OtherCurrency(String),
    /// Its date is locked.
    Locked(Date),
    /// An account is archived.
    ArchivedAccount(AccountId),
}

impl fmt::Display for RefuseReason {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unreadable(message) => out.write_str(message),
            Self::Decimals(digits) => {
                write!(out, "the amount has more than the {digits} decimals of the book")
            }
            Self::TooLarge => out.write_str("the amount is too large"),
            Self::OtherCurrency(currency) => write!(out, "the currency is {currency}"),
            Self::Locked(date) => write!(out, "the date {} is locked", format_iso(*date)),
            Self::ArchivedAccount(id) => write!(out, "account {id} is archived"),
        }
    }
}
