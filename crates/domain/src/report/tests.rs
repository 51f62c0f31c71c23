//! Tests of reports of a small book against their rows.

use super::fixture::{BookFixture, NONE, assert_rows, facts};
use super::{
    Cell, GeneralLedger, Journal, JournalEntry, LedgerEntry, Parameters, Report, ReportKind,
    RowKind, cash_accounts,
};
use crate::account::AccountType::{Asset, Incoming, Liability, Outgoing};
use crate::balance::Sums;
use crate::book::StartMonth;
use crate::fixture::day;
use crate::id::{AccountId, TransactionId};
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

#[test]
fn balance_sheet_shows_results_without_closing_entries() {
    let report = book().report(ReportKind::BalanceSheet, &NONE);
    assert_rows(
        &report,
        "
        Account                        | 31 December 2026
        # Assets
        > Current assets
          Debtors                      |           100.00
          > Bank
            Cash                       |          1700.00
            Savings                    |           250.00
          = Total Bank                 |          1950.00
        = Total Current assets         |          2050.00
        = Total assets                 |          2050.00
        # Liabilities
        Loan                           |           600.00
        = Total liabilities            |           600.00
        # Equity
        Capital                        |          1000.00
        ~ Result of earlier years      |           100.00
        ~ Result of 2026               |           350.00
        = Total equity                 |          1450.00
        = Total liabilities and equity |          2050.00
        ! Assets = liabilities + equity: 2050.00 = 2050.00
        ",
    );
}

#[test]
fn section_stands_for_the_group_with_its_name() {
    let book = BookFixture::new(StartMonth::January)
        .group(1, "EQUITY", None)
        .group(2, "Equity", Some(1))
        .group(3, "Assets", None)
        .group(4, "Capital", None)
        .marked("equity")
        .account(1, "Cash", Asset, &[3])
        .account(2, "Card", Liability, &[3])
        .account(3, "Opening", Liability, &[1])
        .account(4, "Reserve", Liability, &[2])
        .account(5, "Shares", Liability, &[4])
        .posted("2026-01-01", [3, 1], 1_000, &[])
        .posted("2026-01-01", [4, 1], 2_000, &[])
        .posted("2026-01-01", [5, 1], 4_000, &[])
        .posted("2026-01-01", [2, 1], 8_000, &[]);
    assert_rows(
        &book.report(ReportKind::BalanceSheet, &NONE),
        "
        Account                        | 31 December 2026
        # Assets
        Cash                           |           150.00
        = Total assets                 |           150.00
        # Liabilities
        > Assets
          Card                         |            80.00
        = Total Assets                 |            80.00
        = Total liabilities            |            80.00
        # Equity
        > Capital
          Shares                       |            40.00
        = Total Capital                |            40.00
        Opening                        |            10.00
        > Equity
          Reserve                      |            20.00
        = Total Equity                 |            20.00
        ~ Result of earlier years      |             0.00
        ~ Result of 2026               |             0.00
        = Total equity                 |            70.00
        = Total liabilities and equity |           150.00
        ! Assets = liabilities + equity: 150.00 = 150.00
        ",
    );
    let parameters = Parameters { depth: Some("1"), ..NONE };
    let report = book.report(ReportKind::BalanceSheet, &parameters);
    let lines: Vec<&Cell> = report
        .rows
        .iter()
        .filter(|row| row.kind == RowKind::Line)
        .filter_map(|row| row.cells.first())
        .collect();
    let names = ["Cash", "Assets", "Capital", "Opening", "Equity"];
    assert_eq!(lines, names.map(|name| Cell::Text(name.to_owned())).each_ref());
}

#[test]
fn balance_sheets_are_compared_by_day() {
    let parameters = Parameters { period: Some("2026-02"), compare: Some("2025"), ..NONE };
    let report = book().report(ReportKind::BalanceSheet, &parameters);
    assert_rows(
        &report,
        "
        Account                        | 28 February 2026 | 31 December 2025 | Difference |      %
        # Assets
        > Current assets
          Debtors                      |           100.00 |             0.00 |     100.00
          > Bank
            Cash                       |          1380.00 |          1100.00 |     280.00 |  25.5%
          = Total Bank                 |          1380.00 |          1100.00 |     280.00 |  25.5%
        = Total Current assets         |          1480.00 |          1100.00 |     380.00 |  34.5%
        = Total assets                 |          1480.00 |          1100.00 |     380.00 |  34.5%
        # Liabilities
        = Total liabilities            |             0.00 |             0.00 |       0.00
        # Equity
        Capital                        |          1000.00 |          1000.00 |       0.00 |   0.0%
        ~ Result of earlier years      |           100.00 |             0.00 |     100.00
        ~ Result of the fiscal year    |           380.00 |           100.00 |     280.00 | 280.0%
        = Total equity                 |          1480.00 |          1100.00 |     380.00 |  34.5%
        = Total liabilities and equity |          1480.00 |          1100.00 |     380.00 |  34.5%
        ! Assets = liabilities + equity, 28 February 2026: 1480.00 = 1480.00
        ! Assets = liabilities + equity, 31 December 2025: 1100.00 = 1100.00
        ",
    );
}

