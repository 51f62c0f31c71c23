//! `daybook migrate`: updates the schema of the database without a server.

use clap::Args;
use daybook_storage::distribution::Placement;

use crate::installation::{DataArgs, open_or_create, print};
use crate::log::log_command;
use crate::private;

#[derive(Debug, Args)]
pub(crate) struct MigrateArgs {
    /// Distribute the tables over the machines of a PostgreSQL with the extension citus. Tables
    /// that are already distributed stay where they are
    #[arg(long)]
    distribute: bool,
    #[command(flatten)]
    data: DataArgs,
}

/// Runs `daybook migrate`.
///
/// # Errors
/// A database that cannot be opened or distributed.
pub(crate) fn run(options: &MigrateArgs) -> anyhow::Result<()> {
    let MigrateArgs { distribute, data } = options;
    if !distribute {
        // Opening a database updates its schema.
        open_or_create(data)?;
        return print(["The schema is up to date.".to_owned()]);
    }
    private::own_directory(&data.data_dir)?;
    let placed = data.address()?.distribute()?;
    log_command(data, "migrate", None);
    if placed.is_empty() {
        return print(["All tables are distributed already.".to_owned()]);
    }
    print(placed.into_iter().map(|(table, placement)| match placement {
        Placement::Book(_) => format!("{table}: with its book"),
        Placement::User => format!("{table}: with its user"),
        Placement::Everywhere => format!("{table}: on every machine"),
    }))
}
