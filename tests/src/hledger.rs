//! hledger, an accounting program with which the suite compares the reports (behaviour 13).
//!
//! [`Journal`] reads a book with listGroups, listAccounts and listTransactions and writes it as
//! journals. `tests/install-hledger` installs hledger.

use std::collections::BTreeMap;
use std::process::Command;

use serde_json::Value;

use crate::decimal::{try_units, units};
use crate::guard::Folder;
use crate::{Client, all_pages, encode, unique};

/// Amounts by the names of rows, one for each column, in units of [`crate::decimal`].
pub type Figures = BTreeMap<String, Vec<i128>>;

/// The first part of the names of accounts: the title of the section, and the type in hledger.
const CLASSES: [(&str, &str); 5] =
    [("Assets", "A"), ("Liabilities", "L"), ("Equity", "E"), ("Income", "R"), ("Expenses", "X")];

/// Reports a missing hledger and how to install it.
pub fn missing() -> Option<String> {
    let is_there = Command::new("hledger").arg("--version").output().is_ok();
    (!is_there).then(|| "hledger is not installed: run tests/install-hledger".to_owned())
}

/// The posted transactions of a book as journals of hledger.
///
/// The name of an account is its path in the reports (13.6): `Assets:Current assets:Bank`.
pub struct Journal {
    folder: Folder,
    /// The names by the ids of the accounts.
    names: BTreeMap<String, String>,
    drafts: Vec<String>,
}

/// The line of a transaction in the register of an account.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// `yyyy-MM-dd`.
    pub date: String,
    /// The id of the transaction.
    pub id: String,
    /// Debit minus credit.
    pub change: i128,
    /// The sum of the changes up to here.
    pub balance: i128,
}

/// An account in a journal.
struct Account<'a> {
    id: &'a str,
    name: String,
    class_type: &'static str,
    is_cash: bool,
}

impl Journal {
    /// Reads a book and writes its journals.
    #[track_caller]
    pub fn read(reader: &Client, book: &str) -> Journal {
        let get = |rest: &str| reader.get(&format!("/v5/books/{book}/{rest}")).ok();
        let (groups, accounts) = (get("groups"), get("accounts"));
        let mut transactions =
            all_pages(|cursor| get(&format!("transactions?limit=1000&cursor={}", encode(cursor))));
        // The list has the newest first (2.6).
        transactions.reverse();
        transactions.retain(|transaction| transaction["trashed"] != true);
        let (posted, drafts): (Vec<Value>, Vec<Value>) =
            transactions.into_iter().partition(|transaction| transaction["posted"] == true);

        let groups: BTreeMap<&str, &Value> =
            rows(&groups).map(|group| (text(group, "id"), group)).collect();
        let accounts: Vec<Account<'_>> =
            rows(&accounts).map(|account| place(account, &groups)).collect();
        let names: BTreeMap<String, String> =
            accounts.iter().map(|account| (account.id.to_owned(), account.name.clone())).collect();
        let name = format!("daybook-hledger-{}-{}", std::process::id(), unique("journal"));
        let folder = Folder::create(std::env::temp_dir().join(name));
        let drafts = drafts.iter().map(|draft| text(draft, "date").to_owned()).collect();
        let journal = Journal { folder, names, drafts };

        let posted: String = posted.iter().map(|posted| journal.transaction(posted)).collect();
        journal.write("transactions", &format!("decimal-mark .\n\n{posted}"));
        let include = "include transactions.journal\n";
        journal.write("book", &format!("{}{include}", types(&accounts, false)));
        let types = types(&accounts, true);
        journal.write("cash", &format!("{types}{include}"));
        if accounts.iter().any(|account| account.is_cash) {
            let flows = journal.run("cash", &["print", "type:C"]);
            journal.write("flows", &format!("decimal-mark .\n{types}\n{flows}"));
        }
        journal
    }

    /// Takes a journal that Daybook has exported (behaviour 16.5).
    pub fn exported(text: &str) -> Journal {
        let name = format!("daybook-hledger-{}-{}", std::process::id(), unique("export"));
        let folder = Folder::create(std::env::temp_dir().join(name));
        let journal = Journal { folder, names: BTreeMap::new(), drafts: Vec::new() };
        journal.write("book", text);
        journal
    }

    /// The name of an account.
    #[track_caller]
    pub fn name(&self, account: &str) -> &str {
        self.names.get(account).unwrap_or_else(|| panic!("no account {account}"))
    }

    /// The names of all accounts by their ids.
    pub fn names(&self) -> &BTreeMap<String, String> {
        &self.names
    }

    /// The dates of the drafts, which the journals leave out.
    pub fn drafts(&self) -> &[String] {
        &self.drafts
    }

    /// Runs a command of balances or a statement and returns its rows, without totals. Statements
    /// have their result as `Net:`.
    #[track_caller]
    pub fn figures(&self, arguments: &[&str]) -> Figures {
        figures(&self.csv("book", arguments))
    }

