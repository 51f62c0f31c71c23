//! Checks of the contents of files and of the last good backup.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Context;
use daybook_blobs::count_orphans;
use daybook_domain::instant::Instant;
use daybook_edge::last_backup::LastBackup;
use daybook_storage::{Address, ReadOnlyStore};

use super::check::{Check, Outcome};
use super::database::not_full;
use super::machine::megabytes;
use crate::audited::audit_database;
use crate::backup::staging::Staging;
use crate::cli::{DoctorArgs, ServeArgs};
use crate::{clock, files};

/// How old the last good backup of a daily timer may be, in milliseconds: 26 hours.
const MAX_AGE: i64 = 26 * HOUR;
const HOUR: i64 = 3_600_000;
/// How long after their time the sweep has removed orphans, in milliseconds.
const SWEEP_TIME: i64 = 2 * HOUR;

/// Returns the checks of files and backups.
pub(super) async fn checks(options: &DoctorArgs) -> Vec<Check> {
    let check = |name, section, outcome| Check { name, section, outcome };
    let serve = &options.serve;
    let mut checks = vec![check("files", "logs", orphans(serve).await)];
    let last = match LastBackup::read(&serve.data.data_dir) {
        Ok(last) => last,
        Err(error) => {
            let what = format!("last-backup.json in the data directory cannot be read: {error}");
            let outcome = Outcome::warning(what, "Remove the file, and make a backup");
            checks.push(check("backup", "backup", outcome));
            return checks;
        }
    };
    checks.push(check("backup", "backup", judge_backup(last.as_ref(), clock::now())));
    if let Some(last) = last {
        checks.push(check("backup restorable", "restore", restorable(&last.place, options.full)));
    }
    checks
}

async fn orphans(options: &ServeArgs) -> Outcome {
    let age = i64::try_from(options.orphan_seconds).unwrap_or(i64::MAX).saturating_mul(1_000);
    let before = clock::now().plus(age.saturating_add(SWEEP_TIME).saturating_neg());
    match count(options, before).await {
        Ok(Some(orphans)) => judge_orphans(orphans),
        Ok(None) => Outcome::skipped("there are none yet"),
        Err(error) => Outcome::skipped(format!("the files cannot be listed: {error:#}")),
    }
}

async fn count(options: &ServeArgs, before: Instant) -> anyhow::Result<Option<usize>> {
    let Some(blobs) = files::open_existing(&options.files, &options.data.data_dir)? else {
        return Ok(None);
    };
    let mut store = ReadOnlyStore::open(&options.data.address()?)?;
    count_orphans(&blobs, &mut store, before).await.map(Some).map_err(anyhow::Error::msg)
}

fn judge_orphans(orphans: usize) -> Outcome {
    if orphans == 0 {
        return Outcome::fine("every old content belongs to a file");
    }
    Outcome::warning(
        format!("{orphans} contents belong to no file, and were not removed in time"),
        "Start the server. If it logs that it keeps files of other books, check --files-url",
    )
}

fn judge_backup(last: Option<&LastBackup>, now: Instant) -> Outcome {
    let remedy = "Run daybook backup create, and enable daybook-backup.timer";
    let Some(last) = last else { return Outcome::warning("no backup was good yet", remedy) };
    let age = now.milliseconds().saturating_sub(last.finished_at.milliseconds());
    let what = format!("{} hours old, {}, in {}", age / HOUR, megabytes(last.bytes), last.place);
    if age > MAX_AGE { Outcome::warning(what, remedy) } else { Outcome::fine(what) }
}

/// Checks whether the newest backup of a place can be restored.
fn restorable(place: &str, is_full: bool) -> Outcome {
    if place.starts_with("s3://") {
        return Outcome::skipped("in a bucket; run daybook backup verify");
    }
    let newest = newest_backup(Path::new(place));
    match (newest, is_full) {
        (Ok(Some(_)), false) => not_full(),
        (Ok(Some(backup)), true) => judge_audit(&backup, audit(&backup)),
        (Ok(None), _) => judge_place(place, "it has no complete backup"),
        (Err(error), _) => judge_place(place, &error.to_string()),
    }
}

