//! The rows of sections: accounts below their groups, with subtotals.

use super::layout::Layout;
use super::table::{Cell, Column, Row, RowKind, Subject};
use crate::group::Group;
use crate::id::{AccountId, GroupId};

/// An account with the amounts that it adds to a report.
pub(super) struct Line<'a> {
    /// The account; `None` for an account of another book.
    pub(super) account: Option<AccountId>,
    pub(super) name: &'a str,
    pub(super) group: Option<GroupId>,
    /// One amount for each column of amounts that the report sums.
    pub(super) values: Vec<i128>,
}

/// A computed row at the end of a section, which counts in its total.
pub(super) struct ResultLine {
    pub(super) label: String,
    pub(super) values: Vec<i128>,
}

/// Builds the rows of a report.
pub(super) struct Sections<'a> {
    layout: &'a Layout<'a>,
    /// Groups at this depth are one line.
    depth: Option<usize>,
    /// The number of amounts of a line.
    width: usize,
    /// The number of columns after the first one.
    columns: usize,
    /// Converts the amounts of a row to the cells of these columns.
    cells: &'a dyn Fn(&[i128]) -> Vec<Cell>,
    pub(super) rows: Vec<Row>,
}

/// A group of which rows are being built.
struct OpenGroup {
    group: GroupId,
    name: String,
    /// The number of rows through its title.
    rows: usize,
    values: Vec<i128>,
    /// Whether the group is one line.
    is_collapsed: bool,
}

impl<'a> Sections<'a> {
    /// Begins the rows of a report whose lines have `width` amounts.
    pub(super) const fn new(
        layout: &'a Layout<'a>,
        depth: Option<usize>,
        width: usize,
        columns: &[Column],
        cells: &'a dyn Fn(&[i128]) -> Vec<Cell>,
    ) -> Self {
        let columns = columns.len().saturating_sub(1);
        Self { layout, depth, width, columns, cells, rows: Vec::new() }
    }

    /// Adds a section with its total, and returns the total.
    ///
    /// The lines must be in the order of [`Layout::position`]. A group at the root that has the
    /// name of the section has no rows: the section stands for it (13.6).
    pub(super) fn add(
        &mut self,
        title: &str,
        lines: &[Line<'_>],
        results: &[ResultLine],
    ) -> Vec<i128> {
        self.push(RowKind::Section, 0, None, title, None);
        let start = self.rows.len();
        let name = title.to_lowercase();
        let mut total = vec![0; self.width];
        let mut open: Vec<OpenGroup> = Vec::new();
        for line in lines {
            self.close(&mut open, line.group, &mut total);
            self.open(&mut open, &name, line.group);
            let depth = open.len();
            match open.last_mut() {
                Some(group) => {
                    add_to(&mut group.values, &line.values);
                    if group.is_collapsed {
                        continue;
                    }
                }
                None => add_to(&mut total, &line.values),
            }
            let subject = line.account.map(Subject::Account);
            self.push(RowKind::Line, depth, subject, line.name, Some(&line.values));
        }
        self.close(&mut open, None, &mut total);
        for result in results {
            add_to(&mut total, &result.values);
            self.push(RowKind::Result, 0, None, &result.label, Some(&result.values));
        }
        self.push_total(&format!("Total {name}"), start, &total);
        total
    }

    /// Adds a total over all rows after the first `start` ones.
    pub(super) fn push_total(&mut self, label: &str, start: usize, values: &[i128]) {
        let sums = self.rows.len().saturating_sub(start);
        self.push(RowKind::Total, 0, None, label, Some(values));
        self.set_sums(sums);
    }

    /// Opens the groups below the last open one or the section, down to `group` or to the depth.
    fn open(&mut self, open: &mut Vec<OpenGroup>, section: &str, group: Option<GroupId>) {
        if open.last().is_some_and(|last| last.is_collapsed) {
            return;
        }
        let path = self.layout.path(open.last().map(|last| last.group), group);
        let is_section = |root: &&Group| open.is_empty() && root.name.normalized() == section;
        let skipped = usize::from(path.first().is_some_and(is_section));
        for group in path.into_iter().skip(skipped) {
            let depth = open.len();
            let is_collapsed = self.depth.is_some_and(|limit| depth.saturating_add(1) >= limit);
            let name = group.name.as_str();
            if !is_collapsed {
                self.push(RowKind::Group, depth, Some(Subject::Group(group.id)), name, None);
            }
            open.push(OpenGroup {
                group: group.id,
                name: name.to_owned(),
                rows: self.rows.len(),
                values: vec![0; self.width],
                is_collapsed,
            });
            if is_collapsed {
                return;
            }
        }
    }

    /// Closes the open groups that do not contain `group`.
    fn close(&mut self, open: &mut Vec<OpenGroup>, group: Option<GroupId>, total: &mut [i128]) {
        while open.last().is_some_and(|last| !self.layout.contains(last.group, group)) {
            let Some(group) = open.pop() else { return };
            let above = open.last_mut().map_or(&mut *total, |above| &mut above.values);
            add_to(above, &group.values);
            let (depth, subject) = (open.len(), Some(Subject::Group(group.group)));
            if group.is_collapsed {
                self.push(RowKind::Line, depth, subject, &group.name, Some(&group.values));
            } else {
                let sums = self.rows.len().saturating_sub(group.rows);
                let label = format!("Total {}", group.name);
                self.push(RowKind::Subtotal, depth, subject, &label, Some(&group.values));
                self.set_sums(sums);
            }
        }
    }

    /// Adds a row that sums no other rows. Without amounts its cells are empty.
    pub(super) fn push(
        &mut self,
        kind: RowKind,
        depth: usize,
        subject: Option<Subject>,
        label: &str,
        values: Option<&[i128]>,
    ) {
        let amounts = match values {
            Some(values) => (self.cells)(values),
            None => vec![Cell::Empty; self.columns],
        };
        let cells = std::iter::once(Cell::Text(label.to_owned())).chain(amounts).collect();
        let depth = u32::try_from(depth).unwrap_or(u32::MAX);
        self.rows.push(Row { kind, depth, subject, cells, sums: 0 });
    }

    fn set_sums(&mut self, sums: usize) {
        if let Some(row) = self.rows.last_mut() {
            row.sums = u32::try_from(sums).unwrap_or(u32::MAX);
        }
    }
}

/// Adds amounts to those of the same columns.
pub(super) fn add_to(sums: &mut [i128], values: &[i128]) {
    for (sum, value) in sums.iter_mut().zip(values) {
        *sum = sum.saturating_add(*value);
    }
}
