//! The first user of a trial (11.14): the link that `serve` prints to its terminal.

use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use daybook_tests::browser::{form, is_page};
use daybook_tests::{Answer, Client, Engine, Server, free_port, unique, unique_address};
use serde_json::json;

use crate::Case;
use crate::file_sweep::eventually;

pub fn tests() -> Vec<Case> {
    crate::isolated![
        link_on_the_terminal_makes_an_administrator,
        one_of_two_processes_makes_the_first_user,
        no_link_without_a_terminal_or_beside_a_user,
    ]
}

/// A process of an installation whose standard output is a terminal.
struct Terminal {
    child: Child,
    base: String,
    /// The code of the link that it shows, if there is one.
    code: Option<String>,
    /// The command for a terminal that it shows, if there is one.
    login: Option<String>,
    log: PathBuf,
}

impl Drop for Terminal {
    fn drop(&mut self) {
        // The end of its terminal ends the server.
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

impl Terminal {
    /// Starts `daybook serve` on a terminal of its own; its log goes to a file.
    fn open(server: &Server) -> Terminal {
        let port = free_port();
        let daybook = server.admin(&["serve"]);
        let program = std::iter::once(daybook.get_program()).chain(daybook.get_args());
        let quoted: Vec<String> =
            program.map(|part| format!("'{}'", part.to_string_lossy())).collect();
        let log = server.data_dir().join(format!("{port}.terminal"));
        let line = format!(
            "exec {} --listen 127.0.0.1:{port} 2>'{}'",
            quoted.join(" "),
            log.to_string_lossy()
        );
        let mut command = Command::new("script");
        // Settings of the developer must not change a result.
        for (name, _) in std::env::vars_os() {
            if name.to_string_lossy().starts_with("DAYBOOK_") {
                command.env_remove(name);
            }
        }
        let mut child = command
            .args(["--quiet", "--return", "--flush", "--command", &line, "/dev/null"])
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .spawn()
            .expect("script runs");
        let output = child.stdout.take().expect("its output");
        let (sender, lines) = mpsc::channel();
        thread::spawn(move || {
            for line in BufReader::new(output).lines().map_while(Result::ok) {
                if sender.send(line).is_err() {
                    return;
                }
            }
        });
        let base = format!("http://127.0.0.1:{port}");
        let mut terminal = Terminal { child, base, code: None, login: None, log };
        eventually("the process is ready", || {
            let ready = terminal.client().try_send("GET", "/ready", None, &[]);
            ready.is_ok_and(|answer| answer.status == 200)
        });
        // The link is printed before the server accepts requests.
        let start = format!("{}/auth/first-user?code=", terminal.base);
        while let Ok(line) = lines.recv_timeout(Duration::from_secs(2)) {
            if let Some((_, code)) = line.split_once(&start) {
                terminal.code = Some(code.trim().to_owned());
            } else if line.contains("dbk login") {
                terminal.login = Some(line.trim().to_owned());
                break;
            }
        }
        terminal
    }

    fn client(&self) -> Client {
        Client::at(&self.base, "").header("X-Forwarded-For", &unique_address())
    }

    /// The code of the link on the terminal.
    #[track_caller]
    fn code(&self) -> String {
        self.code.clone().expect("a link")
    }

    fn start_as(&self, code: &str, email: &str) -> Answer {
        let fields = form(&[("code", code), ("email", email)]);
        self.submit(&self.base, &fields)
    }

    fn submit(&self, origin: &str, fields: &str) -> Answer {
        let kind = Some("application/x-www-form-urlencoded");
        let page = self.client().header("Origin", origin);
        page.send_raw("POST", "/auth/first-user", kind, fields.as_bytes())
    }
}

fn link_on_the_terminal_makes_an_administrator(engine: Engine) {
    let server = Server::start(engine);
    let terminal = Terminal::open(&server);
    let code = terminal.code();
    let login = format!("dbk login --server {}", terminal.base);
    assert_eq!(terminal.login.as_deref(), Some(login.as_str()));
    let log = std::fs::read_to_string(&terminal.log).expect("a log");
    assert!(log.contains("daybook is ready") && !log.contains(&code), "{log}");
    let shown = |code: &str| terminal.client().get(&format!("/auth/first-user?code={code}"));
    is_page(&shown(&code), 200);
    for wrong in ["", "x", &code[1..]] {
        is_page(&shown(wrong), 404);
        is_page(&terminal.start_as(wrong, "first@example.com"), 404);
    }
    let fields = form(&[("code", &code), ("email", "first@example.com")]);
    for origin in ["https://evil.example", "null", server.base()] {
        is_page(&terminal.submit(origin, &fields), 403);
    }
    is_page(&terminal.start_as(&code, "nobody"), 400);
    // Another process does not know the link.
    is_page(&server.anonymous().get(&format!("/auth/first-user?code={code}")), 404);
    let answer = terminal.start_as(&code, "First@example.com");
    assert_eq!((answer.status, answer.headers["location"].as_str()), (303, "/"));
    assert!(answer.headers["set-cookie"].contains("daybook_session="), "{:?}", answer.headers);
    is_page(&shown(&code), 404);
    is_page(&terminal.start_as(&code, "second@example.com"), 404);
    // 9.3: the mark counts in every process.
    let [first, other] =
        ["first", "other"].map(|name| server.client(&format!("{name}@example.com")));
    other.post("/v5/apps", &json!({"id": "app", "name": "App"})).ok();
    let publish = json!({"id": "app", "published": true});
    assert_eq!(other.put("/v5/apps", &publish).ok()["published"], json!(false));
    assert_eq!(first.put("/v5/apps", &publish).ok()["published"], json!(true));
}

fn one_of_two_processes_makes_the_first_user(engine: Engine) {
    let server = Server::start(engine);
    let terminals = [Terminal::open(&server), Terminal::open(&server)];
    let codes = terminals.each_ref().map(|terminal| terminal.code());
    // Several requests to each process, all at once.
    let statuses: Vec<u16> = thread::scope(|scope| {
        let requests = (0..8).map(|number: usize| {
            let (terminal, code) = (&terminals[number % 2], &codes[number % 2]);
            let email = format!("{}@example.com", unique("first"));
            scope.spawn(move || terminal.start_as(code, &email).status)
        });
        let running: Vec<_> = requests.collect();
        running.into_iter().map(|request| request.join().expect("an answer")).collect()
    });
    let made = statuses.iter().filter(|status| **status == 303).count();
    let refused = statuses.iter().filter(|status| **status == 404).count();
    assert_eq!((made, refused), (1, 7), "{statuses:?}");
    let users = server.run(&["user", "list"]).expect("a list");
    assert_eq!(users.lines().count(), 1, "{users}");
}

fn no_link_without_a_terminal_or_beside_a_user(engine: Engine) {
    let server = Server::start(engine);
    assert!(!server.log().contains("first-user"), "the output is a file");
    let waiting = Terminal::open(&server);
    let code = waiting.code();
    server.client("user@example.com").get("/v5/user").ok();
    let late = Terminal::open(&server);
    assert_eq!(late.code, None, "there is a user");
    // The link of before the user was created.
    is_page(&waiting.client().get(&format!("/auth/first-user?code={code}")), 404);
    is_page(&waiting.start_as(&code, "first@example.com"), 404);
}
