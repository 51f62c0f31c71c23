//! No input makes a reader panic, lose a record or need more than linear time.

use daybook_interchange::read::limits::MAX_RECORDS;
use daybook_interchange::read::options::Options;
use daybook_interchange::read::problem::{Kind, Problem};
use daybook_interchange::read::record::{Item, Summary};
use daybook_interchange::read::{csv, rules, statements};
use proptest::prelude::*;

/// Reads a file and checks what holds for all files.
fn read(bytes: &[u8], rules: Option<&rules::Rules>) -> Result<Summary, Problem> {
    let (mut records, mut skipped, mut refused) = (0, 0, 0);
    let mut last = None;
    let mut sink = |item| match item {
        Item::Record(record) => {
            records += 1;
            assert!(record.position.line > 0 && record.position.column > 0);
            let legs = record.legs.iter().filter(|leg| leg.currency.is_none());
            let sum = legs.clone().try_fold(Default::default(), |sum, leg| {
                daybook_interchange::read::amount::SignedAmount::checked_add(sum, leg.amount)
            });
            if legs.count() > 0 && record.legs.iter().all(|leg| leg.currency.is_none()) {
                assert_eq!(sum, Some(record.amount), "{record:?}");
            }
            last = record.date.max(last);
        }
        Item::Skipped(_) => skipped += 1,
        Item::Refused(problem) => {
            refused += 1;
            assert!(problem.position.is_some(), "{problem}");
        }
    };
    let summary = statements(bytes, rules, &Options::default(), &mut sink)?;
    assert_eq!(summary.detection.records, records);
    assert_eq!((summary.skipped, summary.refused), (skipped, refused));
    let counts = summary.statements.iter().map(|statement| statement.records);
    assert_eq!(counts.sum::<usize>(), records);
    assert_eq!(summary.detection.days.map(|(_, last)| last), last);
    Ok(summary)
}

const CSV: &[&str] = &[
    "Date,Text,Amount\n",
    "Datum;Text;Betrag;Saldo\n",
    "2026-01-02",
    "3/4/26",
    "45321",
    ",",
    ";",
    "\t",
    "\n",
    "\r\n",
    "\"",
    "\"\"",
    "-1,50",
    "1.234",
    "(5)",
    "EUR",
    "Saldo",
    "\u{feff}",
    " ",
    "\u{e9}",
    "\u{0}",
    "sep=;\n",
    "x",
];

const RULES: &[&str] = &[
    "skip 1\n",
    "fields date, text, amount, other\n",
    "account1 bank\n",
    "account2 %text\n",
    "amount -%amount\n",
    "amount1 %3\n",
    "amount2-in %4\n",
    "amount3 1\n",
    "currency %9\n",
    "if x\n",
    "if\n",
    "x|y\n",
    "& %text z\n",
    "! (a)(b)?\n",
    "  account3 \\1 %(date)\n",
    "  skip 2\n",
    "  end\n",
    "if,account2\n",
    "x,y\n",
    "\n",
    "# note\n",
    "date-format %d.%m.%y\n",
    "newest-first\n",
    "decimal-mark ,\n",
    "balance %4\n",
    "separator ;\n",
    "header Date,Text\n",
    "require %1 .\n",
    "status %2\n",
    "%",
    "\\",
    "encoding utf-16\n",
];

const OFX: &[&str] = &[
    "<OFX>",
    "OFXHEADER:100\nVERSION:102\n",
    "<STMTRS>",
    "</STMTRS>",
    "<STMTTRN>",
    "</STMTTRN>",
    "<STMTTRNP>",
    "<BANKTRANLIST>",
    "<BANKTRANLISTP>",
    "<TRNAMT>",
    "-1.50",
    "1,234",
    "<DTPOSTED>",
    "20260110",
    "000000",
    "<FITID>",
    "<NAME>",
    "A & B",
    "&eacute;",
    "&#",
    "<",
    ">",
    "</",
    "<MEMO/>",
    "<PAYEE>",
    "<LEDGERBAL>",
    "<BALAMT>",
    "<DTASOF>",
    "<ACCTID>",
    "<BANKACCTFROM>",
    "<INVTRAN>",
    "<![CDATA[",
    "]]>",
    "\n",
    "\u{e9}",
    "CHARSET:1252\n",
];

const QIF: &[&str] = &[
    "!Type:Bank\n",
    "!Account\n",
    "!Type:Invst\n",
    "!Option:AutoSwitch\n",
    "NBank\n",
    "^\n",
    "D1/2'26\n",
    "D31/1/26\n",
    "T-1.50\n",
    "T1,234\n",
    "U5\n",
    "PShop\n",
    "POpening Balance\n",
    "L[Bank]\n",
    "L[Other]\n",
    "LFood\n",
    "SFood\n",
    "S[Other]\n",
    "$-1\n",
    "Enote\n",
    "CX\n",
    "?\n",
    "\n",
    "\r",
    "\u{e9}\n",
    "D\n",
];

