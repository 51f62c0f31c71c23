//! The extractors of JSON bodies.
//!
//! A body is received within limits of size, time and memory, after the token is verified. Errors
//! name the field. They are reported only to callers who may see the book; others get 404
//! (behaviour 0.17). Large bodies are parsed on the blocking pool, so that they do not delay small
//! requests.

use std::future::Future;
use std::marker::PhantomData;
use std::pin::Pin;

use actix_web::dev::Payload;
use actix_web::http::header::CONTENT_LENGTH;
use actix_web::web::Bytes;
use actix_web::{FromRequest, HttpRequest};
use daybook_blobs::{BlobWriter, PART_BYTES};
use daybook_domain::event::Hash;
use daybook_domain::file::Content;
use daybook_domain::json::contains_nul;
use daybook_domain::permission::Action;
use daybook_edge::blocking;
use daybook_edge::budget::{BodyReservation, Reservation, user_of};
use daybook_edge::error::{ApiError, RequestError};
use daybook_edge::receive::{
    BodyPieces, SMALL_BODY, collect, collect_pieces, note_received, with_limit,
};
use daybook_edge::request_head::is_of_type;
use daybook_interchange::read::archive;
use daybook_service::access;
use daybook_service::batch::MAX_ITEMS;
use serde::de::value::MapAccessDeserializer;
use serde::de::{DeserializeOwned, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};
use sha2::{Digest, Sha256};
use tokio::time::Instant;

use crate::idempotency::{attach_hash, needs_hash};
use crate::request::{self, ApiRequest};
use crate::surrogate::replace_unpaired;

/// Bodies above this size are processed one at a time per user. Their parsed values take several
/// times as much memory, which the budget does not count.
const MAX_CONCURRENT: usize = 1024 * 1024;
/// The maximum size of a body in bytes (behaviour 10.8).
const MAX_BYTES: usize = 32 * 1024 * 1024;
/// The maximum size of the file of an import in bytes (behaviour 15.1).
const MAX_RAW_BYTES: usize = 64 * 1024 * 1024;
/// The maximum number of values in a body, counted by commas. The smallest value takes two bytes in
/// the body, and many more when parsed.
const MAX_VALUES: usize = 1_000_000;
/// The estimated memory of a parsed value besides its text.
const BYTES_OF_A_VALUE: usize = 32;

/// A parsed JSON body.
pub(crate) struct Body<T>(pub(crate) T);

/// A body that may be absent.
pub(crate) struct MaybeBody<T>(pub(crate) Option<T>);

/// The file of an import, as it was sent (behaviour 15.1).
pub(crate) enum FileBody {
    /// A file of up to 64 MB.
    Whole(Bytes),
    /// An archive of a book, which is not received yet (behaviour 15.13).
    Archive(ArchiveBody),
}

/// The body with an archive of a book.
pub(crate) struct ArchiveBody {
    request: HttpRequest,
    pieces: BodyPieces,
    memory: Reservation,
}

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

/// Parses items. Items beyond the maximum plus one are validated, but not stored.
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
    /// Accepts JSON objects only, like [`crate::wire::objects_only`].
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
    /// Returns the items. Their number is checked after the access of the caller (behaviour 0.17).
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
            check_access_on_error(&request, read).await.map(Self)
        })
    }
}

impl FromRequest for FileBody {
    type Error = ApiError;
    type Future = Pin<Box<dyn Future<Output = Result<Self, ApiError>>>>;

    fn from_request(request: &HttpRequest, payload: &mut Payload) -> Self::Future {
        let (payload, request) = (payload.take(), request.clone());
        Box::pin(async move {
            let body = receive_file(&request, payload).await;
            check_access_on_error(&request, body).await
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
            let body = receive(&request, payload, read).await;
            check_access_on_error(&request, body).await.map(Self)
        })
    }
}

/// Returns the body, or its error if the caller may see the book, or 404 (behaviour 0.17).
async fn check_access_on_error<T>(
    request: &HttpRequest,
    body: Result<T, ApiError>,
) -> Result<T, ApiError> {
    if body.is_err() {
        check_access(request).await?;
    }
    body
}

/// Checks whether the caller may see the book in the path, if there is one.
///
/// # Errors
/// 404 if not; 400 for a malformed `If-Match`.
async fn check_access(request: &HttpRequest) -> Result<(), ApiError> {
    // Parses `If-Match`, but does not evaluate it, because no resource is loaded.
    let caller = ApiRequest::extract(request).await?.conditional()?;
    let book = caller.book();
    if !book.is_empty() {
        caller
            .on_snapshot(move |tx, cx| access::enter(tx, cx, &book, Action::ReadBook).map(drop))
            .await?;
    }
    Ok(())
}

/// Receives and parses a body, and notes its hash if the request has an idempotency key.
async fn receive<T: Send + 'static>(
    request: &HttpRequest,
    payload: Payload,
    read: impl FnOnce(&[u8]) -> Result<T, ApiError> + Send + 'static,
) -> Result<T, ApiError> {
    let user = user_of(request).await?;
    let state = request::state(request)?;
    let mut memory = state.edge.budget.reservation(user);
    let bytes =
        collect(payload, Some(&mut memory), MAX_BYTES, async || check_access(request).await)
            .await?;
    note_received(request);
    let lock = if bytes.len() > MAX_CONCURRENT {
        Some(state.edge.budget.lock_large_body(user).await)
    } else {
        None
    };
    let needs_hash = needs_hash(request);
    let (reservation, hash, body) = blocking::compute(bytes.len(), move || {
        let hash = needs_hash.then(|| Hash::of(&bytes));
        let reserved = reserve_values(&mut memory, &bytes);
        let body = reserved.and_then(|()| read(&replace_unpaired(bytes)));
        (BodyReservation::new(memory, lock), hash, body)
    })
    .await?;
    reservation.attach_to(request);
    if let Some(hash) = hash {
        attach_hash(request, hash);
    }
    body
}

