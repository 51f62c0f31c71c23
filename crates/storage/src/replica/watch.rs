//! The threads that watch the primary and its replicas: how old a replica is, and whether it can be
//! asked. Whoever reads waits for none of them, and a server that stands still holds up its own
//! thread alone.

use std::collections::VecDeque;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::position::{self, LogPosition};
use crate::conn::Conn;
use crate::dialect::Mode;
use crate::error::{Error, Result};
use crate::pool::Address;

/// How often a server is looked at.
const WATCH_INTERVAL: Duration = Duration::from_millis(500);
/// How long what was seen of a replica holds.
const WATCH_TIMEOUT: Duration = Duration::from_secs(2);

/// Where the log of the primary ended, a while ago and since.
#[derive(Debug)]
pub(crate) struct PrimaryLog {
    lag: Duration,
    seen: Mutex<VecDeque<(Instant, LogPosition)>>,
}

impl PrimaryLog {
    /// Remembers it for as long as a replica may lag behind.
    pub(crate) fn new(lag: Duration) -> Self {
        Self { lag, seen: Mutex::default() }
    }

    /// Notes where the log ended, or later, at an instant.
    pub(crate) fn note(&self, at: Instant, end: LogPosition) {
        let mut seen = self.seen();
        seen.push_back((at, end));
        while seen.front().is_some_and(|(at, _)| at.elapsed() > self.lag) {
            seen.pop_front();
        }
    }

    /// How far a replica must have got that does not lag behind for longer; nothing when the
    /// primary was not seen lately.
    pub(crate) fn floor(&self, now: Instant) -> Option<LogPosition> {
        let seen = self.seen();
        let mut recent = seen.iter().filter(|(at, _)| now.duration_since(*at) <= self.lag);
        recent.next().map(|(_, end)| *end)
    }

    fn seen(&self) -> MutexGuard<'_, VecDeque<(Instant, LogPosition)>> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What is known of a replica: until when it may be asked.
#[derive(Debug, Default)]
pub(crate) struct Watched(Mutex<Option<Instant>>);

impl Watched {
    /// Whether requests may ask it.
    pub(crate) fn may_be_asked(&self, now: Instant) -> bool {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).is_some_and(|until| now < until)
    }

    fn hold(&self, until: Option<Instant>) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = until;
    }
}

/// Watches the primary until what is returned is dropped.
pub(crate) fn primary(address: Address, log: Arc<PrimaryLog>) -> Result<Sender<()>> {
    let mut conn = None;
    start("primary-watch", move || {
        let begun = Instant::now();
        let Ok(open) = connected(&mut conn, &address) else { return };
        match position::written(open) {
            Ok(end) => log.note(begun, end),
            Err(_) => conn = None,
        }
    })
}

/// A replica under watch.
pub(crate) struct ReplicaWatch {
    pub(crate) number: usize,
    pub(crate) address: Address,
    /// The primary's number of the system.
    pub(crate) system: i64,
    pub(crate) log: Arc<PrimaryLog>,
    pub(crate) watched: Arc<Watched>,
}

impl ReplicaWatch {
    /// Watches it until what is returned is dropped. The log says when it begins to be asked, and
    /// when and why it ends.
    pub(crate) fn start(self) -> Result<Sender<()>> {
        let (mut conn, mut asked) = (None, None);
        start("replica-watch", move || {
            let replica = self.number;
            let begun = Instant::now();
            let seen = self.look(&mut conn);
            self.watched.hold(seen.is_ok().then(|| begun + WATCH_TIMEOUT));
            if asked != Some(seen.is_ok()) {
                match &seen {
                    Ok(()) => tracing::info!(replica, "a replica answers reads"),
                    Err(why) => tracing::warn!(replica, why, "a replica is not asked"),
                }
            }
            asked = Some(seen.is_ok());
        })
    }

    fn look(&self, conn: &mut Option<Conn>) -> std::result::Result<(), String> {
        let fresh = conn.is_none();
        let seen = connected(conn, &self.address).and_then(|open| {
            if fresh && position::system(open)? != self.system {
                return Err(Error::Unavailable("it is no replica of this database".to_owned()));
            }
            position::replayed(open)
        });
        let seen = seen.map_err(|error| {
            *conn = None;
            error.to_string()
        })?;
        let reached = seen.ok_or("it follows no primary")?;
        let floor = self.log.floor(Instant::now()).ok_or("the primary is not seen")?;
        if reached < floor {
            return Err(format!("it lags behind: it is at {reached}, not at {floor}"));
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

/// Looks now and then, on a thread of its own, until what is returned is dropped.
fn start(name: &str, mut look: impl FnMut() + Send + 'static) -> Result<Sender<()>> {
    let (sender, receiver) = channel();
    let watch = move || {
        loop {
            look();
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
    fn rule_0_41_a_replica_has_what_was_written_before_its_lag() {
        let lag = Duration::from_secs(10);
        let (log, now) = (PrimaryLog::new(lag), Instant::now());
        assert_eq!(log.floor(now), None, "what was never seen proves nothing");
        let [first, second] = [5, 9].map(LogPosition::new);
        log.note(now, first);
        log.note(now + lag / 2, second);
        assert_eq!(log.floor(now + lag / 2), Some(first));
        assert_eq!(log.floor(now + lag), Some(first));
        assert_eq!(log.floor(now + lag + Duration::from_millis(1)), Some(second));
        assert_eq!(log.floor(now + lag * 2), None);
    }
}
