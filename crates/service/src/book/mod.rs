//! Use cases of books (behaviour 6).

mod copy;
mod deletion;
mod transfer;

use std::collections::HashMap;
use std::sync::Arc;

use daybook_domain::access::Access;
use daybook_domain::book::{
    Book, Changes, Deletion, MAX_OWNED, MAX_RESCALED, Refusal, Settings, Visibility,
};
use daybook_domain::collaborator::Collaborator;
use daybook_domain::file::FileSecret;
use daybook_domain::id::{BookId, CollaboratorId, UserId};
use daybook_domain::name::fold;
use daybook_domain::permission::{Action, Permission};
use daybook_domain::purpose::{ManageCollaborators, UpdateBook, WriteChart};
use daybook_storage::Tx;
use daybook_storage::access::{AccessTo, BookAccess};
use daybook_storage::book_state::BookCounters;
use daybook_storage::user::User;

use crate::context::Context;
use crate::error::Result;
use crate::{access, account, batch, collection, event_log, file, group, zone};

pub use copy::{
    Request as Copying, SweptCopies, WholeCopy, copy, copy_in_portions, is_large, sweep,
};
pub use deletion::{
    begin_removal, delete, deleted, due, list_deleted, remove_portion, restore, restore_by_operator,
};
pub use transfer::{
    Giving, accept_offer, decline_offer, get_offer, list_offers, transfer, transfer_by_operator,
};

/// A book as the caller sees it.
#[derive(Debug, Clone)]
pub struct View {
    /// The book and what the reader may do in it.
    pub access: Access,
    /// Its counts of postings and its last change.
    pub activity: BookCounters,
    /// Its accounts and groups, when requested.
    pub accounts: Option<account::View>,
    /// Its groups, when requested.
    pub groups: Option<group::View>,
    /// The collection it is in, where that is shown.
    pub collection: Option<Arc<collection::View>>,
    /// Its deletion, where deleted books are shown.
    pub deletion: Option<Deletion>,
}

impl View {
    /// A book without accounts, groups and collection.
    pub(crate) const fn plain(access: Access, activity: BookCounters) -> Self {
        let (accounts, groups, collection) = (None, None, None);
        Self { access, activity, accounts, groups, collection, deletion: None }
    }
}

/// A new book with its first groups and accounts (behaviour 6.1).
#[derive(Debug, Clone, Default)]
pub struct Input {
    /// The settings.
    pub changes: Changes,
    /// Groups to create, before the accounts.
    pub groups: Vec<group::Input>,
    /// Accounts to create.
    pub accounts: Vec<account::Input>,
}

/// listBooks: the books the caller owns or collaborates in, by name. `term` must be the id, or
/// occur in the name, the owner, the collection's name or a property value (behaviour 1.5, 6.8).
pub fn list(tx: &mut Tx<'_>, cx: &Context, term: &str) -> Result<Vec<View>> {
    let term = term.trim();
    let wanted = fold(term);
    let is_wanted = |book: &Book| wanted.is_empty() || matches(book, term, &wanted);
    let found = tx.books().of_user_and(&cx.user.email, is_wanted)?;
    let (found, are_wanted): (Vec<BookAccess>, Vec<bool>) = found.into_iter().unzip();
    let collections = collection::of_books(tx, cx, &found)?;
    let mut views = Vec::with_capacity(found.len());
    for (found, is_wanted) in found.into_iter().zip(are_wanted) {
        let activity = found.activity;
        let collection = collections.get(&found.book.id);
        let is_wanted =
            is_wanted || collection.is_some_and(|collection| is_named(collection, &wanted));
        if is_wanted && cx.scope.reaches(&found.book.key) {
            let access = found.admit(cx.user.id, Action::ReadBook)?;
            views.push(View { collection: collection.cloned(), ..View::plain(access, activity) });
        }
    }
    sort(&mut views);
    Ok(views)
}

