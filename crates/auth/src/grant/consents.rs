//! The page that lists a user's consents and withdraws them.

use actix_web::http::StatusCode;
use actix_web::{HttpRequest, HttpResponse, web};
use daybook_edge::error::ApiError;
use daybook_edge::form::Form;
use daybook_edge::run;
use daybook_service::grant;
use maud::html;

use super::fields::Fields;
use crate::security;
use crate::session::login::{redirect_to, render_sign_in, signed_in};
use crate::session::page::page;
use crate::session::return_to::ReturnTo;
use crate::session::same_origin::{is_same_origin_form, refuse_cross_origin_form};
use crate::state::Auth;

const PATH: &str = "/auth/consents";

/// GET /auth/consents: lists the apps, each with a button that withdraws the consent.
pub async fn list_consents(
    request: HttpRequest,
    state: web::Data<Auth>,
) -> Result<HttpResponse, ApiError> {
    let Some((_, user)) = signed_in(&request, &state).await? else {
        return render_sign_in(&request, &state, &ReturnTo::Page(PATH.to_owned()));
    };
    let (user_id, prefix) = (user.id, state.edge.site.public_path());
    let consents = run::read(&state.edge, move |tx| grant::list_consents(tx, user_id)).await?;
    let content = html! {
        p { "You are signed in as " strong { (user.email) } "." }
        @if consents.is_empty() { p { "No app has access to your books." } }
        @for consent in &consents {
            form method="post" action={ (prefix) (PATH) } {
                input type="hidden" name="client_id" value=(consent.client);
                p { strong { (state.clients.name(&consent.client)) } " " button { "End access" } }
            }
        }
    };
    Ok(page(StatusCode::OK, "Apps with access to your books", &content))
}

/// POST /auth/consents: withdraws the consent to an app and ends its tokens.
pub async fn withdraw_consent(
    request: HttpRequest,
    state: web::Data<Auth>,
    form: Form,
) -> Result<HttpResponse, ApiError> {
    if !is_same_origin_form(&request, &state) {
        return Ok(refuse_cross_origin_form("Nothing was changed"));
    }
    let Some((_, user)) = signed_in(&request, &state).await? else {
        return render_sign_in(&request, &state, &ReturnTo::Page(PATH.to_owned()));
    };
    if let Some(client) = Fields(form.0).get("client_id").map(str::to_owned) {
        let (user_id, shard_key) = (user.id, grant::shard_key(user.id));
        run::write(&state.edge, shard_key, move |tx| grant::withdraw(tx, user_id, &client)).await?;
        security::note_change(&request, "consentWithdrawn");
        state.identity.clear_bearers();
    }
    Ok(redirect_to(&format!("{}{PATH}", state.edge.site.public_path())))
}
