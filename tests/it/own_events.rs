//! Events caused by an app itself: whether the app receives them (8.11), and when (8.9).

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use daybook_domain::book::Changes;
use daybook_domain::instant::Instant;
use daybook_service::book;
use daybook_service::delivery::{self, InFlight};
use daybook_tests::receiver::{Received, Receiver, fine};
use daybook_tests::{Cast, Client, Engine, Server, column, id, pause};
use serde_json::{Value, json};

use crate::Case;
use crate::file_sweep::eventually;
use crate::inside::Inside;
use crate::reading::items;
use crate::webhooks::{self, descriptions, install, lunch};

pub fn tests() -> Vec<Case> {
    let mut tests = crate::cases![
        rule_8_11_own_events_can_be_switched_off,
        rule_8_9_own_events_wait_for_the_answer,
        rule_8_9_own_events_wait_for_one_attempt,
        rule_8_9_own_events_come_when_the_app_has_left_the_book,
    ];
    tests.extend(crate::isolated![rule_8_9_own_events_ignore_ended_processes]);
    tests
}

const POSTED: [&str; 1] = ["TRANSACTION_POSTED"];
/// Longer than the interval of the delivery worker.
const A_LOOK: Duration = Duration::from_millis(1_500);

fn transaction(description: &str) -> Value {
    json!({"date": "2026-01-05", "amount": "1", "description": description,
        "creditAccount": {"name": "Cash"}, "debitAccount": {"name": "Food"}})
}

/// A client with the token of a received event.
fn acting(base: &str, received: &Received) -> Client {
    Client::at(base, received.header("service-oauth-token"))
}

fn is_own(received: &Received) -> bool {
    received.body["agent"]["id"] == received.header("service-agent-id")
}

fn rule_8_11_own_events_can_be_switched_off(server: &Server) {
    let cast = Arc::new(webhooks::book(server));
    let (base, its_book) = (server.base().to_owned(), Arc::clone(&cast));
    let receiver = Receiver::answering(move |received| {
        if !is_own(received) {
            let own = transaction("own");
            acting(&base, received).post(&its_book.path("/transactions"), &own).ok();
        }
        fine("{}")
    });
    let app = install(&cast, &receiver.url(), &POSTED, json!({}));
    let other = Receiver::start();
    install(&cast, &other.url(), &POSTED, json!({}));
    let all = cast.get("/integrations").ok();
    let made = items(&all).iter().find(|one| one["agentId"] == app["id"]).expect("it").clone();
    assert_eq!(made["ownEvents"], true, "9.4: as the hosted original does");
    lunch(&cast, "first");
    assert_eq!(descriptions(&receiver.wait_for(2)), ["first", "own"]);

    let path = cast.path("/integrations");
    let set = |value: Value| json!({"id": made["id"], "ownEvents": value});
    cast.editor.put(&path, &set(json!("no"))).refused(400, "invalid");
    let quiet = cast.editor.put(&path, &set(json!(false))).ok();
    assert_eq!((&quiet["ownEvents"], &quiet["reach"]), (&json!(false), &made["reach"]));
    let events = cast.get("/events?type=INTEGRATION_UPDATED&limit=1").ok();
    let data = &items(&events)[0]["data"];
    assert_eq!(data["previousAttributes"], json!({"ownEvents": "true"}));
    assert_eq!(data["object"]["ownEvents"], false);

    let backlog = || cast.get("/events/backlog").ok()["count"] == 0;
    lunch(&cast, "second");
    other.wait_for(4);
    let by_header = cast.owner.header("service-agent-id", id(&app));
    by_header.post(&cast.path("/transactions"), &transaction("by header")).ok();
    let events = cast.get("/events?type=TRANSACTION_POSTED").ok();
    let own = items(&events).iter().filter(|event| event["agent"]["id"] == app["id"]);
    let own: Vec<Value> = own.cloned().collect();
    assert_eq!(own.len(), 3);
    eventually("8.10: all is delivered", backlog);
    let replayed: Vec<Value> = own.iter().map(|event| json!({"id": event["id"]})).collect();
    let replay = cast.path("/events/replay/batch");
    cast.owner.patch(&replay, &json!({"items": replayed})).no_content();
    lunch(&cast, "third");
    // The other app receives the three events twice.
    other.wait_for(10);
    eventually("8.10: all is delivered", backlog);
    let told = descriptions(&receiver.received());
    assert_eq!(told, ["first", "own", "second", "third"], "8.11, 8.12");
    let response = cast.path(&format!("/events/{}/responses/{}", id(&own[0]), id(&app)));
    cast.owner.put(&response, &json!({})).ok();
    assert_eq!(receiver.received().len(), 5, "8.12: who names the app means it");
}

