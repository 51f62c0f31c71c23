//! Books: creation, settings, copies, transfers and deletion (behaviour 6).
//!
//! A book has one owner, collaborators, a chart of accounts and groups, transactions, and an event
//! log. Every write to it runs in one unit of work that locks the book first. The caller creates a
//! book or copies one; a copy of many transactions runs in portions and stays hidden until it is
//! whole (`copy`). The owner transfers a book to a user who asked for it, or offers it to an
//! address (`transfer`). A deleted book is hidden at once and can be restored for some days; then a
//! worker removes its rows (`deletion`).

mod copy;
mod deletion;
mod summary;
mod transfer;

use std::sync::Arc;

use daybook_domain::access::Access;
use daybook_domain::book::{
    Book, Changes, Deletion, MAX_OWNED, MAX_RESCALED, Refusal, Settings, Visibility,
};
use daybook_domain::collaborator::Collaborator;
use daybook_domain::file::FileSecret;
use daybook_domain::id::{BookId, BookKey, CollaboratorId, UserId};
use daybook_domain::name::fold;
use daybook_domain::permission::{Action, Permission};
use daybook_domain::purpose::{ManageCollaborators, UpdateBook, WriteChart};
use daybook_storage::access::{AccessTo, BookAccess};
use daybook_storage::book::BookCounters;
use daybook_storage::{ShardKey, Tx};

use crate::context::Context;
use crate::error::Result;
use crate::target::Target;
use crate::{access, account, batch, collection, event_log, file, group, zone};
use summary::sort_by_name;

pub use copy::{CopyRequest, SweptCopies, WholeCopy, copy, copy_in_portions, is_large, sweep};
pub use deletion::{
    begin_removal, delete, list_all_deleted, list_deleted, list_due_for_removal, remove_portion,
    restore, restore_by_operator,
};
pub use summary::BookSummary;
pub(crate) use summary::{find_readable, sort_summaries};
pub use transfer::{
    TransferRequest, accept_offer, decline_offer, get_offer, list_offers, transfer,
    transfer_by_operator,
};

/// The target of [`create`].
pub const CREATE_TARGET: Target = Target::NewBook;

/// Returns the shard key of writes to a book by workers and by the operator.
#[must_use]
pub fn shard_key(book: &BookKey) -> ShardKey {
    ShardKey::of_book(book.as_str())
}

/// A book as the caller sees it.
#[derive(Debug, Clone)]
pub struct View {
    /// The book and the caller's access to it.
    pub access: Access,
    /// Its posting counts and last change.
    pub counters: BookCounters,
    /// Its accounts and groups, if requested.
    pub accounts: Option<account::View>,
    /// Its groups, if requested.
    pub groups: Option<group::View>,
    /// The collection it is in, where collections are shown.
    pub collection: Option<Arc<collection::View>>,
    /// Its deletion, in lists of deleted books.
    pub deletion: Option<Deletion>,
}

