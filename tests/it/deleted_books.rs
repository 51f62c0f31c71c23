//! Deleted books before their removal (6.22, 12.12): every operation answers 404, and a restore
//! returns the book unchanged.

use daybook_tests::{Answer, Cast, Client, RawSql, Server, column, encode, id, shows, unique};
use serde_json::{Value, json};

use crate::Case;
use crate::audit::audit;
use crate::file_sweep::eventually;
use crate::files::file;
use crate::limited_callers::issued;
use crate::matrix::operations;
use crate::permissions::PermissionFixture;
use crate::reading::items;

pub fn tests() -> Vec<Case> {
    crate::cases![
        rule_6_22_every_operation_answers_not_found,
        rule_6_22_deleted_public_book_is_not_found,
        rule_6_22_deleted_book_is_not_listed_or_counted,
        rule_6_22_restored_book_is_unchanged,
        rule_6_22_only_the_owner_restores,
        rule_6_22_restored_book_is_in_no_collection,
        rule_6_22_repeated_keys_neither_delete_nor_restore,
        rule_6_22_restored_book_can_be_deleted_again,
        rule_6_22_deleted_book_cannot_be_transferred,
        rule_6_22_book_is_removed_after_its_retention,
        rule_6_22_audit_is_postponed_until_restore,
        rule_12_12_owner_lists_deleted_books,
        rule_12_12_limited_tokens_are_refused,
    ]
}

/// Runs an operator command and returns its output, or its error output.
pub fn run(server: &Server, arguments: &[&str]) -> Result<String, String> {
    let run = server.admin(arguments).output().expect("daybook runs");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("UTF-8");
    if run.status.success() { Ok(text(run.stdout)) } else { Err(text(run.stderr)) }
}

/// Counts the rows with this book id: 1 until the removal has finished.
pub fn rows(server: &Server, book: &str) -> u64 {
    let touch = format!("UPDATE books SET id = id WHERE public_id = '{book}'");
    RawSql::open(server).execute(&touch)
}

/// Ends the retention of a deleted book.
pub fn outlast(server: &Server, book: &str) {
    let over = format!("UPDATE books SET kept_until = 1 WHERE public_id = '{book}'");
    assert_eq!(RawSql::open(server).execute(&over), 1, "it is there");
}

/// Removes a deleted book now, with the first worker round of a new process.
pub fn remove(server: &Server, book: &str) {
    outlast(server, book);
    let _remover = server.beside(&[]);
    eventually("the book is removed", || rows(server, book) == 0);
}

pub fn restore(caller: &Client, book: &str) -> Answer {
    caller.send("POST", &format!("/v5/books/{book}/restore"), &Value::Null)
}

pub fn deleted(caller: &Client) -> Vec<Value> {
    items(&caller.get("/v5/books?deleted=true").ok()).clone()
}

/// Creates a book with one of each resource.
pub fn full(server: &Server) -> Cast {
    let cast = Cast::with_accounts(server, &[("Cash", "ASSET"), ("Food", "OUTGOING")]);
    cast.group("Assets");
    cast.record("2025-01-31", "5", "Cash", "Food", "Lunch #friends");
    cast.record("2025-02-28", "7.25", "Cash", "Food", "Dinner");
    cast.record("2025-02-28", "", "Cash", "Food", "a draft");
    file(&cast, "receipt.txt", b"one lunch");
    cast.post("/queries", &json!({"query": "account:Cash"})).ok();
    let ask = cast.path("/collaborators/request?permission=VIEWER");
    cast.stranger.send("POST", &ask, &Value::Null).no_content();
    cast
}

