//! Facts: what is compared. The model keeps its state in them, and what the service answers is
//! translated into them.

use std::collections::{BTreeMap, BTreeSet};

use daybook_domain::account::AccountType;
use daybook_domain::delivery::ResponseKind;
use daybook_domain::event::EventType;
use daybook_domain::integration::AppReach;
use daybook_domain::permission::Permission;
use daybook_domain::transaction::Standing;
use jiff::civil::Date;

use super::label;

pub type Properties = BTreeMap<String, String>;
/// Debit and credit, in units of 10^-8.
pub type Sides = (i128, i128);

/// Through which app and when, in milliseconds.
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
    /// Whether anything was ever posted on it.
    pub posted: bool,
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

/// What a group derives from the accounts below (4.12).
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
    /// Where it stands in lists (2.6).
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
    /// The number of the user.
    pub creator: usize,
    pub stamp: Stamp,
}

/// What a file holds: bytes that are named by a number and not kept.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Content(pub u32);

impl Content {
    /// As hexadecimal digits.
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
    /// What stood after it on the account that the list is about (2.9), in units of 10^-8.
    pub balance: Option<i128>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Collaborator {
    pub label: label::Collaborator,
    pub email: String,
    pub permission: Permission,
    pub stamp: Stamp,
}

/// What somebody asks for in a book; open for 30 days.
#[derive(Clone, Debug, PartialEq)]
pub struct AccessRequest {
    pub label: label::AccessRequest,
    pub email: String,
    pub permission: Permission,
    pub message: Option<String>,
    pub created: i64,
    pub end: i64,
}

/// A book that its owner offers to an address; open for 30 days.
#[derive(Clone, Debug, PartialEq)]
pub struct TransferOffer {
    pub book: label::Book,
    pub name: String,
    /// The addresses of who offers it, and to whom.
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
    /// The books it reaches, when it does not reach all.
    pub books: Option<BTreeSet<label::Book>>,
    pub created: i64,
    pub expires: i64,
    pub revoked: Option<i64>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct ApiKey {
    pub label: label::ApiKey,
    /// The number of the user.
    pub user: usize,
    pub name: String,
    pub created: i64,
    pub revoked: Option<i64>,
    /// Days with calls and how many, the latest first.
    pub usage: Vec<(Date, u64)>,
}

/// Somebody whom a manifest names: a user by the number, or everybody with the address of all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Person {
    Of(usize),
    Everybody,
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
    pub patterns: Vec<String>,
    pub events: Vec<EventType>,
    pub connectable: bool,
    pub installable: bool,
    pub deprecated: bool,
    pub published: bool,
    pub created: i64,
    pub updated: i64,
}

/// What an app is to somebody.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    Stranger,
    User,
    Developer,
}

