//! Round trips (0.10, 3.10, 4.9, 6.4): a client reads a whole object, changes one field and sends
//! all of it back, including unknown fields and other values in read-only ones. Only that field and
//! the fields derived from it change. The same holds when the client sends only that field.
//!
//! One case per resource and field, from a table: a new resource or field is a row.

use daybook_tests::{Cast, Client, Server, id, unique};
use serde_json::{Map, Value, json};

use crate::Case;
use crate::reading::items;

/// A kind of object, and how it is read and written.
struct Resource {
    name: &'static str,
    /// Reads the object.
    read: fn(&Fixture) -> Value,
    /// Sends it back; returns the object of the response.
    send: fn(&Fixture, &Value) -> Value,
    fields: &'static [Change],
}

/// A field, its new value, and the fields that follow from it.
struct Change {
    field: &'static str,
    /// As JSON.
    value: &'static str,
    follows: &'static [&'static str],
}

const fn to(field: &'static str, value: &'static str) -> Change {
    Change { field, value, follows: &[] }
}

const fn moving(
    field: &'static str,
    value: &'static str,
    follows: &'static [&'static str],
) -> Change {
    Change { field, value, follows }
}

const NAME: &[&str] = &["normalizedName"];
const DAY: &[&str] = &["dateValue", "dateFormatted"];
const TRANSACTION: &[Change] = &[
    to("amount", "\"7.50\""),
    moving("date", "\"2025-02-03\"", DAY),
    moving("description", "\"Other #new words\"", &["tags"]),
    to("creditAccount", "{\"name\": \"Bank\"}"),
    to("debitAccount", "{\"name\": \"Rent\"}"),
    to("urls", "[\"https://example.com/b\"]"),
    to("remoteIds", "[\"other\"]"),
    to("properties", "{\"shop\": \"corner\", \"till\": \"2\"}"),
];

const RESOURCES: &[Resource] = &[
    Resource {
        name: "account",
        read: |s| s.get("/accounts/Cash"),
        send: |s, body| s.put("/accounts", body),
        fields: &[
            moving("name", "\"Till\"", NAME),
            moving("type", "\"LIABILITY\"", &["credit", "permanent", "groups"]),
            to("archived", "true"),
            to("groups", "[{\"name\": \"Assets\"}]"),
            to("minBalance", "\"-7.50\""),
            to("properties", "{\"iban\": \"x\", \"bic\": \"y\"}"),
        ],
    },
    Resource {
        name: "group",
        read: |s| s.get("/groups/Liquid"),
        send: |s, body| s.put("/groups", body),
        fields: &[
            moving("name", "\"Fluid\"", NAME),
            to("parent", "{\"name\": \"Other\"}"),
            to("hidden", "false"),
            to("locked", "false"),
            to("properties", "{\"order\": \"1\", \"b\": \"2\"}"),
        ],
    },
    Resource {
        name: "book_by_body",
        read: |s| s.get(""),
        send: |s, body| s.client.put("/v5/books", body).ok(),
        fields: BOOK,
    },
    Resource {
        name: "book_by_path",
        read: |s| s.get(""),
        send: |s, body| s.put("", body),
        fields: BOOK,
    },
    Resource {
        name: "draft",
        read: |s| s.transaction("is:draft"),
        send: |s, body| s.put("/transactions", body)["transaction"].clone(),
        fields: TRANSACTION,
    },
    Resource {
        name: "posted",
        read: |s| s.transaction("is:unchecked"),
        send: |s, body| s.put("/transactions", body)["transaction"].clone(),
        fields: TRANSACTION,
    },
    Resource {
        name: "saved_query",
        read: |s| items(&s.get("/queries"))[0].clone(),
        send: |s, body| s.put("/queries", body),
        fields: &[to("title", "\"New\""), to("title", "\"\""), to("query", "\"is:checked #a\"")],
    },
    Resource {
        name: "integration",
        read: |s| items(&s.get("/integrations"))[0].clone(),
        send: |s, body| s.put("/integrations", body),
        fields: &[
            moving("name", "\"New\"", NAME),
            to("properties", "{\"a\": \"b\"}"),
            to("reach", "\"BOOK\""),
            to("ownEvents", "false"),
        ],
    },
    Resource {
        name: "collection",
        read: |s| items(&s.client.get("/v5/collections").ok())[0].clone(),
        send: |s, body| s.client.put("/v5/collections", body).ok(),
        fields: &[to("name", "\"New\"")],
    },
    // The upsert of behaviour 7.5 is a POST.
    Resource {
        name: "collaborator",
        read: |s| items(&s.get("/collaborators"))[1].clone(),
        send: |s, body| s.client.post(&s.path("/collaborators"), body).ok(),
        fields: &[to("permission", "\"VIEWER\"")],
    },
];

