//! The victim: somebody else, with a book, an app in it, and a token of their own.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use anyhow::Context;
use serde_json::{Value, json};

use super::env::Ground;
use crate::load::{Connection, Samples};
use crate::receiver::{Receiver, fine};
use crate::{Client, now_milliseconds, pause, unique};

/// How often it reads, records, and asks whether the server is ready.
const PERIOD: Duration = Duration::from_millis(100);
/// Transactions on the page that it reads.
const PAGE: usize = 50;

/// Somebody who works.
pub(super) struct Victim {
    address: SocketAddr,
    client: Client,
    book: String,
    /// Where its app listens.
    _receiver: Receiver,
    told: Arc<Told>,
}

/// What its app was told since the victim began to work.
#[derive(Default)]
struct Told {
    events: AtomicU64,
    /// How long one took at most, in milliseconds.
    longest: AtomicU64,
}

/// How long is waited for events at the end.
const LAST_EVENTS: Duration = Duration::from_secs(20);

/// What its requests took, and what became of those that failed.
#[derive(Default)]
pub(super) struct Suffered {
    pub(super) took: Samples,
    pub(super) failed: Vec<String>,
    pub(super) unready: Vec<String>,
    pub(super) ready: Duration,
    /// How long an event took at most to reach its app.
    pub(super) event: Duration,
}

/// One of its requests.
type Turn<'a> = &'a (dyn Fn(&mut Connection) -> std::io::Result<u16> + Sync);

impl Victim {
    /// A new user with a book in which a page is full.
    pub(super) fn new(ground: &Ground) -> anyhow::Result<Victim> {
        let client = ground.server.client(&format!("{}@example.com", unique("victim")));
        let accounts = [("Cash", "ASSET"), ("Food", "OUTGOING")]
            .map(|(name, kind)| json!({"name": name, "type": kind}));
        let made = client.post("/v5/books", &json!({"name": "Mine", "accounts": accounts})).ok();
        let book = made["id"].as_str().context("a book has an id")?.to_owned();
        let items: Vec<Value> = (0..PAGE).map(|_| lunch()).collect();
        client.post(&format!("/v5/books/{book}/transactions/batch"), &json!({"items": items})).ok();
        let told: Arc<Told> = Arc::default();
        let telling = Arc::clone(&told);
        let receiver = Receiver::forgetting(move |received| {
            let created = received.body["createdAt"].as_str().and_then(|text| text.parse().ok());
            let took = created.map_or(0, |created: i64| now_milliseconds() - created);
            telling.longest.fetch_max(u64::try_from(took).unwrap_or(0), Ordering::SeqCst);
            telling.events.fetch_add(1, Ordering::SeqCst);
            fine("{}")
        });
        let app = json!({"id": unique("victim-bot"), "name": "Bot", "webhookUrl": receiver.url(),
            "events": ["TRANSACTION_POSTED"]});
        client.post("/v5/apps", &app).ok();
        let installed = json!({"agentId": app["id"]});
        client.post(&format!("/v5/books/{book}/integrations"), &installed).ok();
        let address = ground.server.address();
        Ok(Victim { address, client, book, _receiver: receiver, told })
    }

    /// How long an event took at most, when those of so many transactions have come; as long as was
    /// waited for them when they have not.
    fn slowest_event(&self, recorded: u64) -> Duration {
        let waiting = Instant::now();
        while self.told.events.load(Ordering::SeqCst) < recorded {
            if waiting.elapsed() > LAST_EVENTS {
                return LAST_EVENTS;
            }
            pause(Duration::from_millis(10));
        }
        Duration::from_millis(self.told.longest.load(Ordering::SeqCst))
    }

    /// Works for this long, and until it has the answers to what it asked.
    pub(super) fn work(&self, time: Duration) -> Suffered {
        let until = Instant::now() + time;
        let page = format!("/v5/books/{}/transactions?limit={PAGE}", self.book);
        let path = format!("/v5/books/{}/transactions", self.book);
        let body = lunch().to_string();
        let read = |connection: &mut Connection| connection.get(&page).map(|reply| reply.status);
        let recorded = AtomicU64::new(0);
        self.told.events.store(0, Ordering::SeqCst);
        self.told.longest.store(0, Ordering::SeqCst);
        let record = |connection: &mut Connection| {
            let status = connection.post(&path, body.as_bytes()).map(|reply| reply.status)?;
            recorded.fetch_add(u64::from(status == 200), Ordering::SeqCst);
            Ok(status)
        };
        let work = |name, turn: Turn<'_>| self.repeat((name, turn), (until, true));
        let ready =
            |connection: &mut Connection| connection.get("/ready").map(|reply| reply.status);
        let (reads, writes, asks) = std::thread::scope(|scope| {
            let reads = scope.spawn(|| work("reading", &read));
            let writes = scope.spawn(|| work("recording", &record));
            // On a new connection each time, as who balances loads does.
            let asks = scope.spawn(|| self.repeat(("ready", &ready), (until, false)));
            let joined = [reads, writes, asks].map(|thread| thread.join());
            let [reads, writes, asks] = joined.map(|done| done.expect("the victim is calm"));
            (reads, writes, asks)
        });
        let mut suffered = reads;
        suffered.took.absorb(writes.took);
        suffered.failed.extend(writes.failed);
        suffered.unready = asks.failed;
        suffered.ready = asks.took.percentile(100);
        suffered.event = self.slowest_event(recorded.into_inner());
        suffered
    }

    /// Sends a request again and again, one at a time, until then; on one connection if it keeps
    /// it.
    fn repeat(&self, (name, turn): (&str, Turn<'_>), (until, keeps): (Instant, bool)) -> Suffered {
        let mut suffered = Suffered::default();
        let mut kept = None;
        let token = self.client.token().expect("the victim has a token");
        while Instant::now() < until {
            let sent = Instant::now();
            let connection = match kept.take() {
                Some(connection) => Ok(connection),
                None => Connection::open(self.address, token),
            };
            let outcome = connection.and_then(|mut connection| {
                let status = turn(&mut connection)?;
                kept = keeps.then_some(connection);
                Ok(status)
            });
            suffered.took.record(sent.elapsed());
            match outcome {
                Ok(200) => {}
                Ok(status) => suffered.failed.push(format!("{name}: {status}")),
                Err(error) => suffered.failed.push(format!("{name}: {error}")),
            }
            pause(PERIOD.saturating_sub(sent.elapsed()).max(Duration::from_millis(1)));
        }
        suffered
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
