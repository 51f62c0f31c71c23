//! The clients that write until the server is gone.

use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread::JoinHandle;

use anyhow::{Context, bail};
use serde_json::{Value, json};

use super::Content;
use crate::dice::Dice;
use crate::load::{Connection, Reply};

/// One create that was sent: a single transaction or a batch.
#[derive(Clone, Debug)]
pub(super) struct Request {
    /// Its transactions.
    pub(super) numbers: Range<u64>,
    /// Sent to the batch endpoint.
    pub(super) batch: bool,
    /// What the server called them, in order; nothing when no answer came.
    pub(super) ids: Option<Vec<String>>,
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
        let mut items: Vec<Value> = self.numbers.clone().map(body).collect();
        let (path, body) = if self.batch {
            ("/transactions/batch", json!({"items": items}))
        } else {
            ("/transactions", items.remove(0))
        };
        let path = format!("/v5/books/{book}{path}");
        let Ok(reply) = connection.post(&path, body.to_string().as_bytes()) else {
            return Ok(None);
        };
        ids(reply, self.batch).with_context(|| format!("transactions {:?}", self.numbers)).map(Some)
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
        // Mostly singles, some small batches, now and then one that fills several pages.
        let (batch, size) = match dice.below(10) {
            0..7 => (false, 1),
            7..9 => (true, 2 + dice.below(20)),
            _ => (true, 100 + dice.below(200)),
        };
        let first = next.fetch_add(size, Ordering::Relaxed);
        let mut request = Request { numbers: first..first + size, batch, ids: None };
        request.ids = request.send(&mut connection, book)?;
        let lost = request.ids.is_none();
        sent.push(request);
        if lost {
            return Ok(sent);
        }
    }
}
