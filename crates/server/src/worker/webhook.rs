//! The worker that delivers events to apps (behaviour 8.6 - 8.11).
//!
//! A round takes queues that are due, an app in a book each, and delivers their events, one after
//! another; it ends when nothing is due and nothing runs. What waits stands in the database, so the
//! memory of a round is that of what it delivers at once. A slow app holds no more than its own
//! places, and slow apps together no more than those of who installed them. While an event is on
//! its way its lease is prolonged; when the process ends, others take the queue within a minute, so
//! an event may come twice, and never gets lost.

use std::sync::Arc;
use std::time::Duration;

use daybook_domain::delivery::{EventDelivery, Exchange};
use daybook_domain::id::UserId;
use daybook_domain::instant::Instant;
use daybook_domain::storage_quota::StorageQuotas;
use daybook_http::{Wakeup, WebhookSender, block};
use daybook_service::delivery::{self, Dispatched, Finished, InFlight, Leased, Outcome, Slot};
use daybook_service::{Error, Ids};
use daybook_storage::{ShardKey, Store};
use tokio::task::JoinSet;
use tokio::time::{interval_at, sleep};

use super::{RoundReport, RunningRound, Stop, Worker};

/// Deliveries of this process at once.
const MAX_RUNNING: usize = 64;
/// Deliveries of one app at once, in different books.
const MAX_OF_AN_APP: usize = 8;
/// Deliveries that one task makes before others get its place.
const MAX_IN_A_ROW: usize = 32;
/// Who has installed an app that no integration names any more. No user has this number.
const NOBODY: UserId = UserId::new(0);
/// How long after the last look another follows although nobody rang: a pause may be over, or
/// another process may have written events.
const POLL_INTERVAL: Duration = Duration::from_secs(1);
/// How often a lease is prolonged.
const PROLONG_INTERVAL: Duration = Duration::from_secs(15);

/// What delivering needs.
#[derive(Clone)]
pub(crate) struct WebhookWorker {
    pub(crate) store: Arc<Store>,
    /// How much may be stored of books, for what apps answer.
    pub(crate) storage_quotas: StorageQuotas,
    pub(crate) ids: Arc<Ids>,
    pub(crate) clock: fn() -> Instant,
    pub(crate) stop: Stop,
    pub(crate) courier: WebhookSender,
    pub(crate) wakeup: Wakeup,
    /// The address of this server in mails.
    pub(crate) server: String,
    /// Is rung when a mail was written.
    pub(crate) mails: Wakeup,
}

/// The worker; its wakeup is notified when events with receivers have been recorded.
pub(crate) fn worker(webhooks: WebhookWorker) -> Worker {
    let wakeup = webhooks.wakeup.clone();
    let round = move || -> RunningRound {
        let webhooks = webhooks.clone();
        Box::pin(async move { webhooks.round().await })
    };
    Worker { name: "webhook", interval: POLL_INTERVAL, wakeup, round: Box::new(round) }
}

impl WebhookWorker {
    async fn round(self) -> anyhow::Result<RoundReport> {
        let mut running: JoinSet<(Slot, usize)> = JoinSet::new();
        let mut occupied = InFlight::new(MAX_RUNNING, MAX_OF_AN_APP);
        let mut done = 0;
        while !self.stop.asked() {
            let has_room = occupied.free() > 0;
            let taken = if has_room { self.take(occupied.clone()).await } else { Ok(Vec::new()) };
            let taken = match taken {
                // What is on its way goes on.
                Err(error) if !running.is_empty() => {
                    tracing::warn!(error = format!("{error:#}"), "no deliveries were taken");
                    Vec::new()
                }
                taken => taken?,
            };
            for Dispatched { leased, seat } in taken {
                occupied.enter(&seat);
                let webhooks = self.clone();
                running.spawn_local(async move {
                    let delivered = webhooks.deliver(leased, seat.installer).await;
                    (seat, delivered)
                });
            }
            if running.is_empty() {
                break;
            }
            tokio::select! {
                ended = running.join_next() => {
                    let Some(ended) = ended else { break };
                    let (seat, delivered) = ended?;
                    done += delivered;
                    occupied.leave(&seat);
                }
                () = self.wakeup.notified() => {}
                () = sleep(POLL_INTERVAL) => {}
            }
        }
        Ok(RoundReport { found: done, done, left: 0 })
    }

