//! Webhooks (8.6 - 8.11): the requests to apps, their order, and the responses.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use daybook_tests::receiver::{Received, Receiver, fine};
use daybook_tests::{
    CASH_AND_FOOD, Cast, Client, RawSql, Server, column, id, now_milliseconds, pause, unique,
};
use serde_json::{Value, json};

use crate::Case;
use crate::delivery_pauses::{NOTHING_COMES, due_at, end_pause};
use crate::file_sweep::eventually;
use crate::reading::items;

pub fn tests() -> Vec<Case> {
    crate::cases![
        rule_8_6_the_request,
        rule_8_6_the_token_acts_as_the_app,
        rule_9_4_programs_of_banks_receive_nothing,
        rule_8_7_answers_are_recorded,
        rule_8_8_failures_are_repeated,
        rule_8_9_one_after_another_in_order,
        rule_8_11_receivers,
        rule_8_11_addresses_of_developers,
        rule_8_11_uninstalling_drops_waiting_events,
        installer_without_access_receives_nothing,
        collaborator_events_stay_inside_the_book,
        rule_8_1_deletions_of_books_are_delivered,
    ]
}

/// Creates an app of the owner with this address and these event types, and installs it in the
/// book.
#[track_caller]
pub fn install(cast: &Cast, url: &str, events: &[&str], fields: Value) -> Value {
    let app = create(cast, url, events, fields);
    cast.post("/integrations", &json!({"agentId": app["id"]})).ok();
    app
}

#[track_caller]
fn create(cast: &Cast, url: &str, events: &[&str], fields: Value) -> Value {
    let mut body = json!({
        "id": unique("bot"),
        "name": "Bot",
        "webhookUrl": url,
        "events": events,
    });
    let more = fields.as_object().cloned().unwrap_or_default();
    body.as_object_mut().expect("an object").extend(more);
    cast.owner.post("/v5/apps", &body).ok()
}

pub fn book(server: &Server) -> Cast {
    Cast::with_accounts(server, &CASH_AND_FOOD)
}

#[track_caller]
pub fn lunch(cast: &Cast, description: &str) -> Value {
    cast.record("2026-01-05", "10", "Cash", "Food", description)
}

/// The number of events that are on their way (8.10).
pub fn backlog(cast: &Cast) -> Value {
    cast.viewer.get(&cast.path("/events/backlog")).ok()["count"].clone()
}

/// The descriptions of the received transactions.
pub fn descriptions(received: &[Received]) -> Vec<String> {
    let text = |one: &Received| {
        let transaction = &one.body["data"]["object"]["transaction"];
        transaction["description"].as_str().unwrap_or("no transaction").to_owned()
    };
    received.iter().map(text).collect()
}

/// Waits for a number of responses to the newest event of a type.
#[track_caller]
fn responses(cast: &Cast, kind: &str, count: usize) -> Vec<Value> {
    let path = cast.path(&format!("/events?type={kind}&limit=1"));
    let mut found = Vec::new();
    eventually("8.7: the responses are recorded", || {
        let page = cast.owner.get(&path).ok();
        found = items(&page)[0]["botResponses"].as_array().expect("a list").clone();
        found.len() == count
    });
    found
}

fn rule_8_6_the_request(server: &Server) {
    let (cast, receiver) = (book(server), Receiver::start());
    let secret = json!({"clientSecret": "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"});
    let app = install(&cast, &receiver.url(), &["TRANSACTION_POSTED"], secret);
    lunch(&cast, "one");
    let received = receiver.wait_for(1).remove(0);
    assert_eq!(received.line, "POST /hook HTTP/1.1");
    assert_eq!(received.header("content-type"), "application/json");
    assert_eq!(received.header("service-agent-id"), app["id"]);
    let event = &items(&cast.get("/events?limit=1").ok())[0].clone();
    assert_eq!(received.body, *event, "8.6: the event as who installed the app reads it");
    assert_eq!(received.header("webhook-id"), event["id"]);
    let time: i64 = received.header("webhook-timestamp").parse().expect("seconds");
    let created: i64 = event["createdAt"].as_str().expect("a text").parse().expect("a number");
    assert!((time - created / 1000).abs() < 300, "8.6: in seconds, and now");
    assert!(received.header("webhook-signature").starts_with("v1,"));
    assert!(received.header("service-signature").starts_with(&format!("t={time},v1=")));
    assert_eq!(received.header("authorization").split('.').count(), 3, "8.6: a JWT");
}

