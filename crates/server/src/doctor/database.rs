//! Checks of the database: schema, settings, secrets, structure, audits and waiting work.

use std::path::Path;

use daybook_auth::identity::{LocalKey, count_lost};
use daybook_auth::signing_key::check_keys;
use daybook_domain::instant::Instant;
use daybook_edge::last_backup::LastBackup;
use daybook_service::{audit, signing_key};
use daybook_storage::monitor::{Backlog, LastAudit, ServerSettings};
use daybook_storage::{Address, Error, ReadOnlyStore};

use super::check::{Check, Outcome};
use super::network::judge_clock;
use crate::cli::DoctorArgs;
use crate::plural::counted;
use crate::{clock, disk, key};

/// Bytes of the write-ahead log above which something keeps it from shrinking. It usually has 16 to
/// 120 MB.
const MAX_WAL: u64 = 1024 * 1024 * 1024;
/// The oldest version of PostgreSQL that still gets fixes, as `server_version_num`.
const MIN_POSTGRES: u32 = 140_000;
/// How long a due delivery queue may wait, in milliseconds.
const MAX_DUE: i64 = 10 * 60_000;
/// How long a book may be without an audit, in milliseconds: 92 days.
const MAX_UNAUDITED: i64 = 92 * DAY;
const DAY: i64 = 86_400_000;
/// The books whose audits are read at once.
const PAGE: i64 = 1_000;

/// Returns the checks of the database.
pub(super) fn checks(options: &DoctorArgs) -> Vec<Check> {
    let check = |name, section, outcome| Check { name, section, outcome };
    let data = &options.serve.data;
    let address = match data.address() {
        Ok(address) => address,
        Err(error) => {
            let outcome = Outcome::fault(format!("{error:#}"), "Correct the address or the mode");
            return vec![check("schema", "upgrading", outcome)];
        }
    };
    let mut store = match ReadOnlyStore::open(&address) {
        Ok(store) => store,
        Err(error) => return vec![check("schema", "upgrading", judge_opening(&error))],
    };
    let mut checks = vec![
        check("schema", "upgrading", Outcome::fine("current")),
        check("sealed secrets", "keys", secrets(&mut store, &data.data_dir)),
    ];
    match &address {
        Address::Sqlite(path) => {
            let structure = if options.full { structure(&mut store) } else { not_full() };
            checks.push(check("structure", "restore", structure));
            let size = disk::file_bytes(&disk::wal_of(path)).unwrap_or_default();
            checks.push(check("write-ahead log", "monitoring", judge_wal(size)));
        }
        Address::Postgres(_) => {
            let (settings, clock) = settings(&mut store);
            checks.push(check("PostgreSQL", "sqlite-or-postgresql", settings));
            checks.push(check("clock of PostgreSQL", "monitoring", clock));
        }
    }
    checks.push(check("webhook backlog", "webhooks", backlog(&mut store)));
    checks.push(check("audits", "monitoring", audits(&mut store, &data.data_dir)));
    checks
}

/// Returns the outcome of a check that reads all data.
pub(super) fn not_full() -> Outcome {
    Outcome::skipped("reads all data; give --full")
}

fn failed(error: &dyn std::fmt::Display) -> Outcome {
    Outcome::fault(format!("the database failed: {error}"), "Read the log of the database")
}

fn judge_opening(error: &Error) -> Outcome {
    let remedy = if matches!(error, Error::OlderSchema(_)) {
        "Start the server of this version, or run daybook migrate"
    } else if matches!(error, Error::NewerSchema(_) | Error::UnreleasedSchema(_)) {
        "Run the version of Daybook that wrote the database"
    } else {
        "Check --data-dir and --database-url, and whether the database runs"
    };
    Outcome::fault(format!("the database cannot be used: {error}"), remedy)
}

fn secrets(store: &mut ReadOnlyStore, data_dir: &Path) -> Outcome {
    let key = match key::load_existing(data_dir) {
        Ok(key) => key,
        Err(_) => return Outcome::skipped("there is no key"),
    };
    match count_unopened(store, &key) {
        Ok((signing, lost)) => judge_secrets(signing, lost),
        Err(error) => failed(&error),
    }
}

/// Returns whether the signing keys open, and the number of secrets that do not.
fn count_unopened(
    store: &mut ReadOnlyStore,
    key: &LocalKey,
) -> daybook_service::Result<(bool, u64)> {
    let ring = store.read(signing_key::list)?;
    Ok((check_keys(ring, key, clock::now()).is_ok(), count_lost(store, key)?))
}

fn judge_secrets(signing_keys_open: bool, lost: u64) -> Outcome {
    if !signing_keys_open {
        return Outcome::fault(
            "the keys in the data directory do not open the signing keys in the database",
            "Restore token.key and sealing.key of this database; the server does not start",
        );
    }
    if lost > 0 {
        return Outcome::warning(
            format!("no key opens {lost} secrets of apps and connections"),
            "Restore sealing.key, or let apps send their secrets and users connect again",
        );
    }
    Outcome::fine("all open with the keys in the data directory")
}

