//! Reads end (0.32) at their deadline, and when their client has left.

use std::io::Write;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use daybook_domain::account::AccountType;
use daybook_domain::balance::{Level, Segment};
use daybook_domain::event::EventType;
use daybook_domain::field::Field;
use daybook_domain::id::AccountId;
use daybook_domain::permission::Action;
use daybook_domain::transaction::Changes;
use daybook_service::{Error, access};
use daybook_storage::balance::{AccountScope, TotalsQuery};
use daybook_storage::event::EventFilter;
use daybook_storage::{ReadStop, ReaderPool, Tx};
use daybook_tests::browser::Browser;
use daybook_tests::{CASH_AND_FOOD, Cast, Client, Engine, RawSql, RowLock, Server, pause};
use serde_json::json;

use crate::Case;
use crate::file_sweep::eventually;
use crate::files::file;
use crate::inside::{Inside, side};
use crate::plans::NOW;
use crate::reading::batch;
use crate::wire::connect;

pub fn tests() -> Vec<Case> {
    crate::isolated![
        rule_0_32_a_read_ends_at_its_deadline,
        rule_0_32_a_read_ends_when_its_client_has_left,
        rule_0_32_slow_reads_of_one_user_leave_readers_to_others,
        rule_0_32_slow_reads_of_many_users_leave_readers_to_others,
        rule_0_32_statements_are_stopped_among_rows_that_they_skip,
        rule_0_32_reads_are_stopped_between_rows,
        rule_0_32_file_reads_leave_connections_for_authentication,
        rule_11_19_database_outage_is_not_a_wrong_code,
        rule_1_7_5_text_search_takes_time_by_length_of_description,
    ]
}

/// Letters of the longest search texts.
const LETTERS: usize = 256;

fn server(engine: Engine, seconds: &str) -> Server {
    Server::with_args(engine, &["--read-deadline-seconds", seconds])
}

/// A book in which searching for many long texts takes many seconds.
pub fn slow_book(server: &Server) -> Cast {
    let cast = Cast::with_accounts(server, &CASH_AND_FOOD);
    lengthen(&cast, 100);
    cast
}

/// Adds long descriptions.
fn lengthen(cast: &Cast, rows: usize) {
    let body = json!({"description": "a".repeat(65_000)});
    cast.post("/transactions/batch", &batch(vec![body; rows])).ok();
}

/// The path of a count of transactions without several texts, each of which nearly occurs
/// everywhere.
pub fn count_without(cast: &Cast, texts: usize) -> String {
    let text = |at: usize| format!("-{}b{}", "a".repeat(at), "a".repeat(LETTERS - 1 - at));
    let texts: Vec<String> = (0..texts).map(text).collect();
    cast.path(&format!("/transactions/count?query={}", texts.join("%20")))
}

/// Asserts a response sooner than after all slow reads.
fn answered_soon(caller: &Client, path: &str) {
    let started = Instant::now();
    caller.get(path).ok();
    assert!(started.elapsed() < Duration::from_secs(15), "{path}: {:?}", started.elapsed());
}

fn rule_0_32_a_read_ends_at_its_deadline(engine: Engine) {
    let server = server(engine, "2");
    let cast = slow_book(&server);
    let slow = count_without(&cast, 199);
    let ended = || {
        let started = Instant::now();
        let answer = cast.owner.get(&slow);
        assert!(answer.headers.contains_key("retry-after"), "{:?}", answer.headers);
        let message = answer.refused(503, "deadlineExceeded");
        assert!(message.contains("exceeded the deadline of 2 s"), "{message}");
        let seconds = started.elapsed().as_secs_f64();
        assert!((2.0..15.0).contains(&seconds), "{seconds} s");
    };
    // More than there are readers: stopped reads have freed theirs.
    std::thread::scope(|scope| (0..4).for_each(|_| drop(scope.spawn(ended))));
    (0..2).for_each(|_| ended());
    answered_soon(&cast.owner, &cast.path("/transactions?limit=1"));
    assert_eq!(server.anonymous().get("/ready").status, 200);
}

fn rule_0_32_a_read_ends_when_its_client_has_left(engine: Engine) {
    let server = server(engine, "600");
    let cast = slow_book(&server);
    let head = format!(
        "GET {} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {}\r\n\r\n",
        count_without(&cast, 199),
        cast.owner.token().expect("a token")
    );
    let connected = || {
        let mut stream = connect(&server);
        stream.write_all(head.as_bytes()).expect("sent");
        stream
    };
    // As many as there are readers, and more that wait for one.
    let streams: Vec<_> = (0..16).map(|_| connected()).collect();
    pause(Duration::from_millis(300));
    drop(streams);
    answered_soon(&cast.owner, &cast.path("/transactions?limit=1"));
    assert_eq!(server.anonymous().get("/ready").status, 200);
    let log = server.log();
    assert!(!log.contains("ERROR"), "{log}");
}

