//! Transport (behaviour 0): headers, CORS, ids and formats of responses.

use std::collections::HashSet;

use daybook_tests::{Answer, Cast, Client, Server, id};
use serde_json::{Value, json};

use crate::Case;
use crate::transport::{furnished, readable};

pub fn tests() -> Vec<Case> {
    crate::cases![
        preflight_is_answered_on_every_route,
        cross_origin_responses_have_cors_headers,
        every_response_has_a_request_id,
        ids_are_unique_digits,
        delete_path_with_a_non_numeric_id_is_not_found,
        numbers_and_times_have_documented_formats,
        reads_see_acknowledged_writes,
        agent_header_sets_the_agent,
        rule_9_2_reserved_agent_ids_are_refused,
    ]
}

/// In the log these ids stand for the server itself.
fn rule_9_2_reserved_agent_ids_are_refused(server: &Server) {
    let cast = Cast::new(server);
    let before = cast.read("/events");
    let body = json!({"name": "Cash"});
    for name in ["api", "daybook", "Daybook", "API", " api "] {
        let caller = cast.owner.header("service-agent-id", name);
        let why = caller.post(&cast.path("/accounts"), &body).refused(400, "badRequest");
        assert!(why.contains(name.trim()), "9.2: {why}");
        caller.get(&cast.path("")).refused(400, "badRequest");
        cast.anonymous.header("service-agent-id", name).get("/v5/books").refused(401, "required");
    }
    assert_eq!(cast.read("/events"), before);
    for name in ["api-bot", "my daybook", ""] {
        let caller = cast.owner.header("service-agent-id", name);
        caller.get(&cast.path("")).ok();
    }
}

#[track_caller]
fn check_lists(answer: &Answer, header: &str, expected: &[&str]) {
    let value =
        answer.headers.get(header).map(|value| value.to_ascii_lowercase()).unwrap_or_default();
    let named: HashSet<&str> = value.split(',').map(str::trim).collect();
    for item in expected {
        assert!(
            named.contains(item.to_ascii_lowercase().as_str()),
            "0.13: {header} lacks {item}: {value:?}"
        );
    }
}

/// 0.13: without a token, since browsers send none.
fn preflight_is_answered_on_every_route(server: &Server) {
    let browser = server
        .anonymous()
        .header("Origin", "https://app.example")
        .header("Access-Control-Request-Method", "PUT")
        .header("Access-Control-Request-Headers", "authorization,content-type");
    let writes = [
        "/accounts/batch",
        "/accounts/delete/batch",
        "/transactions/check",
        "/transactions/untrash/batch",
        "/collaborators/a@b.com",
    ];
    let cast = furnished(server);
    let paths = readable(&cast).into_iter().chain(writes.iter().map(|rest| cast.path(rest)));
    for path in paths {
        let answer = browser.send_raw("OPTIONS", &path, None, &[]);
        assert_eq!(answer.status, 204, "OPTIONS {path}: {}", answer.text);
        let origin = answer.headers.get("access-control-allow-origin").map(String::as_str);
        assert_eq!(origin, Some("*"), "OPTIONS {path}");
        check_lists(
            &answer,
            "access-control-allow-methods",
            &["GET", "POST", "PUT", "PATCH", "DELETE"],
        );
        // `*` would not cover Authorization.
        let headers = [
            "Authorization",
            "Content-Type",
            "cursor",
            "Idempotency-Key",
            "If-Match",
            "service-agent-id",
            "service-api-key",
        ];
        check_lists(&answer, "access-control-allow-headers", &headers);
    }
    let plain = server.anonymous().send_raw("OPTIONS", "/v5/books", None, &[]);
    assert_eq!(plain.status, 204, "OPTIONS outside a browser");
}

/// 0.13: also on errors.
fn cross_origin_responses_have_cors_headers(server: &Server) {
    let cast = Cast::new(server);
    let browser = |client: &Client| client.header("Origin", "https://app.example");
    let answers = [
        browser(&cast.owner).get("/v5/books"),
        browser(&cast.anonymous).get("/v5/books"),
        browser(&cast.stranger).get(&cast.path("")),
        browser(&cast.viewer).delete(&cast.path("")),
        browser(&cast.owner).post("/v5/books", &json!({})),
        browser(&cast.owner).get("/v5/nothing"),
    ];
    for answer in answers {
        check_lists(&answer, "access-control-allow-origin", &["*"]);
        let exposed = "ETag,Retry-After,Idempotency-Replayed,Idempotency-Answer,Skipped-Items,\
                       Known-Items";
        let exposed: Vec<&str> = exposed.split(',').collect();
        check_lists(&answer, "access-control-expose-headers", &exposed);
    }
}

fn request_id(answer: &Answer) -> Option<&String> {
    answer.headers.iter().find(|(name, _)| name.contains("request-id")).map(|(_, value)| value)
}