fn structure(store: &mut ReadOnlyStore) -> Outcome {
    match store.read(|tx| tx.monitor().file_faults()) {
        Ok(faults) => judge_structure(&faults),
        Err(error) => failed(&error),
    }
}

fn judge_structure(faults: &[String]) -> Outcome {
    match faults.first() {
        Some(first) => Outcome::fault(
            format!("SQLite reports {} faults, first: {first}", faults.len()),
            "Stop the server, keep a copy of the file, and restore the last good backup",
        ),
        None => Outcome::fine("SQLite finds no fault in the file"),
    }
}

fn judge_wal(bytes: u64) -> Outcome {
    let what = format!("{} MB", bytes / 1_000_000);
    if bytes > MAX_WAL {
        return Outcome::warning(what, "End the program that reads daybook.db, such as a sqlite3");
    }
    Outcome::fine(what)
}

/// Returns the outcomes for the settings and for the clock of a server.
fn settings(store: &mut ReadOnlyStore) -> (Outcome, Outcome) {
    match store.read(|tx| tx.monitor().server_settings()) {
        Ok(Some(settings)) => {
            let skew = settings.clock.seconds().saturating_sub(clock::now().seconds());
            (judge_settings(&settings), judge_clock(skew))
        }
        Ok(None) => (Outcome::skipped("not a server"), Outcome::skipped("not a server")),
        Err(error) => (failed(&error), Outcome::skipped("the database failed")),
    }
}

fn judge_settings(settings: &ServerSettings) -> Outcome {
    let ServerSettings { version, fsync, synchronous_commit, full_page_writes, clock: _ } =
        settings;
    let off = [
        ("fsync", fsync),
        ("synchronous_commit", synchronous_commit),
        ("full_page_writes", full_page_writes),
    ];
    let off: Vec<&str> =
        off.into_iter().filter(|(_, value)| *value == "off").map(|(name, _)| name).collect();
    if !off.is_empty() {
        return Outcome::fault(
            format!("{} is off: acknowledged writes may be lost", off.join(", ")),
            "Turn it on in postgresql.conf",
        );
    }
    if version.parse().is_ok_and(|version: u32| version < MIN_POSTGRES) {
        return Outcome::warning(
            format!("version {version} gets no fixes any more"),
            "Upgrade PostgreSQL",
        );
    }
    Outcome::fine(format!("version {version}, commits are durable"))
}

fn backlog(store: &mut ReadOnlyStore) -> Outcome {
    let now = clock::now();
    match store.read(|tx| tx.monitor().backlog(now)) {
        Ok(backlog) => judge_backlog(&backlog, now),
        Err(error) => failed(&error),
    }
}

fn judge_backlog(backlog: &Backlog, now: Instant) -> Outcome {
    let Backlog { due_queues, due_since, paused_apps, mails: _, audits: _ } = *backlog;
    let age = due_since.map(|since| now.milliseconds().saturating_sub(since.milliseconds()));
    if let Some(age) = age.filter(|age| *age > MAX_DUE) {
        return Outcome::warning(
            format!("{due_queues} delivery queues are due, the first for {} minutes", age / 60_000),
            "Start the server, or look in its log for webhook deliveries that are not leased",
        );
    }
    if paused_apps > 0 {
        return Outcome::warning(
            format!("{paused_apps} apps are paused"),
            "List them with daybook webhooks list, and resume them when they are repaired",
        );
    }
    Outcome::fine(format!("{due_queues} delivery queues are due, no app is paused"))
}

/// The audits of all books.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
struct AuditSummary {
    books: i64,
    /// The books whose last audit had findings.
    with_findings: i64,
    /// The time of the last audit, or of the creation, of the book that waits longest.
    oldest: Option<Instant>,
}

fn audits(store: &mut ReadOnlyStore, data_dir: &Path) -> Outcome {
    match read_audits(store) {
        Ok(mut summary) => {
            // A good backup has audited its copy of every book.
            let backup = LastBackup::read(data_dir).ok().flatten();
            let backup = backup.map(|backup| backup.finished_at);
            summary.oldest =
                summary.oldest.map(|oldest| backup.map_or(oldest, |at| at.max(oldest)));
            judge_audits(summary, clock::now())
        }
        Err(error) => failed(&error),
    }
}

