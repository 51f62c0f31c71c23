//! Backups made during writes and kills, as described in `docs/operations.md`: the restored copy must
//! contain every acknowledged write.

use daybook_tests::Engine;
use daybook_tests::torture::backup_kills::{self, Plan};
use daybook_tests::torture::backups;

use crate::operated_backups::{private_folder, shown};
use crate::s3::{BUCKET, SECRET_KEY, Store};

pub fn tests() -> Vec<crate::Case> {
    crate::isolated![
        backup_during_writes_is_complete,
        backups_survive_kills,
        backups_in_a_bucket_survive_kills,
    ]
}

/// `pg_dump` or `VACUUM INTO`, restored, served, compared with what was acknowledged, and audited.
fn backup_during_writes_is_complete(engine: Engine) {
    let report = backups::check_backup(engine, 1993).expect("a copy that is served");
    assert!(report.violations.is_empty(), "{report:#?}");
    assert!(report.before > 0 && report.meanwhile > 0, "clients wrote: {report:?}");
}

/// Files and backups in folders.
fn backups_survive_kills(engine: Engine) {
    let place = private_folder();
    check_kills(&Plan {
        engine,
        kills: 50,
        seed: 1993,
        files: &[],
        place: &shown(&place),
        bucket: &[],
    });
}

/// Files and backups in one bucket.
fn backups_in_a_bucket_survive_kills(engine: Engine) {
    let store = Store::start();
    let files = store.options(SECRET_KEY);
    let bucket: Vec<String> = files.iter().skip(2).cloned().collect();
    let place = format!("s3://{BUCKET}/backups");
    check_kills(&Plan {
        engine,
        kills: 20,
        seed: 1995,
        files: &files,
        place: &place,
        bucket: &bucket,
    });
}

#[track_caller]
fn check_kills(plan: &Plan<'_>) {
    let report = backup_kills::run(plan).expect("backups that are restored");
    assert!(report.violations.is_empty(), "{report:#?}");
    // A server is killed first, and then in turn.
    assert!(report.backups >= plan.kills / 2 && report.servers >= plan.kills / 2, "{report:?}");
    assert!(report.good > report.servers / 2 && report.writes > 100, "{report:?}");
}
