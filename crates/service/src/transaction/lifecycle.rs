//! Verbs on existing transactions, one or many (behaviour 3.3, 3.4, 3.6).

use std::collections::{BTreeSet, HashMap};

use daybook_domain::access::Access;
use daybook_domain::account::{self, Directory};
use daybook_domain::deletion::MAX_RELEASED;
use daybook_domain::event::{EventType, NewEvent};
use daybook_domain::id::{AccountId, TransactionId};
use daybook_domain::purpose::Record;
use daybook_domain::transaction::{
    Changes, Edited, Refusal, Transaction, Transition, Verb, check_indexed, transition,
};
use daybook_storage::Tx;
use daybook_storage::access::AccessTo;

use super::save::WriteSet;
use super::{AccountDetail, View, about, attach, rules, sides};
use crate::context::Context;
use crate::error::{Error, Result};
use crate::{access, batch};

/// What to do, and how strictly.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Order {
    /// The verb.
    pub verb: Verb,
    /// A batch leaves ineligible items as they are; a single request is refused (behaviour 3.6.3,
    /// 3.6.4).
    pub batch: bool,
    /// `updateChecked` or `trashChecked`.
    pub override_checked: bool,
}

impl Order {
    /// A single request.
    #[must_use]
    pub const fn single(verb: Verb) -> Self {
        Self { verb, batch: false, override_checked: false }
    }

    /// A batch.
    #[must_use]
    pub const fn batch(verb: Verb, override_checked: bool) -> Self {
        Self { verb, batch: true, override_checked }
    }

    /// The least the caller must be allowed, before any transaction is looked at.
    const fn purpose(self) -> Record {
        match self.verb {
            Verb::Check | Verb::Uncheck => Record::Check,
            Verb::Post => Record::Post,
            Verb::Update | Verb::Trash | Verb::Untrash if self.override_checked => Record::Check,
            Verb::Update | Verb::Trash | Verb::Untrash => Record::Edit,
        }
    }
}

/// Performs a verb on the transactions the items name, and answers them in final state and in
/// order.
///
/// # Errors
/// What the access step and the rules of transactions refuse; nothing is changed then.
pub fn perform(
    tx: &mut Tx<'_>,
    cx: &Context,
    book: &str,
    order: Order,
    items: Vec<Changes>,
) -> Result<View> {
    let access = access::enter_to(tx, cx, book, order.purpose())?;
    batch::check_size("items", items.len())?;
    let ids = batch::each(&items, named_id)?;
    let mut current = load(tx, &access, &ids, order.batch)?;
    check_indexed(&items)?;
    let references = items.iter().flat_map(Changes::references);
    let before: Vec<Transaction> = current.values().cloned().collect();
    let mut accounts = tx.accounts().directory(&access, references, sides(&before))?;
    let rules = rules(cx, &access, &accounts);
    let files_by_id = attach::files_by_id(tx, &access, &items, &before)?;
    let mut write_set = WriteSet::about(files_by_id.clone());
    for (index, (changes, (_, id))) in items.into_iter().zip(&ids).enumerate() {
        let Some(transaction) = id.and_then(|id| current.get(&id)).cloned() else { continue };
        let rules = about(rules, &transaction);
        let edited = rules
            .check_access(&transaction, order.verb)
            .map_err(Error::from)
            .and_then(|()| {
                match transition(transaction.state(), order.verb, order.override_checked) {
                    Transition::Done => {
                        attach::resolve(cx, &access, &files_by_id, changes, Some(&transaction))
                    }
                    // Where nothing is done, the files of the body are none of its matter (behaviour
                    // 3.3.4, 3.4.1, 3.6.3).
                    Transition::Kept | Transition::Refused(_) => Ok((changes, Vec::new())),
                }
            })
            .and_then(|(changes, new_files)| {
                let edited = rules.perform(
                    order.verb,
                    transaction.clone(),
                    &changes,
                    order.override_checked,
                )?;
                Ok(edited.map(|edited| (edited, new_files)))
            });
        match cx.unless_stale(Some(&transaction), edited) {
            Ok(None) => {}
            Ok(Some((edited, new_files))) => {
                write_set.attached(new_files);
                emit(&mut write_set, &access, &accounts, order.verb, &edited);
                current.insert(edited.transaction.id, edited.transaction.clone());
                write_set.changed(transaction, edited.transaction);
            }
            Err(Error::Refused(refusal)) if order.batch && refusal.skips_item(order.verb) => {}
            Err(error) => return Err(batch::at(index, error)),
        }
    }
    write_set.save(tx, cx, &access, &accounts)?;
    let transactions: Vec<Transaction> =
        ids.iter().filter_map(|(_, id)| current.get(&(*id)?).cloned()).collect();
    let posted =
        transactions.iter().flat_map(Transaction::entries).map(|entry| entry.account).collect();
    accounts.note_posted(&posted);
    View::around(tx, cx, access.into_access(), (transactions, accounts), AccountDetail::Full)
}

