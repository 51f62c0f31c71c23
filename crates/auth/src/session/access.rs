//! Access tokens for the web apps of a signed-in browser, and sign-out.

use actix_web::http::StatusCode;
use actix_web::{HttpRequest, HttpResponse, web};
use daybook_domain::id::SessionId;
use daybook_domain::session::{Refusal, SecretDigest, Session};
use daybook_edge::error::{ApiError, RequestError};
use daybook_edge::form::Form;
use daybook_edge::{parameters, run};
use daybook_service::{Error, session};
use maud::html;
use reqwest::Url;
use serde::Serialize;

use super::origin::OriginKind;
use super::page::{page, page_with_form_target, with_security_headers};
use super::return_to::form_target;
use super::{cookie, login, same_origin};
use crate::security;
use crate::state::Auth;

/// The response of a refresh.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct AccessOut {
    user_id: String,
    access_token: String,
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    console: Option<ConsoleOut>,
}

/// The fields of a refresh from the own origin.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ConsoleOut {
    /// Whether the user is an administrator (behaviour 9.3).
    administrator: bool,
    /// Whether the server mails sign-in links.
    mails_links: bool,
}

/// POST /auth/refresh: issues an access token for the user of the session.
pub async fn refresh_session(
    request: HttpRequest,
    state: web::Data<Auth>,
) -> Result<HttpResponse, ApiError> {
    let (_, kind) = state.web_origins.find(request.headers()).ok_or(RequestError::UnknownOrigin)?;
    let is_own = kind == OriginKind::Own;
    let (id, digest) = cookie::session(&request).ok_or(Error::from(Refusal::SignedOut))?;
    let now = (state.edge.clock)();
    let (found, user) =
        run::read(&state.edge, move |tx| session::find(tx, id, &digest, now)).await?;
    if user.disabled_at.is_some() {
        return Err(RequestError::Disabled.into());
    }
    if session::should_record_use(&found, now) {
        run::write(&state.edge, session::shard_key(user.id), move |tx| {
            session::record_use(tx, id, now)
        })
        .await
        .map_err(ApiError::repeatable)?;
    }
    let expires_at = Session::access_token_expiry(now);
    let access_token = state
        .identity
        .key()
        .sign_for_session(id, &user.email, (now, expires_at), is_own)
        .map_err(|error| RequestError::Failed(error.to_string()))?;
    let console = is_own.then(|| ConsoleOut {
        administrator: state.is_administrator(&user),
        mails_links: state.mailed_links.is_some(),
    });
    let body = AccessOut { user_id: user.id.to_string(), access_token, console };
    let mut response = with_security_headers(HttpResponse::Ok()).json(body);
    if let Some(extended) = cookie::extend_session(&request, &state) {
        cookie::add(&mut response, &extended)?;
    }
    Ok(response)
}

/// GET /auth/logout: ends the session and redirects to `returnUrl`.
///
/// If a page of another site sent the browser here, a page asks first. Otherwise any link on
/// another site could sign users out.
pub async fn logout(
    request: HttpRequest,
    state: web::Data<Auth>,
) -> Result<HttpResponse, ApiError> {
    let value = parameters::first(&request, "returnUrl");
    let target = value.and_then(|to| state.web_origins.return_url(&to)).map(|(url, _)| url);
    if cookie::session(&request).is_some() && is_from_foreign_site(&request, &state) {
        return Ok(render_sign_out(&state, target.as_ref()));
    }
    end_session(&request, &state, target.as_ref()).await
}

/// POST /auth/logout: ends the session when the user confirms it on the page.
pub async fn sign_out(
    request: HttpRequest,
    state: web::Data<Auth>,
    form: Form,
) -> Result<HttpResponse, ApiError> {
    if !same_origin::is_same_origin_form(&request, &state) {
        return Ok(same_origin::refuse_cross_origin_form("You are still signed in"));
    }
    let value = form.0.into_iter().find(|(name, _)| name == "returnUrl");
    let target = value.and_then(|(_, to)| state.web_origins.return_url(&to)).map(|(url, _)| url);
    end_session(&request, &state, target.as_ref()).await
}

/// Whether a page of another site, whose apps may not use sessions, sent the browser here.
///
/// Older browsers do not send `Sec-Fetch-Site`; for them this is always false.
fn is_from_foreign_site(request: &HttpRequest, state: &Auth) -> bool {
    let headers = request.headers();
    login::is_cross_site(request) && !state.web_origins.is_app(headers)
}

/// Renders the page that asks whether to sign out.
fn render_sign_out(state: &Auth, target: Option<&Url>) -> HttpResponse {
    let content = html! {
        p { "Another site sent you here. You are still signed in." }
        form method="post" action={ (state.edge.site.public_path()) "/auth/logout" } {
            @if let Some(target) = target {
                input type="hidden" name="returnUrl" value=(target);
            }
            button { "Sign out" }
        }
    };
    let form_target = target.and_then(form_target);
    page_with_form_target(
        StatusCode::OK,
        "Do you want to sign out?",
        &content,
        form_target.as_deref(),
    )
}

/// Ends the session of a browser and removes its cookie.
async fn end_session(
    request: &HttpRequest,
    state: &Auth,
    target: Option<&Url>,
) -> Result<HttpResponse, ApiError> {
    if let Some((id, digest)) = cookie::session(request) {
        match delete_session(state, id, digest).await {
            Ok(()) => security::note_change(request, "signedOut"),
            Err(error) if error.is_signed_out() => {}
            Err(error) => return Err(error),
        }
    }
    let mut response = match target {
        Some(target) => login::redirect_to(target.as_str()),
        None => {
            let content = html! {
                p { "You can close this page." }
                @if let Some(console) = state.console() {
                    p { a class="button" href=(console) { "Sign in again" } }
                }
            };
            page(StatusCode::OK, "You are signed out", &content)
        }
    };
    cookie::add(&mut response, &cookie::remove_session(request, state))?;
    Ok(response)
}

/// Ends a session in the database. An unknown session costs a read and no write.
async fn delete_session(state: &Auth, id: SessionId, digest: SecretDigest) -> Result<(), ApiError> {
    let now = (state.edge.clock)();
    let (_, user) = run::read(&state.edge, move |tx| session::find(tx, id, &digest, now)).await?;
    let shard_key = session::shard_key(user.id);
    run::write(&state.edge, shard_key, move |tx| session::end(tx, id, &digest, now)).await?;
    state.identity.clear_bearers();
    Ok(())
}
