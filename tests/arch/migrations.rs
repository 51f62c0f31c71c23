//! The steps of the schema: the same for both engines, in the order of their dates.

use std::collections::BTreeSet;
use std::process::Command;

use super::tree::{read, root};

/// The folders of the migrations, by engine.
const FOLDERS: [&str; 2] = ["sqlite", "postgresql"];

/// The names of the steps of an engine.
fn steps(engine: &str) -> BTreeSet<String> {
    let folder = root().join("migrations").join(engine);
    let entries = std::fs::read_dir(folder).expect("a folder of migrations");
    entries
        .map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned())
        .collect()
}

/// The day of the commit that added a file, or today for a file that is not committed.
fn commit_day(path: &str) -> String {
    let run = Command::new("git")
        .args(["log", "-1", "--diff-filter=A", "--format=%cs", "--", path])
        .current_dir(root())
        .output()
        .expect("git runs");
    assert!(run.status.success(), "git log: {}", String::from_utf8_lossy(&run.stderr));
    let day = String::from_utf8(run.stdout).expect("git writes a date").trim().to_owned();
    if day.is_empty() { today() } else { day }
}

#[expect(clippy::disallowed_methods, reason = "the day of a commit is a day of the real clock")]
fn today() -> String {
    jiff::Zoned::now().date().to_string()
}

/// The order of steps is the order of their dates. A step with a future date would run after steps
/// that are written later.
#[test]
fn steps_are_not_dated_after_their_commit() {
    for engine in FOLDERS {
        for step in steps(engine) {
            let day = commit_day(&format!("migrations/{engine}/{step}/up.sql"));
            assert!(step.get(..10) <= Some(day.as_str()), "{engine}/{step}: added on {day}");
        }
    }
}

#[test]
fn migrations_have_the_same_steps() {
    let sqlite = steps("sqlite");
    assert_eq!(sqlite, steps("postgresql"));
    for step in &sqlite {
        // As `diesel migration generate` names them: their order is that of their dates.
        let (date, name) = step.split_once('_').expect("a date and a name");
        let shape: String = date.replace(|c: char| c.is_ascii_digit(), "0");
        assert!(shape == "0000-00-00-000000" && !name.is_empty(), "{step}: DATE-TIME_name");
        for engine in FOLDERS {
            assert!(
                root().join("migrations").join(engine).join(step).join("up.sql").exists(),
                "{engine}/{step}/up.sql"
            );
        }
    }
}

/// Databases of a release have its steps, so from then on steps are only added, after its own.
/// `migrations/vVERSION.sha256` has their sums.
#[test]
fn steps_of_releases_are_unchanged() {
    let changelog = read("CHANGELOG.md");
    let headings = changelog.lines().filter_map(|line| line.strip_prefix("## [")?.split_once(']'));
    let releases: Vec<&str> =
        headings.map(|(version, _)| version).filter(|version| *version != "Unreleased").collect();
    assert!(releases.contains(&"0.1.0"), "{releases:?}");
    for release in releases {
        let sums = format!("v{release}.sha256");
        let run = Command::new("sha256sum")
            .args(["--check", "--strict", "--quiet", &sums])
            .current_dir(root().join("migrations"))
            .output()
            .expect("sha256sum runs");
        let said = [run.stdout, run.stderr].concat();
        assert!(run.status.success(), "{sums}: {}", String::from_utf8_lossy(&said));
        let listed = read(&format!("migrations/{sums}"));
        for engine in FOLDERS {
            let released: Vec<String> = listed
                .lines()
                .filter_map(|line| line.split_once("  ")?.1.strip_prefix(engine))
                .filter_map(|path| path.strip_prefix('/')?.strip_suffix("/up.sql"))
                .map(str::to_owned)
                .collect();
            let first: Vec<String> = steps(engine).into_iter().take(released.len()).collect();
            assert!(!first.is_empty() && first == released, "{sums}: {engine} {first:?}");
            let fixture = if engine == "sqlite" { engine } else { "postgres" };
            let fixture = format!("tests/data/releases/v{release}-{fixture}.zip");
            assert!(root().join(&fixture).exists(), "{fixture}: see tests/record-release");
        }
    }
}

/// diesel knows a step by what is before the first `_`, and skips a second one of that version.
#[test]
fn steps_have_a_version_of_their_own() {
    for engine in ["sqlite", "postgresql"] {
        let steps = steps(engine);
        let version = |step: &String| step.split('_').next().unwrap_or_default().to_owned();
        let versions: BTreeSet<String> = steps.iter().map(version).collect();
        assert_eq!(versions.len(), steps.len(), "{engine}: {steps:?}");
    }
}

/// A distributed database may run every step after the schema step, so none of them has a command
/// that Citus refuses. New tables have a place in `PLACEMENTS`, and unique indexes lead with it.
#[test]
fn later_steps_pass_a_distributed_engine() {
    let refused =
        ["STATISTICS", "N_DISTINCT", "TRIGGER", "SERIAL", "BIGSERIAL", "IDENTITY", "REFERENCES"];
    for step in steps("postgresql").iter().skip(1) {
        let text = read(&format!("migrations/postgresql/{step}/up.sql"));
        let statements = text.lines().filter(|line| !line.trim_start().starts_with("--"));
        let text = statements.collect::<Vec<_>>().join(" ").to_ascii_uppercase();
        let words: BTreeSet<&str> =
            text.split(|c: char| !c.is_alphanumeric() && c != '_').collect();
        let found: Vec<_> = refused.iter().filter(|word| words.contains(**word)).collect();
        assert!(found.is_empty(), "{step}: {found:?}");
    }
}
