//! Closings: the closing date, and the reports of its day as files (behaviour 13.13).
//!
//! A closing takes three steps, because bytes are stored before the rows that name them:
//! [`prepare_closing`] computes the reports on a snapshot, the caller stores their bytes, and
//! [`close`] writes. Writes in between may have changed the period. So [`close`] computes the
//! reports again and compares them.

use daybook_domain::access::Access;
use daybook_domain::book::Closing;
use daybook_domain::file::{self, Content, File};
use daybook_domain::purpose::{Record, UpdateBook};
use daybook_domain::report::{Column, Control, Period, Report, ReportKind, Row};
use daybook_storage::Tx;
use time::Date;

use super::entered::{ParameterTexts, begin};
use super::statement;
use crate::context::Context;
use crate::error::{Error, Result};
use crate::{access, book, event_log};

/// The reports that a closing stores.
const REPORTS: [ReportKind; 3] =
    [ReportKind::TrialBalance, ReportKind::BalanceSheet, ReportKind::IncomeStatement];

/// The reports of a closing, before they are stored.
#[derive(Debug, Clone)]
pub struct ClosingReports {
    /// The last closed day, and the last event that the reports include.
    pub closing: Closing,
    /// Trial balance, balance sheet and income statement.
    pub reports: Vec<Report>,
}

/// A closing with its files.
#[derive(Debug, Clone)]
pub struct ClosingView {
    /// The caller's access to the book.
    pub access: Access,
    /// The closing.
    pub closing: Closing,
    /// The files, in the order of the reports.
    pub files: Vec<File>,
}

/// Computes the reports of a closing on a snapshot, and refuses whatever [`close`] would refuse.
///
/// # Errors
/// An invalid day; too little permission to set the closing date to it (behaviour 3.5.4).
pub fn prepare_closing(
    tx: &mut Tx<'_>,
    cx: &Context,
    book: &str,
    day: Option<&str>,
) -> Result<ClosingReports> {
    let access = access::enter_to(tx, cx, book, UpdateBook)?;
    let day = Closing::parse_day(day)?;
    let changes = Closing::date_changes(day);
    access.book().check_permitted(&changes, access.permission())?;
    // The notes of the reports name the closing date.
    let (closed, _) = access.book().clone().update(changes, cx.now)?;
    let access = access.with_book(closed).into_access();
    let reports = compute(tx, cx, &access, day)?;
    let head = reports.first().map(|report| report.heading.head).unwrap_or_default();
    Ok(ClosingReports { closing: Closing { day, head }, reports })
}

/// closeBook: sets the closing date and records the files of the reports, whose bytes are stored.
///
/// # Errors
/// Those of [`prepare_closing`]; [`Error::ConcurrentChange`] if the reports are no longer right.
pub fn close(
    tx: &mut Tx<'_>,
    cx: &Context,
    book: &str,
    prepared: &ClosingReports,
    contents: Vec<Content>,
) -> Result<ClosingView> {
    let ClosingReports { closing, reports } = prepared;
    book::update(tx, cx, book, closing.changes())?;
    let access = access::enter_to(tx, cx, book, Record::Draft)?;
    let current = compute(tx, cx, &access, closing.day)?;
    if !have_same_figures(reports, &current) {
        return Err(Error::ConcurrentChange("the figures of the period have changed meanwhile"));
    }
    let create = |(report, content): (&Report, Content)| {
        let changes = file::Changes {
            name: Some(closing.file_name(&report.heading.title)),
            properties: closing.file_properties(),
            ..file::Changes::default()
        };
        File::create(cx.new_file(access.user()), changes, content)
    };
    let files: Vec<File> =
        reports.iter().zip(contents).map(create).collect::<std::result::Result<_, _>>()?;
    tx.files().insert(&access, &files)?;
    event_log::append(tx, cx, &access, files.iter().map(File::created_event).collect())?;
    Ok(ClosingView { access: access.into_access(), closing: *closing, files })
}

/// Computes the reports of the fiscal year up to a day.
fn compute(tx: &mut Tx<'_>, cx: &Context, access: &Access, day: Date) -> Result<Vec<Report>> {
    let start = access.book().settings.period_start_month;
    let period = Period { last: day, ..Period::fiscal_year(day, start) };
    let texts = ParameterTexts { period: Some(period.key(start)), ..ParameterTexts::default() };
    let report = |kind| {
        let entered = begin(tx, cx, access.clone(), kind, &texts)?;
        statement::compute(tx, cx, entered)
    };
    REPORTS.into_iter().map(report).collect()
}

/// Returns whether reports show the same, except for the time and the last event.
fn have_same_figures(left: &[Report], right: &[Report]) -> bool {
    left.iter().map(figures).eq(right.iter().map(figures))
}

fn figures(report: &Report) -> (&[Column], &[Row], &[Control]) {
    let Report { heading: _, columns, rows, controls } = report;
    (columns, rows, controls)
}
