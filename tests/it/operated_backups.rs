//! `daybook backup`, `daybook restore` and `daybook move`, beside servers that go on writing.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Output, Stdio};
use std::thread;
use std::time::Duration;

use aws_lc_rs::digest::{SHA256, digest};
use daybook_tests::postgres::Database;
use daybook_tests::receiver::{Receiver, fine};
use daybook_tests::{Cast, Engine, Folder, Options, RawSql, Server, binary, folder, pause};
use serde_json::{Value, json};

use crate::Case;
use crate::file_sweep::eventually;
use crate::files::{file, url_path};
use crate::s3::{BUCKET, SECRET_KEY, Store};
use crate::webhooks::install;

pub fn tests() -> Vec<Case> {
    crate::isolated![
        a_backup_is_restored_and_goes_on,
        sealed_keys_need_the_identity,
        changed_backups_are_refused,
        contents_are_stored_once_and_pruned,
        a_bucket_holds_backups,
        webhooks_and_mails_wait_for_the_release,
        an_installation_moves_to_the_other_engine,
        a_server_waits_for_the_move_of_its_database,
        databases_with_data_are_not_moved_or_restored_into,
    ]
}

/// A pair of keys, made by `age-keygen` for these tests.
const RECIPIENT: &str = "age1upzt7kevx4kxdpur5t5e25ykrmn3pdymaylp5nu06csy987ukdpsw5skmz";
const IDENTITY: &str = "AGE-SECRET-KEY-1XAR0L09X05YDW4QYXM58SG9E6HUANYYJXFJXY3G6KWRJ8FVYNVEQFWK2CD";

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// A folder that only its owner may enter, as the data directory must be.
pub fn private_folder() -> Folder {
    let folder = folder("backups", false);
    fs::set_permissions(folder.path(), PermissionsExt::from_mode(0o700)).expect("its mode");
    folder
}

/// The path of a folder as an argument.
pub fn shown(folder: &Folder) -> String {
    folder.path().display().to_string()
}

/// Runs a command that needs no installation.
pub fn daybook(arguments: &[&str]) -> Output {
    std::process::Command::new(binary()).args(arguments).output().expect("daybook runs")
}

/// The standard error of a command that must fail.
#[track_caller]
pub fn refused(output: &Output) -> String {
    assert!(!output.status.success(), "{}", text(&output.stdout));
    text(&output.stderr)
}

#[track_caller]
pub fn done(output: &Output) -> String {
    assert!(output.status.success(), "{}{}", text(&output.stdout), text(&output.stderr));
    text(&output.stdout)
}

/// The one JSON object that a successful command prints with `--json`.
#[track_caller]
fn object(arguments: &[&str]) -> Value {
    let printed = done(&daybook(&[arguments, &["--json"]].concat()));
    serde_json::from_str(&printed).unwrap_or_else(|error| panic!("{error}: {printed}"))
}

/// Makes a backup; returns its path.
#[track_caller]
pub fn backup(server: &Server, place: &str, options: &[&str]) -> String {
    let arguments = [&["backup", "create", "--to", place], options].concat();
    let printed = server.run(&arguments).expect("a backup");
    assert!(printed.contains("the backup is good"), "{printed}");
    printed.lines().next().expect("its path").to_owned()
}

pub fn book(server: &Server) -> Cast {
    let cast = Cast::with_accounts(server, &[("Cash", "ASSET"), ("Food", "OUTGOING")]);
    cast.record("2026-01-31", "5", "Cash", "Food", "Lunch — café «one» \"two\" \\ 🍞");
    cast.record("2026-02-28", "7.25", "Cash", "Food", "Dinner");
    cast
}

fn restored_url(engine: Engine, data_dir: &Path, database: Option<&Database>) -> String {
    match (engine, database) {
        (Engine::Postgres, Some(database)) => database.url.clone(),
        _ => format!("sqlite:{}", data_dir.join("daybook.db").display()),
    }
}

/// The books as a caller sees them through another server.
fn seen(server: &Server, cast: &Cast) -> String {
    let caller = server.client(cast.owner.email());
    let path = |rest: &str| format!("/v5/books/{}{rest}", cast.book);
    let parts = ["/transactions", "/balances?query=on:2026-12-31", "/events?limit=100"];
    let seen = parts.map(|part| caller.get(&path(part)).ok().to_string()).join("\n");
    seen.replace(server.base(), "http://server")
}

