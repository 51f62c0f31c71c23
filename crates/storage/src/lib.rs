//! Storage of books: diesel repositories on SQLite and PostgreSQL, units of work with group commit.
//!
//! A [`Store`] reads on one snapshot and writes through queues. [`Tx`] is the unit of work, with an
//! accessor for each repository. A repository method that reads rows of a book requires a
//! [`daybook_domain::access::Access`]; one that writes them requires the proof of a purpose,
//! [`access::AccessTo`].
//!
//! # Modules
//!
//! | Module | Contents |
//! |---|---|
//! | `conn` | Engines, connections, pools, SQL building, schema migrations |
//! | `commit` | The write path: units of work, queues, group commit |
//! | `rows` | Row types that the write buffer writes |
//! | `store` | Snapshots and submissions |
//! | `schema` | The tables and their purpose |
//! | `replica` | Reads from replicas of PostgreSQL |
//! | `book` | Access to books, and their locks |
//! | `chart` | The cache of accounts and groups |
//! | `transaction` | Saving, searching, the trigram index |
//! | `event`, `delivery` | The event log, and webhook deliveries |
//! | others | One repository for each noun |
//!
//! # Columns
//!
//! Days are yyyymmdd, instants are milliseconds, maps and lists are JSON text. Amounts are 64-bit
//! integers at the storage scale of the book, which is at least its `fractionDigits` and never
//! shrinks.
//!
//! # Keys
//!
//! No query about a book and no key crosses books: every table of a book leads its key and its
//! indexes with `book_id`, and every statement about a book names its number. There are no foreign
//! keys. [`distribution::PLACEMENTS`] lists the tables of books.

pub mod access;
pub mod access_request;
pub mod account;
pub mod api_key;
pub mod app;
mod app_summary_cache;
pub mod audit;
pub mod balance;
pub mod book;
pub mod bot_response;
mod chart;
pub mod collaborator;
pub mod collection;
pub mod comment;
mod commit;
mod conn;
pub mod connection;
pub mod delivery;
pub mod dump;
mod error;
pub mod event;
pub mod file;
mod generation;
pub mod grant;
pub mod group;
pub mod idempotency;
pub mod identity;
pub mod import;
mod index_term;
pub mod integration;
mod lease;
pub mod mail;
pub mod metric;
pub mod monitor;
mod options;
pub mod page;
mod plans;
pub mod posted_months;
mod read_only;
pub mod reconciliation;
mod replica;
pub mod restore_hold;
mod rows;
pub mod saved_query;
mod schema;
pub mod sealed;
pub mod session;
pub mod signing_key;
pub mod storage_quota;
mod store;
pub mod token;
pub mod transaction;
pub mod user;

pub use commit::fair_queue;
pub use commit::shard_key::ShardKey;
pub use commit::submission::Submission;
pub use commit::tx::Tx;
pub use conn::address::Address;
pub use conn::distribution;
pub use conn::interrupt::ReadStop;
pub use conn::log_position::LogPosition;
pub use conn::pool::{REPORT_READERS, ReaderPool};
pub use error::{Error, Result};
pub use lease::Lease;
pub use options::Options;
pub use read_only::ReadOnlyStore;
pub use replica::{ReplicaChoice, ReplicaOptions};
pub use store::Store;
