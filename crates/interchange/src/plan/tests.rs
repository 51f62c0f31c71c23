//! Tests of plans. The examples of `docs/import-journals.md` are cases in `tests/readers`.

use super::*;
use crate::read::journal::read;
use daybook_domain::name::Name;

fn options() -> Options<'static> {
    Options { source: "home", ..Options::default() }
}

fn planned(text: &str, options: &Options<'_>) -> Plan {
    plan(read(text.as_bytes()).unwrap(), options).unwrap()
}

fn messages(problems: &[Problem]) -> Vec<String> {
    problems.iter().map(ToString::to_string).collect()
}

#[test]
fn transactions_of_an_entry_share_its_identity() {
    let text = "2024-01-01 a\n  x  1\n  y\n\n2024-01-02 b\n  x  1\n  z  2\n  y\n\n\
                2024-01-01 a\n  x  1\n  y\n";
    let plan = planned(text, &options());
    let [first, one, two, again] = plan.books[0].transactions.as_slice() else { panic!() };
    let parts: Vec<&str> = first.remote_id.split(':').collect();
    assert_eq!((parts[0], parts[1].len(), parts[2]), ("home", 34, "1"));
    assert!(!first.properties.contains_key("entry_id"), "an entry of one transaction");
    let entry_id = &one.properties["entry_id"];
    assert_eq!(entry_id, &two.properties["entry_id"]);
    assert_eq!(one.remote_id, format!("{entry_id}:1"));
    assert_eq!(two.remote_id, format!("{entry_id}:2"));
    assert_eq!(one.properties["postings"], "x  1\n  z  2\n  y");
    assert!(!two.properties.contains_key("postings"));
    assert_eq!(again.remote_id, first.remote_id.replace("-1:", "-2:"), "an equal entry");
    let positions: Vec<u32> =
        plan.books[0].transactions.iter().map(|each| each.position.line).collect();
    assert_eq!(positions, [1, 5, 5, 10]);
    assert_eq!(plan.entries, 3);
}

#[test]
fn entries_and_refusals_come_in_the_order_of_the_file() {
    let good = |day: u32| format!("2024-01-{day:02} a\n  x  1.00\n  y\n");
    let text = ["2024-13-01 a\n", "2024-14-01 a\n", &good(2), "2024-01-03 b\n  x  0.123\n  y\n"]
        .join("")
        + &["2024-15-01 a\n", &good(1), "2024-16-01 a\n"].join("");
    let journal = read(format!("commodity 1.00\n{text}")).unwrap();
    let options = options();
    let lines: Vec<(bool, u32)> = Planner::new(journal, &options)
        .unwrap()
        .map(|planned| match planned.unwrap() {
            Planned::Entry(legs) => (true, legs[0].transaction.position.line),
            Planned::Refused(problem) => (false, problem.position.unwrap().line),
        })
        .collect();
    let (entry, refused) = (|line| (true, line), |line| (false, line));
    assert_eq!(
        lines,
        [refused(2), refused(3), entry(4), refused(8), refused(10), entry(11), refused(14)]
    );
}

#[test]
fn decimal_places_are_those_of_the_book() {
    let text = "commodity 1.00 EUR\n2024-01-01 a\n  x  1.125 EUR\n  y\n\n\
                2024-01-02 b\n  x  0.5 EUR\n  y\n\n2024-01-03 c\n  x  0.123456789 EUR\n  y\n";
    let strict = planned(text, &options());
    assert_eq!((strict.books[0].fraction_digits, strict.entries), (2, 1));
    assert_eq!(
        messages(&strict.refused),
        [
            "line 3, column 3: the amount has 3 decimal places, and the book 2",
            "line 11, column 3: the amount has 9 decimal places, and the book 2",
        ]
    );
    let raised = planned(text, &Options { raise_fraction_digits: true, ..options() });
    assert_eq!((raised.books[0].fraction_digits, raised.entries), (3, 2));
    let existing = Options { fraction_digits: Some(0), commodity: Some("EUR"), ..options() };
    assert_eq!(planned(text, &existing).entries, 0);
    let undeclared = text.replace("commodity 1.00 EUR", "");
    let plan = planned(&undeclared, &options());
    assert_eq!((plan.books[0].fraction_digits, plan.entries), (3, 2));
    let zeros = planned("2024-01-01 a\n  x  1.50 EUR\n  y\n", &options());
    assert_eq!(zeros.books[0].fraction_digits, 2, "as written");
    let large = "commodity 1.00000000\n2024-01-01 a\n  x  100000000000\n  y\n";
    assert_eq!(
        messages(&planned(large, &options()).refused),
        ["line 3, column 3: the amount is too large for a book"]
    );
}

#[test]
fn second_commodity_refuses_the_journal() {
    let text = "2024-01-01 a\n  x  1 EUR\n  y\n\n2024-01-02 b\n  x  2 USD\n  y\n\n\
                2024-01-03 c\n  x  3 EUR @ 2 GBP\n  y\n";
    let journal = read(text.as_bytes()).unwrap();
    let message = "the amount is in";
    assert_eq!(
        messages(&plan(journal.clone(), &options()).unwrap_err()),
        [
            format!("line 6, column 3: {message} \"USD\", and the book in \"EUR\""),
            format!("line 11, column 3: {message} \"GBP\", and the book in \"EUR\""),
        ]
    );
    let dollars = Options { commodity: Some("USD"), ..options() };
    assert_eq!(plan(journal, &dollars).unwrap_err().len(), 3, "those in EUR and GBP");
    let several = planned(text, &Options { book_per_commodity: true, ..options() });
    let books: Vec<(&str, &str, usize)> = several
        .books
        .iter()
        .map(|book| (book.name.as_str(), book.commodity.as_str(), book.transactions.len()))
        .collect();
    assert_eq!(
        books,
        [("Journal EUR", "EUR", 2), ("Journal USD", "USD", 1), ("Journal GBP", "GBP", 1)]
    );
    let names = |index: usize| {
        let book: &Book = &several.books[index];
        book.accounts.iter().map(|account| account.name.clone()).collect::<Vec<String>>()
    };
    assert_eq!(names(0), ["x", "y", "Conversions"]);
    assert_eq!(names(2), ["y", "Conversions"]);
}

