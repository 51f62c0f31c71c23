//! Transactions as comma-separated values. The columns are described in `docs/export.md`.
//!
//! Texts are written as they are, also those that spreadsheets would evaluate (see
//! [`csv`](crate::csv)).

use std::collections::HashMap;

use daybook_domain::account::Account;
use daybook_domain::amount::DecimalSeparator;
use daybook_domain::calendar::format_iso;
use daybook_domain::file::File;
use daybook_domain::id::AccountId;
use daybook_domain::json::write_text;
use daybook_domain::property::Properties;
use daybook_domain::transaction::{LifecycleState, Transaction};

use super::model::{Balances, Error, Export, Record, Writer, units};
use crate::csv::{Dialect, Line};
use crate::notation::{Notation, rfc3339};

/// The columns, in order.
const COLUMNS: [&str; 17] = [
    "id",
    "date",
    "amount",
    "creditAccount",
    "debitAccount",
    "description",
    "state",
    "tags",
    "urls",
    "remoteIds",
    "files",
    "properties",
    "creditAccountId",
    "debitAccountId",
    "createdBy",
    "createdAt",
    "updatedAt",
];

/// Writes transactions as CSV.
pub(super) struct Csv {
    dialect: Dialect,
    notation: Notation,
    scale: u32,
    names: HashMap<AccountId, String>,
    rows: u64,
}

impl Csv {
    pub(super) fn begin(
        export: &Export<'_>,
        excel: Option<DecimalSeparator>,
        out: &mut Vec<u8>,
    ) -> Self {
        let dialect = excel.map_or(Dialect::Standard, Dialect::Excel);
        dialect.mark(out);
        let mut line = Line::new(out, dialect);
        COLUMNS.iter().for_each(|name| line.field(name));
        line.end();
        Self {
            dialect,
            notation: Notation::of_book(export.book, dialect.decimal_separator()),
            scale: export.book.scale,
            names: names(export.accounts),
            rows: 0,
        }
    }
}

impl Writer for Csv {
    fn file(&mut self, _out: &mut Vec<u8>, _file: &File, _creator: &str, _path: Option<&str>) {}

    fn transaction(&mut self, out: &mut Vec<u8>, record: &Record<'_>) -> Result<(), Error> {
        let Record { transaction, creator, files } = *record;
        let account = |id: Option<AccountId>| {
            id.and_then(|id| self.names.get(&id)).map_or("", String::as_str)
        };
        let number = |id: Option<AccountId>| id.map(|id| id.to_string()).unwrap_or_default();
        let has_amount = transaction.amount.is_some();
        let amount = has_amount.then(|| self.notation.plain(units(transaction, self.scale)));
        let files = transaction.files.iter().filter_map(|id| files.get(*id));
        let files: Vec<&str> = files.map(|file| file.name.as_str()).collect();
        let fields: [&str; COLUMNS.len()] = [
            &transaction.id.to_string(),
            &transaction.date.map(format_iso).unwrap_or_default(),
            &amount.unwrap_or_default(),
            account(transaction.credit),
            account(transaction.debit),
            &transaction.description,
            state(transaction),
            &transaction.tags().join(" "),
            &transaction.urls.join("\n"),
            &transaction.remote_ids.join("\n"),
            &files.join("\n"),
            &json(&transaction.properties),
            &number(transaction.credit),
            &number(transaction.debit),
            creator,
            &rfc3339(transaction.stamp.created_at),
            &rfc3339(transaction.stamp.updated_at),
        ];
        let mut line = Line::new(out, self.dialect);
        fields.into_iter().for_each(|field| line.field(field));
        line.end();
        self.rows = self.rows.saturating_add(1);
        Ok(())
    }

    fn finish(
        self: Box<Self>,
        out: &mut Vec<u8>,
        _balances: Option<&Balances>,
    ) -> Result<(), Error> {
        end_of_file(out, self.dialect, COLUMNS.len(), self.rows);
        Ok(())
    }
}

/// Writes the line by which a complete file is recognized.
pub(super) fn end_of_file(out: &mut Vec<u8>, dialect: Dialect, columns: usize, rows: u64) {
    let mut line = Line::new(out, dialect);
    line.field("end");
    line.field(&format!("Rows: {rows}"));
    (2..columns).for_each(|_| line.field(""));
    line.end();
}

pub(super) fn names(accounts: &[Account]) -> HashMap<AccountId, String> {
    accounts.iter().map(|account| (account.id, account.name.as_str().to_owned())).collect()
}

/// Returns the state of a transaction as a word.
pub(super) const fn state(transaction: &Transaction) -> &'static str {
    match transaction.state() {
        LifecycleState::Draft => "draft",
        LifecycleState::Unchecked => "unchecked",
        LifecycleState::Checked => "checked",
        LifecycleState::Trashed => "trashed",
    }
}

/// Returns properties as a JSON object, or nothing without properties.
fn json(properties: &Properties) -> String {
    let mut text = String::new();
    for (key, value) in properties.iter() {
        text.push(if text.is_empty() { '{' } else { ',' });
        write_text(key, &mut text);
        text.push(':');
        write_text(value, &mut text);
    }
    if !text.is_empty() {
        text.push('}');
    }
    text
}
