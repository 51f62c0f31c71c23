//! Accounts (4.1 - 4.19): create, type inference, read, list, delete and archive.

use daybook_tests::{Cast, Server, column, id, shows};
use serde_json::{Value, json};

use crate::Case;

pub fn tests() -> Vec<Case> {
    let mut cases = crate::cases![
        create_with_only_a_name_makes_an_asset,
        create_returns_every_field,
        create_ignores_read_only_fields_of_the_body,
        permanent_and_credit_are_ignored_when_type_is_given,
        permanent_or_credit_alone_does_not_set_the_type,
        type_defaults_to_that_of_the_groups,
        groups_resolve_by_id_and_by_name,
        unknown_groups_are_refused,
        account_shows_its_groups_in_full,
        account_groups_lists_direct_groups_only,
        list_is_ordered_by_normalized_name,
        delete_returns_the_account,
        delete_of_an_account_with_postings_is_refused,
        delete_clears_the_account_in_drafts,
        name_of_a_deleted_account_can_be_reused,
        has_transaction_posted_stays_true_after_trash,
        archived_account_keeps_list_entry_and_balance,
        posting_to_an_archived_account_is_refused,
    ];
    for (kind, permanent, credit) in TYPES {
        cases.push(Case::shared(format!("type_{}", kind.to_lowercase()), move |server| {
            type_sets_permanent_and_credit(server, kind, *permanent, *credit)
        }));
        cases.push(Case::shared(format!("pair_gives_{}", kind.to_lowercase()), move |server| {
            permanent_and_credit_set_the_type(server, kind, *permanent, *credit)
        }));
    }
    cases
}

/// 4.1: type, permanent, credit.
pub const TYPES: &[(&str, bool, bool)] = &[
    ("ASSET", true, false),
    ("LIABILITY", true, true),
    ("INCOMING", false, true),
    ("OUTGOING", false, false),
];

fn type_sets_permanent_and_credit(server: &Server, kind: &str, permanent: bool, credit: bool) {
    let cast = Cast::new(server);
    let account = cast.account("A", kind);
    let expected = json!({"type": kind, "permanent": permanent, "credit": credit});
    shows(&account, &expected);
    shows(&cast.owner.get(&cast.path("/accounts/a")).ok(), &expected);
}

/// 4.1: without `type`, `permanent` and `credit` together give the type and take precedence over
/// the groups (4.2).
fn permanent_and_credit_set_the_type(server: &Server, kind: &str, permanent: bool, credit: bool) {
    let cast = Cast::new(server);
    cast.group("G");
    cast.account_in("Access", if kind == "ASSET" { "OUTGOING" } else { "ASSET" }, &["G"]);
    let body =
        json!({"name": "A", "permanent": permanent, "credit": credit, "groups": [{"name": "G"}]});
    let account = cast.owner.post(&cast.path("/accounts"), &body).ok();
    shows(&account, &json!({"type": kind, "permanent": permanent, "credit": credit}));
}

/// 4.2.
fn create_with_only_a_name_makes_an_asset(server: &Server) {
    let cast = Cast::new(server);
    let account = cast.owner.post(&cast.path("/accounts"), &json!({"name": "Cash"})).ok();
    shows(&account, &json!({"name": "Cash", "type": "ASSET"}));
}

fn create_returns_every_field(server: &Server) {
    let cast = Cast::new(server);
    let body = json!({
        "name": "Credit Card", "type": "LIABILITY", "archived": false,
        "properties": {"limit": "5000"},
    });
    let account = cast.owner.post(&cast.path("/accounts"), &body).ok();
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
    for name in [id(&account), "credit_card", "Credit%20Card", "CREDIT-CARD"] {
        assert_eq!(
            cast.owner.get(&cast.path(&format!("/accounts/{name}"))).ok(),
            account,
            "4.4: {name}"
        );
    }
    assert_eq!(cast.owner.get(&cast.path("/accounts")).ok()["items"], json!([account]));
}

/// 9.13, 4.11.
fn create_ignores_read_only_fields_of_the_body(server: &Server) {
    let cast = Cast::new(server);
    let body = json!({
        "id": "12345678901", "name": "Cash", "normalizedName": "other", "balance": "5",
        "balanceVerified": false,
        "hasTransactionPosted": true, "agentId": "forged", "createdAt": "1", "updatedAt": "1",
    });
    let account = cast.owner.post(&cast.path("/accounts"), &body).ok();
    shows(
        &account,
        &json!({
            "normalizedName": "cash", "balanceVerified": true, "hasTransactionPosted": false,
            "balance": null,
        }),
    );
    for field in ["id", "agentId", "createdAt", "updatedAt"] {
        assert_ne!(account[field], body[field], "{field}");
    }
}

/// 4.1.
fn permanent_and_credit_are_ignored_when_type_is_given(server: &Server) {
    let cast = Cast::new(server);
    let body = json!({"name": "A", "type": "OUTGOING", "permanent": true, "credit": true});
    let account = cast.owner.post(&cast.path("/accounts"), &body).ok();
    let expected = json!({"type": "OUTGOING", "permanent": false, "credit": false});
    shows(&account, &expected);
    let body = json!({"id": id(&account), "permanent": true, "credit": true});
    shows(&cast.owner.put(&cast.path("/accounts"), &body).ok(), &expected);
}

