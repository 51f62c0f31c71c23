//! copyBook (behaviour 6.6). A copy of up to a portion of transactions is one unit of work
//! ([`copy`]). A larger one is made in portions, so that nobody waits for it
//! ([`copy_in_portions`]). Both read the source and write the copy with the functions of this
//! module: what is read takes one snapshot, and nobody sees a copy before it is whole.

mod portions;
mod structure;

use std::collections::BTreeSet;

use daybook_domain::access::Access;
use daybook_domain::book::copy::{self, CopyProof, row_digest};
use daybook_domain::book::{MAX_OWNED, Settings};
use daybook_domain::id::{AccountId, TransactionId};
use daybook_domain::permission::Action;
use daybook_domain::purpose::{ManageCollaborators, Record};
use daybook_domain::transaction::Transaction;
use daybook_storage::Tx;
use daybook_storage::access::AccessTo;
use daybook_storage::book_state::BookCounters;
use daybook_storage::event::PostingCounts;
use daybook_storage::transaction::Change;
use time::Date;

use super::{View, check_owned};
use crate::context::Context;
use crate::error::Result;
use crate::{access, event_log, zone};

pub use portions::{SweptCopies, WholeCopy, copy_in_portions, sweep};
use structure::Structure;

/// The parameters of copyBook, still as text.
#[derive(Debug, Clone, Default)]
pub struct Request {
    /// Its name.
    pub name: Option<String>,
    /// Whether the transactions are copied too.
    pub transactions: bool,
    /// The first day of the transactions to copy; ignored when they are not copied.
    pub from: Option<String>,
    /// Whether permanent accounts begin with their balances of the day before; ignored when all
    /// transactions are copied, or none (behaviour 6.19).
    pub opening_balances: bool,
    /// Other decimal places than those of the source (behaviour 6.24).
    pub fraction_digits: Option<String>,
}

/// What of a book is copied: the proof that the caller may, and the first day.
struct CopySource {
    access: Access,
    from: Option<Date>,
    /// The settings of the copy.
    settings: Settings,
}

/// Whether a copy takes more transactions than one unit of work should hold.
///
/// # Errors
/// As [`copy`].
pub fn is_large(tx: &mut Tx<'_>, cx: &Context, book: &str, request: &Request) -> Result<bool> {
    let source = enter(tx, cx, book, request)?;
    if !request.transactions {
        return Ok(false);
    }
    Ok(tx.transactions().exceed_one_portion(&source.access, source.from)?)
}

/// copyBook in one unit of work: copies settings, groups, accounts and saved queries and, for the
/// owner of the source, transactions. The caller owns the copy; its only event is its creation.
///
/// # Errors
/// What the access step refuses; a missing or refused name, an unreadable day.
pub fn copy(tx: &mut Tx<'_>, cx: &Context, book: &str, request: &Request) -> Result<View> {
    let source = enter(tx, cx, book, request)?;
    let structure = Structure::read(tx, cx, &source, request)?;
    check_owned(tx, cx.user.id, MAX_OWNED)?;
    let founded = tx.books().insert(structure.book.clone(), cx.user.id)?;
    let target = founded.admit_to(cx.user.id, ManageCollaborators)?;
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

/// Who may copy, and what.
fn enter(tx: &mut Tx<'_>, cx: &Context, book: &str, request: &Request) -> Result<CopySource> {
    let access = access::enter(tx, cx, book, Action::CopyBook)?;
    // The copy is another book.
    cx.scope.check_outside_books()?;
    if request.transactions {
        access.require(Action::CopyTransactions)?;
    }
    let digits = copy::fraction_digits(request.fraction_digits.as_deref())?;
    let settings = access.book().settings_of_copy(request.name.as_deref(), digits)?;
    Ok(CopySource { access, from: copy::first_day(request.from.as_deref())?, settings })
}

/// What was recorded in a copy so far.
#[derive(Debug, Clone, Default)]
struct Tally {
    proof: CopyProof,
    posted: i64,
    /// The accounts that something is posted on (behaviour 4.7).
    posted_on: BTreeSet<AccountId>,
}

impl Tally {
    /// Adds transactions of the copy, in the order of their ids.
    fn add(&mut self, transactions: &[Transaction]) {
        for transaction in transactions {
            self.proof.add(&row_digest(transaction));
            self.posted = self.posted.saturating_add(i64::from(transaction.counts()));
            self.posted_on.extend(transaction.entries().iter().map(|entry| entry.account));
        }
    }
}

/// Records transactions of a copy. They have no events.
fn write(tx: &mut Tx<'_>, target: &AccessTo<Record>, copies: Vec<Transaction>) -> Result<()> {
    tx.transactions().queue(target, copies.clone())?;
    let changes: Vec<Change> = copies.into_iter().map(Change::new).collect();
    Ok(tx.balances().queue(target, &changes)?)
}

/// Makes a whole copy a book like any other: with its owner as a collaborator and its first event,
/// which proves what was copied (behaviour 6.20).
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
    // Copied transactions count as posted now.
    let month = zone::month(cx.now, &target.book().settings.time_zone);
    let counts = PostingCounts::from([(month, posted)]);
    event_log::append_counted(tx, cx, &target, vec![created], &counts)?;
    let activity = BookCounters {
        posted,
        month,
        month_posted: posted,
        year_posted: posted,
        changed_at: cx.now,
    };
    Ok(View::plain(target.into_access(), activity))
}

fn mint(cx: &Context) -> TransactionId {
    TransactionId::new(cx.mint())
}
