//! Idempotency keys (behaviour 0.16).
//!
//! The first request with a key is executed, and its response is stored in the same unit of work. A
//! later request with the same key and the same [`fingerprint`] gets the stored response, if its
//! caller still has the rights that the response requires. A request with another fingerprint is
//! refused. The response expires after 24 hours.

use crate::app::AppId;
use crate::event::Hash;
use crate::id::UserId;
use crate::instant::{DAY, Instant};
use crate::reason::Reason;
use crate::view_rights::{RequiredRights, Shown};

/// Maximum length of a key, in characters.
const MAX_CHARACTERS: usize = 255;
/// Time for which a response is stored.
const LIFETIME: i64 = DAY;

/// Maximum stored size of a body that does not count as large, in bytes.
pub const MAX_SMALL_BYTES: i64 = 16 * 1024;
/// Limit of large bodies stored for one user, in bytes (behaviour 0.38).
const MAX_LARGE_BYTES: i64 = 64 * 1024 * 1024;

/// Query parameters that are not part of the fingerprint: the API key and the cache buster of
/// clients (behaviour 0.4).
const IGNORED_PARAMETERS: [&str; 2] = ["key", "time"];

/// Why an idempotency key was refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// The key is not 1 to 255 visible ASCII characters.
    #[error("Idempotency-Key must be one value of 1 to {MAX_CHARACTERS} visible ASCII characters")]
    Malformed,
    /// The key was used for another request.
    #[error(
        "this Idempotency-Key was used with another body or other parameters: use a new key for a \
         new request"
    )]
    Reused,
}

impl Refusal {
    pub(crate) const fn reason(&self) -> Reason {
        match self {
            Self::Malformed => Reason::BadRequest,
            Self::Reused => Reason::IdempotencyKeyReused,
        }
    }
}

/// An idempotency key as the client sent it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Key(String);

impl Key {
    /// Parses a key.
    ///
    /// # Errors
    /// [`Refusal::Malformed`].
    pub fn new(text: &str) -> Result<Self, Refusal> {
        let is_valid = (1..=MAX_CHARACTERS).contains(&text.len())
            && text.bytes().all(|byte| byte.is_ascii_graphic());
        if is_valid { Ok(Self(text.to_owned())) } else { Err(Refusal::Malformed) }
    }

    /// Returns the key as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// The idempotency key of a request with its scope and fingerprint.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Claim {
    /// The caller.
    pub user: UserId,
    /// The key.
    pub key: Key,
    /// The hash of method and path. Keys of different operations are independent.
    pub operation: Hash,
    /// The fingerprint, which a repetition must share.
    pub fingerprint: Hash,
}

/// The form in which a response body is stored (behaviour 0.38).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BodyForm {
    /// Uncompressed.
    Plain,
    /// Compressed.
    Compressed,
    /// Only the ids of its resources, compressed.
    Ids,
}

/// A stored response.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredResponse {
    /// The HTTP status, always a success.
    pub status: u16,
    /// The ETag (behaviour 0.17).
    pub tag: Option<String>,
    /// The body in the given form.
    pub body: Vec<u8>,
    /// The form of the body.
    pub form: BodyForm,
    /// The headers about the items of a batch.
    pub notes: Option<String>,
    /// The resources it shows besides the book of the request. Empty when loaded from the database.
    pub shows: Vec<Shown>,
}

/// The stored record of a completed request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyRecord {
    /// The fingerprint.
    pub fingerprint: Hash,
    /// The response.
    pub response: StoredResponse,
    /// The rights required to receive the response again (behaviour 0.27).
    pub needs: Vec<RequiredRights>,
}

impl KeyRecord {
    /// Returns the stored response for a repetition of the request.
    ///
    /// # Errors
    /// [`Refusal::Reused`] when the fingerprint differs.
    pub fn replay(self, claim: &Claim) -> Result<StoredResponse, Refusal> {
        if self.fingerprint == claim.fingerprint { Ok(self.response) } else { Err(Refusal::Reused) }
    }
}

/// Returns whether a large body of `body` bytes fits when the user's large bodies have `stored`
/// bytes (behaviour 0.38).
pub const fn fits_large_body(stored: i64, body: i64) -> bool {
    stored.saturating_add(body) <= MAX_LARGE_BYTES
}

/// Hashes an operation.
///
/// `path` has no installation prefix and no trailing slash. `app` separates the keys of an app,
/// which uses the token of a delivery, from those of its user.
pub fn operation(method: &str, path: &str, app: Option<&AppId>) -> Hash {
    // A method contains no space, so the two forms cannot be equal.
    let prefix = app.map_or_else(String::new, |app| format!("{app}  "));
    Hash::of(format!("{prefix}{method} {path}").as_bytes())
}

