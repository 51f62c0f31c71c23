//! Imports (15) after their preview: confirmation, decisions, undo, callers and restarts.

use std::time::{Duration, Instant};

use daybook_tests::{Cast, Engine, RawSql, Server, id, shows};
use serde_json::{Value, json};

use crate::Case;
use crate::imports::{
    balance, book, confirm, csv, done, outcomes, post, preview, run, settle, typed, undo, upload,
};
use crate::reading::{find, items, labels};

pub fn tests() -> Vec<Case> {
    let mut all = crate::cases![
        rule_15_7_changed_preview_is_refused,
        rule_15_7_refused_records_do_not_stop_others,
        rule_15_7_minimum_balance_refuses_matches,
        rule_15_8_decisions_change_records,
        rule_15_9_undo_leaves_what_was_changed,
        rule_15_9_undo_keeps_minimum_balances,
        rule_15_9_undone_records_are_imported_again,
        rule_15_4_undo_does_not_count_other_trashed_records,
        rule_15_10_previews_are_discarded,
        rule_2_11_large_imports_end_a_page,
        rule_7_3_callers_of_imports,
    ];
    all.extend(crate::isolated![
        rule_15_7_import_continues_after_a_restart,
        rule_15_9_failed_import_is_undone,
    ]);
    all
}

/// 15.7: 409 names the records, and the import has a new preview.
fn rule_15_7_changed_preview_is_refused(server: &Server) {
    let cast = book(server);
    let file = csv(&["2026-01-02,Cafe,-5", "2026-01-03,Shop,-7"]);
    let first = preview(&cast, &file);
    let other = preview(&cast, &csv(&["2026-01-03,Shop,-7"]));
    done(&cast, confirm(&cast, &other, &json!({})));
    let message = confirm(&cast, &first, &json!({})).refused(409, "previewChanged");
    assert!(message.contains("records 2"), "{message}");
    let read = settle(&cast, &first);
    shows(&read, &json!({"state": "PREVIEW", "changedRecords": [2]}));
    assert_eq!(outcomes(&cast, &read), ["NEW", "EXISTING"]);
    done(&cast, confirm(&cast, &read, &json!({})));
    assert_eq!(balance(&cast, "Bank"), "12.00");
    confirm(&cast, &read, &json!({})).refused(400, "badRequest");
}

/// 15.7: a minimum balance refuses a record, and the others are recorded.
fn rule_15_7_refused_records_do_not_stop_others(server: &Server) {
    let cast = book(server);
    post(&cast, &typed("2026-01-01", "10", "Salary", "Bank", "Pay"));
    cast.put("/accounts", &json!({"name": "Bank", "minBalance": "0"})).ok();
    let read = run(&cast, &csv(&["2026-01-02,A,-6", "2026-01-03,B,-6", "2026-01-04,C,-4"]));
    assert_eq!(outcomes(&cast, &read), ["NEW", "REFUSED", "NEW"]);
    assert_eq!(read["counts"]["refused"], 1, "{read}");
    assert_eq!(balance(&cast, "Bank"), "0.00");
}

/// 15.7: a record whose match a minimum balance refuses is REFUSED, and comes again.
fn rule_15_7_minimum_balance_refuses_matches(server: &Server) {
    let cast = book(server);
    let mut draft = typed("2026-01-02", "5", "Bank", "Food", "Cafe");
    draft["draft"] = json!(true);
    cast.post("/transactions", &draft).ok();
    let limit = |minimum: &str| {
        cast.put("/accounts", &json!({"name": "Bank", "minBalance": minimum})).ok();
    };
    limit("0");
    let file = csv(&["2026-01-02,Cafe,-5"]);
    assert_eq!(outcomes(&cast, &preview(&cast, &file)), ["MATCHED"]);
    assert_eq!(outcomes(&cast, &run(&cast, &file)), ["REFUSED"]);
    assert_eq!((items(&find(&cast, "is:draft")).len(), balance(&cast, "Bank")), (1, "0.00".into()));
    limit("");
    assert_eq!(outcomes(&cast, &run(&cast, &file)), ["MATCHED"]);
    assert_eq!((items(&find(&cast, "is:draft")).len(), balance(&cast, "Bank")), (0, "5.00".into()));
}

