//! Availability under fire: one user with one token does the worst that its token allows, and
//! another one, who reads a page and records a transaction ten times a second, must hardly notice.
//!
//! Each attack of [`attack::ALL`] has a server of its own, with what it needs prepared. The victim
//! works for a while in peace, and then while the attackers' connections are at it.

pub mod attack;
mod env;
mod load;
mod peak;
mod verdict;
mod victim;

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use anyhow::Context;

use crate::load::Samples;
use crate::{Backdoor, Engine, pause};
use attack::{Attack, Weapon};
use env::Ground;
use load::Gun;
use victim::{Suffered, Victim};

pub use env::Size;
pub use load::{connect_from_elsewhere, is_open};
pub use verdict::{Bounds, table};

/// How long and how hard an attack is.
#[derive(Clone, Copy, Debug)]
pub struct Plan {
    /// The database engine.
    pub engine: Engine,
    /// How much is prepared.
    pub size: Size,
    /// For how long the victim is watched in peace.
    pub peace: Duration,
    /// For how long it is attacked.
    pub attack: Duration,
    /// Connections of the attacker.
    pub connections: usize,
}

/// What came of an attack.
#[derive(Clone, Debug)]
pub struct Siege {
    /// Which attack it was.
    pub name: &'static str,
    /// What the victim's requests took in peace.
    pub before: Samples,
    /// What they took during the attack.
    pub during: Samples,
    /// Requests of the victim that were refused or had no answer, during the attack.
    pub failed: Vec<String>,
    /// Answers of `/ready` other than 200, or none, during the attack.
    pub unready: Vec<String>,
    /// How long `/ready` took at most.
    pub ready: Duration,
    /// How long an event of the victim took at most to reach its app.
    pub event: Duration,
    /// The most resident memory of the process in MiB, since the attack began.
    pub resident: f64,
    /// What the attacker's requests were answered: status, or how they ended, and how many.
    pub got: BTreeMap<String, u64>,
    /// Bytes that the attacker was answered.
    pub bytes: u64,
    /// Bytes of answers that are kept beyond the storage quota, where it was measured.
    pub beyond_quota: Option<i64>,
    /// Whether the process ended, or panicked.
    pub aborted: Option<String>,
}

/// Prepares and carries out one attack.
pub fn run(attack: &Attack, plan: Plan) -> anyhow::Result<Siege> {
    let mut ground = Ground::start(plan, Some(attack))?;
    carry_out(attack, &mut ground, plan)
}

/// Carries out all attacks one after another, on one server where they need no special one.
pub fn run_all(plan: Plan) -> anyhow::Result<Vec<Siege>> {
    let mut ground = Ground::start(plan, None)?;
    let carried_out = attack::ALL.iter().map(|attack| {
        if attack.needs_own_server() {
            run(attack, plan)
        } else {
            carry_out(attack, &mut ground, plan)
        }
    });
    carried_out.collect()
}

fn carry_out(attack: &Attack, ground: &mut Ground, plan: Plan) -> anyhow::Result<Siege> {
    let weapon = (attack.prepare)(ground).with_context(|| format!("preparing {}", attack.name))?;
    let victim = Victim::new(ground)?;
    let before = victim.work(plan.peace);
    peak::forget(ground.server.pid());
    let (during, fired) = under_fire(&victim, &weapon, ground, plan);
    let resident = peak::resident(ground.server.pid());
    let beyond_quota = attack.quota.map(|quota| kept_answers(ground) - quota);
    let log = ground.server.log();
    let aborted = if ground.server.has_ended() {
        Some("the process has ended".to_owned())
    } else {
        log.lines().find(|line| line.contains("panicked")).map(str::to_owned)
    };
    Ok(Siege {
        name: attack.name,
        before: before.took,
        during: during.took,
        failed: during.failed,
        unready: during.unready,
        ready: during.ready,
        event: during.event,
        resident,
        got: fired.got,
        bytes: fired.bytes,
        beyond_quota,
        aborted,
    })
}

/// Bytes of the bodies that are kept under idempotency keys. Those of which only the ids are kept
/// do not count: they are no longer than what was sent.
fn kept_answers(ground: &Ground) -> i64 {
    let mut database = Backdoor::open(&ground.server);
    let sum = "SELECT CAST(COALESCE(SUM(LENGTH(body)), 0) AS BIGINT) FROM idempotency_keys";
    database.count(&format!("{sum} WHERE form <> 2"))
}

/// What the attacker got.
#[derive(Default)]
struct Fired {
    got: BTreeMap<String, u64>,
    bytes: u64,
}

/// Lets all connections fire while the victim works.
fn under_fire(victim: &Victim, weapon: &Weapon, ground: &Ground, plan: Plan) -> (Suffered, Fired) {
    let deadline = Instant::now() + plan.attack;
    let turns = AtomicU64::new(0);
    let fire = || {
        let mut fired = Fired::default();
        let gun = Gun::new(ground, deadline);
        while Instant::now() < deadline {
            let (outcome, bytes) = match weapon {
                Weapon::Requests(make) => gun.fire(&make(turns.fetch_add(1, Ordering::Relaxed))),
                Weapon::Idle(many) => gun.hold_idle(*many / plan.connections),
            };
            *fired.got.entry(outcome).or_default() += 1;
            fired.bytes += bytes;
        }
        fired
    };
    std::thread::scope(|scope| {
        let attackers: Vec<_> = (0..plan.connections).map(|_| scope.spawn(fire)).collect();
        // The attackers come first.
        pause(Duration::from_millis(100).min(plan.attack / 4));
        let suffered = victim.work(plan.attack);
        let mut all = Fired::default();
        for attacker in attackers {
            let fired = attacker.join().expect("an attacker does not panic");
            all.bytes += fired.bytes;
            for (outcome, count) in fired.got {
                *all.got.entry(outcome).or_default() += count;
            }
        }
        (suffered, all)
    })
}
