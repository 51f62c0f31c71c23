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

    /// Returns how long ago the primary's log ended at this position, at most the allowed lag.
    fn lag_at(&self, position: LogPosition, now: Instant) -> Duration {
        let positions = self.positions();
        // The replica lacks this position and has all earlier ones.
        let missing = positions.iter().find(|(_, end)| *end > position);
        missing.map_or(Duration::ZERO, |(at, _)| now.duration_since(*at))
    }

    fn positions(&self) -> MutexGuard<'_, VecDeque<(Instant, LogPosition)>> {
        self.positions.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The health of a replica at its last check.
#[derive(Debug, Default)]
pub(crate) struct ReplicaHealth(Mutex<Checked>);

#[derive(Debug, Default)]
struct Checked {
    /// The instant until which the replica is usable.
    usable_until: Option<Instant>,
    /// How far it lags behind, if it and the primary responded.
    lag: Option<Duration>,
}

impl ReplicaHealth {
    /// Returns whether reads may use the replica.
    pub(crate) fn is_usable(&self, now: Instant) -> bool {
        self.checked().usable_until.is_some_and(|until| now < until)
    }

    /// Returns how far the replica lags behind, if that is known.
    pub(crate) fn lag(&self) -> Option<Duration> {
        self.checked().lag
    }

    fn checked(&self) -> MutexGuard<'_, Checked> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
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
            let mut lag = None;
            let checked = self.check(&mut conn, &mut lag);
            let is_usable = checked.is_ok();
            let usable_until = is_usable.then(|| start + WATCH_TIMEOUT);
            *self.health.checked() = Checked { usable_until, lag };
            if was_usable != Some(is_usable) {
                match &checked {
                    Ok(()) => tracing::info!(replica, "replica usable"),
                    Err(why) => tracing::warn!(replica, why, "replica not usable"),
                }
            }
            was_usable = Some(is_usable);
        })
    }

    /// Checks whether the replica is usable, and sets how far it lags behind.
    fn check(
        &self,
        conn: &mut Option<Conn>,
        lag: &mut Option<Duration>,
    ) -> std::result::Result<(), String> {
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
        let now = Instant::now();
        let floor = self.log.floor(now).ok_or("the primary is not reachable")?;
        *lag = Some(self.log.lag_at(position, now));
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

    #[test]
    fn lag_is_the_age_of_the_first_missing_position() {
        let (log, now) = (PrimaryLog::new(Duration::from_secs(10)), Instant::now());
        let second = Duration::from_secs(1);
        log.record(now, LogPosition::new(5));
        log.record(now + second, LogPosition::new(9));
        let lag = |position| log.lag_at(LogPosition::new(position), now + second * 3);
        assert_eq!(
            [4, 5, 8, 9, 10].map(lag),
            [second * 3, second * 2, second * 2, Duration::ZERO, Duration::ZERO]
        );
    }
}
