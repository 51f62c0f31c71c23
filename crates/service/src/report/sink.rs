//! The receivers of reports.

use daybook_domain::amount::DecimalSeparator;
use daybook_domain::report::{Column, Control, Heading, MAX_COLLECTED_ROWS, Refusal, Report, Row};

use crate::error::{Error, Result};

/// A whole report.
#[derive(Debug, Clone)]
pub struct View {
    /// The report.
    pub report: Report,
    /// The decimal separator of the book.
    pub separator: DecimalSeparator,
}

/// The beginning of a report, before its rows.
#[derive(Debug, Clone)]
pub struct StreamHead {
    /// The subject of the report.
    pub heading: Heading,
    /// The columns.
    pub columns: Vec<Column>,
    /// The decimal separator of the book.
    pub separator: DecimalSeparator,
}

/// Receives a report row by row.
pub trait RowSink {
    /// Receives the beginning of the report.
    ///
    /// # Errors
    /// If the rest is not wanted any more.
    fn begin(&mut self, head: &StreamHead) -> Result<()>;
    /// Receives a row.
    ///
    /// # Errors
    /// Those of [`Self::begin`].
    fn row(&mut self, row: &Row) -> Result<()>;
    /// Receives the controls, after the last row.
    ///
    /// # Errors
    /// Those of [`Self::begin`].
    fn finish(&mut self, controls: &[Control]) -> Result<()>;
}

/// The rows of a report that is streamed, for a format that needs them as a whole.
#[derive(Default)]
pub(super) struct CollectedRows {
    head: Option<StreamHead>,
    rows: Vec<Row>,
    controls: Vec<Control>,
}

impl CollectedRows {
    /// # Errors
    /// 404 if nothing was collected, which is a bug.
    pub(super) fn into_view(self) -> Result<View> {
        let Self { head, rows, controls } = self;
        let StreamHead { heading, columns, separator } = head.ok_or(Error::NotFound("report"))?;
        Ok(View { report: Report { heading, columns, rows, controls }, separator })
    }
}

impl RowSink for CollectedRows {
    fn begin(&mut self, head: &StreamHead) -> Result<()> {
        self.head = Some(head.clone());
        Ok(())
    }

    fn row(&mut self, row: &Row) -> Result<()> {
        if self.rows.len() >= MAX_COLLECTED_ROWS {
            return Err(Refusal::TooManyRows.into());
        }
        self.rows.push(row.clone());
        Ok(())
    }

    fn finish(&mut self, controls: &[Control]) -> Result<()> {
        controls.clone_into(&mut self.controls);
        Ok(())
    }
}
