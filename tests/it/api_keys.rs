//! API keys (10.13): created, used, counted and revoked, by their users and by the operator. What
//! they may cost is in `quotas`.

use std::process::Command;

use daybook_domain::event::Hash;
use daybook_tests::{Answer, Backdoor, Cast, Client, Server, column, id, shows, unique};
use serde_json::{Value, json};

use crate::file_sweep::eventually;

pub fn tests() -> Vec<crate::Case> {
    crate::cases![
        created_used_and_revoked,
        calls_are_counted_whoever_makes_them,
        what_may_be_asked_for,
        revoked_keys_are_forgotten,
        other_users_keys_do_not_exist,
        a_repetition_answers_the_same_key,
        only_the_digest_is_kept,
        a_key_lets_nobody_in,
        unknown_keys_count_as_none,
        limited_tokens_have_no_keys,
        operators_create_list_and_revoke,
    ]
}

fn person(server: &Server) -> Client {
    server.client(&format!("{}@example.com", unique("developer")))
}

/// The id and the text of a new key.
fn create(owner: &Client) -> (String, String) {
    let created = owner.post("/v5/user/keys", &json!({"name": "importer"})).ok();
    let text = created["key"].as_str().expect("the text of a new key");
    (id(&created).to_owned(), text.to_owned())
}

fn shown(owner: &Client, number: &str) -> Value {
    owner.get(&format!("/v5/user/keys/{number}")).ok()
}

/// All calls that are shown; around midnight they are of two days.
fn calls(owner: &Client, number: &str) -> u64 {
    let key = shown(owner, number);
    let days = key["usage"].as_array().expect("usage");
    days.iter().map(|day| day["calls"].as_u64().expect("a number")).sum()
}

/// What is counted is written down from time to time, and may be seen twice for a moment.
#[track_caller]
fn counts_become(owner: &Client, keys: &[(&String, u64)]) {
    eventually(&format!("{keys:?} are shown"), || {
        keys.iter().all(|(number, expected)| calls(owner, number) == *expected)
    });
}

fn created_used_and_revoked(server: &Server) {
    let owner = person(server);
    let (number, text) = create(&owner);
    assert!(text.starts_with("dbk_") && text.len() == 47, "{text}");
    let key = shown(&owner, &number);
    shows(&key, &json!({"id": number, "name": "importer", "active": true, "usage": []}));
    for absent in ["key", "callsPerMinute", "revokedAt"] {
        assert!(key[absent].is_null(), "{absent}: {key}");
    }
    assert_eq!(owner.get("/v5/user/keys").ok()["items"], json!([key]));
    let app = owner.header("service-api-key", &text);
    app.get("/v5/user").ok();
    app.get("/v5/books/nowhere").refused(404, "notFound");
    owner.get(&format!("/v5/user?key={text}")).ok();
    // A body that cannot be read makes the server look at the request twice.
    app.post("/v5/books", &json!({"name": 7})).refused(400, "invalid");
    // Each call that is authenticated, in both places.
    counts_become(&owner, &[(&number, 4)]);
    let (day, _) = owner_day(&owner, &number);
    assert!(day.len() == 10 && day.matches('-').count() == 2, "{day}");
    let path = format!("/v5/user/keys/{number}");
    let revoked = owner.delete(&path).ok();
    shows(&revoked, &json!({"id": number, "active": false}));
    assert!(revoked["revokedAt"].is_string(), "{revoked}");
    // At once, in the process that did it; the request is answered as without a key.
    app.get("/v5/user").ok();
    // A revoked key counts as none.
    counts_become(&owner, &[(&number, 4)]);
    assert_eq!(owner.delete(&path).ok(), revoked, "a second time changes nothing");
}

fn owner_day(owner: &Client, number: &str) -> (String, u64) {
    let day = &shown(owner, number)["usage"][0];
    let date = day["date"].as_str().expect("a date").to_owned();
    (date, day["calls"].as_u64().expect("calls"))
}

/// A key is that of an app, whose users bring it.
fn calls_are_counted_whoever_makes_them(server: &Server) {
    let cast = Cast::new(server);
    let developer = person(server);
    let (number, text) = create(&developer);
    for caller in [&cast.owner, &cast.viewer] {
        caller.header("service-api-key", &text).get(&cast.path("")).ok();
    }
    cast.stranger.header("service-api-key", &text).get(&cast.path("")).refused(404, "notFound");
    counts_become(&developer, &[(&number, 3)]);
    // The header wins.
    let (other, another) = create(&developer);
    let path = format!("/v5/user?key={text}");
    cast.owner.header("service-api-key", &another).get(&path).ok();
    counts_become(&developer, &[(&number, 3), (&other, 1)]);
}

