//! API keys (10.13): created, counted and revoked by their users and by the operator. A key
//! identifies an app for quotas (see `quotas`) and never authenticates a user.

use daybook_domain::event::Hash;
use daybook_tests::{Cast, Client, RawSql, Server, column, id, shows, unique};
use serde_json::{Value, json};

use crate::deleted_books::run;
use crate::file_sweep::eventually;

pub fn tests() -> Vec<crate::Case> {
    crate::cases![
        key_can_be_used_until_revoked,
        calls_of_all_users_are_counted,
        invalid_key_request_is_refused,
        revoked_keys_are_removed_after_30_days,
        keys_of_other_users_are_not_found,
        repeated_create_returns_the_same_key,
        only_the_digest_of_a_key_is_stored,
        key_alone_does_not_authenticate,
        unknown_keys_are_ignored,
        operator_commands_manage_keys,
    ]
}

fn person(server: &Server) -> Client {
    server.client(&format!("{}@example.com", unique("developer")))
}

/// Creates a key and returns its id and text.
fn create(owner: &Client) -> (String, String) {
    let created = owner.post("/v5/user/keys", &json!({"name": "importer"})).ok();
    let text = created["key"].as_str().expect("the text of a new key");
    (id(&created).to_owned(), text.to_owned())
}

fn get_key(owner: &Client, number: &str) -> Value {
    owner.get(&format!("/v5/user/keys/{number}")).ok()
}

/// Sums the shown calls. Around midnight they are spread over two days.
fn count_calls(owner: &Client, number: &str) -> u64 {
    let key = get_key(owner, number);
    let days = key["usage"].as_array().expect("usage");
    days.iter().map(|day| day["calls"].as_u64().expect("a number")).sum()
}

/// Waits until these counts are shown. Counters are flushed periodically and may briefly show a
/// call twice.
#[track_caller]
fn wait_for_counts(owner: &Client, keys: &[(&String, u64)]) {
    eventually(&format!("{keys:?} are shown"), || {
        keys.iter().all(|(number, expected)| count_calls(owner, number) == *expected)
    });
}

fn key_can_be_used_until_revoked(server: &Server) {
    let owner = person(server);
    let (number, text) = create(&owner);
    assert!(text.starts_with("dbk_") && text.len() == 47, "{text}");
    let key = get_key(&owner, &number);
    shows(&key, &json!({"id": number, "name": "importer", "active": true, "usage": []}));
    for absent in ["key", "callsPerMinute", "revokedAt"] {
        assert!(key[absent].is_null(), "{absent}: {key}");
    }
    assert_eq!(owner.get("/v5/user/keys").ok()["items"], json!([key]));
    let app = owner.header("service-api-key", &text);
    app.get("/v5/user").ok();
    app.get("/v5/books/nowhere").refused(404, "notFound");
    owner.get(&format!("/v5/user?key={text}")).ok();
    // An invalid body makes the server authenticate the request a second time.
    app.post("/v5/books", &json!({"name": 7})).refused(400, "invalid");
    // Each authenticated call counts, with the key in the header or in the query.
    wait_for_counts(&owner, &[(&number, 4)]);
    let (day, _) = first_day_of_usage(&owner, &number);
    assert!(day.len() == 10 && day.matches('-').count() == 2, "{day}");
    let path = format!("/v5/user/keys/{number}");
    let revoked = owner.delete(&path).ok();
    shows(&revoked, &json!({"id": number, "active": false}));
    assert!(revoked["revokedAt"].is_string(), "{revoked}");
    // The process that revoked the key ignores it at once.
    app.get("/v5/user").ok();
    wait_for_counts(&owner, &[(&number, 4)]);
    assert_eq!(owner.delete(&path).ok(), revoked, "a second time changes nothing");
}

fn first_day_of_usage(owner: &Client, number: &str) -> (String, u64) {
    let day = &get_key(owner, number)["usage"][0];
    let date = day["date"].as_str().expect("a date").to_owned();
    (date, day["calls"].as_u64().expect("calls"))
}

/// A key belongs to an app, and all users of the app send it.
fn calls_of_all_users_are_counted(server: &Server) {
    let cast = Cast::new(server);
    let developer = person(server);
    let (number, text) = create(&developer);
    for caller in [&cast.owner, &cast.viewer] {
        caller.header("service-api-key", &text).get(&cast.path("")).ok();
    }
    cast.stranger.header("service-api-key", &text).get(&cast.path("")).refused(404, "notFound");
    wait_for_counts(&developer, &[(&number, 3)]);
    // The header takes precedence.
    let (other, another) = create(&developer);
    let path = format!("/v5/user?key={text}");
    cast.owner.header("service-api-key", &another).get(&path).ok();
    wait_for_counts(&developer, &[(&number, 3), (&other, 1)]);
}

