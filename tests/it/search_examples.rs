//! The examples of behaviour 1.6, on their date.

use daybook_domain::account::AccountType;
use daybook_domain::field::Field;
use daybook_domain::instant::Instant;
use daybook_domain::transaction::{Changes, Verb};
use daybook_service::account;
use daybook_tests::Engine;

use crate::Case;
use crate::inside::{Inside, only, side};

pub fn tests() -> Vec<Case> {
    crate::isolated![examples_of_1_6]
}

/// 2025-05-20T12:00:00Z.
const TODAY: Instant = Instant::new(1_747_742_400_000);

fn settings() -> daybook_domain::book::Changes {
    let time_zone = Some("America/Sao_Paulo".to_owned());
    daybook_domain::book::Changes { time_zone, ..Default::default() }
}

fn examples_of_1_6(engine: Engine) {
    let inside = Inside::new(engine, TODAY, settings());
    let chart: [(&str, _, &[&str]); 5] = [
        ("Bank", AccountType::Asset, &[]),
        ("Cash", AccountType::Asset, &[]),
        ("CreditCard", AccountType::Liability, &[]),
        ("Credit Ca", AccountType::Liability, &[]),
        ("Food", AccountType::Outgoing, &[]),
    ];
    inside.chart(&[], &chart);
    let days = [
        "2013-01-27",
        "2013-01-28",
        "2013-01-29",
        "2014-03-31",
        "2014-04-01",
        "2020-01-24",
        "2020-01-25",
        "2020-01-26",
        "2024-05-31",
        "2024-06-01",
        "2024-11-30",
        "2024-12-01",
        "2024-12-31",
        "2025-01-01",
        "2025-01-31",
        "2025-02-01",
        "2025-02-28",
        "2025-03-01",
        "2025-03-31",
        "2025-04-01",
        "2025-04-30",
        "2025-05-01",
        "2025-05-14",
        "2025-05-15",
        "2025-05-16",
        "2025-05-19",
        "2025-05-20",
        "2025-05-31",
        "2025-06-01",
        "2025-06-30",
        "2025-07-01",
        "2025-12-31",
        "2026-01-01",
    ];
    let pairs = [
        ("Bank", "Food", "bought #fuel"),
        ("CreditCard", "Food", "#food"),
        ("Credit Ca", "Food", "x"),
        ("Cash", "Bank", "moved"),
    ];
    let items =
        days.iter().flat_map(|day| pairs.iter().map(move |(from, to, text)| (day, from, to, text)));
    let items: Vec<Changes> = items
        .enumerate()
        .map(|(number, (day, from, to, text))| Changes {
            date: Field::Set((*day).to_owned()),
            amount: Field::Set(["999.99", "1000", "5000", "5000.01"][number % 4].to_owned()),
            description: Field::Set((*text).to_owned()),
            credit: side(from),
            debit: side(to),
            checked: number.is_multiple_of(3),
            remote_ids: (number % 100 == 7)
                .then(|| vec![if number < 100 { "abc".to_owned() } else { "other".to_owned() }]),
            properties: if number.is_multiple_of(9) {
                [("invoice_number".to_owned(), Some("INV-2024-001".to_owned()))].into()
            } else {
                [].into()
            },
            ..Changes::default()
        })
        .collect();
    let made = inside.record(items);
    inside.perform(Verb::Trash, &made.iter().step_by(7).copied().map(only).collect::<Vec<_>>());
    let rows = inside.all("is:posted is:trashed", 1000);
    let between = |from: &'static str, until: &'static str| {
        move |row: &Listed| {
            row.date.as_str() >= from
                && (until.is_empty() || row.date.as_str() < until)
                && !row.trashed
        }
    };
    type Finds = Box<dyn Fn(&Listed) -> bool>;
    let table: Vec<(&str, Finds)> = vec![
        (
            "account:'Bank' after:01/04/2014",
            Box::new(move |row| between("2014-04-01", "")(row) && row.touches("Bank")),
        ),
        ("on:2025-01", Box::new(between("2025-01-01", "2025-02-01"))),
        ("after:$m-1 before:$m", Box::new(between("2025-05-01", "2025-06-01"))),
        ("before:$m", Box::new(between("", "2025-06-01"))),
        ("after:$m-12 before:$m-6", Box::new(between("2024-06-01", "2024-12-01"))),
        ("after:$m-3 before:$m+1", Box::new(between("2025-03-01", "2025-07-01"))),
        ("on:$m-1", Box::new(between("2025-04-01", "2025-05-01"))),
        ("after:$y-1 before:$y", Box::new(between("2025-01-01", "2026-01-01"))),
        ("before:$d", Box::new(between("", "2025-05-20"))),
        (
            "#fuel after:$d-4",
            Box::new(move |row| between("2025-05-16", "")(row) && row.text.contains("#fuel")),
        ),
        ("after:15/$m", Box::new(between("2025-05-15", ""))),
        ("on: 25/01/2020", Box::new(between("2020-01-25", "2020-01-26"))),
        ("remoteId:abc is:trashed", Box::new(|row| row.trashed && row.remote == "abc")),
        (
            "is:unchecked after:2025-01-01",
            Box::new(move |row| between("2025-01-01", "")(row) && !row.checked),
        ),
        (
            "acc:CreditCard after:28/01/2013 before:29/01/2013",
            Box::new(move |row| {
                between("2013-01-28", "2013-01-29")(row) && row.touches("CreditCard")
            }),
        ),
        ("invoice_number:\"INV-2024-001\"", Box::new(|row| !row.trashed && row.invoice)),
        (
            "amount>=1000 AND amount<=5000",
            Box::new(|row| !row.trashed && row.cents >= 100_000 && row.cents <= 500_000),
        ),
        (
            "account:Cash account:Bank",
            Box::new(|row| !row.trashed && row.touches("Cash") && row.touches("Bank")),
        ),
        (
            "(#food OR #fuel) -is:checked",
            Box::new(|row| !row.trashed && !row.checked && (row.text.contains('#'))),
        ),
        ("account:'Credit Ca", Box::new(|row| !row.trashed && row.touches("Credit Ca"))),
    ];
    let listed: Vec<Listed> = rows.iter().map(|row| Listed::new(row, &inside)).collect();
    for (query, finds) in table {
        let wanted: Vec<_> = listed.iter().filter(|row| finds(row)).map(|row| row.id).collect();
        assert!(!wanted.is_empty() || query.starts_with("remoteId"), "`{query}` shows something");
        assert_eq!(
            inside.all(query, 9).iter().map(|row| row.id).collect::<Vec<_>>(),
            wanted,
            "1.6: `{query}` on 2025-05-20"
        );
    }
}

