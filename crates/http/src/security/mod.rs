//! The security log: a line for each sign of somebody who tries what they may not, and for each
//! change of who may do what (behaviour 11.24). It stands in the log with the target `security`,
//! inside the span of its request, which says the id, the method and the route.

pub(crate) mod addresses;

use actix_web::dev::ServiceResponse;
use actix_web::http::{Method, StatusCode, header};
use actix_web::{HttpMessage, HttpRequest, web};
use daybook_domain::id::{BookKey, UserId};
use daybook_domain::{Refusal, access};
use daybook_service::Error;

use crate::client_address::client_address;
use crate::error::ApiError;
use crate::state::AppState;
use addresses::SecurityLog;

/// Operations that change who may do what, when they succeed.
const CHANGES: [(&str, Method, &str); 15] = [
    ("addCollaborator", Method::POST, "/v5/books/{bookId}/collaborators"),
    ("removeCollaborator", Method::DELETE, "/v5/books/{bookId}/collaborators/{id}"),
    ("transferBook", Method::POST, "/v5/books/{bookId}/transfer"),
    ("acceptBookTransfer", Method::POST, "/v5/books/{bookId}/transfer/accept"),
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
enum AuthEvent {
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
    if let AuthEvent::Changed(what) = sign {
        let client = client_shown;
        tracing::info!(target: "security", what, user, client, book, "access changed");
        return;
    }
    // A line for each of a flood of them would fill the disk.
    if refusals.take(client).is_err() {
        return;
    }
    let (target_user, client) = (user, client_shown);
    match sign {
        AuthEvent::Stranger => tracing::warn!(
            target: "security",
            reason, user = target_user, client, status, "authentication failed"
        ),
        AuthEvent::Throttled => tracing::warn!(
            target: "security",
            reason, client, status, "authentication is throttled"
        ),
        AuthEvent::Refused | AuthEvent::Changed(_) => tracing::warn!(
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
) -> Option<AuthEvent> {
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
        return noted.or(listed.map(|(name, ..)| *name)).map(AuthEvent::Changed);
    }
    match status {
        StatusCode::UNAUTHORIZED if sends_token || signs_in => Some(AuthEvent::Stranger),
        StatusCode::FORBIDDEN if signs_in || error.is_some_and(ApiError::is_expired_session) => {
            Some(AuthEvent::Stranger)
        }
        StatusCode::FORBIDDEN => Some(AuthEvent::Refused),
        StatusCode::NOT_FOUND | StatusCode::BAD_REQUEST if signs_in => Some(AuthEvent::Stranger),
        StatusCode::NOT_FOUND if error.is_some_and(is_hidden_book) => Some(AuthEvent::Refused),
        StatusCode::TOO_MANY_REQUESTS if !is_known => Some(AuthEvent::Throttled),
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
