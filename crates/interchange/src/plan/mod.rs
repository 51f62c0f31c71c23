//! The books, groups, accounts and transactions that Daybook records for a journal.
//!
//! [`plan`](fn@plan) maps a journal of any format. An entry of any number of postings becomes
//! transactions of two accounts by [`legs`](fn@crate::read::journal::legs). They have the property
//! `entry_id` when there are several, and remote ids of the source, the entry and the number of the
//! leg. The identity of an entry is the identifier that its program gave it, else a hash of its
//! text, with its number among equal ones. It does not depend on the place of the entry, so a
//! journal that grows is imported again without repetition.
//!
//! An entry that a book cannot record exactly is refused as a whole, with its line: one with more
//! decimal places than the book, or with an amount that is too large. A second commodity refuses
//! the journal, unless each commodity may have a book of its own. Those books have equal names for
//! equal accounts.
//!
//! `docs/import-journals.md` has the mapping with examples.

mod chart;
mod facts;
mod identity;
mod kept;
mod kind;
mod model;
mod naming;
mod planner;
mod survey;

use crate::read::journal::Journal;
use crate::read::problem::Problem;

pub use chart::IN_TRANSIT;
pub use kept::files as kept_files;
pub use model::{Account, Book, Group, KeptFile, Options, Plan, Transaction, VirtualPostings};
pub use planner::{ENTRY_DATE, Planned, PlannedLeg, Planner};

/// Plans what to record of a journal.
///
/// The transactions of a large journal take several hundred megabytes. [`Planner`] returns them one
/// entry at a time instead.
///
/// # Errors
/// Those of [`Planner::new`] and [`Planner::next`].
pub fn plan(journal: Journal, options: &Options<'_>) -> Result<Plan, Vec<Problem>> {
    let mut planner = Planner::new(journal, options)?;
    let (mut refused, mut transactions) = (Vec::new(), vec![Vec::new(); planner.books().len()]);
    for planned in &mut planner {
        match planned.map_err(|problem| vec![problem])? {
            Planned::Refused(problem) => refused.push(problem),
            Planned::Entry(legs) => {
                for PlannedLeg { book, transaction } in legs {
                    if let Some(transactions) = transactions.get_mut(book) {
                        transactions.push(transaction);
                    }
                }
            }
        }
    }
    let mut plan = planner.finish();
    plan.refused = refused;
    for (book, transactions) in plan.books.iter_mut().zip(transactions) {
        book.transactions = transactions;
    }
    Ok(plan)
}

#[cfg(test)]
mod tests;
