//! The bank's books as reports: a balance sheet and a year by month.

use std::collections::BTreeMap;
use std::fmt;

use anyhow::Context;
use serde_json::Value;

use crate::decimal::{show, try_units};
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

fn money(units: i128) -> Cell {
    Cell::Exact(thousands(&show(units, 2)))
}

fn units(container: &Value, key: &str) -> anyhow::Result<i128> {
    let text = container[key].as_str();
    text.and_then(try_units)
        .with_context(|| format!("{} has no {key}: {}", container["name"], container[key]))
}

fn group<'a>(answer: &'a Value, name: &str) -> anyhow::Result<&'a Value> {
    let groups = answer["groupBalances"].as_array().into_iter().flatten();
    groups
        .into_iter()
        .find(|group| group["name"] == name)
        .with_context(|| format!("no group {name}"))
}

/// Name and raw balance of every account directly in a group.
fn members(group: &Value) -> anyhow::Result<Vec<(String, i128)>> {
    let accounts = group["accountBalances"].as_array().into_iter().flatten();
    accounts
        .map(|account| {
            let name = account["name"].as_str().context("an account has a name")?;
            Ok((name.to_owned(), units(account, "cumulativeBalance")?))
        })
        .collect()
}

/// The balance sheet from the balances of the whole book, the deposits as one line.
pub fn balance_sheet(answer: &Value) -> anyhow::Result<Table> {
    let mut sheet = Table::new(
        "sheet",
        "Balance sheet, 31 March 1994 (Czech crowns)",
        &["", "amount", "total"],
    );
    let mut line =
        |label: String, amount: Cell, total: Cell| sheet.row([label.into(), amount, total]);
    let assets = group(answer, "Bank Assets")?;
    for (name, raw) in members(assets)? {
        line(format!("  {name}"), money(-raw), Cell::Empty);
    }
    let total = -units(assets, "cumulativeBalance")?;
    line("Assets".to_owned(), Cell::Empty, money(total));
    line(String::new(), Cell::Empty, Cell::Empty);

    let deposits = group(answer, "Deposits")?;
    let mut customers = members(deposits)?;
    customers.sort_by_key(|(_, raw)| -raw);
    for (name, raw) in customers.iter().take(SHOWN) {
        line(format!("  {name}"), money(*raw), Cell::Empty);
    }
    let owed = units(deposits, "cumulativeBalance")?;
    let rest: i128 = customers.iter().skip(SHOWN).map(|(_, raw)| raw).sum();
    let others = customers.len().saturating_sub(SHOWN).to_string();
    line(format!("  {} other customers", thousands(&others)), money(rest), Cell::Empty);
    line("Customers' deposits".to_owned(), Cell::Empty, money(owed));

    let earned = units(group(answer, "Revenue")?, "cumulativeBalance")?;
    let spent = -units(group(answer, "Costs")?, "cumulativeBalance")?;
    line("  Revenue".to_owned(), money(earned), Cell::Empty);
    line("  Costs".to_owned(), money(-spent), Cell::Empty);
    line("Result".to_owned(), Cell::Empty, money(earned - spent));
    line("Deposits and result".to_owned(), Cell::Empty, money(owed + earned - spent));
    Ok(sheet.method(
        "The statements hold what customers paid in and out, so loans show only what \
        was paid back on them: a negative asset.",
    ))
}

/// The year 1993 by month.
pub struct Statement(Table);

/// Movements and running balances of one container by month.
type Series = BTreeMap<usize, (i128, i128)>;

impl Statement {
    /// Queries the series that it shows.
    pub fn of_1993(ask: impl Fn(&str) -> Value) -> anyhow::Result<Statement> {
        let series = |filter: &str, containers: &str| -> anyhow::Result<Series> {
            let answer = ask(&format!("{filter} on:1993 by:m"));
            months(&answer[containers][0]).with_context(|| filter.to_owned())
        };
        let deposits = series("group:Deposits", "groupBalances")?;
        let assets = series("group:'Bank Assets'", "groupBalances")?;
        let cash = series("account:'Cash Vault'", "accountBalances")?;
        let revenue = series("group:Revenue", "groupBalances")?;
        let costs = series("group:Costs", "groupBalances")?;
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
        let mut year = [0; 3];
        for (name, month) in MONTHS.into_iter().zip(1..) {
            let at = |series: &Series| series.get(&month).copied().unwrap_or_default();
            let (change, owed) = at(&deposits);
            let (earned, spent) = (at(&revenue).0, -at(&costs).0);
            year = [year[0] + change, year[1] + earned, year[2] + spent];
            table.row(
                [Cell::from(name)].into_iter().chain(
                    [change, owed, -at(&cash).1, -at(&assets).1, earned, spent, earned - spent]
                        .map(money),
                ),
            );
        }
        let [change, earned, spent] = year;
        table.row([
            "Year".into(),
            money(change),
            Cell::Empty,
            Cell::Empty,
            Cell::Empty,
            money(earned),
            money(spent),
            money(earned - spent),
        ]);
        Ok(Statement(table))
    }
}

impl fmt::Display for Statement {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(formatter)
    }
}

/// The movement of each month, and the balance at its end.
fn months(container: &Value) -> anyhow::Result<Series> {
    let slices = container["balances"].as_array().context("a series")?;
    let slice = |slice: &Value| {
        let month = slice["month"].as_u64().context("a month")?;
        let figures = (units(slice, "periodBalance")?, units(slice, "cumulativeBalance")?);
        Ok((usize::try_from(month)?, figures))
    };
    slices.iter().map(slice).collect()
}
