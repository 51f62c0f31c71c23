//! Chains of apps that react to events (8.11), and apps of disabled users.

use std::sync::Arc;
use std::time::Duration;

use daybook_tests::receiver::{Receiver, fine};
use daybook_tests::{Client, Server, pause};
use serde_json::{Value, json};

use crate::Case;
use crate::book_transfers::set_disabled;
use crate::file_sweep::eventually;
use crate::reading::items;
use crate::webhooks::{book, descriptions, install, lunch};

pub fn tests() -> Vec<Case> {
    crate::cases![
        rule_8_11_chains_end,
        rule_8_11_audits_are_part_of_a_chain,
        rule_8_11_apps_of_disabled_users_get_no_events,
    ]
}

/// The number of error responses to these events.
fn errors(page: &Value) -> usize {
    let all = items(page).iter().flat_map(|event| event["botResponses"].as_array().cloned());
    all.flatten().filter(|response| response["type"] == "ERROR").count()
}

/// Two bots that react to each other: each posts a transaction for every event it receives.
fn rule_8_11_chains_end(server: &Server) {
    let (cast, base) = (Arc::new(book(server)), server.base().to_owned());
    let bot = |name: &'static str| {
        let (cast, base) = (Arc::clone(&cast), base.clone());
        Receiver::answering(move |received| {
            // It does not react to its own events.
            if received.body["agent"]["id"] != received.header("service-agent-id") {
                let body = json!({"date": "2026-01-05", "amount": "1", "description": name,
                    "creditAccount": {"name": "Cash"}, "debitAccount": {"name": "Food"}});
                let caller = Client::at(&base, received.header("service-oauth-token"));
                caller.post(&cast.path("/transactions"), &body).ok();
            }
            fine("{}")
        })
    };
    let (ping, pong) = (bot("ping"), bot("pong"));
    for receiver in [&ping, &pong] {
        install(&cast, &receiver.url(), &["TRANSACTION_POSTED"], json!({}));
    }
    lunch(&cast, "first");
    let path = cast.path("/events?type=TRANSACTION_POSTED&limit=200");
    let mut page = Value::Null;
    eventually("8.11: the chains end with an error", || {
        page = cast.owner.get(&path).ok();
        // Both bots receive the first event, so there are two chains, and both bots receive the
        // last event.
        errors(&page) == 4
    });
    pause(Duration::from_millis(500));
    let all = cast.owner.get(&path).ok();
    assert_eq!(items(&all).len(), 1 + 2 * 11, "8.11: ten events after the first are answered");
}

/// A bot that requests another audit for every audit.
fn rule_8_11_audits_are_part_of_a_chain(server: &Server) {
    let cast = book(server);
    let (audit, base) = (cast.path("/audit"), server.base().to_owned());
    let request = audit.clone();
    let auditor = Receiver::answering(move |received| {
        let caller = Client::at(&base, received.header("service-oauth-token"));
        caller.send("PATCH", &request, &Value::Null).no_content();
        fine("{}")
    });
    install(&cast, &auditor.url(), &["BOOK_AUDITED"], json!({}));
    cast.owner.patch(&audit, &Value::Null).no_content();
    let path = cast.path("/events?type=BOOK_AUDITED&limit=200");
    eventually("8.11: the chain ends with an error", || errors(&cast.owner.get(&path).ok()) == 1);
    pause(Duration::from_millis(500));
    let all = cast.owner.get(&path).ok();
    assert_eq!(items(&all).len(), 1 + 11, "8.11: ten events after the first are answered");
}

fn rule_8_11_apps_of_disabled_users_get_no_events(server: &Server) {
    let cast = book(server);
    let receiver = Receiver::answering(|_| fine("{}"));
    install(&cast, &receiver.url(), &["TRANSACTION_POSTED"], json!({}));
    let post = |description: &str| {
        let body = json!({"date": "2026-01-05", "amount": "1", "description": description,
            "creditAccount": {"name": "Cash"}, "debitAccount": {"name": "Food"}});
        cast.editor.post(&cast.path("/transactions"), &body).ok();
    };
    set_disabled(server, cast.owner.email(), "disable");
    post("missed");
    let path = cast.path("/events?type=TRANSACTION_POSTED");
    eventually("8.11: the event has an error", || errors(&cast.editor.get(&path).ok()) == 1);
    set_disabled(server, cast.owner.email(), "enable");
    post("told");
    assert_eq!(descriptions(&receiver.wait_for(1)), ["told"]);
}