fn invalid_key_request_is_refused(server: &Server) {
    let owner = person(server);
    let long = json!({"name": "n".repeat(256)});
    let message = owner.post("/v5/user/keys", &long).refused(400, "badRequest");
    assert!(message.contains("256 characters"), "{message}");
    owner.post("/v5/user/keys", &json!({"name": 7})).refused(400, "invalid");
    // Only the operator sets a rate.
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

/// Revoked keys count towards the limit of 30 until they are removed.
fn revoked_keys_are_removed_after_30_days(server: &Server) {
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
    assert_eq!(RawSql::open(server).execute(&aged), 30);
    owner.get(&last).refused(404, "notFound");
    owner.delete(&last).refused(404, "notFound");
    assert_eq!(owner.get("/v5/user/keys").ok()["items"], json!([]));
    create(&owner);
    assert_eq!(RawSql::open(server).execute(&aged), 1, "the others are removed");
}

fn keys_of_other_users_are_not_found(server: &Server) {
    let (owner, other) = (person(server), person(server));
    let (number, _) = create(&owner);
    for missing in [number.as_str(), "nonsense", "0000000000000000", "%2F"] {
        let path = format!("/v5/user/keys/{missing}");
        other.get(&path).refused(404, "notFound");
        other.delete(&path).refused(404, "notFound");
    }
    assert_eq!(other.get("/v5/user/keys").ok()["items"], json!([]));
    assert_eq!(get_key(&owner, &number)["active"], true);
}

fn repeated_create_returns_the_same_key(server: &Server) {
    let owner = person(server).header("Idempotency-Key", &unique("key"));
    let body = json!({"name": "once"});
    let first = owner.post("/v5/user/keys", &body).ok();
    let again = owner.post("/v5/user/keys", &body);
    assert_eq!(again.headers.get("idempotency-replayed").map(String::as_str), Some("true"));
    assert_eq!(again.ok(), first, "0.16");
    assert_eq!(column(&owner.get("/v5/user/keys").ok(), "id").len(), 1);
}

fn only_the_digest_of_a_key_is_stored(server: &Server) {
    let owner = person(server).header("Idempotency-Key", &unique("key"));
    let (number, text) = create(&owner);
    let digest = Hash::of(text.as_bytes()).to_string();
    let mut raw_sql = RawSql::open(server);
    let digest = raw_sql.bytes(&digest);
    let number = i64::from_str_radix(&number, 16).expect("an id");
    let touch =
        format!("UPDATE api_keys SET rate = rate WHERE id = {number} AND digest = {digest}");
    assert_eq!(raw_sql.execute(&touch), 1, "its SHA-256");
}

fn key_alone_does_not_authenticate(server: &Server) {
    let (number, text) = create(&person(server));
    let anonymous = server.anonymous();
    anonymous.header("service-api-key", &text).get("/v5/user").refused(401, "required");
    anonymous.get(&format!("/v5/user?key={text}")).refused(401, "required");
    server.client_with_token(&text).get("/v5/user").refused(401, "required");
    server.client_with_token(&number).get("/v5/user").refused(401, "required");
}

fn unknown_keys_are_ignored(server: &Server) {
    let owner = person(server);
    let (number, text) = create(&owner);
    let long = "k".repeat(5_000);
    let mut wrong = text.clone();
    wrong.replace_range(10..11, if text.as_bytes()[10] == b'A' { "B" } else { "A" });
    for unknown in ["", "AIzaSyD-none", &wrong, &number, &long] {
        owner.header("service-api-key", unknown).get("/v5/user").ok();
        owner.get(&format!("/v5/user?key={}", unknown.trim())).ok();
    }
    owner.get("/v5/user?key=%00%FF&key").ok();
    assert_eq!(count_calls(&owner, &number), 0);
}

fn operator_commands_manage_keys(server: &Server) {
    let email = format!("{}@example.com", unique("developer"));
    let admin = |verbs: &[&str], more: &[&str]| run(server, &[verbs, more].concat());
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
    for (verbs, more, expected) in [
        (["key", "revoke"], vec!["nonsense"], "API key not found: nonsense"),
        (["key", "list"], vec!["--email", "nobody@example.com"], "user not found"),
        (["key", "create"], vec!["--email", "nobody"], "nobody"),
        (["key", "create"], vec!["--email", &email, "--rate", "2"], "--rate"),
        (["key", "create"], vec!["--email", &email, "--rate", "100001"], "--rate"),
    ] {
        let error = admin(&verbs, &more).expect_err("refused");
        assert!(error.contains(expected), "{verbs:?} {more:?}: {error}");
    }
}
