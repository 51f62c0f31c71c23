//! Administration of the installation (9.22): who may use it, the list of users, disabling,
//! invitations and the status.

use daybook_tests::browser::{Browser, is_let_in, is_page};
use daybook_tests::{
    Answer, CASH_AND_FOOD, Cast, Client, Engine, RawSql, Server, column, id, unique,
};
use serde_json::{Value, json};

use crate::Case;
use crate::file_sweep::eventually;

pub fn tests() -> Vec<Case> {
    crate::isolated![
        only_administrators_use_it,
        users_are_listed_disabled_and_enabled,
        status_shows_what_needs_attention,
        administrators_invite,
    ]
}

const ROOT: &str = "root@example.com";

fn start(engine: Engine) -> (Server, Client) {
    let server = Server::with_args(engine, &["--administrators", ROOT]);
    let root = server.client(ROOT);
    (server, root)
}

fn path(rest: &str) -> String {
    format!("/v5/administration{rest}")
}

fn person() -> String {
    format!("{}@example.com", unique("person"))
}

fn invite(caller: &Client, email: &str) -> Answer {
    caller.post(&path("/invitations"), &json!({"email": email}))
}

fn user_id(client: &Client) -> String {
    id(&client.get("/v5/user").ok()).to_owned()
}

fn only_administrators_use_it(engine: Engine) {
    let (server, root) = start(engine);
    let cast = Cast::new(&server);
    let subject = user_id(&cast.stranger);
    let every_operation = |caller: &Client| -> Vec<Answer> {
        vec![
            caller.get(&path("/status")),
            caller.get(&path("/users")),
            caller.post(&path(&format!("/users/{subject}/disable")), &Value::Null),
            caller.post(&path(&format!("/users/{subject}/enable")), &Value::Null),
            invite(caller, &person()),
        ]
    };
    let refused = |caller: &Client, status: u16, reason: &str| {
        every_operation(caller).into_iter().for_each(|answer| drop(answer.refused(status, reason)));
    };
    for caller in [&cast.owner, &cast.editor, &cast.viewer, &cast.stranger] {
        refused(caller, 403, "forbidden");
    }
    refused(&cast.anonymous, 401, "required");
    // 11.9: limited tokens do not administer.
    let book = root.post("/v5/books", &json!({"name": "Own"})).ok();
    for limits in [json!({"readOnly": true}), json!({"books": [id(&book)]})] {
        let token = root.post("/v5/user/tokens", &limits).ok();
        let limited = server.client_with_token(token["token"].as_str().expect("a token"));
        refused(&limited, 403, "insufficientScope");
    }
    assert_eq!(cast.stranger.get("/v5/user").status, 200, "still enabled");
    every_operation(&root).into_iter().for_each(|answer| drop(answer.ok()));
}

