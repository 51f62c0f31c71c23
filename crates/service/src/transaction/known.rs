//! Items of a request that exist already, matched by their remote ids (behaviour 3.7).

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

/// Posts a draft that a body names by a remote id, as if the body named its id (behaviour 3.3.2).
///
/// The remote ids of the draft stay unchanged.
///
/// # Errors
/// The refusals of posting the draft.
pub(super) fn post(
    cx: &Context,
    rules: TransactionRules<'_>,
    files: &FilesById,
    write_set: &mut WriteSet,
    draft: &Transaction,
    changes: Changes,
) -> Result<Transaction> {
    let rules = rules_of(rules, draft);
    let changes = Changes { remote_ids: None, ..changes };
    rules.check_permitted(draft, Verb::Post, &changes)?;
    let (changes, new_files) = attach::resolve(cx, rules.access, files, changes, Some(draft))?;
    let edited = rules.perform(Verb::Post, false, draft, || Ok::<_, Error>(changes))?;
    let Some(edited) = edited else { return Ok(draft.clone()) };
    write_set.add_files(new_files);
    let posted = edited.transaction.clone();
    write_set.add_performed(&rules, Verb::Post, draft.clone(), edited)?;
    Ok(posted)
}

/// The items of a request that exist already.
#[derive(Debug, Default)]
pub(super) struct KnownRows {
    items: Vec<(KnownItem, TransactionId)>,
    /// The remote ids by which the request names each transaction.
    named: HashMap<TransactionId, Vec<String>>,
}

impl KnownRows {
    /// Notes an item with its remote ids and fields.
    pub(super) fn note(
        &mut self,
        rules: TransactionRules<'_>,
        index: usize,
        existing: &Transaction,
        ids: Vec<String>,
        row: &Changes,
    ) {
        let named = self.named.entry(existing.id).or_default();
        for id in ids {
            if existing.remote_ids.contains(&id) && !named.contains(&id) {
                named.push(id);
            }
        }
        let differs = rules.differences(existing, row);
        self.items.push((KnownItem { index, differs }, existing.id));
    }

    /// Returns the items, and the remote ids that the caller named for transactions of which they
    /// may see only the id (behaviour 3.7.2).
    ///
    /// For these transactions the items do not show differences.
    pub(super) fn into_shown(
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
        let items = items.into_iter().map(|(item, id)| {
            if masked.contains_key(&id) { KnownItem { differs: Vec::new(), ..item } } else { item }
        });
        (items.collect(), masked)
    }
}

/// The non-trashed transactions with remote ids of a batch, oldest first (behaviour 3.7.3).
pub(super) struct RemoteIdMatches {
    pub(super) transactions: Vec<Transaction>,
    by_remote_id: HashMap<String, usize>,
}

impl RemoteIdMatches {
    pub(super) fn load(tx: &mut Tx<'_>, access: &Access, items: &[Changes]) -> Result<Self> {
        let mut remote_ids: Vec<&str> = items
            .iter()
            .flat_map(|item| item.remote_ids.iter().flatten())
            .map(|id| id.trim())
            .collect();
        remote_ids.retain(|id| !id.is_empty());
        remote_ids.sort_unstable();
        remote_ids.dedup();
        let mut matches = Self { transactions: Vec::new(), by_remote_id: HashMap::new() };
        let found = tx.transactions().by_remote_ids(access, &remote_ids, MAX_READ)?;
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

    /// Finds the transaction that has the first known one of these remote ids.
    pub(super) fn find(&self, remote_ids: &[String]) -> Option<&Transaction> {
        remote_ids
            .iter()
            .find_map(|id| self.by_remote_id.get(id))
            .and_then(|place| self.transactions.get(*place))
    }

    /// Returns the transactions that a request may post.
    pub(super) fn posted(&self, intent: Intent) -> &[Transaction] {
        match intent {
            Intent::Post => &self.transactions,
            Intent::Create => &[],
        }
    }
}