/// 4.1: both must be present; otherwise 4.2 applies.
fn permanent_or_credit_alone_does_not_set_the_type(server: &Server) {
    let cast = Cast::new(server);
    for (name, body) in [
        ("A", json!({"permanent": false})),
        ("B", json!({"credit": true})),
        ("C", json!({"permanent": null, "credit": true})),
    ] {
        let mut body = body;
        body["name"] = json!(name);
        let account = cast.owner.post(&cast.path("/accounts"), &body).ok();
        shows(&account, &json!({"type": "ASSET", "permanent": true, "credit": false}));
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
        let account = cast.owner.post(&cast.path("/accounts"), &body).ok();
        assert_eq!(account["type"], expected, "{groups:?}");
        // It must not influence the type of the next account.
        cast.owner.delete(&cast.path(&format!("/accounts/{}", id(&account)))).ok();
    }
}

/// 4.9.
fn groups_resolve_by_id_and_by_name(server: &Server) {
    let cast = Cast::new(server);
    let assets = cast.group("Current Assets");
    cast.group("Liquid");
    let groups =
        json!([{"id": assets["id"]}, {"name": "LIQUID"}, {"name": "current_assets"}, assets]);
    let account =
        cast.owner.post(&cast.path("/accounts"), &json!({"name": "Cash", "groups": groups})).ok();
    let mut names: Vec<&str> = account["groups"]
        .as_array()
        .expect("groups")
        .iter()
        .filter_map(|group| group["name"].as_str())
        .collect();
    names.sort_unstable();
    assert_eq!(names, ["Current Assets", "Liquid"], "each group once");
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
            .owner
            .post(&cast.path("/accounts"), &json!({"name": "Cash", "groups": [group]}))
            .refused(400, "badRequest");
        assert!(message.contains(&format!("Group not found: {named}")), "{message}");
        let body = json!({"id": id(&account), "name": "Moved", "groups": [group]});
        let message = cast.owner.put(&cast.path("/accounts"), &body).refused(400, "badRequest");
        assert!(message.contains(&format!("Group not found: {named}")), "{message}");
    }
    assert_eq!(column(&cast.owner.get(&cast.path("/accounts")).ok(), "name"), ["Bank"]);
}

/// 4.18: at least id, name, normalizedName, properties, parent (with id), hidden.
fn account_shows_its_groups_in_full(server: &Server) {
    let cast = Cast::new(server);
    let root = cast.group("Root");
    let body = json!({
        "name": "Sub Group", "parent": {"id": root["id"]}, "hidden": true,
        "properties": {"code": "7"},
    });
    let group = cast.owner.post(&cast.path("/groups"), &body).ok();
    let created = cast.account_in("Cash", "ASSET", &["Sub Group"]);
    let read = cast.owner.get(&cast.path("/accounts/cash")).ok();
    let listed = cast.owner.get(&cast.path("/accounts")).ok()["items"][0].clone();
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
        let groups = cast.owner.get(&cast.path(&format!("/accounts/{name}/groups"))).ok();
        let mut names = column(&groups, "name");
        names.sort();
        assert_eq!(names, ["Leaf", "Other"], "{name}");
    }
    assert_eq!(cast.owner.get(&cast.path("/accounts/bank/groups")).ok()["items"], json!([]));
}

/// 4.19.
fn list_is_ordered_by_normalized_name(server: &Server) {
    let cast = Cast::new(server);
    for name in
        ["beta", "Álpha", "Gamma 10", "Gamma 2", "alpha-b", "Beta b", "Zeta", "étage", "100 First"]
    {
        cast.account(name, "ASSET");
    }
    let listed = cast.owner.get(&cast.path("/accounts")).ok();
    let normalized = column(&listed, "normalizedName");
    let mut sorted = normalized.clone();
    sorted.sort();
    assert_eq!(normalized, sorted);
    assert_eq!(normalized[0], "100_first");
    let embedded = cast.owner.get(&cast.path("?loadAccounts=true")).ok();
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
    cast.owner.get(&cast.path("/accounts/cash")).refused(404, "notFound");
    assert_eq!(cast.owner.get(&cast.path("/accounts")).ok()["items"], json!([]));
    assert_eq!(cast.owner.get(&cast.path("/groups/assets")).ok()["hasAccounts"], false);
}

/// 4.7: also when all postings are in the trash.
fn delete_of_an_account_with_postings_is_refused(server: &Server) {
    let cast = Cast::new(server);
    let accounts = [cast.account("Cash", "ASSET"), cast.account("Food", "OUTGOING")];
    let transaction = cast.record("2025-01-31", "5", "Cash", "Food", "Lunch");
    let refuse_both = || {
        for account in &accounts {
            cast.owner
                .delete(&cast.path(&format!("/accounts/{}", id(account))))
                .refused(400, "badRequest");
            cast.owner.get(&cast.path(&format!("/accounts/{}", id(account)))).ok();
        }
    };
    refuse_both();
    cast.owner.patch(&cast.path("/transactions/trash"), &json!({"id": transaction["id"]})).ok();
    refuse_both();
}

