//! Journals that are imported and exported again keep their figures in other programs.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::Path;

use daybook_domain::account::{self, Account};
use daybook_domain::book::{self, Book, Settings};
use daybook_domain::group::{self, Forest, Group};
use daybook_domain::id::{AccountId, GroupId};
use daybook_domain::property::{Edits, Properties};
use daybook_domain::transaction::{Standing, Transaction};
use daybook_interchange::plan::{self, IN_TRANSIT, Options, Plan, VirtualPostings};
use daybook_interchange::read::amount::SignedAmount;
use daybook_interchange::read::journal::{self, Journal};
use daybook_interchange::read::read_journal;
use daybook_interchange::write::Format;
use time::Date;

use crate::book::{Fixture, stamp, transaction};
use crate::program::{Scratch, run};
use crate::{beancount, hledger, ledger};

fn edits(properties: &BTreeMap<String, String>) -> Edits {
    properties.iter().map(|(key, value)| (key.clone(), Some(value.clone()))).collect()
}

/// Returns a book as an import records it.
fn recorded(planned: &plan::Book) -> Fixture {
    let changes = book::Changes {
        name: Some(planned.name.clone()),
        fraction_digits: Some(i64::from(planned.fraction_digits)),
        properties: edits(&planned.properties),
        ..book::Changes::default()
    };
    let settings = Settings::create(changes).unwrap();
    let book = Book { settings, scale: planned.fraction_digits, ..Fixture::empty(None, 0).book };
    let numbers: HashMap<&str, GroupId> = planned
        .groups
        .iter()
        .map(|group| group.name.as_str())
        .zip((1..).map(GroupId::new))
        .collect();
    let groups: Vec<Group> = planned
        .groups
        .iter()
        .map(|group| {
            let properties = edits(&group.properties);
            let changes =
                group::Changes { name: Some(group.name.clone()), properties, ..Default::default() };
            let created = Group::create(numbers[group.name.as_str()], changes, stamp()).unwrap();
            Group { parent: group.parent.as_ref().map(|name| numbers[name.as_str()]), ..created }
        })
        .collect();
    let (accounts, ids) = accounts(planned, &book, &numbers);
    let members = accounts
        .iter()
        .flat_map(|account| account.groups.iter().map(|group| (*group, account.kind)));
    let forest = Forest::new(groups, members);
    let account = |name: &String| {
        let index = planned.accounts.iter().position(|account| account.name == *name);
        ids[index.expect("an account of the book")]
    };
    let mut transactions: Vec<Transaction> = (1..)
        .zip(&planned.transactions)
        .map(|(id, one)| Transaction {
            amount: one.amount,
            description: one.description_with_hashtags(),
            credit: one.credit.as_ref().map(account),
            debit: one.debit.as_ref().map(account),
            standing: match (one.is_draft(), one.is_checked) {
                (true, _) => Standing::Draft,
                (false, true) => Standing::Checked,
                (false, false) => Standing::Unchecked,
            },
            properties: Properties::stored(one.properties.clone()),
            remote_ids: vec![one.remote_id.clone()],
            ..transaction(id, one.date)
        })
        .collect();
    transactions.sort_by_key(|one| one.list_day);
    Fixture { book, accounts, forest, transactions, files: Vec::new() }
}

/// Returns the accounts of a book, and their ids.
fn accounts(
    planned: &plan::Book,
    book: &Book,
    groups: &HashMap<&str, GroupId>,
) -> (Vec<Account>, Vec<AccountId>) {
    let accounts = (1..).zip(&planned.accounts).map(|(id, account)| {
        let changes = account::Changes {
            name: Some(account.name.clone()),
            kind: Some(account.kind),
            properties: edits(&account.properties),
            ..account::Changes::default()
        };
        let (none, id) = (BTreeSet::new(), AccountId::new(id));
        let created = Account::create(id, changes, &none, book.precision(), stamp()).unwrap();
        Account {
            groups: account.groups.iter().map(|name| groups[name.as_str()]).collect(),
            ..created
        }
    });
    let accounts: Vec<Account> = accounts.collect();
    let ids = accounts.iter().map(|account| account.id).collect();
    (accounts, ids)
}

fn planned(journal: &Journal) -> Plan {
    let options = Options {
        source: "test",
        book_per_commodity: true,
        virtual_postings: VirtualPostings::SameBook,
        ..Options::default()
    };
    plan::plan(journal.clone(), &options).unwrap()
}

fn exported(fixture: &Fixture) -> String {
    String::from_utf8(fixture.write(Format::Hledger)).unwrap()
}

