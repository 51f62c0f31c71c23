//! Recording of an exported book in the book that its import has created (behaviour 15.13).
//!
//! The new book has the number of recorded items in a property until it is complete, which changes
//! in the unit of work of each block. So an interrupted import continues where it stopped, although
//! transactions of an export need not have remote ids.

use daybook_domain::account::Changes as AccountChanges;
use daybook_domain::book::Changes as BookChanges;
use daybook_domain::field::Field;
use daybook_domain::file::{self, Attachment, Content, File};
use daybook_domain::id::{FileId, ImportId};
use daybook_domain::import::RUN_PROPERTY;
use daybook_domain::permission::Action;
use daybook_domain::purpose::Record;
use daybook_domain::query::{Filter, Status, Term};
use daybook_domain::transaction::Changes;
use daybook_storage::Tx;
use daybook_storage::page::PageKey;
use daybook_storage::transaction::{ResolvedNames, Search};

use super::new_book::{NewBook, RunBook, create_book, is_out_of_reach};
use super::record::{Group, RefusedRecords, record_groups};
use super::undo::{UndoResult, trash};
use crate::context::Context;
use crate::error::{Error, Result};
use crate::{access, account, book, event_log};

/// The property of a book that is not complete: the number of recorded items, that of the last
/// event of the import, and that of the refused lines.
const PROGRESS_PROPERTY: &str = "import_progress";

/// The accounts that are changed at once.
const ACCOUNTS_AT_ONCE: usize = 1_000;

/// The files of a page.
const FILE_PAGE: i64 = 500;

/// The transactions that are moved to the trash at once.
const TRASHED_AT_ONCE: i64 = 500;

/// How far an exported book is recorded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BookProgress {
    /// The number of recorded files and transactions.
    pub items: u64,
    /// The number of the last event of the import; `None` before the first block.
    pub sequence: Option<i64>,
    /// The number of lines that were refused.
    pub refused: u32,
}

impl BookProgress {
    fn parse(text: &str) -> Option<Self> {
        let mut numbers = text.split(' ');
        let items = numbers.next()?.parse().ok()?;
        let sequence = numbers.next().and_then(|number| number.parse().ok());
        let refused = numbers.next().and_then(|number| number.parse().ok()).unwrap_or_default();
        Some(Self { items, sequence, refused })
    }
}

/// Files and transactions that are recorded at once.
#[derive(Debug, Clone, Default)]
pub struct BookBlock {
    /// The number of items before them.
    pub start: u64,
    /// The files, whose contents are stored already.
    pub files: Vec<(file::Changes, Content)>,
    /// The transactions.
    pub transactions: Vec<BookTransaction>,
}

/// A transaction of an exported book.
#[derive(Debug, Clone)]
pub struct BookTransaction {
    /// The line.
    pub line: u32,
    /// Its fields without files.
    pub changes: Changes,
    /// Its files.
    pub files: Vec<BookFile>,
    /// Whether it is a draft.
    pub is_draft: bool,
}

/// A file of a transaction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BookFile {
    /// A file of an earlier block.
    Known(FileId),
    /// The index of a file of the same block.
    New(usize),
}

/// The result of recording a block.
#[derive(Debug, Clone)]
pub struct RecordedBlock {
    /// The lines that were refused, and why.
    pub refused: RefusedRecords,
    /// The number of refused lines of all blocks until this one.
    pub refused_count: u32,
    /// The ids of the new files.
    pub files: Vec<FileId>,
    /// The number of the last event of the book before.
    pub before: i64,
    /// The number of the last event of the book after.
    pub after: i64,
}

/// The state that an account gets after all transactions are recorded.
#[derive(Debug, Clone)]
pub struct AccountEnd {
    /// The name.
    pub name: String,
    /// Whether it is archived.
    pub is_archived: bool,
    /// The minimum balance.
    pub min_balance: Option<String>,
}

