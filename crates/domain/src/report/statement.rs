//! Balance sheets and income statements.

use time::Date;

use super::figures::{Figures, Member};
use super::layout::Class;
use super::period::Period;
use super::plan::{Plan, Slice};
use super::request::Request;
use super::sections::{ResultLine, Sections, add_to};
use super::table::{Cell, Column, ColumnKind, Control, Heading, Report, RowKind};

/// Computes assets, liabilities and equity at the end of each slice.
///
/// Equity includes the results of income and expenses, before the fiscal year of the day and in it.
/// So no closing entries are needed.
pub(super) fn balance_sheet(
    request: &Request,
    heading: Heading,
    plan: &Plan,
    figures: &Figures<'_>,
) -> Report {
    let is_compared = request.compare.is_some();
    let columns = columns(plan, is_compared);
    let cells = |values: &[i128]| cells(values, is_compared);
    let width = plan.slices.len();
    let mut sections = Sections::new(figures.layout, request.depth, width, &columns, &cells);
    let balances = |member: &Member<'_>| {
        let balance = |slice: &Slice| {
            let sums = figures.between(member, slice, None, slice.period.last);
            member.class.signed(sums.balance())
        };
        plan.slices.iter().map(balance).collect()
    };
    let results = results(request, plan, figures);
    let assets = sections.add("Assets", &figures.lines(of(Class::Asset), balances), &[]);
    let start = sections.rows.len();
    let liabilities =
        sections.add("Liabilities", &figures.lines(of(Class::Liability), balances), &[]);
    let mut sources = sections.add("Equity", &figures.lines(of(Class::Equity), balances), &results);
    add_to(&mut sources, &liabilities);
    sections.push_total("Total liabilities and equity", start, &sources);
    let controls = controls(plan, "Assets = liabilities + equity", &assets, &sources);
    Report { heading, columns, rows: sections.rows, controls }
}

/// Returns the rows of equity that are computed from income and expenses.
fn results(request: &Request, plan: &Plan, figures: &Figures<'_>) -> Vec<ResultLine> {
    let year_of = |slice: &Slice| Period::fiscal_year(slice.period.last, request.start);
    let result = |slice: &Slice, after: Option<Date>, through: Option<Date>| {
        let members = figures.members.iter().filter(|member| member.class.is_result());
        let through = through.unwrap_or(Date::MIN);
        members.map(|member| figures.between(member, slice, after, through).balance()).sum()
    };
    let earlier = |slice: &Slice| result(slice, None, year_of(slice).first.previous_day());
    let current =
        |slice: &Slice| result(slice, year_of(slice).first.previous_day(), Some(slice.period.last));
    let mut years: Vec<String> =
        plan.slices.iter().map(|slice| year_of(slice).label(request.start)).collect();
    years.dedup();
    let label = match years.as_slice() {
        [year] => format!("Result of {year}"),
        // The columns are in several fiscal years.
        _ => "Result of the fiscal year".to_owned(),
    };
    vec![
        ResultLine {
            label: "Result of earlier years".to_owned(),
            values: plan.slices.iter().map(earlier).collect(),
        },
        ResultLine { label, values: plan.slices.iter().map(current).collect() },
    ]
}

