//! Batches of accounts and groups (3.6.5, 3.6.6, 4.5, 4.7, 4.16). A batch succeeds or fails as a
//! whole, keeps the order of its items, and its errors name the index of the item.

use daybook_tests::{Cast, Server, column, id, shows};
use serde_json::{Value, json};

use crate::Case;

pub fn tests() -> Vec<Case> {
    crate::cases![
        empty_batch_returns_empty_list,
        batch_without_items_changes_nothing,
        created_accounts_keep_request_order,
        group_parent_may_be_an_earlier_item,
        group_parent_in_a_later_item_is_refused,
        taken_or_repeated_names_create_nothing,
        bad_item_is_named_by_its_index,
        unknown_group_in_account_batch_is_refused,
        updated_accounts_keep_request_order,
        update_with_unknown_ids_is_refused,
        refused_update_changes_nothing,
        name_freed_by_an_earlier_item_can_be_taken,
        last_update_of_a_repeated_account_wins,
        delete_batch_returns_deleted_accounts,
        delete_batch_with_a_used_account_is_refused,
        delete_with_unknown_ids_is_refused,
        repeated_delete_has_one_event,
        batches_of_1000_accounts_are_accepted,
        each_changed_item_has_one_event,
    ]
}

fn items(list: &[Value]) -> Value {
    json!({"items": list})
}

fn named_items(names: &[&str]) -> Value {
    items(&names.iter().map(|name| json!({"name": name})).collect::<Vec<_>>())
}

fn names(cast: &Cast, kind: &str) -> Vec<String> {
    column(&cast.owner.get(&cast.path(&format!("/{kind}"))).ok(), "name")
}

fn event_count(cast: &Cast) -> usize {
    cast.owner.get(&cast.path("/events?limit=200")).ok()["items"].as_array().map_or(0, Vec::len)
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
        assert_eq!(
            cast.owner.send(method, &cast.path(rest), &items(&[])).ok()["items"],
            json!([]),
            "{method} {rest}"
        );
    }
    assert_eq!(event_count(&cast), before);
}

