//! BOOK_DELETED is delivered although the book is removed at once (8.20).

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use daybook_domain::book::Changes;
use daybook_domain::delivery::EventCopy;
use daybook_domain::instant::Instant;
use daybook_domain::storage_quota::StorageQuotas;
use daybook_service::delivery::{self, InFlight, Leased, Outcome};
use daybook_tests::receiver::{Receiver, fine};
use daybook_tests::{Backdoor, CASH_AND_FOOD, Cast, Engine, Options, Server};
use serde_json::json;

use crate::Case;
use crate::deleted_books::{rows, run};
use crate::file_sweep::eventually;
use crate::inside::Inside;
use crate::webhooks::install;

pub fn tests() -> Vec<Case> {
    crate::isolated![
        rule_8_20_a_receiver_that_is_down_is_told_later,
        rule_8_20_told_once,
        rule_8_20_a_book_that_goes_while_its_event_is_read,
        rule_8_20_one_process_tells_it,
        rule_8_20_not_to_users_who_are_gone,
    ]
}

/// A server that removes deleted books at once.
fn server(engine: Engine) -> Server {
    let args = ["--deleted-books-days", "0"].map(str::to_owned).to_vec();
    Server::start_with(Options { engine, args, ..Options::default() })
}

/// How many deliveries have outlived their book.
fn detached(server: &Server) -> u64 {
    Backdoor::open(server).execute("UPDATE detached_deliveries SET depth = depth")
}

/// A receiver that is down until it is told to be up.
fn down() -> (Receiver, Arc<AtomicBool>) {
    let up = Arc::new(AtomicBool::new(false));
    let works = Arc::clone(&up);
    let receiver = Receiver::answering(move |_| match works.load(Ordering::SeqCst) {
        true => fine("{}"),
        false => ("503 Down".to_owned(), String::new()),
    });
    (receiver, up)
}

fn rule_8_20_a_receiver_that_is_down_is_told_later(engine: Engine) {
    let mut server = server(engine);
    let cast = Cast::with_accounts(&server, &CASH_AND_FOOD);
    let (receiver, up) = down();
    let secret = json!({"clientSecret": "a secret"});
    install(&cast, &receiver.url(), &["BOOK_DELETED", "TRANSACTION_POSTED"], secret);
    cast.record("2026-01-05", "10", "Cash", "Food", "lunch");
    receiver.wait_for(1);
    cast.owner.delete(&cast.path("")).ok();
    eventually("6.22: the book is removed", || rows(&server, &cast.book) == 0);
    assert_eq!(detached(&server), 1, "8.20: with a copy of its own");
    eventually("8.20: the log has each attempt", || told(&server, &cast.book, 503));
    server.restart();
    up.store(true, Ordering::SeqCst);
    eventually("8.20: it is delivered", || {
        // The pauses are over as soon as they begin.
        let due = "UPDATE detached_deliveries SET due_at = 0 WHERE lease IS NULL";
        Backdoor::open(&server).execute(due);
        detached(&server) == 0
    });
    eventually("8.20: the log has each attempt", || told(&server, &cast.book, 200));
    let received = receiver.received();
    let last = received.last().expect("something came");
    assert_eq!(last.body["type"], "BOOK_DELETED");
    assert_eq!(
        (&last.body["book"]["id"], &last.body["bookId"]),
        (&json!(cast.book), &json!(cast.book))
    );
    assert_eq!(last.header("webhook-id"), last.body["id"]);
    assert!(last.headers.contains_key("service-signature"), "8.6: signed like any other");
    let bot = server.client_with_token(last.header("service-oauth-token"));
    assert_eq!(bot.get("/v5/user").ok()["email"], cast.owner.email());
}

/// What the server's log says of attempts whose book is gone, and of which status.
fn told(server: &Server, book: &str, status: u16) -> bool {
    let said = "an attempt to tell an app of the deletion of a book";
    let status = format!("status={status}");
    server.log().lines().any(|line| [said, book, &status].iter().all(|part| line.contains(part)))
}

