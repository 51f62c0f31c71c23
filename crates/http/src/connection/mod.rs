//! Connections: handlers and wire shapes (behaviour 9.5).
//!
//! The properties of a connection are secrets. They are sealed in the database, in the snapshot of
//! a use case and in stored responses (`seal`). Only the last step of a response opens them, and
//! only for callers whose token covers them (`shape`).

mod seal;
mod shape;

use actix_web::web;
use daybook_domain::connection::{NewConnection, Refusal};
use daybook_domain::id::ConnectionId;
use daybook_domain::property::Edits;
use daybook_domain::token::TokenScope;
use daybook_edge::error::ApiError;
use daybook_edge::run;
use daybook_service::connection::{self, View};
use daybook_service::{Context, Error, Target, integration};
use serde::ser::Error as _;

use crate::body::Body;
use crate::integration::IntegrationOut;
use crate::reply::{self, ApiResult, IdOut, Reply};
use crate::request::ApiRequest;
use crate::state::AppState;
use crate::wire::{LazyOut, ListOut, id_text};
use shape::{ConnectionIn, SealedOut};

fn to_reply(view: &View, _: &Context) -> Reply {
    let id = IdOut { id: view.connection.id.to_string() };
    reply::ok(&SealedOut::from(view)).or_short(&id)
}

/// Opens the properties of a reply whose sealed form is stored under the idempotency key.
///
/// The properties are omitted for a token that may not see them.
fn open_reply(reply: Reply, state: &AppState, scope: &TokenScope) -> ApiResult {
    reply.amend(|sealed: SealedOut| sealed.open_for(scope, state.auth.identity.key().sealer()))
}

/// The sealed properties of a connection; `None` if it has no properties.
type SealOutcome = Result<Option<Vec<u8>>, Error>;

fn properties_editor(
    state: web::Data<AppState>,
) -> impl Fn(ConnectionId, Option<&[u8]>, &Edits) -> SealOutcome + Clone {
    move |id, sealed, edits| seal::edit(state.auth.identity.key().sealer(), id, sealed, edits)
}

/// GET user/connections.
pub(crate) async fn list_connections(request: ApiRequest) -> ApiResult {
    let state = request.state.clone();
    let encode = move |all: &Vec<View>, cx: &Context| {
        let sealer = state.auth.identity.key().sealer();
        let open = |view| SealedOut::from(view).open_for(&cx.scope, sealer);
        // Each is opened when it is serialized, so that they are never all in memory.
        let encode = |view| LazyOut(move || open(view).map_err(serde_json::Error::custom));
        reply::list(all, encode, |view| view.connection.id.to_string())
    };
    request.read(connection::list, encode).await
}

/// GET user/connections/{id}.
pub(crate) async fn get_connection(request: ApiRequest) -> ApiResult {
    let (id, state, scope) = (request.id(), request.state.clone(), request.cx.scope.clone());
    let sealed = request.read(move |tx, cx| connection::get(tx, cx, &id), to_reply).await?;
    open_reply(sealed, &state, &scope)
}

/// POST user/connections.
pub(crate) async fn create_connection(request: ApiRequest, body: Body<ConnectionIn>) -> ApiResult {
    let (state, scope) = (request.state.clone(), request.cx.scope.clone());
    let ConnectionIn { id: _, agent_id, uuid, r#type, name, properties } = body.0;
    let app = agent_id.or_else(|| request.cx.agent.clone());
    let new = NewConnection { app, uuid, kind: r#type.unwrap_or_default(), name };
    let (edits, edit) = (properties.unwrap_or_default(), properties_editor(state.clone()));
    let sealed = request
        .write(
            connection::TARGET,
            move |tx, cx| connection::create(tx, cx, &new, &edits, edit),
            to_reply,
        )
        .await?;
    open_reply(sealed, &state, &scope)
}

/// PUT user/connections, the id in the body.
pub(crate) async fn update_connection(request: ApiRequest, body: Body<ConnectionIn>) -> ApiResult {
    let (state, scope) = (request.state.clone(), request.cx.scope.clone());
    let ConnectionIn { id, name, properties, .. } = body.0;
    let (id, edits) = (id_text(id), properties.unwrap_or_default());
    let edit = properties_editor(state.clone());
    let sealed = request
        .write(
            connection::TARGET,
            move |tx, cx| connection::update(tx, cx, id.as_deref(), name.as_deref(), &edits, edit),
            to_reply,
        )
        .await?;
    open_reply(sealed, &state, &scope)
}

/// DELETE user/connections/{id}.
///
/// Its integrations are removed first, book by book. If that is interrupted, the connection still
/// exists, and the next request continues.
pub(crate) async fn delete_connection(request: ApiRequest) -> ApiResult {
    let (id, state, scope) = (request.id(), request.state.clone(), request.cx.scope.clone());
    let id_of_read = id.clone();
    match request.on_snapshot(move |tx, cx| connection::list_books_using(tx, cx, &id_of_read)).await
    {
        Ok((connection, books)) => {
            for book in books {
                let cx = request.cx.clone();
                let submission = Target::Book(book.as_str().to_owned()).submission(&cx, None);
                run::write(&state.edge, submission, move |tx| {
                    integration::disconnect(tx, &cx, &book, connection)
                })
                .await
                .map_err(ApiError::repeatable)?;
            }
        }
        // The first attempt of a repeated request may have deleted it.
        Err(ApiError::Service(Error::Refused(daybook_domain::Refusal::Connection(
            Refusal::Unknown(_),
        )))) => {}
        Err(error) => return Err(error),
    }
    let sealed = request
        .write(connection::TARGET, move |tx, cx| connection::delete(tx, cx, &id), to_reply)
        .await?;
    sealed.amend(|sealed: SealedOut| {
        Ok(sealed.open_deleted(&scope, state.auth.identity.key().sealer()))
    })
}

/// GET user/connections/{id}/integrations.
pub(crate) async fn list_connection_integrations(request: ApiRequest) -> ApiResult {
    let id = request.id();
    let encode = |all: &Vec<integration::View>, _: &Context| {
        reply::ok(&ListOut::complete(all.iter().map(IntegrationOut::from).collect()))
    };
    request.read(move |tx, cx| connection::integrations(tx, cx, &id), encode).await
}
