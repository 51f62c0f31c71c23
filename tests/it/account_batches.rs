//! Batches of accounts and groups (3.6.5, 3.6.6, 4.5, 4.7, 4.16). A batch succeeds or fails as a
//! whole, keeps the order of its items, and its errors name the index of the item.

use daybook_tests::{Cast, Server, column, id, shows};
use serde_json::{Value, json};

use crate::Case;

pub fn tests() -> Vec<Case> {
    crate::cases![
        empty_batch_returns_empty_list,
        created_accounts_keep_request_order,
        group_parent_may_be_an_earlier_item,
        group_parent_in_a_later_item_is_refused,
        invalid_names_create_nothing,
        updated_accounts_keep_request_order,
        refused_update_changes_nothing,
        delete_batch_returns_deleted_accounts,
        delete_batch_with_a_used_account_is_refused,
        unknown_ids_are_refused,
        repeated_delete_has_one_event,
    ]
}

fn items(list: &[Value]) -> Value {
    json!({"items": list})
}

fn named_items(names: &[&str]) -> Value {
    items(&names.iter().map(|name| json!({"name": name})).collect::<Vec<_>>())
}

fn names(cast: &Cast, kind: &str) -> Vec<String> {
    column(&cast.read(&format!("/{kind}")), "name")
}

fn event_count(cast: &Cast) -> usize {
    cast.read("/events?limit=200")["items"].as_array().map_or(0, Vec::len)
}

/// Checks that a message contains the index of the item as a separate number (3.6.5).
#[track_caller]
pub fn names_index(message: &str, index: usize) {
    let found =
        message.split(|c: char| !c.is_ascii_digit()).any(|number| number == index.to_string());
    assert!(found, "3.6.5: the message names the index {index}: {message}");
}

/// 3.6.1: empty items answer 200 with an empty list.
fn empty_batch_returns_empty_list(server: &Server) {
    let cast = Cast::new(server);
    let before = event_count(&cast);
    for (method, rest) in [
        ("POST", "/accounts/batch"),
        ("PUT", "/accounts/batch"),
        ("POST", "/accounts/delete/batch"),
        ("POST", "/groups/batch"),
    ] {
        let list = cast.owner.send(method, &cast.path(rest), &items(&[])).ok();
        assert_eq!(list["items"], json!([]), "{method} {rest}");
    }
    assert_eq!(event_count(&cast), before);
}

/// 3.6.2: same length and order as the input.
fn created_accounts_keep_request_order(server: &Server) {
    let cast = Cast::new(server);
    cast.group("Costs");
    let list = items(&[
        json!({"name": "Zeta", "type": "OUTGOING", "properties": {"a": "1"}}),
        json!({"name": "Alpha"}),
        json!({
            "name": "Mid", "type": "LIABILITY", "groups": [{"name": "Costs"}], "archived": true,
        }),
    ]);
    let created = cast.post("/accounts/batch", &list).ok();
    assert_eq!(column(&created, "name"), ["Zeta", "Alpha", "Mid"]);
    assert_eq!(column(&created, "type"), ["OUTGOING", "ASSET", "LIABILITY"]);
    shows(&created["items"][2], &json!({"archived": true}));
    assert_eq!(created["items"][2]["groups"][0]["name"], "Costs");
    assert_eq!(names(&cast, "accounts"), ["Alpha", "Mid", "Zeta"]);
    for account in created["items"].as_array().expect("items") {
        assert_eq!(&cast.read(&format!("/accounts/{}", id(account))), account);
    }
}

