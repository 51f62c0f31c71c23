//! Section: the cost of operations as one book grows.

use std::sync::atomic::{AtomicUsize, Ordering};

use super::footprint::size;
use super::gauge::Gauge;
use super::reads::{MeasuredQuery, vacuum};
use super::workload::Workload;
use super::{Book, Settings};
use crate::load::{Connection, closed_loop};
use crate::table::{Cell, Table, Target};
use crate::{Engine, Server};

const SIZES: [usize; 4] = [10_000, 100_000, 1_000_000, 10_000_000];
const QUICK_SIZES: [usize; 2] = [10_000, 50_000];
const CLIENTS: usize = 8;
/// The maximum cost relative to the smallest size.
const TARGET: Target = Target::AtMost(1.3);
/// The samples of each read.
const SAMPLES: usize = 50;
/// The first number of single creates, above all sizes.
const SINGLES: u64 = 100_000_000;

const METHOD: &str = "One book with 1,000 accounts and twelve months grows by batches, and is \
    vacuumed on PostgreSQL. At each size: its bytes on disk by transaction; the median of 50 \
    reads; 8 clients that create single transactions, with the processor time of one, of Daybook \
    and its database. The worst ratio to the smallest size is that of bytes and times, but for \
    the book at a date: the days of its month are what the smallest book does not have yet.";

const COLUMNS: [&str; 11] = [
    "engine",
    "transactions",
    "bytes of one",
    "singles tx/s",
    "CPU µs of one",
    "page ms",
    "page of an account ms",
    "account by month ms",
    "book at a date ms",
    "worst ratio",
    "target",
];

/// The reads, with their queries.
const READS: [(&str, &str); 4] = [
    ("/transactions", ""),
    ("/transactions", "account:'Account 0000'"),
    ("/balances", "account:'Account 0007' after:2024-01 before:2025-01"),
    ("/balances", "on:2024-07-17"),
];
/// The number of reads with a constant cost, which come first.
const FLAT_READS: usize = 3;

fn workload() -> Workload {
    Workload::one_year("Growth")
}

pub(super) fn run(settings: &Settings) -> anyhow::Result<Vec<Table>> {
    let mut table = Table::new("growth", "A book that grows", &COLUMNS).method(METHOD);
    let sizes = if settings.quick { QUICK_SIZES.as_slice() } else { SIZES.as_slice() };
    for engine in &settings.engines {
        let mut growing = Growing::start(*engine)?;
        let mut smallest = None;
        for size in sizes {
            let figures = growing.at(*size, settings)?;
            let smallest = *smallest.get_or_insert(figures);
            table.row(figures.row(*engine, &smallest));
            // It takes an hour and may be stopped early.
            eprintln!("\n{table}");
        }
    }
    Ok(vec![table])
}

/// The measurements at one size.
#[derive(Clone, Copy)]
struct Measurements {
    transactions: usize,
    /// Bytes per transaction.
    bytes: f64,
    /// Single creates per second.
    singles: f64,
    /// Microseconds of processor time.
    processor: f64,
    /// Milliseconds.
    reads: [f64; READS.len()],
}

impl Measurements {
    fn row(&self, engine: Engine, smallest: &Measurements) -> [Cell; COLUMNS.len()] {
        let [page, account, months, date] = self.reads.map(|time| Cell::Figure(time, 2));
        let reads = self.reads.iter().zip(smallest.reads).take(FLAT_READS);
        let reads = reads.map(|(now, then)| now / then);
        let others = [self.bytes / smallest.bytes, self.processor / smallest.processor];
        let worst = reads.chain(others).fold(0.0, f64::max);
        [
            engine.to_string().into(),
            self.transactions.into(),
            Cell::whole(self.bytes),
            Cell::whole(self.singles),
            Cell::whole(self.processor),
            page,
            account,
            months,
            date,
            Cell::ratio(worst),
            Cell::against(worst, TARGET),
        ]
    }
}

struct Growing {
    server: Server,
    book: Book,
    /// Bytes without transactions.
    empty: u64,
    /// Batch transactions and single ones.
    filled: usize,
    singles: AtomicUsize,
}

impl Growing {
    fn start(engine: Engine) -> anyhow::Result<Growing> {
        let mut server = super::server(engine);
        let book = Book::create(&server, &workload())?;
        let empty = size(&mut server)?;
        Ok(Growing { server, book, empty, filled: 0, singles: AtomicUsize::new(0) })
    }

    /// Fills the book to this size and measures.
    fn at(&mut self, transactions: usize, settings: &Settings) -> anyhow::Result<Measurements> {
        let more = transactions.saturating_sub(self.filled + self.singles.load(Ordering::Relaxed));
        let bodies = workload().bodies(self.filled as u64, more);
        self.book.record(&self.server, &transactions.to_string(), bodies)?;
        self.filled += more;
        let transactions = self.filled + self.singles.load(Ordering::Relaxed);
        vacuum(&self.server)?;
        let bytes = (size(&mut self.server)? - self.empty) as f64 / transactions as f64;
        let mut reads = [0.0; READS.len()];
        for (place, (path, query)) in reads.iter_mut().zip(READS) {
            let mut query = MeasuredQuery::new(&self.server, &self.book, path, query);
            *place = query.median(SAMPLES)?;
        }
        let (singles, processor) = self.singles(settings)?;
        Ok(Measurements { transactions, bytes, singles, processor, reads })
    }

    /// Single creates per second, and the processor time of one.
    fn singles(&self, settings: &Settings) -> anyhow::Result<(f64, f64)> {
        let path = self.book.path("/transactions");
        let create = |_: usize, connection: &mut Connection| {
            let number = SINGLES + self.singles.fetch_add(1, Ordering::Relaxed) as u64;
            let body = workload().draft(number).json();
            connection.post(&path, body.as_bytes())?.accepted().map(drop)
        };
        let mut callers: Vec<Connection> =
            (0..CLIENTS).map(|_| self.book.connect(&self.server)).collect::<Result<_, _>>()?;
        closed_loop(&mut callers, settings.time() / 3, create)?;
        let gauge = Gauge::new(&self.server);
        let before = gauge.read();
        let round = closed_loop(&mut callers, 2 * settings.time(), create)?;
        let used = gauge.read().since(before, round.samples.count());
        Ok((round.rate(), used.iter().sum()))
    }
}
