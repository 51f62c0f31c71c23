//! Memory for large responses (0.22). Each large response reserves memory from the shared budget,
//! also when it is encoded in the background or replayed.

use daybook_tests::receiver::Receiver;
use daybook_tests::{Answer, Cast, Client, Engine, Server, bots, id};
use serde_json::{Value, json};

use crate::Case;
use crate::file_sweep::eventually;
use crate::large_answers::{amplified, properties};
use crate::memory::{MEGABYTE, unfinished, until, until_crowded};
use crate::reading::items;

pub fn tests() -> Vec<Case> {
    crate::isolated![
        rule_0_22_replayed_responses_reserve_memory,
        rule_0_22_lists_of_connections_reserve_memory,
        rule_8_12_replay_response_is_shortened_without_memory,
    ]
}

/// Starts a server with 56 MB for large bodies and responses.
fn start_small_server(engine: Engine) -> Server {
    Server::with_args(engine, &["--bodies-megabytes", "64"])
}

/// Runs `work` while other requests hold all but 2 MB of the budget.
fn while_crowded(server: &Server, large: impl Fn() -> Answer, work: impl FnOnce()) {
    until(200, &large);
    let held = [("alice", 31), ("bob", 23)].map(|(name, megabytes)| {
        let other = server.client(&format!("{name}@example.com"));
        unfinished(server, &other, megabytes * MEGABYTE)
    });
    let message = until_crowded(&large).refused(503, "backendError");
    assert!(message.contains("memory for responses"), "0.22: {message}");
    work();
    drop(held);
    until(200, &large);
}

/// Creates a book with an account of more than 2 MB, and a closure that reads it.
fn create_large_account(server: &Server) -> (Cast, impl Fn() -> Answer + use<>) {
    let cast = amplified(server, 40, 1);
    let (owner, path) = (cast.owner.clone(), cast.path("/accounts/A0"));
    let ask = move || owner.get(&path);
    assert!(ask().text.len() > 2 * MEGABYTE, "{} bytes", ask().text.len());
    (cast, ask)
}

fn header<'a>(answer: &'a Answer, name: &str) -> Option<&'a str> {
    answer.headers.get(name).map(String::as_str)
}

/// 0.22, 0.16: the repetition of a small request with a large stored response.
fn rule_0_22_replayed_responses_reserve_memory(engine: Engine) {
    let server = start_small_server(engine);
    let (cast, large) = create_large_account(&server);
    let update = json!({"id": large().body["id"], "properties": {"seen": "yes"}});
    let keyed = cast.owner.header("Idempotency-Key", "once");
    let send = || keyed.put(&cast.path("/accounts"), &update);
    let first = send();
    assert_eq!(first.status, 200, "{:.300}", first.text);
    assert!(first.text.len() > 2 * MEGABYTE, "{} bytes", first.text.len());
    while_crowded(&server, large, || {
        let message = send().refused(503, "backendError");
        assert!(message.contains("memory for responses"), "0.22: {message}");
    });
    let again = until(200, send);
    assert_eq!(header(&again, "idempotency-replayed"), Some("true"));
    assert_eq!(header(&again, "idempotency-answer"), None);
    assert!(again.text == first.text, "the repetition has the first answer, byte by byte");
}

/// 0.22, 9.5: decrypted properties count.
fn rule_0_22_lists_of_connections_reserve_memory(engine: Engine) {
    let server = start_small_server(engine);
    let (cast, large) = create_large_account(&server);
    let all = "/v5/user/connections";
    for number in 0..40 {
        let bank = json!({"agentId": "some-bank", "type": "BANK", "name": "My Bank",
            "uuid": number.to_string(), "properties": properties()});
        cast.owner.post(all, &bank).ok();
    }
    let listed = cast.owner.get(all);
    assert!(listed.text.len() > 2 * MEGABYTE, "{} bytes", listed.text.len());
    let list = items(&listed.body);
    assert!(list.iter().all(|one| one["properties"] == properties()), "each is decrypted");
    while_crowded(&server, large, || {
        let message = cast.owner.get(all).refused(503, "backendError");
        assert!(message.contains("memory for responses"), "0.22: {message}");
    });
    assert!(until(200, || cast.owner.get(all)).text == listed.text);
}

/// Replays an event, and retries while another delivery is in flight (8.12).
fn replay_event(caller: &Client, path: &str) -> Answer {
    until(200, || caller.put(path, &Value::Null))
}

/// 8.12, 0.33: the replay is carried out even without memory for its response, also with an
/// idempotency key (0.16).
fn rule_8_12_replay_response_is_shortened_without_memory(engine: Engine) {
    let server = start_small_server(engine);
    let (cast, large) = create_large_account(&server);
    let account = json!({"name": "B0", "type": "ASSET", "groups": []});
    cast.post("/accounts", &account).ok();
    let lunch = json!({"date": "2026-01-05", "amount": "1", "creditAccount": {"name": "A0"},
        "debitAccount": {"name": "B0"}, "description": "Lunch"});
    cast.post("/transactions", &lunch).ok();
    let events = cast.read("/events?type=TRANSACTION_POSTED");
    let event = id(&items(&events)[0]).to_owned();
    let receiver = Receiver::start();
    let app = bots::register(&cast.owner, &receiver.url());
    bots::install(&cast.owner, &cast.book, &app);
    let path = cast.path(&format!("/events/{event}/responses/{app}"));
    let keyed = cast.owner.header("Idempotency-Key", "once");
    while_crowded(&server, large, || {
        for caller in [&cast.owner, &keyed] {
            let answer = replay_event(caller, &path);
            assert_eq!(answer.body, json!({"id": event}), "{:.300}", answer.text);
            assert_eq!(header(&answer, "answer-shortened"), Some("true"));
        }
        assert!(receiver.received().is_empty(), "8.8: the delivery has no memory either");
    });
    let again = keyed.put(&path, &Value::Null);
    assert_eq!((again.status, &again.body), (200, &json!({"id": event})));
    assert_eq!(header(&again, "idempotency-answer"), Some("ids"));

    let shown = replay_event(&cast.owner, &path);
    assert!(shown.text.len() > 2 * MEGABYTE, "{} bytes", shown.text.len());
    let failed = items(&json!({"items": shown.body["botResponses"]})).len();
    assert_eq!(failed, 0, "8.7: the delivery succeeded, so the earlier failure is no longer shown");
    assert_eq!(receiver.wait_for(1)[0].body["id"], event.as_str());
    let keyed = cast.owner.header("Idempotency-Key", "twice");
    let first = replay_event(&keyed, &path);
    assert!(first.text.len() > 2 * MEGABYTE, "{} bytes", first.text.len());
    let again = replay_event(&keyed, &path);
    assert_eq!(header(&again, "idempotency-replayed"), Some("true"));
    assert!(again.text == first.text, "the repetition has the first answer, byte by byte");
    assert_eq!(receiver.received().len(), 2, "0.16: it is sent once");
    let backlog = || bots::backlog(&cast.owner, &cast.book);
    eventually("8.10: the backlog falls to 0", || backlog() == 0);
}
