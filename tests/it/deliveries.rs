//! The backlog, the responses of apps to events, and replays (8.5, 8.10, 8.12).

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use daybook_tests::receiver::{Receiver, fine};
use daybook_tests::{Cast, Server, column, id};
use serde_json::{Value, json};

use crate::Case;
use crate::file_sweep::eventually;
use crate::reading::{find, items, sorted_labels};
use crate::webhooks::{backlog, book, install, lunch};

pub fn tests() -> Vec<Case> {
    crate::cases![
        rule_8_10_backlog_counts_pending_events,
        rule_8_5_events_are_filtered_by_error,
        rule_1_2_transactions_are_filtered_by_error,
        rule_1_2_error_search_is_ordered_by_date,
        rule_8_12_one_event_is_replayed,
        rule_8_12_replay_is_refused_during_a_delivery,
        rule_8_12_many_events_are_replayed,
        rule_8_12_invalid_replay_is_refused,
        rule_8_12_deleted_response_is_gone,
    ]
}

fn wait_until_idle(cast: &Cast) {
    eventually("8.10: the backlog falls to 0", || backlog(cast) == 0);
}

/// Returns the newest events of postings.
fn events(cast: &Cast) -> Vec<Value> {
    items(&cast.read("/events?type=TRANSACTION_POSTED")).clone()
}

fn response_of(cast: &Cast, event: &Value, app: &Value) -> String {
    let app = app["id"].as_str().expect("an id");
    cast.path(&format!("/events/{}/responses/{app}", id(event)))
}

fn rule_8_10_backlog_counts_pending_events(server: &Server) {
    let cast = book(server);
    assert_eq!(backlog(&cast), 0);
    let (slow, open) = Receiver::gated();
    let fast = Receiver::start();
    for receiver in [&slow, &fast] {
        install(&cast, &receiver.url(), &["TRANSACTION_POSTED"], json!({}));
    }
    for number in 0..4 {
        lunch(&cast, &format!("t{number}"));
    }
    fast.wait_for(4);
    assert_eq!(slow.wait_for(1).len(), 1, "8.9: one at a time, and no other app waits");
    assert_eq!(backlog(&cast), 4, "8.10: events, not deliveries");
    open.store(true, Ordering::SeqCst);
    wait_until_idle(&cast);
    assert_eq!(slow.received().len(), 4);
}

fn rule_8_5_events_are_filtered_by_error(server: &Server) {
    let cast = book(server);
    let receiver = Receiver::answering(|received| {
        let transaction = &received.body["data"]["object"]["transaction"];
        fine(match transaction["description"].as_str() {
            Some("bad") => r#"{"error": "no"}"#,
            _ => r#"{"warning": "hm"}"#,
        })
    });
    install(&cast, &receiver.url(), &["TRANSACTION_POSTED"], json!({}));
    for description in ["good", "bad", "fine", "bad"] {
        lunch(&cast, description);
    }
    receiver.wait_for(4);
    wait_until_idle(&cast);
    let listed = |query: &str| {
        let page = cast.read(&format!("/events?{query}"));
        column(&page, "id")
    };
    let all = listed("type=TRANSACTION_POSTED");
    assert_eq!(listed("error=true"), [all[0].clone(), all[2].clone()], "8.5: newest first");
    assert_eq!(listed("error=true&type=BOOK_CREATED").len(), 2, "8.5: type is ignored");
    let without = listed("error=false");
    assert!(without.contains(&all[1]) && !without.contains(&all[0]));
    let page = cast.read("/events?error=true&limit=1");
    let cursor = page["cursor"].as_str().expect("a cursor");
    assert_eq!(listed(&format!("limit=1&cursor={cursor}")), [all[2].clone()], "8.5: pages");
}

