//! Shapes of the contract: account.

use serde::{Deserialize, Serialize};

use crate::amount::Amount;
use crate::nullable::Nullable;
use crate::open_enum::open_enum;
use crate::properties::Properties;
use crate::timestamp::Timestamp;

/// An account of a book.
///
/// Requests name it by `id`, or by `name`, compared as a normalized name (4.3).
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Account {
    /// Id of the agent that created the resource, from the agent header; absent without one (9.2).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent_id: Option<String>,
    /// Archived accounts keep their balances and accept no postings (4.8).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub archived: Option<bool>,
    /// The running balance after this row, in lists filtered by this one permanent account: credits
    /// minus debits, raw (2.9). It is not the current balance; getBalances returns that.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub balance: Option<Amount>,
    /// Whether the last audit found the balance correct (4.11).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub balance_verified: Option<bool>,
    /// Creation time in milliseconds since the Unix epoch, as a string of digits. An update with
    /// this field is a round trip: the whole object as read, in which some absent fields are
    /// cleared (3.10.2, 4.9, 4.13).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub created_at: Option<Timestamp>,
    /// True for credit nature. Derived from the type; read only in a create without `type`,
    /// together with `permanent` (4.1).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub credit: Option<bool>,
    /// Direct groups (4.13). A present field replaces the membership in an update; in a round trip,
    /// an absent field clears it (4.9).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub groups: Option<Vec<Group>>,
    /// Whether the account ever had a posting; such an account cannot be deleted (4.7).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub has_transaction_posted: Option<bool>,
    /// A string of decimal digits that fits int64, unique across books (0.14). Assigned by the
    /// server; identifies the account in updates and batches.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// No request may lower the account below this balance (400 `insufficientFunds`, 3.13): debits
    /// minus credits for ASSET and OUTGOING, else credits minus debits. May be negative or a JSON
    /// number; an empty string or null clears it. Absent by default (4.24).
    #[serde(default, skip_serializing_if = "Nullable::is_absent")]
    pub min_balance: Nullable<Amount>,
    /// Unique among the accounts of the book by normalized name (4.5). Required on create.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The name in lower case, without diacritics, words joined with `_` (4.3).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub normalized_name: Option<String>,
    /// True for ASSET and LIABILITY. Derived from the type, like `credit` (4.1).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub permanent: Option<bool>,
    /// Custom properties. Keys are trimmed and lower-cased, with `_` for spaces, at most 30
    /// characters. A value has at most 90,000 bytes, all together 128 KB. An update merges: present
    /// keys are set, an empty or null value deletes the key, absent keys stay (4.6).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub properties: Option<Properties>,
    /// The reconciliation of the account that this row is on, in lists filtered by this one
    /// permanent account; absent if it is on none (14.9).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reconciliation_id: Option<String>,
    /// May change at any time (4.10). Defaults to the type of its groups if they agree, else ASSET
    /// (4.2).
    #[serde(rename = "type", default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<AccountType>,
    /// Time of the last change in milliseconds since the Unix epoch, as a string of digits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub updated_at: Option<Timestamp>,
}

/// Accounts.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct AccountList {
    /// In the order of the request; `[]` if there are none (2.7). A batch request has at most 10000
    /// (3.6.6).
    pub items: Vec<Account>,
}

open_enum! {
    /// ASSET and LIABILITY are permanent, INCOMING and OUTGOING are not; LIABILITY and INCOMING
    /// have credit nature (4.1).
    pub enum AccountType {
        /// `ASSET`.
        Asset = "ASSET",
        /// `LIABILITY`.
        Liability = "LIABILITY",
        /// `INCOMING`.
        Incoming = "INCOMING",
        /// `OUTGOING`.
        Outgoing = "OUTGOING",
    }
}

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

/// Groups; parents before children in lists (4.19).
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct GroupList {
    /// In the order of the request; `[]` if there are none (2.7). A batch request has at most 10000
    /// (3.6.6).
    pub items: Vec<Group>,
}
