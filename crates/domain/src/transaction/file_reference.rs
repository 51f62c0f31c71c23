//! Which transactions keep the files they hold (behaviour 9.16).

use time::Date;

use super::Transaction;
use crate::access::Access;
use crate::calendar::format_iso;
use crate::file;
use crate::id::UserId;
use crate::permission::Action;

/// Which transactions keep the files they hold, for one caller: the file is neither deleted nor
/// given new content. A checked transaction and one posted on a locked date keep their documents,
/// also in the trash, and so does a transaction that the caller may not edit.
///
/// Storage has the same rule as an SQL condition, and a test that compares the two.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileReference {
    /// All but this caller's own drafts.
    AllButDraftsOf(UserId),
    /// The checked ones.
    Checked,
    /// The checked ones, and those posted on a day up to this one.
    CheckedOrPostedUntil(Date),
}

impl FileReference {
    /// The rule for a caller who may edit at least drafts of their own.
    #[must_use]
    pub fn of(access: &Access) -> Self {
        if !access.may(Action::EditDraft) || !access.may(Action::Post) {
            return Self::AllButDraftsOf(access.user());
        }
        access.book().settings.locked_until().map_or(Self::Checked, Self::CheckedOrPostedUntil)
    }

    /// Whether a transaction keeps its files.
    #[must_use]
    pub fn keeps(self, holder: &Transaction) -> bool {
        match self {
            Self::AllButDraftsOf(user) => holder.is_posted() || holder.created_by != user,
            Self::Checked => holder.is_checked(),
            Self::CheckedOrPostedUntil(last) => {
                holder.is_checked() || (holder.is_posted() && holder.list_day <= last)
            }
        }
    }

    /// Refuses what [`FileReference::check`] refuses because of the caller's permission.
    ///
    /// # Errors
    /// [`file::Refusal::HoldersNeedMore`].
    pub fn check_permitted(access: &Access, holder: &Transaction) -> Result<(), file::Refusal> {
        let hold = Self::of(access);
        if matches!(hold, Self::AllButDraftsOf(_)) && hold.keeps(holder) {
            return Err(file::Refusal::HoldersNeedMore(access.permission().as_str()));
        }
        Ok(())
    }

    /// Refuses to take a file from a transaction that keeps it, or to change the file's content.
    ///
    /// # Errors
    /// [`file::Refusal::HoldersNeedMore`], [`file::Refusal::HeldByChecked`],
    /// [`file::Refusal::HeldOnLockedDate`].
    pub fn check(access: &Access, holder: &Transaction) -> Result<(), file::Refusal> {
        let hold = Self::of(access);
        if !hold.keeps(holder) {
            return Ok(());
        }
        let id = || holder.id.to_string();
        Err(match hold {
            Self::AllButDraftsOf(_) => file::Refusal::HoldersNeedMore(access.permission().as_str()),
            Self::Checked => file::Refusal::HeldByChecked(id()),
            Self::CheckedOrPostedUntil(_) if holder.is_checked() => {
                file::Refusal::HeldByChecked(id())
            }
            Self::CheckedOrPostedUntil(_) => {
                file::Refusal::HeldOnLockedDate(id(), format_iso(holder.list_day))
            }
        })
    }
}