/// A second book in one collection with the first, and the order of what happened.
struct Pair {
    from: Cast,
    to: String,
    order: Arc<Mutex<Vec<&'static str>>>,
}

impl Pair {
    fn new(server: &Server) -> Pair {
        let from = webhooks::book(server);
        let accounts = [("Cash", "ASSET"), ("Food", "OUTGOING")]
            .map(|(name, kind)| json!({"name": name, "type": kind}));
        let to = from.owner.post("/v5/books", &json!({"name": "To", "accounts": accounts})).ok();
        let shelf = from.owner.post("/v5/collections", &json!({"name": "Shelf"})).ok();
        let path = format!("/v5/collections/{}/books/add", id(&shelf));
        let both = json!({"items": [{"id": from.book}, {"id": to["id"]}]});
        from.owner.patch(&path, &both).ok();
        let to = format!("/v5/books/{}", id(&to));
        Pair { from, to, order: Arc::default() }
    }

    /// An app in both books that records a transaction in the second for each event of the first.
    fn mirror(
        &self,
        server: &Server,
        answer: impl Fn() -> (String, String) + Send + Sync + 'static,
    ) -> (Receiver, Value) {
        let (base, to, order) =
            (server.base().to_owned(), self.to.clone(), Arc::clone(&self.order));
        let target = json!(self.target());
        let receiver = Receiver::answering(move |received| {
            let note = |what| order.lock().expect("no panic before").push(what);
            if received.body["bookId"] == target {
                note("own event");
                return fine("{}");
            }
            let made = format!("{to}/transactions");
            acting(&base, received).post(&made, &transaction("mirrored")).ok();
            let answer = answer();
            note("answered");
            answer
        });
        let app = install(&self.from, &receiver.url(), &POSTED, json!({}));
        self.install(&app);
        (receiver, app)
    }

    /// The id of the second book.
    fn target(&self) -> &str {
        self.to.trim_start_matches("/v5/books/")
    }

    fn install(&self, app: &Value) {
        let path = format!("{}/integrations", self.to);
        self.from.owner.post(&path, &json!({"agentId": app["id"]})).ok();
    }

    fn order(&self) -> Vec<&'static str> {
        self.order.lock().expect("no panic before").clone()
    }
}

/// Another app receives it at once.
fn rule_8_9_own_events_wait_for_the_answer(server: &Server) {
    let pair = Pair::new(server);
    let (order, target) = (Arc::clone(&pair.order), json!(pair.target()));
    let told = Arc::new(AtomicBool::new(false));
    let telling = Arc::clone(&told);
    let other = Receiver::answering(move |received| {
        if received.body["bookId"] == target {
            order.lock().expect("no panic before").push("other app");
            telling.store(true, Ordering::SeqCst);
        }
        fine("{}")
    });
    pair.install(&install(&pair.from, &other.url(), &POSTED, json!({})));
    let (receiver, _) = pair.mirror(server, move || {
        eventually("8.9: another app does not wait", || told.load(Ordering::SeqCst));
        pause(A_LOOK);
        fine("{}")
    });
    lunch(&pair.from, "one");
    receiver.wait_for(2);
    eventually("both came", || pair.order().len() == 3);
    assert_eq!(pair.order(), ["other app", "answered", "own event"], "8.9");
}

