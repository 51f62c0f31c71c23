//! BOOK_DELETED is delivered although the book is removed at once (8.20).

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use daybook_domain::book::Changes;
use daybook_domain::delivery::EventCopy;
use daybook_domain::instant::Instant;
use daybook_domain::storage_quota::StorageQuotas;
use daybook_service::delivery::{self, DeliveryOutcome, InFlight, Leased};
use daybook_tests::receiver::{Receiver, fine};
use daybook_tests::{CASH_AND_FOOD, Cast, Engine, RawSql, Server};
use serde_json::json;

use crate::Case;
use crate::deleted_books::{rows, run};
use crate::file_sweep::eventually;
use crate::inside::Inside;
use crate::webhooks::install;

pub fn tests() -> Vec<Case> {
    crate::isolated![
        rule_8_20_receiver_that_was_down_gets_the_event,
        rule_8_20_event_is_delivered_once,
        rule_8_20_book_removed_while_its_event_is_read,
        rule_8_20_one_process_delivers_it,
        rule_8_20_deleted_users_get_no_event,
    ]
}

/// A server that removes deleted books at once.
fn server(engine: Engine) -> Server {
    Server::with_args(engine, &["--deleted-books-days", "0"])
}

/// The number of detached deliveries.
fn detached(server: &Server) -> u64 {
    RawSql::open(server).execute("UPDATE detached_deliveries SET depth = depth")
}

/// A receiver that fails until the flag is set.
fn down() -> (Receiver, Arc<AtomicBool>) {
    let up = Arc::new(AtomicBool::new(false));
    let works = Arc::clone(&up);
    let receiver = Receiver::answering(move |_| match works.load(Ordering::SeqCst) {
        true => fine("{}"),
        false => ("503 Down".to_owned(), String::new()),
    });
    (receiver, up)
}

fn rule_8_20_receiver_that_was_down_gets_the_event(engine: Engine) {
    let mut server = server(engine);
    let cast = Cast::with_accounts(&server, &CASH_AND_FOOD);
    let (receiver, up) = down();
    let secret = json!({"clientSecret": "a secret"});
    install(&cast, &receiver.url(), &["BOOK_DELETED", "TRANSACTION_POSTED"], secret);
    cast.record("2026-01-05", "10", "Cash", "Food", "lunch");
    receiver.wait_for(1);
    cast.delete("").ok();
    eventually("6.22: the book is removed", || rows(&server, &cast.book) == 0);
    assert_eq!(detached(&server), 1, "8.20: with a copy of its own");
    eventually("8.20: the log has each attempt", || attempt_is_logged(&server, &cast.book, 503));
    server.restart();
    up.store(true, Ordering::SeqCst);
    eventually("8.20: it is delivered", || {
        // Retries are due at once.
        let due = "UPDATE detached_deliveries SET due_at = 0 WHERE lease IS NULL";
        RawSql::open(&server).execute(due);
        detached(&server) == 0
    });
    eventually("8.20: the log has each attempt", || attempt_is_logged(&server, &cast.book, 200));
    let received = receiver.received();
    let last = received.last().expect("something came");
    assert_eq!(last.body["type"], "BOOK_DELETED");
    assert_eq!(last.body["bookId"], cast.book);
    assert_eq!(last.body["book"]["id"], cast.book);
    assert_eq!(last.header("webhook-id"), last.body["id"]);
    assert!(last.headers.contains_key("service-signature"), "8.6: signed like any other");
    let bot = server.client_with_token(last.header("service-oauth-token"));
    assert_eq!(bot.get("/v5/user").ok()["email"], cast.owner.email());
}

/// Whether the server's log has an attempt with this status for a deleted book.
fn attempt_is_logged(server: &Server, book: &str, status: u16) -> bool {
    let message = "webhook for a deleted book attempted";
    let status = format!("status={status}");
    server.log().lines().any(|line| [message, book, &status].iter().all(|part| line.contains(part)))
}

fn rule_8_20_event_is_delivered_once(engine: Engine) {
    let server = server(engine);
    let receiver = Receiver::start();
    let mut books = Vec::new();
    for _ in 0..5 {
        let cast = Cast::with_accounts(&server, &CASH_AND_FOOD);
        install(&cast, &receiver.url(), &["BOOK_DELETED"], json!({}));
        cast.delete("").ok();
        books.push(cast.book.clone());
    }
    let received = receiver.wait_for(5);
    eventually("6.22: the books are removed", || books.iter().all(|book| rows(&server, book) == 0));
    eventually("8.20: nothing is left", || detached(&server) == 0);
    let mut delivered: Vec<&str> =
        received.iter().filter_map(|one| one.body["bookId"].as_str()).collect();
    delivered.sort_unstable();
    books.sort_unstable();
    assert_eq!(delivered, books);
    assert_eq!(receiver.received().len(), 5, "8.20: each deletion came once");
}

