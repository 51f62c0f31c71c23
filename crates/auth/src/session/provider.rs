//! Sign-in through an identity provider that the operator configured (behaviour 11.20).
//!
//! The browser is redirected to the provider and returns with a code. A cookie binds the response
//! to the browser that started the sign-in, so the response is useless in another browser.

use std::sync::Arc;

use actix_web::http::StatusCode;
use actix_web::http::header::{HeaderValue, RETRY_AFTER};
use actix_web::{HttpRequest, HttpResponse, web};
use daybook_domain::session::Session;
use daybook_domain::{Refusal, user as domain_user};
use daybook_edge::client_address::client_address;
use daybook_edge::error::{ApiError, RequestError};
use daybook_edge::request_head::host;
use daybook_edge::{parameters, run};
use daybook_service::{Error, session, user};
use maud::html;
use reqwest::Url;

use super::complete_sign_in::complete_sign_in;
use super::page::page;
use super::return_to::ReturnTo;
use super::secret::LoginSecret;
use super::{cookie, login, sign_in_cookie};
use crate::identity::authenticate::{retry_on_collision, shard_key_of};
use crate::identity::provider::freshness::Freshness;
use crate::identity::provider::outcome::Refusal as ProviderRefusal;
use crate::identity::provider::sign_in::{
    Callback, PendingSignIn, ProviderSignIn, SignInRefusal, SignInSecrets,
};
use crate::state::Auth;

/// `Retry-After` when the provider is unavailable.
const RETRY_AFTER_SECONDS: &str = "5";

/// Returns the redirect URI of this server at providers.
fn redirect_uri(request: &HttpRequest, state: &Auth) -> Result<Url, RequestError> {
    Url::parse(&format!("{}/auth/callback", state.edge.site.base(host(request))))
        .map_err(|_| RequestError::InvalidFormat("the Host header is not valid".to_owned()))
}

fn random_secret() -> Result<LoginSecret, RequestError> {
    LoginSecret::random().map_err(|error| RequestError::Failed(error.to_string()))
}

/// GET /auth/provider?name=&to=&prompt=&max_age=: redirects the browser to a provider.
///
/// The sign-in page links here.
pub async fn begin_provider_sign_in(
    request: HttpRequest,
    state: web::Data<Auth>,
) -> Result<HttpResponse, ApiError> {
    let parameter = |name| parameters::first(&request, name);
    let name = parameter("name").unwrap_or_default();
    let return_to = parameter("to").and_then(|to| ReturnTo::read(&to, &state));
    let freshness =
        Freshness::read(parameter("prompt").as_deref(), parameter("max_age").as_deref());
    let Some(freshness) = freshness else {
        let why = html! { p { "max_age must be a number of seconds." } };
        return Ok(page(StatusCode::BAD_REQUEST, "Invalid sign-in request", &why));
    };
    let secrets = SignInSecrets {
        state: random_secret()?.as_str().to_owned(),
        nonce: random_secret()?.as_str().to_owned(),
    };
    let redirect = redirect_uri(&request, &state)?;
    let now = (state.edge.clock)();
    let started = match state.identity.providers() {
        Some(providers) => providers.begin_sign_in(&name, redirect, secrets, &freshness, now).await,
        None => None,
    };
    match started {
        Some(Ok((url, pending))) => {
            let mut response = login::redirect_to(url.as_str());
            for cookie in sign_in_cookie::store(&request, &state, pending, return_to.as_ref())? {
                cookie::add(&mut response, &cookie)?;
            }
            Ok(response)
        }
        Some(Err(refusal)) => Ok(refusal_page(refusal.into())),
        None => {
            let why = html! { p { "This server has no identity provider with this name." } };
            Ok(page(StatusCode::NOT_FOUND, "Unknown identity provider", &why))
        }
    }
}

