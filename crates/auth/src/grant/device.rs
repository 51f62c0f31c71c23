//! Device authorization for programs without a browser (RFC 8628).
//!
//! A program requests a device code and a user code. The user types the user code on a page and
//! allows or denies the access.

use std::sync::Arc;

use actix_web::http::StatusCode;
use actix_web::{HttpRequest, HttpResponse, web};
use aws_lc_rs::rand::{SecureRandom, SystemRandom};
use daybook_domain::grant::{DeviceAuthorization, Refusal, UserCode};
use daybook_domain::session::Session;
use daybook_edge::client_address::client_address;
use daybook_edge::error::{ApiError, RequestError};
use daybook_edge::form::Form;
use daybook_edge::request_head::host;
use daybook_edge::{parameters, run};
use daybook_service::grant;
use daybook_storage::user::User;
use maud::{Markup, html};
use serde::Serialize;

use super::authorize::scope_list;
use super::client_auth::authenticate_client;
use super::fields::Fields;
use super::oauth_error::{into_oauth_response, refuse};
use crate::identity::authenticate::retry_on_collision;
use crate::security;
use crate::session::login::{render_sign_in, signed_in};
use crate::session::page::{page, with_security_headers};
use crate::session::return_to::ReturnTo;
use crate::session::same_origin::{is_same_origin_form, refuse_cross_origin_form};
use crate::session::secret::LoginSecret;
use crate::state::Auth;

/// Random bytes for a user code of eight letters. 15 of 16 bytes yield a letter.
const RANDOM_BYTES: usize = 32;

/// The device authorization response (RFC 8628, 3.2).
///
/// Existing programs read `verification_url` (behaviour 11.1).
#[derive(Serialize)]
struct DeviceOut {
    device_code: String,
    user_code: String,
    verification_url: String,
    verification_uri: String,
    verification_uri_complete: String,
    expires_in: i64,
    interval: i64,
}

/// POST /auth/device/code: issues a device code and a user code.
pub async fn device_code(
    request: HttpRequest,
    state: web::Data<Auth>,
    form: Result<Form, ApiError>,
) -> HttpResponse {
    into_oauth_response(issue_device_code(&request, &state, form).await)
}

async fn issue_device_code(
    request: &HttpRequest,
    state: &Auth,
    form: Result<Form, ApiError>,
) -> Result<HttpResponse, ApiError> {
    let (fields, now) = (&Fields(form?.0), (state.edge.clock)());
    let client = match authenticate_client(request, fields, state)? {
        Ok(registered) => &registered.client,
        Err(invalid) => return Ok(invalid.response()),
    };
    let scope = match client.scope(fields.get("scope")) {
        Ok(scope) => scope,
        Err(refusal) => return Ok(refuse(&refusal)),
    };
    let address = client_address(request, &state.edge);
    state.grant_limits.device_codes.take(address).map_err(RequestError::from)?;
    let secret = LoginSecret::random().map_err(failed)?;
    let insert = || {
        let (id, scope, digest) = (client.id.clone(), scope.clone(), secret.digest());
        async move {
            let code = random_user_code()?;
            let device = DeviceAuthorization::new(digest, code, id, scope, now);
            let row = device.clone();
            run::write(&state.edge, grant::ADD_DEVICE_SHARD_KEY, move |tx| {
                grant::add_device(tx, &row, now)
            })
            .await?;
            Ok(device)
        }
    };
    let device = match retry_on_collision(insert).await {
        Ok(device) => device,
        Err(error) => return error.grant_refusal().map(refuse).ok_or(error),
    };
    let page = format!("{}/auth/device", state.edge.site.base(host(request)));
    Ok(with_security_headers(HttpResponse::Ok()).json(DeviceOut {
        device_code: secret.as_str().to_owned(),
        verification_uri_complete: format!("{page}?user_code={}", device.user_code),
        user_code: device.user_code.to_string(),
        verification_url: page.clone(),
        verification_uri: page,
        expires_in: DeviceAuthorization::VALID_SECONDS,
        interval: device.interval,
    }))
}

fn random_user_code() -> Result<UserCode, ApiError> {
    let mut bytes = [0; RANDOM_BYTES];
    SystemRandom::new()
        .fill(&mut bytes)
        .map_err(|_| failed("the system random number generator failed"))?;
    UserCode::random(&bytes)
        .ok_or_else(|| failed("the system random number generator returned too few usable bytes"))
}

fn failed(error: impl std::fmt::Display) -> ApiError {
    RequestError::Failed(error.to_string()).into()
}