fn rule_8_20_told_once(engine: Engine) {
    let server = server(engine);
    let receiver = Receiver::start();
    let mut books = Vec::new();
    for _ in 0..5 {
        let cast = Cast::with_accounts(&server, &CASH_AND_FOOD);
        install(&cast, &receiver.url(), &["BOOK_DELETED"], json!({}));
        cast.owner.delete(&cast.path("")).ok();
        books.push(cast.book.clone());
    }
    let received = receiver.wait_for(5);
    eventually("6.22: the books are removed", || books.iter().all(|book| rows(&server, book) == 0));
    eventually("8.20: nothing is left", || detached(&server) == 0);
    let mut told: Vec<&str> =
        received.iter().filter_map(|one| one.body["bookId"].as_str()).collect();
    told.sort_unstable();
    books.sort_unstable();
    assert_eq!(told, books);
    assert_eq!(receiver.received().len(), 5, "8.20: each deletion came once");
}

/// In a future that the server's own worker does not see.
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
    let taken = inside.write(move |tx, _, _| delivery::take(tx, &mut || lease, occupied, now));
    let taken = taken.expect("the deliveries that are due").into_iter();
    taken.map(|dispatched| dispatched.leased).collect()
}

/// Takes a delivery out of its book.
fn detach(inside: &Inside, leased: &Leased) {
    let copy = EventCopy {
        id: "event".to_owned(),
        installer: inside.cx.user.id,
        url: "http://127.0.0.1:1/".to_owned(),
        body: "{}".to_owned(),
    };
    let gone = leased.delivery.clone();
    inside.write(move |tx, _, _| delivery::detached::detach(tx, &gone, &copy, THEN)).expect("it");
}

/// Who has taken the delivery from the book finds nothing there any more; the copy is still to be
/// sent.
fn rule_8_20_a_book_that_goes_while_its_event_is_read(engine: Engine) {
    let inside = waiting(engine);
    let leased = take(&inside, 1, THEN).remove(0);
    detach(&inside, &leased);
    for outcome in [Outcome::Dropped, Outcome::Stopped] {
        let (before, lease) = (leased.clone(), leased.lease);
        let finished = inside.write(move |tx, _, _| {
            delivery::finish(tx, &before, outcome, (Some(2), THEN, StorageQuotas::default()))
        });
        assert!(!finished.expect("it is noted").lost);
        let again = take(&inside, lease, THEN).remove(0);
        assert!(again.delivery.copy.is_some(), "the copy is due at once");
    }
    let copied = take(&inside, 1, THEN);
    assert!(copied.is_empty(), "one at a time");
}

/// While the file store is down the rows of the book stay, and with them a queue under the same
/// lease: who tells it goes on with the lease of the copy, and nobody else tells it, too.
fn rule_8_20_one_process_tells_it(engine: Engine) {
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
    let taken = take(&inside, 2, later(106));
    assert_eq!(taken.len(), 1, "8.9: until its process has ended");
    let held = leased.clone();
    inside.write(move |tx, _, _| delivery::prolong(tx, &held, later(107))).expect("nothing");
    assert_eq!(take(&inside, 3, later(152)).len(), 1, "8.9: a lease that is over stays so");
}

/// 7.11: what is kept for a user goes with them.
fn rule_8_20_not_to_users_who_are_gone(engine: Engine) {
    let server = server(engine);
    let cast = Cast::new(&server);
    let (receiver, _up) = down();
    install(&cast, &receiver.url(), &["BOOK_DELETED"], json!({}));
    cast.owner.delete(&cast.path("")).ok();
    eventually("6.22: the book is removed", || rows(&server, &cast.book) == 0);
    assert_eq!(detached(&server), 1);
    run(&server, &["user", "delete", "--email", cast.owner.email()]).expect("it is done");
    assert_eq!(detached(&server), 0, "7.11: nobody's token is left to send");
}
