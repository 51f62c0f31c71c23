//! Idempotency keys: a request that is sent again is not done again, and gets the same answer
//! (behaviour 0.16).

use crate::app::AppId;
use crate::event::Hash;
use crate::id::UserId;
use crate::instant::Instant;
use crate::reason::Reason;
use crate::rights::{Need, Shown};

/// Longest key, in characters.
const MAX_CHARACTERS: usize = 255;
/// How long an answer is stored: 24 hours.
const LIFETIME_MILLISECONDS: i64 = 24 * 60 * 60 * 1_000;

/// The most bytes that a body may have, as it is stored, without being a large one.
pub const MAX_SMALL_BYTES: i64 = 16 * 1024;
/// The most bytes of large bodies that are stored whole for a user (behaviour 0.38).
const MAX_LARGE_BYTES: i64 = 64 * 1024 * 1024;

/// Query parameters that do not count as part of a request: an API key, and what clients add
/// against caches (behaviour 0.4).
const IGNORED_PARAMETERS: [&str; 2] = ["key", "time"];

/// Why a key is refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// Not 1 to 255 visible ASCII characters.
    #[error("Idempotency-Key must be one value of 1 to {MAX_CHARACTERS} visible ASCII characters")]
    Malformed,
    /// The key was used for another request.
    #[error(
        "this Idempotency-Key was used with another body or other parameters; take a new key for a \
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
///
/// ```
/// use daybook_domain::idempotency::Key;
///
/// assert!(Key::new("8e03978e-40d5-43dd-bc93-6894a57f9324").is_ok());
/// assert!(Key::new("two words").is_err());
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Key(String);

impl Key {
    /// Reads a key.
    ///
    /// # Errors
    /// [`Refusal::Malformed`].
    pub fn new(text: &str) -> Result<Self, Refusal> {
        let plain = (1..=MAX_CHARACTERS).contains(&text.len())
            && text.bytes().all(|byte| byte.is_ascii_graphic());
        if plain { Ok(Self(text.to_owned())) } else { Err(Refusal::Malformed) }
    }

    /// The key as sent.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// The idempotency key of a request with its scope and fingerprint.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Claim {
    /// The user who makes the request.
    pub user: UserId,
    /// The key.
    pub key: Key,
    /// The hash of method and path; the same key means something else for another operation.
    pub operation: Hash,
    /// The fingerprint, which a repetition must have too.
    pub fingerprint: Hash,
}

/// How the body of an answer is stored (behaviour 0.38).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BodyForm {
    /// As it was sent.
    Plain,
    /// Compressed.
    Compressed,
    /// Only the ids of what it showed, compressed.
    Ids,
}

/// An answer as it is stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredAnswer {
    /// The HTTP status, always one of success.
    pub status: u16,
    /// The ETag in the answer (behaviour 0.17).
    pub tag: Option<String>,
    /// The body, in its form.
    pub body: Vec<u8>,
    /// How the body is stored.
    pub form: BodyForm,
    /// The headers about the items of a batch.
    pub notes: Option<String>,
    /// What it shows besides the book of the request; nothing when it comes from the database.
    pub shows: Vec<Shown>,
}

/// What is stored about a request that was done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyRecord {
    /// Its fingerprint.
    pub fingerprint: Hash,
    /// Its answer.
    pub answer: StoredAnswer,
    /// What the caller needs in order to be given the answer again (behaviour 0.27).
    pub needs: Vec<Need>,
}

impl KeyRecord {
    /// The answer for a repetition of the request.
    ///
    /// # Errors
    /// [`Refusal::Reused`] for another request.
    pub fn replay(self, claim: &Claim) -> Result<StoredAnswer, Refusal> {
        if self.fingerprint == claim.fingerprint { Ok(self.answer) } else { Err(Refusal::Reused) }
    }
}

