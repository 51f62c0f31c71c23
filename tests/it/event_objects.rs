//! The object of an event has the fields and values of the resource (8.2), for each resource type.

use daybook_tests::{Cast, Server, bots};
use serde_json::{Value, json};

use crate::reading::{Faults, id, items};

pub fn tests() -> Vec<crate::Case> {
    crate::cases![rule_8_2_event_object_equals_the_resource]
}

/// Fields of a book that depend on the reader or the moment; events show them in `book`.
const OF_A_READER: [&str; 6] = [
    "permission",
    "collection",
    "lastUpdateMs",
    "totalTransactions",
    "totalTransactionsCurrentMonth",
    "totalTransactionsCurrentYear",
];

/// Returns the object of the last event of a type, which names its resource (8.4).
#[track_caller]
fn object(cast: &Cast, kind: &str) -> Value {
    let list = cast.read(&format!("/events?type={kind}&limit=1"));
    let event = &items(&list)[0];
    let object = &event["data"]["object"];
    let resource = object.get("transaction").unwrap_or(object);
    assert_eq!(event["resource"], resource["id"], "8.4: {kind}");
    object.clone()
}

/// Returns whether `shown` contains all of `read`; groups of an account may have more fields.
fn covers(shown: &Value, read: &Value) -> bool {
    match (shown, read) {
        (Value::Object(shown), Value::Object(read)) => read
            .iter()
            .all(|(field, value)| shown.get(field).is_some_and(|shown| covers(shown, value))),
        (Value::Array(shown), Value::Array(read)) => {
            let pairs = shown.iter().zip(read);
            shown.len() == read.len() && pairs.into_iter().all(|(one, other)| covers(one, other))
        }
        (shown, read) => shown == read,
    }
}

fn fields(resource: &Value) -> Vec<&String> {
    resource.as_object().expect("an object").keys().collect()
}

fn rule_8_2_event_object_equals_the_resource(server: &Server) {
    let cast = Cast::new(server);
    let owner = &cast.owner;
    let properties = json!({"p": "q"});
    let post = |path: &str, body: Value| owner.post(&cast.path(path), &body).ok();
    let top = json!({"name": "Top", "hidden": true, "properties": properties});
    post("/groups", top);
    let group = post("/groups", json!({"name": "Trips", "parent": {"name": "Top"}}));
    let account = json!({"name": "Train", "type": "OUTGOING", "groups": [{"name": "Trips"}],
        "properties": properties});
    let account = post("/accounts", account);
    let transaction = json!({"date": "2026-01-31", "amount": "1.5", "description": "ride #rail",
        "debitAccount": {"id": account["id"]}, "urls": ["https://example.com/1"],
        "remoteIds": ["r1"], "properties": properties});
    let transaction = post("/transactions", transaction)["transaction"].clone();
    let file = json!({"name": "a.txt", "content": "YQ==", "properties": properties});
    let file = post("/files", file);
    let query = post("/queries", json!({"title": "Rides", "query": "#rail"}));
    let sharing = json!({"email": "guest@example.com", "permission": "VIEWER"});
    let collaborator = post("/collaborators", sharing);
    let app = bots::register(owner, "http://127.0.0.1:9/");
    let integration = bots::install(owner, &cast.book, &app);
    let zoned = json!({"id": cast.book, "timeZone": "Asia/Tokyo", "properties": properties});
    let book = owner.put("/v5/books", &zoned).ok();

    let read = |path: &str| owner.get(&cast.path(path)).ok();
    let one = |noun: &str, resource: &Value| read(&format!("/{noun}/{}", id(resource)));
    let listed = |noun: &str, wanted: &Value| {
        let list = read(&format!("/{noun}"));
        items(&list).iter().find(|item| item["id"] == *wanted).expect("it is listed").clone()
    };
    let operation = object(&cast, "TRANSACTION_CREATED");
    let mut faults = Faults::default();
    for (what, shown, read, only_read) in [
        ("book", object(&cast, "BOOK_UPDATED"), read(""), OF_A_READER.to_vec()),
        ("group", object(&cast, "GROUP_CREATED"), one("groups", &group), vec![]),
        ("account", object(&cast, "ACCOUNT_CREATED"), one("accounts", &account), vec![]),
        (
            "transaction",
            operation["transaction"].clone(),
            one("transactions", &transaction),
            vec![],
        ),
        ("file", object(&cast, "FILE_CREATED"), one("files", &file), vec!["content"]),
        ("query", object(&cast, "QUERY_CREATED"), listed("queries", &query["id"]), vec![]),
        (
            "collaborator",
            object(&cast, "COLLABORATOR_ADDED"),
            listed("collaborators", &collaborator["id"]),
            vec![],
        ),
        (
            "integration",
            object(&cast, "INTEGRATION_CREATED"),
            listed("integrations", &json!(integration)),
            vec![],
        ),
    ] {
        for field in fields(&shown) {
            faults.check(covers(&shown[field], &read[field]), || {
                format!("{what}: {field} is {}, read as {}", shown[field], read[field])
            });
            faults.check(read.get(field).is_some(), || format!("{what}: {field} is never read"));
        }
        for field in fields(&read) {
            let expected = !only_read.contains(&field.as_str());
            faults.same(&format!("{what} has {field}"), &shown.get(field).is_some(), &expected);
        }
    }
    let side = &operation["accounts"][0];
    faults.check(covers(side, &one("accounts", &account)), || format!("a side is {side}"));
    assert_eq!(book["timeZoneOffset"], -540, "the book differs from the default");
    faults.none();
}