/// 15.8: outcomes, accounts, texts and tags; invalid decisions change nothing.
fn rule_15_8_decisions_change_records(server: &Server) {
    let cast = book(server);
    let read =
        preview(&cast, &csv(&["2026-01-02,Cafe,-5", "2026-01-03,Shop,-7", "2026-01-04,Pay,9"]));
    for (decision, part) in [
        (json!({"record": 9}), "record 9"),
        (json!({"record": 1, "account": "Nowhere"}), "Nowhere"),
        (json!({"record": 1, "account": "Bank"}), "account of the statement"),
        (json!({"record": 1, "match": "0000000000000001"}), "not one of its candidates"),
        (json!({"record": 1, "outcome": "MATCHED"}), "requires a match"),
        (json!({"record": 1, "tags": ["a b"]}), "hashtag"),
    ] {
        let body = json!({"decisions": [decision]});
        let message = confirm(&cast, &read, &body).refused(400, "badRequest");
        assert!(message.contains(part), "{message}");
    }
    confirm(&cast, &read, &json!({"acceptAbove": 2})).refused(400, "invalid");
    let body = json!({
        "decisions": [
            {"record": 1, "account": "Food", "description": "Coffee", "tags": ["trip"]},
            {"record": 2, "outcome": "SKIPPED"},
        ],
        "createAccounts": [],
    });
    let read = done(&cast, confirm(&cast, &read, &body));
    assert_eq!(outcomes(&cast, &read), ["NEW", "SKIPPED", "NEW"]);
    assert_eq!(labels(&find(&cast, "account:Food #trip")), ["Coffee"]);
    assert_eq!(balance(&cast, "Bank"), "4.00");
}

/// 15.9: what was changed since is left, with its reason.
fn rule_15_9_undo_leaves_what_was_changed(server: &Server) {
    let cast = book(server);
    let rows: Vec<String> = (1..=8).map(|day| format!("2026-01-0{day},Row{day},-{day}")).collect();
    let rows: Vec<&str> = rows.iter().map(String::as_str).collect();
    let read = run(&cast, &csv(&rows));
    let row = |day: usize| items(&find(&cast, &format!("Row{day}")))[0].clone();
    cast.put("/transactions", &json!({"id": row(1)["id"], "description": "Row1 changed"})).ok();
    cast.patch("/transactions/check", &json!({"id": row(2)["id"]})).ok();
    cast.post(&format!("/transactions/{}/comments", id(&row(3))), &json!({"text": "why?"})).ok();
    cast.patch("/transactions/trash", &json!({"id": row(4)["id"]})).ok();
    let receipt = post(&cast, &typed("2026-01-05", "5", "Bank", "Food", "Receipt"));
    let both = json!({"items": [{"id": row(5)["id"]}, {"id": receipt["id"]}]});
    cast.patch("/transactions/merge", &both).ok();
    let statement = json!({
        "account": {"name": "Bank"}, "date": "2026-01-31", "closingBalance": "-6",
        "add": [row(6)["id"]],
    });
    cast.post("/reconciliations", &statement).ok();
    let result = undo(&cast, &read);
    shows(&result, &json!({"trashed": 2, "leftCount": 5, "archived": 0}));
    let left = result["left"].as_array().expect("a list");
    let reasons: Vec<&str> = left.iter().filter_map(|one| one["reason"].as_str()).collect();
    for part in ["changed", "checked", "comments", "merged", "reconciliation"] {
        assert!(reasons.iter().any(|reason| reason.contains(part)), "{part}: {reasons:?}");
    }
    assert_eq!(balance(&cast, "Bank"), "17.00", "rows 1, 2, 3, 5 and 6 are left");
    cast.post(&format!("/imports/{}/undo", id(&read)), &Value::Null).refused(400, "badRequest");
}

/// 15.9, 3.13: what would lower an account below its minimum balance is left and listed.
fn rule_15_9_undo_keeps_minimum_balances(server: &Server) {
    let cast = book(server);
    let read = run(&cast, &csv(&["2026-01-02,Pay,10", "2026-01-03,Shop,-3", "2026-01-04,Gift,4"]));
    post(&cast, &typed("2026-01-05", "10", "Bank", "Food", "Dinner"));
    cast.put("/accounts", &json!({"name": "Bank", "minBalance": "0"})).ok();
    let result = undo(&cast, &read);
    // The undo of Shop leaves enough for that of Gift, whatever their order.
    shows(&result, &json!({"trashed": 2, "leftCount": 1}));
    assert_eq!(result["left"][0]["transactionId"], items(&find(&cast, "Pay"))[0]["id"]);
    let reason = result["left"][0]["reason"].as_str().unwrap_or_default();
    assert!(reason.contains("minimum balance"), "{result}");
    assert_eq!(balance(&cast, "Bank"), "0.00", "Pay and Dinner are left");
}

/// 15.9, 15.4: undone records count as never imported; created accounts are archived.
fn rule_15_9_undone_records_are_imported_again(server: &Server) {
    let cast = book(server);
    let file = csv(&["2026-01-02,Cafe,-5", "2026-01-03,Pay,9"]);
    let read = run(&cast, &file);
    shows(&undo(&cast, &read), &json!({"trashed": 2, "leftCount": 0, "archived": 2, "left": []}));
    assert_eq!(cast.read("/accounts/Uncategorised%20income")["archived"], true);
    assert_eq!(balance(&cast, "Bank"), "0.00");
    let again = run(&cast, &file);
    assert_eq!(outcomes(&cast, &again), ["NEW", "NEW"]);
    assert_eq!(cast.read("/accounts/Uncategorised%20income")["archived"], false);
    assert_eq!(balance(&cast, "Bank"), "4.00");
}