/// The backup has every write answered before it began. The restored server continues the log.
fn a_backup_is_restored_and_goes_on(engine: Engine) {
    let server = Server::start(engine);
    let cast = book(&server);
    let receipt = file(&cast, "receipt.txt", b"one lunch");
    server.run(&["checkpoint"]).expect("a checkpoint");
    let before = seen(&server, &cast);
    let token = server.token(cast.owner.email());
    let place = private_folder();
    let path = backup(&server, &shown(&place), &[]);
    let last = fs::read(server.data_dir().join("last-backup.json")).expect("the last backup");
    let last: Value = serde_json::from_slice(&last).expect("JSON");
    assert_eq!(last["place"], shown(&place));
    let database = fs::metadata(Path::new(&path).join("daybook.db")).expect("the copy").len();
    assert!(last["bytes"].as_u64() > Some(database), "{last}");
    let finished = last["finishedAt"].as_str().map(str::parse::<jiff::Timestamp>);
    assert!(matches!(finished, Some(Ok(_))), "{last}");
    cast.record("2026-03-31", "9", "Cash", "Food", "after the backup");
    let at = shown(&place);
    let listed = done(&daybook(&["backup", "list", "--at", &at]));
    assert!(listed.contains("  good  "), "{listed}");
    let listed = object(&["backup", "list", "--at", &at]);
    assert_eq!(listed["backups"][0]["manifest"]["audit"]["books"], 1, "{listed}");
    let verified = daybook(&["backup", "verify", &path]);
    assert!(done(&verified).trim_end().ends_with(": 0 differences"), "{}", text(&verified.stdout));

    let database = (engine == Engine::Postgres).then(|| Database::empty(false));
    let restored = private_folder();
    let data_dir = restored.path().join("data");
    let url = restored_url(engine, &data_dir, database.as_ref());
    let into = data_dir.display().to_string();
    let restore = ["restore", &path, "--into", &into, "--database-url", &url];
    done(&daybook(&restore));
    let again = refused(&daybook(&restore));
    assert!(again.contains("is not empty"), "{again}");
    let summary = object(&["backup", "verify", &path]);
    assert_eq!([&summary["books"], &summary["differences"]], [&json!(1), &json!(0)]);
    assert!(summary["checkpoints"].as_u64() > Some(0), "{summary}");
    let trial = place.path().join("trial");
    let into = trial.display().to_string();
    let trial_url = format!("sqlite:{}", trial.join("daybook.db").display());
    let result = object(&["restore", &path, "--into", &into, "--database-url", &trial_url]);
    assert_eq!([&result["hasKeys"], &result["missing"]], [&json!(true), &json!([])]);
    for released in [true, false] {
        let result = object(&["restore", "release", "--data-dir", &into]);
        assert_eq!(result, json!({"released": released}));
    }
    let copy = server.elsewhere(&data_dir, &url);
    assert!(seen(&copy, &cast) == before, "another content");
    assert_eq!(copy.anonymous().download(&url_path(&server, &receipt)), b"one lunch");
    // The keys and tokens are those of the original.
    let caller = copy.client_with_token(&token);
    let own = caller.post("/v5/books", &json!({"name": "Made after the restore"})).ok();
    assert!(own["id"].is_string(), "{own}");
    let recorded = caller.post(
        &format!("/v5/books/{}/transactions", cast.book),
        &json!({"date": "2026-04-30", "amount": "3", "description": "Cash Food again"}),
    );
    recorded.ok();
    assert!(copy.run(&["verify"]).expect("no difference").contains(": 0 differences"));
}

