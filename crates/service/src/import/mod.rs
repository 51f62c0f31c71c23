//! Imports of files (behaviour 15).
//!
//! createImport stores an import with the name of its blob; a worker of http reads the file on a
//! snapshot (`preview`) and saves the preview. confirmImport and undoImport only change the state:
//! the worker records ([`record`]) and undoes ([`undo`]) the import in blocks, each a unit of work
//! that also moves the progress. So an import continues after a restart where it stopped.

mod chart;
mod kept;
mod new_book;
mod parts;
mod preview;
mod record;
mod save;
mod undo;
mod whole_book;

use std::collections::HashMap;
use std::sync::Arc;

use daybook_domain::access::Access;
use daybook_domain::file::{self, Content};
use daybook_domain::id::{ImportId, UserId};
use daybook_domain::import::{Import, MAX_OPEN, Refusal, State};
use daybook_domain::instant::Instant;
use daybook_domain::permission::Action;
use daybook_domain::purpose::{Record, UpdateBook, WriteChart};
use daybook_storage::Tx;
use daybook_storage::page::{Page, rows_to_read};

use crate::context::Context;
use crate::error::Result;
use crate::ids::Ids;
use crate::user_lock::require_enabled;
use crate::{access, file as service_file, storage_quota};

use save::save_at;

pub use chart::{NewAccount, NewChart, NewGroup, close_accounts, create_chart};
pub use daybook_storage::import::DueImport;
pub use kept::keep_file;
pub use new_book::{
    NewBook, RunBook, collect_books, create_book, delete_book, delete_empty_collection,
};
pub use preview::{RulesFile, Snapshot};
pub use record::{
    Block, BookEvents, Group, MatchedRecord, RefusedRecords, record_block, record_in_book,
};
pub use undo::{UndoBlock, UndoResult, archive_accounts, undo_block, undo_in_book, undo_matches};
pub use whole_book::{
    AccountEnd, BookBlock, BookFile, BookProgress, BookTransaction, RecordedBlock,
    begin_whole_book, complete_whole_book, record_whole_book, undo_whole_book, whole_book_files,
    whole_book_progress,
};

/// Rows of a page by default, and at most (behaviour 15.11).
const DEFAULT_LIMIT: usize = 50;
const MAX_ROWS: usize = 200;

/// Imports as the caller sees them.
#[derive(Debug, Clone)]
pub struct View {
    /// The caller's access to the book.
    pub access: Access,
    /// The imports, in order.
    pub imports: Vec<Import>,
    /// The usernames of their authors.
    pub usernames: HashMap<UserId, String>,
    /// Where the next page begins.
    pub next: Option<ImportId>,
}

impl View {
    fn load(tx: &mut Tx<'_>, access: Access, imports: Vec<Import>) -> Result<Self> {
        let mut users: Vec<UserId> = imports.iter().map(|import| import.created_by).collect();
        users.sort_unstable();
        users.dedup();
        let users = tx.users().by_ids(&users)?.into_iter();
        let usernames = users.map(|user| (user.id, user.username)).collect();
        Ok(Self { access, imports, usernames, next: None })
    }
}

/// A new import. Its file is stored already.
#[derive(Debug, Clone)]
pub struct NewImport {
    /// The name of the file.
    pub name: String,
    /// The document of its parameters.
    pub options: String,
    /// The name of the blob.
    pub source: String,
    /// The bytes of the blob.
    pub bytes: i64,
}

/// Refuses whatever [`create`] would refuse, on a snapshot before the file of `bytes` bytes is
/// stored.
///
/// Returns the number of bytes that the caller may send, if it is limited.
///
/// # Errors
/// Those of [`create`].
pub fn check_create(
    tx: &mut Tx<'_>,
    cx: &Context,
    book: &str,
    name: &str,
    bytes: i64,
) -> Result<Option<i64>> {
    let access = access::enter(tx, cx, book, Action::RecordDraft)?;
    let new =
        NewImport { name: name.to_owned(), options: String::new(), source: String::new(), bytes };
    new_import(tx, cx, &access, new)?;
    storage_quota::check_bytes(tx, cx, &access, bytes)?;
    storage_quota::max_upload(tx, cx)
}

/// createImport.
///
/// # Errors
/// [`Refusal::NameTooLong`]; [`Refusal::TooManyOpen`].
pub fn create(tx: &mut Tx<'_>, cx: &Context, book: &str, new: NewImport) -> Result<View> {
    let access = access::enter_to(tx, cx, book, Record::Draft)?;
    let import = new_import(tx, cx, &access, new)?;
    tx.imports().insert(&access, &import)?;
    // Imports have no events, where quotas are checked otherwise.
    storage_quota::check(tx, cx, &access)?;
    View::load(tx, access.into_access(), vec![import])
}

