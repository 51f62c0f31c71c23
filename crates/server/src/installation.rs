//! The data of an installation, and what the operator commands share: the options that name it, the
//! opening of its database, and the output.

use std::io::{Write, stdout};
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use clap::Args;
use clap::builder::{PathBufValueParser, TypedValueParser as _};
use daybook_auth::identity::LocalKey;
use daybook_domain::email::Email;
use daybook_service::{Error, user};
use daybook_storage::user::User;
use daybook_storage::{Address, Options, Store};

use crate::{key, private};

/// How often a unit of work is retried that collides with another process creating users.
const MAX_COLLISIONS: u32 = 20;

/// Where an installation keeps its data.
#[derive(Debug, Args)]
pub(crate) struct DataArgs {
    /// Directory for the key that signs tokens and, by default, the database and files; serve and
    /// migrate create it
    // It is absolute, so that messages name the directory whatever the working directory is.
    #[arg(
        long,
        env = "DAYBOOK_DATA_DIR",
        default_value = "./data",
        value_name = "DIR",
        value_parser = PathBufValueParser::new().try_map(std::path::absolute::<PathBuf>)
    )]
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

    /// Returns the address of the database of an existing installation, for commands that must not
    /// create one in another directory by mistake.
    ///
    /// # Errors
    /// Those of [`Self::address`]; a data directory or a database file that does not exist.
    pub(crate) fn existing(&self) -> anyhow::Result<Address> {
        if private::mode(&self.data_dir).context("--data-dir")?.is_none() {
            bail!(
                "there is no installation in {}: the directory does not exist. Set --data-dir or \
                 DAYBOOK_DATA_DIR to the data directory of the server",
                self.data_dir.display()
            );
        }
        let address = self.address()?;
        if let Address::Sqlite(path) = &address {
            self.check_exists(path)?;
        }
        Ok(address)
    }

    fn check_exists(&self, database: &Path) -> anyhow::Result<()> {
        let (file, directory) = (std::path::absolute(database)?, self.data_dir.display());
        let looked_up = file.try_exists();
        if looked_up.with_context(|| format!("{} cannot be looked up", file.display()))? {
            return Ok(());
        }
        if self.database_url.is_some() {
            bail!(
                "there is no database {}. Set --database-url or DAYBOOK_DATABASE_URL to that of \
                 the installation in {directory} (--data-dir)",
                file.display()
            );
        }
        bail!(
            "there is no installation in {directory}: it has no daybook.db. Set --data-dir or \
             DAYBOOK_DATA_DIR to the data directory of the server, and --database-url or \
             DAYBOOK_DATABASE_URL if its database is elsewhere"
        )
    }

    /// Names the installation and the options that select it, for messages.
    pub(crate) fn shown(&self) -> String {
        // The URL may contain a password.
        let is_given = self.database_url.is_some();
        let database = if is_given { " with the database of --database-url" } else { "" };
        format!("the installation in {} (--data-dir){database}", self.data_dir.display())
    }
}

/// Opens the database of an existing installation for one command.
///
/// # Errors
/// When the installation is missing, or its database cannot be opened.
pub(crate) fn open(data: &DataArgs) -> anyhow::Result<Store> {
    connect(data, data.existing()?)
}

/// Opens an existing installation and loads its keys. Loading creates missing keys, so it comes
/// second.
///
/// # Errors
/// Those of [`open`]; keys that cannot be read.
pub(crate) fn open_with_key(data: &DataArgs) -> anyhow::Result<(Store, LocalKey)> {
    let store = open(data)?;
    Ok((store, key::load(&data.data_dir)?))
}

/// Opens the database of an installation for one command, and creates either if it is missing.
///
/// # Errors
/// When the database cannot be created or opened.
pub(crate) fn open_or_create(data: &DataArgs) -> anyhow::Result<Store> {
    connect(data, data.address()?)
}

fn connect(data: &DataArgs, address: Address) -> anyhow::Result<Store> {
    private::own_directory(&data.data_dir)
        .and_then(|()| Ok(Store::open(&Options::for_command(address))?))
        .with_context(|| format!("{} cannot be opened", data.shown()))
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