#[test]
fn trial_balance_opens_income_and_expenses_with_the_fiscal_year() {
    let parameters = Parameters { period: Some("2026-Q1"), ..NONE };
    let report = book().report(ReportKind::TrialBalance, &parameters);
    assert_rows(
        &report,
        "
        Account                   |   Debit |  Credit |   Debit |  Credit |   Debit |  Credit
        # Assets
        > Current assets
          Debtors                 |    0.00 |    0.00 |  500.00 |  400.00 |  100.00 |    0.00
          > Bank
            Cash                  | 1100.00 |    0.00 |  400.00 |  400.00 | 1100.00 |    0.00
            Savings               |    0.00 |    0.00 |  250.00 |    0.00 |  250.00 |    0.00
          = Total Bank            | 1100.00 |    0.00 |  650.00 |  400.00 | 1350.00 |    0.00
        = Total Current assets    | 1100.00 |    0.00 | 1150.00 |  800.00 | 1450.00 |    0.00
        = Total assets            | 1100.00 |    0.00 | 1150.00 |  800.00 | 1450.00 |    0.00
        # Equity
        Capital                   |    0.00 | 1000.00 |    0.00 |    0.00 |    0.00 | 1000.00
        ~ Result of earlier years |    0.00 |  100.00 |    0.00 |    0.00 |    0.00 |  100.00
        = Total equity            |    0.00 | 1100.00 |    0.00 |    0.00 |    0.00 | 1100.00
        # Income
        Sales                     |    0.00 |    0.00 |    0.00 |  500.00 |    0.00 |  500.00
        = Total income            |    0.00 |    0.00 |    0.00 |  500.00 |    0.00 |  500.00
        # Expenses
        > Costs
          Rent                    |    0.00 |    0.00 |  120.00 |    0.00 |  120.00 |    0.00
          > Office
            Paper                 |    0.00 |    0.00 |   30.00 |    0.00 |   30.00 |    0.00
          = Total Office          |    0.00 |    0.00 |   30.00 |    0.00 |   30.00 |    0.00
        = Total Costs             |    0.00 |    0.00 |  150.00 |    0.00 |  150.00 |    0.00
        = Total expenses          |    0.00 |    0.00 |  150.00 |    0.00 |  150.00 |    0.00
        = Total                   | 1100.00 | 1100.00 | 1300.00 | 1300.00 | 1600.00 | 1600.00
        ! Opening debits = opening credits: 1100.00 = 1100.00
        ! Movement debits = movement credits: 1300.00 = 1300.00
        ! Closing debits = closing credits: 1600.00 = 1600.00
        ! Opening + movement = closing: 0.00 = 0.00
        ",
    );
}

#[test]
fn trial_balance_of_some_accounts_is_not_balanced() {
    let parameters =
        Parameters { period: Some("2026-Q1"), query: Some("group:Bank account:Rent"), ..NONE };
    let report = book().report(ReportKind::TrialBalance, &parameters);
    assert_rows(
        &report,
        "
        Account                |   Debit | Credit |  Debit | Credit |   Debit | Credit
        # Assets
        > Current assets
          > Bank
            Cash               | 1100.00 |   0.00 | 400.00 | 400.00 | 1100.00 |   0.00
            Savings            |    0.00 |   0.00 | 250.00 |   0.00 |  250.00 |   0.00
          = Total Bank         | 1100.00 |   0.00 | 650.00 | 400.00 | 1350.00 |   0.00
        = Total Current assets | 1100.00 |   0.00 | 650.00 | 400.00 | 1350.00 |   0.00
        = Total assets         | 1100.00 |   0.00 | 650.00 | 400.00 | 1350.00 |   0.00
        # Expenses
        > Costs
          Rent                 |    0.00 |   0.00 | 120.00 |   0.00 |  120.00 |   0.00
        = Total Costs          |    0.00 |   0.00 | 120.00 |   0.00 |  120.00 |   0.00
        = Total expenses       |    0.00 |   0.00 | 120.00 |   0.00 |  120.00 |   0.00
        = Total                | 1100.00 |   0.00 | 770.00 | 400.00 | 1470.00 |   0.00
        ! Opening + movement = closing: 1470.00 = 1470.00
        ",
    );
    assert_eq!(report.heading.filters, ["account:'Rent'", "group:'Bank'"]);
}

