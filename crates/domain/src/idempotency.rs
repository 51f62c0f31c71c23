//! Idempotency keys: a request that is sent again is answered again, and done once (behaviour
//! 0.16).

use crate::event::Hash;
use crate::id::UserId;
use crate::instant::Instant;
use crate::reason::Reason;

/// Longest key, in characters.
const MAX_CHARACTERS: usize = 255;
/// How long an answer is kept: 24 hours.
const LIFETIME_MILLISECONDS: i64 = 24 * 60 * 60 * 1_000;

/// Query parameters that say nothing about what is asked: an API key, and what clients add against
/// caches (behaviour 0.4).
const SILENT_PARAMETERS: [&str; 2] = ["key", "time"];

/// Why a key is not taken.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// Not 1 to 255 visible ASCII characters.
    #[error("Idempotency-Key must be one value of 1 to {MAX_CHARACTERS} visible ASCII characters")]
    Malformed,
    /// The key stands for another request.
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

/// A key as its client chose it.
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

/// A request that wants to be done once: what it is found by, and what it says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Claim {
    /// Who asks.
    pub user: UserId,
    /// The client's name for the request.
    pub key: Key,
    /// Method and path, hashed: the same key of the same user means something else elsewhere.
    pub operation: Hash,
    /// What a repetition must have in common with the first request.
    pub fingerprint: Hash,
}

/// An answer in the form it is kept; nobody here reads the body.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredAnswer {
    /// The HTTP status, always one of success.
    pub status: u16,
    /// The version it told of (behaviour 0.17).
    pub tag: Option<String>,
    /// The body, byte by byte.
    pub body: Vec<u8>,
}

/// What is kept of a request that was done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyRecord {
    /// What it said.
    pub fingerprint: Hash,
    /// What it was answered.
    pub answer: StoredAnswer,
}

impl KeyRecord {
    /// The answer, for a request that says the same.
    ///
    /// # Errors
    /// [`Refusal::Reused`] for one that does not.
    pub fn replay(self, claim: &Claim) -> Result<StoredAnswer, Refusal> {
        if self.fingerprint == claim.fingerprint { Ok(self.answer) } else { Err(Refusal::Reused) }
    }
}

/// Method and path as a claim has them. The path comes without the prefix of the installation and
/// without a trailing slash.
#[must_use]
pub fn operation(method: &str, path: &str) -> Hash {
    Hash::of(format!("{method} {path}").as_bytes())
}

/// The fingerprint of a request from the hash of its body and its query parameters. Their order
/// does not matter, but among parameters of one name, of which the first counts.
#[must_use]
pub fn fingerprint(body: Hash, parameters: &[(String, String)]) -> Hash {
    let mut telling: Vec<_> =
        parameters.iter().filter(|(name, _)| !SILENT_PARAMETERS.contains(&name.as_str())).collect();
    telling.sort_by_key(|(name, _)| name);
    // With its length before it, no text can pass for two.
    let texts = telling
        .into_iter()
        .flat_map(|(name, value)| [name, value])
        .map(|text| format!("{}:{text}", text.len()));
    let said: Vec<u8> =
        body.as_bytes().iter().copied().chain(texts.flat_map(String::into_bytes)).collect();
    Hash::of(&said)
}

/// What was recorded before this instant is forgotten now.
#[must_use]
pub const fn forgotten_before(now: Instant) -> Instant {
    Instant::new(now.milliseconds().saturating_sub(LIFETIME_MILLISECONDS))
}

#[cfg(test)]
mod tests {
    use super::*;

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
        assert_eq!(operation("PUT", "/v5/books"), operation("PUT", "/v5/books"));
        assert_ne!(operation("PUT", "/v5/books"), operation("POST", "/v5/books"));
        assert_ne!(operation("PUT", "/v5/books"), operation("PUT", "/v5/books/b"));
    }

    #[test]
    fn a_record_answers_only_what_says_the_same() {
        let claim = |body: &[u8]| Claim {
            user: UserId::new(1),
            key: Key::new("k").unwrap(),
            operation: operation("POST", "/v5/books"),
            fingerprint: print(body, &[]),
        };
        let answer = StoredAnswer { status: 200, tag: None, body: b"{}".to_vec() };
        let record = KeyRecord { fingerprint: claim(b"first").fingerprint, answer: answer.clone() };
        assert_eq!(record.clone().replay(&claim(b"first")), Ok(answer));
        assert_eq!(record.replay(&claim(b"second")), Err(Refusal::Reused));
    }

    #[test]
    fn a_day_is_remembered() {
        assert_eq!(forgotten_before(Instant::new(86_400_005)), Instant::new(5));
    }
}
