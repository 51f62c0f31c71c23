//! Transactions on the wire.

mod count;
mod shape;

use actix_web::HttpResponse;
use daybook_domain::transaction::{Intent, Verb};
use daybook_service::transaction::{self, Listed, Order, Request, View};
use daybook_service::zone;
use daybook_storage::page::Place;

use crate::body::{Body, Items};
use crate::cursor::{self, TransactionCursor};
use crate::error::{ApiError, ApiResult, Transport};
use crate::reply;
use crate::request::Asked;
pub(crate) use count::{count_transactions, count_transactions_posted};
use shape::{ListedOut, OperationOut, TransactionIn, TransactionOut};

/// GET transactions: a page, or with `ids` exactly these (behaviour 12.4).
pub(crate) async fn list_transactions(asked: Asked) -> ApiResult {
    let book = asked.book();
    if let Some(ids) = asked.text("ids") {
        let ids: Vec<String> = ids.split(',').map(|id| id.trim().to_owned()).filter(|id| !id.is_empty()).collect();
        daybook_service::batch::check_size("ids", ids.len())?;
        let (listed, _) = asked.read(move |tx, cx| transaction::named(tx, cx, &book, &ids)).await?;
        return Ok(page(&listed, None));
    }
    let request = request(&asked);
    let query = request.query.clone();
    let (listed, _) = asked.read(move |tx, cx| transaction::list(tx, cx, &book, &request)).await?;
    let next = listed.next;
    Ok(page(&listed, next.map(|place| (place, query))))
}

/// With a query of its own the request keeps it; otherwise the cursor's goes on (behaviour 2.4).
fn request(asked: &Asked) -> Request {
    let cursor: Option<TransactionCursor> = asked.cursor().and_then(cursor::read);
    let own = asked.query();
    let after = cursor.as_ref().map(TransactionCursor::place);
    let query = if own.trim().is_empty() { cursor.map(|cursor| cursor.query.replace('\0', " ")).unwrap_or_default() } else { own };
    Request { query, limit: asked.limit(), after }
}

fn page(listed: &Listed, next: Option<(Place, String)>) -> HttpResponse {
    let cursor = next.and_then(|(place, query)| cursor::write(&TransactionCursor::new(place, query)));
    reply::ok(&ListedOut { items: TransactionOut::listed(listed), cursor, account: listed.account.map(|id| id.to_string()) })
}

/// GET transactions/{id}.
pub(crate) async fn get_transaction(asked: Asked) -> ApiResult {
    let (book, id) = (asked.book(), asked.id());
    let (view, _) = asked.read(move |tx, cx| transaction::get(tx, cx, &book, &id)).await?;
    Ok(TransactionOut::in_full(&view).first().map_or_else(reply::no_content, reply::ok))
}

/// POST transactions.
pub(crate) async fn create_transaction(asked: Asked, body: Body<TransactionIn>) -> ApiResult {
    create(asked, vec![body.0], Intent::Create).await.map(|view| operation(&view)).map_err(ApiError::alone)
}

/// POST transactions/batch.
pub(crate) async fn create_transactions_batch(asked: Asked, body: Body<Items<TransactionIn>>) -> ApiResult {
    create(asked, body.items()?, Intent::Create).await.map(|view| whole(&view))
}

/// PUT transactions.
pub(crate) async fn update_transaction(asked: Asked, body: Body<TransactionIn>) -> ApiResult {
    perform(asked, Order::single(Verb::Update), vec![body.0]).await.map(|view| operation(&view)).map_err(ApiError::alone)
}

/// PUT transactions/batch.
pub(crate) async fn update_transactions_batch(asked: Asked, body: Body<Items<TransactionIn>>) -> ApiResult {
    let order = Order::batch(Verb::Update, asked.flag("updateChecked") == Some(true));
    perform(asked, order, body.items()?).await.map(|view| whole(&view))
}

/// PATCH transactions/post: with an id it posts that one, without it creates and posts (behaviour 3.3).
pub(crate) async fn post_transaction(asked: Asked, body: Body<TransactionIn>) -> ApiResult {
    let named = body.0.has_id();
    let items = vec![body.0];
    let view = if named { perform(asked, Order::single(Verb::Post), items).await } else { create(asked, items, Intent::Post).await };
    view.map(|view| operation(&view)).map_err(ApiError::alone)
}

