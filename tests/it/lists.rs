//! listTransactions without its query language: order (2.6), limits (2.2), `account` (2.8), `items`
//! (2.7), and `ids=` (12.4).

use daybook_tests::{CASH_BANK_FOOD, Cast, Server, encode};
use serde_json::{Value, json};

use crate::reading::{Faults, absent, batch, find, id, ids, items, labels, search, sorted_labels};

fn cast(server: &Server) -> Cast {
    Cast::with_accounts(server, &CASH_BANK_FOOD)
}

/// A draft without a date; its label is the description.
#[track_caller]
fn draft(cast: &Cast, label: &str) -> Value {
    cast.create(&json!({"description": label, "amount": "1"}))
}

fn rule_2_6_order(server: &Server) {
    let cast = cast(server);
    // Recorded in an order that is neither by date nor by label.
    for (label, date) in [
        ("t1", "2025-01-02"),
        ("t2", "2025-01-03"),
        ("t3", "2025-01-01"),
        ("t4", "2025-01-02"),
        ("t5", "2099-01-01"),
        ("t6", "2025-01-02"),
    ] {
        cast.create(&json!({"description": label, "amount": "1", "date": date}));
    }
    draft(&cast, "t7");
    draft(&cast, "t8");
    // Drafts without a date are listed under the day of their creation: after 2099, before 2025.
    let wanted = ["t5", "t8", "t7", "t2", "t6", "t4", "t1", "t3"];
    let list = find(&cast, "");
    assert_eq!(labels(&list), wanted, "date, then creation time, then id, each descending");
    // Edits do not move a row unless they change its date.
    let t4 = items(&list)[5].clone();
    cast.put("/transactions", &json!({"id": t4["id"], "amount": "2"})).ok();
    assert_eq!(labels(&find(&cast, "")), wanted);
    cast.put("/transactions", &json!({"id": t4["id"], "date": "2098-01-01"})).ok();
    assert_eq!(labels(&find(&cast, "")), ["t5", "t4", "t8", "t7", "t2", "t6", "t1", "t3"]);
}

fn rule_2_6_order_within_a_batch(server: &Server) {
    let cast = cast(server);
    let bodies = (0..300).map(|index| {
        json!({
            "description": format!("t{index}"), "amount": "1",
            "date": format!("2025-01-0{}", index % 3 + 1),
        })
    });
    cast.post("/transactions/batch", &batch(bodies)).ok();
    let list = find(&cast, "");
    let text = |item: &Value, field: &str| item[field].as_str().unwrap_or("").to_owned();
    let keys: Vec<_> = items(&list)
        .iter()
        .map(|item| (text(item, "date"), text(item, "createdAt"), text(item, "id")))
        .collect();
    assert_eq!(keys.len(), 300);
    for pair in keys.windows(2) {
        let ((a_date, a_created, a_id), (b_date, b_created, b_id)) = (&pair[0], &pair[1]);
        assert!(
            (a_date, a_created) >= (b_date, b_created),
            "2.6: {a_date} {a_created} stands before {b_date} {b_created}"
        );
        if (a_date, a_created) == (b_date, b_created) && a_id.len() == b_id.len() {
            assert!(a_id > b_id, "2.6: of one instant, the id descending: {a_id} before {b_id}");
        }
    }
}

fn rule_2_2_limits(server: &Server) {
    let cast = Cast::with_settings(server, json!({"pageSize": 10}));
    for _ in 0..2 {
        let bodies =
            (0..510).map(|index| json!({"description": format!("t{index}"), "amount": "1"}));
        cast.post("/transactions/batch", &batch(bodies)).ok();
    }
    let mut faults = Faults::default();
    let rows = [
        ("", 100),
        ("limit=", 100),
        ("limit=-2147483649", 100),
        ("limit=many", 100),
        ("limit=1", 1),
        ("limit=1000", 1000),
        ("limit=1001", 1000),
    ];
    for (parameter, wanted) in rows {
        for query in ["", "&query=", "&query=t"] {
            let answer = cast.get(&format!("/transactions?{parameter}{query}"));
            let found = answer.body["items"].as_array().map(Vec::len);
            let shown = (answer.status, found);
            faults.same(&format!("{parameter}{query}"), shown, (200, Some(wanted)));
            faults.check(answer.body["cursor"].is_string(), || {
                format!("2.3: {parameter}: there are more rows, so a cursor")
            });
        }
    }
    faults.none();
}