/// GET /auth/device: renders the form for the user code.
pub async fn show_device(
    request: HttpRequest,
    state: web::Data<Auth>,
) -> Result<HttpResponse, ApiError> {
    let typed = parameters::first(&request, "user_code").and_then(|text| UserCode::read(&text));
    if signed_in(&request, &state).await?.is_none() {
        let query = typed.map(|code| format!("?user_code={code}")).unwrap_or_default();
        let return_to = ReturnTo::Page(format!("/auth/device{query}"));
        return render_sign_in(&request, &state, &return_to);
    }
    let typed = typed.map(|code| code.to_string()).unwrap_or_default();
    Ok(page(StatusCode::OK, "Connect a device", &code_form(&state, &typed, None)))
}

/// Renders the form for the user code, with an error above it.
fn code_form(state: &Auth, typed: &str, error: Option<&str>) -> Markup {
    html! {
        @if let Some(error) = error { p { strong { (error) } } }
        form method="post" action={ (state.edge.site.public_path()) "/auth/device" } {
            p { label for="user_code" { "Enter the code that the program shows" } }
            p { input #user_code name="user_code" value=(typed) required autocomplete="off"
                autocapitalize="characters" spellcheck="false" maxlength="20"; }
            button { "Continue" }
        }
    }
}

/// POST /auth/device: asks for consent, or applies the decision if the form has one.
pub async fn decide_device(
    request: HttpRequest,
    state: web::Data<Auth>,
    form: Form,
) -> Result<HttpResponse, ApiError> {
    if !is_same_origin_form(&request, &state) {
        return Ok(refuse_cross_origin_form("Nothing was changed"));
    }
    let (fields, address) = (Fields(form.0), client_address(&request, &state.edge));
    if fields.repeated().is_some() {
        let why = html! { p { "The form repeats a field." } };
        return Ok(page(StatusCode::BAD_REQUEST, "Nothing was changed", &why));
    }
    let Some((session, user)) = signed_in(&request, &state).await? else {
        return render_sign_in(&request, &state, &ReturnTo::Page("/auth/device".to_owned()));
    };
    if let Err(wait) = state.grant_limits.user_codes.check(address) {
        let why = html! { p { "Too many wrong codes. Try again in " (wait.0) " seconds." } };
        return Ok(page(StatusCode::TOO_MANY_REQUESTS, "Connect a device", &why));
    }
    let typed = fields.get("user_code").unwrap_or_default();
    let outcome = match (UserCode::read(typed), fields.get("decision")) {
        (None, _) => Err(ApiError::Service(Refusal::UnknownUserCode.into())),
        (Some(code), None) => render_consent(&state, code, &user).await,
        (Some(code), Some(decision)) => {
            let is_allowed = decision == "allow";
            if is_allowed {
                security::note_change(&request, "consentGiven");
            }
            decide(&state, code, &session, &user, is_allowed).await
        }
    };
    match outcome {
        Err(error) => {
            // An error of the database is not a wrong code.
            let why = error.grant_refusal().map(ToString::to_string).ok_or(error)?;
            state.grant_limits.user_codes.record(address);
            let form = code_form(&state, "", Some(&format!("{why}.")));
            Ok(page(StatusCode::NOT_FOUND, "Connect a device", &form))
        }
        outcome => outcome,
    }
}

/// Renders the page that asks for consent.
///
/// A stored consent does not skip it: an attacker may have started the program.
async fn render_consent(
    state: &Auth,
    code: UserCode,
    user: &User,
) -> Result<HttpResponse, ApiError> {
    let (typed, now) = (code.clone(), (state.edge.clock)());
    let device = run::read(&state.edge, move |tx| grant::find_device(tx, &typed, now)).await?;
    let content = html! {
        p { strong { (state.clients.name(&device.client)) }
            " asks for access to your books and shows the code " strong { (code) } "." }
        (scope_list(device.scope.has("profile")))
        p { "Only allow this if you started the program yourself and it shows this code now." }
        p { "You are signed in as " strong { (user.email) } "." }
        form method="post" action={ (state.edge.site.public_path()) "/auth/device" } {
            input type="hidden" name="user_code" value=(code);
            button name="decision" value="allow" { "Allow" } " "
            button name="decision" value="deny" { "Deny" }
        }
    };
    Ok(page(StatusCode::OK, "Allow access?", &content))
}

async fn decide(
    state: &Auth,
    code: UserCode,
    session: &Session,
    user: &User,
    is_allowed: bool,
) -> Result<HttpResponse, ApiError> {
    let (ids, now) = (Arc::clone(&state.edge.ids), (state.edge.clock)());
    let allowed_by = is_allowed.then_some((user.id, session.signed_in_at));
    let shard_key = grant::shard_key(user.id);
    run::write(&state.edge, shard_key, move |tx| grant::decide(tx, &code, allowed_by, &ids, now))
        .await?;
    let (heading, text) = if is_allowed {
        ("Access allowed", "The program continues by itself. You can close this page.")
    } else {
        ("Access denied", "The program gets no access. You can close this page.")
    };
    Ok(page(StatusCode::OK, heading, &html! { p { (text) } }))
}
