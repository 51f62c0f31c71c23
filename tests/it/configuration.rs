//! Command line options and their bounds must equal those of `docs/configuration.md`.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::os::unix::fs::{DirBuilderExt, PermissionsExt};
use std::path::Path;
use std::process::{Command, Output};
use std::time::Duration;

use daybook_tests::{Server, binary, folder, run_for};

pub fn tests() -> Vec<crate::Case> {
    crate::cases![
        help_and_documentation_agree,
        documented_bounds_are_enforced,
        rule_11_11_invalid_admit_entry_is_refused_at_start,
        commands_name_the_directory_without_an_installation,
    ]
}

/// The commands that have options of their own.
const COMMANDS: [&str; 3] = ["serve", "token", "login"];

/// How long a command may take that opens nothing.
const TIMEOUT: Duration = Duration::from_secs(30);

/// The description of an option that help and page share.
#[derive(Debug, Default, PartialEq, Eq)]
struct Described {
    /// The name of the value; none for a switch.
    value: Option<String>,
    environment: Option<String>,
    default: Option<String>,
}

/// Options by name, such as `--listen`.
type Options = BTreeMap<String, Described>;

fn daybook(arguments: &[&str]) -> Output {
    daybook_in(Path::new("."), arguments)
}

fn daybook_in(directory: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(binary());
    let output = run_for(command.args(arguments).current_dir(directory), TIMEOUT);
    output.unwrap_or_else(|| panic!("{arguments:?}: still runs after 30 s"))
}

/// Splits an option into its name and the name of its value.
fn split_option(written: &str) -> (String, Option<String>) {
    match written.split_once(' ') {
        Some((name, value)) => (name.to_owned(), Some(value.trim_matches(['<', '>']).to_owned())),
        None => (written.to_owned(), None),
    }
}

/// Returns `NAME` of `[kind: NAME]` in a help text.
fn find_note(text: &str, kind: &str) -> Option<String> {
    let (_, rest) = text.split_once(&format!("[{kind}: "))?;
    Some(rest.split_once(']').expect("the end of a note").0.to_owned())
}

/// Parses the options of a command's help, without `--help`.
fn options_of_help(command: &str) -> Options {
    let output = daybook(&[command, "--help"]);
    assert!(output.status.success(), "{output:?}");
    let help = String::from_utf8(output.stdout).expect("the help is UTF-8");
    let lines = help.lines().map(str::trim_start).filter(|line| line.starts_with("--"));
    let described = |line: &str| {
        let (written, text) = line.split_once("  ").expect("an option and its meaning");
        let (name, value) = split_option(written);
        let environment = find_note(text, "env").map(|found| {
            found.split_once('=').map_or(found.clone(), |(variable, _)| variable.to_owned())
        });
        (name, Described { value, environment, default: find_note(text, "default") })
    };
    lines.map(described).collect()
}

/// Returns the cells of the rows below a heading that describe options.
fn rows(page: &str, heading: &str) -> Vec<Vec<String>> {
    let (_, section) = page.split_once(&format!("\n## {heading}\n")).expect("a section");
    let section = section.split("\n## ").next().unwrap_or(section);
    let rows = section.lines().filter(|line| line.starts_with("| `--"));
    rows.map(|row| row.trim_matches('|').split('|').map(|cell| cell.trim().to_owned()).collect())
        .collect()
}

/// Returns the text of a cell that is entirely code.
fn code_text(cell: &str) -> Option<String> {
    let inside = cell.strip_prefix('`')?.strip_suffix('`')?;
    (!inside.contains('`')).then(|| inside.to_owned())
}

fn page() -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/configuration.md");
    std::fs::read_to_string(path).expect("the page")
}

