//! The clock: the only place that reads it.

use std::time::{SystemTime, UNIX_EPOCH};

use daybook_domain::instant::Instant;

/// Now, in milliseconds since the Unix epoch.
#[expect(
    clippy::disallowed_methods,
    reason = "this is the edge of the world that everything else gets the time from"
)]
pub(crate) fn now() -> Instant {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Instant::new(i64::try_from(since.as_millis()).unwrap_or(i64::MAX))
}
