//! Where the logs of books end, for checkpoints, and the check of a book by the operator, without a
//! request and a record (behaviour 6.26).

use std::collections::HashSet;

use daybook_domain::audit::{AuditedEvent, Report};
use daybook_domain::event::CheckpointEntry;
use daybook_domain::file::Content;
use daybook_domain::id::{BookKey, FileId};
use daybook_storage::Tx;
use daybook_storage::audit::LogEnd;

use super::{FIRST_PORTION, inspect};
use crate::error::Result;

/// Books whose log ends are read at once.
const MAX_LOG_ENDS: i64 = 1_000;

/// The next books behind one, as a checkpoint has them, and the last book that was looked at; no
/// book behind the last page. The book of a copy that is not whole yet is left out: nobody has seen
/// it, and it may be given up (behaviour 6.14).
pub fn checkpoint_entries(
    tx: &mut Tx<'_>,
    after: Option<&BookKey>,
) -> Result<(Vec<CheckpointEntry>, Option<BookKey>)> {
    let ends = tx.audits().log_ends(after, MAX_LOG_ENDS)?;
    let last = ends.last().map(|end| end.book.clone());
    Ok((entries(tx, ends)?, last))
}

/// The next books behind one, whatever is left of them, and the last book that was looked at. Those
/// of copies that are not whole, and those that are being removed, are left out.
pub fn books(tx: &mut Tx<'_>, after: Option<&BookKey>) -> Result<(Vec<BookKey>, Option<BookKey>)> {
    let ends = tx.audits().log_ends(after, MAX_LOG_ENDS)?;
    let last = ends.last().map(|end| end.book.clone());
    let unfinished: HashSet<BookKey> = tx.books().unfinished_copies()?.into_iter().collect();
    let is_whole = |end: &LogEnd| stays(end) && !unfinished.contains(&end.book);
    Ok((ends.into_iter().filter(is_whole).map(|end| end.book).collect(), last))
}

/// Whether there is such a book, whatever is left of it, that is not being removed.
pub fn has_book(tx: &mut Tx<'_>, book: &BookKey) -> Result<bool> {
    Ok(tx.audits().log_ends_of(std::slice::from_ref(book))?.iter().any(stays))
}

fn stays(end: &LogEnd) -> bool {
    end.deletion.is_none_or(|deletion| deletion.waits())
}

/// These books as a checkpoint has them, those that are gone left out.
pub fn entries_of(tx: &mut Tx<'_>, books: &[BookKey]) -> Result<Vec<CheckpointEntry>> {
    let ends = tx.audits().log_ends_of(books)?;
    entries(tx, ends)
}

fn entries(tx: &mut Tx<'_>, ends: Vec<LogEnd>) -> Result<Vec<CheckpointEntry>> {
    if ends.is_empty() {
        return Ok(Vec::new());
    }
    let unfinished: HashSet<BookKey> = tx.books().unfinished_copies()?.into_iter().collect();
    let entry = |end: LogEnd| {
        let LogEnd { book, head, deletion } = end;
        // What this program did not write has no line; an audit of the book reports it.
        let head = head.filter(|head| head.sequence > 0 && book.is_well_formed())?;
        Some(CheckpointEntry { book, head, is_deleted: deletion.is_some() })
    };
    let whole = ends.into_iter().filter(|end| !unfinished.contains(&end.book));
    Ok(whole.filter_map(entry).collect())
}

/// Compares all that is kept of a book as an audit does, and hands out its events in their order.
/// `None` when there is no such book, or it is being removed.
pub fn examine(
    tx: &mut Tx<'_>,
    book: &BookKey,
    each: &mut dyn FnMut(&AuditedEvent),
) -> Result<Option<Report>> {
    let Some(access) = tx.audits().enter_as_operator(book)? else { return Ok(None) };
    inspect(tx, &access, each, &|| false)
}

/// The next files of a book below one, the newest first, with what their rows say of their bytes.
pub fn file_contents(
    tx: &mut Tx<'_>,
    book: &BookKey,
    below: Option<FileId>,
) -> Result<Vec<(FileId, Content)>> {
    let Some(access) = tx.audits().enter_as_operator(book)? else { return Ok(Vec::new()) };
    let page = tx.files().list(&access, None, below, FIRST_PORTION)?;
    Ok(page.rows.into_iter().map(|file| (file.id, file.content)).collect())
}

/// What the row of a file says of its bytes now.
pub fn file_content(tx: &mut Tx<'_>, book: &BookKey, file: FileId) -> Result<Option<Content>> {
    let Some(access) = tx.audits().enter_as_operator(book)? else { return Ok(None) };
    Ok(tx.files().find(&access, file)?.map(|file| file.content))
}
