//! Events: the log of a book as its readers see it (behaviour 8).
//!
//! The write path appends events ([`crate::event_log`]); this module reads them. An event stores a
//! snapshot of the changed resource, with ids of the accounts, groups and users that it names. A
//! [`View`] loads what these ids mean now: accounts and groups (or the last snapshot of a deleted
//! one), names of users, summaries of apps, and the responses of apps to the event. Lists are read
//! backwards in pages ([`list`]), streams forwards ([`after`]), and a webhook reads one event as
//! the user who installed the app (`read_for_delivery`).

mod deleted;

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use daybook_domain::access::Access;
use daybook_domain::account::Directory;
use daybook_domain::app::AppSummary;
use daybook_domain::delivery::{AppResponse, EventDelivery};
use daybook_domain::event::snapshot::{AccountSnapshot, GroupSnapshot, Snapshot};
use daybook_domain::event::{EventType, ReadEvent, sequence_of};
use daybook_domain::group::Forest;
use daybook_domain::id::{AccountId, BookId, GroupId, TransactionId, UserId};
use daybook_domain::instant::Instant;
use daybook_domain::json::{Json, Object};
use daybook_domain::permission::Action;
use daybook_storage::Tx;
use daybook_storage::book::BookCounters;
use daybook_storage::event::EventFilter;
use daybook_storage::page::{MAX_PAGE_TEXT_BYTES, Page, rows_to_read};
use daybook_storage::user::User;

use crate::context::Context;
use crate::error::{Error, Result};
use crate::{access, collection, zone};
use deleted::{Deleted, MAX_EVENT_TEXTS};

/// Rows of a page by default, and at most (behaviour 2.2).
const DEFAULT_LIMIT: usize = 50;
const MAX_ROWS: usize = 200;

/// The parameters of listEvents, still as text.
#[derive(Debug, Clone, Default)]
pub struct Request {
    /// Events at or after this instant.
    pub after: Option<String>,
    /// Events before this instant.
    pub before: Option<String>,
    /// Events with (true) or without (false) an error response.
    pub error: Option<bool>,
    /// Events about this resource.
    pub resource: Option<String>,
    /// Events of this type, by its name.
    pub kind: Option<String>,
    /// The number of rows.
    pub limit: Option<usize>,
    /// Events below this number: where the page before ended.
    pub below: Option<i64>,
    /// Whether the events are shown as they are hashed, too.
    pub canonical: bool,
}

/// Events with the data that completes their snapshots (behaviour 8.16).
#[derive(Debug, Clone)]
pub struct View {
    /// The caller's access to the book.
    pub access: Access,
    /// The book's posting counts and last change.
    pub counters: BookCounters,
    /// The events, newest first; those of [`after`], oldest first.
    pub events: Vec<ReadEvent>,
    /// The number before or after which the next page begins.
    pub next: Option<i64>,
    /// The accounts that the snapshots name, in their current state.
    pub accounts: Directory,
    /// The groups of the book, in their current state.
    pub forest: Arc<Forest>,
    /// The last states of deleted accounts that the snapshots name.
    pub deleted_accounts: HashMap<AccountId, AccountSnapshot>,
    /// The last states of deleted groups that the snapshots and these accounts name.
    pub deleted_groups: HashMap<GroupId, GroupSnapshot>,
    /// The collection the book is in.
    pub collection: Option<Arc<collection::View>>,
    /// The creation times of the transactions that the events are about.
    pub created: HashMap<TransactionId, Instant>,
    /// The users who acted, and the creators that the snapshots name.
    pub users: HashMap<UserId, User>,
    /// The apps that acted, or that the snapshots name.
    pub app_summaries: HashMap<String, AppSummary>,
    /// The responses of apps to the events, by event number.
    pub responses: HashMap<i64, Vec<AppResponse>>,
    /// Whether the first event names more than can be shown, so that no event is complete
    /// (behaviour 0.33).
    pub is_too_large: bool,
}

/// listEvents.
///
/// # Errors
/// 400 for an unreadable instant or type. 403 for canonical events if some are hidden from the
/// caller, or the token belongs to a delivery (behaviour 8.15).
pub fn list(tx: &mut Tx<'_>, cx: &Context, book: &str, request: &Request) -> Result<View> {
    let found = access::find(tx, cx, book)?;
    let counters = found.counters;
    let access = found.admit(cx.user.id, Action::ReadEvents)?;
    if request.canonical {
        cx.scope.check_canonical_events()?;
        access.require(Action::ListCollaborators)?;
    }
    let Some(filter) = filter(&access, request)? else {
        return complete(tx, cx, access, counters, Vec::new(), None);
    };
    let limit = request.limit.filter(|limit| *limit > 0).unwrap_or(DEFAULT_LIMIT).min(MAX_ROWS);
    let rows = tx.events().list(&access, &filter, rows_to_read(limit))?;
    let page = Page::new(rows, limit, |read| read.event.sequence);
    complete(tx, cx, access, counters, page.items, page.next)
}

