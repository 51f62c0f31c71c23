//! Signing in by a link that works once. Opening it shows whom it signs in; only the button uses it
//! up, because programs that look at links before people do open them too.

use std::sync::Arc;

use actix_web::http::StatusCode;
use actix_web::{HttpRequest, HttpResponse, web};
use daybook_domain::session::{Refusal, Session};
use daybook_service::session;
use maud::html;

use super::page::{page, page_to};
use super::secret::{LoginSecret, digest};
use super::{complete_sign_in, cookie, same_origin};
use crate::error::{ApiError, RequestError};
use crate::form::Form;
use crate::identity::authenticate::{again_on_collision, lane_of};
use crate::parameters;
use crate::run;
use crate::state::AppState;

/// GET /auth/link?code=: shows whom the link signs in.
pub(crate) async fn show_link(
    request: HttpRequest,
    state: web::Data<AppState>,
) -> Result<HttpResponse, ApiError> {
    let code = parameters::first(&request, "code").unwrap_or_default();
    let (by, now) = (digest(&code), (state.clock)());
    let link = match run::read(&state, move |tx| session::link(tx, &by, now)).await {
        Ok(link) => link,
        Err(error) => return refused(error),
    };
    let content = html! {
        p { "You sign in as " strong { (link.email) } "." }
        form method="post" action={ (state.public_path()) "/auth/link" } {
            input type="hidden" name="code" value=(code);
            button { "Sign in" }
        }
    };
    let back = cookie::way_back(&request, &state);
    let back = back.and_then(|back| back.form_target(&request, &state));
    Ok(page_to(StatusCode::OK, "Sign in", &content, back.as_deref()))
}

/// POST /auth/link: uses the link up and begins a session.
pub(crate) async fn sign_in(
    request: HttpRequest,
    state: web::Data<AppState>,
    form: Form,
) -> Result<HttpResponse, ApiError> {
    let code = form.0.into_iter().find(|(name, _)| name == "code");
    let code = code.map(|(_, code)| code).unwrap_or_default();
    if !same_origin::is_own_form(&request, &state) {
        return Ok(same_origin::foreign_form(&request, &state));
    }
    let secret = LoginSecret::random().map_err(|error| RequestError::Failed(error.to_string()))?;
    let session = match begin(&state, &code, &secret).await {
        Ok(session) => session,
        Err(error) => return refused(error),
    };
    let back = cookie::way_back(&request, &state);
    Ok(complete_sign_in::enter(&request, &state, &session, &secret, back.as_ref())?)
}

/// Begins the session, in the lane in which its user is created.
async fn begin(state: &AppState, code: &str, secret: &LoginSecret) -> Result<Session, ApiError> {
    let (by, kept, now) = (digest(code), secret.digest(), (state.clock)());
    let link = run::read(state, move |tx| session::link(tx, &by, now)).await?;
    let lane = lane_of(state, &link.email).await?;
    let make = || {
        let (ids, admission) = (Arc::clone(&state.ids), Arc::clone(&state.admission));
        run::write(state, lane, move |tx| session::begin(tx, &by, kept, &admission, (&ids, now)))
    };
    again_on_collision(make).await
}

/// What a person reads who is not signed in.
fn refused(error: ApiError) -> Result<HttpResponse, ApiError> {
    let Some(refusal) = error.session_refusal() else { return Err(error) };
    let next = html! { p { (refusal) ". Ask the operator of this server." } };
    let status =
        if *refusal == Refusal::Disabled { StatusCode::FORBIDDEN } else { StatusCode::NOT_FOUND };
    Ok(page(status, "This link does not sign you in", &next))
}
