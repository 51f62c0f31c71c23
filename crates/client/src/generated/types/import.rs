//! Shapes of the contract: import.

use serde::{Deserialize, Serialize};

use super::account::AccountType;
use super::transaction::PreviewDuplicate;
use crate::amount::Amount;
use crate::date::Date;
use crate::open_enum::open_enum;
use crate::timestamp::Timestamp;

open_enum! {
    /// The decimal mark of amounts, where the file does not show it.
    pub enum BookDecimalSeparator {
        /// `DOT`.
        Dot = "DOT",
        /// `COMMA`.
        Comma = "COMMA",
    }
}

/// The import of a file: its preview, what it has recorded, and its undo (15).
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Import {
    /// The account that the caller named; absent without one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub account: Option<ImportAccount>,
    /// Accounts that the records need and the book does not have. The confirmation creates them
    /// (15.5).
    pub accounts_to_create: Vec<ImportNewAccount>,
    /// Id of the agent that created the resource, from the agent header; absent without one (9.2).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent_id: Option<String>,
    /// The books that the import has created (15.12, 15.13).
    pub book_ids: Vec<String>,
    /// The numbers of up to 100 records whose outcome or match has changed since the preview
    /// before; set by a confirmation that returned 409 (15.7).
    pub changed_records: Vec<i64>,
    /// Records by outcome; the first five add up to `total` (15.4).
    pub counts: ImportCounts,
    /// Creation time in milliseconds since the Unix epoch, as a string of digits.
    pub created_at: Timestamp,
    /// Username of its author.
    pub created_by: String,
    /// Why the file could not be read, or the recording or the undo was refused; only in the state
    /// FAILED. Names line and column where there are any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// The kind of the error, for programs; only in the state FAILED (15.1).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error_reason: Option<ImportErrorReason>,
    /// When an import that was not confirmed is removed, in milliseconds, as a string of digits.
    /// Absent once it is confirmed, also if it failed then and can be undone (15.9).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<Timestamp>,
    /// The recognized format, for people, such as `OFX 1.02, windows-1252, 2 accounts, 214 records,
    /// 2026-01-02 to 2026-03-31`. Absent until the file is read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub format: Option<String>,
    /// 16 hexadecimal digits, assigned by the server (0.14).
    pub id: String,
    /// The name of the file; may be empty.
    pub name: String,
    /// The parameters that the import was created with; those that were not sent are absent.
    pub options: ImportOptions,
    /// How far an import in the state RECORDING or UNDOING is.
    pub progress: ImportProgress,
    /// The file of the book with the report, a CSV table of the records and their outcomes. Absent
    /// until the import is done.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub report_file_id: Option<String>,
    /// READING, RECORDING and UNDOING are in progress and become PREVIEW, DONE or PREVIEW, and
    /// UNDONE, or else FAILED (15.7).
    pub state: ImportState,
    /// The statements of the file.
    pub statements: Vec<ImportStatement>,
    /// The sum of the booked records into the accounts of the statements, whatever their outcome.
    /// For a journal of one book the sum of all debits. Absent until the file is read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sum_in: Option<Amount>,
    /// The same, out of the accounts. For a journal of one book the sum of all credits, which is
    /// equal.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sum_out: Option<Amount>,
    /// Where the records are recorded: HERE is this book (15.12).
    pub target: ImportTarget,
    /// The result of the undo; only in the state UNDONE.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub undone: Option<ImportUndo>,
    /// Time of the last change in milliseconds since the Unix epoch, as a string of digits.
    pub updated_at: Timestamp,
    /// Number of warnings.
    pub warning_count: i64,
    /// The first 100 warnings about the file.
    pub warnings: Vec<ImportWarning>,
}

/// An account of the book, or one that the confirmation creates.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ImportAccount {
    /// Absent for an account that does not exist yet.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// Name of the account.
    pub name: String,
}

open_enum! {
    /// ALL records each commodity of a journal in a book of its own; it requires the target NEW.
    ///
    /// ONE refuses a journal of several (15.12).
    pub enum ImportCommodities {
        /// `ONE`.
        One = "ONE",
        /// `ALL`.
        All = "ALL",
    }
}

