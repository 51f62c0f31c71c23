//! The crates: what each may depend on and what each may say.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::tree::{cargo, none, read, said};

/// The layers from left to right, each with the layers it may know. An arrow may skip layers and
/// never points left.
const CORRIDOR: [(&str, &[&str]); 13] = [
    ("server", &["http", "webhooks", "auth", "blobs", "edge", "service", "storage", "domain"]),
    (
        "http",
        &[
            "webhooks",
            "auth",
            "blobs",
            "console",
            "edge",
            "service",
            "storage",
            "interchange",
            "domain",
        ],
    ),
    ("webhooks", &["auth", "edge", "service", "storage", "domain"]),
    ("auth", &["edge", "service", "storage", "domain"]),
    ("blobs", &["edge", "service", "storage", "domain"]),
    ("edge", &["service", "storage", "domain"]),
    ("service", &["storage", "domain"]),
    ("storage", &["domain"]),
    ("interchange", &["domain"]),
    // Published: programs of others use it, and no server.
    ("client", &[]),
    ("cli", &["client"]),
    ("console", &[]),
    ("domain", &[]),
];

/// The names each layer depends on for what it ships; dependencies of its own tests are free.
fn dependencies() -> BTreeMap<String, BTreeSet<String>> {
    let metadata: Value =
        serde_json::from_str(&cargo(&["metadata", "--format-version", "1", "--no-deps"]))
            .expect("JSON");
    let mut layers = BTreeMap::new();
    for package in metadata["packages"].as_array().expect("packages") {
        let needed = package["dependencies"].as_array().expect("dependencies").iter();
        let shipped = needed.filter(|dependency| dependency["kind"] != "dev");
        let names = shipped
            .filter_map(|dependency| dependency["name"].as_str())
            .map(str::to_owned)
            .collect();
        let name = package["name"].as_str().expect("a name").trim_start_matches("daybook-");
        layers.insert(name.to_owned(), names);
    }
    layers
}

#[test]
fn dependencies_follow_the_corridor() {
    let mut layers = dependencies();
    for suite in ["tests", "it", "arch", "openapi"] {
        layers.remove(suite);
    }
    let names: BTreeSet<&str> = layers.keys().map(String::as_str).collect();
    assert_eq!(
        names,
        CORRIDOR.iter().map(|(layer, _)| *layer).collect(),
        "another crate needs an argument"
    );
    for (layer, allowed) in CORRIDOR {
        let inside: BTreeSet<&str> =
            layers[layer].iter().filter_map(|name| name.strip_prefix("daybook-")).collect();
        assert_eq!(
            inside,
            allowed.iter().copied().collect(),
            "what {layer} knows of the other layers"
        );
    }
}

#[test]
fn lints_hold_in_every_layer() {
    assert!(read("clippy.toml").contains("too-many-lines-threshold = 100\n"));
    assert!(read("Cargo.toml").contains("too_many_lines = \"deny\"\n"));
    for (layer, _) in CORRIDOR {
        assert!(
            read(&format!("crates/{layer}/Cargo.toml")).contains("[lints]\nworkspace = true\n"),
            "{layer} takes the workspace's lints"
        );
    }
}

#[test]
fn domain_stands_alone() {
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
        "the domain is embedded by programs that want none of {foreign:?}:\n{tree}"
    );
}

/// Invariant 1: everything arrives as an argument.
#[test]
fn domain_is_pure() {
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
#[test]
fn only_the_outside_is_async() {
    let inside = ["crates/domain", "crates/storage", "crates/service"];
    none(
        &said(&inside, &["async fn", "async move", "async {", "async |", ".await"], &[]),
        "Only what is outside of the use cases is async",
    );
}

/// One way leads from async handlers into blocking work.
#[test]
fn blocking_work_has_one_entry() {
    none(
        &said(&["crates"], &["web::block", "spawn_blocking"], &["crates/edge/src/blocking.rs"]),
        "Only edge/blocking.rs leaves the workers",
    );
}

/// A use case states beside itself which shard its write belongs to.
#[test]
fn use_cases_choose_their_shards() {
    let callers = ["edge", "auth", "blobs", "webhooks", "http", "server"]
        .map(|layer| format!("crates/{layer}/src"));
    let choices = ["ShardKey::", "Target::NewBook", "Target::Caller", "Target::Connections"];
    none(
        &said(&callers.each_ref().map(String::as_str), &choices, &[]),
        "Only service chooses the shard of a write",
    );
}

/// The columns that hold JSON text, and tests.
const OWN_JSON: [&str; 4] = [
    "crates/storage/src/rows/column.rs",
    "crates/domain/src/fixture.rs",
    "crates/domain/src/json.rs",
    "crates/domain/src/transaction/quick_entry/tests.rs",
];

/// Invariant 3: a domain type is neither the wire type nor the row.
#[test]
fn shapes_live_in_http() {
    // Beside http, the server has the shapes of manifests and of what commands print.
    let inside = ["crates/domain", "crates/storage", "crates/service"];
    none(
        &said(&inside, &["Serialize", "Deserialize", "serde::"], &[]),
        "serde's shapes live in http",
    );
    // Columns that hold JSON text are written and read in one file.
    none(&said(&inside, &["serde_json"], &OWN_JSON), "JSON is the business of http");
    let mut layers = dependencies();
    // The suites read JSON as programs do.
    layers.retain(|layer, _| CORRIDOR.iter().any(|(name, _)| name == layer));
    let users = |name: &str| -> Vec<&str> {
        layers
            .iter()
            .filter(|(_, needed)| needed.contains(name))
            .map(|(layer, _)| layer.as_str())
            .collect()
    };
    let shaped = ["auth", "cli", "client", "edge", "http", "interchange", "server", "webhooks"];
    assert_eq!(users("serde"), shaped);
    assert_eq!(users("actix-web"), ["auth", "blobs", "edge", "http", "server", "webhooks"]);
    assert_eq!(users("diesel"), ["storage"]);
    let others = CORRIDOR.iter().filter(|(layer, _)| *layer != "storage");
    let others: Vec<String> = others.map(|(layer, _)| format!("crates/{layer}")).collect();
    let others: Vec<&str> = others.iter().map(String::as_str).collect();
    none(&said(&others, &["diesel::"], &[]), "Rows are private to storage");
}

/// Invariant 4.
#[test]
fn backends_are_named_in_few_files() {
    let names = [
        "Conn::Sqlite",
        "Conn::Postgres",
        "SqliteConnection",
        "PgConnection",
        "diesel::sqlite",
        "diesel::pg",
    ];
    let backends = [
        "crates/storage/src/conn/mod.rs",
        "crates/storage/src/conn/address.rs",
        "crates/storage/src/conn/bulk.rs",
        "crates/storage/src/conn/bulk_column.rs",
        "crates/storage/src/conn/bulk_lookup.rs",
        "crates/storage/src/conn/citus.rs",
        "crates/storage/src/conn/dialect.rs",
        "crates/storage/src/conn/distribution.rs",
        "crates/storage/src/conn/migrations.rs",
        "crates/storage/src/conn/stop_check.rs",
    ];
    none(&said(&["crates"], &names, &backends), "Only the backend files name a backend");
}

#[test]
fn one_clock() {
    let clocks = ["SystemTime::now", "OffsetDateTime::now", "Timestamp::now", "Zoned::now"];
    none(
        &said(&["crates"], &clocks, &["crates/cli/src/clock.rs", "crates/server/src/clock.rs"]),
        "The clock is read in one place",
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
