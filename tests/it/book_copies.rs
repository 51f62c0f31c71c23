//! copyBook (6.6): settings, accounts, groups and saved queries are copied under new ids;
//! collaborators, events and collections are not. Transactions are in `copied_transactions`.

use daybook_tests::{Cast, Client, Server, column, encode, id, shows};
use serde_json::{Value, json};

use crate::Case;
use crate::reading::{batch, events, items, types};

pub fn tests() -> Vec<Case> {
    crate::cases![
        rule_6_6_settings_are_copied,
        rule_6_6_chart_and_queries_are_copied,
        rule_6_14_ids_in_saved_queries_are_replaced,
        rule_6_6_members_and_events_are_not_copied,
        rule_6_6_invalid_names_and_days_are_refused,
        rule_6_6_readers_copy_only_the_structure,
    ]
}

/// Creates a book with everything that is copied and some things that are not.
pub fn cast(server: &Server) -> Cast {
    let settings = json!({
        "name": "Source", "datePattern": "yyyy/MM/dd", "decimalSeparator": "COMMA",
        "fractionDigits": 3, "pageSize": 7, "period": "YEAR",
        "periodStartMonth": "APRIL", "timeZone": "Asia/Tokyo", "properties": {"industry": "coffee"},
        "visibility": "PUBLIC",
        "groups": [
            {"name": "Assets", "properties": {"order": "1"}, "locked": true},
            {"name": "Liquid", "parent": {"name": "Assets"}, "hidden": true},
            {"name": "Costs"}, {"name": "Everything"},
        ],
        "accounts": [
            {
                "name": "Cash", "type": "ASSET",
                "groups": [{"name": "Liquid"}, {"name": "Everything"}], "properties": {"iban": "x"},
            },
            {
                "name": "Food & Drink", "type": "OUTGOING",
                "groups": [{"name": "Costs"}, {"name": "Everything"}],
            },
            {"name": "Pay", "type": "INCOMING"}, {"name": "Old", "type": "LIABILITY"},
            {"name": "Unused", "type": "ASSET"},
        ],
    });
    let cast = Cast::with_settings(server, settings);
    let queries = [("Drafts", "is:draft"), ("", "account:Cash")];
    for (title, query) in queries {
        cast.post("/queries", &json!({"title": title, "query": query})).ok();
    }
    let books = json!({"items": [{"id": cast.book}]});
    let shelf = cast.owner.post("/v5/collections", &json!({"name": "Shelf"})).ok();
    cast.owner.patch(&format!("/v5/collections/{}/books/add", id(&shelf)), &books).ok();
    cast
}

pub fn entry(date: &str, amount: &str, sides: [&str; 2], description: &str) -> Value {
    json!({
        "date": date, "amount": amount, "creditAccount": {"name": sides[0]},
        "debitAccount": {"name": sides[1]}, "description": description,
    })
}

/// Records transactions in every state, not in the order of their dates.
pub fn fill(cast: &Cast) {
    let food = ["Cash", "Food & Drink"];
    let mut bread = entry("2025-03-05", "12,345", food, "Bread #food #daily");
    bread["remoteIds"] = json!(["bank-1", "bank-2"]);
    bread["urls"] = json!(["https://example.com/r"]);
    bread["properties"] = json!({"shop": "Corner", "empty_": "no"});
    let mut draft = entry("2025-01-09", "5", food, "A draft #food");
    draft["draft"] = json!(true);
    let made = cast.post(
        "/transactions/batch",
        &batch([
            bread,
            entry("2025-02-01", "2000,5", ["Pay", "Cash"], "Salary"),
            entry("2024-12-31", "0,001", ["Old", "Cash"], "Opening"),
            entry("2025-03-05", "7", food, "Same day, later"),
            draft,
            json!({
                "description": "Undated", "amount": "3", "debitAccount": {"name": "Food & Drink"},
            }),
            entry("2025-02-15", "99", food, "Trashed #food"),
            entry("2025-02-16", "100", food, "Checked #food"),
        ]),
    );
    let made = made.ok();
    cast.patch("/transactions/trash", &json!({"id": made["items"][6]["id"]})).ok();
    cast.patch("/transactions/check", &json!({"id": made["items"][7]["id"]})).ok();
    cast.put("/accounts", &json!({"name": "Old", "archived": true})).ok();
}

/// A copied book and its owner.
pub struct Copy {
    pub owner: Client,
    pub book: Value,
}

impl Copy {
    #[track_caller]
    pub fn make(owner: &Client, source: &str, query: &str) -> Copy {
        let book = owner.post(&format!("/v5/books/{source}/copy?{query}"), &Value::Null).ok();
        Copy { owner: owner.clone(), book }
    }

