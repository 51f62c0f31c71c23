//! Puts transactions on a reconciliation and takes them off (behaviour 14.5, 14.6).

use std::collections::{BTreeSet, HashMap};

use daybook_domain::account::{Account, Directory};
use daybook_domain::id::TransactionId;
use daybook_domain::purpose::{Reconcile, Record};
use daybook_domain::reconciliation::{
    EntryDelta, ReconciledEntry, Reconciliation, check_entry, verb_after_add, verb_after_remove,
};
use daybook_domain::transaction::{Transaction, Verb};
use daybook_storage::Tx;
use daybook_storage::access::AccessTo;

use crate::context::Context;
use crate::error::Result;
use crate::{batch, transaction};

/// Puts the transactions `add` on a reconciliation of `account` and takes `remove` off.
///
/// It checks and unchecks transactions, and returns what it has put on and taken off. Ids in
/// `remove` that are not on the reconciliation, or in `add` too, are ignored.
///
/// # Errors
/// [`UnknownIds`](daybook_domain::transaction::Refusal::UnknownIds), and the refusals of
/// [`check_entry`].
pub(super) fn change(
    tx: &mut Tx<'_>,
    cx: &Context,
    access: &AccessTo<Reconcile>,
    reconciliation: &Reconciliation,
    account: &Account,
    add: &[String],
    remove: &[TransactionId],
) -> Result<EntryDelta> {
    let named: Vec<(String, Option<TransactionId>)> =
        add.iter().map(|text| (text.clone(), text.parse().ok())).collect();
    let added: BTreeSet<TransactionId> = named.iter().filter_map(|(_, id)| *id).collect();
    let removed: BTreeSet<TransactionId> =
        remove.iter().copied().filter(|id| !added.contains(id)).collect();
    if named.is_empty() && removed.is_empty() {
        return Ok(EntryDelta::default());
    }
    let all: Vec<TransactionId> = added.iter().chain(&removed).copied().collect();
    let entries = Entries {
        account,
        reconciliation,
        by_transaction: tx.reconciliations().entries_of(access, &all)?,
    };
    let removed: Vec<TransactionId> =
        removed.into_iter().filter(|id| entries.are_on(*id)).collect();
    // Of those that are taken off, only these may be unchecked.
    let was_checked = removed.iter().filter(|id| entries.were_checked(**id));
    let loaded: Vec<(String, Option<TransactionId>)> =
        named.iter().cloned().chain(was_checked.map(|id| (id.to_string(), Some(*id)))).collect();
    let transactions = transaction::load_named(tx, access, &loaded)?;
    let mut refused = batch::Refused::default();
    for (index, (_, id)) in named.iter().enumerate() {
        let Some(transaction) = id.and_then(|id| transactions.get(&id)) else { continue };
        let of_transaction = entries.of(transaction.id);
        if let Err(refusal) = check_entry(reconciliation, account, transaction, of_transaction) {
            refused.note(index, refusal.into())?;
        }
    }
    refused.check()?;
    let sides = transactions.values().flat_map(Transaction::account_ids);
    let accounts = tx.accounts().by_ids(access, sides.collect::<Vec<_>>())?;
    let verbs = entries.verbs(access, &accounts, &transactions, &added, &removed);
    let checked: BTreeSet<TransactionId> = verbs
        .iter()
        .filter(|(verb, _)| *verb == Verb::Check)
        .map(|(_, transaction)| transaction.id)
        .collect();
    let record = access.with_purpose(Record::Check)?;
    if !verbs.is_empty() {
        transaction::change_checks(tx, cx, &record, &accounts, verbs)?;
    }
    let sequence = tx.events().last_number(access);
    let saved = entries.after(&added, &checked, sequence);
    let new = added.iter().filter(|id| !entries.are_on(**id)).count();
    tx.reconciliations().save_entries(access, &saved, new)?;
    tx.reconciliations().delete_entries(access, account.id, &removed)?;
    Ok(EntryDelta { added: added.into_iter().collect(), removed })
}

/// The entries of transactions before a change.
struct Entries<'a> {
    account: &'a Account,
    reconciliation: &'a Reconciliation,
    by_transaction: HashMap<TransactionId, Vec<ReconciledEntry>>,
}

impl Entries<'_> {
    fn of(&self, id: TransactionId) -> &[ReconciledEntry] {
        self.by_transaction.get(&id).map(Vec::as_slice).unwrap_or_default()
    }

    /// Returns whether a transaction is on the reconciliation.
    fn are_on(&self, id: TransactionId) -> bool {
        self.of(id).iter().any(|entry| entry.reconciliation == self.reconciliation.id)
    }

    /// Returns whether a reconciliation checked a transaction.
    fn were_checked(&self, id: TransactionId) -> bool {
        self.of(id).iter().any(|entry| entry.checked)
    }

    /// Returns the entries of a transaction for its other account.
    fn others(&self, id: TransactionId) -> Vec<ReconciledEntry> {
        let own = self.account.id;
        self.of(id).iter().filter(|entry| entry.account != own).copied().collect()
    }

    fn new_entry(&self, id: TransactionId, sequence: i64, checked: bool) -> ReconciledEntry {
        ReconciledEntry {
            transaction: id,
            account: self.account.id,
            reconciliation: self.reconciliation.id,
            sequence,
            checked,
        }
    }

    /// Returns the transactions to check and to uncheck.
    fn verbs(
        &self,
        access: &AccessTo<Reconcile>,
        accounts: &Directory,
        transactions: &HashMap<TransactionId, Transaction>,
        added: &BTreeSet<TransactionId>,
        removed: &[TransactionId],
    ) -> Vec<(Verb, Transaction)> {
        let book = access.book();
        let checks = added.iter().filter_map(|id| {
            let transaction = transactions.get(id)?;
            let mut after = self.others(*id);
            after.push(self.new_entry(*id, 0, false));
            Some((verb_after_add(book, accounts, transaction, &after)?, transaction.clone()))
        });
        let unchecks = removed.iter().filter_map(|id| {
            let (transaction, left) = (transactions.get(id)?, self.others(*id));
            let was_checked = self.were_checked(*id);
            let verb = verb_after_remove(book, accounts, transaction, was_checked, &left)?;
            Some((verb, transaction.clone()))
        });
        checks.chain(unchecks).collect()
    }

    /// Returns the entries to save: the new ones, and the other entries of transactions that are
    /// checked now.
    fn after(
        &self,
        added: &BTreeSet<TransactionId>,
        checked: &BTreeSet<TransactionId>,
        sequence: i64,
    ) -> Vec<ReconciledEntry> {
        let entries = added.iter().flat_map(|id| {
            let is_checked = checked.contains(id);
            let others = self.others(*id).into_iter().filter(move |_| is_checked);
            let others = others.map(|entry| ReconciledEntry { checked: true, ..entry });
            let new = self.new_entry(*id, sequence, is_checked || self.were_checked(*id));
            others.chain([new])
        });
        entries.collect()
    }
}
