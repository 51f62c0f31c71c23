//! Transport (behaviour 0): routing of paths, methods and parameters.

use daybook_tests::{Cast, Server, encode, id};
use serde_json::{Value, json};

use crate::Case;

pub fn tests() -> Vec<Case> {
    crate::cases![
        open_addresses,
        empty_query_string,
        trailing_slash,
        trailing_slash_on_writes,
        unknown_parameters,
        encoded_slash_stays_in_its_segment,
        encoded_names_are_decoded,
        undecodable_paths,
        unknown_routes,
        wrong_methods_name_the_right_ones,
        head_has_no_body,
        parameters_without_a_value,
    ]
}

/// The GET routes of one book with an account `Cash` and a group `Assets`.
pub fn readable(cast: &Cast) -> Vec<String> {
    let inside = [
        "",
        "/accounts",
        "/accounts/cash",
        "/accounts/cash/groups",
        "/groups",
        "/groups/assets",
        "/groups/assets/accounts",
        "/transactions",
        "/collaborators",
        "/events",
    ];
    let outside = ["/v5/books", "/v5/user"].map(str::to_owned);
    inside.iter().map(|rest| cast.path(rest)).chain(outside).collect()
}

/// A book with an account `Cash` in a group `Assets`.
pub fn furnished(server: &Server) -> Cast {
    let cast = Cast::new(server);
    cast.group("Assets");
    cast.account_in("Cash", "ASSET", &["Assets"]);
    cast
}

/// Issue 2: alive, ready and documented without a token, outside /v5.
fn open_addresses(server: &Server) {
    let anonymous = server.anonymous();
    for path in ["/health", "/ready"] {
        assert_eq!(anonymous.get(path).status, 200, "{path}");
    }
    let contract = anonymous.get("/openapi.json").ok();
    assert_eq!(contract["swagger"], "2.0");
    assert!(contract["paths"].as_object().is_some_and(|paths| !paths.is_empty()));
}

/// 0.2: clients append `?` to every URL.
fn empty_query_string(server: &Server) {
    let cast = furnished(server);
    for path in readable(&cast) {
        let plain = cast.owner.get(&path).ok();
        assert_eq!(cast.owner.get(&format!("{path}?")).ok(), plain, "{path}?");
    }
}

/// 0.3: a trailing slash is accepted on every route.
fn trailing_slash(server: &Server) {
    let cast = furnished(server);
    for path in readable(&cast) {
        let plain = cast.owner.get(&path).ok();
        assert_eq!(cast.owner.get(&format!("{path}/")).ok(), plain, "{path}/");
        assert_eq!(cast.owner.get(&format!("{path}/?")).ok(), plain, "{path}/?");
    }
    let anonymous = server.anonymous();
    assert_eq!(anonymous.get("/health/").status, 200);
    anonymous.get("/openapi.json/").ok();
}

/// 0.3: the other methods; `POST /v5/books/?` is what existing clients send.
fn trailing_slash_on_writes(server: &Server) {
    let cast = furnished(server);
    let book = cast.owner.post("/v5/books/?", &json!({"name": "Slash"})).ok();
    let renamed = cast.owner.put("/v5/books/?", &json!({"id": id(&book), "name": "Slashed"})).ok();
    assert_eq!(renamed["name"], "Slashed");
    let account = cast.post("/accounts/", &json!({"name": "Bank"})).ok();
    cast.put("/accounts/", &json!({"id": id(&account), "archived": true})).ok();
    cast.post("/accounts/batch/", &json!({"items": []})).ok();
    cast.patch("/transactions/check/batch/", &json!({"items": []})).no_content();
    cast.delete(&format!("/accounts/{}/", id(&account))).ok();
    cast.owner.delete(&format!("/v5/books/{}/?", id(&book))).ok();
}

/// 0.4: cache busters and API keys are accepted.
fn unknown_parameters(server: &Server) {
    let cast = furnished(server);
    for path in readable(&cast) {
        let plain = cast.owner.get(&path).ok();
        let query = "time=1737000000000&key=abc&foo=bar&foo=baz&empty=&alone&%C3%A9=%20";
        assert_eq!(cast.owner.get(&format!("{path}?{query}")).ok(), plain, "{path}");
    }
    let balances = cast.path("/balances?query=account:Cash&time=1&key=k");
    cast.owner.get(&balances).ok();
}

/// 0.5: `%2F` does not split the path.
fn encoded_slash_stays_in_its_segment(server: &Server) {
    let cast = furnished(server);
    let slashed = cast.account("Cash/groups", "ASSET");
    let found = cast.get("/accounts/Cash%2Fgroups").ok();
    assert_eq!(found["id"], slashed["id"]);
    let lower = cast.get("/accounts/Cash%2fgroups").ok();
    assert_eq!(lower["id"], slashed["id"]);
    // If split, this would list the groups of Assets.
    let refused = cast.get("/groups/Assets%2Faccounts");
    refused.refused(404, "notFound");
    cast.owner.get(&format!("/v5/books/{}%2Faccounts", cast.book)).refused(404, "notFound");
}

