//! auditBook (6.7, 4.11, 6.15 - 6.18). The audit reports each change made directly in the database,
//! and only the affected accounts lose `balanceVerified`. Scheduling is in `audit_runs`.

mod rows;
mod tampering;

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

use daybook_tests::{Cast, RawSql, Server, pause, shows};
use serde_json::{Value, json};

use crate::file_sweep::eventually;
use crate::reading::{Faults, batch, events, items, types};
use rows::of_rows;
use tampering::{AuditFixture, Tampering, days_as_hex, of_balances, of_the_log, of_the_rest};

pub fn tests() -> Vec<crate::Case> {
    crate::cases![
        clean_book_has_no_findings,
        rule_4_11_tampering_is_reported_until_undone,
        forged_last_hash_is_reported,
        event_lists_at_most_20_findings,
        unreadable_day_totals_do_not_block_writes,
        missing_trigram_rows_are_reported,
        audit_event_names_the_requesting_app,
    ]
}

/// Returns the audit events of a book, oldest first.
#[track_caller]
pub fn audits(cast: &Cast) -> Vec<Value> {
    let list = cast.read("/events?type=BOOK_AUDITED&limit=200");
    items(&list).iter().rev().cloned().collect()
}

/// Waits until the book has more than `known` audits and returns the latest.
#[track_caller]
pub fn finished(cast: &Cast, known: usize) -> Value {
    let started = Instant::now();
    while started.elapsed() < Duration::from_secs(90) {
        let mut audits = audits(cast);
        if audits.len() > known {
            return audits.pop().expect("more than none");
        }
        pause(Duration::from_millis(20));
    }
    panic!("6.7: no audit within 90 s");
}

/// Audits the book and returns the event.
#[track_caller]
pub fn audit(cast: &Cast) -> Value {
    // The log of a case may have hundreds of them.
    let newest = || cast.read("/events?type=BOOK_AUDITED&limit=1")["items"][0].clone();
    let known = newest();
    cast.owner.send("PATCH", &cast.path("/audit"), &Value::Null).no_content();
    let mut audited = known.clone();
    eventually("6.7: an audit", || {
        audited = newest();
        audited["id"] != known["id"]
    });
    audited
}

/// Returns `balanceVerified` by account name.
#[track_caller]
fn verified(cast: &Cast) -> BTreeMap<String, bool> {
    let accounts = cast.read("/accounts");
    let read = |account: &Value| {
        let name = account["name"].as_str().expect("a name").to_owned();
        (name, account["balanceVerified"].as_bool().expect("4.11: always there"))
    };
    items(&accounts).iter().map(read).collect()
}

fn chart(cast: &Cast) {
    for (name, kind) in
        [("Cash", "ASSET"), ("Food", "OUTGOING"), ("Pay", "INCOMING"), ("Rent", "OUTGOING")]
    {
        cast.account(name, kind);
    }
}

fn clean_book_has_no_findings(server: &Server) {
    let cast = Cast::with_settings(server, json!({"timeZone": "Asia/Tokyo"}));
    chart(&cast);
    let names = ["Cash", "Food", "Pay", "Rent"];
    for round in 0..3 {
        let payments = (0..1000).map(|number| {
            let day =
                format!("20{:02}-{:02}-{:02}", 10 + number % 16, 1 + number % 12, 1 + number % 28);
            json!({
                "date": day, "amount": format!("{}.{:02}", 1 + number * 7 % 90_000, number % 100),
                "draft": number % 10 == 0,
                "creditAccount": {"name": names[number % 4]},
                "debitAccount": {"name": names[(number + 1 + round) % 4]},
                "description": format!("Número {number} #tag{} #Round{round}", number % 5),
                "remoteIds": [format!("{round}/{number}")],
                "properties": {"number": number.to_string(), "round": "x".repeat(300)},
            })
        });
        cast.post("/transactions/batch", &batch(payments)).ok();
    }
    let found = cast.read("/transactions?limit=300");
    let bin = batch(items(&found).iter().map(|found| json!({"id": found["id"]})));
    cast.patch("/transactions/trash/batch", &bin).no_content();
    cast.owner.put("/v5/books", &json!({"id": cast.book, "fractionDigits": 3})).ok();
    let before = i64::try_from(events(&cast).len()).expect("a small number");
    let audited = audit(&cast);
    let expected = json!({
        "sequence": before, "balancesMatch": true, "zeroSum": true, "chainIntact": true,
        "accountsChecked": 4,
        "transactionsChecked": 3000, "eventsChecked": before, "findingsCount": 0, "findings": [],
    });
    assert_eq!(audited["data"]["audit"], expected);
    shows(&audited, &json!({"sequence": before + 1, "resource": cast.book}));
    let user = cast.owner.get("/v5/user").ok();
    assert_eq!(audited["user"]["username"], user["username"]);
    shows(&audited["data"]["object"], &json!({"id": cast.book, "fractionDigits": 3}));
    assert!(verified(&cast).into_values().all(|verified| verified), "4.11: it stays true");
}

