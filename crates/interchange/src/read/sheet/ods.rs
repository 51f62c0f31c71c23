//! Workbooks of LibreOffice and other programs (OpenDocument 1.3).

use super::Table;
use super::archive::Archive;
use super::choice::Choice;
use super::number::{Display, Epoch, cell_text};
use super::xml::{Element, Node, Nodes};
use crate::read::limits::{MAX_FIELD_BYTES, MAX_FIELDS};
use crate::read::problem::{Kind, Problem, invalid_workbook};

/// Offers the tables in their order.
pub(crate) fn find_table(bytes: &[u8], choice: &mut Choice<'_>) -> Result<(), Problem> {
    let mut archive = Archive::open(bytes)?;
    if let Some(file) = archive.file("META-INF/manifest.xml")? {
        let mut nodes = Nodes::new(file);
        loop {
            match nodes.step() {
                Ok(Node::Open(element)) if element.name() == b"encryption-data" => {
                    return Err(Problem::of_file(Kind::Encrypted));
                }
                // The list of files is not needed: old ones have a document type declaration.
                Ok(Node::End) | Err(_) => break,
                Ok(Node::Open(_) | Node::Text(_) | Node::Close(_) | Node::Other) => {}
            }
        }
    }
    let Some(file) = archive.file("content.xml")? else {
        return Err(invalid_workbook("the file content.xml is missing"));
    };
    let mut nodes = Nodes::new(file);
    let mut reader = TableReader::default();
    loop {
        match nodes.step()? {
            Node::Open(element) => reader.open(&element, choice),
            Node::Text(text) => reader.text(&text),
            Node::Close(element) => {
                if let Some(table) = reader.close(element.name())?
                    && choice.offer(table)?
                {
                    return Ok(());
                }
            }
            Node::Other => {}
            Node::End => return Ok(()),
        }
    }
}

/// The table that is being read.
#[derive(Default)]
struct TableReader {
    /// `None` outside of tables, and in a table that is not wanted.
    table: Option<Table>,
    /// The open tables: a cell may have a table of its own, whose text is the cell's.
    tables: usize,
    /// The open comments, which are not part of the text of their cell.
    comments: usize,
    /// The number of the row, from 1, and how often it is repeated.
    row: u32,
    row_count: u32,
    column: usize,
    cell: Cell,
}

#[derive(Default)]
struct Cell {
    is_open: bool,
    /// How often it is repeated.
    count: usize,
    /// The value, unless the text is it.
    value: Option<String>,
    text: String,
}

impl TableReader {
    fn open(&mut self, element: &Element<'_>, choice: &Choice<'_>) {
        match element.name() {
            b"table" => {
                self.tables += 1;
                if self.tables == 1 {
                    let name = element.attribute("name").unwrap_or_default();
                    self.table = choice.wants(&name).then(|| Table::new(&name));
                    self.row = 1;
                }
            }
            b"table-row" if self.tables == 1 => {
                self.row_count = element.number("number-rows-repeated").unwrap_or(1);
                self.column = 0;
            }
            b"table-cell" | b"covered-table-cell" if self.tables == 1 => {
                let count = element.number("number-columns-repeated").unwrap_or(1);
                self.cell = Cell {
                    is_open: true,
                    count: usize::try_from(count).unwrap_or(usize::MAX),
                    value: value(element),
                    text: String::new(),
                };
            }
            b"annotation" => self.comments += 1,
            // Paragraphs, blanks, tabulators and line breaks separate words.
            b"p" | b"s" | b"tab" | b"line-break" => self.text(" "),
            _ => {}
        }
    }

    fn text(&mut self, text: &str) {
        let is_too_long = self.cell.text.len() > MAX_FIELD_BYTES;
        if self.cell.is_open && self.comments == 0 && !is_too_long {
            self.cell.text.push_str(text);
        }
    }

    /// Returns a table that is complete.
    fn close(&mut self, name: &[u8]) -> Result<Option<Table>, Problem> {
        match name {
            b"table" => {
                self.tables = self.tables.saturating_sub(1);
                return Ok(self.table.take_if(|_| self.tables == 0));
            }
            b"table-row" if self.tables == 1 => {
                if let Some(table) = self.table.as_mut().filter(|table| table.has_cells()) {
                    table.repeat_row(self.row, self.row_count)?;
                }
                self.row = self.row.saturating_add(self.row_count);
            }
            b"table-cell" | b"covered-table-cell" if self.tables == 1 => {
                let cell = std::mem::take(&mut self.cell);
                let text = cell.value.unwrap_or(cell.text);
                let end = self.column.saturating_add(cell.count);
                if let Some(table) = self.table.as_mut().filter(|_| !text.trim().is_empty()) {
                    for column in self.column..end.min(MAX_FIELDS + 1) {
                        table.set(column, &text);
                    }
                }
                self.column = end;
            }
            b"annotation" => self.comments = self.comments.saturating_sub(1),
            _ => {}
        }
        Ok(None)
    }
}

/// Returns the value of a cell whose text may be rounded or written for people.
fn value(cell: &Element<'_>) -> Option<String> {
    match cell.attribute("value-type")?.as_str() {
        "float" | "currency" | "percentage" => {
            let number = cell.attribute("value")?;
            Some(cell_text(&number, 0, Display::Number, Epoch::From1900))
        }
        "date" => cell.attribute("date-value"),
        "boolean" => cell.attribute("boolean-value").map(|value| value.to_uppercase()),
        // That of an error is empty, and its text is not.
        "string" => cell.attribute("string-value").filter(|text| !text.is_empty()),
        _ => None,
    }
}
