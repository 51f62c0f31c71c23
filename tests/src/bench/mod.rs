//! `make bench`: the speed and size of Daybook, compared with the database alone in the same
//! minutes.

mod against;
mod backups;
mod batch_growth;
mod batches;
mod footprint;
mod gauge;
mod growth;
mod identity;
mod imports;
mod processes;
mod raw;
mod read_rates;
mod reads;
mod reports;
mod singles;
mod webhooks;
mod workload;

use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Context, ensure};
use serde_json::{Value, json};

use crate::bank::Chart;
use crate::load::Connection;
use crate::release::workspace;
use crate::table::Table;
use crate::{Engine, Options, Server, block_on, fill};
use workload::Workload;

/// The sections and their length.
pub struct Settings {
    /// The engines, in order.
    pub engines: Vec<Engine>,
    /// Shorter rounds and smaller books, to test the benchmark itself.
    pub quick: bool,
    /// Only this section, by name.
    pub only: Option<String>,
    /// Another `daybook` to compare this one with, instead of the sections.
    pub against: Option<PathBuf>,
}

impl Settings {
    /// Rounds of each side of an interleaved comparison.
    fn rounds(&self) -> usize {
        if self.quick { 2 } else { 3 }
    }

    /// The length of a round.
    fn time(&self) -> Duration {
        Duration::from_millis(if self.quick { 1000 } else { 3000 })
    }

    /// The number and length of rounds, as text.
    fn effort(&self) -> String {
        format!("{} rounds of {} s each, in turn (ABAB)", self.rounds(), self.time().as_secs())
    }
}

type Section = fn(&Settings) -> anyhow::Result<Vec<Table>>;

/// The sections in order.
const SECTIONS: [(&str, Section); 12] = [
    ("singles", singles::run),
    ("batches", batches::run),
    ("reads", reads::run),
    ("read-rates", read_rates::run),
    ("processes", processes::run),
    ("footprint", footprint::run),
    ("identity", identity::run),
    ("webhooks", webhooks::run),
    ("imports", imports::run),
    ("backups", backups::run),
    ("growth", growth::run),
    ("batch-growth", batch_growth::run),
];

/// Run only on request: backups take some minutes, the other two as long as all others together.
const ON_REQUEST: [&str; 3] = ["backups", "growth", "batch-growth"];

/// The names for `--only`.
pub fn sections() -> Vec<&'static str> {
    SECTIONS.iter().map(|(name, _)| *name).collect()
}

/// Runs the sections, prints each table, and writes all of them to `target/bench.json`.
pub fn run(settings: &Settings) -> anyhow::Result<()> {
    let chosen = |name: &str| match settings.only.as_deref() {
        Some(only) => only == name,
        None => !ON_REQUEST.contains(&name),
    };
    let mut tables = serde_json::Map::new();
    if let Some(other) = &settings.against {
        for table in against::run(settings, other)? {
            println!("\n{table}");
            tables.insert(table.name().to_owned(), table.to_json());
        }
        return save(settings, tables);
    }
    for (name, section) in SECTIONS.iter().filter(|(name, _)| chosen(name)) {
        for table in section(settings).with_context(|| format!("section {name}"))? {
            println!("\n{table}");
            tables.insert(table.name().to_owned(), table.to_json());
        }
    }
    ensure!(!tables.is_empty(), "no such section; there are {:?}", sections());
    save(settings, tables)
}

/// Writes the tables to `target/bench.json`.
fn save(settings: &Settings, tables: serde_json::Map<String, Value>) -> anyhow::Result<()> {
    let report = json!({
        "quick": settings.quick,
        "cores": std::thread::available_parallelism()?.get(),
        "tables": Value::Object(tables),
    });
    let file = workspace().join("target/bench.json");
    std::fs::create_dir_all(workspace().join("target"))?;
    std::fs::write(&file, serde_json::to_string_pretty(&report)?)
        .with_context(|| file.display().to_string())?;
    println!("\nthe same as JSON: target/bench.json");
    Ok(())
}

/// A server with a durable database.
fn server(engine: Engine) -> Server {
    Server::start_with(Options { engine, durable: true, ..Options::default() })
}

/// A book on a running server.
struct Book {
    /// For requests that are not measured, or that take seconds.
    handle: daybook_client::Book,
    token: String,
}

impl Book {
    /// A book with the accounts of a workload.
    fn create(server: &Server, workload: &Workload) -> anyhow::Result<Book> {
        Book::with_chart(server, workload.name, workload::chart())
    }

    fn with_chart(server: &Server, name: &str, chart: Chart) -> anyhow::Result<Book> {
        let owner = server.client("bench@example.com");
        let handle = block_on(chart.create_book(&owner.typed(), name))?;
        let token = owner.token().context("the owner has a token")?.to_owned();
        Ok(Book { handle, token })
    }

    fn connect(&self, server: &Server) -> anyhow::Result<Connection> {
        Connection::open(server.address(), &self.token).context("the server takes no connection")
    }

    fn path(&self, rest: &str) -> String {
        format!("/v5/books/{}{rest}", self.handle.id())
    }

    /// Records transactions, given as JSON objects, in order.
    fn record(
        &self,
        server: &Server,
        label: &str,
        transactions: impl ExactSizeIterator<Item = String>,
    ) -> anyhow::Result<()> {
        let label = format!("{} {label}", server.engine());
        let path = self.path("/transactions/batch");
        fill::record(&mut self.connect(server)?, &path, &label, transactions)
    }
}
