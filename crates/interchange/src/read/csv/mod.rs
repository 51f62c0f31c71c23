//! CSV files and tables, with rules or with a header that is recognized.
//!
//! The text is scanned three times, so that memory is needed only for the place, the day and the
//! fate of each record, 20 bytes: once to find the records and what they say about decimal marks
//! and dates, once to find their order, and once to pass them on, the oldest first. If rules name
//! transfers, it is scanned once more to find both of their sides.

mod dialect;
mod evaluate;
mod header;
mod links;
mod order;
mod postings;
mod programs;
mod scan;

use std::cmp::Reverse;

use daybook_domain::amount::DecimalSeparator;
use time::Date;

use super::day::{self, DayOrder};
use super::limits::MAX_RECORDS;
use super::numeral::{self, Decision};
use super::options::Options;
use super::output::Output;
use super::problem::{Kind, Position, Problem, excerpt};
use super::record::{Balance, Record, SkipReason};
use super::rules::{self, Control, Rules, Target};
use super::transfers::{Side, Transfers};
use evaluate::{Evaluator, Outcome};
use header::{Note, Proposal};
use links::{Accounts, Entries};
use order::Chain;
use scan::{Place, Row, Scanner};

/// The text of a file.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Source<'a> {
    /// A file in CSV.
    Text(&'a str),
    /// The rows of a table.
    Table(&'a str),
}

impl<'a> Source<'a> {
    /// Returns the scanner of the first record.
    fn scanner(self, rules: Option<&Rules>) -> Scanner<'a> {
        let text = match self {
            Self::Text(text) => text,
            Self::Table(text) => return Scanner::of_table(text),
        };
        if let Some(separator) = dialect::stated_separator(text) {
            let mut scanner = Scanner::new(text, separator);
            scanner.next_row();
            return scanner;
        }
        let separator = rules.and_then(|rules| rules.separator);
        Scanner::new(text, separator.unwrap_or_else(|| dialect::detect_separator(text)))
    }
}

/// Returns rules that fit the header of a file.
fn propose(source: Source<'_>) -> Option<Proposal> {
    header::propose(source.scanner(None))
}

/// Returns whether a table has the header that the rules name, or else one that is recognized.
pub(crate) fn has_header(table: &str, rules: Option<&Rules>) -> bool {
    let mut scanner = Scanner::of_table(table);
    match rules.filter(|rules| rules.header.is_some()) {
        Some(rules) => std::iter::from_fn(|| scanner.next_row())
            .flatten()
            .any(|row| header::is_header(&row, rules)),
        None => header::propose(scanner).is_some(),
    }
}

/// Reads a file, and returns the name of the program that it is from.
pub(crate) fn read(
    source: Source<'_>,
    rules: Option<&Rules>,
    options: &Options,
    out: &mut Output<'_>,
) -> Result<Option<&'static str>, Problem> {
    let no_header = || Problem::of_file(Kind::NoHeader);
    let proposal = if rules.is_none() { propose(source) } else { None };
    let proposed = proposal.as_ref().and_then(|found| rules::parse(&found.rules, &|_| None).ok());
    let rules = rules.or(proposed.as_ref()).ok_or_else(no_header)?;
    let scanner = source.scanner(Some(rules));
    let mut file = File {
        rules,
        is_proposed: proposed.is_some(),
        entries: Vec::with_capacity(scanner.max_rows().min(MAX_RECORDS)),
        scanner,
        parts: Vec::new(),
        accounts: Accounts::new(),
        marks: numeral::Evidence::default(),
        days: day::Evidence::default(),
    };
    out.statement().currency.clone_from(&rules.account_currency);
    file.find_records(out)?;
    let order = file.day_order(options)?;
    let mark = file.decimal_mark(options, out)?;
    let is_table = matches!(source, Source::Table(_));
    let mut evaluator = Evaluator::new(rules, order, mark, file.is_proposed, is_table);
    file.find_order(&mut evaluator, out)?;
    if rules.assigns(&Target::Transfer) {
        file.find_transfers(&mut evaluator.renewed());
    }
    file.emit(evaluator.renewed(), out)?;
    Ok(proposal.and_then(|proposal| proposal.program))
}

/// The place of a record, and what is known about it after each scan.
#[derive(Debug, Clone, Copy)]
struct Entry {
    place: Place,
    /// Its day, or that of the record before it.
    date: Date,
    fate: Fate,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fate {
    Read,
    Header,
    SkippedBy(u32),
    /// It is part of an entry that an earlier record begins.
    Part,
    /// It is the other side of the transfer on this line.
    Mirror(u32),
}

// A file may have a million of them.
const _: () = assert!(size_of::<Entry>() <= 20);

/// A further part of an entry.
#[derive(Debug, Clone, Copy)]
struct Part {
    /// The place of the first record of the entry.
    head: Place,
    place: Place,
}

/// A file between its scans.
struct File<'a> {
    scanner: Scanner<'a>,
    rules: &'a Rules,
    is_proposed: bool,
    entries: Vec<Entry>,
    /// The further parts of entries, sorted by the first records of the entries.
    parts: Vec<Part>,
    /// The accounts of the records, if there may be transfers between them.
    accounts: Accounts,
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
            let place = scanner.place();
            let Some(row) = scanner.next_row() else { return Ok(()) };
            if self.entries.len() >= MAX_RECORDS {
                return Err(Problem::at(Position::line(place.line), Kind::TooManyRecords));
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
            self.entries.push(Entry { place, date: Date::MIN, fate });
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
        let mut joined = Entries::default();
        let has_transfers = self.rules.assigns(&Target::Transfer);
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
                let row = self.scanner.at(entry.place).next_row();
                match row.and_then(Result::ok).map(|row| evaluator.evaluate(&row)) {
                    Some(Ok(Outcome::Record(record, links))) => {
                        day = record.date.unwrap_or(day);
                        chain.add(&record);
                        self.accounts.extend(record.account.clone().filter(|_| has_transfers));
                        let part = links.part.as_deref();
                        let head = part.and_then(|part| joined.join(&record, part, entry.place));
                        if let Some(head) = head {
                            entry.fate = Fate::Part;
                            self.parts.push(Part { head, place: entry.place });
                        }
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
                return Err(Problem::at(Position::line(entry.place.line), Kind::TooMuchWork));
            }
            entry.date = day;
        }
        // In place: a stable sort allocates half of the entries again.
        if chain.same_day_reversed(self.rules, out) {
            self.entries.sort_unstable_by_key(|entry| (entry.date, Reverse(entry.place)));
        } else {
            self.entries.sort_unstable_by_key(|entry| (entry.date, entry.place));
        }
        self.parts.sort_unstable_by_key(|part| (part.head, part.place));
        Ok(())
    }

