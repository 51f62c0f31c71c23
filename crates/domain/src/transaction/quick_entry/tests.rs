//! Examples of quick entry (behaviour 3.8.2).

use super::*;
use crate::account::AccountRef;
use crate::amount::{self, DecimalSeparator};
use crate::calendar::{format_iso, parse_iso};
use crate::field::Field;
use crate::fixture::{items, owned, shared_cases, text_in};
use crate::transaction::{Changes, MAX_DESCRIPTION};

const CASH: AccountId = AccountId::new(1);
const CARD: AccountId = AccountId::new(2);
const FOOD: AccountId = AccountId::new(3);
const FOOD_COURT: AccountId = AccountId::new(4);
const EQUITY: AccountId = AccountId::new(5);
const TAXI: AccountId = AccountId::new(6);
const CODED: AccountId = AccountId::new(7);
const NUMBER: AccountId = AccountId::new(8);

fn names() -> Lexicon {
    Lexicon::new([
        (CASH, "Cash"),
        (CARD, "Credit Card"),
        (FOOD, "Food"),
        (FOOD_COURT, "Food Court"),
        (EQUITY, "Owner's Equity"),
        (TAXI, "Táxi"),
        (CODED, "520111 Freight - Intergroup"),
        (NUMBER, "10"),
        (AccountId::new(9), "$"),
    ])
}

fn precision(separator: DecimalSeparator) -> Precision {
    Precision { fraction_digits: 2, scale: 2, separator }
}

/// A reader on 2025-05-20.
fn reader(
    names: &Lexicon,
    separator: DecimalSeparator,
    pattern: DatePattern,
    repeats: bool,
) -> QuickEntryReader<'_> {
    let (precision, today) = (precision(separator), parse_iso("2025-05-20").unwrap());
    QuickEntryReader { names, pattern, precision, today, repeats }
}

fn read_with(text: &str, separator: DecimalSeparator, pattern: DatePattern) -> QuickEntry {
    reader(&names(), separator, pattern, true).read(text)
}

fn read(text: &str) -> QuickEntry {
    read_with(text, DecimalSeparator::Dot, DatePattern::DayFirst)
}

fn shown(found: &QuickEntry) -> (Option<String>, Option<String>) {
    (found.amount.map(|amount| amount::write(amount.value(), 2)), found.date.map(format_iso))
}

#[track_caller]
fn check_amount(text: &str, separator: DecimalSeparator, amount: Option<&str>, rest: &str) {
    let found = read_with(text, separator, DatePattern::DayFirst);
    let shown = (shown(&found).0, found.description);
    assert_eq!((shown.0.as_deref(), &*shown.1), (amount, rest), "{text:?} {separator:?}");
}

#[test]
fn amounts_are_found() {
    use DecimalSeparator::{Comma, Dot};
    check_amount("invoice 12345 value 12,34", Comma, Some("12.34"), "invoice 12345 value");
    for (text, amount, rest) in [
        ("Lunch 25", Some("25.00"), "Lunch"),
        ("25 Lunch 30", Some("25.00"), "Lunch 30"),
        ("3 x 12.5 then 7.25", Some("7.25"), "3 x 12.5 then"),
        ("3 or 12.5 or 7,25", Some("12.50"), "3 or or 7,25"),
        ("3 or 7,25", Some("7.25"), "3 or"),
        ("1,234.56 paid", Some("1234.56"), "paid"),
        ("total: $1,234.56.", Some("1234.56"), "total: $."),
        ("(25)", Some("25.00"), "()"),
        ("€25,00!", Some("25.00"), "€!"),
        ("Coffee .50", Some("0.50"), "Coffee"),
        ("Coffee $.50 (.50)", Some("0.50"), "Coffee $ (.50)"),
        ("(.50)", Some("0.50"), "()"),
        ("-.50 refund", None, "-.50 refund"),
        ("\u{2212}.50 refund", None, "\u{2212}.50 refund"),
        ("$-.50 refund 3", Some("3.00"), "$-.50 refund"),
        ("v.50 a_.50 é\u{301}.50 x/.50 3", Some("3.00"), "v.50 a_.50 é\u{301}.50 x/.50"),
        ("wait...25", Some("25.00"), "wait..."),
        ("25...then 3", Some("25.00"), "...then 3"),
        ("-25 refund", None, "-25 refund"),
        ("\u{2212}25 refund 3", Some("3.00"), "\u{2212}25 refund"),
        ("a4 25kg 4x4 é5 x", None, "a4 25kg 4x4 é5 x"),
        ("INV-2024-001 2024-2025 555-1234", None, "INV-2024-001 2024-2025 555-1234"),
        (
            "No.25 25.pdf km/25 a_25 25_b me@25 10:30 1.2.3.4",
            None,
            "No.25 25.pdf km/25 a_25 25_b me@25 10:30 1.2.3.4",
        ),
        ("#25 '25' \"25\" 12/2024", None, "#25 '25' \"25\" 12/2024"),
        ("0 0.00 0.004 5", Some("5.00"), "0 0.00 0.004"),
        ("ref 99999999999999999999999999 5", Some("5.00"), "ref 99999999999999999999999999"),
        ("٢٥ 3", Some("3.00"), "٢٥"),
        ("25\u{301} 3", Some("3.00"), "25\u{301}"),
    ] {
        check_amount(text, Dot, amount, rest);
    }
}

