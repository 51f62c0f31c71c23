//! Tests of beancount journals. The amounts that are inferred are those of beancount 3.

use super::*;
use crate::read::journal::{Entry, Mark};

fn read(text: &str) -> Journal {
    super::read(text.as_bytes()).unwrap_or_else(|problem| panic!("{problem}"))
}

fn entries<const COUNT: usize>(journal: &Journal) -> [Entry; COUNT] {
    let entries: Vec<Entry> = journal.entries.iter().map(Result::unwrap).collect();
    entries.try_into().unwrap()
}

/// Shows the postings of all entries, and what is refused or warned of.
fn postings(text: &str) -> Vec<String> {
    let journal = read(text);
    let all = journal.entries.iter().flat_map(|entry| entry.unwrap().postings);
    let shown = all.map(|posting| {
        let quantity = posting.quantity.as_ref().unwrap();
        let cost = posting.cost.as_ref().map(|cost| {
            let at = if cost.is_total { "@@" } else { "@" };
            format!(" {at} {} {}", cost.quantity.amount, cost.quantity.commodity)
        });
        let (amount, commodity) = (quantity.amount, &quantity.commodity);
        format!("{} {amount} {commodity}{}", posting.account, cost.unwrap_or_default())
    });
    let refused = journal.refused.iter().chain(&journal.warnings).map(ToString::to_string);
    shown.chain(refused).collect()
}

const BUY: &str = "2024-01-01 * \"buy\"\n  A:S  5 X {10.00 USD}\n  A:C\n\
                   2024-01-02 * \"buy\"\n  A:S  5 X {12.00 USD, \"b\"}\n  A:C\n";

#[test]
fn missing_amounts_are_inferred() {
    for (text, expected) in [
        ("2024-01-01 * \"a\"\n  A:B  5.00 USD\n  A:C\n", &["A:B 5 USD", "A:C -5 USD"][..]),
        ("2024-01-01 * \"a\"\n  A:B  5.00 USD\n  A:C  USD\n", &["A:B 5 USD", "A:C -5 USD"]),
        (
            "2024-01-01 * \"a\"\n  A:B  (1.00 + 2*3 - 4/-2) USD\n  A:C  -9.00 USD\n",
            &["A:B 9 USD", "A:C -9 USD"],
        ),
        (
            "2024-01-01 * \"a\"\n  A:B  3 X {1.335 USD}\n  A:C  0.00 USD\n  A:D\n",
            &["A:B 3 X @ 1.335 USD", "A:C 0 USD", "A:D -4 USD"],
        ),
        (
            "2024-01-01 * \"a\"\n  A:B  3 X @ 2 USD\n  A:C  5 EUR\n  A:D\n",
            &["A:B 3 X @ 2 USD", "A:C 5 EUR", "A:D -5 EUR", "A:D -6 USD"],
        ),
        (
            "2024-01-01 * \"a\"\n  A:B  3 X {{10 USD}}\n  A:C  -10 USD\n",
            &["A:B 3 X @@ 10 USD", "A:C -10 USD"],
        ),
        (
            "2024-01-01 * \"a\"\n  A:B  4 X {2 # 1 USD}\n  A:C  -9 USD\n",
            &["A:B 4 X @@ 9 USD", "A:C -9 USD"],
        ),
        (
            "2024-01-01 * \"a\"\n  A:B  4 X @@ USD\n  A:C  -9 USD\n",
            &["A:B 4 X @@ 9 USD", "A:C -9 USD"],
        ),
        (
            "2024-01-01 * \"a\"\n  A:B  4 X {USD}\n  A:C  -9 USD\n",
            &["A:B 4 X @@ 9 USD", "A:C -9 USD"],
        ),
        (
            "2024-01-01 * \"a\"\n  A:B  1.005 USD\n  A:C  -1.00 USD\n",
            &["A:B 1.005 USD", "A:C -1 USD"],
        ),
    ] {
        assert_eq!(postings(text), expected, "{text}");
    }
}

