//! Section: a backup, a restore and a move of a large book.

use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, ensure};

use super::reads::filled;
use super::workload::Workload;
use super::{Book, Settings};
use crate::load::{Connection, Samples};
use crate::postgres::Database;
use crate::table::{Cell, Table};
use crate::{Engine, Server, binary, pause, scratch};

const METHOD: &str = "One book of one year. One client records single transactions, first alone, \
    and then while `daybook backup create` runs. The restore and the move go to new databases, the \
    move to the other engine from a stopped server. All three end with an audit of every event. \
    Peak is the largest resident memory of the command, read every few milliseconds.";

const COLUMNS: [&str; 8] =
    ["engine", "command", "transactions", "s", "peak MiB", "writes", "p50 ms", "p99 ms"];

/// The number of the first single create, above those of the book.
const SINGLES: u64 = 100_000_000;

pub(super) fn run(settings: &Settings) -> anyhow::Result<Vec<Table>> {
    let mut table = Table::new("backups", "Backup, restore and move", &COLUMNS).method(METHOD);
    let count = if settings.quick { 20_000 } else { 1_000_000 };
    for engine in &settings.engines {
        let server = super::server(*engine);
        let book = filled(&server, "Backup", count)?;
        for row in measure(server, &book, settings)? {
            table.row(row.cells(*engine, count));
        }
    }
    Ok(vec![table])
}

/// The time and memory of a command, and the writes of the client meanwhile.
struct Row {
    command: &'static str,
    /// The time and the memory in MiB of the command.
    took: Option<(Duration, f64)>,
    samples: Samples,
}

impl Row {
    fn cells(&self, engine: Engine, count: usize) -> [Cell; COLUMNS.len()] {
        let written = self.samples.count();
        let latency = |percent| match written {
            0 => Cell::Empty,
            _ => Cell::Figure(self.samples.milliseconds(percent), 2),
        };
        let (time, peak) = match self.took {
            Some((time, peak)) => (Cell::Figure(time.as_secs_f64(), 1), Cell::whole(peak)),
            None => (Cell::Empty, Cell::Empty),
        };
        [
            engine.to_string().into(),
            self.command.into(),
            count.into(),
            time,
            peak,
            if written == 0 { Cell::Empty } else { written.into() },
            latency(50),
            latency(99),
        ]
    }
}

fn measure(mut server: Server, book: &Book, settings: &Settings) -> anyhow::Result<Vec<Row>> {
    let home = scratch::folder("backups", true);
    std::fs::set_permissions(home.path(), Permissions::from_mode(0o700))?;
    let mut client = Client::new(&server, book)?;
    let alone = Instant::now() + 3 * settings.time();
    let samples = client.write_until(|| Ok(Instant::now() >= alone))?;
    let mut rows = vec![Row { command: "none", took: None, samples }];

    let place = home.path().join("place").display().to_string();
    let mut running = Running::start(&mut server.admin(&["backup", "create", "--to", &place]))?;
    let samples = client.write_until(|| running.has_ended())?;
    let (took, printed) = running.finish()?;
    rows.push(Row { command: "backup create", took: Some(took), samples });

    let path = printed.lines().next().context("the path of the backup")?;
    let into = home.path().join("data");
    let database = into.join("daybook.db");
    let mut restore = Command::new(binary());
    restore.args(["restore", path, "--into"]).arg(&into).args(["--database-url", &url(&database)]);
    rows.push(alone_row("restore to SQLite", &mut restore)?);

    server.terminate();
    let empty = (server.engine() == Engine::Sqlite).then(|| Database::empty(true));
    let to = empty
        .as_ref()
        .map_or_else(|| url(&home.path().join("moved.db")), |database| database.url.clone());
    let mut command = server.admin(&["move", "--to", &to]);
    rows.push(alone_row("move to the other engine", &mut command)?);
    Ok(rows)
}

fn url(path: &Path) -> String {
    format!("sqlite:{}", path.display())
}

fn alone_row(name: &'static str, command: &mut Command) -> anyhow::Result<Row> {
    let mut running = Running::start(command)?;
    while !running.has_ended()? {
        pause(Duration::from_millis(5));
    }
    let (took, _) = running.finish()?;
    Ok(Row { command: name, took: Some(took), samples: Samples::default() })
}

/// A command whose memory is observed.
struct Running {
    child: Child,
    started: Instant,
    /// MiB.
    peak: f64,
}

impl Running {
    fn start(command: &mut Command) -> anyhow::Result<Running> {
        let started = Instant::now();
        let child = command.stdout(Stdio::piped()).stderr(Stdio::inherit()).spawn()?;
        Ok(Running { child, started, peak: 0.0 })
    }

    /// Looks at its memory, and whether it has ended.
    fn has_ended(&mut self) -> anyhow::Result<bool> {
        // An ended process has none.
        self.peak = crate::peak_memory(self.child.id()).max(self.peak);
        Ok(self.child.try_wait()?.is_some())
    }

    /// Returns the time and the memory of an ended command, and its output.
    fn finish(self) -> anyhow::Result<((Duration, f64), String)> {
        let took = self.started.elapsed();
        let output = self.child.wait_with_output()?;
        ensure!(output.status.success(), "the command fails: {}", output.status);
        Ok(((took, self.peak), String::from_utf8(output.stdout)?))
    }
}

/// A client that records one transaction after another.
struct Client {
    connection: Connection,
    path: String,
    next: u64,
}

impl Client {
    fn new(server: &Server, book: &Book) -> anyhow::Result<Client> {
        let connection = book.connect(server)?;
        Ok(Client { connection, path: book.path("/transactions"), next: SINGLES })
    }

    fn write_until(
        &mut self,
        mut ended: impl FnMut() -> anyhow::Result<bool>,
    ) -> anyhow::Result<Samples> {
        let workload = Workload::one_year("Backup");
        let mut samples = Samples::default();
        while !ended()? {
            let body = workload.draft(self.next).json();
            self.next += 1;
            let sent = Instant::now();
            self.connection.post(&self.path, body.as_bytes())?.accepted()?;
            samples.record(sent.elapsed());
        }
        Ok(samples)
    }
}
