//! More paused apps than one read returns (8.19): all are listed and resumed, their events are
//! given up in one round, and apps without events are skipped.

use daybook_tests::{Engine, RawSql, Server};
use serde_json::Value;

use crate::Case;
use crate::deleted_books::run;
use crate::file_sweep::eventually;
use crate::reading::items;
use crate::webhooks::book;

/// A few more than a portion.
const MANY: u64 = 1_005;
const DAY: i64 = 24 * 60 * 60_000;

pub fn tests() -> Vec<Case> {
    crate::isolated![rule_8_19_all_are_listed_and_resumed, rule_8_19_all_are_given_up_in_one_round]
}

/// The creation time of a book.
fn made_at(event: &Value) -> i64 {
    event["createdAt"].as_str().and_then(|text| text.parse().ok()).expect("milliseconds")
}

/// Adds apps that were paused one millisecond apart, each with one waiting event.
fn pause_many(server: &Server, book: &str, at: i64) {
    let numbers = format!(
        "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {MANY}) "
    );
    let of_book = format!("FROM n CROSS JOIN books b WHERE b.public_id = '{book}'");
    let queues = format!(
        "INSERT INTO delivery_queues (book_id, app_id, due_at, paused_at, pause_cause) \
         {numbers} SELECT b.id, 'app-' || i, {at}, {at} + i, 'failing' {of_book}"
    );
    let deliveries = format!(
        "INSERT INTO deliveries (book_id, app_id, sequence, depth) \
         {numbers} SELECT b.id, 'app-' || i, 1, 0 {of_book}"
    );
    for rows in [queues, deliveries] {
        assert_eq!(RawSql::open(server).execute(&rows), MANY);
    }
}

fn paused(server: &Server, arguments: &[&str]) -> Vec<String> {
    let printed = run(server, &[&["webhooks"], arguments].concat()).expect("it is done");
    let app = |line: &str| line.split('\t').nth(1).expect("an app").to_owned();
    printed.lines().map(app).collect()
}

fn rule_8_19_all_are_listed_and_resumed(engine: Engine) {
    let server = Server::start(engine);
    let cast = book(&server);
    let event = items(&cast.get("/events?type=BOOK_CREATED").ok())[0].clone();
    pause_many(&server, &cast.book, made_at(&event));
    let all: Vec<String> = (1..=MANY).map(|number| format!("app-{number}")).collect();
    assert_eq!(paused(&server, &["list"]), all, "8.19: those first that have been for longest");
    let last = format!("app-{MANY}");
    let named = ["resume", "--book", &cast.book, "--app", &last];
    assert_eq!(paused(&server, &named), [last.as_str()]);
    let but_last = &all[..all.len() - 1];
    assert_eq!(paused(&server, &["resume", "--book", &cast.book]), but_last, "8.19: all of a book");
    assert_eq!(paused(&server, &["list"]), [""; 0]);
}

fn rule_8_19_all_are_given_up_in_one_round(engine: Engine) {
    let mut server = Server::start(engine);
    let cast = book(&server);
    let page = cast.path("/events?type=BOOK_CREATED");
    let event = items(&cast.owner.get(&page).ok())[0].clone();
    pause_many(&server, &cast.book, made_at(&event) - 31 * DAY);
    // The first round of a new process; the next one is ten minutes later.
    server.restart();
    let count = || {
        let event = items(&cast.owner.get(&page).ok())[0].clone();
        event["botResponses"].as_array().map_or(0, Vec::len)
    };
    eventually("8.19: they are given up", || u64::try_from(count()) == Ok(MANY));
    let look = "UPDATE delivery_queues SET failing_since = NULL WHERE paused_at IS NOT NULL";
    let mut database = RawSql::open(&server);
    assert_eq!(database.execute(look), MANY, "they stay paused");
    let waiting = format!("{look} AND due_at IS NOT NULL");
    assert_eq!(database.execute(&waiting), 0, "and the next round passes none of them");
}
