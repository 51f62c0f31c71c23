//! Reports and exports of 49,102 real bank transactions (13, 16), compared with hledger.

use daybook_tests::hledger::{Journal, missing};
use daybook_tests::{Client, Server, bank, block_on, unique};
use jiff::civil::date;
use serde_json::Value;

use crate::bank_export::{self, by_name};
use crate::reading::batch;
use crate::report_oracle::Oracle;

pub fn tests() -> Vec<crate::Case> {
    let cases = crate::cases![statements_and_export_equal_those_of_hledger];
    cases.into_iter().map(|case| case.needs(missing)).collect()
}

fn statements_and_export_equal_those_of_hledger(server: &Server) {
    let owner = server.client(&format!("{}@example.com", unique("banker")));
    let book = block_on(bank::chart().create_book(&owner.typed(), "Bank")).expect("a book");
    let book = book.id().to_owned();
    let transactions: Vec<Value> = bank::transactions().collect();
    for chunk in transactions.chunks(2_000) {
        owner
            .post(&format!("/v5/books/{book}/transactions/batch"), &batch(chunk.iter().cloned()))
            .ok();
    }
    let oracle = Oracle::new(&owner, &book, 1);
    oracle.large_statements(date(1993, 1, 1), date(1994, 3, 31));
    export_has_the_figures(&owner, &book, &transactions, oracle.own_journal());
}

/// In the export, hledger finds the same statements as in the journal of the tests.
#[track_caller]
fn export_has_the_figures(owner: &Client, book: &str, transactions: &[Value], own: &Journal) {
    let exported = bank_export::compared(owner, book, transactions);
    for statement in ["incomestatement", "balancesheet", "cashflow"] {
        let options = [statement, "--flat", "--begin=1993-01-01", "--end=1994-04-01"];
        let expected = by_name(own.figures(&options));
        assert_eq!(by_name(exported.figures(&options)), expected, "{statement}");
    }
}
