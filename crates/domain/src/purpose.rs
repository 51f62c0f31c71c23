//! Purposes of write access to a book.
//!
//! A purpose is a type, so a proof of access for one purpose does not type-check for another. Its
//! values name the rows of the permission matrix that allow it. Most purposes have one row; the
//! others have several, of which the request selects one.
//!
//! The remaining rows of the matrix are for reading, or are checked with `Access::may` during a
//! write.

use crate::permission::Action;

/// A kind of write to a book.
pub trait Purpose: Copy {
    /// Returns the row of the permission matrix that allows it.
    fn action(self) -> Action;
}

/// Writing of transactions, entries, totals and files.
///
/// This is the minimum to enter the book. Further checks of each transaction depend on its state,
/// its date and its creator.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Record {
    /// Creates drafts and files.
    Draft,
    /// Changes drafts and files.
    Edit,
    /// Posts, and changes posted transactions.
    Post,
    /// Checks, and changes checked transactions.
    Check,
}

impl Purpose for Record {
    fn action(self) -> Action {
        match self {
            Self::Draft => Action::RecordDraft,
            Self::Edit => Action::EditDraft,
            Self::Post => Action::Post,
            Self::Check => Action::Check,
        }
    }
}

/// Removal of a collaborator. Every collaborator may leave (behaviour 7.5).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RemoveCollaborator {
    /// The caller leaves the book.
    Oneself,
    /// The caller removes another collaborator.
    Other,
}

impl Purpose for RemoveCollaborator {
    fn action(self) -> Action {
        match self {
            Self::Oneself => Action::ReadBook,
            Self::Other => Action::ManageCollaborators,
        }
    }
}

/// Declares purposes that one row of the matrix allows.
macro_rules! purposes {
    ($($(#[$doc:meta])* $purpose:ident by $action:ident;)*) => {
        $(
            $(#[$doc])*
            #[derive(Debug, Clone, Copy, PartialEq, Eq)]
            pub struct $purpose;

            impl Purpose for $purpose {
                fn action(self) -> Action {
                    Action::$action
                }
            }
        )*
    };
}

purposes! {
    /// Writing accounts, groups and memberships.
    WriteChart by WriteChart;
    /// Writing and deleting comments. Deletion is further checked by the author.
    WriteComments by Comment;
    /// Writing saved queries.
    WriteSavedQueries by WriteSavedQueries;
    /// Installing, changing and removing apps.
    WriteIntegrations by WriteIntegrations;
    /// Replaying events, and deleting app responses.
    ReplayEvents by WriteIntegrations;
    /// Adding collaborators and changing their permissions.
    ManageCollaborators by ManageCollaborators;
    /// Changing the settings of the book.
    UpdateBook by UpdateBook;
    /// Requesting an audit, and recording its findings.
    Audit by UpdateBook;
    /// Deleting the book.
    DeleteBook by DeleteBook;
    /// Restoring the deleted book.
    RestoreBook by RestoreBook;
    /// Transferring the ownership.
    TransferBook by TransferBook;
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::permission::{Permission, Verdict, verdict};

    /// Returns the actions of all purposes but commenting, and restoring and leaving the book.
    fn actions() -> Vec<Action> {
        let one = [
            WriteChart.action(),
            WriteSavedQueries.action(),
            WriteIntegrations.action(),
            ReplayEvents.action(),
            ManageCollaborators.action(),
            UpdateBook.action(),
            Audit.action(),
            DeleteBook.action(),
            TransferBook.action(),
            RemoveCollaborator::Other.action(),
        ];
        let record = [Record::Draft, Record::Edit, Record::Post, Record::Check];
        one.into_iter().chain(record.map(Purpose::action)).collect()
    }

    #[test]
    fn viewer_may_only_comment_and_leave() {
        for action in actions() {
            assert_eq!(verdict(action, Permission::Viewer), Verdict::No, "{action:?}");
        }
        assert_eq!(verdict(RestoreBook.action(), Permission::Viewer), Verdict::Hidden);
        assert_eq!(verdict(RemoveCollaborator::Oneself.action(), Permission::Viewer), Verdict::Yes);
        assert_eq!(verdict(WriteComments.action(), Permission::Viewer), Verdict::Yes);
    }

    #[test]
    fn owner_has_every_purpose() {
        assert!(actions().into_iter().all(|action| Permission::Owner.may(action)));
    }

    #[test]
    fn chart_writers_may_record() {
        // Otherwise the deletion of an account could fail when it releases the account's drafts.
        for permission in Permission::ALL {
            assert!(!permission.may(WriteChart.action()) || permission.may(Record::Edit.action()));
        }
    }
}
