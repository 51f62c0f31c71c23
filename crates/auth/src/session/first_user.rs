//! The sign-in of the first user of a trial, by a link from the terminal (behaviour 11.14).
//!
//! The link needs no mark of its use, because it works only while the database has no user. The
//! database decides between two requests, and between two processes with a link each.

use std::sync::Arc;

use actix_web::http::StatusCode;
use actix_web::{HttpRequest, HttpResponse, web};
use daybook_domain::email::{Email, MAX_EMAIL};
use daybook_domain::session::Refusal;
use daybook_edge::error::{ApiError, RequestError};
use daybook_edge::form::Form;
use daybook_edge::{parameters, run};
use daybook_service::{session, user};
use maud::html;

use super::complete_sign_in::complete_sign_in;
use super::page::page;
use super::same_origin;
use super::secret::LoginSecret;
use crate::identity::authenticate::retry_on_collision;
use crate::state::Auth;

/// GET /auth/first-user?code=: asks for the address of the first user.
pub async fn show_first_user(
    request: HttpRequest,
    state: web::Data<Auth>,
) -> Result<HttpResponse, ApiError> {
    let code = parameters::first(&request, "code").unwrap_or_default();
    if !accepts(&state, &code) || run::read(&state.edge, user::exist).await? {
        return Ok(unusable_page());
    }
    let content = html! {
        p { "You are the first user of this server, and become its administrator. Your e-mail "
            "address identifies you; this server does not send mail to it." }
        form method="post" action={ (state.edge.site.public_path()) "/auth/first-user" } {
            input type="hidden" name="code" value=(code);
            p { label for="email" { "Your e-mail address" } }
            p { input id="email" type="email" name="email" required maxlength=(MAX_EMAIL)
                autocomplete="email"; }
            button { "Start" }
        }
    };
    Ok(page(StatusCode::OK, "Welcome to Daybook", &content))
}

/// POST /auth/first-user: creates the first user and their session.
pub async fn create_first_user(
    request: HttpRequest,
    state: web::Data<Auth>,
    form: Form,
) -> Result<HttpResponse, ApiError> {
    if !same_origin::is_same_origin_form(&request, &state) {
        return Ok(same_origin::cross_origin_form_page(&request, &state));
    }
    let field = |wanted: &str| form.0.iter().find(|(name, _)| name == wanted);
    let [code, email] = ["code", "email"]
        .map(|name| field(name).map(|(_, value)| value.as_str()).unwrap_or_default());
    if !accepts(&state, code) {
        return Ok(unusable_page());
    }
    let email = match Email::parse(email) {
        Ok(email) => email,
        Err(fault) => {
            let why = html! { p { (fault) "." } };
            return Ok(page(StatusCode::BAD_REQUEST, "Invalid e-mail address", &why));
        }
    };
    let secret = LoginSecret::random().map_err(|error| RequestError::Failed(error.to_string()))?;
    let (now, session_digest) = ((state.edge.clock)(), secret.digest());
    let shard_key = user::operator_shard_key(&email);
    let create = || {
        let (ids, email) = (Arc::clone(&state.edge.ids), email.clone());
        run::write(&state.edge, shard_key, move |tx| {
            session::begin_as_first_user(tx, &email, session_digest, &ids, now)
        })
    };
    match retry_on_collision(create).await {
        Ok(session) => Ok(complete_sign_in(&request, &state, &session, &secret, None)?),
        Err(error) if error.session_refusal() == Some(&Refusal::LinkUnusable) => {
            Ok(unusable_page())
        }
        Err(error) => Err(error),
    }
}

fn accepts(state: &Auth, code: &str) -> bool {
    let now = (state.edge.clock)();
    state.first_user_link.as_ref().is_some_and(|link| link.accepts(code, now))
}

/// Renders the page for a link that does not work.
fn unusable_page() -> HttpResponse {
    let why = html! { p {
        "It works once, for an hour, and only while this server has no user. "
        "Restart the server for a new link, or run " code { "daybook login" } "."
    } };
    page(StatusCode::NOT_FOUND, "This link no longer works", &why)
}
