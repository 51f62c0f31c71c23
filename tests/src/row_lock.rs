//! A lock held by the test: of a book, of a row, or on SQLite of the whole database.

use postgres::NoTls;

use crate::{Engine, Server};

/// The first statement of a unit of work on PostgreSQL: it locks the state row of book `$1`.
const LOCK_BOOK: &str = "SELECT s.book_id FROM book_state s WHERE s.book_id = $1 FOR UPDATE";

/// An open transaction on a server's database, until it is released, committed or dropped.
pub enum RowLock {
    /// On the file of the server.
    Sqlite(rusqlite::Connection),
    /// On the database of the server.
    Postgres(Box<postgres::Client>),
}

impl RowLock {
    /// Begins a transaction; on SQLite it blocks all other writes.
    pub fn begin(server: &Server) -> RowLock {
        match server.engine() {
            Engine::Sqlite => {
                let path =
                    server.database_url().strip_prefix("sqlite:").expect("an address of SQLite");
                let connection = rusqlite::Connection::open(path).expect("the file of the server");
                connection
                    .execute_batch("PRAGMA busy_timeout = 60000; BEGIN IMMEDIATE")
                    .expect("the write lock");
                RowLock::Sqlite(connection)
            }
            Engine::Postgres => {
                let mut client = postgres::Client::connect(server.database_url(), NoTls)
                    .expect("the database of the server");
                client.batch_execute("BEGIN").expect("a transaction");
                RowLock::Postgres(Box::new(client))
            }
        }
    }

    /// Locks a book as every write of the book does.
    pub fn book(server: &Server, book: &str) -> RowLock {
        let mut lock = RowLock::begin(server);
        if let RowLock::Postgres(client) = &mut lock {
            let number = "SELECT book_id FROM book_keys WHERE public_id = $1";
            let number: i64 = client.query_one(number, &[&book]).expect("a book").get(0);
            let rows = client.query(LOCK_BOOK, &[&number]).expect("the lock");
            assert_eq!(rows.len(), 1, "there is such a book");
        }
        lock
    }

    /// Runs a statement in it.
    pub fn execute(&mut self, statement: &str) {
        match self {
            RowLock::Sqlite(connection) => connection.execute_batch(statement).expect(statement),
            RowLock::Postgres(client) => client.batch_execute(statement).expect(statement),
        }
    }

    /// Rolls it back.
    pub fn release(mut self) {
        self.execute("ROLLBACK");
    }

    /// Commits it.
    pub fn commit(mut self) {
        self.execute("COMMIT");
    }
}
