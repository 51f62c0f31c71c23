//! Reports as comma-separated values (RFC 4180).
//!
//! The text is UTF-8, and its lines end with CR LF. The first line names the columns: `subject`,
//! `kind`, `depth`, and then the stable keys of the report's own columns. Each further line is a
//! row:
//!
//! | Field | Content |
//! |---|---|
//! | `subject` | The id of the account, group or transaction, if there is one |
//! | `kind` | `section`, `group`, `line`, `subtotal`, `total`, `result`, `balance` or `entry` |
//! | `depth` | The depth below the section, from 0 |
//! | `account` | Only in a general ledger: the name of the account |
//! | further fields | ISO days, RFC 3339 instants, amounts and percentages as plain decimals |
//!
//! Lines of the kinds `fact` and `control` follow the rows. Their first text column contains a fact
//! of the heading (`Period: On 31 October 2026`) or a control (`Assets =
//! liabilities + equity: 5.00 = 5.00`). **The last line has the kind `end`** and says how many
//! rows the file has; a file without it was cut short.
//!
//! **Formulas in texts.** Spreadsheets evaluate a field that begins with `=`, `+`, `-` or `@`, also
//! in quotes, when they open a CSV file ("CSV injection"). The writer does not change such texts,
//! because a program that reads the file would get other texts than the book has. Import files of
//! books that others write in with all columns as text, or use [`xlsx`](crate::xlsx), where a text
//! is never a formula.

use daybook_domain::amount::DecimalSeparator;
use daybook_domain::calendar;
use daybook_domain::report::{
    Cell, Column, ColumnKind, Control, Heading, Report, ReportKind, Row, RowKind, Subject,
};

use crate::facts::{self, Fact};
use crate::notation::{self, Notation};

/// The program that the file is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Dialect {
    /// Any program: commas between fields, and a decimal point.
    #[default]
    Standard,
    /// Excel: a byte order mark, and the decimal separator of the book.
    ///
    /// Excel expects semicolons between fields where the decimal separator is a comma, and commas
    /// where it is a point.
    Excel(DecimalSeparator),
}

impl Dialect {
    pub(crate) const fn decimal_separator(self) -> DecimalSeparator {
        match self {
            Self::Standard => DecimalSeparator::Dot,
            Self::Excel(separator) => separator,
        }
    }

    /// Writes the byte order mark, by which Excel recognizes UTF-8.
    pub(crate) fn mark(self, out: &mut Vec<u8>) {
        if self != Self::Standard {
            out.extend("\u{feff}".as_bytes());
        }
    }

    const fn delimiter(self) -> char {
        match self.decimal_separator() {
            DecimalSeparator::Dot => ',',
            DecimalSeparator::Comma => ';',
        }
    }
}

/// Writes a complete report.
#[must_use]
pub fn write(report: &Report, dialect: Dialect) -> Vec<u8> {
    let mut out = Vec::new();
    let mut writer = Writer::begin(&mut out, &report.heading, &report.columns, dialect);
    for row in &report.rows {
        writer.row(&mut out, row);
    }
    writer.finish(&mut out, &report.controls);
    out
}

/// Writes a report row by row.
#[derive(Debug)]
pub struct Writer {
    dialect: Dialect,
    notation: Notation,
    facts: Vec<Fact>,
    columns: usize,
    /// The column of facts and controls.
    text_column: usize,
    /// The account of the rows, in a general ledger.
    account: Option<String>,
    rows: u64,
}

impl Writer {
    /// Writes the names of the columns.
    pub fn begin(
        out: &mut Vec<u8>,
        heading: &Heading,
        columns: &[Column],
        dialect: Dialect,
    ) -> Self {
        dialect.mark(out);
        let mut line = Line::new(out, dialect);
        let account = (heading.kind == ReportKind::GeneralLedger).then(String::new);
        let names = ["subject", "kind", "depth"].into_iter();
        for name in names.chain(account.iter().map(|_| "account")) {
            line.field(name);
        }
        for column in columns {
            line.field(&column.key);
        }
        line.end();
        Self {
            dialect,
            notation: Notation::new(heading, dialect.decimal_separator()),
            facts: facts::all(heading),
            columns: columns.len(),
            text_column: columns
                .iter()
                .position(|column| column.kind == ColumnKind::Text)
                .unwrap_or_default(),
            account,
            rows: 0,
        }
    }

