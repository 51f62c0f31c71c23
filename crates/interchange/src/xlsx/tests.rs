//! Tests of the workbook, whose parts are read back as XML.

use std::io::{Cursor, Read as _};

use daybook_domain::report::{Cell, Control, Row, RowKind};

use super::*;
use crate::fixture;

fn part(workbook: &[u8], name: &str) -> String {
    let mut archive = zip::ZipArchive::new(Cursor::new(workbook)).expect("a ZIP archive");
    let mut text = String::new();
    archive.by_name(name).expect(name).read_to_string(&mut text).expect("UTF-8");
    text
}

fn sheet(report: &Report) -> String {
    part(&write(report).expect("a workbook"), "xl/worksheets/sheet1.xml")
}

/// Returns what a cell contains, between its tags.
fn cell<'a>(sheet: &'a str, name: &str) -> Option<&'a str> {
    let (_, rest) = sheet.split_once(&format!("<c r=\"{name}\""))?;
    rest.split_once('>')?.1.split("</c>").next()
}

#[test]
fn amounts_are_numbers_and_sums_are_formulas() {
    let sheet = sheet(&fixture::balance_sheet());
    assert_eq!(cell(&sheet, "B10"), Some("<v>12500</v>"), "{sheet}");
    assert_eq!(cell(&sheet, "C10"), Some("<v>-3000.5</v>"));
    let subtotal = "<f>SUBTOTAL(9,C10:C11)</f><v>-2800.50</v>";
    assert_eq!(cell(&sheet, "C12"), Some(subtotal));
    assert_eq!(cell(&sheet, "B13"), Some("<f>SUBTOTAL(9,B9:B12)</f><v>12500.00</v>"));
    assert_eq!(cell(&sheet, "D18"), Some("<f>SUBTOTAL(9,D15:D17)</f><v>15300.50</v>"));
    // Percentages are not added.
    assert_eq!(cell(&sheet, "E12"), Some("<v>-5.463</v>"));
}

#[test]
fn sum_that_excel_would_not_find_is_a_number() {
    let mut report = fixture::balance_sheet();
    report.rows[2].cells[1] = Cell::Amount(1_250_001);
    let sheet = sheet(&report);
    assert_eq!(cell(&sheet, "B12"), Some("<v>12500</v>"));
    assert_eq!(cell(&sheet, "C12"), Some("<f>SUBTOTAL(9,C10:C11)</f><v>-2800.50</v>"));
    // The subtotal is now one of the numbers above the total.
    assert_eq!(cell(&sheet, "B13"), Some("<v>12500</v>"));
}

#[test]
fn amounts_of_more_than_15_digits_are_texts_with_a_note() {
    let mut report = fixture::balance_sheet();
    let long = 10_i128.pow(20) + 1;
    report.rows[2].cells[1] = Cell::Amount(long);
    report.rows[4].cells[1] = Cell::Amount(long);
    report.controls[0].left = long;
    let workbook = write(&report).expect("a workbook");
    let strings = part(&workbook, "xl/sharedStrings.xml");
    assert!(strings.contains("<t>1000000000000000000.01</t>"), "{strings}");
    let notes = part(&workbook, "xl/comments1.xml");
    assert_eq!(notes.matches("<comment ref=").count(), 2, "{notes}");
    assert!(notes.contains("ref=\"B10\"") && notes.contains("15 digits"), "{notes}");
    let sheet = part(&workbook, "xl/worksheets/sheet1.xml");
    assert!(!sheet.contains("SUBTOTAL(9,B10:B11)") && sheet.contains("SUBTOTAL(9,C10:C11)"));
    // No formula adds what is a text.
    assert!(!sheet.contains("SUBTOTAL(9,B9:B12)"));
}

#[test]
fn texts_are_not_formulas() {
    let mut report = fixture::balance_sheet();
    for (row, start) in report.rows.iter_mut().zip(["=1+1", "+1", "-1", "@a", "http://a.example"]) {
        row.cells[0] = Cell::Text(start.to_owned());
    }
    let workbook = write(&report).expect("a workbook");
    let sheet = part(&workbook, "xl/worksheets/sheet1.xml");
    let formulas: Vec<&str> = sheet.split("<f>").skip(1).collect();
    assert!(!formulas.is_empty() && formulas.iter().all(|text| text.starts_with("SUBTOTAL(9,")));
    assert!(!sheet.contains("hyperlink"), "{sheet}");
    let strings = part(&workbook, "xl/sharedStrings.xml");
    for text in ["=1+1", "+1", "-1", "@a", "http://a.example"] {
        assert!(strings.contains(&format!("<t>{text}</t>")), "{strings}");
    }
}

