//! `daybook move`: copies a stopped installation into an empty database of either engine.
//!
//! Ids, users, sealed secrets, events and their chains stay what they are. The copy is one database
//! transaction, and then both databases are audited and the ends of their logs compared. The source
//! is only read, so whatever fails, the installation can be started as before. It is locked until
//! the command ends, so a server that is started meanwhile writes nothing that the copy lacks.

use anyhow::{Context, bail};
use clap::Args;
use daybook_storage::Address;
use daybook_storage::dump::{Source, TableRows, Target};
use serde::Serialize;

use crate::audited::{AuditSummary, audit_database};
use crate::installation::{DataArgs, print};
use crate::log::log_command;
use crate::plural::counted;
use crate::private;
use crate::progress::Progress;

/// The options of `daybook move`.
#[derive(Debug, Args)]
pub(crate) struct MoveArgs {
    /// The empty database to move to: sqlite:PATH or postgres://USER@HOST/NAME
    #[arg(long, value_name = "URL", hide_env_values = true)]
    to: String,
    /// Print the result as one JSON object
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    data: DataArgs,
}

/// The result of a move.
#[derive(Serialize)]
struct Moved {
    tables: usize,
    rows: u64,
    audit: AuditSummary,
}

/// Runs `daybook move`.
///
/// # Errors
/// A source that is in use, a target that is not empty, and a failure of either. The source is
/// unchanged.
pub(crate) fn run(options: &MoveArgs) -> anyhow::Result<()> {
    let MoveArgs { to, json, data } = options;
    let (from, to) = (data.existing()?, Address::parse(to)?);
    if let Address::Sqlite(path) = &to {
        private::check_database(path)?;
    }
    let moved = copy(data, &from, &to).context(
        "nothing was changed: the installation can be started as before, and the move begun \
         again with an empty database",
    )?;
    log_command(data, "move", None);
    if *json {
        return print([serde_json::to_string(&moved)?]);
    }
    let Moved { rows, audit, .. } = moved;
    print([
        format!(
            "Copied {} of {}, {}.",
            counted(rows, "row"),
            counted(audit.books, "book"),
            counted(audit.events, "event")
        ),
        "Both databases were audited without findings, and the ends of all logs agree.".to_owned(),
        "Set --database-url or DAYBOOK_DATABASE_URL to the new database and start the server. \
         Keys and files stay where they are."
            .to_owned(),
    ])
}

fn copy(data: &DataArgs, from: &Address, to: &Address) -> anyhow::Result<Moved> {
    let mut source =
        Source::open_alone(from).with_context(|| format!("{} cannot be moved", data.shown()))?;
    let target = Target::open(to).context("the new database cannot be used")?;
    let mut progress = Progress::new("copy");
    let tables: Vec<TableRows> = target
        .fill(&mut source, &mut |rows| progress.show(&format!("{rows} rows")))
        .context("the copy failed")?;
    drop(progress);
    let before = audited(from, "audit of the old database")?;
    let after = audited(to, "audit of the new database")?;
    if before != after {
        bail!("the audits differ: {before:?} before, {after:?} after");
    }
    // The lock of the source has to outlast both audits.
    drop(source);
    let rows = tables.iter().map(|table| table.rows).sum();
    Ok(Moved { tables: tables.len(), rows, audit: after })
}

fn audited(address: &Address, step: &'static str) -> anyhow::Result<AuditSummary> {
    let summary = audit_database(address, step)?;
    if let Some(finding) = &summary.first_finding {
        bail!("the {step} has {} findings, first: {finding}", summary.findings);
    }
    Ok(summary)
}
