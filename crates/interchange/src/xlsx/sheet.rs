//! The sheet of the report.

use std::collections::HashSet;

use daybook_domain::calendar;
use daybook_domain::report::{Cell, Column, ColumnKind, Heading, Report, Row};
use rust_xlsxwriter::{
    ExcelDateTime, FormatAlign, Formula, Note, Worksheet, XlsxError, cell_range,
};

use super::cell::{Figure, addend, day, fitting, whole};
use super::format::{Content, Formats, alarm, header, over, subtitle, title};
use super::{about, error::Error};
use crate::look::{Look, Looks};
use crate::{facts, notation};

/// The outline levels of Excel.
const MAX_LEVELS: u8 = 7;

/// The narrowest and the widest column, in characters.
const WIDTHS: (usize, usize) = (9, 60);

/// The height of the title of a section, in points; other rows have 15.
const SECTION_HEIGHT: u8 = 24;

/// The characters that fit on a page in portrait.
const PORTRAIT: usize = 120;

pub(super) fn write(sheet: &mut Worksheet, report: &Report) -> Result<(), Error> {
    sheet.set_name(sheet_name(&report.heading.title))?.set_screen_gridlines(false);
    let header = write_title(sheet, report)?;
    let first = write_header(sheet, &report.columns, header)?;
    let mut table = Table {
        sheet,
        report,
        first,
        formats: Formats::default(),
        formulas: HashSet::new(),
        widths: report.columns.iter().map(|column| column.label.chars().count()).collect(),
    };
    let mut looks = Looks::new(report.heading.kind);
    for (index, row) in report.rows.iter().enumerate() {
        let look = looks.next(row);
        table.write_row(index, row, look)?;
    }
    let widths = table.widths;
    group_rows(sheet, &report.rows, first)?;
    set_widths(sheet, &widths)?;
    set_up_printing(sheet, report, header, first)?;
    if widths.iter().sum::<usize>() > PORTRAIT {
        sheet.set_landscape();
    }
    Ok(())
}

/// Writes what the report is about, and returns the first row of the header.
fn write_title(sheet: &mut Worksheet, report: &Report) -> Result<u32, XlsxError> {
    let heading = &report.heading;
    sheet.write_string_with_format(0, 0, fitting(&heading.book_name), &title())?;
    let line = format!("{} \u{b7} {}", heading.title, heading.period);
    sheet.write_string_with_format(1, 0, fitting(&line), &title().set_font_size(12))?;
    let conditions: Vec<String> =
        facts::conditions(heading).into_iter().map(|fact| fact.value).collect();
    sheet.write_string_with_format(2, 0, fitting(&conditions.join(" \u{b7} ")), &subtitle())?;
    if report.controls.iter().any(|control| !control.holds()) {
        let text = format!("A control does not hold: see the sheet {}", about::NAME);
        sheet.write_string_with_format(3, 0, text, &alarm())?;
    }
    Ok(5)
}

/// Writes the labels of the columns, and returns the row below them.
fn write_header(sheet: &mut Worksheet, columns: &[Column], first: u32) -> Result<u32, XlsxError> {
    let has_over = columns.iter().any(|column| column.over.is_some());
    let labels = first + u32::from(has_over);
    let mut start = 0;
    for group in columns.chunk_by(|left, right| left.over.is_some() && left.over == right.over) {
        let end = start + group.len();
        if let Some(text) = group.first().and_then(|column| column.over.as_deref()) {
            let (left, right) = (column_number(start)?, column_number(end - 1)?);
            if left == right {
                sheet.write_string_with_format(first, left, text, &over())?;
            } else {
                sheet.merge_range(first, left, first, right, text, &over())?;
            }
        }
        start = end;
    }
    for (index, column) in columns.iter().enumerate() {
        let align = match column.kind {
            ColumnKind::Text | ColumnKind::Date | ColumnKind::Instant => FormatAlign::Left,
            ColumnKind::Amount | ColumnKind::Percent | ColumnKind::Number => FormatAlign::Right,
        };
        let number = column_number(index)?;
        sheet.write_string_with_format(labels, number, &column.label, &header(align))?;
    }
    Ok(labels + 1)
}

