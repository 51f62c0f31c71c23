//! The short form of `make siege`: each attack runs for a moment, and every request of the victim
//! succeeds.

use std::time::Duration;

use daybook_tests::Engine;
use daybook_tests::siege::{Bounds, Plan, Size, run_all};

use crate::Case;

pub fn tests() -> Vec<Case> {
    crate::isolated![victim_is_served_during_attacks]
}

/// The limits on a machine that runs other tests at the same time. Speed is not tested, but a
/// victim blocked until the attack ends would exceed them.
const BOUNDS: Bounds =
    Bounds { p99: Duration::from_secs(10), event: Duration::from_secs(10), resident: 1024.0 };

fn victim_is_served_during_attacks(engine: Engine) {
    let plan = Plan {
        engine,
        size: Size::Small,
        baseline: Duration::from_millis(300),
        attack: Duration::from_millis(1_500),
        connections: 8,
    };
    let sieges = run_all(plan).expect("the attacks are prepared");
    let held = |siege: &_| (daybook_tests::siege::Siege::violations(siege, BOUNDS), siege.name);
    let broken: Vec<_> = sieges.iter().map(held).filter(|(found, _)| !found.is_empty()).collect();
    assert!(broken.is_empty(), "{broken:?}");
    // An attack that is never sent would show nothing.
    for siege in &sieges {
        assert!(siege.got.values().sum::<u64>() > 0, "{}: nothing was sent", siege.name);
    }
}
