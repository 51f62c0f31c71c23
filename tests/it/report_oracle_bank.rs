//! Reports of 49,102 real bank transactions (13), compared with those of hledger.

use daybook_tests::hledger::missing;
use daybook_tests::{Server, bank, block_on, unique};
use jiff::civil::date;
use serde_json::Value;

use crate::reading::batch;
use crate::report_oracle::Oracle;

pub fn tests() -> Vec<crate::Case> {
    let cases = crate::cases![statements_equal_those_of_hledger];
    cases.into_iter().map(|case| case.needs(missing)).collect()
}

fn statements_equal_those_of_hledger(server: &Server) {
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
}
