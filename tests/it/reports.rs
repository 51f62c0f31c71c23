//! Reports over HTTP (13): the rows of a small book, the formats, the parameters and the callers.
//! `report_oracle.rs` compares the figures of large books with hledger.

use aws_lc_rs::digest::{SHA256, digest};
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use daybook_tests::{Cast, Server, encode, unique};
use serde_json::{Value, json};

pub fn tests() -> Vec<crate::Case> {
    crate::cases![
        rule_13_7_balance_sheet_shows_results_of_both_years,
        rule_13_10_ledger_has_the_running_balances_of_lists,
        rule_13_2_parameters_are_checked,
        rule_13_2_another_book_is_compared_by_names,
        rule_13_4_formats_have_the_same_figures,
        rule_13_4_drafts_that_are_left_out_are_counted,
    ]
}

/// A small business with two fiscal years, which begin in July.
pub(crate) fn business(server: &Server) -> Cast {
    let settings = json!({"periodStartMonth": "JULY", "properties": {"currency": "EUR"}});
    let cast = Cast::with_settings(server, settings);
    for (name, parent, mark) in [
        ("Current assets", "", ""),
        ("Liquid", "Current assets", "cash"),
        ("Equity", "", ""),
        ("Costs", "", ""),
    ] {
        let mut group = json!({"name": name});
        if !parent.is_empty() {
            group["parent"] = json!({"name": parent});
        }
        if !mark.is_empty() {
            group["properties"] = json!({"report": mark});
        }
        cast.post("/groups", &group).ok();
    }
    for (name, kind, groups) in [
        ("Bank", "ASSET", &["Liquid"][..]),
        ("Till", "ASSET", &["Liquid"]),
        ("Receivables", "ASSET", &["Current assets"]),
        ("Loan", "LIABILITY", &[]),
        ("Capital", "LIABILITY", &["Equity"]),
        ("Opening balances", "INCOMING", &[]),
        ("Sales", "INCOMING", &[]),
        ("Rent", "OUTGOING", &["Costs"]),
        ("Wages", "OUTGOING", &["Costs"]),
    ] {
        cast.account_in(name, kind, groups);
    }
    for (date, amount, from, to, text) in [
        ("2025-06-30", "100.00", "Opening balances", "Bank", "opening"),
        ("2025-07-05", "500.00", "Capital", "Bank", "capital"),
        ("2026-05-10", "80.00", "Sales", "Bank", "old sale #web"),
        ("2026-06-30", "30.00", "Bank", "Rent", "old rent"),
        ("2026-07-01", "40.00", "Bank", "Till", "to the till"),
        ("2026-07-10", "200.00", "Sales", "Receivables", "invoice"),
        ("2026-07-20", "120.50", "Receivables", "Bank", "payment #web"),
        ("2026-08-01", "60.00", "Loan", "Bank", "loan"),
        ("2026-08-02", "25.00", "Till", "Rent", "rent"),
        ("2026-08-03", "10.25", "Bank", "Wages", "wages"),
    ] {
        cast.record(date, amount, from, to, text);
    }
    cast.post(
        "/transactions",
        &json!({"date": "2026-08-04", "amount": "7.00", "description": "a draft"}),
    )
    .ok();
    cast
}

fn report(cast: &Cast, path: &str) -> Value {
    let report = cast.read(&format!("/reports/{path}"));
    let controls = report["controls"].as_array().expect("controls");
    assert!(!controls.is_empty(), "13.4: {report}");
    assert!(controls.iter().all(|control| control["holds"] == true), "13.4: {controls:#?}");
    report
}

