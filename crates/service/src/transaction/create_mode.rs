//! How a request creates transactions.

use daybook_domain::transaction::Intent;

use crate::error::{Error, Result};
use crate::zone;

/// How a request creates transactions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CreateMode {
    /// Whether they must be posted.
    pub intent: Intent,
    /// Whether it is createTransaction, whose quick entry may also repeat in the following months
    /// (behaviour 3.8.2.8).
    pub single: bool,
    /// The IANA name of the zone for dates in quick entries. The default is the book's zone
    /// (behaviour 3.2.9).
    pub zone: Option<String>,
    /// Whether [`super::read_quick_entries`] has parsed the quick entries.
    pub quick_entries_are_read: bool,
}

impl From<Intent> for CreateMode {
    /// Returns the mode of a batch, in the book's zone.
    fn from(intent: Intent) -> Self {
        Self { intent, single: false, zone: None, quick_entries_are_read: false }
    }
}

impl CreateMode {
    /// Returns the mode with the zone in the spelling of the zone database.
    ///
    /// # Errors
    /// [`Error::BadRequest`] for an unknown zone.
    pub(super) fn with_canonical_zone(self) -> Result<Self> {
        let Some(name) = self.zone.as_deref().filter(|name| !name.trim().is_empty()) else {
            return Ok(Self { zone: None, ..self });
        };
        let zone = zone::canonical_name(name).ok_or_else(|| {
            let shown: String = name.chars().take(60).collect();
            Error::BadRequest(format!("timeZone \"{shown}\" is not an IANA time zone"))
        })?;
        Ok(Self { zone: Some(zone), ..self })
    }
}
