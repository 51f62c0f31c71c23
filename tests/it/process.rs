//! The server process: start, stop, tokens and header prefixes. Each case starts its own.

use std::io::Write;
use std::net::TcpStream;
use std::os::unix::fs::PermissionsExt;
use std::time::{Duration, Instant};

use daybook_tests::{Cast, Engine, Options, Server, id, pause, refused_start, shows};
use serde_json::json;

use crate::Case;
use crate::wire::{announced, connect, rest};

pub fn tests() -> Vec<Case> {
    crate::isolated![
        sigterm_finishes_what_runs,
        sigterm_does_not_wait_for_stalled_clients,
        interrupt_stops_it_too,
        connections_do_not_exhaust_file_descriptors,
        client_that_never_reads_causes_no_busy_loop,
        data_and_tokens_survive_a_restart,
        key_is_private,
        tokens_of_another_server_are_refused,
        prefixes_by_argument,
        prefixes_by_environment,
        settings_by_environment,
        mounted_under_a_prefix,
        bad_settings_are_refused_at_start,
    ]
}

/// Sends a request for a new book without its last byte.
fn unfinished(server: &Server, email: &str, name: &str) -> TcpStream {
    let body = json!({"name": name}).to_string();
    let head = format!(
        "POST /v5/books HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {}\r\nContent-Type: \
            application/json\r\nContent-Length: {}\r\n",
        server.token(email),
        body.len()
    );
    let mut stream = connect(server);
    announced(&mut stream, &head, &body.as_bytes()[..body.len() - 1]);
    stream
}

/// Issue 2: within 10 s; a request that waits for its client would take at least 30 s.
const STOPPED: Duration = Duration::from_secs(20);

/// Issue 2: stop accepting connections, finish running requests, exit with 0 within 10 s.
fn sigterm_finishes_what_runs(engine: Engine) {
    let mut server = Server::start(engine);
    let mut stream = unfinished(&server, "alice@example.com", "Finished");
    let address = server.address();
    let finishing = std::thread::spawn(move || {
        let begun = Instant::now();
        let mut refused = false;
        while !refused && begun.elapsed() < Duration::from_secs(60) {
            pause(Duration::from_millis(20));
            refused = TcpStream::connect(address).is_err();
        }
        stream.write_all(b"}").expect("the connection is still served");
        (refused, rest(&mut stream))
    });
    let (status, took) = server.terminate();
    let (refused, answered) = finishing.join().expect("the client ends");
    assert!(status.success(), "exit 0 on SIGTERM: {status}\n{}", server.log());
    assert!(took < STOPPED, "{took:?}");
    assert!(answered.starts_with("HTTP/1.1 200"), "the running request is finished: {answered:?}");
    assert!(refused, "a stopping server accepts no connection");
    server.restart();
    let books = server.client("alice@example.com").get("/v5/books").ok();
    assert_eq!(books["items"][0]["name"], "Finished", "what was acknowledged is there");
}

fn sigterm_does_not_wait_for_stalled_clients(engine: Engine) {
    let mut server = Server::start(engine);
    let stalled = unfinished(&server, "alice@example.com", "Stalled");
    let idle = connect(&server);
    let kept_alive = server.client("bob@example.com");
    kept_alive.get("/v5/user").ok();
    let (status, took) = server.terminate();
    assert!(status.success(), "{status}\n{}", server.log());
    assert!(took < STOPPED, "{took:?}");
    drop((stalled, idle));
}

/// 0.20: connections do not use up the file descriptors of the database and the file store.
fn connections_do_not_exhaust_file_descriptors(engine: Engine) {
    let server =
        Server::start_with(Options { engine, open_files: Some(160), ..Options::default() });
    let caller = server.client("alice@example.com");
    let book = id(&caller.post("/v5/books", &json!({"name": "Open"})).ok()).to_owned();
    let held: Vec<TcpStream> = (0..200).map(|_| connect(&server)).collect();
    pause(Duration::from_millis(500));
    for number in 0..10 {
        let file = json!({"name": format!("{number}.txt"), "content": "Zm9v"});
        let file = id(&caller.post(&format!("/v5/books/{book}/files"), &file).ok()).to_owned();
        assert_eq!(caller.get(&format!("/v5/books/{book}/files/{file}")).ok()["content"], "Zm9v");
    }
    drop(held);
}

