//! Regression cases for requests that once violated a rule.

use std::fmt::Write;

use daybook_tests::{CASH_AND_FOOD, Cast, Server, column, id};
use serde_json::{Value, json};

use crate::Case;

pub fn tests() -> Vec<Case> {
    crate::cases![
        arrays_are_not_accepted_as_objects,
        freed_name_can_be_taken_within_a_batch,
        child_and_parent_can_be_deleted_in_one_batch,
        parent_of_a_locked_group_needs_the_owner,
        balances_include_the_first_century,
        more_than_1000_hashtags_are_refused,
        more_than_1000_remote_ids_are_refused,
        too_many_index_entries_are_refused,
        too_large_properties_are_refused,
        too_many_embedded_accounts_are_refused,
        too_long_urls_are_refused,
        too_long_query_texts_are_refused,
        event_of_another_user_shows_the_creator,
        batch_of_one_item_names_its_index,
        property_key_and_value_are_separate_in_queries,
        deleting_a_long_chain_of_groups_is_refused,
    ]
}

/// 0.10: serde would read a struct from an array by position.
fn arrays_are_not_accepted_as_objects(server: &Server) {
    let cast = Cast::new(server);
    let refused = |path: &str, body: Value| cast.post(path, &body).refused(400, "invalid");
    refused("/transactions", json!([]));
    refused("/accounts", json!(["9", "By position"]));
    refused("/accounts/batch", json!([[{"name": "By position"}]]));
    refused("/accounts/batch", json!({"items": [["9", "By position"]]}));
    refused("/groups", json!({"name": "G", "parent": ["9"]}));
    refused("/transactions", json!({"amount": "1", "creditAccount": ["9"]}));
    refused("/collaborators", json!(["a@example.com", "VIEWER"]));
    cast.put("", &json!([])).refused(400, "invalid");
    assert_eq!(cast.read("/transactions")["items"], json!([]));
    assert_eq!(cast.read("/accounts")["items"], json!([]));
}

/// 3.9.2: each change of a transaction writes all its URLs.
fn too_long_urls_are_refused(server: &Server) {
    let cast = Cast::new(server);
    let of = |bytes: usize| format!("https://x.org/{}", "é".repeat((bytes - 14) / 2));
    let path = cast.path("/transactions");
    let made = cast.owner.post(&path, &json!({"description": "a", "urls": [of(2_048)]})).ok();
    assert_eq!(made["transaction"]["urls"], json!([of(2_048)]));
    let long = json!(["https://x.org", of(2_050)]);
    let message = cast
        .owner
        .post(&path, &json!({"description": "b", "urls": long}))
        .refused(400, "badRequest");
    assert_eq!(message, "a URL has 2050 bytes; at most 2048 are allowed");
    let together = |count| json!({"description": "c", "urls": vec![of(2_048); count]});
    assert_eq!(cast.owner.post(&path, &together(64)).ok()["transaction"]["urls"][63], of(2_048));
    let message = cast.owner.post(&path, &together(65)).refused(400, "badRequest");
    assert_eq!(message, "the URLs have 133120 bytes together; at most 131072 are allowed");
    let changes = json!({"id": id(&made["transaction"]), "urls": long});
    cast.owner.put(&path, &changes).refused(400, "badRequest");
    let kept = cast.read("/transactions?query=a");
    assert_eq!(kept["items"][0]["urls"], json!([of(2_048)]), "nothing is changed");
    // A typed text is never refused (3.8.5).
    let text = format!("lunch 12 {}", of(2_050));
    let typed = cast.owner.post(&path, &json!({"description": text})).ok()["transaction"].clone();
    assert_eq!(typed["urls"], json!([]));
    assert_eq!(typed["description"], format!("lunch {}", of(2_050)));
}

/// 1.7.4: each candidate description is compared with the text.
fn too_long_query_texts_are_refused(server: &Server) {
    let cast = Cast::new(server);
    let asked = |text: &str| {
        let query = daybook_tests::encode(text);
        ["/transactions?query=", "/transactions/count?query="]
            .map(|path| cast.get(&format!("{path}{query}")))
    };
    for answer in asked(&"a".repeat(256)) {
        answer.ok();
    }
    for text in ["a".repeat(257), format!("is:draft OR -'{}'", "a ".repeat(129))] {
        for answer in asked(&text) {
            let message = answer.refused(400, "queryTooLarge");
            assert!(message.contains("characters in one text; at most 256"), "{message}");
        }
    }
}

