//! The steps of an import: reading, recording and undoing, a block at a time.
//!
//! Each step saves what it has done in the row of the import, in the unit of work that does it. A
//! step that is interrupted is repeated.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use actix_web::web::Bytes;
use daybook_domain::file;
use daybook_domain::id::{AccountId, FileId, TransactionId};
use daybook_domain::import::{Fingerprint, Import, LeaveReason, RUN_PROPERTY, State, differences};
use daybook_domain::property::Edits;
use daybook_edge::blocking::block;
use daybook_edge::error::{ApiError, RequestError};
use daybook_edge::run;
use daybook_interchange::read::original::Originals;
use daybook_interchange::read::rules::{self, Rules};
use daybook_service::import::{self, RefusedRecords, RulesFile, Snapshot, UndoResult};

use super::book_steps::{BookRead, read_book, record_book, undo_book};
use super::chart::{Names, account_document};
use super::decision::DecisionsDoc;
use super::document::{self, AccountDoc, CountsDoc, OptionsDoc, RecordDoc, ResultsDoc, SummaryDoc};
use super::failure::{Failure, Fault, FaultReason};
use super::journal::{is_journal, read_journal};
use super::journal_steps::{
    close_accounts, create_books, delete_books, may_delete_books, new_chart,
    raised_fraction_digits, record_in_books, store_kept_files, undo_block, undo_in_books,
};
use super::parsing::reader_options;
use super::reading::{Preview, read_file};
use super::recording::Run;
use super::report::Report;
use super::resolving::{Resolver, posting_options};
use super::spool::{Spool, Writer};
use super::step::{Cache, Step};
use super::store::StoredRecords;

/// The changed records that are shown.
const MAX_SHOWN: usize = 100;

/// Why a bank file is not recorded in a new book.
const ONLY_JOURNALS: &str = "target NEW is for journals: files of banks are recorded in this book";

