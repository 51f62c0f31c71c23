//! Tests of operators, statuses, dates and the single account (behaviour 1.2, 2.8).

use super::*;

#[test]
fn operators_create_terms() {
    for (text, expected) in [
        ("account:X acc:Y", "account:X account:Y"),
        ("group:X from:Y to:Z", "group:X from:Y to:Z"),
        ("account:' X '", "account:X"),
        ("period:2025-01", "[2025-01-01,2025-02-01)"),
        ("by:d by:m by:y by:w by:M by:q by:Q", ""),
        (
            "by:week by:ana@example.com user:bob createdBy:'Ana B'",
            "by:week by:ana@example.com by:bob by:Ana B",
        ),
        ("agent:export-bot", "agent:export-bot"),
        ("type:ASSET -type:outgoing", "type:ASSET !type:OUTGOING"),
        ("has:file has:URL -has:Comment", "has:file has:url !has:comment"),
        ("error:true error:FALSE", "error:true error:false"),
        ("remoteId:X remoteId:'a b' remoteId:Á", "remote:X remote:a b remote:Á"),
        ("posted:2025", "{posted=2025}"),
        ("Tax-Rate:10 key:* key:'*' KEY:Ação", "{tax-rate=10} {key=*} {key=*} {key=ação}"),
        ("Ação 'São  Paulo' Straße", "'acao' 'sao  paulo' 'strase'"),
        ("#Food #AÇÃO #a_1", "#food #ação #a_1"),
        ("#a-b ##x #food,", "'#a-b' '##x' '#food,'"),
    ] {
        check(text, expected);
    }
}

#[test]
fn quoted_star_is_not_a_wildcard() {
    for (text, expected) in [("key:*", None), ("key:'*'", Some("*"))] {
        let mut terms = Vec::new();
        let query = query(text);
        query.filter().each_term(&mut |term| terms.push(term));
        assert_eq!(
            *terms[0],
            Term::Property { key: "key".to_owned(), value: expected.map(str::to_owned) }
        );
    }
}

#[test]
fn amounts() {
    for (text, expected) in [
        ("amount:100", "amount=100"),
        ("amount=100", "amount=100"),
        ("amount>100", "amount>100"),
        ("amount>=100", "amount>=100"),
        ("amount<100", "amount<100"),
        ("amount<=100", "amount<=100"),
        ("amount:=100", "amount=100"),
        ("amount:>100", "amount>100"),
        ("amount:>=100", "amount>=100"),
        ("amount:<100", "amount<100"),
        ("amount:<=100", "amount<=100"),
        ("amount:'1,234.50'", "amount=1234.5"),
        ("amount>\"5\"", "amount>5"),
        ("amount>1,234.5", "amount>1234.5"),
        ("amount>-5", "amount>-5"),
        ("amount==5", "nothing"),
        ("(amount>5)", "amount>5"),
        ("-amount>5", "!amount>5"),
    ] {
        check(text, expected);
    }
    let comma = ParseContext { separator: DecimalSeparator::Comma, ..context() };
    let filter = Query::parse("amount>1.234,5 amount<1.5", &comma);
    assert_eq!(show(filter.filter()), "amount>1234.5 amount<1.5 !is:trashed");
}

#[test]
fn statuses_are_joined_by_or() {
    for (text, expected) in [
        ("is:posted", "is:posted"),
        ("is:draft is:checked", "(is:draft | is:checked)"),
        ("is:draft is:draft", "is:draft"),
        ("a is:draft AND is:checked b", "'a' 'b' (is:draft | is:checked)"),
        ("is:draft OR is:checked", "(is:draft | is:checked)"),
        ("(is:draft is:checked) OR a", "(is:draft | is:checked | 'a')"),
        ("-is:draft -is:checked", "!is:draft !is:checked"),
        ("NOT (is:draft is:checked)", "!(is:draft | is:checked)"),
        ("is:posted -is:checked", "is:posted !is:checked"),
    ] {
        check(text, expected);
    }
}

#[test]
fn trashed_transactions_are_excluded() {
    for (text, expected) in [
        ("", "!is:trashed"),
        ("is:trashed", "is:trashed"),
        ("is:trashed is:draft", "(is:trashed | is:draft)"),
        ("#a OR is:trashed", "(#a | is:trashed)"),
        ("#a (b OR (c is:trashed))", "#a ('b' | ('c' is:trashed))"),
        ("-is:trashed", "!is:trashed !is:trashed"),
        ("NOT (a OR is:trashed)", "!('a' | is:trashed) !is:trashed"),
        ("NOT (a OR NOT is:trashed)", "!('a' | !is:trashed)"),
        ("--is:trashed", "is:trashed"),
        ("-(-is:trashed)", "is:trashed"),
        ("#a OR #b", "(#a | #b) !is:trashed"),
        ("is:draft OR a", "(is:draft | 'a') !is:trashed"),
        ("'is:trashed'", "'is:trashed' !is:trashed"),
    ] {
        check_whole(text, expected);
    }
}

