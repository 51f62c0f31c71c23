//! The architecture, held by the machine: the invariants of ARCHITECTURE.md that no lint of the
//! compiler can see.
//!
//! Most cases read the sources only. They run once per engine like all others; that costs less than
//! a third kind of case.

mod schema;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;

use daybook_tests::{Engine, Server, setting};
use serde_json::Value;

const MAX_LINES: usize = 400;

/// The rooms from left to right, each with the rooms it may know. An arrow may skip rooms and never
/// points left.
const CORRIDOR: [(&str, &[&str]); 5] = [
    ("server", &["http", "service", "storage", "domain"]),
    ("http", &["service", "storage", "domain"]),
    ("service", &["storage", "domain"]),
    ("storage", &["domain"]),
    ("domain", &[]),
];

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
        names_tell_something,
        functions_are_kept_short_by_clippy,
        dependencies_follow_the_corridor,
        domain_stands_alone,
        domain_is_pure,
        only_the_outside_is_async,
        blocking_work_has_one_door,
        shapes_live_in_http,
        backends_are_named_in_few_files,
        one_clock,
        nouns_have_a_file_in_every_room,
        migrations_have_the_same_steps,
        schemas_are_equal,
        books_do_not_cross,
        tree_stands_alone,
        readme_example_is_the_one_that_runs,
    ]
}

fn root() -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the workspace");
    root.to_owned()
}

fn read(path: &str) -> String {
    std::fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// A source: where it is, seen from the root, and what it says.
struct Source {
    path: String,
    text: String,
}

impl Source {
    /// The lines that are no comment, numbered from 1.
    fn code(&self) -> impl Iterator<Item = (usize, &str)> {
        let numbered = self.text.lines().enumerate().map(|(index, line)| (index + 1, line));
        numbered.filter(|(_, line)| !line.trim_start().starts_with("//"))
    }

    fn stem(&self) -> &str {
        let name = self.path.rsplit('/').next().unwrap_or(&self.path);
        name.trim_end_matches(".rs")
    }
}

/// Every Rust file under these folders.
fn sources(folders: &[&str]) -> Vec<Source> {
    let mut open: Vec<PathBuf> = folders.iter().map(|folder| root().join(folder)).collect();
    let mut found = Vec::new();
    while let Some(folder) = open.pop() {
        for entry in std::fs::read_dir(&folder)
            .unwrap_or_else(|error| panic!("{}: {error}", folder.display()))
        {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                open.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                let text = std::fs::read_to_string(&path).expect("sources are UTF-8");
                let path = path.strip_prefix(root()).expect("below the root").display().to_string();
                found.push(Source { path, text });
            }
        }
    }
    assert!(!found.is_empty(), "no sources under {folders:?}");
    found
}

/// Where any of these words stands in the code of these folders, apart from the files that may say
/// them.
fn said(folders: &[&str], words: &[&str], except: &[&str]) -> Vec<String> {
    let mut places = Vec::new();
    for source in sources(folders).iter().filter(|source| !except.contains(&source.path.as_str())) {
        for (number, line) in source.code() {
            let words = words.iter().filter(|word| line.contains(**word));
            places.extend(words.map(|word| format!("{}:{number}: {word}", source.path)));
        }
    }
    places
}

#[track_caller]
fn none(places: &[String], rule: &str) {
    assert!(places.is_empty(), "{rule}:\n{}", places.join("\n"));
}

fn cargo(arguments: &[&str]) -> String {
    let cargo = setting("CARGO").unwrap_or_else(|| "cargo".to_owned());
    // Locked and offline: what was just built is what is looked at.
    let run = Command::new(cargo)
        .args(arguments)
        .args(["--locked", "--offline"])
        .current_dir(root())
        .output()
        .expect("cargo runs");
    assert!(run.status.success(), "cargo {arguments:?}: {}", String::from_utf8_lossy(&run.stderr));
    String::from_utf8(run.stdout).expect("cargo writes UTF-8")
}

/// The names each room depends on for what it ships; dependencies of its own tests are free.
fn dependencies() -> BTreeMap<String, BTreeSet<String>> {
    let metadata: Value =
        serde_json::from_str(&cargo(&["metadata", "--format-version", "1", "--no-deps"]))
            .expect("JSON");
    let mut rooms = BTreeMap::new();
    for package in metadata["packages"].as_array().expect("packages") {
        let needed = package["dependencies"].as_array().expect("dependencies").iter();
        let shipped = needed.filter(|dependency| dependency["kind"] != "dev");
        let names = shipped
            .filter_map(|dependency| dependency["name"].as_str())
            .map(str::to_owned)
            .collect();
        let name = package["name"].as_str().expect("a name").trim_start_matches("daybook-");
        rooms.insert(name.to_owned(), names);
    }
    rooms
}

