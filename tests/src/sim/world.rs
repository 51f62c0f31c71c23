//! A world: a service and its model, compared after every step.

use std::fmt::{self, Debug};
use std::sync::Arc;

use daybook_domain::event::Hash;
use daybook_domain::id::BookKey;
use daybook_domain::permission::Action;
use daybook_service::event::{self, Request};
use daybook_service::{
    access, access_request, account, api_key, app, balance, book, collaborator, connection, file,
    group, integration, saved_query, token, transaction,
};

use super::body::terse;
use super::facts::{Answer, Event};
use super::label;
use super::model::app::Visitor;
use super::model::balance::Question;
use super::model::dates::Unit;
use super::model::query::{Clause, Query, Term};
use super::model::{Caller, Model};
use super::ops::Operation;
use super::service::{Service, TestDatabase};

/// The start of every world: the afternoon of 28 December 2024 in UTC, so that a year ends soon.
const BEGINNING: i64 = 1_735_400_000_000;
/// Users of a world. The first one creates the books; the last one never collaborates.
pub const USERS: usize = 6;

/// A request: the caller, the operation, and the time since the request before.
#[derive(Clone)]
pub struct Step {
    pub who: usize,
    pub agent: Option<&'static str>,
    /// How many apps acted one after another before this request.
    pub depth: i64,
    /// In milliseconds.
    pub wait: i64,
    pub operation: Arc<dyn Operation>,
}

impl Debug for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let agent = self.agent.map(|agent| format!(" through {agent}")).unwrap_or_default();
        let depth =
            if self.depth > 0 { format!(" at depth {}", self.depth) } else { String::new() };
        write!(
            f,
            "{:+} ms, user {}{agent}{depth}: {}",
            self.wait,
            self.who,
            terse(&format!("{:?}", self.operation))
        )
    }
}

