//! Saving what became of transactions, with everything that moves with them.

use std::collections::{BTreeSet, HashMap};

use daybook_domain::account::Directory;
use daybook_domain::collaborator::Member;
use daybook_domain::event::{EventType, Happening, snapshot};
use daybook_domain::id::{AccountId, TransactionId};
use daybook_domain::transaction::Transaction;
use daybook_storage::Tx;
use daybook_storage::transaction::Change;

use crate::context::Context;
use crate::error::Result;
use crate::record;

/// What a batch does to transactions, gathered in memory and written once.
#[derive(Debug, Default)]
pub(super) struct Outcome {
    changes: Vec<Change>,
    places: HashMap<TransactionId, usize>,
    happenings: Vec<Happening>,
    /// What anything was posted on, also where a later item of the batch moved it on (behaviour 4.7).
    posted: BTreeSet<AccountId>,
}

impl Outcome {
    /// Adds a new transaction and its event.
    pub(super) fn created(&mut self, member: &Member, accounts: &Directory, transaction: &Transaction) {
        let kind = if transaction.is_posted() { EventType::TransactionPosted } else { EventType::TransactionCreated };
        self.tell(Happening::new(kind, transaction.id.get(), shot(member, accounts, transaction)));
        self.note_posted(transaction);
        self.places.insert(transaction.id, self.changes.len());
        self.changes.push(Change::new(transaction.clone()));
    }

    /// Adds a change; several changes of one transaction become one, from its first state to its last.
    pub(super) fn changed(&mut self, before: Transaction, after: Transaction) {
        self.note_posted(&after);
        match self.places.get(&after.id).and_then(|place| self.changes.get_mut(*place)) {
            Some(change) => change.after = after,
            None => {
                self.places.insert(after.id, self.changes.len());
                self.changes.push(Change { before: Some(before), after });
            }
        }
    }

    fn note_posted(&mut self, transaction: &Transaction) {
        self.posted.extend(transaction.entries().iter().map(|entry| entry.account));
    }

    pub(super) fn tell(&mut self, happening: Happening) {
        self.happenings.push(happening);
    }

    /// Writes everything: rows, totals, the mark on accounts that were never posted on before, events.
    pub(super) fn save(self, tx: &mut Tx<'_>, cx: &Context, member: &Member, accounts: &Directory) -> Result<()> {
        let (changed, added): (Vec<Change>, Vec<Change>) = self.changes.into_iter().partition(|change| change.before.is_some());
        let new: Vec<Transaction> = added.iter().map(|change| change.after.clone()).collect();
        tx.transactions().insert(member, &new)?;
        tx.transactions().update(member, &changed)?;
        let all: Vec<Change> = added.into_iter().chain(changed).collect();
        tx.balances().apply(member, &all)?;
        let first = self.posted.into_iter().filter(|id| accounts.get(*id).is_none_or(|account| !account.has_transaction_posted));
        tx.accounts().mark_posted(member, &first.collect::<Vec<_>>())?;
        record::counted(tx, cx, member, self.happenings, &record::tally(member, &all))
    }
}

/// The snapshot of a transaction for its event.
pub(super) fn shot(member: &Member, accounts: &Directory, transaction: &Transaction) -> daybook_domain::json::Object {
    snapshot::transaction(transaction, accounts, member.book().settings.fraction_digits, member.user())
}
