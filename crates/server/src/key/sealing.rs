//! `sealing.key`: the keys that seal what the database keeps secret, as lines of a name and Base64.
//!
//! The current key seals. The previous one opens what was sealed before the last rotation, and the
//! next one, made in advance, what other machines seal that have rotated already. Without the file
//! the current key is `token.key`.

use std::fs;
use std::io::ErrorKind;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use anyhow::{Context, bail};
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use daybook_http::{SealingSecrets, SealingSource};
use tracing::warn;

use super::{LENGTH, file, random, token_secret};

const FILE: &str = "sealing.key";
const HEAD: &str =
    "# Keys that seal what Daybook's database keeps secret (daybook keys rotate sealing).\n";

/// The keys of the file.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct SealingFile {
    current: Vec<u8>,
    previous: Option<Vec<u8>>,
    next: Option<Vec<u8>>,
}

/// What tells one state of a file from another.
type FileState = (u64, i64, i64, u64);

impl SealingFile {
    /// The keys of a data directory.
    ///
    /// # Errors
    /// A file that cannot be read, does not hold keys, or may be read by others.
    pub(crate) fn load(data_dir: &Path) -> anyhow::Result<Self> {
        let secret = token_secret(data_dir)?;
        Ok(read(&data_dir.join(FILE))?.unwrap_or_else(|| Self::of_one(&secret)))
    }

    /// The keys, and what tells them anew when the file has changed.
    pub(super) fn followed(
        data_dir: &Path,
        token_secret: &[u8],
    ) -> anyhow::Result<(Self, SealingSource)> {
        let path = data_dir.join(FILE);
        let seen = stamp(&path)?;
        let keys = read(&path)?.unwrap_or_else(|| Self::of_one(token_secret));
        Ok((keys, source(path, seen)))
    }

    /// Makes the next key unless there is one.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub(crate) fn make_next(mut self, data_dir: &Path) -> anyhow::Result<Self> {
        if self.next.is_none() {
            self.next = Some(random()?);
            self.save(data_dir)?;
        }
        Ok(self)
    }

    /// Makes the next key the current one, and forgets the one before the current one.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub(crate) fn advance(self, data_dir: &Path) -> anyhow::Result<()> {
        let current = match self.next {
            Some(next) => next,
            None => random()?,
        };
        Self { current, previous: Some(self.current), next: None }.save(data_dir)
    }

    pub(super) fn secrets(&self) -> SealingSecrets {
        let others = self.previous.iter().chain(&self.next).cloned().collect();
        SealingSecrets { current: self.current.clone(), others }
    }

    fn of_one(secret: &[u8]) -> Self {
        Self { current: secret.to_vec(), previous: None, next: None }
    }

    fn save(&self, data_dir: &Path) -> anyhow::Result<()> {
        file::replace(&data_dir.join(FILE), self.text().as_bytes())
    }

    fn text(&self) -> String {
        let line = |name: &str, key: &Vec<u8>| format!("{name}: {}\n", BASE64_STANDARD.encode(key));
        let [previous, next] = [("previous", &self.previous), ("next", &self.next)]
            .map(|(name, key)| key.as_ref().map(|key| line(name, key)).unwrap_or_default());
        format!("{HEAD}{}{previous}{next}", line("current", &self.current))
    }

    fn parse(text: &str) -> anyhow::Result<Self> {
        let (mut current, mut previous, mut next) = (None, None, None);
        for (number, line) in (1_usize..).zip(text.lines().map(str::trim)) {
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            let place = match line.split_once(':').map(|(name, _)| name.trim()) {
                Some("current") => &mut current,
                Some("previous") => &mut previous,
                Some("next") => &mut next,
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
        Ok(Self { current: current.context("there is no line current:")?, previous, next })
    }
}

fn read(path: &Path) -> anyhow::Result<Option<SealingFile>> {
    let Some(held) = file::read(path)? else { return Ok(None) };
    let shown = || format!("{} cannot be used; restore it", path.display());
    let text = String::from_utf8(held).with_context(shown)?;
    SealingFile::parse(&text).map(Some).with_context(shown)
}

/// None while there is no file.
fn stamp(path: &Path) -> anyhow::Result<Option<FileState>> {
    match fs::metadata(path) {
        Ok(data) => Ok(Some((data.ino(), data.mtime(), data.mtime_nsec(), data.len()))),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error).with_context(|| format!("{} cannot be read", path.display())),
    }
}

/// Reads the file again when it is another one than was seen. While it cannot be used, the keys
/// stay as they are.
fn source(path: PathBuf, seen: Option<FileState>) -> SealingSource {
    let seen = Mutex::new(seen);
    Box::new(move || {
        let found = stamp(&path).ok().flatten();
        let mut seen = seen.lock().unwrap_or_else(PoisonError::into_inner);
        if found.is_none() || found == *seen {
            return None;
        }
        *seen = found;
        match read(&path) {
            Ok(keys) => keys.map(|keys| keys.secrets()),
            Err(error) => {
                warn!(error = format!("{error:#}"), "the sealing keys stay as they were");
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
    fn what_is_written_is_read() {
        for (previous, next) in
            [(None, None), (Some(key(2)), None), (None, Some(key(3))), (Some(key(2)), Some(key(3)))]
        {
            let keys = SealingFile { current: key(1), previous, next };
            assert!(SealingFile::parse(&keys.text()).unwrap() == keys, "{}", keys.text());
        }
    }

    #[test]
    fn what_holds_no_keys_is_refused() {
        let (good, short) = (BASE64_STANDARD.encode(key(1)), BASE64_STANDARD.encode([1; 31]));
        for (text, said) in [
            (String::new(), "no line current"),
            (format!("next: {good}"), "no line current"),
            (format!("current: {short}"), "line 1 does not hold a key"),
            (format!("\ncurrent: {good}x"), "line 2 does not hold a key"),
            (format!("current: {good}\ncurrent: {good}"), "line 2 names a key for the second"),
            (format!("current: {good}\nlast: {good}"), "line 2 begins with neither"),
            (good.clone(), "line 1 begins with neither"),
        ] {
            let refused = SealingFile::parse(&text).err().map(|error| error.to_string());
            assert!(refused.as_ref().is_some_and(|why| why.contains(said)), "{text}: {refused:?}");
        }
    }
}
