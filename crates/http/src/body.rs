//! Request bodies: received within limits of size and time, and read as JSON, with errors that name
//! the field. A wrong token is refused before the body is read. A body that cannot be read is
//! reported only to callers who may enter the book (behaviour 0.17). Work on a large body goes to a
//! thread that may block, so that no small request waits for it.

use std::future::Future;
use std::marker::PhantomData;
use std::pin::Pin;
use std::rc::Rc;
use std::time::Duration;

use actix_web::dev::Payload;
use actix_web::error::PayloadError;
use actix_web::http::header::CONTENT_TYPE;
use actix_web::web::{Bytes, BytesMut};
use actix_web::{FromRequest, HttpRequest};
use daybook_domain::event::Hash;
use daybook_domain::permission::Action;
use daybook_service::access;
use serde::de::value::MapAccessDeserializer;
use serde::de::{DeserializeOwned, IgnoredAny, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use tokio::time::{Instant, timeout_at};

use crate::budget::{MemoryShare, borrower};
use crate::error::{ApiError, RequestError};
use crate::idempotency::{note_hash, wants_hash};
use crate::request::ApiRequest;
use crate::socket::ConnectionState;
use crate::{blocking, request};

/// Largest body in bytes (behaviour 10.8).
const MAX_BYTES: usize = 32 * 1024 * 1024;
/// How long a body may take to arrive, and how many bytes earn it one second more: a file of 20 MB
/// may come over a slow line.
const BODY_TIMEOUT: Duration = Duration::from_secs(30);
const LEAST_BYTES_PER_SECOND: usize = 64 * 1024;

/// A body that has been read as JSON.
pub(crate) struct Body<T>(pub(crate) T);

/// A body that may be absent.
pub(crate) struct MaybeBody<T>(pub(crate) Option<T>);

/// The body of a batch: `{"items": [...]}`.
pub(crate) struct Items<T> {
    items: Vec<T>,
}

#[derive(serde::Deserialize)]
struct ItemsFields<T> {
    items: Vec<T>,
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Items<T> {
    /// Reads JSON objects only, as [`crate::wire::objects_only`] does.
    fn deserialize<D: Deserializer<'de>>(reader: D) -> Result<Self, D::Error> {
        struct ItemsVisitor<T>(PhantomData<T>);
        impl<'de, T: Deserialize<'de>> Visitor<'de> for ItemsVisitor<T> {
            type Value = Items<T>;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("an object with items")
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Items<T>, A::Error> {
                let fields = ItemsFields::deserialize(MapAccessDeserializer::new(map))?;
                Ok(Items { items: fields.items })
            }
        }
        reader.deserialize_map(ItemsVisitor(PhantomData))
    }
}

impl<T> Body<Items<T>> {
    /// The items. How many there may be is checked once the caller is known to have access
    /// (behaviour 0.17).
    pub(crate) fn items(self) -> Vec<T> {
        self.0.items
    }
}

impl<T: DeserializeOwned + Send + 'static> FromRequest for Body<T> {
    type Error = ApiError;
    type Future = Pin<Box<dyn Future<Output = Result<Self, ApiError>>>>;

    fn from_request(request: &HttpRequest, payload: &mut Payload) -> Self::Future {
        let (json, payload, request) = (is_json(request), payload.take(), request.clone());
        Box::pin(async move {
            let read = if json {
                receive(&request, payload, parse).await
            } else {
                Err(RequestError::UnsupportedMediaType.into())
            };
            body_or_refusal(&request, read).await.map(Self)
        })
    }
}

impl<T: DeserializeOwned + Send + 'static> FromRequest for MaybeBody<T> {
    type Error = ApiError;
    type Future = Pin<Box<dyn Future<Output = Result<Self, ApiError>>>>;

    fn from_request(request: &HttpRequest, payload: &mut Payload) -> Self::Future {
        let (json, payload, request) = (is_json(request), payload.take(), request.clone());
        let read = move |bytes: &[u8]| {
            if bytes.iter().all(u8::is_ascii_whitespace) {
                return Ok(None);
            }
            if json {
                parse(bytes).map(Some)
            } else {
                Err(RequestError::UnsupportedMediaType.into())
            }
        };
        Box::pin(async move {
            body_or_refusal(&request, receive(&request, payload, read).await).await.map(Self)
        })
    }
}

/// Passes a body on. One that cannot be read is refused only to callers who may see the book; to
/// all others the book does not exist (behaviour 0.17).
async fn body_or_refusal<T>(
    request: &HttpRequest,
    read: Result<T, ApiError>,
) -> Result<T, ApiError> {
    if read.is_err() {
        // The condition of `If-Match` is not evaluated: no resource is looked at.
        let caller = ApiRequest::extract(request).await?.conditional()?;
        let book = caller.book();
        if !book.is_empty() {
            caller
                .on_snapshot(move |tx, cx| access::enter(tx, cx, &book, Action::ReadBook).map(drop))
                .await?;
        }
    }
    read
}

