//! Workbooks of Excel before 2007 (MS-CFB and MS-XLS), from version 5 on.

mod cells;
mod compound;
mod record;
mod text;
mod workbook;

use super::Table;
use super::choice::Choice;
use crate::read::problem::Problem;
use workbook::Workbook;

/// Offers the sheets in their order.
///
/// Returns the name of the encoding.
pub(crate) fn find_table(bytes: &[u8], choice: &mut Choice<'_>) -> Result<&'static str, Problem> {
    let stream = compound::workbook(bytes)?;
    let book = Workbook::read(&stream)?;
    for sheet in &book.sheets {
        if !choice.wants(&sheet.name) {
            continue;
        }
        let table = cells::read(&stream, sheet.offset, Table::new(&sheet.name), &book)?;
        if choice.offer(table) {
            break;
        }
    }
    Ok(book.codepage.encoding())
}
