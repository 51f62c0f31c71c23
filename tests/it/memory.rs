//! Memory (0.22): bodies on their way in and contents of files on their way out are bounded
//! together, whoever sends them.

use std::io::Write;
use std::net::TcpStream;
use std::time::Duration;

use daybook_tests::{Answer, Engine, Options, Server, id, pause};
use serde_json::json;

use crate::Lone;
use crate::files::base64;
use crate::wire::connect;

pub fn lone() -> Vec<Lone> {
    crate::lone![bodies_and_contents_share_a_bound]
}

const MEGABYTE: usize = 1024 * 1024;

/// A body of 31 MB of which the server has all but the end.
fn unfinished(server: &Server) -> TcpStream {
    let head = format!(
        "POST /v5/books HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {}\r\nContent-Length: \
            {}\r\n\r\n",
        server.token("alice@example.com"),
        31 * MEGABYTE
    );
    let mut stream = connect(server);
    stream.write_all(head.as_bytes()).expect("sent");
    stream.write_all(&vec![b' '; 31 * MEGABYTE - 1]).expect("sent");
    stream
}

/// Asks until it is answered with this status: the server takes note of what clients do in its own
/// time.
#[track_caller]
fn until(status: u16, ask: impl Fn() -> Answer) -> Answer {
    for _ in 0..100 {
        let answer = ask();
        if answer.status == status {
            return answer;
        }
        pause(Duration::from_millis(100));
    }
    panic!("never answered {status}");
}

fn bodies_and_contents_share_a_bound(engine: Engine) {
    let args = ["--bodies-megabytes", "64"].map(str::to_owned).to_vec();
    let server = Server::start_with(Options { engine, args, ..Options::default() });
    let caller = server.client("alice@example.com");
    let book = id(&caller.post("/v5/books", &json!({"name": "B"})).ok()).to_owned();
    let content = base64(&vec![7; 3 * MEGABYTE]);
    let file = json!({"name": "large.bin", "content": content});
    let create = || caller.post(&format!("/v5/books/{book}/files"), &file);
    let path = format!("/v5/books/{book}/files/{}", id(&create().ok()));

    let held = [unfinished(&server), unfinished(&server)];
    let crowded = until(503, create);
    assert_eq!(crowded.body["error"]["errors"][0]["reason"], "backendError");
    assert!(crowded.headers.contains_key("retry-after"), "{:?}", crowded.headers);
    caller.get(&path).refused(503, "backendError");
    // What is small goes on.
    caller.post("/v5/books", &json!({"name": "C"})).ok();
    drop(held);
    until(200, create);
    assert_eq!(until(200, || caller.get(&path)).body["content"], content.as_str());
}