fn rule_8_6_the_token_acts_as_the_app(server: &Server) {
    let (cast, receiver) = (book(server), Receiver::start());
    let app = install(&cast, &receiver.url(), &["TRANSACTION_POSTED"], json!({}));
    lunch(&cast, "one");
    let received = receiver.wait_for(1).remove(0);
    assert!(!received.headers.contains_key("webhook-signature"), "8.6: without a secret");
    let bot = server.client_with_token(received.header("service-oauth-token"));
    let user = bot.get("/v5/user").ok();
    assert_eq!(user["email"], cast.owner.email());
    let made = bot
        .header("service-agent-id", "somebody-else")
        .post(&cast.path("/accounts"), &json!({"name": "Tax", "type": "LIABILITY"}))
        .ok();
    assert_eq!(made["agentId"], app["id"], "8.6: no header changes who acts");
    bot.post("/v5/user/tokens", &json!({"days": 1})).refused(403, "insufficientScope");
    // Nor does it create apps with tokens of their own.
    let named = json!({"id": unique("bot"), "name": "Bot"});
    bot.post("/v5/apps", &named).refused(403, "insufficientScope");
    let moved = json!({"id": app["id"], "webhookUrl": "https://elsewhere.example/"});
    bot.put("/v5/apps", &moved).refused(403, "insufficientScope");
    let path = cast.path("/integrations");
    bot.post(&path, &json!({"agentId": app["id"]})).refused(403, "insufficientScope");
}

/// 9.4: a bank names a program. An app with that id, created by any user, gets no event and no
/// token.
fn rule_9_4_programs_of_banks_receive_nothing(server: &Server) {
    let (cast, receiver, other) = (book(server), Receiver::start(), Receiver::start());
    let events = ["TRANSACTION_POSTED", "INTEGRATION_CREATED"];
    let accepted = |id: &str| {
        let app = json!({"id": id, "name": "Bot", "webhookUrl": receiver.url(), "events": events,
            "users": cast.owner.get("/v5/user").ok()["username"]});
        cast.stranger.post("/v5/apps", &app).ok();
    };
    let (before, after) = (unique("bank"), unique("bank"));
    accepted(&before);
    for id in [&before, &after] {
        let bank = json!({"agentId": id, "type": "BANK", "name": "My Bank"});
        let bank = cast.owner.post("/v5/user/connections", &bank).ok();
        let body = json!({"agentId": id, "connectionId": bank["id"]});
        let made = cast.post("/integrations", &body).ok();
        assert_eq!((&made["agentId"], &made["logo"]), (&json!(id), &Value::Null), "{made}");
    }
    accepted(&after);
    let app = install(&cast, &other.url(), &["TRANSACTION_POSTED"], json!({}));
    lunch(&cast, "one");
    other.wait_for(1);
    let queues = format!(
        "SELECT COUNT(*) FROM delivery_queues WHERE app_id LIKE '%{before}' \
        OR app_id LIKE '%{after}'"
    );
    assert_eq!(RawSql::open(server).count(&queues), 0);
    assert!(receiver.received().is_empty());
    let listed = column(&cast.get("/apps").ok(), "id");
    assert_eq!(listed, [app["id"].as_str().expect("an id")]);
    let all = cast.get("/integrations").ok();
    assert_eq!(items(&all).len(), 3);
    for integration in items(&all) {
        cast.delete(&format!("/integrations/{}", id(integration))).ok();
    }
}

