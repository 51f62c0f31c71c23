//! Batches of transactions (3.6): all or nothing, in order, with ineligible items skipped and
//! counted.

use daybook_tests::{Answer, CASH_AND_FOOD, Cast, Lunch, Server, shows, unique};
use serde_json::{Value, json};

use crate::reading::{
    Faults, batch, events, expected_totals, find, id, ids, items, new_events, refused_400,
    resources, totals, transaction, types,
};

const LUNCH: Lunch = Lunch { date: "2025-03-05", amount: "2.00" };

#[track_caller]
fn create_all(cast: &Cast, items: Vec<Value>) -> Vec<Value> {
    let count = items.len();
    let list = cast.post("/transactions/batch", &batch(items)).ok();
    assert_eq!(list["items"].as_array().map(Vec::len), Some(count), "3.6.2: the same length");
    crate::reading::items(&list).clone()
}

fn only_id(transaction: &Value) -> Value {
    json!({"id": transaction["id"]})
}

/// Asserts the sum that was paid from Cash for Food.
#[track_caller]
fn assert_paid(cast: &Cast, sum: &str) {
    assert_eq!(totals(cast), expected_totals(&[("Cash", "0.00", sum), ("Food", sum, "0.00")]));
}

/// Every batch operation: method and path.
const ALL: [(&str, &str); 7] = [
    ("POST", "/transactions/batch"),
    ("PUT", "/transactions/batch"),
    ("PATCH", "/transactions/post/batch"),
    ("PATCH", "/transactions/check/batch"),
    ("PATCH", "/transactions/uncheck/batch"),
    ("PATCH", "/transactions/trash/batch"),
    ("PATCH", "/transactions/untrash/batch"),
];

#[track_caller]
fn send(cast: &Cast, operation: (&str, &str), body: &Value) -> Answer {
    let (method, path) = operation;
    cast.owner.send(method, &cast.path(path), body)
}

fn rule_3_6_1_empty_batch_does_nothing(server: &Server) {
    let cast = Cast::with_accounts(server, &CASH_AND_FOOD);
    let known = events(&cast).len();
    for operation in ALL {
        let answer = send(&cast, operation, &json!({"items": []}));
        if operation.0 == "PATCH" {
            answer.no_content();
        } else {
            assert_eq!(answer.ok()["items"], json!([]), "{operation:?}");
        }
    }
    assert_eq!(new_events(&cast, known).len(), 0);
}

fn rule_3_6_2_response_keeps_order_and_length(server: &Server) {
    let cast = Cast::with_accounts(server, &CASH_AND_FOOD);
    let known = events(&cast).len();
    let kinds = [
        json!({}),
        json!({"draft": true}),
        json!({"amount": null}),
        json!({"checked": true}),
        json!({"date": null}),
    ];
    let bodies: Vec<Value> = (0..60)
        .map(|index: usize| {
            let mut body = LUNCH.with(kinds[index % kinds.len()].clone());
            body["description"] = json!(format!("t{index}"));
            body
        })
        .collect();
    let made = create_all(&cast, bodies);
    let mut expected_events = Vec::new();
    for (index, item) in made.iter().enumerate() {
        let posted = matches!(index % kinds.len(), 0 | 3);
        assert_eq!(item["description"], format!("t{index}"), "the order of the input");
        shows(item, &json!({"posted": posted, "checked": index % kinds.len() == 3}));
        expected_events.push(if posted { "TRANSACTION_POSTED" } else { "TRANSACTION_CREATED" });
    }
    let events = new_events(&cast, known);
    assert_eq!(types(&events), expected_events, "3.6.6: one event per item, in item order");
    let made: Vec<_> = made.iter().map(id).collect();
    assert_eq!(resources(&events), made);
    assert_paid(&cast, "48.00");
}

/// Creates an incomplete, a draft, an unchecked, a checked and a trashed transaction, and one on a
/// locked date.
#[track_caller]
fn one_of_each(cast: &Cast) -> Vec<Value> {
    let made = [
        LUNCH.create(cast, json!({"amount": null})),
        LUNCH.create(cast, json!({"draft": true})),
        LUNCH.create(cast, json!({})),
        LUNCH.create(cast, json!({"checked": true})),
        LUNCH.create(cast, json!({})),
        LUNCH.create(cast, json!({"date": "2024-12-31"})),
    ];
    cast.patch("/transactions/trash", &only_id(&made[4])).ok();
    cast.put("", &json!({"lockDate": "2024-12-31"})).ok();
    made.iter().map(|made| transaction(cast, &id(made))).collect()
}