const BOOK: &[Change] = &[
    to("name", "\"New\""),
    to("autoPost", "false"),
    to("lockDate", "\"2001-03-01\""),
    to("closingDate", "\"2001-03-01\""),
    to("datePattern", "\"MM/dd/yyyy\""),
    to("decimalSeparator", "\"COMMA\""),
    to("fractionDigits", "4"),
    to("pageSize", "8"),
    to("period", "\"YEAR\""),
    to("periodStartMonth", "\"MAY\""),
    moving("timeZone", "\"Asia/Tokyo\"", &["timeZoneOffset"]),
    to("visibility", "\"PUBLIC\""),
    to("properties", "{\"industry\": \"coffee\", \"b\": \"2\"}"),
];

/// The read-only fields of each kind of object.
const READ_ONLY: &[(&str, &[&str])] = &[
    (
        "account",
        &["normalizedName", "credit", "permanent", "balanceVerified", "hasTransactionPosted"],
    ),
    (
        "group",
        &["normalizedName", "type", "credit", "permanent", "mixed", "hasAccounts", "hasGroups"],
    ),
    (
        "book",
        &[
            "permission",
            "ownerName",
            "timeZoneOffset",
            "lastUpdateMs",
            "totalTransactions",
            "totalTransactionsCurrentMonth",
            "totalTransactionsCurrentYear",
            "collection",
        ],
    ),
    ("draft", STATE),
    ("posted", STATE),
    (
        "integration",
        &[
            "addedBy",
            "bookId",
            "dateAddedMs",
            "lastUpdateMs",
            "logo",
            "logoDark",
            "normalizedName",
            "userId",
        ],
    ),
    ("collection", &["ownerUsername", "permission", "books"]),
    // The e-mail identifies the collaborator.
    ("collaborator", &["email", "avatarUrl"]),
];

/// Files have their own tests; states change by verbs (3.4.4).
const STATE: &[&str] = &[
    "dateValue",
    "dateFormatted",
    "tags",
    "posted",
    "draft",
    "checked",
    "trashed",
    "createdBy",
    "files",
    "agentName",
    "agentLogo",
    "agentLogoDark",
];

impl Resource {
    fn read_only(&self) -> impl Iterator<Item = &'static str> {
        let kinds = READ_ONLY.iter().filter(move |(name, _)| self.name.starts_with(name));
        kinds.flat_map(|(_, fields)| fields.iter().copied())
    }

    /// The read-only fields that the server ignores. Transactions have flags that it reads (3.4.2),
    /// and the e-mail identifies a collaborator.
    fn ignored(&self) -> impl Iterator<Item = &'static str> {
        let reads_some = ["draft", "posted", "collaborator"].contains(&self.name);
        self.read_only().filter(move |_| !reads_some)
    }
}

pub fn tests() -> Vec<Case> {
    let mut cases = crate::cases![every_writable_field_has_a_row];
    for resource in RESOURCES {
        let name = format!("{}_as_it_was_read", resource.name);
        cases.push(Case::shared(name, move |server| unchanged(server, resource)));
        for (number, change) in resource.fields.iter().enumerate() {
            for (suffix, whole) in [("", true), ("_alone", false)] {
                let name = format!("{}_{number}_{}{suffix}", resource.name, change.field);
                let case = move |server: &Server| changed(server, resource, change, whole);
                cases.push(Case::shared(name, case));
            }
        }
    }
    cases
}

/// A book with one object of every kind, with all fields set.
struct Fixture {
    client: Client,
    cast: Cast,
}

