//! The report of changes (13.12), and closings, after which it begins (13.13).

use daybook_domain::account::AccountType;
use daybook_domain::field::Field;
use daybook_domain::file::Content;
use daybook_domain::instant::Instant;
use daybook_domain::transaction::Changes;
use daybook_service::Error;
use daybook_service::report::{self, ClosingReports};
use daybook_tests::{Cast, Client, Engine, Server};
use serde_json::{Value, json};

use crate::Case;
use crate::inside::{Inside, side};
use crate::reading::{self, id};

pub fn tests() -> Vec<Case> {
    let mut cases = crate::cases![
        rule_13_12_changes_have_values_before_and_after,
        rule_13_12_changes_begin_after_an_event_or_instant,
        rule_13_12_changes_have_every_format,
        rule_13_13_closing_stores_reports,
        rule_13_13_changes_begin_after_the_last_closing,
    ];
    cases.extend(crate::isolated![rule_13_13_changed_figures_refuse_a_closing]);
    cases
}

fn book(server: &Server) -> Cast {
    let accounts = [("Cash", "ASSET"), ("Bank", "ASSET"), ("Rent", "OUTGOING")];
    Cast::with_accounts(server, &accounts)
}

/// Reads changes. The control holds.
#[track_caller]
fn changes(cast: &Cast, query: &str) -> Value {
    let report = cast.read(&format!("/reports/changes{query}"));
    let control = &report["controls"][0];
    assert_eq!(control["holds"], true, "{control}");
    assert_eq!(report["omittedDrafts"], 0);
    report
}

/// The cells of each row from the kind of change on.
fn rows(report: &Value) -> Vec<String> {
    let row = |row: &Value| {
        let cells = row["cells"].as_array().expect("cells").iter().skip(4);
        cells.map(|cell| cell.as_str().expect("a text")).collect::<Vec<_>>().join("|")
    };
    report["rows"].as_array().expect("rows").iter().map(row).collect()
}

/// The number of the last event.
fn last(cast: &Cast) -> i64 {
    cast.read("/events?limit=1")["items"][0]["sequence"].as_i64().expect("a number")
}

fn rule_13_12_changes_have_values_before_and_after(server: &Server) {
    let cast = book(server);
    let paid = cast.record("2026-09-10", "30.00", "Cash", "Rent", "rent");
    let start = last(&cast);
    let draft = cast.create(&json!({"date": "2026-10-05", "description": "a draft"}));
    cast.put(
        "/transactions",
        &json!({"id": paid["id"], "date": "2026-10-01", "amount": "31.50",
                "creditAccount": {"name": "Bank"}, "properties": {"invoice": "7"}}),
    )
    .ok();
    cast.editor.patch(&cast.path("/transactions/check"), &json!({"id": paid["id"]})).ok();
    cast.patch("/transactions/trash", &json!({"id": draft["id"]})).ok();
    cast.group("Housing");
    let rent = cast.read("/accounts/Rent");
    let moved = json!({"id": rent["id"], "name": "Flat", "groups": [{"name": "Housing"}]});
    cast.put("/accounts", &moved).ok();
    cast.put("/accounts", &json!({"id": rent["id"], "archived": true})).ok();
    let file = json!({"name": "receipt.txt", "content": "YQ=="});
    cast.post("/files", &file).ok();
    let report = changes(&cast, &format!("?after={start}"));
    assert_eq!(
        rows(&report),
        [
            "Draft recorded|2026-10-05|a draft|||||",
            "Transaction updated|2026-10-01|rent|Rent|Bank|31.50|Amount: 30.00; Credit account: \
             Cash; Date: 2026-09-10; invoice: |Amount: 31.50; Credit account: Bank; Date: \
             2026-10-01; invoice: 7",
            "Transaction checked|2026-10-01|rent|Rent|Bank|31.50||",
            "Draft trashed|2026-10-05|a draft|||||",
            "Account changed||Flat||||Groups: ; Name: Rent|Groups: Housing; Name: Flat",
        ]
    );
    assert_eq!(report["rows"][1]["transactionId"], paid["id"]);
    assert_eq!(report["rows"][4]["accountId"], rent["id"]);
    let event = cast.read("/events?type=TRANSACTION_CHECKED")["items"][0].clone();
    let cells = &report["rows"][2]["cells"];
    assert_eq!(cells[0], event["sequence"].to_string());
    assert_eq!(cells[1], event["createdAt"]);
    assert_eq!(cells[2], event["user"]["username"], "the editor");
    assert_eq!(report["lastEvent"]["sequence"], last(&cast));
    let label = report["controls"][0]["label"].as_str().expect("a label");
    let hash = report["lastEvent"]["hash"].as_str().expect("a hash");
    assert!(label.contains(hash) && label.contains("Draft recorded: 1"), "{label}");
    assert_eq!(report["controls"][0]["left"], (last(&cast) - start).to_string());
    // A transaction that left the period belongs to it, and so do changes of accounts.
    let dated = changes(&cast, &format!("?after={start}&period=2026-09"));
    let kinds = rows(&dated);
    assert_eq!(kinds.len(), 2, "{kinds:#?}");
    assert!(kinds[0].starts_with("Transaction updated|") && kinds[1].starts_with("Account"));
    assert_eq!(dated["period"]["from"], "2026-09-01");
    assert_eq!(dated["filters"], json!(["Dated 1 to 30 September 2026"]));
}

