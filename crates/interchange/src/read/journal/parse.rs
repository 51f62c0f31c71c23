//! The lines of a journal: entries and directives.

use std::collections::BTreeMap;

use super::comment;
use super::model::{Account, Commodity, Directive, Entry, Journal, Posting, Price};
use super::posting::{self, Context, split_mark};
use super::quantity::{self, Marks};
use super::shared::SharedText;
use crate::read::limits::{MAX_DEPTH, MAX_FIELD_BYTES, MAX_POSTINGS, MAX_RECORDS};
use crate::read::problem::{Kind, Position, Problem, excerpt};
use crate::read::text::{line_end, non_empty};
use daybook_domain::amount::DecimalSeparator;

/// Directives that change what entries mean in a way that is not read.
const UNSUPPORTED: [&str; 14] = [
    "include", "bucket", "A", "C", "capture", "define", "def", "eval", "expr", "python", "import",
    "i", "o", "b",
];

/// The most aliases, each of which is compared with the account of each posting.
const MAX_ALIASES: usize = 1_000;

/// Directives without a meaning for entries.
const IGNORED: [&str; 11] = [
    "payee",
    "tag",
    "check",
    "assert",
    "N",
    "h",
    "O",
    "fixed",
    "value",
    "account-type",
    "endfixed",
];

/// Parses the lines of a journal.
pub(crate) fn parse(text: &str) -> Result<Journal, Problem> {
    let mut parser = Parser::default();
    let mut lines = Lines { rest: text, number: 0, line_end: line_end(text) };
    while let Some((line, number)) = lines.next_line() {
        parser.line(line, number, &mut lines)?;
    }
    Ok(parser.journal)
}

/// The lines of a file.
struct Lines<'a> {
    rest: &'a str,
    number: u32,
    line_end: char,
}

impl<'a> Lines<'a> {
    fn next_line(&mut self) -> Option<(&'a str, u32)> {
        if self.rest.is_empty() {
            return None;
        }
        let (line, rest) = self.rest.split_once(self.line_end).unwrap_or((self.rest, ""));
        self.rest = rest;
        self.number = self.number.saturating_add(1);
        Some((line.trim_end(), self.number))
    }

    /// Returns the next line if it is indented.
    fn next_indented(&mut self) -> Option<(&'a str, u32)> {
        let line = self.rest.split(self.line_end).next().unwrap_or_default();
        let is_indented = line.starts_with([' ', '\t']) && !line.trim().is_empty();
        if is_indented { self.next_line() } else { None }
    }

    /// Passes over the lines up to one that is `end`, or begins with it and a blank.
    fn skip_block(&mut self, end: &str) {
        while let Some((line, _)) = self.next_line() {
            let mut words = line.split_whitespace();
            if words.next() == Some("end") && words.next().is_none_or(|word| word == end) {
                break;
            }
        }
    }
}

#[derive(Default)]
struct Parser {
    journal: Journal,
    marks: Marks,
    /// The year of dates without one.
    year: i32,
    /// The beginnings of account names that `apply account` adds.
    prefixes: Vec<String>,
    aliases: BTreeMap<String, String>,
    default_commodity: Option<SharedText>,
    has_periodic: bool,
    has_automated: bool,
}