/// The rows below the header.
struct Table<'a> {
    sheet: &'a mut Worksheet,
    report: &'a Report,
    /// The row of the sheet in which the first row of the report stands.
    first: u32,
    formats: Formats,
    /// The cells, as row and column of the report, that are `SUBTOTAL` formulas.
    formulas: HashSet<(usize, usize)>,
    /// The characters of the longest content of each column.
    widths: Vec<usize>,
}

impl Table<'_> {
    fn write_row(&mut self, index: usize, row: &Row, look: Look) -> Result<(), XlsxError> {
        let line = row_number(self.first, index)?;
        if look == Look::Section {
            self.sheet.set_row_height(line, SECTION_HEIGHT)?;
        }
        let mut indent = u8::try_from(row.depth).unwrap_or(u8::MAX).min(15);
        for (column, cell) in row.cells.iter().enumerate() {
            let number = column_number(column)?;
            let length = match cell {
                Cell::Empty => 0,
                Cell::Text(text) => {
                    let format = self.formats.get(look, Content::Text(indent));
                    self.sheet.write_string_with_format(line, number, fitting(text), format)?;
                    let length = text.chars().count() + usize::from(indent);
                    // Only the first text is indented, and titles run into the next columns.
                    indent = 0;
                    if matches!(look, Look::Section | Look::Group) { 0 } else { length }
                }
                Cell::Date(date) => {
                    let format = self.formats.get(look, Content::Date);
                    match day(*date) {
                        Some(day) => {
                            self.sheet.write_datetime_with_format(line, number, &day, format)?
                        }
                        None => {
                            let text = calendar::format_iso(*date);
                            self.sheet.write_string_with_format(line, number, text, format)?
                        }
                    };
                    10
                }
                Cell::Instant(at) => {
                    let format = self.formats.get(look, Content::Instant);
                    match ExcelDateTime::from_timestamp(at.seconds()) {
                        Ok(time) => {
                            self.sheet.write_datetime_with_format(line, number, &time, format)?
                        }
                        Err(_) => {
                            let text = notation::clock(*at);
                            self.sheet.write_string_with_format(line, number, text, format)?
                        }
                    };
                    19
                }
                Cell::Amount(units) => {
                    self.write_amount((index, column), *units, row.sums, look)?
                }
                Cell::Percent(tenths) => {
                    let format = self.formats.get(look, Content::Percent);
                    let ratio = Figure::new(i128::from(*tenths), 3, 3).number.unwrap_or_default();
                    self.sheet.write_number_with_format(line, number, ratio, format)?;
                    7
                }
                Cell::Number(value) => {
                    let format = self.formats.get(look, Content::Number);
                    self.sheet.write_number_with_format(line, number, whole(*value), format)?;
                    7
                }
            };
            if let Some(width) = self.widths.get_mut(column) {
                *width = length.max(*width);
            }
        }
        Ok(())
    }

    /// Writes an amount, and returns the number of its characters.
    fn write_amount(
        &mut self,
        (index, column): (usize, usize),
        units: i128,
        sums: u32,
        look: Look,
    ) -> Result<usize, XlsxError> {
        let (line, number) = (row_number(self.first, index)?, column_number(column)?);
        let figure = Figure::amount(units, &self.report.heading);
        // The thousands separators.
        let length = figure.text.len() + figure.text.len() / 3;
        let Some(value) = figure.number else {
            let format = self.formats.get(look, Content::LongAmount);
            self.sheet.write_string_with_format(line, number, figure.text, format)?;
            let note = Note::new("Stored as text: Excel calculates with 15 digits only.")
                .add_author_prefix(false);
            self.sheet.insert_note(line, number, &note)?;
            return Ok(length);
        };
        let summed = usize::try_from(sums).unwrap_or(usize::MAX);
        let start = index
            .checked_sub(summed)
            .filter(|start| *start < index && self.adds_up(*start..index, column, units));
        let format = self.formats.get(look, Content::Amount(figure.decimals));
        if let Some(start) = start {
            let range = cell_range(row_number(self.first, start)?, number, line - 1, number);
            let formula = Formula::new(format!("=SUBTOTAL(9,{range})")).set_result(figure.text);
            self.sheet.write_formula_with_format(line, number, formula, format)?;
            self.formulas.insert((index, column));
        } else {
            self.sheet.write_number_with_format(line, number, value, format)?;
        }
        Ok(length)
    }

    /// Returns whether `SUBTOTAL` over these rows is this amount.
    fn adds_up(&self, rows: std::ops::Range<usize>, column: usize, units: i128) -> bool {
        let mut sum: i128 = 0;
        for index in rows {
            if self.formulas.contains(&(index, column)) {
                continue;
            }
            let cell = self.report.rows.get(index).and_then(|row| row.cells.get(column));
            let Some(total) = addend(cell).and_then(|units| sum.checked_add(units)) else {
                return false;
            };
            sum = total;
        }
        sum == units
    }
}

