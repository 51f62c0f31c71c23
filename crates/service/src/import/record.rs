//! Recording of a block of records (behaviour 15.5, 15.7).

use std::collections::HashMap;

use daybook_domain::access::Access;
use daybook_domain::account::AccountRef;
use daybook_domain::calendar::format_iso;
use daybook_domain::field::Field;
use daybook_domain::id::{AccountId, ImportId, TransactionId};
use daybook_domain::import::{Import, MatchEffect, RecordMatch, SECOND_DATE_PROPERTY, State};
use daybook_domain::permission::Action;
use daybook_domain::purpose::Record;
use daybook_domain::transaction::{Changes, Intent, Transaction, Verb};
use daybook_domain::{Reason, RefusalKind};
use daybook_storage::Tx;
use daybook_storage::access::AccessTo;
use time::Date;

use super::parts::load_in_parts;
use super::save::is_current;
use crate::access;
use crate::context::Context;
use crate::error::{Error, Result};
use crate::transaction::{VerbRequest, perform, record_each};

/// Bytes of the matched transactions of a block.
const MAX_TEXTS: usize = 64 * 1024 * 1024;

/// The records of a block.
#[derive(Debug, Clone)]
pub struct Block {
    /// The number of records of the block, with those that need no work.
    pub count: i64,
    /// The new records.
    pub groups: Vec<Group>,
    /// The matched records.
    pub matches: Vec<MatchedRecord>,
}

/// A new record: a transaction, or one for each of its parts.
#[derive(Debug, Clone)]
pub struct Group {
    /// The number of the record.
    pub record: u32,
    /// The transactions.
    pub items: Vec<Changes>,
    /// Whether they become drafts.
    pub is_draft: bool,
}

/// A matched record.
#[derive(Debug, Clone)]
pub struct MatchedRecord {
    /// The number of the record.
    pub record: u32,
    /// The remote id.
    pub remote_id: String,
    /// The transaction.
    pub transaction: TransactionId,
    /// The effect on the transaction.
    pub effect: MatchEffect,
    /// The account of the statement.
    pub account: AccountId,
    /// Whether money enters the account.
    pub is_inward: bool,
    /// The date of the record.
    pub date: Option<Date>,
    /// The values of the record, for a draft that is posted.
    pub values: Changes,
}

/// The refused records of a block and the reasons.
pub type RefusedRecords = Vec<(u32, String)>;

/// The events of the import in a book that it has created.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BookEvents {
    /// The id of the book.
    pub key: String,
    /// The number of the last event before.
    pub before: i64,
    /// The number of the last event after.
    pub after: i64,
}

impl BookEvents {
    /// Returns the events of a unit of work after the event `before`.
    pub(super) fn since(tx: &mut Tx<'_>, access: &Access, before: i64) -> Self {
        let (key, after) = (access.book().key.to_string(), tx.events().last_number(access));
        Self { key, before, after }
    }
}

/// Records a block, and saves the import with its progress.
///
/// `import` is the import as the worker has read it. `update` adds the refused records to it.
/// Returns the saved import; `None` if another worker has changed it since.
///
/// # Errors
/// 403 or 404 when the author may not record any more; refusals of storage quotas; failures.
pub fn record_block(
    tx: &mut Tx<'_>,
    cx: &Context,
    book: &str,
    import: Import,
    block: Block,
    update: impl FnOnce(Import, RefusedRecords) -> Import,
) -> Result<Option<Import>> {
    let access = access::enter_to(tx, cx, book, Record::Draft)?;
    if !is_current(tx, &access, &import, State::Recording)? {
        return Ok(None);
    }
    let Block { count, groups, matches } = block;
    let mut refused = record_groups(tx, cx, &access, groups)?;
    refused.extend(apply_matches(tx, cx, &access, book, import.id, matches)?);
    let progressed = Import { done: import.done.saturating_add(count), ..import };
    let updated = update(progressed, refused).touch(cx.now);
    tx.imports().update(&access, &updated)?;
    Ok(Some(updated))
}

/// Records groups in a book that the import has created. Transactions whose remote ids the book has
/// stay as they are, so that this may be repeated.
///
/// # Errors
/// Those of [`record_block`].
pub fn record_in_book(
    tx: &mut Tx<'_>,
    cx: &Context,
    book: &str,
    groups: Vec<Group>,
) -> Result<(RefusedRecords, BookEvents)> {
    let access = access::enter_to(tx, cx, book, Record::Draft)?;
    let before = tx.events().last_number(&access);
    let refused = record_groups(tx, cx, &access, groups)?;
    Ok((refused, BookEvents::since(tx, &access, before)))
}

/// Records groups in a book. Returns the refused records and the reasons.
pub(super) fn record_groups(
    tx: &mut Tx<'_>,
    cx: &Context,
    access: &AccessTo<Record>,
    groups: Vec<Group>,
) -> Result<RefusedRecords> {
    let may_post = access.may(Action::Post);
    let (drafts, posted): (Vec<Group>, Vec<Group>) =
        groups.into_iter().partition(|group| group.is_draft || !may_post);
    let mut refused = Vec::new();
    for (groups, intent) in [(posted, Intent::Post), (drafts, Intent::Create)] {
        let records: Vec<u32> = groups.iter().map(|group| group.record).collect();
        let items = groups.into_iter().map(|group| group.items);
        let items = items.map(|mut items| {
            items.iter_mut().for_each(|item| item.draft = intent == Intent::Create);
            items
        });
        let recorded = record_each(tx, cx, access, items.collect(), intent)?;
        refused.extend(
            records
                .into_iter()
                .zip(recorded)
                .filter_map(|(record, result)| Some((record, result.err()?))),
        );
    }
    Ok(refused)
}