/// getEvent (behaviour 12.9).
///
/// # Errors
/// 404 for an unknown event.
pub fn get(tx: &mut Tx<'_>, cx: &Context, book: &str, id: &str) -> Result<View> {
    let found = access::find(tx, cx, book)?;
    let counters = found.counters;
    let access = found.admit(cx.user.id, Action::ReadEvents)?;
    let event = match sequence_of(id, &access.book().key) {
        Some(sequence) => tx.events().find(&access, sequence)?,
        None => None,
    };
    let event = event.filter(|read| !hidden_types(&access).contains(&read.event.kind));
    let event = event.ok_or(Error::NotFound("event"))?;
    complete(tx, cx, access, counters, vec![event], None)
}

/// Returns a book and the number of its last event.
pub fn last_number(tx: &mut Tx<'_>, cx: &Context, book: &str) -> Result<(BookId, i64)> {
    let access = access::enter(tx, cx, book, Action::ReadEvents)?;
    let number = tx.events().last_number(&access);
    Ok((access.book().id, number))
}

/// Returns the next events after a number, oldest first (behaviour 8.23).
///
/// [`View::next`] is the number of the last event that was read, which may be hidden.
pub fn after(tx: &mut Tx<'_>, cx: &Context, book: &str, number: i64) -> Result<View> {
    let found = access::find(tx, cx, book)?;
    let counters = found.counters;
    let access = found.admit(cx.user.id, Action::ReadEvents)?;
    let mut events = tx.events().after(&access, number, DEFAULT_LIMIT)?;
    let next = events.last().map(|read| read.event.sequence);
    let hidden = hidden_types(&access);
    events.retain(|read| !hidden.contains(&read.event.kind));
    complete(tx, cx, access, counters, events, next)
}

/// Returns the number of the last event of each of these books; `None` if it was removed.
///
/// It does not check access, so the numbers must not reach a caller.
pub fn last_numbers(tx: &mut Tx<'_>, books: &[BookId]) -> Result<Vec<(BookId, Option<i64>)>> {
    Ok(tx.events().last_numbers(books)?)
}

/// Returns one event as a caller with access to the book sees it.
pub(crate) fn show(
    tx: &mut Tx<'_>,
    cx: &Context,
    access: Access,
    event: ReadEvent,
) -> Result<View> {
    let counters = access::find(tx, cx, access.book().key.as_str())?.counters;
    complete(tx, cx, access, counters, vec![event], None)
}

/// Returns the event of a delivery as the user who installed the app reads it.
///
/// It returns `None` if the event is gone or hidden from them.
pub(crate) fn read_for_delivery(
    tx: &mut Tx<'_>,
    cx: &Context,
    delivery: &EventDelivery,
) -> Result<Option<View>> {
    let found = access::find_even_deleted(tx, cx, delivery.key.as_str())?;
    let counters = found.counters;
    let access = found.admit_even_deleted(cx.user.id, Action::ReadEvents)?;
    let event = tx.events().find(&access, delivery.sequence)?;
    let event = event.filter(|read| !hidden_types(&access).contains(&read.event.kind));
    let Some(event) = event else { return Ok(None) };
    complete(tx, cx, access, counters, vec![event], None).map(Some)
}

/// Returns the event types hidden from the caller: collaborators and comments are not public
/// (behaviour 7.3, 3.14.2).
fn hidden_types(access: &Access) -> &'static [EventType] {
    if access.may(Action::ListCollaborators) {
        &[]
    } else {
        &[
            EventType::CollaboratorAdded,
            EventType::CollaboratorUpdated,
            EventType::CollaboratorRemoved,
            EventType::CommentCreated,
            EventType::CommentDeleted,
        ]
    }
}

/// Returns the filter for storage, or `None` if no event can match.
///
/// A resource overrides error and type; error overrides type (behaviour 8.5).
fn filter(access: &Access, request: &Request) -> Result<Option<EventFilter>> {
    let zone = &access.book().settings.time_zone;
    let instant = |name: &str, text: &Option<String>| match text {
        None => Ok(None),
        Some(text) => zone::parse_instant(text, zone).map(Some).ok_or_else(|| {
            let shown: String = text.chars().take(40).collect();
            Error::BadRequest(format!(
                "{name} \"{shown}\" is not an RFC 3339 date-time, nor a date of the form yyyy-MM-dd"
            ))
        }),
    };
    let (after, before) = (instant("after", &request.after)?, instant("before", &request.before)?);
    let (below, hidden) = (request.below, hidden_types(access));
    let base = EventFilter { after, before, below, hidden, ..EventFilter::default() };
    Ok(match (&request.resource, request.error) {
        (Some(resource), _) => resource_number(access, resource)
            .map(|number| EventFilter { resource: Some(number), ..base }),
        (None, Some(error)) => Some(EventFilter { error: Some(error), ..base }),
        (None, None) => {
            let kind = request.kind.as_deref().map(parse_type).transpose()?;
            Some(EventFilter { kind, ..base })
        }
    })
}

