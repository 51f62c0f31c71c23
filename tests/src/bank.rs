//! The real bank of `tests/data/bank-1993`, and the comparison of Daybook's answers with the
//! results of hledger.
//!
//! Used by the suite, the demonstration, the torture test and the benchmark.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::PathBuf;

use anyhow::Context;
use daybook_client::Book;
use daybook_client::parameters::CreateNewBook;
use daybook_client::types::{self, Account, Group};
use flate2::read::GzDecoder;
use serde_json::Value;

use crate::decimal::{show, units};
use crate::{Client, encode};

/// How many transactions [`transactions`] yields.
pub const TRANSACTIONS: usize = 49_102;

/// The date term of a query over the whole history, without a lower bound (behaviour 5.5).
pub const WHOLE: &str = "before:1994-04";

/// The groups and accounts of a new book.
pub struct Chart {
    /// The groups.
    pub groups: Vec<Group>,
    /// The accounts; each names its groups.
    pub accounts: Vec<Account>,
}

impl Chart {
    /// Creates a book with these groups and accounts.
    ///
    /// # Errors
    /// The server refuses a request.
    pub async fn create_book(
        self,
        client: &daybook_client::Client,
        name: &str,
    ) -> anyhow::Result<Book> {
        let settings = types::Book { name: Some(name.to_owned()), ..types::Book::default() };
        let created = client.create_new_book(&settings, &CreateNewBook::default()).await?;
        let book = client.book(created.id.as_deref().context("a book has an id")?);
        book.create_groups(self.groups)?.all().await?;
        book.create_accounts(self.accounts)?.all().await?;
        Ok(book)
    }
}

/// The expected sums of an account, in units of [`crate::decimal`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sum {
    /// The sum of debits.
    pub debit: i128,
    /// The sum of credits.
    pub credit: i128,
}

/// Sums by account name.
pub type Sums = BTreeMap<String, Sum>;

/// The monthly changes of some accounts.
pub struct Monthly {
    /// Year and month, contiguous.
    pub months: Vec<(i64, i64)>,
    /// Per account: credit minus debit (the API's sign, behaviour 5.4) of each month, in units of
    /// [`crate::decimal`].
    pub accounts: BTreeMap<String, Vec<i128>>,
}

fn path(file: &str) -> PathBuf {
    [env!("CARGO_MANIFEST_DIR"), "data", "bank-1993", file].iter().collect()
}

fn read(file: &str) -> String {
    std::fs::read_to_string(path(file)).unwrap_or_else(|error| panic!("{file}: {error}"))
}

/// The chart of accounts: 1,236 accounts in four groups.
pub fn chart() -> Chart {
    let mut chart: Value = serde_json::from_str(&read("chart.json")).expect("chart.json is JSON");
    let [groups, accounts] = ["groups", "accounts"].map(|key| chart[key].take());
    Chart {
        groups: serde_json::from_value(groups).expect("chart.json: groups"),
        accounts: serde_json::from_value(accounts).expect("chart.json: accounts"),
    }
}

/// All transactions in the API's create shape, in statement order.
pub fn transactions() -> impl Iterator<Item = Value> {
    let file = File::open(path("transactions.jsonl.gz")).expect("transactions.jsonl.gz");
    let lines = BufReader::new(GzDecoder::new(file)).lines();
    lines.map(|line| {
        serde_json::from_str(&line.expect("gzip text")).expect("one JSON object a line")
    })
}

/// The rows of a CSV file without quoting, the heading first.
fn rows(file: &str) -> Vec<Vec<String>> {
    let cells = |line: &str| line.split(',').map(str::to_owned).collect();
    read(file).lines().map(cells).collect()
}

/// Debit and credit of every account at the end.
pub fn expected_balances() -> Sums {
    let rows = rows("expected-balances.csv");
    let sum = |row: &Vec<String>| {
        let [account, debit, credit, difference] = row.as_slice() else {
            panic!("expected-balances.csv: {row:?}")
        };
        let sum = Sum { debit: units(debit), credit: units(credit) };
        assert_eq!(sum.debit - sum.credit, units(difference), "expected-balances.csv: {account}");
        (account.clone(), sum)
    };
    rows.iter().skip(1).map(sum).collect()
}

/// The monthly changes of the bank's own accounts and of some customers.
pub fn expected_monthly() -> Monthly {
    let rows = rows("expected-monthly-change.csv");
    let (heading, rows) = rows.split_first().expect("a heading");
    let month = |text: &String| {
        let (year, month) = text.split_once('-').expect("yyyy-MM");
        (year.parse().expect("a year"), month.parse().expect("a month"))
    };
    let changes = |row: &Vec<String>| {
        let (account, changes) = row.split_first().expect("an account");
        // hledger shows debit minus credit, the API credit minus debit.
        (account.clone(), changes.iter().map(|change| -units(change)).collect())
    };
    Monthly {
        months: heading.iter().skip(1).map(month).collect(),
        accounts: rows.iter().map(changes).collect(),
    }
}

