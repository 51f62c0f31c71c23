//! The victim: somebody else, with a book and a token of their own.

use std::net::SocketAddr;
use std::time::{Duration, Instant};

use anyhow::Context;
use serde_json::{Value, json};

use super::ground::Ground;
use crate::load::{Connection, Samples};
use crate::{Client, pause, unique};

/// How often it reads, records, and asks whether the server is ready.
const PERIOD: Duration = Duration::from_millis(100);
/// Transactions on the page that it reads.
const PAGE: usize = 50;

/// Somebody who works.
pub(super) struct Victim {
    address: SocketAddr,
    client: Client,
    book: String,
}

/// What its requests took, and what became of those that failed.
#[derive(Default)]
pub(super) struct Suffered {
    pub(super) took: Samples,
    pub(super) failed: Vec<String>,
    pub(super) unready: Vec<String>,
    pub(super) ready: Duration,
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
        Ok(Victim { address: ground.server.address(), client, book })
    }

    /// Works for this long, and until it has the answers to what it asked.
    pub(super) fn work(&self, time: Duration) -> Suffered {
        let until = Instant::now() + time;
        let page = format!("/v5/books/{}/transactions?limit={PAGE}", self.book);
        let path = format!("/v5/books/{}/transactions", self.book);
        let body = lunch().to_string();
        let read = |connection: &mut Connection| connection.get(&page).map(|reply| reply.status);
        let record = |connection: &mut Connection| {
            connection.post(&path, body.as_bytes()).map(|reply| reply.status)
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
