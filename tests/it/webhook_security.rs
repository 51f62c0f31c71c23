//! Hostile webhooks (8.6, 8.7): internal addresses, wrong certificates, header injection, endless
//! answers.

use std::io::{ErrorKind, Read, Write};
use std::net::TcpListener;
use std::thread;

use daybook_tests::certificates::authority;
use daybook_tests::receiver::Receiver;
use daybook_tests::{CASH_AND_FOOD, Cast, Engine, Options, Server, id};
use serde_json::{Value, json};

use crate::Case;
use crate::reading::items;
use crate::webhooks::install;

pub fn tests() -> Vec<Case> {
    crate::isolated![
        rule_8_6_addresses_that_lead_inside,
        rule_8_6_certificates_of_others,
        rule_8_6_loopback_is_reached_in_a_trial_only,
        rule_8_6_failures_inside_look_alike,
        rule_8_6_texts_are_no_headers,
        rule_8_7_answers_without_an_end,
    ]
}

/// A book with an app without subscriptions, and an event to send to it.
struct Setting {
    cast: Cast,
    app: Value,
    event: Value,
}

impl Setting {
    fn new(server: &Server, fields: Value) -> Setting {
        let cast = Cast::with_accounts(server, &CASH_AND_FOOD);
        let app = install(&cast, "https://bot.example/", &["BOOK_DELETED"], fields);
        let event = items(&cast.get("/events?limit=1").ok())[0].clone();
        Setting { cast, app, event }
    }

    /// Sends the event there once (8.12); returns the type and the text of the response.
    #[track_caller]
    fn send(&self, url: &str) -> [String; 2] {
        let app = json!({"id": self.app["id"], "webhookUrl": url});
        self.cast.owner.put("/v5/apps", &app).ok();
        let (event, app) = (id(&self.event), id(&self.app));
        let path = self.cast.path(&format!("/events/{event}/responses/{app}"));
        let shown = self.cast.owner.put(&path, &Value::Null).ok();
        let response = &shown["botResponses"][0];
        ["type", "message"].map(|key| response[key].as_str().unwrap_or("none").to_owned())
    }
}

fn server(engine: Engine, allowed: &str, env: &[(&str, String)]) -> Server {
    let args = vec!["--webhook-allow".to_owned(), allowed.to_owned()];
    let env = env.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect();
    Server::start_with(Options { engine, args, env, ..Options::default() })
}

/// A local address in any notation is reached where it is allowed, and never connected to where it
/// is not.
fn rule_8_6_addresses_that_lead_inside(engine: Engine) {
    let open = server(engine, "127.0.0.0/8", &[]);
    let closed = server(engine, "192.0.2.0/24,bot.example", &[]);
    let (outside, inside) = (Setting::new(&open, json!({})), Setting::new(&closed, json!({})));
    let receiver = Receiver::start();
    let trap = TcpListener::bind("127.0.0.1:0").expect("a port");
    trap.set_nonblocking(true).expect("a setting");
    let trapped = trap.local_addr().expect("its address").port();
    // `daybook_edge::outgoing` tests more.
    let spellings = ["LocalHost", "2130706433", "[::ffff:7f00:1]", "somebody:secret@127.0.0.1"];
    for (number, host) in spellings.iter().enumerate() {
        let verdict = outside.send(&format!("http://{host}:{}/hook", receiver.port()));
        assert_eq!(verdict[0], "none", "8.6: {host}: {verdict:?}");
        assert_eq!(receiver.received().len(), number + 1, "8.6: {host} is this machine");
        for scheme in ["http", "https"] {
            let [kind, why] = inside.send(&format!("{scheme}://{host}:{trapped}/hook"));
            assert_eq!(kind, "ERROR", "8.6: {scheme} {host}");
            assert!(why.contains("may not be reached"), "{why}");
        }
    }
    let [kind, why] = inside.send("https://169.254.169.254/latest/meta-data/");
    assert_eq!((kind.as_str(), why.contains("may not be reached")), ("ERROR", true), "{why}");
    // Invalid addresses are not requested.
    for url in ["https://①②⑦.0.0.1/", "http://[::1/", "https://a%00b/", "https://bot.example:0x50/"]
    {
        assert_eq!(inside.send(url)[0], "ERROR", "{url}");
    }
    let nobody = trap.accept().map(drop).map_err(|error| error.kind());
    assert_eq!(nobody, Err(ErrorKind::WouldBlock), "8.6: no connection was made");
}

