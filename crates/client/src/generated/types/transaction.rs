//! Shapes of the contract: transaction.

use serde::{Deserialize, Serialize};

use super::account::Account;
use super::file::File;
use super::user::User;
use crate::amount::Amount;
use crate::date::Date;
use crate::nullable::Nullable;
use crate::open_enum::open_enum;
use crate::properties::Properties;
use crate::timestamp::Timestamp;

/// The program that acted, from the agent header; `api` without one (8.4).
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Agent {
    /// Agent id.
    pub id: String,
    /// Logo of that app; absent if it has none of at most 2048 characters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub logo: Option<String>,
    /// Its logo for dark mode; absent under the same condition.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub logo_dark: Option<String>,
    /// Name of the app with that id; absent without such an app (9.2).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
}

/// A comment on a transaction, visible to the collaborators who may read the transaction (3.14).
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Comment {
    /// The program that wrote it, as in events.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<Agent>,
    /// Creation time in milliseconds since the Unix epoch, as a string of digits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub created_at: Option<Timestamp>,
    /// Opaque.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// Plain text with line breaks, trimmed, never blank.
    pub text: String,
    /// The transaction.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub transaction_id: Option<String>,
    /// The author, as in events: username, name and avatarUrl.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub user: Option<User>,
}

/// All comments on a transaction, oldest first (3.14).
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CommentList {
    /// `[]` if there are none (2.7).
    pub items: Vec<Comment>,
}

/// A number of transactions.
///
/// Counts of a query have only `total` and, if any, `warnings`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Count {
    /// Day, 0 in monthly and yearly slices.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub day: Option<i32>,
    /// year \* 10000 + month \* 100 + day: 20130600 is June 2013 (5.6).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fuzzy_date: Option<i32>,
    /// Month, 0 in yearly slices.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub month: Option<i32>,
    /// The count.
    pub total: i64,
    /// Texts that name unreadable or ignored terms, and terms read as text, such as `on:2013-02-30:
    /// not a date`; absent without such terms (1.1.13).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
    /// Year.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub year: Option<i32>,
}

/// Transactions by the slice of their date, in chronological order.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Counts {
    /// Posted and not trashed.
    pub posted: Vec<Count>,
    /// Trashed, whether posted or not.
    pub trashed: Vec<Count>,
    /// Present if slices without transactions are omitted (9.8).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub truncated: Option<bool>,
}

/// An item of a request that existed already by a remote id (3.7.2).
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct KnownItem {
    /// The fields that differ from the stored transaction: date, amount, creditAccount,
    /// debitAccount; absent if none differs.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub differs: Vec<String>,
    /// The position of the item, from 0.
    pub index: i32,
}

open_enum! {
    /// Length of a slice.
    ///
    /// Above 36,600 slices, slices without transactions are omitted (9.8).
    pub enum Periodicity {
        /// `DAILY`.
        Daily = "DAILY",
        /// `MONTHLY`.
        Monthly = "MONTHLY",
        /// `YEARLY`.
        Yearly = "YEARLY",
    }
}

/// An account of a preview.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PreviewAccount {
    /// Opaque.
    pub id: String,
    /// The account's name.
    pub name: String,
}

/// A transaction that is probably the same one (3.15.4).
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PreviewDuplicate {
    /// The amount, with `fractionDigits` decimals.
    pub amount: Amount,
    /// yyyy-MM-dd; absent for a draft without a date.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub date: Option<Date>,
    /// The description.
    pub description: String,
    /// Opaque.
    pub id: String,
    /// Whether it is posted; else it is a draft.
    pub posted: bool,
}

/// A part of a typed line (3.15.2).
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PreviewToken {
    /// The account that was found; only for `creditAccount` and `debitAccount`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub account: Option<PreviewAccount>,
    /// Offset behind its last UTF-16 code unit.
    pub end: i64,
    /// What it was read as. `hashtag` stays in the description; the others leave it.
    pub kind: PreviewTokenKind,
    /// Offset of its first UTF-16 code unit in the description as sent, from 0.
    pub start: i64,
}

open_enum! {
    /// What it was read as.
    ///
    /// `hashtag` stays in the description; the others leave it.
    pub enum PreviewTokenKind {
        /// `amount`.
        Amount = "amount",
        /// `date`.
        Date = "date",
        /// `creditAccount`.
        CreditAccount = "creditAccount",
        /// `debitAccount`.
        DebitAccount = "debitAccount",
        /// `repeats`.
        Repeats = "repeats",
        /// `url`.
        Url = "url",
        /// `hashtag`.
        Hashtag = "hashtag",
        /// `removedHashtag`.
        RemovedHashtag = "removedHashtag",
    }
}

