//! Storage of books: diesel repositories on SQLite and PostgreSQL, units of work with group commit.
//!
//! A [`Store`] reads on one snapshot and writes through one queue per lane. Inside, [`Tx`] is the
//! unit of work with an accessor for each noun. A repository that reads rows of a book asks for a
//! [`daybook_domain::access::Access`]; one that writes them asks for the proof of a purpose,
//! [`access::AccessTo`].

pub mod access;
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
mod lease;
pub mod page;
mod pending;
mod planner;
mod plans;
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
pub use lease::Lease;
pub use pool::Address;
pub use store::{Lane, Options, Store};
pub use tx::Tx;
