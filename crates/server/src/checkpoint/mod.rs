//! Checkpoints of all event logs, in files outside the database (behaviour 6.26), and the command
//! `daybook checkpoint`. For the format see [`file`].
//!
//! They are signed with a key derived from `token.key`, not with a signing key of the database
//! (behaviour 11.15). An attacker who can write to the database could replace those, and old
//! signing keys are removed some time after a rotation.

pub(crate) mod file;

use std::path::{Path, PathBuf};

use anyhow::Context;
use clap::Args;
use daybook_auth::identity::CheckpointKey;
use daybook_domain::event::CheckpointEntry;
use daybook_domain::id::BookKey;
use daybook_domain::instant::Instant;
use daybook_service::{Result, audit};
use daybook_storage::Store;

use crate::installation::{DataArgs, open_with_key, print};
use crate::{clock, private};
use file::{CheckpointKind, NewCheckpoint};

/// The option with the directory of checkpoints.
#[derive(Debug, Args)]
pub(crate) struct CheckpointArgs {
    /// Directory for the daily checkpoints of the logs of all books; by default the folder
    /// "checkpoints" in the data directory
    #[arg(long, env = "DAYBOOK_CHECKPOINTS", value_name = "DIR")]
    checkpoints: Option<PathBuf>,
}

impl CheckpointArgs {
    /// Returns the directory of checkpoints.
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

/// Runs `daybook checkpoint`, which writes a checkpoint and prints its path.
///
/// # Errors
/// A database that cannot be read; a file that cannot be written.
pub(crate) fn run(options: &CheckpointCommandArgs) -> anyhow::Result<()> {
    let CheckpointCommandArgs { checkpoints, data } = options;
    let (store, key) = open_with_key(data)?;
    let key = key.checkpoint_key()?;
    let directory = checkpoints.directory(&data.data_dir);
    let written = write(&store, &directory, &key, clock::now(), &|| false)?;
    let (path, _) = written.context("there is no book yet")?;
    print([path.display().to_string()])
}

/// Writes a checkpoint of all books, and returns its path and the number of books.
///
/// It writes nothing without books, or if `stop` returns `true`. It reads the books in pages,
/// each on its own snapshot.
///
/// # Errors
/// A database that cannot be read; a file that cannot be written.
pub(crate) fn write(
    store: &Store,
    directory: &Path,
    key: &CheckpointKey,
    now: Instant,
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
            None => return written.map(|new| new.finish(key)).transpose(),
        }
    }
}

/// Writes a checkpoint of books that are about to be removed, unless they no longer exist.
///
/// # Errors
/// Those of [`write`].
pub(crate) fn write_removal(
    store: &Store,
    directory: &Path,
    key: &CheckpointKey,
    now: Instant,
    books: &[BookKey],
) -> anyhow::Result<()> {
    let entries: Result<Vec<CheckpointEntry>> =
        store.read(|tx| audit::checkpoint_entries_of(tx, books));
    let entries = entries?;
    if entries.is_empty() {
        return Ok(());
    }
    add(create(directory, CheckpointKind::Removal, now)?, &entries)?.finish(key)?;
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
