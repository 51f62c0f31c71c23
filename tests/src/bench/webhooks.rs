//! Section 6: the delay of webhooks, and their cost for writers.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use anyhow::{Context, ensure};

use super::gauge::Gauge;
use super::singles::Side;
use super::workload::TEN_YEARS;
use super::{Book, Settings};
use crate::load::{Connection, Round, Samples, closed_loop};
use crate::receiver::{Answered, Receiver, fine};
use crate::table::{Cell, Table, Target};
use crate::{Client, Engine, Server, bots, fill, pause};

/// The relative rate of writers with an app in the book.
const TARGET: Target = Target::AtLeast(0.9);
/// Concurrent writers.
const CLIENTS: usize = 32;
/// The pause between two writes where delays are measured.
const REST: Duration = Duration::from_millis(100);
/// The timeout of all deliveries.
const DRAIN_TIMEOUT: Duration = Duration::from_secs(600);

const RATE: &str = "Events that wait are let go at once, to a receiver on this machine that \
    answers `{}` and shares the processors. The deliveries of an app in a book go one after \
    another, so each pair of them is one at a time.";

const DELAY: &str = "From the answer to createTransaction until the event has arrived. 32 \
    clients, each in a book of its own with one of four apps, write ten transactions a second \
    each: a closed loop would write more than one app can be told of.";

const COST: &str = "createTransaction over HTTP in books of one server, asked in turn: \
    without an app, with one whose receiver is busy (429) so that its events wait, and with \
    one that receives them meanwhile: then receiver and deliveries share the processors with \
    the writes.";

const WAITING: &str = "One book with ten apps that are busy. Resident memory of the process \
    before, after recording by batches of 1,000, and of a new process that has looked at the \
    queues; the caches of the engine are in it. The backlog is getBookEventsBacklog.";

pub(super) fn run(settings: &Settings) -> anyhow::Result<Vec<Table>> {
    let columns = ["engine", "books", "apps", "deliveries/s", "CPU µs", "db CPU µs", "RSS MiB"];
    let mut rate = Table::new("deliveries", "6a. Deliveries", &columns).method(RATE);
    let columns = ["engine", "writes/s", "p50 ms", "p99 ms"];
    let mut delay = Table::new("delay", "6b. From commit to arrival", &columns).method(DELAY);
    let columns =
        ["engine", "clients", "app", "tx/s", "p50 ms", "p99 ms", "CPU µs", "ratio", "target"];
    let mut cost = Table::new("apps", "6c. Single creates in a book with an app", &columns)
        .method(format!("{COST} {}; throughput is the median.", settings.effort()));
    let columns = [
        "engine",
        "waiting",
        "recorded tx/s",
        "RSS MiB before",
        "RSS MiB after",
        "RSS MiB anew",
        "backlog ms",
    ];
    let mut waiting = Table::new("waiting", "6d. Deliveries that wait", &columns).method(WAITING);
    for engine in &settings.engines {
        for (books, apps, events) in [(1, 1, 1_000), (8, 1, 500), (8, 8, 150)] {
            let events = if settings.quick { events / 5 } else { events };
            rate.row(deliveries(*engine, books, apps, events)?);
        }
        delay.row(delays(*engine, settings)?);
        for clients in [1, CLIENTS] {
            for row in costs(*engine, clients, settings)? {
                cost.row(row);
            }
        }
        waiting.row(many(*engine, if settings.quick { 2_000 } else { 100_000 })?);
    }
    Ok(vec![rate, delay, cost, waiting])
}

fn busy() -> Answered {
    ("429 Busy\r\nretry-after: 3600".to_owned(), String::new())
}

