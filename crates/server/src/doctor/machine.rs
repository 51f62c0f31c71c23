//! Checks of the data directory, the keys and the machine.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

use clap::CommandFactory;
use daybook_storage::Address;
use nix::sys::resource::{Resource, getrlimit};

use super::check::{Check, Outcome};
use crate::cli::{Cli, ServeArgs};
use crate::{disk, files, key, limit, private};

/// Open files below which a server with many clients refuses connections.
const MIN_OPEN_FILES: u64 = 4_096;
/// Bytes that a full disk has left, below which no database is small enough to go on.
const MIN_FREE: u64 = 256 * 1024 * 1024;
/// The unit of the package.
const UNIT: &str = "daybook.service";
/// The exposure of a unit, in tenths, above which its hardening has been removed. That of the
/// package has less than 2.0.
const MAX_EXPOSURE: u32 = 40;

/// Variables of the package's backup timer, which `serve` does not read.
const OTHER_VARIABLES: [&str; 2] = ["DAYBOOK_BACKUP_TO", "DAYBOOK_BACKUP_OPTIONS"];
/// The start of the names of variables that only Daybook's tests read.
const TEST_VARIABLES: [&str; 2] = ["DAYBOOK_BIN", "DAYBOOK_TEST_"];

/// Returns the checks of the machine.
pub(super) fn checks(options: &ServeArgs) -> Vec<Check> {
    let data_dir = options.data.data_dir.as_path();
    let check = |name, section, outcome| Check { name, section, outcome };
    vec![
        check("data directory", "the-service", data_directory(data_dir)),
        check("keys", "keys", keys(data_dir)),
        check("options", "the-service", self::options()),
        check("open files", "the-service", open_files()),
        check("file system", "sqlite-or-postgresql", file_system(options)),
        check("free space", "monitoring", free_space(options)),
        check("service unit", "the-service", service_unit()),
    ]
}

fn data_directory(data_dir: &Path) -> Outcome {
    match private::mode(data_dir) {
        Ok(mode) => judge_directory(data_dir, mode),
        Err(error) => unreadable(data_dir, &error),
    }
}

fn judge_directory(data_dir: &Path, mode: Option<u32>) -> Outcome {
    let shown = data_dir.display();
    match mode {
        None => Outcome::fault(
            format!("{shown} does not exist"),
            "Give --data-dir as for serve, or start the server once",
        ),
        Some(mode) if private::is_open_to_others(mode) => Outcome::fault(
            format!("{shown} is open to others (mode {mode:o})"),
            format!("Run chmod 700 {shown}"),
        ),
        Some(mode) => Outcome::fine(format!("{shown} has mode {mode:o}")),
    }
}

fn unreadable(path: &Path, error: &anyhow::Error) -> Outcome {
    let what = format!("{} cannot be read: {error:#}", path.display());
    Outcome::fault(what, "Run this command as the user of the server")
}

fn keys(data_dir: &Path) -> Outcome {
    match key::load_existing(data_dir) {
        Ok(_) => Outcome::fine("readable by the owner only"),
        Err(error) => Outcome::fault(
            format!("{error:#}"),
            "Restore the key from a backup. Without it tokens and sealed secrets are lost",
        ),
    }
}

/// Compares the variables of the environment with those that the program reads.
fn options() -> Outcome {
    let names = std::env::vars_os().filter_map(|(name, _)| name.into_string().ok());
    let names: Vec<String> = names.filter(|name| name.starts_with("DAYBOOK_")).collect();
    judge_variables(&names, &known_variables(&Cli::command()))
}

/// Returns the variables that a command and its subcommands read.
fn known_variables(command: &clap::Command) -> BTreeSet<String> {
    let own = command.get_arguments().filter_map(|argument| argument.get_env()?.to_str());
    let own = own.map(str::to_owned).chain(OTHER_VARIABLES.map(str::to_owned));
    own.chain(command.get_subcommands().flat_map(known_variables)).collect()
}

