//! Durability: acknowledged writes survive kills and other faults. `make torture` runs each for
//! longer.

use daybook_tests::torture::Torture;
use daybook_tests::torture::faults::{self, Fault};
use daybook_tests::{Engine, setting};

use crate::Case;

pub fn tests() -> Vec<Case> {
    let mut cases = crate::isolated![acknowledged_transactions_survive_sigkill];
    for (name, fault, turns) in [
        ("writes_survive_the_kill_of_one_of_two_processes", Fault::ProcessKilled, 2),
        ("writes_survive_a_kill_of_postgres", Fault::PostgresKilled, 2),
        ("writes_survive_cut_connections", Fault::ConnectionsCut, 1),
        ("writes_survive_a_full_disk", Fault::DiskFull, 1),
        ("writes_survive_a_clock_change", Fault::ClockSet, 3),
    ] {
        cases.push(Case::isolated(name, move |engine| check_fault(fault, engine, turns)));
    }
    cases
}

/// At least three kills on one growing book; `make torture` does twenty.
fn acknowledged_transactions_survive_sigkill(engine: Engine) {
    let mut torture = Torture::start(engine, 1993).expect("a server with a book");
    let mut acknowledged = 0;
    // On a busy machine clients may write nothing before a kill; then repeat.
    for turn in 0..30 {
        if turn >= 3 && acknowledged > 0 {
            break;
        }
        let round = torture.round().expect("a round of writing, killing and reading");
        let (number, count) = (round.number, round.violations.len());
        let first: Vec<&String> = round.violations.iter().take(20).collect();
        assert!(first.is_empty(), "round {number}, the first of {count} violations: {first:#?}");
        acknowledged += round.acknowledged;
    }
    assert!(acknowledged > 0, "the clients wrote before the kills");
}

/// Checks that no acknowledged write is lost, no partial write is visible, the audit is clean, and
/// requests are served within 5 s. A fault that this machine cannot produce is skipped; in CI that
/// is a failure.
#[track_caller]
fn check_fault(fault: Fault, engine: Engine, turns: usize) {
    if let Some(what) = faults::missing(fault) {
        assert!(setting("CI").is_none(), "{what}");
        eprintln!("left out: {what}");
        return;
    }
    if !fault.applies_to(engine) {
        return;
    }
    let report = faults::run_fault(fault, engine, turns, 1993).expect("servers with a book");
    assert!(report.violations.is_empty(), "{fault}: {report:#?}");
}
