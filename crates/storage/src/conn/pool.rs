//! Pools of connections that read.

use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::time::Duration;

use diesel::r2d2::{ManageConnection, Pool, PooledConnection};
use diesel::result::QueryResult;

use crate::conn::address::Address;
use crate::conn::interrupt::{Canceller, Interrupt};
use crate::conn::log_position::LogPosition;
use crate::conn::mode::Mode;
use crate::conn::{Conn, on_engine};
use crate::error::{Error, Result};

/// How long a request waits for a connection before it is refused.
pub(crate) const CONNECTION_TIMEOUT: Duration = Duration::from_secs(10);

/// The longest pause between two attempts of a pool to connect. Readers are available this soon
/// after an outage of the server, however long it was.
pub(crate) const LONGEST_BACKOFF: Duration = Duration::from_secs(2);

/// Opens and checks the connections of a pool of readers.
#[derive(Debug, Clone)]
pub(crate) struct Readers {
    address: Address,
    statements: Arc<AtomicU64>,
    canceller: Canceller,
}

/// A connection that reads.
pub(crate) struct ReaderConn {
    pub(crate) conn: Conn,
    pub(crate) interrupt: Interrupt,
    /// The log position of a replica at the last check.
    pub(crate) position: LogPosition,
    /// Whether it failed. The pool drops the connection.
    pub(crate) failed: bool,
}

impl Readers {
    /// Creates a manager for an address. Statements are counted in `statements`.
    pub(crate) fn new(address: Address, statements: Arc<AtomicU64>) -> Result<Self> {
        Ok(Self { canceller: Canceller::start(address.clone())?, address, statements })
    }
}

impl ManageConnection for Readers {
    type Connection = ReaderConn;
    type Error = Error;

    fn connect(&self) -> Result<ReaderConn> {
        let mut conn = self.address.connect(Mode::Read)?;
        let interrupt = conn.interrupt(&self.canceller)?;
        conn.count_statements(Arc::clone(&self.statements));
        Ok(ReaderConn { conn, interrupt, position: LogPosition::BEGINNING, failed: false })
    }

    fn is_valid(&self, reader: &mut ReaderConn) -> Result<()> {
        Ok(reader.conn.ping()?)
    }

    fn has_broken(&self, reader: &mut ReaderConn) -> bool {
        reader.failed
            || on_engine!(&mut reader.conn, c => diesel::r2d2::R2D2Connection::is_broken(c))
    }
}

/// Takes a connection of a pool and begins a snapshot on it.
///
/// The pool does not check its connections, which would be a round trip for each read. The server
/// may have closed one that was idle, for example when it restarted. Such a connection is dropped,
/// and the next one is tried, as many as the pool may hold.
///
/// # Errors
/// [`Error::Unavailable`] if no connection is free or can be opened in time.
pub(crate) fn begin_on_free(
    pool: &Pool<Readers>,
    begin: impl Fn(&mut Conn) -> QueryResult<()>,
) -> Result<PooledConnection<Readers>> {
    let mut dropped = 0;
    loop {
        let mut reader = pool.get_timeout(CONNECTION_TIMEOUT)?;
        match begin(&mut reader.conn) {
            Ok(()) => return Ok(reader),
            Err(error) if dropped >= pool.max_size() => return Err(error.into()),
            Err(_) => {
                reader.failed = true;
                dropped = dropped.saturating_add(1);
            }
        }
    }
}

/// The pool that a read takes its connection from. The pools do not compete (behaviour 0.32).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReaderPool {
    /// Requests of users, which share it fairly.
    Users,
    /// Authentication and health checks.
    Identity,
    /// Background work of the server, which may take minutes, and reads that need no fair share.
    Server,
    /// Reports that are sent while they are read (behaviour 13.11).
    Reports,
}

/// The connections for reports. They are opened when they are used.
pub const REPORT_READERS: u32 = 4;

/// How many connections each pool has.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ReaderCounts {
    pub(crate) users: u32,
    pub(crate) identity: u32,
    pub(crate) server: u32,
}

pub(crate) struct ReaderPools {
    users: Pool<Readers>,
    identity: Pool<Readers>,
    server: Pool<Readers>,
    reports: Pool<Readers>,
}

impl ReaderPools {
    /// Opens the pools. A pool of size 0 shares the connections of users.
    pub(crate) fn open(
        address: Address,
        counts: ReaderCounts,
        statements: Arc<AtomicU64>,
    ) -> Result<Self> {
        let readers = Readers::new(address, statements)?;
        let open_with = |size: u32, idle: u32| -> Result<Pool<Readers>> {
            let pool = Pool::builder()
                .max_size(size)
                .min_idle(Some(idle))
                // The pool retries after at most half of this time. Callers that wait for a
                // connection pass their own timeout.
                .connection_timeout(LONGEST_BACKOFF * 2)
                .test_on_check_out(false);
            Ok(pool.build(readers.clone())?)
        };
        let open = |size: u32| open_with(size, 1);
        let users = open(counts.users)?;
        let open_or_share = |size: u32| if size == 0 { Ok(users.clone()) } else { open(size) };
        let identity = open_or_share(counts.identity)?;
        let server = open_or_share(counts.server)?;
        let reports = open_with(REPORT_READERS, 0)?;
        Ok(Self { users, identity, server, reports })
    }

    /// Returns the numbers of idle and of used connections.
    ///
    /// The pools of a server are separate; those of a command, which may be shared, are not asked.
    pub(crate) fn idle_and_used(&self) -> (u32, u32) {
        let pools = [&self.users, &self.identity, &self.server, &self.reports];
        pools.iter().map(|pool| pool.state()).fold((0, 0), |(idle, used), state| {
            let taken = state.connections.saturating_sub(state.idle_connections);
            (idle.saturating_add(state.idle_connections), used.saturating_add(taken))
        })
    }

    pub(crate) const fn get(&self, pool: ReaderPool) -> &Pool<Readers> {
        match pool {
            ReaderPool::Users => &self.users,
            ReaderPool::Identity => &self.identity,
            ReaderPool::Server => &self.server,
            ReaderPool::Reports => &self.reports,
        }
    }
}
