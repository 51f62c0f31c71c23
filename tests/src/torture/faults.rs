//! Faults that befall a service while clients write: nothing acknowledged is lost, nothing half is
//! seen, the audit is clean, and the service comes back by itself.

use std::fmt;
use std::net::SocketAddr;
use std::time::{Duration, Instant};

use anyhow::Context;

use super::stage::Stage;
pub use super::stage::missing;
use super::watch::{Seen, Watch};
use super::writers::{Persisted, Persistent};
use super::{CLIENTS, Torture};
use crate::{Engine, Server, pause};

/// Within this time after the end of a fault everybody is served again.
pub const BACK_WITHIN: Duration = Duration::from_secs(5);

/// The same on a machine that runs other tests meanwhile.
const BACK_IN_ANY_CASE: Duration = Duration::from_secs(20);

/// How long the end is waited for, so that the table shows how long it took.
const WAIT: Duration = Duration::from_secs(60);

/// What happens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// SIGKILL of one of two processes on one PostgreSQL.
    ProcessKilled,
    /// SIGKILL of PostgreSQL and all of its processes; it is started again.
    PostgresKilled,
    /// The immediate shutdown of PostgreSQL; it is started again.
    PostgresStopped,
    /// Connections to PostgreSQL are ended one by one.
    ConnectionsCut,
    /// No room is left where the database lies, and then again.
    DiskFull,
    /// The clock is set back and forward by an hour, during writes and between them.
    ClockSet,
}

impl Fault {
    /// All of them.
    pub const ALL: [Fault; 6] = [
        Fault::ProcessKilled,
        Fault::PostgresKilled,
        Fault::PostgresStopped,
        Fault::ConnectionsCut,
        Fault::DiskFull,
        Fault::ClockSet,
    ];

    /// Whether it can befall a service on this engine.
    pub fn befalls(self, engine: Engine) -> bool {
        engine == Engine::Postgres || matches!(self, Fault::DiskFull | Fault::ClockSet)
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(match self {
            Fault::ProcessKilled => "process killed",
            Fault::PostgresKilled => "PostgreSQL killed",
            Fault::PostgresStopped => "PostgreSQL stopped",
            Fault::ConnectionsCut => "connections cut",
            Fault::DiskFull => "disk full",
            Fault::ClockSet => "clock set",
        })
    }
}

/// What a service went through, and what it showed afterwards.
#[derive(Clone, Debug, Default)]
pub struct Endured {
    /// How often it happened.
    pub turns: usize,
    /// Transactions acknowledged.
    pub acknowledged: usize,
    /// Requests answered 503.
    pub unavailable: usize,
    /// Requests that were not acknowledged, those answered 503 among them.
    pub in_doubt: usize,
    /// Acknowledged transactions that are not there.
    pub lost: usize,
    /// Requests that are there in part, and reads that saw something half done.
    pub half_seen: usize,
    /// Findings of the audit.
    pub findings: u64,
    /// The longest time from the end of the fault until every client had been acknowledged
    /// another write, and the reader had been answered.
    pub back_within: Duration,
    /// Between the instants of the first and the last event.
    pub span: Duration,
    /// Everything that is not as it must be.
    pub violations: Vec<String>,
}

impl Endured {
    /// The heads of the table's columns.
    pub fn heads() -> String {
        row([
            "fault",
            "engine",
            "times",
            "acknowledged",
            "503",
            "in doubt",
            "lost",
            "half seen",
            "audit",
            "back within",
        ])
    }

    /// A row of the table.
    pub fn row(&self, fault: Fault, engine: Engine) -> String {
        let audit = if self.findings == 0 { "clean".to_owned() } else { self.findings.to_string() };
        row([
            &fault.to_string(),
            &engine.to_string(),
            &self.turns.to_string(),
            &self.acknowledged.to_string(),
            &self.unavailable.to_string(),
            &self.in_doubt.to_string(),
            &self.lost.to_string(),
            &self.half_seen.to_string(),
            &audit,
            &format!("{:.2} s", self.back_within.as_secs_f64()),
        ])
    }
}

fn row(cells: [&str; 10]) -> String {
    let [fault, engine, times, acknowledged, unavailable, in_doubt, lost, half, audit, back] =
        cells;
    format!(
        "{fault:<20}{engine:<10}{times:>5}{acknowledged:>14}{unavailable:>8}{in_doubt:>10}\
            {lost:>6}{half:>11}{audit:>8}{back:>13}"
    )
}

/// Clients that write, and one that reads.
pub(crate) struct Load {
    writers: Persistent,
    watch: Watch,
}

