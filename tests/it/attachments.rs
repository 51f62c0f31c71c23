//! Files of transactions (3.2.12, 3.10.3, 9.6): attached by id or with content, replaced and
//! detached. A file of a checked or locked transaction cannot be deleted or replaced.

use daybook_tests::{CASH_AND_FOOD, Cast, Server, column, id, shows};
use serde_json::{Value, json};

use crate::Case;
use crate::files::{base64, create, download, file, get, kinds};

pub fn tests() -> Vec<Case> {
    crate::cases![
        known_file_is_attached_by_id,
        content_creates_new_files,
        unknown_files_are_dropped_on_create,
        unknown_files_are_refused_on_update,
        lists_and_events_show_files,
        update_replaces_the_file_list,
        posting_a_draft_applies_file_edits,
        batches_attach_files,
        refused_items_create_no_files,
        deleted_file_is_detached,
        delete_of_a_file_in_a_checked_or_locked_transaction_is_refused,
        new_content_in_a_checked_or_locked_transaction_is_refused,
        files_of_locked_and_checked_transactions_cannot_change,
        has_file_finds_transactions_with_files,
        recorder_attaches_only_own_files,
        detaching_a_file_requires_permission_on_the_transaction,
        more_than_1000_files_are_refused,
    ]
}

/// A complete body with files.
fn lunch(files: Value) -> Value {
    json!({
        "date": "2025-03-04", "amount": "12", "creditAccount": {"name": "Cash"},
        "debitAccount": {"name": "Food"},
        "description": "Lunch", "files": files,
    })
}

#[track_caller]
fn record(cast: &Cast, body: &Value) -> Value {
    cast.post("/transactions", body).ok()["transaction"].clone()
}

#[track_caller]
fn read(cast: &Cast, transaction: &Value) -> Value {
    cast.read(&format!("/transactions/{}", id(transaction)))
}

#[track_caller]
fn update(cast: &Cast, transaction: &Value, files: Value) -> daybook_tests::Answer {
    cast.put("/transactions", &json!({"id": transaction["id"], "files": files}))
}

fn names(transaction: &Value) -> Vec<String> {
    column(&json!({"items": transaction["files"]}), "name")
}

fn known_file_is_attached_by_id(server: &Server) {
    let cast = Cast::with_accounts(server, &CASH_AND_FOOD);
    let receipt = cast
        .post(
            "/files",
            &json!({
                "name": "receipt.pdf", "content": base64(b"%PDF"),
                "properties": {"upload_method": "attachment"},
            }),
        )
        .ok();
    // Clients send back the whole object, even with content, and twice.
    let mut whole = get(&cast, &receipt);
    whole["name"] = json!("other.txt");
    whole["content"] = json!(base64(b"other bytes"));
    let recorded = record(&cast, &lunch(json!([whole, {"id": receipt["id"]}])));
    assert_eq!(recorded["files"], json!([receipt]), "attached by id, once, unchanged");
    assert_eq!(get(&cast, &receipt)["content"], base64(b"%PDF"));
    assert_eq!(read(&cast, &recorded)["files"], json!([receipt]));
    assert_eq!(kinds(&cast)[..2], ["TRANSACTION_POSTED", "FILE_CREATED"]);
}

fn content_creates_new_files(server: &Server) {
    let cast = Cast::with_accounts(server, &CASH_AND_FOOD);
    let given = json!([
        {"id": "temporary_1", "name": "a.txt", "content": base64(b"a"), "properties": {"k": "v"}},
        {"name": "b", "contentType": "image/png", "content": ""},
    ]);
    let recorded = record(&cast, &lunch(given));
    let [a, b] = [0, 1].map(|at| recorded["files"][at].clone());
    let expected = json!({
        "name": "a.txt", "contentType": "text/plain", "size": 1, "content": null,
        "properties": {"k": "v"},
    });
    shows(&a, &expected);
    shows(&b, &json!({"name": "b", "contentType": "image/png", "size": 0}));
    assert_ne!(a["id"], "temporary_1");
    assert_eq!(get(&cast, &a)["content"], base64(b"a"));
    assert_eq!(download(server, &a).text, "a");
    // 8.1: inline files are created before their transaction.
    assert_eq!(kinds(&cast)[..3], ["TRANSACTION_POSTED", "FILE_CREATED", "FILE_CREATED"]);
    cast.post("/transactions", &lunch(json!([{"content": ""}]))).refused(400, "badRequest");
    cast.post("/transactions", &lunch(json!([{"name": "a", "content": "?"}])))
        .refused(400, "invalid");
}

