//! Amounts (3.12): accepted notations, the stored value, and the range.

use daybook_tests::decimal::{show, units};
use daybook_tests::{Answer, Cast, Server};
use serde_json::{Value, json};

use crate::reading::{
    Faults, absent, balances, events, find, id, items, new_events, totals, transaction,
};

/// The largest amount in a book with two decimals: 9223372036854775807 / 10^2 (3.12.5).
const LIMIT: &str = "92233720368547758.07";

fn cast(server: &Server, settings: Value) -> Cast {
    let cast = Cast::with_settings(server, settings);
    cast.account("Cash", "ASSET");
    cast.account("Food", "OUTGOING");
    cast
}

/// Creates a transaction with the amount exactly as written. A JSON library would change 1e2 or
/// 0.10.
fn record(cast: &Cast, amount: &str) -> Answer {
    let body = format!(
        r#"{{"date": "2025-03-05", "amount": {amount}, "description": "x",
            "creditAccount": {{"name": "Cash"}}, "debitAccount": {{"name": "Food"}}}}"#
    );
    cast.owner.send_raw(
        "POST",
        &cast.path("/transactions"),
        Some("application/json"),
        body.as_bytes(),
    )
}

/// Records rows of (JSON text, stored amount) and compares the balance with their sum.
fn check_accepted(cast: &Cast, digits: usize, rows: &[(&str, &str)]) {
    let mut faults = Faults::default();
    let mut sum = 0;
    for (text, stored) in rows {
        let answer = record(cast, text);
        let made = &answer.body["transaction"];
        faults.check(
            answer.status == 200 && made["amount"] == *stored && made["posted"] == true,
            || format!("{text}: expected {stored}, got {} {:.300}", answer.status, answer.text),
        );
        sum += units(stored);
    }
    let answer = balances(cast, "account:Food");
    let found = &answer["accountBalances"][0]["cumulativeDebit"];
    faults.check(*found == show(sum, digits), || {
        format!("3.12.6: the sum is {found}, expected {}", show(sum, digits))
    });
    faults.none();
}

/// Checks that each JSON text gets 400 and records nothing.
fn check_refused(cast: &Cast, rows: &[&str]) {
    let mut faults = Faults::default();
    let known = events(cast).len();
    for text in rows {
        let answer = record(cast, text);
        let reason = &answer.body["error"]["errors"][0]["reason"];
        faults
            .check(answer.status == 400 && (reason == "badRequest" || reason == "invalid"), || {
                format!("{text}: expected 400, got {} {}", answer.status, answer.text)
            });
    }
    faults.same("events of refused amounts", new_events(cast, known).len(), 0);
    faults.none();
}

