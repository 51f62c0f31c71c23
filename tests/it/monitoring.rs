//! `--metrics-listen` and `daybook doctor`: what an operator sees of a running server.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use daybook_tests::{Cast, Engine, RawSql, Server, folder};
use serde_json::{Value, json};

use crate::Case;
use crate::file_sweep::eventually;
use crate::webhooks::install;

pub fn tests() -> Vec<Case> {
    crate::isolated![
        metrics_count_requests_and_add_no_series_for_scanners,
        doctor_tells_a_healthy_installation_from_an_unhealthy_one,
    ]
}

pub fn nightly() -> Vec<Case> {
    crate::isolated![scrape_is_fast_with_many_books, unreadable_database_has_no_figures]
}

/// Returns the address of a server's metrics, from its log.
#[track_caller]
fn metrics_address(server: &Server) -> String {
    let log = server.log();
    let (_, rest) = log.split_once("metrics are served: http://").expect("the line of the log");
    rest.split('/').next().expect("an address").to_owned()
}

/// Sends a GET request and returns the body.
#[track_caller]
fn get(address: &str, path: &str) -> String {
    let mut stream = TcpStream::connect(address).expect("a connection");
    write!(stream, "GET {path} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n")
        .expect("the request is sent");
    let mut response = String::new();
    stream.read_to_string(&mut response).expect("a response in UTF-8");
    let (head, body) = response.split_once("\r\n\r\n").expect("a head");
    assert!(head.starts_with("HTTP/1.1 200"), "{path}: {head}");
    body.to_owned()
}

/// Returns the samples of a scrape: name with labels, and value.
fn samples(text: &str) -> BTreeMap<String, String> {
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    lines
        .map(|line| {
            let (series, value) = line.rsplit_once(' ').expect("a series and its value");
            assert!(value.parse::<f64>().is_ok(), "{line}");
            (series.to_owned(), value.to_owned())
        })
        .collect()
}

/// Returns the names of the metrics that a page of the documentation lists.
fn documented() -> BTreeSet<String> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/operations.md");
    let page = fs::read_to_string(path).expect("the page");
    let rows = page.lines().filter_map(|line| line.strip_prefix("| `"));
    let names = rows.filter(|row| row.starts_with("daybook_") || row.starts_with("process_"));
    names.map(|row| row.split(['`', '{']).next().expect("a name").to_owned()).collect()
}

fn metrics_count_requests_and_add_no_series_for_scanners(engine: Engine) {
    let server = Server::with_args(engine, &["--metrics-listen", "127.0.0.1:0"]);
    let address = metrics_address(&server);
    let scrape = || samples(&get(&address, "/metrics"));
    let cast = Cast::with_accounts(&server, &[("Cash", "ASSET"), ("Food", "OUTGOING")]);
    cast.record("2026-01-31", "5", "Cash", "Food", "Lunch");
    eventually("the database was read", || {
        scrape().get("daybook_database_up").is_some_and(|value| value == "1")
    });
    let text = get(&address, "/metrics");
    let declared = text.lines().filter_map(|line| line.strip_prefix("# TYPE "));
    let declared: BTreeSet<String> =
        declared.map(|line| line.split(' ').next().expect("a name").to_owned()).collect();
    assert_eq!(declared, documented(), "the table of docs/operations.md");
    let found = samples(&text);
    let created = "{method=\"POST\",route=\"createTransaction\"";
    assert_eq!(found[&format!("daybook_http_requests_total{created},status=\"2xx\"}}")], "1");
    let count = format!("daybook_http_request_duration_seconds_count{created}}}");
    let bucket = |bound: &str| {
        found[&format!("daybook_http_request_duration_seconds_bucket{created},le=\"{bound}\"}}")]
            .clone()
    };
    assert_eq!((found[&count].as_str(), bucket("+Inf").as_str()), ("1", "1"));
    let number = |series: &str| found[series].parse::<f64>().expect("a number");
    assert!(number("daybook_events_appended_total") >= 3.0, "{text}");
    assert!(number("daybook_commit_duration_seconds_count") >= 1.0, "{text}");
    assert!(number("daybook_db_size_bytes") > 0.0, "{text}");
    assert!(number("process_open_fds") > 3.0, "{text}");
    assert!(number("process_resident_memory_bytes") > 1e6, "{text}");
    // The public port has no metrics.
    let public = server.anonymous().try_send("GET", "/metrics", None, &[]).expect("a response");
    assert!(!public.text.contains("daybook_build_info"));

    let caller = server.client("scanner@example.com");
    let probe = |round: usize| {
        for path in [
            format!("/wp-admin/{round}.php"),
            format!("/v5/books/book-{round}/transactions/{round}"),
            format!("/v5/{round}/unknown?token={round}"),
            format!("/files/{round}"),
        ] {
            for method in ["GET", "POST", "DELETE"] {
                let _ = caller.try_send(method, &path, None, &[]);
            }
        }
    };
    probe(0);
    let series = || -> BTreeSet<String> {
        scrape().into_keys().filter(|series| series.starts_with("daybook_http_")).collect()
    };
    let before = series();
    (1..20).for_each(probe);
    let after = series();
    let added: Vec<&String> = after.difference(&before).collect();
    assert!(added.is_empty(), "{added:?}");
}

