//! No workbook makes the reader panic, lose a record or need more than linear time.

use std::io::{Cursor, Write};

use daybook_interchange::read::limits::{MAX_BYTES, MAX_RECORDS};
use daybook_interchange::read::problem::{Kind, Problem};
use daybook_interchange::read::{propose_rules, rules};
use proptest::prelude::*;
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

use crate::properties::{file, read};

const SHEET: &[&str] = &[
    "<row><c t=\"inlineStr\"><is><t>Date</t></is></c><c t=\"inlineStr\"><is><t>Amount</t></is>",
    "</c></row>",
    "<row>",
    "<row r=\"9\">",
    "</row>",
    "<c r=\"A1\" s=\"1\">",
    "<c r=\"ZZZZZ\" t=\"s\">",
    "<c t=\"b\">",
    "<c t=\"e\"><v>#N/A</v>",
    "</c>",
    "<v>46024</v>",
    "<v>1e-400</v>",
    "<v>-12.5</v>",
    "<v>",
    "</v>",
    "<f>A1</f>",
    "&amp;",
    "&x;",
    "<!DOCTYPE a>",
    "<!--",
    "</sheetData>",
    "\u{e9}",
];

const TABLE: &[&str] = &[
    "<table table:name=\"S\"><table-row><table-cell><p>Date</p></table-cell><table-cell>",
    "<p>Amount</p></table-cell></table-row>",
    "</table-cell></table-row>",
    "<table-row>",
    "<table-row table:number-rows-repeated=\"7\">",
    "</table-row>",
    "<table-cell office:value-type=\"date\" office:date-value=\"2026-01-02\">",
    "<table-cell office:value-type=\"float\" office:value=\"-1.5\">",
    "<table-cell table:number-columns-repeated=\"9999999\">",
    "<covered-table-cell/>",
    "</table-cell>",
    "<p>x",
    "</p>",
    "<annotation>",
    "</annotation>",
    "<table>",
    "</table>",
    "&lt;",
];

const HTML: &[&str] = &[
    "<html><table>",
    "<tr><td>Date<td>Amount<tr>",
    "<td>",
    "<th colspan=\"3\">",
    "</td>",
    "<tr>",
    "</tr>",
    "<table>",
    "</table>",
    "2026-01-02",
    "-1.50",
    "&nbsp;",
    "&",
    "<",
    ">",
    "<!--",
    "-->",
    "<script>",
    "</script>",
    "<a title='",
    "\"",
    "<br>",
    "\u{e9}",
];

/// Packs files without compression.
fn archive(files: &[(&str, &[u8])]) -> Vec<u8> {
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    let options = SimpleFileOptions::default().compression_method(zip::CompressionMethod::Stored);
    for (name, content) in files {
        writer.start_file(*name, options).expect("a file");
        writer.write_all(content).expect("its content");
    }
    writer.finish().expect("an archive").into_inner()
}

fn xlsx(rows: &[u8]) -> Vec<u8> {
    let book = b"<workbook><workbookPr date1904='1'/><sheets><sheet name='S' id='a'/></sheets>\
                 </workbook>";
    let parts = b"<R><Relationship Id='a' Type='x/worksheet' Target='s.xml'/>\
                  <Relationship Id='b' Type='x/styles' Target='t.xml'/></R>";
    let styles = b"<s><cellXfs><xf/><xf numFmtId='14'/></cellXfs></s>";
    let sheet = [b"<worksheet><sheetData>", rows, b"</sheetData></worksheet>"].concat();
    archive(&[
        ("xl/workbook.xml", book),
        ("xl/_rels/workbook.xml.rels", parts),
        ("xl/t.xml", styles),
        ("xl/s.xml", &sheet),
    ])
}

fn ods(tables: &[u8]) -> Vec<u8> {
    let content = [b"<a><spreadsheet>", tables, b"</spreadsheet></a>"].concat();
    archive(&[("mimetype", b"x"), ("content.xml", &content)])
}

/// Reads a workbook, and its first table with rules that name no header.
fn read_workbook(bytes: &[u8]) {
    let _outcome = read(bytes, None);
    let rules = rules::parse("fields date, amount\n", &|_| None).expect("rules");
    let _outcome = read(bytes, Some(&rules));
}