/// A body without valid `items` is refused or changes nothing.
fn batch_without_items_changes_nothing(server: &Server) {
    let cast = Cast::new(server);
    for body in
        [json!({}), json!({"items": null}), json!({"items": [null]}), json!({"items": [[]]})]
    {
        for rest in ["/accounts/batch", "/groups/batch", "/accounts/delete/batch"] {
            let answer = cast.owner.post(&cast.path(rest), &body);
            let is_empty = answer.status == 200 && answer.body["items"] == json!([]);
            assert!(is_empty || answer.status == 400, "{rest} {body}: {}", answer.text);
        }
    }
    assert_eq!(names(&cast, "accounts").len() + names(&cast, "groups").len(), 0);
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
    let created = cast.owner.post(&cast.path("/accounts/batch"), &list).ok();
    assert_eq!(column(&created, "name"), ["Zeta", "Alpha", "Mid"]);
    assert_eq!(column(&created, "type"), ["OUTGOING", "ASSET", "LIABILITY"]);
    shows(&created["items"][2], &json!({"archived": true}));
    assert_eq!(created["items"][2]["groups"][0]["name"], "Costs");
    assert_eq!(names(&cast, "accounts"), ["Alpha", "Mid", "Zeta"]);
    for account in created["items"].as_array().expect("items") {
        assert_eq!(
            &cast.owner.get(&cast.path(&format!("/accounts/{}", id(account)))).ok(),
            account
        );
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
    let created = cast.owner.post(&cast.path("/groups/batch"), &list).ok();
    let created = created["items"].as_array().expect("items");
    assert_eq!(created[1]["parent"]["id"], created[0]["id"]);
    assert_eq!(created[2]["parent"]["id"], created[1]["id"]);
    assert_eq!(names(&cast, "groups"), ["Existing", "Root", "Child", "Grandchild"]);
    assert_eq!(cast.owner.get(&cast.path("/groups/root")).ok()["hasGroups"], true);
}

/// 4.16: a parent cannot be a later item.
fn group_parent_in_a_later_item_is_refused(server: &Server) {
    let cast = Cast::new(server);
    let list =
        items(&[json!({"name": "Child", "parent": {"name": "Root"}}), json!({"name": "Root"})]);
    let message = cast.owner.post(&cast.path("/groups/batch"), &list).refused(400, "badRequest");
    assert!(message.contains("Group not found: Root"), "{message}");
    assert_eq!(names(&cast, "groups").len(), 0);
}

/// 4.5: a batch create with an existing or repeated name answers 400 and creates nothing.
fn taken_or_repeated_names_create_nothing(server: &Server) {
    for kind in ["accounts", "groups"] {
        let cast = Cast::new(server);
        cast.owner.post(&cast.path(&format!("/{kind}")), &json!({"name": "Taken"})).ok();
        let before = event_count(&cast);
        let table: [(&[&str], usize); 4] = [
            (&["A", "taken"], 1),
            (&["A", "B", "B"], 2),
            (&["A", "B", "C", "a"], 3),
            (&["TAKEN", "A"], 0),
        ];
        for (list, index) in table {
            let message = cast
                .owner
                .post(&cast.path(&format!("/{kind}/batch")), &named_items(list))
                .refused(400, "badRequest");
            assert!(message.contains("already exists"), "4.5: {message}");
            names_index(&message, index);
        }
        assert_eq!(names(&cast, kind), ["Taken"]);
        assert_eq!(event_count(&cast), before);
    }
}

/// 3.6.5: the message names the index, counted from 0, of the first bad item.
fn bad_item_is_named_by_its_index(server: &Server) {
    for kind in ["accounts", "groups"] {
        let cast = Cast::new(server);
        for index in [0, 1, 7] {
            let mut list: Vec<Value> = (0..9)
                .map(|number| json!({"name": format!("N{}", char::from(b'a' + number))}))
                .collect();
            list[index]["name"] = json!("");
            list[8]["name"] = json!("");
            let message = cast
                .owner
                .post(&cast.path(&format!("/{kind}/batch")), &items(&list))
                .refused(400, "badRequest");
            names_index(&message, index);
        }
        assert_eq!(names(&cast, kind).len(), 0);
    }
}

fn unknown_group_in_account_batch_is_refused(server: &Server) {
    let cast = Cast::new(server);
    let list =
        items(&[json!({"name": "A"}), json!({"name": "B", "groups": [{"name": "Nowhere"}]})]);
    let message = cast.owner.post(&cast.path("/accounts/batch"), &list).refused(400, "badRequest");
    assert!(message.contains("Group not found: Nowhere"), "{message}");
    names_index(&message, 1);
    assert_eq!(names(&cast, "accounts").len(), 0);
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
    let updated = cast.owner.put(&cast.path("/accounts/batch"), &list).ok();
    assert_eq!(column(&updated, "id"), [id(&b), id(&c), id(&a)]);
    shows(&updated["items"][0], &json!({"normalizedName": "b", "archived": true}));
    shows(&updated["items"][1], &json!({"name": "C", "groups": []}));
    shows(&updated["items"][2], &json!({"name": "First", "type": "LIABILITY"}));
    assert_eq!(updated["items"][2]["groups"][0]["name"], "Assets");
    assert_eq!(names(&cast, "accounts")[1..], ["C", "First"]);
}

/// 3.6.5: unknown ids answer 404 before any change, and the message lists them.
fn update_with_unknown_ids_is_refused(server: &Server) {
    let cast = Cast::new(server);
    let account = cast.account("A", "ASSET");
    let list = items(&[
        json!({"id": account["id"], "name": "Changed"}),
        json!({"id": "11111111111", "name": "X"}),
        json!({"id": "22222222222", "name": ""}),
    ]);
    let message = cast.owner.put(&cast.path("/accounts/batch"), &list).refused(404, "notFound");
    assert!(message.contains("Ids: [11111111111, 22222222222]"), "3.6.5: {message}");
    assert_eq!(names(&cast, "accounts"), ["A"]);
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
        let message =
            cast.owner.put(&cast.path("/accounts/batch"), &list).refused(400, "badRequest");
        names_index(&message, 1);
    }
    assert_eq!(names(&cast, "accounts"), ["A", "B"]);
    assert_eq!(event_count(&cast), before);
}

/// Names must be unique after each item. A later item may take a name that an earlier item freed.
fn name_freed_by_an_earlier_item_can_be_taken(server: &Server) {
    let cast = Cast::new(server);
    let [a, b] = ["A", "B"].map(|name| cast.account(name, "ASSET"));
    let list = items(&[json!({"id": a["id"], "name": "C"}), json!({"id": b["id"], "name": "A"})]);
    let updated = cast.owner.put(&cast.path("/accounts/batch"), &list).ok();
    assert_eq!(column(&updated, "name"), ["C", "A"]);
    assert_eq!(cast.owner.get(&cast.path("/accounts/a")).ok()["id"], b["id"]);
}

/// The later item wins; the answer shows the final state in both positions (3.6.3).
fn last_update_of_a_repeated_account_wins(server: &Server) {
    let cast = Cast::new(server);
    let account = cast.account("A", "ASSET");
    let list = items(&[
        json!({"id": account["id"], "name": "One", "archived": true}),
        json!({"id": account["id"], "name": "Two"}),
    ]);
    let updated = cast.owner.put(&cast.path("/accounts/batch"), &list).ok();
    assert_eq!(column(&updated, "name"), ["Two", "Two"]);
    shows(&cast.owner.get(&cast.path("/accounts/two")).ok(), &json!({"archived": true}));
}

