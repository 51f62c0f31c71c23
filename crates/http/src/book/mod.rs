//! Books: handlers and wire shapes.
//!
//! Most operations are one use case on one book. The exception is the copy of a large book, which
//! is written in several units of work and becomes visible at the end (`copy`).

mod copy;

use std::collections::BTreeMap;

use actix_web::web::Bytes;
use daybook_domain::access::Access;
use daybook_domain::amount::DecimalSeparator;
use daybook_domain::book::{Changes, Deletion, Period, Refusal, StartMonth, Visibility};
use daybook_domain::calendar::{DatePattern, format_iso, month_number};
use daybook_domain::field::Field;
use daybook_domain::instant::Instant;
use daybook_domain::view_rights::Shown;
use daybook_edge::response_budget::{self, EncodeError};
use daybook_service::book::{self, BookSummary, CopyRequest, Input, View};
use daybook_service::{Context, Target, audit, zone};
use daybook_storage::Tx;
use daybook_storage::book::BookCounters;
use serde::{Deserialize, Deserializer, Serialize};

use crate::account::{AccountIn, AccountsOut};
use crate::body::{Body, MaybeBody};
use crate::collection::{CollectionAround, CollectionOut, CollectionsOfList};
use crate::group::{GroupIn, GroupsOut};
use crate::reply::{self, ApiResult, Reply};
use crate::request::ApiRequest;
use crate::wire::{
    ListOut, PropertiesIn, StampOut, TextOrNumber, field, id_text, list, objects_only, one_of,
    properties,
};

/// The body of a book. Embedded groups and accounts are used in a create only (behaviour 6.1, 6.4).
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", remote = "Self")]
pub(crate) struct BookIn {
    #[serde(default)]
    id: Option<TextOrNumber>,
    #[serde(default)]
    name: Option<String>,
    #[serde(default)]
    auto_post: Option<bool>,
    #[serde(default, deserialize_with = "field")]
    closing_date: Field<String>,
    #[serde(default, deserialize_with = "field")]
    lock_date: Field<String>,
    #[serde(default, deserialize_with = "date_pattern")]
    date_pattern: Option<DatePattern>,
    #[serde(default, deserialize_with = "decimal_separator")]
    decimal_separator: Option<DecimalSeparator>,
    #[serde(default)]
    fraction_digits: Option<i64>,
    #[serde(default)]
    page_size: Option<i64>,
    #[serde(default, deserialize_with = "period")]
    period: Option<Period>,
    #[serde(default, deserialize_with = "month")]
    period_start_month: Option<StartMonth>,
    #[serde(default)]
    time_zone: Option<String>,
    #[serde(default, deserialize_with = "visibility")]
    visibility: Option<Visibility>,
    #[serde(default)]
    properties: PropertiesIn,
    #[serde(default, deserialize_with = "list")]
    groups: Option<Vec<GroupIn>>,
    #[serde(default, deserialize_with = "list")]
    accounts: Option<Vec<AccountIn>>,
}

objects_only!(BookIn);

fn date_pattern<'de, D: Deserializer<'de>>(reader: D) -> Result<Option<DatePattern>, D::Error> {
    one_of(reader, "dd/MM/yyyy, MM/dd/yyyy, yyyy/MM/dd", DatePattern::from_name)
}

fn decimal_separator<'de, D: Deserializer<'de>>(
    reader: D,
) -> Result<Option<DecimalSeparator>, D::Error> {
    one_of(reader, "DOT, COMMA", DecimalSeparator::from_name)
}

fn visibility<'de, D: Deserializer<'de>>(reader: D) -> Result<Option<Visibility>, D::Error> {
    one_of(reader, "PUBLIC, PRIVATE", Visibility::from_name)
}

fn period<'de, D: Deserializer<'de>>(reader: D) -> Result<Option<Period>, D::Error> {
    one_of(reader, "MONTH, QUARTER, YEAR", Period::from_name)
}

fn month<'de, D: Deserializer<'de>>(reader: D) -> Result<Option<StartMonth>, D::Error> {
    one_of(reader, "JANUARY to DECEMBER", StartMonth::from_name)
}

impl From<BookIn> for Changes {
    fn from(body: BookIn) -> Self {
        let BookIn {
            id: _,
            name,
            auto_post,
            closing_date,
            lock_date,
            date_pattern,
            decimal_separator,
            fraction_digits,
            page_size,
            period,
            period_start_month,
            time_zone,
            visibility,
            properties,
            groups: _,
            accounts: _,
        } = body;
        Self {
            name,
            auto_post,
            closing_date,
            lock_date,
            date_pattern,
            decimal_separator,
            fraction_digits,
            page_size,
            period,
            period_start_month,
            time_zone,
            visibility,
            properties: properties.unwrap_or_default(),
        }
    }
}

