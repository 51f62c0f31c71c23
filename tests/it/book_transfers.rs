//! Transfer of ownership (6.21): to a collaborator who requested it, and by the operator. Offers
//! are in `book_offers`.

use daybook_tests::{Cast, Client, Server, column, id, shows};
use serde_json::{Value, json};

use crate::Case;
use crate::deleted_books::run;

pub fn tests() -> Vec<Case> {
    crate::cases![
        transfer_gives_the_owner_rights,
        request_for_ownership_allows_an_immediate_transfer,
        stranger_can_become_the_owner,
        transfer_records_events,
        transfer_to_oneself_changes_nothing,
        invalid_recipient_is_refused,
        collection_and_posting_counts_follow_the_owner,
        transfer_closes_the_request_of_the_new_owner,
        checks_in_order,
        operator_transfers_a_book,
        invalid_operator_transfer_is_refused,
    ]
}

pub fn give(cast: &Cast, client: &Client, email: &str) -> daybook_tests::Answer {
    client.post(&cast.path("/transfer"), &json!({"email": email}))
}

pub fn username(client: &Client) -> Value {
    client.get("/v5/user").ok()["username"].clone()
}

/// Returns address and permission of each collaborator, in the order of the list.
fn permissions(cast: &Cast, reader: &Client) -> Vec<(String, String)> {
    let list = reader.get(&cast.path("/collaborators")).ok();
    column(&list, "email").into_iter().zip(column(&list, "permission")).collect()
}

fn events(cast: &Cast, reader: &Client) -> Vec<Value> {
    let list = reader.get(&cast.path("/events?limit=200")).ok();
    list["items"].as_array().expect("items").clone()
}

fn transfer_gives_the_owner_rights(server: &Server) {
    let cast = Cast::with_settings(server, json!({"lockDate": "2001-01-31"}));
    let (former, owner) = (&cast.owner, &cast.poster);
    let asks = cast.path("/collaborators/request?permission=OWNER");
    owner.send("POST", &asks, &Value::Null).no_content();
    let given = give(&cast, former, &format!(" {} ", owner.email().to_uppercase())).ok();
    shows(&given, &json!({"permission": "EDITOR", "ownerName": username(owner)}));
    let expected = json!({"permission": "OWNER", "ownerName": username(owner)});
    shows(&owner.get(&cast.path("")).ok(), &expected);
    let rows = permissions(&cast, owner);
    assert_eq!(rows[0], (owner.email().to_owned(), "OWNER".to_owned()), "7.5: the owner first");
    assert!(rows.contains(&(former.email().to_owned(), "EDITOR".to_owned())), "{rows:?}");
    assert_eq!(rows.iter().filter(|(_, permission)| permission == "OWNER").count(), 1, "7.1");
    // Only the new owner has the rights of an owner.
    let back = json!({"id": cast.book, "lockDate": "2000-12-31"});
    former.put("/v5/books", &back).refused(403, "forbidden");
    owner.put("/v5/books", &back).ok();
    give(&cast, former, former.email()).refused(403, "forbidden");
    owner
        .delete(&cast.path(&format!("/collaborators/{}", owner.email())))
        .refused(400, "badRequest");
    owner.delete(&cast.path(&format!("/collaborators/{}", former.email()))).ok();
    former.get(&cast.path("")).refused(404, "notFound");
    owner.delete(&cast.path("")).ok();
}

/// 7.6: a request for OWNER counts while it is open and its user is a collaborator; only a transfer
/// grants it.
fn request_for_ownership_allows_an_immediate_transfer(server: &Server) {
    let cast = Cast::new(server);
    let asks = |client: &Client| {
        client.send("POST", &cast.path("/collaborators/request?permission=OWNER"), &Value::Null)
    };
    asks(&cast.stranger).refused(400, "badRequest");
    asks(&cast.owner).refused(400, "badRequest");
    for (client, lower) in [(&cast.editor, "POSTER"), (&cast.viewer, "RECORDER")] {
        asks(client).no_content();
        let list = cast.read("/collaborators/request");
        assert!(column(&list, "permission").contains(&"OWNER".to_owned()), "{list}");
        cast.share(client.email(), lower);
    }
    cast.share(cast.editor.email(), "NONE");
    for not_asking in [&cast.editor, &cast.poster] {
        let given = give(&cast, &cast.owner, not_asking.email()).ok();
        shows(&given, &json!({"permission": "OWNER"}));
    }
    let given = give(&cast, &cast.owner, cast.viewer.email()).ok();
    shows(&given, &json!({"permission": "EDITOR", "ownerName": username(&cast.viewer)}));
    let open = cast.viewer.get(&cast.path("/collaborators/request")).ok();
    // The request of the new owner is closed.
    assert_eq!(column(&open, "email"), [cast.editor.email()]);
    // A declined request does not count.
    let former = &cast.owner;
    asks(former).no_content();
    let open = cast.viewer.get(&cast.path("/collaborators/request")).ok();
    let path = cast.path(&format!("/collaborators/request/{}", id(&open["items"][0])));
    former.delete(&path).ok();
    shows(&give(&cast, &cast.viewer, former.email()).ok(), &json!({"permission": "OWNER"}));
}

