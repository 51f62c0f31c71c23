//! Shapes of the contract: event.

use serde::{Deserialize, Serialize};

use super::book::Book;
use super::transaction::Agent;
use super::user::User;
use crate::open_enum::open_enum;
use crate::timestamp::Timestamp;

/// The result of an audit, for the state of the book after one of its events (6.7).
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Audit {
    /// Number of accounts read.
    pub accounts_checked: i64,
    /// Whether every balance and total equals the result from the transactions.
    pub balances_match: bool,
    /// Whether every event is present and unchanged (8.15).
    pub chain_intact: bool,
    /// Number of events read.
    pub events_checked: i64,
    /// The findings, the gravest kinds first; at most 20 of each kind.
    pub findings: Vec<Finding>,
    /// Number of findings.
    pub findings_count: i64,
    /// Number of that event; the audit ignores later events.
    pub sequence: i64,
    /// Number of transactions read, drafts and trashed ones included.
    pub transactions_checked: i64,
    /// Whether credits equal debits, in transactions and totals.
    pub zero_sum: bool,
}

/// The pending events.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Backlog {
    /// Number of events.
    pub count: i32,
}

/// The response of an app to an event.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct BotResponse {
    /// The app.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent_id: Option<String>,
    /// Time of the response in milliseconds, as a string of digits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub created_at: Option<Timestamp>,
    /// The message.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// Type of the response.
    #[serde(rename = "type", default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<BotResponseType>,
}

open_enum! {
    /// Type of the response.
    pub enum BotResponseType {
        /// `INFO`.
        Info = "INFO",
        /// `WARNING`.
        Warning = "WARNING",
        /// `ERROR`.
        Error = "ERROR",
    }
}

/// An attempt to deliver an event to an app.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct DeliveryAttempt {
    /// The app.
    pub agent_id: String,
    /// The first KB of the response, as text, without tokens and secrets of the delivery; absent
    /// without a response.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answer: Option<String>,
    /// Time of sending in milliseconds, as a string of digits.
    pub at: Timestamp,
    /// Number of the attempt to deliver the event to the app, replays included.
    pub attempt: i64,
    /// Milliseconds until the last byte of the response, or until the end of the attempt.
    pub duration_ms: i64,
    /// Reason of the failure; absent on success.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// The event.
    pub event_id: String,
    /// HTTP status of the response; absent without one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<i32>,
}

/// Attempts to deliver events (12.13).
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct DeliveryAttemptList {
    /// Value for the next page; absent on the last page (2.3).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cursor: Option<String>,
    /// `[]` if there are none (2.7).
    pub items: Vec<DeliveryAttempt>,
}

/// A change in a book; immutable, kept as long as the book (8.14).
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Event {
    /// The program that acted, from the agent header; `api` without one (8.4).
    pub agent: Agent,
    /// Current settings of the book, with the reader's permission (8.4).
    pub book: Book,
    /// The book.
    pub book_id: String,
    /// The responses of apps, one for each app (8.7).
    pub bot_responses: Vec<BotResponse>,
    /// Only in listEvents with `canonical=true`: the canonical JSON of which `hash` is computed
    /// (8.15).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub canonical: Option<String>,
    /// Time of the event in milliseconds since the Unix epoch, as a string of digits.
    pub created_at: Timestamp,
    /// The same instant in RFC 3339.
    pub created_on: String,
    /// The content of an event.
    pub data: EventData,
    /// SHA-256 of the previous event's hash (32 zero bytes for the first) and this event in
    /// canonical JSON, in hex (8.15).
    pub hash: String,
    /// Opaque.
    pub id: String,
    /// Id of the affected resource.
    pub resource: String,
    /// Number of the event in its book, from 1, without gaps (8.15).
    pub sequence: i64,
    /// Type of the event (8.1).
    #[serde(rename = "type")]
    pub kind: EventType,
    /// The acting user: username, name and avatarUrl.
    pub user: User,
}

/// The content of an event.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct EventData {
    /// Only for BOOK_AUDITED: the result of the audit (6.7).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub audit: Option<Audit>,
    /// Only for BOOK_CREATED of a copy with transactions: number and digest of the copied
    /// transactions (6.20).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub copied: Option<EventDataCopied>,
    /// The resource at that time: a TransactionOperation for transactions with both accounts in
    /// full, else the Account, Group, Collaborator, Comment, Query, Integration, the Reconciliation
    /// with `added` and `removed` instead of its sums and transactions (14.7), the File without
    /// content, or the Book without permission, collection, totals and lastUpdateMs (8.2).
    pub object: serde_json::Value,
    /// Only for \*_UPDATED: changed fields with their previous values, properties under their own
    /// key, an empty string for an absent value (8.3).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub previous_attributes: Option<std::collections::BTreeMap<String, String>>,
}

/// Only for BOOK_CREATED of a copy with transactions: number and digest of the copied transactions
/// (6.20).
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct EventDataCopied {
    /// SHA-256 of the digests of the copied transactions, in hex.
    pub sha256: String,
    /// Number of copied transactions, opening balances included.
    pub transactions: i64,
}

/// Events, newest first (2.6).
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct EventList {
    /// Value for the `cursor` header of the next page; absent on the last page (2.1, 2.3).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cursor: Option<String>,
    /// `[]` if there are none (2.7).
    pub items: Vec<Event>,
}

