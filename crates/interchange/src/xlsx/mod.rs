//! Reports as spreadsheets (Office Open XML, ECMA-376).
//!
//! The workbook has two sheets: the report, and `About` with the facts of its heading and its
//! controls. Amounts are numbers with the decimals of the book. Excel calculates with 15
//! significant digits, so an amount with more is a text with a note. A subtotal is the formula
//! `SUBTOTAL(9, ..)` over the rows that it sums, with its value stored beside it, and these rows
//! can be collapsed. It is a plain number where the rows above do not add up to it, and where Excel
//! could not add them exactly.
//!
//! A text is never a formula, whatever it begins with.

mod about;
mod cell;
mod error;
mod format;
mod sheet;

use daybook_domain::report::Report;
use rust_xlsxwriter::{DocProperties, ExcelDateTime, Workbook};

pub use error::{Error, MAX_ROWS};

/// Writes a report as a workbook.
///
/// The whole workbook is built in memory.
///
/// # Errors
/// [`Error::TooManyRows`] for a report that does not fit on a sheet.
pub fn write(report: &Report) -> Result<Vec<u8>, Error> {
    let rows = report.rows.len();
    if rows > MAX_ROWS {
        return Err(Error::TooManyRows { rows });
    }
    let heading = &report.heading;
    // The same report is the same file: without this, the file has the time of its making.
    let created = ExcelDateTime::from_timestamp(heading.computed_at.seconds())?;
    let mut workbook = Workbook::new();
    workbook.set_properties(
        &DocProperties::new()
            .set_title(&heading.title)
            .set_subject(&heading.period)
            .set_company(&heading.book_name)
            .set_creation_datetime(&created),
    );
    sheet::write(workbook.add_worksheet(), report)?;
    about::write(workbook.add_worksheet(), report)?;
    Ok(workbook.save_to_buffer()?)
}

#[cfg(test)]
mod tests;