impl Fixture {
    fn new(server: &Server) -> Fixture {
        let settings = json!({
            "name": "Book", "lockDate": "2001-01-31", "closingDate": "2001-02-28",
            "properties": {"industry": "coffee"}, "pageSize": 7,
            "timeZone": "America/Sao_Paulo", "period": "QUARTER",
            "groups": [
                {"name": "Assets"}, {"name": "Other"},
                {
                    "name": "Liquid", "parent": {"name": "Assets"}, "hidden": true, "locked": true,
                    "properties": {"order": "1"},
                },
            ],
            "accounts": [
                {
                    "name": "Cash", "type": "ASSET",
                    "groups": [{"name": "Liquid"}, {"name": "Other"}], "properties": {"iban": "x"},
                },
                {"name": "Bank", "type": "ASSET"}, {"name": "Food", "type": "OUTGOING"},
                {"name": "Rent", "type": "OUTGOING"},
            ],
        });
        let cast = Cast::with_settings(server, settings);
        let client = cast.owner.header("service-agent-id", "importer");
        let fixture = Fixture { client, cast };
        let transaction = |draft: bool| {
            json!({
                "date": "2025-01-31", "amount": "5.25", "creditAccount": {"name": "Cash"},
                "debitAccount": {"name": "Food"},
                "description": "Bread #food", "urls": ["https://example.com/a"],
                "remoteIds": [format!("r-{draft}")],
                "properties": {"shop": "corner"}, "draft": draft,
            })
        };
        fixture
            .client
            .post(
                &fixture.path("/transactions/batch"),
                &json!({"items": [transaction(true), transaction(false)]}),
            )
            .ok();
        fixture
            .client
            .post(&fixture.path("/queries"), &json!({"title": "Title", "query": "account:Cash"}))
            .ok();
        let app = json!({"id": unique("app"), "name": "App"});
        let app = fixture.client.post("/v5/apps", &app).ok();
        fixture.client.post(&fixture.path("/integrations"), &json!({"agentId": app["id"]})).ok();
        let shelf = fixture.client.post("/v5/collections", &json!({"name": "Shelf"})).ok();
        let books = json!({"items": [{"id": fixture.cast.book}]});
        fixture.client.patch(&format!("/v5/collections/{}/books/add", id(&shelf)), &books).ok();
        fixture
    }

    fn path(&self, rest: &str) -> String {
        self.cast.path(rest)
    }

    #[track_caller]
    fn get(&self, rest: &str) -> Value {
        self.client.get(&self.path(rest)).ok()
    }

    #[track_caller]
    fn put(&self, rest: &str, body: &Value) -> Value {
        self.client.put(&self.path(rest), body).ok()
    }

    /// The only transaction in that state.
    #[track_caller]
    fn transaction(&self, query: &str) -> Value {
        let found = self.get(&format!("/transactions?query={query}"));
        assert_eq!(items(&found).len(), 1, "{found}");
        self.get(&format!("/transactions/{}", id(&items(&found)[0])))
    }

    /// Everything except the object under test.
    fn rest(&self, object: &str) -> Value {
        let events = items(&self.get("/events?limit=200")).len();
        let lists =
            ["/accounts", "/groups", "/transactions?limit=1000", "/queries", "/collaborators"].map(
                |list| {
                    let mut list = self.get(list);
                    list["items"]
                        .as_array_mut()
                        .expect("items")
                        .retain(|item| item["id"] != object);
                    list
                },
            );
        json!({"events": events, "lists": lists})
    }
}

/// The object with a field that the server does not know, with other values in the fields that it
/// ignores, and with resources that are changed elsewhere.
fn with_extras(resource: &Resource, object: &Value) -> Value {
    let mut sent = object.clone();
    sent["clientState"] = json!({"open": true});
    sent["agentId"] = json!("forged");
    for field in resource.ignored() {
        sent[field] = match &sent[field] {
            Value::Bool(flag) => json!(!flag),
            Value::Number(_) => json!(77),
            Value::Array(_) => json!([]),
            _ => json!("forged"),
        };
    }
    if resource.name.starts_with("book") {
        sent["accounts"] = json!([{"name": "New"}]);
        sent["groups"] = json!([]);
    }
    sent
}

