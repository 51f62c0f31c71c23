//! Reads from replicas (0.41, 0.42) of a separate PostgreSQL, which lag on purpose.

use std::process::Command;
use std::time::{Duration, Instant};

use daybook_tests::postgres::{Cluster, Setup, children};
use daybook_tests::{
    Answer, CASH_AND_FOOD, Cast, Client, Engine, Options, Server, pause, refused_start,
};
use serde_json::{Value, json};

use crate::Case;
use crate::file_sweep::eventually;
use crate::read_limits::{count_without, slow_book};

pub fn tests() -> Vec<Case> {
    crate::isolated![
        rule_0_41_only_postgresql_has_replicas,
        rule_0_41_replicas_answer_reads_of_books,
        rule_0_41_book_is_read_in_the_primarys_state,
        rule_0_41_lost_access_is_lost_at_once,
        rule_0_41_primary_answers_when_replicas_fail,
        rule_0_41_a_replica_that_lags_or_stands_still_is_not_asked,
        rule_0_42_writer_reads_its_own_writes,
        rule_0_42_read_uses_the_replica_with_the_position,
    ]
}

/// A primary with replicas, and a server that reads from them.
struct Fixture {
    server: Server,
    replicas: Vec<Cluster>,
    primary: Cluster,
}

impl Fixture {
    fn with(replicas: usize, more: &[&str]) -> Fixture {
        let primary = Cluster::start(Setup { durable: true, ..Setup::default() });
        let replicas: Vec<Cluster> = (0..replicas).map(|_| primary.replica()).collect();
        let urls: Vec<&str> = replicas.iter().map(Cluster::url).collect();
        let urls = urls.join(",");
        let args = ["--read-database-url", &urls].into_iter().chain(more.iter().copied());
        let server = Server::start_with(Options {
            engine: Engine::Postgres,
            args: args.map(str::to_owned).collect(),
            database_url: Some(primary.url().to_owned()),
            ..Options::default()
        });
        Fixture { server, replicas, primary }
    }

    /// Creates a book and waits until the replicas have it.
    fn book(&self) -> Cast {
        let cast = Cast::with_accounts(&self.server, &CASH_AND_FOOD);
        cast.record("2026-01-05", "10", "Cash", "Food", "Lunch");
        self.settle(&cast.owner, &cast.path("/transactions"));
        cast
    }

    /// Waits until every replica returns this.
    fn settle(&self, caller: &Client, path: &str) {
        for replica in &self.replicas {
            eventually("a replica answers", || {
                let before = snapshots(replica);
                caller.get(path).ok();
                snapshots(replica) > before
            });
        }
    }

    /// The response, and whether a replica was used.
    #[track_caller]
    fn ask(&self, caller: &Client, path: &str) -> (Answer, bool) {
        let before: usize = self.replicas.iter().map(snapshots).sum();
        let answer = caller.get(path);
        let after: usize = self.replicas.iter().map(snapshots).sum();
        (answer, after > before)
    }

    /// The response of a replica. A process that has not checked its replicas yet uses the primary.
    #[track_caller]
    fn ask_replica(&self, caller: &Client, path: &str) -> Answer {
        let mut answered = None;
        eventually(path, || {
            let (answer, by_replica) = self.ask(caller, path);
            answered = by_replica.then_some(answer);
            answered.is_some()
        });
        answered.expect("an answer")
    }

    /// The number of transactions that a replica lists.
    #[track_caller]
    fn listed_by_replica(&self, caller: &Client, cast: &Cast) -> usize {
        descriptions(&self.ask_replica(caller, &cast.path("/transactions")).ok()).len()
    }

    /// How often each replica was used for this.
    fn turns(&self, caller: &Client, path: &str) -> Vec<usize> {
        let before: Vec<usize> = self.replicas.iter().map(snapshots).collect();
        caller.get(path).ok();
        self.replicas
            .iter()
            .map(snapshots)
            .zip(before)
            .map(|(after, before)| after.saturating_sub(before))
            .collect()
    }

    /// Waits until this is the last log line about the only replica.
    #[track_caller]
    fn says(&self, words: &str) {
        eventually(words, || {
            let log = self.server.log();
            log.rfind(words) > log.rfind("replica usable")
        });
    }
}

/// Stops all processes of a server until dropped.
struct Standstill(Vec<String>);

impl Standstill {
    fn of(server: &Cluster) -> Standstill {
        let server = server.pid();
        let mut all = children(server);
        all.push(server.to_string());
        signal("-STOP", &all);
        Standstill(all)
    }
}

