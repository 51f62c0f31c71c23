//! A request before it is sent, and its response as bytes.

use std::fmt::{self, Display};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
use reqwest::{Method, Url};
use serde::Serialize;

use crate::error::{Error, Result};

/// The header of an idempotency key (0.16).
const IDEMPOTENCY_KEY: HeaderName = HeaderName::from_static("idempotency-key");

/// A function that gets the bytes received, and the number of all bytes if it is known.
#[derive(Clone)]
pub(crate) struct OnProgress(pub(crate) Arc<dyn Fn(u64, Option<u64>) + Send + Sync>);

impl fmt::Debug for OnProgress {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("OnProgress")
    }
}

/// The body of a request.
#[derive(Debug, Clone)]
pub(crate) enum Body {
    /// Bytes in memory.
    Bytes(Bytes),
    /// The content of a file, which each attempt reads again.
    File(PathBuf),
}

/// A request without the address and the token of the client.
#[derive(Debug, Clone)]
pub(crate) struct Call {
    pub(crate) method: Method,
    segments: Vec<String>,
    /// Path and query as the caller wrote them, instead of segments.
    raw: Option<String>,
    parameters: Vec<(String, String)>,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Option<Body>,
    pub(crate) media_type: &'static str,
    /// Whether a repetition has no second effect.
    pub(crate) is_repeatable: bool,
    /// Whether the access token is sent.
    pub(crate) is_authorized: bool,
    /// Whether the client makes a key if there is none.
    takes_key: bool,
    /// Called as the response arrives.
    pub(crate) on_progress: Option<OnProgress>,
    /// The first fault of an argument.
    fault: Option<String>,
}

impl Call {
    /// Begins a request of a path. The segments are percent-encoded.
    pub(crate) fn new(method: Method, segments: &[&str]) -> Self {
        // The URL parser would drop these, and the path would name another resource.
        let lost = segments.iter().find(|segment| matches!(**segment, "" | "." | ".."));
        let fault = lost.map(|segment| format!("invalid id or name {segment:?} in a path"));
        Self {
            is_repeatable: method == Method::GET,
            method,
            segments: segments.iter().map(|segment| (*segment).to_owned()).collect(),
            raw: None,
            parameters: Vec::new(),
            headers: HeaderMap::new(),
            body: None,
            media_type: "application/json",
            is_authorized: true,
            takes_key: false,
            on_progress: None,
            fault,
        }
    }

    /// Begins a request of a path that is sent as it is.
    pub(crate) fn raw(method: Method, path: &str) -> Self {
        Self { raw: Some(path.trim_start_matches('/').to_owned()), ..Self::new(method, &[]) }
    }

    /// Adds a query parameter, if there is a value.
    pub(crate) fn parameter<T: Display>(&mut self, name: &str, value: Option<T>) {
        self.parameters.extend(value.map(|value| (name.to_owned(), value.to_string())));
    }

    /// Sets a header, if there is a value.
    pub(crate) fn header(&mut self, name: &str, value: Option<&str>) {
        let Some(value) = value else { return };
        match (HeaderName::from_bytes(name.as_bytes()), HeaderValue::from_str(value)) {
            (Ok(name), Ok(value)) => {
                self.headers.insert(name, value);
            }
            _ => {
                self.fault.get_or_insert_with(|| format!("invalid value {value:?} of {name}"));
            }
        }
    }

    /// Sets a JSON body.
    pub(crate) fn json<T: Serialize + ?Sized>(&mut self, body: &T) {
        match serde_json::to_vec(body) {
            Ok(bytes) => self.body = Some(Body::Bytes(bytes.into())),
            Err(error) => {
                self.fault.get_or_insert_with(|| error.to_string());
            }
        }
    }

    /// Says that a write takes an idempotency key: the client makes one if the caller has none.
    pub(crate) const fn takes_key(&mut self) {
        self.takes_key = true;
        self.is_repeatable = true;
    }

    /// Makes the idempotency key of a write.
    pub(crate) fn complete(&mut self) -> Result<()> {
        if let Some(fault) = self.fault.take() {
            return Err(Error::Invalid(fault));
        }
        if self.headers.contains_key(&IDEMPOTENCY_KEY) {
            self.is_repeatable = true;
        } else if self.takes_key {
            let mut bytes = [0; 16];
            getrandom::fill(&mut bytes).map_err(|error| Error::Invalid(error.to_string()))?;
            let key: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
            self.header(IDEMPOTENCY_KEY.as_str(), Some(&key));
        }
        Ok(())
    }

    /// Returns the address of the request below that of the server.
    pub(crate) fn url(&self, base: &Url) -> Result<Url> {
        if let Some(raw) = &self.raw {
            let text = format!("{}/{raw}", base.as_str().trim_end_matches('/'));
            return Url::parse(&text).map_err(|error| Error::Invalid(format!("{text}: {error}")));
        }
        let mut url = base.clone();
        match url.path_segments_mut() {
            Ok(mut path) => path.pop_if_empty().extend(&self.segments),
            Err(()) => return Err(Error::Invalid(format!("invalid base URL {base}"))),
        };
        if !self.parameters.is_empty() {
            url.query_pairs_mut().extend_pairs(&self.parameters);
        }
        Ok(url)
    }