fn unknown_files_are_dropped_on_create(server: &Server) {
    let cast = Cast::with_accounts(server, &CASH_AND_FOOD);
    let elsewhere = file(&Cast::with_accounts(server, &CASH_AND_FOOD), "elsewhere.txt", b"x");
    let given = json!([elsewhere, {"id": "temporary_7", "name": "a"}, {"name": "nothing"}, {}]);
    // Objects copied between books do not fail.
    assert_eq!(record(&cast, &lunch(given))["files"], json!([]));
    assert_eq!(record(&cast, &lunch(json!(null)))["files"], json!([]));
}

fn unknown_files_are_refused_on_update(server: &Server) {
    let cast = Cast::with_accounts(server, &CASH_AND_FOOD);
    let (kept, elsewhere) = (
        file(&cast, "kept.txt", b"x"),
        file(&Cast::with_accounts(server, &CASH_AND_FOOD), "elsewhere.txt", b"x"),
    );
    let recorded = record(&cast, &lunch(json!([kept])));
    for unknown in [json!({"id": "temporary_7"}), elsewhere, json!({"name": "a"})] {
        let message = update(&cast, &recorded, json!([kept, unknown])).refused(400, "badRequest");
        assert!(message.contains("file not found"), "{message}");
    }
    assert_eq!(read(&cast, &recorded), recorded);
}

fn lists_and_events_show_files(server: &Server) {
    let cast = Cast::with_accounts(server, &CASH_AND_FOOD);
    let receipt = file(&cast, "receipt.pdf", b"%PDF");
    let recorded = record(&cast, &lunch(json!([receipt])));
    let listed = cast.viewer.get(&cast.path("/transactions")).ok();
    assert_eq!(listed["items"][0]["files"], json!([receipt]), "behaviour 3.2.11");
    cast.patch("/transactions/trash", &json!({"id": recorded["id"]})).ok();
    // Events keep the file after its deletion.
    cast.delete(&format!("/files/{}", id(&receipt))).ok();
    let events = cast.read("/events?type=TRANSACTION_POSTED");
    let shown = &events["items"][0]["data"]["object"]["transaction"]["files"];
    let expected = json!([
        {
            "id": receipt["id"], "name": "receipt.pdf", "contentType": "application/pdf",
            "url": receipt["url"],
        },
    ]);
    assert_eq!(*shown, expected, "8.2: files[].url");
}

fn update_replaces_the_file_list(server: &Server) {
    let cast = Cast::with_accounts(server, &CASH_AND_FOOD);
    let [a, b] = ["a", "b"].map(|name| file(&cast, name, b"x"));
    let recorded = record(&cast, &lunch(json!([a, b])));
    let renamed =
        cast.put("/transactions", &json!({"id": recorded["id"], "description": "x"})).ok();
    assert_eq!(names(&renamed["transaction"]), ["a", "b"], "3.10.3: absent leaves it");
    let filtered = update(&cast, &recorded, json!([b])).ok()["transaction"].clone();
    assert_eq!(names(&filtered), ["b"], "removed by sending the filtered list");
    let more =
        update(&cast, &recorded, json!([{"name": "c", "content": ""}, b])).ok()["transaction"]
            .clone();
    assert_eq!(names(&more), ["c", "b"]);
    let none = update(&cast, &recorded, json!(null)).ok();
    assert_eq!(none["transaction"]["files"], json!([]));
    let events = cast.read("/events?type=TRANSACTION_UPDATED");
    let before: Vec<String> = (0..3)
        .map(|at| {
            events["items"][at]["data"]["previousAttributes"]["files"]
                .as_str()
                .expect("a list as text")
                .to_owned()
        })
        .collect();
    let list =
        |ids: &[&Value]| json!(ids.iter().map(|file| &file["id"]).collect::<Vec<_>>()).to_string();
    // 8.3: the ids that were.
    assert_eq!(before, [list(&[&more["files"][0], &b]), list(&[&b]), list(&[&a, &b])]);
    assert_eq!(get(&cast, &a)["name"], "a", "detached, not deleted");
}

