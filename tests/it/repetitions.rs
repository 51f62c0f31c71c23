//! Idempotency keys across processes, kills and days (behaviour 0.16).

use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant as Stopwatch};

use daybook_domain::email::Email;
use daybook_domain::event::Hash;
use daybook_domain::id::UserId;
use daybook_domain::idempotency::{
    BodyForm, Claim, Key, StoredResponse as Kept, fingerprint, operation,
};
use daybook_domain::instant::Instant;
use daybook_domain::user::Profile;
use daybook_service::idempotency::{Once, run_once};
use daybook_service::{Context, Error, Ids, Target};
use daybook_storage::user::User;
use daybook_storage::{ShardKey, Store, Tx};
use daybook_tests::{Answer, Client, Engine, RowLock, Server, column, id, pause};
use serde_json::{Value, json};

use crate::Case;
use crate::inside::open_store;

pub fn tests() -> Vec<Case> {
    crate::isolated![
        two_processes_do_a_request_once,
        retries_over_kills_do_each_request_once,
        claim_of_another_process_is_awaited,
        collection_keys_are_locked_after_their_user,
        prefixes_share_their_keys,
        a_day_later_the_key_is_free,
        expired_keys_are_removed,
        a_key_costs_two_statements,
        processes_mint_different_ids,
    ]
}

/// Waits for a limit of 30 seconds.
pub fn nightly() -> Vec<Case> {
    crate::isolated![key_wait_timeout_returns_503]
}

/// An owner's book with two accounts.
fn furnished(owner: &Client) -> String {
    let accounts = json!([{"name": "Cash", "type": "ASSET"}, {"name": "Food", "type": "OUTGOING"}]);
    id(&owner.post("/v5/books", &json!({"name": "B", "accounts": accounts})).ok()).to_owned()
}

fn payment(number: usize) -> Value {
    json!({
        "date": "2025-01-31", "amount": "1", "creditAccount": {"name": "Cash"},
        "debitAccount": {"name": "Food"},
        "description": format!("Payment {number}"),
    })
}

fn replayed(answer: &Answer) -> bool {
    answer.headers.contains_key("idempotency-replayed")
}

/// The same requests to two processes at the same time: creates in one book, and new books, which
/// belong to no book.
fn two_processes_do_a_request_once(engine: Engine) {
    const REQUESTS: usize = 25;
    let first = Server::start(engine);
    let second = first.beside(&[]);
    let callers = [&first, &second].map(|server| server.client("alice@example.com"));
    let book = furnished(&callers[0]);
    let send = |client: &Client, number: usize| -> [Answer; 2] {
        let keyed = client.header("Idempotency-Key", &format!("request-{number}"));
        let payment = keyed.post(&format!("/v5/books/{book}/transactions"), &payment(number));
        [payment, keyed.post("/v5/books", &json!({"name": format!("Book {number}")}))]
    };
    let answers: Vec<[Answer; 2]> = thread::scope(|scope| {
        // Two threads per process, each in its own order, so that the processes contend for each
        // other's keys.
        let threads: Vec<_> = (0..4)
            .map(|turn| {
                let (client, send) = (&callers[turn % 2], &send);
                scope.spawn(move || {
                    let mut answers: Vec<(usize, [Answer; 2])> = Vec::new();
                    for step in 0..REQUESTS {
                        let number = if turn < 2 { step } else { (step * 7 + turn) % REQUESTS };
                        answers.push((number, send(client, number)));
                    }
                    answers.sort_by_key(|(number, _)| *number);
                    answers
                })
            })
            .collect();
        threads
            .into_iter()
            .flat_map(|thread| thread.join().expect("answers"))
            .map(|(_, answers)| answers)
            .collect()
    });
    let once = answers.iter().flatten().filter(|answer| !replayed(answer)).count();
    for answer in answers.iter().flatten() {
        assert_eq!(answer.status, 200, "{}", answer.text);
    }
    assert_eq!(once, 2 * REQUESTS, "each request was done by one of them");
    for (place, answer) in answers.iter().enumerate() {
        assert_eq!(answer[0].text, answers[place % REQUESTS][0].text, "all four got the same");
        assert_eq!(answer[1].text, answers[place % REQUESTS][1].text, "all four got the same");
    }
    let listed = callers[1].get(&format!("/v5/books/{book}/transactions?limit=1000")).ok();
    assert_eq!(column(&listed, "id").len(), REQUESTS);
    assert_eq!(column(&callers[0].get("/v5/books").ok(), "id").len(), REQUESTS + 1);
}

