//! A client that reads during a fault and reports partial writes.

use std::collections::BTreeSet;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use serde_json::Value;

use super::faults::{micros, wait_until};
use crate::load::Connection;
use crate::{bank, encode, pause};

/// A reading client.
pub(super) struct Watch {
    begun: Instant,
    stopped: Arc<AtomicBool>,
    /// The time of the last answer, in microseconds since the start.
    answered: Arc<AtomicU64>,
    thread: JoinHandle<Seen>,
}

/// The observations of the client.
#[derive(Default)]
pub(super) struct Seen {
    /// The number of answers.
    pub(super) answers: usize,
    /// Partial writes.
    pub(super) half: Vec<String>,
    /// Answers that are wrong under any fault.
    pub(super) wrong: Vec<String>,
}

impl Watch {
    /// Reads balances and events, alternating over these servers.
    pub(super) fn start(addresses: Vec<SocketAddr>, token: &str, book: &str) -> Watch {
        let begun = Instant::now();
        let stopped = Arc::new(AtomicBool::new(false));
        let answered = Arc::new(AtomicU64::new(0));
        let at = Arc::clone(&answered);
        let (stop, token, book) = (Arc::clone(&stopped), token.to_owned(), book.to_owned());
        let watch = move || {
            let mut seen = Seen::default();
            for turn in 0.. {
                if stop.load(Ordering::Relaxed) {
                    break;
                }
                if let Ok(mut connection) =
                    Connection::open(addresses[turn % addresses.len()], &token)
                {
                    let before = seen.answers;
                    seen.look(&mut connection, &book);
                    if seen.answers > before {
                        at.store(micros(begun.elapsed()), Ordering::Relaxed);
                    }
                }
                pause(Duration::from_millis(50));
            }
            seen
        };
        Watch { begun, stopped, answered, thread: std::thread::spawn(watch) }
    }

    /// Waits until the client got an answer after this moment; returns the time it took, or `None`
    /// after the limit.
    pub(super) fn answered(&self, since: Instant, limit: Duration) -> Option<Duration> {
        wait_until(self.begun, since, limit, || self.answered.load(Ordering::Relaxed))
    }

    /// Stops the client and returns what it observed.
    pub(super) fn stop(self) -> anyhow::Result<Seen> {
        self.stopped.store(true, Ordering::Relaxed);
        self.thread.join().map_err(|_| anyhow::anyhow!("the reader panicked"))
    }
}

impl Seen {
    fn look(&mut self, connection: &mut Connection, book: &str) {
        let query = encode("after:2023-01 before:2025-01");
        let balances = format!("/v5/books/{book}/balances?query={query}");
        if let Some(answer) = self.get(connection, &balances) {
            let total = bank::whole(&answer);
            if total != 0 {
                self.half.push(format!("the book summed to {total} meanwhile"));
            }
        }
        if let Some(answer) = self.get(connection, &format!("/v5/books/{book}/events?limit=200")) {
            let events = answer["items"].as_array().cloned().unwrap_or_default();
            let numbers: BTreeSet<i64> =
                events.iter().filter_map(|event| event["sequence"].as_i64()).collect();
            let ends = numbers.first().zip(numbers.last());
            let span = ends.map_or(0, |(first, last)| last - first + 1);
            if usize::try_from(span) != Ok(events.len()) {
                self.half.push(format!("{} events span {span} numbers", events.len()));
            }
        }
    }

    fn get(&mut self, connection: &mut Connection, path: &str) -> Option<Value> {
        let reply = connection.get(path).ok()?;
        if reply.status == 503 {
            return None;
        }
        match reply.accepted().and_then(|reply| reply.json()) {
            Ok(answer) => {
                self.answers += 1;
                Some(answer)
            }
            Err(error) => {
                self.wrong.push(format!("{path}: {error:#}"));
                None
            }
        }
    }
}
