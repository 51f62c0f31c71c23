//! Connections (behaviour 9.5). A connection belongs to a user, so the access step is a lookup
//! among the caller's own connections. The only events are those of the integrations that end with
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
use crate::target::Target;

/// The target of requests that change connections.
pub const TARGET: Target = Target::Connections;
/// The most books whose integrations are listed for a connection.
pub const MAX_LISTED_BOOKS: i64 = 1_000;

/// A connection as its owner sees it, with its properties sealed.
#[derive(Debug, Clone)]
pub struct View {
    /// The connection.
    pub connection: Connection,
    /// The address of its owner.
    pub email: String,
    /// The summary of its app.
    pub app_summary: Option<AppSummary>,
}

/// A function that applies edits to the sealed properties of a connection and seals them again.
/// Edits without changes return the sealed properties as they are.
pub trait Sealing: Fn(ConnectionId, Option<&[u8]>, &Edits) -> Result<Option<Vec<u8>>> {}

impl<F: Fn(ConnectionId, Option<&[u8]>, &Edits) -> Result<Option<Vec<u8>>>> Sealing for F {}

/// listConnections: the caller's own, by name.
///
/// # Errors
/// A token that is limited to books.
pub fn list(tx: &mut Tx<'_>, cx: &Context) -> Result<Vec<View>> {
    cx.scope.check_connections()?;
    let mut all = tx.connections().list(cx.user.id)?;
    all.retain(|connection| cx.scope.sees_connections_to(&connection.app));
    all.sort_by_cached_key(Connection::sort_key);
    views(tx, cx, all)
}

/// getConnection.
///
/// # Errors
/// [`Refusal::Unknown`]; a token that is limited to books.
pub fn get(tx: &mut Tx<'_>, cx: &Context, id: &str) -> Result<View> {
    cx.scope.check_connections()?;
    let connection = find(tx, cx, id)?;
    view(tx, cx, connection)
}

/// createConnection. A connection with the same app and uuid stays unchanged.
///
/// # Errors
/// Refusals of the rules of connections and of properties; [`Refusal::TooMany`].
pub fn create(
    tx: &mut Tx<'_>,
    cx: &Context,
    new: &NewConnection,
    properties: &Edits,
    sealing: impl Sealing,
) -> Result<View> {
    let cx = &cx.lock_caller(tx)?;
    let (agent, uuid) = (new.app()?, new.uuid()?);
    if !cx.scope.sees_connections_to(&agent) {
        return Err(Refusal::OfOtherApp(agent.to_string()).into());
    }
    let connections = tx.connections().list(cx.user.id)?;
    let is_same = |connection: &&Connection| {
        connection.app == agent && Some(connection.uuid.as_str()) == uuid
    };
    if let Some(existing) = connections.iter().find(is_same) {
        return view(tx, cx, existing.clone());
    }
    let app = tx.apps().find(agent.as_str())?;
    let id = ConnectionId::new(cx.mint());
    let connection = Connection::create(id, new, app.as_ref(), &cx.as_app_visitor(), cx.now)?;
    if connections.len() >= MAX_CONNECTIONS {
        return Err(Refusal::TooMany.into());
    }
    let connection = Connection { properties: sealing(id, None, properties)?, ..connection };
    tx.connections().insert(&connection)?;
    if connection.kind == ConnectionKind::Bank {
        tx.users().record_bank_connection(cx.user.id)?;
    }
    view(tx, cx, connection)
}

/// updateConnection: its name and its properties.
///
/// # Errors
/// [`Refusal::IdRequired`], [`Refusal::Unknown`]; an invalid name or invalid properties.
pub fn update(
    tx: &mut Tx<'_>,
    cx: &Context,
    id: Option<&str>,
    name: Option<&str>,
    properties: &Edits,
    sealing: impl Sealing,
) -> Result<View> {
    let cx = &cx.lock_caller(tx)?;
    let before = find(tx, cx, id.ok_or(Refusal::IdRequired)?)?;
    let sealed = sealing(before.id, before.properties.as_deref(), properties)?;
    let after = before.clone().update(name, sealed, cx.now)?;
    if after != before {
        tx.connections().update(&after)?;
    }
    view(tx, cx, after)
}

