//! A world: a service and its model, compared after every step.

use std::collections::BTreeMap;
use std::fmt::{self, Debug};
use std::sync::Arc;

use daybook_domain::event::{Event, Hash};
use daybook_domain::id::BookKey;
use daybook_domain::permission::Action;
use daybook_service::event::{self, Request};
use daybook_service::{
    access, access_request, account, app, balance, book, collaborator, connection, group,
    integration, saved_query, token,
};

use super::body::terse;
use super::facts::{self, EventView, Refusal};
use super::label;
use super::model::app::Visitor;
use super::model::balance::Question;
use super::model::dates::Unit;
use super::model::event::Filter;
use super::model::query::{Clause, Query, Term};
use super::model::{Caller, Model};
use super::ops::Operation;
use super::service::{Service, TestDatabase};

/// The start of every world: the afternoon of 28 December 2024 in UTC, so that a year ends soon.
const BEGINNING: i64 = 1_735_400_000_000;
/// Users of a world. The first one creates the books; the last one never collaborates.
pub const USERS: usize = 6;

/// A request: the caller, the book, the operation, and the time since the request before.
#[derive(Clone)]
pub struct Step {
    pub who: usize,
    pub book: label::Book,
    pub agent: Option<&'static str>,
    /// How many apps acted one after another before this request.
    pub depth: i64,
    /// In milliseconds.
    pub wait: i64,
    pub operation: Arc<dyn Operation>,
}

impl Debug for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Step { who, book, agent, depth, wait, operation } = self;
        let agent = agent.map(|agent| format!(" through {agent}")).unwrap_or_default();
        let depth = if *depth > 0 { format!(" at depth {depth}") } else { String::new() };
        let operation = terse(&format!("{operation:?}"));
        write!(f, "{wait:+} ms, user {who}{agent}{depth} in {book:?}: {operation}")
    }
}

pub struct World {
    pub model: Model,
    service: Service,
    now: i64,
    /// How many events of each book were compared, and the hash of the last.
    heads: BTreeMap<label::Book, (usize, Hash)>,
}

/// The result of a step.
pub struct StepResult {
    pub accepted: bool,
    /// Whether it recorded an event.
    pub changed: bool,
}

/// Where service and model differ.
pub type Checked = Result<(), String>;

impl World {
    /// Creates a world. `corner` separates its users from those of other worlds in the same
    /// database.
    pub fn new(database: TestDatabase, corner: u64) -> anyhow::Result<World> {
        let service = Service::new(database, corner, USERS, BEGINNING)?;
        let model = Model { users: service.users(), ..Model::default() };
        Ok(World { model, service, now: BEGINNING, heads: BTreeMap::new() })
    }

    /// The caller of the next request, at its time.
    pub fn caller(&self, who: usize, book: label::Book, agent: Option<&str>, wait: i64) -> Caller {
        Caller { who, book, agent: agent.map(str::to_owned), depth: 0, now: self.now + wait }
    }

    /// Runs a step on both sides. The answers and the new events must agree.
    pub fn step(&mut self, step: &Step) -> Result<StepResult, String> {
        let caller = self.caller(step.who, step.book, step.agent, step.wait);
        let caller = Caller { depth: step.depth, ..caller };
        if !step.operation.applies(&self.model, &caller) {
            return Ok(StepResult { accepted: false, changed: false });
        }
        self.now = caller.now;
        let expected = step.operation.run_model(&mut self.model, &caller);
        let found = step.operation.run(&mut self.service, &caller);
        agree("the answer", &expected, &found)?;
        let changed = self.check_new_events(step.book)?;
        // An operation may record events in other books, too (9.5).
        for book in self.grown() {
            self.check_new_events(book)?;
        }
        Ok(StepResult { accepted: expected.is_ok(), changed })
    }

    /// The owner of a book, reading it now.
    fn owner(&self, book: label::Book) -> Option<Caller> {
        self.model.books.get(&book).map(|found| self.caller(found.owner, book, None, 0))
    }

    /// The books with events that were not compared yet.
    fn grown(&self) -> Vec<label::Book> {
        let seen = |book| self.heads.get(book).map_or(0, |(seen, _)| *seen);
        let grown = self.model.logs.iter().filter(|(book, log)| log.len() > seen(book));
        grown.map(|(book, _)| *book).collect()
    }