/// 0.20: pipelined requests wait in the socket without busy waiting.
fn client_that_never_reads_causes_no_busy_loop(engine: Engine) {
    let server = Server::start(engine);
    let mut stream = connect(&server);
    stream.set_write_timeout(Some(Duration::from_millis(200))).expect("a timeout");
    // Writing fails when the server stops reading; by then no response fits the socket either.
    drop(
        stream
            .write_all("GET /openapi.json HTTP/1.1\r\nHost: x\r\n\r\n".repeat(200_000).as_bytes()),
    );
    let spent = || {
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", server.pid()))
            .expect("the state of the process");
        let ticks = stat
            .rsplit(')')
            .next()
            .unwrap_or_default()
            .split_whitespace()
            .skip(11)
            .take(2)
            .map(|tick| tick.parse::<u64>());
        ticks.map(|tick| tick.expect("ticks of the clock, 10 ms each")).sum::<u64>()
    };
    // It may still write responses at first; after 30 s of that the connection is closed.
    let begun = Instant::now();
    loop {
        let before = spent();
        pause(Duration::from_secs(2));
        let ticks = spent() - before;
        if ticks < 40 {
            return;
        }
        let took = begun.elapsed();
        assert!(
            took < Duration::from_secs(20),
            "{ticks} ticks in 2 s, for a client that reads nothing"
        );
    }
}

fn interrupt_stops_it_too(engine: Engine) {
    let mut server = Server::start(engine);
    let (status, took) = server.interrupt();
    assert!(status.success(), "{status}\n{}", server.log());
    assert!(took < STOPPED, "{took:?}");
}

fn data_and_tokens_survive_a_restart(engine: Engine) {
    let mut server = Server::start(engine);
    let cast = Cast::new(&server);
    cast.account("Cash", "ASSET");
    cast.account("Food", "OUTGOING");
    cast.record("2025-01-31", "12.50", "Cash", "Food", "Lunch");
    let before = [cast.get("?loadAccounts=true").ok(), cast.get("/transactions").ok()];
    server.kill();
    server.restart();
    let after = [cast.get("?loadAccounts=true").ok(), cast.get("/transactions").ok()];
    assert_eq!(after, before);
}

/// Issue 2: the signing key in the data directory has mode 0600.
fn key_is_private(engine: Engine) {
    let server = Server::start(engine);
    server.token("alice@example.com");
    let files: Vec<_> =
        std::fs::read_dir(server.data_dir()).expect("a data directory").flatten().collect();
    assert!(!files.is_empty(), "a key is kept in the data directory");
    for file in files {
        let metadata = file.metadata().expect("its metadata");
        if metadata.is_file() {
            assert_eq!(metadata.permissions().mode() & 0o777, 0o600, "{:?}", file.path());
        }
    }
}

/// Issue 2: the server trusts only its own tokens.
fn tokens_of_another_server_are_refused(engine: Engine) {
    let (one, other) = (Server::start(engine), Server::start(engine));
    let token = other.token("alice@example.com");
    other.client_with_token(&token).get("/v5/user").ok();
    one.client_with_token(&token).get("/v5/user").refused(401, "required");
}

/// Asserts which headers set the agent.
#[track_caller]
pub(crate) fn takes_agents(server: &Server, headers: &[(&str, bool)]) {
    let cast = Cast::new(server);
    for (turn, (header, accepted)) in headers.iter().enumerate() {
        let robot = cast.owner.header(header, "robot");
        let account =
            robot.post(&cast.path("/accounts"), &json!({"name": format!("Account {turn}")})).ok();
        assert_eq!(account["agentId"] == "robot", *accepted, "0.15: {header}: {account}");
    }
    let preflight = server
        .anonymous()
        .header("Origin", "https://app.example")
        .header("Access-Control-Request-Method", "POST")
        .send_raw("OPTIONS", "/v5/books", None, &[]);
    let allowed = preflight.headers["access-control-allow-headers"].to_ascii_lowercase();
    for (header, accepted) in headers {
        let key = header.to_ascii_lowercase().replace("agent-id", "api-key");
        for name in [header.to_ascii_lowercase(), key] {
            let named = allowed.split(',').any(|item| item.trim() == name);
            assert_eq!(named, *accepted, "0.13: every accepted spelling, here {name}: {allowed}");
        }
    }
}

/// 0.15: existing clients of a vendor work unchanged.
fn prefixes_by_argument(engine: Engine) {
    let server = Server::with_args(engine, &["--header-prefixes", "service-,acme-"]);
    takes_agents(&server, &[("service-agent-id", true), ("Acme-Agent-Id", true)]);
}

fn prefixes_by_environment(engine: Engine) {
    let env = vec![("DAYBOOK_HEADER_PREFIXES".to_owned(), "acme-".to_owned())];
    let server = Server::start_with(Options { engine, env, ..Options::default() });
    takes_agents(&server, &[("acme-agent-id", true), ("service-agent-id", false)]);
}