/// Returns what each kind of caller reads of a book, except `lastUpdateMs` and the log, which
/// deletion and restore change.
pub fn all_that_is_read(cast: &Cast) -> Vec<String> {
    let file = items(&cast.read("/files"))[0].clone();
    let paths = [
        "/accounts".to_owned(),
        "/groups".to_owned(),
        "/queries".to_owned(),
        "/transactions?query=is:trashed%20is:draft%20is:posted".to_owned(),
        "/transactions?query=%23friends".to_owned(),
        "/balances?query=on:2025".to_owned(),
        "/balances?query=account:Cash%20after:2025%20before:2026".to_owned(),
        "/collaborators".to_owned(),
        "/collaborators/request".to_owned(),
        "/files".to_owned(),
        format!("/files/{}", id(&file)),
    ];
    let mut read = Vec::new();
    for (_, member) in cast.members() {
        read.extend(paths.iter().map(|path| {
            let answer = member.get(&cast.path(path));
            if answer.status == 403 { "403".to_owned() } else { answer.text }
        }));
        let book = member.get(&cast.path("?loadAccounts=true"));
        let tag = format!("{:?}", book.headers.get("etag"));
        let mut book = book.ok();
        book["lastUpdateMs"] = Value::Null;
        read.extend([tag, book.to_string()]);
    }
    let address = file["url"].as_str().expect("an address").to_owned();
    let path = address.split_once("/files/").map(|(_, rest)| format!("/files/{rest}"));
    read.push(cast.anonymous.get(&path.expect("a path")).text);
    read
}

/// Returns the log, newest first, without the current book in each event.
fn log_of(cast: &Cast) -> Vec<Value> {
    let mut log = items(&cast.read("/events?limit=200")).clone();
    log.iter_mut().for_each(|event| event["book"] = Value::Null);
    log
}

/// Runs each operation of the permission matrix as each kind of caller.
fn rule_6_22_every_operation_answers_not_found(server: &Server) {
    let fixture = PermissionFixture::new(server, "PRIVATE");
    fixture.cast.delete("").ok();
    let mut callers = fixture.cast.members().to_vec();
    callers.push(("stranger", &fixture.cast.stranger));
    // These two read or restore the book.
    let finding = ["change_visibility", "restore_book_that_is_there"];
    for operation in operations().filter(|operation| !finding.contains(&operation.name)) {
        for (name, caller) in &callers {
            let answer = (operation.call)(caller, &fixture);
            if operation.name.starts_with("request_") {
                // The response is that for an unknown id (7.6).
                answer.no_content();
                continue;
            }
            assert_eq!(answer.status, 404, "{} by {name}: {}", operation.name, answer.text);
            answer.refused(404, "notFound");
        }
        (operation.call)(&fixture.cast.anonymous, &fixture).refused(401, "required");
    }
    restore(&fixture.cast.owner, &fixture.cast.book).ok();
    let asked = fixture.cast.read("/collaborators/request");
    assert_eq!(items(&asked).len(), 2, "no request was stored meanwhile");
}

fn rule_6_22_deleted_public_book_is_not_found(server: &Server) {
    let cast = Cast::with_settings(server, json!({"visibility": "PUBLIC"}));
    cast.stranger.get(&cast.path("")).ok();
    cast.delete("").ok();
    for caller in [&cast.stranger, &cast.owner, &cast.viewer] {
        caller.get(&cast.path("")).refused(404, "notFound");
        let copy = cast.path("/copy?name=Copy");
        caller.send("POST", &copy, &Value::Null).refused(404, "notFound");
    }
    restore(&cast.stranger, &cast.book).refused(404, "notFound");
    restore(&cast.owner, &cast.book).ok();
    cast.stranger.get(&cast.path("")).ok();
}

fn rule_6_22_deleted_book_is_not_listed_or_counted(server: &Server) {
    let cast = full(server);
    let guest = format!("{}@example.net", unique("pending"));
    cast.share(&guest, "VIEWER");
    cast.delete("").ok();
    for (_, member) in cast.members() {
        assert_eq!(member.get("/v5/books").ok()["items"], json!([]));
        assert_eq!(member.get(&format!("/v5/books?query={}", cast.book)).ok()["items"], json!([]));
        let user = member.get("/v5/user").ok();
        assert_eq!(user["totalTransactionsCurrentMonth"].as_i64().unwrap_or(0), 0, "{user}");
    }
    let shown = run(server, &["user", "show", "--email", cast.owner.email()]).expect("a user");
    for line in ["Books owned: 0", "Books seen: 0", "Deleted books that wait: 1"] {
        assert!(shown.lines().any(|found| found == line), "{line} in {shown}");
    }
    let shown = run(server, &["user", "show", "--email", cast.editor.email()]).expect("a user");
    assert!(shown.contains("Deleted books that wait: 0\n"), "{shown}");
}

