//! The `Idempotency-Key` header and the claim of its request (behaviour 0.16).

use actix_web::http::Method;
use actix_web::http::header::HeaderName;
use actix_web::{HttpMessage, HttpRequest};
use daybook_domain::event::Hash;
use daybook_domain::idempotency::{Claim, Key, Refusal, fingerprint, operation};
use daybook_edge::error::ApiError;
use daybook_edge::parameters;
use daybook_service::Context;

const HEADER: HeaderName = HeaderName::from_static("idempotency-key");

/// The hash of a body, attached to its request by [`attach_hash`].
struct BodyHash(Hash);

/// A request with an idempotency key.
pub(crate) struct IdempotencyHeader {
    key: Key,
    request: HttpRequest,
}

impl IdempotencyHeader {
    /// Returns the key of a request; `None` if it has none or only reads.
    ///
    /// # Errors
    /// 400 for a malformed key, and for several keys.
    pub(crate) fn of(request: &HttpRequest) -> Result<Option<Self>, ApiError> {
        let writes =
            [Method::POST, Method::PUT, Method::PATCH, Method::DELETE].contains(request.method());
        let mut given = request.headers().get_all(HEADER);
        let Some(first) = given.next().filter(|_| writes) else { return Ok(None) };
        let text = first.to_str().ok().filter(|_| given.next().is_none()).ok_or(Refusal::Malformed);
        let key = text.and_then(Key::new).map_err(daybook_service::Error::from)?;
        Ok(Some(Self { key, request: request.clone() }))
    }

    /// Returns the claim of the request, whose body must have been read. An operation that reads no
    /// body has the hash of an empty one.
    pub(crate) fn claim(&self, cx: &Context, prefix: &str) -> Claim {
        let path =
            self.request.path().strip_prefix(prefix).unwrap_or_default().trim_end_matches('/');
        let body = self
            .request
            .extensions()
            .get::<BodyHash>()
            .map_or_else(|| Hash::of(&[]), |hash| hash.0);
        Claim {
            user: cx.user.id,
            key: self.key.clone(),
            operation: operation(self.request.method().as_str(), path, cx.scope.app()),
            fingerprint: fingerprint(body, &parameters::pairs(&self.request)),
        }
    }
}

/// Returns whether the claim of this request needs the hash of its body.
pub(crate) fn needs_hash(request: &HttpRequest) -> bool {
    request.headers().contains_key(HEADER)
}

/// Attaches the hash of the body to its request.
pub(crate) fn attach_hash(request: &HttpRequest, hash: Hash) {
    request.extensions_mut().insert(BodyHash(hash));
}
