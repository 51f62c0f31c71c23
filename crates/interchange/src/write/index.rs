//! The index of an archive: a line of CSV for each file, with the first transaction that has it.

use daybook_domain::account::Account;
use daybook_domain::book::Book;
use daybook_domain::calendar::format_iso;
use daybook_domain::file::File;
use daybook_domain::id::AccountId;
use daybook_domain::transaction::Transaction;

use super::csv::{end_of_file, names};
use super::model::units;
use crate::csv::{Dialect, Line};
use crate::notation::Notation;

/// The columns, in order.
const COLUMNS: [&str; 11] = [
    "path",
    "date",
    "amount",
    "description",
    "creditAccount",
    "debitAccount",
    "transactionId",
    "fileId",
    "contentType",
    "size",
    "sha256",
];

/// Writes the index of an archive.
#[derive(Debug)]
pub struct Index {
    notation: Notation,
    scale: u32,
    names: std::collections::HashMap<AccountId, String>,
    rows: u64,
}

impl Index {
    /// Writes the names of the columns.
    #[must_use]
    pub fn begin(book: &Book, accounts: &[Account], out: &mut Vec<u8>) -> Self {
        let mut line = Line::new(out, Dialect::Standard);
        COLUMNS.iter().for_each(|name| line.field(name));
        line.end();
        let notation = Notation::of_book(book, Dialect::Standard.decimal_separator());
        Self { notation, scale: book.scale, names: names(accounts), rows: 0 }
    }

    /// Writes the line of a file, with its name in the archive.
    pub fn file(
        &mut self,
        out: &mut Vec<u8>,
        path: &str,
        file: &File,
        transaction: Option<&Transaction>,
    ) {
        let account = |id: Option<AccountId>| {
            id.and_then(|id| self.names.get(&id)).map_or("", String::as_str)
        };
        let date = transaction.and_then(|one| one.date).map(format_iso);
        let priced = transaction.filter(|one| one.amount.is_some());
        let amount = priced.map(|one| self.notation.plain(units(one, self.scale)));
        let fields: [&str; COLUMNS.len()] = [
            path,
            &date.unwrap_or_default(),
            &amount.unwrap_or_default(),
            transaction.map_or("", |one| &one.description),
            account(transaction.and_then(|one| one.credit)),
            account(transaction.and_then(|one| one.debit)),
            &transaction.map(|one| one.id.to_string()).unwrap_or_default(),
            &file.id.to_string(),
            &file.content_type,
            &file.content.size.to_string(),
            &file.content.digest,
        ];
        let mut line = Line::new(out, Dialect::Standard);
        fields.into_iter().for_each(|field| line.field(field));
        line.end();
        self.rows = self.rows.saturating_add(1);
    }

    /// Writes the line that ends the file.
    pub fn finish(self, out: &mut Vec<u8>) {
        end_of_file(out, Dialect::Standard, COLUMNS.len(), self.rows);
    }
}