impl View {
    /// Creates a view without accounts, groups, collection and deletion.
    const fn plain(access: Access, counters: BookCounters) -> Self {
        Self { access, counters, accounts: None, groups: None, collection: None, deletion: None }
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

/// listBooks: the books that the caller owns or collaborates in, by name.
///
/// `term` must be the id, or occur in the name, the owner's name, the collection's name or a
/// property value (behaviour 1.5, 6.8).
pub fn list(tx: &mut Tx<'_>, cx: &Context, term: &str) -> Result<Vec<View>> {
    let term = term.trim();
    let folded = fold(term);
    let is_match = |book: &Book| folded.is_empty() || matches_term(book, term, &folded);
    let found = tx.books().of_user_with(&cx.user.email, is_match)?;
    let (found, matches): (Vec<BookAccess>, Vec<bool>) = found.into_iter().unzip();
    let collections = collection::of_books(tx, cx, &found)?;
    let mut views = Vec::with_capacity(found.len());
    for (found, is_match) in found.into_iter().zip(matches) {
        let counters = found.counters;
        let collection = collections.get(&found.book.id);
        let is_match =
            is_match || collection.is_some_and(|collection| name_contains(collection, &folded));
        if is_match && cx.scope.includes_book(&found.book.key) {
            let access = found.admit(cx.user.id, Action::ReadBook)?;
            views.push(View { collection: collection.cloned(), ..View::plain(access, counters) });
        }
    }
    sort_by_name(&mut views, |view| view.access.book());
    Ok(views)
}

fn name_contains(collection: &collection::View, folded: &str) -> bool {
    fold(collection.collection.name.as_str()).contains(folded)
}

/// Counts the postings of this month and this year in all books of the caller, by each book's zone.
pub(crate) fn count_owner_postings(tx: &mut Tx<'_>, cx: &Context) -> Result<(i64, i64)> {
    let (mut month_total, mut year_total) = (0, 0);
    for (counters, zone) in tx.books().counters_of_owned(cx.user.id)? {
        let (month, year) = counters.current(zone::month(cx.now, &zone));
        month_total += month;
        year_total += year;
    }
    Ok((month_total, year_total))
}

/// Refuses another book to a user who owns `max` books (behaviour 6.23).
fn check_owned(tx: &mut Tx<'_>, owner: UserId, max: usize) -> Result<()> {
    let count = tx.books().count_owned(owner, max)?;
    if count < max { Ok(()) } else { Err(Refusal::TooManyOwned(max).into()) }
}

fn matches_term(book: &Book, term: &str, folded: &str) -> bool {
    let settings = &book.settings;
    book.key.as_str() == term
        || fold(settings.name.as_str()).contains(folded)
        || fold(&book.owner_name).contains(folded)
        || settings.properties.iter().any(|(_, value)| fold(value).contains(folded))
}

/// createNewBook: creates a book that the caller owns.
///
/// # Errors
/// Refusals of the rules of books, groups and accounts.
pub fn create(tx: &mut Tx<'_>, cx: &Context, input: Input) -> Result<View> {
    batch::check_id_count("groups", input.groups.len())?;
    batch::check_id_count("accounts", input.accounts.len())?;
    create_of_any_size(tx, cx, input)
}

/// Creates a book with any number of groups and accounts.
///
/// # Errors
/// Those of [`create`].
pub(crate) fn create_of_any_size(tx: &mut Tx<'_>, cx: &Context, input: Input) -> Result<View> {
    let settings = Settings::create(with_canonical_zone(input.changes)?)?;
    if settings.visibility == Visibility::Public {
        cx.scope.check_lasting()?;
    }
    let scale = settings.fraction_digits;
    let book = Book {
        id: BookId::new(0),
        key: cx.ids.book_key(),
        owner_name: cx.user.username.clone(),
        settings,
        scale,
        file_secret: FileSecret::new(cx.ids.token()),
        stamp: cx.stamp(),
    };
    let access = insert(tx, cx, book)?;
    event_log::append(tx, cx, &access, vec![access.book().created_event()])?;
    let chart = access.with_purpose(WriteChart)?;
    group::add(tx, cx, &chart, input.groups)?;
    account::add(tx, cx, &chart, input.accounts)?;
    let counters =
        BookCounters { posted: 0, month: 0, month_posted: 0, year_posted: 0, changed_at: cx.now };
    Ok(View::plain(access.into_access(), counters))
}

/// Inserts a book with the caller as its owner.
fn insert(tx: &mut Tx<'_>, cx: &Context, book: Book) -> Result<AccessTo<ManageCollaborators>> {
    cx.scope.check_outside_books()?;
    check_owned(tx, cx.user.id, MAX_OWNED)?;
    let inserted = tx.books().insert(book, cx.user.id)?;
    let access = inserted.admit_to(cx.user.id, ManageCollaborators)?;
    add_owner(tx, cx, &access)?;
    Ok(access)
}

/// Adds the caller, who creates the book, to its collaborators.
fn add_owner(tx: &mut Tx<'_>, cx: &Context, access: &AccessTo<ManageCollaborators>) -> Result<()> {
    // The address may have changed since the request began, and a deleted user owns no book
    // (behaviour 7.11).
    let email = cx.share_lock_caller(tx)?.user.email.clone();
    let id = CollaboratorId::new(cx.mint());
    let owner = Collaborator { id, email, permission: Permission::Owner, stamp: cx.stamp() };
    Ok(tx.collaborators().insert(access, &owner)?)
}

/// getBook. Recorders never get accounts or groups (behaviour 6.2).
pub fn get(
    tx: &mut Tx<'_>,
    cx: &Context,
    book: &str,
    load_accounts: bool,
    load_groups: bool,
) -> Result<View> {
    let found = access::find(tx, cx, book)?;
    let counters = found.counters;
    let access = found.admit(cx.user.id, Action::ReadBook)?;
    let reads_chart = access.may(Action::ReadChart);
    let load_groups = reads_chart && (load_accounts || load_groups);
    let accounts =
        if reads_chart && load_accounts { Some(account::all(tx, &access)?) } else { None };
    let groups = if load_groups { Some(group::all(tx, &access)?) } else { None };
    let collection = collection::of_book(tx, cx, &access)?;
    Ok(View { access, counters, accounts, groups, collection, deletion: None })
}

/// updateBook.
///
/// # Errors
/// Refusals of the rules of books.
pub fn update(tx: &mut Tx<'_>, cx: &Context, book: &str, changes: Changes) -> Result<View> {
    let found = access::find(tx, cx, book)?;
    let mut counters = found.counters;
    let access = found.admit_to(cx.user.id, UpdateBook)?;
    let before = access.book().clone();
    let scale = before.scale;
    before.check_permitted(&changes, access.permission())?;
    if changes.visibility.is_some_and(|visibility| visibility != before.settings.visibility) {
        cx.scope.check_lasting()?;
    }
    cx.check_precondition(&before)?;
    before.check_dates(&changes)?;
    let changes = check_zone(&before, changes)?;
    let (after, previous) = before.clone().update(changes, cx.now)?;
    if previous.is_empty() {
        let collection = collection::of_book(tx, cx, &access)?;
        return Ok(View { collection, ..View::plain(access.into_access(), counters) });
    }
    let access = access.with_book(after);
    let after = access.book();
    if after.scale > scale {
        rescale(tx, &access, scale)?;
    }
    tx.books().update(&access)?;
    let becomes_private = (before.settings.visibility, after.settings.visibility)
        == (Visibility::Public, Visibility::Private);
    let exempt = cx.exempt_from_quotas();
    let event_cx = if becomes_private { &exempt } else { cx };
    if becomes_private {
        file::end_addresses(tx, cx, &access)?;
    }
    if after.settings.time_zone != before.settings.time_zone {
        let month = zone::current_month(cx.now, &after.settings.time_zone);
        counters = tx.books().recount(&access, &month)?;
    }
    let updated = access.book().updated_event(&previous);
    event_log::append(tx, event_cx, &access, vec![updated])?;
    counters.changed_at = cx.now;
    let collection = collection::of_book(tx, cx, &access)?;
    Ok(View { collection, ..View::plain(access.into_access(), counters) })
}

/// Rewrites the stored amounts at the book's new scale.
fn rescale(tx: &mut Tx<'_>, access: &AccessTo<UpdateBook>, from: u32) -> Result<()> {
    // The scale grows only to the new fractionDigits.
    let digits = access.book().scale;
    let max = MAX_RESCALED.saturating_add(1);
    if tx.transactions().count_up_to(access, max)? == max {
        return Err(Refusal::RescaleLarge(digits).into());
    }
    if !tx.balances().rescale(access, from)? {
        return Err(Refusal::Rescale(digits).into());
    }
    Ok(())
}

/// Checks the zone of an update, unless it is the stored one.
///
/// The zone database may have dropped the stored zone.
fn check_zone(book: &Book, changes: Changes) -> Result<Changes> {
    match &changes.time_zone {
        Some(zone) if *zone == book.settings.time_zone => Ok(changes),
        _ => with_canonical_zone(changes),
    }
}

fn with_canonical_zone(changes: Changes) -> Result<Changes> {
    let Some(name) = &changes.time_zone else { return Ok(changes) };
    let zone = zone::canonical_name(name);
    let zone = zone.ok_or_else(|| Refusal::TimeZone(name.chars().take(60).collect()))?;
    Ok(Changes { time_zone: Some(zone), ..changes })
}
