//! The security log: refused authentications and permissions, and changes of access (behaviour
//! 11.24).
//!
//! A handler notes the caller and a change in the extensions of its request. The middleware calls
//! [`log`] with each response, which derives an event from the route and the status. The log line
//! has the target `security` and is inside the span of the request, which has the id, the method
//! and the route. Lines about refusals are rate limited by client address.

pub(crate) mod addresses;

use actix_web::dev::ServiceResponse;
use actix_web::http::{Method, StatusCode, header};
use actix_web::{HttpMessage, HttpRequest, web};
use daybook_domain::id::{BookKey, UserId};
use daybook_domain::{Refusal, access};
use daybook_edge::client_address::client_address;
use daybook_edge::error::ApiError;
use daybook_service::Error;

use crate::state::Auth;

pub use addresses::{LoggedAddresses, SecurityLog};

/// Operations that change access when they succeed.
const CHANGES: [(&str, Method, &str); 20] = [
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
    ("endSession", Method::DELETE, "/v5/user/sessions/{id}"),
    ("withdrawConsent", Method::DELETE, "/v5/user/consents/{id}"),
    ("createApp", Method::POST, "/v5/apps"),
    ("updateApp", Method::PUT, "/v5/apps"),
    ("patchApp", Method::PATCH, "/v5/apps"),
    ("disableUser", Method::POST, "/v5/administration/users/{id}/disable"),
    ("enableUser", Method::POST, "/v5/administration/users/{id}/enable"),
    ("createInvitation", Method::POST, "/v5/administration/invitations"),
];

/// The path of the users whom administrators disable and enable.
const ADMINISTERED_USERS: &str = "/v5/administration/users/";

/// The user of a request, an extension of the request.
struct Caller(UserId);

/// The change that a request makes when it succeeds, an extension of the request.
struct NotedChange(&'static str);

/// Notes the user of a request for the security log.
pub(crate) fn note_caller(request: &HttpRequest, user: UserId) {
    request.extensions_mut().insert(Caller(user));
}

/// Notes what a request changes when it succeeds.
pub fn note_change(request: &HttpRequest, what: &'static str) {
    request.extensions_mut().insert(NotedChange(what));
}

/// An event of the security log.
enum AuthEvent {
    /// A token, secret or link was not valid.
    AuthenticationFailed,
    /// The caller lacks the permission.
    PermissionRefused,
    /// The client address sent too many invalid tokens.
    Throttled,
    /// The access of a user, app or token changed.
    Changed(&'static str),
}

/// Writes the log line of a response, if it is a security event.
pub fn log<B>(response: &ServiceResponse<B>) {
    let request = response.request();
    let Some(state) = request.app_data::<web::Data<Auth>>() else { return };
    let error = response.response().error().and_then(|error| error.as_error::<ApiError>());
    let (caller, change) = {
        let extensions = request.extensions();
        let caller = extensions.get::<Caller>().map(|caller| caller.0);
        (caller, extensions.get::<NotedChange>().map(|change| change.0))
    };
    let route = request.match_pattern().unwrap_or_default();
    let route = route.strip_prefix(&state.edge.site.path_prefix).unwrap_or(&route);
    let status = response.status();
    let outcome = Outcome {
        method: request.method(),
        route,
        status,
        error,
        change,
        has_token: request.headers().contains_key(header::AUTHORIZATION),
        has_caller: caller.is_some(),
    };
    let Some(event) = outcome.event() else { return };
    let SecurityLog { addresses, refusals } = &state.security;
    let client_address = client_address(request, &state.edge);
    let client = addresses.format(client_address);
    let client = client.as_deref();
    let user = caller.map(|user| user.to_string());
    let user = user.as_deref();
    let book = request.match_info().get("bookId").map(|text| BookKey::new(text.to_owned()));
    let book = book.filter(BookKey::is_well_formed).map(|key| key.to_string());
    let book = book.as_deref();
    let reason = error.map(ApiError::reason);
    let status = status.as_u16();
    if let AuthEvent::Changed(what) = event {
        let subject = administered_user(request, route);
        let subject = subject.as_deref();
        tracing::info!(target: "security", what, user, client, book, subject, "access changed");
        return;
    }
    // A flood of refusals must not fill the disk.
    if refusals.take(client_address).is_err() {
        return;
    }
    match event {
        AuthEvent::AuthenticationFailed => tracing::warn!(
            target: "security",
            reason, user, client, status, "authentication failed"
        ),
        AuthEvent::Throttled => tracing::warn!(
            target: "security",
            reason, client, status, "authentication is throttled"
        ),
        AuthEvent::PermissionRefused | AuthEvent::Changed(_) => tracing::warn!(
            target: "security",
            reason, user, client, book, status, "permission refused"
        ),
    }
}

/// Returns the id of the user whom an administrator disables or enables.
fn administered_user(request: &HttpRequest, route: &str) -> Option<String> {
    let id = request.match_info().get("id").filter(|_| route.starts_with(ADMINISTERED_USERS));
    id?.parse().ok().map(|id: UserId| id.to_string())
}

/// The parts of a response that decide about its event.
struct Outcome<'r> {
    method: &'r Method,
    route: &'r str,
    status: StatusCode,
    error: Option<&'r ApiError>,
    change: Option<&'static str>,
    has_token: bool,
    has_caller: bool,
}

impl Outcome<'_> {
    fn event(&self) -> Option<AuthEvent> {
        let &Outcome { method, route, status, error, change, has_token, has_caller } = self;
        if status.is_success() || status.is_redirection() {
            let listed = CHANGES.iter().find(|(_, its, path)| its == method && *path == route);
            return change.or(listed.map(|(name, ..)| *name)).map(AuthEvent::Changed);
        }
        let signs_in = is_sign_in_route(method, route);
        match status {
            StatusCode::UNAUTHORIZED if has_token || signs_in => {
                Some(AuthEvent::AuthenticationFailed)
            }
            StatusCode::FORBIDDEN
                if signs_in || error.is_some_and(ApiError::is_expired_session) =>
            {
                Some(AuthEvent::AuthenticationFailed)
            }
            StatusCode::FORBIDDEN => Some(AuthEvent::PermissionRefused),
            StatusCode::NOT_FOUND | StatusCode::BAD_REQUEST if signs_in => {
                Some(AuthEvent::AuthenticationFailed)
            }
            StatusCode::NOT_FOUND if error.is_some_and(is_hidden_book) => {
                Some(AuthEvent::PermissionRefused)
            }
            StatusCode::TOO_MANY_REQUESTS if !has_caller => Some(AuthEvent::Throttled),
            _ => None,
        }
    }
}

/// Whether an operation authenticates by its form or query instead of a header.
fn is_sign_in_route(method: &Method, route: &str) -> bool {
    let routes = [
        (Method::POST, "/auth/link"),
        (Method::GET, "/auth/callback"),
        (Method::POST, "/auth/device"),
        (Method::POST, "/auth/token"),
        (Method::POST, "/auth/revoke"),
        (Method::POST, "/auth/introspect"),
    ];
    routes.iter().any(|(its, path)| its == method && *path == route)
}

/// Whether the book does not exist, or the caller may not know of it.
const fn is_hidden_book(error: &ApiError) -> bool {
    matches!(
        error,
        ApiError::Service(Error::Refused(Refusal::Access(access::Refusal::BookNotFound)))
    )
}
