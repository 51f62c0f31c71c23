//! Remote ids (3.7): a transaction that already exists is not recorded again.

use daybook_tests::{CASH_AND_FOOD, Cast, Lunch, Server};
use serde_json::{Value, json};

use crate::reading::{
    batch, check_totals, events, find, id, ids, items, new_events, search, transaction, types,
};

fn cast(server: &Server) -> Cast {
    Cast::with_accounts(server, &CASH_AND_FOOD)
}

fn body(amount: &str, remote_ids: &[&str]) -> Value {
    let lunch = Lunch { date: "2025-03-05", amount: "10" };
    lunch.with(json!({"amount": amount, "remoteIds": remote_ids}))
}

#[track_caller]
fn create(cast: &Cast, amount: &str, remote_ids: &[&str]) -> Value {
    cast.post("/transactions", &body(amount, remote_ids)).ok()["transaction"].clone()
}

#[track_caller]
fn trash(cast: &Cast, transaction: &Value) {
    cast.patch("/transactions/trash", &json!({"id": transaction["id"]})).ok();
}

fn rule_3_7_1_a_duplicate_is_not_recorded(server: &Server) {
    let cast = cast(server);
    let made = create(&cast, "10.00", &["a"]);
    let known = events(&cast).len();
    let repeated = cast.post("/transactions", &body("99.00", &["a"])).ok();
    assert_eq!(repeated["transaction"], made, "3.7.2: 200 with the existing transaction");
    assert_eq!(new_events(&cast, known).len(), 0, "3.7.2: without an event");
    check_totals(&cast, &[("Cash", "0.00", "10.00"), ("Food", "10.00", "0.00")]);
    let draft = cast
        .post("/transactions", &json!({"description": "Draft", "amount": "1", "remoteIds": ["d"]}))
        .ok();
    assert_eq!(
        create(&cast, "5.00", &["d"])["id"],
        draft["transaction"]["id"],
        "a draft blocks as well"
    );
    // By another collaborator, and with several ids.
    let other = cast.poster.post(&cast.path("/transactions"), &body("3.00", &["new", "a"])).ok();
    assert_eq!(other["transaction"], made, "unchanged: the ids of the payload are not added");
    // Ids match exactly and only within the book.
    assert_ne!(create(&cast, "1.00", &["A"])["id"], made["id"], "case counts");
    let elsewhere = self::cast(server);
    assert_ne!(create(&elsewhere, "1.00", &["a"])["id"], made["id"], "another book");
}

fn rule_3_7_1_trashed_ones_do_not_block(server: &Server) {
    let cast = cast(server);
    let first = create(&cast, "10.00", &["a"]);
    trash(&cast, &first);
    let second = create(&cast, "11.00", &["a"]);
    assert_ne!(second["id"], first["id"]);
    assert_eq!(second["posted"], true);
    // 1.2.2: the live and the trashed transaction are different.
    assert_eq!(ids(&find(&cast, "remoteId:a")), [id(&second)]);
    assert_eq!(ids(&find(&cast, "remoteId:a is:trashed")), [id(&first)]);
    assert_eq!(create(&cast, "12.00", &["a"])["id"], second["id"]);
    // 3.7.4: untrash is allowed beside a live one with the same id.
    cast.patch("/transactions/untrash", &json!({"id": first["id"]})).ok();
    assert_eq!(items(&find(&cast, "remoteId:a")).len(), 2);
    check_totals(&cast, &[("Cash", "0.00", "21.00"), ("Food", "21.00", "0.00")]);
    assert_eq!(create(&cast, "12.00", &["a"])["id"], first["id"], "3.7.3: the one created first");
    // Trashed and recreated by batches.
    let both = [json!({"id": first["id"]}), json!({"id": second["id"]})];
    cast.patch("/transactions/trash/batch", &batch(both)).no_content();
    let list = cast.post("/transactions/batch", &batch([body("1.00", &["a"])])).ok();
    assert!(
        list["items"][0]["id"] != first["id"] && list["items"][0]["id"] != second["id"],
        "{list}"
    );
}

