//! A table as the text of a CSV file.

use crate::read::limits::{MAX_BYTES, MAX_FIELD_BYTES, MAX_FIELDS};
use crate::read::problem::{Kind, Position, Problem};

/// The character between the fields of a table's text.
pub(crate) const SEPARATOR: char = '\t';

/// A table of a workbook or a page.
///
/// Its text has a line for each row up to the last one that is not blank, so that the number of a
/// line is that of its row.
#[derive(Debug, Clone, Default)]
pub(crate) struct Table {
    name: String,
    text: String,
    /// The rows in the text.
    rows: u32,
    cells: Vec<String>,
}

impl Table {
    pub(crate) fn new(name: &str) -> Self {
        Self { name: name.to_owned(), ..Self::default() }
    }

    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// Sets a cell of the next row to be added, by its index from 0.
    ///
    /// Cells behind the last field that a record may have share one more field, so that the record
    /// is refused.
    /// A text is cut off after the first byte that a field may not have.
    pub(crate) fn set(&mut self, column: usize, text: &str) {
        let text = text.trim();
        if text.is_empty() {
            return;
        }
        let end = text.floor_char_boundary(MAX_FIELD_BYTES + 4);
        let column = column.min(MAX_FIELDS);
        if self.cells.len() <= column {
            self.cells.resize(column + 1, String::new());
        }
        if let Some(cell) = self.cells.get_mut(column) {
            *cell = text.get(..end).unwrap_or(text).to_owned();
        }
    }

    /// Returns whether a cell of the next row is set.
    pub(crate) const fn has_cells(&self) -> bool {
        !self.cells.is_empty()
    }

    /// Adds the cells that were set as the row with this number, from 1.
    ///
    /// # Errors
    /// [`Kind::UnpackedTooLarge`], and [`Kind::InvalidWorkbook`] if a later row was added before.
    pub(crate) fn add_row(&mut self, number: u32) -> Result<(), Problem> {
        self.repeat_row(number, 1)
    }

    /// Adds the cells that were set as so many rows.
    ///
    /// # Errors
    /// Those of [`Self::add_row`].
    pub(crate) fn repeat_row(&mut self, number: u32, count: u32) -> Result<(), Problem> {
        let position = Position::line(number);
        let gap = number.checked_sub(self.rows.saturating_add(1));
        let Some(gap) = gap.and_then(|gap| usize::try_from(gap).ok()) else {
            let fault = "the rows are not in order".to_owned();
            return Err(Problem::at(position, Kind::InvalidWorkbook(fault)));
        };
        if self.cells.is_empty() {
            return Ok(());
        }
        let mut line = String::new();
        for (index, cell) in self.cells.iter().enumerate() {
            if index > 0 {
                line.push(SEPARATOR);
            }
            push_cell(cell, &mut line);
        }
        line.push('\n');
        self.cells.clear();
        let lines = usize::try_from(count).unwrap_or(usize::MAX);
        let length = line.len().saturating_mul(lines).saturating_add(gap);
        if self.text.len().saturating_add(length) > MAX_BYTES {
            return Err(Problem::at(position, Kind::UnpackedTooLarge));
        }
        self.text.extend(std::iter::repeat_n('\n', gap));
        for _ in 0..lines {
            self.text.push_str(&line);
        }
        self.rows = number.saturating_add(count.saturating_sub(1));
        Ok(())
    }
}

/// Appends a cell on one line, in quotes if it begins with one.
fn push_cell(cell: &str, line: &mut String) {
    let clean = |c: char| if c.is_control() { ' ' } else { c };
    let is_quoted = cell.starts_with('"');
    if !is_quoted {
        line.extend(cell.chars().map(clean));
        return;
    }
    line.push('"');
    for c in cell.chars().map(clean) {
        line.push(c);
        if c == '"' {
            line.push(c);
        }
    }
    line.push('"');
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_lines() {
        let mut table = Table::new("a");
        table.set(1, "x\ny");
        table.add_row(1).unwrap();
        table.set(0, "\"q\"");
        table.add_row(4).unwrap();
        table.set(0, " ");
        table.add_row(9).unwrap();
        table.set(0, "z");
        table.repeat_row(9, 2).unwrap();
        assert_eq!(table.text(), "\tx y\n\n\n\"\"\"q\"\"\"\n\n\n\n\nz\nz\n");
        assert_eq!(table.rows, 10);
        table.set(0, "z");
        assert!(table.add_row(10).is_err(), "not in order");
    }

    #[test]
    fn large_tables_are_refused() {
        let mut table = Table::new("a");
        table.set(0, "x");
        let problem = table.repeat_row(1, u32::MAX).unwrap_err();
        assert_eq!(problem.kind, Kind::UnpackedTooLarge);
        let mut table = Table::new("a");
        table.set(0, "x");
        assert_eq!(table.add_row(u32::MAX).unwrap_err().kind, Kind::UnpackedTooLarge);
        let mut table = Table::new("a");
        table.set(usize::MAX, "x");
        table.add_row(1).unwrap();
        assert_eq!(table.text().matches('\t').count(), MAX_FIELDS);
    }
}
