//! Verbs on existing transactions, single and in batches (behaviour 3.3, 3.4, 3.6).

use std::collections::{BTreeSet, HashMap};

use daybook_domain::access::Access;
use daybook_domain::account;
use daybook_domain::deletion::{MAX_RELEASED, MAX_RELEASED_TEXTS};
use daybook_domain::id::{AccountId, TransactionId};
use daybook_domain::purpose::Record;
use daybook_domain::transaction::{
    Changes, MAX_CHANGED, MAX_WRITTEN, Refusal, Transaction, Verb, check_index_terms, check_texts,
};
use daybook_storage::Tx;
use daybook_storage::access::AccessTo;

use super::save::WriteSet;
use super::{AccountDetail, View, attach, rules, rules_of, sides};
use crate::batch::BytesLeft;
use crate::context::Context;
use crate::error::{Error, Result};
use crate::{access, batch};

/// A verb, and how its refusals are treated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct VerbRequest {
    /// The verb.
    pub verb: Verb,
    /// Whether it is a batch, which skips ineligible items. A single request is refused (behaviour
    /// 3.6.3, 3.6.4).
    pub batch: bool,
    /// Whether an item that the batch would skip refuses it (behaviour 3.6.7).
    pub all: bool,
    /// `updateChecked` or `trashChecked`.
    pub override_checked: bool,
}

impl VerbRequest {
    /// Creates the request of a verb on one transaction.
    #[must_use]
    pub const fn single(verb: Verb) -> Self {
        Self { verb, batch: false, all: false, override_checked: false }
    }

    /// Creates the request of a verb on a batch that skips ineligible items.
    #[must_use]
    pub const fn batch(verb: Verb, override_checked: bool) -> Self {
        Self { verb, batch: true, all: false, override_checked }
    }

    /// Returns whether the request skips an item that is refused for this reason.
    const fn skips(self, refusal: &daybook_domain::Refusal) -> bool {
        self.batch && !self.all && refusal.skips_item(self.verb)
    }

    /// Returns the context of the write. Trashing is exempt from quotas.
    fn context(self, cx: &Context) -> Context {
        match self.verb {
            Verb::Trash => cx.exempt_from_quotas(),
            Verb::Post | Verb::Update | Verb::Check | Verb::Uncheck | Verb::Untrash => cx.clone(),
        }
    }

    /// Returns the purpose that the access step checks. Each transaction is checked again when it
    /// is loaded.
    const fn purpose(self) -> Record {
        match self.verb {
            Verb::Check | Verb::Uncheck => Record::Check,
            Verb::Post => Record::Post,
            Verb::Update | Verb::Trash | Verb::Untrash if self.override_checked => Record::Check,
            Verb::Update | Verb::Trash | Verb::Untrash => Record::Edit,
        }
    }
}

/// Performs a verb on the named transactions, and returns them in the order of the items.
///
/// # Errors
/// Refusals of the rules of transactions. Nothing is changed then.
pub fn perform(
    tx: &mut Tx<'_>,
    cx: &Context,
    book: &str,
    request: VerbRequest,
    items: Vec<Changes>,
) -> Result<View> {
    let access = access::enter_to(tx, cx, book, request.purpose())?;
    batch::check_size("items", items.len())?;
    let ids = batch::each(&items, read_id)?;
    let on_unknown = if request.batch { OnUnknown::ListAll } else { OnUnknown::NameIt };
    let mut current = load(tx, &access, &ids, on_unknown)?;
    check_index_terms(&items)?;
    let references = items.iter().flat_map(Changes::references);
    let before: Vec<Transaction> = current.values().cloned().collect();
    let mut accounts = tx.accounts().directory(&access, references, sides(&before))?;
    let rules = rules(cx, &access, &accounts);
    let files_by_id = attach::files_by_id(tx, &access, &items, &before)?;
    let mut write_set = WriteSet::with_files(files_by_id.clone());
    let mut named_bytes = BytesLeft::for_written_events();
    let (mut skipped, mut refused): (usize, _) = (0, batch::Refused::default());
    for (index, (changes, (_, id))) in items.into_iter().zip(&ids).enumerate() {
        let Some(transaction) = id.and_then(|id| current.get(&id)).cloned() else { continue };
        named_bytes.take(transaction.text_bytes())?;
        let rules = rules_of(rules, &transaction);
        let permitted = rules.check_permitted(&transaction, request.verb, &changes);
        let mut new_files = Vec::new();
        let resolve = || {
            let (changes, new) =
                attach::resolve(cx, &access, &files_by_id, changes, Some(&transaction))?;
            new_files = new;
            Ok::<_, Error>(changes)
        };
        let edited = permitted
            .map_err(Error::from)
            .and_then(|()| Ok(cx.check_precondition(&transaction)?))
            .and_then(|()| {
                rules.perform(request.verb, request.override_checked, &transaction, resolve)
            });
        match edited {
            // An update without changes is not counted as skipped.
            Ok(None) if request.verb == Verb::Update => {}
            Ok(None) if request.all => refused.note(index, request.verb.already_done().into())?,
            Ok(None) => skipped = skipped.saturating_add(1),
            Ok(Some(edited)) => {
                write_set.add_files(new_files);
                current.insert(edited.transaction.id, edited.transaction.clone());
                write_set.add_performed(&rules, request.verb, transaction, edited)?;
            }
            Err(Error::Refused(refusal)) if request.skips(&refusal) => {
                skipped = skipped.saturating_add(1);
            }
            Err(error) => refused.note(index, error)?,
        }
    }
    refused.check()?;
    check_texts(ids.iter().filter_map(|(_, id)| current.get(&(*id)?)), MAX_WRITTEN)?;
    write_set.save(tx, &request.context(cx), &access, &accounts)?;
    let transactions: Vec<Transaction> =
        ids.iter().filter_map(|(_, id)| current.get(&(*id)?).cloned()).collect();
    let posted =
        transactions.iter().flat_map(Transaction::entries).map(|entry| entry.account).collect();
    accounts.mark_posted(&posted);
    let previous_accounts = sides(&before);
    let access = access.into_access();
    let view = View::with_accounts(tx, cx, access, transactions, accounts, AccountDetail::Full)?;
    Ok(View { skipped, previous_accounts, ..view })
}