/// Parses the type of a filter. Called only if no other filter overrides it.
fn parse_type(name: &str) -> Result<EventType> {
    let unknown = || {
        Error::BadRequest(format!(
            "type \"{}\" is not an event type",
            name.chars().take(60).collect::<String>()
        ))
    };
    EventType::from_name(name).ok_or_else(unknown)
}

/// Returns the number of a resource of any noun by its public id.
fn resource_number(access: &Access, id: &str) -> Option<i64> {
    if access.book().key.as_str() == id {
        return Some(access.book().id.get());
    }
    // The ids of transactions, files and collaborators are hexadecimal, those of accounts and
    // groups decimal.
    id.parse().ok().map(TransactionId::get).or_else(|| id.parse().ok().map(AccountId::get))
}

/// The resources that the snapshots of events name.
#[derive(Debug, Default)]
struct Named {
    accounts: BTreeSet<AccountId>,
    users: BTreeSet<UserId>,
    agents: BTreeSet<String>,
    transactions: BTreeSet<TransactionId>,
}

impl Named {
    fn by(events: &[ReadEvent]) -> Self {
        let mut named = Self::default();
        for read in events {
            let ReadEvent { event, snapshot, rest: _ } = read;
            named.accounts.extend(deleted::accounts_of(read));
            named.users.insert(event.user);
            named.agents.extend(event.agent.clone());
            match snapshot {
                Snapshot::Transaction(transaction) => {
                    named.transactions.insert(TransactionId::new(event.resource));
                    named.users.extend(transaction.created_by);
                    named.note_agent(&transaction.object);
                }
                Snapshot::Integration(object) => named.note_agent(object),
                Snapshot::Account(_)
                | Snapshot::Group(_)
                | Snapshot::File(_)
                | Snapshot::SavedQuery(_)
                | Snapshot::Reconciliation(_)
                | Snapshot::Book(_)
                | Snapshot::Collaborator(_) => {}
                Snapshot::Comment(comment) => {
                    named.users.extend(comment.author);
                    named.agents.extend(comment.agent.clone());
                }
            }
        }
        named
    }

    fn note_agent(&mut self, object: &Object) {
        self.agents.extend(object.get("agentId").and_then(Json::as_text).map(str::to_owned));
    }
}

/// Adds what events leave out.
///
/// The page ends early if deleted resources or responses take too much memory (behaviour 2.11).
fn complete(
    tx: &mut Tx<'_>,
    cx: &Context,
    access: Access,
    counters: BookCounters,
    mut events: Vec<ReadEvent>,
    mut next: Option<i64>,
) -> Result<View> {
    let named = Named::by(&events);
    let accounts = tx.accounts().by_ids(&access, named.accounts.iter().copied())?;
    let forest = tx.groups().forest(&access)?;
    let deleted = Deleted::load(tx, &access, &events, &accounts, &forest)?;
    let sequences: Vec<i64> = events.iter().map(|read| read.event.sequence).collect();
    let sizes = tx.bot_responses().texts_of(&access, &sequences)?;
    let shown = deleted.events.min(count_fitting(&sequences, &sizes));
    let is_too_large = shown == 0 && !events.is_empty();
    if shown < events.len() {
        events.truncate(shown.max(1));
        next = events.last().map(|read| read.event.sequence);
    }
    let responses = if sizes.is_empty() {
        HashMap::new()
    } else {
        let sequences = sequences.get(..shown).unwrap_or_default();
        tx.bot_responses().of_events(&access, sequences)?
    };
    let users: Vec<UserId> = named.users.into_iter().collect();
    let users = tx.users().by_ids(&users)?.into_iter().map(|user| (user.id, user)).collect();
    let app_summaries = tx.apps().summaries(named.agents.into_iter())?;
    let created = tx.transactions().created(&access, &named.transactions)?;
    let collection = collection::of_book(tx, cx, &access)?;
    Ok(View {
        access,
        counters,
        events,
        next,
        accounts,
        forest,
        deleted_accounts: deleted.accounts,
        deleted_groups: deleted.groups,
        collection,
        created,
        users,
        app_summaries,
        responses,
        is_too_large,
    })
}

/// Returns how many events, from the first, fit on a page with their responses of these sizes
/// (behaviour 2.11).
fn count_fitting(sequences: &[i64], sizes: &HashMap<i64, usize>) -> usize {
    let (mut bytes, mut count) = (0_usize, 0_usize);
    for sequence in sequences {
        bytes = bytes.saturating_add(sizes.get(sequence).copied().unwrap_or_default());
        if bytes > if count == 0 { MAX_EVENT_TEXTS } else { MAX_PAGE_TEXT_BYTES } {
            break;
        }
        count = count.saturating_add(1);
    }
    count
}
