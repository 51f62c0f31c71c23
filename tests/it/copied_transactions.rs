//! copyBook with transactions (6.6): rows, balances and fraction digits of the copy. The copy is
//! one snapshot of its source and independent of it.

use std::collections::BTreeMap;
use std::thread;

use daybook_tests::decimal::units;
use daybook_tests::{CASH_AND_FOOD, Cast, Server, column, encode, id, shows, unique};
use serde_json::{Value, json};

use crate::Case;
use crate::book_copies::{Copy, bare, cast, entry, fill};
use crate::reading::{batch, items};

pub fn tests() -> Vec<Case> {
    crate::cases![
        rule_6_6_transactions_are_copied_without_trash,
        rule_6_6_from_date_limits_the_transactions,
        rule_3_12_7_copy_keeps_stored_decimals,
        rule_6_24_copy_can_change_fraction_digits,
        rule_6_24_invalid_fraction_digits_are_refused,
        rule_4_7_account_with_copied_postings_cannot_be_deleted,
        copy_and_source_are_independent,
        copy_during_writes_is_consistent,
    ]
}

/// Copies a book with its transactions.
#[track_caller]
fn copy_all(cast: &Cast) -> Copy {
    Copy::make(&cast.owner, &cast.book, "name=Copy&copyTransactions=true")
}

/// 6.6: drafts and postings in the same order, with state, remoteIds, tags, urls and properties.
fn rule_6_6_transactions_are_copied_without_trash(server: &Server) {
    let cast = cast(server);
    fill(&cast);
    let copy = copy_all(&cast);
    for query in ["", "is:draft", "is:checked", "#food", "remoteId:bank-2", "shop:corner", "bread"]
    {
        let rest = format!("/transactions?limit=1000&query={}", encode(query));
        let (source, copied) = (cast.read(&rest), copy.read(&rest));
        assert!(!items(&source).is_empty(), "{query}");
        assert_eq!(bare(&copied["items"]), bare(&source["items"]), "{query}");
    }
    let everything = items(&copy.read("/transactions?limit=1000")).len();
    assert_eq!(everything, 7, "all but the trashed one");
    assert_eq!(copy.read("/transactions?query=is:trashed")["items"], json!([]));
    let page = copy.read("/transactions?limit=3");
    let rest = copy.read(&format!(
        "/transactions?limit=1000&cursor={}",
        page["cursor"].as_str().expect("a cursor")
    ));
    assert_eq!(items(&page).len() + items(&rest).len(), everything, "2.4");
    // 6.14: created now by the copying user.
    let username = cast.owner.get("/v5/user").ok()["username"].clone();
    let made = copy.read("/transactions?query=Bread")["items"][0].clone();
    let expected = json!({
        "createdBy": username, "createdAt": copy.book["createdAt"],
        "updatedAt": copy.book["createdAt"],
    });
    shows(&made, &expected);
    let totals = json!({
        "totalTransactions": 5, "totalTransactionsCurrentMonth": 5,
        "totalTransactionsCurrentYear": 5,
    });
    shows(&copy.book, &totals);
    shows(&copy.read(""), &totals);
    // Posted today, in the zone of the book.
    assert_eq!(items(&copy.read("/transactions?query=using:postDate%20after:$d")).len(), 5);
}

/// 6.6: inclusive, only with copyTransactions, and without opening balances.
fn rule_6_6_from_date_limits_the_transactions(server: &Server) {
    let cast = cast(server);
    fill(&cast);
    let described = |copy: &Copy| {
        let mut found = column(&copy.read("/transactions?limit=1000"), "description");
        found.sort();
        found
    };
    let copy =
        Copy::make(&cast.owner, &cast.book, "name=Copy&copyTransactions=true&fromDate=20250216");
    assert_eq!(
        described(&copy),
        ["Bread #food #daily", "Checked #food", "Same day, later", "Undated"]
    );
    let cash = copy.read("/balances?query=account:Cash")["accountBalances"][0].clone();
    shows(&cash, &json!({"cumulativeDebit": "0.000", "cumulativeCredit": "119.345"}));
    shows(&copy.book, &json!({"totalTransactions": 3}));
    let accounts = copy.read("/accounts");
    let posted: Vec<&Value> = items(&accounts)
        .iter()
        .filter(|account| account["hasTransactionPosted"] == true)
        .map(|account| &account["name"])
        .collect();
    assert_eq!(posted, ["Cash", "Food & Drink"], "4.7: of what was copied");
    for (query, count) in [
        ("copyTransactions=true&fromDate=", 7),
        ("copyTransactions=true&fromDate=99991231", 0),
        ("fromDate=20250216", 0),
        ("copyTransactions=false&fromDate=20250216", 0),
        ("copyTransactions=maybe", 0),
    ] {
        let copy = Copy::make(&cast.owner, &cast.book, &format!("name=Copy&{query}"));
        assert_eq!(described(&copy).len(), count, "0.9: {query}");
    }
}