/// What they did, and were answered.
pub(crate) struct Done {
    written: Persisted,
    seen: Seen,
}

impl Load {
    /// Waits until every client got an acknowledgement after this moment and the reader an answer;
    /// how long that took, or nothing when it took too long.
    pub(crate) fn back_since(&self, over: Instant, limit: Duration) -> Option<Duration> {
        let written = self.writers.all_acknowledged(over, limit)?;
        Some(written.max(self.watch.answered(over, limit)?))
    }

    pub(crate) fn stop(self) -> anyhow::Result<Done> {
        Ok(Done { written: self.writers.stop()?, seen: self.watch.stop()? })
    }
}

impl Torture {
    /// Lets the clients begin, in turns on these servers.
    pub(crate) fn load(&mut self, addresses: &[SocketAddr]) -> anyhow::Result<Load> {
        let token = self.owner.token().context("the owner has a token")?.to_owned();
        let clients = (CLIENTS, addresses.to_vec());
        let writers = Persistent::start(clients, &token, &self.book, self.next, &mut self.dice);
        let watch = Watch::start(addresses.to_vec(), &token, &self.book);
        Ok(Load { writers, watch })
    }

    /// Compares the book with what they did.
    pub(crate) fn look(&mut self, done: Done) -> anyhow::Result<Endured> {
        let Done { written, seen } = done;
        self.next = written.next;
        let checked = self.check(written.sent)?;
        let mut endured = Endured {
            turns: 1,
            acknowledged: checked.acknowledged,
            unavailable: written.unavailable,
            in_doubt: checked.in_doubt,
            lost: checked.verdict.lost,
            half_seen: checked.verdict.half_seen + seen.half.len(),
            findings: checked.verdict.findings,
            span: checked.span,
            ..Endured::default()
        };
        if seen.answers == 0 || endured.acknowledged == 0 {
            endured.violations.push("nobody wrote or read".to_owned());
        }
        for found in [checked.verdict.violations, seen.half, seen.wrong, written.wrong] {
            endured.violations.extend(found);
        }
        if !endured.violations.is_empty() {
            endured.violations.push(format!("the servers say\n{}", self.log_end()));
        }
        Ok(endured)
    }
}

/// Lets it happen so many times while clients write, and looks at everything.
///
/// # Errors
/// What is missing on this machine, and what cannot be looked at.
pub fn endure(fault: Fault, engine: Engine, turns: usize, seed: u64) -> anyhow::Result<Endured> {
    if let Some(what) = missing(fault) {
        anyhow::bail!(what);
    }
    let (mut stage, servers) = Stage::set(fault, engine)?;
    let mut torture = Torture::on(servers, seed)?;
    let addresses: Vec<_> = torture.servers.iter().map(Server::address).collect();
    let load = torture.load(&addresses)?;
    let (mut back_within, mut late) = (Duration::ZERO, Vec::new());
    for turn in 0..turns {
        pause(Duration::from_millis(500 + torture.dice.below(500)));
        let over = stage.strike(&mut torture.servers, turn)?;
        let Some(back) = load.back_since(over, WAIT) else {
            late.push(format!("turn {turn}: not back within {WAIT:?}"));
            break;
        };
        back_within = back_within.max(back);
    }
    let done = load.stop()?;
    stage.rest(&mut torture.servers)?;
    let mut endured = torture.look(done)?;
    endured.turns = turns;
    endured.back_within = back_within;
    endured.violations.extend(late);
    if back_within > BACK_IN_ANY_CASE {
        endured.violations.push(format!("back only after {back_within:?}"));
    }
    let traces = match fault {
        Fault::ClockSet => endured.span >= Duration::from_secs(3_600),
        _ => endured.in_doubt > 0,
    };
    if !traces {
        endured.violations.push("it left no trace: did it happen?".to_owned());
    }
    Ok(endured)
}

/// How long it takes from a moment until `last`, in microseconds since `begun`, comes after it;
/// nothing when that takes too long.
pub(super) fn wait_until(
    (begun, since): (Instant, Instant),
    limit: Duration,
    last: impl Fn() -> u64,
) -> Option<Duration> {
    let since = micros(since.duration_since(begun));
    loop {
        let now = begun.elapsed();
        if last() > since {
            return Some(now.saturating_sub(Duration::from_micros(since)));
        }
        if now > Duration::from_micros(since) + limit {
            return None;
        }
        pause(Duration::from_millis(2));
    }
}

pub(super) fn micros(time: Duration) -> u64 {
    u64::try_from(time.as_micros()).unwrap_or(u64::MAX)
}
