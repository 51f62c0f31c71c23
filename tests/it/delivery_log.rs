//! The delivery log (12.13): attempts with their responses, without secrets.

use std::sync::atomic::{AtomicUsize, Ordering};

use daybook_tests::receiver::{Receiver, fine};
use daybook_tests::{Cast, RawSql, Server, all_pages, id};
use serde_json::{Value, json};

use crate::Case;
use crate::file_sweep::eventually;
use crate::reading::items;
use crate::webhooks::{book, install, lunch};

/// An address without a listener.
pub const NOBODY: &str = "http://127.0.0.1:1/";

pub fn tests() -> Vec<Case> {
    crate::cases![
        rule_12_13_each_attempt_is_logged,
        rule_12_13_unreachable_receiver_is_logged,
        rule_12_13_secrets_are_removed_from_responses,
        rule_12_13_responses_are_cut_at_1_kb,
        rule_12_13_log_is_paged,
        rule_12_13_log_of_an_app_lists_its_attempts,
        rule_12_13_log_of_an_uninstalled_app_is_readable,
        rule_12_13_last_100_attempts_are_kept,
        rule_12_13_log_of_an_unknown_event_is_not_found,
    ]
}

/// Returns the id of the event of the newest posting.
fn newest_posting(cast: &Cast) -> String {
    id(&items(&cast.read("/events?type=TRANSACTION_POSTED&limit=1"))[0]).to_owned()
}

/// Returns the path of the log of the newest posting.
fn log_of(cast: &Cast) -> String {
    cast.path(&format!("/events/{}/deliveries", newest_posting(cast)))
}

/// Waits for this many attempts to deliver the newest posting.
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

/// Replays the newest posting, which fails.
pub fn replay(cast: &Cast, app: &Value) {
    let path = log_of(cast).replace("/deliveries", &format!("/responses/{}", id(app)));
    cast.owner.put(&path, &Value::Null).ok();
}

