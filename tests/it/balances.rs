//! Balances (section 5): each account and group of a varied book, over varied ranges, must equal
//! the model.

use daybook_domain::account::AccountType;
use daybook_tests::sim::{BalanceQuestion, Oracle, Unit};
use daybook_tests::{Cast, Server, decimal, shows};
use jiff::civil::{Date, date};
use serde_json::{Value, json};

use crate::Case;
use crate::reading::{Faults, absent, balances, batch, day_of, id, items};

/// Assets holds a diamond: Cash is in Liquid and in Watched. Equity mixes assets with liabilities,
/// Result incoming with outgoing, Odd permanent with non-permanent accounts. Bank, Food and Card
/// stand in two hierarchies. Void holds nothing that ever moves.
const GROUPS: [(&str, &str); 11] = [
    ("Assets", ""),
    ("Liquid", "Assets"),
    ("Watched", "Assets"),
    ("Debts", ""),
    ("Equity", ""),
    ("Result", ""),
    ("Income", "Result"),
    ("Costs", "Result"),
    ("Daily", "Costs"),
    ("Odd", ""),
    ("Void", ""),
];

/// An account of the chart.
struct Account {
    name: &'static str,
    kind: &'static str,
    /// Archived after the entries were recorded.
    archived: bool,
    /// Its direct groups.
    groups: &'static [&'static str],
}

const fn account(
    name: &'static str,
    kind: &'static str,
    groups: &'static [&'static str],
) -> Account {
    Account { name, kind, archived: false, groups }
}

const fn archived(account: Account) -> Account {
    Account { archived: true, ..account }
}

const ACCOUNTS: [Account; 13] = [
    account("Bank", "ASSET", &["Liquid", "Equity", "Odd"]),
    account("Card", "LIABILITY", &["Debts", "Equity"]),
    account("Cash", "ASSET", &["Liquid", "Watched"]),
    account("Food", "OUTGOING", &["Daily", "Odd"]),
    archived(account("Gone", "OUTGOING", &["Costs"])),
    account("Idle", "ASSET", &["Assets"]),
    account("Late", "OUTGOING", &["Costs"]),
    account("Loose", "ASSET", &[]),
    archived(account("Old", "OUTGOING", &["Costs"])),
    account("Rent", "OUTGOING", &["Costs"]),
    account("Salary", "INCOMING", &["Income"]),
    account("Still", "INCOMING", &["Void"]),
    archived(account("Unused", "ASSET", &[])),
];

/// Entries as `(date, amount, credit, debit, tag)`.
const ENTRIES: [(&str, &str, &str, &str, &str); 24] = [
    ("2022-12-31", "1000.00", "Salary", "Bank", ""),
    ("2023-01-01", "20.00", "Bank", "Cash", ""),
    ("2023-06-15", "3.33", "Cash", "Old", "trip"),
    ("2023-12-31", "50.00", "Card", "Food", ""),
    ("2024-01-01", "1000.00", "Salary", "Bank", "work"),
    ("2024-01-31", "400.00", "Bank", "Rent", ""),
    ("2024-02-29", "12.34", "Cash", "Food", "trip"),
    ("2024-03-01", "0.01", "Cash", "Loose", ""),
    ("2024-06-30", "75.00", "Bank", "Card", ""),
    ("2024-12-31", "33.00", "Card", "Food", "trip"),
    ("2025-01-01", "1100.00", "Salary", "Bank", "work"),
    ("2025-01-09", "5.00", "Cash", "Food", ""),
    ("2025-01-10", "6.00", "Cash", "Food", "trip"),
    ("2025-01-10", "7.00", "Card", "Food", ""),
    ("2025-01-31", "400.00", "Bank", "Rent", ""),
    ("2025-02-01", "8.00", "Food", "Cash", ""),
    ("2025-03-04", "9.99", "Cash", "Late", "trip"),
    ("2025-03-05", "10.00", "Bank", "Cash", ""),
    ("2025-03-05", "200.00", "Bank", "Card", ""),
    ("2025-03-31", "0.50", "Loose", "Bank", "trip"),
    ("2025-04-01", "30.00", "Rent", "Bank", ""),
    ("2025-06-30", "1.00", "Salary", "Loose", "work"),
    ("2025-07-01", "2.00", "Card", "Late", ""),
    ("2025-07-01", "4.00", "Bank", "Food", "trip"),
];