fn stranger_can_become_the_owner(server: &Server) {
    let cast = Cast::new(server);
    cast.stranger.get(&cast.path("")).refused(404, "notFound");
    cast.give(&cast.owner, &cast.stranger);
    shows(&cast.stranger.get(&cast.path("")).ok(), &json!({"permission": "OWNER"}));
    assert_eq!(column(&cast.stranger.get("/v5/books").ok(), "id"), [cast.book.as_str()]);
    assert_eq!(permissions(&cast, &cast.owner).len(), 6);
    // After the transfer back, the rows have the same ids (7.5).
    let rows = cast.read("/collaborators");
    cast.give(&cast.stranger, &cast.owner);
    let ids = |list: &Value| {
        let mut ids = column(list, "id");
        ids.sort();
        ids
    };
    assert_eq!(ids(&cast.read("/collaborators")), ids(&rows));
    shows(&cast.read(""), &json!({"permission": "OWNER"}));
}

/// Checks type, object and previous attributes of an event.
#[track_caller]
fn says(event: &Value, kind: &str, object: &Value, previous: &Value) {
    assert_eq!(event["type"], kind);
    shows(&event["data"]["object"], object);
    assert_eq!(&event["data"]["previousAttributes"], previous, "{event}");
}

fn transfer_records_events(server: &Server) {
    let cast = Cast::new(server);
    let before = events(&cast, &cast.owner).len();
    let former = username(&cast.owner);
    cast.give(&cast.owner, &cast.stranger);
    let log = events(&cast, &cast.owner);
    let newest: Vec<&Value> = log.iter().take(log.len() - before).rev().collect();
    let [book, retired, added] = newest.as_slice() else { panic!("three events: {newest:?}") };
    let next = username(&cast.stranger);
    says(book, "BOOK_UPDATED", &json!({"ownerName": next}), &json!({"ownerName": former}));
    assert_eq!(book["user"]["username"], next, "6.28: the accepting user");
    let editor = json!({"email": cast.owner.email(), "permission": "EDITOR"});
    says(retired, "COLLABORATOR_UPDATED", &editor, &json!({"permission": "OWNER"}));
    let owner = json!({"email": cast.stranger.email(), "permission": "OWNER"});
    says(added, "COLLABORATOR_ADDED", &owner, &Value::Null);
    cast.give(&cast.stranger, &cast.viewer);
    let owner = json!({"email": cast.viewer.email(), "permission": "OWNER"});
    let newest = &events(&cast, &cast.owner)[0];
    says(newest, "COLLABORATOR_UPDATED", &owner, &json!({"permission": "VIEWER"}));
}

fn transfer_to_oneself_changes_nothing(server: &Server) {
    let cast = Cast::new(server);
    let (seen, log) = (cast.get(""), events(&cast, &cast.owner));
    let given = give(&cast, &cast.owner, cast.owner.email());
    assert_eq!(given.headers["etag"], seen.headers["etag"]);
    assert_eq!(given.ok(), seen.ok());
    assert_eq!(events(&cast, &cast.owner), log);
}

fn invalid_recipient_is_refused(server: &Server) {
    let cast = Cast::new(server);
    let before = permissions(&cast, &cast.owner);
    for email in ["no-at-sign", ""] {
        let output = give(&cast, &cast.owner, email).refused(400, "badRequest");
        assert!(output.contains('@'), "{email:?}: {output}");
    }
    let path = cast.path("/transfer");
    let message = cast.owner.post(&path, &json!({})).refused(400, "badRequest");
    assert_eq!(message, "email of the new owner is required");
    for body in [json!({"email": 7}), json!([cast.viewer.email()])] {
        cast.owner.post(&path, &body).refused(400, "invalid");
    }
    assert_eq!(permissions(&cast, &cast.owner), before);
    shows(&cast.read(""), &json!({"permission": "OWNER"}));
}

