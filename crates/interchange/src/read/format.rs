//! Recognition of formats by their content; names of files are not used.

/// The formats that are recognized.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Format {
    /// Comma-separated values and their dialects.
    Csv,
    /// Open Financial Exchange 1 and 2, and QFX.
    Ofx,
    /// Quicken Interchange Format.
    Qif,
    /// ISO 20022 account reports: `camt.052`, `camt.053` and `camt.054`.
    Camt,
    /// SWIFT customer statements: MT940 and MT942.
    Mt940,
    /// Journals of hledger and ledger.
    Journal,
    /// Journals of beancount.
    Beancount,
    /// GnuCash books in XML.
    Gnucash,
    /// Lines of JSON.
    JsonLines,
    /// A ZIP archive that is not a workbook, such as that of a book.
    Zip,
    /// Excel workbooks since 2007.
    Xlsx,
    /// OpenDocument workbooks.
    Ods,
    /// Excel workbooks before 2007.
    Xls,
    /// Data packed with gzip.
    Gzip,
    /// Pages of HTML, also with the name of a workbook.
    Html,
    /// XML of another kind.
    Xml,
}

impl Format {
    /// Returns whether [`read_journal`](super::read_journal) reads it.
    #[must_use]
    pub const fn is_journal(self) -> bool {
        matches!(self, Self::Journal | Self::Beancount | Self::Gnucash | Self::Gzip)
    }

    /// Returns the name for people.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Csv => "CSV",
            Self::Ofx => "OFX",
            Self::Qif => "QIF",
            Self::Camt => "CAMT",
            Self::Mt940 => "MT940",
            Self::Journal => "journal",
            Self::Beancount => "beancount",
            Self::Gnucash => "GnuCash",
            Self::JsonLines => "JSON Lines",
            Self::Zip => "ZIP",
            Self::Xlsx => "XLSX",
            Self::Ods => "ODS",
            Self::Xls => "XLS",
            Self::Gzip => "gzip",
            Self::Html => "HTML",
            Self::Xml => "XML",
        }
    }
}

/// The bytes that the format is recognized from.
const HEAD_BYTES: usize = 64 * 1024;

/// Recognizes a binary format by its first bytes.
#[must_use]
pub fn detect_binary(bytes: &[u8]) -> Option<Format> {
    [
        (b"PK\x03\x04".as_slice(), Format::Zip),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", Format::Xls),
        (b"\x1f\x8b\x08", Format::Gzip),
    ]
    .into_iter()
    .find_map(|(magic, format)| bytes.starts_with(magic).then_some(format))
}

/// Recognizes the format of a text; `None` if it is none, or CSV.
///
/// CSV has no mark of its own, so it is what remains.
#[must_use]
pub fn detect_text(text: &str) -> Option<Format> {
    let head = text.get(..text.floor_char_boundary(HEAD_BYTES)).unwrap_or(text).trim_start();
    let lower = head.to_ascii_lowercase();
    if lower.starts_with("ofxheader") || lower.starts_with("<?ofx") || lower.contains("<ofx>") {
        return Some(Format::Ofx);
    }
    if head.starts_with('<') {
        return Some(markup(&lower));
    }
    if ["!type:", "!account", "!option:", "!clear:"].iter().any(|start| lower.starts_with(start)) {
        return Some(Format::Qif);
    }
    let has_line = |start: &str| head.lines().any(|line| line.trim_start().starts_with(start));
    if has_line(":20:") && (has_line(":60") || has_line(":61:") || has_line(":25:")) {
        return Some(Format::Mt940);
    }
    if head.starts_with("{\"") {
        return Some(Format::JsonLines);
    }
    journal(head)
}

fn markup(lower: &str) -> Format {
    const NAMES: [(&str, Format); 7] = [
        ("bktocstmrstmt", Format::Camt),
        ("bktocstmracctrpt", Format::Camt),
        ("bktocstmrdbtcdtntfctn", Format::Camt),
        ("<gnc-v2", Format::Gnucash),
        ("<html", Format::Html),
        ("<!doctype html", Format::Html),
        ("<table", Format::Html),
    ];
    let found = NAMES.into_iter().find(|(name, _)| lower.contains(name));
    found.map_or(Format::Xml, |(_, format)| format)
}