fn rule_0_32_slow_reads_of_one_user_leave_readers_to_others(engine: Engine) {
    let server = server(engine, "8");
    let cast = slow_book(&server);
    // Three times as slow: longer than that.
    (0..2).for_each(|_| lengthen(&cast, 100));
    let slow = count_without(&cast, 199);
    let ended = AtomicUsize::new(0);
    let attack = || {
        let answer = cast.owner.get(&slow);
        ended.fetch_add(1, Ordering::SeqCst);
        answer.refused(503, "deadlineExceeded");
    };
    // A user whom the process has not cached.
    let email = format!("{}@example.com", daybook_tests::unique("new"));
    let new = server.client(&email);
    assert!(new.token().is_some());
    std::thread::scope(|scope| {
        (0..16).for_each(|_| drop(scope.spawn(attack)));
        pause(Duration::from_millis(300));
        for person in [&cast.editor, &cast.viewer] {
            answered_soon(person, &cast.path("/transactions?limit=1"));
            answered_soon(person, "/v5/books");
        }
        assert_eq!(server.anonymous().get("/ready").status, 200);
        answered_soon(&new, "/v5/user");
        let ended = ended.load(Ordering::SeqCst);
        assert_eq!(ended, 0, "all of it while the others hold what they may hold");
    });
}

/// Twice as many users as there are readers.
fn rule_0_32_slow_reads_of_many_users_leave_readers_to_others(engine: Engine) {
    let server = server(engine, "40");
    let cast = slow_book(&server);
    (0..2).for_each(|_| lengthen(&cast, 100));
    let slow = count_without(&cast, 199);
    let emails: Vec<String> =
        (0..16).map(|number| format!("newcomer{number}@example.com")).collect();
    emails.iter().for_each(|email| drop(cast.share(email, "VIEWER")));
    let newcomers = server.clients(&emails);
    cast.stranger.get("/v5/books").ok();
    let over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        for newcomer in &newcomers {
            scope.spawn(|| {
                while !over.load(Ordering::SeqCst) {
                    let answer = newcomer.get(&slow);
                    assert!(matches!(answer.status, 200 | 503), "{}", answer.text);
                }
            });
        }
        pause(Duration::from_millis(500));
        let request = (0..8).map(|_| {
            let started = Instant::now();
            (cast.stranger.get("/v5/books").status, started.elapsed())
        });
        let answers: Vec<(u16, Duration)> = request.collect();
        over.store(true, Ordering::SeqCst);
        let soon = |(status, took): &(u16, Duration)| *status == 200 && took.as_secs() < 5;
        assert!(answers.iter().all(soon), "0.32: {answers:?}");
    });
}

fn rule_1_7_5_text_search_takes_time_by_length_of_description(engine: Engine) {
    let server = Server::start(engine);
    let cast = slow_book(&server);
    assert_eq!(cast.owner.get(&count_without(&cast, 8)).ok()["total"], 100);
}

/// The number of rows of a generated table; no machine scans them within a second.
const ENDLESS: &str = "1000000000";

