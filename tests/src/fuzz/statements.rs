//! The readers of statements: no file makes one panic or lose a record.

use std::io::{Cursor, Write};

use daybook_interchange::read::amount::SignedAmount;
use daybook_interchange::read::options::Options;
use daybook_interchange::read::record::{Item, Record};
use daybook_interchange::read::{journal, rules, statements};
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

/// CSV files, and rules for them.
pub(super) const CSV: &[&str] = &[
    "Date,Text,Amount,Balance\n",
    "Datum;Text;Betrag;Saldo\n",
    "Account,Date,Payee,Notes,Category,Amount,Split_Amount,Cleared\n",
    "A,2026-01-02,B,(SPLIT INTO 2) x,,0,-3,\nA,2026-01-02,B,(SPLIT 1 OF 2) x,C,-3,0,\n",
    "B,2026-01-02,A,,,3,0,Reconciled\n",
    "2026-01-02,Shop,-1.50,10\n",
    "3/4/26;\"a \"\"b\"\"\";1.234,50;\n",
    "sep=;\n",
    "\u{feff}",
    "\"",
    ",",
    "Saldo",
];
pub(super) const RULES: &[&str] = &[
    "skip 1\n",
    "fields date, text, amount, other\n",
    "account1 bank\naccount2 %text\n",
    "amount2-in %4\namount2 -%amount\n",
    "if (a)(b)?\n& %text !x && y\n  account3 \\1\n  part 1/2\n  transfer %text\n  check yes\n",
    "if,account2,comment\nx,y,\nz,%9,\\1\n\n",
    "date-format %d.%m.%y\n",
    "decimal-mark ,\nnewest-first\naccount1-currency EUR\n",
    "header Date,Text\nrequire %text .\n",
    "encoding utf-16\nseparator ;\n",
];
pub(super) const OFX: &[&str] = &[
    "OFXHEADER:100\nCHARSET:1252\n<OFX><STMTRS><BANKTRANLIST>",
    "<STMTTRN><DTPOSTED>20260110<TRNAMT>-12.50<FITID>F1<NAME>Bolt & Nut</STMTTRN>",
    "<BANKACCTFROM><ACCTID>1</BANKACCTFROM>",
    "<LEDGERBAL><BALAMT>1,234.5<DTASOF>20260131</LEDGERBAL>",
    "</BANKTRANLIST></STMTRS>",
    "<MEMO>caf&eacute;",
    "<![CDATA[",
    "</",
];
pub(super) const QIF: &[&str] = &[
    "!Type:Bank\n",
    "!Account\nNBank\n^\n",
    "D1/17'26\nT-12.50\nPShop\nLFood\n^\n",
    "D31/1/26\nT1,234\nSFood\n$-1\nS[Bank]\n$2\n^\n",
    "L[Bank]\n",
    "!Type:Invst\n",
    "^\n",
];
pub(super) const CAMT: &[&str] = &[
    "<Document><BkToCstmrStmt><Stmt>",
    "<Ntry><Amt Ccy=\"EUR\">1.50</Amt><CdtDbtInd>DBIT</CdtDbtInd>",
    "<BookgDt><Dt>2026-01-02</Dt></BookgDt>",
    "<NtryDtls><TxDtls><Amt Ccy=\"EUR\">2</Amt></TxDtls></NtryDtls></Ntry>",
    "<Bal><Tp><CdOrPrtry><Cd>OPBD</Cd></CdOrPrtry></Tp><Amt Ccy=\"EUR\">1</Amt></Bal>",
    "<RvslInd>true</RvslInd><Sts>PDNG</Sts>",
    "</Stmt></BkToCstmrStmt></Document>",
    "&amp;",
    "<!DOCTYPE a>",
];
pub(super) const MT940: &[&str] = &[
    "{1:F01}{4:\n:20:A\n:25:DE02\n:60F:C260101EUR1,00\n",
    ":61:2601020102C1,50NTRFNONREF//B\n",
    ":86:166?00X?20EREF+1?32Name\n",
    ":86:/NAME/x/REMI/y\n",
    ":62F:C260131EUR2,50\n-}\n",
    ":61:260230RD",
];
pub(super) const JOURNAL: &[&str] = &[
    "2026-01-02=01-03 * (c) payee | note ; a:b\n  a  5 EUR\n  b\n",
    "2026-01-02 x\n  a  $1 @ 2 EUR = $4\n  [b]  -1 ; date:2026-01-03\n",
    "commodity 1.000,00 EUR\n",
    "alias a=b\napply account x\n",
    "P 2026-01-01 A 5\n~ monthly\n= a\n",
    "  c  1 A {2} [2026-01-01] @@ 3\n",
];
/// Sheets of XLSX, tables of ODS, and pages.
pub(super) const SHEET: &[&str] = &[
    "<row><c t='str'><v>Date</v></c><c t='str'><v>Amount</v></c></row>",
    "<row r='7'><c r='A7' s='1'><v>46024.5</v></c><c r='B7'><v>-1E-3</v></c></row>",
    "<row><c t='b'><v>1</v></c><c r='ZZZ1' t='e'><v>#N/A</v></c></row>",
    "</sheetData>",
    "<!DOCTYPE a>",
    "&a;",
    "<row>",
    "<c>",
];
pub(super) const TABLE: &[&str] = &[
    "<table name='S'><table-row><table-cell><p>Date</p></table-cell><table-cell><p>Amount</p>",
    "</table-cell></table-row></table>",
    "<table-row number-rows-repeated='9'>",
    "<table-cell value-type='date' date-value='2026-01-02'/>",
    "<table-cell value-type='float' value='-1.5' number-columns-repeated='99999999'/>",
    "<annotation>",
    "</table-row>",
];
pub(super) const PAGE: &[&str] = &[
    "<html><table><tr><td>Date<td>Amount",
    "<tr><td>2026-01-02<td colspan='2'>-1,50 &euro;",
    "</table>",
    "<table>",
    "<script>",
    "<!--",
    "<td a='",
    "&nbsp;",
];

