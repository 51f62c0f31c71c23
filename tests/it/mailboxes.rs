//! Limits per mailbox (10.18): addresses that differ after a `+` are counted together.

use daybook_tests::{CASH_AND_FOOD, Cast, Engine, Lunch, Server, id, unique};
use serde_json::json;

use crate::Case;
use crate::storage_quotas::usage;

pub fn tests() -> Vec<Case> {
    crate::isolated![rates_are_shared, storage_quotas_are_shared]
}

const LUNCH: Lunch = Lunch { date: "2025-05-05", amount: "9" };

fn rates_are_shared(engine: Engine) {
    let server = Server::with_args(engine, &["--quota-per-minute", "10"]);
    let name = unique("alice");
    let clients = ["", "+bank", "+a+b"].map(|tag| server.client(&format!("{name}{tag}@a.example")));
    let mut answers = (0..30).map(|number: usize| clients[number % 3].get("/v5/user").status);
    let accepted = answers.by_ref().take_while(|status| *status == 200).count();
    assert!((10..=12).contains(&accepted), "10.18: ten calls of all addresses: {accepted}");
    let others = [format!("{name}@b.example"), format!("{name}a@a.example")];
    for other in others {
        assert_eq!(server.client(&other).get("/v5/user").status, 200, "{other}");
    }
}

fn storage_quotas_are_shared(engine: Engine) {
    let server = Server::with_args(engine, &["--quota-user-transactions", "3"]);
    let cast = Cast::with_accounts(&server, &CASH_AND_FOOD);
    LUNCH.create(&cast, json!({}));
    LUNCH.create(&cast, json!({}));
    let other = server.client(&cast.owner.email().replace('@', "+other@"));
    assert_eq!(usage(&other), usage(&cast.owner), "10.18: what one mailbox holds");
    let book = other.post("/v5/books", &json!({"name": "Other"})).ok();
    let path = format!("/v5/books/{}/transactions", id(&book));
    let draft = json!({"description": "d"});
    other.post(&path, &draft).ok();
    other.post(&path, &draft).refused(413, "storageQuotaExceeded");
    cast.post("/transactions", &draft).refused(413, "storageQuotaExceeded");
    assert_eq!(usage(&cast.owner).0, 3);
    // A user of another mailbox has a separate quota.
    let own = cast.editor.post("/v5/books", &json!({"name": "Own"})).ok();
    cast.editor.post(&format!("/v5/books/{}/transactions", id(&own)), &draft).ok();
}
