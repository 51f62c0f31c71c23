//! The table of a report: its header and its rows.

use daybook_domain::calendar;
use daybook_domain::report::{Cell, Column, ColumnKind, Heading, ReportKind, Row};
use maud::{Markup, PreEscaped, html};

use super::markup::append;
use crate::look::Look;
use crate::notation::{self, Notation};

/// The deepest indentation that the style knows.
const MAX_DEPTH: u32 = 8;

/// The table, or each of the tables, of a report.
#[derive(Debug)]
pub(super) struct Table {
    columns: Vec<Column>,
    notation: Notation,
    class: &'static str,
}

impl Table {
    pub(super) fn new(heading: &Heading, columns: &[Column], notation: Notation) -> Self {
        let class = match heading.kind {
            // The tables of all accounts have columns of the same widths.
            ReportKind::GeneralLedger => "entries accounts",
            ReportKind::Journal | ReportKind::Changes => "entries",
            ReportKind::TrialBalance
            | ReportKind::BalanceSheet
            | ReportKind::IncomeStatement
            | ReportKind::CashFlow => "statement",
        };
        Self { columns: columns.to_vec(), notation, class }
    }

    /// Opens a table, below the row that is its title.
    pub(super) fn open(&self, out: &mut Vec<u8>, title: Option<&Row>) {
        let has_over = self.columns.iter().any(|column| column.over.is_some());
        append(
            out,
            html! {
                (PreEscaped("<table class=\"")) (self.class) (PreEscaped("\">"))
                colgroup { @for column in &self.columns { col class=(class(column)); } }
                thead {
                    @if let Some(row) = title {
                        tr.section { th colspan=(self.columns.len()) { (first_text(row)) } }
                    }
                    @if has_over { tr.over { (self.labels_over()) } }
                    tr {
                        @for column in &self.columns {
                            th scope="col" class=(class(column)) { (column.label) }
                        }
                    }
                }
                (PreEscaped("<tbody>\n"))
            },
        );
    }

    pub(super) fn close(out: &mut Vec<u8>) {
        append(out, html! { (PreEscaped("</tbody></table>\n")) });
    }

    /// Returns the cells of the labels that stand above several columns.
    fn labels_over(&self) -> Markup {
        let same = |left: &Column, right: &Column| left.over == right.over;
        html! {
            @for group in self.columns.chunk_by(same) {
                @match group.first().and_then(|column| column.over.as_deref()) {
                    Some(label) => th scope="colgroup" colspan=(group.len()) { (label) },
                    None => td colspan=(group.len()) {},
                }
            }
        }
    }

    pub(super) fn row(&self, out: &mut Vec<u8>, row: &Row, look: Look) {
        let class = match look {
            Look::Section => "section",
            Look::Group => "group",
            Look::Line => "line",
            Look::Subtotal => "subtotal",
            Look::Total => "total",
            Look::GrandTotal => "total grand",
            Look::Balance => "balance",
            Look::Entry => "entry",
        };
        let depth = format!("d{}", row.depth.min(MAX_DEPTH));
        let is_title = matches!(look, Look::Section | Look::Group);
        let label = row.cells.iter().position(|cell| matches!(cell, Cell::Text(_)));
        let cells = self.columns.iter().zip(&row.cells);
        let heads = !matches!(look, Look::Balance | Look::Entry);
        append(
            out,
            html! {
                tr class=(class) {
                    @if is_title {
                        th colspan=(self.columns.len()) class=(depth) { (first_text(row)) }
                    } @else {
                        @for (index, (column, cell)) in cells.enumerate() {
                            @if heads && label == Some(index) {
                                th scope="row" class=(depth) { (first_text(row)) }
                            } @else {
                                (self.cell(column, cell))
                            }
                        }
                    }
                }
                "\n"
            },
        );
    }

    fn cell(&self, column: &Column, cell: &Cell) -> Markup {
        match cell {
            Cell::Empty => html! { td {} },
            Cell::Text(text) => html! { td class=(class(column)) { (text) } },
            Cell::Date(day) => html! { td.date { (calendar::format_iso(*day)) } },
            Cell::Instant(at) => html! { td.instant { (notation::clock(*at)) } },
            Cell::Amount(units) => figure(*units, self.notation, ""),
            Cell::Percent(tenths) => figure(i128::from(*tenths), self.notation.percent(), "%"),
            Cell::Number(number) => html! { td.number { (number) } },
        }
    }
}

/// Writes an amount or a percentage, negative ones in parentheses.
fn figure(units: i128, notation: Notation, unit: &str) -> Markup {
    let text = notation.grouped(units);
    match text.strip_prefix('-') {
        Some(amount) => html! { td.figure.negative { "(" (amount) (unit) ")" } },
        None if units == 0 => html! { td.figure { "\u{2013}" } },
        None => html! { td.figure { (text) (unit) } },
    }
}

fn first_text(row: &Row) -> &str {
    let texts = row.cells.iter().find_map(|cell| match cell {
        Cell::Text(text) => Some(text.as_str()),
        Cell::Empty
        | Cell::Date(_)
        | Cell::Instant(_)
        | Cell::Amount(_)
        | Cell::Percent(_)
        | Cell::Number(_) => None,
    });
    texts.unwrap_or_default()
}

/// Returns the class of a column, which decides its width and its alignment.
fn class(column: &Column) -> &'static str {
    match column.kind {
        ColumnKind::Text if column.key == "id" => "id",
        ColumnKind::Text if column.key == "checked" => "mark",
        ColumnKind::Text => "text",
        ColumnKind::Date => "date",
        ColumnKind::Instant => "instant",
        ColumnKind::Amount | ColumnKind::Percent => "figure",
        ColumnKind::Number => "number",
    }
}

/// Returns the usual width of a column in characters, with the space beside it.
pub(super) fn characters(column: &Column) -> usize {
    match column.kind {
        ColumnKind::Text if class(column) == "text" => 24,
        ColumnKind::Text | ColumnKind::Date => 12,
        ColumnKind::Instant => 21,
        ColumnKind::Amount => 14,
        ColumnKind::Percent => 9,
        ColumnKind::Number => 6,
    }
}
