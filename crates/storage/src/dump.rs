//! All rows of a database, read on one snapshot and written into an empty database of either
//! engine: for backups, and to move an installation to the other engine.
//!
//! [`Source`] reads and [`Target`] writes. Rows pass as JSON texts; numbers of books, ids, hashes
//! and sealed secrets stay what they are. A target is written in one database transaction, so an
//! interrupted transfer leaves it empty.

use std::path::Path;

use crate::conn::Conn;
use crate::conn::address::Address;
use crate::conn::distribution::PLACEMENTS;
use crate::conn::migrations::check_current;
use crate::conn::mode::Mode;
use crate::conn::row_text::Column;
use crate::conn::sql::Sql;
use crate::error::{Error, Result};

/// The most bytes of rows in a statement, unless one row is longer.
const PART_BYTES: usize = 512 * 1024;

/// Tables that belong to a database and not to the installation.
///
/// The schema has steps of its own, and the commits are those of the writers of one server.
const LEFT_OUT: [&str; 2] = ["__diesel_schema_migrations", "commits"];

/// The number of rows of a table after a transfer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TableRows {
    /// The table.
    pub table: &'static str,
    /// The number of its rows.
    pub rows: u64,
}

/// A database that is read on one snapshot.
pub struct Source {
    conn: Conn,
}

impl Source {
    /// Opens an existing database with the current schema, and takes the snapshot.
    ///
    /// # Errors
    /// [`Error::Unavailable`]; [`Error::OlderSchema`], [`Error::NewerSchema`] and
    /// [`Error::UnreleasedSchema`]; [`Error::Refused`] for a database that Citus distributes over
    /// several machines, because these have no common snapshot.
    pub fn open(address: &Address) -> Result<Self> {
        // SQLite would create the file.
        if let Address::Sqlite(path) = address
            && !path.exists()
        {
            return Err(Error::Unavailable(format!("file not found: {}", path.display())));
        }
        let mut conn = address.connect(Mode::Read)?;
        if conn.engine().is_distributed() {
            let message = "the tables are distributed over several machines, which have no common \
                           snapshot";
            return Err(Error::Refused(message.to_owned()));
        }
        check_current(&mut conn)?;
        conn.begin(Mode::Read)?;
        Ok(Self { conn })
    }

    /// Opens a database like [`Self::open`], if no other program uses it.
    ///
    /// No other process can write into the database while the source is open.
    ///
    /// # Errors
    /// Those of [`Self::open`], and [`Error::InUse`].
    pub fn open_alone(address: &Address) -> Result<Self> {
        // It refuses what cannot be read, before it takes the locks.
        drop(Self::open(address)?);
        Ok(Self { conn: address.connect_alone()? })
    }

    /// Copies a SQLite file into a new one, with all writes that were acknowledged before. Returns
    /// false for PostgreSQL.
    ///
    /// # Errors
    /// [`Error::Refused`] when the new file exists; [`Error::Unavailable`] when the disk is full.
    pub fn copy_file(address: &Address, to: &Path) -> Result<bool> {
        let mut conn = address.connect(Mode::Write)?;
        conn.vacuum_into(&to.to_string_lossy())
    }
}

/// Checks that a database has no tables of another program, and no users and no books of any
/// version of Daybook. Tables without them are those of an interrupted transfer.
///
/// # Errors
/// [`Error::Refused`], and database errors.
pub fn check_empty(address: &Address) -> Result<()> {
    let mut conn = address.connect(Mode::Write)?;
    let tables = conn.table_names()?;
    let has = |name: &str| tables.iter().any(|table| table == name);
    if !tables.is_empty() && !has("__diesel_schema_migrations") {
        let message = "the database is not empty: it has tables of another program";
        return Err(Error::Refused(message.to_owned()));
    }
    if has("users") && has("books") { refuse_rows(&mut conn) } else { Ok(()) }
}

/// Refuses a database with users or books.
fn refuse_rows(conn: &mut Conn) -> Result<()> {
    let sql = "SELECT (SELECT COUNT(*) FROM users) + (SELECT COUNT(*) FROM books)";
    let rows: Option<i64> = conn.row(&Sql::new(sql).uncached())?;
    if rows == Some(0) {
        return Ok(());
    }
    Err(Error::Refused("the database is not empty".to_owned()))
}

/// An empty database that receives all rows of another one.
pub struct Target {
    conn: Conn,
}

impl Target {
    /// Creates the schema of an empty database, and begins the transaction of the transfer.
    ///
    /// # Errors
    /// Those of [`check_empty`], which leave the database as it was.
    pub fn open(address: &Address) -> Result<Self> {
        check_empty(address)?;
        address.migrate()?;
        let mut conn = address.connect(Mode::Write)?;
        conn.begin(Mode::Write)?;
        refuse_rows(&mut conn)?;
        Ok(Self { conn })
    }

    /// Writes all rows of a source and commits. `progress` receives the number of rows so far.
    ///
    /// # Errors
    /// [`Error::Refused`] when a table has other columns, and database errors. The target stays
    /// empty then.
    pub fn fill(
        mut self,
        source: &mut Source,
        progress: &mut dyn FnMut(u64),
    ) -> Result<Vec<TableRows>> {
        let mut filled = Vec::with_capacity(PLACEMENTS.len());
        let mut total: u64 = 0;
        for (table, _) in PLACEMENTS {
            if LEFT_OUT.contains(&table) {
                continue;
            }
            let rows = self.fill_table(source, table, &mut |rows| progress(total + rows))?;
            total = total.saturating_add(rows);
            filled.push(TableRows { table, rows });
        }
        let last_book = source.conn.last_book_number()?;
        if last_book > 0 {
            self.conn.set_last_book_number(last_book)?;
        }
        self.conn.commit()?;
        Ok(filled)
    }

    fn fill_table(
        &mut self,
        source: &mut Source,
        table: &'static str,
        progress: &mut dyn FnMut(u64),
    ) -> Result<u64> {
        let columns = source.conn.columns(table)?;
        let own = self.conn.columns(table)?;
        let name = |column: &Column| column.name.clone();
        if columns.iter().map(name).ne(own.iter().map(name)) {
            return Err(Error::Refused(format!("{table} has other columns")));
        }
        // A migration may have made rows.
        self.conn.run(Sql::new(format!("DELETE FROM {table}")).uncached())?;
        let (mut rows, mut part) = (0_u64, String::new());
        let conn = &mut self.conn;
        source.conn.each_row_text(table, &columns, |row| {
            part.push(if part.is_empty() { '[' } else { ',' });
            part.push_str(&row);
            rows = rows.saturating_add(1);
            if part.len() < PART_BYTES {
                return Ok(());
            }
            part.push(']');
            conn.insert_row_texts(table, &own, &part)?;
            part.clear();
            progress(rows);
            Ok(())
        })?;
        if !part.is_empty() {
            part.push(']');
            self.conn.insert_row_texts(table, &own, &part)?;
        }
        progress(rows);
        Ok(rows)
    }
}
