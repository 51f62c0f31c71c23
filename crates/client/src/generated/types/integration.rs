//! Shapes of the contract: integration.

use serde::{Deserialize, Serialize};

use crate::open_enum::open_enum;
use crate::properties::Properties;
use crate::timestamp::Timestamp;

/// An app installed in a book, or the program of a bank (9.4).
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Integration {
    /// Username of the installing user.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub added_by: Option<String>,
    /// Id of the app. Required on create without connectionId; immutable.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent_id: Option<String>,
    /// The book.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub book_id: Option<String>,
    /// A connection of the caller, on create; absent without one (9.5).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub connection_id: Option<String>,
    /// Time of installation in milliseconds since the Unix epoch, as a string of digits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub created_at: Option<Timestamp>,
    /// Time of installation: `createdAt`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub date_added_ms: Option<Timestamp>,
    /// A string of decimal digits that fits int64, unique across books (0.14). Assigned by the
    /// server; identifies the integration in updates.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// Time of the last change: `updatedAt`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_update_ms: Option<Timestamp>,
    /// Logo of the app; absent if it has none of at most 2048 characters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub logo: Option<String>,
    /// Its logo for dark mode; absent under the same condition.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub logo_dark: Option<String>,
    /// A name; by default that of the app.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The normalized name (4.3).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub normalized_name: Option<String>,
    /// Whether the app receives the events of this book that it caused itself (8.11). True by
    /// default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub own_events: Option<bool>,
    /// Cause of the pause: the operator of the server, or three days of failed deliveries. Absent
    /// if it is not paused.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pause_cause: Option<IntegrationPauseCause>,
    /// Start of the pause of the app in this book, in milliseconds since the Unix epoch (8.19).
    /// Absent if it is not paused.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub paused_at: Option<Timestamp>,
    /// Custom properties. Keys are trimmed and lower-cased, with `_` for spaces, at most 30
    /// characters. A value has at most 90,000 bytes, all together 128 KB. An update merges: present
    /// keys are set, an empty or null value deletes the key, absent keys stay (4.6).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub properties: Option<Properties>,
    /// The installing user's books that the app reaches with the tokens of its deliveries (8.22):
    /// this book; this book and those of its collection (the default); or all. Only that user
    /// changes it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reach: Option<IntegrationReach>,
    /// Time of the last change, in the same form.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub updated_at: Option<Timestamp>,
    /// Id of the installing user.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub user_id: Option<String>,
}

/// Integrations, by name, ignoring case (9.4).
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct IntegrationList {
    /// `[]` if there are none (2.7).
    pub items: Vec<Integration>,
}

open_enum! {
    /// Cause of the pause: the operator of the server, or three days of failed deliveries.
    ///
    /// Absent if it is not paused.
    pub enum IntegrationPauseCause {
        /// `OPERATOR`.
        Operator = "OPERATOR",
        /// `FAILURES`.
        Failures = "FAILURES",
    }
}

open_enum! {
    /// The installing user's books that the app reaches with the tokens of its deliveries (8.22):
    /// this book; this book and those of its collection (the default); or all.
    ///
    /// Only that user changes it.
    pub enum IntegrationReach {
        /// `BOOK`.
        Book = "BOOK",
        /// `COLLECTION`.
        Collection = "COLLECTION",
        /// `ALL`.
        All = "ALL",
    }
}
