//! QIF: lists of transactions by account.
//!
//! The order of day and month and the decimal mark are decided for the whole file. A transfer that
//! stands in the lists of both accounts is read once; where one side is a part of a split
//! transaction, the other side is skipped.

mod entry;

use daybook_domain::amount::DecimalSeparator;
use time::Date;

use super::amount::SignedAmount;
use super::day::{self, Day, DayOrder};
use super::numeral::{self, Decision, Number};
use super::options::Options;
use super::output::Output;
use super::problem::{Kind, Problem, excerpt};
use super::record::{Balance, Leg, Record, SkipReason, Statement};
use super::transfers::{Side, Transfers};
use entry::{Entries, Entry, Placed, Section};

/// Reads a file.
pub(crate) fn read(text: &str, options: &Options, out: &mut Output<'_>) -> Result<(), Problem> {
    let notation = Notation::decide(text, options)?;
    let mut reader = Reader { notation, transfers: Transfers::default(), section: None };
    reader.keep_splits(text);
    let mut ignores_investments = false;
    for entry in Entries::new(text) {
        match entry.section {
            Section::Transactions(list) => reader.entry(entry, list, out)?,
            Section::Investments if !ignores_investments => {
                ignores_investments = true;
                let kind = Kind::Ignored("investment transactions");
                out.warn(Problem::at(entry.position, kind));
            }
            Section::Investments | Section::Accounts | Section::Other => {}
        }
    }
    if !out.has_statement() {
        return Err(Problem::of_file(Kind::NoStatement));
    }
    Ok(())
}

/// How the dates and amounts of a file are read.
#[derive(Debug, Clone, Copy)]
struct Notation {
    order: DayOrder,
    /// The decimal mark; without one, each amount is read on its own.
    mark: Option<DecimalSeparator>,
}

impl Notation {
    fn decide(text: &str, options: &Options) -> Result<Self, Problem> {
        let (mut days, mut numbers) = (day::Evidence::default(), numeral::Evidence::default());
        let is_transaction = |entry: &Entry| matches!(entry.section, Section::Transactions(_));
        for entry in Entries::new(text).filter(is_transaction) {
            let splits = entry.splits.iter().filter_map(|split| split.amount.as_ref());
            for (amount, _) in entry.amount.iter().chain(splits) {
                numbers.add(amount);
            }
            if let Some((date, _)) = &entry.date {
                days.add(date);
            }
        }
        let order = options.day_order.map_or_else(|| days.decide(), Ok);
        let order = order.map_err(|example| Kind::AmbiguousDates(example.to_owned()));
        let mark = match (options.decimal_mark, numbers.decide()) {
            (Some(mark), _) | (None, Decision::Mark(mark)) => Some(mark),
            (None, Decision::Mixed) => None,
            (None, Decision::Ambiguous(example)) => {
                return Err(Problem::of_file(Kind::AmbiguousAmounts(example)));
            }
        };
        Ok(Self { order: order.map_err(Problem::of_file)?, mark })
    }

    fn date(self, (text, position): &Placed) -> Result<Date, Problem> {
        let date = Day::scan(text).and_then(|day| day.value(self.order));
        date.ok_or_else(|| Problem::at(*position, Kind::InvalidDate(excerpt(text))))
    }

    fn amount(self, (text, position): &Placed) -> Result<SignedAmount, Problem> {
        let number = Number::scan(text);
        let amount = number.and_then(|number| {
            self.mark.map_or_else(|| number.value_alone(), |mark| number.value(mark))
        });
        amount.ok_or_else(|| Problem::at(*position, Kind::InvalidAmount(excerpt(text))))
    }
}

struct Reader {
    notation: Notation,
    transfers: Transfers,
    /// The list and the account of the current statement.
    section: Option<(u32, Option<std::rc::Rc<str>>)>,
}

impl Reader {
    /// Notes the transfers that are parts of entries, whose other sides are skipped.
    fn keep_splits(&mut self, text: &str) {
        for entry in Entries::new(text) {
            let is_transaction = matches!(entry.section, Section::Transactions(_));
            let date = entry.date.as_ref().and_then(|date| self.notation.date(date).ok());
            let (Some(account), Some(date)) = (entry.account.filter(|_| is_transaction), date)
            else {
                continue;
            };
            for split in &entry.splits {
                let other = split.category.as_deref().and_then(transfer_account);
                let amount = split.amount.as_ref().map(|amount| self.notation.amount(amount));
                if let (Some(other), Some(Ok(amount))) = (other, amount) {
                    let line = entry.position.line;
                    self.transfers.keep(Side { account: &account, other, date, amount, line });
                }
            }
        }
    }