/// 3.12.7.
fn rule_3_12_7_copy_keeps_stored_decimals(server: &Server) {
    let cast = Cast::with_accounts(server, &CASH_AND_FOOD);
    cast.record("2025-01-31", "1.25", "Cash", "Food", "before");
    cast.put("", &json!({"fractionDigits": 5})).ok();
    cast.record("2025-01-31", "0.00001", "Cash", "Food", "fine");
    cast.put("", &json!({"fractionDigits": 1})).ok();
    let copy = copy_all(&cast);
    assert_eq!(column(&copy.read("/transactions"), "amount"), ["0.00001", "1.25"]);
    let credit = || {
        let balances = copy.read("/balances?query=account:Cash");
        balances["accountBalances"][0]["cumulativeCredit"].clone()
    };
    assert_eq!(credit(), "1.25001");
    // A later raise starts from that scale.
    copy.owner.put(&copy.path(""), &json!({"fractionDigits": 7})).ok();
    assert_eq!(credit(), "1.2500100");
}

fn rule_6_24_copy_can_change_fraction_digits(server: &Server) {
    let cast = Cast::with_accounts(server, &CASH_AND_FOOD);
    cast.record("2024-12-31", "2.50", "Cash", "Food", "before");
    cast.record("2025-01-31", "1.25", "Cash", "Food", "lunch");
    let credit = |copy: &Copy| {
        let balances = copy.read("/balances?query=account:Cash%20on:2025");
        balances["accountBalances"][0]["cumulativeCredit"].clone()
    };
    let request = "name=Copy&copyTransactions=true&fractionDigits=";
    let finer = Copy::make(&cast.owner, &cast.book, &format!("{request}4"));
    assert_eq!(finer.read("")["fractionDigits"], 4);
    assert_eq!(column(&finer.read("/transactions"), "amount"), ["1.2500", "2.5000"]);
    assert_eq!(credit(&finer), "3.7500");
    let fine = entry("2025-02-01", "0.0001", ["Cash", "Food"], "fine");
    finer.owner.post(&finer.path("/transactions"), &fine).ok();
    assert_eq!(credit(&finer), "3.7501");
    finer.owner.put(&finer.path(""), &json!({"fractionDigits": 4, "name": "Fine"})).ok();
    // Fewer digits do not round.
    let coarser = Copy::make(&cast.owner, &cast.book, &format!("{request}1"));
    assert_eq!(column(&coarser.read("/transactions"), "amount"), ["1.25", "2.5"]);
    assert_eq!(credit(&coarser), "3.75");
    let opened = format!("{request}3&fromDate=20250101&openingBalances=true");
    let opened = Copy::make(&cast.owner, &cast.book, &opened);
    assert_eq!(column(&opened.read("/transactions"), "amount"), ["1.250", "2.500"]);
    // 6.19: a balance above the limit of one amount takes several openings.
    let most = "9000000000000000.00";
    cast.record("2024-12-31", most, "Food", "Cash", "much");
    cast.record("2024-12-31", most, "Food", "Cash", "as much");
    let opened_twice = format!("{request}3&fromDate=20250101&openingBalances=true");
    let opened_twice = Copy::make(&cast.owner, &cast.book, &opened_twice);
    let openings = column(&opened_twice.read("/transactions?query=on:2024"), "amount");
    assert_eq!(openings.len(), 2, "{openings:?}");
    let rest = "/balances?query=account:Cash%20on:2024";
    let [own, opened] = [cast.read(rest), opened_twice.read(rest)]
        .map(|balances| balances["accountBalances"][0]["cumulativeBalance"].clone());
    assert_eq!(own, "-17999999999999997.50");
    assert_eq!(opened, "-17999999999999997.500");
    let same = Copy::make(&cast.owner, &cast.book, request);
    assert_eq!(same.read("")["fractionDigits"], 2);
}

fn rule_6_24_invalid_fraction_digits_are_refused(server: &Server) {
    let cast = Cast::with_accounts(server, &CASH_AND_FOOD);
    cast.record("2024-12-31", "92233720368547758.07", "Cash", "Food", "all there is");
    let books = || items(&cast.owner.get("/v5/books").ok()).len();
    let before = books();
    for (digits, given) in [("9", "9"), ("-1", "-1"), ("%2B4", "+4"), ("two", "two"), ("3", "")] {
        let query = format!("name=Copy&copyTransactions=true&fractionDigits={digits}");
        let answer = cast.post(&format!("/copy?{query}"), &Value::Null);
        let expected = match given {
            "" => "fractionDigits 3 is too fine for the amounts already recorded".to_owned(),
            given => format!("invalid fractionDigits \"{given}\": expected 0 to 8"),
        };
        assert_eq!(answer.refused(400, "badRequest"), expected, "{digits}");
    }
    assert_eq!(books(), before, "no copy");
    // The structure has no amounts.
    let copy = Copy::make(&cast.owner, &cast.book, "name=Copy&fractionDigits=3");
    assert_eq!(copy.read("")["fractionDigits"], 3);
}