/// Sums transactions with the suite's own arithmetic. Every account of `accounts` gets an entry.
pub fn add<'a>(accounts: &[Account], transactions: impl Iterator<Item = &'a Value>) -> Sums {
    let names = accounts.iter().filter_map(|account| account.name.clone());
    let mut sums: Sums = names.map(|name| (name, Sum::default())).collect();
    let name = |value: &Value| value["name"].as_str().expect("a name").to_owned();
    for transaction in transactions {
        let amount = units(transaction["amount"].as_str().expect("an amount"));
        sums.entry(name(&transaction["creditAccount"])).or_default().credit += amount;
        sums.entry(name(&transaction["debitAccount"])).or_default().debit += amount;
    }
    sums
}

/// Calls getBalances.
#[track_caller]
pub fn balances(reader: &Client, book: &str, query: &str) -> Value {
    reader.get(&format!("/v5/books/{book}/balances?query={}", encode(query))).ok()
}

/// Every account container of an answer at any depth, once per account.
pub fn accounts(answer: &Value) -> BTreeMap<String, &Value> {
    let mut found = BTreeMap::new();
    let mut containers = vec![answer];
    while let Some(container) = containers.pop() {
        containers.extend(container["groupBalances"].as_array().into_iter().flatten());
        for account in container["accountBalances"].as_array().into_iter().flatten() {
            found.insert(account["name"].as_str().unwrap_or_default().to_owned(), account);
        }
    }
    found
}

fn figure(container: &Value, key: &str) -> Option<i128> {
    crate::decimal::try_units(container[key].as_str()?)
}

/// The differences between an answer (of a query without a lower bound) and these sums, one per
/// line. An account without movements may be missing.
pub fn differences(expected: &Sums, answer: &Value) -> Vec<String> {
    let found = accounts(answer);
    let mut lines: Vec<String> = found
        .keys()
        .filter(|name| !expected.contains_key(*name))
        .map(|name| format!("{name}: not in the chart"))
        .collect();
    for (name, sum) in expected {
        let Some(container) = found.get(name) else {
            if *sum != Sum::default() {
                lines.push(format!("{name}: missing"));
            }
            continue;
        };
        let wanted =
            [("Debit", sum.debit), ("Credit", sum.credit), ("Balance", sum.credit - sum.debit)];
        for (key, wanted) in wanted.iter().flat_map(|(key, wanted)| {
            [(format!("cumulative{key}"), *wanted), (format!("period{key}"), *wanted)]
        }) {
            if figure(container, &key) != Some(wanted) {
                lines.push(format!(
                    "{name}: {key} is {}, expected {}",
                    container[&key],
                    show(wanted, 2)
                ));
            }
        }
    }
    lines
}

/// The differences between the monthly series of one account (from a query over exactly those
/// months) and the expected changes. Slices before its first movement are not listed (5.7) and
/// count as zero.
pub fn monthly_differences(
    months: &[(i64, i64)],
    expected: &[i128],
    container: &Value,
) -> Vec<String> {
    let name = &container["name"];
    let mut listed: BTreeMap<(i64, i64), &Value> = BTreeMap::new();
    for slice in container["balances"].as_array().into_iter().flatten() {
        let month = (
            slice["year"].as_i64().unwrap_or_default(),
            slice["month"].as_i64().unwrap_or_default(),
        );
        listed.insert(month, slice);
    }
    let strange = listed.keys().filter(|month| !months.contains(month));
    let mut lines: Vec<String> =
        strange.map(|month| format!("{name}: a slice {month:?} outside the range")).collect();
    for (month, wanted) in months.iter().zip(expected) {
        let found = listed.get(month).map_or(Some(0), |slice| figure(slice, "periodBalance"));
        if found != Some(*wanted) {
            let shown = listed.get(month).map_or(&Value::Null, |slice| &slice["periodBalance"]);
            lines.push(format!(
                "{name}: {month:?} changes by {shown}, expected {}",
                show(*wanted, 2)
            ));
        }
    }
    lines
}

/// The sum of all account balances of the whole book; zero in a correct book (5.16).
pub fn whole(answer: &Value) -> i128 {
    accounts(answer)
        .values()
        .map(|container| units(container["cumulativeBalance"].as_str().unwrap_or_default()))
        .sum()
}
