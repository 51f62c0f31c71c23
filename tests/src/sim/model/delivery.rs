//! Webhooks, from behaviour 8.7 - 8.12 and 8.19: the delivery queue of each app in a book, the
//! retries, and the responses of the apps.

use std::collections::{BTreeMap, BTreeSet};

use daybook_domain::delivery::ResponseKind;
use daybook_domain::event::EventType;

use super::detached::DetachedDeliveries;
use super::{Book, Caller, Model, may};
use crate::sim::facts::{Attempt, Event, EventView, Refusal, Resource, Response};
use crate::sim::label;

const SECOND: i64 = 1_000;
const DAY: i64 = 24 * 3_600 * SECOND;
/// The delays after failed attempts.
const PAUSES: [i64; 4] = [SECOND, 5 * SECOND, 15 * SECOND, 60 * SECOND];

/// The reply of an app to a delivery.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reply {
    /// Delivered, perhaps with a response text.
    Accepted(Option<(ResponseKind, &'static str)>),
    /// Unreachable, or an invalid reply.
    Failed,
    /// 429, perhaps with the seconds of Retry-After.
    Busy(Option<i64>),
}

/// The failures of a delivery so far.
#[derive(Clone, Copy, Debug, Default)]
struct RetryState {
    /// How many apps acted one after another before the event.
    depth: i64,
    failures: usize,
    busy: u32,
    busy_since: Option<i64>,
}

/// Why a queue is paused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Cause {
    Failing,
    Operator,
}

/// The delivery queue of an app in a book, by event number.
#[derive(Clone, Debug, Default)]
pub struct Queue {
    waiting: BTreeMap<i64, RetryState>,
    /// When the first event is sent next.
    due: Option<i64>,
    failing: Option<i64>,
    paused: Option<(i64, Cause)>,
    /// The user who installed the app has lost access.
    stopped: bool,
}

/// The queues and responses of all books.
#[derive(Clone, Debug, Default)]
pub struct Webhooks {
    pub queues: BTreeMap<(label::Book, label::App), Queue>,
    responses: BTreeMap<(label::Book, i64), BTreeMap<label::App, Response>>,
    pub attempts: BTreeMap<(label::Book, label::App), Vec<Attempt>>,
    /// The names of files when they were created.
    files: BTreeMap<label::File, String>,
    pub detached: DetachedDeliveries,
}

impl Queue {
    fn add(&mut self, event: i64, depth: i64, now: i64) {
        if self.waiting.is_empty() {
            self.due = Some(now);
        }
        self.waiting.entry(event).or_insert(RetryState { depth, ..RetryState::default() });
    }

    pub fn is_paused(&self) -> bool {
        self.paused.is_some()
    }

    /// The queued events with their depths.
    pub fn depths(&self) -> Vec<(i64, i64)> {
        self.waiting.iter().map(|(event, state)| (*event, state.depth)).collect()
    }

    /// A queue with only this event.
    pub fn of_one(&self, event: i64, now: i64) -> Queue {
        let waiting = BTreeMap::from([(event, self.waiting[&event])]);
        Queue { waiting, due: self.due.or(Some(now)), ..Queue::default() }
    }

    pub fn is_due(&self, now: i64) -> bool {
        self.paused.is_none() && !self.waiting.is_empty() && self.due.is_some_and(|due| due <= now)
    }

    /// Ends a delivery, delivered or given up.
    fn end(&mut self, event: i64, delivered: Option<bool>, now: i64) {
        self.waiting.remove(&event);
        self.due = Some(now);
        match delivered {
            Some(true) => self.failing = None,
            Some(false) => {
                let since = *self.failing.get_or_insert(now);
                if now >= since + 3 * DAY && self.paused.is_none() {
                    self.paused = Some((now, Cause::Failing));
                }
            }
            None => {}
        }
    }

