//! Asserts that a secret is neither in the log, nor in the database, nor in a backup.

use std::fs;
use std::path::Path;
use std::process::Command;

use daybook_tests::postgres::tool;
use daybook_tests::{Engine, Server, unique};

/// Asserts that the secret is in no log, no file of the database and no backup, while `known`,
/// which was recorded with it, is.
#[track_caller]
pub fn stands_nowhere(server: &Server, secret: &str, known: &str) {
    let log = server.log();
    assert!(!log.contains(secret), "the log");
    let name = format!("daybook-backup-{}-{}", std::process::id(), unique("backup"));
    let backup = std::env::temp_dir().join(name);
    let mut stored = files(server.data_dir());
    match server.engine() {
        Engine::Sqlite => {
            let path = server.database_url().strip_prefix("sqlite:").expect("a file");
            stored.extend(["", "-wal", "-shm"].map(|end| format!("{path}{end}")));
            let reader = rusqlite::Connection::open(path).expect("the database");
            reader.execute("VACUUM INTO ?1", [backup.to_string_lossy()]).expect("a backup");
        }
        Engine::Postgres => {
            let run = Command::new(tool("pg_dump").expect("pg_dump is part of PostgreSQL"))
                .arg("--file")
                .arg(&backup)
                .arg(server.database_url())
                .output()
                .expect("pg_dump starts");
            assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
        }
    }
    let copy = fs::read(&backup).expect("the backup");
    fs::remove_file(&backup).expect("it is ours");
    assert!(holds(&copy, known), "the backup holds what was recorded: {known}");
    assert!(!holds(&copy, secret), "the backup");
    for file in stored {
        // A missing write-ahead log contains nothing.
        let bytes = fs::read(&file).unwrap_or_default();
        assert!(!holds(&bytes, secret), "{file}");
    }
}

/// Asserts that no line of the log, which is that of the lowest level, contains one of the words.
#[track_caller]
pub fn assert_not_logged<'w>(server: &Server, words: impl IntoIterator<Item = &'w str>) {
    let log = server.log();
    assert!(log.contains("TRACE") || log.contains("DEBUG"), "all is logged");
    for word in words {
        let line = log.lines().find(|line| line.contains(word));
        assert_eq!(line, None, "the log holds {word}");
    }
}

fn files(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).expect("a directory");
    let paths = entries.map(|entry| entry.expect("an entry").path());
    paths.filter(|path| path.is_file()).map(|path| path.display().to_string()).collect()
}

/// Whether the bytes contain the text, plain or in the hexadecimal form of `pg_dump`.
fn holds(bytes: &[u8], text: &str) -> bool {
    let hex: String = text.bytes().map(|byte| format!("{byte:02x}")).collect();
    let found = |what: &str| contains(bytes, what.as_bytes());
    found(text) || found(&hex)
}

/// Searches for the first byte before it compares, because a backup is large.
fn contains(bytes: &[u8], what: &[u8]) -> bool {
    let Some(first) = what.first() else { return true };
    let mut rest = bytes;
    while let Some(at) = rest.iter().position(|byte| byte == first) {
        rest = &rest[at..];
        if rest.starts_with(what) {
            return true;
        }
        rest = &rest[1..];
    }
    false
}
