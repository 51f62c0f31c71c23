//! Checkpoints of event logs, and checks of a book by the operator without a request or a record
//! (behaviour 6.26).

use std::collections::HashSet;

use daybook_domain::audit::{AuditedEvent, Report};
use daybook_domain::event::{CheckpointEntry, EventType};
use daybook_domain::file::Content;
use daybook_domain::id::{BookKey, FileId};
use daybook_domain::json::Json;
use daybook_storage::Tx;
use daybook_storage::audit::LogEnd;
use daybook_storage::event::EventFilter;

use super::inspect;
use super::portion::FIRST_PORTION;
use crate::error::Result;

/// Books whose log ends are read at once.
const MAX_LOG_ENDS: i64 = 1_000;

/// Returns the checkpoint entries of the next books after one, and the last book that was read.
///
/// Beyond the last page it returns no book. Unfinished copies are left out, because no user has
/// seen them and they may be abandoned (behaviour 6.14).
pub fn checkpoint_entries(
    tx: &mut Tx<'_>,
    after: Option<&BookKey>,
) -> Result<(Vec<CheckpointEntry>, Option<BookKey>)> {
    let ends = tx.audits().log_ends(after, MAX_LOG_ENDS)?;
    let last = ends.last().map(|end| end.book.clone());
    Ok((entries(tx, ends)?, last))
}

/// Returns the next books after one, even damaged ones, and the last book that was read.
///
/// Unfinished copies and books that are being removed are left out.
pub fn list_books(
    tx: &mut Tx<'_>,
    after: Option<&BookKey>,
) -> Result<(Vec<BookKey>, Option<BookKey>)> {
    let ends = tx.audits().log_ends(after, MAX_LOG_ENDS)?;
    let last = ends.last().map(|end| end.book.clone());
    let unfinished: HashSet<BookKey> = tx.books().unfinished_copies()?.into_iter().collect();
    let is_whole = |end: &LogEnd| is_kept(end) && !unfinished.contains(&end.book);
    Ok((ends.into_iter().filter(is_whole).map(|end| end.book).collect(), last))
}

/// Returns whether the book exists, even damaged, and is not being removed.
pub fn has_book(tx: &mut Tx<'_>, book: &BookKey) -> Result<bool> {
    Ok(tx.audits().log_ends_of(std::slice::from_ref(book))?.iter().any(is_kept))
}

fn is_kept(end: &LogEnd) -> bool {
    end.deletion.is_none_or(|deletion| deletion.is_restorable())
}

/// Returns the checkpoint entries of these books. Books that no longer exist are left out.
pub fn checkpoint_entries_of(tx: &mut Tx<'_>, books: &[BookKey]) -> Result<Vec<CheckpointEntry>> {
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
        // A log that this program did not write gets no entry. An audit of the book reports it.
        let head = head.filter(|head| head.sequence > 0 && book.is_well_formed())?;
        Some(CheckpointEntry { book, head, is_deleted: deletion.is_some() })
    };
    let whole = ends.into_iter().filter(|end| !unfinished.contains(&end.book));
    Ok(whole.filter_map(entry).collect())
}

/// Checks a book as an audit does, and passes its events in order to `each`.
///
/// It returns `None` if the book does not exist or is being removed.
pub fn examine(
    tx: &mut Tx<'_>,
    book: &BookKey,
    each: &mut dyn FnMut(&AuditedEvent),
) -> Result<Option<Report>> {
    let Some(access) = tx.audits().enter_as_operator(book)? else { return Ok(None) };
    inspect(tx, &access, each, &|| false)
}

/// Returns the number of findings of the last recorded audit of a book, if there was one.
pub fn last_findings(tx: &mut Tx<'_>, book: &BookKey) -> Result<Option<i64>> {
    let Some(access) = tx.audits().enter_as_operator(book)? else { return Ok(None) };
    let audited = EventFilter { kind: Some(EventType::BookAudited), ..EventFilter::default() };
    let page = tx.events().list(&access, &audited, 1)?;
    let report = page.rows.first().and_then(|last| last.rest.get("audit")?.as_object());
    let findings = report.and_then(|report| report.get("findingsCount"));
    Ok(if let Some(Json::Number(findings)) = findings { Some(*findings) } else { None })
}

/// Returns the next files of a book below an id, newest first, with the content their rows name.
pub fn file_contents(
    tx: &mut Tx<'_>,
    book: &BookKey,
    below: Option<FileId>,
) -> Result<Vec<(FileId, Content)>> {
    let Some(access) = tx.audits().enter_as_operator(book)? else { return Ok(Vec::new()) };
    let page = tx.files().list(&access, None, below, FIRST_PORTION)?;
    Ok(page.rows.into_iter().map(|file| (file.id, file.content)).collect())
}

/// Returns the content that the row of a file names now.
pub fn file_content(tx: &mut Tx<'_>, book: &BookKey, file: FileId) -> Result<Option<Content>> {
    let Some(access) = tx.audits().enter_as_operator(book)? else { return Ok(None) };
    Ok(tx.files().find(&access, file)?.map(|file| file.content))
}
