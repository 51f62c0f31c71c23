//! CAMT: account reports (052), statements (053) and notifications (054) of ISO 20022.
//!
//! Elements are recognized by their local names, so versions 02 to 10 are read alike. The newer
//! ones put the code of a status and the name of a party into elements of their own, and allow a
//! bank as a party and a proxy, such as an e-mail address, instead of the number of an account.
//!
//! The sign of an entry is its own; some banks give a reversal the sign of the entry that it
//! reverses, and such a statement is recognized by its balances.

mod entry;

use daybook_domain::calendar;
use time::Date;

use super::amount::SignedAmount;
use super::elements::{Elements, Step};
use super::output::Output;
use super::problem::{Kind, Position, Problem, excerpt};
use super::record::{Balance, Statement, Status};
use super::text::{collapse, non_empty};
use entry::{Amount, Detail, Entry};

/// The elements that are used.
const NAMES: &[&str] = &[
    "Stmt",
    "Rpt",
    "Ntfctn",
    "Acct",
    "Id",
    "IBAN",
    "Othr",
    "Prxy",
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
    "Agt",
    "FinInstnId",
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
    // Most files have no reversals, and are read once.
    let signs = if text.contains("RvslInd") { find_signs(text)? } else { Vec::new() };
    let mut signs = signs.into_iter();
    let mut elements = Elements::new(text, NAMES);
    let mut report: Option<Report> = None;
    let mut sign = Sign::Standard;
    while let Some(event) = next_event(&mut elements, &mut report)? {
        match event {
            ReportEvent::Begin => {
                out.begin(Statement::default())?;
                sign = signs.next().unwrap_or(Sign::Standard);
                if let Sign::Uncertain(position) = sign {
                    out.warn(Problem::at(position, Kind::UncertainReversal));
                }
            }
            ReportEvent::Entry(entry) => emit(&entry, sign == Sign::Original, out)?,
            ReportEvent::End(statement) => {
                let Statement { account, currency, period, opening, closing, .. } = *statement;
                let own = out.statement();
                (own.account, own.currency, own.period) = (account, currency, period);
                (own.opening, own.closing) = (opening, closing);
            }
        }
    }
    if !out.has_statement() {
        return Err(Problem::of_file(Kind::NoStatement));
    }
    Ok(())
}

/// A part of a statement that was read.
enum ReportEvent {
    Begin,
    Entry(Box<Entry>),
    /// The statement without its records.
    End(Box<Statement>),
}

/// Reads up to the beginning or the end of a statement, or the end of an entry.
fn next_event(
    elements: &mut Elements<'_>,
    report: &mut Option<Report>,
) -> Result<Option<ReportEvent>, Problem> {
    loop {
        match elements.step()? {
            Step::Open => match (elements.path.as_slice(), &mut *report) {
                ([.., "Stmt" | "Rpt" | "Ntfctn"], None) => {
                    *report = Some(Report::default());
                    return Ok(Some(ReportEvent::Begin));
                }
                ([.., "Bal"], Some(report)) => report.balance = StatedBalance::default(),
                ([.., "Ntry"], Some(report)) => report.entry = Some(Entry::new(elements.position)),
                ([.., "TxDtls"], Some(report)) => report.detail = Some(Detail::default()),
                _ => {}
            },
            Step::Close { text, currency } => match (elements.path.as_slice(), &mut *report) {
                ([.., "Stmt" | "Rpt" | "Ntfctn"], Some(ended)) => {
                    let statement = std::mem::take(&mut ended.statement);
                    *report = None;
                    return Ok(Some(ReportEvent::End(Box::new(statement))));
                }
                ([.., "Ntry"], Some(report)) => {
                    if let Some(entry) = report.entry.take() {
                        return Ok(Some(ReportEvent::Entry(Box::new(entry))));
                    }
                }
                (_, Some(report)) => report.close(elements, &collapse(&text), currency),
                (_, None) => {}
            },
            Step::End => return Ok(None),
        }
    }
}

