//! Connections of one address (0.35): half of all are left to others.

use std::io::{ErrorKind, Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use daybook_tests::siege::{connect_from_elsewhere, is_open};
use daybook_tests::{Engine, Options, Server, pause};

use crate::Case;

pub fn tests() -> Vec<Case> {
    crate::isolated![rule_0_35_idle_connections_leave_half_to_others]
}

/// The connection slots of the server.
const SLOTS: u32 = 100;

/// Sends a request head and returns the first part of the response.
fn send_request(stream: &mut TcpStream, head: &str) -> String {
    stream.set_nonblocking(false).expect("a blocking socket");
    stream.set_read_timeout(Some(Duration::from_secs(60))).expect("a timeout");
    stream.write_all(head.as_bytes()).expect("sent");
    let mut chunk = [0; 4096];
    let count = loop {
        match stream.read(&mut chunk) {
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            read => break read.unwrap_or_default(),
        }
    };
    stream.set_nonblocking(true).expect("a socket");
    String::from_utf8_lossy(&chunk[..count]).into_owned()
}

fn rule_0_35_idle_connections_leave_half_to_others(engine: Engine) {
    // No proxy is trusted, so peer addresses count.
    let env = vec![("DAYBOOK_TRUSTED_PROXIES".to_owned(), "192.0.2.1".to_owned())];
    let open_files = Some(SLOTS * 2);
    let server = Server::start_with(Options { engine, env, open_files, ..Options::default() });
    let connect = || connect_from_elsewhere(server.address()).expect("a connection");
    let token = server.token("alice@example.com");
    let enter =
        format!("GET /v5/user HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {token}\r\n\r\n");
    let mut known = connect();
    let answer = send_request(&mut known, &enter);
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");

    let mut idle: Vec<TcpStream> = (0..120).map(|_| connect()).collect();
    let started = Instant::now();
    let half = SLOTS as usize / 2;
    while idle.iter_mut().filter_map(|stream| is_open(stream).then_some(())).count() >= half {
        // Idle connections time out only after 75 s.
        assert!(started.elapsed() < Duration::from_secs(40), "0.35: half of the slots");
        pause(Duration::from_millis(50));
    }
    let asked = Instant::now();
    assert_eq!(server.anonymous().get("/health").status, 200);
    assert!(asked.elapsed() < Duration::from_secs(20), "{:?}", asked.elapsed());
    let answer = send_request(&mut known, &enter);
    assert!(answer.starts_with("HTTP/1.1 200"), "an authenticated connection stays: {answer}");
    drop(idle);
}
