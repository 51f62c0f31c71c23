//! The browser sessions of a user (11.28) and their consents to OAuth clients (11.29): who lists
//! them, and what ends with them.

use aws_lc_rs::digest::{SHA256, digest};
use daybook_tests::browser::Browser;
use daybook_tests::{Answer, Client, RawSql, Server, shows, unique};
use serde_json::{Value, json};

use crate::file_sweep::eventually;
use crate::grants::{APP, ASKED, CLI, code, file_of_clients, redeem, text};
use crate::reading::items;

pub fn tests() -> Vec<crate::Case> {
    crate::cases![
        rule_11_28_active_sessions_are_listed,
        rule_11_28_ended_session_and_its_tokens_are_refused,
        rule_11_28_other_users_sessions_do_not_exist,
        rule_11_29_consents_are_listed_and_withdrawn,
    ]
}

const SESSIONS: &str = "/v5/user/sessions";
const CONSENTS: &str = "/v5/user/consents";

fn person() -> String {
    format!("{}@example.com", unique("owner"))
}

fn refresh(browser: &mut Browser) -> Answer {
    let origin = browser.origin.clone();
    browser.send("POST", "/auth/refresh", Some(&origin), "")
}

/// The console in the browser: a client with an access token of its session.
#[track_caller]
fn console(server: &Server, browser: &mut Browser) -> Client {
    server.client_with_token(text(&refresh(browser).ok(), "accessToken"))
}

/// The id and the secret in the session cookie.
#[track_caller]
fn cookie(browser: &Browser) -> (String, String) {
    let value = browser.cookie("daybook_session").expect("signed in");
    let (id, secret) = value.split_once('.').expect("id and secret");
    (id.to_owned(), secret.to_owned())
}

#[track_caller]
fn listed(caller: &Client, path: &str) -> Vec<Value> {
    items(&caller.get(path).ok()).clone()
}

fn ids(list: &[Value]) -> Vec<&str> {
    list.iter().map(|one| text(one, "id")).collect()
}

fn rule_11_28_active_sessions_are_listed(server: &Server) {
    let email = person();
    let mut first = Browser::signed_in(server, &email);
    let mut second = Browser::signed_in(server, &email);
    let [old, ended, unknown] = [(); 3].map(|()| cookie(&Browser::signed_in(server, &email)).0);
    let number = |id: &str| i64::from_str_radix(id, 16).expect("a number");
    let mut database = RawSql::open(server);
    for (id, set) in [
        (&old, "used_at = used_at - 2592000000"),
        (&ended, "ended_at = used_at"),
        (&unknown, "method = NULL, used_at = used_at - 86400000"),
    ] {
        database.execute(&format!("UPDATE sessions SET {set} WHERE id = {}", number(id)));
    }
    let caller = console(server, &mut first);
    console(server, &mut second);
    let list = listed(&caller, SESSIONS);
    let ((first_id, first_secret), (second_id, _)) = (cookie(&first), cookie(&second));
    assert_eq!(ids(&list), [&second_id, &first_id, &unknown], "11.28: the latest used first");
    let time = |one: &Value, field: &str| text(one, field).parse::<i64>().expect("milliseconds");
    for (one, id, current) in [(&list[0], &second_id, false), (&list[1], &first_id, true)] {
        shows(one, &json!({"id": id, "method": "link", "current": current}));
        assert_eq!(time(one, "signedInAt"), time(one, "lastUsedAt"));
        assert_eq!(time(one, "expiresAt") - time(one, "lastUsedAt"), 30 * 86_400_000);
        assert_eq!(one.as_object().map(serde_json::Map::len), Some(6), "nothing else: {one}");
    }
    assert_eq!(list[2].get("method"), None, "from before it was stored");
    // 11.28: the id is neither the secret nor its digest.
    let shown = caller.get(SESSIONS).text;
    let stored = digest(&SHA256, first_secret.as_bytes());
    let hex: String = stored.as_ref().iter().map(|byte| format!("{byte:02x}")).collect();
    assert!(!shown.contains(&first_secret) && !shown.contains(&hex), "{shown}");
    let mut forged = Browser::new(server);
    forged.cookies = vec![("daybook_session".to_owned(), format!("{first_id}.{first_id}"))];
    refresh(&mut forged).refused(401, "required");
    // The token of the command belongs to no session.
    let list = listed(&server.client(&email), SESSIONS);
    assert_eq!(list.len(), 3);
    assert!(list.iter().all(|one| one["current"] == false));
}

