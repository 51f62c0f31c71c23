//! Apps that are told of much, in a book whose events take long to read.

use serde_json::{Value, json};

use super::{Weapon, get, requests, send};
use crate::receiver::{Receiver, fine};
use crate::siege::env::{Ground, dinner};
use crate::unique;

/// Apps in the book.
const APPS: usize = 40;
/// Groups that each account is in.
const GROUPS: usize = 40;
/// Accounts of an answer that is not too long.
const AT_ONCE: usize = 100;

/// 4,500 accounts in each of 40 groups, and a batch of 500 transactions that 40 apps are told of.
pub(super) fn webhooks(ground: &Ground) -> anyhow::Result<Weapon> {
    let path = format!("/v5/books/{}", ground.book()?);
    let groups: Vec<Value> =
        (0..GROUPS).map(|number| json!({"name": format!("G{number}")})).collect();
    ground.made(&format!("{path}/groups/batch"), &json!({"items": groups}));
    let accounts: Vec<Value> = (0..ground.size.of(4_500))
        .map(|number| json!({"name": format!("A{number}"), "type": "ASSET", "groups": groups}))
        .collect();
    for items in accounts.chunks(AT_ONCE) {
        ground.made(&format!("{path}/accounts/batch"), &json!({"items": items}));
    }
    let receiver = Receiver::forgetting(|_| fine("{}"));
    for _ in 0..APPS {
        let app = json!({"id": unique("siege-bot"), "name": "Bot", "webhookUrl": receiver.url(),
            "events": ["TRANSACTION_POSTED"]});
        ground.made("/v5/apps", &app);
        ground.made(&format!("{path}/integrations"), &json!({"agentId": app["id"]}));
    }
    let sides = json!({"creditAccount": {"name": "A0"}, "debitAccount": {"name": "A1"}});
    let items: Vec<Value> = (0..ground.size.of(500)).map(|_| dinner(&sides)).collect();
    let batch = json!({"items": items}).to_string();
    Ok(requests(move |turn| {
        // It listens as long as the attack goes on.
        let _ = receiver.port();
        if turn == 0 {
            send("POST", format!("{path}/transactions/batch"), batch.clone())
        } else {
            get(format!("{path}/transactions?limit=1"))
        }
    }))
}
