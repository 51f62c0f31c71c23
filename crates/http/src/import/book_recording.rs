//! From an exported book to what is recorded, a block at a time (behaviour 15.13).

use std::collections::HashMap;

use actix_web::web::Bytes;
use daybook_domain::account::AccountRef;
use daybook_domain::amount::DecimalSeparator;
use daybook_domain::book::{self, Period, StartMonth};
use daybook_domain::calendar::{DatePattern, format_iso};
use daybook_domain::field::Field;
use daybook_domain::file;
use daybook_domain::id::FileId;
use daybook_domain::transaction::Changes;
use daybook_interchange::read::jsonl::{self, Header, Item};
use daybook_interchange::read::problem::{Kind, Problem};
use daybook_service::import::{
    AccountEnd, BookFile, BookTransaction, NewAccount, NewBook, NewChart, NewGroup,
};

use super::book_source::{BookSource, LineReader, Next};
use super::failure::{Failure, Fault, FaultReason};
use super::journal_document::edits;

/// The files and transactions of a block, and the bytes of its lines and files.
const MAX_ITEMS: usize = 500;
const MAX_BLOCK_BYTES: usize = 16 * 1024 * 1024;

/// An exported book that is being recorded.
pub(super) struct BookRecording {
    source: BookSource,
    lines: LineReader,
    header: Header,
    groups: Vec<jsonl::Group>,
    accounts: Vec<jsonl::Account>,
    /// The names of the accounts by their ids in the export.
    names: HashMap<String, String>,
    /// The ids of the recorded files by their ids in the export.
    files: HashMap<String, FileId>,
    /// The item that was read beyond the chart.
    first: Option<(Item, usize)>,
    /// The recorded files and transactions.
    pub(super) items: u64,
    /// The recorded transactions.
    pub(super) transactions: i64,
    /// Whether what is recorded already was skipped.
    pub(super) is_positioned: bool,
}

/// Items that are recorded at once.
#[derive(Default)]
pub(super) struct ReadBlock {
    pub(super) files: Vec<ReadFile>,
    pub(super) transactions: Vec<BookTransaction>,
}

/// A file with its bytes.
pub(super) struct ReadFile {
    /// The id in the export.
    pub(super) id: String,
    pub(super) changes: file::Changes,
    pub(super) bytes: Bytes,
    pub(super) sha256: String,
}

impl BookRecording {
    /// Reads the settings and the chart.
    ///
    /// # Errors
    /// Problems of the file; failures.
    pub(super) fn open(source: BookSource) -> Result<Self, Failure> {
        let mut lines = source.lines()?;
        let (mut header, mut groups, mut accounts) = (None, Vec::new(), Vec::new());
        let first = loop {
            match lines.next()? {
                Next::Item(Item::Header(found), _) => header = Some(*found),
                Next::Item(Item::Group(group), _) => groups.push(group),
                Next::Item(Item::Account(account), _) => accounts.push(account),
                Next::Item(item @ (Item::File(_) | Item::Transaction(_)), bytes) => {
                    break Some((item, bytes));
                }
                Next::End(_) => break None,
            }
        };
        let header = header.ok_or_else(|| Problem::of_file(Kind::NotAnExport))?;
        let names = accounts.iter().map(|account| (account.id.clone(), account.name.clone()));
        Ok(Self {
            names: names.collect(),
            source,
            lines,
            header,
            groups,
            accounts,
            files: HashMap::new(),
            first,
            items: 0,
            transactions: 0,
            is_positioned: false,
        })
    }

    /// Returns the book to create. It gets the largest number of decimal places that its amounts
    /// had, until all are recorded.
    pub(super) fn new_book(&self) -> NewBook {
        let Header { scale, book, .. } = &self.header;
        let by_id: HashMap<&str, &str> =
            self.groups.iter().map(|group| (group.id.as_str(), group.name.as_str())).collect();
        let name = |id: &String| by_id.get(id.as_str()).map(|name| (*name).to_owned());
        let groups = self.groups.iter().map(|group| NewGroup {
            name: group.name.clone(),
            is_hidden: group.is_hidden,
            is_locked: group.is_locked,
            parent: group.parent.as_ref().and_then(name),
            properties: edits(&group.properties),
        });
        let accounts = self.accounts.iter().map(|account| NewAccount {
            name: account.name.clone(),
            kind: account.kind,
            groups: account.groups.iter().filter_map(name).collect(),
            properties: edits(&account.properties),
        });
        let settings = book::Changes {
            name: Some(book.name.clone()),
            auto_post: Some(book.auto_post),
            date_pattern: book.date_pattern.as_deref().and_then(DatePattern::from_name),
            decimal_separator: book
                .decimal_separator
                .as_deref()
                .and_then(DecimalSeparator::from_name),
            fraction_digits: Some(i64::from(*scale)),
            page_size: book.page_size.map(i64::from),
            period: book.period.as_deref().and_then(Period::from_name),
            period_start_month: book.period_start_month.as_deref().and_then(StartMonth::from_name),
            time_zone: book.time_zone.clone(),
            properties: edits(&book.properties),
            ..book::Changes::default()
        };
        NewBook {
            settings,
            chart: NewChart { groups: groups.collect(), accounts: accounts.collect() },
        }
    }

