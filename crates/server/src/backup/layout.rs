//! The names in a place of backups, and what is found under them.

use std::path::Path;
use std::sync::Arc;

use anyhow::{Context, bail};
use daybook_blobs::Blobs;
use daybook_domain::instant::Instant;
use object_store::prefix::PrefixStore;
use time::{Date, Month, OffsetDateTime, PrimitiveDateTime, Time};

use super::age::Identity;
use super::manifest::Manifest;
use super::place::Place;

/// The name of the copy of the database in a backup.
pub(super) const DATABASE: &str = "daybook.db";
/// The name of the list of contents of files in a backup.
pub(super) const FILE_LIST: &str = "files.txt";
/// The name of the sealed keys in a backup.
pub(super) const SEALED_KEYS: &str = "keys.age";
/// The folder of a place with the contents of files.
pub(super) const CONTENTS: &str = "files";

/// Milliseconds for which what an unfinished backup has stored is kept: it may be in progress.
pub(super) const UNFINISHED: i64 = 86_400_000;

/// Returns the name of a backup that began at an instant, as `20261127T171500Z`.
pub(super) fn name(began: Instant) -> Option<String> {
    let at = OffsetDateTime::from_unix_timestamp(began.seconds()).ok()?;
    let (date, time) = (at.date(), at.time());
    Some(format!(
        "{:04}{:02}{:02}T{:02}{:02}{:02}Z",
        date.year(),
        u8::from(date.month()),
        date.day(),
        time.hour(),
        time.minute(),
        time.second()
    ))
}

/// Returns when a backup with this name began; `None` for other names.
pub(super) fn began(name: &str) -> Option<OffsetDateTime> {
    let (date, time) = name.strip_suffix('Z')?.split_once('T')?;
    if (date.len(), time.len()) != (8, 6) {
        return None;
    }
    let number = |text: &str, from: usize, to: usize| text.get(from..to)?.parse::<u8>().ok();
    let year = date.get(..4)?.parse().ok()?;
    let month = Month::try_from(number(date, 4, 6)?).ok()?;
    let date = Date::from_calendar_date(year, month, number(date, 6, 8)?).ok()?;
    let time = Time::from_hms(number(time, 0, 2)?, number(time, 2, 4)?, number(time, 4, 6)?);
    Some(PrimitiveDateTime::new(date, time.ok()?).assume_utc())
}

/// Returns the backups of a place, oldest first; without a manifest if they were not completed.
pub(super) fn backups(
    place: &Place,
) -> anyhow::Result<Vec<(String, anyhow::Result<Option<Manifest>>)>> {
    let mut names = place.folders()?;
    names.retain(|name| began(name).is_some());
    names.sort_unstable();
    Ok(names.into_iter().map(|name| (name.clone(), Manifest::read(place, &name))).collect())
}

/// Splits the path of a backup into the address of its place and its name.
pub(super) fn split_path(path: &str) -> anyhow::Result<(&str, &str)> {
    let path = path.trim_end_matches('/');
    let (place, name) = path.rsplit_once('/').unwrap_or((".", path));
    if began(name).is_none() {
        bail!("{path} is not the path of a backup: expected DIR/20261127T171500Z");
    }
    Ok((place, name))
}

/// Returns the contents of files in a place.
pub(super) fn contents(place: &Place) -> Blobs {
    Blobs::elsewhere(Arc::new(PrefixStore::new(place.store(), CONTENTS)))
}

/// Reads an identity file of age.
pub(super) fn identity(path: &Path) -> anyhow::Result<Identity> {
    let text = std::fs::read_to_string(path)
        .with_context(|| format!("{} cannot be read", path.display()))?;
    Identity::parse(&text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_backups_are_instants() {
        for name in ["files", "20261327T171500Z", "20261127T171500", "20261127T246000Z"] {
            assert!(began(name).is_none(), "{name}");
        }
        let at = Instant::new(1_795_799_700_000);
        assert_eq!(began(&name(at).unwrap()).unwrap().unix_timestamp(), at.seconds());
    }
}
