//! The shapes of the contract, by noun.

mod account;
mod app;
mod balance;
mod book;
mod collaborator;
mod collection;
mod connection;
mod event;
mod file;
mod integration;
mod reconciliation;
mod report;
mod saved_query;
mod sign_in;
mod template;
mod transaction;
mod user;

pub use account::*;
pub use app::*;
pub use balance::*;
pub use book::*;
pub use collaborator::*;
pub use collection::*;
pub use connection::*;
pub use event::*;
pub use file::*;
pub use integration::*;
pub use reconciliation::*;
pub use report::*;
pub use saved_query::*;
pub use sign_in::*;
pub use template::*;
pub use transaction::*;
pub use user::*;
