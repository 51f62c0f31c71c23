//! No secrets and no addresses of people in the most verbose log: webhooks, properties of
//! connections, new access tokens and API keys, mailed links, access requests, and addresses of
//! files. `sessions` and `grants` test theirs.

use daybook_tests::browser::Browser;
use daybook_tests::contract::missing;
use daybook_tests::mail_server::{MailServer, Security};
use daybook_tests::receiver::{Receiver, fine};
use daybook_tests::{CASH_AND_FOOD, Cast, Client, Engine, Server, encode, id, unique};
use serde_json::{Value, json};

use crate::Case;
use crate::file_sweep::eventually;
use crate::secrets::assert_not_logged;
use crate::webhooks::install;

pub fn tests() -> Vec<Case> {
    let with_mails = crate::isolated![mailed_links_and_requests_are_not_logged];
    crate::isolated![deliveries_are_not_logged, secrets_of_users_are_not_logged]
        .into_iter()
        .chain(with_mails.into_iter().map(|case| case.needs(missing)))
        .collect()
}

/// A server with the most verbose log.
fn traced(engine: Engine, more: &[&str]) -> Server {
    let args = ["--log", "trace", "--log-addresses", "hidden"];
    Server::with_args(engine, &[&args[..], more].concat())
}

/// Asserts that the log is complete and contains none of these: plain, percent-encoded, or escaped
/// as JSON.
#[track_caller]
fn holds_none(server: &Server, secrets: &[(&str, &str)]) {
    for (what, secret) in secrets {
        assert!(secret.len() >= 5, "{what} is long enough to be found: {secret:?}");
        let encoded = encode(secret);
        let quoted = Value::from(*secret).to_string();
        assert_not_logged(server, [*secret, &encoded, quoted.trim_matches('"')]);
    }
}

/// The signature of a token; the other parts contain only ids.
fn signature(token: &str) -> &str {
    token.rsplit('.').next().expect("a last part")
}

/// 8.6: deliveries that succeed, are refused, time out or cannot connect.
fn deliveries_are_not_logged(engine: Engine) {
    let server = traced(engine, &[]);
    let cast = Cast::with_accounts(&server, &CASH_AND_FOOD);
    // The app repeats its input in messages, as careless apps do.
    let receiver = Receiver::answering(|received| {
        let input = ["service-oauth-token", "authorization"].map(|name| received.header(name));
        match received.body["data"]["object"]["transaction"]["description"].as_str() {
            Some("refused") => ("500 Oh".to_owned(), input.join(" ")),
            Some("unreadable") => fine(&input.join(" ")),
            _ => fine(&json!({ "result": input }).to_string()),
        }
    });
    let address = format!("{}/path-secret?hook=query-secret", receiver.url());
    let stored = "whsec_dGhlIHNlY3JldCBvZiBhbiBhcHA=";
    let secret = json!({ "clientSecret": stored });
    let app = install(&cast, &address, &["TRANSACTION_POSTED"], secret.clone());
    // An app that does not answer: no server listens there.
    let removed = "http://127.0.0.1:9/gone-secret?hook=gone-query";
    install(&cast, removed, &["TRANSACTION_POSTED"], secret);
    for description in ["taken", "refused", "unreadable"] {
        cast.record("2026-01-05", "10", "Cash", "Food", description);
        let events = cast.get("/events?type=TRANSACTION_POSTED&limit=1").ok();
        let event = id(&events["items"][0]).to_owned();
        let path = format!("/events/{event}/responses/{}", id(&app));
        // Besides the automatic delivery; while that runs it is busy (8.12).
        eventually("8.12: it is sent again", || {
            let status = cast.put(&path, &Value::Null).status;
            assert!(status == 200 || status == 503, "{status}");
            status == 200
        });
    }
    let received = receiver.wait_for(3);
    let mut words: Vec<(&str, &str)> = vec![
        ("the secret of an app", stored),
        ("the same without its start", &stored[6..]),
        ("the same as bytes", "the secret of an app"),
        ("the path of a webhook", "path-secret"),
        ("the query of a webhook", "query-secret"),
        ("the address of an app that is gone", "gone-secret"),
        ("its query", "gone-query"),
        ("an e-mail address", "@example.com"),
    ];
    for one in &received {
        let [token, jwt] = ["service-oauth-token", "authorization"].map(|name| one.header(name));
        words.push(("the token of a delivery", signature(token)));
        words.push(("the JWT of a delivery", signature(jwt)));
        let [own, standard] =
            ["service-signature", "webhook-signature"].map(|name| one.header(name));
        words.push(("a signature", own.rsplit('=').next().expect("its end")));
        words.push(("a signature of Standard Webhooks", &standard[3..]));
    }
    holds_none(&server, &words);
}

