//! The rows of the permission matrix (7.3) that have an operation: the call, and the result for
//! each caller.

use daybook_tests::{Answer, Client, id};
use serde_json::{Value, json};

use crate::chart_matrix::{READS as CHART_READS, WRITES as CHART_WRITES};
use crate::permissions::{PermissionFixture, complete};

/// One row.
pub struct Operation {
    pub name: &'static str,
    /// Whether an allowed call writes.
    pub writes: bool,
    pub call: fn(&Client, &PermissionFixture) -> Answer,
    /// owner, editor, poster, recorder, viewer, public reader, stranger, anonymous, and the
    /// recorder of a PUBLIC book.
    pub cells: &'static str,
}

pub const fn read(
    name: &'static str,
    call: fn(&Client, &PermissionFixture) -> Answer,
    cells: &'static str,
) -> Operation {
    Operation { name, writes: false, call, cells }
}

pub const fn write(
    name: &'static str,
    call: fn(&Client, &PermissionFixture) -> Answer,
    cells: &'static str,
) -> Operation {
    Operation { name, writes: true, call, cells }
}

// The rows of behaviour 7.3, grouped by result.
const ANY_READER: &str = "yes yes yes yes yes yes 404 401 yes";
pub const BUT_RECORDER: &str = "yes yes yes 403 yes yes 404 401 yes";
/// Collaborators are not public.
const COLLABORATORS: &str = "yes yes yes 403 yes 403 404 401 yes";
/// Objects of the owner: another user's object is 404 where the RECORDER has `own`.
const OTHERS_OBJECT: &str = "yes yes yes 404 yes yes 404 401 yes";
const RECORD: &str = "yes yes yes yes 403 403 404 401 yes";
const RECORD_POSTED: &str = "yes yes yes draft 403 403 404 401 draft";
const CHANGE_DRAFT: &str = "yes yes yes 404 403 403 404 401 403";
const POST: &str = "yes yes yes 403 403 403 404 401 403";
/// The permission depends on the object, which the RECORDER does not see and so does not find
/// (7.8).
const CHANGE_POSTED: &str = "yes yes yes 404 403 403 404 401 403";
const CHECK: &str = "yes yes 403 403 403 403 404 401 403";
const CHANGE_CHECKED: &str = "yes yes 403 404 403 403 404 401 403";
pub const EDIT: &str = "yes yes 403 403 403 403 404 401 403";
pub const OWN: &str = "yes 403 403 403 403 403 404 401 403";

pub fn operations() -> impl Iterator<Item = &'static Operation> {
    [BOOK, CHART_READS, CHART_WRITES, SHARING, DRAFTS, FILES, COMMENTS, POSTINGS, CHECKS]
        .into_iter()
        .flatten()
}

const COUNTS: &str =
    "/transactions/count/posted?after=2025-01-01&before=2026-01-01&periodicity=MONTHLY";

