//! Collections: handlers and wire shapes.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::rc::Rc;

use daybook_domain::id::CollectionId;
use daybook_domain::view_rights::Shown;
use daybook_service::Context;
use daybook_service::book::BookSummary;
use daybook_service::collection::{self, View};
use serde::{Deserialize, Serialize, Serializer};
use serde_json::value::{RawValue, to_raw_value};

use crate::body::{Body, Items};
use crate::book::BookOut;
use crate::reply::{self, ApiResult, Reply};
use crate::request::ApiRequest;
use crate::wire::{StampOut, TextOrNumber, id_text, objects_only};

/// The maximum bytes of the collections of a list with their books.
const MAX_BYTES: usize = 8 * 1024 * 1024;

/// The body of a collection. Its books are changed by other operations (behaviour 9.13).
#[derive(Debug, Deserialize)]
#[serde(remote = "Self")]
pub(crate) struct CollectionIn {
    #[serde(default)]
    id: Option<TextOrNumber>,
    #[serde(default)]
    name: Option<String>,
}

/// A book to add or remove. Everything but the id is ignored.
#[derive(Debug, Deserialize)]
#[serde(remote = "Self")]
pub(crate) struct BookRefIn {
    #[serde(default)]
    id: Option<TextOrNumber>,
}

objects_only!(CollectionIn, BookRefIn);

/// A collection with the permission of the caller.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct CollectionOut<'v> {
    id: String,
    name: String,
    owner_username: String,
    permission: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    books: Option<Vec<BookOut<'v>>>,
    #[serde(flatten)]
    stamp: StampOut,
}

impl<'v> CollectionOut<'v> {
    pub(crate) fn new(view: &'v View, cx: &Context) -> Self {
        let View { books, .. } = view;
        Self {
            books: Some(books.iter().map(|book| BookOut::of_summary(book, cx)).collect()),
            ..Self::without_books(view)
        }
    }

    fn without_books(view: &View) -> Self {
        let View { collection, owner_name, permission, books: _ } = view;
        Self {
            id: collection.id.to_string(),
            name: collection.name.as_str().to_owned(),
            owner_username: owner_name.clone(),
            permission: permission.as_str(),
            books: None,
            stamp: StampOut::from(&collection.stamp),
        }
    }
}

/// The collection of a book.
#[derive(Serialize)]
#[serde(untagged)]
pub(crate) enum CollectionAround<'v> {
    /// The collection of a single book.
    One(Box<CollectionOut<'v>>),
    /// JSON text that several rows of a list share.
    Shared(#[serde(serialize_with = "serialize_raw")] Rc<RawValue>),
}

fn serialize_raw<S: Serializer>(text: &Rc<RawValue>, writer: S) -> Result<S::Ok, S::Error> {
    text.as_ref().serialize(writer)
}

/// The collections of the books of a list.
///
/// A collection of a thousand books in a thousand rows would make the list grow quadratically. So
/// the first row of a collection has its books, and the others have them only while all collections
/// together fit in [`MAX_BYTES`] (behaviour 9.19).
pub(crate) struct CollectionsOfList {
    texts: HashMap<CollectionId, EncodedCollection>,
    /// The bytes that remain for rows after the first.
    left: usize,
}

/// The encoded forms of a collection.
struct EncodedCollection {
    with_books: Rc<RawValue>,
    without_books: Rc<RawValue>,
    has_row: bool,
}

impl CollectionsOfList {
    /// Encodes each collection.
    pub(crate) fn new<'v>(
        views: impl Iterator<Item = &'v View>,
        cx: &Context,
    ) -> serde_json::Result<Self> {
        let (mut texts, mut left) = (HashMap::new(), MAX_BYTES);
        for view in views {
            if let Entry::Vacant(entry) = texts.entry(view.collection.id) {
                let with_books: Rc<RawValue> = to_raw_value(&CollectionOut::new(view, cx))?.into();
                let without_books = to_raw_value(&CollectionOut::without_books(view))?.into();
                left = left.saturating_sub(with_books.get().len());
                entry.insert(EncodedCollection { with_books, without_books, has_row: false });
            }
        }
        Ok(Self { texts, left })
    }

    /// Returns the collection for the next row of a book in it.
    pub(crate) fn in_next_row(&mut self, view: &View) -> Option<CollectionAround<'static>> {
        let encoded = self.texts.get_mut(&view.collection.id)?;
        let size = encoded.with_books.get().len();
        if encoded.has_row && size > self.left {
            return Some(CollectionAround::Shared(Rc::clone(&encoded.without_books)));
        }
        if encoded.has_row {
            self.left = self.left.saturating_sub(size);
        }
        encoded.has_row = true;
        Some(CollectionAround::Shared(Rc::clone(&encoded.with_books)))
    }
}

