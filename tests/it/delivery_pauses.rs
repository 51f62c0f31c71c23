//! Pauses of webhooks (8.19): after three days of failures and by the operator. Events wait in
//! order and are sent when the pause ends.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use daybook_tests::receiver::{Receiver, fine};
use daybook_tests::{Cast, Engine, RawSql, Server, column, id, now_milliseconds, pause};
use serde_json::{Value, json};

use crate::Case;
use crate::deleted_books::{restore, run};
use crate::delivery_log::attempts;
use crate::file_sweep::eventually;
use crate::reading::items;
use crate::webhooks::{backlog, book, descriptions, install, lunch};

pub fn tests() -> Vec<Case> {
    crate::cases![
        rule_8_19_app_is_paused_after_three_days_of_failures,
        rule_8_19_successful_replay_ends_the_pause,
        rule_8_19_operator_pauses_and_resumes_an_app,
        rule_8_19_installing_user_cannot_end_the_operator_pause,
        rule_8_19_invalid_operator_command_is_refused,
        rule_8_19_pause_stops_pending_deliveries,
        rule_8_6_undecryptable_secret_fails_the_event,
        rule_8_12_replay_keeps_the_pause_after_429,
        rule_8_12_replay_keeps_the_pause_before_a_retry,
        rule_8_12_book_deleted_events_are_not_replayed,
    ]
}

pub const POSTED: [&str; 1] = ["TRANSACTION_POSTED"];
const THREE_DAYS: i64 = 259_200_000;

/// Runs `daybook webhooks` and returns the columns of the lines of an app.
#[track_caller]
pub fn webhooks(server: &Server, verb: &str, arguments: &[&str], app: &Value) -> Vec<Vec<String>> {
    let printed = run(server, &[&["webhooks", verb], arguments].concat()).expect("it is done");
    let lines = printed.lines().map(|line| line.split('\t').map(str::to_owned).collect());
    lines.filter(|columns: &Vec<String>| columns[1] == id(app)).collect()
}

fn paused(server: &Server, app: &Value) -> Vec<Vec<String>> {
    webhooks(server, "list", &[], app)
}

pub fn change(server: &Server, statement: &str, app: &Value) {
    let statement = statement.replace("APP", id(app));
    assert_eq!(RawSql::open(server).execute(&statement), 1, "{statement}");
}

/// Returns when the queue of an app is due, in milliseconds since the Unix epoch.
pub fn due_at(server: &Server, app: &Value) -> i64 {
    let query = format!("SELECT due_at FROM delivery_queues WHERE app_id = '{}'", id(app));
    RawSql::open(server).count(&query)
}

/// Ends the pause before the next attempt. The worker polls each second.
pub fn end_pause(server: &Server, app: &Value) {
    change(server, "UPDATE delivery_queues SET due_at = 1 WHERE app_id = 'APP'", app);
}

/// How long a case waits to see that nothing is delivered: much longer than a delivery takes.
pub const NOTHING_COMES: Duration = Duration::from_millis(300);

/// Returns the messages of the responses to postings, newest first.
pub fn messages(cast: &Cast) -> Vec<String> {
    let page = cast.read("/events?type=TRANSACTION_POSTED");
    let message = |event: &Value| {
        let first = event["botResponses"].get(0)?;
        Some(first["message"].as_str().unwrap_or_default().to_owned())
    };
    items(&page).iter().filter_map(message).collect()
}

/// Returns the ids of the events of postings, newest first.
fn postings(cast: &Cast) -> Vec<String> {
    column(&cast.read("/events?type=TRANSACTION_POSTED"), "id")
}

/// Returns the path of a replay for an app.
fn replay_path(cast: &Cast, event: &str, app: &Value) -> String {
    cast.path(&format!("/events/{event}/responses/{}", id(app)))
}

/// Creates an app whose next failure completes three days of failures.
fn about_to_be_paused(server: &Server, receiver: &Receiver) -> (Cast, Value) {
    let cast = book(server);
    let app = install(&cast, &receiver.url(), &POSTED, json!({}));
    webhooks(server, "pause", &["--book", &cast.book, "--app", id(&app)], &app);
    lunch(&cast, "one");
    change(server, "UPDATE deliveries SET failures = 4 WHERE app_id = 'APP'", &app);
    let since = format!(
        "UPDATE delivery_queues SET failing_since = paused_at - {THREE_DAYS}, paused_at = NULL, \
         pause_cause = NULL WHERE app_id = 'APP'"
    );
    change(server, &since, &app);
    (cast, app)
}

