//! Apps that receive many events, from a book whose events are expensive to read.

use serde_json::{Value, json};

use super::{Traffic, get, requests, send};
use crate::receiver::{Receiver, fine};
use crate::siege::env::{SiegeEnv, dinner};
use crate::unique;

/// Apps in the book.
const APPS: usize = 40;
/// Groups of each account.
const GROUPS: usize = 40;
/// Accounts per request, so that the answer is not too large.
const AT_ONCE: usize = 100;

/// 4,500 accounts in each of 40 groups, and a batch of 500 transactions delivered to 40 apps.
pub(super) fn webhooks(env: &SiegeEnv) -> anyhow::Result<Traffic> {
    let path = format!("/v5/books/{}", env.book()?);
    let groups: Vec<Value> =
        (0..GROUPS).map(|number| json!({"name": format!("G{number}")})).collect();
    env.create(&format!("{path}/groups/batch"), &json!({"items": groups}));
    let accounts: Vec<Value> = (0..env.size.of(4_500))
        .map(|number| json!({"name": format!("A{number}"), "type": "ASSET", "groups": groups}))
        .collect();
    for items in accounts.chunks(AT_ONCE) {
        env.create(&format!("{path}/accounts/batch"), &json!({"items": items}));
    }
    let receiver = Receiver::forgetting(|_| fine("{}"));
    for _ in 0..APPS {
        let app = json!({"id": unique("siege-bot"), "name": "Bot", "webhookUrl": receiver.url(),
            "events": ["TRANSACTION_POSTED"]});
        env.create("/v5/apps", &app);
        env.create(&format!("{path}/integrations"), &json!({"agentId": app["id"]}));
    }
    let sides = json!({"creditAccount": {"name": "A0"}, "debitAccount": {"name": "A1"}});
    let items: Vec<Value> = (0..env.size.of(500)).map(|_| dinner(&sides)).collect();
    let batch = json!({"items": items}).to_string();
    Ok(requests(move |number| {
        // The receiver listens until the attack ends.
        let _ = receiver.port();
        if number == 0 {
            send("POST", format!("{path}/transactions/batch"), batch.clone())
        } else {
            get(format!("{path}/transactions?limit=1"))
        }
    }))
}