/// 4.5: also when an item is repeated.
fn freed_name_can_be_taken_within_a_batch(server: &Server) {
    let cast = Cast::new(server);
    for kind in ["accounts", "groups"] {
        let made = cast
            .post(&format!("/{kind}/batch"), &json!({"items": [{"name": "A"}, {"name": "B"}]}))
            .ok();
        let [a, b] = [id(&made["items"][0]), id(&made["items"][1])];
        let put = |items: Value| cast.put(&format!("/{kind}/batch"), &json!({"items": items})).ok();
        let renamed =
            put(json!([{"id": a, "name": "C"}, {"id": b, "name": "A"}, {"id": a, "name": "D"}]));
        assert_eq!(column(&renamed, "name"), ["D", "A", "D"], "{kind}");
        let exchanged =
            put(json!([{"id": a, "name": "X"}, {"id": b, "name": "D"}, {"id": a, "name": "A"}]));
        assert_eq!(column(&exchanged, "name"), ["A", "D", "A"], "{kind}");
        assert_eq!(column(&cast.read(&format!("/{kind}")), "name"), ["A", "D"], "{kind}");
    }
}

/// 4.14.
fn child_and_parent_can_be_deleted_in_one_batch(server: &Server) {
    let cast = Cast::new(server);
    let items = json!({
        "items": [
            {"name": "P"}, {"name": "C", "parent": {"name": "P"}},
            {"name": "G", "parent": {"name": "C"}},
        ],
    });
    let made = cast.post("/groups/batch", &items).ok();
    let doomed = json!({"items": [{"id": made["items"][1]["id"]}, {"id": made["items"][0]["id"]}]});
    cast.post("/groups/delete/batch", &doomed).ok();
    let left = cast.read("/groups");
    assert_eq!(column(&left, "name"), ["G"]);
    assert_eq!(left["items"][0]["parent"], Value::Null, "the grandchild has moved to the top");
}

/// 4.15: deleting the parent changes the locked group.
fn parent_of_a_locked_group_needs_the_owner(server: &Server) {
    let cast = Cast::new(server);
    let items =
        json!({"items": [{"name": "P"}, {"name": "C", "parent": {"name": "P"}, "locked": true}]});
    let made = cast.post("/groups/batch", &items).ok();
    let path = cast.path(&format!("/groups/{}", id(&made["items"][0])));
    cast.editor.delete(&path).refused(403, "forbidden");
    cast.owner.delete(&path).ok();
}

/// 5.5: as a number, a day of the year 26 is smaller than a current month.
fn balances_include_the_first_century(server: &Server) {
    let cast = Cast::with_accounts(server, &CASH_AND_FOOD);
    cast.record("0026-01-15", "3.00", "Cash", "Food", "a slip of the pen");
    cast.record("2026-01-15", "4.00", "Cash", "Food", "lunch");
    for query in [
        "account:Cash before:2026-01-16",
        "account:Cash by:d before:2027",
        "account:Cash by:m before:2027",
    ] {
        let encoded = query.replace(' ', "%20");
        let balances = cast.read(&format!("/balances?query={encoded}"));
        assert_eq!(balances["accountBalances"][0]["cumulativeBalance"], "7.00", "{query}");
    }
}

/// 3.9.1, 10.9.
fn more_than_1000_hashtags_are_refused(server: &Server) {
    let cast = Cast::new(server);
    let text = |count: usize| {
        (0..count).fold(String::new(), |mut text, number| {
            write!(text, "#t{number} ").expect("a string takes everything");
            text
        })
    };
    let made = cast.post("/transactions", &json!({"description": text(1_000)})).ok();
    assert_eq!(made["transaction"]["tags"].as_array().map(Vec::len), Some(1_000));
    cast.post("/transactions", &json!({"description": text(1_001)})).refused(400, "badRequest");
    cast.post("/transactions", &json!({"description": text(120_000)})).refused(400, "badRequest");
}

/// 3.7.5 and 10.9.
fn more_than_1000_remote_ids_are_refused(server: &Server) {
    let cast = Cast::new(server);
    let ids = |count: usize| (0..count).map(|number| format!("r{number}")).collect::<Vec<_>>();
    let made = cast.post("/transactions", &json!({"remoteIds": ids(1_000)})).ok();
    assert_eq!(made["transaction"]["remoteIds"].as_array().map(Vec::len), Some(1_000));
    cast.post("/transactions", &json!({"remoteIds": ids(40_000)})).refused(400, "badRequest");
    let items: Vec<Value> = (0..60)
        .map(|item| {
            json!({"remoteIds": (0..900).map(|n| format!("i{item}-{n}")).collect::<Vec<_>>()})
        })
        .collect();
    cast.post("/transactions/batch", &json!({"items": items})).ok();
}

/// 10.10: in all items of a create or an update together.
fn too_many_index_entries_are_refused(server: &Server) {
    let cast = Cast::new(server);
    let full =
        || (0..1_000).map(|key| (format!("k{key}"), json!("v"))).collect::<serde_json::Map<_, _>>();
    let items = |count: usize| json!({"items": vec![json!({"properties": full()}); count]});
    let message = cast.post("/transactions/batch", &items(51)).refused(400, "badRequest");
    assert!(message.contains("100000"), "the limit is named: {message}");
    let made = cast.post("/transactions", &json!({"description": "x"})).ok();
    let mut updates = items(51);
    for item in updates["items"].as_array_mut().expect("items") {
        item["id"] = made["transaction"]["id"].clone();
    }
    cast.put("/transactions/batch", &updates).refused(400, "badRequest");
    cast.post("/transactions/batch", &items(10)).ok();
}

