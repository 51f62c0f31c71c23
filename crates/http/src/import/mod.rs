//! Imports of files (behaviour 15): handlers, wire shapes and workers.
//!
//! createImport stores the body as a blob and the import as a row. A worker (`worker`, `steps`)
//! reads the file (`parsing`, `reading`), and stores the records with their outcomes in compressed
//! blocks (`spool`). confirmImport checks the decisions (`decision`) and changes the state; the
//! worker then applies them (`resolving`) and records block by block (`recording`). The handlers
//! wait a few seconds for the worker, so a small import is one request for each step.

mod book_preview;
mod book_recording;
mod book_source;
mod book_steps;
mod chart;
mod decision;
mod document;
mod failure;
mod journal;
mod journal_document;
mod journal_steps;
mod match_document;
mod parsing;
mod reading;
mod recording;
mod refusals;
mod report;
mod resolving;
mod shape;
mod spool;
mod step;
mod steps;
mod store;
mod worker;

use std::collections::HashMap;
use std::time::Duration;

use actix_web::web;
use daybook_blobs::BlobWriter;
use daybook_domain::id::{ImportId, TransactionId};
use daybook_domain::import::{Import, Match, MatchTarget, OutcomeKind, Refusal, State};
use daybook_domain::permission::Action;
use daybook_edge::error::{ApiError, RequestError};
use daybook_edge::run;
use daybook_service::import::{self, Creates, NewImport, Snapshot, View};
use daybook_service::{self as service, Context};
use daybook_storage::Tx;
use tokio::time::{Instant, sleep};

use crate::body::{Body, FileBody};
use crate::cursor::{self, ImportCursor, RecordCursor};
use crate::file::{store_bytes, take_upload};
use crate::reply::{self, ApiResult, Reply};
use crate::request::ApiRequest;
use crate::state::AppState;
use crate::wire::ListOut;
use chart::Names;
use decision::{ConfirmationIn, DecisionsDoc};
use document::{OptionsDoc, RecordDoc, ResultsDoc, SummaryDoc};
use journal_document::VirtualPostingsDoc;
use journal_steps::raised_fraction_digits;
use resolving::{Resolver, posting_options};
use shape::{ImportOut, Shown};
use store::StoredRecords;

pub use worker::workers;

/// How long a handler waits for the worker (behaviour 15.1).
const WAIT: Duration = Duration::from_secs(5);
/// The first interval in which it reads the import; later ones are longer.
const FIRST_POLL: Duration = Duration::from_millis(10);
const MAX_POLL: Duration = Duration::from_millis(250);

/// Records of a page by default, and at most (behaviour 15.6).
const DEFAULT_RECORDS: usize = 100;
const MAX_RECORDS: usize = 1_000;

/// Encodes the only import of a use case.
fn to_reply(view: &View, _: &Context) -> Reply {
    let import = view.imports.first().map(|import| ImportOut::new(view, import));
    match import {
        Some(Ok(import)) => reply::ok(&import),
        Some(Err(_)) | None => reply::nothing(),
    }
}

/// GET imports.
pub(crate) async fn list_imports(request: ApiRequest) -> ApiResult {
    let (book, limit) = (request.book(), request.limit());
    let cursor: Option<ImportCursor> = request.cursor().and_then(cursor::read);
    let below = cursor.map(|cursor| ImportId::new(cursor.import));
    let encode = |view: &View, _: &Context| {
        let items = view.imports.iter().filter_map(|import| ImportOut::new(view, import).ok());
        let items = items.collect();
        let next = view.next.and_then(|id| cursor::write(&ImportCursor { import: id.get() }));
        reply::ok(&ListOut { items, cursor: next })
    };
    request.read(move |tx, cx| import::list(tx, cx, &book, limit, below), encode).await
}

/// GET imports/{id}.
pub(crate) async fn get_import(request: ApiRequest) -> ApiResult {
    let (book, id) = (request.book(), request.id());
    request.read(move |tx, cx| import::get(tx, cx, &book, &id), to_reply).await
}

