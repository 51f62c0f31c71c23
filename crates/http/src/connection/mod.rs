//! Connections on the wire (behaviour 9.5).

mod sealed;
mod shape;

use actix_web::web;
use daybook_domain::connection::{NewConnection, Refusal};
use daybook_domain::id::ConnectionId;
use daybook_domain::property::Edits;
use daybook_domain::token::TokenScope;
use daybook_service::connection::{self, View};
use daybook_service::{Context, Error, integration};
use daybook_storage::{ShardKey, Submission};
use serde::ser::Error as _;

use crate::body::Body;
use crate::error::ApiError;
use crate::integration::IntegrationOut;
use crate::reply::{self, ApiResult, Reply};
use crate::request::ApiRequest;
use crate::run;
use crate::state::AppState;
use crate::wire::{ListOut, MadeOut, id_text};
use shape::{ConnectionIn, SealedOut};

pub(crate) use sealed::place_of_properties;

fn to_reply(view: &View, _: &Context) -> Reply {
    reply::ok(&SealedOut::from(view))
}

/// Answers with opened properties, after the sealed ones are recorded under an idempotency key;
/// without any for a token that shows none.
fn opened(answer: Reply, state: &AppState, scope: &TokenScope) -> ApiResult {
    answer.amend(|sealed: SealedOut| sealed.open_for(scope, state.identity.key().sealer()))
}

/// The sealed properties of a connection; none when it has no properties.
type SealOutcome = Result<Option<Vec<u8>>, Error>;

fn sealing(
    state: web::Data<AppState>,
) -> impl Fn(ConnectionId, Option<&[u8]>, &Edits) -> SealOutcome + Clone {
    move |id, sealed, edits| sealed::edit(state.identity.key().sealer(), id, sealed, edits)
}

/// GET user/connections.
pub(crate) async fn list_connections(request: ApiRequest) -> ApiResult {
    let state = request.state.clone();
    let encode = move |all: &Vec<View>, cx: &Context| {
        let sealer = state.identity.key().sealer();
        let open = |view| SealedOut::from(view).open_for(&cx.scope, sealer);
        // Each is opened when it is written, so that they are never there all at once.
        let shown = |view| MadeOut(move || open(view).map_err(serde_json::Error::custom));
        reply::list(all, shown, |view| view.connection.id.to_string())
    };
    request.read(connection::list, encode).await
}

/// GET user/connections/{id}.
pub(crate) async fn get_connection(request: ApiRequest) -> ApiResult {
    let (id, state, scope) = (request.id(), request.state.clone(), request.cx.scope.clone());
    let sealed = request.read(move |tx, cx| connection::get(tx, cx, &id), to_reply).await?;
    opened(sealed, &state, &scope)
}

/// POST user/connections.
pub(crate) async fn create_connection(request: ApiRequest, body: Body<ConnectionIn>) -> ApiResult {
    let (state, scope) = (request.state.clone(), request.cx.scope.clone());
    let ConnectionIn { id: _, agent_id, uuid, r#type, name, properties } = body.0;
    let app = agent_id.or_else(|| request.cx.agent.clone());
    let new = NewConnection { app, uuid, kind: r#type.unwrap_or_default(), name };
    let (edits, sealing) = (properties.unwrap_or_default(), sealing(state.clone()));
    let sealed = request
        .write_connection(move |tx, cx| connection::create(tx, cx, &new, &edits, sealing), to_reply)
        .await?;
    opened(sealed, &state, &scope)
}

/// PUT user/connections, the id in the body.
pub(crate) async fn update_connection(request: ApiRequest, body: Body<ConnectionIn>) -> ApiResult {
    let (state, scope) = (request.state.clone(), request.cx.scope.clone());
    let ConnectionIn { id, name, properties, .. } = body.0;
    let (id, edits, sealing) =
        (id_text(id), properties.unwrap_or_default(), sealing(state.clone()));
    let sealed = request
        .write_connection(
            move |tx, cx| {
                connection::update(tx, cx, id.as_deref(), (name.as_deref(), &edits), sealing)
            },
            to_reply,
        )
        .await?;
    opened(sealed, &state, &scope)
}

/// DELETE user/connections/{id}. Its integrations go first, book by book; when that is interrupted
/// the connection is still there, and is deleted by the next request.
pub(crate) async fn delete_connection(request: ApiRequest) -> ApiResult {
    let (id, state, scope) = (request.id(), request.state.clone(), request.cx.scope.clone());
    let known = id.clone();
    match request.on_snapshot(move |tx, cx| connection::used_in(tx, cx, &known)).await {
        Ok((connection, books)) => {
            for book in books {
                let cx = request.cx.clone();
                let ticket = Submission::of(ShardKey::of_book(book.as_str()), cx.payer());
                run::write(&state, ticket, move |tx| {
                    integration::disconnect(tx, &cx, &book, connection)
                })
                .await
                .map_err(ApiError::repeatable)?;
            }
        }
        // It may be gone since the first sending of this request.
        Err(ApiError::Service(Error::Refused(daybook_domain::Refusal::Connection(
            Refusal::Unknown(_),
        )))) => {}
        Err(error) => return Err(error),
    }
    let sealed =
        request.write_connection(move |tx, cx| connection::delete(tx, cx, &id), to_reply).await?;
    sealed.amend(|sealed: SealedOut| Ok(sealed.open_last(&scope, state.identity.key().sealer())))
}

/// GET user/connections/{id}/integrations.
pub(crate) async fn list_connection_integrations(request: ApiRequest) -> ApiResult {
    let id = request.id();
    let encode = |all: &Vec<integration::View>, _: &Context| {
        reply::ok(&ListOut::complete(all.iter().map(IntegrationOut::from).collect()))
    };
    request.read(move |tx, cx| connection::integrations(tx, cx, &id), encode).await
}