const CAMT: &[&str] = &[
    "<Document>",
    "<BkToCstmrStmt>",
    "<Stmt>",
    "</Stmt>",
    "<Ntry>",
    "</Ntry>",
    "<Amt Ccy=\"EUR\">",
    "1.50",
    "</Amt>",
    "<CdtDbtInd>DBIT</CdtDbtInd>",
    "<RvslInd>true</RvslInd>",
    "<NtryDtls>",
    "</NtryDtls>",
    "<TxDtls>",
    "</TxDtls>",
    "<BookgDt><Dt>2026-01-02</Dt></BookgDt>",
    "<Sts>PDNG</Sts>",
    "<Bal>",
    "</Bal>",
    "<Cd>OPBD</Cd>",
    "&amp;",
    "&x;",
    "&",
    "<",
    "<!--",
    "-->",
    "<![CDATA[",
    "]]>",
    "<?xml version='1.0'?>",
    "<!DOCTYPE a>",
    "</BkToCstmrStmt>",
    "</Document>",
    "<Amt Ccy=\"EUR\">2</Amt>",
    "\u{e9}",
    "\n",
];

const MT940: &[&str] = &[
    ":20:A\n",
    ":25:DE02\n",
    ":60F:C260101EUR1,00\n",
    ":61:",
    "2601020102",
    "260230",
    "C",
    "RD",
    "1,50",
    "NTRFNONREF",
    "//B",
    "\n",
    "\r\n",
    ":86:",
    "166?00X?20EREF+1?32N",
    "/NAME/x/REMI/y",
    "?",
    "/",
    ":62F:C260131EUR2,50\n",
    "-\n",
    "-}\n",
    "{1:F01}{4:\n",
    "{4:",
    "\u{e9}",
    ":",
    "86",
];

/// Files of words of a format, and of bytes at random between them.
fn file(words: &'static [&'static str]) -> impl Strategy<Value = Vec<u8>> {
    let word = prop::sample::select(words).prop_map(|word| word.as_bytes().to_vec());
    let noise = prop::collection::vec(any::<u8>(), 0..4);
    let piece = prop_oneof![30 => word, 1 => noise];
    // The first words make the format recognizable.
    prop::collection::vec(piece, 0..60).prop_map(move |pieces| {
        let head = words.iter().take(2).flat_map(|word| word.bytes());
        head.chain(pieces.into_iter().flatten()).collect()
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn csv_never_panics(bytes in file(CSV)) {
        let _outcome = read(&bytes, None);
        if let Some(proposed) = csv::propose_rules(&String::from_utf8_lossy(&bytes)) {
            prop_assert!(rules::parse(&proposed, &|_| None).is_ok(), "{}", proposed);
        }
    }

    #[test]
    fn rules_never_panic(text in file(RULES), bytes in file(CSV)) {
        if let Ok(rules) = rules::parse(&String::from_utf8_lossy(&text), &|_| None) {
            let _outcome = read(&bytes, Some(&rules));
        }
    }

    #[test]
    fn ofx_never_panics(bytes in file(OFX)) {
        let _outcome = read(&bytes, None);
    }

    #[test]
    fn qif_never_panics(bytes in file(QIF)) {
        let _outcome = read(&bytes, None);
    }

    #[test]
    fn camt_never_panics(bytes in file(CAMT)) {
        let _outcome = read(&bytes, None);
    }

    #[test]
    fn mt940_never_panics(bytes in file(MT940)) {
        let _outcome = read(&bytes, None);
    }

    #[test]
    fn bytes_at_random_never_panic(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        let _outcome = read(&bytes, None);
    }
}

/// A quarter of a megabyte of each pattern: the suite would not end if one took quadratic time.
#[test]
fn hostile_files_take_linear_time() {
    for (head, pattern) in [
        ("Date,Text,Amount\n", "\""),
        ("Date,Text,Amount\n", "2026-01-02,\"a\n"),
        ("Date,Text,Amount\n", "2026-01-02,\"\"\"a,\n"),
        ("Date,Text,Amount\n", ","),
        ("Date,Text,Amount\n", "x"),
        ("Date,Text,Amount\n", "\u{feff}"),
        ("<OFX>", "<"),
        ("<OFX>", "<STMTTRN>"),
        ("<OFX><STMTTRN>", "<NAME>x"),
        ("<OFX><STMTTRN><TRNAMT>1<NAME>", "&"),
        ("<OFX>", "</STMTTRN>"),
        ("!Type:Bank\n", "S[x]\n$1\n"),
        ("!Type:Bank\n", "D1/2/26\nT1\n^\n"),
        ("<Document><BkToCstmrStmt><Stmt><Ntry>", "<TxDtls></TxDtls>"),
        ("<Document><BkToCstmrStmt><Stmt>", "<Ntry></Ntry>"),
        ("<Document><BkToCstmrStmt>", "&a;"),
        (":20:A\n:25:B\n", ":61:2601020102C1,NTRF\n:86:?20x\n"),
        (":20:A\n:25:B\n:61:2601020102C1,NTRF\n:86:166", "?20x"),
        (":20:A\n:25:B\n:61:2601020102C1,NTRF\n:86:", "/NAME/x"),
    ] {
        let file = head.to_owned() + &pattern.repeat(256 * 1024 / pattern.len());
        let _outcome = read(file.as_bytes(), None);
    }
}

#[test]
fn files_of_many_records_are_refused() {
    let file = "Date,Amount\n".to_owned() + &"2026-01-02,1\n".repeat(MAX_RECORDS + 1);
    let problem = read(file.as_bytes(), None).expect_err("too many records");
    assert_eq!(problem.kind, Kind::TooManyRecords);
}
