//! Copies of more transactions than one unit of work should write (behaviour 6.14).
//!
//! The source is read from one snapshot. Each portion is one unit of work of its own, so other
//! writes run in between. The book of the copy has no collaborators until the last unit of work, so
//! no user can see it before it is whole.
//!
//! The copying process holds the lease of the copy. If the lease is free and the row of the copy
//! still exists, the process has ended or failed. The sweep then removes the copy, also in
//! portions.

use std::sync::Arc;

use daybook_domain::book::MAX_OWNED;
use daybook_domain::id::BookKey;
use daybook_domain::purpose::{ManageCollaborators, Record};
use daybook_domain::transaction::Transaction;
use daybook_storage::access::AccessTo;
use daybook_storage::{Lease, ShardKey, Store, Submission, Tx};

use super::source::{CopyRequest, enter};
use super::structure::Structure;
use super::{Tally, publish, write};
use crate::book::deletion::ROWS_REMOVED;
use crate::book::{View, check_owned};
use crate::context::Context;
use crate::error::{Error, Result};
use crate::storage_quota;

/// Opening balances that one unit of work records.
const MAX_OPENINGS: usize = 1_000;

/// A copy with all its rows, before its last unit of work.
#[derive(Clone)]
pub struct WholeCopy {
    cx: Context,
    key: BookKey,
    tally: Tally,
}

impl WholeCopy {
    /// Runs the last unit of work, which makes the copy visible.
    ///
    /// # Errors
    /// When the copy was removed meanwhile.
    pub fn publish(self, tx: &mut Tx<'_>) -> Result<View> {
        let target = enter_copy(tx, &self.cx, &self.key)?;
        tx.books().end_copy(&target)?;
        publish(tx, &self.cx, target, Some(self.tally))
    }
}

/// copyBook in several units of work. It blocks until the copy is whole.
///
/// After each unit of work it calls `stop`, and gives up if that returns `true`. `finish` is the
/// last unit of work and runs on the shard of the source. It publishes the copy, or finds that an
/// earlier attempt already did.
///
/// # Errors
/// Refusals of [`super::copy`]; 503 if it gave up. The sweep then removes the rows already written.
pub fn copy_in_portions<T, E, F>(
    store: &Store,
    cx: &Context,
    book: &str,
    request: &CopyRequest,
    stop: &dyn Fn() -> bool,
    finish: F,
) -> std::result::Result<T, E>
where
    F: FnOnce(&mut Tx<'_>, WholeCopy) -> std::result::Result<T, E> + Clone + Send + 'static,
    T: Send + 'static,
    E: From<Error> + From<daybook_storage::Error> + Send + 'static,
{
    // The lease is held until the copy is published.
    let (whole, _lease) = store.read(|tx| write_rows(store, tx, cx, book, request, stop))?;
    let submission = Submission::for_user(ShardKey::of_book(book), cx.user.id);
    store.write_repeatable(submission, move |tx| finish(tx, whole))
}

/// Writes all rows of the copy, and returns it with its lease.
fn write_rows(
    store: &Store,
    snapshot: &mut Tx<'_>,
    cx: &Context,
    book: &str,
    request: &CopyRequest,
    stop: &dyn Fn() -> bool,
) -> Result<(WholeCopy, Lease)> {
    let source = enter(snapshot, cx, book, request)?;
    let structure = Arc::new(Structure::read(snapshot, cx, &source, request)?);
    let key = structure.book.key.clone();
    let lease = lease(store, &key)?.ok_or_else(|| unavailable("a copy has its lease already"))?;
    let mut copy = WholeCopy { cx: cx.clone(), key, tally: Tally::default() };
    copy.begin(store, &structure)?;
    for openings in structure.openings.chunks(MAX_OPENINGS) {
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
    /// Runs the first unit of work: inserts the hidden book with everything except transactions.
    fn begin(&self, store: &Store, structure: &Arc<Structure>) -> Result<()> {
        let (cx, structure) = (self.cx.clone(), Arc::clone(structure));
        store
            .write_repeatable(self.submission(), move |tx| {
                check_owned(tx, cx.user.id, MAX_OWNED)?;
                let inserted = tx.books().insert(structure.book.clone(), cx.user.id)?;
                tx.books().begin_copy(&inserted, cx.user.id)?;
                let target = inserted.admit_to(cx.user.id, ManageCollaborators)?;
                structure.write(tx, &target)?;
                storage_quota::check(tx, &cx, &target)
            })
            .map_err(Error::repeatable)
    }

    /// Records the next transactions in a unit of work.
    fn record(&mut self, store: &Store, transactions: Vec<Transaction>) -> Result<()> {
        self.tally.add(&transactions);
        let (cx, key) = (self.cx.clone(), self.key.clone());
        store
            .write_repeatable(self.submission(), move |tx| {
                let target = enter_copy(tx, &cx, &key)?.with_purpose(Record::Post)?;
                write(tx, &target, transactions)?;
                storage_quota::check(tx, &cx, &target)
            })
            .map_err(Error::repeatable)
    }

    fn submission(&self) -> Submission {
        Submission::for_user(ShardKey::of_book(self.key.as_str()), self.cx.user.id)
    }
}

/// Enters the book of an unfinished copy that the caller is making.
fn enter_copy(
    tx: &mut Tx<'_>,
    cx: &Context,
    key: &BookKey,
) -> Result<AccessTo<ManageCollaborators>> {
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

/// The result of a sweep.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SweptCopies {
    /// The number of abandoned copies that it found.
    pub found: usize,
    /// The number of these that it removed.
    pub removed: usize,
}

/// Removes unfinished copies whose process has ended. It blocks, and calls `stop` between its units
/// of work.
pub fn sweep(store: &Store, stop: &dyn Fn() -> bool) -> Result<SweptCopies> {
    let mut swept = SweptCopies { found: 0, removed: 0 };
    let unfinished = store.read(|tx| Ok::<_, Error>(tx.books().unfinished_copies()?))?;
    for key in unfinished {
        // A held lease means that the copy is still being made.
        let Some(_lease) = lease(store, &key)? else { continue };
        swept.found += 1;
        let shard = ShardKey::of_book(key.as_str());
        loop {
            if stop() {
                return Ok(swept);
            }
            let key = key.clone();
            let remove = move |tx: &mut Tx<'_>| tx.books().remove_unfinished(&key, ROWS_REMOVED);
            if !store.write_repeatable::<bool, daybook_storage::Error>(shard, remove)? {
                break;
            }
        }
        swept.removed += 1;
    }
    Ok(swept)
}
