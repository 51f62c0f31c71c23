//! The files: their names, their sizes, and what each opens with.

use std::collections::BTreeSet;
use std::process::Command;

use daybook_tests::Server;

use super::tree::{Source, none, read, root, sources};

/// How many lines a file may have, by folder: what a reader keeps in mind at once, at 100 columns. A
/// test reads from top to bottom and may be longer.
const MAX_LINES: [(&str, usize); 2] = [("crates", 400), ("tests", 500)];

/// Names that tell nothing.
const VAGUE: [&str; 10] =
    ["util", "utils", "helper", "helpers", "common", "misc", "dto", "dtos", "manager", "managers"];

/// The nouns of the API as it stands.
const NOUNS: [&str; 12] = [
    "account",
    "balance",
    "book",
    "collaborator",
    "collection",
    "event",
    "file",
    "group",
    "saved_query",
    "template",
    "transaction",
    "user",
];

/// The rooms that have nothing to say about a noun: no rule is about users, and templates are
/// configuration of http alone.
const SILENT: [(&str, &str); 4] =
    [("user", "domain"), ("template", "domain"), ("template", "storage"), ("template", "service")];

pub fn tests() -> Vec<crate::Case> {
    crate::cases![
        files_are_short_and_say_what_they_are,
        folders_hold_their_own_file,
        names_tell_something,
        nouns_have_a_file_in_every_room,
        tree_stands_alone,
    ]
}

fn files_are_short_and_say_what_they_are(_: &Server) {
    let mut places = Vec::new();
    for (folder, max_lines) in MAX_LINES {
        for source in sources(&[folder]) {
            let lines = source.text.lines().count();
            if lines > max_lines {
                places.push(format!("{} has {lines} lines, at most {max_lines}", source.path));
            }
            if !source.text.starts_with("//! ") {
                places.push(format!("{} does not open with `//!`", source.path));
            }
        }
    }
    none(&places, "A file is short and says what it is for");
}

/// Folders whose file still stands beside them.
const BESIDE: [&str; 4] = [
    "crates/domain/src/book.rs",
    "crates/domain/src/collaborator.rs",
    "crates/domain/src/query/tests.rs",
    "crates/service/src/book.rs",
];

/// One rule for folders: `x/mod.rs`, not `x.rs` beside `x/`.
fn folders_hold_their_own_file(_: &Server) {
    let all = sources(&["crates", "tests"]);
    let beside = all.iter().filter(|source| {
        !BESIDE.contains(&source.path.as_str())
            && root().join(source.path.trim_end_matches(".rs")).is_dir()
    });
    let places: Vec<String> = beside.map(|source| source.path.clone()).collect();
    none(&places, "A module with a folder stands in its `mod.rs`");
}

fn names_tell_something(_: &Server) {
    let mut places = Vec::new();
    for source in sources(&["crates", "tests"]) {
        let path = source.path.trim_end_matches(".rs");
        let words = path.split(['/', '_']).filter(|word| VAGUE.contains(word));
        places.extend(words.map(|word| format!("{}: {word}", source.path)));
        for (number, line) in source.code() {
            let declared = line
                .trim()
                .trim_start_matches("pub(crate) ")
                .trim_start_matches("pub ")
                .strip_prefix("mod ");
            let name = declared.map(|rest| rest.trim_end_matches([' ', '{', ';']));
            if name.is_some_and(|name| name.split('_').any(|word| VAGUE.contains(&word))) {
                places.push(format!("{}:{number}: {line}", source.path));
            }
        }
    }
    none(&places, "A name says what is inside");
}

/// Whoever knows the noun knows the path: a file, or a folder with a file per verb.
fn nouns_have_a_file_in_every_room(_: &Server) {
    let mut missing = Vec::new();
    for noun in NOUNS {
        let rooms = ["domain", "storage", "service", "http"]
            .into_iter()
            .filter(|room| !SILENT.contains(&(noun, *room)));
        let mut files: Vec<String> =
            rooms.map(|room| format!("crates/{room}/src/{noun}")).collect();
        // A file of the suite is named by the collection, as its URL is.
        files.push(
            noun.strip_suffix('y')
                .map_or_else(|| format!("tests/it/{noun}s"), |stem| format!("tests/it/{stem}ies")),
        );
        missing.extend(files.into_iter().filter(|file| {
            !root().join(format!("{file}.rs")).exists()
                && !root().join(file).join("mod.rs").exists()
        }));
    }
    none(&missing, "A noun has a file in every room");
    // The other way round: a noun that appears in the API joins the list above.
    let routes = read("crates/http/src/routes.rs");
    let groups = routes.lines().filter_map(|line| line.trim().split_once(" at \""));
    let served: BTreeSet<&str> =
        groups.map(|(noun, _)| noun).filter(|noun| *noun != "health").collect();
    assert_eq!(served, NOUNS.into_iter().collect(), "the nouns of the routes");
    let storage: Vec<Source> = sources(&["crates/storage/src"]);
    let mut kept = NOUNS.iter().filter(|noun| !SILENT.contains(&(noun, "storage")));
    assert!(kept.all(|noun| {
        storage
            .iter()
            .any(|source| source.stem() == *noun || source.path.contains(&format!("/{noun}/")))
    }));
}

fn tree_stands_alone(_: &Server) {
    let run = Command::new("git")
        .args(["ls-files", "-z"])
        .current_dir(root())
        .output()
        .expect("git runs");
    assert!(run.status.success(), "git ls-files: {}", String::from_utf8_lossy(&run.stderr));
    let listed = String::from_utf8(run.stdout).expect("file names are UTF-8");
    // In two halves, as this file is tracked too.
    let outside = [concat!("../", "shared"), concat!("/", "work/")];
    let mut places = Vec::new();
    for path in listed.split('\0').filter(|path| !path.is_empty()) {
        // What is deleted and not yet committed as such is gone.
        let Ok(bytes) = std::fs::read(root().join(path)) else { continue };
        let text = String::from_utf8_lossy(&bytes);
        places.extend(
            outside
                .iter()
                .filter(|word| text.contains(**word))
                .map(|word| format!("{path}: {word}")),
        );
        let produced = [".key", ".db", ".db-wal", ".log"].iter().any(|end| path.ends_with(end))
            || path == "log";
        places.extend(produced.then(|| format!("{path}: written by a running server")));
    }
    none(&places, "The tree holds all it needs and nothing it makes");
}
