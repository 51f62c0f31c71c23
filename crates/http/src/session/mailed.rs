//! Asking for a link by mail. The answer is the same for every address, and comes before anybody
//! has looked whether the address is known: neither the page nor the time it takes tells.

use std::sync::Arc;

use actix_web::http::StatusCode;
use actix_web::{HttpRequest, HttpResponse, web};
use daybook_domain::email::{Email, MAX_EMAIL};
use daybook_service::session;
use daybook_storage::ShardKey;
use maud::{Markup, html};

use super::page::page;
use super::same_origin;
use super::secret::LoginSecret;
use crate::client_address::client_address;
use crate::error::{ApiError, RequestError};
use crate::form::Form;
use crate::state::AppState;

/// The form that asks for a link, where mails leave.
pub(super) fn form(state: &AppState) -> Option<Markup> {
    state.mailed_links.as_ref()?;
    Some(html! {
        form method="post" action={ (state.public_path()) "/auth/mail" } {
            p { label for="email" { "Your e-mail address" } }
            p { input id="email" type="email" name="email" required maxlength=(MAX_EMAIL)
                autocomplete="email"; }
            button { "Mail me a link" }
        }
    })
}

/// POST /auth/mail: mails a link to an address by which somebody may sign in.
pub(crate) async fn mail_link(
    request: HttpRequest,
    state: web::Data<AppState>,
    form: Form,
) -> Result<HttpResponse, ApiError> {
    let Some(limit) = &state.mailed_links else { return Err(RequestError::UnknownRoute.into()) };
    if !same_origin::is_own_form(&request, &state) {
        return Ok(same_origin::foreign_form(&request, &state));
    }
    let given = form.0.into_iter().find(|(name, _)| name == "email");
    let email = match Email::parse(&given.map(|(_, email)| email).unwrap_or_default()) {
        Ok(email) => email,
        Err(fault) => {
            let why = html! { p { (fault) "." } };
            return Ok(page(StatusCode::BAD_REQUEST, "This is no e-mail address", &why));
        }
    };
    let client = client_address(&request, &state);
    limit.take(client).map_err(RequestError::from)?;
    let is_within = limit.is_within(client, &email);
    let content = html! {
        p { "If somebody may sign in here as " strong { (email) } ", a mail with a link is on its "
            "way, or has come within the last minutes. It works once, for 15 minutes." }
        p { "Open it in this browser." }
    };
    let secret = LoginSecret::random().map_err(|error| RequestError::Failed(error.to_string()))?;
    submit(&state, (email, is_within), &secret);
    Ok(page(StatusCode::OK, "Look into your mail", &content))
}

/// Has the mail written. Nobody waits for it. All mails have one lane, so that those of before are
/// counted when the next is written: on PostgreSQL other writers do not see them yet.
fn submit(state: &AppState, (email, is_within): (Email, bool), secret: &LoginSecret) {
    let (digest, link) = (secret.digest(), secret.link(&state.mail_address));
    let (admission, ids, now) =
        (Arc::clone(&state.admission), Arc::clone(&state.ids), (state.clock)());
    let mails = state.mails.clone();
    state.store.submit(
        ShardKey::NO_BOOK,
        move |tx| {
            session::mail_link(tx, (digest, &link), (&email, is_within), &admission, (&ids, now))
        },
        move |outcome: daybook_service::Result<()>| match outcome {
            Ok(()) => mails.notify(),
            Err(error) => tracing::error!(%error, "a link was not mailed"),
        },
    );
}
