//! LibreOffice, which calculates the workbooks of reports (behaviour 13.4).
//! `tests/install-libreoffice` installs it.

use std::io::{Cursor, Read, Write};
use std::process::Command;

use zip::write::SimpleFileOptions;
use zip::{ZipArchive, ZipWriter};

use crate::guard::Folder;
use crate::hledger::cells;
use crate::unique;

/// The part of a workbook with its first sheet.
const SHEET: &str = "xl/worksheets/sheet1.xml";

/// The first sheet as CSV in UTF-8, with numbers as LibreOffice stores them.
const FIRST_SHEET_AS_CSV: &str =
    "csv:Text - txt - csv (StarCalc):44,34,76,1,,0,false,false,false,false,false,1";

/// Reports a missing LibreOffice and how to install it.
pub fn missing() -> Option<String> {
    let is_there = Command::new("soffice").arg("--version").output().is_ok();
    (!is_there).then(|| "LibreOffice is not installed: run tests/install-libreoffice".to_owned())
}

/// The first sheet of a workbook.
pub struct Sheet {
    /// The cells of each row.
    pub rows: Vec<Vec<String>>,
    /// The number of formulas.
    pub formulas: usize,
}

/// Calculates a workbook, without the results that it stores for its formulas.
#[track_caller]
pub fn calculate(workbook: &[u8]) -> Sheet {
    let name = format!("daybook-libreoffice-{}-{}", std::process::id(), unique("workbook"));
    let folder = Folder::create(std::env::temp_dir().join(name));
    let (workbook, formulas) = without_results(workbook);
    let path = folder.path().join("report.xlsx");
    std::fs::write(&path, workbook).expect("the workbook is written");
    // A profile of its own: otherwise a running LibreOffice takes the request, or refuses it.
    let profile = format!("-env:UserInstallation=file://{}/profile", folder.path().display());
    let output = Command::new("soffice")
        .args([profile.as_str(), "--headless", "--convert-to", FIRST_SHEET_AS_CSV, "--outdir"])
        .args([folder.path(), &path])
        .output()
        .expect("soffice starts");
    let errors = String::from_utf8_lossy(&output.stderr);
    // The name of the sheet is a part of the name of the file.
    let written = std::fs::read_dir(folder.path()).expect("a folder");
    let written = written
        .map(|entry| entry.expect("an entry").path())
        .find(|path| path.extension().is_some_and(|ending| ending == "csv"))
        .unwrap_or_else(|| panic!("soffice converts the workbook: {errors}"));
    let text = std::fs::read_to_string(written).expect("UTF-8");
    Sheet { rows: text.lines().map(cells).collect(), formulas }
}

/// Returns the workbook without the stored results of its first sheet, and their number.
fn without_results(workbook: &[u8]) -> (Vec<u8>, usize) {
    let mut source = ZipArchive::new(Cursor::new(workbook)).expect("a workbook is a ZIP archive");
    let mut target = ZipWriter::new(Cursor::new(Vec::new()));
    let mut formulas = 0;
    for index in 0..source.len() {
        let mut part = source.by_index(index).expect("a part");
        if part.name().expect("a name") != SHEET {
            target.raw_copy_file(part).expect("a copy");
            continue;
        }
        let mut sheet = String::new();
        part.read_to_string(&mut sheet).expect("a sheet is UTF-8");
        let mut pieces = sheet.split("</f><v>");
        let mut stripped = pieces.next().unwrap_or_default().to_owned();
        for piece in pieces {
            let (_, rest) = piece.split_once("</v>").expect("a result ends");
            stripped.push_str("</f>");
            stripped.push_str(rest);
            formulas += 1;
        }
        target.start_file(SHEET, SimpleFileOptions::default()).expect("a part");
        target.write_all(stripped.as_bytes()).expect("a sheet");
    }
    (target.finish().expect("a workbook").into_inner(), formulas)
}
