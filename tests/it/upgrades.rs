//! Upgrades of the installations that released versions have made, as `tests/record-release`
//! records them.

use std::collections::BTreeMap;
use std::fs::{self, File, Permissions};
use std::io::Read;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use daybook_tests::postgres::Database;
use daybook_tests::release::workspace;
use daybook_tests::{Engine, Folder, Server, binary, folder, pause};
use postgres::NoTls;
use serde_json::{Value, json};
use zip::ZipArchive;

use crate::Case;
use crate::file_sweep::eventually;
use crate::schema::tables;

/// The releases, oldest first.
const RELEASES: [&str; 1] = ["v0.1.0"];

/// The owner of the recorded book.
const OWNER: &str = "anna@example.com";

/// The address of links in the recorded responses.
const PUBLIC: &str = "https://books.example.com";

pub fn tests() -> Vec<Case> {
    crate::isolated![installations_of_releases_are_upgraded]
}

/// Starts the program for each step of the schema.
pub fn nightly() -> Vec<Case> {
    crate::isolated![upgrade_killed_in_each_step_goes_on]
}

fn installations_of_releases_are_upgraded(engine: Engine) {
    let fresh = Server::start(engine);
    for release in RELEASES {
        check_upgrade(&fresh, &Recorded::restore(release, engine));
    }
}

fn upgrade_killed_in_each_step_goes_on(engine: Engine) {
    let fresh = Server::start(engine);
    for release in RELEASES {
        let recorded = Recorded::restore(release, engine);
        let mut database = recorded.open();
        let applied = database.steps();
        let missing: Vec<String> =
            steps().into_iter().filter(|step| !applied.contains(step)).collect();
        assert!(!missing.is_empty(), "{release} has the schema of this version");
        for (index, step) in missing.iter().enumerate() {
            kill_in_step(&recorded, &mut database, step);
            let reached = [&applied[..], &missing[..index]].concat();
            assert_eq!(database.steps(), reached, "killed in {step}");
        }
        drop(database);
        check_upgrade(&fresh, &recorded);
    }
}

/// Starts this version on an installation: its responses still have every recorded field, the
/// checkpoint and an audit agree, and the schema is that of a new database.
fn check_upgrade(fresh: &Server, recorded: &Recorded) {
    let server = fresh.elsewhere(&recorded.data_dir(), &recorded.url);
    let owner = server.client(OWNER);
    for (path, expected) in &recorded.responses {
        let response = owner.get(path).ok().to_string().replace(server.base(), PUBLIC);
        let response: Value = serde_json::from_str(&response).expect("JSON");
        check_fields(path, &response, expected);
    }
    let (path, _) = recorded.responses.first_key_value().expect("a recorded response");
    let book = path.split('/').nth(3).expect("the id of a book");
    let line = json!({"date": "2026-01-31", "amount": "3", "description": "Cash Food upgraded"});
    owner.post(&format!("/v5/books/{book}/transactions"), &line).ok();
    let verified = server.run(&["verify"]).expect("no difference");
    let counts = verified.lines().last().unwrap_or_default();
    assert!(counts.ends_with(": 0 differences"), "{verified}");
    assert!(!counts.starts_with("0 checkpoints"), "{verified}");
    assert_eq!(tables(&server), tables(fresh));
}

/// Compares every field of `expected`. The response may have others (0.18).
#[track_caller]
fn check_fields(path: &str, response: &Value, expected: &Value) {
    match (response, expected) {
        (Value::Object(response), Value::Object(expected)) => {
            for (name, value) in expected {
                let found = response.get(name).unwrap_or(&Value::Null);
                check_fields(&format!("{path} {name}"), found, value);
            }
        }
        (Value::Array(response), Value::Array(expected)) => {
            assert_eq!(response.len(), expected.len(), "{path}");
            for (index, (found, value)) in response.iter().zip(expected).enumerate() {
                check_fields(&format!("{path} {index}"), found, value);
            }
        }
        _ => assert_eq!(response, expected, "{path}"),
    }
}

/// An installation of a release.
struct Recorded {
    url: String,
    /// The bodies by path.
    responses: BTreeMap<String, Value>,
    folder: Folder,
    _database: Option<Database>,
}

impl Recorded {
    fn restore(release: &str, engine: Engine) -> Recorded {
        let name = format!("tests/data/releases/{release}-{engine}.zip");
        let file = File::open(workspace().join(&name)).expect(&name);
        let mut archive = ZipArchive::new(file).expect(&name);
        let folder = folder("release", false);
        for index in 0..archive.len() {
            let mut entry = archive.by_index(index).expect("an entry");
            let mut bytes = Vec::new();
            entry.read_to_end(&mut bytes).expect("its content");
            let path = folder.path().join(&*entry.name().expect("its name"));
            fs::create_dir_all(path.parent().expect("a folder")).expect("its folder");
            fs::write(&path, bytes).expect("its file");
            fs::set_permissions(&path, Permissions::from_mode(0o600)).expect("its mode");
        }
        fs::set_permissions(folder.path().join("data"), Permissions::from_mode(0o700))
            .expect("its mode");
        let read = |name: &str| fs::read_to_string(folder.path().join(name)).expect(name);
        let responses = serde_json::from_str(&read("responses.json")).expect("JSON");
        let database = (engine == Engine::Postgres).then(|| Database::empty(false));
        let file = folder.path().join("data/books.db");
        let url = match &database {
            Some(database) => database.url.clone(),
            None => format!("sqlite:{}", file.display()),
        };
        Raw::open(&url).execute(&read("database.sql"));
        Recorded { url, responses, folder, _database: database }
    }

