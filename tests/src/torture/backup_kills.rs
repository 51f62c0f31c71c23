//! Kills of the server and of `daybook backup` while clients write.
//!
//! Every backup that was called good must hold all writes that were answered before it began.

use std::collections::BTreeSet;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use anyhow::{Context, bail};
use serde_json::json;

use super::{Content, OWNER, make_book};
use crate::rng::Rng;
use crate::server::{Options, binary};
use crate::{Client, Engine, Server, pause, scratch};

/// The number of writing threads.
const WRITERS: u64 = 4;
/// The pause between two writes of a thread: the audits of each backup read all of them.
const PAUSE: Duration = Duration::from_millis(15);
/// One write in so many is a file.
const FILES: u64 = 10;
/// The names of backups have seconds.
const BETWEEN_BACKUPS: Duration = Duration::from_millis(1_100);
/// Kills come within the usual time of a backup, and at most after this time.
const MAX_DELAY: Duration = Duration::from_secs(3);

/// The process that is killed, and the places of files and backups.
pub struct Plan<'p> {
    /// The engine of the server.
    pub engine: Engine,
    /// Kills of the server and of backups together.
    pub kills: usize,
    /// Repeats the choices of an earlier run.
    pub seed: u64,
    /// The options of the server about its files, and about a bucket that is the place.
    pub files: &'p [String],
    /// The place of the backups: a private directory, or s3://BUCKET/PREFIX.
    pub place: &'p str,
    /// The options of a restore about a bucket that is the place.
    pub bucket: &'p [String],
}

/// The result of the kills.
#[derive(Debug, Default)]
pub struct KillReport {
    /// Kills of the server.
    pub servers: usize,
    /// Kills of a backup.
    pub backups: usize,
    /// Backups that were called good.
    pub good: usize,
    /// Answered writes.
    pub writes: usize,
    /// All violations.
    pub violations: Vec<String>,
}

/// A backup that was called good.
struct Good {
    began: Instant,
    path: String,
}

/// Kills the server and backups in turn while clients write, and then restores and checks every
/// backup that was called good, and a last one that was not disturbed.
///
/// # Errors
/// When a backup cannot be started or the restored database cannot be read.
pub fn run(plan: &Plan<'_>) -> anyhow::Result<KillReport> {
    let options = Options { engine: plan.engine, args: plan.files.to_vec(), ..Options::default() };
    let mut server = Server::start_with(options);
    let owner = server.client(OWNER);
    let book = make_book(&owner)?;
    let writers = Writers::start(&owner, &book);
    let mut rng = Rng::new(plan.seed);
    let (mut report, mut good) = (KillReport::default(), Vec::new());
    let mut usual = Duration::from_millis(500);
    while report.servers + report.backups < plan.kills && report.violations.is_empty() {
        let began = Instant::now();
        let mut creating = plan.create(&server).spawn()?;
        pause(Duration::from_millis(rng.below(u64::try_from(usual.as_millis())?)));
        if report.servers <= report.backups {
            server.kill();
            report.servers += 1;
            server.restart();
        } else if creating.try_wait()?.is_none() {
            creating.kill()?;
            report.backups += 1;
        }
        let output = creating.wait_with_output()?;
        match named(&output) {
            Some(path) => {
                good.push(Good { began, path });
                usual = began.elapsed().min(MAX_DELAY);
            }
            None if output.status.signal().is_some() => {}
            None => report.violations.push(format!("a backup failed: {}", text(&output))),
        }
        pause(BETWEEN_BACKUPS.saturating_sub(began.elapsed()));
    }
    let written = writers.stop()?;
    report.violations.extend(written.wrong);
    let began = Instant::now();
    let last = plan.create(&server).output()?;
    let path = named(&last).with_context(|| format!("the last backup: {}", text(&last)))?;
    good.push(Good { began, path });
    for backup in &good {
        report.violations.extend(plan.check(backup, &written.answered)?);
    }
    report.good = good.len();
    report.writes = written.answered.len();
    if server.log().contains("panicked") {
        report.violations.push("the server's log shows a panic".to_owned());
    }
    Ok(report)
}