/// Issue 2: each option is also an environment variable, and the command line has precedence.
fn settings_by_environment(engine: Engine) {
    let env = [
        ("DAYBOOK_LISTEN", "not an address"),
        ("DAYBOOK_DATABASE_URL", "nonsense:"),
        ("DAYBOOK_DATA_DIR", "/proc/none"),
    ];
    let env = env.map(|(name, value)| (name.to_owned(), value.to_owned())).to_vec();
    let server = Server::start_with(Options { engine, env, ..Options::default() });
    let user = server.client("alice@example.com").get("/v5/user").ok();
    shows(&user, &json!({"email": "alice@example.com"}));
    let book = server.client("alice@example.com").post("/v5/books", &json!({"name": "B"})).ok();
    assert!(!id(&book).is_empty());
}

/// 0.1: the whole API under a path prefix, and only there; health checks work at both.
fn mounted_under_a_prefix(engine: Engine) {
    let server = Server::with_args(engine, &["--path-prefix", "/books-api/"]);
    let owner = server.client("alice@example.com");
    let book = owner.post("/books-api/v5/books/?", &json!({"name": "B"})).ok();
    owner.get(&format!("/books-api/v5/books/{}", id(&book))).ok();
    owner.get("/v5/books").refused(404, "notFound");
    owner.patch("/books-api/v5/books", &json!({})).refused(405, "methodNotAllowed");
    owner.get("/books-api/v5/nothing").refused(404, "notFound");
    server.anonymous().get("/books-api/health").ok();
    server.anonymous().get("/health").ok();
    for path in ["/health", "/books-api/health", "/docs"] {
        server.anonymous().delete(path).refused(405, "methodNotAllowed");
    }
    owner.patch("/v5/books", &json!({})).refused(404, "notFound");
    owner.patch("/books-apiv5/books", &json!({})).refused(404, "notFound");
    // 0.25: generated clients find the API and its token endpoints, with or without a proxy that
    // strips the prefix.
    let found = |server: &Server, path: &str| {
        let contract = server.anonymous().get(path).ok();
        let oauth = &contract["securityDefinitions"]["oauth2"];
        [contract["basePath"].clone(), oauth["authorizationUrl"].clone()]
    };
    let own = format!("http://{}/books-api/auth/authorize", server.address());
    assert_eq!(found(&server, "/books-api/openapi.json"), ["/books-api", &own]);
    assert_eq!(found(&server, "/openapi.json"), ["/books-api", &own]);
    let behind = server.beside(&["--public-url", "https://example.com/books/"]);
    let own = "https://example.com/books/auth/authorize";
    assert_eq!(found(&behind, "/openapi.json"), ["/books", own]);
    let behind =
        server.beside(&["--path-prefix", "/inside", "--public-url", "https://example.com"]);
    let own = "https://example.com/auth/authorize";
    assert_eq!(found(&behind, "/inside/openapi.json"), ["/", own]);
    let file = server.data_dir().join("providers.json");
    let elsewhere = "https://id.example.com/authorize?realm=books";
    let providers = json!({"items": [], "authorizationUrl": elsewhere});
    std::fs::write(&file, providers.to_string()).expect("a file");
    let by_provider = server.beside(&["--providers", file.to_str().expect("UTF-8")]);
    assert_eq!(found(&by_provider, "/openapi.json"), ["/", elsewhere]);
    let found = |server: &Server, path: &str| {
        let contract = server.anonymous().get(path).ok();
        let flow = &contract["components"]["securitySchemes"]["oauth2"]["flows"]["implicit"];
        [contract["servers"][0]["url"].clone(), flow["authorizationUrl"].clone()]
    };
    let own = "https://example.com";
    let authorization = "https://example.com/auth/authorize";
    assert_eq!(found(&behind, "/inside/openapi-3.1.json"), [own, authorization]);
    assert_eq!(found(&by_provider, "/openapi-3.1.json"), [by_provider.base(), elsewhere]);
}

/// An invalid setting ends the program at once, with a message and a non-zero status.
fn bad_settings_are_refused_at_start(engine: Engine) {
    let server = Server::start(engine);
    let free = format!("127.0.0.1:{}", daybook_tests::free_port());
    let accepted = server.address().to_string();
    let data = server.data_dir().join("other").display().to_string();
    let table = [
        ["--listen", "nowhere", "--database-url", server.database_url()],
        ["--listen", &accepted, "--database-url", server.database_url()],
        ["--listen", &free, "--database-url", "mysql://localhost/x"],
        ["--listen", &free, "--database-url", "sqlite:/nonexistent/folder/books.db"],
        ["--listen", &free, "--database-url", "postgres://nobody@127.0.0.1:1/none"],
    ];
    for arguments in table {
        refused_start(&[&arguments[..], &["--data-dir", &data]].concat());
    }
}
