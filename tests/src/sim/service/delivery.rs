//! Webhooks without a network: the database part of the webhook sender.

use std::sync::Arc;

use daybook_domain::delivery::{AppResponse, DeliveryAttempt, Exchange, ResponseText};
use daybook_domain::event::ReadEvent;
use daybook_domain::instant::Instant;
use daybook_domain::storage_quota::StorageQuotas;
use daybook_service::delivery::replay::{self, ReplayStart};
use daybook_service::delivery::{self, DeliveryOutcome, InFlight, Leased, Prepared};
use daybook_service::event::View;
use daybook_storage::{ShardKey, Tx};

use super::{Service, refused};
use crate::sim::facts::{EventView, Refusal, Response};
use crate::sim::label;
use crate::sim::model::Caller;
use crate::sim::model::delivery::{NOT_DELIVERED, Reply, Sent};

/// The claim limit; a world has fewer than half as many queues.
const ALL: usize = 2_000;

impl Service {
    /// Sends everything that is due, as the webhook sender does, with the same reply from all apps.
    pub fn deliver(&self, reply: Reply, now: i64) -> Result<Sent, Refusal> {
        let (now, mut sent) = (Instant::new(now), Sent::new());
        loop {
            let (ids, occupied) = (Arc::clone(&self.ids), InFlight::new(ALL, ALL));
            let take = move |tx: &mut Tx<'_>| {
                delivery::lease_due(tx, &mut || ids.next(now), occupied, now)
            };
            let taken = self.database.store.write(ShardKey::NO_BOOK, take).map_err(refused)?;
            if taken.is_empty() {
                return Ok(sent);
            }
            for first in taken {
                let mut next = Some(first.leased);
                while let Some(leased) = next {
                    next = self.deliver_one(leased, reply, now, &mut sent)?;
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
        let key = leased.delivery.key.clone();
        let (next, quotas) = (Some(self.ids.next(now)), StorageQuotas::default());
        let finish =
            move |tx: &mut Tx<'_>| delivery::finish(tx, &leased, outcome, next, now, quotas);
        let finished = self.database.store.write(ShardKey::of_book(key.as_str()), finish);
        Ok(finished.map_err(refused)?.next)
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
                let text =
                    reply.map(|(kind, message)| ResponseText { kind, message: message.to_owned() });
                let attempt = DeliveryAttempt::Answered(text);
                (DeliveryOutcome::Attempted(attempt, exchange), Some(request.url))
            }
            Prepared::NotSent(outcome) => (outcome, None),
        })
    }

    pub fn backlog(&self, caller: &Caller) -> Result<usize, Refusal> {
        let waiting = self.read(caller, replay::backlog)?;
        Ok(usize::try_from(waiting).expect("a count"))
    }

    pub fn replay(
        &self,
        caller: &Caller,
        events: &[i64],
        errors_only: bool,
    ) -> Result<(), Refusal> {
        let ids: Vec<String> = events.iter().map(|event| self.event_id(caller, *event)).collect();
        self.write(caller, move |tx, cx, key| replay::replay(tx, cx, key, &ids, errors_only))
    }

    pub fn delete_response(
        &self,
        caller: &Caller,
        event: i64,
        app: label::App,
    ) -> Result<EventView, Refusal> {
        let (id, app) = (self.event_id(caller, event), self.app_id(app));
        let view =
            self.write(caller, move |tx, cx, key| replay::delete_response(tx, cx, key, &id, &app))?;
        Ok(self.one_seen(&view))
    }

    /// Claims the queue, sends, and stores the outcome, as the HTTP layer does.
    pub fn replay_response(
        &self,
        caller: &Caller,
        event: i64,
        app: label::App,
        reply: Reply,
    ) -> Result<EventView, Refusal> {
        let (id, app) = (self.event_id(caller, event), self.app_id(app));
        let begun =
            self.write(caller, move |tx, cx, key| replay::begin(tx, cx, key, &id, &app, None))?;
        let ReplayStart::Leased(leased) = begun else {
            return Err(Refusal::new("answered before"));
        };
        let (outcome, _) = self.outcome(&leased, reply, Instant::new(caller.now))?;
        let view = self.write(caller, move |tx, cx, _| replay::end(tx, cx, &leased, outcome))?;
        Ok(self.one_seen(&view))
    }

    /// The id of an event (8.17).
    fn event_id(&self, caller: &Caller, event: i64) -> String {
        format!("{event:012x}{}", self.labels.key(caller.book))
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

    fn responses(&self, view: &View, event: i64) -> Vec<Response> {
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
