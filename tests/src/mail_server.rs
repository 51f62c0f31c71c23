//! Real mail servers for the tests of mail: aiosmtpd for Python, with the script of `tests/smtp`;
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

/// The security of the connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Security {
    /// Without TLS.
    Plain,
    /// STARTTLS, which the server requires.
    StartTls,
    /// TLS from the first byte.
    Implicit,
}

/// The user and the password of the sender, with characters that addresses encode.
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
            // It logs each broken connection.
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

/// A mail server with its own port; stopped when dropped.
pub struct MailServer {
    start: Value,
    port: u16,
    number: u64,
}

impl MailServer {
    /// Starts a server that accepts all mails.
    #[track_caller]
    pub fn start(security: Security) -> MailServer {
        MailServer::with(security, &json!({}))
    }

    /// Starts a server that accepts mails from [`SENDER`] only.
    #[track_caller]
    pub fn with_password(security: Security) -> MailServer {
        let (user, password) = SENDER;
        MailServer::with(security, &json!({"user": user, "password": password}))
    }

    /// Starts a server with these options of `tests/smtp/server.py`.
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

    /// Makes it reply to senders, recipients or mails with these replies.
    #[track_caller]
    pub fn refuse(&self, replies: &Value) {
        order(&json!({"refuse": {"number": self.number, "replies": replies}}));
    }

    /// Delays its reply to a recipient.
    #[track_caller]
    pub fn delay(&self, seconds: f64) {
        order(&json!({"delay": {"number": self.number, "seconds": seconds}}));
    }

    /// Refuses connections until `resume`.
    #[track_caller]
    pub fn stop(&self) {
        order(&json!({"stop": {"number": self.number}}));
    }

    /// Accepts connections again, on the same port and without options.
    #[track_caller]
    pub fn resume(&mut self) {
        let answer = order(&json!({"start": self.start}));
        self.number = answer["number"].as_u64().expect("its port is free");
    }

    /// The accepted mails, oldest first.
    #[track_caller]
    pub fn mails(&self) -> Vec<Value> {
        let mails = order(&json!({"mails": {"number": self.number}}));
        mails.as_array().expect("mails").clone()
    }
}

impl MailServer {
    /// Waits for the first mail to an address and returns its decoded text.
    #[track_caller]
    pub fn text_to(&self, to: &str) -> String {
        let begun = Instant::now();
        loop {
            if let Some(mail) = self.mails().iter().find(|mail| mail["to"] == json!([to])) {
                let text = mail["data"].as_str().expect("a text");
                // Undoes the line breaks of quoted-printable.
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