/// The gauges that are read from the database.
const OF_THE_DATABASE: [&str; 7] = [
    "daybook_webhook_backlog",
    "daybook_webhook_backlog_age_seconds",
    "daybook_webhook_paused_apps",
    "daybook_mail_outbox",
    "daybook_audits_waiting",
    "daybook_oldest_unaudited_book_seconds",
    "daybook_db_size_bytes",
];

fn unreadable_database_has_no_figures(engine: Engine) {
    let server = Server::with_args(engine, &["--metrics-listen", "127.0.0.1:0"]);
    let address = metrics_address(&server);
    Cast::new(&server);
    let scrape = || samples(&get(&address, "/metrics"));
    let is_up = |up: &str| scrape().get("daybook_database_up").is_some_and(|value| value == up);
    let known = || {
        let found = scrape();
        OF_THE_DATABASE.into_iter().filter(|name| found.contains_key(*name)).count()
    };
    eventually("all figures are known", || is_up("1") && known() == OF_THE_DATABASE.len());
    let mut database = RawSql::open(&server);
    database.execute("ALTER TABLE mails RENAME TO mails_away");
    eventually("the reading fails", || is_up("0"));
    assert_eq!(known(), 0);
    assert!(scrape().contains_key("daybook_files_bytes"), "the last sweep is known");
    database.execute("ALTER TABLE mails_away RENAME TO mails");
    eventually("all figures are known again", || is_up("1") && known() == OF_THE_DATABASE.len());
}

/// The time within which a scrape must be answered.
const MAX_SCRAPE: Duration = Duration::from_millis(5);

fn scrape_is_fast_with_many_books(engine: Engine) {
    let server = Server::with_args(engine, &["--metrics-listen", "127.0.0.1:0"]);
    let address = metrics_address(&server);
    let cast = Cast::with_accounts(&server, &[("Cash", "ASSET")]);
    let columns = "owner_id, name, auto_post, date_pattern, decimal_separator, fraction_digits, \
         scale, page_size, period, period_start_month, time_zone, visibility, created_at, \
         updated_at, version, file_secret";
    let mut database = RawSql::open(&server);
    database.execute(&format!(
        "INSERT INTO books (id, public_id, {columns}) WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL \
         SELECT i + 1 FROM n WHERE i < 100000) SELECT 1000000 + i, 'copy' || i, {columns} \
         FROM books CROSS JOIN n WHERE public_id = '{}'",
        cast.book
    ));
    assert_eq!(database.count("SELECT COUNT(*) FROM books WHERE id > 1000000"), 100_000);
    let fastest = (0..50).map(|_| {
        let started = Instant::now();
        get(&address, "/metrics");
        started.elapsed()
    });
    let fastest = fastest.min().expect("a scrape");
    assert!(fastest < MAX_SCRAPE, "{fastest:?}");
}

/// Runs `daybook doctor --full --json`; returns the status and the states of the checks by name.
#[track_caller]
fn doctor(command: &mut Command) -> (i32, BTreeMap<String, String>, Value) {
    let output = command.output().expect("daybook runs");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let report: Value = serde_json::from_str(&text).unwrap_or_else(|error| {
        panic!("{error}: {text}{}", String::from_utf8_lossy(&output.stderr))
    });
    let checks = report["checks"].as_array().expect("checks").iter();
    let text_of = |check: &Value, field: &str| check[field].as_str().expect(field).to_owned();
    let states = checks.map(|check| (text_of(check, "name"), text_of(check, "state"))).collect();
    (output.status.code().expect("a status"), states, report)
}

/// Checks whose result depends on the machine of the test.
const OF_THE_MACHINE: [&str; 3] = ["open files", "free space", "service unit"];

