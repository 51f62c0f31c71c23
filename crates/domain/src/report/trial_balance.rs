//! Trial balances.

use time::Date;

use super::figures::{Figures, Member};
use super::layout::Class;
use super::period::Period;
use super::plan::{Plan, Slice};
use super::request::Request;
use super::sections::{ResultLine, Sections, add_to};
use super::table::{Cell, Column, Control, Heading, Report};
use crate::balance::Sums;

/// The amounts of a line: debits and credits of opening, movement and closing.
const AMOUNTS: [(&str, &str, &str); 6] = [
    ("openingDebit", "Opening", "Debit"),
    ("openingCredit", "Opening", "Credit"),
    ("movementDebit", "Movement", "Debit"),
    ("movementCredit", "Movement", "Credit"),
    ("closingDebit", "Closing", "Debit"),
    ("closingCredit", "Closing", "Credit"),
];

/// Computes the opening, movement and closing of each account.
///
/// Openings and closings are net, on one side. Accounts of income and expenses open with their
/// balance since the start of the fiscal year; earlier balances stand in one row of equity, as in
/// balance sheets.
pub(super) fn trial_balance(
    request: &Request,
    heading: Heading,
    plan: &Plan,
    figures: &Figures<'_>,
) -> Report {
    let mut columns = vec![Column::of_account()];
    columns.extend(AMOUNTS.map(|(key, over, label)| Column {
        over: Some(over.to_owned()),
        ..Column::of_amount(key, label)
    }));
    let cells = |values: &[i128]| values.iter().copied().map(Cell::Amount).collect();
    let width = AMOUNTS.len();
    let mut sections = Sections::new(figures.layout, request.depth, width, &columns, &cells);
    let mut total = vec![0; AMOUNTS.len()];
    for slice in &plan.slices {
        let year = Period::fiscal_year(slice.period.first, request.start);
        let before_year = year.first.previous_day();
        let opening = |member: &Member<'_>| {
            let after = before_year.filter(|_| member.class.is_result());
            let day = slice.period.first.previous_day();
            day.map(|day| figures.between(member, slice, after, day)).unwrap_or_default()
        };
        for class in Class::ALL {
            let of_class = |member: &Member<'_>| member.class == class;
            let lines = figures.lines(of_class, |member| {
                amounts(opening(member), figures.movement(member, slice))
            });
            let mut results = Vec::new();
            if class == Class::Equity && !request.is_filtered() {
                let earlier = earlier_results(figures, slice, before_year);
                if earlier.balance() != 0 || request.zeros {
                    let label = "Result of earlier years".to_owned();
                    let values = amounts(earlier, Sums::default());
                    results.push(ResultLine { label, values });
                }
            }
            if !lines.is_empty() || !results.is_empty() {
                add_to(&mut total, &sections.add(class.as_str(), &lines, &results));
            }
        }
    }
    sections.push_total("Total", 0, &total);
    Report { heading, columns, rows: sections.rows, controls: controls(request, &total) }
}

/// Returns the raw sums of the accounts of income and expenses through a day.
fn earlier_results(figures: &Figures<'_>, slice: &Slice, through: Option<Date>) -> Sums {
    let Some(through) = through else { return Sums::default() };
    let members = figures.members.iter().filter(|member| member.class.is_result());
    members.map(|member| figures.between(member, slice, None, through)).sum()
}

fn amounts(opening: Sums, movement: Sums) -> Vec<i128> {
    let (opening, closing) = (opening.balance(), (opening + movement).balance());
    let sides = |balance: i128| [balance.saturating_neg().max(0), balance.max(0)];
    [sides(opening), [movement.debit, movement.credit], sides(closing)].concat()
}

fn controls(request: &Request, total: &[i128]) -> Vec<Control> {
    let amount = |index: usize| total.get(index).copied().unwrap_or_default();
    let net = |debit: usize| amount(debit).saturating_sub(amount(debit.saturating_add(1)));
    let control = |label: &str, left, right| Control::of_amounts(label, left, right);
    let mut controls = Vec::new();
    // With some of the accounts the sides are not equal.
    if !request.is_filtered() {
        controls.extend([
            control("Opening debits = opening credits", amount(0), amount(1)),
            control("Movement debits = movement credits", amount(2), amount(3)),
            control("Closing debits = closing credits", amount(4), amount(5)),
        ]);
    }
    let moved = net(0).saturating_add(net(2));
    controls.push(control("Opening + movement = closing", moved, net(4)));
    controls
}
