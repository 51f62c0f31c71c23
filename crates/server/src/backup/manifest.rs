//! The manifest of a backup: what belongs to it, with sizes and SHA-256.

use anyhow::{Context, bail, ensure};
use serde::{Deserialize, Serialize};

use super::place::{Place, Sum, sum_of};
use crate::audited::AuditSummary;

/// The version of the layout of backups.
pub(super) const LAYOUT: u32 = 1;

/// The name of the manifest in the folder of a backup. It is stored last.
const MANIFEST: &str = "manifest.json";
/// The SHA-256 of the manifest, as `sha256sum` writes it.
const MANIFEST_SUM: &str = "manifest.sha256";

/// A part of a backup.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Part {
    /// The name in the folder of the backup.
    pub(super) name: String,
    #[serde(flatten)]
    pub(super) sum: Sum,
}

/// The contents of files.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct FileContents {
    pub(super) count: u64,
    pub(super) bytes: u64,
    /// Those that the database names and the store did not have, or had with other bytes.
    pub(super) missing: u64,
}

/// How a backup has the keys.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) enum Keys {
    /// Sealed to a recipient.
    Sealed,
    Unsealed,
    /// Not at all.
    LeftOut,
}

/// The manifest of a backup.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Manifest {
    pub(super) layout: u32,
    /// The version of the program that made it.
    pub(super) version: String,
    /// When it began, in milliseconds.
    pub(super) began_at: i64,
    pub(super) ended_at: i64,
    /// The engine of the installation. The copy is a SQLite file in both cases.
    pub(super) engine: String,
    pub(super) keys: Keys,
    /// A sentence about encryption, for people who read the manifest.
    pub(super) note: String,
    pub(super) parts: Vec<Part>,
    pub(super) files: FileContents,
    pub(super) audit: AuditSummary,
}

/// The sentence about encryption in manifests and in the output.
pub(super) const NOTE: &str = "The database and the contents of files are not encrypted.";

impl Manifest {
    /// Returns whether the audit has no findings and no content of a file is missing.
    pub(super) const fn is_good(&self) -> bool {
        self.audit.findings == 0 && self.files.missing == 0
    }

    /// Returns the bytes of its parts, without contents of files.
    pub(super) fn bytes(&self) -> u64 {
        self.parts.iter().map(|part| part.sum.bytes).sum()
    }

    /// Stores the manifest, which completes the backup.
    ///
    /// # Errors
    /// When the place fails.
    pub(super) fn store(&self, place: &Place, backup: &str) -> anyhow::Result<()> {
        let text = serde_json::to_string_pretty(self)?;
        let sum = sum_of(text.as_bytes()).sha256;
        let line = format!("{sum}  {MANIFEST}\n");
        place.put(&format!("{backup}/{MANIFEST_SUM}"), line.into_bytes())?;
        place.put(&format!("{backup}/{MANIFEST}"), text.into_bytes()).map(drop)
    }

    /// Reads the manifest of a backup; `None` if the backup was not completed.
    ///
    /// # Errors
    /// When the place fails; when the manifest was changed, a later version made it, or a part
    /// would not stay in the folder of the backup.
    pub(super) fn read(place: &Place, backup: &str) -> anyhow::Result<Option<Self>> {
        let Some(text) = place.get(&format!("{backup}/{MANIFEST}"))? else { return Ok(None) };
        let sums = place.get(&format!("{backup}/{MANIFEST_SUM}"))?.unwrap_or_default();
        let expected = String::from_utf8_lossy(&sums);
        let expected = expected.split_whitespace().next().unwrap_or_default();
        ensure!(
            sum_of(&text).sha256 == expected,
            "the manifest of {backup} was changed: its SHA-256 is not that of {MANIFEST_SUM}"
        );
        let manifest: Self = serde_json::from_slice(&text)
            .with_context(|| format!("the manifest of {backup} cannot be read"))?;
        if manifest.layout != LAYOUT {
            bail!("{backup} has layout {}; this version reads {LAYOUT}", manifest.layout);
        }
        if let Some(part) = manifest.parts.iter().find(|part| !is_part_name(&part.name)) {
            bail!(
                "the manifest of {backup} names the part {:?}: expected a path below the folder \
                 of the backup",
                part.name
            );
        }
        Ok(Some(manifest))
    }
}

/// Returns whether a name of a part stays below the folder that it is joined to.
fn is_part_name(name: &str) -> bool {
    let is_plain = |step: &str| !matches!(step, "" | "." | "..");
    !name.contains('\\') && name.split('/').all(is_plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_parts_stay_in_their_folder() {
        for name in ["daybook.db", "keys/token.key", "checkpoints/checkpoint-1..2.txt"] {
            assert!(is_part_name(name), "{name}");
        }
        for name in [
            "",
            ".",
            "..",
            "../daybook.db",
            "keys/../../daybook.db",
            "keys/..",
            "/etc/passwd",
            "keys//token.key",
            "keys/",
            "..\\daybook.db",
            "C:\\daybook.db",
        ] {
            assert!(!is_part_name(name), "{name}");
        }
    }
}