impl Step<'_> {
    /// Does the next step.
    pub(super) async fn run(&self, import: Import, cache: &mut Cache) -> Result<(), ApiError> {
        match import.state {
            State::Reading => self.read(import, cache).await,
            State::Recording => self.record(import, cache).await,
            State::Undoing => self.undo(import, cache).await,
            State::Preview | State::Done | State::Undone | State::Failed => Ok(()),
        }
    }

    async fn read(&self, import: Import, cache: &mut Cache) -> Result<(), ApiError> {
        let version = import.stamp.version;
        let now = self.cx.now;
        let options: OptionsDoc = document::read(&import.options)?;
        let source_bytes = options.source_bytes;
        let named = options.account.clone();
        let read = match read_book(self, &import, &options, cache).await? {
            BookRead::More => return Ok(()),
            BookRead::Done(Ok(summary)) => {
                let total = i64::from(summary.counts.total);
                let read = Import { summary: document::write(&summary), total, ..import };
                return self.save(version, read.enter(State::Preview, now)).await;
            }
            BookRead::Done(Err(fault)) => Err(fault),
            BookRead::Other => self.preview(&import, options).await?,
        };
        match read {
            Ok(preview) => {
                let total = i64::from(preview.summary.counts.total);
                let (blob, bytes) = self.store(preview.records).await?;
                let read = Import {
                    summary: document::write(&preview.summary),
                    preview: Some(blob),
                    blob_bytes: source_bytes.saturating_add(bytes),
                    total,
                    ..import
                };
                self.save(version, read.enter(State::Preview, now)).await
            }
            Err(fault) => {
                let account = self.named_account(named).await?;
                let summary = SummaryDoc { account, ..SummaryDoc::default() }.with_fault(fault);
                let failed = Import { summary: document::write(&summary), ..import };
                self.save(version, failed.enter(State::Failed, now)).await
            }
        }
    }

    /// Reads the file of an import; the error is why it cannot be read.
    async fn preview(
        &self,
        import: &Import,
        options: OptionsDoc,
    ) -> Result<Result<Preview, Fault>, ApiError> {
        let source = import.source.as_deref().unwrap_or_default();
        let Some(bytes) = self.state.blobs.read(self.book, source).await? else {
            let why = "the file is not stored any more";
            return Ok(Err(Fault::new(FaultReason::Unreadable, why)));
        };
        let rules = match self.rules(&options).await? {
            Ok(rules) => rules,
            Err(message) => return Ok(Err(Fault::new(FaultReason::InvalidRules, message))),
        };
        let (store, cx) = (Arc::clone(&self.state.edge.store), self.cx.clone());
        let (book, stop) = (self.book.to_owned(), self.stop.clone());
        let name = import.name.clone();
        let read = move || {
            store.read(|tx| {
                let snapshot = Snapshot::open(tx, &cx, &book)?;
                if is_journal(&bytes) {
                    return read_journal(tx, &snapshot, bytes, &name, &options, &stop);
                }
                if options.is_new == Some(true) {
                    return Err(Fault::new(FaultReason::InvalidTarget, ONLY_JOURNALS).into());
                }
                read_file(tx, &snapshot, bytes, &options, rules.as_ref(), &stop)
            })
        };
        match block(read).await? {
            Ok(preview) => Ok(Ok(preview)),
            Err(Failure::File(fault)) => Ok(Err(fault)),
            Err(Failure::Server(error)) => Err(error),
        }
    }

    /// Returns the account that the caller has named, if the book has it.
    async fn named_account(&self, text: Option<String>) -> Result<Option<AccountDoc>, ApiError> {
        let Some(text) = text else { return Ok(None) };
        let (cx, book) = (self.cx.clone(), self.book.to_owned());
        run::read_for_server(&self.state.edge, move |tx| {
            let snapshot = Snapshot::open(tx, &cx, &book)?;
            Ok(Names::new(&snapshot.chart).find(&text).map(account_document))
        })
        .await
    }

    /// Loads the rules for CSV; the error is why they cannot be used.
    async fn rules(&self, options: &OptionsDoc) -> Result<Result<Option<Rules>, String>, ApiError> {
        let (cx, book) = (self.cx.clone(), self.book.to_owned());
        let (named, account) = (options.rules.clone(), options.account.clone());
        let found = run::read_for_server(&self.state.edge, move |tx| {
            let snapshot = Snapshot::open(tx, &cx, &book)?;
            let files = snapshot.rules_files(tx)?;
            let named = match named.as_deref().map(str::parse::<FileId>) {
                Some(Ok(id)) => Some(snapshot.file(tx, id)?),
                Some(Err(_)) => Some(None),
                None => None,
            };
            let account = account.and_then(|text| {
                Names::new(&snapshot.chart).find(&text).map(|found| found.id.to_string())
            });
            Ok((files, named, account))
        })
        .await?;
        let (files, named, account) = found;
        let chosen = match named {
            Some(Some(file)) => file,
            Some(None) => {
                return Ok(Err("the file of rules does not exist in this book".to_owned()));
            }
            None => {
                let own = files.iter().filter(|file| Some(&file.account) == account.as_ref());
                let own: Vec<_> = own.collect();
                match own.as_slice() {
                    [] => return Ok(Ok(None)),
                    [only] => only.file.clone(),
                    _ => {
                        let why = "the account has two files of rules: remove one, or name one";
                        return Ok(Err(why.to_owned()));
                    }
                }
            }
        };
        let text = match self.text_of(&chosen).await? {
            Ok(text) => text,
            Err(message) => return Ok(Err(message)),
        };
        let included = match self.included_texts(&chosen.name, &text, &files).await? {
            Ok(included) => included,
            Err(message) => return Ok(Err(message)),
        };
        let parsed = rules::parse(&text, &|name| included.get(name).cloned());
        Ok(parsed.map(Some).map_err(|problem| format!("{}, {problem}", chosen.name)))
    }

    /// Reads the files that the rules include, directly or through one another. The inner error
    /// explains why they cannot be used. Only named files are read, and none beyond the limit of
    /// rules.
    async fn included_texts(
        &self,
        name: &str,
        text: &str,
        files: &[RulesFile],
    ) -> Result<Result<HashMap<String, String>, String>, ApiError> {
        // Of several files with one name the oldest is used: the newest come first, and the last
        // insertion remains.
        let by_name: HashMap<&str, &file::File> =
            files.iter().map(|found| (found.file.name.as_str(), &found.file)).collect();
        let mut included = HashMap::new();
        let mut left = rules::MAX_RULES_BYTES;
        let mut names: Vec<String> = rules::included_names(text).map(str::to_owned).collect();
        while let Some(next) = names.pop() {
            let found = by_name.get(next.as_str()).filter(|_| !included.contains_key(&next));
            let Some(found) = found else { continue };
            let Ok(text) = self.text_of(found).await? else { continue };
            let Some(rest) = left.checked_sub(text.len()) else {
                return Ok(Err(format!("the files that {name} includes are too large")));
            };
            left = rest;
            names.extend(rules::included_names(&text).map(str::to_owned));
            included.insert(next, text);
        }
        Ok(Ok(included))
    }

    async fn text_of(&self, file: &file::File) -> Result<Result<String, String>, ApiError> {
        let name = &file.name;
        if file.content.size > i64::try_from(rules::MAX_RULES_BYTES).unwrap_or(i64::MAX) {
            return Ok(Err(format!("the rules {name} are too large")));
        }
        let bytes = self.state.blobs.read(self.book, &file.content.blob).await?;
        let text = bytes.map(|bytes| String::from_utf8(bytes.to_vec()));
        Ok(match text {
            Some(Ok(text)) => Ok(text),
            Some(Err(_)) => Err(format!("the rules {name} are not UTF-8")),
            None => Err(format!("the rules {name} are not stored any more")),
        })
    }

    async fn record(&self, import: Import, cache: &mut Cache) -> Result<(), ApiError> {
        let summary: SummaryDoc = document::read(&import.summary)?;
        let results: ResultsDoc = document::read(&import.results)?;
        if summary.is_whole_book {
            return record_book(self, import, summary, results, cache).await;
        }
        if !summary.resolved {
            return self.resolve(import, summary).await;
        }
        if !results.has_accounts {
            return self.create_accounts(import, summary, results).await;
        }
        let records = self.records(&import, cache).await?;
        if import.done >= import.total {
            return self.finish(import, &records).await;
        }
        let block = self.block_at(&import, &records).await?;
        if !results.books.is_empty() {
            return record_in_books(self, import, &block, results).await;
        }
        let options: OptionsDoc = document::read(&import.options)?;
        let (cx, book) = (self.cx.clone(), self.book.to_owned());
        self.write(move |tx| {
            let access = daybook_service::access::enter(
                tx,
                &cx,
                &book,
                daybook_domain::permission::Action::RecordDraft,
            )?;
            let name = import.name.clone();
            let run = Run {
                id: import.id,
                name: &name,
                options: posting_options(&access, &options),
                scale: access.book().scale,
            };
            let built = run.block(&block);
            let update = |import: Import, refused: RefusedRecords| {
                let mut results = results;
                results.refuse(refused);
                Import { results: document::write(&results), ..import }
            };
            import::record_block(tx, &cx, &book, import, built, update).map(drop)
        })
        .await
    }

    /// Reads the records again if the book has changed, and applies the decisions.
    ///
    /// If the outcome or the match of a record has changed, the import has a new preview instead.
    async fn resolve(&self, import: Import, before: SummaryDoc) -> Result<(), ApiError> {
        let options: OptionsDoc = document::read(&import.options)?;
        let decisions: DecisionsDoc = document::read(&import.decisions)?;
        let version = import.stamp.version;
        // A new book holds nothing that an outcome could depend on.
        let is_new = before.journal.as_ref().is_some_and(|journal| journal.is_new);
        let is_same = is_new || self.last_event().await? == before.sequence;
        let (summary, records) = if is_same {
            (before, self.whole(&import).await?)
        } else {
            let Preview { mut summary, records } =
                match self.preview(&import, options.clone()).await? {
                    Ok(preview) => preview,
                    Err(fault) => {
                        let summary = before.with_fault(fault);
                        let failed = Import { summary: document::write(&summary), ..import };
                        return self.save(version, failed.enter(State::Failed, self.cx.now)).await;
                    }
                };
            let old = self.whole(&import).await?;
            let (changed, records) = block(move || {
                let changed = changed_records(&old, &records)?;
                Ok::<_, RequestError>((changed, records))
            })
            .await??;
            if !changed.is_empty() {
                let (blob, bytes) = self.store(records).await?;
                summary.changed_records = changed.into_iter().take(MAX_SHOWN).collect();
                let again = Import {
                    summary: document::write(&summary),
                    preview: Some(blob),
                    blob_bytes: options.source_bytes.saturating_add(bytes),
                    decisions: String::new(),
                    ..import
                };
                return self.save(version, again.enter(State::Preview, self.cx.now)).await;
            }
            (summary, records)
        };
        let source_bytes = options.source_bytes;
        let (store, cx, book) =
            (Arc::clone(&self.state.edge.store), self.cx.clone(), self.book.to_owned());
        let resolved = move || -> Result<(Spool, SummaryDoc), ApiError> {
            let snapshot = store.read(|tx| Snapshot::open(tx, &cx, &book))?;
            resolve_all(&snapshot, &records, summary, &options, &decisions)
        };
        let (records, summary) = block(resolved).await??;
        let (blob, bytes) = self.store(records).await?;
        let resolved = Import {
            summary: document::write(&summary),
            preview: Some(blob),
            blob_bytes: source_bytes.saturating_add(bytes),
            // The records have them now.
            decisions: String::new(),
            ..import
        };
        self.save(version, resolved.enter(State::Recording, self.cx.now)).await
    }

    async fn last_event(&self) -> Result<i64, ApiError> {
        let (cx, book) = (self.cx.clone(), self.book.to_owned());
        run::read_for_server(&self.state.edge, move |tx| {
            Ok(Snapshot::open(tx, &cx, &book)?.sequence)
        })
        .await
    }

    async fn create_accounts(
        &self,
        import: Import,
        summary: SummaryDoc,
        results: ResultsDoc,
    ) -> Result<(), ApiError> {
        if let Some(journal) = summary.journal.as_ref().filter(|journal| journal.is_new) {
            return create_books(self, import, journal, results).await;
        }
        let options: OptionsDoc = document::read(&import.options)?;
        let (chart, digits) = (new_chart(&summary), raised_fraction_digits(&summary, &options));
        let (cx, book) = (self.cx.clone(), self.book.to_owned());
        self.write(move |tx| {
            let update = |import: Import, created: &[AccountId]| {
                let accounts = created.iter().map(|id| id.get()).collect();
                let results = ResultsDoc { has_accounts: true, accounts, ..results };
                Import { results: document::write(&results), ..import }
            };
            import::create_chart(tx, &cx, &book, import, &chart, digits, update).map(drop)
        })
        .await
    }

    /// Writes the report, and ends the import.
    async fn finish(&self, import: Import, records: &StoredRecords) -> Result<(), ApiError> {
        let mut results: ResultsDoc = document::read(&import.results)?;
        let late = results.clone().into_refusals();
        let summary: SummaryDoc = document::read(&import.summary)?;
        let source = import.source.as_deref().unwrap_or_default();
        let file = self.state.blobs.read(self.book, source).await?;
        // Only a journal has parts without a place, and its source is read whole.
        let journal = file.clone().filter(|_| summary.journal.is_some());
        let originals = self.originals(&import, file, records).await?;
        let (mut report, mut counts) = (Report::new(import.total), CountsDoc::default());
        for entry in &records.index {
            for mut record in records.block(&self.state.blobs, entry).await? {
                if let Some(reason) = late.reason(record.number) {
                    record.refuse(reason);
                }
                counts.add(&record);
                let original = originals.as_ref().map(|texts| texts.find(record.position()));
                report.add(&record, original.unwrap_or_default());
            }
        }
        drop(originals);
        let summary = SummaryDoc { counts, ..summary };
        if let Some(journal) = journal {
            store_kept_files(self, &import, journal, &mut results).await?;
        }
        close_accounts(self, &summary, &mut results).await?;
        let blob = self.state.blobs.new_blob(Bytes::from(report.into_bytes())).await?;
        let content = self.state.blobs.put(self.book, blob).await?;
        let name = if import.name.is_empty() { "statement" } else { import.name.as_str() };
        let name: String = name.chars().take(200).collect();
        let properties: Edits =
            [(RUN_PROPERTY.to_owned(), Some(import.id.to_string()))].into_iter().collect();
        let changes = file::Changes {
            id: None,
            name: Some(format!("Import of {name}.csv")),
            content_type: daybook_domain::field::Field::Set("text/csv".to_owned()),
            properties,
            content: None,
        };
        let blob_bytes = i64::try_from(records.bytes()).unwrap_or_default();
        let done =
            Import { summary: document::write(&summary), source: None, blob_bytes, ..import };
        let done = Import { results: document::write(&results), ..done };
        let (cx, book) = (self.cx.clone(), self.book.to_owned());
        self.write(move |tx| import::finish(tx, &cx, &book, done, changes, content).map(drop)).await
    }

    /// Reads the texts of the records from the file, if it has a text.
    async fn originals(
        &self,
        import: &Import,
        file: Option<Bytes>,
        records: &StoredRecords,
    ) -> Result<Option<Originals<Bytes>>, ApiError> {
        let Some(bytes) = file else { return Ok(None) };
        let options: OptionsDoc = document::read(&import.options)?;
        let rules = self.rules(&options).await?.ok().flatten();
        let mut positions = Vec::new();
        for entry in &records.index {
            let block = records.block(&self.state.blobs, entry).await?;
            positions.extend(block.iter().map(RecordDoc::position));
        }
        let options = reader_options(&options);
        Ok(block(move || Originals::cut(bytes, rules.as_ref(), &options, positions)).await?)
    }

    async fn undo(&self, import: Import, cache: &mut Cache) -> Result<(), ApiError> {
        let results: ResultsDoc = document::read(&import.results)?;
        if may_delete_books(&results) {
            return delete_books(self, import, results).await;
        }
        let summary: SummaryDoc = document::read(&import.summary)?;
        if summary.is_whole_book && import.done < import.total {
            return undo_book(self, import, results).await;
        }
        let (cx, book) = (self.cx.clone(), self.book.to_owned());
        if import.done < import.total {
            let records = self.records(&import, cache).await?;
            let block = self.block_at(&import, &records).await?;
            if !results.books.is_empty() {
                let result = undo_in_books(self, import.id, &block, &results.books).await?;
                let count = i64::try_from(block.len()).unwrap_or_default();
                let (version, done) = (import.stamp.version, import.done.saturating_add(count));
                let import = add_undone(import, result.trashed, &result.left);
                let saved = Import { done, ..import }.enter(State::Undoing, self.cx.now);
                return self.save(version, saved).await;
            }
            let undone = undo_block(&block, 0);
            return self
                .write(move |tx| {
                    let update = |import: Import, result: &UndoResult| {
                        add_undone(import, result.trashed, &result.left)
                    };
                    import::undo_block(tx, &cx, &book, import, undone, update).map(drop)
                })
                .await;
        }
        let version = import.stamp.version;
        self.write(move |tx| {
            let (left, has_more) = import::undo_matches(tx, &cx, &book, &import)?;
            let import = add_undone(import, 0, &left);
            let import = if has_more {
                import.enter(State::Undoing, cx.now)
            } else {
                let mut results: ResultsDoc = document::read(&import.results).unwrap_or_default();
                let accounts: Vec<AccountId> =
                    results.accounts.iter().copied().map(AccountId::new).collect();
                let archived = import::archive_accounts(tx, &cx, &book, &accounts)?;
                let undone = results.undone.get_or_insert_default();
                undone.archived = archived;
                let results = document::write(&results);
                Import { results, ..import }.enter(State::Undone, cx.now)
            };
            import::save(tx, &cx.exempt_from_quotas(), &book, version, import).map(drop)
        })
        .await
    }
}