/// 4.16: order matters; an item's parent may be an earlier item by name.
fn group_parent_may_be_an_earlier_item(server: &Server) {
    let cast = Cast::new(server);
    cast.group("Existing");
    let list = items(&[
        json!({"name": "Root", "parent": {"name": "existing"}}),
        json!({"name": "Child", "parent": {"name": "ROOT"}}),
        json!({"name": "Grandchild", "parent": {"name": "child"}, "hidden": true}),
    ]);
    let created = cast.post("/groups/batch", &list).ok();
    let created = created["items"].as_array().expect("items");
    assert_eq!(created[1]["parent"]["id"], created[0]["id"]);
    assert_eq!(created[2]["parent"]["id"], created[1]["id"]);
    assert_eq!(names(&cast, "groups"), ["Existing", "Root", "Child", "Grandchild"]);
    assert_eq!(cast.read("/groups/root")["hasGroups"], true);
}

/// 4.16: a parent cannot be a later item.
fn group_parent_in_a_later_item_is_refused(server: &Server) {
    let cast = Cast::new(server);
    let list =
        items(&[json!({"name": "Child", "parent": {"name": "Root"}}), json!({"name": "Root"})]);
    let message = cast.post("/groups/batch", &list).refused(400, "badRequest");
    assert!(message.contains("Group not found: Root"), "{message}");
    assert_eq!(names(&cast, "groups").len(), 0);
}

/// 4.5, 3.6.5: a batch with invalid, existing or repeated names creates nothing. The message names
/// the index, counted from 0, of the first such item.
fn invalid_names_create_nothing(server: &Server) {
    const TAKEN: &str = "already exists";
    const BLANK: &str = "name is required and must not be blank";
    for kind in ["accounts", "groups"] {
        let cast = Cast::new(server);
        cast.post(&format!("/{kind}"), &json!({"name": "Taken"})).ok();
        let before = event_count(&cast);
        let table: [(&[&str], usize, &str); 5] = [
            (&["A", "taken"], 1, TAKEN),
            (&["A", "B", "B"], 2, TAKEN),
            (&["A", "B", "C", "a"], 3, TAKEN),
            (&["TAKEN", "A"], 0, TAKEN),
            (&["A", "B", "", " "], 2, BLANK),
        ];
        for (list, index, expected) in table {
            let message =
                cast.post(&format!("/{kind}/batch"), &named_items(list)).refused(400, "badRequest");
            assert!(message.contains(expected), "{list:?}: {message}");
            names_index(&message, index);
        }
        assert_eq!(names(&cast, kind), ["Taken"]);
        assert_eq!(event_count(&cast), before);
    }
}

/// 4.9: each item by id or by name.
fn updated_accounts_keep_request_order(server: &Server) {
    let cast = Cast::new(server);
    cast.group("Assets");
    let [a, b, c] = ["A", "B", "C"].map(|name| cast.account_in(name, "ASSET", &["Assets"]));
    let mut whole = c.clone();
    whole.as_object_mut().expect("an object").remove("groups");
    let list = items(&[
        json!({"name": "b", "archived": true}),
        whole,
        json!({"id": a["id"], "name": "First", "type": "LIABILITY"}),
    ]);
    let updated = cast.put("/accounts/batch", &list).ok();
    assert_eq!(column(&updated, "id"), [id(&b), id(&c), id(&a)]);
    shows(&updated["items"][0], &json!({"normalizedName": "b", "archived": true}));
    shows(&updated["items"][1], &json!({"name": "C", "groups": []}));
    shows(&updated["items"][2], &json!({"name": "First", "type": "LIABILITY"}));
    assert_eq!(updated["items"][2]["groups"][0]["name"], "Assets");
    assert_eq!(names(&cast, "accounts")[1..], ["C", "First"]);
}

fn refused_update_changes_nothing(server: &Server) {
    let cast = Cast::new(server);
    let [a, b] = ["A", "B"].map(|name| cast.account(name, "ASSET"));
    let before = event_count(&cast);
    for bad in [
        json!({"id": b["id"], "name": "a2"}),
        json!({"id": b["id"], "groups": [{"name": "X"}]}),
        json!({}),
    ] {
        let list = items(&[json!({"id": a["id"], "name": "A2"}), bad]);
        let message = cast.put("/accounts/batch", &list).refused(400, "badRequest");
        names_index(&message, 1);
    }
    assert_eq!(names(&cast, "accounts"), ["A", "B"]);
    assert_eq!(event_count(&cast), before);
}

