//! No input makes a reader panic, lose a record or need more than linear time.

use std::collections::BTreeMap;

use daybook_interchange::read::amount::SignedAmount;
use daybook_interchange::read::journal::{self, Side};
use daybook_interchange::read::limits::MAX_RECORDS;
use daybook_interchange::read::options::Options;
use daybook_interchange::read::problem::{Kind, Position, Problem};
use daybook_interchange::read::record::{Item, Summary};
use daybook_interchange::read::{rules, statements};
use proptest::prelude::*;

/// Reads a file and checks what holds for all files.
pub(crate) fn read(bytes: &[u8], rules: Option<&rules::Rules>) -> Result<Summary, Problem> {
    let (mut records, mut skipped, mut refused) = (0, 0, 0);
    let mut last = None;
    let mut sink = |item| match item {
        Item::Record(record) => {
            records += 1;
            check_place(record.position);
            let legs = record.legs.iter().filter(|leg| leg.currency.is_none());
            let sum = legs
                .clone()
                .try_fold(SignedAmount::ZERO, |sum: SignedAmount, leg| sum.checked_add(leg.amount));
            if !record.legs.is_empty() && legs.count() == record.legs.len() {
                assert_eq!(sum, Some(record.amount), "{record:?}");
            }
            last = record.date.max(last);
        }
        Item::Skipped(skip) => {
            skipped += 1;
            check_place(skip.position);
        }
        Item::Refused(problem) => {
            refused += 1;
            assert!(problem.position.is_some(), "{problem}");
            check_problem(&problem);
        }
    };
    let summary = statements(bytes, rules, &Options::default(), &mut sink)?;
    assert_eq!(summary.detection.records, records);
    assert_eq!((summary.skipped, summary.refused), (skipped, refused));
    let counts = summary.statements.iter().map(|statement| statement.records);
    assert_eq!(counts.sum::<usize>(), records);
    assert_eq!(summary.detection.days.map(|(_, last)| last), last);
    summary.warnings.iter().for_each(check_problem);
    Ok(summary)
}

/// Checks that lines and columns count from 1.
pub(crate) fn check_place(position: Position) {
    assert!(position.line > 0 && position.column > 0, "{position}");
}

/// Checks the place of a problem that has one.
pub(crate) fn check_problem(problem: &Problem) {
    problem.position.into_iter().for_each(check_place);
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

const JOURNAL: &[&str] = &[
    "",
    "",
    "2024-01-02 x\n",
    "2024-01-03=01-05 * (c) p | n ; a:b\n",
    "1/2 y\n",
    "  a  5\n",
    "  b  -5 EUR\n",
    "  b  $-5\n",
    "  c\n",
    "  a  -5 EUR\n",
    "  (v)  1 $\n",
    "  [w]  $2 @ 3 EUR\n",
    "  [w]\n",
    "  d  = $4\n",
    "  a  $1 ; date:2024-01-03\n",
    "  e  $-1  ; [2024-01-04]\n",
    "  a  0 == 1\n",
    "  a  1 A {2} [2024-01-01] (n) @@ 3\n",
    "; k:v\n",
    "  ; k:v, date:2024-01-07\n",
    "commodity 1.000,00 EUR\n",
    "D $1,000.00\n",
    "alias a=b\n",
    "apply account x\n",
    "end apply account\n",
    "Y2023\n",
    "~ monthly\n",
    "= a\n",
    "P 2024-01-01 A 5\n",
    "comment\n",
    "\n",
    "\u{e9}",
    "\"",
    "=",
    "  ",
    "@",
    ";",
    "(",
    "{",
    "-",
    "5",
    "a",
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
    }

    #[test]
    fn journals_never_panic_and_legs_keep_balances(bytes in file(JOURNAL)) {
        let Ok(journal) = journal::read(&bytes) else { return Ok(()) };
        for entry in journal.entries.iter().map(Result::unwrap) {
            let mut sums: BTreeMap<(Side, &str), SignedAmount> = BTreeMap::new();
            let mut add = |side, commodity, amount| {
                let sum = sums.entry((side, commodity)).or_default();
                *sum = sum.checked_add(amount).expect("small amounts");
            };
            for posting in &entry.postings {
                let quantity = posting.quantity.as_ref().expect("an amount");
                let account = Side::Account(posting.account.clone());
                add(account, quantity.commodity.as_str(), quantity.amount);
            }
            let legs = journal::legs(&entry).expect("small amounts");
            for leg in &legs {
                prop_assert!(leg.credit != leg.debit && leg.amount.magnitude().is_some());
                add(leg.credit.clone(), &leg.commodity, leg.amount);
                add(leg.debit.clone(), &leg.commodity, leg.amount.negated());
            }
            for ((side, commodity), sum) in sums {
                let is_open = matches!(side, Side::Conversions | Side::Virtual);
                prop_assert!(is_open || sum.is_zero(), "{side:?} {commodity} {sum}");
            }
        }
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
        ("<Document><BkToCstmrStmt><Stmt>", "<Ntry><RvslInd/></Ntry>"),
        ("<Document><BkToCstmrStmt>", "<Stmt></Stmt>"),
        ("<Document><BkToCstmrStmt>", "&a;"),
        (":20:A\n:25:B\n", ":61:2601020102C1,NTRF\n:86:?20x\n"),
        (":20:A\n:25:B\n:61:2601020102C1,NTRF\n:86:166", "?20x"),
        (":20:A\n:25:B\n:61:2601020102C1,NTRF\n:86:", "/NAME/x"),
        (":20:A\n:25:B\n", ":"),
    ] {
        let file = head.to_owned() + &pattern.repeat(256 * 1024 / pattern.len());
        let _outcome = read(file.as_bytes(), None);
    }
    for pattern in ["2024-01-01 a\n", "  a  1\n", "  a  1 ; a:b,\n", "x:", "alias a=b\n", "P 2024 "]
    {
        let file = "2024-01-01 a\n".to_owned() + &pattern.repeat(256 * 1024 / pattern.len());
        let _outcome = journal::read(file.as_bytes());
    }
    let digits = format!("2024-01-01 a\n  a  {}\n", "1".repeat(60_000));
    let _outcome = journal::read(digits.repeat(4).as_bytes());
}

#[test]
fn files_of_many_records_are_refused() {
    let rules = rules::parse("fields a, b\n", &|_| None).expect("rules");
    let problem = read(&b"1,1\n".repeat(MAX_RECORDS + 1), Some(&rules)).expect_err("too many");
    assert_eq!(problem.kind, Kind::TooManyRecords);
}