const BOOK: &[Operation] = &[
    read("get_book", |c, s| c.get(&s.path("")), ANY_READER),
    read("list_queries", |c, s| c.get(&s.path("/queries")), BUT_RECORDER),
    read("get_query", |c, s| c.get(&one(s, "queries", &s.query)), BUT_RECORDER),
    write("save_query", |c, s| c.post(&s.path("/queries"), &json!({"query": "is:draft"})), EDIT),
    write(
        "update_query",
        |c, s| c.put(&s.path("/queries"), &json!({"id": s.query["id"], "title": "New"})),
        EDIT,
    ),
    write("delete_query", |c, s| c.delete(&one(s, "queries", &s.query)), EDIT),
    read("list_reconciliations", |c, s| c.get(&s.path("/reconciliations")), BUT_RECORDER),
    read(
        "get_reconciliation",
        |c, s| c.get(&one(s, "reconciliations", &s.reconciliation)),
        BUT_RECORDER,
    ),
    write("create_reconciliation", create_reconciliation, CHECK),
    write(
        "update_reconciliation",
        |c, s| {
            let add = json!({"add": [s.unchecked["id"]]});
            c.put(&one(s, "reconciliations", &s.reconciliation), &add)
        },
        CHECK,
    ),
    write(
        "delete_reconciliation",
        |c, s| c.delete(&one(s, "reconciliations", &s.reconciliation)),
        CHECK,
    ),
    read("list_imports", |c, s| c.get(&s.path("/imports")), ANY_READER),
    read("get_import", |c, s| c.get(&one(s, "imports", &s.import)), OTHERS_OBJECT),
    read("list_import_records", |c, s| c.get(&of_import(s, "/records")), OTHERS_OBJECT),
    write("create_import", create_import, RECORD),
    write(
        "confirm_import",
        |c, s| c.post(&of_import(s, "/confirm"), &json!({})),
        "yes 403 403 404 403 403 404 401 403",
    ),
    write(
        "delete_import",
        |c, s| c.delete(&of_import(s, "")),
        "yes 403 403 404 403 403 404 401 403",
    ),
    write(
        "undo_import",
        |c, s| c.post(&format!("{}/undo", one(s, "imports", &s.done_import)), &json!({})),
        "yes yes yes 404 403 403 404 401 403",
    ),
    read("list_integrations", |c, s| c.get(&s.path("/integrations")), BUT_RECORDER),
    read("list_book_apps", |c, s| c.get(&s.path("/apps")), BUT_RECORDER),
    write(
        "create_integration",
        |c, s| c.post(&s.path("/integrations"), &json!({"agentId": s.app["id"]})),
        EDIT,
    ),
    write("update_integration", update_integration, EDIT),
    write("delete_integration", |c, s| c.delete(&one(s, "integrations", &s.integration)), EDIT),
    read("get_balances", |c, s| c.get(&s.path("/balances?query=account:Cash")), BUT_RECORDER),
    read("get_report", |c, s| c.get(&s.path("/reports/balance-sheet")), BUT_RECORDER),
    read("get_changes", |c, s| c.get(&s.path("/reports/changes")), BUT_RECORDER),
    read("get_report_link", |c, s| c.get(&s.path("/reports/journal/link")), BUT_RECORDER),
    read("get_export", |c, s| c.get(&s.path("/export?format=csv")), BUT_RECORDER),
    read("get_export_link", |c, s| c.get(&s.path("/export/link")), BUT_RECORDER),
    read("get_book_sums", |c, s| c.get(&s.path("/balances?query=on:2025")), BUT_RECORDER),
    read("count_transactions_posted", |c, s| c.get(&s.path(COUNTS)), BUT_RECORDER),
    read("list_events", |c, s| c.get(&s.path("/events")), BUT_RECORDER),
    read("get_event", |c, s| c.get(&one(s, "events", &s.event)), BUT_RECORDER),
    read("get_event_stream", |c, s| c.get(&s.path("/events/stream")), BUT_RECORDER),
    read("get_backlog", |c, s| c.get(&s.path("/events/backlog")), BUT_RECORDER),
    read("list_event_deliveries", |c, s| c.get(&s.deliveries()), EDIT),
    read("list_app_deliveries", |c, s| c.get(&s.path("/apps/bot/deliveries")), EDIT),
    read("replay_events", |c, s| s.replay_event(c), EDIT),
    write("replay_event_response", |c, s| c.put(&s.response(), &Value::Null), EDIT),
    write("delete_event_response", |c, s| c.delete(&s.response()), EDIT),
    write("audit_book", audit, EDIT),
    write("update_book_settings", |c, s| book(c, s, json!({"pageSize": 7})), EDIT),
    write("update_book_name", |c, s| book(c, s, json!({"name": "Renamed"})), EDIT),
    write("update_book_properties", |c, s| book(c, s, json!({"properties": {"a": "b"}})), EDIT),
    write("update_book_by_path", |c, s| c.put(&s.path(""), &json!({"pageSize": 7})), EDIT),
    write("advance_lock_date", |c, s| book(c, s, json!({"lockDate": "2001-02-28"})), EDIT),
    write("advance_closing_date", |c, s| book(c, s, json!({"closingDate": "2001-02-28"})), EDIT),
    write("close_book", |c, s| close(c, s, "2001-02-28"), EDIT),
    write("close_book_earlier", |c, s| close(c, s, "2000-12-31"), OWN),
    write("move_lock_date_back", |c, s| book(c, s, json!({"lockDate": "2000-12-31"})), OWN),
    write("move_closing_date_back", |c, s| book(c, s, json!({"closingDate": "2000-12-31"})), OWN),
    write("clear_lock_date", |c, s| book(c, s, json!({"lockDate": "1900-00-00"})), OWN),
    write("clear_closing_date", |c, s| book(c, s, json!({"closingDate": "1900-00-00"})), OWN),
    // The source is unchanged, and the copy belongs to the caller.
    read("copy_book", |c, s| c.post(&s.path("/copy?name=Copy"), &Value::Null), BUT_RECORDER),
    read(
        "copy_book_with_transactions",
        |c, s| c.post(&s.path("/copy?name=Copy&copyTransactions=true"), &Value::Null),
        OWN,
    ),
    // To the other value: the book of the public reader is PUBLIC.
    write("change_visibility", change_visibility, OWN),
    // To a collaborator who requested OWNER: the transfer is immediate.
    write(
        "transfer_book",
        |c, s| c.post(&s.path("/transfer"), &json!({"email": s.cast.poster.email()})),
        OWN,
    ),
    read("get_book_transfer", |c, s| offered(s, |path| c.get(path)), OWN),
    read("decline_book_transfer", |c, s| offered(s, |path| c.delete(path)), OWN),
    // 6.28: the offer is for none of these callers.
    read(
        "accept_book_transfer",
        |c, s| offered(s, |path| c.post(&format!("{path}/accept"), &Value::Null)),
        "404 404 404 404 404 404 404 401 404",
    ),
    // 12.12: 404 for all callers except the owner, and for a book that is not deleted;
    // `deleted_books` tests the restore.
    write(
        "restore_book_that_is_there",
        |c, s| c.post(&s.path("/restore"), &Value::Null),
        "404 404 404 404 404 404 404 401 404",
    ),
    write("delete_book", |c, s| c.delete(&s.path("")), OWN),
];