/// Removes accounts that are about to be deleted from the drafts that name them (behaviour 4.7).
///
/// # Errors
/// [`account::Refusal::TooManyDrafts`].
pub(crate) fn release_accounts(
    tx: &mut Tx<'_>,
    cx: &Context,
    access: &AccessTo<Record>,
    removed: &BTreeSet<AccountId>,
) -> Result<()> {
    let max = MAX_RELEASED.saturating_add(1);
    if tx.transactions().count_drafts_of_accounts(access, removed, max)? > MAX_RELEASED {
        return Err(account::Refusal::TooManyDrafts.into());
    }
    let drafts = tx
        .transactions()
        .drafts_of_accounts(access, removed, MAX_RELEASED_TEXTS)?
        .ok_or(account::Refusal::TooManyDrafts)?;
    let accounts = tx.accounts().by_ids(access, sides(&drafts))?;
    let rules = rules(cx, access, &accounts);
    let mut write_set = WriteSet::with_files(attach::files_by_id(tx, access, &[], &drafts)?);
    for before in drafts {
        let edited = rules.without_accounts(before.clone(), removed)?;
        write_set
            .add_performed(&rules, Verb::Update, before, edited)
            .map_err(|_| account::Refusal::TooManyDrafts)?;
    }
    write_set.save(tx, cx, access, &accounts)
}

/// Reads the id of an item, with its text for messages. A malformed id counts as unknown.
pub(super) fn read_id(item: &Changes) -> Result<(String, Option<TransactionId>)> {
    let text = item.id.clone().filter(|id| !id.trim().is_empty()).ok_or(Refusal::IdRequired)?;
    let id = text.parse().ok();
    Ok((text, id))
}

/// How unknown ids are refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum OnUnknown {
    /// By the one id of a single request.
    NameIt,
    /// By all unknown ids of a batch (behaviour 3.6.5).
    ListAll,
    /// By all unknown ids of a merge, as a bad request (behaviour 3.11.10).
    RefuseMerge,
}

/// Loads the named transactions. Refuses unknown ids, and those the caller may not see.
pub(super) fn load(
    tx: &mut Tx<'_>,
    access: &Access,
    ids: &[(String, Option<TransactionId>)],
    on_unknown: OnUnknown,
) -> Result<HashMap<TransactionId, Transaction>> {
    let unique: BTreeSet<TransactionId> = ids.iter().filter_map(|(_, id)| *id).collect();
    let unique: Vec<TransactionId> = unique.into_iter().collect();
    let found = tx.transactions().by_ids(access, &unique, MAX_CHANGED)?;
    let mut found = within_limit(found, ids.iter().filter_map(|(_, id)| *id), MAX_CHANGED)?;
    found.retain(|_, transaction| access.sees(transaction.created_by, transaction.is_posted()));
    let unknown: Vec<String> = ids
        .iter()
        .filter(|(_, id)| id.is_none_or(|id| !found.contains_key(&id)))
        .map(|(text, _)| text.clone())
        .collect();
    let Some(first) = unknown.first() else { return Ok(found) };
    Err(match on_unknown {
        OnUnknown::NameIt => Refusal::Unknown(first.clone()),
        OnUnknown::ListAll => Refusal::UnknownIds(unknown),
        OnUnknown::RefuseMerge => Refusal::UnknownToMerge(unknown),
    }
    .into())
}

/// Checks that the texts of the found transactions fit. A transaction counts each time it is named.
///
/// `found` is the result of [`by_ids`](daybook_storage::transaction::Transactions::by_ids).
///
/// # Errors
/// [`Refusal::TooMuchText`].
pub(super) fn within_limit(
    found: Option<HashMap<TransactionId, Transaction>>,
    named: impl Iterator<Item = TransactionId>,
    max: usize,
) -> std::result::Result<HashMap<TransactionId, Transaction>, Refusal> {
    let found = found.ok_or(Refusal::TooMuchText(max))?;
    check_texts(named.filter_map(|id| found.get(&id)), max)?;
    Ok(found)
}
