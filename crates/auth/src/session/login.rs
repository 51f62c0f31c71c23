//! The sign-in page.

use actix_web::http::StatusCode;
use actix_web::http::header::LOCATION;
use actix_web::{HttpRequest, HttpResponse, web};
use daybook_domain::session::Session;
use daybook_edge::error::ApiError;
use daybook_edge::{parameters, run};
use daybook_service::session;
use daybook_storage::user::User;
use maud::html;

use super::origin::OriginKind;
use super::page::{page, unencrypted_warning, with_security_headers};
use super::return_to::ReturnTo;
use super::{cookie, mail_link, provider_links};
use crate::identity::provider::freshness::Freshness;
use crate::security;
use crate::state::Auth;

/// GET /auth/login?returnUrl=: redirects a signed-in browser, and otherwise asks to sign in.
pub async fn login(request: HttpRequest, state: web::Data<Auth>) -> Result<HttpResponse, ApiError> {
    let value = parameters::first(&request, "returnUrl");
    let Some((target, kind)) = value.and_then(|to| state.web_origins.return_url(&to)) else {
        let why = html! { p {
            "The address to return to is missing or not registered. "
            "The operator of this server registers the apps that use it (--web-origins)."
        } };
        return Ok(page(StatusCode::BAD_REQUEST, "Unknown app", &why));
    };
    if signed_in(&request, &state).await?.is_some() {
        return Ok(if kind == OriginKind::Listed && is_cross_site(&request) {
            cross_site_page(&target)
        } else {
            redirect_to(target.as_str())
        });
    }
    render_sign_in(&request, &state, &ReturnTo::App(target, kind))
}

/// Renders the sign-in page and stores the return target in a cookie.
///
/// # Errors
/// 500 when the cookie cannot be written.
pub(crate) fn render_sign_in(
    request: &HttpRequest,
    state: &Auth,
    return_to: &ReturnTo,
) -> Result<HttpResponse, ApiError> {
    render_sign_in_with_freshness(request, state, return_to, &Freshness::default())
}

/// Renders the sign-in page for an app that limits the age of the sign-in.
///
/// The freshness only applies to identity providers. A link is always a fresh sign-in.
///
/// # Errors
/// 500 when the cookie cannot be written.
pub(crate) fn render_sign_in_with_freshness(
    request: &HttpRequest,
    state: &Auth,
    return_to: &ReturnTo,
    freshness: &Freshness,
) -> Result<HttpResponse, ApiError> {
    let content = html! {
        (unencrypted_warning(state))
        (provider_links::provider_links(state, return_to, freshness))
        p {
            @if provider_links::has_providers(state) { "Or open" } @else { "Open" }
            " your sign-in link in this browser."
            @if let Some(app) = return_to.app() { " You will return to " strong { (app) } "." }
        }
        @match mail_link::mail_form(state) {
            Some(form) => (form),
            None => p {
                "Ask the operator of this server for a link; " code { "daybook login" }
                " prints one. It works once, for 15 minutes."
            },
        }
    };
    let mut response = page(StatusCode::OK, "Sign in", &content);
    cookie::add(&mut response, &cookie::set_return_to(request, state, return_to))?;
    Ok(response)
}

/// Returns the session of a browser and its user, unless the user is disabled.
///
/// # Errors
/// When the database cannot be read.
pub(crate) async fn signed_in(
    request: &HttpRequest,
    state: &Auth,
) -> Result<Option<(Session, User)>, ApiError> {
    let Some((id, digest)) = cookie::session(request) else { return Ok(None) };
    let now = (state.edge.clock)();
    match run::read(&state.edge, move |tx| session::find(tx, id, &digest, now)).await {
        Ok((session, user)) => {
            security::note_caller(request, user.id);
            Ok(user.disabled_at.is_none().then_some((session, user)))
        }
        Err(error) if error.is_signed_out() => Ok(None),
        Err(error) => Err(error),
    }
}

/// Whether a page of another site sent the browser here.
pub(super) fn is_cross_site(request: &HttpRequest) -> bool {
    request.headers().get("sec-fetch-site").is_some_and(|site| site == "cross-site")
}

/// Renders the page for an app on another site.
///
/// Browsers do not send the session cookie with requests of such an app, so it would redirect the
/// browser here in a loop.
fn cross_site_page(target: &reqwest::Url) -> HttpResponse {
    let why = html! {
        p { "You are signed in, but the app at " strong { (target.host_str().unwrap_or_default()) }
            " is on a different site than this server, and your browser does not send it your "
            "session. The operator must serve both from the same domain." }
    };
    page(StatusCode::OK, "This app cannot use your session", &why)
}

/// Redirects a browser with 303 (See Other).
pub(crate) fn redirect_to(target: &str) -> HttpResponse {
    with_security_headers(HttpResponse::SeeOther()).insert_header((LOCATION, target)).finish()
}
