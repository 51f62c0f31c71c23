//! Counters of requests that the server did not serve.

use daybook_storage::metric::LabelledCounter;

/// Requests that were answered 503 and connections that were closed, by what was missing.
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

/// Requests that were answered 429, by the kind of the limit.
pub static RATE_LIMITED: LabelledCounter<4> =
    LabelledCounter::new(["address", "quota", "streams", "uploads"]);
