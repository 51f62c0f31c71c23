//! The options of the command line are those that `docs/configuration.md` describes.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use daybook_tests::{Server, binary, run_for};

pub fn tests() -> Vec<crate::Case> {
    crate::cases![
        help_and_page_agree,
        bounds_are_those_of_the_program,
        rule_11_11_what_cannot_be_admitted_stops_the_start,
    ]
}

/// The commands that have options of their own.
const COMMANDS: [&str; 3] = ["serve", "token", "login"];

/// What the help and the page both say of an option.
#[derive(Debug, Default, PartialEq, Eq)]
struct Described {
    /// The name of its value; none for a switch.
    value: Option<String>,
    environment: Option<String>,
    default: Option<String>,
}

/// Options by name, such as `--listen`.
type Options = BTreeMap<String, Described>;

fn daybook(arguments: &[&str]) -> std::process::Output {
    let mut command = Command::new(binary());
    let output = run_for(command.args(arguments), Duration::from_secs(30));
    output.unwrap_or_else(|| panic!("{arguments:?}: still runs after 30 s"))
}

/// An option as it is written: its name, and the name of its value.
fn split(written: &str) -> (String, Option<String>) {
    match written.split_once(' ') {
        Some((name, value)) => (name.to_owned(), Some(value.trim_matches(['<', '>']).to_owned())),
        None => (written.to_owned(), None),
    }
}

/// `NAME` of `[kind: NAME]` at the end of a help text.
fn note(text: &str, kind: &str) -> Option<String> {
    let (_, rest) = text.split_once(&format!("[{kind}: "))?;
    Some(rest.split_once(']').expect("the end of a note").0.to_owned())
}

/// The options of a command's help, without `--help` itself.
fn helped(command: &str) -> Options {
    let output = daybook(&[command, "--help"]);
    assert!(output.status.success(), "{output:?}");
    let help = String::from_utf8(output.stdout).expect("the help is UTF-8");
    let lines = help.lines().map(str::trim_start).filter(|line| line.starts_with("--"));
    let described = |line: &str| {
        let (written, text) = line.split_once("  ").expect("an option and its meaning");
        let (name, value) = split(written);
        let environment = note(text, "env").map(|found| {
            found.split_once('=').map_or(found.clone(), |(variable, _)| variable.to_owned())
        });
        (name, Described { value, environment, default: note(text, "default") })
    };
    lines.map(described).collect()
}

/// The cells of the rows below a heading whose first cell is an option.
fn rows(page: &str, heading: &str) -> Vec<Vec<String>> {
    let (_, section) = page.split_once(&format!("\n## {heading}\n")).expect("a section");
    let section = section.split("\n## ").next().unwrap_or(section);
    let rows = section.lines().filter(|line| line.starts_with("| `--"));
    rows.map(|row| row.trim_matches('|').split('|').map(|cell| cell.trim().to_owned()).collect())
        .collect()
}

/// Text of which all is in code style.
fn code(cell: &str) -> Option<String> {
    let inside = cell.strip_prefix('`')?.strip_suffix('`')?;
    (!inside.contains('`')).then(|| inside.to_owned())
}

fn page() -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/configuration.md");
    std::fs::read_to_string(path).expect("the page")
}

fn documented(page: &str, command: &str) -> Options {
    let rows = rows(page, &format!("`daybook {command}`")).into_iter();
    rows.map(|cells| {
        let [option, environment, default, _, meaning] = &cells[..] else {
            panic!("five columns: {cells:?}")
        };
        assert!(!meaning.is_empty(), "{option} has no meaning");
        let (name, value) = split(&code(option).expect("an option"));
        (name, Described { value, environment: code(environment), default: code(default) })
    })
    .collect()
}

fn help_and_page_agree(_: &Server) {
    let page = page();
    for command in COMMANDS {
        let (help, page) = (helped(command), documented(&page, command));
        assert!(!help.is_empty(), "{command} has options");
        for (name, described) in &help {
            assert_eq!(page.get(name), Some(described), "the page on {command} {name}");
        }
        let unknown: Vec<&String> = page.keys().filter(|name| !help.contains_key(*name)).collect();
        assert!(unknown.is_empty(), "the page has options that {command} has not: {unknown:?}");
    }
}

/// The numbers of `A to B` and `at least A`.
fn bounds(cell: &str) -> Option<(u64, Option<u64>)> {
    if let Some(least) = cell.strip_prefix("at least ") {
        return Some((least.parse().ok()?, None));
    }
    let (least, most) = cell.split_once(" to ")?;
    Some((least.parse().ok()?, Some(most.parse().ok()?)))
}

fn bounds_are_those_of_the_program(_: &Server) {
    let page = page();
    let mut checked = 0;
    for command in COMMANDS {
        for cells in rows(&page, &format!("`daybook {command}`")) {
            let Some((least, most)) = bounds(&cells[3]) else { continue };
            let (option, _) = split(&code(&cells[0]).expect("an option"));
            checked += 1;
            // The option behind it has no value, so nothing starts; the first fault is reported.
            let refused = |value: u64| {
                let run = daybook(&[command, &option, &value.to_string(), "--data-dir"]);
                assert_eq!(run.status.code(), Some(2), "{option} {value}: {run:?}");
                let text = String::from_utf8_lossy(&run.stderr).into_owned();
                text.contains(&format!("for '{option}"))
            };
            let below = least.checked_sub(1).is_none_or(&refused);
            assert!(below && !refused(least), "{option}: at least {least}");
            if let Some(most) = most {
                assert!(refused(most + 1) && !refused(most), "{option}: at most {most}");
            }
        }
    }
    assert_eq!(checked, 13, "options with bounds");
}

fn rule_11_11_what_cannot_be_admitted_stops_the_start(_: &Server) {
    // The option behind it has no value, so nothing starts; the first fault is reported.
    let run = |entries: &str| daybook(&["serve", "--admit", entries, "--data-dir"]);
    for (entries, fault) in [
        ("example.org", "example.org"),
        ("a@example.com,,@example.org", "\"\""),
        ("@example.org,@exam ple.com", "@exam ple.com"),
        ("p\u{430}ypal@example.com", "taken for another"),
    ] {
        let refused = run(entries);
        let said = String::from_utf8_lossy(&refused.stderr).into_owned();
        assert_eq!(refused.status.code(), Some(2), "{entries}: {said}");
        assert!(said.contains("for '--admit") && said.contains(fault), "{entries}: {said}");
    }
    let fine = run("Alice@Example.com, @example.org,@b\u{fc}cher.example");
    let said = String::from_utf8_lossy(&fine.stderr).into_owned();
    assert!(!said.contains("--admit") && said.contains("--data-dir"), "{said}");
}