#[test]
fn virtual_postings_have_a_book_of_their_own() {
    let text = "2024-01-01 a\n  x  1\n  y\n  (v)  2\n  [w]  3\n  [z]  -3\n";
    let own = planned(text, &options());
    let sizes: Vec<(bool, usize)> =
        own.books.iter().map(|book| (book.is_virtual, book.transactions.len())).collect();
    assert_eq!(sizes, [(false, 1), (true, 2)]);
    assert_eq!(own.books[1].name, "Journal virtual");
    let with = |virtual_postings| planned(text, &Options { virtual_postings, ..options() });
    let same = with(VirtualPostings::SameBook);
    assert_eq!((same.books.len(), same.books[0].transactions.len()), (1, 3));
    assert_eq!(same.books[0].transactions[1].description_with_hashtags(), "a #virtual");
    let without = with(VirtualPostings::LeaveOut);
    assert_eq!((without.books.len(), without.books[0].transactions.len()), (1, 1));
    let left_out = Options { virtual_postings: VirtualPostings::LeaveOut, ..options() };
    let only = planned("2024-01-01 a\n  (v)  2\n", &left_out);
    assert_eq!((only.entries, only.books[0].transactions.len()), (0, 0), "no draft");
}

#[test]
fn names_are_those_of_a_book() {
    let long = "Assets:".to_owned() + &"x".repeat(400);
    let deep = "e:".repeat(200) + "z";
    let text = format!(
        "2024-01-01 a\n  {long}  1\n  {deep}  2\n  In transit  3\n  Conversions\n\n\
         2024-01-02 b\n  Virtual  1\n  Virtual  -1\n"
    );
    let plan = planned(&text, &options());
    let book = &plan.books[0];
    for account in &book.accounts {
        assert!(Name::normalizable(&account.name).is_ok());
    }
    let by_written = |written: &str| {
        book.accounts.iter().find(|each| each.written_name.as_deref() == Some(written)).unwrap()
    };
    assert_eq!(by_written(&long).properties["written_name"], long);
    assert_eq!(by_written("In transit").name, "In transit");
    let helper = book.accounts.iter().find(|account| account.written_name.is_none()).unwrap();
    assert_eq!(helper.name, "In transit 2");
    assert_eq!(book.groups.len(), 65, "the groups of a path are limited");
}

#[test]
fn equity_is_a_group_of_its_own() {
    let text = "account Capital  ; type:E\naccount Mixed:Own  ; type:E\naccount Mixed:Bank  ; \
                type:A\n2024-01-01 a\n  Capital:Start  1\n  Mixed:Own  2\n  Mixed:Bank  3\n  \
                Retained  -6\n2024-01-02 b\n  Mixed:Bank  1\n  Equity:Opening\n";
    let plan = planned(text, &options());
    let groups: Vec<(&str, Option<&str>)> = plan.books[0]
        .groups
        .iter()
        .map(|group| (group.name.as_str(), group.parent.as_deref()))
        .collect();
    assert_eq!(groups, [("Equity", None), ("Capital", Some("Equity")), ("Mixed", None)]);
    let of = |name: &str| {
        let account = plan.books[0].accounts.iter().find(|account| account.name == name).unwrap();
        (account.kind.as_str(), account.groups.clone())
    };
    assert_eq!(of("Mixed:Own"), ("LIABILITY", vec!["Mixed".to_owned(), "Equity".to_owned()]));
    assert_eq!(of("Mixed:Bank").1, ["Mixed"]);
    assert_eq!(of("Equity:Opening").1, ["Equity"]);
    assert_eq!(
        messages(&plan.warnings),
        ["the type of the account \"Retained\" is unknown: ASSET is used"]
    );
}

#[test]
fn texts_keep_their_limits() {
    let tags: String = (0..200).map(|index| format!("t{index}:{}, ", "v".repeat(100))).collect();
    let comment = format!("  ; {}\n", "c".repeat(9_000));
    let text = format!("2024-01-01 a  ; {tags}\n{comment}  x  1\n  y\n");
    let plan = planned(&text, &options());
    let properties = &plan.books[0].transactions[0].properties;
    assert_eq!(properties["comment"].len(), 8 * 1024);
    assert_eq!(properties["tag_t199"], "v".repeat(100));
    assert_eq!(plan.warnings.len(), 3, "the comment, and the types of x and y");
    // Texts that are repeated with each transaction of an entry.
    let legs = "  x  1\n".repeat(999);
    let entry = format!("2024-01-01 {}\n{legs}  y\n\n", "d".repeat(60_000));
    let plan = planned(&entry.repeat(10), &options());
    assert!(plan.entries < 10 && !plan.refused.is_empty());
}

#[test]
fn sources_are_validated() {
    let journal = read(b"2024-01-01 a\n  x  1\n  y\n").unwrap();
    for source in ["", " a", &"x".repeat(151)] {
        let problems =
            plan(journal.clone(), &Options { source, ..Options::default() }).unwrap_err();
        assert!(messages(&problems)[0].starts_with("invalid identity of the source"));
    }
}
