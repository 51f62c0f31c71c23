//! Readable names of the files in an archive: day, amount and description of their transaction.
//!
//! `files/2026-03-14 42.50 Corner Shop.pdf`. The names are valid on Windows, macOS and Linux, and
//! are unique without regard to case.

use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash, Hasher};

use daybook_domain::amount;
use daybook_domain::calendar::format_iso;
use daybook_domain::file::File;
use daybook_domain::transaction::Transaction;

/// The folder of files of transactions.
const FOLDER: &str = "files";
/// The folder of files that no transaction has.
const OTHER_FOLDER: &str = "other files";
/// The characters of a name without its extension.
const MAX_CHARACTERS: usize = 80;
/// The characters of an extension.
const MAX_EXTENSION: usize = 10;
/// The files of one name that are numbered. Further ones have their id.
const MAX_NUMBER: usize = 99;
/// Names that Windows reserves for devices.
const DEVICES: [&str; 6] = ["con", "prn", "aux", "nul", "com", "lpt"];

/// Gives each file of an export a name.
///
/// Files that come in the same order get the same names again.
#[derive(Debug, Default)]
pub struct FileNames {
    /// The hashes of the names in use. If two names have the same hash, the second gets a number
    /// without need.
    used: HashSet<u64>,
}

impl FileNames {
    /// Returns the name of the next file in the archive.
    ///
    /// It describes the first transaction of the file, with the decimal places of the book. A file
    /// without a transaction keeps its own name.
    pub fn add(&mut self, file: &File, transaction: Option<(&Transaction, u32)>) -> String {
        let (stem, extension) = split(&file.name);
        let (folder, name) = match transaction {
            Some((transaction, digits)) => (FOLDER, describe(transaction, digits)),
            None => (OTHER_FOLDER, stem.to_owned()),
        };
        let name = safe(&name, MAX_CHARACTERS);
        let name =
            if is_reserved(&name) { safe(&format!("File {name}"), MAX_CHARACTERS) } else { name };
        let extension = safe(extension, MAX_EXTENSION).replace(' ', "");
        let dot = if extension.is_empty() { "" } else { "." };
        let mut path = format!("{folder}/{name}{dot}{extension}");
        let numbers = (2..=MAX_NUMBER).map(|number| number.to_string());
        for number in numbers.chain([file.id.to_string()]) {
            if self.used.insert(hash(&path)) {
                return path;
            }
            path = format!("{folder}/{name} ({number}){dot}{extension}");
        }
        // The id makes it unique.
        self.used.insert(hash(&path));
        path
    }
}

fn describe(transaction: &Transaction, digits: u32) -> String {
    let day = format_iso(transaction.list_day);
    let amount = transaction.amount.map(|amount| amount::write(amount.value(), digits));
    let amount = amount.map(|amount| format!(" {amount}")).unwrap_or_default();
    format!("{day}{amount} {}", transaction.description)
}

/// Splits a name at its last dot.
fn split(name: &str) -> (&str, &str) {
    let split = name.rsplit_once('.').filter(|(stem, _)| !stem.trim().is_empty());
    let is_extension = |text: &str| text.chars().count() <= MAX_EXTENSION;
    split.filter(|(_, extension)| is_extension(extension)).unwrap_or((name, ""))
}

/// Replaces the characters that a system forbids in names, and shortens the text.
fn safe(text: &str, max: usize) -> String {
    let replace = |c: char| match c {
        '/' | '\\' | '|' => '-',
        '<' | '>' | ':' | '"' | '?' | '*' => ' ',
        // Marks that reverse the direction of text can hide an extension.
        '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => ' ',
        control if control.is_control() => ' ',
        other => other,
    };
    let replaced: String = text.chars().map(replace).collect();
    let spaced = replaced.split_whitespace().collect::<Vec<_>>().join(" ");
    let short: String = spaced.chars().take(max).collect();
    short.trim_matches(|c: char| c == '.' || c == ' ').to_owned()
}

/// Returns whether a name is empty, or that of a device.
fn is_reserved(name: &str) -> bool {
    let lower = name.to_ascii_lowercase();
    let stem = lower.split('.').next().unwrap_or_default().trim();
    let device = stem.trim_end_matches(|c: char| c.is_ascii_digit());
    stem.is_empty() || (DEVICES.contains(&device) && stem.len() <= 4)
}

/// Hashes a name without regard to case.
fn hash(path: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    path.to_lowercase().hash(&mut hasher);
    hasher.finish()
}
