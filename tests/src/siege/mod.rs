//! Availability under attack: a user with one token sends the worst requests that the token allows.
//! Another user, who reads a page and records a transaction ten times a second, must hardly notice.
//!
//! Each attack of [`attack::ALL`] runs on a prepared server. The victim first works without an
//! attack, then while the attacker's connections send requests.

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
use crate::{Engine, RawSql, pause};
use attack::{Attack, Traffic};
use env::SiegeEnv;
use load::AttackConnection;
use victim::{Victim, VictimReport};

pub use env::Size;
pub use load::{connect_from_elsewhere, is_open};
pub use verdict::{Bounds, table};

/// The length and the intensity of an attack.
#[derive(Clone, Copy, Debug)]
pub struct Plan {
    /// The database engine.
    pub engine: Engine,
    /// The amount of prepared data.
    pub size: Size,
    /// How long the victim works without an attack.
    pub baseline: Duration,
    /// How long the attack lasts.
    pub attack: Duration,
    /// The number of the attacker's connections.
    pub connections: usize,
}

/// The result of an attack.
#[derive(Clone, Debug)]
pub struct Siege {
    /// The name of the attack.
    pub name: &'static str,
    /// The victim's latencies before the attack.
    pub before: Samples,
    /// The victim's latencies during the attack.
    pub during: Samples,
    /// Requests of the victim that failed during the attack.
    pub failed: Vec<String>,
    /// Answers of `/ready` other than 200 during the attack.
    pub unready: Vec<String>,
    /// The longest latency of `/ready`.
    pub ready: Duration,
    /// The longest time until an event of the victim reached its app.
    pub event: Duration,
    /// The peak resident memory of the process in MiB during the attack.
    pub resident: f64,
    /// The outcomes of the attacker's requests (status or kind of end) with their number.
    pub got: BTreeMap<String, u64>,
    /// The bytes that the attacker received.
    pub bytes: u64,
    /// The bytes of stored answers above the storage quota, if measured.
    pub beyond_quota: Option<i64>,
    /// Whether the process ended or panicked.
    pub aborted: Option<String>,
}

/// Prepares and runs one attack.
pub fn run(attack: &Attack, plan: Plan) -> anyhow::Result<Siege> {
    let mut env = SiegeEnv::start(plan, Some(attack))?;
    run_on(attack, &mut env, plan)
}

/// Runs all attacks in sequence, on one server unless an attack needs its own.
pub fn run_all(plan: Plan) -> anyhow::Result<Vec<Siege>> {
    let mut env = SiegeEnv::start(plan, None)?;
    let carried_out = attack::ALL.iter().map(|attack| {
        if attack.needs_own_server() { run(attack, plan) } else { run_on(attack, &mut env, plan) }
    });
    carried_out.collect()
}

fn run_on(attack: &Attack, env: &mut SiegeEnv, plan: Plan) -> anyhow::Result<Siege> {
    let traffic = (attack.prepare)(env).with_context(|| format!("preparing {}", attack.name))?;
    let victim = Victim::new(env)?;
    let before = victim.work(plan.baseline);
    peak::forget(env.server.pid());
    let (during, outcomes) = attack_while_working(&victim, &traffic, env, plan);
    let resident = crate::peak_memory(env.server.pid());
    let beyond_quota = attack.quota.map(|quota| stored_answer_bytes(env) - quota);
    let log = env.server.log();
    let aborted = if env.server.has_ended() {
        Some("the process has ended".to_owned())
    } else {
        log.lines().find(|line| line.contains("panicked")).map(str::to_owned)
    };
    Ok(Siege {
        name: attack.name,
        before: before.latencies,
        during: during.latencies,
        failed: during.failed,
        unready: during.unready,
        ready: during.ready,
        event: during.event,
        resident,
        got: outcomes.got,
        bytes: outcomes.bytes,
        beyond_quota,
        aborted,
    })
}

/// The bytes of bodies stored under idempotency keys. Bodies of which only ids are stored do not
/// count: they are no longer than their requests.
fn stored_answer_bytes(env: &SiegeEnv) -> i64 {
    let mut database = RawSql::open(&env.server);
    let sum = "SELECT CAST(COALESCE(SUM(LENGTH(body)), 0) AS BIGINT) FROM idempotency_keys";
    database.count(&format!("{sum} WHERE form <> 2"))
}

/// The outcomes of the attacker's requests.
#[derive(Default)]
struct Outcomes {
    got: BTreeMap<String, u64>,
    bytes: u64,
}

/// Runs all connections of the attacker while the victim works.
fn attack_while_working(
    victim: &Victim,
    traffic: &Traffic,
    env: &SiegeEnv,
    plan: Plan,
) -> (VictimReport, Outcomes) {
    let deadline = Instant::now() + plan.attack;
    let turns = AtomicU64::new(0);
    let fire = || {
        let mut outcomes = Outcomes::default();
        let connection = AttackConnection::new(env, deadline);
        while Instant::now() < deadline {
            let (outcome, bytes) = match traffic {
                Traffic::Requests(make) => {
                    connection.send_request(&make(turns.fetch_add(1, Ordering::Relaxed)))
                }
                Traffic::Idle(many) => connection.hold_idle(*many / plan.connections),
                Traffic::Streams(many, make) => {
                    let first = turns.fetch_add(1, Ordering::Relaxed);
                    let first = usize::try_from(first).expect("a few connections");
                    let own = (first..*many).step_by(plan.connections);
                    connection.hold_streams(own.map(make).collect())
                }
            };
            *outcomes.got.entry(outcome).or_default() += 1;
            outcomes.bytes += bytes;
        }
        outcomes
    };
    std::thread::scope(|scope| {
        let attackers: Vec<_> = (0..plan.connections).map(|_| scope.spawn(fire)).collect();
        // The attack starts first.
        pause(Duration::from_millis(100).min(plan.attack / 4));
        let report = victim.work(plan.attack);
        let mut all = Outcomes::default();
        for attacker in attackers {
            let outcomes = attacker.join().expect("an attacker does not panic");
            all.bytes += outcomes.bytes;
            for (outcome, count) in outcomes.got {
                *all.got.entry(outcome).or_default() += count;
            }
        }
        (report, all)
    })
}
