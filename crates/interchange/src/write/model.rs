//! The shared types of the writers: the subject of an export, its records and its formats.

use std::collections::HashMap;

use daybook_domain::account::Account;
use daybook_domain::amount::DecimalSeparator;
use daybook_domain::book::Book;
use daybook_domain::event::Head;
use daybook_domain::file::{File, FilesById};
use daybook_domain::group::Forest;
use daybook_domain::id::AccountId;
use daybook_domain::instant::Instant;
use daybook_domain::report::MAX_COLLECTED_ROWS;
use daybook_domain::transaction::Transaction;

/// The format of an export.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// Lines of JSON, without loss.
    Jsonl,
    /// A journal of hledger.
    Hledger,
    /// A journal of beancount.
    Beancount,
    /// Comma-separated values.
    Csv {
        /// The decimal separator of the book, if the file is for Excel.
        excel: Option<DecimalSeparator>,
    },
    /// A spreadsheet.
    Xlsx,
}

/// The subject of an export.
#[derive(Debug, Clone, Copy)]
pub struct Export<'a> {
    /// The book.
    pub book: &'a Book,
    /// All of its accounts.
    pub accounts: &'a [Account],
    /// All of its groups.
    pub forest: &'a Forest,
    /// The query; none for the whole book.
    pub query: Option<&'a str>,
    /// The time of the export.
    pub exported_at: Instant,
    /// The last event of the book.
    pub head: Head,
}

/// A transaction with the names that it refers to.
#[derive(Debug, Clone, Copy)]
pub struct Record<'a> {
    /// The transaction.
    pub transaction: &'a Transaction,
    /// The username of its creator.
    pub creator: &'a str,
    /// Its files, and possibly others.
    pub files: &'a FilesById,
}

/// The balances that the book has stored: debits minus credits, in units of its scale.
pub type Balances = HashMap<AccountId, i128>;

/// The transactions of a sheet, as of a report. The sheet is built in memory.
pub const MAX_ROWS: usize = MAX_COLLECTED_ROWS;

/// Why an export cannot be written.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// There are more transactions than a sheet may have.
    #[error("an export as XLSX has at most {MAX_ROWS} transactions: use a query, or CSV")]
    TooManyRows,
    /// The spreadsheet could not be built.
    #[error("cannot write the spreadsheet: {0}")]
    Spreadsheet(#[from] crate::xlsx::Error),
}

/// Writes an export transaction by transaction.
pub trait Writer: Send {
    /// Writes a file, before the first transaction that refers to it. `path` is its name in an
    /// archive. Only JSON lines contain files.
    fn file(&mut self, out: &mut Vec<u8>, file: &File, creator: &str, path: Option<&str>);

    /// Writes a transaction.
    ///
    /// # Errors
    /// [`Error::TooManyRows`].
    fn transaction(&mut self, out: &mut Vec<u8>, record: &Record<'_>) -> Result<(), Error>;

    /// Writes the end. `balances` are those of the whole book, if all of it is exported.
    ///
    /// # Errors
    /// [`Error::Spreadsheet`].
    fn finish(self: Box<Self>, out: &mut Vec<u8>, balances: Option<&Balances>)
    -> Result<(), Error>;
}

/// The property that the transactions of one entry have in common.
pub(super) const ENTRY_ID: &str = "entry_id";

/// Returns the amount of a transaction in units of the scale of its book.
pub(super) fn units(transaction: &Transaction, scale: u32) -> i128 {
    transaction.amount.and_then(|amount| amount.units(scale)).map_or(0, i128::from)
}
