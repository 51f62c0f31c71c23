//! Use cases of events (behaviour 8).

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use daybook_domain::access::Access;
use daybook_domain::account::Directory;
use daybook_domain::event::{Event, EventType, Noun, sequence_of};
use daybook_domain::group::Forest;
use daybook_domain::id::{AccountId, GroupId, TransactionId, UserId};
use daybook_domain::permission::Action;
use daybook_storage::Tx;
use daybook_storage::book_state::Activity;
use daybook_storage::event::EventFilter;
use daybook_storage::page::{Page, rows_to_read};
use daybook_storage::user::User;

use crate::context::Context;
use crate::error::{Error, Result};
use crate::{access, collection, group, zone};

/// Rows of a page when none are asked for, and at most (behaviour 2.2).
const DEFAULT_LIMIT: usize = 50;
const MAX_ROWS: usize = 200;

/// What listEvents is asked; texts are still unread.
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

/// Events with what is filled in when they are read (behaviour 8.16).
#[derive(Debug, Clone)]
pub struct View {
    /// Who reads, in which book.
    pub access: Access,
    /// How busy the book is.
    pub activity: Activity,
    /// The events, newest first.
    pub events: Vec<Event>,
    /// Where the next page begins.
    pub next: Option<i64>,
    /// The accounts their snapshots name, as they are now.
    pub accounts: Directory,
    /// The groups of the book, as they are now.
    pub forest: Forest,
    /// How the accounts and groups they name that are gone were last, by their numbers: the events
    /// of their deletion.
    pub gone: HashMap<i64, Event>,
    /// The collection the book is in.
    pub collection: Option<Arc<collection::View>>,
    /// Who acted.
    pub users: HashMap<UserId, User>,
}

/// listEvents.
///
/// # Errors
/// What the access step refuses; 400 for an instant or a type that cannot be read.
pub fn list(
    tx: &mut Tx<'_>,
    cx: &Context,
    book: &str,
    request: &Request,
    named_in: NamedIn,
) -> Result<View> {
    let found = access::find(tx, cx, book)?;
    let activity = found.activity;
    let access = found.admit(cx.user.id, Action::ReadEvents)?;
    let Some(filter) = filter(&access, request)? else {
        return fill(tx, cx, (access, activity), (Vec::new(), None), named_in);
    };
    let limit = request.limit.filter(|limit| *limit > 0).unwrap_or(DEFAULT_LIMIT).min(MAX_ROWS);
    let rows = tx.events().list(&access, &filter, rows_to_read(limit))?;
    let page = Page::new(rows, limit, |event| event.sequence);
    fill(tx, cx, (access, activity), (page.items, page.next), named_in)
}

/// getEvent (behaviour 12.9).
///
/// # Errors
/// What the access step refuses; 404 for an unknown event.
pub fn get(tx: &mut Tx<'_>, cx: &Context, book: &str, id: &str, named_in: NamedIn) -> Result<View> {
    let found = access::find(tx, cx, book)?;
    let activity = found.activity;
    let access = found.admit(cx.user.id, Action::ReadEvents)?;
    let event = match sequence_of(id, &access.book().key) {
        Some(sequence) => tx.events().find(&access, sequence)?,
        None => None,
    };
    let event = event.ok_or(Error::NotFound("event"))?;
    fill(tx, cx, (access, activity), (vec![event], None), named_in)
}

/// What a stored transaction or account names; http knows its JSON.
#[derive(Debug, Default)]
pub struct Named {
    /// The accounts on its sides.
    pub accounts: Vec<AccountId>,
    /// The groups it is in.
    pub groups: Vec<GroupId>,
    /// Who created it.
    pub creator: Option<UserId>,
}

/// Reads the names out of a stored snapshot.
pub type NamedIn = fn(&Event) -> Named;

