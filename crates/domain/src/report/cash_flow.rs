//! Cash flow statements, by the direct method.

use time::Date;

use super::figures::{Figures, Member};
use super::layout::Class;
use super::plan::{Plan, Slice};
use super::request::Request;
use super::sections::{Sections, add_to};
use super::statement::controls;
use super::table::{Cell, Column, Heading, Report, Row, RowKind};
use crate::balance::Sums;

/// The order of the sections.
const ORDER: [Class; 5] =
    [Class::Income, Class::Expense, Class::Asset, Class::Liability, Class::Equity];

/// Computes the cash that was received and paid, by the accounts on the other side.
///
/// Transfers among cash accounts are left out. One period has the columns in, out and net, several
/// have the net amounts.
pub(super) fn cash_flow(
    request: &Request,
    heading: Heading,
    plan: &Plan,
    figures: &Figures<'_>,
) -> Report {
    let is_single = request.columns.is_none();
    let mut columns = vec![Column::of_account()];
    if is_single {
        let names = [("in", "In"), ("out", "Out"), ("net", "Net")];
        columns.extend(names.map(|(key, label)| Column::of_amount(key, label)));
    } else {
        columns.extend(plan.slices.iter().map(|slice| Column::of_amount(&slice.key, &slice.label)));
    }
    let cells = |values: &[i128]| values.iter().copied().map(Cell::Amount).collect();
    let width = columns.len().saturating_sub(1);
    let mut sections = Sections::new(figures.layout, request.depth, width, &columns, &cells);
    let flows = |member: &Member<'_>| -> Vec<i128> {
        let sums = plan.slices.iter().map(|slice| figures.counterpart(member, slice));
        if is_single {
            // A credit of the other account is a debit of a cash account, so cash came in.
            let amounts = |sums: Sums| [sums.credit, sums.debit, sums.balance()];
            sums.flat_map(amounts).collect()
        } else {
            sums.map(Sums::balance).collect()
        }
    };
    let opening = cash(plan, figures, |slice| slice.period.first.previous_day());
    sections.rows.push(balance_row("Opening cash", &opening, width));
    let mut change = vec![0; width];
    for class in ORDER {
        let is_other = |member: &Member<'_>| member.class == class && !member.is_cash;
        let lines = figures.lines(is_other, flows);
        if !lines.is_empty() {
            add_to(&mut change, &sections.add(class.as_str(), &lines, &[]));
        }
    }
    sections.push(RowKind::Balance, 0, None, "Net change", Some(&change));
    let closing = cash(plan, figures, |slice| Some(slice.period.last));
    sections.rows.push(balance_row("Closing cash", &closing, width));
    let net = change.get(width.saturating_sub(plan.slices.len())..).unwrap_or_default();
    let mut computed = opening;
    add_to(&mut computed, net);
    let controls = controls(plan, "Opening + change = closing", &computed, &closing);
    Report { heading, columns, rows: sections.rows, controls }
}

/// Returns the balance of all cash accounts at the end of a day, for each slice.
fn cash(plan: &Plan, figures: &Figures<'_>, day: impl Fn(&Slice) -> Option<Date>) -> Vec<i128> {
    let cash = || figures.members.iter().filter(|member| member.is_cash);
    let balance = |slice: &Slice| {
        let Some(day) = day(slice) else { return 0 };
        let sums: Sums = cash().map(|member| figures.between(member, slice, None, day)).sum();
        sums.balance().saturating_neg()
    };
    plan.slices.iter().map(balance).collect()
}

/// Creates a row with balances in the last columns.
fn balance_row(label: &str, balances: &[i128], width: usize) -> Row {
    let empty = width.saturating_sub(balances.len());
    let mut cells = vec![Cell::Text(label.to_owned())];
    cells.extend(std::iter::repeat_n(Cell::Empty, empty));
    cells.extend(balances.iter().copied().map(Cell::Amount));
    Row { kind: RowKind::Balance, depth: 0, subject: None, cells, sums: 0 }
}
