//! Statements of accounts and their records, as banks write them.

use std::fmt;

use daybook_domain::calendar;
use time::Date;

use super::amount::SignedAmount;
use super::format::Format;
use super::problem::{Position, Problem};

/// An account and what a file says about it beside the records.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Statement {
    /// The account's number, IBAN or name.
    pub account: Option<String>,
    /// The currency, usually an ISO 4217 code.
    pub currency: Option<String>,
    /// The first and the last day, as the file states them.
    pub period: Option<(Date, Date)>,
    /// The balance before the first record.
    pub opening: Option<Balance>,
    /// The balance after the last record.
    pub closing: Option<Balance>,
    /// The number of records.
    pub records: usize,
    /// The first and the last day of the records.
    pub days: Option<(Date, Date)>,
    /// The sum of the booked records; `None` when it is too large.
    pub sum: Option<SignedAmount>,
}

/// A balance of an account.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Balance {
    /// The balance; positive for money in the account.
    pub amount: SignedAmount,
    /// The day at whose end it holds.
    ///
    /// That of an opening balance is the day before the period or its first day, as the file has
    /// it.
    pub date: Option<Date>,
}

/// Whether a record is final.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Status {
    /// The bank has booked it.
    #[default]
    Booked,
    /// The bank may still change or drop it.
    Pending,
}

/// A movement of an account.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Record {
    /// The index of its statement in [`Summary::statements`].
    pub statement: usize,
    /// Where it begins in the file.
    pub position: Position,
    /// The booking day; `None` when the file has none.
    pub date: Option<Date>,
    /// The day from which it bears interest.
    pub value_date: Option<Date>,
    /// The amount; positive into the account.
    pub amount: SignedAmount,
    /// The currency, if the record states one.
    pub currency: Option<String>,
    /// The text for people.
    pub description: String,
    /// The payer or the payee.
    pub payee: Option<String>,
    /// Further text.
    pub memo: Option<String>,
    /// A reference for people, such as a check number.
    pub reference: Option<String>,
    /// The bank's identifier of the record.
    pub source_id: Option<String>,
    /// Whether it is final.
    pub status: Status,
    /// Whether the file says that it was compared with the bank's statement.
    pub is_checked: bool,
    /// The account, where it differs from the statement's.
    pub account: Option<String>,
    /// The bank account of the other party.
    pub counterparty: Option<String>,
    /// The parts of the amount; empty when nothing is known about the other side.
    pub legs: Vec<Leg>,
    /// The amount in another currency that it was converted from.
    pub original: Option<Original>,
    /// The balance of the account after the record.
    pub balance: Option<SignedAmount>,
    /// Further named values.
    pub properties: Vec<(String, String)>,
    /// The line of the rules that names an account of it.
    pub rule: Option<u32>,
}

impl Record {
    /// Creates a booked record with nothing but an amount.
    #[must_use]
    pub const fn new(position: Position, amount: SignedAmount) -> Self {
        Self {
            statement: 0,
            position,
            date: None,
            value_date: None,
            amount,
            currency: None,
            description: String::new(),
            payee: None,
            memo: None,
            reference: None,
            source_id: None,
            status: Status::Booked,
            is_checked: false,
            account: None,
            counterparty: None,
            legs: Vec::new(),
            original: None,
            balance: None,
            properties: Vec::new(),
            rule: None,
        }
    }
}

/// A part of a record. The amounts of all parts in one currency sum to the amount of the record.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Leg {
    /// The counter account, as the file names it; `None` when it is unknown.
    pub account: Option<String>,
    /// Whether the file says that the other account is one of the same owner.
    pub is_transfer: bool,
    /// The part of the amount; positive into the account of the record.
    pub amount: SignedAmount,
    /// The currency, if it differs from the record's.
    pub currency: Option<String>,
    /// The text of the part.
    pub description: Option<String>,
}

/// An amount before its conversion.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Original {
    /// The amount, without a sign.
    pub amount: SignedAmount,
    /// The currency.
    pub currency: String,
    /// The exchange rate as the file has it.
    pub rate: Option<String>,
}

/// The outcome of a record of the file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Item {
    /// It was read.
    Record(Box<Record>),
    /// It is not a movement of its own.
    Skipped(Skip),
    /// It cannot be read.
    Refused(Problem),
}

/// A record that was skipped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Skip {
    /// Where it begins.
    pub position: Position,
    /// Why it was skipped.
    pub reason: SkipReason,
}

/// Why a record was skipped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SkipReason {
    /// A rule on this line says `skip` or `end`.
    Rule(u32),
    /// It repeats the header.
    Header,
    /// It is a line of totals; its balance is in the statement.
    Total,
    /// It states the opening balance, which is in the statement.
    OpeningBalance,
    /// It is the other side of the transfer on this line.
    TransferMirror(u32),
}

impl fmt::Display for SkipReason {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Rule(line) => write!(out, "skipped by the rule on line {line}"),
            Self::Header => write!(out, "a repeated header"),
            Self::Total => write!(out, "a line of totals"),
            Self::OpeningBalance => write!(out, "the opening balance"),
            Self::TransferMirror(line) => {
                write!(out, "the other side of the transfer on line {line}")
            }
        }
    }
}

/// The format and the content that were recognized in a file.
///
/// It is shown as `OFX 1.02, windows-1252, 2 accounts, 214 records, 2026-01-02 to 2026-03-31`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Detection {
    /// The format.
    pub format: Format,
    /// The version of the format, or the dialect.
    pub version: Option<String>,
    /// The encoding.
    pub encoding: &'static str,
    /// The number of different accounts.
    pub accounts: usize,
    /// The number of records that were read.
    pub records: usize,
    /// The first and the last day of the records.
    pub days: Option<(Date, Date)>,
}

impl fmt::Display for Detection {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.format.name())?;
        if let Some(version) = &self.version {
            write!(out, " {version}")?;
        }
        write!(out, ", {}", self.encoding)?;
        let plural = |count: usize| if count == 1 { "" } else { "s" };
        write!(out, ", {} account{}", self.accounts, plural(self.accounts))?;
        write!(out, ", {} record{}", self.records, plural(self.records))?;
        let Some((first, last)) = self.days else { return Ok(()) };
        write!(out, ", {}", calendar::format_iso(first))?;
        if first != last {
            write!(out, " to {}", calendar::format_iso(last))?;
        }
        Ok(())
    }
}

/// Everything about a file beside its records.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Summary {
    /// The result of the detection.
    pub detection: Detection,
    /// The accounts in the order of the file.
    pub statements: Vec<Statement>,
    /// The records that were skipped.
    pub skipped: usize,
    /// The records that were refused.
    pub refused: usize,
    /// Problems that refuse no record.
    ///
    /// At most [`MAX_WARNINGS`](super::limits::MAX_WARNINGS) are kept.
    pub warnings: Vec<Problem>,
    /// The number of all warnings.
    pub warning_count: usize,
}
