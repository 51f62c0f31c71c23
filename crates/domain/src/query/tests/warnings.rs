//! Tests of warnings (behaviour 1.1.13, 1.1.14).

use super::*;
use crate::query::{Refusal, Warning};

fn texts(warnings: &[Warning]) -> Vec<String> {
    warnings.iter().map(Warning::to_string).collect()
}

#[track_caller]
fn check_lists(text: &str, expected: &[&str]) {
    assert_eq!(texts(query(text).warnings()), expected, "{text}");
}

#[track_caller]
fn check_balances(text: &str, expected: &[&str]) {
    assert_eq!(texts(&balance(text).warnings), expected, "{text}");
}

#[test]
fn valid_queries_have_no_warnings() {
    for text in [
        "",
        "lunch 'two words' 10:30 http://a.b/c?d=e f(x=1 -> => 50% a-b = C++",
        "account:Nobody group:'No Group' from:A to:B #tag -#tag",
        "on:2013-1-1 after: 2013-1 before:31/12 period:$m-1",
        "is:draft OR (NOT amount>5)",
        "amount:>= 5 amount<1,000.50 remoteId:x key:* Chase:Slate posted:2025",
        "using:postDate error:true has:file type:asset by:ana user:bob agent:x",
        "AND OR NOT ) ( (a b",
        "account:'Credit Ca",
        "0a5b000000000001",
        "a\0b -\0",
        "amount on the way",
    ] {
        check_lists(text, &[]);
    }
    for text in [
        "account:Cash acc:B group:X #tag on:2013-1-1 by:d",
        "(account:Cash AND #a) NOT NOT on:$m by:Y",
        "= group:Nobody",
    ] {
        check_balances(text, &[]);
    }
}

#[test]
fn ignored_parts_have_warnings() {
    for (text, expected) in [
        ("on:2013-02-30 lunch", "on:2013-02-30: not a date"),
        ("lunch -on: 2013-02-30", "on: 2013-02-30: not a date"),
        ("after:'next week'", "after:'next week': not a date"),
        ("before:$y+99999", "before:$y+99999: not a date"),
        ("is:foo", "is:foo: not a status"),
        ("(a OR amount>x)", "amount>x: not a number"),
        ("amount: >= x", "amount: >= x: not a number"),
        ("type:WEALTH", "type:WEALTH: not an account type"),
        ("error:maybe", "error:maybe: neither true nor false"),
        ("has:luck", "has:luck: neither file, url nor comment"),
        ("using:force", "using:force: not postDate"),
        ("by:m x", "by:m: ignored, only balances have a periodicity"),
        ("by:q", "by:q: ignored, not a periodicity"),
        ("-using:postDate", "using:postDate: ignored, it cannot be negated"),
        ("after: #x", "after:: ignored, nothing to look for"),
        ("x account:''", "account:'': ignored, nothing to look for"),
        ("'' x", "'': ignored, nothing to look for"),
        ("date>2013-01-01", "date>2013-01-01: read as text"),
        ("_a:b", "_a:b: read as text"),
        ("amount > 100", "amount: read as text"),
        ("on :2013", "on: read as text"),
        ("#a-b", "#a-b: read as text"),
        ("using:postDate on:2013-02-30", "on:2013-02-30: not a date"),
    ] {
        check_lists(text, &[expected]);
    }
    for (text, expected) in [
        ("on:2013-02-30", "on:2013-02-30: not a date"),
        ("-on:2013-02-30", "on:2013-02-30: not a date"),
        ("account:Cash is:foo", "is:foo: not a status"),
        ("account:Cash is:draft", "is:draft: ignored in balances"),
        ("account:Cash lunch", "lunch: ignored in balances"),
        ("account:Cash 'two words'", "'two words': ignored in balances"),
        ("account:Cash Chase:Slate", "Chase:Slate: ignored in balances"),
        ("account:Cash from:Bank", "from:Bank: ignored in balances"),
        ("using:postDate by:m", "using:postDate: ignored in balances"),
        ("by:q", "by:q: ignored, not a periodicity"),
        ("by:ana", "by:ana: ignored in balances"),
        ("-account:Cash", "account:Cash: ignored in balances"),
        ("-(#a)", "#a: ignored in balances"),
        ("#a OR #b", "OR: ignored in balances"),
        ("#a-b", "#a-b: not a hashtag"),
        ("on: by:m", "on:: ignored, nothing to look for"),
        ("account:Cash \0", "\0: no text holds the character NUL"),
        ("account:Ca\0sh", "account:Ca\0sh: no text holds the character NUL"),
        ("date>2013", "date>2013: ignored in balances"),
    ] {
        check_balances(text, &[expected]);
    }
}

#[test]
fn ambiguous_quotes_have_warnings() {
    let problem = "not clear which quote closes; write \\ before a quote inside";
    for (text, term) in [
        ("account:'Cash'lunch", "account:'Cash'"),
        ("account:'Owner's Eq", "account:'Owner'"),
        ("account:'Owner''s Equity'", "account:'Owner'"),
        ("'a b'c", "'a b'"),
        ("account:'A' (b) James'", "James'"),
    ] {
        check_lists(text, &[&format!("{term}: {problem}")]);
    }
    check_balances("account:'Cash'#a", &[]);
    check_balances("account:'Cash'by:m", &[]);
    let ambiguous = format!("account:'Cash': {problem}");
    check_balances("account:'Cash'x", &[&ambiguous, "x: ignored in balances"]);
    for text in ["account:'Owner's Equity'", "James' car", "account:'Cash' don't", "'a b'group:X"] {
        check_lists(text, &[]);
    }
}

