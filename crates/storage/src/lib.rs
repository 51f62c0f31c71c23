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
//! | `distribution` | Where rows are when PostgreSQL is several machines |
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
//! No query about a book and no key crosses books: every table of a book leads its key and its
//! indexes with `book_id`, and every statement about one names its number. There are no foreign
//! keys. Which tables belong to books stands in [`distribution::PLACEMENTS`].

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
mod bulk_column;
mod bulk_lookup;
mod chart;
mod checkpoint;
pub mod collaborator;
pub mod collection;
mod column;
mod commit_delay;
mod commit_mark;
mod conn;
pub mod connection;
pub mod delivery;
mod dialect;
pub mod distribution;
mod engine;
mod error;
pub mod event;
pub mod fair_queue;
pub mod file;
mod generation;
pub mod grant;
pub mod group;
pub mod idempotency;
pub mod identity;
mod index_term;
pub mod integration;
mod interrupt;
mod job;
mod lease;
pub mod mail;
mod migrations;
pub mod page;
mod planner;
mod plans;
mod pool;
mod pooler;
pub mod posted_months;
mod read_only;
mod replica;
pub mod saved_query;
mod schema;
pub mod sealed;
pub mod session;
mod shard_key;
pub mod signing_key;
mod sql;
pub mod storage_quota;
mod store;
mod store_options;
mod stored;
mod submission;
pub mod token;
pub mod transaction;
mod tx;
pub mod user;
mod write_buffer;
mod writer;
mod writer_group;
mod writer_queue;
mod writers;

pub use error::{Error, Result};
pub use interrupt::ReadStop;
pub use lease::Lease;
pub use pool::{Address, ReaderPool};
pub use read_only::ReadOnlyStore;
pub use replica::position::LogPosition;
pub use replica::{ReplicaChoice, ReplicaOptions};
pub use shard_key::ShardKey;
pub use store::Store;
pub use store_options::Options;
pub use submission::Submission;
pub use tx::Tx;
