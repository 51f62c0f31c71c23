//! Snapshots: a resource as its event shows it, compact and canonical (behaviour 8.16). Fields that
//! follow from others, and those that are false or empty, are left out, and added when the event is
//! read.

use crate::account::{Account, Directory};
use crate::amount;
use crate::book::Book;
use crate::calendar::format_iso;
use crate::collaborator::Collaborator;
use crate::file::{File, FilesById};
use crate::group::{Forest, Group};
use crate::id::{AccountId, UserId};
use crate::instant::Stamp;
use crate::json::{Json, Object};
use crate::saved_query::SavedQuery;
use crate::transaction::Transaction;

/// A transaction with the ids and names of its two accounts and what makes the addresses of its
/// files. Its id is the event's resource, and its creator is named only when somebody else acts:
/// there is one snapshot for every change, so it stays small (behaviour 8.16).
#[must_use]
pub fn transaction(
    transaction: &Transaction,
    accounts: &Directory,
    files: &FilesById,
    fraction_digits: u32,
    actor: UserId,
) -> Object {
    let side = |id: Option<AccountId>| {
        let id = id?;
        let name = accounts.get(id).map(|account| Json::text(account.name.as_str()));
        Some(Json::Object(
            Object::new().with("id", Json::text(id.to_string())).with_some("name", name),
        ))
    };
    let files: Vec<Json> =
        transaction.files.iter().filter_map(|id| files.get(*id)).map(attached).collect();
    Object::new()
        .with_some("date", transaction.date.map(|day| Json::text(format_iso(day))))
        .with_some(
            "amount",
            transaction
                .amount
                .map(|value| Json::text(amount::write(value.value(), fraction_digits))),
        )
        .with_some("description", some_text(&transaction.description))
        .with_some("creditAccount", side(transaction.credit))
        .with_some("debitAccount", side(transaction.debit))
        .with_flag("posted", transaction.is_posted())
        .with_flag("checked", transaction.is_checked())
        .with_flag("trashed", transaction.trashed)
        .with_texts("urls", &transaction.urls)
        .with_texts("remoteIds", &transaction.remote_ids)
        .with_some("files", (!files.is_empty()).then_some(Json::List(files)))
        .with_map("properties", transaction.properties.iter())
        .with_some(
            "createdBy",
            (transaction.created_by != actor)
                .then(|| Json::text(transaction.created_by.to_string())),
        )
        .with_some("agentId", transaction.stamp.agent.as_deref().map(Json::text))
}

/// An account with its own data and the ids and names of its groups.
#[must_use]
pub fn account(account: &Account, groups: &Forest) -> Object {
    let members = account.groups.iter().filter_map(|id| groups.get(*id)).map(named).collect();
    stamped(
        Object::new()
            .with("id", Json::text(account.id.to_string()))
            .with("name", Json::text(account.name.as_str()))
            .with("type", Json::text(account.kind.as_str()))
            .with_flag("archived", account.archived)
            .with_flag("hasTransactionPosted", account.has_transaction_posted)
            .with("groups", Json::List(members))
            .with_map("properties", account.properties.iter()),
        &account.stamp,
    )
}

/// A group with its own data and the id and name of its parent.
#[must_use]
pub fn group(group: &Group, forest: &Forest) -> Object {
    stamped(
        Object::new()
            .with("id", Json::text(group.id.to_string()))
            .with("name", Json::text(group.name.as_str()))
            .with_some("parent", group.parent.and_then(|id| forest.get(id)).map(named))
            .with_flag("hidden", group.hidden)
            .with_flag("locked", group.locked)
            .with_map("properties", group.properties.iter()),
        &group.stamp,
    )
}

/// A file without its content; the token becomes its address when the event is read.
#[must_use]
pub fn file(file: &File) -> Object {
    stamped(
        described(file)
            .with("size", Json::Number(file.content.size))
            .with_map("properties", file.properties.iter()),
        &file.stamp,
    )
}

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

/// A file in the snapshot of its transaction: as it was then, and kept when the file is deleted.
fn attached(file: &File) -> Json {
    Json::Object(described(file))
}

fn described(file: &File) -> Object {
    Object::new()
        .with("id", Json::text(file.id.to_string()))
        .with("name", Json::text(file.name.as_str()))
        .with("contentType", Json::text(file.content_type.as_str()))
        .with("token", Json::text(file.token.as_str()))
}

fn named(group: &Group) -> Json {
    Json::Object(
        Object::new()
            .with("id", Json::text(group.id.to_string()))
            .with("name", Json::text(group.name.as_str())),
    )
}

fn stamped(object: Object, stamp: &Stamp) -> Object {
    object
        .with("createdAt", Json::text(stamp.created_at.milliseconds().to_string()))
        .with("updatedAt", Json::text(stamp.updated_at.milliseconds().to_string()))
        .with_some("agentId", stamp.agent.as_deref().map(Json::text))
}

fn some_text(text: &str) -> Option<Json> {
    (!text.is_empty()).then(|| Json::text(text))
}
