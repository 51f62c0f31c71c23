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

use super::problem::{Kind, Problem};
use super::text::{Label, decode};
pub(crate) use balance::Balances;

pub use legs::{Leg, Side, legs};
pub use model::{
    Account, Assertion, Commodity, Cost, Directive, Entry, EntryDetails, Journal, Lot, Mark,
    Posting, PostingDetails, PostingKind, Price, Quantity,
};
pub use shared::SharedText;
pub(crate) use shared::SharedTexts;

/// Reads a journal.
///
/// # Errors
/// A problem of the file as a whole: its size, its encoding, or a directive that is not
/// accepted.
pub fn read(bytes: &[u8]) -> Result<Journal, Problem> {
    let text = decode(bytes, Label::Guess)?;
    let mut journal = parse::parse(&text.content)?;
    complete(&mut journal);
    check_assertions(&mut journal);
    Ok(journal)
}

/// Fills in the amounts in the order of the days, and refuses the entries that do not balance.
fn complete(journal: &mut Journal) {
    let mut order: Vec<(Date, usize)> =
        journal.entries.iter().enumerate().map(|(index, entry)| (entry.date, index)).collect();
    order.sort_unstable();
    let mut balances = Balances::default();
    let mut is_refused = vec![false; journal.entries.len()];
    for (_, index) in order {
        let Some(entry) = journal.entries.get_mut(index) else { continue };
        if let Err(problem) = balance::complete(entry, &mut balances) {
            journal.refused.push(problem);
            if let Some(refused) = is_refused.get_mut(index) {
                *refused = true;
            }
        }
    }
    let mut is_refused = is_refused.into_iter();
    journal.entries.retain(|_| is_refused.next() != Some(true));
    journal.refused.sort_by_key(|problem| problem.position);
}

/// Checks the assertions in the order of the days of the postings.
fn check_assertions(journal: &mut Journal) {
    let mut postings: Vec<(Date, &Posting)> = journal
        .entries
        .iter()
        .flat_map(|entry| {
            let day = |posting: &Posting| posting.details().date.unwrap_or(entry.date);
            entry.postings.iter().map(move |posting| (day(posting), posting))
        })
        .collect();
    postings.sort_by_key(|(date, _)| *date);
    let mut balances = Balances::default();
    for (_, posting) in postings {
        // Sums that are too large were refused with their entries.
        let _is_counted = balances.add(posting);
        let Some(assertion) = &posting.details().assertion else { continue };
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
}

#[cfg(test)]
mod tests;
