//! Where signing in begins.

use actix_web::http::StatusCode;
use actix_web::http::header::LOCATION;
use actix_web::{HttpRequest, HttpResponse, web};
use daybook_domain::session::Session;
use daybook_service::session;
use daybook_storage::user::User;
use maud::html;

use super::page::{guarded, page};
use super::return_to::ReturnTo;
use super::{cookie, mailed, origin, provider_links};
use crate::error::ApiError;
use crate::identity::provider::freshness::Freshness;
use crate::parameters;
use crate::run;
use crate::security::note_caller;
use crate::state::AppState;

/// GET /auth/login?returnUrl=: a browser that is signed in goes back at once. One that is not is
/// told how to sign in, and returns after that.
pub(crate) async fn login(
    request: HttpRequest,
    state: web::Data<AppState>,
) -> Result<HttpResponse, ApiError> {
    let given = parameters::first(&request, "returnUrl");
    let Some(target) = given.and_then(|to| origin::return_url(&to, &state.web_origins)) else {
        let why = html! { p {
            "The address to return to is missing, or is not one that this server knows. "
            "The operator lists the apps that may sign people in (--web-origins)."
        } };
        return Ok(page(StatusCode::BAD_REQUEST, "This app is not known here", &why));
    };
    if signed_in(&request, &state).await?.is_some() {
        return Ok(if is_cross_site(&request) { other_site(&target) } else { to(target.as_str()) });
    }
    ask_to_sign_in(&request, &state, &ReturnTo::App(target))
}

/// The page that says how to sign in. The browser returns after that.
///
/// # Errors
/// 500 when the way back cannot be kept.
pub(crate) fn ask_to_sign_in(
    request: &HttpRequest,
    state: &AppState,
    way_back: &ReturnTo,
) -> Result<HttpResponse, ApiError> {
    ask_to_sign_in_anew(request, state, way_back, &Freshness::default())
}

/// The same as freshly as an app wants it. Whoever opens a link does so anyway.
///
/// # Errors
/// 500 when the way back cannot be kept.
pub(crate) fn ask_to_sign_in_anew(
    request: &HttpRequest,
    state: &AppState,
    way_back: &ReturnTo,
    freshness: &Freshness,
) -> Result<HttpResponse, ApiError> {
    let (known, links) =
        (provider_links::exist(state), provider_links::links(state, way_back, freshness));
    let how = html! {
        (links)
        p { @if known { "Or open" } @else { "Open" } " the link that signs you in, in this browser."
            @if let Some(app) = way_back.app() { " Then you return to " strong { (app) } "." }
            @else { " Then this goes on." } }
        @match mailed::form(state) {
            Some(form) => (form),
            None => p {
                "The operator of this server gives you such a link. It works once, for 15 minutes."
            },
        }
    };
    let mut answer = page(StatusCode::OK, "Sign in", &how);
    cookie::add(&mut answer, &cookie::keep_way_back(request, state, way_back))?;
    Ok(answer)
}

/// The session of a browser and its user, when somebody is signed in who is not disabled.
///
/// # Errors
/// When the database does not answer.
pub(crate) async fn signed_in(
    request: &HttpRequest,
    state: &AppState,
) -> Result<Option<(Session, User)>, ApiError> {
    let Some((id, digest)) = cookie::session(request) else { return Ok(None) };
    let now = (state.clock)();
    match run::read(state, move |tx| session::find(tx, id, &digest, now)).await {
        Ok((session, user)) => {
            note_caller(request, user.id);
            Ok(user.disabled_at.is_none().then_some((session, user)))
        }
        Err(error) if error.is_signed_out() => Ok(None),
        Err(error) => Err(error),
    }
}

/// Whether a page of another site has sent the browser here.
pub(super) fn is_cross_site(request: &HttpRequest) -> bool {
    request.headers().get("sec-fetch-site").is_some_and(|site| site == "cross-site")
}

/// Browsers keep the cookie of the session from requests of apps on other sites. Such an app would
/// send the browser here again and again.
fn other_site(target: &reqwest::Url) -> HttpResponse {
    let why = html! {
        p { "You are signed in, but the app at " strong { (target.host_str().unwrap_or_default()) }
            " stands on another site than this server, and browsers keep its requests from the "
            "session. Serve both under one domain." }
    };
    page(StatusCode::OK, "This app cannot use the session", &why)
}

/// Sends a browser on, by GET.
pub(crate) fn to(target: &str) -> HttpResponse {
    guarded(HttpResponse::SeeOther()).insert_header((LOCATION, target)).finish()
}
