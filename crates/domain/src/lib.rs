//! The rules of double-entry books behind Daybook's v5 API.
//!
//! The crate contains values and pure functions only: no clock, randomness, environment, file,
//! socket or database. Functions take values and return values or a typed [`Refusal`]. Comments
//! cite the rules of `docs/behaviour.md` by number.
//!
//! ```
//! use daybook_domain::account::AccountType;
//! use daybook_domain::balance::Sums;
//! use daybook_domain::permission::{Action, Permission};
//! use daybook_domain::transaction::{LifecycleState, Refusal, Transition, Verb, transition};
//!
//! // The transition table: a checked transaction is read-only.
//! assert_eq!(transition(LifecycleState::Unchecked, Verb::Update, false), Transition::Done);
//! let refused = Transition::Refused(Refusal::Checked);
//! assert_eq!(transition(LifecycleState::Checked, Verb::Update, false), refused);
//! // The permission matrix.
//! assert!(Permission::Poster.may(Action::Post) && !Permission::Poster.may(Action::Check));
//! // Raw balances: credits minus debits.
//! let cash = Sums { debit: 1_077_600, credit: 63_069 };
//! assert_eq!(cash.balance(), -1_014_531);
//! assert!(AccountType::Asset.is_permanent() && !AccountType::Asset.is_credit());
//! ```

pub mod access;
pub mod access_request;
pub mod account;
pub mod amount;
pub mod api_key;
pub mod app;
pub mod audit;
pub mod balance;
pub mod book;
pub mod calendar;
pub mod chart;
pub mod collaborator;
pub mod collection;
pub mod comment;
pub mod connection;
pub mod deletion;
pub mod delivery;
mod digits;
pub mod email;
pub mod event;
pub mod field;
pub mod file;
#[cfg(test)]
mod fixture;
pub mod grant;
pub mod group;
pub mod id;
pub mod idempotency;
pub mod import;
pub mod instant;
pub mod integration;
pub mod json;
pub mod mail;
pub mod name;
mod named;
mod numeral;
pub mod permission;
pub mod property;
pub mod purpose;
pub mod query;
pub mod reason;
pub mod reconciliation;
pub mod reference;
pub mod refusal;
pub mod report;
pub mod saved_query;
pub mod session;
pub mod signing_key;
pub mod storage_quota;
pub mod token;
pub mod transaction;
pub mod user;
pub mod version;
pub mod view_rights;

pub use reason::{Reason, RefusalKind};
pub use refusal::Refusal;
