//! Use cases of files (behaviour 9.6, 12.1). They handle names, sizes and digests. The caller
//! stores the bytes before a use case runs; the sweep removes bytes that no row names.

use daybook_domain::access::Access;
use daybook_domain::event::Previous;
use daybook_domain::file::{Changes, Content, File, FileAddress, FileSecret, NewFile, Refusal};
use daybook_domain::id::FileId;
use daybook_domain::permission::Action;
use daybook_domain::purpose::{Purpose, Record};
use daybook_storage::Tx;
use daybook_storage::access::AccessTo;
use daybook_storage::page::{Page, rows_to_read};

use crate::context::Context;
use crate::error::{Error, Result};
use crate::transaction::FileReferences;
use crate::{access, batch, event_log, storage_quota, transaction};

/// Rows of a page by default, and at most (behaviour 2.2).
const DEFAULT_LIMIT: usize = 100;
const MAX_ROWS: usize = 1_000;

/// A file as the caller sees it.
#[derive(Debug, Clone)]
pub struct View {
    /// The caller's access to the book.
    pub access: Access,
    /// The file.
    pub file: File,
}

/// A page of files.
#[derive(Debug, Clone)]
pub struct Listed {
    /// The caller's access to the book.
    pub access: Access,
    /// The files, newest first.
    pub files: Vec<File>,
    /// Where the next page begins.
    pub next: Option<FileId>,
}

/// listFiles: a page, newest first (behaviour 2.6, 12.1).
///
/// # Errors
/// What the access step refuses.
pub fn list(
    tx: &mut Tx<'_>,
    cx: &Context,
    book: &str,
    limit: Option<usize>,
    below: Option<FileId>,
) -> Result<Listed> {
    let access = access::enter(tx, cx, book, Action::ReadFiles)?;
    let limit = limit.filter(|limit| *limit > 0).unwrap_or(DEFAULT_LIMIT).min(MAX_ROWS);
    let rows =
        tx.files().list(&access, access.only_own(Action::ReadFiles), below, rows_to_read(limit))?;
    let page = Page::new(rows, limit, |file| file.id);
    Ok(Listed { access, files: page.items, next: page.next })
}

/// getFile.
///
/// # Errors
/// What the access step refuses; [`Refusal::Unknown`].
pub fn get(tx: &mut Tx<'_>, cx: &Context, book: &str, id: &str) -> Result<View> {
    let access = access::enter(tx, cx, book, Action::ReadFiles)?;
    let file = named(tx, &access, id)?;
    Ok(View { access, file })
}

/// Refuses what [`create`] would refuse. It runs on a snapshot before the bytes are stored, so a
/// stranger's bytes never are. Returns how many bytes the caller may send, if that is limited.
///
/// # Errors
/// As [`create`].
pub fn check_create(
    tx: &mut Tx<'_>,
    cx: &Context,
    book: &str,
    (changes, content): (Changes, Content),
) -> Result<Option<i64>> {
    let access = access::enter(tx, cx, book, Action::RecordDraft)?;
    let file = make(cx, &access, changes, content)?;
    storage_quota::check_bytes(tx, cx, &access, file.content.size)?;
    storage_quota::most_sent(tx, cx)
}

/// Checks that the caller may attach new files to transactions, so many bytes to so many, before
/// they are stored. Returns how many bytes the caller may send, if that is limited.
///
/// # Errors
/// What the access step refuses.
pub fn check_attach(
    tx: &mut Tx<'_>,
    cx: &Context,
    book: &str,
    (items, bytes): (usize, i64),
) -> Result<Option<i64>> {
    let access = access::enter(tx, cx, book, Action::RecordDraft)?;
    batch::check_size("items", items)?;
    storage_quota::check_bytes(tx, cx, &access, bytes)?;
    storage_quota::most_sent(tx, cx)
}

/// createFile; the bytes are stored already.
///
/// # Errors
/// What the access step and the rules of files refuse.
pub fn create(
    tx: &mut Tx<'_>,
    cx: &Context,
    book: &str,
    (changes, content): (Changes, Content),
) -> Result<View> {
    let access = access::enter_to(tx, cx, book, Record::Draft)?;
    let file = make(cx, &access, changes, content)?;
    tx.files().insert(&access, std::slice::from_ref(&file))?;
    event_log::append(tx, cx, &access, vec![file.created_event()])?;
    Ok(View { access: access.into_access(), file })
}

/// What an update of a file does with the bytes it brings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OfferedContent {
    /// The file has them already. They need not be stored, and the update names their digest.
    Same,
    /// They are to be stored first.
    New {
        /// How many bytes the caller may send, if that is limited.
        most_sent: Option<i64>,
    },
}

/// Refuses what [`update`] would refuse. It runs on a snapshot before the bytes are stored.
///
/// # Errors
/// As [`update`].
pub fn check_update(
    tx: &mut Tx<'_>,
    cx: &Context,
    book: &str,
    changes: Changes,
) -> Result<OfferedContent> {
    let offered = changes.content.clone();
    let (access, [before, after], _) = changed(tx, cx, book, changes)?;
    if Some(&after.content) != offered.as_ref() {
        return Ok(OfferedContent::Same);
    }
    let more = after.content.size.saturating_sub(before.content.size);
    storage_quota::check_bytes(tx, cx, &access, more)?;
    Ok(OfferedContent::New { most_sent: storage_quota::most_sent(tx, cx)? })
}