/// Each response has a different id.
fn every_response_has_a_request_id(server: &Server) {
    let cast = Cast::new(server);
    let owner = &cast.owner;
    let answers = [
        owner.get("/v5/books"),
        owner.get("/v5/books"),
        owner.patch(&cast.path("/transactions/check/batch"), &json!({"items": []})),
        owner.post("/v5/books", &json!({})),
        owner.send_raw("POST", "/v5/books", Some("application/json"), b"{"),
        owner.send_raw("POST", "/v5/books", Some("text/plain"), b"x"),
        owner.send_raw("OPTIONS", "/v5/books", None, &[]),
        cast.anonymous.get("/v5/books"),
        cast.viewer.delete(&cast.path("")),
        owner.get("/v5/nothing"),
        owner.delete("/v5/books"),
        cast.anonymous.get("/health"),
    ];
    let mut seen = HashSet::new();
    for answer in &answers {
        let Some(name) = request_id(answer) else {
            panic!("{} without a request id: {:?}", answer.status, answer.headers);
        };
        assert!(seen.insert(name.clone()), "the request id {name} came twice");
    }
}

/// 0.14: digits that fit int64, at least ten, unique across books; book ids are long and URL-safe.
fn ids_are_unique_digits(server: &Server) {
    let mut seen = HashSet::new();
    for _ in 0..2 {
        let cast = Cast::new(server);
        let safe = cast
            .book
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_');
        assert!(safe && cast.book.len() >= 16, "book id {}", cast.book);
        for resource in [
            cast.account("Cash", "ASSET"),
            cast.account("Bank", "ASSET"),
            cast.group("Cash"),
            cast.group("Bank"),
        ] {
            let text = id(&resource);
            assert!(text.len() >= 10 && text.bytes().all(|byte| byte.is_ascii_digit()), "{text}");
            assert!(text.parse::<i64>().is_ok(), "{text} fits int64");
            assert!(seen.insert(text.to_owned()), "{text} came twice");
        }
    }
}

/// 0.14: a DELETE path takes only an int64.
fn delete_path_with_a_non_numeric_id_is_not_found(server: &Server) {
    let cast = furnished(server);
    for segment in ["1x", "9223372036854775808", "1.0", "0", "-1", "cash", "assets", "%20"] {
        for kind in ["accounts", "groups"] {
            cast.delete(&format!("/{kind}/{segment}")).refused(404, "notFound");
        }
    }
    cast.read("/accounts/cash");
    cast.read("/groups/assets");
}

#[track_caller]
fn is_time(value: &Value) {
    let digits = value
        .as_str()
        .is_some_and(|text| text.len() >= 13 && text.bytes().all(|byte| byte.is_ascii_digit()));
    assert!(digits, "0.12: milliseconds are a digit string: {value}");
}

/// 0.12: numbers for int32 and int64, digit strings for times.
fn numbers_and_times_have_documented_formats(server: &Server) {
    let cast = furnished(server);
    let book = cast.read("");
    for field in ["createdAt", "updatedAt", "lastUpdateMs"] {
        is_time(&book[field]);
    }
    let numbers = [
        "fractionDigits",
        "pageSize",
        "timeZoneOffset",
        "totalTransactions",
        "totalTransactionsCurrentMonth",
        "totalTransactionsCurrentYear",
    ];
    for field in numbers {
        assert!(book[field].is_i64(), "{field}: {}", book[field]);
    }
    for path in ["/accounts/cash", "/groups/assets"] {
        let resource = cast.read(path);
        is_time(&resource["createdAt"]);
        is_time(&resource["updatedAt"]);
    }
}

/// 0.11: from another connection.
fn reads_see_acknowledged_writes(server: &Server) {
    let cast = Cast::new(server);
    for number in 0..20 {
        let name = format!("Account {number}");
        let account = cast.account(&name, "ASSET");
        let seen = cast.viewer.get(&cast.path(&format!("/accounts/{}", id(&account)))).ok();
        assert_eq!(seen["name"], name);
        let listed = cast.viewer.get(&cast.path("/accounts")).ok();
        assert_eq!(listed["items"].as_array().map(Vec::len), Some(number + 1));
        let book = cast.owner.post("/v5/books", &json!({"name": name})).ok();
        cast.owner.get(&format!("/v5/books/{}", id(&book))).ok();
        cast.stranger.get(&format!("/v5/books/{}", id(&book))).refused(404, "notFound");
    }
}

/// 0.15, 9.2: in any case; other prefixes are ignored by default.
fn agent_header_sets_the_agent(server: &Server) {
    let cast = Cast::new(server);
    for (number, (header, taken)) in [
        ("service-agent-id", true),
        ("Service-Agent-Id", true),
        ("acme-agent-id", false),
        ("agent-id", false),
    ]
    .into_iter()
    .enumerate()
    {
        let robot = cast.owner.header(header, "robot");
        let body = json!({"name": format!("Account {number}"), "agentId": "forged"});
        let account = robot.post(&cast.path("/accounts"), &body).ok();
        assert_eq!(account["agentId"] == "robot", taken, "{header}: {account}");
        assert_ne!(account["agentId"], "forged", "9.13: agentId in a body is ignored");
        let group = robot.post(&cast.path("/groups"), &body).ok();
        assert_eq!(group["agentId"] == "robot", taken, "{header}: {group}");
    }
}
