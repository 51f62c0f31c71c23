//! What a browser gets that has just signed in, by whatever way: its session, and the way back.

use actix_web::http::StatusCode;
use actix_web::{HttpRequest, HttpResponse};
use daybook_domain::session::Session;
use maud::html;

use super::page::page;
use super::return_to::ReturnTo;
use super::secret::LoginSecret;
use super::{cookie, login};
use crate::error::RequestError;
use crate::security::{note_caller, note_change};
use crate::state::AppState;

/// Makes a browser keep its session, and sends it back to where it came from. What it remembers of
/// another tab stays.
///
/// # Errors
/// 500 when a cookie cannot be written.
pub(super) fn enter(
    request: &HttpRequest,
    state: &AppState,
    session: &Session,
    secret: &LoginSecret,
    back: Option<&ReturnTo>,
) -> Result<HttpResponse, RequestError> {
    note_caller(request, session.user);
    note_change(request, "signedIn");
    let mut answer = match back {
        Some(back) => login::to(&back.target(state)),
        None => {
            page(StatusCode::OK, "You are signed in", &html! { p { "You may close this page." } })
        }
    };
    cookie::add(&mut answer, &cookie::keep_session(request, state, (session.id, secret)))?;
    if cookie::way_back(request, state).as_ref() == back {
        cookie::add(&mut answer, &cookie::forget_way_back(request, state))?;
    }
    Ok(answer)
}