/// Ranges: the date part of a query, and what it means.
const RANGES: [(&str, Option<Date>, Option<Date>, Unit); 13] = [
    ("on:2025-01", Some(date(2025, 1, 1)), Some(date(2025, 2, 1)), Unit::Month),
    ("on:2025-01-10", Some(date(2025, 1, 10)), Some(date(2025, 1, 11)), Unit::Day),
    ("on:2024", Some(date(2024, 1, 1)), Some(date(2025, 1, 1)), Unit::Year),
    ("on:2024 by:m", Some(date(2024, 1, 1)), Some(date(2025, 1, 1)), Unit::Month),
    ("before:2025-02", None, Some(date(2025, 2, 1)), Unit::Month),
    ("before:2025", None, Some(date(2025, 1, 1)), Unit::Year),
    ("before:2025 by:m", None, Some(date(2025, 1, 1)), Unit::Month),
    ("after:2024-06 before:2025-04", Some(date(2024, 6, 1)), Some(date(2025, 4, 1)), Unit::Month),
    (
        "after:2025-01-10 before:2025-03-05",
        Some(date(2025, 1, 10)),
        Some(date(2025, 3, 5)),
        Unit::Day,
    ),
    (
        "by:m after:2025-01-10 before:2025-03-05",
        Some(date(2025, 1, 10)),
        Some(date(2025, 3, 5)),
        Unit::Month,
    ),
    (
        "after:2024-02-29 before:2025-03-05 by:y",
        Some(date(2024, 2, 29)),
        Some(date(2025, 3, 5)),
        Unit::Year,
    ),
    ("after:2024 by:m", Some(date(2024, 1, 1)), None, Unit::Month),
    ("by:y", None, None, Unit::Year),
];

fn description(tag: &str) -> String {
    if tag.is_empty() { "plain".to_owned() } else { format!("with #{tag}") }
}

fn body(date: &str, amount: &str, credit: &str, debit: &str, tag: &str, flags: &Value) -> Value {
    let mut body = json!({
        "date": date, "amount": amount, "creditAccount": {"name": credit},
        "debitAccount": {"name": debit},
        "description": description(tag),
    });
    for (key, value) in flags.as_object().into_iter().flatten() {
        body[key] = value.clone();
    }
    body
}

/// Creates the book and its model. Every other entry is checked; each entry also exists as a draft
/// and in the trash, which must not count.
fn fixture(server: &Server) -> (Cast, Oracle) {
    let cast = Cast::new(server);
    let group = |(name, parent): &(&str, &str)| {
        if parent.is_empty() {
            json!({"name": name})
        } else {
            json!({"name": name, "parent": {"name": parent}})
        }
    };
    cast.post("/groups/batch", &batch(GROUPS.iter().map(group))).ok();
    let groups = |account: &Account| {
        account.groups.iter().map(|name| json!({"name": name})).collect::<Vec<_>>()
    };
    let account = |account: &Account| {
        json!({
            "name": account.name, "type": account.kind, "groups": groups(account),
        })
    };
    // Create them in reverse order.
    let accounts = cast.post("/accounts/batch", &batch(ACCOUNTS.iter().rev().map(account))).ok();
    let mut bodies = Vec::new();
    for (index, (date, amount, credit, debit, tag)) in ENTRIES.into_iter().enumerate() {
        let entry = |flags: Value| body(date, amount, credit, debit, tag, &flags);
        bodies.push(entry(json!({"checked": index % 2 == 0})));
        bodies.push(entry(json!({"draft": true})));
        bodies.push(entry(json!({"properties": {"fate": "trash"}})));
    }
    let made = cast.post("/transactions/batch", &batch(bodies)).ok();
    let thrown = items(&made)
        .iter()
        .filter(|made| made["properties"]["fate"] == "trash")
        .map(|made| json!({"id": made["id"]}));
    cast.patch("/transactions/trash/batch", &batch(thrown)).no_content();
    for made in items(&accounts) {
        if ACCOUNTS.iter().any(|account| account.archived && made["name"] == account.name) {
            cast.put("/accounts", &json!({"id": made["id"], "archived": true})).ok();
        }
    }
    let today = day_of(&cast.read(""));
    (cast, oracle(&ACCOUNTS, today))
}

/// Builds the model of the book.
fn oracle(accounts: &[Account], today: Date) -> Oracle {
    let mut oracle = Oracle::new("UTC", today, "owner", "owner@example.com");
    GROUPS.iter().for_each(|(name, parent)| oracle.group(name, parent));
    for account in accounts {
        let kind = AccountType::from_name(account.kind).expect("a type");
        oracle.account(account.name, kind, account.archived, account.groups.iter().copied());
    }
    for (day, amount, credit, debit, tag) in ENTRIES {
        let day = day.parse().expect("a date");
        oracle.posting(day, decimal::units(amount), credit, debit, &description(tag));
    }
    oracle
}

