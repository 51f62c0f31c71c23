//! What the steps of a journal have of their own: its chart and books, and their undo.

use std::collections::{BTreeMap, HashSet};

use daybook_domain::book;
use daybook_domain::import::{Import, OutcomeKind};
use daybook_edge::error::ApiError;
use daybook_service::import::{
    self, BookDeletion, BookEvents, NewAccount, NewBook, NewBooks, NewChart, RunBook, UndoPart,
};

use super::document::{self, RecordDoc, ResultsDoc, SummaryDoc};
use super::journal_document::{JournalDoc, RunBookDoc, edits};
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

/// Creates the books of a journal.
pub(super) async fn create_books(
    step: &Step<'_>,
    import: Import,
    journal: &JournalDoc,
    results: ResultsDoc,
) -> Result<(), ApiError> {
    let books = journal.books.iter().map(|book| NewBook {
        settings: book::Changes {
            name: Some(book.name.clone()),
            fraction_digits: Some(i64::from(book.fraction_digits)),
            properties: edits(&book.properties),
            ..book::Changes::default()
        },
        chart: book.chart(|_| true),
    });
    let collection = (journal.books.len() > 1).then(|| journal.name.clone());
    let new = NewBooks { books: books.collect(), collection };
    let (cx, book) = (step.cx.clone(), step.book.to_owned());
    let work = move |tx: &mut daybook_storage::Tx<'_>| {
        let update = |import: Import, created: Vec<RunBook>, collection: Option<String>| {
            let books = created.into_iter().map(|book| RunBookDoc {
                id: book.key,
                sequence: book.sequence,
                is_changed: false,
            });
            let results =
                ResultsDoc { has_accounts: true, books: books.collect(), collection, ..results };
            Import { results: document::write(&results), ..import }
        };
        import::create_books(tx, &cx, &book, import, &new, update).map(drop)
    };
    step.write(work).await
}

/// Notes what a unit of work of the import has written to one of its books.
pub(super) fn add_events(results: &mut ResultsDoc, events: &BookEvents) {
    if let Some(book) = results.books.iter_mut().find(|book| book.id == events.key) {
        book.is_changed |= book.sequence != events.before;
        book.sequence = events.after;
    }
}

/// Returns the accounts that the journal closes, by the id of the book. `own` is that of the
/// import.
pub(super) fn closed_accounts(
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
    results: ResultsDoc,
) -> Result<(), ApiError> {
    let unchanged = results.books.iter().filter(|book| !book.is_changed);
    let deletion = BookDeletion {
        books: unchanged
            .map(|book| RunBook { key: book.id.clone(), sequence: book.sequence })
            .collect(),
        collection: results.collection.clone(),
        days: step.state.deleted_books_days,
    };
    let (cx, book, days) = (step.cx.clone(), step.book.to_owned(), deletion.days);
    let work = move |tx: &mut daybook_storage::Tx<'_>| {
        let update = |import: Import, deleted: Vec<String>| {
            let is_whole = deleted.len() == results.books.len();
            let mut results = results;
            results.undone.get_or_insert_default().deleted_book_ids = Some(deleted);
            let done = if is_whole { import.total } else { import.done };
            Import { results: document::write(&results), done, ..import }
        };
        import::delete_books(tx, &cx, &book, import, &deletion, update).map(drop)
    };
    step.write(work).await?;
    if days == 0 {
        step.state.removals.notify();
    }
    Ok(())
}

/// Returns the transactions of the new records of a block, by book.
pub(super) fn undo_parts(block: &[RecordDoc], books: &[RunBookDoc]) -> Vec<UndoPart> {
    let mut parts: BTreeMap<Option<&str>, UndoPart> = BTreeMap::new();
    for record in block.iter().filter(|record| record.kind() == OutcomeKind::New) {
        if record.entry.is_empty() {
            parts.entry(None).or_default().remote_ids.extend(record.remote_ids());
        }
        for leg in &record.entry {
            let book = books.get(leg.book).map(|book| book.id.as_str());
            let part = parts.entry(book).or_default();
            part.remote_ids.push(leg.remote_id.clone());
            if leg.is_checked {
                part.checked.insert(leg.remote_id.clone());
            }
        }
    }
    let with_book =
        |(book, part): (Option<&str>, UndoPart)| UndoPart { book: book.map(str::to_owned), ..part };
    parts.into_iter().map(with_book).collect()
}