/// A book with the permission of the caller (behaviour 6.2).
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct BookOut<'v> {
    id: String,
    name: String,
    permission: &'static str,
    visibility: &'static str,
    owner_name: String,
    auto_post: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    closing_date: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    lock_date: Option<String>,
    date_pattern: &'static str,
    decimal_separator: &'static str,
    fraction_digits: u32,
    page_size: i32,
    period: &'static str,
    period_start_month: &'static str,
    time_zone: String,
    time_zone_offset: i32,
    properties: BTreeMap<String, String>,
    last_update_ms: String,
    total_transactions: i64,
    total_transactions_current_month: i64,
    total_transactions_current_year: i64,
    #[serde(flatten)]
    stamp: StampOut,
    #[serde(skip_serializing_if = "Option::is_none")]
    accounts: Option<AccountsOut<'v>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    groups: Option<GroupsOut<'v>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    collection: Option<CollectionAround<'v>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    deleted_at: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    expires_at: Option<String>,
}

impl<'v> BookOut<'v> {
    pub(crate) fn new(access: &Access, activity: BookCounters, cx: &Context) -> Self {
        let book = access.book();
        let settings = &book.settings;
        let (this_month, this_year) = activity.current(month_number(cx.today(book)));
        Self {
            id: book.key.as_str().to_owned(),
            name: settings.name.as_str().to_owned(),
            permission: access.permission().as_str(),
            visibility: settings.visibility.as_str(),
            owner_name: book.owner_name.clone(),
            auto_post: settings.auto_post,
            closing_date: settings.closing_date.map(format_iso),
            lock_date: settings.lock_date.map(format_iso),
            date_pattern: settings.date_pattern.as_str(),
            decimal_separator: settings.decimal_separator.as_str(),
            fraction_digits: settings.fraction_digits,
            page_size: settings.page_size,
            period: settings.period.as_str(),
            period_start_month: settings.period_start_month.as_str(),
            time_zone: settings.time_zone.clone(),
            time_zone_offset: zone::offset_minutes(cx.now, &settings.time_zone),
            properties: properties(&settings.properties),
            last_update_ms: activity.changed_at.milliseconds().to_string(),
            total_transactions: activity.posted,
            total_transactions_current_month: this_month,
            total_transactions_current_year: this_year,
            stamp: StampOut::from(&book.stamp),
            accounts: None,
            groups: None,
            collection: None,
            deleted_at: None,
            expires_at: None,
        }
    }

    pub(crate) fn with_collection(
        self,
        collection: Option<&'v daybook_service::collection::View>,
        cx: &Context,
    ) -> Self {
        let around = |view| CollectionAround::One(Box::new(CollectionOut::new(view, cx)));
        Self { collection: collection.map(around), ..self }
    }

    /// Adds the deletion, for lists of deleted books (behaviour 12.12).
    fn with_deletion(self, deletion: Option<Deletion>) -> Self {
        let text = |at: Instant| at.milliseconds().to_string();
        let deleted_at = deletion.map(|deletion| text(deletion.deleted_at));
        let expires_at = deletion.and_then(|deletion| deletion.kept_until).map(text);
        Self { deleted_at, expires_at, ..self }
    }

    /// Encodes the response of listBooks, in which many books may have the same collection.
    fn list_of_user(views: &'v [View], cx: &Context) -> Result<Bytes, EncodeError> {
        let shown = views.iter().filter_map(|view| view.collection.as_deref());
        let mut collections = CollectionsOfList::new(shown, cx)?;
        let mut row = |view: &'v View| {
            let around = view.collection.as_deref().and_then(|view| collections.in_next_row(view));
            let book = Self::new(&view.access, view.counters, cx).with_deletion(view.deletion);
            Self { collection: around, ..book }
        };
        response_budget::encode(&ListOut::complete(views.iter().map(&mut row).collect()))
    }

    pub(crate) fn list(books: &'v [BookSummary], cx: &Context) -> ListOut<Self> {
        ListOut::complete(books.iter().map(|book| Self::of_summary(book, cx)).collect())
    }

    pub(crate) fn of_summary(book: &'v BookSummary, cx: &Context) -> Self {
        Self::new(&book.access, book.counters, cx)
    }

    pub(crate) fn of(view: &'v View, cx: &Context) -> Self {
        Self {
            accounts: view.accounts.as_ref().map(AccountsOut),
            groups: view.groups.as_ref().map(GroupsOut),
            ..Self::new(&view.access, view.counters, cx)
                .with_collection(view.collection.as_deref(), cx)
        }
    }
}

pub(crate) fn to_reply(view: &View, cx: &Context) -> Reply {
    reply::ok(&BookOut::of(view, cx)).with_etag(view.access.book()).showing(shown(view))
}

/// Returns the book of a response and those of its collection.
fn shown(view: &View) -> impl Iterator<Item = Shown> {
    let around = view.collection.iter().flat_map(|collection| &collection.books);
    let around = around.map(|summary| &summary.access);
    let books = std::iter::once(&view.access).chain(around);
    books.map(|access| Shown::Book(access.book().key.clone()))
}

