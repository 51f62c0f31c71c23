//! Rows of the permission matrix (7.3) for accounts and groups; the others are in `matrix`.

use daybook_tests::{Answer, Client};
use serde_json::{Value, json};

use crate::matrix::{BUT_RECORDER, EDIT, OWN, Operation, items, one, read, write};
use crate::permissions::PermissionFixture;

fn post(caller: &Client, fixture: &PermissionFixture, rest: &str, body: Value) -> Answer {
    caller.post(&fixture.cast.path(rest), &body)
}

fn put(caller: &Client, fixture: &PermissionFixture, rest: &str, body: Value) -> Answer {
    caller.put(&fixture.cast.path(rest), &body)
}

pub const READS: &[Operation] = &[
    read("list_accounts", |c, s| c.get(&s.cast.path("/accounts")), BUT_RECORDER),
    read("get_account", |c, s| c.get(&one(s, "accounts", &s.account)), BUT_RECORDER),
    read("get_account_by_name", |c, s| c.get(&s.cast.path("/accounts/cash")), BUT_RECORDER),
    read("list_account_groups", |c, s| c.get(&s.cast.path("/accounts/cash/groups")), BUT_RECORDER),
    read("list_groups", |c, s| c.get(&s.cast.path("/groups")), BUT_RECORDER),
    read("get_group", |c, s| c.get(&one(s, "groups", &s.group)), BUT_RECORDER),
    read(
        "list_group_accounts",
        |c, s| c.get(&s.cast.path("/groups/assets/accounts")),
        BUT_RECORDER,
    ),
];

pub const WRITES: &[Operation] = &[
    write("create_account", |c, s| post(c, s, "/accounts", json!({"name": "New"})), EDIT),
    write(
        "update_account",
        |c, s| put(c, s, "/accounts", json!({"id": s.account["id"], "name": "New"})),
        EDIT,
    ),
    write(
        "update_account_by_name",
        |c, s| put(c, s, "/accounts", json!({"name": "Cash", "archived": true})),
        EDIT,
    ),
    write("delete_account", |c, s| c.delete(&one(s, "accounts", &s.spare)), EDIT),
    write(
        "create_accounts_batch",
        |c, s| post(c, s, "/accounts/batch", items(json!({"name": "New"}))),
        EDIT,
    ),
    write(
        "update_accounts_batch",
        |c, s| {
            put(c, s, "/accounts/batch", items(json!({"id": s.account["id"], "archived": true})))
        },
        EDIT,
    ),
    write(
        "delete_accounts_batch",
        |c, s| post(c, s, "/accounts/delete/batch", items(json!({"id": s.spare["id"]}))),
        EDIT,
    ),
    write("create_group", |c, s| post(c, s, "/groups", json!({"name": "New"})), EDIT),
    write(
        "update_group",
        |c, s| put(c, s, "/groups", json!({"id": s.group["id"], "hidden": true})),
        EDIT,
    ),
    write("delete_group", |c, s| c.delete(&one(s, "groups", &s.group)), EDIT),
    write(
        "create_groups_batch",
        |c, s| post(c, s, "/groups/batch", items(json!({"name": "New"}))),
        EDIT,
    ),
    write(
        "update_groups_batch",
        |c, s| put(c, s, "/groups/batch", items(json!({"id": s.group["id"], "hidden": true}))),
        EDIT,
    ),
    write(
        "delete_groups_batch",
        |c, s| post(c, s, "/groups/delete/batch", items(json!({"id": s.group["id"]}))),
        EDIT,
    ),
    write(
        "lock_group",
        |c, s| put(c, s, "/groups", json!({"id": s.group["id"], "locked": true})),
        OWN,
    ),
    write(
        "create_locked_group",
        |c, s| post(c, s, "/groups", json!({"name": "New", "locked": true})),
        OWN,
    ),
    write(
        "create_locked_groups_batch",
        |c, s| post(c, s, "/groups/batch", items(json!({"name": "New", "locked": true}))),
        OWN,
    ),
    read(
        "create_accounts_batch_of_none",
        |c, s| post(c, s, "/accounts/batch", json!({"items": []})),
        EDIT,
    ),
    read(
        "create_groups_batch_of_none",
        |c, s| post(c, s, "/groups/batch", json!({"items": []})),
        EDIT,
    ),
    read(
        "update_groups_batch_of_none",
        |c, s| put(c, s, "/groups/batch", json!({"items": []})),
        EDIT,
    ),
    read(
        "delete_groups_batch_of_none",
        |c, s| post(c, s, "/groups/delete/batch", json!({"items": []})),
        EDIT,
    ),
];
