//! Use cases of collections (behaviour 9.10). They are a user's own, so the step at the door is to
//! look among the caller's only, and no book records an event.

use std::collections::HashMap;
use std::sync::Arc;

use daybook_domain::access::Access;
use daybook_domain::collection::{Collection, Refusal};
use daybook_domain::id::{BookId, CollectionId};
use daybook_domain::permission::{Action, Permission};
use daybook_storage::Tx;
use daybook_storage::access::BookAccess;

use crate::context::Context;
use crate::error::Result;
use crate::{batch, book};

/// Books that the collections of one list of books or events show in all: each row shows those of
/// its whole collection, and a list must not grow with the product of the two.
const MAX_SHOWN: usize = 2_000;

/// A collection as its reader sees it.
#[derive(Debug, Clone)]
pub struct View {
    /// The collection.
    pub collection: Collection,
    /// Its owner's username.
    pub owner_name: String,
    /// What the reader may do with it.
    pub permission: Permission,
    /// Its books, by name; none where they are left out.
    pub books: Option<Vec<book::View>>,
}

impl View {
    fn new(
        cx: &Context,
        collection: Collection,
        owner_name: String,
        mut books: Vec<book::View>,
    ) -> Self {
        book::sort(&mut books);
        let permission = collection.permission(cx.user.id);
        Self { collection, owner_name, permission, books: Some(books) }
    }

    fn without_books(&self) -> Self {
        let Self { collection, owner_name, permission, books: _ } = self;
        Self {
            collection: collection.clone(),
            owner_name: owner_name.clone(),
            permission: *permission,
            books: None,
        }
    }
}

/// listCollections: the caller's own, by name.
pub fn list(tx: &mut Tx<'_>, cx: &Context) -> Result<Vec<View>> {
    let mut all = tx.collections().list(cx.user.id)?;
    all.sort_by_cached_key(Collection::place);
    let mut contents = contents(tx, cx)?;
    let views = all.into_iter().map(|collection| {
        let books = contents.remove(&collection.id).unwrap_or_default();
        View::new(cx, collection, cx.user.username.clone(), books)
    });
    Ok(views.collect())
}

/// getCollection (behaviour 12.9).
///
/// # Errors
/// [`Refusal::Unknown`], also for somebody else's.
pub fn get(tx: &mut Tx<'_>, cx: &Context, id: &str) -> Result<View> {
    let collection = find(tx, cx, id)?;
    whole(tx, cx, collection, cx.user.username.clone())
}

/// createCollection.
///
/// # Errors
/// A refused name.
pub fn create(tx: &mut Tx<'_>, cx: &Context, name: Option<&str>) -> Result<View> {
    let collection =
        Collection::create(CollectionId::new(cx.mint()), cx.user.id, name, cx.stamp())?;
    tx.collections().insert(&collection)?;
    Ok(View::new(cx, collection, cx.user.username.clone(), Vec::new()))
}

/// updateCollection: changes the name only.
///
/// # Errors
/// [`Refusal::IdRequired`] and [`Refusal::Unknown`]; a refused name.
pub fn update(tx: &mut Tx<'_>, cx: &Context, id: Option<&str>, name: Option<&str>) -> Result<View> {
    let before = enter(tx, cx, id.ok_or(Refusal::IdRequired)?)?;
    let after = before.clone().rename(name, cx.now)?;
    if after != before {
        tx.collections().update(&after)?;
    }
    whole(tx, cx, after, cx.user.username.clone())
}

/// deleteCollection: answers its former books, which stay.
///
/// # Errors
/// [`Refusal::Unknown`].
pub fn delete(tx: &mut Tx<'_>, cx: &Context, id: &str) -> Result<Vec<book::View>> {
    let collection = enter(tx, cx, id)?;
    let mut books = shown(tx, cx, &collection)?;
    book::sort(&mut books);
    tx.collections().delete(&collection)?;
    Ok(books)
}

