//! Copies with opening balances (6.19), compared with the source's balances of the day before.

use std::collections::BTreeMap;

use daybook_tests::decimal::units;
use daybook_tests::rng::Rng;
use daybook_tests::{Cast, Server, column, encode, id};
use serde_json::{Value, json};

use crate::Case;
use crate::audit::audit;
use crate::book_copies::{Copy, entry};
use crate::reading::{batch, items};

pub fn tests() -> Vec<Case> {
    crate::cases![
        rule_6_19_balances_of_the_day_before,
        rule_6_19_the_books_own_account,
        rule_6_19_only_from_a_day,
        rule_6_19_beyond_one_amount,
    ]
}

const ACCOUNTS: [(&str, &str); 6] = [
    ("Cash", "ASSET"),
    ("Card", "LIABILITY"),
    ("Bank", "ASSET"),
    ("Food", "OUTGOING"),
    ("Pay", "INCOMING"),
    ("Idle", "ASSET"),
];
const PERMANENT: [&str; 4] = ["Cash", "Card", "Bank", "Idle"];

/// The raw cumulative balance of each account at the end of a range.
fn balances(read: impl Fn(&str) -> Value, range: &str) -> BTreeMap<String, i128> {
    let of = |name: &str| {
        let query = format!("account:'{name}' {range}");
        let answer = read(&format!("/balances?query={}", encode(&query)));
        let balance = answer["accountBalances"][0]["cumulativeBalance"].as_str().map(units);
        (name.to_owned(), balance.unwrap_or_default())
    };
    ACCOUNTS.iter().map(|(name, _)| of(name)).collect()
}

/// The opening transactions of a copy: all before the first copied day.
fn openings(copy: &Copy) -> Vec<Value> {
    let found = copy.read("/transactions?limit=1000&query=%22opening%20balances%22");
    items(&found).clone()
}

/// 6.19: random books with several zones, digits and start days.
fn rule_6_19_balances_of_the_day_before(server: &Server) {
    let mut rng = Rng::new(619);
    for (zone, digits) in
        [("UTC", 2), ("Pacific/Kiritimati", 0), ("America/Los_Angeles", 8), ("Asia/Kolkata", 3)]
    {
        let cast = Cast::with_settings(server, json!({"timeZone": zone, "fractionDigits": digits}));
        ACCOUNTS.iter().for_each(|(name, kind)| drop(cast.account(name, kind)));
        let rows: Vec<Value> = (0..120)
            .map(|number| {
                let (credit, step) = (rng.below(5) as usize, 1 + rng.below(4) as usize);
                let (credit, debit) = (ACCOUNTS[credit].0, ACCOUNTS[(credit + step) % 5].0);
                let day = format!("2024-{:02}-{:02}", 1 + rng.below(4), 1 + rng.below(28));
                let amount = format!("{}.{:08}", 1 + rng.below(9_999), rng.below(99_999_999));
                let mut row = entry(&day, &amount, [credit, debit], &format!("row {number}"));
                row["draft"] = json!(rng.below(6) == 0);
                row
            })
            .collect();
        let made = cast.owner.post(&cast.path("/transactions/batch"), &batch(rows)).ok();
        let trash = batch(items(&made).iter().step_by(9).map(|row| json!({"id": row["id"]})));
        cast.owner.patch(&cast.path("/transactions/trash/batch"), &trash).no_content();
        for from in
            ["2024-01-01", "2024-01-02", "2024-02-01", "2024-02-29", "2024-03-15", "2025-01-01"]
        {
            let request = format!(
                "name=C&copyTransactions=true&openingBalances=true&fromDate={}",
                from.replace('-', "")
            );
            let copy = Copy::make(&cast.owner, &cast.book, &request);
            let source = |rest: &str| cast.owner.get(&cast.path(rest)).ok();
            let case = format!("{zone}, {digits} digits, from {from}");
            let (then, opened) = (
                balances(source, &format!("before:{from}")),
                balances(|rest| copy.read(rest), &format!("before:{from}")),
            );
            for (name, _) in ACCOUNTS {
                let expected = if PERMANENT.contains(&name) { then[name] } else { 0 };
                assert_eq!(opened[name], expected, "{case}: {name} on the day before");
            }
            // Later days, and the whole book.
            for range in ["before:2024-03-20", "before:2030"] {
                let (right, copied) =
                    (balances(source, range), balances(|rest| copy.read(rest), range));
                for name in
                    PERMANENT.iter().filter(|_| !range.contains("2024") || from < "2024-03-20")
                {
                    assert_eq!(copied[*name], right[*name], "{case}: {name} {range}");
                }
            }
            // The other accounts show their movements since then.
            let since = format!("after:{from}");
            let (right, copied) =
                (balances(source, &since), balances(|rest| copy.read(rest), &since));
            for name in ["Food", "Pay"] {
                assert_eq!(copied[name], right[name], "{case}: {name} since");
            }
            let open = openings(&copy);
            let moved = then
                .iter()
                .filter(|(name, units)| PERMANENT.contains(&name.as_str()) && **units != 0);
            assert_eq!(open.len(), moved.count(), "{case}: one for each account");
            for row in &open {
                assert_eq!(row["posted"], true, "{case}");
                assert!(row["date"].as_str().is_some_and(|day| day < from), "{case}: {row}");
            }
            let all = copy.read("/accounts");
            let own = items(&all).iter().find(|account| account["name"] == "Opening balances");
            assert_eq!(own.is_some(), !open.is_empty(), "{case}");
            if let Some(own) = own {
                assert_eq!(own["type"], "LIABILITY");
                assert_eq!(own["hasTransactionPosted"], true);
            }
            let total = copy.read("/balances?query=before:2030");
            let sum: i128 = items(&json!({"items": total["accountBalances"]}))
                .iter()
                .map(|account| units(account["cumulativeBalance"].as_str().expect("a sum")))
                .sum();
            assert_eq!(sum, 0, "{case}: 5.16");
        }
        let copy = Copy::make(
            &cast.owner,
            &cast.book,
            "name=C&copyTransactions=true&openingBalances=true&fromDate=20240301",
        );
        let event = items(&copy.read("/events"))[0].clone();
        let rows = items(&copy.read("/transactions?limit=1000")).len();
        assert_eq!(event["data"]["copied"]["transactions"], rows, "6.20: openings count");
        let audited = audit(&Cast { book: id(&copy.book).to_owned(), ..cast });
        assert_eq!(audited["data"]["audit"]["findings"], json!([]), "{zone}");
    }
}

