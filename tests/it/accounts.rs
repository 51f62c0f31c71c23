//! Accounts (4.1 - 4.19): create, type inference, read, list, delete and archive.

use daybook_tests::{CASH_AND_FOOD, Cast, Server, column, id, shows};
use serde_json::{Value, json};

use crate::Case;

pub fn tests() -> Vec<Case> {
    crate::cases![
        type_sets_permanent_and_credit,
        permanent_and_credit_set_the_type,
        permanent_and_credit_do_not_change_the_type,
        create_returns_every_field,
        create_ignores_read_only_fields_of_the_body,
        permanent_or_credit_alone_does_not_set_the_type,
        type_defaults_to_that_of_the_groups,
        unknown_groups_are_refused,
        account_shows_its_groups_in_full,
        account_groups_lists_direct_groups_only,
        list_is_ordered_by_normalized_name,
        delete_returns_the_account,
        delete_of_an_account_with_postings_is_refused,
        delete_clears_the_account_in_drafts,
        has_transaction_posted_stays_true_after_trash,
        archived_account_keeps_list_entry_and_balance,
    ]
}

/// 4.1: type, permanent, credit.
pub const TYPES: &[(&str, bool, bool)] = &[
    ("ASSET", true, false),
    ("LIABILITY", true, true),
    ("INCOMING", false, true),
    ("OUTGOING", false, false),
];

fn type_sets_permanent_and_credit(server: &Server) {
    let cast = Cast::new(server);
    for (kind, permanent, credit) in TYPES {
        let expected = json!({"type": kind, "permanent": permanent, "credit": credit});
        shows(&cast.account(kind, kind), &expected);
        shows(&cast.read(&format!("/accounts/{kind}")), &expected);
    }
}

/// 4.1: without `type`, `permanent` and `credit` together give the type and take precedence over
/// the groups (4.2).
fn permanent_and_credit_set_the_type(server: &Server) {
    let cast = Cast::new(server);
    for (kind, permanent, credit) in TYPES {
        cast.group(kind);
        let other = if *kind == "ASSET" { "OUTGOING" } else { "ASSET" };
        cast.account_in(&format!("Access {kind}"), other, &[kind]);
        let body = json!({
            "name": kind, "permanent": permanent, "credit": credit, "groups": [{"name": kind}],
        });
        let expected = json!({"type": kind, "permanent": permanent, "credit": credit});
        shows(&cast.post("/accounts", &body).ok(), &expected);
    }
}

/// 4.1: `permanent` and `credit` are ignored for an account that has a type.
fn permanent_and_credit_do_not_change_the_type(server: &Server) {
    let cast = Cast::new(server);
    let account = cast.account("A", "OUTGOING");
    let body = json!({"id": id(&account), "permanent": true, "credit": true});
    let expected = json!({"type": "OUTGOING", "permanent": false, "credit": false});
    shows(&cast.put("/accounts", &body).ok(), &expected);
}

fn create_returns_every_field(server: &Server) {
    let cast = Cast::new(server);
    let body = json!({
        "name": "Credit Card", "type": "LIABILITY", "archived": false,
        "properties": {"limit": "5000"},
    });
    let account = cast.post("/accounts", &body).ok();
    let expected = json!({
        "name": "Credit Card",
        "normalizedName": "credit_card",
        "type": "LIABILITY",
        "permanent": true,
        "credit": true,
        "archived": false,
        "hasTransactionPosted": false,
        "balanceVerified": true,
        "groups": [],
        "properties": {"limit": "5000"},
        "balance": null,
    });
    shows(&account, &expected);
    assert_eq!(cast.read("/accounts")["items"], json!([account]));
}

/// 9.13, 4.11.
fn create_ignores_read_only_fields_of_the_body(server: &Server) {
    let cast = Cast::new(server);
    let body = json!({
        "id": "12345678901", "name": "Cash", "normalizedName": "other", "balance": "5",
        "balanceVerified": false,
        "hasTransactionPosted": true, "agentId": "forged", "createdAt": "1", "updatedAt": "1",
    });
    let account = cast.post("/accounts", &body).ok();
    let expected = json!({
        "normalizedName": "cash", "balanceVerified": true, "hasTransactionPosted": false,
        "balance": null,
    });
    shows(&account, &expected);
    for field in ["id", "agentId", "createdAt", "updatedAt"] {
        assert_ne!(account[field], body[field], "{field}");
    }
}

/// 4.1: without `type` both must be present, otherwise 4.2 applies. A given type takes precedence.
fn permanent_or_credit_alone_does_not_set_the_type(server: &Server) {
    let cast = Cast::new(server);
    let asset = json!({"type": "ASSET", "permanent": true, "credit": false});
    let outgoing = json!({"type": "OUTGOING", "permanent": false, "credit": false});
    for (name, mut body, expected) in [
        ("Plain", json!({}), &asset),
        ("A", json!({"permanent": false}), &asset),
        ("B", json!({"credit": true}), &asset),
        ("C", json!({"permanent": null, "credit": true}), &asset),
        ("D", json!({"type": "OUTGOING", "permanent": true, "credit": true}), &outgoing),
    ] {
        body["name"] = json!(name);
        let account = cast.post("/accounts", &body).ok();
        shows(&account, expected);
        let change = json!({"id": id(&account), "type": account["type"], "permanent": false});
        shows(&cast.put("/accounts", &change).ok(), expected);
    }
}