/// Receives a body and reads it. Leaves its hash with the request if an idempotency key needs it.
async fn receive<T: Send + 'static>(
    request: &HttpRequest,
    payload: Payload,
    read: impl FnOnce(&[u8]) -> Result<T, ApiError> + Send + 'static,
) -> Result<T, ApiError> {
    let borrower = borrower(request).await?;
    let mut grant = request::state(request)?.budget.grant(borrower);
    let bytes = collect(payload, &mut grant, MAX_BYTES).await?;
    if let Some(connection) = request.conn_data::<Rc<ConnectionState>>() {
        connection.received();
    }
    grant.leave_with(request);
    let hashed = wants_hash(request);
    let (hash, body) =
        blocking::compute(bytes.len(), move || (hashed.then(|| Hash::of(&bytes)), read(&bytes)))
            .await?;
    if let Some(hash) = hash {
        note_hash(request, hash);
    }
    body
}

/// Whether the content type is JSON. A missing one counts as JSON (behaviour 0.8).
fn is_json(request: &HttpRequest) -> bool {
    is_of_type(request, |essence| {
        essence == "application/json"
            || (essence.starts_with("application/") && essence.ends_with("+json"))
    })
}

/// Whether the content type, in lower case and without parameters, is one of those; or is missing.
pub(crate) fn is_of_type(request: &HttpRequest, known: impl FnOnce(&str) -> bool) -> bool {
    let Some(value) = request.headers().get(CONTENT_TYPE) else { return true };
    let Ok(text) = value.to_str() else { return false };
    let essence = text.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    essence.is_empty() || known(&essence)
}

/// Collects a body of so many bytes at most.
///
/// # Errors
/// 400, 408, 413, 503.
pub(crate) async fn collect(
    mut payload: Payload,
    grant: &mut MemoryShare,
    most: usize,
) -> Result<Bytes, ApiError> {
    let started = Instant::now();
    let mut bytes = BytesMut::new();
    loop {
        let earned = u64::try_from(bytes.len() / LEAST_BYTES_PER_SECOND).unwrap_or(u64::MAX);
        let next =
            std::future::poll_fn(|cx| futures_core::Stream::poll_next(Pin::new(&mut payload), cx));
        let next = timeout_at(started + BODY_TIMEOUT + Duration::from_secs(earned), next)
            .await
            .map_err(|_| RequestError::BodyTooSlow)?;
        let Some(chunk) = next else { return Ok(bytes.freeze()) };
        let chunk = chunk.map_err(|error| {
            if matches!(error, PayloadError::Overflow) {
                RequestError::TooLarge
            } else {
                RequestError::Malformed(error.to_string())
            }
        })?;
        let size = bytes.len().saturating_add(chunk.len());
        if size > most {
            return Err(RequestError::TooLarge.into());
        }
        grant.cover(size)?;
        bytes.extend_from_slice(&chunk);
    }
}

/// Reads a body as JSON. Broken JSON and values of the wrong type are different errors (behaviour
/// 0.10).
fn parse<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, ApiError> {
    let text = std::str::from_utf8(bytes)
        .map_err(|error| RequestError::Malformed(format!("it is not UTF-8: {error}")))?;
    if holds_nul(bytes) {
        return Err(RequestError::InvalidFormat(
            "text must not contain the character NUL (\\u0000)".to_owned(),
        )
        .into());
    }
    serde_json::from_str(text).map_err(|_| explain::<T>(text).into())
}

/// Reads a refused body again, with a slower reader that tells where it is wrong. Broken JSON comes
/// before a value of the wrong type.
fn explain<T: DeserializeOwned>(text: &str) -> RequestError {
    if let Err(error) = serde_json::from_str::<IgnoredAny>(text) {
        return RequestError::Malformed(error.to_string());
    }
    match serde_path_to_error::deserialize::<_, T>(&mut serde_json::Deserializer::from_str(text)) {
        Err(located) if located.path().iter().next().is_none() => {
            RequestError::InvalidFormat(located.inner().to_string())
        }
        Err(located) => {
            RequestError::InvalidFormat(format!("{}: {}", located.path(), located.inner()))
        }
        // The fast reader refused it, so something is wrong although this one found nothing.
        Ok(_) => {
            RequestError::InvalidFormat("the body does not have the documented shape".to_owned())
        }
    }
}

/// Whether a string of the JSON text contains an escaped NUL, which PostgreSQL cannot store.
fn holds_nul(bytes: &[u8]) -> bool {
    const ESCAPE: &[u8] = b"\\u0000";
    // Most bodies contain no backslash, and those with files in them are long.
    if !bytes.contains(&b'\\') {
        return false;
    }
    let starts = bytes.windows(ESCAPE.len()).enumerate().filter(|(_, window)| *window == ESCAPE);
    // After an even number of backslashes this one starts an escape.
    starts
        .map(|(at, _)| bytes.iter().take(at).rev().take_while(|byte| **byte == b'\\').count())
        .any(|before| before.is_multiple_of(2))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escaped_nul_is_found_where_it_is_one() {
        assert!(holds_nul(br#"{"a":"x\u0000"}"#));
        assert!(!holds_nul(br#"{"a":"x\\u0000"}"#));
        assert!(holds_nul(br#"{"a":"x\\\u0000"}"#));
        assert!(!holds_nul(br#"{"a":"x\u0001"}"#));
    }
}
