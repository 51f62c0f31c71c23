//! Permissions and the permission matrix (behaviour 7.3).

use crate::named::named;

named! {
    /// A user's permission in a book: NONE < VIEWER and RECORDER (siblings) < POSTER < EDITOR <
    /// OWNER (behaviour 7.1).
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
    pub enum Permission {
        /// Does everything. Only the owner unlocks, deletes and publishes.
        Owner = "OWNER",
        /// Writes accounts and groups, checks, shares.
        Editor = "EDITOR",
        /// Records and views.
        Poster = "POSTER",
        /// Records drafts, and sees only its own.
        Recorder = "RECORDER",
        /// Views.
        Viewer = "VIEWER",
        /// Does nothing. The book does not exist for such a user.
        None = "NONE",
    }
}

impl Permission {
    /// Returns whether it includes the other permission (behaviour 7.1).
    pub const fn covers(self, other: Self) -> bool {
        other.bits() & !self.bits() == 0
    }

    /// Returns its parts as bits: viewing, recording, and the additions of each higher permission.
    pub(crate) const fn bits(self) -> u8 {
        match self {
            Self::Owner => 0b11111,
            Self::Editor => 0b01111,
            Self::Poster => 0b00111,
            Self::Recorder => 0b00010,
            Self::Viewer => 0b00001,
            Self::None => 0,
        }
    }

    /// Returns the permission that governs reading in a PUBLIC book: at least VIEWER.
    #[must_use]
    pub const fn in_public_book(self) -> Self {
        match self {
            Self::Recorder | Self::None => Self::Viewer,
            Self::Owner | Self::Editor | Self::Poster | Self::Viewer => self,
        }
    }

    /// Returns whether the matrix allows the action on everything, not only on one's own objects.
    pub const fn may(self, action: Action) -> bool {
        matches!(verdict(action, self), Verdict::Yes)
    }
}

/// The rows of the permission matrix.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Action {
    /// getBook.
    ReadBook,
    /// listTransactions, getTransaction, countTransactions.
    ReadTransactions,
    /// getFile, listFiles.
    ReadFiles,
    /// listComments and createComment on transactions that the user sees, and the events about
    /// comments.
    Comment,
    /// Delete a comment.
    DeleteComment,
    /// getBalances, countTransactionsPosted, read accounts, groups, saved queries and integrations.
    ReadChart,
    /// listEvents.
    ReadEvents,
    /// Create a draft or a file.
    RecordDraft,
    /// Update, trash, untrash a draft; update or delete a file.
    EditDraft,
    /// Post, create as posted, update unchecked, trash and untrash posted.
    Post,
    /// Check, uncheck, updateChecked, trashChecked, untrash to checked.
    Check,
    /// Write accounts and groups.
    WriteChart,
    /// Update settings and properties of the book; audit it.
    UpdateBook,
    /// Set or advance the lock and closing date.
    AdvanceDates,
    /// Move these dates back or clear them.
    ReopenDates,
    /// Change locked groups and their members.
    WriteLockedGroups,
    /// Delete the book.
    DeleteBook,
    /// Restore the deleted book.
    RestoreBook,
    /// Transfer the ownership.
    TransferBook,
    /// Make the book PUBLIC or PRIVATE.
    ChangeVisibility,
    /// listCollaborators, and the events about collaborators.
    ListCollaborators,
    /// Add and remove collaborators.
    ManageCollaborators,
    /// Write saved queries.
    WriteSavedQueries,
    /// Install, change and remove apps.
    WriteIntegrations,
    /// Copy the book's structure.
    CopyBook,
    /// Copy the book with its transactions.
    CopyTransactions,
}

impl Action {
    /// Returns whether the action is reserved for collaborators, even in a PUBLIC book.
    pub const fn is_for_collaborators(self) -> bool {
        matches!(self, Self::ListCollaborators | Self::Comment | Self::DeleteComment)
    }

