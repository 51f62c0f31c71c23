//! Reports of a large book, beside the balances of the same accounts and periods.

use std::time::Instant;

use daybook_client::parameters::GetReport;
use daybook_client::types::{ReportFormat, ReportKind};

use super::gauge::Gauge;
use super::reads::{MeasuredQuery, compare};
use super::{Book, Settings};
use crate::table::{Cell, Table, Target};
use crate::{Server, block_on, encode};

/// The time of a report, relative to that of the balances.
const TARGET: Target = Target::AtMost(1.3);

const METHOD: &str = "getReport and getBalances over HTTP in the large book, in turn (ABAB) \
    after a warm-up. A report should cost what the balances with its figures cost.";

const COLUMNS: [&str; 9] = [
    "engine",
    "report",
    "report KiB",
    "balances KiB",
    "queries",
    "report p50 ms",
    "balances p50 ms",
    "ratio",
    "target",
];

/// Title and path of a report, and the query of the balances.
const REPORTS: [(&str, &str, &str); 4] = [
    ("balance sheet at a date", "balance-sheet?period=2024-07-17", "on:2024-07-17"),
    ("trial balance of a year", "trial-balance?period=2024", "after:2024-01 before:2025-01 by:y"),
    (
        "income statement of a year",
        "income-statement?period=2024",
        "after:2024-01 before:2025-01 by:y",
    ),
    (
        "income statement by month",
        "income-statement?period=2024&columns=month",
        "after:2024-01 before:2025-01 by:m",
    ),
];

const WORKBOOK_METHOD: &str = "The journal of five weeks of the large book as XLSX, which may have \
    100,000 rows (behaviour 13.11). The peak is that of the server's resident memory during the \
    request.";

const WORKBOOK_COLUMNS: [&str; 6] =
    ["engine", "rows", "XLSX KiB", "seconds", "memory before MiB", "peak MiB"];

/// About a tenth of the transactions of a year.
const WORKBOOK_PERIOD: &str = "2024-01-01..2024-02-05";
const WORKBOOK_QUERY: &str = "after:2024-01-01 before:2024-02-06";

pub(super) fn tables(books: &str) -> [Table; 2] {
    [
        Table::new("reports", &format!("3c. Reports {books}"), &COLUMNS).method(METHOD),
        Table::new("workbooks", &format!("3d. Workbooks {books}"), &WORKBOOK_COLUMNS)
            .method(WORKBOOK_METHOD),
    ]
}

/// Adds the rows of an engine.
pub(super) fn measure(
    settings: &Settings,
    server: &Server,
    book: &Book,
    [reports, workbooks]: &mut [Table; 2],
) -> anyhow::Result<()> {
    for (title, report, query) in REPORTS {
        let paths = [format!("/reports/{report}"), format!("/balances?query={}", encode(query))];
        let mut queries = paths.map(|path| MeasuredQuery::of(server, book, &path));
        compare(&mut queries, settings.time())?;
        let [report, balances] = queries.each_ref().map(|query| query.samples().milliseconds(50));
        let [size, balances_size] = queries.each_ref().map(|query| Cell::whole(query.kibibytes()));
        let ratio = report / balances;
        reports.row([
            server.engine().to_string().into(),
            title.into(),
            size,
            balances_size,
            queries[0].samples().count().into(),
            Cell::Figure(report, 2),
            Cell::Figure(balances, 2),
            Cell::ratio(ratio),
            Cell::against(ratio, TARGET),
        ]);
    }
    let gauge = Gauge::new(server);
    workbooks.row(block_on(workbook(server, &gauge, book))?);
    Ok(())
}

/// Requests a large workbook once.
async fn workbook(
    server: &Server,
    gauge: &Gauge,
    book: &Book,
) -> anyhow::Result<[Cell; WORKBOOK_COLUMNS.len()]> {
    let rows = book.handle.count(WORKBOOK_QUERY).await?.total;
    let journal = GetReport {
        period: Some(WORKBOOK_PERIOD.to_owned()),
        format: Some(ReportFormat::Xlsx),
        ..GetReport::default()
    };
    let before = gauge.resident();
    gauge.reset_peak()?;
    let sent = Instant::now();
    let workbook = book.handle.get_report(&ReportKind::Journal, &journal).into_bytes().await?;
    let time = sent.elapsed();
    Ok([
        server.engine().to_string().into(),
        u64::try_from(rows)?.into(),
        Cell::whole(workbook.len() as f64 / 1024.0),
        Cell::Figure(time.as_secs_f64(), 1),
        Cell::whole(before),
        Cell::whole(gauge.peak()),
    ])
}