/// Creates the book for an export.
///
/// # Errors
/// Those of [`create_book`].
pub fn begin_whole_book(
    tx: &mut Tx<'_>,
    cx: &Context,
    import: ImportId,
    mut new: NewBook,
) -> Result<RunBook> {
    new.settings.properties.insert(PROGRESS_PROPERTY.to_owned(), Some("0".to_owned()));
    create_book(tx, cx, import, new, &[])
}

/// Returns how far a book is recorded; `None` if it is complete.
///
/// # Errors
/// 403 or 404 when the author may not read it any more.
pub fn whole_book_progress(
    tx: &mut Tx<'_>,
    cx: &Context,
    book: &str,
) -> Result<Option<BookProgress>> {
    let access = access::enter(tx, cx, book, Action::ReadBook)?;
    let progress = access.book().settings.properties.get(PROGRESS_PROPERTY);
    Ok(progress.and_then(BookProgress::parse))
}

/// Lists the ids and digests of the files of a book, oldest first.
///
/// # Errors
/// Those of [`whole_book_progress`].
pub fn whole_book_files(
    tx: &mut Tx<'_>,
    cx: &Context,
    book: &str,
) -> Result<Vec<(FileId, String)>> {
    let access = access::enter(tx, cx, book, Action::ReadFiles)?;
    let (mut found, mut below) = (Vec::new(), None);
    loop {
        let page = tx.files().list(&access, None, below, FILE_PAGE)?.rows;
        let Some(last) = page.last() else { break };
        below = Some(last.id);
        found.extend(page.into_iter().map(|file| (file.id, file.content.digest)));
    }
    found.reverse();
    Ok(found)
}

/// Records a block, and moves the progress.
///
/// # Errors
/// [`Error::ConcurrentChange`] if the progress of the book is another one; 403 or 404 when the
/// author may no longer record; refusals of files and of storage quotas.
pub fn record_whole_book(
    tx: &mut Tx<'_>,
    cx: &Context,
    book: &str,
    import: ImportId,
    block: BookBlock,
) -> Result<RecordedBlock> {
    let access = access::enter_to(tx, cx, book, Record::Draft)?;
    let progress = access.book().settings.properties.get(PROGRESS_PROPERTY);
    let progress = progress.and_then(BookProgress::parse);
    let Some(progress) = progress.filter(|progress| progress.items == block.start) else {
        return Err(Error::ConcurrentChange("the book of the import has another progress"));
    };
    let before = tx.events().last_number(&access);
    let count = block.files.len().saturating_add(block.transactions.len());
    let files = block.files.into_iter().map(|(changes, content)| {
        File::create(cx.new_file(access.user()), changes, content).map_err(Error::from)
    });
    let files: Vec<File> = files.collect::<Result<_>>()?;
    if !files.is_empty() {
        tx.files().insert(&access, &files)?;
        let events = files.iter().map(File::created_event).collect();
        event_log::append(tx, cx, &access, events)?;
    }
    let files: Vec<FileId> = files.iter().map(|file| file.id).collect();
    let groups: Vec<Group> =
        block.transactions.into_iter().map(|one| one.into_group(import, &files)).collect();
    let mut refused = Vec::new();
    // Drafts keep their place among the transactions of a day.
    let mut run: Vec<Group> = Vec::new();
    for group in groups {
        if run.last().is_some_and(|last| last.is_draft != group.is_draft) {
            refused.extend(record_groups(tx, cx, &access, std::mem::take(&mut run))?);
        }
        run.push(group);
    }
    refused.extend(record_groups(tx, cx, &access, run)?);
    let items = block.start.saturating_add(u64::try_from(count).unwrap_or(u64::MAX));
    let after = tx.events().last_number(&access).saturating_add(1);
    let refused_here = u32::try_from(refused.len()).unwrap_or(u32::MAX);
    let refused_count = progress.refused.saturating_add(refused_here);
    let progress = Some(format!("{items} {after} {refused_count}"));
    let properties = [(PROGRESS_PROPERTY.to_owned(), progress)].into_iter().collect();
    book::update(tx, cx, book, BookChanges { properties, ..BookChanges::default() })?;
    Ok(RecordedBlock { refused, refused_count, files, before, after })
}