/// An app as somebody sees it.
#[derive(Clone, Debug, PartialEq)]
pub struct AppSeen {
    pub app: App,
    pub role: Role,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Integration {
    pub label: label::Integration,
    pub app: label::App,
    /// A bank names a program, and installs no app.
    pub installs_app: bool,
    pub connection: Option<label::Connection>,
    pub name: String,
    /// The number of the user.
    pub installer: usize,
    pub properties: Properties,
    pub reach: AppReach,
    pub own_events: bool,
    pub created: i64,
    pub updated: i64,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Connection {
    pub label: label::Connection,
    /// The number of the user.
    pub owner: usize,
    pub app: label::App,
    /// Where the client has given one.
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
    pub page_size: i64,
    pub period: String,
    pub start_month: String,
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
    /// Posted and not trashed: in all, in the current month, in the current year (6.10).
    pub posted: (i64, i64, i64),
    /// The one it shows to its reader, where an answer has it (6.2).
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
    pub previous: BTreeMap<String, String>,
}

/// What an app has to say about an event.
#[derive(Clone, Debug, PartialEq)]
pub struct Response {
    pub app: label::App,
    pub kind: ResponseKind,
    pub message: String,
    pub at: i64,
}

/// An attempt to deliver an event.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Attempt {
    pub at: i64,
    /// The number of the event.
    pub event: i64,
    pub number: i64,
    /// Why it failed.
    pub failure: Option<String>,
}

/// An event with what the apps have said about it.
#[derive(Clone, Debug, PartialEq)]
pub struct EventSeen {
    pub event: Event,
    pub responses: Vec<Response>,
}

/// What a container of balances is of.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Of {
    Account(label::Account, Empty),
    Group(label::Group, Nature),
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Empty(pub bool);

/// A container of balances; those inside follow it, one deeper, groups before accounts.
#[derive(Clone, Debug, PartialEq)]
pub struct Container {
    pub depth: usize,
    pub of: Of,
    pub cumulative: Sides,
    pub period: Sides,
    /// Fuzzy date, period and cumulative sums.
    pub series: Vec<(i32, Sides, Sides)>,
}

/// What an operation answers.
#[derive(Clone, Debug, PartialEq)]
pub enum Answer {
    Book(Box<Book>),
    Books(Vec<Book>),
    Collections(Vec<Collection>),
    Chart {
        accounts: Option<Vec<Account>>,
        groups: Option<Vec<(Group, Nature)>>,
    },
    Accounts(Vec<Account>),
    Groups(Vec<(Group, Nature)>),
    Collaborators(Vec<Collaborator>),
    AccessRequests(Vec<AccessRequest>),
    TransferOffers(Vec<TransferOffer>),
    Tokens(Vec<Token>),
    ApiKeys(Vec<ApiKey>),
    Apps(Vec<AppSeen>),
    Integrations(Vec<Integration>),
    Connections(Vec<Connection>),
    /// With those the caller may only see id and remote ids of.
    Transactions(Vec<Transaction>, BTreeSet<label::Transaction>),
    /// With how many items were skipped (3.6.4).
    Performed(Vec<Transaction>, usize),
    /// All pages of a list, and the one account it is about (2.8).
    /// Then what of the query was read as less than it says (1.1.13).
    Pages(Vec<Vec<Row>>, Option<label::Account>, Vec<String>),
    /// With the same warnings.
    Count(usize, Vec<String>),
    /// Fuzzy dates, and how many.
    Counts {
        posted: Vec<(i32, usize)>,
        trashed: Vec<(i32, usize)>,
        /// Whether slices without transactions are left out.
        truncated: bool,
    },
    Events(Vec<Vec<EventSeen>>),
    /// What was sent to each app of each book: which event, and where.
    Sent(BTreeMap<(label::Book, label::App), Vec<(i64, String)>>),
    /// The attempts to deliver events to an app, in pages.
    Attempts(Vec<Vec<Attempt>>),
    /// Nothing to show.
    Done,
    Files(Vec<Vec<File>>),
    SavedQueries(Vec<SavedQuery>),
    /// The containers of accounts, then those of groups with what is in them; with warnings.
    Balances(Vec<Container>, Vec<String>),
}

/// Why an operation was refused: the reason of behaviour 10.2, and in a batch the place of the bad
/// item.
#[derive(Clone, Debug, PartialEq)]
pub struct Refused {
    pub reason: String,
    pub item: Option<usize>,
}

impl Refused {
    pub fn new(reason: &str) -> Refused {
        Refused { reason: reason.to_owned(), item: None }
    }

    pub fn bad() -> Refused {
        Refused::new("badRequest")
    }

    pub fn missing() -> Refused {
        Refused::new("notFound")
    }

    pub fn forbidden() -> Refused {
        Refused::new("forbidden")
    }

    pub fn locked() -> Refused {
        Refused::new("lockedDate")
    }

    pub fn checked() -> Refused {
        Refused::new("checkedTransaction")
    }

    /// A request that is no batch has no places.
    pub fn alone(self) -> Refused {
        Refused { item: None, ..self }
    }
}

pub type Outcome = Result<Answer, Refused>;
