//! The coordinator of a database that is distributed over several machines. The doc comments of
//! options are the texts of `--help`.

use anyhow::ensure;
use clap::Args;
use daybook_storage::Address;

/// Which machine the coordinator is.
#[derive(Debug, Args)]
pub(crate) struct CoordinatorArgs {
    /// The coordinator of a database that is distributed over several machines, when the address of
    /// the database is that of another one of them; by default that is the coordinator
    #[arg(long, env = "DAYBOOK_COORDINATOR_URL", value_name = "URL", hide_env_values = true)]
    coordinator_url: Option<String>,
}

impl CoordinatorArgs {
    /// The coordinator, where that is not this database.
    ///
    /// # Errors
    /// An address that is not that of a PostgreSQL server; any coordinator of SQLite.
    pub(crate) fn of(&self, database: &Address) -> anyhow::Result<Option<Address>> {
        let Some(url) = &self.coordinator_url else { return Ok(None) };
        let coordinator = Address::parse(url)?;
        ensure!(
            coordinator.is_server() && database.is_server(),
            "--coordinator-url is for PostgreSQL: SQLite is one file on one machine"
        );
        Ok(Some(coordinator))
    }
}
