//! What apps in a signed-in browser use: access tokens for the session, and its end.

use actix_web::http::StatusCode;
use actix_web::{HttpRequest, HttpResponse, web};
use daybook_domain::id::SessionId;
use daybook_domain::session::{Refusal, SecretDigest, Session};
use daybook_service::{Error, session};
use daybook_storage::ShardKey;
use maud::html;
use reqwest::Url;
use serde::Serialize;

use super::page::{guarded, page, page_to};
use super::return_to::form_target;
use super::{cookie, login, origin, same_origin};
use crate::error::{ApiError, RequestError};
use crate::form::Form;
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
        let lane = ShardKey::of_user(user.id);
        let noted = run::write(&state, lane, move |tx| session::note_use(tx, id, now)).await;
        noted.map_err(ApiError::repeatable)?;
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

/// GET /auth/logout: ends the session, and returns where `returnUrl` says. Whom a page of another
/// site has sent here is asked first: any link there would sign people out.
pub(crate) async fn logout(
    request: HttpRequest,
    state: web::Data<AppState>,
) -> Result<HttpResponse, ApiError> {
    let given = parameters::first(&request, "returnUrl");
    let target = given.and_then(|to| origin::return_url(&to, &state.web_origins));
    if cookie::session(&request).is_some() && is_sent_by_stranger(&request, &state) {
        return Ok(ask_to_sign_out(&state, target.as_ref()));
    }
    leave(&request, &state, target.as_ref()).await
}

/// POST /auth/logout: the button of the page that asks.
pub(crate) async fn sign_out(
    request: HttpRequest,
    state: web::Data<AppState>,
    form: Form,
) -> Result<HttpResponse, ApiError> {
    if !same_origin::is_own_form(&request, &state) {
        let why = html! { p { "No page of this server has sent this form." } };
        return Ok(page(StatusCode::FORBIDDEN, "You are not signed out", &why));
    }
    let given = form.0.into_iter().find(|(name, _)| name == "returnUrl");
    let target = given.and_then(|(_, to)| origin::return_url(&to, &state.web_origins));
    leave(&request, &state, target.as_ref()).await
}

/// Whether a page of another site has sent the browser here that is no listed app. Older browsers
/// do not tell, and their apps sign people out as before.
fn is_sent_by_stranger(request: &HttpRequest, state: &AppState) -> bool {
    let headers = request.headers();
    login::is_cross_site(request) && !origin::is_listed_app(headers, &state.web_origins)
}

/// The page that asks whether somebody wants to sign out.
fn ask_to_sign_out(state: &AppState, target: Option<&Url>) -> HttpResponse {
    let content = html! {
        p { "A page of another site has sent you here. You are still signed in." }
        form method="post" action={ (state.public_path()) "/auth/logout" } {
            @if let Some(target) = target {
                input type="hidden" name="returnUrl" value=(target);
            }
            button { "Sign out" }
        }
    };
    let leads_to = target.and_then(form_target);
    page_to(StatusCode::OK, "Do you want to sign out?", &content, leads_to.as_deref())
}

/// Ends the session of a browser, which forgets it.
async fn leave(
    request: &HttpRequest,
    state: &AppState,
    target: Option<&Url>,
) -> Result<HttpResponse, ApiError> {
    if let Some((id, digest)) = cookie::session(request) {
        match end(state, id, digest).await {
            Ok(()) => note_change(request, "signedOut"),
            Err(error) if error.is_signed_out() => {}
            Err(error) => return Err(error),
        }
    }
    let mut answer = match target {
        Some(target) => login::to(target.as_str()),
        None => {
            page(StatusCode::OK, "You are signed out", &html! { p { "You may close this page." } })
        }
    };
    cookie::add(&mut answer, &cookie::forget_session(request, state))?;
    Ok(answer)
}

/// Ends a session. One that is none costs a look, and changes nothing for others.
async fn end(state: &AppState, id: SessionId, digest: SecretDigest) -> Result<(), ApiError> {
    let now = (state.clock)();
    let (_, user) = run::read(state, move |tx| session::find(tx, id, &digest, now)).await?;
    let lane = ShardKey::of_user(user.id);
    run::write(state, lane, move |tx| session::end(tx, id, &digest, now)).await?;
    state.identity.forget();
    Ok(())
}
