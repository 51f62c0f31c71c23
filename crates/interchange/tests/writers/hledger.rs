//! hledger reads the journals and computes the same figures.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use daybook_domain::account::Account;
use daybook_domain::id::AccountId;
use daybook_domain::report::Class;
use daybook_domain::transaction::Standing;
use daybook_interchange::plan::IN_TRANSIT;
use daybook_interchange::read::journal::{self, Side};
use daybook_interchange::write::Format;

use crate::book::{Fixture, Sums, day, transaction};
use crate::ledger;
use crate::program::{Scratch, find, run, table};

pub(crate) fn hledger() -> Option<PathBuf> {
    find(PathBuf::from("hledger"), "tests/install-hledger")
}

fn text(fixture: &Fixture) -> String {
    String::from_utf8(fixture.write(Format::Hledger)).unwrap()
}

/// Returns the accounts by the names that the journal declares, in the order of the accounts.
/// Complete entries do not need the account of amounts between two days.
pub(crate) fn names(fixture: &Fixture, journal: &str) -> HashMap<String, AccountId> {
    let declared = journal.lines().filter_map(|line| line.strip_prefix("account "));
    let names = declared.map(|line| line.split("  ;").next().unwrap().to_owned());
    let names: Vec<String> = names.collect();
    let is_needed = |account: &&Account| account.properties.get(IN_TRANSIT).is_none();
    let accounts: Vec<AccountId> =
        fixture.accounts.iter().filter(is_needed).map(|account| account.id).collect();
    assert_eq!(names.len(), accounts.len());
    names.into_iter().zip(accounts).collect()
}

/// Reads a table with a row for each account and a column for each month.
#[track_caller]
pub(crate) fn figures(
    fixture: &Fixture,
    names: &HashMap<String, AccountId>,
    printed: &str,
) -> Sums {
    let rows = table(printed);
    let heading = rows.iter().find(|row| matches!(row[0].as_str(), "account" | "Account")).unwrap();
    // A statement of one year has its days in the title and names of months above its columns.
    let year = rows[0][0].rsplit(' ').next().and_then(|days| days.get(..4)?.parse().ok());
    let named = |title: &String| Some((year?, 1 + u8::try_from(MONTHS.find(title)? / 3).ok()?));
    let of = |title: &String| month(title).or_else(|| named(title).filter(|_| title.len() == 3));
    let months: Vec<Option<(i32, u8)>> = heading.iter().map(of).collect();
    let mut sums = Sums::new();
    for row in &rows {
        let Some(account) = names.get(&row[0]) else { continue };
        for (title, cell) in months.iter().zip(row) {
            let Some(month) = title else { continue };
            sums.insert((*account, *month), fixture.units(cell));
        }
    }
    sums.retain(|_, sum| *sum != 0);
    sums
}

const MONTHS: &str = "JanFebMarAprMayJunJulAugSepOctNovDec";

fn month(title: &str) -> Option<(i32, u8)> {
    let (year, rest) = title.split_once('-')?;
    Some((year.parse().ok()?, rest.split('-').next()?.parse().ok()?))
}

/// Sums the months up to each month, from the first month with a sum to the last.
fn running(sums: &Sums) -> Sums {
    let months = || sums.keys().map(|(_, month)| *month);
    let next = |(year, month)| if month == 12 { (year + 1, 1) } else { (year, month + 1) };
    let last = months().max();
    let months = std::iter::successors(months().min(), |month| Some(next(*month)));
    let months = months.take_while(|month| Some(*month) <= last);
    let mut totals = Sums::new();
    let mut running: HashMap<AccountId, i128> = HashMap::new();
    for month in months {
        for ((account, _), units) in sums.iter().filter(|((_, of), _)| *of == month) {
            *running.entry(*account).or_default() += units;
        }
        totals.extend(running.iter().map(|(account, units)| ((*account, month), *units)));
    }
    totals.retain(|_, sum| *sum != 0);
    totals
}

/// Compares balances and statements by account and month with the sums of a book. Returns the
/// number of figures of the cash flow.
#[track_caller]
pub(crate) fn compare(
    program: &Path,
    fixture: &Fixture,
    names: &HashMap<String, AccountId>,
    file: &Scratch,
    sums: &Sums,
) -> usize {
    run(program, &["-f", file.path(), "check", "--strict"]);
    let ask = |arguments: &[&str]| {
        let options = ["-f", file.path(), "-M", "--flat", "-E", "-O", "csv"];
        let printed = run(program, &[arguments, &options].concat());
        figures(fixture, names, &printed)
    };
    let classes = fixture.classes();
    let of = |sums: &Sums, wanted: fn(Class, bool) -> bool| -> Sums {
        let is_wanted = |id: &AccountId| wanted(classes[id].0, classes[id].1);
        let signed = |((id, month), units): (&(AccountId, (i32, u8)), &i128)| {
            ((*id, *month), if classes[id].0.is_credit() { -units } else { *units })
        };
        sums.iter().filter(|((id, _), _)| is_wanted(id)).map(signed).collect()
    };
    let (running, path) = (running(sums), file.path());
    assert_eq!(ask(&["bal", "--no-total"]), *sums, "{path}");
    assert_eq!(ask(&["is"]), of(sums, |class, _| class.is_result()), "{path}");
    let balances = of(&running, |class, _| !class.is_result());
    assert_eq!(ask(&["bse", "--historical"]), balances, "{path}");
    let sheet = of(&running, |class, _| matches!(class, Class::Asset | Class::Liability));
    assert_eq!(ask(&["bs"]), sheet, "{path}");
    let cash = of(sums, |class, is_cash| class == Class::Asset && is_cash);
    // Where no account is declared as cash, hledger finds some by their names.
    if !cash.is_empty() {
        assert_eq!(ask(&["cf"]), cash, "{path}");
    }
    cash.len()
}