/// 4.7: items as full objects or `{id}`; returns the deleted ones.
fn delete_batch_returns_deleted_accounts(server: &Server) {
    let cast = Cast::new(server);
    let [a, b, c] = ["A", "B", "C"].map(|name| cast.account(name, "ASSET"));
    let list = items(&[c.clone(), json!({"id": a["id"]})]);
    let deleted = cast.post("/accounts/delete/batch", &list).ok();
    assert_eq!(column(&deleted, "name"), ["C", "A"]);
    assert_eq!(names(&cast, "accounts"), ["B"]);
    cast.get(&format!("/accounts/{}", id(&c))).refused(404, "notFound");
    cast.read(&format!("/accounts/{}", id(&b)));
}

/// 4.7: fails as a whole with 400 when one has postings.
fn delete_batch_with_a_used_account_is_refused(server: &Server) {
    let cast = Cast::new(server);
    let free = cast.account("Free", "ASSET");
    let cash = cast.account("Cash", "ASSET");
    cast.account("Food", "OUTGOING");
    cast.record("2025-01-31", "5", "Cash", "Food", "x");
    let before = event_count(&cast);
    let list = items(&[json!({"id": free["id"]}), json!({"id": cash["id"]})]);
    let message = cast.post("/accounts/delete/batch", &list).refused(400, "badRequest");
    names_index(&message, 1);
    assert_eq!(names(&cast, "accounts"), ["Cash", "Food", "Free"]);
    assert_eq!(event_count(&cast), before);
}

/// 3.6.5: unknown ids answer 404 before any change, and the message lists them.
fn unknown_ids_are_refused(server: &Server) {
    let (cast, other) = (Cast::new(server), Cast::new(server));
    let (account, foreign) = (cast.account("A", "ASSET"), other.account("A", "ASSET"));
    let list = items(&[json!({"id": account["id"]}), json!({"id": foreign["id"]})]);
    let message = cast.post("/accounts/delete/batch", &list).refused(404, "notFound");
    assert_eq!(message, format!("accounts not found. Ids: [{}]", id(&foreign)));
    assert_eq!(names(&cast, "accounts"), ["A"]);
    assert_eq!(names(&other, "accounts"), ["A"]);
    let list = items(&[
        json!({"id": account["id"], "name": "Changed"}),
        json!({"id": "11111111111", "name": "X"}),
        json!({"id": "22222222222", "name": ""}),
    ]);
    let message = cast.put("/accounts/batch", &list).refused(404, "notFound");
    assert_eq!(message, "accounts not found. Ids: [11111111111, 22222222222]");
    assert_eq!(names(&cast, "accounts"), ["A"]);
}

/// Deleting twice is one deletion, with one event.
fn repeated_delete_has_one_event(server: &Server) {
    let cast = Cast::new(server);
    let account = cast.account("A", "ASSET");
    let before = event_count(&cast);
    let list = items(&[json!({"id": account["id"]}), json!({"id": account["id"]})]);
    let answer = cast.post("/accounts/delete/batch", &list).ok();
    assert_eq!(column(&answer, "id"), [id(&account), id(&account)], "4.20: answered twice");
    assert_eq!(names(&cast, "accounts").len(), 0);
    assert_eq!(event_count(&cast), before + 1);
    let group = cast.post("/groups", &json!({"name": "G"})).ok();
    let list = items(&[json!({"id": group["id"]}), json!({"id": group["id"]})]);
    let answer = cast.post("/groups/delete/batch", &list).ok();
    assert_eq!(column(&answer, "id"), [id(&group), id(&group)], "4.20: answered twice");
}
