//! Schema migrations.
//!
//! PostgreSQL receives each command of a step separately, because Citus forwards the text of a
//! command to its machines, and these accept one command at a time.

use diesel::backend::Backend;
use diesel::connection::{BoxableConnection, SimpleConnection};
use diesel::migration::{
    Migration, MigrationMetadata, MigrationName, MigrationSource, Result as MigrationResult,
};
use diesel::pg::Pg;
use diesel::result::QueryResult;
use diesel_migrations::{EmbeddedMigrations, MigrationHarness, embed_migrations};

use crate::conn::address::{Address, SCHEMA_LOCK};
use crate::conn::mode::Mode;
use crate::conn::sql::Sql;
use crate::conn::{Conn, PostgresConn};
use crate::error::{Error, Result};

const SQLITE: EmbeddedMigrations = embed_migrations!("../../migrations/sqlite");
const POSTGRES: EmbeddedMigrations = embed_migrations!("../../migrations/postgresql");

/// Waits for [`SCHEMA_LOCK`], without a timeout. The connection holds it until it is closed.
pub(crate) fn lock_schema(conn: &mut PostgresConn) -> QueryResult<()> {
    conn.batch_execute(&format!("SET lock_timeout = 0; SELECT pg_advisory_lock({SCHEMA_LOCK})"))
}

impl Address {
    /// Applies the migrations that the database lacks.
    ///
    /// # Errors
    /// [`Error::UnreleasedSchema`] and [`Error::NewerSchema`] for a schema that this program does
    /// not know, [`Error::Migration`] for a step that fails.
    pub fn migrate(&self) -> Result<()> {
        self.connect_migrated().map(drop)
    }

    /// Applies the migrations that the database lacks, and returns the connection.
    ///
    /// On PostgreSQL it holds [`SCHEMA_LOCK`].
    pub(crate) fn connect_migrated(&self) -> Result<Conn> {
        let mut conn = self.connect(Mode::Write)?;
        match &mut conn {
            Conn::Sqlite(conn) => {
                // Building an index on a large table may need more memory than a small machine has.
                conn.batch_execute("PRAGMA temp_store = FILE")?;
                migrate(conn, SQLITE)?;
            }
            Conn::Postgres(conn) => {
                // If several processes start at once, one migrates while the others wait.
                lock_schema(conn)?;
                migrate(&mut **conn, CommandsOf(POSTGRES))?;
            }
        }
        Ok(conn)
    }
}

/// Checks that the schema is the one of this program, without changes.
///
/// # Errors
/// [`Error::UnreleasedSchema`] and [`Error::NewerSchema`] for an unknown step,
/// [`Error::OlderSchema`] for a missing one.
pub(crate) fn check_current(conn: &mut Conn) -> Result<()> {
    // Both engines have the same steps.
    let known: Vec<Box<dyn Migration<Pg>>> =
        POSTGRES.migrations().map_err(|error| Error::Migration(error.to_string()))?;
    let known: Vec<String> = known.iter().map(|step| step.name().version().to_string()).collect();
    let sql = Sql::new("SELECT version FROM __diesel_schema_migrations");
    let applied: Vec<String> = conn.rows(&sql)?;
    check_applied(&known, &applied)?;
    match known.into_iter().find(|step| !applied.contains(step)) {
        Some(step) => Err(Error::OlderSchema(step)),
        None => Ok(()),
    }
}

/// Applies the missing steps. A database with an unknown step is refused without changes, because
/// the statements of this program do not match its tables.
fn migrate<DB: Backend>(
    conn: &mut impl MigrationHarness<DB>,
    steps: impl MigrationSource<DB>,
) -> Result<()> {
    let failed =
        |error: Box<dyn std::error::Error + Send + Sync>| Error::Migration(error.to_string());
    let known: Vec<Box<dyn Migration<DB>>> = steps.migrations().map_err(failed)?;
    let known: Vec<String> = known.iter().map(|step| step.name().version().to_string()).collect();
    let applied = conn.applied_migrations().map_err(failed)?;
    let applied: Vec<String> = applied.iter().map(ToString::to_string).collect();
    check_applied(&known, &applied)?;
    conn.run_pending_migrations(steps).map_err(failed)?;
    Ok(())
}

/// Refuses a database with a step that this program does not know.
///
/// Every released version has the first step. A database without it is older than the first
/// release, even if its steps have later dates.
fn check_applied(known: &[String], applied: &[String]) -> Result<()> {
    let Some(unknown) = applied.iter().filter(|step| !known.contains(step)).min() else {
        return Ok(());
    };
    let is_released = known.iter().min().is_some_and(|first| applied.contains(first));
    Err(if is_released {
        Error::NewerSchema(unknown.clone())
    } else {
        Error::UnreleasedSchema(unknown.clone())
    })
}

/// Migrations whose commands are sent one by one.
struct CommandsOf(EmbeddedMigrations);

