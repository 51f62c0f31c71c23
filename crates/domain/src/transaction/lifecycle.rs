//! The transition table of verbs and states (behaviour 3.4).

use std::collections::BTreeSet;

use crate::field::Field;
use crate::file::Attachment;
use crate::id::{AccountId, FileId};
use crate::permission::Action;

use super::{
    ChangedTransaction, Changes, FileReference, LifecycleState, Refusal, Standing, Transaction,
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
    /// Move it to the trash (also called remove).
    Trash,
    /// Restore it from the trash.
    Untrash,
}

/// A cell of the transition table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Transition {
    /// The verb is performed.
    Done,
    /// The transaction is in that state already: the response is the current object, without an
    /// event.
    Kept,
    /// The verb is refused with 400.
    Refused(Refusal),
}

/// Looks up the transition table (behaviour 3.4). `override_checked` is the parameter
/// `updateChecked` or `trashChecked` of a batch.
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
    /// Returns the action of the permission matrix that is required for this verb on this
    /// transaction (behaviour 7.3).
    pub const fn action(self, transaction: &Transaction) -> Action {
        match (self, transaction.standing) {
            (Self::Check | Self::Uncheck, _) => Action::Check,
            (Self::Post, _) => Action::Post,
            (Self::Untrash, Standing::Checked) if transaction.trashed => Action::Check,
            (Self::Update | Self::Trash | Self::Untrash, _) => transaction.edit_action(),
        }
    }

    /// Returns the refusal of an item in the target state by a batch that skips none (behaviour
    /// 3.6.7).
    pub const fn already_done(self) -> Refusal {
        Refusal::AlreadyDone(match self {
            Self::Post => "posted",
            Self::Update => "up to date",
            Self::Check => "checked",
            Self::Uncheck => "unchecked",
            Self::Trash => "trashed",
            Self::Untrash => "restored",
        })
    }
}

impl TransactionRules<'_> {
    /// Refuses a verb that the permission of the caller does not allow. A transaction that a
    /// recorder may not see is treated as unknown. An update of an unchecked transaction with
    /// `checked: true` also needs the permission to check.
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

    /// Performs a verb; [`TransactionRules::check_permitted`] must have allowed it. `changes`
    /// resolves the files of the body. It is called only if the transition table allows the verb,
    /// so that the files of the body are ignored otherwise (behaviour 3.3.4, 3.4.1, 3.6.3). The
    /// result is `None` if nothing changed.
    ///
    /// # Errors
    /// A transition that is refused, locked dates, archived accounts, unreadable values, and the
    /// errors of `changes`.
    pub fn perform<E: From<crate::Refusal>>(
        &self,
        verb: Verb,
        override_checked: bool,
        transaction: &Transaction,
        changes: impl FnOnce() -> Result<Changes, E>,
    ) -> Result<Option<ChangedTransaction>, E> {
        match transition(transaction.state(), verb, override_checked) {
            Transition::Refused(refusal) => Err(crate::Refusal::from(refusal).into()),
            Transition::Kept => Ok(None),
            Transition::Done => {
                let changes = changes()?;
                let changed = self.apply(verb, transaction.clone(), &changes)?;
                Ok(Some(changed).filter(|changed| verb != Verb::Update || changed.is_change()))
            }
        }
    }

    fn apply(
        &self,
        verb: Verb,
        transaction: Transaction,
        changes: &Changes,
    ) -> Result<ChangedTransaction, crate::Refusal> {
        match verb {
            Verb::Update => self.update(transaction, changes),
            Verb::Post => self.post(transaction, changes),
            Verb::Check => self.set_standing(transaction, Standing::Checked),
            Verb::Uncheck => self.set_standing(transaction, Standing::Unchecked),
            Verb::Trash => self.set_trashed(transaction, true),
            Verb::Untrash => self.set_trashed(transaction, false),
        }
    }

    /// Applies unsaved edits and posts (behaviour 3.3.1).
    fn post(
        &self,
        draft: Transaction,
        changes: &Changes,
    ) -> Result<ChangedTransaction, crate::Refusal> {
        let draft = self.with_fields(draft, changes)?;
        let posted = self.post_draft(draft, changes.checked && self.access.may(Action::Check))?;
        Ok(self.touch(posted))
    }

    fn set_standing(
        &self,
        transaction: Transaction,
        standing: Standing,
    ) -> Result<ChangedTransaction, crate::Refusal> {
        self.check_unlocked(transaction.list_day)?;
        Ok(self.touch(Transaction { standing, ..transaction }))
    }

    fn set_trashed(
        &self,
        transaction: Transaction,
        trashed: bool,
    ) -> Result<ChangedTransaction, crate::Refusal> {
        // Drafts do not count in balances, so locked dates do not matter (behaviour 3.5.3).
        if transaction.is_posted() {
            self.check_unlocked(transaction.list_day)?;
        }
        Ok(self.touch(Transaction { trashed, ..transaction }))
    }

    /// Sets the next version and the present time.
    fn touch(&self, transaction: Transaction) -> ChangedTransaction {
        let stamp = transaction.stamp.clone().touch(self.now);
        ChangedTransaction {
            transaction: Transaction { stamp, ..transaction },
            previous: crate::event::Previous::new(),
            checked: false,
        }
    }

    /// Removes deleted accounts from a draft, trashed or not (behaviour 4.7).
    ///
    /// # Errors
    /// None for a draft; a posted transaction cannot lose its accounts.
    pub fn without_accounts(
        &self,
        draft: Transaction,
        deleted: &BTreeSet<AccountId>,
    ) -> Result<ChangedTransaction, crate::Refusal> {
        let side = |side: Option<AccountId>| {
            if side.is_some_and(|id| deleted.contains(&id)) { Field::Clear } else { Field::Keep }
        };
        let changes =
            Changes { credit: side(draft.credit), debit: side(draft.debit), ..Changes::default() };
        self.update(draft, &changes)
    }

    /// Removes a deleted file from a transaction, trashed or not (behaviour 9.6).
    ///
    /// # Errors
    /// See [`FileReference::check`].
    pub fn without_file(
        &self,
        holder: Transaction,
        deleted: FileId,
    ) -> Result<ChangedTransaction, crate::Refusal> {
        FileReference::check(self.access, &holder)?;
        let kept = holder
            .files
            .iter()
            .filter(|id| **id != deleted)
            .map(|id| Attachment::File(*id))
            .collect();
        self.update(holder, &Changes { files: Some(kept), ..Changes::default() })
    }
}
