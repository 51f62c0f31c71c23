//! `daybook migrate --distribute` and writes on a distributed database. The extension is not
//! available here, so a stub replaces it and triggers refuse statements over several books. The
//! suite runs on the real extension by hand (docs/scaling.md).

use std::collections::BTreeSet;
use std::process::{Command, Output};
use std::thread;
use std::time::{Duration, Instant};

use daybook_storage::distribution::PLACEMENTS;
use daybook_tests::{CASH_AND_FOOD, Cast, Engine, Server, binary, free_port, run_for};
use serde_json::{Value, json};

use crate::Case;
use crate::openapi;
use crate::partitions::stopped;
use crate::reading::{batch, items};
use crate::schema::tables;

pub fn tests() -> Vec<Case> {
    crate::isolated![
        distribute_requires_the_extension,
        statements_write_one_book,
        advisory_locks_are_taken_at_the_coordinator,
    ]
}

fn migrate(server: &Server, arguments: &[&str]) -> Output {
    let mut command = Command::new(binary());
    command.arg("migrate").args(arguments);
    command.args(["--database-url", server.database_url()]);
    command.arg("--data-dir").arg(server.data_dir());
    run_for(&mut command, Duration::from_secs(60)).expect("it ends")
}

fn text_of(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn distribute_requires_the_extension(engine: Engine) {
    let mut server = Server::start(engine);
    server.terminate();
    let before = tables(&server);
    let plain = migrate(&server, &[]);
    assert!(plain.status.success(), "{plain:?}");
    assert_eq!(text_of(&plain.stdout), "The schema is up to date.\n");
    let refused = migrate(&server, &["--distribute"]);
    assert_eq!(refused.status.code(), Some(1));
    let why = match engine {
        Engine::Sqlite => "the tables cannot be distributed: SQLite is one file on one machine",
        Engine::Postgres => {
            "the tables cannot be distributed: the extension citus is not installed, see \
             docs/scaling.md"
        }
    };
    assert!(text_of(&refused.stderr).contains(why), "{}", text_of(&refused.stderr));
    assert_eq!(tables(&server), before, "nothing was changed");
    server.restart();
}

/// A stub of the parts of the extension that Daybook uses.
const STUB: &str = "
INSERT INTO pg_extension (oid, extname, extowner, extnamespace, extrelocatable, extversion)
    VALUES (60000, 'citus', 10, 'public'::regnamespace, FALSE, '13');
CREATE TABLE pg_dist_partition (logicalrelid REGCLASS);
CREATE FUNCTION create_distributed_table(REGCLASS, TEXT, colocate_with TEXT) RETURNS VOID
    LANGUAGE sql AS 'INSERT INTO pg_dist_partition VALUES ($1)';
CREATE FUNCTION create_reference_table(REGCLASS) RETURNS VOID
    LANGUAGE sql AS 'INSERT INTO pg_dist_partition VALUES ($1)';";

/// Refuses statements that write rows of several books, and records the books of each database
/// transaction. `entries` is a view.
const WATCH: &str = "DO $$
DECLARE name TEXT;
BEGIN
    CREATE TABLE written (transaction BIGINT, book_id BIGINT);
    CREATE FUNCTION note_book() RETURNS TRIGGER LANGUAGE plpgsql AS $f$ BEGIN
        INSERT INTO written VALUES (txid_current(), NEW.book_id); RETURN NULL; END $f$;
    CREATE TRIGGER notes AFTER INSERT OR UPDATE ON book_state
        FOR EACH ROW EXECUTE FUNCTION note_book();
    CREATE FUNCTION refuse_several() RETURNS TRIGGER LANGUAGE plpgsql AS $f$ BEGIN
        IF (SELECT COUNT(DISTINCT book_id) FROM rows) > 1 THEN
            RAISE 'one statement writes several books in %', TG_TABLE_NAME;
        END IF;
        RETURN NULL; END $f$;
    FOR name IN SELECT table_name FROM information_schema.columns
        WHERE table_schema = 'public' AND column_name = 'book_id'
            AND table_name NOT IN ('collection_books', 'book_keys', 'written', 'entries')
    LOOP
        EXECUTE format('CREATE TRIGGER several_new AFTER INSERT ON %I REFERENCING NEW TABLE AS
            rows FOR EACH STATEMENT EXECUTE FUNCTION refuse_several()', name);
        EXECUTE format('CREATE TRIGGER several_changed AFTER UPDATE ON %I REFERENCING NEW TABLE AS
            rows FOR EACH STATEMENT EXECUTE FUNCTION refuse_several()', name);
    END LOOP;
END $$";

const GROUPS_OF_SEVERAL: &str = "SELECT COUNT(*) FROM \
    (SELECT transaction FROM written GROUP BY transaction HAVING COUNT(DISTINCT book_id) > 1) g";

fn statements_write_one_book(engine: Engine) {
    if engine == Engine::Sqlite {
        return;
    }
    let (_cluster, mut server, mut database) = stopped();
    database.batch_execute(STUB).expect("the stub");
    let placed = migrate(&server, &["--distribute"]);
    assert!(placed.status.success(), "{}", text_of(&placed.stderr));
    assert_eq!(text_of(&placed.stdout).lines().count(), PLACEMENTS.len());
    // A migration may add a table; the server does not start until it is placed.
    let forget = "DELETE FROM pg_dist_partition WHERE logicalrelid = 'users'::regclass";
    database.batch_execute(forget).expect("a table without a place");
    let refused = migrate(&server, &[]);
    let why = "the tables are distributed over several machines, except users: run \
               `daybook migrate --distribute`";
    assert!(text_of(&refused.stderr).contains(why), "{}", text_of(&refused.stderr));
    let placed = migrate(&server, &["--distribute"]);
    assert_eq!(text_of(&placed.stdout), "users: on every machine\n");
    database.batch_execute(WATCH).expect("what watches");
    server.restart();
    openapi::every_operation(&server);
    // One writer serves several of these books.
    thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| writes(&server));
        }
    });
    let several: i64 = database.query_one(GROUPS_OF_SEVERAL, &[]).expect("a count").get(0);
    assert_eq!(several, 0, "groups of several books");
}

