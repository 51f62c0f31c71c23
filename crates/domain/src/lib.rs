//! The rules of double-entry books, as Daybook's v5 API keeps them.
//!
//! Everything here is a value or a pure function: no clock, no randomness, no environment, no file, no socket, no
//! database. Functions take values and return values or a typed [`Refusal`]. Rules are cited by their number in
//! `docs/behaviour.md`.

pub mod account;
pub mod amount;
pub mod audit;
pub mod balance;
pub mod book;
pub mod calendar;
pub mod collaborator;
pub mod event;
pub mod field;
mod figure;
pub mod group;
pub mod id;
pub mod instant;
pub mod json;
pub mod name;
pub mod property;
pub mod query;
pub mod refusal;
pub mod transaction;

pub use refusal::{Kind, Reason, Refusal};
