//! Which backups are kept: the newest one of each of the last days, weeks and months that have one.

use std::collections::BTreeSet;
use std::str::FromStr;

use anyhow::{Context, bail};
use time::OffsetDateTime;

use super::layout::{CONTENTS, FILE_LIST, UNFINISHED, backups, began};
use super::place::Place;

/// How many days, weeks and months keep a backup.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Keep {
    days: usize,
    weeks: usize,
    months: usize,
}

impl FromStr for Keep {
    type Err = anyhow::Error;

    fn from_str(text: &str) -> anyhow::Result<Self> {
        let mut keep = Self { days: 0, weeks: 0, months: 0 };
        let mut digits = String::new();
        for letter in text.chars() {
            if letter.is_ascii_digit() {
                digits.push(letter);
                continue;
            }
            let number = std::mem::take(&mut digits);
            let number = number.parse().with_context(|| format!("{letter} has no number"))?;
            match letter {
                'd' => keep.days = number,
                'w' => keep.weeks = number,
                'm' => keep.months = number,
                _ => bail!("expected days, weeks and months, as in 7d4w12m"),
            }
        }
        if !digits.is_empty() || (keep.days, keep.weeks, keep.months) == (0, 0, 0) {
            bail!("expected days, weeks and months, as in 7d4w12m");
        }
        Ok(keep)
    }
}

impl Keep {
    /// Returns the names to keep. `names` are those of backups and are sorted, oldest first.
    /// The newest one is always kept.
    fn select<'n>(self, names: &[&'n str]) -> BTreeSet<&'n str> {
        let mut kept: BTreeSet<&str> = names.last().copied().into_iter().collect();
        type Period = fn(OffsetDateTime) -> (i32, u8);
        let rules: [(usize, Period); 3] = [
            (self.days, |at| (at.to_julian_day(), 0)),
            (self.weeks, |at| {
                let (year, week, _) = at.to_iso_week_date();
                (year, week)
            }),
            (self.months, |at| (at.year(), u8::from(at.month()))),
        ];
        for (count, period) in rules {
            let mut seen = BTreeSet::new();
            for name in names.iter().rev() {
                let Some(at) = began(name) else { continue };
                if seen.len() < count && seen.insert(period(at)) {
                    kept.insert(name);
                }
            }
        }
        kept
    }
}

/// Removes the backups that are not kept, and the contents of files that no backup has. Returns the
/// names of the removed ones.
///
/// Backups with a damaged manifest are kept, because their operator has to look at them. Unfinished
/// ones are removed after a day.
///
/// # Errors
/// When the place fails.
pub(super) fn prune(place: &Place, keep: &Keep) -> anyhow::Result<Vec<String>> {
    let now = crate::clock::now().milliseconds();
    let found = backups(place)?;
    let complete: Vec<&str> = found
        .iter()
        .filter(|(_, manifest)| matches!(manifest, Ok(Some(_))))
        .map(|(name, _)| name.as_str())
        .collect();
    let kept = keep.select(&complete);
    let mut removed = Vec::new();
    let mut named: BTreeSet<String> = BTreeSet::new();
    for (name, manifest) in &found {
        let is_removed = match manifest {
            Ok(Some(_)) => !kept.contains(name.as_str()),
            Ok(None) => {
                let at = began(name).map_or(now, |at| at.unix_timestamp() * 1_000);
                now.saturating_sub(at) > UNFINISHED
            }
            Err(_) => false,
        };
        if is_removed {
            // The manifest goes first: what remains after an interruption is an unfinished backup.
            let objects = place.list(name)?;
            let is_manifest = |path: &str| path.ends_with("manifest.json");
            let (first, rest): (Vec<_>, Vec<_>) =
                objects.iter().partition(|object| is_manifest(object.location.as_ref()));
            for object in first.into_iter().chain(rest) {
                place.delete(&object.location)?;
            }
            place.remove_folder(name)?;
            removed.push(name.clone());
            continue;
        }
        let list = place.get(&format!("{name}/{FILE_LIST}"))?.unwrap_or_default();
        let list = String::from_utf8_lossy(&list).into_owned();
        named.extend(list.lines().filter_map(|line| line.split("  ").nth(1)).map(str::to_owned));
    }
    for object in place.list(CONTENTS)? {
        let path = object.location.as_ref();
        let content = path.strip_prefix(CONTENTS).map(|rest| rest.trim_start_matches('/'));
        let age = now.saturating_sub(object.last_modified.timestamp_millis());
        // A backup in progress may have stored it.
        if content.is_some_and(|content| !named.contains(content)) && age > UNFINISHED {
            place.delete(&object.location)?;
        }
    }
    Ok(removed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn newest_backup_of_each_period_is_kept() {
        let names = [
            "20251231T030000Z",
            "20260115T030000Z",
            "20260131T030000Z",
            "20260201T030000Z",
            "20260202T030000Z",
            "20260202T150000Z",
            "20260203T030000Z",
        ];
        let kept = |keep: &str| -> Vec<&str> {
            let keep: Keep = keep.parse().unwrap();
            keep.select(&names).into_iter().collect()
        };
        assert_eq!(kept("1d"), ["20260203T030000Z"]);
        assert_eq!(kept("2d"), ["20260202T150000Z", "20260203T030000Z"]);
        // The weeks begin on 26 January and 2 February.
        assert_eq!(kept("2w"), ["20260201T030000Z", "20260203T030000Z"]);
        assert_eq!(kept("3m"), ["20251231T030000Z", "20260131T030000Z", "20260203T030000Z"]);
        assert_eq!(kept("9d"), [names[0], names[1], names[2], names[3], names[5], names[6]]);
        assert!(Keep { days: 1, weeks: 0, months: 0 }.select(&[]).is_empty());
    }

    #[test]
    fn malformed_keeps_are_refused() {
        for text in ["", "7", "d", "7x", "7d4", "0d", "-1d"] {
            assert!(text.parse::<Keep>().is_err(), "{text}");
        }
    }
}