fn sealed_keys_need_the_identity(engine: Engine) {
    let server = Server::start(engine);
    let cast = book(&server);
    server.run(&["checkpoint"]).expect("a checkpoint");
    let place = private_folder();
    let path = backup(&server, &shown(&place), &["--recipient", RECIPIENT]);
    let names: Vec<String> = files_below(Path::new(&path));
    assert!(names.contains(&"keys.age".to_owned()), "{names:?}");
    assert!(!names.iter().any(|name| name.ends_with(".key")), "{names:?}");
    let identity = place.path().join("identity.txt");
    fs::write(&identity, format!("# mine\n{IDENTITY}\n")).expect("an identity");
    let identity = identity.display().to_string();

    let unopened = done(&daybook(&["backup", "verify", &path]));
    assert!(unopened.contains("checkpoints were not compared"), "{unopened}");
    let opened = done(&daybook(&["backup", "verify", &path, "--identity", &identity]));
    assert!(!opened.contains("not compared"), "{opened}");

    let restored = private_folder();
    let data_dir = restored.path().to_owned();
    let into = data_dir.display().to_string();
    let url = format!("sqlite:{}", data_dir.join("daybook.db").display());
    let arguments = ["restore", &path, "--into", &into, "--database-url", &url];
    let printed = done(&daybook(&[&arguments[..], &["--identity", &identity]].concat()));
    assert!(!printed.contains("keys are not restored"), "{printed}");
    let original = fs::read(server.data_dir().join("token.key")).expect("a key");
    assert_eq!(fs::read(data_dir.join("token.key")).expect("a key"), original);
    // Another identity opens nothing and restores nothing.
    let other = place.path().join("other.txt");
    let key = "AGE-SECRET-KEY-1RZQ83LJYPSHJ24KHWDL8SLDHHVZUNWM945KWGAPKYG24N9SXXMGSKYQL26";
    fs::write(&other, key).expect("another identity");
    let empty = place.path().join("data");
    let into = empty.display().to_string();
    let url = format!("sqlite:{}", empty.join("daybook.db").display());
    let restore = ["restore", &path, "--into", &into, "--database-url", &url];
    let other = other.display().to_string();
    for command in [&restore[..], &["backup", "verify", &path]] {
        let message = refused(&daybook(&[command, &["--identity", &other]].concat()));
        assert!(message.contains("another recipient"), "{}: {message}", cast.book);
    }
    assert_eq!(files_below(&empty), Vec::<String>::new());
    done(&daybook(&[&restore[..], &["--identity", &identity]].concat()));
    // A misspelled recipient makes no backup.
    let before = files_below(place.path());
    let misspelled = RECIPIENT.replace("skmz", "skmx");
    let at = shown(&place);
    let create = ["backup", "create", "--to", &at, "--recipient", &misspelled];
    let message = server.run(&create).expect_err("not a key");
    assert!(message.contains("--recipient") && message.contains("not a key of age"), "{message}");
    assert_eq!(files_below(place.path()), before);
}

/// The names of the files below a folder.
fn files_below(folder: &Path) -> Vec<String> {
    let mut names = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(next) = folders.pop() {
        for entry in fs::read_dir(next).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                folders.push(path);
            } else {
                let name = path.strip_prefix(folder).expect("a path below");
                names.push(name.display().to_string());
            }
        }
    }
    names.sort();
    names
}

fn changed_backups_are_refused(engine: Engine) {
    let server = Server::start(engine);
    let cast = book(&server);
    file(&cast, "receipt.txt", b"one lunch");
    let place = private_folder();
    let path = backup(&server, &shown(&place), &[]);
    let verify = || daybook(&["backup", "verify", &path]);
    let restored = private_folder();
    let data_dir = restored.path().join("data");
    let into = data_dir.display().to_string();
    let url = format!("sqlite:{}", data_dir.join("daybook.db").display());
    let restore = || {
        let refused = daybook(&["restore", &path, "--into", &into, "--database-url", &url]);
        assert!(!data_dir.join("daybook.db").exists());
        let _ = fs::remove_dir_all(&data_dir);
        refused
    };
    for name in files_below(Path::new(&path)) {
        let part = Path::new(&path).join(&name);
        let whole = fs::read(&part).expect("a part");
        let mut changed = whole.clone();
        let middle = changed.len() / 2;
        changed[middle] ^= 1;
        for bytes in [&changed[..], &whole[..middle]] {
            fs::write(&part, bytes).expect("a changed or cut part");
            for message in [refused(&verify()), refused(&restore())] {
                assert!(message.contains("was changed"), "{name}: {message}");
            }
        }
        fs::remove_file(&part).expect("it existed");
        assert_eq!(verify().status.code(), Some(2), "{name} is missing");
        fs::write(&part, whole).expect("the whole part");
    }
    // A part outside of the folder of the backup, in a manifest with a valid sum.
    let manifest = Path::new(&path).join("manifest.json");
    let sum = Path::new(&path).join("manifest.sha256");
    let whole = [&manifest, &sum].map(|part| fs::read(part).expect("a part"));
    for name in ["../../daybook.db", "/tmp/daybook.db", "keys\\\\daybook.db"] {
        let changed = text(&whole[0]).replace("\"daybook.db\"", &format!("\"{name}\""));
        assert_ne!(changed.as_bytes(), whole[0]);
        let digest = digest(&SHA256, changed.as_bytes());
        let digest: String = digest.as_ref().iter().map(|byte| format!("{byte:02x}")).collect();
        fs::write(&manifest, changed).expect("a manifest");
        fs::write(&sum, digest).expect("its sum");
        for refusal in [refused(&verify()), refused(&restore())] {
            assert!(refusal.contains("expected a path below the folder"), "{name}: {refusal}");
        }
    }
    for (part, bytes) in [manifest, sum].iter().zip(whole) {
        fs::write(part, bytes).expect("the whole part");
    }
    done(&verify());
    // The bytes of files are not parts of the manifest.
    let contents = place.path().join("files");
    let content = contents.join(&files_below(&contents)[0]);
    fs::write(&content, b"two lunch").expect("another content");
    let output = verify();
    assert_eq!(output.status.code(), Some(1), "{}", text(&output.stderr));
    assert!(text(&output.stdout).starts_with("file\t"), "{}", text(&output.stdout));
    let output = daybook(&["backup", "verify", &path, "--json"]);
    assert_eq!(output.status.code(), Some(1), "{}", text(&output.stderr));
    let summary: Value = serde_json::from_slice(&output.stdout).expect("one object");
    assert_eq!(summary["differences"], 1, "{summary}");
    assert_eq!(summary["listed"][0]["kind"], "file", "{summary}");
    fs::remove_file(&content).expect("it existed");
    assert_eq!(verify().status.code(), Some(1));
    // Paths that do not name a backup.
    for other in ["/nowhere", "20260101", "20260101T000000Z"] {
        assert!(!daybook(&["backup", "verify", other]).status.success(), "{other}");
    }
}

