//! Valid files with changes at a few places: no reader panics, and all that it returns has a place.

use std::io::Write as _;
use std::ops::Range;

use daybook_domain::instant::Instant;
use daybook_interchange::plan::plan;
use daybook_interchange::read::archive::{self, LINES, Unpacker};
use daybook_interchange::read::journal::{self, Journal};
use daybook_interchange::read::jsonl::{self, Item};
use daybook_interchange::read::problem::{Kind, Position, Problem};
use daybook_interchange::read::{beancount, gnucash, rules};
use daybook_interchange::write::zip::{Archive, Method};
use flate2::Compression;
use flate2::write::GzEncoder;
use proptest::prelude::*;
use proptest::sample::{Index, select};
use proptest::test_runner::{TestError, TestRunner};

use crate::plans::all;
use crate::properties::{check_place, check_problem, read};
use crate::sheets::{ods, read_workbook, record, sheets, xls, xlsx};

const RULES: &[u8] = include_bytes!("../cases/51-rules-conditions/rules");
const RECORDS: &[u8] = include_bytes!("../cases/51-rules-conditions/input");
const LINES_OF_BOOK: &[u8] = include_bytes!("../journals/export.jsonl");
const GNUCASH: &[u8] = include_bytes!("../journals/sample.gnucash");

/// Pieces of files of all formats.
const PIECES: &[&str] = &[
    "\n",
    "\r\n",
    " ",
    "\t",
    "\0",
    "\u{7f}",
    "\u{e9}",
    "\u{feff}",
    "\u{2212}",
    "\"",
    "'",
    "<",
    ">",
    "-",
    "0.001",
    "1.234,50",
    "2026-02-30",
    "02/01/2026",
    "99999999999999999999999999999999999999999",
];

/// Pieces of XML.
const XML: &str = "<a> </a> <a/> </ <!-- --> <![CDATA[ ]]> <!DOCTYPE <?a?> &amp; &a; &#0; a=''";

/// Beginnings of records of Excel 97.
const XLS: &str = "\u{9}\u{8}\u{2}\0\0\u{6} \u{a}\0\0\0 \u{4}\u{2}\u{a}\0 \u{3}\u{2}\u{e}\0 <\0\0 \
                   \u{7}\u{2}\u{5}\0 \u{6}\0\u{e}\0 \u{7e}\u{2}\u{a}\0 \u{5}\u{2}\u{8}\0 \"\0\u{2}";

const JSON: &str = "{ } [ ] , : \\ \\u0000 \\ud800 null true 1e999 \"id\": \"id\":\"21\", \
                    \"trashed\":true, \"draft\":true, \"scale\":99,";

const ZIP: &str = "PK\u{1}\u{2} PK\u{3}\u{4} PK\u{5}\u{6} \u{1}\0";

/// A reader with a valid file, and pieces of its format.
struct Reader {
    name: &'static str,
    file: Vec<u8>,
    /// Words, with blanks between them.
    pieces: &'static str,
    /// Reads a file, checks all places, and returns the number of records.
    read: fn(&[u8]) -> Result<usize, Problem>,
}

fn reader(
    name: &'static str,
    file: &[u8],
    pieces: &'static str,
    read: fn(&[u8]) -> Result<usize, Problem>,
) -> Reader {
    Reader { name, file: file.to_vec(), pieces, read }
}

