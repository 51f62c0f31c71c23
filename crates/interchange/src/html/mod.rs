//! Reports as a page for a browser and its printer.
//!
//! The page is complete and contains no script, no link and no address; all of its style stands in
//! one `style` element, and every text is escaped. A server can forbid everything else:
//!
//! ```text
//! Content-Security-Policy: default-src 'none'; style-src 'sha256-...'; sandbox allow-modals
//! ```
//!
//! with the hash of [`style`]. In print, the header of the table is repeated on each page, and the
//! margins contain book, report, period, event and page numbers. A printer cannot repeat the title
//! of a section, so each account of a general ledger is a table of its own with the name of
//! the account in its header. Negative amounts are in parentheses, and zero is a dash.
//!
//! A page that was cut short says so, because it lacks the controls at its end. It does so without
//! a script: the style shows the warning while the element `end` is missing.

mod markup;
mod page;
mod table;

use daybook_domain::amount::DecimalSeparator;
use daybook_domain::report::{Column, Control, Heading, Report, ReportKind, Row};
use maud::{PreEscaped, html};

use crate::facts::{self, Fact};
use crate::look::{Look, Looks};
use crate::notation::Notation;
use table::Table;

pub use page::style;

/// Writes a complete report.
#[must_use]
pub fn write(report: &Report, separator: DecimalSeparator) -> Vec<u8> {
    let mut out = Vec::new();
    let mut writer = Writer::begin(&mut out, &report.heading, &report.columns, separator);
    for row in &report.rows {
        writer.row(&mut out, row);
    }
    writer.finish(&mut out, &report.controls);
    out
}

/// Writes a report row by row.
#[derive(Debug)]
pub struct Writer {
    table: Table,
    looks: Looks,
    notation: Notation,
    origin: [Fact; 3],
    /// Whether each section is a table.
    splits: bool,
    is_table_open: bool,
    has_rows: bool,
}

impl Writer {
    /// Writes the title of the page.
    pub fn begin(
        out: &mut Vec<u8>,
        heading: &Heading,
        columns: &[Column],
        separator: DecimalSeparator,
    ) -> Self {
        page::begin(out, heading, columns);
        let notation = Notation::new(heading, separator);
        Self {
            table: Table::new(heading, columns, notation),
            looks: Looks::new(heading.kind),
            notation,
            origin: facts::origin(heading),
            splits: heading.kind == ReportKind::GeneralLedger,
            is_table_open: false,
            has_rows: false,
        }
    }

    /// Writes a row.
    pub fn row(&mut self, out: &mut Vec<u8>, row: &Row) {
        self.has_rows = true;
        let look = self.looks.next(row);
        let is_title_of_table = self.splits && matches!(look, Look::Section | Look::Group);
        if is_title_of_table {
            self.close_table(out);
        }
        if !self.is_table_open {
            self.is_table_open = true;
            self.table.open(out, is_title_of_table.then_some(row));
        }
        if !is_title_of_table {
            self.table.row(out, row, look);
        }
    }

    /// Writes the controls and the end of the page.
    pub fn finish(mut self, out: &mut Vec<u8>, controls: &[Control]) {
        if !self.has_rows {
            self.table.open(out, None);
            self.is_table_open = true;
        }
        self.close_table(out);
        let notation = self.notation;
        let end = html! {
            @if !self.has_rows { p.none { "There is nothing to report." } }
            section #end {
                @for control in controls {
                    @if control.holds() {
                        p.holds { "\u{2713} " (control.label) ": " (notation.comparison(control)) }
                    } @else {
                        p.fails { "\u{2717} " (control.label) ": " (notation.comparison(control)) }
                    }
                }
            }
            footer {
                dl { @for fact in &self.origin { div { dt { (fact.label) } dd { (fact.value) } } } }
            }
            (PreEscaped("</main></body></html>"))
        };
        markup::append(out, end);
    }

    fn close_table(&mut self, out: &mut Vec<u8>) {
        if std::mem::take(&mut self.is_table_open) {
            Table::close(out);
        }
    }
}

#[cfg(test)]
mod tests;
