//! The short form of `make siege`: each attack runs for a moment, and the victim gets every answer.

use std::time::Duration;

use daybook_tests::Engine;
use daybook_tests::siege::{Bounds, Plan, Size, run_all};

use crate::Case;

pub fn tests() -> Vec<Case> {
    crate::isolated![nobody_is_kept_from_their_work]
}

/// What a server must keep to on a machine that runs other tests meanwhile. How fast it is then
/// says nothing, but a victim that waits for the attacker's work to end would wait longer.
const BOUNDS: Bounds =
    Bounds { p99: Duration::from_secs(10), event: Duration::from_secs(10), resident: 1024.0 };

fn nobody_is_kept_from_their_work(engine: Engine) {
    let plan = Plan {
        engine,
        size: Size::Small,
        peace: Duration::from_millis(300),
        attack: Duration::from_millis(1_500),
        connections: 8,
    };
    let sieges = run_all(plan).expect("the attacks are prepared");
    let held = |siege: &_| (daybook_tests::siege::Siege::violations(siege, BOUNDS), siege.name);
    let broken: Vec<_> = sieges.iter().map(held).filter(|(found, _)| !found.is_empty()).collect();
    assert!(broken.is_empty(), "{broken:?}");
    // An attack that is refused at once, or never sent, would show nothing.
    for siege in &sieges {
        assert!(siege.got.values().sum::<u64>() > 0, "{}: nothing was sent", siege.name);
    }
}
