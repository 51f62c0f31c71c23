//! The delivery log (12.13): what was tried, what came back, and for how long it is kept.

use std::sync::atomic::{AtomicUsize, Ordering};

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use daybook_tests::receiver::{Receiver, fine};
use daybook_tests::{Backdoor, CASH_AND_FOOD, Cast, Server, encode, id};
use serde_json::{Value, json};

use crate::Case;
use crate::file_sweep::eventually;
use crate::reading::items;
use crate::webhooks::install;

/// Nobody listens there.
pub const NOBODY: &str = "http://127.0.0.1:1/";

pub fn tests() -> Vec<Case> {
    crate::cases![
        rule_12_13_each_attempt,
        rule_12_13_no_answer,
        rule_12_13_no_secrets,
        rule_12_13_no_secrets_in_disguise,
        rule_12_13_long_answers,
        rule_12_13_pages,
        rule_12_13_of_an_app,
        rule_12_13_of_an_app_that_has_left,
        rule_12_13_the_last_hundred,
        rule_12_13_what_is_refused,
    ]
}

pub fn book(server: &Server) -> Cast {
    Cast::with_accounts(server, &CASH_AND_FOOD)
}

/// The path of the log of the newest posting.
fn log_of(cast: &Cast) -> String {
    let events = cast.owner.get(&cast.path("/events?type=TRANSACTION_POSTED&limit=1")).ok();
    cast.path(&format!("/events/{}/deliveries", id(&items(&events)[0])))
}

/// The attempts to deliver the newest posting, when there are so many.
#[track_caller]
pub fn attempts(cast: &Cast, count: usize) -> Vec<Value> {
    let path = log_of(cast);
    let mut found = Vec::new();
    eventually("12.13: the attempts are logged", || {
        found = items(&cast.editor.get(&path).ok()).clone();
        found.len() == count
    });
    found
}

pub fn lunch(cast: &Cast) {
    cast.record("2026-01-05", "10", "Cash", "Food", "lunch");
}

/// replayEventResponse of the newest posting, which fails.
pub fn replay(cast: &Cast, app: &Value) {
    let path = log_of(cast).replace("/deliveries", &format!("/responses/{}", id(app)));
    cast.owner.put(&path, &Value::Null).ok();
}