fn of_import(fixture: &PermissionFixture, rest: &str) -> String {
    format!("{}{rest}", one(fixture, "imports", &fixture.import))
}

fn create_import(caller: &Client, fixture: &PermissionFixture) -> Answer {
    let file = b"Date,Description,Amount\n2025-03-01,Cafe,-1\n";
    caller.send_raw("POST", &fixture.path("/imports?account=Cash"), None, file)
}

fn create_reconciliation(caller: &Client, fixture: &PermissionFixture) -> Answer {
    let body = json!({"account": {"name": "Cash"}, "date": "2025-02-28", "closingBalance": "0"});
    caller.post(&fixture.path("/reconciliations"), &body)
}

fn close(caller: &Client, fixture: &PermissionFixture, day: &str) -> Answer {
    caller.post(&fixture.path("/close"), &json!({"closingDate": day}))
}

fn update_integration(caller: &Client, fixture: &PermissionFixture) -> Answer {
    let body = json!({"id": fixture.integration["id"], "name": "New"});
    caller.put(&fixture.path("/integrations"), &body)
}

const SHARING: &[Operation] = &[
    read("list_collaborators", |c, s| c.get(&s.path("/collaborators")), COLLABORATORS),
    write("add_collaborator", |c, s| share(c, s, "new@example.com", "VIEWER"), EDIT),
    write("change_collaborator", |c, s| share(c, s, s.cast.viewer.email(), "POSTER"), EDIT),
    write("remove_collaborator_by_none", |c, s| share(c, s, another(c, s), "NONE"), EDIT),
    write("remove_collaborator", remove_another, EDIT),
    write("promote_oneself", promote_oneself, "400 yes 403 403 403 403 404 401 403"),
    write(
        "remove_oneself",
        |c, s| c.delete(&s.path(&format!("/collaborators/{}", named(c)))),
        "400 yes yes yes yes 404 404 401 yes",
    ),
    write(
        "remove_owner",
        |c, s| c.delete(&s.path(&format!("/collaborators/{}", s.cast.owner.email()))),
        "400 400 403 403 403 403 404 401 403",
    ),
    // Every caller requests EDITOR, which the first two have (7.6).
    write(
        "request_access",
        |c, s| {
            let path = s.path("/collaborators/request?permission=EDITOR");
            c.post(&path, &Value::Null)
        },
        "400 400 yes yes yes yes yes 401 yes",
    ),
    read("list_access_requests", |c, s| c.get(&s.path("/collaborators/request")), EDIT),
    read("get_access_request", |c, s| c.get(&one(s, "collaborators/request", &s.request)), EDIT),
    write(
        "decline_access_request",
        |c, s| c.delete(&one(s, "collaborators/request", &s.request)),
        EDIT,
    ),
];

