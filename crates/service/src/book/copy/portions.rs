//! Copies of more transactions than one unit of work should hold (behaviour 6.14).
//!
//! The source is read on one snapshot, so the copy is the source of one moment. What is read
//! becomes one unit of work after another, in a book that has no collaborators yet and is therefore
//! nobody's to see. Between them the writer does what others wait for. The last unit of work makes
//! it a book like any other.
//!
//! Whoever copies holds the lease of the copy. A copy whose lease is free and whose row is still
//! there was left by a process that ended, or by an error: the sweep removes it, in portions too.

use std::sync::Arc;

use daybook_domain::book::MAX_OWNED;
use daybook_domain::id::BookKey;
use daybook_domain::purpose::{ManageCollaborators, Record};
use daybook_domain::transaction::Transaction;
use daybook_storage::access::AccessTo;
use daybook_storage::{Lease, ShardKey, Store, Submission, Tx};

use super::structure::Structure;
use super::{Request, Tally, enter, publish, write};
use crate::book::deletion::ROWS_REMOVED;
use crate::book::{View, check_owned};
use crate::context::Context;
use crate::error::{Error, Result};
use crate::storage_quota;

/// Opening balances that one unit of work records.
const OPENINGS: usize = 1_000;

/// A copy that has all its rows and waits for its last unit of work.
#[derive(Clone)]
pub struct WholeCopy {
    cx: Context,
    key: BookKey,
    tally: Tally,
}

impl WholeCopy {
    /// The last unit of work: from now on the copy is a book like any other.
    ///
    /// # Errors
    /// When the copy is gone.
    pub fn publish(self, tx: &mut Tx<'_>) -> Result<View> {
        let target = go_on(tx, &self.cx, &self.key)?;
        tx.books().end_copy(&target)?;
        publish(tx, &self.cx, target, Some(self.tally))
    }
}

/// copyBook in several units of work. It blocks until the copy is whole. After each of them it asks
/// `stop` whether to give up. `finish` is the last one, in the lane of the source: it publishes the
/// copy, or finds that this was done before.
///
/// # Errors
/// As [`super::copy`]; 503 when it gave up. What was written by then is swept away.
pub fn copy_in_portions<T, E, F>(
    store: &Store,
    cx: &Context,
    (book, request): (&str, &Request),
    stop: &dyn Fn() -> bool,
    finish: F,
) -> std::result::Result<T, E>
where
    F: FnOnce(&mut Tx<'_>, WholeCopy) -> std::result::Result<T, E> + Clone + Send + 'static,
    T: Send + 'static,
    E: From<Error> + From<daybook_storage::Error> + Send + 'static,
{
    // Held until the copy is published.
    let (whole, _lease) = store.read(|tx| whole(store, tx, cx, (book, request), stop))?;
    let ticket = Submission::of(ShardKey::of_book(book), cx.user.id);
    store.write_repeatable(ticket, move |tx| finish(tx, whole))
}

/// Writes all rows of the copy.
fn whole(
    store: &Store,
    snapshot: &mut Tx<'_>,
    cx: &Context,
    (book, request): (&str, &Request),
    stop: &dyn Fn() -> bool,
) -> Result<(WholeCopy, Lease)> {
    let source = enter(snapshot, cx, book, request)?;
    let structure = Arc::new(Structure::read(snapshot, cx, &source, request)?);
    let key = structure.book.key.clone();
    let lease = lease(store, &key)?.ok_or_else(|| unavailable("a copy has its lease already"))?;
    let mut copy = WholeCopy { cx: cx.clone(), key, tally: Tally::default() };
    copy.begin(store, &structure)?;
    for openings in structure.openings.chunks(OPENINGS) {
        copy.record(store, openings.to_vec())?;
    }
    let mut after = None;
    loop {
        let portion = snapshot.transactions().portion(&source.access, source.from, after)?;
        copy.record(store, structure.copies(cx, &portion.transactions)?)?;
        after = portion.next;
        if after.is_none() {
            return Ok((copy, lease));
        }
        if stop() {
            return Err(unavailable("a copy was given up because the server stops"));
        }
    }
}

impl WholeCopy {
    /// The first unit of work: the book with all but its transactions, hidden.
    fn begin(&self, store: &Store, structure: &Arc<Structure>) -> Result<()> {
        let (cx, structure) = (self.cx.clone(), Arc::clone(structure));
        store
            .write(self.ticket(), move |tx| {
                check_owned(tx, cx.user.id, MAX_OWNED)?;
                let founded = tx.books().insert(structure.book.clone(), cx.user.id)?;
                tx.books().begin_copy(&founded, cx.user.id)?;
                let target = founded.admit_to(cx.user.id, ManageCollaborators)?;
                structure.write(tx, &target)?;
                storage_quota::check(tx, &cx, &target)
            })
            .map_err(Error::repeatable)
    }

    /// A unit of work with the next transactions.
    fn record(&mut self, store: &Store, transactions: Vec<Transaction>) -> Result<()> {
        self.tally.add(&transactions);
        let (cx, key) = (self.cx.clone(), self.key.clone());
        store
            .write(self.ticket(), move |tx| {
                let target = go_on(tx, &cx, &key)?.with_purpose(Record::Post)?;
                write(tx, &target, transactions)?;
                storage_quota::check(tx, &cx, &target)
            })
            .map_err(Error::repeatable)
    }

    fn ticket(&self) -> Submission {
        Submission::of(ShardKey::of_book(self.key.as_str()), self.cx.user.id)
    }
}

/// Enters the book of a copy that the caller is making.
fn go_on(tx: &mut Tx<'_>, cx: &Context, key: &BookKey) -> Result<AccessTo<ManageCollaborators>> {
    let book = tx.books().unfinished_copy(key, cx.user.id)?;
    let book = book.ok_or_else(|| unavailable("a copy was removed while it was made"))?;
    Ok(book.admit_to(cx.user.id, ManageCollaborators)?)
}

fn lease(store: &Store, key: &BookKey) -> Result<Option<Lease>> {
    Ok(store.lease(&format!("copy {}", key.as_str()))?)
}

fn unavailable(why: &str) -> Error {
    daybook_storage::Error::Unavailable(why.to_owned()).into()
}

/// What a sweep came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SweptCopies {
    /// Copies that nobody makes any more.
    pub found: usize,
    /// How many of them are gone.
    pub removed: usize,
}

/// Removes what copies left that were not finished. It blocks, and asks `stop` between its units of
/// work.
///
/// # Errors
/// When the database cannot be reached.
pub fn sweep(store: &Store, stop: &dyn Fn() -> bool) -> Result<SweptCopies> {
    let mut swept = SweptCopies { found: 0, removed: 0 };
    let unfinished = store.read(|tx| Ok::<_, Error>(tx.books().unfinished_copies()?))?;
    for key in unfinished {
        // Somebody makes it.
        let Some(_lease) = lease(store, &key)? else { continue };
        swept.found += 1;
        let lane = ShardKey::of_book(key.as_str());
        loop {
            if stop() {
                return Ok(swept);
            }
            let key = key.clone();
            let more = move |tx: &mut Tx<'_>| tx.books().remove_unfinished(&key, ROWS_REMOVED);
            if !store.write_repeatable::<bool, daybook_storage::Error>(lane, more)? {
                break;
            }
        }
        swept.removed += 1;
    }
    Ok(swept)
}
