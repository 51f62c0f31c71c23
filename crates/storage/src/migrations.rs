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
use diesel::result::QueryResult;
use diesel::{PgConnection, SqliteConnection};
use diesel_migrations::{EmbeddedMigrations, MigrationHarness, embed_migrations};

use crate::error::{Error, Result};

const SQLITE: EmbeddedMigrations = embed_migrations!("../../migrations/sqlite");
const POSTGRES: EmbeddedMigrations = embed_migrations!("../../migrations/postgresql");

/// Takes the lock under which the schema of PostgreSQL changes, however long that takes.
pub(crate) const LOCK_SCHEMA: &str = "SET lock_timeout = 0; SELECT pg_advisory_lock(6400)";

/// Brings the schema of SQLite up to date; answers which steps that took.
///
/// # Errors
/// When the program does not know the schema, or a step fails.
pub(crate) fn migrate_sqlite(conn: &mut SqliteConnection) -> Result<Vec<String>> {
    // To index a large book is to sort it, which has no room in the memory of a small machine.
    conn.batch_execute("PRAGMA temp_store = FILE")?;
    migrate(conn, SQLITE)
}

/// Brings the schema of PostgreSQL up to date; answers which steps that took.
///
/// # Errors
/// As [`migrate_sqlite`].
pub(crate) fn migrate_postgres(conn: &mut PgConnection) -> Result<Vec<String>> {
    // Several processes may start at once; one migrates, the others wait and find it done.
    conn.batch_execute(LOCK_SCHEMA)?;
    migrate(conn, CommandsOf(POSTGRES))
}

/// Runs the steps that the database has not seen. A database with a step that is not among them is
/// left as it is: its tables are not what this program's statements expect.
fn migrate<DB: Backend>(
    conn: &mut impl MigrationHarness<DB>,
    steps: impl MigrationSource<DB>,
) -> Result<Vec<String>> {
    let failed =
        |error: Box<dyn std::error::Error + Send + Sync>| Error::Migration(error.to_string());
    let known: Vec<Box<dyn Migration<DB>>> = steps.migrations().map_err(failed)?;
    let known: Vec<String> = known.iter().map(|step| step.name().version().to_string()).collect();
    let applied = conn.applied_migrations().map_err(failed)?;
    let applied = applied.iter().map(ToString::to_string);
    if let Some(found) = applied.filter(|step| !known.contains(step)).min() {
        // Steps are named by their dates; those before the first release were numbered from 0001.
        return Err(if known.first().is_some_and(|first| found < *first) {
            Error::UnreleasedSchema(found)
        } else {
            Error::NewerSchema(found)
        });
    }
    let ran = conn.run_pending_migrations(steps).map_err(failed)?;
    Ok(ran.iter().map(ToString::to_string).collect())
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
