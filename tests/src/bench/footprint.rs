//! Section 4: the memory and disk use of an empty Daybook and of a transaction.

use std::net::{Ipv4Addr, SocketAddr};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, ensure};
use serde_json::Value;

use super::gauge::Gauge;
use super::workload::TEN_YEARS;
use super::{Book, Settings};
use crate::guard::Entry;
use crate::load::{Connection, median};
use crate::postgres::Database;
use crate::table::{Cell, Table, Target};
use crate::{Engine, Server, bank, binary, free_port, pause, unique};

const fn target(engine: Engine) -> Target {
    Target::AtMost(match engine {
        Engine::Sqlite => 600.0,
        Engine::Postgres => 1000.0,
    })
}

const STARTS: usize = 5;

const START: &str = "From the start of the process on an empty directory (an empty database) until \
    /ready answers 200, the median of 5; resident \
    memory then, and after recording the synthetic data set by batches. The binary is without \
    debug information.";

const DISK: &str = "Size of the database after a stop (SQLite, write-ahead log checkpointed) or a \
    checkpoint (PostgreSQL, pg_database_size) less its \
    size with the accounts alone, by the number of transactions: each with its \
    totals, index terms, indexes and event.";

pub(super) fn run(settings: &Settings) -> anyhow::Result<Vec<Table>> {
    let mut start = Table::new(
        "start",
        "4a. Start and memory",
        &["engine", "cold start ms", "RSS at rest MiB", "RSS after load MiB", "binary MiB"],
    )
    .method(START);
    let mut disk = Table::new(
        "disk",
        "4b. Disk",
        &[
            "engine",
            "data",
            "transactions",
            "MiB before",
            "MiB after",
            "bytes per transaction",
            "target",
        ],
    )
    .method(DISK);
    let binary = std::fs::metadata(binary())?.len() as f64 / 1_048_576.0;
    for engine in &settings.engines {
        let cold =
            (0..STARTS).map(|_| cold_start(*engine)).collect::<anyhow::Result<Vec<f64>>>()?;
        disk.row(Measured::bank(*engine)?.row(*engine, "bank 1993"));
        let (at_rest, synthetic) = Measured::synthetic(*engine, settings)?;
        disk.row(synthetic.row(*engine, "synthetic"));
        start.row([
            engine.to_string().into(),
            Cell::whole(median(&cold)),
            Cell::Figure(at_rest, 1),
            Cell::Figure(synthetic.resident, 1),
            Cell::Figure(binary, 1),
        ]);
    }
    Ok(vec![start, disk])
}

/// A process that is killed when dropped.
struct Process(Child, #[expect(dead_code, reason = "holds the guard's entry")] Entry);

impl Drop for Process {
    fn drop(&mut self) {
        drop(self.0.kill());
        drop(self.0.wait());
    }
}

/// Milliseconds from the start of a process to its first answer from /ready.
fn cold_start(engine: Engine) -> anyhow::Result<f64> {
    let home =
        std::env::temp_dir().join(format!("daybook-{}-{}", std::process::id(), unique("cold")));
    std::fs::create_dir(&home)?;
    let _removal = Entry::new(&format!("rm -rf '{}'", home.display()));
    let database = (engine == Engine::Postgres).then(|| Database::empty(true));
    let url = match &database {
        Some(database) => database.url.clone(),
        None => format!("sqlite:{}", home.join("books.db").display()),
    };
    let address = SocketAddr::from((Ipv4Addr::LOCALHOST, free_port()));
    let mut command = Command::new(binary());
    command
        .args(["serve", "--listen", &address.to_string(), "--database-url", &url, "--data-dir"])
        .arg(home.join("data"))
        .current_dir(&home)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    let started = Instant::now();
    let child = command.spawn().context("daybook starts")?;
    let guard = Entry::new(&format!("kill -9 {}", child.id()));
    let process = Process(child, guard);
    while !ready(address) {
        ensure!(started.elapsed() < Duration::from_secs(10), "daybook is not ready after 10 s");
        pause(Duration::from_millis(1));
    }
    let elapsed = started.elapsed();
    drop(process);
    std::fs::remove_dir_all(&home)?;
    Ok(elapsed.as_secs_f64() * 1e3)
}

fn ready(address: SocketAddr) -> bool {
    let asked = Connection::open(address, "")
        .and_then(|mut connection| Ok(connection.get("/ready")?.status));
    asked.is_ok_and(|status| status == 200)
}

/// The size of a database before and after recording transactions.
struct Measured {
    transactions: usize,
    before: u64,
    after: u64,
    /// Resident memory of the server afterwards, in MiB.
    resident: f64,
}

impl Measured {
    fn bank(engine: Engine) -> anyhow::Result<Measured> {
        let mut server = super::server(engine);
        let book = Book::with_chart(&server, "Bank", bank::chart())?;
        let lines: Vec<String> = bank::transactions().map(|line: Value| line.to_string()).collect();
        Measured::fill(&mut server, &book, "bank 1993", lines.into_iter())
    }

    /// Also returns the idle memory.
    fn synthetic(engine: Engine, settings: &Settings) -> anyhow::Result<(f64, Measured)> {
        let mut server = super::server(engine);
        let at_rest = Gauge::new(&server).resident();
        let book = Book::create(&server, &TEN_YEARS)?;
        let count = if settings.quick { 20_000 } else { 200_000 };
        Ok((at_rest, Measured::fill(&mut server, &book, "synthetic", TEN_YEARS.bodies(0, count))?))
    }

    fn fill(
        server: &mut Server,
        book: &Book,
        label: &str,
        lines: impl ExactSizeIterator<Item = String>,
    ) -> anyhow::Result<Measured> {
        let transactions = lines.len();
        let before = size(server)?;
        book.record(server, label, lines)?;
        let resident = Gauge::new(server).resident();
        let after = size(server)?;
        Ok(Measured { transactions, before, after, resident })
    }

    fn row(&self, engine: Engine, data: &str) -> [Cell; 7] {
        let each = (self.after - self.before) as f64 / self.transactions as f64;
        let mebibytes = |bytes: u64| Cell::Figure(bytes as f64 / 1_048_576.0, 1);
        [
            engine.to_string().into(),
            data.into(),
            self.transactions.into(),
            mebibytes(self.before),
            mebibytes(self.after),
            Cell::whole(each),
            Cell::against(each, target(engine)),
        ]
    }
}

/// The size of the database; the server is restarted afterwards.
pub(super) fn size(server: &mut Server) -> anyhow::Result<u64> {
    if server.engine() == Engine::Postgres {
        let mut client = ::postgres::Client::connect(server.database_url(), ::postgres::NoTls)?;
        client.batch_execute("CHECKPOINT")?;
        let row = client.query_one("SELECT pg_database_size(current_database())", &[])?;
        return Ok(u64::try_from(row.get::<_, i64>(0))?);
    }
    server.terminate();
    let url = server.database_url().to_owned();
    let file = url.strip_prefix("sqlite:").context("an address of SQLite")?;
    // The write-ahead log is empty after an orderly close; fail instead of ignoring a rest.
    rusqlite::Connection::open(file)?
        .query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))?;
    let bytes = std::fs::metadata(Path::new(file))?.len();
    server.restart();
    Ok(bytes)
}
