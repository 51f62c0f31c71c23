//! One temporary PostgreSQL cluster per process, started on first use. A template has the schema;
//! each server gets a copy of it.

mod cluster;

use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use postgres::{Client, NoTls};

use crate::guard::Entry;
use crate::{pause, setting};
pub use cluster::{Cluster, Setup, children};

const INSTALL: &str = "PostgreSQL is not installed: the suite runs on SQLite and on PostgreSQL. \
    Run `apt-get install postgresql`, or name \
    a running server with DAYBOOK_TEST_POSTGRES_URL=postgres://..., or ask for SQLite alone with \
    DAYBOOK_TEST_ENGINES=sqlite";

/// A database, dropped with this value.
pub struct Database {
    /// The address.
    pub url: String,
    name: String,
    admin: String,
    _guard: Entry,
}

impl Database {
    /// Creates a database with the schema; `durable` uses the cluster that syncs to a disk.
    pub(crate) fn create(durable: bool) -> Database {
        let Some(program) = setting("DAYBOOK_TEST_POSTGRES_PREPARE") else {
            return Database::copy(durable, unique_name(), template(durable));
        };
        let database = Database::empty(durable);
        let run = Command::new(&program).arg(&database.url).stdin(Stdio::null()).output();
        let run = run.unwrap_or_else(|error| panic!("{program}: {error}"));
        assert!(run.status.success(), "{program}: {}", String::from_utf8_lossy(&run.stderr));
        database
    }

    /// Creates a database without tables.
    pub fn empty(durable: bool) -> Database {
        Database::copy(durable, unique_name(), "template1")
    }

    /// Copies a database. PostgreSQL refuses to copy one while a session is connected, and a closed
    /// session takes a moment to end.
    #[track_caller]
    fn copy(durable: bool, name: String, template: &str) -> Database {
        let admin = admin_url(durable);
        let statement = format!("CREATE DATABASE {name} TEMPLATE {template}");
        let started = Instant::now();
        while let Err(message) = query(&admin, &statement) {
            let busy = message.contains("being accessed by other users");
            assert!(busy && started.elapsed() < Duration::from_secs(60), "{statement}: {message}");
            pause(Duration::from_millis(20));
        }
        let psql = tool("psql").unwrap_or_else(|| panic!("psql is missing. {INSTALL}"));
        let guard =
            Entry::new(&format!("'{}' -X -q -d '{admin}' -c '{}'", psql.display(), drop_it(&name)));
        Database { url: with_database(&admin, &name), name, admin, _guard: guard }
    }
}

fn unique_name() -> String {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    format!("daybook_{}_{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed))
}

fn drop_it(name: &str) -> String {
    format!("DROP DATABASE IF EXISTS {name} WITH (FORCE)")
}

/// The name of the template database.
fn template(durable: bool) -> &'static str {
    static TEMPLATES: [OnceLock<Database>; 2] = [OnceLock::new(), OnceLock::new()];
    let template = TEMPLATES[usize::from(durable)].get_or_init(|| {
        let name = format!("daybook_{}_template", std::process::id());
        let database = Database::copy(durable, name, "template1");
        crate::template::migrate(&database.url);
        database
    });
    &template.name
}

impl Drop for Database {
    fn drop(&mut self) {
        if let Err(message) = query(&self.admin, &drop_it(&self.name)) {
            eprintln!("the test database {} stays: {message}", self.name);
        }
    }
}

/// The administrator's address of the server: from the environment, or of the temporary cluster.
pub fn admin_url(durable: bool) -> String {
    static CLUSTERS: [OnceLock<Cluster>; 2] = [OnceLock::new(), OnceLock::new()];
    if let Some(url) = setting("DAYBOOK_TEST_POSTGRES_URL") {
        return url;
    }
    let start = || Cluster::start(Setup { durable, ..Setup::default() });
    CLUSTERS[usize::from(durable)].get_or_init(start).url().to_owned()
}

/// Replaces the database in `postgres://user@host:port/database?options`.
fn with_database(admin: &str, name: &str) -> String {
    let (address, options) =
        admin.split_once('?').map_or((admin, None), |(address, options)| (address, Some(options)));
    let host = address.find("://").map_or(0, |at| at + 3);
    let end = address[host..].find('/').map_or(address.len(), |at| host + at);
    let options = options.map(|options| format!("?{options}")).unwrap_or_default();
    format!("{}/{name}{options}", &address[..end])
}

/// Runs a statement; returns an error as text.
pub(crate) fn query(url: &str, statement: &str) -> Result<(), String> {
    let run = || Client::connect(url, NoTls)?.batch_execute(statement);
    run().map_err(|error| {
        let message = error.as_db_error().map(|error| error.message().to_owned());
        message.unwrap_or_else(|| error.to_string())
    })
}

/// Finds a program of PostgreSQL or related to it: in PATH, or in Debian's folder of the newest
/// server version.
pub fn tool(name: &str) -> Option<PathBuf> {
    let path = setting("PATH").unwrap_or_default();
    let listed = std::fs::read_dir("/usr/lib/postgresql").into_iter().flatten().flatten();
    let mut versions: Vec<PathBuf> = listed.map(|version| version.path()).collect();
    versions.sort_by_key(|version| {
        version.file_name().and_then(|name| name.to_str()).and_then(|name| name.parse::<u32>().ok())
    });
    // Debian installs pgbouncer in a folder that is only in root's PATH.
    let system = [PathBuf::from("/usr/sbin")];
    let debian = versions.into_iter().rev().map(|version| version.join("bin"));
    std::env::split_paths(&path)
        .chain(debian)
        .chain(system)
        .map(|folder| folder.join(name))
        .find(|file| file.is_file())
}

/// The account that owns the cluster: PostgreSQL refuses to run as root.
pub(crate) fn owner() -> Option<(u32, u32)> {
    let number = |arguments: &[&str]| -> Option<u32> {
        let run = Command::new("id").args(arguments).output().ok()?;
        String::from_utf8_lossy(&run.stdout).trim().parse().ok()
    };
    if number(&["-u"]) != Some(0) {
        return None;
    }
    let account = number(&["-u", "postgres"]).zip(number(&["-g", "postgres"]));
    Some(account.unwrap_or_else(|| panic!("there is no user `postgres`. {INSTALL}")))
}