fn new_import(tx: &mut Tx<'_>, cx: &Context, access: &Access, new: NewImport) -> Result<Import> {
    let NewImport { name, options, source, bytes } = new;
    let id = ImportId::new(cx.mint());
    let import = Import::create(id, name, options, source, bytes, access.user(), cx.stamp())?;
    if tx.imports().count_open(access)? >= MAX_OPEN {
        return Err(Refusal::TooManyOpen.into());
    }
    Ok(import)
}

/// listImports: a page, newest first.
pub fn list(
    tx: &mut Tx<'_>,
    cx: &Context,
    book: &str,
    limit: Option<usize>,
    below: Option<ImportId>,
) -> Result<View> {
    let access = access::enter(tx, cx, book, Action::ReadBook)?;
    let limit = limit.filter(|limit| *limit > 0).unwrap_or(DEFAULT_LIMIT).min(MAX_ROWS);
    let creator = access.restricted_to(Action::ReadChart);
    let rows = tx.imports().list(&access, creator, below, rows_to_read(limit))?;
    let page = Page::new(rows, limit, |import| import.id);
    let view = View::load(tx, access, page.items)?;
    Ok(View { next: page.next, ..view })
}

/// getImport.
///
/// # Errors
/// [`Refusal::Unknown`].
pub fn get(tx: &mut Tx<'_>, cx: &Context, book: &str, id: &str) -> Result<View> {
    let access = access::enter(tx, cx, book, Action::ReadBook)?;
    let import = find(tx, &access, id)?;
    View::load(tx, access, vec![import])
}

/// deleteImport: discards a preview.
///
/// # Errors
/// [`Refusal::Unknown`], [`Refusal::NotAuthor`], [`Refusal::State`].
pub fn delete(tx: &mut Tx<'_>, cx: &Context, book: &str, id: &str) -> Result<View> {
    let cx = &cx.exempt_from_quotas();
    let access = access::enter_to(tx, cx, book, Record::Draft)?;
    let import = find(tx, &access, id)?;
    import.check_discardable(access.user())?;
    tx.imports().delete(&access, import.id)?;
    View::load(tx, access.into_access(), vec![import])
}

/// The changes of a confirmation beside transactions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Creates {
    /// Whether it creates accounts in the book of the import.
    pub accounts: bool,
    /// Whether it creates books.
    pub books: bool,
    /// Whether it raises the decimal places of the book of the import.
    pub fraction_digits: bool,
}

/// confirmImport: accepts the preview, so that a worker records it.
///
/// `decisions` is the document of the decisions. The caller has checked them against the preview.
///
/// # Errors
/// [`Refusal::Unknown`], [`Refusal::NotAuthor`], [`Refusal::State`]; 403 when accounts are to be
/// created and the caller may not write them, when the decimal places of the book are to be raised
/// and the caller may not change it, and when books are to be created and the token does not reach
/// beyond some.
pub fn confirm(
    tx: &mut Tx<'_>,
    cx: &Context,
    book: &str,
    id: &str,
    decisions: String,
    creates: Creates,
) -> Result<View> {
    let access = access::enter_to(tx, cx, book, Record::Draft)?;
    let import = find(tx, &access, id)?;
    import.check_confirmable(access.user())?;
    // The worker has not removed it yet.
    if import.expires_at().is_some_and(|at| at <= cx.now) {
        return Err(Refusal::Unknown(import.id.to_string()).into());
    }
    if creates.accounts {
        access.with_purpose(WriteChart)?;
    }
    if creates.fraction_digits {
        access.with_purpose(UpdateBook)?;
    }
    if creates.books {
        cx.scope.check_outside_books()?;
    }
    let confirmed = Import { decisions, ..import.enter(State::Recording, cx.now) };
    tx.imports().update(&access, &confirmed)?;
    View::load(tx, access.into_access(), vec![confirmed])
}

/// undoImport: lets a worker undo what the import has recorded.
///
/// `results` is the document of the results, which names the caller. `books` are the books that the
/// import has created, which the undo changes or deletes.
///
/// # Errors
/// [`Refusal::Unknown`], [`Refusal::State`]; 403 when the token does not reach one of `books`.
pub fn undo(
    tx: &mut Tx<'_>,
    cx: &Context,
    book: &str,
    id: &str,
    results: String,
    books: &[String],
) -> Result<View> {
    let cx = &cx.exempt_from_quotas();
    let access = access::enter_to(tx, cx, book, Record::Edit)?;
    let import = find(tx, &access, id)?;
    books.iter().try_for_each(|book| access::check_scope(cx, book))?;
    import.check_undoable()?;
    if import.created_by != access.user() {
        access.with_purpose(Record::Post)?;
    }
    let undoing = Import { done: 0, results, ..import.enter(State::Undoing, cx.now) };
    tx.imports().update(&access, &undoing)?;
    View::load(tx, access.into_access(), vec![undoing])
}

