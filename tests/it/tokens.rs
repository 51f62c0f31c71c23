//! Access tokens of this installation (11.7 - 11.10): issued, limited, listed and revoked by users
//! and the operator; and disabled users.

use std::ops::RangeInclusive;
use std::time::Duration;

use daybook_tests::{Cast, Client, RawSql, Server, id, run_for, shows, unique};
use serde_json::{Value, json};

use crate::file_sweep::eventually;

pub fn tests() -> Vec<crate::Case> {
    crate::cases![
        issued_used_and_revoked,
        token_requests_are_validated,
        only_active_ones_count,
        other_users_tokens_do_not_exist,
        a_repetition_answers_the_same_token,
        limited_to_books,
        operators_list_and_revoke,
        disabled_users_are_refused,
        printed_with_limits,
        command_prints_one_token_per_address,
        commands_refuse_what_is_unknown,
    ]
}

fn person(server: &Server) -> Client {
    server.client(&format!("{}@example.com", unique("holder")))
}

fn issue(server: &Server, owner: &Client, body: &Value) -> (String, Client) {
    let issued = owner.post("/v5/user/tokens", body).ok();
    let text = issued["token"].as_str().expect("the text of a new token");
    (id(&issued).to_owned(), server.client_with_token(text))
}

/// Waits until the server refuses a caller that it accepted before.
#[track_caller]
fn refused_soon(caller: &Client, status: u16, reason: &str) {
    // Another process may accept it for 5 s (11.8).
    eventually("11.8: it is no longer trusted", || caller.get("/v5/user").status == status);
    caller.get("/v5/user").refused(status, reason);
}

fn issued_used_and_revoked(server: &Server) {
    let owner = person(server);
    let (number, holder) = issue(server, &owner, &json!({"name": "importer", "days": 7}));
    let user = owner.get("/v5/user").ok();
    assert_eq!(holder.get("/v5/user").ok(), user, "it stands for the same user");
    let path = format!("/v5/user/tokens/{number}");
    let shown = owner.get(&path).ok();
    shows(&shown, &json!({"id": number, "name": "importer", "readOnly": false, "active": true}));
    assert!(shown["token"].is_null(), "the text is answered once: {shown}");
    let instant = |field: &str| shown[field].as_str().and_then(|text| text.parse::<i64>().ok());
    let (created, ends) = (instant("createdAt"), instant("expiresAt"));
    let days = (ends.expect("expiresAt") - created.expect("createdAt")) / 86_400_000;
    assert!((6..=7).contains(&days), "{shown}");
    let list = owner.get("/v5/user/tokens").ok();
    assert_eq!(list["items"][0], shown, "the newest first");
    assert_eq!(list["items"].as_array().map(Vec::len), Some(2), "with that of the command: {list}");
    let revoked = owner.delete(&path).ok();
    shows(&revoked, &json!({"id": number, "active": false}));
    assert!(revoked["revokedAt"].is_string(), "{revoked}");
    // Immediately in the process that revoked it.
    holder.get("/v5/user").refused(401, "required");
    assert_eq!(owner.delete(&path).ok(), revoked, "a second time changes nothing");
    assert_eq!(owner.get("/v5/user").ok(), user, "the other token goes on");
}

fn token_requests_are_validated(server: &Server) {
    let owner = person(server);
    let books: Vec<String> = (0..101).map(|n| n.to_string()).collect();
    for (body, words) in [
        (json!({"days": 0}), "invalid days 0: expected 1 to 3650"),
        (json!({"days": 3651}), "invalid days 3651: expected 1 to 3650"),
        (json!({"name": "n".repeat(256)}), "256 characters"),
        (json!({"books": []}), "books is empty"),
        (json!({"books": books}), "at most 100"),
    ] {
        let message = owner.post("/v5/user/tokens", &body).refused(400, "badRequest");
        assert!(message.contains(words), "{words}: {message}");
    }
    owner.post("/v5/user/tokens", &json!({"days": "soon"})).refused(400, "invalid");
    let unknown = json!({"books": ["nowhere"]});
    let message = owner.post("/v5/user/tokens", &unknown).refused(404, "notFound");
    assert!(message.contains("Ids: [nowhere]"), "{message}");
    let list = owner.get("/v5/user/tokens").ok();
    assert_eq!(list["items"].as_array().map(Vec::len), Some(1), "nothing was issued: {list}");
    // Without a body the defaults apply.
    let issued = owner.send("POST", "/v5/user/tokens", &Value::Null).ok();
    shows(&issued, &json!({"name": "", "readOnly": false, "active": true}));
}

