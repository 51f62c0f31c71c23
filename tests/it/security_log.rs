//! The security log (11.24, 11.25): its lines, the data it must not contain, and its size limit.
//! Each case starts its own server.

use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::time::Instant;

use daybook_tests::{Cast, Client, Engine, Server, unique};
use serde_json::json;

use crate::Case;
use crate::wire::{connect, rest};

pub fn tests() -> Vec<Case> {
    crate::isolated![
        failures_and_refusals_have_lines,
        changes_have_lines,
        addresses_are_hashed_or_hidden,
        floods_are_bounded,
        malformed_requests_are_not_logged_as_errors,
        commands_leave_lines,
    ]
}

/// The address in the client's headers.
const ADDRESS: &str = "198.51.100.77";

fn server(engine: Engine, addresses: &str) -> Server {
    let args = ["--trusted-proxies", "127.0.0.1", "--refused-tokens-per-minute", "5"];
    Server::with_args(engine, &[&args[..], &["--log-addresses", addresses]].concat())
}

fn lines(server: &Server) -> Vec<String> {
    server.log().lines().filter(|line| line.contains(" security: ")).map(str::to_owned).collect()
}

fn user(client: &Client) -> String {
    format!("user=\"{}\"", client.get("/v5/user").ok()["id"].as_str().expect("an id"))
}

/// The only line that contains all of these.
#[track_caller]
fn one(server: &Server, parts: &[&str]) -> String {
    let all = lines(server);
    let mut found = all.iter().filter(|line| parts.iter().all(|part| line.contains(part)));
    let line = found.next().unwrap_or_else(|| panic!("{parts:?} in {all:#?}"));
    assert_eq!(found.next(), None, "one line of {parts:?}");
    line.clone()
}

#[track_caller]
fn assert_no_personal_data(server: &Server, cast: &Cast) {
    let token = cast.owner.token().expect("the owner has one");
    for line in lines(server) {
        for word in [token, "@example.com", "not.a.token", "Hidden"] {
            assert!(!line.contains(word), "{word} in {line}");
        }
    }
}

fn failures_and_refusals_have_lines(engine: Engine) {
    let server = server(engine, "plain");
    let cast = Cast::new(&server);
    let before = lines(&server).len();
    // Requests that are not an attempt have no line.
    cast.anonymous.get("/v5/user").refused(401, "required");
    cast.anonymous.get("/v5/nowhere").refused(404, "notFound");
    cast.get("/accounts/Hidden").refused(404, "notFound");
    cast.post("/accounts", &json!({"type": "?"})).refused(400, "invalid");
    assert_eq!(lines(&server).len(), before);

    let guess = server.client_with_token("not.a.token").header("X-Forwarded-For", ADDRESS);
    guess.get("/v5/books").refused(401, "required");
    let line = one(&server, &["authentication failed", ADDRESS]);
    assert!(line.contains(" WARN ") && line.contains("route=/v5/books}"), "{line}");
    assert!(line.contains("reason=\"required\"") && !line.contains("user="), "{line}");
    while guess.get("/v5/user").status != 429 {}
    one(&server, &["authentication is throttled", ADDRESS]);

    cast.viewer.delete(&cast.path("")).refused(403, "forbidden");
    let book = format!("book=\"{}\"", cast.book);
    let line = one(&server, &["permission refused", &user(&cast.viewer)]);
    for part in ["reason=\"forbidden\"", &book, "client=\"127.0.0.1\"", "method=DELETE"] {
        assert!(line.contains(part), "{part} in {line}");
    }
    cast.stranger.get(&cast.path("/accounts")).refused(404, "notFound");
    one(&server, &["permission refused", &user(&cast.stranger), &book, "reason=\"notFound\""]);
    let only = json!({"books": [cast.book]});
    let limited = cast.owner.post("/v5/user/tokens", &only).ok();
    let limited = server.client_with_token(limited["token"].as_str().expect("a token"));
    limited.get("/v5/collections").refused(403, "insufficientScope");
    one(&server, &["permission refused", &user(&cast.owner), "reason=\"insufficientScope\""]);
    let poster = user(&cast.poster);
    server.run(&["user", "disable", "--email", cast.poster.email()]).expect("it is done");
    while cast.poster.get("/v5/user").status != 403 {}
    assert!(lines(&server).iter().any(|line| line.contains(&poster) && line.contains("disabled")));
    // An invalid link, and a client of the issuer with a wrong secret.
    let form = Some("application/x-www-form-urlencoded");
    cast.anonymous.send_raw("POST", "/auth/token", form, b"client_id=nobody&grant_type=x");
    one(&server, &["authentication failed", "route=/auth/token}"]);
    assert_no_personal_data(&server, &cast);
}

fn changes_have_lines(engine: Engine) {
    let server = server(engine, "plain");
    let cast = Cast::new(&server);
    let owner = user(&cast.owner);
    let book = format!("book=\"{}\"", cast.book);
    let shared = lines(&server).iter().filter(|line| line.contains("addCollaborator")).count();
    assert_eq!(shared, 4, "the cast");
    cast.delete(&format!("/collaborators/{}", cast.viewer.email())).ok();
    let line = one(&server, &["access changed", "what=\"removeCollaborator\"", &owner, &book]);
    assert!(line.contains(" INFO ") && line.contains("client=\"127.0.0.1\""), "{line}");
    cast.put("", &json!({"name": "Hidden"})).ok();
    assert!(!lines(&server).iter().any(|line| line.contains("visibility")));
    cast.owner.put("/v5/books", &json!({"id": cast.book, "visibility": "PUBLIC"})).ok();
    one(&server, &["access changed", "what=\"visibility\"", &owner]);
    let token = cast.owner.post("/v5/user/tokens", &json!({"name": "Hidden"})).ok();
    cast.owner.delete(&format!("/v5/user/tokens/{}", token["id"].as_str().expect("an id"))).ok();
    one(&server, &["access changed", "what=\"createToken\"", &owner]);
    one(&server, &["access changed", "what=\"revokeToken\"", &owner]);
    cast.give(&cast.owner, &cast.editor);
    one(&server, &["access changed", "what=\"transferBook\"", &owner, &book]);
    assert_no_personal_data(&server, &cast);
}

