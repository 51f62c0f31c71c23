//! Use cases of collections (behaviour 9.10). A collection belongs to a user: the access step is to
//! look among the caller's own, and no event is recorded.

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

/// A collection as the caller sees it.
#[derive(Debug, Clone)]
pub struct View {
    /// The collection.
    pub collection: Collection,
    /// Its owner's username.
    pub owner_name: String,
    /// What the caller may do with it.
    pub permission: Permission,
    /// Its books, by name.
    pub books: Vec<book::View>,
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
        Self { collection, owner_name, permission, books }
    }
}

/// listCollections: the caller's own, by name.
pub fn list(tx: &mut Tx<'_>, cx: &Context) -> Result<Vec<View>> {
    cx.scope.check_outside_books()?;
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
/// [`Refusal::Unknown`], also for another user's collection.
pub fn get(tx: &mut Tx<'_>, cx: &Context, id: &str) -> Result<View> {
    cx.scope.check_outside_books()?;
    let collection = find(tx, cx, id)?;
    whole(tx, cx, collection, cx.user.username.clone())
}

/// createCollection.
///
/// # Errors
/// A refused name.
pub fn create(tx: &mut Tx<'_>, cx: &Context, name: Option<&str>) -> Result<View> {
    let cx = &cx.locked(tx)?;
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
    let cx = &cx.locked(tx)?;
    let before = find(tx, cx, id.ok_or(Refusal::IdRequired)?)?;
    let after = before.clone().rename(name, cx.now)?;
    if after != before {
        tx.collections().update(&after)?;
    }
    whole(tx, cx, after, cx.user.username.clone())
}

/// deleteCollection: returns the books it held, which stay.
///
/// # Errors
/// [`Refusal::Unknown`].
pub fn delete(tx: &mut Tx<'_>, cx: &Context, id: &str) -> Result<Vec<book::View>> {
    let cx = &cx.locked(tx)?;
    let collection = find(tx, cx, id)?;
    let mut books = shown(tx, cx, &collection)?;
    book::sort(&mut books);
    tx.collections().delete(&collection)?;
    note_reach(tx);
    Ok(books)
}

/// addBooksToCollection: returns the books in the order given. A book in another collection of the
/// caller moves to this one; a book that is in this one already stays and is returned too.
///
/// # Errors
/// [`Refusal::Unknown`], [`Refusal::UnknownBooks`] and [`Refusal::TooMany`].
pub fn add(
    tx: &mut Tx<'_>,
    cx: &Context,
    id: &str,
    books: Vec<Option<String>>,
) -> Result<Vec<book::View>> {
    let cx = &cx.locked(tx)?;
    let collection = find(tx, cx, id)?;
    batch::check_size("items", books.len())?;
    let keys = named(books)?;
    let mut visible = book::readable(tx, &cx.user, &keys)?;
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
    note_reach(tx);
    Ok(keys.iter().filter_map(|key| visible.remove(key)).collect())
}

/// removeBooksFromCollection: returns the books that were in it, in the order given. Other books
/// are ignored.
///
/// # Errors
/// [`Refusal::Unknown`].
pub fn remove(
    tx: &mut Tx<'_>,
    cx: &Context,
    id: &str,
    books: Vec<Option<String>>,
) -> Result<Vec<book::View>> {
    let cx = &cx.locked(tx)?;
    let collection = find(tx, cx, id)?;
    batch::check_size("items", books.len())?;
    let keys = named(books)?;
    let places = tx.collections().places(cx.user.id)?;
    let mut inside: HashMap<String, BookAccess> = HashMap::new();
    for book_access in tx.books().by_public_ids(&keys, &cx.user.email)? {
        if places.get(&book_access.book.id) == Some(&collection.id) {
            inside.insert(book_access.book.key.as_str().to_owned(), book_access);
        }
    }
    let taken: Vec<BookId> = inside.values().map(|book_access| book_access.book.id).collect();
    tx.collections().take(&collection, &taken)?;
    note_reach(tx);
    // A book the caller can no longer see is removed too, and not returned.
    let visible = keys
        .iter()
        .filter_map(|key| inside.remove(key))
        .filter_map(|book_access| view(cx, &collection, book_access));
    Ok(visible.collect())
}

/// The collection in which a book is shown to the caller: the caller's own, else the owner's
/// (behaviour 6.2).
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

/// What [`of_book`] returns, for all books of the caller at once.
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
    let accesses: HashMap<BookId, &BookAccess> =
        all.iter().map(|book_access| (book_access.book.id, book_access)).collect();
    let mut chosen: HashMap<BookId, Collection> = HashMap::new();
    let mut insides: HashMap<CollectionId, (Collection, Vec<&BookAccess>)> = HashMap::new();
    for (book, collection) in around {
        let Some(book_access) = accesses.get(&book) else { continue };
        insides
            .entry(collection.id)
            .or_insert_with(|| (collection.clone(), Vec::new()))
            .1
            .push(book_access);
        if collection.owner == cx.user.id || !chosen.contains_key(&book) {
            chosen.insert(book, collection);
        }
    }
    let mut views: HashMap<CollectionId, Arc<View>> = HashMap::new();
    for (id, (collection, inside)) in insides {
        let Some(first) = inside.first() else { continue };
        let name = owner_name(cx, &collection, &first.book.owner_name);
        // The caller's own collection may also hold PUBLIC books, in which the caller is no
        // collaborator.
        let others = || {
            inside
                .iter()
                .filter_map(|book_access| view(cx, &collection, (*book_access).clone()))
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

/// Notes that apps reach other books than before with the tokens of their deliveries (behaviour
/// 8.22).
fn note_reach(tx: &mut Tx<'_>) {
    tx.identity_changes().record();
}

fn find(tx: &mut Tx<'_>, cx: &Context, text: &str) -> Result<Collection> {
    let found = match text.parse() {
        Ok(id) => tx.collections().find(cx.user.id, id)?,
        Err(_) => None,
    };
    Ok(found.ok_or_else(|| Refusal::Unknown(text.chars().take(60).collect()))?)
}

/// The keys of the listed books, each once.
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

/// The books of a collection that the caller may see.
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
        let place = places.get(&found.book.id).filter(|_| cx.scope.reaches(&found.book.key));
        let Some(place) = place else { continue };
        let activity = found.activity;
        if let Ok(access) = found.admit(cx.user.id, Action::ReadBook) {
            contents.entry(*place).or_default().push(book::View::plain(access, activity));
        }
    }
    Ok(contents)
}

fn view(cx: &Context, collection: &Collection, found: BookAccess) -> Option<book::View> {
    let activity = found.activity;
    let shows = collection.shows(&found.book, found.granted, cx.user.id)
        && cx.scope.reaches(&found.book.key);
    let access = found.admit(cx.user.id, Action::ReadBook).ok().filter(|_| shows)?;
    Some(book::View::plain(access, activity))
}

/// The username of the owner of a book's collection: the caller or the book's owner.
fn owner_name(cx: &Context, collection: &Collection, owner_of_book: &str) -> String {
    if collection.owner == cx.user.id { cx.user.username.clone() } else { owner_of_book.to_owned() }
}