/// PATCH transactions/post/batch.
pub(crate) async fn post_transactions_batch(asked: Asked, body: Body<Items<TransactionIn>>) -> ApiResult {
    silently(asked, Order::batch(Verb::Post, false), body).await
}

/// PATCH transactions/check.
pub(crate) async fn check_transaction(asked: Asked, body: Body<TransactionIn>) -> ApiResult {
    single(asked, Verb::Check, body).await
}

/// PATCH transactions/check/batch.
pub(crate) async fn check_transactions_batch(asked: Asked, body: Body<Items<TransactionIn>>) -> ApiResult {
    silently(asked, Order::batch(Verb::Check, false), body).await
}

/// PATCH transactions/uncheck.
pub(crate) async fn uncheck_transaction(asked: Asked, body: Body<TransactionIn>) -> ApiResult {
    single(asked, Verb::Uncheck, body).await
}

/// PATCH transactions/uncheck/batch.
pub(crate) async fn uncheck_transactions_batch(asked: Asked, body: Body<Items<TransactionIn>>) -> ApiResult {
    silently(asked, Order::batch(Verb::Uncheck, false), body).await
}

/// PATCH transactions/trash, and its older name remove.
pub(crate) async fn trash_transaction(asked: Asked, body: Body<TransactionIn>) -> ApiResult {
    single(asked, Verb::Trash, body).await
}

/// PATCH transactions/trash/batch.
pub(crate) async fn trash_transactions_batch(asked: Asked, body: Body<Items<TransactionIn>>) -> ApiResult {
    let order = Order::batch(Verb::Trash, asked.flag("trashChecked") == Some(true));
    silently(asked, order, body).await
}

/// PATCH transactions/untrash, and its older name restore.
pub(crate) async fn untrash_transaction(asked: Asked, body: Body<TransactionIn>) -> ApiResult {
    single(asked, Verb::Untrash, body).await
}

/// PATCH transactions/untrash/batch.
pub(crate) async fn untrash_transactions_batch(asked: Asked, body: Body<Items<TransactionIn>>) -> ApiResult {
    silently(asked, Order::batch(Verb::Untrash, false), body).await
}

async fn create(asked: Asked, items: Vec<TransactionIn>, intent: Intent) -> Result<View, ApiError> {
    // The zone dates in text are read in; texts are not read yet, but a wrong zone is refused (behaviour 3.2.9).
    if let Some(zone) = asked.text("timeZone").filter(|zone| zone::known(zone).is_none()) {
        let shown: String = zone.chars().take(60).collect();
        return Err(Transport::BadParameter(format!("timeZone {shown:?} is not an IANA time zone")).into());
    }
    let book = asked.book();
    let items = items.into_iter().map(TransactionIn::into_changes).collect();
    let (view, _) = asked.write(&book.clone(), move |tx, cx| transaction::create(tx, cx, &book, items, intent)).await?;
    Ok(view)
}

async fn perform(asked: Asked, order: Order, items: Vec<TransactionIn>) -> Result<View, ApiError> {
    let book = asked.book();
    let reads_body = matches!(order.verb, Verb::Update | Verb::Post);
    let items = items.into_iter().map(|item| if reads_body { item.into_changes() } else { item.into_id_only() }).collect();
    let (view, _) = asked.write(&book.clone(), move |tx, cx| transaction::perform(tx, cx, &book, order, items)).await?;
    Ok(view)
}

async fn single(asked: Asked, verb: Verb, body: Body<TransactionIn>) -> ApiResult {
    perform(asked, Order::single(verb), vec![body.0]).await.map(|view| operation(&view)).map_err(ApiError::alone)
}

async fn silently(asked: Asked, order: Order, body: Body<Items<TransactionIn>>) -> ApiResult {
    perform(asked, order, body.items()?).await.map(|_| reply::no_content())
}

fn operation(view: &View) -> HttpResponse {
    OperationOut::of(view).map_or_else(reply::no_content, |operation| reply::ok(&operation))
}

fn whole(view: &View) -> HttpResponse {
    reply::ok(&ListedOut { items: TransactionOut::briefly(view), cursor: None, account: None })
}
