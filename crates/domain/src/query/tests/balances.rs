//! Tests of balance queries and of the periodicity (behaviour 1.4, 5.8).

use super::*;
use crate::query::Periodicity;

/// Formats a query as `accounts | groups | tags | range`.
fn format_query(text: &str) -> String {
    let query = balance(text);
    format!(
        "{}|{}|{}|{}",
        query.accounts.join(","),
        query.groups.join(","),
        query.tags.join(","),
        query.range
    )
}

#[test]
fn blank_text_is_not_a_query() {
    for blank in ["", " ", "\t\n\u{a0}"] {
        assert_eq!(BalanceQuery::parse(blank, &context()), None);
    }
    assert!(!balance("on:$m").is_filtered());
    assert!(balance("account:Nobody").is_filtered());
    assert!(balance("group:Nothing on:$m").is_filtered());
    assert!(!balance("#tag on:$m").is_filtered());
}

#[test]
fn other_terms_have_no_effect() {
    for (text, expected) in [
        (
            "account:Cash acc:'Credit Card' group:Assets on:$m by:m #Fuel",
            "Cash,Credit Card|Assets|fuel| on:$m by:m",
        ),
        ("= account: Cash", "Cash|||"),
        (
            "account:Cash lunch 'two words' amount>5 from:A to: B is:draft using:postDate \
                remoteId:x key:value by:ana by:w",
            "Cash|||",
        ),
        ("account:Cash is:trashed has:file error:true type:ASSET agent:x", "Cash|||"),
        ("#a #B", "||a,b|"),
        ("#a-b", "||a-b|"),
        ("period:2025 x", "||| period:2025"),
        ("after:soon before: on:2025-02-30 on:2025 by:y group:X", "|X||"),
    ] {
        assert_eq!(format_query(text), expected, "{text}");
    }
}

#[test]
fn boolean_logic_is_ignored() {
    for (text, expected) in [
        ("account:A OR account:B", "A,B|||"),
        ("(account:A AND (group:B)) on:2025", "A|B|| on:2025"),
        ("-account:A group:B", "|B||"),
        ("NOT account:A group:B", "|B||"),
        ("-on:2025 group:B -#x", "|B||"),
        ("NOT (account:A (account:B) account:C) account:D", "D|||"),
        ("-(account:A OR account:B) account:C", "C|||"),
        ("NOT NOT account:A", "A|||"),
        ("NOT lunch account:A", "A|||"),
        ("NOT OR account:A", "A|||"),
        ("NOT ) account:A ( account:B", "A,B|||"),
        ("not account:A or account:B", "A,B|||"),
    ] {
        assert_eq!(format_query(text), expected, "{text}");
    }
}

#[test]
fn periodicity_follows_by_or_dates() {
    use Periodicity::{Daily, Monthly, Yearly};
    for (text, expected) in [
        ("account:Cash", Monthly),
        ("on:2025-01-01", Daily),
        ("on:2025-01", Monthly),
        ("on:2025", Yearly),
        ("after:2024 before:7/2025", Monthly),
        ("after:2024 before:15/07/2025", Daily),
        ("on:$d", Daily),
        ("on:$w", Daily),
        ("on:$m", Monthly),
        ("on:$q", Monthly),
        ("on:$y", Yearly),
        ("on:today", Daily),
        ("after:15/$m", Daily),
        ("on:$m/$y", Monthly),
        ("on:jan/2025", Monthly),
        ("on:31/12", Daily),
        ("on:2025 by:d", Daily),
        ("on:2025-01-01 by:y", Yearly),
        ("on:2025-01-01 by:w", Daily),
        ("by:y", Yearly),
        ("by:Y by:m", Monthly),
        ("on:2025-01-01 on:bad", Daily),
    ] {
        assert_eq!(balance(text).periodicity, expected, "{text}");
    }
    assert_eq!([Daily, Monthly, Yearly].map(Periodicity::as_str), ["DAILY", "MONTHLY", "YEARLY"]);
}
