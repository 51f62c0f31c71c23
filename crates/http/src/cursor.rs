//! Cursors: opaque text with the last key of a page and its query (behaviour 2.4, 2.5).

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use daybook_domain::id::FileId;
use daybook_domain::instant::Instant;
use daybook_storage::page::PageKey;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

/// The cursor of a list of transactions.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct TransactionCursor {
    day: i32,
    id: i64,
    pub(crate) query: String,
    /// When the first page was requested.
    #[serde(rename = "asked_at")]
    requested_at: i64,
}

impl TransactionCursor {
    pub(crate) const fn new(key: PageKey, query: String, requested_at: Instant) -> Self {
        let PageKey { day, id } = key;
        Self { day, id, query, requested_at: requested_at.milliseconds() }
    }

    /// Returns when the first page was requested.
    pub(crate) const fn requested_at(&self) -> Instant {
        Instant::new(self.requested_at)
    }

    pub(crate) const fn key(&self) -> PageKey {
        PageKey { day: self.day, id: self.id }
    }
}

/// The cursor of a list of events.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(crate) struct EventCursor {
    pub(crate) sequence: i64,
    pub(crate) after: Option<String>,
    pub(crate) before: Option<String>,
    pub(crate) error: Option<bool>,
    pub(crate) resource: Option<String>,
    pub(crate) kind: Option<String>,
}

/// The cursor of a list of files.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct FileCursor {
    file: i64,
}

impl FileCursor {
    pub(crate) const fn new(id: FileId) -> Self {
        Self { file: id.get() }
    }

    pub(crate) const fn key(&self) -> FileId {
        FileId::new(self.file)
    }
}

/// The cursor of a list of users.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct UserCursor {
    pub(crate) email: String,
}

/// The cursor of a list of imports.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct ImportCursor {
    pub(crate) import: i64,
}

/// The cursor of the records of an import.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct RecordCursor {
    pub(crate) record: u32,
    pub(crate) outcome: Option<String>,
}

/// The cursor of a list of reconciliations.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct ReconciliationCursor {
    pub(crate) day: i32,
    pub(crate) id: i64,
    pub(crate) account: Option<String>,
}

/// The cursor of the delivery log of an event.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct LogCursor {
    pub(crate) app: String,
    pub(crate) attempt: i64,
}

/// The cursor of the delivery log of an app.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct AttemptCursor {
    pub(crate) at: i64,
    pub(crate) sequence: i64,
    pub(crate) attempt: i64,
}

pub(crate) fn write(cursor: &impl Serialize) -> Option<String> {
    serde_json::to_vec(cursor).ok().map(|json| URL_SAFE_NO_PAD.encode(json))
}

/// Parses a cursor. A malformed one is `None`, which results in the first page.
pub(crate) fn read<T: DeserializeOwned>(text: &str) -> Option<T> {
    serde_json::from_slice(&URL_SAFE_NO_PAD.decode(text).ok()?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cursor_round_trips_and_malformed_ones_are_none() {
        let key = PageKey { day: 20250131, id: 7 };
        let cursor = TransactionCursor::new(key, "account:'Ação'".to_owned(), Instant::new(9));
        let text = write(&cursor).unwrap();
        assert_eq!(read::<TransactionCursor>(&text), Some(cursor));
        for damaged in ["", "x", "é", &text[1..]] {
            assert_eq!(read::<TransactionCursor>(damaged), None, "{damaged}");
        }
    }
}