impl Drop for Standstill {
    fn drop(&mut self) {
        signal("-CONT", &self.0);
    }
}

fn signal(name: &str, processes: &[String]) {
    Command::new("kill").arg(name).args(processes).status().expect("kill runs");
}

/// The number of snapshots read on a replica.
fn snapshots(replica: &Cluster) -> usize {
    replica.log().matches("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY").count()
}

/// Runs a statement as the administrator of a server.
#[track_caller]
fn run(cluster: &Cluster, statement: &str) {
    let mut client =
        postgres::Client::connect(cluster.url(), postgres::NoTls).expect("a connection");
    client.batch_execute(statement).expect(statement);
}

/// Changes a setting of a server, and waits until all of its processes use it.
#[track_caller]
fn set(cluster: &Cluster, name: &str, value: &str) {
    run(cluster, &format!("ALTER SYSTEM SET {name} = '{value}'"));
    run(cluster, "SELECT pg_reload_conf()");
    // A later process reads the new setting.
    eventually(name, || {
        let client = postgres::Client::connect(cluster.url(), postgres::NoTls);
        let shown = client.expect("a connection").query_one(&format!("SHOW {name}"), &[]);
        shown.expect("a setting").get::<_, String>(0) == value
    });
}

fn descriptions(list: &Value) -> Vec<&str> {
    let items = list["items"].as_array().expect("a list");
    items.iter().filter_map(|item| item["description"].as_str()).collect()
}

#[track_caller]
fn listed(caller: &Client, cast: &Cast) -> usize {
    descriptions(&caller.get(&cast.path("/transactions")).ok()).len()
}

fn rule_0_41_only_postgresql_has_replicas(engine: Engine) {
    let server = "postgres://postgres@127.0.0.1:1/nobody";
    let both = format!("{server},sqlite:books.db");
    let (database, replicas, why) = match engine {
        Engine::Sqlite => (
            "sqlite:books.db",
            server,
            "--read-database-url is for PostgreSQL, and the database is SQLite, which has no \
             replicas",
        ),
        Engine::Postgres => (
            server,
            both.as_str(),
            "--read-database-url names replicas of PostgreSQL, not of SQLite",
        ),
    };
    let folder = std::env::temp_dir().join(daybook_tests::unique("daybook-refused"));
    let options = [
        ["--listen", "127.0.0.1:0"],
        ["--database-url", database],
        ["--read-database-url", replicas],
        ["--data-dir", &folder.display().to_string()],
    ];
    let output = refused_start(options.as_flattened());
    std::fs::remove_dir_all(&folder).ok();
    assert!(output.contains(why), "{output}");
}

fn rule_0_41_replicas_answer_reads_of_books(engine: Engine) {
    if engine != Engine::Postgres {
        return;
    }
    let fixture = Fixture::with(2, &[]);
    let cast = fixture.book();
    let plain = fixture.server.beside(&[]);
    let transaction = cast.get("/transactions").ok()["items"][0].clone();
    let event = cast.get("/events").ok()["items"][0].clone();
    let id = |one: &Value| one["id"].as_str().expect("an id").to_owned();
    let paths = [
        String::new(),
        "/accounts".to_owned(),
        "/accounts/Cash".to_owned(),
        "/accounts/Cash/groups".to_owned(),
        "/groups".to_owned(),
        "/transactions?query=lunch".to_owned(),
        format!("/transactions/{}", id(&transaction)),
        format!("/transactions?ids={}", id(&transaction)),
        "/transactions/count".to_owned(),
        "/transactions/count/posted?after=2026-01-01&before=2026-02-01&periodicity=DAILY"
            .to_owned(),
        "/balances?query=account:cash".to_owned(),
        "/events?limit=2".to_owned(),
        format!("/events/{}", id(&event)),
        "/files".to_owned(),
    ];
    let viewer = plain.client_with_token(cast.viewer.token().expect("a token"));
    for path in paths.iter().map(|path| cast.path(path)) {
        let answer = fixture.ask_replica(&cast.viewer, &path);
        let same = viewer.get(&path);
        assert_eq!((answer.status, answer.body), (200, same.body), "{path}");
        assert_eq!(answer.headers.get("etag"), same.headers.get("etag"), "{path}");
    }
    let of_primary = ["/v5/user".to_owned(), "/v5/books".to_owned()]
        .into_iter()
        .chain(["/collaborators", "/integrations", "/queries"].map(|path| cast.path(path)));
    for path in of_primary {
        let (answer, by_replica) = fixture.ask(&cast.owner, &path);
        assert_eq!((answer.status, by_replica), (200, false), "{path}");
    }
    // Replicas are used in rotation, ten times in a row.
    eventually("one after another", || {
        let turns: Vec<_> = (0..10).map(|_| fixture.turns(&cast.viewer, &cast.path(""))).collect();
        turns
            .windows(2)
            .all(|two| matches!((&two[0][..], &two[1][..]), ([0, 1], [1, 0]) | ([1, 0], [0, 1])))
    });
    // A refused reader gets the same response as without replicas.
    let path = cast.path("/transactions");
    for (caller, path) in [(&cast.stranger, path.clone()), (&cast.viewer, format!("{path}/none"))] {
        let same = plain.client_with_token(caller.token().expect("a token")).get(&path);
        let answer = caller.get(&path);
        assert_eq!((answer.status, &answer.body["error"]), (404, &same.body["error"]));
    }
    // Reads have no position, and without replicas no response has one.
    assert_eq!(cast.viewer.get(&path).headers.get("log-position"), None);
    let owner = plain.client_with_token(cast.owner.token().expect("a token"));
    let written = owner.post(&cast.path("/accounts"), &json!({"name": "Bank", "type": "ASSET"}));
    assert_eq!((written.status, written.headers.get("log-position")), (200, None));
}