#[test]
fn reductions_take_the_cost_of_their_lots() {
    for (sale, expected) in [
        ("A:S  -5 X {10.00 USD}\n", &["A:S -5 X @ 10 USD", "A:C 50 USD"][..]),
        ("A:S  -2 X {\"b\"} @ 20 USD\n", &["A:S -2 X @ 12 USD", "A:C 24 USD"]),
        ("A:S  -2 X {2024-01-02}\n", &["A:S -2 X @ 12 USD", "A:C 24 USD"]),
        ("A:S  -10 X {}\n", &["A:S -5 X @ 10 USD", "A:S -5 X @ 12 USD", "A:C 110 USD"]),
    ] {
        let text = format!("{BUY}2024-01-03 * \"sell\"\n  {sale}  A:C\n");
        assert_eq!(postings(&text).get(4..).unwrap(), expected, "{sale}");
    }
    for (sale, expected) in [
        (
            "A:S  -5 X {}",
            "line 8, column 3: several lots match the cost: state the cost, the date or the \
             label of one",
        ),
        (
            "A:S  -5 X {11 USD}",
            "line 8, column 3: no lot of the account matches the cost, or the lots are too small",
        ),
        (
            "A:S  -11 X {}",
            "line 8, column 3: several lots match the cost: state the cost, the date or the \
             label of one",
        ),
    ] {
        let text = format!("{BUY}2024-01-03 * \"sell\"\n  {sale}\n  A:C\n");
        assert_eq!(postings(&text).last().unwrap(), expected, "{sale}");
    }
    for (method, first) in [
        ("FIFO", "A:S -5 X @ 10 USD"),
        ("LIFO", "A:S -5 X @ 12 USD"),
        ("HIFO", "A:S -5 X @ 12 USD"),
    ] {
        let text = format!(
            "2024-01-01 open A:S X \"{method}\"\n{BUY}2024-01-03 * \"sell\"\n  A:S  -7 X {{}}\n\
             \x20 A:C\n"
        );
        assert_eq!(postings(&text).get(4).unwrap(), first, "{method}");
    }
}

#[test]
fn pads_make_what_balances_need() {
    let text = "2024-01-01 pad A:B E:O\n2024-01-05 * \"a\"\n  A:B:C  5.00 USD\n  A:X\n\
                2024-01-06 balance A:B  12.00 USD\n2024-01-07 balance A:B  3.00 EUR\n\
                2024-01-08 balance A:B  12.02 USD\n2024-01-09 balance A:B  12.5 ~ 0.5 USD\n";
    assert_eq!(
        postings(text),
        [
            "A:B 7 USD",
            "E:O -7 USD",
            "A:B 3 EUR",
            "E:O -3 EUR",
            "A:B:C 5 USD",
            "A:X -5 USD",
            "line 7, column 1: the balance is 12, and not 12.02 as asserted",
        ]
    );
    let journal = read(text);
    assert_eq!(journal.directives.len(), 5, "the pad and the balances");
}

/// The figures are those of beancount 3.
#[test]
fn pads_of_parents_and_children() {
    // The balance of a child is compared with the sum of a padded parent.
    let text = "2024-01-01 pad A:B E:O\n2024-01-01 pad A:B:C E:P\n2024-01-02 * \"a\"\n  \
                A:B:C  5 USD\n  A:X\n2024-01-03 balance A:B:C  8 USD\n";
    assert_eq!(
        postings(text),
        ["A:B 3 USD", "E:O -3 USD", "A:B:C 3 USD", "E:P -3 USD", "A:B:C 5 USD", "A:X -5 USD",]
    );
    // A later pad of an account replaces the earlier one, and allows another padding.
    let text = "2024-01-01 pad A:B E:O\n2024-01-02 balance A:B  1 USD\n2024-01-03 pad A:B E:P\n\
                2024-01-04 balance A:B  3 USD\n2024-01-05 balance A:B  4 USD\n";
    assert_eq!(
        postings(text),
        [
            "A:B 1 USD",
            "E:O -1 USD",
            "A:B 2 USD",
            "E:P -2 USD",
            "line 5, column 1: the balance is 3, and not 4 as asserted",
        ]
    );
    // On one day a balance comes before entries and pads, whatever their order in the file.
    for day in [
        "2024-01-02 * \"a\"\n  A:B  5 USD\n  A:X\n2024-01-02 balance A:B  0 USD\n",
        "2024-01-02 balance A:B  0 USD\n2024-01-02 * \"a\"\n  A:B  5 USD\n  A:X\n",
    ] {
        assert_eq!(postings(day), ["A:B 5 USD", "A:X -5 USD"], "{day}");
    }
}

#[test]
fn all_fields_survive_packing() {
    let text = "pushtag #t\n2024-01-01 ! \"Payee\" \"note\" #a ^link\n  key: \"v\"\n  ! A:S  5 X \
                {10.00 USD, 2023-12-31, \"lot\"} @ 11.00 USD\n    item: \"bread\"\n  \
                A:C  -50.00 USD\n  A:D  0 USD\n  A:E\n";
    let ledger = parse::parse(text).unwrap();
    let raw = ledger.entries.iter().next().unwrap().unwrap();
    let cost = raw.postings[0].cost.as_ref().unwrap();
    assert_eq!(cost.lot.label.as_deref(), Some("lot"));
    assert_eq!(raw.postings[0].price.as_ref().unwrap().currency, "USD");
    assert!(raw.postings[3].number.is_none() && raw.postings[3].currency.is_none());
    let [entry] = entries(&read(text));
    assert_eq!((entry.mark, entry.payee.as_deref()), (Mark::Pending, Some("Payee")));
    assert_eq!((entry.links.len(), entry.tags.len()), (1, 3));
    let posting = &entry.postings[0];
    assert_eq!(posting.mark, Mark::Pending);
    let (cost, price) = (posting.cost.as_ref().unwrap(), posting.price.as_ref().unwrap());
    assert_eq!(cost.lot.as_ref().unwrap().date.map(|day| day.year()), Some(2023));
    assert_eq!(price.quantity.amount.to_string(), "11");
    assert_eq!(entry.postings[1].quantity.as_ref().unwrap().amount.to_string(), "-50");
}

