//! Section 3: balances and searches in a small and in a large book, and reports of the large one.

use std::time::{Duration, Instant};

use super::workload::Workload;
use super::{Book, Settings, reports};
use crate::load::{Connection, Samples};
use crate::table::{Cell, Table, Target, thousands};
use crate::{Engine, Server, encode};

const TARGET: Target = Target::AtMost(1.3);

const METHOD: &str = "getBalances over HTTP in two books of one server with the same 1,000 \
    accounts and 12 months, queries in turn (ABAB) after a \
    warm-up. The cost should follow accounts and periods, not transactions.";

/// Title, path, query, and whether the target applies.
pub(super) type Read = (&'static str, &'static str, &'static str, bool);

pub(super) const BALANCES: [Read; 3] = [
    (
        "one account by month",
        "/balances",
        "account:'Account 0007' after:2024-01 before:2025-01",
        false,
    ),
    ("whole book by month", "/balances", "after:2024-01 before:2025-01", true),
    ("whole book at a date", "/balances", "on:2024-07-17", true),
];

pub(super) const SEARCHES: [Read; 16] = [
    ("newest page", "/transactions", "", true),
    ("page of a month", "/transactions", "on:2024-07", true),
    ("page of amounts in a month", "/transactions", "on:2024-07 amount>=100 amount<5000", true),
    ("page of an account, with running balances", "/transactions", "account:'Account 0000'", true),
    (
        "page of an account in a quarter",
        "/transactions",
        "account:'Account 0000' after:2024-04 before:2024-07",
        true,
    ),
    ("page of a quiet account", "/transactions", "account:'Account 0011'", false),
    (
        "page of two accounts",
        "/transactions",
        "account:'Account 0000' OR account:'Account 0008'",
        true,
    ),
    ("page of a group", "/transactions", "group:'Group 07'", true),
    ("page of a tag", "/transactions", "#reviewed", true),
    ("page of a property", "/transactions", "project:Atlas", true),
    ("a remote id", "/transactions", "remoteId:bank-777", true),
    ("page of drafts (there are none)", "/transactions", "is:draft", true),
    ("page of a common text", "/transactions", "goods and", true),
    ("page of a rare text", "/transactions", "'payment 777 for'", true),
    ("count of the book", "/transactions/count", "", true),
    ("counts of a year by month", "/transactions/count/posted", "", true),
];

const SEARCH_METHOD: &str = "listTransactions, 100 rows a page, in the same two books. A page \
    should cost what is on it (without a target where the \
    small book does not fill it); a rare text is looked for in an index that grows with the book; \
    counts are kept by month.";

/// The parameters of counts by month; other reads ignore them.
const YEAR: &str = "&after=2024-01-01&before=2025-01-01&periodicity=MONTHLY";

/// Unmeasured requests first.
const WARM_UP: usize = 3;
/// The maximum number of samples of a comparison.
const MAX_SAMPLES: usize = 200;
const LEAST: usize = 15;

pub(super) fn run(settings: &Settings) -> anyhow::Result<Vec<Table>> {
    let sizes = if settings.quick { [1_000, 20_000] } else { [10_000, 1_000_000] };
    let [small, big] = sizes.map(|size| thousands(&size.to_string()));
    let columns = [
        "engine",
        "read",
        "answer KiB",
        "queries",
        "small p50 ms",
        "small p99 ms",
        "big p50 ms",
        "big p99 ms",
        "ratio",
        "target",
    ];
    let title =
        |number, what| format!("{number}. {what} at {small} (small) and {big} (big) transactions");
    let mut balances = Table::new("reads", &title("3a", "Balances"), &columns).method(METHOD);
    let mut searches =
        Table::new("searches", &title("3b", "Searches"), &columns).method(SEARCH_METHOD);
    let mut reports = reports::tables(&format!("at {big} transactions"));
    for engine in &settings.engines {
        let server = super::server(*engine);
        let small = filled(&server, "Small", sizes[0])?;
        let big = filled(&server, "Big", sizes[1])?;
        for (reads, table) in
            [(BALANCES.as_slice(), &mut balances), (SEARCHES.as_slice(), &mut searches)]
        {
            for read in reads {
                let (_, path, query, _) = *read;
                let mut queries =
                    [&small, &big].map(|book| MeasuredQuery::new(&server, book, path, query));
                compare(&mut queries, settings.time())?;
                table.row(row(*engine, *read, &queries));
            }
        }
        reports::measure(settings, &server, &big, &mut reports)?;
    }
    Ok([balances, searches].into_iter().chain(reports).collect())
}

/// Creates a book with so many transactions of one year.
pub(super) fn filled(server: &Server, name: &'static str, count: usize) -> anyhow::Result<Book> {
    let workload = Workload::one_year(name);
    let book = Book::create(server, &workload)?;
    let label = format!("{} book", name.to_lowercase());
    book.record(server, &label, workload.bodies(0, count))?;
    vacuum(server)?;
    Ok(book)
}

/// Vacuums PostgreSQL, so that autovacuum does not run during a measurement, and two databases that
/// are compared are in the same state.
pub(super) fn vacuum(server: &Server) -> anyhow::Result<()> {
    if server.engine() == Engine::Postgres {
        let url = server.database_url();
        postgres::Client::connect(url, postgres::NoTls)?.batch_execute("VACUUM ANALYZE")?;
    }
    Ok(())
}

/// A query of one book and its samples.
pub(super) struct MeasuredQuery {
    connection: anyhow::Result<Connection>,
    path: String,
    samples: Samples,
    bytes: usize,
}

impl MeasuredQuery {
    pub(super) fn new(server: &Server, book: &Book, path: &str, query: &str) -> MeasuredQuery {
        MeasuredQuery::of(server, book, &format!("{path}?query={}{YEAR}", encode(query)))
    }

    /// Any read of a book.
    pub(super) fn of(server: &Server, book: &Book, path: &str) -> MeasuredQuery {
        MeasuredQuery {
            connection: book.connect(server),
            path: book.path(path),
            samples: Samples::default(),
            bytes: 0,
        }
    }

    /// The median of a number of samples in milliseconds, after a warm-up.
    pub(super) fn median(&mut self, times: usize) -> anyhow::Result<f64> {
        self.warm_up()?;
        for _ in 0..times {
            self.sample()?;
        }
        Ok(self.samples.milliseconds(50))
    }

    /// The latencies so far.
    pub(super) fn samples(&self) -> &Samples {
        &self.samples
    }

    /// The size of a response.
    pub(super) fn kibibytes(&self) -> f64 {
        self.bytes as f64 / 1024.0
    }

    fn warm_up(&mut self) -> anyhow::Result<()> {
        (0..WARM_UP).try_for_each(|_| self.ask().map(drop))
    }

    fn sample(&mut self) -> anyhow::Result<()> {
        let latency = self.ask()?;
        self.samples.record(latency);
        Ok(())
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

pub(super) fn compare(queries: &mut [MeasuredQuery; 2], time: Duration) -> anyhow::Result<()> {
    for side in queries.iter_mut() {
        side.warm_up()?;
    }
    let started = Instant::now();
    for turn in 0..MAX_SAMPLES {
        if turn >= LEAST && started.elapsed() > 2 * time {
            break;
        }
        for side in queries.iter_mut() {
            side.sample()?;
        }
    }
    Ok(())
}

fn row(
    engine: Engine,
    (name, _, _, has_target): Read,
    [small, big]: &[MeasuredQuery; 2],
) -> [Cell; 10] {
    let figure = |samples: &Samples, percent| Cell::Figure(samples.milliseconds(percent), 2);
    let ratio = big.samples.milliseconds(50) / small.samples.milliseconds(50);
    [
        engine.to_string().into(),
        name.into(),
        Cell::whole(big.kibibytes()),
        big.samples.count().into(),
        figure(&small.samples, 50),
        figure(&small.samples, 99),
        figure(&big.samples, 50),
        figure(&big.samples, 99),
        Cell::ratio(ratio),
        if has_target { Cell::against(ratio, TARGET) } else { Cell::Empty },
    ]
}
