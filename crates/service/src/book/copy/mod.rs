//! copyBook (behaviour 6.6).
//!
//! A copy of few transactions is one unit of work ([`copy`]). A larger one is written in portions
//! ([`copy_in_portions`]), so other writes run in between. Both read the source from one snapshot,
//! and the copy becomes visible only when it is whole.

mod portions;
mod source;
mod structure;

use std::collections::BTreeSet;

use daybook_domain::book::MAX_OWNED;
use daybook_domain::book::copy::{CopyProof, row_digest};
use daybook_domain::id::AccountId;
use daybook_domain::purpose::{ManageCollaborators, Record};
use daybook_domain::transaction::Transaction;
use daybook_storage::Tx;
use daybook_storage::access::AccessTo;
use daybook_storage::book::BookCounters;
use daybook_storage::event::PostingCounts;
use daybook_storage::transaction::Change;

use super::{View, check_owned};
use crate::context::Context;
use crate::error::Result;
use crate::{event_log, zone};

pub use portions::{SweptCopies, WholeCopy, copy_in_portions, sweep};
pub use source::CopyRequest;
use source::enter;
use structure::Structure;

/// Returns whether a copy has more transactions than one unit of work should write.
///
/// # Errors
/// Those of [`copy`].
pub fn is_large(tx: &mut Tx<'_>, cx: &Context, book: &str, request: &CopyRequest) -> Result<bool> {
    let source = enter(tx, cx, book, request)?;
    if !request.transactions {
        return Ok(false);
    }
    Ok(tx.transactions().exceed_one_portion(&source.access, source.from)?)
}

/// copyBook in one unit of work.
///
/// It copies settings, groups, accounts, saved queries and, for the owner of the source,
/// transactions. The caller owns the copy. Its only event is its creation.
///
/// # Errors
/// A missing or refused name; an unreadable day.
pub fn copy(tx: &mut Tx<'_>, cx: &Context, book: &str, request: &CopyRequest) -> Result<View> {
    let source = enter(tx, cx, book, request)?;
    let structure = Structure::read(tx, cx, &source, request)?;
    check_owned(tx, cx.user.id, MAX_OWNED)?;
    let inserted = tx.books().insert(structure.book.clone(), cx.user.id)?;
    let target = inserted.admit_to(cx.user.id, ManageCollaborators)?;
    structure.write(tx, &target)?;
    let mut tally = Tally::default();
    if request.transactions {
        let target = target.with_purpose(Record::Post)?;
        tally.add(&structure.openings);
        write(tx, &target, structure.openings.clone())?;
        let mut after = None;
        loop {
            let portion = tx.transactions().portion(&source.access, source.from, after)?;
            let copies = structure.copies(cx, &portion.transactions)?;
            tally.add(&copies);
            write(tx, &target, copies)?;
            after = portion.next;
            if after.is_none() {
                break;
            }
        }
    }
    publish(tx, cx, target, request.transactions.then_some(tally))
}

/// A running total of the transactions recorded in a copy.
#[derive(Debug, Clone, Default)]
struct Tally {
    proof: CopyProof,
    posted: i64,
    /// The accounts with postings (behaviour 4.7).
    posted_on: BTreeSet<AccountId>,
}

impl Tally {
    /// Adds transactions of the copy. They must come in the order of their ids.
    fn add(&mut self, transactions: &[Transaction]) {
        for transaction in transactions {
            self.proof.add(&row_digest(transaction));
            self.posted = self.posted.saturating_add(i64::from(transaction.counts()));
            self.posted_on.extend(transaction.entries().iter().map(|entry| entry.account));
        }
    }
}

/// Records transactions of a copy, without events.
fn write(tx: &mut Tx<'_>, target: &AccessTo<Record>, copies: Vec<Transaction>) -> Result<()> {
    tx.transactions().queue(target, copies.clone())?;
    let changes: Vec<Change> = copies.into_iter().map(Change::new).collect();
    Ok(tx.balances().queue(target, &changes)?)
}

/// Makes a finished copy visible: it adds the owner as a collaborator and appends the first event.
///
/// The event proves which transactions were copied (behaviour 6.20).
fn publish(
    tx: &mut Tx<'_>,
    cx: &Context,
    target: AccessTo<ManageCollaborators>,
    tally: Option<Tally>,
) -> Result<View> {
    super::add_owner(tx, cx, &target)?;
    let Tally { proof, posted, posted_on } = tally.clone().unwrap_or_default();
    let posted_on: Vec<AccountId> = posted_on.into_iter().collect();
    tx.accounts().mark_posted(&target.with_purpose(Record::Post)?, &posted_on)?;
    let created = match tally {
        Some(_) => target.book().copied_event(&proof.summary()),
        None => target.book().created_event(),
    };
    // Copied transactions count as posted in the current month.
    let month = zone::month(cx.now, &target.book().settings.time_zone);
    let counts = PostingCounts::from([(month, posted)]);
    event_log::append_counted(tx, cx, &target, vec![created], &counts)?;
    let counters = BookCounters {
        posted,
        month,
        month_posted: posted,
        year_posted: posted,
        changed_at: cx.now,
    };
    Ok(View::plain(target.into_access(), counters))
}
