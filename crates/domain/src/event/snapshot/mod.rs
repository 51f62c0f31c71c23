//! Snapshots of resources in events (behaviour 8.16).
//!
//! Derived, false and empty fields are omitted, and added again when the event is read. One file
//! per noun writes and reads its snapshots, and only this file knows the keys.

mod account;
mod comment;
mod fields;
mod file;
mod group;
mod transaction;

pub use account::{AccountSnapshot, account};
pub use comment::{CommentSnapshot, comment};
pub use fields::Unreadable;
pub use file::{FileSnapshot, file};
pub use group::{GroupSnapshot, group};
pub use transaction::{TransactionSnapshot, transaction};

use super::Noun;
use crate::book::Book;
use crate::calendar::format_iso;
use crate::collaborator::Collaborator;
use crate::integration::Integration;
use crate::json::{Json, Object};
use crate::saved_query::SavedQuery;
use fields::{non_empty, with_stamp};

/// Creates the snapshot of a collaborator.
pub fn collaborator(collaborator: &Collaborator) -> Object {
    with_stamp(
        Object::new()
            .with("id", Json::text(collaborator.id.to_string()))
            .with("email", Json::text(collaborator.email.as_str()))
            .with("permission", Json::text(collaborator.permission.as_str())),
        &collaborator.stamp,
    )
}

/// Creates the snapshot of a saved query.
pub fn saved_query(saved: &SavedQuery) -> Object {
    with_stamp(
        Object::new()
            .with("id", Json::text(saved.id.to_string()))
            .with_some("title", non_empty(&saved.title))
            .with("query", Json::text(saved.query.as_str())),
        &saved.stamp,
    )
}

/// Creates the snapshot of an integration. `added_by` is the username of the installer.
pub fn integration(integration: &Integration, added_by: &str) -> Object {
    let Integration {
        id,
        app,
        installs_app: _,
        connection,
        name,
        installer,
        properties,
        reach,
        own_events,
        stamp,
    } = integration;
    let object = Object::new()
        .with("id", Json::text(id.to_string()))
        .with("name", Json::text(name.as_str()))
        .with("userId", Json::text(installer.to_string()))
        .with("addedBy", Json::text(added_by))
        .with_some("connectionId", connection.map(|id| Json::text(id.to_string())))
        .with_map("properties", properties.iter())
        .with("reach", Json::text(reach.as_str()))
        .with("ownEvents", Json::Bool(*own_events));
    with_stamp(object, stamp).with("agentId", Json::text(app.as_str()))
}