/// Computes the fingerprint of a request from the hash of its body and its query parameters.
///
/// The order of parameters matters only within one name, because handlers use the first value.
pub fn fingerprint(body: Hash, parameters: &[(String, String)]) -> Hash {
    let mut counted: Vec<_> = parameters
        .iter()
        .filter(|(name, _)| !IGNORED_PARAMETERS.contains(&name.as_str()))
        .collect();
    counted.sort_by_key(|(name, _)| name);
    // Length prefixes make the concatenation unambiguous.
    let texts = counted
        .into_iter()
        .flat_map(|(name, value)| [name, value])
        .map(|text| format!("{}:{text}", text.len()));
    let bytes: Vec<u8> =
        body.as_bytes().iter().copied().chain(texts.flat_map(String::into_bytes)).collect();
    Hash::of(&bytes)
}

/// Returns the instant before which stored responses have expired.
pub const fn expiry_cutoff(now: Instant) -> Instant {
    now.plus(-LIFETIME)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn large_bodies_fit_up_to_64_megabytes() {
        const LIMIT: i64 = 67_108_864;
        assert!(fits_large_body(LIMIT - 16_385, 16_385));
        assert!(!fits_large_body(LIMIT - 16_384, 16_385));
        assert!(!fits_large_body(i64::MAX, 16_385));
    }

    #[test]
    fn key_is_visible_ascii() {
        for key in ["a", "~!\"#,;", &"k".repeat(255)] {
            assert_eq!(Key::new(key).unwrap().as_str(), key);
        }
        for key in ["", " ", "a b", "a\tb", "a\n", "\u{7f}", "é", &"k".repeat(256)] {
            assert_eq!(Key::new(key), Err(Refusal::Malformed), "{key:?}");
        }
    }

    fn print(body: &[u8], parameters: &[(&str, &str)]) -> Hash {
        let owned: Vec<_> = parameters
            .iter()
            .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
            .collect();
        fingerprint(Hash::of(body), &owned)
    }

    #[test]
    fn fingerprint_covers_body_and_parameters() {
        let first = print(b"{}", &[("a", "1"), ("b", "2")]);
        for same in [
            print(b"{}", &[("b", "2"), ("a", "1")]),
            print(b"{}", &[("time", "17"), ("a", "1"), ("key", "k"), ("b", "2")]),
        ] {
            assert_eq!(same, first);
        }
        let others = [
            print(b"{ }", &[("a", "1"), ("b", "2")]),
            print(b"{}", &[]),
            print(b"{}", &[("a", "1")]),
            print(b"{}", &[("a", "2"), ("b", "1")]),
            print(b"{}", &[("a", "1"), ("b", "2"), ("b", "2")]),
            print(b"{}", &[("a", "1b2")]),
            print(b"{}", &[("A", "1"), ("b", "2")]),
            print(b"{}", &[("a", "1:b"), ("", "2")]),
        ];
        for (index, other) in others.iter().enumerate() {
            assert_ne!(*other, first, "number {index}");
        }
        // The first value of a repeated parameter is used, so their order matters.
        assert_ne!(print(b"", &[("a", "1"), ("a", "2")]), print(b"", &[("a", "2"), ("a", "1")]));
    }

    #[test]
    fn operation_hash_depends_on_method_path_and_app() {
        let put = operation("PUT", "/v5/books", None);
        assert_eq!(put, operation("PUT", "/v5/books", None));
        assert_ne!(put, operation("POST", "/v5/books", None));
        assert_ne!(put, operation("PUT", "/v5/books/b", None));
        let app = AppId::new("tax-bot").unwrap();
        assert_ne!(put, operation("PUT", "/v5/books", Some(&app)));
    }

    #[test]
    fn record_replays_only_the_same_request() {
        let claim = |body: &[u8]| Claim {
            user: UserId::new(1),
            key: Key::new("k").unwrap(),
            operation: operation("POST", "/v5/books", None),
            fingerprint: print(body, &[]),
        };
        let response = StoredResponse {
            status: 200,
            tag: None,
            body: b"{}".to_vec(),
            form: BodyForm::Plain,
            notes: None,
            shows: Vec::new(),
        };
        let record = KeyRecord {
            fingerprint: claim(b"first").fingerprint,
            response: response.clone(),
            needs: Vec::new(),
        };
        assert_eq!(record.clone().replay(&claim(b"first")), Ok(response));
        assert_eq!(record.replay(&claim(b"second")), Err(Refusal::Reused));
    }

    #[test]
    fn responses_expire_after_a_day() {
        assert_eq!(expiry_cutoff(Instant::new(86_400_005)), Instant::new(5));
    }
}