/// Runs a read while another thread stops it. The read would scan rows for minutes.
fn stopped(inside: &Inside, what: &str, ask: impl Fn(&mut Tx<'_>) -> Result<(), Error> + Sync) {
    let stop = ReadStop::new(Duration::from_secs(60));
    let outcome = std::thread::scope(|scope| {
        let request =
            scope.spawn(|| inside.store.read_until_stopped(ReaderPool::Users, &stop, |tx| ask(tx)));
        // The stop may come before or during the statement; both end it.
        pause(Duration::from_millis(300));
        stop.stop();
        request.join().expect("no panic")
    });
    let stopped = matches!(&outcome, Err(Error::Storage(daybook_storage::Error::Stopped)));
    assert!(stopped, "{what}: {outcome:?}");
}

/// 0.32: a statement that scans many rows and returns none is stopped while it runs. PostgreSQL
/// cancels any statement.
fn rule_0_32_statements_are_stopped_among_rows_that_they_skip(engine: Engine) {
    if engine == Engine::Postgres {
        return;
    }
    let inside = Inside::new(engine, NOW, daybook_domain::book::Changes::default());
    let access =
        || inside.store.read(|tx| access::enter(tx, &inside.cx, &inside.book, Action::ReadEvents));
    let access = access().expect("access");
    let book = access.book().id.get();
    let endless = |table: &str, columns: &str| {
        let rows = format!(
            "WITH RECURSIVE n (x) AS \
             (SELECT 1 UNION ALL SELECT x + 1 FROM n WHERE x < {ENDLESS})"
        );
        let renamed = format!("ALTER TABLE {table} RENAME TO kept_{table}");
        let view =
            format!("CREATE VIEW {table} AS {rows} SELECT {book} AS book_id, {columns} FROM n");
        inside.execute(&[&renamed, &view]);
    };
    endless("month_totals", "x AS account_id, 202601 AS month, x'022122' AS days");
    endless(
        "events",
        "x AS sequence, x AS resource, 0 AS created_at, 1 AS user_id, 7 + x % 2 AS kind, \
         NULL AS agent, x'7b7d' AS data, x'' AS hash, NULL AS count",
    );
    let day = daybook_domain::calendar::parse_iso("2026-02-01");
    let segment = Segment { level: Level::Day, from: None, until: day, fold: true };
    stopped(&inside, "sums of other accounts", |tx| {
        let scope = AccountScope::Accounts(&[AccountId::new(-1)]);
        let query = TotalsQuery { scope, tags: &[], by_month: true };
        Ok(tx.balances().read_each(&access, &[segment], &query, |_| {})?)
    });
    stopped(&inside, "a page of events of another type", |tx| {
        let kind = Some(EventType::FileCreated);
        let filter = EventFilter { kind, ..EventFilter::default() };
        tx.events().list(&access, &filter, 10)?;
        Ok(())
    });
}

/// 0.32: between rows, the read checks whether it should continue.
fn rule_0_32_reads_are_stopped_between_rows(engine: Engine) {
    let inside = Inside::new(engine, NOW, daybook_domain::book::Changes::default());
    inside.chart(&[], &[("Cash", AccountType::Asset, &[]), ("Food", AccountType::Outgoing, &[])]);
    // A row per account and year.
    let lunch = |year: usize| Changes {
        date: Field::Set(format!("20{year:02}-01-31")),
        amount: Field::Set("1".to_owned()),
        credit: side("Cash"),
        debit: side("Food"),
        ..Changes::default()
    };
    inside.record((1..=20).map(lunch).collect());
    let stop = ReadStop::new(Duration::from_secs(60));
    let mut seen = 0;
    let outcome = inside.store.read_until_stopped(ReaderPool::Users, &stop, |tx| {
        let access = access::enter(tx, &inside.cx, &inside.book, Action::ReadChart)?;
        let segment = Segment { level: Level::Day, from: None, until: None, fold: false };
        let query = TotalsQuery { scope: AccountScope::Book, tags: &[], by_month: false };
        let read = tx.balances().read_each(&access, &[segment], &query, |_| {
            seen += 1;
            stop.stop();
        });
        Ok::<_, Error>(read?)
    });
    assert!(matches!(outcome, Err(Error::Storage(daybook_storage::Error::Stopped))), "{outcome:?}");
    assert_eq!(seen, 1, "of 40 rows");
}

/// 0.32: serving a file uses none of the connections for authentication.
fn rule_0_32_file_reads_leave_connections_for_authentication(engine: Engine) {
    if engine == Engine::Sqlite {
        // SQLite readers do not wait for each other.
        return;
    }
    let server = Server::start(engine);
    let cast = Cast::new(&server);
    let note = file(&cast, "note.txt", b"Bread and butter");
    let url = note["url"].as_str().expect("an address");
    let path = url.strip_prefix(server.base()).expect("an address of this server");
    let emails: Vec<String> = (0..8).map(|number| format!("new{number}@example.com")).collect();
    let newcomers = server.clients(&emails);
    assert!(newcomers.iter().all(|caller| caller.token().is_some()), "made before the hold");
    let mut database = RawSql::open(&server);
    let mut lock = RowLock::begin(&server);
    lock.execute("LOCK TABLE files IN ACCESS EXCLUSIVE MODE");
    thread::scope(|scope| {
        for _ in 0..16 {
            scope.spawn(|| cast.anonymous.get(path));
        }
        eventually("four are being read", || database.waiting() >= 4);
        for caller in &newcomers {
            caller.get("/v5/user").ok();
        }
        assert_eq!(server.anonymous().get("/ready").status, 200);
        assert!(database.waiting() <= 4, "they have four connections");
        lock.release();
    });
}

/// 11.19: entering the right code during a database outage does not count as a guess.
fn rule_11_19_database_outage_is_not_a_wrong_code(engine: Engine) {
    if engine == Engine::Sqlite {
        // A reader of SQLite cannot be blocked from outside.
        return;
    }
    let server = server(engine, "1");
    // A long deadline for the preparation.
    let patient = server.beside(&[]);
    let mut browser = Browser::signed_in(&patient, "alice@example.com");
    let form = Some("application/x-www-form-urlencoded");
    let request = b"client_id=daybook-cli&scope=email";
    let begun = patient.anonymous().send_raw("POST", "/auth/device/code", form, request).ok();
    let code = begun["user_code"].as_str().expect("a code");
    browser.move_to(&server);
    let mut lock = RowLock::begin(&server);
    lock.execute("LOCK TABLE device_authorizations IN ACCESS EXCLUSIVE MODE");
    for _ in 0..10 {
        assert_eq!(browser.post("/auth/device", &[("user_code", code)]).status, 503);
    }
    lock.release();
    let allow = [("user_code", code), ("decision", "allow")];
    let mut decided = (0, String::new());
    // The abandoned reads may still have their connections.
    eventually("the database answers", || {
        let answer = browser.post("/auth/device", &allow);
        decided = (answer.status, answer.text);
        decided.0 != 503
    });
    assert_eq!(decided.0, 200, "{}", decided.1);
}