    /// Runs a command as [`Self::figures`], with the type `C` for cash accounts and only the
    /// transactions that have one.
    #[track_caller]
    pub fn cash_figures(&self, arguments: &[&str]) -> Figures {
        figures(&self.csv("flows", arguments))
    }

    /// Runs the register of an account (`areg`), with its balance before the first line included.
    #[track_caller]
    pub fn register(&self, name: &str, arguments: &[&str]) -> Vec<Entry> {
        let account = format!("^{}$", escape(name));
        let table = self.csv("book", &[&["areg", &account], arguments].concat());
        let entry = |row: &Vec<String>| {
            let [_, date, id, _, _, change, balance] = row.as_slice() else {
                panic!("a row of areg: {row:?}")
            };
            let (change, balance) = (units(change), units(balance));
            Entry { date: date.clone(), id: id.clone(), change, balance }
        };
        table.iter().skip(1).map(entry).collect()
    }

    /// Returns the ids of the transactions that `print` shows, in its order.
    #[track_caller]
    pub fn print(&self, arguments: &[&str]) -> Vec<String> {
        let table = self.csv("book", &[&["print"], arguments].concat());
        let Some((heading, rows)) = table.split_first() else { return Vec::new() };
        let column = heading.iter().position(|cell| cell == "code").expect("a column of codes");
        let mut ids: Vec<String> = rows.iter().filter_map(|row| row.get(column).cloned()).collect();
        // A row for each posting.
        ids.dedup();
        ids
    }

    fn transaction(&self, transaction: &Value) -> String {
        let account = |side: &str| self.name(text(&transaction[side], "id"));
        let amount = text(transaction, "amount");
        let tags: String = transaction["tags"]
            .as_array()
            .into_iter()
            .flatten()
            .map(|tag| format!("    ; {}:\n", tag.as_str().unwrap_or_default()))
            .collect();
        format!(
            "{} ({})\n{tags}    {}  {amount}\n    {}  -{amount}\n\n",
            text(transaction, "date"),
            text(transaction, "id"),
            account("debitAccount"),
            account("creditAccount"),
        )
    }

    fn write(&self, name: &str, content: &str) {
        let path = self.folder.path().join(format!("{name}.journal"));
        std::fs::write(path, content).expect("a journal");
    }

    #[track_caller]
    fn csv(&self, journal: &str, arguments: &[&str]) -> Vec<Vec<String>> {
        let text = self.run(journal, &[arguments, &["--output-format=csv"]].concat());
        text.lines().map(cells).collect()
    }

    #[track_caller]
    fn run(&self, journal: &str, arguments: &[&str]) -> String {
        let output = Command::new("hledger")
            .args(arguments)
            .arg("--file")
            .arg(self.folder.path().join(format!("{journal}.journal")))
            .env("LC_ALL", "C.UTF-8")
            .output()
            .expect("hledger starts");
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "hledger {arguments:?}: {errors}");
        String::from_utf8(output.stdout).expect("hledger writes UTF-8")
    }
}

/// The `account` directives. Each has its type, so that hledger takes none from a name.
fn types(accounts: &[Account<'_>], with_cash: bool) -> String {
    let directive = |account: &Account<'_>| {
        let class = if with_cash && account.is_cash { "C" } else { account.class_type };
        format!("account {}  ; type:{class}\n", account.name)
    };
    accounts.iter().map(directive).collect()
}

/// Derives the class and the place of an account from 13.5 and 13.6.
fn place<'a>(account: &'a Value, groups: &BTreeMap<&str, &'a Value>) -> Account<'a> {
    let direct = account["groups"].as_array().into_iter().flatten();
    let paths: Vec<Vec<&Value>> =
        direct.map(|group| group_path(text(group, "id"), groups)).collect();
    let around = || paths.iter().flatten();
    let has_mark = |mark: &str| around().any(|group| group["properties"]["report"] == mark);
    let is_named = ["opening_balances", "conversions"].contains(&text(account, "normalizedName"));
    let is_equity = has_mark("equity")
        || around().any(|group| group["normalizedName"] == "equity")
        || (paths.is_empty() && is_named);
    let class = match text(account, "type") {
        _ if is_equity => "Equity",
        "ASSET" => "Assets",
        "LIABILITY" => "Liabilities",
        "INCOMING" => "Income",
        "OUTGOING" => "Expenses",
        other => panic!("the type {other}"),
    };
    let (_, class_type) = CLASSES.into_iter().find(|(name, _)| *name == class).expect("a class");
    let names = |path: &Vec<&'a Value>| -> Vec<String> {
        path.iter().map(|group| text(group, "normalizedName").to_owned()).collect()
    };
    let first = paths.iter().min_by_key(|path| names(path)).map(Vec::as_slice);
    let below = match first.unwrap_or_default() {
        // The section stands for this group.
        [root, below @ ..] if text(root, "normalizedName") == class.to_lowercase() => below,
        path => path,
    };
    let name = below.iter().map(|group| text(group, "name")).chain([text(account, "name")]);
    Account {
        id: text(account, "id"),
        name: [class].into_iter().chain(name).collect::<Vec<_>>().join(":"),
        class_type,
        is_cash: has_mark("cash") && ["Assets", "Liabilities"].contains(&class),
    }
}

