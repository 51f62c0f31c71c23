//! Use cases of connections (behaviour 9.5). A connection belongs to a user: the access step is to
//! look among the caller's own, and no event is recorded but those of the integrations that go with
//! it.

use std::collections::HashMap;

use daybook_domain::app::AppSummary;
use daybook_domain::connection::{
    Connection, ConnectionKind, MAX_CONNECTIONS, NewConnection, Refusal,
};
use daybook_domain::id::{BookKey, ConnectionId};
use daybook_domain::permission::Action;
use daybook_domain::property::Edits;
use daybook_storage::Tx;

use crate::context::Context;
use crate::error::{Error, Result};
use crate::integration;

/// The most books whose integrations are listed for a connection.
pub const MAX_LISTED_BOOKS: i64 = 1_000;

/// A connection as its owner sees it, with its properties sealed.
#[derive(Debug, Clone)]
pub struct View {
    /// The connection.
    pub connection: Connection,
    /// The address of its owner.
    pub email: String,
    /// How its app looks.
    pub face: Option<AppSummary>,
}

/// What edits make of the sealed properties of a connection, sealed again; those that change
/// nothing leave them as they are.
pub trait Sealing: Fn(ConnectionId, Option<&[u8]>, &Edits) -> Result<Option<Vec<u8>>> {}

impl<F: Fn(ConnectionId, Option<&[u8]>, &Edits) -> Result<Option<Vec<u8>>>> Sealing for F {}

/// listConnections: the caller's own, by name.
///
/// # Errors
/// The access token is limited to books.
pub fn list(tx: &mut Tx<'_>, cx: &Context) -> Result<Vec<View>> {
    cx.scope.check_connections()?;
    let mut all = tx.connections().list(cx.user.id)?;
    all.retain(|one| cx.scope.reaches_connections_to(&one.app));
    all.sort_by_cached_key(Connection::sort_key);
    views(tx, cx, all)
}

/// getConnection.
///
/// # Errors
/// [`Refusal::Unknown`]; the access token is limited to books.
pub fn get(tx: &mut Tx<'_>, cx: &Context, id: &str) -> Result<View> {
    cx.scope.check_connections()?;
    let connection = find(tx, cx, id)?;
    view(tx, cx, connection)
}

/// createConnection. One with the same app and uuid stays as it is.
///
/// # Errors
/// What the rules of connections and of properties refuse; [`Refusal::TooMany`].
pub fn create(
    tx: &mut Tx<'_>,
    cx: &Context,
    new: &NewConnection,
    properties: &Edits,
    sealing: impl Sealing,
) -> Result<View> {
    let cx = &cx.locked(tx)?;
    let (agent, uuid) = (new.app()?, new.uuid()?);
    if !cx.scope.reaches_connections_to(&agent) {
        return Err(Refusal::OfOtherApp(agent.to_string()).into());
    }
    let known = tx.connections().list(cx.user.id)?;
    let same = |one: &&Connection| one.app == agent && Some(one.uuid.as_str()) == uuid;
    if let Some(existing) = known.iter().find(same) {
        return view(tx, cx, existing.clone());
    }
    let app = tx.apps().find(agent.as_str())?;
    let id = ConnectionId::new(cx.mint());
    let made = Connection::create(id, new, app.as_ref(), &cx.visitor(), cx.now)?;
    if known.len() >= MAX_CONNECTIONS {
        return Err(Refusal::TooMany.into());
    }
    let made = Connection { properties: sealing(id, None, properties)?, ..made };
    tx.connections().insert(&made)?;
    if made.kind == ConnectionKind::Bank {
        tx.users().note_bank_connection(cx.user.id)?;
    }
    view(tx, cx, made)
}

/// updateConnection: its name and its properties.
///
/// # Errors
/// [`Refusal::IdRequired`], [`Refusal::Unknown`]; a name or properties that are none.
pub fn update(
    tx: &mut Tx<'_>,
    cx: &Context,
    id: Option<&str>,
    (name, properties): (Option<&str>, &Edits),
    sealing: impl Sealing,
) -> Result<View> {
    let cx = &cx.locked(tx)?;
    let before = find(tx, cx, id.ok_or(Refusal::IdRequired)?)?;
    let sealed = sealing(before.id, before.properties.as_deref(), properties)?;
    let after = before.clone().update(name, sealed, cx.now)?;
    if after != before {
        tx.connections().update(&after)?;
    }
    view(tx, cx, after)
}

