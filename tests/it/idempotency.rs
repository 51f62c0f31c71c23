//! Idempotency keys (behaviour 0.16): a request that is sent again is answered again, and done
//! once.

use std::io::Write;
use std::thread;

use daybook_tests::{Answer, Cast, Client, Server, column, id, unique};
use serde_json::{Value, json};

use crate::Case;
use crate::targets::Targets;
use crate::wire::{connect, rest};
use daybook_tests::openapi::contract::{Operation, operations};

/// A new writing operation is covered here as soon as it is in the document.
pub fn tests() -> Vec<Case> {
    let mut cases = crate::cases![
        keys_are_visible_ascii,
        several_keys_are_none,
        a_refused_request_leaves_no_key,
        the_scope_is_user_method_and_path,
        the_path_is_the_same_however_it_is_written,
        parameters_belong_to_the_request,
        deletes_get_their_first_answer,
        the_caller_is_known_before_the_answer,
        requests_at_the_same_time_are_done_once,
        answers_of_every_size,
        a_refusal_after_the_claim_undoes_everything,
    ];
    for operation in operations().into_iter().filter(Operation::writes) {
        cases.push(Case::shared(format!("{}_is_done_once", operation.id), move |server| {
            done_once(server, operation)
        }));
    }
    cases
}

/// The same client, which names its next request by a new key.
pub fn keyed(client: &Client) -> Client {
    client.header("Idempotency-Key", &unique("key"))
}

fn replayed(answer: &Answer) -> bool {
    let header = answer.headers.get("idempotency-replayed").map(String::as_str);
    assert!(matches!(header, None | Some("true")), "{header:?}");
    header.is_some()
}

