//! The options of read replicas.

use std::time::Duration;

use anyhow::ensure;
use clap::Args;
use daybook_storage::{Address, ReplicaOptions};

/// The options of read replicas.
#[derive(Debug, Args)]
pub(crate) struct ReplicaArgs {
    /// Replicas of the database on PostgreSQL, which serve reads of books: URLs like that of the
    /// database, separated by commas; none by default
    #[arg(
        long = "read-database-url",
        env = "DAYBOOK_READ_DATABASE_URL",
        value_delimiter = ',',
        value_name = "URL",
        hide_env_values = true
    )]
    read_database_urls: Vec<String>,

    /// Seconds that a replica may lag behind; replicas that lag further are not used
    #[arg(
        long,
        env = "DAYBOOK_READ_DATABASE_LAG_SECONDS",
        default_value_t = 10,
        value_name = "N",
        value_parser = clap::value_parser!(u16).range(1..=600)
    )]
    read_database_lag_seconds: u16,

    /// Let replicas also serve reads of a book that has changed since, so that readers may miss
    /// changes of others within that lag
    #[arg(long, env = "DAYBOOK_STALE_READS")]
    stale_reads: bool,
}

impl ReplicaArgs {
    /// Returns the replicas of this database.
    ///
    /// # Errors
    /// An address that does not name a PostgreSQL server; a replica of SQLite.
    pub(crate) fn of(&self, database: &Address) -> anyhow::Result<Option<ReplicaOptions>> {
        if self.read_database_urls.is_empty() {
            return Ok(None);
        }
        ensure!(
            database.is_server(),
            "--read-database-url is for PostgreSQL, and the database is SQLite, which has no \
             replicas"
        );
        let addresses: Vec<Address> = self
            .read_database_urls
            .iter()
            .map(|url| Address::parse(url.trim()))
            .collect::<Result<_, _>>()?;
        ensure!(
            addresses.iter().all(Address::is_server),
            "--read-database-url names replicas of PostgreSQL, not of SQLite"
        );
        let lag = Duration::from_secs(self.read_database_lag_seconds.into());
        Ok(Some(ReplicaOptions { addresses, lag, stale_reads: self.stale_reads }))
    }
}