fn rule_4_11_tampering_is_reported_until_undone(server: &Server) {
    let fixture = AuditFixture::new(server);
    let (cast, mut raw_sql) = (&fixture.cast, RawSql::open(server));
    let stamps = || -> Vec<Value> {
        items(&cast.read("/accounts")).iter().map(|account| account["updatedAt"].clone()).collect()
    };
    let before = stamps();
    let mut cases = of_balances(&raw_sql);
    cases.extend(of_rows(&raw_sql));
    cases.extend(of_the_rest());
    cases.extend(of_the_log(&fixture, &mut raw_sql));
    let mut faults = Faults::default();
    for case in cases {
        let Tampering { name, apply, undo, findings, unverified, flags } = case;
        execute_all(&fixture, &mut raw_sql, name, &apply);
        let found = audit(cast)["data"]["audit"].clone();
        let wanted: Vec<[String; 4]> =
            findings.iter().map(|row| row.each_ref().map(|text| fixture.fill(text))).collect();
        let listed: Vec<[String; 4]> =
            items(&json!({"items": found["findings"]})).iter().map(shown).collect();
        let same = listed.len() == wanted.len()
            && listed.iter().zip(&wanted).all(|(listed, wanted)| agree(listed, wanted));
        faults.check(same, || format!("{name}: found {listed:#?}, expected {wanted:#?}"));
        faults.same(name, found["findingsCount"].as_u64(), Some(wanted.len() as u64));
        let shown = ["balancesMatch", "zeroSum", "chainIntact"].map(|flag| found[flag] == true);
        faults.same(name, shown, flags);
        for (account, verified) in verified(cast) {
            faults.check(verified != unverified.contains(&account.as_str()), || {
                format!("4.11: {name}: {account} is verified: {verified}")
            });
        }
        // The next audit finds what is left of this.
        execute_all(&fixture, &mut raw_sql, name, &undo);
    }
    faults.same("all undone", audit(cast)["data"]["audit"]["findingsCount"].clone(), json!(0));
    faults.check(verified(cast).into_values().all(|verified| verified), || {
        "4.11: all are verified again".to_owned()
    });
    faults.same("6.16: an audit is no update of an account", stamps(), before);
    faults.check(!types(&events(cast)).contains(&"ACCOUNT_UPDATED"), || {
        "6.16: no ACCOUNT_UPDATED".to_owned()
    });
    faults.none();
}

fn execute_all(fixture: &AuditFixture, raw_sql: &mut RawSql, name: &str, statements: &[String]) {
    for statement in statements {
        assert!(raw_sql.execute(&fixture.fill(statement)) > 0, "{name}: {statement} finds nothing");
    }
}

fn shown(finding: &Value) -> [String; 4] {
    ["kind", "resource", "expected", "actual"]
        .map(|field| finding[field].as_str().unwrap_or("nothing").to_owned())
}

/// Compares a finding with its pattern, where `*` at the end matches any rest.
fn agree(found: &[String; 4], wanted: &[String; 4]) -> bool {
    found.iter().zip(wanted).all(|(found, wanted)| {
        wanted.strip_suffix('*').map_or(found == wanted, |start| found.starts_with(start))
    })
}

/// A log cut at the end and given a matching last row is detected by the stored hash alone.
fn forged_last_hash_is_reported(server: &Server) {
    let fixture = AuditFixture::new(server);
    let mut raw_sql = RawSql::open(server);
    let zeros = raw_sql.bytes(&"0".repeat(64));
    raw_sql.execute(
        &fixture.fill(&format!("UPDATE book_state SET hash = {zeros} WHERE book_id = {{book}}")),
    );
    let found = audit(&fixture.cast)["data"]["audit"].clone();
    assert_eq!(found["chainIntact"], false);
    assert_eq!(found["findings"][0]["kind"], "eventHead", "{found}");
    assert_eq!(found["findings"][0]["actual"], "0".repeat(64));
    // Events appended after the forged hash are reported from then on.
    let found = audit(&fixture.cast)["data"]["audit"].clone();
    assert_eq!(found["findingsCount"], 1, "{found}");
    assert_eq!(found["findings"][0]["kind"], "event", "{found}");
}