#[test]
fn unknown_names_have_warnings_in_order() {
    let text = "is:foo -account:Nobody on:bad (from:Cash OR to:'No one') group:X account:Y";
    let mut parsed = query(text);
    parsed.warn_of_unknown(|account| account == "Cash", |group| group == "Y");
    let expected = [
        "is:foo: not a status",
        "account:Nobody: no such account",
        "on:bad: not a date",
        "to:'No one': no such account",
        "group:X: no such group",
        "account:Y: no such account",
    ];
    assert_eq!(texts(parsed.warnings()), expected);
    let mut parsed = balance("account:A group:B account:C on:2025 x");
    parsed.warn_of_unknown(|account| account == "A", |_| false);
    let expected =
        ["group:B: no such group", "account:C: no such account", "x: ignored in balances"];
    assert_eq!(texts(&parsed.warnings), expected);
    let mut parsed = query(&format!("{}account:{}", "by:m ".repeat(250), "é".repeat(300)));
    parsed.warn_of_unknown(|_| false, |_| false);
    assert_eq!(parsed.warnings().last().unwrap().to_string(), "and 51 more");
    let mut parsed = query(&format!("account:{}", "é".repeat(300)));
    parsed.warn_of_unknown(|_| false, |_| false);
    let expected = format!("account:{}...: no such account", "é".repeat(92));
    assert_eq!(texts(parsed.warnings()), [expected]);
}

#[test]
fn warnings_are_in_the_order_of_the_query() {
    check_lists(
        "is:foo x on:bad by:q",
        &["is:foo: not a status", "on:bad: not a date", "by:q: ignored, not a periodicity"],
    );
    let deep = "a OR (".repeat(70) + "x";
    check_lists(&deep, &["(: ignored, parentheses nest at most 64 deep"]);
    check_balances(
        "a -(b on:bad) #c",
        &["a: ignored in balances", "b: ignored in balances", "on:bad: not a date"],
    );
}

#[test]
fn strict_mode_refuses_warnings() {
    assert_eq!(query("lunch").check_understood(), Ok(()));
    let refused = query("is:foo on:bad").check_understood().unwrap_err();
    assert!(matches!(refused, Refusal::NotUnderstood(_)));
    let message = "the query is not understood: is:foo: not a status; on:bad: not a date";
    assert_eq!(refused.to_string(), message);
    assert_eq!(balance("account:Cash").check_understood(), Ok(()));
    assert!(balance("account:Cash lunch").check_understood().is_err());
}

#[test]
fn balance_query_with_invalid_value_has_no_range() {
    for text in [
        "account:Cash on:2025-01 on:2013-02-30",
        "account:Cash on:2025-01 is:foo",
        "account:Cash on:2025-01 -amount>x",
        "account:Cash on:2025-01 \0",
        "account:Cash on:2025-01 #a\0",
    ] {
        let parsed = balance(text);
        assert!(parsed.unreadable && parsed.is_filtered(), "{text}");
        let ranges = [parsed.range, parsed.previous_range, parsed.next_range];
        assert_eq!(ranges.concat() + &parsed.begin_label + &parsed.end_label, "", "{text}");
    }
    for text in ["account:Cash lunch", "-\0 account:Cash", "#a-b", "on: #x", "by:q"] {
        assert!(!balance(text).unreadable, "{text}");
    }
    assert_eq!(balance("\0").accounts.len(), 0);
}

#[test]
fn query_sizes_are_limited() {
    let check = |text: String| query(&text).check_size();
    assert_eq!(check("-w ".repeat(200)), Ok(()));
    for term in ["-w ", "on:bad ", "-on:bad ", "\0 ", "x OR "] {
        let refusal = Refusal::TooLarge { what: "terms", count: 201, limit: 200 };
        assert_eq!(check(term.repeat(201)), Err(refusal), "{term}");
    }
    assert_eq!(check("é".repeat(256)), Ok(()));
    assert_eq!(check(format!("'{}'", "a ".repeat(128))), Ok(()));
    let long = check(format!("x OR -{}", "é".repeat(257))).unwrap_err().to_string();
    assert_eq!(long, "the query has 257 characters in one text; at most 256 are allowed");
    let too_large = |text: String| balance(&text).check_size().unwrap_err().to_string();
    let named = too_large("account:a group:b ".repeat(101));
    assert_eq!(named, "the query has 202 accounts and groups; at most 200 are allowed");
    assert_eq!(too_large("#t ".repeat(201)), "the query has 201 hashtags; at most 200 are allowed");
    // All other terms count together, including negated and ignored terms.
    for term in
        ["on:2025 ", "by:m ", "lunch ", "-account:a ", "-#t ", "is:draft ", "on:bad ", "by:q "]
    {
        let what = "201 terms beside accounts, groups and hashtags; at most 200";
        assert!(too_large(term.repeat(201)).contains(what), "{term}");
    }
    let full = ["account:a ", "#t ", "on:2025 "].map(|term| term.repeat(200)).concat();
    assert_eq!(balance(&full).check_size(), Ok(()));
    assert_eq!(balance(&"account:a OR ".repeat(200)).check_size(), Ok(()));
}
