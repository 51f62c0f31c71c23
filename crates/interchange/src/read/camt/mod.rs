//! CAMT: account reports (052), statements (053) and notifications (054) of ISO 20022.
//!
//! Elements are recognized by their local names, so all versions are read alike. The sign of an
//! entry is its own; some banks give a reversal the sign of the entry that it reverses, and such a
//! statement is recognized by its balances.

mod entry;
mod tree;

use daybook_domain::calendar;
use time::Date;

use super::amount::SignedAmount;
use super::output::Output;
use super::problem::{Kind, Problem, excerpt};
use super::record::{Balance, Statement, Status};
use super::text::{collapse, non_empty};
use entry::{Amount, Detail, Entry};
use tree::{Elements, Step};

/// The elements that are used.
const NAMES: &[&str] = &[
    "Stmt",
    "Rpt",
    "Ntfctn",
    "Acct",
    "Id",
    "IBAN",
    "Othr",
    "Ccy",
    "FrToDt",
    "FrDtTm",
    "ToDtTm",
    "Bal",
    "Tp",
    "CdOrPrtry",
    "Cd",
    "Amt",
    "CdtDbtInd",
    "Dt",
    "DtTm",
    "Ntry",
    "NtryRef",
    "RvslInd",
    "Sts",
    "BookgDt",
    "ValDt",
    "AcctSvcrRef",
    "AddtlNtryInf",
    "NtryDtls",
    "TxDtls",
    "Btch",
    "Refs",
    "EndToEndId",
    "AmtDtls",
    "InstdAmt",
    "TxAmt",
    "CcyXchg",
    "XchgRate",
    "Chrgs",
    "RltdPties",
    "Dbtr",
    "Cdtr",
    "Pty",
    "Nm",
    "DbtrAcct",
    "CdtrAcct",
    "RmtInf",
    "Ustrd",
    "Strd",
    "CdtrRefInf",
    "Ref",
    "AddtlTxInf",
    "UltmtDbtr",
    "UltmtCdtr",
];

/// Returns the number of the message, such as `053.001.08`.
pub(crate) fn version(text: &str) -> Option<String> {
    let head = text.get(..text.floor_char_boundary(4_096)).unwrap_or(text);
    let (_, after) = head.split_once("camt.")?;
    let version = after.get(..10)?;
    let is_number = |c: char| c.is_ascii_digit() || c == '.';
    version.chars().all(is_number).then(|| version.to_owned())
}

/// Reads a file.
pub(crate) fn read(text: &str, out: &mut Output<'_>) -> Result<(), Problem> {
    let mut elements = Elements::new(text, NAMES);
    let mut report: Option<Report> = None;
    loop {
        let step = elements.step()?;
        match step {
            Step::Open => match (elements.path.as_slice(), &mut report) {
                ([.., "Stmt" | "Rpt" | "Ntfctn"], None) => report = Some(Report::default()),
                ([.., "Bal"], Some(report)) => report.balance = StatedBalance::default(),
                ([.., "Ntry"], Some(report)) => report.entry = Some(Entry::new(elements.position)),
                ([.., "TxDtls"], Some(report)) => report.detail = Some(Detail::default()),
                _ => {}
            },
            Step::Close { text, currency } => {
                if let [.., "Stmt" | "Rpt" | "Ntfctn"] = elements.path.as_slice() {
                    if let Some(report) = report.take() {
                        report.emit(out)?;
                    }
                } else if let Some(report) = &mut report {
                    report.close(&elements, &collapse(&text), currency);
                }
            }
            Step::End => break,
        }
    }
    if !out.has_statement() {
        return Err(Problem::of_file(Kind::NoStatement));
    }
    Ok(())
}

/// A balance while it is read.
#[derive(Debug, Default)]
struct StatedBalance {
    code: String,
    amount: Option<SignedAmount>,
    is_debit: bool,
    date: Option<Date>,
}

/// A statement while it is read.
#[derive(Debug, Default)]
struct Report {
    statement: Statement,
    /// Whether the opening balance is that of the day, and not the closing one of the day before.
    has_opening: bool,
    balance: StatedBalance,
    entries: Vec<Entry>,
    entry: Option<Entry>,
    detail: Option<Detail>,
}

