//! Reconciliations of accounts (behaviour 14).
//!
//! A use case changes a reconciliation, and with `add` and `remove` also the transactions on it:
//! `entries` checks and unchecks them as the rules of the domain require. All of it is one unit of
//! work, with an event for each transaction and one for the reconciliation. A refused transaction
//! refuses the whole request.

mod entries;

use std::collections::HashMap;

use daybook_domain::access::Access;
use daybook_domain::account::{AccountRef, Directory};
use daybook_domain::calendar::day_number;
use daybook_domain::field::Field;
use daybook_domain::id::{FileId, ReconciliationId, TransactionId, UserId};
use daybook_domain::permission::Action;
use daybook_domain::purpose::Reconcile;
use daybook_domain::reconciliation::{
    Changes, EntryChange, EntrySums, MAX_ENTRIES, Reconciliation, Refusal,
};
use daybook_storage::Tx;
use daybook_storage::page::{Page, PageKey, rows_to_read};

use crate::context::Context;
use crate::error::Result;
use crate::{access, batch, event_log};

/// Rows of a page by default, and at most (behaviour 14.2).
const DEFAULT_LIMIT: usize = 50;
const MAX_ROWS: usize = 200;

/// The body of a create or update. Its account, file and transactions are not resolved yet.
#[derive(Debug, Clone, Default)]
pub struct Input {
    /// The account; only a create reads it.
    pub account: Option<AccountRef>,
    /// The last day of the statement.
    pub date: Field<String>,
    /// The closing balance.
    pub closing_balance: Field<String>,
    /// The id of the file.
    pub file: Field<String>,
    /// The ids of the transactions to put on.
    pub add: Vec<String>,
    /// The ids of the transactions to take off.
    pub remove: Vec<String>,
}

/// Reconciliations as the caller sees them.
#[derive(Debug, Clone)]
pub struct View {
    /// The caller's access to the book.
    pub access: Access,
    /// The reconciliations, in order.
    pub reconciliations: Vec<Reconciliation>,
    /// Their sums.
    pub sums: HashMap<ReconciliationId, EntrySums>,
    /// Their accounts.
    pub accounts: Directory,
    /// The usernames of their authors, and of the authors of changes.
    pub usernames: HashMap<UserId, String>,
    /// Where the next page begins.
    pub next: Option<PageKey>,
}

/// A reconciliation with its transactions.
#[derive(Debug, Clone)]
pub struct Detail {
    /// The reconciliation.
    pub view: View,
    /// The ids of its transactions.
    pub transactions: Vec<TransactionId>,
    /// The later changes of its transactions (behaviour 14.8).
    pub changes: Vec<EntryChange>,
}

impl View {
    fn load(tx: &mut Tx<'_>, access: Access, rows: Vec<Reconciliation>) -> Result<Self> {
        let ids: Vec<ReconciliationId> = rows.iter().map(|row| row.id).collect();
        let sums = tx.reconciliations().sums(&access, &ids)?;
        let accounts = tx.accounts().by_ids(&access, rows.iter().map(|row| row.account))?;
        let authors = rows.iter().map(|row| row.created_by);
        let usernames = usernames(tx, authors)?;
        Ok(Self { access, reconciliations: rows, sums, accounts, usernames, next: None })
    }
}

/// listReconciliations: a page by date and creation, newest first.
///
/// # Errors
/// [`UnknownReference`](daybook_domain::chart::Refusal::UnknownReference).
pub fn list(
    tx: &mut Tx<'_>,
    cx: &Context,
    book: &str,
    account: Option<&str>,
    limit: Option<usize>,
    after: Option<PageKey>,
) -> Result<View> {
    let access = access::enter(tx, cx, book, Action::ReadChart)?;
    let account = account
        .map(|text| {
            let reference = AccountRef::id_or_name(text);
            let directory = tx.accounts().directory(&access, [&reference], [])?;
            Ok::<_, crate::Error>(directory.resolve(&reference)?)
        })
        .transpose()?;
    let limit = limit.filter(|limit| *limit > 0).unwrap_or(DEFAULT_LIMIT).min(MAX_ROWS);
    let rows = tx.reconciliations().list(&access, account, after, rows_to_read(limit))?;
    let page =
        Page::new(rows, limit, |row| PageKey { day: day_number(row.date), id: row.id.get() });
    let view = View::load(tx, access, page.items)?;
    Ok(View { next: page.next, ..view })
}

/// getReconciliation.
///
/// # Errors
/// [`Refusal::Unknown`].
pub fn get(tx: &mut Tx<'_>, cx: &Context, book: &str, id: &str) -> Result<Detail> {
    let access = access::enter(tx, cx, book, Action::ReadChart)?;
    let found = find(tx, &access, id)?;
    let transactions = tx.reconciliations().transactions(&access, found.id)?;
    let changes = tx.reconciliations().changes(&access, found.id)?;
    let mut view = View::load(tx, access, vec![found])?;
    view.usernames.extend(usernames(tx, changes.iter().map(|change| change.user))?);
    Ok(Detail { view, transactions, changes })
}