    /// Returns whether the action only reads, or has the permission of a read.
    ///
    /// Every collaborator of a PUBLIC book may do the reads that the public may (behaviour 7.3), and
    /// comment on what it reads.
    pub const fn is_read(self) -> bool {
        matches!(
            self,
            Self::ReadBook
                | Self::ReadTransactions
                | Self::ReadFiles
                | Self::Comment
                | Self::ReadChart
                | Self::ReadEvents
                | Self::ListCollaborators
                | Self::CopyBook
        )
    }
}

/// A cell of the permission matrix.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// Allowed.
    Yes,
    /// Allowed on the caller's own objects. Other objects do not exist for the caller.
    Own,
    /// Refused with 403.
    No,
    /// Refused with 404: the book does not exist for the caller.
    Hidden,
}

/// Looks up a cell of the permission matrix (behaviour 7.3).
pub const fn verdict(action: Action, permission: Permission) -> Verdict {
    use Verdict::{Hidden, No, Own, Yes};
    let [owner, editor, poster, recorder, viewer] = match action {
        Action::ReadBook => [Yes, Yes, Yes, Yes, Yes],
        Action::ReadTransactions => [Yes, Yes, Yes, Own, Yes],
        Action::ReadFiles => [Yes, Yes, Yes, Own, Yes],
        Action::Comment => [Yes, Yes, Yes, Own, Yes],
        Action::DeleteComment => [Yes, Own, Own, Own, Own],
        Action::ReadChart => [Yes, Yes, Yes, No, Yes],
        Action::ReadEvents => [Yes, Yes, Yes, No, Yes],
        Action::RecordDraft => [Yes, Yes, Yes, Yes, No],
        Action::EditDraft => [Yes, Yes, Yes, Own, No],
        Action::Post => [Yes, Yes, Yes, No, No],
        Action::Check => [Yes, Yes, No, No, No],
        Action::WriteChart => [Yes, Yes, No, No, No],
        Action::UpdateBook => [Yes, Yes, No, No, No],
        Action::AdvanceDates => [Yes, Yes, No, No, No],
        Action::ReopenDates => [Yes, No, No, No, No],
        Action::WriteLockedGroups => [Yes, No, No, No, No],
        Action::DeleteBook => [Yes, No, No, No, No],
        Action::RestoreBook => [Yes, Hidden, Hidden, Hidden, Hidden],
        Action::TransferBook => [Yes, No, No, No, No],
        Action::ChangeVisibility => [Yes, No, No, No, No],
        Action::ListCollaborators => [Yes, Yes, Yes, No, Yes],
        Action::ManageCollaborators => [Yes, Yes, No, No, No],
        Action::WriteSavedQueries => [Yes, Yes, No, No, No],
        Action::WriteIntegrations => [Yes, Yes, No, No, No],
        Action::CopyBook => [Yes, Yes, Yes, No, Yes],
        Action::CopyTransactions => [Yes, No, No, No, No],
    };
    match permission {
        Permission::Owner => owner,
        Permission::Editor => editor,
        Permission::Poster => poster,
        Permission::Recorder => recorder,
        Permission::Viewer => viewer,
        Permission::None => Hidden,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn permissions_cover_lower_ones_and_themselves() {
        use Permission::{Editor, None as Nothing, Owner, Poster, Recorder, Viewer};
        let chains =
            [[Nothing, Viewer, Poster, Editor, Owner], [Nothing, Recorder, Poster, Editor, Owner]];
        for chain in chains {
            for (i, one) in chain.into_iter().enumerate() {
                for (j, other) in chain.into_iter().enumerate() {
                    assert_eq!(other.covers(one), i <= j, "{other:?}, {one:?}");
                }
            }
        }
        assert!(!Viewer.covers(Recorder) && !Recorder.covers(Viewer), "siblings");
    }

    #[test]
    fn book_is_hidden_without_permission() {
        for action in [Action::ReadBook, Action::Post, Action::DeleteBook, Action::ReadEvents] {
            assert_eq!(verdict(action, Permission::None), Verdict::Hidden);
        }
    }
}
