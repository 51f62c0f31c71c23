//! Webhooks, from behaviour 8.7, 8.9 - 8.12 and 8.19: the delivery queue of each app in a book, and
//! the responses of the apps. Every app answers; the tests of deliveries test retries and pauses.

use std::collections::{BTreeMap, BTreeSet};

use daybook_domain::delivery::ResponseKind;
use daybook_domain::event::EventType;

use super::event::is_internal;
use super::{Book, Caller, Model, may};
use crate::sim::facts::{Event, EventView, Refusal, Resource, Response};
use crate::sim::label;

/// The reply of an app to a delivery, perhaps with a response text.
pub type Reply = Option<(ResponseKind, &'static str)>;

/// The delivery queue of an app in a book.
#[derive(Clone, Debug, Default)]
pub struct Queue {
    /// How many apps acted one after another before each event, by event number.
    waiting: BTreeMap<i64, i64>,
    /// The user who installed the app has lost access.
    stopped: bool,
}

/// The queues and responses of all books.
#[derive(Clone, Debug, Default)]
pub struct Webhooks {
    queues: BTreeMap<(label::Book, label::App), Queue>,
    responses: BTreeMap<(label::Book, i64), BTreeMap<label::App, Response>>,
}

impl Model {
    /// Queues the events of a request for their receivers, which are fixed at that time (8.11).
    pub fn queue_events(&mut self, book: &Book, events: &[Event], depth: i64) {
        for event in events {
            for app in self.receivers(book, event) {
                let queue = self.webhooks.queues.entry((book.label, app)).or_default();
                queue.waiting.entry(event.sequence).or_insert(depth);
            }
        }
        // Uninstalling an app drops its queue.
        let installed: BTreeSet<label::App> = book.installed().map(|one| one.app).collect();
        let stays = |of: label::Book, app| of != book.label || installed.contains(&app);
        self.webhooks.queues.retain(|(of, app), _| stays(*of, *app));
    }

    /// The apps in the book that are subscribed to the event. An app does not receive events about
    /// its own integration.
    fn receivers(&self, book: &Book, event: &Event) -> BTreeSet<label::App> {
        let own = match event.resource {
            Resource::Integration(label) => self.installed.get(&label).copied(),
            _ => None,
        };
        let receives = |app: &label::App| {
            let stopped =
                self.webhooks.queues.get(&(book.label, *app)).is_some_and(|one| one.stopped);
            let subscribed = self.apps.get(app).is_some_and(|app| app.events.contains(&event.kind));
            subscribed && !stopped && own != Some(*app)
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

    /// Sends everything that waits; every app gives this reply.
    pub fn deliver(&mut self, reply: Reply, now: i64) -> Sent {
        let mut sent = Sent::new();
        for ((book, app), queue) in self.webhooks.queues.clone() {
            for (event, depth) in queue.waiting {
                let decision = self.decide(book, app, event, depth);
                let queue = self.webhooks.queues.entry((book, app)).or_default();
                queue.waiting.remove(&event);
                let response = match decision {
                    Decision::Send(address) => {
                        sent.entry((book, app)).or_default().push((event, address));
                        reply
                    }
                    Decision::Skip => None,
                    Decision::TooDeep => Some((ResponseKind::Error, NOT_DELIVERED)),
                    Decision::AccessLost => {
                        *queue = Queue { stopped: true, ..Queue::default() };
                        self.respond(
                            book,
                            app,
                            event,
                            Some((ResponseKind::Error, NOT_DELIVERED)),
                            now,
                        );
                        break;
                    }
                };
                self.respond(book, app, event, response, now);
            }
        }
        sent
    }

    /// Decides whether an event is sent to an app.
    fn decide(&self, label: label::Book, app: label::App, event: i64, depth: i64) -> Decision {
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
        // 7.3, 3.14.2: collaborators and comments are not public.
        let insider = book.collaborators.values().any(|one| one.email == self.users[who].email);
        let event = self.log(label).iter().find(|one| one.sequence == event);
        let hidden = event.is_some_and(|one| is_internal(one.resource));
        let actor = event.map_or(who, |event| event.user);
        let address = self.apps.get(&app).and_then(|app| app.address([actor, who]));
        match address {
            Some(address) if insider || !hidden => Decision::Send(address.clone()),
            _ => Decision::Skip,
        }
    }

    fn log(&self, book: label::Book) -> &[Event] {
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

    /// Counts the waiting events, not deliveries (8.10).
    pub fn backlog(&self, caller: &Caller) -> Result<usize, Refusal> {
        self.enter(caller, may::READ)?;
        let queues = self.webhooks.queues.iter();
        let own = queues.filter(|((of, _), _)| *of == caller.book);
        let waiting: BTreeSet<&i64> = own.flat_map(|(_, queue)| queue.waiting.keys()).collect();
        Ok(waiting.len())
    }

    /// Queues events again (8.12).
    pub fn replay(
        &mut self,
        caller: &Caller,
        events: &[i64],
        errors_only: bool,
    ) -> Result<(), Refusal> {
        let label = caller.book;
        let (book, _) = self.enter(caller, may::MANAGE)?;
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
                    queue.waiting.entry(event.sequence).or_insert(caller.depth);
                }
            }
        }
        Ok(())
    }

    pub fn delete_response(
        &mut self,
        caller: &Caller,
        event: i64,
        app: label::App,
    ) -> Result<EventView, Refusal> {
        self.enter(caller, may::MANAGE)?;
        let label = caller.book;
        let found = self.find_event(label, event)?;
        let all = self.webhooks.responses.get_mut(&(label, event));
        all.and_then(|all| all.remove(&app)).ok_or_else(Refusal::missing)?;
        Ok(EventView { responses: self.responses(label, event), event: found })
    }

    /// Delivers once, immediately (8.12).
    pub fn replay_response(
        &mut self,
        caller: &Caller,
        event: i64,
        app: label::App,
        reply: Reply,
    ) -> Result<EventView, Refusal> {
        self.enter(caller, may::MANAGE)?;
        let label = caller.book;
        let found = self.find_event(label, event)?;
        if found.kind == EventType::BookDeleted {
            return Err(Refusal::bad());
        }
        self.installer(label, app).ok_or_else(Refusal::missing)?;
        let response = match self.decide(label, app, event, caller.depth) {
            Decision::Send(_) => reply,
            _ => Some((ResponseKind::Error, NOT_DELIVERED)),
        };
        if let Some(queue) = self.webhooks.queues.get_mut(&(label, app)) {
            queue.waiting.remove(&event);
        }
        self.respond(label, app, event, response, caller.now);
        Ok(EventView { responses: self.responses(label, event), event: found })
    }

    fn find_event(&self, book: label::Book, event: i64) -> Result<Event, Refusal> {
        let found = self.logs[&book].iter().find(|one| one.sequence == event);
        found.cloned().ok_or_else(Refusal::missing)
    }

    /// Removes the queues and responses of a book.
    pub fn forget_webhooks(&mut self, book: label::Book) {
        self.webhooks.queues.retain(|(of, _), _| *of != book);
        self.webhooks.responses.retain(|(of, _), _| *of != book);
    }
}

/// The message for an event that an app does not get, whatever the reason.
pub const NOT_DELIVERED: &str = "not delivered";

/// The events sent to each app of each book, with their addresses.
pub type Sent = BTreeMap<(label::Book, label::App), Vec<(i64, String)>>;

enum Decision {
    /// Sent to this address.
    Send(String),
    /// Too many apps acted one after another.
    TooDeep,
    /// The installer may not see the event, or the app has no address.
    Skip,
    AccessLost,
}
