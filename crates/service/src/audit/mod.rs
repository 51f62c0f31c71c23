//! Use cases of audits (behaviour 6.7). An audit is asked for, made, and recorded, in three units
//! of work.
//!
//! 1. The request is a row, and is answered before anything is looked at.
//! 2. A background worker makes the audit on one snapshot, in portions of rows: it reads the log,
//!    compares the rows with the last events of their resources (`rows.rs`), and adds the
//!    transactions up. It may take a while and holds nobody up: neither the lock of the book nor a
//!    writer is touched. Rows are read as they are stored and none is refused, because what no
//!    program could have written is what an audit looks for. In memory there are the accounts and
//!    groups, and one portion of rows, whose texts take 8 MB and those of the last row.
//! 3. A short unit of work sets `balanceVerified`, records `BOOK_AUDITED` and removes the row.
//!
//! Where the log of a book cannot be written, because a row stands behind its head, the third unit
//! of work would fail each time it is tried. Such an audit is closed without the event
//! ([`record_nothing`]), and the operator reads what it found in the log of the server.
//!
//! A process that stops leaves the row, and whoever starts next goes on. The findings are about the
//! book as it stood at one of its events.

mod log_end;
mod rows;

use std::sync::Arc;

use daybook_domain::access::Access;
use daybook_domain::audit::{AuditedEvent, Recount, Report, Trail};
use daybook_domain::book::copy::{CopyProof, CopySummary};
use daybook_domain::id::{AccountId, BookKey, UserId};
use daybook_domain::instant::Instant;
use daybook_domain::purpose::Audit;
use daybook_storage::Tx;
use daybook_storage::access::AccessTo;
use daybook_storage::audit::RequestedAudit;

use crate::context::Context;
use crate::error::{Error, Result};
use crate::ids::Ids;
use crate::{access, event_log, storage_quota};

pub use log_end::{
    books, checkpoint_entries, entries_of, examine, file_content, file_contents, has_book,
};

/// Rows read at once, at first and at most. Rows with long texts come in smaller portions.
const FIRST_PORTION: i64 = 100;
const PORTION: i64 = 2_000;
/// Entries compared at once. An account with more is compared alone.
const MAX_COMPARED: i64 = 20_000;
/// Accounts compared at once.
const MAX_ACCOUNTS: usize = 1_000;

/// A finished audit that is not recorded yet.
#[derive(Debug)]
pub struct AuditRun {
    /// The request it answers.
    pub wanted: RequestedAudit,
    /// What it found.
    pub report: Report,
}

/// auditBook: stores the request; the audit worker runs it in its turn. A second request before
/// that is the same audit. A second request while the audit runs leads to another one, because the
/// first is about an earlier state of the book.
///
/// # Errors
/// What the access step refuses.
pub fn request(tx: &mut Tx<'_>, cx: &Context, book: &str) -> Result<()> {
    let access = access::enter_to(tx, cx, book, Audit)?;
    // Its event is stored later, and not refused then.
    storage_quota::check_bytes(tx, cx, &access, 1)?;
    Ok(tx.audits().request(&access, cx.mint(), (cx.agent.as_deref(), cx.depth))?)
}

/// The books that wait for an audit, each with who asked for it, in the order of their requests.
pub fn waiting(tx: &mut Tx<'_>) -> Result<Vec<(BookKey, UserId)>> {
    Ok(tx.audits().requested_books()?)
}

/// Runs the requested audit of a book on one snapshot. It needs memory for the accounts of the book
/// and for a portion of its rows. After each portion it asks `stop` whether to give up. `None` when
/// it gave up, or when no audit is requested any more.
pub fn run(tx: &mut Tx<'_>, key: &BookKey, stop: &dyn Fn() -> bool) -> Result<Option<AuditRun>> {
    let Some(wanted) = tx.audits().requested(key)? else { return Ok(None) };
    let Some(access) = tx.audits().enter(key, &wanted)? else { return Ok(None) };
    let report = inspect(tx, &access, &mut |_| {}, stop)?;
    Ok(report.map(|report| AuditRun { wanted, report }))
}

/// Compares all that is kept of a book, and hands out its events in their order. `None` when it
/// gave up.
fn inspect(
    tx: &mut Tx<'_>,
    access: &Access,
    each: &mut dyn FnMut(&AuditedEvent),
    stop: &dyn Fn() -> bool,
) -> Result<Option<Report>> {
    let (head, counted) = tx.audits().head(access)?;
    let mut trail = Trail::new(&access.book().key);
    let (mut after, mut limit) = (i64::MIN, FIRST_PORTION);
    loop {
        let events = tx.audits().events(access, after, limit)?;
        let Some(last) = events.last() else { break };
        (after, limit) = (last.sequence, next_limit(events.len()));
        for event in &events {
            trail.check_next(event);
            each(event);
        }
        tx.audits().without_row(access, &events)?.into_iter().for_each(|id| trail.add_lost(id));
        if stop() {
            return Ok(None);
        }
    }
    trail.check_head(head);
    let is_proved = trail.is_of_copy();
    let Some(differing) = rows::compare(tx, access, is_proved, stop)? else { return Ok(None) };
    let Some(mut recount) = recount(tx, access, stop)? else { return Ok(None) };
    recount.add_rows(differing);
    recount.add_rows(trail.take_lost());
    if trail.is_of_copy() {
        let Some(found) = copied(tx, access, stop)? else { return Ok(None) };
        trail.check_copied(&found);
    }
    Ok(Some(Report::new(recount.finish(counted), trail)))
}

