//! Derived flags of groups (4.12): type, permanent, credit and mixed, from the accounts below a
//! group.

use daybook_tests::{Cast, Server, shows};
use serde_json::{Value, json};

use crate::Case;

pub fn tests() -> Vec<Case> {
    let mut cases = crate::cases![
        flags_include_child_groups,
        empty_group_inherits_flags_of_its_ancestor,
        empty_group_under_a_mixed_ancestor_has_no_type,
        flags_change_with_the_members,
        flags_change_with_the_type_of_a_member,
        archived_accounts_count_for_flags,
        flags_are_equal_in_all_responses,
    ];
    for row in TABLE {
        cases.push(Case::shared(
            if row.members.is_empty() {
                "of_nothing".to_owned()
            } else {
                format!("of_{}", row.members.to_lowercase())
            },
            move |server| check_direct_members(server, row),
        ));
        if !row.members.is_empty() {
            cases.push(Case::shared(
                format!("of_{}_spread_over_child_groups", row.members.to_lowercase()),
                move |server| check_members_of_child_groups(server, row),
            ));
        }
    }
    cases
}

/// The types of the members by their first letters, and the expected flags.
struct Row {
    members: &'static str,
    kind: Option<&'static str>,
    permanent: bool,
    credit: bool,
    mixed: bool,
}

const fn row(
    members: &'static str,
    kind: Option<&'static str>,
    permanent: bool,
    credit: bool,
    mixed: bool,
) -> Row {
    Row { members, kind, permanent, credit, mixed }
}

const TABLE: &[Row] = &[
    row("", None, true, false, false),
    row("A", Some("ASSET"), true, false, false),
    row("L", Some("LIABILITY"), true, true, false),
    row("I", Some("INCOMING"), false, true, false),
    row("O", Some("OUTGOING"), false, false, false),
    row("AAA", Some("ASSET"), true, false, false),
    row("LL", Some("LIABILITY"), true, true, false),
    row("II", Some("INCOMING"), false, true, false),
    row("OO", Some("OUTGOING"), false, false, false),
    // Equity and net result.
    row("AL", None, true, false, true),
    row("LLA", None, true, false, true),
    row("IO", None, false, false, true),
    row("OOI", None, false, false, true),
    // Permanent and non-permanent under one root are not refused: mixed, not permanent.
    row("AI", None, false, false, true),
    row("AO", None, false, false, true),
    // All are credit, yet mixed: credit is false when mixed.
    row("LI", None, false, false, true),
    row("LO", None, false, false, true),
    row("ALIO", None, false, false, true),
];

fn kind(letter: char) -> &'static str {
    match letter {
        'A' => "ASSET",
        'L' => "LIABILITY",
        'I' => "INCOMING",
        _ => "OUTGOING",
    }
}

impl Row {
    fn expected(&self) -> Value {
        json!({
            "type": self.kind, "permanent": self.permanent, "credit": self.credit,
            "mixed": self.mixed,
        })
    }
}

fn group(cast: &Cast, name: &str) -> Value {
    cast.owner.get(&cast.path(&format!("/groups/{name}"))).ok()
}

fn check_direct_members(server: &Server, row: &Row) {
    let cast = Cast::new(server);
    cast.group("G");
    for (number, letter) in row.members.chars().enumerate() {
        cast.account_in(&format!("Account {number}"), kind(letter), &["G"]);
    }
    let shown = group(&cast, "g");
    shows(&shown, &row.expected());
    shows(&shown, &json!({"hasAccounts": !row.members.is_empty(), "hasGroups": false}));
}

/// Puts each member into its own child group, alternately one and two levels down.
fn check_members_of_child_groups(server: &Server, row: &Row) {
    let cast = Cast::new(server);
    cast.group("G");
    for (number, letter) in row.members.chars().enumerate() {
        let (child, grandchild) = (format!("Child {number}"), format!("Grandchild {number}"));
        cast.group_under(&child, "G");
        cast.group_under(&grandchild, &child);
        let home = if number % 2 == 0 { grandchild } else { child };
        cast.account_in(&format!("Account {number}"), kind(letter), &[&home]);
    }
    let shown = group(&cast, "g");
    shows(&shown, &row.expected());
    shows(&shown, &json!({"hasGroups": true, "hasAccounts": true}));
}

