//! Undoing of what an import has recorded (behaviour 15.9).

use std::collections::{BTreeMap, HashMap, HashSet};

use daybook_domain::id::{AccountId, ImportId, TransactionId};
use daybook_domain::import::{
    AccountFacts, ENTRY_PROPERTY, Import, LeaveReason, MatchUndo, RUN_PROPERTY, RunTransaction,
    State, UndoAction, may_archive_account, undo_action, undo_match,
};
use daybook_domain::permission::Action;
use daybook_domain::purpose::{Record, WriteChart};
use daybook_domain::query::{Filter, Status, Term};
use daybook_domain::transaction::{Changes, Transaction, Verb};
use daybook_domain::{Reason, RefusalKind};
use daybook_storage::Tx;
use daybook_storage::access::AccessTo;
use daybook_storage::transaction::{ResolvedNames, Search};

use super::chart::archive_input;
use super::new_book::is_out_of_reach;
use super::parts::load_in_parts;
use super::save::is_current;
use crate::context::Context;
use crate::error::{Error, Result};
use crate::transaction::{VerbRequest, perform};
use crate::{access, account};

/// Bytes of the transactions of a block.
const MAX_TEXTS: usize = 256 * 1024 * 1024;

/// The matches that are undone at once.
const MATCHES_AT_ONCE: i64 = 200;

/// The transactions of a block.
#[derive(Debug, Clone, Default)]
pub struct UndoBlock {
    /// The number of records of the block.
    pub count: i64,
    /// The remote ids of the transactions.
    pub remote_ids: Vec<String>,
    /// Those that the import has recorded as checked.
    pub checked: HashSet<String>,
}

/// The result of an undo.
#[derive(Debug, Clone, Default)]
pub struct UndoResult {
    /// The number of transactions that were moved to the trash.
    pub trashed: u64,
    /// The transactions that were left.
    pub left: Vec<(TransactionId, LeaveReason)>,
}

/// Moves the transactions of a block to the trash, and saves the import with its progress.
///
/// `update` adds the result to the import. Returns `None` if another worker has changed the import
/// since.
///
/// # Errors
/// 403 or 404 when the user may not edit any more; failures.
pub fn undo_block(
    tx: &mut Tx<'_>,
    cx: &Context,
    book: &str,
    import: Import,
    block: UndoBlock,
    update: impl FnOnce(Import, &UndoResult) -> Import,
) -> Result<Option<Import>> {
    let cx = &cx.exempt_from_quotas();
    let access = access::enter_to(tx, cx, book, Record::Edit)?;
    if !is_current(tx, &access, &import, State::Undoing)? {
        return Ok(None);
    }
    let result = undo_in(tx, cx, &access, import.id, &block)?;
    let progressed = Import { done: import.done.saturating_add(block.count), ..import };
    let updated = update(progressed, &result).touch(cx.now);
    tx.imports().update(&access, &updated)?;
    Ok(Some(updated))
}

/// Moves the transactions of a block to the trash, in a book that the import has created. A book
/// that is out of reach is left.
///
/// # Errors
/// Failures.
pub fn undo_in_book(
    tx: &mut Tx<'_>,
    cx: &Context,
    book: &str,
    import: ImportId,
    block: &UndoBlock,
) -> Result<UndoResult> {
    let cx = &cx.exempt_from_quotas();
    match access::enter_to(tx, cx, book, Record::Edit) {
        Ok(access) => undo_in(tx, cx, &access, import, block),
        Err(error) if is_out_of_reach(error.kind()) => Ok(UndoResult::default()),
        Err(error) => Err(error),
    }
}

fn undo_in(
    tx: &mut Tx<'_>,
    cx: &Context,
    access: &AccessTo<Record>,
    import: ImportId,
    block: &UndoBlock,
) -> Result<UndoResult> {
    let run = import.to_string();
    let ids: Vec<&str> = block.remote_ids.iter().map(String::as_str).collect();
    let mut load = |ids: &[&str]| Ok(tx.transactions().by_remote_ids(access, ids, MAX_TEXTS)?);
    let mut own = load_in_parts(&ids, &mut load)?;
    own.retain(|row| row.properties.get(RUN_PROPERTY) == Some(run.as_str()));
    let was_checked =
        |row: &Transaction| row.remote_ids.iter().any(|id| block.checked.contains(id));
    trash(tx, cx, access, &own, was_checked)
}

