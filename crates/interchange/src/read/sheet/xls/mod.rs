//! Workbooks of Excel before 2007 (MS-CFB and MS-XLS), from version 5 on.

mod cells;
mod compound;
mod record;
mod text;
mod workbook;

use std::collections::HashSet;

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
    let mut starts: Vec<usize> = book.sheets.iter().map(|sheet| sheet.offset).collect();
    starts.sort_unstable();
    let mut seen = HashSet::new();
    for sheet in &book.sheets {
        // Many sheets of a hostile file may begin at one place, or within another.
        if !choice.wants(&sheet.name) || !seen.insert(sheet.offset) {
            continue;
        }
        let next = starts.partition_point(|start| *start <= sheet.offset);
        let end = starts.get(next).copied().unwrap_or(stream.len());
        let part = stream.get(..end).unwrap_or(&stream);
        let table = cells::read(part, sheet.offset, Table::new(&sheet.name), &book)?;
        if choice.offer(table)? {
            break;
        }
    }
    Ok(book.codepage.encoding())
}
