//! The steps of the schema, and how a database is brought up to date with them.
//!
//! PostgreSQL gets each command of a step alone, because a distributed engine passes the text that
//! it was given on to its machines, and these take one command at a time.

use diesel::backend::Backend;
use diesel::connection::{BoxableConnection, SimpleConnection};
use diesel::migration::{
    Migration, MigrationMetadata, MigrationName, MigrationSource, Result as Ran,
};
use diesel::pg::Pg;
use diesel::prelude::*;
use diesel::result::QueryResult;
use diesel::sql_types::Text;
use diesel::{PgConnection, QueryableByName, SqliteConnection};
use diesel_migrations::{EmbeddedMigrations, MigrationHarness, embed_migrations};

use crate::conn::{Conn, on_engine};
use crate::error::{Error, Result};
use crate::sql::Sql;

const SQLITE: EmbeddedMigrations = embed_migrations!("../../migrations/sqlite");
const POSTGRES: EmbeddedMigrations = embed_migrations!("../../migrations/postgresql");

/// Takes the lock under which the schema of PostgreSQL changes, however long that takes.
pub(crate) const LOCK_SCHEMA: &str = "SET lock_timeout = 0; SELECT pg_advisory_lock(6400)";

/// Brings the schema of SQLite up to date.
///
/// # Errors
/// [`Error::UnreleasedSchema`] and [`Error::NewerSchema`] for a schema that this program does not
/// know, [`Error::Migration`] for a step that fails.
pub(crate) fn migrate_sqlite(conn: &mut SqliteConnection) -> Result<()> {
    // A step that indexes a large table sorts it, which may take more than the memory of a small
    // machine.
    conn.batch_execute("PRAGMA temp_store = FILE")?;
    migrate(conn, SQLITE)
}

/// Brings the schema of PostgreSQL up to date.
///
/// # Errors
/// As [`migrate_sqlite`].
pub(crate) fn migrate_postgres(conn: &mut PgConnection) -> Result<()> {
    // Several processes may start at once; one migrates, the others wait and find it done.
    conn.batch_execute(LOCK_SCHEMA)?;
    migrate(conn, CommandsOf(POSTGRES))
}

#[derive(QueryableByName)]
struct AppliedStep {
    #[diesel(sql_type = Text)]
    version: String,
}

/// Checks that the schema is the one of this program, and changes nothing.
///
/// # Errors
/// As [`migrate_sqlite`]; [`Error::OlderSchema`] when a step is missing.
pub(crate) fn check_current(conn: &mut Conn) -> Result<()> {
    // The engines have the same steps.
    let known: Vec<Box<dyn Migration<Pg>>> =
        POSTGRES.migrations().map_err(|error| Error::Migration(error.to_string()))?;
    let known: Vec<String> = known.iter().map(|step| step.name().version().to_string()).collect();
    let sql = Sql::new("SELECT version FROM __diesel_schema_migrations");
    let applied: Vec<AppliedStep> = on_engine!(conn, c => (&sql).load(c))?;
    let applied: Vec<String> = applied.into_iter().map(|step| step.version).collect();
    check_applied(&known, &applied)?;
    match known.into_iter().find(|step| !applied.contains(step)) {
        Some(step) => Err(Error::OlderSchema(step)),
        None => Ok(()),
    }
}

/// Runs the steps that the database does not have. It changes nothing in a database with an unknown
/// step, because the tables there are not what the statements of this program expect.
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

/// Refuses a database with a step that this program does not have.
///
/// Every released version has the first step. A database without it is from before the first
/// release, whatever the dates of its steps: some of them were later than the first release.
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

/// Steps whose commands are sent one by one.
struct CommandsOf(EmbeddedMigrations);

impl MigrationSource<Pg> for CommandsOf {
    fn migrations(&self) -> Ran<Vec<Box<dyn Migration<Pg>>>> {
        let alone = |step| -> Box<dyn Migration<Pg>> { Box::new(CommandByCommand(step)) };
        Ok(self.0.migrations()?.into_iter().map(alone).collect())
    }
}

/// A step whose commands are sent one by one.
struct CommandByCommand(Box<dyn Migration<Pg>>);

impl Migration<Pg> for CommandByCommand {
    fn run(&self, conn: &mut dyn BoxableConnection<Pg>) -> Ran<()> {
        let mut script = Script::default();
        self.0.run(&mut script)?;
        for command in commands(&script.0) {
            let named = |error| format!("Failed to run {} with: {error}", self.name());
            conn.batch_execute(command).map_err(named)?;
        }
        Ok(())
    }

    fn revert(&self, conn: &mut dyn BoxableConnection<Pg>) -> Ran<()> {
        self.0.revert(conn)
    }

    fn metadata(&self) -> &dyn MigrationMetadata {
        self.0.metadata()
    }

    fn name(&self) -> &dyn MigrationName {
        self.0.name()
    }
}

/// Takes down what a step would have a database do.
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

/// The commands of a script: each ends with a line that ends in a semicolon, outside of a body
/// between dollars.
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
    // A command without its semicolon, or comments.
    commands.extend(script.get(begin..).filter(|rest| !rest.trim().is_empty()));
    commands
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unknown_step_is_newer_only_behind_the_first_step() {
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
        // The names of unreleased steps had dates before and after that of the first step.
        assert_eq!(refused(&["20261211000000", "20261122000000"]), unreleased("20261122000000"));
        assert_eq!(refused(&["20261211000000"]), unreleased("20261211000000"));
        let later = ["20280101000000", "20261126000000", "20270601000000"];
        assert_eq!(refused(&later), newer("20270601000000"));
    }

    #[test]
    fn a_line_that_ends_in_a_semicolon_ends_a_command() {
        let script = "-- Both;\nCREATE TABLE a (\n    b TEXT DEFAULT ';'\n);\nDROP TABLE c;\n\
            DO $$ BEGIN\n    PERFORM 1;\nEND $$;\nSELECT 1";
        let begins: Vec<&str> =
            commands(script).iter().filter_map(|command| command.split(' ').next()).collect();
        assert_eq!(begins, ["--", "DROP", "DO", "SELECT"]);
        assert_eq!(commands(script).concat(), script);
        assert!(commands("\n").is_empty());
    }

    /// No step has a semicolon elsewhere: in a text, a body between dollars, or before a comment.
    #[test]
    fn each_command_of_a_step_has_one_semicolon() {
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
