//! Database addresses: the engine that a URL selects, and connections to it.

use std::path::{Path, PathBuf};

use diesel::connection::SimpleConnection;
use diesel::{Connection, SqliteConnection};

use crate::conn::mode::Mode;
use crate::conn::sql::Sql;
use crate::conn::{Conn, PostgresConn};
use crate::error::{Error, Result};

/// The advisory lock under which the schema of PostgreSQL changes.
///
/// A process that may write waits for it when it opens the database.
pub(crate) const SCHEMA_LOCK: i64 = 6400;

/// libpq timeouts for servers that may be unreachable: in seconds, except `tcp_user_timeout`,
/// which is in milliseconds.
const TIMEOUT_PARAMETERS: [(&str, u32); 5] = [
    ("connect_timeout", 3),
    ("keepalives_idle", 5),
    ("keepalives_interval", 2),
    ("keepalives_count", 3),
    ("tcp_user_timeout", 10_000),
];

/// The database that a URL names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Address {
    /// A SQLite file. It is created if it does not exist.
    Sqlite(PathBuf),
    /// A PostgreSQL connection string.
    Postgres(String),
}

impl Address {
    /// Parses `sqlite:PATH` or `postgres://...`. The scheme selects the engine.
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
        // The URL may contain a password, so the error shows only its scheme.
        Err(Error::Url(url.split(':').next().unwrap_or_default().to_owned()))
    }

    /// Opens a connection and applies the session settings of the mode.
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

    /// Opens a connection that reads a database which no other program uses, and begins its
    /// transaction.
    ///
    /// Until it is closed, no other process can write: on SQLite it lacks the write lock, and on
    /// PostgreSQL it waits for [`SCHEMA_LOCK`] when it opens the database.
    ///
    /// # Errors
    /// [`Error::InUse`] while another program is connected.
    pub(crate) fn connect_alone(&self) -> Result<Conn> {
        match self {
            Self::Sqlite(path) => {
                let mut probe = SqliteConnection::establish(&path.to_string_lossy())?;
                // In this mode the lock excludes every connection, and not only other writers.
                probe.batch_execute("PRAGMA locking_mode = EXCLUSIVE")?;
                let mut probe = Conn::Sqlite(probe);
                probe.begin(Mode::Write).map_err(|_| Error::InUse)?;
                drop(probe);
                // This write lock lets others read, such as the audit of a moved database.
                let mut conn = self.connect(Mode::Write)?;
                conn.begin(Mode::Write)?;
                Ok(conn)
            }
            Self::Postgres(_) => {
                let mut conn = self.connect(Mode::Read)?;
                // A process that has opened the database is counted below, and any other one waits.
                if !conn.try_advisory_lock(SCHEMA_LOCK)? {
                    return Err(Error::InUse);
                }
                let sql = "SELECT COUNT(*) FROM pg_stat_activity WHERE datname = \
                           current_database() AND pid <> pg_backend_pid() AND backend_type = \
                           'client backend'";
                let others: Option<i64> = conn.row(&Sql::new(sql).uncached())?;
                if others != Some(0) {
                    return Err(Error::InUse);
                }
                conn.begin(Mode::Read)?;
                Ok(conn)
            }
        }
    }

    /// Returns the address with timeouts, for connections to a server that may be unreachable.
    ///
    /// A parameter that the URL already sets keeps its value.
    pub(crate) fn with_timeouts(&self) -> Self {
        let Self::Postgres(url) = self else { return self.clone() };
        let mut url = url.clone();
        for (name, value) in TIMEOUT_PARAMETERS {
            if !url.contains(&format!("{name}=")) {
                let separator = if url.contains('?') { '&' } else { '?' };
                url = format!("{url}{separator}{name}={value}");
            }
        }
        Self::Postgres(url)
    }

    /// Returns whether the database is a server, which can have replicas.
    #[must_use]
    pub const fn is_server(&self) -> bool {
        matches!(self, Self::Postgres(_))
    }

    /// Returns the default number of writers: SQLite has one write lock, PostgreSQL row locks.
    pub(crate) const fn writers(&self) -> usize {
        match self {
            Self::Sqlite(_) => 1,
            Self::Postgres(_) => 4,
        }
    }
}
