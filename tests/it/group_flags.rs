//! Derived flags of groups (4.12): type, permanent, credit and mixed, from the accounts below a
//! group.

use daybook_tests::{Cast, Server, shows};
use serde_json::{Value, json};

use crate::Case;
use crate::accounts::TYPES;

pub fn tests() -> Vec<Case> {
    crate::cases![
        flags_change_with_the_members,
        flags_change_with_the_type_of_a_member,
        archived_accounts_count_for_flags,
        flags_are_equal_in_all_responses,
    ]
}

fn group(cast: &Cast, name: &str) -> Value {
    cast.read(&format!("/groups/{name}"))
}

fn flags_change_with_the_members(server: &Server) {
    let cast = Cast::new(server);
    cast.group("G");
    let account = cast.account_in("Food", "OUTGOING", &["G"]);
    shows(&group(&cast, "g"), &json!({"type": "OUTGOING", "permanent": false}));
    cast.account_in("Cash", "ASSET", &["G"]);
    shows(&group(&cast, "g"), &json!({"type": null, "mixed": true}));
    cast.put("/accounts", &json!({"id": account["id"], "groups": []})).ok();
    shows(&group(&cast, "g"), &json!({"type": "ASSET", "permanent": true, "mixed": false}));
    let cash = cast.read("/accounts/cash");
    cast.delete(&format!("/accounts/{}", daybook_tests::id(&cash))).ok();
    let expected = json!({
        "type": null, "permanent": true, "credit": false, "mixed": false, "hasAccounts": false,
    });
    shows(&group(&cast, "g"), &expected);
}

fn flags_change_with_the_type_of_a_member(server: &Server) {
    let cast = Cast::new(server);
    cast.group("G");
    let account = cast.account_in("A", "OUTGOING", &["G"]);
    for (kind, permanent, credit) in TYPES {
        cast.put("/accounts", &json!({"id": account["id"], "type": kind})).ok();
        shows(&group(&cast, "g"), &json!({"type": kind, "permanent": permanent, "credit": credit}));
    }
}

/// 4.8.
fn archived_accounts_count_for_flags(server: &Server) {
    let cast = Cast::new(server);
    cast.group("G");
    cast.account_in("Food", "OUTGOING", &["G"]);
    cast.put("/accounts", &json!({"name": "Food", "archived": true})).ok();
    let expected = json!({"type": "OUTGOING", "permanent": false, "hasAccounts": true});
    shows(&group(&cast, "g"), &expected);
}

fn flags_are_equal_in_all_responses(server: &Server) {
    let cast = Cast::new(server);
    cast.group("Root");
    cast.group_under("Costs", "Root");
    cast.group_under("Empty", "Costs");
    cast.account_in("Food", "OUTGOING", &["Costs"]);
    cast.account_in("Cash", "ASSET", &["Root"]);
    let single: Vec<Value> =
        ["root", "costs", "empty"].into_iter().map(|name| group(&cast, name)).collect();
    let mixed = json!({
        "type": null, "permanent": false, "credit": false, "mixed": true,
        "hasAccounts": true, "hasGroups": true,
    });
    shows(&single[0], &mixed);
    // The flags of the nearest ancestor with accounts.
    let inherited = json!({
        "type": "OUTGOING", "permanent": false, "credit": false, "mixed": false,
        "hasAccounts": false, "hasGroups": false,
    });
    shows(&single[2], &inherited);
    assert_eq!(cast.read("/groups")["items"], json!(single));
    assert_eq!(cast.read("?loadGroups=true")["groups"], json!(single));
    for group in &single {
        let answer = cast.put("/groups", &json!({"id": group["id"]})).ok();
        assert_eq!(&answer, group);
    }
}
