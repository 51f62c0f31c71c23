//! `daybook backup verify`.

use std::path::Path;
use std::process::ExitCode;

use anyhow::{Context, ensure};
use daybook_auth::identity::CheckpointKey;
use daybook_storage::Address;

use super::manifest::{Keys, Manifest};
use super::place::Place;
use super::restore::keys_of;
use super::staging::Staging;
use super::{DATABASE, VerifyArgs, contents, create, identity, split_path};
use crate::installation::print;
use crate::verify::Comparison;
use crate::{key, verify};

/// Runs `daybook backup verify`. The backup is not changed.
///
/// # Errors
/// When the place cannot be read, the backup was not completed, or a part was changed.
pub(super) fn run(options: &VerifyArgs) -> anyhow::Result<ExitCode> {
    let (at, backup) = split_path(&options.path)?;
    let place = Place::open(at, &options.files)?;
    let manifest = completed(&place, backup)?;
    let staging = Staging::temporary()?;
    fetch(&place, backup, &manifest, staging.path())?;
    let copy = staging.file(DATABASE);
    // A later version may have steps that the backup lacks.
    Address::Sqlite(copy.clone()).migrate().context("the database of the backup is damaged")?;
    let audit = create::audited(&copy)?;
    ensure!(
        audit == manifest.audit,
        "the database has other books or events than the manifest says: {audit:?}"
    );
    let key = checkpoint_key(options, &place, backup, &manifest, staging.path())?;
    if key.is_none() {
        print(["The checkpoints were not compared: the keys are sealed or left out. --identity \
                opens sealed keys."
            .to_owned()])?;
    }
    verify::compare(Comparison {
        address: Address::Sqlite(copy),
        checkpoints: staging.file("checkpoints"),
        key,
        // Connections to a bucket belong to the runtime that has opened them.
        blobs: Some(contents(&Place::open(at, &options.files)?)),
    })
}

/// Reads the manifest of a completed backup.
pub(super) fn completed(place: &Place, backup: &str) -> anyhow::Result<Manifest> {
    Manifest::read(place, backup)?
        .with_context(|| format!("{backup} was not completed: it has no manifest"))
}

/// Copies the parts of a backup into a directory, and compares their sums.
pub(super) fn fetch(
    place: &Place,
    backup: &str,
    manifest: &Manifest,
    to: &Path,
) -> anyhow::Result<()> {
    for part in &manifest.parts {
        let path = to.join(&part.name);
        if let Some(folder) = path.parent() {
            crate::private::make_directory(folder)?;
        }
        let sum = place.get_file(&format!("{backup}/{}", part.name), &path)?;
        ensure!(
            sum == part.sum,
            "{} was changed or cut short: {} bytes with SHA-256 {}, the manifest says {} bytes \
             with {}",
            part.name,
            sum.bytes,
            sum.sha256,
            part.sum.bytes,
            part.sum.sha256
        );
    }
    Ok(())
}

fn checkpoint_key(
    options: &VerifyArgs,
    place: &Place,
    backup: &str,
    manifest: &Manifest,
    directory: &Path,
) -> anyhow::Result<Option<CheckpointKey>> {
    let opened = match (manifest.keys, &options.identity) {
        (Keys::LeftOut, _) | (Keys::Sealed, None) => return Ok(None),
        (Keys::Sealed, Some(path)) => keys_of(place, backup, manifest, Some(&identity(path)?))?,
        (Keys::Unsealed, _) => keys_of(place, backup, manifest, None)?,
    };
    if opened.is_empty() {
        return Ok(None);
    }
    let folder = directory.join("opened-keys");
    key::write(&folder, &opened)?;
    key::checkpoint_key(&folder).map(Some)
}
