//! The key that encrypts secrets in the database (11.23), and its rotation while servers run. Each
//! case starts its own server.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::time::SystemTime;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use daybook_tests::receiver::{Receiver, fine};
use daybook_tests::{CASH_AND_FOOD, Cast, Client, Engine, RawSql, Server, id, unique};
use serde_json::{Value, json};

use crate::Case;
use crate::signing_keys::{keys, published, try_keys};
use crate::webhooks::install;

pub fn tests() -> Vec<Case> {
    crate::isolated![
        a_rotation_seals_everything_anew,
        an_interrupted_rotation_goes_on,
        machines_get_the_next_key_before_it_seals,
        unreadable_secrets_are_counted_and_kept,
        files_that_hold_no_keys_are_refused,
        partial_key_files_are_removed,
    ]
}

const CONNECTIONS: &str = "/v5/user/connections";

fn connect(user: &Client, secret: &str) -> Value {
    let body = json!({
        "agentId": "some-bank", "type": "BANK", "uuid": unique("uuid"), "name": "My Bank",
        "properties": {"token": secret},
    });
    user.post(CONNECTIONS, &body).ok()
}

#[track_caller]
fn shown(user: &Client, connection: &Value) -> Value {
    user.get(&format!("{CONNECTIONS}/{}", id(connection))).ok()["properties"]["token"].clone()
}

fn file(server: &Server) -> PathBuf {
    server.data_dir().join("sealing.key")
}

/// The names and keys in the file.
fn held(server: &Server) -> Vec<(String, String)> {
    let text = fs::read_to_string(file(server)).expect("sealing.key");
    let lines = text.lines().filter_map(|line| line.split_once(": "));
    lines.map(|(name, key)| (name.to_owned(), key.to_owned())).collect()
}

/// Makes the current key an hour old.
fn age(server: &Server) {
    let text = fs::read_to_string(file(server)).expect("sealing.key");
    let since = held(server).into_iter().find(|(name, _)| name == "since").expect("a time").1;
    let earlier = since.parse::<i64>().expect("seconds") - 3_600;
    fs::write(file(server), text.replace(&since, &earlier.to_string())).expect("written");
}

/// The key of a name in the file.
fn key_of(server: &Server, name: &str) -> String {
    held(server).into_iter().find(|(found, _)| found == name).expect("a key").1
}

/// The counts printed by `daybook keys rotate sealing`: renewed and lost signing keys, secrets and
/// connections.
#[track_caller]
fn rotate(server: &Server) -> String {
    let lines = keys(server, &["rotate", "sealing"]);
    let names = ["signing-keys", "client-secrets", "connection-properties"];
    assert_eq!(lines.iter().map(|line| line[0].as_str()).collect::<Vec<_>>(), names);
    lines.iter().map(|line| line[1..].join("/")).collect::<Vec<_>>().join(" ")
}

fn a_rotation_seals_everything_anew(engine: Engine) {
    let mut server = Server::start(engine);
    let cast = Cast::with_accounts(&server, &CASH_AND_FOOD);
    let receiver = Receiver::answering(|_| fine("{}"));
    let secret = json!({"clientSecret": "whsec_c2VjcmV0IG9mIHRoZSBhcHA="});
    install(&cast, &receiver.url(), &["TRANSACTION_POSTED"], secret);
    let lunch = || cast.record("2026-01-05", "10", "Cash", "Food", "lunch");
    lunch();
    receiver.wait_for(1);
    let published_before = published(&server);
    let both = |_| [&cast.owner, &cast.editor].map(|user| connect(user, "hush"));
    let connections: Vec<Value> = (0..75).flat_map(both).collect();
    assert!(!file(&server).exists(), "until then token.key seals");
    assert_eq!(rotate(&server), "2/0 1/0 150/0");
    assert_eq!(fs::metadata(file(&server)).expect("it").permissions().mode() & 0o777, 0o600);
    let first = held(&server);
    let token_key = fs::read(server.data_dir().join("token.key")).expect("token.key");
    assert_eq!(key_of(&server, "previous"), BASE64_STANDARD.encode(token_key));
    // The running server uses the new key.
    assert_eq!(shown(&cast.editor, &connections[149]), "hush");
    let later = connect(&cast.owner, "later");
    assert_eq!(rotate(&server), "0/0 0/0 0/0", "too early for another key");
    assert_eq!(held(&server), first);
    age(&server);
    assert_eq!(rotate(&server), "2/0 1/0 151/0", "again, now without token.key");
    let second = held(&server);
    assert_eq!(second.len(), 3);
    assert_eq!(key_of(&server, "previous"), first[0].1, "the one before is kept");
    assert_eq!(shown(&cast.owner, &later), "later");
    lunch();
    for received in receiver.wait_for(2) {
        assert!(!received.header("webhook-signature").is_empty(), "the secret of the app opens");
    }
    // No sealed value depends on token.key any more.
    let email = cast.owner.get("/v5/user").ok()["email"].clone();
    server.terminate();
    fs::write(server.data_dir().join("token.key"), [7; 32]).expect("another key");
    server.restart();
    assert_eq!(published(&server), published_before);
    let owner = server.client(email.as_str().expect("an address"));
    assert_eq!(shown(&owner, &connections[0]), "hush");
    for (_, key) in first.iter().chain(&second).filter(|(name, _)| name != "since") {
        assert!(!server.log().contains(key));
    }
}