fn deliveries(
    engine: Engine,
    books: usize,
    apps: usize,
    events: usize,
) -> anyhow::Result<[Cell; 7]> {
    let server = super::server(engine);
    let owner = server.client("bench@example.com");
    let (open, arrived) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicUsize::new(0)));
    let (gate, count) = (Arc::clone(&open), Arc::clone(&arrived));
    let receiver = Receiver::forgetting(move |_| {
        while !gate.load(Ordering::Relaxed) {
            pause(Duration::from_millis(5));
        }
        count.fetch_add(1, Ordering::Relaxed);
        fine("{}")
    });
    let registered: Vec<String> =
        (0..apps).map(|_| bots::register(&owner, &receiver.url())).collect();
    for _ in 0..books {
        let book = bots::book(&owner, &registered);
        bots::record(&owner, &book, events);
    }
    let gauge = Gauge::new(&server);
    let (before, begun) = (gauge.read(), Instant::now());
    open.store(true, Ordering::Relaxed);
    let all = books * apps * events;
    while arrived.load(Ordering::Relaxed) < all {
        ensure!(begun.elapsed() < DRAIN_TIMEOUT, "{arrived:?} of {all} arrive");
        pause(Duration::from_millis(1));
    }
    let (took, after) = (begun.elapsed(), gauge.read());
    let used = after.since(before, all);
    Ok([
        engine.to_string().into(),
        books.into(),
        apps.into(),
        Cell::whole(all as f64 / took.as_secs_f64()),
        Cell::whole(used[0]),
        if gauge.watches_database() { Cell::whole(used[1]) } else { Cell::Empty },
        Cell::whole(gauge.resident()),
    ])
}

/// The times at which events were recorded or arrived.
type Times = Mutex<HashMap<u64, Instant>>;

fn set(times: &Times, number: u64) {
    times.lock().expect("no panic before").insert(number, Instant::now());
}

fn delays(engine: Engine, settings: &Settings) -> anyhow::Result<[Cell; 4]> {
    let server = super::server(engine);
    let owner = server.client("bench@example.com");
    let (answered, arrived) = (Times::default(), Arc::new(Times::default()));
    let noted = Arc::clone(&arrived);
    let receiver = Receiver::forgetting(move |received| {
        let description = &received.body["data"]["object"]["transaction"]["description"];
        if let Some(number) = description.as_str().and_then(|text| text.parse().ok()) {
            set(&noted, number);
        }
        fine("{}")
    });
    let apps: Vec<String> = (0..4).map(|_| bots::register(&owner, &receiver.url())).collect();
    let books: Vec<String> = (0..CLIENTS)
        .map(|number| bots::book(&owner, std::slice::from_ref(&apps[number % apps.len()])))
        .collect();
    let token = owner.token().context("the owner has a token")?;
    let mut callers: Vec<Connection> = (0..CLIENTS)
        .map(|_| Connection::open(server.address(), token))
        .collect::<Result<_, _>>()?;
    let next = AtomicU64::new(0);
    let write = |caller: usize, connection: &mut Connection| {
        let number = next.fetch_add(1, Ordering::Relaxed);
        let path = format!("/v5/books/{}/transactions", books[caller]);
        let body = bots::lunch(&number.to_string()).to_string();
        connection.post(&path, body.as_bytes())?.accepted()?;
        set(&answered, number);
        pause(REST);
        Ok(())
    };
    let round = closed_loop(&mut callers, settings.time() * 3, write)?;
    let begun = Instant::now();
    let answered = answered.lock().expect("no panic before");
    while arrived.lock().expect("no panic before").len() < answered.len() {
        ensure!(begun.elapsed() < DRAIN_TIMEOUT, "not all events arrive");
        pause(Duration::from_millis(10));
    }
    let arrived = arrived.lock().expect("no panic before");
    let mut samples = Samples::default();
    for (number, at) in answered.iter() {
        let delay = arrived.get(number).map(|arrived| arrived.saturating_duration_since(*at));
        samples.record(delay.context("an event of each")?);
    }
    Ok([
        engine.to_string().into(),
        Cell::whole(round.rate()),
        Cell::Figure(samples.milliseconds(50), 1),
        Cell::Figure(samples.milliseconds(99), 1),
    ])
}

/// A book whose app is reinstalled before each round, so that no delivery of the previous round
/// remains.
struct Kind {
    what: &'static str,
    book: Book,
    app: Option<String>,
    callers: Vec<Connection>,
    side: Side,
}

