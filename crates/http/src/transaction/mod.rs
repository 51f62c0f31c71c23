//! Transactions: handlers and wire shapes.
//!
//! Single operations and batches share their code: a single request is a batch of one, without the
//! index in its errors. Before a write, the contents of attached files are stored
//! ([`daybook_blobs`]), and long descriptions are parsed as quick entries (behaviour 3.8). If one
//! of these steps refuses, a repeated request still gets its stored response.

mod count;
mod preview;
mod shape;

use daybook_domain::instant::Instant;
use daybook_domain::transaction::{Changes, Intent, Transaction, Verb};
use daybook_edge::error::ApiError;
use daybook_edge::response_budget::{self, EncodeError};
use daybook_service::Context;
use daybook_service::transaction::{self, CreateMode, Request, TransactionPage, VerbRequest, View};
use daybook_storage::Tx;
use daybook_storage::page::PageKey;
use serde::Serialize;

use crate::body::{Body, Items};
use crate::cursor::{self, TransactionCursor};
use crate::file;
use crate::item_notes::ItemNotes;
use crate::reply::{self, ApiResult, IdOut, Reply};
use crate::request::ApiRequest;
use crate::wire::{self, IterOut};
pub(crate) use count::{CountsOut, count_transactions, count_transactions_posted};
pub(crate) use preview::preview_transaction;
use shape::{
    BatchOut, ListEndOut, ShortOperationOut, TransactionIn, TransactionOperationOut, TransactionOut,
};

/// Descriptions up to this size in total are parsed as quick entries in the unit of work. Larger
/// ones are parsed before it, so that other writes are not delayed.
const MAX_TEXT_IN_WRITER: usize = 64 * 1024;

/// GET transactions: returns a page, or the transactions of the parameter `ids` (behaviour 12.4).
pub(crate) async fn list_transactions(request: ApiRequest) -> ApiResult {
    let (book, base) = (request.book(), request.base());
    if let Some(ids) = request.text("ids") {
        let ids: Vec<String> =
            ids.split(',').map(|id| id.trim().to_owned()).filter(|id| !id.is_empty()).collect();
        return request
            .read_replicated(
                move |tx, cx| transaction::list_by_ids(tx, cx, &book, &ids),
                move |listed, _| encode_all(listed, &base),
            )
            .await;
    }
    let list_request = list_request(&request);
    let (query, requested_at) = (list_request.query.text.clone(), list_request.requested_at);
    // A page of an account needs other statements for its balances, a text those of the index.
    let one_statement = query.trim().is_empty();
    let encode = move |listed: &TransactionPage, cx: &Context| {
        encode_page(listed, &base, &query, requested_at.unwrap_or(cx.now))
    };
    let list = move |tx: &mut Tx<'_>, cx: &Context| transaction::list(tx, cx, &book, &list_request);
    if one_statement {
        return request.read_with_one_statement(list, encode).await;
    }
    request.read_replicated(list, encode).await
}

/// POST transactions/load/batch: returns the requested transactions in order (behaviour 12.11).
pub(crate) async fn load_transactions_batch(
    request: ApiRequest,
    body: Body<Items<TransactionIn>>,
) -> ApiResult {
    let (book, base) = (request.book(), request.base());
    request.refuse_condition()?;
    let items: Vec<Changes> = body.items().into_iter().map(TransactionIn::into_id_only).collect();
    request
        .read_replicated(
            move |tx, cx| transaction::load(tx, cx, &book, &items),
            move |listed, _| encode_all(listed, &base),
        )
        .await
}

/// Returns the parameters of a list.
///
/// A request with a cursor continues the query of the cursor if it has no other query. Relative
/// dates in the query then mean what they meant on the day of the first page (behaviour 2.4).
fn list_request(request: &ApiRequest) -> Request {
    let cursor: Option<TransactionCursor> = request.cursor().and_then(cursor::read);
    let mut query = request.query();
    let after = cursor.as_ref().map(TransactionCursor::key);
    let is_own =
        |cursor: &TransactionCursor| query.text.trim().is_empty() || query.text == cursor.query;
    let mut requested_at = None;
    if let Some(cursor) = cursor.filter(is_own) {
        requested_at = Some(cursor.requested_at());
        query.text = cursor.query;
    }
    Request { query, limit: request.limit(), after, requested_at }
}