    /// Writes a row.
    pub fn row(&mut self, out: &mut Vec<u8>, row: &Row) {
        if let (Some(account), Some(name)) = (&mut self.account, account_title(row)) {
            name.clone_into(account);
        }
        let mut line = Line::new(out, self.dialect);
        line.field(&row.subject.map(subject_id).unwrap_or_default());
        line.field(row.kind.as_str());
        line.field(&row.depth.to_string());
        self.account.iter().for_each(|account| line.field(account));
        for cell in &row.cells {
            match cell {
                Cell::Empty => line.field(""),
                Cell::Text(text) => line.field(text),
                Cell::Date(day) => line.field(&calendar::format_iso(*day)),
                Cell::Instant(at) => line.field(&notation::rfc3339(*at)),
                Cell::Amount(units) => line.field(&self.notation.plain(*units)),
                Cell::Percent(tenths) => {
                    line.field(&self.notation.percent().plain(i128::from(*tenths)));
                }
                Cell::Number(number) => line.field(&number.to_string()),
            }
        }
        line.end();
        self.rows = self.rows.saturating_add(1);
    }

    /// Writes the facts of the heading, the controls, and the line that ends the file.
    pub fn finish(self, out: &mut Vec<u8>, controls: &[Control]) {
        for fact in &self.facts {
            self.remark(out, "fact", &format!("{}: {}", fact.label, fact.value));
        }
        for control in controls {
            let comparison = self.notation.comparison(control);
            self.remark(out, "control", &format!("{}: {comparison}", control.label));
        }
        self.remark(out, "end", &format!("Rows: {}", self.rows));
    }

    /// Writes a line that is not a row of the report.
    fn remark(&self, out: &mut Vec<u8>, kind: &str, text: &str) {
        let mut line = Line::new(out, self.dialect);
        line.field("");
        line.field(kind);
        line.field("");
        self.account.iter().for_each(|_| line.field(""));
        for column in 0..self.columns {
            line.field(if column == self.text_column { text } else { "" });
        }
        line.end();
    }
}

/// Returns the name of the account whose rows follow, if this row is its title.
fn account_title(row: &Row) -> Option<&str> {
    let is_title = matches!(row.kind, RowKind::Section | RowKind::Group);
    if !is_title || !matches!(row.subject, Some(Subject::Account(_))) {
        return None;
    }
    row.cells.iter().find_map(|cell| if let Cell::Text(text) = cell { Some(&**text) } else { None })
}

fn subject_id(subject: Subject) -> String {
    match subject {
        Subject::Account(id) => id.to_string(),
        Subject::Group(id) => id.to_string(),
        Subject::Transaction(id) => id.to_string(),
    }
}

/// A line being written.
pub(crate) struct Line<'a> {
    out: &'a mut Vec<u8>,
    delimiter: char,
    is_first: bool,
}

impl<'a> Line<'a> {
    pub(crate) const fn new(out: &'a mut Vec<u8>, dialect: Dialect) -> Self {
        Self { out, delimiter: dialect.delimiter(), is_first: true }
    }

    pub(crate) fn field(&mut self, text: &str) {
        if !self.is_first {
            self.out.extend(self.delimiter.encode_utf8(&mut [0; 4]).as_bytes());
        }
        self.is_first = false;
        if text.contains([self.delimiter, '"', '\r', '\n']) {
            self.out.push(b'"');
            self.out.extend(text.replace('"', "\"\"").as_bytes());
            self.out.push(b'"');
        } else {
            self.out.extend(text.as_bytes());
        }
    }

