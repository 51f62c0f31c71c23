//! `daybook migrate`: the schema of the database, without a server. The doc comments of options are
//! the texts of `--help`.

use clap::Args;
use daybook_storage::distribution::Placement;

use crate::admin::{address, open, print};
use crate::cli::DataArgs;
use crate::log::note_command;
use crate::private;

#[derive(Debug, Args)]
pub(crate) struct MigrateArgs {
    /// Distribute the tables over the machines of a PostgreSQL with the extension citus. Those that
    /// are distributed already stay where they are
    #[arg(long)]
    distribute: bool,
    #[command(flatten)]
    data: DataArgs,
}

/// `daybook migrate`.
///
/// # Errors
/// A database that cannot be opened, or not be distributed.
pub(crate) fn run(options: &MigrateArgs) -> anyhow::Result<()> {
    let MigrateArgs { distribute, data } = options;
    if !distribute {
        // Whoever opens a database brings its schema up to date.
        open(data)?;
        return print(["The schema is up to date.".to_owned()]);
    }
    private::own_directory(&data.data_dir)?;
    let placed = address(data)?.distribute()?;
    note_command(data, "migrate", None);
    if placed.is_empty() {
        return print(["All tables are distributed already.".to_owned()]);
    }
    print(placed.into_iter().map(|(table, placement)| match placement {
        Placement::Book(_) => format!("{table}: with its book"),
        Placement::User => format!("{table}: with its user"),
        Placement::Everywhere => format!("{table}: on every machine"),
    }))
}