/// addBooksToCollection: answers the books in the order given. One that is in another collection of
/// the caller moves; one that is in this one already is answered all the same.
///
/// # Errors
/// [`Refusal::Unknown`], [`Refusal::UnknownBooks`] and [`Refusal::TooMany`].
pub fn add(
    tx: &mut Tx<'_>,
    cx: &Context,
    id: &str,
    books: Vec<Option<String>>,
) -> Result<Vec<book::View>> {
    let collection = enter(tx, cx, id)?;
    batch::check_size("items", books.len())?;
    let keys = named(books)?;
    let found = tx.books().by_keys(&keys, &cx.user.email)?;
    let mut visible: HashMap<String, book::View> = HashMap::new();
    for found in found {
        let activity = found.activity;
        if let Ok(access) = found.admit(cx.user.id, Action::ReadBook) {
            visible
                .insert(access.book().key.as_str().to_owned(), book::View::plain(access, activity));
        }
    }
    let unknown: Vec<String> =
        keys.iter().filter(|key| !visible.contains_key(*key)).cloned().collect();
    if !unknown.is_empty() {
        return Err(Refusal::UnknownBooks(unknown).into());
    }
    let added: Vec<BookId> = visible.values().map(|view| view.access.book().id).collect();
    let mut places = tx.collections().places(cx.user.id)?;
    places.extend(added.iter().map(|book| (*book, collection.id)));
    Collection::check_size(places.values().filter(|place| **place == collection.id).count())?;
    tx.collections().put(&collection, &added)?;
    Ok(keys.iter().filter_map(|key| visible.remove(key)).collect())
}

/// removeBooksFromCollection: answers the books that were in it, in the order given; others are no
/// matter.
///
/// # Errors
/// [`Refusal::Unknown`].
pub fn remove(
    tx: &mut Tx<'_>,
    cx: &Context,
    id: &str,
    books: Vec<Option<String>>,
) -> Result<Vec<book::View>> {
    let collection = enter(tx, cx, id)?;
    batch::check_size("items", books.len())?;
    let keys = named(books)?;
    let places = tx.collections().places(cx.user.id)?;
    let mut inside: HashMap<String, BookAccess> = HashMap::new();
    for entrance in tx.books().by_keys(&keys, &cx.user.email)? {
        if places.get(&entrance.book.id) == Some(&collection.id) {
            inside.insert(entrance.book.key.as_str().to_owned(), entrance);
        }
    }
    let taken: Vec<BookId> = inside.values().map(|entrance| entrance.book.id).collect();
    tx.collections().take(&collection, &taken)?;
    // A book the caller has lost sight of leaves too, and is not shown.
    let visible = keys
        .iter()
        .filter_map(|key| inside.remove(key))
        .filter_map(|entrance| view(cx, &collection, entrance));
    Ok(visible.collect())
}

/// The collection a book shows to its reader: their own before the owner's (behaviour 6.2).
pub(crate) fn of_book(tx: &mut Tx<'_>, cx: &Context, access: &Access) -> Result<Option<Arc<View>>> {
    let around = tx.collections().around_book(&cx.user, access.book().id)?;
    let Some(collection) =
        around.into_iter().max_by_key(|collection| collection.owner == cx.user.id)
    else {
        return Ok(None);
    };
    let owner_name = owner_name(cx, &collection, access.book().owner_name.as_str());
    whole(tx, cx, collection, owner_name).map(|view| Some(Arc::new(view)))
}

/// The collections that each of the caller's books shows: what [`of_book`] answers, for all of them
/// at once.
pub(crate) fn of_books(
    tx: &mut Tx<'_>,
    cx: &Context,
    all: &[BookAccess],
) -> Result<HashMap<BookId, Arc<View>>> {
    let around = tx.collections().around_books(&cx.user)?;
    if around.is_empty() {
        return Ok(HashMap::new());
    }
    let mut own = contents(tx, cx)?;
    let entrances: HashMap<BookId, &BookAccess> =
        all.iter().map(|entrance| (entrance.book.id, entrance)).collect();
    let mut chosen: HashMap<BookId, Collection> = HashMap::new();
    let mut insides: HashMap<CollectionId, (Collection, Vec<&BookAccess>)> = HashMap::new();
    for (book, collection) in around {
        let Some(entrance) = entrances.get(&book) else { continue };
        insides
            .entry(collection.id)
            .or_insert_with(|| (collection.clone(), Vec::new()))
            .1
            .push(entrance);
        if collection.owner == cx.user.id || !chosen.contains_key(&book) {
            chosen.insert(book, collection);
        }
    }
    let mut views: HashMap<CollectionId, Arc<View>> = HashMap::new();
    for (id, (collection, inside)) in insides {
        let Some(first) = inside.first() else { continue };
        let name = owner_name(cx, &collection, &first.book.owner_name);
        // One's own may also hold PUBLIC books, which are not among those one collaborates in.
        let others = || {
            inside
                .iter()
                .filter_map(|entrance| view(cx, &collection, (*entrance).clone()))
                .collect()
        };
        let books = if collection.owner == cx.user.id {
            own.remove(&id).unwrap_or_default()
        } else {
            others()
        };
        views.insert(id, Arc::new(View::new(cx, collection, name, books)));
    }
    Ok(chosen
        .into_iter()
        .filter_map(|(book, collection)| Some((book, Arc::clone(views.get(&collection.id)?))))
        .collect())
}