fn rule_3_7_2_in_batches(server: &Server) {
    let cast = cast(server);
    let made = create(&cast, "10.00", &["a"]);
    let known = events(&cast).len();
    let items = [
        body("1.00", &["x"]),
        body("2.00", &["a"]),
        body("1.00", &["x"]),
        body("1.00", &["y", "x"]),
        body("5.00", &[]),
        body("6.00", &[]),
    ];
    let list = cast.post("/transactions/batch", &batch(items)).ok();
    let found = ids(&list);
    assert_eq!(found.len(), 6, "3.6.2: the same length");
    assert_eq!(found[1], id(&made), "the existing one takes that position");
    assert_eq!(
        (&found[2], &found[3]),
        (&found[0], &found[0]),
        "two items with one remote id give one transaction"
    );
    assert_eq!(list["items"][0]["amount"], "1.00", "the first of them is recorded");
    let known_items = json!([{"index": 1, "differs": ["amount"]}, {"index": 2}, {"index": 3}]);
    assert_eq!(list["known"], known_items, "3.7.2");
    assert_ne!(found[4], found[5]);
    assert_eq!(
        types(&new_events(&cast, known)),
        ["TRANSACTION_POSTED"; 3],
        "one event per transaction recorded"
    );
    check_totals(&cast, &[("Cash", "0.00", "22.00"), ("Food", "22.00", "0.00")]);
    // A repeated batch records only the items without an id.
    let known = events(&cast).len();
    let repeated = [body("1.00", &["x"]), body("2.00", &["a"])];
    let list = cast.post("/transactions/batch", &batch(repeated)).ok();
    assert_eq!(ids(&list), [found[0].as_str(), found[1].as_str()]);
    assert_eq!(new_events(&cast, known).len(), 0);
}

fn rule_3_7_2_known_items_are_reported(server: &Server) {
    let cast = cast(server);
    let path = cast.path("/transactions/batch");
    let made = create(&cast, "10.00", &["a"]);
    let keyed = cast.owner.header("Idempotency-Key", &daybook_tests::unique("known"));
    let mut moved = body("10.00", &["a"]);
    moved["debitAccount"] = json!({"name": "Cash"});
    moved["creditAccount"] = json!({"name": "Food"});
    moved["date"] = json!("2025-03-06");
    let items = batch([body("1.00", &["n"]), body("10", &["a"]), moved, body("7", &["a2", "a"])]);
    cast.owner.post(&path, &items).refused(400, "badRequest");
    let items = batch([body("1.00", &["n"]), body("10.0", &["a"]), body("10.0", &["a"])]);
    for replayed in [None, Some("true")] {
        let answer = keyed.post(&path, &items);
        let marked = answer.headers.get("idempotency-replayed").map(String::as_str);
        assert_eq!(marked, replayed);
        assert_eq!(answer.headers["known-items"], "1-2", "3.7.2: {:?}", answer.headers);
        let list = answer.ok();
        assert_eq!(list["items"][1]["id"], made["id"]);
        assert_eq!(list["known"], json!([{"index": 1}, {"index": 2}]), "10.0 is 10.00");
    }
    let fresh = cast.owner.post(&path, &batch([body("1.00", &["m"])]));
    assert!(!fresh.headers.contains_key("known-items"), "3.7.2: nothing is said of none");
    assert_eq!(fresh.ok().get("known"), None);
    let single = cast.post("/transactions", &body("9.99", &["a"]));
    assert_eq!(single.headers["known-items"], "0");
    assert_eq!(single.ok()["known"], json!([{"index": 0, "differs": ["amount"]}]));
    let mut other = body("10.00", &["a"]);
    other["date"] = json!("2025-03-06");
    other["debitAccount"] = json!({"name": "Nothing of that name"});
    let told = cast.post("/transactions", &other).ok();
    assert_eq!(told["known"][0]["differs"], json!(["date", "debitAccount"]));
}

fn rule_3_7_2_different_rows_with_one_remote_id_are_refused(server: &Server) {
    let cast = cast(server);
    let path = cast.path("/transactions/batch");
    let known = events(&cast).len();
    let with = |key: &str, value: Value| {
        let mut row = body("1.00", &["y", "x"]);
        row[key] = value;
        row
    };
    for row in [
        with("amount", json!("2.00")),
        with("amount", json!(null)),
        with("date", json!("2025-03-06")),
        with("creditAccount", json!({"name": "Food"})),
        with("debitAccount", json!(null)),
        with("description", json!("Dinner")),
    ] {
        let items = batch([body("3.00", &[]), body("1.00", &[" x "]), row.clone()]);
        let message = cast.owner.post(&path, &items).refused(400, "badRequest");
        assert!(message.starts_with("item 2: remote id \"x\""), "3.7.2: {row}: {message}");
    }
    assert_eq!(new_events(&cast, known).len(), 0);
}