/// A transaction, with the fields that the examples use.
struct Listed {
    id: daybook_domain::id::TransactionId,
    date: String,
    text: String,
    cents: i64,
    sides: Vec<String>,
    remote: String,
    checked: bool,
    trashed: bool,
    invoice: bool,
}

impl Listed {
    fn new(row: &daybook_domain::transaction::Transaction, inside: &Inside) -> Listed {
        let accounts = inside
            .store
            .read(|tx| account::list(tx, &inside.cx, &inside.book))
            .expect("accounts")
            .accounts;
        let name = |id| {
            accounts
                .iter()
                .find(|account| account.id == id)
                .map(|account| account.name.as_str().to_owned())
        };
        Listed {
            id: row.id,
            date: row.date.map(daybook_domain::calendar::format_iso).unwrap_or_default(),
            text: row.description.clone(),
            cents: row.amount.and_then(|amount| amount.units(2)).unwrap_or_default(),
            sides: row.account_ids().filter_map(name).collect(),
            remote: row.remote_ids.first().cloned().unwrap_or_default(),
            checked: row.is_checked(),
            trashed: row.trashed,
            invoice: row.properties.iter().next().is_some(),
        }
    }

    fn touches(&self, account: &str) -> bool {
        self.sides.iter().any(|side| side == account)
    }
}
