//! The report of an import: a CSV table of the records and their outcomes.

use daybook_domain::calendar::format_iso;
use daybook_domain::import::OutcomeKind;

use super::document::RecordDoc;

/// A report of more records leaves out the new and the existing ones.
pub(super) const MAX_WHOLE: i64 = 100_000;

/// The largest report. Rows beyond it are left out.
const MAX_BYTES: usize = 16 * 1024 * 1024;

pub(super) struct Report {
    text: String,
    is_whole: bool,
}

impl Report {
    /// Begins the report of an import of so many records.
    pub(super) fn new(total: i64) -> Self {
        let header =
            "record,line,outcome,reason,date,amount,description,from,to,remote_id,original\r\n";
        Self { text: header.to_owned(), is_whole: total <= MAX_WHOLE }
    }

    /// Adds a record. `original` is its text in the file.
    pub(super) fn add(&mut self, record: &RecordDoc, original: &str) {
        let is_shown = match record.kind() {
            OutcomeKind::New | OutcomeKind::Existing => self.is_whole,
            OutcomeKind::Matched | OutcomeKind::Skipped | OutcomeKind::Refused => true,
        };
        if !is_shown || self.text.len() > MAX_BYTES {
            return;
        }
        let account = |side: &Option<super::document::AccountDoc>| {
            side.as_ref().map(|side| side.name.clone()).unwrap_or_default()
        };
        let fields = [
            record.number.to_string(),
            if record.line == 0 { String::new() } else { record.line.to_string() },
            record.outcome.clone(),
            record.reason.clone(),
            record.date().map(format_iso).unwrap_or_default(),
            record.amount.clone().unwrap_or_default(),
            record.description.clone(),
            account(&record.from),
            account(&record.to),
            record.remote_id.clone(),
            original.to_owned(),
        ];
        let row: Vec<String> = fields.iter().map(|field| quoted(field)).collect();
        self.text.push_str(&row.join(","));
        self.text.push_str("\r\n");
    }

    pub(super) fn into_bytes(self) -> Vec<u8> {
        self.text.into_bytes()
    }
}

/// Quotes a field of RFC 4180 where that is needed.
fn quoted(field: &str) -> String {
    if field.contains([',', '"', '\r', '\n']) {
        format!("\"{}\"", field.replace('"', "\"\""))
    } else {
        field.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn large_report_leaves_out_new_records() {
        let record = |outcome: &str| RecordDoc {
            number: 7,
            outcome: outcome.to_owned(),
            description: "a \"b\", c".to_owned(),
            ..RecordDoc::default()
        };
        let rows = |total: i64| {
            let mut report = Report::new(total);
            report.add(&record("NEW"), "");
            report.add(&record("REFUSED"), "");
            String::from_utf8(report.into_bytes()).unwrap().lines().skip(1).count()
        };
        assert_eq!((rows(MAX_WHOLE), rows(MAX_WHOLE + 1)), (2, 1));
        let mut report = Report::new(1);
        report.add(&record("NEW"), "7,\"x\"");
        let text = String::from_utf8(report.into_bytes()).unwrap();
        assert!(text.ends_with("7,,NEW,,,,\"a \"\"b\"\", c\",,,,\"7,\"\"x\"\"\"\r\n"), "{text}");
    }
}