    /// Returns method and path, for messages.
    pub(crate) fn name(&self) -> String {
        let path = self.raw.clone().unwrap_or_else(|| self.segments.join("/"));
        format!("{} /{path}", self.method)
    }
}

/// The data in the headers of a response.
///
/// ```
/// # daybook_tests::run_example(async |example| {
/// use daybook_client::types::Account;
///
/// # let client = daybook_client::Client::builder(&example.url).token(&example.token).build()?;
/// # let book = client.book(&example.book);
/// let account = Account { name: Some("Bank".to_owned()), ..Account::default() };
/// let response = book.create_account(&account).idempotency_key("bank-1").send().await?;
/// assert_eq!(response.head.status, 200);
/// assert!(response.head.etag.is_some() && !response.head.is_replayed);
///
/// let again = book.create_account(&account).idempotency_key("bank-1").send().await?;
/// assert!(again.head.is_replayed);
/// assert_eq!(again.value.id, response.value.id);
/// # Ok(()) });
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Head {
    /// The HTTP status.
    pub status: u16,
    /// The version of the resource (0.17).
    pub etag: Option<ETag>,
    /// Number of items of a batch that were left as they are (3.6.3, 3.6.4).
    pub skipped_items: Option<u64>,
    /// Number of items of a batch that existed already by a remote id (3.7.2).
    pub known_items: Option<u64>,
    /// Whether the server repeated a recorded response (0.16).
    pub is_replayed: bool,
    /// Whether the response shows ids only (0.33, 0.38).
    pub is_shortened: bool,
    /// The id of the request in the server's log.
    pub request_id: Option<String>,
    /// The position of the write, for reads through another process (0.42).
    pub log_position: Option<String>,
    /// Calls left in the quota of the caller (10.6).
    pub rate_limit_remaining: Option<u64>,
    /// How long the server asks to wait.
    pub retry_after: Option<Duration>,
    /// How often the request was sent.
    pub attempts: u32,
}

/// The version of a resource (0.17).
///
/// ```
/// use daybook_client::ETag;
///
/// assert_eq!(ETag::from("\"7\"").as_str(), "\"7\"");
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct ETag(String);

impl ETag {
    /// Returns the text of the header.
    ///
    /// ```
    /// assert_eq!(daybook_client::ETag::from("*").as_str(), "*");
    /// ```
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl From<&str> for ETag {
    fn from(text: &str) -> Self {
        Self(text.to_owned())
    }
}

impl Head {
    /// Reads the headers of a response.
    pub(crate) fn read(status: u16, headers: &HeaderMap, attempts: u32) -> Self {
        let text = |name: &str| headers.get(name).and_then(|value| value.to_str().ok());
        let number = |name: &str| text(name).and_then(|value| value.parse::<u64>().ok());
        Self {
            status,
            etag: text("etag").map(ETag::from),
            skipped_items: number("skipped-items"),
            known_items: number("known-items"),
            is_replayed: text("idempotency-replayed") == Some("true"),
            is_shortened: text("answer-shortened") == Some("true")
                || text("idempotency-answer") == Some("ids"),
            request_id: text("x-request-id").map(str::to_owned),
            log_position: text("log-position").map(str::to_owned),
            rate_limit_remaining: number("ratelimit-remaining"),
            retry_after: number("retry-after").map(Duration::from_secs),
            attempts,
        }
    }
}

/// A complete response.
#[derive(Debug)]
pub(crate) struct Reply {
    /// Method and path of the request.
    pub(crate) operation: String,
    pub(crate) head: Head,
    pub(crate) body: Vec<u8>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn segments_are_encoded_below_the_base() {
        let base = Url::parse("https://books.example.com/ledger/").unwrap();
        let call = Call::new(Method::GET, &["v5", "books", "b", "accounts", "A/B ö%"]);
        let url = call.url(&base).unwrap();
        assert_eq!(url.path(), "/ledger/v5/books/b/accounts/A%2FB%20%C3%B6%25");
        assert_eq!(url.query(), None);
    }

    #[test]
    fn segments_that_would_vanish_are_refused() {
        for segment in ["", ".", ".."] {
            let mut call = Call::new(Method::DELETE, &["v5", "books", segment]);
            assert!(matches!(call.complete(), Err(Error::Invalid(_))), "{segment:?}");
        }
    }

    #[test]
    fn writes_get_keys_of_their_own() {
        let key = || {
            let mut call = Call::new(Method::POST, &["v5", "books"]);
            call.takes_key();
            call.complete().unwrap();
            call.headers.get(IDEMPOTENCY_KEY).unwrap().clone()
        };
        assert_ne!(key(), key());
        let mut call = Call::new(Method::POST, &["v5", "books"]);
        call.takes_key();
        call.header("Idempotency-Key", Some("mine"));
        call.complete().unwrap();
        assert_eq!(call.headers.get(IDEMPOTENCY_KEY).unwrap(), "mine");
    }
}