/// createReconciliation.
///
/// # Errors
/// Refusals of the rules of reconciliations.
pub fn create(tx: &mut Tx<'_>, cx: &Context, book: &str, input: Input) -> Result<View> {
    let access = access::enter_to(tx, cx, book, Reconcile)?;
    batch::check_size("add", input.add.len())?;
    let reference = input.account.clone().ok_or(Refusal::Required("account"))?;
    let accounts = tx.accounts().directory(&access, [&reference], [])?;
    let account = accounts.require(accounts.resolve(&reference)?)?;
    let changes = changes(tx, &access, &input)?;
    let precision = access.book().precision();
    let id = ReconciliationId::new(cx.mint());
    let new = Reconciliation::create(id, account, changes, precision, access.user(), cx.stamp())?;
    tx.reconciliations().insert(&access, &new)?;
    let delta = entries::change(tx, cx, &access, &new, account, &input.add, &[])?;
    let event = new.created_event(account, precision, &delta);
    event_log::append(tx, cx, &access, vec![event])?;
    let view = View::load(tx, access.into_access(), vec![new])?;
    check_count(&view)?;
    Ok(view)
}

/// updateReconciliation.
///
/// # Errors
/// Refusals of the rules of reconciliations; [`Refusal::Unknown`].
pub fn update(tx: &mut Tx<'_>, cx: &Context, book: &str, id: &str, input: Input) -> Result<View> {
    let access = access::enter_to(tx, cx, book, Reconcile)?;
    let before = find(tx, &access, id)?;
    batch::check_size("add", input.add.len())?;
    batch::check_size("remove", input.remove.len())?;
    let accounts = tx.accounts().by_ids(&access, [before.account])?;
    let account = accounts.require(before.account)?;
    let changes = changes(tx, &access, &input)?;
    let precision = access.book().precision();
    let (mut after, previous) = before.update(account, changes, precision)?;
    let removed: Vec<TransactionId> =
        input.remove.iter().filter_map(|text| text.parse().ok()).collect();
    let delta = entries::change(tx, cx, &access, &after, account, &input.add, &removed)?;
    if !delta.is_empty() || !previous.is_empty() {
        after = after.touch(cx.now);
        tx.reconciliations().update(&access, &after)?;
        let event = after.updated_event(account, precision, &delta, &previous);
        event_log::append(tx, cx, &access, vec![event])?;
    }
    let view = View::load(tx, access.into_access(), vec![after])?;
    check_count(&view)?;
    Ok(view)
}

/// deleteReconciliation.
///
/// # Errors
/// [`Refusal::Unknown`].
pub fn delete(tx: &mut Tx<'_>, cx: &Context, book: &str, id: &str) -> Result<View> {
    let cx = &cx.exempt_from_quotas();
    let access = access::enter_to(tx, cx, book, Reconcile)?;
    let deleted = find(tx, &access, id)?;
    let view = View::load(tx, access.clone().into_access(), vec![deleted.clone()])?;
    let account = view.accounts.require(deleted.account)?;
    let removed = tx.reconciliations().transactions(&access, deleted.id)?;
    let delta = entries::change(tx, cx, &access, &deleted, account, &[], &removed)?;
    tx.reconciliations().delete(&access, &deleted)?;
    let event = deleted.deleted_event(account, access.book().precision(), &delta);
    event_log::append(tx, cx, &access, vec![event])?;
    Ok(view)
}

fn find(tx: &mut Tx<'_>, access: &Access, text: &str) -> Result<Reconciliation> {
    let found = match text.parse() {
        Ok(id) => tx.reconciliations().find(access, id)?,
        Err(_) => None,
    };
    Ok(found.ok_or_else(|| Refusal::Unknown(text.chars().take(60).collect()))?)
}

/// Returns the fields of a body, with the file that it names.
fn changes(tx: &mut Tx<'_>, access: &Access, input: &Input) -> Result<Changes> {
    let Input { account: _, date, closing_balance, file, add: _, remove: _ } = input;
    let file = match file {
        Field::Set(text) if !text.trim().is_empty() => Field::Set(find_file(tx, access, text)?),
        Field::Set(_) | Field::Clear => Field::Clear,
        Field::Keep => Field::Keep,
    };
    Ok(Changes { date: date.clone(), closing_balance: closing_balance.clone(), file })
}

fn find_file(tx: &mut Tx<'_>, access: &Access, text: &str) -> Result<FileId> {
    let found = match text.trim().parse() {
        Ok(id) => tx.files().find(access, id)?,
        Err(_) => None,
    };
    let file = found.ok_or_else(|| Refusal::UnknownFile(text.chars().take(60).collect()))?;
    Ok(file.id)
}

/// Refuses more transactions than a reconciliation may have, after they were saved and counted.
fn check_count(view: &View) -> std::result::Result<(), Refusal> {
    let max = i64::try_from(MAX_ENTRIES).unwrap_or(i64::MAX);
    match view.sums.values().map(|sums| sums.count).max() {
        Some(count) if count > max => Err(Refusal::TooManyEntries(count)),
        _ => Ok(()),
    }
}

fn usernames(
    tx: &mut Tx<'_>,
    users: impl Iterator<Item = UserId>,
) -> Result<HashMap<UserId, String>> {
    let mut users: Vec<UserId> = users.collect();
    users.sort_unstable();
    users.dedup();
    let users = tx.users().by_ids(&users)?.into_iter();
    Ok(users.map(|user| (user.id, user.username)).collect())
}
