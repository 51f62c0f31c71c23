//! streamEvents (8.23): events as they are recorded, resumption, limits, and the end of a stream
//! whose reader loses access.

use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};
use std::time::{Duration, Instant};

use daybook_tests::{
    CASH_AND_FOOD, Cast, Client, Engine, EventStream, Options, RawSql, Server, SetAtEnd,
    StreamBlock, now_milliseconds, pause, unique,
};
use serde_json::{Value, json};

use crate::Case;
use crate::book_transfers::set_disabled;
use crate::file_sweep::eventually;
use crate::limited_callers::issued;
use crate::reading::{batch, events, id, items, types};

pub fn tests() -> Vec<Case> {
    let mut cases = crate::cases![
        rule_8_23_event_arrives_as_listed,
        rule_8_23_stream_continues_after_the_last_event_id,
        rule_8_23_hidden_events_are_left_out,
        rule_8_23_user_has_twenty_streams,
        head_has_no_stream,
    ];
    cases.extend(crate::isolated![
        rule_8_23_process_has_a_number_of_streams,
        rule_8_23_stream_ends_with_the_access,
        rule_8_23_events_of_another_process_arrive_within_a_second,
        rule_8_23_nothing_is_lost_over_restarts,
    ]);
    cases
}

pub fn nightly() -> Vec<Case> {
    crate::cases![
        rule_0_20_stream_of_a_slow_reader_is_closed,
        rule_8_23_silent_stream_sends_comments,
    ]
}

/// Longer than an event takes on a busy machine.
const SOON: Duration = Duration::from_secs(30);

/// Opens a stream, and checks its first block.
#[track_caller]
fn open(server: &Server, reader: &Client, path: &str, last: Option<i64>) -> EventStream {
    let token = reader.token().expect("a token");
    let mut stream = EventStream::open(server.address(), token, path, last).expect("a response");
    assert_eq!(stream.status(), 200, "{}", stream.head);
    let first = stream.next_within(SOON).expect("the position");
    let position = first.id.expect("an id");
    assert_eq!(position, last.unwrap_or(position));
    assert_eq!(first, StreamBlock { id: first.id, ..StreamBlock::default() });
    stream
}

fn stream_path(cast: &Cast) -> String {
    cast.path("/events/stream")
}

/// Reads so many events.
#[track_caller]
fn read(stream: &mut EventStream, count: usize) -> Vec<Value> {
    let next = |_| {
        let block = stream.event_within(SOON).expect("an event");
        assert_eq!(json!(block.id), block.data["sequence"]);
        assert_eq!(json!(block.event), block.data["type"]);
        block.data
    };
    (0..count).map(next).collect()
}

fn numbers(events: &[Value]) -> Vec<i64> {
    events.iter().map(|event| event["sequence"].as_i64().expect("a number")).collect()
}

fn rule_8_23_event_arrives_as_listed(server: &Server) {
    let cast = Cast::with_accounts(server, &CASH_AND_FOOD);
    let mut streams = cast.members().map(|(_, member)| {
        let may = member.get(&cast.path("/events")).status == 200;
        may.then(|| open(server, member, &stream_path(&cast), None))
    });
    cast.record("2026-01-05", "10", "Cash", "Food", "Lunch #good");
    let mut readers = 0;
    for ((_, member), stream) in cast.members().into_iter().zip(&mut streams) {
        let Some(stream) = stream else { continue };
        let listed = member.get(&cast.path("/events?limit=1")).ok();
        assert_eq!(read(stream, 1), *items(&listed), "8.23: as this reader lists it");
        readers += 1;
    }
    assert_eq!(readers, 4, "all but the RECORDER");
    let head = streams[0].as_ref().expect("the owner's").head.to_lowercase();
    for line in [
        "content-type: text/event-stream",
        "cache-control: no-store",
        "access-control-allow-origin: *",
        "x-accel-buffering: no",
    ] {
        assert!(head.contains(&format!("{line}\r\n")), "{line}: {head}");
    }
    let preflight = cast.anonymous.send("OPTIONS", &stream_path(&cast), &Value::Null);
    let allowed = &preflight.headers["access-control-allow-headers"];
    assert!(allowed.split(", ").any(|name| name == "Last-Event-ID"), "0.13: {allowed}");
}

