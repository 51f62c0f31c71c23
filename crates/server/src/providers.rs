//! The file of identity providers that `--providers` names.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use anyhow::{Context, anyhow, bail};
use daybook_http::Providers;

/// Reads the file.
///
/// # Errors
/// A file that cannot be read, a fault in it, or a secret in it that others may read.
pub(crate) fn read(path: &Path) -> anyhow::Result<Providers> {
    let shown = path.display();
    let text = fs::read_to_string(path)
        .with_context(|| format!("the identity providers {shown} cannot be read"))?;
    let providers = Providers::read(&text)
        .map_err(|fault| anyhow!("the identity providers {shown} are refused: {fault}"))?;
    let mode = fs::metadata(path)?.permissions().mode() & 0o777;
    if providers.has_secret() && mode & 0o077 != 0 {
        bail!("{shown} holds a secret and may be read by others (mode {mode:o}); chmod 600 it");
    }
    Ok(providers)
}