    fn data_dir(&self) -> PathBuf {
        self.folder.path().join("data")
    }

    fn open(&self) -> Raw {
        Raw::open(&self.url)
    }
}

/// A connection to the database of an installation.
enum Raw {
    Sqlite(rusqlite::Connection),
    Postgres(Box<postgres::Client>),
}

/// The versions of the applied steps, in order.
const APPLIED: &str = "SELECT version FROM __diesel_schema_migrations ORDER BY version";

impl Raw {
    fn open(url: &str) -> Raw {
        match url.strip_prefix("sqlite:") {
            Some(path) => {
                let database = rusqlite::Connection::open(path).expect("a file");
                // `is_halted` asks for the lock instead of waiting for it.
                database.busy_timeout(Duration::ZERO).expect("a setting");
                Raw::Sqlite(database)
            }
            None => Raw::Postgres(Box::new(postgres::Client::connect(url, NoTls).expect(url))),
        }
    }

    #[track_caller]
    fn execute(&mut self, script: &str) {
        match self {
            Raw::Sqlite(database) => database.execute_batch(script).expect("a script"),
            Raw::Postgres(database) => database.batch_execute(script).expect("a script"),
        }
    }

    fn steps(&mut self) -> Vec<String> {
        match self {
            Raw::Sqlite(database) => {
                let mut statement = database.prepare(APPLIED).expect(APPLIED);
                let rows = statement.query_map([], |row| row.get(0)).expect(APPLIED);
                rows.map(|row| row.expect(APPLIED)).collect()
            }
            Raw::Postgres(database) => {
                let rows = database.query(APPLIED, &[]).expect(APPLIED);
                rows.iter().map(|row| row.get(0)).collect()
            }
        }
    }

    /// Whether a process is in a unit of work that writes, or waits for the lock of [`halt`].
    fn is_halted(&mut self) -> bool {
        match self {
            Raw::Sqlite(database) => {
                // A free database takes the lock, and lets it go.
                let taken = database.execute_batch("BEGIN IMMEDIATE");
                taken.and_then(|()| database.execute_batch("ROLLBACK")).is_err()
            }
            Raw::Postgres(database) => {
                let waiting = "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' \
                    AND objid = 77 AND NOT granted \
                    AND database = (SELECT oid FROM pg_database \
                                    WHERE datname = current_database())";
                database.query_one(waiting, &[]).expect(waiting).get::<_, i64>(0) == 1
            }
        }
    }
}

/// Makes a step wait at its end, in its unit of work.
fn halt(engine: Engine, step: &str) -> String {
    match engine {
        // A query without an end.
        Engine::Sqlite => format!(
            "CREATE VIEW endless AS \
             WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n; \
             CREATE TRIGGER halt BEFORE INSERT ON __diesel_schema_migrations \
             WHEN NEW.version = '{step}' BEGIN SELECT count(*) FROM endless; END"
        ),
        Engine::Postgres => format!(
            "SELECT pg_advisory_lock(77); \
             CREATE FUNCTION halt() RETURNS trigger LANGUAGE plpgsql AS \
             'BEGIN PERFORM pg_advisory_xact_lock(77); RETURN NEW; END'; \
             CREATE TRIGGER halt BEFORE INSERT ON __diesel_schema_migrations FOR EACH ROW \
             WHEN (NEW.version = '{step}') EXECUTE FUNCTION halt()"
        ),
    }
}

/// Undoes [`halt`]. PostgreSQL waits for the end of the killed process' unit of work.
fn release(engine: Engine) -> &'static str {
    match engine {
        Engine::Sqlite => "DROP TRIGGER halt; DROP VIEW endless",
        Engine::Postgres => {
            "SELECT pg_advisory_unlock(77); \
             DROP TRIGGER halt ON __diesel_schema_migrations; DROP FUNCTION halt()"
        }
    }
}

/// Starts `daybook migrate` and kills it at the end of a step.
fn kill_in_step(recorded: &Recorded, database: &mut Raw, step: &str) {
    let engine = match database {
        Raw::Sqlite(_) => Engine::Sqlite,
        Raw::Postgres(_) => Engine::Postgres,
    };
    database.execute(&halt(engine, step));
    let mut migrating = Command::new(binary())
        .args(["migrate", "--database-url", &recorded.url, "--data-dir"])
        .arg(recorded.data_dir())
        .stdout(Stdio::null())
        .spawn()
        .expect("daybook starts");
    // A start takes other locks for a moment.
    eventually("it is in the step", || {
        database.is_halted() && {
            pause(Duration::from_millis(100));
            database.is_halted()
        }
    });
    assert_eq!(migrating.try_wait().expect("its state"), None, "{step} waits");
    migrating.kill().expect("a running process");
    migrating.wait().expect("its end");
    database.execute(release(engine));
}

/// The versions of all steps, in order.
fn steps() -> Vec<String> {
    let entries = fs::read_dir(workspace().join("migrations/sqlite")).expect("the migrations");
    let version = |path: &Path| {
        let name = path.file_name().expect("a name").to_string_lossy().into_owned();
        name.split('_').next().unwrap_or_default().replace('-', "")
    };
    let mut steps: Vec<String> =
        entries.map(|entry| version(&entry.expect("a step").path())).collect();
    steps.sort();
    steps
}
