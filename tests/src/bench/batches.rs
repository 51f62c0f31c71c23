//! Section 2: batches of the largest size.

use std::time::{Duration, Instant};

use super::gauge::Gauge;
use super::raw::{Raw, Shape};
use super::singles::Side;
use super::workload::TEN_YEARS;
use super::{Book, Settings};
use crate::Engine;
use crate::fill::{BATCH, body};
use crate::load::{Connection, Round, Samples};
use crate::table::{Cell, Table, Target};

const TARGET: Target = Target::AtLeast(0.4);

const METHOD: &str = "One client sends batches of 1,000, next to a bare loop of multi-row inserts \
    of the same rows, one database transaction per \
    batch, each on a fresh database. Latencies are of a whole batch; CPU is processor time per \
    transaction.";

pub(super) fn run(settings: &Settings) -> anyhow::Result<Vec<Table>> {
    let columns = [
        "engine",
        "tx/s",
        "p50 ms",
        "p99 ms",
        "CPU µs",
        "db CPU µs",
        "RSS MiB",
        "raw tx/s",
        "raw p50 ms",
        "raw p99 ms",
        "raw CPU µs",
        "ratio",
        "target",
    ];
    let mut table = Table::new("batches", "2. Batches of 1,000", &columns)
        .method(format!("{METHOD} {}; throughput is the median.", settings.effort()));
    for engine in &settings.engines {
        table.row(compare(*engine, settings)?);
    }
    Ok(vec![table])
}

fn compare(engine: Engine, settings: &Settings) -> anyhow::Result<[Cell; 13]> {
    let server = super::server(engine);
    let book = Book::create(&server, &TEN_YEARS)?;
    let gauge = Gauge::new(&server);
    let own = gauge.own();
    let mut raw = Raw::prepare(engine)?;
    let mut sender = Sender::new(book.connect(&server)?, book.path("/transactions/batch"));
    sender.run(settings.time() / 6)?;
    raw.run(Shape::Batch(BATCH), settings.time() / 6)?;
    let (mut daybook, mut bare) = (Side::default(), Side::default());
    for _ in 0..settings.rounds() {
        let before = gauge.read();
        let round = sender.run(settings.time())?;
        daybook.add(round, before, gauge.read());
        let before = own.read();
        let round = raw.run(Shape::Batch(BATCH), settings.time())?;
        bare.add(round, before, own.read());
    }
    let [server, database] = daybook.processor(BATCH);
    // The raw loop counts transactions, the sender requests.
    let rates = [daybook.rate() * BATCH as f64, bare.rate()];
    let ratio = rates[0] / rates[1];
    let aimed = engine == Engine::Sqlite;
    Ok([
        engine.to_string().into(),
        Cell::whole(rates[0]),
        daybook.milliseconds(50),
        daybook.milliseconds(99),
        Cell::whole(server),
        if gauge.watches_database() { Cell::whole(database) } else { Cell::Empty },
        Cell::whole(gauge.resident()),
        Cell::whole(rates[1]),
        bare.milliseconds(50),
        bare.milliseconds(99),
        Cell::whole(bare.processor(1).iter().sum()),
        Cell::ratio(ratio),
        if aimed { Cell::against(ratio, TARGET) } else { Cell::Empty },
    ])
}

pub(super) struct Sender {
    connection: Connection,
    path: String,
    next: u64,
}

impl Sender {
    pub(super) fn new(connection: Connection, path: String) -> Sender {
        Sender { connection, path, next: 0 }
    }

    /// Only the time between a request and its answer counts: writing the body is not the server's
    /// work.
    pub(super) fn run(&mut self, time: Duration) -> anyhow::Result<Round> {
        let mut samples = Samples::default();
        let mut elapsed = Duration::ZERO;
        while elapsed < time {
            let body = body(TEN_YEARS.bodies(self.next, BATCH));
            self.next += BATCH as u64;
            let sent = Instant::now();
            self.connection.post(&self.path, body.as_bytes())?.accepted()?;
            let latency = sent.elapsed();
            elapsed += latency;
            samples.record(latency);
        }
        Ok(Round { elapsed, samples })
    }
}