/// Creates the snapshot of a book.
pub fn book(book: &Book) -> Object {
    let settings = &book.settings;
    with_stamp(
        Object::new()
            .with("id", Json::text(book.key.as_str()))
            .with("name", Json::text(settings.name.as_str()))
            .with("autoPost", Json::Bool(settings.auto_post))
            .with_some("closingDate", settings.closing_date.map(|day| Json::text(format_iso(day))))
            .with_some("lockDate", settings.lock_date.map(|day| Json::text(format_iso(day))))
            .with("datePattern", Json::text(settings.date_pattern.as_str()))
            .with("decimalSeparator", Json::text(settings.decimal_separator.as_str()))
            .with("fractionDigits", Json::Number(i64::from(settings.fraction_digits)))
            .with("scale", Json::Number(i64::from(book.scale)))
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

/// A parsed snapshot.
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
    /// An integration.
    Integration(Object),
    /// A book.
    Book(Object),
    /// A collaborator.
    Collaborator(Object),
    /// A comment.
    Comment(CommentSnapshot),
}

impl Snapshot {
    /// Parses the snapshot of a resource.
    pub(super) fn read(noun: Noun, mut object: Object) -> Result<Self, Unreadable> {
        Ok(match noun {
            Noun::Transaction => Self::Transaction(Box::new(TransactionSnapshot::read(object)?)),
            Noun::Account => Self::Account(AccountSnapshot::read(object)?),
            Noun::Group => Self::Group(GroupSnapshot::read(object)?),
            Noun::File => Self::File(FileSnapshot::read(object)?),
            Noun::SavedQuery => Self::SavedQuery(object),
            Noun::Integration => Self::Integration(object),
            Noun::Book => {
                // Only audits use it (behaviour 6.25).
                object.remove("scale");
                Self::Book(object)
            }
            Noun::Collaborator => Self::Collaborator(object),
            Noun::Comment => Self::Comment(CommentSnapshot::read(object)?),
        })
    }

    /// Returns the account, if it is one.
    pub fn into_account(self) -> Option<AccountSnapshot> {
        if let Self::Account(account) = self { Some(account) } else { None }
    }

    /// Returns the group, if it is one.
    pub fn into_group(self) -> Option<GroupSnapshot> {
        if let Self::Group(group) = self { Some(group) } else { None }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::account::{AccountType, Directory};
    use crate::comment::Comment;
    use crate::file::FilesById;
    use crate::fixture::{self, day};
    use crate::group::Forest;
    use crate::id::{CommentId, TransactionId, UserId};
    use crate::instant::Instant;
    use crate::transaction::{Standing, Transaction};

    #[test]
    fn snapshots_round_trip() {
        let trips = fixture::group(1, None);
        let forest = Forest::new(vec![trips.clone()], []);
        let read = Snapshot::read(Noun::Group, group(&trips, &forest)).unwrap();
        let read = read.into_group().unwrap();
        assert_eq!((read.id, read.name.as_str()), (trips.id, "Group 1"));
        let train = fixture::account(2, "Train", &[1]);
        let read = Snapshot::read(Noun::Account, account(&train, &forest)).unwrap();
        let read = read.into_account().unwrap();
        assert_eq!((read.id, read.name.as_deref()), (train.id, Some("Train")));
        assert_eq!((read.kind, read.groups.unwrap().len()), (Some(AccountType::Asset), 1));

        let comment = Comment {
            id: CommentId::new(5),
            transaction: TransactionId::new(3),
            text: "Why?".to_owned(),
            author: UserId::new(7),
            agent: Some("bot".to_owned()),
            created_at: Instant::new(9),
        };
        for (actor, author) in [(7, None), (8, Some(comment.author))] {
            let written = super::comment(&comment, UserId::new(actor));
            let Ok(Snapshot::Comment(read)) = Snapshot::read(Noun::Comment, written) else {
                panic!("unreadable")
            };
            assert_eq!((read.author, read.agent.as_deref()), (author, Some("bot")));
            let keys: Vec<&str> = read.object.iter().map(|(key, _)| key).collect();
            assert_eq!(keys, ["createdAt", "id", "text", "transactionId"]);
        }

        let ride = Transaction {
            description: "ride".to_owned(),
            credit: None,
            ..fixture::transaction(3, Standing::Unchecked)
        };
        let directory = Directory::new(vec![train]);
        let read = |actor| {
            let written = transaction(&ride, &directory, &FilesById::default(), 2, actor);
            match Snapshot::read(Noun::Transaction, written) {
                Ok(Snapshot::Transaction(read)) => *read,
                other => panic!("{other:?}"),
            }
        };
        let other = read(UserId::new(8));
        assert_eq!((other.date, other.posted), (Some(day("2025-01-15")), true));
        assert_eq!((&*other.description, other.created_by), ("ride", Some(ride.created_by)));
        assert_eq!(read(ride.created_by).created_by, None);
        let side = other.debit.unwrap();
        assert_eq!((side.id.get(), side.name.as_deref()), (2, Some("Train")));
        assert!(other.credit.is_none() && side.kind.is_none() && side.groups.is_none());
    }

    #[test]
    fn malformed_snapshots_are_unreadable() {
        let unreadable = |noun, object| Snapshot::read(noun, object).unwrap_err().0;
        assert_eq!(unreadable(Noun::Group, Object::new()), "id");
        let numbered = Object::new().with("id", Json::Number(1));
        assert_eq!(unreadable(Noun::Account, numbered), "id");
        let yesterday = Object::new().with("date", Json::text("yesterday"));
        assert_eq!(unreadable(Noun::Transaction, yesterday), "date");
    }
}