#[test]
fn entries_with_faults_are_refused_alone() {
    let good = "2024-02-01 * \"b\"\n  A:B  1 USD\n  A:C\n";
    for (text, expected) in [
        (
            "2024-01-01 * \"a\"\n  A:B  5.00 USD\n  A:C  -4.00 USD\n",
            "line 1, column 1: the postings do not sum to zero: 1 is left",
        ),
        (
            "2024-01-01 * \"a\"\n  A:B\n  A:C\n",
            "line 3, column 3: more than one posting has no amount",
        ),
        ("2024-01-32 open A:B\n", "line 1, column 1: invalid date \"2024-01-32\""),
        ("2024-01-01 what A:B\n", "line 1, column 12: the line \"what\" is not part of a record"),
        (
            "2024-01-01 * \"a\"\n  A:B  5.00 USD }\n",
            "line 2, column 17: the line \"}\" is not part of a record",
        ),
    ] {
        let expected = [text_of(good), vec![expected.to_owned()]].concat();
        assert_eq!(postings(&format!("{text}{good}")), expected, "{text}");
    }
    let problem = super::read(b"include \"x.beancount\"\n").unwrap_err();
    let expected = "line 1, column 1: the directive \"include \"x.beancount\"\" is not accepted";
    assert_eq!(problem.to_string(), expected);
}

fn text_of(text: &str) -> Vec<String> {
    postings(text)
}

#[test]
fn declarations_and_metadata_are_read() {
    let journal = read(
        "option \"title\" \"Home\"\noption \"name_assets\" \"Aktiva\"\npushtag #trip\n\
         pushmeta source: \"bank\"\n\
         2023-01-01 open Aktiva:Bank EUR,USD \"FIFO\"\n  iban: \"DE\"\n\
         2023-02-01 note Aktiva:Bank \"called\"\n2023-02-02 note Aktiva:Bank \"again\"\n\
         2024-12-31 close Aktiva:Bank\n2024-01-01 price AAPL 180.50 USD\n\
         2024-01-02 event \"place\" \"Oslo\"\n2024-01-03 custom \"x\" TRUE\nplugin \"p\"\n\
         2024-01-04 ! \"Shop\" \"food\" #a ^inv-1\n  ref: 12\n  #b\n  ! Aktiva:Bank  -5 EUR\n\
         \x20   item: \"bread\"\n  Expenses:Food\npoptag #trip\npopmeta source:\n\
         2024-01-05 txn \"x\"\n",
    );
    assert_eq!(journal.refused, []);
    assert_eq!(journal.title.as_deref(), Some("Home"));
    let bank = &journal.accounts[0];
    let pair = |name: &str, value: &str| (name.to_owned(), value.to_owned());
    assert_eq!((bank.kind.as_deref(), bank.is_closed), (Some("A"), true));
    assert_eq!(
        bank.facts,
        [
            pair("opened", "2023-01-01"),
            pair("currencies", "EUR,USD"),
            pair("booking", "FIFO"),
            pair("note", "2023-02-01 called\n2023-02-02 again"),
            pair("closed", "2024-12-31"),
        ]
    );
    assert_eq!(bank.tags, [pair("iban", "DE")]);
    assert_eq!(journal.prices.len(), 1);
    let kept: Vec<&str> = journal.directives.iter().map(|kept| kept.written.as_str()).collect();
    assert_eq!(
        kept,
        ["2024-01-02 event \"place\" \"Oslo\"", "2024-01-03 custom \"x\" TRUE", "plugin \"p\""]
    );
    let [entry, other] = entries(&journal);
    assert_eq!(entry.description, "Shop | food");
    assert_eq!((entry.payee.as_deref(), entry.note.as_deref()), (Some("Shop"), Some("food")));
    assert_eq!(entry.links, ["inv-1"]);
    let tags =
        [pair("a", ""), pair("trip", ""), pair("ref", "12"), pair("b", ""), pair("source", "bank")];
    assert_eq!(entry.tags, tags);
    assert_eq!(entry.postings[0].tags, [pair("item", "bread")]);
    assert_eq!(entry.postings[0].mark, Mark::Pending);
    assert_eq!((other.description.as_str(), other.tags.len()), ("x", 0));
    assert_eq!(journal.warnings.len(), 1, "the plugin");
}