    /// Passes the records on.
    fn emit(&self, mut evaluator: Evaluator<'_>, out: &mut Output<'_>) -> Result<(), Problem> {
        let mut balances = order::Balances::default();
        for entry in &self.entries {
            let position = Position::line(entry.place.line);
            match entry.fate {
                Fate::Header => out.skip(position, SkipReason::Header)?,
                Fate::SkippedBy(line) => out.skip(position, SkipReason::Rule(line))?,
                Fate::Part => {}
                Fate::Mirror(line) => out.skip(position, SkipReason::TransferMirror(line))?,
                Fate::Read => {
                    let Some(row) = self.scanner.at(entry.place).next_row() else { continue };
                    let row = match row {
                        Ok(row) => row,
                        Err(problem) => {
                            out.refuse(problem)?;
                            continue;
                        }
                    };
                    match self.complete(entry.place, &row, &mut evaluator) {
                        Ok(Some(record)) => {
                            balances.add(&record);
                            out.record(record)?;
                        }
                        Ok(None) => {}
                        Err(problem) => self.refuse_or_note(&row, &evaluator, problem, out)?,
                    }
                }
            }
        }
        balances.complete(out.statement());
        Ok(())
    }

    /// Finds the second sides of transfers between accounts of the file.
    ///
    /// Where one side is a part of an entry, the other one is skipped, else the later one.
    fn find_transfers(&mut self, evaluator: &mut Evaluator<'_>) {
        let mut transfers = Transfers::default();
        // The sides that are kept come first. Entries are in the order of days, so those of one
        // day keep the order of the file.
        for is_kept in [true, false] {
            for index in 0..self.entries.len() {
                let Some(entry) = self.entries.get(index).copied() else { continue };
                let is_in_entry = match entry.fate {
                    Fate::Part => true,
                    Fate::Read => !self.parts_of(entry.place).is_empty(),
                    Fate::Header | Fate::SkippedBy(_) | Fate::Mirror(_) => continue,
                };
                if is_in_entry != is_kept {
                    continue;
                }
                let Some(Ok(row)) = self.scanner.at(entry.place).next_row() else { continue };
                let Ok(Outcome::Record(record, links)) = evaluator.evaluate(&row) else { continue };
                let other = links::transfer(&record, &links, &self.accounts);
                let (Some(account), Some(other), Some(date)) =
                    (record.account.as_deref(), other, record.date)
                else {
                    continue;
                };
                let line = entry.place.line;
                let side = Side { account, other, date, amount: record.amount, line };
                if is_kept {
                    transfers.keep(side);
                } else if let Some(line) = transfers.find_other_side(side)
                    && let Some(entry) = self.entries.get_mut(index)
                {
                    entry.fate = Fate::Mirror(line);
                }
            }
        }
    }

    /// Returns the record that begins with a row, with all of its parts.
    fn complete(
        &self,
        place: Place,
        row: &Row<'_>,
        evaluator: &mut Evaluator<'_>,
    ) -> Result<Option<Record>, Problem> {
        let Some(head) = self.part(row, evaluator)? else { return Ok(None) };
        let mut parts = Vec::new();
        for part in self.parts_of(place) {
            if let Some(row) = self.scanner.at(part.place).next_row() {
                parts.extend(self.part(&row?, evaluator)?);
            }
        }
        links::join_parts(head, parts).map(Some)
    }

    /// Returns the further parts of the entry whose first record is here, in the order of the file.
    fn parts_of(&self, head: Place) -> &[Part] {
        let first = self.parts.partition_point(|part| part.head < head);
        let rest = self.parts.get(first..).unwrap_or_default();
        let count = rest.partition_point(|part| part.head == head);
        rest.get(..count).unwrap_or_default()
    }

    /// Returns the record of a row.
    fn part(
        &self,
        row: &Row<'_>,
        evaluator: &mut Evaluator<'_>,
    ) -> Result<Option<Record>, Problem> {
        match evaluator.evaluate(row)? {
            Outcome::Record(mut record, links) => {
                if let Some(other) = links::transfer(&record, &links, &self.accounts) {
                    links::mark_transfer(&mut record, other);
                }
                Ok(Some(*record))
            }
            // The fate of such a record was found before.
            Outcome::Control(..) => Ok(None),
        }
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