fn judge_variables(names: &[String], known: &BTreeSet<String>) -> Outcome {
    let is_unknown = |name: &&String| {
        !known.contains(*name) && !TEST_VARIABLES.iter().any(|test| name.starts_with(test))
    };
    let unknown: Vec<&str> = names.iter().filter(is_unknown).map(String::as_str).collect();
    if unknown.is_empty() {
        return Outcome::fine(format!("{} environment variables, all known", names.len()));
    }
    Outcome::warning(
        format!("the environment has {}, which no command reads", unknown.join(", ")),
        "Correct the names by docs/configuration.md, or remove them",
    )
}

fn open_files() -> Outcome {
    match getrlimit(Resource::RLIMIT_NOFILE) {
        Ok((_, hard)) => judge_open_files(hard),
        Err(error) => Outcome::skipped(format!("the limit is unknown: {error}")),
    }
}

fn judge_open_files(hard: u64) -> Outcome {
    let connections = hard / 2;
    let what = format!("at most {hard}, of which {connections} are for client connections");
    if hard < MIN_OPEN_FILES {
        return Outcome::warning(what, "Raise LimitNOFILE= of the unit, or ulimit -Hn");
    }
    let max = u64::try_from(limit::MAX_CONNECTIONS).unwrap_or(u64::MAX);
    Outcome::fine(format!(
        "at most {hard}, of which {} are for client connections",
        connections.min(max)
    ))
}

fn file_system(options: &ServeArgs) -> Outcome {
    let path = match options.data.address() {
        Ok(Address::Sqlite(path)) => path,
        Ok(Address::Postgres(_)) => return Outcome::skipped("the database is not a file"),
        Err(error) => return Outcome::fault(format!("{error:#}"), "Correct --database-url"),
    };
    match disk::folder_of(&path).map(|folder| disk::is_remote(&folder)) {
        Some(Ok(is_remote)) => judge_file_system(is_remote),
        Some(Err(error)) => Outcome::skipped(format!("{}: {error}", path.display())),
        None => Outcome::skipped(format!("{} has no folder", path.display())),
    }
}

fn judge_file_system(is_remote: bool) -> Outcome {
    if is_remote {
        return Outcome::fault(
            "the SQLite file is on a network file system, whose locks may not hold",
            "Move it to a local disk, or move to PostgreSQL with daybook move",
        );
    }
    Outcome::fine("the SQLite file is on a local file system")
}

fn free_space(options: &ServeArgs) -> Outcome {
    let data_dir = options.data.data_dir.as_path();
    let database =
        if let Ok(Address::Sqlite(path)) = options.data.address() { Some(path) } else { None };
    let size = database.as_deref().and_then(disk::file_bytes).unwrap_or_default();
    let folder = database.as_deref().and_then(disk::folder_of);
    let contents = files::folder(&options.files, data_dir);
    let places = [Some(data_dir.to_owned()), folder, contents].into_iter().flatten();
    let free = places.filter(|place| place.exists()).map(|place| disk::free_bytes(&place));
    match free.collect::<std::io::Result<Vec<u64>>>() {
        Ok(free) => judge_space(free.into_iter().min().unwrap_or_default(), size),
        Err(error) => Outcome::skipped(format!("the free space is unknown: {error}")),
    }
}

/// Judges the least free space of the places of an installation.
fn judge_space(free: u64, database: u64) -> Outcome {
    let what = format!("{} free, the database has {}", megabytes(free), megabytes(database));
    if free < MIN_FREE {
        return Outcome::fault(what, "Free space now: a full disk refuses writes");
    }
    if free < database.saturating_mul(2) {
        return Outcome::warning(what, "Free space, so that a backup and its audit fit twice");
    }
    Outcome::fine(what)
}

/// Formats bytes.
pub(super) fn megabytes(bytes: u64) -> String {
    format!("{} MB", bytes / 1_000_000)
}

/// Asks systemd for the hardening of the installed unit.
fn service_unit() -> Outcome {
    let asked = Command::new("systemd-analyze").args(["security", "--no-pager", UNIT]).output();
    match asked {
        Ok(output) if output.status.success() => {
            judge_unit(&String::from_utf8_lossy(&output.stdout))
        }
        Ok(_) => Outcome::skipped("systemd does not know daybook.service"),
        Err(_) => Outcome::skipped("this machine has no systemd"),
    }
}