fn addresses_are_hashed_or_hidden(engine: Engine) {
    for shown in ["hashed", "hidden"] {
        let server = server(engine, shown);
        let guess = server.client_with_token("not.a.token").header("X-Forwarded-For", ADDRESS);
        guess.get("/v5/books").refused(401, "required");
        guess.get("/v5/user").refused(401, "required");
        assert!(!server.log().contains(ADDRESS), "{shown}");
        let failed = lines(&server);
        let clients: Vec<Option<&str>> = failed
            .iter()
            .map(|line| line.split("client=\"").nth(1).and_then(|rest| rest.split('"').next()))
            .collect();
        assert_eq!(clients.len(), 2, "{failed:?}");
        if shown == "hidden" {
            assert_eq!(clients, [None, None]);
        } else {
            assert_eq!(clients[0].map(str::len), Some(16), "{failed:?}");
            assert_eq!(clients[0], clients[1], "lines of one client stay together");
        }
    }
}

/// Refusals do not fill the disk: 30 lines per minute and address, while changes are still logged.
fn floods_are_bounded(engine: Engine) {
    let server = server(engine, "plain");
    let cast = Cast::new(&server);
    let begun = Instant::now();
    for _ in 0..80 {
        cast.viewer.delete(&cast.path("")).refused(403, "forbidden");
    }
    // One is regained every two seconds during the test.
    let most = 31 + begun.elapsed().as_secs() / 2;
    let refused = lines(&server).iter().filter(|line| line.contains("permission refused")).count();
    assert!(refused >= 30 && refused as u64 <= most, "{refused}, at most {most}");
    cast.share(&format!("{}@example.com", unique("guest")), "VIEWER");
    let shared = lines(&server).iter().filter(|line| line.contains("addCollaborator")).count();
    assert_eq!(shared, 5);
    let elsewhere = server.client_with_token("not.a.token").header("X-Forwarded-For", ADDRESS);
    elsewhere.get("/v5/books").refused(401, "required");
    one(&server, &["authentication failed", ADDRESS]);
}

/// Any client can send these, so they must not be logged as ERROR, which alerts the operator.
fn malformed_requests_are_not_logged_as_errors(engine: Engine) {
    let server = server(engine, "plain");
    let head = format!("GET / HTTP/1.1\r\nHost: x\r\nX-Long: {}\r\n\r\n", "x".repeat(200_000));
    for bytes in [
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03".as_slice(),
        b"nonsense\r\n\r\n",
        b"GET / HTTP/9.9\r\n\r\n",
        b"POST /v5/books HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n",
        b"POST /v5/books HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
        b"GET /%zz HTTP/1.1\r\nHost: \xff\xfe\r\n\r\n",
        head.as_bytes(),
    ] {
        let mut stream = connect(&server);
        // The server may close the connection early.
        let _ = stream.write_all(bytes);
        let _ = stream.shutdown(std::net::Shutdown::Write);
        let answer = rest(&mut stream);
        assert!(!answer.starts_with("HTTP/1.1 5"), "{answer}");
    }
    let errors: Vec<String> =
        server.log().lines().filter(|line| line.contains("ERROR")).map(str::to_owned).collect();
    assert_eq!(errors, Vec::<String>::new());
}

fn commands_leave_lines(engine: Engine) {
    let server = server(engine, "plain");
    let run =
        |verbs: &[&str], args: &[&str]| server.run(&[verbs, args].concat()).expect("it is done");
    let token = run(&["token"], &["--email", "olga@example.com"]);
    let person = server.client_with_token(token.trim());
    let olga = user(&person);
    let key = run(&["key", "create"], &["--email", "olga@example.com", "--name", "Hidden"]);
    run(&["user", "disable"], &["--email", "olga@example.com"]);
    run(&["user", "enable"], &["--email", "olga@example.com"]);
    run(&["user", "list"], &[]);
    run(&["keys", "rotate"], &[]);
    let path = server.data_dir().join("operator.log");
    let text = std::fs::read_to_string(&path).expect("a log");
    for command in ["token", "key create", "user disable", "user enable", "keys rotate"] {
        let named = format!("command=\"{command}\"");
        let mut found = text.lines().filter(|line| line.contains(&named));
        let line = found.next().unwrap_or_else(|| panic!("{command} in {text}"));
        assert_eq!(line.contains(&olga), command != "keys rotate", "{line}");
    }
    assert!(!text.contains("user list"), "what only looks leaves nothing: {text}");
    for word in ["olga", "Hidden", key.trim(), person.token().expect("a token")] {
        assert!(!text.contains(word), "{word} in {text}");
    }
    let mode = std::fs::metadata(&path).expect("a file").permissions().mode();
    assert_eq!(mode & 0o077, 0, "{mode:o}");
}