/// Directives of beancount behind a date.
const DATED: [&str; 11] = [
    "open",
    "balance",
    "pad",
    "close",
    "commodity",
    "note",
    "document",
    "event",
    "query",
    "custom",
    "price",
];

/// Directives of hledger and ledger.
const DIRECTIVES: [&str; 5] = ["account", "alias", "commodity", "include", "P"];

/// Recognizes journals by an entry with postings, or by a directive.
fn journal(head: &str) -> Option<Format> {
    let mut after_entry = None;
    let mut by_directive = None;
    for line in head.lines().take(1_000) {
        let is_indented = line.starts_with([' ', '\t']);
        if let Some(format) = after_entry.filter(|_| is_indented && !line.trim().is_empty()) {
            return Some(format);
        }
        let (first, rest) = line.split_once(' ').unwrap_or((line, ""));
        let rest = rest.trim_start();
        let word = rest.split_whitespace().next().unwrap_or_default();
        after_entry = is_date(first).then(|| {
            let is_beancount =
                word == "txn" || rest.get(1..).is_some_and(|rest| rest.starts_with(" \""));
            if is_beancount { Format::Beancount } else { Format::Journal }
        });
        let is_setting = matches!(first, "option" | "plugin" | "include") && word.starts_with('"');
        if is_setting || (is_date(first) && DATED.contains(&word)) {
            return Some(Format::Beancount);
        }
        // A table may have such a header, with its separators.
        let before_comment = rest.split("  ").next().unwrap_or_default();
        if DIRECTIVES.contains(&first) && !before_comment.contains([',', ';', '\t']) {
            by_directive = Some(Format::Journal);
        }
    }
    by_directive
}

/// Whether a word is a date as journals write it: `2026-01-31`, `2026/1/31`, `2026.01.31=02.03`.
fn is_date(word: &str) -> bool {
    let word = word.split('=').next().unwrap_or_default();
    let parts: Vec<&str> = word.split(['-', '/', '.']).collect();
    let is_number = |part: &&str| {
        (1..=4).contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_digit())
    };
    (2..=3).contains(&parts.len()) && parts.iter().all(is_number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_are_recognized_by_content() {
        for (text, expected) in [
            ("OFXHEADER:100\nDATA:OFXSGML\n\n<OFX>", Some(Format::Ofx)),
            ("\n<?xml version=\"1.0\"?>\n<?OFX OFXHEADER=\"200\"?><OFX>", Some(Format::Ofx)),
            ("<OFX><SIGNONMSGSRSV1>", Some(Format::Ofx)),
            ("!Type:Bank\nD1/2/26\n", Some(Format::Qif)),
            ("!Account\nNCash\n^\n", Some(Format::Qif)),
            ("<?xml version='1.0'?><Document><BkToCstmrStmt>", Some(Format::Camt)),
            ("{1:F01X}{4:\n:20:A\n:25:B\n", Some(Format::Mt940)),
            (":20:A\r\n:25:B\r\n", Some(Format::Mt940)),
            ("<?xml?><gnc-v2>", Some(Format::Gnucash)),
            ("<html><table>", Some(Format::Html)),
            ("<a/>", Some(Format::Xml)),
            ("{\"id\":1}\n", Some(Format::JsonLines)),
            ("; x\n2026-01-02 * Shop\n  a  5\n  b\n", Some(Format::Journal)),
            ("2026-01-02 * \"Shop\" \"x\"\n  A:B  5 EUR\n", Some(Format::Beancount)),
            ("2026-01-01 open Assets:Cash\n", Some(Format::Beancount)),
            ("option \"title\" \"x\"\n", Some(Format::Beancount)),
            ("2026-01-02 R \"Shop\"\n  A:B  5 EUR\n", Some(Format::Beancount)),
            ("account Assets:Cash  ; type:C\n", Some(Format::Journal)),
            ("account number;amount\n", None),
            ("Date,Amount\n2026-01-02,5\n", None),
            ("2026-01-02,Shop,5\n", None),
            ("", None),
        ] {
            assert_eq!(detect_text(text), expected, "{text:?}");
        }
        assert_eq!(detect_binary(b"PK\x03\x04rest"), Some(Format::Zip));
        assert_eq!(detect_binary(b"text"), None);
    }
}
