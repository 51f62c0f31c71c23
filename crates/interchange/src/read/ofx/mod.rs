//! OFX 1 (SGML) and 2 (XML), and QFX.
//!
//! The reader takes statements of bank and credit card accounts, and the cash movements of
//! investment accounts. Amounts have the sign of the file, whatever the type of the transaction is.

mod header;
mod token;
mod transaction;

pub(crate) use header::version;

use daybook_domain::amount::DecimalSeparator;

use super::entities;
use super::limits::{MAX_DEPTH, MAX_FIELD_BYTES};
use super::numeral::{Decision, Evidence};
use super::options::Options;
use super::output::Output;
use super::problem::{Kind, Problem, excerpt};
use super::record::{Balance, Statement};
use super::text::{Places, collapse, field};
use token::{Token, Tokens};
use transaction::{Days, Transaction, amount};

/// Elements that contain others.
const AGGREGATES: [&str; 21] = [
    "OFX",
    "STMTRS",
    "CCSTMTRS",
    "INVSTMTRS",
    "BANKACCTFROM",
    "CCACCTFROM",
    "INVACCTFROM",
    "BANKACCTTO",
    "CCACCTTO",
    "BANKTRANLIST",
    "BANKTRANLISTP",
    "INVTRANLIST",
    "STMTTRN",
    "STMTTRNP",
    "LEDGERBAL",
    "AVAILBAL",
    "CURRENCY",
    "ORIGCURRENCY",
    "PAYEE",
    "BAL",
    "INVTRAN",
];

/// Elements with a text that the reader uses.
const LEAVES: [&str; 22] = [
    "TRNAMT", "DTPOSTED", "DTUSER", "DTAVAIL", "DTTRAN", "FITID", "NAME", "MEMO", "CHECKNUM",
    "REFNUM", "ACCTID", "CURDEF", "DTSTART", "DTEND", "BALAMT", "DTASOF", "CURSYM", "CURRATE",
    "TRNTYPE", "SIC", "EXTDNAME", "BANKID",
];

/// Reads a file.
pub(crate) fn read(text: &str, options: &Options, out: &mut Output<'_>) -> Result<(), Problem> {
    let names = [AGGREGATES.as_slice(), LEAVES.as_slice()].concat();
    let tokens = Tokens::new(text, &names);
    let mark = decimal_mark(tokens.clone(), options)?;
    let mut reader = Reader {
        places: Places::new(text),
        open: Vec::new(),
        transaction: None,
        mark,
        ignores_investments: false,
    };
    for token in tokens {
        reader.token(token, out)?;
    }
    reader.end_transaction(out)?;
    if !out.has_statement() {
        return Err(Problem::of_file(Kind::NoStatement));
    }
    Ok(())
}

/// Decides the decimal mark; `None` if each amount shows its own.
fn decimal_mark(
    tokens: Tokens<'_>,
    options: &Options,
) -> Result<Option<DecimalSeparator>, Problem> {
    if options.decimal_mark.is_some() {
        return Ok(options.decimal_mark);
    }
    let mut evidence = Evidence::default();
    for token in tokens.filter(|token| is_amount(token.name)) {
        evidence.add(token.text);
    }
    match evidence.decide() {
        Decision::Mark(mark) => Ok(Some(mark)),
        Decision::Mixed => Ok(None),
        // A dot is the decimal mark of the specification; a comma is one in some countries.
        Decision::Ambiguous(example) if example.contains('.') => Ok(Some(DecimalSeparator::Dot)),
        Decision::Ambiguous(example) => Err(Problem::of_file(Kind::AmbiguousAmounts(example))),
    }
}

fn is_amount(name: &str) -> bool {
    name.eq_ignore_ascii_case("TRNAMT") || name.eq_ignore_ascii_case("BALAMT")
}

/// A reader of tokens.
struct Reader<'a> {
    places: Places<'a>,
    open: Vec<&'static str>,
    transaction: Option<Transaction>,
    mark: Option<DecimalSeparator>,
    ignores_investments: bool,
}

