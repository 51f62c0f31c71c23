//! No journal, export or archive makes a reader panic.

use daybook_interchange::plan::{self, plan};
use daybook_interchange::read::archive::{self, Entry, Unpacker};
use daybook_interchange::read::jsonl::{self, Item};
use daybook_interchange::read::{beancount, gnucash};
use proptest::prelude::*;

use crate::properties::file;

const BEANCOUNT: &[&str] = &[
    "option \"title\" \"Home\"\n",
    "2026-01-01 open Assets:Bank EUR\n",
    "2026-01-01 open Expenses:Food\n",
    "2026-01-02 * \"Shop\" \"x\" #tag ^link\n",
    "2026-01-02 txn \"y\"\n",
    "  Assets:Bank  -5.00 EUR\n",
    "  Expenses:Food\n",
    "  Expenses:Food  5 EUR @ 1.1 USD\n",
    "  Assets:Bank  2 ABC {10 EUR, 2026-01-01, \"l\"}\n",
    "  Assets:Bank  -2 ABC {}\n",
    "  key: \"value\"\n",
    "2026-01-03 balance Assets:Bank (1+2)*-3 ~ 0.5 EUR\n",
    "2026-01-03 pad Assets:Bank Expenses:Food\n",
    "2026-01-04 close Assets:Bank\n",
    "2026-01-04 price ABC 5 EUR\n",
    "pushtag #a\n",
    "poptag #a\n",
    "* heading\n",
    "{*}",
    "\"",
    "((((",
    "\n",
    "\u{e9}",
    "-",
    "9999999999999999999999",
];

const GNUCASH: &[&str] = &[
    "<?xml version=\"1.0\"?><gnc-v2>",
    "<gnc:book>",
    "<gnc:account><act:name>Bank</act:name><act:id>a</act:id><act:type>BANK</act:type>",
    "<act:commodity><cmdty:space>CURRENCY</cmdty:space><cmdty:id>EUR</cmdty:id></act:commodity>",
    "<act:parent>a</act:parent>",
    "</gnc:account>",
    "<gnc:transaction>",
    "<trn:date-posted><ts:date>2026-01-02 10:59:00 +0000</ts:date></trn:date-posted>",
    "<trn:splits>",
    "<trn:split><split:value>500/100</split:value><split:account>a</split:account></trn:split>",
    "<split:quantity>1/0</split:quantity>",
    "<split:reconciled-state>y</split:reconciled-state>",
    "</trn:splits></gnc:transaction>",
    "</gnc:book></gnc-v2>",
    "<slot>",
    "&amp;",
    "&x;",
    "<!DOCTYPE a>",
    "<",
];

const JSON_LINES: &[&str] = &[
    "{\"daybook\":{\"version\":1,\"exportedAt\":\"1\",\"scale\":2,\"book\":{\"id\":\"b\",\
     \"name\":\"Home\",\"fractionDigits\":2}}}\n",
    "{\"group\":{\"id\":\"1\",\"name\":\"Assets\"}}\n",
    "{\"group\":{\"id\":\"6\",\"name\":\"Cash\",\"parent\":{\"id\":\"1\"}}}\n",
    "{\"account\":{\"id\":\"2\",\"name\":\"B\",\"type\":\"ASSET\",\"groups\":[{\"id\":\"1\"}]}}\n",
    "{\"file\":{\"id\":\"3\",\"name\":\"r.pdf\",\"size\":7,\"sha256\":\"00\"}}\n",
    "{\"transaction\":{\"id\":\"4\",\"draft\":true,\"amount\":\"-1.5\"}}\n",
    "{\"transaction\":{\"id\":\"5\",\"trashed\":true,\"draft\":true}}\n",
    "{\"end\":{\"groups\":1,\"accounts\":0,\"files\":0,\"transactions\":0,\"drafts\":0,\
     \"amount\":\"0\"}}\n",
    "{\"future\":[]}\n",
    "[[[[",
    "}",
    "\n",
    "\u{e9}",
];

fn options() -> plan::Options<'static> {
    plan::Options { source: "x", book_per_commodity: true, ..plan::Options::default() }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn beancount_never_panics(bytes in file(BEANCOUNT)) {
        if let Ok(journal) = beancount::read(&bytes) {
            let _plan = plan(journal, &options());
        }
    }

    #[test]
    fn gnucash_never_panics(bytes in file(GNUCASH)) {
        if let Ok(journal) = gnucash::read(&bytes) {
            let _plan = plan(journal, &options());
        }
    }

    #[test]
    fn exports_never_panic_and_are_counted(bytes in file(JSON_LINES)) {
        let mut transactions = 0;
        let mut sink = |item| transactions += usize::from(matches!(item, Item::Transaction(_)));
        if let Ok(found) = jsonl::read(&bytes, &mut sink) {
            prop_assert_eq!(found.transactions - found.trashed, transactions);
        }
    }

    #[test]
    fn archives_never_panic(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        let size = u64::try_from(bytes.len()).expect("a size");
        prop_assert!(!archive::is_export(&bytes) || bytes.len() >= archive::HEAD_BYTES);
        if let Ok(range) = archive::locate_directory(&bytes, size) {
            prop_assert!(range.end <= size);
        }
        let entries = archive::read_directory(&bytes, size).unwrap_or_default();
        entries.into_iter().for_each(|entry: Entry| {
            let mut out = Vec::new();
            let _step = Unpacker::new(entry).unpack(&bytes, &mut out, 1_000);
        });
    }
}
