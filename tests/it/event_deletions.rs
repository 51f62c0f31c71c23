//! Events keep accounts and groups in full after their deletion (8.2, 4.18).

use daybook_tests::{Cast, Server};
use serde_json::{Value, json};

use crate::reading::{Faults, events, id};

fn rule_8_2_events_show_deleted_accounts_in_full(server: &Server) {
    let cast = Cast::new(server);
    let owner = &cast.owner;
    let group = owner
        .post(
            &cast.path("/groups"),
            &json!({"name": "Trips", "properties": {"x": "y"}, "hidden": true}),
        )
        .ok();
    let body = json!({
        "name": "Train", "type": "OUTGOING", "groups": [{"name": "Trips"}],
        "properties": {"p": "q"},
    });
    let account = owner.post(&cast.path("/accounts"), &body).ok();
    let known = events(&cast).len();
    let draft =
        json!({"date": "2025-01-02", "description": "ride", "debitAccount": {"id": account["id"]}});
    owner.post(&cast.path("/transactions"), &draft).ok();
    let before = events(&cast);
    owner.delete(&cast.path(&format!("/accounts/{}", id(&account)))).ok();
    owner.delete(&cast.path(&format!("/groups/{}", id(&group)))).ok();
    let after = events(&cast);
    let mut faults = Faults::default();
    for (name, at) in [("the draft", known), ("the account's own", known - 1)] {
        let shown = |events: &[Value]| {
            let object = &events[at]["data"]["object"];
            if at == known { object["transaction"]["debitAccount"].clone() } else { object.clone() }
        };
        let (was, is) = (shown(&before), shown(&after));
        let fields = "id name normalizedName type credit permanent archived properties";
        for field in fields.split(' ') {
            faults.same(&format!("{name}: {field}"), &is[field], &was[field]);
        }
        for field in ["id", "name", "normalizedName", "properties", "hidden"] {
            let [is, was] = [&is, &was].map(|account| &account["groups"][0][field]);
            faults.same(&format!("{name}: groups[0].{field}"), is, was);
        }
        assert!(was["groups"][0]["hidden"] == true && was["properties"]["p"] == "q", "{was}");
    }
    let side = &after[known]["data"]["object"]["accounts"][0];
    faults.same("accounts of the operation", &side["type"], &json!("OUTGOING"));
    faults.none();
}

pub fn tests() -> Vec<crate::Case> {
    crate::cases![rule_8_2_events_show_deleted_accounts_in_full]
}
