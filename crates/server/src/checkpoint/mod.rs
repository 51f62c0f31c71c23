//! Checkpoints of the logs of all books, in files outside the database (behaviour 6.26), and the
//! command `daybook checkpoint`. How files look: [`file`]. The doc comments of options are the
//! texts of `--help`.
//!
//! They are signed with a key derived from `token.key`, not with a signing key of the database
//! (behaviour 11.15): whoever can write to the database can replace those, and the old ones are
//! removed some time after a rotation.

pub(crate) mod file;

use std::path::{Path, PathBuf};

use anyhow::Context;
use clap::Args;
use daybook_domain::event::CheckpointEntry;
use daybook_domain::id::BookKey;
use daybook_domain::instant::Instant;
use daybook_http::CheckpointKey;
use daybook_service::{Result, audit};
use daybook_storage::Store;

use crate::admin::{open, print};
use crate::cli::DataArgs;
use crate::{clock, key, private};
use file::{CheckpointKind, NewCheckpoint};

/// Where checkpoints are kept.
#[derive(Debug, Args)]
pub(crate) struct CheckpointArgs {
    /// Directory for the daily checkpoints of the logs of all books; by default the folder
    /// "checkpoints" in the data directory
    #[arg(long, env = "DAYBOOK_CHECKPOINTS", value_name = "DIR")]
    checkpoints: Option<PathBuf>,
}

impl CheckpointArgs {
    /// The directory.
    pub(crate) fn directory(&self, data_dir: &Path) -> PathBuf {
        self.checkpoints.clone().unwrap_or_else(|| data_dir.join("checkpoints"))
    }
}

/// The options of `daybook checkpoint`.
#[derive(Debug, Args)]
pub(crate) struct CheckpointCommandArgs {
    #[command(flatten)]
    checkpoints: CheckpointArgs,
    #[command(flatten)]
    data: DataArgs,
}

/// `daybook checkpoint`: writes one now, and prints its path.
///
/// # Errors
/// A database that cannot be read, a file that cannot be written.
pub(crate) fn run(options: &CheckpointCommandArgs) -> anyhow::Result<()> {
    let CheckpointCommandArgs { checkpoints, data } = options;
    let signer = key::load(&data.data_dir)?.checkpoint_key()?;
    let store = open(data)?;
    let directory = checkpoints.directory(&data.data_dir);
    let written = write(&store, &directory, (&signer, clock::now()), &|| false)?;
    let (path, _) = written.context("there is no book yet")?;
    print([path.display().to_string()])
}

/// Writes a checkpoint of all books; its path, and how many books it has. Nothing is written when
/// there is no book, or when `stop` asks to give up. The books are read in pages, each on a
/// snapshot of its own.
///
/// # Errors
/// A database that cannot be read, a file that cannot be written.
pub(crate) fn write(
    store: &Store,
    directory: &Path,
    (signer, now): (&CheckpointKey, Instant),
    stop: &dyn Fn() -> bool,
) -> anyhow::Result<Option<(PathBuf, usize)>> {
    let mut after: Option<BookKey> = None;
    let mut written: Option<NewCheckpoint> = None;
    loop {
        let page: Result<_> = store.read(|tx| audit::checkpoint_entries(tx, after.as_ref()));
        let (entries, last) = page?;
        if !entries.is_empty() {
            let new = match written.take() {
                Some(new) => new,
                None => create(directory, CheckpointKind::All, now)?,
            };
            written = Some(add(new, &entries)?);
        }
        if stop() {
            return Ok(None);
        }
        match last {
            Some(last) => after = Some(last),
            None => return written.map(|new| new.finish(signer)).transpose(),
        }
    }
}

/// Writes a checkpoint of books that are about to be removed, unless they are gone.
///
/// # Errors
/// As [`write`].
pub(crate) fn write_removal(
    store: &Store,
    directory: &Path,
    (signer, now): (&CheckpointKey, Instant),
    books: &[BookKey],
) -> anyhow::Result<()> {
    let entries: Result<Vec<CheckpointEntry>> = store.read(|tx| audit::entries_of(tx, books));
    let entries = entries?;
    if entries.is_empty() {
        return Ok(());
    }
    add(create(directory, CheckpointKind::Removal, now)?, &entries)?.finish(signer)?;
    Ok(())
}

fn create(directory: &Path, kind: CheckpointKind, now: Instant) -> anyhow::Result<NewCheckpoint> {
    private::make_directory(directory)?;
    file::remove_leftovers(directory, now)?;
    NewCheckpoint::create(directory, kind, now)
}

fn add(mut new: NewCheckpoint, entries: &[CheckpointEntry]) -> anyhow::Result<NewCheckpoint> {
    for entry in entries {
        new.add(entry)?;
    }
    Ok(new)
}
