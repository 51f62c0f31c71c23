//! Plans move exactly what their journals say, on each day and in each account.

use std::collections::BTreeMap;

use daybook_domain::account::AccountType;
use daybook_domain::name::normalized;
use daybook_domain::property::{Edits, Properties};
use daybook_interchange::plan::{Account, Book, Options, Plan, VirtualPostings, plan};
use daybook_interchange::read::amount::SignedAmount;
use daybook_interchange::read::journal::{self, Journal};
use daybook_interchange::read::problem::Kind;
use daybook_interchange::read::{beancount, gnucash};
use proptest::prelude::*;
use time::Date;

/// Sums by account, commodity and day.
pub(crate) type Sums = BTreeMap<(String, String, Date), SignedAmount>;

fn add(sums: &mut Sums, key: (String, String, Date), amount: SignedAmount) {
    let sum = sums.entry(key).or_default();
    *sum = sum.checked_add(amount).expect("small amounts");
}

fn without_zeros(sums: Sums) -> Sums {
    sums.into_iter().filter(|(_, sum)| !sum.is_zero()).collect()
}

/// Sums the postings of a journal.
fn of_journal(journal: &Journal) -> Sums {
    let mut sums = Sums::new();
    for entry in journal.entries.iter().map(Result::unwrap) {
        for posting in &entry.postings {
            let quantity = posting.quantity.as_ref().expect("an amount");
            let day = posting.date.unwrap_or(entry.date);
            let key = (posting.account.to_string(), quantity.commodity.to_string(), day);
            add(&mut sums, key, quantity.amount);
        }
    }
    without_zeros(sums)
}

/// Sums the transactions of a plan by the accounts of its journal.
pub(crate) fn of_plan(plan: &Plan) -> Sums {
    let mut sums = Sums::new();
    for book in &plan.books {
        for transaction in &book.transactions {
            let Some(amount) = transaction.amount else { continue };
            let units = amount.units(book.fraction_digits).expect("the places of the book");
            let amount = SignedAmount::new(i128::from(units), book.fraction_digits);
            for (side, amount) in [
                (transaction.credit.as_ref(), amount.negated()),
                (transaction.debit.as_ref(), amount),
            ] {
                let account = account(book, side);
                let Some(name) = &account.written_name else { continue };
                add(&mut sums, (name.clone(), book.commodity.clone(), transaction.date), amount);
            }
        }
    }
    without_zeros(sums)
}

fn account<'b>(book: &'b Book, side: Option<&String>) -> &'b Account {
    let name = side.expect("both sides");
    book.accounts.iter().find(|account| account.name == *name).expect("an account of the book")
}

/// Options that refuse no entry for its commodity or its virtual postings.
pub(crate) fn all() -> Options<'static> {
    Options {
        source: "test",
        book_per_commodity: true,
        virtual_postings: VirtualPostings::SameBook,
        ..Options::default()
    }
}

/// Checks what holds for each plan.
fn check(journal: &Journal) {
    let plan = plan(journal.clone(), &all()).expect("a plan");
    assert_eq!(plan.refused, journal.refused);
    assert_eq!(plan.entries, journal.entries.len());
    assert_eq!(of_plan(&plan), of_journal(journal));
    let mut remote_ids = Vec::new();
    for book in &plan.books {
        let mut names: Vec<String> =
            book.accounts.iter().map(|account| normalized(&account.name)).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), book.accounts.len(), "unique names");
        let groups: Vec<&str> = book.groups.iter().map(|group| group.name.as_str()).collect();
        for (index, group) in book.groups.iter().enumerate() {
            let parent = group.parent.as_ref();
            assert!(parent.is_none_or(|parent| groups[..index].contains(&parent.as_str())));
        }
        for account in &book.accounts {
            assert!(account.groups.iter().all(|group| groups.contains(&group.as_str())));
        }
        let mut in_transit = SignedAmount::ZERO;
        for transaction in &book.transactions {
            assert_eq!(transaction.is_draft(), transaction.credit.is_none());
            assert!(transaction.credit != transaction.debit || transaction.is_draft());
            let edits: Edits = transaction
                .properties
                .iter()
                .map(|(key, value)| (key.clone(), Some(value.clone())))
                .collect();
            let stored = Properties::default().merge(&edits).expect("valid properties");
            assert_eq!(stored.iter().count(), transaction.properties.len());
            remote_ids.push(transaction.remote_id.clone());
            let Some(amount) = transaction.amount else { continue };
            let units = amount.units(book.fraction_digits).expect("the places of the book");
            let amount = SignedAmount::new(i128::from(units), book.fraction_digits);
            for (side, amount) in [
                (transaction.credit.as_ref(), amount.negated()),
                (transaction.debit.as_ref(), amount),
            ] {
                let account = account(book, side);
                if account.written_name.is_none() && account.kind == AccountType::Asset {
                    in_transit = in_transit.checked_add(amount).expect("small amounts");
                }
            }
        }
        assert!(in_transit.is_zero(), "nothing stays in transit");
    }
    let count = remote_ids.len();
    remote_ids.sort_unstable();
    remote_ids.dedup();
    assert_eq!(remote_ids.len(), count, "unique remote ids");
}

const LEDGER: &[&str] = &[
    "2024-01-01 a\n",
    "2024-01-02=01-05 * (c) b | d  ; x:y, z:\n",
    "2024-02-01 ! e\n",
    "  Assets:Bank  $10.00\n",
    "  Assets:Bank  $-10.00\n",
    "  Assets:Bank\n",
    "  assets:bank  $1\n",
    "  Expenses:Food  $3.50  ; date:2024-01-05\n",
    "  Expenses:Food  $-3.50  ; a:, b:c\n",
    "  * Equity  5 EUR @ $2\n",
    "  Expenses  -5 EUR\n",
    "  (Budget:x)  $4\n",
    "  [Budget:x]  $4\n",
    "  [Budget:y]  $-4\n",
    "  Income:a:b:c  0\n",
    "  Assets:Bank  $2 = $3\n",
    "  ; k:v\n",
    "\n",
];