impl Plan<'_> {
    fn create(&self, server: &Server) -> Command {
        let mut command = server.admin(&["backup", "create", "--to", self.place]);
        command.args(self.files).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    /// Restores a backup, which audits it, and compares it with the answered writes. Returns a
    /// violation.
    fn check(&self, backup: &Good, answered: &[Write]) -> anyhow::Result<Option<String>> {
        let Good { began, path } = backup;
        let folder = scratch::folder("restored", false);
        let into = folder.path().join("data");
        let database = into.join("daybook.db");
        let restored = Command::new(binary())
            .args(["restore", path, "--into"])
            .arg(&into)
            .args(["--database-url", &format!("sqlite:{}", database.display())])
            .args(self.bucket)
            .output()?;
        let said = text(&restored);
        // It reports a content that is missing, and goes on.
        if !restored.status.success() || said.contains("is not restored.") {
            return Ok(Some(format!("{path}: {said}")));
        }
        let found = numbers(&database)?;
        let lost: Vec<u64> = answered
            .iter()
            .filter(|write| write.answered < *began && !found.contains(&write.number))
            .map(|write| write.number)
            .collect();
        let lost = (!lost.is_empty()).then_some(lost);
        Ok(lost.map(|lost| format!("{path}: answered before it began, and missing: {lost:?}")))
    }
}

/// The path of a backup that was called good.
fn named(output: &Output) -> Option<String> {
    let said = String::from_utf8_lossy(&output.stdout);
    said.contains("the backup is good").then(|| said.lines().next().map(str::to_owned))?
}

fn text(output: &Output) -> String {
    let [out, err] = [&output.stdout, &output.stderr].map(|text| String::from_utf8_lossy(text));
    format!("{}: {out}{err}", output.status)
}

/// The numbers of the writes in a database: descriptions and names end with them.
fn numbers(database: &Path) -> anyhow::Result<BTreeSet<u64>> {
    let connection = rusqlite::Connection::open(database)?;
    let mut query = connection
        .prepare("SELECT description FROM transactions UNION ALL SELECT name FROM files")?;
    let texts = query.query_map([], |row| row.get::<_, String>(0))?;
    let number = |text: rusqlite::Result<String>| -> anyhow::Result<u64> {
        let text = text?;
        let number = text.rsplit(' ').next().context("a number")?;
        Ok(number.parse()?)
    };
    texts.map(number).collect()
}

/// A write with the time of its answer.
struct Write {
    number: u64,
    answered: Instant,
}

/// Clients that record transactions and files, each with a number of its own.
struct Writers {
    shared: Arc<Shared>,
    threads: Vec<JoinHandle<Written>>,
}

struct Shared {
    owner: Client,
    book: String,
    next: AtomicU64,
    stopped: AtomicBool,
}

/// The writes of a client, or of all together.
#[derive(Default)]
struct Written {
    answered: Vec<Write>,
    /// Answers that are wrong under any fault.
    wrong: Vec<String>,
}

impl Writers {
    fn start(owner: &Client, book: &str) -> Writers {
        let shared = Arc::new(Shared {
            owner: owner.clone(),
            book: book.to_owned(),
            next: AtomicU64::new(1),
            stopped: AtomicBool::new(false),
        });
        let spawn = |_| {
            let shared = Arc::clone(&shared);
            std::thread::spawn(move || shared.run())
        };
        Writers { threads: (0..WRITERS).map(spawn).collect(), shared }
    }

    fn stop(self) -> anyhow::Result<Written> {
        self.shared.stopped.store(true, Ordering::Relaxed);
        let mut all = Written::default();
        for thread in self.threads {
            let Ok(one) = thread.join() else { bail!("a client panicked") };
            all.answered.extend(one.answered);
            all.wrong.extend(one.wrong);
        }
        Ok(all)
    }
}

impl Shared {
    fn run(&self) -> Written {
        let mut written = Written::default();
        while !self.stopped.load(Ordering::Relaxed) {
            let number = self.next.fetch_add(1, Ordering::Relaxed);
            let (noun, body) = body(number);
            let path = format!("/v5/books/{}/{noun}", self.book);
            let body = body.to_string();
            let sent =
                self.owner.try_send("POST", &path, Some("application/json"), body.as_bytes());
            match sent {
                Ok(answer) if answer.status == 200 => {
                    written.answered.push(Write { number, answered: Instant::now() });
                }
                // No write was acknowledged, or its outcome is unknown.
                Ok(answer) if answer.status == 503 || answer.status == 409 => {}
                Ok(answer) => written.wrong.push(format!("{}: {}", answer.status, answer.text)),
                Err(_) => {}
            }
            pause(PAUSE);
        }
        written
    }
}

/// The noun and the body of a write.
fn body(number: u64) -> (&'static str, serde_json::Value) {
    if number.is_multiple_of(FILES) {
        // Digits are Base64, too.
        let body = json!({"name": format!("file {number}"), "content": format!("{number:012}")});
        return ("files", body);
    }
    let content = Content::of(number);
    let body = json!({
        "date": content.date,
        "amount": content.amount(),
        "creditAccount": {"name": content.credit},
        "debitAccount": {"name": content.debit},
        "description": format!("Transaction {number}"),
    });
    ("transactions", body)
}