/// The filter in the book's terms; `None` when nothing can match. A resource outranks error and
/// type, error outranks type (behaviour 8.5). Nothing delivers events yet, so no event has an error
/// response.
fn filter(access: &Access, request: &Request) -> Result<Option<EventFilter>> {
    let zone = &access.book().settings.time_zone;
    let instant = |name: &str, text: &Option<String>| match text {
        None => Ok(None),
        Some(text) => zone::instant(text, zone).map(Some).ok_or_else(|| {
            let shown: String = text.chars().take(40).collect();
            Error::BadRequest(format!(
                "{name} {shown:?} is not an RFC 3339 date-time, nor a date of the form yyyy-MM-dd"
            ))
        }),
    };
    let (after, before) = (instant("after", &request.after)?, instant("before", &request.before)?);
    let base = EventFilter { after, before, below: request.below, ..EventFilter::default() };
    Ok(match (&request.resource, request.error) {
        (Some(resource), _) => resource_number(access, resource)
            .map(|number| EventFilter { resource: Some(number), ..base }),
        (None, Some(true)) => None,
        (None, Some(false)) => Some(base),
        (None, None) => {
            Some(EventFilter { kind: request.kind.as_deref().map(kind).transpose()?, ..base })
        }
    })
}

/// Reads a type where it counts: what outranks it makes it be ignored, readable or not.
fn kind(name: &str) -> Result<EventType> {
    let unknown = || {
        Error::BadRequest(format!(
            "type {:?} is not an event type",
            name.chars().take(60).collect::<String>()
        ))
    };
    EventType::from_name(name).ok_or_else(unknown)
}

/// The number of a resource by its public id, whatever kind of id it is.
fn resource_number(access: &Access, id: &str) -> Option<i64> {
    if access.book().key.as_str() == id {
        return Some(access.book().id.get());
    }
    // Hexadecimal as the ids of transactions, files and collaborators are, or decimal as those of
    // accounts and groups.
    id.parse().ok().map(TransactionId::get).or_else(|| id.parse().ok().map(AccountId::get))
}

fn fill(
    tx: &mut Tx<'_>,
    cx: &Context,
    (access, activity): (Access, Activity),
    (events, next): (Vec<Event>, Option<i64>),
    named_in: NamedIn,
) -> Result<View> {
    let snapshots: Vec<Named> = events.iter().map(named_in).collect();
    let mut named: Vec<AccountId> =
        snapshots.iter().flat_map(|found| found.accounts.iter().copied()).collect();
    named.extend(
        events
            .iter()
            .filter(|event| event.kind.noun() == Noun::Account)
            .map(|event| AccountId::new(event.resource)),
    );
    let accounts = tx.accounts().by_ids(&access, named.iter().copied())?;
    let forest = group::forest(tx, &access)?;
    let gone = gone(tx, &access, (&accounts, &named), (&forest, &snapshots), named_in)?;
    let creators = snapshots.iter().filter_map(|found| found.creator);
    let mut actors: Vec<UserId> = events.iter().map(|event| event.user).chain(creators).collect();
    actors.sort_unstable();
    actors.dedup();
    let users = tx.users().by_ids(&actors)?.into_iter().map(|user| (user.id, user)).collect();
    let collection =
        collection::of_book(tx, cx, &access)?.map(|view| collection::repeated(view, events.len()));
    Ok(View { access, activity, events, next, accounts, forest, gone, collection, users })
}

/// What was deleted since is shown as it was last (behaviour 8.2): accounts, then groups that they
/// or the events name.
fn gone(
    tx: &mut Tx<'_>,
    access: &Access,
    (accounts, named): (&Directory, &[AccountId]),
    (forest, snapshots): (&Forest, &[Named]),
    named_in: NamedIn,
) -> Result<HashMap<i64, Event>> {
    let lost: BTreeSet<i64> =
        named.iter().filter(|id| accounts.get(**id).is_none()).map(|id| id.get()).collect();
    let mut found = deletions(tx, access, EventType::AccountDeleted, lost)?;
    let of_gone: Vec<Named> = found.iter().map(named_in).collect();
    let groups = snapshots.iter().chain(&of_gone).flat_map(|named| &named.groups);
    let lost: BTreeSet<i64> =
        groups.filter(|id| forest.get(**id).is_none()).map(|id| id.get()).collect();
    found.extend(deletions(tx, access, EventType::GroupDeleted, lost)?);
    Ok(found.into_iter().map(|event| (event.resource, event)).collect())
}

fn deletions(
    tx: &mut Tx<'_>,
    access: &Access,
    kind: EventType,
    lost: BTreeSet<i64>,
) -> Result<Vec<Event>> {
    if lost.is_empty() {
        return Ok(Vec::new());
    }
    Ok(tx.events().deletions(access, kind, &lost.into_iter().collect::<Vec<_>>())?)
}
