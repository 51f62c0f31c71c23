//! The webhook worker: delivers events to apps (behaviour 8.6 - 8.11).
//!
//! The worker runs in rounds ([`daybook_edge::worker`]). A round leases due queues and delivers
//! their events in order. A queue holds the deliveries of one app in one book. The round ends when
//! nothing is due and nothing runs. Pending deliveries stay in the database, so the memory of a
//! round is bounded by the deliveries in flight. An app occupies at most [`MAX_OF_AN_APP`] slots,
//! and `InFlight` also bounds the slots per installer, so slow apps cannot block the others. The
//! lease of a delivery in flight is prolonged; if the process ends, another takes the queue within
//! a minute. So an event may be sent twice, and is never lost.
//!
//! One delivery goes through three steps: [`Webhooks::send`] returns its
//! [`DeliveryOutcome`], [`delivery::finish`] writes the outcome to the delivery log and returns
//! what follows, and `deliver_one` logs what the delivery log cannot hold.

use std::sync::Arc;
use std::time::Duration;

use daybook_domain::delivery::{DeliveryAttempt, EventDelivery, Exchange};
use daybook_domain::id::UserId;
use daybook_domain::instant::Instant;
use daybook_edge::blocking::block;
use daybook_edge::worker::{RoundReport, RunningRound, Stop, Worker};
use daybook_edge::{Edge, Wakeup};
use daybook_service::delivery::{
    self, DeliveryOutcome, Finished, InFlight, Leased, LeasedWithSlot, SlotHolder, UnloggedAttempt,
};
use daybook_service::{Error, book};
use daybook_storage::metric::LabelledCounter;
use tokio::task::JoinSet;
use tokio::time::{interval_at, sleep};

use crate::state::Webhooks;

/// Deliveries in flight of this process.
const MAX_RUNNING: usize = 64;
/// Deliveries in flight of one app, in different books.
const MAX_OF_AN_APP: usize = 8;
/// Deliveries of one queue in a row, before the task gives up its slot.
const MAX_IN_A_ROW: usize = 32;
/// The installer of an app that no integration names any more. No user has this number.
const NO_USER: UserId = UserId::new(0);
/// How long after a lookup the next one follows without a wakeup. A retry may be due, or another
/// process may have recorded events.
const POLL_INTERVAL: Duration = Duration::from_secs(1);
/// How often a lease is prolonged.
const PROLONG_INTERVAL: Duration = Duration::from_secs(15);

/// Deliveries of this process, by outcome.
pub static DELIVERIES: LabelledCounter<5> =
    LabelledCounter::new(["answered", "busy", "failed", "skipped", "ended"]);

/// The dependencies of the worker.
#[derive(Clone)]
struct WebhookWorker {
    webhooks: Arc<Webhooks>,
    edge: Arc<Edge>,
    stop: Stop,
    /// Notified when events with receivers were recorded.
    wakeup: Wakeup,
}

/// Creates the worker.
pub fn worker(webhooks: Arc<Webhooks>, stop: Stop) -> Worker {
    let (edge, wakeup) = (Arc::clone(&webhooks.edge), Wakeup::default());
    let recorded = wakeup.clone();
    edge.store.on_deliveries(move || recorded.notify());
    let worker = WebhookWorker { webhooks, edge, stop, wakeup: wakeup.clone() };
    let round = move || -> RunningRound {
        let worker = worker.clone();
        Box::pin(async move { worker.round().await })
    };
    Worker { name: "webhook", interval: POLL_INTERVAL, wakeup, round: Box::new(round) }
}

impl WebhookWorker {
    async fn round(self) -> anyhow::Result<RoundReport> {
        let mut running: JoinSet<(SlotHolder, usize)> = JoinSet::new();
        let mut in_flight = InFlight::new(MAX_RUNNING, MAX_OF_AN_APP);
        let mut done = 0;
        while !self.stop.is_requested() {
            let has_slot = in_flight.free() > 0;
            // `lease_due` counts on a copy; the slots are taken below.
            let leased =
                if has_slot { self.lease_due(in_flight.clone()).await } else { Ok(Vec::new()) };
            let leased = match leased {
                // Deliveries in flight continue.
                Err(error) if !running.is_empty() => {
                    tracing::warn!(error = format!("{error:#}"), "webhook deliveries not leased");
                    Vec::new()
                }
                leased => leased?,
            };
            for LeasedWithSlot { leased, slot } in leased {
                in_flight.enter(&slot);
                let worker = self.clone();
                running.spawn_local(async move {
                    let delivered = worker.deliver(leased, slot.installer).await;
                    (slot, delivered)
                });
            }
            if running.is_empty() {
                break;
            }
            tokio::select! {
                ended = running.join_next() => {
                    let Some(ended) = ended else { break };
                    let (slot, delivered) = ended?;
                    done += delivered;
                    in_flight.leave(&slot);
                }
                () = self.wakeup.notified() => {}
                () = sleep(POLL_INTERVAL) => {}
            }
        }
        Ok(RoundReport { found: done, done, left: 0 })
    }

