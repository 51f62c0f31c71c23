//! The published documents against a running server: schemathesis (Python) generates requests from
//! `/openapi.json`, or from `/auth/openapi.json` ([`Issuer`]), and checks every answer. Its
//! settings and hooks are in `tests/contract`; `tests/install-schemathesis` installs it.

mod issuer;

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::Context;
use serde_json::{Value, json};

use crate::engine::target_dir;
use crate::guard::{Entry, Folder};
use crate::{Server, pause, unique};

pub use issuer::Issuer;

/// The number of answers of an operation by status.
pub type Statuses = BTreeMap<String, u64>;

/// The size of a run.
#[derive(Clone, Copy, Debug)]
pub struct Plan {
    /// The seed; with the same document it repeats the requests.
    pub seed: u64,
    /// Random requests per operation, in addition to those generated systematically.
    pub examples: u32,
    /// Repeats random rounds until this time is over; `None` for one round.
    pub time: Option<Duration>,
    /// The time limit of the run.
    pub limit: Duration,
}

/// The result of a run.
#[derive(Debug)]
pub struct Outcome {
    /// Whether every answer matched the document.
    pub passed: bool,
    /// The output of schemathesis: each finding with a request that reproduces it.
    pub report: String,
    /// The answers by operationId and, for some operations, by variant.
    pub answers: BTreeMap<String, Statuses>,
}

impl Outcome {
    /// The operations and variants without a successful request; refused requests test little. A
    /// redirect counts as a success unless the tally marks the status.
    pub fn never_accepted<'o>(&'o self, operations: impl Iterator<Item = &'o str>) -> Vec<&'o str> {
        let accepted = |id: &str| {
            self.answers.get(id).is_some_and(|statuses| {
                statuses.keys().any(|status| {
                    status.len() == 3 && (status.starts_with('2') || status.starts_with('3'))
                })
            })
        };
        let ways = self.answers.keys().map(String::as_str);
        let all: BTreeSet<&str> = operations.chain(ways).collect();
        all.into_iter().filter(|id| !accepted(id)).collect()
    }
}

fn sources() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("contract")
}

fn home() -> PathBuf {
    target_dir().join("schemathesis")
}

/// Reports a missing schemathesis, or one of another version, and how to install it.
pub fn missing() -> Option<String> {
    let read = |path: PathBuf| std::fs::read_to_string(path).ok();
    let wanted = read(sources().join("requirements.txt"));
    let found = read(home().join("requirements.txt"));
    let what = match found {
        None => "is not installed",
        Some(found) if Some(&found) != wanted.as_ref() => {
            "is installed in other versions than tests/contract/requirements.txt asks for"
        }
        Some(_) => return None,
    };
    Some(format!(
        "schemathesis {what} (in {}): run tests/install-schemathesis, which needs Python with venv",
        home().display()
    ))
}

/// The Python with the packages of `tests/contract/requirements.txt`.
///
/// # Errors
/// When it is not installed.
pub fn python() -> Result<PathBuf, String> {
    missing().map_or_else(|| Ok(home().join("bin/python")), Err)
}

/// Runs schemathesis on a server.
///
/// # Errors
/// When schemathesis does not end within the limit.
pub fn fuzz(server: &Server, plan: Plan) -> anyhow::Result<Outcome> {
    run(asking(server, plan), plan)
}

/// Runs a command of schemathesis to its end.
fn run(mut command: Command, plan: Plan) -> anyhow::Result<Outcome> {
    let folder = Folder::create(std::env::temp_dir().join(format!(
        "daybook-{}-{}",
        std::process::id(),
        unique("contract")
    )));
    let (log, tally) = (folder.path().join("log"), folder.path().join("tally.json"));
    command.env("DAYBOOK_CONTRACT_TALLY", &tally).current_dir(folder.path());
    let output = File::create(&log)?;
    command.stdin(Stdio::null()).stdout(output.try_clone()?).stderr(output);
    let mut child = command.spawn().context("schemathesis starts")?;
    let _guard = Entry::new(&format!("kill -9 {}", child.id()));
    let started = Instant::now();
    let status = loop {
        if let Some(status) = child.try_wait()? {
            break status;
        }
        if started.elapsed() > plan.limit {
            child.kill()?;
            child.wait()?;
            let report = String::from_utf8_lossy(&std::fs::read(&log)?).into_owned();
            anyhow::bail!("schemathesis is not done after {:?}:\n{report}", plan.limit);
        }
        pause(Duration::from_millis(50));
    };
    let report = String::from_utf8_lossy(&std::fs::read(&log)?).into_owned();
    let answers = std::fs::read(&tally).with_context(|| report.clone())?;
    Ok(Outcome { passed: status.success(), report, answers: serde_json::from_slice(&answers)? })
}

fn asking(server: &Server, plan: Plan) -> Command {
    let caller = |kind: &str| {
        let email = format!("{}@example.com", unique(&kind.to_lowercase()));
        let token = server.token(&email);
        (kind.to_owned(), json!([email, token]))
    };
    let callers: Value = ["OWNER", "EDITOR", "POSTER", "RECORDER", "VIEWER", "STRANGER"]
        .map(caller)
        .into_iter()
        .collect();
    let mut command = schemathesis(server, plan, &API);
    let login = issuer::arguments(&server.admin(&["login"]));
    command
        .env("DAYBOOK_CONTRACT_CALLERS", callers.to_string())
        .env("DAYBOOK_CONTRACT_LOGIN", login.to_string());
    command
}

/// A document, with its settings for schemathesis.
struct Subject {
    /// The path at which it is served.
    path: &'static str,
    /// The file of settings.
    settings: &'static str,
    /// The module of hooks.
    hooks: &'static str,
}

const API: Subject =
    Subject { path: "/openapi.json", settings: "schemathesis.toml", hooks: "hooks" };

/// The command that tests a document.
fn schemathesis(server: &Server, plan: Plan, subject: &Subject) -> Command {
    let mut command = Command::new(home().join("bin/python"));
    command.args(["-m", "schemathesis.cli", "--config-file"]).arg(sources().join(subject.settings));
    command.args(["run", &format!("{}{}", server.base(), subject.path)]);
    command.args(["--seed", &plan.seed.to_string(), "--max-examples", &plan.examples.to_string()]);
    if let Some(time) = plan.time {
        command.args(["--max-time", &time.as_secs().max(1).to_string()]);
    }
    command.env("DAYBOOK_CONTRACT_BASE", server.base());
    // No compiled hooks in the source tree; the hash seed makes the order of Python's sets
    // reproducible.
    command
        .env("PYTHONPATH", sources())
        .env("SCHEMATHESIS_HOOKS", subject.hooks)
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .env("PYTHONHASHSEED", "0");
    // Reports are read in files and logs.
    command.env("PYTHONIOENCODING", "utf-8").env("COLUMNS", "140");
    command
}