fn rule_2_7_items_when_empty(server: &Server) {
    let cast = cast(server);
    for query in ["", "account:Nobody", "nothing", "is:trashed"] {
        let list = find(&cast, query);
        assert_eq!(list["items"], json!([]), "{query}");
        assert!(absent(&list, "cursor"), "2.3: never a cursor on an empty page: {list}");
    }
    let bare = cast.get("/transactions?").ok();
    assert_eq!(bare["items"], json!([]), "0.2: an empty query string");
}

fn rule_2_8_account_of_the_list(server: &Server) {
    let cast = cast(server);
    cast.group("Assets");
    let cash = id(&cast.get("/accounts/cash").ok());
    cast.record("2025-01-01", "1.00", "Cash", "Food", "t1");
    let by_id = format!("account:{cash}");
    let rows = [
        ("account:Cash", true),
        ("from:Cash", true),
        (by_id.as_str(), true),
        ("account:'Cash' after:2030", true),
        ("group:Assets", false),
        ("account:Unknown", false),
        ("account:Cash OR account:Bank", false),
    ];
    let mut faults = Faults::default();
    for (query, set) in rows {
        let list = find(&cast, query);
        faults.same(
            &format!("`{query}`: account"),
            list["account"].as_str(),
            set.then_some(cash.as_str()),
        );
    }
    faults.none();
}

fn rule_12_4_by_ids(server: &Server) {
    let cast = cast(server);
    let made: Vec<Value> =
        ["t1", "t2", "t3", "t4"].iter().map(|label| draft(&cast, label)).collect();
    cast.patch("/transactions/trash", &json!({"id": made[1]["id"]})).ok();
    let by = |ids: &[&str]| cast.get(&format!("/transactions?ids={}", encode(&ids.join(","))));
    let made: Vec<String> = made.iter().map(id).collect();
    let order = [&made[2], &made[0], &made[1]].map(String::as_str);
    assert_eq!(ids(&by(&order).ok()), order, "in that order, trashed ones included");
    let plain = cast.get(&format!("/transactions?ids={},{}", made[3], made[0])).ok();
    assert_eq!(ids(&plain), [made[3].as_str(), made[0].as_str()], "an unencoded comma");
    let message = by(&[&made[0], "nope1", &made[1], "nope2"]).refused(404, "notFound");
    assert!(message.contains("Ids: [nope1, nope2]"), "{message}");
    let other = self::cast(server);
    let foreign = id(&draft(&other, "elsewhere"));
    let message = by(&[&foreign]).refused(404, "notFound");
    assert!(message.contains(&format!("Ids: [{foreign}]")), "{message}");
    cast.stranger
        .get(&cast.path(&format!("/transactions?ids={}", made[0])))
        .refused(404, "notFound");
}

/// 12.11: like 12.4, with the ids in a body.
fn rule_12_11_load_batch(server: &Server) {
    let cast = cast(server);
    let made: Vec<Value> = ["t1", "t2", "t3"].iter().map(|label| draft(&cast, label)).collect();
    cast.patch("/transactions/trash", &json!({"id": made[1]["id"]})).ok();
    let path = cast.path("/transactions/load/batch");
    let load = |items: Value| cast.owner.post(&path, &json!({"items": items}));
    let made: Vec<String> = made.iter().map(id).collect();
    // Whole objects are accepted; only their ids are read.
    let items = json!([
        {"id": made[2], "amount": "-1", "date": "x"}, {"id": made[0]}, {"id": made[1]},
        {"id": made[0]},
    ]);
    let events = crate::reading::events(&cast);
    let list = load(items.clone()).ok();
    let order = [&made[2], &made[0], &made[1], &made[0]].map(String::as_str);
    assert_eq!(ids(&list), order, "in that order, trashed ones included, each as often as named");
    assert_eq!(list["items"][2]["trashed"], true);
    let by_ids = cast.get(&format!("/transactions?ids={}", order.join(","))).ok();
    assert_eq!(list, by_ids, "12.4: the same answer");
    assert_eq!(load(json!([])).ok(), json!({"items": []}));
    let unknown = json!([{"id": "nope1"}, {"id": made[0]}, {"id": "0a5b000000000001"}]);
    let message = load(unknown).refused(404, "notFound");
    assert!(message.contains("Ids: [nope1, 0a5b000000000001]"), "{message}");
    let message =
        load(json!([{"id": made[0]}, {"description": "no id"}])).refused(400, "badRequest");
    assert!(message.contains("item 1: id is required"), "{message}");
    let many = |count: usize| Value::from(vec![json!({"id": made[0]}); count]);
    assert_eq!(ids(&load(many(1000)).ok()).len(), 1000);
    let message = load(many(1001)).refused(400, "badRequest");
    assert!(message.contains("1000"), "{message}");
    cast.owner.post(&path, &json!({})).refused(400, "invalid");
    // 0.29: a POST without a target accepts no condition. A key is ignored here (0.27).
    cast.owner
        .header("If-Match", "*")
        .post(&path, &json!({"items": []}))
        .refused(400, "badRequest");
    let keyed = cast.owner.header("Idempotency-Key", "load");
    keyed.post(&path, &json!({"items": items})).ok();
    let other = keyed.post(&path, &json!({"items": [{"id": made[0]}]}));
    assert!(!other.headers.contains_key("idempotency-replayed"));
    assert_eq!(ids(&other.ok()), [made[0].as_str()], "each time what is there");
    // 7.3: readers of transactions may load them; a RECORDER its own drafts.
    let own = cast.recorder.post(&cast.path("/transactions"), &json!({"description": "mine"})).ok();
    let own = id(&own["transaction"]);
    for (role, reader) in cast.members() {
        let answer = reader.post(&path, &json!({"items": [{"id": own}, {"id": made[0]}]}));
        if role == "RECORDER" {
            let message = answer.refused(404, "notFound");
            assert!(message.contains(&format!("Ids: [{}]", made[0])), "{message}");
        } else {
            assert_eq!(ids(&answer.ok()), [own.as_str(), made[0].as_str()], "{role}");
        }
    }
    assert_eq!(ids(&cast.recorder.post(&path, &json!({"items": [{"id": own}]})).ok()), [own]);
    cast.stranger.post(&path, &json!({"items": []})).refused(404, "notFound");
    cast.anonymous.post(&path, &json!({"items": []})).refused(401, "required");
    assert_eq!(crate::reading::events(&cast).len(), events.len() + 1, "it only reads");
}

