//! Running balances of list rows (2.9, 2.10, 3.12.6), compared with a fold of the whole ledger.

use std::collections::BTreeMap;

use daybook_tests::decimal::{show, units};
use daybook_tests::rng::Rng;
use daybook_tests::{Cast, Server, encode};
use serde_json::{Value, json};

use crate::reading::{Faults, absent, batch, find, id, items};

pub fn tests() -> Vec<crate::Case> {
    crate::cases![
        rule_2_9_every_posted_row_has_the_balance_after_it,
        rule_2_9_whatever_else_is_filtered,
        rule_2_9_only_of_one_permanent_account,
        rule_2_9_drafts_and_trash_have_none,
        rule_2_9_beyond_64_bits,
        rule_2_9_the_last_row_of_a_day_is_the_balance_of_the_day,
        rule_2_10_rows_are_sent_back,
        rule_7_3_a_recorder_sees_none,
    ]
}

fn cast(server: &Server) -> Cast {
    let cast = Cast::new(server);
    for (name, kind) in [
        ("Cash", "ASSET"),
        ("Bank", "ASSET"),
        ("Loan", "LIABILITY"),
        ("Food", "OUTGOING"),
        ("Salary", "INCOMING"),
    ] {
        cast.account(name, kind);
    }
    cast
}

/// The account's side of a row.
fn side<'v>(row: &'v Value, account: &str) -> &'v Value {
    let sides = [&row["creditAccount"], &row["debitAccount"]];
    sides.into_iter().find(|side| side["name"] == account).unwrap_or(&Value::Null)
}

/// The expected balance of each posted row: a fold over all postings of the account, ordered by
/// date and id.
fn expected(cast: &Cast, account: &str) -> BTreeMap<String, i128> {
    let mut rows: Vec<Value> =
        items(&find(cast, &format!("account:'{account}' is:posted"))).clone();
    rows.reverse();
    let mut standing = 0;
    let mut after = BTreeMap::new();
    for row in rows {
        let amount = units(row["amount"].as_str().expect("a posted row has an amount"));
        standing += if row["creditAccount"]["name"] == account { amount } else { -amount };
        after.insert(id(&row), standing);
    }
    after
}

/// Compares the rows of a list with the fold; returns how many had a balance.
fn compare(
    faults: &mut Faults,
    query: &str,
    account: &str,
    list: &Value,
    expected: &BTreeMap<String, i128>,
) -> usize {
    let mut seen = 0;
    for row in items(list) {
        let other = [&row["creditAccount"], &row["debitAccount"]]
            .into_iter()
            .find(|side| side["name"] != account)
            .unwrap_or(&Value::Null);
        faults.check(absent(other, "balance"), || {
            format!("`{query}`: the other side has none: {other}")
        });
        let shown = side(row, account)["balance"].as_str();
        faults.same(
            &format!("`{query}`: {}", row["description"]),
            shown.map(units),
            expected.get(&id(row)).copied(),
        );
        seen += usize::from(shown.is_some());
    }
    seen
}

/// Several hundred transactions in every state on few days, so that days have many rows.
fn ledger(server: &Server, seed: u64) -> Cast {
    let cast = cast(server);
    let mut rng = Rng::new(seed);
    let names = ["Cash", "Bank", "Loan", "Food", "Salary"];
    let mut pick =
        |end: usize| usize::try_from(rng.below(u64::try_from(end).expect("small"))).expect("small");
    let bodies: Vec<Value> = (0..300)
        .map(|index| {
            let credit = pick(5);
            let debit = (credit + 1 + pick(4)) % 5;
            json!({
                "date": format!("202{}-{:02}-{:02}", pick(3), 1 + pick(12), 1 + pick(2) * 27),
                "amount": format!("{}.{:02}", pick(1000), 1 + pick(99)),
                "creditAccount": {"name": names[credit]},
                "debitAccount": {"name": names[debit]},
                "description": format!("row{index}{}", if pick(7) == 0 { " #rare" } else { "" }),
                "draft": pick(10) == 0,
                "checked": pick(4) == 0,
            })
        })
        .collect();
    let made = cast.owner.post(&cast.path("/transactions/batch"), &batch(bodies)).ok();
    let thrown = items(&made).iter().step_by(11).map(|row| json!({"id": row["id"]}));
    cast.owner
        .patch(&cast.path("/transactions/trash/batch?trashChecked=true"), &batch(thrown))
        .no_content();
    let moved = items(&made)
        .iter()
        .skip(1)
        .step_by(17)
        .map(|row| json!({"id": row["id"], "date": "2021-06-28", "amount": "5"}));
    cast.owner.put(&cast.path("/transactions/batch"), &batch(moved)).ok();
    cast
}