/// 9.11, 6.2.
fn collection_and_posting_counts_follow_the_owner(server: &Server) {
    let cast = Cast::with_accounts(server, &daybook_tests::CASH_AND_FOOD);
    cast.record("2025-01-31", "5", "Cash", "Food", "Lunch");
    let shelf = |client: &Client, name: &str| {
        let made = client.post("/v5/collections", &json!({"name": name})).ok();
        let books = json!({"items": [{"id": cast.book}]});
        client.patch(&format!("/v5/collections/{}/books/add", id(&made)), &books).ok();
    };
    shelf(&cast.owner, "Former");
    shelf(&cast.poster, "Next");
    let seen = || cast.viewer.get(&cast.path("")).ok()["collection"]["name"].clone();
    let posted = |client: &Client| client.get("/v5/user").ok()["totalTransactionsThisYear"].clone();
    let all = || json!([seen(), posted(&cast.owner), posted(&cast.poster)]);
    assert_eq!(all(), json!(["Former", 1, 0]));
    cast.give(&cast.owner, &cast.poster);
    assert_eq!(all(), json!(["Next", 0, 1]));
}

fn transfer_closes_the_request_of_the_new_owner(server: &Server) {
    let cast = Cast::new(server);
    let path = cast.path("/collaborators/request");
    for asking in [&cast.stranger, &cast.viewer] {
        asking.send("POST", &format!("{path}?permission=EDITOR"), &Value::Null).no_content();
    }
    cast.give(&cast.owner, &cast.stranger);
    assert_eq!(column(&cast.owner.get(&path).ok(), "email"), [cast.viewer.email()]);
}

/// 0.17: visibility, permission, condition, values.
fn checks_in_order(server: &Server) {
    let cast = Cast::new(server);
    let stale = |client: &Client| client.header("If-Match", "\"book.x.9\"");
    let unknown = "nobody.at.all@example.com";
    give(&cast, &stale(&cast.stranger), unknown).refused(404, "notFound");
    give(&cast, &stale(&cast.editor), unknown).refused(403, "forbidden");
    give(&cast, &stale(&cast.owner), unknown).refused(412, "conditionNotMet");
    give(&cast, &cast.owner, "nobody").refused(400, "badRequest");
    let missing: String = cast.book.chars().rev().collect();
    let path = format!("/v5/books/{missing}/transfer");
    cast.owner.post(&path, &json!({"email": unknown})).refused(404, "notFound");
}

/// Runs `daybook book transfer` and returns its output, or its error output.
fn transfer(server: &Server, book: &str, email: &str) -> Result<String, String> {
    run(server, &["book", "transfer", "--book", book, "--to", email])
}

/// Disables or enables a user as the operator.
#[track_caller]
pub fn set_disabled(server: &Server, email: &str, verb: &str) {
    run(server, &["user", verb, "--email", email]).expect("it is done");
}

/// Also when the owner is disabled.
fn operator_transfers_a_book(server: &Server) {
    let cast = Cast::new(server);
    let former = username(&cast.owner);
    set_disabled(server, cast.owner.email(), "disable");
    let output = transfer(server, &cast.book, cast.viewer.email()).expect("it is done");
    let next = username(&cast.viewer);
    let name = cast.viewer.get(&cast.path("")).ok()["name"].clone();
    let words = [json!(cast.book), next.clone(), name];
    assert_eq!(output.trim_end().split('\t').map(Value::from).collect::<Vec<_>>(), words);
    let expected = json!({"permission": "OWNER", "ownerName": next.clone()});
    shows(&cast.viewer.get(&cast.path("")).ok(), &expected);
    let log = events(&cast, &cast.viewer);
    let changed = log.iter().find(|event| event["type"] == "BOOK_UPDATED").expect("an event");
    says(changed, "BOOK_UPDATED", &json!({"ownerName": next}), &json!({"ownerName": former}));
    assert_eq!(changed["user"]["username"], former);
    assert_eq!(changed["agent"]["id"], "daybook");
    let editor = (cast.owner.email().to_owned(), "EDITOR".to_owned());
    assert!(permissions(&cast, &cast.viewer).contains(&editor));
}

fn invalid_operator_transfer_is_refused(server: &Server) {
    let cast = Cast::new(server);
    set_disabled(server, cast.editor.email(), "disable");
    let missing: String = cast.book.chars().rev().collect();
    const UNKNOWN: &str = "does not belong to a user of this server who can own the book";
    for (book, email, message) in [
        (missing.as_str(), cast.viewer.email(), "book not found"),
        (&cast.book, "nobody.at.all@example.com", UNKNOWN),
        (&cast.book, cast.editor.email(), UNKNOWN),
        (&cast.book, "no-at-sign", "@"),
    ] {
        let error = transfer(server, book, email).expect_err("refused");
        assert!(error.contains(message), "{error}");
    }
    shows(&cast.read(""), &json!({"permission": "OWNER"}));
}
