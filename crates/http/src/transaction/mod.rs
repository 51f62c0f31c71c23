//! Transactions on the wire.

mod count;
mod shape;

use daybook_domain::transaction::{Changes, Intent, Verb};
use daybook_service::transaction::{self, Listed, Order, Recording, Request, View};
use daybook_service::{Context, file};
use daybook_storage::page::PageKey;

use crate::body::{Body, Items};
use crate::cursor::{self, TransactionCursor};
use crate::error::ApiError;
use crate::reply::{self, ApiResult, Reply};
use crate::request::ApiRequest;
pub(crate) use count::{count_transactions, count_transactions_posted};
use shape::{ListedOut, OperationOut, TransactionIn, TransactionOut};

/// GET transactions: a page, or with `ids` exactly these (behaviour 12.4).
pub(crate) async fn list_transactions(asked: ApiRequest) -> ApiResult {
    let (book, base) = (asked.book(), asked.base());
    if let Some(ids) = asked.text("ids") {
        let ids: Vec<String> =
            ids.split(',').map(|id| id.trim().to_owned()).filter(|id| !id.is_empty()).collect();
        return asked
            .read(
                move |tx, cx| transaction::named(tx, cx, &book, &ids),
                move |listed, _| page(listed, &base, None),
            )
            .await;
    }
    let request = request(&asked);
    let query = request.query.clone();
    let encode = move |listed: &Listed, _: &Context| {
        page(listed, &base, listed.next.map(|place| (place, query)))
    };
    asked.read(move |tx, cx| transaction::list(tx, cx, &book, &request), encode).await
}

/// With a query of its own the request keeps it; otherwise the cursor's goes on (behaviour 2.4).
fn request(asked: &ApiRequest) -> Request {
    let cursor: Option<TransactionCursor> = asked.cursor().and_then(cursor::read);
    let own = asked.query();
    let after = cursor.as_ref().map(TransactionCursor::place);
    let query = if own.trim().is_empty() {
        cursor.map(|cursor| cursor.query.replace('\0', " ")).unwrap_or_default()
    } else {
        own
    };
    Request { query, limit: asked.limit(), after }
}

fn page(listed: &Listed, base: &str, next: Option<(PageKey, String)>) -> Reply {
    let cursor =
        next.and_then(|(place, query)| cursor::write(&TransactionCursor::new(place, query)));
    reply::ok(&ListedOut {
        items: TransactionOut::listed(listed, base),
        cursor,
        account: listed.account.map(|id| id.to_string()),
    })
}

/// GET transactions/{id}.
pub(crate) async fn get_transaction(asked: ApiRequest) -> ApiResult {
    let (book, id, base) = (asked.book(), asked.id(), asked.base());
    let encode = move |view: &View, _: &Context| {
        TransactionOut::in_full(view, &base)
            .first()
            .map_or_else(reply::nothing, |one| tagged(reply::ok(one), view))
    };
    asked.read(move |tx, cx| transaction::get(tx, cx, &book, &id), encode).await
}

/// POST transactions.
pub(crate) async fn create_transaction(asked: ApiRequest, body: Body<TransactionIn>) -> ApiResult {
    let recording = Recording { single: true, ..Intent::Create.into() };
    create(asked, vec![body.0], recording, operation).await.map_err(ApiError::alone)
}

/// POST transactions/batch.
pub(crate) async fn create_transactions_batch(
    asked: ApiRequest,
    body: Body<Items<TransactionIn>>,
) -> ApiResult {
    create(asked, body.items(), Intent::Create.into(), whole).await
}

/// PUT transactions.
pub(crate) async fn update_transaction(asked: ApiRequest, body: Body<TransactionIn>) -> ApiResult {
    single(asked, Verb::Update, body).await
}

/// PUT transactions/batch.
pub(crate) async fn update_transactions_batch(
    asked: ApiRequest,
    body: Body<Items<TransactionIn>>,
) -> ApiResult {
    let order = Order::batch(Verb::Update, asked.flag("updateChecked") == Some(true));
    perform(asked, order, body.items(), whole).await
}

/// PATCH transactions/post: with an id it posts that one, without it creates and posts (behaviour
/// 3.3).
pub(crate) async fn post_transaction(asked: ApiRequest, body: Body<TransactionIn>) -> ApiResult {
    if body.0.has_id() {
        return single(asked, Verb::Post, body).await;
    }
    create(asked, vec![body.0], Intent::Post.into(), operation).await.map_err(ApiError::alone)
}

/// PATCH transactions/post/batch.
pub(crate) async fn post_transactions_batch(
    asked: ApiRequest,
    body: Body<Items<TransactionIn>>,
) -> ApiResult {
    silently(asked, Order::batch(Verb::Post, false), body).await
}

/// PATCH transactions/check.
pub(crate) async fn check_transaction(asked: ApiRequest, body: Body<TransactionIn>) -> ApiResult {
    single(asked, Verb::Check, body).await
}

/// PATCH transactions/check/batch.
pub(crate) async fn check_transactions_batch(
    asked: ApiRequest,
    body: Body<Items<TransactionIn>>,
) -> ApiResult {
    silently(asked, Order::batch(Verb::Check, false), body).await
}

/// PATCH transactions/uncheck.
pub(crate) async fn uncheck_transaction(asked: ApiRequest, body: Body<TransactionIn>) -> ApiResult {
    single(asked, Verb::Uncheck, body).await
}

