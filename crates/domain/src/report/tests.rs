//! Tests of reports of a small book against their rows.

use super::fixture::{BookFixture, assert_rows, facts};
use super::{
    Cell, GeneralLedger, Journal, JournalEntry, LedgerEntry, Parameters, Report, ReportKind,
    cash_accounts,
};
use crate::account::AccountType::{Asset, Incoming, Liability, Outgoing};
use crate::balance::Sums;
use crate::book::StartMonth;
use crate::fixture::day;
use crate::id::TransactionId;
use crate::instant::Instant;

/// A book with the results 100.00 in 2025 and 350.00 in 2026.
fn book() -> BookFixture {
    BookFixture::new(StartMonth::January)
        .group(1, "Current assets", None)
        .group(2, "Bank", Some(1))
        .marked("cash")
        .group(3, "Equity", None)
        .group(4, "Costs", None)
        .group(5, "Office", Some(4))
        .account(1, "Cash", Asset, &[2])
        .account(2, "Savings", Asset, &[2])
        .account(3, "Debtors", Asset, &[1])
        .account(4, "Loan", Liability, &[])
        .account(5, "Capital", Liability, &[3])
        .account(6, "Sales", Incoming, &[])
        .account(7, "Rent", Outgoing, &[4])
        .account(8, "Paper", Outgoing, &[5])
        .account(9, "Travel", Outgoing, &[4])
        .posted("2025-03-01", [5, 1], 100_000, &[])
        .posted("2025-06-15", [6, 1], 30_000, &[])
        .posted("2025-07-01", [1, 7], 20_000, &[])
        .posted("2026-01-10", [6, 3], 50_000, &["shop"])
        .posted("2026-01-31", [1, 7], 12_000, &[])
        .posted("2026-02-20", [3, 1], 40_000, &["shop"])
        .posted("2026-03-05", [1, 8], 3_000, &["vat", "shop"])
        .posted("2026-03-31", [1, 2], 25_000, &[])
        .posted("2026-04-02", [4, 1], 60_000, &[])
}

const NONE: Parameters<'static> = Parameters {
    period: None,
    compare: None,
    columns: None,
    depth: None,
    zeros: None,
    query: None,
};

#[test]
fn balance_sheet_shows_results_without_closing_entries() {
    let report = book().report(ReportKind::BalanceSheet, &NONE);
    assert_rows(&report, "");
}

#[test]
fn balance_sheets_are_compared_by_day() {
    let parameters = Parameters { period: Some("2026-02"), compare: Some("2025"), ..NONE };
    let report = book().report(ReportKind::BalanceSheet, &parameters);
    assert_rows(&report, "");
}

#[test]
fn trial_balance_opens_income_and_expenses_with_the_fiscal_year() {
    let parameters = Parameters { period: Some("2026-Q1"), ..NONE };
    let report = book().report(ReportKind::TrialBalance, &parameters);
    assert_rows(&report, "");
}

#[test]
fn trial_balance_of_some_accounts_is_not_balanced() {
    let parameters =
        Parameters { period: Some("2026-Q1"), query: Some("group:Bank account:Rent"), ..NONE };
    let report = book().report(ReportKind::TrialBalance, &parameters);
    assert_rows(&report, "");
    assert_eq!(report.heading.filters, ["account:'Rent'", "group:'Bank'"]);
}

#[test]
fn income_statement_has_months_and_their_total() {
    let parameters = Parameters { period: Some("2026-Q1"), columns: Some("month"), ..NONE };
    let report = book().report(ReportKind::IncomeStatement, &parameters);
    assert_rows(&report, "");
}

#[test]
fn income_statement_of_a_part_of_the_year_has_the_year_to_date() {
    let parameters =
        Parameters { period: Some("2026-03"), compare: Some("2025-07"), depth: Some("1"), ..NONE };
    let report = book().report(ReportKind::IncomeStatement, &parameters);
    assert_rows(&report, "");
}