#[test]
fn parts_of_numbers_are_not_amounts() {
    use DecimalSeparator::{Comma, Dot};
    for (text, amount, rest) in [
        ("Rent 1 234,56", Some("1234.56"), "Rent"),
        ("Rent 1\u{a0}234,56", Some("1234.56"), "Rent"),
        ("Rent 1\u{202f}234,56 paid", Some("1234.56"), "Rent paid"),
        ("Car 20 000,00", Some("20000.00"), "Car"),
        ("Car 1 234 567.89", Some("1234567.89"), "Car"),
        ("Rent 1'234.56", Some("1234.56"), "Rent"),
        ("Rent 1\u{2019}234'567", None, "Rent 1\u{2019}234'567"),
        ("Tax $ 12 345", Some("12345.00"), "Tax $"),
        ("12 34 5", Some("12.00"), "34 5"),
        ("1234 567", Some("1234.00"), "567"),
        ("0 500", Some("500.00"), "0"),
        ("ring 1 234 5678", Some("5678.00"), "ring 1 234"),
        ("-1 234,56", None, "-1 234,56"),
        ("1 234,56-", None, "1 234,56-"),
        ("1 234,56%", None, "1 234,56%"),
        ("1\u{a0}2345", None, "1 2345"),
        ("1'23 4", Some("4.00"), "1'23"),
        ("1'234kg 1\u{a0}234kg", None, "1'234kg 1 234kg"),
        ("12..50 12.,50 12,.5 12...50", None, "12..50 12.,50 12,.5 12...50"),
        ("12.50- 12.- 12,\u{2013} 12-", None, "12.50- 12.- 12,\u{2013} 12-"),
        ("\u{2013}12 \u{ff0d}12 -.5 -,5", None, "\u{2013}12 \u{ff0d}12 -.5 -,5"),
        ("Tip 20% 12", Some("12.00"), "Tip 20%"),
        ("Tip 20 % 20\u{a0}% %20 2.5% 20.% 12", Some("12.00"), "Tip 20 % 20 % %20 2.5% 20.%"),
        (
            "12\u{20ac}50 3+4 3*4 3\u{b7}4 3\u{66b}4",
            None,
            "12\u{20ac}50 3+4 3*4 3\u{b7}4 3\u{66b}4",
        ),
        ("+12.50", Some("12.50"), "+"),
        ("lunch,50 3", Some("3.00"), "lunch,50"),
        ("lunch, 50", Some("50.00"), "lunch,"),
        ("50, lunch", Some("50.00"), ", lunch"),
        ("50,lunch", Some("50.00"), ",lunch"),
    ] {
        for separator in [Dot, Comma] {
            check_amount(text, separator, amount, rest);
        }
    }
    for (text, dot, comma) in [
        ("lunch .99", Some("0.99"), Some("0.99")),
        ("lunch ,99", Some("0.99"), Some("0.99")),
        ("lunch .99 12,50", Some("0.99"), Some("12.50")),
        ("1.234", Some("1.23"), Some("1234.00")),
        ("1.234.567 25", Some("1234567.00"), Some("1234567.00")),
    ] {
        for (separator, amount) in [(Dot, dot), (Comma, comma)] {
            let found = shown(&read_with(text, separator, DatePattern::DayFirst)).0;
            assert_eq!(found.as_deref(), amount, "{text} {separator:?}");
        }
    }
}

