//! Errors (10.2 - 10.7): shape, reason, and the order of checks (0.17): authentication, visibility,
//! permission, existence, values.

use daybook_tests::{Cast, Client, Server, id};
use serde_json::{Value, json};

use crate::Case;

pub fn tests() -> Vec<Case> {
    let mut cases = crate::cases![
        invalid_token_is_refused,
        other_schemes_are_refused,
        unknown_ids_are_not_found,
        ids_of_another_book_are_not_found,
        checks_have_one_order,
        update_without_an_id_is_refused,
    ];
    cases.extend(REQUIRED.iter().map(|(name, path, body, field)| {
        Case::shared(format!("required_{name}"), move |server| {
            check_required(server, path, body, field)
        })
    }));
    cases
}

/// 10.2, 11.5: a missing or invalid token; clients look for `Login Required`.
fn invalid_token_is_refused(server: &Server) {
    let good = server.token("carol@example.com");
    let parts: Vec<&str> = good.split('.').collect();
    let last = if good.ends_with('A') { "B" } else { "A" };
    let mut tokens = vec![
        "a.b.c".to_owned(),
        good[..good.len() - 2].to_owned(),
        format!("{}{last}{last}{last}", &good[..good.len() - 3]),
        good.to_ascii_uppercase(),
        "%00".to_owned(),
        "x".repeat(6000),
    ];
    if let [_, payload, _] = parts[..] {
        // {"alg":"none","typ":"JWT"} and {"alg":"none"}: unsigned tokens.
        tokens.push(format!("eyJhbGciOiJub25lIiwidHlwIjoiSldUIn0.{payload}."));
        tokens.push(format!("eyJhbGciOiJub25lIn0.{payload}.x"));
    }
    for token in tokens {
        let answer = server.client_with_token(&token).get("/v5/user");
        assert_eq!(answer.status, 401, "{token}: {}", answer.text);
        let message = answer.refused(401, "required");
        assert!(message.contains("Login Required"), "10.2: {message}");
    }
    server.client_with_token(&good).get("/v5/user").ok();
    let message = server.anonymous().get("/v5/user").refused(401, "required");
    assert!(message.contains("Login Required"), "10.2: {message}");
}

/// 11.5: the header is always `Authorization: Bearer <token>`; the query has no token.
fn other_schemes_are_refused(server: &Server) {
    let token = server.token("carol@example.com");
    for value in ["", "Bearer ", &token, &format!("Basic {token}"), &format!("Token {token}")] {
        let answer = server.anonymous().header("Authorization", value).get("/v5/user");
        assert_eq!(answer.status, 401, "`{value}`");
        answer.refused(401, "required");
    }
    for name in ["access_token", "token", "oauth_token", "key", "authorization"] {
        server.anonymous().get(&format!("/v5/user?{name}={token}")).refused(401, "required");
    }
}

/// Returns the operations that name one resource by `{id}`.
fn operations_on_one_resource() -> Vec<(&'static str, &'static str, Value)> {
    vec![
        ("GET", "/accounts/{id}", Value::Null),
        ("GET", "/accounts/{id}/groups", Value::Null),
        ("DELETE", "/accounts/{id}", Value::Null),
        ("PUT", "/accounts", json!({"id": "{id}", "name": "New"})),
        ("GET", "/groups/{id}", Value::Null),
        ("GET", "/groups/{id}/accounts", Value::Null),
        ("DELETE", "/groups/{id}", Value::Null),
        ("PUT", "/groups", json!({"id": "{id}", "name": "New"})),
        ("GET", "/transactions/{id}", Value::Null),
        ("PUT", "/transactions", json!({"id": "{id}", "description": "New"})),
        ("PATCH", "/transactions/post", json!({"id": "{id}"})),
        ("PATCH", "/transactions/check", json!({"id": "{id}"})),
        ("PATCH", "/transactions/uncheck", json!({"id": "{id}"})),
        ("PATCH", "/transactions/trash", json!({"id": "{id}"})),
        ("PATCH", "/transactions/untrash", json!({"id": "{id}"})),
        ("PATCH", "/transactions/remove", json!({"id": "{id}"})),
        ("PATCH", "/transactions/restore", json!({"id": "{id}"})),
        ("DELETE", "/collaborators/{id}", Value::Null),
        ("GET", "/collaborators/request/{id}", Value::Null),
        ("DELETE", "/collaborators/request/{id}", Value::Null),
    ]
}

#[track_caller]
fn check_not_found(client: &Client, cast: &Cast, name: &str) {
    for (method, path, body) in operations_on_one_resource() {
        let body =
            serde_json::from_str(&body.to_string().replace("{id}", name)).expect("still JSON");
        let answer = client.send(method, &cast.path(&path.replace("{id}", name)), &body);
        assert_eq!(answer.status, 404, "{method} {path} with {name}: {}", answer.text);
        answer.refused(404, "notFound");
    }
}

/// 10.5, 3.4.5: clients must see a failure.
fn unknown_ids_are_not_found(server: &Server) {
    let cast = Cast::new(server);
    for name in ["1234567890123", "no-such-thing", "00000000-0000-0000-0000-000000000000"] {
        check_not_found(&cast.owner, &cast, name);
    }
}

