//! Where the rows of each table are when PostgreSQL distributes them over several machines, with
//! the extension Citus: the rows of a book together on one of them, so that a unit of work on a
//! book concerns one machine and commits there.
//!
//! What differs then from a PostgreSQL that is one machine:
//!
//! - A group of writes has one book ([`crate::writer`]).
//! - Rows are written as lists, or beside a row of their book (`bulk.rs`): Citus would pull an
//!   array through the coordinator.
//! - What looks for work in many books locks nothing while it looks.
//!
//! `tests/it/partitions.rs` holds the statements of a book to its place without Citus.

use diesel::connection::SimpleConnection;
use diesel::prelude::*;
use diesel::result::QueryResult;
use diesel::sql_types::{Bool, Text};

use crate::conn::Conn;
use crate::dialect::Mode;
use crate::error::{Error, Result};
use crate::migrations::LOCK_SCHEMA;
use crate::pool::Address;
use crate::pooler::refuse_shared_sessions;
use crate::sql::Sql;

/// Where the rows of a table are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Placement {
    /// With their book, by the column that has its number.
    Book(&'static str),
    /// With others of the same user, by `user_id`.
    User,
    /// On every machine: a write concerns all of them.
    Everywhere,
}

use Placement::{Book, Everywhere, User};

/// The rows of a book, by its number.
const BOOK: Placement = Book("book_id");

/// The placement of each table. `books` comes first, and the others are placed beside it.
pub const PLACEMENTS: [(&str, Placement); 49] = [
    ("books", Book("id")),
    ("book_state", BOOK),
    ("collaborators", BOOK),
    ("access_requests", BOOK),
    ("transfer_offers", BOOK),
    ("accounts", BOOK),
    ("account_groups", BOOK),
    ("memberships", BOOK),
    ("saved_queries", BOOK),
    ("transactions", BOOK),
    ("files", BOOK),
    ("index_terms", BOOK),
    ("trigrams", BOOK),
    ("trigram_blocks", BOOK),
    ("month_totals", BOOK),
    ("month_counts", BOOK),
    ("events", BOOK),
    ("deliveries", BOOK),
    ("delivery_queues", BOOK),
    ("delivery_attempts", BOOK),
    ("bot_responses", BOOK),
    ("failed_transactions", BOOK),
    ("integrations", BOOK),
    ("audit_requests", BOOK),
    ("unfinished_copies", BOOK),
    ("copied_transactions", BOOK),
    ("idempotency_keys", User),
    ("book_keys", Everywhere),
    ("users", Everywhere),
    ("collections", Everywhere),
    ("collection_books", Everywhere),
    ("detached_deliveries", Everywhere),
    ("tokens", Everywhere),
    ("login_links", Everywhere),
    ("sessions", Everywhere),
    ("signing_keys", Everywhere),
    ("mails", Everywhere),
    ("grants", Everywhere),
    ("consents", Everywhere),
    ("device_authorizations", Everywhere),
    ("api_keys", Everywhere),
    ("api_key_days", Everywhere),
    ("apps", Everywhere),
    ("app_people", Everywhere),
    ("connections", Everywhere),
    ("identity_changes", Everywhere),
    ("process_starts", Everywhere),
    ("commits", Everywhere),
    ("__diesel_schema_migrations", Everywhere),
];

#[derive(QueryableByName)]
struct YesOrNo {
    #[diesel(sql_type = Bool)]
    yes: bool,
}

/// Of a table or a machine.
#[derive(QueryableByName)]
struct PlaceName {
    #[diesel(sql_type = Text)]
    name: String,
}

fn has_extension(conn: &mut PgConnection) -> QueryResult<bool> {
    let asked = "SELECT EXISTS (SELECT 1 FROM pg_extension WHERE extname = 'citus') AS yes";
    Sql::new(asked).uncached().get_result(conn).map(|answer: YesOrNo| answer.yes)
}

/// Whether the books of this database are distributed.
pub(crate) fn is_distributed(conn: &mut PgConnection) -> QueryResult<bool> {
    Ok(has_extension(conn)? && placed(conn)?.iter().any(|table| table == "books"))
}

/// The tables that are distributed, or on every machine.
fn placed(conn: &mut PgConnection) -> QueryResult<Vec<String>> {
    let tables = Sql::new("SELECT logicalrelid::text AS name FROM pg_dist_partition ORDER BY 1");
    let tables: Vec<PlaceName> = tables.uncached().load(conn)?;
    Ok(tables.into_iter().map(|table| table.name).collect())
}

