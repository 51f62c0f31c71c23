//! The write set: saves changed transactions with their balances, files, accounts and events.

use std::collections::{BTreeSet, HashMap};

use daybook_domain::access::Access;
use daybook_domain::account::Directory;
use daybook_domain::balance::{Level, Segment};
use daybook_domain::comment::Comment;
use daybook_domain::event::NewEvent;
use daybook_domain::file::{File, FilesById};
use daybook_domain::id::{AccountId, TransactionId, UserId};
use daybook_domain::purpose::Record;
use daybook_domain::transaction::{
    ChangedTransaction, LoweredAccounts, MAX_CREATED, MAX_WRITTEN, Refusal, Transaction,
    TransactionRules, Verb,
};
use daybook_storage::Tx;
use daybook_storage::access::AccessTo;
use daybook_storage::balance::{AccountScope, TotalsQuery};
use daybook_storage::transaction::Change;

use crate::context::Context;
use crate::error::Result;
use crate::event_log;

/// The writes of a batch, gathered in memory and executed once.
#[derive(Debug, Default)]
pub(super) struct WriteSet {
    changes: Vec<Change>,
    positions: HashMap<TransactionId, usize>,
    events: Vec<NewEvent>,
    /// Bytes of the texts of new transactions.
    created: usize,
    /// Bytes of the texts of transactions in events and in the response.
    written: usize,
    /// The files of the transactions, for their snapshots.
    files: FilesById,
    new_files: Vec<File>,
    /// The accounts that were posted on, even if a later item of the batch moved the transaction to
    /// another account (behaviour 4.7).
    posted: BTreeSet<AccountId>,
}

impl WriteSet {
    /// Creates an empty write set for transactions with these files.
    pub(super) fn with_files(files: FilesById) -> Self {
        Self { files, ..Self::default() }
    }

    /// Adds new files with their events, before the transaction that references them.
    pub(super) fn add_files(&mut self, new: Vec<File>) {
        for file in new {
            self.events.push(file.created_event());
            self.files.insert((&file).into());
            self.new_files.push(file);
        }
    }

    /// Adds a new transaction with its event.
    ///
    /// # Errors
    /// [`Refusal::TooMuchText`].
    pub(super) fn add_created(
        &mut self,
        rules: &TransactionRules<'_>,
        transaction: &Transaction,
    ) -> std::result::Result<(), Refusal> {
        self.created = self.created.saturating_add(transaction.text_bytes());
        if self.created > MAX_CREATED {
            return Err(Refusal::TooMuchText(MAX_CREATED));
        }
        let event = rules.created_event(transaction, &self.files);
        self.count_bytes(event.data.len())?;
        self.events.push(event);
        self.note_posted(transaction);
        self.positions.insert(transaction.id, self.changes.len());
        self.changes.push(Change::new(transaction.clone()));
        Ok(())
    }

    /// Counts the texts of a transaction that is returned unchanged.
    ///
    /// # Errors
    /// [`Refusal::TooMuchText`].
    pub(super) fn add_returned(
        &mut self,
        existing: &Transaction,
    ) -> std::result::Result<(), Refusal> {
        self.count_bytes(existing.text_bytes())
    }

    /// Adds the result of a verb on a transaction, with its events.
    ///
    /// # Errors
    /// [`Refusal::TooMuchText`].
    pub(super) fn add_performed(
        &mut self,
        rules: &TransactionRules<'_>,
        verb: Verb,
        before: Transaction,
        edited: ChangedTransaction,
    ) -> std::result::Result<(), Refusal> {
        let events = rules.events(verb, &edited, &self.files);
        events.iter().try_for_each(|event| self.count_bytes(event.data.len()))?;
        self.events.extend(events);
        self.add_change(before, edited.transaction);
        Ok(())
    }

    fn count_bytes(&mut self, bytes: usize) -> std::result::Result<(), Refusal> {
        self.written = self.written.saturating_add(bytes);
        if self.written > MAX_WRITTEN { Err(Refusal::TooMuchText(MAX_WRITTEN)) } else { Ok(()) }
    }

    /// Adds a transaction that a merge moved to the trash, with its event.
    pub(super) fn add_merged(
        &mut self,
        rules: &TransactionRules<'_>,
        before: Transaction,
        after: Transaction,
    ) {
        self.events.push(rules.deleted_event(&after, &self.files));
        self.add_change(before, after);
    }

