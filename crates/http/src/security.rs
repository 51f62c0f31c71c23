//! The security log: a line for each sign of somebody who tries what they may not, and for each
//! change of who may do what (behaviour 11.24). It stands in the log with the target `security`,
//! inside the span of its request, which says the id, the method and the route.

use std::net::IpAddr;
use std::num::NonZeroU32;

use actix_web::dev::ServiceResponse;
use actix_web::http::{Method, StatusCode, header};
use actix_web::{HttpMessage, HttpRequest, web};
use base64::Engine;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use daybook_domain::id::{BookKey, UserId};
use daybook_domain::{Refusal, access};
use daybook_service::Error;
use ring::hmac::{HMAC_SHA256, Key, sign};
use ring::rand::SystemRandom;

use crate::client_address::client_address;
use crate::error::ApiError;
use crate::rate::attempts::AttemptLimit;
use crate::state::AppState;

/// Lines about refusals that the address of a client causes in a minute, at most.
const MAX_REFUSALS_PER_MINUTE: NonZeroU32 = NonZeroU32::MIN.saturating_add(29);
/// Digits of the hash of an address.
const HASH_DIGITS: usize = 16;

/// Operations that change who may do what, when they succeed.
const CHANGES: [(&str, Method, &str); 14] = [
    ("addCollaborator", Method::POST, "/v5/books/{bookId}/collaborators"),
    ("removeCollaborator", Method::DELETE, "/v5/books/{bookId}/collaborators/{id}"),
    ("transferBook", Method::POST, "/v5/books/{bookId}/transfer"),
    ("deleteBook", Method::DELETE, "/v5/books/{bookId}"),
    ("restoreBook", Method::POST, "/v5/books/{bookId}/restore"),
    ("createIntegration", Method::POST, "/v5/books/{bookId}/integrations"),
    ("deleteIntegration", Method::DELETE, "/v5/books/{bookId}/integrations/{id}"),
    ("createToken", Method::POST, "/v5/user/tokens"),
    ("revokeToken", Method::DELETE, "/v5/user/tokens/{id}"),
    ("createApiKey", Method::POST, "/v5/user/keys"),
    ("revokeApiKey", Method::DELETE, "/v5/user/keys/{id}"),
    ("createApp", Method::POST, "/v5/apps"),
    ("updateApp", Method::PUT, "/v5/apps"),
    ("patchApp", Method::PATCH, "/v5/apps"),
];

/// How the log shows the addresses of clients.
#[derive(Debug)]
pub enum LoggedAddresses {
    /// As they are.
    Plain,
    /// Hashed with a key that ends with the process: lines of one client stay together, and nobody
    /// finds out later who it was.
    Hashed(Key),
    /// Not at all.
    Hidden,
}

impl LoggedAddresses {
    /// Hashed, with a new key.
    ///
    /// # Errors
    /// When the system gives no random bytes.
    pub fn hashed() -> Result<Self, ring::error::Unspecified> {
        Key::generate(HMAC_SHA256, &SystemRandom::new()).map(Self::Hashed)
    }

    fn show(&self, client: IpAddr) -> Option<String> {
        match self {
            Self::Plain => Some(client.to_canonical().to_string()),
            Self::Hashed(key) => {
                let tag = sign(key, client.to_canonical().to_string().as_bytes());
                Some(BASE64_URL_SAFE_NO_PAD.encode(tag).chars().take(HASH_DIGITS).collect())
            }
            Self::Hidden => None,
        }
    }
}

/// The security log of a process.
pub struct SecurityLog {
    addresses: LoggedAddresses,
    refusals: AttemptLimit,
}

impl SecurityLog {
    /// One that shows addresses so.
    #[must_use]
    pub fn new(addresses: LoggedAddresses) -> Self {
        Self { addresses, refusals: AttemptLimit::per_minute(MAX_REFUSALS_PER_MINUTE) }
    }
}

/// Who has sent a request, left with it.
struct Caller(UserId);

