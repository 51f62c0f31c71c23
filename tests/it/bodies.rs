//! Request bodies (0.8, 0.10, 10.2): content types, malformed JSON, wrong types, unknown fields and
//! sizes. An invalid body is refused with 4xx and changes nothing.

use daybook_tests::{Answer, Cast, Server, id, shows};
use serde_json::{Value, json};

use crate::Case;

pub fn tests() -> Vec<Case> {
    let mut cases = crate::cases![
        json_content_types_are_accepted,
        other_content_types_are_refused,
        body_of_a_delete_is_ignored,
        malformed_json_is_refused,
        lone_surrogates_become_replacement_characters,
        body_must_be_an_object,
        deep_nesting_does_not_crash,
        unknown_fields_are_ignored,
        id_and_amount_may_be_numbers,
        unusual_characters_are_stored_or_refused,
        large_bodies_are_read,
        body_with_too_many_values_is_refused,
        batch_of_more_than_10000_items_is_refused,
        rule_0_17_access_is_checked_before_the_body,
    ];
    cases.extend(WRONG_TYPES.iter().map(|(name, method, path, body)| {
        Case::shared(format!("invalid_{name}"), move |server| {
            wrong_type(server, method, path, body)
        })
    }));
    cases
}

/// 0.10: name, method, path under the book (`-` for /v5/books itself) and a body with a value of a
/// wrong type or enumeration. `{book}`, `{account}`, `{group}` stand for ids.
const WRONG_TYPES: &[(&str, &str, &str, &str)] = &[
    ("book_name_number", "POST", "-", r#"{"name": 5}"#),
    ("book_auto_post_string", "POST", "-", r#"{"name": "B", "autoPost": "yes"}"#),
    ("book_fraction_digits_string", "POST", "-", r#"{"name": "B", "fractionDigits": "two"}"#),
    ("book_page_size_array", "POST", "-", r#"{"name": "B", "pageSize": [1]}"#),
    ("book_decimal_separator", "POST", "-", r#"{"name": "B", "decimalSeparator": "POINT"}"#),
    ("book_period", "POST", "-", r#"{"name": "B", "period": "WEEK"}"#),
    ("book_period_start_month", "POST", "-", r#"{"name": "B", "periodStartMonth": "JAN"}"#),
    ("book_visibility", "POST", "-", r#"{"name": "B", "visibility": "OPEN"}"#),
    ("book_properties_array", "POST", "-", r#"{"name": "B", "properties": []}"#),
    ("book_property_number", "POST", "-", r#"{"name": "B", "properties": {"a": 5}}"#),
    ("book_accounts_object", "POST", "-", r#"{"name": "B", "accounts": {}}"#),
    ("book_update_separator", "PUT", "-", r#"{"id": "{book}", "decimalSeparator": "POINT"}"#),
    ("book_update_lock_date_number", "PUT", "", r#"{"lockDate": 20250101}"#),
    ("account_name_array", "POST", "/accounts", r#"{"name": ["a"]}"#),
    ("account_type", "POST", "/accounts", r#"{"name": "A", "type": "EQUITY"}"#),
    ("account_archived", "POST", "/accounts", r#"{"name": "A", "archived": "no"}"#),
    ("account_groups_object", "POST", "/accounts", r#"{"name": "A", "groups": {}}"#),
    ("account_properties", "POST", "/accounts", r#"{"name": "A", "properties": true}"#),
    ("account_update_type", "PUT", "/accounts", r#"{"id": "{account}", "type": "EQUITY"}"#),
    ("accounts_items_object", "POST", "/accounts/batch", r#"{"items": {}}"#),
    (
        "accounts_item_type",
        "POST",
        "/accounts/batch",
        r#"{"items": [{"name": "A"}, {"name": "B", "type": "X"}]}"#,
    ),
    ("group_hidden", "POST", "/groups", r#"{"name": "G", "hidden": 1}"#),
    ("group_locked", "POST", "/groups", r#"{"name": "G", "locked": "true"}"#),
    ("group_parent_string", "POST", "/groups", r#"{"name": "G", "parent": "P"}"#),
    ("group_update_name", "PUT", "/groups", r#"{"id": "{group}", "name": 7}"#),
    (
        "collaborator_permission",
        "POST",
        "/collaborators",
        r#"{"email": "a@example.com", "permission": "ADMIN"}"#,
    ),
    ("collaborator_email", "POST", "/collaborators", r#"{"email": 5, "permission": "VIEWER"}"#),
    ("transaction_date_number", "POST", "/transactions", r#"{"date": 20250101}"#),
    ("transaction_description", "POST", "/transactions", r#"{"description": {}}"#),
    ("transaction_amount_object", "POST", "/transactions", r#"{"amount": {}}"#),
    ("transaction_side_string", "POST", "/transactions", r#"{"creditAccount": "Cash"}"#),
    ("transaction_urls", "POST", "/transactions", r#"{"urls": "http://example.com"}"#),
    ("transaction_remote_ids", "POST", "/transactions", r#"{"remoteIds": [1]}"#),
    ("transaction_draft", "POST", "/transactions", r#"{"draft": "true"}"#),
    ("transactions_items", "PATCH", "/transactions/check/batch", r#"{"items": "all"}"#),
];

/// 0.10: clients look for `InvalidFormatException` in the message.
fn wrong_type(server: &Server, method: &str, path: &str, body: &str) {
    let cast = Cast::new(server);
    let account = cast.account("Known account", "ASSET");
    let group = cast.group("Known group");
    let body = body
        .replace("{book}", &cast.book)
        .replace("{account}", id(&account))
        .replace("{group}", id(&group));
    let path = if path == "-" { "/v5/books".to_owned() } else { cast.path(path) };
    let before = cast.read("?loadAccounts=true");
    let answer = cast.owner.send_raw(method, &path, Some("application/json"), body.as_bytes());
    let message = answer.refused(400, "invalid");
    assert!(message.contains("InvalidFormatException"), "0.10: {message}");
    assert_eq!(cast.read("?loadAccounts=true"), before, "a refused request changes nothing");
}

/// 0.8: with or without a charset; a missing content type is read as JSON.
fn json_content_types_are_accepted(server: &Server) {
    let cast = Cast::new(server);
    let kinds = [
        None,
        JSON,
        Some("application/json;charset=UTF-8"),
        Some("application/json; charset=\"utf-8\""),
        Some("Application/JSON"),
    ];
    for (number, kind) in kinds.into_iter().enumerate() {
        let body = json!({"name": format!("Account {number} é")});
        let answer = post_account(&cast, kind, body.to_string().as_bytes());
        assert_eq!(answer.status, 200, "{kind:?}: {}", answer.text);
        assert_eq!(answer.ok()["name"], body["name"], "{kind:?}");
    }
}

/// Sends a body to `POST /accounts` as it is.
#[track_caller]
fn post_account(cast: &Cast, kind: Option<&str>, body: &[u8]) -> Answer {
    cast.owner.send_raw("POST", &cast.path("/accounts"), kind, body)
}

const JSON: Option<&str> = Some("application/json");

/// 0.8.
fn other_content_types_are_refused(server: &Server) {
    let cast = Cast::new(server);
    for kind in [
        "text/plain; charset=utf-8",
        "text/json",
        "application/x-www-form-urlencoded",
        "application/jsonp",
        "multipart/form-data; boundary=x",
        "json",
    ] {
        post_account(&cast, Some(kind), br#"{"name": "Cash"}"#)
            .refused(415, "unsupportedMediaType");
        let answer = cast.owner.send_raw("PUT", "/v5/books", Some(kind), b"{}");
        answer.refused(415, "unsupportedMediaType");
    }
    assert_eq!(cast.read("/accounts")["items"], json!([]));
}

/// 0.8.
fn body_of_a_delete_is_ignored(server: &Server) {
    let cast = Cast::new(server);
    let bodies: [(Option<&str>, &[u8]); 3] =
        [(JSON, b"{broken"), (Some("text/plain"), b"\xff\xfe"), (None, br#"{"id": "1"}"#)];
    for (kind, body) in bodies {
        let group = cast.group("Gone");
        let path = cast.path(&format!("/groups/{}", id(&group)));
        let answer = cast.owner.send_raw("DELETE", &path, kind, body);
        assert_eq!(answer.ok()["id"], group["id"], "{kind:?}");
    }
}

/// 10.2.
fn malformed_json_is_refused(server: &Server) {
    let cast = Cast::new(server);
    let bodies: [&[u8]; 10] = [
        b"{",
        b"nope",
        b"{\"name\":}",
        b"{\"name\":\"x\",\"items\":[]} trailing",
        b"{'name':'x'}",
        b"{\"name\":\"x\",}",
        b"{\"name\":\"line\nbreak\"}",
        b"{\"name\":\"\xff\xfe\"}",
        // The body must be UTF-8, also in ignored fields.
        b"{\"name\":\"A\",\"x\":\"\xff\"}",
        b"{\"name\":\"A\",\"\xc3\":1}",
    ];
    for body in bodies {
        let shown = String::from_utf8_lossy(body);
        let places = [
            ("POST", "/v5/books".to_owned()),
            ("PUT", cast.path("/accounts")),
            ("POST", cast.path("/transactions/batch")),
        ];
        for (method, path) in places {
            let answer = cast.owner.send_raw(method, &path, JSON, body);
            assert_eq!(answer.status, 400, "{method} {path} {shown}: {}", answer.text);
            answer.refused(400, "parseError");
        }
    }
}

/// 0.23: clients cut texts within a surrogate pair, which must not fail a batch.
fn lone_surrogates_become_replacement_characters(server: &Server) {
    let cast = Cast::new(server);
    for (name, read) in [
        (r"\ud800", "\u{fffd}"),
        (r"a\udfffb", "a\u{fffd}b"),
        (r"\\ud83d", r"\ud83d"),
        (r"\ud83d\ude00", "😀"),
    ] {
        let body = format!(r#"{{"name": "{name}"}}"#);
        assert_eq!(post_account(&cast, JSON, body.as_bytes()).ok()["name"], read, "{name}");
    }
}

/// A book may be named by the query alone (6.1).
fn body_must_be_an_object(server: &Server) {
    let cast = Cast::new(server);
    for body in ["", "[{\"name\": \"A\"}]", "\"A\"", "5", "null"] {
        for (method, rest) in
            [("POST", "/accounts"), ("PUT", "/accounts"), ("POST", "/accounts/batch")]
        {
            let answer = cast.owner.send_raw(method, &cast.path(rest), JSON, body.as_bytes());
            assert_eq!(answer.status, 400, "{method} {rest} {body}: {}", answer.text);
        }
    }
    assert_eq!(cast.read("/accounts")["items"], json!([]));
}

fn deep_nesting_does_not_crash(server: &Server) {
    let cast = Cast::new(server);
    for (open, close) in [("[", "]"), ("{\"a\":", "}")] {
        let nested = format!("{}1{}", open.repeat(100_000), close.repeat(100_000));
        let body = format!(r#"{{"name": "Deep", "ignored": {nested}}}"#);
        let answer = cast.owner.send_raw("POST", "/v5/books", JSON, body.as_bytes());
        // Ignored as an unknown field or refused as too deep.
        assert!(matches!(answer.status, 200 | 400), "{}", answer.text);
    }
    cast.read("");
}

/// 0.10: clients send back whole objects, with fields of newer or older versions.
fn unknown_fields_are_ignored(server: &Server) {
    let cast = Cast::new(server);
    let odd = json!({
        "name": "Odd", "unknown": {"a": [1, null]}, "": 1, "Name": "No", "ID": 7, "__proto__": {},
    });
    for rest in ["/accounts", "/groups"] {
        let created = cast.post(rest, &odd).ok();
        shows(&created, &json!({"name": "Odd", "unknown": null, "Name": null}));
    }
    let book = cast.owner.post("/v5/books", &odd).ok();
    shows(&book, &json!({"name": "Odd", "unknown": null}));
    let batch = json!({"items": [{"name": "Even", "x": 1}], "cursor": "x", "more": []});
    cast.post("/accounts/batch", &batch).ok();
}

/// 0.10: `id` and `amount` may be JSON numbers.
fn id_and_amount_may_be_numbers(server: &Server) {
    let cast = Cast::new(server);
    let account = cast.account("Cash", "ASSET");
    cast.account("Food", "OUTGOING");
    let number: i64 = id(&account).parse().expect("0.14: an account id fits int64");
    let updated = cast.put("/accounts", &json!({"id": number, "name": "Purse"})).ok();
    shows(&updated, &json!({"id": account["id"], "name": "Purse"}));
    let body = json!({
        "date": "2025-01-31", "amount": 12.5, "creditAccount": {"id": number},
        "debitAccount": {"name": "Food"},
    });
    let recorded = cast.post("/transactions", &body).ok();
    shows(&recorded["transaction"], &json!({"amount": "12.50", "posted": true}));
}

/// Characters that one engine refuses must not cause a 500 on either.
fn unusual_characters_are_stored_or_refused(server: &Server) {
    let cast = Cast::new(server);
    for text in ["a\u{0}b", "\u{ffff}", "tab\tline\nend", "'; DROP TABLE book; --", "100%_\\"] {
        let answer = cast.post("/accounts", &json!({"name": text, "properties": {"p": text}}));
        if answer.status == 200 {
            let account = answer.ok();
            let read = cast.read(&format!("/accounts/{}", id(&account)));
            assert_eq!(read["properties"]["p"], text, "stored text comes back as it was");
        } else {
            assert_eq!(answer.status, 400, "{text:?}: {}", answer.text);
        }
        let found = cast.owner.get(&format!("/v5/books?query={}", daybook_tests::encode(text)));
        assert!(matches!(found.status, 200 | 400), "{text:?}: {}", found.text);
    }
}

/// 9.6, 10.8: 28 MB must be accepted; `wire` tests the limit of 32 MB.
fn large_bodies_are_read(server: &Server) {
    let cast = Cast::new(server);
    let body = json!({"name": "Large", "ignored": "x".repeat(28 * 1024 * 1024)});
    let created = cast.post("/accounts", &body).ok();
    assert_eq!(created["name"], "Large");
}

/// 0.34: commas within strings do not count.
fn body_with_too_many_values_is_refused(server: &Server) {
    let cast = Cast::new(server);
    let send = |path: &str, body: String| cast.owner.send_raw("POST", path, JSON, body.as_bytes());
    let many = format!("{{\"name\":\"B\",\"x\":[{}0]}}", "0,".repeat(1_000_001));
    send("/v5/books", many).refused(413, "requestTooLarge");
    send("/v5/books", format!("{{\"name\":\"B\",\"x\":\"{}\"}}", ",".repeat(2_000_000))).ok();
    let items = format!("{{\"items\":[{}{{}}]}}", "{},".repeat(500_000));
    send(&cast.path("/transactions/batch"), items).refused(400, "badRequest");
}

/// 3.6.6: in each batch operation. `large_batches` tests that 10,000 are accepted.
fn batch_of_more_than_10000_items_is_refused(server: &Server) {
    let cast = Cast::new(server);
    let named = |count: usize| {
        let items: Vec<Value> = (0..count)
            .map(|number| json!({"name": format!("N {number}"), "id": format!("{number}")}))
            .collect();
        json!({"items": items})
    };
    let forms = [
        ("POST", "/accounts/batch"),
        ("PUT", "/accounts/batch"),
        ("POST", "/accounts/delete/batch"),
        ("POST", "/groups/batch"),
        ("PUT", "/groups/batch"),
        ("POST", "/groups/delete/batch"),
        ("POST", "/transactions/batch"),
        ("PUT", "/transactions/batch"),
        ("PATCH", "/transactions/post/batch"),
        ("PATCH", "/transactions/check/batch"),
        ("PATCH", "/transactions/uncheck/batch"),
        ("PATCH", "/transactions/trash/batch"),
        ("PATCH", "/transactions/untrash/batch"),
        ("PATCH", "/transactions/merge"),
    ];
    for (method, rest) in forms {
        let answer = cast.owner.send(method, &cast.path(rest), &named(10_001));
        let message = answer.refused(400, "badRequest");
        assert!(message.contains("10000"), "the limit is named: {message}");
        // 0.17: access is checked first.
        cast.viewer.send(method, &cast.path(rest), &named(10_001)).refused(403, "forbidden");
        cast.stranger.send(method, &cast.path(rest), &named(10_001)).refused(404, "notFound");
    }
    assert_eq!(cast.read("/accounts")["items"], json!([]));
    assert_eq!(cast.read("/groups")["items"], json!([]));
}

/// 0.17, 0.30: users without access get 404 for each invalid request.
fn rule_0_17_access_is_checked_before_the_body(server: &Server) {
    let cast = Cast::new(server);
    let broken: [(&str, &str, Option<&str>, &str); 6] = [
        ("POST", "/accounts", JSON, "{"),
        ("PUT", "", JSON, r#"{"datePattern": "x"}"#),
        ("POST", "/collaborators", JSON, r#"{"email": "q@x.com", "permission": "FOO"}"#),
        ("POST", "/transactions/batch", JSON, r#"{"items": 5}"#),
        ("PUT", "/files", JSON, r#"{"id": "zz", "content": "@@"}"#),
        ("POST", "/groups", Some("text/plain"), "{}"),
    ];
    for (method, rest, kind, body) in broken {
        let path = cast.path(rest);
        let answer = cast.owner.send_raw(method, &path, kind, body.as_bytes());
        assert!([400, 404, 415].contains(&answer.status), "{method} {rest}: {}", answer.text);
        cast.stranger.send_raw(method, &path, kind, body.as_bytes()).refused(404, "notFound");
        cast.anonymous.send_raw(method, &path, kind, body.as_bytes()).refused(401, "required");
    }
    let path = cast.path("/transactions?timeZone=Bad/x");
    let ids = cast.path(&format!("/transactions?ids={}", ["1"; 1001].join(",")));
    cast.owner.post(&path, &json!({"description": "x"})).refused(400, "badRequest");
    cast.viewer.post(&path, &json!({"description": "x"})).refused(403, "forbidden");
    cast.stranger.post(&path, &json!({"description": "x"})).refused(404, "notFound");
    cast.owner.get(&ids).refused(400, "badRequest");
    cast.stranger.get(&ids).refused(404, "notFound");
}