    /// Compares the events since the last check: the model's, in order, chained to those before,
    /// and none after a refusal. It requests one more than expected. Returns whether there are any.
    fn check_new_events(&mut self, book: label::Book) -> Result<bool, String> {
        let Some(owner) = self.owner(book) else { return Ok(self.heads.remove(&book).is_some()) };
        let (seen, hash) = self.heads.get(&book).copied().unwrap_or((0, Hash::ZERO));
        let log = &self.model.logs[&book];
        let request = Request { limit: Some(log.len() - seen + 1), ..Request::default() };
        let page = self.service.read(&owner, |tx, cx, key| event::list(tx, cx, key, &request));
        let page = page.map_err(|refused| format!("the events cannot be read: {refused:?}"))?;
        let mut raw: Vec<_> = page.events.into_iter().map(|read| read.event).collect();
        raw.reverse();
        let before = i64::try_from(seen).expect("a short log");
        raw.retain(|event| event.sequence > before);
        let found: Vec<facts::Event> = self.service.all(&raw, Service::event);
        agree("the events", &log[seen..], &found[..])?;
        let key = BookKey::new(self.service.labels.key(book));
        self.heads.insert(book, (log.len(), chained(&raw, hash, &key)?));
        Ok(!raw.is_empty())
    }

    /// Compares the whole state.
    pub fn check(&mut self) -> Checked {
        for book in self.model.books.keys().copied().collect::<Vec<_>>() {
            let owner = self.owner(book).expect("the book is there");
            self.check_book(&owner)?;
            self.check_lists(&owner)?;
            self.check_log(&owner)?;
        }
        (0..USERS).try_for_each(|who| self.check_user(&self.caller(who, label::Book(0), None, 0)))
    }

    /// Compares what a user has across books.
    fn check_user(&self, user: &Caller) -> Checked {
        let service = &self.service;
        let found = service.read(user, |tx, cx, _| token::list(tx, cx));
        let found = found.map(|all| service.all(&all, Service::token));
        compare("the tokens", self.model.list_tokens(user), found)?;
        let found = service.read(user, |tx, cx, _| connection::list(tx, cx));
        let found = found.map(|all| service.all(&all, Service::connection));
        compare("the connections", self.model.list_connections(user), found)?;
        let found = service.read(user, |tx, cx, _| app::list(tx, cx));
        let found = found.map(|all| service.apps(&all));
        compare("the apps", self.model.list_apps(Visitor::from(user)), found)
    }

    /// Compares all events with the responses of the apps.
    fn check_log(&mut self, owner: &Caller) -> Checked {
        let request = Request { limit: Some(200), ..Request::default() };
        let pages = self.service.list_events(owner, request);
        let pages = pages.map_err(|refused| format!("the events cannot be read: {refused:?}"))?;
        let found: Vec<EventView> =
            pages.iter().flat_map(|page| self.service.events_seen(page)).collect();
        let expected = self.model.list_events(owner, &Filter::default());
        agree("the events", &expected, &Ok(found))?;
        agree("the backlog", &self.model.backlog(owner), &self.service.backlog(owner))?;
        let raw = pages.into_iter().flat_map(|page| page.events).map(|read| read.event);
        let mut raw: Vec<_> = raw.collect();
        raw.reverse();
        let key = BookKey::new(self.service.labels.key(owner.book));
        self.heads.insert(owner.book, (raw.len(), chained(&raw, Hash::ZERO, &key)?));
        Ok(())
    }

