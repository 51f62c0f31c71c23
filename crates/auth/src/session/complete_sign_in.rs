//! The response that completes a sign-in: the session cookie and a redirect.

use actix_web::http::StatusCode;
use actix_web::{HttpRequest, HttpResponse};
use daybook_domain::session::Session;
use daybook_edge::error::RequestError;
use maud::html;

use super::page::page;
use super::return_to::ReturnTo;
use super::secret::LoginSecret;
use super::{cookie, login};
use crate::security;
use crate::state::Auth;

/// Sets the session cookie and redirects the browser to where it came from, else to the console.
///
/// The cookie of the return target is removed only if it is the one of this sign-in. Otherwise it
/// belongs to another tab.
///
/// # Errors
/// 500 when a cookie cannot be written.
pub(super) fn complete_sign_in(
    request: &HttpRequest,
    state: &Auth,
    session: &Session,
    secret: &LoginSecret,
    return_to: Option<&ReturnTo>,
) -> Result<HttpResponse, RequestError> {
    security::note_caller(request, session.user);
    security::note_change(request, "signedIn");
    let target = return_to.map(|return_to| return_to.target(state)).or_else(|| state.console());
    let mut response = match target {
        Some(target) => login::redirect_to(&target),
        None => {
            page(StatusCode::OK, "You are signed in", &html! { p { "You can close this page." } })
        }
    };
    cookie::add(&mut response, &cookie::set_session(request, state, session.id, secret))?;
    if cookie::return_to(request, state).as_ref() == return_to {
        cookie::add(&mut response, &cookie::remove_return_to(request, state))?;
    }
    Ok(response)
}
