//! mergeTransactions (3.11): the result, the refusals, and the effect on balances and events.

use daybook_tests::{Answer, CASH_BANK_FOOD, Cast, Lunch, Server, unique};
use serde_json::{Value, json};

use crate::Case;
use crate::reading::{
    batch, check_totals, events, find, id, ids, new_events, resources, transaction, types,
};

pub const LUNCH: Lunch = Lunch { date: "2025-01-15", amount: "10.00" };

pub fn cast(server: &Server) -> Cast {
    Cast::with_accounts(server, &CASH_BANK_FOOD)
}

pub fn send(cast: &Cast, items: Value) -> Answer {
    cast.patch("/transactions/merge", &json!({"items": items}))
}

/// Merges two transactions and returns the operation.
#[track_caller]
fn merge(cast: &Cast, first: &Value, second: &Value) -> Value {
    send(cast, json!([{"id": first["id"]}, {"id": second["id"]}])).ok()
}

/// 3.11.1, 3.11.2, 3.11.5, 3.11.7, 3.11.8: a bank line absorbs the draft with its receipt.
fn rule_3_11_a_draft_and_a_posted_one(server: &Server) {
    let cast = cast(server);
    let [first, second, shared] = ["r", "r", "r"].map(unique);
    let posted = LUNCH.create(
        &cast,
        json!({
            "description": "POS Lunch-bar", "remoteIds": [first], "urls": ["u1", "u2"],
            "properties": {"shop": "bar", "kept": "1"},
        }),
    );
    // Created later, but a draft: the posted one is the base (3.11.3).
    let draft = LUNCH.create(
        &cast,
        json!({
            "draft": true, "date": "2025-02-01", "description": "Lunch with_Ann #food",
            "debitAccount": {"name": "Bank"},
            "remoteIds": [second, shared], "urls": ["u2", "u3"],
            "properties": {"shop": "corner", "more": "2"},
        }),
    );
    let known = events(&cast).len();
    let agent = Cast { owner: cast.owner.header("service-agent-id", "matcher"), ..cast };
    let merged = merge(&agent, &draft, &posted);
    let cast = agent;
    let new = &merged["transaction"];
    assert!(id(new) != id(&posted) && id(new) != id(&draft), "3.11.1: a new transaction");
    assert_eq!(*new, transaction(&cast, &id(new)), "3.2.1: as it is stored");
    daybook_tests::shows(
        new,
        &json!({
            "date": "2025-01-15", "amount": "10.00", "description": "POS Lunch-bar with Ann #food",
            "tags": ["food"],
            "posted": true, "checked": false, "trashed": false, "draft": false,
            "agentId": "matcher",
            "remoteIds": [
                format!("merged_{}", id(&draft)), format!("merged_{}", id(&posted)), first, second,
                shared,
            ],
            "urls": ["u1", "u2", "u3"], "properties": {"shop": "corner", "kept": "1", "more": "2"},
        }),
    );
    assert_eq!(
        (&new["creditAccount"]["name"], &new["debitAccount"]["name"]),
        (&json!("Cash"), &json!("Food"))
    );
    let names: Vec<&str> = merged["accounts"]
        .as_array()
        .expect("accounts")
        .iter()
        .filter_map(|one| one["name"].as_str())
        .collect();
    assert_eq!(names, ["Cash", "Food", "Bank"], "3.2.1: the accounts affected");
    for original in [&posted, &draft] {
        let now = transaction(&cast, &id(original));
        let state = ["trashed", "posted", "description", "remoteIds", "properties", "amount"]
            .map(|field| now[field].clone());
        let fields = ["posted", "description", "remoteIds", "properties", "amount"]
            .map(|field| original[field].clone());
        assert_eq!(state[0], true, "3.11.1: the originals end trashed");
        assert_eq!(state[1..], fields, "3.4.4: otherwise as they were");
        let link = format!("remoteId:'merged_{}'", id(original));
        assert_eq!(
            ids(&find(&cast, &link)),
            [id(new)],
            "3.11.2: clients follow the link to the successor"
        );
    }
    check_totals(&cast, &[("Cash", "0.00", "10.00"), ("Food", "10.00", "0.00")]);
    let new_events = new_events(&cast, known);
    assert_eq!(
        types(&new_events),
        ["TRANSACTION_POSTED", "TRANSACTION_DELETED", "TRANSACTION_DELETED"],
        "behaviour 3.11.8"
    );
    assert_eq!(
        resources(&new_events),
        [id(new), id(&draft), id(&posted)],
        "3.11.8: the originals in the order given"
    );
    assert_eq!(new_events[1]["data"]["object"]["transaction"]["trashed"], true);
    assert_eq!(new_events[0]["data"]["object"]["transaction"]["remoteIds"], new["remoteIds"]);
}