#[test]
fn income_statement_has_months_and_their_total() {
    let parameters = Parameters { period: Some("2026-Q1"), columns: Some("month"), ..NONE };
    let report = book().report(ReportKind::IncomeStatement, &parameters);
    assert_rows(
        &report,
        "
        Account          | January 2026 | February 2026 | March 2026 |  Total
        # Income
        Sales            |       500.00 |          0.00 |       0.00 | 500.00
        = Total income   |       500.00 |          0.00 |       0.00 | 500.00
        # Expenses
        > Costs
          Rent           |       120.00 |          0.00 |       0.00 | 120.00
          > Office
            Paper        |         0.00 |          0.00 |      30.00 |  30.00
          = Total Office |         0.00 |          0.00 |      30.00 |  30.00
        = Total Costs    |       120.00 |          0.00 |      30.00 | 150.00
        = Total expenses |       120.00 |          0.00 |      30.00 | 150.00
        ~ Result         |       380.00 |          0.00 |     -30.00 | 350.00
        ! Income - expenses = change of the other accounts, January 2026: 380.00 = 380.00
        ! Income - expenses = change of the other accounts, February 2026: 0.00 = 0.00
        ! Income - expenses = change of the other accounts, March 2026: -30.00 = -30.00
        ! Income - expenses = change of the other accounts, Total: 350.00 = 350.00
        ",
    );
}

#[test]
fn income_statement_of_a_part_of_the_year_has_the_year_to_date() {
    let parameters =
        Parameters { period: Some("2026-03"), compare: Some("2025-07"), depth: Some("1"), ..NONE };
    let report = book().report(ReportKind::IncomeStatement, &parameters);
    assert_rows(
        &report,
        "
        Account | March 2026 | July 2025 | Difference | % | Year to date | Year to date, July 2025
        # Income
        Sales            |       0.00 |      0.00 |       0.00 |        |       500.00 | 300.00
        = Total income   |       0.00 |      0.00 |       0.00 |        |       500.00 | 300.00
        # Expenses
        Costs            |      30.00 |    200.00 |    -170.00 | -85.0% |       150.00 | 200.00
        = Total expenses |      30.00 |    200.00 |    -170.00 | -85.0% |       150.00 | 200.00
        ~ Result         |     -30.00 |   -200.00 |     170.00 |  85.0% |       350.00 | 100.00
        ! Income - expenses = change of the other accounts, March 2026: -30.00 = -30.00
        ! Income - expenses = change of the other accounts, July 2025: -200.00 = -200.00
        ! Income - expenses = change of the other accounts, Year to date: 350.00 = 350.00
        ! Income - expenses = change of the other accounts, Year to date, July 2025: 100.00 = 100.00
        ",
    );
}

#[test]
fn hashtags_are_columns() {
    let parameters = Parameters { columns: Some("#Shop, #vat"), zeros: Some("true"), ..NONE };
    let report = book().report(ReportKind::IncomeStatement, &parameters);
    assert_rows(
        &report,
        "
        Account          |  #shop |   #vat
        # Income
        Sales            | 500.00 |   0.00
        = Total income   | 500.00 |   0.00
        # Expenses
        > Costs
          Rent           |   0.00 |   0.00
          Travel         |   0.00 |   0.00
          > Office
            Paper        |  30.00 |  30.00
          = Total Office |  30.00 |  30.00
        = Total Costs    |  30.00 |  30.00
        = Total expenses |  30.00 |  30.00
        ~ Result         | 470.00 | -30.00
        ! Income - expenses = change of the other accounts, #shop: 470.00 = 470.00
        ! Income - expenses = change of the other accounts, #vat: -30.00 = -30.00
        ",
    );
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
    assert_rows(
        &report,
        "
        Account          |   2026 |  Budget | Difference |       %
        # Income
        Sales            | 500.00 |    0.00 |     500.00
        = Total income   | 500.00 |    0.00 |     500.00
        # Expenses
        > Costs
          Rent           | 120.00 |  100.00 |      20.00 |   20.0%
          > Office
            Paper        |  30.00 |    0.00 |      30.00
          = Total Office |  30.00 |    0.00 |      30.00
        = Total Costs    | 150.00 |  100.00 |      50.00 |   50.0%
        Gifts            |   0.00 |   50.00 |     -50.00 | -100.0%
        = Total expenses | 150.00 |  150.00 |       0.00 |    0.0%
        ~ Result         | 350.00 | -150.00 |     500.00 |  333.3%
        ",
    );
}

