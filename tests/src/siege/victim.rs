//! The victim: another user with a book, an app and a token.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use anyhow::Context;
use serde_json::{Value, json};

use super::env::SiegeEnv;
use crate::load::{Connection, Samples};
use crate::receiver::{Receiver, fine};
use crate::{Client, now_milliseconds, pause, unique};

/// The interval of its reads, its writes and its readiness checks.
const PERIOD: Duration = Duration::from_millis(100);
/// Transactions on the page that it reads.
const PAGE: usize = 50;

/// A user who works during the attack.
pub(super) struct Victim {
    address: SocketAddr,
    client: Client,
    book: String,
    /// The receiver of its app.
    _receiver: Receiver,
    received_events: Arc<ReceivedEvents>,
}

/// The events that its app received since the victim started.
#[derive(Default)]
struct ReceivedEvents {
    events: AtomicU64,
    /// The longest delay of an event, in milliseconds.
    longest: AtomicU64,
}

/// The timeout for the last events.
const LAST_EVENTS: Duration = Duration::from_secs(20);

/// The latencies of its requests, and the failed ones.
#[derive(Default)]
pub(super) struct VictimReport {
    pub(super) latencies: Samples,
    pub(super) failed: Vec<String>,
    pub(super) unready: Vec<String>,
    pub(super) ready: Duration,
    /// The longest time until an event reached its app.
    pub(super) event: Duration,
}

/// One request of the victim.
type VictimRequest<'a> = &'a (dyn Fn(&mut Connection) -> std::io::Result<u16> + Sync);

impl Victim {
    /// Creates a user with a book in which a page is full.
    pub(super) fn new(env: &SiegeEnv) -> anyhow::Result<Victim> {
        let client = env.server.client(&format!("{}@example.com", unique("victim")));
        let accounts = [("Cash", "ASSET"), ("Food", "OUTGOING")]
            .map(|(name, kind)| json!({"name": name, "type": kind}));
        let made = client.post("/v5/books", &json!({"name": "Mine", "accounts": accounts})).ok();
        let book = made["id"].as_str().context("a book has an id")?.to_owned();
        let items: Vec<Value> = (0..PAGE).map(|_| lunch()).collect();
        client.post(&format!("/v5/books/{book}/transactions/batch"), &json!({"items": items})).ok();
        let received_events: Arc<ReceivedEvents> = Arc::default();
        let counters = Arc::clone(&received_events);
        let receiver = Receiver::forgetting(move |received| {
            let created = received.body["createdAt"].as_str().and_then(|text| text.parse().ok());
            let took = created.map_or(0, |created: i64| now_milliseconds() - created);
            counters.longest.fetch_max(u64::try_from(took).unwrap_or(0), Ordering::SeqCst);
            counters.events.fetch_add(1, Ordering::SeqCst);
            fine("{}")
        });
        let app = json!({"id": unique("victim-bot"), "name": "Bot", "webhookUrl": receiver.url(),
            "events": ["TRANSACTION_POSTED"]});
        client.post("/v5/apps", &app).ok();
        let installed = json!({"agentId": app["id"]});
        client.post(&format!("/v5/books/{book}/integrations"), &installed).ok();
        let address = env.server.address();
        Ok(Victim { address, client, book, _receiver: receiver, received_events })
    }

    /// Waits for the events of all recorded transactions; returns the longest delay, or the time
    /// waited if some are missing.
    fn slowest_event(&self, recorded: u64) -> Duration {
        let waiting = Instant::now();
        while self.received_events.events.load(Ordering::SeqCst) < recorded {
            if waiting.elapsed() > LAST_EVENTS {
                return LAST_EVENTS;
            }
            pause(Duration::from_millis(10));
        }
        Duration::from_millis(self.received_events.longest.load(Ordering::SeqCst))
    }

    /// Works for this time, and until the last answers have arrived.
    pub(super) fn work(&self, time: Duration) -> VictimReport {
        let until = Instant::now() + time;
        let page = format!("/v5/books/{}/transactions?limit={PAGE}", self.book);
        let path = format!("/v5/books/{}/transactions", self.book);
        let body = lunch().to_string();
        let read = |connection: &mut Connection| connection.get(&page).map(|reply| reply.status);
        let recorded = AtomicU64::new(0);
        self.received_events.events.store(0, Ordering::SeqCst);
        self.received_events.longest.store(0, Ordering::SeqCst);
        let record = |connection: &mut Connection| {
            let status = connection.post(&path, body.as_bytes()).map(|reply| reply.status)?;
            recorded.fetch_add(u64::from(status == 200), Ordering::SeqCst);
            Ok(status)
        };
        let work = |name, request: VictimRequest<'_>| self.repeat(name, request, until, true);
        let ready =
            |connection: &mut Connection| connection.get("/ready").map(|reply| reply.status);
        let (reads, writes, readiness) = std::thread::scope(|scope| {
            let reads = scope.spawn(|| work("reading", &read));
            let writes = scope.spawn(|| work("recording", &record));
            // A new connection each time, as load balancers do.
            let readiness = scope.spawn(|| self.repeat("ready", &ready, until, false));
            let joined = [reads, writes, readiness].map(|thread| thread.join());
            let [reads, writes, readiness] =
                joined.map(|done| done.expect("the victim does not panic"));
            (reads, writes, readiness)
        });
        let mut report = reads;
        report.latencies.absorb(writes.latencies);
        report.failed.extend(writes.failed);
        report.unready = readiness.failed;
        report.ready = readiness.latencies.percentile(100);
        report.event = self.slowest_event(recorded.into_inner());
        report
    }

    /// Repeats a request, one at a time, until `until`; on one connection if `keep_alive`.
    fn repeat(
        &self,
        name: &str,
        request: VictimRequest<'_>,
        until: Instant,
        keep_alive: bool,
    ) -> VictimReport {
        let mut report = VictimReport::default();
        let mut open = None;
        let token = self.client.token().expect("the victim has a token");
        while Instant::now() < until {
            let sent = Instant::now();
            let connection = match open.take() {
                Some(connection) => Ok(connection),
                None => Connection::open(self.address, token),
            };
            let outcome = connection.and_then(|mut connection| {
                let status = request(&mut connection)?;
                open = keep_alive.then_some(connection);
                Ok(status)
            });
            report.latencies.record(sent.elapsed());
            match outcome {
                Ok(200) => {}
                Ok(status) => report.failed.push(format!("{name}: {status}")),
                Err(error) => report.failed.push(format!("{name}: {error}")),
            }
            pause(PERIOD.saturating_sub(sent.elapsed()).max(Duration::from_millis(1)));
        }
        report
    }
}

fn lunch() -> Value {
    json!({
        "date": "2025-01-31",
        "amount": "12.50",
        "creditAccount": {"name": "Cash"},
        "debitAccount": {"name": "Food"},
        "description": "Lunch",
    })
}
