//! The files of `--providers` and `--clients`, which may contain secrets.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use anyhow::{Context, anyhow, bail};
use daybook_auth::grant::Clients;
use daybook_auth::identity::Providers;

/// Reads the file of identity providers.
///
/// # Errors
/// A file that cannot be read or is invalid; a file with a secret that others may read.
pub(crate) fn providers(path: &Path) -> anyhow::Result<Providers> {
    read(path, "identity providers", Providers::read, Providers::has_secret)
}

/// Reads the file of clients.
///
/// # Errors
/// Those of [`providers`].
pub(crate) fn clients(path: &Path) -> anyhow::Result<Clients> {
    read(path, "clients", Clients::read, Clients::has_secret)
}

fn read<T>(
    path: &Path,
    what: &str,
    parse: impl FnOnce(&str) -> Result<T, String>,
    has_secret: impl FnOnce(&T) -> bool,
) -> anyhow::Result<T> {
    let shown = path.display();
    let text =
        fs::read_to_string(path).with_context(|| format!("the {what} {shown} cannot be read"))?;
    let found = parse(&text).map_err(|fault| anyhow!("the {what} {shown} are invalid: {fault}"))?;
    let mode = fs::metadata(path)?.permissions().mode() & 0o777;
    if has_secret(&found) && mode & 0o077 != 0 {
        bail!("{shown} holds a secret and may be read by others (mode {mode:o}); chmod 600 it");
    }
    Ok(found)
}