impl Reader<'_> {
    fn token(&mut self, token: Token<'_>, out: &mut Output<'_>) -> Result<(), Problem> {
        let name = token.name.to_ascii_uppercase();
        let aggregate = AGGREGATES.into_iter().find(|known| *known == name);
        if token.is_closing {
            if let Some(index) = self.open.iter().rposition(|open| *open == name) {
                self.open.truncate(index);
            }
            if name.starts_with("STMTTRN") || name.starts_with("BANKTRANLIST") {
                self.end_transaction(out)?;
            }
            return Ok(());
        }
        if let Some(aggregate) = aggregate {
            return self.open(aggregate, token, out);
        }
        let text = field(token.text);
        if text.len() < token.text.len() {
            let position = self.places.advance(token.offset);
            out.warn(Problem::at(position, Kind::FieldTooLong(MAX_FIELD_BYTES)));
        }
        let value = collapse(&entities::decode(strip_cdata(text)));
        if !value.is_empty() {
            self.leaf(&name, value, token.offset, out);
        }
        Ok(())
    }

    fn open(
        &mut self,
        name: &'static str,
        token: Token<'_>,
        out: &mut Output<'_>,
    ) -> Result<(), Problem> {
        match name {
            "STMTRS" | "CCSTMTRS" | "INVSTMTRS" => {
                self.end_transaction(out)?;
                self.open.clear();
                out.begin(Statement::default())?;
            }
            "STMTTRN" | "STMTTRNP" => {
                self.end_transaction(out)?;
                self.open.retain(|open| !open.starts_with("STMTTRN"));
                let is_pending = name == "STMTTRNP" || self.open.contains(&"BANKTRANLISTP");
                let position = self.places.advance(token.offset);
                self.transaction = Some(Transaction::new(position, is_pending));
            }
            "INVTRAN" if !self.ignores_investments => {
                self.ignores_investments = true;
                let position = self.places.advance(token.offset);
                out.warn(Problem::at(position, Kind::Ignored("investment transactions")));
            }
            _ => {}
        }
        if self.open.len() >= MAX_DEPTH {
            return Err(Problem::at(self.places.advance(token.offset), Kind::TooDeep));
        }
        self.open.push(name);
        Ok(())
    }

    fn leaf(&mut self, name: &str, value: String, offset: usize, out: &mut Output<'_>) {
        let inside = |name: &str| self.open.contains(&name);
        let parent = self.open.last().copied().unwrap_or_default();
        if let Some(transaction) = &mut self.transaction {
            transaction.set(parent, name, value, self.places.advance(offset));
            return;
        }
        if !matches!(name, "ACCTID" | "CURDEF" | "DTSTART" | "DTEND" | "BALAMT" | "DTASOF") {
            return;
        }
        let statement = out.statement();
        match name {
            "ACCTID" if parent.ends_with("ACCTFROM") => statement.account = Some(value),
            "CURDEF" => statement.currency = Some(value),
            "DTSTART" | "DTEND" if inside("BANKTRANLIST") || inside("INVTRANLIST") => {
                let Days::Day(day) = Days::read(&value) else { return };
                let (first, last) = statement.period.unwrap_or((day, day));
                statement.period =
                    Some(if name == "DTSTART" { (day, last.max(day)) } else { (first, day) });
            }
            "BALAMT" if inside("LEDGERBAL") => {
                let closing = amount(&value, self.mark);
                statement.closing = closing.map(|amount| Balance { amount, date: None });
                if closing.is_none() {
                    let kind = Kind::InvalidAmount(excerpt(&value));
                    out.warn(Problem::at(self.places.advance(offset), kind));
                }
            }
            "DTASOF" if inside("LEDGERBAL") => {
                if let (Some(closing), Days::Day(day)) =
                    (&mut statement.closing, Days::read(&value))
                {
                    closing.date = Some(day);
                }
            }
            _ => {}
        }
    }

    fn end_transaction(&mut self, out: &mut Output<'_>) -> Result<(), Problem> {
        let Some(transaction) = self.transaction.take() else { return Ok(()) };
        match transaction.record(self.mark, out) {
            Ok(record) => out.record(record),
            Err(problem) => out.refuse(problem),
        }
    }
}

fn strip_cdata(text: &str) -> &str {
    let trimmed = text.trim();
    let inner = trimmed.strip_prefix("<![CDATA[").and_then(|inner| inner.strip_suffix("]]>"));
    inner.unwrap_or(text)
}
