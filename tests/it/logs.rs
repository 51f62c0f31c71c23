//! The log: its content, the data it must not contain, and its independence of a reader. Each case
//! starts its own server.

use std::io::Read;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use daybook_tests::{Cast, Engine, Options, Server, binary, free_port, pause};
use serde_json::json;

use crate::Case;
use crate::file_sweep::eventually;

pub fn tests() -> Vec<Case> {
    crate::isolated![
        logs_hold_no_personal_data,
        request_ids_stand_in_the_log,
        listening_without_tls_is_warned,
        closed_log_pipe_does_not_stop_the_server
    ]
}

/// The address in the client's headers.
const ADDRESS: &str = "198.51.100.77";

/// Issue 2: no tokens and no personal data in the log, at any level.
fn logs_hold_no_personal_data(engine: Engine) {
    for level in [None, Some("debug"), Some("trace")] {
        let names = ["RUST_LOG", "DAYBOOK_LOG", "DAYBOOK_LOG_LEVEL"];
        let env = level
            .map(|level| names.map(|name| (name.to_owned(), level.to_owned())).to_vec())
            .unwrap_or_default();
        let args = ["--trusted-proxies", "127.0.0.1", "--refused-tokens-per-minute", "5"];
        let hidden = ["--log-addresses", "hidden"];
        let args = args.into_iter().chain(hidden).map(str::to_owned).collect();
        let server = Server::start_with(Options { engine, env, args, ..Options::default() });
        let cast = Cast::new(&server);
        let email = "zacharias.private@example.com";
        cast.share(email, "VIEWER");
        cast.delete(&format!("/collaborators/{email}")).ok();
        cast.delete("/collaborators/zacharias.private%40example.com").refused(404, "notFound");
        cast.account("Secret purse", "ASSET");
        cast.get("/accounts/Secret%20purse?key=apikeysecret").ok();
        cast.post("/transactions", &json!({"description": "Hidden gift"})).ok();
        cast.get("/transactions?query=Hidden%20gift").ok();
        cast.owner
            .send_raw(
                "POST",
                "/v5/books",
                Some("application/json"),
                br#"{"name": "Secret purse", "#,
            )
            .refused(400, "parseError");
        cast.put("", &json!({"decimalSeparator": "Secret purse"})).refused(400, "invalid");
        server.client_with_token("not.a.token").get("/v5/user").refused(401, "required");
        let created = cast.owner.post("/v5/user/keys", &json!({"name": "Secret app"})).ok();
        let key = created["key"].as_str().expect("a key");
        cast.owner.header("service-api-key", key).get("/v5/user").ok();
        cast.owner.get(&format!("/v5/user?key={key}")).ok();
        let guess = server.client_with_token("not.a.token").header("X-Forwarded-For", ADDRESS);
        while guess.get("/v5/user").status != 429 {}
        cast.viewer.delete(&cast.path("")).refused(403, "forbidden");
        let log = server.log();
        assert!(!log.is_empty(), "the server writes a log");
        let token = cast.owner.token().expect("the owner has one");
        let words = [
            token,
            key,
            ADDRESS,
            "not.a.token",
            "zacharias",
            "@example.com",
            "%40example.com",
            "apikeysecret",
            "Hidden",
            "ecret purse",
        ];
        for word in words {
            let line = log.lines().find(|line| line.contains(word));
            assert_eq!(line, None, "the log at level {level:?} holds {word}");
        }
    }
}

/// Issue 2: structured logs with the request id of the response.
fn request_ids_stand_in_the_log(engine: Engine) {
    let server = Server::start(engine);
    let answer = server.client("alice@example.com").get("/v5/user");
    let request = answer
        .headers
        .iter()
        .find(|(name, _)| name.contains("request-id"))
        .map(|(_, value)| value.clone());
    let request = request.expect("a request id in the response");
    // The line is written after the response is sent.
    eventually(&format!("{request} is in the log"), || server.log().contains(&request));
}

/// A process that is killed when dropped.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        drop(self.0.kill());
        drop(self.0.wait());
    }
}

/// Without TLS on a public address, or a proxy that provides it, tokens travel unencrypted.
fn listening_without_tls_is_warned(engine: Engine) {
    let server = Server::start(engine);
    let (plain, encrypted) = ("http://books.example.com", "https://books.example.com");
    for (host, public, warned) in [
        ("0.0.0.0", None, true),
        ("0.0.0.0", Some(plain), true),
        ("0.0.0.0", Some(encrypted), false),
        ("127.0.0.1", None, false),
        ("127.0.0.1", Some(plain), false),
    ] {
        let port = free_port();
        let mut command = server.admin(&["serve", "--listen", &format!("{host}:{port}")]);
        command.args(public.iter().flat_map(|url| ["--public-url", url]));
        let mut running = Running(command.stderr(Stdio::piped()).spawn().expect("daybook starts"));
        let answers = || {
            let answer = ureq::get(format!("http://127.0.0.1:{port}/health")).call();
            answer.is_ok_and(|answer| answer.status() == 200)
        };
        let answered = (0..1_200).any(|_| {
            pause(Duration::from_millis(50));
            answers()
        });
        running.0.kill().expect("it runs");
        let mut log = String::new();
        let end = running.0.stderr.take().expect("its log").read_to_string(&mut log);
        assert!(answered && end.is_ok(), "it does not start: {log}");
        let line = log.lines().find(|line| line.contains("travel in clear"));
        assert_eq!(line.is_some(), warned, "{host} {public:?}: {log}");
        assert!(line.is_none_or(|line| line.contains("WARN")), "{line:?}");
    }
}

/// The reader of the log may close it: requests are still answered, and the server stops on
/// request.
fn closed_log_pipe_does_not_stop_the_server(engine: Engine) {
    let server = Server::start(engine);
    let address = format!("127.0.0.1:{}", free_port());
    let mut command = Command::new(binary());
    command
        .args(["serve", "--listen", &address, "--database-url", server.database_url()])
        .arg("--data-dir")
        .arg(server.data_dir());
    let mut running = Running(command.stderr(Stdio::piped()).spawn().expect("daybook starts"));
    drop(running.0.stderr.take());
    let ask = || ureq::get(format!("http://{address}/health")).call();
    eventually("a request is answered", || ask().is_ok_and(|answer| answer.status() == 200));
    let sent = Command::new("kill").arg(running.0.id().to_string()).status().expect("kill runs");
    assert!(sent.success());
    eventually("it stops", || running.0.try_wait().expect("the state of the process").is_some());
}
