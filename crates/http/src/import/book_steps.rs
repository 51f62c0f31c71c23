//! The steps of the import of an exported book (behaviour 15.13).
//!
//! Between the steps the position in the file is kept in a [`BookSession`], which is opened again
//! after a restart and after a failure.

use daybook_domain::id::ImportId;
use daybook_domain::import::{Import, State};
use daybook_edge::blocking::block;
use daybook_edge::error::{ApiError, RequestError};
use daybook_edge::run;
use daybook_service::book::CREATE_TARGET;
use daybook_service::import::{self, BookBlock, UndoResult};
use daybook_service::{self as service, Target};
use daybook_storage::Tx;
use daybook_storage::page::PageKey;
use tokio::runtime::Handle;

use super::book_preview::BookPreview;
use super::book_recording::{BookRecording, ReadBlock};
use super::book_source::{BookSource, SourceBlob};
use super::document::{self, OptionsDoc, ResultsDoc, SummaryDoc, WarningDoc};
use super::failure::{Failure, Fault};
use super::journal_document::RunBookDoc;
use super::reading::MAX_WARNINGS;
use super::step::{BookSession, Cache, Step, missing};

/// The refused lines that are shown.
const MAX_SHOWN: usize = 100;

/// The result of a step that reads a file.
pub(super) enum BookRead {
    /// The file is not the export of a book.
    Other,
    /// More of it has to be read.
    More,
    /// The preview, or why there is none.
    Done(Result<Box<SummaryDoc>, Fault>),
}

/// Reads a part of an exported book.
pub(super) async fn read_book(
    step: &Step<'_>,
    import: &Import,
    options: &OptionsDoc,
    cache: &mut Cache,
) -> Result<BookRead, ApiError> {
    let session = match cache.take_book(import.id) {
        Some(BookSession::Preview(session)) => session,
        Some(BookSession::Recording(_)) | None => {
            let Some(blob) = source_blob(step, import, options) else {
                return Ok(BookRead::Other);
            };
            let options = options.clone();
            let open = move || match BookSource::open(blob)? {
                Some(source) => BookPreview::new(source, &options).map(Some),
                None => Ok(None),
            };
            match block(open).await? {
                Ok(Some(session)) => Box::new(session),
                Ok(None) => return Ok(BookRead::Other),
                Err(Failure::File(fault)) => return Ok(BookRead::Done(Err(fault))),
                Err(Failure::Server(error)) => return Err(error),
            }
        }
    };
    if cache.has_max_books() {
        return Ok(BookRead::More);
    }
    let stop = step.stop.clone();
    let advance = move || {
        let mut session = session;
        let read = session.advance(&stop);
        (session, read)
    };
    let (session, read) = block(advance).await?;
    match read {
        Ok(None) => {
            cache.put_book(import.id, BookSession::Preview(session));
            Ok(BookRead::More)
        }
        Ok(Some(summary)) => Ok(BookRead::Done(Ok(Box::new(summary)))),
        Err(Failure::File(fault)) => Ok(BookRead::Done(Err(fault))),
        Err(Failure::Server(error)) => Err(error),
    }
}

fn source_blob(step: &Step<'_>, import: &Import, options: &OptionsDoc) -> Option<SourceBlob> {
    Some(SourceBlob {
        blobs: step.state.blobs.clone(),
        runtime: Handle::current(),
        book: step.book.to_owned(),
        blob: import.source.clone()?,
        size: u64::try_from(options.source_bytes).unwrap_or_default(),
    })
}