/// POST imports.
pub(crate) async fn create_import(request: ApiRequest, body: FileBody) -> ApiResult {
    let name = request.text_without_nul("name").unwrap_or_default();
    let options = options(&request);
    let book = request.book();
    let size = match &body {
        FileBody::Whole(bytes) => i64::try_from(bytes.len()).map_err(|_| RequestError::TooLarge)?,
        FileBody::Archive(archive) => archive.announced_bytes().unwrap_or_default(),
    };
    request.check_write()?;
    let checked = name.clone();
    let check =
        move |tx: &mut Tx<'_>, cx: &Context| import::check_create(tx, cx, &book, &checked, size);
    let limit = match request.on_snapshot(check).await {
        Ok(limit) => limit,
        Err(error) => {
            if let FileBody::Archive(archive) = body
                && request.has_key()
            {
                archive.discard().await?;
            }
            return request.replay_or_refuse(error).await;
        }
    };
    let options = options?;
    let content = match body {
        FileBody::Whole(bytes) => store_bytes(&request, bytes, limit).await?,
        FileBody::Archive(archive) => {
            let blob = BlobWriter::begin(&request.state.blobs, &request.book()).await?;
            archive.store(blob, |bytes| take_upload(&request, bytes, limit)).await?
        }
    };
    let options = document::write(&OptionsDoc { source_bytes: content.size, ..options });
    let new = NewImport { name, options, source: content.blob, bytes: content.size };
    let waiting = Waiting::new(&request);
    let written =
        request.write_book(move |tx, cx, book| import::create(tx, cx, book, new), to_reply).await?;
    waiting.wait(written, State::Reading).await
}

/// Reads the parameters of createImport.
fn options(request: &ApiRequest) -> Result<OptionsDoc, ApiError> {
    let text = |name: &str| request.text_without_nul(name);
    let choice = |name: &'static str, first: &str, second: &str| match request.text(name) {
        None => Ok(None),
        Some(value) if value == first => Ok(Some(true)),
        Some(value) if value == second => Ok(Some(false)),
        Some(value) => {
            let shown: String = value.chars().take(40).collect();
            let why = format!("{name} \"{shown}\": expected {first} or {second}");
            Err(service::Error::BadRequest(why))
        }
    };
    let is_new = choice("target", "NEW", "HERE")?;
    let all_commodities = choice("commodities", "ALL", "ONE")? == Some(true);
    if all_commodities && is_new == Some(false) {
        let why = "commodities=ALL requires the target NEW: this book has one commodity";
        return Err(service::Error::BadRequest(why.to_owned()).into());
    }
    let virtual_postings = virtual_postings(request)?;
    if virtual_postings == Some(VirtualPostingsDoc::OwnBook) && is_new == Some(false) {
        let why = "virtualPostings=OWN_BOOK requires the target NEW";
        return Err(service::Error::BadRequest(why.to_owned()).into());
    }
    Ok(OptionsDoc {
        account: text("account"),
        rules: text("rules"),
        day_first: choice("dateOrder", "DAY_FIRST", "MONTH_FIRST")?,
        decimal_comma: choice("decimalMark", "COMMA", "DOT")?,
        encoding: text("encoding"),
        sheet: text("sheet"),
        drafts: request.flag("drafts") == Some(true),
        trashed: request.flag("trashed") == Some(true),
        is_new,
        all_commodities,
        virtual_postings,
        raise_fraction_digits: request.flag("raiseFractionDigits") == Some(true),
        source: text("source"),
        source_bytes: 0,
    })
}

/// Reads the treatment of virtual postings.
fn virtual_postings(request: &ApiRequest) -> Result<Option<VirtualPostingsDoc>, ApiError> {
    let Some(name) = request.text("virtualPostings") else { return Ok(None) };
    let found = VirtualPostingsDoc::from_name(name).ok_or_else(|| {
        let shown: String = name.chars().take(40).collect();
        let accepted = "expected OWN_BOOK, SAME_BOOK or SKIP";
        service::Error::BadRequest(format!("virtualPostings \"{shown}\": {accepted}"))
    })?;
    Ok(Some(found))
}