/// What a request is about that its route does not tell, left with it.
struct Noted(&'static str);

/// Leaves with a request who has sent it.
pub(crate) fn note_caller(request: &HttpRequest, user: UserId) {
    request.extensions_mut().insert(Caller(user));
}

/// Leaves with a request what it changes when it succeeds.
pub(crate) fn note_change(request: &HttpRequest, what: &'static str) {
    request.extensions_mut().insert(Noted(what));
}

/// What an answer tells of doors.
enum Sign {
    /// Somebody is not who they say.
    Stranger,
    /// Somebody may not do this.
    Refused,
    /// So many strangers come from there that they are not looked at any more.
    Throttled,
    /// Who may do what has changed.
    Changed(&'static str),
}

/// Writes the line of a request that was answered, if it is worth one.
pub(crate) fn log<B>(response: &ServiceResponse<B>) {
    let request = response.request();
    let Some(state) = request.app_data::<web::Data<AppState>>() else { return };
    let error = response.response().error().and_then(|error| error.as_error::<ApiError>());
    let (caller, noted) = {
        let left = request.extensions();
        (left.get::<Caller>().map(|caller| caller.0), left.get::<Noted>().map(|noted| noted.0))
    };
    let route = request.match_pattern().unwrap_or_default();
    let route = route.strip_prefix(&state.path_prefix).unwrap_or(&route);
    let status = response.status();
    let known = (request.method(), route, caller.is_some());
    let sends_token = request.headers().contains_key(header::AUTHORIZATION);
    let Some(sign) = sign_of(status, (error, sends_token), known, noted) else { return };
    let SecurityLog { addresses, refusals } = &state.security;
    let client = client_address(request, state);
    let shown = addresses.show(client);
    let (client_shown, user) = (shown.as_deref(), caller.map(|user| user.to_string()));
    let (user, status) = (user.as_deref(), status.as_u16());
    let book = request.match_info().get("bookId").map(|text| BookKey::new(text.to_owned()));
    let book = book.filter(BookKey::is_well_formed).map(|key| key.to_string());
    let (book, reason) = (book.as_deref(), error.map(ApiError::reason));
    if let Sign::Changed(what) = sign {
        tracing::info!(target: "security", what, user, client = client_shown, book, "access changed");
        return;
    }
    // A line for each of a flood of them would fill the disk.
    if refusals.take(client).is_err() {
        return;
    }
    let (target_user, client) = (user, client_shown);
    match sign {
        Sign::Stranger => tracing::warn!(
            target: "security",
            reason, user = target_user, client, status, "authentication failed"
        ),
        Sign::Throttled => tracing::warn!(
            target: "security",
            reason, client, status, "authentication is throttled"
        ),
        Sign::Refused | Sign::Changed(_) => tracing::warn!(
            target: "security",
            reason, user = target_user, client, book, status, "permission refused"
        ),
    }
}

fn sign_of(
    status: StatusCode,
    (error, sends_token): (Option<&ApiError>, bool),
    (method, route, is_known): (&Method, &str, bool),
    noted: Option<&'static str>,
) -> Option<Sign> {
    // What signs in stands in the form or the query of these.
    let signs_in = [
        (Method::POST, "/auth/link"),
        (Method::GET, "/auth/callback"),
        (Method::POST, "/auth/device"),
        (Method::POST, "/auth/token"),
        (Method::POST, "/auth/revoke"),
        (Method::POST, "/auth/introspect"),
    ];
    let signs_in = signs_in.iter().any(|(its, path)| its == method && *path == route);
    if status.is_success() || status.is_redirection() {
        let listed = CHANGES.iter().find(|(_, its, path)| its == method && *path == route);
        return noted.or(listed.map(|(name, ..)| *name)).map(Sign::Changed);
    }
    match status {
        StatusCode::UNAUTHORIZED if sends_token || signs_in => Some(Sign::Stranger),
        StatusCode::FORBIDDEN if signs_in => Some(Sign::Stranger),
        StatusCode::FORBIDDEN => Some(Sign::Refused),
        StatusCode::NOT_FOUND | StatusCode::BAD_REQUEST if signs_in => Some(Sign::Stranger),
        StatusCode::NOT_FOUND if error.is_some_and(is_hidden_book) => Some(Sign::Refused),
        StatusCode::TOO_MANY_REQUESTS if !is_known => Some(Sign::Throttled),
        _ => None,
    }
}

/// Whether it says that there is no such book, or none for the caller.
const fn is_hidden_book(error: &ApiError) -> bool {
    matches!(
        error,
        ApiError::Service(Error::Refused(Refusal::Access(access::Refusal::BookNotFound)))
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_shown_as_configured() {
        let client: IpAddr = "::ffff:192.0.2.1".parse().unwrap();
        let other: IpAddr = "192.0.2.2".parse().unwrap();
        assert_eq!(LoggedAddresses::Plain.show(client).as_deref(), Some("192.0.2.1"));
        assert_eq!(LoggedAddresses::Hidden.show(client), None);
        let [one, two] = [LoggedAddresses::hashed().unwrap(), LoggedAddresses::hashed().unwrap()];
        let hash = one.show(client).unwrap();
        assert_eq!((hash.len(), one.show(client)), (HASH_DIGITS, Some(hash.clone())));
        assert_ne!(one.show(other), Some(hash.clone()));
        assert_ne!(two.show(client), Some(hash), "each process has its own key");
    }
}