fn rule_12_13_each_attempt(server: &Server) {
    let (cast, count) = (book(server), AtomicUsize::new(0));
    let receiver = Receiver::answering(move |_| match count.fetch_add(1, Ordering::SeqCst) {
        0 => ("500 Oh".to_owned(), "<p>oh</p>".to_owned()),
        1 => ("429 Busy\r\nretry-after: 1".to_owned(), String::new()),
        _ => fine(r#"{"error": "no such account"}"#),
    });
    let app = install(&cast, &receiver.url(), &["TRANSACTION_POSTED"], json!({}));
    lunch(&cast);
    let logged = attempts(&cast, 3);
    let told = |one: &Value| {
        let fields = ["attempt", "status", "error", "answer"];
        Value::from(fields.map(|name| one[name].clone()).to_vec())
    };
    let expected = [
        json!([3, 200, null, "{\"error\": \"no such account\"}"]),
        json!([2, 429, "status 429", ""]),
        json!([1, 500, "status 500", "<p>oh</p>"]),
    ];
    assert_eq!(logged.iter().map(told).collect::<Vec<_>>(), expected, "12.13: newest first");
    let at = |one: &Value| one["at"].as_str().and_then(|text| text.parse::<i64>().ok());
    assert!(at(&logged[0]) > at(&logged[2]), "12.13: when it was sent");
    for one in &logged {
        assert_eq!(one["agentId"], app["id"]);
        assert!((0..60_000).contains(&one["durationMs"].as_i64().expect("a number")));
    }
}

fn rule_12_13_no_answer(server: &Server) {
    let cast = book(server);
    install(&cast, NOBODY, &["TRANSACTION_POSTED"], json!({}));
    lunch(&cast);
    let path = log_of(&cast);
    let mut first = None;
    // There may be more of them already: the next attempt comes a second later.
    eventually("12.13: the attempt is logged", || {
        first = items(&cast.editor.get(&path).ok()).last().cloned();
        first.is_some()
    });
    let logged = first.expect("an attempt");
    assert!(logged["error"].as_str().expect("a text").starts_with("no answer"), "{logged}");
    assert!(logged["status"].is_null() && logged["answer"].is_null(), "{logged}");
    assert!(!logged.to_string().contains("127.0.0.1"), "no address: {logged}");
}

fn rule_12_13_no_secrets(server: &Server) {
    let cast = book(server);
    let secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
    let receiver = Receiver::answering(move |received| {
        let token = received.header("service-oauth-token");
        let told = [token, received.header("authorization"), secret];
        fine(&json!({"result": false, "echo": told}).to_string())
    });
    let secrets = json!({"clientSecret": secret});
    install(&cast, &receiver.url(), &["TRANSACTION_POSTED"], secrets);
    lunch(&cast);
    let answer = attempts(&cast, 1)[0]["answer"].as_str().expect("a text").to_owned();
    let echo: Value = serde_json::from_str(&answer).expect("JSON");
    let expected = json!(["[removed]", "Bearer [removed]", "[removed]"]);
    assert_eq!(echo["echo"], expected, "12.13: {answer}");
}

fn rule_12_13_no_secrets_in_disguise(server: &Server) {
    let cast = book(server);
    let secret = "a \"secret\"/with + all & sörts of <signs>";
    let receiver = Receiver::answering(move |received| {
        let token = received.header("service-oauth-token");
        let basic = BASE64_STANDARD.encode(format!("bot:{secret}"));
        let told = [token.replace('.', "\\u002e"), token.replace('e', "%65"), basic];
        fine(&format!("{{\"result\": false, \"echo\": {}}}", json!([told, encode(secret), secret])))
    });
    install(&cast, &receiver.url(), &["TRANSACTION_POSTED"], json!({"clientSecret": secret}));
    lunch(&cast);
    let answer = attempts(&cast, 1)[0]["answer"].as_str().expect("a text").to_owned();
    let gone = "[removed]";
    let expected =
        format!("{{\"result\": false, \"echo\": {}}}", json!([[gone, gone, gone], gone, gone]));
    assert_eq!(answer, expected, "12.13: whatever an app makes of it");
}

fn rule_12_13_long_answers(server: &Server) {
    let cast = book(server);
    let receiver = Receiver::answering(|_| {
        fine(&json!({"result": false, "padding": "é".repeat(9_000)}).to_string())
    });
    install(&cast, &receiver.url(), &["TRANSACTION_POSTED"], json!({}));
    lunch(&cast);
    let answer = attempts(&cast, 1)[0]["answer"].as_str().expect("a text").len();
    assert!((1_023..=1_024).contains(&answer), "12.13: the first KB, not {answer}");
}

fn rule_12_13_pages(server: &Server) {
    let cast = book(server);
    lunch(&cast);
    let apps = [(); 2].map(|()| install(&cast, NOBODY, &["BOOK_DELETED"], json!({})));
    for app in [&apps[0], &apps[1], &apps[0]] {
        replay(&cast, app);
    }
    let whole = attempts(&cast, 3);
    let path = log_of(&cast);
    let (mut cursor, mut paged) = (String::new(), Vec::new());
    loop {
        let page = cast.owner.get(&format!("{path}?limit=1&cursor={cursor}")).ok();
        paged.extend(items(&page).clone());
        let Some(next) = page["cursor"].as_str() else { break };
        next.clone_into(&mut cursor);
    }
    assert_eq!(paged, whole, "2.3: the pages are the list");
    let numbers: Vec<(&Value, &Value)> =
        whole.iter().map(|one| (&one["agentId"], &one["attempt"])).collect();
    let of_first: Vec<_> = numbers.iter().filter(|(app, _)| **app == apps[0]["id"]).collect();
    assert_eq!([of_first[0].1, of_first[1].1], [&json!(2), &json!(1)], "12.13: replays count");
    for damaged in ["x", "eyJhcHAiOiJhXHUwMDAwIiwiYXR0ZW1wdCI6MX0"] {
        let page = cast.owner.get(&format!("{path}?cursor={damaged}")).ok();
        assert_eq!(items(&page), &whole, "2.5: the first page");
    }
}

/// All pages of the log of an app.
fn pages(cast: &Cast, app: &str, limit: usize) -> Vec<Value> {
    let path = cast.path(&format!("/apps/{app}/deliveries?limit={limit}"));
    let (mut cursor, mut paged) = (String::new(), Vec::new());
    loop {
        let page = cast.editor.get(&format!("{path}&cursor={cursor}")).ok();
        assert!(items(&page).len() <= limit, "2.3: a page of {limit}");
        paged.extend(items(&page).clone());
        let Some(next) = page["cursor"].as_str() else { return paged };
        next.clone_into(&mut cursor);
    }
}

fn rule_12_13_of_an_app(server: &Server) {
    let (cast, elsewhere) = (book(server), book(server));
    for cast in [&cast, &elsewhere] {
        lunch(cast);
    }
    let everybody = json!({"users": "*@example.com"});
    let apps = [(); 2].map(|()| install(&cast, NOBODY, &["BOOK_DELETED"], everybody.clone()));
    let installed = json!({"agentId": apps[0]["id"]});
    elsewhere.owner.post(&elsewhere.path("/integrations"), &installed).ok();
    replay(&elsewhere, &apps[0]);
    let first = cast.owner.get(&cast.path("/events?type=TRANSACTION_POSTED&limit=1")).ok();
    let first = items(&first)[0]["id"].clone();
    replay(&cast, &apps[0]);
    replay(&cast, &apps[1]);
    lunch(&cast);
    let second = cast.owner.get(&cast.path("/events?type=TRANSACTION_POSTED&limit=1")).ok();
    let second = items(&second)[0]["id"].clone();
    replay(&cast, &apps[0]);
    replay(&cast, &apps[0]);
    let whole = pages(&cast, id(&apps[0]), 50);
    let told: Vec<Value> =
        whole.iter().map(|one| json!([one["agentId"], one["eventId"], one["attempt"]])).collect();
    let app = &apps[0]["id"];
    let expected = [json!([app, second, 2]), json!([app, second, 1]), json!([app, first, 1])];
    assert_eq!(told, expected, "12.13: of this book and this app, the newest first");
    assert_eq!(attempts(&cast, 2), whole[..2], "12.13: as the log of the event shows them");
    // What is tried in the same millisecond is told apart, too.
    let of_app = format!("WHERE app_id = '{}'", id(&apps[0]));
    let together = format!(
        "UPDATE delivery_attempts SET at = (SELECT MAX(at) FROM delivery_attempts {of_app}) \
         {of_app}"
    );
    assert_eq!(Backdoor::open(server).execute(&together), 4);
    let told = |all: Vec<Value>| -> Vec<Value> {
        all.iter().map(|one| json!([one["agentId"], one["eventId"], one["attempt"]])).collect()
    };
    for limit in [1, 2, 3] {
        assert_eq!(told(pages(&cast, id(&apps[0]), limit)), expected, "2.3: pages of {limit}");
    }
    let path = cast.path(&format!("/apps/{}/deliveries", id(&apps[0])));
    for damaged in ["x", "eyJhcHAiOiJhIiwiYXR0ZW1wdCI6MX0"] {
        let page = cast.owner.get(&format!("{path}?cursor={damaged}")).ok();
        assert_eq!(items(&page).len(), 3, "2.5: the first page");
    }
}

fn rule_12_13_of_an_app_that_has_left(server: &Server) {
    let cast = book(server);
    lunch(&cast);
    let app = install(&cast, NOBODY, &["BOOK_DELETED"], json!({}));
    assert_eq!(pages(&cast, id(&app), 50), [] as [Value; 0], "12.13: nothing was sent");
    assert_eq!(pages(&cast, "nobody", 50), [] as [Value; 0], "12.13: to nobody neither");
    replay(&cast, &app);
    let installed = items(&cast.owner.get(&cast.path("/integrations")).ok())[0].clone();
    cast.owner.delete(&cast.path(&format!("/integrations/{}", id(&installed)))).ok();
    assert_eq!(pages(&cast, id(&app), 50).len(), 1, "12.13: installed or not");
    let path = cast.path(&format!("/apps/{}/deliveries", id(&app)));
    cast.poster.get(&path).refused(403, "forbidden");
    cast.stranger.get(&path).refused(404, "notFound");
}

fn rule_12_13_the_last_hundred(server: &Server) {
    let cast = book(server);
    lunch(&cast);
    let app = install(&cast, NOBODY, &["BOOK_DELETED"], json!({}));
    replay(&cast, &app);
    let number =
        format!("UPDATE delivery_attempts SET attempt = 104 WHERE app_id = '{}'", id(&app));
    assert_eq!(Backdoor::open(server).execute(&number), 1);
    for attempt in 1..104 {
        let row = format!(
            "INSERT INTO delivery_attempts (book_id, sequence, app_id, attempt, at, milliseconds) \
             SELECT book_id, sequence, app_id, {attempt}, at, 0 FROM delivery_attempts \
             WHERE app_id = '{}' AND attempt = 104",
            id(&app)
        );
        Backdoor::open(server).execute(&row);
    }
    replay(&cast, &app);
    let page = cast.owner.get(&format!("{}?limit=1000", log_of(&cast))).ok();
    let logged = items(&page);
    assert_eq!(logged.len(), 100, "12.13: the last hundred are kept");
    assert_eq!((&logged[0]["attempt"], &logged[99]["attempt"]), (&json!(105), &json!(6)));
}

fn rule_12_13_what_is_refused(server: &Server) {
    let cast = book(server);
    lunch(&cast);
    assert_eq!(attempts(&cast, 0), [] as [Value; 0], "12.13: no app, no attempt");
    let path = log_of(&cast);
    cast.poster.get(&path).refused(403, "forbidden");
    cast.stranger.get(&path).refused(404, "notFound");
    cast.owner.get(&cast.path("/events/nonsense/deliveries")).refused(404, "notFound");
}