/// Clients that retry until they succeed: however often the server is killed, each create exists
/// once. Only the key distinguishes a repetition from a new payment.
fn retries_over_kills_do_each_request_once(engine: Engine) {
    const CLIENTS: usize = 8;
    const EACH: usize = 60;
    let mut server = Server::start(engine);
    let owner = server.client("alice@example.com");
    let book = furnished(&owner);
    let path = format!("/v5/books/{book}/transactions");
    let persist = |number: usize| -> String {
        let keyed = owner.header("Idempotency-Key", &format!("payment-{number}"));
        let started = Stopwatch::now();
        loop {
            let sent = keyed.try_send(
                "POST",
                &path,
                Some("application/json"),
                payment(number).to_string().as_bytes(),
            );
            match sent {
                Ok(answer) if answer.status == 200 => {
                    return id(&answer.body["transaction"]).to_owned();
                }
                // The writer may have lost its group; a dead server does not answer.
                Ok(answer) => assert_eq!(answer.status, 503, "{}", answer.text),
                Err(_) => {}
            }
            assert!(started.elapsed().as_secs() < 240, "payment {number} finds no server");
            pause(Duration::from_millis(3));
        }
    };
    let mut answered: Vec<String> = thread::scope(|scope| {
        let persist = &persist;
        let clients: Vec<_> = (0..CLIENTS)
            .map(|client| {
                scope.spawn(move || {
                    (0..EACH).map(|step| persist(client * EACH + step)).collect::<Vec<_>>()
                })
            })
            .collect();
        for milliseconds in [40, 25, 60, 10, 33, 18] {
            pause(Duration::from_millis(milliseconds));
            server.kill();
            server.restart();
        }
        clients.into_iter().flat_map(|client| client.join().expect("answers")).collect()
    });
    // Repeating everything returns the same ids.
    let again: Vec<String> = (0..CLIENTS * EACH).map(&persist).collect();
    answered.sort();
    let listed = owner.get(&format!("{path}?limit=1000")).ok();
    let mut recorded = column(&listed, "id");
    recorded.sort();
    let mut descriptions = column(&listed, "description");
    descriptions.sort();
    descriptions.dedup();
    assert_eq!(
        (recorded.len(), descriptions.len()),
        (CLIENTS * EACH, CLIENTS * EACH),
        "each payment is there once"
    );
    assert_eq!(recorded, answered, "and it is the one that was answered");
    let mut again = again;
    again.sort();
    assert_eq!(again, answered);
}

/// The path prefix of an installation is not part of the path of a key.
fn prefixes_share_their_keys(engine: Engine) {
    let plain = Server::start(engine);
    let mounted = plain.beside(&["--path-prefix", "/books-api"]);
    let send = |server: &Server, path: &str| {
        let client = server.client("alice@example.com").header("Idempotency-Key", "one");
        client.post(path, &json!({"name": "B"}))
    };
    let first = send(&plain, "/v5/books");
    assert!(!replayed(&first));
    let again = send(&mounted, "/books-api/v5/books/?");
    assert!(replayed(&again), "{}", again.text);
    assert_eq!(first.text, again.text);
}

/// A store with a clock of the test.
struct Bench {
    store: Store,
    cx: Context,
    _server: Server,
}

const NOW: Instant = Instant::new(1_763_000_000_000);
const DAY: i64 = 24 * 60 * 60 * 1000;

impl Bench {
    fn new(engine: Engine) -> Bench {
        let server = Server::start(engine);
        let store = open_store(&server);
        let user = User {
            id: UserId::new(7),
            email: Email::stored("a@example.com".to_owned()),
            username: "a".to_owned(),
            created_at: NOW,
            disabled_at: None,
            is_administrator: false,
            profile: Profile::default(),
        };
        let cx = Context::new(Arc::new(user), NOW, Arc::new(Ids::new(1)));
        Bench { store, cx, _server: server }
    }

    /// Sends a request with that key at that time: when it was executed, and whether that was
    /// before.
    fn send(&self, key: &str, milliseconds_later: i64) -> (i64, bool) {
        let cx = Context {
            now: Instant::new(NOW.milliseconds() + milliseconds_later),
            ..self.cx.clone()
        };
        let claim = claim(key);
        let body = milliseconds_later.to_string().into_bytes();
        let answer = Kept {
            status: 200,
            tag: None,
            body,
            form: BodyForm::Plain,
            notes: None,
            shows: Vec::new(),
        };
        let sent = self.store.write(ShardKey::of_key(key), move |tx| {
            run_once(tx, &cx, &Target::NewBook, &claim, |_| {
                Ok::<_, Error>((answer.clone(), answer))
            })
        });
        let (answer, replayed) = match sent.expect("an outcome") {
            Once::Done(answer) => (answer, false),
            Once::Replayed(answer) => (answer, true),
        };
        let body = String::from_utf8(answer.body).expect("text");
        (body.parse().expect("a number"), replayed)
    }
}