fn rule_2_9_every_posted_row_has_the_balance_after_it(server: &Server) {
    let mut faults = Faults::default();
    for seed in 0..3 {
        let cast = ledger(server, seed);
        for account in ["Cash", "Loan"] {
            let expected = expected(&cast, account);
            assert!(expected.len() > 50);
            let query = format!("account:{account}");
            let seen = compare(&mut faults, &query, account, &find(&cast, &query), &expected);
            faults.same("posted rows with a balance", seen, expected.len());
            // Also page by page: a page starts from the rows before it.
            for limit in [1, 7, 40] {
                let mut cursor = Some(String::new());
                let mut seen = 0;
                for _ in 0..400 {
                    let Some(place) = cursor else { break };
                    let path =
                        cast.path(&format!("/transactions?limit={limit}&query={}", encode(&query)));
                    let page = cast.owner.header("cursor", &place).get(&path).ok();
                    seen += compare(&mut faults, &query, account, &page, &expected);
                    cursor = page["cursor"].as_str().map(str::to_owned);
                }
                faults.same(&format!("by {limit}"), seen, expected.len());
            }
        }
    }
    faults.none();
}

fn rule_2_9_whatever_else_is_filtered(server: &Server) {
    let cast = ledger(server, 7);
    let mut faults = Faults::default();
    let expected = expected(&cast, "Bank");
    for query in [
        "acc:Bank #rare",
        "account:Bank amount>500",
        "from:Bank",
        "to:Bank",
        "(account:Bank)",
        "account:Bank on:2021",
        "account:Bank is:checked",
        "account:Bank after:2022-06 row1",
        "account:Bank (#rare OR row2)",
        // Midnight may have passed since they were posted.
        "account:Bank using:postDate after:$d-1",
    ] {
        let seen = compare(&mut faults, query, "Bank", &find(&cast, query), &expected);
        faults.check(seen > 1, || format!("`{query}`: {seen} rows show a balance"));
    }
    faults.none();
}

fn rule_2_9_only_of_one_permanent_account(server: &Server) {
    let cast = ledger(server, 9);
    for query in [
        "",
        "#rare",
        "account:Cash account:Bank",
        "account:Food",
        "from:Salary",
        "-account:Cash",
        "account:Cash OR #rare",
        "account:Nobody",
    ] {
        let list = find(&cast, query);
        for row in items(&list) {
            for side in ["creditAccount", "debitAccount"] {
                assert!(absent(&row[side], "balance"), "`{query}`: {row}");
            }
        }
    }
    let row = items(&find(&cast, "account:Cash is:posted"))[0].clone();
    let named = cast.owner.get(&cast.path(&format!("/transactions?ids={}", id(&row)))).ok();
    assert!(
        absent(side(&named["items"][0], "Cash"), "balance"),
        "not by ids, which filter by no account"
    );
    let single = cast.owner.get(&cast.path(&format!("/transactions/{}", id(&row)))).ok();
    assert!(absent(side(&single, "Cash"), "balance"));
}

fn rule_2_9_drafts_and_trash_have_none(server: &Server) {
    let cast = cast(server);
    let make = |fields: Value| {
        let mut body = json!({
            "amount": "5", "creditAccount": {"name": "Salary"}, "debitAccount": {"name": "Cash"},
        });
        body.as_object_mut()
            .expect("an object")
            .extend(fields.as_object().expect("fields").clone());
        cast.owner.post(&cast.path("/transactions"), &body).ok()["transaction"].clone()
    };
    make(json!({"description": "t1", "date": "2025-01-01"}));
    make(json!({"description": "t2", "date": "2025-01-01", "draft": true}));
    make(json!({"description": "t3"}));
    let thrown = make(json!({"description": "t4", "date": "2025-01-01"}));
    cast.owner.patch(&cast.path("/transactions/trash"), &json!({"id": thrown["id"]})).ok();
    make(json!({"description": "t5", "date": "2025-01-01"}));
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

fn rule_2_9_the_last_row_of_a_day_is_the_balance_of_the_day(server: &Server) {
    let cast = ledger(server, 11);
    let list = find(&cast, "account:Cash is:posted");
    let mut last: Option<String> = None;
    let mut days = 0;
    for row in items(&list) {
        let date = row["date"].as_str().expect("a date").to_owned();
        if last.replace(date.clone()) == Some(date.clone()) {
            continue;
        }
        // The newest row of a day has the balance at the end of that day, as getBalances returns
        // it.
        let balances = crate::reading::balances(&cast, &format!("account:Cash on:{date}"));
        let balance = balances["accountBalances"][0]["cumulativeBalance"].clone();
        assert_eq!(side(row, "Cash")["balance"], balance, "{date}");
        days += 1;
    }
    assert!(days > 20);
}

fn rule_2_10_rows_are_sent_back(server: &Server) {
    let cast = cast(server);
    cast.record("2025-01-01", "5", "Salary", "Cash", "t1");
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
    let answer = cast.owner.put(&cast.path("/transactions"), &changed).ok();
    assert_eq!(
        answer["transaction"]["debitAccount"]["id"],
        side(&row, "Cash")["id"],
        "clients send the side back as it came"
    );
}

fn rule_7_3_a_recorder_sees_none(server: &Server) {
    let cast = cast(server);
    cast.record("2025-01-01", "5", "Salary", "Cash", "t1");
    let body = json!({
        "amount": "5", "date": "2025-01-01", "creditAccount": {"name": "Salary"},
        "debitAccount": {"name": "Cash"},
    });
    cast.recorder.post(&cast.path("/transactions"), &body).ok();
    let list = cast.recorder.get(&cast.path("/transactions?query=account:Cash")).ok();
    assert_eq!(items(&list).len(), 1);
    assert!(absent(side(&items(&list)[0], "Cash"), "balance"));
}
