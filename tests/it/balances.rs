//! Balances (section 5): the containers of an answer and the effect of the terms of its query. The
//! simulation compares the figures of random books with its model, `bank` those of real data with
//! hledger.

use daybook_tests::decimal::{show, units};
use daybook_tests::{Cast, Server, shows};
use serde_json::{Value, json};

use crate::Case;
use crate::reading::{Faults, absent, balances, id};

/// A book with accounts in nested groups, and entries over the turn of a year.
fn fixture(server: &Server) -> Cast {
    let cast = Cast::new(server);
    for name in ["Assets", "Debts", "Result"] {
        cast.group(name);
    }
    cast.group_under("Liquid", "Assets");
    cast.account_in("House", "ASSET", &["Assets"]);
    cast.account_in("Cash", "ASSET", &["Liquid"]);
    cast.account_in("Bank", "ASSET", &["Liquid"]);
    cast.account_in("Card", "LIABILITY", &["Debts"]);
    cast.account_in("Rent", "OUTGOING", &["Result"]);
    let entries = [
        ("2024-12-31", "20.00", "Bank", "Cash", "plain"),
        ("2025-01-10", "6.00", "Cash", "Rent", "with #trip"),
        ("2025-01-31", "4.00", "Rent", "House", "plain"),
        ("2025-02-01", "8.00", "Rent", "Cash", "plain"),
    ];
    for (date, amount, credit, debit, description) in entries {
        cast.record(date, amount, credit, debit, description);
    }
    cast
}

/// A container of January 2025: the credits and debits of all time and of the month. The only slice
/// has the same amounts.
fn january(name: &str, all: [&str; 2], month: [&str; 2]) -> Value {
    let balance = |[credit, debit]: [&str; 2]| show(units(credit) - units(debit), 2);
    let amounts = json!({
        "cumulativeBalance": balance(all), "cumulativeCredit": all[0], "cumulativeDebit": all[1],
        "periodBalance": balance(month), "periodCredit": month[0], "periodDebit": month[1],
    });
    let with_amounts = |mut object: Value| {
        for (field, amount) in amounts.as_object().expect("an object") {
            object[field] = amount.clone();
        }
        object
    };
    let slice = json!({"year": 2025, "month": 1, "day": 0, "fuzzyDate": 20_250_100});
    with_amounts(json!({
        "name": name, "normalizedName": name.to_lowercase(), "credit": false, "permanent": true,
        "balances": [with_amounts(slice)],
    }))
}

fn rule_5_3_groups_contain_accounts_and_child_groups(server: &Server) {
    let cast = fixture(server);
    let account = |name: &str, all: [&str; 2], month: [&str; 2]| {
        let mut container = january(name, all, month);
        container["archived"] = json!(false);
        container["empty"] = json!(false);
        container
    };
    let bank = account("Bank", ["20.00", "0.00"], ["0.00", "0.00"]);
    let cash = account("Cash", ["6.00", "20.00"], ["6.00", "0.00"]);
    let house = account("House", ["0.00", "4.00"], ["0.00", "4.00"]);
    let mut liquid = january("Liquid", ["26.00", "20.00"], ["6.00", "0.00"]);
    liquid["accountBalances"] = json!([bank, cash]);
    liquid["groupBalances"] = json!([]);
    let mut assets = january("Assets", ["26.00", "24.00"], ["6.00", "4.00"]);
    assets["accountBalances"] = json!([house]);
    assets["groupBalances"] = json!([liquid]);
    let answer = balances(&cast, "group:Assets on:2025-01");
    assert_eq!(answer["groupBalances"], json!([assets]));
    assert!(absent(&answer, "accountBalances") && absent(&answer, "balancesUrl"), "5.2, 5.10");
    let alone = balances(&cast, "account:Cash on:2025-01");
    assert_eq!(alone["accountBalances"], json!([cash]));
    assert!(absent(&alone, "groupBalances"), "5.2");
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
    let cast = fixture(server);
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
    let cast = fixture(server);
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
    let cast = fixture(server);
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
    let cast = fixture(server);
    let february = || {
        balances(&cast, "account:Rent after:2025-02 before:2025-03")["accountBalances"][0].clone()
    };
    let period = json!({"periodCredit": "8.00", "periodDebit": "0.00"});
    shows(&february(), &period);
    shows(&february(), &json!({"cumulativeCredit": "8.00", "cumulativeDebit": "0.00"}));
    let rent = cast.read("/accounts/rent");
    cast.put("/accounts", &json!({"id": rent["id"], "type": "ASSET"})).ok();
    shows(&february(), &period);
    // The account is permanent now.
    shows(&february(), &json!({"cumulativeCredit": "12.00", "cumulativeDebit": "6.00"}));
}

pub fn tests() -> Vec<Case> {
    crate::cases![
        rule_5_1_a_query_is_required,
        rule_5_2_filters_select_accounts_and_groups,
        rule_5_3_groups_contain_accounts_and_child_groups,
        rule_1_4_1_other_terms_have_no_effect,
        rule_5_11_properties_and_hidden_groups_are_shown,
        rule_4_10_a_type_changes_presentation_only,
    ]
}
