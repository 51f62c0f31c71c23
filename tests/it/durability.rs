//! Durability: what the server acknowledged survives its death.

use daybook_tests::Engine;
use daybook_tests::torture::Torture;

pub fn lone() -> Vec<crate::Lone> {
    crate::lone![acknowledged_transactions_survive_sigkill]
}

/// Three kills on one growing book; `make torture` does twenty.
fn acknowledged_transactions_survive_sigkill(engine: Engine) {
    let mut torture = Torture::start(engine, 1993).expect("a server with a book");
    let mut acknowledged = 0;
    for _ in 0..3 {
        let round = torture.round().expect("a round of writing, killing and reading");
        let (number, count) = (round.number, round.violations.len());
        let first: Vec<&String> = round.violations.iter().take(20).collect();
        assert!(first.is_empty(), "round {number}, the first of {count} violations: {first:#?}");
        acknowledged += round.acknowledged;
    }
    assert!(acknowledged > 0, "the clients wrote before the kills");
}
