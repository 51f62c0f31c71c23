//! Catalog queries about Citus, the extension that distributes tables over several machines.

use diesel::prelude::*;
use diesel::result::QueryResult;
use diesel::sql_types::{Bool, Text};

use crate::conn::sql::{Sql, Typed};

/// Returns whether the extension is installed.
pub(super) fn has_extension(conn: &mut PgConnection) -> QueryResult<bool> {
    let query = Sql::new("SELECT EXISTS (SELECT 1 FROM pg_extension WHERE extname = 'citus')");
    Typed::<Bool>::new(&query.uncached()).get_result(conn)
}

/// Returns whether the books of this database are distributed.
pub(super) fn is_distributed(conn: &mut PgConnection) -> QueryResult<bool> {
    Ok(has_extension(conn)? && placed_tables(conn)?.iter().any(|table| table == "books"))
}

/// Returns the tables that are distributed or replicated to every machine.
pub(super) fn placed_tables(conn: &mut PgConnection) -> QueryResult<Vec<String>> {
    let query = Sql::new("SELECT logicalrelid::text FROM pg_dist_partition ORDER BY 1");
    Typed::<Text>::new(&query.uncached()).load(conn)
}

/// Returns the machines that a node of the cluster knows, as `host:port`.
pub(super) fn machines(conn: &mut PgConnection) -> QueryResult<Vec<String>> {
    let query = Sql::new("SELECT nodename || ':' || nodeport FROM pg_dist_node ORDER BY 1");
    Typed::<Text>::new(&query.uncached()).load(conn)
}
