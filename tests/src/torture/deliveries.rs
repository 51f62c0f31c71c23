//! Deliveries under kills: a delivering process is killed. Every event must still arrive, in order
//! for each app and book, and only deliveries in flight may arrive twice (behaviour 8.9, 8.10).
//!
//! On PostgreSQL a second process takes over; on SQLite the process is restarted.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use anyhow::{Context, ensure};
use serde_json::Value;

use crate::receiver::{Received, Receiver, fine};
use crate::{Client, Engine, RawSql, Server, bots, pause};

/// The amount of deliveries: each event of each book to each app.
#[derive(Clone, Copy, Debug)]
pub struct Plan {
    /// Books.
    pub books: usize,
    /// Apps, all of them in each book.
    pub apps: usize,
    /// Events per book.
    pub events: usize,
    /// The number of arrivals after which the process is killed.
    pub kill_after: usize,
    /// Expires the leases of the killed process when all other deliveries are done, instead of
    /// waiting.
    pub hasten: bool,
}

impl Plan {
    /// The number of deliveries.
    pub fn deliveries(self) -> usize {
        self.books * self.apps * self.events
    }
}

/// The result.
#[derive(Clone, Debug, Default)]
pub struct Delivered {
    /// Arrivals, including repeated ones.
    pub arrivals: usize,
    /// Arrivals that came twice.
    pub repeated: usize,
    /// The time from the kill to the first event of a queue that the killed process had leased.
    pub taken_over: Duration,
    /// The time from the first arrival to the last.
    pub took: Duration,
    /// All violations.
    pub violations: Vec<String>,
}

/// A received event.
struct Arrival {
    at: Instant,
    /// The app and the book.
    queue: (String, String),
    sequence: i64,
}

type Arrivals = Arc<Mutex<Vec<Arrival>>>;

/// The timeout after the kill: a minute for the leases, and the rest.
const ARRIVAL_TIMEOUT: Duration = Duration::from_secs(180);
/// A lease expires within a minute (8.9).
const MINUTE: Duration = Duration::from_secs(60);
/// After a silence of this length only deliveries of the killed process remain.
const SILENCE: Duration = Duration::from_secs(2);
/// The leases of the killed process. It opened the database first, so its process number 1 is part
/// of them, as of all its ids. Leases of a slow process stay.
const OF_THE_KILLED: &str = "lease IS NOT NULL AND (lease >> 8) & 16383 = 1";

fn note(arrivals: &Arrivals, received: &Received) {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let arrival = Arrival {
        at: Instant::now(),
        queue: (received.header("service-agent-id").to_owned(), text(&received.body["bookId"])),
        sequence: received.body["sequence"].as_i64().unwrap_or_default(),
    };
    arrivals.lock().expect("no panic before").push(arrival);
}

/// Records the events, kills the process, waits for all deliveries and checks them.
///
/// # Errors
/// When a request is refused, or arrivals stop.
pub fn run(engine: Engine, plan: Plan) -> anyhow::Result<Delivered> {
    let mut server = Server::start(engine);
    let other = (engine == Engine::Postgres).then(|| server.beside(&[]));
    let owner = server.client("torture@example.com");
    let arrivals = Arrivals::default();
    let noted = Arc::clone(&arrivals);
    let receiver = Receiver::forgetting(move |received| {
        note(&noted, received);
        fine("{}")
    });
    let apps: Vec<String> =
        (0..plan.apps).map(|_| bots::register(&owner, &receiver.url())).collect();
    let books: Vec<String> = (0..plan.books).map(|_| bots::book(&owner, &apps)).collect();
    let count = || arrivals.lock().expect("no panic before").len();
    for book in &books {
        bots::record(&owner, book, plan.events);
    }
    let begun = Instant::now();
    while count() < plan.kill_after {
        ensure!(begun.elapsed() < ARRIVAL_TIMEOUT, "only {} events arrive", count());
        pause(Duration::from_millis(1));
    }
    server.kill();
    let killed = Instant::now();
    if other.is_none() {
        server.restart();
    }
    let survivor = other.as_ref().unwrap_or(&server);
    let reader = survivor.client_with_token(owner.token().context("the owner has a token")?);
    wait(&server, &reader, &books[..], plan, &count)?;
    let arrivals = arrivals.lock().expect("no panic before");
    let mut delivered = check(&arrivals, killed, plan);
    for log in [Some(&server), other.as_ref()].into_iter().flatten().map(Server::log) {
        if log.contains("panicked") {
            delivered.violations.push("a log shows a panic".to_owned());
        }
    }
    Ok(delivered)
}

/// Waits until no event of any book is pending (8.10).
fn wait(
    server: &Server,
    reader: &Client,
    books: &[String],
    plan: Plan,
    count: &dyn Fn() -> usize,
) -> anyhow::Result<()> {
    let waiting = |book: &String| bots::backlog(reader, book) > 0;
    let begun = Instant::now();
    let mut last = (count(), Instant::now());
    while books.iter().any(waiting) {
        ensure!(
            begun.elapsed() < ARRIVAL_TIMEOUT,
            "8.10: events wait, and only {} arrived",
            count()
        );
        if last.0 != count() {
            last = (count(), Instant::now());
        }
        if plan.hasten && last.1.elapsed() > SILENCE {
            let ended = "UPDATE delivery_queues SET leased_until = 0";
            RawSql::open(server).execute(&format!("{ended} WHERE {OF_THE_KILLED}"));
            last.1 = Instant::now();
        }
        pause(Duration::from_millis(100));
    }
    Ok(())
}

fn check(arrivals: &[Arrival], killed: Instant, plan: Plan) -> Delivered {
    let mut queues: BTreeMap<&(String, String), Vec<&Arrival>> = BTreeMap::new();
    for arrival in arrivals {
        queues.entry(&arrival.queue).or_default().push(arrival);
    }
    let times = || arrivals.iter().map(|arrival| arrival.at);
    let mut delivered = Delivered {
        arrivals: arrivals.len(),
        took: times().max().zip(times().min()).map(|(end, begin)| end - begin).unwrap_or_default(),
        ..Delivered::default()
    };
    if queues.len() != plan.books * plan.apps {
        delivered.violations.push(format!("only {} queues were delivered", queues.len()));
    }
    for ((app, book), arrivals) in queues {
        let mut report = |what: String| delivered.violations.push(format!("{app} {book}: {what}"));
        let first = arrivals.first().map_or(0, |arrival| arrival.sequence);
        let mut next = first;
        let mut repeated = 0;
        for arrival in &arrivals {
            if arrival.sequence == next {
                next += 1;
            } else if arrival.sequence == next - 1 && arrival.at > killed {
                repeated += 1;
            } else {
                report(format!("event {} where {next} is due", arrival.sequence));
            }
        }
        let distinct = usize::try_from(next - first).unwrap_or_default();
        if distinct != plan.events {
            report(format!("{distinct} of {} events", plan.events));
        }
        if repeated > 1 {
            report(format!("{repeated} events came twice, where one was on its way"));
        }
        delivered.repeated += repeated;
        // The queues of the killed process pause until their leases expire.
        let pauses = arrivals.windows(2).filter(|pair| pair[1].at > killed);
        let pause = pauses.map(|pair| pair[1].at - pair[0].at.max(killed)).max();
        delivered.taken_over = delivered.taken_over.max(pause.unwrap_or_default());
    }
    if delivered.taken_over > MINUTE {
        let rested = delivered.taken_over;
        delivered.violations.push(format!("8.9: a queue rested for {rested:?} after the kill"));
    }
    delivered
}