/// Whether a large body of so many bytes is stored whole beside the large ones that are stored for
/// its user already (behaviour 0.38).
#[must_use]
pub const fn has_room(stored: i64, body: i64) -> bool {
    stored.saturating_add(body) <= MAX_LARGE_BYTES
}

/// The hash of an operation. `path` is without the prefix of the installation and without a
/// trailing slash. What an app asks with the token of a delivery is not what its user asks: neither
/// gets the answers of the other.
#[must_use]
pub fn operation(method: &str, path: &str, app: Option<&AppId>) -> Hash {
    // No method has a space.
    let asked = app.map_or_else(String::new, |app| format!("{app}  "));
    Hash::of(format!("{asked}{method} {path}").as_bytes())
}

/// The fingerprint of a request, from the hash of its body and its query parameters. The order of
/// parameters counts only among those of one name, of which the first is used.
#[must_use]
pub fn fingerprint(body: Hash, parameters: &[(String, String)]) -> Hash {
    let mut counted: Vec<_> = parameters
        .iter()
        .filter(|(name, _)| !IGNORED_PARAMETERS.contains(&name.as_str()))
        .collect();
    counted.sort_by_key(|(name, _)| name);
    // With lengths before them, two texts cannot look like one.
    let texts = counted
        .into_iter()
        .flat_map(|(name, value)| [name, value])
        .map(|text| format!("{}:{text}", text.len()));
    let bytes: Vec<u8> =
        body.as_bytes().iter().copied().chain(texts.flat_map(String::into_bytes)).collect();
    Hash::of(&bytes)
}

/// The instant before which stored answers have expired.
#[must_use]
pub const fn forgotten_before(now: Instant) -> Instant {
    Instant::new(now.milliseconds().saturating_sub(LIFETIME_MILLISECONDS))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rule_0_38_large_bodies_count_and_have_room_up_to_64_megabytes() {
        const MOST: i64 = 67_108_864;
        assert!(has_room(MOST - 16_385, 16_385));
        assert!(!has_room(MOST - 16_384, 16_385));
        assert!(!has_room(i64::MAX, 16_385));
    }

    #[test]
    fn keys_are_visible_ascii() {
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
    fn a_fingerprint_is_body_and_telling_parameters() {
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
        for (place, other) in others.iter().enumerate() {
            assert_ne!(*other, first, "number {place}");
        }
        // Of a repeated parameter the first counts, so their order says something.
        assert_ne!(print(b"", &[("a", "1"), ("a", "2")]), print(b"", &[("a", "2"), ("a", "1")]));
    }

    #[test]
    fn operations_differ_by_method_and_path() {
        let put = operation("PUT", "/v5/books", None);
        assert_eq!(put, operation("PUT", "/v5/books", None));
        assert_ne!(put, operation("POST", "/v5/books", None));
        assert_ne!(put, operation("PUT", "/v5/books/b", None));
        let app = AppId::new("tax-bot").unwrap();
        assert_ne!(put, operation("PUT", "/v5/books", Some(&app)));
    }

    #[test]
    fn a_record_answers_only_what_says_the_same() {
        let claim = |body: &[u8]| Claim {
            user: UserId::new(1),
            key: Key::new("k").unwrap(),
            operation: operation("POST", "/v5/books", None),
            fingerprint: print(body, &[]),
        };
        let answer = StoredAnswer {
            status: 200,
            tag: None,
            body: b"{}".to_vec(),
            form: BodyForm::Plain,
            notes: None,
            shows: Vec::new(),
        };
        let record = KeyRecord {
            fingerprint: claim(b"first").fingerprint,
            answer: answer.clone(),
            needs: Vec::new(),
        };
        assert_eq!(record.clone().replay(&claim(b"first")), Ok(answer));
        assert_eq!(record.replay(&claim(b"second")), Err(Refusal::Reused));
    }

    #[test]
    fn a_day_is_remembered() {
        assert_eq!(forgotten_before(Instant::new(86_400_005)), Instant::new(5));
    }
}