impl BookTransaction {
    fn into_group(self, import: ImportId, new: &[FileId]) -> Group {
        let Self { line, mut changes, files, is_draft } = self;
        let ids = files.into_iter().filter_map(|file| match file {
            BookFile::Known(id) => Some(id),
            BookFile::New(index) => new.get(index).copied(),
        });
        let given = ids.map(|id| Attachment::Given { id: Some(id.to_string()), new: None });
        changes.files = Some(given.collect());
        changes.properties.insert(RUN_PROPERTY.to_owned(), Some(import.to_string()));
        Group { record: line, items: vec![changes], is_draft }
    }
}

/// Completes a book after all of its transactions are recorded.
///
/// Minimum balances, archived accounts, closing and lock date would have refused transactions
/// before. Returns the numbers of the last event before and after.
///
/// # Errors
/// Refusals of the rules of accounts and books.
pub fn complete_whole_book(
    tx: &mut Tx<'_>,
    cx: &Context,
    book: &str,
    accounts: Vec<AccountEnd>,
    mut settings: BookChanges,
) -> Result<(i64, i64)> {
    let access = access::enter_to(tx, cx, book, Record::Draft)?;
    let before = tx.events().last_number(&access);
    if access.book().settings.properties.get(PROGRESS_PROPERTY).is_none() {
        return Ok((before, before));
    }
    let mut inputs: Vec<account::Input> =
        accounts.into_iter().map(AccountEnd::into_input).collect();
    while !inputs.is_empty() {
        let rest = inputs.split_off(inputs.len().min(ACCOUNTS_AT_ONCE));
        account::update(tx, cx, book, std::mem::replace(&mut inputs, rest))?;
    }
    settings.properties.insert(PROGRESS_PROPERTY.to_owned(), None);
    let view = book::update(tx, cx, book, settings)?;
    Ok((before, tx.events().last_number(&view.access)))
}

impl AccountEnd {
    fn into_input(self) -> account::Input {
        let Self { name, is_archived, min_balance } = self;
        let changes = AccountChanges {
            name: Some(name),
            archived: is_archived.then_some(true),
            min_balance: min_balance.map_or(Field::Keep, Field::Set),
            ..AccountChanges::default()
        };
        account::Input { changes, ..account::Input::default() }
    }
}

/// Moves some transactions of an import to the trash, in a book that stays.
///
/// `after` is the place of the last one before. Returns that of the last one now; `None` after the
/// last transaction.
///
/// # Errors
/// Failures.
pub fn undo_whole_book(
    tx: &mut Tx<'_>,
    cx: &Context,
    book: &str,
    import: ImportId,
    after: Option<PageKey>,
) -> Result<(UndoResult, Option<PageKey>)> {
    let cx = &cx.exempt_from_quotas();
    let access = match access::enter_to(tx, cx, book, Record::Edit) {
        Ok(access) => access,
        Err(error) if is_out_of_reach(error.kind()) => return Ok((UndoResult::default(), None)),
        Err(error) => return Err(error),
    };
    let (key, value) = (RUN_PROPERTY.to_owned(), Some(import.to_string()));
    let trashed = Filter::Not(Box::new(Filter::Term(Term::Status(Status::Trashed))));
    let filter = Filter::All(vec![Filter::Term(Term::Property { key, value }), trashed]);
    let names = ResolvedNames::default();
    let search = Search { filter: &filter, names: &names, drafts_of: None, similar: None };
    let page = tx.transactions().search(&access, &search, after, TRASHED_AT_ONCE)?.rows;
    // A row that was checked later counts as changed.
    let result = trash(tx, cx, &access, &page, |row| row.stamp.version == 1)?;
    Ok((result, page.last().map(PageKey::of)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn progress_is_read_before_and_after_blocks() {
        let progress = |items, sequence, refused| Some(BookProgress { items, sequence, refused });
        assert_eq!(BookProgress::parse("0"), progress(0, None, 0));
        assert_eq!(BookProgress::parse("500 731 4"), progress(500, Some(731), 4));
        assert_eq!(BookProgress::parse("x"), None);
    }
}
