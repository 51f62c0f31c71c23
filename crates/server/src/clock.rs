//! The system clock. No other module reads it.

use std::time::{SystemTime, UNIX_EPOCH};

use daybook_domain::instant::Instant;

/// Returns the current time, in milliseconds since the Unix epoch.
#[expect(clippy::disallowed_methods, reason = "all other code gets the time from here")]
pub(crate) fn now() -> Instant {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Instant::new(i64::try_from(since.as_millis()).unwrap_or(i64::MAX))
}
