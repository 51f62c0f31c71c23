//! The books that an import creates, and their deletion by its undo (behaviour 15.12).

use daybook_domain::RefusalKind;
use daybook_domain::book::Changes;
use daybook_domain::import::{Import, State};
use daybook_domain::purpose::{DeleteBook, Record};
use daybook_storage::Tx;

use super::chart::{NewAccount, NewChart, NewGroup};
use super::save::{is_current, save_at};
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

/// The books of an import.
#[derive(Debug, Clone, Default)]
pub struct NewBooks {
    /// The books.
    pub books: Vec<NewBook>,
    /// The name of the collection that they are put into, if any.
    pub collection: Option<String>,
}

/// A book that an import has created.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunBook {
    /// The id of the book.
    pub key: String,
    /// The number of the last event that the import has recorded in it.
    pub sequence: i64,
}

/// Creates the books of an import, which its author owns, and saves the import.
///
/// `update` returns the import with the books and the id of the collection. Returns the saved
/// import; `None` if another worker has changed it.
///
/// # Errors
/// Refusals of the rules of books, groups and accounts, such as the most books of an owner.
pub fn create_books(
    tx: &mut Tx<'_>,
    cx: &Context,
    book: &str,
    import: Import,
    new: &NewBooks,
    update: impl FnOnce(Import, Vec<RunBook>, Option<String>) -> Import,
) -> Result<Option<Import>> {
    let access = access::enter_to(tx, cx, book, Record::Draft)?;
    if !is_current(tx, &access, &import, State::Recording)? {
        return Ok(None);
    }
    let mut created = Vec::with_capacity(new.books.len());
    for one in &new.books {
        let input = book::Input {
            changes: one.settings.clone(),
            groups: one.chart.groups.iter().map(NewGroup::input).collect(),
            accounts: one.chart.accounts.iter().map(NewAccount::input).collect(),
        };
        let view = book::create_of_any_size(tx, cx, input)?;
        let sequence = tx.events().last_number(&view.access);
        created.push(RunBook { key: view.access.book().key.as_str().to_owned(), sequence });
    }
    let collection = match &new.collection {
        Some(name) => {
            let id = collection::create(tx, cx, Some(name))?.collection.id.to_string();
            let keys = created.iter().map(|book| Some(book.key.clone())).collect();
            collection::add(tx, cx, &id, keys)?;
            Some(id)
        }
        None => None,
    };
    let version = import.stamp.version;
    let updated = update(import, created, collection);
    let updated = Import { stamp: updated.stamp.clone().touch(cx.now), ..updated };
    Ok(save_at(tx, &access, version, &updated)?.then_some(updated))
}

/// The books that an undo may delete.
#[derive(Debug, Clone, Default)]
pub struct BookDeletion {
    /// The books, with the last event that the import has recorded in each.
    pub books: Vec<RunBook>,
    /// The id of their collection.
    pub collection: Option<String>,
    /// How many days they can be restored.
    pub days: u16,
}

/// Deletes the books of an import that nothing else has written to, if the caller owns them, and
/// their collection once it is empty.
///
/// `update` returns the import with the ids of the deleted books. Returns the saved import; `None`
/// if another worker has changed it.
///
/// # Errors
/// 403 or 404 when the user may not edit in the book of the import any more; failures.
pub fn delete_books(
    tx: &mut Tx<'_>,
    cx: &Context,
    book: &str,
    import: Import,
    deletion: &BookDeletion,
    update: impl FnOnce(Import, Vec<String>) -> Import,
) -> Result<Option<Import>> {
    let cx = &cx.exempt_from_quotas();
    let access = access::enter_to(tx, cx, book, Record::Edit)?;
    if !is_current(tx, &access, &import, State::Undoing)? {
        return Ok(None);
    }
    let mut deleted = Vec::new();
    for one in &deletion.books {
        match access::enter_to(tx, cx, &one.key, DeleteBook) {
            Ok(access) if tx.events().last_number(&access) == one.sequence => {
                book::delete(tx, cx, &one.key, deletion.days)?;
                deleted.push(one.key.clone());
            }
            Ok(_) => {}
            Err(error) if is_out_of_reach(error.kind()) => {}
            Err(error) => return Err(error),
        }
    }
    if let Some(id) = deletion.collection.as_deref().filter(|_| !deleted.is_empty()) {
        match collection::get(tx, cx, id) {
            Ok(view) if view.books.is_empty() => drop(collection::delete(tx, cx, id)?),
            Ok(_) => {}
            Err(error) if is_out_of_reach(error.kind()) => {}
            Err(error) => return Err(error),
        }
    }
    let version = import.stamp.version;
    let updated = update(import, deleted);
    let updated = Import { stamp: updated.stamp.clone().touch(cx.now), ..updated };
    Ok(save_at(tx, &access, version, &updated)?.then_some(updated))
}

/// Returns whether a book is deleted, or the user may not do this in it.
pub(super) fn is_out_of_reach(kind: RefusalKind) -> bool {
    kind == RefusalKind::Missing || kind == RefusalKind::Denied
}
