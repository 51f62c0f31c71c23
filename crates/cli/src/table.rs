//! Tables that fit a terminal and never shorten an amount.

use std::fmt::Write;

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// The gap between columns.
const GAP: &str = "  ";
/// The narrowest that a column of text becomes.
const MIN_TEXT: usize = 8;
/// The narrowest that it becomes while columns of amounts can be divided.
const MIN_LABEL: usize = 20;

/// The content of a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Text that may be shortened in its middle.
    Text,
    /// Text that is never shortened, such as an id or a date.
    Key,
    /// An amount or a number: never shortened, and aligned to the right.
    Amount,
}

/// How a row looks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Look {
    /// An ordinary row.
    Plain,
    /// A heading, subtotal or total.
    Strong,
}

/// A table.
#[derive(Debug, Default)]
pub(crate) struct Table {
    columns: Vec<(String, Kind)>,
    rows: Vec<(Look, Vec<String>)>,
}

impl Table {
    /// Returns a table without rows.
    pub(crate) fn new(columns: &[(&str, Kind)]) -> Self {
        let columns = columns.iter().map(|(title, kind)| ((*title).to_owned(), *kind));
        Self { columns: columns.collect(), rows: Vec::new() }
    }

    /// Adds a column.
    pub(crate) fn add_column(&mut self, title: impl Into<String>, kind: Kind) {
        self.columns.push((title.into(), kind));
    }

    /// Adds a row.
    pub(crate) fn add(&mut self, cells: Vec<String>) {
        self.rows.push((Look::Plain, cells));
    }

    /// Adds a row with a look.
    pub(crate) fn add_looking(&mut self, look: Look, cells: Vec<String>) {
        self.rows.push((look, cells));
    }

    /// Returns whether the table has no rows.
    pub(crate) fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Returns the rows separated by tabs, without titles.
    pub(crate) fn to_tsv(&self) -> String {
        let mut text = String::new();
        for (_, cells) in &self.rows {
            let cells: Vec<String> = cells
                .iter()
                .map(|cell| cell.trim_start().replace(['\t', '\n', '\r'], " "))
                .collect();
            text.push_str(&cells.join("\t"));
            text.push('\n');
        }
        text
    }

    /// Returns the table as CSV (RFC 4180), with titles.
    pub(crate) fn to_csv(&self) -> String {
        let titles: Vec<String> = self.columns.iter().map(|(title, _)| title.clone()).collect();
        let mut text = csv_line(&titles);
        for (_, cells) in &self.rows {
            text.push_str(&csv_line(cells));
        }
        text
    }

    /// Returns the table in aligned columns.
    ///
    /// Empty columns are left out. Columns of text become narrower to fit `width`. If that is not
    /// enough, several columns of amounts are divided into blocks, each with the labels before it.
    pub(crate) fn to_text(&self, width: usize, has_color: bool) -> String {
        let mut widths = self.widths();
        let has_content = |index: &usize| {
            let mut cells = self.rows.iter().filter_map(|(_, cells)| cells.get(*index));
            cells.any(|cell| !cell.is_empty())
        };
        let all: Vec<usize> = (0..self.columns.len()).filter(has_content).collect();
        let amounts = self.of_kind(Kind::Amount);
        let (amounts, others): (Vec<usize>, Vec<usize>) =
            all.iter().copied().partition(|index| amounts.contains(index));
        let can_divide = amounts.len() > 2 && others.len() == 1;
        let narrowest = if can_divide { MIN_LABEL } else { MIN_TEXT };
        self.shrink(&mut widths, &all, width, narrowest);
        if total(&widths, &all) <= width || !can_divide {
            return self.block(&all, &widths, has_color);
        }
        if let Some(widest) = amounts.iter().filter_map(|index| widths.get(*index)).max().copied() {
            let room = width.saturating_sub(widest).saturating_sub(GAP.len());
            self.shrink(&mut widths, &others, room, MIN_TEXT);
        }
        let mut blocks: Vec<Vec<usize>> = Vec::new();
        for index in amounts {
            let fits = blocks.last().is_some_and(|block| {
                let mut wider = block.clone();
                wider.push(index);
                total(&widths, &wider) <= width
            });
            match blocks.last_mut() {
                Some(block) if fits => block.push(index),
                _ => {
                    let mut block = others.clone();
                    block.push(index);
                    blocks.push(block);
                }
            }
        }
        let texts = blocks.iter().map(|block| self.block(block, &widths, has_color));
        texts.collect::<Vec<_>>().join("\n")
    }

    /// Returns the width of each column.
    fn widths(&self) -> Vec<usize> {
        let mut widths: Vec<usize> = self.columns.iter().map(|(title, _)| title.width()).collect();
        for (_, cells) in &self.rows {
            for (width, cell) in widths.iter_mut().zip(cells) {
                *width = (*width).max(one_line(cell).width());
            }
        }
        widths
    }

    fn of_kind(&self, wanted: Kind) -> Vec<usize> {
        let columns = self.columns.iter().enumerate();
        columns.filter(|(_, (_, kind))| *kind == wanted).map(|(index, _)| index).collect()
    }

    /// Makes the widest column of text narrower until the columns fit.
    fn shrink(&self, widths: &mut [usize], shown: &[usize], limit: usize, least: usize) {
        let texts = self.of_kind(Kind::Text);
        while total(widths, shown) > limit {
            let columns = widths.iter_mut().enumerate();
            let widest = columns
                .filter(|(index, width)| texts.contains(index) && **width > least)
                .max_by_key(|(_, width)| **width);
            let Some((_, width)) = widest else { return };
            *width = width.saturating_sub(1);
        }
    }

