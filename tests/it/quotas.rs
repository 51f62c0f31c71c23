//! Quotas (10.6): the cost of calls, whose calls are counted together, and the response headers.
//! Counts of API keys survive a restart (10.13).

use daybook_tests::{Answer, Cast, Client, Engine, Server, id, unique};
use serde_json::{Value, json};

use crate::Case;
use crate::file_sweep::eventually;

pub fn tests() -> Vec<Case> {
    crate::isolated![
        calls_cost_what_the_contract_says,
        exhausted_quota_is_refused,
        repetitions_cost_one,
        keys_have_quotas_of_their_own,
        on_with_providers_and_off_without,
        calls_of_keys_outlive_the_process,
    ]
}

/// RateLimit-Limit, -Remaining and -Reset; `None` for a response without them.
#[track_caller]
fn read_rate_limit(answer: &Answer) -> Option<[u32; 3]> {
    let number = |name: &str| {
        let text = answer.headers.get(name)?;
        Some(text.parse().unwrap_or_else(|_| panic!("{name}: {text}")))
    };
    let all = ["ratelimit-limit", "ratelimit-remaining", "ratelimit-reset"].map(number);
    let [Some(limit), Some(remaining), Some(reset)] = all else {
        assert_eq!(all, [None; 3], "all of them or none");
        return None;
    };
    Some([limit, remaining, reset])
}

fn calls_cost_what_the_contract_says(engine: Engine) {
    let server = Server::with_args(engine, &["--quota-per-minute", "300"]);
    let cast = Cast::new(&server);
    let owner = &cast.owner;
    // A new user each time, because a full quota regains nothing.
    let costs = |expected: u32, call: &dyn Fn(&Client) -> Answer| {
        let editor = server.client(&format!("{}@example.com", unique("editor")));
        cast.share(editor.email(), "EDITOR");
        let left = read_rate_limit(&call(&editor)).map(|rate_limit| rate_limit[1]);
        assert_eq!(left, Some(300 - expected), "it costs {expected}");
    };
    let account = |name: &str| json!({"name": name, "type": "ASSET"});
    costs(1, &|caller| caller.get(&cast.path("")));
    costs(2, &|caller| caller.get("/v5/books"));
    costs(2, &|caller| caller.get("/v5/books/?"));
    costs(2, &|caller| caller.post(&cast.path("/accounts"), &account("Cash")));
    costs(3, &|caller| {
        let items = json!({"items": [account("a"), account("b")]});
        caller.post(&cast.path("/accounts/batch"), &items)
    });
    // Refused calls cost as well.
    costs(1, &|caller| caller.get("/v5/books/nowhere"));
    costs(2, &|caller| caller.put(&cast.path("/accounts"), &json!({"id": "0"})));
    // An invalid body makes the server read the request twice.
    costs(2, &|caller| caller.post(&cast.path("/collaborators"), &json!({"email": 7})));
    for free in ["/health", "/ready", "/openapi.json", "/docs", "/auth/login", "/v5/nowhere"] {
        assert_eq!(read_rate_limit(&owner.get(free)), None, "{free}");
    }
    assert_eq!(read_rate_limit(&server.anonymous().get("/v5/user")), None, "after authentication");
    let browser = owner.header("Origin", "https://app.example").get("/v5/user");
    let exposed = browser.headers["access-control-expose-headers"].to_ascii_lowercase();
    for name in ["ratelimit-limit", "ratelimit-remaining", "ratelimit-reset"] {
        assert!(exposed.split(", ").any(|known| known == name), "{name}: {exposed}");
    }
}

#[track_caller]
fn exceeded(answer: Answer, limit: u32) {
    let rate_limit = read_rate_limit(&answer).expect("a refusal is counted");
    assert_eq!(rate_limit[0], limit);
    assert!((1..=60).contains(&rate_limit[2]), "{rate_limit:?}");
    let wait = answer.headers.get("retry-after").and_then(|text| text.parse::<u64>().ok());
    assert!(wait.is_some_and(|seconds| (1..=60).contains(&seconds)), "{:?}", answer.headers);
    let message = answer.refused(429, "rateLimitExceeded");
    assert!(message.contains("quota") && message.contains("try again in"), "{message}");
}

fn exhausted_quota_is_refused(engine: Engine) {
    let server = Server::with_args(engine, &["--quota-per-minute", "3"]);
    let (one, other) = (server.client("one@example.com"), server.client("other@example.com"));
    // Created before: one of three calls is regained every 20 seconds.
    let repeated = server.client_with_token(&server.token("one@example.com"));
    assert_eq!(read_rate_limit(&one.get("/v5/user")), Some([3, 2, 20]));
    assert_eq!(
        read_rate_limit(&repeated.get("/v5/user")),
        Some([3, 1, 40]),
        "another token of the same user"
    );
    // The call costs two, one is left and stays.
    exceeded(one.get("/v5/books"), 3);
    assert_eq!(one.post("/v5/books", &json!({"name": "Home"})).status, 200);
    exceeded(one.post("/v5/books", &json!({"name": "Away"})), 3);
    exceeded(repeated.get("/v5/user"), 3);
    assert_eq!(read_rate_limit(&other.get("/v5/books")), Some([3, 1, 40]), "somebody else");
    // Authentication is checked first.
    server.client_with_token("guess").get("/v5/user").refused(401, "required");
}