/// The user of the keys.
const OWNER: UserId = UserId::new(7);

fn claim(key: &str) -> Claim {
    let nothing = Hash::of(key.as_bytes());
    let key = Key::new(key).expect("a key");
    Claim {
        user: OWNER,
        key,
        operation: operation("POST", "/v5/books", None),
        fingerprint: fingerprint(nothing, &[]),
    }
}

fn a_day_later_the_key_is_free(engine: Engine) {
    let bench = Bench::new(engine);
    for (later, at, replay) in [
        (0, 0, false),
        (1, 0, true),
        (DAY, 0, true),
        (DAY + 1, DAY + 1, false),
        (DAY + 2, DAY + 1, true),
    ] {
        assert_eq!(bench.send("key", later), (at, replay), "{later} ms later");
    }
}

/// A sweep is bounded, but removes more than is added.
fn expired_keys_are_removed(engine: Engine) {
    let bench = Bench::new(engine);
    for number in 0..300 {
        bench.send(&format!("old-{number}"), 0);
    }
    for number in 0..300 {
        bench.send(&format!("new-{number}"), DAY + 1);
    }
    let later = Instant::new(NOW.milliseconds() + DAY + 1);
    let sweep = |now: Instant| -> usize {
        let swept = move |tx: &mut Tx<'_>| tx.keys().sweep(OWNER, now);
        bench.store.write(ShardKey::NO_BOOK, swept).expect("a sweep")
    };
    let left = sweep(later);
    assert_eq!(left, 0, "300 new ones have cleared 300 old ones away");
    assert!(
        (0..300).all(|number| bench.send(&format!("new-{number}"), DAY + 2).1),
        "and nothing else"
    );
    let much_later = Instant::new(NOW.milliseconds() + 2 * DAY + 2);
    assert_eq!(sweep(much_later), 32, "a sweep is bounded");
}

/// One statement takes the key, one records the response; a replay reads it. Without a key there is
/// none (see `store`).
fn a_key_costs_two_statements(engine: Engine) {
    let bench = Bench::new(engine);
    // Not one of the keys that trigger a sweep.
    let quiet = |name: &str| -> String {
        let mut names = (0..).map(|number| format!("{name}-{number}"));
        names
            .find(|key| !claim(key).fingerprint.as_bytes()[0].is_multiple_of(8))
            .expect("seven of eight")
    };
    bench.send(&quiet("warm"), 0);
    let empty = {
        let before = bench.store.statements();
        bench.store.write(ShardKey::NO_BOOK, |_| Ok::<_, Error>(())).expect("nothing to do");
        bench.store.statements() - before
    };
    let counted = |key: &str| {
        let before = bench.store.statements();
        bench.send(key, 0);
        bench.store.statements() - before - empty
    };
    let key = quiet("key");
    assert_eq!(counted(&key), 2, "take and record");
    assert_eq!(counted(&key), 2, "try to take and read");
}

/// The lock of the write is held for longer than a client should wait.
fn key_wait_timeout_returns_503(engine: Engine) {
    let server = Server::start(engine);
    let owner = server.client("alice@example.com");
    let book = furnished(&owner);
    let path = format!("/v5/books/{book}/transactions");
    let lock = RowLock::book(&server, &book);
    let started = Stopwatch::now();
    let refused = thread::scope(|scope| {
        // The first request waits for the lock, the second for the first.
        scope.spawn(|| owner.post(&path, &payment(1)));
        pause(Duration::from_millis(300));
        owner.header("Idempotency-Key", "key").post(&path, &payment(2))
    });
    let took = started.elapsed().as_secs();
    // A request waits for 30 s; this client would wait for 120 s.
    assert!((15..100).contains(&took), "it waited, and not for ever: {took} s");
    assert!(refused.headers.contains_key("retry-after"), "{:?}", refused.headers);
    refused.refused(503, "backendError");
    lock.release();
    let answer = owner.header("Idempotency-Key", "key").post(&path, &payment(2));
    assert_eq!(answer.status, 200, "{}", answer.text);
    let listed = owner.get(&format!("{path}?query=%22Payment%202%22")).ok();
    assert_eq!(
        column(&listed, "id").len(),
        1,
        "whether or not the first sending was done after all"
    );
}