fn contents_are_stored_once_and_pruned(engine: Engine) {
    let server = Server::start(engine);
    let cast = book(&server);
    file(&cast, "receipt.txt", b"one lunch");
    let place = private_folder();
    let at = shown(&place);
    let first = backup(&server, &at, &[]);
    let contents = || files_below(&place.path().join("files"));
    assert_eq!(contents().len(), 1);
    file(&cast, "other.txt", b"two lunches");
    // A process that was killed has left its copy.
    let stale = place.path().join(".20260101T000000Z");
    fs::create_dir(&stale).expect("a folder");
    // The names of backups have seconds.
    pause(Duration::from_millis(1_100));
    let second = backup(&server, &at, &["--keep", "1d"]);
    assert_eq!(contents().len(), 2, "the first content was not stored again");
    assert!(!Path::new(&first).exists() && Path::new(&second).exists() && !stale.exists());
    // An interrupted backup is named, and its folder stays for a day.
    let unfinished = place.path().join("20260101T000000Z");
    fs::create_dir(&unfinished).expect("a folder");
    fs::write(unfinished.join("files.txt"), b"").expect("a part");
    // A draft of a part, as the store writes it. Lists do not contain it.
    fs::write(unfinished.join("daybook.db#1"), b"half").expect("a draft");
    let listed = done(&daybook(&["backup", "list", "--at", &at]));
    assert!(listed.contains("20260101T000000Z  not completed"), "{listed}");
    let listed = object(&["backup", "list", "--at", &at]);
    assert_eq!(listed["backups"][0]["error"], "not completed", "{listed}");
    let prune = ["backup", "prune", "--at", &at, "--keep", "2d"];
    assert_eq!(done(&daybook(&prune)), "removed 20260101T000000Z\n");
    assert_eq!(object(&prune), json!({"removed": []}));
    assert!(Path::new(&second).exists() && !unfinished.exists());
    done(&daybook(&["backup", "verify", &second]));
    // A disk that is not mounted is not a place without backups.
    let absent = place.path().join("absent");
    let at = absent.display().to_string();
    let named = format!("{at}/20260101T000000Z");
    for command in [
        &["backup", "list", "--at", &at][..],
        &["backup", "prune", "--at", &at, "--keep", "2d"],
        &["backup", "verify", &named],
        &["restore", &named, "--into", &named],
    ] {
        let message = refused(&daybook(command));
        assert!(message.contains("there is no directory"), "{message}");
    }
    assert!(!absent.exists());
    let empty = private_folder();
    let listed = done(&daybook(&["backup", "list", "--at", &shown(&empty)]));
    assert!(listed.starts_with("No backups."), "{listed}");
}

