//! Section 2: batches of the largest size.

use std::borrow::Cow;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use super::gauge::Gauge;
use super::raw::{Raw, Shape};
use super::singles::Side;
use super::workload::TEN_YEARS;
use super::{Book, Settings};
use crate::Engine;
use crate::fill::{BATCH, body};
use crate::load::{Connection, Round, closed_loop};
use crate::table::{Cell, Table, Target};

/// Concurrent batches of one client into one book: an import waits for each answer, or pipelines.
const IN_FLIGHT: [usize; 2] = [1, 4];
const TARGET: Target = Target::AtLeast(0.85);

const METHOD: &str = "One client sends batches of 1,000 into one book, one after the other or \
    four at once, next to a bare loop of multi-row inserts of the same rows, each on a fresh \
    database. The bare loop commits as many batches at once as are on their way. Latencies are \
    of a whole batch; CPU is processor time per transaction.";

pub(super) fn run(settings: &Settings) -> anyhow::Result<Vec<Table>> {
    let columns = [
        "engine",
        "in flight",
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
        for in_flight in IN_FLIGHT {
            table.row(compare(*engine, in_flight, settings)?);
        }
    }
    Ok(vec![table])
}

fn compare(engine: Engine, in_flight: usize, settings: &Settings) -> anyhow::Result<[Cell; 14]> {
    let server = super::server(engine);
    let book = Book::create(&server, &TEN_YEARS)?;
    let gauge = Gauge::new(&server);
    let own = gauge.own();
    let shape = Shape::Batch(in_flight * BATCH);
    let mut raw = Raw::prepare(engine, TEN_YEARS)?;
    let connections = (0..in_flight).map(|_| book.connect(&server)).collect::<Result<_, _>>()?;
    let mut sender = Sender::new(connections, book.path("/transactions/batch"));
    sender.run(settings.time() / 6)?;
    raw.run(shape, settings.time() / 6)?;
    let (mut daybook, mut bare) = (Side::default(), Side::default());
    for _ in 0..settings.rounds() {
        let before = gauge.read();
        let round = sender.run(settings.time())?;
        daybook.add(round, before, gauge.read());
        let before = own.read();
        let round = raw.run(shape, settings.time())?;
        bare.add(round, before, own.read());
    }
    let [server, database] = daybook.processor(BATCH);
    // The raw loop counts transactions, the sender requests.
    let rates = [daybook.rate() * BATCH as f64, bare.rate()];
    let ratio = rates[0] / rates[1];
    Ok([
        engine.to_string().into(),
        in_flight.into(),
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
        Cell::against(ratio, TARGET),
    ])
}

/// Sends batches, one at a time on each connection.
pub(super) struct Sender {
    connections: Vec<Connection>,
    path: String,
    next: u64,
    /// Requests per second of the last round.
    rate: f64,
}

impl Sender {
    pub(super) fn new(connections: Vec<Connection>, path: String) -> Sender {
        Sender { connections, path, next: 0, rate: 0.0 }
    }

    /// Creates the bodies in advance, based on the last round: creating them is not the server's
    /// work.
    pub(super) fn run(&mut self, time: Duration) -> anyhow::Result<Round> {
        let first = self.next;
        let make = |place: usize| body(TEN_YEARS.bodies(first + (place * BATCH) as u64, BATCH));
        let expected = (1.25 * self.rate * time.as_secs_f64()).ceil() as usize;
        let made: Vec<String> = (0..expected).map(make).collect();
        let sent = AtomicUsize::new(0);
        let path = &self.path;
        let send = |_: usize, connection: &mut Connection| {
            let place = sent.fetch_add(1, Ordering::Relaxed);
            let body = made.get(place).map_or_else(|| Cow::from(make(place)), Cow::from);
            connection.post(path, body.as_bytes())?.accepted().map(drop)
        };
        let round = closed_loop(&mut self.connections, time, send)?;
        self.next += (sent.into_inner() * BATCH) as u64;
        self.rate = round.rate();
        Ok(round)
    }
}