/// Encodes a page of a query. It ends early if it exceeds the response budget.
fn encode_page(listed: &TransactionPage, base: &str, query: &str, requested_at: Instant) -> Reply {
    let end = |last: Option<&Transaction>| {
        let key = last.map(PageKey::of).or(listed.next);
        let cursor = key.and_then(|key| {
            cursor::write(&TransactionCursor::new(key, query.to_owned(), requested_at))
        });
        let account = listed.account.map(|id| id.to_string());
        ListEndOut { cursor, account, warnings: wire::warnings(&listed.warnings) }
    };
    let shape = |transaction| list_row(listed, transaction, base);
    reply::json(response_budget::encode_page(&listed.view.transactions, shape, end))
        .on_too_large("ask for transactions one by one")
}

/// Returns a row of a page. Its files may be too many to load.
fn list_row<'l>(
    listed: &'l TransactionPage,
    transaction: &'l Transaction,
    base: &'l str,
) -> Result<TransactionOut<'l>, EncodeError> {
    if !listed.view.files.is_whole() && !transaction.files.is_empty() {
        return Err(EncodeError::TooLarge);
    }
    Ok(TransactionOut::list_row(listed, transaction, base))
}

/// Encodes all requested transactions, without pages.
fn encode_all(listed: &TransactionPage, base: &str) -> Reply {
    let rows = &listed.view.transactions;
    let shape = |one| TransactionOut::list_row(listed, one, base);
    let encode = |()| reply::list(rows, shape, |one| one.id.to_string());
    check_files(&listed.view)
        .map_or_else(|error| reply::json(Err(error)), encode)
        .on_too_large("name fewer transactions")
}

/// GET transactions/{id}.
pub(crate) async fn get_transaction(request: ApiRequest) -> ApiResult {
    let (book, id, base) = (request.book(), request.id(), request.base());
    let tolerant = request.state.missing_as_no_content;
    let encode = move |view: &View, _: &Context| {
        let shown = |one| with_etag(show(view, &TransactionOut::full(view, one, &base)), view);
        view.transactions.first().map_or_else(reply::nothing, shown)
    };
    let get = move |tx: &mut Tx<'_>, cx: &Context| transaction::get(tx, cx, &book, &id);
    let outcome = request.read_replicated(get, encode).await;
    reply::missing_as_no_content(outcome, tolerant)
}

/// POST transactions.
pub(crate) async fn create_transaction(
    request: ApiRequest,
    body: Body<TransactionIn>,
) -> ApiResult {
    let mode = CreateMode { single: true, ..Intent::Create.into() };
    create(request, vec![body.0], mode, operation).await.map_err(ApiError::without_item_index)
}

/// POST transactions/batch.
pub(crate) async fn create_transactions_batch(
    request: ApiRequest,
    body: Body<Items<TransactionIn>>,
) -> ApiResult {
    create(request, body.items(), Intent::Create.into(), list_reply).await
}

/// PUT transactions.
pub(crate) async fn update_transaction(
    request: ApiRequest,
    body: Body<TransactionIn>,
) -> ApiResult {
    perform_single(request, Verb::Update, body).await
}

/// PUT transactions/batch.
pub(crate) async fn update_transactions_batch(
    request: ApiRequest,
    body: Body<Items<TransactionIn>>,
) -> ApiResult {
    let verb_request =
        VerbRequest::batch(Verb::Update, request.flag("updateChecked") == Some(true));
    perform_batch(request, verb_request, body, list_reply).await
}

/// PATCH transactions/post: posts the transaction with the id, or creates and posts one without
/// (behaviour 3.3).
pub(crate) async fn post_transaction(request: ApiRequest, body: Body<TransactionIn>) -> ApiResult {
    if body.0.has_id() {
        return perform_single(request, Verb::Post, body).await;
    }
    create(request, vec![body.0], Intent::Post.into(), operation)
        .await
        .map_err(ApiError::without_item_index)
}

