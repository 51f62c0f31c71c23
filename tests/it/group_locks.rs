//! Locked groups (4.15): only the OWNER sets `locked` and changes a locked group, its membership or
//! its accounts.

use daybook_tests::{Cast, Client, Server, id, shows};
use serde_json::{Value, json};

use crate::Case;

pub fn tests() -> Vec<Case> {
    let mut cases = crate::cases![
        locked_group_does_not_affect_transactions,
        other_groups_are_not_affected,
        batch_with_one_locked_account_is_refused,
        permission_is_checked_before_values,
    ];
    for (name, change) in CHANGES {
        let case = move |server: &Server| check_change(server, *change);
        cases.push(Case::shared(format!("{name}_requires_the_owner"), case));
    }
    cases
}

/// The locked group `Locked` (in it the accounts `Inside` and `Both`), the group `Open` (in it
/// `Both`) and the account `Outside`.
struct LockFixture {
    cast: Cast,
    group: Value,
    open: Value,
    inside: Value,
    outside: Value,
}

fn fixture(server: &Server) -> LockFixture {
    let cast = Cast::new(server);
    let group = cast.post("/groups", &json!({"name": "Locked", "locked": true})).ok();
    assert_eq!(group["locked"], true);
    let open = cast.group("Open");
    let inside = cast.account_in("Inside", "ASSET", &["Locked"]);
    cast.account_in("Both", "ASSET", &["Locked", "Open"]);
    let outside = cast.account("Outside", "ASSET");
    LockFixture { cast, group, open, inside, outside }
}

type Change = fn(&LockFixture, &Client) -> daybook_tests::Answer;

/// Changes of a locked group, its membership or its accounts.
const CHANGES: &[(&str, Change)] = &[
    ("rename_group", |fixture, client| put_group(fixture, client, json!({"name": "Renamed"}))),
    ("hide_group", |fixture, client| put_group(fixture, client, json!({"hidden": true}))),
    ("move_group", |fixture, client| {
        put_group(fixture, client, json!({"parent": {"name": "Open"}}))
    }),
    ("tag_group", |fixture, client| put_group(fixture, client, json!({"properties": {"a": "b"}}))),
    ("unlock_group", |fixture, client| put_group(fixture, client, json!({"locked": false}))),
    ("delete_group", |fixture, client| {
        client.delete(&fixture.cast.path(&format!("/groups/{}", id(&fixture.group))))
    }),
    // An account of the locked group loses another membership.
    ("delete_group_of_its_account", |fixture, client| {
        client.delete(&fixture.cast.path(&format!("/groups/{}", id(&fixture.open))))
    }),
    ("create_account_in_it", |fixture, client| {
        client.post(
            &fixture.cast.path("/accounts"),
            &json!({"name": "New", "groups": [{"name": "Locked"}]}),
        )
    }),
    ("create_accounts_in_it", |fixture, client| {
        let items = json!([{"name": "New 1"}, {"name": "New 2", "groups": [{"name": "Locked"}]}]);
        client.post(&fixture.cast.path("/accounts/batch"), &json!({"items": items}))
    }),
    ("add_account", |fixture, client| {
        put_account(fixture, client, &fixture.outside, json!({"groups": [{"name": "Locked"}]}))
    }),
    ("remove_account", |fixture, client| {
        put_account(fixture, client, &fixture.inside, json!({"groups": []}))
    }),
    ("rename_account", |fixture, client| {
        put_account(fixture, client, &fixture.inside, json!({"name": "Renamed"}))
    }),
    ("retype_account", |fixture, client| {
        put_account(fixture, client, &fixture.inside, json!({"type": "LIABILITY"}))
    }),
    ("archive_account", |fixture, client| {
        put_account(fixture, client, &fixture.inside, json!({"archived": true}))
    }),
    ("tag_account", |fixture, client| {
        put_account(fixture, client, &fixture.inside, json!({"properties": {"a": "b"}}))
    }),
    ("delete_account", |fixture, client| {
        client.delete(&fixture.cast.path(&format!("/accounts/{}", id(&fixture.inside))))
    }),
    ("delete_accounts", |fixture, client| {
        let items = json!([{"id": fixture.outside["id"]}, {"id": fixture.inside["id"]}]);
        client.post(&fixture.cast.path("/accounts/delete/batch"), &json!({"items": items}))
    }),
];

fn put_group(fixture: &LockFixture, client: &Client, mut change: Value) -> daybook_tests::Answer {
    change["id"] = fixture.group["id"].clone();
    client.put(&fixture.cast.path("/groups"), &change)
}

