//! `sealing.key`: the keys that seal what the database keeps secret, as lines of a name and Base64.
//!
//! The current key seals. The previous one opens what was sealed before the last rotation, and the
//! next one, made in advance, what other machines seal that have rotated already. Without the file
//! the current key is `token.key`.

use std::fs;
use std::io::ErrorKind;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use daybook_domain::instant::Instant;
use daybook_http::{SealingSecrets, SealingSource};
use tracing::warn;

use super::{LENGTH, file, random, token_secret};

pub(super) const FILE: &str = "sealing.key";
/// Seconds for which a key is not replaced again: longer than any request, and any mend of a clock.
const MIN_AGE: i64 = 600;
const HEAD: &str =
    "# Keys that seal what Daybook's database keeps secret (daybook keys rotate sealing).\n";

/// The keys of the file.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct SealingFile {
    current: Vec<u8>,
    previous: Option<Vec<u8>>,
    next: Option<Vec<u8>>,
    /// Since when the current key seals, in seconds since 1970.
    since: Option<i64>,
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

    /// Whether the key before may still be needed: a request or a process may have sealed with it
    /// just before this one, and not have written its row yet.
    pub(crate) fn is_new(&self, now: Instant) -> bool {
        let age = self.since.map(|since| now.seconds().saturating_sub(since));
        age.is_some_and(|age| (0..MIN_AGE).contains(&age))
    }

    /// Makes the next key the current one, and forgets the one before the current one.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub(crate) fn advance(self, data_dir: &Path, now: Instant) -> anyhow::Result<()> {
        let current = match self.next {
            Some(next) => next,
            None => random()?,
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
        file::replace(&data_dir.join(FILE), self.text().as_bytes())
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
fn source(path: PathBuf, mut seen: Option<FileState>) -> SealingSource {
    Box::new(move || {
        let found = stamp(&path).ok().flatten();
        if found.is_none() || found == seen {
            return None;
        }
        match read(&path) {
            Ok(keys) => {
                seen = found;
                keys.map(|keys| keys.secrets())
            }
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
            let keys = SealingFile { current: key(1), previous, next, since: Some(7) };
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
            (format!("current: {good}\nsince: noon"), "line 2 holds no time"),
        ] {
            let refused = SealingFile::parse(&text).err().map(|error| error.to_string());
            assert!(refused.as_ref().is_some_and(|why| why.contains(said)), "{text}: {refused:?}");
        }
    }
}