#[test]
fn cash_flow_shows_the_accounts_on_the_other_side() {
    let report = book().report(ReportKind::CashFlow, &NONE);
    assert_rows(
        &report,
        "
        Account                |      In |    Out |     Net
        * Opening cash         |         |        | 1100.00
        # Expenses
        > Costs
          Rent                 |    0.00 | 120.00 | -120.00
          > Office
            Paper              |    0.00 |  30.00 |  -30.00
          = Total Office       |    0.00 |  30.00 |  -30.00
        = Total Costs          |    0.00 | 150.00 | -150.00
        = Total expenses       |    0.00 | 150.00 | -150.00
        # Assets
        > Current assets
          Debtors              |  400.00 |   0.00 |  400.00
        = Total Current assets |  400.00 |   0.00 |  400.00
        = Total assets         |  400.00 |   0.00 |  400.00
        # Liabilities
        Loan                   |  600.00 |   0.00 |  600.00
        = Total liabilities    |  600.00 |   0.00 |  600.00
        * Net change           | 1000.00 | 150.00 |  850.00
        * Closing cash         |         |        | 1950.00
        ! Opening + change = closing: 1950.00 = 1950.00
        ",
    );
}

#[test]
fn cash_flow_of_quarters_is_net() {
    let parameters =
        Parameters { period: Some("2025-04-01..2026-03-31"), columns: Some("quarter"), ..NONE };
    let report = book().report(ReportKind::CashFlow, &parameters);
    assert_rows(
        &report,
        "
        Account                | Q2 2025 | Q3 2025 | Q4 2025 | Q1 2026 |   Total
        * Opening cash         | 1000.00 | 1300.00 | 1100.00 | 1100.00 | 1000.00
        # Income
        Sales                  |  300.00 |    0.00 |    0.00 |    0.00 |  300.00
        = Total income         |  300.00 |    0.00 |    0.00 |    0.00 |  300.00
        # Expenses
        > Costs
          Rent                 |    0.00 | -200.00 |    0.00 | -120.00 | -320.00
          > Office
            Paper              |    0.00 |    0.00 |    0.00 |  -30.00 |  -30.00
          = Total Office       |    0.00 |    0.00 |    0.00 |  -30.00 |  -30.00
        = Total Costs          |    0.00 | -200.00 |    0.00 | -150.00 | -350.00
        = Total expenses       |    0.00 | -200.00 |    0.00 | -150.00 | -350.00
        # Assets
        > Current assets
          Debtors              |    0.00 |    0.00 |    0.00 |  400.00 |  400.00
        = Total Current assets |    0.00 |    0.00 |    0.00 |  400.00 |  400.00
        = Total assets         |    0.00 |    0.00 |    0.00 |  400.00 |  400.00
        * Net change           |  300.00 | -200.00 |    0.00 |  250.00 |  350.00
        * Closing cash         | 1300.00 | 1100.00 | 1100.00 | 1350.00 | 1350.00
        ! Opening + change = closing, Q2 2025: 1300.00 = 1300.00
        ! Opening + change = closing, Q3 2025: 1100.00 = 1100.00
        ! Opening + change = closing, Q4 2025: 1100.00 = 1100.00
        ! Opening + change = closing, Q1 2026: 1350.00 = 1350.00
        ! Opening + change = closing, Total: 1350.00 = 1350.00
        ",
    );
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
    assert_rows(
        &Report { heading, columns, rows, controls },
        "
        Date | ID | Text | Other account | Debit | Credit | Balance | Checked | Files
        > |  | Cash
          * 2026-01-01 |  | Opening balance |  |  |  | 1100.00
          2026-01-31 | 0000000000000007 | text | other |  | 120.00 | 980.00 |  | 1
          = |  | January 2026 |  |  | 120.00
          2026-02-20 | 0000000000000008 | text | other | 400.00 |  | 1380.00 | checked | 1
          = |  | February 2026 |  | 400.00
          2026-03-05 | 0000000000000009 | text | other |  | 30.00 | 1350.00 |  | 1
          2026-03-31 | 000000000000000a | text | other |  | 250.00 | 1100.00 |  | 1
          = |  | March 2026 |  |  | 280.00
          * 2026-03-31 |  | Closing balance |  | 400.00 | 400.00 | 1100.00
        > |  | Capital
          * 2026-01-01 |  | Opening balance |  |  |  | 1000.00
          * 2026-03-31 |  | Closing balance |  |  |  | 1000.00
        ! Opening + movements = closing: 2100.00 = 2100.00
        ",
    );
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
    ledger.begin(&accounts[4]);
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
    let mut journal = Journal::new(&request, &book.read(&request.plan(), None), None);
    let row = journal.push(&JournalEntry {
        transaction: TransactionId::new(9),
        day: day("2026-03-05"),
        text: "paper #vat",
        accounts: [5, 1].map(|id| Some(AccountId::new(id))),
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
    assert_rows(
        &Report { heading, columns, rows: row.into_iter().collect(), controls },
        "
        Date | ID | Text | Debit account | Credit account | Amount | Recorded by | Recorded at
        2026-03-05 | 0000000000000009 | paper #vat | Paper | Cash | 30.00 | ada | 5
        ! Debits = credits (transactions: 1): 30.00 = 30.00
        ",
    );
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