fn rule_8_23_stream_continues_after_the_last_event_id(server: &Server) {
    let cast = Cast::with_accounts(server, &CASH_AND_FOOD);
    // Similar events share rows of the log, so that a position may be within one.
    let drafts = (0..130).map(|number| json!({"description": format!("draft {number}")}));
    cast.post("/transactions/batch", &batch(drafts)).ok();
    let lunch = |number| {
        json!({"date": "2026-01-05", "amount": "1", "creditAccount": {"name": "Cash"},
            "debitAccount": {"name": "Food"}, "description": format!("lunch {number}")})
    };
    cast.post("/transactions/batch", &batch((0..130).map(lunch))).ok();
    let listed = events(&cast);
    let total = i64::try_from(listed.len()).expect("a number");
    let streams = [0, 1, 9, 100, total - 100, total - 7, total - 1].map(|last| {
        let mut stream = open(server, &cast.owner, &stream_path(&cast), Some(last));
        let after = &listed[usize::try_from(last).expect("an index")..];
        assert_eq!(read(&mut stream, after.len()), after, "8.23: after {last}");
        stream
    });
    pause(Duration::from_millis(600));
    for mut stream in streams {
        let more = stream.event_within(Duration::from_millis(20));
        assert_eq!(more, None, "8.23: each event once");
    }
    let mut stream = open(server, &cast.owner, &stream_path(&cast), Some(total));
    cast.post("/transactions", &json!({"description": "new"})).ok();
    assert_eq!(numbers(&read(&mut stream, 1)), [total + 1]);
    for invalid in ["x", "-1", "1.5", "9223372036854775808", &format!("{}", total + 2)] {
        let reader = cast.owner.header("Last-Event-ID", invalid);
        let message = reader.get(&stream_path(&cast)).refused(400, "badRequest");
        assert!(message.contains(invalid), "{message}");
    }
}

fn rule_8_23_hidden_events_are_left_out(server: &Server) {
    let cast = Cast::with_settings(server, json!({"visibility": "PUBLIC"}));
    cast.account("Cash", "ASSET");
    let all = events(&cast);
    let mut of_owner = open(server, &cast.owner, &stream_path(&cast), Some(0));
    assert_eq!(types(&read(&mut of_owner, all.len())), types(&all));
    let listed = cast.stranger.get(&cast.path("/events?limit=200")).ok();
    let mut visible = items(&listed).clone();
    visible.reverse();
    assert!(visible.len() < all.len(), "7.3: collaborators are not public");
    let mut of_stranger = open(server, &cast.stranger, &stream_path(&cast), Some(0));
    assert_eq!(read(&mut of_stranger, visible.len()), visible);
    cast.share(&format!("{}@example.com", unique("new")), "VIEWER");
    assert_eq!(types(&read(&mut of_owner, 1)), ["COLLABORATOR_ADDED"]);
    cast.account("Food", "OUTGOING");
    let last = *numbers(&all).last().expect("an event");
    assert_eq!(numbers(&read(&mut of_stranger, 1)), [last + 2]);
    assert_eq!(numbers(&read(&mut of_owner, 1)), [last + 2]);
}

fn rule_8_23_silent_stream_sends_comments(server: &Server) {
    let cast = Cast::new(server);
    let mut stream = open(server, &cast.owner, &stream_path(&cast), None);
    let begun = Instant::now();
    let block = stream.next_within(Duration::from_secs(40)).expect("a comment");
    assert_eq!(block, StreamBlock { is_comment: true, ..StreamBlock::default() });
    assert!(begun.elapsed() > Duration::from_secs(14), "{:?}", begun.elapsed());
}

fn rule_8_23_user_has_twenty_streams(server: &Server) {
    let cast = Cast::new(server);
    let open = |reader| open(server, reader, &stream_path(&cast), None);
    let mut held: Vec<EventStream> = (0..20).map(|_| open(&cast.viewer)).collect();
    let refused = cast.viewer.get(&stream_path(&cast));
    assert_eq!(refused.headers["retry-after"], "10");
    refused.refused(429, "rateLimitExceeded");
    drop(open(&cast.owner));
    cast.account("Cash", "ASSET");
    for stream in &mut held {
        assert_eq!(types(&read(stream, 1)), ["ACCOUNT_CREATED"]);
    }
    held.pop();
    eventually("the closed stream is free", || cast.viewer.get(&stream_path(&cast)).status == 200);
}