impl Kind {
    fn new(
        server: &Server,
        what: &'static str,
        clients: usize,
        app: Option<String>,
    ) -> anyhow::Result<Kind> {
        let book = Book::create(server, &TEN_YEARS)?;
        let callers = (0..clients).map(|_| book.connect(server)).collect::<Result<_, _>>()?;
        Ok(Kind { what, book, app, callers, side: Side::default() })
    }

    fn write(&mut self, owner: &Client, next: &AtomicU64, time: Duration) -> anyhow::Result<Round> {
        let path = self.book.path("/transactions");
        let installed =
            self.app.as_ref().map(|app| bots::install(owner, self.book.handle.id(), app));
        let round = closed_loop(&mut self.callers, time, |_, connection| {
            let draft = TEN_YEARS.draft(next.fetch_add(1, Ordering::Relaxed));
            connection.post(&path, draft.json().as_bytes())?.accepted().map(drop)
        })?;
        if let Some(id) = installed {
            owner.delete(&self.book.path(&format!("/integrations/{id}"))).ok();
        }
        Ok(round)
    }
}

fn costs(engine: Engine, clients: usize, settings: &Settings) -> anyhow::Result<Vec<[Cell; 9]>> {
    let server = super::server(engine);
    let owner = server.client("bench@example.com");
    let gauge = Gauge::new(&server);
    let receivers = [Receiver::forgetting(|_| busy()), Receiver::forgetting(|_| fine("{}"))];
    let [waits, receives] =
        receivers.each_ref().map(|receiver| Some(bots::register(&owner, &receiver.url())));
    let mut kinds = [
        Kind::new(&server, "none", clients, None)?,
        Kind::new(&server, "one, whose events wait", clients, waits)?,
        Kind::new(&server, "one that receives", clients, receives)?,
    ];
    let next = AtomicU64::new(0);
    for kind in &mut kinds {
        kind.write(&owner, &next, settings.time() / 3)?;
    }
    for _ in 0..settings.rounds() {
        for kind in &mut kinds {
            let before = gauge.read();
            let round = kind.write(&owner, &next, settings.time())?;
            kind.side.add(round, before, gauge.read());
        }
    }
    let base = kinds[0].side.rate();
    let row = |kind: &Kind| {
        let ratio = kind.side.rate() / base;
        [
            engine.to_string().into(),
            clients.into(),
            kind.what.into(),
            Cell::whole(kind.side.rate()),
            kind.side.milliseconds(50),
            kind.side.milliseconds(99),
            Cell::whole(kind.side.processor(1)[0]),
            Cell::ratio(ratio),
            if kind.app.is_some() { Cell::against(ratio, TARGET) } else { Cell::Empty },
        ]
    };
    Ok(kinds.iter().map(row).collect())
}

fn many(engine: Engine, events: usize) -> anyhow::Result<[Cell; 7]> {
    const APPS: usize = 10;
    let mut server = super::server(engine);
    let owner = server.client("bench@example.com");
    let receiver = Receiver::forgetting(|_| busy());
    let apps: Vec<String> = (0..APPS).map(|_| bots::register(&owner, &receiver.url())).collect();
    let book = bots::book(&owner, &apps);
    let before = Gauge::new(&server).resident();
    let begun = Instant::now();
    for _ in 0..events / fill::BATCH {
        bots::record(&owner, &book, fill::BATCH);
    }
    let rate = events as f64 / begun.elapsed().as_secs_f64();
    let after = Gauge::new(&server).resident();
    let asked = Instant::now();
    let waiting = bots::backlog(&owner, &book);
    let backlog = asked.elapsed().as_secs_f64() * 1e3;
    ensure!(usize::try_from(waiting) == Ok(events), "8.10: {waiting} of {events} wait");
    server.restart();
    // A few rounds of the worker.
    pause(Duration::from_secs(3));
    Ok([
        engine.to_string().into(),
        (events * APPS).into(),
        Cell::whole(rate),
        Cell::whole(before),
        Cell::whole(after),
        Cell::whole(Gauge::new(&server).resident()),
        Cell::Figure(backlog, 1),
    ])
}
