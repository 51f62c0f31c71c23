//! Shapes of the contract: connection.

use serde::{Deserialize, Serialize};

use crate::open_enum::open_enum;
use crate::properties::Properties;
use crate::timestamp::Timestamp;

/// A user's authorization of an app at another service, such as a bank (9.5).
///
/// Visible only to the user.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Connection {
    /// Id of the app; on create by default that of the agent header. Immutable.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent_id: Option<String>,
    /// Creation time in milliseconds since the Unix epoch, as a string of digits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub created_at: Option<Timestamp>,
    /// Time of creation: `createdAt`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub date_added_ms: Option<Timestamp>,
    /// Address of the user.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub email: Option<String>,
    /// Opaque. Assigned by the server; identifies the connection in updates.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// Logo of the app; absent if it has none of at most 2048 characters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub logo: Option<String>,
    /// A name. Required on create, and never blank.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Custom properties. Keys are trimmed and lower-cased, with `_` for spaces, at most 30
    /// characters. A value has at most 90,000 bytes, all together 128 KB. An update merges: present
    /// keys are set, an empty or null value deletes the key, absent keys stay (4.6).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub properties: Option<Properties>,
    /// APP by default. A BANK connection needs no app of this installation.
    #[serde(rename = "type", default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<ConnectionType>,
    /// Time of the last change, in the same form.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub updated_at: Option<Timestamp>,
    /// Id of the user.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub user_id: Option<String>,
    /// The client's name for it, unique for user and app; by default the id. Immutable.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub uuid: Option<String>,
}

/// Connections, by name, ignoring case (9.5).
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ConnectionList {
    /// `[]` if there are none (2.7).
    pub items: Vec<Connection>,
}

open_enum! {
    /// APP by default.
    ///
    /// A BANK connection needs no app of this installation.
    pub enum ConnectionType {
        /// `APP`.
        App = "APP",
        /// `BANK`.
        Bank = "BANK",
    }
}
