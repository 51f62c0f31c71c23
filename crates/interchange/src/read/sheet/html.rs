//! Tables of HTML pages, which some banks call workbooks.

use super::Table;
use super::choice::Choice;
use crate::read::entities;
use crate::read::limits::{MAX_DEPTH, MAX_FIELD_BYTES, MAX_FIELDS};
use crate::read::problem::{Kind, Problem};
use crate::read::text::{collapse, position_after};

/// Offers the tables of a page, an inner one before the one around it.
pub(crate) fn find_table(text: &str, choice: &mut Choice<'_>) -> Result<(), Problem> {
    let mut reader = Reader::default();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('<') {
        reader.text(before);
        rest = after;
        if let Some(comment) = after.strip_prefix("!--") {
            rest = comment.split_once("-->").map_or("", |(_, after)| after);
            continue;
        }
        // A `<` that begins no tag is text.
        if !after.starts_with(|c: char| c.is_ascii_alphabetic() || c == '/' || c == '!') {
            reader.text("<");
            continue;
        }
        let (tag, after) = split_tag(after);
        let name = tag.split(|c: char| c.is_whitespace() || c == '/').find(|name| !name.is_empty());
        let name = name.unwrap_or_default().to_ascii_lowercase();
        let is_end = tag.starts_with('/');
        rest = after;
        if !is_end && matches!(name.as_str(), "script" | "style" | "title" | "comment") {
            rest = behind_end(rest, &name);
        }
        let outcome = if is_end { reader.close(&name) } else { reader.open(&name, tag) };
        let place = || position_after(text.get(..text.len() - after.len()).unwrap_or_default());
        if let Some(table) = outcome.map_err(|kind| Problem::at(place(), kind))?
            && choice.offer(table)?
        {
            return Ok(());
        }
    }
    reader.text(rest);
    // A page that was cut short.
    while let Some(table) = reader.end_table().map_err(Problem::of_file)? {
        if choice.offer(table)? {
            break;
        }
    }
    Ok(())
}

/// Splits a tag off; quoted values of attributes may contain `>`.
fn split_tag(text: &str) -> (&str, &str) {
    let mut quote = None;
    for (at, c) in text.char_indices() {
        match (quote, c) {
            (None, '>') => {
                let (tag, after) = text.split_at(at);
                return (tag, after.get(1..).unwrap_or_default());
            }
            (None, '"' | '\'') => quote = Some(c),
            (Some(open), _) if open == c => quote = None,
            // A quote that is not closed within a tag.
            (Some(_), '<') => quote = None,
            _ => {}
        }
    }
    (text, "")
}

/// Returns what follows the end of an element without markup.
fn behind_end<'a>(text: &'a str, name: &str) -> &'a str {
    let mut rest = text;
    while let Some((_, after)) = rest.split_once("</") {
        let tag = after.get(..name.len()).unwrap_or_default();
        if tag.eq_ignore_ascii_case(name) {
            return after.split_once('>').map_or("", |(_, after)| after);
        }
        rest = after;
    }
    ""
}

/// The open tables.
#[derive(Default)]
struct Reader {
    open: Vec<Open>,
    tables: usize,
}

/// An open table.
struct Open {
    table: Table,
    /// The rows that are complete.
    row: u32,
    column: usize,
    cell: Option<Cell>,
}

struct Cell {
    text: String,
    /// The columns that it covers.
    span: usize,
}

impl Reader {
    fn text(&mut self, text: &str) {
        let cell = self.open.last_mut().and_then(|open| open.cell.as_mut());
        if let Some(cell) = cell.filter(|cell| cell.text.len() <= MAX_FIELD_BYTES) {
            cell.text.push_str(text);
        }
    }

    fn open(&mut self, name: &str, tag: &str) -> Result<Option<Table>, Kind> {
        match name {
            "table" => {
                if self.open.len() >= MAX_DEPTH {
                    return Err(Kind::TooDeep);
                }
                self.tables += 1;
                let table = Table::new(&format!("table {}", self.tables));
                self.open.push(Open { table, row: 0, column: 0, cell: None });
            }
            "tr" | "tbody" | "thead" | "tfoot" => self.end_row()?,
            "td" | "th" => {
                if let Some(open) = self.open.last_mut() {
                    open.end_cell();
                    open.cell = Some(Cell { text: String::new(), span: span(tag) });
                }
            }
            "br" | "p" | "div" | "li" => self.text(" "),
            _ => {}
        }
        Ok(None)
    }

    fn close(&mut self, name: &str) -> Result<Option<Table>, Kind> {
        match name {
            "td" | "th" => {
                if let Some(open) = self.open.last_mut() {
                    open.end_cell();
                }
            }
            "tr" => self.end_row()?,
            "table" => return self.end_table(),
            _ => {}
        }
        Ok(None)
    }

    fn end_row(&mut self) -> Result<(), Kind> {
        let Some(open) = self.open.last_mut() else { return Ok(()) };
        open.end_cell();
        if open.column == 0 {
            return Ok(());
        }
        open.column = 0;
        open.row = open.row.saturating_add(1);
        open.table.add_row(open.row).map_err(|problem| problem.kind)
    }

    fn end_table(&mut self) -> Result<Option<Table>, Kind> {
        self.end_row()?;
        Ok(self.open.pop().map(|open| open.table))
    }
}

impl Open {
    fn end_cell(&mut self) {
        let Some(cell) = self.cell.take() else { return };
        self.table.set(self.column, &collapse(&entities::decode(&cell.text)));
        self.column = self.column.saturating_add(cell.span);
    }
}

/// Returns the columns that a cell covers.
fn span(tag: &str) -> usize {
    let lower = tag.to_ascii_lowercase();
    let value =
        lower.split_once("colspan").and_then(|(_, after)| after.trim_start().strip_prefix('='));
    let value = value.unwrap_or_default().trim_start().trim_start_matches(['"', '\'']);
    let digits = value.split(|c: char| !c.is_ascii_digit()).next().unwrap_or_default();
    digits.parse().unwrap_or(1).clamp(1, MAX_FIELDS)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(text: &str, name: &str) -> String {
        let mut choice = Choice::new(None, Some(name));
        find_table(text, &mut choice).unwrap();
        choice.finish().map(|table| table.text().replace('\t', "|")).unwrap_or_default()
    }

    #[test]
    fn tables_are_read() {
        for (text, expected) in [
            (
                "<table><tr><td>a</td><th>b &amp; c<br>d</th></tr><tr><td>e</table>",
                "a|b & c d\ne\n",
            ),
            ("<TABLE border=1><TR><TD title='a>b'>x<TD COLSPAN = \"2\">y<TD>z", "x|y||z\n"),
            ("<table><tr><td><script>if (a<b) '</td>'</script>x<!-- <td> -->", "x\n"),
            ("<table><tr><td>a < b<td><b>c</b><tr><td>&nbsp;</td></tr><tr><td>d", "a < b|c\n\nd\n"),
            ("<p>none", ""),
            ("<table><tr><td a='", ""),
        ] {
            assert_eq!(table(text, "table 1"), expected, "{text}");
        }
        let nested = "<table><tr><td><table><tr><td>in</table>out</td></tr></table>";
        assert_eq!(
            (table(nested, "table 2"), table(nested, "table 1")),
            ("in\n".into(), "out\n".into())
        );
        let deep = "<table>".repeat(MAX_DEPTH + 1);
        assert!(find_table(&deep, &mut Choice::new(None, None)).is_err());
    }
}