/// PATCH transactions/uncheck/batch.
pub(crate) async fn uncheck_transactions_batch(
    asked: ApiRequest,
    body: Body<Items<TransactionIn>>,
) -> ApiResult {
    silently(asked, Order::batch(Verb::Uncheck, false), body).await
}

/// PATCH transactions/trash, and its older name remove.
pub(crate) async fn trash_transaction(asked: ApiRequest, body: Body<TransactionIn>) -> ApiResult {
    single(asked, Verb::Trash, body).await
}

/// PATCH transactions/trash/batch.
pub(crate) async fn trash_transactions_batch(
    asked: ApiRequest,
    body: Body<Items<TransactionIn>>,
) -> ApiResult {
    let order = Order::batch(Verb::Trash, asked.flag("trashChecked") == Some(true));
    silently(asked, order, body).await
}

/// PATCH transactions/untrash, and its older name restore.
pub(crate) async fn untrash_transaction(asked: ApiRequest, body: Body<TransactionIn>) -> ApiResult {
    single(asked, Verb::Untrash, body).await
}

/// PATCH transactions/untrash/batch.
pub(crate) async fn untrash_transactions_batch(
    asked: ApiRequest,
    body: Body<Items<TransactionIn>>,
) -> ApiResult {
    silently(asked, Order::batch(Verb::Untrash, false), body).await
}

/// PATCH transactions/merge. Only the ids are read, although whole bodies arrive (behaviour 3.4.4).
pub(crate) async fn merge_transactions(
    asked: ApiRequest,
    body: Body<Items<TransactionIn>>,
) -> ApiResult {
    let (book, base) = (asked.book(), asked.base());
    let items: Vec<Changes> = body.items().into_iter().map(TransactionIn::into_id_only).collect();
    asked
        .write(
            &book.clone(),
            move |tx, cx| transaction::merge(tx, cx, &book, &items),
            move |view, _| operation(view, &base),
        )
        .await
}

async fn create(
    asked: ApiRequest,
    mut items: Vec<TransactionIn>,
    recording: Recording,
    encode: fn(&View, &str) -> Reply,
) -> ApiResult {
    let recording = Recording { zone: asked.text("timeZone").map(str::to_owned), ..recording };
    let (book, base) = (asked.book(), asked.base());
    if let Err(error) = store_files(&asked, &mut items).await {
        return asked.refuse(&book, error).await;
    }
    let items = items.into_iter().map(TransactionIn::into_changes).collect();
    asked
        .write(
            &book.clone(),
            move |tx, cx| transaction::create(tx, cx, &book, items, recording),
            move |view, _| encode(view, &base),
        )
        .await
}

async fn perform(
    asked: ApiRequest,
    order: Order,
    mut items: Vec<TransactionIn>,
    encode: fn(&View, &str) -> Reply,
) -> ApiResult {
    let (book, base) = (asked.book(), asked.base());
    let reads_body = matches!(order.verb, Verb::Update | Verb::Post);
    if reads_body && let Err(error) = store_files(&asked, &mut items).await {
        return asked.refuse(&book, error).await;
    }
    let items = items
        .into_iter()
        .map(|item| if reads_body { item.into_changes() } else { item.into_id_only() })
        .collect();
    asked
        .write(
            &book.clone(),
            move |tx, cx| transaction::perform(tx, cx, &book, order, items),
            move |view, _| encode(view, &base),
        )
        .await
}

/// Stores the bytes that files of these bodies bring (behaviour 3.2.12), once it is known that the
/// caller may record. Those of a file that is known already, or of an item that comes to nothing,
/// are left to the sweep.
async fn store_files(asked: &ApiRequest, items: &mut [TransactionIn]) -> Result<(), ApiError> {
    let (count, mut admitted) = (items.len(), false);
    for entry in items.iter_mut().flat_map(TransactionIn::files_mut) {
        let Some(bytes) = entry.take_bytes()? else { continue };
        let book = asked.book();
        if !admitted {
            let named = book.clone();
            asked.look(move |tx, cx| file::check_attach(tx, cx, &named, count)).await?;
            admitted = true;
        }
        let (content, bytes) = asked.state.blobs.prepare(bytes).await?;
        asked.state.blobs.put(&book, &content, bytes).await?;
        entry.set_stored(content);
    }
    Ok(())
}

async fn single(asked: ApiRequest, verb: Verb, body: Body<TransactionIn>) -> ApiResult {
    perform(asked.conditional()?, Order::single(verb), vec![body.0], operation)
        .await
        .map_err(ApiError::alone)
}

async fn silently(asked: ApiRequest, order: Order, body: Body<Items<TransactionIn>>) -> ApiResult {
    perform(asked, order, body.items(), |_, _| reply::no_content()).await
}

fn operation(view: &View, base: &str) -> Reply {
    OperationOut::of(view, base)
        .map_or_else(reply::nothing, |operation| tagged(reply::ok(&operation), view))
}

/// With the version of the transaction, unless its reader sees only that there is one (behaviour
/// 3.7.2).
fn tagged(reply: Reply, view: &View) -> Reply {
    match view.transactions.first().filter(|transaction| !view.masked.contains(&transaction.id)) {
        Some(transaction) => reply.tagged(transaction),
        None => reply,
    }
}

fn whole(view: &View, base: &str) -> Reply {
    reply::ok(&ListedOut {
        items: TransactionOut::briefly(view, base),
        cursor: None,
        account: None,
    })
}