/// updateFile; new bytes are stored already. `unchanged` is the digest of bytes that were not
/// stored again because the file had them.
///
/// # Errors
/// What the access step and the rules of files refuse; new content while a transaction keeps the
/// file (behaviour 9.16); [`Error::Overtaken`] when the file no longer has the bytes that
/// `unchanged` names.
pub fn update(
    tx: &mut Tx<'_>,
    cx: &Context,
    book: &str,
    changes: Changes,
    unchanged: Option<&str>,
) -> Result<View> {
    let (access, [_, file], previous) = changed(tx, cx, book, changes)?;
    if unchanged.is_some_and(|digest| digest != file.content.digest) {
        return Err(Error::Overtaken("the file got other content meanwhile"));
    }
    if !previous.is_empty() {
        tx.files().update(&access, &file)?;
        event_log::append(tx, cx, &access, vec![file.updated_event(&previous)])?;
    }
    Ok(View { access: access.into_access(), file })
}

/// deleteFile: removes the file from the transactions that hold it (behaviour 9.6).
///
/// # Errors
/// What the access step refuses; [`Refusal::Unknown`]; a transaction that keeps the file (behaviour
/// 9.16).
pub fn delete(tx: &mut Tx<'_>, cx: &Context, book: &str, id: &str) -> Result<View> {
    let cx = &cx.beyond_quotas();
    let access = access::enter_to(tx, cx, book, Record::Edit)?;
    let file = named(tx, &access, id)?;
    check_editable(&access, &file)?;
    let keeper = FileReferences::find(tx, &access, file.id)?;
    keeper.check_permitted(&access)?;
    cx.check_precondition(&file)?;
    keeper.check(&access)?;
    transaction::release_file(tx, cx, &access, &file)?;
    tx.files().delete(&access, file.id)?;
    event_log::append(tx, cx, &access, vec![file.deleted_event()])?;
    Ok(View { access: access.into_access(), file })
}

/// The file at a serving address, with its book's public id. Whoever knows the address may read
/// (behaviour 9.6).
///
/// # Errors
/// [`Refusal::Unknown`].
pub fn serve(tx: &mut Tx<'_>, address: &FileAddress) -> Result<(String, File)> {
    let found = tx.files().named_by(address)?;
    let served = found.filter(|(_, secret, file)| file.address(secret, address.book).is(address));
    let (book, _, file) = served.ok_or_else(|| Refusal::Unknown(address.file.to_string()))?;
    Ok((book, file))
}

/// Ends the addresses of the files of a book, because somebody may see less of it from now on
/// (behaviour 9.20).
///
/// # Errors
/// What storage fails with.
pub(crate) fn end_addresses<P: Purpose>(
    tx: &mut Tx<'_>,
    cx: &Context,
    access: &AccessTo<P>,
) -> Result<()> {
    Ok(tx.books().change_file_secret(access, &FileSecret::new(cx.ids.token()))?)
}

/// Makes a new file; the caller's access was checked.
pub(crate) fn make(
    cx: &Context,
    access: &Access,
    changes: Changes,
    content: Content,
) -> Result<File> {
    let making = NewFile {
        id: FileId::new(cx.mint()),
        token: cx.ids.token(),
        by: access.user(),
        stamp: cx.stamp(),
    };
    Ok(File::create(making, changes, content)?)
}

/// The file before and after an update, with the previous values of the fields that changed.
fn changed(
    tx: &mut Tx<'_>,
    cx: &Context,
    book: &str,
    changes: Changes,
) -> Result<(AccessTo<Record>, [File; 2], Previous)> {
    let access = access::enter_to(tx, cx, book, Record::Edit)?;
    let id = changes.id.clone().filter(|id| !id.trim().is_empty()).ok_or(Refusal::IdRequired)?;
    let before = named(tx, &access, &id)?;
    check_editable(&access, &before)?;
    let revision = before.clone().update(changes, cx.now);
    let keeper = match &revision {
        Ok((after, _)) if after.content != before.content => {
            FileReferences::find(tx, &access, before.id)?
        }
        Ok(_) | Err(_) => FileReferences::NOBODY,
    };
    keeper.check_permitted(&access)?;
    cx.check_precondition(&before)?;
    let (after, previous) = revision?;
    keeper.check(&access)?;
    Ok((access, [before, after], previous))
}

/// Refuses what a caller may only do to their own files. In a PUBLIC book a recorder sees those of
/// others too.
fn check_editable(access: &Access, file: &File) -> Result<()> {
    if access.may_touch(Action::EditDraft, file.created_by) {
        Ok(())
    } else {
        Err(daybook_domain::access::Refusal::NotEnough(access.permission().as_str()).into())
    }
}

/// Finds a file by id. Another user's file does not exist for a recorder (behaviour 7.3).
fn named(tx: &mut Tx<'_>, access: &Access, id: &str) -> Result<File> {
    let found = match id.trim().parse() {
        Ok(id) => tx.files().find(access, id)?,
        Err(_) => None,
    };
    let seen = found.filter(|file| access.may_touch(Action::ReadFiles, file.created_by));
    Ok(seen.ok_or_else(|| Refusal::Unknown(id.chars().take(60).collect()))?)
}