    /// Adds the events of comments that were copied to a merged transaction.
    ///
    /// # Errors
    /// [`Refusal::TooMuchText`].
    pub(super) fn add_comments(
        &mut self,
        actor: UserId,
        comments: &[Comment],
    ) -> std::result::Result<(), Refusal> {
        for comment in comments {
            let event = comment.created_event(actor);
            self.count_bytes(event.data.len())?;
            self.events.push(event);
        }
        Ok(())
    }

    /// Adds a change. Several changes of one transaction become one, from its first state to its
    /// last.
    fn add_change(&mut self, before: Transaction, after: Transaction) {
        self.note_posted(&after);
        match self.positions.get(&after.id).and_then(|position| self.changes.get_mut(*position)) {
            Some(change) => change.after = after,
            None => {
                self.positions.insert(after.id, self.changes.len());
                self.changes.push(Change { before: Some(before), after });
            }
        }
    }

    fn note_posted(&mut self, transaction: &Transaction) {
        self.posted.extend(transaction.entries().iter().map(|entry| entry.account));
    }

    /// Checks and writes everything.
    ///
    /// # Errors
    /// Those of [`Self::check`] and [`Self::write`].
    pub(super) fn save(
        self,
        tx: &mut Tx<'_>,
        cx: &Context,
        access: &AccessTo<Record>,
        accounts: &Directory,
    ) -> Result<()> {
        self.check(tx, cx, access, accounts)?;
        self.write(tx, cx, access, accounts)
    }

    /// Refuses what cannot be written, and writes nothing.
    ///
    /// # Errors
    /// [`Refusal::InsufficientFunds`]; too many deliveries.
    pub(super) fn check(
        &self,
        tx: &mut Tx<'_>,
        cx: &Context,
        access: &Access,
        accounts: &Directory,
    ) -> Result<()> {
        self.check_funds(tx, access, accounts)?;
        event_log::check_deliveries(tx, cx, access, &self.events)
    }

    /// Writes everything that [`Self::check`] has accepted: files, transactions, period totals, the
    /// flags of accounts that were posted on for the first time, and events.
    ///
    /// # Errors
    /// Failures, and refusals of storage quotas. The unit of work must be rolled back then.
    pub(super) fn write(
        self,
        tx: &mut Tx<'_>,
        cx: &Context,
        access: &AccessTo<Record>,
        accounts: &Directory,
    ) -> Result<()> {
        tx.files().insert(access, &self.new_files)?;
        let (changed, added): (Vec<Change>, Vec<Change>) =
            self.changes.into_iter().partition(|change| change.before.is_some());
        tx.transactions().update(access, &changed)?;
        let unchecked: BTreeSet<TransactionId> =
            changed.iter().filter(|change| change.unchecks()).map(|one| one.after.id).collect();
        tx.reconciliations().clear_checked_flags(access, &unchecked)?;
        tx.transactions()
            .queue(access, added.iter().map(|change| change.after.clone()).collect())?;
        let all: Vec<Change> = added.into_iter().chain(changed).collect();
        tx.balances().queue(access, &all)?;
        let first_posted = self
            .posted
            .into_iter()
            .filter(|id| accounts.get(*id).is_none_or(|account| !account.has_transaction_posted));
        tx.accounts().mark_posted(access, &first_posted.collect::<Vec<_>>())?;
        let counts = event_log::posting_counts(access, &all);
        event_log::append_checked(tx, cx, access, self.events, &counts)
    }

    /// Refuses to lower an account below its minimum balance (behaviour 3.13).
    ///
    /// In a write the book is locked, so no other request changes the totals until this one is
    /// committed. They include the queued totals of earlier requests, because reading them flushes
    /// the write buffers.
    pub(super) fn check_funds(
        &self,
        tx: &mut Tx<'_>,
        access: &Access,
        accounts: &Directory,
    ) -> Result<()> {
        let changes = self.changes.iter().map(|change| (change.before.as_ref(), &change.after));
        let lowered = LoweredAccounts::of(access.book(), accounts, changes);
        let ids = lowered.ids();
        if ids.is_empty() {
            return Ok(());
        }
        // One sum for each account.
        let all_time = Segment { level: Level::Month, from: None, until: None, fold: true };
        let query = TotalsQuery { scope: AccountScope::Accounts(&ids), tags: &[], by_month: true };
        let totals = tx.balances().read(access, &[all_time], &query)?;
        Ok(lowered.check(&totals)?)
    }
}