fn judge_place(place: &str, why: &str) -> Outcome {
    let what = format!("{place}: {why}");
    Outcome::fault(what, "Mount the place of the backups, or make a backup elsewhere")
}

/// Returns the folder of the newest complete backup in a directory.
fn newest_backup(place: &Path) -> std::io::Result<Option<PathBuf>> {
    let mut newest = None;
    for entry in fs::read_dir(place)? {
        let path = entry?.path();
        // The manifest is stored last. The names of backups are their times.
        if path.join("manifest.json").exists() && newest.as_ref().is_none_or(|last| *last < path) {
            newest = Some(path);
        }
    }
    Ok(newest)
}

/// Audits a copy of the database of a backup; returns the number of findings.
///
/// Opening the file would write beside it.
fn audit(backup: &Path) -> anyhow::Result<i64> {
    let staging = Staging::temporary()?;
    let copy = staging.file("daybook.db");
    fs::copy(backup.join("daybook.db"), &copy)
        .with_context(|| format!("{} cannot be copied", backup.display()))?;
    let address = Address::Sqlite(copy);
    // A later version may have steps that the backup lacks.
    address.migrate()?;
    Ok(audit_database(&address, "audit of the backup")?.findings)
}

fn judge_audit(backup: &Path, audited: anyhow::Result<i64>) -> Outcome {
    let shown = backup.display();
    let remedy = format!("Run daybook backup verify {shown}, and make another backup");
    match audited {
        Ok(0) => Outcome::fine(format!("{shown} was opened and audited without findings")),
        Ok(findings) => Outcome::fault(format!("{shown} has {findings} findings"), remedy),
        Err(error) => Outcome::fault(format!("{shown} cannot be opened: {error:#}"), remedy),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Instant = Instant::new(1_800_000_000_000);

    #[test]
    fn orphans_are_a_warning() {
        assert!(matches!(judge_orphans(1), Outcome::Warning(_)));
        assert!(matches!(judge_orphans(0), Outcome::Fine(_)));
    }

    #[test]
    fn old_or_missing_backup_is_a_warning() {
        let last = |age: i64| LastBackup {
            finished_at: NOW.plus(-age),
            bytes: 5_000_000,
            place: "/backup".to_owned(),
        };
        assert!(matches!(judge_backup(None, NOW), Outcome::Warning(_)));
        assert!(matches!(judge_backup(Some(&last(MAX_AGE + 1)), NOW), Outcome::Warning(_)));
        assert!(matches!(judge_backup(Some(&last(MAX_AGE)), NOW), Outcome::Fine(_)));
    }

    #[test]
    fn backup_that_cannot_be_restored_is_a_fault() {
        let judge = |audited| judge_audit(Path::new("/backup/1"), audited);
        assert!(matches!(judge(Ok(2)), Outcome::Fault(_)));
        assert!(matches!(judge(Err(anyhow::anyhow!("damaged"))), Outcome::Fault(_)));
        assert!(matches!(judge(Ok(0)), Outcome::Fine(_)));
        assert!(matches!(restorable("/nowhere/at/all", false), Outcome::Fault(_)));
    }

    #[test]
    fn newest_backup_has_a_manifest() {
        let place = std::env::temp_dir().join(format!("daybook-place-{}", std::process::id()));
        for (name, is_complete) in [("20260101T000000Z", true), ("20260102T000000Z", false)] {
            fs::create_dir_all(place.join(name)).unwrap();
            if is_complete {
                fs::write(place.join(name).join("manifest.json"), "{}").unwrap();
            }
        }
        let newest = newest_backup(&place).unwrap();
        fs::remove_dir_all(&place).unwrap();
        assert_eq!(newest, Some(place.join("20260101T000000Z")));
    }
}