    /// Returns what accounts and the book get after all transactions are recorded.
    pub(super) fn ends(&self) -> (Vec<AccountEnd>, book::Changes) {
        let Header { scale, book, .. } = &self.header;
        let changed = self
            .accounts
            .iter()
            .filter(|account| account.is_archived || account.min_balance.is_some());
        let accounts = changed.map(|account| AccountEnd {
            name: account.name.clone(),
            is_archived: account.is_archived,
            min_balance: account.min_balance.map(|least| least.to_string()),
        });
        let day =
            |day: Option<time::Date>| day.map_or(Field::Keep, |day| Field::Set(format_iso(day)));
        let settings = book::Changes {
            closing_date: day(book.closing_date),
            lock_date: day(book.lock_date),
            fraction_digits: (book.fraction_digits != *scale)
                .then(|| i64::from(book.fraction_digits)),
            ..book::Changes::default()
        };
        (accounts.collect(), settings)
    }

    /// Skips the items that are recorded. `files` are the files of the new book, oldest first.
    ///
    /// # Errors
    /// If the files are not those of the export; problems of the file; failures.
    pub(super) fn skip(&mut self, items: u64, files: Vec<(FileId, String)>) -> Result<(), Failure> {
        let mut files = files.into_iter();
        while self.items < items {
            let changed = || {
                let why = "the new book was changed while the import was interrupted";
                Failure::File(Fault::new(FaultReason::Incomplete, why))
            };
            match self.next()? {
                Some((Item::File(file), _)) => {
                    let (id, digest) = files.next().ok_or_else(changed)?;
                    if digest != file.sha256 {
                        return Err(changed());
                    }
                    self.files.insert(file.id, id);
                }
                Some((Item::Transaction(_), _)) => {
                    self.transactions = self.transactions.saturating_add(1);
                }
                Some((Item::Header(_) | Item::Group(_) | Item::Account(_), _)) => continue,
                None => return Err(changed()),
            }
            self.items = self.items.saturating_add(1);
        }
        self.is_positioned = true;
        Ok(())
    }

    /// Reads the next files and transactions; an empty block at the end.
    ///
    /// # Errors
    /// Problems of the file; failures.
    pub(super) fn read_block(&mut self) -> Result<ReadBlock, Failure> {
        let (mut block, mut bytes) = (ReadBlock::default(), 0_usize);
        let mut new: HashMap<String, usize> = HashMap::new();
        while block.files.len().saturating_add(block.transactions.len()) < MAX_ITEMS
            && bytes < MAX_BLOCK_BYTES
        {
            let Some((item, length)) = self.next()? else { break };
            bytes = bytes.saturating_add(length);
            match item {
                Item::File(file) => {
                    let read = self.read_file(file)?;
                    bytes = bytes.saturating_add(read.bytes.len());
                    new.insert(read.id.clone(), block.files.len());
                    block.files.push(read);
                }
                Item::Transaction(transaction) => {
                    block.transactions.push(self.transaction(*transaction, &new));
                }
                Item::Header(_) | Item::Group(_) | Item::Account(_) => {}
            }
        }
        Ok(block)
    }

    /// Notes that a block is recorded, with the ids of its files.
    pub(super) fn add_recorded(&mut self, old: Vec<String>, new: Vec<FileId>, transactions: usize) {
        let count = old.len().saturating_add(transactions);
        self.files.extend(old.into_iter().zip(new));
        self.items = self.items.saturating_add(u64::try_from(count).unwrap_or(u64::MAX));
        let transactions = i64::try_from(transactions).unwrap_or(i64::MAX);
        self.transactions = self.transactions.saturating_add(transactions);
    }

    /// Returns the next item that is recorded. Files are, if the archive has their bytes.
    fn next(&mut self) -> Result<Option<(Item, usize)>, Failure> {
        loop {
            let item = match self.first.take() {
                Some(first) => first,
                None => match self.lines.next()? {
                    Next::Item(item, bytes) => (item, bytes),
                    Next::End(_) => return Ok(None),
                },
            };
            if self.source.is_archive() || !matches!(item.0, Item::File(_)) {
                return Ok(Some(item));
            }
        }
    }

    fn read_file(&self, file: jsonl::File) -> Result<ReadFile, Failure> {
        let mut bytes = Vec::new();
        let mut reader = self.source.read(self.source.member(&file)?)?;
        while reader.read(&mut bytes)? {}
        let jsonl::File { id, name, content_type, sha256, properties, .. } = file;
        let changes = file::Changes {
            id: None,
            name: Some(name),
            content_type: Field::Set(content_type),
            properties: edits(&properties),
            content: None,
        };
        Ok(ReadFile { id, changes, bytes: Bytes::from(bytes), sha256 })
    }

    fn transaction(
        &self,
        transaction: jsonl::Transaction,
        new: &HashMap<String, usize>,
    ) -> BookTransaction {
        let account = |id: &Option<String>| {
            let name = id.as_ref().and_then(|id| self.names.get(id)).cloned();
            name.map_or(Field::Keep, |name| Field::Set(AccountRef { id: None, name: Some(name) }))
        };
        let files = transaction.files.iter().filter_map(|id| {
            let known = self.files.get(id).copied().map(BookFile::Known);
            known.or_else(|| new.get(id).copied().map(BookFile::New))
        });
        let date = transaction.date.map(format_iso);
        let amount = transaction.amount.map(|amount| amount.to_string());
        let changes = Changes {
            date: date.map_or(Field::Keep, Field::Set),
            amount: amount.map_or(Field::Keep, Field::Set),
            credit: account(&transaction.credit),
            debit: account(&transaction.debit),
            description: Field::Set(transaction.description),
            checked: transaction.is_checked,
            urls: Some(transaction.urls),
            remote_ids: Some(transaction.remote_ids),
            properties: edits(&transaction.properties),
            ..Changes::default()
        };
        BookTransaction {
            line: transaction.position.line,
            files: files.collect(),
            changes,
            is_draft: transaction.is_draft,
        }
    }
}
