//! Tests of journals. The amounts that are inferred are those of hledger 1.25.

use daybook_domain::calendar::format_iso;

use super::*;

fn read(text: &str) -> Journal {
    super::read(text.as_bytes()).unwrap_or_else(|problem| panic!("{problem}"))
}

/// Shows the postings of all entries.
fn postings(text: &str) -> Vec<String> {
    let journal = read(text);
    let all = journal.entries.iter().flat_map(|entry| entry.unwrap().postings);
    let shown = all.map(|posting| {
        let quantity = posting.quantity.as_ref().map(|quantity| {
            format!("{} {}", quantity.amount, quantity.commodity).trim_end().to_owned()
        });
        format!("{} {}", posting.account, quantity.unwrap_or_default())
    });
    let refused = journal.refused.iter().chain(&journal.warnings).map(ToString::to_string);
    shown.chain(refused).collect()
}

/// Shows the transactions of two accounts of all entries.
fn transactions(text: &str) -> Vec<String> {
    let journal = read(text);
    assert_eq!(journal.refused, []);
    let side = |side: &Side| match side {
        Side::Account(name) => name.to_string(),
        Side::InTransit => "(transit)".to_owned(),
        Side::Conversions => "(conversions)".to_owned(),
        Side::Virtual => "(virtual)".to_owned(),
    };
    let all = journal.entries.iter().flat_map(|entry| legs(&entry.unwrap()).unwrap());
    all.map(|leg| {
        let (credit, debit) = (side(&leg.credit), side(&leg.debit));
        let money = format!("{} {}", leg.amount, leg.commodity);
        format!("{} {} {credit} -> {debit}", format_iso(leg.date), money.trim_end())
    })
    .collect()
}

#[test]
fn missing_amounts_are_inferred() {
    for (text, expected) in [
        ("2024-01-01 a\n  x  5 EUR\n  y  -6 USD\n", &["x 5 EUR", "y -6 USD"][..]),
        ("2024-01-01 a\n  x  2.5 AAPL @ $180\n  y\n", &["x 2.5 AAPL", "y -450 $"]),
        ("2024-01-01 a\n  x  -3 A @@ $5\n  y\n", &["x -3 A", "y 5 $"]),
        ("2024-01-01 a\n  x  -3 A {$4} @ $5\n  y\n", &["x -3 A", "y 15 $"]),
        ("2024-01-01 a\n  x  3 A @ $1.335\n  y  $-4.00\n", &["x 3 A", "y -4 $"]),
        ("2024-01-01 a\n  x  3 A\n  z  $5\n  y\n", &["x 3 A", "z 5 $", "y -5 $", "y -3 A"]),
        (
            "2024-01-01 a\n  (v)  $3\n  [p]  $5\n  [q]\n  b  $1\n  c\n",
            &["v 3 $", "p 5 $", "q -5 $", "b 1 $", "c -1 $"],
        ),
        (
            "2024-01-02 b\n  x  = $10\n  y\n2024-01-01 a\n  x  $3\n  y\n",
            &["x 7 $", "y -7 $", "x 3 $", "y -3 $"],
        ),
        (
            "2024-01-01 a\n  x:z  $3\n  y\n2024-01-02 b\n  x  =* $10\n  y\n",
            &["x:z 3 $", "y -3 $", "x 7 $", "y -7 $"],
        ),
        ("2024-01-01 a\n  x  == $3\n  y\n", &["x 3 $", "y -3 $"]),
        ("decimal-mark ,\n2024-01-01 a\n  x  1.000,5\n  y\n", &["x 1000.5", "y -1000.5"]),
        ("commodity $1,000.00\n2024-01-01 a\n  x  $1,000\n  y\n", &["x 1000 $", "y -1000 $"]),
    ] {
        assert_eq!(postings(text), expected, "{text}");
    }
}

#[test]
fn entries_that_do_not_balance_are_refused() {
    for (text, expected) in [
        (
            "2024-01-01 a\n  x  1\n  y  -2\n",
            "line 1, column 1: the postings do not sum to zero: -1 is left",
        ),
        ("2024-01-01 a\n  x\n  y\n", "line 3, column 3: more than one posting has no amount"),
        ("2024-01-32 a\n  x  1\n  y\n", "line 1, column 1: invalid date \"2024-01-32\""),
        ("2024-01-01 a\n  x  1 EUR USD\n  y\n", "line 2, column 12: invalid amount \"USD\""),
        (
            "2024-01-01 a\n  x  (1+2)\n  y\n",
            "line 2, column 6: expressions are not read as amounts",
        ),
        ("what\n", "line 1, column 1: the line \"what\" is not part of a record"),
    ] {
        assert_eq!(postings(text), [expected], "{text}");
    }
    let total = "2024-01-01 a\n  x:z  5 USD\n  y\n2024-01-02 b\n  x  ==* 0\n  y\n";
    let expected = "line 5, column 3: the account has other commodities than the one asserted";
    assert_eq!(postings(total), ["x:z 5 USD", "y -5 USD", expected]);
    let good = "2024-01-01 a\n  x  1\n  y  -2\n\n2024-01-02 b\n  x  1\n  y\n";
    assert_eq!(postings(good).len(), 3, "the others are read");
}