impl MigrationSource<Pg> for CommandsOf {
    fn migrations(&self) -> MigrationResult<Vec<Box<dyn Migration<Pg>>>> {
        let split = |step| -> Box<dyn Migration<Pg>> { Box::new(CommandByCommand(step)) };
        Ok(self.0.migrations()?.into_iter().map(split).collect())
    }
}

/// A migration whose commands are sent one by one.
struct CommandByCommand(Box<dyn Migration<Pg>>);

impl Migration<Pg> for CommandByCommand {
    fn run(&self, conn: &mut dyn BoxableConnection<Pg>) -> MigrationResult<()> {
        let mut script = Script::default();
        self.0.run(&mut script)?;
        for command in commands(&script.0) {
            conn.batch_execute(command)
                .map_err(|error| format!("Failed to run {} with: {error}", self.name()))?;
        }
        Ok(())
    }

    fn revert(&self, conn: &mut dyn BoxableConnection<Pg>) -> MigrationResult<()> {
        self.0.revert(conn)
    }

    fn metadata(&self) -> &dyn MigrationMetadata {
        self.0.metadata()
    }

    fn name(&self) -> &dyn MigrationName {
        self.0.name()
    }
}

/// Records the commands of a step instead of executing them.
#[derive(Default)]
struct Script(String);

impl SimpleConnection for Script {
    fn batch_execute(&mut self, query: &str) -> QueryResult<()> {
        self.0.push_str(query);
        Ok(())
    }
}

impl BoxableConnection<Pg> for Script {
    fn as_any(&self) -> &dyn std::any::Any {
        self
    }

    fn as_any_mut(&mut self) -> &mut dyn std::any::Any {
        self
    }
}

/// Splits a script into commands. A command ends with a line that ends in a semicolon, outside of a
/// dollar-quoted body.
fn commands(script: &str) -> Vec<&str> {
    let mut commands = Vec::new();
    let (mut begin, mut end, mut in_body) = (0, 0, false);
    for line in script.split_inclusive('\n') {
        end += line.len();
        let is_comment = line.trim_start().starts_with("--");
        if !is_comment && line.matches("$$").count() % 2 == 1 {
            in_body = !in_body;
        }
        if !is_comment && !in_body && line.trim_end().ends_with(';') {
            commands.extend(script.get(begin..end));
            begin = end;
        }
    }
    // A last command without a semicolon, or comments.
    commands.extend(script.get(begin..).filter(|rest| !rest.trim().is_empty()));
    commands
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unknown_step_after_first_step_is_newer() {
        let steps = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
        let known: Vec<String> = steps(&["20261126000000", "20270101000000"]);
        let refused = |applied: &[&str]| match check_applied(&known, &steps(applied)) {
            Ok(()) => None,
            Err(Error::UnreleasedSchema(step)) => Some(("unreleased", step)),
            Err(Error::NewerSchema(step)) => Some(("newer", step)),
            Err(error) => panic!("{error}"),
        };
        let unreleased = |step: &str| Some(("unreleased", step.to_owned()));
        let newer = |step: &str| Some(("newer", step.to_owned()));
        assert_eq!(refused(&[]), None, "an empty database");
        assert_eq!(refused(&["20261126000000"]), None);
        assert_eq!(refused(&["20270101000000", "20261126000000"]), None);
        assert_eq!(refused(&["0001"]), unreleased("0001"));
        // Unreleased steps had dates before and after that of the first step.
        assert_eq!(refused(&["20261211000000", "20261122000000"]), unreleased("20261122000000"));
        assert_eq!(refused(&["20261211000000"]), unreleased("20261211000000"));
        let later = ["20280101000000", "20261126000000", "20270601000000"];
        assert_eq!(refused(&later), newer("20270601000000"));
    }

    #[test]
    fn script_splits_at_lines_ending_in_semicolon() {
        let script = "-- Both;\nCREATE TABLE a (\n    b TEXT DEFAULT ';'\n);\nDROP TABLE c;\n\
            DO $$ BEGIN\n    PERFORM 1;\nEND $$;\nSELECT 1";
        let begins: Vec<&str> =
            commands(script).iter().filter_map(|command| command.split(' ').next()).collect();
        assert_eq!(begins, ["--", "DROP", "DO", "SELECT"]);
        assert_eq!(commands(script).concat(), script);
        assert!(commands("\n").is_empty());
    }

    /// No step has a semicolon in a text, in a dollar-quoted body or before a comment.
    #[test]
    fn each_command_has_one_semicolon() {
        let steps: Vec<Box<dyn Migration<Pg>>> = POSTGRES.migrations().unwrap();
        for step in steps {
            let mut script = Script::default();
            step.run(&mut script).unwrap();
            for command in commands(&script.0) {
                let code = command.lines().filter(|line| !line.trim_start().starts_with("--"));
                let ends = code.map(|line| line.matches(';').count()).sum::<usize>();
                assert_eq!(ends, 1, "{}: {command}", step.name());
            }
        }
    }
}
