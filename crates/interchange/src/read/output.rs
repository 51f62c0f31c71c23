//! The receiver of what a reader finds.

use std::collections::BTreeSet;

use time::Date;

use super::amount::SignedAmount;
use super::format::Format;
use super::limits::{MAX_RECORDS, MAX_STATEMENTS, MAX_WARNINGS};
use super::problem::{Kind, Position, Problem};
use super::record::{Detection, Item, Record, Skip, SkipReason, Statement, Status, Summary};

/// Passes records on one by one, and keeps what is said about them in sum.
pub(crate) struct Output<'a> {
    sink: &'a mut dyn FnMut(Item),
    /// The statements before the current one.
    complete: Vec<Statement>,
    current: Option<Statement>,
    warnings: Vec<Problem>,
    warning_count: usize,
    records: usize,
    /// The accounts that records name.
    accounts: BTreeSet<String>,
    skipped: usize,
    refused: usize,
}

/// The most accounts of records that are counted.
const MAX_ACCOUNTS: usize = 10_000;

impl<'a> Output<'a> {
    pub(crate) fn new(sink: &'a mut dyn FnMut(Item)) -> Self {
        Self {
            sink,
            complete: Vec::new(),
            current: None,
            warnings: Vec::new(),
            warning_count: 0,
            records: 0,
            accounts: BTreeSet::new(),
            skipped: 0,
            refused: 0,
        }
    }

    /// Begins a statement; the records that follow are its own.
    pub(crate) fn begin(&mut self, statement: Statement) -> Result<(), Problem> {
        let statement = Statement { sum: Some(SignedAmount::ZERO), ..statement };
        self.complete.extend(self.current.replace(statement));
        if self.complete.len() >= MAX_STATEMENTS {
            return Err(Problem::of_file(Kind::TooManyStatements));
        }
        Ok(())
    }

    /// Returns the statement that was begun last, and begins one if there is none.
    pub(crate) fn statement(&mut self) -> &mut Statement {
        self.current.get_or_insert_with(|| Statement {
            sum: Some(SignedAmount::ZERO),
            ..Statement::default()
        })
    }

    /// Returns whether a statement or a record was found.
    pub(crate) const fn has_statement(&self) -> bool {
        self.current.is_some() || self.refused + self.skipped > 0
    }

    /// Passes a record of the current statement on.
    pub(crate) fn record(&mut self, mut record: Record) -> Result<(), Problem> {
        self.count(record.position)?;
        self.records += 1;
        let statement = self.statement();
        statement.records += 1;
        if let Some(date) = record.date {
            statement.days = Some(extend(statement.days, date));
        }
        if record.status == Status::Booked {
            statement.sum = statement.sum.and_then(|sum| sum.checked_add(record.amount));
        }
        record.statement = self.complete.len();
        let account = record.account.as_ref().filter(|_| self.accounts.len() < MAX_ACCOUNTS);
        if let Some(account) = account.filter(|account| !self.accounts.contains(*account)) {
            self.accounts.insert(account.clone());
        }
        (self.sink)(Item::Record(Box::new(record)));
        Ok(())
    }

    pub(crate) fn skip(&mut self, position: Position, reason: SkipReason) -> Result<(), Problem> {
        self.count(position)?;
        self.skipped += 1;
        (self.sink)(Item::Skipped(Skip { position, reason }));
        Ok(())
    }

    pub(crate) fn refuse(&mut self, problem: Problem) -> Result<(), Problem> {
        self.count(problem.position.unwrap_or(Position::START))?;
        self.refused += 1;
        (self.sink)(Item::Refused(problem));
        Ok(())
    }

    pub(crate) fn warn(&mut self, problem: Problem) {
        self.warning_count = self.warning_count.saturating_add(1);
        if self.warnings.len() < MAX_WARNINGS {
            self.warnings.push(problem);
        }
    }

    const fn count(&self, position: Position) -> Result<(), Problem> {
        if self.records + self.skipped + self.refused >= MAX_RECORDS {
            return Err(Problem::at(position, Kind::TooManyRecords));
        }
        Ok(())
    }

    /// Compares the balances with the records, and returns the summary.
    pub(crate) fn finish(
        mut self,
        format: Format,
        version: Option<String>,
        encoding: &'static str,
    ) -> Summary {
        self.complete.extend(self.current.take());
        let mismatches: Vec<Kind> = (1..)
            .zip(&self.complete)
            .filter_map(|(statement, found)| {
                let difference = mismatch(found)?;
                Some(Kind::BalanceMismatch { statement, difference })
            })
            .collect();
        mismatches.into_iter().for_each(|kind| self.warn(Problem::of_file(kind)));
        let days = self.complete.iter().filter_map(|statement| statement.days).fold(
            None,
            |days: Option<(Date, Date)>, (first, last)| {
                Some(extend(Some(extend(days, first)), last))
            },
        );
        let stated: BTreeSet<Option<&str>> =
            self.complete.iter().map(|statement| statement.account.as_deref()).collect();
        // The records of a file of one statement may be of several accounts.
        let accounts = if stated.len() > 1 { stated.len() } else { self.accounts.len().max(1) };
        Summary {
            detection: Detection {
                format,
                version,
                encoding,
                accounts,
                records: self.records,
                days,
            },
            statements: self.complete,
            skipped: self.skipped,
            refused: self.refused,
            warnings: self.warnings,
            warning_count: self.warning_count,
        }
    }
}

fn extend(days: Option<(Date, Date)>, day: Date) -> (Date, Date) {
    days.map_or((day, day), |(first, last)| (first.min(day), last.max(day)))
}

/// Returns what the opening balance and the records have more than the closing balance.
fn mismatch(statement: &Statement) -> Option<SignedAmount> {
    let (opening, closing) = (statement.opening?.amount, statement.closing?.amount);
    let difference = opening.checked_add(statement.sum?)?.checked_sub(closing)?;
    (!difference.is_zero()).then_some(difference)
}
