//! The readers of whole books: journals, exports of Daybook, and archives; and old workbooks.

use std::collections::BTreeSet;

use daybook_domain::instant::Instant;
use daybook_interchange::plan::{self, VirtualPostings};
use daybook_interchange::read::archive::{self, LINES, Unpacker};
use daybook_interchange::read::journal::Journal;
use daybook_interchange::read::jsonl::{self, Item};
use daybook_interchange::read::problem::Problem;
use daybook_interchange::read::{beancount, gnucash};
use daybook_interchange::write::zip::{Archive, Method};

use super::statements;

pub(super) const BEANCOUNT: &[&str] = &[
    "option \"operating_currency\" \"EUR\"\n",
    "2026-01-01 open Assets:Bank EUR\n2026-01-01 open Expenses:Food\n",
    "2026-01-02 * \"Shop\" \"x\" #tag ^link\n  a: \"b\"\n  Assets:Bank  -5 EUR\n  Expenses:Food\n",
    "2026-01-03 ! \"\"\n  A:Stock  2 ABC {10 EUR, 2026-01-03, \"l\"} @@ 21 EUR\n  A:Bank\n",
    "2026-01-04 balance Assets:Bank  (1+2)*3 ~ 0.1 EUR\n",
    "2026-01-05 pad Assets:Bank Equity:Opening\n",
    "pushtag #a\npoptag #a\npushmeta k: 1\n",
    "2026-01-06 close Assets:Bank\n",
    "include \"x\"\nplugin \"y\"\n",
    "{*}",
    "\"",
    "((((",
    "/0 ",
    "9999999999999999999999",
];

pub(super) const GNUCASH: &[&str] = &[
    "<gnc-v2><gnc:book><gnc:account><act:name>Bank</act:name><act:id>a</act:id>",
    "<act:type>BANK</act:type></gnc:account>",
    "<act:commodity><cmdty:space>CURRENCY</cmdty:space><cmdty:id>EUR</cmdty:id></act:commodity>",
    "<gnc:transaction><trn:date-posted><ts:date>2026-01-02 10:59:00 +0000</ts:date>",
    "</trn:date-posted><trn:splits><trn:split><split:value>500/100</split:value>",
    "<split:quantity>1/0</split:quantity><split:account>a</split:account></trn:split>",
    "</trn:splits></gnc:transaction>",
    "<act:parent>a</act:parent>",
    "</gnc:book></gnc-v2>",
    "&amp;",
    "<!DOCTYPE a>",
];

pub(super) const JSON_LINES: &[&str] = &[
    "{\"daybook\":{\"version\":1,\"exportedAt\":\"1\",\"scale\":2,\"book\":{\"id\":\"b\",\
     \"name\":\"Home\",\"fractionDigits\":2}}}\n",
    "{\"group\":{\"id\":\"1\",\"name\":\"Assets\"}}\n",
    "{\"account\":{\"id\":\"2\",\"name\":\"B\",\"type\":\"ASSET\",\"groups\":[{\"id\":\"1\"}]}}\n",
    "{\"file\":{\"id\":\"3\",\"name\":\"r.pdf\",\"size\":7,\"sha256\":\"00\"}}\n",
    "{\"transaction\":{\"id\":\"4\",\"draft\":true,\"files\":[{\"id\":\"3\"}]}}\n",
    "{\"transaction\":{\"id\":\"5\",\"date\":\"2026-01-02\",\"amount\":\"1.00\",\
     \"creditAccount\":{\"id\":\"2\"}}}\n",
    "{\"end\":{\"groups\":1,\"accounts\":1,\"files\":1,\"transactions\":1,\"drafts\":1,\
     \"amount\":\"0.00\"}}\n",
    "{\"future\":[]}\n",
    "\"trashed\":true,",
    "{",
    "}",
];

/// Pairs of a position and a byte that are changed in a binary file.
pub(super) const CHANGES: &[&str] = &[
    "\u{0}\u{0}",
    "\u{1e}\u{ff}",
    "\u{30}\u{1}",
    "\u{4c}\u{7f}",
    "\u{200}\u{9}",
    "\u{400}\u{ff}",
    "\u{a00}\u{2}",
    "\u{1000}\u{80}",
    "\u{17ff}\u{fe}",
];