/// A delivery that waits for a retry does not block others.
fn rule_8_9_own_events_wait_for_one_attempt(server: &Server) {
    let pair = Pair::new(server);
    let (receiver, _) = pair.mirror(server, || {
        pause(A_LOOK);
        ("429 Busy\r\nretry-after: 3600".to_owned(), "{}".to_owned())
    });
    lunch(&pair.from, "one");
    receiver.wait_for(2);
    eventually("both came", || pair.order().len() == 2);
    assert_eq!(pair.order(), ["answered", "own event"], "8.9");
}

fn rule_8_9_own_events_come_when_the_app_has_left_the_book(server: &Server) {
    let pair = Pair::new(server);
    let may_answer = Arc::new(AtomicBool::new(false));
    let request = Arc::clone(&may_answer);
    let (receiver, app) = pair.mirror(server, move || {
        eventually("it may answer", || request.load(Ordering::SeqCst));
        fine("{}")
    });
    let owner = &pair.from.owner;
    lunch(&pair.from, "one");
    let recorded = format!("{}/transactions", pair.to);
    eventually("it is mirrored", || {
        column(&owner.get(&recorded).ok(), "description") == ["mirrored"]
    });
    pause(A_LOOK);
    assert_eq!(pair.order(), Vec::<&str>::new(), "8.9: it waits for the answer");
    let all = owner.get(&pair.from.path("/integrations")).ok();
    let removed = items(&all).iter().find(|one| one["agentId"] == app["id"]).expect("installed");
    owner.delete(&pair.from.path(&format!("/integrations/{}", id(removed)))).ok();
    receiver.wait_for(2);
    eventually("8.11: nothing is waited for", || pair.order() == ["own event"]);
    may_answer.store(true, Ordering::SeqCst);
}

/// A time in the future, which the server's own worker does not reach.
const THEN: Instant = Instant::new(4_000_000_000_000);

fn rule_8_9_own_events_ignore_ended_processes(engine: Engine) {
    let inside = Inside::new(engine, THEN, Changes::default());
    let changes = Changes { name: Some("Own".to_owned()), ..Changes::default() };
    let input = book::Input { changes, accounts: Vec::new(), groups: Vec::new() };
    inside.write(move |tx, cx, _| book::create(tx, cx, input)).expect("another book");
    let cause = format!("(SELECT id FROM books WHERE public_id = '{}')", inside.book);
    let (own, due) = ("(SELECT MAX(id) FROM books)", THEN.milliseconds());
    inside.execute(&[
        // The app responds to an event of one book after an action in another one.
        &format!(
            "INSERT INTO delivery_queues (book_id, app_id, due_at, lease, leased_until) \
             VALUES ({cause}, 'bot', {due}, 7, {due} + 45000)"
        ),
        &format!(
            "INSERT INTO deliveries (book_id, app_id, sequence, depth) \
             VALUES ({cause}, 'bot', 1, 0)"
        ),
        &format!(
            "INSERT INTO delivery_queues (book_id, app_id, due_at) VALUES ({own}, 'bot', {due})"
        ),
        &format!(
            "INSERT INTO deliveries (book_id, app_id, sequence, depth, cause_lease) \
             VALUES ({own}, 'bot', 5, 1, 7), ({own}, 'bot', 6, 0, NULL)"
        ),
    ]);
    let accepted = |seconds: i64| -> Vec<i64> {
        let now = Instant::new(THEN.milliseconds() + seconds * 1_000);
        let occupied = InFlight::new(8, 8);
        let accepted = inside.write(move |tx, _, _| {
            let accepted = delivery::lease_due(tx, &mut || 9, occupied, now)?;
            Ok(accepted.into_iter().map(|one| one.leased.delivery.sequence).collect::<Vec<_>>())
        });
        accepted.expect("what is due")
    };
    assert_eq!(accepted(1), Vec::<i64>::new(), "8.9: it waits, and so does what is behind it");
    let mut both = accepted(46);
    both.sort_unstable();
    assert_eq!(both, [1, 5], "8.9: the lease of the process has ended");
}