/// The figures of each book, without the account that joined entries do not need, are those of
/// hledger, ledger and beancount.
#[test]
fn converted_samples_have_the_figures_of_other_programs() {
    let (hledger, ledger) = (hledger::hledger(), ledger::program());
    let bean = beancount::program("bean-check").zip(beancount::program("bean-query"));
    let (mut books, mut figures) = (0, 0);
    let own = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/journals");
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).parent().unwrap();
    for (folder, name) in [
        (own.as_path(), "features.journal"),
        (&own, "small.journal"),
        (&own, "features.beancount"),
        (&own, "example.beancount"),
        (&own, "sample.gnucash"),
        // It is that of Debian's package.
        (&target.join("ledger"), "sample.journal"),
    ] {
        let path = folder.join(name);
        if std::env::var_os("CI").is_none() && !path.exists() {
            eprintln!("{} is missing: run tests/install-ledger", path.display());
            continue;
        }
        let (_, journal) = read_journal(std::fs::read(path).unwrap()).unwrap();
        for (number, planned) in planned(&journal).books.iter().enumerate() {
            let fixture = recorded(planned);
            let text = exported(&fixture);
            let names = hledger::names(&fixture, &text);
            let mut sums = fixture.sums();
            if let Some((check, query)) = &bean {
                let text = String::from_utf8(fixture.write(Format::Beancount)).unwrap();
                let file = Scratch::new(&format!("{name}-{number}.beancount"), text.as_bytes());
                assert_eq!(run(check, &["--no-cache", file.path()]), "", "{name}");
                let names = beancount::opened(&text);
                assert_eq!(beancount::figures(query, &fixture, &names, &file), sums, "{name}");
            }
            let known: BTreeSet<AccountId> = names.values().copied().collect();
            sums.retain(|(account, _), _| known.contains(account));
            let file = Scratch::new(&format!("{name}-{number}.journal"), text.as_bytes());
            if let Some(program) = &hledger {
                hledger::compare(program, &fixture, &names, &file, &sums);
            }
            if let Some(program) = &ledger {
                assert_eq!(ledger::figures(program, &fixture, &names, &file), sums, "{name}");
            }
            books += 1;
            figures += sums.len();
        }
    }
    assert!(books >= 10 && figures > 200, "{books} books, {figures} figures");
}

const DATED: &str = "\
2024-01-30 * Shop
    Expenses:Food         $30.00
    Assets:Cash           $-2.50  ; date:2024-02-03
    Assets:Bank          $-27.50

2024-02-02 Card
    Expenses:Food          $5.00
    Liabilities:Card      $-5.00  ; date:2024-01-31

2024-02-12 Fund
    Assets:Fund          $100.00  ; date:2024-03-01
    Assets:Bank         $-100.00  ; date:2024-02-20

2024-02-14 One account
    Assets:Cash           $20.00
    Assets:Cash          $-20.00

2024-02-15 Cafe
    Expenses:Food          $1.00
    Assets:Bank
";

/// Sums by account and day.
type Sums = BTreeMap<(String, Date), SignedAmount>;

/// Sums the postings of a journal.
fn sums(journal: &Journal) -> Sums {
    let mut sums = Sums::new();
    for entry in journal.entries.iter().map(Result::unwrap) {
        for posting in &entry.postings {
            let key = (posting.account.to_string(), posting.date.unwrap_or(entry.date));
            let amount = posting.quantity.as_ref().unwrap().amount;
            let sum: &mut SignedAmount = sums.entry(key).or_default();
            *sum = sum.checked_add(amount).unwrap();
        }
    }
    sums.retain(|_, sum| !sum.is_zero());
    sums
}

/// The days and descriptions of the entries with amounts.
fn entries(journal: &Journal) -> BTreeSet<(Date, String)> {
    let all = journal.entries.iter().map(Result::unwrap);
    all.filter(|entry| entry.description != "Balances")
        .map(|entry| (entry.date, entry.description))
        .collect()
}

#[test]
fn postings_with_days_of_their_own_are_joined_again() {
    let before = journal::read(DATED.as_bytes()).unwrap();
    let mut fixture = recorded(&planned(&before).books[0]);
    let text = exported(&fixture);
    let words: Vec<&str> = text.split_whitespace().collect();
    assert!(words.join(" ").contains("Assets:Cash -2.50 \"$\" ; [2024-02-03]"), "{text}");
    assert!(!text.contains("In transit") && !text.contains("entry_date"), "{text}");
    let after = journal::read(text.as_bytes()).unwrap();
    assert_eq!((after.refused.len(), after.warnings.len()), (0, 0), "{text}");
    assert_eq!(sums(&after), sums(&before));
    assert_eq!(entries(&after), entries(&before));
    let again = planned(&after);
    let transit =
        again.books[0].accounts.iter().find(|one| one.properties.contains_key(IN_TRANSIT));
    assert_eq!(transit.map(|account| account.name.as_str()), Some("In transit"));
    check(&text);
    // A part of an entry that is gone leaves its amount between the days.
    let part =
        fixture.transactions.iter_mut().find(|one| one.list_day == crate::book::day("2024-02-03"));
    part.unwrap().trashed = true;
    let text = exported(&fixture);
    assert!(text.contains("account In transit  ; type:A\n"), "{text}");
    let rest = journal::read(text.as_bytes()).unwrap();
    let of_transit = |sums: Sums| -> Vec<String> {
        let own = sums.into_iter().filter(|((account, _), _)| account == "In transit");
        own.map(|((_, day), sum)| format!("{day} {sum}")).collect()
    };
    assert_eq!(of_transit(sums(&rest)), ["2024-01-30 -2.5"]);
    check(&text);
}

/// Lets hledger verify the balances of a journal.
#[track_caller]
fn check(text: &str) {
    let Some(program) = hledger::hledger() else { return };
    let file = Scratch::new("dated.journal", text.as_bytes());
    run(&program, &["-f", file.path(), "check", "--strict"]);
}
