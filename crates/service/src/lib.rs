//! Daybook's use cases, one function each: who, load, ask, save, record.
//!
//! They take the unit of work they run in, so the caller decides between a snapshot
//! ([`daybook_storage::Store::read`]) and a durable write ([`daybook_storage::Store::submit`]);
//! they never see which engine runs.
//!
//! # Errors
//! Every use case passes on what storage fails with ([`daybook_storage`]). An `# Errors` section
//! below names only what it refuses itself.

pub mod access;
pub mod access_request;
pub mod account;
pub mod api_key;
pub mod app;
pub mod audit;
pub mod balance;
pub mod batch;
pub mod book;
pub mod collaborator;
pub mod collection;
pub mod connection;
mod context;
pub mod delivery;
mod error;
pub mod event;
pub mod event_log;
pub mod file;
pub mod grant;
pub mod group;
pub mod idempotency;
mod ids;
pub mod integration;
pub mod mail;
pub mod query;
pub mod saved_query;
pub mod sealed;
pub mod session;
pub mod signing_key;
pub mod storage_quota;
pub mod token;
pub mod transaction;
pub mod user;
pub mod zone;

pub use context::Context;
pub use error::{Error, Result};
pub use ids::Ids;