impl Report {
    /// Takes the text of an element that ends.
    fn close(&mut self, elements: &Elements<'_>, text: &str, currency: Option<String>) {
        let path = elements.path.as_slice();
        match path {
            [.., "TxDtls"] => {
                if let (Some(entry), Some(detail)) = (&mut self.entry, self.detail.take()) {
                    entry.details.push(detail);
                }
            }
            [.., "Ntry"] => self.entries.extend(self.entry.take()),
            [.., "Bal"] => self.take_balance(),
            _ if self.entry.is_some() => self.close_in_entry(elements, text, currency),
            [.., "Acct", "Id", "IBAN"] | [.., "Acct", "Id", "Othr", "Id"] => {
                self.statement.account = non_empty(text).map(str::to_owned);
            }
            [.., "Acct", "Ccy"] => self.statement.currency = non_empty(text).map(str::to_owned),
            [.., "FrToDt", "FrDtTm"] => {
                self.statement.period = date(text).map(|date| (date, date));
            }
            [.., "FrToDt", "ToDtTm"] => {
                let period = self.statement.period.zip(date(text));
                self.statement.period = period.map(|((first, _), last)| (first, last.max(first)));
            }
            [.., "Bal", "Tp", "CdOrPrtry", "Cd"] => text.clone_into(&mut self.balance.code),
            [.., "Bal", "Amt"] => {
                self.balance.amount = decimal(text);
                let statement = &mut self.statement;
                statement.currency = statement.currency.take().or(currency);
            }
            [.., "Bal", "CdtDbtInd"] => self.balance.is_debit = text == "DBIT",
            [.., "Bal", "Dt", "Dt" | "DtTm"] => self.balance.date = date(text),
            _ => {}
        }
    }

    fn take_balance(&mut self) {
        let StatedBalance { code, amount, is_debit, date } = std::mem::take(&mut self.balance);
        let Some(amount) = amount else { return };
        let amount = if is_debit { amount.negated() } else { amount };
        let balance = Some(Balance { amount, date });
        match code.as_str() {
            "OPBD" => {
                self.statement.opening = balance;
                self.has_opening = true;
            }
            "PRCD" if !self.has_opening => self.statement.opening = balance,
            "CLBD" => self.statement.closing = balance,
            _ => {}
        }
    }

    /// Takes the text of an element of an entry, or of one of its transactions.
    fn close_in_entry(&mut self, elements: &Elements<'_>, text: &str, currency: Option<String>) {
        let Some(entry) = &mut self.entry else { return };
        let position = elements.position;
        let stated = || non_empty(text).map(str::to_owned);
        if let Some(detail) = &mut self.detail {
            close_in_detail(detail, elements.path.as_slice(), text, currency);
            return;
        }
        let mut refuse = |kind: Kind| {
            entry.problem.get_or_insert(Problem::at(position, kind));
        };
        match elements.path.as_slice() {
            [.., "Ntry", "Amt"] => match amount(text, currency) {
                Some(amount) => entry.amount = Some(amount),
                None => refuse(Kind::InvalidAmount(excerpt(text))),
            },
            [.., "Ntry", "BookgDt", "Dt" | "DtTm"] => match date(text) {
                Some(date) => entry.booking_date = Some(date),
                None => refuse(Kind::InvalidDate(excerpt(text))),
            },
            [.., "Ntry", "ValDt", "Dt" | "DtTm"] => entry.value_date = date(text),
            [.., "Ntry", "CdtDbtInd"] => entry.is_debit = direction(text),
            [.., "Ntry", "RvslInd"] => entry.is_reversal = matches!(text, "true" | "1"),
            [.., "Ntry", "Sts"] | [.., "Ntry", "Sts", "Cd"] => match text {
                "PDNG" | "INFO" | "FUTR" => entry.status = Status::Pending,
                _ => {}
            },
            [.., "Ntry", "AcctSvcrRef"] => entry.servicer_reference = stated(),
            [.., "Ntry", "AddtlNtryInf"] => entry.information = stated(),
            [.., "Ntry", "Chrgs"] => entry.has_charges = true,
            [.., "Ntry", "AmtDtls", "InstdAmt", "Amt"] => entry.original = amount(text, currency),
            [.., "Ntry", "AmtDtls", _, "CcyXchg", "XchgRate"] => entry.rate = stated(),
            _ => {}
        }
    }