open_enum! {
    /// Type of the event (8.1).
    pub enum EventType {
        /// `FILE_CREATED`.
        FileCreated = "FILE_CREATED",
        /// `FILE_UPDATED`.
        FileUpdated = "FILE_UPDATED",
        /// `FILE_DELETED`.
        FileDeleted = "FILE_DELETED",
        /// `TRANSACTION_CREATED`.
        TransactionCreated = "TRANSACTION_CREATED",
        /// `TRANSACTION_UPDATED`.
        TransactionUpdated = "TRANSACTION_UPDATED",
        /// `TRANSACTION_DELETED`.
        TransactionDeleted = "TRANSACTION_DELETED",
        /// `TRANSACTION_POSTED`.
        TransactionPosted = "TRANSACTION_POSTED",
        /// `TRANSACTION_CHECKED`.
        TransactionChecked = "TRANSACTION_CHECKED",
        /// `TRANSACTION_UNCHECKED`.
        TransactionUnchecked = "TRANSACTION_UNCHECKED",
        /// `TRANSACTION_RESTORED`.
        TransactionRestored = "TRANSACTION_RESTORED",
        /// `ACCOUNT_CREATED`.
        AccountCreated = "ACCOUNT_CREATED",
        /// `ACCOUNT_UPDATED`.
        AccountUpdated = "ACCOUNT_UPDATED",
        /// `ACCOUNT_DELETED`.
        AccountDeleted = "ACCOUNT_DELETED",
        /// `QUERY_CREATED`.
        QueryCreated = "QUERY_CREATED",
        /// `QUERY_UPDATED`.
        QueryUpdated = "QUERY_UPDATED",
        /// `QUERY_DELETED`.
        QueryDeleted = "QUERY_DELETED",
        /// `RECONCILIATION_CREATED`.
        ReconciliationCreated = "RECONCILIATION_CREATED",
        /// `RECONCILIATION_UPDATED`.
        ReconciliationUpdated = "RECONCILIATION_UPDATED",
        /// `RECONCILIATION_DELETED`.
        ReconciliationDeleted = "RECONCILIATION_DELETED",
        /// `GROUP_CREATED`.
        GroupCreated = "GROUP_CREATED",
        /// `GROUP_UPDATED`.
        GroupUpdated = "GROUP_UPDATED",
        /// `GROUP_DELETED`.
        GroupDeleted = "GROUP_DELETED",
        /// `COMMENT_CREATED`.
        CommentCreated = "COMMENT_CREATED",
        /// `COMMENT_DELETED`.
        CommentDeleted = "COMMENT_DELETED",
        /// `COLLABORATOR_ADDED`.
        CollaboratorAdded = "COLLABORATOR_ADDED",
        /// `COLLABORATOR_UPDATED`.
        CollaboratorUpdated = "COLLABORATOR_UPDATED",
        /// `COLLABORATOR_REMOVED`.
        CollaboratorRemoved = "COLLABORATOR_REMOVED",
        /// `INTEGRATION_CREATED`.
        IntegrationCreated = "INTEGRATION_CREATED",
        /// `INTEGRATION_UPDATED`.
        IntegrationUpdated = "INTEGRATION_UPDATED",
        /// `INTEGRATION_DELETED`.
        IntegrationDeleted = "INTEGRATION_DELETED",
        /// `BOOK_CREATED`.
        BookCreated = "BOOK_CREATED",
        /// `BOOK_AUDITED`.
        BookAudited = "BOOK_AUDITED",
        /// `BOOK_UPDATED`.
        BookUpdated = "BOOK_UPDATED",
        /// `BOOK_DELETED`.
        BookDeleted = "BOOK_DELETED",
    }
}

/// A difference that an audit found.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Finding {
    /// Id of the account of an `entry`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub account: Option<String>,
    /// The stored value.
    pub actual: String,
    /// The value that follows from the transactions, or from the chain.
    pub expected: String,
    /// Kind of the finding (6.17); `entry` only in audits by earlier builds.
    pub kind: FindingKind,
    /// The day (yyyy-MM-dd) or month (yyyy-MM) of a total.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub period: Option<String>,
    /// Id of the account, transaction, event or book.
    pub resource: String,
}

open_enum! {
    /// Kind of the finding (6.17); `entry` only in audits by earlier builds.
    pub enum FindingKind {
        /// `balance`.
        Balance = "balance",
        /// `zeroSum`.
        ZeroSum = "zeroSum",
        /// `event`.
        Event = "event",
        /// `eventMissing`.
        EventMissing = "eventMissing",
        /// `eventHead`.
        EventHead = "eventHead",
        /// `copied`.
        Copied = "copied",
        /// `row`.
        Row = "row",
        /// `transaction`.
        Transaction = "transaction",
        /// `entry`.
        Entry = "entry",
        /// `monthTotal`.
        MonthTotal = "monthTotal",
        /// `dayTotal`.
        DayTotal = "dayTotal",
        /// `count`.
        Count = "count",
        /// `hasTransactionPosted`.
        HasTransactionPosted = "hasTransactionPosted",
        /// `index`.
        Index = "index",
        /// `stored`.
        Stored = "stored",
    }
}