fn rule_8_19_app_is_paused_after_three_days_of_failures(server: &Server) {
    let works = Arc::new(AtomicUsize::new(0));
    let working = Arc::clone(&works);
    let receiver = Receiver::answering(move |_| match working.load(Ordering::SeqCst) {
        0 => ("500 Oh".to_owned(), String::new()),
        _ => fine("{}"),
    });
    let (cast, app) = about_to_be_paused(server, &receiver);
    eventually("8.19: it is paused", || !paused(server, &app).is_empty());
    assert_eq!(messages(&cast), ["not delivered: status 500"], "8.8: it was given up");
    for description in ["two", "three"] {
        lunch(&cast, description);
    }
    let line = paused(server, &app).remove(0);
    assert_eq!([&line[0], &line[2], &line[4]], [cast.book.as_str(), "failing", "2"]);
    let installed = items(&cast.read("/integrations"))[0].clone();
    assert_eq!(installed["pauseCause"], "FAILURES", "8.19: {installed}");
    let mails = run(server, &["outbox", "list", "--to", cast.owner.email()]).expect("a list");
    let mail = mails.lines().find(|line| line.contains("\tapp-paused\t")).expect("a mail");
    let mail = mail.split('\t').next().expect("an id");
    let mail = run(server, &["outbox", "show", mail]).expect("the mail");
    let called = format!("> Bot ({})", id(&app));
    // The mail names the address of the process that noticed.
    let parts = ["failed for three days", "30 days", "http://127.0.0.1:"];
    for part in [called.as_str(), &cast.book].into_iter().chain(parts) {
        assert!(mail.contains(part), "{part:?} in {mail}");
    }
    pause(NOTHING_COMES);
    assert_eq!(receiver.received().len(), 1, "8.19: nothing is sent");
    assert_eq!(backlog(&cast), 0, "8.10: what is paused is not on its way");
    works.store(1, Ordering::SeqCst);
    let resumed = cast.put("/integrations", &json!({"id": installed["id"]})).ok();
    assert_eq!(resumed["pausedAt"], Value::Null, "8.19: it is not paused any more");
    let received = receiver.wait_for(3);
    assert_eq!(descriptions(&received), ["one", "two", "three"], "8.19: in their order");
    assert!(paused(server, &app).is_empty());
}

/// 8.19.
fn rule_8_19_successful_replay_ends_the_pause(server: &Server) {
    let count = AtomicUsize::new(0);
    let receiver = Receiver::answering(move |_| match count.fetch_add(1, Ordering::SeqCst) {
        0 | 1 => ("500 Oh".to_owned(), String::new()),
        _ => fine("{}"),
    });
    let (cast, app) = about_to_be_paused(server, &receiver);
    eventually("8.19: it is paused", || !paused(server, &app).is_empty());
    lunch(&cast, "two");
    let path = replay_path(&cast, &postings(&cast)[1], &app);
    cast.editor.put(&path, &Value::Null).ok();
    assert_eq!(paused(server, &app).len(), 1, "8.19: it fails still");
    cast.editor.put(&path, &Value::Null).ok();
    let received = receiver.wait_for(4);
    assert_eq!(descriptions(&received), ["one", "one", "one", "two"], "8.19: it goes on");
    assert!(paused(server, &app).is_empty());
}