/// A movement of an amount from the credit account to the debit account.
///
/// It is a draft until it is posted (3.1).
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Transaction {
    /// Id of the agent that created the resource, from the agent header; absent without one (9.2).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent_id: Option<String>,
    /// Logo of that app; absent if it has none of at most 2048 characters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent_logo: Option<String>,
    /// Its logo for dark mode; absent under the same condition.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent_logo_dark: Option<String>,
    /// Name of the app with that agent id; absent without such an app (9.2).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent_name: Option<String>,
    /// A decimal, never negative; the two sides give the direction. Read as a plain number with a
    /// dot, or with the book's separators; JSON numbers are accepted (3.12). Responses have
    /// `fractionDigits` decimals. A missing, empty or zero amount means none.
    #[serde(default, skip_serializing_if = "Nullable::is_absent")]
    pub amount: Nullable<Amount>,
    /// Whether it is checked and read-only. In a create, post or update of a posted transaction,
    /// true checks it if the caller may check (3.2.3, 3.3.3, 3.4.2).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub checked: Option<bool>,
    /// Number of comments; absent without comments, and for readers of a PUBLIC book who are not
    /// collaborators (3.14.2, 3.14.4).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub comment_count: Option<i32>,
    /// Creation time in milliseconds since the Unix epoch, as a string of digits. An update with
    /// this field is a round trip: the whole object as read, in which some absent fields are
    /// cleared (3.10.2, 4.9, 4.13).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub created_at: Option<Timestamp>,
    /// Username of the user who recorded it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub created_by: Option<String>,
    /// The origin side, named by `id` or `name` (3.2.6). Rows of lists have a short form (2.10).
    #[serde(default, skip_serializing_if = "Nullable::is_absent")]
    pub credit_account: Nullable<Account>,
    /// yyyy-MM-dd; absent for a draft without a date. Null or an empty string clears the date of a
    /// draft (3.2.4, 3.10.2).
    #[serde(default, skip_serializing_if = "Nullable::is_absent")]
    pub date: Nullable<Date>,
    /// The date in the book's pattern.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub date_formatted: Option<String>,
    /// The date as the number yyyyMMdd.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub date_value: Option<i32>,
    /// The destination side, named like `creditAccount`.
    #[serde(default, skip_serializing_if = "Nullable::is_absent")]
    pub debit_account: Nullable<Account>,
    /// Free text; its hashtags become `tags` (3.9.1).
    #[serde(default, skip_serializing_if = "Nullable::is_absent")]
    pub description: Nullable<String>,
    /// Not posted. In a create, true keeps the transaction a draft, even if it is complete (3.2.2);
    /// ignored elsewhere.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub draft: Option<bool>,
    /// Attached files, without content. In a body: files of the book by `id`, or new ones with
    /// `content`; the list replaces the stored one (3.2.12, 3.10.3).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub files: Option<Vec<File>>,
    /// Opaque. Assigned by the server; identifies the transaction in updates, state changes and
    /// batches.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// Whether it is recorded on its accounts. Ignored in bodies; use postTransaction (3.2.3).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub posted: Option<bool>,
    /// Custom properties. Keys are trimmed and lower-cased, with `_` for spaces, at most 30
    /// characters. A value has at most 90,000 bytes, all together 128 KB. An update merges: present
    /// keys are set, an empty or null value deletes the key, absent keys stay (4.6).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub properties: Option<Properties>,
    /// Ids in other systems. A create with a remote id of a transaction that is not trashed returns
    /// that transaction (3.7). A present field replaces the list in an update.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub remote_ids: Option<Vec<String>>,
    /// Hashtags of the description, without `#` (3.9.1).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
    /// Whether it is in the trash and excluded from balances.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trashed: Option<bool>,
    /// Time of the last change in milliseconds since the Unix epoch, as a string of digits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub updated_at: Option<Timestamp>,
    /// Stored as given. A present field replaces the list in an update (3.9.2).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub urls: Option<Vec<String>>,
}

/// Transactions; in lists by date, creation time and id, newest first (2.6).
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TransactionList {
    /// Id of the account, if the query filters by exactly one account (2.8).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub account: Option<String>,
    /// Value for the `cursor` header of the next page; absent on the last page (2.1, 2.3).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cursor: Option<String>,
    /// In the order of the request; `[]` if there are none (2.7). A batch request has at most 10000
    /// (3.6.6).
    pub items: Vec<Transaction>,
    /// In a batch: the items that existed already by a remote id (3.7.2).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub known: Vec<KnownItem>,
    /// Texts that name unreadable or ignored terms, and terms read as text, such as `on:2013-02-30:
    /// not a date`; absent without such terms (1.1.13).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
}

/// A transaction after an operation.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TransactionOperation {
    /// The affected accounts in full, those of previous sides included; absent for a RECORDER of a
    /// PRIVATE book (3.2.1, 7.3).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub accounts: Option<Vec<Account>>,
    /// Present if the transaction existed already by a remote id (3.7.2).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub known: Vec<KnownItem>,
    /// A movement of an amount from the credit account to the debit account. It is a draft until it
    /// is posted (3.1).
    pub transaction: Transaction,
}

/// What createTransaction would do with a body (3.15).
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TransactionPreview {
    /// Transactions that are probably the same one, the latest first (3.15.4).
    pub duplicates: Vec<PreviewDuplicate>,
    /// The credit account, which the money leaves; absent if none is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<PreviewAccount>,
    /// Present if the transaction exists already by a remote id (3.7.2).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub known: Vec<KnownItem>,
    /// The fields without which the transaction cannot be posted (3.1.2).
    pub missing: Vec<TransactionPreviewMissing>,
    /// The days of the drafts that would be recorded for the following months (3.8.2.8).
    pub repeats: Vec<Date>,
    /// The debit account, which the money enters; absent if none is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to: Option<PreviewAccount>,
    /// The parts of the description that were read, in its order, without overlaps; `[]` if it is
    /// stored verbatim (3.8.1).
    pub tokens: Vec<PreviewToken>,
    /// The transaction as it would be returned, posted or a draft. It has no `id`, `agentId`,
    /// `createdAt` and `updatedAt` unless it exists already by a remote id.
    pub transaction: Transaction,
}

open_enum! {
    /// `TransactionPreviewMissing`.
    pub enum TransactionPreviewMissing {
        /// `date`.
        Date = "date",
        /// `amount`.
        Amount = "amount",
        /// `creditAccount`.
        CreditAccount = "creditAccount",
        /// `debitAccount`.
        DebitAccount = "debitAccount",
    }
}
