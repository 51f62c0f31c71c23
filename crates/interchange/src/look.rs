//! The look of rows, which HTML and XLSX share.

use daybook_domain::report::{ReportKind, Row, RowKind};

/// The look of a row, as in a printed financial statement.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Look {
    /// The title of a section.
    Section,
    /// The title of a group.
    Group,
    /// Amounts without rules.
    Line,
    /// The sum of a group, below a rule.
    Subtotal,
    /// The sum of a section, below a rule.
    Total,
    /// The last sum of a statement, below a rule and above a double rule.
    GrandTotal,
    /// A balance that is carried forward.
    Balance,
    /// A transaction or an event.
    Entry,
}

/// Determines the looks of the rows of a report, one after the other.
#[derive(Debug)]
pub(crate) struct Looks {
    report: ReportKind,
    in_section: bool,
}

impl Looks {
    pub(crate) const fn new(report: ReportKind) -> Self {
        Self { report, in_section: false }
    }

    pub(crate) fn next(&mut self, row: &Row) -> Look {
        match row.kind {
            RowKind::Section => {
                self.in_section = true;
                Look::Section
            }
            RowKind::Group => Look::Group,
            RowKind::Line => Look::Line,
            RowKind::Subtotal => Look::Subtotal,
            RowKind::Total => {
                let in_section = std::mem::take(&mut self.in_section);
                // The sections of a balance sheet are compared with one another.
                let is_last = !in_section || self.report == ReportKind::BalanceSheet;
                if is_last { Look::GrandTotal } else { Look::Total }
            }
            // The result of a year is a line of equity, and the end of an income statement.
            RowKind::Result if self.in_section => Look::Line,
            RowKind::Result => Look::GrandTotal,
            RowKind::Balance => Look::Balance,
            RowKind::Entry => Look::Entry,
        }
    }
}