/// GET /auth/callback: completes the sign-in when the provider redirects the browser back.
pub async fn finish_provider_sign_in(
    request: HttpRequest,
    state: web::Data<Auth>,
) -> Result<HttpResponse, ApiError> {
    let state_parameter = parameters::first(&request, "state").unwrap_or_default();
    let stored = sign_in_cookie::find(&request, &state, &state_parameter);
    let pending = stored.as_ref().map(|(pending, _)| pending);
    let mut response = match verify_callback(&request, &state, pending).await? {
        Ok(sign_in) => {
            let return_to = stored.and_then(|(_, return_to)| return_to);
            let secret = random_secret()?;
            match create_session(&state, sign_in, &secret).await {
                Ok(session) => {
                    complete_sign_in(&request, &state, &session, &secret, return_to.as_ref())?
                }
                Err(error) => not_admitted_page(error)?,
            }
        }
        Err(refusal) => refusal_page(refusal),
    };
    // The cookie is valid for one attempt, successful or not.
    if let Some(removed) = sign_in_cookie::remove(&request, &state, &state_parameter) {
        cookie::add(&mut response, &removed)?;
    }
    Ok(response)
}

/// Verifies the response of the provider, and returns who signed in there and when.
async fn verify_callback(
    request: &HttpRequest,
    state: &Auth,
    pending: Option<&PendingSignIn>,
) -> Result<Result<ProviderSignIn, SignInRefusal>, ApiError> {
    let parameter = |name| parameters::first(request, name);
    if parameters::repeated(&parameters::pairs(request)).is_some() {
        return Ok(Err(SignInRefusal::Foreign));
    }
    let (Some(pending), Some(providers)) = (pending, state.identity.providers()) else {
        return Ok(Err(SignInRefusal::Foreign));
    };
    let outcome = match (parameter("code"), parameter("error")) {
        (_, Some(error)) => Err(error),
        (Some(code), None) => Ok(code),
        (None, None) => return Ok(Err(SignInRefusal::Foreign)),
    };
    let state_parameter = parameter("state").unwrap_or_default();
    let callback = Callback { state: state_parameter, issuer: parameter("iss"), outcome };
    let (redirect, address) = (redirect_uri(request, state)?, client_address(request, &state.edge));
    state.refused_tokens.check(address).map_err(RequestError::from)?;
    let verified =
        providers.finish_sign_in(callback, pending, redirect, (state.edge.clock)()).await;
    if verified.is_err() {
        // Limits the requests to the provider that a browser in a redirect loop causes.
        state.refused_tokens.record(address);
    }
    Ok(verified)
}

/// Creates a session for a verified user, and the user if they are admitted.
async fn create_session(
    state: &Auth,
    sign_in: ProviderSignIn,
    secret: &LoginSecret,
) -> Result<Session, ApiError> {
    let ProviderSignIn { user: verified, signed_in_at } = sign_in;
    let (digest, now) = (secret.digest(), (state.edge.clock)());
    let shard_key = shard_key_of(state, &verified.email).await?;
    let create = || {
        let (ids, admission) = (Arc::clone(&state.edge.ids), Arc::clone(&state.admission));
        let verified = verified.clone();
        run::write(&state.edge, shard_key, move |tx| {
            let user = user::sign_in_verified(tx, &verified, &admission, &ids, now)?;
            session::begin_verified(tx, &user, digest, signed_in_at, &ids, now)
        })
    };
    retry_on_collision(create).await
}

/// Renders the page for a verified user who is disabled or not admitted.
fn not_admitted_page(error: ApiError) -> Result<HttpResponse, ApiError> {
    let is_not_admitted = matches!(
        &error,
        ApiError::Service(Error::Refused(Refusal::User(
            domain_user::Refusal::NotAdmitted(_) | domain_user::Refusal::TooManyNewcomers(_)
        )))
    );
    let why = match error.session_refusal() {
        Some(_) => "Your account is disabled.",
        None if is_not_admitted => "Your e-mail address is not allowed on this server.",
        None => return Err(error),
    };
    let why = html! { p { (why) " Please ask the operator of this server." } };
    Ok(page(StatusCode::FORBIDDEN, "You are not signed in", &why))
}

