//! The worker that runs requested audits, one after another (behaviour 6.7).
//!
//! The requests are in the database, at most one for each book, so the queue is bounded and
//! survives the process.

use std::collections::{HashMap, HashSet};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use daybook_domain::RefusalKind;
use daybook_domain::id::{BookKey, UserId};
use daybook_domain::instant::Instant;
use daybook_edge::Wakeup;
use daybook_edge::blocking::block;
use daybook_edge::worker::{RoundReport, RunningRound, Stop, Worker};
use daybook_service::audit::AuditRun;
use daybook_service::{Error, Ids, audit, book};
use daybook_storage::Store;
use daybook_storage::metric::{Gauge, LabelledCounter};

/// How long after a round the next one starts without a wakeup. An audit may have failed, or
/// another process may have ended before it ran one.
const POLL_INTERVAL: Duration = Duration::from_secs(60);

/// Audits of this process, by result.
pub(crate) static AUDITS: LabelledCounter<3> =
    LabelledCounter::new(["clean", "findings", "failed"]);
/// The findings of the last audits of this process of all books.
pub(crate) static FINDINGS: Gauge = Gauge::zero();

/// The dependencies of the worker.
#[derive(Clone)]
pub(crate) struct AuditWorker {
    pub(crate) store: Arc<Store>,
    pub(crate) ids: Arc<Ids>,
    pub(crate) clock: fn() -> Instant,
    /// Checked between portions of an audit.
    pub(crate) stop: Stop,
    /// The findings of books whose last audit had some.
    pub(crate) found: Arc<Mutex<HashMap<BookKey, i64>>>,
}

/// Creates the worker. `wakeup` is notified when an audit is requested.
pub(crate) fn worker(audits: AuditWorker, wakeup: Wakeup) -> Worker {
    let round = move || -> RunningRound {
        let audits = audits.clone();
        Box::pin(async move { Ok(block(move || audits.round()).await??) })
    };
    Worker { name: "audit", interval: POLL_INTERVAL, wakeup, round: Box::new(round) }
}

/// The users who had an audit in the current turn.
///
/// A turn ends when all waiting users have had one. So users take turns, however many audits one of
/// them requests.
#[derive(Default)]
struct Turns(HashSet<UserId>);

impl Turns {
    /// Returns the next audit: the first one of a user who has not had one in this turn.
    fn next<'a>(&mut self, waiting: &[&'a (BookKey, UserId)]) -> Option<&'a BookKey> {
        if waiting.iter().all(|(_, user)| self.0.contains(user)) {
            self.0.clear();
        }
        let (key, user) = waiting.iter().find(|(_, user)| !self.0.contains(user))?;
        self.0.insert(*user);
        Some(key)
    }
}

impl AuditWorker {
    /// Runs every requested audit.
    ///
    /// It reads the requests again after each audit. A request during an audit of the same book is
    /// a new one, and a process that finds the lease of a book taken leaves it to the holder.
    fn round(&self) -> Result<RoundReport, Error> {
        let (mut done, mut failed, mut turns) = (0, HashSet::new(), Turns::default());
        loop {
            let waiting = self.store.read(audit::waiting)?;
            let pending: Vec<_> = waiting.iter().filter(|(key, _)| !failed.contains(key)).collect();
            let next = if self.stop.is_requested() { None } else { turns.next(&pending) };
            let Some(key) = next else {
                let left = waiting.len();
                return Ok(RoundReport { found: done + left, done, left });
            };
            // A panic must not stop the audits of other books.
            match catch_unwind(AssertUnwindSafe(|| self.audit(key))) {
                Ok(Ok(true)) => {
                    done += 1;
                    continue;
                }
                Ok(Ok(false)) => {}
                Ok(Err(error)) => {
                    AUDITS.count("failed");
                    tracing::error!(book = key.as_str(), %error, "audit failed")
                }
                Err(_) => {
                    AUDITS.count("failed");
                    tracing::error!(book = key.as_str(), "audit panicked")
                }
            }
            failed.insert(key.clone());
        }
    }

    /// Runs the audit of a book and records its result. Returns `false` if none is requested, or if
    /// another process runs it.
    fn audit(&self, key: &BookKey) -> Result<bool, Error> {
        let Some(_lease) = self.store.lease(&format!("audit {}", key.as_str()))? else {
            return Ok(false);
        };
        let Some(run) = self.store.read(|tx| audit::run(tx, key, &|| self.stop.is_requested()))?
        else {
            return Ok(false);
        };
        let (sequence, findings) = (run.report.sequence, run.report.findings.count());
        self.count(key, findings);
        let run = Arc::new(run);
        if let Err(error) = self.record(key, &run) {
            if error.kind() != RefusalKind::Internal {
                return Err(error);
            }
            let (found, shard, book) =
                (run.report.findings.summary(), book::shard_key(key), key.clone());
            let now = (self.clock)();
            self.store.write_repeatable(shard, move |tx| {
                audit::record_without_event(tx, &book, &run, now)
            })?;
            tracing::error!(
                book = key.as_str(),
                sequence,
                findings,
                found,
                %error,
                "audit event not recorded"
            );
            return Ok(true);
        }
        tracing::info!(book = key.as_str(), sequence, findings, "audited");
        Ok(true)
    }

    /// Counts an audit and its findings, which replace those of an earlier audit of the book.
    fn count(&self, key: &BookKey, findings: i64) {
        AUDITS.count(if findings == 0 { "clean" } else { "findings" });
        let mut found = self.found.lock().unwrap_or_else(PoisonError::into_inner);
        found.remove(key);
        if findings > 0 {
            found.insert(key.clone(), findings);
        }
        FINDINGS.set(found.values().sum());
    }

    fn record(&self, key: &BookKey, run: &Arc<AuditRun>) -> Result<(), Error> {
        let (ids, now, book) = (Arc::clone(&self.ids), (self.clock)(), key.clone());
        let (shard, run) = (book::shard_key(key), Arc::clone(run));
        self.store.write_repeatable(shard, move |tx| audit::record(tx, &book, &run, &ids, now))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn users_take_turns() {
        let waiting = |book: &str, user| (BookKey::new(book.to_owned()), UserId::new(user));
        let requests = [waiting("a1", 1), waiting("a2", 1), waiting("a3", 1), waiting("b1", 2)];
        let (mut left, mut turns) = (requests.iter().collect::<Vec<_>>(), Turns::default());
        let mut order = Vec::new();
        while let Some(key) = turns.next(&left) {
            left.retain(|(book, _)| book != key);
            order.push(key.as_str());
        }
        assert_eq!(order, ["a1", "b1", "a2", "a3"]);
    }
}
