//! The steps that only journals have: creating the chart and books, and undoing it.

use std::collections::HashSet;

use actix_web::web::Bytes;
use daybook_domain::book;
use daybook_domain::id::ImportId;
use daybook_domain::import::{Import, OutcomeKind, PostingOptions, State};
use daybook_edge::blocking::block;
use daybook_edge::error::ApiError;
use daybook_interchange::plan::{KeptFile, kept_files};
use daybook_interchange::read::read_journal;
use daybook_service::book::CREATE_TARGET;
use daybook_service::import::{
    self, BookEvents, NewAccount, NewBook, NewChart, RunBook, UndoBlock, UndoResult,
};
use daybook_service::{Target, collection};
use daybook_storage::Tx;

use super::document::{self, OptionsDoc, RecordDoc, ResultsDoc, SummaryDoc};
use super::journal::is_journal;
use super::journal_document::{JournalDoc, RunBookDoc, edits};
use super::recording::Run;
use super::step::Step;

/// Returns the groups and accounts that an import creates in its book.
pub(super) fn new_chart(summary: &SummaryDoc) -> NewChart {
    let accounts = &summary.accounts_to_create;
    let Some(journal) = &summary.journal else {
        let accounts = accounts.iter().map(|account| NewAccount {
            name: account.name.clone(),
            kind: account.kind(),
            ..NewAccount::default()
        });
        return NewChart { accounts: accounts.collect(), ..NewChart::default() };
    };
    let names: HashSet<&str> = accounts.iter().map(|account| account.name.as_str()).collect();
    let book = journal.books.first();
    book.map(|book| book.chart(|name| names.contains(name))).unwrap_or_default()
}

/// Returns the decimal places to which an import may raise those of its book.
pub(super) fn raised_fraction_digits(summary: &SummaryDoc, options: &OptionsDoc) -> Option<u32> {
    let journal = summary.journal.as_ref();
    let here = journal.filter(|journal| !journal.is_new && options.raise_fraction_digits)?;
    here.books.first().map(|book| book.fraction_digits)
}

/// Creates the next book of a journal, or the collection of all.
///
/// Each book is saved alone, so that an undo finds it where the next one is refused.
pub(super) async fn create_books(
    step: &Step<'_>,
    import: Import,
    journal: &JournalDoc,
    mut results: ResultsDoc,
) -> Result<(), ApiError> {
    let (id, cx) = (import.id, step.cx.clone());
    let known: Vec<String> = results.books.iter().map(|book| book.id.clone()).collect();
    if let Some(book) = journal.books.get(known.len()) {
        let new = NewBook {
            settings: book::Changes {
                name: Some(book.name.clone()),
                fraction_digits: Some(i64::from(book.fraction_digits)),
                properties: edits(&book.properties),
                ..book::Changes::default()
            },
            chart: book.chart(|_| true),
        };
        let work = move |tx: &mut Tx<'_>| import::create_book(tx, &cx, id, new, &known);
        let RunBook { key: id, sequence } = step.write_to(CREATE_TARGET, work).await?;
        results.books.push(RunBookDoc { id, sequence, is_changed: false });
        results.has_accounts = journal.books.len() == 1;
    } else {
        if known.len() > 1 {
            let name = journal.name.clone();
            let work = move |tx: &mut Tx<'_>| import::collect_books(tx, &cx, &name, &known);
            results.collection = Some(step.write_to(collection::TARGET, work).await?);
        }
        results.has_accounts = true;
    }
    let version = import.stamp.version;
    let saved = Import { results: document::write(&results), ..import };
    step.save(version, saved.enter(State::Recording, step.cx.now)).await
}

/// Records a block in the books of a journal, and then saves the progress.
///
/// An entry that one book refuses is not recorded in the next ones.
pub(super) async fn record_in_books(
    step: &Step<'_>,
    import: Import,
    block: &[RecordDoc],
    mut results: ResultsDoc,
) -> Result<(), ApiError> {
    let name = import.name.clone();
    let run = Run { id: import.id, name: &name, options: PostingOptions::default(), scale: 0 };
    let mut of_block: HashSet<u32> = HashSet::new();
    for (index, mut groups) in run.by_book(block) {
        let Some(key) = results.books.get(index).map(|book| book.id.clone()) else { continue };
        groups.retain(|group| !of_block.contains(&group.record));
        let (cx, book) = (step.cx.clone(), key.clone());
        let work = move |tx: &mut Tx<'_>| import::record_in_book(tx, &cx, &book, groups);
        let (refused, events) = step.write_to(Target::Book(key), work).await?;
        of_block.extend(refused.iter().map(|(number, _)| *number));
        results.refuse(refused);
        add_events(&mut results, &events);
    }
    let count = i64::try_from(block.len()).unwrap_or(i64::MAX);
    let (version, done) = (import.stamp.version, import.done.saturating_add(count));
    let saved = Import { done, results: document::write(&results), ..import };
    step.save(version, saved.enter(State::Recording, step.cx.now)).await
}

/// Archives the accounts that the journal closes, and notes the events.
pub(super) async fn close_accounts(
    step: &Step<'_>,
    summary: &SummaryDoc,
    results: &mut ResultsDoc,
) -> Result<(), ApiError> {
    for (key, names) in closed_accounts(step.book, summary, results) {
        let (cx, book) = (step.cx.clone(), key.clone());
        let work = move |tx: &mut Tx<'_>| import::close_accounts(tx, &cx, &book, &names);
        let events = step.write_to(Target::Book(key), work).await?;
        add_events(results, &events);
    }
    Ok(())
}