/// The books with these public ids that a user may read, by public id.
pub(crate) fn readable(
    tx: &mut Tx<'_>,
    user: &User,
    keys: &[String],
) -> Result<HashMap<String, View>> {
    let found = tx.books().by_public_ids(keys, &user.email)?;
    let views = found.into_iter().filter_map(|found| {
        let activity = found.activity;
        let access = found.admit(user.id, Action::ReadBook).ok()?;
        Some((access.book().key.to_string(), View::plain(access, activity)))
    });
    Ok(views.collect())
}

/// Sorts books by name, ignoring case.
pub(crate) fn sort(views: &mut [View]) {
    views.sort_by_cached_key(|view| {
        (view.access.book().settings.name.as_str().to_lowercase(), view.access.book().id)
    });
}

fn is_named(collection: &collection::View, wanted: &str) -> bool {
    fold(collection.collection.name.as_str()).contains(wanted)
}

/// How much was posted this month and this year in all books the caller owns, each in its own zone.
pub(crate) fn postings_of_owner(tx: &mut Tx<'_>, cx: &Context) -> Result<(i64, i64)> {
    let owned = tx.books().activities(cx.user.id)?.into_iter();
    let sums = owned.map(|(activity, zone)| activity.current(zone::month(cx.now, &zone)));
    Ok(sums.fold((0, 0), |(months, years), (month, year)| (months + month, years + year)))
}

/// Refuses another book to who owns `most` (behaviour 6.23).
fn check_owned(tx: &mut Tx<'_>, owner: UserId, most: usize) -> Result<()> {
    let count = tx.books().count_owned(owner, most)?;
    if count < most { Ok(()) } else { Err(Refusal::TooManyOwned(most).into()) }
}

fn matches(book: &Book, term: &str, wanted: &str) -> bool {
    let settings = &book.settings;
    book.key.as_str() == term
        || fold(settings.name.as_str()).contains(wanted)
        || fold(&book.owner_name).contains(wanted)
        || settings.properties.iter().any(|(_, value)| fold(value).contains(wanted))
}

/// createNewBook: the caller becomes its owner.
///
/// # Errors
/// What the rules of books, groups and accounts refuse.
pub fn create(tx: &mut Tx<'_>, cx: &Context, input: Input) -> Result<View> {
    for (name, count) in [("groups", input.groups.len()), ("accounts", input.accounts.len())] {
        batch::check_named(name, count)?;
    }
    let settings = Settings::create(checked_zone(input.changes)?)?;
    if settings.visibility == Visibility::Public {
        cx.scope.check_lasting()?;
    }
    let scale = settings.fraction_digits;
    let owner_name = cx.user.username.clone();
    let book = Book {
        id: BookId::new(0),
        key: cx.ids.book_key(),
        owner_name,
        settings,
        scale,
        file_secret: FileSecret::new(cx.ids.token()),
        stamp: cx.stamp(),
    };
    let access = establish(tx, cx, book)?;
    event_log::append(tx, cx, &access, vec![access.book().created_event()])?;
    let chart = access.with_purpose(WriteChart)?;
    group::add(tx, cx, &chart, input.groups)?;
    account::add(tx, cx, &chart, input.accounts)?;
    let activity =
        BookCounters { posted: 0, month: 0, month_posted: 0, year_posted: 0, changed_at: cx.now };
    Ok(View::plain(access.into_access(), activity))
}

/// Adds a book with the caller as its owner.
fn establish(tx: &mut Tx<'_>, cx: &Context, book: Book) -> Result<AccessTo<ManageCollaborators>> {
    cx.scope.check_outside_books()?;
    check_owned(tx, cx.user.id, MAX_OWNED)?;
    let founded = tx.books().insert(book, cx.user.id)?;
    let access = founded.admit_to(cx.user.id, ManageCollaborators)?;
    add_owner(tx, cx, &access)?;
    Ok(access)
}

/// Puts the caller, who made the book, on its list of collaborators.
fn add_owner(tx: &mut Tx<'_>, cx: &Context, access: &AccessTo<ManageCollaborators>) -> Result<()> {
    // As the caller is now, and until the book is theirs: the address may have changed since the
    // request began, and who is deleted owns no book (behaviour 7.11).
    let email = cx.kept(tx)?.user.email.clone();
    let id = CollaboratorId::new(cx.mint());
    let owner = Collaborator { id, email, permission: Permission::Owner, stamp: cx.stamp() };
    Ok(tx.collaborators().insert(access, &owner)?)
}