fn rule_1_2_transactions_are_filtered_by_error(server: &Server) {
    let cast = book(server);
    let fails = Arc::new(AtomicBool::new(true));
    let receiver = Receiver::answering({
        let fails = Arc::clone(&fails);
        move |received| {
            let object = &received.body["data"]["object"];
            let bad = object["transaction"]["description"].as_str().is_some_and(|d| d == "bad");
            let failed = bad && fails.load(Ordering::SeqCst);
            fine(if failed { r#"{"error": "no"}"# } else { r#"{"result": "ok"}"# })
        }
    });
    let types = ["TRANSACTION_POSTED", "TRANSACTION_UPDATED", "TRANSACTION_CHECKED"];
    let app = install(&cast, &receiver.url(), &types, json!({}));
    let good = lunch(&cast, "good");
    let [first, second] = [lunch(&cast, "bad"), lunch(&cast, "bad")];
    // Two errors of one transaction.
    let verb = |verb: &str, item: &Value| {
        cast.patch(&format!("/transactions/{verb}"), &json!({"id": id(item)}))
    };
    verb("check", &first).ok();
    verb("trash", &second).ok();
    receiver.wait_for(4);
    wait_until_idle(&cast);
    let found = |query: &str| sorted_labels(&find(&cast, query));
    assert_eq!(found("error:true"), ["bad"], "1.2.2: what is in the trash is not found");
    assert_eq!(found("error:true is:trashed"), ["bad"]);
    assert_eq!(column(&find(&cast, "error:true is:checked"), "id"), [id(&first)]);
    assert_eq!(found("error:false"), ["good"]);
    assert_eq!(found("-error:true"), ["good"]);
    assert_eq!(found("error:true OR good"), ["bad", "good"]);
    assert_eq!(found("error:true amount>10"), [""; 0]);
    assert_eq!(found("error:true account:Cash"), ["bad"]);
    let counted = |query: &str| {
        let path = cast.path(&format!("/transactions/count?query={query}"));
        cast.owner.get(&path).ok()["total"].clone()
    };
    assert_eq!((counted("error:true"), counted("error:false")), (json!(1), json!(1)));
    assert_eq!(found("error:maybe"), [""; 0], "1.1.9");
    // Another book has none.
    assert_eq!(sorted_labels(&find(&Cast::new(server), "error:true")), [""; 0]);
    // 8.7: a later response replaces the error.
    fails.store(false, Ordering::SeqCst);
    let errors = items(&cast.read("/events?error=true")).clone();
    let of_first = errors.iter().filter(|event| event["resource"] == good["id"]).count();
    assert_eq!((errors.len(), of_first), (3, 0), "8.7");
    let about = |item: &Value| -> Vec<&Value> {
        errors.iter().filter(|event| event["resource"] == item["id"]).collect()
    };
    for (left, event) in about(&first).into_iter().enumerate() {
        assert_eq!(found("error:true").len(), 1, "{left} replayed");
        cast.owner.put(&response_of(&cast, event, &app), &Value::Null).ok();
    }
    assert_eq!(found("error:true"), [""; 0], "8.12: no event of it has an error any more");
    cast.owner.delete(&response_of(&cast, about(&second)[0], &app)).ok();
    assert_eq!(found("error:true is:trashed"), [""; 0], "8.12: the error is deleted");
}

/// 2.6: also when dates change after the error.
fn rule_1_2_error_search_is_ordered_by_date(server: &Server) {
    let cast = book(server);
    let receiver = Receiver::answering(|_| fine(r#"{"error": "no"}"#));
    install(&cast, &receiver.url(), &["TRANSACTION_POSTED"], json!({}));
    let made = ["one", "two", "three"].map(|description| lunch(&cast, description));
    lunch(&cast, "four");
    receiver.wait_for(4);
    wait_until_idle(&cast);
    for (transaction, date) in made.iter().zip(["2026-03-01", "2025-12-31", "2026-02-01"]) {
        let moved = json!({"id": transaction["id"], "date": date});
        cast.put("/transactions", &moved).ok();
    }
    let descriptions = |query: &str| column(&find(&cast, query), "description");
    assert_eq!(descriptions("error:true"), ["one", "three", "four", "two"], "2.6: by their dates");
    assert_eq!(descriptions("error:true on:2026-02"), ["three"]);
    assert_eq!(descriptions("error:true before:2026"), ["two"]);
    assert_eq!(descriptions("error:false"), [""; 0]);
}

fn rule_8_12_one_event_is_replayed(server: &Server) {
    let cast = book(server);
    let receiver = Receiver::answering(|received| {
        fine(if received.header("webhook-id").starts_with("00") {
            r#"{"result": "once more"}"#
        } else {
            "{}"
        })
    });
    // A replay does not require a subscription.
    let app = install(&cast, &receiver.url(), &["BOOK_DELETED"], json!({}));
    lunch(&cast, "one");
    let event = events(&cast).remove(0);
    let path = response_of(&cast, &event, &app);
    let shown = cast.editor.put(&path, &Value::Null).ok();
    assert_eq!(shown["id"], event["id"]);
    assert_eq!(shown["botResponses"][0]["message"], "once more");
    assert_eq!(receiver.received()[0].body["id"], event["id"]);
    let keyed = cast.editor.header("Idempotency-Key", "once");
    let first = keyed.put(&path, &Value::Null).ok();
    assert_eq!(keyed.put(&path, &Value::Null).ok(), first);
    assert_eq!(receiver.received().len(), 2, "0.16: with a key it is sent once");
    let unreached = json!({"id": app["id"], "webhookUrl": "http://127.0.0.1:1/", "name": "Bot"});
    cast.owner.put("/v5/apps", &unreached).ok();
    let shown = cast.owner.put(&path, &Value::Null).ok();
    assert_eq!(shown["botResponses"].as_array().map(Vec::len), Some(1), "8.7: it is replaced");
    assert_eq!(shown["botResponses"][0]["type"], "ERROR");
    wait_until_idle(&cast);
}

fn rule_8_12_replay_is_refused_during_a_delivery(server: &Server) {
    let cast = book(server);
    let (receiver, open) = Receiver::gated();
    let app = install(&cast, &receiver.url(), &["TRANSACTION_POSTED"], json!({}));
    lunch(&cast, "one");
    receiver.wait_for(1);
    let path = response_of(&cast, &events(&cast)[0], &app);
    cast.owner.put(&path, &Value::Null).refused(503, "backendError");
    open.store(true, Ordering::SeqCst);
    wait_until_idle(&cast);
    cast.owner.put(&path, &Value::Null).ok();
    assert_eq!(receiver.received().len(), 2);
}

fn rule_8_12_many_events_are_replayed(server: &Server) {
    let cast = book(server);
    let receivers = [r#"{"error": "no"}"#, r#"{"result": "yes"}"#]
        .map(|answer| Receiver::answering(move |_| fine(answer)));
    for receiver in &receivers {
        install(&cast, &receiver.url(), &["TRANSACTION_POSTED"], json!({}));
    }
    for description in ["one", "two"] {
        lunch(&cast, description);
    }
    for receiver in &receivers {
        receiver.wait_for(2);
    }
    wait_until_idle(&cast);
    let all: Vec<Value> = items(&cast.read("/events")).clone();
    let ids: Vec<Value> = all.iter().map(|event| json!({"id": event["id"]})).collect();
    let replay = |query: &str| {
        let path = cast.path(&format!("/events/replay/batch{query}"));
        cast.editor.patch(&path, &json!({"items": ids})).no_content();
        wait_until_idle(&cast);
    };
    replay("?errorsOnly=true");
    assert_eq!(receivers[0].wait_for(4).len(), 4, "8.12: those with an error");
    assert_eq!(receivers[1].received().len(), 2, "8.12: and no others");
    replay("");
    assert_eq!(receivers[0].wait_for(6).len(), 6, "8.12: those subscribed to the type");
    assert_eq!(receivers[1].wait_for(4).len(), 4);
    let last = &receivers[1].received()[2..];
    assert!(last[0].body["sequence"].as_i64() < last[1].body["sequence"].as_i64(), "8.9: in order");
}

fn rule_8_12_invalid_replay_is_refused(server: &Server) {
    let cast = book(server);
    let app = install(&cast, "http://127.0.0.1:1/", &["BOOK_DELETED"], json!({}));
    let event = items(&cast.read("/events?limit=1"))[0].clone();
    let batch = cast.path("/events/replay/batch");
    let unknown = json!({"items": [{"id": event["id"]}, {"id": "nonsense"}]});
    let message = cast.owner.patch(&batch, &unknown).refused(404, "notFound");
    assert!(message.contains("Ids: [nonsense]"), "{message}");
    // Before the first event and after the last.
    for number in [0, 1_000_000] {
        let none = json!({"items": [{"id": format!("{number:012x}{}", cast.book)}]});
        cast.owner.patch(&batch, &none).refused(404, "notFound");
    }
    let without_id = json!({"items": [{"id": event["id"]}, {}]});
    let message = cast.owner.patch(&batch, &without_id).refused(400, "badRequest");
    assert_eq!(message, "item 1: event id is required");
    cast.owner.patch(&batch, &json!({"item": []})).refused(400, "invalid");
    let many: Vec<Value> = (0..1_001).map(|_| json!({"id": event["id"]})).collect();
    cast.owner.patch(&batch, &json!({"items": many})).refused(400, "badRequest");
    let none = json!({"id": "nobody"});
    let path = response_of(&cast, &event, &none);
    cast.owner.put(&path, &Value::Null).refused(404, "notFound");
    let lost = response_of(&cast, &json!({"id": "nonsense"}), &app);
    cast.owner.put(&lost, &Value::Null).refused(404, "notFound");
    cast.owner.delete(&lost).refused(404, "notFound");
}

fn rule_8_12_deleted_response_is_gone(server: &Server) {
    let cast = book(server);
    let app = install(&cast, "http://127.0.0.1:1/", &["BOOK_DELETED"], json!({}));
    let event = items(&cast.read("/events?limit=1"))[0].clone();
    let path = response_of(&cast, &event, &app);
    cast.owner.delete(&path).refused(404, "notFound");
    cast.owner.put(&path, &Value::Null).ok();
    let listed = || column(&cast.read("/events?error=true"), "id");
    assert_eq!(listed(), [id(&event)]);
    let shown = cast.editor.delete(&path).ok();
    assert_eq!((&shown["id"], &shown["botResponses"]), (&event["id"], &json!([])));
    assert!(listed().is_empty(), "8.5: none is left");
    cast.owner.delete(&path).refused(404, "notFound");
}