fn rule_0_41_book_is_read_in_the_primarys_state(engine: Engine) {
    if engine != Engine::Postgres {
        return;
    }
    let fixture = Fixture::with(1, &["--read-database-lag-seconds", "600"]);
    let (quiet, busy) = (fixture.book(), fixture.book());
    run(&fixture.replicas[0], "SELECT pg_wal_replay_pause()");
    busy.record("2026-01-06", "20", "Cash", "Food", "Dinner");
    for _ in 0..4 {
        assert_eq!(listed(&busy.viewer, &busy), 2, "the write of the other user");
    }
    busy.owner.put("/v5/books", &json!({"id": busy.book, "name": "Renamed"})).ok();
    assert_eq!(busy.viewer.get(&busy.path("")).ok()["name"], "Renamed");
    assert_eq!(fixture.listed_by_replica(&quiet.viewer, &quiet), 1, "a book that has not changed");
    run(&fixture.replicas[0], "SELECT pg_wal_replay_resume()");
    fixture.settle(&busy.viewer, &busy.path("/transactions"));
}

fn rule_0_41_lost_access_is_lost_at_once(engine: Engine) {
    if engine != Engine::Postgres {
        return;
    }
    for args in [&[][..], &["--stale-reads"]] {
        let fixture = Fixture::with(1, args);
        let cast = fixture.book();
        let path = cast.path("/transactions");
        let show =
            |how: &str| cast.owner.put("/v5/books", &json!({"id": cast.book, "visibility": how}));
        show("PUBLIC").ok();
        fixture.settle(&cast.viewer, &path);
        cast.stranger.get(&path).ok();
        run(&fixture.replicas[0], "SELECT pg_wal_replay_pause()");
        show("PRIVATE").ok();
        assert_eq!(cast.stranger.get(&path).status, 404);
        let sharing = cast.path("/collaborators");
        let list = cast.owner.get(&sharing).ok();
        let mut all = list["items"].as_array().expect("a list").iter();
        let viewer = all.find(|one| one["email"] == cast.viewer.email()).expect("a collaborator");
        let viewer = viewer["id"].as_str().expect("an id");
        assert!(cast.owner.delete(&format!("{sharing}/{viewer}")).status < 300);
        assert_eq!(cast.viewer.get(&path).status, 404);
        // New permissions apply at once, too.
        cast.share(cast.stranger.email(), "VIEWER");
        cast.stranger.get(&path).ok();
        cast.share(cast.editor.email(), "VIEWER");
        assert_eq!(cast.editor.get(&cast.path("")).ok()["permission"], "VIEWER");
        assert!(cast.delete("").status < 300);
        assert_eq!(cast.owner.get(&path).status, 404);
    }
}