    async fn lease_due(&self, in_flight: InFlight) -> anyhow::Result<Vec<LeasedWithSlot>> {
        let (store, now) = (Arc::clone(&self.edge.store), (self.edge.clock)());
        let ids = Arc::clone(&self.edge.ids);
        let lease = move |tx: &mut daybook_storage::Tx<'_>| {
            delivery::lease_due(tx, &mut || ids.next(now), in_flight, now)
        };
        Ok(block(move || store.write_repeatable(delivery::SHARD_KEY, lease)).await??)
    }

    /// Delivers the first event of a queue and some of those after it. Returns their number.
    async fn deliver(self, first: Leased, installer: Option<UserId>) -> usize {
        let installer = installer.unwrap_or(NO_USER);
        let (app, mut next, mut done) = (first.delivery.app.clone(), Some(first), 0);
        while let Some(leased) = next.take() {
            done += 1;
            let continues = done < MAX_IN_A_ROW && !self.stop.is_requested();
            match self.deliver_one(leased, installer, continues).await {
                Ok(after) => next = after,
                Err(error) => tracing::warn!(
                    app = app.as_str(),
                    error = format!("{error:#}"),
                    "webhook delivery failed"
                ),
            }
        }
        done
    }

    /// Delivers one event. Returns the next delivery of the queue if there is one to continue with.
    async fn deliver_one(
        &self,
        leased: Leased,
        installer: UserId,
        continues: bool,
    ) -> anyhow::Result<Option<Leased>> {
        let outcome = self.send(&leased, installer).await?;
        let delivery = leased.delivery.clone();
        let (store, now, quotas) =
            (Arc::clone(&self.edge.store), (self.edge.clock)(), self.webhooks.storage_quotas);
        let next_lease = continues.then(|| self.edge.ids.next(now));
        let finish = move |tx: &mut daybook_storage::Tx<'_>| {
            delivery::finish(tx, &leased, outcome, next_lease, now, quotas)
        };
        let shard = book::shard_key(&delivery.key);
        let Finished { next, must_pause, lost, unlogged } =
            block(move || store.write_repeatable(shard, finish)).await??;
        if let Some(attempt) = unlogged {
            log_unlogged(&delivery, attempt);
        }
        if lost {
            tracing::warn!(
                app = delivery.app.as_str(),
                book = delivery.key.as_str(),
                "webhook for a deleted book not delivered"
            );
        }
        if must_pause {
            self.pause(delivery, now).await?;
        }
        Ok(next)
    }

    /// Sends the event of a delivery, and extends its lease until the answer arrives.
    async fn send(&self, leased: &Leased, installer: UserId) -> anyhow::Result<DeliveryOutcome> {
        let sending = self.webhooks.send(leased, installer);
        tokio::pin!(sending);
        let begin = tokio::time::Instant::now() + PROLONG_INTERVAL;
        let mut ticks = interval_at(begin, PROLONG_INTERVAL);
        let sent = loop {
            tokio::select! {
                sent = &mut sending => break sent.map_err(anyhow::Error::msg)?,
                _ = ticks.tick() => {
                    // The request continues, because the lease has not expired yet.
                    if let Err(error) = self.prolong(leased).await {
                        let error = format!("{error:#}");
                        tracing::warn!(error, "webhook lease not prolonged");
                    }
                }
            }
        };
        tracing::debug!(
            app = leased.delivery.app.as_str(),
            book = leased.delivery.key.as_str(),
            event = leased.delivery.sequence,
            milliseconds = sent.took.as_millis(),
            outcome = sent.outcome.as_str(),
            "webhook delivery finished"
        );
        DELIVERIES.count(label(&sent.outcome));
        Ok(sent.outcome)
    }

    /// Pauses an app that has failed for days.
    async fn pause(&self, delivery: EventDelivery, now: Instant) -> anyhow::Result<()> {
        let (store, ids, server) = (
            Arc::clone(&self.edge.store),
            Arc::clone(&self.edge.ids),
            self.edge.site.canonical_url.clone(),
        );
        let (app, book) = (delivery.app.clone(), delivery.key.clone());
        let shard = book::shard_key(&book);
        let pause = move |tx: &mut daybook_storage::Tx<'_>| {
            delivery::pause::pause_failing(tx, &delivery, &ids, &server, now)
        };
        if block(move || store.write_repeatable(shard, pause)).await?? {
            tracing::warn!(
                app = app.as_str(),
                book = book.as_str(),
                "app paused after three days of failures"
            );
            self.edge.mails.notify();
        }
        Ok(())
    }

    async fn prolong(&self, leased: &Leased) -> anyhow::Result<()> {
        let (store, now, leased) =
            (Arc::clone(&self.edge.store), (self.edge.clock)(), leased.clone());
        let shard = book::shard_key(&leased.delivery.key);
        block(move || {
            store.write_repeatable::<_, Error>(shard, move |tx| delivery::prolong(tx, &leased, now))
        })
        .await??;
        Ok(())
    }
}

/// Returns the label of an outcome in [`DELIVERIES`].
const fn label(outcome: &DeliveryOutcome) -> &'static str {
    match outcome {
        DeliveryOutcome::Attempted(DeliveryAttempt::Answered(_), _) => "answered",
        DeliveryOutcome::Attempted(DeliveryAttempt::Busy(_), _) => "busy",
        DeliveryOutcome::Attempted(DeliveryAttempt::Failed(_), _) | DeliveryOutcome::Failed(_) => {
            "failed"
        }
        DeliveryOutcome::Skipped(_) => "skipped",
        DeliveryOutcome::QueueEnded => "ended",
    }
}

/// Logs an attempt that no delivery log holds, because the book is gone.
fn log_unlogged(delivery: &EventDelivery, attempt: UnloggedAttempt) {
    let UnloggedAttempt { exchange: Exchange { milliseconds, status, .. }, failure } = attempt;
    tracing::info!(
        app = delivery.app.as_str(),
        book = delivery.key.as_str(),
        status,
        milliseconds,
        error = failure,
        "webhook for a deleted book attempted"
    );
}