fn rule_12_13_each_attempt_is_logged(server: &Server) {
    let (cast, count) = (book(server), AtomicUsize::new(0));
    let receiver = Receiver::answering(move |_| match count.fetch_add(1, Ordering::SeqCst) {
        0 => ("500 Oh".to_owned(), "<p>oh</p>".to_owned()),
        1 => ("429 Busy\r\nretry-after: 1".to_owned(), String::new()),
        _ => fine(r#"{"error": "no such account"}"#),
    });
    let app = install(&cast, &receiver.url(), &["TRANSACTION_POSTED"], json!({}));
    lunch(&cast, "lunch");
    let logged = attempts(&cast, 3);
    let shown = |one: &Value| {
        let fields = ["attempt", "status", "error", "answer"];
        Value::from(fields.map(|name| one[name].clone()).to_vec())
    };
    let expected = [
        json!([3, 200, null, "{\"error\": \"no such account\"}"]),
        json!([2, 429, "status 429", ""]),
        json!([1, 500, "status 500", "<p>oh</p>"]),
    ];
    assert_eq!(logged.iter().map(shown).collect::<Vec<_>>(), expected, "12.13: newest first");
    let at = |one: &Value| one["at"].as_str().and_then(|text| text.parse::<i64>().ok());
    assert!(at(&logged[0]) > at(&logged[2]), "12.13: when it was sent");
    for one in &logged {
        assert_eq!(one["agentId"], app["id"]);
        assert!((0..60_000).contains(&one["durationMs"].as_i64().expect("a number")));
    }
}

fn rule_12_13_unreachable_receiver_is_logged(server: &Server) {
    let cast = book(server);
    install(&cast, NOBODY, &["TRANSACTION_POSTED"], json!({}));
    lunch(&cast, "lunch");
    let path = log_of(&cast);
    let mut first = None;
    // More attempts may exist: they follow after a second.
    eventually("12.13: the attempt is logged", || {
        first = items(&cast.editor.get(&path).ok()).last().cloned();
        first.is_some()
    });
    let logged = first.expect("an attempt");
    assert!(logged["error"].as_str().expect("a text").starts_with("no answer"), "{logged}");
    assert!(logged["status"].is_null() && logged["answer"].is_null(), "{logged}");
    assert!(!logged.to_string().contains("127.0.0.1"), "no address: {logged}");
}

fn rule_12_13_secrets_are_removed_from_responses(server: &Server) {
    let cast = book(server);
    let secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
    let receiver = Receiver::answering(move |received| {
        let token = received.header("service-oauth-token");
        let shown = [token, received.header("authorization"), secret];
        fine(&json!({"result": false, "echo": shown}).to_string())
    });
    let secrets = json!({"clientSecret": secret});
    install(&cast, &receiver.url(), &["TRANSACTION_POSTED"], secrets);
    lunch(&cast, "lunch");
    let answer = attempts(&cast, 1)[0]["answer"].as_str().expect("a text").to_owned();
    let echo: Value = serde_json::from_str(&answer).expect("JSON");
    let expected = json!(["[removed]", "Bearer [removed]", "[removed]"]);
    assert_eq!(echo["echo"], expected, "12.13: {answer}");
}

fn rule_12_13_responses_are_cut_at_1_kb(server: &Server) {
    let cast = book(server);
    let receiver = Receiver::answering(|_| {
        fine(&json!({"result": false, "padding": "é".repeat(9_000)}).to_string())
    });
    install(&cast, &receiver.url(), &["TRANSACTION_POSTED"], json!({}));
    lunch(&cast, "lunch");
    let answer = attempts(&cast, 1)[0]["answer"].as_str().expect("a text").len();
    assert!((1_023..=1_024).contains(&answer), "12.13: the first KB, not {answer}");
}

fn rule_12_13_log_is_paged(server: &Server) {
    let cast = book(server);
    lunch(&cast, "lunch");
    let apps = [(); 2].map(|()| install(&cast, NOBODY, &["BOOK_DELETED"], json!({})));
    for app in [&apps[0], &apps[1], &apps[0]] {
        replay(&cast, app);
    }
    let whole = attempts(&cast, 3);
    let path = log_of(&cast);
    let paged = all_pages(|cursor| cast.owner.get(&format!("{path}?limit=1&cursor={cursor}")).ok());
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

/// Returns all pages of the log of an app.
fn pages(cast: &Cast, app: &str, limit: usize) -> Vec<Value> {
    let path = cast.path(&format!("/apps/{app}/deliveries?limit={limit}"));
    all_pages(|cursor| {
        let page = cast.editor.get(&format!("{path}&cursor={cursor}")).ok();
        assert!(items(&page).len() <= limit, "2.3: a page of {limit}");
        page
    })
}

fn rule_12_13_log_of_an_app_lists_its_attempts(server: &Server) {
    let (cast, elsewhere) = (book(server), book(server));
    for cast in [&cast, &elsewhere] {
        lunch(cast, "lunch");
    }
    let users = json!({"users": "*@example.com"});
    let apps = [(); 2].map(|()| install(&cast, NOBODY, &["BOOK_DELETED"], users.clone()));
    let installed = json!({"agentId": apps[0]["id"]});
    elsewhere.post("/integrations", &installed).ok();
    replay(&elsewhere, &apps[0]);
    let first = newest_posting(&cast);
    replay(&cast, &apps[0]);
    replay(&cast, &apps[1]);
    lunch(&cast, "lunch");
    let second = newest_posting(&cast);
    replay(&cast, &apps[0]);
    replay(&cast, &apps[0]);
    let whole = pages(&cast, id(&apps[0]), 50);
    let shown = |all: &[Value]| -> Vec<Value> {
        all.iter().map(|one| json!([one["agentId"], one["eventId"], one["attempt"]])).collect()
    };
    let app = &apps[0]["id"];
    let expected = [json!([app, second, 2]), json!([app, second, 1]), json!([app, first, 1])];
    assert_eq!(shown(&whole), expected, "12.13: of this book and this app, the newest first");
    assert_eq!(attempts(&cast, 2), whole[..2], "12.13: as the log of the event shows them");
    // Attempts of one millisecond keep their order.
    let of_app = format!("WHERE app_id = '{}'", id(&apps[0]));
    let together = format!(
        "UPDATE delivery_attempts SET at = (SELECT MAX(at) FROM delivery_attempts {of_app}) \
         {of_app}"
    );
    assert_eq!(RawSql::open(server).execute(&together), 4);
    for limit in [1, 2, 3] {
        assert_eq!(shown(&pages(&cast, id(&apps[0]), limit)), expected, "2.3: pages of {limit}");
    }
    let path = cast.path(&format!("/apps/{}/deliveries", id(&apps[0])));
    for damaged in ["x", "eyJhcHAiOiJhIiwiYXR0ZW1wdCI6MX0"] {
        let page = cast.owner.get(&format!("{path}?cursor={damaged}")).ok();
        assert_eq!(items(&page).len(), 3, "2.5: the first page");
    }
}

fn rule_12_13_log_of_an_uninstalled_app_is_readable(server: &Server) {
    let cast = book(server);
    lunch(&cast, "lunch");
    let app = install(&cast, NOBODY, &["BOOK_DELETED"], json!({}));
    assert_eq!(pages(&cast, id(&app), 50), [] as [Value; 0], "12.13: nothing was sent");
    assert_eq!(pages(&cast, "nobody", 50), [] as [Value; 0], "12.13: an unknown app");
    replay(&cast, &app);
    let installed = items(&cast.read("/integrations"))[0].clone();
    cast.delete(&format!("/integrations/{}", id(&installed))).ok();
    assert_eq!(pages(&cast, id(&app), 50).len(), 1, "12.13: installed or not");
}

fn rule_12_13_last_100_attempts_are_kept(server: &Server) {
    let cast = book(server);
    lunch(&cast, "lunch");
    let app = install(&cast, NOBODY, &["BOOK_DELETED"], json!({}));
    replay(&cast, &app);
    let number =
        format!("UPDATE delivery_attempts SET attempt = 104 WHERE app_id = '{}'", id(&app));
    assert_eq!(RawSql::open(server).execute(&number), 1);
    for attempt in 1..104 {
        let row = format!(
            "INSERT INTO delivery_attempts (book_id, sequence, app_id, attempt, at, milliseconds) \
             SELECT book_id, sequence, app_id, {attempt}, at, 0 FROM delivery_attempts \
             WHERE app_id = '{}' AND attempt = 104",
            id(&app)
        );
        RawSql::open(server).execute(&row);
    }
    replay(&cast, &app);
    let page = cast.owner.get(&format!("{}?limit=1000", log_of(&cast))).ok();
    let logged = items(&page);
    assert_eq!(logged.len(), 100, "12.13: the last hundred are kept");
    assert_eq!((&logged[0]["attempt"], &logged[99]["attempt"]), (&json!(105), &json!(6)));
}

/// The permission matrix tests the permission.
fn rule_12_13_log_of_an_unknown_event_is_not_found(server: &Server) {
    let cast = book(server);
    lunch(&cast, "lunch");
    assert_eq!(attempts(&cast, 0), [] as [Value; 0], "12.13: no app, no attempt");
    cast.get("/events/nonsense/deliveries").refused(404, "notFound");
}