/// 6.19: an existing account of that name, in any spelling and of any type, is used.
fn rule_6_19_the_books_own_account(server: &Server) {
    let cast = Cast::with_accounts(
        server,
        &[("Cash", "ASSET"), ("OPENING_balances", "INCOMING"), ("Old", "ASSET")],
    );
    cast.record("2024-01-10", "100", "Opening balances", "Cash", "first");
    cast.record("2024-01-11", "30", "Cash", "Old", "second");
    cast.owner.put(&cast.path("/accounts"), &json!({"name": "Old", "archived": true})).ok();
    let copy = Copy::make(
        &cast.owner,
        &cast.book,
        "name=C&copyTransactions=true&openingBalances=maybe&fromDate=20240201",
    );
    assert_eq!(openings(&copy).len(), 0, "0.9: what cannot be read counts as absent");
    let copy = Copy::make(
        &cast.owner,
        &cast.book,
        "name=C&copyTransactions=true&openingBalances=true&fromDate=20240201",
    );
    assert_eq!(column(&copy.read("/accounts"), "name"), ["Cash", "Old", "OPENING_balances"]);
    let mut rows: Vec<[String; 3]> = openings(&copy)
        .iter()
        .map(|row| {
            let side = |side: &str| row[side]["name"].as_str().expect("a name").to_owned();
            [
                row["amount"].as_str().expect("an amount").to_owned(),
                side("creditAccount"),
                side("debitAccount"),
            ]
        })
        .collect();
    rows.sort();
    let expected = [["30.00", "OPENING_balances", "Old"], ["70.00", "OPENING_balances", "Cash"]];
    assert_eq!(rows, expected, "4.8: archived accounts too");
    // A permanent account of that name gets no opening transaction; its balance is the remainder.
    cast.owner
        .put(&cast.path("/accounts"), &json!({"name": "OPENING_balances", "type": "LIABILITY"}))
        .ok();
    let copy = Copy::make(
        &cast.owner,
        &cast.book,
        "name=C&copyTransactions=true&openingBalances=true&fromDate=20240201",
    );
    assert_eq!(openings(&copy).len(), 2);
    let own = copy.read("/balances?query=account:opening_balances");
    assert_eq!(own["accountBalances"][0]["cumulativeBalance"], "100.00");
}

/// 6.19: without transactions or without a day it has no effect; like those it requires the OWNER.
fn rule_6_19_only_from_a_day(server: &Server) {
    let cast = Cast::with_accounts(server, &[("Cash", "ASSET"), ("Food", "OUTGOING")]);
    cast.record("2024-01-10", "100", "Cash", "Food", "lunch");
    for query in [
        "copyTransactions=true&openingBalances=true",
        "openingBalances=true&fromDate=20240201",
        "copyTransactions=true&openingBalances=false&fromDate=20240201",
        "copyTransactions=true&openingBalances=true&fromDate=20240110",
    ] {
        let copy = Copy::make(&cast.owner, &cast.book, &format!("name=C&{query}"));
        assert_eq!(column(&copy.read("/accounts"), "name"), ["Cash", "Food"], "{query}");
        assert_eq!(openings(&copy).len(), 0, "{query}");
    }
    let first = "copyTransactions=true&openingBalances=true&fromDate=20240111";
    let copy = Copy::make(&cast.owner, &cast.book, &format!("name=C&{first}"));
    let open = openings(&copy);
    assert_eq!((open.len(), &open[0]["date"]), (1, &json!("2024-01-10")));
    cast.editor
        .post(&cast.path(&format!("/copy?name=C&{first}")), &Value::Null)
        .refused(403, "forbidden");
}

/// 3.12.5: a balance may exceed the largest amount.
fn rule_6_19_beyond_one_amount(server: &Server) {
    let cast = Cast::with_accounts(server, &[("Cash", "ASSET"), ("Food", "OUTGOING")]);
    for day in ["2024-01-10", "2024-01-11", "2024-01-12"] {
        cast.record(day, "92233720368547758.07", "Cash", "Food", "all of it");
    }
    let copy = Copy::make(
        &cast.owner,
        &cast.book,
        "name=C&copyTransactions=true&openingBalances=true&fromDate=20240201",
    );
    assert_eq!(openings(&copy).len(), 3);
    let cash = copy.read("/balances?query=account:Cash");
    assert_eq!(cash["accountBalances"][0]["cumulativeBalance"], "276701161105643274.21");
}
