//! Snapshots: a resource as its event shows it, compact and canonical (behaviour 8.16). Fields that
//! follow from others, and those that are false or empty, are left out, and added when the event is
//! read. Each noun's snapshot is written and read in one file, which alone knows its keys.

mod account;
mod fields;
mod file;
mod group;
mod transaction;

pub use account::{AccountSnapshot, account};
pub use fields::Unreadable;
pub use file::{FileSnapshot, file};
pub use group::{GroupSnapshot, group};
pub use transaction::{TransactionSnapshot, transaction};

use super::Noun;
use crate::book::Book;
use crate::calendar::format_iso;
use crate::collaborator::Collaborator;
use crate::json::{Json, Object};
use crate::saved_query::SavedQuery;
use fields::{some_text, stamped};

/// A collaborator.
#[must_use]
pub fn collaborator(collaborator: &Collaborator) -> Object {
    stamped(
        Object::new()
            .with("id", Json::text(collaborator.id.to_string()))
            .with("email", Json::text(collaborator.email.as_str()))
            .with("permission", Json::text(collaborator.permission.as_str())),
        &collaborator.stamp,
    )
}

/// A saved query.
#[must_use]
pub fn saved_query(saved: &SavedQuery) -> Object {
    stamped(
        Object::new()
            .with("id", Json::text(saved.id.to_string()))
            .with_some("title", some_text(&saved.title))
            .with("query", Json::text(saved.query.as_str())),
        &saved.stamp,
    )
}

/// A book's settings.
#[must_use]
pub fn book(book: &Book) -> Object {
    let settings = &book.settings;
    stamped(
        Object::new()
            .with("id", Json::text(book.key.as_str()))
            .with("name", Json::text(settings.name.as_str()))
            .with("autoPost", Json::Bool(settings.auto_post))
            .with_some("closingDate", settings.closing_date.map(|day| Json::text(format_iso(day))))
            .with_some("lockDate", settings.lock_date.map(|day| Json::text(format_iso(day))))
            .with("datePattern", Json::text(settings.date_pattern.as_str()))
            .with("decimalSeparator", Json::text(settings.decimal_separator.as_str()))
            .with("fractionDigits", Json::Number(i64::from(settings.fraction_digits)))
            .with("pageSize", Json::Number(i64::from(settings.page_size)))
            .with("period", Json::text(settings.period.as_str()))
            .with("periodStartMonth", Json::text(settings.period_start_month.as_str()))
            .with("timeZone", Json::text(settings.time_zone.as_str()))
            .with("visibility", Json::text(settings.visibility.as_str()))
            .with("ownerName", Json::text(book.owner_name.as_str()))
            .with_map("properties", settings.properties.iter()),
        &book.stamp,
    )
}

/// A snapshot read back, with what there is to fill in by.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Snapshot {
    /// A transaction.
    Transaction(Box<TransactionSnapshot>),
    /// An account.
    Account(AccountSnapshot),
    /// A group.
    Group(GroupSnapshot),
    /// A file.
    File(FileSnapshot),
    /// A saved query.
    SavedQuery(Object),
    /// A book or a collaborator.
    Other(Object),
}

impl Snapshot {
    /// Reads the snapshot of a resource.
    ///
    /// # Errors
    /// [`Unreadable`].
    pub(super) fn read(noun: Noun, object: Object) -> Result<Self, Unreadable> {
        Ok(match noun {
            Noun::Transaction => Self::Transaction(Box::new(TransactionSnapshot::read(object)?)),
            Noun::Account => Self::Account(AccountSnapshot::read(object)?),
            Noun::Group => Self::Group(GroupSnapshot::read(object)?),
            Noun::File => Self::File(FileSnapshot::read(object)?),
            Noun::SavedQuery => Self::SavedQuery(object),
            Noun::Book | Noun::Collaborator | Noun::Other => Self::Other(object),
        })
    }

    /// The account, if it is of one.
    #[must_use]
    pub fn into_account(self) -> Option<AccountSnapshot> {
        if let Self::Account(account) = self { Some(account) } else { None }
    }

    /// The group, if it is of one.
    #[must_use]
    pub fn into_group(self) -> Option<GroupSnapshot> {
        if let Self::Group(group) = self { Some(group) } else { None }
    }
}