fn users_are_listed_disabled_and_enabled(engine: Engine) {
    let (server, root) = start(engine);
    let cast = Cast::with_accounts(&server, &CASH_AND_FOOD);
    cast.record("2025-01-31", "5", "Cash", "Food", "Lunch");
    let others = [&cast.editor, &cast.poster, &cast.recorder, &cast.viewer, &cast.stranger];
    others.into_iter().for_each(|one| drop(one.get("/v5/user").ok()));
    root.get("/v5/user").ok();
    Browser::signed_in(&server, cast.owner.email());

    let find = |email: &str| root.get(&path(&format!("/users?email={email}"))).ok();
    let owner = find(cast.owner.email())["items"][0].clone();
    assert_eq!(owner["email"], cast.owner.email());
    assert_eq!([&owner["active"], &owner["administrator"]], [&json!(true), &json!(false)]);
    assert_eq!(owner["transactions"], 1, "{owner}");
    let own = cast.owner.get("/v5/user").ok();
    assert_eq!((&owner["bytes"], &owner["username"]), (&own["storage"]["bytes"], &own["username"]));
    assert!(owner["signedInAt"].is_string() && owner["disabledAt"].is_null(), "{owner}");
    let administrator = find(ROOT)["items"][0].clone();
    assert_eq!(
        [&administrator["administrator"], &administrator["transactions"]],
        [&json!(true), &json!(0)]
    );
    assert!(administrator["signedInAt"].is_null(), "only a token: {administrator}");
    assert_eq!(find(&person())["items"], json!([]));
    root.get(&path("/users?email=nobody")).refused(400, "badRequest");

    let (mut listed, mut sizes, mut cursor) = (Vec::new(), Vec::new(), String::new());
    loop {
        let page = root.get(&path(&format!("/users?limit=3&cursor={cursor}"))).ok();
        let emails = column(&page, "email");
        sizes.push(emails.len());
        listed.extend(emails);
        let Some(next) = page["cursor"].as_str() else { break };
        next.clone_into(&mut cursor);
    }
    assert_eq!(sizes, [3, 3, 1], "{listed:?}");
    listed.sort();
    listed.dedup();
    assert_eq!(listed.len(), 7, "each user once: {listed:?}");

    let subject = user_id(&cast.editor);
    let set = |verb: &str, id: &str| root.post(&path(&format!("/users/{id}/{verb}")), &Value::Null);
    let disabled = set("disable", &subject).ok();
    assert!(disabled["active"] == json!(false) && disabled["disabledAt"].is_string());
    cast.editor.get("/v5/user").refused(403, "disabled");
    assert_eq!(set("disable", &subject).ok(), disabled, "it stays disabled since then");
    let enabled = set("enable", &subject).ok();
    assert!(enabled["active"] == json!(true) && enabled["disabledAt"].is_null(), "{enabled}");
    cast.editor.get("/v5/user").ok();
    let log = server.log();
    let logged = |what: &str| {
        let parts = ["security", "access changed", what, &format!("subject=\"{subject}\"")];
        log.lines().filter(|line| parts.iter().all(|part| line.contains(part))).count()
    };
    assert_eq!([logged("disableUser"), logged("enableUser")], [2, 1], "{log}");

    set("disable", &user_id(&root)).refused(400, "badRequest");
    let gone = user_id(&cast.stranger);
    server.run(&["user", "delete", "--email", cast.stranger.email()]).expect("it is deleted");
    for unknown in ["1", "nobody", &gone] {
        set("enable", unknown).refused(404, "notFound");
    }
    let left = column(&root.get(&path("/users")).ok(), "id");
    assert!(left.len() == 6 && !left.contains(&gone), "{left:?}");
}

fn status_shows_what_needs_attention(engine: Engine) {
    let (server, root) = start(engine);
    let cast = Cast::with_accounts(&server, &CASH_AND_FOOD);
    cast.record("2025-01-31", "5", "Cash", "Food", "Lunch");
    let status = || root.get(&path("/status")).ok();
    let quiet = status();
    assert!(quiet["version"].as_str().is_some_and(|version| version.contains('.')), "{quiet}");
    assert!(quiet["lastBackup"].is_null(), "{quiet}");
    for list in ["unsentMails", "pausedApps", "auditsWithFindings"] {
        assert_eq!(quiet[list], json!([]), "{list}");
    }

    let recipient = person();
    cast.share(&recipient, "VIEWER");
    let mut raw_sql = RawSql::open(&server);
    let failed = format!(
        "UPDATE mails SET failure = '550 spam: <http://a.example/auth/link?code=secret>', \
         attempts = 1, ended_at = created_at, ending = 'given-up' WHERE recipient = '{recipient}'"
    );
    assert_eq!(raw_sql.execute(&failed), 1);
    let app = cast.owner.post("/v5/apps", &json!({"id": unique("app"), "name": "App"})).ok();
    cast.post("/integrations", &json!({"agentId": app["id"]})).ok();
    let named = ["webhooks", "pause", "--book", &cast.book, "--app", id(&app)];
    server.run(&named).expect("it is paused");
    let book = format!("(SELECT id FROM books WHERE public_id = '{}')", cast.book);
    let change = |by: i64| {
        format!("UPDATE transactions SET amount = amount + ({by}) WHERE book_id = {book}")
    };
    assert_eq!(raw_sql.execute(&change(1)), 1);
    let audit = || cast.owner.send("PATCH", &cast.path("/audit"), &Value::Null).no_content();
    audit();
    eventually("the audit has findings", || status()["auditsWithFindings"] != json!([]));
    let backup = server.data_dir().join("last-backup.json");
    let noted = r#"{"finishedAt": "2023-11-14T22:13:20Z", "bytes": 12345, "place": "/backups"}"#;
    std::fs::write(&backup, noted).expect("the file of the last backup");

    let shown = status();
    let mail = &shown["unsentMails"][0];
    assert_eq!(
        [&mail["recipient"], &mail["kind"], &mail["reason"]],
        [&json!(recipient), &json!("invitation"), &json!("550 spam: [removed]")]
    );
    assert!(mail["givenUpAt"].is_string() && shown["unsentMails"][1].is_null(), "{shown}");
    let paused = &shown["pausedApps"][0];
    assert_eq!(
        [&paused["agentId"], &paused["bookId"], &paused["cause"]],
        [&app["id"], &json!(cast.book), &json!("operator")]
    );
    let audited = &shown["auditsWithFindings"][0];
    assert!(audited["findings"].as_i64().is_some_and(|count| count > 0), "{audited}");
    assert_eq!(audited["bookId"], json!(cast.book));
    assert_eq!(
        shown["lastBackup"],
        json!({
            "finishedAt": "1700000000000", "bytes": 12345, "place": "/backups",
        })
    );
    let text = shown.to_string();
    for hidden in ["secret", "Lunch", "shares a book", "shares the book"] {
        assert!(!text.contains(hidden), "{hidden} in {text}");
    }

    assert_eq!(raw_sql.execute(&change(-1)), 1);
    audit();
    eventually("the next audit has none", || status()["auditsWithFindings"] == json!([]));
    std::fs::write(&backup, "{").expect("a damaged file");
    assert!(status()["lastBackup"].is_null());
}

