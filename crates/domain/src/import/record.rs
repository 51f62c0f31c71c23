//! Records, as the rules of imports see them.

use time::Date;

use crate::id::AccountId;

/// The other account of a record.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Other {
    /// An account of the book.
    Account(AccountId),
    /// The name of an account that the book does not have.
    Named(String),
}

/// A movement of an account that a file states.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Record {
    /// The position among the records of the file, from 1.
    pub number: u32,
    /// The account of the book that the statement belongs to.
    pub account: AccountId,
    /// The account's number in the file; `None` when the file has none.
    pub account_number: Option<String>,
    /// The booking day.
    pub date: Option<Date>,
    /// The amount at the storage scale of the book; positive into the account.
    pub units: i64,
    /// The text as the file has it, before any rule. It identifies the record, so that a changed
    /// rule does not import the record again.
    pub text: String,
    /// The description of the transaction, after the rules.
    pub description: String,
    /// The identifier that the file gives it.
    pub source_id: Option<String>,
    /// Whether it is final.
    pub status: Status,
    /// The other party's account number.
    pub counterparty: Option<String>,
    /// The other account, if a rule or the file names it.
    pub other: Option<Other>,
    /// The parts of the amount; empty when there is one part.
    pub legs: Vec<Leg>,
}

/// A part of a record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Leg {
    /// The part of the amount at the storage scale; positive into the account of the record.
    pub units: i64,
    /// The other account, if it is known.
    pub other: Option<Other>,
    /// The text of the part.
    pub description: Option<String>,
}

/// Whether a record is final.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Status {
    /// The bank has booked it.
    #[default]
    Booked,
    /// The bank may still change or drop it.
    Pending,
}

impl Record {
    /// Returns the account of the book that the other side is, if it exists.
    pub(super) fn other_account(&self) -> Option<AccountId> {
        match self.other {
            Some(Other::Account(id)) => Some(id),
            Some(Other::Named(_)) | None => None,
        }
    }
}
