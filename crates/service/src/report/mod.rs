//! Reports of a book (behaviour 13).
//!
//! Statements are computed from totals ([`statement`]). The general ledger, the journal ([`rows`])
//! and the changes ([`changes`]) pass their rows one at a time to a [`RowSink`], because a book may
//! have millions of transactions. A closing stores statements as files ([`closing`]).

mod changes;
mod closing;
mod entered;
mod rows;
mod sink;
mod statement;

use daybook_domain::report::ReportKind;
use daybook_storage::Tx;

use crate::context::Context;
use crate::error::Result;
use entered::enter;
use sink::CollectedRows;

pub use closing::{ClosingReports, ClosingView, close, prepare_closing};
pub use entered::ParameterTexts;
pub(crate) use entered::event_head;
pub(crate) use rows::UserNames;
pub use sink::{RowSink, StreamHead, View};

/// Refuses a report that the caller may not read, or whose parameters are invalid.
///
/// # Errors
/// Refusals of the parameters (behaviour 13.2).
pub fn check(
    tx: &mut Tx<'_>,
    cx: &Context,
    book: &str,
    kind: ReportKind,
    texts: &ParameterTexts,
) -> Result<()> {
    enter(tx, cx, book, kind, texts).map(drop)
}

/// getReport, as a whole.
///
/// # Errors
/// Refusals of the parameters (behaviour 13.2); a general ledger or journal with too many rows.
pub fn compute(
    tx: &mut Tx<'_>,
    cx: &Context,
    book: &str,
    kind: ReportKind,
    texts: &ParameterTexts,
) -> Result<View> {
    if kind.is_streamed() {
        let mut rows = CollectedRows::default();
        stream(tx, cx, book, kind, texts, &mut rows)?;
        return rows.into_view();
    }
    let entered = enter(tx, cx, book, kind, texts)?;
    let separator = entered.chart.separator();
    let report = statement::compute(tx, cx, entered)?;
    Ok(View { report, separator })
}

/// getReport of a general ledger, a journal or changes, row by row.
///
/// # Errors
/// Refusals of the parameters (behaviour 13.2), before the first row; those of `sink`.
pub fn stream(
    tx: &mut Tx<'_>,
    cx: &Context,
    book: &str,
    kind: ReportKind,
    texts: &ParameterTexts,
    sink: &mut dyn RowSink,
) -> Result<()> {
    let entered = enter(tx, cx, book, kind, texts)?;
    match kind {
        ReportKind::GeneralLedger => rows::ledger(tx, entered, sink),
        ReportKind::Changes => changes::changes(tx, entered, sink),
        ReportKind::Journal
        | ReportKind::TrialBalance
        | ReportKind::BalanceSheet
        | ReportKind::IncomeStatement
        | ReportKind::CashFlow => rows::journal(tx, entered, sink),
    }
}