fn files_are_short_and_say_what_they_are(_: &Server) {
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
    none(&places, "A file fits a head and says what it is for");
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

fn functions_are_kept_short_by_clippy(_: &Server) {
    assert!(read("clippy.toml").contains("too-many-lines-threshold = 70\n"));
    assert!(read("Cargo.toml").contains("too_many_lines = \"deny\"\n"));
    for (room, _) in CORRIDOR {
        assert!(
            read(&format!("crates/{room}/Cargo.toml")).contains("[lints]\nworkspace = true\n"),
            "{room} takes the workspace's \
            lints"
        );
    }
}

fn dependencies_follow_the_corridor(_: &Server) {
    let mut rooms = dependencies();
    rooms.remove("tests");
    let names: BTreeSet<&str> = rooms.keys().map(String::as_str).collect();
    assert_eq!(
        names,
        CORRIDOR.iter().map(|(room, _)| *room).collect(),
        "a sixth crate needs an \
        argument"
    );
    for (room, allowed) in CORRIDOR {
        let inside: BTreeSet<&str> =
            rooms[room].iter().filter_map(|name| name.strip_prefix("daybook-")).collect();
        assert_eq!(
            inside,
            allowed.iter().copied().collect(),
            "what {room} knows of the other \
            rooms"
        );
    }
}

fn domain_stands_alone(_: &Server) {
    const FOREIGN: [&str; 10] = [
        "serde",
        "diesel",
        "actix",
        "tokio",
        "futures",
        "async",
        "postgres",
        "pq-sys",
        "libsqlite3",
        "hyper",
    ];
    let tree = cargo(&["tree", "-p", "daybook-domain", "-e", "normal", "--prefix", "none"]);
    let names: BTreeSet<&str> =
        tree.lines().filter_map(|line| line.split_whitespace().next()).collect();
    assert!(names.contains("daybook-domain"), "{tree}");
    let foreign: Vec<&&str> =
        names.iter().filter(|name| FOREIGN.iter().any(|start| name.starts_with(start))).collect();
    assert!(
        foreign.is_empty(),
        "the domain is embedded by programs that want none of \
        {foreign:?}:\n{tree}"
    );
}

/// Invariant 1: everything arrives as an argument.
fn domain_is_pure(_: &Server) {
    const WORLD: [&str; 10] = [
        "std::env",
        "std::fs",
        "std::net",
        "std::io",
        "std::process",
        "std::thread",
        "SystemTime",
        "Instant::now",
        "now_utc",
        "getrandom",
    ];
    none(&said(&["crates/domain/src"], &WORLD, &[]), "The domain reads nothing of the world");
}

/// Invariant 2.
fn only_the_outside_is_async(_: &Server) {
    let inside = ["crates/domain", "crates/storage", "crates/service"];
    none(
        &said(&inside, &["async fn", "async move", "async {", "async |", ".await"], &[]),
        "Only http and server are async",
    );
}

/// One way leads from async handlers into blocking work.
fn blocking_work_has_one_door(_: &Server) {
    none(
        &said(&["crates"], &["web::block", "spawn_blocking"], &["crates/http/src/blocking.rs"]),
        "Only http/blocking.rs leaves the workers",
    );
}

/// Invariant 3: a domain type is neither the wire type nor the row.
fn shapes_live_in_http(_: &Server) {
    let inside = ["crates/domain", "crates/storage", "crates/service", "crates/server"];
    none(
        &said(&inside, &["Serialize", "Deserialize", "serde::"], &[]),
        "serde's shapes live in \
        http",
    );
    // Columns that hold JSON text are written and read in one file.
    none(
        &said(&inside, &["serde_json"], &["crates/storage/src/column.rs"]),
        "JSON is the business \
        of http",
    );
    let rooms = dependencies();
    let users = |name: &str| -> Vec<&str> {
        rooms
            .iter()
            .filter(|(_, needed)| needed.contains(name))
            .map(|(room, _)| room.as_str())
            .collect()
    };
    assert_eq!(users("serde"), ["http"]);
    assert_eq!(users("actix-web"), ["http", "server"]);
    assert_eq!(users("diesel"), ["storage"]);
    none(
        &said(&["crates/http", "crates/service", "crates/server"], &["diesel::"], &[]),
        "Rows are private to storage",
    );
}

/// Invariant 4.
fn backends_are_named_in_few_files(_: &Server) {
    let names = [
        "Conn::Sqlite",
        "Conn::Postgres",
        "SqliteConnection",
        "PgConnection",
        "diesel::sqlite",
        "diesel::pg",
    ];
    let backends = [
        "crates/storage/src/conn.rs",
        "crates/storage/src/pool.rs",
        "crates/storage/src/dialect.rs",
        "crates/storage/src/bulk.rs",
    ];
    none(&said(&["crates"], &names, &backends), "Only the backend files name a backend");
}

fn one_clock(_: &Server) {
    let clocks = ["SystemTime::now", "OffsetDateTime::now", "Timestamp::now", "Zoned::now"];
    none(
        &said(&["crates"], &clocks, &["crates/server/src/clock.rs"]),
        "The clock is read in one \
        place",
    );
    let banned = read("clippy.toml");
    for path in [
        "std::time::SystemTime::now",
        "time::OffsetDateTime::now_utc",
        "jiff::Timestamp::now",
        "jiff::Zoned::now",
        "std::env::var",
    ] {
        assert!(banned.contains(&format!("path = \"{path}\"")), "clippy.toml bans {path}");
    }
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
    let handlers = routes.lines().filter_map(|line| line.split_once("\" => ")?.1.split_once("::"));
    let served: BTreeSet<&str> =
        handlers.map(|(noun, _)| noun).filter(|noun| *noun != "health").collect();
    assert_eq!(served, NOUNS.into_iter().collect(), "the nouns of the routes");
    let storage: Vec<Source> = sources(&["crates/storage/src"]);
    let mut kept = NOUNS.iter().filter(|noun| !SILENT.contains(&(noun, "storage")));
    assert!(kept.all(|noun| {
        storage
            .iter()
            .any(|source| source.stem() == *noun || source.path.contains(&format!("/{noun}/")))
    }));
}

fn migrations_have_the_same_steps(_: &Server) {
    let steps = |engine: &str| -> BTreeSet<String> {
        let folder = root().join("migrations").join(engine);
        let entries = std::fs::read_dir(folder).expect("a folder of migrations");
        entries
            .map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned())
            .collect()
    };
    let sqlite = steps("sqlite");
    assert_eq!(sqlite, steps("postgresql"));
    for (number, step) in sqlite.iter().enumerate() {
        assert!(
            step.starts_with(&format!("{:04}_", number + 1)),
            "steps are numbered without \
            gaps: {step}"
        );
        for engine in ["sqlite", "postgresql"] {
            assert!(
                root().join("migrations").join(engine).join(step).join("up.sql").exists(),
                "{engine}/{step}/up.sql"
            );
        }
    }
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

/// The example of the README is the domain's own, which `cargo test` compiles and runs.
fn readme_example_is_the_one_that_runs(_: &Server) {
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

fn schemas_are_equal(server: &Server) {
    // Each engine's case compares its server with a SQLite one, so a run on SQLite alone works
    // without PostgreSQL.
    let embedded = Server::start(Engine::Sqlite);
    let (here, there) = (schema::read(server), schema::read(&embedded));
    let names = |schema: &schema::Schema| -> Vec<String> { schema.keys().cloned().collect() };
    assert_eq!(names(&here), names(&there), "tables");
    for (name, table) in &here {
        assert_eq!(table, &there[name], "{name} on {} and on SQLite", server.engine());
    }
}

/// What a user keeps across books: found by the user's id alone.
const OF_USERS: [&str; 2] = ["collection_books", "collections"];

/// A book is the unit of locking, ordering and placement: its rows are found, and could be placed,
/// by its id alone.
fn books_do_not_cross(server: &Server) {
    let mut schema = schema::read(server);
    for name in OF_USERS {
        let table = schema.remove(name).expect("a table of users");
        assert_eq!(
            table.key.first().map(String::as_str),
            Some("user_id"),
            "the primary key of \
            {name}"
        );
        // Deleting a book asks by book who has it in a collection.
        let strays = table.indexes.iter().filter(|index| index.name != "collection_books_book");
        assert_eq!(
            strays
                .filter(|index| index.columns.first().map(String::as_str) != Some("user_id"))
                .count(),
            0,
            "{name}"
        );
    }
    let without: Vec<&str> = schema
        .iter()
        .filter(|(_, table)| !table.has("book_id"))
        .map(|(name, _)| name.as_str())
        .collect();
    // Idempotency keys belong to users and outlive books (behaviour 0.16); starts belong to
    // processes.
    assert_eq!(
        without,
        ["books", "idempotency_keys", "starts", "users"],
        "every other table \
        belongs to a book"
    );
    for (name, table) in schema.iter().filter(|(_, table)| table.has("book_id")) {
        assert_eq!(
            table.key.first().map(String::as_str),
            Some("book_id"),
            "the primary key of \
            {name}"
        );
        for index in table.indexes.iter().filter(|index| index.name != "collaborators_email") {
            assert_eq!(
                index.columns.first().map(String::as_str),
                Some("book_id"),
                "{} on {name}",
                index.name
            );
        }
    }
}
