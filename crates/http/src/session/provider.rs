//! Signing in through an identity provider that the operator has configured for it (behaviour
//! 11.20): the browser is sent there, and comes back with a code. A cookie binds the two: whoever
//! gets an answer of the provider into another browser signs nobody in.

use std::sync::Arc;

use actix_web::http::StatusCode;
use actix_web::http::header::{HeaderValue, RETRY_AFTER};
use actix_web::{HttpRequest, HttpResponse, web};
use daybook_domain::session::Session;
use daybook_domain::{Refusal, user as domain_user};
use daybook_service::user::VerifiedUser;
use daybook_service::{Error, session, user};
use daybook_storage::Lane;
use maud::html;
use reqwest::Url;

use super::page::page;
use super::secret::LoginSecret;
use super::{cookie, entry, login, pending};
use crate::client_address::client_address;
use crate::error::{ApiError, RequestError};
use crate::identity::authenticate::again_on_collision;
use crate::identity::provider::outcome::Refusal as ProviderRefusal;
use crate::identity::provider::sign_in::{Callback, SignInRefusal};
use crate::parameters;
use crate::request::host;
use crate::run;
use crate::state::AppState;

/// Seconds after which a person is asked to try again.
const RETRY_AFTER_SECONDS: &str = "5";

/// Where providers send browsers back to.
fn redirect(request: &HttpRequest, state: &AppState) -> Result<Url, RequestError> {
    Url::parse(&format!("{}/auth/callback", state.base(host(request))))
        .map_err(|_| RequestError::InvalidFormat("the request names no host".to_owned()))
}

fn random() -> Result<LoginSecret, RequestError> {
    LoginSecret::random().map_err(|error| RequestError::Failed(error.to_string()))
}

/// GET /auth/provider?name=: sends a browser to a provider.
pub(crate) async fn begin(
    request: HttpRequest,
    state: web::Data<AppState>,
) -> Result<HttpResponse, ApiError> {
    let name = parameters::first(&request, "name").unwrap_or_default();
    let secrets = (random()?.as_str().to_owned(), random()?.as_str().to_owned());
    let to = redirect(&request, &state)?;
    let begun = match state.identity.providers() {
        Some(providers) => providers.begin_sign_in(&name, to, secrets).await,
        None => None,
    };
    match begun {
        Some(Ok((url, begun))) => {
            let mut answer = login::to(url.as_str());
            cookie::add(&mut answer, &pending::keep(&request, &state, begun)?)?;
            Ok(answer)
        }
        Some(Err(refusal)) => Ok(refused(refusal.into())),
        None => {
            let why = html! { p { "This server has no such identity provider." } };
            Ok(page(StatusCode::NOT_FOUND, "Nobody signs in this way", &why))
        }
    }
}

/// GET /auth/callback: signs in whoever comes back from a provider.
pub(crate) async fn finish(
    request: HttpRequest,
    state: web::Data<AppState>,
) -> Result<HttpResponse, ApiError> {
    let mut answer = match verified(&request, &state).await? {
        Ok(verified) => {
            let secret = random()?;
            match open(&state, verified, &secret).await {
                Ok(session) => entry::enter(&request, &state, &session, &secret)?,
                Err(error) => not_let_in(error)?,
            }
        }
        Err(refusal) => refused(refusal),
    };
    // Used once, whatever came of it.
    cookie::add(&mut answer, &pending::forget(&request, &state))?;
    Ok(answer)
}

/// Whom the provider has verified.
async fn verified(
    request: &HttpRequest,
    state: &AppState,
) -> Result<Result<VerifiedUser, SignInRefusal>, ApiError> {
    let given = |name| parameters::first(request, name);
    let begun = pending::find(request, state).zip(state.identity.providers());
    let Some((begun, providers)) = begun else { return Ok(Err(SignInRefusal::Foreign)) };
    let outcome = match (given("code"), given("error")) {
        (_, Some(error)) => Err(error),
        (Some(code), None) => Ok(code),
        (None, None) => return Ok(Err(SignInRefusal::Foreign)),
    };
    let state_parameter = given("state").unwrap_or_default();
    let callback = Callback { state: state_parameter, issuer: given("iss"), outcome };
    let (to, address) = (redirect(request, state)?, client_address(request, state));
    state.refused_tokens.check(address).map_err(RequestError::from)?;
    let verified = providers.finish_sign_in(callback, &begun, to, (state.clock)()).await;
    if verified.is_err() {
        // A browser that is sent here again and again would ask the provider each time.
        state.refused_tokens.record(address);
    }
    Ok(verified)
}

/// Begins the session of somebody who is known, or who is admitted at the first sight.
async fn open(
    state: &AppState,
    verified: VerifiedUser,
    secret: &LoginSecret,
) -> Result<Session, ApiError> {
    let (kept, now) = (secret.digest(), (state.clock)());
    let make = || {
        let (ids, admission) = (Arc::clone(&state.ids), Arc::clone(&state.admission));
        let verified = verified.clone();
        run::write(state, Lane::of_newcomer(&verified.email), move |tx| {
            let user = user::sign_in_verified(tx, &verified, &admission, &ids, now)?;
            session::open(tx, &user, kept, &ids, now)
        })
    };
    again_on_collision(make).await
}

/// What a person reads whom the provider has verified, and who is not let in.
fn not_let_in(error: ApiError) -> Result<HttpResponse, ApiError> {
    let is_stranger = matches!(
        &error,
        ApiError::Service(Error::Refused(Refusal::User(domain_user::Refusal::NotAdmitted(_))))
    );
    let why = match error.session_refusal() {
        Some(_) => "You are disabled here.",
        None if is_stranger => "This server does not admit your e-mail address.",
        None => return Err(error),
    };
    let why = html! { p { (why) " Ask the operator of this server." } };
    Ok(page(StatusCode::FORBIDDEN, "You are not signed in", &why))
}

/// What a person reads whom no provider has verified. Nothing that the provider says is repeated.
fn refused(refusal: SignInRefusal) -> HttpResponse {
    let (status, why) = match refusal {
        SignInRefusal::Foreign => (
            StatusCode::BAD_REQUEST,
            "Signing in begins and ends in the same browser, within 10 minutes, and once.",
        ),
        SignInRefusal::Denied => {
            (StatusCode::FORBIDDEN, "The identity provider did not let you through.")
        }
        SignInRefusal::Failed => {
            (StatusCode::BAD_GATEWAY, "The identity provider could not sign you in.")
        }
        SignInRefusal::Token(ProviderRefusal::Untrusted) => {
            (StatusCode::FORBIDDEN, "What the identity provider answered is not trusted.")
        }
        SignInRefusal::Token(ProviderRefusal::Scope | ProviderRefusal::Email) => (
            StatusCode::FORBIDDEN,
            "The identity provider tells no verified e-mail address of you.",
        ),
        SignInRefusal::Token(ProviderRefusal::Unavailable(cause)) => {
            tracing::warn!(%cause, "turned away");
            (StatusCode::SERVICE_UNAVAILABLE, "The identity provider does not answer.")
        }
    };
    let next = html! { p { (why) " Go back to where you came from, and sign in again." } };
    let mut answer = page(status, "You are not signed in", &next);
    if status == StatusCode::SERVICE_UNAVAILABLE {
        let wait = HeaderValue::from_static(RETRY_AFTER_SECONDS);
        answer.headers_mut().insert(RETRY_AFTER, wait);
    }
    answer
}