/// Adds to the result of an undo.
fn add_undone(import: Import, trashed: u64, left: &[(TransactionId, LeaveReason)]) -> Import {
    let mut results: ResultsDoc = document::read(&import.results).unwrap_or_default();
    results.undone.get_or_insert_default().add(trashed, left);
    Import { results: document::write(&results), ..import }
}

/// Returns the numbers of the records whose outcome or match differs.
fn changed_records(before: &Spool, now: &Spool) -> Result<Vec<u32>, RequestError> {
    let (mut fault_before, mut fault_now) = (None, None);
    let changed =
        differences(fingerprints(before, &mut fault_before), fingerprints(now, &mut fault_now));
    if let Some(fault) = fault_before.or(fault_now) {
        return Err(fault);
    }
    Ok(changed.records.into_iter().map(|(number, ..)| number).collect())
}

/// Iterates over the fingerprints of records. It ends at a block that cannot be read, with the
/// error in `fault`.
fn fingerprints<'s>(
    spool: &'s Spool,
    fault: &'s mut Option<RequestError>,
) -> impl Iterator<Item = Fingerprint> + 's {
    let blocks = spool.blocks().map_while(move |block| match block {
        Ok(block) => Some(block),
        Err(error) => {
            *fault = Some(error);
            None
        }
    });
    blocks.flatten().map(|one| Fingerprint::of(one.number, &one.outcome()))
}

