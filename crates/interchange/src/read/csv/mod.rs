//! CSV files, with rules or with a header that is recognized.
//!
//! The text is scanned three times, so that memory is needed only for the place, the day and the
//! fate of each record: once to find the records and what they say about decimal marks and dates,
//! once to find their order, and once to pass them on, the oldest first.

mod dialect;
mod evaluate;
mod header;
mod order;
mod postings;
mod scan;

use daybook_domain::amount::DecimalSeparator;
use time::Date;

use super::day::{self, DayOrder};
use super::limits::MAX_RECORDS;
use super::numeral::{self, Decision};
use super::options::Options;
use super::output::Output;
use super::problem::{Kind, Position, Problem, excerpt};
use super::record::{Balance, SkipReason};
use super::rules::{self, Control, Rules};
use evaluate::{Evaluator, Outcome};
use header::Note;
use order::Chain;
use scan::{Row, Scanner};

/// Returns rules that fit the header of a file, as the text of a rules file.
///
/// It returns `None` if the header is not recognized. The rules are those that a file is read with
/// when it comes without rules.
#[must_use]
pub fn propose_rules(text: &str) -> Option<String> {
    header::propose(text, dialect::detect_separator(text))
}

/// Reads a file.
pub(crate) fn read(
    text: &str,
    rules: Option<&Rules>,
    options: &Options,
    out: &mut Output<'_>,
) -> Result<(), Problem> {
    let stated = dialect::stated_separator(text);
    let separator = stated
        .or_else(|| rules.and_then(|rules| rules.separator))
        .unwrap_or_else(|| dialect::detect_separator(text));
    let proposed = match rules {
        Some(_) => None,
        None => {
            let found = header::propose(text, separator);
            let parsed = found.and_then(|found| rules::parse(&found, &|_| None).ok());
            Some(parsed.ok_or_else(|| Problem::of_file(Kind::NoHeader))?)
        }
    };
    let Some(rules) = rules.or(proposed.as_ref()) else {
        return Err(Problem::of_file(Kind::NoHeader));
    };
    let mut scanner = Scanner::new(text, separator);
    if stated.is_some() {
        scanner.next_row();
    }
    let mut file = File {
        scanner,
        rules,
        is_proposed: proposed.is_some(),
        entries: Vec::new(),
        marks: numeral::Evidence::default(),
        days: day::Evidence::default(),
    };
    file.find_records(out)?;
    let order = file.day_order(options)?;
    let mark = file.decimal_mark(options, out)?;
    let mut evaluator = Evaluator::new(rules, order, mark, file.is_proposed);
    file.find_order(&mut evaluator, out)?;
    file.emit(evaluator, out)
}

/// The place of a record, and what is known about it after each scan.
#[derive(Debug, Clone, Copy)]
struct Entry {
    offset: usize,
    line: u32,
    /// Its day, or that of the record before it.
    date: Date,
    fate: Fate,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fate {
    Read,
    Header,
    SkippedBy(u32),
}

/// A file between its scans.
struct File<'a> {
    scanner: Scanner<'a>,
    rules: &'a Rules,
    is_proposed: bool,
    entries: Vec<Entry>,
    marks: numeral::Evidence,
    days: day::Evidence,
}

impl<'a> File<'a> {
    /// Finds the records behind the lines to skip and the header.
    fn find_records(&mut self, out: &mut Output<'_>) -> Result<(), Problem> {
        let mut scanner = self.skip_preamble(out)?;
        let numbers = self.rules.columns_of(|target| target.is_number());
        let dates = self.rules.columns_of(|target| target.is_date());
        loop {
            let Some((offset, line, row)) = next_record(&mut scanner) else { return Ok(()) };
            if self.entries.len() >= MAX_RECORDS {
                return Err(Problem::at(Position::line(line), Kind::TooManyRecords));
            }
            let mut fate = Fate::Read;
            if let Ok(row) = &row {
                if row.is_blank() {
                    continue;
                }
                if header::is_header(row, self.rules) {
                    fate = Fate::Header;
                }
                numbers.iter().for_each(|index| self.marks.add(row.cell(*index)));
                dates.iter().for_each(|index| self.days.add(row.cell(*index)));
            }
            self.entries.push(Entry { offset, line, date: Date::MIN, fate });
        }
    }