fn rule_3_3_2_a_known_draft_is_posted(server: &Server) {
    let cast = cast(server);
    let path = cast.path("/transactions/post");
    let mut draft = body("10.00", &["d", "e"]);
    draft["draft"] = json!(true);
    let draft = cast.post("/transactions", &draft).ok()["transaction"].clone();
    assert_eq!(draft["posted"], false);
    let posted = cast.owner.patch(&path, &body("11.00", &["d"])).ok();
    assert_eq!(posted["transaction"]["id"], draft["id"]);
    assert_eq!(posted["transaction"]["posted"], true, "3.3.2: {posted}");
    assert_eq!(posted["transaction"]["amount"], "11.00", "3.3.1: with what the body says");
    assert_eq!(posted["transaction"]["remoteIds"], json!(["d", "e"]));
    assert_eq!(posted["known"], json!([{"index": 0}]));
    let repeated = cast.owner.patch(&path, &body("12.00", &["d"])).ok();
    assert_eq!(repeated["transaction"]["amount"], "11.00", "a posted one is not changed");
    assert_eq!(repeated["known"], json!([{"index": 0, "differs": ["amount"]}]));
    // A quick entry sets its fields and clears none.
    let typed = json!({"draft": true, "urls": ["https://example.com/1"]});
    let mut draft = body("5.00", &["g"]);
    draft.as_object_mut().expect("an object").extend(typed.as_object().expect("one").clone());
    cast.post("/transactions", &draft).ok();
    let typed = json!({"description": "28/02/2024 Lunch", "remoteIds": ["g"]});
    let posted = cast.owner.patch(&path, &typed).ok()["transaction"].clone();
    assert_eq!(posted["date"], "2024-02-28", "{posted}");
    assert_eq!(posted["amount"], "5.00", "{posted}");
    assert_eq!(posted["urls"], draft["urls"], "{posted}");
    // A draft that cannot be posted is refused with the reason.
    let bare = json!({"description": "Draft", "remoteIds": ["f"]});
    cast.post("/transactions", &bare).ok();
    let why = cast.owner.patch(&path, &bare).refused(400, "badRequest");
    assert!(why.contains("missing: "), "{why}");
}

fn rule_3_7_3_several_match(server: &Server) {
    let cast = cast(server);
    let first = create(&cast, "1.00", &["a"]);
    let second = create(&cast, "2.00", &["b"]);
    assert_eq!(
        create(&cast, "3.00", &["b", "a"])["id"],
        second["id"],
        "the first payload id that matches"
    );
    assert_eq!(create(&cast, "3.00", &["none", "a", "b"])["id"], first["id"]);
    // Two live ones with one id, through an update (3.7.4): the first created one counts.
    cast.put("/transactions", &json!({"id": second["id"], "remoteIds": ["b", "a"]})).ok();
    assert_eq!(create(&cast, "3.00", &["a"])["id"], first["id"]);
    cast.put("/transactions", &json!({"id": first["id"], "remoteIds": ["b"]})).ok();
    assert_eq!(
        create(&cast, "3.00", &["b"])["id"],
        first["id"],
        "created first, although it got the id later"
    );
    assert_eq!(
        create(&cast, "3.00", &["a"])["id"],
        second["id"],
        "an id taken away no longer counts"
    );
}

fn rule_3_7_4_update_may_add(server: &Server) {
    let cast = cast(server);
    let made = create(&cast, "1.00", &[]);
    let known = events(&cast).len();
    cast.put("/transactions", &json!({"id": made["id"], "remoteIds": ["late"]})).ok();
    let events = new_events(&cast, known);
    assert_eq!(types(&events), ["TRANSACTION_UPDATED"]);
    assert_eq!(create(&cast, "2.00", &["late"])["id"], made["id"]);
    assert_eq!(ids(&find(&cast, "remoteId:late")), [id(&made)]);
}