/// 3.3.1, 3.3.4: edits sent with the post of a draft are saved, those sent with a second post are
/// not.
fn posting_a_draft_applies_file_edits(server: &Server) {
    let cast = Cast::with_accounts(server, &CASH_AND_FOOD);
    let mut body = lunch(json!([]));
    body["draft"] = json!(true);
    let draft = record(&cast, &body);
    let post = |files: Value| {
        cast.patch("/transactions/post", &json!({"id": draft["id"], "files": files})).ok()
    };
    assert_eq!(names(&post(json!([{"name": "a", "content": ""}]))["transaction"]), ["a"]);
    assert_eq!(names(&post(json!([{"name": "b", "content": ""}]))["transaction"]), ["a"]);
    assert_eq!(column(&cast.read("/files"), "name"), ["a"], "ignored edits create no file");
    let posted =
        cast.patch("/transactions/post", &lunch(json!([{"name": "c", "content": ""}]))).ok();
    assert_eq!(names(&posted["transaction"]), ["c"], "behaviour 3.3.2");
    let only_a_file = record(&cast, &json!({"files": [posted["transaction"]["files"][0]]}));
    shows(&only_a_file, &json!({"posted": false, "draft": true, "description": ""}));
}

fn batches_attach_files(server: &Server) {
    let cast = Cast::with_accounts(server, &CASH_AND_FOOD);
    let shared = file(&cast, "shared", b"x");
    let items = json!({
        "items": [lunch(json!([
            shared,
        ])), lunch(json!([{"name": "own", "content": ""}, shared])), lunch(json!([]))],
    });
    let created = cast.post("/transactions/batch", &items).ok();
    let listed: Vec<Vec<String>> = (0..3).map(|at| names(&created["items"][at])).collect();
    assert_eq!(listed, [vec!["shared"], vec!["own", "shared"], vec![]]);
    let items: Vec<Value> =
        (0..3).map(|at| json!({"id": created["items"][at]["id"], "files": [shared]})).collect();
    let updated = cast.put("/transactions/batch", &json!({"items": items})).ok();
    assert!((0..3).all(|at| updated["items"][at]["files"] == json!([shared])), "{updated}");
    let unknown = json!({"items": [items[0], {"id": items[1]["id"], "files": [{"id": "x"}]}]});
    let message = cast.put("/transactions/batch", &unknown).refused(400, "badRequest");
    assert!(message.contains('1'), "3.6.5: names the item: {message}");
}

/// 3.6.3: skipped items of a batch, refused requests and duplicates create no file.
fn refused_items_create_no_files(server: &Server) {
    let cast = Cast::with_accounts(server, &CASH_AND_FOOD);
    let mut body = lunch(json!([]));
    body["checked"] = json!(true);
    let checked = record(&cast, &body);
    let items = json!({"items": [{"id": checked["id"], "files": [{"name": "a", "content": ""}]}]});
    let skipped = cast.put("/transactions/batch", &items).ok()["items"][0].clone();
    assert_eq!(skipped["files"], json!([]));
    let file = json!([{"name": "a", "content": ""}]);
    update(&cast, &checked, file).refused(400, "checkedTransaction");
    let mut wrong = lunch(json!([{"name": "a", "content": ""}]));
    wrong["date"] = json!("tomorrow");
    cast.post("/transactions", &wrong).refused(400, "badRequest");
    assert_eq!(cast.read("/files"), json!({"items": []}));
    // 3.7.2: a duplicate returns the existing transaction.
    let mut body = lunch(json!([{"name": "a", "content": ""}]));
    body["remoteIds"] = json!(["r-1"]);
    assert_eq!(record(&cast, &body), record(&cast, &body));
    assert_eq!(column(&cast.read("/files"), "name"), ["a"]);
}