/// 3.11.2: the result of a second merge is found from the first original, also in the trash.
fn rule_3_11_2_followers_reach_the_last_one(server: &Server) {
    let cast = cast(server);
    let [a, b, c] = ["a", "b", "c"].map(|text| LUNCH.create(&cast, json!({"description": text})));
    let middle = merge(&cast, &a, &b)["transaction"].clone();
    let last = merge(&cast, &middle, &c)["transaction"].clone();
    for original in [&a, &b, &middle, &c] {
        assert_eq!(ids(&find(&cast, &format!("remoteId:merged_{}", id(original)))), [id(&last)]);
    }
    cast.patch("/transactions/trash", &json!({"id": last["id"]})).ok();
    let trashed = find(&cast, &format!("remoteId:'merged_{}' is:trashed", id(&a)));
    assert_eq!(
        trashed["items"].as_array().map(Vec::len),
        Some(2),
        "the last one and the one in the middle: {trashed}"
    );
    // 3.11.2, 3.7.1: the remote ids of the originals still prevent duplicates.
    let remote = unique("r");
    let (one, two) =
        (LUNCH.create(&cast, json!({"remoteIds": [remote]})), LUNCH.create(&cast, json!({})));
    let successor = merge(&cast, &one, &two)["transaction"].clone();
    assert_eq!(
        id(&LUNCH.create(&cast, json!({"remoteIds": [remote], "amount": "77"}))),
        id(&successor)
    );
}

/// 3.11.6: base 80 and absorbed 100 leave a draft of 20.
fn rule_3_11_6_different_amounts(server: &Server) {
    let cast = cast(server);
    let absorbed = LUNCH.create(
        &cast,
        json!({
            "amount": "100", "date": "2025-01-10", "description": "absorbed", "draft": true,
            "creditAccount": {"name": "Bank"}, "remoteIds": [unique("r")], "urls": ["u"],
            "properties": {"a": "b"},
        }),
    );
    let base = LUNCH.create(&cast, json!({"amount": "80", "description": "base"}));
    let known = events(&cast).len();
    let merged = merge(&cast, &base, &absorbed);
    daybook_tests::shows(
        &merged["transaction"],
        &json!({"amount": "80.00", "posted": true, "date": "2025-01-15"}),
    );
    let new_events = new_events(&cast, known);
    let expected =
        ["TRANSACTION_POSTED", "TRANSACTION_DELETED", "TRANSACTION_DELETED", "TRANSACTION_CREATED"];
    assert_eq!(types(&new_events), expected, "behaviour 3.11.8");
    let draft = transaction(&cast, resources(&new_events)[3]);
    daybook_tests::shows(
        &draft,
        &json!({
            "amount": "20.00", "date": "2025-01-10", "description": "absorbed", "draft": true,
            "trashed": false, "remoteIds": [], "urls": [], "properties": {},
        }),
    );
    assert_eq!(
        (&draft["creditAccount"]["name"], &draft["debitAccount"]["name"]),
        (&json!("Cash"), &json!("Food"))
    );
    check_totals(&cast, &[("Cash", "0.00", "80.00"), ("Food", "80.00", "0.00")]);
}