/// Moves those of the transactions of an import to the trash that nothing has changed since, as far
/// as minimum balances allow (behaviour 3.13).
///
/// `was_recorded_as_checked` returns whether the import has recorded a transaction as checked.
pub(super) fn trash(
    tx: &mut Tx<'_>,
    cx: &Context,
    access: &AccessTo<Record>,
    own: &[Transaction],
    was_recorded_as_checked: impl Fn(&Transaction) -> bool,
) -> Result<UndoResult> {
    let numbers: Vec<TransactionId> = own.iter().map(|row| row.id).collect();
    let reconciled = tx.reconciliations().entries_of(access, &numbers)?;
    let (mut result, mut has_checked) = (UndoResult::default(), false);
    let mut entries: BTreeMap<&str, Vec<TransactionId>> = BTreeMap::new();
    let mut trash: Vec<Vec<TransactionId>> = Vec::new();
    for row in own {
        let facts = RunTransaction {
            is_reconciled: reconciled.contains_key(&row.id),
            was_recorded_as_checked: was_recorded_as_checked(row),
            ..facts(access, row)
        };
        match undo_action(facts) {
            UndoAction::Trash => {
                has_checked |= row.is_checked();
                match row.properties.get(ENTRY_PROPERTY) {
                    Some(entry) => entries.entry(entry).or_default().push(row.id),
                    None => trash.push(vec![row.id]),
                }
            }
            UndoAction::AlreadyTrashed => {}
            UndoAction::Leave(reason) => result.left.push((row.id, reason)),
        }
    }
    trash.extend(entries.into_values());
    let total: usize = trash.iter().map(Vec::len).sum();
    let left = trash_entries(tx, cx, access.book().key.as_str(), trash, has_checked)?;
    result.trashed = u64::try_from(total.saturating_sub(left.len())).unwrap_or_default();
    result.left.extend(left.into_iter().map(|id| (id, LeaveReason::InsufficientFunds)));
    Ok(result)
}

/// Moves entries to the trash, each with all of its transactions or not at all. Returns the
/// transactions that a minimum balance keeps.
///
/// All entries are moved at once. If that is refused, each is moved on its own. The refused ones
/// are tried again at the end, because the others may have raised their accounts.
fn trash_entries(
    tx: &mut Tx<'_>,
    cx: &Context,
    book: &str,
    entries: Vec<Vec<TransactionId>>,
    has_checked: bool,
) -> Result<Vec<TransactionId>> {
    let request = VerbRequest { all: true, ..VerbRequest::batch(Verb::Trash, has_checked) };
    let mut is_trashed = |ids: &[TransactionId]| {
        let items = ids.iter().copied().map(named).collect();
        match perform(tx, cx, book, request, items) {
            Ok(_) => Ok(true),
            Err(error) if error.reason() == Some(Reason::InsufficientFunds) => Ok(false),
            Err(error) => Err(error),
        }
    };
    if entries.is_empty() || is_trashed(&entries.concat())? {
        return Ok(Vec::new());
    }
    let mut left = entries;
    for _ in 0..2 {
        let mut refused = Vec::new();
        for entry in left {
            if !is_trashed(&entry)? {
                refused.push(entry);
            }
        }
        left = refused;
    }
    Ok(left.concat())
}

