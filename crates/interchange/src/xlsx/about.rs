//! The sheet `About`: the facts of the heading, and the controls.

use daybook_domain::report::{Control, Report};
use rust_xlsxwriter::{FormatAlign, Worksheet, XlsxError};

use super::cell::{Figure, fitting};
use super::format::{Content, Formats, alarm, header, label, title};
use crate::facts;
use crate::look::Look;

/// The name of the sheet.
pub(super) const NAME: &str = "About";

pub(super) fn write(sheet: &mut Worksheet, report: &Report) -> Result<(), XlsxError> {
    sheet.set_name(NAME)?.set_screen_gridlines(false);
    sheet.set_column_width(0, 36)?;
    sheet.set_column_range_width(1, 3, 18)?.set_print_fit_to_pages(1, 0);
    sheet.write_string_with_format(0, 0, "About this report", &title())?;
    let mut row = 2;
    for fact in facts::all(&report.heading) {
        sheet.write_string_with_format(row, 0, fact.label, &label())?;
        sheet.write_string(row, 1, fitting(&fact.value))?;
        row += 1;
    }
    if report.controls.is_empty() {
        return Ok(());
    }
    row += 1;
    sheet.write_string_with_format(row, 0, "Control", &header(FormatAlign::Left))?;
    for (column, text) in [(1, "Left"), (2, "Right"), (3, "Result")] {
        sheet.write_string_with_format(row, column, text, &header(FormatAlign::Right))?;
    }
    let mut formats = Formats::default();
    for control in &report.controls {
        row += 1;
        write_control(sheet, row, control, report, &mut formats)?;
    }
    Ok(())
}

fn write_control(
    sheet: &mut Worksheet,
    row: u32,
    control: &Control,
    report: &Report,
    formats: &mut Formats,
) -> Result<(), XlsxError> {
    sheet.write_string(row, 0, fitting(&control.label))?;
    for (column, units) in [(1, control.left), (2, control.right)] {
        let figure = if control.is_count {
            Figure::new(units, 0, 0)
        } else {
            Figure::amount(units, &report.heading)
        };
        let Figure { text, decimals, number } = figure;
        match number {
            Some(number) => {
                let format = formats.get(Look::Line, Content::Amount(decimals));
                sheet.write_number_with_format(row, column, number, format)?;
            }
            None => {
                let format = formats.get(Look::Line, Content::LongAmount);
                sheet.write_string_with_format(row, column, &text, format)?;
            }
        }
    }
    if control.holds() {
        let format = formats.get(Look::Line, Content::LongAmount);
        sheet.write_string_with_format(row, 3, "holds", format)?;
    } else {
        let format = alarm().set_align(FormatAlign::Right);
        sheet.write_string_with_format(row, 3, "does not hold", &format)?;
    }
    Ok(())
}