#[track_caller]
fn same(first: &Answer, again: &Answer) {
    assert!(
        !replayed(first) && replayed(again),
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

fn done_once(server: &Server, operation: Operation) {
    let targets = Targets::new(server);
    let caller = keyed(targets.caller(operation));
    let books = || column(&targets.cast.owner.get("/v5/books").ok(), "id").len();
    let first = targets.call(&caller, operation, "First");
    assert!(matches!(first.status, 200 | 204), "{}: {} {}", operation.id, first.status, first.text);
    targets.settle(operation);
    let after = (targets.snapshot(), books());
    let again = targets.call(&caller, operation, "First");
    same(&first, &again);
    assert_eq!(
        (targets.snapshot(), books()),
        after,
        "{}: the second sending does nothing",
        operation.id
    );
    let faults = operation.faults(again.status, &again.text);
    assert!(faults.is_empty(), "{faults:?}");

    // Another request under the same key: by its body, or where there is none by a parameter.
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
        "{}: a key that is refused does nothing",
        operation.id
    );
    targets
        .cast
        .anonymous
        .header("Idempotency-Key", "any")
        .send(operation.method, &targets.path(operation), &Value::Null)
        .refused(401, "required");
}

fn keys_are_visible_ascii(server: &Server) {
    let cast = Cast::new(server);
    let create = |key: &str| {
        cast.owner
            .header("Idempotency-Key", key)
            .post(&cast.path("/groups"), &json!({"name": unique("Group")}))
    };
    for key in ["a", "~", "\"quoted\"", "a,b;c=d", &"k".repeat(255)] {
        create(key).ok();
    }
    for key in ["", " ", "a b", "a\tb", &"k".repeat(256)] {
        let message = create(key).refused(400, "badRequest");
        assert!(message.contains("Idempotency-Key"), "{message}");
    }
    let groups = column(&cast.owner.get(&cast.path("/groups")).ok(), "id");
    assert_eq!(groups.len(), 5, "a refused key does nothing");
    // Who is nobody learns that first.
    for key in ["", "a b"] {
        let nobody = cast.anonymous.header("Idempotency-Key", key);
        nobody.post(&cast.path("/groups"), &json!({"name": "G"})).refused(401, "required");
        nobody.post("/v5/books", &json!({"name": "B"})).refused(401, "required");
    }
    // A key says nothing on a request that only reads.
    for key in ["", "a b"] {
        cast.owner.header("Idempotency-Key", key).get(&cast.path("")).ok();
    }
    // Bytes beyond ASCII, which the client of this suite would not send.
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

fn several_keys_are_none(server: &Server) {
    let cast = Cast::new(server);
    let twice = cast.owner.header("Idempotency-Key", "a").header("Idempotency-Key", "a");
    twice.post(&cast.path("/groups"), &json!({"name": "G"})).refused(400, "badRequest");
}

fn a_refused_request_leaves_no_key(server: &Server) {
    let cast = Cast::new(server);
    let owner = keyed(&cast.owner);
    let create = |body: Value| owner.post(&cast.path("/accounts"), &body);
    create(json!({"name": ""})).refused(400, "badRequest");
    owner
        .send_raw("POST", &cast.path("/accounts"), Some("application/json"), b"{")
        .refused(400, "parseError");
    create(json!({"name": "Cash", "type": "MONEY"})).refused(400, "invalid");
    let made = create(json!({"name": "Cash", "type": "ASSET"}));
    assert!(!replayed(&made), "corrected and sent again, it is a first request");
    let made = made.ok();
    assert_eq!(create(json!({"name": "Cash", "type": "ASSET"})).ok(), made);
    // The viewer's refusal is no answer to keep: with the permission the same request succeeds.
    let viewer = keyed(&cast.viewer);
    let rename =
        || viewer.put(&cast.path("/accounts"), &json!({"id": made["id"], "name": "Wallet"}));
    rename().refused(403, "forbidden");
    cast.share(cast.viewer.email(), "EDITOR");
    assert!(!replayed(&rename()));
    assert!(replayed(&rename()));
}

/// The use case writes first and is refused then: its claim goes with what it wrote.
fn a_refusal_after_the_claim_undoes_everything(server: &Server) {
    let cast = Cast::new(server);
    let owner = keyed(&cast.owner);
    let create =
        |groups: Value| owner.post("/v5/books", &json!({"name": "Embedded", "groups": groups}));
    let books = || column(&cast.owner.get("/v5/books").ok(), "id").len();
    create(json!([{"name": "G"}, {"name": "G"}])).refused(400, "badRequest");
    assert_eq!(books(), 1, "a book whose groups are refused is not there");
    let made = create(json!([{"name": "G"}]));
    assert!(!replayed(&made));
    made.ok();
    assert_eq!(books(), 2);
}

fn the_scope_is_user_method_and_path(server: &Server) {
    let cast = Cast::new(server);
    let key = unique("key");
    let with = |client: &Client| client.header("Idempotency-Key", &key);
    let body = json!({"name": "Same", "type": "ASSET"});
    let account = with(&cast.owner).post(&cast.path("/accounts"), &body);
    let group = with(&cast.owner).post(&cast.path("/groups"), &body);
    let renamed = with(&cast.owner).put(&cast.path("/accounts"), &body);
    for answer in [&account, &group, &renamed] {
        assert!(!replayed(answer), "{answer:?}");
        assert_eq!(answer.status, 200, "{}", answer.text);
    }
    // Of another user it is another request, which is refused like any second account of that name.
    with(&cast.editor).post(&cast.path("/accounts"), &body).refused(400, "badRequest");
    with(&cast.stranger).post(&cast.path("/accounts"), &body).refused(404, "notFound");
    let other = Cast::new(server);
    assert!(!replayed(
        &other.owner.header("Idempotency-Key", &key).post(&other.path("/accounts"), &body)
    ));
}

fn the_path_is_the_same_however_it_is_written(server: &Server) {
    let cast = Cast::new(server);
    let owner = keyed(&cast.owner);
    let body = json!({"name": "Once"});
    let first = owner.post(&cast.path("/groups"), &body);
    for rest in ["/groups?", "/groups/", "/groups/?", "/groups?key=k&time=1", "/groups/?time=2"] {
        same(&first, &owner.post(&cast.path(rest), &body));
    }
    assert_eq!(column(&cast.owner.get(&cast.path("/groups")).ok(), "name"), ["Once"]);
}

fn parameters_belong_to_the_request(server: &Server) {
    let cast = Cast::new(server);
    let owner = keyed(&cast.owner);
    let create = |query: &str| {
        owner.post(&cast.path(&format!("/transactions?{query}")), &json!({"description": "Once"}))
    };
    let first = create("timeZone=Europe/Lisbon&more=1");
    for query in ["more=1&timeZone=Europe/Lisbon", "timeZone=Europe%2FLisbon&time=9&more=1&key=x"] {
        same(&first, &create(query));
    }
    for query in [
        "",
        "timeZone=Europe/Lisbon",
        "timeZone=Europe/Lisbon&more=2",
        "timeZone=UTC&more=1",
        "timeZone=Europe/Lisbon&more=1&more=1",
    ] {
        create(query).refused(422, "idempotencyKeyReused");
    }
    assert_eq!(column(&cast.owner.get(&cast.path("/transactions")).ok(), "description"), ["Once"]);
}

/// Keys outlive what they refer to; without one a second DELETE answers 404 (10.7).
fn deletes_get_their_first_answer(server: &Server) {
    let cast = Cast::new(server);
    let account = cast.account("Cash", "ASSET");
    let path = cast.path(&format!("/accounts/{}", id(&account)));
    let owner = keyed(&cast.owner);
    let first = owner.delete(&path);
    assert_eq!(first.clone().ok()["name"], "Cash");
    same(&first, &owner.delete(&path));
    cast.owner.delete(&path).refused(404, "notFound");
    keyed(&cast.owner).delete(&path).refused(404, "notFound");
    // A body is ignored here (0.8), so it makes no other request.
    same(&first, &owner.send_raw("DELETE", &path, Some("application/json"), b"{}"));

    let first = owner.delete(&cast.path(""));
    assert_eq!(first.status, 200, "{}", first.text);
    same(&first, &owner.delete(&cast.path("")));
    same(&first, &owner.delete(&cast.path("/?")));
    cast.owner.delete(&cast.path("")).refused(404, "notFound");
    // What was in the book is out of sight with it (0.27).
    owner.delete(&path).refused(404, "notFound");
    cast.owner.post(&cast.path("/restore"), &Value::Null).ok();
    assert!(replayed(&owner.delete(&path)), "and is answered when it is back");
}

fn the_caller_is_known_before_the_answer(server: &Server) {
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
    same(&first, &create(&cast.editor));
}

fn requests_at_the_same_time_are_done_once(server: &Server) {
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
        answers.iter().filter(|answer| !replayed(answer)).count(),
        1,
        "one of them was done"
    );
    assert!(answers.iter().all(|answer| answer.text == answers[0].text && answer.status == 200));
    assert_eq!(column(&cast.owner.get(&path).ok(), "id").len(), 1);
    let balances = cast.owner.get(&cast.path("/balances?query=account:Cash")).ok();
    assert_eq!(balances["accountBalances"][0]["cumulativeBalance"], "5.00", "{balances}");
}

/// From nothing at all to the answer of a full batch.
fn answers_of_every_size(server: &Server) {
    let cast = Cast::new(server);
    let (batch, checks) = (keyed(&cast.owner), keyed(&cast.owner));
    let items: Vec<Value> = (0..1000)
        .map(|number| json!({"description": format!("Číslo {number} {}", "x".repeat(500))}))
        .collect();
    let create = || batch.post(&cast.path("/transactions/batch"), &json!({"items": items}));
    let first = create();
    assert!(first.text.len() > 500_000, "{}", first.text.len());
    same(&first, &create());
    assert_eq!(
        column(&cast.owner.get(&cast.path("/transactions?limit=1000")).ok(), "id").len(),
        1000
    );
    let none = || checks.patch(&cast.path("/transactions/check/batch"), &json!({"items": []}));
    let (first, again) = (none(), none());
    same(&first, &again);
    again.no_content();
}