/// Records the result of an audit: `balanceVerified` where it changed, and BOOK_AUDITED. The book
/// may have changed since; the report says which event it is about. Nothing is recorded when no
/// audit is requested any more: another process was faster, or the book was deleted. It happens in
/// the name of who asked, whatever their address is now.
pub fn record(
    tx: &mut Tx<'_>,
    key: &BookKey,
    made: &AuditRun,
    (ids, now): (&Arc<Ids>, Instant),
) -> Result<()> {
    let Some(access) = conclude(tx, key, made)? else { return Ok(()) };
    let asked = tx.users().by_ids(&[made.wanted.user])?.into_iter().next();
    let user = Arc::new(asked.ok_or(Error::NotFound("user"))?);
    let (agent, depth) = (made.wanted.agent.clone(), made.wanted.depth);
    let cx = Context { agent, depth, ..Context::new(user, now, Arc::clone(ids)) };
    let event = access.book().audited_event(&made.report);
    event_log::append(tx, &cx, &access, vec![event])
}

/// Records the result of an audit without an event, because the log of the book cannot be written:
/// `balanceVerified` where it changed (behaviour 6.15).
pub fn record_nothing(tx: &mut Tx<'_>, key: &BookKey, made: &AuditRun) -> Result<()> {
    conclude(tx, key, made).map(drop)
}

/// Sets `balanceVerified` and removes the request. `None` when no audit is requested any more.
fn conclude(tx: &mut Tx<'_>, key: &BookKey, made: &AuditRun) -> Result<Option<AccessTo<Audit>>> {
    let Some(access) = tx.audits().enter(key, &made.wanted)? else { return Ok(None) };
    if tx.audits().requested(key)?.is_none() {
        return Ok(None);
    }
    for verified in [true, false] {
        let changed = made.report.changed.iter().filter(|(_, now)| *now == verified);
        let accounts: Vec<AccountId> = changed.map(|(account, _)| *account).collect();
        tx.audits().verify(&access, &accounts, verified)?;
    }
    tx.audits().done(&access, made.wanted.request)?;
    Ok(Some(access))
}

/// How many rows to ask for behind a portion of so many rows, or of so many events, of which a row
/// may have several: twice as many. A portion ends early where texts are long; PostgreSQL sends the
/// rows behind its end too, so it is not asked for many more than come.
fn next_limit(read: usize) -> i64 {
    i64::try_from(read.saturating_mul(2)).unwrap_or(PORTION).min(PORTION)
}

/// The transactions that a book was copied with, as its log would say it; `None` when it gave up.
fn copied(
    tx: &mut Tx<'_>,
    access: &Access,
    stop: &dyn Fn() -> bool,
) -> Result<Option<CopySummary>> {
    let (mut proof, mut after, mut limit) = (CopyProof::default(), None, FIRST_PORTION);
    loop {
        let digests = tx.audits().copied(access, after, limit)?;
        let Some((last, _)) = digests.last() else { return Ok(Some(proof.summary())) };
        (after, limit) = (Some(*last), next_limit(digests.len()));
        digests.iter().for_each(|(_, digest)| proof.add(digest));
        if stop() {
            return Ok(None);
        }
    }
}

fn recount(tx: &mut Tx<'_>, access: &Access, stop: &dyn Fn() -> bool) -> Result<Option<Recount>> {
    let book = access.book();
    let mut recount = Recount::new(
        book.key.as_str(),
        (book.scale, book.settings.fraction_digits),
        tx.audits().accounts(access)?,
    );
    let (mut after, mut limit) = (None, FIRST_PORTION);
    loop {
        let records = tx.audits().records(access, after, limit)?;
        let Some(last) = records.last() else { break };
        (after, limit) = (Some(last.id), next_limit(records.len()));
        records.iter().for_each(|record| recount.add_transaction(record));
        if stop() {
            return Ok(None);
        }
    }
    recount.add_stored(tx.stored().recount(access)?);
    recount.add_accounts(tx.audits().totalled(access)?);
    for accounts in portions(&recount) {
        let entries = tx.audits().entry_days(access, &accounts)?;
        let (days, months) = tx.audits().kept(access, &accounts)?;
        recount.compare(&accounts, &entries, &days, &months);
        if stop() {
            return Ok(None);
        }
    }
    Ok(Some(recount))
}

/// All accounts, in portions whose days fit into memory together.
fn portions(recount: &Recount) -> Vec<Vec<AccountId>> {
    let (mut portions, mut portion, mut size) = (Vec::new(), Vec::new(), 0_i64);
    for (account, entries) in recount.accounts() {
        if !portion.is_empty()
            && (size.saturating_add(entries) > MAX_COMPARED || portion.len() >= MAX_ACCOUNTS)
        {
            portions.push(std::mem::take(&mut portion));
            size = 0;
        }
        size = size.saturating_add(entries);
        portion.push(account);
    }
    portions.push(portion);
    portions
}