fn findings(states: &BTreeMap<String, String>) -> BTreeSet<&str> {
    let found = states.iter().filter(|(_, state)| *state == "warn" || *state == "fail");
    let found = found.map(|(name, _)| name.as_str());
    found.filter(|name| !OF_THE_MACHINE.contains(name)).collect()
}

/// Returns the names and contents of the files below a folder, without those of SQLite.
fn files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let entries = fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry"));
    let files = entries.filter(|entry| entry.path().is_file());
    files
        .map(|entry| {
            let name = entry.file_name().to_string_lossy().into_owned();
            (name, fs::read(entry.path()).expect("a file"))
        })
        .collect()
}

fn doctor_tells_a_healthy_installation_from_an_unhealthy_one(engine: Engine) {
    let server = Server::start(engine);
    let cast = Cast::with_accounts(&server, &[("Cash", "ASSET"), ("Food", "OUTGOING")]);
    cast.record("2026-01-31", "5", "Cash", "Food", "Lunch");
    let place = folder("doctor", false);
    fs::set_permissions(place.path(), PermissionsExt::from_mode(0o700)).expect("its mode");
    let shown = place.path().display().to_string();
    server.run(&["backup", "create", "--to", &shown]).expect("a backup");
    let now = Command::new("date").args(["-u", "+%Y-%m-%dT%H:%M:%SZ"]).output().expect("date runs");
    let now = String::from_utf8(now.stdout).expect("a time");
    let last = json!({"finishedAt": now.trim(), "bytes": 1_000, "place": shown});
    let note = server.data_dir().join("last-backup.json");
    fs::write(&note, last.to_string()).expect("a note");

    let before = files(server.data_dir());
    let address = server.base();
    let healthy = ["doctor", "--full", "--json", "--public-url", address];
    let (status, states, report) = doctor(&mut server.admin(&healthy));
    // The PostgreSQL server of the suite writes without fsync, which is worth a finding.
    let of_engine: &[&str] = match engine {
        Engine::Sqlite => &[],
        Engine::Postgres => &["PostgreSQL"],
    };
    assert_eq!(findings(&states), of_engine.iter().copied().collect(), "{report}");
    assert_eq!(status, if report["findings"] == 0 { 0 } else { 3 }, "{report}");
    for name in
        ["schema", "sealed secrets", "keys", "audits", "public address", "webhook addresses"]
    {
        assert_eq!(states[name], "ok", "{report}");
    }
    // The structure of a file is checked, not that of a PostgreSQL server.
    assert_eq!(states.contains_key("structure"), engine == Engine::Sqlite, "{report}");
    assert_eq!(states["proxy: Authorization"], "ok", "{report}");
    assert_eq!(states["backup restorable"], "ok", "{report}");
    assert_eq!(files(server.data_dir()), before, "nothing was changed");
    cast.record("2026-02-28", "5", "Cash", "Food", "The server goes on");

    install(&cast, "http://127.0.0.1:9/", &["TRANSACTION_POSTED"], json!({}));
    fs::remove_file(&note).expect("the note");
    let key = server.data_dir().join("token.key");
    fs::set_permissions(&key, PermissionsExt::from_mode(0o644)).expect("its mode");
    fs::set_permissions(server.data_dir(), PermissionsExt::from_mode(0o755)).expect("its mode");
    let unhealthy = [
        "doctor",
        "--json",
        "--public-url",
        "http://127.0.0.1:9",
        "--smtp-url",
        "smtp://127.0.0.1:9",
        "--mail-from",
        "books@example.com",
        "--webhook-allow",
        "10.0.0.0/8",
    ];
    let mut command = server.admin(&unhealthy);
    let (status, states, report) = doctor(command.env("DAYBOOK_LISTN", "127.0.0.1:8080"));
    let expected = [
        "backup",
        "data directory",
        "keys",
        "mail server",
        "options",
        "public address",
        "webhook addresses",
        "webhook targets",
    ];
    let expected = expected.iter().chain(of_engine).copied().collect();
    assert_eq!(findings(&states), expected, "{report}");
    assert_eq!(status, 3);
    let mut command = server.admin(&["doctor"]);
    let output = command.output().expect("daybook runs");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let line = text.lines().find(|line| line.contains(" data directory: ")).expect("a line");
    assert!(line.starts_with("fail ") && line.contains("chmod 700"), "{text}");
    assert!(line.contains("(docs/operations.md#the-service)"), "{text}");
    assert_eq!(output.status.code(), Some(3), "{text}");
}
