//! Request bodies: received within limits of size and time, and read as JSON, with errors that name
//! the field. A wrong token is refused before the body is read. A body that cannot be read is
//! reported only to callers who may enter the book (behaviour 0.17). Work on a large body goes to a
//! thread that may block, so that no small request waits for it.

use std::future::Future;
use std::marker::PhantomData;
use std::pin::Pin;
use std::rc::Rc;

use actix_web::dev::Payload;
use actix_web::http::header::CONTENT_TYPE;
use actix_web::{FromRequest, HttpRequest};
use daybook_domain::event::Hash;
use daybook_domain::permission::Action;
use daybook_service::access;
use daybook_service::batch::MAX_ITEMS;
use serde::de::value::MapAccessDeserializer;
use serde::de::{DeserializeOwned, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};

use crate::budget::{HeldBody, MAX_SMALL, MemoryOwner, MemoryShare, borrower};
use crate::error::{ApiError, RequestError};
use crate::idempotency::{note_hash, wants_hash};
use crate::receive::collect;
use crate::request::ApiRequest;
use crate::socket::ConnectionState;
use crate::surrogate::replaced;
use crate::{blocking, request};

/// Bytes of a body behind which it takes its user's turn: what is made of it takes several times as
/// much memory, which nothing counts.
const MAX_AT_ONCE: usize = 1024 * 1024;
/// Largest body in bytes (behaviour 10.8).
const MAX_BYTES: usize = 32 * 1024 * 1024;
/// Most values in a body, by the commas between them: the smallest takes two bytes there, and many
/// more once it is read.
const MAX_VALUES: usize = 1_000_000;
/// What a value is taken to need besides.
const BYTES_OF_A_VALUE: usize = 32;

/// A body that has been read as JSON.
pub(crate) struct Body<T>(pub(crate) T);

/// A body that may be absent.
pub(crate) struct MaybeBody<T>(pub(crate) Option<T>);

/// The body of a batch: `{"items": [...]}`.
pub(crate) struct Items<T> {
    items: Vec<T>,
}

#[derive(serde::Deserialize)]
#[serde(bound = "T: serde::Deserialize<'de>")]
struct ItemsFields<T> {
    #[serde(deserialize_with = "items")]
    items: Vec<T>,
}

/// Reads items. Behind the first that is too many they are read, but not kept.
fn items<'de, T: Deserialize<'de>, D: Deserializer<'de>>(reader: D) -> Result<Vec<T>, D::Error> {
    struct ListVisitor<T>(PhantomData<T>);
    impl<'de, T: Deserialize<'de>> Visitor<'de> for ListVisitor<T> {
        type Value = Vec<T>;

        fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            f.write_str("a sequence")
        }

        fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Vec<T>, A::Error> {
            let mut items = Vec::new();
            while let Some(item) = list.next_element::<T>()? {
                if items.len() <= MAX_ITEMS {
                    items.push(item);
                }
            }
            Ok(items)
        }
    }
    reader.deserialize_seq(ListVisitor(PhantomData))
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
        enter(request).await?;
    }
    read
}

/// Looks whether the caller may see the book that the path names, if it names one.
///
/// # Errors
/// 404 to everybody else; 400 for an `If-Match` that cannot be read.
async fn enter(request: &HttpRequest) -> Result<(), ApiError> {
    // The condition of `If-Match` is not evaluated: no resource is looked at.
    let caller = ApiRequest::extract(request).await?.conditional()?;
    let book = caller.book();
    if !book.is_empty() {
        caller
            .on_snapshot(move |tx, cx| access::enter(tx, cx, &book, Action::ReadBook).map(drop))
            .await?;
    }
    Ok(())
}

/// Receives a body and reads it. Leaves its hash with the request if an idempotency key needs it.
async fn receive<T: Send + 'static>(
    request: &HttpRequest,
    payload: Payload,
    read: impl FnOnce(&[u8]) -> Result<T, ApiError> + Send + 'static,
) -> Result<T, ApiError> {
    let borrower = borrower(request).await?;
    let state = request::state(request)?;
    let mut grant = state.budget.grant(borrower);
    let bytes = collect(payload, &mut grant, MAX_BYTES, async || enter(request).await).await?;
    if let Some(connection) = request.conn_data::<Rc<ConnectionState>>() {
        connection.received();
    }
    let turn = match borrower {
        MemoryOwner::User(user) if bytes.len() > MAX_AT_ONCE => Some(state.budget.turn(user).await),
        MemoryOwner::User(_) | MemoryOwner::Client(_) => None,
    };
    let hashed = wants_hash(request);
    let (held, hash, body) = blocking::compute(bytes.len(), move || {
        let hash = hashed.then(|| Hash::of(&bytes));
        let body = cover_values(&mut grant, &bytes).and_then(|()| read(&replaced(bytes)));
        (HeldBody::new(grant, turn), hash, body)
    })
    .await?;
    held.leave_with(request);
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

/// Books what the values of a body will need besides its text. Few are not counted.
fn cover_values(grant: &mut MemoryShare, bytes: &[u8]) -> Result<(), ApiError> {
    if bytes.len() <= MAX_SMALL {
        return Ok(());
    }
    let values = count_values(bytes);
    if values > MAX_VALUES {
        return Err(RequestError::TooLarge.into());
    }
    Ok(grant.cover(bytes.len() + values * BYTES_OF_A_VALUE)?)
}

/// How many values a text of JSON has, by the commas outside of its strings.
fn count_values(bytes: &[u8]) -> usize {
    let (mut values, mut in_string, mut escaped) = (0, false, false);
    for byte in bytes {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if in_string => escaped = true,
            b'"' => in_string = !in_string,
            b',' if !in_string => values += 1,
            _ => {}
        }
    }
    values
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
    fn values_are_counted_outside_of_strings() {
        for (text, values) in [
            ("", 0),
            ("[1,2,3]", 2),
            (r#"{"a":"x,y","b":"\\\",","c":["",""]}"#, 3),
            (r#"{"a":"x\",,"#, 0),
        ] {
            assert_eq!(count_values(text.as_bytes()), values, "{text}");
        }
    }

    #[test]
    fn escaped_nul_is_found_where_it_is_one() {
        assert!(holds_nul(br#"{"a":"x\u0000"}"#));
        assert!(!holds_nul(br#"{"a":"x\\u0000"}"#));
        assert!(holds_nul(br#"{"a":"x\\\u0000"}"#));
        assert!(!holds_nul(br#"{"a":"x\u0001"}"#));
    }
}
