//! mergeTransactions with items that have fields besides their ids (3.11.9, 3.11.10).

use daybook_tests::{Cast, Server, shows, unique};
use serde_json::{Value, json};

use crate::Case;
use crate::merge::{LUNCH, cast, send};
use crate::reading::{check_totals, events, find, id, ids, items, new_events, transaction, types};

#[track_caller]
fn merge(cast: &Cast, items: Value) -> Value {
    send(cast, items).ok()["transaction"].clone()
}

/// The object as a client holds it, with some fields changed.
fn edited(object: &Value, fields: Value) -> Value {
    let mut object = object.clone();
    for (key, value) in fields.as_object().expect("fields") {
        object[key] = value.clone();
    }
    object
}

fn sides(transaction: &Value) -> [&str; 2] {
    ["creditAccount", "debitAccount"]
        .map(|side| transaction[side]["name"].as_str().unwrap_or_default())
}

/// 3.11.9: a client sends both whole objects, the user's draft first, with the chosen values.
fn rule_3_11_9_whole_objects(server: &Server) {
    let cast = cast(server);
    let [r1, r2] = ["r", "r"].map(unique);
    let draft = LUNCH.create(
        &cast,
        json!({
            "draft": true, "date": "2025-01-20", "amount": "12", "description": "Lunch with Ann",
            "creditAccount": {"name": "Bank"}, "remoteIds": [r1], "urls": ["u1"],
            "properties": {"a": "1", "b": "1"},
        }),
    );
    let posted = LUNCH.create(
        &cast,
        json!({
            "description": "POS 17", "remoteIds": [r2], "urls": ["u2"],
            "properties": {"b": "2", "c": "2"},
        }),
    );
    let known = events(&cast).len();
    let made = merge(
        &cast,
        json!([
            edited(&draft, json!({"description": "Lunch with Ann #food", "posted": true})),
            edited(&posted, json!({"amount": "999", "urls": ["u3"], "properties": {"b": "9"}})),
        ]),
    );
    assert_eq!(made, transaction(&cast, &id(&made)), "3.2.1: as it is stored");
    assert!(id(&made) != id(&draft) && id(&made) != id(&posted), "3.11.1: a new transaction");
    shows(
        &made,
        &json!({
            "date": "2025-01-20", "amount": "12.00", "description": "Lunch with Ann #food",
            "tags": ["food"], "posted": true, "checked": false, "draft": false,
            "remoteIds": [
                format!("merged_{}", id(&draft)), format!("merged_{}", id(&posted)), r1, r2,
            ],
            "urls": ["u1", "u3", "u2"], "properties": {"a": "1", "b": "1", "c": "2"},
        }),
    );
    assert_eq!(sides(&made), ["Bank", "Food"]);
    assert_eq!(
        types(&new_events(&cast, known)),
        ["TRANSACTION_POSTED", "TRANSACTION_DELETED", "TRANSACTION_DELETED"],
        "a submitted amount makes no difference draft"
    );
    check_totals(&cast, &[("Bank", "0.00", "12.00"), ("Food", "12.00", "0.00")]);
    for original in [&draft, &posted] {
        let link = format!("remoteId:merged_{}", id(original));
        assert_eq!(ids(&find(&cast, &link)), [id(&made)], "3.11.2");
        assert_eq!(transaction(&cast, &id(original))["trashed"], true);
    }
}

/// 3.11.9: a blank value and a blank reference are not submitted, in every form of JSON.
fn rule_3_11_9_blank_values(server: &Server) {
    let cast = cast(server);
    let (bank, blank) = (json!({"name": "Bank"}), json!({"date": null, "amount": null}));
    for (first, second, expected) in [
        (json!({}), json!({"date": "2025-03-02", "creditAccount": bank}), ["Bank", "Food"]),
        (json!({"date": "", "amount": ""}), json!({"date": "2025-03-02"}), ["Cash", "Food"]),
        (blank, json!({"date": "2025-03-02"}), ["Cash", "Food"]),
        (
            json!({"creditAccount": {}, "debitAccount": null}),
            json!({"date": "2025-03-02", "creditAccount": bank}),
            ["Bank", "Food"],
        ),
    ] {
        let [one, two] = [json!({"draft": true}), json!({})].map(|f| LUNCH.create(&cast, f));
        let item = |one: &Value, fields: &Value| edited(&json!({"id": one["id"]}), fields.clone());
        let made = merge(&cast, json!([item(&one, &first), item(&two, &second)]));
        shows(&made, &json!({"date": "2025-03-02", "amount": "10.00", "posted": true}));
        assert_eq!(sides(&made), expected, "{first} {second}");
    }
}

