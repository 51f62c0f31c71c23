//! Journals of beancount.
//!
//! The reader returns the [`Journal`] that those of hledger become too. As in beancount, amounts
//! that are left out are inferred from the other postings, reductions take the cost of the lots
//! that they match, `pad` makes the entry that the next `balance` needs, and a balance that differs
//! is a warning. A directive with a fault is refused alone.
//!
//! `include` refuses the file, because the reader opens no other. Plugins are not run, with a
//! warning. Directives without a counterpart in a book stay as text in [`Journal::directives`]:
//! events, queries, custom directives, commodities, options, balances and pads.
//!
//! The reader is written by hand because `deny.toml` refuses the crates for it:
//! beancount-parser-lima 0.16.3 depends on lazy_format, which is under the MPL-2.0, and
//! beancount-parser 2.6.0 is under the Unlicense. The former also keeps the tokens and directives
//! of the whole file in memory, and returns no directive of a file that has an error.

mod balances;
mod booking;
mod cursor;
mod lexer;
mod lots;
mod parse;
mod raw;
mod transaction;

use super::journal::Journal;
use super::problem::Problem;
use super::text::{Label, decode};
use lots::Lots;

/// Reads a journal of beancount.
///
/// Drops `bytes` once the file is parsed, before the entries are completed.
///
/// # Errors
/// A problem of the file as a whole: its size, its encoding, or a directive that is not
/// accepted.
pub fn read<B: AsRef<[u8]>>(bytes: B) -> Result<Journal, Problem> {
    let label = Label::Declared("utf-8");
    let mut ledger = parse::parse(&decode(bytes.as_ref(), label)?.content)?;
    drop(bytes);
    let raw = std::mem::take(&mut ledger.entries);
    let raw = raw.sorted_by_key(|raw| (raw.entry.date, raw.entry.position))?;
    let mut lots = Lots::default();
    for entry in raw.into_values() {
        match booking::book(entry?, &mut lots, &ledger) {
            Ok(entry) => ledger.journal.entries.push(&entry)?,
            Err(problem) => ledger.journal.refused.push(problem),
        }
    }
    balances::apply(&mut ledger)?;
    let mut journal = ledger.journal;
    journal.entries = journal.entries.sorted_by_key(|entry| entry.position)?;
    journal.refused.sort_by_key(|problem| problem.position);
    journal.warnings.sort_by_key(|problem| problem.position);
    Ok(journal)
}

#[cfg(test)]
mod tests;
