//! Section: several processes on one PostgreSQL, with the books distributed over them.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use super::batches::Sender;
use super::gauge::{Gauge, Used};
use super::singles::Side;
use super::workload::TEN_YEARS;
use super::{Book, Settings};
use crate::load::{Connection, Round, closed_loop};
use crate::table::{Cell, Table};
use crate::{Engine, Server};

/// The number of processes and of writers per process: the default, and the same total as one
/// process.
const SHARED: [(usize, usize); 5] = [(1, 4), (2, 4), (4, 4), (2, 2), (4, 1)];
const CLIENTS: usize = 32;
const BOOKS: usize = 8;

const METHOD: &str = "createTransaction of complete transactions by 32 clients in 8 books, which \
    are spread over so many processes with one database; the processes of other rows stand idle. \
    Processes, clients and database share the machine, so that more processes cannot be faster \
    where one uses all of it: what is shown is what it costs that there are several. CPU is \
    processor time per transaction: of all processes, and of PostgreSQL.";

pub(super) fn run(settings: &Settings) -> anyhow::Result<Vec<Table>> {
    let columns = [
        "processes",
        "writers of each",
        "tx/s",
        "p50 ms",
        "p99 ms",
        "CPU µs",
        "db CPU µs",
        "ratio to one",
    ];
    let mut table = Table::new("processes", "Several processes, one database", &columns)
        .method(format!("{METHOD} {}; throughput is the median.", settings.effort()));
    if settings.engines.contains(&Engine::Postgres) {
        let stage = Stage::start(settings)?;
        let sides = stage.run(settings)?;
        let one = sides.first().map(Side::rate).unwrap_or(f64::NAN);
        for ((processes, writers), side) in SHARED.into_iter().zip(&sides) {
            let [own, database] = side.processor(1);
            table.row([
                Cell::from(processes),
                Cell::from(writers),
                Cell::whole(side.rate()),
                side.milliseconds(50),
                side.milliseconds(99),
                Cell::whole(own),
                Cell::whole(database),
                Cell::ratio(side.rate() / one),
            ]);
        }
    }
    Ok(vec![table])
}

struct Stage {
    /// The processes of each row.
    servers: Vec<Vec<Server>>,
    books: Vec<Book>,
    next: AtomicU64,
    /// The owner of the database.
    _first: Server,
}

impl Stage {
    fn start(settings: &Settings) -> anyhow::Result<Stage> {
        let first = super::server(Engine::Postgres);
        let books: Vec<Book> =
            (0..BOOKS).map(|_| Book::create(&first, &TEN_YEARS)).collect::<Result<_, _>>()?;
        for book in &books {
            let path = book.path("/transactions/batch");
            Sender::new(vec![book.connect(&first)?], path).run(settings.time() / 6)?;
        }
        let start = |writers: usize| first.beside(&["--writers", &writers.to_string()]);
        let servers = SHARED
            .iter()
            .map(|(processes, writers)| (0..*processes).map(|_| start(*writers)).collect())
            .collect();
        Ok(Stage { servers, books, next: AtomicU64::new(1_000_000), _first: first })
    }

    fn run(&self, settings: &Settings) -> anyhow::Result<Vec<Side>> {
        let mut callers = Vec::new();
        for servers in &self.servers {
            let mut all = self.callers(servers)?;
            self.round(&mut all, settings.time() / 6)?;
            callers.push(all);
        }
        let mut sides: Vec<Side> = SHARED.iter().map(|_| Side::default()).collect();
        for _ in 0..settings.rounds() {
            for ((side, callers), servers) in sides.iter_mut().zip(&mut callers).zip(&self.servers)
            {
                let before = used(servers);
                let round = self.round(callers, settings.time())?;
                side.add(round, before, used(servers));
            }
        }
        Ok(sides)
    }

    /// The clients, each connected to the process of its book.
    fn callers(&self, servers: &[Server]) -> anyhow::Result<Vec<Connection>> {
        let connect = |client: usize| {
            let book = client % BOOKS;
            self.books[book].connect(&servers[book % servers.len()])
        };
        (0..CLIENTS).map(connect).collect()
    }

    fn round(&self, callers: &mut [Connection], time: Duration) -> anyhow::Result<Round> {
        let paths: Vec<String> = self.books.iter().map(|book| book.path("/transactions")).collect();
        let create = |client: usize, connection: &mut Connection| {
            let draft = TEN_YEARS.draft(self.next.fetch_add(1, Ordering::Relaxed));
            let path = &paths[client % BOOKS];
            connection.post(path, draft.json().as_bytes())?.accepted().map(drop)
        };
        closed_loop(callers, time, create)
    }
}

fn used(servers: &[Server]) -> Used {
    let all = servers.iter().map(|server| Gauge::new(server).read());
    all.reduce(|sum, one| Used { server: sum.server + one.server, database: one.database })
        .unwrap_or_default()
}
