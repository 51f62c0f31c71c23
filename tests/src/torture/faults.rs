//! Faults of a service while clients write: acknowledged writes survive, readers see no partial
//! write, the audit is clean, and the service recovers without help.

use std::fmt;
use std::net::SocketAddr;
use std::time::{Duration, Instant};

use anyhow::Context;

use super::Torture;
use super::infrastructure::Infrastructure;
pub use super::infrastructure::missing;
use super::watch::{Seen, Watch};
use super::writers::{ClientReport, Persistent};
use crate::{Engine, Server, pause};

/// All clients must be served again within this time after a fault.
pub const BACK_WITHIN: Duration = Duration::from_secs(5);

/// The limit on a machine that runs other tests at the same time.
const BACK_WITHIN_UNDER_LOAD: Duration = Duration::from_secs(20);

/// The timeout of the wait for recovery, so that the table shows the time it took.
const WAIT: Duration = Duration::from_secs(60);

/// The kinds of fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// SIGKILL of one of two processes on one PostgreSQL.
    ProcessKilled,
    /// SIGKILL of PostgreSQL and all of its processes, then a restart.
    PostgresKilled,
    /// Immediate shutdown of PostgreSQL, then a restart.
    PostgresStopped,
    /// Termination of the connections to PostgreSQL, one by one.
    ConnectionsCut,
    /// The disk of the database is full for a while.
    DiskFull,
    /// The clock is set back and forward by an hour, during and between writes.
    ClockSet,
}

impl Fault {
    /// All faults.
    pub const ALL: [Fault; 6] = [
        Fault::ProcessKilled,
        Fault::PostgresKilled,
        Fault::PostgresStopped,
        Fault::ConnectionsCut,
        Fault::DiskFull,
        Fault::ClockSet,
    ];

    /// Whether the fault exists on this engine.
    pub fn applies_to(self, engine: Engine) -> bool {
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

/// The result of repeated faults.
#[derive(Clone, Debug, Default)]
pub struct FaultReport {
    /// The number of faults.
    pub times: usize,
    /// Transactions acknowledged.
    pub acknowledged: usize,
    /// Requests answered 503.
    pub unavailable: usize,
    /// Requests without an acknowledgement, including 503 answers.
    pub in_doubt: usize,
    /// Acknowledged transactions that are missing.
    pub lost: usize,
    /// Requests recorded in part, and reads of partial writes.
    pub half_seen: usize,
    /// Findings of the audit.
    pub findings: u64,
    /// The longest time from the end of a fault until every client had another write acknowledged
    /// and the reader an answer.
    pub back_within: Duration,
    /// The time between the first and the last event.
    pub span: Duration,
    /// All violations.
    pub violations: Vec<String>,
}

impl FaultReport {
    /// The header row of the table.
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
            &self.times.to_string(),
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

/// The writing clients and the reading one.
pub(crate) struct Load {
    writers: Persistent,
    watch: Watch,
}

/// The requests and observations of the clients.
pub(crate) struct Done {
    written: ClientReport,
    seen: Seen,
}

impl Load {
    /// Waits until every client got an acknowledgement and the reader an answer after this moment;
    /// returns the time, or `None` after the limit.
    pub(crate) fn back_since(&self, over: Instant, limit: Duration) -> Option<Duration> {
        let written = self.writers.all_acknowledged(over, limit)?;
        Some(written.max(self.watch.answered(over, limit)?))
    }

    pub(crate) fn stop(self) -> anyhow::Result<Done> {
        Ok(Done { written: self.writers.stop()?, seen: self.watch.stop()? })
    }
}

impl Torture {
    /// Starts the clients, alternating over these servers.
    pub(crate) fn load(&mut self, addresses: &[SocketAddr]) -> anyhow::Result<Load> {
        let token = self.owner.token().context("the owner has a token")?.to_owned();
        let writers = self.start_writers(addresses.to_vec())?;
        let watch = Watch::start(addresses.to_vec(), &token, &self.book);
        Ok(Load { writers, watch })
    }

    /// Compares the book with what the clients did.
    pub(crate) fn look(&mut self, done: Done) -> anyhow::Result<FaultReport> {
        let Done { written, seen } = done;
        self.next = written.next;
        let checked = self.check(written.sent)?;
        let mut report = FaultReport {
            times: 1,
            acknowledged: checked.acknowledged,
            unavailable: written.unavailable,
            in_doubt: checked.in_doubt,
            lost: checked.verdict.lost,
            half_seen: checked.verdict.half_seen + seen.half.len(),
            findings: checked.verdict.findings,
            span: checked.span,
            ..FaultReport::default()
        };
        if seen.answers == 0 || report.acknowledged == 0 {
            report.violations.push("no client wrote or read".to_owned());
        }
        for found in [checked.verdict.violations, seen.half, seen.wrong, written.wrong] {
            report.violations.extend(found);
        }
        if !report.violations.is_empty() {
            report.violations.push(format!("the servers say\n{}", self.log_end()));
        }
        Ok(report)
    }
}

/// Injects a fault repeatedly while clients write, and checks everything.
///
/// # Errors
/// When a tool is missing on this machine, or the book cannot be read.
pub fn run_fault(
    fault: Fault,
    engine: Engine,
    times: usize,
    seed: u64,
) -> anyhow::Result<FaultReport> {
    if let Some(what) = missing(fault) {
        anyhow::bail!(what);
    }
    let (mut infrastructure, servers) = Infrastructure::set(fault, engine)?;
    let mut torture = Torture::on(servers, seed)?;
    let addresses: Vec<_> = torture.servers.iter().map(Server::address).collect();
    let load = torture.load(&addresses)?;
    let (mut back_within, mut late) = (Duration::ZERO, Vec::new());
    for turn in 0..times {
        pause(Duration::from_millis(500 + torture.rng.below(500)));
        let over = infrastructure.inject(&mut torture.servers, turn)?;
        let Some(back) = load.back_since(over, WAIT) else {
            late.push(format!("turn {turn}: not back within {WAIT:?}"));
            break;
        };
        back_within = back_within.max(back);
    }
    let done = load.stop()?;
    infrastructure.rest(&mut torture.servers)?;
    let mut report = torture.look(done)?;
    report.times = times;
    report.back_within = back_within;
    report.violations.extend(late);
    if back_within > BACK_WITHIN_UNDER_LOAD {
        report.violations.push(format!("back only after {back_within:?}"));
    }
    let traces = match fault {
        Fault::ClockSet => report.span >= Duration::from_secs(3_600),
        _ => report.in_doubt > 0,
    };
    if !traces {
        report.violations.push("it left no trace: did it happen?".to_owned());
    }
    Ok(report)
}

/// Waits until `last`, in microseconds since `begun`, is after a moment; returns the time it took,
/// or `None` after the limit.
pub(super) fn wait_until(
    begun: Instant,
    since: Instant,
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
