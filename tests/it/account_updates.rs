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
        whole_object_without_groups_clears_membership,
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
    let account = cast.post("/accounts", &body).ok();
    (cast, account)
}

fn put(cast: &Cast, body: &Value) -> Value {
    let answer = cast.put("/accounts", body).ok();
    let read = cast.read(&format!("/accounts/{}", id(&answer)));
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
    let events = cast.read(&format!("/events?limit={count}"));
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
        let expected = json!({
            "id": account["id"], "name": "Cash", "normalizedName": "cash", "archived": true,
        });
        shows(&updated, &expected);
        assert_eq!(updated["properties"]["by"], name);
        assert_eq!(last_previous_attributes(&cast, 1), [json!({"by": previous_spelling})]);
        previous_spelling = name;
    }
    // The same holds in a batch. With an id, another spelling is a new name.
    let list = json!({
        "items": [{"name": "CASH", "archived": false}, {"id": account["id"], "name": "CASH"}],
    });
    let updated = cast.put("/accounts/batch", &list).ok();
    shows(&updated["items"][1], &json!({"id": account["id"], "name": "CASH", "archived": false}));
    assert_eq!(
        last_previous_attributes(&cast, 2),
        [json!({"name": "Cash"}), json!({"archived": "true", "active": "false"})]
    );
    cast.put("/accounts", &json!({"name": "Unknown", "archived": true})).refused(404, "notFound");
}

/// 4.9: clients omit the key when the list becomes empty.
fn whole_object_without_groups_clears_membership(server: &Server) {
    let (cast, account) = create_full_account(server);
    let mut body = account;
    body.as_object_mut().expect("an object").remove("groups");
    assert_eq!(put(&cast, &body)["groups"], json!([]));
    assert_eq!(cast.read("/groups/assets")["hasAccounts"], false);
}

/// 4.9: `groups` present replaces the membership; by id or name, each group once.
fn groups_list_replaces_membership(server: &Server) {
    let (cast, account) = create_full_account(server);
    let liquid = cast.read("/groups/liquid");
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
            let accounts = cast.read(&format!("/groups/{name}/accounts"));
            let member = accounts["items"].as_array().is_some_and(|items| !items.is_empty());
            assert_eq!(member, expected.contains(&name), "{name} after {groups}");
        }
    }
}

/// 2.10: the client sends the objects it read; the id is resolved first, then the name.
fn groups_resolve_by_id_before_name(server: &Server) {
    let (cast, account) = create_full_account(server);
    let groups = cast.read("/groups")["items"].clone();
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
    let expected = json!({
        "type": to, "permanent": permanent, "credit": credit, "hasTransactionPosted": true,
    });
    shows(&updated, &expected);
}

/// 3.5.7: locks do not apply, since no amount changes.
fn rename_and_retype_ignore_locked_dates(server: &Server) {
    let cast = Cast::new(server);
    let account = cast.account("Cash", "ASSET");
    cast.account("Food", "OUTGOING");
    cast.record("2025-01-31", "5", "Cash", "Food", "x");
    cast.put("", &json!({"lockDate": "2030-01-01", "closingDate": "2030-01-01"})).ok();
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
    let expected = json!({
        "normalizedName": "cash", "balanceVerified": true, "hasTransactionPosted": false,
        "balance": null,
    });
    shows(&updated, &expected);
    assert_ne!(updated["agentId"], "forged");
    assert_ne!(updated["updatedAt"], "1");
}

fn renamed_account_is_shown_in_transactions_and_book(server: &Server) {
    let cast = Cast::new(server);
    let account = cast.account("Cash", "ASSET");
    cast.account("Food", "OUTGOING");
    let transaction = cast.record("2025-01-31", "5", "Cash", "Food", "x");
    put(&cast, &json!({"id": account["id"], "name": "Purse"}));
    let read = cast.read(&format!("/transactions/{}", id(&transaction)));
    let expected = json!({"id": account["id"], "name": "Purse", "normalizedName": "purse"});
    shows(&read["creditAccount"], &expected);
    let book = cast.read("?loadAccounts=true");
    assert_eq!(book["accounts"][1]["name"], "Purse");
}

/// 8.1.
fn update_that_changes_nothing_has_no_event(server: &Server) {
    let (cast, account) = create_full_account(server);
    let count = || cast.read("/events?limit=200")["items"].as_array().map(Vec::len);
    let before = count();
    let mut updated = put(&cast, &account);
    updated["updatedAt"] = account["updatedAt"].clone();
    assert_eq!(updated, account, "clients send back whole objects");
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