fn what_may_be_asked_for(server: &Server) {
    let owner = person(server);
    let long = json!({"name": "n".repeat(256)});
    let message = owner.post("/v5/user/keys", &long).refused(400, "badRequest");
    assert!(message.contains("256 characters"), "{message}");
    owner.post("/v5/user/keys", &json!({"name": 7})).refused(400, "invalid");
    // A rate of its own is the operator's to give.
    let asked = json!({"rate": 1000, "callsPerMinute": 1000});
    let created = owner.post("/v5/user/keys", &asked).ok();
    assert!(created["callsPerMinute"].is_null(), "{created}");
    owner.send("POST", "/v5/user/keys", &Value::Null).ok();
    for _ in 2..10 {
        create(&owner);
    }
    let message = owner.post("/v5/user/keys", &json!({})).refused(400, "badRequest");
    assert!(message.contains("at most 10"), "{message}");
    owner.delete(&format!("/v5/user/keys/{}", id(&created))).ok();
    create(&owner);
    let listed = owner.get("/v5/user/keys").ok();
    assert_eq!(column(&listed, "id").len(), 11, "revoked ones are listed for a while");
}

/// Those that were revoked long ago are neither shown nor in the way of new ones.
fn revoked_keys_are_forgotten(server: &Server) {
    let email = format!("{}@example.com", unique("developer"));
    let owner = server.client(&email);
    let mut last = String::new();
    for _ in 0..30 {
        let (number, _) = create(&owner);
        last = format!("/v5/user/keys/{number}");
        owner.delete(&last).ok();
    }
    let message = owner.post("/v5/user/keys", &json!({})).refused(400, "badRequest");
    assert!(message.contains("30"), "{message}");
    owner.get(&last).ok();
    let month: i64 = 30 * 24 * 3_600_000;
    let aged = format!(
        "UPDATE api_keys SET revoked_at = revoked_at - {month} \
            WHERE user_id = (SELECT id FROM users WHERE email = '{email}')"
    );
    assert_eq!(Backdoor::open(server).execute(&aged), 30);
    owner.get(&last).refused(404, "notFound");
    owner.delete(&last).refused(404, "notFound");
    assert_eq!(owner.get("/v5/user/keys").ok()["items"], json!([]));
    create(&owner);
    assert_eq!(Backdoor::open(server).execute(&aged), 1, "the others are removed");
}

fn other_users_keys_do_not_exist(server: &Server) {
    let (owner, other) = (person(server), person(server));
    let (number, _) = create(&owner);
    for missing in [number.as_str(), "nonsense", "0000000000000000", "%2F"] {
        let path = format!("/v5/user/keys/{missing}");
        other.get(&path).refused(404, "notFound");
        other.delete(&path).refused(404, "notFound");
    }
    assert_eq!(other.get("/v5/user/keys").ok()["items"], json!([]));
    assert_eq!(shown(&owner, &number)["active"], true);
}

fn a_repetition_answers_the_same_key(server: &Server) {
    let owner = person(server).header("Idempotency-Key", &unique("key"));
    let body = json!({"name": "once"});
    let first = owner.post("/v5/user/keys", &body).ok();
    let again = owner.post("/v5/user/keys", &body);
    assert_eq!(again.headers.get("idempotency-replayed").map(String::as_str), Some("true"));
    assert_eq!(again.ok(), first, "0.16");
    assert_eq!(column(&owner.get("/v5/user/keys").ok(), "id").len(), 1);
}

fn only_the_digest_is_kept(server: &Server) {
    let owner = person(server).header("Idempotency-Key", &unique("key"));
    let (number, text) = create(&owner);
    let digest = Hash::of(text.as_bytes()).to_string();
    let mut backdoor = Backdoor::open(server);
    let kept = backdoor.bytes(&digest);
    let number = i64::from_str_radix(&number, 16).expect("an id");
    let touch = format!("UPDATE api_keys SET rate = rate WHERE id = {number} AND digest = {kept}");
    assert_eq!(backdoor.execute(&touch), 1, "its SHA-256");
}

