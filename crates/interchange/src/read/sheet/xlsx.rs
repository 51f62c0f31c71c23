//! Workbooks of Excel since 2007 (ECMA-376).

use super::Table;
use super::archive::Archive;
use super::choice::Choice;
use super::number::{Epoch, cell_text};
use super::strings::Strings;
use super::styles::Styles;
use super::xml::{Element, Node, Nodes};
use crate::read::limits::{MAX_BYTES, MAX_STATEMENTS, MAX_STRINGS};
use crate::read::problem::{Kind, Problem, invalid_workbook};

/// Offers the sheets in their order.
pub(crate) fn find_table(bytes: &[u8], choice: &mut Choice<'_>) -> Result<(), Problem> {
    let mut archive = Archive::open(bytes)?;
    let start = related(&mut archive, "")?;
    let start = start.into_iter().find(|part| part.kind == "officeDocument");
    let path = start.map_or_else(|| "xl/workbook.xml".to_owned(), |part| part.target);
    let Some(book) = workbook(&mut archive, &path)? else {
        return Err(invalid_workbook("the file xl/workbook.xml is missing"));
    };
    let parts = related(&mut archive, &path)?;
    let find = |kind: &str| parts.iter().find(|part| part.kind == kind);
    let mut context = Context { epoch: book.epoch, ..Context::default() };
    if let Some(part) = find("styles") {
        context.styles = styles(&mut archive, &part.target)?;
    }
    if let Some(part) = find("sharedStrings") {
        context.strings = shared_strings(&mut archive, &part.target)?;
    }
    for (name, id) in book.sheets {
        let part = parts.iter().find(|part| part.id == id && part.kind == "worksheet");
        let Some(part) = part.filter(|_| choice.wants(&name)) else { continue };
        if let Some(table) = sheet(&mut archive, &part.target, Table::new(&name), &context)?
            && choice.offer(table)?
        {
            break;
        }
    }
    Ok(())
}

/// The data to which the cells of all sheets refer.
#[derive(Default)]
struct Context {
    epoch: Epoch,
    styles: Styles,
    strings: Strings,
}

/// A relationship of a file to another.
struct Part {
    id: String,
    /// The last word of its type, such as `worksheet`.
    kind: String,
    target: String,
}

/// Reads the relationships of a file; the archive itself has the name "".
fn related(archive: &mut Archive<'_>, path: &str) -> Result<Vec<Part>, Problem> {
    let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
    let slash = if folder.is_empty() { "" } else { "/" };
    let mut parts = Vec::new();
    let Some(file) = archive.file(&format!("{folder}{slash}_rels/{name}.rels"))? else {
        return Ok(parts);
    };
    let mut nodes = Nodes::new(file);
    loop {
        match nodes.step()? {
            Node::Open(element) if element.name() == b"Relationship" => {
                let attribute = |name: &str| element.attribute(name).unwrap_or_default();
                let kind = attribute("Type").rsplit('/').next().unwrap_or_default().to_owned();
                let target = resolve(folder, &attribute("Target"));
                parts.push(Part { id: attribute("Id"), kind, target });
                if parts.len() > MAX_STATEMENTS {
                    return Err(invalid_workbook("it has too many parts"));
                }
            }
            Node::End => return Ok(parts),
            Node::Open(_) | Node::Text(_) | Node::Close(_) | Node::Other => {}
        }
    }
}

/// Returns the path that a target is from a folder.
fn resolve(folder: &str, target: &str) -> String {
    if let Some(absolute) = target.strip_prefix('/') {
        return absolute.to_owned();
    }
    let mut path: Vec<&str> = folder.split('/').filter(|step| !step.is_empty()).collect();
    for step in target.split('/') {
        match step {
            "." | "" => {}
            ".." => {
                path.pop();
            }
            _ => path.push(step),
        }
    }
    path.join("/")
}

/// The sheets of a workbook, with the ids of their relationships.
struct Workbook {
    epoch: Epoch,
    sheets: Vec<(String, String)>,
}

fn workbook(archive: &mut Archive<'_>, path: &str) -> Result<Option<Workbook>, Problem> {
    let Some(file) = archive.file(path)? else { return Ok(None) };
    let mut nodes = Nodes::new(file);
    let mut book = Workbook { epoch: Epoch::From1900, sheets: Vec::new() };
    loop {
        match nodes.step()? {
            Node::Open(element) => match element.name() {
                b"workbookPr" if element.is_set("date1904") => book.epoch = Epoch::From1904,
                b"sheet" if book.sheets.len() < MAX_STATEMENTS => {
                    let attribute = |name: &str| element.attribute(name).unwrap_or_default();
                    book.sheets.push((attribute("name"), attribute("id")));
                }
                _ => {}
            },
            Node::End => return Ok(Some(book)),
            Node::Text(_) | Node::Close(_) | Node::Other => {}
        }
    }
}

fn styles(archive: &mut Archive<'_>, path: &str) -> Result<Styles, Problem> {
    let mut styles = Styles::default();
    let Some(file) = archive.file(path)? else { return Ok(styles) };
    let mut nodes = Nodes::new(file);
    let mut is_cell_format = false;
    loop {
        match nodes.step()? {
            Node::Open(element) => match element.name() {
                b"numFmt" => {
                    let code = element.attribute("formatCode").unwrap_or_default();
                    styles.define(element.number("numFmtId").unwrap_or_default(), &code);
                }
                b"cellXfs" => is_cell_format = true,
                b"xf" if is_cell_format && styles.len() < MAX_STRINGS => {
                    styles.push(element.number("numFmtId").unwrap_or_default());
                }
                _ => {}
            },
            Node::Close(element) if element.name() == b"cellXfs" => is_cell_format = false,
            Node::End => return Ok(styles),
            Node::Text(_) | Node::Close(_) | Node::Other => {}
        }
    }
}