/// 6.22, 8.15: the log continues without a gap.
fn rule_6_22_restored_book_is_unchanged(server: &Server) {
    let cast = full(server);
    let (before, log) = (all_that_is_read(&cast), log_of(&cast));
    let shown = cast.read("");
    let gone = cast.delete("");
    assert_eq!(gone.clone().ok(), shown, "the book before the deletion");
    let (listed, tag) = (deleted(&cast.owner), gone.headers.get("etag").cloned());
    let back = restore(&cast.owner, &cast.book);
    assert_eq!(back.headers.get("etag").cloned(), tag, "0.17: unchanged");
    let mut back = back.ok();
    assert_eq!(back, cast.read(""));
    back["lastUpdateMs"] = shown["lastUpdateMs"].clone();
    assert_eq!(back, shown);
    assert_eq!(all_that_is_read(&cast), before);
    let after = log_of(&cast);
    let (new, old) = after.split_at(2);
    assert_eq!(old, log.as_slice(), "the log goes on");
    let [restored, removed] = new else { panic!("two events: {new:?}") };
    shows(removed, &json!({"type": "BOOK_DELETED", "resource": cast.book}));
    assert_eq!(removed["data"]["object"]["id"], cast.book.as_str());
    shows(restored, &json!({"type": "BOOK_UPDATED"}));
    let previous = json!({"deletedAt": listed[0]["deletedAt"]});
    assert_eq!(restored["data"]["previousAttributes"], previous);
    for event in new {
        let path = cast.path(&format!("/events/{}", id(event)));
        assert_eq!(cast.owner.get(&path).ok()["hash"], event["hash"]);
    }
    let audited = audit(&cast);
    shows(&audited["data"]["audit"], &json!({"chainIntact": true, "findingsCount": 0}));
    cast.record("2025-03-01", "1", "Cash", "Food", "It goes on");
}

fn rule_6_22_only_the_owner_restores(server: &Server) {
    let cast = Cast::new(server);
    let others = |reason: &str| {
        for (name, caller) in cast.members().iter().skip(1) {
            assert_ne!(*name, "OWNER");
            restore(caller, &cast.book).refused(404, "notFound");
            assert_eq!(deleted(caller), Vec::<Value>::new(), "{reason}: {name}");
        }
        restore(&cast.stranger, &cast.book).refused(404, "notFound");
        restore(&cast.anonymous, &cast.book).refused(401, "required");
    };
    others("it is not deleted");
    restore(&cast.owner, &cast.book).refused(404, "notFound");
    cast.delete("").ok();
    others("it is another's");
    cast.anonymous.get("/v5/books?deleted=true").refused(401, "required");
    let missing: String = cast.book.chars().rev().collect();
    restore(&cast.owner, &missing).refused(404, "notFound");
    cast.owner
        .header("If-Match", "*")
        .send("POST", &cast.path("/restore"), &Value::Null)
        .refused(400, "badRequest");
    shows(&restore(&cast.owner, &cast.book).ok(), &json!({"permission": "OWNER"}));
    restore(&cast.owner, &cast.book).refused(404, "notFound");
    for (_, member) in cast.members() {
        member.get(&cast.path("")).ok();
    }
}

fn rule_6_22_restored_book_is_in_no_collection(server: &Server) {
    let cast = Cast::new(server);
    let shelf = cast.owner.post("/v5/collections", &json!({"name": "Shelf"})).ok();
    let add = format!("/v5/collections/{}/books/add", id(&shelf));
    cast.owner.patch(&add, &json!({"items": [{"id": cast.book}]})).ok();
    cast.delete("").ok();
    cast.owner.patch(&add, &json!({"items": [{"id": cast.book}]})).refused(404, "notFound");
    let back = restore(&cast.owner, &cast.book).ok();
    assert!(back.get("collection").is_none(), "{back}");
    assert_eq!(cast.owner.get("/v5/collections").ok()["items"][0]["books"], json!([]));
    cast.owner.patch(&add, &json!({"items": [{"id": cast.book}]})).ok();
    assert_eq!(cast.read("")["collection"]["name"], "Shelf");
}

