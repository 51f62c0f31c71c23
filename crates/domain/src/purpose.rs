//! What somebody enters a book for when they mean to write in it.
//!
//! Each purpose is a type, so the proof of access for one is not the proof for another. Its values
//! name the rows of the permission matrix that allow it: one row for most of them, several where
//! only the request says which it is.
//!
//! | Purpose | Rows of the matrix | What is written |
//! |---|---|---|
//! | [`Record`] | `RecordDraft`, `EditDraft`, `Post`, `Check` | transactions and all that follows from them, files |
//! | [`WriteChart`] | `WriteChart` | accounts, groups |
//! | [`WriteSavedQueries`] | `WriteSavedQueries` | saved queries |
//! | [`WriteIntegrations`] | `WriteIntegrations` | the apps installed |
//! | [`ManageCollaborators`] | `ManageCollaborators` | the list of collaborators |
//! | [`RemoveCollaborator`] | `ReadBook` for oneself, else `ManageCollaborators` | a row less in that list |
//! | [`UpdateBook`] | `UpdateBook` | the book's own settings |
//! | [`Audit`] | `UpdateBook` | the request for an audit, and what it finds |
//! | [`DeleteBook`] | `DeleteBook` | that the book is deleted, and how long it waits |
//! | [`RestoreBook`] | `RestoreBook` | that the book is not deleted |
//! | [`TransferBook`] | `TransferBook` | who owns the book |
//!
//! The other rows are for reading, or are asked about while writing (`Access::may`).

use crate::permission::Action;

/// What somebody means to write in a book.
pub trait Purpose: Copy {
    /// The row of the permission matrix that allows it.
    fn action(self) -> Action;
}

/// Recording: transactions, entries, totals, files. What may be done to which transaction depends
/// on its state, its date and its creator, and is decided transaction by transaction; this is the
/// least that is needed to begin.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Record {
    /// Makes drafts and files.
    Draft,
    /// Changes drafts and files.
    Edit,
    /// Posts, and changes what is posted.
    Post,
    /// Checks, and changes what is checked.
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

/// Taking somebody off the list of collaborators. Everybody may go by themselves (behaviour 7.5).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RemoveCollaborator {
    /// The caller.
    Oneself,
    /// Somebody else.
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

/// Declares the purposes that one row of the matrix allows.
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
    /// Writing saved queries.
    WriteSavedQueries by WriteSavedQueries;
    /// Installing, changing and removing apps.
    WriteIntegrations by WriteIntegrations;
    /// Replaying events, and deleting what apps have to say about them.
    ReplayEvents by WriteIntegrations;
    /// Adding collaborators and changing their permissions.
    ManageCollaborators by ManageCollaborators;
    /// Changing the settings of the book.
    UpdateBook by UpdateBook;
    /// Asking for an audit, and recording what it found.
    Audit by UpdateBook;
    /// Deleting the book.
    DeleteBook by DeleteBook;
    /// Bringing the deleted book back.
    RestoreBook by RestoreBook;
    /// Making somebody else the owner.
    TransferBook by TransferBook;
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::permission::{Permission, Verdict, verdict};

    /// Every value of every purpose.
    fn all() -> Vec<Action> {
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
    fn a_viewer_writes_nothing() {
        for action in all() {
            assert_eq!(verdict(action, Permission::Viewer), Verdict::No, "{action:?}");
        }
        assert_eq!(verdict(RestoreBook.action(), Permission::Viewer), Verdict::Hidden);
        assert_eq!(verdict(RemoveCollaborator::Oneself.action(), Permission::Viewer), Verdict::Yes);
    }

    #[test]
    fn the_owner_has_every_purpose() {
        assert!(all().into_iter().all(|action| Permission::Owner.may(action)));
    }

    #[test]
    fn who_writes_the_chart_records_too() {
        // So nobody who deletes an account is refused when its drafts are released.
        for permission in Permission::ALL {
            assert!(!permission.may(WriteChart.action()) || permission.may(Record::Edit.action()));
        }
    }
}
