//! The public signing keys of this installation (11.15): publication, rotation and storage. Each
//! case starts its own server.

use std::thread;
use std::time::{Duration, Instant};

use daybook_tests::{Engine, RawSql, Server, pause};
use serde_json::{Value, json};

use crate::Case;

pub fn tests() -> Vec<Case> {
    crate::isolated![
        public_keys_are_published,
        processes_that_begin_at_once_have_the_same_keys,
        new_keys_take_over,
        keys_open_with_their_token_key_alone,
        discarded_keys_are_gone_at_once,
    ]
}

const JWKS: &str = "/.well-known/jwks.json";
const MINUTE: i64 = 60_000;

/// The algorithms and ids of the published keys.
#[track_caller]
pub fn published(server: &Server) -> Vec<(String, String)> {
    let set = server.anonymous().get(JWKS).ok();
    let text = |key: &Value, name: &str| key[name].as_str().expect("a text").to_owned();
    let keys = set["keys"].as_array().expect("keys").iter();
    keys.map(|key| (text(key, "alg"), text(key, "kid"))).collect()
}

/// The output of `daybook keys`, by lines and columns.
#[track_caller]
pub fn keys(server: &Server, arguments: &[&str]) -> Vec<Vec<String>> {
    let (succeeded, printed) = try_keys(server, arguments);
    assert!(succeeded, "daybook keys {arguments:?}: {printed}");
    printed.lines().map(|line| line.split('\t').map(str::to_owned).collect()).collect()
}

/// Runs `daybook keys`; returns whether it succeeded, and its output or error.
pub fn try_keys(server: &Server, arguments: &[&str]) -> (bool, String) {
    match server.run(&[&["keys"], arguments].concat()) {
        Ok(printed) => (true, printed),
        Err(message) => (false, message),
    }
}

/// Algorithm, number and state of each key in the output of `daybook keys`.
fn states(lines: &[Vec<String>]) -> Vec<String> {
    lines.iter().map(|line| line[..3].join(" ")).collect()
}

/// RFC 7517: only public members, and caching headers.
fn public_keys_are_published(engine: Engine) {
    let server = Server::start(engine);
    assert_eq!(keys(&server, &["list"]), Vec::<Vec<String>>::new(), "made when they are needed");
    let answer = server.anonymous().header("Origin", "https://app.example.com").get(JWKS);
    assert_eq!(answer.headers["cache-control"], "public, max-age=300");
    assert_eq!(answer.headers["access-control-allow-origin"], "*");
    assert!(answer.headers["content-type"].starts_with("application/json"));
    let set = answer.ok();
    let keys_of_set = set["keys"].as_array().expect("keys");
    let [ed, rsa] = keys_of_set.as_slice() else { panic!("two keys: {set}") };
    let text = |key: &Value, name: &str| key[name].as_str().expect("a text").to_owned();
    let (kid, x) = (text(ed, "kid"), text(ed, "x"));
    let expected = json!({
        "kty": "OKP", "crv": "Ed25519", "use": "sig", "alg": "EdDSA", "kid": kid, "x": x,
    });
    assert_eq!((ed, x.len(), kid.len()), (&expected, 43, 43));
    let (kid, n) = (text(rsa, "kid"), text(rsa, "n"));
    let expected = json!({
        "kty": "RSA", "use": "sig", "alg": "RS256", "kid": kid, "n": n, "e": "AQAB",
    });
    assert_eq!((rsa, n.len(), kid.len()), (&expected, 342, 43));
    let listed = keys(&server, &["list"]);
    assert_eq!(states(&listed), ["EdDSA 1 signing", "RS256 1 signing"]);
    let ids: Vec<&str> = listed.iter().map(|line| line[4].as_str()).collect();
    assert_eq!(ids, [text(ed, "kid"), kid]);
    server.anonymous().send("POST", JWKS, &Value::Null).refused(405, "methodNotAllowed");
}

fn processes_that_begin_at_once_have_the_same_keys(engine: Engine) {
    let server = Server::start(engine);
    let other = server.beside(&[]);
    let (here, there) = thread::scope(|scope| {
        let both = [&server, &other].map(|server| scope.spawn(move || published(server)));
        let [here, there] = both.map(|one| one.join().expect("an answer"));
        (here, there)
    });
    assert_eq!(here.len(), 2);
    assert_eq!(here, there);
    assert_eq!(keys(&server, &["list"]).len(), 2);
}

