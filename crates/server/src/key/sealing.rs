//! `sealing.key`: the keys that seal the secrets in the database, as lines of a name and Base64.
//!
//! The current key seals. The previous key opens what was sealed before the last rotation. The next
//! key is created in advance; it opens what other machines seal that have rotated already. Without
//! the file, the current key is `token.key`.

use std::fs;
use std::io::ErrorKind;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use daybook_auth::identity::{SealingSecrets, SealingSource};
use daybook_domain::instant::Instant;
use tracing::warn;

use super::file;
use super::token::{LENGTH, SEALING_FILE, generate, load_or_create};

/// Seconds for which a key is not replaced again. It exceeds the duration of any request and any
/// clock correction.
const MIN_AGE: i64 = 600;
const HEAD: &str =
    "# Keys that seal what Daybook's database keeps secret (daybook keys rotate sealing).\n";

/// The keys of the file.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct SealingFile {
    current: Vec<u8>,
    previous: Option<Vec<u8>>,
    next: Option<Vec<u8>>,
    /// When the current key began to seal, in seconds since 1970.
    since: Option<i64>,
}

/// The identity of a version of a file: inode, modification time and length.
type FileState = (u64, i64, i64, u64);

impl SealingFile {
    /// Loads the keys of a data directory.
    ///
    /// # Errors
    /// A file that cannot be read, is malformed, or may be read by others.
    pub(crate) fn load(data_dir: &Path) -> anyhow::Result<Self> {
        let secret = load_or_create(data_dir)?;
        Ok(read(&data_dir.join(SEALING_FILE))?.unwrap_or_else(|| Self::of_one(&secret)))
    }

    /// Loads the keys, and returns a source that reloads them when the file changes.
    pub(super) fn watch(
        data_dir: &Path,
        token_secret: &[u8],
    ) -> anyhow::Result<(Self, SealingSource)> {
        let path = data_dir.join(SEALING_FILE);
        let state = file_state(&path)?;
        let keys = read(&path)?.unwrap_or_else(|| Self::of_one(token_secret));
        Ok((keys, source(path, state)))
    }

    /// Creates the next key unless there is one.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub(crate) fn create_next(mut self, data_dir: &Path) -> anyhow::Result<Self> {
        if self.next.is_none() {
            self.next = Some(generate()?);
            self.save(data_dir)?;
        }
        Ok(self)
    }

    /// Returns whether the previous key may still be in use: another request or process may have
    /// sealed with it just before the rotation, and not have written its row yet.
    pub(crate) fn is_new(&self, now: Instant) -> bool {
        let age = self.since.map(|since| now.seconds().saturating_sub(since));
        age.is_some_and(|age| (0..MIN_AGE).contains(&age))
    }

    /// Makes the next key the current one, and drops the previous key.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub(crate) fn advance(self, data_dir: &Path, now: Instant) -> anyhow::Result<()> {
        let current = match self.next {
            Some(next) => next,
            None => generate()?,
        };
        let previous = Some(self.current);
        Self { current, previous, next: None, since: Some(now.seconds()) }.save(data_dir)
    }

    pub(super) fn secrets(&self) -> SealingSecrets {
        let others = self.previous.iter().chain(&self.next).cloned().collect();
        SealingSecrets { current: self.current.clone(), others }
    }

    fn of_one(secret: &[u8]) -> Self {
        Self { current: secret.to_vec(), previous: None, next: None, since: None }
    }

    fn save(&self, data_dir: &Path) -> anyhow::Result<()> {
        file::replace(&data_dir.join(SEALING_FILE), self.text().as_bytes())
    }

    fn text(&self) -> String {
        let line = |name: &str, key: &Vec<u8>| format!("{name}: {}\n", BASE64_STANDARD.encode(key));
        let [previous, next] = [("previous", &self.previous), ("next", &self.next)]
            .map(|(name, key)| key.as_ref().map(|key| line(name, key)).unwrap_or_default());
        let since = self.since.map(|since| format!("since: {since}\n")).unwrap_or_default();
        format!("{HEAD}{}{since}{previous}{next}", line("current", &self.current))
    }

    fn parse(text: &str) -> anyhow::Result<Self> {
        let (mut current, mut previous, mut next, mut since) = (None, None, None, None);
        for (number, line) in (1_usize..).zip(text.lines().map(str::trim)) {
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            let place = match line.split_once(':').map(|(name, _)| name.trim()) {
                Some("current") => &mut current,
                Some("previous") => &mut previous,
                Some("next") => &mut next,
                Some("since") => {
                    let value = line.split_once(':').and_then(|(_, at)| at.trim().parse().ok());
                    since = Some(value.with_context(|| format!("line {number} holds no time"))?);
                    continue;
                }
                _ => bail!("line {number} begins with neither current: nor previous: nor next:"),
            };
            let key = line.split_once(':').map(|(_, key)| BASE64_STANDARD.decode(key.trim()));
            let key = key.and_then(Result::ok).filter(|key| key.len() == LENGTH);
            let key = key.with_context(|| {
                format!("line {number} does not hold a key of {LENGTH} bytes in Base64")
            })?;
            if place.replace(key).is_some() {
                bail!("line {number} names a key for the second time");
            }
        }
        let current = current.context("there is no line current:")?;
        Ok(Self { current, previous, next, since })
    }
}

