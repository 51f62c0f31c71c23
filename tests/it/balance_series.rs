//! Balances in literal numbers: signs (5.4), the edges of a series (5.7), what counts (5.12, 5.16).
//! Balances follow each change at once.

use daybook_tests::{CASH_AND_FOOD, Cast, Server, encode, shows};
use jiff::ToSpan;
use serde_json::{Value, json};

use crate::reading::{absent, balances, batch, day_of, expected_totals, id, items, totals};

/// The amounts of a container or slice.
const FIELDS: [&str; 6] = [
    "periodBalance",
    "periodCredit",
    "periodDebit",
    "cumulativeBalance",
    "cumulativeCredit",
    "cumulativeDebit",
];

/// Returns the texts of some fields.
fn field_texts<'a>(container: &'a Value, fields: &[&str]) -> Vec<&'a str> {
    fields.iter().map(|field| container[*field].as_str().unwrap_or("?")).collect()
}

/// Returns the fuzzyDates of a series.
fn slices(container: &Value) -> Vec<i64> {
    container["balances"]
        .as_array()
        .into_iter()
        .flatten()
        .map(|slice| slice["fuzzyDate"].as_i64().unwrap_or(-1))
        .collect()
}

fn rule_5_4_balances_are_credits_minus_debits(server: &Server) {
    let cast = Cast::new(server);
    for group in ["Fortune", "Outcome"] {
        cast.group(group);
    }
    cast.account_in("Cash", "ASSET", &["Fortune"]);
    cast.account_in("Loan", "LIABILITY", &["Fortune"]);
    cast.account_in("Sales", "INCOMING", &["Outcome"]);
    cast.account_in("Rent", "OUTGOING", &["Outcome"]);
    let bank = cast.account("Bank", "ASSET");
    // An asset with credits 630.69 and debits 10776.00.
    cast.record("2013-06-01", "10776.00", "Loan", "Bank", "in");
    cast.record("2013-06-02", "630.69", "Bank", "Loan", "out");
    let answer = balances(&cast, "account:Bank on:2013-06");
    let container = &answer["accountBalances"][0];
    let amounts = ["-10145.31", "630.69", "10776.00", "-10145.31", "630.69", "10776.00"];
    assert_eq!(field_texts(container, &FIELDS), amounts);
    assert_eq!(field_texts(&container["balances"][0], &FIELDS), amounts);
    assert_eq!(slices(container), [20_130_600], "behaviour 5.6");
    shows(container, &json!({"credit": false, "permanent": true}));
    // Trash both. Then one group has 100 of assets and 30 of liabilities, the other incoming 100
    // and outgoing 40.
    let listed = crate::reading::find(&cast, &format!("account:{}", id(&bank)));
    let both = items(&listed).iter().map(|made| json!({"id": made["id"]}));
    cast.patch("/transactions/trash/batch", &batch(both)).no_content();
    cast.record("2013-06-03", "100.00", "Sales", "Cash", "sale");
    cast.record("2013-06-03", "30.00", "Loan", "Bank", "loan");
    cast.record("2013-06-03", "40.00", "Bank", "Rent", "rent");
    let answer = balances(&cast, "on:2013");
    let [fortune, outcome] = answer["groupBalances"].as_array().expect("groups").as_slice() else {
        panic!("two groups: {answer}")
    };
    shows(fortune, &json!({"periodBalance": "-70.00", "credit": false, "permanent": true}));
    shows(outcome, &json!({"periodBalance": "60.00", "credit": false, "permanent": false}));
    assert_eq!(slices(outcome), [20_130_000], "behaviour 5.6");
    assert_eq!(daybook_tests::bank::whole(&balances(&cast, "before:2014")), 0, "behaviour 5.16");
}

