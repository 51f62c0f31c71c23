//! updateAccount (4.9, 4.10, 3.5.7): absent fields stay, whole objects can be sent back, and
//! `groups` replaces the membership.

use daybook_tests::{Cast, Server, id, shows};
use serde_json::{Value, json};

use crate::Case;
use crate::accounts::TYPES;

pub fn tests() -> Vec<Case> {
    let mut cases = crate::cases![
        sparse_update_keeps_absent_fields,
        update_without_id_resolves_by_name,
        update_with_id_takes_name_as_new_name,
        empty_groups_list_clears_membership,
        round_trip_changes_nothing,
        whole_object_without_groups_clears_membership,
        sparse_update_without_groups_keeps_membership,
        groups_list_replaces_membership,
        groups_resolve_by_id_before_name,
        rename_and_retype_ignore_locked_dates,
        read_only_fields_are_ignored,
        renamed_account_is_shown_in_transactions_and_book,
        update_that_changes_nothing_has_no_event,
    ];
    for (from, ..) in TYPES {
        for (to, permanent, credit) in TYPES {
            cases.push(Case::shared(
                format!("{}_becomes_{}", from.to_lowercase(), to.to_lowercase()),
                move |server| retype(server, from, to, *permanent, *credit),
            ));
        }
    }
    cases
}

/// Creates an account with a value in every writable field, in group `Assets`.
fn create_full_account(server: &Server) -> (Cast, Value) {
    let cast = Cast::new(server);
    cast.group("Assets");
    cast.group("Liquid");
    let body = json!({
        "name": "Cash", "type": "ASSET", "archived": true, "groups": [{"name": "Assets"}],
        "properties": {"code": "10"},
    });
    let account = cast.owner.post(&cast.path("/accounts"), &body).ok();
    (cast, account)
}

fn put(cast: &Cast, body: &Value) -> Value {
    let answer = cast.owner.put(&cast.path("/accounts"), body).ok();
    let read = cast.owner.get(&cast.path(&format!("/accounts/{}", id(&answer)))).ok();
    assert_eq!(read, answer, "the answer is what is stored");
    answer
}

fn group_names(account: &Value) -> Vec<&str> {
    let groups = account["groups"].as_array().expect("4.18: groups");
    let mut names: Vec<&str> = groups.iter().filter_map(|group| group["name"].as_str()).collect();
    names.sort_unstable();
    names
}

/// 4.9: absent = unchanged, field by field.
fn sparse_update_keeps_absent_fields(server: &Server) {
    let (cast, account) = create_full_account(server);
    let changes = [
        json!({"name": "Purse"}),
        json!({"type": "LIABILITY"}),
        json!({"archived": false}),
        json!({"groups": [{"name": "Liquid"}]}),
        json!({"properties": {"colour": "red"}}),
        json!({}),
    ];
    let mut expected = account.clone();
    for change in changes {
        let mut body = change.clone();
        body["id"] = account["id"].clone();
        let updated = put(&cast, &body);
        for (field, value) in change.as_object().expect("an object") {
            match field.as_str() {
                "groups" => assert_eq!(group_names(&updated), ["Liquid"]),
                "properties" => {
                    assert_eq!(updated["properties"], json!({"code": "10", "colour": "red"}))
                }
                field => assert_eq!(&updated[field], value),
            }
            expected[field] = updated[field].clone();
        }
        for field in ["name", "type", "archived", "groups", "properties", "createdAt"] {
            assert_eq!(updated[field], expected[field], "{field} after {change}");
        }
    }
}

/// Returns `previousAttributes` of the last events, newest first.
fn last_previous_attributes(cast: &Cast, count: usize) -> Vec<Value> {
    let events = cast.owner.get(&cast.path(&format!("/events?limit={count}"))).ok();
    events["items"]
        .as_array()
        .expect("events")
        .iter()
        .map(|event| event["data"]["previousAttributes"].clone())
        .collect()
}

