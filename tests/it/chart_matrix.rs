//! Rows of the permission matrix (7.3) for accounts and groups; the others are in `matrix`.

use serde_json::json;

use crate::matrix::{BUT_RECORDER, EDIT, OWN, Operation, items, one, read, write};

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
    write(
        "create_account",
        |c, s| c.post(&s.cast.path("/accounts"), &json!({"name": "New"})),
        EDIT,
    ),
    write(
        "update_account",
        |c, s| c.put(&s.cast.path("/accounts"), &json!({"id": s.account["id"], "name": "New"})),
        EDIT,
    ),
    write(
        "update_account_by_name",
        |c, s| c.put(&s.cast.path("/accounts"), &json!({"name": "Cash", "archived": true})),
        EDIT,
    ),
    write("delete_account", |c, s| c.delete(&one(s, "accounts", &s.spare)), EDIT),
    write(
        "create_accounts_batch",
        |c, s| c.post(&s.cast.path("/accounts/batch"), &items(json!({"name": "New"}))),
        EDIT,
    ),
    write(
        "update_accounts_batch",
        |c, s| {
            c.put(
                &s.cast.path("/accounts/batch"),
                &items(json!({"id": s.account["id"], "archived": true})),
            )
        },
        EDIT,
    ),
    write(
        "delete_accounts_batch",
        |c, s| c.post(&s.cast.path("/accounts/delete/batch"), &items(json!({"id": s.spare["id"]}))),
        EDIT,
    ),
    write("create_group", |c, s| c.post(&s.cast.path("/groups"), &json!({"name": "New"})), EDIT),
    write(
        "update_group",
        |c, s| c.put(&s.cast.path("/groups"), &json!({"id": s.group["id"], "hidden": true})),
        EDIT,
    ),
    write("delete_group", |c, s| c.delete(&one(s, "groups", &s.group)), EDIT),
    write(
        "create_groups_batch",
        |c, s| c.post(&s.cast.path("/groups/batch"), &items(json!({"name": "New"}))),
        EDIT,
    ),
    write(
        "update_groups_batch",
        |c, s| {
            c.put(
                &s.cast.path("/groups/batch"),
                &items(json!({"id": s.group["id"], "hidden": true})),
            )
        },
        EDIT,
    ),
    write(
        "delete_groups_batch",
        |c, s| c.post(&s.cast.path("/groups/delete/batch"), &items(json!({"id": s.group["id"]}))),
        EDIT,
    ),
    write(
        "lock_group",
        |c, s| c.put(&s.cast.path("/groups"), &json!({"id": s.group["id"], "locked": true})),
        OWN,
    ),
    write(
        "create_locked_group",
        |c, s| c.post(&s.cast.path("/groups"), &json!({"name": "New", "locked": true})),
        OWN,
    ),
    read(
        "create_accounts_batch_of_none",
        |c, s| c.post(&s.cast.path("/accounts/batch"), &json!({"items": []})),
        EDIT,
    ),
    read(
        "create_groups_batch_of_none",
        |c, s| c.post(&s.cast.path("/groups/batch"), &json!({"items": []})),
        EDIT,
    ),
    read(
        "update_groups_batch_of_none",
        |c, s| c.put(&s.cast.path("/groups/batch"), &json!({"items": []})),
        EDIT,
    ),
    read(
        "delete_groups_batch_of_none",
        |c, s| c.post(&s.cast.path("/groups/delete/batch"), &json!({"items": []})),
        EDIT,
    ),
];