    /// Passes the records on.
    fn emit(self, out: &mut Output<'_>) -> Result<(), Problem> {
        let is_flipped = self.is_flipped(out);
        out.begin(self.statement);
        for entry in self.entries {
            match entry.record(is_flipped) {
                Ok((record, warning)) => {
                    if let Some(warning) = warning {
                        out.warn(warning);
                    }
                    if record.date.is_none() {
                        out.warn(Problem::at(record.position, Kind::MissingDate));
                    }
                    out.record(record)?;
                }
                Err(problem) => out.refuse(problem)?,
            }
        }
        Ok(())
    }

    /// Returns whether reversals have the sign of what they reverse, as the balances show.
    fn is_flipped(&self, out: &mut Output<'_>) -> bool {
        let booked = || self.entries.iter().filter(|entry| entry.status == Status::Booked);
        let Some(reversal) = booked().find(|entry| entry.is_reversal) else { return false };
        let sum = |is_flipped: bool| {
            booked()
                .filter_map(|entry| entry.record(is_flipped).ok())
                .try_fold(SignedAmount::ZERO, |sum, (record, _)| sum.checked_add(record.amount))
        };
        let balances = self.statement.opening.zip(self.statement.closing);
        let moved =
            balances.and_then(|(opening, closing)| closing.amount.checked_sub(opening.amount));
        let fits = |is_flipped: bool| moved.is_some() && moved == sum(is_flipped);
        match (fits(false), fits(true)) {
            (true, _) => false,
            (false, true) => true,
            (false, false) => {
                out.warn(Problem::at(reversal.position, Kind::UncertainReversal));
                false
            }
        }
    }
}

fn close_in_detail(detail: &mut Detail, path: &[&str], text: &str, currency: Option<String>) {
    let stated = || non_empty(text).map(str::to_owned);
    match path {
        [.., "TxDtls", "Amt"] => detail.amount = amount(text, currency),
        [.., "TxDtls", "CdtDbtInd"] => detail.is_debit = direction(text),
        [.., "AmtDtls", "InstdAmt", "Amt"] => detail.instructed = amount(text, currency),
        [.., "AmtDtls", "TxAmt", "Amt"] => detail.transaction_amount = amount(text, currency),
        [.., "CcyXchg", "XchgRate"] => detail.rate = stated(),
        [.., "TxDtls", "Chrgs"] => detail.has_charges = true,
        [.., "Refs", "EndToEndId"] => detail.end_to_end = stated(),
        [.., "Refs", "AcctSvcrRef"] => detail.servicer_reference = stated(),
        [.., "RltdPties", "Dbtr", "Nm"] | [.., "RltdPties", "Dbtr", "Pty", "Nm"] => {
            detail.debtor = stated();
        }
        [.., "RltdPties", "Cdtr", "Nm"] | [.., "RltdPties", "Cdtr", "Pty", "Nm"] => {
            detail.creditor = stated();
        }
        [.., "DbtrAcct", "Id", "IBAN"] | [.., "DbtrAcct", "Id", "Othr", "Id"] => {
            detail.debtor_account = stated();
        }
        [.., "CdtrAcct", "Id", "IBAN"] | [.., "CdtrAcct", "Id", "Othr", "Id"] => {
            detail.creditor_account = stated();
        }
        [.., "RmtInf", "Ustrd"] => detail.remittance.extend(stated()),
        [.., "Strd", "CdtrRefInf", "Ref"] => detail.creditor_reference = stated(),
        [.., "TxDtls", "AddtlTxInf"] => detail.information = stated(),
        _ => {}
    }
}

fn direction(text: &str) -> Option<bool> {
    match text {
        "DBIT" => Some(true),
        "CRDT" => Some(false),
        _ => None,
    }
}

fn amount(text: &str, currency: Option<String>) -> Option<Amount> {
    Some(Amount { value: decimal(text)?, currency: currency.unwrap_or_default() })
}

/// Parses a decimal of XML without a sign.
fn decimal(text: &str) -> Option<SignedAmount> {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    (!text.is_empty() && text != ".").then_some(())?;
    SignedAmount::from_digits(false, whole, fraction)
}

/// Parses the day of a date or of a date with a time, as written.
fn date(text: &str) -> Option<Date> {
    calendar::parse_iso(text.get(..10)?)
}
