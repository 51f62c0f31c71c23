//! The bank's books as reports: a balance sheet and a year by month.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use anyhow::Context;
use daybook_client::types::{Balances, GroupBalances};
use daybook_client::{Amount, Book, Query, Slice};

use crate::bank::WHOLE;
use crate::table::{Cell, Table, thousands};

/// The number of largest deposits shown individually.
const SHOWN: usize = 5;

const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];

fn money(amount: Amount) -> Cell {
    Cell::Exact(thousands(&amount.with_decimals(2).unwrap_or(amount).to_string()))
}

fn sum(amounts: impl IntoIterator<Item = Amount>) -> anyhow::Result<Amount> {
    Amount::sum(amounts).context("a sum exceeds 38 digits")
}

fn group<'a>(balances: &'a Balances, name: &str) -> anyhow::Result<&'a GroupBalances> {
    balances.group(name).with_context(|| format!("no group {name}"))
}

/// The balance sheet at the end of the data, the deposits as one line.
///
/// # Errors
/// The server refuses the request, or a group is missing.
pub async fn balance_sheet(book: &Book) -> anyhow::Result<Table> {
    let balances = book.balances(Query::verbatim(WHOLE).by("y")).await?;
    let mut sheet = Table::new(
        "sheet",
        "Balance sheet, 31 March 1994 (Czech crowns)",
        &["", "amount", "total"],
    );
    let mut line =
        |label: String, amount: Cell, total: Cell| sheet.row([label.into(), amount, total]);
    let assets = group(&balances, "Bank Assets")?;
    for account in assets.account_balances.iter().flatten() {
        line(format!("  {}", account.name), money(account.cumulative()), Cell::Empty);
    }
    line("Assets".to_owned(), Cell::Empty, money(assets.cumulative()));
    line(String::new(), Cell::Empty, Cell::Empty);

    let deposits = group(&balances, "Deposits")?;
    let mut customers: Vec<_> = deposits.account_balances.iter().flatten().collect();
    customers.sort_by_key(|account| Reverse(account.cumulative()));
    let (largest, others) = customers.split_at(SHOWN.min(customers.len()));
    for account in largest {
        line(format!("  {}", account.name), money(account.cumulative()), Cell::Empty);
    }
    let rest = sum(others.iter().map(|account| account.cumulative()))?;
    let count = thousands(&others.len().to_string());
    line(format!("  {count} other customers"), money(rest), Cell::Empty);
    line("Customers' deposits".to_owned(), Cell::Empty, money(deposits.cumulative()));

    let earned = group(&balances, "Revenue")?.cumulative();
    let spent = group(&balances, "Costs")?.cumulative();
    let result = sum([earned, -spent])?;
    line("  Revenue".to_owned(), money(earned), Cell::Empty);
    line("  Costs".to_owned(), money(-spent), Cell::Empty);
    line("Result".to_owned(), Cell::Empty, money(result));
    let total = sum([deposits.cumulative(), result])?;
    line("Deposits and result".to_owned(), Cell::Empty, money(total));
    Ok(sheet.method(
        "The statements hold what customers paid in and out, so loans show only what \
        was paid back on them: a negative asset.",
    ))
}

/// The year 1993 by month.
///
/// # Errors
/// The server refuses the request, or a group is missing.
pub async fn year_by_month(book: &Book) -> anyhow::Result<Table> {
    let balances = book.balances(Query::new().on("1993").by("m")).await?;
    let [deposits, assets, revenue, costs] =
        ["Deposits", "Bank Assets", "Revenue", "Costs"].map(|name| group(&balances, name));
    let (deposits, assets, revenue, costs) = (deposits?, assets?, revenue?, costs?);
    let cash = balances.account("Cash Vault").context("no account Cash Vault")?;
    let columns = [
        "1993",
        "deposits, net",
        "deposits at the end",
        "cash at the end",
        "assets at the end",
        "revenue",
        "costs",
        "result",
    ];
    let mut table = Table::new("year", "The year 1993 by month (Czech crowns)", &columns);
    let series = [
        months(deposits.slices()),
        months(cash.slices()),
        months(assets.slices()),
        months(revenue.slices()),
        months(costs.slices()),
    ];
    for (name, month) in MONTHS.into_iter().zip(1..) {
        let [(change, owed), (_, cash), (_, assets), (earned, _), (spent, _)] =
            series.each_ref().map(|series| series.get(&month).copied().unwrap_or_default());
        let figures = [change, owed, cash, assets, earned, spent, sum([earned, -spent])?];
        table.row([Cell::from(name)].into_iter().chain(figures.map(money)));
    }
    table.row([
        "Year".into(),
        money(deposits.period()),
        Cell::Empty,
        Cell::Empty,
        Cell::Empty,
        money(revenue.period()),
        money(costs.period()),
        money(sum([revenue.period(), -costs.period()])?),
    ]);
    Ok(table)
}

/// The movement of each month, and the balance at its end.
fn months(slices: impl Iterator<Item = Slice>) -> BTreeMap<i32, (Amount, Amount)> {
    slices.filter_map(|slice| Some((slice.month?, (slice.period, slice.cumulative)))).collect()
}