/// GET books.
pub(crate) async fn list_books(request: ApiRequest) -> ApiResult {
    let term = request.text("query").unwrap_or_default().to_owned();
    let deleted = request.flag("deleted") == Some(true);
    let list = if deleted { book::list_deleted } else { book::list };
    request
        .read(
            move |tx, cx| list(tx, cx, &term),
            |views, cx| reply::json(BookOut::list_of_user(views, cx)),
        )
        .await
}

/// POST books. The name in the body takes precedence over the parameter (behaviour 6.1).
pub(crate) async fn create_new_book(request: ApiRequest, body: MaybeBody<BookIn>) -> ApiResult {
    let mut body = body.0.unwrap_or_default();
    let groups = body.groups.take().unwrap_or_default();
    let accounts = body.accounts.take().unwrap_or_default();
    let changes = Changes::from(body);
    let name = changes
        .name
        .clone()
        .filter(|name| !name.trim().is_empty())
        .or_else(|| request.text_without_nul("name"));
    let input = Input {
        changes: Changes { name, ..changes },
        groups: groups.into_iter().map(GroupIn::into_input).collect(),
        accounts: accounts.into_iter().map(AccountIn::into_input).collect(),
    };
    request.write(book::CREATE_TARGET, move |tx, cx| book::create(tx, cx, input), to_reply).await
}

/// GET books/{bookId}.
pub(crate) async fn get_book(request: ApiRequest) -> ApiResult {
    let id = request.book();
    let (accounts, groups) =
        (request.flag("loadAccounts") == Some(true), request.flag("loadGroups") == Some(true));
    request.read_replicated(move |tx, cx| book::get(tx, cx, &id, accounts, groups), to_reply).await
}

/// PUT books, the id in the body.
pub(crate) async fn update_book(request: ApiRequest, body: Body<BookIn>) -> ApiResult {
    let mut body = body.0;
    let id =
        id_text(body.id.take()).ok_or_else(|| daybook_service::Error::from(Refusal::IdRequired))?;
    update(request, id, body).await
}

/// PUT books/{bookId}. The id in the path takes precedence (behaviour 6.4).
pub(crate) async fn update_book_deprecated(request: ApiRequest, body: Body<BookIn>) -> ApiResult {
    let id = request.book();
    update(request, id, body.0).await
}

async fn update(request: ApiRequest, id: String, body: BookIn) -> ApiResult {
    let changes = Changes::from(body);
    let logged_change = changes.visibility.map(|_| "visibility");
    let to_reply = move |view: &View, cx: &Context| to_reply(view, cx).changing(logged_change);
    request
        .conditional()?
        .write(Target::Book(id.clone()), move |tx, cx| book::update(tx, cx, &id, changes), to_reply)
        .await
}

/// POST books/{bookId}/copy. A body is ignored.
pub(crate) async fn copy_book(request: ApiRequest) -> ApiResult {
    let id = request.book();
    let text = |name: &str| request.text_without_nul(name);
    let copying = CopyRequest {
        name: text("name"),
        transactions: request.flag("copyTransactions") == Some(true),
        from: text("fromDate"),
        opening_balances: request.flag("openingBalances") == Some(true),
        fraction_digits: text("fractionDigits"),
    };
    let (id_of_read, copying_of_read) = (id.clone(), copying.clone());
    let is_large =
        move |tx: &mut Tx<'_>, cx: &Context| book::is_large(tx, cx, &id_of_read, &copying_of_read);
    match request.on_snapshot(is_large).await {
        Err(error) => request.replay_or_refuse(error).await,
        Ok(true) => copy::copy_large(request, id, copying, to_reply).await,
        Ok(false) => {
            request
                .write_book(move |tx, cx, book| book::copy(tx, cx, book, &copying), to_reply)
                .await
        }
    }
}

/// DELETE books/{bookId}.
pub(crate) async fn delete_book(request: ApiRequest) -> ApiResult {
    let state = request.state.clone();
    let days = state.deleted_books_days;
    let reply = request
        .conditional()?
        .write_book(move |tx, cx, book| book::delete(tx, cx, book, days), to_reply)
        .await?;
    if days == 0 {
        state.removals.notify();
    }
    Ok(reply)
}

/// POST books/{bookId}/restore.
pub(crate) async fn restore_book(request: ApiRequest) -> ApiResult {
    request.write_book(book::restore, to_reply).await
}

/// PATCH books/{bookId}/audit. Stores the request; the audit worker runs later (behaviour 6.7).
pub(crate) async fn audit_book(request: ApiRequest) -> ApiResult {
    let state = request.state.clone();
    let reply = request.write_book(audit::request, |_, _| reply::no_content()).await?;
    state.audits.notify();
    Ok(reply)
}