fn head_has_no_stream(server: &Server) {
    let cast = Cast::new(server);
    let answer = cast.owner.send("HEAD", &stream_path(&cast), &Value::Null);
    assert_eq!((answer.status, answer.text.as_str()), (200, ""));
    assert_eq!(answer.headers["content-type"], "text/event-stream");
    let refused = cast.recorder.send("HEAD", &stream_path(&cast), &Value::Null);
    assert_eq!(refused.status, 403);
}

fn rule_8_23_process_has_a_number_of_streams(engine: Engine) {
    // Half of the files are connections, and a quarter of these are streams.
    let options = Options { engine, open_files: Some(120), ..Options::default() };
    let server = Server::start_with(options);
    let cast = Cast::new(&server);
    let open = |reader| open(&server, reader, &stream_path(&cast), None);
    let _held: Vec<EventStream> = (0..15).map(|_| open(&cast.owner)).collect();
    for reader in [&cast.owner, &cast.viewer] {
        let refused = reader.get(&stream_path(&cast));
        assert_eq!(refused.headers["retry-after"], "1");
        refused.refused(503, "backendError");
    }
    cast.account("Cash", "ASSET");
}

/// How long a stream may go on without a valid token or the permission.
const LOST: Duration = Duration::from_secs(5);

/// An end of a stream: its cause, reader and path, and the status of the next one.
type Loss<'c> = (&'c str, Client, String, u16);

fn rule_8_23_stream_ends_with_the_access(engine: Engine) {
    let server = Server::start(engine);
    let beside = server.beside(&[]);
    let [cast, gone] = [Cast::new(&server), Cast::new(&server)];
    let public = Cast::with_settings(&server, json!({"visibility": "PUBLIC"}));
    let path = stream_path(&cast);
    let token = cast.owner.post("/v5/user/tokens", &json!({})).ok();
    let revoked = server.client_with_token(token["token"].as_str().expect("a token"));
    let other_book = cast.owner.post("/v5/books", &json!({"name": "Other"})).ok();
    let limited = issued(&server, &cast.owner, json!({"books": [cast.book, other_book["id"]]}));
    let expiring = cast.owner.post("/v5/user/tokens", &json!({"name": "expiring"})).ok();
    let ends = now_milliseconds() + 4_000;
    let shorten = format!("UPDATE tokens SET expires_at = {ends} WHERE name = 'expiring'");
    assert_eq!(RawSql::open(&server).execute(&shorten), 1);
    let expiring = server.client_with_token(expiring["token"].as_str().expect("a token"));
    let losses: [Loss<'_>; 7] = [
        ("removed", cast.viewer.clone(), path.clone(), 404),
        ("demoted", cast.poster.clone(), path.clone(), 403),
        ("disabled", cast.editor.clone(), path.clone(), 403),
        ("revoked", revoked, path.clone(), 401),
        ("expired", expiring, path.clone(), 401),
        ("no longer public", public.stranger.clone(), stream_path(&public), 404),
        ("deleted", gone.viewer.clone(), stream_path(&gone), 404),
    ];
    let mut kept = open(&beside, &limited, &path, None);
    let streams = losses.each_ref().map(|(_, reader, path, _)| {
        // The changes are made through the first process.
        [&server, &beside].map(|process| open(process, reader, path, None))
    });
    cast.owner.delete(&cast.path(&format!("/collaborators/{}", cast.viewer.email()))).ok();
    cast.share(cast.poster.email(), "RECORDER");
    set_disabled(&server, cast.editor.email(), "disable");
    cast.owner.delete(&format!("/v5/user/tokens/{}", id(&token))).ok();
    public.put("", &json!({"visibility": "PRIVATE"})).ok();
    gone.delete("").ok();
    let changed = Instant::now();
    std::thread::scope(|scope| {
        for ((what, ..), streams) in losses.iter().zip(streams) {
            for mut stream in streams {
                scope.spawn(move || {
                    let took = stream.end_within(SOON).map(|_| changed.elapsed());
                    assert!(took.is_some_and(|took| took < LOST), "8.23: {what}: {took:?}");
                });
            }
        }
    });
    for (what, reader, path, status) in &losses {
        let answer = reader.get(path);
        assert_eq!(answer.status, *status, "{what}: {}", answer.text);
    }
    cast.account("Cash", "ASSET");
    let created = |block: &StreamBlock| block.event.as_deref() == Some("ACCOUNT_CREATED");
    let found = std::iter::from_fn(|| kept.event_within(SOON)).any(|block| created(&block));
    assert!(found, "a reader with access goes on");
}