    /// Records a failed attempt; returns whether the delivery is given up (8.8).
    pub fn fail(&mut self, event: i64, now: i64) -> bool {
        let state = self.waiting.entry(event).or_default();
        let pause = PAUSES.get(state.failures);
        let (failures, depth) = (state.failures + 1, state.depth);
        *state = RetryState { failures, depth, ..RetryState::default() };
        self.due = pause.map(|pause| now + pause);
        pause.is_none()
    }

    /// Records a 429: the delay grows from a second to an hour, for 24 hours (8.8).
    pub fn wait(&mut self, event: i64, retry_after: Option<i64>, now: i64) -> bool {
        let state = self.waiting.entry(event).or_default();
        let since = *state.busy_since.get_or_insert(now);
        let own = SECOND << state.busy.min(12);
        let pause =
            retry_after.map_or(own, |seconds| seconds * SECOND).clamp(SECOND, 3_600 * SECOND);
        state.busy += 1;
        self.due = Some(now + pause);
        now + pause > since + DAY
    }
}

impl Model {
    /// Queues the events of a request for their receivers, which are fixed at that time (8.11).
    pub fn queue_events(&mut self, book: &Book, events: &[Event], depth: i64) {
        for event in events {
            if let (EventType::FileCreated, Resource::File(file)) = (event.kind, event.resource) {
                let name = book.files.get(&file).map(|file| file.name.clone());
                self.webhooks.files.insert(file, name.unwrap_or_default());
            }
            for app in self.receivers(book, event) {
                let queue = self.webhooks.queues.entry((book.label, app)).or_default();
                queue.add(event.sequence, depth, event.at);
            }
        }
        // Uninstalling an app drops its queue. A pause by the operator outlasts that.
        let installed: BTreeSet<label::App> = book.installed().map(|one| one.app).collect();
        self.webhooks.queues.retain(|(of, app), queue| {
            let stays = *of != book.label || installed.contains(app);
            if !stays {
                *queue = Queue { paused: queue.paused, ..Queue::default() };
            }
            stays || queue.paused.is_some_and(|(_, cause)| cause == Cause::Operator)
        });
    }

    /// The apps in the book that are subscribed to the event. An app does not receive events about
    /// its own integration.
    fn receivers(&self, book: &Book, event: &Event) -> BTreeSet<label::App> {
        let own = match event.resource {
            Resource::Integration(label) => self.installed.get(&label).copied(),
            _ => None,
        };
        let file = match (event.kind, event.resource) {
            (EventType::FileCreated, Resource::File(file)) => self.webhooks.files.get(&file),
            _ => None,
        };
        let receives = |app: &label::App| {
            let queue = self.webhooks.queues.get(&(book.label, *app));
            let known = self.apps.get(app);
            known.is_some_and(|known| {
                let handles = file.is_none_or(|name| known.handles(name));
                known.events.contains(&event.kind) && handles
            }) && !queue.is_some_and(|queue| queue.stopped)
                && own != Some(*app)
        };
        book.installed().map(|one| one.app).filter(receives).collect()
    }

    /// A book, deleted or not.
    fn book_or_deleted(&self, book: label::Book) -> Option<&Book> {
        self.books.get(&book).or_else(|| self.deleted.get(&book).map(|one| &one.book))
    }

    /// The user who installed an app first.
    fn installer(&self, book: label::Book, app: label::App) -> Option<usize> {
        let mut all = self.book_or_deleted(book)?.installed();
        all.find(|one| one.app == app).map(|one| one.installer)
    }

    /// Sends everything that is due; every app gives this reply.
    pub fn deliver(&mut self, reply: Reply, now: i64, sent: &mut Sent) {
        let all: Vec<(label::Book, label::App)> = self.webhooks.queues.keys().copied().collect();
        for (book, app) in all {
            while let Some(event) = self.due(book, app, now) {
                if let Some(address) = self.deliver_one(book, app, event, reply, now) {
                    sent.entry((book, app)).or_default().push((event, address));
                }
            }
        }
        self.send_detached(reply, now, sent);
    }