fn rule_8_19_operator_pauses_and_resumes_an_app(server: &Server) {
    let (cast, receiver) = (book(server), Receiver::start());
    let app = install(&cast, &receiver.url(), &POSTED, json!({}));
    let other = Receiver::start();
    install(&cast, &other.url(), &POSTED, json!({}));
    let named = ["--book", &cast.book, "--app", id(&app)];
    let line = webhooks(server, "pause", &named, &app).remove(0);
    assert_eq!([&line[0], &line[2], &line[4]], [cast.book.as_str(), "operator", "0"]);
    for description in ["one", "two"] {
        lunch(&cast, description);
    }
    other.wait_for(2);
    pause(NOTHING_COMES);
    assert!(receiver.received().is_empty(), "8.19: nothing is sent");
    assert_eq!(paused(server, &app)[0][4], "2", "8.19: they wait");
    let resumed = webhooks(server, "resume", &["--app", id(&app)], &app);
    assert_eq!(resumed[0][4], "2");
    assert_eq!(descriptions(&receiver.wait_for(2)), ["one", "two"], "8.19: in their order");
}

fn rule_8_19_installing_user_cannot_end_the_operator_pause(server: &Server) {
    let (cast, receiver) = (book(server), Receiver::start());
    let app = install(&cast, &receiver.url(), &POSTED, json!({}));
    webhooks(server, "pause", &["--book", &cast.book, "--app", id(&app)], &app);
    lunch(&cast, "one");
    let path = replay_path(&cast, &postings(&cast)[0], &app);
    let message = cast.owner.put(&path, &Value::Null).refused(400, "badRequest");
    assert!(message.contains("paused"), "{message}");
    let installed = items(&cast.read("/integrations"))[0].clone();
    let renamed = json!({"id": installed["id"], "name": "Renamed"});
    let renamed = cast.put("/integrations", &renamed).ok();
    assert_eq!(renamed["pauseCause"], "OPERATOR", "8.19: {renamed}");
    cast.delete(&format!("/integrations/{}", id(&installed))).ok();
    cast.post("/integrations", &json!({"agentId": app["id"]})).ok();
    lunch(&cast, "two");
    pause(NOTHING_COMES);
    assert!(receiver.received().is_empty(), "8.19: neither saving nor reinstalling ends the pause");
    webhooks(server, "resume", &["--book", &cast.book], &app);
    assert_eq!(descriptions(&receiver.wait_for(1)), ["two"], "8.11: the first one was dropped");
}

fn rule_8_19_invalid_operator_command_is_refused(server: &Server) {
    let cast = book(server);
    let refused = |arguments: &[&str], why: &str| {
        let error = run(server, &[&["webhooks"], arguments].concat()).expect_err("refused");
        assert!(error.contains(why), "{why}: {error}");
    };
    refused(&["pause", "--book", &cast.book, "--app", "nobody"], "is not installed");
    refused(&["pause", "--book", "nowhere", "--app", "nobody"], "book not found");
    refused(&["resume"], "--book");
    assert_eq!(run(server, &["webhooks", "resume", "--book", &cast.book]), Ok(String::new()));
}

/// 8.19: a delivery in flight completes.
fn rule_8_19_pause_stops_pending_deliveries(server: &Server) {
    let cast = book(server);
    let (receiver, open) = Receiver::gated();
    let app = install(&cast, &receiver.url(), &POSTED, json!({}));
    for description in ["one", "two", "three"] {
        lunch(&cast, description);
    }
    receiver.wait_for(1);
    webhooks(server, "pause", &["--book", &cast.book, "--app", id(&app)], &app);
    open.store(true, Ordering::SeqCst);
    eventually("the first one has arrived", || paused(server, &app)[0][4] == "2");
    pause(NOTHING_COMES);
    assert_eq!(receiver.received().len(), 1, "8.19: the next one waits");
    webhooks(server, "resume", &["--book", &cast.book], &app);
    assert_eq!(descriptions(&receiver.wait_for(3)), ["one", "two", "three"]);
}

