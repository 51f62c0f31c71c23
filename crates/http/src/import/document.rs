//! The stored documents of an import: parameters, preview, results and records.
//!
//! The summary and the results have the names of the API, which shows them as they are.

use daybook_domain::account::AccountType;
use daybook_domain::calendar::from_day_number;
use daybook_domain::id::{AccountId, TransactionId, UserId};
use daybook_domain::import::{
    ExistingReason, LeaveReason, Match, NewReason, Other, Outcome, OutcomeKind, Record,
    RefuseReason, SkipReason, Status, Suggestion,
};
use daybook_edge::error::RequestError;
use daybook_interchange::read::problem::Position;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use time::Date;

use super::failure::{Fault, FaultReason};
use super::journal_document::{EntryDoc, JournalDoc, RunBookDoc, VirtualPostingsDoc};

pub(super) use super::match_document::MatchDoc;

/// The transactions left by an undo that are shown.
const MAX_LEFT: usize = 100;

/// The parameters of createImport.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct OptionsDoc {
    pub(super) account: Option<String>,
    pub(super) rules: Option<String>,
    pub(super) day_first: Option<bool>,
    pub(super) decimal_comma: Option<bool>,
    pub(super) encoding: Option<String>,
    pub(super) sheet: Option<String>,
    pub(super) drafts: bool,
    pub(super) trashed: bool,
    /// Whether a journal is recorded in new books; by default it is.
    pub(super) is_new: Option<bool>,
    /// Whether each commodity gets a book.
    pub(super) all_commodities: bool,
    /// The treatment of virtual postings; by default a new book, and this one for the target HERE.
    pub(super) virtual_postings: Option<VirtualPostingsDoc>,
    /// Whether the decimal places of the book are raised to those of the journal.
    pub(super) raise_fraction_digits: bool,
    /// The first part of the remote ids of a journal.
    pub(super) source: Option<String>,
    /// The bytes of the file.
    pub(super) source_bytes: i64,
}

/// An account of the book, or one to create.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct AccountDoc {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) id: Option<String>,
    pub(super) name: String,
}

impl AccountDoc {
    /// Returns the document of an account that is to be created.
    pub(super) fn named(name: &str) -> Self {
        Self { id: None, name: name.to_owned() }
    }
}

/// A statement of the file.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct StatementDoc {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) account: Option<AccountDoc>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) number: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) currency: Option<String>,
    pub(super) count: u32,
    pub(super) sum_in: String,
    pub(super) sum_out: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) opening: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) closing: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) difference: Option<String>,
}

/// The records by outcome.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct CountsDoc {
    pub(super) new: u32,
    pub(super) existing: u32,
    pub(super) matched: u32,
    pub(super) skipped: u32,
    pub(super) refused: u32,
    pub(super) total: u32,
    pub(super) drafts: u32,
    pub(super) locked: u32,
}

impl CountsDoc {
    /// Counts a record.
    pub(super) fn add(&mut self, record: &RecordDoc) {
        let count = match record.kind() {
            OutcomeKind::New => &mut self.new,
            OutcomeKind::Existing => &mut self.existing,
            OutcomeKind::Matched => &mut self.matched,
            OutcomeKind::Skipped => &mut self.skipped,
            OutcomeKind::Refused => &mut self.refused,
        };
        *count = count.saturating_add(1);
        self.total = self.total.saturating_add(1);
        self.drafts = self.drafts.saturating_add(u32::from(record.draft));
        self.locked = self.locked.saturating_add(u32::from(record.locked));
    }
}

/// An account that the confirmation creates.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(super) struct NewAccountDoc {
    pub(super) name: String,
    pub(super) r#type: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) group: Option<String>,
}

impl NewAccountDoc {
    pub(super) fn kind(&self) -> AccountType {
        AccountType::from_name(&self.r#type).unwrap_or_default()
    }
}

/// A warning about the file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct WarningDoc {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) line: Option<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) column: Option<u32>,
    pub(super) message: String,
}

