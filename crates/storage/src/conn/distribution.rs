//! Placement of tables on several machines, with the PostgreSQL extension Citus.
//!
//! The rows of a book are together on one machine, so a unit of work on a book concerns one machine
//! and commits there. Compared with PostgreSQL on one machine:
//!
//! - A group of writes has one book ([`crate::commit::writer`]).
//! - Rows are written as lists, or beside a row of their book (`bulk.rs`), because Citus would pull
//!   an array through the coordinator.
//! - Statements that look for work in many books take no locks.
//!
//! `tests/it/partitions.rs` checks without Citus that statements about a book name its number.

use diesel::connection::SimpleConnection;
use diesel::prelude::*;
use diesel::result::QueryResult;
use diesel::sql_types::Bool;

use crate::conn::address::Address;
use crate::conn::citus::{has_extension, machines, placed_tables};
use crate::conn::migrations::lock_schema;
use crate::conn::mode::Mode;
use crate::conn::pooler::refuse_shared_sessions;
use crate::conn::sql::{Sql, Typed};
use crate::conn::{Conn, planner, settings};
use crate::error::{Error, Result};

/// The machines that have the rows of a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Placement {
    /// The machine of the book, by the column with its number.
    Book(&'static str),
    /// The machine of the user, by `user_id`.
    User,
    /// Every machine: a write concerns all of them.
    Everywhere,
}

use Placement::{Book, Everywhere, User};

/// Rows of a book, by its number.
const BOOK: Placement = Book("book_id");

/// The placement of each table. `books` comes first, because the others are colocated with it.
pub const PLACEMENTS: [(&str, Placement); 56] = [
    ("books", Book("id")),
    ("book_state", BOOK),
    ("collaborators", BOOK),
    ("access_requests", BOOK),
    ("transfer_offers", BOOK),
    ("accounts", BOOK),
    ("account_groups", BOOK),
    ("memberships", BOOK),
    ("saved_queries", BOOK),
    ("imports", BOOK),
    ("import_matches", BOOK),
    ("reconciliations", BOOK),
    ("reconciled_entries", BOOK),
    ("transactions", BOOK),
    ("comments", BOOK),
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
    ("audit_findings", BOOK),
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
    ("restore_holds", Everywhere),
    ("__diesel_schema_migrations", Everywhere),
];

/// Returns the tables without a placement.
fn unplaced_tables(conn: &mut PgConnection) -> QueryResult<Vec<(&'static str, Placement)>> {
    let placed = placed_tables(conn)?;
    let is_missing = |(table, _): &(&str, Placement)| !placed.iter().any(|name| name == table);
    Ok(PLACEMENTS.into_iter().filter(is_missing).collect())
}

/// Refuses a distributed database with an unplaced table or with replicas.
///
/// A later migration creates tables without a placement. Replicas cannot work, because the log of
/// the coordinator does not contain the books, which are in the logs of the other machines.
pub(crate) fn check_whole(conn: &mut Conn, has_replicas: bool) -> Result<()> {
    let Conn::Postgres(conn) = conn else { return Ok(()) };
    if !conn.distributed {
        return Ok(());
    }
    if has_replicas {
        return Err(Error::ReplicaOfDistributed);
    }
    match unplaced_tables(conn)?.first() {
        Some((table, _)) => Err(Error::PartlyDistributed(table)),
        None => Ok(()),
    }
}

/// Refuses a coordinator that does not coordinate the machines of this address.
pub(crate) fn check_coordinator(address: &Address, coordinator: &Address) -> Result<()> {
    let (Conn::Postgres(mut conn), Conn::Postgres(mut coordinator)) =
        (address.connect(Mode::Read)?, coordinator.connect(Mode::Read)?)
    else {
        return Err(Error::OtherMachines);
    };
    if !(conn.distributed && coordinator.distributed) {
        return Err(Error::OtherMachines);
    }
    let is_coordinator = Sql::new("SELECT groupid = 0 FROM pg_dist_local_group").uncached();
    let is_coordinator: bool = Typed::<Bool>::new(&is_coordinator).get_result(&mut *coordinator)?;
    if is_coordinator && machines(&mut conn)? == machines(&mut coordinator)? {
        Ok(())
    } else {
        Err(Error::OtherMachines)
    }
}

/// Returns the database settings for the sessions between the machines.
///
/// Session settings stay at the coordinator, so the settings of this program's sessions are stored
/// in the database of each machine. Settings of a transaction are propagated.
fn machine_settings() -> Vec<&'static str> {
    let session = settings::POSTGRES_SETTINGS.split(';');
    let all = session.chain(planner::POSTGRES_SETTINGS.split(';'));
    let settings = all.filter_map(|setting| setting.trim().strip_prefix("SET "));
    settings.chain(["citus.propagate_set_commands = 'local'"]).collect()
}

impl Address {
    /// Migrates the schema and distributes the tables over the machines of the cluster.
    ///
    /// Returns the tables that it placed. Tables with a placement stay where they are.
    ///
    /// # Errors
    /// [`Error::NotDistributable`] for a database without the extension, and database errors.
    pub fn distribute(&self) -> Result<Vec<(&'static str, Placement)>> {
        refuse_shared_sessions(self)?;
        let Conn::Postgres(mut conn) = self.connect(Mode::Write)? else {
            return Err(Error::NotDistributable("SQLite is one file on one machine"));
        };
        if !has_extension(&mut conn)? {
            return Err(Error::NotDistributable(
                "the extension citus is not installed, see docs/scaling.md",
            ));
        }
        self.migrate()?;
        // Moving existing rows may take long. A failure rolls everything back.
        lock_schema(&mut conn)?;
        conn.batch_execute("BEGIN")?;
        let unplaced = unplaced_tables(&mut conn)?;
        for (table, placement) in &unplaced {
            conn.batch_execute(&placement_statement(table, *placement))?;
        }
        for setting in machine_settings() {
            let setting = setting.replace('\'', "''");
            // Citus runs the statement on every machine.
            conn.batch_execute(&format!(
                "DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET {setting}', \
                 current_database()); END $$"
            ))?;
        }
        conn.batch_execute("COMMIT")?;
        Ok(unplaced)
    }
}

fn placement_statement(table: &str, placement: Placement) -> String {
    let (column, colocation) = match placement {
        Book(column) if table == "books" => (column, "none"),
        Book(column) => (column, "books"),
        User => ("user_id", "none"),
        Everywhere => return format!("SELECT create_reference_table('{table}')"),
    };
    format!(
        "SELECT create_distributed_table('{table}', '{column}', colocate_with => '{colocation}')"
    )
}
