//! Transactions on the wire.

mod count;
mod shape;

use daybook_domain::instant::Instant;
use daybook_domain::transaction::{Changes, Intent, Verb};
use daybook_service::Context;
use daybook_service::transaction::{self, CreateMode, Listed, Request, VerbRequest, View};
use daybook_storage::Tx;
use daybook_storage::page::PageKey;

use crate::blob;
use crate::body::{Body, Items};
use crate::cursor::{self, TransactionCursor};
use crate::error::ApiError;
use crate::item_notes::ItemNotes;
use crate::reply::{self, ApiResult, IdOut, Reply};
use crate::request::ApiRequest;
use crate::rows::{CursorOut, PageRows};
use crate::wire::{self, EachOut};
pub(crate) use count::{CountsOut, count_transactions, count_transactions_posted};
use shape::{
    BatchOut, ListedOut, ShortOperationOut, TransactionIn, TransactionOperationOut, TransactionOut,
};

/// Bytes of descriptions that are read as typed lines within the unit of work. More are read before
/// it, so that nobody waits for that.
const MAX_TEXT_IN_WRITER: usize = 64 * 1024;

/// GET transactions: a page, or with `ids` the transactions named (behaviour 12.4).
pub(crate) async fn list_transactions(request: ApiRequest) -> ApiResult {
    let (book, base) = (request.book(), request.base());
    if let Some(ids) = request.text("ids") {
        let ids: Vec<String> =
            ids.split(',').map(|id| id.trim().to_owned()).filter(|id| !id.is_empty()).collect();
        return request
            .read_replicated(
                move |tx, cx| transaction::named(tx, cx, &book, &ids),
                move |listed, _| all(listed, &base),
            )
            .await;
    }
    let wanted = list_request(&request);
    let (query, asked_at) = (wanted.query.text.clone(), wanted.asked_at);
    let encode = move |listed: &Listed, cx: &Context| {
        page(listed, &base, (&query, asked_at.unwrap_or(cx.now)))
    };
    request.read_replicated(move |tx, cx| transaction::list(tx, cx, &book, &wanted), encode).await
}

/// POST transactions/load/batch: the transactions named, in that order (behaviour 12.11). It only
/// reads.
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
            move |listed, _| all(listed, &base),
        )
        .await
}

/// A request with another query than that of the cursor keeps it; otherwise that goes on, read as
/// on the day of its first page (behaviour 2.4).
fn list_request(request: &ApiRequest) -> Request {
    let cursor: Option<TransactionCursor> = request.cursor().and_then(cursor::read);
    let mut query = request.query();
    let after = cursor.as_ref().map(TransactionCursor::key);
    let is_own =
        |cursor: &TransactionCursor| query.text.trim().is_empty() || query.text == cursor.query;
    let mut asked_at = None;
    if let Some(cursor) = cursor.filter(is_own) {
        asked_at = Some(cursor.asked_at());
        query.text = cursor.query;
    }
    Request { query, limit: request.limit(), after, asked_at }
}

/// A page of a query, which ends where it has taken its room.
fn page(listed: &Listed, base: &str, (query, asked_at): (&str, Instant)) -> Reply {
    let rows = PageRows::new(&listed.view.transactions);
    let cursor = || {
        let place = rows.end().map(PageKey::of).or(listed.next)?;
        cursor::write(&TransactionCursor::new(place, query.to_owned(), asked_at))
    };
    reply::ok(&ListedOut {
        items: rows.out(|transaction| Ok(TransactionOut::listed(listed, transaction, base))),
        cursor: CursorOut(&cursor),
        account: listed.account.map(|id| id.to_string()),
        warnings: wire::warnings(&listed.warnings),
    })
    .advising("ask for transactions one by one")
}

/// The transactions named, all of them: there is no next page.
fn all(listed: &Listed, base: &str) -> Reply {
    let rows = &listed.view.transactions;
    let shown = || rows.iter().map(|one| TransactionOut::listed(listed, one, base));
    reply::ok(&ListedOut {
        items: EachOut(shown),
        cursor: CursorOut(&|| None),
        account: None,
        warnings: Vec::new(),
    })
    .advising("name fewer transactions")
}