/// 4.7: items as full objects or `{id}`; returns the deleted ones.
fn delete_batch_returns_deleted_accounts(server: &Server) {
    let cast = Cast::new(server);
    let [a, b, c] = ["A", "B", "C"].map(|name| cast.account(name, "ASSET"));
    let list = items(&[c.clone(), json!({"id": a["id"]})]);
    let deleted = cast.owner.post(&cast.path("/accounts/delete/batch"), &list).ok();
    assert_eq!(column(&deleted, "name"), ["C", "A"]);
    assert_eq!(names(&cast, "accounts"), ["B"]);
    cast.owner.get(&cast.path(&format!("/accounts/{}", id(&c)))).refused(404, "notFound");
    cast.owner.get(&cast.path(&format!("/accounts/{}", id(&b)))).ok();
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
    let message =
        cast.owner.post(&cast.path("/accounts/delete/batch"), &list).refused(400, "badRequest");
    names_index(&message, 1);
    assert_eq!(names(&cast, "accounts"), ["Cash", "Food", "Free"]);
    assert_eq!(event_count(&cast), before);
}

fn delete_with_unknown_ids_is_refused(server: &Server) {
    let (cast, other) = (Cast::new(server), Cast::new(server));
    let (account, foreign) = (cast.account("A", "ASSET"), other.account("A", "ASSET"));
    let list = items(&[json!({"id": account["id"]}), json!({"id": foreign["id"]})]);
    let message =
        cast.owner.post(&cast.path("/accounts/delete/batch"), &list).refused(404, "notFound");
    assert!(message.contains(&format!("Ids: [{}]", id(&foreign))), "3.6.5: {message}");
    assert_eq!(names(&cast, "accounts"), ["A"]);
    assert_eq!(names(&other, "accounts"), ["A"]);
}

/// Deleting twice is one deletion, with one event.
fn repeated_delete_has_one_event(server: &Server) {
    let cast = Cast::new(server);
    let account = cast.account("A", "ASSET");
    let before = event_count(&cast);
    let list = items(&[json!({"id": account["id"]}), json!({"id": account["id"]})]);
    let answer = cast.owner.post(&cast.path("/accounts/delete/batch"), &list).ok();
    assert_eq!(column(&answer, "id"), [id(&account), id(&account)], "4.20: answered twice");
    assert_eq!(names(&cast, "accounts").len(), 0);
    assert_eq!(event_count(&cast), before + 1);
    let group = cast.owner.post(&cast.path("/groups"), &json!({"name": "G"})).ok();
    let list = items(&[json!({"id": group["id"]}), json!({"id": group["id"]})]);
    let answer = cast.owner.post(&cast.path("/groups/delete/batch"), &list).ok();
    assert_eq!(column(&answer, "id"), [id(&group), id(&group)], "4.20: answered twice");
}

/// 3.6.6.
fn batches_of_1000_accounts_are_accepted(server: &Server) {
    let cast = Cast::new(server);
    let list: Vec<Value> = (0..1000)
        .map(|number| json!({"name": format!("Account {number:04}"), "type": "OUTGOING"}))
        .collect();
    let created = cast.owner.post(&cast.path("/accounts/batch"), &items(&list)).ok();
    assert_eq!(names(&cast, "accounts"), column(&created, "name"));
    let changed: Vec<Value> =
        column(&created, "id").iter().map(|id| json!({"id": id, "archived": true})).collect();
    let updated = cast.owner.put(&cast.path("/accounts/batch"), &items(&changed)).ok();
    assert!(
        updated["items"]
            .as_array()
            .is_some_and(|items| items.iter().all(|account| account["archived"] == true))
    );
    cast.owner.post(&cast.path("/accounts/delete/batch"), &updated).ok();
    assert_eq!(names(&cast, "accounts").len(), 0);
}

/// 3.6.6, 8.1: each changed item has its own event, in item order.
fn each_changed_item_has_one_event(server: &Server) {
    let cast = Cast::new(server);
    let types = |count: usize| -> Vec<(String, String)> {
        let events = cast.owner.get(&cast.path(&format!("/events?limit={count}"))).ok();
        let mut pairs: Vec<_> =
            column(&events, "type").into_iter().zip(column(&events, "resource")).collect();
        // The newest comes first (2.6).
        pairs.reverse();
        pairs
    };
    let expected = |list: &Value, kind: &str| -> Vec<(String, String)> {
        column(list, "id").into_iter().map(|id| (kind.to_owned(), id)).collect()
    };
    let created =
        cast.owner.post(&cast.path("/accounts/batch"), &named_items(&["B", "A", "C"])).ok();
    assert_eq!(types(3), expected(&created, "ACCOUNT_CREATED"));
    let changed = items(&[
        json!({"name": "C", "archived": true}),
        json!({"name": "B", "archived": true}),
        json!({"name": "A"}),
    ]);
    let updated = cast.owner.put(&cast.path("/accounts/batch"), &changed).ok();
    let mut both = expected(&updated, "ACCOUNT_UPDATED");
    both.truncate(2);
    assert_eq!(types(2), both, "an item without a change has no event");
    let deleted = cast.owner.post(&cast.path("/accounts/delete/batch"), &updated).ok();
    assert_eq!(types(3), expected(&deleted, "ACCOUNT_DELETED"));
    let groups = cast.owner.post(&cast.path("/groups/batch"), &named_items(&["Y", "X"])).ok();
    assert_eq!(types(2), expected(&groups, "GROUP_CREATED"));
}
