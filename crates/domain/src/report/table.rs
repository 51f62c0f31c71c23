//! The parts of a report, before a format is chosen.

use time::Date;

use crate::event::Head;
use crate::id::{AccountId, BookKey, GroupId, TransactionId};
use crate::instant::Instant;
use crate::named::named;

named! {
    /// The reports that a book offers.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
    pub enum ReportKind {
        /// Opening, movement and closing of each account, as debits and credits.
        TrialBalance = "trial-balance",
        /// Assets, liabilities and equity on one or more days.
        BalanceSheet = "balance-sheet",
        /// Income and expenses of one or more periods.
        IncomeStatement = "income-statement",
        /// Cash received and paid, by the account on the other side.
        CashFlow = "cash-flow",
        /// The movements of each account with its balance.
        GeneralLedger = "general-ledger",
        /// All transactions in order of their days.
        Journal = "journal",
        /// The changes of the book after an event.
        Changes = "changes",
    }
}

impl ReportKind {
    /// Returns whether the report has a row for each transaction or event, of which there may be
    /// millions.
    pub const fn is_streamed(self) -> bool {
        match self {
            Self::GeneralLedger | Self::Journal | Self::Changes => true,
            Self::TrialBalance | Self::BalanceSheet | Self::IncomeStatement | Self::CashFlow => {
                false
            }
        }
    }
}

/// A complete report.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Report {
    /// The subject of the report.
    pub heading: Heading,
    /// The columns.
    pub columns: Vec<Column>,
    /// The rows, each with a cell for every column.
    pub rows: Vec<Row>,
    /// The statements that prove the report.
    pub controls: Vec<Control>,
}

/// The subject of a report and the state of its book.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Heading {
    /// The report.
    pub kind: ReportKind,
    /// The title, such as `Balance sheet`.
    pub title: String,
    /// The public id of the book.
    pub book: BookKey,
    /// The name of the book.
    pub book_name: String,
    /// The currency of the book, if a property names it.
    pub currency: Option<String>,
    /// The storage scale of the amounts.
    pub scale: u32,
    /// The decimal places that are shown.
    pub fraction_digits: u32,
    /// The first day, inclusive; none for a report of one day.
    pub from: Option<Date>,
    /// The last day, inclusive.
    pub until: Date,
    /// The period in words, such as `1 January to 31 October 2026`.
    pub period: String,
    /// The number of drafts that the report leaves out.
    pub omitted_drafts: u64,
    /// The terms of the query in force, such as `#vat`.
    pub filters: Vec<String>,
    /// Remarks on the figures, such as `Not closed after 30 September 2026`.
    pub notes: Vec<String>,
    /// The last event that the report includes.
    pub head: Head,
    /// When the report was computed.
    pub computed_at: Instant,
}

/// A column of a report.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Column {
    /// A stable name for CSV and JSON, such as `openingDebit` or `2026-03`.
    pub key: String,
    /// The label, such as `Debit` or `March 2026`.
    pub label: String,
    /// The label above this column and its neighbours with the same one, such as `Opening`.
    pub over: Option<String>,
    /// The kind of its cells.
    pub kind: ColumnKind,
}

impl Column {
    pub(super) fn new(key: &str, label: &str, kind: ColumnKind) -> Self {
        Self { key: key.to_owned(), label: label.to_owned(), over: None, kind }
    }

    /// Returns the first column, with the names of accounts and groups.
    pub(super) fn of_account() -> Self {
        Self::new("account", "Account", ColumnKind::Text)
    }

    pub(super) fn of_amount(key: &str, label: &str) -> Self {
        Self::new(key, label, ColumnKind::Amount)
    }
}

named! {
    /// The kind of the cells of a column.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum ColumnKind {
        /// Text.
        Text = "text",
        /// A day.
        Date = "date",
        /// A moment.
        Instant = "instant",
        /// An amount at the storage scale of the book.
        Amount = "amount",
        /// Tenths of a percent.
        Percent = "percent",
        /// A whole number.
        Number = "number",
    }
}

/// A row of a report.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    /// Its place in the report.
    pub kind: RowKind,
    /// The depth below the section, from 0.
    pub depth: u32,
    /// The subject of the row.
    pub subject: Option<Subject>,
    /// One cell for each column.
    pub cells: Vec<Cell>,
    /// The number of rows directly above whose accounts this row sums; 0 for all other rows.
    /// Subtotals among them are not counted twice.
    pub sums: u32,
}

named! {
    /// The place of a row in a report.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum RowKind {
        /// The title of a section, without amounts.
        Section = "section",
        /// The title of a group, whose rows and subtotal follow.
        Group = "group",
        /// An account or a collapsed group with its amounts.
        Line = "line",
        /// The sum of a group.
        Subtotal = "subtotal",
        /// The sum of a section.
        Total = "total",
        /// A computed result, such as a profit.
        Result = "result",
        /// A balance brought forward or carried forward.
        Balance = "balance",
        /// A transaction or an event.
        Entry = "entry",
    }
}

/// The subject of a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Subject {
    /// An account.
    Account(AccountId),
    /// A group.
    Group(GroupId),
    /// A transaction.
    Transaction(TransactionId),
}

/// The content of a cell, of the kind of its column.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Cell {
    /// Nothing.
    Empty,
    /// Text.
    Text(String),
    /// A day.
    Date(Date),
    /// A moment.
    Instant(Instant),
    /// An amount at the storage scale of the book.
    Amount(i128),
    /// Tenths of a percent.
    Percent(i64),
    /// A whole number.
    Number(i64),
}

/// A statement that proves a report: two amounts or numbers that must be equal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Control {
    /// The comparison, such as `Assets = liabilities + equity`.
    pub label: String,
    /// Whether the sides are numbers of things, not amounts.
    pub is_count: bool,
    /// The left side; an amount is at the storage scale of the book.
    pub left: i128,
    /// The right side.
    pub right: i128,
}

impl Control {
    /// Creates a comparison of two amounts at the storage scale of the book.
    pub fn of_amounts(label: impl Into<String>, left: i128, right: i128) -> Self {
        Self { label: label.into(), is_count: false, left, right }
    }

    /// Creates a comparison of two numbers of things.
    pub fn of_counts(label: impl Into<String>, left: i128, right: i128) -> Self {
        Self { label: label.into(), is_count: true, left, right }
    }

    /// Returns whether both sides are equal.
    pub const fn holds(&self) -> bool {
        self.left == self.right
    }
}
