//! Programs without a browser (RFC 8628): they ask for a code here, and a person decides about the
//! code on a page.

use std::sync::Arc;

use actix_web::http::StatusCode;
use actix_web::{HttpRequest, HttpResponse, web};
use daybook_domain::grant::{DeviceAuthorization, Refusal, UserCode};
use daybook_domain::session::Session;
use daybook_service::grant;
use daybook_storage::ShardKey;
use daybook_storage::user::User;
use maud::{Markup, html};
use ring::rand::{SecureRandom, SystemRandom};
use serde::Serialize;

use super::authorize::wanted;
use super::client_auth::client;
use super::fields::Fields;
use super::refused::{answered, refused};
use crate::client_address::client_address;
use crate::error::{ApiError, RequestError};
use crate::form::Form;
use crate::identity::authenticate::again_on_collision;
use crate::request_head::host;
use crate::security::note_change;
use crate::session::login::{ask_to_sign_in, signed_in};
use crate::session::page::{guarded, page};
use crate::session::return_to::ReturnTo;
use crate::session::same_origin::is_own_form;
use crate::session::secret::LoginSecret;
use crate::state::AppState;
use crate::{parameters, run};

/// Random bytes for a user code: 15 of 16 stand for a letter, so these always hold eight.
const RANDOM_BYTES: usize = 32;

/// What a program reads (RFC 8628, 3.2). Existing programs read `verification_url` (behaviour
/// 11.1).
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

/// POST /auth/device/code: a program asks for a code.
pub(crate) async fn device_code(
    request: HttpRequest,
    state: web::Data<AppState>,
    form: Result<Form, ApiError>,
) -> HttpResponse {
    answered(new_code(&request, &state, form).await)
}

async fn new_code(
    request: &HttpRequest,
    state: &AppState,
    form: Result<Form, ApiError>,
) -> Result<HttpResponse, ApiError> {
    let (fields, now) = (&Fields(form?.0), (state.clock)());
    let client = match client(request, fields, state)? {
        Ok(known) => &known.client,
        Err(unproven) => return Ok(unproven.answer()),
    };
    let scope = match client.scope(fields.get("scope")) {
        Ok(scope) => scope,
        Err(refusal) => return Ok(refused(&refusal)),
    };
    let address = client_address(request, state);
    state.grant_limits.device_codes.take(address).map_err(RequestError::from)?;
    let secret = LoginSecret::random().map_err(failed)?;
    let wait = || {
        let (id, scope, digest) = (client.id.clone(), scope.clone(), secret.digest());
        async move {
            let code = user_code()?;
            let device = DeviceAuthorization::new(digest, code, id, scope, now);
            let kept = device.clone();
            run::write(state, ShardKey::NO_BOOK, move |tx| grant::wait(tx, &kept, now)).await?;
            Ok(device)
        }
    };
    let device = match again_on_collision(wait).await {
        Ok(device) => device,
        Err(error) => return error.grant_refusal().map(refused).ok_or(error),
    };
    let page = format!("{}/auth/device", state.base(host(request)));
    Ok(guarded(HttpResponse::Ok()).json(DeviceOut {
        device_code: secret.as_str().to_owned(),
        verification_uri_complete: format!("{page}?user_code={}", device.user_code),
        user_code: device.user_code.to_string(),
        verification_url: page.clone(),
        verification_uri: page,
        expires_in: DeviceAuthorization::VALID_SECONDS,
        interval: device.interval,
    }))
}

fn user_code() -> Result<UserCode, ApiError> {
    let mut bytes = [0; RANDOM_BYTES];
    SystemRandom::new().fill(&mut bytes).map_err(|_| failed("the system gave no randomness"))?;
    UserCode::random(&bytes).ok_or_else(|| failed("the system's randomness is not random"))
}

fn failed(error: impl std::fmt::Display) -> ApiError {
    RequestError::Failed(error.to_string()).into()
}

/// GET /auth/device: a person types the code.
pub(crate) async fn show_device(
    request: HttpRequest,
    state: web::Data<AppState>,
) -> Result<HttpResponse, ApiError> {
    let typed = parameters::first(&request, "user_code").and_then(|text| UserCode::read(&text));
    if signed_in(&request, &state).await?.is_none() {
        let query = typed.map(|code| format!("?user_code={code}")).unwrap_or_default();
        let back = ReturnTo::Page(format!("/auth/device{query}"));
        return ask_to_sign_in(&request, &state, &back);
    }
    let typed = typed.map(|code| code.to_string()).unwrap_or_default();
    Ok(page(StatusCode::OK, "Sign in a device", &type_in(&state, &typed, None)))
}