pub struct World {
    pub model: Model,
    service: Service,
    now: i64,
    /// How many events of each book were compared, and the hash of the last.
    heads: std::collections::BTreeMap<label::Book, (usize, Hash)>,
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
        Ok(World { model, service, now: BEGINNING, heads: Default::default() })
    }

    /// The caller of the next request, at its time.
    pub fn caller(&self, who: usize, agent: Option<&str>, wait: i64) -> Caller {
        Caller { who, agent: agent.map(str::to_owned), depth: 0, now: self.now + wait }
    }

    /// Runs a step on both sides. The answers and the new events must agree.
    pub fn step(&mut self, step: &Step) -> Result<StepResult, String> {
        let user = self.caller(step.who, step.agent, step.wait);
        let caller = Caller { depth: step.depth, ..user };
        self.now = caller.now;
        let expected = step.operation.run_model(&mut self.model, &caller);
        let found = step.operation.run(&mut self.service, &caller);
        agree("the answer", &expected, &found)?;
        let changed = self.check_new_events(step.operation.book())?;
        // An operation without a book may record events in some books (9.5).
        for book in self.grown() {
            self.check_new_events(book)?;
        }
        Ok(StepResult { accepted: expected.is_ok(), changed })
    }

    /// The owner of a book, reading it now.
    fn owner(&self, book: label::Book) -> Option<Caller> {
        self.model.books.get(&book).map(|book| self.caller(book.owner, None, 0))
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
        let (seen, mut hash) = self.heads.get(&book).copied().unwrap_or((0, Hash::ZERO));
        let log = &self.model.logs[&book];
        let expected: Vec<&Event> = log[seen..].iter().collect();
        let request = Request { limit: Some(expected.len() + 1), ..Request::default() };
        let page =
            self.service.read(book, &owner, |tx, cx, key| event::list(tx, cx, key, &request));
        let page = page.map_err(|refused| format!("the events cannot be read: {refused:?}"))?;
        let mut raw: Vec<_> = page.events.into_iter().map(|read| read.event).collect();
        raw.reverse();
        let before = i64::try_from(seen).expect("a short log");
        raw.retain(|event| event.sequence > before);
        let found: Vec<Event> = raw.iter().map(|event| self.service.event(event)).collect();
        agree("the events", &expected, &found.iter().collect())?;
        let key = BookKey::new(self.service.labels.key(book));
        for event in &raw {
            if event.hash != event.hash_after(&hash, &key) {
                return Err(format!(
                    "8.15: event {} is not chained to its predecessor",
                    event.sequence
                ));
            }
            hash = event.hash;
        }
        self.heads.insert(book, (log.len(), hash));
        Ok(!raw.is_empty())
    }

    /// Compares the whole state.
    pub fn check(&mut self) -> Checked {
        for book in self.model.books.keys().copied().collect::<Vec<_>>() {
            self.check_book(book)?;
            // Compare from the first event.
            self.heads.remove(&book);
            self.check_chain(book)?;
        }
        (0..USERS).try_for_each(|who| self.check_user(&self.caller(who, None, 0)))
    }

    /// Compares what a user has across books.
    fn check_user(&self, user: &Caller) -> Checked {
        let (service, nowhere) = (&self.service, label::Book(0));
        let unread = |refused| format!("what a user has cannot be read: {refused:?}");
        let all = service.read(nowhere, user, |tx, cx, _| token::list(tx, cx)).map_err(unread)?;
        let all = all.iter().map(|one| service.token(one)).collect();
        agree("the tokens", &self.model.list_tokens(user), &all)?;
        let all = service.read(nowhere, user, |tx, cx, _| api_key::list(tx, cx)).map_err(unread)?;
        let all = all.iter().map(|one| service.api_key(one)).collect();
        agree("the API keys", &self.model.list_keys(user), &all)?;
        let all = service.read(nowhere, user, |tx, cx, _| connection::list(tx, cx));
        let all = all.map_err(unread)?.iter().map(|one| service.connection(one)).collect();
        agree("the connections", &self.model.list_connections(user), &all)?;
        let all = service.read(nowhere, user, |tx, cx, _| app::list(tx, cx)).map_err(unread)?;
        agree("the apps", &self.model.list_apps(Visitor::from(user)), &service.apps(&all))
    }

    fn check_chain(&mut self, book: label::Book) -> Checked {
        let owner = self.owner(book).expect("the book is there");
        let (mut below, mut raw, mut responses) = (None, Vec::new(), Vec::new());
        loop {
            let request = Request { limit: Some(200), below, ..Request::default() };
            let page =
                self.service.read(book, &owner, |tx, cx, key| event::list(tx, cx, key, &request));
            let page = page.map_err(|refused| format!("the events cannot be read: {refused:?}"))?;
            responses
                .extend(self.service.events_seen(&page).into_iter().map(|seen| seen.responses));
            raw.extend(page.events.into_iter().map(|read| read.event));
            below = page.next;
            if below.is_none() {
                break;
            }
        }
        let (key, mut hash) = (BookKey::new(self.service.labels.key(book)), Hash::ZERO);
        for (event, number) in raw.iter().rev().zip(1..) {
            if event.sequence != number || event.hash != event.hash_after(&hash, &key) {
                return Err(format!("8.15: event {number} does not follow its predecessor"));
            }
            hash = event.hash;
        }
        agree("the number of events", &self.model.logs[&book].len(), &raw.len())?;
        let expected = raw.iter().map(|event| self.model.responses(book, event.sequence)).collect();
        agree("the responses", &expected, &responses)?;
        let (expected, waiting) =
            (self.model.backlog(book, &owner), self.service.backlog(book, &owner));
        agree("the backlog", &expected, &waiting)?;
        self.heads.insert(book, (raw.len(), hash));
        Ok(())
    }

    fn check_book(&self, label: label::Book) -> Checked {
        let owner = self.owner(label).expect("the book is there");
        let (service, model) = (&self.service, &self.model.books[&label]);
        let unread = |refused| format!("the book cannot be read: {refused:?}");
        let view = service
            .read(label, &owner, |tx, cx, key| book::get(tx, cx, key, false, false))
            .map_err(unread)?;
        agree("the book", &self.model.get_book(label, &owner), &Ok(service.book(&view, &owner)))?;
        let view = service.read(label, &owner, account::list).map_err(unread)?;
        agree(
            "the accounts",
            &model.accounts_by_name(),
            &view.accounts.iter().map(|account| service.account(account)).collect(),
        )?;
        let view = service.read(label, &owner, group::list).map_err(unread)?;
        let groups = model.groups_in_order().iter().map(|group| model.with_nature(group)).collect();
        agree("the groups", &groups, &service.groups(&view))?;
        let stored = service.read(label, &owner, |tx, cx, key| {
            let access = access::enter(tx, cx, key, Action::ReadBook)?;
            Ok((tx.storage_usage().of_book(&access)?.0, tx.storage_usage().recount(&access)?))
        });
        let (stored, counted) = stored.map_err(unread)?;
        agree("the storage usage", &counted, &stored)?;
        let rows = service.read(label, &owner, collaborator::list).map_err(unread)?;
        agree(
            "the collaborators",
            &model.collaborators_in_order(),
            &rows.iter().map(|row| service.collaborator(row)).collect(),
        )?;
        let open = service.read(label, &owner, access_request::list).map_err(unread)?;
        agree(
            "the access requests",
            &model.open_requests(owner.now),
            &open.iter().map(|one| service.access_request(one)).collect(),
        )?;
        let state = |state| Clause::Term(Term::Is(state));
        let query = Query {
            clauses: vec![state("draft"), state("posted"), state("trashed")],
            by_posting: false,
            ignored: vec![],
        };
        let request = transaction::Request {
            query: service.query_text(&query).into(),
            limit: Some(1000),
            after: None,
            asked_at: None,
        };
        let listed = service
            .read(label, &owner, |tx, cx, key| transaction::list(tx, cx, key, &request))
            .map_err(unread)?;
        let (mut pages, _) =
            self.model.list_transactions(label, &owner, &query, 1000).map_err(unread)?;
        agree("the transactions", &pages.remove(0), &service.rows(&listed))?;
        let listed = service
            .read(label, &owner, |tx, cx, key| file::list(tx, cx, key, Some(1000), None))
            .map_err(unread)?;
        let mut pages = self.model.list_files(label, &owner, 1000).map_err(unread)?;
        agree(
            "the files",
            &pages.remove(0),
            &listed.files.iter().map(|file| service.file(file)).collect(),
        )?;
        let all = service.read(label, &owner, integration::list).map_err(unread)?;
        let all = all.iter().map(|one| service.integration(one)).collect();
        agree("the integrations", &model.integrations_in_order(), &all)?;
        let saved = service.read(label, &owner, saved_query::list).map_err(unread)?;
        agree(
            "the saved queries",
            &model.saved_in_order(),
            &saved.iter().map(|saved| service.saved_query(saved)).collect(),
        )?;
        for by in [Unit::Month, Unit::Year] {
            let question = Question {
                accounts: vec![],
                groups: vec![],
                tags: vec![],
                dates: vec![],
                by: Some(by),
                flaws: vec![],
                unreadable: false,
            };
            let request = service.question_text(&question).into();
            let view = service
                .read(label, &owner, |tx, cx, key| balance::get(tx, cx, key, &request))
                .map_err(unread)?;
            agree(
                "the balances",
                &self.model.balances(label, &owner, &question),
                &Ok(Answer::Balances(service.containers(&view), vec![])),
            )?;
        }
        Ok(())
    }
}

/// Reports the first differing lines of two values.
fn agree<T: PartialEq + Debug>(what: &str, expected: &T, found: &T) -> Checked {
    if expected == found {
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