    fn due(&self, book: label::Book, app: label::App, now: i64) -> Option<i64> {
        let queue = self.webhooks.queues.get(&(book, app)).filter(|queue| queue.is_due(now))?;
        queue.waiting.keys().next().copied()
    }

    /// Sends one event; returns its address if it was sent.
    fn deliver_one(
        &mut self,
        book: label::Book,
        app: label::App,
        event: i64,
        reply: Reply,
        now: i64,
    ) -> Option<String> {
        let waiting = &self.webhooks.queues[&(book, app)].waiting;
        let depth = waiting.get(&event).map_or(0, |state| state.depth);
        let decision = self.decide(book, app, event, depth);
        let queue = self.webhooks.queues.get_mut(&(book, app)).expect("it is due");
        let given_up = Some((ResponseKind::Error, NOT_DELIVERED));
        let sent =
            if let Decision::Send(address) = &decision { Some(address.clone()) } else { None };
        let ended = match (decision, reply) {
            (Decision::AccessLost, _) => {
                *queue = Queue { stopped: true, ..Queue::default() };
                self.respond(book, app, event, given_up, now);
                return None;
            }
            (Decision::Skip, _) => Some((None, None)),
            (Decision::TooDeep, _) => Some((given_up, None)),
            (Decision::Send(_), Reply::Accepted(response)) => Some((response, Some(true))),
            (Decision::Send(_), Reply::Failed) => {
                queue.fail(event, now).then_some((given_up, Some(false)))
            }
            (Decision::Send(_), Reply::Busy(retry_after)) => {
                queue.wait(event, retry_after, now).then_some((given_up, Some(false)))
            }
        };
        if let Some((response, delivered)) = ended {
            queue.end(event, delivered, now);
            self.respond(book, app, event, response, now);
        }
        if sent.is_some() {
            self.log_attempt((book, app), event, reply, now);
        }
        sent
    }

    /// Decides whether an event is sent to an app.
    pub fn decide(&self, label: label::Book, app: label::App, event: i64, depth: i64) -> Decision {
        if depth > 10 {
            return Decision::TooDeep;
        }
        let installer = self.installer(label, app);
        let (Some(who), Some(book)) = (installer, self.book_or_deleted(label)) else {
            return Decision::Skip;
        };
        let reads = self.permission(book, who).is_some_and(|it| book.allows(it, may::READ));
        if !reads {
            return Decision::AccessLost;
        }
        // 7.3: collaborators are not public.
        let insider = book.collaborators.values().any(|one| one.email == self.users[who].email);
        let event = self.log(label).iter().find(|one| one.sequence == event);
        let hidden = event.is_some_and(|one| matches!(one.resource, Resource::Collaborator(_)));
        let actor = event.map_or(who, |event| event.user);
        let address = self.apps.get(&app).and_then(|app| app.address([actor, who]));
        match address {
            Some(address) if insider || !hidden => Decision::Send(address.clone()),
            _ => Decision::Skip,
        }
    }

    pub fn log(&self, book: label::Book) -> &[Event] {
        let deleted = self.deleted.get(&book).map(|one| &one.log);
        self.logs.get(&book).or(deleted).map(Vec::as_slice).unwrap_or_default()
    }

    /// Stores a response, one per app; a new delivery replaces it.
    fn respond(
        &mut self,
        book: label::Book,
        app: label::App,
        event: i64,
        response: Option<(ResponseKind, &str)>,
        now: i64,
    ) {
        let all = self.webhooks.responses.entry((book, event)).or_default();
        match response {
            Some((kind, message)) => {
                let message = message.to_owned();
                all.insert(app, Response { app, kind, message, at: now });
            }
            None => drop(all.remove(&app)),
        }
    }

