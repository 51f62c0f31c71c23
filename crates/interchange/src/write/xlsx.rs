//! Transactions as a spreadsheet: a sheet with a total for each month, and `About`.

use std::collections::HashMap;

use daybook_domain::calendar::format_iso;
use daybook_domain::file::File;
use daybook_domain::id::AccountId;
use daybook_domain::report::{
    Cell, Column, ColumnKind, Control, Heading, Report, ReportKind, Row, RowKind, Subject,
};
use time::Date;

use super::csv::{names, state};
use super::model::{Balances, Error, Export, MAX_ROWS, Record, Writer, units};
use crate::notation::day_of;
use crate::xlsx;

/// The bytes of all texts of a sheet.
const MAX_TEXT_BYTES: usize = 64 * 1024 * 1024;

/// Collects transactions, and writes them as a workbook.
pub(super) struct Xlsx {
    heading: Heading,
    names: HashMap<AccountId, String>,
    rows: Vec<Row>,
    /// The transactions of the current month.
    month: Month,
    transactions: usize,
    text_bytes: usize,
    /// The sum of the posted amounts, and that of the months.
    sums: (i128, i128),
}

/// The rows of a month and their sum.
#[derive(Default)]
struct Month {
    first_day: Option<Date>,
    rows: u32,
    sum: i128,
}

impl Xlsx {
    pub(super) fn begin(export: &Export<'_>) -> Self {
        Self {
            heading: heading(export),
            names: names(export.accounts),
            rows: Vec::new(),
            month: Month::default(),
            transactions: 0,
            text_bytes: 0,
            sums: (0, 0),
        }
    }

    /// Writes the sum of the current month.
    fn end_month(&mut self) {
        let Month { first_day, rows, sum } = std::mem::take(&mut self.month);
        let Some(day) = first_day else { return };
        let mut cells = vec![const { Cell::Empty }; COLUMNS.len()];
        let month: String = format_iso(day).chars().take(7).collect();
        for (column, value) in [(DATE, Cell::Text(month)), (AMOUNT, Cell::Amount(sum))] {
            if let Some(cell) = cells.get_mut(column) {
                *cell = value;
            }
        }
        self.rows.push(Row { kind: RowKind::Subtotal, depth: 0, subject: None, cells, sums: rows });
        self.sums.1 = self.sums.1.saturating_add(sum);
    }
}

impl Writer for Xlsx {
    fn file(&mut self, _out: &mut Vec<u8>, _file: &File, _creator: &str, _path: Option<&str>) {}

    fn transaction(&mut self, _out: &mut Vec<u8>, record: &Record<'_>) -> Result<(), Error> {
        let Record { transaction, creator, files } = *record;
        self.transactions += 1;
        self.text_bytes = self.text_bytes.saturating_add(transaction.text_bytes());
        if self.transactions > MAX_ROWS || self.text_bytes > MAX_TEXT_BYTES {
            return Err(Error::TooManyRows);
        }
        let day = transaction.list_day;
        let is_later = |first: Date| (first.year(), first.month()) != (day.year(), day.month());
        if self.month.first_day.is_some_and(is_later) {
            self.end_month();
        }
        self.month.first_day.get_or_insert(day);
        self.month.rows += 1;
        let amount = units(transaction, self.heading.scale);
        // Drafts have their amount in a column of its own, which is not summed.
        let (posted, draft) = if transaction.counts() {
            self.month.sum = self.month.sum.saturating_add(amount);
            self.sums.0 = self.sums.0.saturating_add(amount);
            (Cell::Amount(amount), Cell::Empty)
        } else {
            (Cell::Empty, transaction.amount.map_or(Cell::Empty, |_| Cell::Amount(amount)))
        };
        let text = |text: &str| {
            if text.is_empty() { Cell::Empty } else { Cell::Text(text.to_owned()) }
        };
        let account = |id: Option<AccountId>| {
            text(id.and_then(|id| self.names.get(&id)).map_or("", String::as_str))
        };
        let files = transaction.files.iter().filter_map(|id| files.get(*id));
        let files: Vec<&str> = files.map(|file| file.name.as_str()).collect();
        let cells = vec![
            transaction.date.map_or(Cell::Empty, Cell::Date),
            text(&transaction.description),
            account(transaction.debit),
            account(transaction.credit),
            posted,
            draft,
            text(state(transaction)),
            text(&transaction.tags().join(" ")),
            text(&files.join("\n")),
            text(&transaction.urls.join("\n")),
            text(&transaction.remote_ids.join("\n")),
            text(creator),
            Cell::Instant(transaction.stamp.created_at),
            text(&transaction.id.to_string()),
        ];
        let subject = Some(Subject::Transaction(transaction.id));
        self.rows.push(Row { kind: RowKind::Entry, depth: 0, subject, cells, sums: 0 });
        Ok(())
    }

    fn finish(
        mut self: Box<Self>,
        out: &mut Vec<u8>,
        _balances: Option<&Balances>,
    ) -> Result<(), Error> {
        self.end_month();
        let Self { heading, rows, sums: (posted, months), .. } = *self;
        let controls =
            vec![Control::of_amounts("Posted amounts = totals of months", posted, months)];
        let columns = COLUMNS.iter().map(|(key, label, kind)| Column {
            key: (*key).to_owned(),
            label: (*label).to_owned(),
            over: None,
            kind: *kind,
        });
        let report = Report { heading, columns: columns.collect(), rows, controls };
        out.append(&mut xlsx::write(&report)?);
        Ok(())
    }
}

/// The positions of the columns that totals have.
const DATE: usize = 0;
const AMOUNT: usize = 4;

/// The keys, labels and kinds of the columns.
const COLUMNS: [(&str, &str, ColumnKind); 14] = [
    ("date", "Date", ColumnKind::Date),
    ("description", "Description", ColumnKind::Text),
    ("debitAccount", "Debit account", ColumnKind::Text),
    ("creditAccount", "Credit account", ColumnKind::Text),
    ("amount", "Amount", ColumnKind::Amount),
    ("draftAmount", "Amount of draft", ColumnKind::Amount),
    ("state", "State", ColumnKind::Text),
    ("tags", "Hashtags", ColumnKind::Text),
    ("files", "Files", ColumnKind::Text),
    ("urls", "Addresses", ColumnKind::Text),
    ("remoteIds", "Remote ids", ColumnKind::Text),
    ("createdBy", "Recorded by", ColumnKind::Text),
    ("createdAt", "Recorded at", ColumnKind::Instant),
    ("id", "Id", ColumnKind::Text),
];

fn heading(export: &Export<'_>) -> Heading {
    let Export { book, query, exported_at, head, .. } = *export;
    Heading {
        kind: ReportKind::Journal,
        title: "Transactions".to_owned(),
        book: book.key.clone(),
        book_name: book.settings.name.as_str().to_owned(),
        currency: book.settings.currency().map(str::to_owned),
        scale: book.scale,
        fraction_digits: book.settings.fraction_digits,
        from: None,
        until: day_of(exported_at),
        period: if query.is_some() { "Part of the book" } else { "Whole book" }.to_owned(),
        omitted_drafts: 0,
        filters: query.map(str::to_owned).into_iter().collect(),
        notes: vec!["Amounts of drafts and trashed transactions are not summed".to_owned()],
        head,
        computed_at: exported_at,
    }
}
