//! Shapes of the contract: book.

use serde::{Deserialize, Serialize};

use super::account::Account;
use super::account::Group;
use super::file::File;
use super::import::BookDecimalSeparator;
use crate::date::Date;
use crate::nullable::Nullable;
use crate::open_enum::open_enum;
use crate::properties::Properties;
use crate::timestamp::Timestamp;

/// A book: a set of accounts and the transactions between them.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Book {
    /// Returned only with `loadAccounts=true`. A create also creates these accounts (6.1).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub accounts: Option<Vec<Account>>,
    /// Id of the agent that created the resource, from the agent header; absent without one (9.2).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent_id: Option<String>,
    /// Whether a complete transaction is posted on creation (3.2.2). True by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub auto_post: Option<bool>,
    /// Last day of the closed accounting period, yyyy-MM-dd; it blocks changes like `lockDate`
    /// (3.5). Absent if unset. Null, an empty string or `1900-00-00` clears it, which requires
    /// OWNER (3.5.4, 3.5.5).
    #[serde(default, skip_serializing_if = "Nullable::is_absent")]
    pub closing_date: Nullable<Date>,
    /// The collection of the book: the caller's own, else for collaborators the owner's (6.2).
    /// Absent without one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub collection: Option<Collection>,
    /// Creation time in milliseconds since the Unix epoch, as a string of digits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub created_at: Option<Timestamp>,
    /// Format of days in `dateFormatted` and in queries. dd/MM/yyyy by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub date_pattern: Option<BookDatePattern>,
    /// Decimal separator of amounts in text (3.12.3); responses always use a dot. DOT by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub decimal_separator: Option<BookDecimalSeparator>,
    /// Time of deletion in milliseconds since the Unix epoch, as a string of digits. Only in the
    /// list of deleted books (12.12).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deleted_at: Option<Timestamp>,
    /// Time until which the book can be restored, in milliseconds since the Unix epoch, as a string
    /// of digits. Only in the list of deleted books (12.12).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<Timestamp>,
    /// Decimals of amounts; new amounts with more are rounded half-up (3.12.4). 2 by default.
    /// Lowering it rewrites nothing. Raising it returns 400 if an amount would leave the range, or
    /// for a large book (3.12.7).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fraction_digits: Option<i32>,
    /// Returned only with `loadAccounts=true` or `loadGroups=true`. A create creates these groups
    /// first (6.1).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub groups: Option<Vec<Group>>,
    /// Opaque, URL-safe; the `bookId` of paths. Assigned by the server; required by `PUT /v5/books`
    /// (6.4).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// Time of the last change of anything in the book, transactions and accounts included, in
    /// milliseconds, as a string of digits (6.11).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_update_ms: Option<Timestamp>,
    /// Last day on which changes are blocked, yyyy-MM-dd (3.5). Cleared like `closingDate`.
    #[serde(default, skip_serializing_if = "Nullable::is_absent")]
    pub lock_date: Nullable<Date>,
    /// Logo of the owner's domain; absent on a self-hosted server.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub logo_url: Option<String>,
    /// Required on create, in the body or as the query parameter `name`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Username of the owner.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub owner_name: Option<String>,
    /// A setting for user interfaces, without effect on the API (2.2). 100 by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub page_size: Option<i32>,
    /// A setting for user interfaces (6.12). MONTH by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub period: Option<BookPeriod>,
    /// A setting for user interfaces (6.12). JANUARY by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub period_start_month: Option<BookPeriodStartMonth>,
    /// The caller's permission in this book; VIEWER for readers of a PUBLIC book (6.9).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub permission: Option<Permission>,
    /// Custom properties. Keys are trimmed and lower-cased, with `_` for spaces, at most 30
    /// characters. A value has at most 90,000 bytes, all together 128 KB. An update merges: present
    /// keys are set, an empty or null value deletes the key, absent keys stay (4.6).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub properties: Option<Properties>,
    /// IANA zone name of the book's current day and posting dates. UTC by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub time_zone: Option<String>,
    /// Minutes to add to a zone-less midnight to get that midnight of the book's zone in UTC, at
    /// the current instant: positive west of Greenwich (6.3).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub time_zone_offset: Option<i32>,
    /// Posted transactions that are not trashed (6.10).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub total_transactions: Option<i64>,
    /// Transactions posted in the current month of the book's zone (6.10).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub total_transactions_current_month: Option<i64>,
    /// Transactions posted in the current year of the book's zone (6.10).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub total_transactions_current_year: Option<i64>,
    /// Time of the last change in milliseconds since the Unix epoch, as a string of digits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub updated_at: Option<Timestamp>,
    /// PUBLIC allows every user with the id to read (6.9); only the OWNER may change it (7.3).
    /// PRIVATE by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub visibility: Option<BookVisibility>,
}