fn a_bucket_holds_backups(engine: Engine) {
    let mut store = Store::start();
    let server = Server::start(engine);
    let cast = book(&server);
    file(&cast, "receipt.txt", b"one lunch");
    let options = store.options(SECRET_KEY);
    // Its files are in a folder; the options of the bucket serve the place of the backups.
    let bucket: Vec<&str> = options.iter().skip(2).map(String::as_str).collect();
    let place = format!("s3://{BUCKET}/backups");
    let create = [&["backup", "create", "--to", &place][..], &bucket].concat();
    let printed = server.run(&create).expect("a backup");
    assert!(printed.contains("The keys are left out"), "{printed}");
    assert!(!store.objects().iter().any(|object| object.contains("key")));
    let path = printed.lines().next().expect("its path").to_owned();
    done(&daybook(&[&["backup", "verify", &path][..], &bucket].concat()));
    let restored = private_folder();
    let data_dir = restored.path().join("data");
    let into = data_dir.display().to_string();
    let url = format!("sqlite:{}", data_dir.join("daybook.db").display());
    let restore = ["restore", &path, "--into", &into, "--database-url", &url];
    // A bucket that is lost in between.
    store.pause();
    let message = server.run(&create).expect_err("no bucket");
    assert!(message.contains("cannot be listed"), "{message}");
    for command in [&restore[..], &["backup", "verify", &path]] {
        let message = refused(&daybook(&[command, &bucket].concat()));
        assert!(message.contains("manifest.json cannot be read"), "{message}");
    }
    store.resume();
    let elsewhere = [&["backup", "create", "--to", "s3://another/backups"][..], &bucket].concat();
    let message = server.run(&elsewhere).expect_err("no such bucket");
    assert!(message.contains("cannot be"), "{message}");
    let restored = done(&daybook(&[&restore[..], &bucket].concat()));
    assert!(restored.contains("The keys are not restored"), "{restored}");
    assert_eq!(files_below(&data_dir.join("files")).len(), 1);
    let list = ["backup", "list", "--at", &place];
    assert!(
        done(&daybook(&[&list[..], &bucket].concat())).lines().all(|line| line.contains("good"))
    );
}

fn webhooks_and_mails_wait_for_the_release(engine: Engine) {
    let server = Server::start(engine);
    let cast = book(&server);
    let receiver = Receiver::answering(|_| fine("{}"));
    install(&cast, &receiver.url(), &["TRANSACTION_POSTED"], json!({}));
    cast.record("2026-03-31", "9", "Cash", "Food", "delivered");
    receiver.wait_for(1);
    let place = private_folder();
    let path = backup(&server, &shown(&place), &[]);
    let restored = private_folder();
    let data_dir = restored.path().join("data");
    let into = data_dir.display().to_string();
    let url = format!("sqlite:{}", data_dir.join("daybook.db").display());
    done(&daybook(&["restore", &path, "--into", &into, "--database-url", &url]));
    let copy = server.elsewhere(&data_dir, &url);
    let caller = copy.client(cast.owner.email());
    let body = json!({"date": "2026-04-30", "amount": "3", "description": "Cash Food held"});
    caller.post(&format!("/v5/books/{}/transactions", cast.book), &body).ok();
    let backlog = || {
        let path = format!("/v5/books/{}/events/backlog", cast.book);
        caller.get(&path).ok()["count"].clone()
    };
    assert_eq!(backlog(), json!(1));
    pause(Duration::from_secs(1));
    assert_eq!(receiver.received().len(), 1, "the restored installation sends nothing");
    let released = copy.run(&["restore", "release"]).expect("a release");
    assert!(released.contains("are sent again"), "{released}");
    receiver.wait_for(2);
    eventually("delivered", || backlog() == json!(0));
    assert!(copy.run(&["restore", "release"]).expect("again").contains("were not held"));
}

fn an_installation_moves_to_the_other_engine(engine: Engine) {
    let mut server = Server::start(engine);
    let cast = book(&server);
    let receipt = file(&cast, "receipt.txt", b"one lunch");
    let before = seen(&server, &cast);
    let database = (engine == Engine::Sqlite).then(|| Database::empty(false));
    let moved_to = private_folder();
    let path = moved_to.path().join("books.db");
    let url = database
        .as_ref()
        .map_or_else(|| format!("sqlite:{}", path.display()), |database| database.url.clone());
    let moved = |server: &Server| server.admin(&["move", "--to", &url]).output().expect("it runs");
    let message = refused(&moved(&server));
    assert!(message.contains("stop the server first"), "{message}");
    server.terminate();
    // An interrupted move leaves a database with the schema alone.
    let unused = private_folder();
    done(&daybook(&["migrate", "--data-dir", &shown(&unused), "--database-url", &url]));
    let printed = done(&moved(&server));
    assert!(printed.contains("ends of all logs agree"), "{printed}");
    let message = refused(&moved(&server));
    assert!(message.contains("not empty") && message.contains("nothing was changed"), "{message}");

    let copy = match engine {
        Engine::Sqlite => {
            Server::start_with(Options { engine: Engine::Postgres, ..Options::default() })
        }
        Engine::Postgres => Server::start(Engine::Sqlite),
    };
    let copy = copy.elsewhere(server.data_dir(), &url);
    assert!(seen(&copy, &cast) == before, "another content");
    assert_eq!(copy.anonymous().download(&url_path(&server, &receipt)), b"one lunch");
    let caller = copy.client(cast.owner.email());
    caller.post("/v5/books", &json!({"name": "Made after the move"})).ok();
    server.restart();
    assert!(seen(&server, &cast) == before, "the source is as it was");
}