/// Lists the imports of all books that a worker has to continue or to remove.
pub fn due(tx: &mut Tx<'_>, now: Instant) -> Result<Vec<DueImport>> {
    Ok(tx.imports().due(now)?)
}

/// Returns the context of a user for whom a worker continues an import.
///
/// # Errors
/// [`daybook_domain::session::Refusal::Disabled`] for a disabled or deleted user.
pub fn context_of(
    tx: &mut Tx<'_>,
    ids: &Arc<Ids>,
    now: Instant,
    user: UserId,
    agent: Option<String>,
) -> Result<Context> {
    let user = require_enabled(tx.users().by_ids(&[user])?.into_iter().next())?;
    Ok(Context { agent, ..Context::new(Arc::new(user), now, Arc::clone(ids)) })
}

/// Returns an import that a worker continues; `None` if it is gone.
pub fn load(
    tx: &mut Tx<'_>,
    ids: &Arc<Ids>,
    now: Instant,
    due: &DueImport,
) -> Result<Option<Import>> {
    let Some(cx) = as_owner(tx, ids, now, due)? else { return Ok(None) };
    let access = access::enter(tx, &cx, due.book.as_str(), Action::ReadBook)?;
    Ok(tx.imports().find(&access, due.id)?)
}

/// Ends an import that cannot continue, such as when its author has lost the access to the book.
///
/// `update` returns the failed import.
pub fn fail(
    tx: &mut Tx<'_>,
    ids: &Arc<Ids>,
    now: Instant,
    due: &DueImport,
    update: impl FnOnce(Import) -> Import,
) -> Result<()> {
    let Some(cx) = as_owner(tx, ids, now, due)? else { return Ok(()) };
    let access = access::enter_to(tx, &cx, due.book.as_str(), Record::Draft)?;
    let Some(import) = tx.imports().find(&access, due.id)? else { return Ok(()) };
    if import.state == due.state {
        tx.imports().update(&access, &update(import))?;
    }
    Ok(())
}

/// Removes an import whose preview has expired.
pub fn expire(tx: &mut Tx<'_>, ids: &Arc<Ids>, now: Instant, due: &DueImport) -> Result<()> {
    let Some(cx) = as_owner(tx, ids, now, due)? else { return Ok(()) };
    let access = access::enter_to(tx, &cx, due.book.as_str(), Record::Draft)?;
    let found = tx.imports().find(&access, due.id)?;
    if found.is_some_and(|import| import.expires_at().is_some_and(|at| at <= now)) {
        tx.imports().delete(&access, due.id)?;
    }
    Ok(())
}

/// Returns a context in the name of the owner of a book; `None` if the book is gone.
fn as_owner(
    tx: &mut Tx<'_>,
    ids: &Arc<Ids>,
    now: Instant,
    due: &DueImport,
) -> Result<Option<Context>> {
    let owner = access::owner_of(tx, due.book.as_str())?;
    Ok(owner.map(|owner| Context::for_operator(owner, ids, now)))
}

/// Saves a change of an import by a worker, if the import still is in the state `from` and at the
/// version of `changed`.
///
/// Returns whether it was saved.
pub fn save(
    tx: &mut Tx<'_>,
    cx: &Context,
    book: &str,
    version: i64,
    changed: Import,
) -> Result<bool> {
    let access = access::enter_to(tx, cx, book, Record::Draft)?;
    save_at(tx, &access, version, &changed)
}

/// Ends a recorded import with the file of its report, whose content is stored already.
///
/// Returns whether it was saved.
///
/// # Errors
/// Refusals of the rules of files.
pub fn finish(
    tx: &mut Tx<'_>,
    cx: &Context,
    book: &str,
    import: Import,
    report: file::Changes,
    content: Content,
) -> Result<bool> {
    let version = import.stamp.version;
    let access = access::enter_to(tx, cx, book, Record::Draft)?;
    let done = import.enter(State::Done, cx.now);
    let view = service_file::create(tx, cx, book, report, content)?;
    save_at(tx, &access, version, &Import { report: Some(view.file.id), ..done })
}

fn find(tx: &mut Tx<'_>, access: &Access, text: &str) -> Result<Import> {
    let found = match text.parse() {
        Ok(id) => tx.imports().find(access, id)?,
        Err(_) => None,
    };
    let visible = found.filter(|import| {
        access.restricted_to(Action::ReadChart).is_none_or(|user| user == import.created_by)
    });
    Ok(visible.ok_or_else(|| Refusal::Unknown(text.chars().take(60).collect()))?)
}
