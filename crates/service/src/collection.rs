//! Collections of books (behaviour 9.10). A collection belongs to a user, so the access step is a
//! lookup among the caller's own collections. No event is recorded.

use std::collections::HashMap;
use std::sync::Arc;

use daybook_domain::access::Access;
use daybook_domain::collection::{Collection, Refusal};
use daybook_domain::id::{BookId, CollectionId};
use daybook_domain::permission::{Action, Permission};
use daybook_storage::Tx;
use daybook_storage::access::BookAccess;

use crate::batch;
use crate::book::{self, BookSummary};
use crate::context::Context;
use crate::error::Result;
use crate::target::Target;

/// The target of requests that change collections.
pub const TARGET: Target = Target::Caller;

/// A collection as the caller sees it.
#[derive(Debug, Clone)]
pub struct View {
    /// The collection.
    pub collection: Collection,
    /// The username of its owner.
    pub owner_name: String,
    /// The caller's permission for it.
    pub permission: Permission,
    /// Its books that the caller may see, by name.
    pub books: Vec<BookSummary>,
}

impl View {
    fn new(
        cx: &Context,
        collection: Collection,
        owner_name: String,
        mut books: Vec<BookSummary>,
    ) -> Self {
        book::sort_summaries(&mut books);
        let permission = collection.permission(cx.user.id);
        Self { collection, owner_name, permission, books }
    }
}

