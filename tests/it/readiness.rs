//! `GET /ready` and the writers of the database.

use std::time::{Duration, Instant};

use daybook_tests::{Engine, Server, pause};

use crate::Case;

pub fn tests() -> Vec<Case> {
    crate::isolated![ready_looks_at_the_writers]
}

/// Issue 2: `/ready` reports whether requests can be served, and never hangs.
fn ready_looks_at_the_writers(engine: Engine) {
    let server = Server::start(engine);
    let request = |expected: u16| {
        let started = Instant::now();
        let answer = server.anonymous().get("/ready");
        assert_eq!(answer.status, expected, "{}", answer.text);
        assert!(started.elapsed() < Duration::from_secs(20), "{:?}", started.elapsed());
        assert!(
            expected == 200 || answer.headers.contains_key("retry-after"),
            "{:?}",
            answer.headers
        );
    };
    request(200);
    match engine {
        // Readers work while another process has the only write lock.
        Engine::Sqlite => {
            let path = server.database_url().strip_prefix("sqlite:").expect("a file");
            let other = rusqlite::Connection::open(path).expect("the file of the server");
            other.execute_batch("BEGIN IMMEDIATE").expect("the write lock");
            request(503);
            other.execute_batch("ROLLBACK").expect("an end");
        }
        Engine::Postgres => {
            let name = server
                .database_url()
                .rsplit('/')
                .next()
                .and_then(|rest| rest.split('?').next())
                .expect("a database");
            let mut admin =
                postgres::Client::connect(&daybook_tests::admin_url(false), postgres::NoTls)
                    .expect("the cluster");
            let close = format!(
                "ALTER DATABASE {name} ALLOW_CONNECTIONS false; \
                 SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{name}'"
            );
            admin.batch_execute(&close).expect("connections are refused");
            request(503);
            admin
                .batch_execute(&format!("ALTER DATABASE {name} ALLOW_CONNECTIONS true"))
                .expect("all get in again");
        }
    }
    server.anonymous().get("/health").ok();
    // A pool reconnects with growing pauses.
    let ready = (0..600).any(|_| {
        pause(Duration::from_millis(100));
        server.anonymous().get("/ready").status == 200
    });
    assert!(ready, "it recovers by itself:\n{}", server.log());
}
