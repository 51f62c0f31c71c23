//! Problems of a file or of one of its records.

use std::fmt;

use daybook_domain::chart::MAX_CHART;
use serde::{Deserialize, Serialize};
use time::Date;

use super::amount::SignedAmount;
use super::limits::{
    MAX_BYTES, MAX_DEPTH, MAX_POSTINGS, MAX_RECORDS, MAX_STATEMENTS, MAX_UNPACKED_BYTES,
};

/// A place in a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Position {
    /// The line, from 1.
    pub line: u32,
    /// The column in characters, from 1.
    pub column: u32,
}

impl Position {
    /// The first character.
    pub const START: Self = Self { line: 1, column: 1 };

    /// Returns the first column of a line.
    #[must_use]
    pub const fn line(line: u32) -> Self {
        Self { line, column: 1 }
    }
}

impl fmt::Display for Position {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "line {}, column {}", self.line, self.column)
    }
}

/// Something wrong at a place of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// The place, if the problem has one.
    pub position: Option<Position>,
    /// The fault.
    pub kind: Kind,
}

impl Problem {
    /// Creates a problem of a place.
    #[must_use]
    pub const fn at(position: Position, kind: Kind) -> Self {
        Self { position: Some(position), kind }
    }

    /// Creates a problem of the whole file.
    #[must_use]
    pub const fn of_file(kind: Kind) -> Self {
        Self { position: None, kind }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.position {
            Some(position) => write!(out, "{position}: {}", self.kind),
            None => self.kind.fmt(out),
        }
    }
}

impl std::error::Error for Problem {}

