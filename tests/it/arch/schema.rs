//! The schemas of the two engines: equal, and divided by books.

use std::collections::BTreeSet;

use daybook_storage::distribution::{PLACEMENTS, Placement};
use daybook_tests::{Engine, Server};

use super::catalogue::{Schema, tables, with_unique_columns};
use super::tree::{read, root};

/// What a user keeps across books: found by the user's id alone.
const OF_USERS: [&str; 2] = ["collection_books", "collections"];

/// By these the books of a user are found and the deleted ones, who has a book in a collection, the
/// apps whose events are due, and what is removed by its age.
const ACROSS: [&str; 10] = [
    "books_deleted",
    "books_of_owner",
    "collaborators_email",
    "collection_books_book",
    "delivery_attempts_at",
    "delivery_queues_due",
    "delivery_queues_overdue",
    "delivery_queues_paused",
    "idempotency_keys_age",
    "integrations_of_connection",
];

pub fn tests() -> Vec<crate::Case> {
    crate::cases![
        migrations_have_the_same_steps,
        schemas_are_equal,
        later_steps_pass_a_distributed_engine,
        books_do_not_cross,
        what_belongs_to_a_user_goes_with_them,
    ]
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
    for step in &sqlite {
        // As `diesel migration generate` names them: their order is that of their dates.
        let (date, name) = step.split_once('_').expect("a date and a name");
        let shape: String = date.replace(|c: char| c.is_ascii_digit(), "0");
        assert!(shape == "0000-00-00-000000" && !name.is_empty(), "{step}: DATE-TIME_name");
        for engine in ["sqlite", "postgresql"] {
            assert!(
                root().join("migrations").join(engine).join(step).join("up.sql").exists(),
                "{engine}/{step}/up.sql"
            );
        }
    }
}

/// From the first step on that a distributed database may meet, none has what Citus refuses there.
/// New tables have a place in `PLACEMENTS`, and unique indexes lead with it.
fn later_steps_pass_a_distributed_engine(_: &Server) {
    let refused =
        ["STATISTICS", "N_DISTINCT", "TRIGGER", "SERIAL", "BIGSERIAL", "IDENTITY", "REFERENCES"];
    let folder = root().join("migrations/postgresql");
    let mut read_steps = 0;
    for entry in std::fs::read_dir(folder).expect("a folder of migrations") {
        let step = entry.expect("an entry").path();
        if step.file_name().is_some_and(|name| name.to_string_lossy().as_ref() < "2026-12-03") {
            continue;
        }
        read_steps += 1;
        let text = std::fs::read_to_string(step.join("up.sql")).expect("a step");
        let statements = text.lines().filter(|line| !line.starts_with("--"));
        let text = statements.collect::<Vec<_>>().join(" ").to_ascii_uppercase();
        let words: BTreeSet<&str> =
            text.split(|c: char| !c.is_alphanumeric() && c != '_').collect();
        let found: Vec<_> = refused.iter().filter(|word| words.contains(**word)).collect();
        assert!(found.is_empty(), "{}: {found:?}", step.display());
    }
    assert!(read_steps > 0, "the step that made books distributable is one of them");
}

fn schemas_are_equal(server: &Server) {
    // Each engine's case compares its server with a SQLite one, so a run on SQLite alone works
    // without PostgreSQL.
    let embedded = Server::start(Engine::Sqlite);
    let (here, there) = (tables(server), tables(&embedded));
    let names = |schema: &Schema| -> Vec<String> { schema.keys().cloned().collect() };
    assert_eq!(names(&here), names(&there), "tables");
    for (name, table) in &here {
        assert_eq!(table, &there[name], "{name} on {} and on SQLite", server.engine());
    }
}

/// 7.11: who deletes a user removes what is kept for them alone. The rest belongs
/// to books: the log says who acted, an audit is asked for, and an unfinished copy is a book.
fn what_belongs_to_a_user_goes_with_them(server: &Server) {
    let source = read("crates/storage/src/user.rs");
    let (_, list) = source.split_once("const OF_A_USER").expect("the list");
    let (list, _) = list.split_once("];").expect("its end");
    let schema = tables(server);
    let of_users = schema.iter().filter(|(_, table)| table.has("user_id"));
    let left: Vec<&str> = of_users
        .map(|(name, _)| name.as_str())
        .filter(|name| !list.contains(&format!("\"{name}\"")))
        .collect();
    assert_eq!(left, ["audit_requests", "events", "unfinished_copies"]);
}

/// A book is the unit of locking, ordering and placement: its rows are found, and placed, by its
/// number alone. What a user keeps across books is found by the user's.
fn books_do_not_cross(server: &Server) {
    let schema = tables(server);
    let placed: BTreeSet<&str> = PLACEMENTS.iter().map(|(table, _)| *table).collect();
    let known = schema.keys().map(String::as_str).chain(["__diesel_schema_migrations"]);
    assert_eq!(placed, known.collect(), "each table has a place");
    // SQLite cannot drop the one that `books` had, and is not distributed.
    if server.engine() == Engine::Postgres {
        let unique = with_unique_columns(server.database_url());
        assert_eq!(unique, ["users".to_owned()].into(), "they are unique over all machines");
    }
    for (name, table) in &schema {
        let (_, placement) = PLACEMENTS.iter().find(|(placed, _)| placed == name).expect("a place");
        let leading = match placement {
            Placement::Book(column) => column,
            Placement::User => "user_id",
            Placement::Everywhere if OF_USERS.contains(&name.as_str()) => "user_id",
            Placement::Everywhere => continue,
        };
        assert_eq!(table.key.first().map(String::as_str), Some(leading), "the key of {name}");
        for index in &table.indexes {
            let leads = index.columns.first().map(String::as_str) == Some(leading);
            let across = !index.unique && ACROSS.contains(&index.name.as_str());
            assert!(leads || across, "{} on {name}", index.name);
        }
    }
}