fn rule_8_6_undecryptable_secret_fails_the_event(server: &Server) {
    let (cast, receiver) = (book(server), Receiver::start());
    let secret = json!({"clientSecret": "a secret"});
    let app = install(&cast, &receiver.url(), &POSTED, secret);
    let nothing = match server.engine() {
        Engine::Sqlite => "UPDATE apps SET client_secret = X'00' WHERE id = 'APP'",
        Engine::Postgres => "UPDATE apps SET client_secret = '\\x00' WHERE id = 'APP'",
    };
    change(server, nothing, &app);
    lunch(&cast, "one");
    eventually("8.6: it is given up at once", || messages(&cast).len() == 1);
    assert!(messages(&cast)[0].contains("secret"), "{:?}", messages(&cast));
    assert_eq!(backlog(&cast), 0, "8.10: nothing is tried for ever");
    assert_eq!(attempts(&cast, 0), [] as [Value; 0], "12.13: nothing was sent");
    assert!(server.log().contains("app secret cannot be opened, webhook delivery failed"));
    let since = format!("UPDATE delivery_queues SET failing_since = failing_since - {THREE_DAYS}");
    change(server, &format!("{since} WHERE app_id = 'APP'"), &app);
    lunch(&cast, "two");
    eventually("8.19: after three days it is paused", || !paused(server, &app).is_empty());
    lunch(&cast, "three");
    let mut body = app.clone();
    body["clientSecret"] = json!("another secret");
    cast.owner.put("/v5/apps", &body).ok();
    webhooks(server, "resume", &["--app", id(&app)], &app);
    let received = receiver.wait_for(1);
    assert_eq!(descriptions(&received), ["three"], "8.19: what waited");
    assert!(received[0].headers.contains_key("service-signature"));
}

/// Starts a receiver that refuses the first request about `one` and accepts all others.
fn refuse_first(refusal: &'static str) -> Receiver {
    let refused = AtomicBool::new(false);
    Receiver::answering(move |received| {
        let is_first = descriptions(std::slice::from_ref(received)) == ["one"]
            && !refused.swap(true, Ordering::SeqCst);
        if is_first { (refusal.to_owned(), String::new()) } else { fine("{}") }
    })
}

/// Replays an earlier event while `one` waits for its next attempt and `two` behind it. The pause
/// of about 15 s must stay.
fn check_replay_during_pause(server: &Server, refusal: &'static str) {
    let cast = book(server);
    lunch(&cast, "zero");
    let zero = postings(&cast).remove(0);
    let receiver = refuse_first(refusal);
    let app = install(&cast, &receiver.url(), &POSTED, json!({}));
    webhooks(server, "pause", &["--book", &cast.book, "--app", id(&app)], &app);
    lunch(&cast, "one");
    // 8.8: the pause after the third failure is 15 s.
    change(server, "UPDATE deliveries SET failures = 2 WHERE app_id = 'APP'", &app);
    lunch(&cast, "two");
    let resumed = now_milliseconds();
    webhooks(server, "resume", &["--app", id(&app)], &app);
    wait_for_first_attempt(&cast);
    let due = due_at(server, &app);
    let pause = due - resumed;
    assert!((15_000..60_000).contains(&pause), "8.8: due after {pause} ms");
    cast.owner.put(&replay_path(&cast, &zero, &app), &Value::Null).ok();
    assert_eq!(due_at(server, &app), due, "8.12: the replay leaves the pause");
    end_pause(server, &app);
    let received = receiver.wait_for(4);
    assert_eq!(descriptions(&received), ["one", "zero", "one", "two"], "8.12: a replay overtakes");
}

/// Waits for the first attempt of the second newest posting.
fn wait_for_first_attempt(cast: &Cast) {
    let path = cast.path(&format!("/events/{}/deliveries", postings(cast)[1]));
    eventually("the first attempt is settled", || !items(&cast.owner.get(&path).ok()).is_empty());
}

fn rule_8_12_replay_keeps_the_pause_after_429(server: &Server) {
    check_replay_during_pause(server, "429 Busy\r\nretry-after: 15");
}

fn rule_8_12_replay_keeps_the_pause_before_a_retry(server: &Server) {
    check_replay_during_pause(server, "500 Oh");
}

fn rule_8_12_book_deleted_events_are_not_replayed(server: &Server) {
    let cast = book(server);
    let app = install(&cast, "http://127.0.0.1:1/", &POSTED, json!({}));
    cast.delete("").ok();
    restore(&cast.owner, &cast.book).ok();
    let page = cast.read("/events?type=BOOK_DELETED");
    let event = id(&items(&page)[0]).to_owned();
    let path = replay_path(&cast, &event, &app);
    cast.owner.put(&path, &Value::Null).refused(400, "badRequest");
    let batch = json!({"items": [{"id": event}]});
    cast.patch("/events/replay/batch", &batch).refused(400, "badRequest");
}
