//! The parts of a backup.

use std::collections::BTreeMap;
use std::fs;
use std::io::ErrorKind;
use std::path::Path;

use anyhow::{Context, ensure};
use base64::Engine;
use base64::prelude::BASE64_STANDARD;

use super::age::{self, Identity};
use super::layout::SEALED_KEYS;
use super::manifest::Manifest;
use super::place::Place;
use crate::{key, private};

pub(super) fn completed(place: &Place, backup: &str) -> anyhow::Result<Manifest> {
    Manifest::read(place, backup)?
        .with_context(|| format!("{backup} was not completed: it has no manifest"))
}

/// Copies the parts of a backup into a directory, and compares their sums. [`Manifest::read`] has
/// checked that their names stay below the directory.
pub(super) fn fetch(
    place: &Place,
    backup: &str,
    manifest: &Manifest,
    to: &Path,
) -> anyhow::Result<()> {
    for part in &manifest.parts {
        let path = to.join(&part.name);
        if let Some(folder) = path.parent() {
            private::make_directory(folder)?;
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

/// Returns the keys of a fetched backup by the names of their files.
///
/// # Errors
/// When sealed keys do not open, and when a file cannot be read.
pub(super) fn keys_of(
    directory: &Path,
    identity: Option<&Identity>,
) -> anyhow::Result<Vec<(&'static str, Vec<u8>)>> {
    let read = |name: &str| match fs::read(directory.join(name)) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error).with_context(|| format!("{name} cannot be read")),
    };
    let mut keys = Vec::new();
    if let (Some(sealed), Some(identity)) = (read(SEALED_KEYS)?, identity) {
        let texts: BTreeMap<String, String> =
            serde_json::from_slice(&age::open(&sealed, identity)?)?;
        for name in key::FILES {
            if let Some(text) = texts.get(name) {
                keys.push((name, BASE64_STANDARD.decode(text)?));
            }
        }
    }
    for name in key::FILES {
        if let Some(bytes) = read(&format!("keys/{name}"))? {
            keys.push((name, bytes));
        }
    }
    Ok(keys)
}
