//! Running balances of list rows (2.9, 2.10, 3.12.6). The simulation compares random books.

use std::collections::BTreeMap;

use daybook_tests::decimal::{show, units};
use daybook_tests::{Cast, Lunch, Server, encode};
use serde_json::{Value, json};

use crate::reading::{Faults, absent, balances, batch, find, id, items};

pub fn tests() -> Vec<crate::Case> {
    crate::cases![
        rule_2_9_every_posted_row_has_the_balance_after_it,
        rule_2_9_only_of_one_permanent_account,
        rule_2_9_drafts_and_trash_have_none,
        rule_2_9_beyond_64_bits,
        rule_2_10_rows_are_sent_back,
        rule_7_3_a_recorder_sees_none,
    ]
}

/// From Salary to Cash.
const PAY: Lunch = Lunch { date: "2025-01-01", amount: "5" };

#[track_caller]
fn pay(cast: &Cast, fields: Value) -> Value {
    let mut body = PAY.with(fields);
    body["creditAccount"] = json!({"name": "Salary"});
    body["debitAccount"] = json!({"name": "Cash"});
    cast.create(&body)
}

fn cast(server: &Server) -> Cast {
    let accounts = [
        ("Cash", "ASSET"),
        ("Bank", "ASSET"),
        ("Loan", "LIABILITY"),
        ("Food", "OUTGOING"),
        ("Salary", "INCOMING"),
    ];
    Cast::with_accounts(server, &accounts)
}

/// The account's side of a row.
fn side<'v>(row: &'v Value, account: &str) -> &'v Value {
    let sides = [&row["creditAccount"], &row["debitAccount"]];
    sides.into_iter().find(|side| side["name"] == account).unwrap_or(&Value::Null)
}

/// Records 40 postings on four days, in an order that is not that of the days.
fn ledger(server: &Server) -> Cast {
    let cast = cast(server);
    let rows = (0..40).map(|number| {
        let (credit, debit) = [("Cash", "Food"), ("Salary", "Cash"), ("Cash", "Loan")][number % 3];
        json!({
            "date": format!("2025-01-{:02}", 1 + number % 4 * 9), "amount": number + 1,
            "creditAccount": {"name": credit}, "debitAccount": {"name": debit},
            "description": format!("row{number} {}", if number % 7 == 0 { "#rare" } else { "" }),
        })
    });
    cast.post("/transactions/batch", &batch(rows)).ok();
    cast
}

fn rule_2_9_every_posted_row_has_the_balance_after_it(server: &Server) {
    let cast = ledger(server);
    let mut rows = items(&find(&cast, "account:Cash")).clone();
    rows.reverse();
    let mut standing = 0;
    let expected: BTreeMap<String, i128> = rows
        .iter()
        .map(|row| {
            let amount = units(row["amount"].as_str().expect("an amount"));
            standing += if row["creditAccount"]["name"] == "Cash" { amount } else { -amount };
            (id(row), standing)
        })
        .collect();
    assert_eq!(expected.len(), 40);
    let mut faults = Faults::default();
    let mut compare = |query: &str, list: &Value| {
        for row in items(list) {
            let shown = side(row, "Cash")["balance"].as_str().map(units);
            faults.same(&format!("`{query}`: {row}"), shown, expected.get(&id(row)).copied());
            let other = [&row["creditAccount"], &row["debitAccount"]]
                .into_iter()
                .find(|side| side["name"] != "Cash");
            faults.check(absent(other.expect("two sides"), "balance"), || {
                format!("`{query}`: the other side has none: {row}")
            });
        }
        items(list).len()
    };
    for (query, count) in [
        ("account:Cash", 40),
        ("acc:Cash #rare", 6),
        ("account:Cash amount>20", 20),
        ("from:Cash", 27),
        ("to:Cash", 13),
        ("(account:Cash) on:2025-01-10", 10),
        ("account:Cash (#rare OR row39)", 7),
        // Midnight may have passed since they were posted.
        ("account:Cash using:postDate after:$d-1", 40),
    ] {
        assert_eq!(compare(query, &find(&cast, query)), count, "{query}");
    }
    // Also page by page: a page starts from the rows before it.
    for limit in [1, 7] {
        let (mut cursor, mut seen) = (Some(String::new()), 0);
        while let Some(place) = cursor {
            let query = encode("account:Cash");
            let path = cast.path(&format!("/transactions?limit={limit}&query={query}"));
            let page = cast.owner.header("cursor", &place).get(&path).ok();
            seen += compare("pages", &page);
            cursor = page["cursor"].as_str().map(str::to_owned);
        }
        assert_eq!(seen, 40, "by {limit}");
    }
    faults.none();
    // The newest row of a day has the balance at the end of that day, as getBalances returns it.
    for day in ["2025-01-01", "2025-01-28"] {
        let list = find(&cast, &format!("account:Cash on:{day}"));
        let balance = balances(&cast, &format!("account:Cash on:{day}"));
        let balance = &balance["accountBalances"][0]["cumulativeBalance"];
        assert_eq!(&side(&items(&list)[0], "Cash")["balance"], balance, "{day}");
    }
}

