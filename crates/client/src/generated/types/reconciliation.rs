//! Shapes of the contract: reconciliation.

use serde::{Deserialize, Serialize};

use super::account::Account;
use super::event::EventType;
use crate::amount::Amount;
use crate::date::Date;
use crate::nullable::Nullable;
use crate::timestamp::Timestamp;

/// The comparison of a permanent account with a statement (14).
///
/// Balances are debits minus credits for ASSET and credits minus debits for LIABILITY.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Reconciliation {
    /// The account, in the short form of lists (2.10). In events only its id and name.
    pub account: Account,
    /// Id of the agent that created the resource, from the agent header; absent without one (9.2).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent_id: Option<String>,
    /// The last later change of each transaction that was changed since it was put on, oldest first
    /// (14.8). Only in getReconciliation.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub changes: Vec<ReconciliationChange>,
    /// The balance at the end of the statement.
    pub closing_balance: Amount,
    /// Creation time in milliseconds since the Unix epoch, as a string of digits.
    pub created_at: Timestamp,
    /// Username of its author.
    pub created_by: String,
    /// The last day of the statement.
    pub date: Date,
    /// closingBalance - openingBalance - movement: zero when the account agrees with the statement.
    pub difference: Amount,
    /// The file of the statement; absent without one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file_id: Option<String>,
    /// 16 hexadecimal digits, assigned by the server (0.14).
    pub id: String,
    /// The sum of its transactions on the account, with their present amounts (14.4).
    pub movement: Amount,
    /// The closing balance of the account's reconciliation before it by date and creation; zero for
    /// the first one (14.4).
    pub opening_balance: Amount,
    /// Number of its transactions.
    pub transaction_count: i64,
    /// Its transactions, oldest first by creation. Only in getReconciliation.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub transaction_ids: Vec<String>,
    /// Time of the last change in milliseconds since the Unix epoch, as a string of digits.
    pub updated_at: Timestamp,
}

/// A change of a transaction after it was put on a reconciliation (14.8).
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ReconciliationChange {
    /// The app that caused it; absent without one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent_id: Option<String>,
    /// Time of the event in milliseconds, as a string of digits.
    pub created_at: Timestamp,
    /// The event; getEvent returns it.
    pub event_id: String,
    /// Number of the event in the log (8.15).
    pub sequence: i64,
    /// The transaction.
    pub transaction_id: String,
    /// TRANSACTION_UPDATED, TRANSACTION_UNCHECKED, TRANSACTION_DELETED or TRANSACTION_RESTORED.
    #[serde(rename = "type")]
    pub kind: EventType,
    /// Username of the author of the change.
    pub username: String,
}

/// Reconciliations by date and creation, newest first (14.2).
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ReconciliationList {
    /// Value for the next page; absent on the last page (2.3).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cursor: Option<String>,
    /// `[]` if there are none (2.7).
    pub items: Vec<Reconciliation>,
}

/// The fields of a new reconciliation, or its changes (14.3).
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ReconciliationRequest {
    /// The permanent account, by id or name. Required on create, ignored later.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub account: Option<Account>,
    /// Ids of transactions to put on the reconciliation. One that is on it already counts as seen
    /// again: its changes so far are no longer reported (14.8).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub add: Option<Vec<String>>,
    /// The balance at the end of the statement: debits minus credits for ASSET, credits minus
    /// debits for LIABILITY. May be negative or a JSON number. Required on create.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub closing_balance: Option<Amount>,
    /// The last day of the statement. Required on create.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub date: Option<Date>,
    /// A file of the book: the statement. An empty string or null clears it.
    #[serde(default, skip_serializing_if = "Nullable::is_absent")]
    pub file_id: Nullable<String>,
    /// Ids of transactions to take off. Ids that are not on it, or in `add` too, are ignored.
    /// Ignored on create.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub remove: Option<Vec<String>>,
}