/// 4.6: in total per resource.
fn too_large_properties_are_refused(server: &Server) {
    let cast = Cast::new(server);
    let of = |count: usize| {
        (0..count)
            .map(|key| (format!("k{key}"), json!("v".repeat(8_000))))
            .collect::<serde_json::Map<_, _>>()
    };
    for (path, name) in
        [("/transactions", "T"), ("/accounts", "A"), ("/groups", "G"), ("/files", "F")]
    {
        let body =
            |count: usize| json!({"name": name, "description": name, "properties": of(count)});
        cast.post(path, &body(17)).refused(400, "badRequest");
        cast.post(path, &body(16)).ok();
    }
    cast.owner
        .put("/v5/books", &json!({"id": cast.book, "properties": of(17)}))
        .refused(400, "badRequest");
    cast.owner.put("/v5/books", &json!({"id": cast.book, "properties": of(16)})).ok();
    cast.owner
        .put("/v5/books", &json!({"id": cast.book, "properties": {"more": "v".repeat(4_000)}}))
        .refused(400, "badRequest");
}

/// 6.1 and 10.9.
fn too_many_embedded_accounts_are_refused(server: &Server) {
    let owner = server.client(&format!("{}@example.com", daybook_tests::unique("embed")));
    let accounts = |count: usize| {
        (0..count).map(|number| json!({"name": format!("A {number}")})).collect::<Vec<_>>()
    };
    owner.post("/v5/books", &json!({"name": "B", "accounts": accounts(1_000)})).ok();
    owner
        .post("/v5/books", &json!({"name": "B", "accounts": accounts(33_000)}))
        .refused(400, "badRequest");
}

/// 8.2.
fn event_of_another_user_shows_the_creator(server: &Server) {
    let cast = Cast::with_accounts(server, &CASH_AND_FOOD);
    let body = json!({
        "date": "2026-01-15", "amount": "1", "creditAccount": {"name": "Cash"},
        "debitAccount": {"name": "Food"},
    });
    let draft = cast.recorder.post(&cast.path("/transactions"), &body).ok();
    cast.editor
        .patch(&cast.path("/transactions/post"), &json!({"id": draft["transaction"]["id"]}))
        .ok();
    let event = cast.read("/events?limit=1")["items"][0].clone();
    let created_by = &event["data"]["object"]["transaction"]["createdBy"];
    assert_eq!(created_by, &draft["transaction"]["createdBy"]);
    assert_ne!(created_by, &event["user"]["username"]);
}

/// 3.6.5: messages of single requests have no index.
fn batch_of_one_item_names_its_index(server: &Server) {
    let cast = Cast::new(server);
    let bad = json!({"date": "yesterday"});
    let message =
        cast.post("/transactions/batch", &json!({"items": [bad]})).refused(400, "badRequest");
    assert!(message.contains("item 0"), "{message}");
    let message = cast.post("/transactions", &bad).refused(400, "badRequest");
    assert!(!message.contains("item"), "{message}");
}

/// 1.2: `a` equals `b=c` is not `a=b` equals `c`.
fn property_key_and_value_are_separate_in_queries(server: &Server) {
    let cast = Cast::new(server);
    cast.post("/transactions", &json!({"description": "x", "properties": {"a=b": "c"}})).ok();
    let found = |query: &str| {
        let path = cast.path(&format!("/transactions?query={}", daybook_tests::encode(query)));
        column(&cast.owner.get(&path).ok(), "id").len()
    };
    assert_eq!((found("a:'b=c'"), found("a:*")), (0, 0));
}

/// 4.14: each deletion moves all children up, which is quadratic for a chain.
fn deleting_a_long_chain_of_groups_is_refused(server: &Server) {
    let cast = Cast::new(server);
    let group = |name: String, parent: Option<String>| {
        let parent = parent.map(|name| json!({"name": name}));
        json!({"name": name, "parent": parent})
    };
    let chain: Vec<Value> = (0..400)
        .map(|number| {
            group(format!("G {number}"), (number > 0).then(|| format!("G {}", number - 1)))
        })
        .collect();
    let children: Vec<Value> =
        (0..400).map(|number| group(format!("C {number}"), Some("G 399".to_owned()))).collect();
    let made = cast.post("/groups/batch", &json!({"items": chain})).ok();
    cast.post("/groups/batch", &json!({"items": children})).ok();
    let mut doomed: Vec<Value> = made["items"]
        .as_array()
        .expect("groups")
        .iter()
        .map(|group| json!({"id": group["id"]}))
        .collect();
    doomed.reverse();
    let delete = |items: &[Value]| cast.post("/groups/delete/batch", &json!({"items": items}));
    delete(&doomed).refused(400, "badRequest");
    delete(&doomed[..20]).ok();
    assert_eq!(column(&cast.read("/groups"), "id").len(), 780);
}
