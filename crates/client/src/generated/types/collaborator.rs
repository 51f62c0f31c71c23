//! Shapes of the contract: collaborator.

use serde::{Deserialize, Serialize};

use super::book::Permission;
use crate::timestamp::Timestamp;

/// A user's request for a permission in a book (7.6).
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct AccessRequest {
    /// Picture of the user, if known (7.5).
    pub avatar_url: String,
    /// Time of the request in milliseconds since the Unix epoch, as a string of digits.
    pub created_at: Timestamp,
    /// Address of the requesting user.
    pub email: String,
    /// Time of expiry, 30 days after the request.
    pub expires_at: Timestamp,
    /// Opaque.
    pub id: String,
    /// Message to the owner; absent without one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// The requested permission: OWNER, EDITOR, POSTER, RECORDER or VIEWER.
    pub permission: Permission,
}

/// The open access requests of a book, the newest first (7.6).
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct AccessRequestList {
    /// `[]` if there are none (2.7).
    pub items: Vec<AccessRequest>,
}

/// A user's access to a book.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Collaborator {
    /// Id of the agent that created the resource, from the agent header; absent without one (9.2).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent_id: Option<String>,
    /// Picture of the user, if known (7.5).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub avatar_url: Option<String>,
    /// Creation time in milliseconds since the Unix epoch, as a string of digits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub created_at: Option<Timestamp>,
    /// Normalized: lower case, NFC, the domain in the form of the DNS; addresses that resemble
    /// others are refused (7.9). The user need not exist yet (7.5).
    pub email: String,
    /// Opaque, stable in the book.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// OWNER returns 400; NONE removes the collaborator (7.5).
    pub permission: Permission,
    /// Time of the last change in milliseconds since the Unix epoch, as a string of digits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub updated_at: Option<Timestamp>,
}

/// Collaborators: the owner first, then by e-mail address (7.5).
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CollaboratorPayloadCollection {
    /// `[]` if there are none (2.7).
    pub items: Vec<Collaborator>,
}