fn rule_5_7_open_series_ends_today(server: &Server) {
    let cast = Cast::new(server);
    for name in ["Cash", "Bank", "Idle"] {
        cast.account(name, "ASSET");
    }
    let today = day_of(&cast.read(""));
    let fuzzy =
        |day: jiff::civil::Date| i64::from(day.year()) * 10_000 + i64::from(day.month()) * 100;
    cast.record(&(today.first_of_month() - 2.months()).to_string(), "1.00", "Cash", "Bank", "x");
    let months = |from: i32, to: i32| {
        (from..=to)
            .map(|offset| fuzzy(today.first_of_month() + offset.months()))
            .collect::<Vec<_>>()
    };
    for query in ["account:Cash", "account:Cash by:m", "account:Cash after:$m-24"] {
        let found = slices(&balances(&cast, query)["accountBalances"][0]);
        assert_eq!(found, months(-2, 0), "to the slice of today: {query}");
    }
    assert_eq!(slices(&balances(&cast, "account:Idle")["accountBalances"][0]), months(0, 0));
    // A later movement extends the series.
    cast.record(&(today.first_of_month() + 3.months()).to_string(), "1.00", "Cash", "Bank", "x");
    assert_eq!(slices(&balances(&cast, "account:Cash")["accountBalances"][0]), months(-2, 3));
}

/// 5.18: when all containers together have too many slices, each omits zero slices.
fn rule_5_18_more_than_250_000_slices_omit_zeros(server: &Server) {
    let cast = Cast::new(server);
    let names = 1..=52;
    let accounts = names.clone().map(|name| json!({"name": format!("A{name}"), "type": "ASSET"}));
    cast.post("/accounts/batch", &batch(accounts)).ok();
    let moves = names.clone().skip(1).map(|name| {
        let (credit, debit) =
            (json!({"name": format!("A{}", name - 1)}), json!({"name": format!("A{name}")}));
        json!({"date": "2010-01-02", "amount": "1", "creditAccount": credit, "debitAccount": debit})
    });
    cast.post("/transactions/batch", &batch(moves)).ok();
    let answer = balances(&cast, "after:2010-01-01 before:2023-09-09 by:d");
    let containers = answer["accountBalances"].as_array().expect("accounts");
    assert_eq!(containers.len(), 52);
    // Zero slices are omitted.
    assert!(containers.iter().all(|container| slices(container) == [20_100_102]));
    assert!(containers.iter().all(|container| container["truncated"] == true), "5.18");
    assert_eq!(answer["truncated"], true, "5.18: beside the containers too");
    shows(&containers[0], &json!({"cumulativeBalance": "1.00", "periodBalance": "1.00"}));
    let alone = balances(&cast, "account:A1 after:2010-01-01 before:2023-09-09 by:d");
    assert_eq!(slices(&alone["accountBalances"][0]).len(), 4_998);
    assert_eq!(alone["truncated"], Value::Null);
    // The limit of 200 filters, and one more.
    let named = |count: usize| (0..count).map(|_| "account:A1").collect::<Vec<_>>().join(" ");
    let found = |query: &str| balances(&cast, query)["accountBalances"].as_array().map(Vec::len);
    assert_eq!(found(&named(200)), Some(1));
    assert_too_large(&cast, &named(201), "201 accounts and groups");
    let half = "group:Nobody ".repeat(100);
    assert_too_large(&cast, &format!("{half}{}", named(101)), "201 accounts and groups");
    assert_too_large(&cast, &"#tag ".repeat(201), "201 hashtags");
    for other in ["on:2025 ", "lunch ", "-account:A1 "] {
        assert_too_large(&cast, &other.repeat(201), "201 terms beside");
    }
}

/// Checks that the query is refused with a message that names the limit (5.17).
fn assert_too_large(cast: &Cast, query: &str, what: &str) {
    let path = cast.path(&format!("/balances?query={}", encode(query)));
    let message = cast.owner.get(&path).refused(400, "queryTooLarge");
    assert!(message.contains(what) && message.contains("at most"), "5.17: {message}");
}

/// 5.17: each named group repeats the groups below it; the total is limited.
fn rule_5_17_too_many_repeated_groups_are_refused(server: &Server) {
    let cast = Cast::new(server);
    // A chain of 45 groups with 500 more below the last.
    let named = |number: usize| json!({"name": format!("G{number}")});
    let group = |number: usize| {
        json!({
            "name": format!("G{number}"),
            "parent": number.checked_sub(1).map(|above| named(above.min(44))),
        })
    };
    cast.post("/groups/batch", &batch((0..545).map(group))).ok();
    let query = |count: usize| {
        (0..count).map(|number| format!("group:G{number}")).collect::<Vec<_>>().join(" ")
    };
    // The first group shows all 545; each further one repeats the 500 and the rest of the chain.
    let found = balances(&cast, &query(10))["groupBalances"].as_array().map(Vec::len);
    assert_eq!(found, Some(10));
    assert_too_large(&cast, &query(45), "repeated containers");
}