fn a_key_lets_nobody_in(server: &Server) {
    let (number, text) = create(&person(server));
    let anonymous = server.anonymous();
    anonymous.header("service-api-key", &text).get("/v5/user").refused(401, "required");
    anonymous.get(&format!("/v5/user?key={text}")).refused(401, "required");
    server.client_with_token(&text).get("/v5/user").refused(401, "required");
    server.client_with_token(&number).get("/v5/user").refused(401, "required");
}

fn unknown_keys_count_as_none(server: &Server) {
    let owner = person(server);
    let (number, text) = create(&owner);
    let long = "k".repeat(5_000);
    let mut wrong = text.clone();
    wrong.replace_range(10..11, if text.as_bytes()[10] == b'A' { "B" } else { "A" });
    for unknown in ["", " ", "AIzaSyD-none", &wrong, &text.to_uppercase(), &number, &long] {
        owner.header("service-api-key", unknown).get("/v5/user").ok();
        owner.get(&format!("/v5/user?key={}", unknown.trim())).ok();
    }
    owner.get("/v5/user?key=%00%FF&key").ok();
    owner.get("/v5/user?monkey=1&key").ok();
    assert_eq!(calls(&owner, &number), 0);
}

/// 11.9
fn limited_tokens_have_no_keys(server: &Server) {
    let cast = Cast::new(server);
    let (number, _) = create(&cast.owner);
    let with = |limit: Value| crate::limited_callers::issued(server, &cast.owner, limit);
    let path = format!("/v5/user/keys/{number}");
    let elsewhere = with(json!({"books": [cast.book]}));
    let refused = |answer: Answer| drop(answer.refused(403, "insufficientScope"));
    refused(elsewhere.get("/v5/user/keys"));
    refused(elsewhere.get(&path));
    refused(elsewhere.post("/v5/user/keys", &json!({})));
    refused(elsewhere.delete(&path));
    let reader = with(json!({"readOnly": true}));
    assert_eq!(reader.get(&path).ok()["id"], number);
    refused(reader.post("/v5/user/keys", &json!({})));
    refused(reader.delete(&path));
    assert_eq!(shown(&cast.owner, &number)["active"], true);
}

/// Runs a command to its end; what it printed, or what it said when it failed.
fn run(mut command: Command) -> Result<String, String> {
    let run = command.output().expect("it runs");
    let text = |bytes| String::from_utf8(bytes).expect("UTF-8");
    if run.status.success() { Ok(text(run.stdout)) } else { Err(text(run.stderr)) }
}

fn operators_create_list_and_revoke(server: &Server) {
    let email = format!("{}@example.com", unique("developer"));
    let admin = |verbs: &[&str], more: &[&str]| {
        let mut command = server.admin(verbs);
        command.args(more);
        run(command)
    };
    let made = ["--email", &email, "--name", "Dear app", "--rate", "600"];
    let text = admin(&["key", "create"], &made).expect("a key");
    let text = text.strip_suffix('\n').expect("a line");
    assert!(text.starts_with("dbk_") && text.len() == 47, "{text}");
    let owner = server.client(&email);
    owner.header("service-api-key", text).get("/v5/user").ok();
    let listed = owner.get("/v5/user/keys").ok();
    shows(&listed["items"][0], &json!({"name": "Dear app", "callsPerMinute": 600}));
    let number = id(&listed["items"][0]);
    let line = |state: &str| format!("{number}\t{state}\t{email}\t600\t");
    let printed = admin(&["key", "list"], &["--email", &email]).expect("a list");
    assert!(printed.starts_with(&line("active")) && printed.ends_with("\tDear app\n"), "{printed}");
    let all = admin(&["key", "list"], &[]).expect("a list");
    assert!(all.contains(&line("active")), "{all}");
    let printed = admin(&["key", "revoke"], &[number]).expect("a key");
    assert!(printed.starts_with(&line("revoked")), "{printed}");
    for (verbs, more, words) in [
        (["key", "revoke"], vec!["nonsense"], "API key not found: nonsense"),
        (["key", "list"], vec!["--email", "nobody@example.com"], "user not found"),
        (["key", "create"], vec!["--email", "nobody"], "nobody"),
        (["key", "create"], vec!["--email", &email, "--rate", "2"], "--rate"),
        (["key", "create"], vec!["--email", &email, "--rate", "100001"], "--rate"),
    ] {
        let said = admin(&verbs, &more).expect_err("refused");
        assert!(said.contains(words), "{verbs:?} {more:?}: {said}");
    }
}
