//! Locked groups (4.15): only the OWNER sets `locked` and changes a locked group, its membership or
//! its accounts.

use daybook_tests::{Cast, Client, Server, column, id, shows};
use serde_json::{Value, json};

use crate::Case;

pub fn tests() -> Vec<Case> {
    let mut cases = crate::cases![
        locking_is_the_owners,
        unchanged_flag_needs_no_permission,
        transactions_are_not_affected,
        unlocked_groups_beside_are_free,
        batch_with_one_locked_account,
        permission_comes_before_values,
    ];
    for (name, change) in CHANGES {
        cases.push(Case::shared(format!("{name}_by_the_owner"), move |server| {
            owner(server, *change)
        }));
        cases.push(Case::shared(format!("{name}_by_an_editor"), move |server| {
            editor(server, *change)
        }));
    }
    cases
}

/// The locked group `Locked` (in it the accounts `Inside` and `Both`), the group `Open` (in it
/// `Both`) and the account `Outside`.
struct Stage {
    cast: Cast,
    group: Value,
    open: Value,
    inside: Value,
    outside: Value,
}

fn stage(server: &Server) -> Stage {
    let cast = Cast::new(server);
    let group =
        cast.owner.post(&cast.path("/groups"), &json!({"name": "Locked", "locked": true})).ok();
    assert_eq!(group["locked"], true);
    let open = cast.group("Open");
    let inside = cast.account_in("Inside", "ASSET", &["Locked"]);
    cast.account_in("Both", "ASSET", &["Locked", "Open"]);
    let outside = cast.account("Outside", "ASSET");
    Stage { cast, group, open, inside, outside }
}

type Change = fn(&Stage, &Client) -> daybook_tests::Answer;

/// Everything that changes a locked group, its membership or its accounts.
const CHANGES: &[(&str, Change)] = &[
    ("rename_group", |stage, client| put_group(stage, client, json!({"name": "Renamed"}))),
    ("hide_group", |stage, client| put_group(stage, client, json!({"hidden": true}))),
    ("move_group", |stage, client| put_group(stage, client, json!({"parent": {"name": "Open"}}))),
    ("tag_group", |stage, client| put_group(stage, client, json!({"properties": {"a": "b"}}))),
    ("unlock_group", |stage, client| put_group(stage, client, json!({"locked": false}))),
    ("delete_group", |stage, client| {
        client.delete(&stage.cast.path(&format!("/groups/{}", id(&stage.group))))
    }),
    // An account in it loses a membership, as by an update of that account.
    ("delete_group_of_its_account", |stage, client| {
        client.delete(&stage.cast.path(&format!("/groups/{}", id(&stage.open))))
    }),
    ("create_account_in_it", |stage, client| {
        client.post(
            &stage.cast.path("/accounts"),
            &json!({"name": "New", "groups": [{"name": "Locked"}]}),
        )
    }),
    ("create_accounts_in_it", |stage, client| {
        let items = json!([{"name": "New 1"}, {"name": "New 2", "groups": [{"name": "Locked"}]}]);
        client.post(&stage.cast.path("/accounts/batch"), &json!({"items": items}))
    }),
    ("add_account", |stage, client| {
        put_account(stage, client, &stage.outside, json!({"groups": [{"name": "Locked"}]}))
    }),
    ("remove_account", |stage, client| {
        put_account(stage, client, &stage.inside, json!({"groups": []}))
    }),
    ("rename_account", |stage, client| {
        put_account(stage, client, &stage.inside, json!({"name": "Renamed"}))
    }),
    ("retype_account", |stage, client| {
        put_account(stage, client, &stage.inside, json!({"type": "LIABILITY"}))
    }),
    ("archive_account", |stage, client| {
        put_account(stage, client, &stage.inside, json!({"archived": true}))
    }),
    ("tag_account", |stage, client| {
        put_account(stage, client, &stage.inside, json!({"properties": {"a": "b"}}))
    }),
    ("delete_account", |stage, client| {
        client.delete(&stage.cast.path(&format!("/accounts/{}", id(&stage.inside))))
    }),
    ("delete_accounts", |stage, client| {
        let items = json!([{"id": stage.outside["id"]}, {"id": stage.inside["id"]}]);
        client.post(&stage.cast.path("/accounts/delete/batch"), &json!({"items": items}))
    }),
];

fn put_group(stage: &Stage, client: &Client, mut change: Value) -> daybook_tests::Answer {
    change["id"] = stage.group["id"].clone();
    client.put(&stage.cast.path("/groups"), &change)
}

fn put_account(
    stage: &Stage,
    client: &Client,
    account: &Value,
    mut change: Value,
) -> daybook_tests::Answer {
    change["id"] = account["id"].clone();
    client.put(&stage.cast.path("/accounts"), &change)
}

fn snapshot(stage: &Stage) -> Value {
    stage.cast.owner.get(&stage.cast.path("?loadAccounts=true")).ok()
}

fn owner(server: &Server, change: Change) {
    let stage = stage(server);
    let before = snapshot(&stage);
    change(&stage, &stage.cast.owner).ok();
    assert_ne!(snapshot(&stage), before, "the change is made");
}

fn editor(server: &Server, change: Change) {
    let stage = stage(server);
    let before = snapshot(&stage);
    change(&stage, &stage.cast.editor).refused(403, "forbidden");
    assert_eq!(snapshot(&stage), before, "a refused request changes nothing");
}