/// Takes accounts that are about to be deleted off the drafts that name them (behaviour 4.7).
///
/// # Errors
/// [`account::Refusal::TooManyDrafts`].
pub(crate) fn release_accounts(
    tx: &mut Tx<'_>,
    cx: &Context,
    access: &AccessTo<Record>,
    doomed: &BTreeSet<AccountId>,
) -> Result<()> {
    if tx.transactions().count_drafts_of_accounts(access, doomed, MAX_RELEASED.saturating_add(1))?
        > MAX_RELEASED
    {
        return Err(account::Refusal::TooManyDrafts.into());
    }
    let drafts = tx.transactions().drafts_of_accounts(access, doomed)?;
    let accounts = tx.accounts().by_ids(access, sides(&drafts))?;
    let rules = rules(cx, access, &accounts);
    let mut write_set = WriteSet::about(attach::files_by_id(tx, access, &[], &drafts)?);
    for before in drafts {
        let edited = rules.without_accounts(before.clone(), doomed)?;
        emit(&mut write_set, access, &accounts, Verb::Update, &edited);
        write_set.changed(before, edited.transaction);
    }
    write_set.save(tx, cx, access, &accounts)
}

/// The id an item names, with its text for messages; text that cannot be an id is an unknown one.
pub(super) fn named_id(item: &Changes) -> Result<(String, Option<TransactionId>)> {
    let text = item.id.clone().filter(|id| !id.trim().is_empty()).ok_or(Refusal::IdRequired)?;
    let id = text.parse().ok();
    Ok((text, id))
}

/// The transactions named; unknown ones, and those a recorder may not see, are refused: all of a
/// batch by their ids.
pub(super) fn load(
    tx: &mut Tx<'_>,
    access: &Access,
    ids: &[(String, Option<TransactionId>)],
    batch: bool,
) -> Result<HashMap<TransactionId, Transaction>> {
    let wanted: BTreeSet<TransactionId> = ids.iter().filter_map(|(_, id)| *id).collect();
    let wanted: Vec<TransactionId> = wanted.into_iter().collect();
    let mut found = tx.transactions().by_ids(access, &wanted)?;
    found.retain(|_, transaction| access.sees(transaction.created_by, transaction.is_posted()));
    let unknown: Vec<String> = ids
        .iter()
        .filter(|(_, id)| id.is_none_or(|id| !found.contains_key(&id)))
        .map(|(text, _)| text.clone())
        .collect();
    match (unknown.first(), batch) {
        (None, _) => Ok(found),
        (Some(first), false) => Err(Refusal::Unknown(first.clone()).into()),
        (Some(_), true) => Err(Refusal::UnknownIds(unknown).into()),
    }
}

/// The events of a performed verb, in the order of behaviour 8.1.
pub(super) fn emit(
    write_set: &mut WriteSet,
    access: &Access,
    accounts: &Directory,
    verb: Verb,
    edited: &Edited,
) {
    let transaction = &edited.transaction;
    let id = transaction.id.get();
    let object = |write_set: &WriteSet| write_set.snapshot(access, accounts, transaction);
    let kind = match verb {
        Verb::Update => {
            if !edited.previous.is_empty() {
                write_set.emit(NewEvent::update(
                    EventType::TransactionUpdated,
                    id,
                    object(write_set),
                    &edited.previous,
                ));
            }
            if edited.checked {
                write_set.emit(NewEvent::new(EventType::TransactionChecked, id, object(write_set)));
            }
            return;
        }
        Verb::Post => EventType::TransactionPosted,
        Verb::Check => EventType::TransactionChecked,
        Verb::Uncheck => EventType::TransactionUnchecked,
        Verb::Trash => EventType::TransactionDeleted,
        Verb::Untrash => EventType::TransactionRestored,
    };
    write_set.emit(NewEvent::new(kind, id, object(write_set)));
}