fn rule_1_2_2_the_trash_is_left_out(server: &Server) {
    let cast = cast(server);
    let made: Vec<Value> = ["t1", "t2"].iter().map(|label| draft(&cast, label)).collect();
    cast.patch("/transactions/trash", &json!({"id": made[0]["id"]})).ok();
    assert_eq!(sorted_labels(&find(&cast, "")), ["t2"]);
    assert_eq!(sorted_labels(&find(&cast, "is:trashed")), ["t1"]);
    let read = cast.get(&format!("/transactions/{}", id(&made[0]))).ok();
    assert_eq!(read["trashed"], true, "getTransaction still shows it");
}

fn rule_7_3_lists_by_permission(server: &Server) {
    let cast = cast(server);
    let own = cast
        .recorder
        .post(&cast.path("/transactions"), &json!({"description": "t1 own", "amount": "1"}))
        .ok()["transaction"]
        .clone();
    let others = draft(&cast, "t2");
    let posted = cast.recorder.post(
        &cast.path("/transactions"),
        &json!({
            "description": "t3 own", "amount": "1", "date": "2025-01-01",
            "creditAccount": {"name": "Cash"}, "debitAccount": {"name": "Food"},
        }),
    );
    let posted = posted.ok()["transaction"].clone();
    cast.patch("/transactions/post", &json!({"id": posted["id"]})).ok();
    for (role, reader) in cast.members() {
        let wanted: &[&str] = if role == "RECORDER" { &["t1"] } else { &["t1", "t2", "t3"] };
        assert_eq!(
            sorted_labels(&search(reader, &cast, "").ok()),
            wanted,
            "{role}: a RECORDER lists own drafts"
        );
        let path = cast.path(&format!("/transactions/{}", id(&others)));
        let answer = reader.get(&path);
        if role == "RECORDER" {
            answer.refused(404, "notFound");
        } else {
            answer.ok();
        }
        assert_eq!(
            reader.get(&cast.path(&format!("/transactions/{}", id(&own)))).ok()["id"],
            own["id"],
            "{role}"
        );
    }
    search(&cast.stranger, &cast, "").refused(404, "notFound");
    search(&cast.anonymous, &cast, "").refused(401, "required");
}

pub fn tests() -> Vec<crate::Case> {
    crate::cases![
        rule_2_6_order,
        rule_2_6_order_within_a_batch,
        rule_2_2_limits,
        rule_2_7_items_when_empty,
        rule_2_8_account_of_the_list,
        rule_12_4_by_ids,
        rule_12_11_load_batch,
        rule_1_2_2_the_trash_is_left_out,
        rule_7_3_lists_by_permission,
    ]
}