/// A time in the future, which the server's own worker does not reach.
const THEN: Instant = Instant::new(4_000_000_000_000);

/// A book with a delivery that is due then.
fn waiting(engine: Engine) -> Inside {
    let inside = Inside::new(engine, THEN, Changes::default());
    let book = "(SELECT MAX(id) FROM books)";
    inside.execute(&[
        &format!(
            "INSERT INTO delivery_queues (book_id, app_id, due_at) VALUES ({book}, 'bot', {})",
            THEN.milliseconds()
        ),
        &format!(
            "INSERT INTO deliveries (book_id, app_id, sequence, depth) VALUES ({book}, 'bot', 1, 0)"
        ),
    ]);
    inside
}

fn take(inside: &Inside, lease: i64, now: Instant) -> Vec<Leased> {
    let occupied = InFlight::new(8, 8);
    let taken = inside.write(move |tx, _, _| delivery::lease_due(tx, &mut || lease, occupied, now));
    let taken = taken.expect("the deliveries that are due").into_iter();
    taken.map(|dispatched| dispatched.leased).collect()
}

/// Detaches a delivery from its book.
fn detach(inside: &Inside, leased: &Leased) {
    let copy = EventCopy {
        id: "event".to_owned(),
        installer: inside.cx.user.id,
        url: "http://127.0.0.1:1/".to_owned(),
        body: "{}".to_owned(),
    };
    let removed = leased.delivery.clone();
    inside
        .write(move |tx, _, _| delivery::detached::detach(tx, &removed, &copy, THEN))
        .expect("it");
}

/// The process that leased the delivery finds no book; the copy still has to be sent.
fn rule_8_20_book_removed_while_its_event_is_read(engine: Engine) {
    let inside = waiting(engine);
    let leased = take(&inside, 1, THEN).remove(0);
    detach(&inside, &leased);
    for outcome in [DeliveryOutcome::Skipped(None), DeliveryOutcome::QueueEnded] {
        let (before, lease) = (leased.clone(), leased.lease);
        let finished = inside.write(move |tx, _, _| {
            delivery::finish(tx, &before, outcome, Some(2), THEN, StorageQuotas::default())
        });
        assert!(!finished.expect("it is noted").lost);
        let repeated = take(&inside, lease, THEN).remove(0);
        assert!(repeated.delivery.copy.is_some(), "the copy is due at once");
    }
    let copied = take(&inside, 1, THEN);
    assert!(copied.is_empty(), "one at a time");
}

/// During an outage of the file store the rows of the book stay, and with them a queue with the
/// same lease. The process continues with the lease of the copy, and no other process delivers it.
fn rule_8_20_one_process_delivers_it(engine: Engine) {
    let inside = waiting(engine);
    let leased = take(&inside, 1, THEN).remove(0);
    detach(&inside, &leased);
    let later = |seconds: i64| Instant::new(THEN.milliseconds() + seconds * 1_000);
    for seconds in [15, 30, 45, 60] {
        let held = leased.clone();
        inside
            .write(move |tx, _, _| delivery::prolong(tx, &held, later(seconds)))
            .expect("it is prolonged");
    }
    assert!(take(&inside, 2, later(100)).is_empty(), "8.9: it is on its way");
    let accepted = take(&inside, 2, later(106));
    assert_eq!(accepted.len(), 1, "8.9: until its process has ended");
    let held = leased.clone();
    inside.write(move |tx, _, _| delivery::prolong(tx, &held, later(107))).expect("nothing");
    assert_eq!(take(&inside, 3, later(152)).len(), 1, "8.9: a lease that is over stays so");
}

/// 7.11: a deleted user's detached deliveries are deleted.
fn rule_8_20_deleted_users_get_no_event(engine: Engine) {
    let server = server(engine);
    let cast = Cast::new(&server);
    let (receiver, _up) = down();
    install(&cast, &receiver.url(), &["BOOK_DELETED"], json!({}));
    cast.delete("").ok();
    eventually("6.22: the book is removed", || rows(&server, &cast.book) == 0);
    assert_eq!(detached(&server), 1);
    run(&server, &["user", "delete", "--email", cast.owner.email()]).expect("it is done");
    assert_eq!(detached(&server), 0, "7.11: the deliveries of the deleted user are gone");
}
