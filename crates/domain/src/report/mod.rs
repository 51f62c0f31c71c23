//! Reports of a book: trial balance, balance sheet, income statement, cash flow, general ledger,
//! journal and changes (behaviour 13).
//!
//! A report is a [`Heading`], [`Column`]s, [`Row`]s and [`Control`]s. The functions of this module
//! compute them from the chart and the sums of a book; crates that know a format write them as
//! JSON, CSV, XLSX or HTML. Amounts have the sign that people expect: what a heading names is
//! positive.
//!
//! A report takes these steps:
//!
//! 1. [`Parameters::read`] reads the parameters, and [`Request::scope`] finds the accounts and
//!    groups of the query.
//! 2. [`Request::plan`] tells which totals to read. The caller adds them to [`PeriodSums`].
//! 3. [`Request::finish`] computes the report. A [`GeneralLedger`] and a [`Journal`] return their
//!    rows one by one instead, so that the caller can stream them. [`Changes`] do so from events,
//!    without a plan.
//!
//! The cost depends on the numbers of accounts and of columns, not on the number of transactions.
//!
//! ```
//! use daybook_domain::account::{self, Account, AccountType};
//! use daybook_domain::balance::PeriodTotal;
//! use daybook_domain::book::{self, Book, Settings};
//! use daybook_domain::calendar::parse_iso;
//! use daybook_domain::event::Head;
//! use daybook_domain::group::Forest;
//! use daybook_domain::id::{AccountId, BookId, BookKey};
//! use daybook_domain::instant::{Instant, Stamp};
//! use daybook_domain::report::{
//!     BookChart, Cell, Facts, Inputs, Parameters, ReportKind, RowKind,
//! };
//!
//! let stamp = Stamp::new(None, Instant::new(0));
//! let changes = book::Changes { name: Some("Home".to_owned()), ..book::Changes::default() };
//! let book = Book {
//!     id: BookId::new(1),
//!     key: BookKey::new("0192f5c0a1b27c3d8e4f5a6b7c8d9e0f".to_owned()),
//!     owner_name: "ada".to_owned(),
//!     settings: Settings::create(changes)?,
//!     scale: 2,
//!     file_secret: Default::default(),
//!     stamp: stamp.clone(),
//! };
//! let account = |id, name: &str, kind| {
//!     let (name, kind) = (Some(name.to_owned()), Some(kind));
//!     let changes = account::Changes { name, kind, ..account::Changes::default() };
//!     let (id, precision) = (AccountId::new(id), book.precision());
//!     Account::create(id, changes, &Default::default(), precision, stamp.clone())
//! };
//! let accounts = [
//!     account(1, "Cash", AccountType::Asset)?,
//!     account(2, "Sales", AccountType::Incoming)?,
//! ];
//! let forest = Forest::new(Vec::new(), []);
//! let chart = BookChart { book: &book, accounts: &accounts, forest: &forest };
//!
//! let parameters = Parameters { period: Some("2026-Q1"), ..Parameters::default() };
//! let today = parse_iso("2026-05-20").unwrap();
//! let request = parameters.read(ReportKind::IncomeStatement, &book.settings, today)?;
//! let scope = request.scope(&chart)?;
//!
//! // The only transaction is a sale of 100.00 in February.
//! let (plan, month) = (request.plan(), parse_iso("2026-02-01"));
//! let mut sums = plan.start();
//! for (index, read) in plan.reads().iter().enumerate().filter(|(_, read)| read.tags.is_empty()) {
//!     // The caller reads the totals of `plan.segments()`.
//!     for (account, debit, credit) in [(1, 10_000, 0), (2, 0, 10_000)] {
//!         let account = AccountId::new(account);
//!         sums.add(index, &PeriodTotal { account, period: month, debit, credit });
//!     }
//! }
//!
//! let facts = Facts { omitted_drafts: 0, head: Head::default(), computed_at: Instant::new(0) };
//! let heading = request.heading(&chart, &scope, facts);
//! assert_eq!(heading.period, "1 January to 31 March 2026");
//! let inputs = Inputs { chart, compared: None, scope: &scope, sums: &sums };
//! let report = request.finish(heading, &inputs).unwrap();
//! let result = report.rows.iter().find(|row| row.kind == RowKind::Result).unwrap();
//! assert_eq!(result.cells, [Cell::Text("Profit".to_owned()), Cell::Amount(10_000)]);
//! assert!(report.controls.iter().all(|control| control.holds()));
//! # Ok::<(), daybook_domain::Refusal>(())
//! ```

mod cash_flow;
mod changes;
mod figures;
mod finish;
mod heading;
mod journal;
mod layout;
mod ledger;
mod period;
mod plan;
mod refusal;
mod request;
mod sections;
mod statement;
mod sums;
mod table;
mod trial_balance;

#[cfg(test)]
mod fixture;
#[cfg(test)]
mod laws;
#[cfg(test)]
mod tests;

pub use changes::{Changes, ChangesStart};
pub use figures::BookChart;
pub use finish::{Inputs, cash_accounts};
pub use heading::Facts;
pub use journal::{Journal, JournalEntry};
pub use layout::{AccountPlace, Class, account_places};
pub use ledger::{GeneralLedger, LedgerAccount, LedgerEntry};
pub use period::{Interval, Period};
pub use plan::{Plan, Read, Source};
pub use refusal::{MAX_COLLECTED_ROWS, MAX_COLUMNS, Refusal};
pub use request::{Parameters, Request};
pub use sums::PeriodSums;
pub use table::{
    Cell, Column, ColumnKind, Control, Heading, Report, ReportKind, Row, RowKind, Subject,
};
