//! A way into a server's database behind its back, for what no client could do to it.

use postgres::NoTls;

use crate::{Engine, Server};

/// A connection of its own to the database of a server.
pub struct Backdoor {
    connection: Connection,
}

enum Connection {
    Sqlite(rusqlite::Connection),
    Postgres(Box<postgres::Client>),
}

impl Backdoor {
    /// Opens it; the server may run meanwhile.
    pub fn open(server: &Server) -> Backdoor {
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
        Backdoor { connection }
    }

    /// Runs a statement; how many rows it touched.
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

    /// Bytes given in hex, as a literal.
    pub fn bytes(&self, hex: &str) -> String {
        match &self.connection {
            Connection::Sqlite(_) => format!("X'{hex}'"),
            Connection::Postgres(_) => format!("'\\x{hex}'::bytea"),
        }
    }
}