/// DELETE imports/{id}.
pub(crate) async fn delete_import(request: ApiRequest) -> ApiResult {
    let id = request.id();
    request.write_book(move |tx, cx, book| import::delete(tx, cx, book, &id), to_reply).await
}

/// POST imports/{id}/confirm.
pub(crate) async fn confirm_import(request: ApiRequest, body: Body<ConfirmationIn>) -> ApiResult {
    let (decisions, creates) = match check_decisions(&request, body.0).await {
        Ok(checked) => checked,
        Err(error) => return request.replay_or_refuse(error).await,
    };
    let (id, document) = (request.id(), document::write(&decisions));
    let waiting = Waiting::new(&request);
    let confirm = move |tx: &mut Tx<'_>, cx: &Context, book: &str| {
        import::confirm(tx, cx, book, &id, document, creates)
    };
    let written = request.write_book(confirm, to_reply).await?;
    waiting.wait(written, State::Recording).await
}

/// Refuses decisions that cannot be applied to the preview. Returns them, and what the confirmation
/// creates; the accounts only for a caller who may not write accounts.
///
/// Only for such a caller all records are read.
async fn check_decisions(
    request: &ApiRequest,
    body: ConfirmationIn,
) -> Result<(DecisionsDoc, Creates), ApiError> {
    request.check_write()?;
    let (book, id) = (request.book(), request.id());
    let found = request.on_snapshot(move |tx, cx| import::get(tx, cx, &book, &id)).await?;
    let decisions = DecisionsDoc::try_from(body)?;
    let Some(import) = found.imports.into_iter().next() else {
        return Ok((decisions, Creates::default()));
    };
    let refused = import.check_confirmable(found.access.user());
    refused.map_err(service::Error::from)?;
    let summary: SummaryDoc = document::read(&import.summary)?;
    let options: OptionsDoc = document::read(&import.options)?;
    let is_new = summary.journal.as_ref().is_some_and(|journal| journal.is_new);
    let raised = raised_fraction_digits(&summary, &options);
    if is_new && decisions.restricts_accounts() {
        let why = "createAccounts is for imports into this book: a new book has all accounts";
        return Err(service::Error::BadRequest(why.to_owned()).into());
    }
    if summary.is_whole_book && !decisions.records().is_empty() {
        let why = "the import of an exported book takes no decisions";
        return Err(service::Error::BadRequest(why.to_owned()).into());
    }
    let blobs = &request.state.blobs;
    let records = StoredRecords::open(blobs, &request.book(), &import).await?;
    let book = request.book();
    let snapshot = request.on_snapshot(move |tx, cx| Snapshot::open(tx, cx, &book)).await?;
    let names = Names::new(&snapshot.chart);
    let new = summary.accounts_to_create.iter().map(|account| account.name.as_str()).collect();
    let read = decisions.read(&names, &new, summary.counts.total);
    let read = read.map_err(service::Error::from)?;
    let options = posting_options(&snapshot.access, &options);
    let mut resolver = Resolver::new(&names, options, Some(read));
    let numbers = decisions.records();
    let reads_all = !is_new && !snapshot.access.may(Action::WriteChart);
    let mut first = 1_u32;
    for entry in records.iter().flat_map(|records| &records.index) {
        let last = first.saturating_add(entry.count());
        let has_some = numbers.iter().any(|number| (first..last).contains(number));
        first = last;
        let Some(records) = records.as_ref().filter(|_| reads_all || has_some) else { continue };
        for mut record in records.block(blobs, entry).await? {
            let is_decided = numbers.contains(&record.number);
            if record.is_read() && (reads_all || is_decided) {
                resolver.resolve(&mut record, true).map_err(service::Error::from)?;
            }
        }
    }
    let of_journal = summary.journal.iter().flat_map(|_| &summary.accounts_to_create);
    let mut of_journal = of_journal.filter(|account| resolver.may_create_named(&account.name));
    let has_some = of_journal.next().is_some() || !resolver.into_new_accounts().is_empty();
    let creates = Creates {
        accounts: reads_all && has_some,
        books: is_new,
        fraction_digits: raised > Some(snapshot.book().settings.fraction_digits),
    };
    Ok((decisions, creates))
}