    fn check_book(&self, owner: &Caller) -> Checked {
        let (service, model) = (&self.service, &self.model.books[&owner.book]);
        let found = service.read(owner, |tx, cx, key| book::get(tx, cx, key, false, false));
        let found = found.map(|view| service.book(&view, owner));
        agree("the book", &self.model.get_book(owner), &found)?;
        let found = service.read(owner, account::list).map(|view| service.accounts(&view));
        compare("the accounts", model.accounts_by_name(), found)?;
        let found = service.read(owner, group::list).map(|view| service.groups(&view));
        let groups = model.groups_in_order();
        compare("the groups", groups.iter().map(|one| model.with_nature(one)).collect(), found)?;
        let stored = service.read(owner, |tx, cx, key| {
            let access = access::enter(tx, cx, key, Action::ReadBook)?;
            Ok((tx.storage_usage().of_book(&access)?.0, tx.storage_usage().recount(&access)?))
        });
        let (stored, counted) =
            stored.map_err(|refused| format!("the storage usage cannot be read: {refused:?}"))?;
        agree("the storage usage", &counted, &stored)?;
        for by in [Unit::Month, Unit::Year] {
            let question = Question { by: Some(by), ..Question::default() };
            let request = service.question_text(&question).into();
            let found = service.read(owner, |tx, cx, key| balance::get(tx, cx, key, &request));
            let found = found.map(|view| service.containers(&view));
            agree("the balances", &self.model.balances(owner, &question), &found)?;
        }
        Ok(())
    }

    fn check_lists(&self, owner: &Caller) -> Checked {
        let (service, model) = (&self.service, &self.model.books[&owner.book]);
        let found = service.read(owner, collaborator::list);
        let found = found.map(|all| service.all(&all, Service::collaborator));
        compare("the collaborators", model.collaborators_in_order(), found)?;
        let found = service.read(owner, access_request::list);
        let found = found.map(|all| service.all(&all, Service::access_request));
        compare("the access requests", model.open_requests(owner.now), found)?;
        let state = |state| Clause::Term(Term::Is(state));
        let clauses = vec![state("draft"), state("posted"), state("trashed")];
        let query = Query { clauses, ..Query::default() };
        let found = service.list_transactions(owner, &service.query_text(&query), 1000);
        let found = found.map(|pages| pages.iter().flat_map(|page| service.rows(page)).collect());
        let expected = self.model.list_transactions(owner, &query).map(|(rows, _)| rows);
        agree("the transactions", &expected, &found)?;
        agree("the files", &self.model.list_files(owner), &service.list_files(owner, 1000))?;
        let found = service.read(owner, integration::list);
        let found = found.map(|all| service.all(&all, Service::integration));
        compare("the integrations", model.integrations_in_order(), found)?;
        let found = service.read(owner, saved_query::list);
        let found = found.map(|all| service.all(&all, Service::saved_query));
        compare("the saved queries", model.saved_in_order(), found)
    }
}

/// Returns the hash of the last of the events, which must be chained.
fn chained(events: &[Event], mut hash: Hash, key: &BookKey) -> Result<Hash, String> {
    for event in events {
        if event.hash != event.hash_after(&hash, key) {
            let number = event.sequence;
            return Err(format!("8.15: event {number} is not chained to its predecessor"));
        }
        hash = event.hash;
    }
    Ok(hash)
}

fn compare<T: Debug>(what: &str, expected: T, found: Result<T, Refusal>) -> Checked {
    agree(what, &Ok(expected), &found)
}

/// Compares two values by their `Debug` texts, and reports the first differing lines.
fn agree<T: Debug + ?Sized>(what: &str, expected: &T, found: &T) -> Checked {
    if format!("{expected:?}") == format!("{found:?}") {
        return Ok(());
    }
    let (expected, found) = (format!("{expected:#?}"), format!("{found:#?}"));
    let (expected, found): (Vec<&str>, Vec<&str>) =
        (expected.lines().collect(), found.lines().collect());
    let first = expected.iter().zip(&found).take_while(|(a, b)| a == b).count();
    let last = expected[first..]
        .iter()
        .rev()
        .zip(found[first..].iter().rev())
        .take_while(|(a, b)| a == b)
        .count();
    let mut lines = vec![format!("{what} differs:")];
    lines
        .extend(expected[first.saturating_sub(12)..first].iter().map(|line| format!("    {line}")));
    for (sign, all) in [("model   ", &expected), ("service", &found)] {
        let differing = &all[first..all.len() - last];
        lines.extend(differing.iter().take(30).map(|line| format!("  {sign} {line}")));
        lines.extend(
            (differing.len() > 30)
                .then(|| format!("  {sign} ... and {} more lines", differing.len() - 30)),
        );
    }
    Err(lines.join("\n"))
}