/// listConnectionIntegrations: the integrations in books that the caller may still read.
///
/// # Errors
/// [`Refusal::Unknown`]; a token that is limited to books.
pub fn integrations(tx: &mut Tx<'_>, cx: &Context, id: &str) -> Result<Vec<integration::View>> {
    cx.scope.check_connections()?;
    let connection = find(tx, cx, id)?.id;
    let keys = tx.integrations().books_of(connection, MAX_LISTED_BOOKS)?;
    let mut found = Vec::new();
    let books = tx.books().by_public_ids(&keys, &cx.user.email)?.into_iter();
    for book in books.filter(|found| cx.scope.includes_book(&found.book.key)) {
        if let Ok(access) = book.admit(cx.user.id, Action::ReadChart) {
            let mut used = tx.integrations().list(&access)?;
            used.retain(|integration| integration.connection == Some(connection));
            found.extend(integration::views(tx, &access, used)?);
        }
    }
    found.sort_by_cached_key(|view| view.integration.sort_key());
    Ok(found)
}

/// Lists the books in which a connection of the caller is used.
///
/// To delete a connection, call [`integration::disconnect`] for each of them, then [`delete`].
///
/// # Errors
/// [`Refusal::Unknown`]; a token that is limited to books or read-only; the token of a delivery, if
/// the connection is used in a book.
pub fn list_books_using(
    tx: &mut Tx<'_>,
    cx: &Context,
    id: &str,
) -> Result<(ConnectionId, Vec<BookKey>)> {
    cx.scope.check_write()?;
    cx.scope.check_connections()?;
    let connection = find(tx, cx, id)?.id;
    let keys = tx.integrations().books_of(connection, i64::MAX)?;
    if !keys.is_empty() {
        // The integrations are deleted with the connection.
        cx.scope.check_lasting()?;
    }
    Ok((connection, keys.into_iter().map(BookKey::new).collect()))
}

/// deleteConnection, once it is used in no book.
///
/// # Errors
/// [`Refusal::Unknown`]; [`Error::ConcurrentChange`] if it is used again.
pub fn delete(tx: &mut Tx<'_>, cx: &Context, id: &str) -> Result<View> {
    let cx = &cx.lock_caller(tx)?;
    let connection = find(tx, cx, id)?;
    // Deleted first: this waits for integrations that are being installed with it.
    tx.connections().delete(&connection)?;
    if !tx.integrations().books_of(connection.id, 1)?.is_empty() {
        return Err(Error::ConcurrentChange(
            "the connection is used in a book again; delete it again",
        ));
    }
    view(tx, cx, connection)
}

fn find(tx: &mut Tx<'_>, cx: &Context, id: &str) -> Result<Connection> {
    let found = match id.parse() {
        Ok(id) => tx.connections().find(cx.user.id, id)?,
        Err(_) => None,
    };
    let found = found.filter(|connection| cx.scope.sees_connections_to(&connection.app));
    Ok(found.ok_or_else(|| Refusal::Unknown(id.chars().take(60).collect()))?)
}

fn view(tx: &mut Tx<'_>, cx: &Context, connection: Connection) -> Result<View> {
    views(tx, cx, vec![connection])?.pop().ok_or(Error::NotFound("connection"))
}

fn views(tx: &mut Tx<'_>, cx: &Context, all: Vec<Connection>) -> Result<Vec<View>> {
    let summaries: HashMap<String, AppSummary> =
        tx.apps().summaries(all.iter().map(|connection| connection.app.as_str()))?;
    let to_view = |connection: Connection| View {
        email: cx.user.email.to_string(),
        app_summary: summaries.get(connection.app.as_str()).cloned(),
        connection,
    };
    Ok(all.into_iter().map(to_view).collect())
}