fn rule_8_7_answers_are_recorded(server: &Server) {
    for (answer, expected) in [
        (r#"{"result": "did <b>it</b>"}"#, json!(["INFO", "did <b>it</b>"])),
        (r#"{"result": ["a", "b"]}"#, json!(["INFO", "a\nb"])),
        (r#"{"result": true, "warning": "w"}"#, json!(["WARNING", "w"])),
        (r#"{"error": ["e", "f"], "warning": "w"}"#, json!(["ERROR", "e\nf"])),
    ] {
        let cast = book(server);
        let receiver = Receiver::answering(move |_| fine(answer));
        let app = install(&cast, &receiver.url(), &["TRANSACTION_POSTED"], json!({}));
        lunch(&cast, "one");
        let response = responses(&cast, "TRANSACTION_POSTED", 1).remove(0);
        assert_eq!(json!([response["type"], response["message"]]), expected, "8.7: {answer}");
        assert_eq!(response["agentId"], app["id"]);
        assert!(response["createdAt"].as_str().is_some_and(|text| text.len() == 13));
        assert_eq!(receiver.received().len(), 1, "8.7: an answer is final");
    }
    let (cast, receiver) = (book(server), Receiver::answering(|_| fine("")));
    install(&cast, &receiver.url(), &["TRANSACTION_POSTED"], json!({}));
    for description in ["one", "two"] {
        lunch(&cast, description);
    }
    receiver.wait_for(2);
    assert_eq!(responses(&cast, "TRANSACTION_POSTED", 0), [] as [Value; 0], "8.7: nothing to say");
}

fn rule_8_8_failures_are_repeated(server: &Server) {
    let cast = book(server);
    let attempts = AtomicUsize::new(0);
    let receiver = Receiver::answering(move |_| match attempts.fetch_add(1, Ordering::SeqCst) {
        0 => ("500 Oh".to_owned(), String::new()),
        1 => ("429 Busy\r\nretry-after: 2".to_owned(), String::new()),
        2 => ("302 Found\r\nlocation: /other".to_owned(), String::new()),
        _ => fine(r#"{"result": "at last"}"#),
    });
    let app = install(&cast, &receiver.url(), &["TRANSACTION_POSTED"], json!({}));
    let mut started = now_milliseconds();
    for description in ["one", "two"] {
        lunch(&cast, description);
    }
    for (attempt, pause) in [(1, 1_000), (2, 2_000), (3, 5_000)] {
        let logged = || receiver.received().len() == attempt && attempts_logged(&cast) == attempt;
        eventually("8.8: the attempt is over", logged);
        let waits = due_at(server, &app) - started;
        // The next longer pause is 15 s.
        assert!((pause..15_000).contains(&waits), "8.8: attempt {attempt} waits {waits} ms");
        started = now_milliseconds();
        end_pause(server, &app);
    }
    let received = receiver.wait_for(5);
    assert_eq!(descriptions(&received), ["one", "one", "one", "one", "two"], "8.9: in order");
    assert!(
        received.iter().all(|one| one.line == "POST /hook HTTP/1.1"),
        "no redirect is followed"
    );
    assert_eq!(responses(&cast, "TRANSACTION_POSTED", 1)[0]["message"], "at last");
}

/// The logged attempts to deliver the posting before the newest one.
fn attempts_logged(cast: &Cast) -> usize {
    let events = cast.get("/events?type=TRANSACTION_POSTED&limit=2").ok();
    let path = cast.path(&format!("/events/{}/deliveries", id(&items(&events)[1])));
    items(&cast.owner.get(&path).ok()).len()
}

fn rule_8_9_one_after_another_in_order(server: &Server) {
    let cast = book(server);
    let busy = Arc::new(Mutex::new(()));
    let receiver = Receiver::answering(move |_| {
        let alone = busy.try_lock().is_ok();
        pause(Duration::from_millis(3));
        fine(if alone { "{}" } else { r#"{"error": "another one at once"}"# })
    });
    install(&cast, &receiver.url(), &["TRANSACTION_POSTED", "TRANSACTION_DELETED"], json!({}));
    let batch: Vec<Value> = (0..50)
        .map(|number| {
            json!({"date": "2026-01-05", "amount": "1", "description": format!("t{number}"),
                "creditAccount": {"name": "Cash"}, "debitAccount": {"name": "Food"}})
        })
        .collect();
    cast.post("/transactions/batch", &json!({"items": batch})).ok();
    for number in 50..60 {
        lunch(&cast, &format!("t{number}"));
    }
    let expected: Vec<String> = (0..60).map(|number| format!("t{number}")).collect();
    assert_eq!(descriptions(&receiver.wait_for(60)), expected, "8.9: in the order of events");
    assert!(responses(&cast, "TRANSACTION_POSTED", 0).is_empty());
}

fn rule_8_11_receivers(server: &Server) {
    let cast = book(server);
    let everything = Receiver::start();
    let kinds = ["FILE_CREATED", "ACCOUNT_CREATED", "INTEGRATION_CREATED", "TRANSACTION_UPDATED"];
    let patterns = json!({"filePatterns": ["*.csv", "bank-?.ofx"]});
    install(&cast, &everything.url(), &kinds, patterns);
    let other = Receiver::start();
    install(&cast, &other.url(), &["INTEGRATION_DELETED"], json!({}));
    for name in ["a.pdf", "A.CSV", "bank-10.ofx", "bank-1.ofx"] {
        cast.post("/files", &json!({"name": name, "content": ""})).ok();
    }
    cast.account("Bank", "ASSET");
    lunch(&cast, "not subscribed");
    cast.account("End", "ASSET");
    let received = everything.wait_for(5);
    let types: Vec<&str> =
        received.iter().map(|one| one.body["type"].as_str().expect("a type")).collect();
    let expected = [
        "INTEGRATION_CREATED",
        "FILE_CREATED",
        "FILE_CREATED",
        "ACCOUNT_CREATED",
        "ACCOUNT_CREATED",
    ];
    assert_eq!(types, expected, "8.11: not of its own installation");
    let names = |one: &Received| one.body["data"]["object"]["name"].clone();
    assert_eq!([names(&received[1]), names(&received[2])], [json!("A.CSV"), json!("bank-1.ofx")]);
    assert!(other.received().is_empty(), "8.11: what it is not subscribed to");
}

fn rule_8_11_addresses_of_developers(server: &Server) {
    let cast = book(server);
    let (normal, dev) = (Receiver::start(), Receiver::start());
    let fields = json!({"webhookUrlDev": dev.url(), "users": "*@example.com",
        "developers": "nobody-at-all"});
    let app = create(&cast, &normal.url(), &["TRANSACTION_CREATED"], fields);
    // Another user installs it; then the owner of the app acts.
    cast.editor.post(&cast.path("/integrations"), &json!({"agentId": app["id"]})).ok();
    let draft = |by: &Client, text: &str| {
        by.post(&cast.path("/transactions"), &json!({"description": text})).ok();
    };
    draft(&cast.poster, "by somebody");
    assert_eq!(descriptions(&normal.wait_for(1)), ["by somebody"]);
    draft(&cast.owner, "by the owner of the app");
    assert_eq!(descriptions(&dev.wait_for(1)), ["by the owner of the app"]);
    assert_eq!(normal.received().len(), 1);
}

fn rule_8_11_uninstalling_drops_waiting_events(server: &Server) {
    let cast = book(server);
    let (receiver, may_answer) = Receiver::gated();
    let app = install(&cast, &receiver.url(), &["TRANSACTION_POSTED"], json!({}));
    for number in 0..5 {
        lunch(&cast, &format!("t{number}"));
    }
    receiver.wait_for(1);
    let integrations = cast.get("/integrations").ok();
    let integration = &items(&integrations)[0];
    assert_eq!(integration["agentId"], app["id"]);
    let id = integration["id"].as_str().expect("an id");
    cast.delete(&format!("/integrations/{id}")).ok();
    may_answer.store(true, Ordering::SeqCst);
    pause(NOTHING_COMES);
    assert_eq!(receiver.received().len(), 1, "8.11: nothing more is delivered");
    lunch(&cast, "later");
    pause(NOTHING_COMES);
    assert_eq!(receiver.received().len(), 1);
}

fn rule_8_1_deletions_of_books_are_delivered(server: &Server) {
    let cast = book(server);
    let receiver = Receiver::answering(|_| {
        pause(Duration::from_millis(200));
        fine("{}")
    });
    install(&cast, &receiver.url(), &["BOOK_DELETED", "TRANSACTION_POSTED"], json!({}));
    for description in ["one", "two"] {
        lunch(&cast, description);
    }
    cast.delete("").ok();
    let received = receiver.wait_for(3);
    assert_eq!(received[2].body["type"], "BOOK_DELETED");
    assert_eq!(received[2].body["book"]["id"], cast.book, "8.1: although the book is gone");
}

fn installer_without_access_receives_nothing(server: &Server) {
    let cast = book(server);
    let receiver = Receiver::start();
    let app =
        create(&cast, &receiver.url(), &["TRANSACTION_POSTED"], json!({"users": "*@example.com"}));
    cast.editor.post(&cast.path("/integrations"), &json!({"agentId": app["id"]})).ok();
    lunch(&cast, "one");
    receiver.wait_for(1);
    let all = cast.get("/collaborators").ok();
    let editor = items(&all).iter().find(|one| one["email"] == cast.editor.email());
    let id = editor.expect("the editor")["id"].as_str().expect("an id").to_owned();
    cast.delete(&format!("/collaborators/{id}")).ok();
    lunch(&cast, "two");
    let response = responses(&cast, "TRANSACTION_POSTED", 1).remove(0);
    assert_eq!(response["type"], "ERROR", "9.4: one error");
    lunch(&cast, "three");
    pause(Duration::from_millis(500));
    assert!(responses(&cast, "TRANSACTION_POSTED", 0).is_empty(), "9.4: and it stops");
    assert_eq!(receiver.received().len(), 1);
}

/// 7.3: found by the simulation: the installer may read the book only because it is PUBLIC.
fn collaborator_events_stay_inside_the_book(server: &Server) {
    let cast = book(server);
    let receiver = Receiver::start();
    let types = ["COLLABORATOR_ADDED", "COLLABORATOR_REMOVED", "TRANSACTION_POSTED"];
    let app = create(&cast, &receiver.url(), &types, json!({"users": "*@example.com"}));
    cast.editor.post(&cast.path("/integrations"), &json!({"agentId": app["id"]})).ok();
    let add = |name: &str| {
        let email = format!("{}@example.com", daybook_tests::unique(name));
        let body = json!({"email": email, "permission": "VIEWER"});
        cast.post("/collaborators", &body).ok();
    };
    add("before");
    assert_eq!(receiver.wait_for(1)[0].body["type"], "COLLABORATOR_ADDED");
    cast.put("", &json!({"visibility": "PUBLIC"})).ok();
    let editor = format!("/collaborators/{}", cast.editor.email());
    cast.delete(&editor).ok();
    add("after");
    lunch(&cast, "one");
    let received = receiver.wait_for(2);
    assert_eq!(received[1].body["type"], "TRANSACTION_POSTED", "7.3: the events before are not");
    assert_eq!(received.len(), 2);
}
