//! Journals of hledger and ledger.
//!
//! The reader returns entries with all amounts: those that were left out are inferred from the
//! other postings of the entry, or from the balance that a posting states. Balance assertions are
//! checked, and each one that fails is a warning. Entries that do not balance are refused one by
//! one.
//!
//! A journal is refused as a whole when a directive would change what entries mean in a way that is
//! not read: `include`, because the reader opens no file, aliases with regular expressions, `apply
//! tag`, `bucket`, `C`, `define`, and entries of time clocks. Periodic transactions and automated
//! postings are left out with a warning, as hledger does without `--forecast` and `--auto`.
//!
//! [`legs`](fn@legs) makes the transactions of two accounts of an entry.

mod balance;
mod comment;
mod legs;
mod model;
mod parse;
mod posting;
mod quantity;
mod shared;

use time::Date;

use super::packed::Packed;
use super::problem::{Kind, Problem};
use super::text::{Label, decode};
pub(crate) use balance::Balances;

pub use legs::{Leg, Side, legs};
pub use model::{
    Account, Assertion, Commodity, Cost, Directive, Entry, Journal, Lot, Mark, Posting,
    PostingKind, Price, Quantity,
};
pub use shared::SharedText;

/// Reads a journal.
///
/// Drops `bytes` once the file is parsed, before the entries are completed.
///
/// # Errors
/// A problem of the file as a whole: its size, its encoding, or a directive that is not
/// accepted.
pub fn read<B: AsRef<[u8]>>(bytes: B) -> Result<Journal, Problem> {
    let mut journal = parse::parse(&decode(bytes.as_ref(), Label::Guess)?.content)?;
    drop(bytes);
    let has_assertions = complete(&mut journal)?;
    if has_assertions {
        check_assertions(&mut journal)?;
    }
    Ok(journal)
}

/// Fills in the amounts in the order of the days, and refuses the entries that do not balance.
///
/// Returns whether a posting has an assertion.
fn complete(journal: &mut Journal) -> Result<bool, Problem> {
    let entries = std::mem::take(&mut journal.entries);
    let entries = entries.sorted_by_key(|entry| (entry.date, entry.position))?;
    let mut balances = Balances::default();
    let (mut completed, mut has_assertions) = (Packed::default(), false);
    for entry in entries.into_values() {
        let mut entry: Entry = entry?;
        has_assertions |= entry.postings.iter().any(|posting| posting.assertion.is_some());
        match balance::complete(&mut entry, &mut balances) {
            Ok(()) => completed.push(&entry)?,
            Err(problem) => journal.refused.push(problem),
        }
    }
    journal.entries = completed.sorted_by_key(|entry: &Entry| entry.position)?;
    journal.refused.sort_by_key(|problem| problem.position);
    Ok(has_assertions)
}

/// Checks the assertions in the order of the days of the postings.
fn check_assertions(journal: &mut Journal) -> Result<(), Problem> {
    let mut postings: Packed<(Date, Posting)> = Packed::default();
    for entry in journal.entries.iter() {
        let entry = entry?;
        for posting in entry.postings {
            postings.push(&(posting.date.unwrap_or(entry.date), posting))?;
        }
    }
    let postings = postings.sorted_by_key(|(date, _)| *date)?;
    let mut balances = Balances::default();
    for posting in postings.into_values() {
        let (_, posting) = posting?;
        // Sums that are too large were refused with their entries.
        let _is_counted = balances.add(&posting);
        let Some(assertion) = &posting.assertion else { continue };
        let commodity = &assertion.quantity.commodity;
        let expected = assertion.quantity.amount;
        let found = balances.of(&posting.account, commodity, assertion.is_inclusive);
        let has_other = |assertion: &Assertion| {
            balances.has_other(&posting.account, commodity, assertion.is_inclusive)
        };
        let kind = match found {
            Some(found) if found != expected => Kind::AssertionFailed { expected, found },
            Some(_) if assertion.is_total && has_other(assertion) => Kind::OtherCommodities,
            Some(_) => continue,
            None => Kind::TooMuchWork,
        };
        journal.warnings.push(Problem::at(posting.position, kind));
    }
    Ok(())
}

#[cfg(test)]
mod tests;