/// The tables that have no place yet.
fn missing(conn: &mut PgConnection) -> QueryResult<Vec<(&'static str, Placement)>> {
    let placed = placed(conn)?;
    let is_missing = |(table, _): &(&str, Placement)| !placed.iter().any(|name| name == table);
    Ok(PLACEMENTS.into_iter().filter(is_missing).collect())
}

/// Refuses a distributed database in which a table has no place: a step of the schema that came
/// later has made it. And one with replicas, because the log of the coordinator tells nothing of
/// the books, which are in the logs of others.
pub(crate) fn check_whole(conn: &mut Conn, has_replicas: bool) -> Result<()> {
    let Conn::Postgres(conn) = conn else { return Ok(()) };
    if !conn.distributed {
        return Ok(());
    }
    if has_replicas {
        return Err(Error::ReplicaOfDistributed);
    }
    match missing(conn)?.first() {
        Some((table, _)) => Err(Error::PartlyDistributed(table)),
        None => Ok(()),
    }
}

/// Refuses a coordinator that is none, or has other machines than this address.
pub(crate) fn check_coordinator(address: &Address, coordinator: &Address) -> Result<()> {
    let (Conn::Postgres(mut conn), Conn::Postgres(mut coordinator)) =
        (address.connect(Mode::Read)?, coordinator.connect(Mode::Read)?)
    else {
        return Err(Error::OtherMachines);
    };
    if !(conn.distributed && coordinator.distributed) {
        return Err(Error::OtherMachines);
    }
    let is_coordinator = Sql::new("SELECT groupid = 0 AS yes FROM pg_dist_local_group");
    let is_coordinator: YesOrNo = is_coordinator.uncached().get_result(&mut *coordinator)?;
    if is_coordinator.yes && machines(&mut conn)? == machines(&mut coordinator)? {
        Ok(())
    } else {
        Err(Error::OtherMachines)
    }
}

/// The machines that a machine knows.
fn machines(conn: &mut PgConnection) -> QueryResult<Vec<String>> {
    let machines =
        Sql::new("SELECT nodename || ':' || nodeport AS name FROM pg_dist_node ORDER BY 1");
    let machines: Vec<PlaceName> = machines.uncached().load(conn)?;
    Ok(machines.into_iter().map(|machine| machine.name).collect())
}

/// What machines do with statements that are sent to them: as sessions of this program do. Settings
/// of a session stay at the coordinator; those of a transaction follow it.
fn machine_settings() -> Vec<&'static str> {
    let session = crate::dialect::POSTGRES_SETTINGS.split(';');
    let all = session.chain(crate::planner::POSTGRES_SETTINGS.split(';'));
    let settings = all.filter_map(|setting| setting.trim().strip_prefix("SET "));
    settings.chain(["citus.propagate_set_commands = 'local'"]).collect()
}

impl Address {
    /// Distributes the tables over the machines that the database knows, beginning with an up to
    /// date schema; answers which it placed. Those that are placed already stay where they are.
    ///
    /// # Errors
    /// [`Error::NotDistributable`] for a database without the extension; what the engine refuses.
    pub fn distribute(&self) -> Result<Vec<(&'static str, Placement)>> {
        refuse_shared_sessions(self)?;
        let Conn::Postgres(mut conn) = self.connect(Mode::Write)? else {
            return Err(Error::NotDistributable("SQLite is one file on one machine"));
        };
        if !has_extension(&mut conn)? {
            return Err(Error::NotDistributable(
                "the extension citus is missing: docs/scaling.md says how it is set up",
            ));
        }
        self.migrate()?;
        // Moving what is there takes as long as it takes, and a failure leaves all as it was.
        conn.batch_execute(LOCK_SCHEMA)?;
        conn.batch_execute("BEGIN")?;
        let missing = missing(&mut conn)?;
        for (table, placement) in &missing {
            conn.batch_execute(&statement(table, *placement))?;
        }
        for setting in machine_settings() {
            let setting = setting.replace('\'', "''");
            // Citus has each machine do the same.
            conn.batch_execute(&format!(
                "DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET {setting}', \
                 current_database()); END $$"
            ))?;
        }
        conn.batch_execute("COMMIT")?;
        Ok(missing)
    }
}

fn statement(table: &str, placement: Placement) -> String {
    let (column, beside) = match placement {
        Book(column) if table == "books" => (column, "none"),
        Book(column) => (column, "books"),
        User => ("user_id", "none"),
        Everywhere => return format!("SELECT create_reference_table('{table}')"),
    };
    format!("SELECT create_distributed_table('{table}', '{column}', colocate_with => '{beside}')")
}