fn rule_8_6_certificates_of_others(engine: Engine) {
    let trust = [("SSL_CERT_FILE", authority().display().to_string())];
    let (knowing, unknowing) =
        (server(engine, "127.0.0.0/8", &trust), server(engine, "127.0.0.0/8", &[]));
    let receiver = Receiver::with_tls();
    let url = |host: &str| format!("https://{host}:{}/hook", receiver.port());
    let setting = Setting::new(&knowing, json!({}));
    assert_eq!(setting.send(&url("localhost")), ["none", "none"], "the certificate is right");
    assert_eq!(receiver.received().len(), 1);
    let [kind, why] = setting.send(&url("127.0.0.1"));
    assert!(kind == "ERROR" && why.contains("no answer"), "of another name: {kind} {why}");
    assert!(knowing.log().contains("certificate"), "8.6: the operator learns the cause");
    let [kind, why] = Setting::new(&unknowing, json!({})).send(&url("localhost"));
    assert!(kind == "ERROR" && why.contains("no answer"), "of nobody known: {kind} {why}");
    assert!(unknowing.log().contains("certificate"), "8.6: the operator learns the cause");
    assert_eq!(receiver.received().len(), 1, "8.6: no byte of the event is sent");
}

/// A server behind a proxy as docs/operations.md recommends listens on loopback, and still reaches
/// no service there.
fn rule_8_6_loopback_is_reached_in_a_trial_only(engine: Engine) {
    let receiver = Receiver::start();
    let trial = "webhooks may reach this machine";
    let starts: [(&[&str], bool); 5] = [
        (&[], true),
        (&["--public-url", "http://127.0.0.1:{port}"], false),
        (&["--public-url", "https://books.example.com"], false),
        (&["--webhook-allow", "none"], false),
        (&["--public-url", "https://books.example.com", "--webhook-allow", "127.0.0.1"], true),
    ];
    for (args, expected) in starts {
        let args_owned = args.iter().map(|arg| (*arg).to_owned()).collect();
        let server = Server::start_with(Options { engine, args: args_owned, ..Options::default() });
        let before = receiver.received().len();
        let [kind, why] = Setting::new(&server, json!({})).send(&receiver.url());
        let refused = kind == "ERROR" && why.contains("may not be reached");
        assert_eq!(refused, !expected, "8.6: {args:?}: {kind} {why}");
        assert_eq!(receiver.received().len() > before, expected, "8.6: {args:?}");
        assert_eq!(
            server.log().contains(trial),
            args.is_empty(),
            "8.6: the start says so: {args:?}"
        );
    }
}

/// A closed port, a service without HTTP, and one that closes the connection.
fn rule_8_6_failures_inside_look_alike(engine: Engine) {
    let server = server(engine, "127.0.0.1", &[]);
    let setting = Setting::new(&server, json!({}));
    let closed = daybook_tests::free_port();
    for port in [closed, flood(b"SSH-2.0-OpenSSH_9.6\r\n", b"x")] {
        for scheme in ["http", "https"] {
            let [kind, why] = setting.send(&format!("{scheme}://127.0.0.1:{port}/"));
            assert!(kind == "ERROR" && why.ends_with("no answer"), "8.6: {kind} {why}");
        }
    }
    let (event, app) = (id(&setting.event), id(&setting.app));
    for path in [format!("/events/{event}/deliveries"), format!("/apps/{app}/deliveries")] {
        let log = setting.cast.owner.get(&setting.cast.path(&path)).ok();
        let attempts = items(&log);
        assert_eq!(attempts.len(), 4, "12.13: each attempt is there: {log}");
        for attempt in attempts {
            assert_eq!(attempt["error"], "no answer", "8.6: {attempt}");
            assert_eq!(attempt["durationMs"], 0, "8.6: {attempt}");
        }
    }
}

