//! One connection type over two engines. Only this file, `pool.rs`, `dialect.rs`, `interrupt.rs`
//! and `bulk.rs` name an engine.
//!
//! [`Conn`] is an enum of our own, and [`on_engine!`] writes one diesel expression into both arms
//! of a `match`. diesel's `MultiConnection` would be one type for free, but through it inserts of
//! many rows and `ON CONFLICT` do not compile, and `RETURNING` does only in part. The write path is
//! made of these statements.

use diesel::{PgConnection, SqliteConnection};

/// A connection to one of the two engines.
pub(crate) enum Conn {
    /// The embedded default.
    Sqlite(SqliteConnection),
    /// The engine for more than one process.
    Postgres(PgConnection),
}

/// Stamps one diesel expression out for both engines:
/// `on_engine!(conn, c => users::table.count().get_result::<i64>(c))` becomes a `match` with that
/// expression in both arms, so each is typed, prepared and cached natively.
macro_rules! on_engine {
    ($conn:expr, $c:ident => $body:expr) => {
        match &mut *$conn {
            $crate::conn::Conn::Sqlite($c) => $body,
            $crate::conn::Conn::Postgres($c) => $body,
        }
    };
}

pub(crate) use on_engine;
