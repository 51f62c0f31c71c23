//! Shapes of the contract: group.

use serde::{Deserialize, Serialize};

use super::account::AccountType;
use crate::nullable::Nullable;
use crate::properties::Properties;
use crate::timestamp::Timestamp;

/// A group of accounts and other groups.
///
/// Requests name it by `id`, or by `name`, compared as a normalized name.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Group {
    /// Id of the agent that created the resource, from the agent header; absent without one (9.2).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent_id: Option<String>,
    /// Creation time in milliseconds since the Unix epoch, as a string of digits. An update with
    /// this field is a round trip: the whole object as read, in which some absent fields are
    /// cleared (3.10.2, 4.9, 4.13).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub created_at: Option<Timestamp>,
    /// Whether all accounts below have credit nature; false if mixed (4.12).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub credit: Option<bool>,
    /// Whether the group has accounts below it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub has_accounts: Option<bool>,
    /// Whether it has child groups.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub has_groups: Option<bool>,
    /// A setting for user interfaces (4.15).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hidden: Option<bool>,
    /// A string of decimal digits that fits int64, unique across books (0.14). Assigned by the
    /// server; identifies the group in updates and batches.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// Set by the OWNER: only the OWNER may change the group, its membership and its accounts
    /// (4.15).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub locked: Option<bool>,
    /// Whether the accounts below are of different types (4.12).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mixed: Option<bool>,
    /// Unique among the groups of the book by normalized name (4.5). Required on create.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The name in lower case, without diacritics, words joined with `_` (4.3).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub normalized_name: Option<String>,
    /// The parent group, by id or name. Null clears it; so does absence in a round trip (4.13).
    #[serde(default, skip_serializing_if = "Nullable::is_absent")]
    pub parent: Nullable<Box<Group>>,
    /// Whether the accounts below are permanent (4.12).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub permanent: Option<bool>,
    /// Custom properties. Keys are trimmed and lower-cased, with `_` for spaces, at most 30
    /// characters. A value has at most 90,000 bytes, all together 128 KB. An update merges: present
    /// keys are set, an empty or null value deletes the key, absent keys stay (4.6).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub properties: Option<Properties>,
    /// Type of all accounts below; absent if they differ or there are none (4.12).
    #[serde(rename = "type", default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<AccountType>,
    /// Time of the last change in milliseconds since the Unix epoch, as a string of digits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub updated_at: Option<Timestamp>,
}
