//! createTransaction, createTransactionsBatch, and postTransaction without an id.
//!
//! [`plan`] makes the transactions, and [`create`] saves them. A preview only plans, so it never
//! differs from what is recorded.

use daybook_domain::access::Access;
use daybook_domain::account::Directory;
use daybook_domain::id::TransactionId;
use daybook_domain::purpose::{Purpose, Record};
use daybook_domain::transaction::quick_entry::Token;
use daybook_domain::transaction::{
    Changes, Intent, Transaction, check_index_terms, check_rows, remote_ids,
};
use daybook_storage::Tx;
use time::Date;

use super::create_mode::CreateMode;
use super::known::{KnownRows, RemoteIdMatches, post};
use super::quick_entry::ReadItems;
use super::save::WriteSet;
use super::{AccountDetail, View, attach, quick_entry, rules, sides};
use crate::context::Context;
use crate::error::Result;
use crate::{access, batch};

/// Parses the quick entries of a batch (behaviour 3.8) on a snapshot before [`create`] runs.
///
/// Parsing many of them takes longer than recording them, so it should not delay other writes. The
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
    let ReadItems { items, .. } = quick_entry::read(tx, cx, &access, items, &mode)?;
    Ok((items, CreateMode { quick_entries_are_read: true, ..mode }))
}

pub(super) const fn purpose(intent: Intent) -> Record {
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
    let access = access::enter_to(tx, cx, book, purpose(mode.intent))?;
    let mut plan = plan(tx, cx, &access, items, mode)?;
    std::mem::take(&mut plan.write_set).save(tx, cx, &access, &plan.accounts)?;
    plan.into_view(tx, cx, access.into_access())
}

/// The transactions of a create before they are saved.
pub(super) struct CreatePlan {
    /// The transactions that the request returns, in order.
    pub(super) transactions: Vec<Transaction>,
    /// The accounts that the request names.
    pub(super) accounts: Directory,
    /// The items that exist already.
    known: KnownRows,
    pub(super) write_set: WriteSet,
    /// The days of the drafts for the following months.
    pub(super) repeats: Vec<Date>,
    /// The recognized parts of the quick entry of a createTransaction.
    pub(super) tokens: Vec<Token>,
}

impl CreatePlan {
    /// Returns the view of the transactions as they are once they are saved.
    pub(super) fn into_view(self, tx: &mut Tx<'_>, cx: &Context, access: Access) -> Result<View> {
        let Self { transactions, mut accounts, known, .. } = self;
        let posted =
            transactions.iter().flat_map(Transaction::entries).map(|entry| entry.account).collect();
        accounts.mark_posted(&posted);
        let (known, masked) = known.into_shown(&access, &transactions);
        let view =
            View::with_accounts(tx, cx, access, transactions, accounts, AccountDetail::Full)?;
        Ok(View { masked, known, ..view })
    }
}

/// Makes the transactions of a create, and writes nothing.
///
/// # Errors
/// Those of [`create`], except [`daybook_domain::transaction::Refusal::InsufficientFunds`] and the
/// refusals of storage quotas.
pub(super) fn plan(
    tx: &mut Tx<'_>,
    cx: &Context,
    access: &Access,
    items: Vec<Changes>,
    mode: CreateMode,
) -> Result<CreatePlan> {
    let intent = mode.intent;
    batch::check_size("items", items.len())?;
    let mode = mode.with_canonical_zone()?;
    check_index_terms(&items)?;
    let ReadItems { items, repeats, tokens } = if mode.quick_entries_are_read {
        ReadItems { items, ..ReadItems::default() }
    } else {
        check_rows(&items).map_err(|(index, refusal)| batch::with_index(index, refusal.into()))?;
        quick_entry::read(tx, cx, access, items, &mode)?
    };
    let mut matches = RemoteIdMatches::load(tx, access, &items)?;
    let references = items.iter().flat_map(Changes::references);
    let accounts = tx.accounts().directory(access, references, sides(&matches.transactions))?;
    let files_by_id = attach::files_by_id(tx, access, &items, matches.posted(intent))?;
    let mut write_set = WriteSet::with_files(files_by_id.clone());
    let rules = rules(cx, access, &accounts);
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
        let (changes, new_files) = attach::resolve(cx, access, &files_by_id, changes, None)?;
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
    Ok(CreatePlan { transactions, accounts, known, write_set, repeats, tokens })
}
