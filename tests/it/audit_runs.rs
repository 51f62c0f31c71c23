//! How audits run (6.15, 6.16): one at a time per book, durable requests, and no findings caused by
//! concurrent writes.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use daybook_domain::email::Email;
use daybook_domain::event::EventType;
use daybook_service::{Context, Error, audit, book, event, user};
use daybook_storage::{Address, Options, Store, Tx};
use daybook_tests::{Cast, Engine, RawSql, Server, SetAtEnd, pause, unique};
use serde_json::{Value, json};

use crate::Case;
use crate::audit::{audit as audited, audits, finished};
use crate::file_sweep::eventually;
use crate::reading::{batch, items};
use crate::store::{Bench, NOW, draft};

pub fn tests() -> Vec<Case> {
    crate::isolated![
        requests_before_the_start_are_merged,
        request_during_an_audit_starts_another,
        deleted_book_is_not_audited,
        audit_stops_between_portions,
        audit_reads_one_snapshot,
        pending_audits_survive_a_restart,
        shutdown_does_not_wait_for_audits,
        concurrent_writes_cause_no_findings,
        lease_limits_a_book_to_one_audit_at_a_time,
        audit_event_names_the_user_after_a_rename,
        event_behind_the_head_fails_only_its_book,
    ]
}

impl Bench {
    fn ask(&self) {
        let (cx, book) = (self.cx.clone(), self.book.clone());
        self.store
            .write(self.lane(), move |tx| audit::request(tx, &cx, &book))
            .expect("the request is noted");
    }

    fn waiting(&self) -> usize {
        self.store.read(audit::waiting).expect("what waits").len()
    }

    fn make(&self) -> Option<audit::AuditRun> {
        let key = self.key();
        self.store.read(|tx| audit::run(tx, &key, &|| false)).expect("an audit")
    }

    fn conclude(&self, made: audit::AuditRun) {
        let (cx, key) = (self.cx.clone(), self.key());
        self.store
            .write(self.lane(), move |tx| audit::record(tx, &key, &made, &cx.ids, cx.now))
            .expect("a result");
    }

    fn key(&self) -> daybook_domain::id::BookKey {
        daybook_domain::id::BookKey::new(self.book.clone())
    }
}

/// 0.43, 6.15: an event behind the head of a book fails the writes to that book only. Its audit
/// runs once and does not write to the log.
fn event_behind_the_head_fails_only_its_book(engine: Engine) {
    let server = Server::start(engine);
    let [broken, other] = [Cast::new(&server), Cast::new(&server)];
    let mut raw_sql = RawSql::open(&server);
    let book = |cast: &Cast| format!("(SELECT id FROM books WHERE public_id = '{}')", cast.book);
    let columns = "resource, created_at, user_id, kind, agent, data, hash, count";
    let behind = format!(
        "INSERT INTO events (book_id, sequence, {columns}) \
         SELECT book_id, sequence + 1, {columns} FROM events WHERE book_id = {book} AND sequence = \
         (SELECT sequence FROM book_state WHERE book_id = {book})",
        book = book(&broken)
    );
    assert_eq!(raw_sql.execute(&behind), 1);
    let write = |cast: &Cast| {
        let path = cast.path("/transactions");
        cast.owner.post(&path, &json!({"description": "A draft"})).status
    };
    let statuses = |cast: &Cast, count: usize| -> Vec<u16> {
        thread::scope(|scope| {
            let threads: Vec<_> = (0..count)
                .map(|_| scope.spawn(|| (0..10).map(|_| write(cast)).collect::<Vec<u16>>()))
                .collect();
            threads.into_iter().flat_map(|thread| thread.join().expect("answers")).collect()
        })
    };
    let (done, failed) = thread::scope(|scope| {
        let failed = scope.spawn(|| statuses(&broken, 4));
        (statuses(&other, 8), failed.join().expect("answers"))
    });
    assert_eq!(done, vec![200; 80], "0.43: of the other book");
    assert_eq!(failed, vec![500; 40], "0.43: of the broken one");
    let count = format!("SELECT count(*) FROM events WHERE book_id = {}", book(&broken));
    let events = raw_sql.count(&count);
    broken.owner.send("PATCH", &broken.path("/audit"), &Value::Null).no_content();
    eventually("the audit is made", || server.log().contains("audit event not recorded"));
    eventually("the request is removed", || {
        raw_sql.count("SELECT count(*) FROM audit_requests") == 0
    });
    assert!(server.log().contains("eventHead"), "{}", server.log());
    assert_eq!(raw_sql.count(&count), events, "6.15: it writes nothing into that log");
    audited(&other);
    let removed = format!(
        "DELETE FROM events WHERE book_id = {book} AND sequence > \
         (SELECT sequence FROM book_state WHERE book_id = {book})",
        book = book(&broken)
    );
    assert_eq!(raw_sql.execute(&removed), 1);
    assert_eq!(write(&broken), 200, "it goes on");
    assert_eq!(audited(&broken)["data"]["audit"]["findingsCount"], 0);
}