#[test]
fn account_names_are_found() {
    for (text, credit, debit, rest) in [
        ("cash food", Some(CASH), Some(FOOD), ""),
        ("Lunch FOOD from CASH", Some(FOOD), Some(CASH), "Lunch from"),
        ("credit-card food court!", Some(CARD), Some(FOOD_COURT), "!"),
        ("CREDIT_CARD taxi", Some(CARD), Some(TAXI), ""),
        ("Credit\u{a0} \tCard ta\u{301}xi", Some(CARD), Some(TAXI), ""),
        ("foods cashier Creditcard", None, None, "foods cashier Creditcard"),
        ("food cour cash", Some(FOOD), Some(CASH), "cour"),
        ("food, court", Some(FOOD), None, ", court"),
        ("cash Cash CASH food", Some(CASH), Some(FOOD), "Cash CASH"),
        ("cash food taxi", Some(CASH), Some(FOOD), "taxi"),
        ("owner's equity (cash)", Some(EQUITY), Some(CASH), "()"),
        ("owner s equity", None, None, "owner s equity"),
        ("'cash' \"food\" #taxi https://cash/food", None, None, "'cash' \"food\" #taxi"),
        ("bank_cash", Some(CASH), None, "bank_"),
        ("$ cash", Some(CASH), None, "$"),
        ("520111 freight intergroup 10", Some(CODED), Some(NUMBER), ""),
        ("10.5 10/01 10:30", None, None, "10:30"),
    ] {
        let found = read(text);
        let found = (found.credit, found.debit, found.description.as_str());
        assert_eq!(found, (credit, debit, rest), "{text:?}");
    }
    // The digits in the name of a third account are not an amount.
    assert_eq!(shown(&read("cash food 520111 Freight Intergroup 7")).0.as_deref(), Some("7.00"));
}

#[test]
fn dates_are_found() {
    for (text, date, rest) in [
        ("31/01/2024 lunch", Some("2024-01-31"), "lunch"),
        ("lunch (31/01).", Some("2025-01-31"), "lunch ()."),
        ("lunch 31/01, 2/02", Some("2025-01-31"), "lunch , 2/02"),
        ("01/31/2024 then 3/4", Some("2025-04-03"), "01/31/2024 then"),
        ("2024-01-31", Some("2024-01-31"), ""),
        (
            "x-31/01 31/01-x a31/01 31/01/ 31/01/b",
            Some("2025-01-31"),
            "x-31/01 31/01-x a31/01 / 31/01/b",
        ),
        ("'31/01' #31/01", None, "'31/01' #31/01"),
    ] {
        let found = read(text);
        let (amount, found_date) = shown(&found);
        let found = (found_date.as_deref(), amount, found.description.as_str());
        assert_eq!(found, (date, None, rest), "{text:?}");
    }
    let found = read_with("01/31 lunch", DecimalSeparator::Dot, DatePattern::YearFirst);
    assert_eq!(shown(&found).1.as_deref(), Some("2025-01-31"));
}

#[test]
fn tags_urls_and_quotes_are_found() {
    for (text, urls, rest) in [
        ("#food lunch -#trip end", vec![], "#food lunch end"),
        ("-#a", vec![], ""),
        ("a-#b", vec![], "a-#b"),
        (
            "see https://a.b/1?c=2#d, HTTP://X end",
            vec!["https://a.b/1?c=2#d", "HTTP://X"],
            "see , end",
        ),
        ("http://a http://a", vec!["http://a"], ""),
        ("\"http://a 25 -#b  cash\"", vec![], "\"http://a 25 -#b  cash\""),
        ("it's 5 o'clock", vec![], "it's o'clock"),
        ("an open 'quote 25", vec![], "an open 'quote"),
    ] {
        let found = read(text);
        let found = (found.urls, found.description.as_str());
        assert_eq!(found, (owned(&urls), rest), "{text:?}");
    }
}

