//! Use cases of events (behaviour 8).

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
use daybook_domain::id::{AccountId, GroupId, TransactionId, UserId};
use daybook_domain::instant::Instant;
use daybook_domain::json::{Json, Object};
use daybook_domain::permission::Action;
use daybook_storage::Tx;
use daybook_storage::book_state::BookCounters;
use daybook_storage::event::EventFilter;
use daybook_storage::page::{MAX_PAGE_TEXTS, Page, rows_to_read};
use daybook_storage::user::User;

use crate::context::Context;
use crate::error::{Error, Result};
use crate::{access, collection, zone};
use deleted::Deleted;

/// Rows of a page by default, and at most (behaviour 2.2).
const DEFAULT_LIMIT: usize = 50;
const MAX_ROWS: usize = 200;
/// Bytes of texts of what one event names, so that it can be shown: as many as the accounts and
/// groups of a book may have together (behaviour 4.22).
const MAX_EVENT_TEXTS: usize = 32 * 1024 * 1024;

/// The parameters of listEvents, still as text.
#[derive(Debug, Clone, Default)]
pub struct Request {
    /// From this instant on.
    pub after: Option<String>,
    /// Up to, not including, this instant.
    pub before: Option<String>,
    /// Only with (true) or without (false) an error response.
    pub error: Option<bool>,
    /// About this resource.
    pub resource: Option<String>,
    /// Of this type, by its name.
    pub kind: Option<String>,
    /// Rows wanted.
    pub limit: Option<usize>,
    /// Below this number: where the page before ended.
    pub below: Option<i64>,
}

/// Events, with the data to fill in their snapshots (behaviour 8.16).
#[derive(Debug, Clone)]
pub struct View {
    /// The caller's access to the book.
    pub access: Access,
    /// The book's counts of postings and its last change.
    pub activity: BookCounters,
    /// The events, newest first.
    pub events: Vec<ReadEvent>,
    /// Where the next page begins.
    pub next: Option<i64>,
    /// The accounts that the snapshots name, as they are now.
    pub accounts: Directory,
    /// The groups of the book, as they are now.
    pub forest: Arc<Forest>,
    /// How the deleted accounts that they name were last.
    pub deleted_accounts: HashMap<AccountId, AccountSnapshot>,
    /// How the deleted groups that they and these accounts name were last.
    pub deleted_groups: HashMap<GroupId, GroupSnapshot>,
    /// The collection the book is in.
    pub collection: Option<Arc<collection::View>>,
    /// When the transactions were created that the events are about.
    pub created: HashMap<TransactionId, Instant>,
    /// The users who acted, and the creators that the snapshots name.
    pub users: HashMap<UserId, User>,
    /// How the apps look that acted, or that the snapshots name.
    pub faces: HashMap<String, AppSummary>,
    /// What apps have to say about the events, by the numbers of these.
    pub responses: HashMap<i64, Vec<AppResponse>>,
    /// Whether the first event names more than can be shown, so that none is complete (behaviour
    /// 0.33).
    pub is_too_large: bool,
}

/// listEvents.
///
/// # Errors
/// What the access step refuses; 400 for an instant or a type that cannot be read.
pub fn list(tx: &mut Tx<'_>, cx: &Context, book: &str, request: &Request) -> Result<View> {
    let found = access::find(tx, cx, book)?;
    let activity = found.activity;
    let access = found.admit(cx.user.id, Action::ReadEvents)?;
    let Some(filter) = filter(&access, request)? else {
        return fill(tx, cx, (access, activity), (Vec::new(), None));
    };
    let limit = request.limit.filter(|limit| *limit > 0).unwrap_or(DEFAULT_LIMIT).min(MAX_ROWS);
    let rows = tx.events().list(&access, &filter, rows_to_read(limit))?;
    let page = Page::new(rows, limit, |read| read.event.sequence);
    fill(tx, cx, (access, activity), (page.items, page.next))
}

/// getEvent (behaviour 12.9).
///
/// # Errors
/// What the access step refuses; 404 for an unknown event.
pub fn get(tx: &mut Tx<'_>, cx: &Context, book: &str, id: &str) -> Result<View> {
    let found = access::find(tx, cx, book)?;
    let activity = found.activity;
    let access = found.admit(cx.user.id, Action::ReadEvents)?;
    let event = match sequence_of(id, &access.book().key) {
        Some(sequence) => tx.events().find(&access, sequence)?,
        None => None,
    };
    let event = event.filter(|read| !hidden(&access).contains(&read.event.kind));
    let event = event.ok_or(Error::NotFound("event"))?;
    fill(tx, cx, (access, activity), (vec![event], None))
}

/// One event, as somebody sees it who is in the book.
///
/// # Errors
/// When the database fails.
pub(crate) fn show(
    tx: &mut Tx<'_>,
    cx: &Context,
    access: Access,
    event: ReadEvent,
) -> Result<View> {
    let activity = access::find(tx, cx, access.book().key.as_str())?.activity;
    fill(tx, cx, (access, activity), (vec![event], None))
}