    /// Returns the scanner behind the lines to skip, and behind the header if rules name one.
    fn skip_preamble(&self, out: &mut Output<'_>) -> Result<Scanner<'a>, Problem> {
        let mut scanner = self.scanner;
        for _ in 0..self.rules.skip {
            scanner.next_row();
        }
        let Some(names) = &self.rules.header else { return Ok(scanner) };
        while let Some(row) = scanner.next_row() {
            let Ok(row) = row else { continue };
            if header::is_header(&row, self.rules) {
                return Ok(scanner);
            }
            let statement = out.statement();
            if self.is_proposed && statement.account.is_none() {
                statement.account = header::account_name(&row).map(str::to_owned);
            }
        }
        Err(Problem::of_file(Kind::MissingHeader(excerpt(&names.join(",")))))
    }

    fn day_order(&self, options: &Options) -> Result<DayOrder, Problem> {
        match options.day_order {
            Some(order) => Ok(order),
            // A format leaves nothing to find out.
            None if self.rules.date_format.is_some() => Ok(DayOrder::DayFirst),
            None => self
                .days
                .decide()
                .map_err(|example| Problem::of_file(Kind::AmbiguousDates(example.to_owned()))),
        }
    }

    fn decimal_mark(
        &self,
        options: &Options,
        out: &mut Output<'_>,
    ) -> Result<Option<DecimalSeparator>, Problem> {
        let stated = self.rules.decimal_mark.or(options.decimal_mark);
        if stated.is_some() {
            return Ok(stated);
        }
        match self.marks.decide() {
            Decision::Mark(mark) => Ok(Some(mark)),
            Decision::Mixed => {
                out.warn(Problem::of_file(Kind::MixedDecimalMarks));
                Ok(None)
            }
            // With rules of a person, a single mark is a decimal mark, as in hledger.
            Decision::Ambiguous(example) if !self.is_proposed => {
                out.warn(Problem::of_file(Kind::AmbiguousAmounts(example)));
                Ok(None)
            }
            Decision::Ambiguous(example) => Err(Problem::of_file(Kind::AmbiguousAmounts(example))),
        }
    }

    /// Finds the day and the fate of each record, and sorts them.
    fn find_order(
        &mut self,
        evaluator: &mut Evaluator<'_>,
        out: &mut Output<'_>,
    ) -> Result<(), Problem> {
        let mut chain = Chain::default();
        let (mut skipped, mut is_over) = ((0_usize, 0_u32), None);
        let mut day = Date::MIN;
        for entry in &mut self.entries {
            let (count, line) = skipped;
            if let Some(line) = is_over {
                entry.fate = Fate::SkippedBy(line);
            } else if count > 0 {
                entry.fate = Fate::SkippedBy(line);
                skipped = (count - 1, line);
            } else if entry.fate == Fate::Read {
                let row = self.scanner.at(entry.offset, entry.line).next_row();
                match row.and_then(Result::ok).map(|row| evaluator.evaluate(&row)) {
                    Some(Ok(Outcome::Record(record))) => {
                        day = record.date.unwrap_or(day);
                        chain.add(&record);
                    }
                    Some(Ok(Outcome::Control(control, line))) => {
                        entry.fate = Fate::SkippedBy(line);
                        match control {
                            Control::Skip(count) => skipped = (count - 1, line),
                            Control::End => is_over = Some(line),
                        }
                    }
                    Some(Err(_)) | None => {}
                }
            }
            if evaluator.is_spent() {
                return Err(Problem::at(Position::line(entry.line), Kind::TooMuchWork));
            }
            entry.date = day;
        }
        if chain.same_day_reversed(self.rules, out) {
            self.entries.reverse();
        }
        self.entries.sort_by_key(|entry| entry.date);
        Ok(())
    }

    /// Passes the records on.
    fn emit(&self, evaluator: Evaluator<'_>, out: &mut Output<'_>) -> Result<(), Problem> {
        // The budget of matchers was enough for one scan.
        let Evaluator { rules, order, mark, is_proposed, .. } = evaluator;
        let mut evaluator = Evaluator::new(rules, order, mark, is_proposed);
        let mut balances = order::Balances::default();
        for entry in &self.entries {
            let position = Position::line(entry.line);
            match entry.fate {
                Fate::Header => out.skip(position, SkipReason::Header)?,
                Fate::SkippedBy(line) => out.skip(position, SkipReason::Rule(line))?,
                Fate::Read => {
                    let Some(row) = self.scanner.at(entry.offset, entry.line).next_row() else {
                        continue;
                    };
                    let row = match row {
                        Ok(row) => row,
                        Err(problem) => {
                            out.refuse(problem)?;
                            continue;
                        }
                    };
                    match evaluator.evaluate(&row) {
                        Ok(Outcome::Record(record)) => {
                            balances.add(&record);
                            out.record(*record)?;
                        }
                        Ok(Outcome::Control(_, line)) => {
                            out.skip(position, SkipReason::Rule(line))?;
                        }
                        Err(problem) => self.refuse_or_note(&row, &evaluator, problem, out)?,
                    }
                }
            }
        }
        balances.complete(out.statement());
        Ok(())
    }

    /// Takes the balance from a line of totals, and refuses any other line without a record.
    fn refuse_or_note(
        &self,
        row: &Row<'_>,
        evaluator: &Evaluator<'_>,
        problem: Problem,
        out: &mut Output<'_>,
    ) -> Result<(), Problem> {
        let note = header::note(row).filter(|_| self.is_proposed);
        let Some(note) = note else { return out.refuse(problem) };
        let number = row.cells().filter_map(numeral::Number::scan).last();
        let amount = number.and_then(|number| {
            evaluator.mark.map_or_else(|| number.value_alone(), |mark| number.value(mark))
        });
        let balance = amount.map(|amount| Balance { amount, date: None });
        let position = Position::line(row.line);
        match note {
            Note::Opening => {
                out.statement().opening = balance;
                out.skip(position, SkipReason::OpeningBalance)
            }
            Note::Total => {
                out.statement().closing = balance;
                out.skip(position, SkipReason::Total)
            }
        }
    }
}

type Found<'a> = (usize, u32, Result<Row<'a>, Problem>);

/// Reads a record with the place from which it can be read again.
fn next_record<'a>(scanner: &mut Scanner<'a>) -> Option<Found<'a>> {
    let (offset, line) = scanner.place();
    Some((offset, line, scanner.next_row()?))
}
