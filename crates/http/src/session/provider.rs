//! Signing in through an identity provider that the operator has configured for it (behaviour
//! 11.20): the browser is sent there, and comes back with a code. A cookie binds the two: whoever
//! gets an answer of the provider into another browser signs nobody in.

use std::sync::Arc;

use actix_web::http::StatusCode;
use actix_web::http::header::{HeaderValue, RETRY_AFTER};
use actix_web::{HttpRequest, HttpResponse, web};
use daybook_domain::instant::Instant;
use daybook_domain::session::Session;
use daybook_domain::{Refusal, user as domain_user};
use daybook_service::user::VerifiedUser;
use daybook_service::{Error, session, user};
use maud::html;
use reqwest::Url;

use super::page::page;
use super::return_to::ReturnTo;
use super::secret::LoginSecret;
use super::{complete_sign_in, cookie, login, sign_in_cookie};
use crate::client_address::client_address;
use crate::error::{ApiError, RequestError};
use crate::identity::authenticate::{again_on_collision, lane_of};
use crate::identity::provider::freshness::Freshness;
use crate::identity::provider::outcome::Refusal as ProviderRefusal;
use crate::identity::provider::sign_in::{Callback, PendingSignIn, SignInRefusal};
use crate::parameters;
use crate::request_head::host;
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