/// The event of a delivery, as the user reads it who installed the app; none when it is gone, or
/// nothing for them.
///
/// # Errors
/// What the access step refuses.
pub(crate) fn deliver(
    tx: &mut Tx<'_>,
    cx: &Context,
    delivery: &EventDelivery,
) -> Result<Option<View>> {
    let found = access::find_even_deleted(tx, cx, delivery.key.as_str())?;
    let activity = found.activity;
    let access = found.admit_even_deleted(cx.user.id, Action::ReadEvents)?;
    let event = tx.events().find(&access, delivery.sequence)?;
    let event = event.filter(|read| !hidden(&access).contains(&read.event.kind));
    let Some(event) = event else { return Ok(None) };
    fill(tx, cx, (access, activity), (vec![event], None)).map(Some)
}

/// The types of events that the caller does not see: who collaborates is not public (behaviour
/// 7.3).
fn hidden(access: &Access) -> &'static [EventType] {
    if access.may(Action::ListCollaborators) {
        &[]
    } else {
        &[
            EventType::CollaboratorAdded,
            EventType::CollaboratorUpdated,
            EventType::CollaboratorRemoved,
        ]
    }
}

/// The filter for storage; `None` when no event can match. A resource overrides error and type,
/// error overrides type (behaviour 8.5).
fn filter(access: &Access, request: &Request) -> Result<Option<EventFilter>> {
    let zone = &access.book().settings.time_zone;
    let instant = |name: &str, text: &Option<String>| match text {
        None => Ok(None),
        Some(text) => zone::instant(text, zone).map(Some).ok_or_else(|| {
            let shown: String = text.chars().take(40).collect();
            Error::BadRequest(format!(
                "{name} \"{shown}\" is not an RFC 3339 date-time, nor a date of the form yyyy-MM-dd"
            ))
        }),
    };
    let (after, before) = (instant("after", &request.after)?, instant("before", &request.before)?);
    let (below, hidden) = (request.below, hidden(access));
    let base = EventFilter { after, before, below, hidden, ..EventFilter::default() };
    Ok(match (&request.resource, request.error) {
        (Some(resource), _) => resource_number(access, resource)
            .map(|number| EventFilter { resource: Some(number), ..base }),
        (None, Some(error)) => Some(EventFilter { error: Some(error), ..base }),
        (None, None) => {
            Some(EventFilter { kind: request.kind.as_deref().map(kind).transpose()?, ..base })
        }
    })
}

/// Reads the type of a filter. It is read only where no other filter overrides it.
fn kind(name: &str) -> Result<EventType> {
    let unknown = || {
        Error::BadRequest(format!(
            "type \"{}\" is not an event type",
            name.chars().take(60).collect::<String>()
        ))
    };
    EventType::from_name(name).ok_or_else(unknown)
}

/// The number of a resource by its public id, of whatever noun.
fn resource_number(access: &Access, id: &str) -> Option<i64> {
    if access.book().key.as_str() == id {
        return Some(access.book().id.get());
    }
    // The ids of transactions, files and collaborators are hexadecimal, those of accounts and
    // groups decimal.
    id.parse().ok().map(TransactionId::get).or_else(|| id.parse().ok().map(AccountId::get))
}

/// What the snapshots of events name.
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
                | Snapshot::Book(_)
                | Snapshot::Collaborator(_)
                | Snapshot::Other(_) => {}
            }
        }
        named
    }

    fn note_agent(&mut self, object: &Object) {
        self.agents.extend(object.get("agentId").and_then(Json::as_text).map(str::to_owned));
    }
}

/// Fills in what events leave out. A page that names too much of what was deleted since, or has too
/// much to show of responses, ends before that (behaviour 2.11).
fn fill(
    tx: &mut Tx<'_>,
    cx: &Context,
    (access, activity): (Access, BookCounters),
    (mut events, mut next): (Vec<ReadEvent>, Option<i64>),
) -> Result<View> {
    let named = Named::by(&events);
    let accounts = tx.accounts().by_ids(&access, named.accounts.iter().copied())?;
    let forest = tx.groups().forest(&access)?;
    let deleted = Deleted::load(tx, &access, &events, (&accounts, &forest))?;
    let sequences: Vec<i64> = events.iter().map(|read| read.event.sequence).collect();
    let sizes = tx.bot_responses().texts_of(&access, &sequences)?;
    let shown = deleted.events.min(showing(&sequences, &sizes));
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
    let faces = tx.apps().faces(named.agents.into_iter())?;
    let created = tx.transactions().created(&access, &named.transactions)?;
    let collection = collection::of_book(tx, cx, &access)?;
    Ok(View {
        access,
        activity,
        events,
        next,
        accounts,
        forest,
        deleted_accounts: deleted.accounts,
        deleted_groups: deleted.groups,
        collection,
        created,
        users,
        faces,
        responses,
        is_too_large,
    })
}

/// How many events, counted from the first, a page shows with the responses to them, which have
/// these sizes (behaviour 2.11).
fn showing(sequences: &[i64], sizes: &HashMap<i64, usize>) -> usize {
    let (mut taken, mut shown) = (0_usize, 0_usize);
    for sequence in sequences {
        taken = taken.saturating_add(sizes.get(sequence).copied().unwrap_or_default());
        if taken > if shown == 0 { MAX_EVENT_TEXTS } else { MAX_PAGE_TEXTS } {
            break;
        }
        shown = shown.saturating_add(1);
    }
    shown
}
