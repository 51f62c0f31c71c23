//! Reads from replicas of PostgreSQL (behaviour 0.41, 0.42).
//!
//! A replica replays the log of the primary and is a moment behind. Three things keep an answer of
//! its from being wrong:
//!
//! - **Who may read is what the primary says.** A unit of work on a replica that enters a book asks
//!   the primary too ([`PrimaryCheck`]), in the one place where access is found out
//!   ([`crate::book`]), and goes on only where both say the same. One that enters none is refused.
//! - **The book is the primary's.** The same row shows the head of the book's log. Where the
//!   replica has another one, the primary answers, unless stale reads are wanted.
//! - **The position.** Before its snapshot a connection to a replica asks how far that has got. It
//!   must have what the user has written ([`recent_writes`]), and what was written before the lag
//!   that is allowed ([`watch`]).
//!
//! A unit of work that a replica does not complete, for whatever reason, is done again on the
//! primary. So nothing that a replica refuses or fails to do is ever answered.
//!
//! The caches stay true: what a replica shows is remembered only where it is known by a version, or
//! never changes ([`Caches::of_replica`]).

pub(crate) mod position;
pub(crate) mod recent_writes;
mod watch;

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::mpsc::Sender;
use std::time::{Duration, Instant};

use daybook_domain::id::UserId;
use diesel::r2d2::{ManageConnection, NopErrorHandler, Pool, PooledConnection};

use crate::dialect::Mode;
use crate::error::{Error, Result};
use crate::pool::{Address, CONNECTION_TIMEOUT, LONGEST_BACKOFF, ReaderConn, Readers};
use crate::tx::{Caches, Tx};
use position::LogPosition;
use recent_writes::RecentWrites;
use watch::{PrimaryLog, ReplicaWatch, Watched};

/// Which replicas answer reads.
#[derive(Debug, Clone)]
pub struct ReplicaOptions {
    /// Where they are.
    pub addresses: Vec<Address>,
    /// How long they may lag behind.
    pub lag: Duration,
    /// Whether they may answer for a book that has changed since.
    pub stale_reads: bool,
}

/// The replicas that a read may ask, and what it must see there.
#[derive(Debug)]
pub struct ReplicaChoice {
    /// Their numbers, in the order in which they are to be asked.
    pub replicas: Vec<usize>,
    /// How far they must have got.
    pub after: LogPosition,
}

/// The replicas of a store.
pub(crate) struct Replicas {
    all: Vec<Replica>,
    recent: Arc<RecentWrites>,
    log: Arc<PrimaryLog>,
    check: PrimaryCheck,
    next: AtomicUsize,
    /// Dropped, they end the threads that watch.
    _watches: Vec<Sender<()>>,
}

struct Replica {
    readers: Pool<ReplicaReaders>,
    watched: Arc<Watched>,
}

impl Replicas {
    /// Begins to watch the replicas; none has to be there yet. Each has `size` connections, and
    /// `readers` are those of the primary.
    pub(crate) fn open(
        options: &ReplicaOptions,
        (primary, readers): (&Address, &Pool<Readers>),
        recent: Arc<RecentWrites>,
        (size, statements): (u32, &Arc<AtomicU64>),
    ) -> Result<Self> {
        let (mut conn, now) = (primary.connect(Mode::Read)?, Instant::now());
        let system = position::system(&mut conn)?;
        let log = Arc::new(PrimaryLog::new(options.lag));
        log.note(now, position::written(&mut conn)?);
        let mut watches = vec![watch::primary(primary.clone(), Arc::clone(&log))?];
        let mut all = Vec::new();
        for (number, address) in (1..).zip(&options.addresses) {
            let (address, watched) = (address.bounded(), Arc::new(Watched::default()));
            let manager = ReplicaReaders {
                readers: Readers::new(address.clone(), Arc::clone(statements))?,
                system,
            };
            let pool = Pool::builder()
                .max_size(size)
                .connection_timeout(LONGEST_BACKOFF * 2)
                .test_on_check_out(true)
                // The watch says what is wrong with it, once.
                .error_handler(Box::new(NopErrorHandler))
                .build_unchecked(manager);
            let log = Arc::clone(&log);
            let watch =
                ReplicaWatch { number, address, system, log, watched: Arc::clone(&watched) };
            watches.push(watch.start()?);
            all.push(Replica { readers: pool, watched });
        }
        let check = PrimaryCheck {
            readers: readers.clone(),
            stale_reads: options.stale_reads,
            confirmed: false,
        };
        let next = AtomicUsize::new(0);
        Ok(Self { all, recent, log, check, next, _watches: watches })
    }