/// 4.2: groups that agree on one type give that type; otherwise ASSET.
fn type_defaults_to_that_of_the_groups(server: &Server) {
    let cast = Cast::new(server);
    for name in ["Costs", "More costs", "Income", "Both", "Empty"] {
        cast.group(name);
    }
    cast.group_under("Child of costs", "Costs");
    cast.account_in("Food", "OUTGOING", &["Costs", "More costs", "Both"]);
    cast.account_in("Sales", "INCOMING", &["Income", "Both"]);
    let table: [(&[&str], &str); 8] = [
        (&["Costs"], "OUTGOING"),
        (&["Income"], "INCOMING"),
        (&["Costs", "More costs"], "OUTGOING"),
        (&["Costs", "Income"], "ASSET"),
        (&["Both"], "ASSET"),
        (&["Empty"], "ASSET"),
        // 4.12: an empty group takes the type of its nearest non-empty ancestor.
        (&["Child of costs"], "OUTGOING"),
        (&[], "ASSET"),
    ];
    for (number, (groups, expected)) in table.into_iter().enumerate() {
        let groups: Vec<Value> = groups.iter().map(|name| json!({"name": name})).collect();
        let body = json!({"name": format!("Account {number}"), "groups": groups});
        let account = cast.post("/accounts", &body).ok();
        assert_eq!(account["type"], expected, "{groups:?}");
        // It must not influence the type of the next account.
        cast.delete(&format!("/accounts/{}", id(&account))).ok();
    }
}

/// 4.9: unknown answers 400 `Group not found: X`.
fn unknown_groups_are_refused(server: &Server) {
    let (cast, other) = (Cast::new(server), Cast::new(server));
    let foreign = other.group("Foreign");
    let account = cast.account("Bank", "ASSET");
    for (group, named) in
        [(json!({"name": "Nowhere"}), "Nowhere"), (json!({"id": foreign["id"]}), id(&foreign))]
    {
        let message = cast
            .post("/accounts", &json!({"name": "Cash", "groups": [group]}))
            .refused(400, "badRequest");
        assert!(message.contains(&format!("Group not found: {named}")), "{message}");
        let body = json!({"id": id(&account), "name": "Moved", "groups": [group]});
        let message = cast.put("/accounts", &body).refused(400, "badRequest");
        assert!(message.contains(&format!("Group not found: {named}")), "{message}");
    }
    assert_eq!(column(&cast.read("/accounts"), "name"), ["Bank"]);
}

/// 4.18: at least id, name, normalizedName, properties, parent (with id), hidden.
fn account_shows_its_groups_in_full(server: &Server) {
    let cast = Cast::new(server);
    let root = cast.group("Root");
    let body = json!({
        "name": "Sub Group", "parent": {"id": root["id"]}, "hidden": true,
        "properties": {"code": "7"},
    });
    let group = cast.post("/groups", &body).ok();
    let created = cast.account_in("Cash", "ASSET", &["Sub Group"]);
    let read = cast.read("/accounts/cash");
    let listed = cast.read("/accounts")["items"][0].clone();
    for account in [created, read, listed] {
        let groups = account["groups"].as_array().expect("4.18: groups");
        assert_eq!(groups.len(), 1, "4.13: only direct groups: {account}");
        let expected = json!({
            "id": group["id"], "name": "Sub Group", "normalizedName": "sub_group",
            "properties": {"code": "7"}, "hidden": true,
        });
        shows(&groups[0], &expected);
        assert_eq!(groups[0]["parent"]["id"], root["id"], "{account}");
    }
}

/// 4.17: listAccountGroups takes id or name and returns direct groups only.
fn account_groups_lists_direct_groups_only(server: &Server) {
    let cast = Cast::new(server);
    cast.group("Root");
    cast.group_under("Middle", "Root");
    cast.group_under("Leaf", "Middle");
    cast.group("Other");
    let account = cast.account_in("My Cash", "ASSET", &["Leaf", "Other"]);
    cast.account("Bank", "ASSET");
    for name in [id(&account), "my_cash", "My%20Cash"] {
        let groups = cast.read(&format!("/accounts/{name}/groups"));
        let mut names = column(&groups, "name");
        names.sort();
        assert_eq!(names, ["Leaf", "Other"], "{name}");
    }
    assert_eq!(cast.read("/accounts/bank/groups")["items"], json!([]));
}