fn deleted_file_is_detached(server: &Server) {
    let cast = Cast::with_accounts(server, &CASH_AND_FOOD);
    let [doomed, other] = ["doomed", "other"].map(|name| file(&cast, name, b"x"));
    let posted = record(&cast, &lunch(json!([doomed, other])));
    let draft = record(&cast, &json!({"files": [doomed]}));
    let trashed = record(&cast, &lunch(json!([doomed])));
    cast.patch("/transactions/trash", &json!({"id": trashed["id"]})).ok();
    let untouched = record(&cast, &lunch(json!([other])));
    let before = kinds(&cast).len();
    assert_eq!(cast.poster.delete(&cast.path(&format!("/files/{}", id(&doomed)))).ok(), doomed);
    for (holder, left) in [
        (&posted, vec!["other"]),
        (&draft, vec![]),
        (&trashed, vec![]),
        (&untouched, vec!["other"]),
    ] {
        assert_eq!(names(&read(&cast, holder)), left);
    }
    assert_eq!(read(&cast, &untouched), untouched);
    let after = kinds(&cast);
    let types: Vec<&str> = after[..after.len() - before].iter().map(String::as_str).collect();
    let updated = "TRANSACTION_UPDATED";
    assert_eq!(types, ["FILE_DELETED", updated, updated, updated], "behaviour 8.1");
    let events = cast.read(&format!("/events?resoureId={}", id(&posted)));
    let data = &events["items"][0]["data"];
    let previous = json!({"files": json!([doomed["id"], other["id"]]).to_string()});
    assert_eq!(data["previousAttributes"], previous);
    assert_eq!(names(&data["object"]["transaction"]), ["other"]);
}

/// The states that protect the files of a transaction, with the reason of the refusal.
const PROTECTED: [(&str, &str); 3] = [
    ("checked", "checkedTransaction"),
    ("checked and trashed", "checkedTransaction"),
    ("locked", "lockedDate"),
];

/// Attaches a file to a transaction that is protected, or will be by a lock date.
fn attach_to_protected(cast: &Cast, file: &Value, state: &str) -> Value {
    let mut body = lunch(json!([file]));
    if state == "locked" {
        body["date"] = json!("2001-01-31");
    } else {
        body["checked"] = json!(true);
    }
    let holder = record(cast, &body);
    if state == "checked and trashed" {
        let bin = json!({"items": [{"id": holder["id"]}]});
        cast.patch("/transactions/trash/batch?trashChecked=true", &bin).no_content();
    }
    holder
}

fn check_refusals(server: &Server, act: impl Fn(&Cast, &Value) -> daybook_tests::Answer) {
    for (state, reason) in PROTECTED {
        let cast = Cast::with_accounts(server, &CASH_AND_FOOD);
        let receipt = file(&cast, "receipt", b"x");
        let holder = attach_to_protected(&cast, &receipt, state);
        cast.put("", &json!({"lockDate": "2001-12-31"})).ok();
        let before = (kinds(&cast), read(&cast, &holder));
        let message = act(&cast, &receipt).refused(400, reason);
        assert!(message.contains(id(&holder)), "the message names the transaction: {message}");
        assert_eq!((kinds(&cast), read(&cast, &holder)), before, "nothing changed");
        assert_eq!(get(&cast, &receipt)["content"], base64(b"x"));
    }
}

fn delete_of_a_file_in_a_checked_or_locked_transaction_is_refused(server: &Server) {
    check_refusals(server, |cast, file| cast.delete(&format!("/files/{}", id(file))));
    // 3.5.3: a draft touches no balance, whatever its date.
    let cast = Cast::with_accounts(server, &CASH_AND_FOOD);
    let receipt = file(&cast, "receipt", b"x");
    record(&cast, &json!({"date": "2001-01-31", "files": [receipt]}));
    cast.put("", &json!({"lockDate": "2001-12-31"})).ok();
    cast.delete(&format!("/files/{}", id(&receipt))).ok();
}

fn new_content_in_a_checked_or_locked_transaction_is_refused(server: &Server) {
    check_refusals(server, |cast, file| {
        cast.put("/files", &json!({"id": file["id"], "content": base64(b"y")}))
    });
    // Name and properties may change; equal content is not a change.
    let cast = Cast::with_accounts(server, &CASH_AND_FOOD);
    let receipt = file(&cast, "receipt", b"x");
    for (state, _) in PROTECTED {
        attach_to_protected(&cast, &receipt, state);
    }
    let change = json!({
        "id": receipt["id"], "name": "renamed", "content": base64(b"x"), "properties": {"a": "b"},
    });
    assert_eq!(cast.put("/files", &change).ok()["name"], "renamed");
}

/// 3.4.1, 3.5.2: also when only files change.
fn files_of_locked_and_checked_transactions_cannot_change(server: &Server) {
    let cast = Cast::with_accounts(server, &CASH_AND_FOOD);
    let receipt = file(&cast, "receipt", b"x");
    let [checked, locked] =
        ["checked", "locked"].map(|state| attach_to_protected(&cast, &receipt, state));
    cast.put("", &json!({"lockDate": "2001-12-31"})).ok();
    for files in [json!([]), json!([receipt, {"name": "a", "content": ""}])] {
        update(&cast, &checked, files.clone()).refused(400, "checkedTransaction");
        update(&cast, &locked, files).refused(400, "lockedDate");
    }
    let items = json!({"items": [{"id": checked["id"], "files": []}]});
    let forced = cast.put("/transactions/batch?updateChecked=true", &items).ok();
    assert_eq!(forced["items"][0]["files"], json!([]), "3.6.3: updateChecked reaches files");
}