/// POST imports/{id}/undo.
pub(crate) async fn undo_import(request: ApiRequest) -> ApiResult {
    request.check_write()?;
    let (book, id) = (request.book(), request.id());
    let found = request.on_snapshot(move |tx, cx| import::get(tx, cx, &book, &id)).await;
    let found = match found {
        Ok(found) => found,
        Err(error) => return request.replay_or_refuse(error).await,
    };
    let import = found.imports.first();
    let results: ResultsDoc =
        document::read(import.map(|import| import.results.as_str()).unwrap_or_default())?;
    let undone_by = Some(request.cx.user.id.get());
    let books: Vec<String> = results.books.iter().map(|book| book.id.clone()).collect();
    let results =
        document::write(&ResultsDoc { undone: None, undone_by, undone_until: None, ..results });
    let id = request.id();
    let waiting = Waiting::new(&request);
    let undo = move |tx: &mut Tx<'_>, cx: &Context, book: &str| {
        import::undo(tx, cx, book, &id, results, &books)
    };
    let written = request.write_book(undo, to_reply).await?;
    waiting.wait(written, State::Undoing).await
}

/// GET imports/{id}/records.
pub(crate) async fn list_import_records(request: ApiRequest) -> ApiResult {
    let (book, id) = (request.book(), request.id());
    let outcome = match request.text("outcome") {
        None => None,
        Some(name) => Some(OutcomeKind::from_name(name).ok_or_else(|| {
            let shown: String = name.chars().take(40).collect();
            service::Error::BadRequest(format!("outcome \"{shown}\" is not known"))
        })?),
    };
    let limit = request.limit().unwrap_or(DEFAULT_RECORDS).min(MAX_RECORDS);
    let cursor: Option<RecordCursor> = request.cursor().and_then(cursor::read);
    let (after, outcome) = match cursor {
        Some(cursor) => (cursor.record, cursor.outcome.as_deref().and_then(OutcomeKind::from_name)),
        None => (0, outcome),
    };
    let (of_book, of_id) = (book.clone(), id.clone());
    let view = request.on_snapshot(move |tx, cx| import::get(tx, cx, &of_book, &of_id)).await?;
    let Some(import) = view.imports.into_iter().next() else { return Ok(reply::nothing()) };
    let records = StoredRecords::open(&request.state.blobs, &book, &import).await?;
    let page = match &records {
        Some(records) => page(&request, records, outcome, after, limit).await?,
        None => Vec::new(),
    };
    let has_more = page.len() > limit;
    let page: Vec<RecordDoc> = page.into_iter().take(limit).collect();
    let last = page.last().map(|record| record.number).filter(|_| has_more);
    let next = last.and_then(|record| {
        let outcome = outcome.map(|kind| kind.as_str().to_owned());
        cursor::write(&RecordCursor { record, outcome })
    });
    let results: ResultsDoc = document::read(&import.results)?;
    let refused = results.into_refusals();
    request
        .read(
            move |tx, cx| {
                let snapshot = Snapshot::open_to_read(tx, cx, &book)?;
                let transactions = snapshot.transactions(tx, &candidates(&page))?;
                let recorded = recorded(tx, &snapshot, &import, &page)?;
                Ok((snapshot, page, transactions, recorded))
            },
            move |(snapshot, page, transactions, recorded), _| {
                let names = Names::new(&snapshot.chart);
                let (book, names, refused) = (snapshot.book(), &names, &refused);
                let shown = Shown { book, names, transactions, recorded, refused };
                let items = page.iter().map(|record| shown.record(record)).collect();
                reply::ok(&ListOut { items, cursor: next })
            },
        )
        .await
}