/// listCollections: the caller's own, by name.
pub fn list(tx: &mut Tx<'_>, cx: &Context) -> Result<Vec<View>> {
    cx.scope.check_outside_books()?;
    let mut all = tx.collections().list(cx.user.id)?;
    all.sort_by_cached_key(Collection::sort_key);
    let mut books = load_own_books(tx, cx)?;
    let views = all.into_iter().map(|collection| {
        let books = books.remove(&collection.id).unwrap_or_default();
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
    load_view(tx, cx, collection, cx.user.username.clone())
}

/// createCollection.
///
/// # Errors
/// A refused name.
pub fn create(tx: &mut Tx<'_>, cx: &Context, name: Option<&str>) -> Result<View> {
    let cx = &cx.lock_caller(tx)?;
    let collection =
        Collection::create(CollectionId::new(cx.mint()), cx.user.id, name, cx.stamp())?;
    tx.collections().insert(&collection)?;
    Ok(View::new(cx, collection, cx.user.username.clone(), Vec::new()))
}

/// updateCollection: changes only the name.
///
/// # Errors
/// [`Refusal::IdRequired`] and [`Refusal::Unknown`]; a refused name.
pub fn update(tx: &mut Tx<'_>, cx: &Context, id: Option<&str>, name: Option<&str>) -> Result<View> {
    let cx = &cx.lock_caller(tx)?;
    let before = find(tx, cx, id.ok_or(Refusal::IdRequired)?)?;
    let after = before.clone().rename(name, cx.now)?;
    if after != before {
        tx.collections().update(&after)?;
    }
    load_view(tx, cx, after, cx.user.username.clone())
}

/// deleteCollection: returns the books it held. The books stay.
///
/// # Errors
/// [`Refusal::Unknown`].
pub fn delete(tx: &mut Tx<'_>, cx: &Context, id: &str) -> Result<Vec<BookSummary>> {
    let cx = &cx.lock_caller(tx)?;
    let collection = find(tx, cx, id)?;
    let mut books = load_books(tx, cx, &collection)?;
    book::sort_summaries(&mut books);
    tx.collections().delete(&collection)?;
    reauthenticate_apps(tx);
    Ok(books)
}

/// addBooksToCollection: returns the books in the order given.
///
/// A book in another collection of the caller moves to this one. A book that is already in this one
/// stays and is returned too.
///
/// # Errors
/// [`Refusal::Unknown`], [`Refusal::UnknownBooks`] and [`Refusal::TooMany`].
pub fn add(
    tx: &mut Tx<'_>,
    cx: &Context,
    id: &str,
    books: Vec<Option<String>>,
) -> Result<Vec<BookSummary>> {
    let cx = &cx.lock_caller(tx)?;
    let collection = find(tx, cx, id)?;
    batch::check_size("items", books.len())?;
    let keys = unique_keys(books)?;
    let mut visible = book::find_readable(tx, &cx.user, &keys)?;
    let unknown: Vec<String> =
        keys.iter().filter(|key| !visible.contains_key(*key)).cloned().collect();
    if !unknown.is_empty() {
        return Err(Refusal::UnknownBooks(unknown).into());
    }
    let added: Vec<BookId> = visible.values().map(|summary| summary.access.book().id).collect();
    let mut places = tx.collections().places(cx.user.id)?;
    places.extend(added.iter().map(|book| (*book, collection.id)));
    Collection::check_size(places.values().filter(|place| **place == collection.id).count())?;
    tx.collections().add_books(&collection, &added)?;
    reauthenticate_apps(tx);
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
) -> Result<Vec<BookSummary>> {
    let cx = &cx.lock_caller(tx)?;
    let collection = find(tx, cx, id)?;
    batch::check_size("items", books.len())?;
    let keys = unique_keys(books)?;
    let places = tx.collections().places(cx.user.id)?;
    let mut inside: HashMap<String, BookAccess> = HashMap::new();
    for book_access in tx.books().by_public_ids(&keys, &cx.user.email)? {
        if places.get(&book_access.book.id) == Some(&collection.id) {
            inside.insert(book_access.book.key.as_str().to_owned(), book_access);
        }
    }
    let removed: Vec<BookId> = inside.values().map(|book_access| book_access.book.id).collect();
    tx.collections().remove_books(&collection, &removed)?;
    reauthenticate_apps(tx);
    // A book that the caller can no longer see is removed too, but not returned.
    let visible = keys
        .iter()
        .filter_map(|key| inside.remove(key))
        .filter_map(|book_access| summarize(cx, &collection, book_access));
    Ok(visible.collect())
}

/// Returns the collection in which a book is shown to the caller: the caller's own, or else the
/// owner's (behaviour 6.2).
pub(crate) fn of_book(tx: &mut Tx<'_>, cx: &Context, access: &Access) -> Result<Option<Arc<View>>> {
    let candidates = tx.collections().containing_book(&cx.user, access.book().id)?.into_iter();
    let chosen = candidates.max_by_key(|collection| collection.owner == cx.user.id);
    let Some(collection) = chosen else { return Ok(None) };
    let owner_name = owner_name(cx, &collection, access.book().owner_name.as_str());
    load_view(tx, cx, collection, owner_name).map(|view| Some(Arc::new(view)))
}

/// Returns what [`of_book`] returns, for all books of the caller at once.
pub(crate) fn of_books(
    tx: &mut Tx<'_>,
    cx: &Context,
    all: &[BookAccess],
) -> Result<HashMap<BookId, Arc<View>>> {
    let containing = tx.collections().containing_books(&cx.user)?;
    if containing.is_empty() {
        return Ok(HashMap::new());
    }
    let mut own_books = load_own_books(tx, cx)?;
    let accesses: HashMap<BookId, &BookAccess> =
        all.iter().map(|book_access| (book_access.book.id, book_access)).collect();
    let mut chosen: HashMap<BookId, Collection> = HashMap::new();
    let mut members: HashMap<CollectionId, (Collection, Vec<&BookAccess>)> = HashMap::new();
    for (book, collection) in containing {
        let Some(book_access) = accesses.get(&book) else { continue };
        members
            .entry(collection.id)
            .or_insert_with(|| (collection.clone(), Vec::new()))
            .1
            .push(book_access);
        if collection.owner == cx.user.id || !chosen.contains_key(&book) {
            chosen.insert(book, collection);
        }
    }
    let mut views: HashMap<CollectionId, Arc<View>> = HashMap::new();
    for (id, (collection, members)) in members {
        let Some(first) = members.first() else { continue };
        let name = owner_name(cx, &collection, &first.book.owner_name);
        let books = if collection.owner == cx.user.id {
            // It may also hold PUBLIC books, in which the caller is not a collaborator.
            own_books.remove(&id).unwrap_or_default()
        } else {
            let members = members.into_iter().cloned();
            members.filter_map(|book_access| summarize(cx, &collection, book_access)).collect()
        };
        views.insert(id, Arc::new(View::new(cx, collection, name, books)));
    }
    Ok(chosen
        .into_iter()
        .filter_map(|(book, collection)| Some((book, Arc::clone(views.get(&collection.id)?))))
        .collect())
}

/// Makes all processes authenticate the tokens of deliveries anew, because apps with access to a
/// whole collection now reach other books (behaviour 8.22).
fn reauthenticate_apps(tx: &mut Tx<'_>) {
    tx.identity_changes().increment();
}

fn find(tx: &mut Tx<'_>, cx: &Context, text: &str) -> Result<Collection> {
    let found = match text.parse() {
        Ok(id) => tx.collections().find(cx.user.id, id)?,
        Err(_) => None,
    };
    Ok(found.ok_or_else(|| Refusal::Unknown(text.chars().take(60).collect()))?)
}

/// Returns the keys of the listed books without duplicates.
fn unique_keys(books: Vec<Option<String>>) -> Result<Vec<String>> {
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

fn load_view(
    tx: &mut Tx<'_>,
    cx: &Context,
    collection: Collection,
    owner_name: String,
) -> Result<View> {
    let books = load_books(tx, cx, &collection)?;
    Ok(View::new(cx, collection, owner_name, books))
}

/// Loads the books of a collection that the caller may see.
fn load_books(tx: &mut Tx<'_>, cx: &Context, collection: &Collection) -> Result<Vec<BookSummary>> {
    let members =
        tx.books().of_collections(collection.owner, Some(collection.id), &cx.user.email)?;
    Ok(members.into_iter().filter_map(|found| summarize(cx, collection, found)).collect())
}

/// Loads the books of all the caller's own collections.
fn load_own_books(
    tx: &mut Tx<'_>,
    cx: &Context,
) -> Result<HashMap<CollectionId, Vec<BookSummary>>> {
    let places = tx.collections().places(cx.user.id)?;
    let mut books: HashMap<CollectionId, Vec<BookSummary>> = HashMap::new();
    if places.is_empty() {
        return Ok(books);
    }
    for found in tx.books().of_collections(cx.user.id, None, &cx.user.email)? {
        if !cx.scope.includes_book(&found.book.key) {
            continue;
        }
        let Some(place) = places.get(&found.book.id) else { continue };
        let counters = found.counters;
        if let Ok(access) = found.admit(cx.user.id, Action::ReadBook) {
            books.entry(*place).or_default().push(BookSummary { access, counters });
        }
    }
    Ok(books)
}

/// Returns a book of a collection if the caller may see it there.
fn summarize(cx: &Context, collection: &Collection, found: BookAccess) -> Option<BookSummary> {
    let counters = found.counters;
    let is_visible = collection.shows(&found.book, found.granted, cx.user.id)
        && cx.scope.includes_book(&found.book.key);
    if !is_visible {
        return None;
    }
    let access = found.admit(cx.user.id, Action::ReadBook).ok()?;
    Some(BookSummary { access, counters })
}

/// Returns the username of the owner of a book's collection: the caller, or the book's owner.
fn owner_name(cx: &Context, collection: &Collection, owner_of_book: &str) -> String {
    if collection.owner == cx.user.id { cx.user.username.clone() } else { owner_of_book.to_owned() }
}