/// The domain crate tests the full tables of notations.
fn rule_3_12_amounts_with_a_decimal_point(server: &Server) {
    let rows = [
        (r#""100.50""#, "100.50"),
        (r#""1,234.56""#, "1234.56"),
        // 3.12.3: JSON numbers are read by their decimal text.
        ("0.10", "0.10"),
        ("1e2", "100.00"),
        ("25e-1", "2.50"),
        ("9007199254740993.01", "9007199254740993.01"),
        // 3.12.4: half-up, and by decimal text: 1.005 is below one half in binary floating point.
        (r#""1.005""#, "1.01"),
        ("1.005", "1.01"),
    ];
    check_accepted(&cast(server, json!({})), 2, &rows);
}

fn rule_3_12_amounts_with_a_decimal_comma(server: &Server) {
    let rows = [
        (r#""1.234,56""#, "1234.560"),
        // A plain number with a decimal point is always accepted.
        (r#""1.234""#, "1.234"),
        ("1.5", "1.500"),
        (r#""2,0005""#, "2.001"),
    ];
    let book = cast(server, json!({"decimalSeparator": "COMMA", "fractionDigits": 3}));
    check_accepted(&book, 3, &rows);
}

fn rule_3_12_4_amounts_are_rounded_to_0_and_8_digits(server: &Server) {
    let whole = cast(server, json!({"fractionDigits": 0}));
    let rows = [(r#""0.5""#, "1"), (r#""2.5""#, "3"), (r#""2.4999""#, "2"), ("1e3", "1000")];
    check_accepted(&whole, 0, &rows);
    check_refused(&whole, &[r#""0.4""#, "1e-1"]);
    let fine = cast(server, json!({"fractionDigits": 8}));
    check_accepted(&fine, 8, &[(r#""0.123456785""#, "0.12345679"), ("1", "1.00000000")]);
    check_refused(&fine, &[r#""0.000000004""#, "1e-9"]);
}

fn rule_3_12_1_zero_makes_a_draft_without_an_amount(server: &Server) {
    let cast = cast(server, json!({}));
    let forms = ["null", r#""""#, r#""0.00""#, "-0", "0E-5", r#""0,000""#, r#""  ""#];
    let mut faults = Faults::default();
    for form in forms {
        let answer = record(&cast, form);
        let made = &answer.body["transaction"];
        let has_none = absent(made, "amount") || made["amount"] == "";
        faults.check(answer.status == 200 && made["posted"] == false && has_none, || {
            format!("{form}: expected a draft without an amount: {} {}", answer.status, answer.text)
        });
    }
    faults.same("3.1.3: balances", totals(&cast).len(), 0);
    faults.none();
}

fn rule_3_12_2_negative_and_invalid_amounts_are_refused(server: &Server) {
    let book = cast(server, json!({}));
    check_refused(&book, &[r#""-1""#, "-0.01", r#""-1,234.56""#, "-1e-9"]);
    check_refused(&book, &[r#""abc""#, r#""1.234,56""#, r#""0,500""#]);
    // 3.12.4: a non-zero amount that rounds to zero.
    check_refused(&book, &[r#""0.004""#, "1e-400"]);
    // 0.10: a wrong JSON type says so.
    for text in ["true", "{}", "[]", r#"["1.00"]"#] {
        let message = record(&book, text).refused(400, "invalid");
        assert!(message.contains("InvalidFormatException"), "0.10: {text}: {message}");
    }
    let comma = cast(server, json!({"decimalSeparator": "COMMA"}));
    check_refused(&comma, &[r#""-1,50""#, r#""1,234.56""#, r#""0,004""#]);
    assert_eq!(items(&find(&book, "")).len() + items(&find(&comma, "")).len(), 0);
}

fn rule_3_12_2_updates_follow_the_same_rules(server: &Server) {
    let cast = cast(server, json!({}));
    let made = cast.record("2025-03-05", "5.00", "Cash", "Food", "x");
    let mut faults = Faults::default();
    for amount in
        [json!("-1"), json!("abc"), json!("0.001"), json!(true), json!("92233720368547758.08")]
    {
        let answer = cast.put("/transactions", &json!({"id": made["id"], "amount": amount}));
        faults.same(&format!("an update to {amount}"), answer.status, 400);
    }
    faults.same("the stored one", &transaction(&cast, &id(&made))["amount"], &json!("5.00"));
    let changed = cast.put("/transactions", &json!({"id": made["id"], "amount": "1,000.005"})).ok();
    faults.same("rounded", &changed["transaction"]["amount"], &json!("1000.01"));
    faults.none();
}

fn rule_3_12_5_amounts_out_of_range_are_refused(server: &Server) {
    let cast = cast(server, json!({}));
    let mut faults = Faults::default();
    for beyond in [
        "92233720368547758.08",
        "92233720368547758.075",
        "100000000000000000",
        "1e20",
        "1e40",
        "1e400",
        "123456789012345678901234567890123456789012345678901234567890",
    ] {
        for text in [beyond.to_owned(), format!("\"{beyond}\"")] {
            // Strings may or may not accept exponents; both ways the result is 400.
            let answer = record(&cast, &text);
            let names =
                answer.text.contains(LIMIT) || (text.starts_with('"') && text.contains('e'));
            faults.check(answer.status == 400 && names, || {
                format!(
                    "{text}: expected 400 naming {LIMIT}, got {} {}",
                    answer.status, answer.text
                )
            });
        }
    }
    for _ in 0..2 {
        let made = record(&cast, LIMIT).ok();
        faults.same("the limit itself", &made["transaction"]["amount"], &json!(LIMIT));
    }
    let twice = units(LIMIT) * 2;
    faults.same("sums are wider and never wrap", totals(&cast).get("Cash"), Some(&(0, twice)));
    let answer = balances(&cast, "account:Cash on:2025-03-05");
    let slice = &answer["accountBalances"][0]["balances"][0];
    for key in ["cumulativeBalance", "cumulativeCredit", "periodBalance", "periodCredit"] {
        faults.same(key, &slice[key], &json!("184467440737095516.14"));
    }
    let listed = find(&cast, &format!("amount={LIMIT}"));
    faults.same("found by its amount", items(&listed).len(), 2);
    faults.none();
}

fn rule_3_12_6_amounts_are_plain_decimals(server: &Server) {
    let cast = cast(server, json!({}));
    record(&cast, r#""3.50""#).ok();
    let answer = balances(&cast, "account:Cash on:2025-04");
    let container = &answer["accountBalances"][0];
    assert_eq!(container["periodBalance"], "0.00", "zero has the book's decimals");
    assert_eq!(container["cumulativeBalance"], "3.50");
    assert_eq!(container["cumulativeDebit"], "0.00");
    let mut books = Vec::new();
    for digits in 0..=8 {
        let book = Cast::with_settings(server, json!({"fractionDigits": digits}));
        let made =
            book.post("/transactions", &json!({"amount": "1234567", "description": "x"})).ok();
        books.push(made["transaction"]["amount"].clone());
    }
    let wanted: Vec<String> = (0..=8).map(|digits| show(units("1234567"), digits)).collect();
    assert_eq!(books, wanted);
}

fn rule_3_12_7_raised_fraction_digits_rescale_amounts(server: &Server) {
    let cast = cast(server, json!({}));
    let digits = |digits: i64| cast.put("", &json!({"fractionDigits": digits}));
    let old = record(&cast, "100.55").ok();
    digits(4).ok();
    // Stored amounts are rescaled.
    assert_eq!(transaction(&cast, &id(&old["transaction"]))["amount"], "100.5500");
    assert_eq!(record(&cast, "0.00005").ok()["transaction"]["amount"], "0.0001");
    assert_eq!(totals(&cast).get("Cash"), Some(&(0, units("100.5501"))));
    // The range shrinks with the scale.
    let message = record(&cast, LIMIT).refused(400, "badRequest");
    assert!(message.contains("922337203685477.5807"), "3.12.5: the limit at this scale: {message}");
}

fn rule_3_12_7_raise_beyond_the_range_is_refused(server: &Server) {
    let cast = cast(server, json!({}));
    let made = record(&cast, LIMIT).ok();
    cast.put("", &json!({"fractionDigits": 3, "name": "Changed"})).refused(400, "badRequest");
    let book = cast.read("");
    assert_eq!(book["fractionDigits"], 2, "no change");
    assert_ne!(book["name"], "Changed", "no change at all");
    assert_eq!(transaction(&cast, &id(&made["transaction"]))["amount"], LIMIT);
    // Sums may exceed the range of an amount.
    let cast = self::cast(server, json!({}));
    for _ in 0..2 {
        record(&cast, "9000000000000000.00").ok();
    }
    cast.put("", &json!({"fractionDigits": 3})).ok();
    assert_eq!(totals(&cast).get("Cash"), Some(&(0, units("18000000000000000"))));
}

/// The limit on transactions that an update may rescale is 10,000.
fn rule_3_12_7_raise_in_a_large_book_is_refused(server: &Server) {
    let cast = cast(server, json!({}));
    let raised = |digits: i64| cast.put("", &json!({"fractionDigits": digits}));
    let drafts = |count: usize| {
        let items = vec![json!({"description": "Lunch", "amount": "1.25"}); count];
        cast.post("/transactions/batch", &json!({"items": items})).ok();
    };
    drafts(10_000);
    raised(3).ok();
    drafts(1);
    let message = raised(4).refused(400, "badRequest");
    assert!(message.contains("fractionDigits 4") && message.contains("10000"), "{message}");
    assert_eq!(cast.read("")["fractionDigits"], 3, "no change");
    raised(2).ok();
    raised(3).ok();
    // 6.24: a copy may rescale any number.
    let copied = cast.path("/copy?name=Fine&copyTransactions=true&fractionDigits=4");
    let copy = cast.owner.post(&copied, &Value::Null).ok();
    let page = cast.owner.get(&format!("/v5/books/{}/transactions?limit=1", id(&copy))).ok();
    assert_eq!(page["items"][0]["amount"], "1.2500");
}

fn rule_3_12_7_lowered_fraction_digits_round_new_amounts_only(server: &Server) {
    let cast = cast(server, json!({}));
    let old = record(&cast, "100.50").ok()["transaction"].clone();
    let even = record(&cast, "7.00").ok()["transaction"].clone();
    cast.put("", &json!({"fractionDigits": 0})).ok();
    // 3.12.6: with as many decimals as it needs.
    assert_eq!(transaction(&cast, &id(&old))["amount"], "100.5");
    assert_eq!(transaction(&cast, &id(&even))["amount"], "7");
    let new = record(&cast, r#""1.5""#).ok();
    assert_eq!(new["transaction"]["amount"], "2", "only new writes round");
    assert_eq!(balances(&cast, "account:Food")["accountBalances"][0]["cumulativeDebit"], "109.5");
    // 3.10.5: numerically equal is no change and is not rounded again.
    let known = events(&cast).len();
    for amount in ["100.5", "100.50"] {
        let kept = cast.put("/transactions", &json!({"id": old["id"], "amount": amount})).ok();
        assert_eq!(kept["transaction"]["amount"], "100.5");
    }
    let mut whole = transaction(&cast, &id(&old));
    whole["description"] = json!("Other");
    let kept = cast.put("/transactions", &whole).ok();
    assert_eq!(kept["transaction"]["amount"], "100.5", "an edit of another field does not round");
    assert_eq!(new_events(&cast, known).len(), 1);
    let rounded = cast.put("/transactions", &json!({"id": old["id"], "amount": "100.6"})).ok();
    assert_eq!(rounded["transaction"]["amount"], "101");
    cast.put("", &json!({"fractionDigits": 2})).ok();
    assert_eq!(balances(&cast, "account:Food")["accountBalances"][0]["cumulativeDebit"], "110.00");
}

pub fn tests() -> Vec<crate::Case> {
    crate::cases![
        rule_3_12_amounts_with_a_decimal_point,
        rule_3_12_amounts_with_a_decimal_comma,
        rule_3_12_4_amounts_are_rounded_to_0_and_8_digits,
        rule_3_12_1_zero_makes_a_draft_without_an_amount,
        rule_3_12_2_negative_and_invalid_amounts_are_refused,
        rule_3_12_2_updates_follow_the_same_rules,
        rule_3_12_5_amounts_out_of_range_are_refused,
        rule_3_12_6_amounts_are_plain_decimals,
        rule_3_12_7_raised_fraction_digits_rescale_amounts,
        rule_3_12_7_raise_beyond_the_range_is_refused,
        rule_3_12_7_raise_in_a_large_book_is_refused,
        rule_3_12_7_lowered_fraction_digits_round_new_amounts_only,
    ]
}
