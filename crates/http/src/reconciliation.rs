//! Reconciliations: handlers and wire shapes (behaviour 14).

use std::collections::HashMap;

use daybook_domain::access::Access;
use daybook_domain::account::Account;
use daybook_domain::amount::write_units;
use daybook_domain::calendar::format_iso;
use daybook_domain::event::public_id;
use daybook_domain::field::Field;
use daybook_domain::id::{BookKey, FileId, TransactionId, UserId};
use daybook_domain::reconciliation::{EntryChange, EntrySums, Reconciliation};
use daybook_service::Context;
use daybook_service::reconciliation::{self, Detail, Input, View};
use daybook_storage::page::PageKey;
use serde::{Deserialize, Serialize};

use crate::account::BriefOut;
use crate::body::Body;
use crate::cursor::{self, ReconciliationCursor};
use crate::reply::{self, ApiResult, Reply};
use crate::request::ApiRequest;
use crate::wire::{ListOut, RefIn, StampOut, TextOrNumber, convert, field, list, objects_only};

/// The body of a reconciliation.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", remote = "Self")]
pub(crate) struct ReconciliationIn {
    #[serde(default)]
    account: Option<RefIn>,
    #[serde(default, deserialize_with = "field")]
    date: Field<String>,
    #[serde(default, deserialize_with = "field")]
    closing_balance: Field<TextOrNumber>,
    #[serde(default, deserialize_with = "field")]
    file_id: Field<String>,
    #[serde(default, deserialize_with = "list")]
    add: Option<Vec<String>>,
    #[serde(default, deserialize_with = "list")]
    remove: Option<Vec<String>>,
}

objects_only!(ReconciliationIn);

impl From<ReconciliationIn> for Input {
    fn from(body: ReconciliationIn) -> Self {
        let ReconciliationIn { account, date, closing_balance, file_id, add, remove } = body;
        Self {
            account: account.map(Into::into),
            date,
            closing_balance: convert(closing_balance),
            file: file_id,
            add: add.unwrap_or_default(),
            remove: remove.unwrap_or_default(),
        }
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ReconciliationOut<'v> {
    id: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    account: Option<BriefOut<'v>>,
    date: String,
    closing_balance: String,
    opening_balance: String,
    movement: String,
    difference: String,
    transaction_count: i64,
    #[serde(skip_serializing_if = "Option::is_none")]
    file_id: Option<String>,
    created_by: String,
    #[serde(flatten)]
    stamp: StampOut,
}

impl<'v> ReconciliationOut<'v> {
    fn new(view: &'v View, reconciliation: &Reconciliation) -> Self {
        let Reconciliation { id, account, date, closing, file, created_by, stamp } = reconciliation;
        let account = view.accounts.get(*account);
        let sums = view.sums.get(id).copied().unwrap_or_default();
        let EntrySums { opening, movement, count } = sums;
        let closing = closing.units(view.access.book().scale);
        let amount = |raw| amount(&view.access, account, raw);
        Self {
            id: id.to_string(),
            account: account.map(BriefOut::from),
            date: format_iso(*date),
            closing_balance: amount(closing),
            opening_balance: amount(opening),
            movement: amount(movement),
            difference: amount(sums.difference(closing)),
            transaction_count: count,
            file_id: file.as_ref().map(FileId::to_string),
            created_by: view.usernames.get(created_by).cloned().unwrap_or_default(),
            stamp: StampOut::from(stamp),
        }
    }
}

/// Formats a raw balance in the sign of its account.
fn amount(access: &Access, account: Option<&Account>, raw: i128) -> String {
    let book = access.book();
    let balance = account.map_or(raw, |account| account.kind.normal_balance(raw));
    write_units(balance, book.scale, book.settings.fraction_digits)
}

/// A reconciliation with its transactions.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct DetailOut<'v> {
    #[serde(flatten)]
    reconciliation: ReconciliationOut<'v>,
    transaction_ids: Vec<String>,
    changes: Vec<ChangeOut<'v>>,
}

