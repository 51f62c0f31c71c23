//! Bodies: read within a limit of size and time, as JSON, with errors that name the field.

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

use crate::budget::Grant;
use crate::connection::Connection;
use crate::error::{ApiError, Transport};
use crate::idempotency::{note_hash, wants_hash};
use crate::request::ApiRequest;
use crate::{blocking, request};

/// Largest body in bytes (behaviour 10.8).
const MAX_BYTES: usize = 32 * 1024 * 1024;
/// How long a body may take to arrive, and what every further second must bring: a file of 20 MB
/// comes over slow lines too.
const BODY_TIMEOUT: Duration = Duration::from_secs(30);
const LEAST_BYTES_PER_SECOND: usize = 64 * 1024;

/// A body read as JSON.
pub(crate) struct Body<T>(pub(crate) T);

/// A body that may be missing altogether.
pub(crate) struct MaybeBody<T>(pub(crate) Option<T>);

/// The list every batch is sent as.
pub(crate) struct Items<T> {
    items: Vec<T>,
}

#[derive(serde::Deserialize)]
struct ItemsFields<T> {
    items: Vec<T>,
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Items<T> {
    /// From an object only, as [`crate::wire::objects_only`] has it.
    fn deserialize<D: Deserializer<'de>>(reader: D) -> Result<Self, D::Error> {
        struct Shape<T>(PhantomData<T>);
        impl<'de, T: Deserialize<'de>> Visitor<'de> for Shape<T> {
            type Value = Items<T>;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("an object with items")
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Items<T>, A::Error> {
                let fields = ItemsFields::deserialize(MapAccessDeserializer::new(map))?;
                Ok(Items { items: fields.items })
            }
        }
        reader.deserialize_map(Shape(PhantomData))
    }
}

impl<T> Body<Items<T>> {
    /// The items; how many there may be is asked behind the door (behaviour 0.17).
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
                Err(Transport::UnsupportedMediaType.into())
            };
            behind_the_door(&request, read).await.map(Self)
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
            if json { parse(bytes).map(Some) } else { Err(Transport::UnsupportedMediaType.into()) }
        };
        Box::pin(async move {
            behind_the_door(&request, receive(&request, payload, read).await).await.map(Self)
        })
    }
}

/// A body that cannot be read is refused to those who may see the book; to all others there is no
/// such book (behaviour 0.17).
async fn behind_the_door<T>(
    request: &HttpRequest,
    read: Result<T, ApiError>,
) -> Result<T, ApiError> {
    if read.is_err() {
        // Whatever it expects of a resource: none is looked at.
        let asked = ApiRequest::extract(request).await?.conditional()?;
        let book = asked.book();
        if !book.is_empty() {
            asked
                .look(move |tx, cx| access::enter(tx, cx, &book, Action::ReadBook).map(drop))
                .await?;
        }
    }
    read
}

/// Takes in a body and reads it; leaves its hash with the request when somebody will ask for it.
async fn receive<T: Send + 'static>(
    request: &HttpRequest,
    payload: Payload,
    read: impl FnOnce(&[u8]) -> Result<T, ApiError> + Send + 'static,
) -> Result<T, ApiError> {
    let mut grant = request::state(request)?.budget.grant();
    let bytes = collect(payload, &mut grant).await?;
    if let Some(connection) = request.conn_data::<Rc<Connection>>() {
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

/// A missing content type is read as JSON (behaviour 0.8).
fn is_json(request: &HttpRequest) -> bool {
    let Some(value) = request.headers().get(CONTENT_TYPE) else { return true };
    let Ok(text) = value.to_str() else { return false };
    let essence = text.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    essence.is_empty()
        || essence == "application/json"
        || (essence.starts_with("application/") && essence.ends_with("+json"))
}

async fn collect(mut payload: Payload, grant: &mut Grant) -> Result<Bytes, ApiError> {
    let started = Instant::now();
    let mut bytes = BytesMut::new();
    loop {
        let earned = u64::try_from(bytes.len() / LEAST_BYTES_PER_SECOND).unwrap_or(u64::MAX);
        let next =
            std::future::poll_fn(|cx| futures_core::Stream::poll_next(Pin::new(&mut payload), cx));
        let next = timeout_at(started + BODY_TIMEOUT + Duration::from_secs(earned), next)
            .await
            .map_err(|_| Transport::TooSlow)?;
        let Some(chunk) = next else { return Ok(bytes.freeze()) };
        let chunk = chunk.map_err(|error| {
            if matches!(error, PayloadError::Overflow) {
                Transport::TooLarge
            } else {
                Transport::Malformed(error.to_string())
            }
        })?;
        let size = bytes.len().saturating_add(chunk.len());
        if size > MAX_BYTES {
            return Err(Transport::TooLarge.into());
        }
        grant.cover(size)?;
        bytes.extend_from_slice(&chunk);
    }
}

/// Reads a body. Broken JSON and values of the wrong type are told apart (behaviour 0.10).
fn parse<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, ApiError> {
    let text = std::str::from_utf8(bytes)
        .map_err(|error| Transport::Malformed(format!("it is not UTF-8: {error}")))?;
    if holds_nul(bytes) {
        return Err(Transport::InvalidFormat(
            "text must not contain the character NUL (\\u0000)".to_owned(),
        )
        .into());
    }
    serde_json::from_str(text).map_err(|_| explain::<T>(text).into())
}

/// Reads a refused body once more, slower, to learn what is wrong with it: broken JSON before a
/// wrong type.
fn explain<T: DeserializeOwned>(text: &str) -> Transport {
    if let Err(error) = serde_json::from_str::<IgnoredAny>(text) {
        return Transport::Malformed(error.to_string());
    }
    match serde_path_to_error::deserialize::<_, T>(&mut serde_json::Deserializer::from_str(text)) {
        Err(located) if located.path().iter().next().is_none() => {
            Transport::InvalidFormat(located.inner().to_string())
        }
        Err(located) => {
            Transport::InvalidFormat(format!("{}: {}", located.path(), located.inner()))
        }
        // The plain reader refused it, so something is wrong although this one does not see it.
        Ok(_) => Transport::InvalidFormat("the body does not have the documented shape".to_owned()),
    }
}

/// Whether a string in the JSON text escapes the character NUL, which PostgreSQL cannot keep.
fn holds_nul(bytes: &[u8]) -> bool {
    const ESCAPE: &[u8] = b"\\u0000";
    // Most bodies escape nothing, and those with files in them are long.
    if !bytes.contains(&b'\\') {
        return false;
    }
    let starts = bytes.windows(ESCAPE.len()).enumerate().filter(|(_, window)| *window == ESCAPE);
    // An even number of backslashes before it means the backslash itself is escaped.
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