/// 4.12.
fn flags_include_child_groups(server: &Server) {
    let cast = Cast::new(server);
    cast.group("Root");
    cast.group_under("Costs", "Root");
    cast.group_under("Income", "Root");
    cast.account_in("Food", "OUTGOING", &["Costs"]);
    cast.account_in("Sales", "INCOMING", &["Income"]);
    shows(
        &group(&cast, "costs"),
        &json!({"type": "OUTGOING", "permanent": false, "credit": false, "mixed": false}),
    );
    shows(
        &group(&cast, "income"),
        &json!({"type": "INCOMING", "permanent": false, "credit": true, "mixed": false}),
    );
    shows(
        &group(&cast, "root"),
        &json!({"type": null, "permanent": false, "credit": false, "mixed": true}),
    );
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
        shows(
            &shown,
            &json!({"type": "LIABILITY", "permanent": true, "credit": true, "hasAccounts": false}),
        );
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

fn empty_group_under_a_mixed_ancestor_has_no_type(server: &Server) {
    let cast = Cast::new(server);
    cast.group("Equity");
    cast.group_under("Empty", "Equity");
    cast.account_in("Cash", "ASSET", &["Equity"]);
    cast.account_in("Card", "LIABILITY", &["Equity"]);
    shows(
        &group(&cast, "empty"),
        &json!({"type": null, "permanent": true, "credit": false, "hasAccounts": false}),
    );
}

fn flags_change_with_the_members(server: &Server) {
    let cast = Cast::new(server);
    cast.group("G");
    let account = cast.account_in("Food", "OUTGOING", &["G"]);
    shows(&group(&cast, "g"), &json!({"type": "OUTGOING", "permanent": false}));
    cast.account_in("Cash", "ASSET", &["G"]);
    shows(&group(&cast, "g"), &json!({"type": null, "mixed": true}));
    cast.owner.put(&cast.path("/accounts"), &json!({"id": account["id"], "groups": []})).ok();
    shows(&group(&cast, "g"), &json!({"type": "ASSET", "permanent": true, "mixed": false}));
    let cash = cast.owner.get(&cast.path("/accounts/cash")).ok();
    cast.owner.delete(&cast.path(&format!("/accounts/{}", daybook_tests::id(&cash)))).ok();
    shows(
        &group(&cast, "g"),
        &json!({
            "type": null, "permanent": true, "credit": false, "mixed": false, "hasAccounts": false,
        }),
    );
}

fn flags_change_with_the_type_of_a_member(server: &Server) {
    let cast = Cast::new(server);
    cast.group("G");
    let account = cast.account_in("A", "OUTGOING", &["G"]);
    for (kind, permanent, credit) in crate::accounts::TYPES {
        cast.owner.put(&cast.path("/accounts"), &json!({"id": account["id"], "type": kind})).ok();
        shows(&group(&cast, "g"), &json!({"type": kind, "permanent": permanent, "credit": credit}));
    }
}

/// 4.8.
fn archived_accounts_count_for_flags(server: &Server) {
    let cast = Cast::new(server);
    cast.group("G");
    cast.account_in("Food", "OUTGOING", &["G"]);
    cast.owner.put(&cast.path("/accounts"), &json!({"name": "Food", "archived": true})).ok();
    shows(
        &group(&cast, "g"),
        &json!({"type": "OUTGOING", "permanent": false, "hasAccounts": true}),
    );
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
    assert_eq!(cast.owner.get(&cast.path("/groups")).ok()["items"], json!(single));
    assert_eq!(cast.owner.get(&cast.path("?loadGroups=true")).ok()["groups"], json!(single));
    for group in &single {
        let answer = cast.owner.put(&cast.path("/groups"), &json!({"id": group["id"]})).ok();
        assert_eq!(&answer, group);
    }
}
