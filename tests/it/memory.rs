//! Memory (0.22): request bodies and served file contents share a bound, and no user may take the
//! part reserved for others (0.34).

use std::io::{Error, ErrorKind, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::sync::mpsc::{self, RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::{Duration, Instant};

use daybook_tests::receiver::Receiver;
use daybook_tests::{Answer, Client, Engine, RowLock, Server, bots, id, pause};
use serde_json::{Value, json};

use crate::Case;
use crate::file_sweep::eventually;
use crate::files::base64;
use crate::large_answers::amplified;
use crate::reading::items;
use crate::wire::{connect, rest};

pub fn tests() -> Vec<Case> {
    crate::isolated![
        bodies_and_contents_share_a_bound,
        large_body_needs_authentication_and_progress,
        rule_8_8_large_deliveries_wait_for_memory,
        queued_write_keeps_its_memory,
    ]
}

pub const MEGABYTE: usize = 1024 * 1024;

/// A client that pauses for ten seconds is disconnected (0.19): the bytes, the pause and the number
/// of additions of an unfinished body. All of it is less than a megabyte.
const DRIP: usize = 112 * 1024;
const PAUSE: Duration = Duration::from_secs(6);
const DRIPS: usize = 8;

/// Sends a body that stays unfinished after `size` bytes, until the returned sender is dropped. It
/// is sent again if it is answered: memory of an earlier request may be released late.
pub fn unfinished(server: &Server, caller: &Client, size: usize) -> Sender<()> {
    let head = format!(
        "POST /v5/books HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {}\r\nContent-Length: \
            {}\r\n\r\n",
        caller.token().expect("a token"),
        size + DRIPS * DRIP + 1
    );
    let address = server.address();
    let (held, dropped) = channel();
    thread::spawn(move || {
        while let Ok(mut stream) = TcpStream::connect(address) {
            // Without memory not all of it can be sent.
            drop(stream.write_all(head.as_bytes()).and_then(|()| spaces(&mut stream, size)));
            if drips(&mut stream, &dropped) {
                return;
            }
        }
    });
    held
}

fn spaces(stream: &mut TcpStream, count: usize) -> Result<(), Error> {
    stream.write_all(&vec![b' '; count])
}

/// Continues a body until it is answered, or until the sender is dropped (true).
fn drips(stream: &mut TcpStream, dropped: &mpsc::Receiver<()>) -> bool {
    let (begun, mut sent) = (Instant::now(), 0);
    loop {
        if dropped.recv_timeout(Duration::from_millis(50)) != Err(RecvTimeoutError::Timeout) {
            return true;
        }
        if answered(stream, Duration::from_millis(50)) {
            return false;
        }
        if sent < DRIPS && begun.elapsed() > PAUSE * (sent as u32 + 1) {
            drop(spaces(stream, DRIP));
            sent += 1;
        }
    }
}

/// Repeats a request until it gets this status, because the server notices changes asynchronously.
#[track_caller]
pub fn until(status: u16, ask: impl FnMut() -> Answer) -> Answer {
    until_in_a_row(1, status, ask)
}

/// Repeats a request until it is refused several times in a row. One refusal may be due to a body
/// that is itself being refused and sent again.
#[track_caller]
pub fn until_crowded(ask: impl FnMut() -> Answer) -> Answer {
    until_in_a_row(10, 503, ask)
}

#[track_caller]
fn until_in_a_row(times: usize, status: u16, mut ask: impl FnMut() -> Answer) -> Answer {
    let begun = Instant::now();
    let mut in_a_row = 0;
    loop {
        let answer = ask();
        in_a_row = if answer.status == status { in_a_row + 1 } else { 0 };
        if in_a_row == times {
            return answer;
        }
        assert!(
            begun.elapsed() < Duration::from_secs(60),
            "{times} times {status}: never answered"
        );
        pause(Duration::from_millis(100));
    }
}

fn bodies_and_contents_share_a_bound(engine: Engine) {
    let server = Server::with_args(engine, &["--bodies-megabytes", "64"]);
    let [alice, bob, carol] =
        ["alice", "bob", "carol"].map(|name| server.client(&format!("{name}@example.com")));
    let book = id(&carol.post("/v5/books", &json!({"name": "B"})).ok()).to_owned();
    let content = base64(&vec![7; 3 * MEGABYTE]);
    let file = json!({"name": "large.bin", "content": content});
    let create = || carol.post(&format!("/v5/books/{book}/files"), &file);
    let path = format!("/v5/books/{book}/files/{}", id(&create().ok()));

    // 56 of the 64 MB are for large bodies; a user is guaranteed 48 of them.
    let held = unfinished(&server, &alice, 31 * MEGABYTE);
    let own_book = id(&alice.post("/v5/books", &json!({"name": "A"})).ok()).to_owned();
    let own = json!({"name": "own.bin", "content": "A".repeat(18 * MEGABYTE)});
    let share = until(503, || alice.post(&format!("/v5/books/{own_book}/files"), &own));
    let message = share.refused(503, "backendError");
    assert!(message.contains("your share"), "0.34: {message}");
    create().ok();
    assert_eq!(carol.get(&path).ok()["content"], content.as_str());

    let too = unfinished(&server, &bob, 23 * MEGABYTE);
    let crowded = until_crowded(create);
    assert_eq!(crowded.body["error"]["errors"][0]["reason"], "backendError");
    assert!(crowded.headers.contains_key("retry-after"), "{:?}", crowded.headers);
    carol.get(&path).refused(503, "backendError");
    // Small bodies are accepted, also from the user with a large share.
    for caller in [&alice, &bob, &carol] {
        caller.post("/v5/books", &json!({"name": "C"})).ok();
    }
    drop((held, too));
    until(200, create);
    assert_eq!(until(200, || carol.get(&path)).body["content"], content.as_str());
}

/// The response to a body of 1 MB of which only a part arrives, and the time it took.
fn part_of_a_body(server: &Server, path: &str, caller: &Client) -> (String, Duration) {
    let mut stream = connect(server);
    let head = format!(
        "POST {path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {}\r\nContent-Length: \
            {MEGABYTE}\r\n\r\n",
        caller.token().expect("a token")
    );
    let sent = Instant::now();
    stream.write_all(head.as_bytes()).expect("sent");
    // The server must read all of it to find it too large: unread data would reset the connection
    // and lose the response.
    drop(stream.write_all(&vec![b' '; 64 * 1024 + 1]));
    let mut answer = [0; 12];
    drop(stream.read_exact(&mut answer));
    (String::from_utf8_lossy(&answer).into_owned(), sent.elapsed())
}

/// 0.34: an unauthenticated client is disconnected early; 0.19: an authenticated one must keep
/// sending.
fn large_body_needs_authentication_and_progress(engine: Engine) {
    let server = Server::start(engine);
    let [alice, bob] = ["alice", "bob"].map(|name| server.client(&format!("{name}@example.com")));
    let book = id(&alice.post("/v5/books", &json!({"name": "B"})).ok()).to_owned();
    let path = format!("/v5/books/{book}/transactions/batch");
    let (answer, took) = part_of_a_body(&server, &path, &bob);
    assert!(answer.starts_with("HTTP/1.1 404"), "{answer}");
    assert!(took < Duration::from_secs(9), "{took:?}");
    let (answer, took) = part_of_a_body(&server, &path, &alice);
    assert!(answer.starts_with("HTTP/1.1 408"), "{answer}");
    // One that does not pause has 30 s.
    assert!(Duration::from_secs(9) < took && took < Duration::from_secs(29), "{took:?}");
}

/// 8.8: the body of a delivery above 256 KB takes memory of the installer's share. Without memory
/// the attempt fails; small deliveries continue.
fn rule_8_8_large_deliveries_wait_for_memory(engine: Engine) {
    let server = Server::with_args(engine, &["--bodies-megabytes", "64"]);
    // The event of a transaction shows both accounts, each with 20 groups of 56 KB.
    let large = amplified(&server, 20, 2);
    let alice = &large.owner;
    let [bob, carol] = ["bob", "carol"].map(|name| server.client(&format!("{name}@example.com")));
    let lunch = json!({"date": "2026-01-05", "amount": "1", "creditAccount": {"name": "A0"},
        "debitAccount": {"name": "A1"}, "description": "Lunch"});
    alice.post(&large.path("/transactions"), &lunch).ok();
    let events = alice.get(&large.path("/events?type=TRANSACTION_POSTED")).ok();
    let event = id(&items(&events)[0]).to_owned();
    let receivers = [Receiver::start(), Receiver::start()];
    let apps = receivers.each_ref().map(|receiver| bots::register(alice, &receiver.url()));
    bots::install(alice, &large.book, &apps[0]);
    let small = bots::book(alice, &apps[1..]);
    let other = id(&carol.post("/v5/books", &json!({"name": "C"})).ok()).to_owned();

    // Two of the 56 MB for large bodies remain.
    let held =
        [unfinished(&server, alice, 31 * MEGABYTE), unfinished(&server, &bob, 23 * MEGABYTE)];
    let file = json!({"name": "large.bin", "content": "A".repeat(2 * MEGABYTE)});
    until_crowded(|| carol.post(&format!("/v5/books/{other}/files"), &file));
    let repeated = json!({"items": [{"id": event}]});
    alice.patch(&large.path("/events/replay/batch"), &repeated).no_content();
    let attempts = || -> Vec<Value> {
        let path = large.path(&format!("/events/{event}/deliveries"));
        items(&alice.get(&path).ok()).clone()
    };
    eventually("8.8: it was tried", || !attempts().is_empty());
    let first = attempts().pop().expect("an attempt");
    assert_eq!(first["error"], "the memory of this server is in use", "{first}");
    assert!(first["status"].is_null(), "{first}");
    bots::record(alice, &small, 1);
    receivers[1].wait_for(1);
    assert!(receivers[0].received().is_empty(), "nothing of it was sent");
    drop(held);
    let sent = receivers[0].wait_for(1).remove(0);
    assert!(sent.text.len() > 2 * MEGABYTE, "{} bytes", sent.text.len());
    eventually("8.8: it has come", || attempts()[0]["status"] == 200);
}

/// Whether the connection is answered or closed within this time.
fn answered(stream: &TcpStream, within: Duration) -> bool {
    let timeout = stream.read_timeout().expect("an open socket");
    stream.set_read_timeout(Some(within)).expect("an open socket");
    let peeked = stream.peek(&mut [0]);
    stream.set_read_timeout(timeout).expect("an open socket");
    !matches!(peeked, Err(error) if error.kind() == ErrorKind::WouldBlock)
}

/// 0.34: a write with a key runs even if its client has left. Its body stays in memory, and is
/// accounted for, until then.
fn queued_write_keeps_its_memory(engine: Engine) {
    let server = Server::with_args(engine, &["--bodies-megabytes", "64"]);
    let [alice, bob, carol] =
        ["alice", "bob", "carol"].map(|name| server.client(&format!("{name}@example.com")));
    let [book, other] = [&alice, &carol]
        .map(|caller| id(&caller.post("/v5/books", &json!({"name": "B"})).ok()).to_owned());
    let path = format!("/v5/books/{book}/accounts");
    let padding = " ".repeat(30 * MEGABYTE);
    let account = format!(r#"{{"name": "Cash", "type": "ASSET"}}{padding}"#);
    let broken = format!("{{{}", " ".repeat(4 * MEGABYTE));
    // It needs memory and writes nothing.
    let probe = || {
        let path = format!("/v5/books/{other}/accounts");
        carol.send_raw("POST", &path, Some("application/json"), broken.as_bytes())
    };
    probe().refused(400, "parseError");

    let held = unfinished(&server, &bob, 23 * MEGABYTE);
    let lock = RowLock::book(&server, &book);
    let head = format!(
        "POST {path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {}\r\nIdempotency-Key: k\r\n\
            Content-Length: {}\r\n\r\n",
        alice.token().expect("a token"),
        account.len()
    );
    let send = || {
        let mut stream = connect(&server);
        // Without memory not all of it can be sent.
        drop(stream.write_all(head.as_bytes()).and_then(|()| stream.write_all(account.as_bytes())));
        stream
    };
    let mut stream = send();
    // Three of the 56 MB for large bodies remain. During a probe the rest of the body may find no
    // memory; then it is sent again.
    let begun = Instant::now();
    loop {
        let (crowded, was_refused) =
            (probe().status == 503, answered(&stream, Duration::from_secs(2)));
        if crowded && !was_refused {
            break;
        }
        assert!(begun.elapsed() < Duration::from_secs(45), "never answered 503");
        if was_refused {
            stream = send();
        }
    }
    stream.shutdown(Shutdown::Write).expect("an open socket");
    // The server closes the connection when it drops the request.
    assert_eq!(rest(&mut stream), "", "the request is dropped without a response");
    for _ in 0..20 {
        probe().refused(503, "backendError");
    }
    lock.release();
    until(400, probe).refused(400, "parseError");
    drop(held);
    let repeated = alice.header("Idempotency-Key", "k");
    let repeated = repeated.send_raw("POST", &path, Some("application/json"), account.as_bytes());
    assert_eq!(repeated.headers["idempotency-replayed"], "true", "0.16: it was done");
    repeated.ok();
}
