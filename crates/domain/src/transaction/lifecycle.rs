//! The transition table: what each verb does to each state (behaviour 3.4).

use std::collections::BTreeSet;

use crate::field::Field;
use crate::file::Attachment;
use crate::id::{AccountId, FileId};
use crate::permission::Action;

use super::{
    Changes, Edited, FileReference, LifecycleState, Refusal, Standing, Transaction,
    TransactionRules,
};

/// The operations that act on a transaction's state.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Verb {
    /// Record it on its accounts.
    Post,
    /// Change its data.
    Update,
    /// Make it read-only.
    Check,
    /// Make it editable again.
    Uncheck,
    /// Put it in the trash (also called remove).
    Trash,
    /// Take it out of the trash (also called restore).
    Untrash,
}

/// A cell of the transition table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Transition {
    /// Performed.
    Done,
    /// Already so: answered with the current object, no event.
    Kept,
    /// Refused with 400.
    Refused(Refusal),
}

/// The transition table (behaviour 3.4). `override_checked` is `updateChecked` or `trashChecked` of
/// a batch.
#[must_use]
pub const fn transition(state: LifecycleState, verb: Verb, override_checked: bool) -> Transition {
    use Transition::{Done, Kept, Refused};
    match (state, verb) {
        (LifecycleState::Draft, Verb::Post | Verb::Update | Verb::Trash) => Done,
        (LifecycleState::Draft, Verb::Check) => Refused(Refusal::NotPosted),
        (LifecycleState::Draft, Verb::Uncheck | Verb::Untrash) => Kept,
        (LifecycleState::Unchecked, Verb::Update | Verb::Check | Verb::Trash) => Done,
        (LifecycleState::Unchecked, Verb::Post | Verb::Uncheck | Verb::Untrash) => Kept,
        (LifecycleState::Checked, Verb::Uncheck) => Done,
        (LifecycleState::Checked, Verb::Post | Verb::Check | Verb::Untrash) => Kept,
        (LifecycleState::Checked, Verb::Update | Verb::Trash) if override_checked => Done,
        (LifecycleState::Checked, Verb::Update | Verb::Trash) => Refused(Refusal::Checked),
        (LifecycleState::Trashed, Verb::Untrash) => Done,
        (LifecycleState::Trashed, Verb::Trash) => Kept,
        (LifecycleState::Trashed, Verb::Post | Verb::Update | Verb::Check | Verb::Uncheck) => {
            Refused(Refusal::Trashed)
        }
    }
}

impl Verb {
    /// The row of the permission matrix this verb falls under for this transaction (behaviour 7.3).
    #[must_use]
    pub const fn action(self, transaction: &Transaction) -> Action {
        match (self, transaction.standing) {
            (Self::Check | Self::Uncheck, _) => Action::Check,
            (Self::Post, _) => Action::Post,
            (Self::Untrash, Standing::Checked) if transaction.trashed => Action::Check,
            (Self::Update | Self::Trash | Self::Untrash, _) => transaction.edit_action(),
        }
    }
}

