//! createTransaction, createTransactionsBatch, and postTransaction without an id.

use daybook_domain::id::TransactionId;
use daybook_domain::purpose::{Purpose, Record};
use daybook_domain::transaction::{
    Changes, Intent, Transaction, check_index_terms, check_rows, remote_ids,
};
use daybook_storage::Tx;

use super::create_mode::CreateMode;
use super::known::{KnownRows, RemoteIdMatches, post};
use super::save::WriteSet;
use super::{AccountDetail, View, attach, quick_entry, rules, sides};
use crate::context::Context;
use crate::error::Result;
use crate::{access, batch};

/// Reads the typed lines of a batch on a snapshot before [`create`] runs.
///
/// Reading many lines takes longer than recording them, so it should not delay other writes. The
/// names of accounts are those of the snapshot.
///
/// # Errors
/// The refusals of [`create`] that do not depend on the write.
pub fn read_quick_entries(
    tx: &mut Tx<'_>,
    cx: &Context,
    book: &str,
    items: Vec<Changes>,
    mode: CreateMode,
) -> Result<(Vec<Changes>, CreateMode)> {
    let access = access::enter(tx, cx, book, purpose(mode.intent).action())?;
    batch::check_size("items", items.len())?;
    let mode = mode.with_canonical_zone()?;
    check_rows(&items).map_err(|(index, refusal)| batch::with_index(index, refusal.into()))?;
    let (items, _) = quick_entry::read(tx, cx, &access, items, &mode)?;
    Ok((items, CreateMode { quick_entries_are_read: true, ..mode }))
}

const fn purpose(intent: Intent) -> Record {
    match intent {
        Intent::Post => Record::Post,
        Intent::Create => Record::Draft,
    }
}

/// Creates transactions (behaviour 3.2).
///
/// For an item with a known remote id, it returns the transaction that has it: unchanged, or posted
/// if it is a draft that must be posted (behaviour 3.7).
///
/// # Errors
/// Refusals of the rules of transactions. The first refused item fails the whole batch.
pub fn create(
    tx: &mut Tx<'_>,
    cx: &Context,
    book: &str,
    items: Vec<Changes>,
    mode: impl Into<CreateMode>,
) -> Result<View> {
    let mode = mode.into();
    let intent = mode.intent;
    let access = access::enter_to(tx, cx, book, purpose(intent))?;
    batch::check_size("items", items.len())?;
    let mode = mode.with_canonical_zone()?;
    check_index_terms(&items)?;
    let (items, repeats) = if mode.quick_entries_are_read {
        (items, Vec::new())
    } else {
        check_rows(&items).map_err(|(index, refusal)| batch::with_index(index, refusal.into()))?;
        quick_entry::read(tx, cx, &access, items, &mode)?
    };
    let mut matches = RemoteIdMatches::load(tx, &access, &items)?;
    let references = items.iter().flat_map(Changes::references);
    let mut accounts =
        tx.accounts().directory(&access, references, sides(&matches.transactions))?;
    let files_by_id = attach::files_by_id(tx, &access, &items, matches.posted(intent))?;
    let mut write_set = WriteSet::with_files(files_by_id.clone());
    let rules = rules(cx, &access, &accounts);
    let mut known = KnownRows::default();
    let transactions = batch::each(items.into_iter().enumerate(), |(index, changes)| {
        let ids = remote_ids(changes.remote_ids.as_deref().unwrap_or_default())?;
        if let Some(existing) = matches.find(&ids) {
            let existing = if intent == Intent::Post && !existing.is_posted() {
                post(cx, rules, &files_by_id, &mut write_set, existing, changes.clone())?
            } else {
                write_set.add_returned(existing)?;
                existing.clone()
            };
            known.note(rules, index, &existing, ids, &changes);
            return Ok(existing);
        }
        let (changes, new_files) = attach::resolve(cx, &access, &files_by_id, changes, None)?;
        write_set.add_files(new_files);
        let transaction =
            rules.create(TransactionId::new(cx.mint()), cx.agent.clone(), &changes, intent)?;
        write_set.add_created(&rules, &transaction)?;
        for day in &repeats {
            let repeat = rules.repeat(&transaction, TransactionId::new(cx.mint()), *day);
            write_set.add_created(&rules, &repeat)?;
        }
        matches.add(&transaction);
        Ok(transaction)
    })?;
    let posted =
        transactions.iter().flat_map(Transaction::entries).map(|entry| entry.account).collect();
    write_set.save(tx, cx, &access, &accounts)?;
    accounts.mark_posted(&posted);
    let (known, masked) = known.into_shown(&access, &transactions);
    let access = access.into_access();
    let view = View::with_accounts(tx, cx, access, transactions, accounts, AccountDetail::Full)?;
    Ok(View { masked, known, ..view })
}
