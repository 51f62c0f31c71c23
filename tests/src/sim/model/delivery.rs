//! Webhooks, from behaviour 8.7 - 8.12 and 8.19: what waits for which app, what becomes of it, and
//! what the apps have said.

use std::collections::{BTreeMap, BTreeSet};

use daybook_domain::delivery::ResponseKind;
use daybook_domain::event::EventType;

use super::farewell::Farewells;
use super::{Book, Caller, Model, may};
use crate::sim::facts::{Attempt, Event, EventSeen, Refused, Resource, Response};
use crate::sim::label;

const SECOND: i64 = 1_000;
const DAY: i64 = 24 * 3_600 * SECOND;
/// The pauses after attempts that fail.
const PAUSES: [i64; 4] = [SECOND, 5 * SECOND, 15 * SECOND, 60 * SECOND];

/// What an app answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reply {
    /// It has the event, and perhaps something to say about it.
    Fine(Option<(ResponseKind, &'static str)>),
    /// It is not reached, or cannot be understood.
    Failed,
    /// 429, perhaps with the seconds of Retry-After.
    Busy(Option<i64>),
}

/// How often a delivery was tried.
#[derive(Clone, Copy, Debug, Default)]
struct RetryState {
    /// How many apps acted one after another until the event.
    depth: i64,
    failures: usize,
    busy: u32,
    busy_since: Option<i64>,
}

/// Why nothing is sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Cause {
    Failing,
    Operator,
}

/// What waits for an app in a book, by the numbers of the events.
#[derive(Clone, Debug, Default)]
pub struct Queue {
    waiting: BTreeMap<i64, RetryState>,
    /// When the first one is tried next.
    due: Option<i64>,
    failing: Option<i64>,
    paused: Option<(i64, Cause)>,
    /// Who installed the app has lost access.
    stopped: bool,
}

/// The queues and responses of all books.
#[derive(Clone, Debug, Default)]
pub struct Webhooks {
    pub queues: BTreeMap<(label::Book, label::App), Queue>,
    responses: BTreeMap<(label::Book, i64), BTreeMap<label::App, Response>>,
    pub attempts: BTreeMap<(label::Book, label::App), Vec<Attempt>>,
    /// What files were called when they were created.
    files: BTreeMap<label::File, String>,
    pub farewells: Farewells,
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

    /// The events that wait, and how deep they are.
    pub fn depths(&self) -> Vec<(i64, i64)> {
        self.waiting.iter().map(|(event, tries)| (*event, tries.depth)).collect()
    }

    /// One of them alone.
    pub fn of_one(&self, event: i64, now: i64) -> Queue {
        let waiting = BTreeMap::from([(event, self.waiting[&event])]);
        Queue { waiting, due: self.due.or(Some(now)), ..Queue::default() }
    }

    pub fn is_due(&self, now: i64) -> bool {
        self.paused.is_none() && !self.waiting.is_empty() && self.due.is_some_and(|due| due <= now)
    }

    /// Has been delivered, or given up.
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

    /// 8.8: after a failure; whether it is given up.
    pub fn fail(&mut self, event: i64, now: i64) -> bool {
        let tries = self.waiting.entry(event).or_default();
        let pause = PAUSES.get(tries.failures);
        let (failures, depth) = (tries.failures + 1, tries.depth);
        *tries = RetryState { failures, depth, ..RetryState::default() };
        self.due = pause.map(|pause| now + pause);
        pause.is_none()
    }

    /// 8.8: from a second to an hour, for 24 hours.
    pub fn wait(&mut self, event: i64, asked: Option<i64>, now: i64) -> bool {
        let tries = self.waiting.entry(event).or_default();
        let since = *tries.busy_since.get_or_insert(now);
        let own = SECOND << tries.busy.min(12);
        let pause = asked.map_or(own, |seconds| seconds * SECOND).clamp(SECOND, 3_600 * SECOND);
        tries.busy += 1;
        self.due = Some(now + pause);
        now + pause > since + DAY
    }
}

