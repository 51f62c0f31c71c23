//! `--against PATH`: this build beside another one, with the same work in turn.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use super::batches::Sender;
use super::reads::{self, BALANCES, MeasuredQuery, Read, SEARCHES};
use super::workload::TEN_YEARS;
use super::{Book, Settings, read_rates};
use crate::fill::BATCH;
use crate::load::{Connection, closed_loop, median};
use crate::table::{Cell, Table};
use crate::{Engine, Options, Server};

const CLIENTS: [usize; 3] = [1, 8, 32];

const METHOD: &str = "Both builds serve at the same time, each on a fresh database of its own, and \
    only one of them works at a time. Writes are transactions a \
    second (median of the rounds), reads the median latency of listTransactions and getBalances in \
    a book of one year. Speed is how fast this build is beside the other one: above 1 is faster.";

/// Compares this build with the `daybook` at `other`. With `--only read-rates` it compares only
/// these.
///
/// # Errors
/// Either build does not start or answers a request with an error.
pub(super) fn run(settings: &Settings, other: &Path) -> anyhow::Result<Vec<Table>> {
    let columns = ["engine", "work", "this", "other", "speed"];
    let mut writes = Table::new("against-writes", "Writes beside another build, tx/s", &columns)
        .method(format!("{METHOD} {}", settings.effort()));
    let mut answers = Table::new("against-reads", "Reads beside another build, p50 ms", &columns);
    let mut rates = Table::new("against-rates", "Reads beside another build, reads/s", &columns)
        .method(read_rates::METHOD);
    for engine in &settings.engines {
        let builds = [None, Some(other.to_owned())].map(|binary| start(*engine, binary));
        for (name, speeds) in read_rates::compare(&builds, settings)? {
            rates.row(row(*engine, name, speeds, speeds[0] / speeds[1], 0));
        }
        if settings.only.as_deref() == Some("read-rates") {
            continue;
        }
        for clients in CLIENTS {
            let rates = singles(&builds, clients, settings)?;
            writes.row(row(*engine, &format!("{clients} clients"), rates, rates[0] / rates[1], 0));
        }
        let rates = batches(&builds, settings)?;
        writes.row(row(*engine, "batches of 1,000", rates, rates[0] / rates[1], 0));
        let count = if settings.quick { 20_000 } else { 200_000 };
        let filled = |server| reads::filled(server, "Filled", count);
        let books = [filled(&builds[0])?, filled(&builds[1])?];
        for read in BALANCES.iter().chain(&SEARCHES) {
            let times = read_times(&builds, &books, *read, settings)?;
            answers.row(row(*engine, read.0, times, times[1] / times[0], 2));
        }
    }
    Ok(vec![rates, writes, answers])
}

fn start(engine: Engine, binary: Option<PathBuf>) -> Server {
    Server::start_with(Options { engine, durable: true, binary, ..Options::default() })
}

fn row(engine: Engine, work: &str, figures: [f64; 2], speed: f64, digits: usize) -> [Cell; 5] {
    let [this, other] = figures.map(|figure| Cell::Figure(figure, digits));
    [engine.to_string().into(), work.into(), this, other, Cell::ratio(speed)]
}

/// Runs `round` for both builds in turn, as often as the settings say. Returns the median of its
/// results for each build.
pub(super) fn in_turn(
    settings: &Settings,
    mut round: impl FnMut(usize) -> anyhow::Result<f64>,
) -> anyhow::Result<[f64; 2]> {
    let mut figures = [Vec::new(), Vec::new()];
    for _ in 0..settings.rounds() {
        for (side, figures) in figures.iter_mut().enumerate() {
            figures.push(round(side)?);
        }
    }
    Ok(figures.map(|side| median(&side)))
}

fn singles(builds: &[Server; 2], clients: usize, settings: &Settings) -> anyhow::Result<[f64; 2]> {
    let mut callers = Vec::new();
    for server in builds {
        let book = Book::create(server, &TEN_YEARS)?;
        let connections =
            (0..clients).map(|_| book.connect(server)).collect::<anyhow::Result<Vec<_>>>()?;
        callers.push((connections, book.path("/transactions")));
    }
    let next = AtomicU64::new(0);
    in_turn(settings, |side| {
        let (connections, path) = &mut callers[side];
        let create = |_: usize, connection: &mut Connection| {
            let draft = TEN_YEARS.draft(next.fetch_add(1, Ordering::Relaxed));
            connection.post(path, draft.json().as_bytes())?.accepted().map(drop)
        };
        Ok(closed_loop(connections, settings.time(), create)?.rate())
    })
}

fn batches(builds: &[Server; 2], settings: &Settings) -> anyhow::Result<[f64; 2]> {
    let mut senders = Vec::new();
    for server in builds {
        let book = Book::create(server, &TEN_YEARS)?;
        let path = book.path("/transactions/batch");
        senders.push(Sender::new(vec![book.connect(server)?], path));
    }
    in_turn(settings, |side| Ok(senders[side].run(settings.time())?.rate() * BATCH as f64))
}

fn read_times(
    builds: &[Server; 2],
    books: &[Book; 2],
    (_, path, query, _): Read,
    settings: &Settings,
) -> anyhow::Result<[f64; 2]> {
    let [this, other] = builds;
    let mut queries = [
        MeasuredQuery::new(this, &books[0], path, query),
        MeasuredQuery::new(other, &books[1], path, query),
    ];
    reads::compare(&mut queries, settings.time())?;
    Ok(queries.each_ref().map(|query| query.samples().milliseconds(50)))
}