/// Events of the new book and its two accounts. Each audit adds one.
const FOUNDED: i64 = 3;

fn requests_before_the_start_are_merged(engine: Engine) {
    let bench = Bench::new(engine, 4096);
    bench.ask();
    bench.ask();
    assert_eq!(bench.waiting(), 1);
    let made = bench.make().expect("it is wanted");
    assert_eq!(made.report.sequence, FOUNDED);
    bench.conclude(made);
    assert_eq!(bench.waiting(), 0);
    assert!(bench.make().is_none(), "no request is pending");
    bench.check_chain(FOUNDED + 1);
}

/// The requesting user is stored by id. During the audit the address may change and pass to another
/// user.
fn audit_event_names_the_user_after_a_rename(engine: Engine) {
    let bench = Bench::new(engine, 4096);
    bench.ask();
    let made = bench.make().expect("it is wanted");
    let (asked, ids) = (Arc::clone(&bench.cx.user), Arc::clone(&bench.cx.ids));
    let to = Email::stored(format!("{}@example.com", unique("renamed")));
    let changed = bench.store.write(bench.lane(), move |tx| {
        user::change_address(tx, &asked.email, &to, &ids, NOW)?;
        user::sign_in(tx, &asked.email, &ids, NOW)
    });
    let other = changed.expect("another user has the address").id;
    assert_ne!(other, bench.cx.user.id);
    bench.conclude(made);
    assert_eq!(bench.waiting(), 0);
    let now = bench.store.read(|tx| user::find_by_id(tx, bench.cx.user.id)).expect("a user");
    let cx = Context { user: Arc::new(now.expect("who asked")), ..bench.cx.clone() };
    let request = event::Request { limit: Some(1), ..event::Request::default() };
    let read = |tx: &mut Tx<'_>| event::list(tx, &cx, &bench.book, &request);
    let last = bench.store.read(read).expect("events").events.remove(0).event;
    assert_eq!((last.kind, last.user), (EventType::BookAudited, bench.cx.user.id));
}

fn request_during_an_audit_starts_another(engine: Engine) {
    let bench = Bench::new(engine, 4096);
    bench.ask();
    let first = bench.make().expect("it is wanted");
    bench.ask();
    bench.ask();
    bench.conclude(first);
    assert_eq!(bench.waiting(), 1, "the later request is pending");
    let second = bench.make().expect("it is wanted");
    // Another process made the same audit: only the first is recorded.
    let again = bench.make().expect("it is wanted still");
    assert_eq!(second.report.sequence, FOUNDED + 1);
    bench.conclude(second);
    bench.conclude(again);
    assert_eq!(bench.waiting(), 0);
    bench.check_chain(FOUNDED + 2);
}

fn deleted_book_is_not_audited(engine: Engine) {
    let bench = Bench::new(engine, 4096);
    bench.ask();
    let made = bench.make().expect("it is wanted");
    let (cx, key) = (bench.cx.clone(), bench.book.clone());
    let deleted = bench.store.write(bench.lane(), move |tx| book::delete(tx, &cx, &key, 30));
    deleted.expect("the book goes");
    assert_eq!(bench.waiting(), 0, "6.5: everything goes");
    bench.conclude(made);
    assert!(bench.make().is_none());
}

fn audit_reads_one_snapshot(engine: Engine) {
    let bench = Bench::new(engine, 4096);
    bench.record((0..10).map(|number| draft(&format!("#a {number}"))).collect()).expect("a batch");
    bench.ask();
    let key = bench.key();
    let made = bench.store.read(|tx| {
        tx.ping()?;
        let made = audit::run(tx, &key, &|| false)?;
        bench.record(vec![draft("meanwhile")])?;
        Ok::<_, Error>((made, audit::run(tx, &key, &|| false)?))
    });
    let (before, after) = made.expect("two audits of one snapshot");
    let (before, after) = (before.expect("it is wanted"), after.expect("it is wanted"));
    assert_eq!(before.report, after.report, "concurrent writes are ignored");
    assert_eq!((before.report.transactions_checked, before.report.findings.count()), (10, 0));
    bench.conclude(before);
    bench.check_chain(FOUNDED + 10 + 1 + 1);
}

fn audit_stops_between_portions(engine: Engine) {
    let bench = Bench::new(engine, 4096);
    bench.record((0..10).map(|number| draft(&number.to_string())).collect()).expect("a batch");
    bench.ask();
    let key = bench.key();
    assert!(bench.store.read(|tx| audit::run(tx, &key, &|| true)).expect("no failure").is_none());
    assert_eq!(bench.waiting(), 1, "the request stays pending");
}

fn fill(cast: &Cast, count: usize) {
    cast.account("Cash", "ASSET");
    cast.account("Food", "OUTGOING");
    for _ in 0..count / 1000 {
        let payment = |number: usize| {
            json!({
                "date": format!("20{:02}-01-{:02}", 10 + number % 16, 1 + number % 28),
                "amount": format!("{}", 1 + number),
                "creditAccount": {"name": "Cash"}, "debitAccount": {"name": "Food"},
                "description": format!("#number {number}"),
            })
        };
        cast.post("/transactions/batch", &batch((0..1000).map(payment))).ok();
    }
}