/// A preview without its records.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct SummaryDoc {
    pub(super) error: Option<String>,
    /// The kind of the error.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) error_reason: Option<FaultReason>,
    pub(super) format: Option<String>,
    /// The account that the caller named.
    pub(super) account: Option<AccountDoc>,
    pub(super) statements: Vec<StatementDoc>,
    pub(super) counts: CountsDoc,
    pub(super) sum_in: Option<String>,
    pub(super) sum_out: Option<String>,
    pub(super) accounts_to_create: Vec<NewAccountDoc>,
    pub(super) warnings: Vec<WarningDoc>,
    pub(super) warning_count: usize,
    pub(super) changed_records: Vec<u32>,
    /// Where the records are recorded, for a journal.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) journal: Option<JournalDoc>,
    /// Whether the file is the export of a book.
    #[serde(skip_serializing_if = "is_default")]
    pub(super) is_whole_book: bool,
    /// The number of the last event of the book that the preview has seen.
    pub(super) sequence: i64,
    /// Whether the decisions are applied to the records.
    pub(super) resolved: bool,
}

impl SummaryDoc {
    /// Returns the summary of an import that failed.
    pub(super) fn with_fault(self, fault: Fault) -> Self {
        Self { error: Some(fault.message), error_reason: Some(fault.reason), ..self }
    }
}

/// The results of recording and undoing.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct ResultsDoc {
    /// Whether the accounts are created.
    pub(super) has_accounts: bool,
    /// The accounts that were created.
    pub(super) accounts: Vec<i64>,
    /// The first records that were refused while they were recorded.
    pub(super) refused: Vec<(u32, String)>,
    /// The first and the last number of runs of further ones.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) refused_runs: Vec<(u32, u32)>,
    /// The number of refused lines of an exported book, of which `refused` has the first ones.
    #[serde(skip_serializing_if = "is_default")]
    pub(super) refused_count: u32,
    /// The books that were created.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) books: Vec<RunBookDoc>,
    /// The collection that was created for them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) collection: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) undone: Option<UndoDoc>,
    /// The user who undoes it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) undone_by: Option<i64>,
    /// The day and the id of the last transaction that the undo of an exported book has seen.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) undone_until: Option<(i32, i64)>,
}

impl ResultsDoc {
    /// Returns the user who undoes the import.
    pub(super) fn undone_by(&self, author: UserId) -> UserId {
        self.undone_by.map_or(author, UserId::new)
    }
}

/// The result of an undo.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct UndoDoc {
    pub(super) trashed: u64,
    pub(super) archived: u64,
    /// The books that were deleted; `None` before that is tried.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) deleted_book_ids: Option<Vec<String>>,
    pub(super) left: Vec<LeftDoc>,
    pub(super) left_count: u64,
}

impl UndoDoc {
    /// Adds the result of a step, of which the first transactions that were left are shown.
    pub(super) fn add(&mut self, trashed: u64, left: &[(TransactionId, LeaveReason)]) {
        self.trashed = self.trashed.saturating_add(trashed);
        let count = u64::try_from(left.len()).unwrap_or(u64::MAX);
        self.left_count = self.left_count.saturating_add(count);
        let free = MAX_LEFT.saturating_sub(self.left.len());
        self.left.extend(left.iter().take(free).map(LeftDoc::from));
    }
}

/// A transaction that an undo left.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct LeftDoc {
    pub(super) transaction_id: String,
    pub(super) reason: String,
}

impl From<&(TransactionId, LeaveReason)> for LeftDoc {
    fn from((id, reason): &(TransactionId, LeaveReason)) -> Self {
        Self { transaction_id: id.to_string(), reason: reason.to_string() }
    }
}

/// The other account of a record.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum OtherDoc {
    Account(i64),
    Named(String),
}

impl From<&Other> for OtherDoc {
    fn from(other: &Other) -> Self {
        match other {
            Other::Account(id) => Self::Account(id.get()),
            Other::Named(name) => Self::Named(name.clone()),
        }
    }
}

impl From<&OtherDoc> for Other {
    fn from(other: &OtherDoc) -> Self {
        match other {
            OtherDoc::Account(id) => Self::Account(AccountId::new(*id)),
            OtherDoc::Named(name) => Self::Named(name.clone()),
        }
    }
}

