//! The worker that sends the mails of the outbox (behaviour 7.10).
//!
//! It takes one mail at a time, hands it to the mail server outside of any unit of work, and
//! records the attempt. If the process ends in between, the mail is sent again after some minutes.
//! So a mail may arrive twice, and is never lost.

use std::sync::Arc;
use std::time::Duration;

use daybook_domain::instant::Instant;
use daybook_domain::mail::{Mail, MailAttempt, MailEnd};
use daybook_edge::Wakeup;
use daybook_edge::blocking::block;
use daybook_edge::worker::{RoundReport, RunningRound, Stop, Worker};
use daybook_service::{Error, mail};
use daybook_storage::Store;

use crate::clock;
use crate::smtp::{Delivery, Relay};

/// How long after a round the next one starts without a wakeup. A retry may be due, or another
/// process may have ended before it sent a mail.
const INTERVAL: Duration = Duration::from_secs(60);

/// The dependencies of the worker.
#[derive(Clone)]
pub(crate) struct MailWorker {
    store: Arc<Store>,
    clock: fn() -> Instant,
    stop: Stop,
    /// The mail server. Without one, mails stay in the outbox.
    relay: Option<Arc<Relay>>,
}

/// Creates the worker. `wakeup` is notified when a mail may have been written.
pub(crate) fn worker(mails: MailWorker, wakeup: Wakeup) -> Worker {
    let round = move || -> RunningRound {
        let mails = mails.clone();
        Box::pin(async move { mails.round().await })
    };
    Worker { name: "mail", interval: INTERVAL, wakeup, round: Box::new(round) }
}

impl MailWorker {
    /// Creates a worker. Without a mail server it only gives up overdue mails.
    pub(crate) fn new(store: &Arc<Store>, relay: Option<Arc<Relay>>, stop: &Stop) -> Self {
        Self { store: Arc::clone(store), clock: clock::now, stop: stop.clone(), relay }
    }

    async fn round(self) -> anyhow::Result<RoundReport> {
        let open = self.give_up_overdue().await?;
        let Some(relay) = self.relay.as_deref() else { return Ok(RoundReport::default()) };
        if open == 0 {
            return Ok(RoundReport::default());
        }
        let (mut connection, mut done) = (None, 0);
        while !self.stop.is_requested() {
            let Some(mail) = self.take_due().await? else { break };
            let delivery = relay.deliver(&mut connection, &mail).await;
            let reachable = delivery.reachable;
            done += usize::from(self.finish(mail, delivery).await?);
            // Other mails would fail for the same reason.
            if !reachable {
                break;
            }
        }
        relay.close(connection).await;
        let left = self.give_up_overdue().await?;
        // A mail that waits for its retry is not work of this round.
        let found = if done > 0 { done.saturating_add(left) } else { 0 };
        Ok(RoundReport { found, done, left })
    }

    /// Gives up overdue mails. Returns the number of mails that are still to be sent.
    async fn give_up_overdue(&self) -> anyhow::Result<usize> {
        let (store, now) = (Arc::clone(&self.store), (self.clock)());
        let (open, given_up) = block(move || {
            let (open, stale) = store.read(|tx| mail::backlog(tx, now))?;
            let sweep = || store.write_repeatable(mail::SHARD_KEY, move |tx| mail::sweep(tx, now));
            let given_up = if stale { sweep()? } else { 0 };
            Ok::<_, Error>((open, given_up))
        })
        .await??;
        if given_up > 0 {
            tracing::warn!(mails = given_up, "overdue mails given up");
        }
        Ok(usize::try_from(open).unwrap_or_default().saturating_sub(given_up))
    }

    async fn take_due(&self) -> anyhow::Result<Option<Mail>> {
        let (store, now) = (Arc::clone(&self.store), (self.clock)());
        Ok(block(move || {
            store.write_repeatable(mail::SHARD_KEY, move |tx| mail::take_due(tx, now))
        })
        .await??)
    }

    /// Records the attempt. Returns whether the mail has ended.
    ///
    /// The log shows no address, no text, and only the status of the mail server's answer.
    async fn finish(&self, sent: Mail, delivery: Delivery) -> Result<bool, anyhow::Error> {
        let Delivery { attempt, status, reachable } = delivery;
        let (id, kind, attempts) = (sent.id, sent.cause.kind.as_str(), sent.attempts);
        let (store, now) = (Arc::clone(&self.store), (self.clock)());
        let failed = attempt != MailAttempt::Sent;
        let write = move || {
            store.write_repeatable(mail::SHARD_KEY, move |tx| mail::finish(tx, id, &attempt, now))
        };
        let ended = block(write).await??.and_then(|mail| mail.ended).map(|(_, end)| end);
        let status = status.as_deref().unwrap_or("none");
        match ended {
            Some(MailEnd::Sent) => tracing::debug!(%id, kind, attempts, "mail sent"),
            Some(MailEnd::GivenUp) => {
                tracing::warn!(%id, kind, attempts, status, "mail given up")
            }
            None if failed => tracing::warn!(
                %id,
                kind,
                attempts,
                status,
                reachable,
                "mail not sent, retry scheduled"
            ),
            None => tracing::debug!(%id, kind, "mail sent and discarded"),
        }
        Ok(ended.is_some())
    }
}