const DRAFTS: &[Operation] = &[
    read("list_transactions", |c, s| c.get(&s.path("/transactions")), ANY_READER),
    read(
        "search_transactions",
        |c, s| c.get(&s.path("/transactions?query=account:Cash")),
        ANY_READER,
    ),
    read(
        "count_transactions",
        |c, s| c.get(&s.path("/transactions/count?query=account:Cash")),
        ANY_READER,
    ),
    read("load_drafts", |c, s| load(c, s, &s.draft), OTHERS_OBJECT),
    read("load_posted", |c, s| load(c, s, &s.unchecked), OTHERS_OBJECT),
    read("load_trashed", |c, s| load(c, s, &s.trashed), OTHERS_OBJECT),
    read(
        "preview_transaction",
        |c, s| c.post(&s.path("/transactions/preview"), &json!({"description": "Cash 3"})),
        RECORD,
    ),
    read("get_draft", |c, s| c.get(&one(s, "transactions", &s.draft)), OTHERS_OBJECT),
    read("get_posted", |c, s| c.get(&one(s, "transactions", &s.unchecked)), OTHERS_OBJECT),
    write(
        "create_incomplete_draft",
        |c, s| c.post(&s.path("/transactions"), &json!({"description": "New"})),
        RECORD,
    ),
    write(
        "create_draft",
        |c, s| c.post(&s.path("/transactions"), &complete("New", true, false)),
        RECORD,
    ),
    write(
        "create_drafts_batch",
        |c, s| c.post(&s.path("/transactions/batch"), &items(complete("New", true, false))),
        RECORD,
    ),
    write(
        "update_draft",
        |c, s| update(c, s, &s.draft, json!({"description": "Changed"})),
        CHANGE_DRAFT,
    ),
    write("update_draft_in_a_batch", |c, s| update_batch(c, s, "", &s.draft), CHANGE_DRAFT),
    write("trash_draft", |c, s| verb(c, s, "trash", &s.draft), CHANGE_DRAFT),
    write("remove_draft", |c, s| verb(c, s, "remove", &s.draft), CHANGE_DRAFT),
    write("trash_draft_in_a_batch", |c, s| verb_batch(c, s, "trash/batch", &s.draft), CHANGE_DRAFT),
    write("untrash_draft", |c, s| verb(c, s, "untrash", &s.trashed_draft), CHANGE_DRAFT),
    write("restore_draft", |c, s| verb(c, s, "restore", &s.trashed_draft), CHANGE_DRAFT),
    write(
        "untrash_draft_in_a_batch",
        |c, s| verb_batch(c, s, "untrash/batch", &s.trashed_draft),
        CHANGE_DRAFT,
    ),
];

const FILES: &[Operation] = &[
    read("list_files", |c, s| c.get(&s.path("/files")), ANY_READER),
    read("get_file", |c, s| c.get(&one(s, "files", &s.file)), OTHERS_OBJECT),
    write(
        "create_file",
        |c, s| c.post(&s.path("/files"), &json!({"name": "New", "content": "YQ=="})),
        RECORD,
    ),
    write(
        "update_file",
        |c, s| c.put(&s.path("/files"), &json!({"id": s.file["id"], "name": "New"})),
        CHANGE_DRAFT,
    ),
    write(
        "update_content",
        |c, s| c.put(&s.path("/files"), &json!({"id": s.file["id"], "content": "YQ=="})),
        CHANGE_DRAFT,
    ),
    write("delete_file", |c, s| c.delete(&one(s, "files", &s.file)), CHANGE_DRAFT),
    write(
        "create_draft_with_a_file",
        |c, s| c.post(&s.path("/transactions"), &json!({"files": inline()})),
        RECORD,
    ),
    write(
        "attach_to_draft",
        |c, s| update(c, s, &s.draft, json!({"files": inline()})),
        CHANGE_DRAFT,
    ),
    write(
        "attach_to_unchecked",
        |c, s| update(c, s, &s.unchecked, json!({"files": inline()})),
        CHANGE_POSTED,
    ),
];