/// The first request runs in another process; its outcome decides the response to the second.
fn claim_of_another_process_is_awaited(engine: Engine) {
    let server = Server::start(engine);
    let owner = server.client("alice@example.com");
    let user = id(&owner.get("/v5/user").ok()).parse().map(UserId::new).expect("a number");
    let body = json!({"name": "B"}).to_string();
    for (key, remaining) in [("given-up", false), ("done", true)] {
        let fingerprint = fingerprint(Hash::of(body.as_bytes()), &[]);
        let claim = Claim {
            user,
            key: Key::new(key).expect("a key"),
            operation: operation("POST", "/v5/books", None),
            fingerprint,
        };
        let lock = claimed(&server, &claim);
        let answer = thread::scope(|scope| {
            let waiting = scope.spawn(|| {
                let keyed = owner.header("Idempotency-Key", key);
                keyed.send_raw("POST", "/v5/books", Some("application/json"), body.as_bytes())
            });
            pause(Duration::from_millis(500));
            assert!(!waiting.is_finished(), "{key}: answered while the first sending still runs");
            if remaining {
                lock.commit()
            } else {
                lock.release()
            }
            waiting.join().expect("an answer")
        });
        assert_eq!(replayed(&answer), remaining, "{key}: {}", answer.text);
        let expected = if remaining { "\"kept\"" } else { "{" };
        assert!(answer.text.starts_with(expected), "{key}: {}", answer.text);
    }
    assert_eq!(
        column(&owner.get("/v5/books").ok(), "name"),
        ["B"],
        "the one whose first sending was given up"
    );
}

/// Two processes that take keys of one user in different orders would deadlock, so each locks the
/// user first.
fn collection_keys_are_locked_after_their_user(engine: Engine) {
    let server = Server::start(engine);
    let owner = server.client("alice@example.com");
    let user = id(&owner.get("/v5/user").ok()).to_owned();
    let mut lock = RowLock::begin(&server);
    if engine == Engine::Postgres {
        lock.execute(&format!("SELECT id FROM users WHERE id = {user} FOR UPDATE"));
    }
    let answer = thread::scope(|scope| {
        let waiting = scope.spawn(|| {
            owner.header("Idempotency-Key", "one").post("/v5/collections", &json!({"name": "C"}))
        });
        pause(Duration::from_millis(500));
        assert!(
            !waiting.is_finished(),
            "the key is taken while another process writes for this user"
        );
        lock.release();
        waiting.join().expect("an answer")
    });
    assert_eq!(answer.status, 200, "{}", answer.text);
}

/// Inserts the row of a finished request without committing.
fn claimed(server: &Server, claim: &Claim) -> RowLock {
    let hex = |hash: &Hash| hash.to_string();
    // In the far future, so that it is not swept during the test.
    let now: i64 = 9_999_999_999_999;
    let (user, key) = (claim.user.get(), claim.key.as_str());
    let (operation, fingerprint) = (hex(&claim.operation), hex(&claim.fingerprint));
    let bytes = |text: &str| match server.engine() {
        Engine::Sqlite => format!("X'{text}'"),
        Engine::Postgres => format!("'\\x{text}'"),
    };
    let (operation, fingerprint, body) =
        (bytes(&operation), bytes(&fingerprint), bytes("226b65707422"));
    let mut lock = RowLock::begin(server);
    lock.execute(&format!(
        "INSERT INTO idempotency_keys \
            (user_id, key, operation, fingerprint, created_at, status, body) \
            VALUES ({user}, '{key}', {operation}, {fingerprint}, {now}, 200, {body})"
    ));
    lock
}

/// 0.14: ids are unique across processes, because each opening of a database is numbered.
fn processes_mint_different_ids(engine: Engine) {
    let server = Server::start(engine);
    let open = || open_store(&server).generation();
    let numbers: Vec<i64> = thread::scope(|scope| {
        let openings: Vec<_> = (0..4).map(|_| scope.spawn(open)).collect();
        openings.into_iter().map(|opening| opening.join().expect("a number")).collect()
    });
    let mut sorted = numbers.clone();
    sorted.sort_unstable();
    let first = sorted[0];
    assert!(first > 1, "the server started before: {numbers:?}");
    assert_eq!(sorted, [first, first + 1, first + 2, first + 3], "{numbers:?}");
}
