//! Real mail servers for the tests of mail: aiosmtpd for Python, by the script of `tests/smtp`;
//! `tests/install-schemathesis` installs it. One process serves all mail servers of a run.

use std::io::{BufRead, BufReader, Write};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::{Mutex, OnceLock};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::engine::target_dir;
use crate::guard::Entry;
use crate::{certificates, free_port, pause};

/// How a mail server is reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Security {
    /// Without TLS.
    Plain,
    /// By STARTTLS, which it insists on.
    StartTls,
    /// TLS from the first byte.
    Implicit,
}

/// Who may send: the user and the password, with characters that addresses encode.
pub const SENDER: (&str, &str) = ("books@example.com", "p:a/s%s word");

struct Process {
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    _child: Child,
    _guard: Entry,
}

fn process() -> &'static Mutex<Process> {
    static PROCESS: OnceLock<Mutex<Process>> = OnceLock::new();
    PROCESS.get_or_init(|| {
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("smtp/server.py");
        let mut child = Command::new(target_dir().join("schemathesis/bin/python"))
            .arg(script)
            .env("PYTHONDONTWRITEBYTECODE", "1")
            // Ctrl-C ends the suite, and with it the pipe.
            .process_group(0)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            // It tells of each connection that breaks.
            .stderr(Stdio::null())
            .spawn()
            .expect("python starts");
        let guard = Entry::new(&format!("kill -9 {}", child.id()));
        let input = child.stdin.take().expect("its standard input");
        let output = BufReader::new(child.stdout.take().expect("its standard output"));
        Mutex::new(Process { input, output, _child: child, _guard: guard })
    })
}

#[track_caller]
fn order(order: &Value) -> Value {
    let mut process = process().lock().expect("no panic before");
    writeln!(process.input, "{order}").expect("the mail servers run");
    let mut line = String::new();
    process.output.read_line(&mut line).expect("a line");
    serde_json::from_str(&line).unwrap_or_else(|_| panic!("{order}: {line:?}"))
}

/// A mail server with a port of its own. Nobody listens there any more when it is dropped.
pub struct MailServer {
    start: Value,
    port: u16,
    number: u64,
}

impl MailServer {
    /// One that takes everything, from everybody.
    #[track_caller]
    pub fn start(security: Security) -> MailServer {
        MailServer::with(security, &json!({}))
    }

    /// One that takes mails from [`SENDER`] only.
    #[track_caller]
    pub fn with_password(security: Security) -> MailServer {
        let (user, password) = SENDER;
        MailServer::with(security, &json!({"user": user, "password": password}))
    }

    /// One with these options of `tests/smtp/server.py`.
    #[track_caller]
    pub fn with(security: Security, options: &Value) -> MailServer {
        let mut start = options.clone();
        start["tls"] = match security {
            Security::Plain => json!("none"),
            Security::StartTls => json!("starttls"),
            Security::Implicit => json!("implicit"),
        };
        start["certificate"] = json!(certificates::host());
        start["key"] = json!(certificates::host_key());
        for _ in 0..20 {
            let port = free_port();
            start["port"] = json!(port);
            let answer = order(&json!({"start": start}));
            if let Some(number) = answer["number"].as_u64() {
                return MailServer { start, port, number };
            }
        }
        panic!("no free port for a mail server");
    }

    /// Its port on this machine.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// From now on it answers to senders, recipients or mails with these replies.
    #[track_caller]
    pub fn refuse(&self, replies: &Value) {
        order(&json!({"refuse": {"number": self.number, "replies": replies}}));
    }

    /// How long it thinks before it answers to a recipient.
    #[track_caller]
    pub fn delay(&self, seconds: f64) {
        order(&json!({"delay": {"number": self.number, "seconds": seconds}}));
    }

    /// Is no longer there: connections are refused.
    #[track_caller]
    pub fn stop(&self) {
        order(&json!({"stop": {"number": self.number}}));
    }

    /// Is there again, as it was at first, on the same port.
    #[track_caller]
    pub fn resume(&mut self) {
        let answer = order(&json!({"start": self.start}));
        self.number = answer["number"].as_u64().expect("its port is free");
    }

    /// What it has taken, the oldest first.
    #[track_caller]
    pub fn mails(&self) -> Vec<Value> {
        let mails = order(&json!({"mails": {"number": self.number}}));
        mails.as_array().expect("mails").clone()
    }
}

impl MailServer {
    /// The first mail to an address as it is read, when it has come.
    #[track_caller]
    pub fn text_to(&self, to: &str) -> String {
        let begun = Instant::now();
        loop {
            if let Some(mail) = self.mails().iter().find(|mail| mail["to"] == json!([to])) {
                let text = mail["data"].as_str().expect("a text");
                // As quoted-printable breaks its lines.
                return text.replace("=\r\n", "").replace("=3D", "=");
            }
            assert!(begun.elapsed() < Duration::from_secs(60), "no mail to {to} after 60 s");
            pause(Duration::from_millis(20));
        }
    }
}

impl Drop for MailServer {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            self.stop();
        }
    }
}
