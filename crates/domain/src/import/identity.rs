//! Remote ids of records: stable over downloads that overlap, come late or repeat equal rows.
//!
//! A record with a trustworthy id of its source is `ofx:ACCOUNT:ID`. Where one file has an id for
//! different records, each is `ofx:ACCOUNT:ID:HASH` with a hash of its day, amount and text. Other
//! records are counted: `csv:ACCOUNT:DATE:AMOUNT:HASH:ORDINAL`, where the ordinal counts the equal
//! records of the file from 1. Pending records have the prefix `pending:`, because the booked
//! record is another one.

use super::outcome::{NewReason, Outcome};
use super::record::{Record, Status};
use super::text::{digest, hash8, normalize};
use crate::amount;
use crate::calendar::format_iso;
use crate::transaction::MAX_REMOTE_ID;

/// The prefix of the remote ids of pending records.
const PENDING: &str = "pending:";

/// The most characters of an account number and of a source id. Longer ones are hashed.
const MAX_PART: usize = 100;

// The longest id: `pending:`, a scheme, two parts, a hash and an ordinal.
const _: () = assert!(8 + 16 + 2 * (MAX_PART + 1) + 9 + 11 < MAX_REMOTE_ID);

/// The remote ids of a record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Identity {
    /// The remote id that the record is recorded with.
    pub remote_id: String,
    /// Another remote id with which an earlier import may have recorded it.
    ///
    /// An earlier file may have had the source's id once, or for several records.
    pub alternate: Option<String>,
    /// The remote id of its earlier or later form: the pending form of a booked record, and the
    /// booked form of a pending record with an id of the source.
    pub other_form: Option<String>,
    /// The record of this file that it repeats: same id of the source, same content.
    pub repeats: Option<u32>,
    /// Whether the source's id is used for several records of this file.
    pub is_ambiguous: bool,
}

impl Identity {
    /// Returns the remote id to record a record of this outcome with.
    ///
    /// Where the source used its id again, the id alone is that of another transaction.
    pub fn recorded_id(&self, outcome: &Outcome) -> &str {
        let is_reused = matches!(outcome, Outcome::New(NewReason::ReusedId(_)));
        let alternate = self.alternate.as_ref().filter(|_| is_reused && !self.is_ambiguous);
        alternate.unwrap_or(&self.remote_id)
    }

    /// Iterates over the remote ids to look up.
    pub fn lookups(&self) -> impl Iterator<Item = &str> {
        let others = [&self.alternate, &self.other_form].into_iter().flatten();
        std::iter::once(&self.remote_id).chain(others).map(String::as_str)
    }
}

/// Counts the records of a file that have the same identity.
///
/// It holds 24 bytes a record.
#[derive(Debug)]
pub struct Census {
    scheme: &'static str,
    scale: u32,
    entries: Vec<Entry>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Entry {
    key: [u8; 16],
    content: u32,
    number: u32,
}

/// The size of the facts of a record.
#[cfg(test)]
pub(super) const CENSUS_BYTES: usize = size_of::<Entry>();

/// The ordinal and the ambiguity of a record within its file.
#[derive(Debug, Clone, Copy, Default)]
struct Mark(u32);

impl Mark {
    const AMBIGUOUS: u32 = 1 << 31;

    const fn ordinal(self) -> u32 {
        self.0 & !Self::AMBIGUOUS
    }

    const fn is_ambiguous(self) -> bool {
        self.0 & Self::AMBIGUOUS != 0
    }
}

impl Census {
    /// Creates an empty census.
    ///
    /// `scheme` is the first part of the remote ids, such as `ofx`; at most 16 characters. `scale`
    /// is the storage scale of the book.
    pub const fn new(scheme: &'static str, scale: u32) -> Self {
        Self { scheme, scale, entries: Vec::new() }
    }

    /// Reserves memory for `records` records. A growing vector would take up to three times as
    /// much.
    #[must_use]
    pub fn with_capacity(mut self, records: usize) -> Self {
        self.entries.reserve_exact(records);
        self
    }

    /// Counts a record. Records come in the order of their numbers.
    pub fn add(&mut self, record: &Record) {
        let base = Base::of(record, self.scheme, self.scale);
        let [a, b, c, d, ..] = digest(&base.content);
        self.entries.push(Entry {
            key: digest(&base.id),
            content: if base.is_counted { 0 } else { u32::from_le_bytes([a, b, c, d]) },
            number: record.number,
        });
    }