/// 4.7: drafts that use the account lose that side.
fn delete_clears_the_account_in_drafts(server: &Server) {
    let cast = Cast::with_settings(server, json!({"autoPost": false}));
    let cash = cast.account("Cash", "ASSET");
    cast.account("Food", "OUTGOING");
    let draft = cast.record("2025-01-31", "5", "Cash", "Food", "Lunch");
    let trashed = cast.record("2025-01-31", "6", "Food", "Cash", "Trashed");
    cast.owner.patch(&cast.path("/transactions/trash"), &json!({"id": trashed["id"]})).ok();
    cast.owner.delete(&cast.path(&format!("/accounts/{}", id(&cash)))).ok();
    let read = |transaction: &Value| {
        cast.owner.get(&cast.path(&format!("/transactions/{}", id(transaction)))).ok()
    };
    let now = read(&draft);
    shows(&now, &json!({"amount": "5.00", "date": "2025-01-31", "creditAccount": null}));
    assert_eq!(now["debitAccount"]["name"], "Food");
    shows(&read(&trashed), &json!({"debitAccount": null}));
    cast.owner
        .patch(&cast.path("/transactions/post"), &json!({"id": draft["id"]}))
        .refused(400, "badRequest");
}

/// 4.7.
fn name_of_a_deleted_account_can_be_reused(server: &Server) {
    let cast = Cast::new(server);
    let first = cast.account("Cash", "ASSET");
    cast.owner.delete(&cast.path(&format!("/accounts/{}", id(&first)))).ok();
    let second = cast.account("Cash", "ASSET");
    assert_ne!(first["id"], second["id"]);
    assert_eq!(cast.owner.get(&cast.path("/accounts/cash")).ok()["id"], second["id"]);
}

/// 4.7: true after the first posting; drafts do not count.
fn has_transaction_posted_stays_true_after_trash(server: &Server) {
    let cast = Cast::new(server);
    cast.account("Cash", "ASSET");
    cast.account("Food", "OUTGOING");
    let posted =
        || cast.owner.get(&cast.path("/accounts/food")).ok()["hasTransactionPosted"].clone();
    cast.record("2025-01-31", "", "Cash", "Food", "A draft");
    assert_eq!(posted(), false);
    let transaction = cast.record("2025-01-31", "5", "Cash", "Food", "Lunch");
    assert_eq!(posted(), true);
    cast.owner.patch(&cast.path("/transactions/trash"), &json!({"id": transaction["id"]})).ok();
    assert_eq!(posted(), true);
}

/// 4.8.
fn archived_account_keeps_list_entry_and_balance(server: &Server) {
    let cast = Cast::new(server);
    let cash = cast.account("Cash", "ASSET");
    cast.account("Food", "OUTGOING");
    cast.record("2025-01-31", "5", "Cash", "Food", "Lunch");
    let archived =
        cast.owner.put(&cast.path("/accounts"), &json!({"id": cash["id"], "archived": true})).ok();
    assert_eq!(archived["archived"], true);
    assert_eq!(column(&cast.owner.get(&cast.path("/accounts")).ok(), "name"), ["Cash", "Food"]);
    let balances = cast.owner.get(&cast.path("/balances?query=account:Cash")).ok();
    shows(&balances["accountBalances"][0], &json!({"cumulativeBalance": "5.00", "archived": true}));
    let back =
        cast.owner.put(&cast.path("/accounts"), &json!({"id": cash["id"], "archived": false})).ok();
    assert_eq!(back["archived"], false);
}

/// 4.8: posting is refused with 400; drafts and changes of existing postings are allowed.
fn posting_to_an_archived_account_is_refused(server: &Server) {
    let cast = Cast::new(server);
    cast.account("Cash", "ASSET");
    cast.account("Food", "OUTGOING");
    let old = cast.record("2025-01-31", "5", "Cash", "Food", "Old");
    cast.owner.put(&cast.path("/accounts"), &json!({"name": "Food", "archived": true})).ok();
    let transactions = cast.path("/transactions");
    let body = json!({
        "date": "2025-02-01", "amount": "1", "creditAccount": {"name": "Cash"},
        "debitAccount": {"name": "Food"},
    });
    cast.owner.post(&transactions, &body).refused(400, "badRequest");
    let mut draft = body;
    draft["draft"] = json!(true);
    let draft = cast.owner.post(&transactions, &draft).ok()["transaction"].clone();
    cast.owner
        .patch(&cast.path("/transactions/post"), &json!({"id": draft["id"]}))
        .refused(400, "badRequest");
    cast.owner.put(&transactions, &json!({"id": old["id"], "amount": "7"})).ok();
    for verb in ["check", "uncheck", "trash", "untrash"] {
        cast.owner
            .patch(&cast.path(&format!("/transactions/{verb}")), &json!({"id": old["id"]}))
            .ok();
    }
    let balances = cast.owner.get(&cast.path("/balances?query=account:Cash")).ok();
    assert_eq!(balances["accountBalances"][0]["cumulativeBalance"], "7.00");
}