/// A group and the groups above it, the root first.
fn group_path<'g>(id: &str, groups: &BTreeMap<&str, &'g Value>) -> Vec<&'g Value> {
    let parent = |group: &&'g Value| groups.get(group["parent"]["id"].as_str()?).copied();
    let mut path: Vec<&Value> = std::iter::successors(groups.get(id).copied(), parent).collect();
    path.reverse();
    path
}

fn rows(list: &Value) -> impl Iterator<Item = &Value> {
    list["items"].as_array().expect("2.7: a list has items").iter()
}

#[track_caller]
fn text<'v>(value: &'v Value, field: &str) -> &'v str {
    value[field].as_str().unwrap_or_else(|| panic!("`{field}` is a text: {value}"))
}

/// Quotes the special characters of regular expressions.
fn escape(text: &str) -> String {
    let quote = |sign: char| {
        let is_special = r".^$*+?()[]{}|\".contains(sign);
        is_special.then_some('\\').into_iter().chain([sign])
    };
    text.chars().flat_map(quote).collect()
}

/// The cells of a line of CSV.
pub(crate) fn cells(line: &str) -> Vec<String> {
    let (mut cells, mut cell, mut is_quoted) = (Vec::new(), String::new(), false);
    let mut signs = line.chars().peekable();
    while let Some(sign) = signs.next() {
        match sign {
            '"' if is_quoted && signs.peek() == Some(&'"') => cell.extend(signs.next()),
            '"' => is_quoted = !is_quoted,
            ',' if !is_quoted => cells.push(std::mem::take(&mut cell)),
            _ => cell.push(sign),
        }
    }
    cells.push(cell);
    cells
}

/// The rows with amounts. Titles have none; totals follow from the rows of the sections.
fn figures(table: &[Vec<String>]) -> Figures {
    let row = |row: &Vec<String>| {
        let (name, amounts) = row.split_first()?;
        // A year in the heading would be an amount.
        if name.eq_ignore_ascii_case("account") {
            return None;
        }
        let amounts = amounts.iter().map(|cell| try_units(cell)).collect::<Option<Vec<i128>>>()?;
        let is_total = name.to_lowercase().trim_end_matches(':') == "total";
        let is_shown = !amounts.is_empty() && !is_total;
        is_shown.then(|| (name.clone(), amounts))
    };
    table.iter().filter_map(row).collect()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use serde_json::json;

    use super::{cells, escape, figures, place};

    #[test]
    fn reads_tables() {
        assert_eq!(cells(r#""a ""b"", c","1.50",x"#), ["a \"b\", c", "1.50", "x"]);
        let table: Vec<Vec<String>> =
            [r#""Account","Jan""#, r#""Assets","""#, r#""Assets:A","-1.50""#, r#""total","2""#]
                .into_iter()
                .map(cells)
                .collect();
        assert_eq!(figures(&table), BTreeMap::from([("Assets:A".to_owned(), vec![-150_000_000])]));
        assert_eq!(escape("^a (b)"), r"\^a \(b\)");
    }

    #[test]
    fn places_accounts() {
        let group = |id: &str, name: &str, parent: &str, mark: &str| {
            json!({
                "id": id, "name": name, "normalizedName": name.to_lowercase(),
                "parent": {"id": parent}, "properties": {"report": mark},
            })
        };
        let groups = [
            group("1", "Owners", "", ""),
            group("2", "Equity", "1", ""),
            group("3", "Banks", "", "cash"),
            group("4", "ASSETS", "", ""),
            group("5", "Assets", "4", ""),
        ];
        let groups: BTreeMap<&str, _> =
            groups.iter().map(|group| (group["id"].as_str().unwrap_or("?"), group)).collect();
        for (kind, inside, name, is_cash) in [
            ("ASSET", &["3"][..], "Assets:Banks:Conversions", true),
            ("OUTGOING", &["3"], "Expenses:Banks:Conversions", false),
            ("ASSET", &["2", "3"], "Equity:Banks:Conversions", false),
            ("INCOMING", &["2"], "Equity:Owners:Equity:Conversions", false),
            ("OUTGOING", &["1"], "Expenses:Owners:Conversions", false),
            ("OUTGOING", &[], "Equity:Conversions", false),
            ("ASSET", &["4"], "Assets:Conversions", false),
            ("ASSET", &["5"], "Assets:Assets:Conversions", false),
            ("LIABILITY", &["4"], "Liabilities:ASSETS:Conversions", false),
        ] {
            let account = json!({
                "id": "9", "name": "Conversions", "normalizedName": "conversions", "type": kind,
                "groups": inside.iter().map(|id| json!({"id": id})).collect::<Vec<_>>(),
            });
            let found = place(&account, &groups);
            assert_eq!((found.name.as_str(), found.is_cash), (name, is_cash), "{account}");
        }
    }
}