#[test]
fn figures_of_random_books_equal_those_of_hledger() {
    let Some(program) = hledger() else { return };
    for (seed, currency, digits) in
        [(1, Some("EUR"), 2), (2, None, 0), (3, Some("US$"), 3), (4, Some("€"), 8)]
    {
        let fixture = Fixture::random(seed, currency, digits);
        let journal = text(&fixture);
        let names = names(&fixture, &journal);
        let file = Scratch::new(&format!("{seed}.journal"), journal.as_bytes());
        let sums = fixture.sums();
        assert!(sums.len() > 70, "{} figures", sums.len());
        let cash = compare(&program, &fixture, &names, &file, &sums);
        assert!(cash > 0, "seed {seed}");
        if let Some(ledger) = ledger::program() {
            assert_eq!(ledger::figures(&ledger, &fixture, &names, &file), sums, "seed {seed}");
        }
    }
}

#[test]
fn wrong_amount_fails_the_check() {
    let Some(program) = hledger() else { return };
    let journal = text(&Fixture::random(5, Some("EUR"), 2));
    let last = journal.rfind(" EUR = ").unwrap() + " EUR = ".len();
    let changed = format!("{}1{}", &journal[..last], &journal[last..]);
    let file = Scratch::new("wrong.journal", changed.as_bytes());
    let output = Command::new(&program).args(["-f", file.path(), "check"]).output().unwrap();
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(!output.status.success() && error.contains("assertion"), "{error}");
}

/// The reader of journals finds the same amounts in them.
#[test]
fn importer_reads_the_same_balances() {
    for seed in [6, 7] {
        let fixture = Fixture::random(seed, Some("EUR"), 2);
        let text = text(&fixture);
        let names = names(&fixture, &text);
        let journal = journal::read(text.as_bytes()).unwrap();
        assert_eq!((journal.refused.len(), journal.warnings.len()), (0, 0));
        let mut sums = Sums::new();
        for leg in journal.entries.iter().flat_map(|entry| journal::legs(&entry.unwrap()).unwrap())
        {
            let units = fixture.units(&leg.amount.to_string());
            for (side, units) in [(leg.credit, -units), (leg.debit, units)] {
                let month = (leg.date.year(), u8::from(leg.date.month()));
                match side {
                    Side::Account(name) => {
                        *sums.entry((names[name.as_str()], month)).or_default() += units;
                    }
                    // An account on both sides of an entry.
                    Side::InTransit => {}
                    other @ (Side::Conversions | Side::Virtual) => panic!("{other:?}"),
                }
            }
        }
        sums.retain(|_, sum| *sum != 0);
        assert_eq!(sums, fixture.sums(), "seed {seed}");
    }
}

#[test]
fn legs_of_an_entry_are_joined() {
    let mut fixture = Fixture::empty(Some("EUR"), 2);
    let (bank, food, rent) = (201, 207, 209);
    for (id, date, units, credit, debit, entry) in [
        (1, "2026-01-30", 30_000, bank, food, Some("a")),
        (2, "2026-01-30", 1_000, bank, rent, None),
        (3, "2026-01-30", 12_500, bank, rent, Some("a")),
        (4, "2026-02-01", 500, bank, rent, Some("a")),
    ] {
        let mut one = transaction(id, day(date));
        one.amount = daybook_domain::amount::Amount::from_units(units, 3);
        one.description = "Shop".to_owned();
        one.credit = Some(AccountId::new(credit));
        one.debit = Some(AccountId::new(debit));
        one.standing = Standing::Checked;
        let pair = entry.map(|id| ("entry_id".to_owned(), id.to_owned()));
        one.properties = daybook_domain::property::Properties::stored(pair.into_iter().collect());
        fixture.transactions.push(one);
    }
    let text = text(&fixture);
    let start = text.find("2026-01-30").unwrap();
    let lines: Vec<String> = text[start..]
        .lines()
        .map(|line| line.split_whitespace().collect::<Vec<_>>().join(" "))
        .collect();
    let expected = [
        "2026-01-30 * Shop",
        "; id:0000000000000001",
        "; entry_id:a",
        "; id:0000000000000003",
        "Expenses:Food:Groceries 30.00 EUR",
        "Expenses:Rent 12.50 EUR",
        "Assets:Cash & bank:Bank -42.50 EUR",
        "",
        "2026-01-30 * Shop",
        "; id:0000000000000002",
        "Expenses:Rent 1.00 EUR",
        "Assets:Cash & bank:Bank -1.00 EUR",
        "",
        "2026-01-31 * Balances",
        "Assets:Cash & bank:Bank 0.00 EUR = -43.50 EUR",
        "Expenses:Food:Groceries 0.00 EUR = 30.00 EUR",
        "Expenses:Rent 0.00 EUR = 13.50 EUR",
        "",
        "2026-02-01 * Shop",
        "; id:0000000000000004",
        "; entry_id:a",
    ];
    assert_eq!(&lines[..expected.len()], expected);
    assert_eq!(lines.last().unwrap(), "; End of the export. Transactions: 4");
}
