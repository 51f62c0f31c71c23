//! Failover: two PostgreSQL servers with synchronous replication under Patroni and etcd, and a
//! Daybook whose database URL names both. The primary is killed repeatedly while clients write. No
//! acknowledged write may be lost, and writes must continue.

mod node;

use std::net::SocketAddr;
use std::time::{Duration, Instant};

use anyhow::{Context, ensure};

use crate::torture::Torture;
use crate::torture::faults::FaultReport;
use crate::{Engine, Options, Server, pause};
use node::Patroni;

/// All clients must be able to write again within this time after the kill.
pub const WRITES_WITHIN: Duration = Duration::from_secs(30);

/// The timeout of every wait.
const WAIT: Duration = Duration::from_secs(120);

/// Writes that were in flight when the primary was killed may be acknowledged for this long.
const IN_FLIGHT_TIME: Duration = Duration::from_secs(1);

/// A service on a pair of servers.
pub struct Pair {
    patroni: Patroni,
    torture: Torture,
    addresses: Vec<SocketAddr>,
}

/// The result of one kill.
#[derive(Debug)]
pub struct Failover {
    /// The killed server.
    pub killed: &'static str,
    /// The time from the kill until the other server accepted writes.
    pub promoted: Duration,
    /// The observations of the clients, and the state of the book.
    pub report: FaultReport,
}

impl Pair {
    /// Starts everything and waits for a synchronous standby.
    ///
    /// # Errors
    /// When a tool is missing or does not start.
    pub fn start(seed: u64) -> anyhow::Result<Pair> {
        let mut patroni = Patroni::start()?;
        patroni.wait_for_pair(WAIT)?;
        let server = Server::start_with(Options {
            engine: Engine::Postgres,
            database_url: Some(patroni.url()),
            ..Options::default()
        });
        let addresses = vec![server.address()];
        let torture = Torture::on(vec![server], seed)?;
        Ok(Pair { patroni, torture, addresses })
    }

    /// Kills the primary while clients write. The supervisor restarts it after the failover.
    ///
    /// # Errors
    /// When no failover happens or the book cannot be read.
    pub fn round(&mut self) -> anyhow::Result<Failover> {
        let primary = self.patroni.wait_for_pair(WAIT)?;
        self.torture.start_new_book()?;
        let load = self.torture.load(&self.addresses)?;
        pause(Duration::from_secs(2));
        let killed = self.patroni.kill(primary);
        let died = Instant::now();
        let promoted = self.patroni.wait_for_other(primary, WAIT)?;
        self.patroni.revive(primary)?;
        let back = load.back_since(died + IN_FLIGHT_TIME, WAIT);
        let said = if back.is_none() { self.patroni.logs() } else { String::new() };
        pause(Duration::from_millis(500));
        let mut report = self.torture.look(load.stop()?)?;
        ensure!(back.is_some(), "no writes within {WAIT:?}: {report:?}\n{said}");
        report.back_within = back.context("checked above")? + IN_FLIGHT_TIME;
        if report.back_within > WRITES_WITHIN {
            let late = format!("writes went on only after {:?}", report.back_within);
            report.violations.push(late);
        }
        Ok(Failover { killed, promoted: promoted - died, report })
    }

    /// Checks the books of earlier rounds for damage by later kills.
    ///
    /// # Errors
    /// When the books cannot be read.
    pub fn check_earlier_rounds(&self) -> anyhow::Result<Vec<String>> {
        self.torture.check_finished_books()
    }
}