/// getBook. A recorder never gets accounts or groups (behaviour 6.2).
///
/// # Errors
/// What the access step refuses.
pub fn get(
    tx: &mut Tx<'_>,
    cx: &Context,
    book: &str,
    load_accounts: bool,
    load_groups: bool,
) -> Result<View> {
    let found = access::find(tx, cx, book)?;
    let activity = found.activity;
    let access = found.admit(cx.user.id, Action::ReadBook)?;
    let chart = access.may(Action::ReadChart);
    let accounts = if chart && load_accounts { Some(account::all(tx, &access)?) } else { None };
    let groups =
        if chart && (load_accounts || load_groups) { Some(group::all(tx, &access)?) } else { None };
    let collection = collection::of_book(tx, cx, &access)?;
    Ok(View { access, activity, accounts, groups, collection, deletion: None })
}

/// updateBook.
///
/// # Errors
/// What the access step and the rules of books refuse.
pub fn update(tx: &mut Tx<'_>, cx: &Context, book: &str, changes: Changes) -> Result<View> {
    let found = access::find(tx, cx, book)?;
    let mut activity = found.activity;
    let access = found.admit_to(cx.user.id, UpdateBook)?;
    let before = access.book().clone();
    let scale = before.scale;
    before.check_permitted(&changes, access.permission())?;
    if changes.visibility.is_some_and(|visibility| visibility != before.settings.visibility) {
        cx.scope.check_lasting()?;
    }
    cx.check_precondition(&before)?;
    before.check_dates(&changes)?;
    let changes = with_zone_checked(&before, changes)?;
    let (after, previous) = before.clone().update(changes, cx.now)?;
    if previous.is_empty() {
        let collection = collection::of_book(tx, cx, &access)?;
        return Ok(View { collection, ..View::plain(access.into_access(), activity) });
    }
    let access = access.with_book(after);
    let after = access.book();
    if after.scale > scale {
        rescale(tx, &access, scale)?;
    }
    tx.books().update(&access)?;
    let hidden = (before.settings.visibility, after.settings.visibility)
        == (Visibility::Public, Visibility::Private);
    let beyond = cx.beyond_quotas();
    let recording = if hidden { &beyond } else { cx };
    if hidden {
        file::end_addresses(tx, cx, &access)?;
    }
    if after.settings.time_zone != before.settings.time_zone {
        activity =
            tx.books().recount(&access, &zone::current(cx.now, &after.settings.time_zone))?;
    }
    let updated = access.book().updated_event(&previous);
    event_log::append(tx, recording, &access, vec![updated])?;
    activity.changed_at = cx.now;
    let collection = collection::of_book(tx, cx, &access)?;
    Ok(View { collection, ..View::plain(access.into_access(), activity) })
}

/// Rewrites the stored amounts at the scale that the book has now.
fn rescale(tx: &mut Tx<'_>, access: &AccessTo<UpdateBook>, from: u32) -> Result<()> {
    // The scale grows only to the new fractionDigits.
    let digits = access.book().scale;
    let most = MAX_RESCALED.saturating_add(1);
    if tx.transactions().count_up_to(access, most)? == most {
        return Err(Refusal::RescaleLarge(digits).into());
    }
    if !tx.balances().rescale(access, from)? {
        return Err(Refusal::Rescale(digits).into());
    }
    Ok(())
}

/// Checks the zone unless it is the stored one, which the zone database may no longer know.
fn with_zone_checked(book: &Book, changes: Changes) -> Result<Changes> {
    match &changes.time_zone {
        Some(zone) if *zone == book.settings.time_zone => Ok(changes),
        _ => checked_zone(changes),
    }
}

fn checked_zone(changes: Changes) -> Result<Changes> {
    let known = |name: String| {
        zone::known(&name).ok_or_else(|| Refusal::TimeZone(name.chars().take(60).collect()))
    };
    let time_zone = changes.time_zone.map_or(Ok(None), |name| known(name).map(Some))?;
    Ok(Changes { time_zone, ..changes })
}