/// The closing of a period (13.13).
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct BookClosing {
    /// The last closed day, `yyyy-MM-dd`.
    pub closing_date: String,
    /// Trial balance, balance sheet and income statement. Their properties `closing_date` and
    /// `closing_event` have the day and the number of the event.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<File>,
    /// The last event that the stored reports include.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_event: Option<LogHead>,
}

open_enum! {
    /// Format of days in `dateFormatted` and in queries.
    ///
    /// dd/MM/yyyy by default.
    pub enum BookDatePattern {
        /// `dd/MM/yyyy`.
        DdMmYyyy = "dd/MM/yyyy",
        /// `MM/dd/yyyy`.
        MmDdYyyy = "MM/dd/yyyy",
        /// `yyyy/MM/dd`.
        YyyyMmDd = "yyyy/MM/dd",
    }
}

/// Books; by name if the request has no order.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct BookList {
    /// `[]` if there are none (2.7).
    pub items: Vec<Book>,
}

open_enum! {
    /// A setting for user interfaces (6.12).
    ///
    /// MONTH by default.
    pub enum BookPeriod {
        /// `MONTH`.
        Month = "MONTH",
        /// `QUARTER`.
        Quarter = "QUARTER",
        /// `YEAR`.
        Year = "YEAR",
    }
}

open_enum! {
    /// A setting for user interfaces (6.12).
    ///
    /// JANUARY by default.
    pub enum BookPeriodStartMonth {
        /// `JANUARY`.
        January = "JANUARY",
        /// `FEBRUARY`.
        February = "FEBRUARY",
        /// `MARCH`.
        March = "MARCH",
        /// `APRIL`.
        April = "APRIL",
        /// `MAY`.
        May = "MAY",
        /// `JUNE`.
        June = "JUNE",
        /// `JULY`.
        July = "JULY",
        /// `AUGUST`.
        August = "AUGUST",
        /// `SEPTEMBER`.
        September = "SEPTEMBER",
        /// `OCTOBER`.
        October = "OCTOBER",
        /// `NOVEMBER`.
        November = "NOVEMBER",
        /// `DECEMBER`.
        December = "DECEMBER",
    }
}

/// An offer of a book that its recipient has not accepted (6.28).
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct BookTransfer {
    /// The id of the book.
    pub book_id: String,
    /// The name of the book.
    pub book_name: String,
    /// Time of the offer in milliseconds since the Unix epoch, as a string of digits.
    pub created_at: Timestamp,
    /// Address of the recipient.
    pub email: String,
    /// Time of expiry, 30 days after the offer.
    pub expires_at: Timestamp,
    /// Address of the offering user.
    pub owner_email: String,
}

open_enum! {
    /// PUBLIC allows every user with the id to read (6.9); only the OWNER may change it (7.3).
    ///
    /// PRIVATE by default.
    pub enum BookVisibility {
        /// `PUBLIC`.
        Public = "PUBLIC",
        /// `PRIVATE`.
        Private = "PRIVATE",
    }
}

/// A user's own set of books.
///
/// A book is in at most one collection of an owner.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Collection {
    /// Id of the agent that created the resource, from the agent header; absent without one (9.2).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent_id: Option<String>,
    /// The books, by name, without accounts, groups and collection: in the caller's own collection
    /// those that the caller may read, in another's those that the caller collaborates in. In
    /// listBooks, rows after the first of a collection omit them when the collections of the
    /// response would exceed 8 MB (9.19).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub books: Vec<Book>,
    /// Creation time in milliseconds since the Unix epoch, as a string of digits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub created_at: Option<Timestamp>,
    /// Opaque. Assigned by the server; required by `PUT /v5/collections`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// The name. Required on create; not unique.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Username of the owner.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub owner_username: Option<String>,
    /// OWNER in the caller's own collection; VIEWER in the owner's collection around a shared book.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub permission: Option<Permission>,
    /// Time of the last change in milliseconds since the Unix epoch, as a string of digits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub updated_at: Option<Timestamp>,
}

/// The last event that the stored reports include.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct LogHead {
    /// `hash`.
    pub hash: String,
    /// `sequence`.
    pub sequence: i64,
}

/// The recipient of a transfer or an offer of a book (6.21, 6.28).
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct NewOwner {
    /// E-mail address (7.9).
    pub email: String,
}

open_enum! {
    /// A user's permission in a book.
    ///
    /// VIEWER only views, RECORDER only records drafts, POSTER does both and posts, EDITOR also
    /// checks and edits the chart of accounts, OWNER may do everything; there is exactly one OWNER
    /// (7.1 to 7.3).
    pub enum Permission {
        /// `OWNER`.
        Owner = "OWNER",
        /// `EDITOR`.
        Editor = "EDITOR",
        /// `POSTER`.
        Poster = "POSTER",
        /// `RECORDER`.
        Recorder = "RECORDER",
        /// `VIEWER`.
        Viewer = "VIEWER",
        /// `NONE`.
        None = "NONE",
    }
}
