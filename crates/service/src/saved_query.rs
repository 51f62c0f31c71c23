//! Use cases of saved queries (behaviour 9.9).

use daybook_domain::collaborator::{Action, Member};
use daybook_domain::event::{EventType, Happening, snapshot};
use daybook_domain::id::SavedQueryId;
use daybook_domain::saved_query::{Changes, Refusal, SavedQuery};
use daybook_storage::Tx;

use crate::context::Context;
use crate::error::Result;
use crate::{access, record};

/// listQueries: by title.
///
/// # Errors
/// What the access step refuses.
pub fn list(tx: &mut Tx<'_>, cx: &Context, book: &str) -> Result<Vec<SavedQuery>> {
    let member = access::enter(tx, cx, book, Action::ReadChart)?;
    let mut all = tx.saved_queries().list(&member)?;
    all.sort_by_cached_key(SavedQuery::place);
    Ok(all)
}

/// getQuery (behaviour 12.9).
///
/// # Errors
/// What the access step refuses; [`Refusal::Unknown`].
pub fn get(tx: &mut Tx<'_>, cx: &Context, book: &str, id: &str) -> Result<SavedQuery> {
    let member = access::enter(tx, cx, book, Action::ReadChart)?;
    find(tx, &member, id)
}

/// saveQuery.
///
/// # Errors
/// What the access step and the rules of saved queries refuse.
pub fn create(tx: &mut Tx<'_>, cx: &Context, book: &str, changes: Changes) -> Result<SavedQuery> {
    let member = access::enter(tx, cx, book, Action::WriteSavedQueries)?;
    let saved = SavedQuery::create(SavedQueryId::new(cx.mint()), changes, cx.stamp())?;
    tx.saved_queries().insert(&member, std::slice::from_ref(&saved))?;
    let happening =
        Happening::new(EventType::QueryCreated, saved.id.get(), snapshot::saved_query(&saved));
    record::happenings(tx, cx, &member, vec![happening])?;
    Ok(saved)
}

/// updateQuery.
///
/// # Errors
/// What the access step and the rules of saved queries refuse; [`Refusal::IdRequired`] and
/// [`Refusal::Unknown`].
pub fn update(
    tx: &mut Tx<'_>,
    cx: &Context,
    book: &str,
    id: Option<&str>,
    changes: Changes,
) -> Result<SavedQuery> {
    let member = access::enter(tx, cx, book, Action::WriteSavedQueries)?;
    let before = find(tx, &member, id.ok_or(Refusal::IdRequired)?)?;
    let (after, previous) = before.update(changes, cx.now)?;
    if previous.is_empty() {
        return Ok(after);
    }
    tx.saved_queries().update(&member, &after)?;
    let happening = Happening::update(
        EventType::QueryUpdated,
        after.id.get(),
        snapshot::saved_query(&after),
        &previous,
    );
    record::happenings(tx, cx, &member, vec![happening])?;
    Ok(after)
}

/// deleteQuery.
///
/// # Errors
/// What the access step refuses; [`Refusal::Unknown`].
pub fn delete(tx: &mut Tx<'_>, cx: &Context, book: &str, id: &str) -> Result<SavedQuery> {
    let member = access::enter(tx, cx, book, Action::WriteSavedQueries)?;
    let doomed = find(tx, &member, id)?;
    tx.saved_queries().delete(&member, doomed.id)?;
    let happening =
        Happening::new(EventType::QueryDeleted, doomed.id.get(), snapshot::saved_query(&doomed));
    record::happenings(tx, cx, &member, vec![happening])?;
    Ok(doomed)
}

fn find(tx: &mut Tx<'_>, member: &Member, text: &str) -> Result<SavedQuery> {
    let found = match text.parse() {
        Ok(id) => tx.saved_queries().find(member, id)?,
        Err(_) => None,
    };
    Ok(found.ok_or_else(|| Refusal::Unknown(text.chars().take(60).collect()))?)
}
