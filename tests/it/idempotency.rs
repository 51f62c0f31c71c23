//! Idempotency keys (0.16): a repeated request is executed once and gets the stored response. Each
//! write of the contract has a case.

use std::io::Write;
use std::thread;

use daybook_tests::{Answer, Cast, Client, Server, column, id, unique};
use serde_json::{Value, json};

use crate::Case;
use crate::targets::Targets;
use crate::wire::{connect, rest};
use daybook_tests::openapi::contract::{Operation, operations};

/// Adds a case for each write of the contract.
pub fn tests() -> Vec<Case> {
    let mut cases = crate::cases![
        key_must_be_visible_ascii,
        repeated_key_header_is_refused,
        refused_request_stores_no_key,
        key_scope_is_user_method_and_path,
        spelling_of_the_path_does_not_matter,
        changed_parameters_are_another_request,
        repeated_delete_gets_the_first_response,
        caller_is_authenticated_before_a_replay,
        concurrent_requests_are_executed_once,
        responses_of_every_size_are_replayed,
        late_refusal_releases_the_key,
    ];
    for operation in operations().into_iter().filter(Operation::writes) {
        cases.push(Case::shared(format!("{}_is_done_once", operation.id), move |server| {
            check_executed_once(server, operation)
        }));
    }
    cases
}

/// Returns the client with a new idempotency key.
pub fn keyed(client: &Client) -> Client {
    client.header("Idempotency-Key", &unique("key"))
}

fn is_replay(answer: &Answer) -> bool {
    let header = answer.headers.get("idempotency-replayed").map(String::as_str);
    assert!(matches!(header, None | Some("true")), "{header:?}");
    header.is_some()
}

#[track_caller]
fn assert_replayed(first: &Answer, again: &Answer) {
    assert!(
        !is_replay(first) && is_replay(again),
        "only the second is a replay: {:?} {:?}",
        first.headers,
        again.headers
    );
    assert_eq!(
        (first.status, &first.text),
        (again.status, &again.text),
        "status and body, byte by byte"
    );
    for header in ["etag", "content-type"] {
        assert_eq!(first.headers.get(header), again.headers.get(header), "{header}");
    }
}

fn check_executed_once(server: &Server, operation: Operation) {
    let targets = Targets::of(server, operation);
    let caller = keyed(targets.caller(operation));
    let books = || column(&targets.cast.owner.get("/v5/books").ok(), "id").len();
    let first = targets.call(&caller, operation, "First");
    assert!(matches!(first.status, 200 | 204), "{}: {} {}", operation.id, first.status, first.text);
    targets.settle(operation);
    let after = (targets.snapshot(), books());
    let again = targets.call(&caller, operation, "First");
    assert_replayed(&first, &again);
    let faults = operation.faults(again.status, &again.text);
    assert!(faults.is_empty(), "{faults:?}");

    // Another request under the same key: with another body or another parameter.
    let other = match targets.body(operation, "Second") {
        Value::Null => caller.send(
            operation.method,
            &format!("{}?more=1", targets.path(operation)),
            &Value::Null,
        ),
        body => caller.send(operation.method, &targets.path(operation), &body),
    };
    let faults = operation.faults(other.status, &other.text);
    assert!(faults.is_empty(), "{faults:?}");
    other.refused(422, "idempotencyKeyReused");
    assert_eq!(
        (targets.snapshot(), books()),
        after,
        "{}: the second sending and a refused key do nothing",
        operation.id
    );
    targets
        .cast
        .anonymous
        .header("Idempotency-Key", "any")
        .send(operation.method, &targets.path(operation), &Value::Null)
        .refused(401, "required");
}

fn key_must_be_visible_ascii(server: &Server) {
    let cast = Cast::new(server);
    let create = |key: &str| {
        cast.owner
            .header("Idempotency-Key", key)
            .post(&cast.path("/groups"), &json!({"name": unique("Group")}))
    };
    create(&"k".repeat(255)).ok();
    for key in ["", "a b", &"k".repeat(256)] {
        let message = create(key).refused(400, "badRequest");
        assert!(message.contains("Idempotency-Key"), "{message}");
    }
    let groups = column(&cast.get("/groups").ok(), "id");
    assert_eq!(groups.len(), 1, "a refused key does nothing");
    // Authentication is checked first.
    let caller = cast.anonymous.header("Idempotency-Key", "a b");
    caller.post(&cast.path("/groups"), &json!({"name": "G"})).refused(401, "required");
    // The key is ignored on reads.
    cast.owner.header("Idempotency-Key", "a b").get(&cast.path("")).ok();
    // Bytes beyond ASCII, which the client of the suite cannot send.
    let token = cast.owner.token().expect("the owner has one");
    let mut stream = connect(server);
    let head = format!(
        "DELETE {} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {token}\r\nConnection: close\r\n",
        cast.path("/groups/1")
    );
    stream
        .write_all(head.as_bytes())
        .and_then(|()| stream.write_all(b"Idempotency-Key: caf\xc3\xa9\r\n\r\n"))
        .expect("sent");
    let answer = rest(&mut stream);
    assert!(answer.starts_with("HTTP/1.1 400"), "{answer}");
}