/// Passes the record of an entry on.
fn emit(entry: &Entry, is_flipped: bool, out: &mut Output<'_>) -> Result<(), Problem> {
    let (record, warning) = match entry.record(is_flipped) {
        Ok(read) => read,
        Err(problem) => return out.refuse(problem),
    };
    if let Some(warning) = warning {
        out.warn(warning);
    }
    if record.date.is_none() {
        out.warn(Problem::at(record.position, Kind::MissingDate));
    }
    out.record(record)
}

/// The sign of the reversals of a statement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Sign {
    /// Their own, as the standard has it.
    Standard,
    /// That of the entry that is reversed.
    Original,
    /// The standard's, because the balances do not tell. The place is that of the first reversal.
    Uncertain(Position),
}

/// The sums of a statement with either sign of its reversals.
#[derive(Debug, Default)]
struct Sums {
    standard: Option<SignedAmount>,
    original: Option<SignedAmount>,
    reversal: Option<Position>,
}

impl Sums {
    fn add(&mut self, entry: &Entry) {
        let is_counted = entry.status == Status::Booked && entry.problem.is_none();
        let Some(amount) = entry.signed().filter(|_| is_counted) else { return };
        let original = if entry.is_reversal { amount.negated() } else { amount };
        self.standard = self.standard.and_then(|sum| sum.checked_add(amount));
        self.original = self.original.and_then(|sum| sum.checked_add(original));
        if entry.is_reversal {
            self.reversal.get_or_insert(entry.position);
        }
    }

    fn sign(&self, statement: &Statement) -> Sign {
        let Some(reversal) = self.reversal else { return Sign::Standard };
        let balances = statement.opening.zip(statement.closing);
        let moved =
            balances.and_then(|(opening, closing)| closing.amount.checked_sub(opening.amount));
        match moved {
            Some(_) if moved == self.standard => Sign::Standard,
            Some(_) if moved == self.original => Sign::Original,
            Some(_) | None => Sign::Uncertain(reversal),
        }
    }
}

/// Finds the sign of the reversals of each statement by its balances.
fn find_signs(text: &str) -> Result<Vec<Sign>, Problem> {
    let mut elements = Elements::new(text, NAMES);
    let (mut signs, mut report, mut sums) = (Vec::new(), None, Sums::default());
    while let Some(event) = next_event(&mut elements, &mut report)? {
        match event {
            ReportEvent::Begin => {
                let zero = Some(SignedAmount::ZERO);
                sums = Sums { standard: zero, original: zero, reversal: None };
            }
            ReportEvent::Entry(entry) => sums.add(&entry),
            ReportEvent::End(statement) => signs.push(sums.sign(&statement)),
        }
    }
    Ok(signs)
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
            [.., "Bal"] => self.take_balance(),
            _ if self.entry.is_some() => self.close_in_entry(elements, text, currency),
            [.., "Acct", "Id", "IBAN"] | [.., "Acct", "Id", "Othr", "Id"] => {
                self.statement.account = non_empty(text).map(str::to_owned);
            }
            [.., "Acct", "Prxy", "Id"] if self.statement.account.is_none() => {
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
        [.., "RltdPties", "Dbtr", "Nm"]
        | [.., "RltdPties", "Dbtr", "Pty", "Nm"]
        | [.., "RltdPties", "Dbtr", "Agt", "FinInstnId", "Nm"] => detail.debtor = stated(),
        [.., "RltdPties", "Cdtr", "Nm"]
        | [.., "RltdPties", "Cdtr", "Pty", "Nm"]
        | [.., "RltdPties", "Cdtr", "Agt", "FinInstnId", "Nm"] => detail.creditor = stated(),
        [.., "DbtrAcct", "Id", "IBAN"] | [.., "DbtrAcct", "Id", "Othr", "Id"] => {
            detail.debtor_account = stated();
        }
        [.., "CdtrAcct", "Id", "IBAN"] | [.., "CdtrAcct", "Id", "Othr", "Id"] => {
            detail.creditor_account = stated();
        }
        [.., "DbtrAcct", "Prxy", "Id"] if detail.debtor_account.is_none() => {
            detail.debtor_account = stated();
        }
        [.., "CdtrAcct", "Prxy", "Id"] if detail.creditor_account.is_none() => {
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
