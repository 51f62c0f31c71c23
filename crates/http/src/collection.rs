//! Collections on the wire.

use daybook_service::collection::{self, View};
use daybook_service::{Context, book};
use serde::{Deserialize, Serialize};

use crate::body::{Body, Items};
use crate::book::BookOut;
use crate::reply::{self, ApiResult, Reply};
use crate::request::ApiRequest;
use crate::wire::{ListOut, StampOut, TextOrNumber, id_text, objects_only};

/// A request body that is a collection. Its books change by operations of their own (behaviour
/// 9.13).
#[derive(Debug, Deserialize)]
#[serde(remote = "Self")]
pub(crate) struct CollectionIn {
    #[serde(default)]
    id: Option<TextOrNumber>,
    #[serde(default)]
    name: Option<String>,
}

/// A book in a list of books to add or remove: everything but the id is ignored.
#[derive(Debug, Deserialize)]
#[serde(remote = "Self")]
pub(crate) struct BookRefIn {
    #[serde(default)]
    id: Option<TextOrNumber>,
}

objects_only!(CollectionIn, BookRefIn);

/// A collection as the caller sees it.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct CollectionOut {
    id: String,
    name: String,
    owner_username: String,
    permission: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    books: Option<Vec<BookOut>>,
    #[serde(flatten)]
    stamp: StampOut,
}

impl CollectionOut {
    pub(crate) fn new(view: &View, cx: &Context) -> Self {
        let View { collection, owner_name, permission, books } = view;
        Self {
            id: collection.id.to_string(),
            name: collection.name.as_str().to_owned(),
            owner_username: owner_name.clone(),
            permission: permission.as_str(),
            books: books
                .as_ref()
                .map(|books| books.iter().map(|book| BookOut::of(book, cx)).collect()),
            stamp: StampOut::from(&collection.stamp),
        }
    }
}

fn single(view: &View, cx: &Context) -> Reply {
    reply::ok(&CollectionOut::new(view, cx))
}

fn listed(books: &[book::View], cx: &Context) -> Reply {
    reply::ok(&BookOut::list(books, cx))
}

/// GET collections.
pub(crate) async fn list_collections(request: ApiRequest) -> ApiResult {
    let all = |views: &Vec<View>, cx: &Context| {
        views.iter().map(|view| CollectionOut::new(view, cx)).collect()
    };
    request
        .read(collection::list, move |views, cx| reply::ok(&ListOut::whole(all(views, cx))))
        .await
}

/// GET collections/{id} (behaviour 12.9).
pub(crate) async fn get_collection(request: ApiRequest) -> ApiResult {
    let id = request.id();
    request.read(move |tx, cx| collection::get(tx, cx, &id), single).await
}

/// POST collections.
pub(crate) async fn create_collection(request: ApiRequest, body: Body<CollectionIn>) -> ApiResult {
    let CollectionIn { id: _, name } = body.0;
    request.write_own(move |tx, cx| collection::create(tx, cx, name.as_deref()), single).await
}

/// PUT collections, the id in the body.
pub(crate) async fn update_collection(request: ApiRequest, body: Body<CollectionIn>) -> ApiResult {
    let CollectionIn { id, name } = body.0;
    let id = id_text(id);
    request
        .write_own(move |tx, cx| collection::update(tx, cx, id.as_deref(), name.as_deref()), single)
        .await
}

/// DELETE collections/{id}.
pub(crate) async fn delete_collection(request: ApiRequest) -> ApiResult {
    let id = request.id();
    request
        .write_own(move |tx, cx| collection::delete(tx, cx, &id), |books, cx| listed(books, cx))
        .await
}

/// PATCH collections/{id}/books/add.
pub(crate) async fn add_books_to_collection(
    request: ApiRequest,
    body: Body<Items<BookRefIn>>,
) -> ApiResult {
    let (id, books) = (request.id(), keys(body.items()));
    request
        .write_own(move |tx, cx| collection::add(tx, cx, &id, books), |books, cx| listed(books, cx))
        .await
}

/// PATCH collections/{id}/books/remove.
pub(crate) async fn remove_books_from_collection(
    request: ApiRequest,
    body: Body<Items<BookRefIn>>,
) -> ApiResult {
    let (id, books) = (request.id(), keys(body.items()));
    request
        .write_own(
            move |tx, cx| collection::remove(tx, cx, &id, books),
            |books, cx| listed(books, cx),
        )
        .await
}

fn keys(books: Vec<BookRefIn>) -> Vec<Option<String>> {
    books.into_iter().map(|book| id_text(book.id)).collect()
}