/// 0.16.
fn rule_6_22_repeated_keys_neither_delete_nor_restore(server: &Server) {
    let cast = Cast::new(server);
    let keyed = cast.owner.header("Idempotency-Key", &unique("key"));
    let gone = keyed.delete(&cast.path("")).ok();
    let back = keyed.send("POST", &cast.path("/restore"), &Value::Null).ok();
    assert_eq!(keyed.delete(&cast.path("")).ok(), gone);
    cast.read("");
    cast.delete("").ok();
    // The book is hidden, and so are stored responses (0.27).
    keyed.send("POST", &cast.path("/restore"), &Value::Null).refused(404, "notFound");
    cast.get("").refused(404, "notFound");
    restore(&cast.owner, &cast.book).ok();
    assert_eq!(keyed.send("POST", &cast.path("/restore"), &Value::Null).ok(), back);
    cast.delete("").ok();
    let refused = cast.owner.header("Idempotency-Key", &unique("key"));
    refused.delete(&cast.path("")).refused(404, "notFound");
    restore(&refused, &cast.book).ok();
    refused.delete(&cast.path("")).ok();
}

fn rule_6_22_restored_book_can_be_deleted_again(server: &Server) {
    let cast = Cast::new(server);
    for round in 1..=3 {
        cast.delete("").ok();
        cast.delete("").refused(404, "notFound");
        assert_eq!(column(&json!({"items": deleted(&cast.owner)}), "id"), [cast.book.as_str()]);
        restore(&cast.owner, &cast.book).ok();
        let kinds = column(&cast.read("/events"), "type");
        let count = kinds.iter().filter(|kind| *kind == "BOOK_DELETED").count();
        assert_eq!(count, round);
    }
    shows(&audit(&cast)["data"]["audit"], &json!({"chainIntact": true, "findingsCount": 0}));
}

/// 6.21.
fn rule_6_22_deleted_book_cannot_be_transferred(server: &Server) {
    let cast = Cast::new(server);
    cast.delete("").ok();
    let to = json!({"email": cast.editor.email()});
    cast.post("/transfer", &to).refused(404, "notFound");
    let given = ["book", "transfer", "--book", &cast.book, "--to", cast.editor.email()];
    let error = run(server, &given).expect_err("refused");
    assert!(error.contains("book not found"), "{error}");
    restore(&cast.owner, &cast.book).ok();
    cast.give(&cast.owner, &cast.editor);
    cast.editor.delete(&cast.path("")).ok();
    restore(&cast.owner, &cast.book).refused(404, "notFound");
    assert_eq!(deleted(&cast.owner), Vec::<Value>::new(), "it is the new owner's");
    restore(&cast.editor, &cast.book).ok();
}

fn rule_6_22_book_is_removed_after_its_retention(server: &Server) {
    let (cast, other) = (full(server), full(server));
    let count = |query: &str| RawSql::open(server).count(query);
    let number = count(&format!("SELECT id FROM books WHERE public_id = '{}'", cast.book));
    let remaining =
        |table: &str| count(&format!("SELECT count(*) FROM {table} WHERE book_id = {number}"));
    cast.delete("").ok();
    other.delete("").ok();
    remove(server, &cast.book);
    assert_eq!(rows(server, &other.book), 1, "the retention of the other has not ended");
    for table in ["transactions", "index_terms", "accounts", "events", "files", "collaborators"] {
        assert_eq!(remaining(table), 0, "{table}");
    }
    restore(&cast.owner, &cast.book).refused(404, "notFound");
    cast.get("").refused(404, "notFound");
    restore(&other.owner, &other.book).ok();
}