#[test]
fn repetitions_are_found() {
    let days = |text: &str| {
        let found = read(text);
        (found.repeats.into_iter().map(format_iso).collect::<Vec<_>>().join(" "), found.description)
    };
    let next = "2025-11-30 2025-12-31";
    for (text, repeats, rest) in [
        ("rent 31/10 2x", next, "rent"),
        ("$2x rent 31/10", next, "rent"),
        ("rent 31/10 2X\n", next, "rent"),
        ("rent 2x", "", "rent 2x"),
        ("rent 31/10 0x", "", "rent 0x"),
        ("rent 31/10 37x", "", "rent 37x"),
        ("rent 31/10 300x", "", "rent 300x"),
        ("rent 31/10 2x, (2x) a2x 2x4", "", "rent 2x, (2x) a2x 2x4"),
        ("rent 31/10 '2x'", "", "rent '2x'"),
        ("rent 31/10\nnote 2x", "", "rent\nnote 2x"),
        ("rent 31/12/9999 2x", "", "rent 2x"),
        ("rent 31/10 2x 3x", next, "rent 3x"),
    ] {
        assert_eq!(days(text), (repeats.to_owned(), rest.to_owned()), "{text:?}");
    }
    assert_eq!(read("a 1/1/2025 36x").repeats.len(), 36);
    let names = names();
    let batch = reader(&names, DecimalSeparator::Dot, DatePattern::DayFirst, false);
    let found = batch.read("a 31/10 2x");
    assert_eq!((found.description.as_str(), found.repeats), ("a 2x", vec![]));
}

#[test]
fn tokens_show_the_recognized_parts() {
    use TokenKind::{
        Amount, CreditAccount, Date, DebitAccount, Hashtag, RemovedHashtag, Repeats, Url,
    };
    let shown = |text: &str, tokens: Vec<Token>| -> Vec<(String, TokenKind)> {
        tokens.into_iter().map(|token| (text[token.span].to_owned(), token.kind)).collect()
    };
    let text = " #é Lunch 31/10 $2x, owner's Equity .50 -#b http://a.b FOOD  cash ";
    let expected = [
        ("#é", Hashtag),
        ("31/10", Date),
        ("owner's Equity", CreditAccount(EQUITY)),
        (".50", Amount),
        ("-#b", RemovedHashtag),
        ("http://a.b", Url),
        ("FOOD", DebitAccount(FOOD)),
    ]
    .map(|(part, kind)| (part.to_owned(), kind));
    assert_eq!(shown(text, read(text).tokens), expected);
    let text = "31/10 1 234,5 $2x";
    let expected = [("31/10", Date), ("1 234,5", Amount), ("$2x", Repeats)];
    let expected = expected.map(|(part, kind)| (part.to_owned(), kind));
    assert_eq!(shown(text, read(text).tokens), expected);
    let names = names();
    let reader = reader(&names, DecimalSeparator::Dot, DatePattern::DayFirst, true);
    let text = "\u{2003}Taxi 25 #a cash";
    let expected = [("Taxi", CreditAccount(TAXI)), ("cash", DebitAccount(CASH))];
    let expected = expected.map(|(part, kind)| (part.to_owned(), kind));
    assert_eq!(shown(text, reader.read_names(text).unwrap().tokens), expected);
}

#[test]
fn white_space_is_collapsed() {
    for (text, rest) in [
        ("  a \t b  ", "a b"),
        ("a 25 b", "a b"),
        ("a \n 25 \n\n b", "a\nb"),
        ("'a  b'  c", "'a  b' c"),
        ("\u{2003}", ""),
    ] {
        assert_eq!(read(text).description, rest, "{text:?}");
    }
}