/// Judges the last line of `systemd-analyze security`.
fn judge_unit(output: &str) -> Outcome {
    let line = output.lines().rev().find(|line| line.contains("exposure level"));
    let number = line.and_then(|line| line.rsplit_once(": ")?.1.split(' ').next());
    let tenths = number.and_then(|number| {
        let (whole, tenth) = number.split_once('.')?;
        whole.parse::<u32>().ok()?.checked_mul(10)?.checked_add(tenth.parse().ok()?)
    });
    match (tenths, number) {
        (Some(tenths), Some(number)) if tenths > MAX_EXPOSURE => Outcome::warning(
            format!("the exposure of {UNIT} is {number} of 10"),
            "Remove the drop-ins that weaken the unit of the package",
        ),
        (Some(_), Some(number)) => {
            Outcome::fine(format!("the exposure of {UNIT} is {number} of 10"))
        }
        _ => Outcome::skipped("systemd does not rate daybook.service"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn data_directory_must_exist_and_be_closed() {
        let judge = |mode| judge_directory(Path::new("/d"), mode);
        assert!(matches!(judge(None), Outcome::Fault(_)));
        assert!(matches!(judge(Some(0o750)), Outcome::Fault(_)));
        assert!(matches!(judge(Some(0o700)), Outcome::Fine(_)));
    }

    #[test]
    fn missing_key_is_a_fault() {
        let empty = std::env::temp_dir().join(format!("daybook-doctor-{}", std::process::id()));
        std::fs::create_dir_all(&empty).unwrap();
        assert!(matches!(keys(&empty), Outcome::Fault(_)));
        assert_eq!(std::fs::read_dir(&empty).unwrap().count(), 0, "it creates nothing");
        std::fs::remove_dir_all(&empty).unwrap();
    }

    #[test]
    fn unknown_variables_are_named() {
        let known = known_variables(&Cli::command());
        assert!(known.contains("DAYBOOK_LISTEN") && known.contains("DAYBOOK_METRICS_LISTEN"));
        let judge = |names: &[&str]| {
            let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
            judge_variables(&names, &known)
        };
        let fine = ["DAYBOOK_LISTEN", "DAYBOOK_BACKUP_TO", "DAYBOOK_TEST_ENGINES", "DAYBOOK_BIN"];
        assert!(matches!(judge(&fine), Outcome::Fine(_)));
        let Outcome::Warning(finding) = judge(&["DAYBOOK_LISTEN", "DAYBOOK_LISTN"]) else {
            panic!("no warning")
        };
        assert!(finding.what.contains("DAYBOOK_LISTN,"), "{}", finding.what);
    }

    #[test]
    fn few_open_files_are_a_warning() {
        assert!(matches!(judge_open_files(1_024), Outcome::Warning(_)));
        assert!(matches!(judge_open_files(MIN_OPEN_FILES), Outcome::Fine(_)));
    }

    #[test]
    fn network_file_system_is_a_fault() {
        assert!(matches!(judge_file_system(true), Outcome::Fault(_)));
        assert!(matches!(judge_file_system(false), Outcome::Fine(_)));
    }

    #[test]
    fn space_must_hold_the_database_twice() {
        assert!(matches!(judge_space(MIN_FREE - 1, 0), Outcome::Fault(_)));
        assert!(matches!(judge_space(MIN_FREE * 2, MIN_FREE + 1), Outcome::Warning(_)));
        assert!(matches!(judge_space(MIN_FREE * 2, MIN_FREE), Outcome::Fine(_)));
    }

    #[test]
    fn weakened_unit_is_a_warning() {
        let output = |score| {
            format!(
                "✓ PrivateTmp=\n\n→ Overall exposure level for daybook.service: {score} OK 🙂\n"
            )
        };
        assert!(matches!(judge_unit(&output("1.4")), Outcome::Fine(_)));
        assert!(matches!(judge_unit(&output("9.6")), Outcome::Warning(_)));
        assert!(matches!(judge_unit("no rating"), Outcome::Skipped(_)));
    }
}