/// 4.15: `locked` is set by the OWNER.
fn locking_is_the_owners(server: &Server) {
    let cast = Cast::new(server);
    let group = cast.group("G");
    let lock = json!({"id": group["id"], "locked": true});
    cast.editor.put(&cast.path("/groups"), &lock).refused(403, "forbidden");
    cast.editor
        .post(&cast.path("/groups"), &json!({"name": "New", "locked": true}))
        .refused(403, "forbidden");
    let list = json!({"items": [{"name": "New 1"}, {"name": "New 2", "locked": true}]});
    cast.editor.post(&cast.path("/groups/batch"), &list).refused(403, "forbidden");
    assert_eq!(column(&cast.owner.get(&cast.path("/groups")).ok(), "name"), ["G"]);
    assert_eq!(cast.owner.put(&cast.path("/groups"), &lock).ok()["locked"], true);
    let unlock = json!({"id": group["id"], "locked": false});
    cast.editor.put(&cast.path("/groups"), &unlock).refused(403, "forbidden");
    assert_eq!(cast.owner.put(&cast.path("/groups"), &unlock).ok()["locked"], false);
}

/// 4.15: an unchanged `locked` in a round trip needs no permission.
fn unchanged_flag_needs_no_permission(server: &Server) {
    let cast = Cast::new(server);
    let mut whole = cast.group("G");
    whole["name"] = json!("Renamed");
    whole["locked"] = json!(false);
    shows(
        &cast.editor.put(&cast.path("/groups"), &whole).ok(),
        &json!({"name": "Renamed", "locked": false}),
    );
    cast.editor.post(&cast.path("/groups"), &json!({"name": "Open", "locked": false})).ok();
}

/// 4.15: transactions on those accounts are not affected.
fn transactions_are_not_affected(server: &Server) {
    let stage = stage(server);
    let cast = &stage.cast;
    let transactions = cast.path("/transactions");
    for (turn, client) in [&cast.owner, &cast.editor, &cast.poster].into_iter().enumerate() {
        let body = json!({
            "date": "2025-01-31", "amount": "5", "creditAccount": {"name": "Inside"},
            "debitAccount": {"name": "Outside"},
        });
        let recorded = client.post(&transactions, &body).ok()["transaction"].clone();
        assert_eq!(recorded["posted"], true, "caller {turn}");
        client.put(&transactions, &json!({"id": recorded["id"], "amount": "6"})).ok();
        client.patch(&cast.path("/transactions/trash"), &json!({"id": recorded["id"]})).ok();
    }
}

fn unlocked_groups_beside_are_free(server: &Server) {
    let stage = stage(server);
    put_account(
        &stage,
        &stage.cast.editor,
        &stage.outside,
        json!({"groups": [{"name": "Open"}], "name": "Free"}),
    )
    .ok();
    let open = stage.cast.owner.get(&stage.cast.path("/groups/open")).ok();
    stage
        .cast
        .editor
        .put(&stage.cast.path("/groups"), &json!({"id": open["id"], "hidden": true}))
        .ok();
}

/// 3.6.5: missing permission fails the whole batch.
fn batch_with_one_locked_account(server: &Server) {
    let stage = stage(server);
    let before = snapshot(&stage);
    let items = json!([
        {"id": stage.outside["id"], "name": "Free"}, {"id": stage.inside["id"], "name": "Refused"},
    ]);
    let batch = json!({"items": items});
    stage.cast.editor.put(&stage.cast.path("/accounts/batch"), &batch).refused(403, "forbidden");
    assert_eq!(snapshot(&stage), before);
    stage.cast.owner.put(&stage.cast.path("/accounts/batch"), &batch).ok();
}

/// 0.17: too little permission is refused before a stale condition and before bad values.
fn permission_comes_before_values(server: &Server) {
    let stage = stage(server);
    let (cast, long) = (&stage.cast, "x".repeat(256));
    let stale = cast.editor.header("If-Match", "\"stale\"");
    for fields in [
        json!({"name": long}),
        json!({"name": "Outside"}),
        json!({"groups": [{"name": "Nowhere"}]}),
        json!({"properties": {"": "v"}}),
    ] {
        put_account(&stage, &cast.editor, &stage.inside, fields.clone()).refused(403, "forbidden");
        put_account(&stage, &stale, &stage.inside, fields.clone()).refused(403, "forbidden");
        put_account(&stage, &cast.owner, &stage.inside, fields).refused(400, "badRequest");
    }
    for fields in [
        json!({"name": long}),
        json!({"name": "Open"}),
        json!({"parent": {"name": "Nowhere"}}),
        json!({"parent": {"name": "Locked"}}),
    ] {
        put_group(&stage, &cast.editor, fields.clone()).refused(403, "forbidden");
        put_group(&stage, &cast.owner, fields).refused(400, "badRequest");
    }
    cast.editor
        .post(&cast.path("/accounts"), &json!({"name": "Outside", "groups": [{"name": "Locked"}]}))
        .refused(403, "forbidden");
    cast.editor
        .post(&cast.path("/groups"), &json!({"name": "Open", "locked": true}))
        .refused(403, "forbidden");
    // Values that change nothing need no permission.
    put_account(&stage, &cast.editor, &stage.inside, json!({"name": "Inside"})).ok();
}