/// 6.17: writes to a month with unreadable day totals succeed, and the audit reports the totals.
fn unreadable_day_totals_do_not_block_writes(server: &Server) {
    let fixture = AuditFixture::new(server);
    let mut raw_sql = RawSql::open(server);
    let nine = raw_sql.bytes("09");
    let broken = format!("UPDATE month_totals SET days = {nine} WHERE book_id = {{book}}");
    raw_sql.execute(&fixture.fill(&broken));
    fixture.cast.record("2025-01-20", "5", "Cash", "Food", "Dinner");
    fixture.cast.record("2025-03-01", "5", "Cash", "Food", "Another month");
    let query = "query=account:Food%20on:2025";
    let balances = fixture.cast.read(&format!("/balances?{query}"));
    assert!(balances.to_string().contains("\"20.00\""), "by month: {balances}");
    let found = audit(&fixture.cast)["data"]["audit"].clone();
    shows(&found, &json!({"balancesMatch": false, "zeroSum": true, "chainIntact": true}));
    let findings = items(&json!({"items": found["findings"]})).to_vec();
    let kinds: BTreeSet<&str> =
        findings.iter().filter_map(|finding| finding["kind"].as_str()).collect();
    assert_eq!(kinds, BTreeSet::from(["dayTotal"]), "{found}");
}

/// 6.17: rows of the trigram index are missing: all, those of one trigram, or those of one block.
fn missing_trigram_rows_are_reported(server: &Server) {
    let cast = Cast::new(server);
    for round in 0..5 {
        let drafts =
            (0..1000).map(|number| json!({"description": format!("Bill {round} {number}")}));
        cast.post("/transactions/batch", &batch(drafts)).ok();
    }
    let book = format!("(SELECT id FROM books WHERE public_id = '{}')", cast.book);
    let mut raw_sql = RawSql::open(server);
    let rows = format!("SELECT count(*) FROM trigram_blocks WHERE book_id = {book}");
    crate::file_sweep::eventually("the texts are indexed", || raw_sql.count(&rows) == 64);
    assert_eq!(audit(&cast)["data"]["audit"]["findingsCount"], 0);
    let bill = i64::from(u32::from('b')) << 42 | i64::from(u32::from('i')) << 21;
    let of_bill = bill | i64::from(u32::from('l'));
    for (name, table, condition, faulty) in [
        ("all rows", "trigrams", "trigram >= 0".to_owned(), 64),
        ("a trigram", "trigrams", format!("trigram = {of_bill}"), 64),
        ("the bounds of a block", "trigram_blocks", "block = 3".to_owned(), 1),
    ] {
        let moved = |from: &str, to: &str| {
            format!("UPDATE {table} SET book_id = {to} WHERE book_id = {from} AND {condition}")
        };
        let hidden = format!("-{book}");
        assert!(raw_sql.execute(&moved(&book, &hidden)) > 0, "{name}");
        let found = audit(&cast)["data"]["audit"].clone();
        assert_eq!(found["findingsCount"], faulty, "{name}: {found}");
        assert_eq!(found["findings"][0]["kind"], "index", "{name}: {found}");
        assert!(raw_sql.execute(&moved(&hidden, &book)) > 0, "{name}");
    }
    assert_eq!(audit(&cast)["data"]["audit"]["findingsCount"], 0);
}

/// 6.18: the event of a book with many faults has a bounded size.
fn event_lists_at_most_20_findings(server: &Server) {
    let cast = Cast::new(server);
    chart(&cast);
    let payment = |number: usize| {
        json!({
            "date": format!("2025-01-{:02}", 1 + number % 28), "amount": "1",
            "creditAccount": {"name": "Cash"},
            "debitAccount": {"name": "Food"}, "description": "x",
        })
    };
    cast.post("/transactions/batch", &batch((0..300).map(payment))).ok();
    let book = format!("(SELECT id FROM books WHERE public_id = '{}')", cast.book);
    let mut raw_sql = RawSql::open(server);
    // Wrong totals on each of the 28 days.
    let wrong = raw_sql.bytes(&days_as_hex((1..=28).map(|day| (day, 9_000_000, 9_000_000))));
    raw_sql.execute(&format!("UPDATE month_totals SET days = {wrong} WHERE book_id = {book}"));
    let audited = audit(&cast);
    let found = &audited["data"]["audit"];
    // Both accounts on each day; the month totals are still right.
    shows(found, &json!({"findingsCount": 56, "balancesMatch": false, "zeroSum": true}));
    assert_eq!(found["findings"].as_array().map(Vec::len), Some(20), "{found}");
    let unverified: Vec<String> = verified(&cast)
        .into_iter()
        .filter(|(_, verified)| !verified)
        .map(|(name, _)| name)
        .collect();
    assert_eq!(unverified, ["Cash", "Food"]);
}

/// 8.4: the event names the user and the app of the request.
fn audit_event_names_the_requesting_app(server: &Server) {
    let cast = Cast::new(server);
    let robot = cast.editor.header("service-agent-id", "auditor");
    robot.send("PATCH", &cast.path("/audit"), &Value::Null).no_content();
    let audited = finished(&cast, 0);
    assert_eq!(audited["agent"]["id"], "auditor");
    let user = cast.editor.get("/v5/user").ok();
    assert_eq!(audited["user"]["username"], user["username"]);
    // A body is ignored (0.10).
    cast.patch("/audit", &json!({"anything": [1, 2]})).no_content();
    finished(&cast, 1);
}