/// Killed after the new key was written, and before anything was sealed with it.
fn an_interrupted_rotation_goes_on(engine: Engine) {
    let mut server = Server::start(engine);
    let user = server.client("user@example.com");
    let before = connect(&user, "before");
    assert_eq!(rotate(&server), "0/0 0/0 1/0", "no signing keys yet");
    let old = held(&server)[0].1.clone();
    let interrupted = BASE64_STANDARD.encode([9; 32]);
    fs::write(file(&server), format!("current: {interrupted}\nprevious: {old}\n")).expect("it");
    assert_eq!(shown(&user, &before), "before");
    let after = connect(&user, "after");
    assert_eq!(rotate(&server), "0/0 0/0 2/0");
    assert_eq!(
        key_of(&server, "previous"),
        interrupted,
        "what was sealed with the one before is renewed"
    );
    server.restart();
    assert_eq!((shown(&user, &before), shown(&user, &after)), (json!("before"), json!("after")));
}

fn machines_get_the_next_key_before_it_seals(engine: Engine) {
    let server = Server::start(engine);
    let user = server.client("user@example.com");
    let before = connect(&user, "before");
    assert_eq!(keys(&server, &["rotate", "sealing", "--prepare"]), Vec::<Vec<String>>::new());
    let copied = fs::read(file(&server)).expect("for the other machines");
    let next = held(&server)[1].clone();
    assert_eq!(next.0, "next");
    keys(&server, &["rotate", "sealing", "--prepare"]);
    assert_eq!(held(&server)[1], next, "it is made once");
    assert_eq!(rotate(&server), "0/0 0/0 1/0");
    let rotated = fs::read(file(&server)).expect("it");
    assert_eq!(held(&server)[0], ("current".to_owned(), next.1));
    // A machine with the copy can open what this one has sealed, and the reverse.
    fs::write(file(&server), copied).expect("the other machine");
    let other = server.beside(&[]);
    let there = other.client("user@example.com");
    assert_eq!(shown(&there, &before), "before");
    let sealed_there = connect(&there, "there");
    fs::write(file(&server), rotated).expect("this machine");
    assert_eq!(shown(&user, &sealed_there), "there");
    assert_eq!(shown(&server.beside(&[]).client("user@example.com"), &sealed_there), "there");
}

fn unreadable_secrets_are_counted_and_kept(engine: Engine) {
    let server = Server::start(engine);
    let user = server.client("user@example.com");
    let (lost, stored) = (connect(&user, "lost"), connect(&user, "kept"));
    let mut database = RawSql::open(&server);
    let bytes = database.bytes(&"00".repeat(40));
    let of_lost = format!("uuid = '{}'", lost["uuid"].as_str().expect("a text"));
    database.execute(&format!("UPDATE connections SET properties = {bytes} WHERE {of_lost}"));
    assert_eq!(rotate(&server), "0/0 0/0 1/1");
    age(&server);
    assert_eq!(rotate(&server), "0/0 0/0 1/1");
    let stays = format!("{of_lost} AND properties = {bytes}");
    assert_eq!(database.execute(&format!("UPDATE connections SET name = name WHERE {stays}")), 1);
    assert_eq!(shown(&user, &stored), "kept");
}

fn files_that_hold_no_keys_are_refused(engine: Engine) {
    let mut server = Server::start(engine);
    let (succeeded, output) = try_keys(&server, &["rotate", "sealing", "--discard"]);
    assert!(!succeeded && output.contains("--discard is for signing keys"), "{output}");
    let (succeeded, output) = try_keys(&server, &["rotate", "--prepare"]);
    assert!(!succeeded && output.contains("--prepare is for sealing keys"), "{output}");
    let user = server.client("user@example.com");
    let made = connect(&user, "hush");
    rotate(&server);
    assert_eq!(shown(&user, &made), "hush");
    let good = fs::read(file(&server)).expect("it");
    // While the server runs, a broken file changes nothing.
    fs::write(file(&server), "current: x").expect("broken");
    assert_eq!(shown(&user, &made), "hush");
    connect(&user, "more");
    assert!(server.log().contains("sealing keys not reloaded"));
    server.terminate();
    let serve = ["serve", "--listen", "127.0.0.1:0"];
    let output = server.run(&serve).expect_err("it does not start");
    let why = "sealing.key cannot be used; restore it: line 1 does not hold";
    assert!(output.contains(why), "{output}");
    let (succeeded, output) = try_keys(&server, &["rotate", "sealing"]);
    assert!(!succeeded && output.contains("line 1 does not hold a key"), "{output}");
    fs::write(file(&server), good).expect("restored");
    fs::set_permissions(file(&server), fs::Permissions::from_mode(0o640)).expect("a mode");
    let output = server.run(&serve).expect_err("it does not start");
    assert!(output.contains("may be read by others (mode 640)"), "{output}");
    fs::set_permissions(file(&server), fs::Permissions::from_mode(0o600)).expect("a mode");
    server.restart();
    assert_eq!(shown(&user, &made), "hush");
}

/// 11.23: a process killed while it wrote a key leaves a partial file.
fn partial_key_files_are_removed(engine: Engine) {
    let mut server = Server::start(engine);
    let leftovers = ["token.key.4000001", "sealing.key.4000002"];
    let paths = leftovers.map(|name| server.data_dir().join(name));
    let write = || {
        for path in &paths {
            fs::write(path, "half a key").expect("written");
            let file = fs::File::options().write(true).open(path).expect("the file");
            file.set_modified(SystemTime::UNIX_EPOCH).expect("an age");
        }
    };
    let left = || paths.each_ref().map(|path| path.exists());
    write();
    server.restart();
    assert_eq!(left(), [false; 2], "who starts removes it");
    write();
    rotate(&server);
    assert_eq!(left(), [false; 2], "and so does a rotation");
    fs::write(&paths[1], "half a key").expect("written");
    server.restart();
    assert_eq!(left(), [false, true], "not what may be written just now");
}
