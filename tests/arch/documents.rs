//! The documents are short, their links exist, and their checkable statements are true.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

use daybook_tests::Engine;

use super::tree::{behaviour, cargo, none, read, root, sources};

/// The example of the README is the domain's own, which `cargo test` compiles and runs.
#[test]
fn readme_example_is_the_one_that_runs() {
    let between = |text: &str, open: &str| -> String {
        let (_, rest) =
            text.split_once(open).unwrap_or_else(|| panic!("an example after {open:?}"));
        rest.split_once("```").expect("the end of the example").0.to_owned()
    };
    let uncommented = |line: &str| {
        line.strip_prefix("//! ").or_else(|| line.strip_prefix("//!")).unwrap_or(line).to_owned()
            + "\n"
    };
    let documentation: String = read("crates/domain/src/lib.rs").lines().map(uncommented).collect();
    assert_eq!(between(&read("README.md"), "```rust\n"), between(&documentation, "```\n"));
}

/// The maximum number of words, code included: these pages are read completely.
const MAX_WORDS: [(&str, usize); 2] = [("ARCHITECTURE.md", 1_800), ("README.md", 900)];

#[test]
fn documents_are_short() {
    for (path, most) in MAX_WORDS {
        let words = read(path).split_whitespace().count();
        assert!(words <= most, "{path} has {words} words, at most {most}");
    }
}

/// The Markdown files of the tree.
fn pages() -> Vec<String> {
    let run = Command::new("git")
        .args(["ls-files", "--cached", "--others", "--exclude-standard", "*.md"])
        .current_dir(root())
        .output()
        .expect("git runs");
    let listed = String::from_utf8(run.stdout).expect("file names are UTF-8");
    let present = listed.lines().filter(|path| root().join(path).exists());
    present.map(str::to_owned).collect()
}

/// The lines of a page outside of its code blocks.
fn prose(page: &str) -> Vec<String> {
    let mut inside = false;
    let mut lines = Vec::new();
    for line in read(page).lines() {
        let fence = line.trim_start().starts_with("```");
        if !fence && !inside {
            lines.push(line.to_owned());
        }
        inside ^= fence;
    }
    lines
}

/// The anchors of a page's headings, as they are made for HTML.
fn anchors(page: &str) -> Vec<String> {
    let headings = prose(page).into_iter().filter(|line| line.starts_with('#'));
    let plain = |heading: String| {
        let text = heading.trim_start_matches('#').trim().to_lowercase();
        let kept = text.chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
        kept.map(|c| if c == ' ' { '-' } else { c }).collect()
    };
    headings.map(plain).collect()
}

/// Every link of a document leads to a file of the tree, and to a heading of it.
#[test]
fn links_lead_somewhere() {
    let mut dead = Vec::new();
    let mut followed = 0;
    for page in pages() {
        let folder = Path::new(&page).parent().expect("a file has a folder");
        let text = prose(&page).join("\n");
        let links = text.split("](").skip(1).filter_map(|rest| rest.split_once(')'));
        for (link, _) in links.filter(|(link, _)| !link.contains("://")) {
            followed += 1;
            let (path, anchor) = link.split_once('#').unwrap_or((link, ""));
            let target = match path {
                "" => page.clone(),
                path => folder.join(path).display().to_string(),
            };
            let found = root().join(&target).exists()
                && (anchor.is_empty() || anchors(&target).iter().any(|known| known == anchor));
            dead.extend((!found).then(|| format!("{page}: {link}")));
        }
    }
    assert!(followed > 30, "{followed} links are too few to be all");
    none(&dead, "Links lead somewhere");
}

/// The cells of the rows of a page's tables, headings included.
fn rows(page: &str) -> Vec<Vec<String>> {
    let lines = prose(page).into_iter().filter(|line| line.starts_with('|'));
    let cells = |line: String| {
        line.trim_matches('|').split('|').map(|cell| cell.trim().to_owned()).collect()
    };
    lines.map(cells).collect()
}

/// Each limit names the rule it comes from.
#[test]
fn limits_cite_rules_that_exist() {
    let behaviour = behaviour();
    let is_rule = |number: &str| {
        let starts =
            |line: &str| line.strip_prefix(number).is_some_and(|rest| rest.starts_with(' '));
        behaviour.lines().any(starts)
    };
    let rows = rows("docs/limits.md");
    let cited: Vec<&str> = rows
        .iter()
        .filter_map(|cells| cells.last())
        .flat_map(|cell| cell.split(", "))
        .filter(|cell| cell.starts_with(|c: char| c.is_ascii_digit()))
        .collect();
    assert!(cited.len() > 50, "{} rules are too few to be all", cited.len());
    let unknown: Vec<String> =
        cited.into_iter().filter(|number| !is_rule(number)).map(str::to_owned).collect();
    none(&unknown, "Rules of docs/limits.md are in docs/api");
}

/// The log lines in the operator's documentation are those of the program.
#[test]
fn log_lines_are_those_of_the_program() {
    let unbroken = |text: &str| {
        let parts: Vec<&str> = text.split("\\\n").collect();
        let rest = parts.iter().skip(1).map(|part| part.trim_start());
        parts.iter().take(1).copied().chain(rest).collect::<String>()
    };
    let texts: Vec<String> =
        sources(&["crates"]).iter().map(|source| unbroken(&source.text)).collect();
    let levels = ["INFO", "WARN", "ERROR"];
    let rows = rows("docs/operations.md");
    let about = rows.iter().filter(|cells| levels.contains(&cells[0].as_str()));
    let lines: Vec<&str> = about.flat_map(|cells| cells[1].split('`').skip(1).step_by(2)).collect();
    assert!(lines.len() > 8, "{lines:?}");
    let unknown: Vec<String> = lines
        .into_iter()
        .filter(|line| !texts.iter().any(|text| text.contains(&format!("\"{line}\""))))
        .map(str::to_owned)
        .collect();
    none(&unknown, "Lines of the log are written by the program");
}

/// The names of all tests, as `--list` prints them, without their engine.
fn listed_tests() -> BTreeSet<String> {
    // With `--workspace` and `--lib` the dependencies are those that are built already.
    let suites = ["--lib", "--test", "it", "--test", "nightly", "--test", "arch"];
    let listed =
        cargo(&[&["test", "--workspace", "--quiet"], &suites[..], &["--", "--list"]].concat());
    let names = listed.lines().filter_map(|line| line.strip_suffix(": test"));
    let names = names.map(|name| {
        let engines = Engine::ALL.map(|engine| format!("{engine}::"));
        let case = engines.iter().find_map(|engine| name.strip_prefix(engine.as_str()));
        case.unwrap_or(name).to_owned()
    });
    let names: BTreeSet<String> = names.collect();
    assert!(names.len() > 1_000, "{} tests are too few to be all", names.len());
    names
}

/// Each test that the page on security names exists: a case, or a module with `::` behind it.
#[test]
fn cited_tests_exist() {
    let text = prose("docs/security.md").join("\n");
    let cited: Vec<&str> =
        text.split('`').skip(1).step_by(2).filter(|code| code.contains("::")).collect();
    assert!(cited.len() > 50, "{} tests are too few to be all", cited.len());
    let known = listed_tests();
    let exists = |name: &str| {
        known.contains(name)
            || name.ends_with("::") && known.iter().any(|case| case.starts_with(name))
    };
    let unknown: Vec<String> =
        cited.into_iter().filter(|name| !exists(name)).map(str::to_owned).collect();
    none(&unknown, "Tests that docs/security.md names exist");
}
