//! Files (behaviour 9.6, 12.1): their names, sizes and digests.
//!
//! The caller stores the bytes before a use case runs. A sweep removes bytes that no row names.

use daybook_domain::access::Access;
use daybook_domain::event::Previous;
use daybook_domain::file::{Changes, Content, File, FileAddress, FileSecret, Refusal};
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
pub fn list(
    tx: &mut Tx<'_>,
    cx: &Context,
    book: &str,
    limit: Option<usize>,
    below: Option<FileId>,
) -> Result<Listed> {
    let access = access::enter(tx, cx, book, Action::ReadFiles)?;
    let limit = limit.filter(|limit| *limit > 0).unwrap_or(DEFAULT_LIMIT).min(MAX_ROWS);
    let rows = tx.files().list(
        &access,
        access.restricted_to(Action::ReadFiles),
        below,
        rows_to_read(limit),
    )?;
    let page = Page::new(rows, limit, |file| file.id);
    Ok(Listed { access, files: page.items, next: page.next })
}

/// getFile.
///
/// # Errors
/// [`Refusal::Unknown`].
pub fn get(tx: &mut Tx<'_>, cx: &Context, book: &str, id: &str) -> Result<View> {
    let access = access::enter(tx, cx, book, Action::ReadFiles)?;
    let file = find(tx, &access, id)?;
    Ok(View { access, file })
}

/// Refuses whatever [`create`] would refuse, on a snapshot before the bytes are stored.
///
/// So bytes of callers without permission are never stored. Returns the number of bytes that the
/// caller may send, if it is limited.
///
/// # Errors
/// Those of [`create`].
pub fn check_create(
    tx: &mut Tx<'_>,
    cx: &Context,
    book: &str,
    changes: Changes,
    content: Content,
) -> Result<Option<i64>> {
    let access = access::enter(tx, cx, book, Action::RecordDraft)?;
    let file = File::create(cx.new_file(access.user()), changes, content)?;
    storage_quota::check_bytes(tx, cx, &access, file.content.size)?;
    storage_quota::max_upload(tx, cx)
}

/// Checks that the caller may attach `bytes` bytes of new files to `items` transactions, before the
/// bytes are stored.
///
/// Returns the number of bytes that the caller may send, if it is limited.
pub fn check_attach(
    tx: &mut Tx<'_>,
    cx: &Context,
    book: &str,
    items: usize,
    bytes: i64,
) -> Result<Option<i64>> {
    let access = access::enter(tx, cx, book, Action::RecordDraft)?;
    batch::check_size("items", items)?;
    storage_quota::check_bytes(tx, cx, &access, bytes)?;
    storage_quota::max_upload(tx, cx)
}

/// createFile. The bytes are stored already.
///
/// # Errors
/// Refusals of the rules of files.
pub fn create(
    tx: &mut Tx<'_>,
    cx: &Context,
    book: &str,
    changes: Changes,
    content: Content,
) -> Result<View> {
    let access = access::enter_to(tx, cx, book, Record::Draft)?;
    let file = File::create(cx.new_file(access.user()), changes, content)?;
    tx.files().insert(&access, std::slice::from_ref(&file))?;
    event_log::append(tx, cx, &access, vec![file.created_event()])?;
    Ok(View { access: access.into_access(), file })
}

/// How an update treats the bytes it sends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OfferedContent {
    /// The file has them already, so they need not be stored. The update names their digest.
    Same,
    /// They must be stored first.
    New {
        /// The number of bytes that the caller may send, if it is limited.
        max_upload: Option<i64>,
    },
}

/// Refuses whatever [`update`] would refuse, on a snapshot before the bytes are stored.
///
/// # Errors
/// Those of [`update`].
pub fn check_update(
    tx: &mut Tx<'_>,
    cx: &Context,
    book: &str,
    changes: Changes,
) -> Result<OfferedContent> {
    let offered = changes.content.clone();
    let Revision { access, before, after, .. } = revise(tx, cx, book, changes)?;
    if Some(&after.content) != offered.as_ref() {
        return Ok(OfferedContent::Same);
    }
    let more = after.content.size.saturating_sub(before.content.size);
    storage_quota::check_bytes(tx, cx, &access, more)?;
    Ok(OfferedContent::New { max_upload: storage_quota::max_upload(tx, cx)? })
}