fn rule_0_42_writer_reads_its_own_writes(engine: Engine) {
    if engine != Engine::Postgres {
        return;
    }
    let more = ["--stale-reads", "--read-database-lag-seconds", "600"];
    let fixture = Fixture::with(1, &more);
    let cast = fixture.book();
    let args = ["--read-database-url", fixture.replicas[0].url()];
    let other = fixture.server.beside(&[&args[..], &more].concat());
    let elsewhere = other.client_with_token(cast.owner.token().expect("a token"));
    fixture.settle(&elsewhere, &cast.path("/transactions"));
    run(&fixture.replicas[0], "SELECT pg_wal_replay_pause()");
    let body = json!({
        "date": "2026-01-06", "amount": "20", "description": "Dinner",
        "creditAccount": {"name": "Cash"}, "debitAccount": {"name": "Food"},
    });
    let written = cast.post("/transactions", &body);
    let position = written.headers.get("log-position").cloned().expect("a position");
    written.ok();
    for _ in 0..3 {
        assert_eq!(listed(&cast.owner, &cast), 2, "who wrote reads it");
    }
    assert_eq!(fixture.listed_by_replica(&cast.viewer, &cast), 1, "others may read it later");
    let there = fixture.listed_by_replica(&elsewhere, &cast);
    assert_eq!(there, 1, "another process knows nothing of it");
    for value in [position.as_str(), "FFFFFFFF/FFFFFFFF", "no position"] {
        assert_eq!(listed(&cast.viewer.header("Log-Position", value), &cast), 2, "{value:?}");
        assert_eq!(listed(&elsewhere.header("log-position", value), &cast), 2, "{value:?}");
    }
    let early = cast.viewer.header("Log-Position", "0/1");
    assert_eq!(fixture.listed_by_replica(&early, &cast), 1);
    // A refused write still returns the position of earlier writes.
    assert_eq!(cast.post("/transactions", &json!({"amount": "x"})).status, 400);
    assert_eq!(listed(&cast.owner, &cast), 2);
    // The primary finds the row that a lagging replica lacks.
    let one = cast.get("/transactions?query=dinner").ok()["items"][0].clone();
    let one = cast.path(&format!("/transactions/{}", one["id"].as_str().expect("an id")));
    assert_eq!(cast.viewer.get(&one).ok()["description"], "Dinner");
    run(&fixture.replicas[0], "SELECT pg_wal_replay_resume()");
    fixture.settle(&cast.owner, &cast.path("/transactions"));
    assert_eq!(listed(&elsewhere, &cast), 2);
    // A replica that always lags.
    set(&fixture.replicas[0], "recovery_min_apply_delay", "15s");
    for turn in 3..8 {
        cast.record("2026-01-07", "1", "Cash", "Food", "Coffee");
        assert_eq!(listed(&cast.owner, &cast), turn);
        let read = fixture.listed_by_replica(&cast.viewer, &cast);
        assert!(read < turn, "others read what was fifteen seconds ago");
    }
    set(&fixture.replicas[0], "recovery_min_apply_delay", "0");
    fixture.settle(&cast.owner, &cast.path("/transactions"));
}

fn rule_0_42_read_uses_the_replica_with_the_position(engine: Engine) {
    if engine != Engine::Postgres {
        return;
    }
    let fixture = Fixture::with(2, &["--stale-reads"]);
    let cast = fixture.book();
    run(&fixture.replicas[1], "SELECT pg_wal_replay_pause()");
    cast.record("2026-01-06", "20", "Cash", "Food", "Dinner");
    let path = cast.path("/transactions");
    eventually("the other one has it", || fixture.ask(&cast.owner, &path).1);
    let before = snapshots(&fixture.replicas[1]);
    for _ in 0..6 {
        assert_eq!(fixture.listed_by_replica(&cast.owner, &cast), 2);
    }
    assert_eq!(snapshots(&fixture.replicas[1]), before, "the one that lacks it is not read");
}

