//! The worker that makes the audits that are wanted, one after another (behaviour 6.7).
//!
//! The requests stand in the database, one for each book, so the queue is bounded and survives the
//! process.

use std::collections::HashSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Duration;

use daybook_domain::RefusalKind;
use daybook_domain::id::{BookKey, UserId};
use daybook_domain::instant::Instant;
use daybook_http::{Wakeup, block};
use daybook_service::audit::AuditRun;
use daybook_service::{Error, Ids, audit};
use daybook_storage::{ShardKey, Store};

use super::{RoundReport, RunningRound, Stop, Worker};

/// How long after the last round another begins although nobody rang: an audit may have failed, or
/// another process may have ended before it made one.
const POLL_INTERVAL: Duration = Duration::from_secs(60);

/// What audits need.
#[derive(Clone)]
pub(crate) struct AuditWorker {
    pub(crate) store: Arc<Store>,
    pub(crate) ids: Arc<Ids>,
    pub(crate) clock: fn() -> Instant,
    /// Asked between portions of an audit.
    pub(crate) stop: Stop,
}

/// The worker; `wakeup` is notified when somebody has asked for an audit.
pub(crate) fn worker(audits: AuditWorker, wakeup: Wakeup) -> Worker {
    let round = move || -> RunningRound {
        let audits = audits.clone();
        Box::pin(async move { Ok(block(move || audits.round()).await??) })
    };
    Worker { name: "audit", interval: POLL_INTERVAL, wakeup, round: Box::new(round) }
}

/// The users whose audits were made since all of those who wait had one: so they take turns,
/// however many audits one of them asks for.
#[derive(Default)]
struct Turns(HashSet<UserId>);

impl Turns {
    /// The next audit: the first one of a user who has not had one.
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
    /// Makes every audit that is wanted. The requests are read again after each: who asks while an
    /// audit of the book is made wants another, and a process that finds the book's lease taken
    /// leaves that one to us.
    fn round(&self) -> Result<RoundReport, Error> {
        let (mut done, mut failed, mut turns) = (0, HashSet::new(), Turns::default());
        loop {
            let waiting = self.store.read(audit::waiting)?;
            let wanted: Vec<_> = waiting.iter().filter(|(key, _)| !failed.contains(key)).collect();
            let next = if self.stop.asked() { None } else { turns.next(&wanted) };
            let Some(key) = next else {
                let left = waiting.len();
                return Ok(RoundReport { found: done + left, done, left });
            };
            // A panic is a bug, but not one that other books should pay for.
            match catch_unwind(AssertUnwindSafe(|| self.audit(key))) {
                Ok(Ok(true)) => {
                    done += 1;
                    continue;
                }
                Ok(Ok(false)) => {}
                Ok(Err(error)) => {
                    tracing::error!(book = key.as_str(), %error, "an audit failed; it is tried \
                        again")
                }
                Err(_) => {
                    tracing::error!(book = key.as_str(), "an audit panicked; it is tried again")
                }
            }
            failed.insert(key.clone());
        }
    }

    /// Makes the audit of a book and records what it found; `false` when there was none to make or
    /// another process is making it.
    fn audit(&self, key: &BookKey) -> Result<bool, Error> {
        let Some(_lease) = self.store.lease(&format!("audit {}", key.as_str()))? else {
            return Ok(false);
        };
        let Some(made) = self.store.read(|tx| audit::run(tx, key, &|| self.stop.asked()))? else {
            return Ok(false);
        };
        let (sequence, findings) = (made.report.sequence, made.report.findings.count());
        let made = Arc::new(made);
        if let Err(error) = self.record(key, &made) {
            if error.kind() != RefusalKind::Internal {
                return Err(error);
            }
            let (found, lane, book) =
                (made.report.findings.summary(), ShardKey::of_book(key.as_str()), key.clone());
            self.store.write_repeatable(lane, move |tx| audit::record_nothing(tx, &book, &made))?;
            tracing::error!(book = key.as_str(), sequence, findings, found, %error, "an audit \
                cannot be recorded in the log of its book");
            return Ok(true);
        }
        tracing::info!(book = key.as_str(), sequence, findings, "audited");
        Ok(true)
    }

    /// Records what an audit found.
    fn record(&self, key: &BookKey, made: &Arc<AuditRun>) -> Result<(), Error> {
        let (ids, now, book) = (Arc::clone(&self.ids), (self.clock)(), key.clone());
        let (lane, made) = (ShardKey::of_book(key.as_str()), Arc::clone(made));
        self.store.write_repeatable(lane, move |tx| audit::record(tx, &book, &made, (&ids, now)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn users_take_turns() {
        let waiting = |book: &str, user| (BookKey::new(book.to_owned()), UserId::new(user));
        let asked = [waiting("a1", 1), waiting("a2", 1), waiting("a3", 1), waiting("b1", 2)];
        let (mut left, mut turns) = (asked.iter().collect::<Vec<_>>(), Turns::default());
        let mut order = Vec::new();
        while let Some(key) = turns.next(&left) {
            left.retain(|(book, _)| book != key);
            order.push(key.as_str());
        }
        assert_eq!(order, ["a1", "b1", "a2", "a3"]);
    }
}