/// Compares the whole book, each account and each group, with and without a hashtag.
fn check_range(server: &Server, dates: &str, from: Option<Date>, until: Option<Date>, by: Unit) {
    let (cast, oracle) = fixture(server);
    let mut lines = Vec::new();
    for tag in ["", "trip"] {
        let whole = BalanceQuestion { account: None, group: None, from, until, by, tag };
        let suffix = if tag.is_empty() { dates.to_owned() } else { format!("{dates} #{tag}") };
        let mut compare = |query: String, asked: &BalanceQuestion| {
            let wanted = oracle.balances(asked);
            let answer = balances(&cast, &query);
            differences(&format!("`{query}` "), &wanted, &answer, &mut lines);
            // 5.2: an account filter gives no groupBalances, a group filter no accountBalances;
            // 5.10: no address.
            let strange = answer
                .as_object()
                .into_iter()
                .flatten()
                .find(|(key, _)| key.ends_with("Balances") && wanted[key.as_str()].is_null());
            lines.extend(strange.map(|(key, _)| format!("5.2: `{query}`: there is a key {key}")));
            let address = answer.get("balancesUrl");
            lines.extend(address.map(|_| format!("5.10: `{query}`: there is a balancesUrl")));
        };
        compare(suffix.clone(), &whole);
        for account in &ACCOUNTS {
            compare(
                format!("account:{} {suffix}", account.name),
                &BalanceQuestion { account: Some(account.name), ..whole },
            );
        }
        for (group, _) in GROUPS {
            compare(
                format!("{suffix} group:'{group}'"),
                &BalanceQuestion { group: Some(group), ..whole },
            );
        }
        if from.is_none() && tag.is_empty() {
            let whole = daybook_tests::bank::whole(&balances(&cast, &suffix));
            assert_eq!(whole, 0, "5.16: without a lower bound the whole book sums to zero");
        }
    }
    let shown: Vec<_> = lines.iter().take(40).cloned().collect();
    assert!(lines.is_empty(), "{} differences in {dates}:\n  {}", lines.len(), shown.join("\n  "));
}

/// Collects the fields in which a response differs from the model, including the order of lists.
fn differences(place: &str, wanted: &Value, found: &Value, lines: &mut Vec<String>) {
    match (wanted, found) {
        (Value::Object(fields), _) => {
            for (key, value) in fields {
                differences(&format!("{place}.{key}"), value, &found[key], lines);
            }
        }
        (Value::Array(wanted), Value::Array(found)) => {
            let names = |list: &[Value]| {
                list.iter()
                    .map(|item| {
                        item["name"]
                            .as_str()
                            .map_or_else(|| item["fuzzyDate"].to_string(), str::to_owned)
                    })
                    .collect::<Vec<_>>()
            };
            if names(wanted) != names(found) {
                lines.push(format!(
                    "{place}: found {:?}, expected {:?}",
                    names(found),
                    names(wanted)
                ));
                return;
            }
            for (wanted, found) in wanted.iter().zip(found) {
                let name = wanted["name"]
                    .as_str()
                    .map_or_else(|| wanted["fuzzyDate"].to_string(), str::to_owned);
                differences(&format!("{place}[{name}]"), wanted, found, lines);
            }
        }
        _ if wanted != found => lines.push(format!("{place}: found {found}, expected {wanted}")),
        _ => {}
    }
}

fn rule_5_1_a_query_is_required(server: &Server) {
    let cast = Cast::new(server);
    for path in [
        "/balances",
        "/balances?",
        "/balances?query=",
        "/balances?query=%20%09",
        "/balances?time=1",
    ] {
        cast.get(path).refused(400, "badRequest");
    }
    let empty = balances(&cast, "on:$m");
    assert_eq!((&empty["groupBalances"], &empty["accountBalances"]), (&json!([]), &json!([])));
}

fn rule_5_2_filters_select_accounts_and_groups(server: &Server) {
    let (cast, _) = fixture(server);
    let names = |answer: &Value, key: &str| -> Vec<String> {
        answer[key]
            .as_array()
            .into_iter()
            .flatten()
            .map(|item| item["name"].as_str().unwrap_or("?").to_owned())
            .collect()
    };
    let cash = id(&cast.read("/accounts/cash"));
    let assets = id(&cast.read("/groups/assets"));
    let (by_account_id, by_group_id) =
        (format!("account:{cash} account:CASH"), format!("group:{assets} group:assets"));
    let rows: [(&str, &[&str], &[&str]); 8] = [
        ("account:Rent account:Cash", &["Cash", "Rent"], &[]),
        (&by_account_id, &["Cash"], &[]),
        ("group:Result group:Assets", &[], &["Assets", "Result"]),
        (&by_group_id, &[], &["Assets"]),
        ("group:Assets group:Liquid", &[], &["Assets", "Liquid"]),
        ("account:Cash group:Debts", &["Cash"], &["Debts"]),
        ("account:Nobody", &[], &[]),
        ("account:Nobody account:Cash", &["Cash"], &[]),
    ];
    let mut faults = Faults::default();
    for (query, accounts, groups) in rows {
        let answer = balances(&cast, &format!("{query} on:2025"));
        let found = names(&answer, "accountBalances");
        faults.same(&format!("`{query}` accounts"), found, accounts.to_vec());
        faults.same(&format!("`{query}` groups"), names(&answer, "groupBalances"), groups.to_vec());
    }
    faults.none();
}

