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

mod build;
mod chart;
mod facts;
mod identity;
mod kept;
mod kind;
mod model;
mod naming;
mod survey;

use crate::read::journal::Journal;
use crate::read::problem::Problem;

pub use build::ENTRY_DATE;
pub use chart::IN_TRANSIT;
pub use kept::files as kept_files;
pub use model::{Account, Book, Group, KeptFile, Options, Plan, Transaction, VirtualPostings};

/// Plans what to record of a journal.
///
/// Each entry is freed when its transactions are made, because a large journal takes several
/// hundred megabytes.
///
/// # Errors
/// One problem for each entry with a second commodity, where one book must take all, or a problem
/// of the whole journal.
pub fn plan(journal: Journal, options: &Options<'_>) -> Result<Plan, Vec<Problem>> {
    let survey = survey::survey(&journal, options)?;
    let chart = chart::Chart::new(&journal)?;
    Ok(build::build(journal, options, survey, chart))
}

#[cfg(test)]
mod tests;
