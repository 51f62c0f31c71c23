//! Storage quotas beside books (10.14): stored responses of idempotency keys count for their
//! caller, and app responses for their book.

use daybook_tests::receiver::Receiver;
use daybook_tests::{CASH_AND_FOOD, Cast, Client, Engine, RawSql, Server, id};
use serde_json::{Value, json};

use crate::Case;
use crate::audit::audit;
use crate::file_sweep::eventually;
use crate::reading::items;
use crate::storage_quotas::usage;
use crate::webhooks::{install, lunch};

pub fn tests() -> Vec<Case> {
    crate::isolated![
        rule_10_14_kept_answers_count_for_their_caller,
        rule_10_14_kept_answers_stay_within_the_quota,
        rule_10_14_responses_count_for_their_book,
        rule_10_14_responses_stay_within_the_quota,
    ]
}

/// A book with a response of some kilobytes.
fn large_book(server: &Server) -> Cast {
    let cast = Cast::with_accounts(server, &CASH_AND_FOOD);
    let notes = "n".repeat(3_000);
    let properties = json!({"properties": {"notes": notes}});
    cast.put("", &properties).ok();
    cast
}

/// A small no-op request with a key, whose response is the whole book.
fn ask(client: &Client, cast: &Cast, key: usize) -> daybook_tests::Answer {
    let keyed = client.header("Idempotency-Key", &format!("key-{key}"));
    keyed.put(&cast.path(""), &json!({"pageSize": 100}))
}

fn rule_10_14_kept_answers_count_for_their_caller(engine: Engine) {
    let server = Server::with_args(engine, &[]);
    let cast = large_book(&server);
    ask(&cast.owner, &cast, 0).ok();
    let before = usage(&cast.owner).1;
    let answer = ask(&cast.editor, &cast, 1);
    let length = i64::try_from(answer.text.len()).expect("a length");
    let stored = usage(&cast.editor).1;
    assert!((length..length + 400).contains(&stored), "{length} {stored}");
    assert_eq!(usage(&cast.owner).1, before, "the caller's, not the owner's");
    ask(&cast.editor, &cast, 1).ok();
    assert_eq!(usage(&cast.editor).1, stored, "a repetition keeps nothing more");
    // After a day they no longer count, whether or not they are removed.
    RawSql::open(&server).execute("UPDATE idempotency_keys SET created_at = 0");
    assert_eq!(usage(&cast.editor), (0, 0));
    assert!(usage(&cast.owner).1 < before);
}

fn rule_10_14_kept_answers_stay_within_the_quota(engine: Engine) {
    let server = Server::with_args(engine, &["--quota-user-bytes", "60000"]);
    let cast = large_book(&server);
    let forms: Vec<bool> = (0..40)
        .map(|key| {
            ask(&cast.owner, &cast, key).ok();
            let repeated = ask(&cast.owner, &cast, key);
            assert!(repeated.headers.contains_key("idempotency-replayed"));
            repeated.headers.contains_key("idempotency-answer")
        })
        .collect();
    assert!(!forms[0] && forms[39], "whole while there is room: {forms:?}");
    let bytes = usage(&cast.owner).1;
    assert!(bytes < 60_000 + 40 * 300, "ids alone are kept beyond it: {bytes}");
    let draft = json!({"description": "d".repeat(2_000)});
    let create = || cast.post("/transactions", &draft);
    create().refused(413, "storageQuotaExceeded");
    // The stored responses have expired, so there is space again.
    RawSql::open(&server).execute("UPDATE idempotency_keys SET created_at = 0");
    create().ok();
    let keyed = cast.owner.header("Idempotency-Key", "new");
    keyed.put(&cast.path(""), &json!({"pageSize": 100})).ok();
    let repeated = keyed.put(&cast.path(""), &json!({"pageSize": 100}));
    assert!(!repeated.headers.contains_key("idempotency-answer"));
}

/// An app with long responses to each event.
fn talkative(characters: usize) -> Receiver {
    let output = json!({"result": "r".repeat(characters)}).to_string();
    Receiver::answering(move |_| ("200 OK".to_owned(), output.clone()))
}

/// The message of the only response to the newest posting.
#[track_caller]
fn response(cast: &Cast) -> String {
    let mut output = String::new();
    eventually("8.7: the response is recorded", || {
        let page = cast.get("/events?type=TRANSACTION_POSTED&limit=1").ok();
        let found = items(&page)[0]["botResponses"].clone();
        output = found[0]["message"].as_str().unwrap_or_default().to_owned();
        !output.is_empty()
    });
    output
}

#[track_caller]
fn clean(cast: &Cast) {
    let found = audit(cast)["data"]["audit"].clone();
    assert_eq!(found["findingsCount"], 0, "{found}");
}

fn rule_10_14_responses_count_for_their_book(engine: Engine) {
    let server = Server::with_args(engine, &[]);
    let cast = Cast::with_accounts(&server, &CASH_AND_FOOD);
    let receiver = talkative(5_000);
    let app = install(&cast, &receiver.url(), &["TRANSACTION_POSTED"], json!({}));
    lunch(&cast, "first");
    assert_eq!(response(&cast).len(), 5_000);
    let with_one = usage(&cast.owner).1;
    let events = cast.get("/events?type=TRANSACTION_POSTED&limit=1").ok();
    let event = id(&items(&events)[0]).to_owned();
    let path = cast.path(&format!("/events/{event}/responses/{}", id(&app)));
    // A new response replaces the first.
    cast.owner.put(&path, &Value::Null).ok();
    assert_eq!(usage(&cast.owner).1, with_one);
    clean(&cast);
    let with_one = usage(&cast.owner).1;
    cast.owner.delete(&path).ok();
    assert_eq!(with_one - usage(&cast.owner).1, 5_100);
    clean(&cast);
}

fn rule_10_14_responses_stay_within_the_quota(engine: Engine) {
    let server = Server::with_args(engine, &["--quota-book-bytes", "30000"]);
    let cast = Cast::with_accounts(&server, &CASH_AND_FOOD);
    let receiver = talkative(8_000);
    install(&cast, &receiver.url(), &["TRANSACTION_POSTED"], json!({}));
    let mut output = Vec::new();
    while output.last() != Some(&0) && output.len() < 20 {
        let text = output.len().to_string();
        let body = json!({"date": "2026-01-05", "amount": "10", "description": text,
            "creditAccount": {"name": "Cash"}, "debitAccount": {"name": "Food"}});
        if cast.post("/transactions", &body).status != 200 {
            break;
        }
        let stored = response(&cast);
        output.push(if stored.starts_with('r') { stored.len() } else { 0 });
    }
    assert!(output.contains(&8_000) && output.len() < 20, "{output:?}");
    let bytes = usage(&cast.owner).1;
    assert!(bytes < 31_000, "{bytes}");
    clean(&cast);
}
