//! Connections: which engine a URL names, and how many readers.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::time::Duration;

use diesel::r2d2::{ManageConnection, Pool};
use diesel::{Connection, SqliteConnection};

use crate::commit_delay::MAX_DELAY;
use crate::conn::{Conn, PostgresConn};
use crate::dialect::Mode;
use crate::error::{Error, Result};
use crate::interrupt::{Canceller, Interrupt};
use crate::migrations::{migrate_postgres, migrate_sqlite};
use crate::replica::position::LogPosition;

/// How long a request waits for a connection before it is refused.
pub(crate) const CONNECTION_TIMEOUT: Duration = Duration::from_secs(10);

/// The longest pause between two attempts of the readers to connect: however long a server was
/// away, they are back soon after it is.
pub(crate) const LONGEST_BACKOFF: Duration = Duration::from_secs(2);

/// What libpq waits for at a server that is given up: seconds, but for the last, in milliseconds.
const BOUNDED_SETTINGS: [(&str, u32); 5] = [
    ("connect_timeout", 3),
    ("keepalives_idle", 5),
    ("keepalives_interval", 2),
    ("keepalives_count", 3),
    ("tcp_user_timeout", 10_000),
];

/// The database that a URL names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Address {
    /// A SQLite file, made when missing.
    Sqlite(PathBuf),
    /// A PostgreSQL connection string.
    Postgres(String),
}

impl Address {
    /// For how long a writer may wait before it begins a group. SQLite's commit is near: there it
    /// spares processor time, and costs as much of the rate.
    pub(crate) const fn commit_delay(&self) -> Duration {
        match self {
            Self::Sqlite(_) => Duration::ZERO,
            Self::Postgres(_) => MAX_DELAY,
        }
    }

    /// Reads `sqlite:PATH` or `postgres://...`. The engine is chosen by the URL alone.
    ///
    /// # Errors
    /// [`Error::Url`] for any other text.
    pub fn parse(url: &str) -> Result<Self> {
        if let Some(path) = url.strip_prefix("sqlite:") {
            let path = path.strip_prefix("//").unwrap_or(path);
            return if path.is_empty() {
                Err(Error::Url(url.to_owned()))
            } else {
                Ok(Self::Sqlite(Path::new(path).to_owned()))
            };
        }
        if url.starts_with("postgres://") || url.starts_with("postgresql://") {
            return Ok(Self::Postgres(url.to_owned()));
        }
        // The text may hold a password, so only its scheme is shown.
        Err(Error::Url(url.split(':').next().unwrap_or_default().to_owned()))
    }

    /// Opens a connection to read or to write.
    pub(crate) fn connect(&self, mode: Mode) -> Result<Conn> {
        let mut conn = match self {
            Self::Sqlite(path) => {
                Conn::Sqlite(SqliteConnection::establish(&path.to_string_lossy())?)
            }
            Self::Postgres(url) => Conn::Postgres(PostgresConn::establish(url)?),
        };
        conn.prepare(mode)?;
        Ok(conn)
    }

    /// Brings the schema up to date; refuses a database whose schema this program does not know.
    pub(crate) fn migrate(&self) -> Result<()> {
        let mut conn = self.connect(Mode::Write)?;
        match &mut conn {
            Conn::Sqlite(c) => migrate_sqlite(c),
            Conn::Postgres(c) => migrate_postgres(c),
        }
    }

    /// The same where it goes on without the server: what does not answer is given up, also when
    /// the machine or the network is gone. What the address itself says stands.
    pub(crate) fn bounded(&self) -> Self {
        let Self::Postgres(url) = self else { return self.clone() };
        let mut url = url.clone();
        for (name, value) in BOUNDED_SETTINGS {
            if !url.contains(&format!("{name}=")) {
                let sign = if url.contains('?') { '&' } else { '?' };
                url = format!("{url}{sign}{name}={value}");
            }
        }
        Self::Postgres(url)
    }

    /// Whether it is that of a server, which can have replicas.
    #[must_use]
    pub const fn is_server(&self) -> bool {
        matches!(self, Self::Postgres(_))
    }

    /// How many writers run at once: SQLite has one write lock, PostgreSQL one per book.
    pub(crate) const fn writers(&self) -> usize {
        match self {
            Self::Sqlite(_) => 1,
            Self::Postgres(_) => 4,
        }
    }
}

/// Makes and checks the readers' connections.
#[derive(Debug, Clone)]
pub(crate) struct Readers {
    address: Address,
    statements: Arc<AtomicU64>,
    canceller: Canceller,
}

/// A connection for reading.
pub(crate) struct ReaderConn {
    pub(crate) conn: Conn,
    pub(crate) interrupt: Interrupt,
    /// How far a replica had got when it was last asked.
    pub(crate) position: LogPosition,
}

impl Readers {
    /// Makes connections to that address, and counts their statements.
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
        Ok(ReaderConn { conn, interrupt, position: LogPosition::BEGINNING })
    }

    fn is_valid(&self, reader: &mut ReaderConn) -> Result<()> {
        Ok(reader.conn.execute(&crate::sql::Sql::new("SELECT 1")).map(drop)?)
    }

    fn has_broken(&self, reader: &mut ReaderConn) -> bool {
        crate::conn::on_engine!(&mut reader.conn, c => diesel::r2d2::R2D2Connection::is_broken(c))
    }
}

/// Whose connections a read takes. Nobody waits for those of the others (behaviour 0.32).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReaderPool {
    /// What users ask for, each in his turn.
    Users,
    /// Who somebody is, and whether the database answers.
    Identity,
    /// What the server does by itself, some of it for minutes, and what nobody needs a turn for.
    Server,
}

/// How many connections each pool has.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ReaderCounts {
    pub(crate) users: u32,
    pub(crate) identity: u32,
    pub(crate) server: u32,
}

/// The pools of readers.
pub(crate) struct ReaderPools {
    users: Pool<Readers>,
    identity: Pool<Readers>,
    server: Pool<Readers>,
}

impl ReaderPools {
    /// Connects each. One without connections of its own takes those of users.
    pub(crate) fn open(
        address: Address,
        counts: ReaderCounts,
        statements: Arc<AtomicU64>,
    ) -> Result<Self> {
        // A file does not go away; a server may, and then the pool must notice.
        let checked = address.is_server();
        let readers = Readers::new(address, statements)?;
        let open = |size: u32| -> Result<Pool<Readers>> {
            let pool = Pool::builder()
                .max_size(size)
                .min_idle(Some(1))
                // The pool tries again after at most half of this time; who waits for a reader
                // names a time of its own.
                .connection_timeout(LONGEST_BACKOFF * 2)
                .test_on_check_out(checked);
            Ok(pool.build(readers.clone())?)
        };
        let users = open(counts.users)?;
        let other = |size: u32| if size == 0 { Ok(users.clone()) } else { open(size) };
        let (identity, server) = (other(counts.identity)?, other(counts.server)?);
        Ok(Self { users, identity, server })
    }

    /// That pool.
    pub(crate) const fn of(&self, pool: ReaderPool) -> &Pool<Readers> {
        match pool {
            ReaderPool::Users => &self.users,
            ReaderPool::Identity => &self.identity,
            ReaderPool::Server => &self.server,
        }
    }
}