/// listConnectionIntegrations: those of books that the caller still may read.
///
/// # Errors
/// [`Refusal::Unknown`]; the access token is limited to books.
pub fn integrations(tx: &mut Tx<'_>, cx: &Context, id: &str) -> Result<Vec<integration::View>> {
    cx.scope.check_connections()?;
    let connection = find(tx, cx, id)?.id;
    let keys = tx.integrations().books_of(connection, MAX_LISTED_BOOKS)?;
    let mut found = Vec::new();
    let books = tx.books().by_public_ids(&keys, &cx.user.email)?.into_iter();
    for book in books.filter(|found| cx.scope.reaches(&found.book.key)) {
        if let Ok(access) = book.admit(cx.user.id, Action::ReadChart) {
            let of_it = tx.integrations().list(&access)?.into_iter();
            let of_it = of_it.filter(|one| one.connection == Some(connection)).collect();
            found.extend(integration::views(tx, &access, of_it)?);
        }
    }
    found.sort_by_cached_key(|view| view.integration.sort_key());
    Ok(found)
}

/// The books in which a connection of the caller is used: [`integration::disconnect`] each, then
/// [`delete`].
///
/// # Errors
/// [`Refusal::Unknown`]; the access token is limited to books, or only reads; an app deletes a
/// connection that is used in a book with the token of a delivery.
pub fn used_in(tx: &mut Tx<'_>, cx: &Context, id: &str) -> Result<(ConnectionId, Vec<BookKey>)> {
    cx.scope.check_write()?;
    cx.scope.check_connections()?;
    let connection = find(tx, cx, id)?.id;
    let keys = tx.integrations().books_of(connection, i64::MAX)?;
    if !keys.is_empty() {
        // Its integrations go with it.
        cx.scope.check_lasting()?;
    }
    Ok((connection, keys.into_iter().map(BookKey::new).collect()))
}

/// deleteConnection, when it is used nowhere any more.
///
/// # Errors
/// [`Refusal::Unknown`]; [`Error::Overtaken`] when it is used again.
pub fn delete(tx: &mut Tx<'_>, cx: &Context, id: &str) -> Result<View> {
    let cx = &cx.locked(tx)?;
    let connection = find(tx, cx, id)?;
    // First, because it waits for integrations that are being installed with it.
    tx.connections().delete(&connection)?;
    if !tx.integrations().books_of(connection.id, 1)?.is_empty() {
        return Err(Error::Overtaken("the connection is used in a book again; delete it again"));
    }
    view(tx, cx, connection)
}

/// The caller's connection with that id, which is not deleted before this unit of work ends.
pub(crate) fn kept(tx: &mut Tx<'_>, cx: &Context, id: &str) -> Result<Option<Connection>> {
    match id.parse() {
        Ok(id) => Ok(tx.connections().keep(cx.user.id, id)?),
        Err(_) => Ok(None),
    }
}

fn find(tx: &mut Tx<'_>, cx: &Context, id: &str) -> Result<Connection> {
    let found = match id.parse() {
        Ok(id) => tx.connections().find(cx.user.id, id)?,
        Err(_) => None,
    };
    let found = found.filter(|one| cx.scope.reaches_connections_to(&one.app));
    Ok(found.ok_or_else(|| Refusal::Unknown(id.chars().take(60).collect()))?)
}

fn view(tx: &mut Tx<'_>, cx: &Context, connection: Connection) -> Result<View> {
    views(tx, cx, vec![connection])?.pop().ok_or(Error::NotFound("connection"))
}

fn views(tx: &mut Tx<'_>, cx: &Context, all: Vec<Connection>) -> Result<Vec<View>> {
    let faces: HashMap<String, AppSummary> =
        tx.apps().faces(all.iter().map(|one| one.app.as_str()))?;
    let shown = |connection: Connection| View {
        email: cx.user.email.to_string(),
        face: faces.get(connection.app.as_str()).cloned(),
        connection,
    };
    Ok(all.into_iter().map(shown).collect())
}
