//! Tests of the lexical rules (behaviour 1.1).

use super::*;
use crate::fixture::{items, shared_cases, text_in};
use crate::query::lexer::{Lexer, Token};

#[track_caller]
fn check_all(rows: &[(&str, &str)]) {
    rows.iter().for_each(|(text, expected)| check(text, expected));
}

#[test]
fn terms_are_separated_by_white_space() {
    check_all(&[
        ("", ""),
        (" \t\n ", ""),
        ("a\tb\n c\u{a0}d", "'a' 'b' 'c' 'd'"),
        ("lunch #food", "'lunch' #food"),
    ]);
}

#[test]
fn and_is_optional() {
    check_all(&[
        ("amount>0 AND after:2020-01-01", "amount>0 [2020-01-01,)"),
        ("AND a AND AND b AND", "'a' 'b'"),
    ]);
}

#[test]
fn boolean_operators_have_precedence() {
    check_all(&[
        ("a OR b", "('a' | 'b')"),
        ("a b OR c d", "(('a' 'b') | ('c' 'd'))"),
        ("a AND b OR c", "(('a' 'b') | 'c')"),
        ("a (b OR c)", "'a' ('b' | 'c')"),
        ("a OR (b OR (c OR d))", "('a' | 'b' | 'c' | 'd')"),
        ("a (b (c d))", "'a' 'b' 'c' 'd'"),
        ("NOT a", "!'a'"),
        ("NOT a b", "!'a' 'b'"),
        ("-a", "!'a'"),
        ("- a", "'-' 'a'"),
        ("Freight - Intergroup", "'freight' '-' 'intergroup'"),
        ("--a", "'a'"),
        ("---a", "!'a'"),
        ("-- a", "'--' 'a'"),
        ("NOT NOT a", "'a'"),
        ("NOT -a", "'a'"),
        ("-#tag", "!#tag"),
        ("-account:X", "!account:X"),
        ("-account:'X Y' b", "!account:X Y 'b'"),
        ("-'a b'", "!'a b'"),
        ("NOT (a OR b)", "!('a' | 'b')"),
        ("NOT(a OR b)", "!('a' | 'b')"),
        ("-(a b)", "!('a' 'b')"),
        ("-(-(a))", "'a'"),
        ("NOT (NOT a) b", "'a' 'b'"),
        ("a OR NOT b", "('a' | !'b')"),
        ("a -b OR c", "(('a' !'b') | 'c')"),
        ("(a OR b)(c OR d)", "('a' | 'b') ('c' | 'd')"),
        ("a AND(b OR c)", "'a' ('b' | 'c')"),
        // Only at the start of a term.
        ("well-known", "'well-known'"),
        ("f(x", "'f(x'"),
        ("a OR b) c", "('a' | ('b' 'c'))"),
    ]);
}

#[test]
fn keywords_are_whole_words_in_upper_case() {
    check_all(&[
        ("a or b and not c", "'a' 'or' 'b' 'and' 'not' 'c'"),
        ("Or", "'or'"),
        ("ORANGE NOTE ANDES", "'orange' 'note' 'andes'"),
        ("'OR'", "'or'"),
        ("-NOT", "!'not'"),
        ("NOT: x", "{not=x}"),
    ]);
}

#[test]
fn keywords_without_operands_are_ignored() {
    check_all(&[
        ("NOT", ""),
        ("OR", ""),
        ("a OR", "'a'"),
        ("OR a", "'a'"),
        ("a OR OR b", "('a' | 'b')"),
        ("(NOT) a", "'a'"),
        ("NOT OR a", "'a'"),
        ("NOT AND a", "!'a'"),
        ("() a", "'a'"),
        ("NOT ()", ""),
        ("a OR ()", "'a'"),
    ]);
}

#[test]
fn values_are_words_or_quoted() {
    check_all(&[
        ("account:'Credit Card'", "account:Credit Card"),
        ("account:\"Cash\"", "account:Cash"),
        ("(account:Cash)", "account:Cash"),
        ("account:Credit Card", "account:Credit 'card'"),
        ("account:O'Brien's", "account:O'Brien's"),
        ("account:'a'b", "account:a 'b'"),
        ("account:'a)b' c", "account:a)b 'c'"),
        ("'quoted phrase' x", "'quoted phrase' 'x'"),
        ("\"it's\"", "'it's'"),
        ("owner's", "'owner's'"),
    ]);
}

