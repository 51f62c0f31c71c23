//! 49,102 real bank transactions recorded over HTTP (5.4, 5.5, 5.16): every balance must equal that
//! of hledger.

use daybook_client::types::Account;
use daybook_tests::bank::{self, Sums, TRANSACTIONS, WHOLE};
use daybook_tests::{Client, Server, beancount, block_on, hledger, shows, unique};
use serde_json::{Value, json};

use crate::bank_export;
use crate::reading::{batch, id, items};

/// Fails with the first lines, if any.
#[track_caller]
fn assert_none(what: &str, lines: &[String]) {
    let shown: Vec<&String> = lines.iter().take(20).collect();
    assert!(lines.is_empty(), "{what}: {} differences: {shown:#?}", lines.len());
}

/// Compares all accounts with these sums, and the whole book with zero (5.16).
#[track_caller]
fn compare(what: &str, owner: &Client, book: &str, expected: &Sums) {
    let answer = bank::balances(owner, book, WHOLE);
    assert_none(what, &bank::differences(expected, &answer));
    assert_eq!(bank::whole(&answer), 0, "5.16: {what}: the whole book sums to zero");
    let groups: i128 = items_of(&answer, "groupBalances")
        .iter()
        .map(|group| {
            daybook_tests::decimal::units(group["cumulativeBalance"].as_str().unwrap_or("?"))
        })
        .sum();
    assert_eq!(groups, 0, "5.13: {what}: the four groups hold each account once and sum to zero");
}

fn items_of<'a>(answer: &'a Value, key: &str) -> &'a [Value] {
    answer[key].as_array().map_or(&[], Vec::as_slice)
}

/// Compares the monthly changes, read per account and as the series of the whole book.
fn compare_months(what: &str, owner: &Client, book: &str) {
    let expected = bank::expected_monthly();
    let range = "after:1993-01 before:1994-04";
    let whole = bank::balances(owner, book, range);
    let in_whole = bank::accounts(&whole);
    let mut lines = Vec::new();
    for (name, changes) in &expected.accounts {
        let single = bank::balances(owner, book, &format!("account:'{name}' {range}"));
        for container in
            [&single["accountBalances"][0], in_whole.get(name).copied().unwrap_or(&Value::Null)]
        {
            lines.extend(bank::monthly_differences(&expected.months, changes, container));
        }
    }
    assert_none(what, &lines);
}

/// Records all in batches of 1000 and returns the ids in order.
fn record(owner: &Client, book: &str, accounts: &[Account], transactions: &[Value]) -> Vec<String> {
    let path = format!("/v5/books/{book}/transactions/batch");
    let mut ids = Vec::new();
    for (number, chunk) in transactions.chunks(1000).enumerate() {
        let list = owner.post(&path, &batch(chunk.iter().cloned())).ok();
        assert_eq!(items(&list).len(), chunk.len(), "3.6.2: the same length");
        for (made, sent) in items(&list).iter().zip(chunk) {
            let expected = json!({
                "posted": true, "remoteIds": sent["remoteIds"], "amount": sent["amount"],
            });
            shows(made, &expected);
            ids.push(id(made));
        }
        if number % 10 == 9 {
            compare(
                "while recording",
                owner,
                book,
                &bank::add(accounts, transactions[..ids.len()].iter()),
            );
        }
    }
    ids
}

fn all_balances_equal_those_of_hledger(server: &Server) {
    let owner = server.client(&format!("{}@example.com", unique("banker")));
    let book = block_on(bank::chart().create_book(&owner.typed(), "Bank")).expect("a book");
    let book = book.id().to_owned();
    let transactions: Vec<Value> = bank::transactions().collect();
    assert_eq!(transactions.len(), TRANSACTIONS);
    let expected = bank::expected_balances();
    let accounts = bank::chart().accounts;
    assert_eq!(bank::add(&accounts, transactions.iter()), expected, "the two oracles agree");
    let ids = record(&owner, &book, &accounts, &transactions);
    compare("recorded", &owner, &book, &expected);
    compare_months("recorded", &owner, &book);

    drop(bank_export::compared(&owner, &book, &transactions));
    bank_export::compare_in_beancount(&owner, &book, &transactions);

    // Trash and untrash a thousand transactions spread over the book.
    let thrown: Vec<usize> = (0..1000).map(|turn| turn * TRANSACTIONS / 1000).collect();
    let bodies = batch(thrown.iter().map(|index| json!({"id": ids[*index]})));
    owner.patch(&format!("/v5/books/{book}/transactions/trash/batch"), &bodies).no_content();
    let kept = transactions
        .iter()
        .enumerate()
        .filter(|(index, _)| thrown.binary_search(index).is_err())
        .map(|(_, kept)| kept);
    compare("a thousand in the trash", &owner, &book, &bank::add(&accounts, kept));
    owner.patch(&format!("/v5/books/{book}/transactions/untrash/batch"), &bodies).no_content();
    compare("restored", &owner, &book, &expected);
    compare_months("restored", &owner, &book);
    let total = owner.get(&format!("/v5/books/{book}")).ok()["totalTransactions"].clone();
    assert_eq!(total, json!(TRANSACTIONS), "behaviour 6.10");

    // Recording the same remote ids again creates nothing (3.7).
    let again = owner
        .post(
            &format!("/v5/books/{book}/transactions/batch"),
            &batch(transactions[..1000].iter().cloned()),
        )
        .ok();
    assert_eq!(crate::reading::ids(&again), ids[..1000]);
    compare("recorded again", &owner, &book, &expected);

    // A copy (6.6) has the same balances and the same order.
    let copy = owner
        .post(&format!("/v5/books/{book}/copy?name=Copy&copyTransactions=true"), &Value::Null)
        .ok();
    assert_eq!(copy["totalTransactions"], json!(TRANSACTIONS), "behaviour 6.10");
    let copy = id(&copy);
    compare("copied", &owner, &copy, &expected);
    compare_months("copied", &owner, &copy);
    let newest = |book: &str| {
        let list = owner.get(&format!("/v5/books/{book}/transactions?limit=1000")).ok();
        items(&list).iter().map(|row| row["remoteIds"].clone()).collect::<Vec<_>>()
    };
    assert_eq!(newest(&copy), newest(&book), "behaviour 2.6");
}

pub fn tests() -> Vec<crate::Case> {
    let cases = crate::cases![all_balances_equal_those_of_hledger];
    cases.into_iter().map(|case| case.needs(hledger::missing).needs(beancount::missing)).collect()
}