    fn block(&self, shown: &[usize], widths: &[usize], has_color: bool) -> String {
        let mut text = String::new();
        if self.columns.iter().any(|(title, _)| !title.is_empty()) {
            let titles: Vec<String> = self.columns.iter().map(|(title, _)| title.clone()).collect();
            self.line(&mut text, shown, widths, &titles, has_color.then_some("\u{1b}[2m"));
        }
        for (look, cells) in &self.rows {
            let style = (has_color && *look == Look::Strong).then_some("\u{1b}[1m");
            let start = text.len();
            self.line(&mut text, shown, widths, cells, style);
            let is_strong = *look == Look::Strong;
            if has_color && !is_strong {
                let line = text.split_off(start);
                text.push_str(&self.with_red(&line, cells));
            }
        }
        text
    }

    /// Colours negative amounts, which have a sign too.
    fn with_red(&self, line: &str, cells: &[String]) -> String {
        let mut line = line.to_owned();
        for (cell, (_, kind)) in cells.iter().zip(&self.columns) {
            if *kind == Kind::Amount && cell.starts_with('-') {
                let padded = format!(" {cell}");
                line = line.replace(&padded, &format!(" \u{1b}[31m{cell}\u{1b}[0m"));
            }
        }
        line
    }

    fn line(
        &self,
        text: &mut String,
        shown: &[usize],
        widths: &[usize],
        cells: &[String],
        style: Option<&str>,
    ) {
        let mut line = String::new();
        for (position, index) in shown.iter().enumerate() {
            let width = widths.get(*index).copied().unwrap_or_default();
            let kind = self.columns.get(*index).map_or(Kind::Text, |(_, kind)| *kind);
            let cell = cells.get(*index).map(|cell| one_line(cell)).unwrap_or_default();
            if position > 0 {
                line.push_str(GAP);
            }
            let cell = if kind == Kind::Text { shorten(&cell, width) } else { cell };
            let padding = " ".repeat(width.saturating_sub(cell.width()));
            match kind {
                Kind::Amount => line.push_str(&format!("{padding}{cell}")),
                Kind::Text | Kind::Key => line.push_str(&format!("{cell}{padding}")),
            }
        }
        let line = line.trim_end();
        // Writing to a string does not fail.
        let _ = match style {
            Some(style) => writeln!(text, "{style}{line}\u{1b}[0m"),
            None => writeln!(text, "{line}"),
        };
    }
}

fn total(widths: &[usize], shown: &[usize]) -> usize {
    let gaps = shown.len().saturating_sub(1).saturating_mul(GAP.len());
    shown.iter().filter_map(|index| widths.get(*index)).sum::<usize>().saturating_add(gaps)
}

fn one_line(cell: &str) -> String {
    cell.replace(['\n', '\r', '\t'], " ")
}

/// Shortens a text in its middle.
fn shorten(text: &str, width: usize) -> String {
    if text.width() <= width {
        return text.to_owned();
    }
    let room = width.saturating_sub(1);
    let tail = take(text.chars().rev(), room / 3).chars().rev().collect::<String>();
    let head = take(text.chars(), room.saturating_sub(tail.width()));
    format!("{head}…{tail}")
}

fn take(chars: impl Iterator<Item = char>, width: usize) -> String {
    let (mut taken, mut used) = (String::new(), 0_usize);
    for char in chars {
        used = used.saturating_add(char.width().unwrap_or_default());
        if used > width {
            break;
        }
        taken.push(char);
    }
    taken
}

fn csv_line(cells: &[String]) -> String {
    let quoted = cells.iter().map(|cell| {
        let cell = cell.trim_start();
        match cell.contains([',', '"', '\n', '\r']) {
            true => format!("\"{}\"", cell.replace('"', "\"\"")),
            false => cell.to_owned(),
        }
    });
    format!("{}\r\n", quoted.collect::<Vec<_>>().join(","))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table() -> Table {
        let mut table = Table::new(&[
            ("Account", Kind::Text),
            ("January", Kind::Amount),
            ("February", Kind::Amount),
            ("March", Kind::Amount),
        ]);
        let row = |cells: [&str; 4]| cells.map(str::to_owned).to_vec();
        table.add(row(["Household insurance of the car", "1234567.89", "-5.00", "1.00"]));
        table.add(row(["Größe", "0.10", "2.00", "3.00"]));
        table
    }

    #[test]
    fn wide_table_is_aligned() {
        assert_eq!(
            table().to_text(80, false),
            "Account                            January  February  March\n\
             Household insurance of the car  1234567.89     -5.00   1.00\n\
             Größe                                 0.10      2.00   3.00\n"
        );
    }

    #[test]
    fn narrow_table_shortens_text_alone() {
        assert_eq!(
            table().to_text(50, false),
            "Account                   January  February  March\n\
             Household insu…he car  1234567.89     -5.00   1.00\n\
             Größe                        0.10      2.00   3.00\n"
        );
    }

    #[test]
    fn too_narrow_table_is_divided_into_blocks() {
        assert_eq!(
            table().to_text(38, false),
            "Account                  January\n\
             Household ins…he car  1234567.89\n\
             Größe                       0.10\n\
             \n\
             Account               February  March\n\
             Household ins…he car     -5.00   1.00\n\
             Größe                     2.00   3.00\n"
        );
    }

    #[test]
    fn csv_quotes_what_needs_it() {
        let mut table = Table::new(&[("A", Kind::Text)]);
        table.add(vec!["  say \"hi\", twice".to_owned()]);
        assert_eq!(table.to_csv(), "A\r\n\"say \"\"hi\"\", twice\"\r\n");
    }

    #[test]
    fn color_marks_negative_amounts() {
        let text = table().to_text(80, true);
        assert!(text.contains(" \u{1b}[31m-5.00\u{1b}[0m"), "{text}");
    }
}
