//! The parts of an exported book.

use std::collections::BTreeMap;

use daybook_domain::account::AccountType;
use time::Date;

use crate::read::amount::SignedAmount;
use crate::read::problem::Position;

/// A part of an exported book.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Item {
    /// The first line.
    Header(Box<Header>),
    /// A group, behind its parent.
    Group(Group),
    /// An account, behind its groups.
    Account(Account),
    /// A file, before the transactions that have it.
    File(File),
    /// A transaction, behind its accounts and files.
    Transaction(Box<Transaction>),
}

/// The lines before the groups.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Header {
    /// The time of the export, in milliseconds.
    pub exported_at: i64,
    /// The query, unless the export has the whole book.
    pub query: Option<String>,
    /// The decimal places of the most precise amount that the book may have.
    pub scale: u32,
    /// The book.
    pub book: Book,
}

/// A book and its settings, with the values that the API has for them.
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(missing_docs, reason = "the fields have the names of the API")]
pub struct Book {
    pub id: String,
    pub name: String,
    pub visibility: Option<String>,
    pub auto_post: bool,
    pub closing_date: Option<Date>,
    pub lock_date: Option<Date>,
    pub date_pattern: Option<String>,
    pub decimal_separator: Option<String>,
    pub fraction_digits: u32,
    pub page_size: Option<u32>,
    pub period: Option<String>,
    pub period_start_month: Option<String>,
    pub time_zone: Option<String>,
    pub properties: Properties,
    pub stamp: Stamp,
}

/// Properties by their keys.
pub type Properties = BTreeMap<String, String>;

/// The author of something, with its times.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Stamp {
    /// The app.
    pub agent_id: Option<String>,
    /// The username of the creator, of files and transactions.
    pub created_by: Option<String>,
    /// The time of the creation, in milliseconds.
    pub created_at: i64,
    /// The time of the last change, in milliseconds.
    pub updated_at: i64,
}

/// A group.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Group {
    /// The id in the exported book.
    pub id: String,
    /// The name.
    pub name: String,
    /// The id of the parent.
    pub parent: Option<String>,
    /// Whether user interfaces hide it.
    pub is_hidden: bool,
    /// Whether only the owner changes it.
    pub is_locked: bool,
    /// The properties.
    pub properties: Properties,
    /// The author and the times.
    pub stamp: Stamp,
}

/// An account.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Account {
    /// The id in the exported book.
    pub id: String,
    /// The name.
    pub name: String,
    /// The type.
    pub kind: AccountType,
    /// Whether it is archived.
    pub is_archived: bool,
    /// The balance below which no request may lower it.
    pub min_balance: Option<SignedAmount>,
    /// The ids of the groups that it is directly in.
    pub groups: Vec<String>,
    /// The properties.
    pub properties: Properties,
    /// The author and the times.
    pub stamp: Stamp,
}

/// A file without its bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct File {
    /// The id in the exported book.
    pub id: String,
    /// The name.
    pub name: String,
    /// The media type.
    pub content_type: String,
    /// The number of bytes.
    pub size: u64,
    /// The SHA-256 of the bytes, in hexadecimal digits.
    pub sha256: String,
    /// The name of the member of a ZIP archive.
    pub path: Option<String>,
    /// The properties.
    pub properties: Properties,
    /// The author and the times.
    pub stamp: Stamp,
}

/// A transaction.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Transaction {
    /// The line.
    pub position: Position,
    /// The id in the exported book.
    pub id: String,
    /// The day; a draft may have none.
    pub date: Option<Date>,
    /// The amount; a draft may have none.
    pub amount: Option<SignedAmount>,
    /// The description with its hashtags.
    pub description: String,
    /// The id of the account that is credited; a draft may have none.
    pub credit: Option<String>,
    /// The id of the account that is debited; a draft may have none.
    pub debit: Option<String>,
    /// Whether it is a draft.
    pub is_draft: bool,
    /// Whether it is checked.
    pub is_checked: bool,
    /// The URLs.
    pub urls: Vec<String>,
    /// The remote ids.
    pub remote_ids: Vec<String>,
    /// The ids of the files.
    pub files: Vec<String>,
    /// The properties.
    pub properties: Properties,
    /// The author and the times.
    pub stamp: Stamp,
}

/// The numbers of what was read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Summary {
    /// The groups.
    pub groups: usize,
    /// The accounts.
    pub accounts: usize,
    /// The files.
    pub files: usize,
    /// The transactions, drafts and trashed ones included.
    pub transactions: usize,
    /// The drafts, trashed ones included.
    pub drafts: usize,
    /// The transactions in the trash, which are not passed on.
    pub trashed: usize,
    /// The sum of the amounts of the others that are not drafts.
    pub sum: SignedAmount,
}