fn rule_8_23_events_of_another_process_arrive_within_a_second(engine: Engine) {
    let server = Server::start(engine);
    let beside = server.beside(&[]);
    let cast = Cast::new(&server);
    let mut streams =
        [&server, &beside].map(|process| open(process, &cast.owner, &stream_path(&cast), None));
    for number in 0..5 {
        cast.account(&format!("Account {number}"), "ASSET");
        let recorded = Instant::now();
        for stream in &mut streams {
            assert_eq!(types(&read(stream, 1)), ["ACCOUNT_CREATED"]);
        }
        let took = recorded.elapsed();
        assert!(took < Duration::from_secs(1), "8.23: {took:?}");
    }
}

/// Reads a log while another client writes it and the server is stopped and killed. The connection
/// is also dropped again and again.
fn rule_8_23_nothing_is_lost_over_restarts(engine: Engine) {
    let mut server = Server::start(engine);
    let cast = Cast::with_accounts(&server, &CASH_AND_FOOD);
    let (address, path) = (server.address(), stream_path(&cast));
    let token = cast.owner.token().expect("a token").to_owned();
    let (written, done, known) = (AtomicBool::default(), AtomicBool::default(), AtomicI64::new(0));
    let received = std::thread::scope(|scope| {
        let _end = SetAtEnd(&done);
        scope.spawn(|| {
            while !written.load(Ordering::Relaxed) && !done.load(Ordering::Relaxed) {
                let body = json!({"description": "while it is read"}).to_string();
                let json = Some("application/json");
                // The server may be down.
                drop(cast.owner.try_send(
                    "POST",
                    &cast.path("/transactions"),
                    json,
                    body.as_bytes(),
                ));
                pause(Duration::from_millis(5));
            }
        });
        let reader = scope.spawn(|| {
            let mut received: Vec<i64> = Vec::new();
            while !done.load(Ordering::Relaxed) {
                let last = received.last().copied().unwrap_or_default();
                match EventStream::open(address, &token, &path, Some(last)) {
                    Ok(mut stream) if stream.status() == 200 => {
                        let next = || stream.event_within(Duration::from_secs(1));
                        let blocks = std::iter::from_fn(next).take(25);
                        received.extend(blocks.map(|block| block.id.expect("an id")));
                        known.store(received.last().copied().unwrap_or(last), Ordering::Relaxed);
                    }
                    Ok(_) | Err(_) => pause(Duration::from_millis(20)),
                }
            }
            received
        });
        pause(Duration::from_millis(800));
        let (status, took) = server.terminate();
        assert!(status.success() && took < Duration::from_secs(6), "{status}: {took:?}");
        server.restart();
        pause(Duration::from_millis(800));
        server.kill();
        server.restart();
        pause(Duration::from_millis(800));
        written.store(true, Ordering::Relaxed);
        // The last write may still run.
        pause(Duration::from_millis(200));
        let total = i64::try_from(events(&cast).len()).expect("a number");
        eventually("all is read", || known.load(Ordering::Relaxed) >= total);
        done.store(true, Ordering::Relaxed);
        reader.join().expect("the reader does not panic")
    });
    let listed = numbers(&events(&cast));
    assert!(listed.len() > 50, "{}: too few to drop a connection", listed.len());
    assert_eq!(received, listed, "8.23: each event once, in order");
}

/// 0.20: a reader that takes nothing for 30 seconds.
fn rule_0_20_stream_of_a_slow_reader_is_closed(server: &Server) {
    let cast = Cast::new(server);
    let text = "x".repeat(60_000);
    for _ in 0..20 {
        let drafts = (0..20).map(|number| json!({"description": format!("{number} {text}")}));
        cast.post("/transactions/batch", &batch(drafts)).ok();
    }
    let total = events(&cast).len();
    let mut stream = open(server, &cast.owner, &stream_path(&cast), Some(0));
    pause(Duration::from_secs(40));
    let read = std::iter::from_fn(|| stream.event_within(SOON)).count();
    assert!(read < total, "{read} of {total}");
    assert!(stream.end_within(Duration::ZERO).is_some(), "it has ended");
}