/// 8.1: a no-op changes nothing and has no event.
fn unchanged(server: &Server, resource: &Resource) {
    let fixture = Fixture::new(server);
    let before = (resource.read)(&fixture);
    let rest = fixture.rest(id(&before));
    let answered = (resource.send)(&fixture, &with_extras(resource, &before));
    assert_eq!(shown(&answered, &before), before, "what is answered");
    assert_eq!((resource.read)(&fixture), before, "what is there");
    assert_eq!(fixture.rest(id(&before)), rest, "nothing else changed, and nothing happened");
}

/// The response, reduced to the fields of the object that was read, because rows and responses have
/// different extras.
fn shown(answered: &Value, read: &Value) -> Value {
    let fields = read.as_object().expect("an object").keys();
    Value::Object(fields.map(|field| (field.clone(), answered[field].clone())).collect())
}

fn changed(server: &Server, resource: &Resource, change: &Change, whole: bool) {
    let fixture = Fixture::new(server);
    let before = (resource.read)(&fixture);
    let value: Value = serde_json::from_str(change.value).expect("the table holds JSON");
    assert!(!says(&before[change.field], &value), "the table changes {}: {before}", change.field);
    let mut sent = if whole {
        with_extras(resource, &before)
    } else {
        let identity = ["id", "email"].into_iter().filter(|field| before.get(field).is_some());
        identity.map(|field| (field.to_owned(), before[field].clone())).collect()
    };
    sent[change.field] = value.clone();
    (resource.send)(&fixture, &sent);
    // By its id, because its name may have changed.
    let after = find(&fixture, resource, id(&before));
    assert!(
        says(&after[change.field], &value),
        "{} is {}, not {value}",
        change.field,
        after[change.field]
    );
    assert!(after["updatedAt"].as_str() >= before["updatedAt"].as_str());
    let free = |name: &str| {
        let stamps = ["updatedAt", "lastUpdateMs"];
        name == change.field
            || stamps.contains(&name)
            || change.follows.contains(&name)
            || is_around(name)
    };
    let stored = |object: &Value| -> Map<String, Value> {
        let fields = object.as_object().expect("an object").iter().filter(|(name, _)| !free(name));
        fields.map(|(name, value)| (name.clone(), value.clone())).collect()
    };
    assert_eq!(stored(&after), stored(&before), "nothing else is lost");
}

/// Fields that embed the object under test, and so change with it.
fn is_around(name: &str) -> bool {
    matches!(name, "collection")
}

fn find(fixture: &Fixture, resource: &Resource, object: &str) -> Value {
    match resource.name {
        "account" => fixture.get(&format!("/accounts/{object}")),
        "group" => fixture.get(&format!("/groups/{object}")),
        "draft" | "posted" => fixture.get(&format!("/transactions/{object}")),
        _ => (resource.read)(fixture),
    }
}

/// Whether a field has the value that was sent; references are compared by name.
fn says(found: &Value, sent: &Value) -> bool {
    match (found, sent) {
        (Value::Object(found), Value::Object(sent)) if sent.contains_key("name") => {
            found.get("name") == sent.get("name")
        }
        (Value::Array(found), Value::Array(sent)) => {
            found.len() == sent.len()
                && found.iter().zip(sent).all(|(found, sent)| says(found, sent))
        }
        _ => found == sent,
    }
}

/// Completeness: every field of the objects has a row or is read-only (9.13).
fn every_writable_field_has_a_row(server: &Server) {
    let fixture = Fixture::new(server);
    for resource in RESOURCES {
        let object = (resource.read)(&fixture);
        let stamps = ["id", "createdAt", "updatedAt", "agentId"];
        let known: Vec<&str> = resource.read_only().chain(stamps).collect();
        let missing: Vec<&String> = object
            .as_object()
            .expect("an object")
            .keys()
            .filter(|field| {
                !known.contains(&field.as_str())
                    && !resource.fields.iter().any(|change| change.field == field.as_str())
            })
            .collect();
        assert!(missing.is_empty(), "{}: {missing:?} have no row", resource.name);
    }
}