fn rule_3_7_5_several_ids_trimmed(server: &Server) {
    let cast = cast(server);
    let made = create(&cast, "1.00", &["  one ", "", "two words", "   ", "merged_1"]);
    assert_eq!(
        made["remoteIds"],
        json!(["one", "two words", "merged_1"]),
        "trimmed, blank ones dropped"
    );
    for query in ["remoteId:one", "remoteid:'one'", "remoteId:'two words'", "REMOTEID:\"merged_1\""]
    {
        assert_eq!(ids(&find(&cast, query)), [id(&made)], "{query}");
    }
    for query in ["remoteId:ONE", "remoteId:on", "remoteId:two"] {
        assert_eq!(items(&find(&cast, query)).len(), 0, "1.2: exact match: {query}");
    }
    assert_eq!(
        create(&cast, "1.00", &[" one  "])["id"],
        made["id"],
        "trimmed before the comparison"
    );
    let longest = "é".repeat(256);
    let stored = create(&cast, "2.00", &[&longest]);
    assert_eq!(stored["remoteIds"], json!([longest]), "256 characters");
    let long = "é".repeat(257);
    cast.post("/transactions", &body("3.00", &[&long])).refused(400, "badRequest");
    cast.put("/transactions", &json!({"id": stored["id"], "remoteIds": [long]}))
        .refused(400, "badRequest");
    // Blank ids are ignored.
    assert_ne!(create(&cast, "4.00", &[" "])["id"], create(&cast, "4.00", &[" "])["id"]);
}

fn rule_3_7_2_recorder_sees_id_and_remote_ids(server: &Server) {
    let cast = cast(server);
    let made = create(&cast, "10.00", &["a", "b"]);
    let hit =
        cast.recorder.post(&cast.path("/transactions"), &body("99.00", &["a"])).ok()["transaction"]
            .clone();
    let mut fields: Vec<&String> = hit.as_object().expect("a transaction").keys().collect();
    fields.sort();
    assert_eq!(fields, ["id", "remoteIds"], "only these: {hit}");
    assert_eq!((&hit["id"], &hit["remoteIds"]), (&made["id"], &json!(["a"])));
    let list = cast
        .recorder
        .post(
            &cast.path("/transactions/batch"),
            &batch([body("1.00", &["b"]), body("2.00", &["own"])]),
        )
        .ok();
    // Other ids of the transaction are not shown.
    assert_eq!(list["items"][0], json!({"id": made["id"], "remoteIds": ["b"]}));
    let both = [body("1.00", &["b", "x"]), body("1.00", &["a", "b"])];
    let both = cast.recorder.post(&cast.path("/transactions/batch"), &batch(both)).ok();
    let known = json!({"id": made["id"], "remoteIds": ["b", "a"]});
    assert_eq!((&both["items"][0], &both["items"][1]), (&known, &known));
    let by_recorder = |amount: &str| {
        let body = body(amount, &["own"]);
        cast.recorder.post(&cast.path("/transactions"), &body).ok()["transaction"].clone()
    };
    let own = by_recorder("3.00");
    assert_eq!(
        (&own["id"], &own["amount"]),
        (&list["items"][1]["id"], &json!("2.00")),
        "one's own is shown"
    );
    // A draft posted by another user is no longer visible (7.3).
    cast.patch("/transactions/post", &json!({"id": own["id"]})).ok();
    cast.recorder.get(&cast.path(&format!("/transactions/{}", id(&own)))).refused(404, "notFound");
    let single = by_recorder("4.00");
    let list = cast
        .recorder
        .post(&cast.path("/transactions/batch"), &batch([body("5.00", &["own"])]))
        .ok();
    let masked = json!({"id": own["id"], "remoteIds": ["own"]});
    assert_eq!((&single, &list["items"][0]), (&masked, &masked));
    cast.recorder
        .put(&cast.path("/transactions"), &json!({"id": own["id"], "amount": "9"}))
        .refused(404, "notFound");
    assert_eq!(transaction(&cast, &id(&made)), made);
    assert_eq!(
        items(&search(&cast.recorder, &cast, "remoteId:a").ok()).len(),
        0,
        "7.3: own drafts only"
    );
}

pub fn tests() -> Vec<crate::Case> {
    crate::cases![
        rule_3_7_1_a_duplicate_is_not_recorded,
        rule_3_7_1_trashed_ones_do_not_block,
        rule_3_7_2_known_items_are_reported,
        rule_3_7_2_different_rows_with_one_remote_id_are_refused,
        rule_3_3_2_a_known_draft_is_posted,
        rule_3_7_2_in_batches,
        rule_3_7_3_several_match,
        rule_3_7_4_update_may_add,
        rule_3_7_5_several_ids_trimmed,
        rule_3_7_2_recorder_sees_id_and_remote_ids,
    ]
}
