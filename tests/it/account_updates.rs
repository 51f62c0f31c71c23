//! updateAccount (4.9, 4.10, 3.5.7): absent fields stay, whole objects can be sent back, and
//! `groups` replaces the membership.

use daybook_tests::{Cast, Server, id, shows};
use serde_json::{Value, json};

use crate::Case;
use crate::accounts::TYPES;

pub fn tests() -> Vec<Case> {
    let mut cases = crate::cases![
        update_without_id_resolves_by_name,
        whole_object_without_groups_clears_membership,
        groups_list_replaces_membership,
        groups_resolve_by_id_before_name,
        renamed_account_is_shown_in_transactions_and_book,
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