#[test]
fn posting_dates_apply_to_the_whole_query() {
    for (text, expected) in [
        ("on:2025 using:postDate", "posted[2025-01-01,2026-01-01)"),
        (
            "using:postdate (after:2025 OR before:2020)",
            "(posted[2025-01-01,) | posted[,2020-01-01))",
        ),
        ("a OR (using:postDate on:2025)", "('a' | posted[2025-01-01,2026-01-01))"),
        ("-using:postDate on:2025", "[2025-01-01,2026-01-01)"),
        ("using:date on:2025", "nothing [2025-01-01,2026-01-01)"),
    ] {
        check(text, expected);
    }
}

#[test]
fn date_operators_have_bounds() {
    for (text, expected) in [
        ("after:2013 before:2015", "[2013-01-01,) [,2015-01-01)"),
        ("after:7/2018 before:8/2018", "[2018-07-01,) [,2018-08-01)"),
        ("after:01/2024 before:01/2025", "[2024-01-01,) [,2025-01-01)"),
        ("on:2024", "[2024-01-01,2025-01-01)"),
        ("on:2024-02", "[2024-02-01,2024-03-01)"),
        ("on:2024-02-29", "[2024-02-29,2024-03-01)"),
        ("on:jan/2013 after:MARCH/2013", "[2013-01-01,2013-02-01) [2013-03-01,)"),
        (
            "on:today after:yesterday before:Today",
            "[2025-05-20,2025-05-21) [2025-05-19,) [,2025-05-20)",
        ),
        ("on:$w after:$w before:$w-1", "[2025-05-19,2025-05-26) [2025-05-26,) [,2025-05-19)"),
        ("on:$q after:$q-1 before:$q", "[2025-04-01,2025-07-01) [2025-04-01,) [,2025-07-01)"),
        (
            "on:$d+1 on:$m+1 on:$y+1",
            "[2025-05-21,2025-05-22) [2025-06-01,2025-07-01) [2026-01-01,2027-01-01)",
        ),
        ("on:15/$m on:$m/$y", "[2025-05-15,2025-05-16) [2025-05-01,2025-06-01)"),
        ("after:$m/$y before:01/$m-1/$y", "[2025-05-01,) [,2025-04-01)"),
        ("on:9999", "[9999-01-01,)"),
        ("on:9999-12-31 before:9999-12-31", "[9999-12-31,) [,9999-12-31)"),
        ("before:0001-01-01 after:0001", "[,0001-01-01) [0001-01-01,)"),
        ("after:$y+7974 on:$y+7974", "nothing [9999-01-01,)"),
        ("after:$d+99999999999999999999 on:$m-999999999999 x", "nothing nothing 'x'"),
        ("on:25-01-2020 on:20250101 on:2025-001 on:2025- x", "nothing nothing nothing nothing 'x'"),
        (
            "on:2025-1 on:2025-1-2 on:2025-01-2",
            "[2025-01-01,2025-02-01) [2025-01-02,2025-01-03) [2025-01-02,2025-01-03)",
        ),
    ] {
        check(text, expected);
    }
}

#[test]
fn single_account_is_outside_of_not_and_or() {
    for (text, expected) in [
        ("account:Cash", Some("Cash")),
        ("acc:'Credit Card' after:2025 #x -is:checked", Some("Credit Card")),
        ("from:Cash", Some("Cash")),
        ("to:12345", Some("12345")),
        ("(account:Cash)", Some("Cash")),
        ("--account:Cash", Some("Cash")),
        ("account:Cash (a OR b)", Some("Cash")),
        ("account:Cash group:Assets", Some("Cash")),
        ("account:Cash is:trashed", Some("Cash")),
        ("", None),
        ("group:Assets", None),
        ("account:Cash account:Bank", None),
        ("account:Cash account:Cash", None),
        ("from:Cash to:Bank", None),
        ("-account:Cash", None),
        ("NOT (account:Cash)", None),
        ("account:Cash OR #x", None),
        ("(account:Cash OR #x) #y", None),
        ("account:Cash OR account:Bank", None),
        ("account:Cash -account:Bank", None),
        ("account:", None),
        ("type:ASSET", None),
    ] {
        assert_eq!(query(text).single_account(), expected, "{text}");
    }
}