    /// The transactions of a book with an event that an app answered with an error (1.2).
    pub fn failed(&self, book: label::Book) -> BTreeSet<label::Transaction> {
        let fails = |event: &&Event| {
            let all = self.webhooks.responses.get(&(book, event.sequence));
            all.is_some_and(|all| all.values().any(|one| one.kind == ResponseKind::Error))
        };
        let about = |event: &Event| match event.resource {
            Resource::Transaction(label) => Some(label),
            _ => None,
        };
        self.log(book).iter().filter(fails).filter_map(about).collect()
    }

    /// The responses of the apps to an event.
    pub fn responses(&self, book: label::Book, event: i64) -> Vec<Response> {
        let found = self.webhooks.responses.get(&(book, event)).into_iter().flatten();
        found.map(|(_, response)| response.clone()).collect()
    }

    /// The events of a book with responses, and the responding apps.
    pub fn answered(&self, book: label::Book) -> Vec<(i64, label::App)> {
        let all = self.webhooks.responses.iter().filter(|((of, _), _)| *of == book);
        all.flat_map(|((_, event), apps)| apps.keys().map(|app| (*event, *app))).collect()
    }

    /// Counts the waiting events, not deliveries; paused apps are not counted (8.10).
    pub fn backlog(&self, book: label::Book, caller: &Caller) -> Result<usize, Refusal> {
        self.enter(book, caller, may::READ)?;
        let queues = self.webhooks.queues.iter();
        let counts = queues.filter(|((of, _), queue)| *of == book && queue.paused.is_none());
        let waiting: BTreeSet<i64> =
            counts.flat_map(|(_, queue)| queue.waiting.keys().copied()).collect();
        Ok(waiting.len())
    }

    /// Queues events again (8.12).
    pub fn replay(
        &mut self,
        label: label::Book,
        caller: &Caller,
        events: &[i64],
        errors_only: bool,
    ) -> Result<(), Refusal> {
        let (book, _) = self.enter(label, caller, may::MANAGE)?;
        let (book, log) = (book.clone(), self.logs[&label].clone());
        let found: Option<Vec<&Event>> =
            events.iter().map(|event| log.iter().find(|one| one.sequence == *event)).collect();
        let found = found.ok_or_else(Refusal::missing)?;
        if found.iter().any(|event| event.kind == EventType::BookDeleted) {
            return Err(Refusal::bad());
        }
        for event in found {
            let failed: BTreeSet<label::App> = self
                .responses(label, event.sequence)
                .into_iter()
                .filter(|one| one.kind == ResponseKind::Error)
                .map(|one| one.app)
                .collect();
            for app in self.receivers(&book, event) {
                if !errors_only || failed.contains(&app) {
                    let queue = self.webhooks.queues.entry((label, app)).or_default();
                    queue.add(event.sequence, caller.depth, caller.now);
                }
            }
        }
        Ok(())
    }

    pub fn delete_response(
        &mut self,
        label: label::Book,
        caller: &Caller,
        event: i64,
        app: label::App,
    ) -> Result<EventView, Refusal> {
        self.enter(label, caller, may::MANAGE)?;
        let found = self.find_event(label, event)?;
        let all = self.webhooks.responses.get_mut(&(label, event));
        all.and_then(|all| all.remove(&app)).ok_or_else(Refusal::missing)?;
        Ok(EventView { responses: self.responses(label, event), event: found })
    }

