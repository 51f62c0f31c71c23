//! Compares the row of a resource with the snapshot in its last event (behaviour 6.25).

use std::collections::BTreeSet;

use super::finding::{Finding, FindingKind, Findings};
use crate::account::{Account, Directory};
use crate::book::Book;
use crate::collaborator::Collaborator;
use crate::comment::Comment;
use crate::event::{EventType, snapshot};
use crate::file::{File, FilesById};
use crate::group::{Forest, Group};
use crate::id::{GroupId, UserId};
use crate::json::{Json, Object};
use crate::transaction::Transaction;

/// The fields of transactions that are compared.
const TRANSACTION: &[&str] = &[
    "amount",
    "checked",
    "creditAccount",
    "date",
    "debitAccount",
    "description",
    "posted",
    "properties",
    "remoteIds",
    "trashed",
    "urls",
];
const ACCOUNT: &[&str] = &["archived", "groups", "minBalance", "name", "properties", "type"];
const GROUP: &[&str] = &["hidden", "locked", "name", "parent", "properties"];
const COLLABORATOR: &[&str] = &["permission"];
const COMMENT: &[&str] = &["createdAt", "createdBy", "text", "transactionId"];
const FILE: &[&str] = &["contentType", "name", "properties", "sha256", "size"];
const BOOK: &[&str] = &[
    "autoPost",
    "closingDate",
    "datePattern",
    "decimalSeparator",
    "fractionDigits",
    "lockDate",
    "name",
    "pageSize",
    "period",
    "periodStartMonth",
    "properties",
    "scale",
    "timeZone",
    "visibility",
];
/// Fields that are missing in snapshots of earlier versions.
const ADDED_LATER: &[&str] = &["scale", "sha256"];
/// Maximum number of characters of a value in a finding.
const MAX_VALUE: usize = 80;

/// The last event of a resource.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LastEvent {
    /// Its type.
    pub kind: EventType,
    /// The user who acted.
    pub user: UserId,
    /// The snapshot of the resource.
    pub object: Object,
}

/// A row that is compared with the last event of its resource.
#[derive(Debug)]
pub struct AuditedRow<'r> {
    id: String,
    fields: &'static [&'static str],
    resource: Resource<'r>,
}

