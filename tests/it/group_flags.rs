//! Derived flags of groups (4.12): type, permanent, credit and mixed, from the accounts below a
//! group.

use daybook_tests::{Cast, Server, shows};
use serde_json::{Value, json};

use crate::Case;
use crate::accounts::TYPES;

pub fn tests() -> Vec<Case> {
    crate::cases![
        flags_follow_the_types_of_the_members,
        empty_group_inherits_flags_of_its_ancestor,
        flags_change_with_the_members,
        flags_change_with_the_type_of_a_member,
        archived_accounts_count_for_flags,
        flags_are_equal_in_all_responses,
    ]
}

fn group(cast: &Cast, name: &str) -> Value {
    cast.read(&format!("/groups/{name}"))
}

/// Members of a group itself, and of child groups one and two levels down.
fn flags_follow_the_types_of_the_members(server: &Server) {
    let of_one = TYPES.iter().map(|(kind, permanent, credit)| {
        (vec![*kind], json!({"type": kind, "permanent": permanent, "credit": credit}))
    });
    let mixed = [
        // Equity and net result.
        (vec!["ASSET", "LIABILITY"], true),
        (vec!["INCOMING", "OUTGOING"], false),
        // Permanent and non-permanent under one root are not refused: mixed, not permanent.
        (vec!["ASSET", "OUTGOING"], false),
        // All are credit, yet mixed: credit is false when mixed.
        (vec!["LIABILITY", "INCOMING"], false),
        (vec!["ASSET", "LIABILITY", "INCOMING", "OUTGOING"], false),
    ];
    let of_many = mixed.map(|(kinds, permanent)| {
        (kinds, json!({"type": null, "permanent": permanent, "credit": false}))
    });
    for (kinds, mut expected) in of_one.chain(of_many) {
        expected["mixed"] = json!(kinds.len() > 1);
        let cast = Cast::new(server);
        for name in ["Direct", "Spread"] {
            cast.group(name);
            let empty = json!({"type": null, "permanent": true, "credit": false, "mixed": false});
            shows(&group(&cast, name), &empty);
        }
        for (number, kind) in kinds.iter().enumerate() {
            let (child, grandchild) = (format!("Child {number}"), format!("Grandchild {number}"));
            cast.group_under(&child, "Spread");
            cast.group_under(&grandchild, &child);
            let home = if number % 2 == 0 { &grandchild } else { &child };
            cast.account_in(&format!("Account {number}"), kind, &["Direct", home]);
        }
        for (name, has_groups) in [("direct", false), ("spread", true)] {
            let shown = group(&cast, name);
            shows(&shown, &expected);
            shows(&shown, &json!({"hasAccounts": true, "hasGroups": has_groups}));
        }
    }
}

/// 4.12: of the nearest non-empty ancestor.
fn empty_group_inherits_flags_of_its_ancestor(server: &Server) {
    let cast = Cast::new(server);
    cast.group("Root");
    cast.group_under("Costs", "Root");
    cast.group_under("Empty", "Costs");
    cast.group_under("Emptier", "Empty");
    cast.group_under("Beside", "Root");
    cast.account_in("Card", "LIABILITY", &["Root"]);
    for name in ["costs", "empty", "emptier", "beside"] {
        let shown = group(&cast, name);
        let expected =
            json!({"type": "LIABILITY", "permanent": true, "credit": true, "hasAccounts": false});
        shows(&shown, &expected);
    }
    cast.account_in("Food", "OUTGOING", &["Costs"]);
    for name in ["costs", "empty", "emptier"] {
        shows(
            &group(&cast, name),
            &json!({"type": "OUTGOING", "permanent": false, "credit": false}),
        );
    }
    // The root is mixed now, and Beside inherits that.
    shows(&group(&cast, "beside"), &json!({"type": null, "permanent": false, "credit": false}));
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
    assert_eq!(cast.read("/groups")["items"], json!(single));
    assert_eq!(cast.read("?loadGroups=true")["groups"], json!(single));
    for group in &single {
        let answer = cast.put("/groups", &json!({"id": group["id"]})).ok();
        assert_eq!(&answer, group);
    }
}
