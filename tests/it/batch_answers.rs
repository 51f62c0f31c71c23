//! Responses to batches: skipped items (3.6.3), invalid items (3.6.5) and affected accounts
//! (3.2.1).

use daybook_tests::{CASH_AND_FOOD, Cast, Lunch, Server, unique};
use serde_json::{Value, json};

use crate::batches::skipped;
use crate::reading::batch;

pub fn tests() -> Vec<crate::Case> {
    crate::cases![
        rule_3_6_3_update_counts_skipped_items,
        rule_3_6_5_error_names_each_invalid_item,
        rule_3_2_1_update_returns_the_former_account,
    ]
}

const LUNCH: Lunch = Lunch { date: "2025-03-05", amount: "2.00" };

fn cast(server: &Server) -> Cast {
    Cast::with_accounts(server, &CASH_AND_FOOD)
}

fn only_id(transaction: &Value) -> Value {
    json!({"id": transaction["id"]})
}

fn rule_3_6_3_update_counts_skipped_items(server: &Server) {
    let cast = cast(server);
    let [open, checked] = [LUNCH.create(&cast, json!({})), LUNCH.create(&cast, json!({}))];
    cast.owner.patch(&cast.path("/transactions/check"), &only_id(&checked)).ok();
    let change = |one: &Value| json!({"id": one["id"], "description": "Dinner"});
    let items = batch([change(&open), change(&checked), change(&checked)]);
    let keyed = cast.owner.header("Idempotency-Key", &unique("key"));
    for _ in 0..2 {
        let answer = keyed.put(&cast.path("/transactions/batch"), &items);
        assert_eq!(skipped(&answer), Some(2), "3.6.3");
        assert_eq!(answer.ok()["items"][1]["description"], "Lunch");
    }
    let same = cast.owner.put(&cast.path("/transactions/batch"), &batch([change(&open)]));
    assert_eq!(skipped(&same), None, "an unchanged item is not skipped");
}

fn rule_3_6_5_error_names_each_invalid_item(server: &Server) {
    let cast = cast(server);
    let good = LUNCH.create(&cast, json!({}));
    let wrong = |value: &str| json!({"id": good["id"], "date": value});
    let items = batch([only_id(&good), wrong("2025-13-01"), only_id(&good), wrong("never")]);
    let answer = cast.owner.put(&cast.path("/transactions/batch"), &items);
    let error = answer.body["error"].clone();
    let message = answer.refused(400, "badRequest");
    assert!(message.starts_with("item 1: ") && message.contains("; item 3: "), "{message}");
    let errors = error["errors"].as_array().expect("a list");
    assert_eq!(errors.len(), 2, "3.6.5: {errors:?}");
    assert!(errors[1]["message"].as_str().expect("a text").starts_with("item 3: date"));
    let bad: Vec<Value> = (0..150).map(|_| json!({"date": "never"})).collect();
    let answer = cast.owner.post(&cast.path("/transactions/batch"), &batch(bad));
    assert_eq!(answer.body["error"]["errors"].as_array().map(Vec::len), Some(100), "3.6.5");
}

/// 3.2.1: clients refresh the balances of both accounts.
fn rule_3_2_1_update_returns_the_former_account(server: &Server) {
    let cast = cast(server);
    let made = LUNCH.create(&cast, json!({}));
    let other = cast.account("Rent", "OUTGOING");
    let moved = json!({"id": made["id"], "debitAccount": {"id": other["id"]}});
    let updated = cast.owner.put(&cast.path("/transactions"), &moved).ok();
    let names: Vec<&str> = updated["accounts"]
        .as_array()
        .expect("accounts")
        .iter()
        .map(|account| account["name"].as_str().expect("a name"))
        .collect();
    assert_eq!(names, ["Cash", "Rent", "Food"], "3.2.1");
}
