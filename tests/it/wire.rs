//! The protocol below HTTP clients: slow and broken peers, pipelining, and bodies above the limit.

use std::io::{Error, ErrorKind, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::time::{Duration, Instant};

use daybook_tests::{Server, pause};
use serde_json::Value;

use crate::Case;

pub fn tests() -> Vec<Case> {
    crate::cases![
        pipelined_requests_are_answered_in_order,
        garbage_after_a_request,
        garbage_after_a_write,
        garbage_instead_of_a_request,
        request_smuggling_is_refused,
        huge_headers,
        peer_that_leaves_in_the_middle,
        old_protocol_versions,
        expect_continue,
        declared_body_beyond_the_limit,
        chunked_body_beyond_the_limit,
    ]
}

/// Waits for limits of up to 75 seconds.
pub fn nightly() -> Vec<Case> {
    crate::cases![slow_clients_are_closed]
}

pub fn connect(server: &Server) -> TcpStream {
    let stream = TcpStream::connect(server.address()).expect("the server accepts");
    stream.set_read_timeout(Some(SILENCE)).expect("a timeout");
    stream
}

/// Longer than any response takes.
const SILENCE: Duration = Duration::from_secs(60);

/// Reads until the server closes or resets the connection, or is silent for a minute.
pub fn rest(stream: &mut TcpStream) -> String {
    let mut bytes = Vec::new();
    // A read is interrupted when its process was stopped and continues; read on.
    let _ = stream.read_to_end(&mut bytes);
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Sends an announced body after the interim response.
pub fn announced(stream: &mut TcpStream, head: &str, body: &[u8]) {
    stream.write_all(format!("{head}Expect: 100-continue\r\n\r\n").as_bytes()).expect("sent");
    let mut interim = [0; 25];
    stream.read_exact(&mut interim).expect("an interim answer");
    assert_eq!(&interim, b"HTTP/1.1 100 Continue\r\n\r\n");
    stream.write_all(body).expect("sent");
}

/// The statuses of all responses on a connection.
fn statuses(answered: &str) -> Vec<u16> {
    let lines = answered.split("HTTP/1.").skip(1);
    lines.filter_map(|line| line.get(2..5)?.parse().ok()).collect()
}

/// Sends these bytes and reads the response; the server may stop reading early.
fn exchange(server: &Server, bytes: &[u8]) -> String {
    let mut stream = connect(server);
    drop(stream.write_all(bytes));
    drop(stream.shutdown(std::net::Shutdown::Write));
    rest(&mut stream)
}

fn healthy(server: &Server) {
    assert_eq!(server.anonymous().get("/health").status, 200, "the server goes on");
}

fn pipelined_requests_are_answered_in_order(server: &Server) {
    let request = |path: &str, last: &str| format!("GET {path} HTTP/1.1\r\nHost: x\r\n{last}\r\n");
    let three = [
        request("/health", ""),
        request("/v5/nothing-at-all", ""),
        request("/ready", "Connection: close\r\n"),
    ];
    let answered = exchange(server, three.concat().as_bytes());
    let statuses = statuses(&answered);
    assert_eq!(statuses.len(), 3, "{answered}");
    // Without a token the unknown route may answer 401.
    assert!(
        statuses[0] == 200 && matches!(statuses[1], 401 | 404) && statuses[2] == 200,
        "{answered}"
    );
}

fn garbage_after_a_request(server: &Server) {
    let answered =
        exchange(server, b"GET /health HTTP/1.1\r\nHost: x\r\n\r\n\x00\x01\x02 nonsense\r\n\r\n");
    let statuses = statuses(&answered);
    assert_eq!(statuses.first(), Some(&200), "{answered}");
    assert!(statuses[1..].iter().all(|status| (400..500).contains(status)), "{answered}");
    healthy(server);
}

/// The error of the bytes behind a request does not take its response away.
fn garbage_after_a_write(server: &Server) {
    let body = "{\"name\": \"Before garbage\"}";
    let head = head(server, &format!("Content-Length: {}", body.len()));
    let head = head.replace("Connection: close\r\n", "");
    let answered = exchange(server, format!("{head}{body}nonsense\r\n\r\n").as_bytes());
    assert_eq!(statuses(&answered), [200, 400], "{answered}");
    healthy(server);
}

fn garbage_instead_of_a_request(server: &Server) {
    let garbage: [&[u8]; 8] = [
        b"\x00\x01\x02\x03\r\n\r\n",
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03 a TLS hello",
        b"GET\r\n\r\n",
        b"GET /health\r\n\r\n",
        b"GET /health HTTP/9.9\r\n\r\n",
        b"GET /health HTTP/1.1\r\nNo colon here\r\n\r\n",
        b"GET /health HTTP/1.1\r\nHost: x\r\nBad\x00Name: 1\r\n\r\n",
        b"\r\n\r\n\r\n\r\n",
    ];
    for bytes in garbage {
        let answered = exchange(server, bytes);
        let refused =
            statuses(&answered).iter().all(|status| (400..500).contains(status) || *status == 505);
        assert!(refused, "{:?}: {answered}", String::from_utf8_lossy(bytes));
    }
    healthy(server);
}

/// An ambiguous length allows request smuggling past a proxy.
fn request_smuggling_is_refused(server: &Server) {
    let heads = [
        "Content-Length: 4\r\nContent-Length: 5\r\n",
        "Content-Length: -1\r\n",
        "Content-Length: abc\r\n",
        "Content-Length: 99999999999999999999999\r\n",
        "Content-Length: 4\r\nTransfer-Encoding: chunked\r\n",
        "Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n",
    ];
    for head in heads {
        let request = format!(
            "POST /v5/books HTTP/1.1\r\nHost: x\r\n{head}\r\n0\r\n\r\nGET \
            /health HTTP/1.1\r\nHost: x\r\n\r\n"
        );
        let answered = exchange(server, request.as_bytes());
        let statuses = statuses(&answered);
        assert!(!statuses.contains(&200), "{head:?}: the hidden request was answered: {answered}");
        assert!(statuses.iter().all(|status| *status < 500), "{head:?}: {answered}");
    }
    healthy(server);
}

fn huge_headers(server: &Server) {
    let long =
        format!("GET /health HTTP/1.1\r\nHost: x\r\nX-Long: {}\r\n\r\n", "a".repeat(1024 * 1024));
    let many = format!("GET /health HTTP/1.1\r\nHost: x\r\n{}\r\n", "X-Many: 1\r\n".repeat(20_000));
    let path = format!("GET /{} HTTP/1.1\r\nHost: x\r\n\r\n", "a".repeat(1024 * 1024));
    for request in [long, many, path] {
        let answered = exchange(server, request.as_bytes());
        assert!(statuses(&answered).iter().all(|status| (400..500).contains(status)), "{answered}");
    }
    healthy(server);
}

fn peer_that_leaves_in_the_middle(server: &Server) {
    for part in [
        "POST /v5/bo",
        "POST /v5/books HTTP/1.1\r\nContent-Le",
        "POST /v5/books HTTP/1.1\r\nContent-Length: 100\r\n\r\n{\"na",
    ] {
        let mut stream = connect(server);
        stream.write_all(part.as_bytes()).expect("sent");
        drop(stream);
    }
    healthy(server);
}

fn old_protocol_versions(server: &Server) {
    let answered = exchange(server, b"GET /health HTTP/1.0\r\n\r\n");
    assert_eq!(statuses(&answered), [200], "{answered}");
}

/// Existing tools announce large bodies this way and wait for 100.
fn expect_continue(server: &Server) {
    let token = server.token(&format!("{}@example.com", daybook_tests::unique("expecting")));
    let body = br#"{"name": "Announced"}"#;
    let head = format!(
        "POST /v5/books HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {token}\r\nContent-Type: \
            application/json\r\n\
         Content-Length: {}\r\nConnection: close\r\n",
        body.len()
    );
    let mut stream = connect(server);
    announced(&mut stream, &head, body);
    let answered = rest(&mut stream);
    assert_eq!(statuses(&answered), [200], "{answered}");
}

/// A slow peer: its first bytes, and those added every half second.
struct Slow {
    name: &'static str,
    stream: TcpStream,
    drip: &'static [u8],
    /// Whether it never reads the response.
    deaf: bool,
    closed: bool,
    answered: Vec<u8>,
}

impl Slow {
    fn start(server: &Server, name: &'static str, first: &str, drip: &'static [u8]) -> Slow {
        let mut stream = connect(server);
        stream.write_all(first.as_bytes()).expect("sent");
        stream.set_read_timeout(Some(Duration::from_millis(1))).expect("a timeout");
        stream.set_write_timeout(Some(Duration::from_millis(1))).expect("a timeout");
        Slow { name, stream, drip, deaf: false, closed: false, answered: Vec::new() }
    }

    /// A slow peer after an answered request, when the connection counts as used.
    fn second(server: &Server, name: &'static str, then: &str, drip: &'static [u8]) -> Slow {
        let mut slow = Slow::start(server, name, "GET /health HTTP/1.1\r\nHost: x\r\n\r\n", drip);
        while !slow.answered.ends_with(b"}") {
            slow.hear();
        }
        slow.answered.clear();
        slow.stream.write_all(then.as_bytes()).expect("sent");
        slow
    }

    /// Reads before it writes: where the server has closed, a response may be waiting.
    fn turn(&mut self) {
        if !self.closed && !self.deaf {
            self.hear();
        }
        if !self.closed
            && let Err(error) = self.stream.write_all(self.drip)
        {
            self.closed = !is_slow(&error);
        }
    }

    fn hear(&mut self) {
        let mut chunk = [0; 4096];
        self.closed = match self.stream.read(&mut chunk) {
            Ok(0) => true,
            Ok(count) => {
                self.answered.extend_from_slice(&chunk[..count]);
                false
            }
            Err(error) => !is_slow(&error),
        };
    }
}

fn is_slow(error: &Error) -> bool {
    matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut | ErrorKind::Interrupted)
}

/// 0.19, 0.20: slow connections are closed, after 408 if a request body is late, and do not delay
/// other clients.
fn slow_clients_are_closed(server: &Server) {
    let token = server.token(&format!("{}@example.com", daybook_tests::unique("slow")));
    let head = format!("POST /v5/books HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {token}\r\n");
    let body = format!("{head}Content-Type: application/json\r\nContent-Length: 1000\r\n\r\n{{");
    let chunked =
        format!("{head}Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n");
    // Refused for its missing token, before the body is read.
    let stranger = "POST /v5/books HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: \
        chunked\r\n\r\n1\r\n{\r\n";
    // More than the socket buffers of both sides hold.
    let many = "GET /openapi.json HTTP/1.1\r\nHost: x\r\n\r\n".repeat(200);
    let mut peers = [
        Slow::start(server, "silent from the start", "", b""),
        Slow::start(server, "silent in the headers", "GET /health HTTP/1.1\r\nHost: ", b""),
        Slow::start(server, "dribbling its headers", "GET /health HTTP/1.1\r\n", b"X: y\r\n"),
        Slow::start(server, "silent in the body", &body, b""),
        Slow::start(server, "dribbling its body", &body, b" "),
        Slow::start(server, "dribbling its chunks", &chunked, b"1\r\n \r\n"),
        Slow::start(server, "silent in an unread body", stranger, b""),
        Slow::start(server, "dribbling an unread body", stranger, b"1\r\n \r\n"),
        Slow::second(server, "silent in its second head", "GET /health HTTP/1.1\r\nHo", b""),
        Slow::second(server, "dribbling its second head", "GET /health HTTP/1.1\r\n", b"X: y\r\n"),
        Slow {
            deaf: true,
            ..Slow::start(
                server,
                "deaf to its answers",
                &many,
                b"GET /health HTTP/1.1\r\nHost: x\r\n\r\n",
            )
        },
    ];
    let started = Instant::now();
    // An idle connection is kept for 75 s.
    while started.elapsed() < Duration::from_secs(150) && peers.iter().any(|peer| !peer.closed) {
        pause(Duration::from_millis(500));
        peers.iter_mut().for_each(Slow::turn);
        let asked = Instant::now();
        healthy(server);
        // The shortest timeout of a slow peer.
        assert!(asked.elapsed() < Duration::from_secs(9), "others wait for slow peers");
    }
    for peer in &peers {
        let answered = String::from_utf8_lossy(&peer.answered);
        assert!(peer.closed, "a peer {} is kept for 150 s, after {answered:?}", peer.name);
        let expected: &[u16] = match peer.name {
            "silent in an unread body" | "dribbling an unread body" => &[401],
            "silent in the body" | "dribbling its body" | "dribbling its chunks" => &[408],
            _ => &[],
        };
        assert_eq!(statuses(&answered), expected, "{}: {answered}", peer.name);
        if expected == [408] {
            is_error(&answered, 408, "requestTimeout");
        }
    }
}

/// Asserts that the last response of a connection is this error in the documented shape.
#[track_caller]
fn is_error(answered: &str, status: u16, reason: &str) {
    assert_eq!(statuses(answered).last(), Some(&status), "{answered}");
    let (head, body) = answered.rsplit_once("\r\n\r\n").expect("a head and a body");
    let head = head.to_ascii_lowercase();
    for field in ["content-type: application/json", "connection: close"] {
        assert!(head.contains(field), "{field}: {answered}");
    }
    assert!(head.contains(&format!("content-length: {}\r\n", body.len())), "{answered}");
    let error: Value =
        serde_json::from_str(body).unwrap_or_else(|_| panic!("{status} has JSON: {answered}"));
    assert_eq!(error["error"]["code"], status, "{answered}");
    assert_eq!(error["error"]["errors"][0]["reason"], reason, "{answered}");
}

/// Sends 33 MB in pieces of 1 MB. The server may answer and close early, which a writing socket
/// sees as a reset, so it reads between the pieces.
fn pour(stream: &mut TcpStream, piece: &[u8]) -> String {
    let mut answered = String::new();
    stream.set_read_timeout(Some(Duration::from_millis(5))).expect("a timeout");
    let mut chunk = [0; 4096];
    for _ in 0..33 {
        let sent = stream.write_all(piece);
        if let Ok(count @ 1..) = stream.read(&mut chunk) {
            answered.push_str(&String::from_utf8_lossy(&chunk[..count]));
        }
        if sent.is_err() || !answered.is_empty() {
            break;
        }
    }
    stream.set_read_timeout(Some(SILENCE)).expect("a timeout");
    if !answered.is_empty() {
        // Otherwise the server waits two seconds for more to discard.
        let _ = stream.shutdown(Shutdown::Write);
    }
    answered + &rest(stream)
}

fn head(server: &Server, length: &str) -> String {
    let token = server.token(&format!("{}@example.com", daybook_tests::unique("large")));
    let names = "Host: x\r\nContent-Type: application/json\r\nConnection: close";
    format!(
        "POST /v5/books HTTP/1.1\r\n{names}\r\nAuthorization: Bearer {token}\r\n{length}\r\n\r\n"
    )
}

/// 10.8: body 32 MB.
fn declared_body_beyond_the_limit(server: &Server) {
    let mut stream = connect(server);
    let length = 33 * 1024 * 1024;
    stream.write_all(head(server, &format!("Content-Length: {length}")).as_bytes()).expect("sent");
    is_error(&pour(&mut stream, &vec![b' '; 1024 * 1024]), 413, "requestTooLarge");
    healthy(server);
}

/// Without a declared length.
fn chunked_body_beyond_the_limit(server: &Server) {
    let mut stream = connect(server);
    stream.write_all(head(server, "Transfer-Encoding: chunked").as_bytes()).expect("sent");
    let piece = [b"100000\r\n".as_slice(), &vec![b' '; 1024 * 1024], b"\r\n"].concat();
    is_error(&pour(&mut stream, &piece), 413, "requestTooLarge");
    healthy(server);
}