/// 3.11.7: an archived account stays if an original was posted on it; drafts may name one anyway
/// (4.8).
fn rule_3_11_7_archived_accounts(server: &Server) {
    let cast = cast(server);
    let (posted, draft) = (
        LUNCH.create(&cast, json!({"creditAccount": {"name": "Bank"}})),
        LUNCH.create(&cast, json!({"draft": true})),
    );
    let drafts = [0, 1]
        .map(|_| LUNCH.create(&cast, json!({"draft": true, "creditAccount": {"name": "Bank"}})));
    cast.put("/accounts", &json!({"name": "Bank", "archived": true})).ok();
    let merged = merge(&cast, &posted, &draft)["transaction"].clone();
    assert_eq!(
        (&merged["posted"], &merged["creditAccount"]["name"]),
        (&json!(true), &json!("Bank"))
    );
    let merged = merge(&cast, &drafts[0], &drafts[1])["transaction"].clone();
    assert_eq!(
        (&merged["posted"], &merged["creditAccount"]["name"]),
        (&json!(false), &json!("Bank"))
    );
    check_totals(&cast, &[("Bank", "0.00", "10.00"), ("Food", "10.00", "0.00")]);
}

/// 3.5.2, 3.4: a locked date, a checked and a trashed transaction are refused, and nothing changes.
fn rule_3_4_what_does_not_merge(server: &Server) {
    let cast = cast(server);
    let open = LUNCH.create(&cast, json!({"date": "2025-02-01"}));
    let draft = LUNCH.create(&cast, json!({"draft": true}));
    let checked = LUNCH.create(&cast, json!({"date": "2025-02-01", "checked": true}));
    let trashed = LUNCH.create(&cast, json!({"date": "2025-02-01"}));
    cast.patch("/transactions/trash", &json!({"id": trashed["id"]})).ok();
    cast.put("", &json!({"lockDate": "2025-01-31"})).ok();
    let known = events(&cast);
    for (one, reason) in
        [(&draft, "lockedDate"), (&checked, "checkedTransaction"), (&trashed, "badRequest")]
    {
        for pair in [[one, &open], [&open, one]] {
            let items = batch(pair.map(|item| json!({"id": item["id"]})));
            cast.patch("/transactions/merge", &items).refused(400, reason);
        }
    }
    assert_eq!(events(&cast), known, "nothing happened");
    assert_eq!(transaction(&cast, &id(&draft)), draft, "nothing changed");
    assert_eq!(transaction(&cast, &id(&open)), open, "nothing changed");
}

fn rule_3_11_invalid_merges_are_refused(server: &Server) {
    let cast = cast(server);
    let [one, two] = [(); 2].map(|()| LUNCH.create(&cast, json!({})));
    let item = |transaction: &Value| json!({"id": transaction["id"]});
    let known = events(&cast).len();
    for (items, message) in [
        (json!([]), "exactly two"),
        (json!([item(&one)]), "exactly two"),
        (json!([item(&one), item(&two), item(&one)]), "exactly two"),
        (json!([item(&one), item(&one)]), "distinct"),
        (json!([item(&one), {"description": "no id"}]), "item 1: id is required"),
        (json!([item(&one), {"id": "0a5b000000000001"}]), "not found. Ids: [0a5b000000000001]"),
        (json!([{"id": "x"}, {"id": "y"}]), "not found. Ids: [x, y]"),
    ] {
        let output = send(&cast, items).refused(400, "badRequest");
        assert!(output.contains(message), "{output}");
    }
    cast.patch("/transactions/merge", &json!({})).refused(400, "invalid");
    cast.patch("/transactions/merge", &json!([item(&one), item(&two)])).refused(400, "invalid");
    // A transaction of another book is unknown here.
    let other = self::cast(server);
    let foreign = LUNCH.create(&other, json!({}));
    send(&cast, json!([item(&one), item(&foreign)])).refused(400, "badRequest");
    assert_eq!(events(&cast).len(), known, "refusals leave nothing");
    check_totals(&cast, &[("Cash", "0.00", "20.00"), ("Food", "20.00", "0.00")]);
}

pub fn tests() -> Vec<Case> {
    crate::cases![
        rule_3_11_a_draft_and_a_posted_one,
        rule_3_11_2_followers_reach_the_last_one,
        rule_3_11_6_different_amounts,
        rule_3_11_7_archived_accounts,
        rule_3_4_what_does_not_merge,
        rule_3_11_invalid_merges_are_refused,
    ]
}
