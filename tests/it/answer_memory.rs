//! Memory of answers (0.22): whatever makes a large one takes it from what all requests share, also
//! where the answer is made aside, or was given before.

use daybook_tests::{Answer, Cast, Engine, Options, Server};
use serde_json::json;

use crate::Lone;
use crate::large_answers::{amplified, properties};
use crate::memory::{MEGABYTE, unfinished, until};
use crate::reading::items;

pub fn lone() -> Vec<Lone> {
    crate::lone![rule_0_22_repetitions_take_memory, rule_0_22_lists_of_connections_take_memory,]
}

/// A server on which 56 MB are for what is large.
fn small_server(engine: Engine) -> Server {
    let args = ["--bodies-megabytes", "64"].map(str::to_owned).to_vec();
    Server::start_with(Options { engine, args, ..Options::default() })
}

/// Runs this while others hold all but two of them; before and after it they are free.
fn while_crowded(server: &Server, large: impl Fn() -> Answer, work: impl FnOnce()) {
    until(200, &large);
    let held = [("alice", 31), ("bob", 23)].map(|(name, megabytes)| {
        let other = server.client(&format!("{name}@example.com"));
        unfinished(server, &other, megabytes * MEGABYTE)
    });
    let message = until(503, &large).refused(503, "backendError");
    assert!(message.contains("memory for answers"), "0.22: {message}");
    work();
    drop(held);
    until(200, &large);
}

/// A book with an account that is shown with more than 2 MB, and the way to ask for it.
fn large_account(server: &Server) -> (Cast, impl Fn() -> Answer + use<>) {
    let cast = amplified(server, 40, 1);
    let (owner, path) = (cast.owner.clone(), cast.path("/accounts/A0"));
    let ask = move || owner.get(&path);
    assert!(ask().text.len() > 2 * MEGABYTE, "{} bytes", ask().text.len());
    (cast, ask)
}

fn header<'a>(answer: &'a Answer, name: &str) -> Option<&'a str> {
    answer.headers.get(name).map(String::as_str)
}

/// 0.22, 0.16: a small request was answered with much, and is sent again.
fn rule_0_22_repetitions_take_memory(engine: Engine) {
    let server = small_server(engine);
    let (cast, large) = large_account(&server);
    let update = json!({"id": large().body["id"], "properties": {"seen": "yes"}});
    let keyed = cast.owner.header("Idempotency-Key", "once");
    let send = || keyed.put(&cast.path("/accounts"), &update);
    let first = send();
    assert_eq!(first.status, 200, "{:.300}", first.text);
    assert!(first.text.len() > 2 * MEGABYTE, "{} bytes", first.text.len());
    while_crowded(&server, large, || {
        let message = send().refused(503, "backendError");
        assert!(message.contains("memory for answers"), "0.22: {message}");
    });
    let again = until(200, send);
    assert_eq!(header(&again, "idempotency-replayed"), Some("true"));
    assert_eq!(header(&again, "idempotency-answer"), None);
    assert!(again.text == first.text, "the repetition has the first answer, byte by byte");
}

/// 0.22, 9.5: what is opened of sealed properties is counted.
fn rule_0_22_lists_of_connections_take_memory(engine: Engine) {
    let server = small_server(engine);
    let (cast, large) = large_account(&server);
    let all = "/v5/user/connections";
    for number in 0..40 {
        let bank = json!({"agentId": "some-bank", "type": "BANK", "name": "My Bank",
            "uuid": number.to_string(), "properties": properties()});
        cast.owner.post(all, &bank).ok();
    }
    let listed = cast.owner.get(all);
    assert!(listed.text.len() > 2 * MEGABYTE, "{} bytes", listed.text.len());
    let list = items(&listed.body);
    assert!(list.iter().all(|one| one["properties"] == properties()), "each is opened");
    while_crowded(&server, large, || {
        let message = cast.owner.get(all).refused(503, "backendError");
        assert!(message.contains("memory for answers"), "0.22: {message}");
    });
    assert!(until(200, || cast.owner.get(all)).text == listed.text);
}