fn rule_3_6_4_ineligible_items_are_skipped(server: &Server) {
    let rows: [(&str, &str, &[usize]); 6] = [
        ("post/batch", "TRANSACTION_POSTED", &[1]),
        ("check/batch", "TRANSACTION_CHECKED", &[2]),
        ("uncheck/batch", "TRANSACTION_UNCHECKED", &[3]),
        ("trash/batch", "TRANSACTION_DELETED", &[0, 1, 2]),
        ("trash/batch?trashChecked=true", "TRANSACTION_DELETED", &[0, 1, 2, 3]),
        ("untrash/batch", "TRANSACTION_RESTORED", &[4]),
    ];
    for (path, event, touched) in rows {
        let cast = Cast::with_accounts(server, &CASH_AND_FOOD);
        let before = one_of_each(&cast);
        let known = events(&cast).len();
        // Each item twice: the second is already in the target state.
        let bodies: Vec<Value> = before.iter().chain(&before).map(only_id).collect();
        let keyed = cast.owner.header("Idempotency-Key", &unique("key"));
        let send =
            || keyed.patch(&cast.path(&format!("/transactions/{path}")), &batch(bodies.clone()));
        let answer = send();
        let events = new_events(&cast, known);
        let left = 2 * before.len() - touched.len();
        assert_eq!(skipped(&answer), Some(left), "{path}: both kinds count");
        answer.no_content();
        let again = send();
        assert!(again.headers.contains_key("idempotency-replayed"));
        assert_eq!(skipped(&again), Some(left), "0.16: the first answer again");
        again.no_content();
        assert_eq!(types(&events), vec![event; touched.len()], "{path}");
        let wanted: Vec<_> = touched.iter().map(|index| id(&before[*index])).collect();
        assert_eq!(resources(&events), wanted, "{path}: in item order");
        for (index, before) in before.iter().enumerate() {
            let changed = transaction(&cast, &id(before)) != *before;
            assert_eq!(changed, touched.contains(&index), "{path}: item {index}");
        }
    }
}

/// Returns the header `Skipped-Items`.
fn skipped(answer: &Answer) -> Option<usize> {
    answer.headers.get("skipped-items").map(|text| text.parse().expect("a number"))
}

fn rule_3_6_4_header_is_absent_when_no_item_is_skipped(server: &Server) {
    let cast = Cast::with_accounts(server, &CASH_AND_FOOD);
    let made = LUNCH.create(&cast, json!({"draft": true}));
    for path in ["post", "check", "uncheck", "trash", "untrash"] {
        let path = cast.path(&format!("/transactions/{path}/batch"));
        let answer = cast.owner.patch(&path, &batch([only_id(&made)]));
        assert_eq!(skipped(&answer), None, "{path}");
        answer.no_content();
        let keyed = cast.owner.header("Idempotency-Key", &unique("key"));
        for _ in 0..2 {
            let answer = keyed.patch(&path, &batch([]));
            assert_eq!(skipped(&answer), None, "{path}");
            answer.no_content();
        }
        assert_eq!(skipped(&cast.owner.patch(&path, &batch([only_id(&made)]))), Some(1), "{path}");
    }
    let updated = cast.put("/transactions/batch", &batch([only_id(&made)]));
    assert_eq!(skipped(&updated), None, "an unchanged item is not skipped");
}