#[test]
fn apostrophes_do_not_close_a_value() {
    check_all(&[
        ("account:'Owner's Equity'", "account:Owner's Equity"),
        ("account:'Owner's Equity' after:2025", "account:Owner's Equity [2025-01-01,)"),
        ("(account:'Owner's Equity')", "account:Owner's Equity"),
        ("-group:'Owner's Equity' x", "!group:Owner's Equity 'x'"),
        ("account:'Owner's Equity'group:'Bob's Cars'", "account:Owner's Equity group:Bob's Cars"),
        ("account:'Ann's and Bob's House' 'x y'", "account:Ann's and Bob's House 'x y'"),
        ("account:'Owners' Equity'", "account:Owners' Equity"),
        ("account:'L'été d'Ann: 2' x", "account:L'été d'Ann: 2 'x'"),
        ("'owner's equity'", "'owner's equity'"),
        (r#"account:"19" rack""#, r#"account:19" rack"#),
        // Values that follow one another.
        ("account:'Cash'group:'X'", "account:Cash group:X"),
        ("account:'Cash'AND group:'X'", "account:Cash group:X"),
        ("account:'Cash' lunch 'two words'", "account:Cash 'lunch' 'two words'"),
        ("account:'A' OR account:'B'", "(account:A | account:B)"),
        ("account:'A' OR 'B'", "(account:A | 'b')"),
        ("account:'A' don't group:'B'", "account:A 'don't' group:B"),
        ("account:'A' -'b c'", "account:A !'b c'"),
        // An ambiguous value ends at the first quote.
        ("account:'Cash'lunch", "account:Cash 'lunch'"),
        ("account:'Cash'lunch account:'Bank'", "account:Cash 'lunch' account:Bank"),
        ("account:'Owner's Eq", "account:Owner 's' 'eq'"),
        ("account:'Owner''s Equity'", "account:Owner 's equity'"),
    ]);
}

#[test]
fn quotes_and_backslashes_can_be_escaped() {
    check_all(&[
        (r"account:'O\'Brien'", "account:O'Brien"),
        (r#"account:"a \"b\" c""#, r#"account:a "b" c"#),
        (r"account:'a\\' b", r"account:a\ 'b'"),
        (r"account:'a\nb'", r"account:a\nb"),
        (r#"account:'a\"b'"#, r#"account:a\"b"#),
        (r"account:a\'b", r"account:a\'b"),
        (r"account:'a\", r"account:a\"),
        (r"account:'a\'", r"account:a'"),
    ]);
}

#[test]
fn white_space_may_follow_the_colon() {
    check_all(&[
        ("on: 25/01/2020", "[2020-01-25,2020-01-26)"),
        ("on:   '2025-01' x", "[2025-01-01,2025-02-01) 'x'"),
        ("after: $m-1 before: $m", "[2025-05-01,) [,2025-06-01)"),
        ("on: 2013-1-1", "[2013-01-01,2013-01-02)"),
        ("after: lunch", "nothing"),
        ("after: 2025-02-30 x", "nothing 'x'"),
        ("after: #x", "#x"),
        ("after: before:2025", "[,2025-01-01)"),
        ("(after: 2025) a", "[2025-01-01,) 'a'"),
        ("is: draft", "is:draft"),
        ("is: lunch", "nothing"),
        ("amount: 100", "amount=100"),
        ("amount: lunch", "nothing"),
        ("amount:> 100", "amount>100"),
        ("amount: > 100", "amount>100"),
        ("amount: >=100", "amount>=100"),
        ("amount>= 100", "amount>=100"),
        ("amount: > lunch", "nothing"),
        ("amount: > #x", "#x"),
        ("amount: >", ""),
        ("account: Cash x", "account:Cash 'x'"),
        ("account: 'Credit Card'", "account:Credit Card"),
        ("account: group:X", "group:X"),
        ("account: -group:X", "!group:X"),
        ("account: amount>5", "amount>5"),
        ("account: #food", "#food"),
        ("account: -#food", "!#food"),
        ("account: OR b", "'b'"),
        ("a account: OR b", "('a' | 'b')"),
        ("account: NOT b", "!'b'"),
        ("account: (a OR b)", "('a' | 'b')"),
        ("account: -(a OR b)", "!('a' | 'b')"),
        ("account: -'a'", "!'a'"),
        ("account: or", "account:or"),
        ("account: -5", "account:-5"),
        ("account: 10:30", "account:10:30"),
        ("site: http://x.y", "{site=http://x.y}"),
        ("remoteId: abc", "remote:abc"),
        ("using: postDate on: 2025", "posted[2025-01-01,2026-01-01)"),
        ("(account: ) a", "'a'"),
        ("account:) a", "'a'"),
    ]);
}

#[test]
fn leading_equals_sign_is_ignored() {
    check_all(&[
        ("= account:Cash", "account:Cash"),
        ("  =\ta", "'a'"),
        ("=a", "'=a'"),
        ("a = b", "'a' '=' 'b'"),
        ("= = a", "'=' 'a'"),
    ]);
}

#[test]
fn operator_names_ignore_case() {
    check_all(&[
        ("remoteid:A REMOTEID:B remoteId:C", "remote:A remote:B remote:C"),
        ("ACCOUNT:a Acc:b From:c TO:d GROUP:e", "account:a account:b from:c to:d group:e"),
        (
            "AFTER:2025 Before:2026 ON:2025-06",
            "[2025-01-01,) [,2026-01-01) [2025-06-01,2025-07-01)",
        ),
        ("IS:Draft", "is:draft"),
        ("AMOUNT>5 Amount:6", "amount>5 amount=6"),
        ("CreatedBy:ana USER:bob", "by:ana by:bob"),
    ]);
}

#[test]
fn invalid_values_match_nothing() {
    check_all(&[
        ("after:", ""),
        ("after: ", ""),
        ("account: after:", ""),
        ("a after: OR b", "('a' | 'b')"),
        ("account:''", ""),
        ("account:\"  \" x", "'x'"),
        ("'' x", "'x'"),
        ("after:2025-02-30 x", "nothing 'x'"),
        ("after:soon x", "nothing 'x'"),
        ("amount>many x", "nothing 'x'"),
        ("amount> ", ""),
        ("amount x", "'amount' 'x'"),
        ("is:lost x", "nothing 'x'"),
        ("is:lost is:draft", "nothing is:draft"),
        ("type:WEALTH has:luck error:maybe using:force x", "nothing nothing nothing nothing 'x'"),
        // With NOT, and as an alternative.
        ("NOT after:soon x", "nothing 'x'"),
        ("-is:lost x", "nothing 'x'"),
        ("a OR after:soon", "('a' | nothing)"),
        ("-(after:soon) x", "nothing 'x'"),
        ("-(after:soon a) x", "!(!nothing 'a') 'x'"),
        ("using:postDate a -on:2025-02-30", "'a' nothing"),
        // 0.23: stored texts contain no NUL.
        ("a\0b", "nothing"),
        ("-\0 x", "!nothing 'x'"),
        ("account:Cash\0 tax\0_rate:full", "nothing nothing"),
        ("on:2025\0", "nothing"),
    ]);
}

#[test]
fn no_text_is_an_error() {
    check_all(&[
        ("invalid:syntax:query::", "{invalid=syntax:query::}"),
        ("account:'Credit Ca", "account:Credit Ca"),
        ("'open phrase OR x", "'open phrase or x'"),
        ("(a OR b", "('a' | 'b')"),
        ("x -(a OR (b c", "'x' !('a' | ('b' 'c'))"),
        (") a ) b", "'a' 'b'"),
        ("a)) OR b", "('a' | 'b')"),
        ("::", "'::'"),
        (":", "':'"),
        ("#", "'#'"),
        ("-", "'-'"),
        ("=", "'='"),
        ("'", ""),
        ("%_*", "'%_*'"),
    ]);
}

#[test]
fn operators_start_with_a_letter() {
    check_all(&[
        ("10:30", "'10:30'"),
        ("http://a.b/c", "'http://a.b/c'"),
        ("HTTPS://a.b/c:1", "'https://a.b/c:1'"),
        ("http:x", "{http=x}"),
        ("ftp://x", "{ftp=//x}"),
        ("property.type:x Property.On:2025", "{type=x} {on=2025}"),
        ("property.amount:>5 property.is:*", "{amount=>5} {is=*}"),
        ("property.property.a:b property:x", "{property.a=b} {property=x}"),
        ("_a:b", "'_a:b'"),
        (":a", "':a'"),
        ("ção:x", "{ção=x}"),
        ("amountx>5", "'amountx>5'"),
        ("amount", "'amount'"),
    ]);
}

/// Formats a token like the console's test.
fn shown(token: Token<'_>) -> String {
    match token {
        Token::Open => "(".to_owned(),
        Token::Close => ")".to_owned(),
        Token::And => "AND".to_owned(),
        Token::Or => "OR".to_owned(),
        Token::Not => "-".to_owned(),
        Token::Word(word) => word.to_owned(),
        Token::Phrase(phrase) => format!("'{phrase}'"),
        Token::Hashtag(tag) => format!("#{tag}"),
        Token::Operator(term) => format!("{}={}", term.name.to_lowercase(), term.value),
        Token::Empty => String::new(),
    }
}

#[test]
fn terms_and_quotes_are_those_of_the_console() {
    let cases = shared_cases(include_str!("../../../../../tests/cases/queries.json"));
    for case in items(&cases["terms"]) {
        let terms: Vec<String> = Lexer::new(text_in(case, "query")).map(shown).collect();
        assert_eq!(terms, items(&case["terms"]), "{case}");
    }
    for case in items(&cases["quoted"]) {
        let text = format!("account:{} x", text_in(case, "text"));
        let terms: Vec<String> = Lexer::new(&text).map(shown).collect();
        assert_eq!(terms, [format!("account={}", text_in(case, "value")), "x".to_owned()]);
    }
}
