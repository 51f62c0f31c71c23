//! 2.4: the pages of a list keep the date of the first page. The test needs its own store to let a
//! day pass.

use daybook_domain::field::Field;
use daybook_domain::instant::Instant;
use daybook_domain::transaction::Changes;
use daybook_service::transaction::Request;
use daybook_tests::Engine;

use crate::Case;
use crate::inside::Inside;

pub fn tests() -> Vec<Case> {
    crate::isolated![rule_2_4_days_stay_those_of_the_first_page]
}

/// 2025-11-12 23:59:59 in UTC, and two seconds later.
const EVENING: Instant = Instant::new(1_762_991_999_000);
const MORNING: Instant = Instant::new(1_762_992_001_000);

fn rule_2_4_days_stay_those_of_the_first_page(engine: Engine) {
    let mut inside = Inside::new(engine, EVENING, daybook_domain::book::Changes::default());
    let draft = |date: &str| Changes {
        description: Field::Set(date.to_owned()),
        date: Field::Set(date.to_owned()),
        amount: Field::Set("1".to_owned()),
        ..Changes::default()
    };
    inside.record(["2025-11-12", "2025-11-12", "2025-11-12", "2025-11-13"].map(draft).to_vec());
    let first = Request { query: "on:$d".into(), limit: Some(2), ..Request::default() };
    let listed = inside.list(&first);
    assert_eq!(listed.view.transactions.len(), 2);
    inside.cx.now = MORNING;
    let rest = Request { after: listed.next, requested_at: Some(EVENING), ..first.clone() };
    let rows = inside.list(&rest).view.transactions;
    assert_eq!(rows.iter().map(|row| row.description.as_str()).collect::<Vec<_>>(), ["2025-11-12"]);
    let anew = inside.list(&first).view.transactions;
    assert_eq!(anew.iter().map(|row| row.description.as_str()).collect::<Vec<_>>(), ["2025-11-13"]);
}
