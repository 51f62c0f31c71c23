//! Sign-in links by mail.
//!
//! The response is the same for every address and is sent before the address is looked up. So
//! neither the page nor its timing reveals whether an address is known.

use std::sync::Arc;

use actix_web::http::StatusCode;
use actix_web::{HttpRequest, HttpResponse, web};
use daybook_domain::email::{Email, MAX_EMAIL};
use daybook_edge::client_address::client_address;
use daybook_edge::error::{ApiError, RequestError};
use daybook_edge::form::Form;
use daybook_service::mail;
use daybook_service::session::{self, NewLink};
use maud::{Markup, html};

use super::page::page;
use super::same_origin;
use super::secret::LoginSecret;
use crate::state::Auth;

/// Renders the form that requests a link; `None` if the server sends no mail.
pub(super) fn mail_form(state: &Auth) -> Option<Markup> {
    state.mailed_links.as_ref()?;
    Some(html! {
        form method="post" action={ (state.edge.site.public_path()) "/auth/mail" } {
            p { label for="email" { "Your e-mail address" } }
            p { input id="email" type="email" name="email" required maxlength=(MAX_EMAIL)
                autocomplete="email"; }
            button { "E-mail me a link" }
        }
    })
}

/// POST /auth/mail: mails a link to the address of a user who may sign in.
pub async fn mail_link(
    request: HttpRequest,
    state: web::Data<Auth>,
    form: Form,
) -> Result<HttpResponse, ApiError> {
    let Some(limits) = &state.mailed_links else { return Err(RequestError::UnknownRoute.into()) };
    if !same_origin::is_same_origin_form(&request, &state) {
        return Ok(same_origin::cross_origin_form_page(&request, &state));
    }
    let field = form.0.into_iter().find(|(name, _)| name == "email");
    let email = match Email::parse(&field.map(|(_, email)| email).unwrap_or_default()) {
        Ok(email) => email,
        Err(fault) => {
            let why = html! { p { (fault) "." } };
            return Ok(page(StatusCode::BAD_REQUEST, "Invalid e-mail address", &why));
        }
    };
    let client = client_address(&request, &state.edge);
    limits.take(client).map_err(RequestError::from)?;
    let is_within = limits.take_for_recipient(client, &email);
    let content = html! {
        p { "If you can sign in here as " strong { (email) } ", we have sent you a link, either "
            "now or a few minutes ago. It works once, for 15 minutes." }
        p { "Please open it in this browser." }
    };
    let secret = LoginSecret::random().map_err(|error| RequestError::Failed(error.to_string()))?;
    submit_mail(&state, email, is_within, &secret);
    Ok(page(StatusCode::OK, "Check your mail", &content))
}

/// Submits the mail to the writer without waiting for it.
fn submit_mail(state: &Auth, email: Email, is_within: bool, secret: &LoginSecret) {
    let (digest, link) = (secret.digest(), secret.link(&state.edge.site.canonical_url));
    let (admission, ids, now) =
        (Arc::clone(&state.admission), Arc::clone(&state.edge.ids), (state.edge.clock)());
    let mails = state.edge.mails.clone();
    state.edge.store.submit(
        mail::SHARD_KEY,
        move |tx| {
            let link = NewLink { email: &email, digest, url: &link };
            session::mail_link(tx, link, is_within, &admission, &ids, now)
        },
        move |outcome: daybook_service::Result<()>| match outcome {
            Ok(()) => mails.notify(),
            Err(error) => tracing::error!(%error, "mailing a sign-in link failed"),
        },
    );
}