fn rule_2_9_only_of_one_permanent_account(server: &Server) {
    let cast = ledger(server);
    for query in
        ["", "account:Cash account:Loan", "account:Food", "-account:Bank", "account:Nobody"]
    {
        for row in items(&find(&cast, query)) {
            for side in ["creditAccount", "debitAccount"] {
                assert!(absent(&row[side], "balance"), "`{query}`: {row}");
            }
        }
    }
    let row = items(&find(&cast, "account:Cash"))[0].clone();
    let named = cast.get(&format!("/transactions?ids={}", id(&row))).ok();
    let by_ids = side(&named["items"][0], "Cash");
    assert!(absent(by_ids, "balance"), "not by ids, which filter by no account");
    let single = cast.get(&format!("/transactions/{}", id(&row))).ok();
    assert!(absent(side(&single, "Cash"), "balance"));
}

fn rule_2_9_drafts_and_trash_have_none(server: &Server) {
    let cast = cast(server);
    pay(&cast, json!({"description": "t1"}));
    pay(&cast, json!({"description": "t2", "draft": true}));
    pay(&cast, json!({"description": "t3", "date": null}));
    let thrown = pay(&cast, json!({"description": "t4"}));
    cast.patch("/transactions/trash", &json!({"id": thrown["id"]})).ok();
    pay(&cast, json!({"description": "t5"}));
    let list = find(&cast, "account:Cash is:draft is:posted is:trashed");
    let shown: BTreeMap<&str, Option<&str>> = items(&list)
        .iter()
        .map(|row| {
            (row["description"].as_str().expect("a text"), side(row, "Cash")["balance"].as_str())
        })
        .collect();
    let wanted =
        [("t1", Some("-5.00")), ("t2", None), ("t3", None), ("t4", None), ("t5", Some("-10.00"))];
    assert_eq!(shown, wanted.into(), "raw: a debit is negative");
    assert_eq!(list["account"], side(&items(&list)[0], "Cash")["id"], "behaviour 2.8");
}

fn rule_2_9_beyond_64_bits(server: &Server) {
    let cast = cast(server);
    let most = "92233720368547758.07";
    for date in ["2025-01-01", "2025-01-01", "2025-01-01", "2025-01-02"] {
        cast.record(date, most, "Loan", "Cash", "large");
    }
    cast.record("2025-01-02", "0.01", "Cash", "Loan", "small");
    let list = find(&cast, "account:Loan");
    let shown: Vec<&str> =
        items(&list).iter().filter_map(|row| side(row, "Loan")["balance"].as_str()).collect();
    let step = units(most);
    let wanted: Vec<String> = [4 * step - units("0.01"), 4 * step, 3 * step, 2 * step, step]
        .map(|sum| show(sum, 2))
        .into();
    assert_eq!(shown, wanted, "3.12.5: sums never wrap");
}

fn rule_2_10_rows_are_sent_back(server: &Server) {
    let cast = cast(server);
    pay(&cast, json!({}));
    let row = items(&find(&cast, "account:Cash"))[0].clone();
    let mut fields: Vec<&String> =
        side(&row, "Cash").as_object().expect("an object").keys().collect();
    fields.sort();
    assert_eq!(
        fields,
        ["archived", "balance", "credit", "id", "name", "normalizedName", "permanent", "type"]
    );
    let mut changed = row.clone();
    changed["description"] = json!("again");
    let answer = cast.put("/transactions", &changed).ok();
    assert_eq!(
        answer["transaction"]["debitAccount"]["id"],
        side(&row, "Cash")["id"],
        "clients send the side back as it came"
    );
}

fn rule_7_3_a_recorder_sees_none(server: &Server) {
    let cast = cast(server);
    pay(&cast, json!({}));
    let mut body = PAY.with(json!({"creditAccount": {"name": "Salary"}}));
    body["debitAccount"] = json!({"name": "Cash"});
    cast.recorder.post(&cast.path("/transactions"), &body).ok();
    let list = cast.recorder.get(&cast.path("/transactions?query=account:Cash")).ok();
    assert_eq!(items(&list).len(), 1);
    assert!(absent(side(&items(&list)[0], "Cash"), "balance"));
}
