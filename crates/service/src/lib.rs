//! Daybook's use cases: one function each.
//!
//! A use case checks the caller's access, loads what it needs, lets the domain decide, saves the
//! result and records an event. It runs inside a unit of work that the caller opens, so the caller
//! chooses between a snapshot ([`daybook_storage::Store::read`]) and a durable write
//! ([`daybook_storage::Store::submit`]). For the shard of a write, the caller passes the [`Target`]
//! or the shard key that is declared beside the use case. No use case depends on the database
//! engine.
//!
//! # Errors
//! Every use case returns the errors of the storage layer ([`daybook_storage`]), and a use case on
//! a book refuses a caller as [`access::enter`] does. The `# Errors` sections below list only the
//! refusals that the use case itself adds.

pub mod access;
pub mod access_request;
pub mod account;
pub mod administration;
pub mod api_key;
pub mod app;
pub mod audit;
pub mod balance;
pub mod batch;
pub mod book;
mod chart;
pub mod collaborator;
pub mod collection;
pub mod comment;
pub mod connection;
mod context;
pub mod delivery;
mod error;
pub mod event;
pub mod event_log;
pub mod export;
pub mod file;
pub mod grant;
pub mod group;
pub mod idempotency;
mod ids;
pub mod import;
pub mod integration;
pub mod mail;
pub mod query;
pub mod reconciliation;
pub mod report;
pub mod saved_query;
pub mod sealed;
pub mod session;
pub mod signing_key;
pub mod storage_quota;
mod target;
pub mod token;
pub mod transaction;
pub mod user;
mod user_lock;
pub mod zone;

pub use context::Context;
pub use error::{Error, Result};
pub use ids::Ids;
pub use target::Target;