/// 4.9, 4.21: a body without an id finds the account by normalized name and keeps its spelling.
fn update_without_id_resolves_by_name(server: &Server) {
    let (cast, account) = create_full_account(server);
    let mut previous_spelling = "";
    for name in ["Cash", "CASH", "cash"] {
        let updated = put(&cast, &json!({"name": name, "properties": {"by": name}}));
        shows(
            &updated,
            &json!({
                "id": account["id"], "name": "Cash", "normalizedName": "cash", "archived": true,
            }),
        );
        assert_eq!(updated["properties"]["by"], name);
        assert_eq!(last_previous_attributes(&cast, 1), [json!({"by": previous_spelling})]);
        previous_spelling = name;
    }
    // The same holds in a batch. With an id, another spelling is a new name.
    let list = json!({
        "items": [{"name": "CASH", "archived": false}, {"id": account["id"], "name": "CASH"}],
    });
    let updated = cast.owner.put(&cast.path("/accounts/batch"), &list).ok();
    shows(&updated["items"][1], &json!({"id": account["id"], "name": "CASH", "archived": false}));
    assert_eq!(
        last_previous_attributes(&cast, 2),
        [json!({"name": "Cash"}), json!({"archived": "true", "active": "false"})]
    );
    cast.owner
        .put(&cast.path("/accounts"), &json!({"name": "Unknown", "archived": true}))
        .refused(404, "notFound");
}

/// With an id the name is the new name.
fn update_with_id_takes_name_as_new_name(server: &Server) {
    let (cast, account) = create_full_account(server);
    let other = cast.account("Other", "ASSET");
    let updated = put(&cast, &json!({"id": other["id"], "name": "Purse"}));
    shows(&updated, &json!({"id": other["id"], "name": "Purse"}));
    assert_eq!(cast.owner.get(&cast.path("/accounts/cash")).ok()["id"], account["id"]);
}

/// 4.9: an empty list counts as present.
fn empty_groups_list_clears_membership(server: &Server) {
    let (cast, account) = create_full_account(server);
    let updated = put(&cast, &json!({"id": account["id"], "groups": []}));
    assert_eq!(updated["groups"], json!([]));
    assert_eq!(cast.owner.get(&cast.path("/groups/assets/accounts")).ok()["items"], json!([]));
    shows(
        &updated,
        &json!({"name": "Cash", "type": "ASSET", "archived": true, "properties": {"code": "10"}}),
    );
}

/// Clients send back whole objects.
fn round_trip_changes_nothing(server: &Server) {
    let (cast, account) = create_full_account(server);
    let updated = put(&cast, &account);
    let compared = |account: &Value| {
        let mut account = account.clone();
        account["updatedAt"] = Value::Null;
        account
    };
    assert_eq!(compared(&updated), compared(&account));
}

/// 4.9: clients omit the key when the list becomes empty.
fn whole_object_without_groups_clears_membership(server: &Server) {
    let (cast, account) = create_full_account(server);
    let mut body = account;
    body.as_object_mut().expect("an object").remove("groups");
    assert_eq!(put(&cast, &body)["groups"], json!([]));
    assert_eq!(cast.owner.get(&cast.path("/groups/assets")).ok()["hasAccounts"], false);
}

/// 4.9: sparse bodies have no `createdAt`.
fn sparse_update_without_groups_keeps_membership(server: &Server) {
    let (cast, account) = create_full_account(server);
    assert_eq!(
        group_names(&put(&cast, &json!({"id": account["id"], "name": "Purse"}))),
        ["Assets"]
    );
}

/// 4.9: `groups` present replaces the membership; by id or name, each group once.
fn groups_list_replaces_membership(server: &Server) {
    let (cast, account) = create_full_account(server);
    let liquid = cast.owner.get(&cast.path("/groups/liquid")).ok();
    let table: [(Value, &[&str]); 5] = [
        (json!([{"name": "Liquid"}]), &["Liquid"]),
        (json!([{"name": "Liquid"}, {"name": "assets"}]), &["Assets", "Liquid"]),
        (json!([{"id": liquid["id"]}]), &["Liquid"]),
        (json!([{"name": "ASSETS"}, {"name": "assets"}]), &["Assets"]),
        (json!([]), &[]),
    ];
    for (groups, expected) in table {
        let updated = put(&cast, &json!({"id": account["id"], "groups": groups}));
        assert_eq!(group_names(&updated), expected, "{groups}");
        for name in ["Assets", "Liquid"] {
            let accounts = cast.owner.get(&cast.path(&format!("/groups/{name}/accounts"))).ok();
            let member = accounts["items"].as_array().is_some_and(|items| !items.is_empty());
            assert_eq!(member, expected.contains(&name), "{name} after {groups}");
        }
    }
}

