//! Points in time as the API writes them.

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Milliseconds since the Unix epoch; the API writes them as a string of digits (0.12).
///
/// ```
/// use daybook_client::Timestamp;
/// use std::time::{Duration, UNIX_EPOCH};
///
/// let timestamp = Timestamp(1_767_571_200_000);
/// assert_eq!(timestamp.to_system_time(), UNIX_EPOCH + Duration::from_secs(1_767_571_200));
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Timestamp(pub u64);

impl Timestamp {
    /// Converts to the time of the standard library.
    ///
    /// ```
    /// # use daybook_client::Timestamp;
    /// assert_eq!(Timestamp(0).to_system_time(), std::time::UNIX_EPOCH);
    /// ```
    #[must_use]
    pub fn to_system_time(self) -> std::time::SystemTime {
        let since = std::time::Duration::from_millis(self.0);
        std::time::UNIX_EPOCH.checked_add(since).unwrap_or(std::time::UNIX_EPOCH)
    }
}

impl fmt::Display for Timestamp {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(out)
    }
}

impl Serialize for Timestamp {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&self.0)
    }
}

impl<'de> Deserialize<'de> for Timestamp {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        text.parse().map(Self).map_err(serde::de::Error::custom)
    }
}
