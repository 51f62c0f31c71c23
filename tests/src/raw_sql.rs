//! Direct access to a server's database, for states that no client can create.

use std::collections::BTreeMap;

use postgres::NoTls;

use crate::{Engine, Server};

/// A separate connection to the database of a server.
pub struct RawSql {
    connection: Connection,
}

enum Connection {
    Sqlite(rusqlite::Connection),
    Postgres(Box<postgres::Client>),
}

impl RawSql {
    /// Opens a connection; the server may be running.
    pub fn open(server: &Server) -> RawSql {
        let url = server.database_url();
        let connection = match server.engine() {
            Engine::Sqlite => {
                let path = url.strip_prefix("sqlite:").expect("an address of SQLite");
                let connection = rusqlite::Connection::open(path).expect("the file of the server");
                connection.busy_timeout(std::time::Duration::from_secs(30)).expect("a setting");
                Connection::Sqlite(connection)
            }
            Engine::Postgres => Connection::Postgres(Box::new(
                postgres::Client::connect(url, NoTls).expect("the database of the server"),
            )),
        };
        RawSql { connection }
    }

    /// Runs a statement; returns the number of affected rows.
    #[track_caller]
    pub fn execute(&mut self, statement: &str) -> u64 {
        match &mut self.connection {
            Connection::Sqlite(connection) => match connection.execute(statement, []) {
                Ok(rows) => rows as u64,
                Err(error) => panic!("{statement}: {error}"),
            },
            Connection::Postgres(connection) => match connection.execute(statement, &[]) {
                Ok(rows) => rows,
                Err(error) => panic!("{statement}: {error}"),
            },
        }
    }

    /// The number returned by a query.
    #[track_caller]
    pub fn count(&mut self, query: &str) -> i64 {
        match &mut self.connection {
            Connection::Sqlite(connection) => {
                match connection.query_row(query, [], |row| row.get(0)) {
                    Ok(number) => number,
                    Err(error) => panic!("{query}: {error}"),
                }
            }
            Connection::Postgres(connection) => match connection.query_one(query, &[]) {
                Ok(row) => row.get(0),
                Err(error) => panic!("{query}: {error}"),
            },
        }
    }

    /// The number of units of work that wait for a lock; PostgreSQL only.
    #[track_caller]
    pub fn waiting(&mut self) -> i64 {
        self.count(
            "SELECT count(*) FROM pg_stat_activity \
             WHERE datname = current_database() AND wait_event_type = 'Lock'",
        )
    }

    /// The stored data of a book's events, by event number.
    pub fn event_data(&mut self, book: &str) -> BTreeMap<i64, Vec<u8>> {
        let statement = format!(
            "SELECT e.sequence, e.data FROM events e JOIN books b ON b.id = e.book_id \
             WHERE b.public_id = '{book}'"
        );
        match &mut self.connection {
            Connection::Sqlite(connection) => {
                let mut query = connection.prepare(&statement).expect("the table of events");
                let rows = query.query_map([], |row| Ok((row.get(0)?, row.get(1)?)));
                rows.expect("rows").map(|row| row.expect("a row")).collect()
            }
            Connection::Postgres(connection) => {
                let rows = connection.query(&statement, &[]).expect("the table of events");
                rows.iter().map(|row| (row.get(0), row.get(1))).collect()
            }
        }
    }

    /// Formats bytes as an SQL literal.
    pub fn literal(&self, bytes: &[u8]) -> String {
        self.bytes(&bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>())
    }

    /// Formats hexadecimal bytes as an SQL literal.
    pub fn bytes(&self, hex: &str) -> String {
        match &self.connection {
            Connection::Sqlite(_) => format!("X'{hex}'"),
            Connection::Postgres(_) => format!("'\\x{hex}'::bytea"),
        }
    }
}

/// Decodes the stored data of an event row to JSON, independently of `storage/event/packed.rs`,
/// which lists the forms.
pub fn plain_event(kept: &[u8]) -> String {
    const DICTIONARY: &[u8] = include_bytes!("../../crates/storage/dictionaries/events-1.dict");
    const MAX_PLAIN: usize = 1024 * 1024;
    let plain = match kept {
        [1, body @ ..] => {
            let frame = [&[0x28, 0xb5, 0x2f, 0xfd], body].concat();
            let mut reader =
                zstd::bulk::Decompressor::with_dictionary(DICTIONARY).expect("a dictionary");
            reader.decompress(&frame, MAX_PLAIN).expect("a packed event")
        }
        plain => plain.to_vec(),
    };
    String::from_utf8(plain).expect("text")
}