    fn entry(&mut self, entry: Entry, list: u32, out: &mut Output<'_>) -> Result<(), Problem> {
        let section = (list, entry.account.clone());
        if self.section.as_ref() != Some(&section) {
            let account = entry.account.as_deref().map(str::to_owned);
            out.begin(Statement { account, ..Statement::default() })?;
            self.section = Some(section);
        }
        match self.record(&entry, out) {
            Ok(Some(record)) => out.record(record),
            Ok(None) => Ok(()),
            Err(problem) => out.refuse(problem),
        }
    }

    /// Makes the record of an entry, unless it was skipped.
    fn record(&mut self, entry: &Entry, out: &mut Output<'_>) -> Result<Option<Record>, Problem> {
        if let Some((line, position)) = &entry.unexpected {
            return Err(Problem::at(*position, Kind::UnexpectedLine(excerpt(line))));
        }
        let missing = |kind| Problem::at(entry.position, kind);
        let date = entry.date.as_ref().ok_or_else(|| missing(Kind::MissingDate))?;
        let date = self.notation.date(date)?;
        let mut legs = self.splits(entry)?;
        let sum = legs
            .iter()
            .try_fold(SignedAmount::ZERO, |sum, leg| sum.checked_add(leg.amount))
            .ok_or_else(|| missing(Kind::MissingAmount))?;
        let amount = match &entry.amount {
            Some(amount) => self.notation.amount(amount)?,
            None if legs.is_empty() => return Err(missing(Kind::MissingAmount)),
            None => sum,
        };
        let account = entry.account.as_deref();
        let other = entry.category.as_deref().and_then(transfer_account);
        if legs.is_empty() && is_opening(entry, account, other) {
            let statement = out.statement();
            statement.opening = Some(Balance { amount, date: Some(date) });
            if statement.account.is_none() {
                statement.account = other.map(str::to_owned);
            }
            out.skip(entry.position, SkipReason::OpeningBalance)?;
            return Ok(None);
        }
        if legs.is_empty() {
            if let (Some(account), Some(other)) = (account, other) {
                let line = entry.position.line;
                let side = Side { account, other, date, amount, line };
                let mirror = self.transfers.find_other_side(side).filter(|_| account != other);
                if let Some(line) = mirror {
                    out.skip(entry.position, SkipReason::TransferMirror(line))?;
                    return Ok(None);
                }
            }
            if let Some(category) = &entry.category {
                legs.push(leg(category, amount, None));
            }
        } else if sum != amount {
            let kind = Kind::SplitMismatch { splits: sum, record: amount };
            out.warn(Problem::at(entry.position, kind));
            let rest = amount.checked_sub(sum).ok_or_else(|| missing(Kind::MissingAmount))?;
            legs.push(Leg { amount: rest, ..Leg::default() });
        }
        let mut record = Record::new(entry.position, amount);
        record.date = Some(date);
        let text = entry.payee.as_ref().or(entry.memo.as_ref());
        record.description = text.cloned().unwrap_or_default();
        record.payee.clone_from(&entry.payee);
        record.memo.clone_from(&entry.memo);
        record.reference.clone_from(&entry.number);
        record.legs = legs;
        let cleared = match entry.cleared.as_deref() {
            Some("*" | "c" | "C") => Some("cleared"),
            Some("X" | "x" | "R" | "r") => Some("reconciled"),
            Some(_) | None => None,
        };
        let cleared = cleared.map(|state| ("status".to_owned(), state.to_owned()));
        record.properties.extend(cleared);
        Ok(Some(record))
    }

    fn splits(&self, entry: &Entry) -> Result<Vec<Leg>, Problem> {
        let legs = entry.splits.iter().map(|split| {
            let missing = || Problem::at(entry.position, Kind::MissingAmount);
            let amount = self.notation.amount(split.amount.as_ref().ok_or_else(missing)?)?;
            let category = split.category.as_deref().unwrap_or_default();
            Ok(leg(category, amount, split.memo.clone()))
        });
        legs.collect()
    }
}

/// Whether an entry states the balance with which an account begins.
fn is_opening(entry: &Entry, account: Option<&str>, other: Option<&str>) -> bool {
    let is_named =
        entry.payee.as_deref().is_some_and(|payee| payee.eq_ignore_ascii_case("opening balance"));
    is_named && (account.is_none() || other.is_none() || account == other)
}

/// Returns the account of a transfer, `[Savings]`, perhaps with a class behind it.
fn transfer_account(category: &str) -> Option<&str> {
    let (name, _) = category.strip_prefix('[')?.split_once(']')?;
    Some(name.trim()).filter(|name| !name.is_empty())
}

fn leg(category: &str, amount: SignedAmount, description: Option<String>) -> Leg {
    let transfer = transfer_account(category);
    let account = transfer.unwrap_or(category);
    Leg {
        account: Some(account.to_owned()).filter(|account| !account.is_empty()),
        is_transfer: transfer.is_some(),
        amount,
        currency: None,
        description,
    }
}