#[test]
fn header_is_frozen_and_printed_on_each_page() {
    let workbook = write(&fixture::balance_sheet()).expect("a workbook");
    let sheet = part(&workbook, "xl/worksheets/sheet1.xml");
    assert!(sheet.contains("<pane xSplit=\"1\" ySplit=\"7\""), "{sheet}");
    assert!(sheet.contains("<mergeCell ref=\"B6:C6\"/><mergeCell ref=\"D6:E6\"/>"), "{sheet}");
    let header = "&amp;LMüller &amp;&amp; Sons&amp;C&amp;\"-,Bold\"Balance sheet&amp;ROn 31 Oct";
    assert!(sheet.contains(header), "{sheet}");
    let names = part(&workbook, "xl/workbook.xml");
    assert!(names.contains("'Balance sheet'!$6:$7</definedName>"), "{names}");
    assert!(names.contains("'Balance sheet'!$A$6:$E$18</definedName>"), "{names}");
}

#[test]
fn summed_rows_are_collapsible() {
    let mut report = fixture::balance_sheet();
    let sheet_of = sheet(&report);
    let level = |sheet: &str, row: u32| {
        let (_, rest) = sheet.split_once(&format!("<row r=\"{row}\"")).expect("a row");
        let (tag, _) = rest.split_once('>').expect("a tag");
        tag.split_once("outlineLevel=\"").map(|(_, rest)| rest[..1].to_owned())
    };
    let levels: Vec<Option<String>> = (8..=13).map(|row| level(&sheet_of, row)).collect();
    let levels: Vec<Option<&str>> = levels.iter().map(Option::as_deref).collect();
    assert_eq!(levels, [None, Some("1"), Some("2"), Some("2"), Some("1"), None]);
    // Excel knows seven levels; the sums of groups within are still formulas.
    let line = report.rows[2].clone();
    report.rows = vec![line.clone()];
    for depth in 1..=9 {
        report.rows.push(Row { kind: RowKind::Subtotal, sums: depth, ..line.clone() });
    }
    let deep = sheet(&report);
    assert_eq!(level(&deep, 8).as_deref(), Some("7"));
    assert!(deep.contains("SUBTOTAL(9,B8)") && deep.contains("SUBTOTAL(9,B8:B16)"), "{deep}");
}

#[test]
fn about_sheet_has_facts_and_controls() {
    let mut report = fixture::balance_sheet();
    report.controls.push(Control::of_amounts("Debits = credits", 100, 50));
    report.controls.push(Control::of_counts("Events in the chain", 7, 7));
    let workbook = write(&report).expect("a workbook");
    let strings = part(&workbook, "xl/sharedStrings.xml");
    for text in [
        "Müller &amp; Sons",
        "Posted transactions; 3 drafts left out",
        "#vat #2026",
        "Not closed after 30 September 2026",
        "2026-11-02 09:30:05 UTC",
        &report.heading.head.hash.to_string(),
        "holds",
        "does not hold",
        "A control does not hold: see the sheet About",
    ] {
        assert!(strings.contains(&format!("<t>{text}</t>")), "{text}: {strings}");
    }
    let about = part(&workbook, "xl/worksheets/sheet2.xml");
    assert_eq!(cell(&about, "B17"), Some("<v>1</v>"), "{about}");
    assert_eq!(cell(&about, "C17"), Some("<v>0.5</v>"));
    assert_eq!(cell(&about, "B18"), Some("<v>7</v>"), "a count has no decimals");
}

#[test]
fn days_and_counts_are_numbers() {
    let mut report = fixture::general_ledger();
    report.rows[1].cells[0] = Cell::Date(report.heading.until.replace_year(1899).expect("a day"));
    let workbook = write(&report).expect("a workbook");
    let sheet = part(&workbook, "xl/worksheets/sheet1.xml");
    // 5 October 2026 is day 46300 of Excel.
    assert_eq!(cell(&sheet, "A9"), Some("<v>46300</v>"), "{sheet}");
    assert_eq!(cell(&sheet, "F9"), Some("<v>1</v>"));
    let strings = part(&workbook, "xl/sharedStrings.xml");
    assert!(strings.contains("<t>1899-10-31</t>"), "Excel begins in 1900: {strings}");
}

#[test]
fn same_report_is_the_same_file() {
    let report = fixture::balance_sheet();
    assert_eq!(write(&report).expect("a workbook"), write(&report).expect("a workbook"));
    let core = part(&write(&report).expect("a workbook"), "docProps/core.xml");
    assert!(core.contains("2026-11-02T09:30:05Z"), "{core}");
}

#[test]
fn too_many_rows_are_refused() {
    let mut report = fixture::balance_sheet();
    report.rows = vec![report.rows[0].clone(); MAX_ROWS + 1];
    let refused = write(&report).expect_err("a refusal");
    assert!(matches!(refused, Error::TooManyRows { rows } if rows == MAX_ROWS + 1), "{refused}");
}