/// 3.11.9: files of the items come first, new ones are created.
fn rule_3_11_9_files(server: &Server) {
    let cast = cast(server);
    let file = |name: &str| {
        let body = json!({"name": name, "content": "YQ=="});
        id(&cast.post("/files", &body).ok())
    };
    let [held, other, given] = ["held.txt", "other.txt", "given.txt"].map(file);
    let one = LUNCH.create(&cast, json!({"draft": true, "files": [{"id": held}]}));
    let two = LUNCH.create(&cast, json!({"draft": true, "files": [{"id": other}]}));
    let known = events(&cast).len();
    let made = merge(
        &cast,
        json!([
            {"id": one["id"]},
            {"id": two["id"], "files": [
                {"id": given}, {"name": "new.txt", "content": "Yg=="}, {"id": other},
            ]},
        ]),
    );
    let names: Vec<&str> = made["files"]
        .as_array()
        .expect("files")
        .iter()
        .filter_map(|f| f["name"].as_str())
        .collect();
    assert_eq!(names, ["given.txt", "new.txt", "other.txt", "held.txt"]);
    let new = cast.get(&format!("/files/{}", id(&made["files"][1]))).ok();
    assert_eq!(new["content"], "Yg==");
    let created = "TRANSACTION_CREATED";
    assert_eq!(
        types(&new_events(&cast, known)),
        ["FILE_CREATED", created, "TRANSACTION_DELETED", "TRANSACTION_DELETED"]
    );
}

/// 3.11.10, and values that an update also refuses: 400, and nothing changes.
fn rule_3_11_10_invalid_payloads_are_refused(server: &Server) {
    let cast = cast(server);
    let [one, two] = [json!({}), json!({"draft": true})].map(|fields| LUNCH.create(&cast, fields));
    cast.put("", &json!({"lockDate": "2024-12-31"})).ok();
    let before = (events(&cast), items(&find(&cast, "")).clone());
    let second = |fields: Value| json!([{"id": one["id"]}, edited(&two, fields)]);
    for (items, reason, message) in [
        (json!([one, edited(&one, json!({"amount": "7"}))]), "badRequest", "distinct"),
        (json!([one, {"id": "nobody", "amount": "7"}]), "badRequest", "Ids: [nobody]"),
        (json!([{"id": one["id"]}, {"amount": "7"}]), "badRequest", "item 1: id is required"),
        (second(json!({"amount": "-7"})), "badRequest", "item 1: amount"),
        (second(json!({"creditAccount": {"name": "Nowhere"}})), "badRequest", "Account not found"),
        (second(json!({"files": [{"id": "1"}]})), "badRequest", "item 1"),
        (second(json!({"properties": {"k".repeat(31): "v"}})), "badRequest", "property key"),
        (second(json!({"description": "x".repeat(65_537)})), "badRequest", "description has"),
        (json!([{"id": one["id"], "date": "2024-12-31"}, two]), "lockedDate", "2024-12-31"),
        (json!([{"id": one["id"], "amount": true}, two]), "invalid", ""),
    ] {
        let output = send(&cast, items).refused(400, reason);
        assert!(output.contains(message), "{message}: {output}");
    }
    let after = (events(&cast), items(&find(&cast, "")).clone());
    assert_eq!(after, before, "nothing has changed");
    // Strangers and viewers learn nothing.
    let body = json!({"items": [one, {"id": "nobody"}]});
    cast.viewer.patch(&cast.path("/transactions/merge"), &body).refused(403, "forbidden");
    cast.stranger.patch(&cast.path("/transactions/merge"), &body).refused(404, "notFound");
}

pub fn tests() -> Vec<Case> {
    crate::cases![
        rule_3_11_9_whole_objects,
        rule_3_11_9_blank_values,
        rule_3_11_9_files,
        rule_3_11_10_invalid_payloads_are_refused,
    ]
}