fn repeated_key_header_is_refused(server: &Server) {
    let cast = Cast::new(server);
    let twice = cast.owner.header("Idempotency-Key", "a").header("Idempotency-Key", "a");
    twice.post(&cast.path("/groups"), &json!({"name": "G"})).refused(400, "badRequest");
}

fn refused_request_stores_no_key(server: &Server) {
    let cast = Cast::new(server);
    let owner = keyed(&cast.owner);
    let create = |body: Value| owner.post(&cast.path("/accounts"), &body);
    create(json!({"name": ""})).refused(400, "badRequest");
    owner
        .send_raw("POST", &cast.path("/accounts"), Some("application/json"), b"{")
        .refused(400, "parseError");
    create(json!({"name": "Cash", "type": "MONEY"})).refused(400, "invalid");
    let made = create(json!({"name": "Cash", "type": "ASSET"}));
    assert!(!is_replay(&made), "corrected and sent again, it is a first request");
    let made = made.ok();
    assert_eq!(create(json!({"name": "Cash", "type": "ASSET"})).ok(), made);
    // A refusal is not stored: with the permission the same request succeeds.
    let viewer = keyed(&cast.viewer);
    let rename =
        || viewer.put(&cast.path("/accounts"), &json!({"id": made["id"], "name": "Wallet"}));
    rename().refused(403, "forbidden");
    cast.share(cast.viewer.email(), "EDITOR");
    assert!(!is_replay(&rename()));
    assert!(is_replay(&rename()));
}

/// The claim is rolled back with the writes of the refused use case.
fn late_refusal_releases_the_key(server: &Server) {
    let cast = Cast::new(server);
    let owner = keyed(&cast.owner);
    let create =
        |groups: Value| owner.post("/v5/books", &json!({"name": "Embedded", "groups": groups}));
    let books = || column(&cast.owner.get("/v5/books").ok(), "id").len();
    create(json!([{"name": "G"}, {"name": "G"}])).refused(400, "badRequest");
    assert_eq!(books(), 1, "a book whose groups are refused is not there");
    let made = create(json!([{"name": "G"}]));
    assert!(!is_replay(&made));
    made.ok();
    assert_eq!(books(), 2);
}

fn key_scope_is_user_method_and_path(server: &Server) {
    let cast = Cast::new(server);
    let key = unique("key");
    let with = |client: &Client| client.header("Idempotency-Key", &key);
    let body = json!({"name": "Same", "type": "ASSET"});
    let account = with(&cast.owner).post(&cast.path("/accounts"), &body);
    let group = with(&cast.owner).post(&cast.path("/groups"), &body);
    let renamed = with(&cast.owner).put(&cast.path("/accounts"), &body);
    for answer in [&account, &group, &renamed] {
        assert!(!is_replay(answer), "{answer:?}");
        assert_eq!(answer.status, 200, "{}", answer.text);
    }
    // Another user sends another request, refused for the duplicate name.
    with(&cast.editor).post(&cast.path("/accounts"), &body).refused(400, "badRequest");
    with(&cast.stranger).post(&cast.path("/accounts"), &body).refused(404, "notFound");
    let other = Cast::new(server);
    assert!(!is_replay(
        &other.owner.header("Idempotency-Key", &key).post(&other.path("/accounts"), &body)
    ));
}

fn spelling_of_the_path_does_not_matter(server: &Server) {
    let cast = Cast::new(server);
    let owner = keyed(&cast.owner);
    let body = json!({"name": "Once"});
    let first = owner.post(&cast.path("/groups"), &body);
    for rest in ["/groups?", "/groups/", "/groups/?", "/groups?key=k&time=1", "/groups/?time=2"] {
        assert_replayed(&first, &owner.post(&cast.path(rest), &body));
    }
    assert_eq!(column(&cast.get("/groups").ok(), "name"), ["Once"]);
}

