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
mod manifest;
mod place;
mod restore;
mod staging;
mod verify;

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::{Context, bail};
use clap::{Args, Subcommand};
use daybook_blobs::Blobs;
use daybook_domain::instant::Instant;
use object_store::prefix::PrefixStore;

use crate::checkpoint::CheckpointArgs;
use crate::files::FileStoreArgs;
use crate::installation::{DataArgs, print};
use age::Recipient;
use keep::Keep;
use manifest::Manifest;
use place::Place;

pub(crate) use restore::{RestoreArgs, run as restore};

/// The exit status of a backup that was made and is not good, and of findings.
const FINDINGS: u8 = 3;

/// The name of the copy of the database in a backup.
const DATABASE: &str = "daybook.db";
/// The name of the list of contents of files in a backup.
const FILE_LIST: &str = "files.txt";
/// The name of the sealed keys in a backup.
const SEALED_KEYS: &str = "keys.age";
/// The folder of a place with the contents of files.
const CONTENTS: &str = "files";

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
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    files: FileStoreArgs,
}

#[derive(Debug, Args)]
struct CreateArgs {
    /// Place of the backup: a directory, which is created, or s3://BUCKET/PREFIX
    #[arg(long, value_name = "DIR|s3://BUCKET/PREFIX")]
    to: String,
    /// Afterwards keep only the newest backup of as many days, weeks and months, as in 7d4w12m
    #[arg(long, value_name = "7d4w12m")]
    keep: Option<Keep>,
    /// Seal the keys to this public key, which age-keygen makes (age1...). Without it the keys are
    /// copied as they are, and to a bucket not at all
    #[arg(long, value_name = "AGE_KEY")]
    recipient: Option<Recipient>,
    /// Print the manifest as JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    data: DataArgs,
    #[command(flatten)]
    files: FileStoreArgs,
    #[command(flatten)]
    checkpoints: CheckpointArgs,
}

#[derive(Debug, Args)]
struct PruneArgs {
    #[command(flatten)]
    place: PlaceArgs,
    /// Keep only the newest backup of as many days, weeks and months, as in 7d4w12m
    #[arg(long, value_name = "7d4w12m")]
    keep: Keep,
}

#[derive(Debug, Args)]
struct VerifyArgs {
    /// The backup: a folder of a place, DIR/NAME or s3://BUCKET/PREFIX/NAME
    #[arg(value_name = "PATH")]
    path: String,
    /// Identity file of age that opens sealed keys, to compare the checkpoints
    #[arg(long, value_name = "FILE")]
    identity: Option<PathBuf>,
    #[command(flatten)]
    files: FileStoreArgs,
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
            let found = Place::open(&place.at, &place.files)?;
            let removed = keep::prune(&found, &keep)?;
            print(removed.iter().map(|name| format!("removed {name}")))?;
            Ok(ExitCode::SUCCESS)
        }
        BackupCommand::Verify(options) => verify::run(&options),
    }
}

/// Returns the backups of a place, oldest first; without a manifest if they were not completed.
fn backups(place: &Place) -> anyhow::Result<Vec<(String, anyhow::Result<Option<Manifest>>)>> {
    let mut names = place.folders()?;
    names.retain(|name| keep::began(name).is_some());
    names.sort_unstable();
    Ok(names.into_iter().map(|name| (name.clone(), Manifest::read(place, &name))).collect())
}

fn list(options: &PlaceArgs) -> anyhow::Result<()> {
    let place = Place::open(&options.at, &options.files)?;
    for (name, manifest) in backups(&place)? {
        let line = match manifest {
            Ok(Some(manifest)) if options.json => {
                serde_json::json!({ "name": name, "manifest": manifest }).to_string()
            }
            Err(error) if options.json => {
                serde_json::json!({ "name": name, "error": format!("{error:#}") }).to_string()
            }
            Ok(None) if options.json => {
                serde_json::json!({ "name": name, "error": "not completed" }).to_string()
            }
            Ok(Some(manifest)) => format!(
                "{name}  {}  {}  {} books  {} events  {} files  {} bytes",
                if manifest.is_good() { "good" } else { "findings" },
                manifest.engine,
                manifest.audit.books,
                manifest.audit.events,
                manifest.files.count,
                manifest.bytes(),
            ),
            Ok(None) => format!("{name}  not completed"),
            Err(error) => format!("{name}  unreadable: {error:#}"),
        };
        print([line])?;
    }
    Ok(())
}

/// Splits the path of a backup into the address of its place and its name.
fn split_path(path: &str) -> anyhow::Result<(&str, &str)> {
    let path = path.trim_end_matches('/');
    let (place, name) = path.rsplit_once('/').unwrap_or((".", path));
    if keep::began(name).is_none() {
        bail!("{path} is not the path of a backup: expected DIR/20261127T171500Z");
    }
    Ok((place, name))
}

/// Returns the contents of files in a place.
fn contents(place: &Place) -> Blobs {
    Blobs::elsewhere(Arc::new(PrefixStore::new(place.store(), CONTENTS)))
}

/// Reads an identity file of age.
fn identity(path: &Path) -> anyhow::Result<age::Identity> {
    let text = std::fs::read_to_string(path)
        .with_context(|| format!("{} cannot be read", path.display()))?;
    age::Identity::parse(&text)
}

/// Returns the name of a backup that begins at an instant.
fn name_of(began: Instant) -> anyhow::Result<String> {
    keep::name(began).context("the clock is wrong")
}
