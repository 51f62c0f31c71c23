//! Two PostgreSQL servers with synchronous replication under Patroni and etcd, and a Daybook whose
//! address names both. The primary is killed while clients write, again and again: nothing
//! acknowledged is lost, and writes go on.

mod node;

use std::net::SocketAddr;
use std::time::{Duration, Instant};

use anyhow::{Context, ensure};

use crate::torture::Torture;
use crate::torture::faults::Endured;
use crate::{Engine, Options, Server, pause};
use node::Patroni;

/// Within this time after the kill everybody writes again.
pub const WRITES_WITHIN: Duration = Duration::from_secs(30);

/// How long anything is waited for.
const WAIT: Duration = Duration::from_secs(120);

/// What was on its way when the primary died may be acknowledged for this long.
const LAST_WORDS: Duration = Duration::from_secs(1);

/// A service on a pair of servers.
pub struct Pair {
    patroni: Patroni,
    torture: Torture,
    addresses: Vec<SocketAddr>,
}

/// What came of one kill.
#[derive(Debug)]
pub struct Failover {
    /// The server that was killed.
    pub killed: &'static str,
    /// From the kill until the other one took writes.
    pub promoted: Duration,
    /// What the clients saw, and the book showed.
    pub endured: Endured,
}

impl Pair {
    /// Starts everything, and waits until a standby is synchronous.
    ///
    /// # Errors
    /// What is missing on this machine, or does not start.
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

    /// Kills the primary while clients write; its supervisor starts it again when the other one
    /// has taken over.
    ///
    /// # Errors
    /// When nobody takes over, or nothing can be looked at.
    pub fn round(&mut self) -> anyhow::Result<Failover> {
        let primary = self.patroni.wait_for_pair(WAIT)?;
        self.torture.turn_over()?;
        let load = self.torture.load(&self.addresses)?;
        pause(Duration::from_secs(2));
        let killed = self.patroni.kill(primary);
        let died = Instant::now();
        let promoted = self.patroni.wait_for_other(primary, WAIT)?;
        self.patroni.revive(primary)?;
        let back = load.back_since(died + LAST_WORDS, WAIT);
        let said = if back.is_none() { self.patroni.logs() } else { String::new() };
        pause(Duration::from_millis(500));
        let mut endured = self.torture.look(load.stop()?)?;
        ensure!(back.is_some(), "no writes within {WAIT:?}: {endured:?}\n{said}");
        endured.back_within = back.context("checked above")? + LAST_WORDS;
        if endured.back_within > WRITES_WITHIN {
            let late = format!("writes went on only after {:?}", endured.back_within);
            endured.violations.push(late);
        }
        Ok(Failover { killed, promoted: promoted - died, endured })
    }

    /// What later kills have done to the books of earlier rounds.
    ///
    /// # Errors
    /// When they cannot be looked at.
    pub fn look_back(&self) -> anyhow::Result<Vec<String>> {
        self.torture.look_at_closed()
    }
}