    pub fn path(&self, rest: &str) -> String {
        format!("/v5/books/{}{rest}", id(&self.book))
    }

    #[track_caller]
    pub fn read(&self, rest: &str) -> Value {
        self.owner.get(&self.path(rest)).ok()
    }
}

/// Removes ids, instants and creators from a resource.
pub fn bare(value: &Value) -> Value {
    const OWN: [&str; 6] = ["id", "createdAt", "updatedAt", "agentId", "createdBy", "lastUpdateMs"];
    match value {
        Value::Object(fields) => {
            let compared = fields.iter().filter(|(name, _)| !OWN.contains(&name.as_str()));
            Value::Object(compared.map(|(name, field)| (name.clone(), bare(field))).collect())
        }
        Value::Array(items) => Value::Array(items.iter().map(bare).collect()),
        other => other.clone(),
    }
}

/// Returns every id at any depth.
fn all_ids(value: &Value) -> Vec<String> {
    match value {
        Value::Object(fields) => {
            let own = fields.get("id").and_then(Value::as_str).map(str::to_owned);
            own.into_iter().chain(fields.values().flat_map(all_ids)).collect()
        }
        Value::Array(items) => items.iter().flat_map(all_ids).collect(),
        _ => Vec::new(),
    }
}

const LISTS: [&str; 4] = ["/accounts", "/groups", "/queries", "/transactions?limit=1000"];

/// 6.6: settings and properties; PRIVATE, owned by the caller, without lock and closing date.
fn rule_6_6_settings_are_copied(server: &Server) {
    let cast = cast(server);
    cast.put("", &json!({"lockDate": "2020-01-31", "closingDate": "2019-12-31"})).ok();
    let source = cast.editor.get(&cast.path("")).ok();
    let by_bot = cast.editor.header("service-agent-id", "cloner");
    let copy = Copy::make(&by_bot, &cast.book, "name=My%20Copy+2");
    let username = cast.editor.get("/v5/user").ok()["username"].clone();
    let own = json!({
        "name": "My Copy 2", "permission": "OWNER", "visibility": "PRIVATE", "ownerName": username,
        "lockDate": null, "closingDate": null,
        "agentId": "cloner", "collection": null, "totalTransactions": 0, "accounts": null,
    });
    shows(&copy.book, &own);
    assert_ne!(copy.book["id"], source["id"]);
    let mut expected = bare(&source);
    for field in ["name", "permission", "visibility", "ownerName"] {
        expected[field] = copy.book[field].clone();
    }
    for field in ["lockDate", "closingDate", "collection"] {
        expected.as_object_mut().expect("a book").remove(field);
    }
    assert_eq!(bare(&copy.book), expected, "other settings are equal");
    assert_eq!(bare(&copy.read("")), bare(&copy.book), "the response equals the stored book");
    cast.owner.get(&copy.path("")).refused(404, "notFound");
}

/// 6.14.
fn rule_6_14_ids_in_saved_queries_are_replaced(server: &Server) {
    let cast = cast(server);
    fill(&cast);
    let [cash, liquid] = ["/accounts/cash", "/groups/liquid"].map(|path| cast.read(path));
    let query = |cash: &Value, liquid: &Value| {
        format!("account:{} -group:'{}' on:2025", id(cash), id(liquid))
    };
    let saved = json!({"title": "By id", "query": query(&cash, &liquid)});
    cast.post("/queries", &saved).ok();
    let copy = Copy::make(&cast.owner, &cast.book, "name=Copy");
    let expected = query(&copy.read("/accounts/cash"), &copy.read("/groups/liquid"));
    assert!(column(&copy.read("/queries"), "query").contains(&expected), "6.14: {expected}");
    let source = cast.read("/queries");
    assert!(column(&source, "query").contains(&query(&cash, &liquid)), "the source keeps its ids");
}

/// 6.6: groups, accounts and saved queries get new ids and keep their relations.
fn rule_6_6_chart_and_queries_are_copied(server: &Server) {
    let cast = cast(server);
    fill(&cast);
    let copy = Copy::make(&cast.owner, &cast.book, "name=Copy");
    for list in LISTS {
        let (source, copied) = (cast.read(list), copy.read(list));
        let olds = all_ids(&source);
        let is_new = |id: &String| !olds.contains(id);
        assert!(all_ids(&copied).iter().all(is_new), "{list}: also ids of parents and groups");
        let mut expected = bare(&source);
        if list.starts_with("/transactions") {
            expected["items"] = json!([]);
        }
        if list == "/accounts" {
            for account in expected["items"].as_array_mut().expect("accounts") {
                account["hasTransactionPosted"] = json!(false);
            }
        }
        assert_eq!(bare(&copied), expected, "{list}");
    }
    let (cash, liquid) = (copy.read("/accounts/cash"), copy.read("/groups/liquid"));
    // The copy's own group.
    assert!(column(&json!({"items": cash["groups"]}), "id").contains(&id(&liquid).to_owned()));
    assert_eq!(liquid["parent"]["id"], copy.read("/groups/assets")["id"]);
    let of_balances = copy.read(&format!("/balances?query={}", encode("on:2025")));
    for group in of_balances["groupBalances"].as_array().expect("groups") {
        assert_eq!(group["cumulativeBalance"], "0.000");
    }
}

