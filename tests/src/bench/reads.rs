//! Section 3: balances of a small and of a large book.

use std::time::{Duration, Instant};

use super::workload::Workload;
use super::{Book, Settings};
use crate::load::{Connection, Samples};
use crate::table::{Cell, Table, Target, thousands};
use crate::{Engine, Server, encode, fill};

const TARGET: Target = Target::AtMost(1.5);

const METHOD: &str = "getBalances over HTTP in two books of one server with the same 1,000 accounts and 12 months, asked in turn (ABAB) after a \
    warm-up. The cost should follow accounts and periods, not transactions.";

/// Title, query, and whether the target is meant.
const QUERIES: [(&str, &str, bool); 3] = [
    ("one account by month", "account:'Account 0007' after:2024-01 before:2025-01", false),
    ("whole book by month", "after:2024-01 before:2025-01", true),
    ("whole book at a date", "on:2024-07-17", true),
];

/// Bounds of one comparison.
const MOST: usize = 200;
const LEAST: usize = 15;

pub(super) fn run(settings: &Settings) -> anyhow::Result<Vec<Table>> {
    let sizes = if settings.quick { [1_000, 20_000] } else { [10_000, 1_000_000] };
    let title =
        format!("3. Balances at {} (small) and {} (big) transactions", thousands(&sizes[0].to_string()), thousands(&sizes[1].to_string()));
    let columns =
        ["engine", "balances of", "answer KiB", "asked", "small p50 ms", "small p99 ms", "big p50 ms", "big p99 ms", "ratio", "target"];
    let mut table = Table::new("reads", &title, &columns).method(METHOD);
    for engine in &settings.engines {
        let server = super::server(*engine);
        let small = filled(&server, "Small", sizes[0])?;
        let big = filled(&server, "Big", sizes[1])?;
        for (name, query, aimed) in QUERIES {
            let mut asked = [&small, &big].map(|book| Asked::new(&server, book, query));
            compare(&mut asked, settings.time())?;
            table.row(row(*engine, name, &asked, aimed));
        }
    }
    Ok(vec![table])
}

fn filled(server: &Server, name: &'static str, count: usize) -> anyhow::Result<Book> {
    let workload = Workload::one_year(name);
    let book = Book::create(server, &workload)?;
    let label = format!("{} {} book", server.engine(), name.to_lowercase());
    let mut connection = book.connect(server)?;
    fill::record(&mut connection, &book.id, &label, workload.bodies(0, count))?;
    Ok(book)
}

/// A query of one book, and what it took so far.
struct Asked {
    connection: anyhow::Result<Connection>,
    path: String,
    samples: Samples,
    bytes: usize,
}

impl Asked {
    fn new(server: &Server, book: &Book, query: &str) -> Asked {
        Asked {
            connection: book.connect(server),
            path: book.path(&format!("/balances?query={}", encode(query))),
            samples: Samples::default(),
            bytes: 0,
        }
    }

    fn ask(&mut self) -> anyhow::Result<Duration> {
        let connection = match &mut self.connection {
            Ok(connection) => connection,
            Err(error) => anyhow::bail!("{error}"),
        };
        let sent = Instant::now();
        let reply = connection.get(&self.path)?.accepted()?;
        let latency = sent.elapsed();
        self.bytes = reply.body.len();
        Ok(latency)
    }
}

fn compare(asked: &mut [Asked; 2], time: Duration) -> anyhow::Result<()> {
    for side in asked.iter_mut() {
        for _ in 0..3 {
            side.ask()?;
        }
    }
    let started = Instant::now();
    for turn in 0..MOST {
        if turn >= LEAST && started.elapsed() > 2 * time {
            break;
        }
        for side in asked.iter_mut() {
            let latency = side.ask()?;
            side.samples.record(latency);
        }
    }
    Ok(())
}

fn row(engine: Engine, name: &str, [small, big]: &[Asked; 2], aimed: bool) -> [Cell; 10] {
    let figure = |samples: &Samples, percent| Cell::Figure(samples.milliseconds(percent), 2);
    let ratio = big.samples.milliseconds(50) / small.samples.milliseconds(50);
    [
        engine.to_string().into(),
        name.into(),
        Cell::whole(big.bytes as f64 / 1024.0),
        big.samples.count().into(),
        figure(&small.samples, 50),
        figure(&small.samples, 99),
        figure(&big.samples, 50),
        figure(&big.samples, 99),
        Cell::ratio(ratio),
        if aimed { Cell::against(ratio, TARGET) } else { Cell::Empty },
    ]
}