/// Does the next step of recording a book: creates it, records a block, or completes it.
pub(super) async fn record_book(
    step: &Step<'_>,
    import: Import,
    summary: SummaryDoc,
    results: ResultsDoc,
    cache: &mut Cache,
) -> Result<(), ApiError> {
    let id = import.id;
    let session = match cache.take_book(id) {
        Some(BookSession::Recording(session)) => session,
        Some(BookSession::Preview(_)) | None if cache.has_max_books() => return Ok(()),
        Some(BookSession::Preview(_)) | None => {
            let options: OptionsDoc = document::read(&import.options)?;
            let blob = source_blob(step, &import, &options).ok_or_else(missing)?;
            let open = move || match BookSource::open(blob)? {
                Some(source) => BookRecording::open(source).map(Some),
                None => Ok(None),
            };
            Box::new(block(open).await?.map_err(refused)?.ok_or_else(missing)?)
        }
    };
    let recording = Recording { step, id, session };
    let session = if results.has_accounts {
        recording.record(import, summary, results).await?
    } else {
        Some(recording.create(import, results).await?)
    };
    // After a failure it is opened again, at the progress of the new book.
    if let Some(session) = session {
        cache.put_book(id, BookSession::Recording(session));
    }
    Ok(())
}

/// Returns a problem that the preview did not have as a refusal, which ends the import.
fn refused(failure: Failure) -> ApiError {
    match failure {
        Failure::File(fault) => service::Error::BadRequest(fault.message).into(),
        Failure::Server(error) => error,
    }
}

/// A step that records.
struct Recording<'s> {
    step: &'s Step<'s>,
    id: ImportId,
    session: Box<BookRecording>,
}

impl Recording<'_> {
    async fn create(
        self,
        import: Import,
        results: ResultsDoc,
    ) -> Result<Box<BookRecording>, ApiError> {
        let Self { step, id, session } = self;
        let (cx, new) = (step.cx.clone(), session.new_book());
        let work = move |tx: &mut Tx<'_>| import::begin_whole_book(tx, &cx, id, new);
        let created = step.write_to(CREATE_TARGET, work).await?;
        let book = RunBookDoc { id: created.key, sequence: created.sequence, is_changed: false };
        let results = ResultsDoc { has_accounts: true, books: vec![book], ..results };
        save(step, import, &results).await?;
        Ok(session)
    }

    /// Returns the session, unless the import is done.
    async fn record(
        self,
        mut import: Import,
        summary: SummaryDoc,
        mut results: ResultsDoc,
    ) -> Result<Option<Box<BookRecording>>, ApiError> {
        let Self { step, id, mut session } = self;
        let key = results.books.first().map(|book| book.id.clone()).ok_or_else(missing)?;
        if !session.is_positioned {
            let (cx, book) = (step.cx.clone(), key.clone());
            let read = run::read_for_server(&step.state.edge, move |tx| {
                let Some(progress) = import::whole_book_progress(tx, &cx, &book)? else {
                    return Ok(None);
                };
                let files = import::whole_book_files(tx, &cx, &book)?;
                Ok(Some((progress, files)))
            });
            let Some((progress, files)) = read.await? else {
                finish(step, import, summary, results).await?;
                return Ok(None);
            };
            if let (Some(sequence), Some(book)) = (progress.sequence, results.books.first_mut()) {
                book.sequence = sequence;
            }
            results.refused_count = results.refused_count.max(progress.refused);
            let skip = move || session.skip(progress.items, files).map(|()| session);
            session = block(skip).await?.map_err(refused)?;
        }
        let read = move || {
            let read = session.read_block();
            read.map(|read| (session, read))
        };
        let (mut session, read) = block(read).await?.map_err(refused)?;
        let ReadBlock { files, transactions } = read;
        if files.is_empty() && transactions.is_empty() {
            let (accounts, settings) = session.ends();
            let (cx, book) = (step.cx.clone(), key.clone());
            let work = move |tx: &mut Tx<'_>| {
                import::complete_whole_book(tx, &cx, &book, accounts, settings)
            };
            let (before, after) = step.write_to(Target::Book(key), work).await?;
            note_events(&mut results, before, after);
            finish(step, import, summary, results).await?;
            return Ok(None);
        }
        let count = transactions.len();
        let (mut old, mut stored) = (Vec::new(), Vec::new());
        for file in files {
            let blob = step.state.blobs.new_blob(file.bytes).await?;
            if blob.content.digest != file.sha256 {
                return Err(
                    RequestError::Failed("a file of an import has changed".to_owned()).into()
                );
            }
            stored.push((file.changes, step.state.blobs.put(&key, blob).await?));
            old.push(file.id);
        }
        let new = BookBlock { start: session.items, files: stored, transactions };
        let (cx, book) = (step.cx.clone(), key.clone());
        let work = move |tx: &mut Tx<'_>| import::record_whole_book(tx, &cx, &book, id, new);
        let recorded = step.write_to(Target::Book(key), work).await?;
        session.add_recorded(old, recorded.files, count);
        note_events(&mut results, recorded.before, recorded.after);
        results.refused_count = results.refused_count.max(recorded.refused_count);
        let free = MAX_SHOWN.saturating_sub(results.refused.len());
        results.refused.extend(recorded.refused.into_iter().take(free));
        import.done = session.transactions;
        save(step, import, &results).await?;
        Ok(Some(session))
    }
}