    /// How many there are.
    pub(crate) const fn count(&self) -> usize {
        self.all.len()
    }

    /// The replicas that may be asked now, each first in its turn; nothing when there is none.
    pub(crate) fn choose(&self, user: UserId, asked: Option<LogPosition>) -> Option<ReplicaChoice> {
        let now = Instant::now();
        let floor = self.log.floor(now)?;
        let after = self.recent.seen_by(user, now).max(asked.unwrap_or(floor)).max(floor);
        if after == LogPosition::BEYOND {
            return None;
        }
        let count = self.all.len().max(1);
        let first = self.next.fetch_add(1, Ordering::Relaxed).checked_rem(count).unwrap_or(0);
        let replicas: Vec<usize> = (0..count)
            .map(|turn| first.saturating_add(turn).checked_rem(count).unwrap_or(0))
            .filter(|at| self.all.get(*at).is_some_and(|one| one.watched.may_be_asked(now)))
            .collect();
        (!replicas.is_empty()).then_some(ReplicaChoice { replicas, after })
    }

    /// A connection to that replica, if one is free and the replica has got so far.
    pub(crate) fn reader(
        &self,
        replica: usize,
        after: LogPosition,
    ) -> Option<PooledConnection<ReplicaReaders>> {
        let reader = self.all.get(replica)?.readers.try_get()?;
        (reader.position >= after).then_some(reader)
    }

    /// Who is asked what a caller may do.
    pub(crate) const fn check(&self) -> &PrimaryCheck {
        &self.check
    }

    /// The writes of this process.
    pub(crate) const fn recent(&self) -> &Arc<RecentWrites> {
        &self.recent
    }
}

/// What a unit of work on a replica asks the primary.
#[derive(Clone)]
pub(crate) struct PrimaryCheck {
    readers: Pool<Readers>,
    /// Whether it may be behind with a book.
    pub(crate) stale_reads: bool,
    /// Whether it has confirmed what the caller may do.
    pub(crate) confirmed: bool,
}

impl PrimaryCheck {
    /// Runs statements on the primary, each for itself.
    pub(crate) fn ask<T>(&self, work: impl FnOnce(&mut Tx<'_>) -> Result<T>) -> Result<T> {
        let mut reader = self.readers.get_timeout(CONNECTION_TIMEOUT)?;
        work(&mut Tx::reading(&mut reader.conn, Caches::default(), None))
    }
}

/// Makes and checks the connections to a replica.
#[derive(Debug)]
pub(crate) struct ReplicaReaders {
    readers: Readers,
    system: i64,
}

impl ManageConnection for ReplicaReaders {
    type Connection = ReaderConn;
    type Error = Error;

    fn connect(&self) -> Result<ReaderConn> {
        let mut reader = self.readers.connect()?;
        if position::system(&mut reader.conn)? != self.system {
            return Err(Error::Unavailable("it is no replica of this database".to_owned()));
        }
        Ok(reader)
    }

    /// Asks how far the replica has got. It is asked at each use, before the snapshot, which then
    /// sees no less.
    fn is_valid(&self, reader: &mut ReaderConn) -> Result<()> {
        let reached = position::replayed(&mut reader.conn)?;
        reader.position = reached.ok_or_else(|| Error::Unavailable("no replica".to_owned()))?;
        Ok(())
    }

    fn has_broken(&self, reader: &mut ReaderConn) -> bool {
        self.readers.has_broken(reader)
    }
}
