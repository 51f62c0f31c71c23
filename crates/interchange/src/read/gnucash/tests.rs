//! Tests of books of GnuCash.

use std::io::Write as _;

use flate2::Compression;
use flate2::write::GzEncoder;

use super::*;
use crate::read::journal::{Entry, Mark};
use daybook_domain::calendar::format_iso;

const BOOK: &[u8] = include_bytes!("../../../tests/journals/sample.gnucash");

#[test]
fn books_are_read() {
    let journal = read(BOOK).unwrap();
    assert_eq!(journal.refused.len(), 1);
    let names: Vec<(&str, Option<&str>)> = journal
        .accounts
        .iter()
        .map(|account| (account.name.as_str(), account.kind.as_deref()))
        .collect();
    assert_eq!(
        names,
        [
            ("Assets", Some("A")),
            ("Assets:Giro/1", Some("C")),
            ("Assets:Depot", Some("A")),
            ("Expenses:Food", Some("X")),
            ("Expenses", Some("X")),
            ("Opening", Some("E")),
            ("Expenses:Food (2)", Some("X")),
        ]
    );
    assert!(journal.accounts[4].is_closed);
    let entries: Vec<Entry> = journal.entries.iter().map(Result::unwrap).collect();
    let entry = &entries[0];
    assert_eq!(format_iso(entry.date), "2024-01-02", "the day of the slot");
    assert_eq!((entry.code.as_deref(), entry.comment.as_str()), (Some("7"), "weekly & more"));
    assert_eq!(entry.source_id.as_deref(), Some("t1"));
    let postings: Vec<String> = entry
        .postings
        .iter()
        .map(|posting| {
            let quantity = posting.quantity.as_ref().unwrap();
            format!("{} {} {}", posting.account, quantity.amount, quantity.commodity)
        })
        .collect();
    assert_eq!(postings, ["Assets:Giro/1 -12.5 EUR", "Expenses:Food 12.5 EUR"]);
    assert_eq!(entry.postings[0].mark, Mark::Cleared);
    assert_eq!(entry.postings[0].tags, [("reconciled_on".to_owned(), "2024-01-31".to_owned())]);
    assert_eq!(entry.postings[1].comment, "bread");
    let stock = &entries[1].postings[0];
    assert_eq!(stock.quantity.as_ref().unwrap().commodity.as_str(), "ACME");
    let cost = stock.cost.as_ref().unwrap();
    assert_eq!((cost.quantity.amount.to_string().as_str(), cost.is_total), ("450", true));
    assert_eq!(journal.prices[0].price.amount.to_string(), "180.5");
    assert_eq!(journal.commodities[0].decimals, 2);
}

#[test]
fn packed_books_are_unpacked_within_bounds() {
    let pack = |bytes: &[u8]| {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    };
    assert_eq!(read(pack(BOOK)).unwrap(), read(BOOK).unwrap());
    let bomb = pack(&vec![b' '; MAX_BYTES + 1]);
    assert_eq!(read(&bomb).unwrap_err().kind, Kind::TooLarge);
    let packed = pack(BOOK);
    let cut = packed.get(..packed.len() / 2).unwrap();
    assert_eq!(read(cut).unwrap_err().kind, Kind::InvalidGzip);
}

#[test]
fn hostile_books_are_refused() {
    for (text, expected) in [
        ("<!DOCTYPE x><gnc-v2/>", "a document type declaration is not accepted"),
        ("<gnc-v2><a>", "the file ends within an element"),
    ] {
        let message = read(text.as_bytes()).unwrap_err().to_string();
        assert!(message.contains(expected), "{message}");
    }
    let deep = "<a>".repeat(100);
    assert_eq!(read(deep.as_bytes()).unwrap_err().kind, Kind::TooDeep);
}
