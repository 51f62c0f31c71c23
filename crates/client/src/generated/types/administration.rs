//! Shapes of the contract: administration.

use serde::{Deserialize, Serialize};

use crate::open_enum::open_enum;
use crate::timestamp::Timestamp;

/// The last audit of a book, which had findings (6.7).
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct AuditWithFindings {
    /// Time of the audit in milliseconds since the Unix epoch, as a string of digits.
    pub audited_at: Timestamp,
    /// Id of the book.
    pub book_id: String,
    /// Number of findings.
    pub findings: i64,
    /// Number of the last event that the audit has read.
    pub sequence: i64,
}

/// The state of the installation (9.22).
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct InstallationStatus {
    /// Last audits of books that had findings, the latest first, at most 100.
    pub audits_with_findings: Vec<AuditWithFindings>,
    /// The last backup by `daybook backup create`; absent if there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_backup: Option<LastBackup>,
    /// Apps that are paused in a book, the longest pauses first, at most 100.
    pub paused_apps: Vec<PausedApp>,
    /// Mails whose last attempt failed, the newest first, at most 100.
    pub unsent_mails: Vec<UnsentMail>,
    /// Version of the server.
    pub version: String,
}

/// A user as administrators see them (9.22).
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct InstallationUser {
    /// Whether the user is not disabled.
    pub active: bool,
    /// Whether the user is an administrator (9.3).
    pub administrator: bool,
    /// Bytes of these books, counted likewise.
    pub bytes: i64,
    /// Time of creation in milliseconds since the Unix epoch, as a string of digits.
    pub created_at: Timestamp,
    /// Time since which the user is disabled, in the same form; absent for an active user.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub disabled_at: Option<Timestamp>,
    /// E-mail address.
    pub email: String,
    /// User id.
    pub id: String,
    /// Time of the last sign-in with a browser, in the same form; absent if no session is stored.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub signed_in_at: Option<Timestamp>,
    /// Transactions of the books that the user owns, as counted for storage quotas (10.14).
    pub transactions: i64,
    /// Unique username.
    pub username: String,
}

/// A page of the users of the installation, by e-mail address (9.22).
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct InstallationUserList {
    /// Value for the next page; absent on the last page (2.3).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cursor: Option<String>,
    /// `[]` if there are none (2.7).
    pub items: Vec<InstallationUser>,
}

/// A link by which an address becomes a user (9.22).
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Invitation {
    /// The invited address.
    pub email: String,
    /// Time until which the link works, in milliseconds since the Unix epoch, as a string of
    /// digits.
    pub expires_at: Timestamp,
    /// Opaque. It is not a secret.
    pub id: String,
    /// QR code of the link, a `data:` image; absent for a very long link.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub qr_code: Option<String>,
    /// The link. It works once.
    pub url: String,
}

/// The invitation of a new user (9.22).
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct InvitationRequest {
    /// E-mail address that belongs to no user.
    pub email: String,
}

/// The last backup by `daybook backup create`; absent if there is none.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct LastBackup {
    /// Bytes of the backup.
    pub bytes: i64,
    /// Time of its end in milliseconds since the Unix epoch, as a string of digits.
    pub finished_at: Timestamp,
    /// Folder or bucket.
    pub place: String,
}

/// An app that is paused in a book (8.19).
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PausedApp {
    /// Id of the app.
    pub agent_id: String,
    /// Id of the book.
    pub book_id: String,
    /// `operator`: by `daybook webhooks pause`. `failing`: its deliveries failed for days.
    pub cause: PausedAppCause,
    /// Start of the pause in milliseconds since the Unix epoch, as a string of digits.
    pub paused_at: Timestamp,
}

open_enum! {
    /// `operator`: by `daybook webhooks pause`.
    ///
    /// `failing`: its deliveries failed for days.
    pub enum PausedAppCause {
        /// `operator`.
        Operator = "operator",
        /// `failing`.
        Failing = "failing",
    }
}

/// A mail that was not sent, without its text (9.22).
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct UnsentMail {
    /// Time of creation in milliseconds since the Unix epoch, as a string of digits.
    pub created_at: Timestamp,
    /// Time at which it was given up, in the same form; absent while it is tried again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub given_up_at: Option<Timestamp>,
    /// Id of the mail, as `daybook outbox` shows it.
    pub id: String,
    /// Occasion of the mail.
    pub kind: UnsentMailKind,
    /// Why the last attempt failed. Words that may have a link are replaced by `[removed]`.
    pub reason: String,
    /// E-mail address.
    pub recipient: String,
}

open_enum! {
    /// Occasion of the mail.
    pub enum UnsentMailKind {
        /// `invitation`.
        Invitation = "invitation",
        /// `access-request`.
        AccessRequest = "access-request",
        /// `sign-in-link`.
        SignInLink = "sign-in-link",
        /// `app-paused`.
        AppPaused = "app-paused",
    }
}
