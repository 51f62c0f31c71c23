//! Meaningless and hostile query text is never refused (1.1.10).

use std::time::{Duration, Instant};

use daybook_tests::{Cast, Server, encode};
use serde_json::json;

use crate::reading::Faults;

/// Queries that no rule gives a meaning; tests of the domain list many more.
const MEANINGLESS: [&str; 24] = [
    "invalid:syntax:query::",
    "::::",
    ")(",
    "NOT OR AND",
    "'",
    "a OR (b AND",
    "amount<>5",
    "amount:1e400",
    "on:99/99/9999",
    "after:9999-12-31",
    "after:$d-99999999999999999999",
    "before:$y+99999",
    "on:$d-$d/$m/$y",
    "# #",
    "*:*",
    "'; DROP TABLE transaction; --",
    "\" OR 1=1 --",
    "%00",
    "\\%",
    "𝒳🦀",
    "{}",
    "account:99999999999999999999999999",
    "a\0b",
    "\u{202e}\r\n\t\u{a0}",
];

fn rule_1_1_10_never_400(server: &Server) {
    let cast = Cast::new(server);
    cast.account("Cash", "ASSET");
    cast.post("/transactions", &json!({"description": "t1 x", "amount": "1"})).ok();
    let mut queries: Vec<String> = MEANINGLESS.map(str::to_owned).to_vec();
    // Deep nesting must not overflow the stack.
    queries.push(format!("{}x{}", "(".repeat(2000), ")".repeat(2000)));
    queries.push("-".repeat(1000) + "x");
    queries.push("NOT ".repeat(1000) + "x");
    let mut faults = Faults::default();
    for query in queries {
        let shown: String = query.chars().take(60).collect();
        let answer = cast.get(&format!("/transactions?query={}", encode(&query)));
        faults.check(answer.status == 200 && answer.body["items"].is_array(), || {
            format!("transactions?query={shown:?}: {} {:.200}", answer.status, answer.text)
        });
        let answer = cast.get(&format!("/balances?query={}", encode(&query)));
        // 5.1: balances refuse a blank query; whether invisible characters are blank does not
        // matter.
        let visible = query.chars().any(|letter| !letter.is_whitespace() && !letter.is_control());
        faults.check(answer.status == 200 || (answer.status == 400 && !visible), || {
            format!("balances?query={shown:?}: {} {:.200}", answer.status, answer.text)
        });
    }
    faults.none();
}

/// Hundreds of terms exceed neither the parameter limit nor the planner of the database. More are
/// refused (1.7.1, 5.17).
fn rule_1_1_10_many_terms_are_answered_soon(server: &Server) {
    let cast = Cast::new(server);
    cast.group("Daily");
    cast.account_in("Cash", "ASSET", &["Daily"]);
    cast.account("Food", "OUTGOING");
    cast.record("2025-01-01", "1.00", "Cash", "Food", "t1 lunch #food");
    let terms = [
        "#food",
        "-#food",
        "lunch",
        "account:Cash",
        "account:Unknown",
        "from:Cash",
        "to:Food",
        "group:Daily",
        "on:2025",
        "amount>0",
        "is:unchecked",
        "remoteId:x",
        "key:value",
        "-key:*",
    ];
    for term in terms {
        for glue in [" ", " OR "] {
            for (count, path) in [
                (200, "/transactions?query="),
                (201, "/transactions?query="),
                (201, "/transactions/count?query="),
                (200, "/balances?query="),
                (201, "/balances?query="),
            ] {
                let query = vec![term; count].join(glue);
                // Several top-level `is:` terms are one alternative each (1.2.1); balances ignore
                // them but count them (5.17).
                let counts =
                    path.starts_with("/balances") || term != "is:unchecked" || glue == " OR ";
                let expected = if count > 200 && counts { 400 } else { 200 };
                let started = Instant::now();
                let answer = cast.get(&format!("{path}{}", encode(&query)));
                let took = started.elapsed();
                // Far more than it should take, also on a busy machine. Stop at the first slow one,
                // because the others would take as long.
                assert!(
                    answer.status == expected && took < Duration::from_secs(20),
                    "{count} times `{term}` with `{glue}` to {path}: {} after {took:?}: {:.200}",
                    answer.status,
                    answer.text
                );
                if expected == 400 {
                    answer.refused(400, "queryTooLarge");
                }
            }
        }
    }
}

pub fn tests() -> Vec<crate::Case> {
    crate::cases![rule_1_1_10_never_400, rule_1_1_10_many_terms_are_answered_soon]
}
