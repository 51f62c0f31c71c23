//! A book for tests of reports: it answers the reads of a plan from single transactions.

use std::collections::BTreeMap;

use time::Date;

use super::{
    BookChart, Cell, Facts, Inputs, Parameters, PeriodSums, Plan, Read, Report, ReportKind,
    Request, RowKind, Source, cash_accounts,
};
use crate::account::{Account, AccountType};
use crate::amount::write_units;
use crate::balance::{Level, PeriodTotal, Segment, Sums};
use crate::book::{self, StartMonth};
use crate::calendar::format_iso;
use crate::event::Head;
use crate::fixture::{self, day};
use crate::group::{Forest, Group};
use crate::id::AccountId;
use crate::instant::Instant;
use crate::name::Name;

/// The day of the requests.
pub(super) const TODAY: &str = "2026-10-31";

/// No parameters.
pub(super) const NONE: Parameters<'static> = Parameters {
    period: None,
    after: None,
    compare: None,
    columns: None,
    depth: None,
    zeros: None,
    query: None,
};

/// A posted transaction.
#[derive(Debug, Clone)]
pub(super) struct Posted {
    pub(super) day: Date,
    pub(super) credit: AccountId,
    pub(super) debit: AccountId,
    pub(super) amount: i128,
    pub(super) tags: Vec<String>,
}

impl Posted {
    pub(super) fn sides(&self) -> [(AccountId, Sums); 2] {
        [
            (self.credit, Sums { debit: 0, credit: self.amount }),
            (self.debit, Sums { debit: self.amount, credit: 0 }),
        ]
    }
}

/// A book with its posted transactions.
#[derive(Debug, Clone)]
pub(super) struct BookFixture {
    pub(super) book: book::Book,
    pub(super) accounts: Vec<Account>,
    pub(super) groups: Vec<Group>,
    pub(super) posted: Vec<Posted>,
}

impl BookFixture {
    /// Creates an empty book with this first month of the fiscal year.
    pub(super) fn new(start: StartMonth) -> Self {
        let settings =
            book::Changes { period_start_month: Some(start), ..book::Changes::default() };
        let book = fixture::book(settings);
        Self { book, accounts: Vec::new(), groups: Vec::new(), posted: Vec::new() }
    }

    pub(super) fn group(mut self, id: i64, name: &str, parent: Option<i64>) -> Self {
        let group = fixture::group(id, parent);
        self.groups.push(Group { name: Name::new(name).unwrap(), ..group });
        self
    }

    /// Sets the property `report` of the last group.
    pub(super) fn marked(mut self, mark: &str) -> Self {
        self.groups.last_mut().unwrap().properties = fixture::properties(&[("report", mark)]);
        self
    }

    pub(super) fn account(
        mut self,
        id: i64,
        name: &str,
        kind: AccountType,
        groups: &[i64],
    ) -> Self {
        self.accounts.push(Account { kind, ..fixture::account(id, name, groups) });
        self
    }

    /// Adds a transaction from the credit account to the debit account, with hashtags.
    pub(super) fn posted(
        mut self,
        date: &str,
        [credit, debit]: [i64; 2],
        amount: i128,
        tags: &[&str],
    ) -> Self {
        let [credit, debit] = [credit, debit].map(AccountId::new);
        let tags = fixture::owned(tags);
        self.posted.push(Posted { day: day(date), credit, debit, amount, tags });
        self
    }

    pub(super) fn forest(&self) -> Forest {
        let members = self.accounts.iter().flat_map(|account| {
            account.groups.iter().map(|group| (*group, account.kind)).collect::<Vec<_>>()
        });
        Forest::new(self.groups.clone(), members)
    }

    /// Returns the raw balance of an account through a day, from single transactions.
    pub(super) fn balance(&self, account: AccountId, through: Date) -> i128 {
        let until = self.posted.iter().filter(|posted| posted.day <= through);
        let sides = until.flat_map(Posted::sides).filter(|(id, _)| *id == account);
        sides.map(|(_, sums)| sums.balance()).sum()
    }

    pub(super) fn request(&self, kind: ReportKind, parameters: &Parameters<'_>) -> Request {
        parameters.read(kind, &self.book.settings, day(TODAY)).unwrap()
    }

    /// Reads and computes a report.
    pub(super) fn report(&self, kind: ReportKind, parameters: &Parameters<'_>) -> Report {
        self.compared_report(kind, parameters, None)
    }

    /// Reads and computes a report that is compared with another book.
    pub(super) fn compared_report(
        &self,
        kind: ReportKind,
        parameters: &Parameters<'_>,
        other: Option<&Self>,
    ) -> Report {
        let request = self.request(kind, parameters);
        let (forest, other_forest) = (self.forest(), other.map(Self::forest));
        let chart = self.chart(&forest);
        let compared = other.zip(other_forest.as_ref()).map(|(other, forest)| other.chart(forest));
        let scope = &request.scope(&chart).unwrap();
        let sums = &self.read(&request.plan(), other);
        let heading = request.heading(&chart, scope, facts());
        request.finish(heading, &Inputs { chart, compared, scope, sums }).unwrap()
    }

    pub(super) fn chart<'a>(&'a self, forest: &'a Forest) -> BookChart<'a> {
        BookChart { book: &self.book, accounts: &self.accounts, forest }
    }

