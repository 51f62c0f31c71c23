//! The schemas of the two engines: equal, and divided by books.

use std::collections::BTreeSet;

use daybook_tests::{Engine, Server};

use super::catalogue::{Schema, tables};
use super::tree::{read, root};

/// What a user keeps across books: found by the user's id alone.
const OF_USERS: [&str; 2] = ["collection_books", "collections"];

pub fn tests() -> Vec<crate::Case> {
    crate::cases![
        migrations_have_the_same_steps,
        schemas_are_equal,
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

/// A book is the unit of locking, ordering and placement: its rows are found, and could be placed,
/// by its id alone.
fn books_do_not_cross(server: &Server) {
    let mut schema = tables(server);
    for name in OF_USERS {
        let table = schema.remove(name).expect("a table of users");
        assert_eq!(
            table.key.first().map(String::as_str),
            Some("user_id"),
            "the primary key of {name}"
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
    // Idempotency keys belong to users and outlive books (behaviour 0.16), API keys, connections,
    // tokens, sessions, links and grants belong to users, devices to nobody yet, mails and what
    // outlives its book are found by when they are due, apps and signing keys belong to the
    // installation, and starts to processes.
    assert_eq!(
        without,
        [
            "api_key_days",
            "api_keys",
            "app_people",
            "apps",
            "books",
            "connections",
            "consents",
            "detached_deliveries",
            "device_authorizations",
            "grants",
            "idempotency_keys",
            "identity_changes",
            "login_links",
            "mails",
            "process_starts",
            "sessions",
            "signing_keys",
            "tokens",
            "users",
        ],
        "every other table belongs to a book"
    );
    for (name, table) in schema.iter().filter(|(_, table)| table.has("book_id")) {
        assert_eq!(
            table.key.first().map(String::as_str),
            Some("book_id"),
            "the primary key of {name}"
        );
        // By these the books of a user are found, the apps whose events are due, and what is
        // removed by its age.
        let across = [
            "collaborators_email",
            "delivery_attempts_at",
            "delivery_queues_due",
            "delivery_queues_overdue",
            "delivery_queues_paused",
            "integrations_of_connection",
        ];
        for index in table.indexes.iter().filter(|index| !across.contains(&index.name.as_str())) {
            assert_eq!(
                index.columns.first().map(String::as_str),
                Some("book_id"),
                "{} on {name}",
                index.name
            );
        }
    }
}