fn options_of_page(page: &str, command: &str) -> Options {
    let rows = rows(page, &format!("`daybook {command}`")).into_iter();
    rows.map(|cells| {
        let [option, environment, default, _, meaning] = &cells[..] else {
            panic!("five columns: {cells:?}")
        };
        assert!(!meaning.is_empty(), "{option} has no meaning");
        let (name, value) = split_option(&code_text(option).expect("an option"));
        (
            name,
            Described { value, environment: code_text(environment), default: code_text(default) },
        )
    })
    .collect()
}

fn help_and_documentation_agree(_: &Server) {
    let page = page();
    for command in COMMANDS {
        let (help, page) = (options_of_help(command), options_of_page(&page, command));
        assert!(!help.is_empty(), "{command} has options");
        for (name, described) in &help {
            assert_eq!(page.get(name), Some(described), "the page on {command} {name}");
        }
        let unknown: Vec<&String> = page.keys().filter(|name| !help.contains_key(*name)).collect();
        assert!(unknown.is_empty(), "the page has options that {command} has not: {unknown:?}");
    }
}

/// Parses `A to B` and `at least A`.
fn parse_bounds(cell: &str) -> Option<(u64, Option<u64>)> {
    if let Some(min) = cell.strip_prefix("at least ") {
        return Some((min.parse().ok()?, None));
    }
    let (min, max) = cell.split_once(" to ")?;
    Some((min.parse().ok()?, Some(max.parse().ok()?)))
}

fn documented_bounds_are_enforced(_: &Server) {
    let page = page();
    let mut checked = 0;
    for command in COMMANDS {
        for cells in rows(&page, &format!("`daybook {command}`")) {
            let Some((min, max)) = parse_bounds(&cells[3]) else { continue };
            let (option, _) = split_option(&code_text(&cells[0]).expect("an option"));
            checked += 1;
            // The last option lacks its value, so the server never starts. The first error is
            // reported.
            let refused = |value: u64| {
                let run = daybook(&[command, &option, &value.to_string(), "--data-dir"]);
                assert_eq!(run.status.code(), Some(2), "{option} {value}: {run:?}");
                let text = String::from_utf8_lossy(&run.stderr).into_owned();
                text.contains(&format!("for '{option}"))
            };
            let below = min.checked_sub(1).is_none_or(&refused);
            assert!(below && !refused(min), "{option}: at least {min}");
            if let Some(max) = max {
                assert!(refused(max + 1) && !refused(max), "{option}: at most {max}");
            }
        }
    }
    assert_eq!(checked, 14, "options with bounds");
}

fn rule_11_11_invalid_admit_entry_is_refused_at_start(_: &Server) {
    // The last option lacks its value, so the server never starts. The first error is reported.
    let run = |entries: &str| daybook(&["serve", "--admit", entries, "--data-dir"]);
    for (entries, fault) in [
        ("example.org", "example.org"),
        ("a@example.com,,@example.org", "\"\""),
        ("@example.org,@exam ple.com", "@exam ple.com"),
        ("p\u{430}ypal@example.com", "confused with another"),
    ] {
        let refused = run(entries);
        let error = String::from_utf8_lossy(&refused.stderr).into_owned();
        assert_eq!(refused.status.code(), Some(2), "{entries}: {error}");
        assert!(error.contains("for '--admit") && error.contains(fault), "{entries}: {error}");
    }
    let fine = run("Alice@Example.com, @example.org,@b\u{fc}cher.example");
    let error = String::from_utf8_lossy(&fine.stderr).into_owned();
    assert!(!error.contains("--admit") && error.contains("--data-dir"), "{error}");
}

const EMAIL: &str = "a@books.example";