/// 6.6.
fn rule_6_6_members_and_events_are_not_copied(server: &Server) {
    let cast = cast(server);
    fill(&cast);
    let before = (cast.read("?loadAccounts=true"), events(&cast).len());
    let copy = Copy::make(&cast.owner, &cast.book, "name=Copy&copyTransactions=true");
    assert_eq!(column(&copy.read("/collaborators"), "email"), [cast.owner.email()]);
    for (permission, member) in cast.members().into_iter().skip(1) {
        assert_eq!(member.get(&copy.path("")).status, 404, "{permission}");
    }
    // 8.1: only BOOK_CREATED; the next event has the next number.
    let log = copy.read("/events");
    assert_eq!(types(items(&log)), ["BOOK_CREATED"]);
    let event = &log["items"][0];
    shows(event, &json!({"sequence": 1, "resource": copy.book["id"], "bookId": copy.book["id"]}));
    let object = json!({"id": copy.book["id"], "name": "Copy", "fractionDigits": 3});
    shows(&event["data"]["object"], &object);
    copy.owner.post(&copy.path("/groups"), &json!({"name": "New"})).ok();
    assert_eq!(items(&copy.read("/events"))[0]["sequence"], 2);
    // The source is unchanged.
    assert_eq!((cast.read("?loadAccounts=true"), events(&cast).len()), before);
}

/// 6.6, 0.9: a refused copy leaves nothing.
fn rule_6_6_invalid_names_and_days_are_refused(server: &Server) {
    let cast = cast(server);
    fill(&cast);
    let before = column(&cast.owner.get("/v5/books").ok(), "name");
    let copy = |query: &str| cast.post(&format!("/copy{query}"), &Value::Null);
    for query in ["", "?name=", "?name=%20", "?copyTransactions=true"] {
        assert!(copy(query).refused(400, "badRequest").contains("name is required"), "{query}");
    }
    copy(&format!("?name={}", "x".repeat(256))).refused(400, "badRequest");
    for day in ["2025-02-16", "20250230", "today", "-20250216", "2025", "202502160"] {
        for with in ["", "&copyTransactions=true", "&copyTransactions=false"] {
            let message =
                copy(&format!("?name=Copy&fromDate={day}{with}")).refused(400, "badRequest");
            assert!(message.contains("fromDate"), "{message}");
        }
    }
    assert_eq!(column(&cast.owner.get("/v5/books").ok(), "name"), before);
}

/// 6.6, 7.3: any reader except a RECORDER of a PRIVATE book copies the structure and owns the copy;
/// only the OWNER copies transactions.
fn rule_6_6_readers_copy_only_the_structure(server: &Server) {
    let cast = cast(server);
    fill(&cast);
    let copy = |reader: &Client, query: &str| {
        reader.post(&cast.path(&format!("/copy?name=Mine{query}")), &Value::Null)
    };
    for (who, reader) in [
        ("EDITOR", &cast.editor),
        ("POSTER", &cast.poster),
        ("VIEWER", &cast.viewer),
        ("RECORDER", &cast.recorder),
        ("PUBLIC", &cast.stranger),
    ] {
        copy(reader, "&copyTransactions=true").refused(403, "forbidden");
        let made = copy(reader, "").ok();
        shows(&made, &json!({"permission": "OWNER", "visibility": "PRIVATE"}));
        let rest = |noun: &str| reader.get(&format!("/v5/books/{}{noun}", id(&made))).ok();
        assert_eq!(items(&rest("/accounts")).len(), 5, "{who}");
        assert_eq!(items(&rest("/queries")).len(), 2, "{who}");
        // 4.15: the new owner may unlock.
        reader
            .put(
                &format!("/v5/books/{}/groups", id(&made)),
                &json!({"name": "Assets", "locked": false}),
            )
            .ok();
    }
    cast.put("", &json!({"visibility": "PRIVATE"})).ok();
    copy(&cast.recorder, "").refused(403, "forbidden");
    copy(&cast.stranger, "").refused(404, "notFound");
}