    /// Reads a plan as storage does.
    pub(super) fn read(&self, plan: &Plan, other: Option<&Self>) -> PeriodSums {
        let mut sums = plan.start();
        for (index, read) in plan.reads().iter().enumerate() {
            let book = match read.source {
                Source::Book | Source::CashCounterparts => self,
                Source::ComparedBook => other.unwrap(),
            };
            for segment in plan.segments() {
                for total in book.totals(&segment, read) {
                    sums.add(index, &total);
                }
            }
        }
        sums
    }

    /// Returns the totals of a segment. The days of a segment of days are summed by month.
    fn totals(&self, segment: &Segment, read: &Read) -> Vec<PeriodTotal> {
        let mut totals: BTreeMap<(AccountId, Option<Date>), PeriodTotal> = BTreeMap::new();
        let has_tags = |posted: &&Posted| read.tags.iter().all(|tag| posted.tags.contains(tag));
        let mut posted: Vec<&Posted> = self.posted.iter().filter(has_tags).collect();
        posted.sort_by_key(|posted| posted.day);
        for (posted, (account, sums)) in
            posted.iter().flat_map(|posted| posted.sides().map(|side| (posted, side)))
        {
            let month = posted.day.replace_day(1).unwrap();
            let is_inside = match segment.level {
                Level::Day => segment.contains(posted.day),
                Level::Month => segment.contains(month),
            };
            if !is_inside || !self.counts(read, posted, account) {
                continue;
            }
            let period = match segment.level {
                Level::Day => posted.day,
                Level::Month => month,
            };
            let total =
                totals.entry((account, (!segment.fold).then_some(month))).or_insert(PeriodTotal {
                    account,
                    period: (!segment.fold).then_some(period),
                    debit: 0,
                    credit: 0,
                });
            total.debit += sums.debit;
            total.credit += sums.credit;
        }
        totals.into_values().collect()
    }

    /// Returns whether a read counts a side of a transaction.
    fn counts(&self, read: &Read, posted: &Posted, account: AccountId) -> bool {
        if read.source != Source::CashCounterparts {
            return true;
        }
        let forest = self.forest();
        let cash = cash_accounts(&self.chart(&forest)).unwrap_or_default();
        let other = if account == posted.credit { posted.debit } else { posted.credit };
        !cash.contains(&account) && cash.contains(&other)
    }
}

pub(super) fn facts() -> Facts {
    Facts { omitted_drafts: 2, head: Head::default(), computed_at: Instant::new(0) }
}

/// Formats the columns, rows and controls of a report as aligned text.
pub(super) fn render(report: &Report) -> String {
    let mut lines: Vec<Vec<String>> = Vec::new();
    lines.push(report.columns.iter().map(|column| column.label.clone()).collect());
    for row in &report.rows {
        let mut cells: Vec<String> = row.cells.iter().map(render_cell).collect();
        let mark = match row.kind {
            RowKind::Section => "# ",
            RowKind::Group => "> ",
            RowKind::Line | RowKind::Entry => "",
            RowKind::Subtotal | RowKind::Total => "= ",
            RowKind::Result => "~ ",
            RowKind::Balance => "* ",
        };
        let indent = "  ".repeat(usize::try_from(row.depth).unwrap());
        cells[0] = format!("{indent}{mark}{}", cells[0]);
        lines.push(cells);
    }
    let width = |column: usize| lines.iter().map(|line| line[column].chars().count()).max();
    let widths: Vec<usize> =
        (0..report.columns.len()).map(|column| width(column).unwrap()).collect();
    let mut text = String::new();
    for line in &lines {
        let padded = line.iter().zip(&widths).enumerate().map(|(index, (cell, &width))| {
            if index == 0 { format!("{cell:<width$}") } else { format!("{cell:>width$}") }
        });
        text += &padded.collect::<Vec<_>>().join(" | ");
        text.push('\n');
    }
    for control in &report.controls {
        let [left, right] = [control.left, control.right].map(|units| write_units(units, 2, 2));
        text += &format!("! {}: {left} = {right}\n", control.label);
    }
    text
}

fn render_cell(cell: &Cell) -> String {
    match cell {
        Cell::Empty => String::new(),
        Cell::Text(text) => text.clone(),
        Cell::Date(day) => format_iso(*day),
        Cell::Instant(instant) => instant.milliseconds().to_string(),
        Cell::Amount(units) => write_units(*units, 2, 2),
        Cell::Percent(tenths) => format!("{}%", write_units(i128::from(*tenths), 1, 1)),
        Cell::Number(number) => number.to_string(),
    }
}

/// Compares a report with the text of [`render`], which may be indented.
///
/// The widths of columns may differ.
#[track_caller]
pub(super) fn assert_rows(report: &Report, expected: &str) {
    let expected: Vec<&str> = expected.lines().filter(|line| !line.trim().is_empty()).collect();
    let indents = expected.iter().map(|line| line.len() - line.trim_start().len());
    let indent = indents.min().unwrap_or_default();
    let expected: Vec<&str> = expected.iter().map(|line| &line[indent..]).collect();
    let found = render(report);
    let is_equal = found.lines().map(cells_of).eq(expected.iter().copied().map(cells_of));
    assert!(is_equal, "found:\n{found}\nexpected:\n{}", expected.join("\n"));
}

/// Returns the cells of a line, of which the first keeps its indent.
fn cells_of(line: &str) -> Vec<&str> {
    let mut cells: Vec<&str> = line.split('|').map(str::trim).collect();
    cells[0] = line.split('|').next().unwrap_or_default().trim_end();
    let used = cells.iter().rposition(|cell| !cell.is_empty()).map_or(0, |last| last + 1);
    cells.truncate(used);
    cells
}