/// The form in which a code is typed.
fn type_in(state: &AppState, typed: &str, why: Option<&str>) -> Markup {
    html! {
        @if let Some(why) = why { p { strong { (why) } } }
        form method="post" action={ (state.public_path()) "/auth/device" } {
            p { label for="user_code" { "The code that the program shows" } }
            p { input #user_code name="user_code" value=(typed) required autocomplete="off"
                autocapitalize="characters" spellcheck="false" maxlength="20"; }
            button { "Go on" }
        }
    }
}

/// POST /auth/device: shows what the program wants; with a decision, decides.
pub(crate) async fn decide_device(
    request: HttpRequest,
    state: web::Data<AppState>,
    form: Form,
) -> Result<HttpResponse, ApiError> {
    if !is_own_form(&request, &state) {
        let why = html! { p { "No page of this server has sent this form." } };
        return Ok(page(StatusCode::FORBIDDEN, "Nothing was decided", &why));
    }
    let (fields, address) = (Fields(form.0), client_address(&request, &state));
    if fields.repeated().is_some() {
        let why = html! { p { "The form says something twice." } };
        return Ok(page(StatusCode::BAD_REQUEST, "Nothing was decided", &why));
    }
    let Some((session, user)) = signed_in(&request, &state).await? else {
        return ask_to_sign_in(&request, &state, &ReturnTo::Page("/auth/device".to_owned()));
    };
    if let Err(wait) = state.grant_limits.user_codes.check(address) {
        let why = html! { p { "Too many wrong codes. Try again in " (wait.0) " seconds." } };
        return Ok(page(StatusCode::TOO_MANY_REQUESTS, "Sign in a device", &why));
    }
    let typed = fields.get("user_code").unwrap_or_default();
    let done = match (UserCode::read(typed), fields.get("decision")) {
        (None, _) => Err(ApiError::Service(Refusal::UnknownUserCode.into())),
        (Some(code), None) => ask(&state, code, &user).await,
        (Some(code), Some(decision)) => {
            let allow = decision == "allow";
            allow
                .then_some("consentGiven")
                .into_iter()
                .for_each(|what| note_change(&request, what));
            decide(&state, code, (&session, &user), allow).await
        }
    };
    match done {
        Err(error) => {
            // Where the database does not answer, nobody has guessed wrong.
            let why = error.grant_refusal().map(ToString::to_string).ok_or(error)?;
            state.grant_limits.user_codes.record(address);
            let again = type_in(&state, "", Some(&format!("{why}.")));
            Ok(page(StatusCode::NOT_FOUND, "Sign in a device", &again))
        }
        done => done,
    }
}

/// The page that asks. It always does: the program may be in somebody else's hands.
async fn ask(state: &AppState, code: UserCode, user: &User) -> Result<HttpResponse, ApiError> {
    let (wanted_code, now) = (code.clone(), (state.clock)());
    let device = run::read(state, move |tx| grant::device(tx, &wanted_code, now)).await?;
    let content = html! {
        p { strong { (state.clients.name(&device.client)) }
            " asks for access to your books, and shows the code " strong { (code) } "." }
        (wanted(device.scope.has("profile")))
        p { "Allow it only if you have started the program yourself, and it shows this code now." }
        p { "You are signed in as " strong { (user.email) } "." }
        form method="post" action={ (state.public_path()) "/auth/device" } {
            input type="hidden" name="user_code" value=(code);
            button name="decision" value="allow" { "Allow" } " "
            button name="decision" value="deny" { "Refuse" }
        }
    };
    Ok(page(StatusCode::OK, "Allow access?", &content))
}

async fn decide(
    state: &AppState,
    code: UserCode,
    (session, user): (&Session, &User),
    allow: bool,
) -> Result<HttpResponse, ApiError> {
    let (ids, now) = (Arc::clone(&state.ids), (state.clock)());
    let by = allow.then_some((user.id, session.signed_in_at));
    let lane = ShardKey::of_user(user.id);
    run::write(state, lane, move |tx| grant::decide(tx, &code, by, &ids, now)).await?;
    let (heading, text) = if allow {
        ("Access is allowed", "The program goes on by itself. You may close this page.")
    } else {
        ("Access is refused", "The program gets nothing. You may close this page.")
    };
    Ok(page(StatusCode::OK, heading, &html! { p { (text) } }))
}
