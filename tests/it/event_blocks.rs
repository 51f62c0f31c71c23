//! Events of a batch share rows of the log (`storage/event/event_row.rs`). Pages, filters, app
//! responses and audits must behave as with one row per event (8.5, 8.15).

use std::collections::BTreeSet;

use daybook_tests::receiver::{Receiver, fine};
use daybook_tests::{CASH_AND_FOOD, Cast, RawSql, Server, all_pages, column, encode};
use serde_json::{Value, json};

use crate::Case;
use crate::audit::audit;
use crate::file_sweep::eventually;
use crate::reading::{Faults, batch, events, find, id, items, resources};
use crate::webhooks::install;

pub fn tests() -> Vec<Case> {
    crate::cases![
        batch_events_share_rows,
        pages_and_filters_cut_blocks,
        error_belongs_to_one_event,
        page_without_errors_skips_blocks_of_errors,
        rule_6_7_changed_block_is_reported,
        rule_6_20_copy_is_verified_after_its_drafts_are_posted,
    ]
}

/// Records lunches with these descriptions in one request.
#[track_caller]
fn record<T: ToString>(cast: &Cast, descriptions: impl IntoIterator<Item = T>) -> Vec<Value> {
    let lunch = |description: T| {
        json!({
            "date": "2025-01-10", "amount": "8", "creditAccount": {"name": "Cash"},
            "debitAccount": {"name": "Food"}, "description": description.to_string(),
        })
    };
    let lunches = batch(descriptions.into_iter().map(lunch));
    items(&cast.post("/transactions/batch", &lunches).ok()).clone()
}

/// Returns the SQL condition that selects the book.
fn of_book(cast: &Cast) -> String {
    format!("book_id = (SELECT id FROM books WHERE public_id = '{}')", cast.book)
}

/// Returns the ids of all pages of a list of events.
#[track_caller]
fn read_pages(cast: &Cast, parameters: &str, limit: usize) -> Vec<String> {
    let pages = all_pages(|cursor| {
        let page = cast.read(&format!("/events?limit={limit}&cursor={cursor}&{parameters}"));
        assert!(items(&page).len() <= limit, "2.5: {parameters}");
        page
    });
    pages.iter().map(id).collect()
}

fn batch_events_share_rows(server: &Server) {
    let mut raw_sql = RawSql::open(server);
    let mut few = || {
        let cast = Cast::with_accounts(server, &CASH_AND_FOOD);
        let known = events(&cast).len();
        record(&cast, 0..320);
        let rows = raw_sql.count(&format!(
            "SELECT COUNT(*) FROM events WHERE {} AND sequence > {known}",
            of_book(&cast)
        ));
        assert_eq!(events(&cast).len(), known + 320, "8.15");
        assert!(rows >= 20, "{rows} rows for 320 events");
        rows < 80
    };
    // Events share a row while their ids are consecutive. A new millisecond or a write to another
    // book interrupts them.
    assert!((0..5).any(|_| few()), "no batch takes few rows");
}

fn pages_and_filters_cut_blocks(server: &Server) {
    let cast = Cast::with_accounts(server, &CASH_AND_FOOD);
    let made = record(&cast, 0..40);
    cast.record("2025-01-10", "8", "Cash", "Food", "alone");
    cast.patch("/transactions/check", &json!({"id": id(&made[5])})).ok();
    record(&cast, 40..60);
    let mut all = events(&cast);
    all.reverse();
    let every: Vec<String> = all.iter().map(id).collect();
    let mut faults = Faults::default();
    for limit in [1, 3, 16, 17, 50] {
        faults.same(&format!("{limit} at a time"), read_pages(&cast, "", limit), every.clone());
    }
    let ids = |keep: &dyn Fn(&Value) -> bool| -> Vec<String> {
        all.iter().filter(|event| keep(event)).map(id).collect()
    };
    for event in &all {
        let alone = cast.read(&format!("/events/{}", id(event)));
        for field in ["sequence", "hash", "resource", "type", "createdAt", "data"] {
            faults.same(&format!("{} {field}", id(event)), &alone[field], &event[field]);
        }
        let about = format!("resourceId={}", event["resource"].as_str().expect("a resource"));
        let same = ids(&|other| other["resource"] == event["resource"]);
        faults.same(&about, read_pages(&cast, &about, 2), same.clone());
        faults.same(&about, read_pages(&cast, &about, 1), same);
    }
    let posted = ids(&|event| event["type"] == "TRANSACTION_POSTED");
    faults.same("a type", read_pages(&cast, "type=TRANSACTION_POSTED", 7), posted);
    let times: BTreeSet<i64> = all.iter().map(millis).collect();
    for at in times {
        let shown = jiff::Timestamp::from_millisecond(at).expect("an instant").to_string();
        let [after, before] = ["after", "before"].map(|word| format!("{word}={}", encode(&shown)));
        faults.same(&after, read_pages(&cast, &after, 7), ids(&|event| millis(event) >= at));
        faults.same(&before, read_pages(&cast, &before, 7), ids(&|event| millis(event) < at));
    }
    faults.none();
}