impl Parser {
    fn line<'a>(
        &mut self,
        line: &'a str,
        number: u32,
        lines: &mut Lines<'a>,
    ) -> Result<(), Problem> {
        let position = Position::line(number);
        if line.len() > MAX_FIELD_BYTES {
            self.refuse(Problem::at(position, Kind::FieldTooLong(MAX_FIELD_BYTES)));
            return Ok(());
        }
        if line.is_empty() || line.starts_with([';', '#', '*', '%', '|']) {
            return Ok(());
        }
        if line.starts_with(|c: char| c.is_ascii_digit()) {
            return self.entry(line, number, lines);
        }
        if line.starts_with([' ', '\t']) {
            if !line.trim_start().starts_with(';') && !line.trim().is_empty() {
                self.refuse(Problem::at(position, Kind::UnexpectedLine(excerpt(line.trim()))));
            }
            return Ok(());
        }
        if line.starts_with(['~', '=']) {
            let is_periodic = line.starts_with('~');
            let (seen, what) = if is_periodic {
                (&mut self.has_periodic, "periodic transactions")
            } else {
                (&mut self.has_automated, "automated postings")
            };
            if !std::mem::replace(seen, true) {
                self.journal.warnings.push(Problem::at(position, Kind::Ignored(what)));
            }
            let mut written = line.to_owned();
            while let Some((line, _)) = lines.next_indented() {
                written.push('\n');
                written.push_str(line);
            }
            self.journal.directives.push(Directive { position, written });
            return Ok(());
        }
        self.directive(line, position, lines)
    }

    fn refuse(&mut self, problem: Problem) {
        self.journal.refused.push(problem);
    }

    fn directive<'a>(
        &mut self,
        line: &'a str,
        position: Position,
        lines: &mut Lines<'a>,
    ) -> Result<(), Problem> {
        let line = line.strip_prefix(['!', '@']).unwrap_or(line);
        let (word, value) = line.split_once([' ', '\t']).unwrap_or((line, ""));
        let value = value.trim();
        let mut body = Vec::new();
        match word {
            "comment" | "test" => lines.skip_block(word),
            _ => body.extend(std::iter::from_fn(|| lines.next_indented())),
        }
        let unsupported = || {
            let kind = Kind::UnsupportedDirective(excerpt(line));
            Err(Problem::at(position, kind))
        };
        let invalid = || Problem::at(position, Kind::UnexpectedLine(excerpt(line)));
        match word {
            "comment" | "test" => {}
            "account" => self.account(value, position, &body),
            "commodity" | "format" => {
                let format = body.iter().find_map(|(line, _)| line.trim().strip_prefix("format "));
                self.commodity(format.unwrap_or(value));
            }
            "D" => {
                self.default_commodity =
                    quantity::parse_sample(value).map(|sample| sample.0.into());
                self.commodity(value);
            }
            "decimal-mark" => {
                self.marks.all = Some(match value {
                    "." => DecimalSeparator::Dot,
                    "," => DecimalSeparator::Comma,
                    _ => return Err(invalid()),
                });
            }
            "P" => {
                let price = self.price(value).ok_or_else(invalid)?;
                self.journal.prices.push(price);
            }
            "Y" | "year" => self.year = value.parse().map_err(|_| invalid())?,
            "apply" => match value.split_once(' ').unwrap_or((value, "")) {
                ("account", _) if self.prefixes.len() >= MAX_DEPTH => {
                    return Err(Problem::at(position, Kind::TooDeep));
                }
                ("account", name) => self.prefixes.push(name.trim().to_owned()),
                ("year", year) => self.year = year.trim().parse().map_err(|_| invalid())?,
                _ => return unsupported(),
            },
            "end" => match value {
                "apply account" | "apply" => drop(self.prefixes.pop()),
                "aliases" => self.aliases.clear(),
                _ => {}
            },
            "alias" => match value.split_once('=') {
                Some((from, to)) if !from.starts_with('/') && self.aliases.len() < MAX_ALIASES => {
                    self.aliases.insert(from.trim().to_owned(), to.trim().to_owned());
                }
                Some(_) | None => return unsupported(),
            },
            _ if IGNORED.contains(&word) => {}
            _ if UNSUPPORTED.contains(&word) => return unsupported(),
            // `Y2024` has no blank.
            _ if word.starts_with('Y') && word.len() == 5 => {
                self.year = word.get(1..).and_then(|year| year.parse().ok()).ok_or_else(invalid)?;
            }
            _ => self.refuse(invalid()),
        }
        Ok(())
    }

    fn account(&mut self, value: &str, position: Position, body: &[(&str, u32)]) {
        let end = ["  ", "\t", ";"].iter().filter_map(|end| value.find(end)).min();
        let (name, rest) = value.split_at(end.unwrap_or(value.len()));
        let comments = std::iter::once(rest).chain(body.iter().map(|(line, _)| *line));
        let mut tags: Vec<(String, String)> = comments
            .filter_map(|text| text.trim().strip_prefix(';'))
            .flat_map(comment::tags)
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
            .collect();
        let kind = tags.iter().position(|(name, _)| name == "type");
        let kind = kind.map(|index| tags.remove(index).1);
        let name = self.resolve(name.trim());
        let (is_closed, facts) = (false, Vec::new());
        self.journal.accounts.push(Account { position, name, kind, is_closed, facts, tags });
    }

    fn commodity(&mut self, sample: &str) {
        let sample = sample.split(';').next().unwrap_or_default();
        let Some((symbol, mark, decimals)) = quantity::parse_sample(sample) else { return };
        if let Some(mark) = mark {
            self.marks.by_commodity.insert(symbol.clone(), mark);
        }
        self.journal.commodities.push(Commodity { symbol, decimals });
    }

    /// Parses `2024-01-01 [12:00:00] AAPL $180`.
    fn price(&self, value: &str) -> Option<Price> {
        let (day, rest) = value.split_once([' ', '\t'])?;
        let date = comment::date(day, self.year)?;
        let rest = rest.trim_start();
        let (first, after) = rest.split_once([' ', '\t'])?;
        let rest = if first.contains(':') { after.trim_start() } else { rest };
        let (commodity, rest) = match rest.strip_prefix('"') {
            Some(quoted) => quoted.split_once('"')?,
            None => rest.split_once([' ', '\t'])?,
        };
        let (price, _) = quantity::parse(rest, &self.marks)?;
        Some(Price { date, commodity: commodity.to_owned(), price })
    }

    /// Completes the name of an account by prefixes and aliases.
    fn resolve(&self, name: &str) -> String {
        let mut full = String::new();
        for part in &self.prefixes {
            full.push_str(part);
            full.push(':');
        }
        full.push_str(name);
        for (from, to) in &self.aliases {
            if let Some(rest) = full.strip_prefix(from.as_str())
                && (rest.is_empty() || rest.starts_with(':'))
            {
                return format!("{to}{rest}");
            }
        }
        full
    }

    fn entry<'a>(
        &mut self,
        line: &'a str,
        number: u32,
        lines: &mut Lines<'a>,
    ) -> Result<(), Problem> {
        if self.journal.entries.len() + self.journal.refused.len() >= MAX_RECORDS {
            return Err(Problem::at(Position::line(number), Kind::TooManyRecords));
        }
        let body: Vec<(&str, u32)> = std::iter::from_fn(|| lines.next_indented()).collect();
        let mut entry = match self.header(line, number) {
            Ok(entry) => entry,
            Err(problem) => {
                self.refuse(problem);
                return Ok(());
            }
        };
        for (line, number) in body {
            entry.written.push('\n');
            entry.written.push_str(line);
            if let Err(problem) = self.body_line(&mut entry, line, number) {
                self.refuse(problem);
                return Ok(());
            }
        }
        self.journal.entries.push(&entry)
    }

    /// Parses `2024-01-02=2024-01-05 * (code) description ; comment`.
    fn header(&self, line: &str, number: u32) -> Result<Entry, Problem> {
        let position = Position::line(number);
        let (days, rest) = line.split_once([' ', '\t']).unwrap_or((line, ""));
        let invalid = || Problem::at(position, Kind::InvalidDate(excerpt(days)));
        let (first, second) = days.split_once('=').map_or((days, None), |(a, b)| (a, Some(b)));
        let date = comment::date(first, self.year).ok_or_else(invalid)?;
        let date2 = second.map(|second| comment::date(second, date.year()).ok_or_else(invalid));
        let (mark, rest) = split_mark(rest.trim_start());
        let (code, rest) = match rest.strip_prefix('(').and_then(|rest| rest.split_once(')')) {
            Some((code, rest)) => (non_empty(code), rest),
            None => (None, rest),
        };
        let (description, comment) = rest.split_once(';').unwrap_or((rest, ""));
        let payee = description.split_once('|');
        let mut entry = Entry {
            mark,
            description: description.trim().to_owned(),
            date2: date2.transpose()?,
            code: code.map(str::to_owned),
            payee: payee.map(|(payee, _)| payee.trim().to_owned()),
            note: payee.map(|(_, note)| note.trim().to_owned()),
            ..Entry::new(position, date, line.to_owned())
        };
        add_comment(&mut entry, comment.trim());
        Ok(entry)
    }

    fn body_line(&self, entry: &mut Entry, line: &str, number: u32) -> Result<(), Problem> {
        let text = line.trim();
        if text.len() > MAX_FIELD_BYTES {
            let position = Position::line(number);
            return Err(Problem::at(position, Kind::FieldTooLong(MAX_FIELD_BYTES)));
        }
        if let Some(comment) = text.strip_prefix(';') {
            let year = entry.date.year();
            match entry.postings.last_mut() {
                Some(posting) => posting::add_comment(posting, comment.trim(), year),
                None => add_comment(entry, comment.trim()),
            }
            return Ok(());
        }
        let resolve = |name: &str| self.resolve(name);
        let context = Context { marks: &self.marks, year: entry.date.year(), resolve: &resolve };
        let mut posting: Posting = posting::parse(line, number, &context)?;
        let asserted = posting.assertion.as_mut().map(|assertion| &mut assertion.quantity);
        if let Some(default) = &self.default_commodity {
            let quantities = posting.quantity.iter_mut().chain(asserted);
            for quantity in quantities.filter(|quantity| quantity.commodity.is_empty()) {
                quantity.commodity.clone_from(default);
            }
        }
        if entry.postings.len() >= MAX_POSTINGS {
            return Err(Problem::at(posting.position, Kind::TooManyPostings));
        }
        entry.postings.push(posting);
        Ok(())
    }
}

fn add_comment(entry: &mut Entry, text: &str) {
    if text.is_empty() {
        return;
    }
    if !entry.comment.is_empty() {
        entry.comment.push('\n');
    }
    entry.comment.push_str(text);
    let tags = comment::tags(text).map(|(name, value)| (name.to_owned(), value.to_owned()));
    entry.tags.extend(tags);
}