fn readers_of_statements() -> Vec<Reader> {
    vec![
        reader(
            "CSV",
            include_bytes!("../cases/19-quotes-and-newlines/input"),
            "Date Text Amount Balance Saldo ; , \"\" (5) 5- EUR sep=; 45321",
            statements,
        ),
        reader(
            "rules",
            RULES,
            "if & && ! %1 \\1 ( [ fields skip end amount2-in account1 separator",
            rules_file,
        ),
        reader("CSV with rules", RECORDS, ", \"\" SHOP last", |file| {
            let rules = rules::parse(std::str::from_utf8(RULES).expect("a text"), &|_| None);
            read(file, Some(&rules.expect("rules"))).map(|summary| summary.detection.records)
        }),
        reader(
            "OFX 1",
            include_bytes!("../cases/71-ofx-one-line-header/input"),
            "<OFX> <STMTTRN> </STMTTRN> <TRNAMT>-1,5 <FITID>F1 <DTPOSTED>0 [-3:GMT] <STMTRS> \
             </STMTRS> <BALAMT>1 <LEDGERBAL> <NAME>&caf; <MEMO> CHARSET:1252 <CCACCTFROM>",
            statements,
        ),
        reader(
            "OFX 2",
            include_bytes!("../cases/73-ofx-2/input"),
            "<STMTTRN> </STMTTRN> <STMTTRNP> <CCSTMTRS> </CCSTMTRS> <TRNAMT> <![CDATA[ ]]> &a;",
            statements,
        ),
        reader(
            "QIF",
            include_bytes!("../cases/22-qif-splits-with-transfers/input"),
            "^ !Account !Type:Bank !Type:Invst !Type:Cat D31/1'26 T1 $-1 $ SFood S[Savings] N D \
             L[Savings] L[Checking] [ ] E",
            statements,
        ),
        reader(
            "CAMT",
            include_bytes!("../cases/23-camt-batch/input"),
            "<Ntry> </Ntry> <TxDtls> </TxDtls> </Stmt> <Bal> OPBD DBIT <RvslInd>true</RvslInd> \
             <Chrgs/> <Sts><Cd>PDNG</Cd></Sts> Ccy='' <Amt> </Amt> <!DOCTYPE &a; <![CDATA[ </",
            statements,
        ),
        reader(
            "MT940",
            include_bytes!("../cases/94-mt940-several-statements/input"),
            ":20: :25: :60F: :62F: :61: :86: :86:166?20x?32y /NAME/x/ RC D C20,NTRF 2602300230 // \
             {4: -}",
            statements,
        ),
        reader(
            "XLSX",
            b"<row><c t='str'><v>Date</v></c><c t='str'><v>Amount</v></c></row>\
              <row r='7'><c r='A7' s='1'><v>46024.5</v></c><c r='B7'><v>-1E-3</v></c></row>",
            "<row> </row> <c> </c> r='ZZZ9' r='A' t='s' t='e' t='inlineStr' s='9' <v> </v> 1e400 \
             &a; </",
            |cells| workbook(&xlsx(cells)),
        ),
        reader(
            "ODS",
            b"<table name='S'><table-row><table-cell><p>Date</p></table-cell><table-cell><p>Amount\
              </p></table-cell></table-row><table-row number-rows-repeated='2'><table-cell \
              value-type='date' date-value='2026-01-02'/><table-cell value-type='float' \
              value='-1.5'/></table-row></table>",
            "<table> </table> <table-row> </table-row> <table-cell> <table-cell/> </table-cell> \
             <p> </p> <annotation> </annotation> <s/> &a; </ repeated='99'",
            |tables| workbook(&ods(tables)),
        ),
        reader("XLS", &sheet_of_1997(), XLS, |stream| workbook(&xls(stream))),
        reader("compound file", include_bytes!("../cases/B1-xls/input"), "\0\0\0\0", workbook),
        reader(
            "HTML",
            include_bytes!("../cases/C8-html-without-ends/input"),
            "<table> </table> <tr> <td> </td> <td/> colspan=9 rowspan=9 <th <br> <!-- --> <script> \
             </script> <style> &nbsp; &a; &#0; =' </",
            statements,
        ),
    ]
}