/// 15.4, 15.9: what a person has moved to the trash, before the undo or since, stays there.
fn rule_15_4_undo_does_not_count_other_trashed_records(server: &Server) {
    let cast = book(server);
    let file = csv(&["2026-01-02,Cafe,-5", "2026-01-03,Shop,-7", "2026-01-04,Pay,9"]);
    let read = run(&cast, &file);
    let [cafe, shop] = ["Cafe", "Shop"].map(|text| items(&find(&cast, text))[0].clone());
    let trash = |row: &Value| cast.patch("/transactions/trash", &json!({"id": row["id"]})).ok();
    trash(&cafe);
    shows(&undo(&cast, &read), &json!({"trashed": 2, "leftCount": 0}));
    assert_eq!(outcomes(&cast, &preview(&cast, &file)), ["SKIPPED", "NEW", "NEW"]);
    cast.patch("/transactions/untrash", &json!({"id": shop["id"]})).ok();
    assert_eq!(outcomes(&cast, &preview(&cast, &file)), ["SKIPPED", "EXISTING", "NEW"]);
    trash(&shop);
    assert_eq!(outcomes(&cast, &run(&cast, &file)), ["SKIPPED", "SKIPPED", "NEW"]);
    assert_eq!(balance(&cast, "Bank"), "9.00");
}

/// 15.9, 15.10: a quota ends an import in the middle; the undo takes back what it has recorded.
fn rule_15_9_failed_import_is_undone(engine: Engine) {
    let server = Server::with_args(engine, &["--quota-book-transactions", "700"]);
    let cast = book(&server);
    let failed = |rows: std::ops::Range<usize>| {
        let row = |row: usize| format!("2026-01-{:02},Row {row},-1", row % 28 + 1);
        let rows: Vec<String> = rows.map(row).collect();
        let rows: Vec<&str> = rows.iter().map(String::as_str).collect();
        let read = preview(&cast, &csv(&rows));
        let read = settle(&cast, &confirm(&cast, &read, &json!({})).ok());
        shows(&read, &json!({"state": "FAILED", "errorReason": "refused"}));
        assert!(read.get("expiresAt").is_none(), "15.10: it is kept for its undo: {read}");
        cast.delete(&format!("/imports/{}", id(&read))).refused(400, "badRequest");
        read
    };
    // The first of three blocks fits.
    let first = failed(0..1_200);
    shows(&first["progress"], &json!({"done": 500, "total": 1_200}));
    assert_eq!(balance(&cast, "Bank"), "500.00");
    // Of this one no block fits.
    let second = failed(2_000..2_400);
    shows(&second["progress"], &json!({"done": 0, "total": 400}));
    shows(&undo(&cast, &second), &json!({"trashed": 0, "archived": 0}));
    shows(&undo(&cast, &first), &json!({"trashed": 500, "leftCount": 0, "archived": 1}));
    let account = cast.read("/accounts/Uncategorised%20expenses");
    assert_eq!(account["archived"], true, "{account}");
    assert_eq!(balance(&cast, "Bank"), "0.00");
}

/// 15.10, 15.1: discarding, and the number of open imports.
fn rule_15_10_previews_are_discarded(server: &Server) {
    let cast = book(server);
    let file = csv(&["2026-01-02,Cafe,-5"]);
    let done = run(&cast, &file);
    cast.delete(&format!("/imports/{}", id(&done))).refused(400, "badRequest");
    let first = preview(&cast, &file);
    for _ in 1..20 {
        preview(&cast, &file);
    }
    let message = upload(&cast.owner, &cast, "account=Bank", &file).refused(400, "badRequest");
    assert!(message.contains("20 imports"), "{message}");
    let path = format!("/imports/{}", id(&first));
    cast.editor.delete(&cast.path(&path)).refused(403, "forbidden");
    shows(&cast.delete(&path).ok(), &json!({"id": first["id"], "state": "PREVIEW"}));
    cast.get(&path).refused(404, "notFound");
    let key = cast.owner.header("Idempotency-Key", "import-once");
    let sent = upload(&key, &cast, "account=Bank", &file).ok();
    assert_eq!(upload(&key, &cast, "account=Bank", &file).ok()["id"], sent["id"], "0.16");
    let page = cast.read("/imports?limit=1");
    assert_eq!(items(&page)[0]["id"], sent["id"], "newest first");
    assert!(page["cursor"].is_string());
}

