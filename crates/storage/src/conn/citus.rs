//! Catalog queries about Citus, the extension that distributes tables over several machines.

use diesel::prelude::*;
use diesel::result::QueryResult;
use diesel::sql_types::{Bool, Text};

use crate::conn::sql::Sql;

/// A boolean result.
#[derive(QueryableByName)]
pub(super) struct YesOrNo {
    #[diesel(sql_type = Bool)]
    pub(super) yes: bool,
}

/// The name of a table or a machine.
#[derive(QueryableByName)]
pub(super) struct NameRow {
    #[diesel(sql_type = Text)]
    pub(super) name: String,
}

/// Returns whether the extension is installed.
pub(super) fn has_extension(conn: &mut PgConnection) -> QueryResult<bool> {
    let query = "SELECT EXISTS (SELECT 1 FROM pg_extension WHERE extname = 'citus') AS yes";
    Sql::new(query).uncached().get_result(conn).map(|row: YesOrNo| row.yes)
}

/// Returns whether the books of this database are distributed.
pub(super) fn is_distributed(conn: &mut PgConnection) -> QueryResult<bool> {
    Ok(has_extension(conn)? && placed_tables(conn)?.iter().any(|table| table == "books"))
}

/// Returns the tables that are distributed or replicated to every machine.
pub(super) fn placed_tables(conn: &mut PgConnection) -> QueryResult<Vec<String>> {
    let query = Sql::new("SELECT logicalrelid::text AS name FROM pg_dist_partition ORDER BY 1");
    let tables: Vec<NameRow> = query.uncached().load(conn)?;
    Ok(tables.into_iter().map(|table| table.name).collect())
}

/// Returns the machines that a node of the cluster knows, as `host:port`.
pub(super) fn machines(conn: &mut PgConnection) -> QueryResult<Vec<String>> {
    let query = Sql::new("SELECT nodename || ':' || nodeport AS name FROM pg_dist_node ORDER BY 1");
    let machines: Vec<NameRow> = query.uncached().load(conn)?;
    Ok(machines.into_iter().map(|machine| machine.name).collect())
}