/// Renders the page for a failed sign-in. It does not repeat any text of the provider.
fn refusal_page(refusal: SignInRefusal) -> HttpResponse {
    let (status, why) = match refusal {
        SignInRefusal::Foreign => (
            StatusCode::BAD_REQUEST,
            "This sign-in has expired, was already used, or was started in another browser.",
        ),
        SignInRefusal::Denied => {
            (StatusCode::FORBIDDEN, "The identity provider denied the sign-in.")
        }
        SignInRefusal::Stale => (
            StatusCode::FORBIDDEN,
            "The app requires a recent sign-in, but the identity provider did not confirm one.",
        ),
        SignInRefusal::Failed => {
            (StatusCode::BAD_GATEWAY, "The identity provider could not sign you in.")
        }
        SignInRefusal::Token(ProviderRefusal::Untrusted) => {
            (StatusCode::FORBIDDEN, "The response of the identity provider is not valid.")
        }
        SignInRefusal::Token(ProviderRefusal::Scope | ProviderRefusal::Email) => (
            StatusCode::FORBIDDEN,
            "The identity provider did not send your verified e-mail address.",
        ),
        SignInRefusal::Token(ProviderRefusal::Unavailable(cause)) => {
            tracing::warn!(%cause, "identity provider unavailable");
            (StatusCode::SERVICE_UNAVAILABLE, "The identity provider is not available.")
        }
    };
    let content = html! { p { (why) " Please go back and sign in again." } };
    let mut response = page(status, "You are not signed in", &content);
    if status == StatusCode::SERVICE_UNAVAILABLE {
        let wait = HeaderValue::from_static(RETRY_AFTER_SECONDS);
        response.headers_mut().insert(RETRY_AFTER, wait);
    }
    response
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicI64, Ordering};
    use std::time::Duration;

    use actix_web::test::TestRequest;
    use daybook_domain::instant::Instant;
    use daybook_edge::budget::Budget;
    use daybook_edge::reader_shares::ReaderShares;
    use daybook_edge::{Edge, Headers, Site, Wakeup};
    use daybook_service::Ids;
    use daybook_storage::{Address, Options, Store};

    use super::*;
    use crate::identity::Identity;
    use crate::identity::own_token::LocalKey;
    use crate::identity::provider::Providers;

    /// The time of the server's clock in milliseconds.
    static NOW: AtomicI64 = AtomicI64::new(1_000_000);

    fn now() -> Instant {
        Instant::new(NOW.load(Ordering::Relaxed))
    }

    /// A server with a provider that does not respond.
    fn state(folder: &std::path::Path) -> Auth {
        let address = Address::parse(&format!("sqlite:{}", folder.join("books").display()));
        let store = Store::open(&Options::new(address.unwrap())).unwrap();
        let providers = Providers::read(
            r#"{"items": [{"kind": "oidc", "issuer": "http://127.0.0.1:1", "clients": ["a"],
                "signIn": {"name": "Example", "clientId": "a"}}]}"#,
        );
        let edge = Edge {
            store: Arc::new(store),
            ids: Arc::new(Ids::new(1)),
            clock: now,
            read_deadline: Duration::from_secs(10),
            reader_shares: ReaderShares::new(8),
            budget: Budget::of_megabytes(64),
            site: Site::default(),
            headers: Headers::with_prefixes(&[]).unwrap(),
            mails: Wakeup::default(),
        };
        let identity = Identity::new(LocalKey::new(&[1; 32]), Some(providers.unwrap()));
        Auth::bare(edge, identity)
    }

    #[test]
    fn pending_sign_in_expires_after_ten_minutes() {
        let folder = std::env::temp_dir().join(format!("daybook-auth-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let state = web::Data::new(state(&folder));
        let pending = serde_json::from_value(serde_json::json!({
            "provider": "Example", "state": "s", "nonce": "n", "verifier": "v",
        }));
        let request = TestRequest::default().to_http_request();
        let cookies = sign_in_cookie::store(&request, &state, pending.unwrap(), None).unwrap();
        let cookie = cookies.first().unwrap().clone();
        let system = actix_web::rt::System::new();
        // 503 means that the provider was asked, 400 that the sign-in has expired.
        for (milliseconds, expected) in [(0, 503), (599_999, 503), (1, 400), (0, 400)] {
            NOW.fetch_add(milliseconds, Ordering::Relaxed);
            let request = TestRequest::with_uri("/auth/callback?code=c&state=s");
            let request = request.cookie(cookie.clone()).insert_header(("host", "localhost"));
            let request = request.to_http_request();
            let response =
                system.block_on(finish_provider_sign_in(request, state.clone())).unwrap();
            assert_eq!(response.status(), expected, "{milliseconds}");
            let removed = response.cookies().next().unwrap();
            assert_eq!((removed.name(), removed.value()), (cookie.name(), ""));
        }
        drop(state);
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