/// 4.7.
fn rule_4_7_account_with_copied_postings_cannot_be_deleted(server: &Server) {
    let cast = cast(server);
    fill(&cast);
    let copy =
        Copy::make(&cast.owner, &cast.book, "name=Copy&copyTransactions=true&fromDate=20250216");
    let delete = |name: &str| {
        let account = copy.read(&format!("/accounts/{name}"));
        copy.owner.delete(&copy.path(&format!("/accounts/{}", id(&account))))
    };
    delete("Cash").refused(400, "badRequest");
    shows(&delete("Pay").ok(), &json!({"name": "Pay", "hasTransactionPosted": false}));
}

fn copy_and_source_are_independent(server: &Server) {
    let cast = cast(server);
    fill(&cast);
    let copy = copy_all(&cast);
    let before = cast.read("/balances?query=by:y")["accountBalances"].clone();
    // 3.7: importing the same bank statement again creates nothing.
    let known = copy.read("/transactions?query=remoteId:bank-1")["items"][0].clone();
    let again = json!({"description": "Bread again", "remoteIds": ["bank-1"]});
    let answered = copy.owner.post(&copy.path("/transactions"), &again).ok();
    assert_eq!(answered["transaction"]["id"], known["id"]);
    let find = |label: &str| {
        copy.read(&format!("/transactions?query={}", encode(label)))["items"][0]["id"].clone()
    };
    let verb = |name: &str, body: Value| {
        copy.owner.patch(&copy.path(&format!("/transactions/{name}")), &body).ok()
    };
    verb("post", json!({"id": find("'A draft'")}));
    verb("trash", json!({"id": find("Bread")}));
    verb("uncheck", json!({"id": find("Checked")}));
    copy.owner
        .put(&copy.path("/transactions"), &json!({"id": find("Checked"), "amount": "50"}))
        .ok();
    let added = copy
        .owner
        .post(
            &copy.path("/transactions"),
            &entry("2025-03-05", "1", ["Cash", "Food & Drink"], "Newest"),
        )
        .ok();
    let newest = copy.read("/transactions?limit=1&query=on:2025-03-05");
    assert_eq!(newest["items"][0]["id"], added["transaction"]["id"], "2.6: created last");
    let cash = copy.read("/balances?query=account:Cash")["accountBalances"][0].clone();
    shows(&cash, &json!({"cumulativeDebit": "2000.501", "cumulativeCredit": "63.000"}));
    assert_eq!(cast.read("/balances?query=by:y")["accountBalances"], before);
    copy.owner.delete(&copy.path("")).ok();
    assert_eq!(cast.read("/balances?query=by:y")["accountBalances"], before);
}

/// The copy contains whole batches only and is listed only when complete.
fn copy_during_writes_is_consistent(server: &Server) {
    let cast = Cast::with_accounts(server, &CASH_AND_FOOD);
    let post = |number: usize| {
        let items = (0..20).map(|place| {
            entry("2025-05-20", "1", ["Cash", "Food"], &format!("{number}/{place} #tag"))
        });
        cast.poster.post(&cast.path("/transactions/batch"), &batch(items)).ok();
    };
    post(0);
    let watcher = server.client(cast.owner.email());
    thread::scope(|scope| {
        scope.spawn(|| (1..15).for_each(post));
        let copies = scope.spawn(|| {
            (0..5)
                .map(|_| {
                    Copy::make(
                        &cast.owner,
                        &cast.book,
                        &format!("name={}&copyTransactions=true", unique("Copy")),
                    )
                })
                .collect::<Vec<_>>()
        });
        // A listed copy is complete.
        let mut seen: BTreeMap<String, Value> = BTreeMap::new();
        while !copies.is_finished() {
            for book in items(&watcher.get("/v5/books?query=Copy").ok()) {
                let first = seen.entry(id(book).to_owned()).or_insert_with(|| book.clone());
                assert_eq!(first, book, "it does not grow");
            }
        }
        for copy in copies.join().expect("the copies are made") {
            let rows = items(&copy.read("/transactions?limit=1000")).len();
            assert_eq!(rows % 20, 0, "whole batches only");
            assert_eq!(copy.book["totalTransactions"], rows);
            for query in ["account:Cash", "account:Cash #tag"] {
                let answer = copy.read(&format!("/balances?query={}", encode(query)));
                let cash = answer["accountBalances"][0]["cumulativeCredit"]
                    .as_str()
                    .expect("a sum")
                    .to_owned();
                assert_eq!(units(&cash), units(&rows.to_string()), "{query}");
            }
        }
    });
}
