//! The writing clients.

use std::net::SocketAddr;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use anyhow::{Context, bail};
use serde_json::{Value, json};

use super::Content;
use super::faults::{micros, wait_until};
use crate::load::{Connection, Reply};
use crate::pause;
use crate::rng::Rng;

/// A create that was sent: a single transaction or a batch.
#[derive(Clone, Debug)]
pub(super) struct Request {
    /// The numbers of its transactions.
    pub(super) numbers: Range<u64>,
    /// Whether it was sent to the batch endpoint.
    pub(super) batch: bool,
    /// The ids of the answer, in order; `None` without an answer.
    pub(super) ids: Option<Vec<String>>,
    /// Whether the answer was 503, so nothing is recorded (10.17).
    pub(super) undone: bool,
}

impl Request {
    pub(super) fn len(&self) -> usize {
        self.numbers.clone().count()
    }

    /// Sends it; a connection error is `Ok(None)`, a refusal an error.
    pub(super) fn send(
        &self,
        connection: &mut Connection,
        book: &str,
    ) -> anyhow::Result<Option<Vec<String>>> {
        match self.reply(connection, book) {
            Err(_) => Ok(None),
            Ok(reply) => ids(reply, self.batch)
                .with_context(|| format!("transactions {:?}", self.numbers))
                .map(Some),
        }
    }

    fn reply<'a>(&self, connection: &'a mut Connection, book: &str) -> std::io::Result<Reply<'a>> {
        let mut items: Vec<Value> = self.numbers.clone().map(body).collect();
        let (path, body) = if self.batch {
            ("/transactions/batch", json!({"items": items}))
        } else {
            ("/transactions", items.remove(0))
        };
        let path = format!("/v5/books/{book}{path}");
        connection.post(&path, body.to_string().as_bytes())
    }

    /// Draws a request: mostly singles, some small batches, sometimes one whose rows are flushed in
    /// the background.
    fn draw(next: &AtomicU64, rng: &mut Rng) -> Request {
        let (batch, size) = match rng.below(10) {
            0..7 => (false, 1),
            7..9 => (true, 2 + rng.below(20)),
            _ => (true, 100 + rng.below(900)),
        };
        let first = next.fetch_add(size, Ordering::Relaxed);
        Request { numbers: first..first + size, batch, ids: None, undone: false }
    }
}

fn body(number: u64) -> Value {
    let content = Content::of(number);
    json!({
        "date": content.date,
        "amount": content.amount(),
        "creditAccount": {"name": content.credit},
        "debitAccount": {"name": content.debit},
        "description": format!("Transaction {number}"),
        "remoteIds": [number.to_string()],
    })
}

fn ids(reply: Reply, batch: bool) -> anyhow::Result<Vec<String>> {
    let answer = reply.accepted()?.json()?;
    let id = |transaction: &Value| transaction["id"].as_str().map(str::to_owned);
    let ids: Option<Vec<String>> = if batch {
        answer["items"].as_array().and_then(|items| items.iter().map(id).collect())
    } else {
        id(&answer["transaction"]).map(|id| vec![id])
    };
    ids.with_context(|| format!("an answer without ids: {answer}"))
}

/// The shared state of the clients.
struct SharedState {
    addresses: Vec<SocketAddr>,
    token: String,
    book: String,
    next: AtomicU64,
    begun: Instant,
    /// The time of each client's last acknowledgement, in microseconds since the start.
    acknowledged: Vec<AtomicU64>,
    stopped: AtomicBool,
}

/// Clients that keep writing: after a connection error or a 503 they continue with the next server.
pub(super) struct Persistent {
    shared: Arc<SharedState>,
    threads: Vec<JoinHandle<ClientReport>>,
}

/// The requests and observations of one client, or of all together.
#[derive(Default)]
pub(super) struct ClientReport {
    pub(super) sent: Vec<Request>,
    /// The number of 503 answers.
    pub(super) unavailable: usize,
    /// Answers that are wrong under any fault.
    pub(super) wrong: Vec<String>,
    /// The first unused number.
    pub(super) next: u64,
}