/// The reason of each item of [`one_of_each`] in a batch with `all=true`; `None` if it changes.
type ReasonOfEach = [Option<&'static str>; 6];

/// A method, a path and the reasons in a batch with `all=true`.
#[rustfmt::skip]
const WITH_ALL: [(&str, &str, ReasonOfEach); 7] = {
    const BAD: Option<&str> = Some("badRequest");
    const CHECKED: Option<&str> = Some("checkedTransaction");
    const LOCKED: Option<&str> = Some("lockedDate");
    //                         incomplete, draft, unchecked, checked, trashed, locked
    [
        ("PUT", "batch?all=true", [None, None, None, CHECKED, BAD, LOCKED]),
        ("PATCH", "post/batch?all=true", [BAD, None, BAD, BAD, BAD, BAD]),
        ("PATCH", "check/batch?all=true", [BAD, BAD, None, BAD, BAD, LOCKED]),
        ("PATCH", "uncheck/batch?all=true", [BAD, BAD, BAD, None, BAD, BAD]),
        ("PATCH", "trash/batch?all=true", [None, None, None, CHECKED, BAD, LOCKED]),
        ("PATCH", "trash/batch?all=true&trashChecked=true", [None, None, None, None, BAD, LOCKED]),
        ("PATCH", "untrash/batch?all=true", [BAD, BAD, BAD, BAD, None, BAD]),
    ]
};

fn rule_3_6_7_skipped_item_refuses_the_batch(server: &Server) {
    for (method, path, reasons) in WITH_ALL {
        let cast = Cast::with_accounts(server, &CASH_AND_FOOD);
        let before = one_of_each(&cast);
        let known = events(&cast).len();
        let path = cast.path(&format!("/transactions/{path}"));
        let changed = |index: &usize| json!({"id": before[*index]["id"], "description": "Changed"});
        let send =
            |indices: &[usize]| cast.owner.send(method, &path, &batch(indices.iter().map(changed)));
        let (eligible, skipped): (Vec<usize>, Vec<usize>) =
            (0..before.len()).partition(|index| reasons[*index].is_none());
        for index in skipped {
            let together: Vec<usize> = eligible.iter().copied().chain([index]).collect();
            let message = send(&together).refused(400, reasons[index].expect("a reason"));
            assert!(names(&message, eligible.len()), "{path}: the last item: {message}");
        }
        assert_eq!(new_events(&cast, known).len(), 0, "{path}: refused as a whole");
        for before in &before {
            assert_eq!(&transaction(&cast, &id(before)), before, "{path}");
        }
        assert!(send(&eligible).status < 300, "{path}");
        assert_eq!(new_events(&cast, known).len(), eligible.len(), "{path}");
    }
}

fn rule_3_6_7_update_without_changes_is_not_refused(server: &Server) {
    let cast = Cast::with_accounts(server, &CASH_AND_FOOD);
    let made = LUNCH.create(&cast, json!({}));
    let list = cast.put("/transactions/batch?all=true", &batch([only_id(&made)])).ok();
    assert_eq!(items(&list).len(), 1);
    let twice = batch([only_id(&made), only_id(&made)]);
    let path = cast.path("/transactions/check/batch?all=true");
    let message = cast.owner.patch(&path, &twice).refused(400, "badRequest");
    assert!(message.contains("item 1: the transaction is already checked"), "{message}");
    assert_eq!(transaction(&cast, &id(&made))["checked"], false);
}

fn rule_3_6_4_post_batch_applies_changes(server: &Server) {
    let cast = Cast::with_accounts(server, &CASH_AND_FOOD);
    let drafts =
        [LUNCH.create(&cast, json!({"amount": null})), LUNCH.create(&cast, json!({"draft": true}))];
    let bodies = [
        json!({"id": drafts[0]["id"], "amount": "7.00"}),
        json!({"id": drafts[1]["id"], "description": "Dinner", "checked": true}),
    ];
    cast.patch("/transactions/post/batch", &batch(bodies)).no_content();
    let first = transaction(&cast, &id(&drafts[0]));
    assert_eq!((&first["posted"], &first["amount"]), (&json!(true), &json!("7.00")));
    let second = transaction(&cast, &id(&drafts[1]));
    shows(&second, &json!({"posted": true, "description": "Dinner", "checked": true}));
    // The other batches read only ids.
    let bodies = drafts
        .iter()
        .map(|draft| json!({"id": draft["id"], "description": "Wrong", "amount": "1.00"}));
    cast.patch("/transactions/check/batch", &batch(bodies)).no_content();
    assert_eq!(transaction(&cast, &id(&drafts[0]))["amount"], "7.00");
    assert_eq!(transaction(&cast, &id(&drafts[1])), second);
}

fn rule_3_6_3_flags_require_the_check_permission(server: &Server) {
    let cast = Cast::with_accounts(server, &CASH_AND_FOOD);
    let checked = LUNCH.create(&cast, json!({"checked": true}));
    let one = batch([only_id(&checked)]);
    let update = batch([json!({"id": checked["id"], "description": "Changed"})]);
    cast.poster
        .put(&cast.path("/transactions/batch?updateChecked=true"), &update)
        .refused(403, "forbidden");
    cast.poster
        .patch(&cast.path("/transactions/trash/batch?trashChecked=true"), &one)
        .refused(403, "forbidden");
    assert_eq!(transaction(&cast, &id(&checked)), checked);
    cast.poster.put(&cast.path("/transactions/batch"), &update).ok();
    cast.poster.patch(&cast.path("/transactions/trash/batch"), &one).no_content();
    assert_eq!(transaction(&cast, &id(&checked)), checked, "skipped without the flags");
    cast.editor.put(&cast.path("/transactions/batch?updateChecked=true"), &update).ok();
    let changed = transaction(&cast, &id(&checked));
    // It stays checked.
    assert_eq!((&changed["description"], &changed["checked"]), (&json!("Changed"), &json!(true)));
}

/// Returns whether a message contains this index as a separate number.
fn names(message: &str, index: usize) -> bool {
    message.split(|letter: char| !letter.is_ascii_digit()).any(|word| word == index.to_string())
}

/// Fields with invalid values.
fn invalid_fields() -> Vec<Value> {
    vec![
        json!({"amount": "abc"}),
        json!({"amount": "-1"}),
        json!({"amount": true}),
        json!({"date": "2025-02-30"}),
        json!({"creditAccount": {"name": "Nobody"}}),
        json!({"creditAccount": {"name": "Food"}}),
        json!({"remoteIds": ["r".repeat(257)]}),
        json!({"properties": {"k".repeat(31): "v"}}),
        json!({"checked": "maybe"}),
        json!({"description": 17}),
    ]
}

fn rule_3_6_5_create_is_all_or_nothing(server: &Server) {
    let cast = Cast::with_accounts(server, &CASH_AND_FOOD);
    let known = events(&cast).len();
    let mut faults = Faults::default();
    for fields in invalid_fields() {
        let mut bodies = vec![LUNCH.with(json!({})); 13];
        bodies[11] = LUNCH.with(fields.clone());
        bodies[12] = LUNCH.with(json!({"amount": "also bad"}));
        let answer = cast.post("/transactions/batch", &batch(bodies));
        let message = answer.body["error"]["message"].as_str().unwrap_or_default();
        faults.check(answer.status == 400 && names(message, 11), || {
            format!("{fields}: expected 400 naming item 11: {} {message}", answer.status)
        });
    }
    faults.same("nothing is recorded", items(&find(&cast, "")).len(), 0);
    faults.same("no event", new_events(&cast, known).len(), 0);
    faults.same("no balance", totals(&cast).len(), 0);
    faults.none();
}

fn rule_3_6_5_update_is_all_or_nothing(server: &Server) {
    let cast = Cast::with_accounts(server, &CASH_AND_FOOD);
    let made = create_all(&cast, (0..13).map(|_| LUNCH.with(json!({}))).collect());
    let known = events(&cast).len();
    let mut faults = Faults::default();
    let mut changes = invalid_fields();
    // A posted item that would become incomplete.
    changes.extend([json!({"amount": null}), json!({"date": ""}), json!({"debitAccount": null})]);
    for change in changes {
        let mut bodies: Vec<Value> =
            made.iter().map(|made| json!({"id": made["id"], "description": "Changed"})).collect();
        for (key, value) in change.as_object().expect("an object") {
            bodies[11][key] = value.clone();
        }
        let answer = cast.put("/transactions/batch", &batch(bodies));
        let message = answer.body["error"]["message"].as_str().unwrap_or_default();
        faults.check(answer.status == 400 && names(message, 11), || {
            format!("{change}: expected 400 naming item 11: {} {message}", answer.status)
        });
    }
    faults.same("no event", new_events(&cast, known).len(), 0);
    for made in &made {
        let stored = transaction(&cast, &id(made));
        for field in ["amount", "date", "description", "updatedAt"] {
            faults.same(field, &stored[field], &made[field]);
        }
    }
    faults.none();
}

fn rule_3_6_5_missing_permission_fails_the_whole_batch(server: &Server) {
    let cast = Cast::with_accounts(server, &CASH_AND_FOOD);
    let posted = LUNCH.create(&cast, json!({}));
    let own =
        cast.recorder.post(&cast.path("/transactions"), &LUNCH.with(json!({}))).ok()["transaction"]
            .clone();
    let bodies = batch([json!({"id": own["id"]}), json!({"id": own["id"]})]);
    cast.recorder.patch(&cast.path("/transactions/post/batch"), &bodies).refused(403, "forbidden");
    // 7.3: another user's object does not exist for a RECORDER.
    let message = cast
        .recorder
        .patch(&cast.path("/transactions/trash/batch"), &batch([only_id(&own), only_id(&posted)]))
        .refused(404, "notFound");
    assert!(message.contains(&format!("Ids: [{}]", id(&posted))), "{message}");
    assert_eq!(transaction(&cast, &id(&own))["trashed"], false, "before any change");
}

fn rule_3_6_5_unknown_ids_are_refused(server: &Server) {
    let cast = Cast::with_accounts(server, &CASH_AND_FOOD);
    let made = LUNCH.create(&cast, json!({}));
    let known = events(&cast).len();
    for operation in &ALL[1..] {
        let bodies =
            [only_id(&made), json!({"id": "nope1"}), json!({"id": "nope2", "description": "x"})];
        let message = send(&cast, *operation, &batch(bodies)).refused(404, "notFound");
        assert!(message.contains("Ids: [nope1, nope2]"), "{operation:?}: {message}");
    }
    assert_eq!(transaction(&cast, &id(&made)), made, "before any change");
    assert_eq!(new_events(&cast, known).len(), 0);
}

fn rule_3_6_4_item_without_an_id_is_refused(server: &Server) {
    let cast = Cast::with_accounts(server, &CASH_AND_FOOD);
    let made = LUNCH.create(&cast, json!({}));
    for operation in &ALL[1..] {
        for without_id in [json!({"description": "No id"}), json!({"id": null}), json!({"id": ""})]
        {
            let message = refused_400(
                send(&cast, *operation, &batch([only_id(&made), without_id])),
                &["badRequest", "invalid"],
            );
            assert!(names(&message, 1), "{operation:?}: the message names item 1: {message}");
        }
    }
    assert_eq!(transaction(&cast, &id(&made)), made);
}

fn rule_3_6_6_batches_take_1000_items(server: &Server) {
    let cast = Cast::with_accounts(server, &CASH_AND_FOOD);
    let made = create_all(
        &cast,
        (0..1000).map(|index| LUNCH.with(json!({"description": format!("t{index}")}))).collect(),
    );
    assert_eq!(made[999]["description"], "t999");
    assert_paid(&cast, "2000.00");
    let bodies: Vec<Value> =
        made.iter().map(|made| json!({"id": made["id"], "amount": "3.00"})).collect();
    cast.put("/transactions/batch", &batch(bodies.clone())).ok();
    assert_paid(&cast, "3000.00");
    for verb in ["check", "uncheck", "trash", "untrash", "trash"] {
        cast.patch(&format!("/transactions/{verb}/batch"), &batch(bodies.clone())).no_content();
    }
    assert_eq!(totals(&cast).len(), 0);
}

/// 4.7: an account that one item of a batch uses and a later item replaces has a posting in the
/// event log.
fn rule_4_7_account_used_within_a_batch_counts_as_posted(server: &Server) {
    let cast = Cast::with_accounts(server, &CASH_AND_FOOD);
    let rent = cast.account("Rent", "OUTGOING");
    let made = LUNCH.create(&cast, json!({}));
    let moved = |name: &str| json!({"id": made["id"], "debitAccount": {"name": name}});
    cast.put("/transactions/batch", &batch([moved("Rent"), moved("Food")])).ok();
    let path = cast.path(&format!("/accounts/{}", id(&rent)));
    assert_eq!(cast.owner.get(&path).ok()["hasTransactionPosted"], true);
    refused_400(cast.owner.delete(&path), &["badRequest"]);
}

fn rule_3_6_3_update_counts_skipped_items(server: &Server) {
    let cast = Cast::with_accounts(server, &CASH_AND_FOOD);
    let [open, checked] = [LUNCH.create(&cast, json!({})), LUNCH.create(&cast, json!({}))];
    cast.patch("/transactions/check", &only_id(&checked)).ok();
    let change = |one: &Value| json!({"id": one["id"], "description": "Dinner"});
    let items = batch([change(&open), change(&checked), change(&checked)]);
    let keyed = cast.owner.header("Idempotency-Key", &unique("key"));
    for _ in 0..2 {
        let answer = keyed.put(&cast.path("/transactions/batch"), &items);
        assert_eq!(skipped(&answer), Some(2), "3.6.3");
        let list = answer.ok();
        assert_eq!(ids(&list), [id(&open), id(&checked), id(&checked)], "3.6.3: in order");
        assert_eq!(list["items"][0]["description"], "Dinner");
        assert_eq!(list["items"][1]["description"], "Lunch");
    }
    let same = cast.put("/transactions/batch", &batch([change(&open)]));
    assert_eq!(skipped(&same), None, "an unchanged item is not skipped");
}

fn rule_3_6_5_error_names_each_invalid_item(server: &Server) {
    let cast = Cast::with_accounts(server, &CASH_AND_FOOD);
    let good = LUNCH.create(&cast, json!({}));
    let wrong = |value: &str| json!({"id": good["id"], "date": value});
    let items = batch([only_id(&good), wrong("2025-13-01"), only_id(&good), wrong("never")]);
    let answer = cast.put("/transactions/batch", &items);
    let error = answer.body["error"].clone();
    let message = answer.refused(400, "badRequest");
    assert!(message.starts_with("item 1: ") && message.contains("; item 3: "), "{message}");
    let errors = error["errors"].as_array().expect("a list");
    assert_eq!(errors.len(), 2, "3.6.5: {errors:?}");
    assert!(errors[1]["message"].as_str().expect("a text").starts_with("item 3: date"));
    let bad: Vec<Value> = (0..150).map(|_| json!({"date": "never"})).collect();
    let answer = cast.post("/transactions/batch", &batch(bad));
    assert_eq!(answer.body["error"]["errors"].as_array().map(Vec::len), Some(100), "3.6.5");
}

/// 3.2.1: clients refresh the balances of both accounts.
fn rule_3_2_1_update_returns_the_former_account(server: &Server) {
    let cast = Cast::with_accounts(server, &CASH_AND_FOOD);
    let made = LUNCH.create(&cast, json!({}));
    let other = cast.account("Rent", "OUTGOING");
    let moved = json!({"id": made["id"], "debitAccount": {"id": other["id"]}});
    let updated = cast.put("/transactions", &moved).ok();
    let names: Vec<&str> = updated["accounts"]
        .as_array()
        .expect("accounts")
        .iter()
        .map(|account| account["name"].as_str().expect("a name"))
        .collect();
    assert_eq!(names, ["Cash", "Rent", "Food"], "3.2.1");
}

fn rule_0_10_bodies_of_the_wrong_shape_are_refused(server: &Server) {
    let cast = Cast::new(server);
    for operation in ALL {
        for body in [
            json!({"items": "x"}),
            json!({"items": {}}),
            json!({"items": [5]}),
            json!([{"id": "x"}]),
        ] {
            let message = send(&cast, operation, &body).refused(400, "invalid");
            assert!(message.contains("InvalidFormatException"), "{operation:?} {body}: {message}");
        }
    }
}

pub fn tests() -> Vec<crate::Case> {
    crate::cases![
        rule_0_10_bodies_of_the_wrong_shape_are_refused,
        rule_3_6_1_empty_batch_does_nothing,
        rule_3_6_2_response_keeps_order_and_length,
        rule_3_6_3_flags_require_the_check_permission,
        rule_3_6_3_update_counts_skipped_items,
        rule_3_6_4_ineligible_items_are_skipped,
        rule_3_6_4_header_is_absent_when_no_item_is_skipped,
        rule_3_6_4_post_batch_applies_changes,
        rule_3_6_7_skipped_item_refuses_the_batch,
        rule_3_6_7_update_without_changes_is_not_refused,
        rule_3_6_4_item_without_an_id_is_refused,
        rule_3_2_1_update_returns_the_former_account,
        rule_3_6_5_error_names_each_invalid_item,
        rule_3_6_5_create_is_all_or_nothing,
        rule_3_6_5_update_is_all_or_nothing,
        rule_3_6_5_missing_permission_fails_the_whole_batch,
        rule_3_6_5_unknown_ids_are_refused,
        rule_3_6_6_batches_take_1000_items,
        rule_4_7_account_used_within_a_batch_counts_as_posted,
    ]
}
