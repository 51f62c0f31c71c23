//! Deleted books and the operator (6.22): `daybook book restore` and `list-deleted`, and deleted
//! books of deleted users (7.11).

use daybook_tests::{RawSql, Server, column, shows, unique};
use serde_json::{Value, json};

use crate::Case;
use crate::audit::audit;
use crate::deleted_books::{all_that_is_read, deleted, full, restore, rows, run};
use crate::file_sweep::eventually;

pub fn tests() -> Vec<Case> {
    crate::cases![
        rule_6_22_by_the_operator,
        rule_6_22_refused_restore_names_the_reason,
        rule_7_11_deleted_users_end_the_wait,
        rule_7_11_deleted_users_leave_deleted_books,
        rule_7_11_renaming_updates_deleted_books,
    ]
}

fn rule_6_22_by_the_operator(server: &Server) {
    let cast = full(server);
    let before = all_that_is_read(&cast);
    let name = cast.get("").ok()["name"].as_str().expect("a name").to_owned();
    cast.delete("").ok();
    let listed = &deleted(&cast.owner)[0];
    let user = cast.owner.get("/v5/user").ok();
    let username = user["username"].as_str().expect("a name");
    let words = [
        cast.book.as_str(),
        username,
        listed["deletedAt"].as_str().expect("a time"),
        listed["expiresAt"].as_str().expect("a time"),
        &name,
    ];
    let printed = run(server, &["book", "list-deleted"]).expect("a list");
    assert!(printed.lines().any(|line| line == words.join("\t")), "{words:?} in {printed}");
    let printed = run(server, &["book", "restore", &cast.book]).expect("it is done");
    assert_eq!(printed.trim_end(), [cast.book.as_str(), username, &name].join("\t"));
    assert_eq!(all_that_is_read(&cast), before);
    let event = cast.get("/events?limit=1").ok()["items"][0].clone();
    shows(&event, &json!({"type": "BOOK_UPDATED", "agent": {"id": "daybook"}}));
    assert_eq!(event["user"]["username"], username);
    assert!(!run(server, &["book", "list-deleted"]).expect("a list").contains(&cast.book));
}

fn rule_6_22_refused_restore_names_the_reason(server: &Server) {
    let cast = full(server);
    let missing: String = cast.book.chars().rev().collect();
    let refused = |book: &str, why: &str| {
        let output = run(server, &["book", "restore", book]).expect_err("refused");
        assert!(output.contains(why), "{why}: {output}");
    };
    refused(&missing, "book not found");
    refused(&cast.book, "is not deleted");
    cast.delete("").ok();
    let begun = format!("UPDATE books SET kept_until = NULL WHERE public_id = '{}'", cast.book);
    assert_eq!(RawSql::open(server).execute(&begun), 1);
    refused(&cast.book, &format!("the book {} is already being removed", cast.book));
    let printed = run(server, &["book", "list-deleted"]);
    // Unless the worker was faster.
    assert!(
        printed
            .is_ok_and(|list| { !list.contains(&cast.book) || list.contains("\tbeing removed\t") })
    );
    restore(&cast.owner, &cast.book).refused(404, "notFound");
    assert_eq!(deleted(&cast.owner), Vec::<Value>::new());
}

/// 7.11: a book without an owner cannot be restored.
fn rule_7_11_deleted_users_end_the_wait(server: &Server) {
    let cast = full(server);
    cast.delete("").ok();
    run(server, &["user", "delete", "--email", cast.owner.email()]).expect("it owns nothing");
    if rows(server, &cast.book) == 1 {
        let output = run(server, &["book", "restore", &cast.book]).expect_err("refused");
        assert!(output.contains("being removed") || output.contains("not found"), "{output}");
    }
    let _remover = server.beside(&[]);
    eventually("the book is removed", || rows(server, &cast.book) == 0);
}

/// 7.11: a deleted user also leaves deleted books, so a new user of the address does not get access
/// when they are restored.
fn rule_7_11_deleted_users_leave_deleted_books(server: &Server) {
    let cast = full(server);
    cast.delete("").ok();
    run(server, &["user", "delete", "--email", cast.viewer.email()]).expect("it is done");
    restore(&cast.owner, &cast.book).ok();
    let rows = cast.get("/collaborators").ok();
    assert!(!rows.to_string().contains(cast.viewer.email()), "{rows}");
    shows(&audit(&cast)["data"]["audit"], &json!({"chainIntact": true, "findingsCount": 0}));
    let kinds = column(&cast.get("/events?limit=4").ok(), "type");
    assert_eq!(kinds[1..], ["BOOK_UPDATED", "COLLABORATOR_REMOVED", "BOOK_DELETED"]);
}

/// 7.11: a new address also changes the collaborators of deleted books.
fn rule_7_11_renaming_updates_deleted_books(server: &Server) {
    let cast = full(server);
    let to = |kind: &str| format!("{}@example.org", unique(kind));
    let (owner, poster) = (to("owner"), to("poster"));
    cast.delete("").ok();
    for (from, to) in [(cast.owner.email(), &owner), (cast.poster.email(), &poster)] {
        run(server, &["user", "rename-email", "--email", from, "--to", to]).expect("it is done");
    }
    let accepted = ["user", "rename-email", "--email", &poster, "--to", cast.viewer.email()];
    run(server, &accepted).expect_err("the address of another user");
    let (owner, poster) = (server.client(&owner), server.client(&poster));
    assert_eq!(deleted(&owner).len(), 1);
    restore(&owner, &cast.book).ok();
    assert_eq!(poster.get(&cast.path("")).ok()["permission"], "POSTER");
    let rows = owner.get(&cast.path("/collaborators")).ok();
    assert!(!rows.to_string().contains(cast.poster.email()), "{rows}");
}