/// 9.5, 11.8, 10.13, 9.20: also where the request is refused.
fn secrets_of_users_are_not_logged(engine: Engine) {
    let server = traced(engine, &[]);
    let cast = Cast::new(&server);
    let owner = &cast.owner;
    let connection = json!({"agentId": "some-bank", "type": "BANK", "name": "Name of a bank",
        "uuid": "uuid-secret", "properties": {"access_token": "property-secret"}});
    let created = owner.post("/v5/user/connections", &connection).ok();
    let changed = json!({"id": created["id"], "properties": {"refresh_token": "changed-secret"}});
    owner.header("idempotency-key", "key-secret").put("/v5/user/connections", &changed).ok();
    let wrong = json!({"id": created["id"], "properties": {"k".repeat(31): "wrong-secret"}});
    assert_eq!(owner.put("/v5/user/connections", &wrong).status, 400);
    let broken = br#"{"properties": {"a": "broken-secret"},"#;
    let kind = Some("application/json");
    owner.send_raw("PUT", "/v5/user/connections", kind, broken).refused(400, "parseError");
    owner.get("/v5/user/connections").ok();

    let made = owner.post("/v5/user/tokens", &json!({"name": "Name of a token"})).ok();
    let token = made["token"].as_str().expect("a token");
    let holder = server.client_with_token(token);
    holder.get("/v5/user").ok();
    owner.delete(&format!("/v5/user/tokens/{}", id(&made))).ok();
    holder.get("/v5/user").refused(401, "required");
    owner.get(&format!("/v5/user?access_token={token}")).ok();

    let made = owner.post("/v5/user/keys", &json!({"name": "Name of a key"})).ok();
    let key = made["key"].as_str().expect("a key");
    owner.header("service-api-key", key).get("/v5/user").ok();
    owner.get(&format!("/v5/user?key={key}")).ok();
    owner.delete(&format!("/v5/user/keys/{}", id(&made))).ok();
    owner.header("service-api-key", key).get("/v5/user").ok();

    let file = json!({"name": "secret-name.txt", "content": "c2VjcmV0IGJ5dGVz"});
    let file = owner.post(&cast.path("/files"), &file).ok();
    let url = file["url"].as_str().expect("an address");
    let address = url.strip_prefix(server.base()).expect("an address of this server");
    let anybody = server.anonymous();
    assert_eq!(anybody.get(address).status, 200);
    assert_eq!(anybody.get(&format!("{address}?name=secret-name.txt")).status, 200);
    let unknown = format!("{}0", &address[..address.len() - 1]);
    anybody.get(&unknown);
    anybody.post(address, &json!({}));
    owner.delete(&cast.path(&format!("/files/{}", id(&file)))).ok();
    assert_eq!(anybody.get(address).status, 404);

    holds_none(
        &server,
        &[
            ("a property", "property-secret"),
            ("a changed property", "changed-secret"),
            ("a property that was refused", "wrong-secret"),
            ("a body that could not be read", "broken-secret"),
            ("the uuid of a connection", "uuid-secret"),
            ("an idempotency key", "key-secret"),
            ("the name of a thing", "Name of a"),
            ("a token", signature(token)),
            ("a key", key),
            ("the address of a file", address.trim_start_matches("/files/")),
            ("one that is none", unknown.trim_start_matches("/files/")),
            ("the name of a file", "secret-name"),
            ("the content of a file", "c2VjcmV0IGJ5dGVz"),
            ("an e-mail address", "@example.com"),
        ],
    );
}

/// 11.14, 7.6: with a real mail server, whose dialogue is not logged.
fn mailed_links_and_requests_are_not_logged(engine: Engine) {
    let mail = MailServer::start(Security::Plain);
    let smtp = format!("smtp://localhost:{}", mail.port());
    let own = "https://books.example.com";
    let more = [["--smtp-url", &smtp], ["--mail-from", "books@example.net"], ["--public-url", own]];
    let server = traced(engine, &[&more.concat()[..], &["--admit", "@example.org"]].concat());
    let person = format!("{}@example.org", unique("zacharias"));
    let mut browser = Browser::new(&server);
    own.clone_into(&mut browser.origin);
    assert_eq!(browser.post("/auth/mail", &[("email", &person)]).status, 200);
    let text = mail.text_to(&person);
    let (_, rest) = text.split_once("/auth/link?code=").unwrap_or_else(|| panic!("a link: {text}"));
    let code: String = rest.chars().take_while(|c| c.is_ascii_graphic() && *c != '"').collect();
    assert_eq!(browser.get(&format!("/auth/link?code={code}")).status, 200);
    assert_eq!(browser.press(&code).status, 303, "to the console");
    assert_eq!(browser.press(&code).status, 404, "it works once");
    let stored = browser.cookie("daybook_session").expect("a session").to_owned();
    assert!(browser.get("/auth/consents").text.contains(&person));

    let owner = server.client("owner@example.com");
    let book = owner.post("/v5/books", &json!({"name": "Book of a secret"})).ok();
    let ask = format!("/v5/books/{}/collaborators/request", id(&book));
    let asking: Client = server.client("eve@example.net");
    let path = format!("{ask}?permission=VIEWER&message={}", encode("the message of eve"));
    asking.post(&path, &Value::Null).no_content();
    let text = mail.text_to("owner@example.com");
    assert!(text.contains("the message of eve"), "{text}");
    let request = owner.get(&ask).ok()["items"][0].clone();
    owner.get(&format!("{ask}/{}", id(&request))).ok();
    assert!(owner.delete(&format!("{ask}/{}", id(&request))).status < 300);
    eventually("both are logged", || server.log().matches("mail sent").count() >= 2);
    holds_none(
        &server,
        &[
            ("the code of a link", &code),
            ("the secret of a session", stored.split_once('.').expect("id and secret").1),
            ("an address", "zacharias"),
            ("an address of somebody who asks", "@example"),
            ("the message of somebody who asks", "message of eve"),
            ("the name of a book", "Book of a secret"),
        ],
    );
}
