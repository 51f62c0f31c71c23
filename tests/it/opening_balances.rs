//! Copies with opening balances (6.19), compared with the source's balances of the day before.

use std::collections::BTreeMap;

use daybook_tests::decimal::units;
use daybook_tests::{Cast, Server, column, encode, id, shows};
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

/// 6.19: of a book with drafts and trash; the simulation copies random books.
fn rule_6_19_balances_of_the_day_before(server: &Server) {
    let settings = json!({"timeZone": "Asia/Kolkata", "fractionDigits": 3});
    let cast = Cast::with_settings(server, settings);
    ACCOUNTS.iter().for_each(|(name, kind)| drop(cast.account(name, kind)));
    let rows = (0..60).map(|number| {
        let sides = [ACCOUNTS[number % 5].0, ACCOUNTS[(number + 1 + number % 3) % 5].0];
        let day = format!("2024-{:02}-{:02}", 1 + number % 4, 1 + number * 7 % 28);
        let mut row = entry(&day, &format!("{}.125", number + 1), sides, "row");
        row["draft"] = json!(number % 6 == 0);
        row
    });
    let made = cast.post("/transactions/batch", &batch(rows)).ok();
    let trash = batch(items(&made).iter().step_by(9).map(|row| json!({"id": row["id"]})));
    cast.patch("/transactions/trash/batch", &trash).no_content();
    let source = |rest: &str| cast.get(rest).ok();
    for from in ["2024-01-01", "2024-02-29", "2025-01-01"] {
        let copy = copy_from(&cast, &from.replace('-', ""));
        let copied = |rest: &str| copy.read(rest);
        let (before, since) = (format!("before:{from}"), format!("after:{from}"));
        let (then, opened) = (balances(source, &before), balances(copied, &before));
        let (whole, copied_whole) =
            (balances(source, "before:2030"), balances(copied, "before:2030"));
        let (moved, copied_moved) = (balances(source, &since), balances(copied, &since));
        for (name, _) in ACCOUNTS {
            if PERMANENT.contains(&name) {
                assert_eq!(opened[name], then[name], "{from}: {name} on the day before");
                assert_eq!(copied_whole[name], whole[name], "{from}: {name}, the whole book");
            } else {
                assert_eq!(opened[name], 0, "{from}: {name} on the day before");
                assert_eq!(copied_moved[name], moved[name], "{from}: {name} since");
            }
        }
        let open = openings(&copy);
        let expected = PERMANENT.iter().filter(|name| then[**name] != 0).count();
        assert_eq!(open.len(), expected, "{from}: one for each account");
        for row in &open {
            assert_eq!(row["posted"], true, "{from}");
            assert!(row["date"].as_str().is_some_and(|day| day < from), "{from}: {row}");
        }
        let all = copy.read("/accounts");
        let own = items(&all).iter().find(|account| account["name"] == "Opening balances");
        assert_eq!(own.is_some(), !open.is_empty(), "{from}");
        if let Some(own) = own {
            shows(own, &json!({"type": "LIABILITY", "hasTransactionPosted": true}));
        }
        let total = copy.read("/balances?query=before:2030");
        let sums = column(&json!({"items": total["accountBalances"]}), "cumulativeBalance");
        assert_eq!(sums.iter().map(|sum| units(sum)).sum::<i128>(), 0, "{from}: 5.16");
        let event = items(&copy.read("/events"))[0].clone();
        let rows = items(&copy.read("/transactions?limit=1000")).len();
        assert_eq!(event["data"]["copied"]["transactions"], rows, "6.20: openings count");
    }
    let copy = copy_from(&cast, "20240229");
    let audited = audit(&Cast { book: id(&copy.book).to_owned(), ..cast });
    assert_eq!(audited["data"]["audit"]["findings"], json!([]));
}

/// Copies a book with its opening balances before a day (`yyyyMMdd`).
#[track_caller]
fn copy_from(cast: &Cast, day: &str) -> Copy {
    let request = format!("name=C&copyTransactions=true&openingBalances=true&fromDate={day}");
    Copy::make(&cast.owner, &cast.book, &request)
}

/// 6.19: an existing account of that name, in any spelling and of any type, is used.
fn rule_6_19_the_books_own_account(server: &Server) {
    let cast = Cast::with_accounts(
        server,
        &[("Cash", "ASSET"), ("OPENING_balances", "INCOMING"), ("Old", "ASSET")],
    );
    cast.record("2024-01-10", "100", "Opening balances", "Cash", "first");
    cast.record("2024-01-11", "30", "Cash", "Old", "second");
    cast.put("/accounts", &json!({"name": "Old", "archived": true})).ok();
    let copy = Copy::make(
        &cast.owner,
        &cast.book,
        "name=C&copyTransactions=true&openingBalances=maybe&fromDate=20240201",
    );
    assert_eq!(openings(&copy).len(), 0, "0.9: what cannot be read counts as absent");
    let copy = copy_from(&cast, "20240201");
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
    cast.put("/accounts", &json!({"name": "OPENING_balances", "type": "LIABILITY"})).ok();
    let copy = copy_from(&cast, "20240201");
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
    let copy = copy_from(&cast, "20240111");
    let open = openings(&copy);
    assert_eq!((open.len(), &open[0]["date"]), (1, &json!("2024-01-10")));
    let first = "name=C&copyTransactions=true&openingBalances=true&fromDate=20240111";
    let path = cast.path(&format!("/copy?{first}"));
    cast.editor.post(&path, &Value::Null).refused(403, "forbidden");
}

/// 3.12.5: a balance may exceed the largest amount.
fn rule_6_19_beyond_one_amount(server: &Server) {
    let cast = Cast::with_accounts(server, &[("Cash", "ASSET"), ("Food", "OUTGOING")]);
    for day in ["2024-01-10", "2024-01-11", "2024-01-12"] {
        cast.record(day, "92233720368547758.07", "Cash", "Food", "all of it");
    }
    let copy = copy_from(&cast, "20240201");
    assert_eq!(openings(&copy).len(), 3);
    let cash = copy.read("/balances?query=account:Cash");
    assert_eq!(cash["accountBalances"][0]["cumulativeBalance"], "276701161105643274.21");
}
