//! The schemas of the two engines are equal and partitioned by book.

mod catalogue;

use std::collections::BTreeSet;

use daybook_storage::distribution::{PLACEMENTS, Placement};
use daybook_tests::{Engine, Server};

use catalogue::{Schema, with_unique_columns};

pub use catalogue::tables;

/// Data of a user across books, found by the user's id alone.
const OF_USERS: [&str; 2] = ["collection_books", "collections"];

/// Indexes across books: the books of a user, deleted books, collections of a book, due deliveries,
/// and rows removed by age.
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
    crate::cases![schemas_are_equal, books_do_not_cross, deleting_a_user_covers_all_user_tables,]
}

fn schemas_are_equal(server: &Server) {
    // Each engine is compared with SQLite, so a run on SQLite alone works without PostgreSQL.
    let embedded = Server::start(Engine::Sqlite);
    let (here, there) = (tables(server), tables(&embedded));
    let names = |schema: &Schema| -> Vec<String> { schema.keys().cloned().collect() };
    assert_eq!(names(&here), names(&there), "tables");
    for (name, table) in &here {
        assert_eq!(table, &there[name], "{name} on {} and on SQLite", server.engine());
    }
}

/// 7.11: deleting a user removes the rows of that user. Other references belong to books: the log
/// has actors, an audit its requester, and an unfinished copy is a book.
fn deleting_a_user_covers_all_user_tables(server: &Server) {
    let source = include_str!("../../../crates/storage/src/user.rs");
    let (_, list) = source.split_once("const USER_TABLES").expect("the list");
    let (list, _) = list.split_once("];").expect("its end");
    let schema = tables(server);
    let of_users = schema.iter().filter(|(_, table)| table.has("user_id"));
    let left: Vec<&str> = of_users
        .map(|(name, _)| name.as_str())
        .filter(|name| !list.contains(&format!("\"{name}\"")))
        .collect();
    assert_eq!(left, ["audit_requests", "events", "unfinished_copies"]);
}

/// A book is the unit of locking, ordering and placement: its rows are found and placed by its
/// number alone. Data of a user across books is found by the user's.
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