fn readers_of_books() -> Vec<Reader> {
    vec![
        reader(
            "hledger",
            include_bytes!("../journals/features.journal"),
            "= == =* @ @@ { } ( ) [ ] ; : * ! | $ EUR ~ P alias account commodity apply \
             date:2026-01-01",
            |file| journal::read(file).map(|journal| check_journal(&journal)),
        ),
        reader(
            "beancount",
            include_bytes!("../journals/features.beancount"),
            "{ } {{ }} @ @@ # ^ * ! ~ ( ) / , \"\" open close pad balance pushtag poptag txn USD \
             Assets:Bank",
            |file| beancount::read(file).map(|journal| check_journal(&journal)),
        ),
        reader("GnuCash", GNUCASH, XML, book_of_gnucash),
        reader("GnuCash in gzip", GNUCASH, XML, |file| book_of_gnucash(&gzip(file))),
        reader("gzip", &gzip(GNUCASH), "\u{1f} \u{8}", book_of_gnucash),
        reader("JSON lines", LINES_OF_BOOK, JSON, lines),
        reader("JSON lines in ZIP", LINES_OF_BOOK, JSON, |file| export_archive(&zip(file))),
        reader("ZIP", &zip(LINES_OF_BOOK), ZIP, export_archive),
    ]
}

fn statements(file: &[u8]) -> Result<usize, Problem> {
    read(file, None).map(|summary| summary.detection.records)
}

fn workbook(file: &[u8]) -> Result<usize, Problem> {
    read_workbook(file).map(|summary| summary.detection.records)
}

/// Reads a file with changed rules.
fn rules_file(text: &[u8]) -> Result<usize, Problem> {
    match rules::parse(&String::from_utf8_lossy(text), &|_| None) {
        Ok(rules) => read(RECORDS, Some(&rules)).map(|summary| summary.detection.records),
        Err(problem) => {
            check_place(Position::line(problem.line));
            Ok(0)
        }
    }
}

fn book_of_gnucash(file: &[u8]) -> Result<usize, Problem> {
    gnucash::read(file).map(|journal| check_journal(&journal))
}

/// Checks the places of a journal and plans its books; returns the number of entries.
fn check_journal(journal: &Journal) -> usize {
    for entry in journal.entries.iter().map(|entry| entry.expect("an entry")) {
        check_place(entry.position);
        entry.postings.iter().for_each(|posting| check_place(posting.position));
    }
    journal.accounts.iter().for_each(|account| check_place(account.position));
    journal.directives.iter().for_each(|directive| check_place(directive.position));
    assert!(journal.refused.iter().all(|problem| problem.position.is_some()));
    journal.refused.iter().chain(&journal.warnings).for_each(check_problem);
    let _plan = plan(journal.clone(), &all());
    journal.entries.len()
}

fn lines(file: &[u8]) -> Result<usize, Problem> {
    let mut sink = |item| {
        if let Item::Transaction(transaction) = item {
            check_place(transaction.position);
        }
    };
    jsonl::read(file, &mut sink).map(|summary| summary.transactions)
}

/// Reads the lines of an archive as an import does.
fn export_archive(bytes: &[u8]) -> Result<usize, Problem> {
    let part = |range: Range<u64>| {
        let start = usize::try_from(range.start).expect("a small archive");
        let end = usize::try_from(range.end).expect("a small archive");
        bytes.get(start..end).unwrap_or_default()
    };
    let directory = archive::locate_directory(bytes, bytes.len().try_into().expect("a size"))?;
    let entries = archive::read_directory(part(directory.clone()), directory.start)?;
    let mut transactions = Err(Problem::of_file(Kind::NotAnExport));
    for entry in entries {
        let mut packed = part(entry.data(part(entry.local_range()))?);
        let (is_book, mut unpacker, mut file) =
            (entry.name == LINES, Unpacker::new(entry), Vec::new());
        loop {
            let step = unpacker.unpack(packed, &mut file, 1_000)?;
            if step.used == 0 && step.unpacked == 0 {
                break;
            }
            packed = &packed[step.used..];
        }
        unpacker.finish()?;
        if is_book {
            transactions = lines(&file);
        }
    }
    transactions
}

