//! Reports in the programs of their readers (13.4): LibreOffice calculates the workbooks, and
//! Chromium prints the pages.

use daybook_tests::decimal::try_units;
use daybook_tests::{Cast, Server, libreoffice, print};
use serde_json::{Value, json};

use crate::reports::business;

pub fn tests() -> Vec<crate::Case> {
    let calculated = crate::cases![libreoffice_calculates_the_totals_of_the_json];
    let printed =
        crate::cases![printed_statements_have_their_totals, printed_ledger_has_numbered_pages];
    let calculated = calculated.into_iter().map(|case| case.needs(libreoffice::missing));
    calculated.chain(printed.into_iter().map(|case| case.needs(print::missing))).collect()
}

const STATEMENTS: [&str; 3] = ["trial-balance", "balance-sheet", "income-statement"];

/// Amounts of several digits, which are printed with separators.
fn large_business(server: &Server) -> Cast {
    let cast = business(server);
    cast.record("2026-08-05", "1234567.89", "Sales", "Bank", "a large sale");
    cast.record("2026-08-06", "12345.05", "Bank", "Wages", "a bonus");
    cast
}

fn rows(report: &Value) -> &Vec<Value> {
    report["rows"].as_array().expect("rows")
}

/// The cells of a row; an empty one is an empty text.
fn texts(row: &Value) -> Vec<&str> {
    let cells = row["cells"].as_array().expect("cells").iter();
    cells.map(|cell| cell.as_str().expect("a cell is text")).collect()
}

fn libreoffice_calculates_the_totals_of_the_json(server: &Server) {
    let cast = large_business(server);
    for name in STATEMENTS {
        let path = format!("/reports/{name}?period=FY2026");
        let report = cast.read(&path);
        let expected = rows(&report);
        let workbook = cast.owner.download(&cast.path(&format!("{path}&format=xlsx")));
        let sheet = libreoffice::calculate(&workbook);
        let totals = expected.iter().filter(|row| row["kind"] == "total").count();
        assert!(totals > 1 && sheet.formulas >= totals, "{name}: {} formulas", sheet.formulas);
        // The title and the labels of the columns stand above.
        let above = sheet.rows.len() - expected.len();
        for (row, calculated) in expected.iter().zip(&sheet.rows[above..]) {
            let row = texts(row);
            assert_eq!(row.len(), calculated.len(), "{name}: {row:?}, {calculated:?}");
            for (cell, value) in row.iter().zip(calculated) {
                let same = match try_units(cell) {
                    Some(units) => Some(units) == try_units(value),
                    None => cell == value,
                };
                assert!(same, "{name}: {row:?} in the JSON, {calculated:?} in LibreOffice");
            }
        }
    }
}

/// Whether a printed line has the cells of a row, with separators in its amounts.
fn is_row(line: &str, row: &[&str]) -> bool {
    let mut rest = line;
    for cell in row.iter().filter(|cell| !cell.is_empty()) {
        rest = rest.trim_start();
        let Some(units) = try_units(cell) else {
            match rest.strip_prefix(cell) {
                Some(after) => rest = after,
                None => return false,
            }
            continue;
        };
        let (amount, after) = rest.split_once(' ').unwrap_or((rest, ""));
        let amount = match amount {
            "\u{2013}" => Some(0),
            amount => try_units(&amount.replace(',', "").replace('\u{2212}', "-")),
        };
        if amount != Some(units) {
            return false;
        }
        rest = after;
    }
    rest.trim().is_empty()
}

/// Asserts that the pages have the rows of these kinds.
#[track_caller]
fn assert_printed(pages: &[String], report: &Value, kinds: &[&str]) {
    let is_expected = |row: &&Value| kinds.iter().any(|kind| row["kind"] == *kind);
    let expected: Vec<Vec<&str>> = rows(report).iter().filter(is_expected).map(texts).collect();
    assert!(expected.len() > 3, "{expected:?}");
    for row in expected {
        let is_printed = pages.iter().any(|page| page.lines().any(|line| is_row(line, &row)));
        assert!(is_printed, "{row:?} is not in {pages:#?}");
    }
}

#[track_caller]
fn assert_numbered(pages: &[String]) {
    for (index, page) in pages.iter().enumerate() {
        let number = format!("Page {} of {}", index + 1, pages.len());
        assert!(page.contains(&number), "{number:?}: {page}");
    }
}

fn printed_statements_have_their_totals(server: &Server) {
    let cast = large_business(server);
    for name in STATEMENTS {
        let path = format!("/reports/{name}?period=FY2026");
        let report = cast.read(&path);
        let pages = print::print(&cast.get(&format!("{path}&format=html")).text);
        assert!(matches!(pages.len(), 1 | 2), "{name}: {} pages", pages.len());
        assert_numbered(&pages);
        assert_printed(&pages, &report, &["subtotal", "total", "result"]);
    }
}

fn printed_ledger_has_numbered_pages(server: &Server) {
    let cast = large_business(server);
    let sale = |number: u32| {
        json!({
            "date": "2026-09-01", "amount": format!("{number}.25"), "description": "a sale",
            "creditAccount": {"name": "Sales"}, "debitAccount": {"name": "Till"},
        })
    };
    let sales: Vec<Value> = (1..=150).map(sale).collect();
    cast.post("/transactions/batch", &json!({ "items": sales })).ok();
    let path = "/reports/general-ledger?period=FY2026";
    let report = cast.read(path);
    let pages = print::print(&cast.get(&format!("{path}&format=html")).text);
    assert!((6..=30).contains(&pages.len()), "{} pages for 300 entries", pages.len());
    assert_numbered(&pages);
    let heading = [&report["title"], &report["period"]["text"]].map(|part| part.as_str());
    for page in &pages {
        assert!(heading.iter().flatten().all(|part| page.contains(part)), "the heading: {page}");
    }
    // The end of the report may be alone on the last page.
    for page in &pages[..pages.len() - 1] {
        assert!(page.contains("Other account"), "the labels of the columns: {page}");
    }
    assert_printed(&pages, &report, &["subtotal", "balance"]);
}