/// The decisions of a confirmation (15.8).
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ImportConfirmation {
    /// Accept the suggestions with at least this confidence. Without it none is accepted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub accept_above: Option<f64>,
    /// The names of the accounts of `accountsToCreate` to create. Without it all are. Records of an
    /// account that is not created go to the accounts for uncategorised ones; entries of journals
    /// are refused (15.12).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub create_accounts: Option<Vec<String>>,
    /// Decisions, at most one about each record.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub decisions: Option<Vec<ImportDecision>>,
}

/// Records by outcome; the first five add up to `total` (15.4).
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ImportCounts {
    /// Of the new ones, those that become drafts.
    pub drafts: i64,
    /// Recorded before.
    pub existing: i64,
    /// Of the refused ones, those on locked dates (3.5).
    pub locked: i64,
    /// Matched with a transaction of the book.
    pub matched: i64,
    /// To be recorded.
    pub new: i64,
    /// Refused, with a reason.
    pub refused: i64,
    /// Skipped by a rule, or because a person has moved them to the trash.
    pub skipped: i64,
    /// All records of the file.
    pub total: i64,
}

open_enum! {
    /// The order of day and month, where the file does not show it.
    pub enum ImportDateOrder {
        /// `DAY_FIRST`.
        DayFirst = "DAY_FIRST",
        /// `MONTH_FIRST`.
        MonthFirst = "MONTH_FIRST",
    }
}

/// A decision about a record.
///
/// Absent fields leave the preview.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ImportDecision {
    /// Id or name of the other account.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub account: Option<String>,
    /// The description of the transaction.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// The transaction to match with; implies MATCHED.
    #[serde(rename = "match", default, skip_serializing_if = "Option::is_none")]
    pub match_with: Option<String>,
    /// Record it, match it, or leave it out. Refused and existing records keep their outcome.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outcome: Option<ImportDecisionOutcome>,
    /// The number of the record.
    pub record: i64,
    /// Hashtags to append to the description, without `#`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tags: Option<Vec<String>>,
}

open_enum! {
    /// Record it, match it, or leave it out.
    ///
    /// Refused and existing records keep their outcome.
    pub enum ImportDecisionOutcome {
        /// `NEW`.
        New = "NEW",
        /// `MATCHED`.
        Matched = "MATCHED",
        /// `SKIPPED`.
        Skipped = "SKIPPED",
    }
}

open_enum! {
    /// The kind of the error, for programs; only in the state FAILED (15.1).
    pub enum ImportErrorReason {
        /// `ambiguousDates`.
        AmbiguousDates = "ambiguousDates",
        /// `ambiguousAmounts`.
        AmbiguousAmounts = "ambiguousAmounts",
        /// `invalidEncoding`.
        InvalidEncoding = "invalidEncoding",
        /// `unknownSheet`.
        UnknownSheet = "unknownSheet",
        /// `unknownAccount`.
        UnknownAccount = "unknownAccount",
        /// `invalidRules`.
        InvalidRules = "invalidRules",
        /// `unknownColumns`.
        UnknownColumns = "unknownColumns",
        /// `severalCommodities`.
        SeveralCommodities = "severalCommodities",
        /// `invalidTarget`.
        InvalidTarget = "invalidTarget",
        /// `unknownFormat`.
        UnknownFormat = "unknownFormat",
        /// `incomplete`.
        Incomplete = "incomplete",
        /// `tooLarge`.
        TooLarge = "tooLarge",
        /// `unreadable`.
        Unreadable = "unreadable",
        /// `refused`.
        Refused = "refused",
    }
}

/// A transaction that an undo left as it is.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ImportLeft {
    /// Why, for people.
    pub reason: String,
    /// The transaction.
    pub transaction_id: String,
}

/// A part of a record.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ImportLeg {
    /// The other account; absent if it is unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub account: Option<ImportAccount>,
    /// The amount; positive into the account of the statement.
    pub amount: Amount,
    /// The day; only of an entry of a journal.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub date: Option<Date>,
    /// The text of the part, if it has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// The credit account; only of an entry of a journal.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<ImportAccount>,
    /// The debit account; only of an entry of a journal.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to: Option<ImportAccount>,
}

