//! Results as a table for people and as JSON.

use std::fmt;

use comfy_table::presets::UTF8_FULL_CONDENSED;
use comfy_table::{CellAlignment, ColumnConstraint, ContentArrangement, Width};
use serde_json::{Value, json};

/// The widest printed line.
pub const WIDTH: usize = 120;

/// The padding of a cell.
const PADDING: u16 = 2;

/// A column with longer values may wrap them.
const LONG: usize = 24;

/// One value of a table.
#[derive(Clone, Debug)]
pub enum Cell {
    /// Left-aligned text.
    Text(String),
    /// A count, with thousands separators.
    Count(u64),
    /// A number with this many decimals.
    Figure(f64, usize),
    /// A preformatted number.
    Exact(String),
    /// No value.
    Empty,
}

impl From<&str> for Cell {
    fn from(text: &str) -> Cell {
        Cell::Text(text.to_owned())
    }
}

impl From<String> for Cell {
    fn from(text: String) -> Cell {
        Cell::Text(text)
    }
}

impl From<u64> for Cell {
    fn from(count: u64) -> Cell {
        Cell::Count(count)
    }
}

impl From<usize> for Cell {
    fn from(count: usize) -> Cell {
        Cell::Count(count as u64)
    }
}

impl Cell {
    /// A measured number without decimals.
    pub fn whole(figure: f64) -> Cell {
        Cell::Figure(figure, 0)
    }

    /// A ratio.
    pub fn ratio(figure: f64) -> Cell {
        Cell::Figure(figure, 2)
    }

    /// A number next to its target.
    pub fn against(figure: f64, target: Target) -> Cell {
        let reached = match target {
            Target::AtLeast(bound) => figure >= bound,
            Target::AtMost(bound) => figure <= bound,
        };
        Cell::Text(format!("{target} {}", if reached { '✓' } else { '✗' }))
    }

    fn alignment(&self) -> CellAlignment {
        match self {
            Cell::Text(_) => CellAlignment::Left,
            Cell::Count(_) | Cell::Figure(..) | Cell::Exact(_) | Cell::Empty => {
                CellAlignment::Right
            }
        }
    }

    fn to_json(&self) -> Value {
        match self {
            Cell::Text(text) | Cell::Exact(text) => json!(text),
            Cell::Count(count) => json!(count),
            Cell::Figure(figure, _) => json!(figure),
            Cell::Empty => Value::Null,
        }
    }
}

impl fmt::Display for Cell {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Cell::Text(text) | Cell::Exact(text) => formatter.write_str(text),
            Cell::Count(count) => formatter.write_str(&thousands(&count.to_string())),
            Cell::Figure(figure, decimals) => {
                formatter.write_str(&thousands(&format!("{figure:.decimals$}")))
            }
            Cell::Empty => Ok(()),
        }
    }
}

/// The target of a number. Shown, never enforced: a loaded machine must not fail a run.
#[derive(Clone, Copy, Debug)]
pub enum Target {
    /// More is better.
    AtLeast(f64),
    /// Less is better.
    AtMost(f64),
}

impl fmt::Display for Target {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Target::AtLeast(bound) => write!(formatter, "≥ {bound}"),
            Target::AtMost(bound) => write!(formatter, "≤ {bound}"),
        }
    }
}

/// Inserts thousands separators: `-1234567.50` becomes `-1,234,567.50`.
pub fn thousands(number: &str) -> String {
    let (sign, digits) = number.strip_prefix('-').map_or(("", number), |digits| ("-", digits));
    let (whole, fraction) = digits.find('.').map_or((digits, ""), |point| digits.split_at(point));
    let mut grouped = String::from(sign);
    for (place, digit) in whole.char_indices() {
        if place > 0 && (whole.len() - place).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped + fraction
}

/// Rows with a title and a description of the method.
#[derive(Clone, Debug)]
pub struct Table {
    name: &'static str,
    title: String,
    method: String,
    columns: Vec<&'static str>,
    rows: Vec<Vec<Cell>>,
}

impl Table {
    /// An empty table; the name is its key in JSON.
    pub fn new(name: &'static str, title: &str, columns: &[&'static str]) -> Table {
        Table {
            name,
            title: title.to_owned(),
            method: String::new(),
            columns: columns.to_vec(),
            rows: Vec::new(),
        }
    }

    /// Sets the description of the method.
    pub fn method(mut self, method: impl Into<String>) -> Table {
        self.method = method.into();
        self
    }

    /// Adds a row with one cell per column.
    pub fn row(&mut self, cells: impl IntoIterator<Item = Cell>) {
        let row: Vec<Cell> = cells.into_iter().collect();
        assert_eq!(row.len(), self.columns.len(), "{}: a cell per column", self.name);
        self.rows.push(row);
    }

    /// The longest value of a column.
    fn width(&self, column: usize) -> u16 {
        let cells = self.rows.iter().filter_map(|row| row.get(column));
        let longest = cells.map(|cell| cell.to_string().chars().count()).max();
        u16::try_from(longest.unwrap_or_default().min(LONG)).expect("a short text")
    }

    /// The key of the table in JSON.
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// The table as JSON, with an object per row.
    pub fn to_json(&self) -> Value {
        let row = |cells: &Vec<Cell>| -> Value {
            let pairs = self.columns.iter().zip(cells);
            pairs.map(|(column, cell)| ((*column).to_owned(), cell.to_json())).collect()
        };
        let rows: Vec<Value> = self.rows.iter().map(row).collect();
        json!({"title": self.title, "method": self.method, "rows": rows})
    }
}

impl fmt::Display for Table {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut table = comfy_table::Table::new();
        table
            .load_style(UTF8_FULL_CONDENSED)
            .set_content_arrangement(ContentArrangement::Dynamic)
            .set_width(u16::try_from(WIDTH).expect("a narrow page"));
        let numeric = |column: usize| {
            let cells = self.rows.iter().filter_map(|row| row.get(column));
            cells.clone().count() > 0
                && cells.map(Cell::alignment).all(|alignment| alignment == CellAlignment::Right)
        };
        table.set_header(self.columns.iter().enumerate().map(|(at, column)| {
            let cell = comfy_table::Cell::new(column);
            if numeric(at) { cell.set_alignment(CellAlignment::Right) } else { cell }
        }));
        for row in &self.rows {
            table.add_row(
                row.iter().map(|cell| comfy_table::Cell::new(cell).set_alignment(cell.alignment())),
            );
        }
        // Headings may wrap, values may not.
        table.set_constraints(
            (0..self.columns.len())
                .map(|at| ColumnConstraint::LowerBoundary(Width::Fixed(self.width(at) + PADDING))),
        );
        writeln!(formatter, "{}", self.title)?;
        for line in wrap(&self.method, WIDTH) {
            writeln!(formatter, "{line}")?;
        }
        write!(formatter, "{table}")
    }
}

/// Wraps a text at this width.
pub fn wrap(text: &str, width: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        match lines.last_mut() {
            Some(line) if line.chars().count() + 1 + word.chars().count() <= width => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thousands_are_set_apart() {
        for (plain, grouped) in [
            ("0", "0"),
            ("999", "999"),
            ("1000", "1,000"),
            ("-1234567.50", "-1,234,567.50"),
            ("-123.4", "-123.4"),
        ] {
            assert_eq!(thousands(plain), grouped);
        }
    }

    #[test]
    fn text_is_wrapped_at_words() {
        assert_eq!(wrap("one two  three", 7), ["one two", "three"]);
        assert_eq!(wrap("", 7), Vec::<String>::new());
    }
}