/// Reads a file, also behind the words by which a format is recognized: each record is counted, and
/// has a place.
pub(super) fn statement(input: &str) -> Result<(), String> {
    ["", OFX[0], QIF[0], CAMT[0], MT940[0], PAGE[0]]
        .into_iter()
        .try_for_each(|head| read(format!("{head}{input}").as_bytes(), None))
}

/// Reads CSV with rules: the two are separated by the first blank line.
pub(super) fn csv_with_rules(input: &str) -> Result<(), String> {
    let (text, file) = input.split_once("\n\n").unwrap_or((input, "2026-01-02,a,1,x\n"));
    rules::parse(text, &|_| None).map_or(Ok(()), |rules| read(file.as_bytes(), Some(&rules)))
}

/// Reads a journal.
pub(super) fn journal(input: &str) -> Result<(), String> {
    let _journal = journal::read(input.as_bytes());
    Ok(())
}

/// Reads a sheet of an XLSX workbook.
pub(super) fn xlsx(input: &str) -> Result<(), String> {
    let sheet = format!("<worksheet><sheetData>{input}</sheetData></worksheet>");
    read_archive(&[
        ("xl/workbook.xml", "<workbook><sheets><sheet name='S' id='a'/></sheets></workbook>"),
        (
            "xl/_rels/workbook.xml.rels",
            "<r><Relationship Id='a' Type='x/worksheet' Target='s.xml'/>\
             <Relationship Id='b' Type='x/styles' Target='t.xml'/></r>",
        ),
        ("xl/t.xml", "<s><cellXfs><xf/><xf numFmtId='14'/></cellXfs></s>"),
        ("xl/s.xml", &sheet),
    ])
}

/// Reads the tables of an ODS workbook.
pub(super) fn ods(input: &str) -> Result<(), String> {
    read_archive(&[
        ("mimetype", ""),
        ("content.xml", &format!("<spreadsheet>{input}</spreadsheet>")),
    ])
}

fn read_archive(files: &[(&str, &str)]) -> Result<(), String> {
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    let options = SimpleFileOptions::default().compression_method(zip::CompressionMethod::Stored);
    for (name, content) in files {
        writer.start_file(*name, options).expect("a file in memory");
        writer.write_all(content.as_bytes()).expect("a file in memory");
    }
    read_workbook(&writer.finish().expect("a file in memory").into_inner())
}

/// Reads a workbook, and its first table with rules that name no header.
pub(super) fn read_workbook(bytes: &[u8]) -> Result<(), String> {
    let rules = rules::parse("fields date, amount\n", &|_| None).expect("rules");
    read(bytes, None)?;
    read(bytes, Some(&rules))
}

fn read(bytes: &[u8], rules: Option<&rules::Rules>) -> Result<(), String> {
    let (mut records, mut skipped, mut refused, mut unsound) = (0, 0, 0, 0);
    let mut last = None;
    let mut sink = |item| match item {
        Item::Record(record) => {
            records += 1;
            unsound += usize::from(!is_sound(&record));
            last = record.date.max(last);
        }
        Item::Skipped(_) => skipped += 1,
        Item::Refused(problem) => {
            refused += 1;
            unsound += usize::from(problem.position.is_none());
        }
    };
    let Ok(summary) = statements(bytes, rules, &Options::default(), &mut sink) else {
        return Ok(());
    };
    let counts = (summary.detection.records, summary.skipped, summary.refused);
    if counts != (records, skipped, refused) {
        return Err(format!("{counts:?} are counted of {:?}", (records, skipped, refused)));
    }
    let of_statements: usize = summary.statements.iter().map(|statement| statement.records).sum();
    if of_statements != records || summary.detection.days.map(|(_, last)| last) != last {
        return Err(format!("{:?} of {records} records until {last:?}", summary.detection));
    }
    if unsound > 0 {
        return Err(format!("{unsound} records have no place, or parts of another sum"));
    }
    Ok(())
}

/// Returns whether a record has a place, and the sum of its parts in the same currency.
fn is_sound(record: &Record) -> bool {
    let has_place = record.position.line > 0 && record.position.column > 0;
    let sum = record
        .legs
        .iter()
        .try_fold(SignedAmount::ZERO, |sum: SignedAmount, leg| sum.checked_add(leg.amount));
    let has_parts = !record.legs.is_empty() && record.legs.iter().all(|leg| leg.currency.is_none());
    has_place && (!has_parts || sum.is_none_or(|sum| sum == record.amount))
}