/// Stores the parts of a journal that have no place in a book as files of its first book, and notes
/// the events.
pub(super) async fn store_kept_files(
    step: &Step<'_>,
    import: &Import,
    bytes: Bytes,
    results: &mut ResultsDoc,
) -> Result<(), ApiError> {
    let read = move || {
        let journal = is_journal(&bytes).then(|| read_journal(bytes).ok()).flatten();
        journal.map(|(_, journal)| kept_files(&journal)).unwrap_or_default()
    };
    let first = results.books.first();
    let book = first.map_or_else(|| step.book.to_owned(), |book| book.id.clone());
    for KeptFile { name, content } in block(read).await? {
        let blob = step.state.blobs.new_blob(Bytes::from(content.into_bytes())).await?;
        let content = step.state.blobs.put(&book, blob).await?;
        let (cx, key, id) = (step.cx.clone(), book.clone(), import.id);
        let work = move |tx: &mut Tx<'_>| import::keep_file(tx, &cx, &key, id, name, content);
        let events = step.write_to(Target::Book(book.clone()), work).await?;
        add_events(results, &events);
    }
    Ok(())
}

/// Notes what a unit of work of the import has written to one of its books.
fn add_events(results: &mut ResultsDoc, events: &BookEvents) {
    if let Some(book) = results.books.iter_mut().find(|book| book.id == events.key) {
        book.note_events(events.before, events.after);
    }
}

/// Returns the accounts that the journal closes, by the id of the book. `own` is that of the
/// import.
fn closed_accounts(
    own: &str,
    summary: &SummaryDoc,
    results: &ResultsDoc,
) -> Vec<(String, Vec<String>)> {
    let Some(journal) = &summary.journal else { return Vec::new() };
    let names: HashSet<&str> =
        summary.accounts_to_create.iter().map(|account| account.name.as_str()).collect();
    let books = journal.books.iter().enumerate().map(|(index, book)| {
        let created = results.books.get(index).map(|book| book.id.clone());
        let mut closed = book.closed_accounts();
        closed.retain(|name| names.contains(name.as_str()));
        (created.unwrap_or_else(|| own.to_owned()), closed)
    });
    books.filter(|(_, closed)| !closed.is_empty()).collect()
}

/// Returns whether an undo has still to delete the books of the import.
pub(super) fn may_delete_books(results: &ResultsDoc) -> bool {
    let is_tried = results.undone.as_ref().is_some_and(|undone| undone.deleted_book_ids.is_some());
    !results.books.is_empty() && !is_tried
}

/// Deletes the books of the import that nothing else has written to. When none is left, the
/// transactions are undone with them.
pub(super) async fn delete_books(
    step: &Step<'_>,
    import: Import,
    mut results: ResultsDoc,
) -> Result<(), ApiError> {
    let days = step.state.deleted_books_days;
    let mut deleted = Vec::new();
    for book in results.books.iter().filter(|book| !book.is_changed) {
        let run_book = RunBook { key: book.id.clone(), sequence: book.sequence };
        let cx = step.cx.clone();
        let work = move |tx: &mut Tx<'_>| import::delete_book(tx, &cx, &run_book, days);
        if step.write_to(Target::Book(book.id.clone()), work).await? {
            deleted.push(book.id.clone());
        }
    }
    if !deleted.is_empty() && days == 0 {
        step.state.removals.notify();
    }
    if let Some(id) = results.collection.clone().filter(|_| !deleted.is_empty()) {
        let cx = step.cx.clone();
        let work = move |tx: &mut Tx<'_>| import::delete_empty_collection(tx, &cx, &id);
        step.write_to(collection::TARGET, work).await?;
    }
    let is_whole = deleted.len() == results.books.len();
    results.undone.get_or_insert_default().deleted_book_ids = Some(deleted);
    let done = if is_whole { import.total } else { import.done };
    let version = import.stamp.version;
    let saved = Import { done, results: document::write(&results), ..import };
    step.save(version, saved.enter(State::Undoing, step.cx.now)).await
}

/// Undoes a block in the books that are left. Returns what was undone.
pub(super) async fn undo_in_books(
    step: &Step<'_>,
    import: ImportId,
    block: &[RecordDoc],
    books: &[RunBookDoc],
) -> Result<UndoResult, ApiError> {
    let mut all = UndoResult::default();
    for (index, book) in books.iter().enumerate() {
        let part = undo_block(block, index);
        if part.remote_ids.is_empty() {
            continue;
        }
        let (cx, key) = (step.cx.clone(), book.id.clone());
        let work = move |tx: &mut Tx<'_>| import::undo_in_book(tx, &cx, &key, import, &part);
        let result = step.write_to(Target::Book(book.id.clone()), work).await?;
        all.trashed = all.trashed.saturating_add(result.trashed);
        all.left.extend(result.left);
    }
    Ok(all)
}

/// Returns the transactions of the new records of a block in a book.
pub(super) fn undo_block(block: &[RecordDoc], book: usize) -> UndoBlock {
    let mut undone =
        UndoBlock { count: i64::try_from(block.len()).unwrap_or_default(), ..UndoBlock::default() };
    for record in block.iter().filter(|record| record.kind() == OutcomeKind::New) {
        if record.entry.is_empty() {
            undone.remote_ids.extend(record.remote_ids());
            undone.checked.extend(record.remote_ids().filter(|_| record.checked));
        }
        for leg in record.entry.iter().filter(|leg| leg.book == book) {
            undone.remote_ids.push(leg.remote_id.clone());
            if leg.is_checked {
                undone.checked.insert(leg.remote_id.clone());
            }
        }
    }
    undone
}
