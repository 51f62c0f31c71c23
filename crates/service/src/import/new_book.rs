//! The books that an import creates, and their deletion by its undo (behaviour 15.12).
//!
//! A unit of work concerns one book, so that no two wait for each other's books. Each can be
//! repeated: a new book names its import, and transactions have remote ids.

use daybook_domain::RefusalKind;
use daybook_domain::book::Changes;
use daybook_domain::id::ImportId;
use daybook_domain::import::RUN_PROPERTY;
use daybook_domain::permission::Permission;
use daybook_domain::purpose::DeleteBook;
use daybook_storage::Tx;

use super::chart::{NewAccount, NewChart, NewGroup};
use crate::context::Context;
use crate::error::Result;
use crate::{access, book, collection};

/// A book to create.
#[derive(Debug, Clone, Default)]
pub struct NewBook {
    /// Its settings.
    pub settings: Changes,
    /// Its groups and accounts.
    pub chart: NewChart,
}

/// A book that an import has created.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunBook {
    /// The id of the book.
    pub key: String,
    /// The number of the last event that the import has recorded in it.
    pub sequence: i64,
}

/// Creates a book of an import, which its author owns. The property `import_run` of the book has
/// the id of the import.
///
/// If this is repeated, returns the book that the author already has. `known` are the other books
/// of the import. Books of others do not count: anyone can share one with the same property.
///
/// # Errors
/// Refusals of the rules of books, groups and accounts, such as the most books of an owner.
pub fn create_book(
    tx: &mut Tx<'_>,
    cx: &Context,
    import: ImportId,
    new: NewBook,
    known: &[String],
) -> Result<RunBook> {
    let run = import.to_string();
    for view in book::list(tx, cx, &run)? {
        let (found, key) = (view.access.book(), view.access.book().key.as_str());
        let is_of_run = found.settings.properties.get(RUN_PROPERTY) == Some(run.as_str());
        let has_name = new.settings.name.as_deref() == Some(found.settings.name.as_str());
        let is_own = view.access.permission() == Permission::Owner;
        if is_of_run && is_own && has_name && !known.iter().any(|other| other == key) {
            let sequence = tx.events().last_numbers(&[found.id])?;
            let sequence = sequence.into_iter().find_map(|(_, number)| number);
            let sequence = sequence.unwrap_or_default();
            return Ok(RunBook { key: key.to_owned(), sequence });
        }
    }
    let mut changes = new.settings;
    changes.properties.insert(RUN_PROPERTY.to_owned(), Some(run));
    let input = book::Input {
        changes,
        groups: new.chart.groups.iter().map(NewGroup::input).collect(),
        accounts: new.chart.accounts.iter().map(NewAccount::input).collect(),
    };
    let view = book::create_of_any_size(tx, cx, input)?;
    let sequence = tx.events().last_number(&view.access);
    Ok(RunBook { key: view.access.book().key.as_str().to_owned(), sequence })
}

/// Puts the books of an import into a new collection, unless one has them all. Returns its id.
///
/// # Errors
/// Refusals of the rules of collections.
pub fn collect_books(
    tx: &mut Tx<'_>,
    cx: &Context,
    name: &str,
    books: &[String],
) -> Result<String> {
    let has_all = |view: &collection::View| {
        let keys: Vec<&str> =
            view.books.iter().map(|book| book.access.book().key.as_str()).collect();
        books.iter().all(|key| keys.contains(&key.as_str()))
    };
    if let Some(view) = collection::list(tx, cx)?.into_iter().find(has_all) {
        return Ok(view.collection.id.to_string());
    }
    let id = collection::create(tx, cx, Some(name))?.collection.id.to_string();
    collection::add(tx, cx, &id, books.iter().cloned().map(Some).collect())?;
    Ok(id)
}

/// Deletes a book of an import that nothing else has written to, if the caller owns it. It can be
/// restored for `days` days.
///
/// Returns whether it is deleted.
///
/// # Errors
/// Failures.
pub fn delete_book(tx: &mut Tx<'_>, cx: &Context, book: &RunBook, days: u16) -> Result<bool> {
    match access::enter_to(tx, cx, &book.key, DeleteBook) {
        Ok(access) if tx.events().last_number(&access) == book.sequence => {
            book::delete(tx, cx, &book.key, days)?;
            Ok(true)
        }
        Ok(_) => Ok(false),
        Err(error) if error.kind() == RefusalKind::Missing => Ok(true),
        Err(error) if is_out_of_reach(error.kind()) => Ok(false),
        Err(error) => Err(error),
    }
}

/// Deletes the collection of the books of an import, if it is the caller's and empty.
///
/// # Errors
/// Failures.
pub fn delete_empty_collection(tx: &mut Tx<'_>, cx: &Context, id: &str) -> Result<()> {
    match collection::get(tx, cx, id) {
        Ok(view) if view.books.is_empty() => collection::delete(tx, cx, id).map(drop),
        Ok(_) => Ok(()),
        Err(error) if is_out_of_reach(error.kind()) => Ok(()),
        Err(error) => Err(error),
    }
}

/// Returns whether a resource is deleted, or the user may not do this with it.
pub(super) fn is_out_of_reach(kind: RefusalKind) -> bool {
    kind == RefusalKind::Missing || kind == RefusalKind::Denied
}
