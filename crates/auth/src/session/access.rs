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

use super::page::{page, page_with_form_target, with_security_headers};
use super::return_to::form_target;
use super::{cookie, login, origin, same_origin};
use crate::security::note_change;
use crate::state::Auth;

/// The response of a refresh.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct AccessOut {
    user_id: String,
    access_token: String,
}

/// POST /auth/refresh: issues an access token for the user of the session.
pub async fn refresh_session(
    request: HttpRequest,
    state: web::Data<Auth>,
) -> Result<HttpResponse, ApiError> {
    if origin::listed_origin(request.headers(), &state.web_origins).is_none() {
        return Err(RequestError::UnknownOrigin.into());
    }
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
        .sign_for_session(id, &user.email, now, expires_at)
        .map_err(|error| RequestError::Failed(error.to_string()))?;
    let body = AccessOut { user_id: user.id.to_string(), access_token };
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
    let target = value.and_then(|to| origin::return_url(&to, &state.web_origins));
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
    if !same_origin::is_own_form(&request, &state) {
        return Ok(same_origin::refuse_foreign_form("You are still signed in"));
    }
    let value = form.0.into_iter().find(|(name, _)| name == "returnUrl");
    let target = value.and_then(|(_, to)| origin::return_url(&to, &state.web_origins));
    end_session(&request, &state, target.as_ref()).await
}

/// Whether a page of another site that is not a listed app sent the browser here.
///
/// Older browsers do not send `Sec-Fetch-Site`; for them this is always false.
fn is_from_foreign_site(request: &HttpRequest, state: &Auth) -> bool {
    let headers = request.headers();
    login::is_cross_site(request) && !origin::is_listed_app(headers, &state.web_origins)
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
            Ok(()) => note_change(request, "signedOut"),
            Err(error) if error.is_signed_out() => {}
            Err(error) => return Err(error),
        }
    }
    let mut response = match target {
        Some(target) => login::redirect_to(target.as_str()),
        None => {
            page(StatusCode::OK, "You are signed out", &html! { p { "You can close this page." } })
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