/// Returns how many rows may contain a text: as many as fit in [`MAX_BYTES`], and at least one.
pub(crate) fn max_rows_with(text: &RawValue) -> usize {
    match MAX_BYTES.checked_div(text.get().len()) {
        None | Some(0) => 1,
        Some(rows) => rows,
    }
}

fn to_reply(view: &View, cx: &Context) -> Reply {
    reply::ok(&CollectionOut::new(view, cx)).showing(shown_books(&view.books))
}

fn books_reply(books: &[BookSummary], cx: &Context) -> Reply {
    reply::ok(&BookOut::list(books, cx)).showing(shown_books(books))
}

fn shown_books(books: &[BookSummary]) -> impl Iterator<Item = Shown> {
    books.iter().map(|view| Shown::Book(view.access.book().key.clone()))
}

/// GET collections.
pub(crate) async fn list_collections(request: ApiRequest) -> ApiResult {
    let all = |views: &Vec<View>, cx: &Context| {
        let encode = |view| CollectionOut::new(view, cx);
        reply::list(views, encode, |view| view.collection.id.to_string())
    };
    request.read(collection::list, all).await
}

/// GET collections/{id} (behaviour 12.9).
pub(crate) async fn get_collection(request: ApiRequest) -> ApiResult {
    let id = request.id();
    request.read(move |tx, cx| collection::get(tx, cx, &id), to_reply).await
}

/// POST collections.
pub(crate) async fn create_collection(request: ApiRequest, body: Body<CollectionIn>) -> ApiResult {
    let CollectionIn { id: _, name } = body.0;
    request
        .write(
            collection::TARGET,
            move |tx, cx| collection::create(tx, cx, name.as_deref()),
            to_reply,
        )
        .await
}

/// PUT collections, the id in the body.
pub(crate) async fn update_collection(request: ApiRequest, body: Body<CollectionIn>) -> ApiResult {
    let CollectionIn { id, name } = body.0;
    let id = id_text(id);
    request
        .write(
            collection::TARGET,
            move |tx, cx| collection::update(tx, cx, id.as_deref(), name.as_deref()),
            to_reply,
        )
        .await
}

/// DELETE collections/{id}.
pub(crate) async fn delete_collection(request: ApiRequest) -> ApiResult {
    let id = request.id();
    request
        .write(
            collection::TARGET,
            move |tx, cx| collection::delete(tx, cx, &id),
            |books, cx| books_reply(books, cx),
        )
        .await
}

/// PATCH collections/{id}/books/add.
pub(crate) async fn add_books_to_collection(
    request: ApiRequest,
    body: Body<Items<BookRefIn>>,
) -> ApiResult {
    let (id, books) = (request.id(), keys(body.items()));
    request
        .write(
            collection::TARGET,
            move |tx, cx| collection::add(tx, cx, &id, books),
            |books, cx| books_reply(books, cx),
        )
        .await
}

/// PATCH collections/{id}/books/remove.
pub(crate) async fn remove_books_from_collection(
    request: ApiRequest,
    body: Body<Items<BookRefIn>>,
) -> ApiResult {
    let (id, books) = (request.id(), keys(body.items()));
    request
        .write(
            collection::TARGET,
            move |tx, cx| collection::remove(tx, cx, &id, books),
            |books, cx| books_reply(books, cx),
        )
        .await
}

fn keys(books: Vec<BookRefIn>) -> Vec<Option<String>> {
    books.into_iter().map(|book| id_text(book.id)).collect()
}