fn rule_13_12_changes_begin_after_an_event_or_instant(server: &Server) {
    let cast = book(server);
    cast.record("2026-09-10", "30.00", "Cash", "Rent", "first");
    let middle = last(&cast);
    daybook_tests::pause(std::time::Duration::from_millis(5));
    cast.record("2026-09-11", "40.00", "Cash", "Rent", "second");
    let event = cast.read("/events?limit=1")["items"][0].clone();
    let texts = |query: &str| -> Vec<String> {
        let rows = rows(&changes(&cast, query));
        rows.iter().map(|row| row.split('|').nth(2).expect("a text").to_owned()).collect()
    };
    assert_eq!(texts(""), ["first", "second"], "without a closing");
    assert_eq!(changes(&cast, "")["period"]["text"], "Since the beginning");
    assert_eq!(texts(&format!("?after={middle}")), ["second"]);
    let at = event["createdOn"].as_str().expect("an instant");
    assert_eq!(texts(&format!("?after={}", daybook_tests::encode(at))), ["second"]);
    assert_eq!(texts("?after=2001-01-01"), ["first", "second"]);
    assert!(texts("?after=2999-01-01T00:00:00Z").is_empty());
    assert!(texts(&format!("?after={}", middle + 1)).is_empty());
    for query in ["after=x", "after=-1", "after=99999", "query=%23a", "depth=1", "compare=2025"] {
        let refused = cast.get(&format!("/reports/changes?{query}"));
        assert_eq!(refused.status, 400, "{query}: {}", refused.text);
    }
    assert_eq!(cast.get("/reports/journal?after=1").status, 400);
    assert_eq!(cast.recorder.get(&cast.path("/reports/changes")).status, 403);
}

fn rule_13_12_changes_have_every_format(server: &Server) {
    let cast = book(server);
    cast.record("2026-09-10", "30.00", "Cash", "Rent", "rent");
    let csv = cast.get("/reports/changes?format=csv").text;
    assert!(csv.starts_with("subject,kind,depth,event,at,user,app,change,date,text,"), "{csv}");
    assert!(csv.contains(",Transaction posted,2026-09-10,rent,Rent,Cash,30.00,,"), "{csv}");
    assert!(csv.contains("Events in the chain = events after 0 (last event "), "{csv}");
    let page = cast.get("/reports/changes?format=html").text;
    assert!(page.contains("Transaction posted") && page.ends_with("</html>"), "{page}");
    assert!(cast.get("/reports/changes?format=xlsx").text.starts_with("PK"), "a zip file");
}

#[track_caller]
fn close(caller: &Client, cast: &Cast, day: &str) -> Value {
    caller.post(&cast.path("/close"), &json!({"closingDate": day})).ok()
}

