//! Typed lines (3.8): numbers that are read whole, and names and hashtags of other scripts.

use daybook_tests::Server;
use serde_json::json;

use crate::Case;
use crate::reading::{find, items};
use crate::text_mode::{cast, line, typed};

pub fn tests() -> Vec<Case> {
    crate::cases![rule_4_3_other_scripts, rule_3_8_6_whole_numbers]
}

/// 4.3, 3.9.1: marks of other scripts tell names and hashtags apart, in lines and in queries.
fn rule_4_3_other_scripts(server: &Server) {
    let cast = cast(server, json!({}));
    cast.account("कार", "ASSET");
    cast.account("कर", "OUTGOING");
    let made = typed(&cast, "13/05/2025 Cash कर 200 #कर्ज़");
    assert_eq!(line(&made), ["Cash", "कर", "200.00", "2025-05-13", "#कर्ज़"]);
    assert_eq!(made["tags"], json!(["कर्ज़"]));
    for (query, count) in
        [("account:कर", 1), ("account:कार", 0), ("#कर्ज़", 1), ("#कर", 0), ("कर्ज़", 1), ("कार", 0)]
    {
        assert_eq!(items(&find(&cast, query)).len(), count, "{query}");
    }
}

/// 3.8.6: a number is read whole or not at all.
fn rule_3_8_6_whole_numbers(server: &Server) {
    let dot = cast(server, json!({}));
    let comma = cast(server, json!({"decimalSeparator": "COMMA"}));
    for (text, amount) in [
        ("lunch .99", "0.99"),
        ("rent 1 234,56", "1234.56"),
        ("rent 1\u{202f}234,56", "1234.56"),
        ("rent 1'234.56", "1234.56"),
        ("car 10 000,00", "10000.00"),
        ("Tip 20% 12", "12.00"),
        ("back -.50", ""),
        ("12..50", ""),
        ("12.50-", ""),
    ] {
        for cast in [&dot, &comma] {
            assert_eq!(line(&typed(cast, text))[2], amount, "{text:?}");
        }
    }
}