/// 6.15.
fn rule_6_22_audit_is_postponed_until_restore(server: &Server) {
    let cast = full(server);
    let key = cast.owner.header("Idempotency-Key", &unique("key"));
    let number = |table: &str| {
        let book = format!("(SELECT id FROM books WHERE public_id = '{}')", cast.book);
        let touch = format!("UPDATE {table} SET book_id = book_id WHERE book_id = {book}");
        RawSql::open(server).execute(&touch)
    };
    cast.delete("").ok();
    let book = format!("SELECT id FROM books WHERE public_id = '{}'", cast.book);
    let user = format!("SELECT owner_id FROM books WHERE public_id = '{}'", cast.book);
    RawSql::open(server).execute(&format!(
        "INSERT INTO audit_requests (book_id, request, user_id) VALUES (({book}), 1, ({user}))"
    ));
    // The worker audits another book meanwhile.
    audit(&Cast::new(server));
    assert_eq!(number("audit_requests"), 1, "the request stays pending");
    restore(&key, &cast.book).ok();
    shows(&audit(&cast)["data"]["audit"], &json!({"findingsCount": 0}));
    eventually("the request is removed", || number("audit_requests") == 0);
}

/// Each with `deletedAt` and `expiresAt`.
fn rule_12_12_owner_lists_deleted_books(server: &Server) {
    const DAYS_30: i64 = 30 * 24 * 60 * 60 * 1000;
    let cast = Cast::with_settings(server, json!({"properties": {"place": "Lisbon"}}));
    let other = cast.owner.post("/v5/books", &json!({"name": "A first one"})).ok();
    assert_eq!(deleted(&cast.owner), Vec::<Value>::new());
    let shown = cast.read("");
    cast.delete("").ok();
    let listed = deleted(&cast.owner);
    let [book] = listed.as_slice() else { panic!("one: {listed:?}") };
    let milliseconds = |field: &str| book[field].as_str().expect(field).parse().expect("digits");
    let (deleted_at, expires_at): (i64, i64) =
        (milliseconds("deletedAt"), milliseconds("expiresAt"));
    assert_eq!(expires_at - deleted_at, DAYS_30);
    let mut plain = book.clone();
    for field in ["deletedAt", "expiresAt"] {
        plain.as_object_mut().expect("a book").remove(field);
    }
    plain["lastUpdateMs"] = shown["lastUpdateMs"].clone();
    assert_eq!(plain, shown, "the other fields are those of the book");
    assert_eq!(column(&cast.owner.get("/v5/books").ok(), "id"), [id(&other)]);
    cast.owner.delete(&format!("/v5/books/{}", id(&other))).ok();
    let names = column(&json!({"items": deleted(&cast.owner)}), "id");
    assert_eq!(names, [id(&other), &cast.book], "by name");
    for (term, expected) in [
        ("LISBON", vec![cast.book.as_str()]),
        (&cast.book, vec![&cast.book]),
        ("first", vec![id(&other)]),
        ("nobody's", vec![]),
    ] {
        let path = format!("/v5/books?deleted=true&query={}", encode(term));
        assert_eq!(column(&cast.owner.get(&path).ok(), "id"), expected, "{term}");
    }
    for other in ["false", "", "no"] {
        let all = cast.owner.get(&format!("/v5/books?deleted={other}")).ok();
        assert_eq!(all["items"], json!([]), "{other}: the others");
    }
    restore(&cast.owner, id(&other)).ok();
    assert_eq!(column(&json!({"items": deleted(&cast.owner)}), "id"), [cast.book.as_str()]);
}

/// 11.9.
fn rule_12_12_limited_tokens_are_refused(server: &Server) {
    let cast = Cast::new(server);
    let other = cast.owner.post("/v5/books", &json!({"name": "Other"})).ok();
    let own = issued(server, &cast.owner, json!({"books": [cast.book]}));
    let elsewhere = issued(server, &cast.owner, json!({"books": [other["id"]]}));
    let reader = issued(server, &cast.owner, json!({"readOnly": true}));
    cast.delete("").ok();
    own.get(&cast.path("")).refused(404, "notFound");
    elsewhere.get(&cast.path("")).refused(403, "insufficientScope");
    assert_eq!((deleted(&own).len(), deleted(&reader).len(), deleted(&elsewhere).len()), (1, 1, 0));
    restore(&elsewhere, &cast.book).refused(403, "insufficientScope");
    restore(&reader, &cast.book).refused(403, "insufficientScope");
    restore(&own, &cast.book).ok();
    own.get(&cast.path("")).ok();
}