fn millis(event: &Value) -> i64 {
    event["createdAt"].as_str().and_then(|text| text.parse().ok()).expect("milliseconds")
}

/// Installs an app that responds with an error to descriptions that begin with `bad`.
fn install_critic(cast: &Cast) -> (Receiver, Value) {
    let receiver = Receiver::answering(|received| {
        let transaction = &received.body["data"]["object"]["transaction"];
        let description = transaction["description"].as_str().unwrap_or_default();
        fine(if description.starts_with("bad") { r#"{"error": "no"}"# } else { "{}" })
    });
    let app = install(cast, &receiver.url(), &["TRANSACTION_POSTED"], json!({}));
    (receiver, app)
}

#[track_caller]
fn wait_until_delivered(cast: &Cast) {
    eventually("8.10: the backlog falls to 0", || {
        cast.viewer.get(&cast.path("/events/backlog")).ok()["count"] == 0
    });
}

fn error_belongs_to_one_event(server: &Server) {
    let cast = Cast::with_accounts(server, &CASH_AND_FOOD);
    let (receiver, app) = install_critic(&cast);
    let bad = [0, 3, 15, 16, 19];
    let describe =
        |number| format!("{} {number}", if bad.contains(&number) { "bad" } else { "ok" });
    let made = record(&cast, (0..20).map(describe));
    let received = receiver.wait_for(20);
    let resources_of = |received: &[daybook_tests::receiver::Received]| -> Vec<Value> {
        received.iter().map(|received| received.body["resource"].clone()).collect()
    };
    let made_ids: Vec<Value> = made.iter().map(|made| made["id"].clone()).collect();
    assert_eq!(resources_of(&received), made_ids, "8.9: each event is delivered, in order");
    wait_until_delivered(&cast);
    let mut all = events(&cast);
    all.reverse();
    let failed: Vec<&Value> = bad.iter().rev().map(|number| &made[*number]["id"]).collect();
    let [with, without] = [true, false].map(|bad| {
        let same = all.iter().filter(|event| failed.contains(&&event["resource"]) == bad);
        same.map(id).collect::<Vec<_>>()
    });
    assert_eq!(with.len(), bad.len());
    for limit in [1, 2, 7, 50] {
        assert_eq!(read_pages(&cast, "error=true", limit), with, "8.5: {limit}");
        assert_eq!(read_pages(&cast, "error=false", limit), without, "8.5: {limit}");
    }
    let found = || {
        let mut found = column(&find(&cast, "error:true"), "description");
        found.sort();
        found
    };
    assert_eq!(found(), ["bad 0", "bad 15", "bad 16", "bad 19", "bad 3"], "1.2");
    // 8.12: deleting a response removes only its error.
    let listed = cast.read("/events?error=true");
    for (event, left) in items(&listed).iter().zip((0..bad.len()).rev()) {
        let response = format!("/events/{}/responses/{}", id(event), id(&app));
        cast.delete(&response).ok();
        assert_eq!(found().len(), left, "8.12: {event}");
    }
    let again = json!({"items": [{"id": with[1]}, {"id": with[4]}]});
    cast.patch("/events/replay/batch", &again).no_content();
    wait_until_delivered(&cast);
    assert_eq!(found(), ["bad 0", "bad 16"], "8.12: the replayed ones");
}

/// 8.5.
fn page_without_errors_skips_blocks_of_errors(server: &Server) {
    let cast = Cast::with_accounts(server, &CASH_AND_FOOD);
    let first = events(&cast).len();
    let (receiver, _) = install_critic(&cast);
    record(&cast, (0..40).map(|number| format!("bad {number}")));
    record(&cast, ["ok 1", "bad 41", "ok 2"]);
    receiver.wait_for(43);
    wait_until_delivered(&cast);
    let without = read_pages(&cast, "error=false", 3);
    // Earlier events, the installation, and two without errors.
    assert_eq!(without.len(), first + 3);
    assert_eq!(read_pages(&cast, "error=true", 3).len(), 41);
    assert_eq!(column(&cast.read("/events?limit=2&error=false"), "id").len(), 2);
}

/// Returns statements that change the last block and restore it, with the kinds of findings.
fn tamperings(at: &str, zeros: &str) -> Vec<(&'static str, [String; 2], &'static [&'static str])> {
    let both = |there: &str, back: &str| {
        [there, back].map(|set| format!("UPDATE events SET {set} WHERE {at}"))
    };
    vec![
        ("fewer than it says", both("count = count + 1", "count = count - 1"), &["event"]),
        ("more than it says", both("count = count - 1", "count = count + 1"), &["event"]),
        ("no block at all", both("count = NULL", "count = 16"), &["event", "eventMissing"]),
        (
            "another resource",
            both("resource = resource + 1", "resource = resource - 1"),
            &["event"],
        ),
        (
            "another time",
            both("created_at = created_at + 1", "created_at = created_at - 1"),
            &["event"],
        ),
        (
            "more than any row has",
            both("count = 2000000000", "count = 16"),
            &["event", "eventMissing", "stored"],
        ),
        ("another hash", both(&format!("hash = {zeros}"), "hash = hash"), &["event"]),
    ]
}

fn rule_6_7_changed_block_is_reported(server: &Server) {
    let cast = Cast::with_accounts(server, &CASH_AND_FOOD);
    let mut raw_sql = RawSql::open(server);
    // Ids are consecutive within a millisecond, so one of these batches fills a block.
    let whole = format!("FROM events WHERE {} AND count = 16", of_book(&cast));
    while raw_sql.count(&format!("SELECT COUNT(*) {whole}")) == 0 {
        record(&cast, 0..16);
    }
    cast.record("2025-01-10", "8", "Cash", "Food", "later");
    let number = raw_sql.count(&format!("SELECT MAX(sequence) {whole}"));
    let at = format!("{} AND sequence = {number}", of_book(&cast));
    let log = events(&cast);
    let hash = log.iter().find(|event| event["sequence"] == number).expect("its last event");
    let hash = raw_sql.bytes(hash["hash"].as_str().expect("8.15: a hash"));
    let zeros = raw_sql.bytes(&"0".repeat(64));
    let mut faults = Faults::default();
    for (name, [there, back], kinds) in tamperings(&at, &zeros) {
        assert_eq!(raw_sql.execute(&there), 1, "{name}");
        let found = audit(&cast)["data"]["audit"].clone();
        faults.same(name, &found["chainIntact"], &json!(false));
        let listed = items(&json!({"items": found["findings"]})).to_vec();
        let seen: BTreeSet<&str> =
            listed.iter().filter_map(|finding| finding["kind"].as_str()).collect();
        for kind in kinds {
            faults.check(seen.contains(kind), || format!("{name}: {kind} in {found}"));
        }
        let back = back.replace("hash = hash", &format!("hash = {hash}"));
        assert_eq!(raw_sql.execute(&back), 1, "{name}");
        let restored = audit(&cast)["data"]["audit"].clone();
        faults.same(name, &restored["findingsCount"], &json!(0));
    }
    let gone = raw_sql.execute(&format!("DELETE FROM events WHERE {at}"));
    assert_eq!(gone, 1);
    let found = audit(&cast)["data"]["audit"].clone();
    let missing = format!("events {} to {number}", number - 15);
    faults.check(found.to_string().contains(&missing), || format!("{missing} in {found}"));
    faults.none();
}

fn rule_6_20_copy_is_verified_after_its_drafts_are_posted(server: &Server) {
    let cast = Cast::with_accounts(server, &CASH_AND_FOOD);
    let draft = |number: i32| {
        json!({
            "date": "2025-01-10", "amount": "8", "creditAccount": {"name": "Cash"},
            "debitAccount": {"name": "Food"}, "description": number.to_string(), "draft": true,
        })
    };
    cast.post("/transactions/batch", &batch((0..30).map(draft))).ok();
    let copy = cast.post("/copy?name=Copy&copyTransactions=true", &Value::Null).ok();
    let copied = Cast { book: id(&copy), ..cast };
    let drafts = ids_of_drafts(&copied);
    assert_eq!(drafts.len(), 30, "6.20");
    let verb = json!({"items": drafts.iter().map(|id| json!({"id": id})).collect::<Vec<_>>()});
    copied.patch("/transactions/post/batch", &verb).no_content();
    assert_eq!(ids_of_drafts(&copied).len(), 0);
    let posted = copied.read("/events?type=TRANSACTION_POSTED&limit=200");
    let listed = items(&posted);
    assert_eq!(listed.len(), 30);
    let mut about = resources(listed);
    about.sort_unstable();
    assert_eq!(about, drafts);
    let found = audit(&copied)["data"]["audit"].clone();
    assert_eq!(found["findingsCount"], 0, "6.20: {found}");
}

#[track_caller]
fn ids_of_drafts(cast: &Cast) -> Vec<String> {
    let mut drafts = column(&find(cast, "is:draft"), "id");
    drafts.sort();
    drafts
}