/// Undoes some matches of an import. Returns the transactions that were left, and whether there may
/// be more matches.
///
/// # Errors
/// 403 or 404 when the user may not edit any more; failures.
pub fn undo_matches(
    tx: &mut Tx<'_>,
    cx: &Context,
    book: &str,
    import: &Import,
) -> Result<(Vec<(TransactionId, LeaveReason)>, bool)> {
    let cx = &cx.exempt_from_quotas();
    let access = access::enter_to(tx, cx, book, Record::Edit)?;
    let matches = tx.imports().matches_of(&access, import.id, MATCHES_AT_ONCE)?;
    let ids: Vec<TransactionId> = matches.iter().map(|one| one.transaction).collect();
    let mut load = |ids: &[TransactionId]| {
        let found = tx.transactions().by_ids(&access, ids, MAX_TEXTS)?;
        Ok(found.map(|found| found.into_values().collect()))
    };
    let found = load_in_parts(&ids, &mut load)?;
    let known: HashMap<TransactionId, Transaction> =
        found.into_iter().map(|row| (row.id, row)).collect();
    let mut left = Vec::new();
    for one in matches.iter().filter(|one| one.given) {
        let Some(row) = known.get(&one.transaction).filter(|row| !row.trashed) else { continue };
        if !row.remote_ids.contains(&one.remote_id) {
            continue;
        }
        match undo_match(facts(&access, row), false) {
            MatchUndo::RemoveRemoteId => {
                let remote_ids = row.remote_ids.iter().filter(|id| **id != one.remote_id);
                let remote_ids = Some(remote_ids.cloned().collect());
                let changes = Changes { remote_ids, ..named(row.id) };
                let request = VerbRequest::single(Verb::Update);
                match perform(tx, cx, book, request, vec![changes]) {
                    Ok(_) => {}
                    Err(error) if error.kind() == RefusalKind::Invalid => {
                        left.push((row.id, LeaveReason::Changed));
                    }
                    Err(error) => return Err::<_, Error>(error),
                }
            }
            MatchUndo::DeletePair => {}
            MatchUndo::Leave(reason) => left.push((row.id, reason)),
        }
    }
    let remote_ids: Vec<String> = matches.iter().map(|one| one.remote_id.clone()).collect();
    tx.imports().delete_matches(&access, &remote_ids)?;
    Ok((left, !matches.is_empty()))
}

/// Archives those of the accounts that an import has created and nothing else uses. Returns their
/// number.
///
/// # Errors
/// Failures.
pub fn archive_accounts(
    tx: &mut Tx<'_>,
    cx: &Context,
    book: &str,
    accounts: &[AccountId],
) -> Result<u64> {
    let cx = &cx.exempt_from_quotas();
    let access = access::enter_to(tx, cx, book, Record::Edit)?;
    let may_write = access.may(Action::WriteChart);
    let known = tx.accounts().by_ids(&access, accounts.iter().copied())?;
    let mut archived = Vec::new();
    for id in accounts {
        let Some(found) = known.get(*id) else { continue };
        let facts = AccountFacts {
            is_changed: found.stamp.version > 1,
            transactions: count(tx, &access, *id)?,
            is_archived: found.archived,
            may_write,
        };
        if may_archive_account(facts) {
            archived.push(archive_input(*id, true));
        }
    }
    let number = u64::try_from(archived.len()).unwrap_or_default();
    if !archived.is_empty() {
        access.with_purpose(WriteChart)?;
        account::update(tx, cx, book, archived)?;
    }
    Ok(number)
}

/// Counts the transactions of an account that are not in the trash.
fn count(tx: &mut Tx<'_>, access: &AccessTo<Record>, account: AccountId) -> Result<u64> {
    let text = account.to_string();
    let trashed = Filter::Not(Box::new(Filter::Term(Term::Status(Status::Trashed))));
    let filter = Filter::All(vec![Filter::Term(Term::Account(text.clone())), trashed]);
    let accounts = [(text, account)].into_iter().collect();
    let names = ResolvedNames { accounts, ..ResolvedNames::default() };
    let search = Search { filter: &filter, names: &names, drafts_of: None, similar: None };
    Ok(u64::try_from(tx.transactions().count(access, &search)?).unwrap_or_default())
}

/// Returns what an undo has to know of a transaction, without its reconciliations.
fn facts(access: &AccessTo<Record>, row: &Transaction) -> RunTransaction {
    let action = if row.is_checked() { Action::Check } else { row.edit_action() };
    RunTransaction {
        is_trashed: row.trashed,
        is_checked: row.is_checked(),
        was_recorded_as_checked: false,
        is_changed: row.stamp.version > 1,
        is_merged: row.remote_ids.iter().any(|id| id.starts_with("merged_")),
        has_comments: row.comment_count > 0,
        is_reconciled: false,
        is_locked: access.book().is_locked(row.list_day),
        may_edit: access.may_touch(action, row.created_by),
    }
}

fn named(id: TransactionId) -> Changes {
    Changes { id: Some(id.to_string()), ..Changes::default() }
}
