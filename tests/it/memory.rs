//! Memory (0.22): bodies on their way in and contents of files on their way out are bounded
//! together, and nobody has more of them than is left for others (0.34).

use std::io::{Error, ErrorKind, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::sync::mpsc::{self, RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::{Duration, Instant};

use daybook_tests::receiver::Receiver;
use daybook_tests::{Answer, Client, Engine, Hold, Options, Server, bots, id, pause};
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
        a_large_body_needs_a_door_and_goes_on,
        rule_8_8_large_deliveries_wait_for_memory,
        what_waits_for_a_writer_holds_its_memory,
    ]
}

pub const MEGABYTE: usize = 1024 * 1024;

/// Who pauses for ten seconds is given up (0.19): what an unfinished body adds before, after which
/// pause, and how often. All of it is less than a megabyte.
const DRIP: usize = 112 * 1024;
const PAUSE: Duration = Duration::from_secs(6);
const DRIPS: usize = 8;

/// A body of which the server has so many bytes, and at length some more, until this is dropped. It
/// is sent again when it is answered: what was answered before may count for a moment longer, and
/// leave no memory for it.
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
            // Who gets no memory cannot send it all.
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

/// Goes on with a body until it is answered, or until nobody needs it: then this is true.
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

/// Asks until it is answered with this status: the server takes note of what clients do in its own
/// time.
#[track_caller]
pub fn until(status: u16, ask: impl FnMut() -> Answer) -> Answer {
    until_in_a_row(1, status, ask)
}

/// Asks until this is refused time after time. Refused once, it met bodies on their way in: one of
/// them may itself be refused then, and is sent again, and until that is in there is memory.
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
    let args = ["--bodies-megabytes", "64"].map(str::to_owned).to_vec();
    let server = Server::start_with(Options { engine, args, ..Options::default() });
    let [alice, bob, carol] =
        ["alice", "bob", "carol"].map(|name| server.client(&format!("{name}@example.com")));
    let book = id(&carol.post("/v5/books", &json!({"name": "B"})).ok()).to_owned();
    let content = base64(&vec![7; 3 * MEGABYTE]);
    let file = json!({"name": "large.bin", "content": content});
    let create = || carol.post(&format!("/v5/books/{book}/files"), &file);
    let path = format!("/v5/books/{book}/files/{}", id(&create().ok()));

    // 56 of the 64 are for large bodies; a user has 48 of them in any case.
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
    // What is small goes on, also of who has a large share.
    for caller in [&alice, &bob, &carol] {
        caller.post("/v5/books", &json!({"name": "C"})).ok();
    }
    drop((held, too));
    until(200, create);
    assert_eq!(until(200, || carol.get(&path)).body["content"], content.as_str());
}

/// What is answered to a body of 1 MB of which only a part comes, and after which time.
fn part_of_a_body(server: &Server, path: &str, caller: &Client) -> (String, Duration) {
    let mut stream = connect(server);
    let head = format!(
        "POST {path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {}\r\nContent-Length: \
            {MEGABYTE}\r\n\r\n",
        caller.token().expect("a token")
    );
    let sent = Instant::now();
    stream.write_all(head.as_bytes()).expect("sent");
    // The server has to read all of it to find it large: what it left unread would take its answer
    // back when it closes.
    drop(stream.write_all(&vec![b' '; 64 * 1024 + 1]));
    let mut answer = [0; 12];
    drop(stream.read_exact(&mut answer));
    (String::from_utf8_lossy(&answer).into_owned(), sent.elapsed())
}

/// 0.34: a stranger is not listened to for long; 0.19: who was let in must go on.
fn a_large_body_needs_a_door_and_goes_on(engine: Engine) {
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

/// 8.8: the body of a delivery above 256 KB takes its memory from what who installed the app may
/// have. Without room the attempt has failed, and others follow; small ones go on.
fn rule_8_8_large_deliveries_wait_for_memory(engine: Engine) {
    let args = ["--bodies-megabytes", "64"].map(str::to_owned).to_vec();
    let server = Server::start_with(Options { engine, args, ..Options::default() });
    // An event of a transaction shows both accounts, each with 20 groups of 56 KB.
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

    // Of the 56 MB for what is large two are left.
    let held =
        [unfinished(&server, alice, 31 * MEGABYTE), unfinished(&server, &bob, 23 * MEGABYTE)];
    let file = json!({"name": "large.bin", "content": "A".repeat(2 * MEGABYTE)});
    until_crowded(|| carol.post(&format!("/v5/books/{other}/files"), &file));
    let again = json!({"items": [{"id": event}]});
    alice.patch(&large.path("/events/replay/batch"), &again).no_content();
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

/// Whether this is answered or closed within this time.
fn answered(stream: &TcpStream, within: Duration) -> bool {
    let timeout = stream.read_timeout().expect("an open socket");
    stream.set_read_timeout(Some(within)).expect("an open socket");
    let peeked = stream.peek(&mut [0]);
    stream.set_read_timeout(timeout).expect("an open socket");
    !matches!(peeked, Err(error) if error.kind() == ErrorKind::WouldBlock)
}

/// 0.34: a write with a key is done also when its client has left, and its body is there until
/// then. So it is counted until then.
fn what_waits_for_a_writer_holds_its_memory(engine: Engine) {
    let args = ["--bodies-megabytes", "64"].map(str::to_owned).to_vec();
    let server = Server::start_with(Options { engine, args, ..Options::default() });
    let [alice, bob, carol] =
        ["alice", "bob", "carol"].map(|name| server.client(&format!("{name}@example.com")));
    let [book, other] = [&alice, &carol]
        .map(|caller| id(&caller.post("/v5/books", &json!({"name": "B"})).ok()).to_owned());
    let path = format!("/v5/books/{book}/accounts");
    let padding = " ".repeat(30 * MEGABYTE);
    let account = format!(r#"{{"name": "Cash", "type": "ASSET"}}{padding}"#);
    let broken = format!("{{{}", " ".repeat(4 * MEGABYTE));
    // It asks for memory, and writes nothing.
    let probe = || {
        let path = format!("/v5/books/{other}/accounts");
        carol.send_raw("POST", &path, Some("application/json"), broken.as_bytes())
    };
    probe().refused(400, "parseError");

    let held = unfinished(&server, &bob, 23 * MEGABYTE);
    let hold = Hold::book(&server, &book);
    let head = format!(
        "POST {path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {}\r\nIdempotency-Key: k\r\n\
            Content-Length: {}\r\n\r\n",
        alice.token().expect("a token"),
        account.len()
    );
    let send = || {
        let mut stream = connect(&server);
        // Who gets no memory cannot send it all.
        drop(stream.write_all(head.as_bytes()).and_then(|()| stream.write_all(account.as_bytes())));
        stream
    };
    let mut stream = send();
    // Of the 56 MB for what is large three are left. Beside a probe the last of the body may find
    // no memory itself: then it is sent again.
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
    // The server closes it when it has given the request up.
    assert_eq!(rest(&mut stream), "", "nobody is answered");
    for _ in 0..20 {
        probe().refused(503, "backendError");
    }
    hold.release();
    until(400, probe).refused(400, "parseError");
    drop(held);
    let again = alice.header("Idempotency-Key", "k");
    let again = again.send_raw("POST", &path, Some("application/json"), account.as_bytes());
    assert_eq!(again.headers["idempotency-replayed"], "true", "0.16: it was done");
    again.ok();
}