/// Comments on a transaction of the owner: not public (3.14.2).
const COMMENT: &str = "yes yes yes 404 yes 403 404 401 yes";

const COMMENTS: &[Operation] = &[
    read("list_comments", |c, s| c.get(&s.comments(&s.unchecked, "")), COMMENT),
    write(
        "comment_on_checked",
        |c, s| c.post(&s.comments(&s.checked, ""), &json!({"text": "New"})),
        COMMENT,
    ),
    // The author is the owner.
    write(
        "delete_comment",
        |c, s| c.delete(&s.comments(&s.unchecked, id(&s.comment))),
        "yes 403 403 404 403 403 404 401 403",
    ),
];

const POSTINGS: &[Operation] = &[
    write(
        "create_posted",
        |c, s| c.post(&s.path("/transactions"), &complete("New", false, false)),
        RECORD_POSTED,
    ),
    write(
        "create_posted_in_a_batch",
        |c, s| c.post(&s.path("/transactions/batch"), &items(complete("New", false, false))),
        RECORD_POSTED,
    ),
    write("post", |c, s| verb(c, s, "post", &s.draft), POST),
    write(
        "post_without_an_id",
        |c, s| c.patch(&s.path("/transactions/post"), &complete("New", false, false)),
        POST,
    ),
    write("post_in_a_batch", |c, s| verb_batch(c, s, "post/batch", &s.draft), POST),
    write("merge_drafts", |c, s| merge(c, s, [&s.draft, &s.draft_too]), POST),
    write("merge_posted", |c, s| merge(c, s, [&s.draft, &s.unchecked]), POST),
    write(
        "update_unchecked",
        |c, s| update(c, s, &s.unchecked, json!({"amount": "7"})),
        CHANGE_POSTED,
    ),
    write(
        "update_unchecked_in_a_batch",
        |c, s| update_batch(c, s, "", &s.unchecked),
        CHANGE_POSTED,
    ),
    write("trash_posted", |c, s| verb(c, s, "trash", &s.unchecked), CHANGE_POSTED),
    write("remove_posted", |c, s| verb(c, s, "remove", &s.unchecked), CHANGE_POSTED),
    write(
        "trash_posted_in_a_batch",
        |c, s| verb_batch(c, s, "trash/batch", &s.unchecked),
        CHANGE_POSTED,
    ),
    write("untrash_posted", |c, s| verb(c, s, "untrash", &s.trashed), CHANGE_POSTED),
    write("restore_posted", |c, s| verb(c, s, "restore", &s.trashed), CHANGE_POSTED),
    write(
        "untrash_posted_in_a_batch",
        |c, s| verb_batch(c, s, "untrash/batch", &s.trashed),
        CHANGE_POSTED,
    ),
];

const CHECKS: &[Operation] = &[
    write("check", |c, s| verb(c, s, "check", &s.unchecked), CHECK),
    write("check_in_a_batch", |c, s| verb_batch(c, s, "check/batch", &s.unchecked), CHECK),
    write("uncheck", |c, s| verb(c, s, "uncheck", &s.checked), CHECK),
    write("uncheck_in_a_batch", |c, s| verb_batch(c, s, "uncheck/batch", &s.checked), CHECK),
    // 3.4.2: an update with checked requires the check permission.
    write(
        "update_to_checked",
        |c, s| update(c, s, &s.unchecked, json!({"checked": true})),
        CHANGE_CHECKED,
    ),
    write("update_checked", |c, s| update_batch(c, s, "?updateChecked=true", &s.checked), CHECK),
    write(
        "trash_checked",
        |c, s| verb_batch(c, s, "trash/batch?trashChecked=true", &s.checked),
        CHECK,
    ),
    write("untrash_to_checked", |c, s| verb(c, s, "untrash", &s.trashed_checked), CHANGE_CHECKED),
    write(
        "untrash_to_checked_in_a_batch",
        |c, s| verb_batch(c, s, "untrash/batch", &s.trashed_checked),
        CHANGE_CHECKED,
    ),
    read(
        "check_batch_of_none",
        |c, s| c.patch(&s.path("/transactions/check/batch"), &json!({"items": []})),
        CHECK,
    ),
];