#[derive(Debug)]
enum Resource<'r> {
    Transaction(&'r Transaction),
    Account(&'r Account, &'r Forest),
    Group(&'r Group, &'r Forest),
    Collaborator(&'r Collaborator),
    Comment(&'r Comment),
    File(&'r File),
    Book(&'r Book),
}

impl<'r> AuditedRow<'r> {
    /// Wraps a transaction.
    pub fn of_transaction(row: &'r Transaction) -> Self {
        Self::new(&row.id, TRANSACTION, Resource::Transaction(row))
    }

    /// Wraps an account, with the groups of its book.
    pub fn of_account(row: &'r Account, groups: &'r Forest) -> Self {
        Self::new(&row.id, ACCOUNT, Resource::Account(row, groups))
    }

    /// Wraps a group, with the groups of its book.
    pub fn of_group(row: &'r Group, groups: &'r Forest) -> Self {
        Self::new(&row.id, GROUP, Resource::Group(row, groups))
    }

    /// Wraps a collaborator.
    pub fn of_collaborator(row: &'r Collaborator) -> Self {
        Self::new(&row.id, COLLABORATOR, Resource::Collaborator(row))
    }

    /// Wraps a comment.
    pub fn of_comment(row: &'r Comment) -> Self {
        Self::new(&row.id, COMMENT, Resource::Comment(row))
    }

    /// Wraps a file.
    pub fn of_file(row: &'r File) -> Self {
        Self::new(&row.id, FILE, Resource::File(row))
    }

    /// Wraps the book itself.
    pub fn of_book(row: &'r Book) -> Self {
        Self::new(&row.key, BOOK, Resource::Book(row))
    }

    fn new(id: &impl ToString, fields: &'static [&'static str], resource: Resource<'r>) -> Self {
        Self { id: id.to_string(), fields, resource }
    }

    /// Adds a finding for each field in which the row differs from its last event.
    pub fn compare(&self, last: &LastEvent, findings: &mut Findings) {
        if is_deletion(last.kind) {
            return self.add(findings, "deleted".to_owned(), "a row".to_owned());
        }
        let row = self.snapshot(last);
        for field in self.fields {
            let [logged, stored] = [&last.object, &row].map(|side| side.get(field));
            if logged.is_none() && ADDED_LATER.contains(field) {
                continue;
            }
            let [expected, actual] =
                [self.field_text(field, logged), self.field_text(field, stored)];
            if expected != actual && !self.is_deleted_parent(field, logged) {
                let [expected, actual] =
                    [expected, actual].map(|value| format!("{field} {}", shorten(&value)));
                self.add(findings, expected, actual);
            }
        }
    }

    /// Adds a finding about a row whose resource has no event.
    pub fn add_without_event(&self, findings: &mut Findings) {
        self.add(findings, "no row".to_owned(), "a row without an event".to_owned());
    }

    fn add(&self, findings: &mut Findings, expected: String, actual: String) {
        findings.add(Finding::new(FindingKind::Row, &self.id, expected, actual));
    }

    /// Returns the present snapshot of the row, with as many decimals as that of the last event.
    fn snapshot(&self, last: &LastEvent) -> Object {
        match self.resource {
            Resource::Transaction(row) => {
                let amount = last.object.get("amount").and_then(Json::as_text);
                let digits = amount
                    .and_then(|text| text.split_once('.'))
                    .map_or(0, |(_, tail)| u32::try_from(tail.len()).unwrap_or_default());
                let (accounts, files) = (Directory::new(Vec::new()), FilesById::default());
                snapshot::transaction(row, &accounts, &files, digits, last.user)
            }
            Resource::Account(row, groups) => snapshot::account(row, groups),
            Resource::Group(row, groups) => snapshot::group(row, groups),
            Resource::Collaborator(row) => snapshot::collaborator(row),
            Resource::Comment(row) => snapshot::comment(row, last.user),
            Resource::File(row) => snapshot::file(row),
            Resource::Book(row) => snapshot::book(row),
        }
    }

    /// Returns the value of a field as text: the id of another resource, the ids of existing
    /// groups.
    fn field_text(&self, field: &str, value: Option<&Json>) -> String {
        match (value, field) {
            (None, _) => "none".to_owned(),
            (Some(Json::List(items)), "groups") => {
                let ids: BTreeSet<String> =
                    items.iter().map(id_or_canonical).filter(|id| self.has_group(id)).collect();
                ids.into_iter().collect::<Vec<String>>().join(", ")
            }
            (Some(value), "creditAccount" | "debitAccount" | "parent") => id_or_canonical(value),
            (Some(Json::Text(text)), _) => text.clone(),
            (Some(value), _) => value.canonical(),
        }
    }

    /// Returns whether the parent of a group was deleted later, so that the group was moved up
    /// (behaviour 4.14).
    fn is_deleted_parent(&self, field: &str, logged: Option<&Json>) -> bool {
        field == "parent" && logged.is_some_and(|parent| !self.has_group(&id_or_canonical(parent)))
    }

    fn has_group(&self, id: &str) -> bool {
        match self.resource {
            Resource::Account(_, groups) | Resource::Group(_, groups) => {
                id.parse().is_ok_and(|id: GroupId| groups.get(id).is_some())
            }
            Resource::Transaction(_)
            | Resource::Collaborator(_)
            | Resource::Comment(_)
            | Resource::File(_)
            | Resource::Book(_) => false,
        }
    }
}

/// Returns whether an event of this type deletes a resource.
const fn is_deletion(kind: EventType) -> bool {
    matches!(
        kind,
        EventType::AccountDeleted
            | EventType::GroupDeleted
            | EventType::FileDeleted
            | EventType::CollaboratorRemoved
            | EventType::CommentDeleted
    )
}

fn id_or_canonical(value: &Json) -> String {
    let id = value.as_object().and_then(|object| object.get("id")).and_then(Json::as_text);
    id.map_or_else(|| value.canonical(), str::to_owned)
}

fn shorten(value: &str) -> String {
    if value.chars().count() <= MAX_VALUE {
        return value.to_owned();
    }
    value.chars().take(MAX_VALUE).chain("...".chars()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::account::AccountType;
    use crate::fixture::{account, group};

    fn found(row: &Account, forest: &Forest, kind: EventType, logged: Object) -> Vec<String> {
        let (mut findings, user) = (Findings::default(), UserId::new(1));
        let last = LastEvent { kind, user, object: logged };
        AuditedRow::of_account(row, forest).compare(&last, &mut findings);
        findings.all().map(|found| format!("{} | {}", found.expected, found.actual)).collect()
    }

    #[test]
    fn each_different_field_is_a_finding() {
        let forest = Forest::new(vec![group(1, None), group(2, None)], []);
        let train = || account(7, "Train", &[1]);
        for (row, expected) in [
            (train(), vec![]),
            // It is derived from transactions.
            (Account { has_transaction_posted: true, ..train() }, vec![]),
            (Account { archived: true, ..train() }, vec!["archived none | archived true"]),
            (account(7, "Train", &[2]), vec!["groups 1 | groups 2"]),
            (
                Account { kind: AccountType::Outgoing, ..train() },
                vec!["type ASSET | type OUTGOING"],
            ),
        ] {
            let logged = snapshot::account(&train(), &forest);
            assert_eq!(found(&row, &forest, EventType::AccountUpdated, logged), expected);
        }
        let logged = snapshot::account(&train(), &forest);
        let deleted = found(&train(), &forest, EventType::AccountDeleted, logged);
        assert_eq!(deleted, ["deleted | a row"]);
    }

    #[test]
    fn membership_of_deleted_group_is_no_finding() {
        let before = Forest::new(vec![group(1, None)], []);
        let logged = snapshot::account(&account(7, "Train", &[1]), &before);
        let (row, after) = (account(7, "Train", &[]), Forest::default());
        assert!(found(&row, &after, EventType::AccountUpdated, logged).is_empty());
    }
}