/// The domain crate tests the full table.
fn rule_1_4_1_other_terms_have_no_effect(server: &Server) {
    let (cast, _) = fixture(server);
    let plain = balances(&cast, "group:Assets on:2025 by:m");
    let mut faults = Faults::default();
    let noise = [
        "amount>5",
        "lunch",
        "key:value",
        "from:Cash",
        "is:trashed",
        "using:postDate",
        "-#trip",
        "NOT group:Result",
        "-(#trip OR #work)",
        "OR",
        "(",
        "by:w",
    ];
    for term in noise {
        for query in [
            format!("group:Assets on:2025 by:m {term}"),
            format!("({term} group:Assets) on:2025 by:m"),
        ] {
            let answer = balances(&cast, &query);
            for key in ["groupBalances", "accountBalances"] {
                faults.same(&format!("`{query}`"), &answer[key], &plain[key]);
            }
        }
    }
    // Several tags must all be present.
    let none = balances(&cast, "account:Cash on:2025 #trip #work");
    faults.same("both tags", &none["accountBalances"][0]["empty"], &json!(true));
    let none = balances(&cast, "account:Cash #nowhere");
    let sum = &none["accountBalances"][0]["cumulativeBalance"];
    faults.same("an unknown tag", sum, &json!("0.00"));
    faults.none();
}

fn rule_5_11_properties_and_hidden_groups_are_shown(server: &Server) {
    let (cast, _) = fixture(server);
    for (path, name) in [("/accounts", "cash"), ("/groups", "liquid")] {
        let found = cast.read(&format!("{path}/{name}"));
        cast.put(path, &json!({"id": found["id"], "properties": {"color": "blue"}})).ok();
    }
    let answer = balances(&cast, "group:Assets on:2025");
    let assets = &answer["groupBalances"][0];
    assert!(absent(assets, "properties"), "omitted when none: {assets}");
    assert_eq!(assets["groupBalances"][0]["properties"], json!({"color": "blue"}));
    let accounts = assets["groupBalances"][0]["accountBalances"].as_array().expect("accounts");
    assert!(absent(&accounts[0], "properties"));
    assert_eq!(accounts[1]["properties"], json!({"color": "blue"}));
    shows(assets, &json!({"archived": null, "empty": null}));
    // A hidden group is shown when queried and when in scope.
    let liquid = cast.read("/groups/liquid");
    cast.put("/groups", &json!({"id": liquid["id"], "hidden": true})).ok();
    let answer = balances(&cast, "group:Assets on:2025");
    assert_eq!(answer["groupBalances"][0]["groupBalances"][0]["name"], "Liquid");
    assert_eq!(balances(&cast, "group:Liquid on:2025")["groupBalances"][0]["name"], "Liquid");
}

fn rule_4_10_a_type_changes_presentation_only(server: &Server) {
    let (cast, _) = fixture(server);
    let rent = cast.read("/accounts/rent");
    cast.put("/accounts", &json!({"id": rent["id"], "type": "ASSET"})).ok();
    let changed =
        ACCOUNTS.map(|one| if one.name == "Rent" { Account { kind: "ASSET", ..one } } else { one });
    let wanted = oracle(&changed, date(2025, 12, 31)).balances(&BalanceQuestion {
        account: Some("Rent"),
        group: None,
        from: Some(date(2025, 1, 1)),
        until: Some(date(2025, 5, 1)),
        by: Unit::Month,
        tag: "",
    });
    let mut lines = Vec::new();
    let answer = balances(&cast, "account:Rent after:2025-01 before:2025-05");
    differences("", &wanted, &answer, &mut lines);
    assert!(lines.is_empty(), "{lines:#?}");
    let sum = wanted["accountBalances"][0]["cumulativeDebit"].as_str().unwrap_or("");
    assert_eq!(decimal::units(sum), decimal::units("800.00"), "the account is permanent now");
}

pub fn tests() -> Vec<Case> {
    let mut cases = crate::cases![
        rule_5_1_a_query_is_required,
        rule_5_2_filters_select_accounts_and_groups,
        rule_1_4_1_other_terms_have_no_effect,
        rule_5_11_properties_and_hidden_groups_are_shown,
        rule_4_10_a_type_changes_presentation_only,
    ];
    for (dates, from, until, by) in RANGES {
        let name = format!("section_5_{}", dates.replace([':', ' ', '-'], "_"));
        cases.push(Case::shared(name, move |server| check_range(server, dates, from, until, by)));
    }
    cases
}
