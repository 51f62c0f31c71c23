//! `daybook backup verify`.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, ensure};
use clap::Args;
use daybook_auth::identity::CheckpointKey;
use daybook_storage::Address;

use super::layout::{DATABASE, contents, identity, split_path};
use super::manifest::{Keys, Manifest};
use super::parts::{completed, fetch, keys_of};
use super::place::Place;
use super::staging::Staging;
use crate::files::FileStoreArgs;
use crate::installation::print;
use crate::verify::Comparison;
use crate::{key, verify};

#[derive(Debug, Args)]
pub(super) struct VerifyArgs {
    /// The backup: a folder of a place, DIR/NAME or s3://BUCKET/PREFIX/NAME
    #[arg(value_name = "PATH")]
    path: String,
    /// Identity file of age that opens sealed keys, to compare the checkpoints
    #[arg(long, value_name = "FILE")]
    identity: Option<PathBuf>,
    /// Print the result as one JSON object
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    files: FileStoreArgs,
}

/// Runs `daybook backup verify`. The backup is not changed.
///
/// # Errors
/// When the place cannot be read, the backup was not completed, or a part was changed.
pub(super) fn run(options: &VerifyArgs) -> anyhow::Result<ExitCode> {
    let (at, backup) = split_path(&options.path)?;
    let place = Place::existing(at, &options.files)?;
    let manifest = completed(&place, backup)?;
    let staging = Staging::temporary()?;
    fetch(&place, backup, &manifest, staging.path())?;
    let copy = staging.file(DATABASE);
    // A later version may have steps that the backup lacks.
    Address::Sqlite(copy.clone()).migrate().context("the database of the backup is damaged")?;
    let key = checkpoint_key(options, &manifest, staging.path())?;
    if key.is_none() && !options.json {
        print(["The checkpoints were not compared: the keys are sealed or left out. --identity \
                opens sealed keys."
            .to_owned()])?;
    }
    let (status, audit) = verify::compare(Comparison {
        address: Address::Sqlite(copy),
        checkpoints: staging.file("checkpoints"),
        key,
        // Connections to a bucket belong to the runtime that has opened them.
        blobs: Some(contents(&Place::existing(at, &options.files)?)),
        json: options.json,
    })?;
    ensure!(
        audit == manifest.audit,
        "the database has other books or events than the manifest says: {audit:?}"
    );
    Ok(status)
}

fn checkpoint_key(
    options: &VerifyArgs,
    manifest: &Manifest,
    directory: &Path,
) -> anyhow::Result<Option<CheckpointKey>> {
    let identity = match (manifest.keys, &options.identity) {
        (Keys::LeftOut, _) | (Keys::Sealed, None) => return Ok(None),
        (Keys::Sealed, Some(path)) => Some(identity(path)?),
        (Keys::Unsealed, _) => None,
    };
    let opened = keys_of(directory, identity.as_ref())?;
    if opened.is_empty() {
        return Ok(None);
    }
    let folder = directory.join("opened-keys");
    key::write(&folder, &opened)?;
    key::checkpoint_key(&folder).map(Some)
}