/// Applies the decisions to all records.
fn resolve_all(
    snapshot: &Snapshot,
    records: &Spool,
    summary: SummaryDoc,
    options: &OptionsDoc,
    decisions: &DecisionsDoc,
) -> Result<(Spool, SummaryDoc), ApiError> {
    let names = Names::new(&snapshot.chart);
    let new: HashSet<&str> =
        summary.accounts_to_create.iter().map(|account| account.name.as_str()).collect();
    let read = decisions.read(&names, &new, summary.counts.total);
    let read = read.map_err(daybook_service::Error::from)?;
    let options = posting_options(&snapshot.access, options);
    let mut resolver = Resolver::new(&names, options, Some(read));
    let (mut writer, mut counts) = (Writer::default(), CountsDoc::default());
    for block in records.blocks() {
        for mut record in block? {
            if record.is_read()
                && let Err(refusal) = resolver.resolve(&mut record, true)
            {
                record.refuse(&refusal.to_string());
            }
            counts.add(&record);
            writer.add(&record)?;
        }
    }
    let mut accounts = summary.accounts_to_create.clone();
    if summary.journal.is_some() {
        accounts.retain(|account| resolver.may_create_named(&account.name));
    } else {
        accounts = resolver.into_new_accounts().into_iter().collect();
    }
    let summary = SummaryDoc {
        counts,
        accounts_to_create: accounts,
        changed_records: Vec::new(),
        resolved: true,
        ..summary
    };
    Ok((writer.finish()?, summary))
}