fn read_audits(store: &mut ReadOnlyStore) -> daybook_service::Result<AuditSummary> {
    let (mut summary, mut after) = (AuditSummary::default(), None);
    loop {
        let (books, last) = store.read(|tx| tx.monitor().last_audits(after, PAGE))?;
        if last.is_none() {
            return Ok(summary);
        }
        after = last;
        for LastAudit { book, at, created_at } in books {
            summary.books = summary.books.saturating_add(1);
            summary.oldest = summary.oldest.into_iter().chain([at.unwrap_or(created_at)]).min();
            if at.is_some() {
                let findings = store.read(|tx| audit::last_findings(tx, &book))?;
                let has_findings = findings.is_some_and(|findings| findings > 0);
                summary.with_findings = summary.with_findings.saturating_add(has_findings.into());
            }
        }
    }
}

fn judge_audits(summary: AuditSummary, now: Instant) -> Outcome {
    let AuditSummary { books, with_findings, oldest } = summary;
    if with_findings > 0 {
        return Outcome::fault(
            format!("last audits with findings: {with_findings} of {}", counted(books, "book")),
            "Run daybook verify, and restore the rows of these books from a backup",
        );
    }
    let age = oldest.map_or(0, |oldest| now.milliseconds().saturating_sub(oldest.milliseconds()));
    if age > MAX_UNAUDITED {
        return Outcome::warning(
            format!("a book has not been audited for {} days", age / DAY),
            "Make a backup, which audits all books, or audit it (auditBook)",
        );
    }
    Outcome::fine(format!("{}, no findings in the last audits", counted(books, "book")))
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Instant = Instant::new(1_800_000_000_000);

    #[test]
    fn schema_of_another_version_is_a_fault() {
        let remedy = |error| match judge_opening(&error) {
            Outcome::Fault(finding) => finding.remedy,
            other @ (Outcome::Fine(_) | Outcome::Skipped(_) | Outcome::Warning(_)) => {
                panic!("{other:?}")
            }
        };
        assert!(remedy(Error::OlderSchema("1".to_owned())).contains("migrate"));
        assert!(remedy(Error::NewerSchema("1".to_owned())).contains("version"));
        assert!(remedy(Error::Unavailable("gone".to_owned())).contains("--database-url"));
    }

    #[test]
    fn unopened_secrets_are_findings() {
        assert!(matches!(judge_secrets(false, 0), Outcome::Fault(_)));
        assert!(matches!(judge_secrets(true, 2), Outcome::Warning(_)));
        assert!(matches!(judge_secrets(true, 0), Outcome::Fine(_)));
    }

    #[test]
    fn damaged_file_is_a_fault() {
        assert!(matches!(judge_structure(&["row 3 missing".to_owned()]), Outcome::Fault(_)));
        assert!(matches!(judge_structure(&[]), Outcome::Fine(_)));
    }

    #[test]
    fn long_write_ahead_log_is_a_warning() {
        assert!(matches!(judge_wal(MAX_WAL + 1), Outcome::Warning(_)));
        assert!(matches!(judge_wal(64_000_000), Outcome::Fine(_)));
    }

    #[test]
    fn settings_that_lose_commits_are_faults() {
        let settings = |version: &str, fsync: &str, synchronous_commit: &str| ServerSettings {
            version: version.to_owned(),
            fsync: fsync.to_owned(),
            synchronous_commit: synchronous_commit.to_owned(),
            full_page_writes: "on".to_owned(),
            clock: NOW,
        };
        let judge = |settings: ServerSettings| judge_settings(&settings);
        assert!(matches!(judge(settings("150004", "off", "on")), Outcome::Fault(_)));
        assert!(matches!(judge(settings("150004", "on", "off")), Outcome::Fault(_)));
        assert!(matches!(judge(settings("130011", "on", "on")), Outcome::Warning(_)));
        assert!(matches!(judge(settings("150004", "on", "remote_apply")), Outcome::Fine(_)));
    }

    #[test]
    fn old_backlog_and_paused_apps_are_warnings() {
        let backlog = |minutes: Option<i64>, paused_apps| Backlog {
            due_queues: 3,
            due_since: minutes.map(|minutes| NOW.plus(minutes * -60_000)),
            paused_apps,
            mails: 0,
            audits: 0,
        };
        assert!(matches!(judge_backlog(&backlog(Some(11), 0), NOW), Outcome::Warning(_)));
        assert!(matches!(judge_backlog(&backlog(None, 1), NOW), Outcome::Warning(_)));
        assert!(matches!(judge_backlog(&backlog(Some(1), 0), NOW), Outcome::Fine(_)));
    }

    #[test]
    fn findings_and_old_audits_are_findings() {
        let summary = |with_findings, days: i64| AuditSummary {
            books: 7,
            with_findings,
            oldest: Some(NOW.plus(-days * DAY)),
        };
        assert!(matches!(judge_audits(summary(1, 0), NOW), Outcome::Fault(_)));
        assert!(matches!(judge_audits(summary(0, 93), NOW), Outcome::Warning(_)));
        assert!(matches!(judge_audits(summary(0, 91), NOW), Outcome::Fine(_)));
        assert!(matches!(judge_audits(AuditSummary::default(), NOW), Outcome::Fine(_)));
    }
}
