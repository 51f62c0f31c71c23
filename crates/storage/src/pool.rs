//! Connections: which engine a URL names, how many readers, the migrations of each.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::time::Duration;

use diesel::r2d2::{ManageConnection, Pool};
use diesel::{Connection, PgConnection, SqliteConnection};
use diesel_migrations::{EmbeddedMigrations, MigrationHarness, embed_migrations};

use crate::conn::Conn;
use crate::dialect::Use;
use crate::error::{Error, Result};

const SQLITE: EmbeddedMigrations = embed_migrations!("../../migrations/sqlite");
const POSTGRES: EmbeddedMigrations = embed_migrations!("../../migrations/postgresql");

/// How long a request waits for a connection before it is told to come again.
const CONNECTION_TIMEOUT: Duration = Duration::from_secs(10);

/// Where the books are kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Address {
    /// A SQLite file, made when missing.
    Sqlite(PathBuf),
    /// A PostgreSQL connection string.
    Postgres(String),
}

impl Address {
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

    /// Opens a connection for one purpose.
    pub(crate) fn connect(&self, purpose: Use) -> Result<Conn> {
        let mut conn = match self {
            Self::Sqlite(path) => {
                Conn::Sqlite(SqliteConnection::establish(&path.to_string_lossy())?)
            }
            Self::Postgres(url) => Conn::Postgres(PgConnection::establish(url)?),
        };
        conn.prepare(purpose)?;
        Ok(conn)
    }

    /// Brings the schema up to date.
    pub(crate) fn migrate(&self) -> Result<()> {
        let failed =
            |error: Box<dyn std::error::Error + Send + Sync>| Error::Migration(error.to_string());
        match self.connect(Use::Write)? {
            Conn::Sqlite(mut c) => c.run_pending_migrations(SQLITE).map(drop).map_err(failed),
            Conn::Postgres(mut c) => {
                // Several processes may start at once; one migrates, the others wait and find it
                // done.
                diesel::connection::SimpleConnection::batch_execute(
                    &mut c,
                    "SET lock_timeout = 0; SELECT pg_advisory_lock(6400)",
                )?;
                c.run_pending_migrations(POSTGRES).map(drop).map_err(failed)
            }
        }
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
#[derive(Debug)]
pub(crate) struct Readers {
    address: Address,
    statements: Arc<AtomicU64>,
}

impl ManageConnection for Readers {
    type Connection = Conn;
    type Error = Error;

    fn connect(&self) -> Result<Conn> {
        let mut conn = self.address.connect(Use::Read)?;
        conn.count_statements(Arc::clone(&self.statements));
        Ok(conn)
    }

    fn is_valid(&self, conn: &mut Conn) -> Result<()> {
        Ok(conn.execute(&crate::sql::Sql::new("SELECT 1")).map(drop)?)
    }

    fn has_broken(&self, conn: &mut Conn) -> bool {
        crate::conn::on_each!(conn, c => diesel::r2d2::R2D2Connection::is_broken(c))
    }
}

/// The pool of readers.
pub(crate) fn readers(
    address: Address,
    size: u32,
    statements: Arc<AtomicU64>,
) -> Result<Pool<Readers>> {
    let checked = matches!(address, Address::Postgres(_));
    let pool = Pool::builder()
        .max_size(size)
        .min_idle(Some(1))
        .connection_timeout(CONNECTION_TIMEOUT)
        // A file does not go away; a server may, and then the pool must notice.
        .test_on_check_out(checked)
        .build(Readers { address, statements });
    Ok(pool?)
}