/// GET /auth/provider?name=&to=&prompt=&max_age=: sends a browser to a provider, as a link of the
/// sign-in page says.
pub(crate) async fn begin(
    request: HttpRequest,
    state: web::Data<AppState>,
) -> Result<HttpResponse, ApiError> {
    let given = |name| parameters::first(&request, name);
    let name = given("name").unwrap_or_default();
    let back = given("to").and_then(|to| ReturnTo::read(&to, &state));
    let wish = Freshness::read(given("prompt").as_deref(), given("max_age").as_deref());
    let Some(freshness) = wish else {
        let why = html! { p { "max_age is no number of seconds." } };
        return Ok(page(StatusCode::BAD_REQUEST, "Nobody signs in this way", &why));
    };
    let wish = (&freshness, (state.clock)());
    let secrets = (random()?.as_str().to_owned(), random()?.as_str().to_owned());
    let to = redirect(&request, &state)?;
    let begun = match state.identity.providers() {
        Some(providers) => providers.begin_sign_in(&name, to, secrets, wish).await,
        None => None,
    };
    match begun {
        Some(Ok((url, begun))) => {
            let mut answer = login::to(url.as_str());
            for kept in sign_in_cookie::keep(&request, &state, begun, back.as_ref())? {
                cookie::add(&mut answer, &kept)?;
            }
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
    let state_parameter = parameters::first(&request, "state").unwrap_or_default();
    let begun = sign_in_cookie::find(&request, &state, &state_parameter);
    let mut answer =
        match verified(&request, &state, begun.as_ref().map(|(begun, _)| begun)).await? {
            Ok(verified) => {
                let (secret, back) = (random()?, begun.and_then(|(_, back)| back));
                match open(&state, verified, &secret).await {
                    Ok(session) => {
                        complete_sign_in::enter(&request, &state, &session, &secret, back.as_ref())?
                    }
                    Err(error) => not_let_in(error)?,
                }
            }
            Err(refusal) => refused(refusal),
        };
    // Used once, whatever came of it.
    if let Some(forgotten) = sign_in_cookie::forget(&request, &state, &state_parameter) {
        cookie::add(&mut answer, &forgotten)?;
    }
    Ok(answer)
}

/// Whom the provider has verified, and when they have signed in there.
async fn verified(
    request: &HttpRequest,
    state: &AppState,
    begun: Option<&PendingSignIn>,
) -> Result<Result<(VerifiedUser, Instant), SignInRefusal>, ApiError> {
    let given = |name| parameters::first(request, name);
    let all = parameters::pairs(request);
    let plain = parameters::repeated(&all).is_none();
    let begun = begun.zip(state.identity.providers()).filter(|_| plain);
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
    let verified = providers.finish_sign_in(callback, begun, to, (state.clock)()).await;
    if verified.is_err() {
        // A browser that is sent here again and again would ask the provider each time.
        state.refused_tokens.record(address);
    }
    Ok(verified)
}

/// Begins the session of somebody who is known, or who is admitted at the first sight.
async fn open(
    state: &AppState,
    (verified, signed_in_at): (VerifiedUser, Instant),
    secret: &LoginSecret,
) -> Result<Session, ApiError> {
    let (kept, now) = (secret.digest(), (state.clock)());
    let lane = lane_of(state, &verified.email).await?;
    let make = || {
        let (ids, admission) = (Arc::clone(&state.ids), Arc::clone(&state.admission));
        let verified = verified.clone();
        run::write(state, lane, move |tx| {
            let user = user::sign_in_verified(tx, &verified, &admission, &ids, now)?;
            session::open(tx, &user, kept, signed_in_at, (&ids, now))
        })
    };
    again_on_collision(make).await
}

/// What a person reads whom the provider has verified, and who is not let in.
fn not_let_in(error: ApiError) -> Result<HttpResponse, ApiError> {
    let is_stranger = matches!(
        &error,
        ApiError::Service(Error::Refused(Refusal::User(
            domain_user::Refusal::NotAdmitted(_) | domain_user::Refusal::TooManyNewcomers(_)
        )))
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
        SignInRefusal::Stale => (
            StatusCode::FORBIDDEN,
            "The app wants you to sign in anew, and the identity provider does not say that \
                you have.",
        ),
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

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicI64, Ordering};

    use actix_web::test::TestRequest;
    use daybook_storage::{Address, Options, Store};

    use super::*;
    use crate::identity::Identity;
    use crate::identity::own_token::LocalKey;
    use crate::identity::provider::Providers;

    /// The clock of the server, in milliseconds, which the test moves.
    static NOW: AtomicI64 = AtomicI64::new(1_000_000);

    fn now() -> Instant {
        Instant::new(NOW.load(Ordering::Relaxed))
    }

    /// A server that people sign in to through a provider that does not answer.
    fn state(folder: &std::path::Path) -> AppState {
        let address = Address::parse(&format!("sqlite:{}", folder.join("books").display()));
        let store = Store::open(&Options::new(address.unwrap())).unwrap();
        let providers = Providers::read(
            r#"{"items": [{"kind": "oidc", "issuer": "http://127.0.0.1:1", "clients": ["a"],
                "signIn": {"name": "Example", "clientId": "a"}}]}"#,
        );
        let identity = Identity::new(LocalKey::new(&[1; 32]), Some(providers.unwrap()));
        AppState { clock: now, ..AppState::bare(store, identity) }
    }

    #[test]
    fn a_sign_in_ends_after_ten_minutes() {
        let folder = std::env::temp_dir().join(format!("daybook-http-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let state = web::Data::new(state(&folder));
        let begun = serde_json::from_value(serde_json::json!({
            "provider": "Example", "state": "s", "nonce": "n", "verifier": "v",
        }));
        let request = TestRequest::default().to_http_request();
        let cookies = sign_in_cookie::keep(&request, &state, begun.unwrap(), None).unwrap();
        let cookie = cookies.first().unwrap().clone();
        let system = actix_web::rt::System::new();
        // The provider is asked, until the sign-in is over.
        for (milliseconds, expected) in [(0, 503), (599_999, 503), (1, 400), (0, 400)] {
            NOW.fetch_add(milliseconds, Ordering::Relaxed);
            let request = TestRequest::with_uri("/auth/callback?code=c&state=s");
            let request = request.cookie(cookie.clone()).insert_header(("host", "localhost"));
            let request = request.to_http_request();
            let answer = system.block_on(finish(request, state.clone())).unwrap();
            assert_eq!(answer.status(), expected, "{milliseconds}");
            let forgotten = answer.cookies().next().unwrap();
            assert_eq!((forgotten.name(), forgotten.value()), (cookie.name(), ""));
        }
        drop(state);
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