    async fn take(&self, occupied: InFlight) -> anyhow::Result<Vec<Dispatched>> {
        let (store, now) = (Arc::clone(&self.store), (self.clock)());
        let ids = Arc::clone(&self.ids);
        let take = move |tx: &mut daybook_storage::Tx<'_>| {
            delivery::take(tx, &mut || ids.next(now), occupied, now)
        };
        Ok(block(move || store.write_repeatable(ShardKey::DELIVERIES, take)).await??)
    }

    /// Delivers the first event of a queue, and some of those behind it.
    async fn deliver(self, first: Leased, installer: Option<UserId>) -> usize {
        let installer = installer.unwrap_or(NOBODY);
        let (app, mut next, mut done) = (first.delivery.app.clone(), Some(first), 0);
        while let Some(leased) = next.take() {
            done += 1;
            let goes_on = done < MAX_IN_A_ROW && !self.stop.asked();
            match self.deliver_one(leased, installer, goes_on).await {
                Ok(after) => next = after,
                Err(error) => tracing::warn!(
                    app = app.as_str(),
                    error = format!("{error:#}"),
                    "a delivery failed; it is tried again after its lease"
                ),
            }
        }
        done
    }

    async fn deliver_one(
        &self,
        leased: Leased,
        installer: UserId,
        goes_on: bool,
    ) -> anyhow::Result<Option<Leased>> {
        let sent = {
            let sending = self.courier.send(&leased, installer);
            tokio::pin!(sending);
            let begin = tokio::time::Instant::now() + PROLONG_INTERVAL;
            let mut prolonging = interval_at(begin, PROLONG_INTERVAL);
            loop {
                tokio::select! {
                    sent = &mut sending => break sent.map_err(anyhow::Error::msg)?,
                    _ = prolonging.tick() => {
                        // What is on its way goes on: the lease holds for another while.
                        if let Err(error) = self.prolong(&leased).await {
                            let error = format!("{error:#}");
                            tracing::warn!(error, "a lease of a delivery was not prolonged");
                        }
                    }
                }
            }
        };
        let (app, book) = (leased.delivery.app.clone(), leased.delivery.key.clone());
        tracing::debug!(
            app = app.as_str(),
            book = book.as_str(),
            event = leased.delivery.sequence,
            milliseconds = sent.took.as_millis(),
            outcome = outcome(&sent.outcome),
            "a delivery"
        );
        let (store, now, quotas) = (Arc::clone(&self.store), (self.clock)(), self.storage_quotas);
        let (delivery, tried) = (leased.delivery.clone(), Attempt::of(&sent.outcome));
        let next_lease = goes_on.then(|| self.ids.next(now));
        let finish = move |tx: &mut daybook_storage::Tx<'_>| {
            delivery::finish(tx, &leased, sent.outcome, (next_lease, now, quotas))
        };
        let Finished { next, fails, lost, unlogged } =
            block(move || store.write_repeatable(ShardKey::of_book(book.as_str()), finish))
                .await??;
        if unlogged && let Some(tried) = tried {
            tried.log(&delivery);
        }
        if lost {
            tracing::warn!(
                app = delivery.app.as_str(),
                book = delivery.key.as_str(),
                "an app was not told of the deletion of a book"
            );
        }
        if fails {
            self.pause(delivery, now).await?;
        }
        Ok(next)
    }

    /// Pauses an app that has failed for days.
    async fn pause(&self, delivery: EventDelivery, now: Instant) -> anyhow::Result<()> {
        let (store, ids, server) =
            (Arc::clone(&self.store), Arc::clone(&self.ids), self.server.clone());
        let (app, book) = (delivery.app.clone(), delivery.key.clone());
        let lane = ShardKey::of_book(book.as_str());
        let pause = move |tx: &mut daybook_storage::Tx<'_>| {
            delivery::pause::failing(tx, &delivery, (&ids, &server, now))
        };
        if block(move || store.write_repeatable(lane, pause)).await?? {
            tracing::warn!(
                app = app.as_str(),
                book = book.as_str(),
                "an app has failed for three days and is paused"
            );
            self.mails.notify();
        }
        Ok(())
    }

    async fn prolong(&self, leased: &Leased) -> anyhow::Result<()> {
        let (store, now, leased) = (Arc::clone(&self.store), (self.clock)(), leased.clone());
        let lane = ShardKey::of_book(leased.delivery.key.as_str());
        block(move || {
            store.write_repeatable::<_, Error>(lane, move |tx| delivery::prolong(tx, &leased, now))
        })
        .await??;
        Ok(())
    }
}

/// What the log says of an attempt that no delivery log holds, because the book is gone.
struct Attempt {
    status: Option<u16>,
    milliseconds: i64,
    failure: Option<String>,
}

impl Attempt {
    fn of(outcome: &Outcome) -> Option<Self> {
        let Outcome::Attempt(attempt, Exchange { milliseconds, status, .. }) = outcome else {
            return None;
        };
        let failure = attempt.failure().map(str::to_owned);
        Some(Self { status: *status, milliseconds: *milliseconds, failure })
    }

    fn log(self, delivery: &EventDelivery) {
        let Self { status, milliseconds, failure } = self;
        tracing::info!(
            app = delivery.app.as_str(),
            book = delivery.key.as_str(),
            status,
            milliseconds,
            error = failure,
            "an attempt to tell an app of the deletion of a book"
        );
    }
}

/// What the log says of an outcome: nothing of what an app answers.
const fn outcome(outcome: &Outcome) -> &'static str {
    match outcome {
        Outcome::Attempt(..) => "tried",
        Outcome::Unsent(_) | Outcome::Unsendable(_) => "not sent",
        Outcome::Dropped => "dropped",
        Outcome::Stopped => "stopped",
    }
}
