//! The last good backup of an installation, in a file of its data directory.
//!
//! `daybook backup create` writes the file. The metrics and the administrators' API read it.
//!
//! ```json
//! {"finishedAt": "2026-11-27T03:00:07.512Z", "bytes": 1048576, "place": "/backup"}
//! ```

use std::fs::{self, File};
use std::io::{ErrorKind, Result, Write};
use std::path::Path;

use daybook_domain::instant::Instant;
use serde::{Deserialize, Serialize};

const FILE: &str = "last-backup.json";

/// The last good backup.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct LastBackup {
    /// The time at which it was complete.
    #[serde(with = "rfc3339")]
    pub finished_at: Instant,
    /// Its bytes, with all contents of files that it names.
    pub bytes: u64,
    /// The directory, or s3://BUCKET/PREFIX, in which it is a folder.
    pub place: String,
}

impl LastBackup {
    /// Reads the file; `None` if no backup of this data directory was good yet.
    ///
    /// # Errors
    /// When the file cannot be read or is not JSON of this form.
    pub fn read(data_dir: &Path) -> Result<Option<Self>> {
        match fs::read(data_dir.join(FILE)) {
            Ok(text) => Ok(Some(serde_json::from_slice(&text)?)),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Replaces the file atomically.
    ///
    /// # Errors
    /// When the file cannot be written. The previous one is then unchanged.
    pub fn write(&self, data_dir: &Path) -> Result<()> {
        let temporary = data_dir.join(format!("{FILE}.{}", std::process::id()));
        let replaced = File::create(&temporary).and_then(|mut file| {
            file.write_all(&serde_json::to_vec(self)?)?;
            file.sync_all()?;
            fs::rename(&temporary, data_dir.join(FILE))
        });
        if replaced.is_err() {
            let _ = fs::remove_file(&temporary);
        }
        replaced
    }
}

/// An instant as RFC 3339.
mod rfc3339 {
    use daybook_domain::instant::Instant;
    use daybook_service::zone;
    use serde::de::Error;
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    pub(super) fn serialize<S: Serializer>(at: &Instant, serializer: S) -> Result<S::Ok, S::Error> {
        zone::rfc3339(*at).serialize(serializer)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Instant, D::Error> {
        let text = String::deserialize(deserializer)?;
        zone::parse_instant(&text, "UTC")
            .ok_or_else(|| D::Error::custom(format!("{text:?} is not an instant")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn file_is_replaced_and_read() {
        let directory = std::env::temp_dir().join(format!("daybook-last-{}", std::process::id()));
        fs::create_dir_all(&directory).unwrap();
        assert_eq!(LastBackup::read(&directory).unwrap(), None);
        let place = "s3://books/\"daily\"".to_owned();
        let first = LastBackup { finished_at: Instant::new(1_736_899_200_007), bytes: 7, place };
        first.write(&directory).unwrap();
        let text = fs::read_to_string(directory.join(FILE)).unwrap();
        assert!(text.contains(r#""finishedAt":"2025-01-15T00:00:00.007Z""#), "{text}");
        assert_eq!(LastBackup::read(&directory).unwrap().as_ref(), Some(&first));
        let second = LastBackup { bytes: 8, ..first };
        second.write(&directory).unwrap();
        assert_eq!(LastBackup::read(&directory).unwrap(), Some(second));
        assert_eq!(fs::read_dir(&directory).unwrap().count(), 1, "no temporary file");
        fs::write(directory.join(FILE), "{").unwrap();
        assert_eq!(LastBackup::read(&directory).unwrap_err().kind(), ErrorKind::UnexpectedEof);
        fs::remove_dir_all(&directory).unwrap();
        assert!(LastBackup::read(&directory).unwrap().is_none());
    }
}