/// Counts the sessions that hold the lock of the schema of a database, or wait for it.
fn schema_locks(session: &mut postgres::Client, url: &str, is_held: bool) -> i64 {
    let name = url.split('?').next().and_then(|url| url.rsplit('/').next()).expect("a name");
    let sql = "SELECT COUNT(*) FROM pg_locks l JOIN pg_database d ON d.oid = l.database \
        WHERE l.locktype = 'advisory' AND l.objid = 6400 AND d.datname = $1 AND l.granted = $2";
    session.query_one(sql, &[&name, &is_held]).expect("a count").get(0)
}

/// A move does not copy later writes into the old database, so no server may make any meanwhile.
fn a_server_waits_for_the_move_of_its_database(engine: Engine) {
    if engine == Engine::Sqlite {
        // A move from SQLite holds the write lock of the file.
        return;
    }
    let mut server = Server::start(engine);
    let cast = book(&server);
    server.terminate();
    let (old, new) = (server.database_url().to_owned(), Database::empty(false));
    // The move stops before it creates the new schema.
    let mut session = postgres::Client::connect(&new.url, postgres::NoTls).expect("a session");
    session.batch_execute("SELECT pg_advisory_lock(6400)").expect("the lock");
    let mut command = server.admin(&["move", "--to", &new.url]);
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let moving = command.spawn().expect("daybook starts");
    eventually("the move stops", || schema_locks(&mut session, &new.url, false) == 1);
    assert_eq!(schema_locks(&mut session, &old, true), 1);
    thread::scope(|scope| {
        let starting = scope.spawn(|| server.restart());
        eventually("the server waits", || schema_locks(&mut session, &old, false) == 1);
        session.batch_execute("SELECT pg_advisory_unlock(6400)").expect("the lock is held");
        let printed = done(&moving.wait_with_output().expect("it ends"));
        assert!(printed.contains("ends of all logs agree"), "{printed}");
        starting.join().expect("the server starts");
    });
    cast.get("").ok();
}

/// A mistyped database is left as it is: another installation, also of an older schema, and that of
/// another program.
fn databases_with_data_are_not_moved_or_restored_into(engine: Engine) {
    let (mut server, mut other) = (Server::start(engine), Server::start(engine));
    book(&server);
    book(&other);
    let place = private_folder();
    let path = backup(&server, &shown(&place), &[]);
    server.terminate();
    other.terminate();
    let mut raw_sql = RawSql::open(&other);
    let steps = "__diesel_schema_migrations";
    let older = format!("DELETE FROM {steps} WHERE version = (SELECT MAX(version) FROM {steps})");
    assert_eq!(raw_sql.execute(&older), 1);
    let count = format!("SELECT COUNT(*) FROM {steps}");
    let left = raw_sql.count(&count);
    let url = other.database_url().to_owned();
    let into = place.path().join("data");
    let into_text = into.display().to_string();
    let restore = || daybook(&["restore", &path, "--into", &into_text, "--database-url", &url]);
    let moved = || server.admin(&["move", "--to", &url]).output().expect("it runs");
    let refuses = |expected: &str| {
        let message = refused(&moved());
        assert!(message.contains(expected), "{message}");
        let message = refused(&restore());
        assert!(message.contains(expected) || message.contains("exists"), "{message}");
        assert!(engine == Engine::Sqlite || !into.exists(), "it began to restore");
    };
    refuses("the database is not empty");
    assert_eq!(raw_sql.count(&count), left, "no step was applied");
    raw_sql.execute(&format!("ALTER TABLE {steps} RENAME TO steps"));
    refuses("tables of another program");
    assert_eq!(raw_sql.count("SELECT COUNT(*) FROM steps"), left);
}
