//! The data of an installation, and what the operator commands share: the options that name it, the
//! opening of its database, and the output.

use std::io::{Write, stdout};
use std::path::PathBuf;

use anyhow::Context;
use clap::Args;
use daybook_domain::email::Email;
use daybook_service::{Error, user};
use daybook_storage::user::User;
use daybook_storage::{Address, Options, Store};

use crate::private;

/// How often a unit of work is retried that collides with another process creating users.
const MAX_COLLISIONS: u32 = 20;

/// Where an installation keeps its data.
#[derive(Debug, Args)]
pub(crate) struct DataArgs {
    /// Directory for the key that signs tokens and, by default, the database and files; created
    /// when missing
    #[arg(long, env = "DAYBOOK_DATA_DIR", default_value = "./data", value_name = "DIR")]
    pub(crate) data_dir: PathBuf,

    /// Database: sqlite:PATH or postgres://USER@HOST/NAME; by default SQLite in the data directory
    #[arg(long, env = "DAYBOOK_DATABASE_URL", value_name = "URL", hide_env_values = true)]
    pub(crate) database_url: Option<String>,
}

impl DataArgs {
    /// Returns the address of the database.
    ///
    /// # Errors
    /// An invalid address; a database file that others may read.
    pub(crate) fn address(&self) -> anyhow::Result<Address> {
        let default = || format!("sqlite:{}", self.data_dir.join("daybook.db").display());
        let address = Address::parse(&self.database_url.clone().unwrap_or_else(default))?;
        if let Address::Sqlite(path) = &address {
            private::check_database(path)?;
        }
        Ok(address)
    }
}

/// Opens the database of an installation for one command.
///
/// # Errors
/// When the database cannot be opened.
pub(crate) fn open(data: &DataArgs) -> anyhow::Result<Store> {
    private::own_directory(&data.data_dir)?;
    Store::open(&Options::for_command(data.address()?)).context("the database cannot be opened")
}

/// Finds the user with an address.
///
/// # Errors
/// An invalid or unknown address.
pub(crate) fn find_user(store: &Store, address: &str) -> anyhow::Result<User> {
    let address = Email::parse(address)?;
    let found = store.read(|tx| user::find(tx, &address))?;
    Ok(found.ok_or(Error::NotFound("user"))?)
}

/// Runs a unit of work that creates a user, and retries it if another process creates the same
/// user, or one with the same name, at the same time.
pub(crate) fn retry_on_collision<T>(work: impl Fn() -> Result<T, Error>) -> Result<T, Error> {
    let mut outcome = work();
    for _ in 0..MAX_COLLISIONS {
        if !matches!(outcome, Err(Error::Storage(daybook_storage::Error::UniqueViolation(_)))) {
            break;
        }
        outcome = work();
    }
    outcome
}

/// Prints lines to standard output.
///
/// # Errors
/// When the output cannot be written.
pub(crate) fn print(lines: impl IntoIterator<Item = String>) -> anyhow::Result<()> {
    let mut out = stdout().lock();
    for line in lines {
        writeln!(out, "{line}").context("the output could not be written")?;
    }
    Ok(())
}