/// A part of a record.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct LegDoc {
    pub(super) units: i64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) other: Option<OtherDoc>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) description: Option<String>,
}

/// A suggested other account.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct SuggestionDoc {
    account: i64,
    word: String,
    uses: u32,
    all: u32,
}

impl From<&Suggestion> for SuggestionDoc {
    fn from(suggestion: &Suggestion) -> Self {
        let Suggestion { account, word, uses, all } = suggestion;
        Self { account: account.get(), word: word.clone(), uses: *uses, all: *all }
    }
}

impl From<&SuggestionDoc> for Suggestion {
    fn from(suggestion: &SuggestionDoc) -> Self {
        let SuggestionDoc { account, word, uses, all } = suggestion;
        let account = AccountId::new(*account);
        Self { account, word: word.clone(), uses: *uses, all: *all }
    }
}

/// A record of a file, with its outcome.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct RecordDoc {
    pub(super) number: u32,
    #[serde(skip_serializing_if = "is_default")]
    pub(super) line: u32,
    #[serde(skip_serializing_if = "is_default")]
    pub(super) column: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) statement: Option<usize>,
    /// The account of the statement; zero for a record that was not read.
    #[serde(skip_serializing_if = "is_default")]
    pub(super) account: i64,
    /// The account that the record names, until it is resolved.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) own_name: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) account_number: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) day: Option<i32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) amount: Option<String>,
    #[serde(skip_serializing_if = "is_default")]
    pub(super) units: i64,
    /// The currency that the record states.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) currency: Option<String>,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(super) text: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(super) description: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) source_id: Option<String>,
    #[serde(skip_serializing_if = "is_default")]
    pub(super) pending: bool,
    /// Whether a record of a bank is recorded as checked.
    #[serde(skip_serializing_if = "is_default")]
    pub(super) checked: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) counterparty: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) other: Option<OtherDoc>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) legs: Vec<LegDoc>,
    /// The transactions of an entry of a journal; empty for a record of a bank.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) entry: Vec<EntryDoc>,
    /// Whether the entry moves income and expenses to equity alone.
    #[serde(skip_serializing_if = "is_default")]
    pub(super) closing: bool,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) properties: Vec<(String, String)>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) urls: Vec<String>,
    pub(super) outcome: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(super) reason: String,
    /// The existing transaction, or the trashed one of a skipped record.
    #[serde(skip_serializing_if = "is_default")]
    pub(super) transaction: i64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) matched: Option<MatchDoc>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) rule: Option<u32>,
    #[serde(skip_serializing_if = "is_default")]
    pub(super) locked: bool,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(super) remote_id: String,
    /// The remote id of the other side of a transfer that is recorded in one transaction.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) joined_remote_id: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) candidates: Vec<MatchDoc>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) counterpart: Option<(u32, i64)>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) counterparty_account: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) suggestion: Option<SuggestionDoc>,
    /// Whether it becomes a draft.
    #[serde(skip_serializing_if = "is_default")]
    pub(super) draft: bool,
    #[serde(skip_serializing_if = "is_default")]
    pub(super) uncategorised: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) from: Option<AccountDoc>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) to: Option<AccountDoc>,
}

impl RecordDoc {
    pub(super) fn kind(&self) -> OutcomeKind {
        OutcomeKind::from_name(&self.outcome).unwrap_or(OutcomeKind::Refused)
    }

    pub(super) fn date(&self) -> Option<Date> {
        self.day.and_then(from_day_number)
    }

    /// Returns its position in the file; the line is zero if it has none.
    pub(super) const fn position(&self) -> Position {
        Position { line: self.line, column: self.column }
    }

    pub(super) fn locked_date(&self) -> Option<Date> {
        self.date().filter(|_| self.locked)
    }

    /// Returns whether it was read, so that it has an account and an amount, or is an entry.
    pub(super) const fn is_read(&self) -> bool {
        self.account != 0 || !self.entry.is_empty()
    }