const BEANCOUNT: &[&str] = &[
    "2024-01-01 open Assets:Bank USD\n",
    "2024-01-01 pad Assets:Bank Equity:Opening\n",
    "2024-01-03 balance Assets:Bank 5.00 USD\n",
    "2024-01-03 balance Assets 7.00 EUR\n",
    "2024-01-02 * \"a\" \"b\" #t ^l\n",
    "2024-01-03 ! \"c\"\n",
    "  Assets:Bank  10.00 USD\n",
    "  Assets:Bank  -10.00 USD\n",
    "  Expenses:Food  2.5 EUR @ 2 USD\n",
    "  Expenses:Food\n",
    "  Assets:Broker  2 ACME {4 USD}\n",
    "  Assets:Broker  -1 ACME {}\n",
    "  Assets:Broker  -1 ACME {4 USD} @ 5 USD\n",
    "  k: \"v\"\n",
    "\n",
];

fn file(parts: &'static [&'static str]) -> impl Strategy<Value = String> {
    prop::collection::vec(prop::sample::select(parts), 0..40).prop_map(|parts| parts.concat())
}

proptest! {
    #[test]
    fn plans_keep_the_sums_of_journals(text in file(LEDGER)) {
        check(&journal::read(text.as_bytes()).expect("a journal"));
    }

    #[test]
    fn plans_keep_the_sums_of_beancount(text in file(BEANCOUNT)) {
        check(&beancount::read(text.as_bytes()).expect("a journal"));
    }

    /// A journal that grows at any place keeps the identities of its entries.
    #[test]
    fn remote_ids_do_not_depend_on_places(
        before in file(LEDGER),
        text in file(LEDGER),
    ) {
        let ids = |text: &str| {
            let journal = journal::read(text.as_bytes()).expect("a journal");
            let plan = plan(journal, &all()).expect("a plan");
            let books = plan.books.into_iter();
            let all = books.flat_map(|book| book.transactions);
            all.map(|transaction| transaction.remote_id).collect::<Vec<String>>()
        };
        let own = ids(&format!("2024-01-01 own\n  Assets:A  $1.11\n  Assets:B\n\n{text}"));
        let grown = format!("{before}\n\n2024-01-01 own\n  Assets:A  $1.11\n  Assets:B\n\n{text}");
        prop_assert!(ids(&grown).contains(&own[0]));
    }
}

#[test]
fn samples_keep_their_sums() {
    let sample = |name: &str| {
        let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/journals");
        std::fs::read(folder.join(name)).expect("the sample")
    };
    for name in ["features.journal", "small.journal"] {
        check(&journal::read(sample(name)).expect(name));
    }
    for name in ["features.beancount", "example.beancount"] {
        check(&beancount::read(sample(name)).expect(name));
    }
    check(&gnucash::read(sample("sample.gnucash")).expect("a book"));
}

/// A quarter of a megabyte of each pattern: the suite would not end if one took quadratic time.
#[test]
fn hostile_journals_take_linear_time() {
    let deep = format!("  A{}  1 USD\n", ":b".repeat(2_000));
    for (head, pattern) in [
        ("2024-01-01 * \"a\"\n", "  A:B  1 USD\n"),
        ("2024-01-01 * \"a\"\n", "  k: 1\n"),
        ("2024-01-01 * \"", "a"),
        ("", "\"\n"),
        ("2024-01-01 * ", "#a "),
        ("", "2024-01-01 open A:B\n"),
        ("", "pushtag #a\n"),
        ("2024-01-01 balance A:B ", "("),
        ("2024-01-01 balance A:B ", "1 + "),
        ("", "2024-01-01 pad A:B A:C\n"),
        ("", "2024-01-01 * \"a\"\n  A:B  1 X {1 USD}\n  A:C\n"),
        ("", "2024-01-01 balance A:B 1 USD\n"),
        ("2024-01-01 pad A A:C\n2024-01-01 * \"a\"\n", &deep),
    ] {
        let file = head.to_owned() + &pattern.repeat(256 * 1024 / pattern.len());
        if let Ok(journal) = beancount::read(file.as_bytes()) {
            let _plan = plan(journal, &all());
        }
    }
    let names: Vec<String> = (0..20_000).map(|index| format!("account a{index}:b\n")).collect();
    for (head, pattern) in [
        ("", "account a-b:c\naccount a_b:c\n"),
        ("account a", ":b"),
        ("2024-01-01 a\n", "  a:b  1 ; x:y, z:\n"),
        ("2024-01-01 a\n  a  1\n  b\n", "\n2024-01-01 a\n  a  1\n  b\n"),
        ("", &names.concat()),
    ] {
        let count = (256 * 1024 / pattern.len()).max(1);
        let file = head.to_owned() + &pattern.repeat(count);
        let journal = journal::read(file.as_bytes()).expect("a journal");
        let _plan = plan(journal, &all());
    }
    let long = format!("alias x={}\n", "z".repeat(60_000));
    let file = long + &"2024-01-01 a\n  x  1\n  y\n\n".repeat(6_000);
    let problem = journal::read(file).unwrap_err();
    assert_eq!(problem.kind, Kind::ValuesTooLong, "a short name stands for a long one");
    for pattern in ["<account>", "<transaction></transaction>", "<slot><key>a</key>", "&a;"] {
        let file = "<gnc-v2>".to_owned() + &pattern.repeat(256 * 1024 / pattern.len());
        let _outcome = gnucash::read(file.as_bytes());
    }
}