#[test]
fn only_two_names_are_read() {
    let names = names();
    let reader = reader(&names, DecimalSeparator::Dot, DatePattern::DayFirst, true);
    for (text, credit, debit, rest) in [
        ("cash food 25 13/05", CASH, FOOD, "25 13/05"),
        (" credit-card  to the FOOD court\n #tag -#no  x", CARD, FOOD_COURT, "to the\n#tag -#no x"),
        ("cash cash http://a taxi 'food' 4x", CASH, TAXI, "cash http://a 'food' 4x"),
        ("10 cash 25", NUMBER, CASH, "25"),
    ] {
        let expected = QuickEntry {
            description: rest.to_owned(),
            credit: Some(credit),
            debit: Some(debit),
            ..QuickEntry::default()
        };
        let found = reader.read_names(text);
        let found = found.map(|found| QuickEntry { tokens: Vec::new(), ..found });
        assert_eq!(found, Some(expected), "{text:?}");
    }
    for text in ["", "cash", "cash cash", "cash 'food'", "#cash food", "cashier food", "25 13/05"] {
        assert_eq!(reader.read_names(text), None, "{text:?}");
    }
}

#[test]
fn discovery_depends_on_the_empty_fields() {
    let dot = DecimalSeparator::Dot;
    let set = |text: &str| Field::Set(text.to_owned());
    let text = || Changes { description: set("Cash Food 25"), ..Changes::default() };
    let reference = |name: &str| Field::Set(AccountRef { id: None, name: Some(name.to_owned()) });
    let blank = Changes { amount: set(" "), date: set(" "), credit: reference(" "), ..text() };
    let zero = Changes { amount: set("-0.00"), debit: Field::Clear, draft: true, ..text() };
    for everything in [text(), blank, zero] {
        assert_eq!(
            everything.fields_to_parse(dot),
            Some(FieldsToParse::Everything),
            "{everything:?}"
        );
    }
    for names in [
        Changes { amount: set("1"), ..text() },
        Changes { amount: set("bad"), ..text() },
        Changes { date: set("2025-01-01"), debit: reference(""), ..text() },
    ] {
        assert_eq!(names.fields_to_parse(dot), Some(FieldsToParse::AccountNames), "{names:?}");
    }
    for other in [
        Changes { description: Field::Clear, ..text() },
        Changes { description: set(" "), ..text() },
        Changes { description: set(&"x".repeat(MAX_DESCRIPTION + 1)), ..text() },
        Changes { credit: reference("x"), ..text() },
        Changes { amount: set("1"), debit: reference("x"), ..text() },
    ] {
        assert_eq!(other.fields_to_parse(dot), None, "{other:?}");
    }
    let given = Changes { urls: Some(owned(&["b", "http://a"])), ..text() };
    let found = QuickEntry { urls: owned(&["http://a", "http://c"]), ..QuickEntry::default() };
    let urls = given.with_quick_entry(found, precision(dot)).urls;
    assert_eq!(urls, Some(owned(&["b", "http://a", "http://c"])));
}

/// The offsets of tokens in UTF-16 code units, as the API shows them (3.15.2).
#[test]
fn tokens_of_lines_are_those_of_the_console() {
    use TokenKind::{
        Amount, CreditAccount, Date, DebitAccount, Hashtag, RemovedHashtag, Repeats, Url,
    };
    let cases = shared_cases(include_str!("../../../../../tests/cases/lines.json"));
    let accounts: Vec<&str> =
        items(&cases["accounts"]).iter().map(|name| name.as_str().unwrap()).collect();
    let names = Lexicon::new((1..).map(AccountId::new).zip(accounts));
    let today = parse_iso(text_in(&cases, "today")).unwrap();
    let (precision, pattern) = (precision(DecimalSeparator::Dot), DatePattern::DayFirst);
    let reader = QuickEntryReader { names: &names, pattern, precision, today, repeats: true };
    for case in items(&cases["lines"]) {
        let text = text_in(case, "text");
        let units = |offset: usize| text[..offset].encode_utf16().count();
        let tokens = reader.read(text).tokens.into_iter().map(|token| {
            let kind = match token.kind {
                Amount => "amount",
                Date => "date",
                CreditAccount(_) => "creditAccount",
                DebitAccount(_) => "debitAccount",
                Repeats => "repeats",
                Url => "url",
                Hashtag => "hashtag",
                RemovedHashtag => "removedHashtag",
            };
            let (start, end) = (units(token.span.start), units(token.span.end));
            serde_json::json!({ "start": start, "end": end, "kind": kind })
        });
        assert_eq!(tokens.collect::<Vec<_>>(), items(&case["tokens"]), "{text}");
    }
}