/// 4.19.
fn list_is_ordered_by_normalized_name(server: &Server) {
    let cast = Cast::new(server);
    for name in
        ["beta", "Álpha", "Gamma 10", "Gamma 2", "alpha-b", "Beta b", "Zeta", "étage", "100 First"]
    {
        cast.account(name, "ASSET");
    }
    let listed = cast.read("/accounts");
    let normalized = column(&listed, "normalizedName");
    let mut sorted = normalized.clone();
    sorted.sort();
    assert_eq!(normalized, sorted);
    assert_eq!(normalized[0], "100_first");
    let embedded = cast.read("?loadAccounts=true");
    assert_eq!(embedded["accounts"], listed["items"]);
}

/// 4.7: the answer is the deleted account.
fn delete_returns_the_account(server: &Server) {
    let cast = Cast::new(server);
    cast.group("Assets");
    let account = cast.account_in("Cash", "ASSET", &["Assets"]);
    let path = cast.path(&format!("/accounts/{}", id(&account)));
    let deleted = cast.owner.delete(&path).ok();
    shows(&deleted, &json!({"id": account["id"], "name": "Cash", "type": "ASSET"}));
    cast.owner.get(&path).refused(404, "notFound");
    cast.get("/accounts/cash").refused(404, "notFound");
    assert_eq!(cast.read("/accounts")["items"], json!([]));
    assert_eq!(cast.read("/groups/assets")["hasAccounts"], false);
    let next = cast.account("Cash", "ASSET");
    assert_ne!(next["id"], account["id"]);
    assert_eq!(cast.read("/accounts/cash")["id"], next["id"], "the name can be reused");
}

/// 4.7: also when all postings are in the trash.
fn delete_of_an_account_with_postings_is_refused(server: &Server) {
    let cast = Cast::new(server);
    let accounts = [cast.account("Cash", "ASSET"), cast.account("Food", "OUTGOING")];
    let transaction = cast.record("2025-01-31", "5", "Cash", "Food", "Lunch");
    let refuse_both = || {
        for account in &accounts {
            cast.delete(&format!("/accounts/{}", id(account))).refused(400, "badRequest");
            cast.read(&format!("/accounts/{}", id(account)));
        }
    };
    refuse_both();
    cast.patch("/transactions/trash", &json!({"id": transaction["id"]})).ok();
    refuse_both();
}

/// 4.7: drafts that use the account lose that side.
fn delete_clears_the_account_in_drafts(server: &Server) {
    let cast = Cast::with_settings(server, json!({"autoPost": false}));
    let cash = cast.account("Cash", "ASSET");
    cast.account("Food", "OUTGOING");
    let draft = cast.record("2025-01-31", "5", "Cash", "Food", "Lunch");
    let trashed = cast.record("2025-01-31", "6", "Food", "Cash", "Trashed");
    cast.patch("/transactions/trash", &json!({"id": trashed["id"]})).ok();
    cast.delete(&format!("/accounts/{}", id(&cash))).ok();
    let read = |transaction: &Value| cast.read(&format!("/transactions/{}", id(transaction)));
    let now = read(&draft);
    shows(&now, &json!({"amount": "5.00", "date": "2025-01-31", "creditAccount": null}));
    assert_eq!(now["debitAccount"]["name"], "Food");
    shows(&read(&trashed), &json!({"debitAccount": null}));
    cast.patch("/transactions/post", &json!({"id": draft["id"]})).refused(400, "badRequest");
}

/// 4.7: true after the first posting; drafts do not count.
fn has_transaction_posted_stays_true_after_trash(server: &Server) {
    let cast = Cast::with_accounts(server, &CASH_AND_FOOD);
    let posted = || cast.read("/accounts/food")["hasTransactionPosted"].clone();
    cast.record("2025-01-31", "", "Cash", "Food", "A draft");
    assert_eq!(posted(), false);
    let transaction = cast.record("2025-01-31", "5", "Cash", "Food", "Lunch");
    assert_eq!(posted(), true);
    cast.patch("/transactions/trash", &json!({"id": transaction["id"]})).ok();
    assert_eq!(posted(), true);
}

/// 4.8.
fn archived_account_keeps_list_entry_and_balance(server: &Server) {
    let cast = Cast::new(server);
    let cash = cast.account("Cash", "ASSET");
    cast.account("Food", "OUTGOING");
    cast.record("2025-01-31", "5", "Cash", "Food", "Lunch");
    let archived = cast.put("/accounts", &json!({"id": cash["id"], "archived": true})).ok();
    assert_eq!(archived["archived"], true);
    assert_eq!(column(&cast.read("/accounts"), "name"), ["Cash", "Food"]);
    let balances = cast.read("/balances?query=account:Cash");
    shows(&balances["accountBalances"][0], &json!({"cumulativeBalance": "5.00", "archived": true}));
    let back = cast.put("/accounts", &json!({"id": cash["id"], "archived": false})).ok();
    assert_eq!(back["archived"], false);
}