impl Model {
    /// 8.11: who receives the events that a request leaves, fixed with them.
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
        // To uninstall an app drops what waits for it; a pause of the operator outlasts that.
        let installed: BTreeSet<label::App> = book.installed().map(|one| one.app).collect();
        self.webhooks.queues.retain(|(of, app), queue| {
            let stays = *of != book.label || installed.contains(app);
            if !stays {
                *queue = Queue { paused: queue.paused, ..Queue::default() };
            }
            stays || queue.paused.is_some_and(|(_, cause)| cause == Cause::Operator)
        });
    }

    /// The apps in the book that are subscribed to the type. Their own installation is no news to
    /// them.
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
    fn even_deleted(&self, book: label::Book) -> Option<&Book> {
        self.books.get(&book).or_else(|| self.deleted.get(&book).map(|gone| &gone.book))
    }

    /// Who installed an app in a book first.
    fn installer(&self, book: label::Book, app: label::App) -> Option<usize> {
        let mut all = self.even_deleted(book)?.installed();
        all.find(|one| one.app == app).map(|one| one.installer)
    }

    /// What the server does: everything that is due is sent, and all apps answer this.
    pub fn deliver(&mut self, (reply, now): (Reply, i64), sent: &mut Sent) {
        let all: Vec<(label::Book, label::App)> = self.webhooks.queues.keys().copied().collect();
        for key in all {
            while let Some(event) = self.due(key, now) {
                if let Some(address) = self.deliver_one(key, event, reply, now) {
                    sent.entry(key).or_default().push((event, address));
                }
            }
        }
        self.say_farewell((reply, now), sent);
    }

    fn due(&self, key: (label::Book, label::App), now: i64) -> Option<i64> {
        let queue = self.webhooks.queues.get(&key).filter(|queue| queue.is_due(now))?;
        queue.waiting.keys().next().copied()
    }

    /// Where it was sent, if it was.
    fn deliver_one(
        &mut self,
        (book, app): (label::Book, label::App),
        event: i64,
        reply: Reply,
        now: i64,
    ) -> Option<String> {
        let waiting = &self.webhooks.queues[&(book, app)].waiting;
        let depth = waiting.get(&event).map_or(0, |tries| tries.depth);
        let fate = self.fate((book, app), event, depth);
        let queue = self.webhooks.queues.get_mut(&(book, app)).expect("it is due");
        let given_up = Some((ResponseKind::Error, NOT_DELIVERED));
        let sent = if let Fate::Sent(address) = &fate { Some(address.clone()) } else { None };
        let ended = match (fate, reply) {
            (Fate::Lost, _) => {
                *queue = Queue { stopped: true, ..Queue::default() };
                self.respond((book, app), event, given_up, now);
                return None;
            }
            (Fate::Nowhere, _) => Some((None, None)),
            (Fate::TooDeep, _) => Some((given_up, None)),
            (Fate::Sent(_), Reply::Fine(remark)) => Some((remark, Some(true))),
            (Fate::Sent(_), Reply::Failed) => {
                queue.fail(event, now).then_some((given_up, Some(false)))
            }
            (Fate::Sent(_), Reply::Busy(asked)) => {
                queue.wait(event, asked, now).then_some((given_up, Some(false)))
            }
        };
        if let Some((remark, delivered)) = ended {
            queue.end(event, delivered, now);
            self.respond((book, app), event, remark, now);
        }
        if sent.is_some() {
            self.log_attempt((book, app), event, reply, now);
        }
        sent
    }

    /// Whether an event is sent to an app at all.
    pub fn fate(&self, (label, app): (label::Book, label::App), event: i64, depth: i64) -> Fate {
        if depth > 10 {
            return Fate::TooDeep;
        }
        let installer = self.installer(label, app);
        let (Some(who), Some(book)) = (installer, self.even_deleted(label)) else {
            return Fate::Nowhere;
        };
        let reads = self.permission(book, who).is_some_and(|it| book.allows(it, may::READ));
        if !reads {
            return Fate::Lost;
        }
        // 7.3: who collaborates is not public.
        let insider = book.collaborators.values().any(|one| one.email == self.users[who].email);
        let event = self.log(label).iter().find(|one| one.sequence == event);
        let hidden = event.is_some_and(|one| matches!(one.resource, Resource::Collaborator(_)));
        let actor = event.map_or(who, |event| event.user);
        let address = self.apps.get(&app).and_then(|app| app.address([actor, who]));
        match address {
            Some(address) if insider || !hidden => Fate::Sent(address.clone()),
            _ => Fate::Nowhere,
        }
    }

    pub fn log(&self, book: label::Book) -> &[Event] {
        let kept = self.deleted.get(&book).map(|gone| &gone.log);
        self.logs.get(&book).or(kept).map(Vec::as_slice).unwrap_or_default()
    }

    /// One of each app; a new delivery replaces it.
    fn respond(
        &mut self,
        (book, app): (label::Book, label::App),
        event: i64,
        remark: Option<(ResponseKind, &str)>,
        now: i64,
    ) {
        let all = self.webhooks.responses.entry((book, event)).or_default();
        match remark {
            Some((kind, message)) => {
                let message = message.to_owned();
                all.insert(app, Response { app, kind, message, at: now });
            }
            None => drop(all.remove(&app)),
        }
    }

    /// 1.2: the transactions of a book with an event that an app answered with an error.
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

    /// What the apps have said about an event.
    pub fn responses(&self, book: label::Book, event: i64) -> Vec<Response> {
        let found = self.webhooks.responses.get(&(book, event)).into_iter().flatten();
        found.map(|(_, response)| response.clone()).collect()
    }

    /// The events of a book to which apps have responded, and these.
    pub fn answered(&self, book: label::Book) -> Vec<(i64, label::App)> {
        let all = self.webhooks.responses.iter().filter(|((of, _), _)| *of == book);
        all.flat_map(|((_, event), apps)| apps.keys().map(|app| (*event, *app))).collect()
    }

    /// 8.10: events, not deliveries; a paused app does not count.
    pub fn backlog(&self, book: label::Book, caller: &Caller) -> Result<usize, Refused> {
        self.enter(book, caller, may::READ)?;
        let queues = self.webhooks.queues.iter();
        let counts = queues.filter(|((of, _), queue)| *of == book && queue.paused.is_none());
        let waiting: BTreeSet<i64> =
            counts.flat_map(|(_, queue)| queue.waiting.keys().copied()).collect();
        Ok(waiting.len())
    }

    /// 8.12.
    pub fn replay(
        &mut self,
        label: label::Book,
        caller: &Caller,
        (events, errors_only): (&[i64], bool),
    ) -> Result<(), Refused> {
        let (book, _) = self.enter(label, caller, may::MANAGE)?;
        let (book, log) = (book.clone(), self.logs[&label].clone());
        let found: Option<Vec<&Event>> =
            events.iter().map(|event| log.iter().find(|one| one.sequence == *event)).collect();
        let found = found.ok_or_else(Refused::missing)?;
        if found.iter().any(|event| event.kind == EventType::BookDeleted) {
            return Err(Refused::bad());
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
        (event, app): (i64, label::App),
    ) -> Result<EventSeen, Refused> {
        self.enter(label, caller, may::MANAGE)?;
        let found = self.find_event(label, event)?;
        let all = self.webhooks.responses.get_mut(&(label, event));
        all.and_then(|all| all.remove(&app)).ok_or_else(Refused::missing)?;
        Ok(EventSeen { responses: self.responses(label, event), event: found })
    }

    /// 8.12: delivers once, now; what fails is an ERROR response.
    pub fn replay_response(
        &mut self,
        label: label::Book,
        caller: &Caller,
        (event, app, reply): (i64, label::App, Reply),
    ) -> Result<EventSeen, Refused> {
        self.enter(label, caller, may::MANAGE)?;
        let found = self.find_event(label, event)?;
        if found.kind == EventType::BookDeleted {
            return Err(Refused::bad());
        }
        self.installer(label, app).ok_or_else(Refused::missing)?;
        let queue = self.webhooks.queues.entry((label, app)).or_default();
        if queue.paused.is_some_and(|(_, cause)| cause == Cause::Operator) {
            return Err(Refused::bad());
        }
        let fate = self.fate((label, app), event, caller.depth);
        if let Fate::Sent(_) = fate {
            self.log_attempt((label, app), event, reply, caller.now);
        }
        let remark = match (fate, reply) {
            (Fate::Sent(_), Reply::Fine(remark)) => {
                let queue = self.webhooks.queues.entry((label, app)).or_default();
                (queue.failing, queue.paused) = (None, None);
                remark
            }
            _ => Some((ResponseKind::Error, NOT_DELIVERED)),
        };
        let queue = self.webhooks.queues.entry((label, app)).or_default();
        queue.waiting.remove(&event);
        self.respond((label, app), event, remark, caller.now);
        Ok(EventSeen { responses: self.responses(label, event), event: found })
    }

    fn find_event(&self, book: label::Book, event: i64) -> Result<Event, Refused> {
        let found = self.logs[&book].iter().find(|one| one.sequence == event);
        found.cloned().ok_or_else(Refused::missing)
    }

    /// What the operator does; whether there is such an app.
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

    /// updateIntegration resumes an app that was paused because it failed.
    pub fn resume_failing(&mut self, book: label::Book, app: label::App) {
        if let Some(queue) = self.webhooks.queues.get_mut(&(book, app))
            && queue.paused.is_some_and(|(_, cause)| cause == Cause::Failing)
        {
            (queue.paused, queue.failing) = (None, None);
        }
    }

    /// What has waited for 30 days gets an ERROR response.
    pub fn give_up(&mut self, now: i64) {
        let over = |queue: &Queue| queue.paused.is_some_and(|(at, _)| at + 30 * DAY <= now);
        let all = self.webhooks.queues.iter().filter(|(_, queue)| over(queue));
        let all: Vec<_> =
            all.map(|(key, queue)| (*key, queue.waiting.keys().copied().collect())).collect();
        for (key, events) in all {
            let events: Vec<i64> = events;
            for event in events {
                self.respond(key, event, Some((ResponseKind::Error, NOT_DELIVERED)), now);
            }
            self.webhooks.queues.get_mut(&key).expect("it was there").waiting.clear();
        }
    }

    /// With the book.
    pub fn forget_webhooks(&mut self, book: label::Book) {
        self.webhooks.queues.retain(|(of, _), _| *of != book);
        self.webhooks.responses.retain(|(of, _), _| *of != book);
        self.webhooks.attempts.retain(|(of, _), _| *of != book);
    }
}

/// What the server says when an app does not get an event, whatever the reason.
pub const NOT_DELIVERED: &str = "not delivered";

/// What was sent to each app of each book: which event, and where.
pub type Sent = BTreeMap<(label::Book, label::App), Vec<(i64, String)>>;

pub enum Fate {
    /// There.
    Sent(String),
    /// Too many apps have acted one after another.
    TooDeep,
    /// The event is nothing for who installed it, or there is no address.
    Nowhere,
    Lost,
}