/// 0.5: names arrive percent-encoded; in a path `+` is a plus sign.
fn encoded_names_are_decoded(server: &Server) {
    let cast = Cast::new(server);
    for name in ["Current Assets", "Café Ümlaut", "50% off", "A+B", "Q&A?", "semi;colon", "日本"]
    {
        let created = cast.account(name, "ASSET");
        let found = cast.get(&format!("/accounts/{}", encode(name))).ok();
        assert_eq!(found["id"], created["id"], "{name}");
    }
    let plus = cast.get("/accounts/A+B").ok();
    assert_eq!(plus["name"], "A+B");
}

/// An invalid path is not found, as an error of the client.
fn undecodable_paths(server: &Server) {
    let cast = Cast::new(server);
    for segment in ["%FF%FE", "%C3", "%ED%A0%80", "%00", "%zz", "%"] {
        for path in [cast.path(&format!("/accounts/{segment}")), format!("/v5/books/{segment}")] {
            let answer = cast.owner.get(&path);
            let reason = if answer.status == 404 { "notFound" } else { "badRequest" };
            let status = if answer.status == 404 { 404 } else { 400 };
            answer.refused(status, reason);
        }
    }
}

/// 10.2, 10.4: unknown routes answer the documented JSON.
fn unknown_routes(server: &Server) {
    let cast = Cast::new(server);
    let account = cast.account("Cash", "ASSET");
    let inside = [
        "/nothing".to_owned(),
        "/accounts/batch/more".to_owned(),
        format!("/accounts/{}/nothing", id(&account)),
        format!("/accounts/{}/groups/more", id(&account)),
        "/transactions/check/batch/more".to_owned(),
    ];
    let outside = ["/", "/v5", "/v5/", "/v5/nothing", "/v4/books", "/books", "/favicon.ico"];
    for path in inside.iter().map(|rest| cast.path(rest)).chain(outside.map(str::to_owned)) {
        for method in ["GET", "POST", "PUT", "PATCH", "DELETE"] {
            // 0.44: the page of the console.
            if method == "GET" && path == "/" {
                continue;
            }
            let body = if method == "GET" || method == "DELETE" { Value::Null } else { json!({}) };
            let answer = cast.owner.send(method, &path, &body);
            assert_eq!(answer.status, 404, "{method} {path}: {}", answer.text);
            answer.refused(404, "notFound");
        }
    }
}

/// 10.2, 0.24: `Allow` has the methods of the path, also where two templates match it. `openapi`
/// tests every documented path.
fn wrong_methods_name_the_right_ones(server: &Server) {
    let cast = Cast::new(server);
    let table = [
        ("PATCH", "/v5/books/{}", "DELETE, GET, PUT, HEAD, OPTIONS"),
        ("DELETE", "/v5/books/{}/accounts/delete/batch", "POST, OPTIONS"),
        ("PATCH", "/v5/books/{}/accounts/batch", "DELETE, GET, POST, PUT, HEAD, OPTIONS"),
        ("BREW", "/health", "GET, HEAD, OPTIONS"),
    ];
    for (method, path, allowed) in table {
        let answer = cast.owner.send(method, &path.replace("{}", &cast.book), &Value::Null);
        assert_eq!(answer.headers["allow"], allowed, "{method} {path}");
        answer.refused(405, "methodNotAllowed");
    }
    assert!(!cast.owner.get("/v5/nothing").headers.contains_key("allow"));
}

/// 0.24: HEAD is GET without the body, wherever there is a GET.
fn head_has_no_body(server: &Server) {
    let cast = furnished(server);
    let outside = ["/health", "/ready", "/openapi.json", "/docs", "/v5/nothing"].map(str::to_owned);
    for path in readable(&cast).into_iter().chain(outside) {
        let (head, get) = (cast.owner.send_raw("HEAD", &path, None, &[]), cast.owner.get(&path));
        assert_eq!((head.status, head.text.as_str()), (get.status, ""), "HEAD {path}");
        for header in ["content-type", "etag", "content-length"] {
            assert_eq!(head.headers.get(header), get.headers.get(header), "HEAD {path}: {header}");
        }
    }
    let stranger = cast.stranger.send_raw("HEAD", &cast.path("/accounts"), None, &[]);
    assert_eq!(stranger.status, 404, "behaviour 7.4");
}

/// 0.9: a parameter without a value is absent.
fn parameters_without_a_value(server: &Server) {
    let cast = furnished(server);
    cast.post("/transactions", &json!({"description": "Lunch"})).ok();
    let found = |query: &str| {
        cast.get(&format!("/transactions?{query}")).ok()["items"].as_array().map(Vec::len)
    };
    assert_eq!(found("ids="), Some(1));
    assert_eq!(found("ids=&query=lunch"), Some(1));
    assert_eq!(found("ids&query=dinner"), Some(0));
    assert_eq!(
        found("query=&query=dinner"),
        Some(0),
        "of a repeated one the first with a value counts"
    );
}
