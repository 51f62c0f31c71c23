//! Backups made during writes and kills, as described in `docs/operations.md`: the restored copy
//! must contain every acknowledged write.

use std::process::Output;
use std::time::Duration;

use daybook_tests::small_disk::SmallDisk;
use daybook_tests::torture::backup_kills::{self, Plan};
use daybook_tests::torture::backups;
use daybook_tests::{Engine, Server, binary, pause, setting};

use crate::operated_backups::{backup, book, daybook, done, private_folder, refused, shown};
use crate::s3::{BUCKET, SECRET_KEY, Store};

pub fn tests() -> Vec<crate::Case> {
    crate::isolated![
        backup_during_writes_is_complete,
        backups_survive_kills,
        backups_in_a_bucket_survive_kills,
        full_disk_loses_nothing,
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

/// A backup and a restore onto a full disk fail with a message, and work once there is space.
fn full_disk_loses_nothing(engine: Engine) {
    let disk = match SmallDisk::mount(64) {
        Ok(disk) => disk,
        Err(what) => {
            assert!(setting("CI").is_none(), "{what}");
            eprintln!("left out: {what}");
            return;
        }
    };
    let server = Server::start(engine);
    book(&server);
    let kept = private_folder();
    let path = backup(&server, &shown(&kept), &[]);
    let on_disk = |arguments: &[&str]| -> Output {
        disk.command(binary(), None).args(arguments).output().expect("daybook runs")
    };
    let place = disk.path().join("place").display().to_string();
    let into = disk.path().join("data").display().to_string();
    let data_dir = server.data_dir().display().to_string();
    let data = ["--data-dir", &data_dir, "--database-url", server.database_url()];
    let create = [&["backup", "create", "--to", &place][..], &data].concat();
    let url = format!("sqlite:{into}/daybook.db");
    let restore = ["restore", &path, "--into", &into, "--database-url", &url];
    disk.fill();
    for command in [&create[..], &restore] {
        let message = refused(&on_disk(command));
        let is_clear = ["is full", "No space left"].iter().any(|cause| message.contains(cause));
        assert!(is_clear && message.contains("cannot be"), "{command:?}: {message}");
    }
    let listed = done(&on_disk(&["backup", "list", "--at", &place]));
    assert!(!listed.contains("good"), "{listed}");
    disk.free();
    // The names of backups have seconds.
    pause(Duration::from_millis(1_100));
    assert!(done(&on_disk(&create)).contains("the backup is good"));
    done(&on_disk(&restore));
    done(&daybook(&["backup", "verify", &path]));
}
