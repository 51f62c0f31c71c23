//! The browser sessions of the user (behaviour 11.28).

use daybook_domain::id::SessionId;
use daybook_domain::instant::Instant;
use daybook_domain::session::{Session, SignInMethod};
use daybook_service::{Context, session};
use daybook_storage::Tx;
use serde::Serialize;

use crate::reply::{self, ApiResult};
use crate::request::ApiRequest;
use crate::wire::ListOut;

/// A session. Its secret is only in the cookie of its browser.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct SessionOut {
    id: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    method: Option<&'static str>,
    signed_in_at: String,
    last_used_at: String,
    expires_at: String,
    /// Whether the access token of the request belongs to it.
    current: bool,
}

impl SessionOut {
    fn new(session: &Session, current: Option<SessionId>) -> Self {
        let milliseconds = |instant: Instant| instant.milliseconds().to_string();
        let Session { id, user: _, digest: _, method, signed_in_at, used_at, ended_at: _ } =
            session;
        Self {
            id: id.to_string(),
            method: method.map(SignInMethod::as_str),
            signed_in_at: milliseconds(*signed_in_at),
            last_used_at: milliseconds(*used_at),
            expires_at: milliseconds(session.expires_at()),
            current: current == Some(*id),
        }
    }
}

/// GET user/sessions.
pub(crate) async fn list_sessions(request: ApiRequest) -> ApiResult {
    request.check_credentials()?;
    let current = request.session;
    let encode = move |sessions: &Vec<Session>, _: &Context| {
        let sessions = sessions.iter().map(|one| SessionOut::new(one, current)).collect();
        reply::ok(&ListOut::complete(sessions))
    };
    request.read(session::list, encode).await
}

/// DELETE user/sessions/{id}.
pub(crate) async fn end_session(request: ApiRequest) -> ApiResult {
    request.check_credentials()?;
    let (id, state, current) = (request.id(), request.state.clone(), request.session);
    let end = move |tx: &mut Tx<'_>, cx: &Context| session::end_own(tx, cx, &id);
    let encode = move |one: &Session, _: &Context| reply::ok(&SessionOut::new(one, current));
    let reply = request.write(session::TARGET, end, encode).await?;
    state.auth.identity.clear_bearers();
    Ok(reply)
}