fn repetitions_cost_one(engine: Engine) {
    let server = Server::with_args(engine, &["--quota-per-minute", "100"]);
    let cast = Cast::new(&server);
    let poor = server.beside(&["--quota-per-minute", "3"]);
    let owner = poor.client_with_token(cast.owner.token().expect("a token"));
    let keyed = |client: &Client, key: &str| client.header("Idempotency-Key", key);
    let path = cast.path("/accounts/batch");
    let body = |name: &str| json!({"items": [{"name": name, "type": "ASSET"}]});
    let first = keyed(&owner, "first").post(&path, &body("Cash"));
    assert_eq!(
        read_rate_limit(&first).map(|rate_limit| rate_limit[1]),
        Some(0),
        "3 of 3: {}",
        first.text
    );
    exceeded(keyed(&owner, "first").post(&path, &body("Cash")), 3);
    // Another process counts separately.
    let other = poor.beside(&["--quota-per-minute", "3"]);
    let owner = other.client_with_token(cast.owner.token().expect("a token"));
    let replayed = keyed(&owner, "first").post(&path, &body("Cash"));
    assert_eq!(read_rate_limit(&replayed), Some([3, 2, 20]));
    assert_eq!(replayed.text, first.text);
    // Two are left: the first of three is taken, the others are not, and nothing is done.
    exceeded(keyed(&owner, "second").post(&path, &body("Food")), 3);
    assert_eq!(
        read_rate_limit(&keyed(&owner, "first").post(&path, &body("Cash"))).map(|t| t[1]),
        Some(0)
    );
    cast.get("/accounts/Food").refused(404, "notFound");
    // The key is unused, so the request may be repeated.
    let done = keyed(&cast.owner, "second").post(&path, &body("Food"));
    assert_eq!((done.status, done.headers.get("idempotency-replayed")), (200, None));
}

fn key(server: &Server, args: &[&str]) -> (String, String) {
    let email = format!("{}@example.com", unique("developer"));
    let create = [&["key", "create", "--email", &email], args].concat();
    let key = server.run(&create).expect("a key").trim().to_owned();
    (email, key)
}

fn keys_have_quotas_of_their_own(engine: Engine) {
    let server = Server::with_args(engine, &["--quota-per-minute", "3"]);
    let (_, usual) = key(&server, &[]);
    let (developer, dear) = key(&server, &["--rate", "1000"]);
    let (one, other) = (server.client("one@example.com"), server.client("other@example.com"));
    let with = |client: &Client, key: &str| client.header("service-api-key", key);
    let limits = |client: &Client| {
        read_rate_limit(&client.get("/v5/user")).map(|rate_limit| (rate_limit[0], rate_limit[1]))
    };
    // Created before: one of three calls is regained every 20 seconds.
    assert!([&one, &other].iter().all(|client| client.token().is_some()));
    assert_eq!(limits(&with(&one, &usual)), Some((3, 2)));
    assert_eq!(limits(&with(&other, &usual)), Some((3, 1)), "the users of an app share");
    assert_eq!(limits(&one), Some((3, 2)), "without a key, the user");
    assert_eq!(limits(&with(&one, "unknown")), Some((3, 1)), "an unknown key is none");
    assert_eq!(limits(&with(&one, &dear)).map(|(limit, _)| limit), Some(1000));
    let rate_limit = read_rate_limit(&other.get(&format!("/v5/user?key={dear}")));
    assert_eq!(rate_limit.map(|rate_limit| rate_limit[0]), Some(1000), "as a parameter");
    // Revoked by a command, which is another process.
    let number = id(&server.client(&developer).get("/v5/user/keys").ok()["items"][0]).to_owned();
    server.run(&["key", "revoke", &number]).expect("it is done");
    let late = server.client("late@example.com");
    eventually("10.13: it no longer counts", || {
        limits(&with(&late, &dear)).is_none_or(|(limit, _)| limit != 1000)
    });
}

fn on_with_providers_and_off_without(engine: Engine) {
    let plain = Server::with_args(engine, &[]);
    let caller = plain.client("one@example.com");
    assert_eq!(read_rate_limit(&caller.get("/v5/user")), None, "off in local mode");
    let folder = plain.data_dir().join("providers.json");
    let providers = json!({"items": [
        {"kind": "oidc", "issuer": "https://id.example.com", "clients": ["daybook"]},
    ]});
    std::fs::write(&folder, providers.to_string()).expect("a file");
    let path = folder.to_str().expect("UTF-8");
    let limit = |args: &[&str]| {
        let server = plain.beside(args);
        let caller = server.client_with_token(caller.token().expect("a token"));
        read_rate_limit(&caller.get("/v5/user")).map(|rate_limit| rate_limit[0])
    };
    assert_eq!(limit(&["--providers", path]), Some(60));
    assert_eq!(limit(&["--providers", path, "--quota-per-minute", "0"]), None);
}

fn calls_of_keys_outlive_the_process(engine: Engine) {
    let mut server = Server::with_args(engine, &[]);
    let (developer, text) = key(&server, &[]);
    let developer = server.client(&developer);
    let calls = || -> Vec<Value> {
        let listed = developer.get("/v5/user/keys").ok();
        let days = listed["items"][0]["usage"].as_array().expect("usage").iter();
        days.map(|day| day["calls"].clone()).collect()
    };
    for _ in 0..7 {
        developer.header("service-api-key", &text).get("/v5/user").ok();
    }
    let sum = || calls().iter().filter_map(Value::as_u64).sum::<u64>();
    // While they are being stored they may be counted twice for a moment.
    eventually("10.13: they are counted", || sum() == 7);
    server.restart();
    eventually("10.13: they were written down at the stop", || sum() == 7);
    developer.header("service-api-key", &text).get("/v5/user").ok();
    eventually("10.13: and are counted on", || sum() == 8);
}