/// Leaves the books out of the collections of a list when there are too many of them in all.
pub(crate) fn bound(views: &mut [book::View]) {
    let size = |view: &book::View| {
        view.collection.as_ref().and_then(|view| view.books.as_ref()).map_or(0, Vec::len)
    };
    if views.iter().map(size).sum::<usize>() <= MAX_SHOWN {
        return;
    }
    for view in views {
        view.collection = view.collection.as_deref().map(View::without_books).map(Arc::new);
    }
}

/// The collection that so many rows of a list repeat, without its books when that would be too many
/// in all.
pub(crate) fn repeated(view: Arc<View>, rows: usize) -> Arc<View> {
    let size = view.books.as_ref().map_or(0, Vec::len);
    if size.saturating_mul(rows) <= MAX_SHOWN { view } else { Arc::new(view.without_books()) }
}

/// The caller's own collection, for a write: their other writes to collections wait until this one
/// is done.
fn enter(tx: &mut Tx<'_>, cx: &Context, id: &str) -> Result<Collection> {
    tx.collections().lock(cx.user.id)?;
    find(tx, cx, id)
}

fn find(tx: &mut Tx<'_>, cx: &Context, text: &str) -> Result<Collection> {
    let found = match text.parse() {
        Ok(id) => tx.collections().find(cx.user.id, id)?,
        Err(_) => None,
    };
    Ok(found.ok_or_else(|| Refusal::Unknown(text.chars().take(60).collect()))?)
}

/// The keys of a list of books, each once.
fn named(books: Vec<Option<String>>) -> Result<Vec<String>> {
    let mut keys: Vec<String> = Vec::with_capacity(books.len());
    let mut seen = std::collections::HashSet::new();
    for key in books {
        let key = key.ok_or(Refusal::BookIdRequired)?;
        if seen.insert(key.clone()) {
            keys.push(key);
        }
    }
    Ok(keys)
}

fn whole(
    tx: &mut Tx<'_>,
    cx: &Context,
    collection: Collection,
    owner_name: String,
) -> Result<View> {
    let books = shown(tx, cx, &collection)?;
    Ok(View::new(cx, collection, owner_name, books))
}

/// The books of a collection that it shows to the caller.
fn shown(tx: &mut Tx<'_>, cx: &Context, collection: &Collection) -> Result<Vec<book::View>> {
    let inside =
        tx.books().of_collections(collection.owner, Some(collection.id), &cx.user.email)?;
    Ok(inside.into_iter().filter_map(|found| view(cx, collection, found)).collect())
}

/// The books of all the caller's own collections.
fn contents(tx: &mut Tx<'_>, cx: &Context) -> Result<HashMap<CollectionId, Vec<book::View>>> {
    let places = tx.collections().places(cx.user.id)?;
    let mut contents: HashMap<CollectionId, Vec<book::View>> = HashMap::new();
    if places.is_empty() {
        return Ok(contents);
    }
    for found in tx.books().of_collections(cx.user.id, None, &cx.user.email)? {
        let Some(place) = places.get(&found.book.id) else { continue };
        let activity = found.activity;
        if let Ok(access) = found.admit(cx.user.id, Action::ReadBook) {
            contents.entry(*place).or_default().push(book::View::plain(access, activity));
        }
    }
    Ok(contents)
}

fn view(cx: &Context, collection: &Collection, found: BookAccess) -> Option<book::View> {
    let activity = found.activity;
    let shows = collection.shows(&found.book, found.granted, cx.user.id);
    let access = found.admit(cx.user.id, Action::ReadBook).ok().filter(|_| shows)?;
    Some(book::View::plain(access, activity))
}

/// Who owns a collection that is seen around a book: the reader or the book's owner.
fn owner_name(cx: &Context, collection: &Collection, owner_of_book: &str) -> String {
    if collection.owner == cx.user.id { cx.user.username.clone() } else { owner_of_book.to_owned() }
}