pub fn one(fixture: &PermissionFixture, kind: &str, resource: &Value) -> String {
    fixture.path(&format!("/{kind}/{}", id(resource)))
}

fn inline() -> Value {
    json!([{"name": "New", "content": "YQ=="}])
}

pub fn items(item: Value) -> Value {
    json!({"items": [item]})
}

fn book(client: &Client, fixture: &PermissionFixture, mut change: Value) -> Answer {
    change["id"] = json!(fixture.cast.book);
    client.put("/v5/books", &change)
}

/// Waits for the audit, which continues after the response.
fn audit(client: &Client, fixture: &PermissionFixture) -> Answer {
    let answer = client.send("PATCH", &fixture.path("/audit"), &Value::Null);
    if answer.status == 204 {
        crate::audit::finished(&fixture.cast, 0);
    }
    answer
}

/// Calls an operation on an open offer of the book to another address.
fn offered(fixture: &PermissionFixture, ask: impl Fn(&str) -> Answer) -> Answer {
    let path = fixture.path("/transfer");
    // A deleted book has no offer.
    fixture.cast.owner.post(&path, &json!({"email": "nobody@elsewhere.example"}));
    ask(&path)
}

fn change_visibility(client: &Client, fixture: &PermissionFixture) -> Answer {
    // Not the owner, who may be disabled.
    let now = fixture.cast.editor.get(&fixture.path("")).ok()["visibility"].clone();
    let other = if now == "PUBLIC" { "PRIVATE" } else { "PUBLIC" };
    book(client, fixture, json!({"visibility": other}))
}

fn share(client: &Client, fixture: &PermissionFixture, email: &str, permission: &str) -> Answer {
    client.post(&fixture.path("/collaborators"), &json!({"email": email, "permission": permission}))
}

/// The caller's e-mail; another address for an anonymous caller.
fn named(client: &Client) -> &str {
    if client.email().is_empty() { "nobody@example.com" } else { client.email() }
}

/// A member other than the caller.
fn another<'a>(client: &Client, fixture: &'a PermissionFixture) -> &'a str {
    let cast = &fixture.cast;
    if client.email() == cast.viewer.email() { cast.poster.email() } else { cast.viewer.email() }
}

fn remove_another(client: &Client, fixture: &PermissionFixture) -> Answer {
    client.delete(&fixture.path(&format!("/collaborators/{}", another(client, fixture))))
}

/// Requests POSTER, a change for every member but the poster, which must not be granted.
fn promote_oneself(client: &Client, fixture: &PermissionFixture) -> Answer {
    share(client, fixture, named(client), "POSTER")
}

fn verb(client: &Client, fixture: &PermissionFixture, name: &str, transaction: &Value) -> Answer {
    let body = json!({"id": transaction["id"]});
    client.patch(&fixture.path(&format!("/transactions/{name}")), &body)
}

fn verb_batch(
    client: &Client,
    fixture: &PermissionFixture,
    name: &str,
    transaction: &Value,
) -> Answer {
    let body = items(json!({"id": transaction["id"]}));
    client.patch(&fixture.path(&format!("/transactions/{name}")), &body)
}

fn load(client: &Client, fixture: &PermissionFixture, transaction: &Value) -> Answer {
    let body = items(json!({"id": transaction["id"]}));
    client.post(&fixture.path("/transactions/load/batch"), &body)
}

fn merge(client: &Client, fixture: &PermissionFixture, pair: [&Value; 2]) -> Answer {
    let items = pair.map(|transaction| json!({"id": transaction["id"]}));
    client.patch(&fixture.path("/transactions/merge"), &json!({"items": items}))
}

fn update(
    client: &Client,
    fixture: &PermissionFixture,
    transaction: &Value,
    mut change: Value,
) -> Answer {
    change["id"] = transaction["id"].clone();
    client.put(&fixture.path("/transactions"), &change)
}

fn update_batch(
    client: &Client,
    fixture: &PermissionFixture,
    query: &str,
    transaction: &Value,
) -> Answer {
    let change = items(json!({"id": transaction["id"], "description": "Changed"}));
    client.put(&fixture.path(&format!("/transactions/batch{query}")), &change)
}