const XLS: &[u8] = include_bytes!("../../../crates/interchange/tests/cases/B1-xls/input");

/// Reads a journal of beancount, and plans its books.
pub(super) fn beancount(input: &str) -> Result<(), String> {
    plan_books(beancount::read(input.as_bytes()))
}

/// Reads a book of GnuCash, and plans it.
pub(super) fn gnucash(input: &str) -> Result<(), String> {
    plan_books(gnucash::read(input.as_bytes()))
}

/// Each entry of a plan has a date and at most two accounts of its book.
fn plan_books(journal: Result<Journal, Problem>) -> Result<(), String> {
    let Ok(journal) = journal else { return Ok(()) };
    let options = plan::Options {
        source: "fuzz",
        book_per_commodity: true,
        virtual_postings: VirtualPostings::OwnBook,
        ..plan::Options::default()
    };
    let Ok(planned) = plan::plan(journal, &options) else { return Ok(()) };
    for book in &planned.books {
        let names: BTreeSet<&str> = book.accounts.iter().map(|account| &*account.name).collect();
        for transaction in &book.transactions {
            let sides = [&transaction.credit, &transaction.debit].into_iter().flatten();
            let known = sides.into_iter().all(|name| names.contains(name.as_str()));
            if !known || transaction.remote_id.is_empty() {
                return Err(format!("{transaction:?} is not of its book"));
            }
        }
    }
    Ok(())
}

/// Reads an export: what was passed on is what the last line counts.
pub(super) fn json_lines(input: &str) -> Result<(), String> {
    let (mut files, mut transactions) = (0, 0);
    let mut sink = |item| match item {
        Item::File(_) => files += 1,
        Item::Transaction(_) => transactions += 1,
        Item::Header(_) | Item::Group(_) | Item::Account(_) => {}
    };
    let Ok(found) = jsonl::read(input.as_bytes(), &mut sink) else { return Ok(()) };
    if (found.files, found.transactions - found.trashed) == (files, transactions) {
        Ok(())
    } else {
        Err(format!("{found:?} of {files} files and {transactions} transactions"))
    }
}

/// Reads a workbook of 1997 with changed bytes.
pub(super) fn xls(input: &str) -> Result<(), String> {
    statements::read_workbook(&changed(XLS, input))
}

/// Reads an archive with changed bytes: a member has the size and the checksum of the directory.
pub(super) fn archive(input: &str) -> Result<(), String> {
    let mut bytes = Vec::new();
    let mut written = Archive::new(Instant::new(0));
    for (name, method) in [(LINES, Method::Deflated), ("files/a.pdf", Method::Stored)] {
        written.begin(&mut bytes, name, method);
        written.write(&mut bytes, input.as_bytes());
    }
    written.finish(&mut bytes);
    let bytes = changed(&bytes, input);
    let part = |range: std::ops::Range<u64>| {
        let start = usize::try_from(range.start).expect("a small archive");
        let end = usize::try_from(range.end).expect("a small archive");
        bytes.get(start..end).expect("a part of the archive")
    };
    let Ok(directory) = archive::locate_directory(&bytes, bytes.len() as u64) else {
        return Ok(());
    };
    let Ok(entries) = archive::read_directory(part(directory.clone()), directory.start) else {
        return Ok(());
    };
    for entry in entries {
        let Ok(data) = entry.data(part(entry.local_range())) else { continue };
        let (mut unpacker, mut out) = (Unpacker::new(entry.clone()), Vec::new());
        let mut rest = part(data);
        while let Ok(step) = unpacker.unpack(rest, &mut out, 1_000) {
            rest = rest.get(step.used..).unwrap_or_default();
            if step.used == 0 && step.unpacked == 0 {
                break;
            }
        }
        if unpacker.finish().is_ok() && out.len() as u64 != entry.size {
            return Err(format!("{entry:?} has {} bytes", out.len()));
        }
    }
    Ok(())
}

/// Changes the bytes at the positions that an input has, each followed by the value.
fn changed(bytes: &[u8], input: &str) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    let mut characters = input.chars();
    while let (Some(at), Some(value)) = (characters.next(), characters.next()) {
        let at = at as usize % bytes.len();
        bytes[at] = (value as u32 & 0xff) as u8;
    }
    bytes
}
