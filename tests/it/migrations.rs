//! A database with an unknown schema is refused and left unchanged.

use daybook_tests::{Engine, RawSql, Server};

use crate::Case;
use crate::schema::tables;

pub fn tests() -> Vec<Case> {
    crate::isolated![unreleased_schemas_are_refused, newer_schemas_are_refused]
}

/// Starts the program on the database of a stopped server; it must exit with this message.
fn refused(server: &Server, message: &str) {
    let before = tables(server);
    let output = server.run(&["serve", "--listen", "127.0.0.1:0"]).expect_err("refused");
    assert!(output.contains(message), "{message:?} is missing: {output}");
    assert_eq!(tables(server), before, "nothing was changed");
}

/// Steps of development versions: `0001` is from a numbered schema, and some dates are later than
/// that of the first released step.
fn unreleased_schemas_are_refused(engine: Engine) {
    let mut server = Server::start(engine);
    server.terminate();
    let mut database = emptied(&server);
    let strict = if engine == Engine::Sqlite { " STRICT" } else { "" };
    for statement in [
        &format!("CREATE TABLE heads (book_id INTEGER PRIMARY KEY, sequence INTEGER){strict}"),
        "CREATE TABLE __diesel_schema_migrations (version VARCHAR(50) PRIMARY KEY NOT NULL, \
            run_on TIMESTAMP NOT NULL DEFAULT CURRENT_TIMESTAMP)",
        "INSERT INTO heads (book_id, sequence) VALUES (7, 3)",
    ] {
        database.execute(statement);
    }
    for steps in [&["0001"][..], &["20261122000000", "20261211000000"], &["20261211000000"]] {
        for step in steps {
            database.execute(&format!(
                "INSERT INTO __diesel_schema_migrations (version) VALUES ('{step}')"
            ));
        }
        let message = format!(
            "the database has step {} of a schema from before the first release, which no released \
             version can read; start with an empty database",
            steps[0]
        );
        refused(&server, &message);
        let left = database.execute("DELETE FROM __diesel_schema_migrations");
        assert_eq!(usize::try_from(left), Ok(steps.len()), "the steps were left alone");
    }
    assert_eq!(database.execute("DELETE FROM heads WHERE book_id = 7 AND sequence = 3"), 1);
}

fn newer_schemas_are_refused(engine: Engine) {
    let mut server = Server::start(engine);
    server.terminate();
    let mut database = RawSql::open(&server);
    database.execute("INSERT INTO __diesel_schema_migrations (version) VALUES ('29991231000000')");
    refused(
        &server,
        "the database has step 29991231000000 of a newer schema, which this version does not know; \
         start the version that migrated it, or a later one",
    );
    // Neither were the known steps run again, nor was the unknown one removed.
    let steps = u64::try_from(steps().len()).expect("few steps") + 1;
    assert_eq!(database.execute("UPDATE __diesel_schema_migrations SET version = version"), steps);
    database.execute("DELETE FROM __diesel_schema_migrations WHERE version = '29991231000000'");
    server.restart();
}

/// Empties the database of a stopped server.
fn emptied(server: &Server) -> RawSql {
    if let Some(path) = server.database_url().strip_prefix("sqlite:") {
        // A file that other users can read would be refused for that.
        std::fs::File::options().write(true).truncate(true).open(path).expect("the server's file");
        return RawSql::open(server);
    }
    let mut database = RawSql::open(server);
    database.execute("DROP SCHEMA public CASCADE");
    database.execute("CREATE SCHEMA public");
    database
}

/// The names of the steps of the schema.
fn steps() -> Vec<String> {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../migrations/sqlite");
    let entries = std::fs::read_dir(folder).expect("the migrations");
    entries.map(|entry| entry.expect("a step").file_name().to_string_lossy().into_owned()).collect()
}
