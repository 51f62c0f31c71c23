//! The files: their names, sizes and first lines.

use std::collections::BTreeSet;
use std::process::Command;

use super::tree::{Source, none, read, root, sources};

/// How many lines a file may have.
const MAX_LINES: usize = 600;

/// The nouns of the API as it stands.
const NOUNS: [&str; 27] = [
    "access_request",
    "account",
    "api_key",
    "app",
    "balance",
    "book",
    "collaborator",
    "collection",
    "comment",
    "connection",
    "delivery",
    "event",
    "export",
    "file",
    "grant",
    "group",
    "import",
    "integration",
    "reconciliation",
    "report",
    "saved_query",
    "session",
    "signing_key",
    "template",
    "token",
    "transaction",
    "user",
];

/// The nouns whose handlers are endpoints of sign-in and OAuth.
const IN_AUTH: [&str; 3] = ["grant", "session", "signing_key"];

/// The layers without a file for a noun: templates are configuration of http alone.
const SILENT: [(&str, &str); 6] = [
    // Exports and reports consist of the rows of other nouns.
    ("export", "domain"),
    ("export", "storage"),
    ("report", "storage"),
    ("template", "domain"),
    ("template", "storage"),
    ("template", "service"),
];

#[test]
fn files_are_short_and_say_what_they_are() {
    let mut places = Vec::new();
    for source in sources(&["crates", "tests"]) {
        let lines = source.text.lines().count();
        if lines > MAX_LINES {
            places.push(format!("{} has {lines} lines, at most {MAX_LINES}", source.path));
        }
        if !source.text.starts_with("//! ") {
            places.push(format!("{} does not open with `//!`", source.path));
        }
    }
    none(&places, "A file is short and says what it is for");
}

/// How many columns a line may have.
const MAX_COLUMNS: usize = 100;

/// Files with lines that cannot be broken.
const WIDE: [(&str, &str); 2] = [
    ("tests/src/bench/raw/mod.rs", "a JSON text, as long as those it stands for"),
    ("tests/src/bench/workload.rs", "a JSON text, as long as those it stands for"),
];

/// Also the text that rustfmt does not change: strings, comments, macros, SQL.
#[test]
fn lines_fit() {
    let mut places = Vec::new();
    for path in tracked() {
        let ends = [".rs", ".sql", ".py"].iter().any(|end| path.ends_with(end));
        let inside = ["crates/", "tests/", "migrations/"].iter().any(|top| path.starts_with(top));
        let counts = ends && inside || path == "Makefile";
        if !counts || WIDE.iter().any(|(wide, _)| *wide == path) {
            continue;
        }
        // A deleted file may not be committed as such yet.
        let Ok(text) = std::fs::read_to_string(root().join(&path)) else { continue };
        // A table row cannot be wrapped.
        let row = |line: &str| line.starts_with("//! |");
        let lines = text.lines().enumerate().filter(|(_, line)| !row(line));
        let wide = lines.filter(|(_, line)| line.chars().count() > MAX_COLUMNS);
        places.extend(wide.map(|(index, _)| format!("{path}:{}", index + 1)));
    }
    none(&places, "A line fits 100 columns");
}

/// One rule for folders: `x/mod.rs`, not `x.rs` beside `x/`.
#[test]
fn folders_hold_their_own_file() {
    let all = sources(&["crates", "tests"]);
    let beside =
        all.iter().filter(|source| root().join(source.path.trim_end_matches(".rs")).is_dir());
    let places: Vec<String> = beside.map(|source| source.path.clone()).collect();
    none(&places, "A module with a folder stands in its `mod.rs`");
}

/// The noun determines the path: a file, or a folder with a file per verb.
#[test]
fn nouns_have_a_file_in_every_layer() {
    let mut missing = Vec::new();
    for noun in NOUNS {
        let layers = ["domain", "storage", "service", "http"]
            .into_iter()
            .filter(|layer| !SILENT.contains(&(noun, *layer)))
            .map(|layer| if layer == "http" && IN_AUTH.contains(&noun) { "auth" } else { layer });
        let mut files: Vec<String> =
            layers.map(|layer| format!("crates/{layer}/src/{noun}")).collect();
        // The file of a test suite has the name of the collection, like its URL.
        files.push(
            noun.strip_suffix('y')
                .filter(|stem| !stem.ends_with('e'))
                .map_or_else(|| format!("tests/it/{noun}s"), |stem| format!("tests/it/{stem}ies")),
        );
        missing.extend(files.into_iter().filter(|file| {
            !root().join(format!("{file}.rs")).exists()
                && !root().join(file).join("mod.rs").exists()
        }));
    }
    none(&missing, "A noun has a file in every layer");
    // The reverse: a noun that appears in the API must be in the list above.
    let routes = read("crates/http/src/routes.rs");
    let groups = routes.lines().filter_map(|line| line.trim().split_once(" at \""));
    // Offers are a part of books, whose handlers show a book. Links repeat the reads of nouns.
    // The administration shows users, mails and apps of the installation.
    let others = ["health", "book_transfer", "link", "administration"];
    let served: BTreeSet<&str> =
        groups.map(|(noun, _)| noun).filter(|noun| !others.contains(noun)).collect();
    assert_eq!(served, NOUNS.into_iter().collect(), "the nouns of the routes");
    let storage: Vec<Source> = sources(&["crates/storage/src"]);
    let mut kept = NOUNS.iter().filter(|noun| !SILENT.contains(&(noun, "storage")));
    assert!(kept.all(|noun| {
        storage
            .iter()
            .any(|source| source.stem() == *noun || source.path.contains(&format!("/{noun}/")))
    }));
}

/// The paths that git keeps.
fn tracked() -> Vec<String> {
    let run = Command::new("git")
        .args(["ls-files", "-z"])
        .current_dir(root())
        .output()
        .expect("git runs");
    assert!(run.status.success(), "git ls-files: {}", String::from_utf8_lossy(&run.stderr));
    let listed = String::from_utf8(run.stdout).expect("file names are UTF-8");
    listed.split('\0').filter(|path| !path.is_empty()).map(str::to_owned).collect()
}

#[test]
fn tree_stands_alone() {
    // Split, because this file is checked too.
    let outside = [concat!("../", "shared"), concat!("/", "work/")];
    let mut places = Vec::new();
    for path in tracked() {
        let Ok(bytes) = std::fs::read(root().join(&path)) else { continue };
        let text = String::from_utf8_lossy(&bytes);
        places.extend(
            outside
                .iter()
                .filter(|word| text.contains(**word))
                .map(|word| format!("{path}: {word}")),
        );
        let ends = [".key", ".db", ".db-wal", ".db-leases", ".log"];
        let produced = ends.iter().any(|end| path.ends_with(end)) || path == "log";
        places.extend(produced.then(|| format!("{path}: written by a running server")));
    }
    none(&places, "The tree holds all it needs and nothing it makes");
}