fn changed_parameters_are_another_request(server: &Server) {
    let cast = Cast::new(server);
    let owner = keyed(&cast.owner);
    let create = |query: &str| {
        owner.post(&cast.path(&format!("/transactions?{query}")), &json!({"description": "Once"}))
    };
    let first = create("timeZone=Europe/Lisbon&more=1");
    assert_replayed(&first, &create("time=9&more=1&timeZone=Europe%2FLisbon&key=x"));
    for query in ["", "timeZone=UTC&more=1"] {
        create(query).refused(422, "idempotencyKeyReused");
    }
    assert_eq!(column(&cast.get("/transactions").ok(), "description"), ["Once"]);
}

/// Keys outlive their resources; without a key a second DELETE answers 404 (10.7).
fn repeated_delete_gets_the_first_response(server: &Server) {
    let cast = Cast::new(server);
    let account = cast.account("Cash", "ASSET");
    let path = cast.path(&format!("/accounts/{}", id(&account)));
    let owner = keyed(&cast.owner);
    let first = owner.delete(&path);
    assert_eq!(first.clone().ok()["name"], "Cash");
    assert_replayed(&first, &owner.delete(&path));
    cast.owner.delete(&path).refused(404, "notFound");
    keyed(&cast.owner).delete(&path).refused(404, "notFound");
    // The body of a DELETE is ignored (0.8).
    assert_replayed(&first, &owner.send_raw("DELETE", &path, Some("application/json"), b"{}"));

    let first = owner.delete(&cast.path(""));
    assert_eq!(first.status, 200, "{}", first.text);
    assert_replayed(&first, &owner.delete(&cast.path("")));
    assert_replayed(&first, &owner.delete(&cast.path("/?")));
    cast.delete("").refused(404, "notFound");
    // Resources of the book are hidden with it (0.27).
    owner.delete(&path).refused(404, "notFound");
    cast.post("/restore", &Value::Null).ok();
    assert!(is_replay(&owner.delete(&path)), "the response is replayed after the restore");
}

fn caller_is_authenticated_before_a_replay(server: &Server) {
    let cast = Cast::new(server);
    let key = unique("key");
    let create = |client: &Client| {
        client.header("Idempotency-Key", &key).post(&cast.path("/groups"), &json!({"name": "G"}))
    };
    let first = create(&cast.editor);
    first.clone().ok();
    create(&cast.anonymous).refused(401, "required");
    create(&server.client_with_token("not.a.token")).refused(401, "required");
    create(&cast.stranger).refused(404, "notFound");
    assert_replayed(&first, &create(&cast.editor));
}

fn concurrent_requests_are_executed_once(server: &Server) {
    let cast = Cast::new(server);
    cast.account("Cash", "ASSET");
    cast.account("Food", "OUTGOING");
    let owner = keyed(&cast.owner);
    let path = cast.path("/transactions");
    let body = json!({
        "date": "2025-01-31", "amount": "5", "creditAccount": {"name": "Cash"},
        "debitAccount": {"name": "Food"},
    });
    let answers: Vec<Answer> = thread::scope(|scope| {
        let callers: Vec<_> = (0..16).map(|_| scope.spawn(|| owner.post(&path, &body))).collect();
        callers.into_iter().map(|caller| caller.join().expect("an answer")).collect()
    });
    assert_eq!(
        answers.iter().filter(|answer| !is_replay(answer)).count(),
        1,
        "one of them was done"
    );
    assert!(answers.iter().all(|answer| answer.text == answers[0].text && answer.status == 200));
    assert_eq!(column(&cast.owner.get(&path).ok(), "id").len(), 1);
    let balances = cast.get("/balances?query=account:Cash").ok();
    assert_eq!(balances["accountBalances"][0]["cumulativeBalance"], "5.00", "{balances}");
}

/// From an empty response to that of a full batch.
fn responses_of_every_size_are_replayed(server: &Server) {
    let cast = Cast::new(server);
    let (batch, checks) = (keyed(&cast.owner), keyed(&cast.owner));
    let items: Vec<Value> = (0..1000)
        .map(|number| json!({"description": format!("Číslo {number} {}", "x".repeat(500))}))
        .collect();
    let create = || batch.post(&cast.path("/transactions/batch"), &json!({"items": items}));
    let first = create();
    assert!(first.text.len() > 500_000, "{}", first.text.len());
    assert_replayed(&first, &create());
    assert_eq!(column(&cast.get("/transactions?limit=1000").ok(), "id").len(), 1000);
    let none = || checks.patch(&cast.path("/transactions/check/batch"), &json!({"items": []}));
    let (first, again) = (none(), none());
    assert_replayed(&first, &again);
    again.no_content();
}
