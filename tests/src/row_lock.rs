//! A lock in foreign hands: that of a book, of a row that is being written, or on SQLite of the
//! whole database.

use postgres::NoTls;

use crate::{Engine, Server};

/// What a unit of work takes first on PostgreSQL: the lock of the book with the number `$1`, the
/// row of its state.
const LOCK_BOOK: &str = "SELECT s.book_id FROM book_state s WHERE s.book_id = $1 FOR UPDATE";

/// A transaction of somebody else on a server's database, until it is released, committed or
/// dropped.
pub enum Hold {
    /// On the file of the server.
    Sqlite(rusqlite::Connection),
    /// On the database of the server.
    Postgres(Box<postgres::Client>),
}

impl Hold {
    /// Begins one; on SQLite no other write goes on from here.
    pub fn begin(server: &Server) -> Hold {
        match server.engine() {
            Engine::Sqlite => {
                let path =
                    server.database_url().strip_prefix("sqlite:").expect("an address of SQLite");
                let connection = rusqlite::Connection::open(path).expect("the file of the server");
                connection
                    .execute_batch("PRAGMA busy_timeout = 60000; BEGIN IMMEDIATE")
                    .expect("the write lock");
                Hold::Sqlite(connection)
            }
            Engine::Postgres => {
                let mut client = postgres::Client::connect(server.database_url(), NoTls)
                    .expect("the database of the server");
                client.batch_execute("BEGIN").expect("a transaction");
                Hold::Postgres(Box::new(client))
            }
        }
    }

    /// Holds the lock that every write of a book needs.
    pub fn book(server: &Server, book: &str) -> Hold {
        let mut hold = Hold::begin(server);
        if let Hold::Postgres(client) = &mut hold {
            let number = "SELECT book_id FROM book_keys WHERE public_id = $1";
            let number: i64 = client.query_one(number, &[&book]).expect("a book").get(0);
            let rows = client.query(LOCK_BOOK, &[&number]).expect("the lock");
            assert_eq!(rows.len(), 1, "there is such a book");
        }
        hold
    }

    /// Does something in it.
    pub fn execute(&mut self, statement: &str) {
        match self {
            Hold::Sqlite(connection) => connection.execute_batch(statement).expect(statement),
            Hold::Postgres(client) => client.batch_execute(statement).expect(statement),
        }
    }

    /// Gives everything up.
    pub fn release(mut self) {
        self.execute("ROLLBACK");
    }

    /// Keeps what was done.
    pub fn commit(mut self) {
        self.execute("COMMIT");
    }
}
