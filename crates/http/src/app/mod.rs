//! Apps: handlers and wire shapes (behaviour 9.3).
//!
//! The client secret of an app is sealed before a use case sees it, and is never in a response.

mod shape;

use daybook_auth::identity::app_secret_context;
use daybook_domain::app::Changes;
use daybook_domain::view_rights::Shown;
use daybook_edge::error::{ApiError, RequestError};
use daybook_service::Context;
use daybook_service::app::{self, View};

use crate::body::Body;
use crate::reply::{self, ApiResult, Reply};
use crate::request::ApiRequest;
use crate::wire::ListOut;
use shape::AppIn;

pub(crate) use shape::AppOut;

fn to_reply(view: &View, _: &Context) -> Reply {
    reply::ok(&AppOut::from(view)).showing(std::iter::once(Shown::App(view.app.id.to_string())))
}

/// Returns the id and the changes of a body, with the client secret sealed.
fn seal_changes(request: &ApiRequest, body: AppIn) -> Result<(Option<String>, Changes), ApiError> {
    let id = body.id.clone();
    let context = app_secret_context(id.as_deref().unwrap_or_default());
    let changes = body.changes(|secret| {
        let sealed = request.state.auth.identity.key().sealer().seal(&context, secret.as_bytes());
        sealed.map_err(|error| RequestError::Failed(error.to_string()).into())
    })?;
    Ok((id, changes))
}

/// GET apps.
pub(crate) async fn list_apps(request: ApiRequest) -> ApiResult {
    let encode = |all: &Vec<View>, _: &Context| {
        reply::ok(&ListOut::complete(all.iter().map(AppOut::from).collect()))
    };
    request.read(app::list, encode).await
}

/// GET apps/{agentId}.
pub(crate) async fn get_app(request: ApiRequest) -> ApiResult {
    let id = request.agent();
    request.read(move |tx, cx| app::get(tx, cx, &id), to_reply).await
}

/// POST apps.
pub(crate) async fn create_app(request: ApiRequest, body: Body<AppIn>) -> ApiResult {
    let (id, changes) = seal_changes(&request, body.0)?;
    request
        .write(app::TARGET, move |tx, cx| app::create(tx, cx, id.as_deref(), changes), to_reply)
        .await
}

/// PUT and PATCH apps, the id in the body.
pub(crate) async fn update_app(request: ApiRequest, body: Body<AppIn>) -> ApiResult {
    let (id, changes) = seal_changes(&request, body.0)?;
    request
        .write(app::TARGET, move |tx, cx| app::update(tx, cx, id.as_deref(), changes), to_reply)
        .await
}

/// GET /api/apps/{agentId}/source: responds 503, because this server does not host sources.
///
/// A command line client asks here and continues after 503 (behaviour 12.7).
pub(crate) async fn source() -> ApiResult {
    Err(RequestError::NotOffered("hosting of the source of apps").into())
}
