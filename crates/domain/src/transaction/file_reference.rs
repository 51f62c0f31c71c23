//! The protection of files that are attached to transactions (behaviour 9.16).

use time::Date;

use super::Transaction;
use crate::access::Access;
use crate::calendar::format_iso;
use crate::file;
use crate::id::UserId;
use crate::permission::Action;

/// The transactions whose files one caller may neither delete nor replace: checked transactions,
/// transactions posted on a locked date, and those that the caller may not edit. The trash makes no
/// difference.
///
/// Storage has the same rule as an SQL condition, and a test that compares the two.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileReference {
    /// All transactions except the drafts of this caller.
    AllButDraftsOf(UserId),
    /// The checked transactions.
    Checked,
    /// The checked transactions, and those posted on a day up to this one.
    CheckedOrPostedUntil(Date),
}

impl FileReference {
    /// Returns the rule for a caller who may at least edit their own drafts.
    pub fn of(access: &Access) -> Self {
        if !access.may(Action::EditDraft) || !access.may(Action::Post) {
            return Self::AllButDraftsOf(access.user());
        }
        access.book().settings.locked_until().map_or(Self::Checked, Self::CheckedOrPostedUntil)
    }

    /// Returns whether the files of a transaction are protected.
    pub fn protects(self, holder: &Transaction) -> bool {
        match self {
            Self::AllButDraftsOf(user) => holder.is_posted() || holder.created_by != user,
            Self::Checked => holder.is_checked(),
            Self::CheckedOrPostedUntil(last) => {
                holder.is_checked() || (holder.is_posted() && holder.list_day <= last)
            }
        }
    }

    /// Makes only those checks of [`FileReference::check`] that concern the permission of the
    /// caller.
    ///
    /// # Errors
    /// [`file::Refusal::AttachedBeyondPermission`].
    pub fn check_permitted(access: &Access, holder: &Transaction) -> Result<(), file::Refusal> {
        let rule = Self::of(access);
        if matches!(rule, Self::AllButDraftsOf(_)) && rule.protects(holder) {
            return Err(file::Refusal::AttachedBeyondPermission(access.permission().as_str()));
        }
        Ok(())
    }

    /// Refuses to remove a file from a transaction that protects it, or to replace its content.
    ///
    /// # Errors
    /// [`file::Refusal::AttachedBeyondPermission`], [`file::Refusal::AttachedToChecked`],
    /// [`file::Refusal::AttachedOnLockedDate`].
    pub fn check(access: &Access, holder: &Transaction) -> Result<(), file::Refusal> {
        let rule = Self::of(access);
        if !rule.protects(holder) {
            return Ok(());
        }
        let id = || holder.id.to_string();
        Err(match rule {
            Self::AllButDraftsOf(_) => {
                file::Refusal::AttachedBeyondPermission(access.permission().as_str())
            }
            Self::Checked => file::Refusal::AttachedToChecked(id()),
            Self::CheckedOrPostedUntil(_) if holder.is_checked() => {
                file::Refusal::AttachedToChecked(id())
            }
            Self::CheckedOrPostedUntil(_) => {
                file::Refusal::AttachedOnLockedDate(id(), format_iso(holder.list_day))
            }
        })
    }
}
