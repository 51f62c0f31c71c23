//! What apps in a signed-in browser use: access tokens for the session, and its end.

use actix_web::http::StatusCode;
use actix_web::{HttpRequest, HttpResponse, web};
use daybook_domain::id::SessionId;
use daybook_domain::session::{Refusal, SecretDigest, Session};
use daybook_service::{Error, session};
use daybook_storage::Lane;
use maud::html;
use serde::Serialize;

use super::page::{guarded, page};
use super::{cookie, login, origin};
use crate::error::{ApiError, RequestError};
use crate::parameters;
use crate::run;
use crate::security::note_change;
use crate::state::AppState;

/// The answer of a refresh.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct AccessOut {
    user_id: String,
    access_token: String,
}

/// POST /auth/refresh: an access token for the user of the session.
pub(crate) async fn refresh(
    request: HttpRequest,
    state: web::Data<AppState>,
) -> Result<HttpResponse, ApiError> {
    if origin::sender(request.headers(), &state.web_origins).is_none() {
        return Err(RequestError::UnknownOrigin.into());
    }
    let (id, digest) = cookie::session(&request).ok_or(Error::from(Refusal::SignedOut))?;
    let now = (state.clock)();
    let (found, user) = run::read(&state, move |tx| session::find(tx, id, &digest, now)).await?;
    if user.disabled_at.is_some() {
        return Err(RequestError::Disabled.into());
    }
    if session::is_worth_noting(&found, now) {
        let lane = Lane::of_user(user.id);
        run::write(&state, lane, move |tx| session::note_use(tx, id, now)).await?;
    }
    let until = Session::access_until(now);
    let access_token = state
        .identity
        .key()
        .sign_for_session(id, &user.email, now, until)
        .map_err(|error| RequestError::Failed(error.to_string()))?;
    let answer = AccessOut { user_id: user.id.to_string(), access_token };
    let mut answer = guarded(HttpResponse::Ok()).json(answer);
    if let Some(kept) = cookie::keep_on(&request, &state) {
        cookie::add(&mut answer, &kept)?;
    }
    Ok(answer)
}

/// GET /auth/logout: ends the session, and returns where `returnUrl` says.
pub(crate) async fn logout(
    request: HttpRequest,
    state: web::Data<AppState>,
) -> Result<HttpResponse, ApiError> {
    if let Some((id, digest)) = cookie::session(&request) {
        match end(&state, id, digest).await {
            Ok(()) => note_change(&request, "signedOut"),
            Err(error) if error.is_signed_out() => {}
            Err(error) => return Err(error),
        }
    }
    let given = parameters::first(&request, "returnUrl");
    let mut answer = match given.and_then(|to| origin::return_url(&to, &state.web_origins)) {
        Some(target) => login::to(target.as_str()),
        None => {
            page(StatusCode::OK, "You are signed out", &html! { p { "You may close this page." } })
        }
    };
    cookie::add(&mut answer, &cookie::forget_session(&request, &state))?;
    Ok(answer)
}

/// Ends a session. One that is none costs a look, and changes nothing for others.
async fn end(state: &AppState, id: SessionId, digest: SecretDigest) -> Result<(), ApiError> {
    let now = (state.clock)();
    let (_, user) = run::read(state, move |tx| session::find(tx, id, &digest, now)).await?;
    let lane = Lane::of_user(user.id);
    run::write(state, lane, move |tx| session::end(tx, id, &digest, now)).await?;
    state.identity.forget();
    Ok(())
}
