//! Items that are there already, by their remote ids (behaviour 3.7).

use std::collections::HashMap;

use daybook_domain::access::Access;
use daybook_domain::file::FilesById;
use daybook_domain::id::TransactionId;
use daybook_domain::transaction::{
    Changes, Intent, MAX_READ, Refusal, Transaction, TransactionRules, Verb,
};
use daybook_storage::Tx;

use super::save::WriteSet;
use super::{KnownItem, attach, rules_of};
use crate::context::Context;
use crate::error::{Error, Result};

/// Posts a draft that a body names by a remote id, as if it had named its id (behaviour 3.3.2). The
/// remote ids of the draft stay as they are.
///
/// # Errors
/// What a post of the draft refuses.
pub(super) fn post(
    cx: &Context,
    rules: TransactionRules<'_>,
    files: &FilesById,
    write_set: &mut WriteSet,
    (draft, changes): (&Transaction, Changes),
) -> Result<Transaction> {
    let rules = rules_of(rules, draft);
    let changes = Changes { remote_ids: None, ..changes };
    rules.check_permitted(draft, Verb::Post, &changes)?;
    let (changes, new_files) = attach::resolve(cx, rules.access, files, changes, Some(draft))?;
    let edited = rules.perform(Verb::Post, false, draft, || Ok::<_, Error>(changes))?;
    let Some(edited) = edited else { return Ok(draft.clone()) };
    write_set.attached(new_files);
    let posted = edited.transaction.clone();
    write_set.performed(&rules, Verb::Post, draft.clone(), edited)?;
    Ok(posted)
}

/// The items of a request that were there already.
#[derive(Debug, Default)]
pub(super) struct KnownRows {
    items: Vec<(KnownItem, TransactionId)>,
    /// The remote ids by which the request names each.
    named: HashMap<TransactionId, Vec<String>>,
}

impl KnownRows {
    /// Notes an item, with its remote ids and all that it says.
    pub(super) fn note(
        &mut self,
        rules: TransactionRules<'_>,
        index: usize,
        existing: &Transaction,
        (ids, row): (Vec<String>, &Changes),
    ) {
        let named = self.named.entry(existing.id).or_default();
        let new = |id: &String| existing.remote_ids.contains(id) && !named.contains(id);
        let new: Vec<String> = ids.into_iter().filter(new).collect();
        named.extend(new);
        let differs = rules.differences(existing, row);
        self.items.push((KnownItem { index, differs }, existing.id));
    }

    /// The items, and of those transactions of which the caller may see only the id the remote ids
    /// that the caller knew (behaviour 3.7.2). How an item differs from such a one is not told.
    pub(super) fn of(
        self,
        access: &Access,
        transactions: &[Transaction],
    ) -> (Vec<KnownItem>, HashMap<TransactionId, Vec<String>>) {
        let Self { items, named } = self;
        let masked: HashMap<TransactionId, Vec<String>> = transactions
            .iter()
            .filter(|transaction| !access.sees(transaction.created_by, transaction.is_posted()))
            .map(|transaction| {
                (transaction.id, named.get(&transaction.id).cloned().unwrap_or_default())
            })
            .collect();
        let shown = |(item, id): (KnownItem, TransactionId)| match masked.contains_key(&id) {
            true => KnownItem { differs: Vec::new(), ..item },
            false => item,
        };
        (items.into_iter().map(shown).collect(), masked)
    }
}

/// The non-trashed transactions that carry remote ids of a batch, the oldest first (behaviour
/// 3.7.3).
pub(super) struct RemoteIdMatches {
    pub(super) transactions: Vec<Transaction>,
    by_remote_id: HashMap<String, usize>,
}

impl RemoteIdMatches {
    pub(super) fn load(tx: &mut Tx<'_>, access: &Access, items: &[Changes]) -> Result<Self> {
        let mut wanted: Vec<&str> = items
            .iter()
            .flat_map(|item| item.remote_ids.iter().flatten())
            .map(|id| id.trim())
            .collect();
        wanted.retain(|id| !id.is_empty());
        wanted.sort_unstable();
        wanted.dedup();
        let mut matches = Self { transactions: Vec::new(), by_remote_id: HashMap::new() };
        let found = tx.transactions().by_remote_ids(access, &wanted, MAX_READ)?;
        for transaction in &found.ok_or(Refusal::TooMuchText(MAX_READ))? {
            matches.add(transaction);
        }
        Ok(matches)
    }

    pub(super) fn add(&mut self, transaction: &Transaction) {
        if transaction.remote_ids.is_empty() {
            return;
        }
        for id in &transaction.remote_ids {
            self.by_remote_id.entry(id.clone()).or_insert(self.transactions.len());
        }
        self.transactions.push(transaction.clone());
    }

    /// The transaction that has the first known one of these remote ids.
    pub(super) fn find(&self, remote_ids: &[String]) -> Option<&Transaction> {
        remote_ids
            .iter()
            .find_map(|id| self.by_remote_id.get(id))
            .and_then(|place| self.transactions.get(*place))
    }

    /// Those that a request posts.
    pub(super) fn posted(&self, intent: Intent) -> &[Transaction] {
        match intent {
            Intent::Post => &self.transactions,
            Intent::Create => &[],
        }
    }
}