fn rule_0_41_primary_answers_when_replicas_fail(engine: Engine) {
    if engine != Engine::Postgres {
        return;
    }
    let mut fixture = Fixture::with(1, &["--read-deadline-seconds", "60"]);
    let cast = fixture.book();
    let path = cast.path("/transactions");
    a_read_that_is_cancelled(&fixture);
    // Killed and restarted.
    fixture.replicas[0].kill();
    for _ in 0..20 {
        let started = Instant::now();
        assert_eq!(listed(&cast.viewer, &cast), 1);
        // A hanging replica has a timeout of 30 s.
        assert!(started.elapsed() < Duration::from_secs(20), "{:?}", started.elapsed());
    }
    assert_eq!(fixture.server.anonymous().get("/ready").status, 200);
    fixture.says("replica not usable");
    fixture.server.restart();
    assert_eq!(listed(&cast.viewer, &cast), 1, "without it a server starts too");
    fixture.replicas[0].resume();
    fixture.settle(&cast.viewer, &path);
    // A promoted replica diverges.
    run(&fixture.replicas[0], "SELECT pg_promote()");
    fixture.says("the server is not in recovery");
    let (answer, by_replica) = fixture.ask(&cast.viewer, &path);
    assert_eq!((descriptions(&answer.ok()).len(), by_replica), (1, false));
    // Another database is not a replica.
    let stranger = Cluster::start(Setup::default());
    let other = fixture.server.beside(&["--read-database-url", stranger.url()]);
    eventually("it is refused", || other.log().contains("not a replica of this database"));
    other.client_with_token(cast.viewer.token().expect("a token")).get(&path).ok();
}

/// A read that the replica cancels because the primary removed its rows, and one whose connection
/// ends.
#[track_caller]
fn a_read_that_is_cancelled(fixture: &Fixture) {
    let slow = slow_book(&fixture.server);
    let search = count_without(&slow, 60);
    set(&fixture.replicas[0], "max_standby_streaming_delay", "0");
    let ends: [(&Cluster, &str, &str); 2] = [
        (
            &fixture.primary,
            "BEGIN; LOCK TABLE transactions IN ACCESS EXCLUSIVE MODE; COMMIT",
            "conflict with recovery",
        ),
        (
            &fixture.replicas[0],
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity \
             WHERE state = 'active' AND query LIKE '%transactions%' \
             AND pid <> pg_backend_pid()",
            "due to administrator command",
        ),
    ];
    for (cluster, statement, output) in ends {
        // On a busy machine the read may have finished before.
        let ended = (0..5).any(|_| {
            end_a_read(fixture, (&slow, &search), (cluster, statement));
            fixture.replicas[0].log().contains(output)
        });
        assert!(ended, "no read ends so: {output}");
    }
}

/// Ends a read on the replica by a statement; the primary answers it.
#[track_caller]
fn end_a_read(fixture: &Fixture, search: (&Cast, &str), end: (&Cluster, &str)) {
    let ((slow, search), (cluster, statement)) = (search, end);
    fixture.settle(&slow.owner, &slow.path("/accounts"));
    let before = snapshots(&fixture.replicas[0]);
    let reading = std::thread::scope(|scope| {
        let reading = scope.spawn(|| slow.owner.get(search));
        eventually("the read runs on the replica", || {
            reading.is_finished() || snapshots(&fixture.replicas[0]) > before
        });
        pause(Duration::from_millis(300));
        run(cluster, statement);
        reading.join().expect("an answer")
    });
    assert_eq!(reading.ok()["total"], json!(100), "{statement}");
}

fn rule_0_41_a_replica_that_lags_or_stands_still_is_not_asked(engine: Engine) {
    if engine != Engine::Postgres {
        return;
    }
    let fixture =
        Fixture::with(1, &["--read-database-lag-seconds", "2", "--read-deadline-seconds", "20"]);
    let cast = fixture.book();
    let path = cast.path("/transactions");
    run(&fixture.replicas[0], "SELECT pg_wal_replay_pause()");
    Cast::with_accounts(&fixture.server, &CASH_AND_FOOD);
    fixture.says("lags behind");
    assert!(!fixture.ask(&cast.viewer, &path).1, "the book is the same, and yet");
    run(&fixture.replicas[0], "SELECT pg_wal_replay_resume()");
    fixture.settle(&cast.viewer, &path);
    let standstill = Standstill::of(&fixture.replicas[0]);
    let started = Instant::now();
    std::thread::scope(|scope| {
        let all: Vec<_> = (0..6).map(|_| scope.spawn(|| listed(&cast.viewer, &cast))).collect();
        all.into_iter().for_each(|one| assert_eq!(one.join().expect("an answer"), 1));
    });
    // The replica has half of the time.
    assert!(started.elapsed() < Duration::from_secs(19), "{:?}", started.elapsed());
    pause(Duration::from_secs(3));
    let started = Instant::now();
    assert_eq!(listed(&cast.viewer, &cast), 1);
    assert!(started.elapsed() < Duration::from_secs(9), "the replica is no longer used");
    assert_eq!(fixture.server.anonymous().get("/ready").status, 200);
    drop(standstill);
    fixture.settle(&cast.viewer, &path);
}