fn rule_13_13_closing_stores_reports(server: &Server) {
    let cast = book(server);
    cast.record("2026-09-10", "30.00", "Cash", "Rent", "rent");
    let included = last(&cast);
    let known = reading::events(&cast).len();
    let closing = close(&cast.editor, &cast, "2026-09-30");
    assert_eq!(closing["closingDate"], "2026-09-30");
    assert_eq!(closing["lastEvent"]["sequence"], included);
    assert_eq!(cast.read("")["closingDate"], "2026-09-30");
    assert_eq!(cast.read("")["properties"]["closing_event"], included.to_string());
    let files = closing["files"].as_array().expect("files");
    let names: Vec<&str> = files.iter().filter_map(|file| file["name"].as_str()).collect();
    let titles = ["Trial balance", "Balance sheet", "Income statement"];
    assert_eq!(names, titles.map(|title| format!("2026-09-30 {title}.xlsx")));
    let marks = json!({"closing_date": "2026-09-30", "closing_event": included.to_string()});
    for file in files {
        assert_eq!(file["properties"], marks);
        let stored = cast.read(&format!("/files/{}", id(file)));
        assert_eq!(&stored["content"].as_str().expect("content")[..4], "UEsD", "a zip file");
        let url = file["url"].as_str().expect("a url").strip_prefix(server.base()).expect("ours");
        assert!(cast.anonymous.get(url).text.starts_with("PK"));
    }
    let events = reading::new_events(&cast, known);
    let expected = ["BOOK_UPDATED", "FILE_CREATED", "FILE_CREATED", "FILE_CREATED"];
    assert_eq!(reading::types(&events), expected);
    // A repetition keeps the earlier files.
    let again = close(&cast.owner, &cast, "2026-09-30");
    assert_ne!(again["files"][0]["id"], files[0]["id"]);
    assert_eq!(cast.read("/files")["items"].as_array().map(Vec::len), Some(6));
    // Going back needs OWNER (3.5.4).
    let earlier = json!({"closingDate": "2026-08-31"});
    assert_eq!(cast.editor.post(&cast.path("/close"), &earlier).status, 403);
    assert_eq!(cast.poster.post(&cast.path("/close"), &earlier).status, 403);
    close(&cast.owner, &cast, "2026-08-31");
    let files = cast.read("/files")["items"].as_array().map(Vec::len);
    for body in [json!({}), json!({"closingDate": ""}), json!({"closingDate": "2026-02-30"})] {
        cast.post("/close", &body).refused(400, "badRequest");
    }
    assert_eq!(cast.read("/files")["items"].as_array().map(Vec::len), files);
}

fn rule_13_13_changes_begin_after_the_last_closing(server: &Server) {
    let cast = book(server);
    cast.record("2026-09-10", "30.00", "Cash", "Rent", "before");
    let included = close(&cast.owner, &cast, "2026-08-31")["lastEvent"]["sequence"].clone();
    cast.record("2026-09-11", "40.00", "Cash", "Rent", "after");
    let report = changes(&cast, "");
    assert_eq!(rows(&report), ["Transaction posted|2026-09-11|after|Rent|Cash|40.00||"]);
    assert_eq!(report["period"]["text"], format!("After event {included}"));
    let copy = cast.post("/copy?name=Copy", &Value::Null).ok();
    let path = format!("/v5/books/{}/reports/changes", id(&copy));
    assert_eq!(cast.owner.get(&path).ok()["period"]["text"], "Since the beginning");
    cast.put("", &json!({"properties": {"closing_event": "99999"}})).ok();
    assert_eq!(changes(&cast, "")["period"]["text"], "Since the beginning", "no such event");
}

/// A transaction of the closed period that is recorded after the reports were computed.
fn rule_13_13_changed_figures_refuse_a_closing(engine: Engine) {
    let inside = Inside::new(engine, Instant::new(1_790_000_000_000), Default::default());
    inside.chart(
        &[("All", "")],
        &[("Cash", AccountType::Asset, &[]), ("Rent", AccountType::Outgoing, &[])],
    );
    let record = |date: &str| {
        inside.record(vec![Changes {
            date: Field::Set(date.to_owned()),
            amount: Field::Set("1".to_owned()),
            credit: side("Cash"),
            debit: side("Rent"),
            ..Changes::default()
        }]);
    };
    let prepare = || {
        let (cx, day) = (&inside.cx, Some("2026-09-30"));
        let prepared = inside.store.read(|tx| report::prepare_closing(tx, cx, &inside.book, day));
        prepared.expect("reports")
    };
    let content =
        |name: usize| Content { blob: format!("blob{name}"), size: 0, digest: "0".repeat(64) };
    let close = |prepared: ClosingReports| {
        let contents = (0..3).map(content).collect();
        inside.write(move |tx, cx, book| report::close(tx, cx, book, &prepared, contents))
    };
    let prepared = prepare();
    record("2026-09-29");
    let refused = close(prepared).map(drop);
    assert!(matches!(refused, Err(Error::ConcurrentChange(_))), "{refused:?}");
    let prepared = prepare();
    let included = prepared.closing.head.sequence;
    record("2026-10-01");
    let closed = close(prepared).expect("a later transaction changes no figure");
    assert_eq!(closed.access.book().settings.closing_event(), Some(included));
}