/// Reads the shared strings without formats, and without hints on pronunciation.
fn shared_strings(archive: &mut Archive<'_>, path: &str) -> Result<Strings, Problem> {
    let mut strings = Strings::default();
    let Some(file) = archive.file(path)? else { return Ok(strings) };
    let mut nodes = Nodes::new(file);
    let mut text = String::new();
    let (mut is_text, mut is_hint) = (false, false);
    loop {
        match nodes.step()? {
            Node::Open(element) => match element.name() {
                b"t" => is_text = !is_hint,
                b"rPh" => is_hint = true,
                _ => {}
            },
            Node::Text(part) if is_text => push(&mut text, &part)?,
            Node::Close(element) => match element.name() {
                b"t" => is_text = false,
                b"rPh" => is_hint = false,
                b"si" => {
                    strings.push(&text)?;
                    text.clear();
                }
                _ => {}
            },
            Node::End => return Ok(strings),
            Node::Text(_) | Node::Other => {}
        }
    }
}

fn push(text: &mut String, part: &str) -> Result<(), Problem> {
    text.push_str(part);
    if text.len() > MAX_BYTES {
        return Err(Problem::of_file(Kind::UnpackedTooLarge));
    }
    Ok(())
}

/// The cell that is being read.
#[derive(Default)]
struct Cell {
    column: usize,
    kind: String,
    style: usize,
    value: String,
    /// Whether text belongs to the value: formulas do not.
    is_value: bool,
    is_hint: bool,
}

/// Reads a sheet; `None` if the archive does not have it.
fn sheet(
    archive: &mut Archive<'_>,
    path: &str,
    mut table: Table,
    context: &Context,
) -> Result<Option<Table>, Problem> {
    let Some(file) = archive.file(path)? else { return Ok(None) };
    let mut nodes = Nodes::new(file);
    let (mut row, mut next_column) = (0_u32, 0);
    let mut cell = Cell::default();
    loop {
        match nodes.step()? {
            Node::Open(element) => match element.name() {
                b"row" => {
                    row = element.number("r").unwrap_or_else(|| row.saturating_add(1));
                    next_column = 0;
                }
                b"c" => cell = begin_cell(&element, next_column),
                b"v" | b"t" => cell.is_value = !cell.is_hint,
                b"rPh" => cell.is_hint = true,
                _ => {}
            },
            Node::Text(part) if cell.is_value => push(&mut cell.value, &part)?,
            Node::Close(element) => match element.name() {
                b"v" | b"t" => cell.is_value = false,
                b"rPh" => cell.is_hint = false,
                b"c" => {
                    next_column = cell.column.saturating_add(1);
                    table.set(cell.column, &context.text(&cell));
                    cell.value.clear();
                }
                b"row" => table.add_row(row)?,
                b"sheetData" => return Ok(Some(table)),
                _ => {}
            },
            Node::End => return Ok(Some(table)),
            Node::Text(_) | Node::Other => {}
        }
    }
}

fn begin_cell(element: &Element<'_>, next_column: usize) -> Cell {
    let style = element.number("s").and_then(|style| usize::try_from(style).ok());
    Cell {
        column: element.attribute("r").and_then(|name| column(&name)).unwrap_or(next_column),
        kind: element.attribute("t").unwrap_or_default(),
        style: style.unwrap_or_default(),
        ..Cell::default()
    }
}

/// Returns the index of a column from the name of a cell: 27 for `AB7`.
fn column(name: &str) -> Option<usize> {
    let letters = name.bytes().take_while(u8::is_ascii_alphabetic);
    let number = letters.take(4).fold(0_usize, |number, letter| {
        number * 26 + usize::from(letter.to_ascii_uppercase() - b'A') + 1
    });
    number.checked_sub(1)
}

impl Context {
    /// Returns the text of a cell; of a formula, its result.
    fn text(&self, cell: &Cell) -> String {
        let value = cell.value.trim();
        match cell.kind.as_str() {
            "s" => {
                value.parse().map(|index| self.strings.get(index)).unwrap_or_default().to_owned()
            }
            "b" if value == "1" => "TRUE".to_owned(),
            "b" if value == "0" => "FALSE".to_owned(),
            "" | "n" => {
                let display = self.styles.get(cell.style);
                cell_text(value, 0, display, self.epoch)
            }
            // Dates of ISO 8601, texts and errors.
            _ => value.to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_cells_are_columns() {
        let columns = ["A1", "Z9", "AB7", "XFD1", "7", ""].map(column);
        let expected = [Some(0), Some(25), Some(27), Some(16_383), None, None];
        assert_eq!(columns, expected);
    }

    #[test]
    fn targets_are_paths() {
        for (folder, target, expected) in [
            ("xl", "worksheets/sheet1.xml", "xl/worksheets/sheet1.xml"),
            ("xl", "/xl/styles.xml", "xl/styles.xml"),
            ("xl/a", "../b/./c.xml", "xl/b/c.xml"),
            ("", "../../x", "x"),
        ] {
            assert_eq!(resolve(folder, target), expected);
        }
    }
}
