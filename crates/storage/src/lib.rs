//! Storage of books: diesel repositories on SQLite and PostgreSQL, units of work with group commit.
//!
//! A [`Store`] reads on one snapshot and writes through one queue per lane. Inside, [`Tx`] is the
//! unit of work with an accessor for each noun; repositories ask for a
//! [`daybook_domain::access::Access`], the proof of access.
//!
//! # Errors
//! Every method that reads or writes fails with [`Error::Unavailable`] when the database cannot be
//! reached or somebody else holds what it needs for too long, with [`Error::Refused`] when the
//! database refuses a statement, and with [`Error::Broken`] when a stored value cannot be read. An
//! `# Errors` section below names only what a method refuses besides.

pub mod account;
pub mod audit;
pub mod balance;
pub mod book;
pub mod book_state;
mod bulk;
mod chart;
pub mod collaborator;
pub mod collection;
mod column;
mod conn;
mod dialect;
mod error;
pub mod event;
pub mod file;
pub mod group;
pub mod idempotency;
mod index_term;
mod lookup;
pub mod page;
mod pending;
mod pool;
pub mod saved_query;
mod schema;
mod sql;
mod store;
pub mod transaction;
mod tx;
pub mod user;
mod writer;

pub use error::{Error, Result};
pub use pool::Address;
pub use store::{Lane, Options, Store};
pub use tx::Tx;