fn rule_5_12_only_posted_transactions_count(server: &Server) {
    let cast = Cast::with_accounts(server, &CASH_AND_FOOD);
    let made = cast.record("2025-01-10", "8.00", "Cash", "Food", "x #t");
    let sum = |query: &str| {
        balances(&cast, query)["accountBalances"][0]["periodDebit"]
            .as_str()
            .unwrap_or("?")
            .to_owned()
    };
    let both = || (sum("account:Food on:2025-01"), sum("account:Food on:2025-01 #t"));
    let eight = || ("8.00".to_owned(), "8.00".to_owned());
    let zero = || ("0.00".to_owned(), "0.00".to_owned());
    let verb = |verb: &str| {
        drop(cast.patch(&format!("/transactions/{verb}"), &json!({"id": made["id"]})).ok())
    };
    assert_eq!(both(), eight());
    verb("check");
    assert_eq!(both(), eight(), "checked and unchecked alike");
    verb("uncheck");
    verb("trash");
    assert_eq!(both(), zero(), "trashed");
    verb("untrash");
    assert_eq!(both(), eight(), "restored");
    let put = |fields: Value| {
        let mut body = fields;
        body["id"] = made["id"].clone();
        cast.put("/transactions", &body).ok();
    };
    put(json!({"description": "no tag"}));
    assert_eq!(both(), ("8.00".to_owned(), "0.00".to_owned()), "the tag is gone");
    put(json!({"description": "again #T", "amount": "9.00"}));
    assert_eq!(both(), ("9.00".to_owned(), "9.00".to_owned()));
    put(json!({"date": "2025-02-01"}));
    assert_eq!(both(), zero(), "another month");
    assert_eq!(
        totals(&cast),
        expected_totals(&[("Cash", "0.00", "9.00"), ("Food", "9.00", "0.00")])
    );
}

fn rule_5_13_groups_follow_their_members(server: &Server) {
    let cast = Cast::new(server);
    for group in ["Home", "Fun"] {
        cast.group(group);
    }
    cast.account("Cash", "ASSET");
    let food = cast.account_in("Food", "OUTGOING", &["Home"]);
    cast.record("2025-01-10", "8.00", "Cash", "Food", "x");
    let sum = |group: &str| {
        balances(&cast, &format!("group:{group} on:2025"))["groupBalances"][0]["periodDebit"]
            .as_str()
            .unwrap_or("?")
            .to_owned()
    };
    assert_eq!((sum("Home"), sum("Fun")), ("8.00".to_owned(), "0.00".to_owned()));
    cast.put("/accounts", &json!({"id": food["id"], "groups": [{"name": "Fun"}]})).ok();
    assert_eq!((sum("Home"), sum("Fun")), ("0.00".to_owned(), "8.00".to_owned()));
    let fun = cast.read("/groups/fun");
    cast.put("/groups", &json!({"id": fun["id"], "parent": {"name": "Home"}})).ok();
    assert_eq!((sum("Home"), sum("Fun")), ("8.00".to_owned(), "8.00".to_owned()));
    // 5.3: the filtered group is the single root even if it has a parent.
    let answer = balances(&cast, "group:Fun on:2025");
    assert_eq!(answer["groupBalances"].as_array().map(Vec::len), Some(1));
    assert_eq!(answer["groupBalances"][0]["name"], "Fun");
    assert!(absent(&answer, "accountBalances"), "behaviour 5.2");
}

pub fn tests() -> Vec<crate::Case> {
    crate::cases![
        rule_5_4_balances_are_credits_minus_debits,
        rule_5_7_open_series_ends_today,
        rule_5_18_more_than_250_000_slices_omit_zeros,
        rule_5_17_too_many_repeated_groups_are_refused,
        rule_5_12_only_posted_transactions_count,
        rule_5_13_groups_follow_their_members,
    ]
}