/// 11.8: a user has at most 1,000 active tokens; of the ended ones the last 1,000 are kept.
fn only_active_ones_count(server: &Server) {
    let email = format!("{}@example.com", unique("holder"));
    let owner = server.client(&email);
    owner.get("/v5/user").ok();
    let mut database = RawSql::open(server);
    // Besides the token of the command. Each ended token was revoked a millisecond before the
    // previous one.
    let mut add = |numbers: RangeInclusive<u32>, revoked_at: &str| {
        let (first, last) = (numbers.start(), numbers.end());
        let added = database.execute(&format!(
            "WITH RECURSIVE n (n) AS \
             (SELECT {first} UNION ALL SELECT n + 1 FROM n WHERE n < {last}) \
             INSERT INTO tokens (id, user_id, name, read_only, created_at, expires_at, revoked_at) \
             SELECT n.n, t.user_id, 'n' || n.n, t.read_only, t.created_at, t.expires_at, \
             {revoked_at} FROM tokens t JOIN users u ON u.id = t.user_id, n \
             WHERE u.email = '{email}' AND t.id > 1000000"
        ));
        assert_eq!(added, u64::from(last - first + 1));
    };
    let names = || -> Vec<String> {
        let list = owner.get("/v5/user/tokens").ok();
        let names = list["items"].as_array().expect("a list").iter();
        names.map(|token| token["name"].as_str().expect("a name").to_owned()).collect()
    };
    add(1..=1_500, "t.created_at - n.n");
    assert_eq!(names().len(), 1_501);
    // Many more than are kept, and 998 active ones including that of the command.
    add(2_001..=2_997, "NULL");
    issue(server, &owner, &json!({"name": "one more"}));
    let listed = names();
    assert_eq!((listed.len(), listed[0].as_str()), (1_999, "one more"));
    let stored = |name: &str| listed.iter().any(|one| one == name);
    assert!(stored("n1") && stored("n1000") && !stored("n1001"), "those that ended last");
    let (last, _) = issue(server, &owner, &json!({"name": "the last"}));
    let refuse = || owner.post("/v5/user/tokens", &json!({})).refused(400, "badRequest");
    assert!(refuse().contains("1000"), "{}", refuse());
    owner.delete(&format!("/v5/user/tokens/{last}")).ok();
    issue(server, &owner, &json!({"name": "in its place"}));
    refuse();
    assert!(!names().contains(&"n1000".to_owned()), "it made room for the last");
}

fn other_users_tokens_do_not_exist(server: &Server) {
    let (owner, other) = (person(server), person(server));
    let (number, holder) = issue(server, &owner, &json!({}));
    for missing in [number.as_str(), "nonsense", "0000000000000000", "%2F"] {
        let path = format!("/v5/user/tokens/{missing}");
        other.get(&path).refused(404, "notFound");
        other.delete(&path).refused(404, "notFound");
    }
    holder.get("/v5/user").ok();
    let anonymous = server.anonymous();
    anonymous.get("/v5/user/tokens").refused(401, "required");
    anonymous.post("/v5/user/tokens", &json!({})).refused(401, "required");
}

fn a_repetition_answers_the_same_token(server: &Server) {
    let owner = person(server).header("Idempotency-Key", &unique("key"));
    let body = json!({"name": "once"});
    let first = owner.post("/v5/user/tokens", &body).ok();
    let repeated = owner.post("/v5/user/tokens", &body);
    assert_eq!(repeated.headers.get("idempotency-replayed").map(String::as_str), Some("true"));
    assert_eq!(repeated.ok(), first, "0.16");
    let list = owner.get("/v5/user/tokens").ok();
    assert_eq!(list["items"].as_array().map(Vec::len), Some(2), "{list}");
}

/// 11.9: other books do not exist for such a token, also in lists and collections.
fn limited_to_books(server: &Server) {
    let cast = Cast::with_accounts(server, &[("Cash", "ASSET")]);
    let other = cast.owner.post("/v5/books", &json!({"name": unique("Other")})).ok();
    let shelf = cast.owner.post("/v5/collections", &json!({"name": "Shelf"})).ok();
    let both = json!({"items": [{"id": cast.book}, {"id": other["id"]}]});
    let add = format!("/v5/collections/{}/books/add", id(&shelf));
    cast.owner.patch(&add, &both).ok();
    let (_, holder) = issue(server, &cast.owner, &json!({"books": [cast.book]}));
    holder.post(&cast.path("/accounts"), &json!({"name": "Food", "type": "OUTGOING"})).ok();
    let listed = holder.get("/v5/books").ok();
    assert_eq!(listed["items"].as_array().map(Vec::len), Some(1), "{listed}");
    assert_eq!(listed["items"][0]["id"], cast.book.as_str());
    for answer in
        [holder.get("/v5/books"), holder.get(&cast.path("")), holder.get(&cast.path("/events"))]
    {
        assert!(!answer.text.contains(id(&other)), "another book shows: {}", answer.text);
        answer.ok();
    }
    let elsewhere = format!("/v5/books/{}", id(&other));
    for answer in [
        holder.get(&elsewhere),
        holder.get("/v5/books/nowhere"),
        holder.post(&format!("{elsewhere}/accounts"), &json!({"name": "A", "type": "ASSET"})),
        holder.put("/v5/books", &json!({"id": other["id"], "name": "Renamed"})),
        holder.post(&cast.path("/copy?name=Copy"), &Value::Null),
    ] {
        answer.refused(403, "insufficientScope");
    }
    holder.put("/v5/books", &json!({"id": cast.book, "pageSize": 7})).ok();
    holder.get("/v5/user").ok();
    assert_eq!(cast.owner.get(&elsewhere).ok()["name"], other["name"]);
}