/// Makes the rows of each sum collapsible.
fn group_rows(sheet: &mut Worksheet, rows: &[Row], first: u32) -> Result<(), XlsxError> {
    let mut levels = vec![0_u8; rows.len()];
    // A later sum contains the earlier ones, so the outer groups come first.
    for (index, row) in rows.iter().enumerate().rev().filter(|(_, row)| row.sums > 0) {
        let summed = usize::try_from(row.sums).unwrap_or(usize::MAX);
        let start = index.saturating_sub(summed);
        let Some(covered) = levels.get_mut(start..index) else { continue };
        if covered.is_empty() || covered.iter().any(|level| *level >= MAX_LEVELS) {
            continue;
        }
        covered.iter_mut().for_each(|level| *level += 1);
        sheet.group_rows(row_number(first, start)?, row_number(first, index - 1)?)?;
    }
    Ok(())
}

fn set_widths(sheet: &mut Worksheet, widths: &[usize]) -> Result<(), XlsxError> {
    for (index, width) in widths.iter().enumerate() {
        let characters = (*width + 2).clamp(WIDTHS.0, WIDTHS.1);
        let width = u32::try_from(characters).unwrap_or_default();
        sheet.set_column_width(column_number(index)?, width)?;
    }
    Ok(())
}

/// Freezes the header, and repeats it with book, report and period on each printed page.
fn set_up_printing(
    sheet: &mut Worksheet,
    report: &Report,
    header: u32,
    first: u32,
) -> Result<(), XlsxError> {
    let Heading { book_name, title, period, head, .. } = &report.heading;
    sheet.set_freeze_panes(first, 1)?;
    sheet.set_repeat_rows(header, first - 1)?;
    let last = row_number(first, report.rows.len().saturating_sub(1))?;
    let last_column = column_number(report.columns.len().saturating_sub(1))?;
    // The title stands in the header of the page.
    sheet.set_print_area(header, 0, last, last_column)?;
    sheet.set_print_fit_to_pages(1, 0);
    let (book_name, title, period) = (escaped(book_name), escaped(title), escaped(period));
    sheet.set_header(format!("&L{book_name}&C&\"-,Bold\"{title}&R{period}"));
    sheet.set_footer(format!("&LEvent {}&RPage &P of &N", head.sequence));
    Ok(())
}

/// Escapes a text for the header of a page, which has room for 255 characters.
fn escaped(text: &str) -> String {
    let short: String = text.chars().take(35).collect();
    short.replace('&', "&&")
}

/// Returns the title as a valid name of a sheet: at most 31 characters, none of `[]:*?/\`.
fn sheet_name(title: &str) -> String {
    let valid = title.chars().filter(|character| !"[]:*?/\\'".contains(*character));
    let name: String = valid.take(31).collect();
    if name.trim().is_empty() || name.eq_ignore_ascii_case(about::NAME) {
        return "Report".to_owned();
    }
    name
}

fn row_number(first: u32, index: usize) -> Result<u32, XlsxError> {
    let index = u32::try_from(index).map_err(|_| XlsxError::RowColumnLimitError)?;
    first.checked_add(index).ok_or(XlsxError::RowColumnLimitError)
}

fn column_number(index: usize) -> Result<u16, XlsxError> {
    u16::try_from(index).map_err(|_| XlsxError::RowColumnLimitError)
}
