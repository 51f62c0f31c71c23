//! The clients that write: until the server is gone, or through whatever happens to it.

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
use crate::rng::Dice;

/// One create that was sent: a single transaction or a batch.
#[derive(Clone, Debug)]
pub(super) struct Request {
    /// Its transactions.
    pub(super) numbers: Range<u64>,
    /// Sent to the batch endpoint.
    pub(super) batch: bool,
    /// What the server called them, in order; nothing when no answer came.
    pub(super) ids: Option<Vec<String>>,
    /// The server answered that it is not available, and so has recorded nothing (10.17).
    pub(super) undone: bool,
}

impl Request {
    pub(super) fn len(&self) -> usize {
        self.numbers.clone().count()
    }

    /// Sends it; an error of the connection is `Ok(None)`, a refusal an error.
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

    /// A request that was not sent yet: mostly singles, some small batches, now and then one whose
    /// rows are written while it or the next one runs.
    fn draw(next: &AtomicU64, dice: &mut Dice) -> Request {
        let (batch, size) = match dice.below(10) {
            0..7 => (false, 1),
            7..9 => (true, 2 + dice.below(20)),
            _ => (true, 100 + dice.below(900)),
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

/// Running clients.
pub(super) struct Writers {
    next: Arc<AtomicU64>,
    threads: Vec<JoinHandle<anyhow::Result<Vec<Request>>>>,
}

/// Lets every connection write, taking numbers from `next` on.
pub(super) fn start(
    connections: Vec<Connection>,
    book: &str,
    next: u64,
    dice: &mut Dice,
) -> Writers {
    let next = Arc::new(AtomicU64::new(next));
    let spawn = |connection| {
        let (book, next, dice) = (book.to_owned(), Arc::clone(&next), Dice::new(dice.roll()));
        std::thread::spawn(move || write(connection, &book, &next, dice))
    };
    let threads = connections.into_iter().map(spawn).collect();
    Writers { next, threads }
}

impl Writers {
    /// Waits until the last one has lost its connection: what they sent, and the next free number.
    pub(super) fn join(self) -> anyhow::Result<(Vec<Request>, u64)> {
        let mut sent = Vec::new();
        for thread in self.threads {
            match thread.join() {
                Ok(requests) => sent.extend(requests?),
                Err(_) => bail!("a client panicked"),
            }
        }
        Ok((sent, self.next.load(Ordering::Relaxed)))
    }
}

fn write(
    mut connection: Connection,
    book: &str,
    next: &AtomicU64,
    mut dice: Dice,
) -> anyhow::Result<Vec<Request>> {
    let mut sent = Vec::new();
    loop {
        let mut request = Request::draw(next, &mut dice);
        request.ids = request.send(&mut connection, book)?;
        let lost = request.ids.is_none();
        sent.push(request);
        if lost {
            return Ok(sent);
        }
    }
}

/// What clients share that go on whatever happens.
struct Course {
    addresses: Vec<SocketAddr>,
    token: String,
    book: String,
    next: AtomicU64,
    begun: Instant,
    /// For each client when it last got an acknowledgement, in microseconds since the beginning.
    acknowledged: Vec<AtomicU64>,
    stopped: AtomicBool,
}

/// Clients that go on: whose connection breaks, or who is told that the service is unavailable,
/// goes to the next server with the next request.
pub(super) struct Persistent {
    course: Arc<Course>,
    threads: Vec<JoinHandle<Persisted>>,
}

/// What one client did, or all of them.
#[derive(Default)]
pub(super) struct Persisted {
    pub(super) sent: Vec<Request>,
    /// How many were answered 503.
    pub(super) unavailable: usize,
    /// Answers that nobody may get, whatever happens.
    pub(super) wrong: Vec<String>,
    /// The first number that was not sent.
    pub(super) next: u64,
}

/// The longest that a client waits before it tries again.
const RETRY_PAUSE: Duration = Duration::from_millis(20);

impl Persistent {
    /// Lets so many clients write, in turns to these servers.
    pub(super) fn start(
        (clients, addresses): (usize, Vec<SocketAddr>),
        token: &str,
        book: &str,
        next: u64,
        dice: &mut Dice,
    ) -> Persistent {
        let course = Arc::new(Course {
            addresses,
            token: token.to_owned(),
            book: book.to_owned(),
            next: AtomicU64::new(next),
            begun: Instant::now(),
            acknowledged: (0..clients).map(|_| AtomicU64::new(0)).collect(),
            stopped: AtomicBool::new(false),
        });
        let spawn = |number| {
            let (course, dice) = (Arc::clone(&course), Dice::new(dice.roll()));
            std::thread::spawn(move || course.run(number, dice))
        };
        Persistent { threads: (0..clients).map(spawn).collect(), course }
    }

    /// Waits until every client got an acknowledgement after this moment; how long that took, or
    /// nothing when it did not come in time.
    pub(super) fn all_acknowledged(&self, since: Instant, limit: Duration) -> Option<Duration> {
        let last = || {
            let last = self.course.acknowledged.iter().map(|at| at.load(Ordering::Relaxed));
            last.min().unwrap_or_default()
        };
        wait_until((self.course.begun, since), limit, last)
    }

    /// Stops all: what they did.
    pub(super) fn stop(self) -> anyhow::Result<Persisted> {
        self.course.stopped.store(true, Ordering::Relaxed);
        let mut all = Persisted::default();
        for thread in self.threads {
            let Ok(one) = thread.join() else { bail!("a client panicked") };
            all.sent.extend(one.sent);
            all.unavailable += one.unavailable;
            all.wrong.extend(one.wrong);
        }
        all.next = self.course.next.load(Ordering::Relaxed);
        Ok(all)
    }
}

impl Course {
    fn run(&self, number: usize, mut dice: Dice) -> Persisted {
        let mut done = Persisted::default();
        let mut turn = number;
        while !self.stopped.load(Ordering::Relaxed) {
            let address = self.addresses[turn % self.addresses.len()];
            turn += 1;
            match Connection::open(address, &self.token) {
                Ok(mut connection) => self.write(number, &mut connection, &mut done, &mut dice),
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
        done: &mut Persisted,
        dice: &mut Dice,
    ) {
        while !self.stopped.load(Ordering::Relaxed) {
            let mut request = Request::draw(&self.next, dice);
            // What is not answered may have been recorded, and so may what nobody knows of.
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
