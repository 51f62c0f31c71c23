//! Audits: a recount of a book from its transactions and its log (behaviour 6.7).
//!
//! An audit has three units of work:
//!
//! 1. [`request`] inserts a row and returns at once.
//! 2. A background worker runs the audit on one snapshot ([`run`]). It reads the log in portions,
//!    compares the rows with the last events of their resources (`rows`), and adds up the
//!    transactions. It locks neither the book nor a writer. It reads rows as they are stored and
//!    refuses none, because an audit looks for rows that no program could have written. It holds
//!    the accounts, the groups and one portion of rows in memory. The texts of a portion take 8 MB
//!    and those of its last row.
//! 3. [`record`] sets `balanceVerified`, appends `BOOK_AUDITED` and removes the row.
//!
//! If the log of a book cannot be written, because a row stands after its head, the third unit of
//! work would fail at each attempt. Such an audit is closed without the event
//! ([`record_without_event`]), and the server's log shows the findings to the operator.
//!
//! If the process stops, the row stays and the next process runs the audit again. The findings
//! describe the book as of one of its events.

mod log_end;
mod portion;
mod rows;

use std::sync::Arc;

use daybook_domain::access::Access;
use daybook_domain::audit::{AuditedEvent, ChainCheck, Recount, Report};
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
    checkpoint_entries, checkpoint_entries_of, examine, file_content, file_contents, has_book,
    list_books,
};
use portion::{FIRST_PORTION, next_limit};

/// Entries compared at once. An account with more entries is compared alone.
const MAX_COMPARED: i64 = 20_000;
/// Accounts compared at once.
const MAX_ACCOUNTS: usize = 1_000;

/// A finished audit that is not recorded yet.
#[derive(Debug)]
pub struct AuditRun {
    /// The request.
    pub request: RequestedAudit,
    /// The findings.
    pub report: Report,
}

/// auditBook: stores the request. The audit worker runs it.
///
/// Another request before the audit starts refers to the same audit. Another request while it runs
/// leads to a second audit, because the first one is about an earlier state of the book.
pub fn request(tx: &mut Tx<'_>, cx: &Context, book: &str) -> Result<()> {
    let access = access::enter_to(tx, cx, book, Audit)?;
    // The event is stored later and must not be refused then.
    storage_quota::check_bytes(tx, cx, &access, 1)?;
    Ok(tx.audits().request(&access, cx.mint(), cx.agent.as_deref(), cx.depth)?)
}

/// Lists the books that wait for an audit with the requesting users, in the order of the requests.
pub fn waiting(tx: &mut Tx<'_>) -> Result<Vec<(BookKey, UserId)>> {
    Ok(tx.audits().requested_books()?)
}

/// Runs the requested audit of a book on one snapshot.
///
/// After each portion it calls `stop`, and gives up if that returns `true`. It returns `None` if it
/// gave up, or if no audit is requested any more.
pub fn run(tx: &mut Tx<'_>, key: &BookKey, stop: &dyn Fn() -> bool) -> Result<Option<AuditRun>> {
    let Some(request) = tx.audits().requested(key)? else { return Ok(None) };
    let Some(access) = tx.audits().enter(key, &request)? else { return Ok(None) };
    let report = inspect(tx, &access, &mut |_| {}, stop)?;
    Ok(report.map(|report| AuditRun { request, report }))
}