fn operators_list_and_revoke(server: &Server) {
    let owner = person(server);
    let (number, holder) = issue(server, &owner, &json!({"name": "leaked", "readOnly": true}));
    holder.get("/v5/user").ok();
    let list = || server.run(&["token", "list", "--email", owner.email()]).expect("a list");
    let line = |list: &str| {
        list.lines().find(|line| line.starts_with(&number)).map(str::to_owned).expect("its line")
    };
    let columns: Vec<String> = line(&list()).split('\t').map(str::to_owned).collect();
    assert_eq!(
        [&columns[1], &columns[3], &columns[4], &columns[5]],
        ["active", "read-only", "all books", "leaked"]
    );
    let printed = server.run(&["token", "revoke", &number]).expect("it is done");
    assert!(printed.contains("revoked"), "{printed}");
    refused_soon(&holder, 401, "required");
    assert!(line(&list()).contains("\trevoked\t"));
    shows(&owner.get(&format!("/v5/user/tokens/{number}")).ok(), &json!({"active": false}));
}

fn disabled_users_are_refused(server: &Server) {
    let cast = Cast::new(server);
    let editor = &cast.editor;
    editor.get(&cast.path("")).ok();
    let user =
        |verb: &str| server.run(&["user", verb, "--email", editor.email()]).expect("it is done");
    assert!(user("disable").ends_with("\tdisabled\n"));
    refused_soon(editor, 403, "disabled");
    editor.post(&cast.path("/groups"), &json!({"name": "New"})).refused(403, "disabled");
    // A token issued afterwards is refused, too.
    server
        .client_with_token(&server.token(editor.email()))
        .get("/v5/user")
        .refused(403, "disabled");
    let users = server.run(&["user", "list"]).expect("a list");
    let line = users.lines().find(|line| line.starts_with(editor.email())).expect("the user");
    assert!(line.ends_with("\tdisabled"), "{line}");
    // The user's data and permissions stay.
    let listed = cast.get("/collaborators").ok();
    assert!(listed.to_string().contains(editor.email()));
    assert!(user("enable").ends_with("\tenabled\n"));
    editor.get(&cast.path("")).ok();
}

fn printed_with_limits(server: &Server) {
    let cast = Cast::new(server);
    cast.owner.get("/v5/user").ok();
    let email = cast.owner.email();
    let token =
        ["token", "--email", email, "--read-only", "--name", "backup", "--book", &cast.book];
    let holder = server.client_with_token(server.run(&token).expect("a token").trim());
    holder.get(&cast.path("")).ok();
    holder.post(&cast.path("/groups"), &json!({"name": "New"})).refused(403, "insufficientScope");
    holder.get("/v5/collections").refused(403, "insufficientScope");
    let listed = cast.owner.get("/v5/user/tokens").ok();
    shows(
        &listed["items"][0],
        &json!({"name": "backup", "readOnly": true, "books": [cast.book], "active": true}),
    );
}

/// 11.7: standard output has only the tokens, in the order of the addresses, for scripts.
fn command_prints_one_token_per_address(server: &Server) {
    let emails = [(); 2].map(|()| format!("{}@example.com", unique("holder")));
    let token = ["token", "--email", &emails[0], "--email", &emails[1]];
    let printed = server.run(&token).expect("tokens");
    let tokens: Vec<&str> = printed.lines().collect();
    assert_eq!(tokens.len(), 2, "{printed:?}");
    for (token, email) in tokens.into_iter().zip(&emails) {
        let user = server.client_with_token(token).get("/v5/user").ok();
        assert_eq!(user["email"].as_str(), Some(email.as_str()));
    }
}

fn commands_refuse_what_is_unknown(server: &Server) {
    for (verbs, rest, words) in [
        (&["token", "revoke"][..], &["0000000000000000"][..], "token not found"),
        (&["token", "list"], &["--email", "nobody@nowhere.example"], "user not found"),
        (
            &["token"],
            &["--email", "nobody"],
            "invalid email \"nobody\": expected an address like alice@example.com",
        ),
        (&["token"], &["--email", "a@example.com", "--book", "nowhere"], "Ids: [nowhere]"),
        (&["user", "disable"], &["--email", "nobody@nowhere.example"], "user not found"),
    ] {
        let mut command = server.admin(verbs);
        command.args(rest);
        let run = run_for(&mut command, Duration::from_secs(60)).expect("it ends");
        let message = String::from_utf8_lossy(&run.stderr).into_owned();
        assert_eq!((run.status.code(), run.stdout.as_slice()), (Some(1), &b""[..]), "{message}");
        assert!(message.contains(words), "{words}: {message}");
    }
}