/// Imports, newest first.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ImportList {
    /// Value for the next page; absent on the last page (2.3).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cursor: Option<String>,
    /// `[]` if there are none (2.7).
    pub items: Vec<Import>,
}

/// An account that the confirmation creates.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ImportNewAccount {
    /// Name of its group, which is created with it; absent without one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub group: Option<String>,
    /// Name of the account.
    pub name: String,
    /// Type of the account.
    #[serde(rename = "type")]
    pub kind: AccountType,
}

/// The parameters that the import was created with; those that were not sent are absent.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ImportOptions {
    /// Id or name of the account, as it was sent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub account: Option<String>,
    /// ALL if each commodity gets a book.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub commodities: Option<ImportOptionsCommodities>,
    /// The order of day and month.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub date_order: Option<ImportDateOrder>,
    /// The decimal mark of amounts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub decimal_mark: Option<BookDecimalSeparator>,
    /// `true` if transactions whose other account is unknown become drafts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub drafts: Option<bool>,
    /// The character encoding.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub encoding: Option<String>,
    /// `true` if `fractionDigits` of the book is raised to the decimal places of the entries.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub raise_fraction_digits: Option<bool>,
    /// Id of the file with rules.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rules: Option<String>,
    /// The name of the sheet of a workbook.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sheet: Option<String>,
    /// The first part of the remote ids of a journal.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
    /// Where the records are to be recorded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub target: Option<ImportTarget>,
    /// `true` if records in the trash are recorded again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trashed: Option<bool>,
    /// How virtual postings of a journal are recorded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub virtual_postings: Option<ImportVirtualPostings>,
}

open_enum! {
    /// ALL if each commodity gets a book.
    pub enum ImportOptionsCommodities {
        /// `ALL`.
        All = "ALL",
    }
}

open_enum! {
    /// Only the records with this outcome.
    pub enum ImportOutcome {
        /// `NEW`.
        New = "NEW",
        /// `EXISTING`.
        Existing = "EXISTING",
        /// `MATCHED`.
        Matched = "MATCHED",
        /// `SKIPPED`.
        Skipped = "SKIPPED",
        /// `REFUSED`.
        Refused = "REFUSED",
    }
}

/// How far an import in the state RECORDING or UNDOING is.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ImportProgress {
    /// Number of records that are done.
    pub done: i64,
    /// Number of records.
    pub total: i64,
}

/// A record of a file and its outcome (15.4, 15.6).
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ImportRecord {
    /// The amount; positive into the account of the statement.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub amount: Option<Amount>,
    /// Transactions that may be the same one; a decision may name one as `match`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub candidates: Option<Vec<PreviewDuplicate>>,
    /// `true` for an entry of a journal between income or expenses and equity alone. A decision
    /// with the tag `closing` marks it as one that closes a period (15.12).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub closing: Option<bool>,
    /// The column where it begins.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub column: Option<i64>,
    /// The booking day; absent without one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub date: Option<Date>,
    /// The description of the transaction.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// `true` if it becomes a draft.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub draft: Option<bool>,
    /// The credit account, which the money leaves; absent if it is unknown and the record becomes a
    /// draft.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<ImportAccount>,
    /// The parts of a record with several other accounts, or the transactions of an entry of a
    /// journal. Each becomes a transaction.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub legs: Option<Vec<ImportLeg>>,
    /// The line where it begins.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<i64>,
    /// `true` if it is refused because its date is locked (3.5).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub locked: Option<bool>,
    /// NEW is recorded, EXISTING was recorded before, MATCHED is a transaction that the book has,
    /// SKIPPED and REFUSED are not recorded.
    pub outcome: ImportOutcome,
    /// Why it has this outcome, for people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Its number in the file, from 1. Decisions name it.
    pub record: i64,
    /// The line of the rules file that named the other account, or else the own one, or that
    /// skipped the record.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rule: Option<i64>,
    /// Index of its statement in the import.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub statement: Option<i64>,
    /// A suggestion for the other account. It has no effect unless it is accepted (15.8).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub suggestion: Option<ImportSuggestion>,
    /// The debit account, which the money enters; absent if it is unknown and the record becomes a
    /// draft.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to: Option<ImportAccount>,
    /// The existing or matched transaction, or the recorded one once the import is done.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub transaction_id: Option<String>,
    /// `true` if the other account is unknown, and the transaction is recorded on an account for
    /// uncategorised ones.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub uncategorised: Option<bool>,
}