/// PATCH transactions/post/batch.
pub(crate) async fn post_transactions_batch(
    request: ApiRequest,
    body: Body<Items<TransactionIn>>,
) -> ApiResult {
    perform_batch(request, VerbRequest::batch(Verb::Post, false), body, no_content).await
}

/// PATCH transactions/check.
pub(crate) async fn check_transaction(request: ApiRequest, body: Body<TransactionIn>) -> ApiResult {
    perform_single(request, Verb::Check, body).await
}

/// PATCH transactions/check/batch.
pub(crate) async fn check_transactions_batch(
    request: ApiRequest,
    body: Body<Items<TransactionIn>>,
) -> ApiResult {
    perform_batch(request, VerbRequest::batch(Verb::Check, false), body, no_content).await
}

/// PATCH transactions/uncheck.
pub(crate) async fn uncheck_transaction(
    request: ApiRequest,
    body: Body<TransactionIn>,
) -> ApiResult {
    perform_single(request, Verb::Uncheck, body).await
}

/// PATCH transactions/uncheck/batch.
pub(crate) async fn uncheck_transactions_batch(
    request: ApiRequest,
    body: Body<Items<TransactionIn>>,
) -> ApiResult {
    perform_batch(request, VerbRequest::batch(Verb::Uncheck, false), body, no_content).await
}

/// PATCH transactions/trash, and its older name remove.
pub(crate) async fn trash_transaction(request: ApiRequest, body: Body<TransactionIn>) -> ApiResult {
    perform_single(request, Verb::Trash, body).await
}

/// PATCH transactions/trash/batch.
pub(crate) async fn trash_transactions_batch(
    request: ApiRequest,
    body: Body<Items<TransactionIn>>,
) -> ApiResult {
    let verb_request = VerbRequest::batch(Verb::Trash, request.flag("trashChecked") == Some(true));
    perform_batch(request, verb_request, body, no_content).await
}

/// PATCH transactions/untrash, and its older name restore.
pub(crate) async fn untrash_transaction(
    request: ApiRequest,
    body: Body<TransactionIn>,
) -> ApiResult {
    perform_single(request, Verb::Untrash, body).await
}

/// PATCH transactions/untrash/batch.
pub(crate) async fn untrash_transactions_batch(
    request: ApiRequest,
    body: Body<Items<TransactionIn>>,
) -> ApiResult {
    perform_batch(request, VerbRequest::batch(Verb::Untrash, false), body, no_content).await
}

/// PATCH transactions/merge. The items may have more than their ids (behaviour 3.11.9).
pub(crate) async fn merge_transactions(
    request: ApiRequest,
    body: Body<Items<TransactionIn>>,
) -> ApiResult {
    let base = request.base();
    let mut items = body.items();
    if let Err(error) = store_files(&request, &mut items).await {
        return request.replay_or_refuse(error).await;
    }
    let items = items.into_iter().map(TransactionIn::into_changes).collect();
    request
        .write_book(
            move |tx, cx, book| transaction::merge(tx, cx, book, items),
            move |view, _| operation(view, &base),
        )
        .await
}

/// Returns the length of the description, which may be a quick entry.
fn text_length(item: &Changes) -> usize {
    item.description.as_ref().value().map_or(0, String::len)
}

async fn create(
    request: ApiRequest,
    mut items: Vec<TransactionIn>,
    mode: CreateMode,
    encode: fn(&View, &str) -> Reply,
) -> ApiResult {
    let mode = CreateMode { zone: request.text("timeZone").map(str::to_owned), ..mode };
    let base = request.base();
    if let Err(error) = store_files(&request, &mut items).await {
        return request.replay_or_refuse(error).await;
    }
    let mut items: Vec<Changes> = items.into_iter().map(TransactionIn::into_changes).collect();
    let mut mode = mode;
    if items.iter().map(text_length).sum::<usize>() > MAX_TEXT_IN_WRITER {
        request.check_write()?;
        let (book, mode_of_read) = (request.book(), mode.clone());
        let read_quick_entries = move |tx: &mut Tx<'_>, cx: &Context| {
            transaction::read_quick_entries(tx, cx, &book, items, mode_of_read)
        };
        (items, mode) = match request.on_snapshot(read_quick_entries).await {
            Ok(parsed) => parsed,
            Err(error) => return request.replay_or_refuse(error).await,
        };
    }
    request
        .write_book(
            move |tx, cx, book| transaction::create(tx, cx, book, items, mode),
            move |view, _| encode(view, &base),
        )
        .await
}

