//! Daybook behind a connection pooler, and with several servers in one address.

use std::time::Duration;

use daybook_tests::pgbouncer::{self, Pgbouncer};
use daybook_tests::postgres::{Cluster, Setup};
use daybook_tests::{
    CASH_AND_FOOD, Cast, Engine, Options, Server, binary, free_port, run_for, setting,
};
use serde_json::json;

use crate::Case;
use crate::audit::audit;

pub fn tests() -> Vec<Case> {
    crate::isolated![a_pooler_of_sessions_serves, others_are_refused_at_the_start, several_hosts]
}

fn poolers(engine: Engine) -> bool {
    let missing = pgbouncer::missing().filter(|_| engine == Engine::Postgres);
    if let Some(what) = &missing {
        assert!(setting("CI").is_none(), "{what}");
        eprintln!("left out: {what}");
    }
    engine == Engine::Postgres && missing.is_none()
}

/// Starts a server that writes and audits, which takes the lease of the audit.
#[track_caller]
fn serves(url: String) -> Server {
    let server = Server::start_with(Options {
        engine: Engine::Postgres,
        database_url: Some(url),
        ..Options::default()
    });
    let cast = Cast::with_accounts(&server, &CASH_AND_FOOD);
    for _ in 0..20 {
        cast.record("2026-01-05", "10", "Cash", "Food", "Lunch");
    }
    let audited = audit(&cast);
    assert_eq!(audited["data"]["audit"]["findingsCount"], json!(0), "{audited}");
    server
}

fn a_pooler_of_sessions_serves(engine: Engine) {
    if poolers(engine) {
        let cluster = Cluster::start(Setup::default());
        let pooler = Pgbouncer::start(&cluster, &["pool_mode = session"]);
        drop(serves(pooler.url().to_owned()));
    }
}

/// Other pool modes would share prepared statements, settings and advisory locks between clients.
fn others_are_refused_at_the_start(engine: Engine) {
    if !poolers(engine) {
        return;
    }
    let cluster = Cluster::start(Setup::default());
    // Its pool then has idle connections, like that of a running installation.
    drop(serves(cluster.url().to_owned()));
    let turns: [(&[&str], &str); 4] = [
        (&["pool_mode = transaction"], "pool_mode = session"),
        (&["pool_mode = transaction", "server_round_robin = 1"], "pool_mode = session"),
        (&["pool_mode = transaction", "default_pool_size = 2"], "pool_mode = session"),
        (&["pool_mode = statement"], "the database cannot be opened"),
    ];
    for (settings, words) in turns {
        let pooler = Pgbouncer::start(&cluster, settings);
        // Other clients use the pool too, so that it has several connections.
        let mut others: Vec<_> = (0..2)
            .map(|_| {
                let mut other =
                    postgres::Client::connect(pooler.url(), postgres::NoTls).expect("a connection");
                if !settings[0].contains("statement") {
                    other.batch_execute("BEGIN").expect("a transaction");
                }
                other
            })
            .collect();
        for other in &mut others {
            other.batch_execute("COMMIT").ok();
        }
        let data = std::env::temp_dir().join(daybook_tests::unique("daybook-refused"));
        let mut command = std::process::Command::new(binary());
        command.args(["serve", "--listen", &format!("127.0.0.1:{}", free_port())]);
        command.args(["--database-url", pooler.url()]).arg("--data-dir").arg(&data);
        let run = run_for(&mut command, Duration::from_secs(60));
        std::fs::remove_dir_all(&data).ok();
        let run = run.unwrap_or_else(|| panic!("{settings:?}: it goes on"));
        let output = String::from_utf8_lossy(&run.stderr).into_owned();
        assert!(!run.status.success() && output.contains(words), "{settings:?}: {output}");
        assert!(!output.contains("panicked"), "{output}");
    }
}

/// The address of a primary and its standby: the writable one is used.
fn several_hosts(engine: Engine) {
    if engine != Engine::Postgres {
        return;
    }
    let standby = Cluster::start(Setup::default());
    let mut administrator =
        postgres::Client::connect(standby.url(), postgres::NoTls).expect("the standby");
    for statement in
        ["ALTER SYSTEM SET default_transaction_read_only = on", "SELECT pg_reload_conf()"]
    {
        administrator.batch_execute(statement).expect(statement);
    }
    let mut primary = Cluster::start(Setup { durable: true, ..Setup::default() });
    let url = format!(
        "postgres://postgres@127.0.0.1:{},127.0.0.1:{},127.0.0.1:{}/postgres\
            ?target_session_attrs=read-write&connect_timeout=2",
        free_port(),
        standby.port(),
        primary.port()
    );
    let server = serves(url);
    primary.kill();
    assert_eq!(server.anonymous().get("/ready").status, 503);
    primary.resume();
    crate::file_sweep::eventually("it is back", || server.anonymous().get("/ready").status == 200);
}
