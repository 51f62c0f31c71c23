//! The coordinator of a database that is distributed over several machines.

use anyhow::ensure;
use clap::Args;
use daybook_storage::Address;

/// The option that names the coordinator.
#[derive(Debug, Args)]
pub(crate) struct CoordinatorArgs {
    /// Coordinator of a database that is distributed over several machines, if --database-url names
    /// another one of them; by default --database-url is the coordinator
    #[arg(long, env = "DAYBOOK_COORDINATOR_URL", value_name = "URL", hide_env_values = true)]
    coordinator_url: Option<String>,
}

impl CoordinatorArgs {
    /// Returns the coordinator, unless it is the database itself.
    ///
    /// # Errors
    /// An address that does not name a PostgreSQL server; a coordinator of SQLite.
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