/// Kinds of problems.
///
/// Messages show up to 60 characters of the file.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[expect(missing_docs, reason = "each variant has its message")]
pub enum Kind {
    // The file.
    #[error("the file has more than {MAX_BYTES} bytes")]
    TooLarge,
    #[error("the file has more than {MAX_RECORDS} records")]
    TooManyRecords,
    #[error("the file has more than {MAX_STATEMENTS} statements")]
    TooManyStatements,
    #[error("elements are nested more than {MAX_DEPTH} deep")]
    TooDeep,
    #[error("the file contains a NUL character: it is not a text")]
    NulCharacter,
    #[error("unknown encoding \"{0}\"")]
    UnknownEncoding(String),
    #[error("the file is not valid {0}")]
    InvalidEncoding(&'static str),
    #[error("unknown format: expected CSV, OFX, QIF, CAMT, MT940 or a workbook")]
    UnknownFormat,
    #[error("{0} files are not read as statements")]
    UnsupportedFormat(&'static str),
    #[error("the file is not an export of Daybook")]
    NotAnExport,
    #[error("version {0} of exports is not read")]
    ExportVersion(u32),
    #[error("the export was cut short or changed")]
    ExportCutShort,
    #[error("groups and accounts must precede files and transactions")]
    LateChart,
    #[error(
        "the names, properties and memberships of accounts and groups have more than {MAX_CHART} \
         bytes together"
    )]
    ChartTooLarge,
    #[error("invalid archive: {0}")]
    InvalidArchive(String),
    #[error("invalid JSON: {0}")]
    InvalidJson(String),
    #[error("unknown account type \"{0}\"")]
    InvalidType(String),
    #[error("no line before has the id \"{0}\"")]
    UnknownId(String),
    #[error("another line has the id \"{0}\"")]
    RepeatedId(String),
    #[error("a transaction that is not a draft lacks a date, an amount or an account")]
    IncompleteTransaction,
    #[error("the file is not a journal of hledger, ledger, beancount or GnuCash")]
    NotAJournal,
    #[error("the file contains no statement")]
    NoStatement,
    #[error("invalid XML: {0}")]
    InvalidXml(String),
    #[error("invalid workbook: {0}")]
    InvalidWorkbook(String),
    #[error(
        "the workbook unpacks to more than {MAX_UNPACKED_BYTES} bytes, or a table or a text in it \
         is too large"
    )]
    UnpackedTooLarge,
    #[error("the workbook is protected by a password")]
    Encrypted,
    #[error("the workbook has no sheet \"{0}\"")]
    UnknownSheet(String),
    #[error("the file is not valid gzip data")]
    InvalidGzip,
    #[error("a document type declaration is not accepted")]
    DocumentType,
    #[error("no columns are recognized: expected a header with a date and an amount, or rules")]
    NoHeader,
    #[error("the header \"{0}\" is not in the file")]
    MissingHeader(String),
    #[error("dates such as \"{0}\" are ambiguous: state whether the day or the month is first")]
    AmbiguousDates(String),
    #[error("amounts such as \"{0}\" are ambiguous: state the decimal mark")]
    AmbiguousAmounts(String),
    #[error("the file needs more work than is allowed: use fewer or simpler matchers")]
    TooMuchWork,
    #[error("the names and texts of the entries are too long together")]
    ValuesTooLong,
    #[error("internal error: the entries cannot be read back from memory")]
    UnreadableBlock,

    // A record.
    #[error("the date is missing")]
    MissingDate,
    #[error("invalid date \"{0}\"")]
    InvalidDate(String),
    #[error("the amount is missing")]
    MissingAmount,
    #[error("invalid amount \"{0}\"")]
    InvalidAmount(String),
    #[error("both the amount in and the amount out are set")]
    TwoAmounts,
    #[error("invalid status \"{0}\": expected *, ! or nothing")]
    InvalidStatus(String),
    #[error("the record has a quoted field without a closing quote")]
    UnclosedQuote,
    #[error("the record has text after a closing quote")]
    TextAfterQuote,
    #[error("the record has more than {0} fields")]
    TooManyFields(usize),
    #[error("a field has more than {0} bytes")]
    FieldTooLong(usize),
    #[error("the postings do not sum to zero: {0} is left")]
    Unbalanced(SignedAmount),
    #[error("more than one posting has no amount")]
    TwoMissingAmounts,
    #[error("prices of lots are not read")]
    LotPrice,
    #[error("virtual postings are not read from CSV files")]
    VirtualPosting,
    #[error("the entry has more than {MAX_POSTINGS} postings")]
    TooManyPostings,
    #[error("expressions are not read as amounts")]
    Expression,
    #[error("the account \"{0}\" is not in the file")]
    UnknownAccount(String),
    #[error("no lot of the account matches the cost, or the lots are too small")]
    NoLot,
    #[error("several lots match the cost: state the cost, the date or the label of one")]
    AmbiguousLot,
    #[error("the directive \"{0}\" is not accepted")]
    UnsupportedDirective(String),
    #[error("the line \"{0}\" is not part of a record")]
    UnexpectedLine(String),
    #[error("\"{value}\" does not match {pattern}: the columns of the file may have changed")]
    RequirementFailed { value: String, pattern: String },

    // Contents that a book cannot record.
    #[error("the amount has {found} decimal places, and the book {allowed}")]
    TooManyDecimals { found: u32, allowed: u32 },
    #[error("the amount is too large for a book")]
    AmountTooLarge,
    #[error("the amount is in \"{found}\", and the book in \"{expected}\"")]
    OtherCommodity { found: String, expected: String },
    #[error("the journal has more than {0} commodities")]
    TooManyCommodities(usize),
    #[error(
        "invalid identity of the source: expected 1 to {0} characters, without a blank at either \
         end"
    )]
    InvalidSource(usize),
    #[error("the accounts need more groups than a book may have")]
    TooManyGroups,

    // Warnings.
    #[error("a date of zeros is read as no date")]
    ZeroDate,
    #[error(
        "statement {statement}: the opening balance and the records differ from the closing \
         balance by {difference}"
    )]
    BalanceMismatch { statement: usize, difference: SignedAmount },
    #[error("the balances of the records fit no order: the order of the file is used")]
    UnknownOrder,
    #[error("the splits sum to {splits}, the record to {record}: the rest is a split of its own")]
    SplitMismatch { splits: SignedAmount, record: SignedAmount },
    #[error("the sign of reversals cannot be told from the balances: the standard's is used")]
    UncertainReversal,
    #[error("the balance is {found}, and not {expected} as asserted")]
    AssertionFailed { expected: SignedAmount, found: SignedAmount },
    #[error("the account has other commodities than the one asserted")]
    OtherCommodities,
    #[error("a date of {0} does not exist: {1} is used")]
    NoSuchDay(String, Date),
    #[error("the type of the account \"{0}\" is unknown: ASSET is used")]
    UnknownType(String),
    #[error("the description, comments and tags are too long: what exceeds the limits is left out")]
    TextsCut,
    #[error("{0} are not read")]
    Ignored(&'static str),
    #[error("the plugin \"{0}\" is not run: what it adds or changes is missing")]
    UnreadPlugin(String),
    #[error("the file mixes decimal marks: each amount is read on its own")]
    MixedDecimalMarks,
}

/// Returns a problem of the structure of a workbook.
pub(crate) fn invalid_workbook(fault: &str) -> Problem {
    Problem::of_file(Kind::InvalidWorkbook(fault.to_owned()))
}

/// Returns the first 60 characters of a text, for a message.
pub(crate) fn excerpt(text: &str) -> String {
    text.chars().take(60).collect()
}

/// Returns the first line of a library's message.
pub(crate) fn first_line(error: &dyn fmt::Display) -> String {
    error.to_string().lines().next().unwrap_or_default().chars().take(200).collect()
}