#[track_caller]
fn code_of(invitation: &Value) -> String {
    let url = invitation["url"].as_str().expect("a link");
    url.split_once("/auth/link?code=").expect("a code").1.to_owned()
}

/// 11.14: an invitation makes a new user, once, and never signs in an existing one.
fn administrators_invite(engine: Engine) {
    let (server, root) = start(engine);
    let [invited, late, known] = [person(), person(), person()];
    server.client(&known).get("/v5/user").ok();
    for refused in [known.as_str(), "nobody", ""] {
        invite(&root, refused).refused(400, "badRequest");
    }
    let (book, key) = (root.post("/v5/books", &json!({"name": "Own"})).ok(), unique("key"));
    let once = root.header("Idempotency-Key", &key);
    let invitation = invite(&once, &invited).ok();
    assert_eq!(invitation["email"], json!(invited));
    assert!(invitation["qrCode"].as_str().is_some_and(|image| image.starts_with("data:image/")));
    assert_eq!(invite(&once, &invited).ok(), invitation, "a repetition has the same link");
    let limited = root.post("/v5/user/tokens", &json!({"books": [id(&book)]})).ok();
    let limited = server.client_with_token(limited["token"].as_str().expect("a token"));
    let key = limited.header("Idempotency-Key", &key);
    invite(&key, &invited).refused(403, "insufficientScope");
    let code = code_of(&invitation);
    let page = Browser::new(&server).get(&format!("/auth/link?code={code}"));
    is_page(&page, 200);
    assert!(page.text.contains(&invited), "{}", page.text);
    let mut guest = Browser::new(&server);
    is_let_in(&guest.press(&code));
    let listed = root.get(&path(&format!("/users?email={invited}"))).ok();
    assert!(listed["items"][0]["signedInAt"].is_string(), "{listed}");
    is_page(&Browser::new(&server).press(&code), 404);
    let code = code_of(&invite(&root, &late).ok());
    server.client(&late).get("/v5/user").ok();
    is_page(&Browser::new(&server).get(&format!("/auth/link?code={code}")), 404);
    is_page(&Browser::new(&server).press(&code), 404);
    let many = person();
    (0..10).for_each(|_| drop(invite(&root, &many).ok()));
    invite(&root, &many).refused(400, "badRequest");
    // Where mail leaves, users ask for their links themselves.
    let mailing = [
        ["--administrators", ROOT],
        ["--smtp-url", "smtp://127.0.0.1:1"],
        ["--mail-from", "books@example.com"],
        ["--public-url", "https://books.example.com"],
    ];
    let mailing = server.beside(&mailing.concat());
    invite(&mailing.client(ROOT), &person()).refused(400, "badRequest");
}
