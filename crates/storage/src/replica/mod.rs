//! Reads from replicas of PostgreSQL (behaviour 0.41, 0.42).
//!
//! A replica replays the log of the primary with a short delay. Three rules keep its responses
//! correct:
//!
//! - **The primary decides about access.** A unit of work on a replica that enters a book also asks
//!   the primary ([`primary::PrimaryCheck`]), in the one place that loads access ([`crate::book`]),
//!   and continues only if both agree. A unit of work that enters no book is refused.
//! - **The book is current.** The same rows have the head of the book's log. If they differ, the
//!   primary answers, unless stale reads are enabled.
//! - **The log position is sufficient.** Before its snapshot, a connection to a replica reads the
//!   replayed position. It must include the user's own writes ([`recent_writes`]) and everything
//!   older than the allowed lag ([`watch`]).
//!
//! A unit of work that fails on a replica, for any reason, runs again on the primary. An error of a
//! replica is therefore never returned.
//!
//! Data from a replica enters a cache only if it is cached by version or never changes
//! ([`Caches::for_replica`](crate::commit::tx::Caches::for_replica)).

pub(crate) mod primary;
pub(crate) mod recent_writes;
mod watch;

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::mpsc::Sender;
use std::time::{Duration, Instant};

use daybook_domain::id::UserId;
use diesel::r2d2::{ManageConnection, NopErrorHandler, Pool, PooledConnection};

use crate::conn::address::Address;
use crate::conn::log_position::{self, LogPosition};
use crate::conn::mode::Mode;
use crate::conn::pool::{LONGEST_BACKOFF, ReaderConn, Readers};
use crate::error::{Error, Result};
use primary::PrimaryCheck;
use recent_writes::RecentWrites;
use watch::{PrimaryLog, ReplicaHealth, ReplicaWatch};

/// The configuration of replicas.
#[derive(Debug, Clone)]
pub struct ReplicaOptions {
    /// The addresses.
    pub addresses: Vec<Address>,
    /// The allowed lag.
    pub lag: Duration,
    /// Whether a replica may answer for a book that has changed on the primary.
    pub stale_reads: bool,
}

/// The replicas that a read may use, and the log position that it must see.
#[derive(Debug)]
pub struct ReplicaChoice {
    /// The indexes of the replicas, in the order in which to try them.
    pub replicas: Vec<usize>,
    /// The position that a replica must have replayed.
    pub min_position: LogPosition,
}

/// The replicas of a store.
pub(crate) struct Replicas {
    all: Vec<Replica>,
    recent: Arc<RecentWrites>,
    log: Arc<PrimaryLog>,
    check: PrimaryCheck,
    /// The replica that the next read tries first.
    next: AtomicUsize,
    /// The watch threads end when these are dropped.
    _watches: Vec<Sender<()>>,
}

struct Replica {
    readers: Pool<ReplicaReaders>,
    health: Arc<ReplicaHealth>,
}

impl Replicas {
    /// Opens the pools and starts to watch the replicas. They need not be available yet.
    ///
    /// Each replica has up to `size` connections. `readers` are connections to the primary.
    pub(crate) fn open(
        options: &ReplicaOptions,
        primary: &Address,
        readers: &Pool<Readers>,
        recent: Arc<RecentWrites>,
        size: u32,
        statements: &Arc<AtomicU64>,
    ) -> Result<Self> {
        let (mut conn, now) = (primary.connect(Mode::Read)?, Instant::now());
        let system = log_position::system_identifier(&mut conn)?;
        let log = Arc::new(PrimaryLog::new(options.lag));
        log.record(now, log_position::written(&mut conn)?);
        let mut watches = vec![watch::watch_primary(primary.clone(), Arc::clone(&log))?];
        let mut all = Vec::new();
        for (number, address) in (1..).zip(&options.addresses) {
            let address = address.with_timeouts();
            let health = Arc::new(ReplicaHealth::default());
            let manager = ReplicaReaders {
                readers: Readers::new(address.clone(), Arc::clone(statements))?,
                system,
            };
            let pool = Pool::builder()
                .max_size(size)
                .connection_timeout(LONGEST_BACKOFF * 2)
                .test_on_check_out(true)
                // The watch thread logs failures, once.
                .error_handler(Box::new(NopErrorHandler))
                .build_unchecked(manager);
            let log = Arc::clone(&log);
            let watch = ReplicaWatch { number, address, system, log, health: Arc::clone(&health) };
            watches.push(watch.start()?);
            all.push(Replica { readers: pool, health });
        }
        let check = PrimaryCheck {
            readers: readers.clone(),
            stale_reads: options.stale_reads,
            confirmed: false,
        };
        let next = AtomicUsize::new(0);
        Ok(Self { all, recent, log, check, next, _watches: watches })
    }

