//! mergeTransactions with items that have fields besides their ids (3.11.9, 3.11.10).

use daybook_tests::{Cast, Server, shows, unique};
use serde_json::{Value, json};

use crate::Case;
use crate::merge::{LUNCH, cast, send};
use crate::reading::{
    Faults, events, expected_totals, find, id, ids, items, new_events, refused_400, totals,
    transaction, types,
};

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
    assert_eq!(
        totals(&cast),
        expected_totals(&[("Bank", "0.00", "12.00"), ("Food", "12.00", "0.00")])
    );
    for original in [&draft, &posted] {
        let link = format!("remoteId:merged_{}", id(original));
        assert_eq!(ids(&find(&cast, &link)), [id(&made)], "3.11.2");
        assert_eq!(transaction(&cast, &id(original))["trashed"], true);
    }
}

/// 3.11.9: each field separately, from the first source that has it.
fn rule_3_11_9_the_order_of_places(server: &Server) {
    let cast = cast(server);
    let mut faults = Faults::default();
    let fields = [
        ("date", "2025-03-01", "2025-03-02", "2025-01-10", "2025-01-11"),
        ("amount", "3.00", "4.00", "1.00", "2.00"),
        ("description", "said one", "said two", "one", "two"),
    ];
    for (field, said_one, said_two, one, two) in fields {
        for blank in [None, Some(json!("")), Some(Value::Null)] {
            let blanks = blank.clone().map_or(json!({}), |blank| json!({field: blank}));
            for (first, second, stored, expected) in [
                (json!({field: said_one}), json!({field: said_two}), one, said_one),
                (blanks.clone(), json!({field: said_two}), one, said_two),
                (blanks.clone(), json!({"properties": {"p": "q"}}), one, one),
                (blanks.clone(), json!({"properties": {"p": "q"}}), "", two),
            ] {
                let [one, two] = [stored, two].map(|text| {
                    let value = if text.is_empty() { Value::Null } else { json!(text) };
                    let mut fields = json!({"draft": true, "amount": "5", "description": "same"});
                    fields[field] = value;
                    LUNCH.create(&cast, fields)
                });
                let item = |stored: &Value, said: &Value| {
                    edited(&json!({"id": stored["id"]}), said.clone())
                };
                let made = merge(&cast, json!([item(&one, &first), item(&two, &second)]));
                // 3.11.4 joins only stored descriptions.
                let joined = field == "description" && expected == "one";
                let expected = if joined { "one two" } else { expected };
                let name = format!("{field} {first} {second}");
                faults.same(&name, &made[field], &json!(expected));
            }
        }
    }
    // Accounts by name and by id; a blank reference is ignored.
    let named = |name: &str| json!({"name": name});
    for (first, second, expected) in [
        (json!({"creditAccount": named("bank")}), json!({}), ["Bank", "Food"]),
        (json!({"creditAccount": {}}), json!({"creditAccount": named("Bank")}), ["Bank", "Food"]),
        (
            json!({"creditAccount": named("Food"), "debitAccount": named("Cash")}),
            json!({"creditAccount": named("Bank")}),
            ["Food", "Cash"],
        ),
        (json!({"debitAccount": Value::Null}), json!({}), ["Cash", "Food"]),
    ] {
        let [one, two] = [json!({}), json!({"draft": true})].map(|f| LUNCH.create(&cast, f));
        let made = merge(
            &cast,
            json!([
                edited(&json!({"id": two["id"]}), first.clone()),
                edited(&json!({"id": one["id"]}), second),
            ]),
        );
        faults.same(&first.to_string(), sides(&made), expected);
        faults.same("posted when either was", &made["posted"], &json!(true));
    }
    faults.none();
}

