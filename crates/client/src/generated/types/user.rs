//! Shapes of the contract: user.

use serde::{Deserialize, Serialize};

use super::book::BookTransfer;
use crate::open_enum::open_enum;
use crate::timestamp::Timestamp;

/// An API key, without its text (10.13).
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ApiKey {
    /// Whether it is valid: not revoked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub active: Option<bool>,
    /// The key's own quota, if the operator has set one (10.6).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub calls_per_minute: Option<i64>,
    /// Creation time in milliseconds since the Unix epoch, as a string of digits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub created_at: Option<Timestamp>,
    /// Opaque.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// Name given by the user; may be empty.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Time of revocation, in the same form; absent if not revoked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub revoked_at: Option<Timestamp>,
    /// The days with calls among the last 31, latest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub usage: Vec<ApiKeyUsage>,
}

/// API keys, the newest first (10.13).
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ApiKeyList {
    /// `[]` if there are none (2.7).
    pub items: Vec<ApiKey>,
}

/// The request for a new API key.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ApiKeyRequest {
    /// Name given by the user.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
}

/// The calls with an API key on a day.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ApiKeyUsage {
    /// Number of calls.
    pub calls: i64,
    /// The day in UTC, yyyy-MM-dd.
    pub date: String,
}

/// The billing of a user: no charges on a self-hosted server (9.11).
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Billing {
    /// Absent on a self-hosted server.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub admin_email: Option<String>,
    /// 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub days_left_in_trial: Option<i32>,
    /// E-mail address of the user.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub email: Option<String>,
    /// false.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub enabled: Option<bool>,
    /// Domain of the organization, from an identity provider; absent without one (9.11).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hosted_domain: Option<String>,
    /// FREE.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub plan: Option<String>,
    /// false.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub plan_overdue: Option<bool>,
    /// false.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub started_trial: Option<bool>,
    /// Postings this month in the books that the user owns (12.3).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub total_transactions_this_month: Option<i64>,
    /// Postings this year in the books that the user owns.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub total_transactions_this_year: Option<i64>,
}

/// The books offered to the caller, the newest offer first (6.28).
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct BookTransferList {
    /// `items`.
    pub items: Vec<BookTransfer>,
}

/// A user's consent to an OAuth client (11.29).
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Consent {
    /// Time of the last agreement in milliseconds since the Unix epoch, as a string of digits.
    pub created_at: Timestamp,
    /// The id of the client.
    pub id: String,
    /// The name of the client; its id if it is no longer registered.
    pub name: String,
    /// The scopes. With any of them the client reads and changes the books of the user (11.17).
    pub scopes: Vec<String>,
}

/// Consents, by id (11.29).
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ConsentList {
    /// `[]` if there are none (2.7).
    pub items: Vec<Consent>,
}

/// A newly created API key.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CreatedApiKey {
    /// Whether it is valid: not revoked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub active: Option<bool>,
    /// The key's own quota, if the operator has set one (10.6).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub calls_per_minute: Option<i64>,
    /// Creation time in milliseconds since the Unix epoch, as a string of digits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub created_at: Option<Timestamp>,
    /// Opaque.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// The text to send as `service-api-key` or `key`. It is returned once and not stored.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
    /// Name given by the user; may be empty.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Time of revocation, in the same form; absent if not revoked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub revoked_at: Option<Timestamp>,
    /// The days with calls among the last 31, latest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub usage: Vec<ApiKeyUsage>,
}

/// A newly issued access token.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct IssuedToken {
    /// Whether it is valid: neither expired nor revoked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub active: Option<bool>,
    /// Ids of the books that it reaches; absent for all books of the user (11.9).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub books: Option<Vec<String>>,
    /// Time of issue in milliseconds since the Unix epoch, as a string of digits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub created_at: Option<Timestamp>,
    /// Time of expiry, in the same form.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<Timestamp>,
    /// Opaque.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// Name given by the user; may be empty.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Whether it is limited to reading (11.9).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub read_only: Option<bool>,
    /// Time of revocation, in the same form; absent if not revoked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub revoked_at: Option<Timestamp>,
    /// The text to send as `Authorization: Bearer`. It is returned once and not stored.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub token: Option<String>,
}

/// A browser in which the user has signed in (11.28).
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Session {
    /// Whether the access token of this request belongs to it.
    pub current: bool,
    /// Time at which it ends unless it is used, in the same form.
    pub expires_at: Timestamp,
    /// Opaque. It is not a secret.
    pub id: String,
    /// Time of the last access token, to the hour, in the same form.
    pub last_used_at: Timestamp,
    /// How the user signed in: by a link or through an identity provider. Absent for a session from
    /// before this field existed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub method: Option<SessionMethod>,
    /// Time of sign-in in milliseconds since the Unix epoch, as a string of digits: the start of
    /// the session, or an earlier sign-in at the provider.
    pub signed_in_at: Timestamp,
}

