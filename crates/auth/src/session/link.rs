//! Sign-in with a link that works once.
//!
//! Opening the link only renders a page with a button; the button redeems the link. Mail scanners
//! open links before their readers do, and must not redeem them.

use std::sync::Arc;

use actix_web::http::StatusCode;
use actix_web::{HttpRequest, HttpResponse, web};
use daybook_domain::session::{Refusal, Session};
use daybook_edge::error::{ApiError, RequestError};
use daybook_edge::form::Form;
use daybook_edge::{parameters, run};
use daybook_service::session;
use maud::html;

use super::complete_sign_in::complete_sign_in;
use super::page::{page, page_with_form_target, unencrypted_warning};
use super::secret::{LoginSecret, digest};
use super::{cookie, same_origin};
use crate::identity::authenticate::{retry_on_collision, shard_key_of};
use crate::state::Auth;

/// GET /auth/link?code=: renders the page with the address that the link signs in.
pub async fn show_link(
    request: HttpRequest,
    state: web::Data<Auth>,
) -> Result<HttpResponse, ApiError> {
    let code = parameters::first(&request, "code").unwrap_or_default();
    let (digest, now) = (digest(&code), (state.edge.clock)());
    let link = match run::read(&state.edge, move |tx| session::find_link(tx, &digest, now)).await {
        Ok(link) => link,
        Err(error) => return refusal_page(error),
    };
    let content = html! {
        (unencrypted_warning(&state))
        p { "You are about to sign in as " strong { (link.email) } "." }
        form method="post" action={ (state.edge.site.public_path()) "/auth/link" } {
            input type="hidden" name="code" value=(code);
            button { "Sign in" }
        }
    };
    let return_to = cookie::return_to(&request, &state);
    let form_target = return_to.and_then(|return_to| return_to.form_target(&request, &state));
    Ok(page_with_form_target(StatusCode::OK, "Sign in", &content, form_target.as_deref()))
}

/// POST /auth/link: redeems the link and creates a session.
pub async fn sign_in(
    request: HttpRequest,
    state: web::Data<Auth>,
    form: Form,
) -> Result<HttpResponse, ApiError> {
    let code = form.0.into_iter().find(|(name, _)| name == "code");
    let code = code.map(|(_, code)| code).unwrap_or_default();
    if !same_origin::is_same_origin_form(&request, &state) {
        return Ok(same_origin::cross_origin_form_page(&request, &state));
    }
    let secret = LoginSecret::random().map_err(|error| RequestError::Failed(error.to_string()))?;
    let session = match redeem_link(&state, &code, &secret).await {
        Ok(session) => session,
        Err(error) => return refusal_page(error),
    };
    let return_to = cookie::return_to(&request, &state);
    Ok(complete_sign_in(&request, &state, &session, &secret, return_to.as_ref())?)
}

/// Redeems the link and creates a session for its user.
async fn redeem_link(state: &Auth, code: &str, secret: &LoginSecret) -> Result<Session, ApiError> {
    let (link_digest, session_digest) = (digest(code), secret.digest());
    let now = (state.edge.clock)();
    let link = run::read(&state.edge, move |tx| session::find_link(tx, &link_digest, now)).await?;
    let shard_key = shard_key_of(state, &link.email).await?;
    let create = || {
        let (ids, admission) = (Arc::clone(&state.edge.ids), Arc::clone(&state.admission));
        run::write(&state.edge, shard_key, move |tx| {
            session::begin(tx, &link_digest, session_digest, &admission, &ids, now)
        })
    };
    retry_on_collision(create).await
}

/// Renders the page for a link that does not work.
fn refusal_page(error: ApiError) -> Result<HttpResponse, ApiError> {
    let (status, heading, text) = match error.session_refusal() {
        None => return Err(error),
        Some(Refusal::Disabled) => (
            StatusCode::FORBIDDEN,
            "Your account is disabled",
            "Please ask the operator of this server.",
        ),
        Some(Refusal::LinkUnusable | Refusal::SignedOut | Refusal::Unknown(_)) => (
            StatusCode::NOT_FOUND,
            "This sign-in link no longer works",
            "A link works once and for a short time. Please request a new one.",
        ),
        Some(Refusal::MailsLinks | Refusal::AlreadyUser(_) | Refusal::TooManyLinks) => {
            return Err(error);
        }
    };
    Ok(page(status, heading, &html! { p { (text) } }))
}