/// The commands that open an existing installation: the name of the manual page, and arguments.
const OPENING: [(&str, &[&str]); 36] = [
    ("token", &["token", "--email", EMAIL]),
    ("token-list", &["token", "list", "--email", EMAIL]),
    ("token-revoke", &["token", "revoke", "1"]),
    ("login", &["login", "--email", EMAIL]),
    ("user-list", &["user", "list"]),
    ("user-show", &["user", "show", "--email", EMAIL]),
    ("user-disable", &["user", "disable", "--email", EMAIL]),
    ("user-enable", &["user", "enable", "--email", EMAIL]),
    ("user-rename-email", &["user", "rename-email", "--email", EMAIL, "--to", "b@books.example"]),
    ("user-storage", &["user", "storage"]),
    ("user-storage", &["user", "storage", "--email", EMAIL]),
    ("user-allow", &["user", "allow", "--email", EMAIL, "--bytes", "0"]),
    ("user-delete", &["user", "delete", "--email", EMAIL]),
    ("book-transfer", &["book", "transfer", "--book", "1", "--to", EMAIL]),
    ("book-list-deleted", &["book", "list-deleted"]),
    ("book-restore", &["book", "restore", "1"]),
    ("keys-list", &["keys", "list"]),
    ("keys-rotate", &["keys", "rotate"]),
    ("keys-rotate", &["keys", "rotate", "sealing"]),
    ("keys-rotate", &["keys", "rotate", "sealing", "--prepare"]),
    ("outbox-list", &["outbox", "list"]),
    ("outbox-show", &["outbox", "show", "1"]),
    ("outbox-retry", &["outbox", "retry", "1"]),
    ("outbox-drop", &["outbox", "drop", "1"]),
    ("webhooks-list", &["webhooks", "list"]),
    ("webhooks-pause", &["webhooks", "pause", "--book", "1", "--app", "bot"]),
    ("webhooks-resume", &["webhooks", "resume", "--app", "bot"]),
    ("key-create", &["key", "create", "--email", EMAIL]),
    ("key-list", &["key", "list"]),
    ("key-revoke", &["key", "revoke", "1"]),
    ("checkpoint", &["checkpoint"]),
    ("doctor", &["doctor"]),
    ("backup-create", &["backup", "create", "--to", "place"]),
    ("restore-release", &["restore", "release"]),
    ("move", &["move", "--to", "sqlite:other.db"]),
    ("verify", &["verify"]),
];

/// They must not take the working directory for an installation, or make one there.
fn commands_name_the_directory_without_an_installation(_: &Server) {
    let pages = folder("pages", false);
    let written = daybook(&["manual", &pages.path().display().to_string()]);
    assert!(written.status.success(), "{written:?}");
    let mut with_option = BTreeSet::new();
    for page in fs::read_dir(pages.path()).expect("a folder") {
        let path = page.expect("a page").path();
        let name = path.file_stem().expect("a name").to_string_lossy().into_owned();
        if fs::read_to_string(&path).expect("a page").contains(r"\-\-data\-dir") {
            with_option.insert(name.trim_start_matches("daybook-").to_owned());
        }
    }
    // These two make an installation.
    let opening = OPENING.iter().map(|(name, _)| *name).chain(["serve", "migrate"]);
    let opening: BTreeSet<String> = opening.map(str::to_owned).collect();
    assert_eq!(with_option, opening, "commands with --data-dir");

    let home = folder("nowhere", false);
    fs::set_permissions(home.path(), PermissionsExt::from_mode(0o700)).expect("its mode");
    let home = fs::canonicalize(home.path()).expect("a folder");
    let data_dir = home.join("data");
    let check = |entries: usize| {
        for (_, arguments) in OPENING {
            let output = daybook_in(&home, arguments);
            let printed = [output.stdout, output.stderr].concat();
            let printed = String::from_utf8_lossy(&printed).into_owned();
            assert!(!output.status.success(), "{arguments:?}: {printed}");
            for part in [&*data_dir.to_string_lossy(), "--data-dir"] {
                assert!(printed.contains(part), "{arguments:?}: {printed}");
            }
            let found = fs::read_dir(&home).expect("a folder").count();
            assert_eq!(found, entries, "{arguments:?} makes nothing");
        }
    };
    check(0);
    fs::DirBuilder::new().mode(0o700).create(&data_dir).expect("a folder");
    check(1);
    assert_eq!(fs::read_dir(&data_dir).expect("a folder").count(), 0);
}
