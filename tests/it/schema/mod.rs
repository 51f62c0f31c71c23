//! The schemas of the two engines: equal, and divided by books.

mod catalogue;

use std::collections::BTreeSet;

use daybook_storage::distribution::{PLACEMENTS, Placement};
use daybook_tests::{Engine, Server};

use catalogue::{Schema, with_unique_columns};

pub use catalogue::tables;

/// What a user keeps across books: found by the user's id alone.
const OF_USERS: [&str; 2] = ["collection_books", "collections"];

/// By these the books of a user are found and the deleted ones, who has a book in a collection, the
/// apps whose events are due, and what is removed by its age.
const ACROSS: [&str; 12] = [
    "books_deleted",
    "books_of_owner",
    "collaborators_email",
    "collection_books_book",
    "delivery_attempts_at",
    "delivery_queues_due",
    "delivery_queues_leased",
    "delivery_queues_overdue",
    "delivery_queues_paused",
    "idempotency_keys_age",
    "integrations_of_connection",
    "transfer_offers_email",
];

pub fn tests() -> Vec<crate::Case> {
    crate::cases![schemas_are_equal, books_do_not_cross, what_belongs_to_a_user_goes_with_them,]
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
    let source = include_str!("../../../crates/storage/src/user.rs");
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
    // SQLite is not distributed.
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