/// Browser sessions, the latest used first (11.28).
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SessionList {
    /// `[]` if there are none (2.7).
    pub items: Vec<Session>,
}

open_enum! {
    /// How the user signed in: by a link or through an identity provider.
    ///
    /// Absent for a session from before this field existed.
    pub enum SessionMethod {
        /// `link`.
        Link = "link",
        /// `provider`.
        Provider = "provider",
    }
}

/// An access token of this installation, without its text (11.8).
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Token {
    /// Whether it is valid: neither expired nor revoked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub active: Option<bool>,
    /// Ids of the books that it reaches; absent for all books of the user (11.9).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub books: Option<Vec<String>>,
    /// Time of issue in milliseconds since the Unix epoch, as a string of digits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub created_at: Option<Timestamp>,
    /// Time of expiry, in the same form.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<Timestamp>,
    /// Opaque.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// Name given by the user; may be empty.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Whether it is limited to reading (11.9).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub read_only: Option<bool>,
    /// Time of revocation, in the same form; absent if not revoked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub revoked_at: Option<Timestamp>,
}

/// Access tokens, the newest first (11.8).
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TokenList {
    /// `[]` if there are none (2.7).
    pub items: Vec<Token>,
}

/// The request for a new access token.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TokenRequest {
    /// Ids of at most 100 books that it reaches; all books of the user if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub books: Option<Vec<String>>,
    /// Lifetime in days; 30 if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub days: Option<i64>,
    /// Name given by the user.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Whether it is limited to reading.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub read_only: Option<bool>,
}

/// An address to go to.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Url {
    /// The address.
    pub url: String,
}

/// A user.
///
/// Events show only username, name and avatarUrl.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct User {
    /// Address of a picture; empty without one from an identity provider (9.11).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub avatar_url: Option<String>,
    /// Whether a bank connection was ever created (9.5).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bank_connections: Option<bool>,
    /// Absent on a self-hosted server.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub billing_admin_email: Option<String>,
    /// False on a self-hosted server (9.11).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub billing_enabled: Option<bool>,
    /// Days left in a trial.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub days_left_in_trial: Option<i32>,
    /// Domain of an organization; absent on a self-hosted server (12.3).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub domain: Option<UserDomain>,
    /// E-mail address, normalized (7.9).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub email: Option<String>,
    /// Family name; absent without one from an identity provider (9.11).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub family_name: Option<String>,
    /// True on a self-hosted server (9.11).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub free: Option<bool>,
    /// Full name, from the same source.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub full_name: Option<String>,
    /// Given name, from the same source.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub given_name: Option<String>,
    /// A stable hash that identifies the user.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hash: Option<String>,
    /// Domain of the organization, from an identity provider; absent without one (9.11).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hosted_domain: Option<String>,
    /// Opaque.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// Display name, from an identity provider, else the username (9.11).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// FREE on a self-hosted server (9.11).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub plan: Option<String>,
    /// MONTHLY on a self-hosted server, which bills nothing (12.3).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub plan_cycle: Option<UserPlanCycle>,
    /// Whether a payment is overdue.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub plan_overdue: Option<bool>,
    /// Whether a trial has begun.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub started_trial: Option<bool>,
    /// Extension of v5: the stored transactions and bytes of the user's books together, and their
    /// limits. A limit that is not set is absent (10.14).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub storage: Option<UserStorage>,
    /// Transactions of the user's books this month.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub total_transactions_this_month: Option<i64>,
    /// Transactions of the user's books this year.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub total_transactions_this_year: Option<i64>,
    /// Unique; from the local part of the e-mail address (9.11).
    pub username: String,
}

/// Domain of an organization; absent on a self-hosted server (12.3).
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct UserDomain {
    /// Opaque.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// The domain.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
}

open_enum! {
    /// MONTHLY on a self-hosted server, which bills nothing (12.3).
    pub enum UserPlanCycle {
        /// `MONTHLY`.
        Monthly = "MONTHLY",
        /// `YEARLY`.
        Yearly = "YEARLY",
    }
}

/// Extension of v5: the stored transactions and bytes of the user's books together, and their
/// limits.
///
/// A limit that is not set is absent (10.14).
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct UserStorage {
    /// Bytes of records, events and contents of files.
    pub bytes: i64,
    /// Maximum number of bytes of all books together.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_bytes: Option<i64>,
    /// Maximum number of bytes of each book.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_bytes_of_book: Option<i64>,
    /// Maximum number of transactions of all books together.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_transactions: Option<i64>,
    /// Maximum number of transactions of each book.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_transactions_of_book: Option<i64>,
    /// Transactions, drafts and trashed ones included.
    pub transactions: i64,
}
