//! The verification of one book: its log, its rows and the contents of its files.

use daybook_domain::audit::{AuditedEvent, Report};
use daybook_domain::event::{Hash, Head, LogComparison, LogDifference, public_id};
use daybook_domain::file::Content;
use daybook_domain::id::{BookKey, FileId};
use daybook_service::{Error, Result, audit};

use super::Verification;
use super::merged::NamedHead;
use crate::audited::note_end;

impl Verification {
    /// Verifies a book of the database.
    pub(super) fn verify(&mut self, book: &BookKey, heads: &[NamedHead]) -> anyhow::Result<()> {
        let expected: Vec<Head> = heads.iter().map(|head| head.head).collect();
        let mut comparison = LogComparison::new(expected);
        let mut end = None;
        let mut each = |event: &AuditedEvent| {
            note_end(&mut end, event);
            comparison.add_event(event.sequence, event.event.as_ref().map(|event| event.hash));
        };
        let examined = self.store.read(|tx| audit::examine(tx, book, &mut each));
        let Some(examined) = self.readable(book, examined)? else { return Ok(()) };
        self.audit.add(book, end, examined.as_ref());
        let Some(report) = examined else { return self.report_unusable(book, heads) };
        self.output.books = self.output.books.saturating_add(1);
        let events = u64::try_from(report.events_checked).unwrap_or_default();
        self.output.events = self.output.events.saturating_add(events);
        self.report_findings(book, &report)?;
        if let Some(difference) = comparison.finish() {
            self.report_log(book, &difference, heads)?;
        }
        self.output.progress();
        self.verify_files(book)
    }

    /// Reports a book that cannot be entered, because its state or its owner is missing or the book
    /// is removed.
    fn report_unusable(&mut self, book: &BookKey, heads: &[NamedHead]) -> anyhow::Result<()> {
        let exists: Result<bool> = self.store.read(|tx| audit::has_book(tx, book));
        if !exists? {
            return self.report_absent(book, heads);
        }
        let actual = "no state or no owner";
        self.output.difference("unreadable", book, book.as_str(), "a whole book", actual)
    }

    /// Reports unreadable rows as a difference of their book, and returns `None` then.
    fn readable<T>(&mut self, book: &BookKey, read: Result<T>) -> anyhow::Result<Option<T>> {
        match read {
            Ok(read) => Ok(Some(read)),
            Err(Error::Storage(daybook_storage::Error::Corrupt(column))) => {
                let actual = format!("unreadable {column}");
                let expected = "readable rows";
                self.output.difference("unreadable", book, book.as_str(), expected, &actual)?;
                Ok(None)
            }
            Err(error) => {
                Err(anyhow::Error::new(error).context(format!("book {book} cannot be read")))
            }
        }
    }

    /// Reports the findings of an audit of the book.
    fn report_findings(&mut self, book: &BookKey, report: &Report) -> anyhow::Result<()> {
        let mut printed = 0_i64;
        for found in report.findings.all() {
            printed = printed.saturating_add(1);
            let (expected, actual) = (found.expected.as_str(), found.actual.as_str());
            let resource = match &found.period {
                Some(period) => format!("{} {period}", found.resource),
                None => found.resource.clone(),
            };
            self.output.difference(found.kind.as_str(), book, &resource, expected, actual)?;
        }
        let more = report.findings.count().saturating_sub(printed);
        self.output.count_more(u64::try_from(more).unwrap_or_default());
        Ok(())
    }

    /// Reports the first event that differs from a checkpoint.
    fn report_log(
        &mut self,
        book: &BookKey,
        difference: &LogDifference,
        heads: &[NamedHead],
    ) -> anyhow::Result<()> {
        let describe = |expected: &Head| {
            let checkpoint = heads.iter().find(|head| head.head == *expected);
            let name = checkpoint.map_or("", |head| &head.checkpoint);
            format!("event {} with {} as in {name}", expected.sequence, expected.hash)
        };
        match difference {
            LogDifference::Rewritten { agreed, expected, actual } => {
                let hash = actual.map_or_else(|| "none".to_owned(), |hash: Hash| hash.to_string());
                let first = agreed.saturating_add(1);
                let actual = format!("{hash}; events {first} to {} differ", expected.sequence);
                let resource = public_id(expected.sequence, book);
                let expected = describe(expected);
                self.output.difference("rewritten", book, &resource, &expected, &actual)
            }
            LogDifference::Truncated { last, expected } => {
                let resource = public_id(last.saturating_add(1), book);
                let (expected, actual) =
                    (describe(expected), format!("the log ends with event {last}"));
                self.output.difference("cut", book, &resource, &expected, &actual)
            }
        }
    }

    /// Compares the contents of all files of a book with their rows.
    fn verify_files(&mut self, book: &BookKey) -> anyhow::Result<()> {
        let mut below = None;
        loop {
            let page = self.store.read(|tx| audit::file_contents(tx, book, below));
            let Some(page) = self.readable(book, page)? else { return Ok(()) };
            let Some((last, _)) = page.last() else { return Ok(()) };
            below = Some(*last);
            for (file, content) in &page {
                self.verify_file(book, *file, content)?;
                self.output.progress();
            }
        }
    }

    fn verify_file(
        &mut self,
        book: &BookKey,
        file: FileId,
        content: &Content,
    ) -> anyhow::Result<()> {
        let digest = match &self.blobs {
            Some(blobs) => self.system.block_on(blobs.digest(book.as_str(), &content.blob)),
            None => Ok(None),
        };
        let digest = digest.map_err(anyhow::Error::msg)?;
        self.output.files = self.output.files.saturating_add(1);
        let size = digest.as_ref().map_or(0, |(size, _)| *size);
        self.output.bytes = self.output.bytes.saturating_add(size);
        if digest.as_ref().is_some_and(|(_, digest)| *digest == content.digest) {
            return Ok(());
        }
        // An update may have replaced the bytes meanwhile, and a server may have removed them.
        let now = self.store.read(|tx| audit::file_content(tx, book, file));
        if self.readable(book, now)?.flatten().as_ref() != Some(content) {
            return Ok(());
        }
        let expected = format!("{} bytes with {}", content.size, content.digest);
        let actual = digest.map_or_else(
            || "no bytes".to_owned(),
            |(size, digest)| format!("{size} bytes with {digest}"),
        );
        self.output.difference("file", book, &file.to_string(), &expected, &actual)
    }
}