/// updateFile. New bytes are stored already.
///
/// `unchanged` is the digest of bytes that were not stored again because the file had them.
///
/// # Errors
/// Refusals of the rules of files; new content while a transaction protects the file (behaviour
/// 9.16); [`Error::ConcurrentChange`] if the file no longer has the bytes of `unchanged`.
pub fn update(
    tx: &mut Tx<'_>,
    cx: &Context,
    book: &str,
    changes: Changes,
    unchanged: Option<&str>,
) -> Result<View> {
    let Revision { access, after: file, previous, .. } = revise(tx, cx, book, changes)?;
    if unchanged.is_some_and(|digest| digest != file.content.digest) {
        return Err(Error::ConcurrentChange("the content of the file has changed meanwhile"));
    }
    if !previous.is_empty() {
        tx.files().update(&access, &file)?;
        event_log::append(tx, cx, &access, vec![file.updated_event(&previous)])?;
    }
    Ok(View { access: access.into_access(), file })
}

/// deleteFile: also removes the file from the transactions that reference it (behaviour 9.6).
///
/// # Errors
/// [`Refusal::Unknown`]; a transaction that protects the file (behaviour 9.16).
pub fn delete(tx: &mut Tx<'_>, cx: &Context, book: &str, id: &str) -> Result<View> {
    let cx = &cx.exempt_from_quotas();
    let access = access::enter_to(tx, cx, book, Record::Edit)?;
    let file = find(tx, &access, id)?;
    check_editable(&access, &file)?;
    let references = FileReferences::find(tx, &access, file.id)?;
    references.check_permitted(&access)?;
    cx.check_precondition(&file)?;
    references.check(&access)?;
    transaction::release_file(tx, cx, &access, &file)?;
    tx.files().delete(&access, file.id)?;
    event_log::append(tx, cx, &access, vec![file.deleted_event()])?;
    Ok(View { access: access.into_access(), file })
}

/// Finds the file at a serving address, with the public id of its book.
///
/// The address itself is the permission to read (behaviour 9.6).
///
/// # Errors
/// [`Refusal::Unknown`].
pub fn serve(tx: &mut Tx<'_>, address: &FileAddress) -> Result<(String, File)> {
    let found = tx.files().find_by_address(address)?;
    let found =
        found.filter(|(_, secret, file)| file.address(secret, address.book).matches(address));
    let (book, _, file) = found.ok_or_else(|| Refusal::Unknown(address.file.to_string()))?;
    Ok((book, file))
}

/// Invalidates the addresses of all files of a book, after a user has lost access to it (behaviour
/// 9.20).
pub(crate) fn end_addresses<P: Purpose>(
    tx: &mut Tx<'_>,
    cx: &Context,
    access: &AccessTo<P>,
) -> Result<()> {
    Ok(tx.books().change_file_secret(access, &FileSecret::new(cx.ids.token()))?)
}

/// An update of a file that is not saved yet.
struct Revision {
    access: AccessTo<Record>,
    before: File,
    after: File,
    /// The previous values of the fields that changed.
    previous: Previous,
}

/// Applies an update to a file and checks everything except the storage quota.
fn revise(tx: &mut Tx<'_>, cx: &Context, book: &str, changes: Changes) -> Result<Revision> {
    let access = access::enter_to(tx, cx, book, Record::Edit)?;
    let id = changes.id.clone().filter(|id| !id.trim().is_empty()).ok_or(Refusal::IdRequired)?;
    let before = find(tx, &access, &id)?;
    check_editable(&access, &before)?;
    let revision = before.clone().update(changes, cx.now);
    let references = match &revision {
        Ok((after, _)) if after.content != before.content => {
            FileReferences::find(tx, &access, before.id)?
        }
        Ok(_) | Err(_) => FileReferences::NONE,
    };
    references.check_permitted(&access)?;
    cx.check_precondition(&before)?;
    let (after, previous) = revision?;
    references.check(&access)?;
    Ok(Revision { access, before, after, previous })
}

/// Refuses to change files of others if the caller may only change their own.
///
/// A recorder of a PUBLIC book also sees files of others.
fn check_editable(access: &Access, file: &File) -> Result<()> {
    if access.may_touch(Action::EditDraft, file.created_by) {
        Ok(())
    } else {
        Err(daybook_domain::access::Refusal::NotEnough(access.permission().as_str()).into())
    }
}

/// Finds a file by id. For a recorder, files of other users do not exist (behaviour 7.3).
fn find(tx: &mut Tx<'_>, access: &Access, id: &str) -> Result<File> {
    let found = match id.trim().parse() {
        Ok(id) => tx.files().find(access, id)?,
        Err(_) => None,
    };
    let visible = found.filter(|file| access.may_touch(Action::ReadFiles, file.created_by));
    Ok(visible.ok_or_else(|| Refusal::Unknown(id.chars().take(60).collect()))?)
}