    /// Sets the outcome and its reason.
    pub(super) fn set_outcome(&mut self, outcome: &Outcome) {
        outcome.kind().as_str().clone_into(&mut self.outcome);
        self.reason = outcome.to_string();
        self.transaction = outcome.transaction().map_or(0, TransactionId::get);
        self.matched = match outcome {
            Outcome::Matched(found) => Some(MatchDoc::from(found)),
            Outcome::New(_) | Outcome::Existing(_) | Outcome::Skipped(_) | Outcome::Refused(_) => {
                None
            }
        };
        self.locked = matches!(outcome, Outcome::Refused(RefuseReason::Locked(_)));
    }

    /// Refuses it for a reason.
    pub(super) fn refuse(&mut self, reason: &str) {
        self.set_outcome(&Outcome::Refused(RefuseReason::Unreadable(reason.to_owned())));
        self.draft = false;
        self.uncategorised = false;
    }

    /// Returns the outcome as far as decisions need it.
    pub(super) fn outcome(&self) -> Outcome {
        let transaction = TransactionId::new(self.transaction);
        match (self.kind(), &self.matched) {
            (OutcomeKind::Matched, Some(found)) => Outcome::Matched(Match::from(found)),
            (OutcomeKind::New, _) => Outcome::New(NewReason::Unknown),
            (OutcomeKind::Existing, _) => Outcome::Existing(ExistingReason::RemoteId(transaction)),
            (OutcomeKind::Skipped, _) if self.transaction != 0 => {
                Outcome::Skipped(SkipReason::Trashed(transaction))
            }
            (OutcomeKind::Skipped, _) => Outcome::Skipped(SkipReason::NotAMovement),
            (OutcomeKind::Matched | OutcomeKind::Refused, _) => {
                Outcome::Refused(RefuseReason::Unreadable(self.reason.clone()))
            }
        }
    }

    /// Returns the record as the rules of imports see it.
    pub(super) fn to_record(&self) -> Record {
        Record {
            number: self.number,
            account: AccountId::new(self.account),
            account_number: self.account_number.clone(),
            date: self.date(),
            units: self.units,
            text: self.text.clone(),
            description: self.description.clone(),
            source_id: self.source_id.clone(),
            status: if self.pending { Status::Pending } else { Status::Booked },
            counterparty: self.counterparty.clone(),
            other: self.other.as_ref().map(Other::from),
            legs: self
                .legs
                .iter()
                .map(|leg| daybook_domain::import::Leg {
                    units: leg.units,
                    other: leg.other.as_ref().map(Other::from),
                    description: leg.description.clone(),
                })
                .collect(),
        }
    }

    /// Returns the remote ids of its transactions: one, or one for each of its parts.
    pub(super) fn remote_ids(&self) -> impl Iterator<Item = String> + '_ {
        (1..=self.legs.len().max(1)).map(move |leg| self.remote_id_of(leg))
    }

    /// Sets the description. Where a decision adds hashtags, each transaction of an entry keeps its
    /// own text.
    pub(super) fn describe(&mut self, text: String) {
        let added = text.strip_prefix(&self.description);
        for leg in &mut self.entry {
            match added {
                Some(added) => leg.description.push_str(added),
                None => leg.description.clone_from(&text),
            }
        }
        self.description = text;
    }

    /// Returns the remote id of a part, from 1.
    pub(super) fn remote_id_of(&self, leg: usize) -> String {
        if leg == 1 { self.remote_id.clone() } else { format!("{}/{leg}", self.remote_id) }
    }
}

fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

/// Parses a stored document; an empty text is the default.
///
/// # Errors
/// 500 for a document that this program has not written.
pub(super) fn read<T: DeserializeOwned + Default>(text: &str) -> Result<T, RequestError> {
    if text.is_empty() {
        return Ok(T::default());
    }
    serde_json::from_str(text)
        .map_err(|error| RequestError::Failed(format!("invalid document of an import: {error}")))
}

pub(super) fn write(document: &impl Serialize) -> String {
    // It has text keys and finite numbers only, so that it can always be written.
    serde_json::to_string(document).unwrap_or_default()
}