/// Computes income and expenses of each slice, without closing entries.
pub(super) fn income_statement(
    request: &Request,
    heading: Heading,
    plan: &Plan,
    figures: &Figures<'_>,
) -> Report {
    let is_compared = request.compare.is_some();
    let columns = columns(plan, is_compared);
    let cells = |values: &[i128]| cells(values, is_compared);
    let width = plan.slices.len();
    let mut sections = Sections::new(figures.layout, request.depth, width, &columns, &cells);
    let changes = |member: &Member<'_>| -> Vec<i128> {
        let change = |slice: &Slice| member.class.signed(figures.movement(member, slice).balance());
        plan.slices.iter().map(change).collect()
    };
    let income = figures.lines(of(Class::Income), changes);
    let expenses = figures.lines(of(Class::Expense), changes);
    let mut result = sections.add("Income", &income, &[]);
    let total_expenses = sections.add("Expenses", &expenses, &[]);
    subtract_from(&mut result, &total_expenses);
    sections.push(RowKind::Result, 0, None, result_label(&result), Some(&result));
    let controls = if request.is_filtered() {
        let mut rows = vec![0; plan.slices.len()];
        income.iter().for_each(|line| add_to(&mut rows, &line.values));
        expenses.iter().for_each(|line| subtract_from(&mut rows, &line.values));
        controls(plan, "Sum of the rows = result", &rows, &result)
    } else {
        // A result is the increase of all other accounts, debits minus credits.
        let mut others = vec![0; plan.slices.len()];
        for member in figures.members.iter().filter(|member| !member.class.is_result()) {
            let movements = plan.slices.iter().map(|slice| figures.movement(member, slice));
            let raw: Vec<i128> = movements.map(|sums| sums.balance()).collect();
            subtract_from(&mut others, &raw);
        }
        controls(plan, "Income - expenses = change of the other accounts", &result, &others)
    };
    Report { heading, columns, rows: sections.rows, controls }
}

/// Returns the word for a result: `Result` if the columns differ in sign.
fn result_label(result: &[i128]) -> &'static str {
    let (is_profit, is_loss) =
        (result.iter().any(|value| *value > 0), result.iter().any(|value| *value < 0));
    match (is_profit, is_loss) {
        (true, false) => "Profit",
        (false, true) => "Loss",
        (true, true) | (false, false) => "Result",
    }
}

fn of(class: Class) -> impl Fn(&Member<'_>) -> bool {
    move |member| member.class == class
}

/// Returns the columns of a statement. A comparison adds the difference and its percentage.
fn columns(plan: &Plan, is_compared: bool) -> Vec<Column> {
    let mut columns = vec![Column::of_account()];
    for slice in &plan.slices {
        columns.push(Column::of_amount(&slice.key, &slice.label));
        if is_compared && slice.key == "comparison" {
            columns.push(Column::of_amount("difference", "Difference"));
            columns.push(Column { kind: ColumnKind::Percent, ..Column::of_amount("percent", "%") });
        }
    }
    columns
}

/// Returns the cells of the columns of [`columns`].
fn cells(values: &[i128], is_compared: bool) -> Vec<Cell> {
    let amount = |value: &i128| Cell::Amount(*value);
    match values {
        [current, compared, others @ ..] if is_compared => {
            let difference = current.saturating_sub(*compared);
            [current, compared, &difference]
                .into_iter()
                .map(amount)
                .chain([percent(difference, *compared)])
                .chain(others.iter().map(amount))
                .collect()
        }
        _ => values.iter().map(amount).collect(),
    }
}

/// Returns a difference in tenths of a percent of the compared amount, rounded half away from zero.
fn percent(difference: i128, compared: i128) -> Cell {
    let (size, base) = (difference.unsigned_abs(), compared.unsigned_abs());
    let scaled = size.saturating_mul(1_000).saturating_add(base / 2);
    let Some(tenths) = scaled.checked_div(base) else { return Cell::Empty };
    let tenths = i64::try_from(tenths).unwrap_or(i64::MAX);
    Cell::Percent(if difference < 0 { tenths.saturating_neg() } else { tenths })
}

/// Returns a control for each slice, which it names if there are several.
pub(super) fn controls(plan: &Plan, label: &str, left: &[i128], right: &[i128]) -> Vec<Control> {
    let is_single = plan.slices.len() == 1;
    let sides = left.iter().zip(right);
    let control = |(slice, (left, right)): (&Slice, (&i128, &i128))| {
        let label = if is_single { label.to_owned() } else { format!("{label}, {}", slice.label) };
        Control::of_amounts(label, *left, *right)
    };
    plan.slices.iter().zip(sides).map(control).collect()
}

fn subtract_from(sums: &mut [i128], values: &[i128]) {
    for (sum, value) in sums.iter_mut().zip(values) {
        *sum = sum.saturating_sub(*value);
    }
}