/// Applies matches. A transaction that may not be changed is left as it is, and the pair of the
/// remote id and the transaction is stored.
///
/// Returns the records that a minimum balance refuses, and the reasons. They have no pair, because
/// their money is not on the account.
fn apply_matches(
    tx: &mut Tx<'_>,
    cx: &Context,
    access: &AccessTo<Record>,
    book: &str,
    import: ImportId,
    matches: Vec<MatchedRecord>,
) -> Result<RefusedRecords> {
    if matches.is_empty() {
        return Ok(Vec::new());
    }
    let ids: Vec<TransactionId> = matches.iter().map(|one| one.transaction).collect();
    let mut load = |ids: &[TransactionId]| {
        let found = tx.transactions().by_ids(access, ids, MAX_TEXTS)?;
        Ok(found.map(|found| found.into_values().collect()))
    };
    let found = load_in_parts(&ids, &mut load)?;
    let mut known: HashMap<TransactionId, Transaction> =
        found.into_iter().map(|row| (row.id, row)).collect();
    let (mut pairs, mut refused) = (Vec::new(), Vec::new());
    for one in matches {
        let given = match change_of(access, &known, &one) {
            Some((verb, changes)) => {
                match give_remote_id(tx, cx, book, verb, changes, &mut known) {
                    Err(error) if error.reason() == Some(Reason::InsufficientFunds) => {
                        refused.push((one.record, error.without_index().to_string()));
                        continue;
                    }
                    given => given?,
                }
            }
            None => false,
        };
        pairs.push(RecordMatch {
            remote_id: one.remote_id,
            transaction: one.transaction,
            import,
            given,
        });
    }
    tx.imports().insert_matches(access, &pairs)?;
    Ok(refused)
}

/// Changes the transaction of a match. Returns `false` if that is refused.
///
/// # Errors
/// A minimum balance (behaviour 3.13); failures.
fn give_remote_id(
    tx: &mut Tx<'_>,
    cx: &Context,
    book: &str,
    verb: Verb,
    changes: Changes,
    known: &mut HashMap<TransactionId, Transaction>,
) -> Result<bool> {
    match perform(tx, cx, book, VerbRequest::single(verb), vec![changes]) {
        Ok(view) => {
            known.extend(view.transactions.into_iter().map(|row| (row.id, row)));
            Ok(true)
        }
        Err(error) if error.reason() == Some(Reason::InsufficientFunds) => Err(error),
        Err(error) => match error.kind() {
            RefusalKind::Invalid | RefusalKind::Denied | RefusalKind::Missing => Ok(false),
            RefusalKind::Conflicting
            | RefusalKind::Stale
            | RefusalKind::Reused
            | RefusalKind::Exhausted
            | RefusalKind::Limited
            | RefusalKind::Internal
            | RefusalKind::Unconfirmed
            | RefusalKind::Unauthenticated => Err::<bool, Error>(error),
        },
    }
}

/// Returns how a match changes its transaction; `None` if it does not.
fn change_of(
    access: &AccessTo<Record>,
    known: &HashMap<TransactionId, Transaction>,
    one: &MatchedRecord,
) -> Option<(Verb, Changes)> {
    let transaction = known.get(&one.transaction)?;
    let mut remote_ids = transaction.remote_ids.clone();
    if !remote_ids.contains(&one.remote_id) {
        remote_ids.push(one.remote_id.clone());
    }
    let mut changes = Changes {
        id: Some(one.transaction.to_string()),
        remote_ids: Some(remote_ids),
        ..Changes::default()
    };
    let own = || Field::Set(AccountRef { id: Some(one.account.to_string()), name: None });
    match one.effect {
        MatchEffect::StorePair(_) | MatchEffect::JoinRecord => return None,
        MatchEffect::PostDraft => {
            let Changes { date, amount, description, credit, debit, .. } = one.values.clone();
            // A person may have filled the other side of the draft.
            let open =
                |side: Option<AccountId>, value| if side.is_none() { value } else { Field::Keep };
            let credit = open(transaction.credit, credit);
            let debit = open(transaction.debit, debit);
            changes = Changes { date, amount, description, credit, debit, ..changes };
            let verb = if access.may(Action::Post) { Verb::Post } else { Verb::Update };
            return Some((verb, changes));
        }
        MatchEffect::SetOtherSide if one.is_inward => changes.debit = own(),
        MatchEffect::SetOtherSide => changes.credit = own(),
        MatchEffect::AddRemoteId => {}
    }
    if let Some(date) = one.date.filter(|date| transaction.date != Some(*date)) {
        let key = SECOND_DATE_PROPERTY.to_owned();
        changes.properties.insert(key, Some(format_iso(date)));
    }
    Some((Verb::Update, changes))
}
