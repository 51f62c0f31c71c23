//! Rules files of CSV: hledger makes the same entries of them.

use std::path::Path;

use daybook_domain::calendar::format_iso;
use daybook_interchange::read::options::Options;
use daybook_interchange::read::record::{Item, Record};
use daybook_interchange::read::{rules, statements};

use crate::hledger;
use crate::program::{run, table};

/// The cases of the readers whose rules and values hledger 1.25 knows.
const KNOWN: [&str; 8] = [
    "50-rules-basic",
    "51-rules-conditions",
    "52-rules-amount-in-and-out",
    "53-rules-several-postings",
    "54-rules-newest-first",
    "55-rules-one-day-newest-first",
    "61-rules-balances",
    "62-rules-two-currencies",
];

/// An entry: day, description, amount of the first posting, and the accounts of the others.
type Entry = (String, String, String, Vec<String>);

#[test]
fn entries_of_rules_equal_those_of_hledger() {
    let Some(program) = hledger::hledger() else { return };
    for case in KNOWN {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases").join(case);
        let path = |file: &str| folder.join(file).to_str().expect("UTF-8").to_owned();
        let input = format!("csv:{}", path("input"));
        let arguments = ["-f", &input, "--rules-file", &path("rules"), "print", "-O", "csv"];
        let mut expected = printed(&table(&run(&program, &arguments)));
        let found = read(&folder);
        // A record without other account has none, where hledger has income:unknown.
        for (entry, (.., accounts)) in expected.iter_mut().zip(&found) {
            entry.3.retain(|name| !name.ends_with(":unknown") || accounts.contains(name));
        }
        assert_eq!(found, expected, "{case}");
    }
}

/// Returns the entries that hledger prints, a row for each posting.
fn printed(rows: &[Vec<String>]) -> Vec<Entry> {
    let (heading, rows) = rows.split_first().expect("a heading");
    let column = |name: &str| heading.iter().position(|cell| cell == name).expect(name);
    let [number, date, description, account, amount] =
        ["txnidx", "date", "description", "account", "amount"].map(column);
    rows.chunk_by(|one, other| one[number] == other[number])
        .map(|postings| {
            let first = &postings[0];
            let others = postings[1..].iter().map(|posting| posting[account].clone()).collect();
            (first[date].clone(), first[description].clone(), plain(&first[amount]), others)
        })
        .collect()
}

/// Returns the records that the reader finds.
fn read(folder: &Path) -> Vec<Entry> {
    let text = |file: &str| std::fs::read_to_string(folder.join(file)).expect("a text");
    let rules = rules::parse(&text("rules"), &|_| None).expect("rules");
    let mut records: Vec<Record> = Vec::new();
    let mut sink = |item: Item| {
        if let Item::Record(record) = item {
            records.push(*record);
        }
    };
    statements(text("input"), Some(&rules), &Options::default(), &mut sink).expect("a statement");
    let entry = |record: Record| {
        let date = record.date.map(format_iso).expect("a day");
        let others = record.legs.into_iter().filter_map(|leg| leg.account).collect();
        (date, record.description, plain(&record.amount.to_string()), others)
    };
    records.into_iter().map(entry).collect()
}

/// Writes a number without zeros at its end.
fn plain(number: &str) -> String {
    let number = number.replace(',', ".");
    if !number.contains('.') {
        return number;
    }
    number.trim_end_matches('0').trim_end_matches('.').to_owned()
}
