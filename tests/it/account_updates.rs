//! updateAccount (4.9, 4.10, 3.5.7): what is writable, round trips, sparse bodies, group
//! membership.

use daybook_tests::{Cast, Server, id, shows};
use serde_json::{Value, json};

use crate::Case;
use crate::accounts::TYPES;

pub fn tests() -> Vec<Case> {
    let mut cases = crate::cases![
        sparse_update_leaves_the_rest,
        update_by_name_only,
        id_wins_over_name,
        empty_groups_clear,
        round_trip_changes_nothing,
        round_trip_without_groups_clears_them,
        sparse_update_without_groups_keeps_them,
        groups_replace_the_membership,
        whole_group_objects_come_back,
        type_change_changes_presentation_only,
        rename_and_retype_on_locked_dates,
        read_only_fields_are_ignored,
        book_row_shows_the_change,
        update_that_changes_nothing_has_no_event,
    ];
    for (from, ..) in TYPES {
        for (to, permanent, credit) in TYPES {
            cases.push(Case::shared(
                format!("{}_becomes_{}", from.to_lowercase(), to.to_lowercase()),
                move |server| retype(server, from, to, (*permanent, *credit)),
            ));
        }
    }
    cases
}

/// An account with a value in every writable field, in group `Assets`.
fn furnished(server: &Server) -> (Cast, Value) {
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
fn sparse_update_leaves_the_rest(server: &Server) {
    let (cast, account) = furnished(server);
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

/// The previous values in the last events, newest first.
fn previous(cast: &Cast, count: usize) -> Vec<Value> {
    let events = cast.owner.get(&cast.path(&format!("/events?limit={count}"))).ok();
    events["items"]
        .as_array()
        .expect("events")
        .iter()
        .map(|event| event["data"]["previousAttributes"].clone())
        .collect()
}

/// 4.9, 4.21: a body with only a name resolves by name, by normalized name, which leaves the
/// spelling as it is.
fn update_by_name_only(server: &Server) {
    let (cast, account) = furnished(server);
    let mut by = "";
    for name in ["Cash", "CASH", "cash"] {
        let updated = put(&cast, &json!({"name": name, "properties": {"by": name}}));
        shows(
            &updated,
            &json!({
                "id": account["id"], "name": "Cash", "normalizedName": "cash", "archived": true,
            }),
        );
        assert_eq!(updated["properties"]["by"], name);
        assert_eq!(previous(&cast, 1), [json!({"by": by})]);
        by = name;
    }
    // So it is in a batch, and with an id the same spelling is a new name.
    let list = json!({
        "items": [{"name": "CASH", "archived": false}, {"id": account["id"], "name": "CASH"}],
    });
    let updated = cast.owner.put(&cast.path("/accounts/batch"), &list).ok();
    shows(&updated["items"][1], &json!({"id": account["id"], "name": "CASH", "archived": false}));
    assert_eq!(
        previous(&cast, 2),
        [json!({"name": "Cash"}), json!({"archived": "true", "active": "false"})]
    );
    cast.owner
        .put(&cast.path("/accounts"), &json!({"name": "Unknown", "archived": true}))
        .refused(404, "notFound");
}

/// With an id the name is the new name.
fn id_wins_over_name(server: &Server) {
    let (cast, account) = furnished(server);
    let other = cast.account("Other", "ASSET");
    let updated = put(&cast, &json!({"id": other["id"], "name": "Purse"}));
    shows(&updated, &json!({"id": other["id"], "name": "Purse"}));
    assert_eq!(cast.owner.get(&cast.path("/accounts/cash")).ok()["id"], account["id"]);
}

/// 4.9: an empty list is present.
fn empty_groups_clear(server: &Server) {
    let (cast, account) = furnished(server);
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
    let (cast, account) = furnished(server);
    let updated = put(&cast, &account);
    let compared = |account: &Value| {
        let mut account = account.clone();
        account["updatedAt"] = Value::Null;
        account
    };
    assert_eq!(compared(&updated), compared(&account));
}

/// 4.9: clients drop the key when the list becomes empty.
fn round_trip_without_groups_clears_them(server: &Server) {
    let (cast, account) = furnished(server);
    let mut body = account;
    body.as_object_mut().expect("an object").remove("groups");
    assert_eq!(put(&cast, &body)["groups"], json!([]));
    assert_eq!(cast.owner.get(&cast.path("/groups/assets")).ok()["hasAccounts"], false);
}

/// 4.9: sparse bodies have no `createdAt`.
fn sparse_update_without_groups_keeps_them(server: &Server) {
    let (cast, account) = furnished(server);
    assert_eq!(
        group_names(&put(&cast, &json!({"id": account["id"], "name": "Purse"}))),
        ["Assets"]
    );
}

/// 4.9: `groups` present replaces the membership; by id or name, each group once.
fn groups_replace_the_membership(server: &Server) {
    let (cast, account) = furnished(server);
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
fn whole_group_objects_come_back(server: &Server) {
    let (cast, account) = furnished(server);
    let groups = cast.owner.get(&cast.path("/groups")).ok()["items"].clone();
    let updated = put(&cast, &json!({"id": account["id"], "groups": groups}));
    assert_eq!(group_names(&updated), ["Assets", "Liquid"]);
    // A stale name beside a known id is only a name.
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
fn retype(server: &Server, from: &str, to: &str, nature: (bool, bool)) {
    let cast = Cast::new(server);
    let account = cast.account("A", from);
    cast.account("Other", "ASSET");
    cast.record("2025-01-31", "5", "A", "Other", "x");
    let updated = put(&cast, &json!({"id": account["id"], "type": to}));
    shows(
        &updated,
        &json!({
            "type": to, "permanent": nature.0, "credit": nature.1, "hasTransactionPosted": true,
        }),
    );
}

/// 4.10: it changes sign and permanence of presentation only, never transactions.
fn type_change_changes_presentation_only(server: &Server) {
    let cast = Cast::new(server);
    let account = cast.account("Cash", "ASSET");
    cast.account("Food", "OUTGOING");
    cast.record("2025-01-31", "5", "Cash", "Food", "x");
    let shown = |field: &str| {
        let balances = cast.owner.get(&cast.path("/balances?query=account:Cash%20on:2025")).ok();
        balances["accountBalances"][0][field].clone()
    };
    let raw = shown("periodBalance");
    assert_eq!(raw, "5.00", "5.4: credits minus debits");
    put(&cast, &json!({"id": account["id"], "type": "OUTGOING"}));
    assert_eq!(shown("periodBalance"), raw);
    assert_eq!(shown("permanent"), false);
    let row = cast.owner.get(&cast.path("/transactions")).ok()["items"][0].clone();
    shows(&row["creditAccount"], &json!({"type": "OUTGOING", "permanent": false, "credit": false}));
}

/// 3.5.7: whatever the lock: no amounts change.
fn rename_and_retype_on_locked_dates(server: &Server) {
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
    let (cast, account) = furnished(server);
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

/// The new name shows wherever the account does.
fn book_row_shows_the_change(server: &Server) {
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

/// 8.1: no-ops have no event.
fn update_that_changes_nothing_has_no_event(server: &Server) {
    let (cast, account) = furnished(server);
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