/// Receives a file, and notes its hash if the request has an idempotency key. For the archive of a
/// book, only the first bytes are received.
async fn receive_file(request: &HttpRequest, payload: Payload) -> Result<FileBody, ApiError> {
    let user = user_of(request).await?;
    let state = request::state(request)?;
    let mut memory = state.edge.budget.reservation(user);
    let mut pieces = BodyPieces::new(payload);
    if archive::is_export(&pieces.peek(archive::HEAD_BYTES).await?) {
        return Ok(FileBody::Archive(ArchiveBody { request: request.clone(), pieces, memory }));
    }
    let admit = async || check_access(request).await;
    let received = collect_pieces(pieces, Some(&mut memory), MAX_RAW_BYTES, admit).await;
    let bytes = received.map_err(|error| with_limit(error, RequestError::ImportTooLarge))?;
    note_received(request);
    BodyReservation::new(memory, None).attach_to(request);
    if needs_hash(request) {
        let hashed = bytes.clone();
        let hash = blocking::compute(bytes.len(), move || Hash::of(&hashed)).await?;
        attach_hash(request, hash);
    }
    Ok(FileBody::Whole(bytes))
}

impl ArchiveBody {
    /// Returns the number of bytes that the client has announced.
    pub(crate) fn announced_bytes(&self) -> Option<i64> {
        let length = self.request.headers().get(CONTENT_LENGTH)?;
        length.to_str().ok()?.parse().ok()
    }

    /// Receives the archive and passes its pieces to a blob, within the memory of two parts.
    /// `admit` is called with the length of each piece before it is stored.
    ///
    /// # Errors
    /// 400, 408, 503; those of `admit`. Nothing is stored then.
    pub(crate) async fn store(
        self,
        mut blob: BlobWriter,
        admit: impl Fn(usize) -> Result<(), ApiError>,
    ) -> Result<Content, ApiError> {
        let Self { request, mut pieces, mut memory } = self;
        let mut receive = async || {
            memory.grow_to(PART_BYTES.saturating_mul(2))?;
            while let Some(piece) = pieces.next().await? {
                admit(piece.len())?;
                let begun = Instant::now();
                blob.write(&piece).await?;
                pieces.extend(begun.elapsed());
            }
            Ok::<(), ApiError>(())
        };
        let received = receive().await;
        if let Err(error) = received {
            blob.abort().await;
            return Err(error);
        }
        note_received(&request);
        let content = blob.finish().await?;
        if needs_hash(&request)
            && let Some(hash) = Hash::from_hex(&content.digest)
        {
            attach_hash(&request, hash);
        }
        Ok(content)
    }

    /// Receives the archive without storing it, and notes its hash: a refused request with an
    /// idempotency key may be a repetition (behaviour 0.16).
    ///
    /// # Errors
    /// 400, 408.
    pub(crate) async fn discard(self) -> Result<(), ApiError> {
        let Self { request, mut pieces, .. } = self;
        let mut digest = Sha256::new();
        while let Some(piece) = pieces.next().await? {
            digest.update(&piece);
        }
        note_received(&request);
        if let Some(hash) = Hash::from_bytes(&digest.finalize()) {
            attach_hash(&request, hash);
        }
        Ok(())
    }
}

/// Returns whether the content type is JSON. A missing one counts as JSON (behaviour 0.8).
fn is_json(request: &HttpRequest) -> bool {
    is_of_type(request, |essence| {
        essence == "application/json"
            || (essence.starts_with("application/") && essence.ends_with("+json"))
    })
}

/// Reserves memory for the parsed values of a body, unless it is small.
fn reserve_values(memory: &mut Reservation, bytes: &[u8]) -> Result<(), ApiError> {
    if bytes.len() <= SMALL_BODY {
        return Ok(());
    }
    let values = count_values(bytes);
    if values > MAX_VALUES {
        return Err(RequestError::TooLarge.into());
    }
    Ok(memory.grow_to(bytes.len() + values * BYTES_OF_A_VALUE)?)
}

/// Estimates the number of values in a JSON text by the commas outside of strings.
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

/// Parses JSON. Malformed JSON and values of the wrong type are different errors (behaviour 0.10).
fn parse<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, ApiError> {
    let text = std::str::from_utf8(bytes)
        .map_err(|error| RequestError::Malformed(format!("it is not UTF-8: {error}")))?;
    if contains_nul(bytes) {
        return Err(RequestError::InvalidFormat(
            "text must not contain the character NUL (\\u0000)".to_owned(),
        )
        .into());
    }
    serde_json::from_str(text).map_err(|_| explain::<T>(text).into())
}

/// Parses a refused body again with a slower parser that reports the path of the error.
///
/// Malformed JSON takes precedence over a value of the wrong type.
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
        // The two parsers disagree. The fast one refused the body.
        Ok(_) => {
            RequestError::InvalidFormat("the body does not have the documented shape".to_owned())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commas_in_strings_are_not_counted() {
        for (text, values) in [
            ("", 0),
            ("[1,2,3]", 2),
            (r#"{"a":"x,y","b":"\\\",","c":["",""]}"#, 3),
            (r#"{"a":"x\",,"#, 0),
        ] {
            assert_eq!(count_values(text.as_bytes()), values, "{text}");
        }
    }
}
