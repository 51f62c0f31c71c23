//! The threads that watch the primary and its replicas.
//!
//! They determine how far a replica lags behind and whether it is usable. Reads never wait for
//! them, and an unresponsive server blocks only its own thread.

use std::collections::VecDeque;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crate::conn::Conn;
use crate::conn::address::Address;
use crate::conn::log_position::{self, LogPosition};
use crate::conn::mode::Mode;
use crate::error::{Error, Result};

/// The interval between two checks of a server.
const WATCH_INTERVAL: Duration = Duration::from_millis(500);
/// How long the result of a check is valid.
const WATCH_TIMEOUT: Duration = Duration::from_secs(2);

/// The end of the primary's log over the last seconds.
#[derive(Debug)]
pub(crate) struct PrimaryLog {
    lag: Duration,
    positions: Mutex<VecDeque<(Instant, LogPosition)>>,
}

impl PrimaryLog {
    /// Keeps positions for the allowed lag of a replica.
    pub(crate) fn new(lag: Duration) -> Self {
        Self { lag, positions: Mutex::default() }
    }

    /// Records the end of the log. It was read at `at` or later.
    pub(crate) fn record(&self, at: Instant, end: LogPosition) {
        let mut positions = self.positions();
        positions.push_back((at, end));
        while positions.front().is_some_and(|(at, _)| at.elapsed() > self.lag) {
            positions.pop_front();
        }
    }

    /// Returns the position that a replica within the allowed lag has replayed.
    ///
    /// Returns nothing if the primary was not reachable during that time.
    pub(crate) fn floor(&self, now: Instant) -> Option<LogPosition> {
        let positions = self.positions();
        let mut recent = positions.iter().filter(|(at, _)| now.duration_since(*at) <= self.lag);
        recent.next().map(|(_, end)| *end)
    }

    fn positions(&self) -> MutexGuard<'_, VecDeque<(Instant, LogPosition)>> {
        self.positions.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The health of a replica: the instant until which it is usable.
#[derive(Debug, Default)]
pub(crate) struct ReplicaHealth(Mutex<Option<Instant>>);

impl ReplicaHealth {
    /// Returns whether reads may use the replica.
    pub(crate) fn is_usable(&self, now: Instant) -> bool {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).is_some_and(|until| now < until)
    }

    fn set_usable_until(&self, until: Option<Instant>) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = until;
    }
}

/// Watches the primary until the returned sender is dropped.
pub(crate) fn watch_primary(address: Address, log: Arc<PrimaryLog>) -> Result<Sender<()>> {
    let mut conn = None;
    spawn("primary-watch", move || {
        let start = Instant::now();
        let Ok(open) = connected(&mut conn, &address) else { return };
        match log_position::written(open) {
            Ok(end) => log.record(start, end),
            Err(_) => conn = None,
        }
    })
}

/// A watched replica.
pub(crate) struct ReplicaWatch {
    pub(crate) number: usize,
    pub(crate) address: Address,
    /// The system identifier of the primary.
    pub(crate) system: i64,
    pub(crate) log: Arc<PrimaryLog>,
    pub(crate) health: Arc<ReplicaHealth>,
}

impl ReplicaWatch {
    /// Watches the replica until the returned sender is dropped. It logs when the replica becomes
    /// usable or unusable.
    pub(crate) fn start(self) -> Result<Sender<()>> {
        let mut conn = None;
        let mut was_usable = None;
        spawn("replica-watch", move || {
            let replica = self.number;
            let start = Instant::now();
            let checked = self.check(&mut conn);
            let is_usable = checked.is_ok();
            self.health.set_usable_until(is_usable.then(|| start + WATCH_TIMEOUT));
            if was_usable != Some(is_usable) {
                match &checked {
                    Ok(()) => tracing::info!(replica, "replica usable"),
                    Err(why) => tracing::warn!(replica, why, "replica not usable"),
                }
            }
            was_usable = Some(is_usable);
        })
    }

    fn check(&self, conn: &mut Option<Conn>) -> std::result::Result<(), String> {
        let is_new = conn.is_none();
        let replayed = connected(conn, &self.address).and_then(|open| {
            if is_new && log_position::system_identifier(open)? != self.system {
                return Err(Error::Unavailable("not a replica of this database".to_owned()));
            }
            log_position::replayed(open)
        });
        let replayed = replayed.map_err(|error| {
            *conn = None;
            error.to_string()
        })?;
        let position = replayed.ok_or("the server is not in recovery")?;
        let floor = self.log.floor(Instant::now()).ok_or("the primary is not reachable")?;
        if position < floor {
            return Err(format!("the replica lags behind: it is at {position}, expected {floor}"));
        }
        Ok(())
    }
}

fn connected<'c>(conn: &'c mut Option<Conn>, address: &Address) -> Result<&'c mut Conn> {
    if conn.is_none() {
        *conn = Some(address.connect(Mode::Read)?);
    }
    conn.as_mut().ok_or_else(|| Error::Unavailable("no connection".to_owned()))
}

/// Starts a thread that calls `check` periodically until the returned sender is dropped.
fn spawn(name: &str, mut check: impl FnMut() + Send + 'static) -> Result<Sender<()>> {
    let (sender, receiver) = channel();
    let watch = move || {
        loop {
            check();
            if receiver.recv_timeout(WATCH_INTERVAL) == Err(RecvTimeoutError::Disconnected) {
                return;
            }
        }
    };
    std::thread::Builder::new()
        .name(name.to_owned())
        .spawn(watch)
        .map_err(|error| Error::Unavailable(error.to_string()))?;
    Ok(sender)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rule_0_41_floor_is_the_position_before_the_lag() {
        let lag = Duration::from_secs(10);
        let (log, now) = (PrimaryLog::new(lag), Instant::now());
        assert_eq!(log.floor(now), None, "without a position there is no floor");
        let [first, second] = [5, 9].map(LogPosition::new);
        log.record(now, first);
        log.record(now + lag / 2, second);
        assert_eq!(log.floor(now + lag / 2), Some(first));
        assert_eq!(log.floor(now + lag), Some(first));
        assert_eq!(log.floor(now + lag + Duration::from_millis(1)), Some(second));
        assert_eq!(log.floor(now + lag * 2), None);
    }
}