async fn perform(
    request: ApiRequest,
    verb_request: VerbRequest,
    mut items: Vec<TransactionIn>,
    encode: fn(&View, &str) -> Reply,
) -> ApiResult {
    let base = request.base();
    let reads_body = matches!(verb_request.verb, Verb::Update | Verb::Post);
    if reads_body && let Err(error) = store_files(&request, &mut items).await {
        return request.replay_or_refuse(error).await;
    }
    let items = items
        .into_iter()
        .map(|item| if reads_body { item.into_changes() } else { item.into_id_only() })
        .collect();
    request
        .write_book(
            move |tx, cx, book| transaction::perform(tx, cx, book, verb_request, items),
            move |view, _| encode(view, &base),
        )
        .await
}

/// Stores the bytes of the files in these bodies.
async fn store_files(request: &ApiRequest, items: &mut [TransactionIn]) -> Result<(), ApiError> {
    let count = items.len();
    let files = items.iter_mut().flat_map(TransactionIn::files_mut);
    file::store_attachments(request, count, files).await
}

async fn perform_single(request: ApiRequest, verb: Verb, body: Body<TransactionIn>) -> ApiResult {
    perform(request.conditional()?, VerbRequest::single(verb), vec![body.0], operation)
        .await
        .map_err(ApiError::without_item_index)
}

async fn perform_batch(
    request: ApiRequest,
    verb_request: VerbRequest,
    body: Body<Items<TransactionIn>>,
    encode: fn(&View, &str) -> Reply,
) -> ApiResult {
    let verb_request = VerbRequest { all: request.flag("all") == Some(true), ..verb_request };
    perform(request, verb_request, body.items(), encode).await
}

fn no_content(view: &View, _: &str) -> Reply {
    reply::no_content().noting(notes(view))
}

fn operation(view: &View, base: &str) -> Reply {
    let (Some(operation), Some(one)) =
        (TransactionOperationOut::of(view, base), view.transactions.first())
    else {
        return reply::nothing();
    };
    let short = ShortOperationOut { transaction: IdOut { id: one.id.to_string() } };
    let known = ItemNotes::default().with_known(view.known.iter().map(|one| one.index));
    with_etag(show(view, &operation).or_short(&short), view).noting(known)
}

/// Checks that the files of a view were loaded: those of its transactions may be too many.
fn check_files(view: &View) -> Result<(), EncodeError> {
    let needs_files = || view.transactions.iter().any(|one| !one.files.is_empty());
    if view.files.is_whole() || !needs_files() { Ok(()) } else { Err(EncodeError::TooLarge) }
}

/// 200 with transactions of a view.
fn show(view: &View, body: &impl Serialize) -> Reply {
    reply::json(check_files(view).and_then(|()| response_budget::encode(body)))
}

/// Adds the ETag of the transaction, unless the caller may only see its id (behaviour 3.7.2).
fn with_etag(reply: Reply, view: &View) -> Reply {
    match view.transactions.first().filter(|transaction| !view.masked.contains_key(&transaction.id))
    {
        Some(transaction) => reply.with_etag(transaction),
        None => reply,
    }
}

fn list_reply(view: &View, base: &str) -> Reply {
    let rows = &view.transactions;
    let items = || rows.iter().map(|transaction| TransactionOut::brief(view, transaction, base));
    let ids = || rows.iter().map(|one| IdOut { id: one.id.to_string() });
    show(view, &BatchOut::new(IterOut(items), view))
        .or_short(&BatchOut::new(IterOut(ids), view))
        .noting(notes(view))
}

/// Returns the notes about the items for the headers.
fn notes(view: &View) -> ItemNotes {
    let skipped = ItemNotes::of_skipped(view.skipped);
    skipped.with_known(view.known.iter().map(|one| one.index))
}
