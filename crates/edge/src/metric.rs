//! Counters of requests that the server did not serve.

use daybook_storage::metric::LabelledCounter;

/// Requests that got 503 and connections that were closed, by the missing resource.
pub static TURNED_AWAY: LabelledCounter<8> = LabelledCounter::new([
    "connections",
    "queue",
    "database",
    "memory",
    "deadline",
    "files",
    "provider",
    "other",
]);

/// Requests that got 429, by the kind of the limit.
pub static RATE_LIMITED: LabelledCounter<4> =
    LabelledCounter::new(["address", "quota", "streams", "uploads"]);

/// A kind of rate limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RateLimit {
    /// Attempts of a client address.
    Address,
    /// Calls of a user or an API key.
    Quota,
    /// Open event streams of a user.
    Streams,
    /// Bytes of file contents of a user.
    Uploads,
}

impl RateLimit {
    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::Address => "address",
            Self::Quota => "quota",
            Self::Streams => "streams",
            Self::Uploads => "uploads",
        }
    }
}