fn put_account(
    fixture: &LockFixture,
    client: &Client,
    account: &Value,
    mut change: Value,
) -> daybook_tests::Answer {
    change["id"] = account["id"].clone();
    client.put(&fixture.cast.path("/accounts"), &change)
}

fn snapshot(fixture: &LockFixture) -> Value {
    fixture.cast.read("?loadAccounts=true")
}

fn check_change(server: &Server, change: Change) {
    let fixture = fixture(server);
    let before = snapshot(&fixture);
    change(&fixture, &fixture.cast.editor).refused(403, "forbidden");
    assert_eq!(snapshot(&fixture), before, "a refused request changes nothing");
    change(&fixture, &fixture.cast.owner).ok();
    assert_ne!(snapshot(&fixture), before, "the change is made");
}

/// 4.15.
fn locked_group_does_not_affect_transactions(server: &Server) {
    let fixture = fixture(server);
    let cast = &fixture.cast;
    let transactions = cast.path("/transactions");
    for (number, client) in [&cast.owner, &cast.editor, &cast.poster].into_iter().enumerate() {
        let body = json!({
            "date": "2025-01-31", "amount": "5", "creditAccount": {"name": "Inside"},
            "debitAccount": {"name": "Outside"},
        });
        let recorded = client.post(&transactions, &body).ok()["transaction"].clone();
        assert_eq!(recorded["posted"], true, "caller {number}");
        client.put(&transactions, &json!({"id": recorded["id"], "amount": "6"})).ok();
        client.patch(&cast.path("/transactions/trash"), &json!({"id": recorded["id"]})).ok();
    }
}

/// 4.15: nor an unchanged `locked`.
fn other_groups_are_not_affected(server: &Server) {
    let fixture = fixture(server);
    let editor = &fixture.cast.editor;
    let free = json!({"groups": [{"name": "Open"}], "name": "Free"});
    put_account(&fixture, editor, &fixture.outside, free).ok();
    let open = json!({"id": fixture.open["id"], "hidden": true});
    editor.put(&fixture.cast.path("/groups"), &open).ok();
    let mut whole = fixture.cast.read("/groups/open");
    whole["name"] = json!("Renamed");
    let expected = json!({"name": "Renamed", "locked": false});
    shows(&editor.put(&fixture.cast.path("/groups"), &whole).ok(), &expected);
    editor.post(&fixture.cast.path("/groups"), &json!({"name": "New", "locked": false})).ok();
}

/// 3.6.5.
fn batch_with_one_locked_account_is_refused(server: &Server) {
    let fixture = fixture(server);
    let before = snapshot(&fixture);
    let items = json!([
        {"id": fixture.outside["id"], "name": "Free"},
        {"id": fixture.inside["id"], "name": "Refused"},
    ]);
    let batch = json!({"items": items});
    let path = fixture.cast.path("/accounts/batch");
    fixture.cast.editor.put(&path, &batch).refused(403, "forbidden");
    assert_eq!(snapshot(&fixture), before);
    fixture.cast.put("/accounts/batch", &batch).ok();
}

/// 0.17: and before a stale condition.
fn permission_is_checked_before_values(server: &Server) {
    let fixture = fixture(server);
    let (cast, long) = (&fixture.cast, "x".repeat(256));
    let stale = cast.editor.header("If-Match", "\"stale\"");
    for fields in [
        json!({"name": long}),
        json!({"name": "Outside"}),
        json!({"groups": [{"name": "Nowhere"}]}),
        json!({"properties": {"": "v"}}),
    ] {
        put_account(&fixture, &cast.editor, &fixture.inside, fields.clone())
            .refused(403, "forbidden");
        put_account(&fixture, &stale, &fixture.inside, fields.clone()).refused(403, "forbidden");
        put_account(&fixture, &cast.owner, &fixture.inside, fields).refused(400, "badRequest");
    }
    for fields in [
        json!({"name": long}),
        json!({"name": "Open"}),
        json!({"parent": {"name": "Nowhere"}}),
        json!({"parent": {"name": "Locked"}}),
    ] {
        put_group(&fixture, &cast.editor, fields.clone()).refused(403, "forbidden");
        put_group(&fixture, &cast.owner, fields).refused(400, "badRequest");
    }
    cast.editor
        .post(&cast.path("/accounts"), &json!({"name": "Outside", "groups": [{"name": "Locked"}]}))
        .refused(403, "forbidden");
    cast.editor
        .post(&cast.path("/groups"), &json!({"name": "Open", "locked": true}))
        .refused(403, "forbidden");
    // Unchanged values require no permission.
    put_account(&fixture, &cast.editor, &fixture.inside, json!({"name": "Inside"})).ok();
}