impl TransactionRules<'_> {
    /// Refuses a verb the caller's permission does not reach; a transaction a recorder may not see
    /// does not exist. An update of an unchecked transaction with `checked: true` checks it too.
    ///
    /// # Errors
    /// [`Refusal::Unknown`] and [`Refusal::NotEnough`].
    pub fn check_permitted(
        &self,
        transaction: &Transaction,
        verb: Verb,
        changes: &Changes,
    ) -> Result<(), Refusal> {
        if !self.access.sees(transaction.created_by, transaction.is_posted()) {
            return Err(Refusal::Unknown(transaction.id.to_string()));
        }
        let checks = verb == Verb::Update
            && changes.checked
            && transaction.state() == LifecycleState::Unchecked;
        if self.access.may_touch(verb.action(transaction), transaction.created_by)
            && (!checks || self.access.may(Action::Check))
        {
            Ok(())
        } else {
            Err(Refusal::NotEnough(self.access.permission().as_str()))
        }
    }

    /// Performs a verb; it must have been checked with [`TransactionRules::check_permitted`].
    /// `changes` gives what the body says, with its files resolved; it is asked only where the
    /// transition table lets the verb happen, so that a body's files are ignored where nothing is
    /// done (behaviour 3.3.4, 3.4.1, 3.6.3). `None` means it was so already.
    ///
    /// # Errors
    /// What the transition table, the dates, the accounts or the values refuse; those of `changes`.
    pub fn perform<E: From<crate::Refusal>>(
        &self,
        verb: Verb,
        override_checked: bool,
        transaction: &Transaction,
        changes: impl FnOnce() -> Result<Changes, E>,
    ) -> Result<Option<Edited>, E> {
        match transition(transaction.state(), verb, override_checked) {
            Transition::Refused(refusal) => Err(crate::Refusal::from(refusal).into()),
            Transition::Kept => Ok(None),
            Transition::Done => {
                let changes = changes()?;
                let edited = self.performed(verb, transaction.clone(), &changes)?;
                Ok(Some(edited).filter(|edited| verb != Verb::Update || edited.is_change()))
            }
        }
    }

    fn performed(
        &self,
        verb: Verb,
        transaction: Transaction,
        changes: &Changes,
    ) -> Result<Edited, crate::Refusal> {
        match verb {
            Verb::Update => self.edited(transaction, changes),
            Verb::Post => self.post(transaction, changes),
            Verb::Check => self.standing(transaction, Standing::Checked),
            Verb::Uncheck => self.standing(transaction, Standing::Unchecked),
            Verb::Trash => self.trashed(transaction, true),
            Verb::Untrash => self.trashed(transaction, false),
        }
    }

    /// Applies unsaved edits and posts (behaviour 3.3.1).
    fn post(&self, draft: Transaction, changes: &Changes) -> Result<Edited, crate::Refusal> {
        let changed = self.changed(draft, changes)?;
        let posted = self.posted(changed, changes.checked && self.access.may(Action::Check))?;
        Ok(self.moved(posted))
    }

    fn standing(
        &self,
        transaction: Transaction,
        standing: Standing,
    ) -> Result<Edited, crate::Refusal> {
        self.check_open(transaction.list_day)?;
        Ok(self.moved(Transaction { standing, ..transaction }))
    }

    fn trashed(&self, transaction: Transaction, trashed: bool) -> Result<Edited, crate::Refusal> {
        // Drafts touch no balance, so a locked date does not hold them (behaviour 3.5.3).
        if transaction.is_posted() {
            self.check_open(transaction.list_day)?;
        }
        Ok(self.moved(Transaction { trashed, ..transaction }))
    }

    fn moved(&self, transaction: Transaction) -> Edited {
        let stamp = transaction.stamp.clone().touched(self.now);
        Edited {
            transaction: Transaction { stamp, ..transaction },
            previous: crate::event::Previous::new(),
            checked: false,
        }
    }

    /// A draft that loses accounts that are deleted (behaviour 4.7), trashed or not.
    ///
    /// # Errors
    /// Never for a draft; a posted transaction keeps its accounts.
    pub fn without_accounts(
        &self,
        draft: Transaction,
        doomed: &BTreeSet<AccountId>,
    ) -> Result<Edited, crate::Refusal> {
        let side = |side: Option<AccountId>| {
            if side.is_some_and(|id| doomed.contains(&id)) { Field::Clear } else { Field::Keep }
        };
        let changes =
            Changes { credit: side(draft.credit), debit: side(draft.debit), ..Changes::default() };
        self.edited(draft, &changes)
    }

    /// A transaction that loses a file that is deleted (behaviour 9.6), trashed or not.
    ///
    /// # Errors
    /// As [`FileReference::check`].
    pub fn without_file(
        &self,
        holder: Transaction,
        doomed: FileId,
    ) -> Result<Edited, crate::Refusal> {
        FileReference::check(self.access, &holder)?;
        let kept = holder
            .files
            .iter()
            .filter(|id| **id != doomed)
            .map(|id| Attachment::File(*id))
            .collect();
        self.edited(holder, &Changes { files: Some(kept), ..Changes::default() })
    }
}
