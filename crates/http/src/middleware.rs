//! What happens around every request: it gets an id and a log line, its connection learns of it,
//! and its answer gets the headers that browsers ask for.

use std::rc::Rc;
use std::time::Instant;

use actix_web::body::MessageBody;
use actix_web::dev::{ServiceRequest, ServiceResponse};
use actix_web::http::ConnectionType;
use actix_web::http::header::{self, HeaderMap, HeaderName, HeaderValue};
use actix_web::middleware::Next;
use actix_web::{Error, HttpMessage, web};
use tracing::Instrument;

use crate::budget::KeptShares;
use crate::client_address::warn_of_proxy;
use crate::log_position;
use crate::rate::counted::CountedRequest;
use crate::request_head::has_body;
use crate::security;
use crate::session::origin;
use crate::socket::{ConnectionState, Running};
use crate::state::AppState;
use crate::timed_body::TimedBody;

/// The header that carries the id of a request, in and out.
const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");
/// Longest request id taken over from a caller.
const MAX_ID: usize = 128;

/// Gives the request its id, logs it without anything personal, and adds the CORS headers
/// (behaviour 0.13).
pub(crate) async fn observe(
    request: ServiceRequest,
    next: Next<impl MessageBody + 'static>,
) -> Result<ServiceResponse<impl MessageBody>, Error> {
    let mut running = request
        .conn_data::<Rc<ConnectionState>>()
        .map(|connection| connection.begin(has_body(request.headers())));
    let id =
        given_id(request.headers()).unwrap_or_else(|| uuid::Uuid::now_v7().simple().to_string());
    // The pattern of the route, not the path: paths contain names and e-mail addresses.
    let route = request.match_pattern().unwrap_or_else(|| "-".to_owned());
    let state = request.app_data::<web::Data<AppState>>();
    if let Some(state) = state {
        warn_of_proxy(request.peer_addr(), request.headers(), state);
    }
    let allowed = state.map(|state| state.headers.allowed.clone());
    let encrypted = state.is_some_and(|state| state.is_encrypted());
    let trusted = state.and_then(|state| {
        let origin = origin::with_credentials(
            (request.path(), &state.path_prefix),
            request.headers(),
            &state.web_origins,
        )?;
        HeaderValue::from_str(origin).ok()
    });
    let span = tracing::info_span!("request", id = %id, method = %request.method(), route = %route);
    let writes = !request.method().is_safe();
    let started = Instant::now();
    let mut response = next.call(request).instrument(span.clone()).await?;
    running.iter().for_each(Running::answer);
    let (status, milliseconds) = (response.status().as_u16(), started.elapsed().as_millis());
    span.in_scope(|| {
        security::log(&response);
        tracing::info!(status, milliseconds, "answered");
    });
    let counted = response.request().extensions_mut().remove::<CountedRequest>();
    let state = response.request().app_data::<web::Data<AppState>>().filter(|_| writes).cloned();
    let headers = response.headers_mut();
    state.into_iter().for_each(|state| log_position::show(&state, headers));
    counted.and_then(|counted| counted.0).into_iter().for_each(|charge| charge.show(headers));
    if let Ok(value) = HeaderValue::from_str(&id) {
        headers.insert(REQUEST_ID, value);
    }
    add_cors(headers, allowed, trusted);
    guard(headers, encrypted);
    if response.response().head().connection_type() == ConnectionType::Close {
        running.iter_mut().for_each(Running::close);
    }
    let kept = (running, KeptShares::of(response.request()));
    Ok(response.map_body(|_, body| TimedBody::new(body.boxed(), kept)))
}

fn given_id(headers: &HeaderMap) -> Option<String> {
    let text = headers.get(&REQUEST_ID)?.to_str().ok()?;
    let plain = !text.is_empty()
        && text.len() <= MAX_ID
        && text.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b'.'));
    plain.then(|| text.to_owned())
}

/// What browsers and caches must not do with an answer, unless its handler knows better: keep it,
/// guess its type, show a page inside another one, or come back without TLS (behaviour 0.31).
fn guard(headers: &mut HeaderMap, encrypted: bool) {
    let kind = headers.get(header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok());
    let page = kind.is_some_and(|kind| kind.starts_with("text/html"));
    let mut say = |name: HeaderName, value: &'static str| {
        if !headers.contains_key(&name) {
            headers.insert(name, HeaderValue::from_static(value));
        }
    };
    say(header::CACHE_CONTROL, "no-store");
    say(header::X_CONTENT_TYPE_OPTIONS, "nosniff");
    if encrypted {
        say(header::STRICT_TRANSPORT_SECURITY, "max-age=31536000");
    }
    if page {
        say(header::CONTENT_SECURITY_POLICY, "frame-ancestors 'none'");
    }
}

/// Every origin may read every answer, but only without credentials; `trusted` may send them too
/// (behaviour 11.4).
fn add_cors(headers: &mut HeaderMap, allowed: Option<HeaderValue>, trusted: Option<HeaderValue>) {
    match trusted {
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