/// Checks all data of a book, and passes its events in order to `each`. Returns `None` if it gave
/// up.
fn inspect(
    tx: &mut Tx<'_>,
    access: &Access,
    each: &mut dyn FnMut(&AuditedEvent),
    stop: &dyn Fn() -> bool,
) -> Result<Option<Report>> {
    let (head, counted) = tx.audits().head(access)?;
    let mut chain = ChainCheck::new(&access.book().key);
    let (mut after, mut limit) = (i64::MIN, FIRST_PORTION);
    loop {
        let events = tx.audits().events(access, after, limit)?;
        let Some(last) = events.last() else { break };
        (after, limit) = (last.sequence, next_limit(events.len()));
        for event in &events {
            chain.check_next(event);
            each(event);
        }
        tx.audits()
            .without_row(access, &events)?
            .into_iter()
            .for_each(|id| chain.add_missing_row(id));
        if stop() {
            return Ok(None);
        }
    }
    chain.check_head(head);
    let is_proved = chain.has_copy_summary();
    let Some(differing) = rows::compare(tx, access, is_proved, stop)? else { return Ok(None) };
    let Some(mut recount) = recount(tx, access, stop)? else { return Ok(None) };
    recount.add_findings(differing);
    recount.add_findings(chain.take_missing_rows());
    if chain.has_copy_summary() {
        let Some(summary) = summarize_copy(tx, access, stop)? else { return Ok(None) };
        chain.check_copied(&summary);
    }
    Ok(Some(Report::new(recount.finish(counted), chain)))
}

/// Records the result of an audit: `balanceVerified` where it changed, and BOOK_AUDITED.
///
/// The event names the requesting user. The book may have changed since; the report says which
/// event it is about. Nothing is recorded if no audit is requested any more, because another
/// process was faster or the book was deleted.
pub fn record(
    tx: &mut Tx<'_>,
    key: &BookKey,
    run: &AuditRun,
    ids: &Arc<Ids>,
    now: Instant,
) -> Result<()> {
    let Some(access) = conclude(tx, key, run, now)? else { return Ok(()) };
    let user = tx.users().by_ids(&[run.request.user])?.into_iter().next();
    let user = Arc::new(user.ok_or(Error::NotFound("user"))?);
    let (agent, depth) = (run.request.agent.clone(), run.request.depth);
    let cx = Context { agent, depth, ..Context::new(user, now, Arc::clone(ids)) };
    let event = access.book().audited_event(&run.report);
    event_log::append(tx, &cx, &access, vec![event])
}

/// Records the result of an audit without an event, for a book whose log cannot be written
/// (behaviour 6.15).
pub fn record_without_event(
    tx: &mut Tx<'_>,
    key: &BookKey,
    run: &AuditRun,
    now: Instant,
) -> Result<()> {
    conclude(tx, key, run, now).map(drop)
}

/// Sets `balanceVerified`, saves the number of findings and removes the request. Returns `None` if
/// no audit is requested any more.
fn conclude(
    tx: &mut Tx<'_>,
    key: &BookKey,
    run: &AuditRun,
    now: Instant,
) -> Result<Option<AccessTo<Audit>>> {
    let Some(access) = tx.audits().enter(key, &run.request)? else { return Ok(None) };
    if tx.audits().requested(key)?.is_none() {
        return Ok(None);
    }
    for verified in [true, false] {
        let changed = run.report.changed.iter().filter(|(_, now)| *now == verified);
        let accounts: Vec<AccountId> = changed.map(|(account, _)| *account).collect();
        tx.audits().set_verified(&access, &accounts, verified)?;
    }
    let (sequence, findings) = (run.report.sequence, run.report.findings.count());
    tx.audits().save_findings(&access, sequence, findings, now)?;
    tx.audits().delete_request(&access, run.request.request)?;
    Ok(Some(access))
}

/// Summarizes the transactions that a book was copied with, to compare them with its log. Returns
/// `None` if it gave up.
fn summarize_copy(
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
        book.scale,
        book.settings.fraction_digits,
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
    recount.add_stored(tx.storage_usage().recount(access)?);
    recount.add_accounts(tx.audits().accounts_with_totals(access)?);
    for accounts in portions(&recount) {
        let entries = tx.audits().entry_days(access, &accounts)?;
        let (days, months) = tx.audits().stored_totals(access, &accounts)?;
        recount.compare(&accounts, &entries, &days, &months);
        if stop() {
            return Ok(None);
        }
    }
    Ok(Some(recount))
}

/// Splits all accounts into portions whose entries fit into memory together.
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
