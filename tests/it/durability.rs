//! Durability: acknowledged writes survive kills and other faults. `make torture` runs each for
//! longer.

use daybook_tests::torture::Torture;
use daybook_tests::torture::faults::{self, Fault};
use daybook_tests::{Engine, setting};

pub fn tests() -> Vec<crate::Case> {
    crate::isolated![
        acknowledged_transactions_survive_sigkill,
        writes_survive_the_kill_of_one_of_two_processes,
        writes_survive_a_kill_of_postgres,
        writes_survive_cut_connections,
        writes_survive_a_full_disk,
        writes_survive_a_clock_change,
    ]
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
/// requests are served within 5 s.
#[track_caller]
fn check_fault(fault: Fault, engine: Engine, turns: usize) {
    if !fault.applies_to(engine) {
        return;
    }
    let report = faults::run_fault(fault, engine, turns, 1993).expect("servers with a book");
    assert!(report.violations.is_empty(), "{fault}: {report:#?}");
}

fn writes_survive_the_kill_of_one_of_two_processes(engine: Engine) {
    check_fault(Fault::ProcessKilled, engine, 2);
}

fn writes_survive_a_kill_of_postgres(engine: Engine) {
    check_fault(Fault::PostgresKilled, engine, 2);
}

fn writes_survive_cut_connections(engine: Engine) {
    check_fault(Fault::ConnectionsCut, engine, 1);
}

fn writes_survive_a_full_disk(engine: Engine) {
    check_fault_where_possible(Fault::DiskFull, engine, 1);
}

fn writes_survive_a_clock_change(engine: Engine) {
    check_fault_where_possible(Fault::ClockSet, engine, 3);
}

/// Skips a fault that this machine cannot produce; in CI that is a failure.
fn check_fault_where_possible(fault: Fault, engine: Engine, turns: usize) {
    match faults::missing(fault) {
        Some(what) => {
            assert!(setting("CI").is_none(), "{what}");
            eprintln!("left out: {what}");
        }
        None => check_fault(fault, engine, turns),
    }
}
