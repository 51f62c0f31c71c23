//! A typed, asynchronous client of Daybook, a double-entry ledger with a REST API.
//!
//! - [`Client`] is a connection to a server: address, token, retries.
//! - [`Book`] is a handle of one book. Its methods, and those of the client, are the operations of
//!   the contract under their own names, `listAccounts` as [`Book::list_accounts`]. [`types`] and
//!   [`parameters`] are theirs.
//! - Above them are [`Book::transactions`] and other lists without pages, [`Query`] with correct
//!   quoting, [`Batch`]es of any length, [`Book::follow`] for events as they happen, and
//!   [`Client::start_device_sign_in`].
//! - [`Client::raw`] sends any request, and [`Request::into_text`] returns a response as it is.
//! - [`Request::upload`] sends a file, and [`Request::write_to`] writes a response, without holding
//!   them in memory.
//!
//! Writes carry idempotency keys and are repeated after a lost response; what was read with its
//! version is written only over that version ([`Versioned`]). Amounts are exact ([`Amount`]).
//! Values of enumerations that this version does not know are kept as `Other`.
//!
//! Numbers in parentheses cite the rules of the server's behaviour, `docs/behaviour.md`.
//!
//! ```
//! # daybook_tests::run_example(async |example| {
//! use daybook_client::types::{self, Account, AccountType, Transaction};
//! use daybook_client::{Amount, Client, Date, Query};
//!
//! let client = Client::builder(&example.url).token(&example.token).build()?;
//!
//! let home = types::Book { name: Some("Home".to_owned()), ..types::Book::default() };
//! let home = client.create_new_book(&home, &Default::default()).await?;
//! let book = client.book(home.id.as_deref().expect("a book has an id"));
//!
//! let cash = Account::named("Cash", AccountType::Asset);
//! let food = Account::named("Food", AccountType::Outgoing);
//! book.create_accounts([cash, food])?.all().await?;
//!
//! let lunch = Transaction {
//!     description: "Lunch #canteen".into(),
//!     ..Transaction::between("Cash", "Food", Date::new(2026, 1, 15)?, Amount::new(1250, 2))
//! };
//! let recorded = book.create_transaction(&lunch, &Default::default()).await?;
//! assert_eq!(recorded.transaction.posted, Some(true));
//!
//! let january = Query::new().account("Food").on("2026-01");
//! assert_eq!(book.transactions(january.clone()).all().await?.len(), 1);
//! let balances = book.balances(january).await?;
//! assert_eq!(balances.account("Food").expect("an account").period(), Amount::new(1250, 2));
//! # Ok(()) });
//! ```

mod amount;
mod batch;
mod batches;
mod book;
mod call;
mod chain;
mod client;
mod credentials;
mod date;
mod error;
mod event_stream;
mod exchange;
mod follow;
mod generated;
mod listing;
mod nullable;
mod open_enum;
mod pages;
mod properties;
mod query;
mod reason;
mod request;
mod rows;
mod sign_in;
mod timestamp;
mod upload;

pub use amount::{Amount, AmountError};
pub use batch::Batch;
pub use batches::Outcome;
pub use book::Book;
pub use call::{ETag, Head};
pub use chain::{ChainFault, ChainReport};
pub use client::{Client, ClientBuilder, Retry};
pub use credentials::Tokens;
pub use date::{Date, DateError};
pub use error::{ApiError, Error, OAuthError, Refusal, Result};
pub use follow::{Follower, Since};
pub use generated::{parameters, types};
pub use nullable::Nullable;
pub use pages::Pages;
pub use properties::Properties;
pub use query::Query;
pub use reason::Reason;
pub use request::{Request, Response, Row, Versioned};
pub use rows::Slice;
pub use sign_in::{CLI_CLIENT_ID, DeviceSignIn};
pub use timestamp::Timestamp;