    /// Delivers once, immediately; a failure is an ERROR response (8.12).
    pub fn replay_response(
        &mut self,
        label: label::Book,
        caller: &Caller,
        event: i64,
        app: label::App,
        reply: Reply,
    ) -> Result<EventView, Refusal> {
        self.enter(label, caller, may::MANAGE)?;
        let found = self.find_event(label, event)?;
        if found.kind == EventType::BookDeleted {
            return Err(Refusal::bad());
        }
        self.installer(label, app).ok_or_else(Refusal::missing)?;
        let queue = self.webhooks.queues.entry((label, app)).or_default();
        if queue.paused.is_some_and(|(_, cause)| cause == Cause::Operator) {
            return Err(Refusal::bad());
        }
        let decision = self.decide(label, app, event, caller.depth);
        if let Decision::Send(_) = decision {
            self.log_attempt((label, app), event, reply, caller.now);
        }
        let response = match (decision, reply) {
            (Decision::Send(_), Reply::Accepted(response)) => {
                let queue = self.webhooks.queues.entry((label, app)).or_default();
                (queue.failing, queue.paused) = (None, None);
                response
            }
            _ => Some((ResponseKind::Error, NOT_DELIVERED)),
        };
        let queue = self.webhooks.queues.entry((label, app)).or_default();
        queue.waiting.remove(&event);
        self.respond(label, app, event, response, caller.now);
        Ok(EventView { responses: self.responses(label, event), event: found })
    }

    fn find_event(&self, book: label::Book, event: i64) -> Result<Event, Refusal> {
        let found = self.logs[&book].iter().find(|one| one.sequence == event);
        found.cloned().ok_or_else(Refusal::missing)
    }

    /// Pauses an app as its operator; returns whether it is installed.
    pub fn pause_app(&mut self, book: label::Book, app: label::App, now: i64) -> bool {
        let installed = self.installer(book, app).is_some();
        if installed {
            let queue = self.webhooks.queues.entry((book, app)).or_default();
            let since = queue.paused.map_or(now, |(at, _)| at);
            queue.paused = Some((since, Cause::Operator));
        }
        installed
    }

    pub fn resume_app(&mut self, book: label::Book, app: label::App) -> bool {
        let queue = self.webhooks.queues.get_mut(&(book, app));
        let paused = queue.filter(|queue| queue.paused.is_some());
        paused.is_some_and(|queue| {
            (queue.paused, queue.failing) = (None, None);
            true
        })
    }

    /// Resumes an app that was paused because of failures, as updateIntegration does.
    pub fn resume_failing(&mut self, book: label::Book, app: label::App) {
        if let Some(queue) = self.webhooks.queues.get_mut(&(book, app))
            && queue.paused.is_some_and(|(_, cause)| cause == Cause::Failing)
        {
            (queue.paused, queue.failing) = (None, None);
        }
    }

    /// Gives up deliveries that have waited for 30 days, with an ERROR response.
    pub fn give_up(&mut self, now: i64) {
        let over = |queue: &Queue| queue.paused.is_some_and(|(at, _)| at + 30 * DAY <= now);
        let all = self.webhooks.queues.iter().filter(|(_, queue)| over(queue));
        let all: Vec<_> =
            all.map(|(key, queue)| (*key, queue.waiting.keys().copied().collect())).collect();
        for ((book, app), events) in all {
            let events: Vec<i64> = events;
            for event in events {
                self.respond(book, app, event, Some((ResponseKind::Error, NOT_DELIVERED)), now);
            }
            self.webhooks.queues.get_mut(&(book, app)).expect("it was there").waiting.clear();
        }
    }

    /// Removes the queues and responses of a book.
    pub fn forget_webhooks(&mut self, book: label::Book) {
        self.webhooks.queues.retain(|(of, _), _| *of != book);
        self.webhooks.responses.retain(|(of, _), _| *of != book);
        self.webhooks.attempts.retain(|(of, _), _| *of != book);
    }
}

/// The message for an event that an app does not get, whatever the reason.
pub const NOT_DELIVERED: &str = "not delivered";

/// The events sent to each app of each book, with their addresses.
pub type Sent = BTreeMap<(label::Book, label::App), Vec<(i64, String)>>;

pub enum Decision {
    /// Sent to this address.
    Send(String),
    /// Too many apps acted one after another.
    TooDeep,
    /// The installer may not see the event, or the app has no address.
    Skip,
    AccessLost,
}