/// Records in the order of the file.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ImportRecordList {
    /// Value for the next page; absent on the last page (2.3).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cursor: Option<String>,
    /// `[]` if there are none (2.7).
    pub items: Vec<ImportRecord>,
}

open_enum! {
    /// READING, RECORDING and UNDOING are in progress and become PREVIEW, DONE or PREVIEW, and
    /// UNDONE, or else FAILED (15.7).
    pub enum ImportState {
        /// `READING`.
        Reading = "READING",
        /// `PREVIEW`.
        Preview = "PREVIEW",
        /// `RECORDING`.
        Recording = "RECORDING",
        /// `DONE`.
        Done = "DONE",
        /// `UNDOING`.
        Undoing = "UNDOING",
        /// `UNDONE`.
        Undone = "UNDONE",
        /// `FAILED`.
        Failed = "FAILED",
    }
}

/// A statement in the file.
///
/// Balances are positive for money in the account.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ImportStatement {
    /// The account of the book that it is recorded on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub account: Option<ImportAccount>,
    /// The closing balance, if the file has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub closing: Option<Amount>,
    /// Number of records.
    pub count: i64,
    /// The currency in the file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub currency: Option<String>,
    /// closing - opening - sumIn + sumOut: zero if the file is complete. Only with both balances.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub difference: Option<Amount>,
    /// The number, IBAN or name of the account in the file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub number: Option<String>,
    /// The opening balance, if the file has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub opening: Option<Amount>,
    /// The sum of its booked records into the account, whatever their outcome.
    pub sum_in: Amount,
    /// The same, out of the account.
    pub sum_out: Amount,
}

/// A suggestion for the other account of a record.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ImportSuggestion {
    /// An account of the book, or one that the confirmation creates.
    pub account: ImportAccount,
    /// The share of earlier transactions that agree.
    pub confidence: f64,
    /// The reason, such as `7 of 7 earlier "netflix" from Card`.
    pub reason: String,
}

open_enum! {
    /// Where the records are recorded: HERE, in this book, or for journals NEW, in a book that the
    /// confirmation creates.
    ///
    /// By default NEW for journals, else HERE (15.12).
    pub enum ImportTarget {
        /// `HERE`.
        Here = "HERE",
        /// `NEW`.
        New = "NEW",
    }
}

/// The result of an undo (15.9).
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ImportUndo {
    /// Number of accounts archived.
    pub archived: i64,
    /// The books that were deleted; absent for an import that created none (15.12).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deleted_book_ids: Option<Vec<String>>,
    /// The first 100 transactions that were left as they are.
    pub left: Vec<ImportLeft>,
    /// Number of transactions that were left.
    pub left_count: i64,
    /// Number of transactions moved to the trash.
    pub trashed: i64,
}

open_enum! {
    /// For journals, whether virtual postings are recorded in a book of their own, recorded with
    /// the others, or left out.
    ///
    /// By default OWN_BOOK with the target NEW, else SAME_BOOK. OWN_BOOK requires the target NEW
    /// (15.12).
    pub enum ImportVirtualPostings {
        /// `OWN_BOOK`.
        OwnBook = "OWN_BOOK",
        /// `SAME_BOOK`.
        SameBook = "SAME_BOOK",
        /// `SKIP`.
        Skip = "SKIP",
    }
}

/// A warning about the file.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ImportWarning {
    /// The column in characters, if it has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub column: Option<i64>,
    /// The line, if it has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<i64>,
    /// The warning, for people.
    pub message: String,
}