/// Each row as its kind, its depth and its cells.
fn rows(report: &Value) -> Vec<String> {
    let cell = |cell: &Value| match cell {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    let row = |row: &Value| {
        let cells: Vec<String> = row["cells"].as_array().expect("cells").iter().map(cell).collect();
        let text =
            format!("{} {} {}", row["kind"].as_str().unwrap_or("?"), row["depth"], cells.join("|"));
        text.trim_end_matches('|').to_owned()
    };
    report["rows"].as_array().expect("rows").iter().map(row).collect()
}

fn rule_13_7_balance_sheet_shows_results_of_both_years(server: &Server) {
    let cast = business(server);
    let sheet = report(&cast, "balance-sheet?period=2026-08-31");
    assert_eq!(sheet["title"], "Balance sheet");
    assert_eq!(sheet["period"], json!({"until": "2026-08-31", "text": "On 31 August 2026"}));
    assert_eq!(sheet["book"]["currency"], "EUR");
    assert_eq!(
        rows(&sheet),
        [
            "section 0 Assets",
            "group 0 Current assets",
            "line 1 Receivables|79.50",
            "group 1 Liquid",
            "line 2 Bank|780.25",
            "line 2 Till|15.00",
            "subtotal 1 Total Liquid|795.25",
            "subtotal 0 Total Current assets|874.75",
            "total 0 Total assets|874.75",
            "section 0 Liabilities",
            "line 0 Loan|60.00",
            "total 0 Total liabilities|60.00",
            "section 0 Equity",
            "line 0 Capital|500.00",
            "line 0 Opening balances|100.00",
            "result 0 Result of earlier years|50.00",
            "result 0 Result of 2026/27|164.75",
            "total 0 Total equity|814.75",
            "total 0 Total liabilities and equity|874.75",
        ]
    );
    let flat = report(&cast, "balance-sheet?period=2026-08-31&depth=1");
    assert!(rows(&flat).contains(&"line 0 Current assets|874.75".to_owned()), "{flat}");
}

fn rule_13_10_ledger_has_the_running_balances_of_lists(server: &Server) {
    let cast = business(server);
    let query = encode("account:Bank");
    let ledger = report(&cast, &format!("general-ledger?period=2026&query={query}"));
    assert_eq!(ledger["filters"], json!(["account:'Bank'"]));
    let entries: Vec<(String, String)> = ledger["rows"]
        .as_array()
        .expect("rows")
        .iter()
        .filter(|row| row["kind"] == "entry")
        .map(|row| {
            let text = |index: usize| row["cells"][index].as_str().unwrap_or_default().to_owned();
            (text(1), text(6))
        })
        .collect();
    let listed = crate::reading::find(&cast, "account:Bank after:2026 before:2027");
    let mut expected: Vec<(String, String)> = crate::reading::items(&listed)
        .iter()
        .map(|row| {
            let sides = ["creditAccount", "debitAccount"].map(|side| row[side]["balance"].as_str());
            let balance = sides.into_iter().flatten().next().expect("a running balance");
            // The API has credits minus debits.
            let shown = balance.strip_prefix('-').map_or(format!("-{balance}"), str::to_owned);
            (crate::reading::id(row), shown)
        })
        .collect();
    expected.reverse();
    assert_eq!(entries, expected);
    let journal = report(&cast, "journal?period=2026-08");
    assert_eq!(journal["rows"].as_array().map(Vec::len), Some(3), "no draft: {journal}");
    assert_eq!(journal["rows"][0]["cells"][2], "loan");
    let tagged = report(&cast, &format!("journal?period=2026&query={}", encode("#web")));
    assert_eq!(tagged["rows"].as_array().map(Vec::len), Some(2));
}

fn rule_13_2_parameters_are_checked(server: &Server) {
    let cast = business(server);
    for path in [
        "balance-sheet?period=2026-13",
        "balance-sheet?period=2026-03-31..2026-03-01",
        "balance-sheet?format=pdf",
        "balance-sheet?format=csv&excel=maybe",
        "trial-balance?columns=month",
        "trial-balance?compare=2025",
        "income-statement?columns=month&compare=2025",
        "income-statement?columns=week",
        "income-statement?period=0001..9999&columns=month",
        "income-statement?depth=0",
        "income-statement?zeros=maybe",
        "journal?depth=1",
    ] {
        let refused = cast.get(&format!("/reports/{path}"));
        assert_eq!(refused.status, 400, "{path}: {}", refused.text);
    }
    for (report, query) in [
        ("balance-sheet", "account:Bank"),
        ("trial-balance", "after:2026"),
        ("trial-balance", "by:m"),
        ("trial-balance", "lunch"),
        ("trial-balance", "account:Nowhere"),
        ("general-ledger", "account:Nowhere"),
        ("journal", "is:draft"),
    ] {
        let path = format!("/reports/{report}?query={}", encode(query));
        for format in ["json", "csv"] {
            cast.get(&format!("{path}&format={format}")).refused(400, "queryNotUnderstood");
        }
    }
    cast.get("/reports/net-worth").refused(404, "notFound");
    assert_eq!(cast.recorder.get(&cast.path("/reports/journal")).status, 403);
}

fn rule_13_2_another_book_is_compared_by_names(server: &Server) {
    let cast = business(server);
    let budget = Cast::with_settings(server, json!({"name": unique("Budget")}));
    for (name, kind) in [("rent", "OUTGOING"), ("Cash", "ASSET"), ("Travel", "OUTGOING")] {
        budget.account(name, kind);
    }
    budget.record("2026-08-01", "20.00", "Cash", "rent", "planned");
    budget.record("2026-08-01", "5.00", "Cash", "Travel", "planned");
    let path = format!("/reports/income-statement?period=2026-08&compare={}", budget.book);
    cast.get(&path).refused(404, "notFound");
    budget.share(cast.owner.email(), "RECORDER");
    assert_eq!(cast.get(&path).status, 403, "a recorder reads no balances");
    budget.share(cast.owner.email(), "VIEWER");
    let compared = cast.read(&path);
    let shown = rows(&compared);
    assert!(shown.contains(&"line 1 Rent|25.00|20.00|5.00|25.0|25.00".to_owned()), "{shown:#?}");
    assert!(shown.iter().any(|row| row.contains("Travel|0.00|5.00|-5.00|-100.0")), "{shown:#?}");
}

fn rule_13_4_formats_have_the_same_figures(server: &Server) {
    let cast = business(server);
    for name in ["balance-sheet", "general-ledger"] {
        let csv = cast.get(&format!("/reports/{name}?period=2026&format=csv"));
        assert_eq!(csv.headers["content-type"], "text/csv; charset=utf-8");
        let disposition = &csv.headers["content-disposition"];
        assert!(disposition.starts_with("attachment;"), "{disposition}");
        let lines: Vec<&str> = csv.text.lines().collect();
        let rows = cast.read(&format!("/reports/{name}?period=2026"))["rows"].clone();
        let rows = rows.as_array().map_or(0, Vec::len);
        assert!(lines[rows].contains(",total,") || lines[rows].contains(",balance,"), "{lines:#?}");
        let last = lines.last().expect("lines");
        assert!(last.contains(&format!("Rows: {rows}")), "{last}");
        assert!(csv.text.contains("780.25"), "{}", csv.text);
        let page = cast.get(&format!("/reports/{name}?period=2026&format=html"));
        assert_eq!(page.headers["content-type"], "text/html; charset=utf-8");
        let policy = &page.headers["content-security-policy"];
        assert!(policy.contains("default-src 'none'") && policy.contains("sandbox allow-modals"));
        let (_, rest) = page.text.split_once("<style>").expect("a style");
        let (style, _) = rest.split_once("</style>").expect("its end");
        let hash = BASE64_STANDARD.encode(digest(&SHA256, style.as_bytes()));
        assert!(policy.contains(&format!("style-src 'sha256-{hash}';")), "13.4: {policy}");
        assert!(page.text.contains("780.25") && page.text.ends_with("</html>"), "{}", page.text);
        assert!(!page.text.contains("<script"), "13.4: no script");
        let sheet = cast.get(&format!("/reports/{name}?period=2026&format=xlsx"));
        assert!(sheet.text.starts_with("PK"), "a zip file");
    }
}

fn rule_13_4_drafts_that_are_left_out_are_counted(server: &Server) {
    let cast = business(server);
    let draft = json!({
        "date": "2026-08-05", "amount": "3.00", "description": "more rent #web", "draft": true,
        "creditAccount": {"name": "Bank"}, "debitAccount": {"name": "Rent"},
    });
    cast.post("/transactions", &draft).ok();
    for (path, query, drafts) in [
        ("journal?period=2026-08", "", 2),
        ("journal?period=2026-07", "", 0),
        ("journal?period=2026-08-04", "", 1),
        ("general-ledger?period=2026-08", "account:Bank", 1),
        ("general-ledger?period=2026-08", "account:Till", 0),
        ("general-ledger?period=2026-08", "account:Till group:Costs", 1),
        ("income-statement?period=2026-08", "#web", 1),
        // A balance sheet lacks the drafts of all days before.
        ("balance-sheet?period=2026-08-31", "", 2),
        ("balance-sheet?period=2026-08-04", "", 1),
        ("balance-sheet?period=2026-09", "#web", 1),
    ] {
        let found = report(&cast, &format!("{path}&query={}", encode(query)));
        assert_eq!(found["omittedDrafts"], drafts, "{path} {query}");
    }
}