/// Notes what a unit of work of the import has written to its book.
fn note_events(results: &mut ResultsDoc, before: i64, after: i64) {
    if let Some(book) = results.books.first_mut() {
        book.note_events(before, after);
    }
}

async fn save(step: &Step<'_>, import: Import, results: &ResultsDoc) -> Result<(), ApiError> {
    let version = import.stamp.version;
    let saved = Import { results: document::write(results), ..import };
    step.save(version, saved.enter(State::Recording, step.cx.now)).await
}

/// Ends an import. Lines that were refused are warnings.
async fn finish(
    step: &Step<'_>,
    import: Import,
    mut summary: SummaryDoc,
    results: ResultsDoc,
) -> Result<(), ApiError> {
    summary.counts.refused = results.refused_count;
    summary.counts.new = summary.counts.new.saturating_sub(results.refused_count);
    let refused = usize::try_from(results.refused_count).unwrap_or(usize::MAX);
    summary.warning_count = summary.warning_count.saturating_add(refused);
    let free = MAX_WARNINGS.saturating_sub(summary.warnings.len());
    let shown = results.refused.iter().take(free).map(|(line, reason)| WarningDoc {
        line: Some(*line),
        column: None,
        message: reason.clone(),
    });
    summary.warnings.extend(shown);
    let version = import.stamp.version;
    let done = Import {
        summary: document::write(&summary),
        results: document::write(&results),
        source: None,
        blob_bytes: 0,
        done: import.total,
        ..import
    };
    step.save(version, done.enter(State::Done, step.cx.now)).await
}

/// Undoes a part of what was recorded in a book that was not deleted.
pub(super) async fn undo_book(
    step: &Step<'_>,
    import: Import,
    mut results: ResultsDoc,
) -> Result<(), ApiError> {
    let after = results.undone_until.map(|(day, id)| PageKey { day, id });
    let (mut result, mut last) = (UndoResult::default(), None);
    if let Some(key) = results.books.first().map(|book| book.id.clone()) {
        let (cx, book, id) = (step.cx.clone(), key.clone(), import.id);
        let work = move |tx: &mut Tx<'_>| import::undo_whole_book(tx, &cx, &book, id, after);
        (result, last) = step.write_to(Target::Book(key), work).await?;
    }
    let undone = results.undone.get_or_insert_default();
    undone.add(result.trashed, &result.left);
    let seen = undone.trashed.saturating_add(undone.left_count);
    let seen = i64::try_from(seen).unwrap_or(i64::MAX);
    results.undone_until = last.map(|PageKey { day, id }| (day, id));
    // At the total nothing more is looked for.
    let done = if last.is_some() { seen.min(import.total - 1) } else { import.total };
    let version = import.stamp.version;
    let saved = Import { done, results: document::write(&results), ..import };
    step.save(version, saved.enter(State::Undoing, step.cx.now)).await
}
