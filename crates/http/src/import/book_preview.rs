//! The preview of an exported book: all of it is read and checked, and nothing is kept but numbers
//! (behaviour 15.13).

use std::collections::{HashSet, VecDeque};

use daybook_domain::calendar::format_iso;
use daybook_domain::file::MAX_BYTES;
use daybook_edge::worker::Stop;
use daybook_interchange::read::archive::Entry;
use daybook_interchange::read::jsonl::{self, Item};
use sha2::{Digest, Sha256};
use time::Date;

use super::book_source::{BookSource, LineReader, MemberReader, Next};
use super::document::{CountsDoc, NewAccountDoc, OptionsDoc, SummaryDoc, WarningDoc};
use super::failure::{Failure, Fault, FaultReason};
use super::journal_document::JournalDoc;
use super::reading::check_stop;

/// The unpacked bytes that are read at once. Other imports are read in between.
const SLICE_BYTES: usize = 32 * 1024 * 1024;

/// Why an exported book is not recorded in another one.
const ONLY_NEW: &str =
    "an export of Daybook is recorded in a new book: target HERE is for other files";

/// An exported book that is being checked.
pub(super) struct BookPreview {
    source: BookSource,
    lines: Option<LineReader>,
    /// The members of the files, and their SHA-256, which are not checked yet.
    unchecked: VecDeque<(Entry, String)>,
    /// The names of the members of files.
    members: HashSet<String>,
    checking: Option<FileCheck>,
    name: String,
    accounts: Vec<NewAccountDoc>,
    days: Option<(Date, Date)>,
    found: jsonl::Summary,
}

/// A file that is being checked.
struct FileCheck {
    entry: Entry,
    bytes: MemberReader,
    digest: Sha256,
    expected: String,
}

impl BookPreview {
    /// Begins to check a book.
    ///
    /// # Errors
    /// A target that is not a new book; problems of the archive; failures.
    pub(super) fn new(source: BookSource, options: &OptionsDoc) -> Result<Self, Failure> {
        if options.is_new == Some(false) {
            return Err(Fault::new(FaultReason::InvalidTarget, ONLY_NEW).into());
        }
        let lines = Some(source.lines()?);
        Ok(Self {
            source,
            lines,
            unchecked: VecDeque::new(),
            members: HashSet::new(),
            checking: None,
            name: String::new(),
            accounts: Vec::new(),
            days: None,
            found: jsonl::Summary::default(),
        })
    }

    /// Checks the next part. Returns the preview when all is checked.
    ///
    /// # Errors
    /// The first problem, with its line or the name of its entry; failures.
    pub(super) fn advance(&mut self, stop: &Stop) -> Result<Option<SummaryDoc>, Failure> {
        check_stop(stop)?;
        let mut left = SLICE_BYTES;
        while left > 0 {
            let read = match (&mut self.lines, &mut self.checking) {
                (Some(lines), _) => match lines.next()? {
                    Next::Item(item, bytes) => {
                        self.add(item)?;
                        bytes
                    }
                    Next::End(found) => {
                        self.found = found;
                        self.lines = None;
                        0
                    }
                },
                (None, Some(file)) => {
                    let mut part = Vec::new();
                    if file.bytes.read(&mut part)? {
                        file.digest.update(&part);
                    } else {
                        self.end_file()?;
                    }
                    part.len()
                }
                (None, None) => {
                    let Some((entry, expected)) = self.unchecked.pop_front() else {
                        return Ok(Some(self.summary()));
                    };
                    let bytes = self.source.read(&entry)?;
                    self.checking =
                        Some(FileCheck { entry, bytes, digest: Sha256::new(), expected });
                    0
                }
            };
            // Each line and each file takes time beside its bytes.
            left = left.saturating_sub(read.max(100));
        }
        Ok(None)
    }

    fn add(&mut self, item: Item) -> Result<(), Failure> {
        match item {
            Item::Header(header) => self.name = header.book.name,
            Item::Group(_) => {}
            Item::Account(account) => self.accounts.push(NewAccountDoc {
                name: account.name,
                r#type: account.kind.as_str().to_owned(),
                group: None,
            }),
            Item::File(file) if self.source.is_archive() => {
                let entry = self.source.member(&file)?.clone();
                if entry.size > u64::try_from(MAX_BYTES).unwrap_or(u64::MAX) {
                    return Err(entry.problem("the file is larger than a book may have").into());
                }
                // Otherwise a small archive could make any number of large files.
                if !self.members.insert(entry.name.clone()) {
                    return Err(entry.problem("it belongs to two files").into());
                }
                self.unchecked.push_back((entry, file.sha256));
            }
            Item::File(_) => {}
            Item::Transaction(transaction) => {
                if let Some(day) = transaction.date {
                    let (first, last) = self.days.unwrap_or((day, day));
                    self.days = Some((first.min(day), last.max(day)));
                }
            }
        }
        Ok(())
    }

    fn end_file(&mut self) -> Result<(), Failure> {
        let Some(FileCheck { entry, digest, expected, .. }) = self.checking.take() else {
            return Ok(());
        };
        if format!("{:x}", digest.finalize()) == expected {
            Ok(())
        } else {
            Err(entry.problem("its bytes differ from the SHA-256 in the line of the file").into())
        }
    }

    fn summary(&mut self) -> SummaryDoc {
        let jsonl::Summary { files, transactions, drafts, trashed, .. } = self.found;
        let count = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
        let recorded = transactions.saturating_sub(trashed);
        let span = self
            .days
            .map(|(first, last)| format!(", {} to {}", format_iso(first), format_iso(last)));
        let format = format!(
            "export of Daybook, {recorded} transactions, {files} files{}",
            span.unwrap_or_default()
        );
        let is_left_out = files > 0 && !self.source.is_archive();
        let without_files = is_left_out
            .then(|| format!("{files} files are left out: only an export as ZIP has their bytes"));
        let without_trash =
            (trashed > 0).then(|| format!("{trashed} transactions in the trash are left out"));
        let warnings: Vec<WarningDoc> = [without_files, without_trash]
            .into_iter()
            .flatten()
            .map(|message| WarningDoc { line: None, column: None, message })
            .collect();
        let journal = JournalDoc { name: self.name.clone(), is_new: true, books: Vec::new() };
        SummaryDoc {
            format: Some(format),
            counts: CountsDoc {
                new: count(recorded),
                total: count(recorded),
                drafts: count(drafts.min(recorded)),
                ..CountsDoc::default()
            },
            accounts_to_create: std::mem::take(&mut self.accounts),
            warning_count: warnings.len(),
            warnings,
            journal: Some(journal),
            is_whole_book: true,
            // An exported book needs no decisions.
            resolved: true,
            ..SummaryDoc::default()
        }
    }
}