fn read(path: &Path) -> anyhow::Result<Option<SealingFile>> {
    let Some(content) = file::read(path)? else { return Ok(None) };
    let shown = || format!("{} cannot be used; restore it", path.display());
    let text = String::from_utf8(content).with_context(shown)?;
    SealingFile::parse(&text).map(Some).with_context(shown)
}

/// Returns the identity of the current version of the file, or `None` if it does not exist.
fn file_state(path: &Path) -> anyhow::Result<Option<FileState>> {
    match fs::metadata(path) {
        Ok(data) => Ok(Some((data.ino(), data.mtime(), data.mtime_nsec(), data.len()))),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error).with_context(|| format!("{} cannot be read", path.display())),
    }
}

/// Returns a source that reads the file when its version changes. If the file is unusable, the keys
/// stay unchanged.
fn source(path: PathBuf, mut known: Option<FileState>) -> SealingSource {
    Box::new(move || {
        let found = file_state(&path).ok().flatten();
        if found.is_none() || found == known {
            return None;
        }
        match read(&path) {
            Ok(keys) => {
                known = found;
                keys.map(|keys| keys.secrets())
            }
            Err(error) => {
                warn!(error = format!("{error:#}"), "sealing keys not reloaded");
                None
            }
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(byte: u8) -> Vec<u8> {
        vec![byte; LENGTH]
    }

    #[test]
    fn written_keys_are_read_back() {
        for (previous, next) in
            [(None, None), (Some(key(2)), None), (None, Some(key(3))), (Some(key(2)), Some(key(3)))]
        {
            let keys = SealingFile { current: key(1), previous, next, since: Some(7) };
            assert!(SealingFile::parse(&keys.text()).unwrap() == keys, "{}", keys.text());
        }
    }

    #[test]
    fn malformed_files_are_refused() {
        let (good, short) = (BASE64_STANDARD.encode(key(1)), BASE64_STANDARD.encode([1; 31]));
        for (text, expected) in [
            (String::new(), "no line current"),
            (format!("next: {good}"), "no line current"),
            (format!("current: {short}"), "line 1 does not hold a key"),
            (format!("\ncurrent: {good}x"), "line 2 does not hold a key"),
            (format!("current: {good}\ncurrent: {good}"), "line 2 names a key for the second"),
            (format!("current: {good}\nlast: {good}"), "line 2 begins with neither"),
            (good.clone(), "line 1 begins with neither"),
            (format!("current: {good}\nsince: noon"), "line 2 holds no time"),
        ] {
            let error = SealingFile::parse(&text).err().map(|error| error.to_string());
            assert!(error.as_ref().is_some_and(|why| why.contains(expected)), "{text}: {error:?}");
        }
    }
}
