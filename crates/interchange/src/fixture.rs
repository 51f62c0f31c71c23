//! Reports for the tests of the formats.

use daybook_domain::calendar::parse_iso;
use daybook_domain::event::{Hash, Head};
use daybook_domain::id::{AccountId, BookKey, GroupId, TransactionId};
use daybook_domain::instant::Instant;
use daybook_domain::report::{
    Cell, Column, ColumnKind, Control, Heading, Report, ReportKind, Row, RowKind, Subject,
};

/// Returns a balance sheet with a comparison, with every kind of row that one has.
pub(crate) fn balance_sheet() -> Report {
    let group = Some(Subject::Group(GroupId::new(21)));
    let account = |id| Some(Subject::Account(AccountId::new(id)));
    Report {
        heading: heading(ReportKind::BalanceSheet, "Balance sheet", "On 31 October 2026"),
        columns: vec![
            column("account", "Account", None, ColumnKind::Text),
            column("balance", "31 Oct 2026", Some("Balance on"), ColumnKind::Amount),
            column("comparison", "31 Oct 2025", Some("Balance on"), ColumnKind::Amount),
            column("difference", "Amount", Some("Difference"), ColumnKind::Amount),
            column("percent", "%", Some("Difference"), ColumnKind::Percent),
        ],
        rows: vec![
            title(RowKind::Section, 0, None, "Assets"),
            title(RowKind::Group, 0, group, "Cash & bank"),
            amounts(RowKind::Line, 1, account(11), "Bank, main", (1_250_000, -300_050), 0),
            amounts(RowKind::Line, 1, account(12), "=Petty <cash>", (0, 20_000), 0),
            amounts(RowKind::Subtotal, 0, group, "Cash & bank", (1_250_000, -280_050), 2),
            amounts(RowKind::Total, 0, None, "Total assets", (1_250_000, -280_050), 4),
            title(RowKind::Section, 0, None, "Equity"),
            amounts(RowKind::Line, 0, account(13), "Capital", (1_000_000, 0), 0),
            amounts(RowKind::Result, 0, None, "Result of earlier years", (-280_050, 0), 0),
            amounts(RowKind::Result, 0, None, "Result of 2026", (530_050, -280_050), 0),
            amounts(RowKind::Total, 0, None, "Total equity", (1_250_000, -280_050), 3),
        ],
        controls: vec![Control::of_amounts("Assets = liabilities + equity", 1_250_000, 1_250_000)],
    }
}

/// Returns a general ledger of two accounts.
pub(crate) fn general_ledger() -> Report {
    let mut rows = Vec::new();
    for (id, name) in [(11, "Bank"), (12, "Rent")] {
        let section = Row {
            kind: RowKind::Group,
            depth: 0,
            subject: Some(Subject::Account(AccountId::new(id))),
            cells: [&[Cell::Empty, text(name)], &[const { Cell::Empty }; 4][..]].concat(),
            sums: 0,
        };
        let balance = |day: &str, label: &str, units| Row {
            kind: RowKind::Balance,
            subject: None,
            cells: vec![
                date(day),
                text(label),
                Cell::Empty,
                Cell::Empty,
                amount(units),
                Cell::Empty,
            ],
            ..section.clone()
        };
        let entry = Row {
            kind: RowKind::Entry,
            subject: Some(Subject::Transaction(TransactionId::new(id))),
            cells: vec![
                date("2026-10-05"),
                text("Rent of October"),
                amount(90_000),
                Cell::Empty,
                amount(190_000),
                Cell::Number(1),
            ],
            ..section.clone()
        };
        rows.push(section.clone());
        rows.push(balance("2026-10-01", "Opening balance", 100_000));
        rows.push(entry);
        rows.push(balance("2026-10-31", "Closing balance", 190_000));
    }
    Report {
        heading: heading(ReportKind::GeneralLedger, "General ledger", "October 2026"),
        columns: vec![
            column("date", "Date", None, ColumnKind::Date),
            column("text", "Text", None, ColumnKind::Text),
            column("debit", "Debit", None, ColumnKind::Amount),
            column("credit", "Credit", None, ColumnKind::Amount),
            column("balance", "Balance", None, ColumnKind::Amount),
            column("files", "Files", None, ColumnKind::Number),
        ],
        rows,
        controls: Vec::new(),
    }
}

fn heading(kind: ReportKind, title: &str, period: &str) -> Heading {
    Heading {
        kind,
        title: title.to_owned(),
        book: BookKey::new("0192f5c0a1b27c3d8e4f5a6b7c8d9e0f".to_owned()),
        book_name: "Müller & Sons".to_owned(),
        currency: Some("EUR".to_owned()),
        scale: 2,
        fraction_digits: 2,
        from: None,
        until: parse_iso("2026-10-31").expect("a day"),
        period: period.to_owned(),
        omitted_drafts: 3,
        filters: vec!["#vat".to_owned(), "#2026".to_owned()],
        notes: vec!["Not closed after 30 September 2026".to_owned()],
        head: Head { sequence: 4711, hash: Hash::of(b"4711") },
        computed_at: Instant::new(1_793_611_805_000),
    }
}

fn column(key: &str, label: &str, over: Option<&str>, kind: ColumnKind) -> Column {
    Column { key: key.to_owned(), label: label.to_owned(), over: over.map(str::to_owned), kind }
}

fn title(kind: RowKind, depth: u32, subject: Option<Subject>, name: &str) -> Row {
    let cells = [&[text(name)], &[const { Cell::Empty }; 4][..]].concat();
    Row { kind, depth, subject, cells, sums: 0 }
}

fn amounts(
    kind: RowKind,
    depth: u32,
    subject: Option<Subject>,
    name: &str,
    (now, before): (i128, i128),
    sums: u32,
) -> Row {
    let difference = now - before;
    let percent = match before {
        0 => Cell::Empty,
        _ => Cell::Percent(i64::try_from(difference * 1000 / before).expect("a percentage")),
    };
    let cells = vec![text(name), amount(now), amount(before), amount(difference), percent];
    Row { kind, depth, subject, cells, sums }
}

fn text(text: &str) -> Cell {
    Cell::Text(text.to_owned())
}

fn date(day: &str) -> Cell {
    Cell::Date(parse_iso(day).expect("a day"))
}

const fn amount(units: i128) -> Cell {
    Cell::Amount(units)
}
