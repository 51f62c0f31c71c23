//! Values for tests.

use std::collections::BTreeSet;

use time::Date;

use crate::account::{self, Account};
use crate::app::Visitor;
use crate::book::{self, Book, Settings};
use crate::calendar::parse_iso;
use crate::email::Email;
use crate::event::{EventOrigin, Previous};
use crate::field::Field;
use crate::file::FileSecret;
use crate::group::{self, Group};
use crate::id::{AccountId, BookId, BookKey, GroupId, TransactionId, UserId};
use crate::instant::{Instant, Stamp};
use crate::property::{Edits, Properties};
use crate::query::ParseContext;
use crate::transaction::{Standing, Transaction};

/// Parses an ISO date.
#[track_caller]
pub(crate) fn day(text: &str) -> Date {
    parse_iso(text).unwrap()
}

/// Parses an email address.
#[track_caller]
pub(crate) fn email(text: &str) -> Email {
    Email::parse(text).unwrap()
}

/// Returns the stamp of a resource created at the epoch.
pub(crate) const fn stamp() -> Stamp {
    Stamp::new(None, Instant::new(0))
}

/// Copies texts.
pub(crate) fn owned(texts: &[&str]) -> Vec<String> {
    texts.iter().map(|text| (*text).to_owned()).collect()
}

/// Creates the properties of a request body.
pub(crate) fn edits(pairs: &[(&str, Option<&str>)]) -> Edits {
    pairs.iter().map(|(key, value)| ((*key).to_owned(), value.map(str::to_owned))).collect()
}

/// Creates stored properties.
pub(crate) fn properties(pairs: &[(&str, &str)]) -> Properties {
    let own = |(key, value): &(&str, &str)| ((*key).to_owned(), (*value).to_owned());
    Properties::stored(pairs.iter().map(own).collect())
}

/// Returns previous values as pairs.
pub(crate) fn pairs(previous: &Previous) -> Vec<(&str, &str)> {
    previous.iter().map(|(key, value)| (key.as_str(), value.as_str())).collect()
}

/// Returns the context of behaviour 1.6.
pub(crate) fn query_context() -> ParseContext {
    ParseContext {
        today: day("2025-05-20"),
        pattern: crate::calendar::DatePattern::DayFirst,
        separator: crate::amount::DecimalSeparator::Dot,
    }
}

/// Creates a user who accesses an app and is not an administrator.
pub(crate) const fn visitor(id: i64, email: &Email) -> Visitor<'_> {
    Visitor { id: UserId::new(id), username: "ada", email, is_administrator: false }
}

/// Creates the book 1 of alice with these settings and the name "Book".
pub(crate) fn book(changes: book::Changes) -> Book {
    let changes = book::Changes { name: Some("Book".to_owned()), ..changes };
    Book {
        id: BookId::new(1),
        key: BookKey::new("k".to_owned()),
        owner_name: "alice".to_owned(),
        settings: Settings::create(changes).unwrap(),
        scale: 2,
        file_secret: FileSecret::default(),
        stamp: stamp(),
    }
}

/// Creates an asset account in these groups.
pub(crate) fn account(id: i64, name: &str, groups: &[i64]) -> Account {
    let changes = account::Changes {
        name: Some(name.to_owned()),
        groups: Field::Set(groups.iter().copied().map(GroupId::new).collect()),
        ..account::Changes::default()
    };
    let precision = book(book::Changes::default()).precision();
    Account::create(AccountId::new(id), changes, &BTreeSet::new(), precision, stamp()).unwrap()
}

/// Creates the group "Group {id}".
pub(crate) fn group(id: i64, parent: Option<i64>) -> Group {
    let changes = group::Changes {
        name: Some(format!("Group {id}")),
        parent: parent.map_or(Field::Keep, |id| Field::Set(GroupId::new(id))),
        ..group::Changes::default()
    };
    Group::create(GroupId::new(id), changes, stamp()).unwrap()
}

/// Creates a complete transaction of user 3 from account 1 to account 2, recorded `id` milliseconds
/// after the epoch.
pub(crate) fn transaction(id: i64, standing: Standing) -> Transaction {
    let list_day = day("2025-01-15");
    Transaction {
        id: TransactionId::new(id),
        date: Some(list_day),
        list_day,
        amount: crate::amount::Amount::from_units(1_000, 2),
        description: String::new(),
        credit: Some(AccountId::new(1)),
        debit: Some(AccountId::new(2)),
        standing,
        trashed: false,
        posted_at: (standing != Standing::Draft).then_some(Instant::new(id)),
        properties: Properties::default(),
        urls: Vec::new(),
        remote_ids: Vec::new(),
        files: Vec::new(),
        comment_count: 0,
        created_by: UserId::new(3),
        stamp: Stamp::new(None, Instant::new(id)),
    }
}

/// Returns the data of a request of user 7 in a book.
pub(crate) const fn origin(key: &BookKey) -> EventOrigin<'_> {
    EventOrigin {
        book: BookId::new(1),
        key,
        user: UserId::new(7),
        agent: None,
        at: Instant::new(1_700_000_000_000),
        depth: 0,
        cause_lease: None,
    }
}

/// Reads a file of `tests/cases`, whose rules the console has too.
#[track_caller]
pub(crate) fn shared_cases(file: &str) -> serde_json::Value {
    serde_json::from_str(file).unwrap()
}

/// Returns the items of a list of such a file.
#[track_caller]
pub(crate) fn items(list: &serde_json::Value) -> &[serde_json::Value] {
    list.as_array().unwrap()
}

/// Returns a text of such a file.
#[track_caller]
pub(crate) fn text_in<'v>(case: &'v serde_json::Value, key: &str) -> &'v str {
    case[key].as_str().unwrap()
}
