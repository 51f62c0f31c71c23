//! Saved queries of a book (behaviour 9.9).

use daybook_domain::access::Access;
use daybook_domain::id::SavedQueryId;
use daybook_domain::permission::Action;
use daybook_domain::purpose::WriteSavedQueries;
use daybook_domain::saved_query::{Changes, MAX_SAVED, Refusal, SavedQuery};
use daybook_storage::Tx;

use crate::context::Context;
use crate::error::Result;
use crate::{access, event_log};

/// listQueries: by title.
pub fn list(tx: &mut Tx<'_>, cx: &Context, book: &str) -> Result<Vec<SavedQuery>> {
    let access = access::enter(tx, cx, book, Action::ReadChart)?;
    let mut all = tx.saved_queries().list(&access)?;
    all.sort_by_cached_key(SavedQuery::sort_key);
    Ok(all)
}

/// getQuery (behaviour 12.9).
///
/// # Errors
/// [`Refusal::Unknown`].
pub fn get(tx: &mut Tx<'_>, cx: &Context, book: &str, id: &str) -> Result<SavedQuery> {
    let access = access::enter(tx, cx, book, Action::ReadChart)?;
    find(tx, &access, id)
}

/// saveQuery.
///
/// # Errors
/// Refusals of the rules of saved queries.
pub fn create(tx: &mut Tx<'_>, cx: &Context, book: &str, changes: Changes) -> Result<SavedQuery> {
    let access = access::enter_to(tx, cx, book, WriteSavedQueries)?;
    let saved = SavedQuery::create(SavedQueryId::new(cx.mint()), changes, cx.stamp())?;
    if tx.saved_queries().count(&access)? >= MAX_SAVED {
        return Err(Refusal::TooMany.into());
    }
    tx.saved_queries().insert(&access, std::slice::from_ref(&saved))?;
    event_log::append(tx, cx, &access, vec![saved.created_event()])?;
    Ok(saved)
}

/// updateQuery.
///
/// # Errors
/// Refusals of the rules of saved queries; [`Refusal::IdRequired`] and [`Refusal::Unknown`].
pub fn update(
    tx: &mut Tx<'_>,
    cx: &Context,
    book: &str,
    id: Option<&str>,
    changes: Changes,
) -> Result<SavedQuery> {
    let access = access::enter_to(tx, cx, book, WriteSavedQueries)?;
    let before = find(tx, &access, id.ok_or(Refusal::IdRequired)?)?;
    let (after, previous) = before.update(changes, cx.now)?;
    if previous.is_empty() {
        return Ok(after);
    }
    tx.saved_queries().update(&access, &after)?;
    event_log::append(tx, cx, &access, vec![after.updated_event(&previous)])?;
    Ok(after)
}

/// deleteQuery.
///
/// # Errors
/// [`Refusal::Unknown`].
pub fn delete(tx: &mut Tx<'_>, cx: &Context, book: &str, id: &str) -> Result<SavedQuery> {
    let cx = &cx.exempt_from_quotas();
    let access = access::enter_to(tx, cx, book, WriteSavedQueries)?;
    let removed = find(tx, &access, id)?;
    tx.saved_queries().delete(&access, removed.id)?;
    event_log::append(tx, cx, &access, vec![removed.deleted_event()])?;
    Ok(removed)
}

fn find(tx: &mut Tx<'_>, access: &Access, text: &str) -> Result<SavedQuery> {
    let found = match text.parse() {
        Ok(id) => tx.saved_queries().find(access, id)?,
        Err(_) => None,
    };
    Ok(found.ok_or_else(|| Refusal::Unknown(text.chars().take(60).collect()))?)
}
