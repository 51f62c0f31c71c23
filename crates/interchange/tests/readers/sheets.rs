//! No workbook makes the reader need more than linear time, and no damaged archive makes it panic.

use std::io::{Cursor, Write};

use daybook_interchange::read::limits::{MAX_BYTES, MAX_RECORDS};
use daybook_interchange::read::problem::{Kind, Problem};
use daybook_interchange::read::record::Summary;
use daybook_interchange::read::rules;
use proptest::prelude::*;
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

use crate::properties::read;

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

pub(crate) fn xlsx(rows: &[u8]) -> Vec<u8> {
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

pub(crate) fn ods(tables: &[u8]) -> Vec<u8> {
    let content = [b"<a><spreadsheet>", tables, b"</spreadsheet></a>"].concat();
    archive(&[("mimetype", b"x"), ("content.xml", &content)])
}

/// A file of Excel 97 with this stream of records: the allocation table, the directory and the
/// stream, in sectors of 512 bytes.
pub(crate) fn xls(stream: &[u8]) -> Vec<u8> {
    const END: u32 = 0xffff_fffe;
    let number = |index: usize| u32::try_from(index).expect("a small file");
    let sectors = stream.len().div_ceil(512);
    let tables = (sectors + 1).div_ceil(127);
    let first = tables + 1;
    let mut next = vec![0xffff_fffd; tables];
    next.extend([END]);
    next.extend((first + 1..first + sectors).map(number).chain([END]));
    next.resize(tables * 128, u32::MAX);
    let mut bytes = vec![0xff; 512];
    bytes[..8].copy_from_slice(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1");
    bytes[30..32].copy_from_slice(&9_u16.to_le_bytes());
    let places = (0..tables).map(|table| (76 + 4 * table, number(table)));
    for (at, value) in [(48, number(tables)), (56, 0), (68, END)].into_iter().chain(places) {
        bytes[at..at + 4].copy_from_slice(&value.to_le_bytes());
    }
    bytes.extend(next.into_iter().flat_map(u32::to_le_bytes));
    let mut directory = [0; 512];
    let entry = &mut directory[128..256];
    for (at, letter) in b"Workbook".iter().enumerate() {
        entry[2 * at] = *letter;
    }
    (entry[64], entry[66]) = (18, 2);
    entry[116..120].copy_from_slice(&number(first).to_le_bytes());
    entry[120..124].copy_from_slice(&number(stream.len()).to_le_bytes());
    bytes.extend(directory);
    bytes.extend(stream);
    bytes.resize(bytes.len().next_multiple_of(512), 0);
    bytes
}

/// A record of a workbook of Excel 97.
pub(crate) fn record(kind: u16, data: &[u8]) -> Vec<u8> {
    let length = u16::try_from(data.len()).expect("a short record");
    [kind.to_le_bytes().as_slice(), length.to_le_bytes().as_slice(), data].concat()
}

/// The beginning of a stream, and its sheets at an offset behind the beginning.
pub(crate) fn sheets(count: usize, step: usize) -> Vec<u8> {
    let begin = record(0x0809, b"\0\x06");
    let behind = begin.len() + count * 12 + 4;
    let sheet = |index: usize| {
        let offset = u32::try_from(behind + index * step).expect("a small file");
        record(0x0085, &[offset.to_le_bytes(), [0; 4]].concat())
    };
    [begin, (0..count).flat_map(sheet).collect(), record(0x000a, b"")].concat()
}

/// Reads a workbook, and its first table with rules that name no header.
pub(crate) fn read_workbook(bytes: &[u8]) -> Result<Summary, Problem> {
    let rules = rules::parse("fields date, amount\n", &|_| None).expect("rules");
    let _outcome = read(bytes, Some(&rules));
    read(bytes, None)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn damaged_archives_never_panic(
        edits in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..8),
    ) {
        let mut bytes = xlsx(b"<row><c t='str'><v>Date</v></c><c s='1'><v>46024</v></c></row>");
        for (at, byte) in edits {
            let at = at.index(bytes.len());
            bytes[at] = byte;
        }
        let _outcome = read_workbook(&bytes);
    }
}

/// A quarter of a megabyte of each pattern: the suite would not end if one took quadratic time.
#[test]
fn hostile_workbooks_take_linear_time() {
    let long = |pattern: &str| pattern.repeat(256 * 1024 / pattern.len());
    for pattern in ["<row>", "<row></row>", "<c r='ZZZ9'><v>1</v></c>", "<c/>", "&a;", "<", "x"] {
        let _outcome = read_workbook(&xlsx(long(pattern).as_bytes()));
    }
    for pattern in ["<table>", "<table></table>", "<table-row>", "<p>", "<table-cell>x", "</p>"] {
        let _outcome = read_workbook(&ods(long(pattern).as_bytes()));
    }
    for pattern in
        ["<td>", "<td", "<tr>", "<table><tr><td>", "</table>", "<a '", "<!--", "<script>"]
    {
        let _outcome = read_workbook(("<html><table>".to_owned() + &long(pattern)).as_bytes());
    }
}

/// Ten thousand sheets share ten thousand records.
#[test]
fn overlapping_sheets_take_linear_time() {
    let label = record(0x0204, b"\0\0\0\0\0\0\x01\0\0x");
    let begin = record(0x0809, b"\0\x06");
    let one = [sheets(10_000, 0), begin.clone(), label.repeat(10_000)].concat();
    let _outcome = read_workbook(&xls(&one));
    let nested = [sheets(10_000, begin.len()), begin.repeat(20_000)].concat();
    let _outcome = read_workbook(&xls(&nested));
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