#[test]
fn assertions_are_checked_by_day() {
    let text = "2024-01-02 b\n  x  $1 = $4\n  y\n2024-01-01 a\n  x  $3 = $3\n  y = $-3\n\
                2024-01-03 c\n  x:z  $1\n  x  0 =* $5\n  y\n\
                2024-01-04 d\n  x  1 EUR == 1 EUR\n  y\n";
    let journal = read(text);
    let warnings: Vec<String> = journal.warnings.iter().map(ToString::to_string).collect();
    assert_eq!(
        warnings,
        ["line 12, column 3: the account has other commodities than the one asserted"]
    );
    let second = journal.entries.iter().nth(1).unwrap().unwrap();
    let assigned = second.postings[1].quantity.as_ref().unwrap();
    assert_eq!(assigned.amount.to_string(), "-3");
}

#[test]
fn headers_comments_and_tags_are_parsed() {
    let journal = read(
        "Y2024\n01/02=01-05 * (INV-7) Corner Shop | weekly  ; trip:Oslo, project-x:\n    ; more\n\
         \x20   Expenses:Food            $30.00\n\
         \x20   ! Assets:Cash   $-2.50   ; note, date:2024-01-03\n\
         \x20   ; k:v\n    Assets:Bank\n",
    );
    let entry = journal.entries.iter().next().unwrap().unwrap();
    assert_eq!(
        (format_iso(entry.date), entry.date2.map(format_iso)),
        ("2024-01-02".to_owned(), Some("2024-01-05".to_owned()))
    );
    assert_eq!((entry.mark, entry.code.as_deref()), (Mark::Cleared, Some("INV-7")));
    assert_eq!(entry.description, "Corner Shop | weekly");
    assert_eq!(entry.comment, "trip:Oslo, project-x:\nmore");
    let tag = |name: &str, value: &str| (name.to_owned(), value.to_owned());
    assert_eq!(entry.tags, [tag("trip", "Oslo"), tag("project-x", "")]);
    let cash = &entry.postings[1];
    assert_eq!(
        (cash.mark, cash.date.map(format_iso)),
        (Mark::Pending, Some("2024-01-03".to_owned()))
    );
    assert_eq!(cash.tags, [tag("k", "v")]);
    assert!(entry.written.ends_with("Assets:Bank"));
}

#[test]
fn directives_are_parsed() {
    let journal = read(
        "; c\ncomment\n2024-01-01 not an entry\nend comment\naccount Assets:Bank  ; type:C\n\
         account Equity\n  ; type: E\ncommodity $1,000.00\ncommodity EUR\n  format 1.000,000 EUR\n\
         P 2024-01-01 AAPL $180.50\nalias old = new:name\napply account top\n\
         ~ monthly\n  a  1\n  b\n= x\n  a  1\n2024-01-01 a\n  old  1\n  y\nend apply account\n\
         2024-01-02 b\n  old:z  1\n  y\n",
    );
    let accounts: Vec<(&str, Option<&str>)> =
        journal.accounts.iter().map(|each| (each.name.as_str(), each.kind.as_deref())).collect();
    assert_eq!(accounts, [("Assets:Bank", Some("C")), ("Equity", Some("E"))]);
    let decimals: Vec<u32> = journal.commodities.iter().map(|each| each.decimals).collect();
    assert_eq!(decimals, [2, 3]);
    assert_eq!(journal.prices[0].price.amount.to_string(), "180.5");
    let names: Vec<String> = journal
        .entries
        .iter()
        .flat_map(|entry| entry.unwrap().postings)
        .map(|posting| posting.account.to_string())
        .collect();
    assert_eq!(names, ["top:old", "top:y", "new:name:z", "y"]);
    assert_eq!(journal.warnings.len(), 2, "periodic and automated ones");
    for directive in ["include x.journal", "apply tag x", "alias /a/=b", "bucket x", "i 2024-01-01"]
    {
        let problem = super::read(directive.as_bytes()).unwrap_err();
        let expected = format!("line 1, column 1: the directive \"{directive}\" is not accepted");
        assert_eq!(problem.to_string(), expected);
    }
}

#[test]
fn postings_are_matched_first_with_first() {
    let text = "2024-01-02 Corner Shop\n    Expenses:Food  $30.00\n\
                \x20   Expenses:Household  $12.50\n\
                \x20   Assets:Cash  $-2.50  ; date:2024-01-03\n    Assets:Bank  $-40.00\n";
    assert_eq!(
        transactions(text),
        [
            "2024-01-03 2.5 $ Assets:Cash -> (transit)",
            "2024-01-02 30 $ Assets:Bank -> Expenses:Food",
            "2024-01-02 10 $ Assets:Bank -> Expenses:Household",
            "2024-01-02 2.5 $ (transit) -> Expenses:Household",
        ]
    );
    for (text, expected) in [
        (
            "2024-01-01 a\n  x  2.5 AAPL @ $180\n  y  $-450\n",
            &["2024-01-01 2.5 AAPL (conversions) -> x", "2024-01-01 450 $ y -> (conversions)"][..],
        ),
        ("2024-01-01 a\n  (v)  $1\n", &["2024-01-01 1 $ (virtual) -> v"]),
        (
            "2024-01-01 a\n  [b:food]  $-50\n  [b:trip]  $50\n",
            &["2024-01-01 50 $ b:food -> b:trip"],
        ),
        (
            "2024-01-01 a\n  x  10\n  x  -10\n",
            &["2024-01-01 10 x -> (transit)", "2024-01-01 10 (transit) -> x"],
        ),
        ("2024-01-01 a\n  x  0\n  y\n", &[]),
    ] {
        assert_eq!(transactions(text), expected, "{text}");
    }
}
