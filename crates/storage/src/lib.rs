//! Storage of books: diesel repositories on SQLite and PostgreSQL, units of work with group commit.
//!
//! A [`Store`] reads on one snapshot and writes through one queue per lane. Inside, [`Tx`] is the
//! unit of work with an accessor for each noun. A repository that reads rows of a book asks for a
//! [`daybook_domain::access::Access`]; one that writes them asks for the proof of a purpose,
//! [`access::AccessTo`].
//!
//! # Where to read on
//!
//! | Module | What it explains |
//! |---|---|
//! | `store` | Snapshots, lanes, what a full queue answers |
//! | `writer` | Group commit |
//! | `tx`, `write_buffer` | What a unit of work sees and queues, and how it is undone |
//! | `schema` | The tables, what each holds and why |
//! | `conn`, `dialect`, `sql`, `bulk`, `planner` | How one repository serves two engines |
//! | `book` | The lock of a book |
//! | `chart` | The cache of accounts and groups |
//! | `replica` | Reads from replicas of PostgreSQL |
//! | `transaction` | Searching, the trigram index, copying |
//!
//! # Columns
//!
//! Days are yyyymmdd, instants are milliseconds, maps and lists are JSON text. Amounts are 64-bit
//! integers at the storage scale of the book, which is at least its `fractionDigits` and only
//! grows.
//!
//! # Keys
//!
//! No query and no key crosses books: every table of a book leads its key and its indexes with
//! `book_id`. There are no foreign keys. The exceptions are the index that lists the books of a
//! user; `collections` and `collection_books`, which users keep across books and which `user_id`
//! leads; and `users`, `tokens`, `sessions`, `login_links`, `grants`, `consents`,
//! `device_authorizations`, `detached_deliveries`, `mails`, `signing_keys`, `identity_changes`,
//! `idempotency_keys` and `process_starts`, which belong to no book.

pub mod access;
pub mod access_request;
pub mod account;
pub mod api_key;
pub mod app;
mod app_face;
pub mod audit;
pub mod balance;
pub mod book;
pub mod book_state;
pub mod bot_response;
mod bulk;
mod chart;
mod checkpoint;
pub mod collaborator;
pub mod collection;
mod column;
mod conn;
pub mod connection;
pub mod delivery;
mod dialect;
mod error;
pub mod event;
mod fair_queue;
pub mod file;
pub mod grant;
pub mod group;
pub mod idempotency;
pub mod identity;
mod index_term;
pub mod integration;
mod interrupt;
mod lane;
mod lease;
pub mod mail;
pub mod page;
mod planner;
mod plans;
mod pool;
mod pooler;
pub mod posted_months;
mod replica;
pub mod saved_query;
mod schema;
pub mod sealed;
pub mod session;
pub mod signing_key;
mod sql;
pub mod storage_quota;
mod store;
mod stored;
mod ticket;
pub mod token;
pub mod transaction;
mod tx;
pub mod user;
mod write_buffer;
mod writer;
mod writer_queue;

pub use error::{Error, Result};
pub use interrupt::ReadStop;
pub use lane::Lane;
pub use lease::Lease;
pub use pool::Address;
pub use replica::position::LogPosition;
pub use replica::{ReplicaChoice, ReplicaOptions};
pub use store::{Options, Store};
pub use ticket::Ticket;
pub use tx::Tx;