/// 1.2: `has:file`.
fn has_file_finds_transactions_with_files(server: &Server) {
    let cast = Cast::with_accounts(server, &CASH_AND_FOOD);
    let receipt = file(&cast, "receipt", b"x");
    let with = record(&cast, &lunch(json!([receipt])));
    let mut without = lunch(json!([]));
    without["description"] = json!("None");
    let without = record(&cast, &without);
    let found = |query: &str| column(&cast.read(&format!("/transactions?query={query}")), "id");
    assert_eq!(found("has:file"), [id(&with)]);
    assert_eq!(found("-has:file"), [id(&without)]);
    assert_eq!(found("account:Cash+has:file"), [id(&with)]);
    update(&cast, &without, json!([receipt])).ok();
    update(&cast, &with, json!([])).ok();
    assert_eq!(found("has:file"), [id(&without)]);
}

/// 7.3: a RECORDER cannot attach files of other users, but may send back those attached to its
/// draft.
fn recorder_attaches_only_own_files(server: &Server) {
    let cast = Cast::with_accounts(server, &CASH_AND_FOOD);
    let others = file(&cast, "others", b"x");
    let own = create(&cast.recorder, &cast, &json!({"name": "own"})).ok();
    let draft = cast
        .recorder
        .post(&cast.path("/transactions"), &json!({"files": [own, others]}))
        .ok()["transaction"]
        .clone();
    assert_eq!(names(&draft), ["own"], "dropped like any unknown one");
    let send = |files: Value| {
        cast.recorder.put(&cast.path("/transactions"), &json!({"id": draft["id"], "files": files}))
    };
    send(json!([own, others])).refused(400, "badRequest");
    update(&cast, &draft, json!([own, others])).ok();
    assert_eq!(names(&send(json!([others, own])).ok()["transaction"]), ["others", "own"]);
    assert_eq!(names(&send(json!([own])).ok()["transaction"]), ["own"]);
    send(json!([others])).refused(400, "badRequest");
}

/// Detaching a file changes the transaction, so it requires that permission.
fn detaching_a_file_requires_permission_on_the_transaction(server: &Server) {
    let cast = Cast::with_accounts(server, &CASH_AND_FOOD);
    let own = create(&cast.recorder, &cast, &json!({"name": "own"})).ok();
    let posted = record(&cast, &lunch(json!([own])));
    let path = cast.path(&format!("/files/{}", id(&own)));
    let message = cast.recorder.delete(&path).refused(403, "forbidden");
    assert!(!message.contains(id(&posted)), "7.3: it may not see that one: {message}");
    // 0.17: permission comes before the condition.
    let stale = cast.recorder.header("If-Match", "\"stale\"");
    stale.delete(&path).refused(403, "forbidden");
    cast.owner.header("If-Match", "\"stale\"").delete(&path).refused(412, "conditionNotMet");
    assert_eq!(names(&read(&cast, &posted)), ["own"], "a refused delete changes nothing");
    for caller in [&cast.recorder, &stale] {
        caller
            .put(&cast.path("/files"), &json!({"id": own["id"], "content": base64(b"y")}))
            .refused(403, "forbidden");
    }
    cast.recorder.put(&cast.path("/files"), &json!({"id": own["id"], "name": "renamed"})).ok();
    assert_eq!(names(&read(&cast, &posted)), ["renamed"]);
    cast.poster.delete(&path).ok();
    assert_eq!(names(&read(&cast, &posted)), Vec::<String>::new());
}

/// 10.9.
fn more_than_1000_files_are_refused(server: &Server) {
    let cast = Cast::with_accounts(server, &CASH_AND_FOOD);
    let receipt = file(&cast, "receipt", b"x");
    record(&cast, &lunch(json!(vec![&receipt; 1000])));
    let message =
        cast.post("/transactions", &lunch(json!(vec![&receipt; 1001]))).refused(400, "badRequest");
    assert!(message.contains("1000"), "{message}");
}