const XLS: &[u8] = include_bytes!("../cases/B1-xls/input");

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn xlsx_never_panics(rows in file(SHEET)) {
        read_workbook(&xlsx(&rows));
    }

    #[test]
    fn ods_never_panics(tables in file(TABLE)) {
        read_workbook(&ods(&tables));
    }

    #[test]
    fn html_never_panics(bytes in file(HTML)) {
        read_workbook(&bytes);
    }

    #[test]
    fn xls_never_panics(
        edits in prop::collection::vec((0..XLS.len(), any::<u8>()), 0..20),
        length in 0..XLS.len() * 2,
    ) {
        let mut bytes = XLS.to_vec();
        for (at, byte) in edits {
            bytes[at] = byte;
        }
        bytes.truncate(length.max(512));
        read_workbook(&bytes);
    }

    #[test]
    fn damaged_archives_never_panic(
        edits in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..8),
    ) {
        let mut bytes = xlsx(SHEET.concat().as_bytes());
        for (at, byte) in edits {
            let at = at.index(bytes.len());
            bytes[at] = byte;
        }
        read_workbook(&bytes);
    }
}

/// A quarter of a megabyte of each pattern: the suite would not end if one took quadratic time.
#[test]
fn hostile_workbooks_take_linear_time() {
    let long = |pattern: &str| pattern.repeat(256 * 1024 / pattern.len());
    for pattern in ["<row>", "<row></row>", "<c r='ZZZ9'><v>1</v></c>", "<c/>", "&a;", "<", "x"] {
        read_workbook(&xlsx(long(pattern).as_bytes()));
    }
    for pattern in ["<table>", "<table></table>", "<table-row>", "<p>", "<table-cell>x", "</p>"] {
        read_workbook(&ods(long(pattern).as_bytes()));
    }
    for pattern in
        ["<td>", "<td", "<tr>", "<table><tr><td>", "</table>", "<a '", "<!--", "<script>"]
    {
        read_workbook(("<html><table>".to_owned() + &long(pattern)).as_bytes());
    }
}

#[test]
fn large_workbooks_are_refused() {
    let problem = |bytes: &[u8]| -> Problem { read(bytes, None).expect_err("too large") };
    let text = format!("<row><c t='str'><v>{}</v></c></row>", "x".repeat(2 * 1024 * 1024));
    assert_eq!(problem(&xlsx(text.as_bytes())).kind, Kind::UnpackedTooLarge, "one text");
    let header = "<row><c t='str'><v>Date</v></c><c t='str'><v>Amount</v></c></row>";
    let many = format!(
        "<table name='S'><table-row><table-cell><p>Date</p></table-cell><table-cell><p>Amount</p>\
         </table-cell></table-row><table-row number-rows-repeated='{}'><table-cell><p>1</p>\
         </table-cell></table-row></table>",
        MAX_RECORDS + 1
    );
    assert_eq!(problem(&ods(many.as_bytes())).kind, Kind::TooManyRecords);
    let row = format!("<row>{}</row>", "<c><v>1</v></c>".repeat(1_001));
    let summary = read(&xlsx((header.to_owned() + &row).as_bytes()), None).expect("readable");
    assert_eq!(summary.refused, 1, "the row with too many cells");
    let mut bytes = xlsx(header.as_bytes());
    bytes.resize(MAX_BYTES + 1, 0);
    assert_eq!(problem(&bytes).kind, Kind::TooLarge);
}

#[test]
fn one_long_line_is_one_refused_record() {
    let file = "Date,Amount\n2026-01-02,".to_owned() + &"1".repeat(MAX_BYTES - 100);
    let summary = read(file.as_bytes(), None).expect("readable");
    assert_eq!((summary.detection.records, summary.refused), (0, 1));
}

#[test]
fn rules_are_proposed_for_tables() {
    let bytes = include_bytes!("../cases/B0-xlsx-second-sheet-has-the-header/input");
    let found = propose_rules(bytes, &Default::default()).expect("a workbook");
    let expected = "header Datum,Text,Betrag,Gepr\u{fc}ft\nfields date, column2, amount, column4\n\
                    description %column2\n";
    assert_eq!(found.as_deref(), Some(expected));
    let page = "<table><tr><td>Date<td>Amount";
    let found = propose_rules(page.as_bytes(), &Default::default()).expect("a page");
    assert_eq!(found.as_deref(), Some("header Date,Amount\nfields date, amount\n"));
    assert_eq!(propose_rules(b"<OFX>", &Default::default()), Ok(None));
}
