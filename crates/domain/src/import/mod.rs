//! Imports: records of bank files, and what becomes of each of them.
//!
//! An import reads its file at least twice and holds only compact facts between the passes:
//!
//! 1. [`Census::add`] for every record; [`Census::finish`] gives the [`Identities`].
//! 2. [`Identities::identify`] gives the remote ids of a record to look up. [`classify`] gives its
//!    outcome from the transactions found. A record that is still new goes to
//!    [`Matcher::add_record`].
//! 3. [`Matcher::ready`] ends the records. [`Offers::add_transaction`] takes the transactions of
//!    the accounts in the range [`Offers::days`]; [`Offers::assign`] gives the [`Matches`].
//! 4. [`finish`] gives the final outcome of a new record. [`History::suggest`] suggests its other
//!    account, and [`posting`] gives its two sides.
//!
//! A confirmation repeats the passes, compares [`Fingerprint`]s with [`differences`] and applies
//! [`Decisions`]. [`undo_action`] decides what an undo does to each transaction of a run.

mod assignment;
mod classification;
mod decision;
mod fingerprint;
#[cfg(test)]
mod fixture;
mod history;
mod identity;
#[cfg(test)]
mod laws;
mod matcher;
mod matches;
mod offers;
mod outcome;
mod own_accounts;
mod posting;
mod record;
mod refusal;
mod run;
#[cfg(test)]
mod tests;
mod text;
mod undo;

use crate::property::Properties;

pub use classification::{Finding, FindingState, Options, classify, finish};
pub use decision::{Choice, Decision, Decisions, Proposal, Resolution};
pub use fingerprint::{Differences, Fingerprint, MAX_DIFFERENCES, differences};
pub use history::{Confidence, History, MAX_TOKENS, Suggestion};
pub use identity::{Census, Identities, Identity};
pub use matcher::Matcher;
pub use matches::{MAX_CANDIDATES, Matches};
pub use offers::{Offers, TransactionFacts};
pub use outcome::{
    ExistingReason, LockReason, Match, MatchEffect, MatchReason, MatchTarget, NewReason, Outcome,
    OutcomeKind, RefuseReason, SkipReason,
};
pub use own_accounts::{OwnAccount, OwnAccounts};
pub use posting::{
    AccountToCreate, Posting, PostingOptions, Side, UNCATEGORISED_EXPENSES, UNCATEGORISED_INCOME,
    account_type_of_name, posting,
};
pub use record::{Leg, Other, Record, Status};
pub use refusal::{MAX_NAME, MAX_OPEN, Refusal};
pub use run::{CONFIRMATION_TIME, Import, RecordMatch, State};
pub use text::digest;
pub use undo::{
    AccountFacts, LeaveReason, MatchUndo, RunTransaction, UndoAction, may_archive_account,
    undo_action, undo_match,
};

/// The property of a transaction with the id of the run that recorded it.
pub const RUN_PROPERTY: &str = "import_run";

/// The property of an account with its number at the bank, such as an IBAN.
pub const NUMBER_PROPERTY: &str = "bank_account";

/// The property of a transfer with the date of the second record.
pub const SECOND_DATE_PROPERTY: &str = "second_date";

/// The property of all transactions of an entry of several legs.
pub const ENTRY_PROPERTY: &str = "entry_id";

/// The property of a transaction with the place of its record in the file.
pub const SOURCE_PROPERTY: &str = "source";

/// Returns the keys that a copy of these properties does not have: those that bind a transaction to
/// its entry and its import.
///
/// A `source` that no import has set is copied.
pub fn uncopied_keys(properties: &Properties) -> &'static [&'static str] {
    if properties.get(RUN_PROPERTY).is_some() {
        &[ENTRY_PROPERTY, RUN_PROPERTY, SOURCE_PROPERTY]
    } else {
        &[ENTRY_PROPERTY]
    }
}
