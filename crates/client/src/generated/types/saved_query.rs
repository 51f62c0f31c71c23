//! Shapes of the contract: saved query.

use serde::{Deserialize, Serialize};

use crate::timestamp::Timestamp;

/// A saved query: a query text that belongs to a book.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Query {
    /// Id of the agent that created the resource, from the agent header; absent without one (9.2).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent_id: Option<String>,
    /// Creation time in milliseconds since the Unix epoch, as a string of digits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub created_at: Option<Timestamp>,
    /// A string of decimal digits that fits int64, unique across books (0.14). Assigned by the
    /// server; identifies the query in updates.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// The query text, at most 8 KB. Required on create, and never blank.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub query: Option<String>,
    /// A title; if it is blank, user interfaces show the query (9.9).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// Time of the last change in milliseconds since the Unix epoch, as a string of digits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub updated_at: Option<Timestamp>,
}

/// Saved queries, by title, ignoring case (9.9).
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct QueryList {
    /// `[]` if there are none (2.7).
    pub items: Vec<Query>,
}