/// Returns statements that describe the machines as seen by one of them.
fn machines(group: i32, names: &str) -> String {
    format!(
        "CREATE TABLE IF NOT EXISTS pg_dist_node (nodename TEXT, nodeport INTEGER);
         CREATE TABLE IF NOT EXISTS pg_dist_local_group (groupid INTEGER);
         DELETE FROM pg_dist_node; DELETE FROM pg_dist_local_group;
         INSERT INTO pg_dist_node SELECT unnest(string_to_array('{names}', ' ')), 5432;
         INSERT INTO pg_dist_local_group VALUES ({group});"
    )
}

const LOCKED: &str = "SELECT d.datname::TEXT \
    FROM pg_locks l JOIN pg_database d ON d.oid = l.database WHERE l.locktype = 'advisory'";

/// When `--database-url` names a worker, advisory locks are taken at the coordinator. Here both are
/// databases of one PostgreSQL, since advisory locks belong to a database.
fn advisory_locks_are_taken_at_the_coordinator(engine: Engine) {
    let refused = |server: &Server, coordinator: &str, why: &str| {
        let mut command = Command::new(binary());
        command.args(["serve", "--listen", &format!("127.0.0.1:{}", free_port())]);
        command.args(["--database-url", server.database_url(), "--coordinator-url", coordinator]);
        command.arg("--data-dir").arg(server.data_dir());
        let ended = run_for(&mut command, Duration::from_secs(60)).expect("it ends");
        assert_eq!(ended.status.code(), Some(1));
        assert!(text_of(&ended.stderr).contains(why), "{}", text_of(&ended.stderr));
    };
    if engine == Engine::Sqlite {
        let mut server = Server::start(engine);
        server.terminate();
        return refused(&server, "postgres://nobody@127.0.0.1:1/none", "is for PostgreSQL");
    }
    let (cluster, server, mut worker) = stopped();
    let (place, name) = cluster.url().rsplit_once('/').expect("an address with a name");
    let url = format!("{place}/coordinator");
    let other = "--coordinator-url does not lead to the coordinator of the machines that \
                 --database-url connects to; use URLs of the same distributed database, or omit \
                 --coordinator-url";
    refused(&server, cluster.url(), other);
    worker.batch_execute(STUB).expect("the stub");
    assert!(migrate(&server, &["--distribute"]).status.success());
    drop(worker);
    let mut admin = postgres::Client::connect(&format!("{place}/template1"), postgres::NoTls)
        .expect("a way in beside it");
    admin.batch_execute("CREATE DATABASE stranger").expect("an empty one");
    let stranger = format!("{place}/stranger");
    refused(&server, &stranger, other);
    let mut stranger = postgres::Client::connect(&stranger, postgres::NoTls).expect("a way in");
    let made = "SELECT COUNT(*) FROM pg_tables WHERE schemaname = 'public'";
    let made: i64 = stranger.query_one(made, &[]).expect("a count").get(0);
    assert_eq!(made, 0, "a refused start changes nothing");
    admin.batch_execute(&format!("CREATE DATABASE coordinator TEMPLATE {name}")).expect("a copy");
    let at = |url: &str, group, names| {
        let mut database = postgres::Client::connect(url, postgres::NoTls).expect("a way in");
        database.batch_execute(&machines(group, names)).expect("machines");
    };
    at(cluster.url(), 1, "10.0.0.20 10.0.0.21");
    for (group, names) in [(2, "10.0.0.20 10.0.0.21"), (0, "10.0.0.20 10.0.0.22")] {
        at(&url, group, names);
        refused(&server, &url, other);
    }
    at(&url, 0, "10.0.0.21 10.0.0.20");
    let asked = server.beside(&["--coordinator-url", &url]);
    let cast = Cast::with_accounts(&asked, &CASH_AND_FOOD);
    let started = Instant::now();
    let mut seen = BTreeSet::new();
    while seen.is_empty() {
        assert!(started.elapsed() < Duration::from_secs(60), "no audit has a lease");
        cast.patch("/audit", &Value::Null).no_content();
        for _ in 0..50 {
            let locked = admin.query(LOCKED, &[]).expect("locks");
            seen.extend(locked.iter().map(|row| row.get::<_, String>(0)));
        }
    }
    assert_eq!(seen.into_iter().collect::<Vec<_>>(), ["coordinator"]);
}

/// Writes few and many rows, which use different statements.
fn writes(server: &Server) {
    let cast = Cast::with_accounts(server, &CASH_AND_FOOD);
    let lunch = |at: usize| {
        json!({"date": "2026-01-15", "amount": "1.00", "description": format!("lunch {at} #food"),
            "creditAccount": {"name": "Cash"}, "debitAccount": {"name": "Food"}})
    };
    for at in 0..20 {
        cast.post("/transactions", &lunch(at)).ok();
    }
    cast.post("/transactions/batch", &batch((20..320).map(lunch))).ok();
    let listed = cast.read("/transactions?query=%23food&limit=1000");
    assert_eq!(items(&listed).len(), 320);
    let balances = cast.read("/balances?query=account:Cash%20on:2026-01");
    assert!(balances.to_string().contains("320.00"), "{balances}");
}
