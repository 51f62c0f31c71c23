//! Entries of QIF: lines with a letter each, up to a line with a caret.

use std::rc::Rc;

use crate::read::limits::MAX_FIELD_BYTES;
use crate::read::problem::{Position, excerpt};
use crate::read::text::{collapse, column_after, line_end, non_empty};

/// A value with its place.
pub(crate) type Placed = (String, Position);

/// An entry of an account.
#[derive(Debug, Clone)]
pub(crate) struct Entry {
    pub(crate) position: Position,
    /// The name of the account, if a list of accounts has named one.
    pub(crate) account: Option<Rc<str>>,
    pub(crate) section: Section,
    pub(crate) date: Option<Placed>,
    pub(crate) amount: Option<Placed>,
    pub(crate) payee: Option<String>,
    pub(crate) memo: Option<String>,
    pub(crate) number: Option<String>,
    pub(crate) cleared: Option<String>,
    pub(crate) category: Option<String>,
    pub(crate) splits: Vec<Split>,
    /// A line that no entry has.
    pub(crate) unexpected: Option<Placed>,
}

/// A part of an entry.
#[derive(Debug, Clone, Default)]
pub(crate) struct Split {
    pub(crate) category: Option<String>,
    pub(crate) memo: Option<String>,
    pub(crate) amount: Option<Placed>,
}

/// The kind of a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Section {
    /// Transactions of an account; the number tells the lists of a file apart.
    Transactions(u32),
    /// Transactions of an investment account.
    Investments,
    /// Accounts, which name the one of the list that follows.
    Accounts,
    /// Categories, classes, securities, prices and what else is not a transaction.
    Other,
}

/// Reads entries one after the other.
#[derive(Debug, Clone)]
pub(crate) struct Entries<'a> {
    rest: &'a str,
    line: u32,
    line_end: char,
    section: Section,
    lists: u32,
    account: Option<Rc<str>>,
}

impl<'a> Entries<'a> {
    pub(crate) fn new(text: &'a str) -> Self {
        let line_end = line_end(text);
        Self { rest: text, line: 0, line_end, section: Section::Other, lists: 0, account: None }
    }

    fn next_line(&mut self) -> Option<&'a str> {
        if self.rest.is_empty() {
            return None;
        }
        let (line, rest) = self.rest.split_once(self.line_end).unwrap_or((self.rest, ""));
        self.rest = rest;
        self.line = self.line.saturating_add(1);
        Some(line)
    }

    /// Begins a list.
    fn header(&mut self, name: &str) {
        let name = name.to_ascii_lowercase();
        let kind = name.strip_prefix("!type:").map(str::trim);
        self.section = match kind {
            None if name.trim_end() == "!account" => Section::Accounts,
            Some("bank" | "cash" | "ccard" | "oth a" | "oth l" | "oth s" | "tax") => {
                self.lists = self.lists.saturating_add(1);
                Section::Transactions(self.lists)
            }
            Some("invst" | "port") => Section::Investments,
            // `!Option:AutoSwitch` and the like change nothing for the list that follows.
            None if name.starts_with("!option") || name.starts_with("!clear") => self.section,
            _ => Section::Other,
        };
    }
}

impl Iterator for Entries<'_> {
    type Item = Entry;

    fn next(&mut self) -> Option<Entry> {
        let mut entry: Option<Entry> = None;
        loop {
            let Some(line) = self.next_line() else { return entry };
            let position = Position { line: self.line, column: 1 };
            let trimmed = line.trim_start().trim_end();
            if trimmed.is_empty() {
                continue;
            }
            if trimmed.starts_with('!') {
                // An entry without a caret ends here.
                let header = trimmed.to_owned();
                let ended = entry.take();
                self.header(&header);
                if ended.is_some() {
                    return ended;
                }
                continue;
            }
            if trimmed.starts_with('^') {
                match entry.take() {
                    Some(entry) if entry.section == Section::Accounts => {
                        self.account = entry.number.as_deref().map(Rc::from);
                    }
                    Some(entry) => return Some(entry),
                    None => {}
                }
                continue;
            }
            let entry = entry.get_or_insert_with(|| Entry {
                position,
                account: self.account.clone(),
                section: self.section,
                date: None,
                amount: None,
                payee: None,
                memo: None,
                number: None,
                cleared: None,
                category: None,
                splits: Vec::new(),
                unexpected: None,
            });
            let indent = line.strip_suffix(line.trim_start()).unwrap_or_default();
            let column = column_after(indent).saturating_add(1);
            let place = Position { column, ..position };
            if trimmed.len() > MAX_FIELD_BYTES {
                entry.unexpected.get_or_insert_with(|| (excerpt(trimmed), place));
            } else {
                entry.set(trimmed, place);
            }
        }
    }
}

impl Entry {
    /// Stores a line.
    fn set(&mut self, line: &str, position: Position) {
        let mut characters = line.chars();
        let Some(code) = characters.next() else { return };
        let value = characters.as_str();
        let text = non_empty(value).map(collapse);
        let split = self.splits.last_mut();
        match code {
            'D' => self.date = text.map(|text| (text, position)),
            'T' => self.amount = text.map(|text| (text, position)),
            // The amount once more, for large ones.
            'U' if self.amount.is_none() => self.amount = text.map(|text| (text, position)),
            'P' => self.payee = text,
            'M' => self.memo = text,
            'N' => self.number = text,
            'C' => self.cleared = text,
            'L' => self.category = text,
            'S' => self.splits.push(Split { category: text, ..Split::default() }),
            'E' => {
                if let Some(split) = split {
                    split.memo = text;
                }
            }
            '$' => match split {
                Some(split) if split.amount.is_none() => {
                    split.amount = text.map(|text| (text, position));
                }
                Some(_) | None => {}
            },
            // Addresses, percentages, and fields of loans, accounts and investments.
            'U'
            | 'A'
            | '%'
            | 'F'
            | 'B'
            | 'R'
            | 'X'
            | 'Y'
            | 'I'
            | 'Q'
            | 'O'
            | 'V'
            | 'K'
            | 'G'
            | 'H'
            | 'W'
            | 'J'
            | 'Z'
            | '1'..='9'
            | '/' => {}
            _ => {
                self.unexpected.get_or_insert_with(|| (excerpt(line), position));
            }
        }
    }
}
