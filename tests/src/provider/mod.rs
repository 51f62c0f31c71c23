//! Real OpenID providers for the identity tests: `oidc-provider` for Node.js, with the scripts of
//! `tests/oidc`; `tests/install-oidc-provider` installs it.
//!
//! One Node.js process serves all issuers of a run, because starting a process takes far longer
//! than adding an issuer.

mod browser;
mod entries;

use std::io::{BufRead, BufReader};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::OnceLock;
use std::time::Duration;

use serde_json::{Value, json};
use ureq::Agent;

use crate::engine::target_dir;
use crate::free_port;
use crate::guard::Entry;

pub use browser::{Tokens, Visitor};
pub use entries::{API, ASKING_SECRET, File, SIGN_IN_SECRET};

/// The four algorithms. Clients are named after them: `web-ES256` requests ID tokens signed with
/// ES256.
pub const ALGORITHMS: [&str; 4] = ["RS256", "PS256", "ES256", "EdDSA"];

fn sources() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("oidc")
}

fn home() -> PathBuf {
    target_dir().join("oidc-provider")
}

/// Reports a missing oidc-provider, or one of another version, and how to install it.
pub fn missing() -> Option<String> {
    let same = |name: &str| {
        let wanted = std::fs::read(sources().join(name)).ok();
        wanted.is_some() && wanted == std::fs::read(home().join(name)).ok()
    };
    if same("package-lock.json") && same("requirements.txt") {
        return None;
    }
    Some(format!(
        "oidc-provider is not installed, or not as tests/oidc/package-lock.json says (in {}): run \
         tests/install-oidc-provider, which needs Node.js 22.12, or Python with venv",
        home().display()
    ))
}

struct Process {
    control: String,
    // Its standard input stays open until this process ends.
    _child: Child,
    _guard: Entry,
}

fn process() -> &'static Process {
    static PROCESS: OnceLock<Process> = OnceLock::new();
    PROCESS.get_or_init(|| {
        let mut child = Command::new(home().join("node"))
            .arg(sources().join("provider.mjs"))
            .arg(home())
            // Ctrl-C ends the suite, and with it the pipe.
            .process_group(0)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            // It warns that its keys and pages are for tests only.
            .stderr(Stdio::null())
            .spawn()
            .expect("node starts");
        let guard = Entry::new(&format!("kill -9 {}", child.id()));
        let mut address = String::new();
        let output = child.stdout.take().expect("its standard output");
        BufReader::new(output).read_line(&mut address).expect("a line");
        assert!(address.starts_with("http://"), "the providers do not start: {address:?}");
        Process { control: address.trim().to_owned(), _child: child, _guard: guard }
    })
}

/// The HTTP client for control requests; it does not follow redirects.
fn agent() -> Agent {
    Agent::config_builder()
        .http_status_as_error(false)
        .proxy(None)
        .max_redirects(0)
        .max_redirects_will_error(false)
        .timeout_global(Some(Duration::from_secs(120)))
        .build()
        .new_agent()
}

/// An issuer with its own address, keys and users; removed when dropped.
pub struct Provider {
    number: u64,
    issuer: String,
    agent: Agent,
}

impl Provider {
    /// Starts an issuer without users.
    #[track_caller]
    pub fn start() -> Provider {
        let agent = agent();
        for _ in 0..20 {
            let (status, body) = order(&agent, "/issuers", &json!({"port": free_port()}));
            if status == 200 {
                let issuer = body["issuer"].as_str().expect("its address").to_owned();
                let number = body["number"].as_u64().expect("its number");
                return Provider { number, issuer, agent };
            }
            assert_eq!(status, 409, "an issuer does not start: {body}");
        }
        panic!("no free port for an issuer");
    }

    /// The `iss` of its tokens, which is its address.
    pub fn issuer(&self) -> &str {
        &self.issuer
    }

    /// Creates or changes a user: `sub` and the claims (`email`, `email_verified`, `name`, ...).
    #[track_caller]
    pub fn user(&self, sub: &str, claims: &Value) {
        self.order("user", &json!({"sub": sub, "claims": claims}));
    }

    /// Sets options. `emailInIdToken` and `claimsInAccessToken` (both false by default) add claims
    /// beside `sub`; `scopeNames`, an object, renames the scopes of tokeninfo.
    #[track_caller]
    pub fn set(&self, options: &Value) {
        self.order("set", options);
    }

    /// Signs a JWT with these claims and header fields. `key` is `{"alg"}` for a current key,
    /// `{"alg", "set"}` for one of an unpublished set, or `{"secret"}` for an HMAC. The header has
    /// the key's `alg` and `kid` by default; null removes a field.
    #[track_caller]
    pub fn sign(&self, header: &Value, claims: &Value, key: &Value) -> String {
        let signed = self.order("sign", &json!({"header": header, "claims": claims, "key": key}));
        signed["token"].as_str().expect("a token").to_owned()
    }

    /// Replaces the keys; `keep` still publishes the previous ones.
    #[track_caller]
    pub fn rotate(&self, keep: bool) {
        self.order("rotate", &json!({"keep": keep}));
    }

    /// The published keys, by algorithm: `{"kid", "jwk", "pem"}`.
    #[track_caller]
    pub fn keys(&self) -> Value {
        self.order("keys", &json!({}))
    }

    /// The number of requests for this path.
    #[track_caller]
    pub fn count(&self, path: &str) -> u64 {
        self.order("counts", &json!({}))[path].as_u64().unwrap_or(0)
    }

    /// The number of all requests.
    #[track_caller]
    pub fn requests(&self) -> u64 {
        let counts = self.order("counts", &json!({}));
        counts.as_object().expect("a map").values().filter_map(Value::as_u64).sum()
    }

    /// Makes an endpoint fail, as `tests/oidc/failures.mjs` lists; null ends that.
    #[track_caller]
    pub fn fail(&self, path: &str, failure: &Value) {
        self.order("fail", &json!({"path": path, "failure": failure}));
    }

    /// Refuses connections until `resume`.
    #[track_caller]
    pub fn pause(&self) {
        self.order("pause", &json!({}));
    }

    /// Accepts connections again, with its state unchanged.
    #[track_caller]
    pub fn resume(&self) {
        self.order("resume", &json!({}));
    }

    #[track_caller]
    fn order(&self, verb: &str, body: &Value) -> Value {
        let (status, body) = order(&self.agent, &format!("/issuers/{}/{verb}", self.number), body);
        assert_eq!(status, 200, "{verb}: {body}");
        body
    }
}

impl Drop for Provider {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            self.pause();
        }
    }
}

/// Sends a control request; returns the status and the JSON or text of the answer.
#[track_caller]
fn order(agent: &Agent, path: &str, body: &Value) -> (u16, Value) {
    let sent = agent.post(format!("{}{path}", process().control)).send(body.to_string());
    let mut answer = sent.expect("the providers run");
    let text = answer.body_mut().read_to_string().expect("text");
    let body = serde_json::from_str(&text).unwrap_or(Value::String(text));
    (answer.status().as_u16(), body)
}
