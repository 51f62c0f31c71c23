//! Collections on the wire.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::rc::Rc;

use daybook_domain::id::CollectionId;
use daybook_domain::rights::Shown;
use daybook_service::collection::{self, View};
use daybook_service::{Context, book};
use serde::{Deserialize, Serialize, Serializer};
use serde_json::value::{RawValue, to_raw_value};

use crate::body::{Body, Items};
use crate::book::BookOut;
use crate::reply::{self, ApiResult, Reply};
use crate::request::ApiRequest;
use crate::wire::{StampOut, TextOrNumber, id_text, objects_only};

/// Bytes that the collections of a list, with their books, take together.
const MAX_BYTES: usize = 8 * 1024 * 1024;

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
            books: Some(books.iter().map(|book| BookOut::of(book, cx)).collect()),
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

/// A collection around a book.
#[derive(Serialize)]
#[serde(untagged)]
pub(crate) enum CollectionAround<'v> {
    /// Of this book alone.
    One(Box<CollectionOut<'v>>),
    /// As JSON text, written once for all the rows of a list that show it.
    Shared(#[serde(serialize_with = "as_written")] Rc<RawValue>),
}

fn as_written<S: Serializer>(text: &Rc<RawValue>, writer: S) -> Result<S::Ok, S::Error> {
    text.as_ref().serialize(writer)
}

/// The collections that the books of one list show. A collection of a thousand books around a
/// thousand rows would make the list grow with the square of its length. So the first row of a
/// collection shows its books, which grows no faster than the list, and the others show them as
/// long as all collections together fit in [`MAX_BYTES`] (behaviour 9.19).
pub(crate) struct CollectionsOfList {
    texts: HashMap<CollectionId, TextOfCollection>,
    /// Bytes that the first rows leave to the others.
    left: usize,
}

/// A collection of a list, written with its books and without.
struct TextOfCollection {
    whole: Rc<RawValue>,
    bare: Rc<RawValue>,
    is_shown: bool,
}

impl CollectionsOfList {
    /// Writes each of them.
    pub(crate) fn new<'v>(
        views: impl Iterator<Item = &'v View>,
        cx: &Context,
    ) -> serde_json::Result<Self> {
        let (mut texts, mut left) = (HashMap::new(), MAX_BYTES);
        for view in views {
            if let Entry::Vacant(place) = texts.entry(view.collection.id) {
                let whole: Rc<RawValue> = to_raw_value(&CollectionOut::new(view, cx))?.into();
                let bare = to_raw_value(&CollectionOut::without_books(view))?.into();
                left = left.saturating_sub(whole.get().len());
                place.insert(TextOfCollection { whole, bare, is_shown: false });
            }
        }
        Ok(Self { texts, left })
    }

    /// The collection in the next row that shows it.
    pub(crate) fn in_next_row(&mut self, view: &View) -> Option<CollectionAround<'static>> {
        let text = self.texts.get_mut(&view.collection.id)?;
        let size = text.whole.get().len();
        if text.is_shown && size > self.left {
            return Some(CollectionAround::Shared(Rc::clone(&text.bare)));
        }
        if text.is_shown {
            self.left = self.left.saturating_sub(size);
        }
        text.is_shown = true;
        Some(CollectionAround::Shared(Rc::clone(&text.whole)))
    }
}

/// How many rows of a list may show this text, which may be a collection with its books: as many as
/// fit in [`MAX_BYTES`], and one at least.
pub(crate) fn rows_showing(text: &RawValue) -> usize {
    match MAX_BYTES.checked_div(text.get().len()) {
        None | Some(0) => 1,
        Some(rows) => rows,
    }
}

fn to_reply(view: &View, cx: &Context) -> Reply {
    reply::ok(&CollectionOut::new(view, cx)).showing(shown(&view.books))
}

fn listed(books: &[book::View], cx: &Context) -> Reply {
    reply::ok(&BookOut::list(books, cx)).showing(shown(books))
}

fn shown(books: &[book::View]) -> impl Iterator<Item = Shown> {
    books.iter().map(|view| Shown::Book(view.access.book().key.clone()))
}

/// GET collections.
pub(crate) async fn list_collections(request: ApiRequest) -> ApiResult {
    let all = |views: &Vec<View>, cx: &Context| {
        let shown = |view| CollectionOut::new(view, cx);
        reply::list(views, shown, |view| view.collection.id.to_string())
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
    request.write_own(move |tx, cx| collection::create(tx, cx, name.as_deref()), to_reply).await
}

/// PUT collections, the id in the body.
pub(crate) async fn update_collection(request: ApiRequest, body: Body<CollectionIn>) -> ApiResult {
    let CollectionIn { id, name } = body.0;
    let id = id_text(id);
    request
        .write_own(
            move |tx, cx| collection::update(tx, cx, id.as_deref(), name.as_deref()),
            to_reply,
        )
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