fn rule_11_28_ended_session_and_its_tokens_are_refused(server: &Server) {
    let (email, other) = (person(), server.beside(&[]));
    let mut own = Browser::signed_in(server, &email);
    let mut lost = Browser::signed_in(server, &email);
    let caller = console(server, &mut own);
    let token = text(&refresh(&mut lost).ok(), "accessToken").to_owned();
    let (here, there) = (server.client_with_token(&token), other.client_with_token(&token));
    here.get("/v5/user").ok();
    there.get("/v5/user").ok();
    let (lost_id, _) = cookie(&lost);
    let path = format!("{SESSIONS}/{lost_id}");
    let before = listed(&caller, SESSIONS);
    let ended = caller.delete(&path).ok();
    assert!(before.contains(&ended), "the session as it was listed: {ended}");
    here.get("/v5/user").refused(401, "required");
    eventually("11.28: within 5 seconds", || there.get("/v5/user").status == 401);
    refresh(&mut lost).refused(401, "required");
    caller.delete(&path).refused(404, "notFound");
    let own_id = cookie(&own).0;
    assert_eq!(ids(&listed(&caller, SESSIONS)), [&own_id]);
    // One's own session ends like any other.
    let ended = caller.delete(&format!("{SESSIONS}/{own_id}")).ok();
    assert_eq!(ended["current"], true);
    caller.get("/v5/user").refused(401, "required");
    refresh(&mut own).refused(401, "required");
}

fn rule_11_28_other_users_sessions_do_not_exist(server: &Server) {
    let mut browser = Browser::signed_in(server, &person());
    let (id, _) = cookie(&browser);
    let other = server.client(&person());
    assert_eq!(other.get(SESSIONS).ok(), json!({"items": []}));
    for missing in [id.as_str(), "nonsense", "0", "%2F"] {
        other.delete(&format!("{SESSIONS}/{missing}")).refused(404, "notFound");
    }
    refresh(&mut browser).ok();
    for (method, path) in [("GET", SESSIONS), ("GET", CONSENTS)] {
        server.anonymous().send(method, path, &Value::Null).refused(401, "required");
    }
}

fn rule_11_29_consents_are_listed_and_withdrawn(server: &Server) {
    let clients = file_of_clients(server);
    let args = ["--clients", &clients];
    let (server, email) = (server.beside(&args), person());
    let other = server.beside(&args);
    let mut browser = Browser::signed_in(&server, &email);
    let caller = console(&server, &mut browser);
    assert_eq!(caller.get(CONSENTS).ok(), json!({"items": []}));
    let tokens = [(); 2].map(|()| redeem(&server, &code(&mut browser, &ASKED)));
    let asked = [("client_id", APP), ("redirect_uri", crate::grants::APP_URI)];
    let asked = [&asked[..], &[("scope", "openid email")]].concat();
    code(&mut browser, &crate::grants::asked_with(&asked));
    let list = listed(&caller, CONSENTS);
    assert_eq!(ids(&list), [APP, CLI], "11.29: by id");
    shows(&list[0], &json!({"name": "The <App>", "scopes": ["openid", "email"]}));
    shows(&list[1], &json!({"name": "Daybook command line", "scopes": ["email"]}));
    assert!(text(&list[1], "createdAt").parse::<i64>().is_ok_and(|time| time > 0));
    let path = format!("{CONSENTS}/{CLI}");
    server.client(&person()).delete(&path).refused(404, "notFound");
    let callers = tokens.each_ref().map(|tokens| {
        let token = text(tokens, "access_token");
        let (here, there) = (server.client_with_token(token), other.client_with_token(token));
        here.get("/v5/user").ok();
        there.get("/v5/user").ok();
        (here, there)
    });
    assert_eq!(caller.delete(&path).ok(), list[1]);
    for (here, there) in &callers {
        here.get("/v5/user").refused(401, "required");
        eventually("11.29: within 5 seconds", || there.get("/v5/user").status == 401);
    }
    assert_eq!(ids(&listed(&caller, CONSENTS)), [APP]);
    caller.delete(&path).refused(404, "notFound");
}