/// 2.10: the client sends the objects it read; the id is resolved first, then the name.
fn groups_resolve_by_id_before_name(server: &Server) {
    let (cast, account) = create_full_account(server);
    let groups = cast.owner.get(&cast.path("/groups")).ok()["items"].clone();
    let updated = put(&cast, &json!({"id": account["id"], "groups": groups}));
    assert_eq!(group_names(&updated), ["Assets", "Liquid"]);
    // The name is ignored when the id is known.
    let assets = &groups[0];
    let updated = put(
        &cast,
        &json!({
            "id": account["id"], "groups": [{"id": assets["id"], "name": "Renamed meanwhile"}],
        }),
    );
    assert_eq!(updated["groups"][0]["id"], assets["id"]);
}

/// 4.10: from every type to every type, at any time.
fn retype(server: &Server, from: &str, to: &str, permanent: bool, credit: bool) {
    let cast = Cast::new(server);
    let account = cast.account("A", from);
    cast.account("Other", "ASSET");
    cast.record("2025-01-31", "5", "A", "Other", "x");
    let updated = put(&cast, &json!({"id": account["id"], "type": to}));
    shows(
        &updated,
        &json!({
            "type": to, "permanent": permanent, "credit": credit, "hasTransactionPosted": true,
        }),
    );
}

/// 3.5.7: locks do not apply, since no amount changes.
fn rename_and_retype_ignore_locked_dates(server: &Server) {
    let cast = Cast::new(server);
    let account = cast.account("Cash", "ASSET");
    cast.account("Food", "OUTGOING");
    cast.record("2025-01-31", "5", "Cash", "Food", "x");
    cast.owner
        .put(&cast.path(""), &json!({"lockDate": "2030-01-01", "closingDate": "2030-01-01"}))
        .ok();
    let body = json!({"id": account["id"], "name": "Purse", "type": "LIABILITY", "archived": true});
    let updated = cast.editor.put(&cast.path("/accounts"), &body).ok();
    shows(&updated, &json!({"name": "Purse", "type": "LIABILITY"}));
    let group = cast.group("G");
    cast.editor.put(&cast.path("/groups"), &json!({"id": group["id"], "name": "H"})).ok();
}

/// 9.13.
fn read_only_fields_are_ignored(server: &Server) {
    let (cast, account) = create_full_account(server);
    let body = json!({
        "id": account["id"], "normalizedName": "other", "balance": "9", "balanceVerified": false,
        "hasTransactionPosted": true,
        "agentId": "forged", "updatedAt": "1",
    });
    let updated = put(&cast, &body);
    shows(
        &updated,
        &json!({
            "normalizedName": "cash", "balanceVerified": true, "hasTransactionPosted": false,
            "balance": null,
        }),
    );
    assert_ne!(updated["agentId"], "forged");
    assert_ne!(updated["updatedAt"], "1");
}

fn renamed_account_is_shown_in_transactions_and_book(server: &Server) {
    let cast = Cast::new(server);
    let account = cast.account("Cash", "ASSET");
    cast.account("Food", "OUTGOING");
    let transaction = cast.record("2025-01-31", "5", "Cash", "Food", "x");
    put(&cast, &json!({"id": account["id"], "name": "Purse"}));
    let read = cast.owner.get(&cast.path(&format!("/transactions/{}", id(&transaction)))).ok();
    shows(
        &read["creditAccount"],
        &json!({"id": account["id"], "name": "Purse", "normalizedName": "purse"}),
    );
    let book = cast.owner.get(&cast.path("?loadAccounts=true")).ok();
    assert_eq!(book["accounts"][1]["name"], "Purse");
}

/// 8.1.
fn update_that_changes_nothing_has_no_event(server: &Server) {
    let (cast, account) = create_full_account(server);
    let count =
        || cast.owner.get(&cast.path("/events?limit=200")).ok()["items"].as_array().map(Vec::len);
    let before = count();
    put(&cast, &account);
    put(
        &cast,
        &json!({
            "id": account["id"], "name": "Cash", "groups": [{"name": "Assets"}],
            "properties": {"CODE": "10"},
        }),
    );
    assert_eq!(count(), before);
    put(&cast, &json!({"id": account["id"], "name": "Purse"}));
    assert_eq!(count(), before.map(|count| count + 1));
}
