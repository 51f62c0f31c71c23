//! Request bodies (0.8, 0.10, 10.2): content types, malformed JSON, wrong types, unknown fields and
//! sizes. An invalid body is refused with 4xx and changes nothing.

use daybook_tests::{Cast, Server, id, shows};
use serde_json::{Value, json};

use crate::Case;

pub fn tests() -> Vec<Case> {
    let mut cases = crate::cases![
        json_content_types_are_accepted,
        other_content_types_are_refused,
        body_of_a_delete_is_ignored,
        malformed_json_is_refused,
        invalid_utf8_in_an_unknown_field_is_refused,
        lone_surrogates_become_replacement_characters,
        empty_body_is_refused,
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
    ("book_name_object", "POST", "-", r#"{"name": {}}"#),
    ("book_auto_post_string", "POST", "-", r#"{"name": "B", "autoPost": "yes"}"#),
    ("book_auto_post_number", "POST", "-", r#"{"name": "B", "autoPost": 1}"#),
    ("book_fraction_digits_string", "POST", "-", r#"{"name": "B", "fractionDigits": "two"}"#),
    ("book_page_size_array", "POST", "-", r#"{"name": "B", "pageSize": [1]}"#),
    ("book_decimal_separator", "POST", "-", r#"{"name": "B", "decimalSeparator": "POINT"}"#),
    ("book_decimal_separator_case", "POST", "-", r#"{"name": "B", "decimalSeparator": "dot"}"#),
    ("book_period", "POST", "-", r#"{"name": "B", "period": "WEEK"}"#),
    ("book_period_start_month", "POST", "-", r#"{"name": "B", "periodStartMonth": "JAN"}"#),
    ("book_visibility", "POST", "-", r#"{"name": "B", "visibility": "OPEN"}"#),
    ("book_properties_array", "POST", "-", r#"{"name": "B", "properties": []}"#),
    ("book_properties_string", "POST", "-", r#"{"name": "B", "properties": "a=b"}"#),
    ("book_property_number", "POST", "-", r#"{"name": "B", "properties": {"a": 5}}"#),
    ("book_property_object", "POST", "-", r#"{"name": "B", "properties": {"a": {}}}"#),
    ("book_accounts_object", "POST", "-", r#"{"name": "B", "accounts": {}}"#),
    ("book_update_separator", "PUT", "-", r#"{"id": "{book}", "decimalSeparator": "POINT"}"#),
    ("book_update_deprecated_separator", "PUT", "", r#"{"decimalSeparator": "POINT"}"#),
    ("book_update_lock_date_number", "PUT", "", r#"{"lockDate": 20250101}"#),
    ("account_name_array", "POST", "/accounts", r#"{"name": ["a"]}"#),
    ("account_type", "POST", "/accounts", r#"{"name": "A", "type": "EQUITY"}"#),
    ("account_type_case", "POST", "/accounts", r#"{"name": "A", "type": "asset"}"#),
    ("account_type_number", "POST", "/accounts", r#"{"name": "A", "type": 1}"#),
    ("account_archived", "POST", "/accounts", r#"{"name": "A", "archived": "no"}"#),
    ("account_groups_object", "POST", "/accounts", r#"{"name": "A", "groups": {}}"#),
    ("account_groups_strings", "POST", "/accounts", r#"{"name": "A", "groups": ["G"]}"#),
    ("account_properties", "POST", "/accounts", r#"{"name": "A", "properties": true}"#),
    ("account_update_type", "PUT", "/accounts", r#"{"id": "{account}", "type": "EQUITY"}"#),
    ("account_update_archived", "PUT", "/accounts", r#"{"id": "{account}", "archived": "false"}"#),
    ("accounts_items_object", "POST", "/accounts/batch", r#"{"items": {}}"#),
    ("accounts_item_string", "POST", "/accounts/batch", r#"{"items": ["A"]}"#),
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
    (
        "collaborator_permission_case",
        "POST",
        "/collaborators",
        r#"{"email": "a@example.com", "permission": "viewer"}"#,
    ),
    ("collaborator_email", "POST", "/collaborators", r#"{"email": 5, "permission": "VIEWER"}"#),
    ("transaction_date_number", "POST", "/transactions", r#"{"date": 20250101}"#),
    ("transaction_description", "POST", "/transactions", r#"{"description": {}}"#),
    ("transaction_amount_object", "POST", "/transactions", r#"{"amount": {}}"#),
    ("transaction_amount_boolean", "POST", "/transactions", r#"{"amount": true}"#),
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
    let before = cast.owner.get(&cast.path("?loadAccounts=true")).ok();
    let answer = cast.owner.send_raw(method, &path, Some("application/json"), body.as_bytes());
    let message = answer.refused(400, "invalid");
    assert!(message.contains("InvalidFormatException"), "0.10: {message}");
    assert_eq!(
        cast.owner.get(&cast.path("?loadAccounts=true")).ok(),
        before,
        "a refused request changes nothing"
    );
}

/// 0.8: with or without a charset; a missing content type is read as JSON.
fn json_content_types_are_accepted(server: &Server) {
    let cast = Cast::new(server);
    let kinds = [
        None,
        Some("application/json"),
        Some("application/json; charset=utf-8"),
        Some("application/json;charset=UTF-8"),
        Some("application/json; charset=\"utf-8\""),
        Some("Application/JSON"),
    ];
    for (number, kind) in kinds.into_iter().enumerate() {
        let body = json!({"name": format!("Account {number} é")});
        let answer =
            cast.owner.send_raw("POST", &cast.path("/accounts"), kind, body.to_string().as_bytes());
        assert_eq!(answer.status, 200, "{kind:?}: {}", answer.text);
        assert_eq!(answer.ok()["name"], body["name"], "{kind:?}");
    }
}

/// 0.8.
fn other_content_types_are_refused(server: &Server) {
    let cast = Cast::new(server);
    let kinds = [
        "text/plain",
        "text/plain; charset=utf-8",
        "text/html",
        "text/json",
        "application/x-www-form-urlencoded",
        "application/xml",
        "application/jsonp",
        "application/octet-stream",
        "multipart/form-data; boundary=x",
        "json",
    ];
    for kind in kinds {
        let answer = cast.owner.send_raw(
            "POST",
            &cast.path("/accounts"),
            Some(kind),
            br#"{"name": "Cash"}"#,
        );
        assert_eq!(answer.status, 415, "{kind}: {}", answer.text);
        answer.refused(415, "unsupportedMediaType");
        let answer = cast.owner.send_raw("PUT", "/v5/books", Some(kind), b"{}");
        answer.refused(415, "unsupportedMediaType");
    }
    assert_eq!(cast.owner.get(&cast.path("/accounts")).ok()["items"], json!([]));
}

/// 0.8.
fn body_of_a_delete_is_ignored(server: &Server) {
    let cast = Cast::new(server);
    let bodies: [(Option<&str>, &[u8]); 4] = [
        (Some("application/json"), b"{}"),
        (Some("application/json"), b"{broken"),
        (Some("text/plain"), b"\xff\xfe"),
        (None, br#"{"id": "1"}"#),
    ];
    for (kind, body) in bodies {
        let group = cast.group("Gone");
        let answer = cast.owner.send_raw(
            "DELETE",
            &cast.path(&format!("/groups/{}", id(&group))),
            kind,
            body,
        );
        assert_eq!(answer.ok()["id"], group["id"], "{kind:?}");
    }
}

/// 10.2.
fn malformed_json_is_refused(server: &Server) {
    let cast = Cast::new(server);
    let bodies: [&[u8]; 15] = [
        b"{",
        b"}",
        b"nope",
        b"{\"name\"}",
        b"{\"name\":}",
        b"{\"name\":\"x\"",
        b"{\"name\":\"x\",\"items\":[]} trailing",
        b"{\"name\":\"x\",\"items\":[]}{\"name\":\"y\"}",
        b"{'name':'x'}",
        b"{name:\"x\"}",
        b"{\"name\":\"x\",}",
        b"{\"name\":\"line\nbreak\"}",
        b"{\"name\":\"\\x41\"}",
        b"{\"name\":\"\xff\xfe\"}",
        b"{\"name\":\"\xc3\"}",
    ];
    for body in bodies {
        let shown = String::from_utf8_lossy(body);
        let places = [
            ("POST", "/v5/books".to_owned()),
            ("PUT", cast.path("/accounts")),
            ("POST", cast.path("/transactions/batch")),
        ];
        for (method, path) in places {
            let answer = cast.owner.send_raw(method, &path, Some("application/json"), body);
            assert_eq!(answer.status, 400, "{method} {path} {shown}: {}", answer.text);
            answer.refused(400, "parseError");
        }
    }
}

/// The body must be UTF-8, also in ignored fields.
fn invalid_utf8_in_an_unknown_field_is_refused(server: &Server) {
    let cast = Cast::new(server);
    for body in [b"{\"name\":\"A\",\"x\":\"\xff\"}".as_slice(), b"{\"name\":\"A\",\"\xc3\":1}"] {
        let answer =
            cast.owner.send_raw("POST", &cast.path("/accounts"), Some("application/json"), body);
        answer.refused(400, "parseError");
    }
}

/// 0.23: clients cut texts within a surrogate pair, which must not fail a batch.
fn lone_surrogates_become_replacement_characters(server: &Server) {
    let cast = Cast::new(server);
    for (name, read) in
        [(r"\ud800", "\u{fffd}"), (r"a\udfffb", "a\u{fffd}b"), (r"\\ud83d", r"\ud83d")]
    {
        let body = format!(r#"{{"name": "{name}"}}"#);
        let answer = cast.owner.send_raw(
            "POST",
            &cast.path("/accounts"),
            Some("application/json"),
            body.as_bytes(),
        );
        assert_eq!(answer.ok()["name"], read, "{name}");
    }
    let pair = br#"{"name": "\ud83d\ude00"}"#;
    let answer =
        cast.owner.send_raw("POST", &cast.path("/accounts"), Some("application/json"), pair);
    assert_eq!(answer.ok()["name"], "😀");
}

/// A required body is missing. A book may be named by the query alone (6.1).
fn empty_body_is_refused(server: &Server) {
    let cast = Cast::new(server);
    for kind in [None, Some("application/json")] {
        for (method, rest) in
            [("POST", "/accounts"), ("PUT", "/groups"), ("PATCH", "/transactions/post")]
        {
            let answer = cast.owner.send_raw(method, &cast.path(rest), kind, b"");
            assert_eq!(answer.status, 400, "{method} {rest} {kind:?}: {}", answer.text);
        }
    }
}

fn body_must_be_an_object(server: &Server) {
    let cast = Cast::new(server);
    for body in ["[]", "[{\"name\": \"A\"}]", "\"A\"", "5", "true", "null"] {
        for (method, rest) in
            [("POST", "/accounts"), ("PUT", "/accounts"), ("POST", "/accounts/batch")]
        {
            let answer = cast.owner.send_raw(
                method,
                &cast.path(rest),
                Some("application/json"),
                body.as_bytes(),
            );
            assert_eq!(answer.status, 400, "{method} {rest} {body}: {}", answer.text);
        }
    }
    assert_eq!(cast.owner.get(&cast.path("/accounts")).ok()["items"], json!([]));
}

fn deep_nesting_does_not_crash(server: &Server) {
    let cast = Cast::new(server);
    for (open, close) in [("[", "]"), ("{\"a\":", "}")] {
        let nested = format!("{}1{}", open.repeat(100_000), close.repeat(100_000));
        let body = format!(r#"{{"name": "Deep", "ignored": {nested}}}"#);
        let answer =
            cast.owner.send_raw("POST", "/v5/books", Some("application/json"), body.as_bytes());
        // Ignored as an unknown field or refused as too deep.
        assert!(matches!(answer.status, 200 | 400), "{}", answer.text);
    }
    cast.owner.get(&cast.path("")).ok();
}

/// 0.10: clients send back whole objects, with fields of newer or older versions.
fn unknown_fields_are_ignored(server: &Server) {
    let cast = Cast::new(server);
    let odd = json!({
        "name": "Odd", "unknown": {"a": [1, null]}, "": 1, "Name": "No", "ID": 7, "__proto__": {},
    });
    for rest in ["/accounts", "/groups"] {
        let created = cast.owner.post(&cast.path(rest), &odd).ok();
        shows(&created, &json!({"name": "Odd", "unknown": null, "Name": null}));
    }
    let book = cast.owner.post("/v5/books", &odd).ok();
    shows(&book, &json!({"name": "Odd", "unknown": null}));
    let batch = json!({"items": [{"name": "Even", "x": 1}], "cursor": "x", "more": []});
    cast.owner.post(&cast.path("/accounts/batch"), &batch).ok();
}

/// 0.10: `id` and `amount` may be JSON numbers.
fn id_and_amount_may_be_numbers(server: &Server) {
    let cast = Cast::new(server);
    let account = cast.account("Cash", "ASSET");
    cast.account("Food", "OUTGOING");
    let number: i64 = id(&account).parse().expect("0.14: an account id fits int64");
    let updated =
        cast.owner.put(&cast.path("/accounts"), &json!({"id": number, "name": "Purse"})).ok();
    shows(&updated, &json!({"id": account["id"], "name": "Purse"}));
    let body = json!({
        "date": "2025-01-31", "amount": 12.5, "creditAccount": {"id": number},
        "debitAccount": {"name": "Food"},
    });
    let recorded = cast.owner.post(&cast.path("/transactions"), &body).ok();
    shows(&recorded["transaction"], &json!({"amount": "12.50", "posted": true}));
}

/// Characters that one engine refuses must not cause a 500 on either.
fn unusual_characters_are_stored_or_refused(server: &Server) {
    let cast = Cast::new(server);
    let odd = [
        "a\u{0}b",
        "\u{feff}bom",
        "\u{ffff}",
        "tab\tline\nend",
        "'; DROP TABLE book; --",
        "100%_\\",
        "\u{202e}rtl",
    ];
    for text in odd {
        let answer = cast
            .owner
            .post(&cast.path("/accounts"), &json!({"name": text, "properties": {"p": text}}));
        if answer.status == 200 {
            let account = answer.ok();
            let read = cast.owner.get(&cast.path(&format!("/accounts/{}", id(&account)))).ok();
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
    let created = cast.owner.post(&cast.path("/accounts"), &body).ok();
    assert_eq!(created["name"], "Large");
}

/// 0.34: commas within strings do not count.
fn body_with_too_many_values_is_refused(server: &Server) {
    let cast = Cast::new(server);
    let send = |path: &str, body: String| {
        cast.owner.send_raw("POST", path, Some("application/json"), body.as_bytes())
    };
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
        assert_eq!(answer.status, 400, "{method} {rest}: {}", answer.text);
        let message = answer.refused(400, "badRequest");
        assert!(message.contains("10000"), "the limit is named: {message}");
        // 0.17: access is checked first.
        cast.viewer.send(method, &cast.path(rest), &named(10_001)).refused(403, "forbidden");
        cast.stranger.send(method, &cast.path(rest), &named(10_001)).refused(404, "notFound");
    }
    assert_eq!(cast.owner.get(&cast.path("/accounts")).ok()["items"], json!([]));
    assert_eq!(cast.owner.get(&cast.path("/groups")).ok()["items"], json!([]));
}

/// 0.17, 0.30: users without access get 404 for each invalid request.
fn rule_0_17_access_is_checked_before_the_body(server: &Server) {
    let cast = Cast::new(server);
    let is_json = Some("application/json");
    let broken: [(&str, &str, Option<&str>, &str); 6] = [
        ("POST", "/accounts", is_json, "{"),
        ("PUT", "", is_json, r#"{"datePattern": "x"}"#),
        ("POST", "/collaborators", is_json, r#"{"email": "q@x.com", "permission": "FOO"}"#),
        ("POST", "/transactions/batch", is_json, r#"{"items": 5}"#),
        ("PUT", "/files", is_json, r#"{"id": "zz", "content": "@@"}"#),
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