    /// Ends the count.
    #[must_use]
    pub fn finish(mut self) -> Identities {
        self.entries.sort_unstable();
        let last = self.entries.iter().map(|entry| entry.number).max().unwrap_or_default();
        let size = usize::try_from(last).unwrap_or_default();
        let mut marks = vec![Mark::default(); size];
        let mut repeats = Vec::new();
        for same_id in self.entries.chunk_by(|one, other| one.key == other.key) {
            let is_ambiguous = same_id.first().map(|entry| entry.content)
                != same_id.last().map(|entry| entry.content);
            let flag = if is_ambiguous { Mark::AMBIGUOUS } else { 0 };
            for equal in same_id.chunk_by(|one, other| one.content == other.content) {
                let first = equal.first().map_or(0, |entry| entry.number);
                for (ordinal, entry) in (1_u32..).zip(equal) {
                    if let Some(mark) = slot(&mut marks, entry.number) {
                        *mark = Mark(ordinal.min(Mark::AMBIGUOUS - 1) | flag);
                    }
                    if ordinal > 1 {
                        repeats.push((entry.number, first));
                    }
                }
            }
        }
        repeats.sort_unstable();
        Identities { scheme: self.scheme, scale: self.scale, marks, repeats }
    }
}

fn slot(marks: &mut [Mark], number: u32) -> Option<&mut Mark> {
    marks.get_mut(usize::try_from(number).ok()?.checked_sub(1)?)
}

/// The identities of the records of a file.
#[derive(Debug)]
pub struct Identities {
    scheme: &'static str,
    scale: u32,
    marks: Vec<Mark>,
    /// Records and the first one with the same id and content, by number.
    repeats: Vec<(u32, u32)>,
}

impl Identities {
    /// Returns the identity of a record that was counted.
    pub fn identify(&self, record: &Record) -> Identity {
        let base = Base::of(record, self.scheme, self.scale);
        let index = usize::try_from(record.number).ok().and_then(|number| number.checked_sub(1));
        let mark = index.and_then(|index| self.marks.get(index)).copied().unwrap_or_default();
        let ordinal = mark.ordinal().max(1);
        if base.is_counted {
            let id = format!("{}:{ordinal}", base.id);
            return Identity {
                alternate: None,
                other_form: (record.status == Status::Booked).then(|| format!("{PENDING}{id}")),
                remote_id: id,
                repeats: None,
                is_ambiguous: false,
            };
        }
        let suffix =
            if ordinal > 1 && mark.is_ambiguous() { format!(":{ordinal}") } else { String::new() };
        let hashed = format!("{}:{}{suffix}", base.id, hash8(&base.content));
        let repeats = if mark.is_ambiguous() { None } else { self.first_of(record.number) };
        let plain = base.id;
        let (remote_id, alternate) =
            if mark.is_ambiguous() { (hashed, plain) } else { (plain, hashed) };
        let other_form = match record.status {
            Status::Booked => format!("{PENDING}{remote_id}"),
            Status::Pending => remote_id.trim_start_matches(PENDING).to_owned(),
        };
        Identity {
            remote_id,
            alternate: Some(alternate),
            other_form: Some(other_form),
            repeats,
            is_ambiguous: mark.is_ambiguous(),
        }
    }

    fn first_of(&self, number: u32) -> Option<u32> {
        let found = self.repeats.binary_search_by_key(&number, |(number, _)| *number).ok()?;
        self.repeats.get(found).map(|(_, first)| *first)
    }
}

/// The part of a remote id before a hash or an ordinal, and what the hash covers.
struct Base {
    id: String,
    content: String,
    is_counted: bool,
}

impl Base {
    fn of(record: &Record, scheme: &str, scale: u32) -> Self {
        let source = source(record, scheme);
        let form = match record.status {
            Status::Booked => "",
            Status::Pending => PENDING,
        };
        let date = record.date.map_or_else(String::new, format_iso);
        // Without trailing zeros, so that a larger scale of the book changes no id.
        let amount = amount::write_units(i128::from(record.units), scale, 0);
        let text = normalize(&record.text);
        let trusted = record.source_id.as_deref().and_then(trusted_id);
        match trusted {
            Some(id) => Self {
                id: format!("{form}{source}{}", bounded(&id)),
                content: format!("{date}:{amount}:{text}"),
                is_counted: false,
            },
            None => Self {
                id: format!("{form}{source}{date}:{amount}:{}", hash8(&text)),
                content: String::new(),
                is_counted: true,
            },
        }
    }
}

/// Returns the first parts of the remote ids of an account's records, `ofx:ACCOUNT:`.
///
/// Two records with the same source are different movements of the account.
pub(super) fn source(record: &Record, scheme: &str) -> String {
    let number: Option<String> = record.account_number.as_deref().map(normalize_number);
    match number.filter(|number| !number.is_empty()) {
        Some(number) => format!("{scheme}:{}:", bounded(&number)),
        None => format!("{scheme}:{}:", record.account),
    }
}

/// Returns the remote id of a pending record without its prefix.
pub(super) fn booked_form(remote_id: &str) -> Option<&str> {
    remote_id.strip_prefix(PENDING)
}

/// Returns an account number without spaces and punctuation, in capitals.
pub(super) fn normalize_number(number: &str) -> String {
    number.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_uppercase).collect()
}

/// Returns the id of a source in the form that is compared; `None` if it identifies nothing.
///
/// Banks write zeros or a word where they have no id.
fn trusted_id(id: &str) -> Option<String> {
    let id = id.split_whitespace().collect::<Vec<_>>().join(" ");
    let upper = normalize_number(&id);
    let is_placeholder = upper.chars().all(|c| c == '0')
        || matches!(
            upper.as_str(),
            "NONREF" | "NOTPROVIDED" | "NOREF" | "NONE" | "NULL" | "NA" | "UNKNOWN"
        );
    (!is_placeholder).then_some(id)
}

/// Shortens a part of a remote id to a hash where it is too long.
fn bounded(part: &str) -> String {
    if part.chars().nth(MAX_PART).is_none() {
        return part.to_owned();
    }
    digest(part).iter().map(|byte| format!("{byte:02x}")).collect()
}