/// Names, addresses and secrets with line breaks do not add headers.
fn rule_8_6_texts_are_no_headers(engine: Engine) {
    let server = Server::start(engine);
    let broken = "x\r\nx-injected: 1\r\n\r\n";
    let setting = Setting::new(&server, json!({"name": "Bot", "clientSecret": broken}));
    let owner = &setting.cast.owner;
    for text in [broken, "x\nx-injected: 1", "x\u{2028}x-injected: 1", "x\u{85}x-injected: 1"] {
        let app = |key: &str, value: String| {
            let mut app = json!({"id": setting.app["id"]});
            app[key] = json!(value);
            owner.put("/v5/apps", &app)
        };
        for url in [format!("http://127.0.0.1:1/{text}"), format!("http://{text}.example/")] {
            app("webhookUrl", url).refused(400, "badRequest");
        }
        let named = app("name", text.to_owned());
        assert!(matches!(named.status, 200 | 400), "{named:?}");
        let named = owner.put(&setting.cast.path(""), &json!({"name": text}));
        assert!(matches!(named.status, 200 | 400), "{named:?}");
        let id = json!({"id": format!("a{text}"), "name": "Bot"});
        owner.post("/v5/apps", &id).refused(400, "badRequest");
    }
    let receiver = Receiver::start();
    let encoded = "%0d%0ax-injected:%201%0d%0a%0d%0a";
    let port = receiver.port();
    let verdict = setting.send(&format!("http://a:b%0d%0a@127.0.0.1:{port}/{encoded}?{encoded}#x"));
    assert_eq!(verdict[0], "none", "{verdict:?}");
    let received = receiver.wait_for(1).remove(0);
    assert_eq!(received.line, format!("POST /{encoded}?{encoded} HTTP/1.1"));
    let mut names: Vec<&str> = received.headers.keys().map(String::as_str).collect();
    names.sort_unstable();
    let expected = [
        "accept",
        "authorization",
        "content-length",
        "content-type",
        "host",
        "service-agent-id",
        "service-oauth-token",
        "service-signature",
        "webhook-id",
        "webhook-signature",
        "webhook-timestamp",
    ];
    assert_eq!(names, expected, "8.6: these and no others");
    let authorization = received.header("authorization");
    assert!(authorization.starts_with("Bearer ey"), "8.6: not of the address: {authorization}");
    assert_eq!(received.body["type"], setting.event["type"], "the body is what it is");
}

/// Answers with these bytes, then with more and more of the others.
fn flood(head: &'static [u8], then: &'static [u8]) -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = listener.local_addr().expect("its address").port();
    thread::spawn(move || {
        for stream in listener.incoming() {
            let Ok(mut stream) = stream else { return };
            let mut buffer = [0; 65_536];
            drop(stream.read(&mut buffer));
            drop(stream.write_all(head));
            while stream.write_all(then).is_ok() {}
        }
    });
    port
}

fn rule_8_7_answers_without_an_end(engine: Engine) {
    let server = Server::start(engine);
    let setting = Setting::new(&server, json!({}));
    const MUCH: &[u8] = &[b' '; 65_536];
    let floods: [(&[u8], &str); 3] = [
        (b"HTTP/1.1 200 OK\r\n\r\n", "more than 65536 bytes"),
        (b"HTTP/1.1 200 OK\r\ncontent-length: 9000000000\r\n\r\n", "more than 65536 bytes"),
        (b"HTTP/1.1 200 OK\r\na:", "no answer"),
    ];
    for (head, expected) in floods {
        let [kind, why] = setting.send(&format!("http://127.0.0.1:{}/", flood(head, MUCH)));
        assert!(kind == "ERROR" && why.contains(expected), "8.7: {kind} {why}");
    }
}