/// The longest pause of a client before a retry.
const RETRY_PAUSE: Duration = Duration::from_millis(20);

impl Persistent {
    /// Starts the clients, alternating over these servers.
    pub(super) fn start(
        clients: usize,
        addresses: Vec<SocketAddr>,
        token: &str,
        book: &str,
        next: u64,
        rng: &mut Rng,
    ) -> Persistent {
        let shared = Arc::new(SharedState {
            addresses,
            token: token.to_owned(),
            book: book.to_owned(),
            next: AtomicU64::new(next),
            begun: Instant::now(),
            acknowledged: (0..clients).map(|_| AtomicU64::new(0)).collect(),
            stopped: AtomicBool::new(false),
        });
        let spawn = |number| {
            let (shared, rng) = (Arc::clone(&shared), Rng::new(rng.next_u64()));
            std::thread::spawn(move || shared.run(number, rng))
        };
        Persistent { threads: (0..clients).map(spawn).collect(), shared }
    }

    /// Waits until every client got an acknowledgement after this moment; returns the time it took,
    /// or `None` after the limit.
    pub(super) fn all_acknowledged(&self, since: Instant, limit: Duration) -> Option<Duration> {
        let last = || {
            let last = self.shared.acknowledged.iter().map(|at| at.load(Ordering::Relaxed));
            last.min().unwrap_or_default()
        };
        wait_until(self.shared.begun, since, limit, last)
    }

    /// Stops all clients and returns what they did.
    pub(super) fn stop(self) -> anyhow::Result<ClientReport> {
        self.shared.stopped.store(true, Ordering::Relaxed);
        let mut all = ClientReport::default();
        for thread in self.threads {
            let Ok(one) = thread.join() else { bail!("a client panicked") };
            all.sent.extend(one.sent);
            all.unavailable += one.unavailable;
            all.wrong.extend(one.wrong);
        }
        all.next = self.shared.next.load(Ordering::Relaxed);
        Ok(all)
    }
}

impl SharedState {
    fn run(&self, number: usize, mut rng: Rng) -> ClientReport {
        let mut done = ClientReport::default();
        let mut turn = number;
        while !self.stopped.load(Ordering::Relaxed) {
            let address = self.addresses[turn % self.addresses.len()];
            turn += 1;
            match Connection::open(address, &self.token) {
                Ok(mut connection) => self.write(number, &mut connection, &mut done, &mut rng),
                Err(_) => pause(RETRY_PAUSE),
            }
        }
        done
    }

    /// Writes until the connection breaks or the service is unavailable.
    fn write(
        &self,
        number: usize,
        connection: &mut Connection,
        done: &mut ClientReport,
        rng: &mut Rng,
    ) {
        while !self.stopped.load(Ordering::Relaxed) {
            let mut request = Request::draw(&self.next, rng);
            // An unanswered request may or may not have been recorded.
            let outcome = match request.reply(connection, &self.book) {
                Err(_) => Err(None),
                Ok(reply) if reply.status == 503 => {
                    done.unavailable += 1;
                    request.undone = true;
                    Err(None)
                }
                Ok(reply) if reply.status == 409 && reply.says("outcomeUnknown") => Err(None),
                Ok(reply) => ids(reply, request.batch).map_err(Some),
            };
            match outcome {
                Ok(ids) => {
                    request.ids = Some(ids);
                    let now = micros(self.begun.elapsed());
                    self.acknowledged[number].store(now, Ordering::Relaxed);
                    done.sent.push(request);
                }
                Err(wrong) => {
                    done.wrong.extend(wrong.map(|error| format!("{error:#}")));
                    done.sent.push(request);
                    return pause(RETRY_PAUSE);
                }
            }
        }
    }
}