#[test]
fn hashtags_are_columns() {
    let parameters = Parameters { columns: Some("#Shop, #vat"), zeros: Some("true"), ..NONE };
    let report = book().report(ReportKind::IncomeStatement, &parameters);
    assert_rows(&report, "");
}

#[test]
fn closing_entries_are_left_out_of_income_statements_only() {
    let closed = book().posted("2026-12-31", [7, 5], 12_000, &["closing"]);
    let income = |book: &BookFixture| {
        let report = book.report(ReportKind::IncomeStatement, &NONE);
        (report.rows, report.controls)
    };
    assert_eq!(income(&closed), income(&book()));
    let sheet = closed.report(ReportKind::BalanceSheet, &NONE);
    assert_eq!(amount(&sheet, "Capital"), 88_000);
    assert_eq!(amount(&sheet, "Result of 2026"), 47_000);
}

#[test]
fn budget_is_compared_by_the_names_of_accounts() {
    let mut budget = BookFixture::new(StartMonth::January)
        .account(21, "RENT", Outgoing, &[])
        .account(22, "Gifts", Outgoing, &[])
        .account(23, "Plan", Liability, &[])
        .posted("2026-01-01", [23, 21], 1_000_000, &[])
        .posted("2026-06-01", [23, 22], 500_000, &[]);
    budget.book.scale = 4;
    budget.book.settings.name = crate::name::Name::new("Budget").unwrap();
    let id = "0192f5c0a1b27c3d8e4f5a6b7c8d9e0f";
    let parameters = Parameters { compare: Some(id), ..NONE };
    let mut report =
        book().compared_report(ReportKind::IncomeStatement, &parameters, Some(&budget));
    assert_eq!(report.heading.scale, 4, "the finer scale");
    // The rows are rendered at two decimals.
    for cell in report.rows.iter_mut().flat_map(|row| &mut row.cells) {
        if let Cell::Amount(units) = cell {
            *units /= 100;
        }
    }
    report.controls.clear();
    assert_rows(&report, "");
}

#[test]
fn cash_flow_shows_the_accounts_on_the_other_side() {
    let report = book().report(ReportKind::CashFlow, &NONE);
    assert_rows(&report, "");
}

#[test]
fn cash_flow_of_quarters_is_net() {
    let parameters =
        Parameters { period: Some("2025-04-01..2026-03-31"), columns: Some("quarter"), ..NONE };
    let report = book().report(ReportKind::CashFlow, &parameters);
    assert_rows(&report, "");
}

#[test]
fn cash_accounts_need_a_mark() {
    let book = book();
    let forest = book.forest();
    let ids = cash_accounts(&book.chart(&forest)).unwrap();
    assert_eq!(ids.into_iter().map(|id| id.get()).collect::<Vec<_>>(), [1, 2]);
    let unmarked = BookFixture::new(StartMonth::January);
    let forest = unmarked.forest();
    assert_eq!(cash_accounts(&unmarked.chart(&forest)), Err(super::Refusal::NoCashAccounts));
}

#[test]
fn general_ledger_has_balances_and_months() {
    let book = book();
    let parameters = Parameters { period: Some("2026-Q1"), ..NONE };
    let request = book.request(ReportKind::GeneralLedger, &parameters);
    let forest = book.forest();
    let chart = book.chart(&forest);
    let scope = request.scope(&chart).unwrap();
    let accounts = request.ledger_accounts(&chart, &scope, &book.read(&request.plan(), None));
    let names: Vec<_> = accounts.iter().map(|account| account.account.name.as_str()).collect();
    assert_eq!(names, ["Debtors", "Cash", "Savings", "Capital", "Sales", "Rent", "Paper"]);
    let mut ledger = GeneralLedger::new(&request);
    let mut rows = ledger.begin(&accounts[1]);
    for (id, date, debit, credit) in [
        (7, "2026-01-31", 0, 12_000),
        (8, "2026-02-20", 40_000, 0),
        (9, "2026-03-05", 0, 3_000),
        (10, "2026-03-31", 0, 25_000),
    ] {
        rows.extend(ledger.push(&LedgerEntry {
            transaction: TransactionId::new(id),
            day: day(date),
            text: "text",
            other_account: "other",
            sums: Sums { debit, credit },
            is_checked: id == 8,
            files: 1,
        }));
    }
    rows.extend(ledger.begin(&accounts[3]));
    let (last, controls) = ledger.finish();
    rows.extend(last);
    let heading = request.heading(&chart, &scope, facts());
    let columns = GeneralLedger::columns();
    assert_rows(&Report { heading, columns, rows, controls }, "");
}