/// A new key is published before it signs, and an old one as long as its signatures are valid.
fn new_keys_take_over(engine: Engine) {
    let server = Server::start(engine);
    let first = published(&server);
    let rotated = keys(&server, &["rotate"]);
    let after = |one: &str, two: &str| {
        ["EdDSA", "RS256"].map(|name| [format!("{name} 1 {one}"), format!("{name} 2 {two}")])
    };
    assert_eq!(states(&rotated), after("signing", "announced").concat());
    let signs_from = |line: usize| rotated[line][3].parse::<i64>().expect("milliseconds");
    assert!(signs_from(1) - signs_from(0) >= 10 * MINUTE, "10 minutes later");
    let started = Instant::now();
    while published(&server) == first {
        assert!(started.elapsed() < Duration::from_secs(30), "a running server learns of them");
        pause(Duration::from_millis(50));
    }
    let all = published(&server.beside(&[]));
    assert_eq!(published(&server), all);
    assert_eq!(all.len(), 4);
    assert!(first.iter().all(|key| all.contains(key)));
    let mut database = RawSql::open(&server);
    let mut later = |minutes: i64| {
        let back = minutes * MINUTE;
        database.execute(&format!(
            "UPDATE signing_keys SET created_at = created_at - {back}, \
                signs_from = signs_from - {back}"
        ));
    };
    later(10);
    assert_eq!(states(&keys(&server, &["list"])), after("retired", "signing").concat());
    assert_eq!(published(&server.beside(&[])), all);
    // Two minutes before the end, because the test takes time.
    later(63);
    assert_eq!(published(&server.beside(&[])), all);
    later(2);
    assert_eq!(states(&keys(&server, &["list"])), after("spent", "signing").concat());
    let kept: Vec<_> = all.iter().filter(|key| !first.contains(key)).cloned().collect();
    assert_eq!(published(&server.beside(&[])), kept);
    let repeated = keys(&server, &["rotate"]);
    let expected =
        ["EdDSA", "RS256"].map(|name| [format!("{name} 2 signing"), format!("{name} 3 announced")]);
    assert_eq!(states(&repeated), expected.concat(), "the spent ones are removed");
}

/// Unreadable keys are not used for signing, and nothing is replaced silently.
fn keys_open_with_their_token_key_alone(engine: Engine) {
    let mut server = Server::start(engine);
    let before = published(&server);
    let file = server.data_dir().join("token.key");
    let kept = std::fs::read(&file).expect("the key of the server");
    std::fs::write(&file, [7; 32]).expect("another key");
    let (succeeded, said) = try_keys(&server, &["rotate"]);
    assert!(!succeeded && said.contains("another token.key"), "{said}");
    assert_eq!(keys(&server, &["list"]).len(), 2, "a list needs no key");
    server.terminate();
    let serve = ["serve", "--listen", "127.0.0.1:0"];
    let said = server.run(&serve).expect_err("it does not start");
    assert!(said.contains("another token.key") && !said.contains("panicked"), "{said}");
    // If the file is missing, the next start would silently create a new one.
    std::fs::remove_file(&file).expect("removed");
    server.run(&serve).expect_err("it does not start");
    std::fs::write(&file, kept).expect("restored");
    server.restart();
    assert_eq!(published(&server), before);
    // A modified row cannot be opened, like one of another key.
    let mut database = RawSql::open(&server);
    database.execute("UPDATE signing_keys SET id = 'another' WHERE algorithm = 'EdDSA'");
    let (succeeded, said) = try_keys(&server, &["rotate"]);
    let why = "cannot open the signing keys in the database: they were sealed with another \
        token.key or sealing.key; restore that file, or run `daybook keys rotate --discard` to \
        create new keys, which invalidates everything that the old ones signed";
    assert!(!succeeded && said.contains(why), "{said}");
}

/// For keys that are compromised, or a lost `token.key`.
fn discarded_keys_are_gone_at_once(engine: Engine) {
    let mut server = Server::start(engine);
    let before = published(&server);
    server.terminate();
    std::fs::remove_file(server.data_dir().join("token.key")).expect("lost");
    let listed = keys(&server, &["rotate", "--discard"]);
    assert_eq!(states(&listed), ["EdDSA 1 signing", "RS256 1 signing"]);
    server.restart();
    let after = published(&server);
    assert_eq!(after.len(), 2);
    assert!(after.iter().all(|key| !before.contains(key)));
}
