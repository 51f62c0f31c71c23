//! The apps that a user has agreed to, and the withdrawal of that.

use actix_web::http::StatusCode;
use actix_web::{HttpRequest, HttpResponse, web};
use daybook_service::grant;
use daybook_storage::ShardKey;
use maud::html;

use super::fields::Fields;
use crate::error::ApiError;
use crate::form::Form;
use crate::run;
use crate::security::note_change;
use crate::session::login::{ask_to_sign_in, signed_in, to};
use crate::session::page::page;
use crate::session::return_to::ReturnTo;
use crate::session::same_origin::is_own_form;
use crate::state::AppState;

/// The path of the page.
const PAGE: &str = "/auth/consents";

/// GET /auth/consents: the apps, each with a button that withdraws.
pub(crate) async fn list_consents(
    request: HttpRequest,
    state: web::Data<AppState>,
) -> Result<HttpResponse, ApiError> {
    let Some((_, user)) = signed_in(&request, &state).await? else {
        return ask_to_sign_in(&request, &state, &ReturnTo::Page(PAGE.to_owned()));
    };
    let (id, path) = (user.id, state.public_path());
    let consents = run::read(&state, move |tx| grant::consents(tx, id)).await?;
    let content = html! {
        p { "You are signed in as " strong { (user.email) } "." }
        @if consents.is_empty() { p { "No app has access to your books." } }
        @for consent in &consents {
            form method="post" action={ (path) (PAGE) } {
                input type="hidden" name="client_id" value=(consent.client);
                p { strong { (state.clients.name(&consent.client)) } " " button { "End access" } }
            }
        }
    };
    Ok(page(StatusCode::OK, "Apps with access to your books", &content))
}

/// POST /auth/consents: withdraws the consent to an app, whose tokens end.
pub(crate) async fn withdraw_consent(
    request: HttpRequest,
    state: web::Data<AppState>,
    form: Form,
) -> Result<HttpResponse, ApiError> {
    if !is_own_form(&request, &state) {
        let why = html! { p { "No page of this server has sent this form." } };
        return Ok(page(StatusCode::FORBIDDEN, "Nothing was changed", &why));
    }
    let Some((_, user)) = signed_in(&request, &state).await? else {
        return ask_to_sign_in(&request, &state, &ReturnTo::Page(PAGE.to_owned()));
    };
    if let Some(client) = Fields(form.0).get("client_id").map(str::to_owned) {
        let (id, lane) = (user.id, ShardKey::of_user(user.id));
        run::write(&state, lane, move |tx| grant::withdraw(tx, id, &client)).await?;
        note_change(&request, "consentWithdrawn");
        state.identity.forget();
    }
    Ok(to(&format!("{}{PAGE}", state.public_path())))
}