/// Reads the records of a page, and one more if there are more.
async fn page(
    request: &ApiRequest,
    records: &StoredRecords,
    outcome: Option<OutcomeKind>,
    after: u32,
    limit: usize,
) -> Result<Vec<RecordDoc>, ApiError> {
    let (mut found, mut last) = (Vec::new(), 0_u32);
    for entry in &records.index {
        last = last.saturating_add(entry.count());
        let has_some = outcome.is_none_or(|kind| entry.count_of(kind) > 0);
        if last <= after || !has_some {
            continue;
        }
        let block = records.block(&request.state.blobs, entry).await?;
        found.extend(block.into_iter().filter(|record| {
            record.number > after && outcome.is_none_or(|kind| record.kind() == kind)
        }));
        if found.len() > limit {
            break;
        }
    }
    Ok(found)
}

/// Returns the transactions that records may be matched with.
fn candidates(page: &[RecordDoc]) -> Vec<TransactionId> {
    let all = page.iter().flat_map(|record| &record.candidates);
    let mut ids: Vec<TransactionId> = all
        .filter_map(|found| match Match::from(found).target {
            MatchTarget::Transaction(id) => Some(id),
            MatchTarget::Record { .. } => None,
        })
        .collect();
    ids.sort_unstable();
    ids.dedup();
    ids
}

/// Returns the transactions that the import has recorded, by remote id.
fn recorded(
    tx: &mut Tx<'_>,
    snapshot: &Snapshot,
    import: &Import,
    page: &[RecordDoc],
) -> service::Result<HashMap<String, TransactionId>> {
    match import.state {
        State::Recording | State::Done | State::Undoing | State::Failed => {
            let new = page.iter().filter(|record| record.kind() == OutcomeKind::New);
            let ids: Vec<String> = new.map(|record| record.remote_id.clone()).collect();
            snapshot.recorded(tx, import.id, &ids)
        }
        State::Reading | State::Preview | State::Undone => Ok(HashMap::new()),
    }
}

/// Waits until a worker has done what a handler has asked for.
struct Waiting {
    state: web::Data<AppState>,
    cx: Context,
    book: String,
    /// Whether the response is stored under a key, so that it must be that of its repetitions.
    has_key: bool,
}

impl Waiting {
    fn new(request: &ApiRequest) -> Self {
        Self {
            state: request.state.clone(),
            cx: request.cx.clone(),
            book: request.book(),
            has_key: request.has_key(),
        }
    }

    /// Returns the response with the import as it is when the worker has left the state, or after
    /// some seconds. The response to a request with an idempotency key stays as it is stored.
    async fn wait(self, written: Reply, state: State) -> ApiResult {
        self.state.imports.notify(state);
        let Some(id) = written.id().filter(|_| !self.has_key) else { return Ok(written) };
        let (started, mut interval) = (Instant::now(), FIRST_POLL);
        loop {
            sleep(interval).await;
            interval = (interval * 2).min(MAX_POLL);
            let (cx, book, id) = (self.cx.clone(), self.book.clone(), id.clone());
            let user = cx.quota_subject();
            let read = move |tx: &mut Tx<'_>| import::get(tx, &cx, &book, &id);
            let view = run::read_as(&self.state.edge, user, read).await?;
            let Some(found) = view.imports.first() else { return Ok(written) };
            if found.state == state && started.elapsed() < WAIT {
                continue;
            }
            if state == State::Recording && found.state == State::Preview {
                let summary: SummaryDoc = document::read(&found.summary)?;
                let refusal = Refusal::PreviewChanged(summary.changed_records);
                return Err(service::Error::from(refusal).into());
            }
            return Ok(reply::ok(&ImportOut::new(&view, found)?));
        }
    }
}