/// 0.14.
fn ids_of_another_book_are_not_found(server: &Server) {
    let (cast, other) = (Cast::new(server), Cast::new(server));
    other.account("Cash", "ASSET");
    other.account("Food", "OUTGOING");
    let resources = [
        other.account("Bank", "ASSET"),
        other.group("Assets"),
        other.record("2025-01-31", "5", "Cash", "Food", "Lunch"),
    ];
    other.share(cast.owner.email(), "EDITOR");
    for resource in resources {
        check_not_found(&cast.owner, &cast, id(&resource));
    }
    // Ids of collaborators are stable per book.
    let rows = other.read("/collaborators");
    check_not_found(&cast.owner, &cast, id(&rows["items"][1]));
}

/// 0.17: authentication, visibility, permission, existence, values.
fn checks_have_one_order(server: &Server) {
    let cast = Cast::new(server);
    let unknown = "1234567890123";
    let refused = |caller: &Client, status: u16, reason: &str, requests: &[(&str, &str, Value)]| {
        for (method, rest, body) in requests {
            let path = if rest.starts_with("/v5/") { (*rest).to_owned() } else { cast.path(rest) };
            let answer = caller.send(method, &path, body);
            assert_eq!(answer.status, status, "{method} {path}: {}", answer.text);
            answer.refused(status, reason);
        }
    };
    let invalid = [
        ("POST", "/accounts", json!({"name": ""})),
        ("PUT", "", json!({"fractionDigits": 99})),
        ("GET", "/balances", Value::Null),
        ("POST", "/collaborators", json!({"email": "x"})),
        ("PATCH", "/transactions/check", json!({})),
    ];
    refused(&cast.anonymous, 401, "required", &invalid);
    refused(&cast.stranger, 404, "notFound", &invalid);
    let forbidden = [
        ("POST", "/accounts", json!({})),
        ("POST", "/collaborators", json!({"email": "x"})),
        ("PATCH", "/transactions/check", json!({})),
        ("PUT", "/accounts", json!({"id": unknown})),
        ("DELETE", "/groups/1234567890123", Value::Null),
        ("PATCH", "/transactions/check", json!({"id": "unknown"})),
    ];
    refused(&cast.viewer, 403, "forbidden", &forbidden);
    let missing = [
        ("PUT", "/accounts", json!({"id": unknown, "name": ""})),
        ("PUT", "/groups", json!({"id": unknown, "parent": {"id": "7"}})),
        ("PUT", "/v5/books", json!({"id": "unknown", "fractionDigits": 99})),
    ];
    refused(&cast.owner, 404, "notFound", &missing);
    let outside = [
        ("GET", "/v5/books/unknown", Value::Null),
        ("POST", "/v5/books", json!({})),
        ("PUT", "/v5/books", json!({})),
    ];
    refused(&cast.anonymous, 401, "required", &outside);
}

/// 9.13: name, path, body, and the field the message must name.
const REQUIRED: &[(&str, &str, &str, &str)] = &[
    ("book_name", "/v5/books", "{}", "name"),
    ("book_name_blank", "/v5/books", r#"{"name": "  "}"#, "name"),
    ("account_name", "{book}/accounts", r#"{"type": "ASSET"}"#, "name"),
    ("account_in_batch", "{book}/accounts/batch", r#"{"items": [{"name": "A"}, {}]}"#, "name"),
    ("group_name", "{book}/groups", "{}", "name"),
    ("collaborator_email", "{book}/collaborators", r#"{"permission": "VIEWER"}"#, "email"),
    (
        "collaborator_permission",
        "{book}/collaborators",
        r#"{"email": "a@example.com"}"#,
        "permission",
    ),
];

/// 9.13.
fn check_required(server: &Server, path: &str, body: &str, field: &str) {
    let cast = Cast::new(server);
    let path = path.replace("{book}", &cast.path(""));
    let message = cast
        .owner
        .send_raw("POST", &path, Some("application/json"), body.as_bytes())
        .refused(400, "badRequest");
    assert!(message.contains(field), "9.13: the message names {field}: {message}");
}

/// 9.13.
fn update_without_an_id_is_refused(server: &Server) {
    let cast = Cast::new(server);
    let table = [
        ("PUT", "/v5/books".to_owned(), json!({"name": "B"})),
        ("PUT", cast.path("/accounts"), json!({"archived": true})),
        ("PUT", cast.path("/accounts/batch"), json!({"items": [{"archived": true}]})),
        ("POST", cast.path("/accounts/delete/batch"), json!({"items": [{"archived": true}]})),
        ("PUT", cast.path("/groups"), json!({"hidden": true})),
        ("PUT", cast.path("/transactions"), json!({"description": "D"})),
        ("PUT", cast.path("/transactions/batch"), json!({"items": [{"description": "D"}]})),
        ("PATCH", cast.path("/transactions/check"), json!({"description": "D"})),
        ("PATCH", cast.path("/transactions/uncheck"), json!({})),
        ("PATCH", cast.path("/transactions/trash"), json!({})),
        ("PATCH", cast.path("/transactions/untrash"), json!({})),
        ("PATCH", cast.path("/transactions/remove"), json!({})),
        ("PATCH", cast.path("/transactions/restore"), json!({})),
        ("PATCH", cast.path("/transactions/post/batch"), json!({"items": [{"description": "D"}]})),
    ];
    for (method, path, body) in table {
        let answer = cast.owner.send(method, &path, &body);
        assert_eq!(answer.status, 400, "{method} {path}: {}", answer.text);
        let message = answer.refused(400, "badRequest");
        assert!(message.contains("id"), "9.13: the message names id: {message}");
    }
}
