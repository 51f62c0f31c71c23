//! `daybook backup` and `daybook restore`.
//!
//! A backup is a folder in a *place*, which is a directory or a prefix of a bucket. The copy of the
//! database is a SQLite file, also that of PostgreSQL ([`daybook_storage::dump`]), so every backup
//! can be opened, audited and restored into either engine.
//!
//! ```text
//! 20261127T171500Z/manifest.json     what belongs to the backup; stored last
//! 20261127T171500Z/manifest.sha256
//! 20261127T171500Z/daybook.db
//! 20261127T171500Z/files.txt         SHA-256 and name of each content of a file
//! 20261127T171500Z/checkpoints/...
//! 20261127T171500Z/keys.age          or keys/token.key and keys/sealing.key
//! files/BOOK/BLOB                    contents of files, of all backups in the place
//! ```
//!
//! Contents of files are immutable and have names of their own, so a backup stores only those that
//! the place does not have. The database is copied before the contents: a server removes a content
//! that no file has any more only after `--files-orphan-seconds`, so everything that the copy names
//! is still there. A folder without a manifest is a backup that was not completed.

mod age;
mod create;
mod keep;
mod layout;
mod manifest;
mod parts;
mod place;
mod restore;
pub(crate) mod staging;
mod verify;

use std::process::ExitCode;

use clap::{Args, Subcommand};

use crate::files::FileStoreArgs;
use crate::installation::print;
use crate::plural::counted;
use create::CreateArgs;
use keep::Keep;
use layout::backups;
use manifest::Manifest;
use place::Place;
use verify::VerifyArgs;

pub(crate) use restore::{RestoreArgs, run as restore};

#[derive(Debug, Args)]
pub(crate) struct BackupArgs {
    #[command(subcommand)]
    command: BackupCommand,
}

#[derive(Debug, Subcommand)]
enum BackupCommand {
    /// Copy database, files, checkpoints and keys while the server runs, and audit the copy. The
    /// database and the files are not encrypted. The status is 3 if the copy has findings
    Create(Box<CreateArgs>),
    /// List the backups in a place: name, state, engine, books, events, files, size
    List(PlaceArgs),
    /// Remove the backups that --keep does not name, and the contents of files that no other has
    Prune(PruneArgs),
    /// Check a backup: sums, schema, an audit of every book, contents of files, checkpoints. The
    /// status is 0 if everything agrees, 1 if something differs, and 2 if it could not be checked
    Verify(VerifyArgs),
}

impl BackupArgs {
    /// Returns whether it is `daybook backup verify`.
    pub(crate) const fn is_verify(&self) -> bool {
        matches!(self.command, BackupCommand::Verify(_))
    }
}

/// A place of backups.
#[derive(Debug, Args)]
struct PlaceArgs {
    /// Place of the backups: a directory, or s3://BUCKET/PREFIX
    #[arg(long, value_name = "DIR|s3://BUCKET/PREFIX")]
    at: String,
    /// Print the result as one JSON object
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    files: FileStoreArgs,
}

#[derive(Debug, Args)]
struct PruneArgs {
    #[command(flatten)]
    place: PlaceArgs,
    /// Keep only the newest backup of as many days, weeks and months, as in 7d4w12m
    #[arg(long, value_name = "7d4w12m")]
    keep: Keep,
}

/// Runs `daybook backup`.
///
/// # Errors
/// When the place or the installation cannot be used.
pub(crate) fn run(options: BackupArgs) -> anyhow::Result<ExitCode> {
    match options.command {
        BackupCommand::Create(options) => create::run(&options),
        BackupCommand::List(options) => list(&options).map(|()| ExitCode::SUCCESS),
        BackupCommand::Prune(PruneArgs { place, keep }) => {
            let found = Place::existing(&place.at, &place.files)?;
            let removed = keep::prune(&found, &keep)?;
            if place.json {
                print([serde_json::json!({ "removed": removed }).to_string()])?;
            } else {
                print(removed.iter().map(|name| format!("removed {name}")))?;
            }
            Ok(ExitCode::SUCCESS)
        }
        BackupCommand::Verify(options) => verify::run(&options),
    }
}

fn list(options: &PlaceArgs) -> anyhow::Result<()> {
    let found = backups(&Place::existing(&options.at, &options.files)?)?;
    if options.json {
        let backups: Vec<_> =
            found.iter().map(|(name, manifest)| to_json(name, manifest)).collect();
        return print([serde_json::json!({ "backups": backups }).to_string()]);
    }
    if found.is_empty() {
        let at = &options.at;
        return print([format!("No backups. `daybook backup create --to {at}` makes one.")]);
    }
    print(found.iter().map(|(name, manifest)| match manifest {
        Ok(Some(manifest)) => format!(
            "{name}  {}  {}  {}  {}  {}  {}",
            if manifest.is_good() { "good" } else { "findings" },
            manifest.engine,
            counted(manifest.audit.books, "book"),
            counted(manifest.audit.events, "event"),
            counted(manifest.files.count, "file"),
            counted(manifest.bytes(), "byte"),
        ),
        Ok(None) => format!("{name}  not completed"),
        Err(error) => format!("{name}  unreadable: {error:#}"),
    }))
}

fn to_json(name: &str, manifest: &anyhow::Result<Option<Manifest>>) -> serde_json::Value {
    match manifest {
        Ok(Some(manifest)) => serde_json::json!({ "name": name, "manifest": manifest }),
        Ok(None) => serde_json::json!({ "name": name, "error": "not completed" }),
        Err(error) => serde_json::json!({ "name": name, "error": format!("{error:#}") }),
    }
}