fn gzip(file: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(file).expect("in memory");
    encoder.finish().expect("in memory")
}

/// Packs the lines of a book as an export does.
fn zip(lines: &[u8]) -> Vec<u8> {
    let (mut out, mut archive) = (Vec::new(), Archive::new(Instant::new(0)));
    for (name, method, content) in
        [(LINES, Method::Deflated, lines), ("x/r.pdf", Method::Stored, b"content")]
    {
        archive.begin(&mut out, name, method);
        archive.write(&mut out, content);
    }
    archive.finish(&mut out);
    out
}

/// Returns the records of a workbook of Excel 97 with a header, a day and an amount.
fn sheet_of_1997() -> Vec<u8> {
    let text = |row: u8, column: u8, text: &str| {
        let length = u8::try_from(text.len()).expect("a short text");
        record(0x0204, &[&[row, 0, column, 0, 0, 0, length, 0, 0], text.as_bytes()].concat())
    };
    let number = [&[1, 0, 1, 0, 0, 0], (-1.5_f64).to_le_bytes().as_slice()].concat();
    [
        sheets(1, 0),
        record(0x0809, b"\0\x06"),
        text(0, 0, "Date"),
        text(0, 1, "Amount"),
        text(1, 0, "2026-01-02"),
        record(0x0203, &number),
        record(0x000a, b""),
    ]
    .concat()
}

/// A change at a place.
#[derive(Debug, Clone)]
enum Change {
    Insert(Vec<u8>),
    Delete(usize),
    Replace(usize, Vec<u8>),
    /// Repeats so many bytes so many times.
    Repeat(usize, usize),
}

/// Changes a file at up to seven places.
fn changed(file: Vec<u8>, pieces: &'static str) -> impl Strategy<Value = Vec<u8>> {
    let own: Vec<&str> = pieces.split(' ').filter(|piece| !piece.is_empty()).collect();
    let piece = prop_oneof![
        6 => select(own).prop_map(|piece| piece.as_bytes().to_vec()),
        3 => select(PIECES).prop_map(|piece| piece.as_bytes().to_vec()),
        1 => prop::collection::vec(any::<u8>(), 1..4),
    ];
    let change = prop_oneof![
        piece.clone().prop_map(Change::Insert),
        (1..40_usize).prop_map(Change::Delete),
        (1..12_usize, piece).prop_map(|(length, piece)| Change::Replace(length, piece)),
        (1..200_usize, 1..20_usize).prop_map(|(length, times)| Change::Repeat(length, times)),
    ];
    prop::collection::vec((any::<Index>(), change), 0..8).prop_map(move |changes| {
        let mut bytes = file.clone();
        for (at, change) in changes {
            let at = at.index(bytes.len() + 1);
            let after = |length: usize| at..bytes.len().min(at + length);
            let (replaced, piece) = match change {
                Change::Insert(piece) => (at..at, piece),
                Change::Delete(length) => (after(length), Vec::new()),
                Change::Replace(length, piece) => (after(length), piece),
                Change::Repeat(length, times) => (at..at, bytes[after(length)].repeat(times)),
            };
            bytes.splice(replaced, piece);
        }
        bytes
    })
}

#[test]
fn changed_files_never_panic() {
    let config = ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(100) };
    for Reader { name, file, pieces, read } in
        readers_of_statements().into_iter().chain(readers_of_books())
    {
        assert!(read(&file).is_ok_and(|records| records > 0), "{name}: {:?}", read(&file));
        let outcome = TestRunner::new(config.clone()).run(&changed(file, pieces), |file| {
            if let Err(problem) = read(&file) {
                check_problem(&problem);
            }
            Ok(())
        });
        if let Err(TestError::Fail(reason, file)) = outcome {
            panic!("{name}: {reason}: {}", file.escape_ascii());
        }
    }
}
