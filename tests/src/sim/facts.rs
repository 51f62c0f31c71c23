//! Facts: the values that are compared. The model stores them, and the answers of the service are
//! translated into them.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use daybook_domain::account::AccountType;
use daybook_domain::delivery::ResponseKind;
use daybook_domain::event::EventType;
use daybook_domain::permission::Permission;
use daybook_domain::transaction::Standing;
use jiff::civil::Date;

use super::label;

pub type Properties = BTreeMap<String, String>;
/// Debit and credit, in units of 10^-8.
pub type Sides = (i128, i128);

/// The app, and the times in milliseconds.
#[derive(Clone, Debug, PartialEq)]
pub struct Stamp {
    pub agent: Option<String>,
    pub created: i64,
    pub updated: i64,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Account {
    pub label: label::Account,
    pub name: String,
    pub kind: AccountType,
    pub archived: bool,
    /// Whether it ever had a posting.
    pub posted: bool,
    /// In units of 10^-8.
    pub min_balance: Option<i128>,
    pub groups: BTreeSet<label::Group>,
    pub properties: Properties,
    pub stamp: Stamp,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Group {
    pub label: label::Group,
    pub name: String,
    pub parent: Option<label::Group>,
    pub hidden: bool,
    pub locked: bool,
    pub properties: Properties,
    pub stamp: Stamp,
}

/// The derived properties of a group (4.12).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Nature {
    pub kind: Option<AccountType>,
    pub mixed: bool,
    pub permanent: bool,
    pub credit: bool,
    pub has_accounts: bool,
    pub has_groups: bool,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Transaction {
    pub label: label::Transaction,
    pub date: Option<Date>,
    /// The day it is listed under (2.6).
    pub day: Date,
    /// In units of 10^-8.
    pub amount: Option<i128>,
    pub description: String,
    pub tags: Vec<String>,
    pub credit: Option<label::Account>,
    pub debit: Option<label::Account>,
    pub standing: Standing,
    pub trashed: bool,
    pub posted_at: Option<i64>,
    pub properties: Properties,
    pub urls: Vec<String>,
    pub remote_ids: Vec<String>,
    pub files: Vec<label::File>,
    /// The number of comments.
    pub comments: u32,
    /// The number of the user.
    pub creator: usize,
    pub stamp: Stamp,
}

/// The content of a file: a number stands for the bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Content(pub u32);

impl Content {
    /// The digest, as hexadecimal digits.
    pub fn digest(self) -> String {
        format!("{:064x}", self.0)
    }

    pub fn size(self) -> i64 {
        i64::from(self.0) * 10
    }
}

#[derive(Clone, Debug, PartialEq)]
pub struct File {
    pub label: label::File,
    pub name: String,
    pub content_type: String,
    pub content: Content,
    pub properties: Properties,
    /// The number of the user.
    pub creator: usize,
    pub stamp: Stamp,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Comment {
    pub label: label::Comment,
    pub transaction: label::Transaction,
    pub text: String,
    /// The number of the user.
    pub author: usize,
    pub agent: Option<String>,
    pub created: i64,
}

#[derive(Clone, Debug, PartialEq)]
pub struct SavedQuery {
    pub label: label::SavedQuery,
    pub title: String,
    pub query: String,
    pub stamp: Stamp,
}

/// A row of a list.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    pub transaction: Transaction,
    /// The running balance on the account of the list (2.9), in units of 10^-8.
    pub balance: Option<i128>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Collaborator {
    pub label: label::Collaborator,
    pub email: String,
    pub permission: Permission,
    pub stamp: Stamp,
}

/// An access request; open for 30 days.
#[derive(Clone, Debug, PartialEq)]
pub struct AccessRequest {
    pub label: label::AccessRequest,
    pub email: String,
    pub permission: Permission,
    pub message: Option<String>,
    pub created: i64,
    pub end: i64,
}

/// An offer to transfer a book to an address; open for 30 days.
#[derive(Clone, Debug, PartialEq)]
pub struct TransferOffer {
    pub book: label::Book,
    pub name: String,
    /// The addresses of the owner and of the recipient.
    pub from: String,
    pub to: String,
    pub created: i64,
    pub end: i64,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Token {
    pub label: label::Token,
    /// The number of the user.
    pub user: usize,
    pub name: String,
    pub read_only: bool,
    /// The books it reaches; `None` for all.
    pub books: Option<BTreeSet<label::Book>>,
    pub created: i64,
    pub expires: i64,
    pub revoked: Option<i64>,
}

/// A person in a manifest: a user by number, or all users.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Person {
    Of(usize),
    AllUsers,
}

#[derive(Clone, Debug, PartialEq)]
pub struct App {
    pub label: label::App,
    /// The number of the user.
    pub owner: usize,
    pub name: String,
    pub users: Vec<Person>,
    pub developers: Vec<Person>,
    pub webhook: Option<String>,
    pub webhook_dev: Option<String>,
    pub events: Vec<EventType>,
    pub connectable: bool,
    pub installable: bool,
    pub deprecated: bool,
    pub published: bool,
    pub created: i64,
    pub updated: i64,
}

/// The relation of an app to a user.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    Unrelated,
    User,
    Developer,
}

/// An app as a user sees it.
#[derive(Clone, Debug, PartialEq)]
pub struct AppView {
    pub app: App,
    pub role: Role,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Integration {
    pub label: label::Integration,
    pub app: label::App,
    /// Whether the integration installs its app; that of a bank does not.
    pub installs_app: bool,
    pub connection: Option<label::Connection>,
    pub name: String,
    /// The number of the user.
    pub installer: usize,
    pub properties: Properties,
    pub created: i64,
    pub updated: i64,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Connection {
    pub label: label::Connection,
    /// The number of the user.
    pub owner: usize,
    pub app: label::App,
    /// The uuid, if the client gave one.
    pub uuid: Option<String>,
    pub bank: bool,
    pub name: String,
    pub properties: Properties,
    pub created: i64,
    pub updated: i64,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    pub name: String,
    pub auto_post: bool,
    pub closing: Option<Date>,
    pub lock: Option<Date>,
    pub pattern: String,
    pub separator: String,
    pub digits: u32,
    pub zone: String,
    pub visibility: String,
    pub properties: Properties,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Book {
    pub label: label::Book,
    pub owner: String,
    pub permission: Permission,
    pub settings: Settings,
    pub scale: u32,
    pub stamp: Stamp,
    /// The number of postings outside the trash: all, in the current month, in the current year
    /// (6.10).
    pub posted: (i64, i64, i64),
    /// The collection shown to the reader, where an answer includes it (6.2).
    pub collection: Option<Box<Collection>>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Collection {
    pub label: label::Collection,
    pub owner: String,
    pub permission: Permission,
    pub name: String,
    pub books: Vec<Book>,
    pub stamp: Stamp,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Resource {
    Book(label::Book),
    Account(label::Account),
    Group(label::Group),
    Transaction(label::Transaction),
    Collaborator(label::Collaborator),
    File(label::File),
    SavedQuery(label::SavedQuery),
    Comment(label::Comment),
    Integration(label::Integration),
}

#[derive(Clone, Debug, PartialEq)]
pub struct Event {
    pub sequence: i64,
    pub kind: EventType,
    pub resource: Resource,
    /// The number of the user.
    pub user: usize,
    pub agent: Option<String>,
    pub at: i64,
}

/// The response of an app to an event.
#[derive(Clone, Debug, PartialEq)]
pub struct Response {
    pub app: label::App,
    pub kind: ResponseKind,
    pub message: String,
    pub at: i64,
}

/// An event with the responses of the apps.
#[derive(Clone, Debug, PartialEq)]
pub struct EventView {
    pub event: Event,
    pub responses: Vec<Response>,
}

/// The resource of a balance container.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Of {
    Account(label::Account, Empty),
    Group(label::Group, Nature),
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Empty(pub bool);

/// A balance container. Nested ones follow it, one deeper, groups before accounts.
#[derive(Clone, Debug, PartialEq)]
pub struct Container {
    pub depth: usize,
    pub of: Of,
    pub cumulative: Sides,
    pub period: Sides,
    /// Fuzzy date, period and cumulative sums.
    pub series: Vec<(i32, Sides, Sides)>,
}

/// A refusal: the reason of behaviour 10.2 and, in a batch, the index of the invalid item.
#[derive(Clone, Debug, PartialEq)]
pub struct Refusal {
    pub reason: String,
    pub item: Option<usize>,
}

impl Refusal {
    pub fn new(reason: &str) -> Refusal {
        Refusal { reason: reason.to_owned(), item: None }
    }

    pub fn bad() -> Refusal {
        Refusal::new("badRequest")
    }

    pub fn missing() -> Refusal {
        Refusal::new("notFound")
    }

    pub fn forbidden() -> Refusal {
        Refusal::new("forbidden")
    }

    pub fn locked() -> Refusal {
        Refusal::new("lockedDate")
    }

    pub fn checked() -> Refusal {
        Refusal::new("checkedTransaction")
    }

    /// The refusal of a request that is not a batch, which has no index.
    pub fn alone(self) -> Refusal {
        Refusal { item: None, ..self }
    }
}

/// The result of an operation. The `Debug` texts of both sides are compared.
pub type Outcome = Result<Box<dyn fmt::Debug>, Refusal>;

pub fn answer(facts: impl fmt::Debug + 'static) -> Outcome {
    Ok(Box::new(facts))
}
