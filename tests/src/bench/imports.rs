//! Section 8: imports of files, their time and the memory of the process.

use std::fmt::Write as _;
use std::time::{Duration, Instant};

use anyhow::ensure;
use daybook_client::Book;
use daybook_client::parameters::CreateImport;
use daybook_client::types::{Account, AccountType, Import, ImportConfirmation, ImportState};
use serde_json::Value;

use super::gauge::Gauge;
use super::{Settings, server};
use crate::bank::Chart;
use crate::table::{Cell, Table, Target};
use crate::{Server, bank, block_on, pause};

/// The time to read and record the lines of the bank (issue 37), in seconds.
const BANK_SECONDS: Target = Target::AtMost(10.0);
/// The peak of resident memory for the largest file, in MiB.
const PEAK: Target = Target::AtMost(200.0);

/// The most records of a file (behaviour 15.1).
const MAX_RECORDS: usize = 1_000_000;

/// The lines of the bank, which are recorded.
const BANK: &str = "CSV of the bank";
/// The journal, which names its accounts itself.
const JOURNAL: &str = "journal";

/// The longest time of a step.
const TIMEOUT: Duration = Duration::from_secs(1_800);

const METHOD: &str = "createImport and confirmImport over HTTP of files of one account: the 49,102 \
    lines of the real bank as CSV, and as many records as a file may have, which are only read, as \
    CSV and as a journal of hledger whose entries are not in the order of their days. Each has a \
    server of its own. Processor time is that of Daybook. The peak is that of its resident memory.";

const COLUMNS: [&str; 11] = [
    "engine",
    "file",
    "records",
    "file MiB",
    "read s",
    "record s",
    "processor s",
    "memory before MiB",
    "peak MiB",
    "target of time",
    "target of memory",
];

pub(super) fn run(settings: &Settings) -> anyhow::Result<Vec<Table>> {
    let mut table = Table::new("imports", "8. Imports", &COLUMNS).method(METHOD);
    let lines = if settings.quick { 5_000 } else { bank::TRANSACTIONS };
    let largest = if settings.quick { 20_000 } else { MAX_RECORDS };
    for engine in &settings.engines {
        for (name, content) in [
            (BANK, bank_lines(lines)),
            ("CSV", many_lines(largest)),
            (JOURNAL, many_entries(largest)),
        ] {
            // Each has a server of its own, without the engine's cache of what was recorded before.
            let server = server(*engine);
            let gauge = Gauge::new(&server);
            table.row(block_on(measure(&server, &gauge, name, &content))?);
        }
    }
    Ok(vec![table])
}

/// The transactions of the bank as a statement of one account.
fn bank_lines(count: usize) -> String {
    let mut file = "Date,Description,Amount\n".to_owned();
    for (number, row) in bank::transactions().take(count).enumerate() {
        let text = |field: &Value| field.as_str().unwrap_or_default().replace(',', " ");
        let (day, amount) = (text(&row["date"]), text(&row["amount"]));
        let other = text(&row["creditAccount"]["name"]);
        let sign = if number.is_multiple_of(3) { "" } else { "-" };
        writeln!(file, "{day},{} {other},{sign}{amount}", text(&row["description"]))
            .expect("a text in memory");
    }
    file
}

/// Records of fifteen years, each with a text of its own.
fn many_lines(count: usize) -> String {
    let mut file = "Date,Description,Amount\n".to_owned();
    for row in 0..count {
        let (year, month, day) = (2010 + row % 15, row % 12 + 1, row % 28 + 1);
        let (shop, units, cents) = (row % 5_000, row % 900 + 1, row % 90 + 10);
        writeln!(file, "{year}-{month:02}-{day:02},Shop {shop} card {row},-{units}.{cents}")
            .expect("a text in memory");
    }
    file
}

/// Entries of fifteen years, not in the order of their days.
fn many_entries(count: usize) -> String {
    let mut file = String::new();
    for row in 0..count {
        let (year, month, day) = (2010 + row % 15, row % 12 + 1, row % 28 + 1);
        let (shop, card, units, cents) = (row % 5_000, row % 997, row % 900 + 1, row % 90 + 10);
        writeln!(file, "{year}-{month:02}-{day:02} Shop {shop} card {card}")
            .and_then(|()| writeln!(file, " a  {units}.{cents} EUR\n c"))
            .expect("a text in memory");
    }
    file
}

async fn measure(
    server: &Server,
    gauge: &Gauge,
    name: &str,
    file: &str,
) -> anyhow::Result<[Cell; COLUMNS.len()]> {
    let is_recorded = name == BANK;
    let accounts = vec![Account::named("Bank", AccountType::Asset)];
    let chart = Chart { groups: Vec::new(), accounts };
    let book = chart.create_book(&server.client("bench@example.com").typed(), "Imports").await?;
    let account = Some("Bank".to_owned()).filter(|_| name != JOURNAL);
    let options = CreateImport { account, ..CreateImport::default() };
    let (before, used) = (gauge.resident(), gauge.read());
    gauge.reset_peak()?;
    let begun = Instant::now();
    let import = book.create_import(file.as_bytes(), &options).await?;
    let preview = wait(&book, &import.id, ImportState::Reading, ImportState::Preview).await?;
    let records = u64::try_from(preview.counts.new)?;
    let read = begun.elapsed();
    let mut recorded = None;
    if is_recorded {
        book.confirm_import(&import.id, &ImportConfirmation::default()).await?;
        wait(&book, &import.id, ImportState::Recording, ImportState::Done).await?;
        recorded = Some(begun.elapsed().saturating_sub(read));
    }
    let total = begun.elapsed().as_secs_f64();
    let peak = gauge.peak();
    let spent = gauge.read().server.saturating_sub(used.server);
    Ok([
        server.engine().to_string().into(),
        name.into(),
        records.into(),
        Cell::Figure(file.len() as f64 / 1_048_576.0, 1),
        Cell::Figure(read.as_secs_f64(), 1),
        recorded.map_or_else(|| Cell::Empty, |time| Cell::Figure(time.as_secs_f64(), 1)),
        Cell::Figure(spent.as_secs_f64(), 1),
        Cell::whole(before),
        Cell::whole(peak),
        if is_recorded { Cell::against(total, BANK_SECONDS) } else { Cell::Empty },
        Cell::against(peak, PEAK),
    ])
}

/// Waits until a worker has moved an import from one state to another.
async fn wait(book: &Book, id: &str, from: ImportState, to: ImportState) -> anyhow::Result<Import> {
    let begun = Instant::now();
    loop {
        let import = book.get_import(id).await?;
        if import.state == to {
            return Ok(import);
        }
        ensure!(import.state == from && begun.elapsed() < TIMEOUT, "{import:?}");
        pause(Duration::from_millis(20));
    }
}
