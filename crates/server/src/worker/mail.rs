//! The worker that sends the mails of the outbox (behaviour 7.10).
//!
//! It takes one mail after another, each for itself alone, hands it to the mail server outside of
//! any unit of work, and writes down what became of it. A process that ends in between leaves the
//! mail to be tried again after some minutes, so a mail may come twice, and never gets lost.

use std::sync::Arc;
use std::time::Duration;

use daybook_domain::instant::Instant;
use daybook_domain::mail::{Mail, MailAttempt, MailEnd};
use daybook_http::{Wakeup, block};
use daybook_service::{Error, mail};
use daybook_storage::{ShardKey, Store};

use super::{RoundReport, RunningRound, Stop, Worker};
use crate::clock;
use crate::smtp::{Delivery, Relay};

/// How long after the last round another begins although nobody rang: a pause of a mail may be
/// over, or another process may have ended before it sent one.
const INTERVAL: Duration = Duration::from_secs(60);

/// What sending needs.
#[derive(Clone)]
pub(crate) struct MailWorker {
    store: Arc<Store>,
    clock: fn() -> Instant,
    stop: Stop,
    /// Without one, mails stand in the outbox.
    relay: Option<Arc<Relay>>,
}

/// The worker; `wakeup` is notified when a mail may have been written.
pub(crate) fn worker(mails: MailWorker, wakeup: Wakeup) -> Worker {
    let round = move || -> RunningRound {
        let mails = mails.clone();
        Box::pin(async move { mails.round().await })
    };
    Worker { name: "mail", interval: INTERVAL, wakeup, round: Box::new(round) }
}

impl MailWorker {
    /// Sends the mails of a store by a mail server; without one it only gives them up.
    pub(crate) fn new(store: &Arc<Store>, relay: Option<Arc<Relay>>, stop: &Stop) -> Self {
        Self { store: Arc::clone(store), clock: clock::now, stop: stop.clone(), relay }
    }

    async fn round(self) -> anyhow::Result<RoundReport> {
        let open = self.prepare().await?;
        let Some(relay) = self.relay.as_deref().filter(|_| open > 0) else {
            return Ok(RoundReport::default());
        };
        let (mut connection, mut done) = (None, 0);
        while !self.stop.asked() {
            let Some(mail) = self.take().await? else { break };
            let delivery = relay.deliver(&mut connection, &mail).await;
            let reachable = delivery.reachable;
            done += usize::from(self.finish(mail, delivery).await?);
            // The others would fail for the same reason.
            if !reachable {
                break;
            }
        }
        relay.close(connection).await;
        let left = self.prepare().await?;
        // What waits for the end of its pause is nothing to do now.
        let found = if done > 0 { done.saturating_add(left) } else { 0 };
        Ok(RoundReport { found, done, left })
    }

    /// Gives up what is overdue; answers how many mails wait.
    async fn prepare(&self) -> anyhow::Result<usize> {
        let (store, now) = (Arc::clone(&self.store), (self.clock)());
        let (open, given_up) = block(move || {
            let (open, stale) = store.read(|tx| mail::backlog(tx, now))?;
            let sweep =
                || store.write_repeatable(ShardKey::NO_BOOK, move |tx| mail::sweep(tx, now));
            let given_up = if stale { sweep()? } else { 0 };
            Ok::<_, Error>((open, given_up))
        })
        .await??;
        if given_up > 0 {
            tracing::warn!(mails = given_up, "mails were given up: they were not sent in time");
        }
        Ok(usize::try_from(open).unwrap_or_default().saturating_sub(given_up))
    }

    async fn take(&self) -> anyhow::Result<Option<Mail>> {
        let (store, now) = (Arc::clone(&self.store), (self.clock)());
        Ok(block(move || store.write_repeatable(ShardKey::NO_BOOK, move |tx| mail::take(tx, now)))
            .await??)
    }

    /// Writes down what became of a mail; whether it has ended. The log tells no address and no
    /// text, and of what the mail server said the status alone.
    async fn finish(&self, sent: Mail, delivery: Delivery) -> Result<bool, anyhow::Error> {
        let Delivery { attempt, status, reachable } = delivery;
        let (id, kind, attempts) = (sent.id, sent.cause.kind.as_str(), sent.attempts);
        let (store, now) = (Arc::clone(&self.store), (self.clock)());
        let failed = attempt != MailAttempt::Sent;
        let write = move || {
            store.write_repeatable(ShardKey::NO_BOOK, move |tx| mail::finish(tx, id, &attempt, now))
        };
        let ended = block(write).await??.and_then(|mail| mail.ended).map(|(_, end)| end);
        let status = status.as_deref().unwrap_or("none");
        match ended {
            Some(MailEnd::Sent) => tracing::debug!(%id, kind, attempts, "a mail was sent"),
            Some(MailEnd::GivenUp) => {
                tracing::warn!(%id, kind, attempts, status, "a mail was given up")
            }
            None if failed => tracing::warn!(
                %id,
                kind,
                attempts,
                status,
                reachable,
                "a mail was not sent; it is tried again"
            ),
            None => tracing::debug!(%id, kind, "a mail was sent and dropped"),
        }
        Ok(ended.is_some())
    }
}
