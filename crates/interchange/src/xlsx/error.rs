//! Why a workbook cannot be written.

use rust_xlsxwriter::XlsxError;

/// The rows of a report that fit on a sheet: those of Excel without the title and the header.
pub const MAX_ROWS: usize = 1_048_576 - 10;

/// Why a report cannot be written as a workbook.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The report has more rows than a sheet.
    #[error("the report has {rows} rows, and a sheet has at most {MAX_ROWS}: use CSV")]
    TooManyRows {
        /// The rows of the report.
        rows: usize,
    },
    /// The library refused a cell or the workbook.
    #[error("the workbook could not be written: {0}")]
    Workbook(#[from] XlsxError),
}