/// 2.11: 200 imports of journals with many accounts would not fit into memory.
fn rule_2_11_large_imports_end_a_page(server: &Server) {
    let cast = book(server);
    let file = csv(&["2026-01-02,Cafe,-5"]);
    let reads = [(); 3].map(|()| preview(&cast, &file));
    let newest = i64::from_str_radix(id(&reads[2]), 16).expect("an id");
    let large = format!("{{\"padding\":\"{}\"}}", "x".repeat(9 << 20));
    let grow = format!("UPDATE imports SET summary = '{large}' WHERE id = {newest}");
    RawSql::open(server).execute(&grow);
    let page = cast.read("/imports");
    assert_eq!(items(&page).len(), 1);
    let cursor = page["cursor"].as_str().expect("a second page");
    let rest = cast.read(&format!("/imports?cursor={cursor}"));
    assert_eq!((items(&rest).len(), rest.get("cursor")), (2, None));
}

/// 7.3, 15.5, 15.7: only the author confirms; a RECORDER imports drafts.
fn rule_7_3_callers_of_imports(server: &Server) {
    let cast = book(server);
    let file = csv(&["2026-01-02,Cafe,-5"]);
    for (caller, status, reason) in [
        (&cast.viewer, 403, "forbidden"),
        (&cast.stranger, 404, "notFound"),
        (&cast.anonymous, 401, "required"),
    ] {
        upload(caller, &cast, "account=Bank", &file).refused(status, reason);
    }
    let mine = preview(&cast, &file);
    let path = cast.path(&format!("/imports/{}", id(&mine)));
    cast.editor.post(&format!("{path}/confirm"), &json!({})).refused(403, "forbidden");
    cast.viewer.get(&path).ok();
    cast.recorder.get(&path).refused(404, "notFound");
    assert_eq!(items(&cast.recorder.get(&cast.path("/imports")).ok()).len(), 0);
    let posted = settle(&cast, &upload(&cast.poster, &cast, "account=Bank", &file).ok());
    let confirming = cast.path(&format!("/imports/{}/confirm", id(&posted)));
    let body = json!({});
    cast.poster.post(&confirming, &body).refused(403, "forbidden");
    assert_eq!(find(&cast, "Cafe")["items"], json!([]), "15.5: nothing is recorded");
    let body = json!({"decisions": [{"record": 1, "account": "Food"}], "createAccounts": []});
    settle(&cast, &cast.poster.post(&confirming, &body).ok());
    assert_eq!(balance(&cast, "Food"), "5.00");
    let own = settle(&cast, &upload(&cast.recorder, &cast, "account=Bank", &file).ok());
    assert_eq!(own["counts"]["existing"], 1, "3.7.2: it exists, and shows nothing else");
    let new = csv(&["2026-01-05,Kiosk,-2"]);
    let own = settle(&cast, &upload(&cast.recorder, &cast, "account=Bank", &new).ok());
    let confirming = cast.path(&format!("/imports/{}/confirm", id(&own)));
    let recorded = settle(&cast, &cast.recorder.post(&confirming, &json!({})).ok());
    assert_eq!((&recorded["state"], &recorded["counts"]["drafts"]), (&json!("DONE"), &json!(1)));
    assert_eq!(labels(&find(&cast, "is:draft")), ["Kiosk"]);
}

/// Confirms an import, kills the server while it is recorded, and starts it again. Returns the
/// import when it is done.
#[track_caller]
pub fn kill_while_recording(server: &mut Server, cast: &Cast, read: &Value) -> Value {
    let path = cast.path(&format!("/imports/{}/confirm", id(read)));
    let caller = cast.owner.clone();
    let asking = std::thread::spawn(move || caller.try_send("POST", &path, None, b"{}").ok());
    let started = Instant::now();
    while cast.read(&format!("/imports/{}", id(read)))["progress"]["done"] == 0 {
        assert!(started.elapsed() < Duration::from_secs(60), "it begins");
    }
    server.kill();
    let _ = asking.join();
    server.restart();
    done(cast, cast.get(&format!("/imports/{}", id(read))))
}

/// 15.7: a killed server continues, and nothing is recorded twice.
fn rule_15_7_import_continues_after_a_restart(engine: Engine) {
    const ROWS: usize = 12_000;
    let mut server = Server::start(engine);
    let cast = book(&server);
    let rows: Vec<String> =
        (0..ROWS).map(|row| format!("2026-01-{:02},Row {row},-1", row % 28 + 1)).collect();
    let rows: Vec<&str> = rows.iter().map(String::as_str).collect();
    let read = preview(&cast, &csv(&rows));
    kill_while_recording(&mut server, &cast, &read);
    assert_eq!(balance(&cast, "Bank"), format!("{ROWS}.00"));
    assert_eq!(cast.read("/transactions/count?query=account:Bank")["total"], ROWS);
}
