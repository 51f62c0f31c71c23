//! Webhooks without a network: the database part of the webhook sender.

use std::sync::Arc;

use daybook_domain::app::AppId;
use daybook_domain::delivery::{
    AppResponse, DeliveryAttempt, EventCopy, Exchange, LoggedAttempt, ResponseText,
};
use daybook_domain::event::ReadEvent;
use daybook_domain::id::BookKey;
use daybook_domain::instant::Instant;
use daybook_domain::storage_quota::StorageQuotas;
use daybook_service::delivery::replay::{self, ReplayStart};
use daybook_service::delivery::{
    self, DeliveryOutcome, InFlight, Leased, Prepared, WebhookRequest, detached, log, pause,
};
use daybook_service::event::View;
use daybook_storage::{ShardKey, Tx};

use super::{Service, refused};
use crate::sim::facts::{Attempt, EventView, Refusal, Response};
use crate::sim::label;
use crate::sim::model::Caller;
use crate::sim::model::delivery::{NOT_DELIVERED, Reply, Sent};

/// The claim limit; a world has fewer than half as many queues.
const ALL: usize = 2_000;

impl Service {
    /// Sends everything that is due, as the webhook sender does, with the same reply from all apps.
    pub fn deliver(&self, reply: Reply, now: i64, sent: &mut Sent) -> Result<(), Refusal> {
        let now = Instant::new(now);
        loop {
            let (ids, occupied) = (Arc::clone(&self.ids), InFlight::new(ALL, ALL));
            let take = move |tx: &mut Tx<'_>| {
                delivery::lease_due(tx, &mut || ids.next(now), occupied, now)
            };
            let taken = self.database.store.write(ShardKey::NO_BOOK, take).map_err(refused)?;
            if taken.is_empty() {
                return Ok(());
            }
            for first in taken {
                let mut next = Some(first.leased);
                while let Some(leased) = next {
                    next = self.deliver_one(leased, reply, now, sent)?;
                }
            }
        }
    }

    fn deliver_one(
        &self,
        leased: Leased,
        reply: Reply,
        now: Instant,
        sent: &mut Sent,
    ) -> Result<Option<Leased>, Refusal> {
        let (outcome, address) = self.outcome(&leased, reply, now)?;
        if let Some(address) = address {
            let book = self.labels.book_of_key(leased.delivery.key.as_str());
            let key = (book, self.app_label(leased.delivery.app.as_str()));
            sent.entry(key).or_default().push((leased.delivery.sequence, address));
        }
        let (key, delivery) = (leased.delivery.key.clone(), leased.delivery.clone());
        let (next, quotas) = (Some(self.ids.next(now)), StorageQuotas::default());
        let finished =
            self.work(&key, move |tx| delivery::finish(tx, &leased, outcome, next, now, quotas))?;
        if finished.fails {
            let ids = Arc::clone(&self.ids);
            self.work(&key, move |tx| pause::pause_failing(tx, &delivery, &ids, "http://a", now))?;
        }
        Ok(finished.next)
    }

    /// The outcome of a delivery with this reply, and the address. Deliveries of other worlds are
    /// dropped.
    fn outcome(
        &self,
        leased: &Leased,
        reply: Reply,
        now: Instant,
    ) -> Result<(DeliveryOutcome, Option<String>), Refusal> {
        let delivery = &leased.delivery;
        if !self.is_own_app(delivery.app.as_str()) {
            return Ok((DeliveryOutcome::Skipped(None), None));
        }
        let ids = Arc::clone(&self.ids);
        let read = self.database.store.read(|tx| delivery::prepare(tx, delivery, ids, now));
        Ok(match read.map_err(refused)? {
            Prepared::Request(request) => {
                let exchange = Exchange { at: now, milliseconds: 1, status: None, answer: None };
                (DeliveryOutcome::Attempted(attempt(reply), exchange), Some(request.url))
            }
            Prepared::NotSent(outcome) => (outcome, None),
        })
    }

    /// Detaches pending deliveries as the webhook sender does before a book is removed.
    pub fn detach_pending_deliveries(
        &self,
        book: label::Book,
        caller: &Caller,
    ) -> Result<(), Refusal> {
        let (key, now) = (BookKey::new(self.labels.key(book)), Instant::new(caller.now));
        let store = &self.database.store;
        for delivery in store.read(|tx| detached::list_pending(tx, &key)).map_err(refused)? {
            let ids = Arc::clone(&self.ids);
            let read = store.read(|tx| delivery::prepare(tx, &delivery, ids, now));
            let Prepared::Request(request) = read.map_err(refused)? else { continue };
            let WebhookRequest { url, cx, .. } = *request;
            let id = self.event_id(book, delivery.sequence);
            let copy = EventCopy { id, installer: cx.user.id, url, body: "{}".to_owned() };
            self.work(&key, move |tx| detached::detach(tx, &delivery, &copy, now))?;
        }
        Ok(())
    }

    /// Writes in a book without a user.
    fn work<T: Send + 'static>(
        &self,
        key: &BookKey,
        work: impl FnOnce(&mut Tx<'_>) -> daybook_service::Result<T> + Send + 'static,
    ) -> Result<T, Refusal> {
        self.database.store.write(ShardKey::of_book(key.as_str()), work).map_err(refused)
    }

    pub fn give_up(&self, caller: &Caller) -> Result<(), Refusal> {
        let now = Instant::new(caller.now);
        let overdue =
            self.database.store.read(|tx| pause::list_overdue(tx, None, now)).map_err(refused)?;
        for queue in overdue {
            loop {
                let (key, queue) = (queue.book.clone(), queue.clone());
                let (_, more) = self.work(&key, move |tx| pause::give_up(tx, &queue, now))?;
                if !more {
                    break;
                }
            }
        }
        Ok(())
    }

    /// Returns whether the app is installed.
    pub fn pause(&self, book: label::Book, caller: &Caller, app: label::App) -> bool {
        let (key, app) = (BookKey::new(self.labels.key(book)), AppId::stored(self.app_id(app)));
        let (own, now) = (key.clone(), Instant::new(caller.now));
        self.work(&key, move |tx| pause::pause_by_operator(tx, own.as_str(), &app, now)).is_ok()
    }

    pub fn resume(&self, book: label::Book, _: &Caller, app: label::App) -> Result<bool, Refusal> {
        let (key, app) = (BookKey::new(self.labels.key(book)), self.app_id(app));
        let paused =
            self.database.store.read(|tx| pause::list(tx, None, None, None)).map_err(refused)?;
        let found = paused.into_iter().find(|one| one.book == key && one.app.as_str() == app);
        let Some(queue) = found else { return Ok(false) };
        self.work(&key, move |tx| pause::resume_by_operator(tx, &queue))?;
        Ok(true)
    }

    /// listAppDeliveries, over all pages.
    pub fn attempts(
        &self,
        book: label::Book,
        caller: &Caller,
        app: label::App,
        limit: usize,
    ) -> Result<Vec<Vec<Attempt>>, Refusal> {
        let (app, mut after, mut pages) = (AppId::stored(self.app_id(app)), None, Vec::new());
        loop {
            let page = self.read(book, caller, |tx, cx, key| {
                log::list_of_app(tx, cx, key, &app, Some(limit), after)
            })?;
            let seen = |logged: &LoggedAttempt| Attempt {
                at: logged.exchange.at.milliseconds(),
                event: logged.sequence,
                number: logged.number,
                failure: logged.failure.clone(),
            };
            pages.push(page.items.iter().map(seen).collect());
            after = page.next;
            if after.is_none() {
                return Ok(pages);
            }
        }
    }

    pub fn backlog(&self, book: label::Book, caller: &Caller) -> Result<usize, Refusal> {
        let waiting = self.read(book, caller, replay::backlog)?;
        Ok(usize::try_from(waiting).expect("a count"))
    }

    pub fn replay(
        &self,
        book: label::Book,
        caller: &Caller,
        events: &[i64],
        errors_only: bool,
    ) -> Result<(), Refusal> {
        let ids: Vec<String> = events.iter().map(|event| self.event_id(book, *event)).collect();
        self.write(book, caller, move |tx, cx, key| replay::replay(tx, cx, key, &ids, errors_only))
    }

    pub fn delete_response(
        &self,
        book: label::Book,
        caller: &Caller,
        event: i64,
        app: label::App,
    ) -> Result<EventView, Refusal> {
        let (id, app) = (self.event_id(book, event), self.app_id(app));
        let view = self.write(book, caller, move |tx, cx, key| {
            replay::delete_response(tx, cx, key, &id, &app)
        })?;
        Ok(self.one_seen(&view))
    }

    /// Claims the queue, sends, and stores the outcome, as the HTTP layer does.
    pub fn replay_response(
        &self,
        book: label::Book,
        caller: &Caller,
        event: i64,
        app: label::App,
        reply: Reply,
    ) -> Result<EventView, Refusal> {
        let (id, app) = (self.event_id(book, event), self.app_id(app));
        let begun = self
            .write(book, caller, move |tx, cx, key| replay::begin(tx, cx, key, &id, &app, None))?;
        let ReplayStart::Leased(leased) = begun else {
            return Err(Refusal::new("answered before"));
        };
        let (outcome, _) = self.outcome(&leased, reply, Instant::new(caller.now))?;
        let view =
            self.write(book, caller, move |tx, cx, _| replay::end(tx, cx, &leased, outcome))?;
        Ok(self.one_seen(&view))
    }

    /// The id of an event (8.17).
    fn event_id(&self, book: label::Book, event: i64) -> String {
        format!("{event:012x}{}", self.labels.key(book))
    }

    fn one_seen(&self, view: &View) -> EventView {
        let all = self.events_seen(view);
        all.into_iter().next().expect("the event is shown")
    }

    /// Events with the responses of the apps.
    pub fn events_seen(&self, view: &View) -> Vec<EventView> {
        let seen = |read: &ReadEvent| EventView {
            event: self.event(&read.event),
            responses: self.responses(view, read.event.sequence),
        };
        view.events.iter().map(seen).collect()
    }

    pub fn responses(&self, view: &View, event: i64) -> Vec<Response> {
        let response = |one: &AppResponse| Response {
            app: self.app_label(one.app.as_str()),
            kind: one.kind,
            // The details of the message are for people.
            message: if one.message.starts_with(NOT_DELIVERED) {
                NOT_DELIVERED.to_owned()
            } else {
                one.message.clone()
            },
            at: one.created_at.milliseconds(),
        };
        view.responses.get(&event).into_iter().flatten().map(response).collect()
    }
}

fn attempt(reply: Reply) -> DeliveryAttempt {
    match reply {
        Reply::Accepted(text) => DeliveryAttempt::Answered(
            text.map(|(kind, message)| ResponseText { kind, message: message.to_owned() }),
        ),
        Reply::Failed => DeliveryAttempt::Failed("status 500".to_owned()),
        Reply::Busy(seconds) => DeliveryAttempt::Busy(seconds),
    }
}