/// A change of a transaction after it was put on a reconciliation.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ChangeOut<'v> {
    transaction_id: String,
    event_id: String,
    sequence: i64,
    r#type: &'static str,
    username: &'v str,
    #[serde(skip_serializing_if = "Option::is_none")]
    agent_id: Option<&'v str>,
    created_at: String,
}

impl<'v> ChangeOut<'v> {
    fn new(
        usernames: &'v HashMap<UserId, String>,
        book: &BookKey,
        change: &'v EntryChange,
    ) -> Self {
        let EntryChange { transaction, sequence, kind, user, agent, at } = change;
        Self {
            transaction_id: transaction.to_string(),
            event_id: public_id(*sequence, book),
            sequence: *sequence,
            r#type: kind.as_str(),
            username: usernames.get(user).map(String::as_str).unwrap_or_default(),
            agent_id: agent.as_deref(),
            created_at: at.milliseconds().to_string(),
        }
    }
}

/// Encodes the only reconciliation of a use case.
fn to_reply(view: &View, _: &Context) -> Reply {
    match view.reconciliations.first() {
        Some(reconciliation) => reply::ok(&ReconciliationOut::new(view, reconciliation)),
        None => reply::nothing(),
    }
}

/// GET reconciliations.
pub(crate) async fn list_reconciliations(request: ApiRequest) -> ApiResult {
    let (book, limit) = (request.book(), request.limit());
    let cursor: Option<ReconciliationCursor> = request.cursor().and_then(cursor::read);
    let after = cursor.as_ref().map(|cursor| PageKey { day: cursor.day, id: cursor.id });
    let own = request.text("account").map(str::to_owned);
    let account = own.or_else(|| cursor.and_then(|cursor| cursor.account));
    let filter = account.clone();
    let encode = move |view: &View, _: &Context| {
        let items = view.reconciliations.iter();
        let items = items.map(|row| ReconciliationOut::new(view, row)).collect();
        let next = view.next.and_then(|PageKey { day, id }| {
            cursor::write(&ReconciliationCursor { day, id, account: account.clone() })
        });
        reply::ok(&ListOut { items, cursor: next })
    };
    request
        .read_replicated(
            move |tx, cx| reconciliation::list(tx, cx, &book, filter.as_deref(), limit, after),
            encode,
        )
        .await
}

/// GET reconciliations/{id}.
pub(crate) async fn get_reconciliation(request: ApiRequest) -> ApiResult {
    let (book, id) = (request.book(), request.id());
    let encode = |detail: &Detail, _: &Context| {
        let Detail { view, transactions, changes } = detail;
        let Some(reconciliation) = view.reconciliations.first() else { return reply::nothing() };
        let key = &view.access.book().key;
        let changes = changes.iter().map(|change| ChangeOut::new(&view.usernames, key, change));
        reply::ok(&DetailOut {
            reconciliation: ReconciliationOut::new(view, reconciliation),
            transaction_ids: transactions.iter().map(TransactionId::to_string).collect(),
            changes: changes.collect(),
        })
    };
    request.read_replicated(move |tx, cx| reconciliation::get(tx, cx, &book, &id), encode).await
}

/// POST reconciliations.
pub(crate) async fn create_reconciliation(
    request: ApiRequest,
    body: Body<ReconciliationIn>,
) -> ApiResult {
    let input = Input::from(body.0);
    request
        .write_book(move |tx, cx, book| reconciliation::create(tx, cx, book, input), to_reply)
        .await
}

/// PUT reconciliations/{id}.
pub(crate) async fn update_reconciliation(
    request: ApiRequest,
    body: Body<ReconciliationIn>,
) -> ApiResult {
    let (id, input) = (request.id(), Input::from(body.0));
    request
        .write_book(move |tx, cx, book| reconciliation::update(tx, cx, book, &id, input), to_reply)
        .await
}

/// DELETE reconciliations/{id}.
pub(crate) async fn delete_reconciliation(request: ApiRequest) -> ApiResult {
    let id = request.id();
    request
        .write_book(move |tx, cx, book| reconciliation::delete(tx, cx, book, &id), to_reply)
        .await
}