#[test]
fn general_ledger_names_accounts_that_do_not_tie() {
    let book = book();
    let request = book.request(ReportKind::GeneralLedger, &NONE);
    let forest = book.forest();
    let chart = book.chart(&forest);
    let scope = request.scope(&chart).unwrap();
    let accounts = request.ledger_accounts(&chart, &scope, &book.read(&request.plan(), None));
    let mut ledger = GeneralLedger::new(&request);
    ledger.begin(&accounts[0]);
    ledger.begin(&accounts[3]);
    let (_, controls) = ledger.finish();
    let labels: Vec<_> = controls.iter().map(|control| control.label.as_str()).collect();
    assert_eq!(labels, ["Opening + movements = closing", "Opening + movements = closing, Debtors"]);
    assert!(controls.iter().all(|control| !control.holds()));
}

#[test]
fn journal_has_a_row_for_each_transaction() {
    let book = book();
    let parameters = Parameters { period: Some("2026-03-05"), ..NONE };
    let request = book.request(ReportKind::Journal, &parameters);
    let mut journal = Journal::new(&request, &book.read(&request.plan(), None));
    let row = journal.push(&JournalEntry {
        transaction: TransactionId::new(9),
        day: day("2026-03-05"),
        text: "paper #vat",
        debit_account: "Paper",
        credit_account: "Cash",
        amount: 3_000,
        recorded_by: "ada",
        recorded_at: Instant::new(5),
    });
    let forest = book.forest();
    let chart = book.chart(&forest);
    let heading = request.heading(&chart, &request.scope(&chart).unwrap(), facts());
    assert_eq!(heading.period, "5 March 2026");
    let (columns, controls) = (Journal::columns(), journal.finish());
    assert_rows(&Report { heading, columns, rows: vec![row], controls }, "");
}

#[test]
fn headings_tell_the_state_of_the_book() {
    let mut book = book();
    let heading = |book: &BookFixture, kind, period| {
        book.report(kind, &Parameters { period, query: Some("#Vat"), ..NONE }).heading
    };
    let open = heading(&book, ReportKind::TrialBalance, None);
    assert_eq!(
        (open.title.as_str(), open.period.as_str()),
        ("Trial balance", "1 January to 31 December 2026")
    );
    assert_eq!((open.notes, open.currency, open.omitted_drafts), (Vec::new(), None, 2));
    assert_eq!(open.filters, ["#vat"]);
    book.book.settings.lock_date = Some(day("2026-09-30"));
    book.book.settings.properties =
        crate::fixture::properties(&[("exc_code", "EUR"), ("currency", "Euro")]);
    let sheet = heading(&book, ReportKind::BalanceSheet, Some("2026-10"));
    assert_eq!((sheet.from, sheet.period.as_str()), (None, "On 31 October 2026"));
    assert_eq!(sheet.notes, ["Not closed after 30 September 2026"]);
    assert_eq!(sheet.currency.as_deref(), Some("Euro"));
    let closed = heading(&book, ReportKind::BalanceSheet, Some("2026-09"));
    assert_eq!(closed.notes, ["Closed until 30 September 2026"]);
}

/// Returns the first amount of the row with that label.
fn amount(report: &Report, label: &str) -> i128 {
    let row = report.rows.iter().find(|row| row.cells[0] == Cell::Text(label.to_owned())).unwrap();
    let Cell::Amount(amount) = row.cells[1] else { panic!("{row:?}") };
    amount
}