/// 3.11.9: files of the items come first, new ones are created.
fn rule_3_11_9_files(server: &Server) {
    let cast = cast(server);
    let file = |name: &str| {
        let body = json!({"name": name, "content": "YQ=="});
        id(&cast.owner.post(&cast.path("/files"), &body).ok())
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
    let new = cast.owner.get(&cast.path(&format!("/files/{}", id(&made["files"][1])))).ok();
    assert_eq!(new["content"], "Yg==");
    let created = "TRANSACTION_CREATED";
    assert_eq!(
        types(&new_events(&cast, known)),
        ["FILE_CREATED", created, "TRANSACTION_DELETED", "TRANSACTION_DELETED"]
    );
}

/// 3.11.9: bare ids behave as before, also with fields that a merge ignores.
fn rule_3_11_9_bare_ids(server: &Server) {
    let cast = cast(server);
    for more in [json!({}), json!({"checked": true, "posted": false, "color": "red"})] {
        let draft = LUNCH.create(&cast, json!({"draft": true, "amount": "8", "description": "A"}));
        let posted = LUNCH.create(&cast, json!({"description": "B"}));
        let known = events(&cast).len();
        let item = |one: &Value| edited(&json!({"id": one["id"]}), more.clone());
        let made = merge(&cast, json!([item(&draft), item(&posted)]));
        shows(&made, &json!({"amount": "10.00", "description": "B A", "checked": false}));
        assert_eq!(types(&new_events(&cast, known)).len(), 4, "with a draft for the difference");
    }
}

/// 3.11.9: the difference of stored amounts is kept if the request has no amount.
fn rule_3_11_9_differences(server: &Server) {
    let cast = cast(server);
    let one = LUNCH.create(&cast, json!({"draft": true, "amount": "8", "description": "One"}));
    let two = LUNCH.create(&cast, json!({"description": "Two", "date": "2025-02-02"}));
    let known = events(&cast).len();
    let made = merge(
        &cast,
        json!([{"id": one["id"], "description": "Mine"}, {"id": two["id"], "amount": "0"}]),
    );
    shows(&made, &json!({"amount": "8.00", "description": "Mine", "posted": true}));
    let new = new_events(&cast, known);
    let left = transaction(&cast, new[3]["resource"].as_str().expect("an id"));
    shows(
        &left,
        &json!({"amount": "2.00", "date": "2025-02-02", "description": "Two", "draft": true}),
    );
}

/// 3.11.10, and values that an update also refuses: 400, and nothing changes.
fn rule_3_11_10_invalid_payloads_are_refused(server: &Server) {
    let cast = cast(server);
    let old = cast.account("Old", "OUTGOING");
    cast.owner.put(&cast.path("/accounts"), &json!({"id": old["id"], "archived": true})).ok();
    let [one, two] = [json!({}), json!({"draft": true})].map(|fields| LUNCH.create(&cast, fields));
    cast.owner.put(&cast.path(""), &json!({"lockDate": "2024-12-31"})).ok();
    let before = (events(&cast), totals(&cast), items(&find(&cast, "")).clone());
    let whole = |fields: Value| edited(&one, fields);
    let second = |fields: Value| json!([{"id": one["id"]}, edited(&two, fields)]);
    let mut faults = Faults::default();
    for (items, reason, message) in [
        (json!([one, whole(json!({"amount": "7"}))]), "badRequest", "distinct"),
        (json!([{"id": one["id"], "amount": "7"}, {"id": one["id"]}]), "badRequest", "distinct"),
        (json!([one, {"id": "nobody", "amount": "7"}]), "badRequest", "not found"),
        (json!([edited(&one, json!({"id": "nobody"})), two]), "badRequest", "Ids: [nobody]"),
        (json!([{"id": one["id"]}, {"amount": "7"}]), "badRequest", "item 1: id is required"),
        (
            json!([{"id": one["id"], "creditAccount": {"name": "Food"}}, {"id": two["id"]}]),
            "badRequest",
            "same account",
        ),
        (
            json!([
                {"id": one["id"], "debitAccount": {"name": "Bank"}},
                {"id": two["id"], "creditAccount": {"name": "bank"}},
            ]),
            "badRequest",
            "same account",
        ),
        (second(json!({"amount": "-7"})), "badRequest", "item 1: amount"),
        (second(json!({"amount": "seven"})), "badRequest", "not a number"),
        (second(json!({"date": "2025-02-30"})), "badRequest", "yyyy-MM-dd"),
        (second(json!({"creditAccount": {"name": "Nowhere"}})), "badRequest", "Account not found"),
        (second(json!({"files": [{"id": "1"}]})), "badRequest", "item 1"),
        (second(json!({"properties": {"k".repeat(31): "v"}})), "badRequest", "property key"),
        (second(json!({"remoteIds": ["r".repeat(257)]})), "badRequest", "remote id"),
        (second(json!({"description": "x".repeat(65_537)})), "badRequest", "description has"),
        (
            json!([{"id": one["id"], "debitAccount": {"name": "Old"}}, {"id": two["id"]}]),
            "badRequest",
            "archived",
        ),
        (json!([{"id": one["id"], "date": "2024-12-31"}, two]), "lockedDate", "2024-12-31"),
    ] {
        let shown = items.to_string().chars().take(200).collect::<String>();
        let said = refused_400(send(&cast, items), &[reason]);
        faults.same(&format!("{shown}: {said}"), said.contains(message), true);
        let after = (events(&cast), totals(&cast), self::items(&find(&cast, "")).clone());
        faults.same(&format!("{shown}: nothing has changed"), after == before, true);
    }
    send(&cast, json!([{"id": one["id"], "amount": true}, two])).refused(400, "invalid");
    // Strangers and viewers learn nothing.
    let body = json!({"items": [one, {"id": "nobody"}]});
    cast.viewer.patch(&cast.path("/transactions/merge"), &body).refused(403, "forbidden");
    cast.stranger.patch(&cast.path("/transactions/merge"), &body).refused(404, "notFound");
    faults.none();
}

pub fn tests() -> Vec<Case> {
    crate::cases![
        rule_3_11_9_whole_objects,
        rule_3_11_9_the_order_of_places,
        rule_3_11_9_files,
        rule_3_11_9_bare_ids,
        rule_3_11_9_differences,
        rule_3_11_10_invalid_payloads_are_refused,
    ]
}