/// GET transactions/{id}.
pub(crate) async fn get_transaction(request: ApiRequest) -> ApiResult {
    let (book, id, base) = (request.book(), request.id(), request.base());
    let tolerant = request.state.missing_as_no_content;
    let encode = move |view: &View, _: &Context| {
        let shown = |one| tagged(reply::ok(&TransactionOut::in_full(view, one, &base)), view);
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
    create(request, vec![body.0], mode, operation).await.map_err(ApiError::alone)
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
    let wanted = VerbRequest::batch(Verb::Update, request.flag("updateChecked") == Some(true));
    perform(request, wanted, body.items(), list_reply).await
}

/// PATCH transactions/post. With an id it posts that transaction; without one it creates and posts
/// (behaviour 3.3).
pub(crate) async fn post_transaction(request: ApiRequest, body: Body<TransactionIn>) -> ApiResult {
    if body.0.has_id() {
        return perform_single(request, Verb::Post, body).await;
    }
    create(request, vec![body.0], Intent::Post.into(), operation).await.map_err(ApiError::alone)
}

/// PATCH transactions/post/batch.
pub(crate) async fn post_transactions_batch(
    request: ApiRequest,
    body: Body<Items<TransactionIn>>,
) -> ApiResult {
    perform_batch(request, VerbRequest::batch(Verb::Post, false), body).await
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
    perform_batch(request, VerbRequest::batch(Verb::Check, false), body).await
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
    perform_batch(request, VerbRequest::batch(Verb::Uncheck, false), body).await
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
    let wanted = VerbRequest::batch(Verb::Trash, request.flag("trashChecked") == Some(true));
    perform_batch(request, wanted, body).await
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
    perform_batch(request, VerbRequest::batch(Verb::Untrash, false), body).await
}

/// PATCH transactions/merge. The items may say more than their ids (behaviour 3.11.9).
pub(crate) async fn merge_transactions(
    request: ApiRequest,
    body: Body<Items<TransactionIn>>,
) -> ApiResult {
    let (book, base) = (request.book(), request.base());
    let mut items = body.items();
    if let Err(error) = store_files(&request, &mut items).await {
        return request.answer_refusal(&book, error).await;
    }
    let items = items.into_iter().map(TransactionIn::into_changes).collect();
    request
        .write(
            &book.clone(),
            move |tx, cx| transaction::merge(tx, cx, &book, items),
            move |view, _| operation(view, &base),
        )
        .await
}

/// The bytes of the text that may be a typed line.
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
    let (book, base) = (request.book(), request.base());
    if let Err(error) = store_files(&request, &mut items).await {
        return request.answer_refusal(&book, error).await;
    }
    let mut items: Vec<Changes> = items.into_iter().map(TransactionIn::into_changes).collect();
    let mut mode = mode;
    if items.iter().map(text_length).sum::<usize>() > MAX_TEXT_IN_WRITER {
        request.check_write()?;
        let (named, read) = (book.clone(), mode.clone());
        let texts = move |tx: &mut Tx<'_>, cx: &Context| {
            transaction::read_texts(tx, cx, &named, items, read)
        };
        (items, mode) = match request.on_snapshot(texts).await {
            Ok(read) => read,
            Err(error) => return request.answer_refusal(&book, error).await,
        };
    }
    request
        .write(
            &book.clone(),
            move |tx, cx| transaction::create(tx, cx, &book, items, mode),
            move |view, _| encode(view, &base),
        )
        .await
}

async fn perform(
    request: ApiRequest,
    wanted: VerbRequest,
    mut items: Vec<TransactionIn>,
    encode: fn(&View, &str) -> Reply,
) -> ApiResult {
    let (book, base) = (request.book(), request.base());
    let reads_body = matches!(wanted.verb, Verb::Update | Verb::Post);
    if reads_body && let Err(error) = store_files(&request, &mut items).await {
        return request.answer_refusal(&book, error).await;
    }
    let items = items
        .into_iter()
        .map(|item| if reads_body { item.into_changes() } else { item.into_id_only() })
        .collect();
    request
        .write(
            &book.clone(),
            move |tx, cx| transaction::perform(tx, cx, &book, wanted, items),
            move |view, _| encode(view, &base),
        )
        .await
}

/// Stores the bytes that the files of these bodies bring.
async fn store_files(request: &ApiRequest, items: &mut [TransactionIn]) -> Result<(), ApiError> {
    let count = items.len();
    let files = items.iter_mut().flat_map(TransactionIn::files_mut);
    blob::write::of_attachments(request, count, files).await
}

async fn perform_single(request: ApiRequest, verb: Verb, body: Body<TransactionIn>) -> ApiResult {
    perform(request.conditional()?, VerbRequest::single(verb), vec![body.0], operation)
        .await
        .map_err(ApiError::alone)
}

async fn perform_batch(
    request: ApiRequest,
    wanted: VerbRequest,
    body: Body<Items<TransactionIn>>,
) -> ApiResult {
    perform(request, wanted, body.items(), |view, _| reply::no_content().noting(notes(view))).await
}

fn operation(view: &View, base: &str) -> Reply {
    let (Some(operation), Some(one)) =
        (TransactionOperationOut::of(view, base), view.transactions.first())
    else {
        return reply::nothing();
    };
    let short = || ShortOperationOut { transaction: IdOut { id: one.id.to_string() } };
    let known = ItemNotes::default().with_known(view.known.iter().map(|one| one.index));
    tagged(reply::ok(&operation).or_short(short), view).noting(known)
}

/// Adds the version tag of the transaction, unless the caller may see only that it exists
/// (behaviour 3.7.2).
fn tagged(reply: Reply, view: &View) -> Reply {
    match view.transactions.first().filter(|transaction| !view.masked.contains_key(&transaction.id))
    {
        Some(transaction) => reply.tagged(transaction),
        None => reply,
    }
}

fn list_reply(view: &View, base: &str) -> Reply {
    let rows = &view.transactions;
    let shown = || rows.iter().map(|one| TransactionOut::briefly(view, one, base));
    let ids = || rows.iter().map(|one| IdOut { id: one.id.to_string() });
    reply::ok(&BatchOut::new(EachOut(shown), view))
        .or_short(|| BatchOut::new(EachOut(ids), view))
        .noting(notes(view))
}

/// What the headers say of the items.
fn notes(view: &View) -> ItemNotes {
    let skipped = ItemNotes::of_skipped(view.skipped);
    skipped.with_known(view.known.iter().map(|one| one.index))
}