/// A request is a row in the database, so it survives the process.
fn pending_audits_survive_a_restart(engine: Engine) {
    let mut server = Server::start(engine);
    let cast = Cast::new(&server);
    fill(&cast, 1000);
    server.terminate();
    let book = format!("(SELECT id FROM books WHERE public_id = '{}')", cast.book);
    let user = format!("(SELECT id FROM users WHERE email = '{}')", cast.owner.email());
    RawSql::open(&server).execute(&format!(
        "INSERT INTO audit_requests (book_id, request, user_id, \
        agent) VALUES ({book}, 1, {user}, NULL)"
    ));
    server.restart();
    let audited = finished(&cast, 0);
    assert_eq!(audited["data"]["audit"]["transactionsChecked"], 1000);
    // Also after a kill that follows the 204.
    cast.owner.send("PATCH", &cast.path("/audit"), &Value::Null).no_content();
    server.kill();
    server.restart();
    finished(&cast, 1);
}

fn shutdown_does_not_wait_for_audits(engine: Engine) {
    let mut server = Server::start(engine);
    let cast = Cast::new(&server);
    fill(&cast, 2000);
    cast.owner.send("PATCH", &cast.path("/audit"), &Value::Null).no_content();
    let (status, took) = server.terminate();
    assert!(status.success(), "{status}\n{}", server.log());
    assert!(took < Duration::from_secs(25), "{took:?}");
    server.restart();
    let audited = finished(&cast, 0);
    assert_eq!(audited["data"]["audit"]["findingsCount"], 0);
    assert_eq!(audits(&cast).len(), 1, "made once, before or after");
}

/// Writers change balances throughout; an audit must not report a partial write.
fn concurrent_writes_cause_no_findings(engine: Engine) {
    let server = Server::start(engine);
    let cast = Cast::new(&server);
    fill(&cast, 1000);
    let over = AtomicBool::new(false);
    thread::scope(|scope| {
        for writer in 0..3_usize {
            let (cast, over) = (&cast, &over);
            scope.spawn(move || {
                let mut round = 0;
                while !over.load(Ordering::Relaxed) {
                    round += 1;
                    write(cast, writer, round);
                }
            });
        }
        let results: Vec<Value> = {
            let _over = SetAtEnd(&over);
            (0..4).map(|_| audited(&cast)).collect()
        };
        for event in results {
            let (found, sequence) =
                (&event["data"]["audit"], event["sequence"].as_i64().expect("a number"));
            assert_eq!(found["findingsCount"], 0, "a false finding: {event}");
            assert!(found["sequence"].as_i64().is_some_and(|about| about < sequence), "{event}");
        }
    });
    let last = audited(&cast)["data"]["audit"].clone();
    assert_eq!(last["findingsCount"], 0, "{last}");
}

/// A worker skips a book while another process holds its lease.
fn lease_limits_a_book_to_one_audit_at_a_time(engine: Engine) {
    let server = Server::start(engine);
    let cast = Cast::new(&server);
    let address = Address::parse(server.database_url()).expect("a URL");
    let other = Store::open(&Options::new(address)).expect("another process");
    let name = format!("audit {}", cast.book);
    let lease = other.lease(&name).expect("no failure").expect("the lease is free");
    let ask = || cast.owner.send("PATCH", &cast.path("/audit"), &Value::Null).no_content();
    ask();
    pause(Duration::from_millis(500));
    assert_eq!(audits(&cast).len(), 0);
    drop(lease);
    ask();
    finished(&cast, 0);
}

fn write(cast: &Cast, writer: usize, round: usize) {
    let payment = |number: usize| {
        json!({
            "date": format!("2025-{:02}-{:02}", 1 + round % 12, 1 + number),
            "amount": format!("{}.{writer}", 1 + round),
            "creditAccount": {"name": "Cash"}, "debitAccount": {"name": "Food"},
            "description": format!("#writer{writer}"),
            "remoteIds": [format!("{writer}/{round}/{number}")],
        })
    };
    let created = cast.post("/transactions/batch", &batch((0..20).map(payment))).ok();
    let some: Vec<Value> =
        items(&created).iter().step_by(3).map(|created| json!({"id": created["id"]})).collect();
    let changed = some.iter().map(|some| {
        json!({
            "id": some["id"], "amount": "77", "description": "#other", "date": "2024-02-29",
        })
    });
    cast.put("/transactions/batch", &batch(changed)).ok();
    cast.patch("/transactions/trash/batch", &batch(some.clone())).no_content();
    cast.patch("/transactions/untrash/batch", &batch(some.into_iter().skip(2))).no_content();
    if writer == 0 && round.is_multiple_of(10) {
        let digits = 2 + round / 10 % 4;
        cast.owner.put("/v5/books", &json!({"id": cast.book, "fractionDigits": digits})).ok();
    }
}