    pub(crate) fn end(self) {
        self.out.extend(b"\r\n");
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture;

    fn text(report: &Report, dialect: Dialect) -> String {
        String::from_utf8(write(report, dialect)).expect("UTF-8")
    }

    #[test]
    fn report_is_written_as_csv() {
        let expected = include_str!("golden/balance-sheet.csv").replace('\n', "\r\n");
        let written = text(&fixture::balance_sheet(), Dialect::Standard);
        assert_eq!(written, expected, "{written}");
    }

    #[test]
    fn rows_of_a_ledger_name_their_account() {
        let written = text(&fixture::general_ledger(), Dialect::Standard);
        let lines: Vec<&str> = written.lines().collect();
        assert_eq!(lines[0], "subject,kind,depth,account,date,text,debit,credit,balance,files");
        let entry = "000000000000000b,entry,0,Bank,2026-10-05,Rent of October,900.00,,1900.00,1";
        assert_eq!(lines[3], entry);
        assert!(lines[8].starts_with(",balance,0,Rent,"), "{}", lines[8]);
        assert!(lines.iter().all(|line| line.matches(',').count() >= 9), "{written}");
        assert!(lines[9].starts_with(",fact,,,,Book: "), "{}", lines[9]);
    }

    #[test]
    fn excel_gets_the_separators_of_the_book() {
        let report = fixture::balance_sheet();
        let comma = text(&report, Dialect::Excel(DecimalSeparator::Comma));
        let first = "\u{feff}subject;kind;depth;account;balance;comparison;difference;percent\r\n";
        assert!(comma.starts_with(first), "{comma}");
        assert!(comma.contains(";Bank, main;12500,00;-3000,50;15500,50;-516,5\r\n"), "{comma}");
        assert!(comma.ends_with(";end;;Rows: 11;;;;\r\n"), "{comma}");
        let dot = text(&report, Dialect::Excel(DecimalSeparator::Dot));
        assert_eq!(dot, format!("\u{feff}{}", text(&report, Dialect::Standard)));
    }

    /// Another implementation reads the same fields, whatever a text contains.
    #[test]
    fn fields_survive_a_reader() {
        let texts = ["=1+1", "a \"b\"\r\nc", "x;y,z", "\n", "-5", " padded ", "", "\"", "ß\u{0}€"];
        let mut report = fixture::balance_sheet();
        report.rows.truncate(texts.len());
        for (row, text) in report.rows.iter_mut().zip(texts) {
            row.cells[0] = Cell::Text(text.to_owned());
        }
        for (dialect, delimiter) in
            [(Dialect::Standard, b','), (Dialect::Excel(DecimalSeparator::Comma), b';')]
        {
            let written = write(&report, dialect);
            let mut reader =
                ::csv::ReaderBuilder::new().delimiter(delimiter).from_reader(written.as_slice());
            let records: Vec<::csv::StringRecord> =
                reader.records().map(|record| record.expect("a record")).collect();
            let read: Vec<&str> = records.iter().map(|record| &record[3]).collect();
            assert_eq!(&read[..texts.len()], texts);
            let last = records.last().expect("a last record");
            assert_eq!((&last[1], &last[3]), ("end", "Rows: 9"));
        }
    }

    #[test]
    fn control_of_counts_has_whole_numbers() {
        let mut report = fixture::balance_sheet();
        report.controls = vec![Control::of_counts("Events", 1_234, 1_235)];
        let written = text(&report, Dialect::Standard);
        assert!(written.contains("Events: 1,234 \u{2260} 1,235 (difference -1)"), "{written}");
    }

    #[test]
    fn control_that_fails_shows_the_difference() {
        let mut report = fixture::balance_sheet();
        report.controls[0].right += 1;
        let written = text(&report, Dialect::Standard);
        let expected = "\"Assets = liabilities + equity: 12,500.00 \u{2260} 12,500.01 (difference \
                        -0.01)\"";
        assert!(written.contains(expected), "{written}");
    }
}
