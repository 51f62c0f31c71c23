//! Limits on accounts and groups per request (4.23, 10.16, 1.7.6): a short request must not cause
//! unbounded work.

use daybook_tests::{Cast, Server, encode, id, unique};
use serde_json::{Value, json};

use crate::Case;
use crate::large_answers::properties;
use crate::reading::{batch, items};

pub fn tests() -> Vec<Case> {
    crate::cases![
        rule_4_23_account_is_in_at_most_1000_groups,
        rule_10_16_memberships_per_request_are_limited,
        rule_10_16_repeated_large_accounts_are_refused,
        rule_10_16_repeated_large_groups_are_refused,
        rule_1_7_6_groups_of_a_query_are_limited,
    ]
}

fn count_items(list: &Value) -> usize {
    items(list).len()
}

fn rule_4_23_account_is_in_at_most_1000_groups(server: &Server) {
    let cast = Cast::new(server);
    let group = |number: usize| json!({"name": format!("G{number}")});
    cast.post("/groups/batch", &batch((0..1_001).map(group))).ok();
    let account = |name: &str, groups: usize| {
        let groups: Vec<Value> = (0..groups).map(group).collect();
        let body = json!({"name": name, "type": "ASSET", "groups": groups});
        cast.post("/accounts", &body)
    };
    let message = account("Many", 1_001).refused(400, "badRequest");
    assert_eq!(message, "the account would be in 1001 groups; at most 1000 are allowed");
    account("Most", 1_000).ok();
    let one = account("One", 1).ok();
    let groups: Vec<Value> = (0..1_001).map(group).collect();
    let moved = json!({"id": one["id"], "groups": groups});
    cast.put("/accounts", &moved).refused(400, "badRequest");
    let all = cast.read("/accounts/One/groups");
    assert_eq!(count_items(&all), 1, "nothing is changed");
}

fn rule_10_16_memberships_per_request_are_limited(server: &Server) {
    let cast = Cast::new(server);
    let group = |number: usize| json!({"name": format!("G{number}")});
    cast.post("/groups/batch", &batch((0..1_000).map(group))).ok();
    let grouped = |name: usize, groups: std::ops::Range<usize>| {
        let groups: Vec<Value> = groups.map(group).collect();
        json!({"name": format!("A{name}"), "type": "ASSET", "groups": groups})
    };
    let create = |names: std::ops::Range<usize>| {
        let some = batch(names.map(|name| grouped(name, 0..1_000)));
        cast.post("/accounts/batch", &some)
    };
    let advice = "the items put accounts into groups more than 30000 times: send fewer items at \
                  once";
    assert!(create(0..31).refused(400, "badRequest").ends_with(advice));
    assert_eq!(count_items(&cast.read("/accounts")), 0, "nothing is changed");
    create(0..30).ok();
    create(30..31).ok();
    let listed = cast.read("/accounts");
    let change = |change: &dyn Fn(&Value) -> Value| {
        cast.put("/accounts/batch", &batch(items(&listed).iter().map(change)))
    };
    let fewer: Vec<Value> = (0..999).map(group).collect();
    let regroup = |account: &Value| json!({"id": account["id"], "groups": fewer});
    assert!(change(&regroup).refused(400, "badRequest").ends_with(advice));
    // Unchanged memberships do not count.
    change(&|account| json!({"id": account["id"], "archived": true})).ok();
    let groups = |name: &str| count_items(&cast.read(&format!("/accounts/{name}/groups")));
    assert_eq!(groups("A30"), 1_000);
    cast.put("/accounts", &regroup(&items(&listed)[0])).ok();
    let name = items(&listed)[0]["name"].as_str().expect("a name");
    assert_eq!(groups(name), 999);
    let first = cast.read("/groups/G0");
    cast.delete(&format!("/groups/{}", id(&first))).ok();
    assert_eq!((groups(name), groups("A30")), (998, 999), "memberships are deleted with the group");
}

fn rule_10_16_repeated_large_accounts_are_refused(server: &Server) {
    let cast = Cast::new(server);
    let body = json!({"name": "Large", "type": "ASSET", "properties": properties()});
    let account = cast.post("/accounts", &body).ok();
    let events = || count_items(&cast.read("/events?limit=200"));
    let before = events();
    let again = |count: usize, archived: bool| {
        let item = |turn: usize| {
            let now = if turn.is_multiple_of(2) { archived } else { !archived };
            json!({"id": account["id"], "archived": now})
        };
        cast.put("/accounts/batch", &batch((0..count).map(item)))
    };
    let message = again(700, true).refused(400, "badRequest");
    let advice = "the items name or change more than 33554432 bytes together: send fewer items at \
                  once";
    assert!(message.ends_with(advice), "{message}");
    let delete = |count: usize| {
        let bodies = batch(vec![json!({"id": account["id"]}); count]);
        cast.post("/accounts/delete/batch", &bodies)
    };
    assert!(delete(700).refused(400, "badRequest").ends_with(advice));
    assert_eq!(events(), before, "nothing is changed");
    assert_eq!(count_items(&again(20, true).ok()), 20);
    assert_eq!(events(), before + 20);
    delete(500).ok();
    assert_eq!(count_items(&cast.read("/accounts")), 0);
}

fn rule_10_16_repeated_large_groups_are_refused(server: &Server) {
    let cast = Cast::new(server);
    let body = json!({"name": "Large", "properties": properties()});
    let group = cast.post("/groups", &body).ok();
    let again = |count: usize| batch(vec![json!({"id": group["id"], "hidden": true}); count]);
    let send = |count| cast.put("/groups/batch", &again(count));
    send(700).refused(400, "badRequest");
    assert_eq!(cast.read("/groups/Large")["hidden"], false);
    assert_eq!(count_items(&send(20).ok()), 20);
    let delete = |count| cast.post("/groups/delete/batch", &again(count));
    delete(700).refused(400, "badRequest");
    delete(20).ok();
    assert_eq!(count_items(&cast.read("/groups")), 0);
}

fn rule_1_7_6_groups_of_a_query_are_limited(server: &Server) {
    let cast = Cast::new(server);
    let prefix = unique("G");
    let named = |number: usize| json!({"name": format!("{prefix} {number}")});
    let group = |number: usize| {
        let parent = number.checked_sub(1).map(named);
        json!({"name": named(number)["name"], "parent": parent})
    };
    cast.post("/groups/batch", &batch((0..220).map(group))).ok();
    let list = |terms: usize| {
        let terms: Vec<String> =
            (0..terms).map(|number| format!("group:'{prefix} {number}'")).collect();
        let query = encode(&terms.join(" OR "));
        cast.get(&format!("/transactions?query={query}"))
    };
    // 220 + 219 + ... groups below the first 130 of the chain.
    let message = list(130).refused(400, "queryTooLarge");
    assert!(message.contains("groups; at most 20000 are allowed"), "{message}");
    list(90).ok();
}
