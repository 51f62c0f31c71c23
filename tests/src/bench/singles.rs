//! Section 1: clients that create one transaction at a time.

use std::sync::atomic::{AtomicU64, Ordering};

use super::batches::Sender;
use super::gauge::{Gauge, Used};
use super::raw::{Raw, Shape};
use super::workload::TEN_YEARS;
use super::{Book, Settings};
use crate::Engine;
use crate::load::{Connection, Round, Samples, closed_loop, median};
use crate::table::{Cell, Table, Target};

const CLIENTS: [usize; 4] = [1, 8, 32, 64];

/// The fraction of the raw loop's rate to reach.
fn target(engine: Engine, clients: usize) -> Option<Target> {
    let least = match (engine, clients) {
        (Engine::Sqlite, 1 | 8) => 0.75,
        (Engine::Postgres, 1) => 0.7,
        (Engine::Postgres, 8) => 0.65,
        (_, 32) => 0.8,
        _ => return None,
    };
    Some(Target::AtLeast(least))
}

const METHOD: &str = "createTransaction of complete transactions over HTTP, next to a bare loop \
    that commits as many at once as there are \
    clients (PostgreSQL: with one statement per table, as round trips are what costs there), on \
    the same engine, schema, disk and durability (synchronous=FULL, fsync=on), each on a fresh \
    database. Server, clients \
    and database share the machine. CPU is processor time per transaction: of daybook, of \
    PostgreSQL, and of the raw loop with its database.";

pub(super) fn run(settings: &Settings) -> anyhow::Result<Vec<Table>> {
    let columns = [
        "engine",
        "clients",
        "tx/s",
        "p50 ms",
        "p99 ms",
        "CPU µs",
        "db CPU µs",
        "RSS MiB",
        "raw tx/s",
        "raw p99 ms",
        "raw CPU µs",
        "ratio",
        "target",
    ];
    let mut table = Table::new("singles", "1. Single creates", &columns)
        .method(format!("{METHOD} {}; throughput is the median.", settings.effort()));
    for engine in &settings.engines {
        for clients in CLIENTS {
            let comparison = Comparison::run(*engine, clients, settings)?;
            table.row(comparison.row(*engine, clients));
        }
    }
    Ok(vec![table])
}

/// One side of a comparison.
#[derive(Default)]
pub(super) struct Side {
    rates: Vec<f64>,
    samples: Samples,
    used: Used,
}

impl Side {
    pub(super) fn add(&mut self, round: Round, before: Used, after: Used) {
        self.rates.push(round.rate());
        self.samples.absorb(round.samples);
        self.used.add(before, after);
    }

    pub(super) fn rate(&self) -> f64 {
        median(&self.rates)
    }

    pub(super) fn milliseconds(&self, percent: usize) -> Cell {
        Cell::Figure(self.samples.milliseconds(percent), 2)
    }

    /// Microseconds of processor time per transaction, of the program and of the database.
    pub(super) fn processor(&self, size: usize) -> [f64; 2] {
        let count = (self.samples.count() * size) as f64;
        [self.used.server, self.used.database].map(|used| used.as_secs_f64() * 1e6 / count)
    }
}

struct Comparison {
    daybook: Side,
    raw: Side,
    resident: f64,
    watches_database: bool,
}

impl Comparison {
    fn run(engine: Engine, clients: usize, settings: &Settings) -> anyhow::Result<Comparison> {
        let server = super::server(engine);
        let book = Book::create(&server, &TEN_YEARS)?;
        let gauge = Gauge::new(&server);
        let own = gauge.own();
        let mut raw = Raw::prepare(engine, TEN_YEARS)?;
        let mut callers: Vec<Connection> =
            (0..clients).map(|_| book.connect(&server)).collect::<Result<_, _>>()?;
        let path = book.path("/transactions");
        // The first posting on an account sets its flag; measure a book in use.
        Sender::new(vec![book.connect(&server)?], book.path("/transactions/batch"))
            .run(settings.time())?;
        let next = AtomicU64::new(1_000_000);
        let create = |_: usize, connection: &mut Connection| {
            let draft = TEN_YEARS.draft(next.fetch_add(1, Ordering::Relaxed));
            connection.post(&path, draft.json().as_bytes())?.accepted().map(drop)
        };
        // Warms up caches, prepared statements and the first pages.
        closed_loop(&mut callers, settings.time() / 6, create)?;
        raw.run(Shape::Singles(clients), settings.time() / 6)?;
        let (mut daybook, mut bare) = (Side::default(), Side::default());
        for _ in 0..settings.rounds() {
            let before = gauge.read();
            let round = closed_loop(&mut callers, settings.time(), create)?;
            daybook.add(round, before, gauge.read());
            let before = own.read();
            let round = raw.run(Shape::Singles(clients), settings.time())?;
            bare.add(round, before, own.read());
        }
        Ok(Comparison {
            daybook,
            raw: bare,
            resident: gauge.resident(),
            watches_database: gauge.watches_database(),
        })
    }

    fn row(&self, engine: Engine, clients: usize) -> [Cell; 13] {
        let [server, database] = self.daybook.processor(1);
        let ratio = self.daybook.rate() / self.raw.rate();
        [
            engine.to_string().into(),
            clients.into(),
            Cell::whole(self.daybook.rate()),
            self.daybook.milliseconds(50),
            self.daybook.milliseconds(99),
            Cell::whole(server),
            if self.watches_database { Cell::whole(database) } else { Cell::Empty },
            Cell::whole(self.resident),
            Cell::whole(self.raw.rate()),
            self.raw.milliseconds(99),
            Cell::whole(self.raw.processor(1).iter().sum()),
            Cell::ratio(ratio),
            target(engine, clients).map_or(Cell::Empty, |target| Cell::against(ratio, target)),
        ]
    }
}
