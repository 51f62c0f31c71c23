//! The transactions and matches that the undo of an import may change.

use std::fmt;

/// The state of a transaction that a run recorded, at the time of its undo.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct RunTransaction {
    /// Whether it is in the trash.
    pub is_trashed: bool,
    /// Whether it is checked.
    pub is_checked: bool,
    /// Whether the run recorded it as checked.
    pub was_recorded_as_checked: bool,
    /// Whether anything but the run changed it, checked or unchecked it.
    pub is_changed: bool,
    /// Whether it was merged with another transaction.
    pub is_merged: bool,
    /// Whether it has comments.
    pub has_comments: bool,
    /// Whether it is on a reconciliation.
    pub is_reconciled: bool,
    /// Whether its date is locked.
    pub is_locked: bool,
    /// Whether the user may edit and trash transactions in its state.
    pub may_edit: bool,
}

/// The effect of the undo on a transaction of the run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum UndoAction {
    /// Trashes it, also if it is checked.
    Trash,
    /// Nothing, because it is in the trash already.
    AlreadyTrashed,
    /// Leaves it and lists it.
    Leave(LeaveReason),
}

/// Why an undo leaves a transaction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum LeaveReason {
    /// It was merged with another transaction.
    Merged,
    /// It is on a reconciliation.
    Reconciled,
    /// It was checked since.
    Checked,
    /// Its date is locked.
    Locked,
    /// It was changed since.
    Changed,
    /// It has comments.
    Commented,
    /// The user may not trash it.
    NotPermitted,
    /// An account would fall below its minimum balance.
    InsufficientFunds,
}

impl fmt::Display for LeaveReason {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            Self::Merged => "it was merged with another transaction",
            Self::Reconciled => "it is on a reconciliation",
            Self::Checked => "it was checked after the import",
            Self::Locked => "its date is locked",
            Self::Changed => "it was changed after the import",
            Self::Commented => "it has comments",
            Self::NotPermitted => "you may not trash it",
            Self::InsufficientFunds => "an account would fall below its minimum balance",
        })
    }
}

/// Decides what the undo does to a transaction that the run recorded.
pub const fn undo_action(facts: RunTransaction) -> UndoAction {
    let reason = if facts.is_merged {
        LeaveReason::Merged
    } else if facts.is_trashed {
        return UndoAction::AlreadyTrashed;
    } else if facts.is_reconciled {
        LeaveReason::Reconciled
    } else if facts.is_checked && !facts.was_recorded_as_checked {
        LeaveReason::Checked
    } else if facts.is_locked {
        LeaveReason::Locked
    } else if facts.is_changed {
        LeaveReason::Changed
    } else if facts.has_comments {
        LeaveReason::Commented
    } else if facts.may_edit {
        return UndoAction::Trash;
    } else {
        LeaveReason::NotPermitted
    };
    UndoAction::Leave(reason)
}

/// The effect of the undo on a match of the run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum MatchUndo {
    /// Removes the remote id that the run added.
    RemoveRemoteId,
    /// Deletes the stored pair. The transaction does not change.
    DeletePair,
    /// Leaves the transaction and lists it.
    Leave(LeaveReason),
}

/// Decides what the undo does to the transaction of a match.
///
/// `is_pair` tells that the run stored a pair and changed nothing. Other changes since do not
/// matter, because the transaction loses only the remote id.
pub const fn undo_match(facts: RunTransaction, is_pair: bool) -> MatchUndo {
    if is_pair {
        MatchUndo::DeletePair
    } else if facts.is_merged {
        MatchUndo::Leave(LeaveReason::Merged)
    } else if facts.is_checked {
        MatchUndo::Leave(LeaveReason::Checked)
    } else if facts.is_locked {
        MatchUndo::Leave(LeaveReason::Locked)
    } else if facts.may_edit {
        MatchUndo::RemoveRemoteId
    } else {
        MatchUndo::Leave(LeaveReason::NotPermitted)
    }
}

/// The state of an account that a run created, at the time of its undo.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct AccountFacts {
    /// Whether anything but the run changed it.
    pub is_changed: bool,
    /// The number of transactions outside the trash, drafts included, after the undo trashed those
    /// of the run.
    pub transactions: u64,
    /// Whether it is archived.
    pub is_archived: bool,
    /// Whether the user may write accounts.
    pub may_write: bool,
}

/// Returns whether the undo archives an account that the run created.
pub const fn may_archive_account(facts: AccountFacts) -> bool {
    facts.may_write && !facts.is_archived && !facts.is_changed && facts.transactions == 0
}
