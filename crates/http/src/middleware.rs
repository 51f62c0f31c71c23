//! The middleware of every request: its id, its log line and the common response headers.

use std::rc::Rc;
use std::time::Instant;

use actix_web::body::MessageBody;
use actix_web::dev::{ServiceRequest, ServiceResponse};
use actix_web::http::header::{self, HeaderMap, HeaderName, HeaderValue};
use actix_web::middleware::Next;
use actix_web::{Error, HttpMessage, web};
use daybook_auth::rate::CountedRequest;
use daybook_auth::{security, session};
use daybook_edge::client_address::warn_of_untrusted_proxy;
use daybook_edge::request_head::has_body;
use tracing::Instrument;

use crate::event::EVENT_STREAM;
use crate::log_position;
use crate::route_metrics::{InFlight, RouteMetrics};
use crate::socket::{ConnectionState, RunningRequest};
use crate::state::AppState;
use crate::timed_body::TimedBody;

/// The header with the id of a request, in the request and the response.
const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");
/// The maximum length of a request id from a client.
const MAX_ID: usize = 128;

/// Assigns the request id, logs the request and adds headers to the response (behaviour 0.13).
///
/// The log line contains no personal data. The connection is notified of the start and the end of
/// the request, for its timeouts.
pub(crate) async fn observe(
    request: ServiceRequest,
    next: Next<impl MessageBody + 'static>,
) -> Result<ServiceResponse<impl MessageBody>, Error> {
    let running = request
        .conn_data::<Rc<ConnectionState>>()
        .map(|connection| connection.begin(has_body(request.headers())));
    let id = client_request_id(request.headers())
        .unwrap_or_else(|| uuid::Uuid::now_v7().simple().to_string());
    // Log the pattern of the route: paths contain names and e-mail addresses.
    let route = request.match_pattern().unwrap_or_else(|| "-".to_owned());
    let state = request.app_data::<web::Data<AppState>>();
    if let Some(state) = state {
        warn_of_untrusted_proxy(request.peer_addr(), request.headers(), &state.edge);
    }
    let allowed = state.map(|state| state.edge.headers.allowed.clone());
    let is_encrypted = state.is_some_and(|state| state.edge.site.is_encrypted());
    let credentials_origin = state.and_then(|state| {
        let origin = session::credentials_origin(
            request.path(),
            &state.edge.site.path_prefix,
            request.headers(),
            &state.auth.web_origins,
        )?;
        HeaderValue::from_str(origin).ok()
    });
    let span = tracing::info_span!("request", id = %id, method = %request.method(), route = %route);
    let is_write = !request.method().is_safe();
    let (started, in_flight) = (Instant::now(), InFlight::begin());
    let mut response = next.call(request).instrument(span.clone()).await?;
    // A stream ends when its client leaves, so the socket still looks for that.
    if !is_event_stream(response.headers()) {
        running.iter().for_each(RunningRequest::respond);
    }
    drop(in_flight);
    let metrics = response.request().app_data::<&RouteMetrics>();
    let metrics = metrics.copied().unwrap_or_else(RouteMetrics::other);
    metrics.count(response.status(), started.elapsed());
    let (status, milliseconds) = (response.status().as_u16(), started.elapsed().as_millis());
    span.in_scope(|| {
        security::log(&response);
        tracing::info!(status, milliseconds, "request completed");
    });
    let counted = response.request().extensions_mut().remove::<CountedRequest>();
    let state = response.request().app_data::<web::Data<AppState>>().cloned();
    let headers = response.headers_mut();
    if is_write && let Some(state) = state {
        log_position::add_header(&state, headers);
    }
    if let Some(CountedRequest(Some(charge))) = counted {
        charge.add_headers(headers);
    }
    if let Ok(value) = HeaderValue::from_str(&id) {
        headers.insert(REQUEST_ID, value);
    }
    add_cors_headers(headers, allowed, credentials_origin);
    add_security_headers(headers, is_encrypted);
    Ok(response.map_body(|_, body| TimedBody::new(body.boxed(), running)))
}

fn is_event_stream(headers: &HeaderMap) -> bool {
    headers.get(header::CONTENT_TYPE).is_some_and(|kind| kind == EVENT_STREAM)
}

fn client_request_id(headers: &HeaderMap) -> Option<String> {
    let text = headers.get(&REQUEST_ID)?.to_str().ok()?;
    let is_valid = !text.is_empty()
        && text.len() <= MAX_ID
        && text
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.'));
    is_valid.then(|| text.to_owned())
}

/// Adds the default security headers that the handler has not set (behaviour 0.31).
fn add_security_headers(headers: &mut HeaderMap, is_encrypted: bool) {
    let kind = headers.get(header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok());
    let is_page = kind.is_some_and(|kind| kind.starts_with("text/html"));
    let mut add_default = |name: HeaderName, value: &'static str| {
        if !headers.contains_key(&name) {
            headers.insert(name, HeaderValue::from_static(value));
        }
    };
    add_default(header::CACHE_CONTROL, "no-store");
    add_default(header::X_CONTENT_TYPE_OPTIONS, "nosniff");
    if is_encrypted {
        add_default(header::STRICT_TRANSPORT_SECURITY, "max-age=31536000");
    }
    if is_page {
        add_default(header::CONTENT_SECURITY_POLICY, "frame-ancestors 'none'");
    }
}

/// Adds the CORS headers: every origin may read every response, but without credentials.
///
/// `credentials_origin` may send credentials (behaviour 11.4).
fn add_cors_headers(
    headers: &mut HeaderMap,
    allowed: Option<HeaderValue>,
    credentials_origin: Option<HeaderValue>,
) {
    match credentials_origin {
        Some(origin) => {
            headers.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, origin);
            let yes = HeaderValue::from_static("true");
            headers.insert(header::ACCESS_CONTROL_ALLOW_CREDENTIALS, yes);
            headers.insert(header::VARY, HeaderValue::from_static("Origin"));
        }
        None => {
            headers.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, HeaderValue::from_static("*"));
        }
    }
    headers.insert(
        header::ACCESS_CONTROL_ALLOW_METHODS,
        HeaderValue::from_static("GET, POST, PUT, PATCH, DELETE, OPTIONS"),
    );
    headers.insert(
        header::ACCESS_CONTROL_EXPOSE_HEADERS,
        HeaderValue::from_static(
            "ETag, Retry-After, Idempotency-Replayed, Idempotency-Answer, Skipped-Items, \
                Known-Items, Answer-Shortened, X-Request-Id, Log-Position, \
                RateLimit-Limit, RateLimit-Remaining, RateLimit-Reset",
        ),
    );
    headers.insert(header::ACCESS_CONTROL_MAX_AGE, HeaderValue::from_static("86400"));
    if let Some(allowed) = allowed {
        headers.insert(header::ACCESS_CONTROL_ALLOW_HEADERS, allowed);
    }
}