    /// Returns the number of replicas.
    pub(crate) const fn count(&self) -> usize {
        self.all.len()
    }

    /// Returns the replicas that a read of the user may use, or nothing if there is none.
    ///
    /// The first replica rotates. `required` is a position that the client asks for.
    pub(crate) fn choose(
        &self,
        user: UserId,
        required: Option<LogPosition>,
    ) -> Option<ReplicaChoice> {
        let now = Instant::now();
        let floor = self.log.floor(now)?;
        let own_writes = self.recent.position_for(user, now);
        let min_position = own_writes.max(required.unwrap_or(floor)).max(floor);
        if min_position == LogPosition::BEYOND {
            return None;
        }
        let count = self.all.len().max(1);
        let first = self.next.fetch_add(1, Ordering::Relaxed).checked_rem(count).unwrap_or(0);
        let replicas: Vec<usize> = (0..count)
            .map(|offset| first.saturating_add(offset).checked_rem(count).unwrap_or(0))
            .filter(|index| self.all.get(*index).is_some_and(|one| one.health.is_usable(now)))
            .collect();
        (!replicas.is_empty()).then_some(ReplicaChoice { replicas, min_position })
    }

    /// Returns a connection to a replica, if one is free and it has replayed the position.
    pub(crate) fn reader(
        &self,
        replica: usize,
        min_position: LogPosition,
    ) -> Option<PooledConnection<ReplicaReaders>> {
        let reader = self.all.get(replica)?.readers.try_get()?;
        (reader.position >= min_position).then_some(reader)
    }

    /// Returns how far each replica lags behind, where it is known.
    pub(crate) fn lags(&self) -> Vec<Option<Duration>> {
        self.all.iter().map(|replica| replica.health.lag()).collect()
    }

    /// Returns the access check against the primary.
    pub(crate) const fn check(&self) -> &PrimaryCheck {
        &self.check
    }

    /// Returns the recent writes of this process.
    pub(crate) const fn recent(&self) -> &Arc<RecentWrites> {
        &self.recent
    }
}

/// Opens and checks the connections to a replica.
#[derive(Debug)]
pub(crate) struct ReplicaReaders {
    readers: Readers,
    /// The system identifier of the primary.
    system: i64,
}

impl ManageConnection for ReplicaReaders {
    type Connection = ReaderConn;
    type Error = Error;

    fn connect(&self) -> Result<ReaderConn> {
        let mut reader = self.readers.connect()?;
        if log_position::system_identifier(&mut reader.conn)? != self.system {
            return Err(Error::Unavailable("not a replica of this database".to_owned()));
        }
        Ok(reader)
    }

    /// Reads the replayed position. It runs before each use, so the snapshot sees at least that.
    fn is_valid(&self, reader: &mut ReaderConn) -> Result<()> {
        let position = log_position::replayed(&mut reader.conn)?;
        reader.position = position.ok_or_else(|| Error::Unavailable("not a replica".to_owned()))?;
        Ok(())
    }

    fn has_broken(&self, reader: &mut ReaderConn) -> bool {
        self.readers.has_broken(reader)
    }
}
