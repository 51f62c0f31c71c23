//! Section: batches while a book grows.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use super::gauge::Gauge;
use super::raw::{Raw, Shape};
use super::workload::{ONE_YEAR, THESE_DAYS, Workload};
use super::{Book, Settings};
use crate::Engine;
use crate::fill::body;
use crate::load::{Connection, closed_loop};
use crate::table::{Cell, Table, Target};

const SIZES: [u64; 4] = [50_000, 220_000, 500_000, 1_000_000];
const QUICK_SIZES: [u64; 2] = [5_000, 20_000];
const SHAPES: [(&str, Workload); 2] = [("a year", ONE_YEAR), ("three days", THESE_DAYS)];
const CLIENTS: usize = 4;
const BATCH: usize = 100;
/// The length of a round. Short rounds end near a size, because a loop ends by time.
const ROUND: Duration = Duration::from_millis(50);
/// The lowest rate relative to that at the smallest size.
const TARGET: Target = Target::AtLeast(0.7);

const METHOD: &str = "Four connections send batches of 100 into one book with 1,000 accounts. The \
    days of the transactions are spread over a year, or are three. A rate is that of the last \
    fifth before a size. Beside it a bare loop of multi-row inserts of the same rows, which \
    commits four batches at once.";

const COLUMNS: [&str; 9] = [
    "engine",
    "days",
    "transactions",
    "tx/s",
    "CPU µs",
    "raw tx/s",
    "ratio",
    "to the smallest",
    "target",
];

pub(super) fn run(settings: &Settings) -> anyhow::Result<Vec<Table>> {
    let mut table = Table::new("batch-growth", "Batches as a book grows", &COLUMNS).method(METHOD);
    let sizes = if settings.quick { QUICK_SIZES.as_slice() } else { SIZES.as_slice() };
    for engine in &settings.engines {
        for (days, workload) in SHAPES {
            let daybook = grow(*engine, workload, sizes)?;
            let raw = grow_raw(*engine, workload, sizes)?;
            let smallest = daybook[0].rate;
            for ((size, speed), raw) in sizes.iter().zip(&daybook).zip(raw) {
                let kept = speed.rate / smallest;
                table.row([
                    engine.to_string().into(),
                    days.into(),
                    usize::try_from(*size)?.into(),
                    Cell::whole(speed.rate),
                    Cell::whole(speed.processor),
                    Cell::whole(raw),
                    Cell::ratio(speed.rate / raw),
                    Cell::ratio(kept),
                    Cell::against(kept, TARGET),
                ]);
            }
            // It takes ten minutes and may be stopped early.
            eprintln!("\n{table}");
        }
    }
    Ok(vec![table])
}

/// The speed of the last fifth before a size.
struct Speed {
    /// Transactions a second.
    rate: f64,
    /// Microseconds of processor time of one, of Daybook and its database.
    processor: f64,
}

fn grow(engine: Engine, workload: Workload, sizes: &[u64]) -> anyhow::Result<Vec<Speed>> {
    let server = super::server(engine);
    let book = Book::create(&server, &workload)?;
    let path = book.path("/transactions/batch");
    let connections = (0..CLIENTS).map(|_| book.connect(&server));
    let mut connections: Vec<Connection> = connections.collect::<anyhow::Result<_>>()?;
    let next = AtomicU64::new(0);
    let mut send_until = |end: u64| -> anyhow::Result<(u64, Duration)> {
        let (first, started) = (next.load(Ordering::Relaxed), Instant::now());
        let send = |_: usize, connection: &mut Connection| {
            let from = next.fetch_add(BATCH as u64, Ordering::Relaxed);
            let body = body(workload.bodies(from, BATCH));
            connection.post(&path, body.as_bytes())?.accepted().map(drop)
        };
        while next.load(Ordering::Relaxed) < end {
            closed_loop(&mut connections, ROUND, send)?;
        }
        Ok((next.load(Ordering::Relaxed) - first, started.elapsed()))
    };
    let gauge = Gauge::new(&server);
    let mut speeds = Vec::new();
    for size in sizes {
        send_until(size - size / 5)?;
        let before = gauge.read();
        let (sent, elapsed) = send_until(*size)?;
        let used = gauge.read().since(before, usize::try_from(sent)?);
        let rate = sent as f64 / elapsed.as_secs_f64();
        speeds.push(Speed { rate, processor: used.iter().sum() });
    }
    Ok(speeds)
}

fn grow_raw(engine: Engine, workload: Workload, sizes: &[u64]) -> anyhow::Result<Vec<f64>> {
    let mut raw = Raw::prepare(engine, workload)?;
    let shape = Shape::Batch(CLIENTS * BATCH);
    let mut written = 0;
    let mut write_until = |end: u64| -> anyhow::Result<f64> {
        let (mut count, mut elapsed) = (0, Duration::ZERO);
        while written + count < end {
            let round = raw.run(shape, ROUND)?;
            count += round.samples.count() as u64;
            elapsed += round.elapsed;
        }
        written += count;
        Ok(count as f64 / elapsed.as_secs_f64())
    };
    let rate_at = |size: &u64| {
        write_until(size - size / 5)?;
        write_until(*size)
    };
    sizes.iter().map(rate_at).collect()
}
